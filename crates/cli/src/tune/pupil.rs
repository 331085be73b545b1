//! What learns: the whole hand-made evaluation of a game or GreKo's 27 weights, each with its terms, files and bounds.

use crate::{
    lessons::{self, Subject},
    version,
};
use anyhow::{Context, bail};
use std::{collections::BTreeMap, fs, io::ErrorKind, path::Path, path::PathBuf};
use tesuji_chess_eval::{GAME, GREKO, GREKO_SET, greko_start, parse_greko, print_greko};
use tesuji_dataset::{Features, Filter};
use tesuji_jobs::{AtomicFile, Existing, check_output};
use tesuji_tally::{Term, Weights, feature_name};
use tesuji_tune::{Canon, old_name, save_weights};

/// A set of weights that can be learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Set {
    /// The evaluation that plays: weights as JSON
    Full,
    /// GreKo's 27 named weights: `NAME value` a line
    Greko,
}

/// The weights of a game that learn: all that play, or a set of their own.
#[derive(Clone, Copy)]
pub(crate) struct Pupil {
    pub(super) set: Set,
    subject: &'static Subject,
}

impl Pupil {
    /// The weights `set` of `game`.
    ///
    /// # Errors
    /// When the game has none, or not these.
    pub(crate) fn new(game: &str, set: Set) -> anyhow::Result<Pupil> {
        let subject = lessons::subject(game)?;
        if set == Set::Greko && subject.game() != GAME {
            bail!("--set greko: GreKo plays {GAME}, not {game}");
        }
        Ok(Pupil { set, subject })
    }

    /// Whether an engine plays with these weights.
    pub(super) fn plays(self) -> bool {
        self.set == Set::Full
    }

    pub(super) fn terms(self) -> &'static [Term] {
        match self.set {
            Set::Full => self.subject.terms(),
            Set::Greko => GREKO_SET,
        }
    }

    pub(super) fn features(self) -> &'static dyn Features {
        match self.set {
            Set::Full => self.subject.features,
            Set::Greko => &super::greko::GREKO_LESSONS,
        }
    }

    /// The game.
    pub(super) fn game(self) -> &'static str {
        self.subject.game()
    }

    /// Which boards teach: with GreKo's weights those not in check and not after a capture, as its author had it.
    pub(super) fn filter(self) -> Filter {
        match self.set {
            Set::Full => Filter::default(),
            Set::Greko => Filter { skip: 0, drop_after_checks: false, ..Filter::default() },
        }
    }

    pub(super) fn canon(self) -> Canon {
        match self.set {
            Set::Full => (self.subject.canon)(),
            Set::Greko => Canon::default(),
        }
    }

    /// The weights that `name` means: builtin, material, or a file.
    pub(crate) fn start(self, name: &str) -> anyhow::Result<Weights> {
        match (self.set, name) {
            (Set::Full, name) => self.subject.weights(name),
            (Set::Greko, "builtin") => Ok(from_greko(&greko_start())),
            (Set::Greko, "material") => {
                let mut weights = greko_start();
                weights.iter_mut().zip(&GREKO).filter(|(_, t)| t.group != "material").for_each(|(w, _)| *w = 0);
                Ok(from_greko(&weights))
            }
            (Set::Greko, path) => {
                let text = fs::read_to_string(path).with_context(|| path.to_string())?;
                Ok(from_greko(&parse_greko(&text, path)?))
            }
        }
    }

    /// Writes `weights` whole or not at all; what was there is kept as FILE.old.
    pub(super) fn save(self, path: &Path, weights: &Weights) -> anyhow::Result<()> {
        match self.set {
            Set::Full => save_weights(path, weights, self.subject.game(), self.terms())?,
            Set::Greko => {
                keep_old(path)?;
                AtomicFile::write(path, print_greko(&to_greko(weights)).as_bytes())?;
            }
        }
        Ok(())
    }
}

/// Checks that what is learned may be written as `out`: what is there must be of the same kind (`is_same` reads it), and is kept as
/// FILE.old; any other file is refused, and above all one of the `inputs`.
pub(crate) fn check_weights_target(
    out: &Path,
    inputs: &[PathBuf],
    is_same: impl FnOnce(&Path) -> bool,
) -> anyhow::Result<()> {
    let place = |path: &Path| path.canonicalize().ok();
    if place(out).is_some_and(|out| inputs.iter().any(|input| place(input) == Some(out.clone()))) {
        bail!("{}: this file is read; give another name for what is learned", out.display());
    }
    match check_output(out, Existing::Refuse) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && is_same(out) => {}
        checked => checked?,
    }
    // Learning may take hours: a folder that cannot be written into is told before them.
    drop(AtomicFile::create(out)?);
    Ok(())
}

/// Keeps what stands at `path`, if anything does, beside it.
pub(super) fn keep_old(path: &Path) -> anyhow::Result<()> {
    if path.exists() {
        let old = fs::read(path).with_context(|| path.display().to_string())?;
        AtomicFile::write(&old_name(path), &old)?;
    }
    Ok(())
}

fn from_greko(weights: &[i16]) -> Weights {
    Weights { values: weights.iter().map(|&w| [w, 0]).collect(), ..Weights::default() }
}

/// GreKo's weights of a set of its terms.
fn to_greko(weights: &Weights) -> [i16; GREKO.len()] {
    std::array::from_fn(|i| weights.values[i][0])
}

/// Least and greatest weights, and the step of coordinate descent.
pub(super) struct Limits {
    pub(super) bounds: Vec<[i16; 2]>,
    pub(super) step: Option<i16>,
}

/// A line of the file of bounds.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Bound {
    low: Option<i16>,
    high: Option<i16>,
}

/// The bounds of the set, changed by the file (TOML: `step = 1`, and a table `[TERM]` with `low` and `high` for each
/// term, group or feature). GreKo's weights have bounds by themselves, the whole evaluation has none.
pub(super) fn limits(pupil: Pupil, file: Option<&PathBuf>) -> anyhow::Result<Limits> {
    let mut bounds: Vec<[i16; 2]> = match pupil.set {
        Set::Full => Vec::new(),
        Set::Greko => GREKO.map(|t| t.bounds).to_vec(),
    };
    let Some(path) = file else { return Ok(Limits { bounds, step: None }) };
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| name.clone())?;
    let table: BTreeMap<String, toml::Value> = toml::from_str(&text).with_context(|| name.clone())?;
    let terms = pupil.terms();
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
        let free = super::choice::frozen(terms, &[], std::slice::from_ref(&key)).with_context(|| name.clone())?;
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

/// Boards of other players' games that learning trusts before it holds weights harder: with it the 2 million boards of
/// SoFCheck's games hold ours as hard as was best in play (docs/tuning.md).
const TRUSTED_ROWS: usize = 20_000;

/// [`TRUSTED_ROWS`], where less than half of `games` say that tesuji played them.
pub(super) fn trusted_rows(origins: &BTreeMap<String, u64>, games: u64) -> Option<usize> {
    let ours: u64 = origins.iter().filter(|(origin, _)| origin.starts_with("tesuji ")).map(|(_, n)| n).sum();
    (2 * ours < games).then_some(TRUSTED_ROWS)
}

/// A warning where games were played by another version of this program than the one that learns from them.
pub(super) fn older_engine(origins: &BTreeMap<String, u64>) -> Option<String> {
    let here = format!("tesuji {} ", version::short());
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
