//! A weights file of any kind, ours, SoFCheck's or GreKo's: names, numbers and text of it, comparing and blending.

use anyhow::{Context, bail};
use std::path::Path;
use tesuji_chess_eval::{GREKO, GREKO_TERMS, is_greko, parse_greko, print_greko, sofcheck::FeatureWeights};
use tesuji_jobs::{AtomicFile, read_text_limited};
use tesuji_kit::{
    Games,
    tuning::{Tuning, check_weights_target, keep_old, weights_path},
};
use tesuji_tally::{Origin, Weights, feature_name};
use tesuji_tune::save_weights;

/// The longest file of weights, in bytes, unpacked.
const WEIGHTS_BYTES_MAX: u64 = 64 << 20;

/// Weights of our evaluation, of SoFCheck's or of GreKo's.
pub enum AnyWeights {
    /// Ours, of a game.
    Ours(&'static Tuning, Weights),
    /// SoFCheck's.
    Sofcheck(FeatureWeights),
    /// GreKo's.
    Greko([i16; GREKO_TERMS]),
}

impl AnyWeights {
    /// The weights that `name` means: builtin or material (of the usual game, of others as in `shogi:builtin`), or a file.
    pub fn load(games: Games, name: &str) -> anyhow::Result<AnyWeights> {
        let (game, which) = name.split_once(':').unwrap_or((usual(games), name));
        match which {
            "builtin" | "material" => {
                let subject = games.tuning(game)?;
                Ok(AnyWeights::Ours(subject, subject.weights(which)?))
            }
            _ => AnyWeights::load_file(games, weights_path(name)?),
        }
    }

    /// Reads a file; SoFCheck's is a list, GreKo's has names and numbers, ours is an object that names its game.
    pub fn load_file(games: Games, path: &Path) -> anyhow::Result<AnyWeights> {
        let name = path.display().to_string();
        let text = read_text_limited(path, WEIGHTS_BYTES_MAX)?;
        if text.trim_start().starts_with('[') {
            return Ok(AnyWeights::Sofcheck(FeatureWeights::from_json(&text, &name)?));
        }
        if is_greko(&text) {
            return Ok(AnyWeights::Greko(parse_greko(&text, &name)?));
        }
        #[derive(serde::Deserialize)]
        struct Head {
            game: String,
        }
        // A broken file is one of the usual game: its reader says what is wrong.
        let game = serde_json::from_str(&text).map_or(usual(games).to_string(), |head: Head| head.game);
        let subject = games.tuning(&game).with_context(|| name.clone())?;
        Ok(AnyWeights::Ours(subject, subject.weights(&name)?))
    }

    /// The name of every number.
    pub fn names(&self) -> Vec<String> {
        match self {
            AnyWeights::Sofcheck(weights) => weights.names(),
            AnyWeights::Greko(_) => GREKO.iter().map(|term| term.name.to_string()).collect(),
            AnyWeights::Ours(subject, weights) => {
                let name = |feature| feature_name(subject.terms(), feature);
                let halves = |feature| ["mg", "eg"].map(|half| format!("{}.{half}", name(feature)));
                (0..weights.values.len()).flat_map(halves).collect()
            }
        }
    }

    /// All numbers, in the order of their names.
    pub fn values(&self) -> Vec<i32> {
        match self {
            AnyWeights::Sofcheck(weights) => weights.values(),
            AnyWeights::Greko(weights) => weights.iter().map(|&v| v.into()).collect(),
            AnyWeights::Ours(_, weights) => weights.values.iter().flatten().map(|&v| i32::from(v)).collect(),
        }
    }

    /// Replaces all numbers.
    ///
    /// # Errors
    /// When there are too many or too few, or one is too large.
    pub fn set(&mut self, values: &[i32]) -> anyhow::Result<()> {
        match self {
            AnyWeights::Sofcheck(weights) => weights.set(values).map_err(anyhow::Error::msg),
            AnyWeights::Greko(weights) => {
                weights.copy_from_slice(&small_numbers(values, GREKO_TERMS)?);
                Ok(())
            }
            AnyWeights::Ours(_, weights) => {
                let values = small_numbers(values, 2 * weights.values.len())?;
                for (to, pair) in weights.values.iter_mut().zip(values.chunks_exact(2)) {
                    *to = [pair[0], pair[1]];
                }
                Ok(())
            }
        }
    }

    /// Says who made the weights from what; files of other programs have no place for that.
    fn set_origin(&mut self, made_by: &str, from: String) {
        if let AnyWeights::Ours(_, weights) = self {
            weights.origin = Origin { made_by: made_by.into(), from, ..Origin::default() };
        }
    }

