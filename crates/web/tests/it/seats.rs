//! Engines in seats: those of the configuration and command lines analyse, play, die and are killed.

use crate::client::{Answer, Running};
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};
use tesuji_testkit::mock;
use tesuji_web::Clock;

/// A workspace whose configuration has the mock engine under the name `mock`, with these arguments.
fn space(args: &str) -> Arc<tempfile::TempDir> {
    let space = tempfile::tempdir().unwrap();
    let text = format!(
        "[[engine]]\nname = \"mock\"\ncmd = \"{}\"\nargs = \"--game four {args}\"\n\n[[engine]]\nname = \"none\"\ncmd = \"./no-such\"\n",
        mock::path().display()
    );
    fs::write(space.path().join("engines.toml"), text).unwrap();
    Arc::new(space)
}

fn server(args: &str) -> Running {
    Running::start_in(space(args), Path::new("/no/such/program"), true)
}

fn start(server: &Running, seat: Value) -> Answer {
    server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "seat": seat})))
}

fn id_of(answer: &Answer) -> u64 {
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["id"].as_u64().unwrap()
}

fn deed(server: &Running, id: u64, deed: &str, body: Value) -> Answer {
    server.ask("POST", &format!("/api/v1/sessions/{id}/{deed}"), Some(body))
}

#[test]
fn an_engine_of_the_configuration_analyses_and_its_lines_make_a_tree() {
    let server = server("--lines 3 --score 50");
    let made = start(&server, json!({"engine": "mock"}));
    let id = id_of(&made);
    assert_eq!(made.json()["seat"], json!({"kind": "engine", "name": "mock", "wanted": {"engine": "mock"}}));
    assert_eq!(made.json()["family"], json!("lines"));
    assert_eq!(deed(&server, id, "place", json!({"moves": ["4"]})).status, 200);
    assert_eq!(deed(&server, id, "go", json!({})).status, 202);
    let has_lines = |state: &Value| state["found"]["lines"].as_array().is_some_and(|lines| lines.len() == 3);
    let states = server.states(id, has_lines);
    let found = &states.last().unwrap()["found"];
    // The second side moves: values are its own.
    assert_eq!((&found["lines"][0]["cp"], &found["lines"][2]["cp"]), (&json!(50), &json!(30)));
    assert_eq!((&found["depth"], &found["nodes"], &found["lines"][0]["visits"]), (&json!(3), &json!(300), &json!(0)));
    assert_eq!(deed(&server, id, "stop", json!({})).status, 202);
    server.states(id, |state| state["thinking"] == json!(false) && !state["choice"].is_null());
    let tree = server.ask("GET", &format!("/api/v1/sessions/{id}/tree?depth=2"), None).json();
    assert_eq!((&tree["head"]["family"], &tree["head"]["by"]), (&json!("lines"), &json!("mock")));
    let nodes = tree["nodes"].as_array().unwrap();
    // Three moves with an answer each; effort is the number of lines.
    assert_eq!((nodes.len(), &nodes[0]["effort"], &nodes[1]["effort"]), (7, &json!(3), &json!(1)));
    let file = server.ask("GET", &format!("/api/v1/sessions/{id}/tree/file"), None);
    assert!(file.json()["search"] == json!("lines"), "{file:?}");
}

#[test]
fn an_engine_plays_by_nodes_and_by_a_clock() {
    let server = server("--seed 4");
    let id = id_of(&start(&server, json!({"engine": "mock"})));
    let clock = json!({"left": 60_000, "increment": 100});
    for (search, goal) in [(1, json!({"nodes": 20})), (2, json!({"clocks": [clock, clock]}))] {
        assert_eq!(deed(&server, id, "go", goal).status, 202);
        let is_done = |state: &Value| state["search"] == json!(search) && state["thinking"] == json!(false);
        let choice = server.states(id, is_done).last().unwrap()["choice"].clone();
        assert_eq!((&choice["what"], choice["play"]["move"].is_string()), (&json!("play"), true));
    }
}

#[test]
fn options_are_those_that_the_engine_declares() {
    let server = server("--lines 2");
    let id = id_of(&start(&server, json!({"engine": "mock"})));
    let path = format!("/api/v1/sessions/{id}/options");
    let form = server.ask("GET", &path, None).json();
    let names: Vec<&str> = form.as_array().unwrap().iter().map(|option| option["name"].as_str().unwrap()).collect();
    assert_eq!(
        (names, &form[1]["kind"], &form[1]["value"]),
        (vec!["MultiPV", "Skill", "Journal"], &json!("number"), &json!("1"))
    );
    assert_eq!(deed(&server, id, "options", json!({"Skill": "5"})).status, 204);
    assert_eq!(server.ask("GET", &path, None).json()[1]["value"], json!("5"));
    let wrong = deed(&server, id, "options", json!({"Skill": "50"}));
    assert_eq!((wrong.status, &wrong.json()["where"]), (422, &json!("Skill")), "{wrong:?}");
}

