//! Networks in `improve`: batched self-play in each thread, and training that continues with the net that played.

use super::{
    Changes, EpochLoss, ImproveRequest, ImproveSettings, LearnedRound, Learner, Lesson, LessonNews, Study,
    UsualSettings, begin::at,
};
use crate::{
    BatchedPlan, BatchedPlayed, CircleError, Duelist, Played, SelfplayPlan, Setup, conditions, selfplay_batched,
};
use std::{fs, path::Path, path::PathBuf, time::Instant};
use tesuji_arena::{Adjudication, Conditions};
use tesuji_cuda::ComputeDevice;
use tesuji_jobs::{Interrupt, Show};
use tesuji_kit::{
    Kit, RequestError, WrittenNets,
    networks::{BatchedGames, BatchedNets, NetShape, Networks, TrainRequest, TrainRun},
    open_records,
};
use tesuji_nn::{Architecture, NetParameters, Weights};
use tesuji_options::Options;
use tesuji_search::mcts::{BatchedRules, LeafMateParameters, Parameters};
use tesuji_train::log::{LogEntry, What};

/// Playouts a move where no number is asked for.
const NODES: u64 = 100;
/// The bounds of the test of each round's match, in normalised Elo.
const SPRT: [f64; 2] = [0.0, 60.0];
/// Random plies that games begin with; temperature does the rest.
const RANDOM_PLIES: u32 = 2;
/// The shape of nets where none is asked for.
const SHAPE: &str = "4x32";
/// Share of the result in the value that is learned: nets at their beginning have nothing to say about it.
const RESULT_SHARE: f64 = 0.8;
/// The start from random numbers.
const NEW: &str = "new";

/// Games at once in each thread, on the processor and on a card.
const BATCH: usize = 32;
const CARD_BATCH: usize = 256;
/// Plies of a game in which moves are drawn by their visits.
const TEMPERATURE_PLIES: usize = 20;
/// Memory of a tree, and what each of its playouts may take, in bytes; MiB of a player's tree.
const TREE: (usize, u64) = (2 << 20, 8 << 10);
const HASH_MIB: u32 = 16;
/// An expected result below which a game is given up, and the share of games in which nobody may.
const RESIGN: (f32, f64) = (-0.95, 0.1);

/// The number of times that a position of the newest games is learned from.
const TIMES: u64 = 6;
/// Positions of a step, the largest rate, and steps until the rate is reached.
const STEP: u64 = 128;
const RATE: f32 = 0.03;
const WARM_UP: u64 = 20;
/// The decay of the moving average of the weights at each step.
const AVERAGE: f32 = 0.98;
/// Share of the games that judge, how many are expected at least (a hash draws them: of four expected, none comes in one case of
/// 55, of twelve in one of 160,000), and positions of a validation.
const HELD_OUT: f64 = 0.1;
const JUDGES: f64 = 12.0;
const VALIDATION: usize = 2048;
/// Validations of a lesson.
const VALIDATIONS: u64 = 4;

/// Options of networks, of the searches at leaves and of the tree search.
struct NetOptions {
    nets: NetParameters,
    mates: LeafMateParameters,
    search: Parameters,
}

/// Games and positions of a lesson.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    games: u64,
    /// Plies at which somebody searched.
    positions: usize,
}

/// A game whose networks learn.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::NetLearner;
/// // Connect Four has no networks.
/// assert!(NetLearner::new(&tesuji_four::FOUR, Default::default(), "example 1.0".into()).is_none());
/// ```
pub struct NetLearner {
    kit: &'static dyn Kit,
    networks: &'static dyn Networks,
    device: ComputeDevice,
    made_by: String,
}

impl NetLearner {
    /// The networks of a game, on `device`; `made_by` is the program with its version. `None`: the game has no networks.
    pub fn new(kit: &'static dyn Kit, device: ComputeDevice, made_by: String) -> Option<NetLearner> {
        kit.networks().map(|networks| NetLearner { kit, networks, device, made_by })
    }

