//! The profile of an alpha-beta search: visits and cutoffs by kind of node, why nodes were left, and how often each step was tried and
//! succeeded.

use tesuji_game::Reason;

/// Cutoffs are counted for the first, second and third move looked at, and for all later ones together.
pub const CUTOFF_MOVES: usize = 4;
/// Depths are counted singly up to this one, in which all deeper nodes are.
pub const PROFILE_DEPTH_MAX: usize = 40;

/// The expected type of a node: PV, cut or all (Knuth and Moore, "An analysis of alpha-beta pruning", 1975).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    /// On the principal variation: an open window.
    Pv,
    /// A cutoff is expected.
    Cut,
    /// All moves are expected to fail low.
    All,
}

impl NodeKind {
    /// All of them.
    pub const ALL: [NodeKind; 3] = [NodeKind::Pv, NodeKind::Cut, NodeKind::All];

    /// Its name in tables and JSON.
    pub const fn name(self) -> &'static str {
        ["pv", "cut", "all"][self as usize]
    }

    /// The kind of the children of such a node that are searched with a closed window.
    pub(crate) const fn below(self) -> NodeKind {
        match self {
            NodeKind::Cut => NodeKind::All,
            NodeKind::Pv | NodeKind::All => NodeKind::Cut,
        }
    }
}

/// Counted steps of the search, beside the reasons for a cutoff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Endgame tables were asked.
    EndgameProbe,
    /// A node off the principal variation, not in check and not of a singular search, reached the pruning before its moves.
    Prunable,
    /// Razoring searched captures.
    Razoring,
    /// A null move was searched.
    NullMove,
    /// A null-move cutoff was to be verified.
    Verification,
    /// A verification did not agree.
    VerificationFailed,
    /// Probcut tried the captures of a node.
    Probcut,
    /// Probcut played a capture.
    ProbcutMove,
    /// Quiescence held probcut's bound, and the capture was searched.
    ProbcutSearch,
    /// A node without a table move lost a ply.
    IterativeReduction,
    /// All moves but the table's were searched.
    Singular,
    /// The table move was extended by a ply.
    SingularExtension,
    /// The table move was extended by two plies.
    DoubleExtension,
    /// The table move lost a ply, since others are good as well.
    NegativeExtension,
    /// A check was extended.
    CheckExtension,
    /// A quiet move came too late, and with it all that follow.
    LateMovePruning,
    /// A quiet move was futile, and with it all that follow.
    Futility,
    /// A noisy move was futile.
    NoisyFutility,
    /// A quiet move had a bad history.
    HistoryPruning,
    /// A quiet move loses an exchange.
    QuietExchange,
    /// A noisy move, or a check, loses an exchange.
    NoisyExchange,
    /// A move was searched with its full depth at once.
    FullDepth,
    /// A move was searched with less depth.
    Reduction,
    /// A reduced move was better than alpha.
    ReductionFailed,
    /// A reduced move was searched again with a closed window.
    ReSearch,
    /// A move was searched again with an open window.
    PvReSearch,
    /// A move of the root was searched again.
    RootReSearch,
    /// A move of quiescence was left out.
    QuiescencePruning,
}

impl Step {
    /// The number of steps.
    pub(crate) const COUNT: usize = Step::QuiescencePruning as usize + 1;
}

/// Counts of the nodes of one kind, in the main search or in quiescence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindCounts {
    /// Visits.
    pub visits: u64,
    /// Visits that the end of the search broke off.
    pub broken_off: u64,
    /// Beta cutoffs by the number of the move that cut: first, second, third, later.
    pub cutoffs: [u64; CUTOFF_MOVES],
    pub(crate) exits: [u64; Reason::CODES],
}

impl KindCounts {
    /// Visits that were left for `reason`. All reasons and [`KindCounts::broken_off`] sum to the visits.
    pub fn exits(&self, reason: Reason) -> u64 {
        self.exits[usize::from(reason.code())]
    }

    fn add(&mut self, other: &KindCounts) {
        self.visits += other.visits;
        self.broken_off += other.broken_off;
        add_all(&mut self.cutoffs, &other.cutoffs);
        add_all(&mut self.exits, &other.exits);
    }
}

/// Counts of the nodes of the main search with one depth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DepthCounts {
    /// Visits.
    pub visits: u64,
    /// Beta cutoffs by the number of the move that cut: first, second, third, later.
    pub cutoffs: [u64; CUTOFF_MOVES],
}

/// Counters of the main thread over one or several searches.
///
/// A visit is a call of the search for a position. It follows a made move (a node as limits count them), or it is one of
/// [`Profile::repeats`]: a second look at a position that is already on the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// Moves and null moves made.
    pub moves: u64,
    /// Passes over the moves of the root.
    pub root_passes: u64,
    /// The longest path, in plies, captures included.
    pub ply_max: usize,
    /// `[NodeKind]`: nodes of the main search.
    pub main: [KindCounts; 3],
    /// `[NodeKind]`: nodes of quiescence; off the principal variation cut and all nodes take turns.
    pub quiescence: [KindCounts; 3],
    /// `[depth]`: nodes of the main search; depth 0 is empty.
    pub depths: [DepthCounts; PROFILE_DEPTH_MAX + 1],
    pub(crate) steps: [u64; Step::COUNT],
}

impl Default for Profile {
    fn default() -> Profile {
        Profile {
            moves: 0,
            root_passes: 0,
            ply_max: 0,
            main: Default::default(),
            quiescence: Default::default(),
            depths: [DepthCounts::default(); PROFILE_DEPTH_MAX + 1],
            steps: [0; Step::COUNT],
        }
    }
}

impl Profile {
    /// The number of times that a step was taken.
    pub fn step(&self, step: Step) -> u64 {
        self.steps[step as usize]
    }

    /// Visits of the main search and of quiescence, the root not counted.
    pub fn visits(&self) -> u64 {
        self.main.iter().chain(&self.quiescence).map(|kind| kind.visits).sum()
    }

    /// Visits that follow no new move: re-searches, singular searches, verifications, captures looked at for razoring, and searches of
    /// what probcut's captures held. The other visits are as many as [`Profile::moves`].
    pub fn repeats(&self) -> u64 {
        [
            Step::ReSearch,
            Step::PvReSearch,
            Step::RootReSearch,
            Step::Singular,
            Step::Verification,
            Step::Razoring,
            Step::ProbcutSearch,
        ]
        .map(|step| self.step(step))
        .iter()
        .sum()
    }

    /// Adds another search.
    pub fn add(&mut self, other: &Profile) {
        self.moves += other.moves;
        self.root_passes += other.root_passes;
        self.ply_max = self.ply_max.max(other.ply_max);
        self.main.iter_mut().zip(&other.main).for_each(|(sum, one)| sum.add(one));
        self.quiescence.iter_mut().zip(&other.quiescence).for_each(|(sum, one)| sum.add(one));
        for (sum, one) in self.depths.iter_mut().zip(&other.depths) {
            sum.visits += one.visits;
            add_all(&mut sum.cutoffs, &one.cutoffs);
        }
        add_all(&mut self.steps, &other.steps);
    }
}

fn add_all(sums: &mut [u64], ones: &[u64]) {
    sums.iter_mut().zip(ones).for_each(|(sum, one)| *sum += one);
}
