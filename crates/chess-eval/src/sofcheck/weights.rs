//! SoFCheck's weights file, `features.json`: read with errors that name the place, written in its canonical layout.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Write};

/// The tables of squares that a `psq` has, in order.
const TABLES: [&str; 7] = ["pawn", "king", "knight", "bishop", "rook", "queen", "king_end"];
/// The lists of a `king_pawn`.
const COVER: [&str; 2] = ["shield", "storm"];
/// The features of one number between `psq` and `king_pawn`.
const SINGLES: [&str; 10] = [
    "queen_near_to_king",
    "rook_near_to_king",
    "two_bishops",
    "pawn_isolated",
    "pawn_double",
    "pawn_passed",
    "pawn_candidate",
    "pawn_open",
    "pawn_protected",
    "pawn_backward",
];
/// Those behind `king_pawn`.
const FILES: [&str; 4] = ["rook_open_col", "rook_semi_open_col", "queen_open_col", "queen_semi_open_col"];

/// An error in a features file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {place}{reason}")]
pub struct FeaturesError {
    /// The file, as the caller called it.
    pub file: String,
    /// The feature at fault with a colon behind it (`psq.knight: `); empty where the file is no JSON.
    pub place: String,
    /// The fault, and what was expected.
    pub reason: String,
}

/// SoFCheck's weights: named features in order, each one number, a list, or one of two groups of tables.
///
/// # Examples
/// ```
/// use tesuji_chess_eval::sofcheck::FeatureWeights;
/// let text = "[\n    {\"two_bishops\": 34},\n    {\"steps\": [1, 2]}\n]\n";
/// let mut weights = FeatureWeights::from_json(text, "features.json")?;
/// assert_eq!(weights.to_json(), text);
/// assert_eq!(weights.names(), ["two_bishops", "steps.0", "steps.1"]);
/// weights.set(&[5, 6, 7])?;
/// assert_eq!(weights.values(), [5, 6, 7]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureWeights(Vec<(String, Feature)>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Feature {
    Single(i32),
    List(Vec<i32>),
    /// Costs of the six pieces, then the tables.
    Psq(Vec<i32>),
    /// Shield, then storm.
    KingPawn(Vec<i32>),
}

impl Feature {
    fn values(&self) -> &[i32] {
        match self {
            Feature::Single(value) => std::slice::from_ref(value),
            Feature::List(values) | Feature::Psq(values) | Feature::KingPawn(values) => values,
        }
    }

    fn values_mut(&mut self) -> &mut [i32] {
        match self {
            Feature::Single(value) => std::slice::from_mut(value),
            Feature::List(values) | Feature::Psq(values) | Feature::KingPawn(values) => values,
        }
    }

    /// The name of value `i` behind that of the feature.
    fn suffix(&self, i: usize) -> String {
        match self {
            Feature::Single(_) => String::new(),
            Feature::List(_) => format!(".{i}"),
            Feature::Psq(_) if i < 6 => format!(".cost.{i}"),
            Feature::Psq(_) => format!(".{}.{}", TABLES[(i - 6) / 64], (i - 6) % 64),
            Feature::KingPawn(_) => format!(".{}.{}", COVER[i / 6], i % 6),
        }
    }
}

impl FeatureWeights {
    /// The features of SoFCheck's evaluation, all numbers 0.
    pub fn of_sofcheck() -> FeatureWeights {
        let single = |name: &str| (name.to_string(), Feature::Single(0));
        let mut features = vec![("psq".to_string(), Feature::Psq(vec![0; 6 + 64 * TABLES.len()]))];
        features.extend(SINGLES.into_iter().map(single));
        features.push(("king_pawn".to_string(), Feature::KingPawn(vec![0; 6 * COVER.len()])));
        features.extend(FILES.into_iter().map(single));
        FeatureWeights(features)
    }

