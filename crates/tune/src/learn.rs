//! The course of learning: K first, then attempts by the chosen method, the best epoch by validation, rounding, and last the
//! comparison with the start weights over the held-out games.

use crate::{
    Canon, Comparison, Event, Kept, Progress, Trained, TuneError, TuneSettings,
    attempt::attempt,
    bootstrap,
    compare::compare,
    cross, evidence,
    journal::{Journal, Tell},
    model::fit_k,
    objective::Objective,
    pair::Pair,
    reach::Reach,
    set::Set,
};
use std::ops::ControlFlow;
use tesuji_dataset::Rows;
use tesuji_tally::Weights;

/// Learns weights from `rows`, starting from `start`. `tell` hears of each epoch and may stop the work; the best weights
/// so far are the result then. The same rows, start, settings and seed give the same weights for any number of jobs.
///
/// # Errors
/// When there is nothing to learn from, or rows and weights do not belong together.
///
/// # Examples
/// ```
/// use std::ops::ControlFlow;
/// use tesuji_dataset::{Head, Rows};
/// use tesuji_tally::Weights;
/// use tesuji_tune::{Canon, TuneSettings, learn};
///
/// // Who has feature 0 wins three games of four.
/// let mut rows = Rows::default();
/// for game in 0..400 {
///     let half_points = if game % 4 == 0 { 0 } else { 2 };
///     rows.push(Head { game, half_points, phase: 256, scale: 64, ..Head::default() }, &[(0, 1)]);
/// }
/// let settings = TuneSettings { k: Some(150.0), ..TuneSettings::default() };
/// let go_on = &mut |_: &_| ControlFlow::Continue(());
/// let trained = learn(&rows, &Weights::zero(1), &Canon::default(), &settings, go_on).unwrap();
/// assert!(trained.weights.values[0][0] > 100, "150 ln 3 = 165");
/// ```
pub fn learn(
    rows: &Rows,
    start: &Weights,
    canon: &Canon,
    settings: &TuneSettings,
    tell: &mut (dyn FnMut(&Progress) -> ControlFlow<()> + Send),
) -> Result<Trained, TuneError> {
    learn_with(rows, start, canon, settings, &mut |event| match event {
        Event::Epoch(progress) => tell(progress),
        _ => ControlFlow::Continue(()),
    })
}

/// [`learn`], with all that there is to tell.
///
/// # Errors
/// Those of [`learn`].
pub fn learn_with(
    rows: &Rows,
    start: &Weights,
    canon: &Canon,
    settings: &TuneSettings,
    tell: &mut (dyn FnMut(Event) -> ControlFlow<()> + Send),
) -> Result<Trained, TuneError> {
    let start: Vec<Pair> = start.values.iter().map(|w| w.map(f32::from)).collect();
    learn_real(rows, &start, canon, settings, tell)
}

/// [`learn_with`], starting from real numbers: for weights that are none of whole centipawns, see [`TuneSettings::units`].
///
/// # Errors
/// Those of [`learn`].
pub fn learn_real(
    rows: &Rows,
    start: &[[f32; 2]],
    canon: &Canon,
    settings: &TuneSettings,
    tell: &mut (dyn FnMut(Event) -> ControlFlow<()> + Send),
) -> Result<Trained, TuneError> {
    let features = start.len();
    if rows.features_bound() > features {
        return Err(TuneError::Features { found: rows.features_bound() - 1, features });
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.jobs.max(1))
        .build()
        .map_err(|e| TuneError::Threads { jobs: settings.jobs, reason: e.to_string() })?;
    pool.install(|| {
        let (mut train, mut held) = Set::split(rows, settings);
        if train.is_empty() {
            return Err(match held.len() {
                0 => TuneError::NoRows,
                rows => TuneError::AllHeldOut { rows, held_out: settings.held_out.to_string() },
            });
        }
        // With the start weights, before any is learned: K and a common factor of all weights would be one and the same.
        let k = settings.k.unwrap_or_else(|| fit_k(&train, start, settings.loss).0);
        train.blend_scores(rows, settings.result_share, k);
        held.blend_scores(rows, settings.result_share, k);
        let reach = train.reach(features);
        let objective = Objective::new(settings, [&train, &held], start, k, &reach);
        if objective.free.is_empty() {
            return Err(TuneError::NoWeights);
        }
        // How strongly weights are pulled to the start is taken from the rows themselves, unless it was given.
        if settings.pull_rows.is_some() {
            return Ok(run(&objective, rows, canon, tell));
        }
        let settings = TuneSettings { pull_rows: Some(evidence::pull_rows(&objective, rows)), ..settings.clone() };
        Ok(run(&Objective::new(&settings, [&train, &held], start, k, &reach), rows, canon, tell))
    })
}

fn run(objective: &Objective, rows: &Rows, canon: &Canon, tell: &mut Tell) -> Trained {
    let settings = objective.settings;
    let rounded = [objective.train.weight(), objective.held.weight()];
    let told = Event::Start { rows: [objective.train.len(), objective.held.len()], weights: rounded, k: objective.k };
    let is_stopped = tell(told).is_break();
    // Before the attempts, which choose their best epoch by it.
    let judge = if is_stopped { None } else { cross::epoch_losses(objective, rows, tell) };
    let mut journal = Journal::new(tell, judge);
    for run in 0..=settings.restarts {
        attempt(objective, run, &mut journal);
        journal.finish();
        if journal.stopped {
            break;
        }
    }
    finish(objective, rows, canon, journal)
}

