//! Positions and sessions as the page uses them.

use crate::client::Running;
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_web::Clock;

#[test]
fn positions_say_what_may_be_played() {
    let server = Running::start();
    let ask = |place: serde_json::Value| {
        server.ask("POST", "/api/v1/positions", Some(json!({"game": "four", "place": place})))
    };
    let start = ask(json!({})).json();
    assert_eq!((start["side"].as_u64(), start["legal"].as_array().unwrap().len()), (Some(0), 7));
    let won = ask(json!({"moves": ["1", "2", "1", "2", "1", "2", "1"]})).json();
    assert_eq!(won["ended"], json!({"winner": 0, "by": "mate", "points": null}));
    assert_eq!(won["played"].as_array().unwrap().len(), 7);
    let wrong = ask(json!({"moves": ["1", "9"]}));
    assert_eq!((wrong.status, &wrong.json()["where"]), (422, &json!("moves[1]")));
    let unknown = server.ask("POST", "/api/v1/positions", Some(json!({"game": "halma"})));
    assert_eq!((unknown.status, &unknown.json()["hint"]), (404, &json!("There are: four.")));
}

#[test]
fn a_session_finds_the_win_and_tells_all_the_way() {
    let server = Running::start();
    let place = json!({"moves": ["1", "2", "1", "2", "1", "2"]});
    let made = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "place": place})));
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["id"].as_u64().unwrap();
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({"nodes": 5000}))).status, 202);
    let states = server.states(id, |state| !state["choice"].is_null());
    let last = states.last().unwrap();
    assert_eq!(last["choice"], json!({"what": "play", "play": {"move": "1", "text": "1"}, "expected": null}));
    assert_eq!((&last["thinking"], &last["found"]["lines"][0]["mate"]), (&json!(false), &json!(1)));
    assert!(states.windows(2).all(|pair| pair[0]["seq"].as_u64() < pair[1]["seq"].as_u64()));
}

#[test]
fn a_review_says_what_a_move_costs_and_names_another_one_as_better() {
    let server = Running::start();
    let place = json!({"moves": ["1", "2", "1", "2", "1", "2"]});
    let made = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "place": place})));
    let id = made.json()["id"].as_u64().unwrap();
    let review = |played: &str, search: u64| {
        server.ask("POST", &format!("/api/v1/sessions/{id}/place"), Some(place.clone()));
        let goal = json!({"nodes": 2000, "review": played});
        assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(goal)).status, 202);
        let is_done = |state: &serde_json::Value| state["thinking"] == json!(false) && state["search"] == json!(search);
        server.states(id, is_done).last().unwrap().clone()
    };
    let missed = review("7", 1);
    let expected = json!({"cost": 100, "mark": "blunder", "better": {"move": "1", "text": "1"},
        "values": [31_999, -1520]});
    assert_eq!((&missed["review"], &missed["found"]["lines"][0]["mate"]), (&expected, &json!(1)));
    assert_eq!(review("1", 2)["review"], json!({"cost": 0, "mark": null, "better": null, "values": null}));
    // What cannot be done is refused, not left out.
    for goal in [json!({"review": "9"}), json!({"only": ["zz"]}), json!({"nodes": 0}), json!({"depth": 0})] {
        let answer = server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(goal.clone()));
        assert_eq!(answer.status, 422, "{goal}: {answer:?}");
    }
}

/// A policy server died, and the page showed another evaluator's values as if they were the network's.
#[test]
fn a_fault_of_the_evaluator_is_told() {
    let server = Running::start();
    let id = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "family": "blind"}))).json()["id"]
        .as_u64()
        .unwrap();
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({"nodes": 10}))).status, 202);
    let states = server.states(id, |state| state["thinking"] == json!(false) && state["search"] == json!(1));
    assert_eq!(states.last().unwrap()["fault"], json!("nobody answers"));
    server.ask("POST", &format!("/api/v1/sessions/{id}/place"), Some(json!({"moves": ["4"]})));
    let states = server.states(id, |state| state["place"]["moves"] == json!(["4"]));
    assert_eq!(states.last().unwrap()["fault"], json!(null), "it is told of its own search only");
}

#[test]
fn new_orders_stop_a_search_without_end() {
    let server = Running::start();
    let id = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four"}))).json()["id"].as_u64().unwrap();
    let path = |deed: &str| format!("/api/v1/sessions/{id}/{deed}");
    // Orders in quick succession: none may be lost to a search that nothing ends.
    for _ in 0..5 {
        assert_eq!(server.ask("POST", &path("go"), Some(json!({}))).status, 202);
        assert_eq!(server.ask("POST", &path("place"), Some(json!({"moves": ["4"]}))).status, 200);
    }
    server.ask("POST", &path("go"), Some(json!({})));
    server.states(id, |state| state["thinking"] == json!(true) && !state["found"].is_null());
    assert_eq!(server.ask("POST", &path("stop"), None).status, 202);
    let states = server.states(id, |state| state["thinking"] == json!(false));
    let last = states.last().unwrap();
    assert_eq!(last["place"]["moves"], json!(["4"]));
    assert!(last["found"]["nodes"].as_u64().unwrap() > 0, "what was found stays: {last}");
    let wrong = server.ask("POST", &path("options"), Some(json!({"Hsh": "16"})));
    assert_eq!(wrong.status, 422, "{wrong:?}");
    assert_eq!(server.ask("POST", &path("place"), Some(json!({"moves": ["8"]}))).status, 422);
    assert_eq!(server.ask("DELETE", &format!("/api/v1/sessions/{id}"), None).status, 204);
    assert_eq!(server.ask("GET", &format!("/api/v1/sessions/{id}"), None).status, 404);
}

