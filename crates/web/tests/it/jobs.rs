//! Jobs run, pause, end with their server and go on with the next; nothing of them leads out of the workspace.

use crate::client::Running;
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// A stand-in for `tesuji`: counts its starts, says how far it is, obeys its job control.
const PROGRAM: &str = r#"#!/bin/sh
folder=$2
shift 2
: > "$folder/journal"
echo '{"event":"game","game":1,"first":"A","second":"B","winner":"A","by":"mate","plies":3,"seconds":0.5,"fault":null,"start":null,"moves":["4","4","3"],"values":[200,null,-200],"standing":{"elo":{"value":1.5,"low":0.5,"high":null}},"llr":0.25}'
echo '{"event":"game","game":2,"first":"B","second":"A","winner":null,"by":"repetition","plies":3,"seconds":0.5,"fault":null,"start":null,"moves":["4","1"],"standing":{"elo":{"value":1.5,"low":0.5,"high":null}},"llr":0.25}'
echo '{"done":1}' > "$folder/live.json"
echo '{"what":"match","unit":"games","done":1,"total":2,"rate":1,"left":[1,2],"basis":"rate","note":""}' > "$folder/progress.json"
echo "$*" >> "$folder/starts"
while read -r word; do
  [ "$word" = stop ] && exit 4
  [ "$word" = finish ] && exit 0
done
exit 4
"#;

fn program(space: &Path) -> PathBuf {
    let path = space.join("program.sh");
    fs::write(&path, PROGRAM).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    path
}

fn wish() -> Value {
    json!({"engines": [{"name": "A"}, {"name": "B"}], "request": {"game": "four", "nodes": 100}})
}

