//! An engine of the user that learns in `improve`, as it is asked for: its words, its commands, the columns of its tables.

use crate::rows::RowsLayout;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_arena::EngineRequest;
use tesuji_jobs::words::split;
use tesuji_kit::RequestError;

/// What stands for the file of weights, and for the program that is built with them.
pub(super) const WEIGHTS: &str = "{weights}";
pub(super) const PROGRAM: &str = "{engine}";

/// An engine that learns, and how.
///
/// # Examples
/// ```
/// use tesuji_circle::improve::EngineTraining;
/// let words = "cmd=./engine option.EvalFile={weights} weights-file=eval.json";
/// let (training, weights) = EngineTraining::parse(words)?;
/// assert_eq!((training.engine.as_str(), weights.as_deref()), ("cmd=./engine option.EvalFile={weights}", Some("eval.json")));
/// assert!(training.validate().unwrap_err().to_string().starts_with("rows is missing"));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineTraining {
    /// The engine in the words of matches. `{weights}` in them stands for a file of weights, `{engine}` for the program that was built
    /// with them.
    pub engine: String,
    /// The command that builds the program `{engine}` with the weights `{weights}`, where they are part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The shape of its network, by name or as a TOML file, where that learns; then there are no rows. Its file is in the raw layout.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub net: Option<String>,
    /// The command that makes the table `{rows}` of the games `{games}`; `{rows.parquet}` and `{games.pgn}` say in which format.
    pub rows: String,
    /// What the columns of the table are.
    pub layout: RowsLayout,
    /// The file that the weights are filled into; if not given the file of weights itself, which is then JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<PathBuf>,
    /// `NAME=NUMBER`: all weights are multiplied so that this one becomes that number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

impl EngineTraining {
    /// The engine of `words`, in which `weights-file=FILE` and `build=COMMAND` may stand beside those of matches, and that file.
    ///
    /// # Errors
    /// When a quote is not closed, or the rest is no engine.
    pub fn parse(words: &str) -> Result<(EngineTraining, Option<String>), RequestError> {
        let wrong = |error: String| RequestError::value("engine", words, error);
        let (mut weights, mut build, mut rest) = (None, None, Vec::new());
        for word in split(words).map_err(wrong)? {
            match word.split_once('=') {
                Some(("weights-file", file)) => weights = Some(file.to_string()),
                Some(("build", command)) => build = Some(command.to_string()),
                _ if word.chars().any(|c| c.is_whitespace() || c == '"' || c == '\'') => {
                    rest.push(format!("'{}'", word.replace('\'', "'\"'\"'")));
                }
                _ => rest.push(word),
            }
        }
        let training = EngineTraining { engine: rest.join(" "), build, ..EngineTraining::default() };
        training.request()?;
        Ok((training, weights))
    }