    fn architecture(&self, shape: &str, rules: &str) -> Result<Architecture, RequestError> {
        let lines = Some(self.networks.lines(rules)?);
        self.networks.architecture(&NetShape { tower: shape, features: None, lines })
    }

    /// The options that are asked for in self-play.
    ///
    /// # Errors
    /// When an option is none of theirs, or has no such value.
    fn net_options(&self, rules: &str, options: &[(String, String)]) -> Result<NetOptions, RequestError> {
        let batched = self.networks.batched(rules)?;
        let mut nets = NetParameters { batch_max: self.batch(), ..NetParameters::default() };
        let mut mates = LeafMateParameters { plies: batched.leaf_mate_plies(), ..LeafMateParameters::default() };
        let mut search = batched.parameters(&[]);
        for (name, value) in options {
            let all: [&mut dyn Options; 3] = [&mut nets, &mut mates, &mut search];
            let Some(options) = all.into_iter().find(|options| options.get(name).is_some()) else {
                let reason = "neither nets nor their search have such an option";
                return Err(RequestError::value("options", name, reason));
            };
            options.set(name, value).map_err(RequestError::failed)?;
        }
        Ok(NetOptions { nets, mates, search })
    }

    /// Games at once in each thread.
    fn batch(&self) -> usize {
        match self.device {
            ComputeDevice::Processor => BATCH,
            ComputeDevice::Card(_) => CARD_BATCH,
        }
    }

    /// The net of a file.
    fn net(&self, path: &Path) -> Result<Weights, RequestError> {
        let name = path.display().to_string();
        let bytes = self.networks.net_file(&name).map_err(RequestError::failed)?;
        Weights::read(&bytes).map_err(|error| at(&name, error))
    }

    /// The settings of the batched games.
    fn batched_rules(&self, batched: &dyn BatchedGames, visits: u64, search: Parameters) -> BatchedRules {
        BatchedRules {
            visits,
            parameters: Parameters { noise: 0.25, noise_alpha: batched.noise_alpha(), ..search },
            temperature_plies: TEMPERATURE_PLIES,
            resign_below: RESIGN.0,
            audit: RESIGN.1,
            plies_max: batched.plies_max(),
            tree_bytes: TREE.0 + (TREE.1 * visits) as usize,
            ..BatchedRules::default()
        }
    }

    fn play_batches(
        &self,
        plan: &SelfplayPlan,
        path: &Path,
        stop: &Interrupt,
        tell: &mut dyn FnMut(&Played),
    ) -> Result<Played, RequestError> {
        let rules = &plan.conditions.rules;
        let own = ["Hash", "NetFile"];
        let mut options = match &plan.player {
            Duelist::Player(setup) => setup.options.clone(),
            Duelist::Engine(_) => Vec::new(),
        };
        let net = options.iter().find(|(name, _)| name == "NetFile").map(|(_, file)| PathBuf::from(file));
        let net = net.unwrap_or_default();
        options.retain(|(name, _)| !own.contains(&&**name));
        let NetOptions { nets, mates, search } = self.net_options(rules, &options)?;
        let batched = self.networks.batched(rules)?;
        let visits = plan.conditions.allowances[0].nodes.unwrap_or(NODES);
        let plan = BatchedPlan {
            games: plan.games,
            rules: rules.clone(),
            openings: plan.openings.clone(),
            batched: self.batched_rules(&*batched, visits, search),
            batch: self.batch(),
            threads: plan.jobs,
            until: plan.until,
            opponents: None,
            origin: plan.origin.clone(),
        };
        let nets = BatchedNets { files: std::slice::from_ref(&net), parameters: &nets, average: false, mates: &mates };
        let oracles = batched.open(&nets)?;
        let mut told = |now: &BatchedPlayed| tell(&now.played);
        let played = selfplay_batched(self.kit, &plan, &*oracles, path, path.exists(), stop, &mut told);
        played.map(|now| now.played).map_err(RequestError::failed)
    }

