//! A learning of weights from tables, as it is asked for.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_dataset::feature_table::{TableColumns, TableFormat};
use tesuji_jobs::read_text_limited;
use tesuji_kit::{RequestError, tuning::TuneRequest};
use tesuji_tune::{Loss, Method, TuneSettings};

/// The longest file of a layout, in bytes.
const LAYOUT_BYTES_MAX: u64 = 1 << 20;

/// What the columns of a table are, and what is allowed to their weights: a TOML file of its own, or a part of the request.
///
/// # Examples
/// ```
/// use tesuji_circle::rows::RowsLayout;
/// let text = r#"
/// divide = 256
/// columns = { result = "wdl", game = "id", ignore = ["fen"] }
/// pairs = [["mg_*", "eg_*"]]
/// [[groups]]
/// columns = "psq_*"
/// low = -50
/// high = 50
/// "#;
/// let layout = RowsLayout::parse(text, "layout.toml")?;
/// assert_eq!((layout.divide, layout.groups.len()), (256.0, 1));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowsLayout {
    /// The format of the files; that of their names if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<TableFormat>,
    /// What a value of 1 stands for in the table: 256 where values are 256ths.
    pub divide: f64,
    /// Columns that have two weights where rows have a phase; empty: all. `*` stands for any characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tapered: Vec<String>,
    /// Columns that are one tapered weight together, as two patterns of middlegame and endgame: `mg_*` and `eg_*`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<[String; 2]>,
    /// The names of the columns that are no features.
    pub columns: TableColumns,
    /// Rules for the weights of some columns; later ones win.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<WeightGroup>,
}

/// Rules for the weights of some columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WeightGroup {
    /// The columns, or weights (`NAME.mg`); `*` stands for any characters.
    pub columns: String,
    /// Whether they keep their start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frozen: Option<bool>,
    /// The least weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// The greatest weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// The weight to start from, where no file of weights says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// What a value of 1 stands for, instead of the layout's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub divide: Option<f64>,
}

impl WeightGroup {
    /// Columns that keep their start.
    pub fn frozen(columns: &str) -> WeightGroup {
        WeightGroup { columns: columns.to_string(), frozen: Some(true), ..WeightGroup::default() }
    }
}

impl Default for RowsLayout {
    fn default() -> RowsLayout {
        RowsLayout {
            format: None,
            divide: 1.0,
            tapered: Vec::new(),
            pairs: Vec::new(),
            columns: TableColumns::default(),
            groups: Vec::new(),
        }
    }
}

impl RowsLayout {
    /// Reads a TOML file.
    ///
    /// # Errors
    /// When it cannot be read, or a field is unknown or wrong; the line is named.
    pub fn read(path: &Path) -> Result<RowsLayout, RequestError> {
        let text = read_text_limited(path, LAYOUT_BYTES_MAX)?;
        RowsLayout::parse(&text, &path.display().to_string())
    }

    /// Adds pairs, each as two patterns with a comma.
    ///
    /// # Errors
    /// When a word is no such pair.
    pub fn add_pairs(&mut self, words: &[String]) -> Result<(), RequestError> {
        for word in words {
            let pair =
                word.split_once(',').filter(|(mg, eg)| [mg, eg].iter().all(|half| half.matches('*').count() == 1));
            let Some((mg, eg)) = pair else {
                return Err(RequestError::failed(format_args!(
                    "--pair {word}: expected two patterns, such as mg_*,eg_*"
                )));
            };
            self.pairs.push([mg.to_string(), eg.to_string()]);
        }
        Ok(())
    }

    /// Reads the text of a TOML file called `name`.
    ///
    /// # Errors
    /// As [`RowsLayout::read`].
    pub fn parse(text: &str, name: &str) -> Result<RowsLayout, RequestError> {
        toml::from_str(text)
            .map_err(|error| RequestError::failed(format_args!("{name}: {}", error.to_string().trim_end())))
    }
}

