//! Command lines of fastchess, cutechess-cli and BattleField as ours.

mod battlefield;

use crate::request_error::{Context as _, refuse};
use std::path::Path;
use tesuji_jobs::words::quoted;
use tesuji_kit::RequestError;

/// The program whose command line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Fastchess,
    Cutechess,
}

/// A command line of BattleField, for errors.
const FOREIGN_EXAMPLE: &str = "battlefield [-q] [-j JOBS] [-o PGN] [-r SGS] -g GAMES (-d DEPTH | -t MS | -c CONTROL) [-f FEN] [-s SCORE] ENGINE1 ENGINE2";

/// The command line so far.
struct Converted {
    dialect: Dialect,
    engines: Vec<String>,
    /// The words of the first engine without a program.
    nameless: Option<String>,
    /// Whether `-each` names a program.
    each_has_program: bool,
    rest: Vec<String>,
    warnings: Vec<String>,
    games: u64,
    rounds: u64,
    gauntlet: bool,
    seeds: u64,
    repeats: bool,
    swaps: bool,
}

/// Options that ask for what is always so here: an engine that crashed is started again.
const ALWAYS: [&str; 1] = ["-recover"];
/// Words beside `file=` that ask for what our files of games always have, or begin with.
const ALWAYS_IN_FILES: [&str; 4] = ["nodes=true", "seldepth=false", "append=true", "notation=san"];

/// Our command line, and what could not be said in it.
///
/// # Errors
/// When it is no command line of theirs.
///
/// # Examples
///
/// ```
/// let command = "fastchess -engine cmd=a -engine cmd=b -each tc=8+0.08 -rounds 500 -openings file=b.epd";
/// let (ours, not_said) = tesuji_arena::from_foreign_command(command).unwrap();
/// assert!(ours.starts_with("tesuji match") && ours.contains("--openings b.epd"), "{ours}");
/// assert!(not_said.is_empty(), "{not_said:?}");
/// ```
pub fn from_foreign_command(command: &str) -> Result<(String, Vec<String>), RequestError> {
    let words = tesuji_jobs::words::split(command).map_err(RequestError::failed)?;
    let Some(program) = words.first() else { refuse!("an empty command") };
    let stem = Path::new(program).file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
    if stem.contains("battlefield") {
        return battlefield::convert(&words);
    }
    let dialect = match stem {
        s if s.contains("fastchess") || s.contains("fast-chess") => Dialect::Fastchess,
        s if s.contains("cutechess") => Dialect::Cutechess,
        _ => refuse!("{program}: expected a command that begins with fastchess, cutechess-cli or battlefield"),
    };
    let mut made = Converted {
        dialect,
        engines: Vec::new(),
        nameless: None,
        each_has_program: false,
        rest: Vec::new(),
        warnings: Vec::new(),
        games: if dialect == Dialect::Fastchess { 2 } else { 1 },
        rounds: 1,
        gauntlet: false,
        seeds: 1,
        repeats: false,
        swaps: true,
    };
    let mut at = 1;
    while at < words.len() {
        let values = words[at + 1..].iter().take_while(|w| !is_option(w)).count();
        made.add(&words[at], &words[at + 1..=at + values])?;
        at += values + 1;
    }
    if let Some(engine) = made.nameless.as_deref().filter(|_| !made.each_has_program) {
        // Without a program it would be this one's own engine.
        refuse!(
            "-engine {engine}: it has no cmd=PROGRAM and cannot be converted; what conf= stands for is not known here"
        );
    }
    if made.engines.is_empty() {
        refuse!("no -engine cmd=PROGRAM: there is nobody to play");
    }
    if !words.iter().any(|word| word.starts_with("timemargin=")) {
        // Theirs forgive nothing unless they are told to; ours forgives 50 ms.
        made.say(&["--margin", "0"]);
    }
    if !words.iter().any(|word| word == "-openings") {
        made.warnings.push(
            "without -openings it begins each game at the start position; here openings are those built in, and --openings FILE names others"
                .to_string(),
        );
    }
    made.tournament();
    let games = made.games.saturating_mul(made.rounds);
    let mut ours = "tesuji match".to_string();
    for engine in &made.engines {
        ours += &format!(" \\\n    --engine {}", quoted(engine));
    }
    ours += &format!(" \\\n    --games {games}");
    for word in &made.rest {
        ours += if word.starts_with("--") { " \\\n    " } else { " " };
        ours += &quoted(word);
    }
    Ok((ours, made.warnings))
}

/// Whether a word is an option and not a value such as `-5`.
fn is_option(word: &str) -> bool {
    word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit() || c == '.')
}