/// Looks at the job until it is in `state`.
fn wait(server: &Running, id: u64, state: &str) -> Value {
    let begun = Instant::now();
    loop {
        let job = server.ask("GET", &format!("/api/v1/jobs/{id}"), None).json();
        let has_begun = state != "running" || job["progress"]["done"] == 1;
        if job["state"] == state && has_begun {
            return job;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{state} is waited for: {job}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn a_match_runs_pauses_and_survives_its_server() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let program = program(space.path());
    let server = Running::start_in(space.clone(), &program, true);
    let made = server.ask("POST", "/api/v1/matches", Some(wish()));
    assert_eq!(made.status, 201, "{}", made.body);
    let (made, request) = (made.json(), fs::read(space.path().join(".tesuji/jobs/1/request.json")).unwrap());
    assert_eq!(made["command"], "tesuji match --request .tesuji/jobs/1/request.json --json");
    assert_eq!(serde_json::from_slice::<Value>(&request).unwrap(), made["request"]);
    let asked = &made["request"];
    assert_eq!(asked["engines"], json!([{"name": "A"}, {"name": "B"}]));
    assert_eq!((&asked["nodes"], &asked["seed"], &asked["games"]), (&json!(100), &json!(7), &Value::Null));
    assert_eq!(asked["journal"], ".tesuji/jobs/1/journal");
    let act = |server: &Running, deed: &str| server.ask("POST", &format!("/api/v1/jobs/1/{deed}"), None);
    assert_eq!(wait(&server, 1, "running")["can"], json!(["pause", "finish", "cancel"]));
    assert_eq!(act(&server, "resume").status, 409);
    assert_eq!(act(&server, "dance").status, 404);
    assert_eq!(server.ask("DELETE", "/api/v1/jobs/1", None).status, 409, "it is at work");
    assert_eq!(act(&server, "pause").status, 200);
    wait(&server, 1, "paused");
    assert_eq!(act(&server, "resume").status, 200);
    wait(&server, 1, "running");
    let series = server.ask("GET", "/api/v1/matches/1/series", None).json();
    assert_eq!(
        (&series["elo"], &series["llr"]),
        (&json!([1.5, 1.5]), &json!([0.25, 0.25])),
        "a game twice in the lines counts once"
    );
    let partings = server.ask("GET", "/api/v1/matches/1/partings", None).json();
    assert_eq!((&partings["total"], &partings["nodes"]), (&json!(1), &json!(100)));
    let parting = &partings["partings"][0];
    assert_eq!(
        (&parting["games"], &parting["players"], &parting["texts"]),
        (&json!([1, 2]), &json!(["B", "A"]), &json!(["4", "1"]))
    );
    assert_eq!(parting["place"], json!({"rules": "", "start": null, "moves": ["4"]}));
    let jump = &partings["jumps"][0];
    assert_eq!(
        (&partings["jumps_total"], &jump["game"], &jump["players"], &jump["values"], &jump["text"]),
        (&json!(1), &json!(1), &json!(["A", "B"]), &json!([200, -200]), &json!("4"))
    );
    assert_eq!(jump["place"], json!({"rules": "", "start": null, "moves": []}));
    // Each player sits down at that position.
    let seat = |name: &str| {
        let seat = json!({"player": {"match": 1, "name": name}});
        server.ask("POST", "/api/v1/sessions", Some(json!({"game": "four", "seat": seat, "place": parting["place"]})))
    };
    let made = seat("A");
    assert_eq!(
        (made.status, &made.json()["seat"]["name"], &made.json()["seat"]["kind"]),
        (201, &json!("A"), &json!("player"))
    );
    assert_eq!((seat("C").status, seat("C").json()["where"].clone()), (404, json!("seat")));
    assert_eq!(server.ask("GET", "/api/v1/jobs/1/live", None).json(), json!({"done": 1}));

    drop(server);
    let server = Running::start_in(space.clone(), &program, true);
    assert_eq!(wait(&server, 1, "interrupted")["can"], json!(["resume", "remove"]));
    assert_eq!(act(&server, "resume").status, 200);
    wait(&server, 1, "running");
    assert_eq!(act(&server, "finish").status, 200);
    wait(&server, 1, "done");
    let starts = fs::read_to_string(space.path().join(".tesuji/jobs/1/starts")).unwrap();
    let again = "match --request .tesuji/jobs/1/again.json --json";
    assert_eq!(starts.lines().skip(1).collect::<Vec<_>>(), [again, again]);
    let asked = fs::read(space.path().join(".tesuji/jobs/1/again.json")).unwrap();
    let asked: Value = serde_json::from_slice(&asked).unwrap();
    assert_eq!((&asked["resume"], &asked["games"]), (&json!(".tesuji/jobs/1/journal"), &Value::Null));

    assert_eq!(server.ask("DELETE", "/api/v1/jobs/1", None).status, 204);
    assert_eq!(server.ask("GET", "/api/v1/jobs/1", None).status, 404);
    assert_eq!(act(&server, "restore").status, 200);
    assert_eq!(wait(&server, 1, "done")["title"], "A – B");
}

#[cfg(unix)]
#[test]
fn a_match_is_made_longer_whether_it_rests_or_runs() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), &program(space.path()), true);
    assert_eq!(server.ask("POST", "/api/v1/matches", Some(wish())).status, 201);
    wait(&server, 1, "running");
    let folder = space.path().join(".tesuji/jobs/1");
    fs::write(folder.join("live.json"), r#"{"games":10,"pairings":[{}]}"#).unwrap();
    let extend = |games: u64| server.ask("POST", "/api/v1/matches/1/extend", Some(json!({ "games": games })));
    let starts = || fs::read_to_string(folder.join("starts")).unwrap().lines().map(str::to_string).collect::<Vec<_>>();
    let until = |n: usize| {
        let begun = Instant::now();
        while starts().len() < n {
            assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", starts());
            thread::sleep(Duration::from_millis(20));
        }
        wait(&server, 1, "running");
        starts()[n - 1].clone()
    };
    assert_eq!(extend(10).status, 422, "it has so many");
    assert_eq!(extend(20).status, 200, "while it runs");
    let again = "match --request .tesuji/jobs/1/again.json --json";
    let games = || {
        let asked: Value = serde_json::from_slice(&fs::read(folder.join("again.json")).unwrap()).unwrap();
        asked["games"].clone()
    };
    assert_eq!((until(2).as_str(), games()), (again, json!(20)));
    assert_eq!(server.ask("POST", "/api/v1/jobs/1/finish", None).status, 200);
    wait(&server, 1, "done");
    assert_eq!(extend(30).status, 200, "when it is over");
    assert_eq!((until(3).as_str(), games()), (again, json!(30)));
    fs::write(folder.join("live.json"), r#"{"games":10,"test":{"accepted":"H1"}}"#).unwrap();
    assert_eq!(extend(40).status, 409, "its test is decided");
}

/// The form of the page offered no Swiss tournament; one that was asked for otherwise could be made longer, which its journal refuses.
#[cfg(unix)]
#[test]
fn a_swiss_tournament_has_its_rounds() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), &program(space.path()), true);
    let mut swiss = wish();
    swiss["request"]["tournament"] = json!({ "gauntlet": null, "knockout": false, "swiss": true });
    swiss["request"]["rounds"] = json!(1);
    let answer = server.ask("POST", "/api/v1/matches", Some(swiss));
    assert_eq!(answer.status, 201, "{}", answer.body);
    let asked = wait(&server, 1, "running")["request"].clone();
    assert_eq!((&asked["tournament"]["swiss"], &asked["rounds"]), (&json!(true), &json!(1)));
    assert_eq!(server.ask("POST", "/api/v1/matches/1/extend", Some(json!({ "games": 20 }))).status, 409);
}

