//! `tesuji analysis go`, as KaTrain and scripts meet it, and `tesuji regress`.

use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

fn tesuji(arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    child.wait_with_output().expect("the program ends")
}

/// All answers to these queries.
fn answers(queries: &[Value]) -> Vec<Value> {
    let input: String = queries.iter().map(|query| format!("{query}\n")).collect();
    let output = tesuji(&["analysis", "go", "--visits", "40"], &input);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect()
}

/// The only answer to a query on 5x5 with these fields, too.
fn answer(fields: Value) -> Value {
    let mut query = json!({ "id": "q", "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5 });
    for (name, value) in fields.as_object().expect("fields") {
        query[name] = value.clone();
    }
    let mut all = answers(&[query]);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn positions_are_analysed() {
    let told = answer(json!({ "moves": [["B", "C3"], ["W", "(1,1)"]], "includeOwnership": true, "includePolicy": true,
        "maxVisits": 60, "komi": 0.5 }));
    assert_eq!((&told["id"], &told["turnNumber"], &told["isDuringSearch"]), (&json!("q"), &json!(2), &json!(false)));
    assert_eq!(
        (&told["rootInfo"]["currentPlayer"], told["ownership"].as_array().map(Vec::len)),
        (&json!("B"), Some(25))
    );
    let policy: Vec<f64> = told["policy"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
    let sum: f64 = policy.iter().filter(|p| **p > 0.0).sum();
    assert!(policy.len() == 26 && (sum - 1.0).abs() < 0.02, "{sum}");
    // B4 and C3 hold stones: the second row from the top, and the middle.
    assert_eq!((policy[6], policy[12]), (-1.0, -1.0));
    let best = &told["moveInfos"][0];
    assert_eq!((&best["order"], &best["move"]), (&json!(0), &best["pv"][0]));
    for key in
        ["visits", "winrate", "lcb", "prior", "scoreLead", "scoreSelfplay", "scoreStdev", "utility", "utilityLcb"]
    {
        assert!(best[key].is_number(), "{key}");
    }
}

#[test]
fn chances_are_whose_one_asks_for() {
    // All but two corners are Black's.
    let stones =
        ["A2", "B2", "B1", "C2", "D2", "E2", "B4", "C4", "D4", "A4", "E4", "C3"].map(|point| json!(["B", point]));
    let told = |side: &str| {
        let settings = json!({ "reportAnalysisWinratesAs": side });
        answer(json!({ "initialStones": stones, "initialPlayer": "W", "overrideSettings": settings }))["rootInfo"]
            .clone()
    };
    let (black, white, mover) = (told("BLACK"), told("WHITE"), told("SIDETOMOVE"));
    assert!(black["winrate"].as_f64() > Some(0.9) && black["scoreLead"].as_f64() > Some(5.0), "{black}");
    assert_eq!((white["winrate"].as_f64() < Some(0.1), &white["winrate"]), (true, &mover["winrate"]));
}

#[test]
fn queries_with_faults_name_the_field() {
    for (fields, field) in [
        (json!({ "boardXSize": 1 }), "boardXSize"),
        (json!({ "rules": "chess" }), "rules"),
        (json!({ "komi": 7.25 }), "komi"),
        (json!({ "moves": [["B", "C3"], ["W", "C3"]] }), "moves"),
        (json!({ "moves": [["B"]] }), "moves"),
        (json!({ "initialStones": [["B", "Z9"]] }), "initialStones"),
        (json!({ "analyzeTurns": [1] }), "analyzeTurns"),
        (json!({ "maxVisits": 0 }), "maxVisits"),
        (json!({ "priorities": [1, 2], "analyzeTurns": [0] }), "priorities"),
        (json!({ "avoidMoves": [{ "player": "B" }] }), "avoidMoves"),
        (json!({ "action": "fly" }), "action"),
    ] {
        let told = answer(fields);
        assert_eq!((&told["field"], &told["id"]), (&json!(field), &json!("q")), "{told}");
        assert!(told["error"].is_string());
    }
    let told = answers(&[json!({ "moves": [] }), json!(3)]);
    assert!(told.len() == 2 && told.iter().all(|answer| answer["error"].is_string()), "{told:?}");
    let output = tesuji(&["analysis", "go"], "not json\n");
    assert!(String::from_utf8_lossy(&output.stdout).contains("could not parse input line as json request"));
}

#[test]
fn several_turns_warnings_and_actions() {
    let query = json!({ "id": "g", "moves": [["B", "C3"], ["B", "B2"]], "rules": "japanese", "boardXSize": 5,
        "boardYSize": 5, "analyzeTurns": [0, 1, 2], "priorities": [1, 3, 2], "maxVisits": 30, "colour": "red",
        "avoidMoves": [{ "player": "W", "moves": ["pass"], "untilDepth": 1 }] });
    let version = json!({ "id": "v", "action": "query_version" });
    let all = answers(&[version, query, json!({ "id": "c", "action": "clear_cache" })]);
    let of = |id: &str| all.iter().filter(|answer| answer["id"] == id).collect::<Vec<_>>();
    assert!(of("v")[0]["version"].is_string());
    assert_eq!(of("c"), [&json!({ "id": "c", "action": "clear_cache" })]);
    let told = of("g");
    assert_eq!((told.len(), &told[0]["field"]), (4, &json!("colour")), "{told:?}");
    let mut turns: Vec<u64> = told[1..].iter().filter_map(|answer| answer["turnNumber"].as_u64()).collect();
    turns.sort_unstable();
    assert_eq!(turns, [0, 1, 2]);
    let first = answer(json!({ "allowMoves": [{ "player": "B", "moves": ["A1"], "untilDepth": 1 }] }));
    assert_eq!((first["moveInfos"].as_array().map(Vec::len), &first["moveInfos"][0]["move"]), (Some(1), &json!("A1")));
}

#[test]
fn what_is_terminated_is_answered_once() {
    let long = json!({ "id": "long", "moves": [], "rules": "chinese", "boardXSize": 19, "boardYSize": 19,
        "maxVisits": 1_000_000_000u64, "analyzeTurns": [0], "reportDuringSearchEvery": 0.05 });
    let mut later = long.clone();
    later["id"] = json!("later");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["analysis", "go"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    writeln!(input, "{long}\n{later}").expect("it reads");
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().expect("a pipe")));
    let mut next = || serde_json::from_str::<Value>(&lines.next().expect("a line").expect("text")).expect("JSON");
    assert_eq!((&next()["isDuringSearch"], &next()["id"]), (&json!(true), &json!("long")));
    for id in ["later", "long"] {
        writeln!(input, "{}", json!({ "id": "t", "action": "terminate", "terminateId": id })).expect("it reads");
    }
    drop(input);
    let rest: Vec<Value> = lines.map(|line| serde_json::from_str(&line.expect("text")).expect("JSON")).collect();
    let last = |id: &str| -> Vec<&Value> {
        rest.iter().filter(|answer| answer["id"] == id && answer["isDuringSearch"] == false).collect()
    };
    assert_eq!((last("later").len(), last("long").len()), (1, 1), "{rest:?}");
    assert_eq!((&last("later")[0]["noResults"], last("long")[0]["moveInfos"].is_array()), (&json!(true), true));
    assert!(child.wait().expect("the end").success());
}

/// A regression file: one case of each kind, the game beside it.
fn regression(folder: &Path) -> String {
    fs::write(folder.join("game.sgf"), "(;GM[1]SZ[5]KM[0];B[cc];W[bb])").expect("a file");
    let text = "# own\nloadsgf game.sgf 2\n1 known_command play\n#? [true]\n2 protocol_version\n#? [3]\n\
        3 protocol_version\n#? [!1]*\n4 protocol_version\n#? [3]*\n5 play b C3\n#? []\n6 name\n";
    let path = folder.join("own.tst");
    fs::write(&path, text).expect("a file");
    path.display().to_string()
}

#[test]
fn regressions_pass_and_fail() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = regression(folder.path());
    let output = tesuji(&["regress", &path], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!("{path}:6: FAIL: protocol_version: expected [3], got \"2\"")), "{text}");
    assert!(text.contains(":8: PASS: ") && text.contains(":12: FAIL: play b C3: expected [], got \"? illegal move\""));
    assert!(
        text.contains("5 cases: 1 pass, 2 FAIL, 1 unexpected PASS, 1 fail as known, 0 without an answer"),
        "{text}"
    );
    let output = tesuji(&["regress", &path, "--json"], "");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(told["summary"], json!({ "pass": 1, "fail": 2, "unexpected_pass": 1, "known_fail": 1, "fault": 0 }));
    assert_eq!((&told["cases"][0]["line"], &told["cases"][0]["answer"]), (&json!(4), &json!("true")));
    let zeros = folder.path().join("zeros.tst").display().to_string();
    std::fs::write(&zeros, b"1 name\0").expect("a file");
    let output = tesuji(&["regress", &zeros], "");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && errors.contains("zeros.tst: not a file of tests: byte 6"), "{errors}");
}

