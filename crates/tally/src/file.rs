//! Weights as text: JSON in one canonical layout, so that a changed number is a changed line, and errors that name the place.

use crate::{Origin, Term, Weights};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;
use std::fmt::{self, Write};

/// What a file of weights is and who writes it, for errors about one that is something else.
const EXPECTED: &str =
    "a file of weights is an object with the entries format, game, origin and terms, as `tesuji tune` writes it";
/// The first entry of every weights file.
const FORMAT: &str = "tesuji-weights 1";

/// An error of a weights file. Every kind names the file as the caller called it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum WeightsError {
    /// No JSON.
    Syntax {
        /// The file.
        file: String,
        /// The message of the JSON reader, with line and column.
        reason: String,
    },
    /// JSON, but no weights file of this kind.
    Format {
        /// The file.
        file: String,
        /// The expected content and its place.
        reason: String,
    },
    /// A term that the evaluation does not have, or that stands there twice.
    Term {
        /// The file.
        file: String,
        /// The term.
        term: String,
        /// The error in words.
        reason: &'static str,
    },
    /// A term with too many or too few weights; a missing term has 0.
    Length {
        /// The file.
        file: String,
        /// The term, with `.mg` or `.eg`.
        term: String,
        /// The number of weights that the evaluation has there.
        expected: usize,
        /// The number of them.
        found: usize,
    },
    /// A weight that is no whole number of 16 bits.
    Number {
        /// The file.
        file: String,
        /// The term, with `.mg` or `.eg`.
        term: String,
        /// The place in the term, from 0.
        index: usize,
        /// The text found there.
        found: String,
    },
}

impl fmt::Display for WeightsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WeightsError::Syntax { file, reason } => {
                write!(
                    f,
                    "{file}: expected weights in JSON as `tesuji tune` writes them, found something else: {reason}"
                )
            }
            WeightsError::Format { file, reason } => write!(f, "{file}: {reason}"),
            WeightsError::Term { file, term, reason } => write!(f, "{file}: term {term}: {reason}"),
            WeightsError::Length { file, term, expected, found } => {
                write!(f, "{file}: term {term}: expected {expected} weights, found {found}")
            }
            WeightsError::Number { file, term, index, found } => {
                write!(
                    f,
                    "{file}: term {term}: weight {index}: expected a whole number from -32768 to 32767, found {found}"
                )
            }
        }
    }
}

impl std::error::Error for WeightsError {}

