//! Runs, data and problems: requests become jobs, and no file outside the workspace is read.

use crate::client::Running;
use serde_json::{Value, json};
use std::{fs, path::Path, sync::Arc};
#[cfg(target_os = "linux")]
use std::{
    io::Write,
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

fn begin() -> (Arc<tempfile::TempDir>, Running) {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), Path::new("/no/such/program"), true);
    (space, server)
}

#[test]
fn runs_are_found_and_told() {
    let (space, server) = begin();
    let log = "0 0.139602240177 0.140008376153 2016-07-21 17:01:16\n";
    fs::create_dir_all(space.path().join("runs/a/round-1")).unwrap();
    fs::write(space.path().join("learning.log"), log).unwrap();
    fs::write(space.path().join("other.log"), "nothing of the kind\n").unwrap();
    fs::write(space.path().join("steps.csv"), "run,epoch,train_loss,validation_loss,best,seconds,weight,value\n")
        .unwrap();
    fs::write(space.path().join("runs/a/improve.json"), "{\"seed\": 3}").unwrap();
    fs::write(space.path().join("runs/a/round-1/round.json"), "{\"number\": 1}").unwrap();
    let gammas = |pass: f64| format!("tesuji-gammas 1\nmade-by a test\nfrom games\npass {pass} 1\n");
    fs::write(space.path().join("runs/a/start.txt"), gammas(1.0)).unwrap();
    fs::write(space.path().join("runs/a/round-1/weights.txt"), gammas(0.5)).unwrap();
    let runs = server.ask("GET", "/api/v1/runs", None).json();
    let mut found: Vec<(String, String)> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| (run["path"].as_str().unwrap().into(), run["kind"].as_str().unwrap().into()))
        .collect();
    found.sort();
    let expected = [("learning.log", "greko"), ("runs/a", "improve"), ("steps.csv", "steps")];
    assert_eq!(found, expected.map(|(path, kind)| (path.to_string(), kind.to_string())));
    let story = |path: &str| server.ask("GET", &format!("/api/v1/runs/story?path={path}"), None);
    assert_eq!(story("learning.log").json()["text"], log);
    let told = story("runs/a").json();
    assert_eq!((&told["settings"]["seed"], &told["rounds"][0]["round"]["number"]), (&json!(3), &json!(1)));
    let of_go = [&told["start"], &told["rounds"][0]["weights"]].map(|weights| weights["pass.1"].clone());
    assert_eq!(of_go, [json!(1.0), json!(0.5)], "strengths of moves in go are text");
    for (path, status) in [("other.log", 422), ("runs", 422), ("no", 404), ("../x", 403), ("%2fetc%2fpasswd", 403)] {
        assert_eq!(story(path).status, status, "{path}");
    }
}

#[test]
fn requests_stand_in_the_folders_of_jobs() {
    let (space, server) = begin();
    fs::write(space.path().join("games.four"), "*\t-\t4\n").unwrap();
    let begun = |path: &str, form| {
        let answer = server.ask("POST", path, Some(form));
        assert_eq!(answer.status, 201, "{}", answer.body);
        let job = answer.json();
        let kept = fs::read(space.path().join(format!(".tesuji/jobs/{}/request.json", job["id"]))).ok();
        let kept = kept.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap());
        assert_eq!(job["request"], kept, "the job's folder holds its request");
        (job["command"].as_str().unwrap().to_string(), kept)
    };
    let improve = json!({"game": "four", "from": "material", "budget_seconds": 60, "rounds": 2});
    let form = json!({"request": {"improve": improve}});
    let (said, asked) = begun("/api/v1/runs", form);
    assert_eq!(said, "tesuji improve --request .tesuji/jobs/1/request.json --json");
    assert_eq!((&asked["budget_seconds"], &asked["rounds"], &asked["seed"]), (&json!(60.0), &json!(2), &json!(7)));
    assert_eq!((&asked["from"], &asked["out"]), (&json!("material"), &json!(".tesuji/jobs/1/run")));
    let tune = json!({"game": "four", "games": ["games.four"], "only": ["cells", "threats"]});
    let form = json!({"request": {"tune": tune}});
    let (said, asked) = begun("/api/v1/runs", form);
    assert_eq!(said, "tesuji tune --request .tesuji/jobs/2/request.json --json");
    assert_eq!((&asked["learn"], &asked["games"]), (&json!("weights"), &json!(["games.four"])));
    assert_eq!((&asked["start"], &asked["seed"]), (&json!("builtin"), &json!(7)));
    assert_eq!(asked["only"], json!(["cells", "threats"]));
    assert_eq!(asked["out"], ".tesuji/jobs/2/weights.json");
    assert_eq!(asked["steps"], ".tesuji/jobs/2/steps.csv");
    let again = fs::read(space.path().join(".tesuji/jobs/1/again.json")).unwrap();
    let again: Value = serde_json::from_slice(&again).unwrap();
    assert_eq!((&again["game"], &again["resume"]), (&json!("four"), &json!(".tesuji/jobs/1/run")));
    let task = json!({"filter": {"wanted": {"ply": [8, 20], "no_checks": true}}});
    let form = json!({"game": "four", "inputs": ["games.four"], "task": task});
    let (said, asked) = begun("/api/v1/data/work", form);
    assert_eq!(said, "tesuji data filter --request .tesuji/jobs/3/request.json");
    let filter = &asked["task"]["filter"];
    assert_eq!(filter["writing"]["output"], ".tesuji/jobs/3/filtered.four");
    assert_eq!((&filter["wanted"]["ply"], &filter["wanted"]["no_checks"]), (&json!([8, 20]), &json!(true)));
    let (said, asked) = begun("/api/v1/solve", json!({"request": {"game": "four", "shortest": true}}));
    assert_eq!(said, "tesuji solve --request .tesuji/jobs/4/request.json --json");
    assert_eq!((&asked["seconds"], &asked["shortest"], &asked["verify"]), (&json!(30.0), &json!(true), &json!(true)));
    assert_eq!(asked["proof"], ".tesuji/jobs/4/proof.json");
    assert!(asked["position"]["start"].is_string(), "{asked}");
}