/// The events `live` of a match with the numbers of their states, until `enough` says so of what is seen.
#[cfg(unix)]
fn watch(server: &Running, enough: impl Fn(&Value) -> bool) -> Vec<(u64, Value)> {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let (address, token) = (server.address, &server.token);
    let head = format!("GET /api/v1/jobs/events?watch=1 HTTP/1.1\r\nhost: {address}\r\nx-token: {token}\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut seen = Vec::new();
    let (mut name, mut id, mut data) = (String::new(), 0, Value::Null);
    for line in BufReader::new(stream).lines() {
        let line = line.expect("the stream goes on until enough is heard");
        match line.split_once(':').map(|(field, value)| (field, value.trim())) {
            Some(("event", value)) => name = value.into(),
            Some(("id", value)) => id = value.parse().unwrap(),
            // A text that ends with its line has an empty one behind it.
            Some(("data", value)) if !value.is_empty() => data = serde_json::from_str(value).unwrap(),
            // What follows the states of one look at all jobs.
            Some(("", "now")) if seen.last().is_some_and(|(_, last)| enough(last)) => return seen,
            _ if line.is_empty() && name == "live" => {
                seen.push((id, data.clone()));
                name.clear();
            }
            _ => {}
        }
    }
    panic!("the stream ended after {seen:?}");
}

#[cfg(unix)]
#[test]
fn a_match_that_was_left_is_not_shown_as_it_was() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), &program(space.path()), true);
    assert_eq!(server.ask("POST", "/api/v1/matches", Some(wish())).status, 201);
    wait(&server, 1, "running");
    let first = watch(&server, |seen| *seen == json!({"done": 1}));
    // The view is left: at the next news the server learns that nobody watches.
    assert_eq!(server.ask("POST", "/api/v1/jobs/1/pause", None).status, 200);
    wait(&server, 1, "paused");
    let live = space.path().join(".tesuji/jobs/1/live.json");
    fs::remove_file(&live).unwrap();
    assert_eq!(server.ask("POST", "/api/v1/jobs/1/resume", None).status, 200);
    let begun = Instant::now();
    while fs::read_to_string(&live).unwrap_or_default() != "{\"done\":1}\n" {
        assert!(begun.elapsed() < Duration::from_secs(120), "it does not go on");
        thread::sleep(Duration::from_millis(20));
    }
    fs::write(&live, r#"{"done":40}"#).unwrap();
    assert_eq!(server.ask("POST", "/api/v1/jobs/1/finish", None).status, 200);
    let done = wait(&server, 1, "done");
    let second = watch(&server, |_| true);
    assert_eq!(
        second.iter().map(|(_, seen)| seen).collect::<Vec<_>>(),
        [&json!({"done": 40})],
        "once, and nothing older"
    );
    assert!(second[0].0 > first.last().unwrap().0, "{first:?} {second:?}");
    assert!(done["seq"].as_u64().unwrap() > 0);
}

#[cfg(unix)]
#[test]
fn only_so_many_jobs_run_at_once_and_the_others_follow() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), &program(space.path()), true);
    for _ in 0..3 {
        assert_eq!(server.ask("POST", "/api/v1/matches", Some(wish())).status, 201);
    }
    wait(&server, 2, "running");
    wait(&server, 3, "queued");
    assert_eq!(server.ask("POST", "/api/v1/jobs/1/cancel", None).status, 200);
    wait(&server, 1, "cancelled");
    wait(&server, 3, "running");
}

#[test]
fn a_program_that_is_not_there_is_told() {
    let server = Running::start();
    assert_eq!(server.ask("POST", "/api/v1/matches", Some(wish())).json()["state"], "failed");
    assert!(wait(&server, 1, "failed")["error"].as_str().unwrap().contains("/no/such/program"));
}

