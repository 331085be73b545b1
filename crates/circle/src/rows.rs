//! Weights learned from tables of features of any program: rows read, weights fitted, files written. Knows no game.

mod request;
mod start;
mod template;
mod weights;

pub use request::{RowsLayout, RowsRequest, WeightGroup};
pub use weights::{LearnedWeight, WeightList};

use std::{ops::ControlFlow, path::PathBuf};
use template::Template;
use tesuji_dataset::{
    Rows,
    feature_table::{FeatureTable, TableJob, read_tables},
};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show, threads};
use tesuji_kit::{RequestError, check_apart, check_new_output};
use tesuji_tune::{Canon, Event, Trained, TuneSettings, learn_real};

/// K of the unit in which weights are fitted: steps and pulls are measured in centipawns.
const K_INNER: f64 = 200.0;
/// The typical value of the start weights in that unit, where K is to be fitted.
const VALUE_INNER: f64 = 150.0;

/// The environment of a run: what does not change its weights.
pub struct RowsRun<'a> {
    /// The display of progress.
    pub show: Show,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
}

/// The result of a run.
#[derive(Debug, Clone)]
pub struct RowsOutcome {
    /// The weights, in the order of the columns.
    pub weights: WeightList,
    /// The fit. Its weights are in a unit of its own; those of `weights` are the user's.
    pub trained: Trained,
    /// K in the unit of the weights: the value that multiplies the odds by e.
    pub k: f64,
    /// Rows that were read.
    pub rows: usize,
    /// Games of the rows, or of what counts as one.
    pub games: u32,
    /// How rows were assigned to games, in words.
    pub games_by: &'static str,
    /// Warnings, a sentence each.
    pub warnings: Vec<String>,
}

/// Learns weights and writes them. `None`: it was stopped before there was anything to learn from.
///
/// # Errors
/// The first field of the request that cannot be meant, the first cell that cannot be read, or what cannot be written.
///
/// # Examples
/// ```
/// use tesuji_circle::rows::{RowsRequest, RowsRun, learn_rows};
/// use tesuji_jobs::{Interrupt, Show};
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("rows.csv");
/// let row = |game: u32| format!("{},{game},1\n", u32::from(game % 4 > 0));
/// std::fs::write(&file, format!("result,game,ahead\n{}", (0..400).map(row).collect::<String>()))?;
/// let out = folder.path().join("weights.json");
/// let exact = RowsRequest { k: Some(1.0), pull_rows: Some(0.0), held_out: 0.0, ..RowsRequest::default() };
/// let request = RowsRequest { files: vec![file], out: out.clone(), ..exact };
/// let outcome = learn_rows(&request, &RowsRun { show: Show::Quiet, interrupt: &Interrupt::new() })?.expect("nobody stops it");
/// // Three of four are won by who is ahead: ln 3 = 1.1.
/// assert!((outcome.weights.list[0].value - 3f64.ln()).abs() < 0.2);
/// assert!(std::fs::read_to_string(out)?.contains("\"ahead\": 1."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn_rows(request: &RowsRequest, run: &RowsRun<'_>) -> Result<Option<RowsOutcome>, RequestError> {
    request.validate()?;
    check_outputs(request)?;
    let templates = request.templates.iter().map(|[from, _]| Template::read(from)).collect::<Result<Vec<_>, _>>()?;
    let Some(table) = read(request, run)? else { return Ok(None) };
    let mut list = WeightList::of_table(&table, &request.layout)?;
    if let Some(path) = &request.start {
        start::read(path, &mut list)?;
    }
    templates.iter().try_for_each(|template| template.check(&list))?;
    let facts = TableFacts::of(&table);
    let counted = table.into_rows(list.slots.clone());
    let mut rows = counted.rows;
    let factor = inner_factor(request, &rows, &list, &counted.counts);
    rows.scale_scores(factor as f32);
    let unit = |(weight, count): (&LearnedWeight, &f64)| weight.divide * count / factor;
    let units: Vec<f64> = list.list.iter().zip(&counted.counts).map(unit).collect();
    let trained = fit(request, run, &rows, (&list, &units), factor, facts.has_plies)?;
    let mut warnings = Vec::new();
    take(&mut list, &trained, &units);
    let mut k = trained.k / factor;
    if let Some(unit) = &request.unit {
        match list.scale_to(unit) {
            Ok(by) => k *= by,
            Err(warning) => warnings.push(warning),
        }
    }
    let text = match request.out.extension().and_then(|ending| ending.to_str()) {
        Some("csv") => list.csv(request.decimals),
        _ => list.json(request.decimals),
    };
    AtomicFile::write(&request.out, text.as_bytes())?;
    for (template, [_, out]) in templates.iter().zip(&request.templates) {
        AtomicFile::write(out, template.fill(&list, request.decimals).as_bytes())?;
    }
    Ok(Some(RowsOutcome {
        weights: list,
        trained,
        k,
        rows: rows.len(),
        games: facts.games,
        games_by: facts.games_by,
        warnings,
    }))
}

