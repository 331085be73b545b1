//! Learning of an engine of the user whose weights are a file: rows of its games come from a command, `tune rows` fits them, and where the
//! weights are part of the program a command builds it again.

use super::{
    Changes, EngineTraining, EpochLoss, ImproveRequest, ImproveSettings, LearnedRound, Learner, Lesson, LessonNews,
    Study, UsualSettings,
    nnue::{count, training_of},
    training::{PROGRAM, WEIGHTS, ending_of, fill, program_of},
};
use crate::{
    CircleError, Duelist, conditions, export,
    rows::{RowsRequest, RowsRun, learn_rows},
};
use std::{
    fs,
    path::{Path, PathBuf, absolute},
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};
use tesuji_arena::{Allowance, Conditions, Contestant, Dialect, Engine, EngineRequest, OwnProgram};
use tesuji_game::Side;
use tesuji_jobs::{AtomicFile, Interrupt, ProcessTree, Show, open_append, program_path, words::split};
use tesuji_kit::{
    Kit, RequestError,
    nnue_training::{NnueRequest, NnueTrainRun, train_nnue},
};
use tesuji_nn::nnue::Network;
use tesuji_train::log::{LogEntry, What};
use tesuji_tune::TuneSettings;

/// Nodes a move, and random plies that games begin with, where nothing else is asked for.
const NODES: u64 = 2000;
const RANDOM_PLIES: u32 = 8;
/// Between two looks at a running command.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Lines that are shown of a command that failed.
const TAIL: usize = 5;

/// An engine of the user as a learner of `improve`.
pub struct EngineLearner {
    kit: &'static dyn Kit,
    training: EngineTraining,
    /// The ending of files of weights.
    ending: String,
    dialect: Dialect,
    own: OwnProgram,
    stop: Interrupt,
}

impl EngineLearner {
    /// The learner of a request, or of the run that it goes on with; `None` where no engine of the user learns.
    ///
    /// # Errors
    /// What cannot be meant, or a run that cannot be read.
    pub fn of(
        kit: &'static dyn Kit,
        request: &ImproveRequest,
        own: OwnProgram,
        stop: &Interrupt,
    ) -> Result<Option<EngineLearner>, RequestError> {
        let (training, from) = match &request.resume {
            None => (request.engine.clone(), request.from.clone()),
            Some(folder) => match ImproveSettings::load(folder).map_err(RequestError::failed)? {
                Some(settings) => (settings.engine, settings.from),
                None => (None, String::new()),
            },
        };
        let Some(training) = training else { return Ok(None) };
        let ending =
            Path::new(&from).extension().map_or("weights".into(), |ending| ending.to_string_lossy().into_owned());
        Ok(Some(EngineLearner { kit, training, ending, dialect: Dialect::of(kit), own, stop: stop.clone() }))
    }

    /// Runs a command of the user, whose output goes to the file `log`; `false` when it was stopped.
    fn run(&self, command: &str, places: &[(&str, &Path)], log: &Path) -> Result<bool, CircleError> {
        let failed = |what: String| CircleError::Learning(format!("{command}: {what}"));
        let words: Vec<String> = split(command).map_err(failed)?.iter().map(|word| fill(word, places)).collect();
        let Some((program, arguments)) = words.split_first() else { return Err(failed("an empty command".into())) };
        let open = || open_append(log).map_err(|e| CircleError::file(log, e));
        let mut started = Command::new(program_path(program));
        started.args(arguments).stdin(Stdio::null()).stdout(open()?).stderr(open()?);
        let mut process =
            ProcessTree::spawn(&mut started).map_err(|e| failed(format!("cannot start {program}: {e}")))?;
        while !process.has_ended() {
            if self.stop.is_raised() {
                return Ok(false);
            }
            sleep(LOOK_EVERY);
        }
        match process.exit_status() {
            Some(status) if status.success() => Ok(true),
            status => {
                let how = status.map_or("it ended unseen".to_string(), |status| format!("it ended with {status}"));
                let said = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
                let last: Vec<&str> = said.lines().rev().filter(|line| !line.trim().is_empty()).take(TAIL).collect();
                let last: String = last.iter().rev().map(|line| format!("\n  {line}")).collect();
                Err(failed(format!("{how}; {} has what it said{last}", log.display())))
            }
        }
    }

