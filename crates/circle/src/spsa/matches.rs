//! The matches of a tuning: two sides of one engine, whose options differ, with sides and openings in pairs.

use super::{
    SpsaGames, SpsaRequest, SpsaRun,
    numbers::{Declarations, Declared, NumberKind},
};
use crate::{
    CircleError, Duel, DuelStanding, Duelist, Openings, Setup, WEIGHTS_OPTION,
    duel::{duel, duel_on},
    duel_unit::{DuelParts, DuelUnits},
    improve::full_rules,
};
use std::path::PathBuf;
use tesuji_arena::{Allowance, Conditions, Contestant, Dialect, Engine, EngineRequest, OwnProgram, read_openings};
use tesuji_game::Side;
use tesuji_jobs::{Interrupt, find_program, named_by_content, threads};
use tesuji_kit::{Kit, RequestError};
use tesuji_options::{Kind, Spec};
use tesuji_protocol::{Offer, OfferKind};
use tesuji_tune::Parameter;

/// What plays both sides before any option is changed.
enum Base {
    /// A player of this process.
    Player(Setup),
    /// An engine as a process, with its protocol where it is this program, and what this program is.
    Engine(Box<EngineRequest>, Dialect, OwnProgram),
}

/// Who plays the games of a tuning.
pub(super) enum Players<'a> {
    /// Threads of this process, as many as each match says.
    Threads,
    /// Workers elsewhere; each pair of games of the tuning has a number of its own.
    Workers(DuelUnits<'a>),
}

/// The unit of the first pair of the match of an iteration.
fn first_unit(plan: &Duel, iteration: u32) -> u64 {
    plan.pairs.saturating_mul(iteration.into())
}

impl<'a> Players<'a> {
    /// Begins the run of workers before its first match, where workers are to play: that of `iteration`.
    pub(super) fn begin(
        &mut self,
        matches: &Matches<'a>,
        (plan, iteration): (&Duel, u32),
        run: &SpsaRun<'a>,
    ) -> Result<(), RequestError> {
        let (Players::Threads, Some(fleet)) = (&*self, run.fleet) else { return Ok(()) };
        // The run is the same wherever it goes on: the openings of an iteration come with its units.
        let parts = DuelParts { openings: &matches.openings, ..plan.parts() };
        let mut units = DuelUnits::begin(fleet, matches.kit, &parts).map_err(RequestError::failed)?;
        if let Some(last) = iteration.checked_sub(1) {
            // A run that was killed may not have said so.
            units.commit(first_unit(plan, last)..first_unit(plan, iteration)).map_err(RequestError::failed)?;
        }
        *self = Players::Workers(units);
        Ok(())
    }

    /// Says that the result of the match of `iteration` is in the journal.
    pub(super) fn commit(&mut self, plan: &Duel, iteration: u32) -> Result<(), RequestError> {
        let Players::Workers(units) = self else { return Ok(()) };
        let first = first_unit(plan, iteration);
        units.commit(first..first + plan.pairs).map_err(RequestError::failed)
    }

    /// Says that no more games are wanted.
    pub(super) fn finish(self) {
        if let Players::Workers(units) = self {
            units.finish();
        }
    }
}

/// The matches of a tuning.
pub(super) struct Matches<'a> {
    kit: &'a dyn Kit,
    base: Base,
    /// The limits of both sides as they are asked for.
    pub(super) allowance: Allowance,
    conditions: Conditions,
    openings: Openings,
    jobs: usize,
}

/// Values of all tuned options, for the challenger and the defender.
pub(super) type Values = [Vec<f64>; 2];

