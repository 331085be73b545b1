//! Files of runs by their SHA-256: kept with the queue for other machines, and in a folder of this one once they were fetched.

use crate::{
    BuildOutcome, FleetError,
    built::BuildLog,
    host::instruction_sets,
    key::OPERATOR,
    queue::{QueueError, UnitQueue},
};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs::{self, File, TryLockError},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::Duration,
};
use tesuji_jobs::{
    AtomicFile, Interrupt, machine, sha256,
    units::{FileStore, ProgramSource},
};
use tesuji_system::try_lock;

pub(crate) use tesuji_jobs::sha256_of;

/// Before a server that does not answer is asked again.
const PATIENCE: Duration = Duration::from_millis(500);
/// Between two looks at whether another process still fetches files.
const LOOK: Duration = Duration::from_millis(100);

/// The files of a fleet as they are seen from this machine.
pub(crate) struct FleetFiles {
    queue: Arc<dyn UnitQueue>,
    stop: Interrupt,
    /// Where files that are fetched lie; `None` where the coordinator is in this process, so that all files are here.
    folder: Option<PathBuf>,
    /// Files that this process keeps for others, where they lay.
    kept: Mutex<BTreeMap<String, PathBuf>>,
    /// Whether programs are built at workers also where the file would serve.
    builds_always: AtomicBool,
    /// Held while a file is fetched.
    fetching: Mutex<()>,
    /// What came of versions that were to be built here.
    pub(crate) built: BuildLog,
}

/// An archive of a program's source, and the order to build it.
pub type SourceOrder = (PathBuf, String);

/// Knows how programs are built on other machines.
#[derive(Clone, Copy)]
pub struct ProgramBuilder {
    /// An archive of a program's source, written into a folder, and the order to build it; `None`: nobody knows how it is built.
    pub source: fn(program: &Path, folder: &Path) -> io::Result<Option<SourceOrder>>,
    /// Builds by an order from an archive, or finds what was built in a folder.
    pub build: fn(order: &str, archive: &Path, folder: &Path, stop: &Interrupt) -> io::Result<PathBuf>,
}

/// Who builds programs, where this program has somebody.
static BUILDER: OnceLock<ProgramBuilder> = OnceLock::new();

/// Says who builds programs from their sources.
pub fn set_program_builder(builder: ProgramBuilder) {
    let _ = BUILDER.set(builder);
}

/// The system and the family of the processor: programs of another one do not run.
fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// A folder's name for what is built for machines like this one: others may share the folder (a home folder on a network), and not all
/// instructions that a compiler takes for `native` are there. The processor's name stands for those that nobody lists.
fn this_machine() -> String {
    let processor = machine::Machine::look().processor.unwrap_or_default();
    machine_key(&system(), &instruction_sets(), &processor)
}

fn machine_key(system: &str, sets: &[String], processor: &str) -> String {
    let mut sum = sha256_of(format!("{system}\n{}\n{processor}", sets.join(" ")).as_bytes());
    sum.truncate(12);
    format!("{}-{sum}", system.replace(' ', "-"))
}

/// Whether a program that may use these instruction sets runs on a machine with those.
fn serves(source: &ProgramSource, system: &str, sets: &[String]) -> bool {
    source.system == system && source.instruction_sets.iter().all(|set| sets.contains(set))
}

impl FleetFiles {
    pub(crate) fn new(queue: Arc<dyn UnitQueue>, stop: Interrupt, folder: Option<PathBuf>) -> FleetFiles {
        FleetFiles {
            queue,
            stop,
            folder,
            kept: Mutex::default(),
            builds_always: AtomicBool::new(false),
            fetching: Mutex::default(),
            built: BuildLog::default(),
        }
    }

    /// Has programs built at workers also where the file would serve.
    pub(crate) fn build_always(&self, always: bool) {
        self.builds_always.store(always, Relaxed);
    }

