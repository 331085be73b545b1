//! Failures between a worker and its server that no kill makes: answers that are lost, and clocks that are wrong.

use crate::{
    kinds::{KINDS, expected},
    nats::There,
    stage::{Place, next, quick, spec, unit, until},
};
use std::{
    fs,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
};
use tesuji_fleet::{Fleet, WorkerOptions, run_worker};
use tesuji_jobs::Interrupt;

/// What a client says when it sends a result.
const RESULT: &[u8] = b"PUB tesuji.result.";

/// Stands between a client and the server at `port`. Once, when a result has passed, it cuts the connection before the answer does: the server has the result, and
/// the client does not know.
fn cutting_proxy(port: u16, has_cut: Arc<AtomicBool>) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(client) = client else { return };
            let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { continue };
            let (back, front) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || pass(back, front, &mut |_| false));
            let has_cut = has_cut.clone();
            let mut is_result = move |bytes: &[u8]| {
                bytes.windows(RESULT.len()).any(|part| part == RESULT) && !has_cut.swap(true, SeqCst)
            };
            thread::spawn(move || pass(client, server, &mut is_result));
        }
    });
    own
}

/// Hands on what comes, and ends both ways behind the bytes at which `is_last` says so.
fn pass(mut from: TcpStream, mut to: TcpStream, is_last: &mut dyn FnMut(&[u8]) -> bool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let ends = is_last(&bytes[..count]);
        if ends {
            // What the server answers goes nowhere.
            let _ = from.shutdown(Shutdown::Write);
        }
        if to.write_all(&bytes[..count]).is_err() || ends {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Write));
}

/// A result was accepted, and the answer was lost: the worker sends it again, and it counts once.
#[test]
fn a_result_whose_answer_is_lost_is_sent_again_and_counts_once() {
    let Some(there) = There::start() else { return };
    let (place, has_cut) = (there.url(), Arc::new(AtomicBool::new(false)));
    let (front, port) = place.rsplit_once(':').unwrap();
    let near = format!("{front}:{}", cutting_proxy(port.parse().unwrap(), has_cut.clone()));
    let (folder, stop) = (there.folder.path().join("worker"), Interrupt::new());
    let worker = thread::spawn({
        let stop = stop.clone();
        move || {
            let fleet = Fleet::connect_with(&near, &stop, folder.join("files"), quick()).unwrap();
            let options =
                WorkerOptions { name: "a".into(), jobs: 1, noisy: false, folder: Some(folder), cards: Vec::new() };
            run_worker(&fleet, KINDS, &options, &stop).unwrap()
        }
    });
    let fleet = there.connect();
    let mut run = fleet.begin(&spec("answer", "1")).unwrap();
    // A second try of the unit would be a fault.
    let once = there.folder.path().join("once");
    run.submit(unit(4, &format!("once {}", once.display()))).unwrap();
    assert_eq!(next(&mut *run).outcome, Ok(expected(4, 1)));
    run.commit(4).unwrap();
    until("the connection was cut", || has_cut.load(SeqCst));
    run.submit(unit(5, "")).unwrap();
    // What comes again of the first is not handed on.
    let result = next(&mut *run);
    assert_eq!((result.index, result.outcome), (5, Ok(expected(5, 1))));
    run.commit(5).unwrap();
    let outbox = there.folder.path().join("worker/outbox");
    until("the outbox is emptied", || fs::read_dir(&outbox).is_ok_and(|files| files.count() == 0));
    stop.raise();
    let end = worker.join().unwrap();
    assert_eq!((end.done, end.faults, end.held), (2, 0, 0));
}

/// Clocks of machines are wrong and jump: nothing here reads the time of day. What the server wrote down is compared with the server's own time alone.
#[test]
fn nothing_depends_on_the_time_of_day() {
    fn search(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                search(&entry.path(), found);
                continue;
            }
            let text = fs::read_to_string(entry.path()).unwrap();
            let reads = ["SystemTime::now", "UNIX_EPOCH", "OffsetDateTime::now", "Utc::now", "Local::now"];
            found.extend(reads.iter().filter(|word| text.contains(**word)).map(|word| format!("{entry:?}: {word}")));
        }
    }
    let mut found = Vec::new();
    search(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    assert!(found.is_empty(), "{found:#?}");
}

/// The handbook names a test for each failure case, which is there.
#[test]
fn every_failure_case_of_the_handbook_has_its_test() {
    fn search(folder: &Path, tests: &mut String) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                search(&entry.path(), tests);
            } else if entry.path().extension().is_some_and(|ending| ending == "rs") {
                *tests += &fs::read_to_string(entry.path()).unwrap();
            }
        }
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    ["src", "tests", "../cli/tests/it"].iter().for_each(|folder| search(&top.join(folder), &mut tests));
    let text = fs::read_to_string(top.join("../../docs/fleet.md")).unwrap();
    let table = text.split_once("| … | then | test |").unwrap().1.split_once("\n\n").unwrap().0;
    let rows: Vec<&str> =
        table.lines().filter_map(|row| row.trim_end_matches([' ', '|']).rsplit_once(" | ")).map(|row| row.1).collect();
    assert!(rows.len() >= 20, "{rows:#?}");
    for row in rows {
        let named: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!named.is_empty(), "a case without a test: {row}");
        let missing: Vec<_> = named.iter().filter(|name| !tests.contains(&format!("fn {name}("))).collect();
        assert!(missing.is_empty(), "no such test: {missing:?}");
    }
}
