//! Efficiently updatable networks (NNUE) in `improve`: self-play of alpha-beta with the present network, and training from random numbers on
//! the games of the latest rounds.

use super::{
    Changes, EpochLoss, ImproveRequest, ImproveSettings, LearnedRound, Learner, Lesson, LessonNews, NnueChange, Study,
    UsualSettings, begin::at, nets::losses,
};
use crate::CircleError;
use std::{fs, path::Path, time::Instant};
use tesuji_jobs::{Interrupt, Show, read_bounded};
use tesuji_kit::{
    Kit, RequestError, WrittenNets,
    nnue_training::{NnueRequest, NnueTrainRun, train_nnue},
    open_records,
};
use tesuji_nn::nnue::{Architecture, FILE_BYTES_MAX, FloatWeights, Network};

/// Nodes a move where no number is asked for.
const NODES: u64 = 400;
/// The bounds of the test of each round's match, in normalised Elo.
const SPRT: [f64; 2] = [0.0, 40.0];
/// Random plies that games begin with.
const RANDOM_PLIES: u32 = 8;
/// Share of the result in what is learned where none is asked for: measured in docs/nnue.md.
const RESULT_SHARE: f64 = 0.1;
/// The start from random numbers: its scores are noise, so that the first rounds learn from results.
const RANDOM: &str = "random";
/// The word that begins with the hand-made evaluation by the weights that the program is built with.
const BUILTIN: &str = "builtin";
/// Share of the games that judge, and how many are expected at least: a hash draws them.
const HELD_OUT: f64 = 0.05;
const JUDGES: f64 = 12.0;
/// Memory for shuffling, in MiB.
const MEMORY_MIB: usize = 2048;

/// A game whose efficiently updatable networks learn.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::NnueLearner;
/// // Connect Four has no such networks.
/// assert!(NnueLearner::new(&tesuji_four::FOUR, "example 1.0".into()).is_none());
/// ```
pub struct NnueLearner {
    kit: &'static dyn Kit,
    made_by: String,
}

/// Games and moves of the files of a lesson.
#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) games: u64,
    pub(super) plies: u64,
}

impl NnueLearner {
    /// The networks of a game; `made_by` is the program with its version. `None`: the game has none.
    pub fn new(kit: &'static dyn Kit, made_by: String) -> Option<NnueLearner> {
        (kit.nnue().is_some() && kit.nnue_training().is_some()).then_some(NnueLearner { kit, made_by })
    }

    /// The name of the shape that a run learns: the one that is asked for, or the game's usual one.
    ///
    /// # Errors
    /// When the game knows no such shape.
    fn shape(&self, asked: Option<&str>) -> Result<(String, Architecture), RequestError> {
        let networks =
            self.kit.nnue().ok_or_else(|| RequestError::value("search", "nnue", "this game has no such networks"))?;
        let name = asked.unwrap_or(networks.usual_shape());
        let wrong = || RequestError::value("net", name, format!("expected one of {}", networks.shapes().join(", ")));
        let shape = networks.shape(name).ok_or_else(wrong)?;
        Ok((name.to_string(), shape))
    }

    /// The training of a lesson of `games` games.
    fn training(&self, lesson: &Lesson<'_>, games: u64) -> Result<NnueRequest, RequestError> {
        let settings = lesson.settings;
        let share = result_share(settings, lesson.number);
        Ok(NnueRequest {
            net: self.shape(settings.net.as_deref())?.0,
            result_share: [share; 2],
            seed: settings.seed ^ u64::from(lesson.number),
            ..training_of(lesson, games)
        })
    }

