//! The options of Monte-Carlo tree search: a few for everyone, and a option for every rule for those who tune it.

use tesuji_options::options;

options! {
    /// What everyone may set.
    pub struct Settings {
        /// Memory of the tree in MiB.
        hash_mib: usize = 128 in 1..=131072, "Hash";
        /// Forget the tree.
        clear_hash: Button, "Clear Hash";
        /// Threads that grow the tree together.
        threads: usize = 1 in 1..=512, "Threads";
        /// Lines to report.
        multi_pv: usize = 1 in 1..=256, "MultiPV";
        /// Time lost between the clock and the search, in milliseconds a move.
        move_overhead_ms: u64 = 10 in 0..=10000, "Move Overhead";
        /// Moves are drawn by their visits to the power of one over this; 0 plays the best.
        temperature: f32 = 0.0 in 0.0..=10.0, "Temperature";
        /// Plies from the start of the game for which the temperature holds.
        temperature_plies: usize = 10000 in 0..=10000, "TemperaturePlies";
        /// The seed of noise and temperature.
        seed: u64 = 0 in 0..=2147483647, "Seed";
        /// Give up below this expected result; -1 never gives up.
        resign_below: f32 = -1.0 in -1.0..=0.0, "ResignBelow";
        /// Moves in a row that must look so bad.
        resign_moves: usize = 3 in 1..=100, "ResignMoves";
    }
}

options! {
    /// How the tree grows.
    pub struct Parameters(expert) {
        /// Before the tree grows, mates at the root are looked for with this many nodes; 0 looks for none.
        root_mate_nodes: u64 = 0 in 0..=100_000_000, "RootMateNodes";
        /// How to choose among moves: ucb1 by results alone, rave by results and all-moves-as-first counts, puct by results and priors.
        rule: Choice = "puct" of ["ucb1", "rave", "puct"], "SelectionRule";
        /// Weight of exploration in ucb1 and rave, for results in 0..=1.
        exploration: f32 = 0.5 in 0.0..=10.0, "Exploration";
        /// Weight of exploration in puct, for results in -1..=1.
        puct: f32 = 1.5 in 0.0..=20.0, "Puct";
        /// How fast that weight grows with the logarithm of visits.
        puct_growth: f32 = 0.5 in 0.0..=20.0, "PuctGrowth";
        /// Visits from which it grows.
        puct_base: f32 = 4000.0 in 1.0..=1000000.0, "PuctBase";
        /// Visits at which all-moves-as-first counts and results weigh the same.
        rave_equivalence: f32 = 1000.0 in 1.0..=1000000.0, "RaveEquivalence";
        /// Progressive bias: what a prior of 1 adds to ucb1 and rave, divided by visits plus one.
        prior_bias: f32 = 0.0 in 0.0..=100.0, "PriorBias";
        /// What a prior of 1 adds to ucb1 and rave, times the root of the parent's visits, divided by visits plus one.
        prior_pull: f32 = 0.0 in 0.0..=100.0, "PriorPull";
        /// Visits that a prior counts for in ucb1 and rave: its move is taken to have won as often as it would against an average one.
        prior_visits: f32 = 0.0 in 0.0..=1000.0, "PriorVisits";
        /// Urgency of moves not yet visited: first before all others, at a fixed value, or below the parent's value; auto fits the rule.
        first_play: Choice = "auto" of ["auto", "first", "value", "reduction"], "FirstPlay";
        /// The fixed value, in -1..=1.
        first_play_value: f32 = 0.0 in -1.0..=1.0, "FirstPlayValue";
        /// How far below the parent's value, times the root of the priors visited.
        first_play_reduction: f32 = 0.3 in 0.0..=2.0, "FirstPlayReduction";
        /// Lost visits that a visit under way counts for; 0 leaves results alone and counts the visit only.
        virtual_loss: f32 = 1.0 in 0.0..=100.0, "VirtualLoss";
        /// Visits of a leaf before its moves become children.
        expand_after: u32 = 0 in 0..=1000000, "ExpandAfter";
        /// Value a leaf once: later visits end there without a result until it opens, and opening asks for moves alone.
        value_once: bool = false, "ValueOnce";
        /// The most children of a node, those of the highest priors.
        children_max: usize = 4096 in 1..=8192, "ChildrenMax";
        /// Keep the likeliest moves until their priors sum up to this share.
        candidate_share: f32 = 1.0 in 0.0..=1.0, "CandidateShare";
        /// The same after 100 plies of the game.
        candidate_share_100: f32 = 1.0 in 0.0..=1.0, "CandidateShare100";
        /// The same after 200 plies of the game.
        candidate_share_200: f32 = 1.0 in 0.0..=1.0, "CandidateShare200";
        /// Moves kept whatever their priors.
        candidates_min: usize = 1 in 1..=1000, "CandidatesMin";
        /// Progressive widening: consider more moves the more visits there are.
        widening: bool = false, "Widening";
        /// Moves considered at first.
        widening_base: f32 = 2.0 in 1.0..=1000.0, "WideningBase";
        /// How many more for a visit to the power below.
        widening_factor: f32 = 1.0 in 0.0..=100.0, "WideningFactor";
        /// That power.
        widening_power: f32 = 0.5 in 0.0..=1.0, "WideningPower";
        /// Propagate proven wins, draws and losses.
        proofs: bool = true, "Proofs";
        /// Positions that are reached by moves of different orders are one node: their results are shared, visits are counted for each way.
        transpositions: bool = false, "Transpositions";
        /// Keep the part of the tree below the moves played.
        reuse: bool = true, "TreeReuse";
        /// The move to play: by visits, by value, or by the value's lower bound.
        choose: Choice = "visits" of ["visits", "value", "bound"], "ChooseBy";
        /// Positions that a thread evaluates together.
        batch: usize = 1 in 1..=4096, "Batch";
        /// Share of noise in the priors of the root.
        noise: f32 = 0.0 in 0.0..=1.0, "Noise";
        /// Concentration of the noise (Dirichlet); smaller is spikier.
        noise_alpha: f32 = 0.3 in 0.001..=100.0, "NoiseAlpha";
        /// Noise of another kind (dlshogi's, which uses 0.003): the chance that a move of the root has its prior raised halfway to 1 for one selection.
        noise_kick: f32 = 0.0 in 0.0..=1.0, "NoiseKick";
        /// Centipawns by which expected results are shown: the value where e chances to win stand against one.
        scale_cp: f32 = 140.0 in 1.0..=10000.0, "ValueScale";
        /// Time is used up to the hard limit only while another move can still overtake the best.
        early_stop: bool = true, "EarlyStop";
    }
}

