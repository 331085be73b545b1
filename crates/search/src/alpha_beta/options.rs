//! The options of the depth-first search: a few for everyone, and an option for every step and margin for those who tune it.

use tesuji_options::{make_plain, options};

options! {
    /// Options for every user.
    pub struct Settings {
        /// Size of the transposition table in MiB.
        hash_mib: usize = 16 in 1..=131072, "Hash";
        /// Forget all positions seen.
        clear_hash: Button, "Clear Hash";
        /// Threads that search together.
        threads: usize = 1 in 1..=512, "Threads";
        /// Lines to report.
        multi_pv: usize = 1 in 1..=256, "MultiPV";
        /// Time lost between the clock and the search, in milliseconds a move.
        move_overhead_ms: u64 = 10 in 0..=10000, "Move Overhead";
    }
}

options! {
    /// Traces and counters of a search, for inspection afterwards.
    pub struct Traces(expert) {
        /// Plies from the root down to which the last iteration is traced; 0: no trace.
        trace_plies: usize = 0 in 0..=64, "TracePlies";
        /// The most positions of a trace.
        trace_nodes: usize = 100000 in 1..=10000000, "TraceNodes";
        /// Count visits, cutoffs and steps, as `tesuji bench --profile` shows them.
        profile: bool = false, "Profile";
    }
}

