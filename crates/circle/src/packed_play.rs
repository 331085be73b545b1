//! What games of this program's players are made of, as JSON for another machine: duelists, openings and conditions.

use crate::{CircleError, Duelist, Openings, Setup, Shuffled, start_positions};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tesuji_arena::{
    Adjudication, Allowance, Conditions, Dialect, DrawRule, EngineRequest, EngineSpec, Opening, ResignRule,
    TimeControl, in_json, map_engine_files,
};
use tesuji_jobs::{LocalFiles, PackedRequest, units::FileStore};
use tesuji_kit::Kit;

/// The games of a run, but for who plays them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackedPlay {
    pub(crate) game: String,
    rules: String,
    allowances: [PackedAllowance; 2],
    #[serde(with = "in_json::text")]
    resign: Option<ResignRule>,
    #[serde(with = "in_json::text")]
    draw: Option<DrawRule>,
    plies_max: Option<u32>,
    book: Vec<(Option<String>, String)>,
    starts: Option<String>,
    shuffled_share: Option<f64>,
    plies: u32,
    limit_cp: i32,
    nodes: u64,
    seed: u64,
    /// Who plays both sides, where it is the same in all units.
    pub(crate) player: Option<PackedDuelist>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PackedAllowance {
    #[serde(with = "in_json::text")]
    control: Option<TimeControl>,
    move_ns: Option<u64>,
    nodes: Option<u64>,
    soft_nodes: Option<u64>,
    depth: Option<u32>,
    margin_ns: u64,
    patience_ns: Option<u64>,
}

/// A player as a worker makes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PackedDuelist {
    Player {
        family: String,
        options: Vec<(String, String)>,
    },
    Engine {
        /// What is started, with the files that it is given; without a command the worker's own program.
        engine: Box<EngineRequest>,
        dialect: Option<String>,
        start_ns: u64,
        quit_ns: u64,
        ponder: bool,
        restart: bool,
    },
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

impl PackedAllowance {
    fn new(allowance: &Allowance) -> PackedAllowance {
        let Allowance { control, move_time, nodes, soft_nodes, depth, margin, patience } = allowance.clone();
        let [move_ns, patience_ns] = [move_time, patience].map(|time| time.map(nanoseconds));
        PackedAllowance { control, move_ns, nodes, soft_nodes, depth, margin_ns: nanoseconds(margin), patience_ns }
    }

    fn unpack(&self) -> Allowance {
        let PackedAllowance { control, move_ns, nodes, soft_nodes, depth, margin_ns, patience_ns } = self.clone();
        let [move_time, patience] = [move_ns, patience_ns].map(|time| time.map(Duration::from_nanos));
        Allowance { control, move_time, nodes, soft_nodes, depth, margin: Duration::from_nanos(margin_ns), patience }
    }
}

impl PackedPlay {
    /// Packs games with all files that they need, kept in `store`. `run` tells the run from others with equal games.
    ///
    /// # Errors
    /// Files that cannot be kept, and engines that need this machine.
    pub(crate) fn pack(
        kit: &dyn Kit,
        (conditions, openings): (&Conditions, &Openings),
        (player, others): (Option<&Duelist>, &[Duelist]),
        store: &dyn FileStore,
        run: String,
    ) -> Result<PackedRequest<PackedPlay>, CircleError> {
        let Conditions { rules, allowances, adjudication: Adjudication { resign, draw, plies_max } } = conditions;
        let starts = openings.starts.as_ref().map(|stock| stock.path().display().to_string());
        let book = openings.book.iter().map(|opening| (opening.start.clone(), opening.moves.join(" "))).collect();
        let play = PackedPlay {
            game: kit.name().to_string(),
            rules: rules.clone(),
            allowances: allowances.each_ref().map(PackedAllowance::new),
            resign: *resign,
            draw: *draw,
            plies_max: *plies_max,
            book,
            starts: starts.clone(),
            shuffled_share: openings.shuffled.map(|shuffled| shuffled.share),
            plies: openings.plies,
            limit_cp: openings.limit_cp,
            nodes: openings.nodes,
            seed: openings.seed,
            player: player.map(PackedDuelist::new).transpose()?,
        };
        let mut packed = PackedRequest::new(run, play);
        starts.iter().try_for_each(|path| packed.keep(store, path)).map_err(CircleError::fleet)?;
        for duelist in player.into_iter().chain(others) {
            PackedDuelist::new(duelist)?.keep(&mut packed, store).map_err(CircleError::fleet)?;
        }
        if allowances.iter().any(Allowance::is_timed) {
            packed.note_speed(tesuji_jobs::speed());
        }
        Ok(packed)
    }

