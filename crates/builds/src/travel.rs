//! Versions that are built on another machine: an archive of their files, an order, and the check of what came of it.

use crate::manifest::VersionStore;
use crate::recipe::{BuildTool, Recipe};
use crate::revision::{Repository, git};
use crate::{BuildOutcome, BuildRequest, build};
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tesuji_jobs::{AtomicFile, Interrupt, sha256, sha256_of};
use tesuji_system::{ProcessTree, contained};

/// The name of a version in a folder of its own.
const NAME: &str = "program";
/// Between two looks at a folder in which another process builds.
const LOOK: Duration = Duration::from_secs(1);
/// The longest time that a version's own `bench` may take.
const BENCH_PATIENCE: Duration = Duration::from_secs(600);
/// Between two looks at a running `bench`.
const BENCH_LOOK: Duration = Duration::from_millis(20);
/// Lines of a build that failed which are told.
const LINES: usize = 5;

/// What a machine is to build of an archive. Equal ones of equal archives are the same program, as far as compilers are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildOrder {
    commit: String,
    kind: BuildTool,
    recipe: Recipe,
    pgo: bool,
}

/// How the version `program` of a folder of versions can be built elsewhere: an archive of its commit, written into `folder`, and the order
/// in words for [`build_ordered`]. `None`: it is no such version, is not what was built, or needs a file of this machine (weights) or of other repositories (submodules).
///
/// # Errors
/// When its repository has the commit no more, or the archive cannot be written.
pub fn order_of(program: &Path, folder: &Path) -> io::Result<Option<(PathBuf, String)>> {
    find_order(program, folder).map_err(told)
}

fn find_order(program: &Path, folder: &Path) -> anyhow::Result<Option<(PathBuf, String)>> {
    let (Some(beside), Some(name)) = (program.parent(), program.file_name().and_then(|name| name.to_str())) else {
        return Ok(None);
    };
    let name = name.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(name);
    let store = VersionStore::look(beside)?;
    let Some(entry) = store.manifest.versions.get(name) else { return Ok(None) };
    if entry.source.weights_sha256.is_some() || sha256(program)? != entry.sha256 {
        return Ok(None);
    }
    let source = &entry.source;
    let order =
        BuildOrder { commit: source.commit.clone(), kind: source.kind, recipe: source.recipe.clone(), pgo: source.pgo };
    let repository = Repository::open(&source.repository)?;
    if repository.has_submodules(&source.commit)? {
        return Ok(None);
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    // git works in the repository's folder.
    let folder = std::path::absolute(folder)?;
    let archive = folder.join(format!("{}.tar", source.commit));
    // Aside: another coordinator may write or read the same one now.
    let aside = tempfile::Builder::new().prefix(".archive").tempfile_in(&folder)?.into_temp_path();
    let out = format!("--output={}", aside.display());
    repository
        .ask(["archive", "--format=tar", &out, &source.commit])
        .with_context(|| format!("{}: {} cannot be sent to other machines", program.display(), source.commit))?;
    aside.persist(&archive).with_context(|| archive.display().to_string())?;
    Ok(Some((archive, serde_json::to_string(&order)?)))
}

/// Builds what [`order_of`] ordered, once for each archive and order: another call finds the program in `cache`.
///
/// # Errors
/// When it does not build, and when its signature is not the one that its recipe names.
pub fn build_ordered(order: &str, archive: &Path, cache: &Path, stop: &Interrupt) -> io::Result<PathBuf> {
    build_once(order, archive, cache, stop).map_err(told)
}

/// An error with its causes, for those who carry files.
fn told(error: anyhow::Error) -> io::Error {
    let is_other =
        error.root_cause().downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::InvalidData);
    let kind = if is_other { io::ErrorKind::InvalidData } else { io::ErrorKind::Other };
    io::Error::new(kind, format!("{error:#}"))
}

fn build_once(order: &str, archive: &Path, cache: &Path, stop: &Interrupt) -> anyhow::Result<PathBuf> {
    // Threads of one worker want the same program at the same time.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let parsed: BuildOrder = serde_json::from_str(order).context("no order of a build")?;
    fs::create_dir_all(cache).with_context(|| cache.display().to_string())?;
    let [archive_sum, mut order_sum] = [sha256(archive)?, sha256_of(order.as_bytes())];
    order_sum.truncate(16);
    let folder = cache.join(format!("{}-{order_sum}", archive_sum.get(..16).unwrap_or(&archive_sum)));
    // An order comes from elsewhere: its commit may be any text.
    let short: String = parsed.commit.chars().take(10).collect();
    loop {
        if let Some(program) = ready(&folder)? {
            return Ok(program);
        }
        match build_here(&parsed, archive, &folder, stop) {
            Err(error) if error.to_string().contains("another tesuji builds") && !stop.is_raised() => {
                std::thread::sleep(LOOK);
            }
            built => return built.with_context(|| format!("revision {short} on this machine")),
        }
    }
}