#[test]
fn regressions_ask_other_engines_and_survive_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = regression(folder.path());
    let output = tesuji(&["regress", &path, "--engine", "/no/such/engine"], "");
    assert_eq!(output.status.code(), Some(2));
    // It answers nothing and ends.
    let output = tesuji(&["regress", &path, "--engine", "true"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && text.contains("5 without an answer"), "{text}");
    let Some(gnu_go) = tesuji_testkit::needs::program("gnugo", "gnugo") else { return };
    let output = tesuji(&["regress", &path, "--engine", &format!("{} --mode gtp", gnu_go.display())], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("5 cases: 1 pass, 2 FAIL, 1 unexpected PASS, 1 fail as known, 0 without an answer"),
        "{text}"
    );
}

#[test]
fn positions_are_explained_and_games_played_by_hand() {
    let output = tesuji(&["explain", "go", "--rules", "5x5", "--moves", "C3", "--nodes", "100"], "");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("White moves. What 100 playouts say") && text.contains("pattern"), "{text}");
    let output = tesuji(&["explain", "go", "--rules", "5x5", "--nodes", "50", "--json"], "");
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((told["owners"].as_array().map(Vec::len), &told["mover"]), (Some(5), &json!("Black")));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.sgf").display().to_string();
    let input = format!("C3\nA9\nhint\nundo 1\nforce\nB2\nsave {path}\nscore\nquit\n");
    let output = tesuji(&["play", "go", "--rules", "5x5 komi 0.5", "--nodes", "30"], &input);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("White plays ") && text.contains("Error: \"A9\" is neither"),
        "{text}"
    );
    assert!(fs::read_to_string(&path).is_ok_and(|game| game.contains(";B[cc];W[bd]")), "{text}");
}

#[test]
fn rules_of_go_are_counted_and_tested() {
    let counted = tesuji(&["perft", "go", "--rules", "3x3 tromp-taylor", "--depth", "3"], "");
    // Nine points and a pass; the same with eight; then seven, or the game is over.
    assert!(String::from_utf8_lossy(&counted.stdout).contains("perft(3)  "));
    let legal = tesuji(&["perft", "go", "--rules", "2x3", "--legal"], "");
    assert!(String::from_utf8_lossy(&legal.stdout).contains("legal     489"));
    let tested = tesuji(&["selftest", "go", "--games", "4"], "");
    let text = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success() && text.contains("every invariant holds"), "{text}");
}

/// Rules may name a size: a query of one board had rules of another, and its answer pointed beside the board.
#[test]
fn rules_of_another_board_are_refused() {
    let query = |rules: &str| json!({ "id": "a", "moves": [], "rules": rules, "boardXSize": 9, "boardYSize": 9, "maxVisits": 1 });
    let told = answers(&[query("chinese"), query("5x5 chinese")]);
    let errors: Vec<&str> = told.iter().filter_map(|answer| answer["error"].as_str()).collect();
    assert!(told.len() == 2 && errors.len() == 1 && errors[0].contains("another board"), "{told:?}");
}
