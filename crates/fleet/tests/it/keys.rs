//! Fleets whose workers have keys of their own: each works under its name alone, over an encrypted connection.

use crate::{
    kinds::{KINDS, LARGE, expected},
    nats::There,
    stage::{Place, Worker, next, quick, spec, unit},
};
use std::{fs, net::TcpListener, path::PathBuf};
use tesuji_fleet::{Fleet, FleetError, KeyOptions, NatsServer, ServerOptions, WorkerOptions, make_key, run_worker};
use tesuji_jobs::Interrupt;
use tesuji_testkit::needs;

/// What the holder of a key sees.
struct Holder {
    key: PathBuf,
    files: tempfile::TempDir,
}

impl Holder {
    /// Makes the key, and has the server know it.
    fn new(there: &mut There, name: &str) -> Holder {
        let key = make_key(&there.folder.path().join("server"), name).unwrap();
        there.server = None;
        there.up();
        // What every fleet needs is made by the operator, as `fleet up` does.
        drop(there.connect());
        Holder { key, files: tempfile::tempdir().unwrap() }
    }

    fn try_connect(&self) -> Result<Fleet, FleetError> {
        let (url, files) = (self.key.display().to_string(), self.files.path().to_path_buf());
        Fleet::connect_with(&url, &Interrupt::new(), files, quick())
    }

    fn error(&self) -> String {
        self.try_connect().err().expect("an error").to_string()
    }
}

impl Place for Holder {
    fn connect(&self) -> Fleet {
        self.try_connect().unwrap()
    }
}

/// Starts a worker here, and waits until it ends by itself.
fn work(fleet: &Fleet, name: &str) -> Result<(), FleetError> {
    let options = WorkerOptions { name: name.into(), jobs: 1, noisy: false, folder: None, cards: Vec::new() };
    run_worker(fleet, KINDS, &options, &Interrupt::new()).map(drop)
}

#[test]
fn a_worker_with_its_own_key_does_units_with_files_and_large_results() {
    let Some(mut there) = There::start_with(Some(KeyOptions::default())) else { return };
    let holder = Holder::new(&mut there, "a");
    let worker = Worker::start(&holder, "a");
    let fleet = there.connect();
    let net = there.folder.path().join("net");
    fs::write(&net, vec![7_u8; 1_300_000]).unwrap();
    let sum = fleet.files().keep(&net).unwrap();
    let mut run = fleet.begin(&spec("keys", &format!("file {sum}"))).unwrap();
    run.submit(unit(3, "")).unwrap();
    let result = next(&mut *run);
    assert_eq!((result.worker.as_str(), result.worker_id.as_str()), ("a", "key-a"));
    assert_eq!(result.outcome, Ok(expected(3, 1_300_000)));
    run.commit(3).unwrap();
    run.submit(unit(4, "large")).unwrap();
    assert_eq!(next(&mut *run).outcome, Ok(vec![7; LARGE]));
    run.commit(4).unwrap();
    assert_eq!(fleet.workers().unwrap()[0].id, "key-a");
    // One key, one worker at a time, under the name in the key.
    let told = work(&holder.connect(), "b").unwrap_err().to_string();
    assert!(told.contains("this key is of worker a") && told.contains("tesuji fleet key b"), "{told}");
    let told = work(&holder.connect(), "a").unwrap_err().to_string();
    assert!(told.contains("another worker on") && told.contains("one of its own"), "{told}");
    assert_eq!(worker.stop().faults, 0);
}

/// Who once had the token of a fleet was the operator of the one with keys that followed in its folder.
#[test]
fn a_token_opens_no_fleet_with_keys() {
    let Some(mut there) = There::start() else { return };
    let token = there.url().split_once("://").unwrap().1.split_once('@').unwrap().0.to_string();
    (there.server, there.keys) = (None, Some(KeyOptions::default()));
    there.up();
    let operator = fs::read_to_string(there.folder.path().join("server/operator.key")).unwrap();
    assert!(token.len() >= 32 && operator.contains("name: operator") && !operator.contains(&token));
    drop(there.connect());
}

/// Addresses of IPv6 stand in brackets before a port.
#[test]
fn a_fleet_listens_on_ipv6() {
    let Some(mut there) = There::start_with(Some(KeyOptions::default())) else { return };
    if TcpListener::bind("[::1]:0").is_err() {
        return needs::skip("needs IPv6");
    }
    there.server = None;
    for keys in [Some(KeyOptions::default()), None] {
        let folder = there.folder.path().join("six");
        let options = ServerOptions { keys, ..ServerOptions::new(folder, "::1".into(), None) };
        there.server = Some(NatsServer::start(&options).unwrap());
        drop(there.connect());
    }
}

#[test]
fn a_key_that_was_taken_back_or_is_of_another_fleet_gets_one_line() {
    let Some(mut there) = There::start_with(Some(KeyOptions::default())) else { return };
    let holder = Holder::new(&mut there, "a");
    let fleet = holder.connect();
    assert_eq!(fleet.key_name(), Some("a"));
    // What the server would not answer is refused here.
    let told = [
        fleet.pause(None, true).unwrap_err().to_string(),
        fleet.begin(&spec("mine", "1")).err().expect("an error").to_string(),
        fleet.files().keep(&holder.key).unwrap_err().to_string(),
    ];
    assert!(
        told.iter().all(|told| told.contains("this is the key of worker a") && told.contains("operator.key")),
        "{told:?}"
    );
    drop(fleet);
    // The authority of another fleet: somebody else's server is not spoken to.
    let Some(other) = There::start_with(Some(KeyOptions::default())) else { return };
    let text = fs::read_to_string(&holder.key).unwrap();
    let theirs = fs::read_to_string(other.folder.path().join("server/ca.pem")).unwrap();
    let begin = text.find("-----BEGIN").unwrap();
    let copy = Holder { key: there.folder.path().join("copy.key"), files: tempfile::tempdir().unwrap() };
    fs::write(&copy.key, format!("{}{theirs}", &text[..begin])).unwrap();
    let told = copy.error();
    assert!(told.contains("certificate is not trusted") && told.contains("tesuji fleet key"), "{told}");
    assert_eq!(told.lines().count(), 1);
    // Taken back.
    fs::copy(&holder.key, &copy.key).unwrap();
    fs::remove_file(&holder.key).unwrap();
    there.server = None;
    there.up();
    let told = copy.error();
    assert!(told.contains("refuses the key of a") && told.lines().count() == 1, "{told}");
    assert!(!told.contains("secret"), "{told}");
}
