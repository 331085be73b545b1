//! The server against bent requests: any method, path and body. A binary of its own, since the memory of the process is measured.

#[path = "../it/client.rs"]
#[allow(dead_code, reason = "other tests need the rest")]
mod client;
#[path = "../it/toy.rs"]
mod toy;

use client::Running;
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tesuji_chess::{Chess, pgn::Pgn};
use tesuji_kit::{Kit, RulesOnly};
use tesuji_record::{Of, of};
use tesuji_shogi::Shogi;
use tesuji_testkit::fuzz::{run_bytes, run_large, time_for_each};

static CHESS: Of<Chess> = of(&[&Pgn]);
static SHOGI: Of<Shogi> = of(tesuji_shogi::FORMATS);
static GO: tesuji_go::GoDoor = tesuji_go::door(&[&tesuji_go::sgf::Sgf]);
static KITS: [&dyn Kit; 4] = [toy::KITS[0], &RulesOnly(&CHESS), &RulesOnly(&SHOGI), &RulesOnly(&GO)];

/// The server that [`request`] asks.
static SERVER: Mutex<Option<Running>> = Mutex::new(None);
/// Panics in any thread of this process: the server runs here.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// A request whose first line is method and path, and whose rest is the body, as the page would make it.
fn request(bytes: &[u8]) {
    let server = SERVER.lock().unwrap_or_else(PoisonError::into_inner);
    let server = server.as_ref().expect("a server");
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (line, body) = (&bytes[..end], bytes.get(end + 1..).unwrap_or_default());
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut head = line.to_vec();
    let rest = format!(
        " HTTP/1.1\r\nhost: {}\r\nx-token: {}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        server.address,
        server.token,
        body.len()
    );
    head.extend_from_slice(rest.as_bytes());
    // A server that refuses a request need not read all of it, and then hangs up.
    let _ = stream.write_all(&head).and_then(|()| stream.write_all(body));
    let head = head_of(&mut stream);
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    // Streams of events go on for as long as somebody listens.
    let mut text = String::new();
    if status != 101 && !head.contains("text/event-stream") {
        let _ = stream.take(1 << 20).read_to_string(&mut text);
    }
    assert!(!(500..600).contains(&status) || status == 503, "{head}{text}");
    // What is no line of HTTP, or a body that nobody reads, may have no answer.
    assert!(status > 0 || body.len() > 1000 || !is_plain(line), "no answer");
    assert_eq!(PANICS.load(Relaxed), 0, "the server panicked");
}

/// Whether a line is two words that HTTP can hold.
fn is_plain(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let is_word =
        |word: Option<&[u8]>| word.is_some_and(|word| !word.is_empty() && word.iter().all(u8::is_ascii_graphic));
    is_word(words.next()) && is_word(words.next()) && words.next().is_none()
}

/// Nodes of a record that [`contents`] makes.
const NODES_MAX: usize = 20_000;