/// Makes weights readable. Returns what they were multiplied by.
fn make_readable(weights: &mut [Pair], canon: &Canon, settings: &TuneSettings, reach: &[Reach]) -> f64 {
    // Centring and scaling would move what must stay, or push it out of its bounds.
    if !settings.frozen.is_empty() || !settings.bounds.is_empty() {
        return 1.0;
    }
    let seen: Vec<bool> = reach.iter().map(|r| r.both > 0.0).collect();
    canon.centre(weights, &seen);
    let factor = canon.factor(weights);
    weights.iter_mut().flatten().for_each(|w| *w *= factor as f32);
    factor
}

/// Takes the best epoch, makes its weights readable and whole, and asks how sure they are. Where the held-out games judge
/// them worse than the start weights, it takes those.
fn finish(objective: &Objective, rows: &Rows, canon: &Canon, mut journal: Journal) -> Trained {
    let settings = objective.settings;
    let (best, weights) = match journal.best() {
        Some((best, weights)) => (Some(best), weights),
        None => (None, objective.start.to_vec()),
    };
    let moved = best.is_some_and(|b| b.epoch > 0);
    let mut errors = Vec::new();
    if settings.bootstrap > 0 && !journal.stopped {
        let readable = |weights: &mut [Pair]| {
            make_readable(weights, canon, settings, objective.reach);
        };
        let mut stop = || journal.tell(Event::Bootstrap).is_break();
        errors = bootstrap::errors(objective, rows, &weights, &readable, &mut stop);
    }
    let chosen = if moved { choose(objective, rows, weights, canon) } else { Chosen::start(objective, Kept::Start) };
    let Chosen { weights, k, kept, against_start } = chosen;
    let best = best.filter(|_| kept == Kept::Best);
    let mut whole = Weights::zero(weights.len());
    for (whole, real) in whole.values.iter_mut().zip(&weights) {
        // They were rounded before: a cast alone would cut off.
        *whole = real.map(|w| w as i16);
    }
    let on_bound = |(i, f): (usize, &crate::objective::Free)| {
        let weight = f64::from(weights[f.feature][f.phase]);
        objective.bounds[i].contains(&weight).then_some((f.feature, f.phase))
    };
    let loss = |set: &Set| crate::model::mean_loss(set, &weights, k, settings.loss);
    let (train_loss, held_loss) = (loss(objective.train), (!objective.held.is_empty()).then(|| loss(objective.held)));
    Trained {
        at_bound: objective.free.iter().enumerate().filter_map(on_bound).collect(),
        weights: whole,
        real: weights,
        kept,
        against_start,
        errors,
        free: objective.free.len(),
        k,
        start_k: objective.k,
        pull_rows: settings.pull_rows.unwrap_or(0.0),
        best_run: best.map_or(0, |b| b.run),
        best_epoch: best.map_or(0, |b| b.epoch),
        is_cross_validated: journal.is_cross_validated(),
        train_loss,
        held_loss,
        rows: [objective.train.len(), objective.held.len()],
        passes: objective.passes.get(),
        history: std::mem::take(&mut journal.history),
        runs: std::mem::take(&mut journal.runs),
        stopped: journal.stopped,
    }
}

/// Weights that are given back, whole numbers, with their K.
struct Chosen {
    weights: Vec<Pair>,
    k: f64,
    kept: Kept,
    /// The best epoch against the start.
    against_start: Option<Comparison>,
}

impl Chosen {
    /// The start weights, for the reason `kept`.
    fn start(objective: &Objective, kept: Kept) -> Chosen {
        let is_whole = objective.settings.is_whole();
        let written = |pair: &Pair| if is_whole { pair.map(f32::round) } else { *pair };
        Chosen { weights: objective.start.iter().map(written).collect(), k: objective.k, kept, against_start: None }
    }
}

/// Makes the weights of the best epoch readable and whole, and takes them unless the held-out games judge them worse than
/// the start by more than two standard errors. The least validation loss alone decides nothing here: over 15 to 30 games it is
/// mostly chance, and kept start weights 200 Elo below what had been learned.
fn choose(objective: &Objective, rows: &Rows, raw: Vec<Pair>, canon: &Canon) -> Chosen {
    let settings = objective.settings;
    let mut weights = raw.clone();
    let k = objective.k * make_readable(&mut weights, canon, settings, objective.reach);
    if settings.is_whole() {
        weights.iter_mut().flatten().for_each(|w| *w = w.round());
    }
    if weights == objective.start {
        let kept = if settings.is_whole() { Kept::StartForRounding } else { Kept::Start };
        return Chosen::start(objective, kept);
    }
    let against = |weights: &[Pair], k: f64| {
        compare(objective.held, rows, (weights, k), (objective.start, objective.k), settings.loss)
    };
    let against_start = against(&weights, k);
    let is_worse = |found: Option<Comparison>| found.is_some_and(|found| found.is_worse());
    if is_worse(against_start) {
        let kept = if is_worse(against(&raw, objective.k)) { Kept::Start } else { Kept::StartForRounding };
        return Chosen { against_start, ..Chosen::start(objective, kept) };
    }
    Chosen { weights, k, kept: Kept::Best, against_start }
}

#[cfg(test)]
mod tests;
