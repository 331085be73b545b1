//! The subject of tuning: the whole hand-made evaluation of a game or another set of its weights, each with its terms, files and bounds.

use super::{Tuning, WeightSet, frozen, request::FULL};
use crate::{Kit, check_plain_output};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
    sync::Mutex,
};
use tesuji_dataset::{Features, Filter, Rows, SampleError};
use tesuji_jobs::{AtomicFile, Existing, check_output, read_text_limited};
use tesuji_record::{Fault, GameRecord, Sample};
use tesuji_tally::{Term, Weights, feature_name};
use tesuji_tune::{Canon, old_name, save_weights};

/// The longest file of weights, in bytes, unpacked.
const WEIGHTS_BYTES_MAX: u64 = 64 << 20;
/// The longest file of bounds, in bytes.
const LIMITS_BYTES_MAX: u64 = 16 << 20;

/// The weights of a game that learn: all that play, or a set of their own.
#[derive(Clone, Copy)]
pub struct Pupil {
    tuning: &'static Tuning,
    /// `None`: the evaluation that plays.
    set: Option<&'static dyn WeightSet>,
}

impl Pupil {
    /// The weights `set` of a game: `full`, or a set by its name.
    ///
    /// # Errors
    /// When the game has none, or not these.
    pub fn new(kit: &dyn Kit, set: &str) -> anyhow::Result<Pupil> {
        let tuning = kit.tuning().with_context(|| format!("{} has no weights that learn", kit.name()))?;
        if set == FULL {
            return Ok(Pupil { tuning, set: None });
        }
        let names =
            || [FULL].into_iter().chain(tuning.sets.iter().map(|set| set.name())).collect::<Vec<_>>().join(", ");
        let found = tuning.sets.iter().find(|known| known.name() == set);
        let found = found
            .with_context(|| format!("--weight-set {set}: {} has no such weights; it has: {}", kit.name(), names()))?;
        Ok(Pupil { tuning, set: Some(*found) })
    }

    /// The weights `set` of a game; where that is `full` and the file `start` holds another set, that set.
    ///
    /// # Errors
    /// As [`Pupil::new`].
    pub fn starting(kit: &dyn Kit, set: &str, start: &str) -> anyhow::Result<Pupil> {
        let pupil = Pupil::new(kit, set)?;
        if set != FULL || pupil.tuning.sets.is_empty() || matches!(start, "builtin" | "material" | "-") {
            return Ok(pupil);
        }
        // A file that cannot be read is an error of the one that reads it.
        let text = read_text_limited(Path::new(start), WEIGHTS_BYTES_MAX).unwrap_or_default();
        let found = pupil.tuning.sets.iter().find(|set| set.is_file(&text));
        Ok(Pupil { set: found.copied(), ..pupil })
    }

    /// The name of the set; `None` for all weights of the game's own evaluation.
    pub fn set(self) -> Option<&'static str> {
        self.set.map(WeightSet::name)
    }

    /// The usual name of a file of these weights.
    pub fn file(self) -> &'static str {
        self.set.map_or("weights.json", WeightSet::file)
    }

    /// The terms of the weights.
    pub fn terms(self) -> &'static [Term] {
        self.features().terms()
    }

    /// Games as rows.
    pub fn features(self) -> &'static dyn Features {
        self.set.map_or(self.tuning.features, |set| set.features())
    }

    /// The game.
    pub fn game(self) -> &'static str {
        self.tuning.game()
    }

    /// The game's description of its tunable evaluation.
    pub fn tuning(self) -> &'static Tuning {
        self.tuning
    }

    /// The filter of boards to learn from.
    pub fn filter(self) -> Filter {
        self.set.map_or_else(Filter::default, |set| set.filter())
    }

    /// The canonical form of the weights.
    pub fn canon(self) -> Canon {
        self.set.map_or_else(self.tuning.canon, WeightSet::canon)
    }

    /// The weights that `name` means: builtin, material, or a file.
    ///
    /// # Errors
    /// When the file holds no such weights.
    pub fn start(self, name: &str) -> anyhow::Result<Weights> {
        match self.set {
            None => self.tuning.weights(name),
            Some(set) => set.start(name),
        }
    }

    /// Writes `weights` whole or not at all; what was there is kept as FILE.old.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(self, path: &Path, weights: &Weights) -> anyhow::Result<()> {
        match self.set {
            None => save_weights(path, weights, self.tuning.game(), self.terms())?,
            Some(set) => {
                keep_old(path)?;
                AtomicFile::write(path, set.text(weights).as_bytes())?;
            }
        }
        Ok(())
    }

    /// The bounds of the set, changed by the file (TOML: `step = 1`, and a table `[TERM]` with `low` and `high` for each
    /// term, group or feature). The whole evaluation has none by itself.
    ///
    /// # Errors
    /// When the file cannot be read, or names what is not there.
    pub fn limits(self, file: Option<&PathBuf>) -> anyhow::Result<Limits> {
        let bounds: Vec<[i16; 2]> = self.set.map_or_else(Vec::new, |set| set.bounds());
        let Some(path) = file else { return Ok(Limits { bounds, step: None }) };
        let name = path.display().to_string();
        let text = read_text_limited(path, LIMITS_BYTES_MAX)?;
        let table: BTreeMap<String, toml::Value> = toml::from_str(&text).with_context(|| name.clone())?;
        let terms = self.terms();
        let mut bounds = bounds;
        bounds.resize(terms.last().map_or(0, |t| t.range().end), [i16::MIN, i16::MAX]);
        let mut step = None;
        for (key, value) in table {
            if key == "step" {
                step = Some(
                    value
                        .try_into()
                        .ok()
                        .filter(|s: &i16| *s > 0)
                        .with_context(|| format!("{name}: step: expected a whole number above 0"))?,
                );
                continue;
            }
            let bound: Bound = value.try_into().with_context(|| format!("{name}: [{key}]"))?;
            let free = frozen(terms, &[], std::slice::from_ref(&key)).with_context(|| name.clone())?;
            for feature in free {
                let [low, high] = &mut bounds[feature];
                (*low, *high) = (bound.low.unwrap_or(*low), bound.high.unwrap_or(*high));
                if low > high {
                    bail!("{name}: [{key}]: {} has no room between {low} and {high}", feature_name(terms, feature));
                }
            }
        }
        Ok(Limits { bounds, step })
    }
}