    /// Reads a features file; `file` is what errors call it.
    ///
    /// # Errors
    /// A feature is wrong, which the error names: features and parts that stand there twice, wrong lengths, no whole numbers.
    pub fn from_json(text: &str, file: &str) -> Result<FeatureWeights, FeaturesError> {
        let fault = |place: &str, reason: String| {
            let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
            FeaturesError { file: file.into(), place, reason }
        };
        let json: Json = serde_json::from_str(text).map_err(|e| fault("", e.to_string()))?;
        let Json::List(items) = json else { return Err(fault("", "expected a list of features".into())) };
        let mut features: Vec<(String, Feature)> = Vec::with_capacity(items.len());
        for (number, item) in items.into_iter().enumerate() {
            let place = format!("feature {}", number + 1);
            let (name, value) = match item {
                Json::Object(mut pairs) if pairs.len() == 1 => pairs.remove(0),
                _ => return Err(fault(&place, "expected an object with one key, the feature's name".into())),
            };
            if features.iter().any(|f| f.0 == name) {
                return Err(fault(&name, "stands there twice".into()));
            }
            let feature = read_feature(&name, value).map_err(|(place, reason)| fault(&place, reason))?;
            features.push((name, feature));
        }
        Ok(FeatureWeights(features))
    }

    /// Writes the canonical layout: reading it and writing it again gives the same bytes.
    pub fn to_json(&self) -> String {
        let mut out = String::from("[\n");
        for (number, (name, feature)) in self.0.iter().enumerate() {
            let name = serde_json::Value::from(name.as_str());
            let _ = write!(out, "    {{{name}: ");
            let _ = match feature {
                Feature::Single(value) => write!(out, "{value}"),
                Feature::List(values) => write!(out, "[{}]", line(values)),
                Feature::Psq(values) => {
                    let _ = write!(out, "{{\n        \"type\": \"psq\",\n        \"cost\": [{}]", line(&values[..6]));
                    for (name, table) in TABLES.iter().zip(values[6..].chunks(64)) {
                        let _ = write!(out, ",\n        \"{name}\": [\n{}\n        ]", squares(table));
                    }
                    out.write_str("\n    }")
                }
                Feature::KingPawn(values) => {
                    out.push_str("{\n        \"type\": \"king_pawn\"");
                    for (name, part) in COVER.iter().zip(values.chunks(6)) {
                        let _ = write!(out, ",\n        \"{name}\": [{}]", line(part));
                    }
                    out.write_str("\n    }")
                }
            };
            out.push_str(if number + 1 < self.0.len() { "},\n" } else { "}\n" });
        }
        out.push_str("]\n");
        out
    }

    /// The name of every number, in order: `psq.cost.4`, `two_bishops`, `king_pawn.storm.0`.
    pub fn names(&self) -> Vec<String> {
        let name = |(name, feature): &(String, Feature)| -> Vec<String> {
            (0..feature.values().len()).map(|i| format!("{name}{}", feature.suffix(i))).collect()
        };
        self.0.iter().flat_map(name).collect()
    }

    /// All numbers, in the order of [`FeatureWeights::names`].
    pub fn values(&self) -> Vec<i32> {
        self.0.iter().flat_map(|(_, f)| f.values().iter().copied()).collect()
    }

    /// Replaces all numbers.
    ///
    /// # Errors
    /// When there are more or fewer of them than the file has; says how many it has, and nothing is changed then.
    pub fn set(&mut self, values: &[i32]) -> Result<(), String> {
        let expected: usize = self.0.iter().map(|(_, f)| f.values().len()).sum();
        if values.len() != expected {
            return Err(format!("expected {expected} numbers, found {}", values.len()));
        }
        let mut rest = values;
        for (_, feature) in &mut self.0 {
            let to = feature.values_mut();
            let (these, others) = rest.split_at(to.len());
            to.copy_from_slice(these);
            rest = others;
        }
        Ok(())
    }
}

/// Place and reason of a fault.
type Fault = (String, String);