/// The program that is in a folder, whole and of the right signature.
fn ready(folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let store = VersionStore::look(folder)?;
    let (program, checked) = (store.program(NAME), folder.join("checked"));
    let Some(entry) = store.manifest.versions.get(NAME) else { return Ok(None) };
    let is_whole = sha256(&program).is_ok_and(|sum| sum == entry.sha256);
    let is_checked = fs::read_to_string(checked).is_ok_and(|sum| sum == entry.sha256);
    Ok((is_whole && is_checked).then_some(program))
}

fn build_here(order: &BuildOrder, archive: &Path, folder: &Path, stop: &Interrupt) -> anyhow::Result<PathBuf> {
    let tree = tempfile::tempdir()?;
    unpack(archive, tree.path())?;
    let request = BuildRequest {
        revisions: vec![format!("{NAME}=HEAD")],
        repository: Some(tree.path().to_path_buf()),
        into: Some(folder.to_path_buf()),
        recipe: Recipe { kind: Some(order.kind), ..order.recipe.clone() },
        pgo: order.pgo,
        jobs: Some(1),
        again: true,
        ..BuildRequest::default()
    };
    let mut built = build(&request, stop, &|line| tracing::info!("{line}"))?;
    let Some(version) = built.versions.pop() else { bail!("nothing was built") };
    match version.outcome {
        BuildOutcome::Built(_) | BuildOutcome::Present => {}
        BuildOutcome::Stopped => bail!("stopped"),
        BuildOutcome::Failed(error) => {
            let log = version.log.and_then(|log| fs::read_to_string(log).ok()).unwrap_or_default();
            let lines: Vec<&str> = log.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES).collect();
            let lines = lines.into_iter().rev().collect::<Vec<_>>().join(" / ");
            return Err(error.context(format!("it does not build: {lines}")));
        }
    }
    if let Some(wanted) = order.recipe.bench {
        check_bench(&version.program, wanted, (BENCH_PATIENCE, stop))?;
    }
    AtomicFile::write(&folder.join("checked"), sha256(&version.program)?.as_bytes())?;
    Ok(version.program)
}

/// Makes a repository of one commit of an archive.
fn unpack(archive: &Path, tree: &Path) -> anyhow::Result<()> {
    // Names and links of the archive are the version's, and so are attributes that git obeys.
    let run = |command: &mut Command, what: &str| -> anyhow::Result<()> {
        let command = std::mem::replace(command, Command::new(""));
        let out = contained(command, &[tree], &[archive])
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("cannot start {what}"))?;
        if !out.status.success() {
            bail!("{what}: {}", String::from_utf8_lossy(&out.stderr).trim());
        }
        Ok(())
    };
    run(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(tree), "tar")?;
    // No revision has one: git would obey the settings in it.
    if tree.join(".git").symlink_metadata().is_ok() {
        bail!("the archive has a .git of its own, which no revision has: it was not made by `git archive`");
    }
    run(git(tree).args(["init", "--quiet"]), "git init")?;
    run(git(tree).args(["add", "--all", "--force"]), "git add")?;
    let mut commit = git(tree);
    commit.args(["commit", "--quiet", "--no-gpg-sign", "--allow-empty", "-m", "as it was sent"]);
    for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
        commit.env(format!("{who}_NAME"), "tesuji builds").env(format!("{who}_EMAIL"), "tesuji@localhost");
        commit.env(format!("{who}_DATE"), "2000-01-01T00:00:00Z");
    }
    run(&mut commit, "git commit")
}