/// Looks at the list of sessions, which wakes none of them, until it is as wanted.
fn wait(server: &Running, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let all = server.ask("GET", "/api/v1/sessions", None).json().as_array().unwrap().clone();
        if wanted(&all) {
            return all;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{all:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_closed_tab_leaves_no_search_running() {
    let seconds = Arc::new(AtomicU64::new(0));
    let shown = seconds.clone();
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_by(space, Path::new("/no/such/program"), move |settings| {
        settings.clock = Clock::new(move || Duration::from_secs(shown.load(Relaxed)));
    });
    let id = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four"}))).json()["id"].as_u64().unwrap();
    let go = || server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({}))).status;
    assert_eq!(go(), 202);
    let is_at_work = |state: &Value| state["thinking"] == true && state["paused"] == false && !state["found"].is_null();
    server.states(id, is_at_work);
    // The stream is closed. Ten seconds later the search stands still, and is no decision.
    wait(&server, |all| is_at_work(&all[0]["state"]));
    // The server may learn late that the stream is closed: time goes on while we wait.
    let until_paused = || {
        let is_paused = |all: &[Value]| seconds.fetch_add(1, Relaxed) > 0 && all[0]["state"]["paused"] == true;
        wait(&server, is_paused).remove(0)["state"].clone()
    };
    seconds.fetch_add(11, Relaxed);
    let paused = until_paused();
    assert_eq!((&paused["thinking"], &paused["choice"]), (&json!(true), &json!(null)), "{paused}");
    // Somebody listens again: it goes on.
    server.states(id, |state| is_at_work(state) && state["search"].as_u64() > paused["search"].as_u64());
    seconds.fetch_add(11, Relaxed);
    until_paused();
    // A search that is stopped while it stands still is over.
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/stop"), None).status, 202);
    let stopped = server.states(id, |state| state["thinking"] == false);
    assert!(!stopped.last().unwrap()["choice"].is_null(), "what was found stays: {stopped:?}");
    assert_eq!(go(), 202);
    server.states(id, is_at_work);
    wait(&server, |all| seconds.fetch_add(600, Relaxed) > 0 && all.is_empty());
    assert_eq!(server.ask("GET", &format!("/api/v1/sessions/{id}"), None).status, 404);
}

#[test]
fn a_session_that_its_page_left_ends_after_a_minute() {
    let seconds = Arc::new(AtomicU64::new(0));
    let shown = seconds.clone();
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_by(space, Path::new("/no/such/program"), move |settings| {
        settings.clock = Clock::new(move || Duration::from_secs(shown.load(Relaxed)));
    });
    let [left, kept] = [(); 2].map(|()| {
        let made = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four"})));
        made.json()["id"].as_u64().unwrap()
    });
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{left}/leave"), None).status, 202);
    assert_eq!(server.ask("POST", "/api/v1/sessions/99/leave", None).status, 404);
    let numbers = |all: &[Value]| all.iter().map(|session| session["id"].as_u64().unwrap()).collect::<Vec<_>>();
    seconds.fetch_add(59, Relaxed);
    // Sessions are looked after many times a second.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(numbers(server.ask("GET", "/api/v1/sessions", None).json().as_array().unwrap()), [left, kept]);
    seconds.fetch_add(1, Relaxed);
    wait(&server, |all| numbers(all) == [kept]);
}

#[test]
fn a_session_that_nobody_listens_to_gives_way_to_a_new_one() {
    let seconds = Arc::new(AtomicU64::new(0));
    let shown = seconds.clone();
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_by(space, Path::new("/no/such/program"), move |settings| {
        settings.clock = Clock::new(move || Duration::from_secs(shown.load(Relaxed)));
        settings.memory_mib = 100;
    });
    let open = |hash: &str| {
        let made = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "options": {"Hash": hash}})));
        made.status
    };
    assert_eq!((open("80"), open("80")), (201, 429));
    seconds.fetch_add(60, Relaxed);
    assert_eq!(open("80"), 201, "a page that was loaded again");
    let left = server.ask("GET", "/api/v1/sessions", None).json();
    assert_eq!(left.as_array().unwrap().len(), 1);
}

/// The page's types are generated from this file: a test of the page compares them.
#[test]
fn the_description_is_the_one_that_the_page_is_built_with() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
    let made = tesuji_web::open_api().unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, &made).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == made, "the API has changed: run this test with UPDATE=1, then `npm run generate` in web/");
}

#[test]
fn the_description_names_every_address() {
    let server = Running::start();
    let text = server.ask("GET", "/api/v1/openapi.json", None);
    let paths = text.json()["paths"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for path in ["/api/v1/health", "/api/v1/positions", "/api/v1/sessions/{id}/events", "/api/v1/records/write"] {
        assert!(paths.iter().any(|p| p == path), "{path} in {paths:?}");
    }
    assert_eq!(text.json(), serde_json::from_str::<Value>(&tesuji_web::open_api().unwrap()).unwrap());
    let games = server.ask("GET", "/api/v1/games", None).json();
    assert_eq!(games[0]["families"][0]["name"], "alpha-beta");
    assert!(games[0]["families"][0]["options"].as_array().unwrap().iter().any(|o| o["name"] == "Hash"));
}
