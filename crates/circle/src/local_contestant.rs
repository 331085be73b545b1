//! Players in this process: a search family with options, as a contestant.

use crate::CircleError;
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    time::{Duration, Instant},
};
use tesuji_arena::{Adjudication, Allowance, Conditions, Contestant, Fault, FaultKind, ResignRule, Thought, Turn};
use tesuji_engine::Player;
use tesuji_game::{Report, Signal, Watch};
use tesuji_kit::Kit;
use tesuji_options::set_all;

/// The option that names a weights file; empty: the weights built in.
pub const WEIGHTS_OPTION: &str = "EvalFile";

/// The smallest transposition table: games at few nodes a move need no more, and clear it at each game.
const HASH_MIB: u32 = 1;

/// The players.
///
/// # Examples
///
/// ```
/// use tesuji_circle::Setup;
/// use tesuji_four::FOUR;
/// let mut setup = Setup { family: "mcts".into(), ..Setup::default() };
/// assert!(setup.player(&FOUR).is_ok());
/// setup.options.push(("NoSuchOption".into(), "1".into()));
/// assert!(setup.player(&FOUR).is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The search family; empty: the game's best.
    pub family: String,
    /// Options as name and value: presets first, then the others in order.
    pub options: Vec<(String, String)>,
}

impl Default for Setup {
    /// A single thread and a small table, with the evaluation built in.
    fn default() -> Setup {
        let options = vec![("Hash".to_string(), HASH_MIB.to_string())];
        Setup { family: String::new(), options }
    }
}

impl Setup {
    /// The default with weights from a file.
    pub fn with_weights(path: &Path) -> Setup {
        let mut setup = Setup::default();
        setup.options.push((WEIGHTS_OPTION.into(), path.display().to_string()));
        setup
    }

    /// Makes the player.
    ///
    /// # Errors
    /// When there is none, or it refuses an option.
    pub fn player(&self, kit: &dyn Kit) -> Result<Box<dyn Player>, CircleError> {
        let mut player = kit.player(&self.family)?;
        set_all(&mut *player.options(), self.options.iter().map(|(name, value)| (&**name, &**value)))?;
        Ok(player)
    }

    /// Makes the player a contestant called `name`.
    ///
    /// # Errors
    /// As [`Setup::player`].
    pub fn contestant(&self, kit: &dyn Kit, name: &str) -> Result<LocalContestant, CircleError> {
        Ok(LocalContestant { name: name.into(), rules: String::new(), player: self.player(kit)? })
    }
}

/// A player of this process as a contestant: no protocol, no process, no clock but its own.
pub struct LocalContestant {
    name: String,
    rules: String,
    /// The player.
    pub(crate) player: Box<dyn Player>,
}

impl Contestant for LocalContestant {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, rules: &str) -> Result<(), Fault> {
        self.rules.replace_range(.., rules);
        self.player.new_game();
        Ok(())
    }

    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault> {
        let garbage = |detail: String| Fault::new(FaultKind::Garbage, detail);
        self.player.set_position(&self.rules, turn.start, turn.moves).map_err(|e| garbage(e.to_string()))?;
        let mut watch = Unwatched { began: Instant::now(), stop: turn.stop };
        let report = self.player.go(turn.limits, &[], &mut watch);
        if turn.stop.load(Relaxed) {
            return Err(Fault::new(FaultKind::Stopped, "the game was stopped"));
        }
        if let Some(fault) = report.fault {
            return Err(garbage(fault));
        }
        let choice = report.choice.ok_or_else(|| garbage("it found no move".into()))?;
        let best = report.lines.into_iter().next();
        Ok(Thought {
            value: best.as_ref().map(|b| b.value),
            depth: report.depth,
            depth_max: report.depth_max,
            nodes: report.nodes,
            pv: best.map(|b| b.pv).unwrap_or_default(),
            ..Thought::new(choice, watch.began.elapsed())
        })
    }
}

/// A search that nobody watches, but that Ctrl-C ends.
pub(crate) struct Unwatched<'a> {
    pub(crate) began: Instant,
    pub(crate) stop: &'a AtomicBool,
}

impl Watch<String> for Unwatched<'_> {
    fn signal(&mut self) -> Signal {
        if self.stop.load(Relaxed) { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}

/// The conditions of games in this process: nodes a move; decided when both sides see ten pawns for two moves; drawn at
/// 300 plies.
///
/// # Examples
/// ```
/// let conditions = tesuji_circle::conditions(5000);
/// assert_eq!(conditions.adjudication.plies_max, Some(300));
/// ```
pub fn conditions(nodes: u64) -> Conditions {
    let resign = ResignRule { moves: 2, score_cp: 1000, both_sides: true };
    let adjudication = Adjudication { resign: Some(resign), draw: None, plies_max: Some(300) };
    Conditions { adjudication, ..Conditions::even(Allowance::of_nodes(nodes)) }
}
