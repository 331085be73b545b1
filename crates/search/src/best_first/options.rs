//! The options of best-first search: a few for everyone, and a option for every rule for those who tune it.

use tesuji_options::options;

options! {
    /// What everyone may set.
    pub struct Settings {
        /// Memory of tree, index of positions and cache of evaluations together, in MiB.
        hash_mib: usize = 128 in 1..=131072, "Hash";
        /// Forget the tree and the evaluations.
        clear_hash: Button, "Clear Hash";
        /// Threads that work positions out. With a limit of nodes their number changes nothing in the result.
        threads: usize = 1 in 1..=512, "Threads";
        /// Lines to report.
        multi_pv: usize = 1 in 1..=256, "MultiPV";
        /// Time lost between the clock and the search, in milliseconds a move.
        move_overhead_ms: u64 = 10 in 0..=10000, "Move Overhead";
        /// The seed of variety.
        seed: u64 = 0 in 0..=2147483647, "Seed";
        /// Centipawns up to which a worse move may be preferred, differently in each game; 0 always plays the best.
        variety_cp: f32 = 12.0 in 0.0..=1000.0, "Variety";
    }
}

options! {
    /// How the tree grows.
    pub struct Parameters(expert) {
        /// Depth to which the tree grows from its root before leaves are selected, in tenths of a ply.
        base: i16 = 20 in 10..=120, "BaseWeight";
        /// Tenths of a ply that a move costs.
        quiet_cost: i16 = 10 in 1..=10, "QuietCost";
        /// Tenths of a ply that a capture costs.
        capture_cost: i16 = 4 in 0..=10, "CaptureCost";
        /// Tenths of a ply that a check costs.
        check_cost: i16 = 0 in 0..=10, "CheckCost";
        /// Captures and checks that lose material cost as much as quiet moves.
        careful: bool = true, "Careful";
        /// The most passes over the tree that select leaves to expand; 0: the tree grows only by the base.
        stages_max: u32 = 1000000 in 0..=1000000, "StagesMax";
        /// Moves of each position that the selection of leaves follows.
        width: usize = 2 in 1..=16, "Width";
        /// Quality below which a whole subtree grows by one ply, instead of its best moves.
        grain: f32 = 2.0 in 1.0..=100000.0, "Grain";
        /// Centipawns below the best up to which a move is followed.
        margin_cp: f32 = 100.0 in 0.0..=64000.0, "FollowMargin";
        /// How much of the quality of a move counts against it, in centipawns for its root.
        explore: f32 = 0.5 in 0.0..=100.0, "Explore";
        /// Quality below which a move at the root always grows.
        root_grain: f32 = 30.0 in 0.0..=100000.0, "RootGrain";
        /// The share of a value that is left a ply nearer to the root: of equal values the sooner is better.
        decay: f32 = 0.999 in 0.9..=1.0, "Decay";
        /// Value leaves when captures have come to rest.
        quiescent: bool = true, "Quiescent";
        /// Plies of captures looked at before a leaf is valued.
        quiescence_plies: u32 = 8 in 0..=64, "QuiescencePlies";
        /// Moves over which a leaf in check is looked at further.
        evasion_plies: u32 = 2 in 0..=64, "EvasionPlies";
        /// Work out a position that is reached in several ways once.
        merge: bool = true, "Transpositions";
        /// Look whether a check mates before it is valued.
        see_mates: bool = true, "SeeMates";
        /// What is forgotten when memory runs out: what lies below the positions of least quality, or the worst moves.
        trim: Choice = "least" of ["least", "worst"], "Trim";
        /// Keep the part of the tree below the moves played.
        reuse: bool = true, "TreeReuse";
        /// Tenths of a ply by which all that is kept grows for each move played, before anything is chosen.
        kept_growth: i16 = 0 in 0..=100, "KeptGrowth";
        /// Positions taken from the queue together at most; what is found does not hang on the number of threads.
        batch: usize = 64 in 1..=4096, "Batch";
        /// The level of the rules that end a search early, from 1 to 4; 0: only limits and clock do.
        level: usize = 0 in 0..=4, "Level";
        /// Centipawns at which the odds to win are e to one, where expected results are shown.
        scale_cp: f32 = 140.0 in 1.0..=10000.0, "ValueScale";
    }
}

impl Parameters {
    /// For games whose evaluator plays on by itself, such as one by playouts: nothing is looked at before a leaf is valued,
    /// every move costs a ply, and since positions have many moves the tree grows by one ply before the first choice.
    pub fn settled() -> Parameters {
        Parameters {
            base: 10,
            capture_cost: 10,
            careful: false,
            quiescent: false,
            see_mates: false,
            ..Parameters::default()
        }
    }
}
