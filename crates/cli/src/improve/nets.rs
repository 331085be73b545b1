//! How networks learn in `improve`: a herd of games in each thread, training that goes on with the net that played them.

use crate::{games, selfplay_net::herd_of, train};
use anyhow::{Context, bail};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};
use tesuji_arena::{Adjudication, Conditions};
use tesuji_circle::{
    CircleError, HerdPlan, HerdPlayed, Plan, Played, Setup, conditions,
    improve::{EpochLoss, Learned, Lesson, LessonNews, Settings, Study},
    selfplay_herd,
};
use tesuji_cuda::Place;
use tesuji_jobs::{AtomicFile, Interrupt};
use tesuji_kit::{
    Kit,
    networks::{Herd, HerdNets, NetShape, TrainRequest},
    open_records,
};
use tesuji_nn::{Architecture, NetKnobs, Weights};
use tesuji_options::Options;
use tesuji_search::mcts::{HerdRules, Knobs, LeafMateKnobs};
use tesuji_train::log::{Entry, What};

/// The rules of go where none are asked for.
pub(super) const RULES: &str = "9x9 chinese komi 7";
/// Playouts a move where no number is asked for.
pub(super) const NODES: u64 = 100;
/// The bounds of the test of each round's match, in normalised Elo.
pub(super) const SPRT: [f64; 2] = [0.0, 60.0];
/// Random plies that games begin with; temperature does the rest.
pub(super) const RANDOM_PLIES: u32 = 2;
/// The shape of nets where none is asked for.
pub(super) const SHAPE: &str = "4x32";
/// Share of the result in the value that is learned: nets at their beginning have nothing to say about it.
pub(super) const RESULT_SHARE: f64 = 0.8;

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

/// How often a position of the newest games is learned from.
const TIMES: u64 = 6;
/// Positions of a step, the largest rate, and steps until the rate is reached.
const STEP: u64 = 128;
const RATE: f32 = 0.03;
const WARM_UP: u64 = 20;
/// What the average of the weights keeps at each step.
const AVERAGE: f32 = 0.98;
/// Share of the games that judge, how many are expected at least (a hash draws them: of four expected, none comes in one case of
/// 55, of twelve in one of 160,000), and positions of a validation.
const HELD_OUT: f64 = 0.1;
const JUDGES: f64 = 12.0;
const VALIDATION: usize = 2048;
/// Validations of a lesson.
const VALIDATIONS: u64 = 4;

/// How nets answer, what is looked at before they are asked, and how trees grow.
type AllKnobs = (NetKnobs, LeafMateKnobs, Knobs);

/// Go or shogi learns a net.
#[derive(Clone, Copy)]
pub(super) struct NetStudy {
    pub(super) game: &'static str,
    /// Where nets play and learn.
    pub(super) device: Place,
}

impl NetStudy {
    /// Writes the net that `from` means as the start of a run in `folder`: `new`, of shape `shape`, or a file.
    pub(super) fn start(&self, from: &str, shape: &str, settings: &Settings, folder: &Path) -> anyhow::Result<()> {
        let weights = match from {
            "new" | "builtin" => {
                let mut weights = Weights::random(self.architecture(shape, &settings.rules)?, settings.seed);
                weights.origin.insert("made by".into(), settings.made_by.clone());
                weights.origin.insert("command".into(), format!("random numbers from seed {}", settings.seed));
                weights
            }
            path => {
                let mut weights = net(Path::new(path))?;
                let wanted = self.architecture("1x1", &settings.rules)?;
                weights.architecture.expect_board(wanted.height, wanted.width).with_context(|| path.to_string())?;
                // One that fits boards of all sizes goes on with the one of this run.
                (weights.architecture.height, weights.architecture.width) = (wanted.height, wanted.width);
                weights
            }
        };
        super::make(folder)?;
        let path = folder.join("start.safetensors");
        AtomicFile::write(&path, &weights.write()).with_context(|| path.display().to_string())?;
        // A net of another game is told now, and not when games begin.
        setup(self.device, &path).player(games::kit(self.game)?).map(drop).with_context(|| from.to_string())
    }

    fn architecture(&self, shape: &str, rules: &str) -> anyhow::Result<Architecture> {
        let Some(networks) = games::kit(self.game)?.networks() else { bail!("{} has no networks", self.game) };
        let lines = Some(networks.lines(rules)?);
        Ok(networks.architecture(&NetShape { tower: shape, features: None, lines })?)
    }

