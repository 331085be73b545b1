//! The results of a request: versions found, built or listed, and the command that plays them against each other.

use crate::manifest::{ManifestEntry, VersionStore};
use crate::revision::Version;
use std::fmt::Write as _;
use std::path::PathBuf;

/// A version that would be built.
#[derive(Debug)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// Hash, day and subject of its commit.
    pub about: String,
    /// The tool that would build it, or why there is none.
    pub tool: Result<&'static str, anyhow::Error>,
}

/// The result for a version.
#[derive(Debug)]
pub enum BuildOutcome {
    /// It was built, in this many seconds.
    Built(f64),
    /// It was there already.
    Present,
    /// It did not build.
    Failed(anyhow::Error),
    /// It was stopped before its end.
    Stopped,
}

/// A version after building.
#[derive(Debug)]
pub struct BuiltVersion {
    /// Its name.
    pub name: String,
    /// Hash, day and subject of its commit.
    pub about: String,
    /// The result.
    pub outcome: BuildOutcome,
    /// The path of its program.
    pub program: PathBuf,
    /// The size of its program in bytes; `None` where there is none.
    pub bytes: Option<u64>,
    /// The name of an earlier version of the same request with the same program, byte for byte.
    pub twin: Option<String>,
    /// The output of its build, where there was some.
    pub log: Option<PathBuf>,
}

/// The result of a request.
#[derive(Debug)]
pub struct Built {
    /// The versions, in their order.
    pub versions: Vec<BuiltVersion>,
    /// The command that plays those that are there; `None` where there are none.
    pub match_command: Option<String>,
}

impl Built {
    /// What became of the versions and how to play them, as text, and what is wrong with those that are not there.
    pub fn told(&self) -> (String, String) {
        let (mut told, mut faults) = (String::new(), String::new());
        for version in &self.versions {
            let (name, about) = (&version.name, &version.about);
            let _ = match (&version.outcome, version.bytes) {
                (BuildOutcome::Built(_) | BuildOutcome::Present, Some(bytes)) => {
                    let how = match version.outcome {
                        BuildOutcome::Built(seconds) => format!("built in {seconds:.1} s"),
                        _ => "built before".to_string(),
                    };
                    let mib = bytes as f64 / f64::from(1 << 20);
                    writeln!(told, "{}: {about}, {how}, {mib:.1} MiB", version.program.display())
                }
                (BuildOutcome::Failed(error), _) => {
                    let _ = writeln!(faults, "tesuji: {name} ({about}) did not build: {error:#}");
                    let log = version.log.as_ref();
                    log.map_or(Ok(()), |log| writeln!(faults, "  all of its output: {}", log.display()))
                }
                _ => writeln!(faults, "tesuji: {name} ({about}) was not built: stopped"),
            };
        }
        for version in &self.versions {
            if let Some(twin) = &version.twin {
                let _ = writeln!(told, "{} and {twin} are the same program, byte for byte", version.name);
            }
        }
        if let Some(command) = &self.match_command {
            let _ = writeln!(told, "next: {command}");
        }
        (told, faults)
    }
}

/// A version of a folder.
#[derive(Debug)]
pub struct Listed {
    /// The path of its program.
    pub program: PathBuf,
    /// Hash, day and subject of its commit, and how it was built.
    pub about: String,
}

/// The versions of a folder.
#[derive(Debug)]
pub struct Listing {
    /// The versions, by name.
    pub versions: Vec<Listed>,
    /// The command that plays them.
    pub match_command: String,
}

/// A version in a few words: hash, day, subject.
pub(crate) fn about(version: &Version) -> String {
    let commit = &version.commit;
    format!("{} {} \"{}\"", commit.short(), commit.date, shown(&commit.subject))
}

/// A version of a manifest in a few words.
pub(crate) fn about_entry(entry: &ManifestEntry) -> String {
    let short: String = entry.source.commit.chars().take(10).collect();
    let flags = [(entry.uncommitted, ", not committed"), (entry.source.pgo, ", pgo")];
    let flags: String = flags.into_iter().filter(|(is_set, _)| *is_set).map(|(_, flag)| flag).collect();
    format!("{short} {} \"{}\"{flags}", entry.date, shown(&entry.subject))
}

/// The subject of a commit: who wrote it may not steer a terminal by it.
fn shown(subject: &str) -> String {
    subject.chars().filter(|c| !c.is_control()).take(60).collect()
}

/// The command that plays versions against each other, as a shell takes it.
pub(crate) fn match_command(store: &VersionStore, ready: &[(&str, &ManifestEntry)]) -> String {
    let inner = |text: &str| {
        if text.contains(char::is_whitespace) || text.is_empty() { format!("\"{text}\"") } else { text.to_string() }
    };
    let mut words = vec!["tesuji match".to_string()];
    for (name, entry) in ready {
        let program = store.program(name);
        // In a folder of its own it would look for a relative path there.
        let program = if entry.has_files { std::path::absolute(&program).unwrap_or(program) } else { program };
        let program = program.display().to_string();
        let mut spec = format!("name={name} {}", inner(&format!("cmd={program}")));
        if !entry.start.is_empty() {
            spec += &format!(" {}", inner(&format!("args={}", entry.start)));
        }
        if entry.has_files {
            spec += &format!(" {}", inner(&format!("dir={}", store.files(name).display())));
        }
        words.push(format!("--engine {}", tesuji_jobs::words::quoted(&spec)));
    }
    if ready.len() == 1 {
        words.push("--engine self".into());
    }
    words.push("--tc 1+0.01 --games 1000".into());
    words.join(" ")
}
