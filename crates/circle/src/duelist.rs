//! Sides of a duel: players of this process, or engines as processes of their own.

use crate::{CircleError, LocalContestant, Setup};
use tesuji_arena::{Contestant, Engine, EngineSpec, Fault};
use tesuji_engine::Player;
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;

/// One side of a duel.
///
/// # Examples
/// ```
/// use tesuji_arena::EngineSpec;
/// use tesuji_circle::{Duelist, Setup};
/// let duelists = [Duelist::from(Setup::default()), Duelist::Engine(Box::new(EngineSpec::new("./engine")))];
/// assert!(matches!(&duelists[0], Duelist::Player(_)));
/// ```
#[derive(Debug, Clone)]
pub enum Duelist {
    /// A player of this process. A fault of it is a mistake of ours and ends the duel.
    Player(Setup),
    /// An engine as a process, which loses the game in which it is at fault.
    Engine(Box<EngineSpec>),
}

impl From<Setup> for Duelist {
    fn from(setup: Setup) -> Duelist {
        Duelist::Player(setup)
    }
}

impl Duelist {
    /// Makes it ready to play.
    ///
    /// # Errors
    /// When there is no such player, or the process cannot be started.
    pub(crate) fn contender(&self, kit: &dyn Kit, name: &str, stop: &Interrupt) -> Result<Contender, CircleError> {
        match self {
            Duelist::Player(setup) => Ok(Contender::Player(setup.contestant(kit, name)?)),
            Duelist::Engine(spec) => Ok(Contender::Engine(Box::new(Process::start(spec, stop)?))),
        }
    }
}

/// A side that is ready to play, on one thread.
pub(crate) enum Contender {
    Player(LocalContestant),
    Engine(Box<Process>),
}

impl Contender {
    /// As the runner of games sees it.
    pub(crate) fn contestant(&mut self) -> &mut dyn Contestant {
        match self {
            Contender::Player(player) => player,
            Contender::Engine(process) => &mut process.engine,
        }
    }

    /// The player that can judge openings, where it is one of this process.
    pub(crate) fn player(&mut self) -> Option<&mut (dyn Player + 'static)> {
        match self {
            Contender::Player(player) => Some(player.player.as_mut()),
            Contender::Engine(_) => None,
        }
    }

    /// Whether its faults are its own, and not mistakes of ours.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self, Contender::Engine(_))
    }

    /// Starts the process again where it can play no further game: after such a `fault`, or when each game has its own.
    ///
    /// # Errors
    /// When it cannot be started.
    pub(crate) fn renew(&mut self, fault: Option<&Fault>, stop: &Interrupt) -> Result<(), CircleError> {
        let Contender::Engine(process) = self else { return Ok(()) };
        if fault.is_some_and(|fault| fault.kind.breaks()) || process.engine.is_spent() {
            **process = Process::start(&process.spec, stop)?;
        }
        Ok(())
    }
}

/// An engine that is told to quit when it is not needed any more.
pub(crate) struct Process {
    spec: EngineSpec,
    engine: Engine,
}

impl Process {
    fn start(spec: &EngineSpec, stop: &Interrupt) -> Result<Process, CircleError> {
        let engine = Engine::open(spec, stop).map_err(|fault| CircleError::engine(spec, &fault))?;
        Ok(Process { spec: spec.clone(), engine })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.engine.quit();
    }
}