    /// The knobs that `options` ask for in self-play.
    ///
    /// # Errors
    /// When an option is none of theirs, or has no such value.
    pub(super) fn knobs(&self, rules: &str, options: &[(String, String)]) -> anyhow::Result<AllKnobs> {
        let mut nets = NetKnobs { batch_max: self.batch(), ..NetKnobs::default() };
        let herded = self.herd(rules)?;
        let mut mates = LeafMateKnobs { plies: herded.leaf_mate_plies(), ..LeafMateKnobs::default() };
        let mut knobs = herded.knobs(&[]);
        for (name, value) in options {
            let all: [&mut dyn Options; 3] = [&mut nets, &mut mates, &mut knobs];
            let Some(options) = all.into_iter().find(|options| options.get(name).is_some()) else {
                bail!("--set {name}: neither nets nor their search have such an option")
            };
            options.set(name, value)?;
        }
        Ok((nets, mates, knobs))
    }

    /// How nets play by the batch.
    fn herd(&self, rules: &str) -> anyhow::Result<Box<dyn Herd>> {
        herd_of(games::kit(self.game)?, rules)
    }

    /// Games at once in each thread.
    fn batch(&self) -> usize {
        match self.device {
            Place::Processor => BATCH,
            Place::Card(_) => CARD_BATCH,
        }
    }

    /// The training of a lesson that begins with `net`, on `positions` out of so many games.
    fn training(&self, lesson: &Lesson<'_>, net: &Architecture, (games, positions): (u64, u64)) -> TrainRequest {
        let settings = lesson.settings;
        TrainRequest {
            game: self.game.into(),
            games: lesson.games.iter().map(|(_, path)| path.clone()).collect(),
            out: lesson.into.to_path_buf(),
            from: Some(lesson.best.to_path_buf()),
            net: format!("{}x{}", net.blocks, net.channels),
            features: Some(net.features.clone()),
            size: Some(net.height),
            positions,
            batch: STEP as usize,
            rate: Some(RATE),
            warm_up: WARM_UP,
            average: AVERAGE,
            seed: settings.seed ^ u64::from(lesson.number),
            // Games that judge are found by a hash of their moves: as rounds grow these are fewer of the same.
            held_out: (JUDGES / games.max(1) as f64).clamp(HELD_OUT, 0.5),
            validation: VALIDATION,
            validate_every: positions.div_ceil(VALIDATIONS).max(STEP),
            search_share: (1.0 - settings.result_share) as f32,
            threads: settings.jobs,
            device: self.device,
            ..TrainRequest::default()
        }
    }
}

/// Whoever plays with a net.
fn setup(device: Place, net: &Path) -> Setup {
    let option = |name: &str, value: String| (name.to_string(), value);
    Setup {
        family: "mcts".into(),
        options: vec![
            option("Hash", HASH_MIB.to_string()),
            option("NetFile", device.before(&net.display().to_string())),
        ],
    }
}

fn failed(path: &Path, error: anyhow::Error) -> CircleError {
    CircleError::Mismatch { path: path.display().to_string(), reason: format!("{error:#}") }
}

impl Study for NetStudy {
    fn ending(&self) -> &str {
        "safetensors"
    }

    fn setup(&self, weights: &Path, settings: &Settings) -> Setup {
        let mut setup = setup(self.device, weights);
        let mate_plies = self.herd(&settings.rules).map_or(0, |herded| herded.leaf_mate_plies());
        if mate_plies > 0 {
            setup.options.push(("LeafMatePlies".into(), mate_plies.to_string()));
        }
        setup.options.extend(settings.options.iter().cloned());
        setup
    }

    fn conditions(&self, settings: &Settings, nodes: u64) -> Conditions {
        let usual = conditions(nodes);
        let plies_max = self.herd(&settings.rules).ok().map(|herded| herded.plies_max() as u32);
        let adjudication = Adjudication { plies_max, ..usual.adjudication };
        Conditions { rules: settings.rules.clone(), adjudication, ..usual }
    }

