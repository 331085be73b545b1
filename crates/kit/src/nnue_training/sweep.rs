//! A sweep: many runs on the same positions, with settings of a grid or a list, and a table of what they reached. Every run keeps its own
//! checkpoint, so that a sweep that was stopped goes on with the run in which that happened.

use super::request::NnueRequest;
use super::run::{NnueDone, NnueTrainRun, train_nnue};
use crate::{Kit, RequestError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;
use tesuji_jobs::read_text_limited;
use toml::{Table, Value};

/// The longest plan, in bytes.
const PLAN_BYTES_MAX: u64 = 1 << 20;
/// The most runs of a sweep.
const RUNS_MAX: usize = 1000;
/// The fields of a request that runs may differ in: all others decide which positions there are, or where files lie.
const FIELDS: [&str; 12] = [
    "net",
    "epochs",
    "positions",
    "batch",
    "rate",
    "rate_last",
    "warm_up",
    "decay",
    "score_scale",
    "result_share",
    "power",
    "seed",
];

/// The settings of the runs of a sweep, by the names of fields of a request: every combination of a grid, then single runs.
///
/// # Examples
/// ```
/// use tesuji_kit::nnue_training::{NnueRequest, NnueSweep};
///
/// let sweep = NnueSweep::parse("[grid]\nrate = [0.001, 0.002]\nnet = ['a', 'b']\n[[run]]\nepochs = 5.0", "plan.toml")?;
/// let base = NnueRequest { game: "chess".into(), games: vec!["g.sgs".into()], net: "c".into(), out: "n.nnue".into(), ..Default::default() };
/// let runs = sweep.runs(&base)?;
/// assert_eq!(runs.len(), 5);
/// assert_eq!((runs[0].1.out.to_str(), runs[0].0.as_str()), (Some("n-1.nnue"), "net a, rate 0.001"));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NnueSweep {
    /// Values of fields: every combination is a run.
    pub grid: BTreeMap<String, Vec<Value>>,
    /// Single runs.
    pub run: Vec<Table>,
}

/// A run of a sweep with what it reached.
#[derive(Debug, Clone, PartialEq)]
pub struct NnueSweepRow {
    /// Its settings, as far as runs differ.
    pub settings: String,
    /// Its request.
    pub request: NnueRequest,
    /// Its end.
    pub done: NnueDone,
}

impl NnueSweep {
    /// Reads the plan in the file `path`.
    ///
    /// # Errors
    /// When it cannot be read, or as [`NnueSweep::parse`].
    pub fn read(path: &Path) -> Result<NnueSweep, RequestError> {
        let text = read_text_limited(path, PLAN_BYTES_MAX).map_err(RequestError::failed)?;
        NnueSweep::parse(&text, &path.display().to_string())
    }

    /// Reads the text of the plan `name`.
    ///
    /// # Errors
    /// When it is no plan, has no runs or too many, or lets them differ in what they may not.
    pub fn parse(text: &str, name: &str) -> Result<NnueSweep, RequestError> {
        let wrong = |words: String| RequestError::failed(format!("{name}: {words}"));
        let sweep: NnueSweep = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let fields = sweep.grid.keys().chain(sweep.run.iter().flat_map(Table::keys));
        if let Some(field) = fields.into_iter().find(|field| !FIELDS.contains(&field.as_str())) {
            return Err(wrong(format!("runs cannot differ in {field:?}, but in {}", FIELDS.join(", "))));
        }
        if let Some((field, _)) = sweep.grid.iter().find(|(_, values)| values.is_empty()) {
            return Err(wrong(format!("grid: {field:?} has no values")));
        }
        match sweep.count() {
            0 => Err(wrong("there are no runs: name values in [grid], or settings in [[run]]".into())),
            count if count > RUNS_MAX => Err(wrong(format!("{count} runs, expected at most {RUNS_MAX}"))),
            _ => Ok(sweep),
        }
    }

    /// The number of runs.
    fn count(&self) -> usize {
        let combined = self.grid.values().fold(1usize, |all, values| all.saturating_mul(values.len()));
        self.run.len().saturating_add(if self.grid.is_empty() { 0 } else { combined })
    }

    /// The settings of all runs.
    fn settings(&self) -> Vec<Table> {
        let mut combined = if self.grid.is_empty() { Vec::new() } else { vec![Table::new()] };
        for (field, values) in &self.grid {
            let with = |table: &Table, value: &Value| {
                let mut table = table.clone();
                table.insert(field.clone(), value.clone());
                table
            };
            combined = combined.iter().flat_map(|table| values.iter().map(|value| with(table, value))).collect();
        }
        combined.into_iter().chain(self.run.iter().cloned()).collect()
    }

