//! Clients that begin requests and never end them: they are closed, counted, and do not hold the server up.

use crate::client::Running;
use std::{
    io::{ErrorKind, Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};
use tesuji_web::ConnectionLimits;

/// A server whose clients may take as much as `limits` say.
fn limited(limits: ConnectionLimits) -> Running {
    let space = Arc::new(tempfile::tempdir().unwrap());
    Running::start_by(space, Path::new("/no/such/program"), move |settings| settings.limits = limits)
}

/// A connection on which `text` was said.
fn begun(server: &Running, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    stream
}

/// The beginning of a request whose body does not come.
fn without_body(server: &Running) -> String {
    let Running { address, token, .. } = server;
    format!(
        "POST /api/v1/positions HTTP/1.1\r\nhost: {address}\r\nx-token: {token}\r\ncontent-type: application/json\r\n\
         content-length: 100\r\n\r\n{{\"game\":"
    )
}

/// A connection whose request the server has begun to answer, waiting for its body.
fn asked(server: &Running) -> TcpStream {
    const GO_ON: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut stream =
        begun(server, &without_body(server).replace("content-length", "expect: 100-continue\r\ncontent-length"));
    let mut answer = [0; GO_ON.len()];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer, GO_ON);
    stream
}

/// What still comes on a connection until the server closes it.
fn rest(mut stream: TcpStream) -> String {
    let mut text = Vec::new();
    match stream.read_to_end(&mut text) {
        // So it is closed where the server had not read everything.
        Err(error) if error.kind() != ErrorKind::ConnectionReset => panic!("the server does not close: {error}"),
        _ => String::from_utf8(text).unwrap(),
    }
}

/// They were kept for as long as the client liked.
#[test]
fn half_sent_requests_are_closed() {
    let short = Duration::from_millis(200);
    let server = limited(ConnectionLimits { head: short, body: short, ..ConnectionLimits::default() });
    assert_eq!(rest(begun(&server, "")), "");
    assert_eq!(rest(begun(&server, "GET / HTTP/1.1\r\nhost: ")), "");
    let answer = rest(begun(&server, &without_body(&server)));
    // A late body was told as a request that cannot be read (400).
    assert!(answer.starts_with("HTTP/1.1 408 ") && answer.contains("did not come within 0.2 s"), "{answer}");
    assert!(answer.contains("application/problem+json") && answer.contains("connection: close"), "{answer}");
    // Parts that come in time do not make the head longer.
    let mut slow = begun(&server, "GET / HTTP/1.1\r\n");
    let began = Instant::now();
    while slow.write_all(b"x: y\r\n").is_ok() {
        assert!(began.elapsed() < Duration::from_secs(120), "the head may grow for ever");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
}

/// There was no limit but that of the system's files.
#[test]
fn connections_are_limited() {
    let patient = Duration::from_secs(60);
    let server = limited(ConnectionLimits { head: patient, body: patient, connections_max: 3 });
    // Silent ones make room. A connection that was answered and closed may be counted for a moment: none comes before.
    let silent: Vec<TcpStream> = (0..9).map(|_| begun(&server, "GET / HT")).collect();
    let held: Vec<TcpStream> = (0..3).map(|_| asked(&server)).collect();
    assert!(silent.into_iter().all(|stream| rest(stream).is_empty()));
    let refused = rest(TcpStream::connect(server.address).unwrap());
    assert!(refused.starts_with("HTTP/1.1 503 ") && refused.ends_with("too many connections\r\n"), "{refused}");
    drop(held);
    let began = Instant::now();
    while server.ask("GET", "/api/v1/health", None).status != 200 {
        assert!(began.elapsed() < Duration::from_secs(120), "connections that ended are counted");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Ctrl-C once took four seconds.
#[test]
fn half_sent_requests_do_not_keep_a_server_that_ends() {
    let server = limited(ConnectionLimits::default());
    let body = without_body(&server);
    let texts = ["", "GET / HTTP/1.1\r\n", body.as_str()];
    let _held: Vec<TcpStream> = (0..200).map(|i| begun(&server, texts[i % texts.len()])).collect();
    assert_eq!(server.ask("GET", "/api/v1/health", None).status, 200);
    let began = Instant::now();
    drop(server);
    let took = began.elapsed();
    assert!(took < Duration::from_secs(2), "{took:?}");
}
