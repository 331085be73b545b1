//! The request for training an efficiently updatable network, typed, which a command line, a file, a page or a round
//! of `improve` can make.

use crate::RequestError;
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};
use tesuji_cuda::ComputeDevice;
use tesuji_dataset::data::Sieve;
use tesuji_jobs::Identity;
use tesuji_nn::nnue::Architecture;
use tesuji_train::nnue::NnueSettings;

/// An efficiently updatable network to be trained. All fields but `game`, `games`, `net` and `out` may be missing.
///
/// # Examples
/// ```
/// use tesuji_kit::nnue_training::NnueRequest;
///
/// let request: NnueRequest = serde_json::from_str(
///     r#"{ "game": "chess", "games": ["a.sgs"], "net": "chess-768x256", "out": "a.nnue", "result_share": [0.3, 1.5] }"#,
/// )?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "result_share 1.5: expected 0 to 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NnueRequest {
    /// The version of this form: [`NnueRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games or positions to learn from, in any format of the game. Empty: `prepared` has them.
    pub games: Vec<PathBuf>,
    /// The file for the net.
    pub out: PathBuf,
    /// A shape that the game knows by name, or a TOML file.
    pub net: String,
    /// A net of the same shape, or the checkpoint of another run, to begin with its weights; random numbers if not given.
    pub from: Option<PathBuf>,
    /// Positions to see in all; 0: `epochs` times those there are.
    pub positions: u64,
    /// Epochs: the number of times that each position is seen, where `positions` is 0.
    pub epochs: f64,
    /// Positions of one step; by the number of positions if not given: a fiftieth of them as a power of two, 256 to 16,384, so that
    /// twenty epochs of few positions are a thousand steps all the same.
    pub batch: Option<usize>,
    /// The largest learning rate.
    pub rate: f32,
    /// The learning rate at the end, to which it falls along a cosine.
    pub rate_last: f32,
    /// Positions over which the rate rises from nothing; one epoch, at most 1,000,000, if not given.
    pub warm_up: Option<u64>,
    /// Weight decay for each unit of rate.
    pub decay: f32,
    /// Centipawns of score that mean an expected result of 73 %; 0: the scale of the net.
    pub score_scale: f32,
    /// The share of the result in what is learned, at the beginning and at the end; the rest is the score.
    #[serde(deserialize_with = "one_or_two_shares")]
    pub result_share: [f32; 2],
    /// The loss is the error of the expected result to this power.
    pub power: f32,
    /// The share of the run, at its end, in which weights are rounded as integers of the net.
    pub rounded_share: f32,
    /// Whether every other run of positions is shown mirrored, in games in which that is worth the same.
    pub mirror: bool,
    /// Of the generator of random numbers.
    pub seed: u64,
    /// The filter of positions to learn from.
    pub filters: PositionFilters,
    /// The share of the games that is held out and judges the net.
    pub held_out: f64,
    /// Positions of a validation, at most.
    pub validation: usize,
    /// Positions between two validations; one epoch, at most 10,000,000, if not given.
    pub validate_every: Option<u64>,
    /// The file of packed positions, for this run and others; beside the net if not given.
    pub prepared: Option<PathBuf>,
    /// Memory for shuffling, in MiB; what does not fit goes to the disk.
    pub memory_mib: usize,
    /// Whether broken records are left out.
    pub skip_errors: bool,
    /// The device that takes the steps: `cpu` or `cuda:N`.
    pub device: ComputeDevice,
    /// Threads; 0: one for each core.
    pub threads: usize,
    /// The file of the run; beside the net if not given.
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two checkpoints.
    pub save_every: u64,
    /// The file of the log, a line of JSON for every few steps; beside the net if not given.
    pub journal: Option<PathBuf>,
}

/// The filter of positions to learn from, and their preparation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PositionFilters {
    /// Plies at the beginning of games that are left out.
    pub first_plies: u32,
    /// The largest score to either side, in centipawns.
    pub score_max: u32,
    /// Whether positions in check are learned from.
    pub checks: bool,
    /// Whether positions are learned from whose best move takes or promotes.
    pub captures: bool,
    /// Whether positions are learned from as often as they come.
    pub duplicates: bool,
    /// Positions of a game that are learned from together, one after another.
    pub run: RunLength,
    /// For each position, others after one to three random moves, of which the value of the hand-made evaluation is learned and no result: a search
    /// meets such positions, and games do not.
    pub branches: u32,
}

