//! A sandbox for programs of others: bubblewrap, where Linux has it, with a file system that is read-only, without network and away from other processes.
//!
//! Nothing is kept in until [`contain_programs`] is called, once in a process. From then on [`contained`] turns a command into one that starts the same program
//! in the sandbox; [`ProcessTree`](crate::ProcessTree) sees through it, so that numbers of processes, exit codes and signals are those of the program.

use crate::find_program;
use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// The program that makes the sandbox.
const BUBBLEWRAP: &str = "bwrap";
/// The program of util-linux that limits memory.
const LIMITER: &str = "prlimit";
/// Folders that a program has for itself alone, empty at its start.
const PRIVATE: [&str; 3] = ["/tmp", "/var/tmp", "/run"];
/// What of `/run` programs need where it is there.
const OF_RUN: [&str; 2] = ["/run/current-system", "/run/opengl-driver"];
/// What of `/run` finds the addresses of hosts: sockets to ask over, which a program without network must not have.
const NAMES: [&str; 2] = ["/run/systemd/resolve", "/run/nscd"];
/// The file that says whom to ask for addresses; often a link into `/run`.
const RESOLVER: &str = "/etc/resolv.conf";
/// Secrets that people keep in their home folder.
const OF_HOME: [&str; 10] = [
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".docker",
    ".kube",
    ".netrc",
    ".git-credentials",
    ".config/gh",
    ".cargo/credentials.toml",
];
/// Devices of cards that compute: names in `/dev` begin so.
const CARDS: [&str; 3] = ["nvidia", "dri", "kfd"];
/// The working folder of a program that is given none.
const WORK: &str = "/tmp";
/// The home folder of every program: empty, and gone when it ends.
const HOME: &str = "/tmp/home";
/// Where tools look below `HOME` for what is installed there: variables that name the place, since the home folder is another.
const TOOLS: [(&str, &str); 3] = [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup"), ("PYTHONUSERBASE", ".local")];
/// Variables that name folders of the home folder.
const BESIDE_HOME: [&str; 5] =
    ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

/// What a sandbox lets through.
#[derive(Debug, Clone, Default)]
pub struct SandboxRules {
    /// Whether programs may use the network.
    pub network: bool,
    /// MiB of memory of its own that each process may have; `None`: no limit.
    pub memory_mib: Option<u64>,
    /// Files and folders that nobody in it sees.
    pub hidden: Vec<PathBuf>,
    /// Files and folders in such ones that are seen all the same.
    pub shown: Vec<PathBuf>,
}

/// A sandbox that was tried and works.
#[derive(Debug, Clone)]
pub struct Sandbox {
    bubblewrap: PathBuf,
    version: String,
    limiter: Option<PathBuf>,
    rules: SandboxRules,
}

/// What becomes of a path in the sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mount {
    Hidden,
    Shown,
    Writable,
}

impl Sandbox {
    /// Looks for bubblewrap and starts a program in it: containers often refuse what it needs.
    ///
    /// # Errors
    /// In words, why there is no sandbox here.
    pub fn find(rules: SandboxRules) -> Result<Sandbox, String> {
        if !cfg!(target_os = "linux") {
            return Err("bubblewrap is for Linux alone".into());
        }
        let bubblewrap = find_program(BUBBLEWRAP)
            .ok_or_else(|| format!("no {BUBBLEWRAP} in the folders of PATH; install the package bubblewrap"))?;
        let limiter = match rules.memory_mib {
            Some(_) => Some(find_program(LIMITER).ok_or_else(|| {
                format!(
                    "a limit of memory needs {LIMITER}, which the folders of PATH lack; install the package util-linux"
                )
            })?),
            None => None,
        };
        let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_string();
        let told = Command::new(&bubblewrap).arg("--version").stdin(Stdio::null()).output();
        let told = told.map_err(|error| format!("{}: {error}", bubblewrap.display()))?;
        let version = words(&told.stdout).rsplit(' ').next().unwrap_or_default().to_string();
        let sandbox = Sandbox { bubblewrap, version, limiter, rules };
        let mut trial = sandbox.command(Command::new("/bin/sh"), &[], &[]);
        let out = trial.args(["-c", ":"]).stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
        if out.status.success() {
            return Ok(sandbox);
        }
        let said = words(&out.stderr);
        let said = said.lines().next().unwrap_or("it says nothing").to_string();
        Err(format!("bubblewrap {} does not work here: {said}", sandbox.version))
    }

    /// What it is, in words.
    pub fn words(&self) -> String {
        let network = if self.rules.network { "with network" } else { "no network" };
        let memory = self.rules.memory_mib.map_or_else(String::new, |mib| format!(", {mib} MiB a process"));
        format!("bubblewrap {}, {network}{memory}", self.version)
    }

