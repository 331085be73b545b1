//! Limits of options that come over the API: they reach files of the workspace and no others, memory and threads up to what the server
//! allows for all searches together. The only place of this crate that sets an option of a player.

use crate::{Problem, workspace::Workspace};
use std::{
    env,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};
use tesuji_options::{Kind, Options, Spec, find, presets_first};

/// The ending of the keys of options that ask for memory, in MiB.
const MEMORY_KEY: &str = "_mib";

/// The key of the option for threads of a search.
const THREADS_KEY: &str = "threads";

/// MiB that a thread of a search has beside the tables of all: its histories and its stack. 512 threads took 600 MiB.
const MIB_PER_THREAD: u64 = 2;

/// Threads of all searches for each core, the first of each search left out.
const THREADS_PER_CORE: u64 = 4;

/// The ending of files that an engine makes (`LearnedFile`): others would stand where games, networks or jobs are looked for.
const NEW_ENDING: &str = "db";

/// The limits of options.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    space: Workspace,
    /// Whether those who ask have shown a token: addresses of other machines are for them alone.
    with_token: bool,
    memory: Arc<Memory>,
}

/// The resources that searches need of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Needs {
    /// Memory, in MiB.
    mib: u64,
    /// Threads beside the first of each search.
    helpers: u64,
}

/// The memory and the threads of all searches.
#[derive(Debug)]
struct Memory {
    allowed: Needs,
    taken: Mutex<Needs>,
}

/// A player's part of them; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    memory: Arc<Memory>,
    has: Needs,
}

impl Share {
    /// Takes `wants` in all, instead of what it has; nothing changes when that is too much.
    fn resize(&mut self, wants: Needs) -> Result<(), Problem> {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let (others, allowed) = (taken.helpers - self.has.helpers, self.memory.allowed.helpers);
        if wants.helpers > self.has.helpers && others + wants.helpers > allowed {
            let asked = wants.helpers + 1;
            let words = format!("{asked} threads are asked for, {} are free", allowed.saturating_sub(others) + 1);
            let hint = format!(
                "All searches of the server have {THREADS_PER_CORE} threads a core. Ask for less, or end another session."
            );
            let status = if wants.helpers > allowed { Problem::unprocessable } else { Problem::too_many };
            return Err(status(words).hint(hint));
        }
        let mib = wants.mib;
        let (others, allowed) = (taken.mib - self.has.mib, self.memory.allowed.mib);
        if mib > allowed {
            let problem = Problem::unprocessable(format!("{mib} MiB are more than the {allowed} MiB of this server"));
            return Err(problem.hint("Ask for less, or start `tesuji serve` with a larger --memory."));
        }
        if others + mib > allowed {
            let problem = Problem::too_many(format!("{others} of {allowed} MiB are taken, {mib} MiB are asked for"));
            return Err(problem.hint("End another session, ask for less, or serve with a larger --memory."));
        }
        *taken = Needs { mib: others + mib, helpers: taken.helpers - self.has.helpers + wants.helpers };
        self.has = wants;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.memory.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = Needs { mib: taken.mib - self.has.mib, helpers: taken.helpers - self.has.helpers };
    }
}

impl Reach {
    /// Files of `space`, `allowed_mib` MiB in all, and as many threads as the cores of this machine can use.
    pub(crate) fn new(space: Workspace, with_token: bool, allowed_mib: u64) -> Reach {
        let helpers = THREADS_PER_CORE * tesuji_jobs::threads(0) as u64;
        let allowed = Needs { mib: allowed_mib, helpers };
        let memory = Arc::new(Memory { allowed, taken: Mutex::default() });
        Reach { space, with_token, memory }
    }

    /// The memory and threads of a player whose options stand as in `form`.
    ///
    /// # Errors
    /// When it is too much.
    pub(crate) fn share(&self, form: &dyn Options) -> Result<Share, Problem> {
        let mut share = Share { memory: self.memory.clone(), has: Needs::default() };
        share.resize(needs_of(form, None))?;
        Ok(share)
    }