/// A JSON object with its order and its duplicates.
struct Pairs(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Pairs, D::Error> {
        struct Collect;
        impl<'de> Visitor<'de> for Collect {
            type Value = Pairs;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        d.deserialize_map(Collect)
    }
}

/// The file as it is: unknown entries are refused.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object of weights")]
struct File {
    format: String,
    game: String,
    origin: Pairs,
    terms: Pairs,
}

impl Weights {
    /// Reads weights for `terms` of `game`; `file` is what errors call the text.
    ///
    /// # Errors
    /// If the text is not a complete weights file of this game: file, term, and what was expected there.
    pub fn from_json(text: &str, game: &str, terms: &[Term], file: &str) -> Result<Weights, WeightsError> {
        let (weights, missing) = Weights::from_json_partial(text, game, terms, file)?;
        match missing.first() {
            None => Ok(weights),
            Some(term) => Err(WeightsError::Length {
                file: file.to_string(),
                term: term.name.to_string(),
                expected: term.len,
                found: 0,
            }),
        }
    }

    /// Reads weights that may lack terms, as older files do: those are 0 and returned beside the weights.
    ///
    /// # Errors
    /// As [`Weights::from_json`], but for missing terms.
    pub fn from_json_partial<'t>(
        text: &str,
        game: &str,
        terms: &'t [Term],
        file: &str,
    ) -> Result<(Weights, Vec<&'t Term>), WeightsError> {
        let name = || file.to_string();
        let read: File = serde_json::from_str(text).map_err(|e| match e.classify() {
            serde_json::error::Category::Data => {
                WeightsError::Format { file: name(), reason: format!("{e}; {EXPECTED}") }
            }
            _ => WeightsError::Syntax { file: name(), reason: e.to_string() },
        })?;
        if read.format != FORMAT {
            let reason = format!("expected format {FORMAT:?}, found {:?}", read.format);
            return Err(WeightsError::Format { file: name(), reason });
        }
        if read.game != game {
            let reason = format!("expected weights for {game:?}, found some for {:?}", read.game);
            return Err(WeightsError::Format { file: name(), reason });
        }
        let features = terms.iter().map(|t| t.range().end).max().unwrap_or(0);
        let mut weights = Weights { origin: read_origin(read.origin, file)?, ..Weights::zero(features) };
        let mut seen = vec![false; terms.len()];
        for (term_name, json) in read.terms.0 {
            let fault = |reason| WeightsError::Term { file: name(), term: term_name.clone(), reason };
            let at = terms.iter().position(|t| t.name == term_name);
            let at = at.ok_or_else(|| fault("this evaluation has no such term"))?;
            if std::mem::replace(&mut seen[at], true) {
                return Err(fault("stands there twice"));
            }
            read_term(&json, &terms[at], file, weights.of_mut(&terms[at]))?;
        }
        let missing = terms.iter().zip(seen).filter(|(_, seen)| !seen).map(|(t, _)| t).collect();
        Ok((weights, missing))
    }

    /// Writes the canonical layout: reading it and writing it again gives the same bytes.
    ///
    /// # Panics
    /// When the weights do not cover all `terms`.
    pub fn to_json(&self, game: &str, terms: &[Term]) -> String {
        let mut out = String::new();
        let text = |s: &str| Json::from(s).to_string();
        let _ = writeln!(out, "{{\n    \"format\": {},\n    \"game\": {},", text(FORMAT), text(game));
        let origin = &self.origin;
        let mut lines = vec![("made_by", text(&origin.made_by)), ("from", text(&origin.from))];
        lines.extend(origin.seed.map(|seed| ("seed", seed.to_string())));
        lines.extend(origin.date.as_ref().map(|date| ("date", text(date))));
        lines.extend(origin.notes.iter().map(|(key, note)| (key.as_str(), text(note))));
        let lines: Vec<String> = lines.iter().map(|(key, value)| format!("        {}: {value}", text(key))).collect();
        let _ = writeln!(out, "    \"origin\": {{\n{}\n    }},\n    \"terms\": {{", lines.join(",\n"));
        for (i, term) in terms.iter().enumerate() {
            let _ = writeln!(out, "        {}: {{", text(term.name));
            for half in 0..2 {
                let values: Vec<i16> = self.of(term).iter().map(|v| v[half]).collect();
                let _ = write!(out, "            \"{}\": {}", ["mg", "eg"][half], layout(&values, term.columns));
                out.push_str(if half == 0 { ",\n" } else { "\n" });
            }
            out.push_str(if i + 1 < terms.len() { "        },\n" } else { "        }\n" });
        }
        out.push_str("    }\n}\n");
        out
    }
}

/// One number, one line of numbers, or a table of aligned columns.
fn layout(values: &[i16], columns: usize) -> String {
    if let [value] = values {
        return value.to_string();
    }
    if columns == 0 {
        let words: Vec<String> = values.iter().map(i16::to_string).collect();
        return format!("[{}]", words.join(", "));
    }
    let width = values.iter().map(|v| v.to_string().len()).max().unwrap_or(1);
    let lines: Vec<String> = values
        .chunks(columns)
        .map(|line| {
            let words: Vec<String> = line.iter().map(|v| format!("{v:width$}")).collect();
            format!("                {}", words.join(", "))
        })
        .collect();
    format!("[\n{}\n            ]", lines.join(",\n"))
}

fn read_origin(pairs: Pairs, file: &str) -> Result<Origin, WeightsError> {
    let mut origin = Origin::default();
    for (key, value) in pairs.0 {
        let fault = |expected| WeightsError::Format {
            file: file.to_string(),
            reason: format!("origin.{key}: expected {expected}, found {value}"),
        };
        if key == "seed" {
            origin.seed = Some(value.as_u64().ok_or_else(|| fault("a whole number"))?);
            continue;
        }
        let text = value.as_str().ok_or_else(|| fault("a text"))?.to_string();
        match key.as_str() {
            "made_by" => origin.made_by = text,
            "from" => origin.from = text,
            "date" => origin.date = Some(text),
            _ => origin.notes.push((key, text)),
        }
    }
    Ok(origin)
}