#[test]
fn wrong_forms_and_foreign_files_are_refused() {
    let (space, server) = begin();
    fs::write(space.path().join("games.four"), "*\t-\t4\n").unwrap();
    fs::write(space.path().join("notes.txt"), "x").unwrap();
    let improve = |request: Value| json!({"request": {"improve": request}});
    let tune = |field: &str, value: Value| json!({"request": {"tune": {"game": "four", "games": ["games.four"], field: value}}});
    let budget = 60;
    let data = |file: &str, task: Value| json!({"game": "four", "inputs": [file], "task": task});
    let filter = |task: Value| data("games.four", json!({"filter": task}));
    let solve = |request: Value| json!({"request": request});
    for (path, form) in [
        ("runs", json!({"request": {"dance": {"game": "four"}}})),
        ("runs", improve(json!({"game": "four", "from": "../../etc/passwd", "budget_seconds": budget}))),
        ("runs", improve(json!({"game": "four", "rounds": 0, "budget_seconds": budget}))),
        ("runs", improve(json!({"game": "four", "out": "/tmp/x", "budget_seconds": budget}))),
        ("runs", improve(json!({"game": "four", "starts": "/etc/passwd", "budget_seconds": budget}))),
        ("runs", improve(json!({"game": "four", "resume": "/tmp/x"}))),
        ("runs", tune("games", json!([]))),
        ("runs", tune("games", json!(["/etc/passwd"]))),
        ("runs", tune("only", json!(["--out=/tmp/x"]))),
        ("runs", tune("method", json!("prayer"))),
        ("runs", tune("out", json!("/tmp/x"))),
        ("runs", tune("bounds", json!("/etc/passwd"))),
        ("data/work", data("notes.txt", json!({"stats": {}}))),
        ("data/work", data("../games.four", json!({"stats": {}}))),
        ("data/work", data("games.four", json!({"stats": {"memory": {"mib": 1_000_000}}}))),
        ("data/work", data("games.four", json!({"rescore": {"nodes": 5}}))),
        ("data/work", filter(json!({"wanted": {"ply": "--out"}}))),
        ("data/work", filter(json!({"writing": {"output": "/tmp/x"}}))),
        ("data/work", filter(json!({"mates": {"output": "/tmp/x"}}))),
        ("solve", solve(json!({"game": "four", "position": {"start": "nonsense"}}))),
        ("solve", solve(json!({"game": "four", "problems": "/etc/passwd"}))),
        ("solve", solve(json!({"game": "four", "proof": "/tmp/x"}))),
        ("solve", solve(json!({"game": "four", "hash_mib": 1_000_000}))),
        ("solve", solve(json!({"game": "no"}))),
    ] {
        let answer = server.ask("POST", &format!("/api/v1/{path}"), Some(form.clone()));
        assert!(matches!(answer.status, 403 | 404 | 422), "{path} {form}: {} {}", answer.status, answer.body);
    }
    for file in ["..%2fgames.four", "%2fetc%2fpasswd", "notes.txt", "no.pgn", ""] {
        let answer = server.ask("GET", &format!("/api/v1/data/rows?file={file}&game=four"), None);
        assert!(matches!(answer.status, 403 | 404 | 422), "{file}: {}", answer.body);
    }
    assert_eq!(server.ask("GET", "/api/v1/data", None).json().as_array().unwrap().len(), 1, "one file holds games");
    let host = format!("host: {}", server.address);
    for path in ["runs", "data/work", "solve"] {
        let line = format!("POST /api/v1/{path} HTTP/1.1");
        assert_eq!(server.raw(&[&line, &host, "content-type: application/json"], b"{}").status, 403, "{path}");
    }
    assert_eq!(server.ask("GET", "/api/v1/jobs", None).json(), json!([]), "nothing was begun");
}

/// A stand-in for `tesuji data show` that never ends.
#[cfg(target_os = "linux")]
const ENDLESS: &str = "#!/bin/sh\necho $$ >> started\nexec sleep 600\n";

#[cfg(target_os = "linux")]
#[test]
fn requests_for_rows_start_few_children_which_end_with_their_clients() {
    use std::os::unix::fs::PermissionsExt;
    let space = Arc::new(tempfile::tempdir().unwrap());
    let program = space.path().join("endless.sh");
    fs::write(&program, ENDLESS).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(space.path().join("games.four"), "*\t-\t4\n").unwrap();
    let server = Running::start_in(space.clone(), &program, true);
    let started = || fs::read_to_string(space.path().join("started")).unwrap_or_default();
    let alive = || started().lines().filter(|id| Path::new("/proc").join(id).exists()).count();
    let wait = |what: &str, is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(120), "{what}: {:?}", started());
            thread::sleep(Duration::from_millis(20));
        }
    };
    let head = format!(
        "GET /api/v1/data/rows?file=games.four&game=four HTTP/1.1\r\nhost: {}\r\nx-token: {}\r\n\r\n",
        server.address, server.token
    );
    let clients: Vec<TcpStream> = (0..10)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    wait("two begin", &|| alive() == 2);
    assert_eq!(server.ask("GET", "/api/v1/data", None).status, 200, "others are answered meanwhile");
    assert_eq!(started().lines().count(), 2, "the others wait");
    drop(clients);
    wait("all end", &|| alive() == 0);
}
