//! A whole fleet on one machine: a server, and workers as processes of their own, started again when they die.

use crate::{
    Fleet, FleetError, LeaseTiming, NatsServer, SandboxOptions, ServerOptions,
    disk::{DiskNews, DiskWatch},
    error::make_folder,
    key::{KEYS, Key, OPERATOR_KEY, TOKEN_VARIABLE, worker_keys},
};
use std::{
    collections::VecDeque,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{ChildStdin, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{Interrupt, ProcessTree, lock_folder};
use tesuji_system::{Ending, SandboxRules, ending};

/// Between two looks at processes.
const LOOK: Duration = Duration::from_millis(200);
/// Between two looks at the keys of workers, and at the disk of the server.
const LOOK_AT_FILES: Duration = Duration::from_secs(1);
/// Before a worker that died is started again: first, and at most.
const PAUSE: [Duration; 2] = [Duration::from_secs(1), Duration::from_secs(60)];
/// A worker that lived so long died of something new.
const HEALTHY: Duration = Duration::from_secs(300);
/// How long workers have for their farewell.
const FAREWELL: Duration = Duration::from_secs(15);
/// Lines of a dead worker that are kept.
const LINES: usize = 30;

/// A fleet on this machine.
#[derive(Debug, Clone)]
pub struct UpOptions {
    /// The server.
    pub server: ServerOptions,
    /// How many workers.
    pub workers: usize,
    /// This program, which is started once for each worker.
    pub program: PathBuf,
    /// How its workers keep programs of others in.
    pub sandbox: SandboxOptions,
}

/// A worker's process.
struct Child {
    name: String,
    process: Option<(ProcessTree, Option<ChildStdin>)>,
    /// Its last lines on stderr.
    said: Arc<Mutex<VecDeque<String>>>,
    started: Instant,
    pause: Duration,
}

impl Child {
    fn start(&mut self, options: &UpOptions, server: &NatsServer) -> Result<(), FleetError> {
        let folder = options.server.folder.join("workers");
        let job = folder.join(&self.name).join("job");
        std::fs::create_dir_all(&job).map_err(|error| FleetError::file(&job, error))?;
        let mut command = Command::new(&options.program);
        command.arg("--job-control").arg(&job).args(["fleet", "worker", &server.near(), "--name", &self.name]);
        command.arg("--folder").arg(&folder).args(options.sandbox.words());
        if !server.has_keys() {
            command.env(TOKEN_VARIABLE, server.token());
        }
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut process = ProcessTree::spawn(&mut command).map_err(|error| {
            FleetError::Start(format!("worker {}: {}: {error}", self.name, options.program.display()))
        })?;
        if let Some(errors) = process.take_errors() {
            let (said, name) = (self.said.clone(), self.name.clone());
            let listen = move || {
                for line in BufReader::new(errors).lines().map_while(Result::ok) {
                    tesuji_jobs::terminal::eprint(format_args!("{name}: {line}\n"));
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    if said.len() == LINES {
                        said.pop_front();
                    }
                    said.push_back(line);
                }
            };
            // Without the thread the worker's words are lost, and nothing else.
            let _ = thread::Builder::new().name(format!("stderr-{}", self.name)).spawn(listen);
        }
        let input = process.take_input();
        self.process = Some((process, input));
        self.started = Instant::now();
        Ok(())
    }

    /// How it ended, once it has.
    fn end(&mut self) -> Option<Ending> {
        let (process, _) = self.process.as_mut()?;
        let status = process.exit_status()?;
        self.process = None;
        Some(ending(status))
    }
}

/// Runs a server and workers until `stop` is raised or `tesuji fleet stop` asks for the end. `tell` is told what people should know.
///
/// # Errors
/// When the folder is in use, or the server or the first worker cannot be started.
pub fn run_up(options: &UpOptions, stop: &Interrupt, tell: &mut dyn FnMut(&str)) -> Result<(), FleetError> {
    let folder = &options.server.folder;
    make_folder(folder)?;
    let lock = lock_folder(folder).map_err(|error| FleetError::file(folder, error))?;
    let _lock = lock.ok_or_else(|| FleetError::Taken { folder: folder.clone() })?;
    let (_, sandbox) = options.sandbox.find(SandboxRules::default())?;
    // Read before the server reads them: one that is made meanwhile has it started again, and none is missed.
    let (mut keys, mut looked) = (keys_of(options), Instant::now());
    let mut server = NatsServer::start(&options.server)?;
    let fleet = connect(&server, folder, stop)?;
    fleet.stop(None, false)?;
    let (program, version) = server.program();
    tell(&format!("server: {} {version}, store in {}", program.display(), folder.display()));
    introduce(&server, folder, tell);
    tell(&sandbox);
    let new = |number| Child {
        name: format!("local-{number}"),
        process: None,
        said: Arc::default(),
        started: Instant::now(),
        pause: PAUSE[0],
    };
    let mut children: Vec<Child> = (1..=options.workers).map(new).collect();
    for child in &mut children {
        child.start(options, &server)?;
    }
    let mut disk = server.disk(folder);
    while !stop.is_raised() && !fleet.is_stopped() {
        let (mut now, mut has_room) = (keys.clone(), false);
        if looked.elapsed() >= LOOK_AT_FILES {
            (now, looked) = (keys_of(options), Instant::now());
            has_room = look_at_disk(&mut disk, folder, tell);
        }
        let why = match (server.has_ended(), now != keys, has_room) {
            (true, ..) => Some("the server ended"),
            (_, true, _) => Some("keys were made or taken back"),
            (.., true) => Some("the server's disk was full and has room again"),
            _ => None,
        };
        if let Some(why) = why {
            tell(&format!("{why}; the server is started again, and what was not committed is done again"));
            keys = now;
            drop(server);
            server = start_again(options, stop, tell)?;
            disk = server.disk(folder);
        }
        for child in &mut children {
            look_after(child, options, &server, &fleet, tell);
        }
        thread::sleep(LOOK);
    }
    let why = if stop.is_raised() { "stopped here" } else { "stopped by `tesuji fleet stop --all`" };
    tell(&format!("{why}: workers and server end; `tesuji fleet up` goes on with what there is"));
    farewell(&mut children);
    Ok(())
}

/// Whether the server must be started again since its disk was full and has room now; says where it has none.
fn look_at_disk(disk: &mut DiskWatch, folder: &Path, tell: &mut dyn FnMut(&str)) -> bool {
    let news = disk.look();
    if news == Some(DiskNews::Full) {
        let place = folder.display();
        tell(&format!(
            "{place}: the disk is full, and the server takes nothing; everybody waits, and nothing is lost: make some room on it"
        ));
    }
    news == Some(DiskNews::HasRoom)
}

/// Says where the fleet is, and what to do with it.
fn introduce(server: &NatsServer, folder: &Path, tell: &mut dyn FnMut(&str)) {
    if !server.has_keys() {
        let place = server.place();
        tell(&format!("fleet:  {}", server.url()));
        // One line has the token; what is copied into scripts and logs has none.
        tell(&format!(
            "                (who has the token before the @ has the fleet; commands find it in {TOKEN_VARIABLE}, too)"
        ));
        tell(&format!("run on it:      tesuji match … --fleet {place}"));
        tell(&format!("join it:        tesuji fleet worker {place}   (this machine, or one that reaches it)"));
        tell(&format!("look and end:   tesuji fleet status {place}; tesuji fleet stop {place} --all; or Ctrl-C here"));
        return;
    }
    let key = folder.join(OPERATOR_KEY);
    let (key, keys) = (key.display(), folder.join(KEYS));
    let address = Key::read(&folder.join(OPERATOR_KEY)).map(|key| key.address).unwrap_or_default();
    tell(&format!("fleet:  {address}, encrypted; each worker has a key of its own"));
    tell(&format!("                (who has {key} has the fleet)"));
    tell(&format!("run on it:      tesuji match … --fleet {key}"));
    tell(&format!(
        "join it:        tesuji fleet key NAME --folder {}; copy {} to the worker's machine; there: tesuji fleet worker NAME.key",
        folder.display(),
        keys.join("NAME.key").display()
    ));
    tell(&format!("look and end:   tesuji fleet status {key}; tesuji fleet stop {key} --all; or Ctrl-C here"));
}

/// The keys that workers have, with their secrets: those that the server must know.
fn keys_of(options: &UpOptions) -> Vec<(String, String)> {
    if options.server.keys.is_none() {
        return Vec::new();
    }
    worker_keys(&options.server.folder).into_iter().map(|key| (key.name, key.secret)).collect()
}

/// Starts the server again at its port. Workers wait for it: where it does not start, it is told and tried again.
fn start_again(options: &UpOptions, stop: &Interrupt, tell: &mut dyn FnMut(&str)) -> Result<NatsServer, FleetError> {
    let again = ServerOptions { port: Some(fleet_port(&options.server.folder)?), ..options.server.clone() };
    let mut pause = PAUSE[0];
    loop {
        match NatsServer::start(&again) {
            Err(error) if !stop.is_raised() => {
                tell(&format!("{error}; it is tried again in {} s", pause.as_secs()));
                let told = Instant::now();
                while told.elapsed() < pause && !stop.is_raised() {
                    thread::sleep(LOOK);
                }
                pause = (2 * pause).min(PAUSE[1]);
            }
            started => return started,
        }
    }
}

/// The port that the server listens on, as its folder remembers it.
fn fleet_port(folder: &Path) -> Result<u16, FleetError> {
    let path = folder.join("port");
    let word = std::fs::read_to_string(&path).map_err(|error| FleetError::file(&path, error))?;
    word.trim().parse().map_err(|_| FleetError::Start(format!("{} holds no port", path.display())))
}

fn connect(server: &NatsServer, folder: &Path, stop: &Interrupt) -> Result<Fleet, FleetError> {
    Fleet::connect_with(&server.url(), stop, folder.join("workers").join("files"), LeaseTiming::default())
}

/// Starts a worker again that died, and keeps its last words where everybody finds them.
fn look_after(child: &mut Child, options: &UpOptions, server: &NatsServer, fleet: &Fleet, tell: &mut dyn FnMut(&str)) {
    if let Some(end) = child.end() {
        let end = match end {
            Ending::Code(code) => format!("exit code {code}"),
            Ending::Signal(signal) => format!("signal {signal}"),
            Ending::Error(number) => format!("error {number:#x}"),
            Ending::Unknown => "an unknown end".into(),
        };
        if child.started.elapsed() > HEALTHY {
            child.pause = PAUSE[0];
        }
        let said: Vec<String> = child.said.lock().unwrap_or_else(PoisonError::into_inner).drain(..).collect();
        let line = format!("the worker's process ended ({end}); it is started again in {} s", child.pause.as_secs());
        tell(&format!("{}: {line}", child.name));
        for line in said.iter().map(|line| format!("stderr: {line}")).chain([line]) {
            let _ = fleet.log(&child.name, &line);
        }
        child.started = Instant::now();
    } else if child.process.is_none() && child.started.elapsed() >= child.pause {
        child.pause = (child.pause * 2).min(PAUSE[1]);
        if let Err(error) = child.start(options, server) {
            tell(&error.to_string());
            child.started = Instant::now();
        }
    }
}

/// Asks workers to stop, and waits until they have given back what they had.
fn farewell(children: &mut [Child]) {
    for (_, input) in children.iter_mut().filter_map(|child| child.process.as_mut()) {
        // The end of its input means stop.
        drop(input.take());
    }
    let deadline = Instant::now() + FAREWELL;
    while Instant::now() < deadline && children.iter_mut().any(|child| child.process.is_some() && child.end().is_none())
    {
        thread::sleep(Duration::from_millis(20));
    }
}

/// The name and the folder of a worker below `folder`: `name` where it is given, else the first of `HOST`, `HOST-2`, … that no process
/// uses, so that a worker that was killed and one that takes its place have the same outbox.
///
/// # Errors
/// When the folder cannot be used, or `name` is none.
pub fn worker_place(folder: &Path, name: Option<&str>) -> Result<(String, PathBuf), FleetError> {
    if let Some(name) = name {
        crate::host::check_name(name)?;
        return Ok((name.into(), folder.join(name)));
    }
    let mut host: String =
        crate::host::host_name().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    host.truncate(50);
    for number in 1_u32.. {
        let name = if number == 1 { host.clone() } else { format!("{host}-{number}") };
        let place = folder.join(&name);
        make_folder(&place)?;
        if lock_folder(&place).map_err(|error| FleetError::file(&place, error))?.is_some() {
            return Ok((name, place));
        }
    }
    Err(FleetError::Taken { folder: folder.to_path_buf() })
}