    fn teach(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, RequestError> {
        let (began, settings) = (Instant::now(), lesson.settings);
        let lesson = &Lesson { games: worth_learning(lesson), ..*lesson };
        let all = count(lesson)?;
        if !tell(LessonNews::Read { games: all.games, rows: all.plies as usize, what: "moves" }) {
            return Ok(None);
        }
        let request = self.training(lesson, all.games)?;
        let interrupt = Interrupt::of_process();
        let mut run = NnueTrainRun {
            made_by: self.made_by.clone(),
            command: format!(
                "tesuji improve --search nnue round {}: {} games of self-play at {} nodes, {} moves, share of the result {}, seed {}",
                lesson.number, all.games, settings.nodes, all.plies, request.result_share[0], settings.seed
            ),
            show: Show::Quiet,
            interrupt: &interrupt,
            news: &mut |_| (),
        };
        let done = train_nnue(&request, self.kit, &mut run)?;
        if done.stopped {
            return Ok(None);
        }
        let losses = losses(&done.log);
        let loss = |at: Option<&EpochLoss>| at.and_then(|loss| loss.held).unwrap_or(0.0);
        let (before, after) = (loss(losses.first()), loss(losses.last()));
        // What the run was kept in has done its work, and is many times as large as the games.
        let _ = fs::remove_file(request.checkpoint_path());
        WrittenNets::beside(&request.checkpoint_path()).forget();
        let _ = fs::remove_file(request.prepared_path());
        tell(LessonNews::Learned { loss: [before, after], note: format!("{} positions seen", done.positions) });
        let learned = LearnedRound {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games: all.games,
            // Quiet ones, each once.
            rows: [(done.positions as f64 / request.epochs).round() as usize, 0],
            k: 0.0,
            pull_rows: 0.0,
            loss_before: before,
            loss_after: after,
            best_epoch: losses.last().map_or(1, |loss| loss.epoch.max(1)),
            result_share: f64::from(request.result_share[0]),
            seconds: began.elapsed().as_secs_f64(),
        };
        Ok(Some((learned, losses)))
    }
}

/// The share of the result in round `number`: a run that begins at random has no scores worth learning at first.
fn result_share(settings: &ImproveSettings, number: u32) -> f32 {
    let least = if settings.from == RANDOM { 1.0 / f64::from(number.max(1)) } else { 0.0 };
    settings.result_share.max(least) as f32
}

/// The games of a lesson without those of the first round once something better than random numbers has played.
fn worth_learning(lesson: &Lesson<'_>) -> Vec<(u32, std::path::PathBuf)> {
    let is_start = lesson.best.file_stem().is_some_and(|stem| stem == "start");
    let is_noise = |round: u32| lesson.settings.from == RANDOM && !is_start && round == 1 && lesson.number > 1;
    lesson.games.iter().filter(|(round, _)| !is_noise(*round)).cloned().collect()
}

/// Counts the games and moves of a lesson.
pub(super) fn count(lesson: &Lesson<'_>) -> Result<Counts, RequestError> {
    let mut counts = Counts::default();
    for (_, path) in &lesson.games {
        let mut reader = open_records(lesson.kit, path)?;
        while let Some(record) = reader.read().map_err(RequestError::failed)? {
            counts = Counts { games: counts.games + 1, plies: counts.plies + record.plies() as u64 };
        }
    }
    Ok(counts)
}

/// The training of a lesson of `games` games, but for the shape and what is learned. As many games judge as are needed for it to mean something:
/// a hash draws them, and of a small share of few games there may be none.
pub(super) fn training_of(lesson: &Lesson<'_>, games: u64) -> NnueRequest {
    NnueRequest {
        game: lesson.kit.name().into(),
        games: lesson.games.iter().map(|(_, path)| path.clone()).collect(),
        out: lesson.into.to_path_buf(),
        held_out: (JUDGES / games.max(1) as f64).clamp(HELD_OUT, 0.5),
        memory_mib: MEMORY_MIB,
        threads: lesson.settings.jobs,
        ..NnueRequest::default()
    }
}

impl Study for NnueLearner {
    fn ending(&self) -> &str {
        "nnue"
    }

    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        self.teach(lesson, tell).map_err(|error| CircleError::Learning(error.to_string()))
    }
}