    /// Sets an option of a player that has `share` of memory and threads.
    ///
    /// # Errors
    /// If the value is wrong, with the option's name; nothing has changed then.
    pub(crate) fn set(
        &self,
        form: &mut dyn Options,
        share: &mut Share,
        name: &str,
        value: &str,
    ) -> Result<(), Problem> {
        let wrong = |error: tesuji_options::OptionError| Problem::unprocessable(error.to_string());
        let set = |form: &mut dyn Options, share: &mut Share| {
            let spec = find(&form.specs(), name).map_err(wrong)?;
            let value = self.resolved(&spec, value)?;
            if !is_counted(&spec) {
                return form.set(spec.name, &value).map_err(wrong);
            }
            // A value that the option does not take asks for nothing.
            let asked = value.trim().parse().ok().filter(|number| takes(&spec, *number));
            share.resize(asked.map_or(share.has, |number| needs_of(form, Some((&spec, number)))))?;
            let done = form.set(spec.name, &value).map_err(wrong);
            if done.is_err() {
                // No more than before, which was allowed.
                let _ = share.resize(needs_of(form, None));
            }
            done
        };
        set(form, share).map_err(|problem| problem.at(name))
    }

    /// Sets the options of a player that needs no memory of its own: those that ask for memory and threads get the least they take.
    ///
    /// # Errors
    /// As [`Reach::set`].
    pub(crate) fn set_frugally(
        &self,
        form: &mut dyn Options,
        options: impl IntoIterator<Item = (impl AsRef<str>, impl AsRef<str>)>,
    ) -> Result<(), Problem> {
        let wrong = |error: tesuji_options::OptionError| Problem::unprocessable(error.to_string());
        let specs = form.specs();
        let mut options: Vec<_> = options.into_iter().collect();
        presets_first(&mut options, |(name, _)| name.as_ref());
        for (name, value) in options {
            let spec = find(&specs, name.as_ref()).map_err(wrong)?;
            if !is_counted(&spec) {
                form.set(spec.name, &self.resolved(&spec, value.as_ref())?).map_err(wrong)?;
            }
        }
        for spec in specs.iter().filter(|spec| is_counted(spec)) {
            if let Kind::Int { min, .. } = spec.kind {
                form.set(spec.name, &min.to_string()).map_err(wrong)?;
            }
        }
        Ok(())
    }

    /// The value of an option with files by their whole paths in the workspace; other values as they are.
    ///
    /// # Errors
    /// When a file is elsewhere.
    pub(crate) fn resolved(&self, spec: &Spec, value: &str) -> Result<String, Problem> {
        let Kind::File { names, is_list, .. } = spec.kind else { return Ok(value.to_string()) };
        if value.is_empty() || value == "<empty>" {
            return Ok(String::new());
        }
        let text = |path: &Path| path.to_str().map(str::to_string).ok_or_else(|| Problem::unprocessable("not UTF-8"));
        if is_list {
            let folders: Result<Vec<_>, _> =
                env::split_paths(value).map(|folder| self.space.find(&folder.to_string_lossy())).collect();
            let joined = env::join_paths(folders?).map_err(|error| Problem::unprocessable(error.to_string()))?;
            return text(Path::new(&joined));
        }
        if value.contains(',') && self.space.place(split_device(value).1).is_ok_and(|path| !path.exists()) {
            let parts: Result<Vec<_>, _> = value.split(',').map(|part| self.resolved(spec, part.trim())).collect();
            return Ok(parts?.join(","));
        }
        let (device, file) = split_device(value);
        if names.contains(&file) {
            return Ok(value.to_string());
        }
        if is_address(value) {
            let problem = Problem::forbidden("without a token no address of another machine is taken");
            return if self.with_token { Ok(value.to_string()) } else { Err(problem) };
        }
        let path = self.space.place(file)?;
        if !path.exists() && path.extension().is_none_or(|ending| ending != NEW_ENDING) {
            let problem = Problem::unprocessable(format!("{file}: there is no such file in the workspace"));
            return Err(
                problem.hint(format!("A new file, of positions that an engine learns, must end in .{NEW_ENDING}."))
            );
        }
        Ok(format!("{device}{}", text(&path)?))
    }
}