    /// The file as it is written.
    pub fn text(&self) -> String {
        match self {
            AnyWeights::Ours(subject, weights) => weights.to_json(subject.game(), subject.terms()),
            AnyWeights::Sofcheck(weights) => weights.to_json(),
            AnyWeights::Greko(weights) => print_greko(weights),
        }
    }

    /// Checks that weights may be written as `path`: what is there must be weights, too.
    pub fn check_target(games: Games, path: &Path) -> anyhow::Result<()> {
        check_weights_target(path, &[], |path| AnyWeights::load_file(games, path).is_ok())
    }

    /// Writes a file, whole or not at all; what was there is kept as FILE.old.
    pub fn save(&self, path: &Path) -> anyhow::Result<()> {
        match self {
            AnyWeights::Ours(subject, weights) => save_weights(path, weights, subject.game(), subject.terms())?,
            AnyWeights::Sofcheck(_) | AnyWeights::Greko(_) => {
                keep_old(path)?;
                AtomicFile::write(path, self.text().as_bytes())?;
            }
        }
        Ok(())
    }

    /// Whether the numbers of both mean the same things.
    ///
    /// # Errors
    /// The difference, in words.
    pub fn check_same_kind(&self, other: &AnyWeights) -> anyhow::Result<()> {
        match (self, other) {
            (AnyWeights::Ours(a, _), AnyWeights::Ours(b, _)) if a.game() == b.game() => Ok(()),
            (AnyWeights::Ours(a, _), AnyWeights::Ours(b, _)) => {
                bail!("one holds weights of {}, the other of {}", a.game(), b.game())
            }
            (AnyWeights::Sofcheck(a), AnyWeights::Sofcheck(b)) => {
                let (a, b) = (a.names(), b.names());
                match a.iter().zip(&b).find(|(a, b)| a != b) {
                    Some((a, b)) => bail!("{a} in one stands where {b} stands in the other"),
                    None if a.len() != b.len() => bail!("one has {} weights, the other {}", a.len(), b.len()),
                    None => Ok(()),
                }
            }
            (AnyWeights::Greko(_), AnyWeights::Greko(_)) => Ok(()),
            _ => bail!("one holds {}, the other {}", self.program(), other.program()),
        }
    }

    /// The program whose weights these are, in words.
    fn program(&self) -> &'static str {
        match self {
            AnyWeights::Ours(..) => "weights of ours",
            AnyWeights::Sofcheck(_) => "weights of SoFCheck",
            AnyWeights::Greko(_) => "weights of GreKo",
        }
    }

    /// The weights that differ from those of `other`, in their order.
    ///
    /// # Errors
    /// When the numbers of both do not mean the same things.
    pub fn changes(&self, other: &AnyWeights) -> anyhow::Result<Vec<WeightChange>> {
        self.check_same_kind(other)?;
        let values = self.values().into_iter().zip(other.values());
        let change = |(name, (old, new))| WeightChange { name, old, new };
        Ok(self.names().into_iter().zip(values).map(change).filter(|change| change.old != change.new).collect())
    }

    /// These weights with a share `ratio` of `other`; `made_by` is the program, `from` how the mixture is called.
    ///
    /// # Errors
    /// When the numbers of both do not mean the same things.
    pub fn blend(mut self, other: &AnyWeights, ratio: f64, made_by: &str, from: String) -> anyhow::Result<AnyWeights> {
        self.check_same_kind(other)?;
        let mix = |(a, b): (i32, i32)| (f64::from(a) * (1.0 - ratio) + f64::from(b) * ratio).round() as i32;
        let values: Vec<i32> = self.values().into_iter().zip(other.values()).map(mix).collect();
        self.set(&values)?;
        self.set_origin(made_by, from);
        Ok(self)
    }
}

/// `expected` numbers of 16 bits.
fn small_numbers(values: &[i32], expected: usize) -> anyhow::Result<Vec<i16>> {
    if values.len() != expected {
        bail!("expected {expected} numbers, found {}", values.len());
    }
    let small = |(i, v): (usize, &i32)| {
        i16::try_from(*v).with_context(|| format!("number {}: {v} is outside -32768 to 32767", i + 1))
    };
    values.iter().enumerate().map(small).collect()
}

/// A weight that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightChange {
    /// Its name.
    pub name: String,
    /// Its value in the first file.
    pub old: i32,
    /// Its value in the second file.
    pub new: i32,
}

impl WeightChange {
    /// The difference of the two values.
    pub fn difference(&self) -> i32 {
        self.new - self.old
    }
}

/// The game that is meant where none is named.
fn usual(games: Games) -> &'static str {
    games.0.first().map_or("", |kit| kit.name())
}