impl Learner for NnueLearner {
    fn usual(&self) -> UsualSettings {
        UsualSettings {
            rules: "",
            nodes: NODES,
            sprt: Some(SPRT),
            random_plies: RANDOM_PLIES,
            result_share: RESULT_SHARE,
        }
    }

    fn start(&self, request: &ImproveRequest, settings: &ImproveSettings) -> Result<Vec<u8>, RequestError> {
        let (_, shape) = self.shape(request.net.as_deref())?;
        let from = request.from.as_str();
        if from == RANDOM {
            let mut network = Network::quantise(&shape, &FloatWeights::random(&shape, settings.seed))
                .map_err(RequestError::failed)?;
            if !shape.base.is_none() {
                self.kit.nnue().map_or("", |networks| networks.base()).clone_into(&mut network.base);
            }
            network.origin.insert("made by".into(), settings.made_by.clone());
            network.origin.insert("command".into(), format!("random numbers from seed {}", settings.seed));
            return Ok(network.write());
        }
        // The hand-made evaluation plays the first round; its weights stand where a network will.
        let corrects_other = || {
            let words =
                format!("expected builtin, random or a network: `{}` corrects the built-in weights", shape.name);
            RequestError::value("from", from, words)
        };
        if let Some(weights) = self.kit.tuning().filter(|_| !Path::new(from).exists()) {
            if !shape.base.is_none() && from != BUILTIN {
                return Err(corrects_other());
            }
            let json = weights.weights(from)?.to_json(weights.game(), weights.terms());
            return Ok(json.into_bytes());
        }
        let bytes = read_bounded(Path::new(from), FILE_BYTES_MAX).map_err(RequestError::failed)?;
        if Network::is_file(&bytes) {
            Network::read(&bytes).map_err(|error| at(from, error))?;
        } else if !shape.base.is_none() {
            return Err(corrects_other());
        }
        Ok(bytes)
    }

    fn changes(&self, _: &Path, last: &Path) -> Result<Changes, RequestError> {
        let bytes = read_bounded(last, FILE_BYTES_MAX).map_err(RequestError::failed)?;
        if !Network::is_file(&bytes) {
            return Ok(Changes::Nnue(NnueChange { shape: None, origin: Default::default() }));
        }
        let network = Network::read(&bytes).map_err(|error| at(last.display(), error))?;
        Ok(Changes::Nnue(NnueChange { shape: Some(Box::new(network.architecture)), origin: network.origin }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn settings(from: &str, result_share: f64) -> ImproveSettings {
        ImproveSettings { from: from.into(), result_share, ..ImproveSettings::default() }
    }

    #[test]
    fn a_run_from_random_numbers_learns_from_results_first() {
        let shares = |from| [1, 2, 4, 20].map(|number| result_share(&settings(from, 0.1), number));
        assert_eq!(shares("random"), [1.0, 0.5, 0.25, 0.1]);
        assert_eq!(shares("builtin"), [0.1; 4]);
    }

    #[test]
    fn games_of_random_numbers_are_left_out_once_something_better_has_played() {
        let games: Vec<(u32, PathBuf)> = (1..=3).map(|round| (round, PathBuf::new())).collect();
        let rounds = |from, best: &str| -> Vec<u32> {
            let lesson = Lesson {
                kit: &tesuji_four::FOUR,
                number: 3,
                games: games.clone(),
                best: Path::new(best),
                into: Path::new("round-3/weights.nnue"),
                first: None,
                settings: &settings(from, 0.1),
            };
            worth_learning(&lesson).into_iter().map(|(round, _)| round).collect()
        };
        assert_eq!(rounds("random", "round-2/weights.nnue"), [2, 3]);
        assert_eq!(rounds("random", "start.nnue"), [1, 2, 3]);
        assert_eq!(rounds("builtin", "round-2/weights.nnue"), [1, 2, 3]);
    }
}