    /// All runs: settings in words, and the request, which is `base` with these settings and files of its own. Packed positions are
    /// those of the first run.
    ///
    /// # Errors
    /// When a request cannot be meant.
    pub fn runs(&self, base: &NnueRequest) -> Result<Vec<(String, NnueRequest)>, RequestError> {
        let settings = self.settings();
        let digits = settings.len().to_string().len();
        let prepared = base.prepared_path();
        let mut runs = Vec::with_capacity(settings.len());
        for (index, settings) in settings.iter().enumerate() {
            let words = settings.iter().map(|(field, value)| format!("{field} {}", plain(value)));
            let words: Vec<String> = words.collect();
            let words = words.join(", ");
            let failed = |error: &dyn std::fmt::Display| {
                RequestError::failed(format!("run {} of the sweep ({words}): {error}", index + 1))
            };
            let mut request = serde_json::to_value(base).map_err(|error| failed(&error))?;
            for (field, value) in settings {
                request[field] = serde_json::to_value(value).map_err(|error| failed(&error))?;
            }
            let mut request: NnueRequest = serde_json::from_value(request).map_err(|error| failed(&error))?;
            let name = base.out.file_stem().unwrap_or_default().to_string_lossy();
            let ending = base.out.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
            let name = format!("{name}-{:0digits$}{}", index + 1, ending.unwrap_or_default());
            request.out = base.out.with_file_name(name);
            request.prepared = Some(prepared.clone());
            if index > 0 {
                request.games.clear();
            }
            request.validate().map_err(|error| failed(&error))?;
            runs.push((words, request));
        }
        Ok(runs)
    }
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

/// Trains the networks of all runs, one after another; `tell` hears of each before it begins: its number from 1, how many there are, its
/// settings. Where the last row was stopped, the same call goes on with it.
///
/// # Errors
/// Those of [`train_nnue`], and files named in the request that all runs would write.
pub fn sweep_nnue(
    sweep: &NnueSweep,
    base: &NnueRequest,
    kit: &'static dyn Kit,
    run: &mut NnueTrainRun<'_>,
    tell: &mut dyn FnMut(usize, usize, &str),
) -> Result<Vec<NnueSweepRow>, RequestError> {
    for (field, file) in [("checkpoint", &base.checkpoint), ("journal", &base.journal)] {
        if file.is_some() {
            return Err(RequestError::field(field, "every run of a sweep has its own: leave it out"));
        }
    }
    let runs = sweep.runs(base)?;
    let (count, mut rows) = (runs.len(), Vec::new());
    for (index, (settings, request)) in runs.into_iter().enumerate() {
        tell(index + 1, count, &settings);
        let done = train_nnue(&request, kit, run)?;
        let stopped = done.stopped;
        rows.push(NnueSweepRow { settings, request, done });
        if stopped {
            break;
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> NnueRequest {
        NnueRequest {
            game: "chess".into(),
            games: vec!["g.sgs".into()],
            net: "small.toml".into(),
            out: "nets/n.nnue".into(),
            ..NnueRequest::default()
        }
    }

    #[test]
    fn a_grid_is_combined_and_positions_are_shared() {
        let text = "[grid]\nrate = [0.001, 0.002]\nresult_share = [[0.3, 0.3], [0.5, 0.5]]\n[[run]]\nseed = 7\n";
        let runs = NnueSweep::parse(text, "p").unwrap().runs(&base()).unwrap();
        assert_eq!(runs.len(), 5);
        let rates: Vec<f32> = runs.iter().map(|(_, request)| request.rate).collect();
        assert_eq!(rates, [0.001, 0.001, 0.002, 0.002, 0.001]);
        assert_eq!((runs[1].1.result_share, runs[4].1.seed), ([0.5, 0.5], 7));
        assert_eq!(runs[4].1.out, Path::new("nets/n-5.nnue"));
        assert!(runs.iter().all(|(_, request)| request.prepared_path() == Path::new("nets/n.positions")));
        assert!(runs.iter().skip(1).all(|(_, request)| request.games.is_empty()));
        assert_eq!(runs[0].1.checkpoint_path(), Path::new("nets/n-1.checkpoint"));
    }

    /// `result_share = [0.1]` was refused with "invalid length 1, expected an array of length 2".
    #[test]
    fn a_share_is_one_number_or_two() {
        let runs = |text: &str| NnueSweep::parse(text, "p").unwrap().runs(&base());
        let shares = runs("[grid]\nresult_share = [0.5, [0.3, 0.6], 1]").unwrap();
        let shares: Vec<[f32; 2]> = shares.iter().map(|(_, request)| request.result_share).collect();
        assert_eq!(shares, [[0.5, 0.5], [0.3, 0.6], [1.0, 1.0]]);
        let error = runs("[[run]]\nresult_share = [0.1]").unwrap_err().to_string();
        assert!(error.contains("expected a share, or two"), "{error}");
    }

    #[test]
    fn wrong_plans_are_named() {
        for (text, wanted) in [
            ("", "there are no runs"),
            ("[grid]\nrate = []", "\"rate\" has no values"),
            ("[grid]\nout = ['a']", "runs cannot differ in \"out\""),
            ("[[run]]\nfilters = 3", "runs cannot differ in \"filters\""),
            ("grid = 3", "p: "),
            ("[other]", "p: "),
            (
                "[grid]\nseed = [1,2,3,4,5,6,7,8,9,10]\nbatch = [1,2,3,4,5,6,7,8,9,10]\nepochs = [1,2,3,4,5,6,7,8,9,10,11]",
                "1100 runs",
            ),
        ] {
            let error = NnueSweep::parse(text, "p").unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
        for (text, wanted) in [
            ("[grid]\nrate = [0.001, 20.0]", "run 2 of the sweep (rate 20.0): rate 20: expected above 0"),
            ("[[run]]\nbatch = 'x'", "run 1 of the sweep (batch x)"),
        ] {
            let error = NnueSweep::parse(text, "p").unwrap().runs(&base()).unwrap_err().to_string();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
