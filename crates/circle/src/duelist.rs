//! Sides of duels and of self-play: players of this process, or engines as processes of their own.

use crate::{CircleError, LocalContestant, Setup};
use std::path::Path;
use tesuji_arena::{Contestant, Engine, EngineRequest, EngineSpec, Fault};
use tesuji_engine::Player;
use tesuji_jobs::{Interrupt, find_program, named_by_content};
use tesuji_kit::{Kit, RequestError};

/// One side of a duel, or both of self-play.
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
    /// A player of this process. A fault of it is a mistake of ours and ends the work.
    Player(Setup),
    /// An engine as a process. In a duel it loses the game in which it is at fault; in self-play that game is void.
    Engine(Box<EngineSpec>),
}

impl From<Setup> for Duelist {
    fn from(setup: Setup) -> Duelist {
        Duelist::Player(setup)
    }
}

impl Duelist {
    /// Whether it is an engine, whose faults are its own and no mistakes of ours.
    pub(crate) fn is_foreign(&self) -> bool {
        matches!(self, Duelist::Engine(_))
    }

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

/// Two sides that are ready to play, on one thread, with a player that judges openings.
pub(crate) struct Sides {
    pub(crate) contenders: [Contender; 2],
    /// Beside engines, which are not asked.
    judge: Option<Box<dyn Player>>,
    /// The contender that judges openings, where it is a player of this process.
    judging: usize,
}

impl Sides {
    /// Makes both sides ready under their names. Openings are judged by contender `judging`, or by the game's usual player where
    /// that is an engine.
    ///
    /// # Errors
    /// Those of [`Duelist::contender`].
    pub(crate) fn new(
        kit: &dyn Kit,
        duelists: [(&Duelist, &str); 2],
        judging: usize,
        stop: &Interrupt,
    ) -> Result<Sides, CircleError> {
        let [first, second] = duelists;
        let contenders = [first.0.contender(kit, first.1, stop)?, second.0.contender(kit, second.1, stop)?];
        let judge = if contenders[judging].is_foreign() { Some(Setup::default().player(kit)?) } else { None };
        Ok(Sides { contenders, judge, judging })
    }

    /// The player that judges openings; an engine always has one beside it.
    pub(crate) fn judge(&mut self) -> Option<&mut (dyn Player + 'static)> {
        match &mut self.judge {
            Some(judge) => Some(judge.as_mut()),
            None => self.contenders[self.judging].player(),
        }
    }
}

/// The value of an option: a file by its content, so that what was learned again is another one; other words as they are.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn by_content(value: &str) -> Result<String, RequestError> {
    if Path::new(value).is_file() { Ok(named_by_content(Path::new(value))?) } else { Ok(value.to_string()) }
}

/// An engine in a line, by the content of its program and of files among its arguments and options: what was built again is another
/// engine. Its limits and its name are not part of it.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn engine_identity(engine: &EngineRequest) -> Result<String, RequestError> {
    let program = match &engine.command {
        Some(command) => match find_program(command).unwrap_or_else(|| command.into()) {
            found if found.is_file() => named_by_content(&found)?,
            _ => command.clone(),
        },
        None => "of this program".to_string(),
    };
    let mut words = format!("engine {program}");
    let mut add = |name: String, value: &str| -> Result<(), RequestError> {
        words += &format!(" {name}{}", by_content(value)?);
        Ok(())
    };
    engine.args.iter().try_for_each(|arg| add(String::new(), arg))?;
    if let Some(weights) = &engine.weights {
        add("weights=".into(), &weights.display().to_string())?;
    }
    engine.options.iter().try_for_each(|(name, value)| add(format!("{name}="), value))?;
    engine.env.iter().try_for_each(|(name, value)| add(format!("{name}="), value))?;
    // A record's origin is one line.
    Ok(words.split_whitespace().collect::<Vec<_>>().join(" "))
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
        // One that broke gets no more commands.
        process.is_broken = fault.is_some_and(|fault| fault.kind.breaks());
        if process.is_broken || process.engine.is_spent() {
            **process = Process::start(&process.spec, stop)?;
        }
        Ok(())
    }
}

/// An engine that is told to quit when it is not needed any more, unless it broke: then it is killed.
pub(crate) struct Process {
    spec: EngineSpec,
    engine: Engine,
    is_broken: bool,
}

impl Process {
    fn start(spec: &EngineSpec, stop: &Interrupt) -> Result<Process, CircleError> {
        let engine = Engine::open(spec, stop).map_err(|fault| CircleError::engine(spec, &fault))?;
        Ok(Process { spec: spec.clone(), engine, is_broken: false })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.is_broken {
            self.engine.quit();
        }
    }
}
