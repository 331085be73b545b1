//! What other pages and programs may try.

use crate::client::Running;
use serde_json::json;
use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_web::{Clock, ServeError, Server, Settings};

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
fn a_cookie_is_no_token_because_every_port_of_this_machine_gets_it() {
    let server = Running::start();
    let host = format!("host: {}", server.address);
    let own = format!("origin: http://{}", server.address);
    let cookies = ["token", "x-token", "tesuji-token"].map(|name| format!("cookie: {name}={}", server.token));
    for cookie in &cookies {
        for line in ["POST /api/v1/sessions HTTP/1.1", "DELETE /api/v1/records/0 HTTP/1.1"] {
            let lines = [line, &host, &own, "sec-fetch-site: same-origin", "content-type: application/json", cookie];
            let answer = server.raw(&lines, b"{\"game\": \"four\"}");
            assert_eq!((answer.status, &answer.json()["where"]), (403, &json!("token")), "{line}: {cookie}");
        }
        let socket = [
            "GET /api/v1/sessions/1/ws HTTP/1.1",
            &host,
            &own,
            "sec-fetch-site: same-origin",
            "connection: upgrade",
            "upgrade: websocket",
            "sec-websocket-version: 13",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
            cookie,
        ];
        assert_eq!(server.raw(&socket, b"").status, 403, "{cookie}");
    }
    for path in ["/", "/play/chess", "/api/v1/version"] {
        let answer = server.raw(&[&format!("GET {path} HTTP/1.1"), &host], b"");
        assert!(!answer.head.contains("set-cookie"), "{}", answer.head);
    }
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
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
}

#[test]
fn what_shows_data_is_for_the_page_and_for_those_with_the_token() {
    let server = Running::start();
    let host = format!("host: {}", server.address);
    let token = format!("x-token: {}", server.token);
    for path in ["games", "sessions", "records", "jobs", "data", "data/rows?file=x.pgn&game=four", "runs", "engines"] {
        let line = format!("GET /api/v1/{path} HTTP/1.1");
        let get = |more: &[&str]| server.raw(&[&[&*line, &*host], more].concat(), b"").status;
        assert_eq!(get(&[]), 403, "{path}: another user of this machine");
        assert_eq!(get(&["sec-fetch-site: cross-site"]), 403, "{path}: a page of somebody else");
        assert_ne!(get(&["sec-fetch-site: same-origin"]), 403, "{path}: the page");
        assert_ne!(get(&[&token]), 403, "{path}: a script");
    }
    let stream = server.raw(&["GET /api/v1/jobs/events HTTP/1.1", &host], b"");
    assert_eq!(stream.status, 403);
}

#[test]
fn every_error_is_a_problem() {
    let server = Running::start();
    let (host, token) = (format!("host: {}", server.address), format!("x-token: {}", server.token));
    let json = "content-type: application/json";
    let huge = format!("{{\"game\": \"{}\"}}", "x".repeat(9 << 20));
    for (line, kind, body, status) in [
        ("GET /assets/no.js", json, "", 404),
        ("GET /api/v1/nothing", json, "", 404),
        ("PUT /api/v1/games", json, "", 405),
        ("POST /", json, "", 405),
        ("POST /api/v1/positions", json, &*huge, 413),
        ("POST /api/v1/positions", "content-type: text/plain", "{}", 415),
        ("POST /api/v1/positions", json, "{", 400),
        ("POST /api/v1/positions", json, "{}", 422),
        ("GET /api/v1/sessions/one", json, "", 400),
        ("GET /api/v1/jobs/1/log?after=x", json, "", 400),
        ("GET /api/v1/data/rows", json, "", 400),
        ("GET /api/v1/sessions/1/ws", json, "", 400),
        ("GET /api/v1/sessions/9", json, "", 404),
        ("TRACE /", json, "", 405),
    ] {
        let answer = server.raw(&[&format!("{line} HTTP/1.1"), &host, &token, kind], body.as_bytes());
        // A body that is refused may cut the line before the answer is read.
        if status == 413 && answer.status == 0 {
            continue;
        }
        assert_eq!(answer.status, status, "{line}: {answer:?}");
        assert!(answer.head.contains("content-type: application/problem+json"), "{line}: {}", answer.head);
        let problem = answer.json();
        assert_eq!(problem["status"], status, "{line}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{line}: {problem}");
        // "There are: others." was the hint, where the header named the methods.
        assert!(status != 405 || answer.head.to_lowercase().contains("\nallow: "), "{line}: {}", answer.head);
    }
}