    /// The engine with the weights in the file `weights`, which is built where it is not there yet; `None` when that was stopped.
    fn engine(&self, weights: &Path) -> Result<Option<EngineRequest>, CircleError> {
        let weights = absolute(weights).map_err(|e| CircleError::file(weights, e))?;
        let program = program_of(&weights);
        if let Some(build) = self.training.build.as_ref().filter(|_| !program.exists()) {
            // Under its name only when it is whole.
            let part = program.with_extension("part");
            if !self.run(build, &[(WEIGHTS, &weights), (PROGRAM, &part)], &program.with_extension("log"))? {
                return Ok(None);
            }
            let missing = |e| CircleError::Learning(format!("{build}: it made no {}: {e}", part.display()));
            fs::rename(&part, &program).map_err(missing)?;
        }
        let put = |text: &String| fill(text, &[(WEIGHTS, &weights), (PROGRAM, &program)]);
        let pairs = |pairs: &[(String, String)]| pairs.iter().map(|(name, value)| (name.clone(), put(value))).collect();
        let asked = self.training.request().map_err(|error| CircleError::Learning(error.to_string()))?;
        Ok(Some(EngineRequest {
            command: asked.command.as_ref().map(put),
            args: asked.args.iter().map(put).collect(),
            dir: asked.dir.as_ref().map(|dir| put(&dir.display().to_string()).into()),
            options: pairs(&asked.options),
            env: pairs(&asked.env),
            ..asked
        }))
    }

    /// The table of the games in the file `games`, made by the user's command where it is not there yet; `None` when that was stopped.
    fn rows(&self, kit: &dyn Kit, games: &Path) -> Result<Option<PathBuf>, CircleError> {
        let command = &self.training.rows;
        let (ending, rows_name) = ending_of(command, "rows").unwrap_or(("csv", "{rows}"));
        let rows = games.with_file_name(format!("rows.{ending}"));
        if rows.exists() {
            return Ok(Some(rows));
        }
        // Under its name only when it is whole.
        let part = games.with_file_name(format!("part-of-rows.{ending}"));
        remove(&part)?;
        let (from, games_name) = match ending_of(command, "games") {
            None => (games.to_path_buf(), "{games}"),
            Some((ending, name)) => {
                let copy = games.with_file_name(format!("games-for-rows.{ending}"));
                if export(kit, games, &copy, &self.stop)?.is_none() {
                    return Ok(None);
                }
                (copy, name)
            }
        };
        if !self.run(command, &[(games_name, &from), (rows_name, &part)], &games.with_file_name("rows.log"))? {
            return Ok(None);
        }
        let missing = |e| CircleError::Learning(format!("{command}: it made no {}: {e}", part.display()));
        fs::rename(&part, &rows).map_err(missing)?;
        Ok(Some(rows))
    }
}