    /// Puts the files that were [kept](FileStore::keep) into the queue again where it has lost them.
    pub(crate) fn put_again(&self) -> Result<(), QueueError> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (sum, path) in kept {
            if self.folder.is_none() || self.queue.has_file(&sum)? {
                continue;
            }
            let content =
                sha256(&path).and_then(|found| if found == sum { File::open(&path).map(Some) } else { Ok(None) });
            match content {
                Ok(Some(mut content)) => self.queue.put_file(&sum, &mut content)?,
                // Workers that need it say so.
                Ok(None) | Err(_) => tracing::warn!(
                    target: "fleet",
                    "{}: the fleet lost this file, and it was changed or removed here since the run began", path.display()
                ),
            }
        }
        Ok(())
    }

    /// Waits until nobody else fetches files into this folder, neither a thread of this process nor another process.
    fn alone(&self, folder: &Path) -> io::Result<(MutexGuard<'_, ()>, File)> {
        let one = self.fetching.lock().unwrap_or_else(PoisonError::into_inner);
        let lock = tesuji_jobs::open_lock_file(&folder.join("fetch.lock"))?;
        loop {
            match try_lock(&lock) {
                Err(TryLockError::WouldBlock) if self.stop.is_raised() => {
                    return Err(io::Error::new(
                        io::ErrorKind::Interrupted,
                        "stopped while another process fetched files",
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(LOOK),
                // Not every file system has locks.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok((one, lock)),
            }
        }
    }

    /// Fetches a file into the folder, and verifies it before it has its name.
    fn fetch(&self, sum: &str, path: &Path) -> io::Result<()> {
        loop {
            let mut file = AtomicFile::create(path)?;
            let mut out = Summed { hasher: Sha256::new(), file: &mut file };
            match self.queue.get_file(sum, &mut out) {
                Ok(true) => {
                    let found = digits(out.hasher);
                    if found != sum {
                        return Err(io::Error::new(
                            io::ErrorKind::InvalidData,
                            format!(
                                "the fleet's file {sum} has another content ({found}): it was damaged, put it there again"
                            ),
                        ));
                    }
                    return file.commit();
                }
                Ok(false) | Err(QueueError::Missing(_)) => {
                    let words = format!(
                        "the fleet has no file with the SHA-256 {sum}; the run's own machine puts it there when it begins"
                    );
                    return Err(io::Error::new(io::ErrorKind::NotFound, words));
                }
                Err(QueueError::Unreachable(words)) if self.stop.is_raised() => {
                    return Err(io::Error::new(io::ErrorKind::Interrupted, words));
                }
                Err(QueueError::Unreachable(_)) => thread::sleep(PATIENCE),
                Err(error) => return Err(io::Error::other(error.to_string())),
            }
        }
    }
}

impl FileStore for FleetFiles {
    fn find(&self, sum: &str) -> io::Result<PathBuf> {
        if sum.len() != 64 || !sum.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)) {
            let words = format!("{sum:?} is no SHA-256: expected 64 hexadecimal digits");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner).get(sum).cloned();
        if let Some(path) = kept {
            if sha256(&path).is_ok_and(|found| found == sum) {
                return Ok(path);
            }
            if self.folder.is_none() {
                let words = format!("{}: the file was changed or removed while a run uses it", path.display());
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
        }
        let Some(folder) = &self.folder else {
            let words = format!("no file with the SHA-256 {sum} was kept");
            return Err(io::Error::new(io::ErrorKind::NotFound, words));
        };
        fs::create_dir_all(folder)?;
        let path = folder.join(sum);
        let is_here = || sha256(&path).is_ok_and(|found| found == sum);
        // What the disk lost is fetched again; by one at a time, since workers of several machines may share the folder.
        if !is_here() {
            let _alone = self.alone(folder)?;
            if !is_here() {
                self.fetch(sum, &path)?;
            }
        }
        Ok(path)
    }

    fn keep(&self, file: &Path) -> io::Result<String> {
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.display()));
        let sum = sha256(file).map_err(named)?;
        if let Some(name) = self.queue.key_name().filter(|name| *name != OPERATOR) {
            return Err(FleetError::WorkerKey { name: name.to_string() }.into());
        }
        if self.folder.is_some() {
            loop {
                let mut content = File::open(file).map_err(named)?;
                match self.queue.put_file(&sum, &mut content) {
                    Ok(()) => break,
                    Err(QueueError::Unreachable(words)) if self.stop.is_raised() => {
                        return Err(named(io::Error::new(io::ErrorKind::Interrupted, words)));
                    }
                    Err(QueueError::Unreachable(_)) => thread::sleep(PATIENCE),
                    Err(error) => return Err(named(io::Error::other(error.to_string()))),
                }
            }
        }
        let path = fs::canonicalize(file).map_err(named)?;
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).insert(sum.clone(), path);
        Ok(sum)
    }

    fn source(&self, program: &Path) -> io::Result<Option<ProgramSource>> {
        let (Some(builder), Some(folder)) = (BUILDER.get(), &self.folder) else { return Ok(None) };
        let always = self.builds_always.load(Relaxed);
        let (archive, order) = match (builder.source)(program, &folder.join("sources")) {
            Ok(Some(source)) => source,
            Ok(None) => return Ok(None),
            // The file goes to those whom it serves, as it does where nobody knows a source.
            Err(error) if !always => {
                tracing::warn!(target: "fleet", "{error}; workers get the file alone");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        Ok(Some(ProgramSource {
            archive: self.keep(&archive)?,
            order,
            system: system(),
            instruction_sets: instruction_sets(),
            always,
        }))
    }

    fn build(&self, source: &ProgramSource) -> io::Result<Option<PathBuf>> {
        if !source.always && serves(source, &system(), &instruction_sets()) {
            self.built.note(&source.order, Ok(BuildOutcome::File));
            return Ok(None);
        }
        let (Some(builder), Some(folder)) = (BUILDER.get(), &self.folder) else {
            let words = "it is to be built here, and this worker's program builds nothing";
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        };
        let archive = self.find(&source.archive)?;
        self.built.note(&source.order, Ok(BuildOutcome::Building));
        let built = (builder.build)(&source.order, &archive, &folder.join("builds").join(this_machine()), &self.stop);
        self.built.note(&source.order, built.as_ref().map(|_| BuildOutcome::Built));
        built.map(Some)
    }
}

/// A file that is summed as it is written.
struct Summed<'a> {
    hasher: Sha256,
    file: &'a mut AtomicFile,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn digits(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine built with `-march=native` on one machine died with an illegal instruction on another that shared the folder.
    #[test]
    fn machines_that_share_a_folder_share_no_builds() {
        let key = |sets: &[&str], processor: &str| {
            machine_key("linux x86_64", &sets.iter().map(|set| set.to_string()).collect::<Vec<_>>(), processor)
        };
        let one = key(&["avx2", "avx512f"], "A");
        assert!(one.starts_with("linux-x86_64-"), "{one}");
        assert_eq!(one, key(&["avx2", "avx512f"], "A"));
        assert_ne!(one, key(&["avx2"], "A"));
        assert_ne!(one, key(&["avx2", "avx512f"], "B"));
        assert_ne!(one, machine_key("linux aarch64", &["avx2".into(), "avx512f".into()], "A"));
        assert!(!this_machine().contains(['/', ' ']));
    }

    #[test]
    fn a_file_serves_machines_that_have_all_that_it_may_use() {
        let sets = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
        let source = ProgramSource {
            archive: String::new(),
            order: String::new(),
            system: "linux x86_64".into(),
            instruction_sets: sets(&["avx2", "bmi2"]),
            always: false,
        };
        assert!(serves(&source, "linux x86_64", &sets(&["bmi2", "avx512f", "avx2"])));
        assert!(!serves(&source, "linux x86_64", &sets(&["avx2"])));
        assert!(!serves(&source, "linux aarch64", &sets(&["avx2", "bmi2"])));
    }
}
