//! Clients, a server and what can go wrong between them, on this machine's own network.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod python;
mod speed;

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, Net, NetSession, Outputs, Runner, Service, Weights};
use tesuji_serving::{Protocol, Remote, Server, ServerOptions};

/// A small net of 7 planes for boards of 5 lines.
pub(crate) fn net() -> Arc<Net> {
    let mut architecture = Architecture::for_any_size("go-1", 7, 5, 1, 16);
    architecture.ownership = true;
    Arc::new(Net::new(&Weights::random(architecture, 3)).unwrap())
}

pub(crate) fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// Both ways to talk to a server.
pub(crate) const BOTH: [Protocol; 2] = [Protocol::Plain, Protocol::Grpc];

/// A server of `net` with a door for each protocol, and its addresses in the order of [`BOTH`].
pub(crate) fn serve(net: Arc<dyn Service>, parameters: ServerOptions) -> (Server, Vec<String>) {
    let server = Server::start(net, BOTH.map(|protocol| (protocol, listener())).into(), parameters).unwrap();
    let addresses = server.addresses();
    (server, addresses)
}

fn server(parameters: ServerOptions) -> (Server, Vec<String>) {
    serve(Arc::new(net()), parameters)
}

/// Without the scheme.
fn place(address: &str) -> &str {
    Protocol::of(address).unwrap().1
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
fn clients_of_both_kinds_get_what_the_net_says() {
    let parameters = ServerOptions { wait: Duration::from_millis(5), batch_max: 16, ..ServerOptions::default() };
    let (server, addresses) = server(parameters);
    thread::scope(|scope| {
        for client in 0..6 {
            let address = &addresses[client % 2];
            scope.spawn(move || {
                let remote = Remote::connect(address).unwrap();
                assert_eq!(remote.architecture(), net().architecture());
                let mut session = remote.session(5, 5, 8).unwrap();
                let mut runner = Runner::new(net(), 5, 5, 8).unwrap();
                for round in 0..40 {
                    let batch = 1 + (client + round) % 8;
                    let planes = planes(100 * client + round, batch);
                    let expect = kept(Runner::run(&mut runner, &planes, batch));
                    assert_eq!(kept(session.run(&planes, batch).unwrap()), expect, "{address} round {round}");
                }
            });
        }
    });
    let served = server.counts().so_far();
    assert_eq!(served.positions, 6 * (0..40).map(|round| 1 + round % 8).sum::<u64>());
    // Each client connects twice: to ask what the net is, and to ask it.
    assert_eq!(served.clients, 12);
    assert!(served.batches < 200, "requests of all clients are gathered: {served:?}");
}

#[test]
fn other_boards_and_larger_batches_are_calls_of_their_own() {
    let (_server, addresses) = server(ServerOptions { batch_max: 2, queue_max: 1, ..ServerOptions::default() });
    for address in &addresses {
        let remote = Remote::connect(address).unwrap();
        // Over gRPC what is more than a message goes in several.
        for (height, width, batch) in [(5, 5, 6), (4, 7, 3), (5, 5, 1), (9, 9, 2), (5, 5, 1500)] {
            let planes: Vec<f32> = (0..batch * 7 * height * width).map(|n| (n % 5) as f32 / 5.0).collect();
            let mut runner = Runner::new(net(), height, width, batch).unwrap();
            let expect = kept(Runner::run(&mut runner, &planes, batch));
            assert_eq!(kept(remote.session(height, width, 8).unwrap().run(&planes, batch).unwrap()), expect);
        }
    }
}

/// What an error says.
fn words<T>(result: Result<T, OracleError>) -> String {
    result.err().expect("an error").to_string()
}

#[test]
fn a_server_that_dies_is_one_clear_error() {
    let (server, addresses) = server(ServerOptions::default());
    let remotes: Vec<Remote> =
        addresses.iter().map(|it| Remote::connect(it).unwrap().with_patience(Duration::ZERO)).collect();
    let mut sessions: Vec<_> = remotes.iter().map(|remote| remote.session(5, 5, 1).unwrap()).collect();
    sessions.iter_mut().for_each(|session| assert!(session.run(&planes(1, 1), 1).is_ok()));
    drop(server);
    for ((remote, mut session), address) in remotes.iter().zip(sessions).zip(&addresses) {
        let place = place(address);
        let gone = format!("the evaluation failed: the policy server at {place} has gone away");
        assert_eq!(words(session.run(&planes(1, 1), 1)), gone);
        assert_eq!(words(session.run(&planes(1, 1), 1)), gone, "and stays so");
        let expect = format!("the policy server at {place}: Connection refused (os error 111)");
        assert_eq!(words(remote.session(5, 5, 1)), format!("the evaluation failed: {expect}"));
        assert_eq!(Remote::connect(address).err().unwrap().to_string(), expect);
    }
}

/// A server of `net` where another one was before.
fn serve_again(net: Arc<Net>, addresses: &[String]) -> Server {
    let doors = BOTH.into_iter().zip(addresses);
    let doors = doors.map(|(protocol, address)| (protocol, TcpListener::bind(place(address)).unwrap())).collect();
    Server::start(Arc::new(net), doors, ServerOptions::default()).unwrap()
}

#[test]
fn a_server_that_comes_back_is_asked_again() {
    let (server, addresses) = server(ServerOptions::default());
    let (planes, mut runner) = (planes(1, 3), Runner::new(net(), 5, 5, 3).unwrap());
    let expect = kept(Runner::run(&mut runner, &planes, 3));
    let ask = |address: &String| Remote::connect(address).unwrap().session(5, 5, 3).unwrap();
    let mut sessions: Vec<_> = addresses.iter().map(ask).collect();
    for session in &mut sessions {
        assert_eq!(kept(session.run(&planes, 3).unwrap()), expect);
    }
    drop(server);
    let server = thread::scope(|scope| {
        for session in &mut sessions {
            let (planes, expect) = (&planes, &expect);
            scope.spawn(move || assert_eq!(&kept(session.run(planes, 3).unwrap()), expect));
        }
        thread::sleep(Duration::from_millis(300));
        serve_again(net(), &addresses)
    });
    drop(server);
    let other = Architecture::for_any_size("go-1", 7, 5, 2, 16);
    let _server = serve_again(Arc::new(Net::new(&Weights::random(other, 3)).unwrap()), &addresses);
    for (session, address) in sessions.iter_mut().zip(&addresses) {
        let text = words(session.run(&planes, 3));
        let place = place(address);
        assert_eq!(
            text,
            format!("the evaluation failed: the policy server at {place}: it runs another net than before")
        );
    }
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
    let weights = Weights::random(Architecture::for_one_size("dlshogi-1", [62, 57], 27, 9, 1, 16), 1);
    let net = Arc::new(Net::new(&weights).unwrap());
    let (_server, addresses) = serve(Arc::new(net), ServerOptions::default());
    for address in &addresses {
        let text = words(Remote::connect(address).unwrap().session(5, 5, 1));
        let place = place(address);
        let expect =
            format!("the evaluation failed: the policy server at {place}: the net is for boards of 9x9, not 5x5");
        assert_eq!(text, expect);
    }
}

#[test]
fn nonsense_from_a_client_hurts_nobody_else() {
    let (_server, addresses) = server(ServerOptions::default());
    let ask = |address: &String| Remote::connect(address).unwrap().session(5, 5, 1).unwrap();
    let mut sessions: Vec<_> = addresses.iter().map(ask).collect();
    for words in [&[0xFFu8; 64][..], b"GET / HTTP/1.1\r\n\r\n", &[5, 0, 0, 0, 5, 0, 0, 0, 1, 0, 0, 0, 9, 9]] {
        for (address, session) in addresses.iter().zip(&mut sessions) {
            let mut stream = TcpStream::connect(place(address)).unwrap();
            stream.write_all(words).unwrap();
            let mut answer = Vec::new();
            // A reason, or nothing where the words were cut off.
            let _ = stream.set_read_timeout(Some(Duration::from_millis(500)));
            let _ = stream.read_to_end(&mut answer);
            drop(stream);
            session.run(&planes(2, 1), 1).unwrap();
        }
    }
}

/// A net that takes its time.
struct Slow(Arc<Net>, Duration);

struct SlowSession(Box<dyn NetSession>, Duration);

impl Service for Slow {
    fn architecture(&self) -> &Architecture {
        Service::architecture(&self.0)
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        Ok(Box::new(SlowSession(self.0.session(height, width, batch_max)?, self.1)))
    }
}

impl NetSession for SlowSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        thread::sleep(self.1);
        self.0.run(planes, batch)
    }
}