impl<'a> Matches<'a> {
    /// # Errors
    /// When rules, options, openings or weights cannot be meant or read.
    pub(super) fn new(
        kit: &'a dyn Kit,
        games: &SpsaGames,
        request: &SpsaRequest,
        run: &SpsaRun<'_>,
    ) -> Result<Matches<'a>, RequestError> {
        let rules = full_rules(kit, request.rules.as_deref().unwrap_or(games.rules))?;
        let allowance = request.allowance(games.nodes);
        let nodes = allowance.nodes.unwrap_or(games.nodes);
        let usual = (games.conditions)(&rules, nodes);
        let (base, allowance) = match &request.engine {
            None => (Base::Player(own_setup(kit, games, request)?), allowance),
            Some(engine) => {
                let allowance = engine.allowance(&allowance, Dialect::of(kit));
                let mut engine = engine.clone();
                engine.options.extend(request.options.iter().cloned());
                (Base::Engine(Box::new(engine), Dialect::of(kit), run.own.clone()), allowance)
            }
        };
        let conditions = Conditions { allowances: Side::ALL.map(|side| allowance.of(side)), ..usual };
        let openings = (games.openings)(nodes, request.seed);
        let openings = match &request.openings {
            Some(path) => Openings { plies: 0, ..openings }.with_book(read_openings(kit, path, &rules, None)?),
            None => openings,
        };
        Ok(Matches { kit, base, allowance, conditions, openings, jobs: threads(request.jobs) })
    }

    /// The options that both sides have.
    ///
    /// # Errors
    /// When the engine does not start.
    pub(super) fn declarations(&self, stop: &Interrupt) -> Result<Declarations, RequestError> {
        match &self.base {
            Base::Player(setup) => {
                let mut player = setup.player(self.kit).map_err(RequestError::failed)?;
                Ok(Declarations::Known(player.options().specs().iter().map(own_option).collect()))
            }
            Base::Engine(request, dialect, own) => {
                let spec = request.spec(&request.usual_name(), *dialect, own)?;
                let mut engine = Engine::open(&spec, stop)
                    .map_err(|fault| RequestError::failed(CircleError::engine(&spec, &fault)))?;
                let offers: Vec<Declared> = engine.offers().iter().map(offered).collect();
                engine.quit();
                Ok(if offers.is_empty() { Declarations::Untold } else { Declarations::Known(offers) })
            }
        }
    }

    /// A match of `pairs` pairs between sides with these `values`; other openings for each `seed`.
    pub(super) fn plan(
        &self,
        parameters: &[Parameter],
        values: Values,
        pairs: u64,
        seed: u64,
    ) -> Result<Duel, RequestError> {
        let set = |values: Vec<f64>| -> Vec<(String, String)> {
            let settings = parameters.iter().zip(values);
            settings.map(|(parameter, value)| (parameter.name.clone(), parameter.text(value))).collect()
        };
        let [challenger, defender] = values.map(set);
        Ok(Duel {
            duelists: [self.duelist("challenger", challenger)?, self.duelist("defender", defender)?],
            // Other openings in each match, or all matches would judge by the same few.
            openings: Openings { seed: self.openings.seed.wrapping_add(seed), ..self.openings.clone() },
            conditions: self.conditions.clone(),
            pairs,
            jobs: self.jobs,
            until: None,
            fleet: None,
        })
    }

    /// A side with these settings.
    fn duelist(&self, name: &str, settings: Vec<(String, String)>) -> Result<Duelist, RequestError> {
        match &self.base {
            Base::Player(setup) => {
                let mut setup = setup.clone();
                setup.options.extend(settings);
                Ok(Duelist::Player(setup))
            }
            Base::Engine(request, dialect, own) => {
                let mut request = request.clone();
                request.options.extend(settings);
                Ok(Duelist::Engine(Box::new(request.spec(name, *dialect, own)?)))
            }
        }
    }

    /// The standing of the match `plan`; `None` when it was stopped: such a match counts nothing, and is played again.
    pub(super) fn play(
        &self,
        plan: &Duel,
        players: &mut Players<'_>,
        iteration: u32,
        stop: &Interrupt,
    ) -> Result<Option<DuelStanding>, RequestError> {
        let mut tell = |_: &DuelStanding, _: [u64; 2], _: &_| Ok(true);
        let played = match players {
            Players::Threads => duel(self.kit, plan, &[], stop, &mut tell),
            // Committed with the line of the journal that has their result.
            Players::Workers(units) => duel_on(units, plan, (first_unit(plan, iteration), &[]), false, stop, &mut tell),
        };
        let standing = match played {
            // An engine that was about to start breaks off, too.
            Err(_) if stop.is_raised() => return Ok(None),
            standing => standing.map_err(RequestError::failed)?,
        };
        Ok((standing.games() == 2 * plan.pairs).then_some(standing))
    }

    /// The game.
    pub(super) fn kit(&self) -> &'a dyn Kit {
        self.kit
    }

    /// All settings that decide the result, as the first line of the journal has them.
    ///
    /// # Errors
    /// When a file that decides it cannot be read.
    pub(super) fn head(&self, request: &SpsaRequest, parameters: &[Parameter]) -> Result<String, RequestError> {
        let SpsaRequest { game, iterations, pairs, rate, seed, openings, .. } = request;
        let allowance = &self.allowance;
        let base = match &self.base {
            // Older journals, without these words, are of the hand-made evaluation of chess.
            Base::Player(setup) => format!("{setup:?}, evaluation built in"),
            Base::Engine(engine, ..) => engine_words(engine)?,
        };
        let mut head = format!(
            "tesuji spsa {game}: {iterations} iterations of {pairs} pairs, {} nodes, rate {rate}, seed {seed}, rules {:?}, \
             {base}, {parameters:?}",
            allowance.nodes.unwrap_or(0),
            self.conditions.rules
        );
        if let Some(control) = &allowance.control {
            head += &format!(", clock {control}");
        }
        if let Some(time) = allowance.move_time {
            head += &format!(", {} s a move", time.as_secs_f64());
        }
        if let Some(depth) = allowance.depth {
            head += &format!(", {depth} plies a move");
        }
        if let Some(path) = &request.weights {
            head += &format!(", weights {}", named_by_content(path)?);
        }
        if let Some(path) = openings {
            head += &format!(", openings {}", named_by_content(path)?);
        }
        Ok(head)
    }
}

