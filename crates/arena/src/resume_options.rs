//! Options beside `--resume`: which may differ from those that the match was begun with, and what is said of the others.

use crate::MatchRequest;
use crate::request_error::refuse;
use serde_json::Value;
use tesuji_kit::RequestError;

/// Options that may differ when a match goes on: how long it is (never shorter), how many games are played at a time, how it is told.
pub const RESUME_OPTIONS: [&str; 9] = ["games", "rounds", "jobs", "html", "output", "sigma", "anchor", "json", "quiet"];
/// Options that are about this run of the program alone.
const OF_THIS_RUN: [&str; 7] = ["resume", "request", "config", "log", "log-file", "force", "job-control"];
/// Where the values of options are in a request that are not in a field of their name.
const FIELDS: [(&str, &str); 14] = [
    ("engine", "/engines"),
    ("tc", "/control"),
    ("stc", "/control"),
    ("ltc", "/control"),
    ("st", "/seconds_a_move"),
    ("margin", "/margin_ms"),
    ("patience", "/patience_seconds"),
    ("max-plies", "/plies_max"),
    ("log-dialogue", "/dialogues"),
    ("gauntlet", "/tournament/gauntlet"),
    ("knockout", "/tournament/knockout"),
    ("swiss", "/tournament/swiss"),
    ("tiebreaks", "/tournament/tiebreaks"),
    ("sides", "/tournament/sides"),
];

/// Refuses options beside `--resume` that would be ignored. `begun`: the match as its journal has it, `asked`: what the command line asks for
/// now, with `options`, the long names of those that it gives itself. A request gives its options by their fields.
///
/// # Errors
/// All options that differ, each with its value in the journal.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, check_resume_options};
/// let begun = MatchRequest { nodes: Some(500), ..MatchRequest::default() };
/// let asked = MatchRequest { nodes: Some(900), ..begun.clone() };
/// let error = check_resume_options(&begun, &asked, &["nodes".to_string()]).unwrap_err();
/// assert!(error.to_string().starts_with("--nodes is 500 in the journal"), "{error}");
/// // A match may become longer.
/// assert!(check_resume_options(&begun, &asked, &["games".to_string()]).is_ok());
/// ```
pub fn check_resume_options(
    begun: &MatchRequest,
    asked: &MatchRequest,
    options: &[String],
) -> Result<(), RequestError> {
    let is_swiss = begun.tournament.swiss;
    let [begun, asked] = [begun, asked].map(serde_json::to_value);
    let (begun, asked) = (begun?, asked?);
    // The rounds of a Swiss tournament are those for which it was begun.
    let is_length = |option: &str| ["games", "rounds"].contains(&option);
    let is_free = |option: &str| {
        OF_THIS_RUN.contains(&option) || RESUME_OPTIONS.contains(&option) && !(is_swiss && is_length(option))
    };
    let wrong = |option: &str| match (value(&begun, option), value(&asked, option)) {
        _ if option == "fresh" => Some("--fresh does not go with --resume".to_string()),
        (Some(begun), Some(asked)) if begun == asked => None,
        (Some(begun), _) => Some(format!("--{option} {}", state(&begun))),
        (None, _) => Some(format!("--{option} does not go with --resume")),
    };
    let wrong: Vec<String> =
        options.iter().map(String::as_str).filter(|option| !is_free(option)).filter_map(wrong).collect();
    match wrong.as_slice() {
        [] => Ok(()),
        [one] => refuse!("{one}; leave it out, or begin another match"),
        all => refuse!("{}; leave them out, or begin another match", all.join(", ")),
    }
}

/// The value of an option in a request; `None` for options of other work.
fn value(request: &Value, option: &str) -> Option<Value> {
    if let Some(format) = option.strip_suffix("-out") {
        let outputs = request["outputs"].as_array()?;
        // A file of any format is one whose format is known by its name.
        let is_meant = |output: &&Value| match format {
            "games" => output["format"] == output["file"],
            _ => output["format"] == format,
        };
        return Some(outputs.iter().find(is_meant).map_or(Value::Null, |output| output["file"].clone()));
    }
    match FIELDS.iter().find(|(name, _)| *name == option) {
        Some((_, pointer)) => request.pointer(pointer).cloned(),
        None => request.get(option.replace('-', "_")).cloned(),
    }
}

/// How an option stands in the journal, in words.
fn state(value: &Value) -> String {
    let plain = |value: &Value| match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) => match number.as_f64() {
            // `5` for the `5.0` of a field with a fraction; seeds have more digits than those can hold.
            Some(fraction) if number.is_f64() => Some(fraction.to_string()),
            _ => Some(number.to_string()),
        },
        _ => None,
    };
    match value {
        Value::Null | Value::Bool(false) => "is not in the journal".to_string(),
        Value::String(text) if text.is_empty() => "is not in the journal".to_string(),
        Value::Bool(true) => "is in the journal".to_string(),
        Value::Array(all) if all.iter().all(|one| plain(one).is_some()) => {
            format!("is {} in the journal", all.iter().filter_map(plain).collect::<Vec<_>>().join(" "))
        }
        one => plain(one).map_or("differs from the journal".to_string(), |one| format!("is {one} in the journal")),
    }
}

/// The words of a command line without an option and its value.
///
/// # Examples
///
/// ```
/// let words = ["--games", "5", "--fleet=nats://x", "--fleet", "nats://y", "-q"].map(str::to_string);
/// assert_eq!(tesuji_arena::words_without("--fleet", words.to_vec()), ["--games", "5", "-q"]);
/// ```
pub fn words_without(option: &str, words: Vec<String>) -> Vec<String> {
    let mut rest = words.into_iter();
    let mut kept = Vec::new();
    while let Some(word) = rest.next() {
        if word == option {
            rest.next();
        } else if word.strip_prefix(option).is_none_or(|rest| !rest.starts_with('=')) {
            kept.push(word);
        }
    }
    kept
}

