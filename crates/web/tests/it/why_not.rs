//! "Why not my move?": a move beside the best one, by a built-in search and by an engine.

use crate::client::{Answer, Running};
use serde_json::{Value, json};
use std::{fs, path::Path, sync::Arc};
use tesuji_testkit::mock;

fn session(server: &Running, request: Value) -> u64 {
    let made = server.ask("POST", "/api/v1/sessions", Some(request));
    assert_eq!(made.status, 201, "{made:?}");
    made.json()["id"].as_u64().unwrap()
}

fn ask(server: &Running, id: u64, question: Value) -> Answer {
    server.ask("POST", &format!("/api/v1/sessions/{id}/why-not"), Some(question))
}

/// The first side has three in column 1 and moves; 1 wins at once.
const WON: [&str; 6] = ["1", "2", "1", "2", "1", "2"];

#[test]
fn a_move_that_misses_the_win_is_compared_with_the_win() {
    let server = Running::start();
    let id = session(&server, json!({"game": "four"}));
    // The session's own search goes on, at another position.
    server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({})));
    let told = ask(&server, id, json!({"place": {"moves": WON}, "move": "7", "nodes": 20_000}));
    assert_eq!(told.status, 200, "{told:?}");
    let told = told.json();
    assert_eq!((&told["mine"]["move"], &told["best"]["move"]), (&json!("7"), &json!("1")));
    assert_eq!(
        (&told["best"]["mate"], &told["best"]["cp"], &told["best"]["expected"]),
        (&json!(1), &json!(null), &json!(1.0))
    );
    // The other side wins in its turn, in column 2.
    assert_eq!((&told["mine"]["mate"], &told["loss"]), (&json!(-2), &json!(100.0)), "{told}");
    assert_eq!(told["mine"]["line"].as_array().unwrap().len(), 2, "{told}");
    assert_eq!(server.ask("GET", &format!("/api/v1/sessions/{id}"), None).json()["state"]["thinking"], json!(true));
    // The best move is compared with the next one.
    let told = ask(&server, id, json!({"place": {"moves": WON}, "move": "1", "nodes": 20_000})).json();
    assert!(told["mine"]["move"] == "1" && told["best"]["move"] != "1" && told["loss"].as_f64() < Some(0.0), "{told}");
    let told = ask(&server, id, json!({"place": {"moves": WON}, "move": "7", "vs": "6", "nodes": 20_000})).json();
    assert_eq!((&told["best"]["move"], &told["loss"]), (&json!("6"), &json!(0.0)));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let server = Running::start();
    let id = session(&server, json!({"game": "four"}));
    let place = json!({"moves": WON});
    for (question, field) in [
        (json!({"place": place, "move": "9"}), "move"),
        (json!({"place": place, "move": "1", "vs": "x"}), "vs"),
        (json!({"place": place, "move": "1", "vs": "1"}), "vs"),
        (json!({"place": place, "move": "1", "time": 0}), "time"),
        (json!({"place": place, "move": "1", "time": 60_001}), "time"),
        (json!({"place": {"moves": ["8"]}, "move": "1"}), "moves[0]"),
    ] {
        let answer = ask(&server, id, question.clone());
        assert_eq!((answer.status, answer.json()["where"].as_str()), (422, Some(field)), "{question}: {answer:?}");
    }
}

#[test]
fn an_engine_compares_in_a_process_that_ends_with_the_answer() {
    let space = tempfile::tempdir().unwrap();
    let helper = space.path().join("helper");
    let text = format!(
        "[[engine]]\nname = \"mock\"\ncmd = \"{}\"\nargs = \"--game four --lines 3 --score 50 --fork {}\"\n",
        mock::path().display(),
        helper.display()
    );
    fs::write(space.path().join("engines.toml"), text).unwrap();
    let server = Running::start_in(Arc::new(space), Path::new("/no/such/program"), true);
    let id = session(&server, json!({"game": "four", "seat": {"engine": "mock"}}));
    let told = ask(&server, id, json!({"place": {"moves": ["4"]}, "move": "7", "nodes": 100})).json();
    // It tells its best move first, ten centipawns above the next.
    assert_eq!(
        (&told["by"], &told["mine"]["move"], &told["explained_by"]),
        (&json!("mock"), &json!("7"), &json!(null))
    );
    assert!(told["best"]["cp"].is_i64() && told["mine"]["cp"].is_i64(), "{told}");
    assert_eq!(server.ask("DELETE", &format!("/api/v1/sessions/{id}"), None).status, 204);
    assert!(mock::is_released(&helper), "no process is left");
}