/// An engine in a line, by the content of its program and of files among its arguments and options: what was built again is another engine.
fn engine_words(engine: &EngineRequest) -> Result<String, RequestError> {
    let mut words = format!("engine {}", serde_json::to_string(engine)?);
    let program = engine.command.as_ref().map(|command| find_program(command).unwrap_or_else(|| command.into()));
    let values = engine.options.iter().map(|(_, value)| value);
    let files = program.into_iter().chain(engine.args.iter().chain(values).map(PathBuf::from));
    for file in files.filter(|file| file.is_file()) {
        words += &format!(" {}", named_by_content(&file)?);
    }
    Ok(words)
}

/// The player of this process as it is asked for. Options that it does not take are told before the journal is begun.
fn own_setup(kit: &dyn Kit, games: &SpsaGames, request: &SpsaRequest) -> Result<Setup, RequestError> {
    let mut setup = Setup { family: request.search.clone(), ..Setup::default() };
    setup.options.extend(games.options.iter().cloned());
    if let Some(path) = &request.weights {
        setup.options.push((WEIGHTS_OPTION.into(), path.display().to_string()));
    }
    setup.options.extend(request.options.iter().cloned());
    setup.player(kit).map_err(RequestError::failed)?;
    Ok(setup)
}

/// An option of a player of this process.
fn own_option(spec: &Spec) -> Declared {
    let number = match spec.kind {
        Kind::Int { default, min, max } => {
            Some(NumberKind { default: default as f64, bounds: [min as f64, max as f64], is_whole: true })
        }
        Kind::Float { default, min, max } => Some(NumberKind { default, bounds: [min, max], is_whole: false }),
        _ => None,
    };
    Declared { name: spec.name.to_string(), number, is_text: false }
}

/// An option that an engine offers.
fn offered(offer: &Offer) -> Declared {
    let number = match offer.kind {
        OfferKind::Spin { default, min, max } => {
            Some(NumberKind { default: default as f64, bounds: [min as f64, max as f64], is_whole: true })
        }
        _ => None,
    };
    // Engines that tune fractions take them as texts.
    let is_text = matches!(offer.kind, OfferKind::Text { .. });
    Declared { name: offer.name.clone(), number, is_text }
}