/// The words of a command line without those that say where the work is done: a journal remembers them not.
///
/// # Examples
///
/// ```
/// let words = ["--build-on-workers", "--priority", "3", "-q", "--fleet=nats://x"].map(str::to_string);
/// assert_eq!(tesuji_arena::words_without_fleet(words.to_vec()), ["-q"]);
/// ```
pub fn words_without_fleet(words: Vec<String>) -> Vec<String> {
    let mut words = words_without("--priority", words_without("--fleet", words));
    words.retain(|word| word != "--build-on-workers");
    words
}

/// Words for a match that `request` asks for, before others.
///
/// # Errors
/// When it cannot be told in JSON.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, words_with_request};
/// let words = words_with_request(vec!["--quiet".into()], &MatchRequest::default())?;
/// assert_eq!((words[0].as_str(), words[2].as_str()), ("--request", "--quiet"));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn words_with_request(words: Vec<String>, request: &MatchRequest) -> Result<Vec<String>, RequestError> {
    Ok([vec!["--request".to_string(), serde_json::to_string(request)?], words].concat())
}

/// The words of a match that is made longer: of `words`, which began it, `by_request` where they name a request.
///
/// # Errors
/// When the request cannot be told in JSON.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{MatchRequest, longer_words};
/// let words = ["--rounds", "2", "--quiet"].map(str::to_string);
/// assert_eq!(longer_words(&MatchRequest::default(), false, 8, &words)?, ["--quiet", "--games", "8"]);
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn longer_words(
    request: &MatchRequest,
    by_request: bool,
    games: u64,
    words: &[String],
) -> Result<Vec<String>, RequestError> {
    if by_request {
        let request = MatchRequest { games: Some(games), ..request.clone() };
        return words_with_request(words_without("--request", words.to_vec()), &request);
    }
    // Rounds and games exclude each other.
    let words = words_without("--rounds", words.to_vec());
    Ok([words, vec!["--games".to_string(), games.to_string()]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OutputRequest;

    #[track_caller]
    fn check(asked: &MatchRequest, options: &[&str], expect: Result<(), &str>) {
        let output = |file: &str| vec![OutputRequest { file: file.into(), format: "pgn".into() }];
        let begun = MatchRequest {
            engines: vec!["name=A".parse().unwrap(), "name=B".parse().unwrap()],
            nodes: Some(3_000),
            seed: Some(5),
            margin_ms: 20,
            outputs: output("a.pgn"),
            skip_errors: true,
            ..MatchRequest::default()
        };
        let options: Vec<String> = options.iter().map(|option| option.to_string()).collect();
        let said = check_resume_options(&begun, asked, &options).map_err(|error| error.to_string());
        assert_eq!(said, expect.map_err(str::to_string));
    }

    /// Nearly all options beside `--resume` were ignored without a word.
    #[test]
    fn options_that_differ_from_the_journal_are_named() {
        let one = MatchRequest { nodes: Some(10), ..MatchRequest::default() };
        check(&one, &["nodes", "resume"], Err("--nodes is 3000 in the journal; leave it out, or begin another match"));
        let many = MatchRequest {
            sprt: Some([0.0, 5.0]),
            control: Some("1+0".parse().unwrap()),
            seed: Some(77),
            resign: Some("1/1".parse().unwrap()),
            engines: vec!["name=zzz".parse().unwrap()],
            outputs: vec![OutputRequest { file: "other.pgn".into(), format: "pgn".into() }],
            ..one
        };
        let expect = "--sprt is not in the journal, --tc is not in the journal, --engine differs from the journal, --seed is 5 in the \
                      journal, --pgn-out is a.pgn in the journal; leave them out, or begin another match";
        check(&many, &["sprt", "tc", "engine", "seed", "pgn-out"], Err(expect));
        // Also where it is the usual value that was typed.
        let usual = MatchRequest::default();
        check(&usual, &["margin"], Err("--margin is 20 in the journal; leave it out, or begin another match"));
        check(&usual, &["dry-run"], Err("--dry-run does not go with --resume; leave it out, or begin another match"));
        check(&usual, &["fresh"], Err("--fresh does not go with --resume; leave it out, or begin another match"));
    }

    /// More rounds were taken for as many, and left out.
    #[test]
    fn a_swiss_tournament_keeps_its_rounds() {
        let tournament = crate::TournamentRequest { swiss: true, ..Default::default() };
        let begun = MatchRequest { rounds: Some(5), tournament, ..MatchRequest::default() };
        let check = |rounds| {
            let asked = MatchRequest { rounds, ..begun.clone() };
            check_resume_options(&begun, &asked, &["rounds".into()]).map_err(|error| error.to_string())
        };
        assert_eq!(check(Some(7)).unwrap_err(), "--rounds is 5 in the journal; leave it out, or begin another match");
        assert_eq!(check(Some(5)), Ok(()));
    }

    #[test]
    fn options_that_agree_with_the_journal_or_may_change_are_taken() {
        let same = MatchRequest { nodes: Some(3_000), seed: Some(5), skip_errors: true, ..MatchRequest::default() };
        check(&same, &["nodes", "seed", "skip-errors", "event", "knockout", "sides"], Ok(()));
        check(&MatchRequest::default(), &RESUME_OPTIONS, Ok(()));
        check(&MatchRequest::default(), &OF_THIS_RUN, Ok(()));
    }
}
