//! Positions and sessions as the page uses them.

use crate::client::Running;
use serde_json::json;

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
    assert_eq!(last["choice"], json!({"what": "play", "play": {"move": "1", "text": "1"}}));
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
    let expected = json!({"cost": 100, "mark": "blunder", "better": {"move": "1", "text": "1"}});
    assert_eq!((&missed["review"], &missed["found"]["lines"][0]["mate"]), (&expected, &json!(1)));
    assert_eq!(review("1", 2)["review"], json!({"cost": 0, "mark": null, "better": null}));
    assert_eq!(review("9", 3)["review"], json!(null), "no move");
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

#[test]
fn the_description_names_every_address() {
    let server = Running::start();
    let text = server.ask("GET", "/api/v1/openapi.json", None);
    let paths = text.json()["paths"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    for path in ["/api/v1/health", "/api/v1/positions", "/api/v1/sessions/{id}/events", "/api/v1/records/write"] {
        assert!(paths.iter().any(|p| p == path), "{path} in {paths:?}");
    }
    assert!(tesuji_web::open_api().unwrap().contains("X-Token"));
    let games = server.ask("GET", "/api/v1/games", None).json();
    assert_eq!(games[0]["families"][0]["name"], "alpha-beta");
    assert!(games[0]["families"][0]["options"].as_array().unwrap().iter().any(|o| o["name"] == "Hash"));
}
