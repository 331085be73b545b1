//! Learning of games with a hand-made evaluation: rows of features, weights fitted to results and scores.

use super::{
    Changes, EpochLoss, ImproveRequest, ImproveSettings, LearnedRound, Learner, Lesson, LessonNews, Study,
    UsualSettings, WeightChanges,
};
use crate::CircleError;
use std::{fs::File, io::BufReader, ops::ControlFlow, path::Path, time::Instant};
use tesuji_dataset::{Features, Rows, RowsPlan as RowPlan, build};
use tesuji_kit::{Kit, RequestError, tuning::Tuning};
use tesuji_tune::{Canon, Comparison, Kept, TuneSettings, learn, load_weights, save_weights};

/// Nodes a move where no number is asked for.
const NODES: u64 = 400;
/// Random plies that games begin with.
const RANDOM_PLIES: u32 = 8;
/// Rows that learning holds in memory.
const ROWS_MAX: usize = 5_000_000;

/// A game whose hand-made evaluation learns, with what the game says of its weights.
pub struct WeightsLearner(pub &'static Tuning);

impl Study for WeightsLearner {
    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        Tallied { features: self.0.features, canon: (self.0.canon)() }.learn(lesson, tell)
    }
}

impl Learner for WeightsLearner {
    fn usual(&self) -> UsualSettings {
        let result_share = TuneSettings::default().result_share;
        UsualSettings { rules: "", nodes: NODES, sprt: None, random_plies: RANDOM_PLIES, result_share }
    }

    fn start(&self, request: &ImproveRequest, _: &ImproveSettings) -> Result<Vec<u8>, RequestError> {
        let weights = self.0.weights(&request.from)?;
        Ok(weights.to_json(self.0.game(), self.0.terms()).into_bytes())
    }

    fn changes(&self, start: &Path, last: &Path) -> Result<Changes, RequestError> {
        let load = |path| load_weights(path, self.0.game(), self.0.terms()).map_err(RequestError::failed);
        let changes = WeightChanges { terms: self.0.terms(), start: load(start)?, last: load(last)? };
        Ok(Changes::Weights(Box::new(changes)))
    }
}

/// Features that learn weights from games.
pub struct Tallied<'a> {
    /// Its features.
    pub features: &'a dyn Features,
    /// The canonical form of its weights.
    pub canon: Canon,
}

impl Study for Tallied<'_> {
    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        let (began, settings) = (Instant::now(), lesson.settings);
        let mut rows = Rows::default();
        let mut games = 0;
        for (_, path) in &lesson.games {
            let (jobs, seed) = (settings.jobs, settings.seed);
            let plan = RowPlan { jobs, seed, rows_max: ROWS_MAX, ..RowPlan::default() };
            games += self.add_rows(lesson.kit, path, &plan, &mut rows)?;
        }
        tell(LessonNews::Read { games, rows: rows.len(), what: "quiet boards" });
        let terms = self.features.terms();
        let mismatch = |path: &Path, reason: String| CircleError::Mismatch { path: path.display().to_string(), reason };
        let start =
            load_weights(lesson.best, self.features.game(), terms).map_err(|e| mismatch(lesson.best, e.to_string()))?;
        let settings = TuneSettings {
            seed: settings.seed,
            jobs: settings.jobs,
            result_share: settings.result_share,
            // Later rounds start from weights that have learned from some of their games already, which then seem to
            // contradict nothing: they take the pull that the first round found best.
            pull_rows: lesson.first.map(|learned| learned.pull_rows).filter(|&rows| rows > 0.0),
            ..TuneSettings::default()
        };
        let mut trained = learn(&rows, &start, &self.canon, &settings, &mut |progress| match tell(LessonNews::Epoch(
            progress.epoch,
            progress.decisive_loss(),
        )) {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })?;
        if trained.stopped {
            return Ok(None);
        }
        let loss_before = trained.history.first().map_or(0.0, |p| p.decisive_loss());
        let loss_after = trained.held_loss.unwrap_or(trained.train_loss);
        // The match decides, and where validation is told as a number, its error belongs beside it.
        let by = trained.against_start.map_or(String::new(), |found| {
            let Comparison { games, difference, error } = found;
            format!(", {difference:+.5} ± {error:.5} over {games} held-out games")
        });
        tell(LessonNews::Learned { loss: [loss_before, loss_after], note: format!("K {:.0}{by}", trained.k) });
        if trained.kept == Kept::Best {
            trained.weights.origin.made_by = lesson.settings.made_by.clone();
            trained.weights.origin.from = format!(
                "improve round {}: {games} games of self-play at {} nodes, {} boards, seed {}",
                lesson.number, lesson.settings.nodes, trained.rows[0], lesson.settings.seed
            );
        } else {
            trained.weights.origin = start.origin;
        }
        save_weights(lesson.into, &trained.weights, self.features.game(), terms)
            .map_err(|e| mismatch(lesson.into, e.to_string()))?;
        let losses =
            trained.history.iter().map(|p| EpochLoss { epoch: p.epoch, train: p.train_loss, held: p.held_loss });
        let learned = LearnedRound {
            rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
            games,
            rows: trained.rows,
            k: trained.k,
            pull_rows: trained.pull_rows,
            loss_before,
            loss_after,
            best_epoch: trained.best_epoch,
            result_share: settings.result_share,
            seconds: began.elapsed().as_secs_f64(),
        };
        Ok(Some((learned, losses.collect())))
    }
}

impl Tallied<'_> {
    fn add_rows(&self, kit: &dyn Kit, path: &Path, plan: &RowPlan, rows: &mut Rows) -> Result<u64, CircleError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|e| CircleError::file(path, e))?;
        let format = kit.format(&name).ok_or_else(|| CircleError::Mismatch {
            path: name.clone(),
            reason: "no format of records is called so".into(),
        })?;
        let mut reader = format.reader(Box::new(BufReader::new(file)));
        let built = build(reader.as_mut(), self.features, plan, rows, &mut |_| ControlFlow::Continue(()))
            .map_err(|error| CircleError::Dataset { path: name, error })?;
        Ok(built.games)
    }
}
