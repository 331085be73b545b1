//! Mates by checks: questions and answers as text, and one implementation for every game that has checks.

mod judge;
mod proof;
mod solver;
mod tree;

pub use proof::{Attacker, Claim, Proof, ProofFile, ProofFileNode, ProofMove, ProofNode};

use crate::Pasted;
use serde::{Deserialize, Serialize};
use std::{marker::PhantomData, time::Duration};
use tesuji_dataset::tasks::MateJudge;
use tesuji_engine::{TreeBounds, TreeCopy};
use tesuji_game::{Game, Mating, MoveOf, Side, Tactical, move_text};
use tesuji_record::Sample;
use tesuji_search::mate::{Answer, MateLimits, MateSearch};
use utoipa::ToSchema;

/// The mates of a game: forced wins in which each move of the attacker gives check.
pub trait Mates: Sync {
    /// A solver with memory of its own, which may be asked one question after another.
    ///
    /// # Errors
    /// When an option has no such name or value.
    fn solver(&self, settings: &MateSettings) -> anyhow::Result<Box<dyn MateSolver>>;

    /// Whether `position` can be asked about.
    ///
    /// # Errors
    /// When it is no position of the game, or a move behind it is not legal; the words quote it.
    fn check(&self, position: &Pasted) -> anyhow::Result<()>;

    /// A judge that tells mates from other positions, for many threads; `hash_mib` for each of them.
    fn judge(&self, hash_mib: usize, limits: MateLimits) -> Box<dyn MateJudge>;

    /// The proof or disproof that the side to move mates from `position` under `rules`, as a tree.
    ///
    /// # Errors
    /// When the position cannot be read, or the limits come first.
    fn tree(&self, rules: &str, position: &Pasted, limits: &TreeLimits<'_>) -> anyhow::Result<TreeCopy>;
}

/// The settings of a mate solver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MateSettings {
    /// Memory in MiB.
    pub hash_mib: usize,
    /// Threads on each problem; one finds the same with the same nodes every time.
    pub threads: usize,
    /// Parts of the solver that are switched, as NAME=VALUE.
    pub options: Vec<String>,
}

/// A question to a mate solver.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MateQuestion {
    /// Whether the side to move is mated, instead of whether it mates.
    pub defend: bool,
    /// Plies of the mate at most.
    pub plies: Option<u16>,
    /// Nodes at most: positions whose moves are generated.
    pub nodes: Option<u64>,
    /// Time at most.
    pub time: Option<Duration>,
    /// Look for the shortest mate, after one was found.
    pub shortest: bool,
    /// Replay the whole proof or disproof by the rules alone.
    pub verify: bool,
    /// Keep the whole proof or disproof.
    pub proof: bool,
}

/// The answer of a mate solver.
#[derive(Debug, Clone)]
pub struct SolvedMate {
    /// The answer.
    pub answer: Answer,
    /// The mate is proved to be the shortest.
    pub is_shortest: bool,
    /// A line of the mate, in the protocol's notation.
    pub line: Vec<String>,
    /// Positions whose moves were generated.
    pub nodes: u64,
    /// Time of the search, without the proof's.
    pub time: Duration,
    /// Positions that the checker replayed; `None`: not asked, or nothing to check.
    pub verified: Option<usize>,
    /// The proof, where it was asked for and something was proved.
    pub proof: Option<Proof>,
}

impl SolvedMate {
    /// The answer in a word: `mate`, `nomate` or `limit`; a limit of plies is a limit.
    pub fn word(&self) -> &'static str {
        match self.answer {
            Answer::Mate(_) => "mate",
            Answer::NoMate => "nomate",
            _ => "limit",
        }
    }

    /// Plies of the mate that was found.
    pub fn plies(&self) -> Option<u16> {
        if let Answer::Mate(plies) = self.answer { Some(plies) } else { None }
    }

    /// The answer for JSON.
    pub fn view(&self) -> SolvedMateView {
        SolvedMateView {
            answer: self.word(),
            plies: self.plies(),
            shortest: self.is_shortest,
            line: self.line.clone(),
            nodes: self.nodes,
            seconds: self.time.as_secs_f64(),
            verified: self.verified.is_some(),
            positions_verified: self.verified,
        }
    }
}

