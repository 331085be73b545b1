//! A server of NATS on this machine: found where it was installed, started on loopback with a token, ended with this process.

use crate::{
    FleetError,
    address::ServerAddress,
    disk::DiskWatch,
    host::{fresh_name, host_name},
    key::{ADDRESS, Key, NEAR_KEY, OPERATOR, OPERATOR_KEY, make_key, worker_keys, write_secret},
    permissions::{Secured, configuration},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeSet,
    env, fs,
    net::{IpAddr, TcpListener, TcpStream, ToSocketAddrs},
    ops::Range,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{ProcessTree, find_program};
use tesuji_system::make_private;

/// The variable that names the program.
const VARIABLE: &str = "TESUJI_NATS_SERVER";
/// The program.
const PROGRAM: &str = "nats-server";
/// The first version that syncs each message when asked to (`sync_interval: always`).
const VERSION_MIN: (u64, u64) = (2, 10);
/// Ports among which a server gets one: below those from which systems take the ports of outgoing connections, since such a connection of any
/// program would have the port while the server is down for a moment, and everybody would look for the server in vain.
const PORTS: Range<u16> = 10_000..32_000;
/// Ports that are tried.
const PORT_TRIES: u32 = 100;
/// How long the port of before is waited for where another program has it.
const PORT_PATIENCE: Duration = Duration::from_secs(3);
/// How long the server may take to start: it reads its store first.
const START: Duration = Duration::from_secs(60);
/// Bytes of its log that an error shows.
const TAIL: usize = 1_000;

/// How a server is started.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Where its store, its log, its token and its port are kept.
    pub folder: PathBuf,
    /// The address that it listens on.
    pub host: String,
    /// Its port; `None`: the one that it had in this folder before, or any that is free.
    pub port: Option<u16>,
    /// Whether connections are encrypted and each worker needs a key of its own; `None`: all have one token.
    pub keys: Option<KeyOptions>,
}

/// How a server with keys is reached.
#[derive(Debug, Clone, Default)]
pub struct KeyOptions {
    /// Names and addresses of this machine for others, the first of them in the keys; none: the address that the server listens on, or, where
    /// that is every one, the name of the machine.
    pub hosts: Vec<String>,
}

impl ServerOptions {
    /// A server that listens on `host`: with keys unless that is loopback.
    pub fn new(folder: PathBuf, host: String, port: Option<u16>) -> ServerOptions {
        let is_loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        ServerOptions { folder, host, port, keys: (!is_loopback).then(KeyOptions::default) }
    }

    /// The same server, reached by others under `hosts`; with `unencrypted` one without keys, whose token all have.
    pub fn reached_as(mut self, hosts: Vec<String>, unencrypted: bool) -> ServerOptions {
        self.keys = self.keys.filter(|_| !unencrypted).map(|_| KeyOptions { hosts });
        self
    }

    /// Where this machine itself reaches the server.
    fn near(&self) -> String {
        match self.host.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() && address.is_ipv4() => "127.0.0.1".into(),
            Ok(address) if address.is_unspecified() => "::1".into(),
            _ => self.host.clone(),
        }
    }

    /// Names and addresses under which others reach the server, the first one for keys.
    fn hosts(&self) -> Vec<String> {
        let mut hosts = self.keys.as_ref().map(|keys| keys.hosts.clone()).unwrap_or_default();
        let is_any = self.host.parse::<IpAddr>().is_ok_and(|address| address.is_unspecified());
        hosts.push(if is_any { host_name() } else { self.host.clone() });
        hosts.extend(["localhost", "127.0.0.1", "::1"].map(String::from));
        let mut known = BTreeSet::new();
        hosts.retain(|host| known.insert(host.clone()));
        hosts
    }
}

/// A server of NATS with JetStream that runs, and ends when this is dropped or this process dies.
#[derive(Debug)]
pub struct NatsServer {
    process: ProcessTree,
    address: ServerAddress,
    program: PathBuf,
    version: String,
    log: PathBuf,
    /// The key with which this machine reaches it, where it wants keys.
    near_key: Option<PathBuf>,
}