options! {
    /// A switch for every step of the search, and its margins: for ablation and tuning. Depths are in plies, margins in centipawns.
    pub struct Parameters(expert) {
        /// Aspiration windows.
        aspiration: bool = true, "Aspiration", plain = false;
        /// Half-width of the first aspiration window.
        aspiration_cp: i32 = 14 in 4..=200, "AspirationWindow";
        /// Cuts by values of the transposition table.
        table_cuts: bool = true, "TableCuts", plain = false;
        /// Quiescence search; without it the static value stands at depth 0.
        quiescence: bool = true, "Quiescence", plain = false;
        /// Mate-distance pruning.
        mate_distance: bool = true, "MateDistance", plain = false;
        /// Mates in one that the game sees quickly are looked for where nothing is known yet.
        mate_at_once: bool = true, "MateAtOnce";
        /// A search for mates by checks at the root, before the search proper, where the game has one. Not worth its nodes in matches so far.
        root_mate: bool = false, "RootMate";
        /// Nodes of that search at most.
        root_mate_nodes: u64 = 5000 in 100..=100_000_000, "RootMateNodes";
        /// Its share of the time or the nodes that limit the move, in hundredths.
        root_mate_percent: u64 = 10 in 1..=90, "RootMatePercent";
        /// Delta pruning in quiescence.
        delta: bool = true, "Delta", plain = false;
        /// Margin of delta pruning.
        delta_cp: i32 = 120 in 0..=1000, "DeltaMargin";
        /// Quiet moves that give check at the first ply of quiescence.
        quiet_checks: bool = false, "QuietChecks";
        /// Leaving out losing exchanges in quiescence.
        quiescence_see: bool = true, "QuiescenceSee", plain = false;
        /// Razoring.
        razoring: bool = true, "Razoring", plain = false;
        /// Margin of razoring for each ply of depth.
        razoring_cp: i32 = 240 in 50..=1000, "RazoringMargin";
        /// Deepest razoring.
        razoring_depth: i32 = 3 in 1..=8, "RazoringDepth";
        /// Reverse futility pruning.
        reverse_futility: bool = true, "ReverseFutility", plain = false;
        /// Margin of reverse futility pruning for each ply of depth.
        reverse_futility_cp: i32 = 75 in 10..=300, "ReverseFutilityMargin";
        /// Deepest reverse futility pruning.
        reverse_futility_depth: i32 = 8 in 1..=16, "ReverseFutilityDepth";
        /// Null-move pruning.
        null_move: bool = true, "NullMove", plain = false;
        /// Plies that a null move costs at least.
        null_move_base: i32 = 3 in 1..=6, "NullMoveBase";
        /// Depth for one more ply of null-move reduction.
        null_move_divisor: i32 = 4 in 2..=10, "NullMoveDivisor";
        /// Static surplus for one more ply of null-move reduction.
        null_move_surplus_cp: i32 = 200 in 50..=1000, "NullMoveSurplus";
        /// The most plies of that kind.
        null_move_surplus_max: i32 = 3 in 0..=8, "NullMoveSurplusMax";
        /// How far above beta the static value must be for a null move, at depth 0.
        null_move_margin_cp: i32 = 170 in -200..=600, "NullMoveMargin";
        /// What each ply of depth takes from that margin.
        null_move_margin_ply_cp: i32 = 20 in 0..=100, "NullMoveMarginPly";
        /// Depth from which a null-move cut is verified.
        null_move_verify_depth: i32 = 12 in 4..=64, "NullMoveVerifyDepth";
        /// Share of the verification's depth in which it makes no null moves, in 16ths.
        null_move_verify_share: i32 = 12 in 0..=16, "NullMoveVerifyShare";
        /// Probcut.
        probcut: bool = true, "Probcut", plain = false;
        /// Margin of probcut above beta.
        probcut_cp: i32 = 170 in 50..=600, "ProbcutMargin";
        /// By how much that margin is smaller where the static value rises.
        probcut_improving_cp: i32 = 40 in 0..=300, "ProbcutImproving";
        /// Plies that the search of probcut is shallower than the node.
        probcut_plies: i32 = 4 in 2..=8, "ProbcutPlies";
        /// Shallowest probcut.
        probcut_depth: i32 = 5 in 3..=12, "ProbcutDepth";
        /// Internal iterative reduction.
        iterative_reduction: bool = true, "IterativeReduction", plain = false;
        /// Shallowest internal iterative reduction.
        iterative_reduction_depth: i32 = 4 in 2..=12, "IterativeReductionDepth";
        /// Futility pruning of quiet moves.
        futility: bool = true, "Futility", plain = false;
        /// Base margin of futility pruning.
        futility_base_cp: i32 = 90 in 0..=500, "FutilityBase";
        /// Margin of futility pruning for each ply of depth.
        futility_cp: i32 = 80 in 10..=300, "FutilityMargin";
        /// Deepest futility pruning.
        futility_depth: i32 = 8 in 1..=16, "FutilityDepth";
        /// Margin of futility pruning of noisy moves, as a multiple of that of quiet ones.
        noisy_futility_factor: i32 = 2 in 1..=8, "NoisyFutilityFactor";
        /// History of a noisy move for one centipawn more of that margin.
        noisy_futility_history: i32 = 128 in 16..=2048, "NoisyFutilityHistory";
        /// Deepest futility pruning of noisy moves.
        noisy_futility_depth: i32 = 6 in 0..=16, "NoisyFutilityDepth";
        /// Late move pruning.
        late_move_pruning: bool = true, "LateMovePruning", plain = false;
        /// Moves always looked at before late move pruning.
        late_move_base: i32 = 4 in 1..=20, "LateMoveBase";
        /// Divisor of the number of moves looked at where the static value falls.
        late_move_falling: i32 = 2 in 1..=4, "LateMoveFalling";
        /// Deepest late move pruning.
        late_move_depth: i32 = 8 in 1..=16, "LateMoveDepth";
        /// Leaving out moves that lose an exchange.
        see_pruning: bool = true, "SeePruning", plain = false;
        /// What a quiet move may lose for each ply of depth.
        see_quiet_cp: i32 = 60 in 5..=300, "SeeQuietMargin";
        /// What a noisy move may lose for each ply of depth.
        see_noisy_cp: i32 = 100 in 5..=400, "SeeNoisyMargin";
        /// Deepest pruning by exchanges.
        see_depth: i32 = 9 in 1..=16, "SeeDepth";
        /// Leaving out quiet moves of bad history.
        history_pruning: bool = true, "HistoryPruning", plain = false;
        /// History below which a quiet move is left out, for each ply of depth.
        history_pruning_score: i32 = 3500 in 500..=16000, "HistoryPruningScore";
        /// Deepest pruning by history.
        history_pruning_depth: i32 = 5 in 1..=16, "HistoryPruningDepth";
        /// Late move reductions.
        late_move_reductions: bool = true, "LateMoveReductions", plain = false;
        /// Shallowest late move reduction.
        reduction_depth: i32 = 2 in 2..=8, "ReductionDepth";
        /// Moves searched with their full depth before others are reduced; one more on the principal variation.
        reduction_count: usize = 1 in 1..=8, "ReductionCount";
        /// Divisor of the reduction of noisy moves.
        reduction_noisy_divisor: i32 = 2 in 1..=8, "ReductionNoisyDivisor";
        /// Constant part of late move reductions, in 1024ths of a ply.
        reduction_base: i32 = 700 in -1024..=4096, "ReductionBase";
        /// Logarithmic part of late move reductions, in 1024ths.
        reduction_factor: i32 = 450 in 100..=1200, "ReductionFactor";
        /// History for one ply less of reduction.
        reduction_history: i32 = 8192 in 2000..=40000, "ReductionHistory";
        /// Reduced more where a cut is expected, in 1024ths of a ply, as all that follow.
        reduction_cut: i32 = 1024 in 0..=4096, "ReductionCut";
        /// Reduced more where a cut is expected and the table knows no move.
        reduction_no_move: i32 = 1024 in 0..=4096, "ReductionNoMove";
        /// Reduced less on the principal variation where the table's value is above alpha.
        reduction_pv_value: i32 = 768 in 0..=4096, "ReductionPvValue";
        /// Reduced less on the principal variation, now or earlier.
        reduction_pv: i32 = 1024 in 0..=4096, "ReductionPv";
        /// Reduced more where the static value falls.
        reduction_falling: i32 = 1024 in 0..=4096, "ReductionFalling";
        /// Reduced more where the table's move is noisy.
        reduction_noisy_table: i32 = 1024 in 0..=4096, "ReductionNoisyTable";
        /// Reduced less: killers.
        reduction_killer: i32 = 1024 in 0..=4096, "ReductionKiller";
        /// Reduced less: checks.
        reduction_check: i32 = 1024 in 0..=4096, "ReductionCheck";
        /// Reduced less where the move's history is good and that of the opponent's last move bad, more the other way round.
        reduction_parent_history: i32 = 1024 in 0..=4096, "ReductionParentHistory";
        /// Reduced less: moves that take their piece away from where an exchange would lose it.
        reduction_escape: i32 = 1024 in 0..=4096, "ReductionEscape";
        /// Reduced less where the table's move is singular.
        reduction_singular: i32 = 1024 in 0..=4096, "ReductionSingular";
        /// Reduced less where the opponent's move came late.
        reduction_parent_late: i32 = 1024 in 0..=4096, "ReductionParentLate";
        /// After how many others a move counts as late there.
        reduction_parent_late_count: i32 = 14 in 2..=64, "ReductionParentLateCount";
        /// Reduced more where many siblings' children cut.
        reduction_many_cuts: i32 = 1024 in 0..=4096, "ReductionManyCuts";
        /// Cuts of siblings' children beyond which they are many.
        reduction_many_cuts_count: u32 = 3 in 0..=16, "ReductionManyCutsCount";
        /// How far above the best value a reduced move must be to be searched a ply deeper again, at depth 0.
        deeper_cp: i32 = 60 in 0..=500, "DeeperMargin";
        /// What each ply of depth adds to that margin.
        deeper_ply_cp: i32 = 4 in 0..=40, "DeeperMarginPly";
        /// Below how many centipawns above the best value, for each ply of depth, a reduced move is searched again a ply less deep.
        shallower_ply_cp: i32 = 1 in 0..=40, "ShallowerMarginPly";
        /// Singular extensions, with double extensions and multicut.
        singular: bool = true, "Singular", plain = false;
        /// Shallowest singular extension.
        singular_depth: i32 = 7 in 4..=16, "SingularDepth";
        /// Margin of singularity below the table's value for each ply of depth, in 16ths of a centipawn.
        singular_margin: i32 = 28 in 4..=128, "SingularMargin";
        /// How many plies shallower than the node the table's entry may be for a singular search.
        singular_plies: i32 = 3 in 1..=8, "SingularPlies";
        /// Divisor of the node's depth for that of the singular search.
        singular_divisor: i32 = 2 in 1..=4, "SingularDivisor";
        /// Double extensions allowed on a path.
        double_extensions_max: i32 = 8 in 0..=32, "DoubleExtensionsMax";
        /// Margin for a double extension.
        double_extension_cp: i32 = 20 in 0..=200, "DoubleExtension";
        /// Check extensions.
        check_extensions: bool = true, "CheckExtensions", plain = false;
        /// Deepest node at which checks are extended.
        check_extension_depth: i32 = 12 in 0..=64, "CheckExtensionDepth";
        /// Plies by which later moves are searched less deep once a move raised alpha.
        raised_alpha_plies: i32 = 1 in 0..=3, "RaisedAlphaPlies", plain = 0;
        /// Reduction of the move before, in plies, from which a node gains a ply where the opponent's value did not rise; 0: none.
        hindsight_deeper: i32 = 3 in 0..=8, "HindsightDeeper", plain = 0;
        /// Sum of both sides' static values beyond which a node after a reduced move loses a ply; 0: none.
        hindsight_shallower_cp: i32 = 120 in 0..=600, "HindsightShallower", plain = 0;
        /// How far above beta the table's value of a search up to four plies less deep must be to cut; 0: no such cut.
        table_probcut_cp: i32 = 300 in 0..=1000, "TableProbcut", plain = 0;
        /// What a centipawn by which the opponent's last move changed the sum of static values is worth to that move's history; 0: nothing.
        eval_history: i32 = 3 in 0..=64, "EvalHistory";
        /// Whether the quiet move that led to a node that fails low gains in its own history, too.
        parent_bonus_history: bool = true, "ParentBonusHistory";
        /// History of a noisy move, in hundreds, that makes up for a centipawn lost by exchange in move ordering; 0: never.
        noisy_exchange_history: i32 = 3 in 0..=200, "NoisyExchangeHistory";
        /// Killer moves.
        killers: bool = true, "Killers";
        /// Counter moves.
        counter_moves: bool = true, "CounterMoves";
        /// Ordering of quiet moves by history.
        history: bool = true, "History";
        /// What a cut is worth to a history for each ply of depth.
        history_bonus: i32 = 160 in 20..=600, "HistoryBonus";
        /// The most that a cut is worth to a history.
        history_bonus_max: i32 = 1700 in 200..=6000, "HistoryBonusMax";
        /// Shallowest node that fails low and gives a bonus to the quiet move that led to it.
        parent_bonus_depth: i32 = 3 in 1..=16, "ParentBonusDepth";
        /// A quiet move among this many first ones gets a malus where the table refutes it.
        table_malus_count: usize = 2 in 0..=16, "TableMalusCount";
        /// Ordering of quiet moves by the moves before them.
        continuation_history: bool = true, "ContinuationHistory";
        /// Weight of the move one ply before in that ordering, in 16ths of the weight of the move's own history.
        continuation_weight_1: i32 = 16 in 0..=64, "ContinuationWeight1";
        /// Weight of the move two plies before.
        continuation_weight_2: i32 = 16 in 0..=64, "ContinuationWeight2";
        /// Weight of the move four plies before.
        continuation_weight_4: i32 = 16 in 0..=64, "ContinuationWeight4";
        /// Weight of the move six plies before.
        continuation_weight_6: i32 = 8 in 0..=64, "ContinuationWeight6";
        /// Worth of a centipawn of a piece that leaves the attack of a cheaper one, or enters it, in the ordering of quiet moves; 0: nothing.
        threat_order: i32 = 16 in 0..=128, "ThreatOrder";
        /// Ordering of noisy moves by history.
        capture_history: bool = true, "CaptureHistory";
        /// Correction of the static value by what searches of like positions found.
        correction: bool = true, "Correction", plain = false;
        /// Weight of the correction of positions with the same pawns, in 64ths.
        correction_structure: i32 = 64 in 0..=256, "CorrectionStructure";
        /// Weight of the correction of positions where one side has the same pieces on the same squares, for each side.
        correction_pieces: i32 = 64 in 0..=256, "CorrectionPieces";
        /// Weight of the correction of positions after the same move.
        correction_move: i32 = 32 in 0..=256, "CorrectionMove";
        /// Weight of the correction of positions after the same two moves.
        correction_pair: i32 = 48 in 0..=256, "CorrectionPair";
        /// Cuts by endgame tables.
        endgame_probes: bool = true, "EndgameProbes", plain = false;
        /// Shallowest probe of endgame tables where the most pieces are left.
        endgame_probe_depth: i32 = 1 in 0..=64, "EndgameProbeDepth";
        /// Plies by which the entry of an endgame table's result is deeper than its node.
        endgame_probe_bonus: i32 = 6 in 0..=32, "EndgameProbeBonus";
    }
}

impl Parameters {
    /// Weights of the moves before in the ordering of quiet moves, in 16ths.
    pub(super) fn continuation_weights(&self) -> [i32; 4] {
        [self.continuation_weight_1, self.continuation_weight_2, self.continuation_weight_4, self.continuation_weight_6]
    }

    /// Every step off that may change a value: what is left finds exactly the minimax value of its depth. Each step declares by
    /// `plain = false` that it belongs here.
    pub fn plain() -> Parameters {
        let mut parameters = Parameters::default();
        make_plain(&mut parameters);
        parameters
    }
}