/// Weights to be learned from tables. All fields but `files` and `out` may be missing.
///
/// # Examples
/// ```
/// use tesuji_circle::rows::RowsRequest;
/// let request: RowsRequest = serde_json::from_str(r#"{ "files": ["r.csv"], "out": "w.json", "held_out": 1 }"#)?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "held_out 1: expected a share from 0 up to, but not, 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RowsRequest {
    /// The version of this form: [`RowsRequest::VERSION`].
    pub version: u32,
    /// The tables, read one after the other.
    pub files: Vec<PathBuf>,
    /// What their columns are.
    pub layout: RowsLayout,
    /// Weights to start from: JSON or CSV as `out` is written, or JSON with as many numbers as there are weights.
    pub start: Option<PathBuf>,
    /// `NAME=NUMBER`: all weights are multiplied so that this one becomes that number.
    pub unit: Option<String>,
    /// The file for the weights: JSON, or CSV by its name.
    pub out: PathBuf,
    /// Files that are copied with the weights filled in: from where, and where to.
    pub templates: Vec<[PathBuf; 2]>,
    /// Digits behind the point of written weights; six significant digits if not given.
    pub decimals: Option<u8>,
    /// The method of minimisation.
    pub method: Method,
    /// Passes over the rows at most.
    pub epochs: u32,
    /// Stop after this many epochs without a better validation loss.
    pub patience: u32,
    /// Attempts after the first, from shaken weights.
    pub restarts: u32,
    /// The size of random perturbations of weights for another attempt, in centipawns of their effect.
    pub shake_cp: f64,
    /// Bootstrap: repetitions of learning with games drawn again, for standard errors.
    pub bootstrap: u32,
    /// A row this many plies before the end counts 1/e of the last one; `null` or 0: all count the same.
    pub lambda_plies: Option<f64>,
    /// Share of the game's result in what is learned, 0 to 1; the rest is the score.
    pub result_share: f64,
    /// The loss that is minimised.
    pub loss: Loss,
    /// Length of the first steps, in centipawns of their effect.
    pub rate_cp: f64,
    /// Rows of one step.
    pub batch: usize,
    /// The step of coordinate descent, in the unit of the weights.
    pub step: f64,
    /// Regularisation towards the start weights, in rows of one more squared pawn of loss; `null`: by the rows themselves.
    pub pull_rows: Option<f64>,
    /// L2 regularisation towards 0, in the same measure.
    pub l2_rows: f64,
    /// The value that multiplies the odds by e, in the unit of the weights; fitted to the start if not given.
    pub k: Option<f64>,
    /// Share of the games that are kept to judge what was learned, at least 0 and below 1.
    pub held_out: f64,
    /// Decides the split and the order.
    pub seed: u64,
    /// Threads; 0: one for each core. The result does not depend on them.
    pub jobs: usize,
}

impl Default for RowsRequest {
    fn default() -> RowsRequest {
        let usual = TuneSettings::default();
        RowsRequest {
            version: Self::VERSION,
            files: Vec::new(),
            layout: RowsLayout::default(),
            start: None,
            unit: None,
            out: PathBuf::new(),
            templates: Vec::new(),
            decimals: None,
            method: Self::METHOD,
            epochs: Self::EPOCHS,
            patience: usual.patience,
            restarts: usual.restarts,
            shake_cp: usual.shake_cp,
            bootstrap: usual.bootstrap,
            lambda_plies: usual.lambda_plies,
            result_share: usual.result_share,
            loss: usual.loss,
            rate_cp: usual.rate_cp,
            batch: usual.batch,
            step: usual.step,
            pull_rows: usual.pull_rows,
            l2_rows: usual.l2_rows,
            k: usual.k,
            held_out: usual.held_out,
            seed: usual.seed,
            jobs: 0,
        }
    }
}