/// The rule of selection, read once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    Ucb1,
    Rave,
    Puct,
}

/// The urgency of moves not yet visited, read once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstPlay {
    First,
    Value,
    Reduction,
}

impl Parameters {
    /// For oracles that answer with playouts and all-moves-as-first counts, as in go: these explore by themselves, and priors only
    /// order what they do not know yet. The numbers were tuned by games on 9x9 (docs/performance.md).
    pub fn playouts() -> Parameters {
        Parameters {
            rule: "rave".into(),
            rave_equivalence: 800.0,
            exploration: 0.0,
            prior_visits: 25.0,
            expand_after: 1,
            ..Parameters::default()
        }
    }

    /// For nets of go, whose priors are sharp: the exploration and first-play reduction that KataGo's author (Wu, 2019) settled on.
    pub fn nets() -> Parameters {
        Parameters {
            puct: 1.1,
            puct_growth: 0.45,
            puct_base: 500.0,
            first_play_reduction: 0.2,
            ..Parameters::default()
        }
    }

    /// For nets of go beside playouts: a leaf is valued by playouts twice before the net is asked for its moves.
    pub fn blended() -> Parameters {
        Parameters { expand_after: 1, ..Parameters::nets() }
    }

    pub(super) fn rule_of(&self) -> Rule {
        match self.rule.as_str() {
            "ucb1" => Rule::Ucb1,
            "rave" => Rule::Rave,
            _ => Rule::Puct,
        }
    }

    pub(super) fn first_play_of(&self) -> FirstPlay {
        match (self.first_play.as_str(), self.rule_of()) {
            ("first", _) | ("auto", Rule::Ucb1) => FirstPlay::First,
            ("value", _) | ("auto", Rule::Rave) => FirstPlay::Value,
            _ => FirstPlay::Reduction,
        }
    }

    /// The share of priors that candidates must sum up to after this many plies of the game.
    pub(super) fn share_at(&self, plies: usize) -> f32 {
        match plies {
            0..=100 => self.candidate_share,
            101..=200 => self.candidate_share_100,
            _ => self.candidate_share_200,
        }
    }
}