/// Positions of a run, 1 to 256: longer ones train faster, single ones are mixed best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunLength(pub u32);

/// Branches of a position, at most.
const BRANCHES_MAX: u32 = 16;
/// The largest warm-up by default, in positions.
const WARM_UP_MAX: u64 = 1_000_000;
/// The longest time between two validations by default, in positions.
const VALIDATE_EVERY_MAX: u64 = 10_000_000;
/// The bounds of the batch by default.
const BATCHES: [u64; 2] = [256, 16_384];
/// Steps of an epoch that the batch is chosen for by default.
const EPOCH_STEPS: u64 = 50;

/// The batch for `training` positions: a power of two. A batch of 16,384 for 25,000 positions made thirty steps in twenty epochs, and
/// the run ended in its warm-up.
fn default_batch(training: u64) -> usize {
    let wanted = (training / EPOCH_STEPS).clamp(BATCHES[0], BATCHES[1]);
    1 << wanted.ilog2()
}

impl Default for PositionFilters {
    fn default() -> Self {
        PositionFilters {
            first_plies: 8,
            score_max: 2000,
            checks: false,
            captures: false,
            duplicates: false,
            run: RunLength(8),
            branches: 0,
        }
    }
}

/// One share for the whole run, or those of its begin and its end.
fn one_or_two_shares<'de, D: Deserializer<'de>>(from: D) -> Result<[f32; 2], D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "expected a share, or two: those of the begin and the end")]
    enum Shares {
        One(f32),
        Two([f32; 2]),
    }
    Ok(match Shares::deserialize(from)? {
        Shares::One(share) => [share, share],
        Shares::Two(shares) => shares,
    })
}

impl Default for NnueRequest {
    fn default() -> NnueRequest {
        NnueRequest {
            version: Self::VERSION,
            game: String::new(),
            games: Vec::new(),
            out: PathBuf::new(),
            net: String::new(),
            from: None,
            positions: 0,
            epochs: 20.0,
            batch: None,
            rate: 0.001,
            rate_last: 0.000_01,
            warm_up: None,
            decay: 0.01,
            score_scale: 0.0,
            result_share: [0.1, 0.1],
            power: 2.0,
            rounded_share: 0.1,
            mirror: false,
            seed: 1,
            filters: PositionFilters::default(),
            held_out: 0.05,
            validation: 500_000,
            validate_every: None,
            prepared: None,
            memory_mib: 1024,
            skip_errors: false,
            device: ComputeDevice::default(),
            threads: 0,
            checkpoint: None,
            save_every: 60,
            journal: None,
        }
    }
}