/// A server that was stopped held an engine with a clock of two seconds for two minutes, one that was killed for ten seconds.
#[test]
fn nobody_waits_longer_than_an_answer_is_of_use() {
    let (server, addresses) = serve(Arc::new(Slow(net(), Duration::from_secs(8))), ServerOptions::default());
    for address in &addresses {
        let remote = Remote::connect(address).unwrap();
        let mut session = remote.session(5, 5, 1).unwrap();
        let began = Instant::now();
        remote.set_due(Some(began + Duration::from_millis(300)));
        // Whoever waits for the answer has it.
        assert!(session.run(&planes(1, 1), 1).is_err(), "{address} answered");
    }
    let remotes: Vec<Remote> = addresses.iter().map(|address| Remote::connect(address).unwrap()).collect();
    let mut sessions: Vec<_> = remotes.iter().map(|remote| remote.session(5, 5, 1).unwrap()).collect();
    drop(server);
    for (remote, session) in remotes.iter().zip(&mut sessions) {
        let began = Instant::now();
        remote.set_due(Some(began + Duration::from_millis(300)));
        assert!(session.run(&planes(1, 1), 1).is_err());
        assert!(began.elapsed() < Duration::from_secs(9), "{:?}", began.elapsed());
    }
}

#[test]
fn a_full_queue_makes_clients_wait_and_loses_nothing() {
    let parameters = ServerOptions { batch_max: 4, queue_max: 4, ..ServerOptions::default() };
    let (server, addresses) = serve(Arc::new(Slow(net(), Duration::from_millis(10))), parameters);
    thread::scope(|scope| {
        for client in 0..6 {
            let address = &addresses[client % 2];
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