fn read_term(json: &Json, term: &Term, file: &str, out: &mut [[i16; 2]]) -> Result<(), WeightsError> {
    let halves = json.as_object().filter(|o| o.len() == 2 && o.contains_key("mg") && o.contains_key("eg"));
    let halves = halves.ok_or_else(|| WeightsError::Term {
        file: file.to_string(),
        term: term.name.to_string(),
        reason: "expected an object of \"mg\" and \"eg\"",
    })?;
    for (half, key) in ["mg", "eg"].into_iter().enumerate() {
        let name = format!("{}.{key}", term.name);
        let items = match &halves[key] {
            Json::Array(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        if items.len() != term.len {
            let (expected, found) = (term.len, items.len());
            return Err(WeightsError::Length { file: file.to_string(), term: name, expected, found });
        }
        for (index, item) in items.iter().enumerate() {
            let number = item.as_i64().and_then(|v| i16::try_from(v).ok());
            out[index][half] = number.ok_or_else(|| WeightsError::Number {
                file: file.to_string(),
                term: name.clone(),
                index,
                found: item.to_string(),
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn term(name: &'static str, first: usize, len: usize, columns: usize) -> Term {
        Term { name, group: "g", first, len, columns, unit: 1, doc: "d", source: "s" }
    }
    const TERMS: [Term; 3] = [term("one", 0, 1, 0), term("list", 1, 3, 0), term("table", 4, 4, 2)];

    const GOLDEN: &str = r#"{
    "format": "tesuji-weights 1",
    "game": "toy",
    "origin": {
        "made_by": "a \"hand\"",
        "from": "nothing",
        "seed": 18446744073709551615,
        "date": "today",
        "games": "12"
    },
    "terms": {
        "one": {
            "mg": -5,
            "eg": 0
        },
        "list": {
            "mg": [1, 2, 3],
            "eg": [0, -1, 32767]
        },
        "table": {
            "mg": [
                  1, 100,
                -20,   0
            ],
            "eg": [
                1, 2,
                3, 4
            ]
        }
    }
}
"#;

    fn load(text: &str) -> Result<Weights, WeightsError> {
        Weights::from_json(text, "toy", &TERMS, "toy.json")
    }

    #[track_caller]
    fn refused(from: &str, to: &str, expect: &str) {
        assert!(GOLDEN.contains(from), "{from}");
        assert_eq!(load(&GOLDEN.replacen(from, to, 1)).unwrap_err().to_string(), expect);
    }

    /// `EvalFile` with a file that held a number said "expected struct File".
    #[test]
    fn a_number_in_place_of_weights_says_what_was_expected() {
        let error = load("17\n").unwrap_err().to_string();
        assert!(error.contains("toy.json: invalid type: integer `17`, expected an object of weights"), "{error}");
        assert!(error.ends_with("as `tesuji tune` writes it"), "{error}");
        let error = load("{\"format\": 3}").unwrap_err().to_string();
        assert!(!error.contains("struct") && error.ends_with("as `tesuji tune` writes it"), "{error}");
    }

    #[test]
    fn load_then_save_is_the_same_bytes() {
        let weights = load(GOLDEN).unwrap();
        assert_eq!(weights.to_json("toy", &TERMS), GOLDEN);
        assert_eq!(weights.values[3], [3, 32767]);
        assert_eq!(weights.origin.seed, Some(u64::MAX));
        assert_eq!(weights.origin.notes, [("games".to_string(), "12".to_string())]);
    }

    #[test]
    fn errors_name_the_place() {
        refused("[1, 2, 3]", "[1, 2]", "toy.json: term list.mg: expected 3 weights, found 2");
        refused("[1, 2, 3]", "7", "toy.json: term list.mg: expected 3 weights, found 1");
        refused(
            "32767",
            "32768",
            "toy.json: term list.eg: weight 2: expected a whole number from -32768 to 32767, found 32768",
        );
        refused("\"list\"", "\"lists\"", "toy.json: term lists: this evaluation has no such term");
        refused("\"list\"", "\"one\"", "toy.json: term one: stands there twice");
        refused("\"toy\"", "\"go\"", "toy.json: expected weights for \"toy\", found some for \"go\"");
        refused("weights 1", "weights 9", "toy.json: expected format \"tesuji-weights 1\", found \"tesuji-weights 9\"");
        refused("\"mg\": -5", "\"m\": -5", "toy.json: term one: expected an object of \"mg\" and \"eg\"");
        assert!(matches!(load("{"), Err(WeightsError::Syntax { .. })));
        assert!(matches!(load("[1]"), Err(WeightsError::Format { .. })));
    }

    #[test]
    fn missing_terms_are_refused_or_told() {
        let (weights, missing) = Weights::from_json_partial(
            r#"{"format":"tesuji-weights 1","game":"toy","origin":{},"terms":{"one":{"mg":1,"eg":2}}}"#,
            "toy",
            &TERMS,
            "old.json",
        )
        .unwrap();
        assert_eq!(weights.values[0], [1, 2]);
        assert_eq!(missing.iter().map(|t| t.name).collect::<Vec<_>>(), ["list", "table"]);
        let old = r#"{"format":"tesuji-weights 1","game":"toy","origin":{},"terms":{}}"#;
        let e = Weights::from_json(old, "toy", &TERMS, "old.json").unwrap_err();
        assert_eq!(e.to_string(), "old.json: term one: expected 1 weights, found 0");
    }
}