#[test]
fn one_that_dies_does_no_harm() {
    let server = server("--lines 2 --do exit --at 2");
    let id = id_of(&start(&server, json!({"engine": "mock"})));
    deed(&server, id, "place", json!({"moves": ["1", "1"]}));
    deed(&server, id, "go", json!({"nodes": 9}));
    let states = server.states(id, |state| state["thinking"] == json!(false) && state["search"] == json!(1));
    let fault = states.last().unwrap()["fault"].as_str().unwrap().to_string();
    assert_eq!(fault, "mock: it ended with exit code 7; its last words: mock-engine: it leaves");
    deed(&server, id, "place", json!({"moves": ["1"]}));
    deed(&server, id, "go", json!({"nodes": 9}));
    let states = server.states(id, |state| state["search"] == json!(2) && state["thinking"] == json!(false));
    let last = states.last().unwrap();
    assert!(last["fault"].is_null() && last["choice"]["what"] == json!("play"), "{last}");
}

#[test]
fn its_processes_end_when_nobody_listens_and_with_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let [near, far] = ["near", "far"].map(|name| folder.path().join(name));
    let args = format!("--lines 2 --fork {} --fork-away {}", near.display(), far.display());
    let seconds = Arc::new(AtomicU64::new(0));
    let shown = seconds.clone();
    let change = move |settings: &mut tesuji_web::Settings| {
        settings.clock = Clock::new(move || Duration::from_secs(shown.load(Relaxed)));
    };
    let server = Running::start_by(space(&args), Path::new("/no/such/program"), change);
    let id = id_of(&start(&server, json!({"engine": "mock"})));
    deed(&server, id, "go", json!({}));
    server.states(id, |state| !state["found"].is_null());
    // The server may learn late that the stream is closed: time goes on while we wait.
    let are_gone = || {
        thread::scope(|scope| {
            let waiting = scope.spawn(|| mock::is_released(&near) && mock::is_released(&far));
            while !waiting.is_finished() {
                seconds.fetch_add(1, Relaxed);
                thread::sleep(Duration::from_millis(50));
            }
            waiting.join().unwrap()
        })
    };
    assert!(are_gone(), "a search without a listener");
    // Who comes back finds it searching.
    server.states(id, |state| {
        state["thinking"] == json!(true) && state["paused"] == json!(false) && state["seq"].as_u64() > Some(4)
    });
    deed(&server, id, "stop", json!({}));
    server.states(id, |state| state["thinking"] == json!(false));
    assert!(are_gone(), "an engine that waits for a listener");
    deed(&server, id, "go", json!({}));
    server.states(id, |state| state["thinking"] == json!(true) && !state["found"].is_null());
    drop(server);
    assert!(mock::is_released(&near) && mock::is_released(&far), "the end of the server");
}

#[test]
fn what_cannot_sit_is_refused_in_one_line() {
    let server = server("");
    for (seat, status, words) in [
        (json!({"engine": "nobody"}), 422, "engines.toml has no engine \"nobody\""),
        (json!({"engine": "none"}), 422, "does not start as an engine"),
        (json!({"search": "halma"}), 422, "no search family"),
        (json!({"command": " "}), 422, "a command line is needed"),
        (json!({"chair": "x"}), 422, "unknown variant"),
        (json!({"command": "sh -c 'echo no engine; exit 3'"}), 422, "no engine"),
    ] {
        let answer = start(&server, seat.clone());
        assert_eq!(answer.status, status, "{seat}: {answer:?}");
        let detail = answer.json()["detail"].as_str().unwrap().to_string();
        assert!(detail.contains(words) && !detail.contains('\n'), "{seat}: {detail}");
    }
    let both = json!({"game": "four", "family": "alpha-beta", "seat": {"engine": "mock"}});
    assert_eq!(server.ask("POST", "/api/v1/sessions", Some(both)).status, 422);
    let command = format!("{} --game four --lines 2", mock::path().display());
    let made = start(&server, json!({"command": &command}));
    assert_eq!(made.json()["seat"], json!({"kind": "command", "name": "mock", "wanted": {"command": command}}));
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_engine_was_waited_for_as_long_as_for_one() {
    let server = server("");
    let answer = start(&server, json!({"command": "sh -c 'echo hello there; exec sleep 300'"}));
    assert_eq!(answer.status, 422, "{answer:?}");
    let detail = answer.json()["detail"].as_str().unwrap().to_string();
    assert!(detail.contains("within 5 s it answered in none of the protocols"), "{detail}");
    assert!(detail.contains("hello there"), "{detail}");
}

/// Without a token a page of another user could start any program, or have an engine write any file.
#[test]
fn without_a_token_only_the_configuration_is_started() {
    let server = Running::start_in(space("--lines 2"), Path::new("/no/such/program"), false);
    let command = format!("{} --game four", mock::path().display());
    assert_eq!(start(&server, json!({"command": command})).status, 403);
    let id = id_of(&start(&server, json!({"engine": "mock"})));
    assert_eq!(deed(&server, id, "options", json!({"Skill": "3"})).status, 204);
    assert_eq!(deed(&server, id, "options", json!({"Journal": "/tmp/x"})).status, 403);
}