    /// The training of a lesson that begins with `net` and sees `seen` positions.
    fn training(&self, lesson: &Lesson<'_>, net: &Architecture, games: u64, seen: u64) -> TrainRequest {
        let settings = lesson.settings;
        TrainRequest {
            game: self.kit.name().into(),
            games: lesson.games.iter().map(|(_, path)| path.clone()).collect(),
            out: lesson.into.to_path_buf(),
            from: Some(lesson.best.to_path_buf()),
            net: format!("{}x{}", net.blocks, net.channels),
            features: Some(net.features.clone()),
            size: Some(net.height),
            positions: seen,
            batch: STEP as usize,
            rate: Some(RATE),
            warm_up: WARM_UP,
            average: AVERAGE,
            seed: settings.seed ^ u64::from(lesson.number),
            // Games that judge are found by a hash of their moves: as rounds grow these are fewer of the same.
            held_out: (JUDGES / games.max(1) as f64).clamp(HELD_OUT, 0.5),
            validation: VALIDATION,
            validate_every: seen.div_ceil(VALIDATIONS).max(STEP),
            search_share: (1.0 - settings.result_share) as f32,
            threads: settings.jobs,
            device: self.device,
            ..TrainRequest::default()
        }
    }

    fn teach(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, RequestError> {
        let (began, settings) = (Instant::now(), lesson.settings);
        let best = self.net(lesson.best)?;
        let (mut all, mut newest) = (Counts::default(), 0);
        for (_, path) in &lesson.games {
            let counts = count(lesson.kit, path)?;
            all = Counts { games: all.games + counts.games, positions: all.positions + counts.positions };
            newest = counts.positions;
        }
        if !tell(LessonNews::Read { games: all.games, rows: all.positions, what: "positions" }) {
            return Ok(None);
        }
        let seen = (TIMES * newest as u64).div_ceil(STEP).max(1) * STEP;
        let request = self.training(lesson, &best.architecture, all.games, seen);
        let (command, interrupt) = (command(lesson, all), Interrupt::of_process());
        let mut run = TrainRun {
            made_by: self.made_by.clone(),
            command,
            judges_start: true,
            show: Show::Quiet,
            interrupt: &interrupt,
            news: &mut |_| (),
        };
        let outcome = self.networks.train(&request, &mut run)?;
        if outcome.stopped {
            return Ok(None);
        }
        let losses = losses(&outcome.log);
        let loss = |at: Option<&EpochLoss>| at.and_then(|loss| loss.held).unwrap_or(0.0);
        let (before, after) = (loss(losses.first()), loss(losses.last()));
        // What the run was kept in has done its work.
        let _ = fs::remove_file(request.checkpoint_path());
        WrittenNets::beside(&request.checkpoint_path()).forget();
        tell(LessonNews::Learned { loss: [before, after], note: format!("{seen} positions seen") });
        let learned = LearnedRound {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games: all.games,
            rows: [all.positions, 0],
            k: 0.0,
            pull_rows: 0.0,
            loss_before: before,
            loss_after: after,
            best_epoch: losses.last().map_or(1, |loss| loss.epoch.max(1)),
            result_share: settings.result_share,
            seconds: began.elapsed().as_secs_f64(),
        };
        Ok(Some((learned, losses)))
    }
}

impl Study for NetLearner {
    fn ending(&self) -> &str {
        "safetensors"
    }

    fn setup(&self, weights: &Path, settings: &ImproveSettings) -> Setup {
        let option = |name: &str, value: String| (name.to_string(), value);
        let net = self.device.before(&weights.display().to_string());
        let mut options = vec![option("Hash", HASH_MIB.to_string()), option("NetFile", net)];
        let mate_plies = self.networks.batched(&settings.rules).map_or(0, |batched| batched.leaf_mate_plies());
        if mate_plies > 0 {
            options.push(option("LeafMatePlies", mate_plies.to_string()));
        }
        options.extend(settings.options.iter().cloned());
        Setup { family: self.family().into(), options }
    }

    fn conditions(&self, settings: &ImproveSettings, nodes: u64) -> Conditions {
        let usual = conditions(nodes);
        let plies_max = self.networks.batched(&settings.rules).ok().map(|batched| batched.plies_max() as u32);
        let adjudication = Adjudication { plies_max, ..usual.adjudication };
        Conditions { rules: settings.rules.clone(), adjudication, ..usual }
    }