impl EngineLearner {
    /// Trains a network of the shape `net` on the games, and writes it in the raw layout.
    fn learn_net(
        &self,
        net: &str,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        let (began, settings) = (Instant::now(), lesson.settings);
        for left in [lesson.into, &program_of(lesson.into)] {
            remove(left)?;
        }
        // A run that was stopped goes on from its checkpoint.
        let best = lesson.best.with_file_name("learned.checkpoint");
        let games = count(lesson).map_err(|error| CircleError::Learning(error.to_string()))?.games;
        let request = NnueRequest {
            out: lesson.into.with_file_name("learned.nnue"),
            net: net.to_string(),
            from: best.exists().then_some(best),
            result_share: [settings.result_share as f32; 2],
            seed: settings.seed,
            ..training_of(lesson, games)
        };
        let mut run = NnueTrainRun {
            made_by: settings.made_by.clone(),
            command: format!("improve round {}", lesson.number),
            show: Show::Quiet,
            interrupt: &self.stop,
            news: &mut |_| (),
        };
        let learning = |error: &dyn std::fmt::Display| CircleError::Learning(error.to_string());
        let done = train_nnue(&request, self.kit, &mut run).map_err(|error| learning(&error))?;
        if done.stopped {
            return Ok(None);
        }
        let bytes = fs::read(&request.out).map_err(|e| CircleError::file(&request.out, e))?;
        let network = Network::read(&bytes).map_err(|error| learning(&error))?;
        let raw = network.to_raw().map_err(|error| learning(&error))?;
        AtomicFile::write(lesson.into, &raw).map_err(|e| CircleError::file(lesson.into, e))?;
        let judged: Vec<_> = done.log.iter().filter(|entry| entry.what == What::Validation).collect();
        let loss = |entry: Option<&&LogEntry>| entry.map_or(0.0, |entry| entry.loss);
        let (loss_before, loss_after) = (loss(judged.first()), loss(judged.last()));
        let held = judged.last().map_or(0, |entry| entry.of as usize);
        tell(LessonNews::Read {
            games: 0,
            rows: done.positions as usize,
            what: "positions, each as often as it was seen",
        });
        let note = done.warning(&request).map_or(String::new(), |words| format!(", {words}"));
        tell(LessonNews::Learned { loss: [loss_before, loss_after], note });
        let epochs = judged.iter().enumerate();
        let losses =
            epochs.map(|(epoch, at)| EpochLoss { epoch: epoch as u32, train: at.loss, held: Some(at.loss) }).collect();
        let learned = LearnedRound {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games: 0,
            rows: [done.positions as usize, held],
            k: 0.0,
            pull_rows: 0.0,
            loss_before,
            loss_after,
            best_epoch: judged.len().saturating_sub(1).max(1) as u32,
            result_share: settings.result_share,
            seconds: began.elapsed().as_secs_f64(),
        };
        Ok(Some((learned, losses)))
    }
}

/// Removes what an attempt that was stopped has left.
fn remove(path: &Path) -> Result<(), CircleError> {
    match path.exists() {
        true => fs::remove_file(path).map_err(|e| CircleError::file(path, e)),
        false => Ok(()),
    }
}

impl Study for EngineLearner {
    fn ending(&self) -> &str {
        &self.ending
    }

    fn duelist(&self, weights: &Path, _: &ImproveSettings) -> Result<Option<Duelist>, CircleError> {
        let Some(request) = self.engine(weights)? else { return Ok(None) };
        let name = request.name.clone().unwrap_or_else(|| request.usual_name());
        let spec = request.spec(&name, self.dialect, &self.own);
        Ok(Some(Duelist::Engine(Box::new(spec.map_err(|error| CircleError::Engine(error.to_string()))?))))
    }