/// Splits `card:net` and `card:1:net` into the device and the file; a file alone has no device.
fn split_device(value: &str) -> (&str, &str) {
    let device = |text: &str| text.len() > 1 && text.bytes().all(|b| b.is_ascii_lowercase());
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match value.split_once(':') {
        Some((name, rest)) if device(name) && !rest.starts_with("//") => match rest.split_once(':') {
            Some((ordinal, file)) if number(ordinal) => value.split_at(value.len() - file.len()),
            _ => value.split_at(value.len() - rest.len()),
        },
        _ => ("", value),
    }
}

/// Whether `value` is `scheme://host:port`, which no path can be.
fn is_address(value: &str) -> bool {
    let is_host =
        |host: &str| !host.is_empty() && host.bytes().all(|b| b.is_ascii_alphanumeric() || b".:-_[]".contains(&b));
    value.split_once("://").is_some_and(|(scheme, host)| {
        !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_lowercase()) && is_host(host)
    })
}

fn is_memory(spec: &Spec) -> bool {
    spec.key.ends_with(MEMORY_KEY)
}

fn is_threads(spec: &Spec) -> bool {
    spec.key == THREADS_KEY
}

/// Whether the server counts what an option asks for.
fn is_counted(spec: &Spec) -> bool {
    is_memory(spec) || is_threads(spec)
}

fn takes(spec: &Spec, number: u64) -> bool {
    matches!(spec.kind, Kind::Int { min, max, .. } if i64::try_from(number).is_ok_and(|number| (min..=max).contains(&number)))
}

