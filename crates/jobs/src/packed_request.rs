//! The request of a run as it travels to workers: with the SHA-256 of every file that it names, and the speed of the machine that asks.

use crate::{
    AtomicFile, sha256,
    units::{Carrier, Dispatcher, FileStore, ProgramSource, ResultEssence, RunOrder},
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};
use tesuji_system::{allow_running, find_program, may_run};

/// A request with all that a worker elsewhere needs to do it. Those of equal [identity](PackedRequest::identity) are the same run.
///
/// # Examples
/// ```
/// use std::{io, path::{Path, PathBuf}};
/// use tesuji_jobs::{PackedRequest, sha256, units::{FileStore, ProgramSource}};
/// struct Here(PathBuf);
/// impl FileStore for Here {
///     fn find(&self, _sha256: &str) -> io::Result<PathBuf> {
///         Ok(self.0.clone())
///     }
///     fn keep(&self, file: &Path) -> io::Result<String> {
///         sha256(file)
///     }
/// }
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("weights.json");
/// std::fs::write(&file, "{}")?;
/// let (name, store) = (file.display().to_string(), Here(file.clone()));
/// let mut packed = PackedRequest::new("seed 7".into(), name.clone());
/// packed.keep(&store, &name)?;
/// let there: PackedRequest<String> = PackedRequest::from_json(&packed.to_json()?)?;
/// let files = there.fetch(&store)?;
/// assert_eq!(files.find(&there.request), Some(&*file));
/// assert_eq!(files.find("another.json"), None);
/// # Ok::<(), io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedRequest<T> {
    /// What tells this run from others with the same request, such as the identifier of a match; empty: nothing does.
    pub run: String,
    /// The speed of the machine that asks, where time is limited: clocks are longer at slower workers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed: Option<f64>,
    /// The SHA-256 of each file, by the name that the request has for it.
    pub files: BTreeMap<String, String>,
    /// How programs among the files can be built at a worker, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub programs: BTreeMap<String, ProgramSource>,
    /// The request.
    pub request: T,
}

/// Parts of a doubling in which speeds are told: what is measured differs a little each time, and the run is to be the same.
const SPEED_STEPS: f64 = 4.0;

impl<T: Serialize + DeserializeOwned> PackedRequest<T> {
    /// A request that names no files yet.
    pub fn new(run: String, request: T) -> PackedRequest<T> {
        PackedRequest { run, speed: None, files: BTreeMap::new(), programs: BTreeMap::new(), request }
    }

    /// As JSON.
    ///
    /// # Errors
    /// When it cannot be told in JSON.
    pub fn to_json(&self) -> io::Result<String> {
        serde_json::to_string(self).map_err(io::Error::other)
    }

    /// What the run is known by: the same on every machine that may coordinate it. The measured speed of a machine, its instruction sets and
    /// the bytes that its compiler made of a program's source are left out; the source stands in their place.
    ///
    /// # Errors
    /// When it cannot be told in JSON.
    pub fn identity(&self) -> io::Result<String> {
        let is_built = |name: &String| self.programs.contains_key(name);
        let files: BTreeMap<_, _> = self.files.iter().filter(|(name, _)| !is_built(name)).collect();
        let sources: BTreeMap<_, _> =
            self.programs.iter().map(|(name, source)| (name, (&source.archive, &source.order))).collect();
        serde_json::to_string(&(&self.run, self.speed.is_some(), files, sources, &self.request))
            .map_err(io::Error::other)
    }

    /// Begins the run on workers that `carrier` reaches, under this name and kind of work. `essence`: how results of two workers are
    /// compared, where it does not depend on clocks; `repeats`: whether engines make the same twice, `None` where that is not known.
    ///
    /// # Errors
    /// Those of the carrier.
    pub fn begin(
        &self,
        carrier: &dyn Carrier,
        (name, kind): (&str, &'static str),
        (essence, repeats): (ResultEssence, Option<bool>),
    ) -> io::Result<Box<dyn Dispatcher>> {
        let (request, identity) = (self.to_json()?, self.identity()?);
        // Speeds are told where time is limited, and nowhere else.
        let nodes_limited = self.speed.is_none();
        let essence = Some(essence).filter(|_| nodes_limited && repeats != Some(false));
        let is_repeatable = repeats == Some(true);
        let (request, identity) = (request.as_str(), identity.as_str());
        carrier.begin(&RunOrder { name, kind, request, identity, nodes_limited, essence, is_repeatable })
    }

    /// From JSON.
    ///
    /// # Errors
    /// When it is another request.
    pub fn from_json(text: &str) -> io::Result<PackedRequest<T>> {
        let wrong = |error| io::Error::new(io::ErrorKind::InvalidData, format!("not a request for this work: {error}"));
        serde_json::from_str(text).map_err(wrong)
    }
}

impl<T> PackedRequest<T> {
    /// Notes the speed of this machine, since time is limited.
    pub fn note_speed(&mut self, speed: f64) {
        self.speed = Some(((speed.max(1e-3).log2() * SPEED_STEPS).round() / SPEED_STEPS).exp2());
    }