    /// Conditions and openings at a worker.
    ///
    /// # Errors
    /// Files that cannot be had, and a game that has no such start positions.
    pub(crate) fn unpack(
        packed: &PackedRequest<PackedPlay>,
        kit: &dyn Kit,
        files: &LocalFiles,
    ) -> Result<(Conditions, Openings), CircleError> {
        let play = &packed.request;
        let factor = if packed.speed.is_some() { packed.clock_factor(tesuji_jobs::speed()) } else { 1.0 };
        let allowances = play.allowances.each_ref().map(|allowance| match packed.speed {
            Some(_) => allowance.unpack().scaled(factor),
            None => allowance.unpack(),
        });
        let adjudication = Adjudication { resign: play.resign, draw: play.draw, plies_max: play.plies_max };
        let conditions = Conditions { rules: play.rules.clone(), allowances, adjudication };
        let starts = match &play.starts {
            Some(name) => {
                let path = files.find(name).unwrap_or(Path::new(name));
                Some(start_positions(kit, path).map_err(CircleError::fleet)?)
            }
            None => None,
        };
        let shuffled = match play.shuffled_share {
            Some(share) => {
                let none = || CircleError::Fleet(format!("{} has no shuffled start positions", kit.name()));
                Some(Shuffled { starts: kit.shuffled_starts().ok_or_else(none)?, share })
            }
            None => None,
        };
        let opening = |(start, moves): &(Option<String>, String)| Opening {
            start: start.clone(),
            moves: moves.split_ascii_whitespace().map(str::to_string).collect(),
        };
        // In the order in which the book was arranged already.
        let book = play.book.iter().map(opening).collect();
        let PackedPlay { plies, limit_cp, nodes, seed, .. } = *play;
        Ok((conditions, Openings { book, starts, shuffled, plies, limit_cp, nodes, seed }))
    }
}

impl PackedDuelist {
    /// # Errors
    /// When an engine runs in a folder of this machine.
    pub(crate) fn new(duelist: &Duelist) -> Result<PackedDuelist, CircleError> {
        let spec = match duelist {
            Duelist::Player(Setup { family, options }) => {
                return Ok(PackedDuelist::Player { family: family.clone(), options: options.clone() });
            }
            Duelist::Engine(spec) => spec,
        };
        if let Some(dir) = &spec.dir {
            let words = "engines of a fleet run elsewhere, with the files that they are given; leave dir= out";
            return Err(CircleError::Fleet(format!("dir={}: {words}", dir.display())));
        }
        let here = std::env::current_exe().and_then(|path| path.canonicalize());
        let is_own = matches!((here, spec.command.canonicalize()), (Ok(here), Ok(command)) if here == command);
        let engine = EngineRequest {
            command: (!is_own).then(|| spec.command.display().to_string()),
            args: spec.args.clone(),
            name: spec.name.clone(),
            options: spec.options.clone(),
            env: spec.env.clone(),
            affinity: spec.affinity.clone(),
            ..EngineRequest::default()
        };
        Ok(PackedDuelist::Engine {
            engine: Box::new(engine),
            dialect: spec.dialect.map(|dialect| dialect.to_string()),
            start_ns: nanoseconds(spec.start_patience),
            quit_ns: nanoseconds(spec.quit_patience),
            ponder: spec.ponder,
            restart: spec.restart,
        })
    }

    /// Whether it makes the same of the same nodes each time, on any machine; `None`: that is not known ([`EngineRequest::repeats`]). `usual`: the
    /// search family where none is named.
    pub(crate) fn repeats(&self, usual: &str) -> Option<bool> {
        match self {
            PackedDuelist::Player { family, options } => {
                let engine = EngineRequest { options: options.clone(), ..EngineRequest::default() };
                engine.repeats(None, if family.is_empty() { usual } else { family })
            }
            PackedDuelist::Engine { engine, ponder, .. } => {
                EngineRequest { ponder: Some(*ponder), ..(**engine).clone() }.repeats(None, usual)
            }
        }
    }

    /// Keeps its files for workers.
    pub(crate) fn keep<T>(self, packed: &mut PackedRequest<T>, store: &dyn FileStore) -> io::Result<()> {
        match self {
            PackedDuelist::Player { options, .. } => {
                options.iter().try_for_each(|(_, value)| packed.keep(store, value))
            }
            PackedDuelist::Engine { mut engine, .. } => map_engine_files(&mut engine, &mut |name, is_program| {
                if is_program {
                    packed.keep_program(store, name)?
                } else {
                    packed.keep(store, name)?
                }
                Ok(None)
            }),
        }
    }

    /// The duelist at a worker.
    ///
    /// # Errors
    /// Files that cannot be had.
    pub(crate) fn unpack(self, files: &LocalFiles) -> Result<Duelist, CircleError> {
        match self {
            PackedDuelist::Player { family, mut options } => {
                for (_, value) in &mut options {
                    if let Some(path) = files.word(value, false).map_err(CircleError::fleet)? {
                        *value = path;
                    }
                }
                Ok(Duelist::Player(Setup { family, options }))
            }
            PackedDuelist::Engine { mut engine, dialect, start_ns, quit_ns, ponder, restart } => {
                map_engine_files(&mut engine, &mut |name, is_program| files.word(name, is_program))
                    .map_err(CircleError::fleet)?;
                let command = match &engine.command {
                    Some(command) => PathBuf::from(command),
                    None => std::env::current_exe().map_err(CircleError::fleet)?,
                };
                let dialect = dialect.map(|name| name.parse::<Dialect>().map_err(CircleError::fleet)).transpose()?;
                Ok(Duelist::Engine(Box::new(EngineSpec {
                    args: engine.args,
                    name: engine.name,
                    options: engine.options,
                    env: engine.env,
                    affinity: engine.affinity,
                    dialect,
                    start_patience: Duration::from_nanos(start_ns),
                    quit_patience: Duration::from_nanos(quit_ns),
                    ponder,
                    restart,
                    ..EngineSpec::new(command)
                })))
            }
        }
    }
}
