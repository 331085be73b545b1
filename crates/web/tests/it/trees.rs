//! Trees of searches as scripts and the page see them.

use crate::client::Running;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

/// A session whose search is traced and done.
fn grown(server: &Running, nodes: u64) -> u64 {
    let wish = json!({"game": "four", "options": {"TracePlies": "4"}, "place": {"moves": ["4"]}});
    let made = server.ask("POST", "/api/v1/sessions", Some(wish));
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["id"].as_u64().unwrap();
    server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({"nodes": nodes})));
    server.states(id, |state| !state["choice"].is_null());
    id
}

fn get(server: &Running, path: &str) -> Value {
    let answer = server.ask("GET", path, None);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

#[test]
fn a_tree_is_read_by_rows_by_columns_and_by_path() {
    let server = Running::start();
    let id = grown(&server, 3000);
    let tree = |query: &str| get(&server, &format!("/api/v1/sessions/{id}/tree?{query}"));
    let all = tree("depth=64&limit=20000");
    let nodes = all["nodes"].as_array().unwrap();
    assert_eq!(all["head"]["total"].as_u64(), Some(nodes.len() as u64));
    assert!(nodes.len() > 20 && nodes[0]["parent"].is_null() && nodes[0]["ply"] == 0);
    assert!(nodes[0]["effort"].as_u64() <= all["head"]["nodes"].as_u64(), "the root counts no more than all");
    let root = tree("depth=1&sort=value");
    let values: Vec<f64> =
        root["nodes"].as_array().unwrap()[1..].iter().map(|n| n["value"].as_f64().unwrap()).collect();
    assert!(values.len() >= 7 && values.windows(2).all(|pair| pair[0] >= pair[1]), "{values:?}");
    let below = tree("depth=1&path=4&format=columns");
    let columns = &below["columns"];
    assert_eq!(columns["move"].as_array().unwrap().len(), columns["effort"].as_array().unwrap().len());
    assert_eq!(columns["move"][0], "4");
    let missing = server.ask("GET", &format!("/api/v1/sessions/{id}/tree?path=4.9"), None);
    assert_eq!((missing.status, missing.json()["detail"].as_str().unwrap().contains("move 2")), (404, true));
    for (query, field) in [("sort=luck", "sort"), ("format=xml", "format")] {
        let wrong = server.ask("GET", &format!("/api/v1/sessions/{id}/tree?{query}"), None);
        assert_eq!((wrong.status, wrong.json()["where"].as_str()), (422, Some(field)));
    }
    let words = get(&server, &format!("/api/v1/sessions/{id}/tree/words?ids=1,2"));
    assert!(words["1"]["note"]["depth"].is_i64() && words["1"]["note"]["window"][1].is_i64(), "{words}");
    assert_eq!(server.ask("GET", &format!("/api/v1/sessions/{id}/tree?t=999"), None).status, 404);
}

#[test]
fn a_tree_goes_through_a_file_and_is_checked() {
    let server = Running::start();
    let id = grown(&server, 3000);
    let file = server.ask("GET", &format!("/api/v1/sessions/{id}/tree/file"), None).body;
    let opened = server.ask("POST", "/api/v1/trees", Some(json!({"text": file})));
    assert_eq!(opened.status, 201, "{opened:?}");
    let other = opened.json()["id"].as_u64().unwrap();
    let shape = |id| {
        let tree = get(&server, &format!("/api/v1/sessions/{id}/tree?depth=64&limit=20000&sort=order"));
        let row = |n: &Value| format!("{} {} {} {}", n["move"], n["ply"], n["effort"], n["note"]);
        tree["nodes"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    assert_eq!(shape(id), shape(other));
    let verdict = server.ask("POST", &format!("/api/v1/sessions/{other}/verify"), None).json();
    assert!(verdict["checks"].as_array().unwrap().len() >= 5);
    assert!(verdict["faults"].as_array().unwrap().is_empty(), "{verdict}");
    let changed = file.replacen("\"effort\": ", "\"effort\": 1", 1);
    let refused = server.ask("POST", "/api/v1/trees", Some(json!({"text": changed})));
    assert_eq!((refused.status, refused.json()["detail"].as_str().unwrap().contains("changed")), (422, true));
    let course = get(&server, &format!("/api/v1/sessions/{id}/snapshots"));
    assert!(!course["moments"].as_array().unwrap().is_empty() && !course["changes"].as_array().unwrap().is_empty());
    assert_eq!(course["moments"][0]["kept"], true);
}

/// What a socket hears first, as text with whatever bytes are between.
fn shake(server: &Running, id: u64, protocol: &str, bytes: usize) -> String {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let head = format!(
        "GET /api/v1/sessions/{id}/ws HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         sec-websocket-protocol: {protocol}\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut all = Vec::new();
    let mut some = [0; 4096];
    while all.len() < bytes {
        match stream.read(&mut some) {
            Ok(0) | Err(_) => break,
            Ok(n) => all.extend(&some[..n]),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

#[test]
fn a_socket_tells_the_tree_to_those_with_the_token() {
    let server = Running::start();
    let id = grown(&server, 3000);
    let received = shake(&server, id, &format!("tesuji, token.{}", server.token), 3000);
    assert!(
        received.starts_with("HTTP/1.1 101")
            && received.to_ascii_lowercase().contains("sec-websocket-protocol: tesuji")
    );
    assert!(received.contains("\"head\"") && received.contains("\"codes\""), "{received}");
    for wrong in ["tesuji", "tesuji, token.00"] {
        assert!(shake(&server, id, wrong, 12).starts_with("HTTP/1.1 403"));
    }
    assert!(shake(&server, 99, &format!("tesuji, token.{}", server.token), 12).starts_with("HTTP/1.1 404"));
}

#[test]
fn a_move_is_explained_against_another() {
    let server = Running::start();
    // Anyone who does not stop the row of the first side has lost.
    let wish = json!({"game": "four", "options": {"TracePlies": "6"}, "place": {"moves": ["4", "4", "3", "3"]}});
    let id = server.ask("POST", "/api/v1/sessions", Some(wish)).json()["id"].as_u64().unwrap();
    server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({"depth": 7})));
    server.states(id, |state| !state["choice"].is_null());
    let why = get(&server, &format!("/api/v1/sessions/{id}/why"));
    assert_eq!((&why["side"], &why["family"]), (&json!(0), &json!("alpha-beta")));
    let (of, vs) = (&why["of"], &why["vs"]);
    assert_ne!(of["move"], vs["move"]);
    let difference = why["difference"].as_f64().unwrap();
    assert!((difference - (of["value"].as_f64().unwrap() - vs["value"].as_f64().unwrap())).abs() < 1e-6);
    assert!(difference >= 0.0 && why["margin"].is_null(), "alpha-beta counts no results: {why}");
    assert_eq!(of["line"][0]["move"], of["move"]);
    let shares = of["share"].as_f64().unwrap() + vs["share"].as_f64().unwrap();
    assert!(shares > 0.0 && shares <= 1.0 + 1e-9);
    let (first, second) = (of["move"].as_str().unwrap(), vs["move"].as_str().unwrap());
    let turned = get(&server, &format!("/api/v1/sessions/{id}/why?of={second}&vs={first}"));
    assert!((turned["difference"].as_f64().unwrap() + difference).abs() < 1e-6);
    let wrong = server.ask("GET", &format!("/api/v1/sessions/{id}/why?vs=9"), None);
    assert_eq!((wrong.status, &wrong.json()["where"]), (404, &json!("vs")));
}