impl NnueRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and the shape are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        let is_without_games = self.games.is_empty() && self.prepared.is_none();
        let texts =
            [("games", is_without_games), ("out", self.out.as_os_str().is_empty()), ("net", self.net.is_empty())];
        if let Some((field, _)) = texts.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(RequestError::field(field, "is missing"));
        }
        let counts = [
            ("batch", self.batch == Some(0)),
            ("validation", self.validation == 0),
            ("validate_every", self.validate_every == Some(0)),
            ("memory_mib", self.memory_mib == 0),
        ];
        if let Some((field, _)) = counts.into_iter().find(|(_, is_none)| *is_none) {
            return Err(RequestError::value(field, 0, "expected at least 1"));
        }
        let within = |field, value: f32, low: f32, high: f32, words: &str| {
            if (low..=high).contains(&value) { Ok(()) } else { Err(RequestError::value(field, value, words)) }
        };
        within("rate", self.rate, 1e-9, 10.0, "expected above 0, at most 10")?;
        within("rate_last", self.rate_last, 0.0, 10.0, "expected 0 to 10")?;
        within("decay", self.decay, 0.0, 10.0, "expected 0 to 10")?;
        within("power", self.power, 1.0, 4.0, "expected 1 to 4")?;
        within("score_scale", self.score_scale, 0.0, 10_000.0, "expected 0 to 10000")?;
        within("rounded_share", self.rounded_share, 0.0, 1.0, "expected 0 to 1")?;
        within("result_share", self.result_share[0], 0.0, 1.0, "expected 0 to 1")?;
        within("result_share", self.result_share[1], 0.0, 1.0, "expected 0 to 1")?;
        if !(0.0..1.0).contains(&self.held_out) || self.held_out * 1000.0 < 1.0 {
            let reason = "expected a share of at least 0.001, below 1";
            return Err(RequestError::value("held_out", self.held_out, reason));
        }
        if self.positions == 0 && !(self.epochs > 0.0 && self.epochs <= 1e6) {
            return Err(RequestError::value("epochs", self.epochs, "expected above 0, at most 1000000"));
        }
        if !(1..=256).contains(&self.filters.run.0) {
            return Err(RequestError::value("filters.run", self.filters.run.0, "expected 1 to 256"));
        }
        if self.filters.branches > BRANCHES_MAX {
            let words = format!("expected 0 to {BRANCHES_MAX}");
            return Err(RequestError::value("filters.branches", self.filters.branches, words));
        }
        Ok(())
    }

    /// The run for a net that learns from `training` positions, of which `words` say which they are; `from` says what it begins with.
    pub fn settings(&self, architecture: Architecture, (words, training): (String, u64), from: String) -> NnueSettings {
        let batch = self.batch.unwrap_or_else(|| default_batch(training));
        let per_step = batch as u64;
        let warm_up = self.warm_up.unwrap_or_else(|| training.min(WARM_UP_MAX));
        let validate_every = self.validate_every.unwrap_or_else(|| training.clamp(1, VALIDATE_EVERY_MAX));
        let positions = match self.positions {
            0 => (training as f64 * self.epochs).ceil() as u64,
            positions => positions,
        };
        let score_scale = if self.score_scale > 0.0 { self.score_scale } else { architecture.scale as f32 };
        NnueSettings {
            architecture,
            seed: self.seed,
            positions: words,
            from,
            batch,
            steps: positions.div_ceil(per_step).max(1),
            rate: self.rate,
            rate_last: self.rate_last,
            warm_up: warm_up.div_ceil(per_step),
            decay: self.decay,
            score_scale,
            result_share: self.result_share,
            power: self.power,
            rounded_share: self.rounded_share,
            mirror: self.mirror,
            log_every: (validate_every / 10).div_ceil(per_step).max(1),
            validate_every: validate_every.div_ceil(per_step),
            validation: self.validation,
        }
    }

    /// Which positions are kept.
    pub(super) fn sieve(&self) -> Sieve {
        let filters = &self.filters;
        Sieve {
            finished: self.result_share.iter().any(|&share| share > 0.0),
            scored: self.result_share.iter().any(|&share| share < 1.0),
            ply: (filters.first_plies > 0).then_some((filters.first_plies, u32::MAX)),
            score_cp: self.result_share.iter().any(|&share| share < 1.0).then_some((0, filters.score_max)),
            no_checks: !filters.checks,
            no_captures: !filters.captures,
            ..Sieve::default()
        }
    }

    /// The file of packed positions.
    pub fn prepared_path(&self) -> PathBuf {
        self.beside(&self.prepared, "positions")
    }

    /// The files that are written.
    pub fn outputs(&self) -> Vec<PathBuf> {
        vec![self.out.clone(), self.checkpoint_path(), self.log_path(), self.prepared_path()]
    }

    /// The file of the run.
    pub fn checkpoint_path(&self) -> PathBuf {
        self.beside(&self.checkpoint, "checkpoint")
    }

    /// The file of the log.
    pub fn log_path(&self) -> PathBuf {
        self.beside(&self.journal, "log")
    }

    fn beside(&self, given: &Option<PathBuf>, ending: &str) -> PathBuf {
        given.clone().unwrap_or_else(|| self.out.with_extension(ending))
    }

    /// Files and filters in words: which positions there are.
    ///
    /// # Errors
    /// When a file is not there.
    pub(super) fn words(&self) -> Result<String, RequestError> {
        let mut files = Vec::new();
        for path in &self.games {
            let length = std::fs::metadata(path);
            let length = length.map_err(|error| RequestError::failed(format!("{}: {error}", path.display())))?.len();
            let name = Path::file_name(path).unwrap_or(path.as_os_str()).to_string_lossy();
            // Another file of the same name and size is another file.
            let content = Identity::of(path).map_err(RequestError::failed)?;
            let content = content.map_or(String::new(), |file| format!(", SHA-256 {}", file.content()));
            files.push(format!("{name} ({length} bytes{content})"));
        }
        let sieve = serde_json::to_string(&self.sieve()).map_err(RequestError::failed)?;
        let PositionFilters { run, duplicates, branches, .. } = self.filters;
        let branches = if branches > 0 { format!("; {branches} branches of each") } else { String::new() };
        Ok(format!(
            "{}; filters {sieve}; duplicates {}; runs of {}{branches}; {} held out",
            files.join(", "),
            if duplicates { "kept" } else { "left out" },
            run.0,
            self.held_out
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> NnueRequest {
        NnueRequest {
            game: "four".into(),
            games: vec!["a/b.txt".into()],
            net: "small".into(),
            out: "net.nnue".into(),
            ..NnueRequest::default()
        }
    }

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let text = serde_json::to_string(&request()).unwrap();
        assert_eq!(serde_json::from_str::<NnueRequest>(&text).unwrap(), request());
        assert!(request().validate().is_ok());
        let check = |change: fn(&mut NnueRequest), says: &str| {
            let mut request = request();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.batch = Some(0), "batch 0: expected at least 1");
        check(|request| request.result_share = [0.0, f32::NAN], "result_share NaN: expected 0 to 1");
        check(|request| request.games.clear(), "games is missing");
        check(|request| request.filters.run = RunLength(0), "filters.run 0: expected 1 to 256");
        check(|request| request.filters.branches = 17, "filters.branches 17: expected 0 to 16");
        check(|request| request.power = 9.0, "power 9: expected 1 to 4");
        check(|request| request.epochs = 0.0, "epochs 0: expected above 0, at most 1000000");
        check(|request| request.version = 7, "version 7: this program knows 1");
        assert!(serde_json::from_str::<NnueRequest>(r#"{ "filters": { "pinned": true } }"#).is_err());
    }

    #[test]
    fn a_run_of_few_positions_does_not_end_in_its_warm_up() {
        let text = "name = 'a'\ngame = 'b'\nwidth = 32\nactivation = 'screlu'\n[features]\nset = 'c'\ninputs = 4\nactive_max = 2\n";
        let architecture = Architecture::parse(text).unwrap();
        for (training, batch) in [(1, 256), (24_522, 256), (74_000, 1_024), (1_000_000, 16_384), (100_000_000, 16_384)]
        {
            let settings = request().settings(architecture.clone(), ("words".into(), training), String::new());
            assert_eq!(settings.batch, batch, "{training} positions");
            assert!(settings.warm_up * 10 <= settings.steps || training == 1, "{training}: {settings:?}");
            assert!(settings.steps >= 900 || training == 1, "{training}: {settings:?}");
            assert!(settings.validate_every >= 1 && settings.validate_every * 5 <= settings.steps || training == 1);
        }
        assert_eq!(request().settings(architecture, ("words".into(), 1 << 40), String::new()).warm_up, 62);
    }

    #[test]
    fn games_of_the_same_size_with_other_content_are_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sgs");
        let request = NnueRequest { games: vec![path.clone()], ..request() };
        let words = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            request.words().unwrap()
        };
        let first = words(b"1234");
        assert!(first.starts_with("games.sgs (4 bytes, SHA-256 "), "{first}");
        assert_ne!(words(b"1235"), first);
        assert_eq!(words(b"1234"), first, "when a file was written does not matter");
    }

    #[test]
    fn runs_are_measured_in_steps() {
        let text = "name = 'a'\ngame = 'b'\nwidth = 32\nactivation = 'screlu'\n[features]\nset = 'c'\ninputs = 4\nactive_max = 2\n";
        let architecture = Architecture::parse(text).unwrap();
        let request =
            NnueRequest { batch: Some(128), validate_every: Some(300), warm_up: Some(1000), epochs: 2.5, ..request() };
        let settings = request.settings(architecture, ("words".into(), 1000), String::new());
        assert_eq!((settings.steps, settings.validate_every, settings.log_every, settings.warm_up), (20, 3, 1, 8));
        assert_eq!((settings.score_scale, request.log_path()), (400.0, PathBuf::from("net.log")));
        assert_eq!(request.prepared_path(), PathBuf::from("net.positions"));
    }
}