    fn conditions(&self, settings: &ImproveSettings, nodes: u64) -> Conditions {
        let common = Allowance::of_nodes(nodes);
        let allowance =
            self.training.request().map_or(common.clone(), |engine| engine.allowance(&common, self.dialect));
        let allowances = Side::ALL.map(|side| allowance.of(side));
        Conditions { rules: settings.rules.clone(), allowances, ..conditions(nodes) }
    }

    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        if let Some(net) = &self.training.net {
            return self.learn_net(net, lesson, tell);
        }
        let (began, settings) = (Instant::now(), lesson.settings);
        let mut files = Vec::new();
        for (_, games) in &lesson.games {
            let Some(rows) = self.rows(lesson.kit, games)? else { return Ok(None) };
            files.push(rows);
        }
        let learned = lesson.into.with_file_name("learned.json");
        for left in [&*learned, lesson.into, &program_of(lesson.into)] {
            remove(left)?;
        }
        let best = lesson.best.with_file_name("learned.json");
        let is_json = |path: &&Path| path.extension().is_some_and(|ending| ending == "json");
        let start = if best.exists() { Some(best) } else { Some(lesson.best).filter(is_json).map(Path::to_path_buf) };
        let template = self.training.template.clone().unwrap_or_else(|| lesson.best.to_path_buf());
        let request = RowsRequest {
            files,
            layout: self.training.layout.clone(),
            start,
            unit: self.training.unit.clone(),
            out: learned,
            templates: vec![[template, lesson.into.to_path_buf()]],
            result_share: settings.result_share,
            seed: settings.seed,
            jobs: settings.jobs,
            ..RowsRequest::default()
        };
        let run = RowsRun { show: Show::Quiet, interrupt: &self.stop };
        let outcome = learn_rows(&request, &run).map_err(|error| CircleError::Learning(error.to_string()))?;
        let Some(outcome) = outcome.filter(|outcome| !outcome.trained.stopped) else { return Ok(None) };
        let (trained, games) = (&outcome.trained, u64::from(outcome.games));
        tell(LessonNews::Read { games, rows: outcome.rows, what: "rows" });
        let loss_before = trained.history.first().map_or(0.0, |epoch| epoch.decisive_loss());
        let loss_after = trained.held_loss.unwrap_or(trained.train_loss);
        let note = format!(
            "K {:.4}{}",
            outcome.k,
            outcome.warnings.iter().map(|words| format!(", {words}")).collect::<String>()
        );
        tell(LessonNews::Learned { loss: [loss_before, loss_after], note });
        let losses = trained.history.iter();
        let losses = losses.map(|p| EpochLoss { epoch: p.epoch, train: p.train_loss, held: p.held_loss }).collect();
        let learned = LearnedRound {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games,
            rows: trained.rows,
            k: outcome.k,
            pull_rows: trained.pull_rows,
            loss_before,
            loss_after,
            best_epoch: trained.best_epoch,
            result_share: settings.result_share,
            seconds: began.elapsed().as_secs_f64(),
        };
        Ok(Some((learned, losses)))
    }
}

impl Learner for EngineLearner {
    fn usual(&self) -> UsualSettings {
        let result_share = TuneSettings::default().result_share;
        UsualSettings { rules: "", nodes: NODES, sprt: None, random_plies: RANDOM_PLIES, result_share }
    }

    fn start(&self, request: &ImproveRequest, _: &ImproveSettings) -> Result<Vec<u8>, RequestError> {
        self.training.validate()?;
        let shape = |net: &String| self.kit.nnue().and_then(|networks| networks.shape(net));
        if let Some(net) =
            self.training.net.as_ref().filter(|net| shape(net).is_some_and(|shape| !shape.base.is_none()))
        {
            let words = "it corrects Tesuji's hand-made evaluation, which the raw layout cannot hold";
            return Err(RequestError::value("net", net, words));
        }
        fs::read(&request.from).map_err(|error| {
            let words = format_args!("{error}: expected the engine's file of weights, weights-file=FILE");
            RequestError::value("from", &request.from, words)
        })
    }

    fn check_start(&self, _: &dyn Kit, weights: &Path, settings: &ImproveSettings) -> Result<(), RequestError> {
        let Some(Duelist::Engine(spec)) = self.duelist(weights, settings).map_err(RequestError::failed)? else {
            return Ok(());
        };
        let started = Engine::open(&spec, &self.stop);
        started.map_err(|fault| RequestError::failed(CircleError::engine(&spec, &fault)))?.quit();
        Ok(())
    }

    fn changes(&self, _: &Path, _: &Path) -> Result<Changes, RequestError> {
        Ok(Changes::Engine(Box::new(self.training.clone())))
    }
}