/// Checks that what is learned may be written as `out`: what is there must be of the same kind (`is_same` reads it), and is kept as
/// FILE.old; any other file is refused, and above all one of the `inputs`.
pub fn check_weights_target(out: &Path, inputs: &[PathBuf], is_same: impl FnOnce(&Path) -> bool) -> anyhow::Result<()> {
    check_plain_output(out, inputs)?;
    match check_output(out, Existing::Refuse) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_same(out) => {}
        checked => checked?,
    }
    // Learning may take hours: a folder that cannot be written into is told before them.
    drop(AtomicFile::create(out)?);
    Ok(())
}

/// Keeps what stands at `path`, if anything does, beside it.
pub fn keep_old(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        let mut old = AtomicFile::create(&old_name(path))?;
        let copied = File::open(path).and_then(|mut file| io::copy(&mut file, &mut old));
        copied.with_context(|| path.display().to_string())?;
        old.commit()?;
    }
    Ok(())
}

/// Least and greatest weights, and the step of coordinate descent.
pub struct Limits {
    /// Of each feature; empty: none.
    pub bounds: Vec<[i16; 2]>,
    /// Of coordinate descent, where the file says it.
    pub step: Option<i16>,
}

/// A line of the file of bounds.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    low: Option<i16>,
    high: Option<i16>,
}

/// Any lessons, with a list of where the games come from and how many they are.
pub struct Watched<'a> {
    lessons: &'a dyn Features,
    origins: Mutex<BTreeMap<String, u64>>,
}

impl<'a> Watched<'a> {
    /// Watches `lessons`.
    pub fn new(lessons: &'a dyn Features) -> Watched<'a> {
        Watched { lessons, origins: Mutex::default() }
    }

    /// The origins that games named, with the number of games.
    pub fn origins(self) -> BTreeMap<String, u64> {
        self.origins.into_inner().unwrap_or_default()
    }
}

impl Features for Watched<'_> {
    fn game(&self) -> &'static str {
        self.lessons.game()
    }

    fn terms(&self) -> &'static [Term] {
        self.lessons.terms()
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        if let (Some(origin), Ok(mut origins)) = (game.tag("Origin"), self.origins.lock()) {
            *origins.entry(origin.to_string()).or_default() += 1;
        }
        self.lessons.rows(game, number, filter, out)
    }

    fn positions(
        &self,
        samples: &[Sample],
        number: &mut dyn FnMut(&Sample) -> u32,
        filter: &Filter,
        out: &mut Rows,
        fault: &mut dyn FnMut(usize, Fault),
    ) -> usize {
        let mut last = None;
        let mut counted = |sample: &Sample| {
            let game = number(sample);
            if last.replace(game) != Some(game)
                && !sample.origin.is_empty()
                && let Ok(mut origins) = self.origins.lock()
            {
                *origins.entry(sample.origin.clone()).or_default() += 1;
            }
            game
        };
        self.lessons.positions(samples, &mut counted, filter, out, fault)
    }
}

/// Boards of other players' games that learning trusts before it holds weights harder: with it the 2 million boards of
/// SoFCheck's games hold ours as hard as was best in play (docs/tuning.md).
const TRUSTED_ROWS: usize = 20_000;

/// [`TRUSTED_ROWS`], where less than half of `games` say that tesuji played them.
pub fn trusted_rows(origins: &BTreeMap<String, u64>, games: u64) -> Option<usize> {
    let ours: u64 = origins.iter().filter(|(origin, _)| origin.starts_with("tesuji ")).map(|(_, n)| n).sum();
    (2 * ours < games).then_some(TRUSTED_ROWS)
}

/// A warning where games were played by another version of this program than the one that learns from them.
pub fn older_engine(origins: &BTreeMap<String, u64>, version: &str) -> Option<String> {
    let here = format!("tesuji {version} ");
    let ours = origins.iter().filter(|(origin, _)| origin.starts_with("tesuji ") && !origin.starts_with(&here));
    let games: u64 = ours.clone().map(|(_, games)| games).sum();
    let (first, _) = ours.clone().next()?;
    let maker = first.find(')').map_or(first.as_str(), |end| &first[..=end]);
    Some(format!(
        "{games} games come from another engine ({maker}; this is {}): weights learn best from games of the engine \
         that will play with them",
        here.trim_end()
    ))
}
