//! Clients, a server and what can go wrong between them, on this machine's own network.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod speed;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::Duration,
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, Net, Outputs, Runner, Service, Session, Weights};
use tesuji_serving::{Remote, Server, ServerKnobs};

/// A small net of 7 planes for boards of 5 lines.
pub(crate) fn net() -> Arc<Net> {
    let mut architecture = Architecture::preset("go-1x16", "go-1", 7, 5).unwrap();
    architecture.ownership = true;
    Arc::new(Net::new(&Weights::random(architecture, 3)).unwrap())
}

pub(crate) fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

fn server(knobs: ServerKnobs) -> Server {
    Server::start(Arc::new(net()), listener(), knobs).unwrap()
}

/// Planes of all three kinds: alike, bits, numbers.
fn planes(seed: usize, batch: usize) -> Vec<f32> {
    let number = |n: usize| match n / 25 % 3 {
        0 => 0.25,
        1 => ((n * 7 + seed * 13) % 3 / 2) as f32,
        _ => ((n * 31 + seed * 17) % 101) as f32 / 50.0 - 1.0,
    };
    (0..batch * 7 * 25).map(number).collect()
}

fn kept(outputs: Outputs<'_>) -> [Vec<f32>; 4] {
    [outputs.policy, outputs.value, outputs.ownership, outputs.score].map(<[f32]>::to_vec)
}

#[test]
fn two_clients_get_what_the_net_says() {
    let knobs = ServerKnobs { wait: Duration::from_millis(5), batch_max: 16, ..ServerKnobs::default() };
    let server = server(knobs);
    let address = format!("tcp://{}", server.address());
    thread::scope(|scope| {
        for client in 0..2 {
            let address = &address;
            scope.spawn(move || {
                let remote = Remote::connect(address).unwrap();
                assert_eq!(remote.architecture(), net().architecture());
                let mut session = remote.session(5, 5, 8).unwrap();
                let mut runner = Runner::new(net(), 5, 5, 8).unwrap();
                for round in 0..40 {
                    let batch = 1 + (client + round) % 8;
                    let planes = planes(100 * client + round, batch);
                    let expect = kept(Runner::run(&mut runner, &planes, batch));
                    assert_eq!(kept(session.run(&planes, batch).unwrap()), expect, "client {client} round {round}");
                }
            });
        }
    });
    let served = server.counts().so_far();
    assert_eq!(served.positions, 2 * (0..40).map(|round| 1 + round % 8).sum::<u64>());
    // Each client connects twice: to ask what the net is, and to ask it.
    assert_eq!(served.clients, 4);
    assert!(served.batches < 80, "requests of both clients are gathered: {served:?}");
}

#[test]
fn other_boards_and_larger_batches_are_calls_of_their_own() {
    let server = server(ServerKnobs { batch_max: 2, queue_max: 1, ..ServerKnobs::default() });
    let remote = Remote::connect(&server.address().to_string()).unwrap();
    for (height, width, batch) in [(5, 5, 6), (4, 7, 3), (5, 5, 1), (9, 9, 2)] {
        let planes: Vec<f32> = (0..batch * 7 * height * width).map(|n| (n % 5) as f32 / 5.0).collect();
        let mut runner = Runner::new(net(), height, width, batch).unwrap();
        let expect = kept(Runner::run(&mut runner, &planes, batch));
        assert_eq!(kept(remote.session(height, width, 8).unwrap().run(&planes, batch).unwrap()), expect);
    }
}

/// What an error says.
fn words<T>(result: Result<T, OracleError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn a_server_that_dies_is_one_clear_error() {
    let server = server(ServerKnobs::default());
    let address = server.address().to_string();
    let remote = Remote::connect(&address).unwrap();
    let mut session = remote.session(5, 5, 1).unwrap();
    session.run(&planes(1, 1), 1).unwrap();
    drop(server);
    let gone = format!("the evaluation failed: the policy server at {address} has gone away");
    assert_eq!(words(session.run(&planes(1, 1), 1)), gone);
    assert_eq!(words(session.run(&planes(1, 1), 1)), gone, "and stays so");
    let refused = words(remote.session(5, 5, 1));
    assert!(refused.starts_with(&format!("the evaluation failed: the policy server at {address}: ")), "{refused}");
    let refused = Remote::connect(&address).err().unwrap().to_string();
    assert!(refused.starts_with(&format!("the policy server at {address}: ")), "{refused}");
}

#[test]
fn someone_else_at_the_address_is_told_apart() {
    let listener = listener();
    let address = listener.local_addr().unwrap().to_string();
    let other = thread::spawn(move || {
        for words in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"TSJP\x07\0\0\0\0\0\0\0", b"TS"] {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(words).unwrap();
        }
    });
    let expect = [
        "it does not greet as a policy server of tesuji",
        "it speaks version 7, this program 1",
        "failed to fill whole buffer",
    ];
    for words in expect {
        let error = Remote::connect(&address).err().unwrap().to_string();
        assert_eq!(error, format!("the policy server at {address}: {words}"));
    }
    other.join().unwrap();
}

#[test]
fn a_board_that_the_net_is_not_for_is_refused() {
    let weights = Weights::random(Architecture::preset("dlshogi-1x16", "dlshogi-1", 119, 9).unwrap(), 1);
    let net = Arc::new(Net::new(&weights).unwrap());
    let server = Server::start(Arc::new(net), listener(), ServerKnobs::default()).unwrap();
    let address = server.address();
    let remote = Remote::connect(&address.to_string()).unwrap();
    let text = words(remote.session(5, 5, 1));
    let expect =
        format!("the evaluation failed: the policy server at {address}: the net is for boards of 9x9, not 5x5");
    assert_eq!(text, expect);
}

#[test]
fn nonsense_from_a_client_hurts_nobody_else() {
    let server = server(ServerKnobs::default());
    let remote = Remote::connect(&server.address().to_string()).unwrap();
    let mut session = remote.session(5, 5, 1).unwrap();
    for words in [&[0xFFu8; 64][..], b"GET / HTTP/1.1\r\n\r\n", &[5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 9, 9]] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(words).unwrap();
        let mut answer = Vec::new();
        // A reason, or nothing where the words were cut off.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
        let _ = stream.read_to_end(&mut answer);
        drop(stream);
        session.run(&planes(2, 1), 1).unwrap();
    }
}

/// A net that takes its time.
struct Slow(Arc<Net>);

struct SlowSession(Box<dyn Session>);

impl Service for Slow {
    fn architecture(&self) -> &Architecture {
        Service::architecture(&self.0)
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn Session>, OracleError> {
        Ok(Box::new(SlowSession(self.0.session(height, width, batch_max)?)))
    }
}

impl Session for SlowSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        thread::sleep(Duration::from_millis(10));
        self.0.run(planes, batch)
    }
}

#[test]
fn a_full_queue_makes_clients_wait_and_loses_nothing() {
    let knobs = ServerKnobs { batch_max: 4, queue_max: 4, ..ServerKnobs::default() };
    let server = Server::start(Arc::new(Slow(net())), listener(), knobs).unwrap();
    let address = server.address().to_string();
    thread::scope(|scope| {
        for client in 0..6 {
            let address = &address;
            scope.spawn(move || {
                let mut session = Remote::connect(address).unwrap().session(5, 5, 4).unwrap();
                for round in 0..5 {
                    session.run(&planes(client + round, 4), 4).unwrap();
                }
            });
        }
    });
    let served = server.counts().so_far();
    assert_eq!(served.positions, 6 * 5 * 4);
    assert!(served.full > 0, "{served:?}");
}