/// Compares the nodes of the program's own `bench`, which may take `patience`. What it started ends with it.
fn check_bench(program: &Path, wanted: u64, (patience, stop): (Duration, &Interrupt)) -> anyhow::Result<()> {
    // Into a file: a pipe that another process keeps open would be read for ever.
    // Each stream has its own: in one file they would write over each other.
    let [said, complained] = [tempfile::NamedTempFile::new()?, tempfile::NamedTempFile::new()?];
    let mut command = Command::new(std::path::absolute(program)?);
    command.arg("bench");
    let mut command = contained(command, &[], &[]);
    command.stdin(Stdio::null()).stdout(said.reopen()?).stderr(complained.reopen()?);
    let mut tree =
        ProcessTree::spawn(&mut command).with_context(|| format!("cannot start {} bench", program.display()))?;
    let began = Instant::now();
    while !tree.has_ended() {
        if stop.is_raised() || began.elapsed() >= patience {
            tree.kill();
            if stop.is_raised() {
                bail!("stopped");
            }
            let minutes = patience.as_secs_f64() / 60.0;
            bail!(
                "`{} bench` did not end within {minutes} minutes and was killed with all that it started: the recipe expects its \
                 bench to tell {wanted} nodes; does this version have the command `bench`?",
                program.display()
            );
        }
        std::thread::sleep(BENCH_LOOK);
    }
    // It may have left others behind.
    tree.kill();
    let of = |file: &tempfile::NamedTempFile| fs::read(file.path());
    let text = String::from_utf8_lossy(&[of(&said)?, b"\n".to_vec(), of(&complained)?].concat()).into_owned();
    match bench_nodes(&text) {
        Some(found) if found == wanted => Ok(()),
        Some(found) => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!(
                "its bench is {found}, and {wanted} was expected: this compiler or machine makes another engine of it"
            ),
        )
        .into()),
        None => bail!("`{} bench` tells no number of nodes, and {wanted} was expected", program.display()),
    }
}