    fn play(
        &self,
        _: &dyn Kit,
        plan: &Plan,
        path: &Path,
        stop: &Interrupt,
        tell: &mut dyn FnMut(&Played),
    ) -> Result<Played, CircleError> {
        let wrong = |error| failed(path, error);
        let kit = games::kit(self.game).map_err(wrong)?;
        let rules = &plan.conditions.rules;
        let own = ["Hash", "NetFile"];
        let mut options = plan.setup.options.clone();
        let net = options.iter().find(|(name, _)| name == "NetFile").map(|(_, file)| PathBuf::from(file));
        let net = net.unwrap_or_default();
        options.retain(|(name, _)| !own.contains(&&**name));
        let (nets, mates, knobs) = self.knobs(rules, &options).map_err(wrong)?;
        let herded = self.herd(rules).map_err(wrong)?;
        let visits = plan.conditions.allowances[0].nodes.unwrap_or(NODES);
        let herd = HerdRules {
            visits,
            knobs: Knobs { noise: 0.25, noise_alpha: herded.noise_alpha(), ..knobs },
            temperature_plies: TEMPERATURE_PLIES,
            resign_below: RESIGN.0,
            audit: RESIGN.1,
            plies_max: herded.plies_max(),
            tree_bytes: TREE.0 + (TREE.1 * visits) as usize,
            ..HerdRules::default()
        };
        let plan = HerdPlan {
            games: plan.games,
            rules: rules.clone(),
            openings: plan.openings.clone(),
            herd,
            batch: self.batch(),
            threads: plan.jobs,
            until: plan.until,
            opponents: None,
            origin: plan.origin.clone(),
        };
        let nets = HerdNets { files: std::slice::from_ref(&net), knobs: &nets, average: false, mates: &mates };
        let oracles = herded.open(&nets).map_err(|error| wrong(error.into()))?;
        let mut told = |now: &HerdPlayed| tell(&now.played);
        let played = selfplay_herd(kit, &plan, &*oracles, path, path.exists(), stop, &mut told);
        played.map(|now| now.played).map_err(|error| wrong(error.into()))
    }

    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(Learned, Vec<EpochLoss>)>, CircleError> {
        self.teach(lesson, tell).map_err(|error| CircleError::Learning(format!("{error:#}")))
    }
}

impl NetStudy {
    fn teach(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> anyhow::Result<Option<(Learned, Vec<EpochLoss>)>> {
        let (began, settings) = (Instant::now(), lesson.settings);
        let best = net(lesson.best)?;
        let (mut games, mut positions, mut newest) = (0, 0, 0);
        for (_, path) in &lesson.games {
            let (count, searched) = count(lesson.kit, path)?;
            (games, positions, newest) = (games + count, positions + searched, searched);
        }
        if !tell(LessonNews::Read { games, rows: positions, what: "positions" }) {
            return Ok(None);
        }
        let seen = (TIMES * newest as u64).div_ceil(STEP).max(1) * STEP;
        let command = format!(
            "tesuji improve round {}: {games} games of self-play at {} playouts{}, {positions} positions, seed {}",
            lesson.number,
            settings.nodes,
            if settings.rules.is_empty() { String::new() } else { format!(" under {}", settings.rules) },
            settings.seed
        );
        let request = self.training(lesson, &best.architecture, (games, seen));
        let outcome = train::by_request(&request, command)?;
        if outcome.stopped {
            return Ok(None);
        }
        let losses = losses(&outcome.log);
        let loss = |at: Option<&EpochLoss>| at.and_then(|loss| loss.held).unwrap_or(0.0);
        let (before, after) = (loss(losses.first()), loss(losses.last()));
        // What the run was kept in has done its work.
        let _ = fs::remove_file(request.checkpoint_path());
        tell(LessonNews::Learned { loss: [before, after], note: format!("{seen} positions seen") });
        let learned = Learned {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games,
            rows: [positions, 0],
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

/// The losses at the validations of a log, numbered from 0, with those of training before them.
fn losses(entries: &[Entry]) -> Vec<EpochLoss> {
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

/// The net of a file.
pub(super) fn net(path: &Path) -> anyhow::Result<Weights> {
    let bytes = games::net_file(&path.display().to_string())?;
    Weights::read(&bytes).with_context(|| path.display().to_string())
}

/// How many games a file has, and plies at which somebody searched.
fn count(kit: &dyn Kit, path: &Path) -> anyhow::Result<(u64, usize)> {
    let mut reader = open_records(kit, path)?;
    let (mut games, mut plies) = (0, 0);
    while let Some(record) = reader.read()? {
        games += 1;
        let searched = |&node: &u32| !record.note(node).visits.is_empty();
        plies += record.main_nodes().iter().filter(|node| searched(node)).count();
    }
    Ok((games, plies))
}