    /// The command that starts a program with its arguments, environment and folder in the sandbox. It may write to that folder, to `writable`, and to a folder for
    /// temporary files that nobody else sees, in which it begins where it has no folder. It may read `readable` also where that is hidden. Its home folder is an empty
    /// one. Its streams are still to be chosen.
    pub fn command(&self, command: Command, writable: &[&Path], readable: &[&Path]) -> Command {
        let mut wrapped = Command::new(&self.bubblewrap);
        wrapped.envs(tools_of(&home_folder(), |name| std::env::var_os(name).is_some())).env("HOME", HOME);
        for name in BESIDE_HOME {
            wrapped.env_remove(name);
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => wrapped.env(name, value),
                None => wrapped.env_remove(name),
            };
        }
        wrapped.env("TMPDIR", WORK);
        wrapped.args(["--unshare-user-try", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]);
        if !self.rules.network {
            wrapped.arg("--unshare-net");
        }
        // Without a new session a program could type into the terminal of the worker.
        wrapped.args(["--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
        wrapped.args(["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]);
        for device in cards_of_devices(Path::new("/dev")) {
            wrapped.arg("--dev-bind-try").args([&device, &device]);
        }
        for folder in PRIVATE.iter().filter(|folder| is_plain_folder(Path::new(folder))) {
            wrapped.args(["--tmpfs", folder]);
        }
        if is_plain_folder(Path::new(WORK)) {
            wrapped.args(["--dir", HOME]);
        }
        let names = NAMES.iter().map(PathBuf::from).chain(fs::canonicalize(RESOLVER));
        let names = names.filter(|_| self.rules.network);
        for path in OF_RUN.iter().map(PathBuf::from).chain(names) {
            wrapped.arg("--ro-bind-try").args([&path, &path]);
        }
        let program = PathBuf::from(command.get_program());
        for (path, mount) in self.mounts(&program, command.get_current_dir(), (writable, readable)) {
            match mount {
                Mount::Hidden if path.is_dir() => wrapped.arg("--tmpfs").arg(&path),
                Mount::Hidden => wrapped.args(["--ro-bind", "/dev/null"]).arg(&path),
                Mount::Shown => wrapped.arg("--ro-bind").args([&path, &path]),
                Mount::Writable => wrapped.arg("--bind").args([&path, &path]),
            };
        }
        wrapped.arg("--chdir").arg(command.get_current_dir().unwrap_or(Path::new(WORK)));
        wrapped.arg("--");
        if let (Some(limiter), Some(mib)) = (&self.limiter, self.rules.memory_mib) {
            wrapped.arg(limiter).arg(format!("--data={}", mib << 20)).arg("--");
        }
        wrapped.arg(&program).args(command.get_args());
        // The sandbox itself starts where everybody may be.
        wrapped.current_dir("/");
        wrapped
    }

    /// What becomes of which path, outer folders first.
    fn mounts(
        &self,
        program: &Path,
        folder: Option<&Path>,
        (writable, readable): (&[&Path], &[&Path]),
    ) -> Vec<(PathBuf, Mount)> {
        let home = home_folder();
        let of_home = home.iter().flat_map(|home| OF_HOME.iter().map(|name| home.join(name)));
        let hidden = self.rules.hidden.iter().cloned().chain(of_home).map(|path| (path, Mount::Hidden));
        let shown = self.rules.shown.iter().cloned().chain(program.is_absolute().then(|| program.to_path_buf()));
        let shown = shown.chain(readable.iter().map(|path| path.to_path_buf())).map(|path| (path, Mount::Shown));
        let writable = writable.iter().copied().chain(folder).map(|path| (path.to_path_buf(), Mount::Writable));
        let all = hidden.chain(shown).chain(writable);
        // What is not there needs nothing, and what is meant is the place where links lead.
        let mut all: Vec<_> = all.filter_map(|(path, mount)| Some((fs::canonicalize(path).ok()?, mount))).collect();
        // A program is started by the name that it was given: in a private folder it has that name as well.
        let is_private = |path: &Path| PRIVATE.iter().any(|folder| path.starts_with(folder));
        if program.is_absolute() && program.exists() && is_private(program) {
            all.push((program.to_path_buf(), Mount::Shown));
        }
        let covered: Vec<_> =
            all.iter().filter(|(_, mount)| *mount == Mount::Hidden).map(|(path, _)| path.clone()).collect();
        let is_covered = |path: &Path| is_private(path) || covered.iter().any(|folder| path.starts_with(folder));
        all.retain(|(path, mount)| *mount != Mount::Shown || is_covered(path));
        all.sort_by_key(|(path, mount)| (path.components().count(), *mount));
        all.dedup();
        all
    }
}

/// The home folder of this process.
fn home_folder() -> Option<PathBuf> {
    std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute())
}

/// The variables by which tools find what is installed in `home`, where no variable says so yet.
fn tools_of(home: &Option<PathBuf>, is_set: impl Fn(&str) -> bool) -> Vec<(&'static str, PathBuf)> {
    let places = home.iter().flat_map(|home| TOOLS.map(|(name, folder)| (name, home.join(folder))));
    places.filter(|(name, folder)| !is_set(name) && folder.is_dir()).collect()
}

/// Whether this is a folder, and no link to one.
fn is_plain_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

fn cards_of_devices(devices: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(devices).into_iter().flatten().flatten();
    let is_card = |name: &OsStr| name.to_str().is_some_and(|name| CARDS.iter().any(|card| name.starts_with(card)));
    let mut found: Vec<_> = entries.filter(|entry| is_card(&entry.file_name())).map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// How this process starts programs of others.
#[derive(Debug, Default)]
pub struct Containment {
    /// What they run in, if in anything.
    pub sandbox: Option<Sandbox>,
    /// Variables of the environment that they are not given.
    pub secrets: Vec<OsString>,
}

impl Containment {
    /// The command in `sandbox`, where there is one, without the secrets.
    fn start(
        &self,
        sandbox: Option<&Sandbox>,
        mut command: Command,
        (writable, readable): (&[&Path], &[&Path]),
    ) -> Command {
        for name in &self.secrets {
            command.env_remove(name);
        }
        match sandbox {
            // What is not there is told by the attempt to start it.
            Some(sandbox) if is_there(command.get_program()) => sandbox.command(command, writable, readable),
            _ => command,
        }
    }
}

static CONTAINMENT: OnceLock<Containment> = OnceLock::new();

/// Says how programs of others are started from now on; the first word of a process counts.
pub fn contain_programs(containment: Containment) {
    let _ = CONTAINMENT.set(containment);
}

/// What programs of others run in, if in anything.
pub fn sandbox() -> Option<&'static Sandbox> {
    CONTAINMENT.get()?.sandbox.as_ref()
}

/// Whether programs of others have no network.
pub fn is_without_network() -> bool {
    sandbox().is_some_and(|sandbox| !sandbox.rules.network)
}

/// The command as programs of others are to be started: itself, or one that does it in the sandbox, where the program may write to its folder and to `writable`, and
/// read `readable` as well. The streams of the command are chosen after this.
///
/// # Examples
/// ```
/// use std::process::Command;
/// // Nobody asked for a sandbox.
/// assert_eq!(tesuji_system::contained(Command::new("engine"), &[], &[]).get_program(), "engine");
/// ```
pub fn contained(command: Command, writable: &[&Path], readable: &[&Path]) -> Command {
    match CONTAINMENT.get() {
        Some(containment) => containment.start(containment.sandbox.as_ref(), command, (writable, readable)),
        None => command,
    }
}

/// As [`contained`], with network: for a trusted program that fetches what a program of others needs.
pub fn contained_online(command: Command, writable: &[&Path], readable: &[&Path]) -> Command {
    let Some(containment) = CONTAINMENT.get() else { return command };
    let online = containment.sandbox.clone().map(|sandbox| {
        let rules = SandboxRules { network: true, ..sandbox.rules };
        Sandbox { rules, ..sandbox }
    });
    containment.start(online.as_ref(), command, (writable, readable))
}

fn is_there(program: &OsStr) -> bool {
    let path = Path::new(program);
    if path.components().count() > 1 {
        path.exists()
    } else {
        program.to_str().is_some_and(|n| find_program(n).is_some())
    }
}

/// Whether a command starts its program in a sandbox.
pub(crate) fn is_contained(command: &Command) -> bool {
    Path::new(command.get_program()).ends_with(BUBBLEWRAP)
}

/// The process of the program in the sandbox that the process `outer` made: the innermost one; `None` while it is not there.
pub(crate) fn inner_process(outer: u32) -> Option<u32> {
    let mut process = outer;
    loop {
        let name = fs::read_to_string(format!("/proc/{process}/comm")).ok()?;
        if name.trim_end() != BUBBLEWRAP {
            return Some(process);
        }
        let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
        process = children.split_ascii_whitespace().next()?.parse().ok()?;
    }
}

/// The status of the program, from that of its sandbox: which has the shell's numbers for signals.
#[cfg(unix)]
pub(crate) fn inner_status(status: std::process::ExitStatus) -> std::process::ExitStatus {
    use std::os::unix::process::ExitStatusExt;
    match status.code() {
        Some(code @ 129..=192) => std::process::ExitStatus::from_raw(code - 128),
        _ => status,
    }
}

/// Elsewhere there are no sandboxes.
#[cfg(not(unix))]
pub(crate) fn inner_status(status: std::process::ExitStatus) -> std::process::ExitStatus {
    status
}
