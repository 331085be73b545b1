//! A server of its own for each test, and an HTTP client that says exactly what it is told to say.

use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    path::Path,
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};
use tesuji_kit::Kit;
use tesuji_web::{Clock, ConnectionLimits, Server, Settings};
use tokio::sync::oneshot;

/// A running server; it ends with the value.
pub struct Running {
    pub address: SocketAddr,
    pub token: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
    /// The workspace, kept until the server has ended.
    _space: Arc<tempfile::TempDir>,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e} in {:?}", self.body))
    }
}

impl Running {
    pub fn start() -> Running {
        let space = tempfile::tempdir().unwrap();
        Running::start_in(Arc::new(space), Path::new("/no/such/program"), true)
    }

    /// One with a workspace and a program for its jobs.
    pub fn start_in(space: Arc<tempfile::TempDir>, program: &Path, with_token: bool) -> Running {
        Running::start_with(&crate::toy::KITS, space, program, move |settings| settings.with_token = with_token)
    }

    /// One with changed settings.
    pub fn start_by(
        space: Arc<tempfile::TempDir>,
        program: &Path,
        change: impl FnOnce(&mut Settings) + Send + 'static,
    ) -> Running {
        Running::start_with(&crate::toy::KITS, space, program, change)
    }

    /// One of other games than the toy.
    pub fn start_with(
        kits: &'static [&'static dyn Kit],
        space: Arc<tempfile::TempDir>,
        program: &Path,
        change: impl FnOnce(&mut Settings) + Send + 'static,
    ) -> Running {
        let (workspace, program) = (space.path().to_path_buf(), program.to_path_buf());
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let mut settings = Settings {
                    port: 0,
                    with_token: true,
                    version: "test".into(),
                    workspace,
                    program,
                    seed: Some(7),
                    demo: false,
                    memory_mib: 1024,
                    clock: Clock::default(),
                    limits: ConnectionLimits::default(),
                };
                change(&mut settings);
                let server = Server::bind(&settings, kits).await.unwrap();
                tell.send((server.address(), server.token().unwrap_or_default().to_string())).unwrap();
                server
                    .run(async {
                        let _ = stopped.await;
                    })
                    .await;
            });
        });
        let (address, token) = told.recv().unwrap();
        Running { address, token, stop: Some(stop), thread: Some(thread), _space: space }
    }

    /// Says `head` (lines without their ends) and `body`, hears the answer.
    pub fn raw(&self, head: &[&str], body: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let head = format!("{}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", head.join("\r\n"), body.len());
        stream.write_all(head.as_bytes()).unwrap();
        // A server that refuses a body need not read it.
        let _ = stream.write_all(body);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let all = String::from_utf8_lossy(&all).into_owned();
        let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        Answer { status, head: head.to_ascii_lowercase(), body: body.to_string() }
    }

    /// A request as the page makes it.
    pub fn ask(&self, method: &str, path: &str, body: Option<Value>) -> Answer {
        let lines = [
            format!("{method} {path} HTTP/1.1"),
            format!("host: {}", self.address),
            format!("x-token: {}", self.token),
            "content-type: application/json".into(),
        ];
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.raw(&lines, body.map(|b| b.to_string()).unwrap_or_default().as_bytes())
    }

    /// The states of a session's stream until `enough` says so.
    pub fn states(&self, id: u64, mut enough: impl FnMut(&Value) -> bool) -> Vec<Value> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let head = format!(
            "GET /api/v1/sessions/{id}/events HTTP/1.1\r\nhost: {}\r\nx-token: {}\r\n\r\n",
            self.address, self.token
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut states = Vec::new();
        for line in BufReader::new(stream).lines() {
            let line = line.expect("the stream goes on until enough is heard");
            let Some(data) = line.strip_prefix("data: ").or_else(|| line.strip_prefix("data:")) else { continue };
            states.push(serde_json::from_str(data).unwrap());
            if enough(&states[states.len() - 1]) {
                return states;
            }
        }
        panic!("the stream ended after {states:?}");
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