fn read_feature(name: &str, value: Json) -> Result<Feature, Fault> {
    let pairs = match value {
        Json::List(_) => return Ok(Feature::List(numbers(name, value, None)?)),
        Json::Object(pairs) => pairs,
        single => return Ok(Feature::Single(number(name, &single)?)),
    };
    let kind = pairs.iter().find(|p| p.0 == "type").map(|p| &p.1);
    match kind {
        Some(Json::Text(kind)) if kind == "psq" => {
            let cost = [("cost", 6)].into_iter();
            Ok(Feature::Psq(parts(name, pairs, cost.chain(TABLES.map(|t| (t, 64))))?))
        }
        Some(Json::Text(kind)) if kind == "king_pawn" => {
            Ok(Feature::KingPawn(parts(name, pairs, COVER.into_iter().map(|p| (p, 6)))?))
        }
        Some(Json::Text(kind)) => Err((name.into(), format!("expected the type psq or king_pawn, found {kind:?}"))),
        _ => Err((name.into(), "expected a number, a list, or an object with a \"type\"".into())),
    }
}

/// The numbers of all `wanted` parts, one after the other.
fn parts(
    name: &str,
    mut pairs: Vec<(String, Json)>,
    wanted: impl Iterator<Item = (&'static str, usize)>,
) -> Result<Vec<i32>, Fault> {
    for (i, (key, _)) in pairs.iter().enumerate() {
        if pairs[..i].iter().any(|p| p.0 == *key) {
            return Err((format!("{name}.{key}"), "stands there twice".into()));
        }
    }
    pairs.retain(|p| p.0 != "type");
    let mut all = Vec::new();
    for (key, len) in wanted {
        let place = format!("{name}.{key}");
        let Some(at) = pairs.iter().position(|p| p.0 == key) else { return Err((place, "is missing".into())) };
        all.extend(numbers(&place, pairs.remove(at).1, Some(len))?);
    }
    match pairs.first() {
        Some((key, _)) => Err((format!("{name}.{key}"), "is not known here".into())),
        None => Ok(all),
    }
}

fn numbers(place: &str, value: Json, len: Option<usize>) -> Result<Vec<i32>, Fault> {
    let Json::List(items) = value else { return Err((place.into(), "expected a list of numbers".into())) };
    if let Some(len) = len.filter(|len| *len != items.len()) {
        return Err((place.into(), format!("expected {len} numbers, found {}", items.len())));
    }
    items.iter().enumerate().map(|(i, item)| number(&format!("{place}.{i}"), item)).collect()
}

fn number(place: &str, value: &Json) -> Result<i32, Fault> {
    match value {
        Json::Number(n) => i32::try_from(*n).map_err(|_| (place.into(), format!("{n} is too large"))),
        _ => Err((place.into(), "expected a whole number".into())),
    }
}

/// Numbers on one line.
fn line(values: &[i32]) -> String {
    values.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
}

/// A table of squares, each file as wide as its widest number.
fn squares(table: &[i32]) -> String {
    let width = |file: usize| table.iter().skip(file).step_by(8).map(|v| v.to_string().len()).max().unwrap_or(1);
    let widths: [usize; 8] = std::array::from_fn(width);
    let rank = |rank: &[i32]| {
        let words: Vec<String> = rank.iter().zip(widths).map(|(v, width)| format!("{v:width$}")).collect();
        format!("            {}", words.join(", "))
    };
    table.chunks(8).map(rank).collect::<Vec<_>>().join(",\n")
}

/// JSON with the order of its objects and their duplicates; of numbers only whole ones.
enum Json {
    Number(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Json, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Json;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, a text, a list or an object")
            }
            fn visit_i64<E>(self, n: i64) -> Result<Json, E> {
                Ok(Json::Number(n))
            }
            fn visit_u64<E>(self, n: u64) -> Result<Json, E> {
                Ok(Json::Number(i64::try_from(n).unwrap_or(i64::MAX)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Json, E> {
                Ok(Json::Text(text.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(Json::List(items))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Json::Object(pairs))
            }
        }
        d.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sofcheck::{COLUMNS, column_names};

    /// A file of the same features as SoFCheck's, with made-up numbers.
    fn sample() -> String {
        let table = |n: i32| squares(&(0..64).map(|i| (i * 7 + n) % 211 - 90).collect::<Vec<_>>());
        let mut out =
            "[\n    {\"psq\": {\n        \"type\": \"psq\",\n        \"cost\": [100, 0, 3, 4, 5, 6]".to_string();
        for (n, name) in TABLES.iter().enumerate() {
            let _ = write!(out, ",\n        \"{name}\": [\n{}\n        ]", table(n as i32));
        }
        out.push_str("\n    }},\n");
        for name in &column_names()[454..464] {
            let _ = writeln!(out, "    {{\"{name}\": -17}},");
        }
        out.push_str(
            "    {\"king_pawn\": {\n        \"type\": \"king_pawn\",\n        \"shield\": [9, 65, 7, 24, 56, -15],\n",
        );
        out.push_str("        \"storm\": [-78, -23, 49, 22, 2, 7]\n    }},\n");
        let last: Vec<String> = column_names()[476..].iter().map(|name| format!("    {{\"{name}\": 4}}")).collect();
        out + &last.join(",\n") + "\n]\n"
    }

    #[test]
    fn load_then_print_is_the_same_bytes_and_names_are_the_columns() {
        let text = sample();
        assert!(text.contains("-90, -83,"), "{text}");
        let weights = FeatureWeights::from_json(&text, "f.json").unwrap();
        assert_eq!(weights.to_json(), text);
        assert_eq!(weights.names(), column_names());
        assert_eq!(FeatureWeights::of_sofcheck().names(), column_names());
        assert_eq!(weights.values().len(), COLUMNS);
        let mut other = weights.clone();
        other.set(&weights.values().iter().map(|v| v + 1).collect::<Vec<_>>()).unwrap();
        assert_eq!(other.values()[453..455], [weights.values()[453] + 1, -16]);
        assert_eq!(other.set(&[1, 2]), Err("expected 480 numbers, found 2".into()));
    }

    #[track_caller]
    fn refused(from: &str, to: &str, expect: &str) {
        let text = sample();
        assert!(text.contains(from), "{from}");
        let error = FeatureWeights::from_json(&text.replacen(from, to, 1), "f.json").unwrap_err();
        assert!(error.to_string().starts_with(&format!("f.json: {expect}")), "{error}");
    }

    #[test]
    fn errors_name_the_feature() {
        refused("[100, 0,", "[100,", "psq.cost: expected 6 numbers, found 5");
        refused("9, 65,", "9, 6.5,", "invalid type: floating point `6.5`");
        refused("9, 65,", "9, \"x\",", "king_pawn.shield.1: expected a whole number");
        refused("9, 65,", "9, 3000000000,", "king_pawn.shield.1: 3000000000 is too large");
        refused("\"storm\"", "\"shield\"", "king_pawn.shield: stands there twice");
        refused("\"storm\"", "\"rain\"", "king_pawn.storm: is missing");
        refused("\"type\": \"psq\"", "\"type\": \"psq\", \"more\": 1", "psq.more: is not known here");
        refused("\"type\": \"psq\"", "\"type\": \"sqp\"", "psq: expected the type psq or king_pawn, found \"sqp\"");
        refused("pawn_double", "two_bishops", "two_bishops: stands there twice");
        refused("{\"two_bishops\": -17}", "34", "feature 4: expected an object with one key");
        refused("\n]\n", "\n", "EOF while parsing a list");
        assert!(FeatureWeights::from_json("{}", "f.json").is_err());
    }

    #[test]
    fn bent_files_are_refused_or_written_and_read_back() {
        let text = sample();
        let mut random = tesuji_game::Random::new(5);
        let mut read = 0;
        for _ in 0..3000 {
            let mut bent = text.clone().into_bytes();
            for _ in 0..1 + random.below(3) {
                let (at, from) = (random.below(bent.len()), random.below(bent.len()));
                match random.below(4) {
                    0 => bent[at] = b"0123456789-,.[]{}\" \n"[random.below(20)],
                    1 => bent.truncate(at.max(bent.len() - 40)),
                    2 => bent.insert(at, bent[from]),
                    _ => drop(bent.remove(at)),
                }
            }
            if let Ok(weights) = FeatureWeights::from_json(&String::from_utf8_lossy(&bent), "bent.json") {
                assert_eq!(FeatureWeights::from_json(&weights.to_json(), "again.json"), Ok(weights));
                read += 1;
            }
        }
        assert!(read > 100, "{read}");
    }
}
