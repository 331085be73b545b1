//! Options of `tesuji match`: read again from journals and requests, and listed in the help.

use crate::match_::{engine, run};
use serde_json::Value;

/// The request that options ask for.
fn request(args: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let (code, printed, errors) = run(folder.path(), &[args, &["--print-request"]].concat());
    assert_eq!(code, 0, "{errors}");
    serde_json::from_str(&printed).unwrap()
}

#[test]
fn arguments_are_requests() {
    let asked =
        request(&["--engine", "cmd=a", "--engine", "self", "--sprt", "-5", "0", "--tc", "1+0.01", "--resign", "4/600"]);
    assert_eq!(asked["sprt"], serde_json::json!([-5.0, 0.0]));
    assert_eq!(
        (asked["engines"].as_array().map(Vec::len), &asked["control"], &asked["resign"], &asked["games"]),
        (Some(2), &Value::from("1+0.01"), &Value::from("4/600"), &Value::Null)
    );
    let folder = tempfile::tempdir().unwrap();
    let engines = ["--engine", "self", "--engine", "self", "--nodes", "5"];
    for (wrong, said) in [(&["--tc", "x"][..], "--tc"), (&["--sprt", "5", "0"], "ELO0 must be less than ELO1")] {
        let (code, _, errors) = run(folder.path(), &[&engines[..], wrong].concat());
        assert!(code == 2 && errors.contains(said), "{wrong:?}: {code} {errors}");
    }
}

/// A match of N rounds that was made longer could not go on again.
#[test]
fn rounds_and_games_are_not_remembered_together() {
    let folder = tempfile::tempdir().unwrap();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let limits = ["--rounds", "1", "--nodes", "5", "--seed", "5", "--journal", "j", "-j", "1", "--quiet"];
    let begin: Vec<&str> = ["--engine", &players[0], "--engine", &players[1]].into_iter().chain(limits).collect();
    for (args, games) in [
        (&begin[..], "Games: 2,"),
        (&["--resume", "j", "--games", "4"], "Games: 4,"),
        (&["--resume", "j"], "Games: 4,"),
    ] {
        let (code, told, errors) = run(folder.path(), args);
        assert!(code == 0 && told.contains(games), "{args:?}: {code} {told}{errors}");
    }
    let (code, _, errors) = run(folder.path(), &[&begin[..], &["--games", "4", "--fresh"]].concat());
    assert!(code == 2 && errors.contains("--rounds: games say the same"), "{code} {errors}");
}

/// The help of `--resume` lists the options that may change at a resume.
#[test]
fn help_lists_what_may_change_at_a_resume() {
    let command = tesuji_cli::command();
    let subcommand = command.find_subcommand("match").unwrap();
    let arg = subcommand.get_arguments().find(|arg| arg.get_id() == "resume").unwrap();
    let help = arg.get_help().unwrap().to_string();
    let listed: Vec<&str> = help
        .split_ascii_whitespace()
        .filter_map(|word| word.strip_prefix("--"))
        .map(|word| word.trim_matches([',', ';']))
        .collect();
    assert_eq!(listed, tesuji_arena::RESUME_OPTIONS);
}

/// `{}` was refused for a game that the command line takes from its default.
#[test]
fn requests_have_the_defaults_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.json"), "{}").unwrap();
    let (code, _, errors) = run(folder.path(), &["--request", "empty.json"]);
    assert!(code == 2 && errors.contains("engines: two or more"), "{code} {errors}");
    let engines = r#"{ "engines": [{ "command": "a" }, { "name": "B" }] }"#;
    std::fs::write(folder.path().join("engines.json"), engines).unwrap();
    let (code, printed, errors) = run(folder.path(), &["--request", "engines.json", "--print-request"]);
    assert_eq!(code, 0, "{errors}");
    let read: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(read, request(&["--engine", "cmd=a", "--engine", "name=B"]));
}

/// A match that a file asked for is played on from its journal, without the file.
#[test]
fn requests_stand_in_journals() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let asked = ["--engine", &players[0], "--engine", &players[1], "--nodes", "50", "--games", "2", "--seed", "3"];
    let (code, printed, errors) = run(here, &[&asked[..], &["--pgn-out", "a.pgn", "--print-request"]].concat());
    assert_eq!(code, 0, "{errors}");
    std::fs::write(here.join("match.json"), printed).unwrap();
    let (code, told, errors) = run(here, &["--request", "match.json", "--quiet"]);
    assert!(code == 0 && told.contains("Games: 2,"), "{code} {told}{errors}");
    std::fs::remove_file(here.join("match.json")).unwrap();
    for args in
        [&["--resume", "a.pgn.journal", "--games", "6", "--quiet"][..], &["--resume", "a.pgn.journal", "--quiet"]]
    {
        let (code, told, errors) = run(here, args);
        assert!(code == 0 && told.contains("Games: 6,"), "{args:?}: {code} {told}{errors}");
    }
}