    fn play(
        &self,
        _: &dyn Kit,
        plan: &SelfplayPlan,
        path: &Path,
        stop: &Interrupt,
        tell: &mut dyn FnMut(&Played),
    ) -> Result<Played, CircleError> {
        let failed =
            |error: RequestError| CircleError::Mismatch { path: path.display().to_string(), reason: error.to_string() };
        self.play_batches(plan, path, stop, tell).map_err(failed)
    }

    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        self.teach(lesson, tell).map_err(|error| CircleError::Learning(error.to_string()))
    }
}

impl Learner for NetLearner {
    fn usual(&self) -> UsualSettings {
        UsualSettings {
            rules: self.networks.learning_rules(),
            nodes: NODES,
            sprt: Some(SPRT),
            random_plies: RANDOM_PLIES,
            result_share: RESULT_SHARE,
        }
    }

    fn family(&self) -> &'static str {
        "mcts"
    }

    fn weights_option(&self) -> &'static str {
        "NetFile"
    }

    fn start_name<'a>(&self, from: &'a str) -> &'a str {
        // No net of a game is the one that it plays with.
        if from == "builtin" { NEW } else { from }
    }

    fn check_options(&self, rules: &str, options: &[(String, String)]) -> Result<(), RequestError> {
        self.net_options(rules, options).map(drop)
    }

    fn start(&self, request: &ImproveRequest, settings: &ImproveSettings) -> Result<Vec<u8>, RequestError> {
        if self.start_name(&request.from) == NEW {
            let shape = request.net.as_deref().unwrap_or(SHAPE);
            let mut weights = Weights::random(self.architecture(shape, &settings.rules)?, settings.seed);
            weights.origin.insert("made by".into(), settings.made_by.clone());
            weights.origin.insert("command".into(), format!("random numbers from seed {}", settings.seed));
            return Ok(weights.write());
        }
        let mut weights = self.net(Path::new(&request.from))?;
        let wanted = self.architecture("1x1", &settings.rules)?;
        let architecture = &mut weights.architecture;
        architecture.expect_board(wanted.height, wanted.width).map_err(|error| at(&request.from, error))?;
        // One that fits boards of all sizes goes on with the one of this run.
        (architecture.height, architecture.width) = (wanted.height, wanted.width);
        Ok(weights.write())
    }

    fn changes(&self, _: &Path, last: &Path) -> Result<Changes, RequestError> {
        Ok(Changes::Net(Box::new(self.net(last)?)))
    }
}

/// The origin that is stored in the net of a lesson.
fn command(lesson: &Lesson<'_>, counts: Counts) -> String {
    let (settings, Counts { games, positions }) = (lesson.settings, counts);
    format!(
        "tesuji improve round {}: {games} games of self-play at {} playouts{}, {positions} positions, seed {}",
        lesson.number,
        settings.nodes,
        if settings.rules.is_empty() { String::new() } else { format!(" under {}", settings.rules) },
        settings.seed
    )
}

/// The losses at the validations of a log, numbered from 0, with those of training before them.
pub(super) fn losses(entries: &[LogEntry]) -> Vec<EpochLoss> {
    let mut losses: Vec<EpochLoss> = Vec::new();
    let mut train = None;
    for entry in entries {
        match entry.what {
            What::Training => train = Some(entry.loss),
            What::Validation => {
                let epoch = losses.len() as u32;
                losses.push(EpochLoss { epoch, train: train.unwrap_or(entry.loss), held: Some(entry.loss) });
            }
        }
    }
    losses
}

/// Counts the games and positions of a file.
fn count(kit: &dyn Kit, path: &Path) -> Result<Counts, RequestError> {
    let mut reader = open_records(kit, path)?;
    let mut counts = Counts::default();
    while let Some(record) = reader.read().map_err(RequestError::failed)? {
        counts.games += 1;
        let searched = |&node: &u32| !record.note(node).visits.is_empty();
        counts.positions += record.main_nodes().iter().filter(|node| searched(node)).count();
    }
    Ok(counts)
}
