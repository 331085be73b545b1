//! A match in a TOML file: the options of the command line as keys, `[[engine]]` tables, `[each]` for all of them.

use crate::request_error::{Context as _, refuse};
use std::path::Path;
use tesuji_jobs::{read_text_limited, words::quoted};
use tesuji_kit::RequestError;
use toml::{Table, Value};

/// The longest file of options, in bytes.
const CONFIG_BYTES_MAX: u64 = 16 << 20;

/// The file's contents as words of a command line.
///
/// # Errors
/// When it cannot be read, or holds what no option takes.
///
/// # Examples
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("match.toml");
/// std::fs::write(&file, "games = 200\n[[engine]]\ncmd = \"./new\"\n")?;
/// let mut words = tesuji_arena::config_words(&file)?;
/// words.sort();
/// assert_eq!(words, ["--engine", "--games", "200", "cmd=./new"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn config_words(path: &Path) -> Result<Vec<String>, RequestError> {
    let text = read_text_limited(path, CONFIG_BYTES_MAX).context("--config")?;
    config_words_of(&text).context(format_args!("--config {}", path.display()))
}

/// The text of such a file as words of a command line.
///
/// # Errors
/// When it holds what no option takes.
///
/// # Examples
/// ```
/// let text = "[[engine]]\ncmd = \"./new\"\nname = \"new\"\n";
/// let words = tesuji_arena::config_words_of(text)?;
/// assert_eq!(words, ["--engine", "cmd=./new name=new"]);
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn config_words_of(text: &str) -> Result<Vec<String>, RequestError> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| RequestError::failed(error))?;
    let mut words = Vec::new();
    for (key, value) in &table {
        add(key, value, &mut words).context(key)?;
    }
    Ok(words)
}

fn add(key: &str, value: &Value, words: &mut Vec<String>) -> Result<(), RequestError> {
    let name = format!("--{}", key.replace('_', "-"));
    match (key, value) {
        ("engine", Value::Array(engines)) => {
            for engine in engines {
                let Value::Table(engine) = engine else { refuse!("expected [[engine]] tables") };
                words.extend(["--engine".to_string(), spec(engine)?]);
            }
        }
        ("each", Value::Table(each)) => words.extend([name, spec(each)?]),
        (_, Value::Boolean(on)) => words.extend(on.then_some(name)),
        (_, Value::Array(values)) => {
            words.push(name);
            for value in values {
                words.push(plain(value)?);
            }
        }
        _ => words.extend([name, plain(value)?]),
    }
    Ok(())
}

/// A table as the words of an engine: `cmd=… option.Hash=…`.
fn spec(engine: &Table) -> Result<String, RequestError> {
    let mut parts = Vec::new();
    for (key, value) in engine {
        match value {
            Value::Table(inner) if matches!(key.as_str(), "option" | "env") => {
                for (name, value) in inner {
                    parts.push(quoted(&format!("{key}.{name}={}", plain(value)?)));
                }
            }
            Value::Array(values) if key == "args" => {
                let values: Vec<String> =
                    values.iter().map(|v| Ok(quoted(&plain(v)?))).collect::<Result<_, RequestError>>()?;
                parts.push(quoted(&format!("args={}", values.join(" "))));
            }
            _ => parts.push(quoted(&format!("{key}={}", plain(value).context(key)?))),
        }
    }
    Ok(parts.join(" "))
}

/// A value without its quotes.
fn plain(value: &Value) -> Result<String, RequestError> {
    Ok(match value {
        Value::String(text) => text.clone(),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => value.to_string(),
        _ => refuse!("expected a text, a number, true or false, not {value}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, RequestError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.toml");
        std::fs::write(&path, text).unwrap();
        config_words(&path)
    }

    #[test]
    fn files_become_words() {
        let text = "games = 40\ntc = \"1+0.01\"\nsprt = [0, 5]\ngauntlet = true\nquiet = false\nmax_plies = 300\n\
            [each]\noption.Hash = 16\n[[engine]]\ncmd = \"/a b/x\"\nargs = [\"--u c\", \"d\"]\n[engine.option]\n\
            \"Move Overhead\" = 10\n[[engine]]\nname = \"B\"\n";
        let words = read(text).unwrap();
        let spec = &words[3];
        assert_eq!(
            words.iter().map(String::as_str).collect::<Vec<_>>(),
            [
                "--each",
                "option.Hash=16",
                "--engine",
                spec,
                "--engine",
                "name=B",
                "--games",
                "40",
                "--gauntlet",
                "--max-plies",
                "300",
                "--sprt",
                "0",
                "5",
                "--tc",
                "1+0.01"
            ]
        );
        // What was quoted is read as it was.
        let parts = tesuji_jobs::words::split(spec).unwrap();
        assert_eq!(parts, ["args='--u c' d", "cmd=/a b/x", "option.Move Overhead=10"]);
        for word in ["", "a", "a b", "it's", "\"x\" 'y'", "'", "a\"b"] {
            assert_eq!(tesuji_jobs::words::split(&quoted(word)).unwrap(), [word]);
        }
    }

    #[test]
    fn wrong_files_say_where() {
        for (text, says) in [("games = ", "m.toml"), ("engine = [1]", "[[engine]]"), ("tc = 1979-05-27", "tc")] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(says), "{text}: {error}");
        }
        assert!(config_words(Path::new("/no/such.toml")).is_err());
    }
}