/// The value of `key=…` among words.
fn value<'a>(values: &'a [String], key: &str) -> Option<&'a str> {
    values.iter().find_map(|w| w.split_once('=').filter(|(k, _)| *k == key).map(|(_, v)| v))
}

impl Converted {
    fn say(&mut self, words: &[&str]) {
        self.rest.extend(words.iter().map(|w| w.to_string()));
    }

    fn add(&mut self, option: &str, values: &[String]) -> Result<(), RequestError> {
        let first = values.first().map(String::as_str);
        let number = |what: &str| -> Result<u64, RequestError> {
            let text = first.unwrap_or_default();
            text.parse().context(format_args!("{option} {text}: expected a number of {what}"))
        };
        match option {
            "-engine" => {
                let engine = self.engine(values)?;
                if value(values, "cmd").is_none_or(str::is_empty) {
                    self.nameless.get_or_insert_with(|| values.join(" "));
                }
                self.engines.push(engine);
            }
            "-each" => {
                let each = self.engine(values)?;
                self.each_has_program |= value(values, "cmd").is_some_and(|program| !program.is_empty());
                if !each.is_empty() {
                    self.say(&["--each", &each]);
                }
            }
            "-games" => self.games = number("games")?,
            "-rounds" => self.rounds = number("rounds")?,
            "-concurrency" => self.say(&["--jobs", first.unwrap_or("1")]),
            "-srand" => self.say(&["--seed", first.unwrap_or("1")]),
            "-event" => self.say(&["--event", &values.join(" ")]),
            "-site" => self.say(&["--site", &values.join(" ")]),
            "-maxmoves" => self.say(&["--max-plies", &(2 * number("moves")?).to_string()]),
            "-epdout" => match value(values, "file").or(first) {
                Some(file) => self.say(&["--epd-out", file]),
                None => refuse!("-epdout needs a file"),
            },
            "-pgnout" => match value(values, "file").or(first) {
                Some(file) => {
                    self.say(&["--pgn-out", file]);
                    let is_taken =
                        |word: &str| word == file || word.starts_with("file=") || ALWAYS_IN_FILES.contains(&word);
                    self.warn_of_others(option, values, is_taken);
                }
                None => refuse!("-pgnout needs a file"),
            },
            "-openings" => self.openings(values),
            "-sprt" => self.sprt(values),
            "-resign" | "-draw" => self.adjudication(option, values),
            "-tournament" => match first {
                Some("gauntlet") => self.gauntlet = true,
                Some("knockout") => self.say(&["--knockout"]),
                Some("round-robin" | "roundrobin") | None => {}
                Some(_) => self.warn(option, values),
            },
            "-seeds" => self.seeds = number("seeds")?,
            "-repeat" => self.repeats = true,
            "-noswap" => self.swaps = false,
            "-variant" => match first {
                Some("fischerandom" | "chess960" | "fischerandomchess") => self.say(&["--rules", "chess960"]),
                Some("standard") | None => {}
                // Without it another game would be played.
                Some(other) => refuse!("-variant {other}: leave it out, and add --game GAME to the converted command"),
            },
            _ if ALWAYS.contains(&option) => {}
            _ => self.warn(option, values),
        }
        Ok(())
    }

    /// Writes the options of the tournament format: gauntlet and sides.
    fn tournament(&mut self) {
        if self.gauntlet {
            self.say(&[&format!("--gauntlet={}", self.seeds)]);
        }
        // Fastchess plays an opening twice when a round has two games, cutechess-cli when it is told to repeat.
        let repeats = self.repeats || (self.dialect == Dialect::Fastchess && self.games > 1);
        match (self.swaps, repeats) {
            (false, _) => self.say(&["--sides", "fixed"]),
            (true, false) => self.say(&["--sides", "alternate"]),
            (true, true) => {}
        }
    }

    /// Notes the values of an option that have no counterpart.
    fn warn_of_others(&mut self, option: &str, values: &[String], is_taken: impl Fn(&str) -> bool) {
        let others = values.iter().filter(|word| !is_taken(word)).map(|word| format!("{option} {word}"));
        self.warnings.extend(others);
    }

    /// Warns of `values` as above, except for the keys of `key=value` that are converted.
    fn warn_of_other_keys(&mut self, option: &str, values: &[String], keys: &[&str]) {
        self.warn_of_others(option, values, |word| keys.contains(&word.split('=').next().unwrap_or(word)));
    }

    fn warn(&mut self, option: &str, values: &[String]) {
        self.warnings.push(format!("{option} {}", values.join(" ")).trim_end().to_string());
    }