/// The resources that a player needs, with one of its options changed.
fn needs_of(form: &dyn Options, changed: Option<(&Spec, u64)>) -> Needs {
    let value = |spec: &Spec| match changed {
        Some((changed, number)) if changed.name == spec.name => number,
        _ => form.get(spec.name).and_then(|text| text.parse().ok()).unwrap_or(0),
    };
    let specs = form.specs();
    let tables: u64 = specs.iter().filter(|spec| is_memory(spec)).map(value).sum();
    let helpers = specs.iter().filter(|spec| is_threads(spec)).map(|spec| value(spec).saturating_sub(1)).sum();
    Needs { mib: tables + MIB_PER_THREAD * helpers, helpers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tesuji_options::options;

    options! {
        /// For tests.
        struct Demo {
            /// Memory.
            hash_mib: u32 = 16 in 1..=1000, "Hash";
            /// Threads.
            threads: usize = 1 in 1..=512, "Threads";
            /// More memory.
            cache_mib: u32 = 4 in 0..=1000, "Cache";
            /// A file.
            eval_file: File = "" of ["small", "large"], "EvalFile";
            /// Folders.
            table_path: Folders = "", "TablePath";
        }
    }

    fn reach(with_token: bool) -> (tempfile::TempDir, Reach) {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("secret"), "s").expect("written");
        let space = Workspace::open(&folder.path().join("work")).expect("made");
        fs::write(space.root().join("w.json"), "{}").expect("written");
        fs::create_dir(space.root().join("tables")).expect("made");
        (folder, Reach::new(space, with_token, 100))
    }

    #[test]
    fn options_that_name_files_stay_in_the_workspace() {
        let (folder, reach) = reach(false);
        let mut demo = Demo::default();
        let mut share = reach.share(&demo).expect("enough memory");
        let root = reach.space.root().to_str().expect("UTF-8").to_string();
        for (name, value, expect) in [
            ("EvalFile", "w.json", format!("{root}/w.json")),
            // A file that an engine makes.
            ("eval_file", "tables/new.db", format!("{root}/tables/new.db")),
            ("EvalFile", "card:1:w.json", format!("card:1:{root}/w.json")),
            ("EvalFile", "card:small", "card:small".into()),
            ("EvalFile", "large", "large".into()),
            ("EvalFile", "<empty>", String::new()),
            ("EvalFile", "", String::new()),
            ("TablePath", "tables:./tables", format!("{root}/tables:{root}/tables")),
        ] {
            assert_eq!(reach.set(&mut demo, &mut share, name, value), Ok(()), "{name} {value}");
            assert_eq!(demo.get(name), Some(expect), "{name} {value}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("made"), reach.space.root().join("way")).expect("a link");
            std::os::unix::fs::symlink(folder.path().join("secret"), reach.space.root().join("out")).expect("a link");
        }
        let outside = folder.path().join("secret").to_str().expect("UTF-8").to_string();
        for value in [
            &*outside,
            "../secret",
            "tables/../../secret",
            "card:/etc/passwd",
            "card:0:../secret",
            "way",
            "out",
            "no/such/folder",
            // It could be taken for another kind of file.
            "new.pgn",
            "tables/new",
            ".db",
            "tcp://127.0.0.1:22",
            "file:///etc/passwd",
            "..",
            "/",
        ] {
            for (name, value) in [("EvalFile", value.to_string()), ("TablePath", format!("tables:{value}"))] {
                let refused = reach.set(&mut demo, &mut share, name, &value).expect_err(&value);
                assert_eq!(refused.place.as_deref(), Some(name), "{value}");
            }
        }
        assert!(!folder.path().join("made").exists());
        assert_eq!(demo.eval_file, "", "nothing was set");
    }

    #[test]
    fn memory_is_shared_and_given_back() {
        let (_folder, reach) = reach(true);
        let (mut one, mut two) = (Demo::default(), Demo::default());
        let mut first = reach.share(&one).expect("enough");
        let mut second = reach.share(&two).expect("enough");
        assert_eq!(reach.set(&mut one, &mut first, "hash", "70"), Ok(()));
        let status = |done: Result<(), Problem>| done.map_err(|problem| problem.status);
        assert_eq!(status(reach.set(&mut two, &mut second, "Hash", "30")), Err(429), "74 + 34 of 100");
        assert_eq!(status(reach.set(&mut two, &mut second, "Hash", "97")), Err(422), "more than there is for all");
        assert_eq!(status(reach.set(&mut two, &mut second, "Hash", "0")), Err(422), "not in its range");
        assert_eq!(status(reach.set(&mut two, &mut second, "Hash", "x")), Err(422));
        assert_eq!((two.hash_mib, second.has.mib), (16, 20), "nothing has changed");
        drop(first);
        assert_eq!(reach.set(&mut two, &mut second, "Hash", "90"), Ok(()));
        reach.set_frugally(&mut one, [("Hash", "70"), ("EvalFile", "w.json")]).expect("set");
        assert_eq!((one.hash_mib, one.cache_mib, one.threads), (1, 0, 1));
        assert!(one.eval_file.ends_with("/w.json"));
        drop(second);
        assert_eq!(*reach.memory.taken.lock().expect("a lock"), Needs::default());
    }

    /// Sessions with 512 threads took 600 MiB each beside the limit of memory.
    #[test]
    fn threads_are_counted_and_need_memory() {
        let (_folder, mut reach) = reach(true);
        reach.memory = Arc::new(Memory { allowed: Needs { mib: 60, helpers: 8 }, taken: Mutex::default() });
        let (mut one, mut two) = (Demo::default(), Demo::default());
        let mut first = reach.share(&one).expect("enough");
        let mut second = reach.share(&two).expect("enough");
        let status = |done: Result<(), Problem>| done.map_err(|problem| problem.status);
        assert_eq!(status(reach.set(&mut one, &mut first, "Threads", "512")), Err(422), "more than there are for all");
        assert_eq!(reach.set(&mut one, &mut first, "Threads", "6"), Ok(()));
        assert_eq!(first.has, Needs { mib: 20 + 5 * MIB_PER_THREAD, helpers: 5 });
        assert_eq!(status(reach.set(&mut two, &mut second, "Threads", "5")), Err(429), "5 + 4 of 8");
        assert_eq!(reach.set(&mut two, &mut second, "Threads", "4"), Ok(()));
        assert_eq!(status(reach.set(&mut two, &mut second, "Hash", "30")), Err(429), "30 + 30 + 10 of 60 MiB");
        drop(first);
        assert_eq!(reach.set(&mut two, &mut second, "Threads", "9"), Ok(()));
        drop(second);
        assert_eq!(*reach.memory.taken.lock().expect("a lock"), Needs::default());
    }
}