    /// How much longer clocks are at a worker of this speed.
    pub fn clock_factor(&self, worker: f64) -> f64 {
        self.speed.map_or(1.0, |speed| (speed / worker.max(1e-3)).clamp(0.02, 50.0))
    }

    /// Keeps the file called `name` for the workers; what is no regular file stays a word.
    ///
    /// # Errors
    /// When it cannot be read or kept.
    pub fn keep(&mut self, store: &dyn FileStore, name: &str) -> io::Result<()> {
        self.keep_as(store, name, Path::new(name))
    }

    /// Keeps the program called `name`, also where the folders of programs have it.
    ///
    /// # Errors
    /// When it cannot be read or kept.
    pub fn keep_program(&mut self, store: &dyn FileStore, name: &str) -> io::Result<()> {
        let found = Some(PathBuf::from(name)).filter(|path| path.is_file()).or_else(|| find_program(name));
        let path = found.unwrap_or_else(|| name.into());
        self.keep_as(store, name, &path)?;
        if self.files.contains_key(name)
            && let Some(source) = store.source(&path)?
        {
            self.programs.insert(name.to_string(), source);
        }
        Ok(())
    }

    fn keep_as(&mut self, store: &dyn FileStore, name: &str, path: &Path) -> io::Result<()> {
        if path.is_file() {
            self.files.insert(name.to_string(), store.keep(path)?);
        }
        Ok(())
    }

    /// The files at this worker, each under a name with the same ending.
    ///
    /// # Errors
    /// When one cannot be had, or is another one by now.
    pub fn fetch(&self, store: &dyn FileStore) -> io::Result<LocalFiles> {
        let fetched = self.files.iter().map(|(name, sum)| {
            let told = |error: io::Error| io::Error::new(error.kind(), format!("{name}: {error}"));
            let built = self.programs.get(name).map(|source| store.build(source)).transpose().map_err(told)?.flatten();
            if let Some(built) = built {
                return Ok((name.clone(), std::path::absolute(built)?));
            }
            let found = store.find(sum).and_then(|path| named(&path, sum, Path::new(name))).map_err(told)?;
            Ok((name.clone(), std::path::absolute(found)?))
        });
        fetched.collect::<io::Result<_>>().map(LocalFiles)
    }
}

/// The files of a request at a worker, by the names that the request has for them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalFiles(BTreeMap<String, PathBuf>);

impl LocalFiles {
    /// Where the file called `name` lies; `None`: it is no file of the request, but a word.
    pub fn find(&self, name: &str) -> Option<&Path> {
        self.0.get(name).map(PathBuf::as_path)
    }