/// Records and lines of moves made of any bytes, in JSON that can be read: what lies behind it gets them. The JSON is written as
/// text, since values of it would take more memory than the server.
fn contents(bytes: &[u8]) {
    let post = |path: &str, body: String| request(format!("POST /api/v1/{path}\n{body}").as_bytes());
    let all = String::from_utf8_lossy(bytes);
    let quoted = |text: &str| serde_json::to_string(text).expect("text is JSON");
    let text = quoted(&all);
    for (game, format) in [("chess", "pgn"), ("go", "sgf"), ("shogi", "kif"), ("shogi", "csa")] {
        post("records/read", format!(r#"{{"game": "{game}", "format": "{format}", "text": {text}}}"#));
    }
    let words: Vec<&str> = all.split_whitespace().take(NODES_MAX).collect();
    let start = quoted(all.get(..40).unwrap_or_default());
    let moves: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    post("positions", format!(r#"{{"game": "four", "place": {{"moves": [{}], "start": {start}}}}}"#, moves.join(",")));
    post("positions", format!(r#"{{"game": "go", "place": {{"moves": [{}], "rules": "9x9"}}}}"#, moves.join(",")));
    // A tree that goes back and forth, with all that a node may hold.
    let mut nodes = r#"{"parent": 0}"#.to_string();
    for (i, word) in words.iter().enumerate() {
        let parent = i.saturating_sub(usize::from(word.as_bytes()[0] & 15));
        let (mv, glyph) = (&moves[i], word.len() & 255);
        nodes += &format!(
            r#",{{"parent": {parent}, "move": {mv}, "comment": {mv}, "glyphs": [{glyph}], "spent": [{i}, 999999999], "depth": {i}}}"#
        );
    }
    let record =
        format!(r#"{{"nodes": [{nodes}], "tags": [[{start}, "x"]], "outcome": {{"winner": 0, "by": "mate"}}}}"#);
    post("records/write", format!(r#"{{"game": "chess", "format": "pgn", "record": {record}}}"#));
    let made = format!(r#"{{"game": "go", "record": {record}}}"#);
    post("records", made);
}

/// The head of an answer; what there is of it where the line was cut.
fn head_of(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte), Ok(1)) {
        head.push(byte[0]);
    }
    String::from_utf8_lossy(&head).to_ascii_lowercase()
}

/// Requests of the page.
fn seeds(server: &Running) -> Vec<Vec<u8>> {
    let record = json!({
        "rules": "", "tags": [["White", "a"]], "outcome": {"winner": 0, "by": "mate"},
        "nodes": [
            {"parent": 0, "comment": "start"}, {"parent": 0, "move": "e2e4", "glyphs": [1], "value": 31, "depth": 9},
            {"parent": 1, "move": "e7e5", "spent": [3, 500000000], "left": [60, 0], "nodes": 12345},
            {"parent": 0, "move": "d4", "visits": [[796, 12]]}, {"parent": 2, "setup": "4k3/8/8/8/8/8/8/4K2R w K - 0 1"}
        ]
    });
    let made = server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four"})));
    let id = made.json()["id"].as_u64().unwrap();
    assert_eq!(server.ask("POST", &format!("/api/v1/sessions/{id}/go"), Some(json!({"depth": 3}))).status, 202);
    server.states(id, |state| state["thinking"] == false && !state["choice"].is_null());
    let posts = [
        ("positions", json!({"game": "chess", "place": {"moves": ["e2e4", "e7e5"], "start": null, "rules": ""}})),
        ("positions", json!({"game": "go", "place": {"moves": ["D4", "pass"], "rules": "9x9 japanese"}})),
        (
            "sessions",
            json!({"game": "four", "family": "alpha-beta", "options": {"Hash": "1"}, "place": {"moves": ["1"]}}),
        ),
        ("sessions/1/place", json!({"moves": ["1", "2", "3"]})),
        ("sessions/1/go", json!({"nodes": 100, "depth": 3, "time": 5, "only": ["1"], "review": "1"})),
        ("sessions/1/options", json!({"Hash": "2"})),
        ("sessions/1/stop", json!({})),
        ("sessions/1/explain", json!({})),
        ("sessions/1/verify", json!({})),
        (
            "trees",
            json!({"text": "{\"format\": \"tesuji-tree\", \"version\": 2, \"game\": \"four\", \"search\": \"\"}"}),
        ),
        ("records", json!({"game": "chess", "record": record})),
        ("records/write", json!({"game": "chess", "format": "pgn", "record": record})),
        ("records/read", json!({"game": "chess", "format": "pgn", "text": "[White \"a\"]\n\n1. e4 e5 {x} *\n"})),
        ("records/read", json!({"game": "go", "format": "sgf", "text": "(;SZ[9];B[ee];W[cc])"})),
        ("records/read", json!({"game": "shogi", "format": "csa", "hex": "56322e320a2b0a2b373737364655"})),
        (
            "solve",
            json!({"request": {"game": "four", "position": {"moves": ["1"]}, "seconds": 3, "nodes": 10, "shortest": true}}),
        ),
        (
            "runs",
            json!({"request": {"improve": {"game": "chess", "from": "material", "budget_seconds": 60, "rounds": 2}}}),
        ),
        (
            "runs",
            json!({"request": {"tune": {"game": "chess", "games": ["a.pgn"], "epochs": 5, "only": ["mobility"]}}}),
        ),
        (
            "data/work",
            json!({"game": "chess", "inputs": ["a.pgn"], "task": {"filter": {"wanted": {"ply": [8, 60], "score_cp": [0, 500]}}}}),
        ),
        (
            "matches",
            json!({"title": "t", "engines": [{"from": "own", "family": "alpha-beta", "options": {"Hash": "1"}},
                {"from": "known", "known": "T"}], "request": {"game": "four", "nodes": 100, "games": 4}}),
        ),
        ("matches/1/extend", json!({"games": 8})),
        ("jobs/1/pause", json!({})),
    ];
    let gets = [
        "/",
        "/api/v1/health",
        "/api/v1/games",
        "/api/v1/sessions",
        "/api/v1/sessions/1",
        "/api/v1/sessions/1/events",
        "/api/v1/sessions/1/tree?path=1.2&depth=3&min_effort=0.5&sort=value&limit=9&format=json&t=0",
        "/api/v1/sessions/1/tree/words?path=1&depth=3",
        "/api/v1/sessions/1/snapshots",
        "/api/v1/sessions/1/tree/file",
        "/api/v1/sessions/1/why?path=1&of=2&vs=3&t=0",
        "/api/v1/sessions/1/ws",
        "/api/v1/records/a1",
        "/api/v1/jobs",
        "/api/v1/jobs/1/log?after=-3&of=out",
        "/api/v1/jobs/1/live",
        "/api/v1/jobs/1/files/job.json",
        "/api/v1/jobs/events?watch=1",
        "/api/v1/runs/story?path=a%2Fb",
        "/api/v1/data",
        "/api/v1/engines",
        "/api/v1/data/rows?file=a.pgn&game=chess&skip=1&count=5",
        "/api/v1/matches/1/series?max=9",
        "/api/v1/matches/1/games?skip=2&faults=true",
        "/api/v1/matches/1/games/3",
        "/assets/..%2f..%2fx",
    ];
    let more = [
        format!("PUT /api/v1/records/a1\n{}", json!({"version": 1, "game": "chess", "record": record})),
        "DELETE /api/v1/sessions/2\n".to_string(),
        "DELETE /api/v1/jobs/1\n".to_string(),
    ];
    let posts = posts.iter().map(|(path, body): &(&str, Value)| format!("POST /api/v1/{path}\n{body}"));
    let gets = gets.iter().map(|path| format!("GET {path}\n"));
    posts.chain(gets).chain(more).map(String::into_bytes).collect()
}

#[test]
fn requests_survive_bent_and_large_input() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Relaxed);
        usual(panic);
    }));
    let space = tempfile::tempdir().unwrap();
    // Files that requests name.
    std::fs::write(space.path().join("a.pgn"), "[White \"a\"]\n\n1. e4 e5 *\n").unwrap();
    std::fs::write(space.path().join("engines.toml"), "[[engine]]\nname = \"T\"\ncmd = \"/no/such\"\n").unwrap();
    // Jobs fail at once.
    let server = Running::start_with(&KITS, Arc::new(space), Path::new("/bin/false"), |settings| {
        settings.memory_mib = 64;
    });
    let seeds = seeds(&server);
    *SERVER.lock().unwrap() = Some(server);
    let bent = run_bytes("web::request", request, &seeds, 0x3EB0, time_for_each(40));
    let texts =
        ["1. e4 e5 2. d4 (2. Nf3 {x}) exd4 ", "(;SZ[9];B[ee];W[cc](;B[dd])(;B[aa]C[x]))", "1 2 3 4 1 2 3 4 e2e4 e7e5 "];
    let texts = texts.map(|text| text.as_bytes().to_vec());
    let contained = run_bytes("web::contents", contents, &texts, 0x3EB1, time_for_each(80));
    let large =
        run_large("web::request", request, &seeds[..1], 0x3EB2) + run_large("web::contents", contents, &texts, 0x3EB3);
    println!("web: {bent} requests, {contained} contents, {large} of a megabyte");
    // The server is there still, and ends.
    let server = SERVER.lock().unwrap().take().unwrap();
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
    drop(server);
    assert_eq!(PANICS.load(Relaxed), 0);
}