impl RowsRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;
    /// The usual method: nothing in it depends on the number of rows, which may be few.
    pub const METHOD: Method = Method::Lbfgs;
    /// The usual number of iterations.
    pub const EPOCHS: u32 = 200;

    /// A request that fits weights as `request` does; the rest is to be filled in.
    pub fn fitted_as(request: &TuneRequest) -> RowsRequest {
        RowsRequest {
            method: request.method,
            epochs: request.epochs,
            patience: request.patience,
            restarts: request.restarts,
            shake_cp: request.shake_cp,
            bootstrap: request.bootstrap,
            lambda_plies: request.lambda_plies,
            result_share: request.result_share,
            loss: request.loss,
            rate_cp: request.rate_cp,
            batch: request.batch,
            pull_rows: request.pull_rows,
            l2_rows: request.l2_rows,
            k: request.k,
            held_out: request.held_out,
            seed: request.seed,
            jobs: request.jobs,
            ..RowsRequest::default()
        }
    }

    /// The files that are written.
    pub fn outputs(&self) -> Vec<PathBuf> {
        std::iter::once(&self.out).chain(self.templates.iter().map(|[_, out]| out)).cloned().collect()
    }

    /// Checks the request by itself; files and columns are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        let missing = [("files", self.files.is_empty()), ("out", self.out.as_os_str().is_empty())];
        if let Some((field, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(RequestError::field(field, "is missing"));
        }
        self.layout.columns.check().map_err(|(field, words)| RequestError::field(field, words))?;
        if !(0.0..1.0).contains(&self.held_out) {
            return Err(RequestError::value("held_out", self.held_out, "expected a share from 0 up to, but not, 1"));
        }
        if !(0.0..=1.0).contains(&self.result_share) {
            return Err(RequestError::value("result_share", self.result_share, "expected a share from 0 to 1"));
        }
        let divides = self.layout.groups.iter().filter_map(|group| group.divide);
        let above = [("step", Some(self.step)), ("k", self.k)].into_iter();
        let above =
            above.chain(std::iter::once(self.layout.divide).chain(divides).map(|divide| ("divide", Some(divide))));
        for (field, value) in above {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
                return Err(RequestError::value(field, value, "expected a number above 0"));
            }
        }
        if self.batch == 0 {
            return Err(RequestError::value("batch", 0, "expected at least 1"));
        }
        self.check_unit()?;
        let measures = [
            ("lambda_plies", self.lambda_plies),
            ("pull_rows", self.pull_rows),
            ("l2_rows", Some(self.l2_rows)),
            ("rate_cp", Some(self.rate_cp)),
            ("shake_cp", Some(self.shake_cp)),
        ];
        match measures.into_iter().find(|(_, value)| value.is_some_and(|value| !(value >= 0.0 && value.is_finite()))) {
            Some((field, value)) => Err(RequestError::value(field, value.unwrap_or(f64::NAN), "expected at least 0")),
            None => Ok(()),
        }
    }

    /// Checks the unit, which moves all weights.
    fn check_unit(&self) -> Result<(), RequestError> {
        let Some(unit) = &self.unit else { return Ok(()) };
        let number = unit.rsplit_once('=').and_then(|(_, number)| number.parse().ok());
        if !number.is_some_and(|number: f64| number > 0.0 && number.is_finite()) {
            return Err(RequestError::value("unit", unit, "expected NAME=NUMBER, such as material=100"));
        }
        let holds = |group: &WeightGroup| group.frozen == Some(true) || group.low.is_some() || group.high.is_some();
        if self.layout.groups.iter().any(holds) {
            return Err(RequestError::value("unit", unit, "it scales all weights, but some are frozen or bounded"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = RowsRequest {
            files: vec!["r.csv".into()],
            out: "w.json".into(),
            templates: vec![["a.h.in".into(), "a.h".into()]],
            layout: RowsLayout { groups: vec![WeightGroup::frozen("a*")], ..RowsLayout::default() },
            ..RowsRequest::default()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<RowsRequest>(&text).unwrap(), request);
        assert!(request.validate().is_ok());
        let check = |change: fn(&mut RowsRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.files.clear(), "files is missing");
        check(|request| request.out = PathBuf::new(), "out is missing");
        check(|request| request.layout.divide = 0.0, "divide 0: expected a number above 0");
        check(|request| request.unit = Some("pawn".into()), "unit pawn: expected NAME=NUMBER, such as material=100");
        check(
            |request| request.unit = Some("pawn=100".into()),
            "unit pawn=100: it scales all weights, but some are frozen or bounded",
        );
        check(
            |request| request.layout.columns.phase = Some("p".into()),
            "phases is missing: the phases of a pure endgame and of a pure middlegame, such as 0,24",
        );
    }

    #[test]
    fn a_wrong_layout_names_its_line() {
        let error = RowsLayout::parse("divide = 2\nnonsense = 1\n", "l.toml").unwrap_err().to_string();
        assert!(error.starts_with("l.toml: ") && error.contains("line 2") && error.contains("nonsense"), "{error}");
    }
}
