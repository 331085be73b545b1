//! What other pages and programs may try.

use crate::client::Running;
use serde_json::json;
use std::{
    net::TcpStream,
    time::{Duration, Instant},
};

#[test]
fn a_foreign_name_for_this_server_is_refused() {
    let server = Running::start();
    let get = |host: &str| server.raw(&["GET /api/v1/health HTTP/1.1", &format!("host: {host}")], b"");
    assert_eq!(get(&server.address.to_string()).status, 200);
    assert_eq!(get(&format!("localhost:{}", server.address.port())).status, 200);
    for foreign in ["evil.example", &format!("evil.example:{}", server.address.port()), "127.0.0.1", ""] {
        let answer = get(foreign);
        assert_eq!(answer.status, 403, "{foreign}");
        assert_eq!(answer.json()["title"], "Forbidden", "{foreign}");
    }
}

#[test]
fn changes_need_the_token_and_the_pages_own_origin() {
    let server = Running::start();
    let host = format!("host: {}", server.address);
    let token = format!("x-token: {}", server.token);
    let post = |more: &[&str]| {
        let mut lines = vec!["POST /api/v1/sessions HTTP/1.1", &host, "content-type: application/json"];
        lines.extend(more);
        server.raw(&lines, json!({"game": "four"}).to_string().as_bytes())
    };
    assert_eq!(post(&[]).status, 403);
    assert_eq!(post(&["x-token: 00000000000000000000000000000000"]).status, 403);
    assert_eq!(post(&[&token, "origin: http://evil.example"]).status, 403);
    assert_eq!(post(&[&token, "origin: null"]).status, 403);
    let own = format!("origin: http://{}", server.address);
    assert_eq!(post(&[&token, &own]).status, 201);
    assert_eq!(server.ask("GET", "/api/v1/sessions", None).json().as_array().unwrap().len(), 1, "only one was let in");
    // No page of another origin may read what is here: nothing allows it, and the frame is refused.
    let answer = server.raw(&["GET /api/v1/games HTTP/1.1", &host], b"");
    assert!(!answer.head.contains("access-control-allow"), "{}", answer.head);
    assert!(answer.head.contains("x-frame-options: deny"), "{}", answer.head);
    assert!(answer.head.contains("content-security-policy: default-src 'self'"), "{}", answer.head);
}

#[test]
fn paths_lead_nowhere_else() {
    let server = Running::start();
    let host = format!("host: {}", server.address);
    for path in [
        "/../../../../etc/passwd",
        "/assets/../../../Cargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/assets/..%2f..%2fx.txt",
    ] {
        let answer = server.raw(&[&format!("GET {path} HTTP/1.1"), &host], b"");
        assert!(!answer.body.contains("root:"), "{path}: {}", answer.body);
        assert!(!answer.body.contains("[workspace]"), "{path}: {}", answer.body);
    }
    let answer = server.ask("GET", "/api/v1/nothing", None);
    assert_eq!(answer.status, 404);
    assert!(answer.head.contains("application/problem+json"), "{}", answer.head);
}

#[test]
fn large_and_broken_bodies_are_problems() {
    let server = Running::start();
    let huge = "x".repeat(9 << 20);
    let answer = server.ask("POST", "/api/v1/positions", Some(json!({"game": "four", "place": {"rules": huge}})));
    assert!(answer.status == 413 || answer.status == 0, "refused, or the line was cut: {}", answer.status);
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
    let lines = [
        "POST /api/v1/positions HTTP/1.1".to_string(),
        format!("host: {}", server.address),
        format!("x-token: {}", server.token),
        "content-type: application/json".into(),
    ];
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    for broken in ["", "{", "[1]", "{\"game\": 7}", "{\"game\": \"four\", \"place\": {\"moves\": [3]}}"] {
        let answer = server.raw(&lines, broken.as_bytes());
        assert!((400..500).contains(&answer.status), "{broken:?}: {answer:?}");
        assert!(!answer.json()["detail"].as_str().unwrap().is_empty(), "{broken:?}");
    }
}

#[test]
fn a_thousand_silent_sockets_do_not_stop_the_page() {
    let server = Running::start();
    let silent: Vec<TcpStream> = (0..1000).map_while(|_| TcpStream::connect(server.address).ok()).collect();
    assert!(silent.len() >= 200, "only {} sockets can be had here", silent.len());
    let asked = Instant::now();
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

#[test]
fn sessions_are_not_without_number() {
    let server = Running::start();
    let open = || server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "options": {"Hash": "1"}})));
    let full = (0..40).map(|_| open()).find(|answer| answer.status != 201).expect("an end of sessions");
    assert_eq!((full.status, &full.json()["title"]), (429, &json!("Too many")));
    assert_eq!(server.ask("DELETE", "/api/v1/sessions/1", None).status, 204);
    assert_eq!(open().status, 201);
}