/// Checks, before the work, that all outputs may be written.
fn check_outputs(request: &RowsRequest) -> Result<(), RequestError> {
    let outputs = request.outputs();
    let read: Vec<&PathBuf> =
        request.files.iter().chain(&request.start).chain(request.templates.iter().map(|[from, _]| from)).collect();
    outputs.iter().try_for_each(|output| check_new_output(output, &read))?;
    check_apart(&outputs)
}

/// Reads the tables.
fn read(request: &RowsRequest, run: &RowsRun<'_>) -> Result<Option<FeatureTable>, RequestError> {
    let sizes = request.files.iter().map(|path| std::fs::metadata(path).ok().filter(|meta| meta.is_file()));
    let bytes = sizes.map(|meta| meta.map(|meta| meta.len())).sum();
    let progress = Progress::start("reading", "bytes", bytes, run.show);
    let job = TableJob {
        files: &request.files,
        format: request.layout.format,
        columns: &request.layout.columns,
        jobs: threads(request.jobs),
        interrupt: run.interrupt,
        tell: &|bytes, rows| progress.set_noted(bytes, &format!("{rows} rows")),
    };
    read_tables(&job).map_err(RequestError::failed)
}

/// What is known of the rows of a table.
struct TableFacts {
    has_plies: bool,
    games: u32,
    games_by: &'static str,
}

impl TableFacts {
    fn of(table: &FeatureTable) -> TableFacts {
        let games_by = match (table.has_games, table.has_games_by_plies) {
            (true, _) => "by their column",
            (_, true) => "where plies begin again, since no column names the game",
            _ => "blocks of 256 neighbours, since no column names the game",
        };
        TableFacts { has_plies: table.has_plies, games: table.games, games_by }
    }
}

/// What weights of the user are multiplied by to be fitted.
fn inner_factor(request: &RowsRequest, rows: &Rows, list: &WeightList, counts: &[f64]) -> f64 {
    if let Some(k) = request.k {
        return K_INNER / k;
    }
    let worth: Vec<f64> =
        list.list.iter().zip(counts).map(|(weight, count)| weight.start / (weight.divide * count)).collect();
    let value = |row: tesuji_dataset::Row<'_>| -> f64 {
        row.entries.iter().map(|entry| worth[usize::from(entry.feature)] * f64::from(entry.count)).sum()
    };
    let square = rows.iter().map(|row| value(row).powi(2)).sum::<f64>() / rows.len().max(1) as f64;
    // K is fitted to the start weights, whatever their unit; without any the unit is that of centipawns.
    if square > 0.0 { VALUE_INNER / square.sqrt() } else { 1.0 }
}

/// Fits the weights.
fn fit(
    request: &RowsRequest,
    run: &RowsRun<'_>,
    rows: &Rows,
    (list, units): (&WeightList, &[f64]),
    factor: f64,
    has_plies: bool,
) -> Result<Trained, RequestError> {
    let inner = |value: f64, unit: f64| (value / unit) as f32;
    let weights = || list.list.iter().zip(units);
    let start: Vec<[f32; 2]> = weights().map(|(weight, &unit)| [inner(weight.start, unit), 0.0]).collect();
    // Rounded as the weights are, so that a weight on its bound is seen to be there.
    let bounds = weights().map(|(weight, &unit)| weight.bounds.map(|bound| f64::from(inner(bound, unit)))).collect();
    let frozen = list.list.iter().enumerate().filter(|(_, weight)| weight.frozen).map(|(number, _)| number).collect();
    let settings = TuneSettings {
        method: request.method,
        epochs: request.epochs,
        batch: request.batch,
        rate_cp: request.rate_cp,
        loss: request.loss,
        lambda_plies: request.lambda_plies.filter(|_| has_plies),
        result_share: request.result_share,
        pull_rows: request.pull_rows,
        trusted_rows: None,
        l2_rows: request.l2_rows,
        k: request.k.map(|k| k * factor),
        held_out: request.held_out,
        patience: request.patience,
        frozen,
        bounds,
        step: request.step,
        units: units.to_vec(),
        restarts: request.restarts,
        shake_cp: request.shake_cp,
        bootstrap: request.bootstrap,
        seed: request.seed,
        jobs: threads(request.jobs),
    };
    let progress = Progress::start("learning", "epochs", Some(u64::from(settings.epochs)), run.show);
    let trained = learn_real(rows, &start, &Canon::default(), &settings, &mut |event| {
        if let Event::Epoch(epoch) = &event {
            let held = epoch.held_loss.map_or(String::new(), |loss| format!(", validation {loss:.6}"));
            progress.set_noted(u64::from(epoch.epoch), &format!("training {:.6}{held}", epoch.train_loss));
        }
        if run.interrupt.is_raised() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    trained.map_err(RequestError::failed)
}

/// Takes the fitted weights into the user's unit.
fn take(list: &mut WeightList, trained: &Trained, units: &[f64]) {
    for (number, (weight, unit)) in list.list.iter_mut().zip(units).enumerate() {
        // Those that were not learned keep their start to the last digit.
        if !weight.frozen && trained.real[number][0] != (weight.start / unit) as f32 {
            weight.value = f64::from(trained.real[number][0]) * unit;
        }
        weight.error = trained.errors.get(number).map(|error| f64::from(error[0]) * unit.abs());
        weight.at_bound = trained.at_bound.iter().any(|bound| bound.0 == number);
    }
}