    /// [`find`](LocalFiles::find), as a word in place of the name; a program can be started there.
    ///
    /// # Errors
    /// When it cannot be made a program.
    pub fn word(&self, name: &str, is_program: bool) -> io::Result<Option<String>> {
        let Some(path) = self.find(name) else { return Ok(None) };
        if is_program && !may_run(path) {
            allow_running(path)?;
        }
        Ok(Some(path.to_string_lossy().into_owned()))
    }
}

/// A file that a store has under its checksum, under its own name: formats are known by the endings of names.
fn named(path: &Path, sum: &str, name: &Path) -> io::Result<PathBuf> {
    let name = name.file_name().unwrap_or(OsStr::new("file"));
    if path.file_name() != Some(OsStr::new(sum)) {
        return Ok(path.to_path_buf());
    }
    let folder = path.with_file_name(format!("{sum}.named"));
    fs::create_dir_all(&folder)?;
    let target = folder.join(name);
    match sha256(&target) {
        Ok(found) if found == sum => return Ok(target),
        Ok(_) => fs::remove_file(&target)?,
        Err(_) => {}
    }
    match fs::hard_link(path, &target) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        // Some file systems have no links.
        Err(_) => {
            let mut copy = AtomicFile::create(&target)?;
            io::copy(&mut fs::File::open(path)?, &mut copy)?;
            copy.commit()?;
        }
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Store(PathBuf);

    impl FileStore for Store {
        fn find(&self, sha256: &str) -> io::Result<PathBuf> {
            Ok(self.0.join(sha256))
        }

        fn keep(&self, file: &Path) -> io::Result<String> {
            let sum = sha256(file)?;
            fs::copy(file, self.0.join(&sum))?;
            Ok(sum)
        }
    }

    /// A file under its checksum has no ending, and readers did not know its format.
    #[test]
    fn files_keep_their_endings_and_programs_can_be_started() {
        let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (store, file) = (Store(there.path().into()), here.path().join("book.pgn.zst"));
        fs::write(&file, "games").unwrap();
        let name = file.display().to_string();
        let mut packed = PackedRequest::new(String::new(), 7_u8);
        packed.keep_program(&store, &name).unwrap();
        packed.keep(&store, "no such file").unwrap();
        let packed: PackedRequest<u8> = PackedRequest::from_json(&packed.to_json().unwrap()).unwrap();
        assert_eq!((packed.files.len(), packed.request), (1, 7));
        for _ in 0..2 {
            let found = PathBuf::from(packed.fetch(&store).unwrap().word(&name, true).unwrap().unwrap());
            assert_eq!((found.file_name(), fs::read_to_string(&found).unwrap()), (file.file_name(), "games".into()));
            assert!(found.starts_with(there.path()) && (cfg!(not(unix)) || may_run(&found)));
            // One that was changed there is put right.
            fs::remove_file(&found).unwrap();
            fs::write(&found, "other").unwrap();
        }
    }

    /// A store of a machine for which programs are built.
    struct Builds(Store);

    impl FileStore for Builds {
        fn find(&self, sha256: &str) -> io::Result<PathBuf> {
            self.0.find(sha256)
        }

        fn keep(&self, file: &Path) -> io::Result<String> {
            self.0.keep(file)
        }

        fn source(&self, program: &Path) -> io::Result<Option<ProgramSource>> {
            let (archive, order) = (self.keep(program)?, "make".to_string());
            let system = "another".to_string();
            Ok(Some(ProgramSource { archive, order, system, instruction_sets: Vec::new(), always: false }))
        }

        fn build(&self, source: &ProgramSource) -> io::Result<Option<PathBuf>> {
            let built = self.0.0.join("built");
            fs::write(&built, format!("{} for {}", source.order, source.system))?;
            Ok(Some(built))
        }
    }

    /// A run that was begun on a machine with AVX-512 was not gone on with by one without, nor where the clock of the processor had changed.
    #[test]
    fn a_run_is_the_same_on_every_machine_that_coordinates_it() {
        let of_machine = |sets: &[&str], binary: &str, speed: f64, source: &str| {
            let mut packed = PackedRequest::new("match 7".into(), 7_u8);
            packed.files = [("engine".to_string(), binary.to_string()), ("net".into(), "1f".into())].into();
            let source = ProgramSource {
                archive: source.into(),
                order: "make".into(),
                system: "linux x86_64".into(),
                instruction_sets: sets.iter().map(|set| set.to_string()).collect(),
                always: false,
            };
            packed.programs.insert("engine".into(), source);
            packed.note_speed(speed);
            packed
        };
        let one = of_machine(&["avx2"], "aa", 1.0, "source");
        let other = of_machine(&["avx2", "avx512f"], "bb", 1.7, "source");
        assert_ne!(one.to_json().unwrap(), other.to_json().unwrap());
        assert_eq!(one.identity().unwrap(), other.identity().unwrap());
        // Another source, another file or another request is another run.
        let differ = |other: &PackedRequest<u8>| assert_ne!(one.identity().unwrap(), other.identity().unwrap());
        differ(&of_machine(&["avx2"], "aa", 1.0, "another source"));
        let mut another = one.clone();
        another.files.insert("net".into(), "2f".into());
        differ(&another);
        differ(&PackedRequest { request: 8, ..one.clone() });
        differ(&PackedRequest { run: "match 8".into(), ..one.clone() });
        differ(&PackedRequest { speed: None, ..one.clone() });
    }

    #[test]
    fn a_program_is_built_where_the_store_says_so_and_other_files_are_fetched() {
        let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let store = Builds(Store(there.path().into()));
        let names = ["engine", "net.nnue"].map(|name| {
            fs::write(here.path().join(name), name).unwrap();
            here.path().join(name).display().to_string()
        });
        let mut packed = PackedRequest::new(String::new(), ());
        packed.keep_program(&store, &names[0]).unwrap();
        packed.keep(&store, &names[1]).unwrap();
        let packed: PackedRequest<()> = PackedRequest::from_json(&packed.to_json().unwrap()).unwrap();
        let text = |store: &dyn FileStore, name: &str| {
            fs::read_to_string(packed.fetch(store).unwrap().find(name).unwrap()).unwrap()
        };
        assert_eq!(names.each_ref().map(|name| text(&store, name)), ["make for another", "net.nnue"]);
        // Where nobody builds, the file is taken.
        assert_eq!(text(&store.0, &names[0]), "engine");
    }

    #[test]
    fn clocks_are_longer_at_slower_workers() {
        let mut packed = PackedRequest::new(String::new(), ());
        assert_eq!(packed.clock_factor(0.1), 1.0);
        for measured in [0.97, 1.0, 1.03] {
            packed.note_speed(measured);
            assert_eq!((packed.clock_factor(0.5), packed.clock_factor(2.0)), (2.0, 0.5), "{measured}");
        }
    }
}