#[test]
fn a_server_ends_whatever_its_clients_hold() {
    let server = Running::start();
    let id = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four"}))).json()["id"].as_u64().unwrap();
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({}))).status, 202);
    let connect = |text: String| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let head = |line: &str| format!("{line} HTTP/1.1\r\nhost: {}\r\nx-token: {}\r\n", server.address, server.token);
    let mut held = vec![
        connect(head(&format!("GET /api/v1/sessions/{id}/events")) + "\r\n"),
        connect(head("GET /api/v1/jobs/events") + "\r\n"),
        connect(
            head(&format!("GET /api/v1/sessions/{id}/ws"))
                + "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        ),
    ];
    // Each has its answer before the server is told to end.
    for stream in &mut held {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
    }
    held.push(connect(head("POST /api/v1/positions") + "content-length: 100\r\n\r\n{"));
    held.push(connect(head("GET /api/v1/games")));
    held.push(connect(String::new()));
    let told = Instant::now();
    drop(server);
    // It takes two seconds at most; without an end to what clients hold it would take forever.
    assert!(told.elapsed() < Duration::from_secs(60), "{:?}", told.elapsed());
    drop(held);
}

#[test]
fn a_second_server_on_a_workspace_is_refused() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let first = Running::start_in(space.clone(), Path::new("/no/such/program"), true);
    let settings = Settings {
        port: 0,
        with_token: true,
        version: "test".into(),
        workspace: space.path().to_path_buf(),
        program: "/no/such/program".into(),
        seed: None,
        demo: false,
        memory_mib: 1024,
        clock: Clock::default(),
        limits: tesuji_web::ConnectionLimits::default(),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bind = || runtime.block_on(Server::bind(&settings, &crate::toy::KITS)).map(|server| server.address());
    match bind() {
        Err(ServeError::Taken { address, .. }) => assert_eq!(address, format!("http://{}/", first.address)),
        other => panic!("{other:?}"),
    }
    drop(first);
    assert!(bind().is_ok(), "the first has ended");
}

#[test]
fn requests_at_the_same_time_do_not_exceed_the_sessions() {
    let server = Running::start();
    let open = || server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "options": {"Hash": "1"}})));
    let made = thread::scope(|scope| {
        let asking: Vec<_> = (0..48).map(|_| scope.spawn(open)).collect();
        asking.into_iter().map(|asked| asked.join().unwrap().status).filter(|&s| s == 201).count()
    });
    assert_eq!(made, 32);
    assert_eq!(server.ask("GET", "/api/v1/sessions", None).json().as_array().unwrap().len(), 32);
}

#[test]
fn more_memory_than_there_is_is_an_error() {
    let server = Running::start();
    let open = |hash: &str| {
        let answer = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "options": {"Hash": hash}})));
        (answer.status, answer.json())
    };
    let (status, problem) = open("131072");
    assert_eq!((status, &problem["where"]), (422, &json!("Hash")), "{problem}");
    let first = open("900").1["id"].as_u64().unwrap();
    assert_eq!(open("200").0, 429, "others have it");
    assert_eq!(server.ask("GET", "/api/v1/sessions", None).json().as_array().unwrap().len(), 1, "nothing is left over");
    let set = |hash: &str| {
        let path = format!("/api/v1/sessions/{first}/options");
        server.ask("POST", &path, Some(json!({"Hash": hash}))).status
    };
    assert_eq!((set("131072"), set("1")), (422, 204));
    assert_eq!(open("900").0, 201);
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