impl NatsServer {
    /// Starts a server with what an earlier one in this folder left.
    ///
    /// # Errors
    /// When there is no program of a usable version, or it does not start.
    pub fn start(options: &ServerOptions) -> Result<NatsServer, FleetError> {
        let (program, version) = find_server()?;
        let folder = &options.folder;
        fs::create_dir_all(folder).map_err(|error| FleetError::file(folder, error))?;
        let folder = fs::canonicalize(folder).map_err(|error| FleetError::file(folder, error))?;
        // The token is in it.
        make_private(&folder).map_err(|error| FleetError::file(&folder, error))?;
        // A token that all workers had is not what the operator of a server with keys has alone, nor the other way round.
        let secret = if options.keys.is_some() { "operator-secret" } else { "token" };
        let token = remembered(&folder, secret, || Ok(fresh_name()))?;
        let port = match options.port {
            Some(port) => port,
            None => free_port(&options.host, &folder)?,
        };
        write_secret(&folder.join("port"), &port.to_string())?;
        let log = folder.join("server.log");
        let (certificates, workers) = match &options.keys {
            Some(_) => (secure(options, &folder, (port, &token))?, worker_keys(&folder)),
            None => {
                // A key that was made for what this folder had before leads nowhere.
                for name in [NEAR_KEY, OPERATOR_KEY] {
                    let _ = fs::remove_file(folder.join(name));
                }
                Default::default()
            }
        };
        let _ = fs::remove_file(folder.join(ADDRESS));
        let secured = options.keys.as_ref().map(|_| Secured {
            certificate: &certificates[0],
            key: &certificates[1],
            workers: &workers,
        });
        let host = bracketed(&options.host);
        let place = (host.as_str(), port);
        let config = configuration(place, &token, secured.as_ref(), &folder.join("store"), &log);
        let config_file = folder.join("nats.conf");
        write_secret(&config_file, &config)?;
        let mut command = Command::new(&program);
        command.arg("-c").arg(&config_file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = ProcessTree::spawn(&mut command)
            .map_err(|error| FleetError::Start(format!("{}: {error}", program.display())))?;
        let near_key = options.keys.as_ref().map(|_| folder.join(NEAR_KEY));
        let address = match &near_key {
            Some(key) => Key::server(key)?,
            None => ServerAddress { token: Some(token), ..ServerAddress::new(bracketed(&options.near()), port) },
        };
        let mut server = NatsServer { process, address, program, version, log, near_key };
        server.wait_until_ready()?;
        if !server.has_keys() {
            write_secret(&folder.join(ADDRESS), &server.url())?;
        }
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> Result<(), FleetError> {
        let began = Instant::now();
        let place = (self.address.host.trim_matches(['[', ']']), self.address.port);
        while began.elapsed() < START {
            if self.process.has_ended() {
                return Err(FleetError::Start(format!(
                    "it ended at once; its log {} ends with {}",
                    self.log.display(),
                    self.tail()
                )));
            }
            let mut places = place.to_socket_addrs().into_iter().flatten();
            if places.any(|place| TcpStream::connect_timeout(&place, Duration::from_secs(1)).is_ok()) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(FleetError::Start(format!(
            "it did not listen within {} s; its log ends with {}",
            START.as_secs(),
            self.tail()
        )))
    }

    /// The last lines of its log, on one line.
    fn tail(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let start = text.char_indices().rev().nth(TAIL).map_or(0, |(at, _)| at);
        let lines: Vec<&str> = text[start..].lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if lines.is_empty() { "nothing".into() } else { lines[lines.len().saturating_sub(3)..].join(" | ") }
    }

    /// Its address with the token, or the file of a key, as workers and commands of this machine take it.
    pub fn url(&self) -> String {
        match &self.near_key {
            Some(key) => key.display().to_string(),
            None => self.address.with_token(),
        }
    }

    /// What workers of this machine are given: an address without the token, or the file of a key.
    pub(crate) fn near(&self) -> String {
        if self.near_key.is_some() { self.url() } else { self.place() }
    }

    /// Whether each worker needs a key of its own.
    pub(crate) fn has_keys(&self) -> bool {
        self.near_key.is_some()
    }

    /// The token that it wants.
    pub(crate) fn token(&self) -> &str {
        self.address.token.as_deref().unwrap_or("")
    }

    /// Its address without the token.
    pub fn place(&self) -> String {
        self.address.to_string()
    }

    /// The program that runs, and its version.
    pub fn program(&self) -> (&Path, &str) {
        (&self.program, &self.version)
    }

    /// A watch over the disk of `folder`, where its store is.
    pub(crate) fn disk(&self, folder: &Path) -> DiskWatch {
        DiskWatch::new(folder, &self.log)
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Whether it has ended, which it should not.
    pub fn has_ended(&mut self) -> bool {
        self.process.has_ended()
    }
}

/// Makes the certificates of a server, and the keys with which everything may be done, from elsewhere and from here; the files of the
/// certificate and its key. Keys of workers are told of another address.
fn secure(options: &ServerOptions, folder: &Path, (port, token): (u16, &str)) -> Result<[PathBuf; 2], FleetError> {
    let hosts = options.hosts();
    let authority = certificates(folder, &hosts)?;
    let key = |host: &str| Key {
        address: format!("tls://{}:{port}", bracketed(host)),
        name: OPERATOR.into(),
        secret: token.to_string(),
        authority: authority.clone(),
    };
    let operator = key(&hosts[0]);
    key(&options.near()).write(&folder.join(NEAR_KEY))?;
    operator.write(&folder.join(OPERATOR_KEY))?;
    for known in worker_keys(folder) {
        if known.address != operator.address || known.authority != authority {
            make_key(folder, &known.name)?;
        }
    }
    Ok(CERTIFICATES.map(|name| folder.join(name)))
}

#[cfg(feature = "nats")]
use crate::certificate::{SERVER as CERTIFICATES, make_certificates as certificates};

/// The files of the certificate and its key.
#[cfg(not(feature = "nats"))]
const CERTIFICATES: [&str; 2] = ["server.pem", "server-key.pem"];

#[cfg(not(feature = "nats"))]
fn certificates(_: &Path, _: &[String]) -> Result<String, FleetError> {
    Err(FleetError::NotBuilt)
}

/// A host as it stands before a port: addresses of IPv6 in brackets.
fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_string() }
}

/// A word that is kept in the folder.
fn remembered(
    folder: &Path,
    name: &str,
    make: impl FnOnce() -> Result<String, FleetError>,
) -> Result<String, FleetError> {
    let path = folder.join(name);
    if let Ok(word) = fs::read_to_string(&path)
        && !word.trim().is_empty()
    {
        return Ok(word.trim().to_string());
    }
    let word = make()?;
    write_secret(&path, &word)?;
    Ok(word)
}

/// The port that the server had before, so that workers elsewhere find it again; where that stays taken, any that is free.
fn free_port(host: &str, folder: &Path) -> Result<u16, FleetError> {
    let is_free = |port: &u16| TcpListener::bind((host, *port)).is_ok();
    let before = fs::read_to_string(folder.join("port")).ok().and_then(|word| word.trim().parse::<u16>().ok());
    if let Some(port) = before {
        let began = Instant::now();
        while began.elapsed() < PORT_PATIENCE {
            if is_free(&port) {
                return Ok(port);
            }
            thread::sleep(Duration::from_millis(100));
        }
    }
    let mut random = Sha256::digest(fresh_name());
    for _ in 0..PORT_TRIES {
        let port = PORTS.start + u16::from_be_bytes([random[0], random[1]]) % (PORTS.end - PORTS.start);
        if is_free(&port) {
            return Ok(port);
        }
        random = Sha256::digest(random);
    }
    let listener = TcpListener::bind((host, 0)).and_then(|listener| listener.local_addr());
    listener.map(|address| address.port()).map_err(|error| FleetError::Start(format!("{host}: no free port: {error}")))
}

/// The program `nats-server` of a usable version, and that version: the one that `TESUJI_NATS_SERVER` names, or else in the folders of
/// `PATH`, or where `pip` put it.
///
/// # Errors
/// When there is none, with where it was looked for.
pub fn find_server() -> Result<(PathBuf, String), FleetError> {
    let mut looked = Vec::new();
    let mut found = |path: PathBuf| match version_of(&path) {
        Some(version) if is_new_enough(&version) => Some((path, version)),
        Some(version) => {
            looked.push(format!("{} is {version}", path.display()));
            None
        }
        None => {
            looked.push(format!("{} says no version", path.display()));
            None
        }
    };
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let usable = found(PathBuf::from(path));
        return usable.ok_or_else(|| FleetError::NoProgram { looked: format!("{VARIABLE}: {}", looked.join(", ")) });
    }
    // Python is asked only where PATH has none.
    let of_python = std::iter::once_with(python_folders).flatten().map(|folder| folder.join(PROGRAM));
    let candidates = find_program(PROGRAM).into_iter().chain(of_python);
    let usable = candidates.filter(|path| path.is_file()).find_map(&mut found);
    usable.ok_or_else(|| {
        looked.push("looked in the folders of PATH and of Python's packages".into());
        FleetError::NoProgram { looked: looked.join(", ") }
    })
}

/// Folders in which `pip` puts programs.
fn python_folders() -> Vec<PathBuf> {
    const SCRIPT: &str = "import os, site, sysconfig\n\
        print(sysconfig.get_path('scripts'))\n\
        print(os.path.join(site.getuserbase(), 'bin'))\n\
        for folder in [*site.getsitepackages(), site.getusersitepackages()]: print(os.path.join(folder, 'bin'))";
    let python = env::var_os("TESUJI_PYTHON").unwrap_or_else(|| "python3".into());
    let out = Command::new(python).args(["-c", SCRIPT]).stdin(Stdio::null()).stderr(Stdio::null()).output();
    let text = out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default();
    text.lines().map(PathBuf::from).collect()
}

/// The version that a program of NATS says it is.
fn version_of(program: &Path) -> Option<String> {
    let out = Command::new(program).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let version = text.trim().strip_prefix("nats-server: v")?;
    Some(version.to_string())
}

/// Whether a server of this version can be used.
pub(crate) fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.split(['.', '-']).map_while(|part| part.parse::<u64>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= VERSION_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_servers_are_refused() {
        for (version, is_fine) in [
            ("2.9.10", false),
            ("2.10.0", true),
            ("2.15.1", true),
            ("2.10.0-beta.1", true),
            ("3.0.0", true),
            ("1.99.0", false),
            ("", false),
            ("2", false),
        ] {
            assert_eq!(is_new_enough(version), is_fine, "{version}");
        }
    }
}