#[test]
fn wrong_matches_are_refused_with_the_field_at_fault() {
    let server = Running::start();
    let engines = |second: Value| json!({"engines": [{}, second]});
    let request = |field: &str, value: Value| json!({"request": {"game": "four", "nodes": 100, field: value}});
    for (change, field) in [
        (json!({"engines": [{"name": "A"}]}), "engines"),
        (json!({"request": {"game": "four"}}), "control"),
        (request("nodes", json!(-1)), "nodes"),
        (request("nodes", json!(0)), "nodes"),
        (request("control", json!("x")), "control"),
        (request("games", json!(0)), "games"),
        (request("jobs", json!(0)), "jobs"),
        (request("sprt", json!([5, 0])), "sprt"),
        (request("resign", json!("$(touch x)")), "resign"),
        (engines(json!({"from": "known", "known": "no"})), "engines[1].known"),
        (engines(json!({"from": "command", "command": " "})), "engines[1].command"),
        (engines(json!({"family": "no"})), "engines[1].family"),
        (engines(json!({"options": {"No": "1"}})), "engines[1].options.No"),
        (engines(json!({"weights": "../../etc/passwd"})), "engines[1]"),
        (request("openings", json!("/etc/passwd")), "openings"),
        // Files, programs and journals are the server's to name.
        (request("engines", json!([{"command": "touch x"}])), "engines"),
        (request("each", json!({"command": "touch x"})), "each"),
        (request("referee", json!({"command": "touch x"})), "referee"),
        (request("outputs", json!([{"file": "/tmp/x.pgn", "format": "pgn"}])), "outputs"),
        (request("journal", json!("/tmp/x")), "journal"),
        (request("dialogues", json!("/tmp/x")), "dialogues"),
        (request("resume", json!("/tmp/x")), "resume"),
    ] {
        let mut form = wish();
        for (key, value) in change.as_object().unwrap() {
            form[key] = value.clone();
        }
        let answer = server.ask("POST", "/api/v1/matches", Some(form));
        assert!(matches!(answer.status, 403 | 422), "{change}: {}", answer.body);
        assert_eq!(answer.json()["where"], field, "{change}: {}", answer.body);
    }
    assert_eq!(server.ask("GET", "/api/v1/jobs", None).json(), json!([]), "nothing was begun");
}

#[test]
fn jobs_lead_nowhere_else() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), Path::new("/no/such/program"), true);
    assert_eq!(server.ask("POST", "/api/v1/matches", Some(wish())).status, 201);
    let host = format!("host: {}", server.address);
    // Changes need the token, whatever they change.
    for (method, path) in
        [("POST", "matches"), ("POST", "jobs/1/resume"), ("DELETE", "jobs/1"), ("POST", "jobs/1/restore")]
    {
        let line = format!("{method} /api/v1/{path} HTTP/1.1");
        let answer = server.raw(&[&line, &host, "content-type: application/json"], wish().to_string().as_bytes());
        assert_eq!(answer.status, 403, "{line}");
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", space.path().join(".tesuji/jobs/1/way")).unwrap();
    for name in ["..%2f..%2f..%2f..%2fetc%2fpasswd", "%2fetc%2fpasswd", "..", "way", "job.json%00", "no"] {
        let answer = server.ask("GET", &format!("/api/v1/jobs/1/files/{name}"), None);
        assert!(answer.status >= 400, "{name}: {}", answer.body);
        assert!(!answer.body.contains("root:"), "{name}");
    }
    assert_eq!(server.ask("GET", "/api/v1/jobs/1/files/job.json", None).status, 200);
    for path in ["jobs/2", "jobs/2/log", "jobs/2/live", "matches/2/series", "matches/2/games", "matches/1/games/1"] {
        assert_eq!(server.ask("GET", &format!("/api/v1/{path}"), None).status, 404, "{path}");
    }
    assert_eq!(server.ask("POST", "/api/v1/jobs/99/pause", None).status, 404);
    assert!(
        server.ask("GET", "/api/v1/jobs/1/log?after=99999999999", None).json()["text"].as_str().unwrap().is_empty()
    );
}

#[test]
fn without_a_token_forms_name_no_programs() {
    let space = Arc::new(tempfile::tempdir().unwrap());
    let server = Running::start_in(space.clone(), Path::new("/no/such/program"), false);
    let mut form = wish();
    form["engines"][1] = json!({"from": "command", "command": "touch x"});
    let answer = server.ask("POST", "/api/v1/matches", Some(form.clone()));
    assert_eq!(answer.status, 403, "{}", answer.body);
    fs::write(space.path().join("engines.toml"), "[[engine]]\nname = \"T\"\ncmd = \"touch x\"\n").unwrap();
    assert_eq!(server.ask("GET", "/api/v1/engines", None).json(), json!([{"name": "T", "game": null}]));
    form["engines"][1] = json!({"from": "known", "known": "T"});
    let answer = server.ask("POST", "/api/v1/matches", Some(form));
    assert_eq!(answer.status, 201, "what is in the configuration was written by its owner: {}", answer.body);
}