    /// Checks it by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        self.request()?;
        if self.net.is_some() {
            return match self.rows.is_empty() {
                true => self.check_places(),
                false => Err(RequestError::value("rows", &self.rows, "a network learns from the games themselves")),
            };
        }
        if self.rows.is_empty() {
            return Err(RequestError::field("rows", "is missing: the command that makes {rows} of {games}"));
        }
        for name in ["{games", "{rows"] {
            if !self.rows.contains(name) {
                return Err(RequestError::value("rows", &self.rows, format_args!("expected {name}}} in it")));
            }
        }
        self.check_places()
    }

    /// Checks that versions with other weights are other engines.
    fn check_places(&self) -> Result<(), RequestError> {
        let has = |name: &str| self.engine.contains(name);
        match &self.build {
            Some(build) if !build.contains(PROGRAM) || !build.contains(WEIGHTS) => {
                Err(RequestError::value("build", build, format_args!("expected {WEIGHTS} and {PROGRAM} in it")))
            }
            Some(_) if !has(PROGRAM) => Err(RequestError::value(
                "engine",
                &self.engine,
                format_args!("expected cmd={PROGRAM}, which build makes"),
            )),
            None if has(PROGRAM) => Err(RequestError::field("build", format_args!("is missing: it makes {PROGRAM}"))),
            None if !has(WEIGHTS) => {
                let words =
                    format_args!("expected {WEIGHTS} in it, or with build {PROGRAM}: all versions would be the same");
                Err(RequestError::value("engine", &self.engine, words))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn request(&self) -> Result<EngineRequest, RequestError> {
        self.engine.parse().map_err(|error: String| RequestError::value("engine", &self.engine, error))
    }

    /// The words of the engine with the weights in the file `weights`, for matches.
    pub fn words_with(&self, weights: &Path) -> String {
        fill(&self.engine, &[(WEIGHTS, weights), (PROGRAM, &program_of(weights))])
    }
}

/// `text` with paths in place of names.
pub(super) fn fill(text: &str, places: &[(&str, &Path)]) -> String {
    places.iter().fold(text.to_string(), |text, (name, path)| text.replace(name, &path.display().to_string()))
}

/// The program that is built with the weights in the file `weights`.
pub(super) fn program_of(weights: &Path) -> PathBuf {
    let stem = weights.file_stem().unwrap_or_default().to_string_lossy();
    weights.with_file_name(format!("engine-{stem}"))
}

/// The ending in `{name.ENDING}` of a command, and these words.
pub(super) fn ending_of<'a>(command: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let start = command.find(&format!("{{{name}."))?;
    let end = start + command[start..].find('}')?;
    Some((&command[start + name.len() + 2..end], &command[start..=end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_learn_is_refused() {
        let base = || EngineTraining {
            engine: "cmd=./engine option.EvalFile={weights}".into(),
            rows: "./rows {games} {rows}".into(),
            ..EngineTraining::default()
        };
        assert!(base().validate().is_ok());
        let built = EngineTraining {
            engine: "cmd={engine}".into(),
            build: Some("make EVAL={weights} EXE={engine}".into()),
            ..base()
        };
        assert!(built.validate().is_ok());
        #[track_caller]
        fn check(training: EngineTraining, says: &str) {
            let error = training.validate().unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        check(EngineTraining { engine: "cmd=./engine".into(), ..base() }, "all versions would be the same");
        check(EngineTraining { engine: "cmd=".into(), ..base() }, "cmd= needs a program");
        check(EngineTraining { rows: "./rows {games}".into(), ..base() }, "rows ./rows {games}: expected {rows}");
        check(EngineTraining { rows: String::new(), ..base() }, "rows is missing");
        let net = Some("four-32".to_string());
        check(EngineTraining { net: net.clone(), ..base() }, "a network learns from the games themselves");
        assert!(EngineTraining { net, rows: String::new(), ..base() }.validate().is_ok());
        check(EngineTraining { build: Some("make".into()), ..base() }, "expected {weights} and {engine}");
        check(EngineTraining { engine: base().engine, ..built.clone() }, "expected cmd={engine}, which build makes");
        check(EngineTraining { build: None, ..built }, "build is missing: it makes {engine}");
    }

    #[test]
    fn words_of_the_engine_are_kept_with_their_quotes() {
        let words = "'cmd=./my engine' \"option.Eval File={weights}\" build='make {engine}' weights-file=a/eval.h";
        let (training, weights) = EngineTraining::parse(words).unwrap();
        assert_eq!(training.engine, "'cmd=./my engine' 'option.Eval File={weights}'");
        assert_eq!((training.build.as_deref(), weights.as_deref()), (Some("make {engine}"), Some("a/eval.h")));
        let request = training.request().unwrap();
        assert_eq!(request.options, [("Eval File".to_string(), "{weights}".to_string())]);
        assert_eq!(training.words_with(Path::new("r/weights.h")), "'cmd=./my engine' 'option.Eval File=r/weights.h'");
        assert!(EngineTraining::parse("cmd='a").is_err());
    }

    #[test]
    fn commands_name_the_formats_that_they_want() {
        let command = "rows --from {games.pgn} --to {rows.parquet}";
        assert_eq!(ending_of(command, "games"), Some(("pgn", "{games.pgn}")));
        assert_eq!(ending_of(command, "rows"), Some(("parquet", "{rows.parquet}")));
        assert_eq!(ending_of("rows {games} {rows}", "games"), None);
        assert_eq!(program_of(Path::new("a/weights.nnue")), Path::new("a/engine-weights"));
    }
}