/// The number before the word `nodes`, or behind a line's `Nodes searched`; of the last line that has one.
fn bench_nodes(text: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let words: Vec<String> = line.to_lowercase().split_ascii_whitespace().map(str::to_string).collect();
        if line.to_lowercase().starts_with("nodes searched") {
            return words.last()?.parse().ok();
        }
        let at = words.iter().position(|word| word == "nodes" || word == "nodes,")?;
        words.get(at.checked_sub(1)?)?.replace([',', '_'], "").parse().ok()
    };
    text.lines().rev().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git_in(folder: &Path, words: &[&str]) {
        let mut command = git(folder);
        for who in ["GIT_AUTHOR", "GIT_COMMITTER"] {
            command.env(format!("{who}_NAME"), "a").env(format!("{who}_EMAIL"), "a@localhost");
        }
        assert!(command.args(words).status().unwrap().success(), "{words:?}");
    }

    /// A repository whose engine is a script that tells its bench, built into `builds/v1`.
    fn built(folder: &Path, bench: Option<u64>) -> PathBuf {
        let repository = folder.join("repository");
        fs::create_dir_all(&repository).unwrap();
        git_in(&repository, &["init", "--quiet"]);
        fs::write(repository.join("engine.in"), "#!/bin/sh\necho \"4711 nodes 1000 nps\"\n").unwrap();
        git_in(&repository, &["add", "--all"]);
        git_in(&repository, &["commit", "--quiet", "-m", "first"]);
        let recipe = Recipe {
            build: vec!["cp engine.in engine && chmod +x engine && echo x >> \"$COUNT\"".into()],
            binary: Some("engine".into()),
            env: [("COUNT".to_string(), folder.join("count").display().to_string())].into(),
            bench,
            ..Recipe::default()
        };
        let request = BuildRequest {
            revisions: vec!["v1=HEAD".into()],
            repository: Some(repository),
            into: Some(folder.join("builds")),
            recipe,
            ..BuildRequest::default()
        };
        let built = build(&request, &Interrupt::new(), &|_| ()).unwrap();
        assert!(matches!(built.versions[0].outcome, BuildOutcome::Built(_)), "{:?}", built.versions[0].outcome);
        built.versions[0].program.clone()
    }

    #[test]
    #[cfg(unix)]
    fn a_version_is_built_once_on_another_machine() {
        let folder = tempfile::tempdir().unwrap();
        let program = built(folder.path(), Some(4711));
        let (archive, order) = order_of(&program, &folder.path().join("sent")).unwrap().unwrap();
        // The same again: a run that goes on is the same run.
        let sum = sha256(&archive).unwrap();
        let (again, same) = order_of(&program, &folder.path().join("sent")).unwrap().unwrap();
        assert_eq!((sha256(&again).unwrap(), &same), (sum, &order));
        assert!(archive.is_absolute());
        fs::remove_dir_all(folder.path().join("repository")).unwrap();
        let cache = folder.path().join("cache");
        let found = build_ordered(&order, &archive, &cache, &Interrupt::new()).unwrap();
        assert_eq!(fs::read(&found).unwrap(), fs::read(&program).unwrap());
        assert_eq!(build_ordered(&order, &archive, &cache, &Interrupt::new()).unwrap(), found);
        // Once here and once there.
        assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "x\nx\n");
        // What was changed is built again.
        fs::write(&found, "broken").unwrap();
        build_ordered(&order, &archive, &cache, &Interrupt::new()).unwrap();
        assert_eq!(fs::read(&found).unwrap(), fs::read(&program).unwrap());
    }

    #[test]
    #[cfg(unix)]
    fn a_wrong_bench_and_a_build_that_fails_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let program = built(folder.path(), Some(4712));
        let (archive, order) = order_of(&program, folder.path()).unwrap().unwrap();
        let build = |order: &str| build_ordered(order, &archive, &folder.path().join("cache"), &Interrupt::new());
        let refused = build(&order).unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("its bench is 4711, and 4712 was expected"), "{told}");
        assert_eq!(refused.kind(), io::ErrorKind::InvalidData);
        let told = build(&order.replace("cp engine.in engine", "echo no compiler; false")).unwrap_err().to_string();
        assert!(told.contains("does not build") && told.contains("no compiler"), "{told}");
        // What was changed after it was built is no version.
        fs::write(&program, "another").unwrap();
        assert_eq!(order_of(&program, folder.path()).unwrap(), None);
        assert_eq!(order_of(Path::new("/bin/sh"), folder.path()).unwrap(), None);
    }

    /// A version whose bench waits for something held its worker for ever.
    #[test]
    #[cfg(unix)]
    fn a_bench_that_does_not_end_is_killed_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let (program, started) = (folder.path().join("engine"), folder.path().join("started"));
        // The child would write into the file after two seconds.
        let script = format!("#!/bin/sh\n(sleep 2; echo late >> {0}) &\necho $! > {0}\nsleep 600\n", started.display());
        fs::write(&program, script).unwrap();
        tesuji_system::allow_running(&program).unwrap();
        let began = Instant::now();
        let told = check_bench(&program, 7, (Duration::from_secs(1), &Interrupt::new())).unwrap_err().to_string();
        assert!(told.contains("did not end within") && told.contains("was killed"), "{told}");
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_secs(3));
        let said = fs::read_to_string(&started).unwrap();
        assert!(!said.is_empty() && !said.contains("late"), "{said}");
        // A stop ends it as well.
        let stop = Interrupt::new();
        stop.raise();
        let told = check_bench(&program, 7, (BENCH_PATIENCE, &stop)).unwrap_err().to_string();
        assert_eq!(told, "stopped");
    }

    /// The first letters of a commit were cut by bytes.
    #[test]
    #[cfg(unix)]
    fn an_order_with_any_text_for_its_commit_is_refused_and_two_at_a_time_do_not_mix() {
        let folder = tempfile::tempdir().unwrap();
        let program = built(folder.path(), Some(4711));
        let (archive, order) = order_of(&program, &folder.path().join("sent")).unwrap().unwrap();
        let commit = serde_json::from_str::<BuildOrder>(&order).unwrap().commit;
        let cache = folder.path().join("cache");
        let odd = order.replace(&commit, "ääääääääääää").replace("cp engine.in engine", "false");
        let told = build_ordered(&odd, &archive, &cache, &Interrupt::new()).unwrap_err().to_string();
        assert!(told.contains("revision ääääääääää on this machine"), "{told}");
        // Nothing in the cache is shared by orders but their folders.
        build_ordered(&order, &archive, &cache, &Interrupt::new()).unwrap();
        let files = fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path());
        assert!(files.into_iter().all(|path| path.is_dir()));
        let sent = fs::read_dir(folder.path().join("sent")).unwrap().count();
        assert_eq!(sent, 1, "what is written aside has its place");
    }

    #[test]
    fn signatures_are_read_as_engines_tell_them() {
        let check = |text: &str, nodes: Option<u64>| assert_eq!(bench_nodes(text), nodes, "{text}");
        check("depth 1 nodes 20\n2,345 nodes 100 nps\n", Some(2345));
        check("===\nTotal time (ms) : 10\nNodes searched  : 1234\nNodes/second    : 99\n", Some(1234));
        check("nothing\n", None);
    }
}