    /// `key=value` words of an engine as ours.
    fn engine(&mut self, values: &[String]) -> Result<String, RequestError> {
        let mut parts: Vec<String> = Vec::new();
        let mut args: Vec<String> = Vec::new();
        for word in values {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "arg" => args.push(value.to_string()),
                "args" => args.extend(tesuji_jobs::words::split(value).map_err(RequestError::failed)?),
                "timemargin" => parts.push(format!("margin={value}")),
                "tc" if matches!(value, "inf" | "infinite") => {}
                "tc" => parts.push(format!("tc={}", control(value)?)),
                "cmd" | "name" | "dir" | "proto" | "st" | "nodes" | "depth" => parts.push(word.clone()),
                "plies" => parts.push(format!("depth={value}")),
                "restart" if matches!(value, "auto" | "") => {}
                "restart" => parts.push(word.clone()),
                "ponder" if matches!(value, "" | "true") => parts.push("ponder=on".to_string()),
                _ if key.starts_with("option.") => parts.push(word.clone()),
                _ => self.warnings.push(word.clone()),
            }
        }
        if !args.is_empty() {
            let args: Vec<String> = args.iter().map(|a| quoted(a)).collect();
            parts.push(format!("args={}", args.join(" ")));
        }
        let parts: Vec<String> = parts.iter().map(|p| quoted(p)).collect();
        Ok(parts.join(" "))
    }

    fn openings(&mut self, values: &[String]) {
        if let Some(file) = value(values, "file") {
            self.say(&["--openings", file]);
        }
        let order = value(values, "order").unwrap_or("sequential");
        self.say(&["--order", if order == "random" { "random" } else { "sequential" }]);
        for key in ["plies", "start"] {
            if let Some(n) = value(values, key) {
                self.say(&[if key == "plies" { "--plies" } else { "--start" }, n]);
            }
        }
        if let Some(policy) = value(values, "policy").filter(|p| !matches!(*p, "default" | "round")) {
            self.warnings.push(format!("-openings policy={policy}"));
        }
        // Formats are known by the names of files.
        self.warn_of_other_keys("-openings", values, &["file", "order", "plies", "start", "policy", "format"]);
    }

    fn sprt(&mut self, values: &[String]) {
        // Theirs has no usual bounds: what is made up here is said.
        for (key, usual) in [("elo0", 0), ("elo1", 5)] {
            if value(values, key).is_none() {
                self.warnings.push(format!("-sprt without {key}: {usual} is taken"));
            }
        }
        let or = |key, usual| value(values, key).unwrap_or(usual);
        self.say(&[
            "--sprt",
            or("elo0", "0"),
            or("elo1", "5"),
            "--alpha",
            or("alpha", "0.05"),
            "--beta",
            or("beta", "0.05"),
        ]);
        let usual = if self.dialect == Dialect::Fastchess { "normalized" } else { "logistic" };
        let model = match or("model", usual) {
            "bayesian" => "bayesian",
            "logistic" => "logistic",
            _ => "normalised",
        };
        self.say(&["--model", model]);
        self.warn_of_other_keys("-sprt", values, &["elo0", "elo1", "alpha", "beta", "model"]);
    }

    fn adjudication(&mut self, option: &str, values: &[String]) {
        let or = |key, usual| value(values, key).unwrap_or(usual);
        if option == "-resign" {
            self.warn_of_other_keys(option, values, &["movecount", "score", "twosided"]);
            let both = if or("twosided", "false") == "true" { "/both" } else { "" };
            self.say(&["--resign", &format!("{}/{}{both}", or("movecount", "3"), or("score", "600"))]);
        } else {
            self.warn_of_other_keys(option, values, &["movenumber", "movecount", "score"]);
            self.say(&[
                "--draw",
                &format!("{}/{}/{}", or("movenumber", "40"), or("movecount", "8"), or("score", "10")),
            ]);
        }
    }
}

/// `40/1:30+0.5` in seconds: there a colon parts minutes from seconds, here it parts stages.
fn control(text: &str) -> Result<String, RequestError> {
    let (moves, rest) = text.split_once('/').map_or(("", text), |(m, r)| (m, r));
    let (time, increment) = rest.split_once('+').map_or((rest, ""), |(t, i)| (t, i));
    let mut seconds = 0.0;
    for part in time.split(':') {
        let part: f64 = part.parse().context(format_args!("tc={text}: {part:?} is not a time"))?;
        seconds = seconds * 60.0 + part;
    }
    let slash = if moves.is_empty() { "" } else { "/" };
    let plus = if increment.is_empty() { "" } else { "+" };
    Ok(format!("{moves}{slash}{seconds}{plus}{increment}"))
}