/// The answer of a mate solver as JSON has it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = SolvedMate)]
pub struct SolvedMateView {
    /// `mate`, `nomate` or `limit`.
    pub answer: &'static str,
    /// Plies of the mate that was found.
    pub plies: Option<u16>,
    /// Whether the mate is proved to be the shortest.
    pub shortest: bool,
    /// A line of the mate, in the protocol's notation.
    pub line: Vec<String>,
    /// Positions whose moves were generated.
    pub nodes: u64,
    /// Time of the search, without the proof's.
    pub seconds: f64,
    /// Whether the answer was replayed by the rules alone.
    pub verified: bool,
    /// Positions that the checker replayed; `None`: not asked, or nothing to check.
    pub positions_verified: Option<usize>,
}

/// A search while it grows.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct MatePicture {
    /// Positions whose moves were generated so far.
    pub nodes: u64,
    /// Time so far.
    pub seconds: f64,
    /// The side to move at the root: 0 or 1.
    pub side: u8,
    /// Whether this is the last picture.
    pub over: bool,
    /// The nodes with the most work, the root first.
    pub tree: Vec<PictureNode>,
}

/// A node of a [`MatePicture`].
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct PictureNode {
    /// The index of the node above; none at the root.
    pub parent: Option<u32>,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: String,
    /// Proof number.
    pub pn: u32,
    /// Disproof number.
    pub dn: u32,
    /// Plies of the mate where it is proved.
    pub plies: Option<u16>,
    /// Nodes searched below.
    pub work: u32,
    /// Legal moves.
    pub moves: u32,
}

/// Takes pictures of a running search, a few times a second.
pub type Pictures<'a> = &'a mut dyn FnMut(&MatePicture);

/// A solver of one thread of questions.
pub trait MateSolver: Send {
    /// Answers `question` about `position`. `is_stopped` is asked all the time; `pictures` is shown the growing tree.
    ///
    /// # Errors
    /// When the position cannot be read, the proof does not fit into memory, or the checker refuses it.
    fn solve(
        &mut self,
        position: &Pasted,
        question: &MateQuestion,
        is_stopped: &dyn Fn() -> bool,
        pictures: Option<Pictures<'_>>,
    ) -> anyhow::Result<SolvedMate>;
}

/// Limits of [`Mates::tree`].
pub struct TreeLimits<'a> {
    /// Plies of the mate and nodes.
    pub mate: MateLimits,
    /// Asked all the time.
    pub is_stopped: &'a dyn Fn() -> bool,
    /// The bounds of the tree that is kept.
    pub bounds: TreeBounds,
}

/// The mates of any game with checks.
pub struct MatesOf<G>(PhantomData<fn() -> G>);

impl<G> MatesOf<G> {
    /// The one value there is.
    pub const fn new() -> MatesOf<G> {
        MatesOf(PhantomData)
    }
}

impl<G> Default for MatesOf<G> {
    fn default() -> MatesOf<G> {
        MatesOf::new()
    }
}

impl<G> Mates for MatesOf<G>
where
    G: Game<Rules: Send + Sync> + 'static,
    G::Position: Mating + Tactical,
    MateSearch<G::Position>: Send,
{
    fn solver(&self, settings: &MateSettings) -> anyhow::Result<Box<dyn MateSolver>> {
        Ok(Box::new(solver::Solver::<G>::new(settings)?))
    }

    fn check(&self, position: &Pasted) -> anyhow::Result<()> {
        position.read::<G>(&G::Rules::default()).map(drop)
    }

    fn judge(&self, hash_mib: usize, limits: MateLimits) -> Box<dyn MateJudge> {
        Box::new(judge::Judge::<G>::new(hash_mib, limits))
    }

    fn tree(&self, rules: &str, position: &Pasted, limits: &TreeLimits<'_>) -> anyhow::Result<TreeCopy> {
        let rules: G::Rules = if rules.is_empty() { G::Rules::default() } else { rules.parse()? };
        tree::tree::<G>(&position.read::<G>(&rules)?, limits)
    }
}

/// A line in the protocol's notation.
fn line_text<G: Game>(pos: &G::Position, line: &[MoveOf<G>]) -> Vec<String> {
    use tesuji_game::Position;
    let mut here = pos.clone();
    line.iter()
        .map(|&mv| {
            let text = move_text::<G>(&here, mv);
            here.play(mv);
            text
        })
        .collect()
}

/// Whether the side to move is the first.
fn side_index(side: Side) -> u8 {
    u8::from(side == Side::Second)
}

/// The rules of a sample.
fn rules_of<G: Game>(sample: &Sample) -> Result<G::Rules, tesuji_game::NotationError> {
    match sample.rules.as_str() {
        "" => Ok(G::Rules::default()),
        text => text.parse(),
    }
}
