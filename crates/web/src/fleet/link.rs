//! The connection to the workspace's fleet: where it is, made when it is first asked for, and again when that has changed.

use super::FleetWish;
use crate::Problem;
use serde::Serialize;
use std::{
    fs, io,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};
use tesuji_fleet::{Fleet, HAS_NATS, LeaseTiming, find_server, has_own_token, keep_address, place_of};
use tesuji_jobs::Interrupt;
use utoipa::ToSchema;

/// Where `tesuji fleet up` keeps a fleet, from the workspace.
const FOLDER: &str = ".tesuji/fleet";
/// The file with the address of the fleet that was chosen, from the workspace.
pub(crate) const CHOSEN: &str = ".tesuji/fleet.address";
/// Files of the folder that say where its fleet is.
const SIGNS: [&str; 3] = ["near.key", "address", "port"];
/// How long a connection that failed is not tried again: pages ask every other second.
const PAUSE: Duration = Duration::from_secs(3);
/// How long it is known which `nats-server` is here: to find out takes two processes.
const SERVER_KNOWN: Duration = Duration::from_secs(60);

/// Where the workspace's fleet is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct FleetPlace {
    /// Its address, without the token.
    address: String,
    /// What commands take after `--fleet`, from the workspace.
    argument: String,
    /// Whether somebody chose it; else it was started in this folder.
    is_chosen: bool,
}

/// When each file that says where the fleet is was written.
type Signs = Vec<Option<SystemTime>>;

#[derive(Default)]
enum Connection {
    #[default]
    None,
    Made(Signs, Arc<Fleet>),
    Failed(Signs, Instant, String),
    /// The server of the page has ended.
    Ended,
}

/// The workspace's fleet.
pub(crate) struct FleetLink {
    root: PathBuf,
    connection: Mutex<Connection>,
    /// Held by the one that makes a connection, which takes seconds where nobody answers.
    opening: Mutex<()>,
    /// When it was looked for a `nats-server`, and its version.
    server: Mutex<Option<(Instant, Option<String>)>>,
}

impl FleetLink {
    pub(crate) fn new(root: PathBuf) -> FleetLink {
        FleetLink { root, connection: Mutex::default(), opening: Mutex::default(), server: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The version of the `nats-server` on this machine.
    pub(super) fn server(&self) -> Option<String> {
        let mut known = self.server.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, version)) = known.as_ref().filter(|(when, _)| when.elapsed() < SERVER_KNOWN) {
            return version.clone();
        }
        let version = find_server().ok().map(|(_, version)| version);
        *known = Some((Instant::now(), version.clone()));
        version
    }

    /// The folder in which `tesuji fleet up` keeps the fleet of this workspace.
    pub(super) fn folder(&self) -> String {
        self.root.join(FOLDER).display().to_string()
    }

    /// What commands take after `--fleet`.
    fn argument(&self) -> Option<&'static str> {
        if self.root.join(CHOSEN).is_file() {
            return Some(CHOSEN);
        }
        let folder = self.root.join(FOLDER);
        SIGNS[..2].iter().any(|name| folder.join(name).is_file()).then_some(FOLDER)
    }

    /// Where the fleet is; `None`: nobody started or chose one.
    pub(super) fn place(&self) -> Option<FleetPlace> {
        let argument = self.argument()?;
        let address = place_of(&self.root.join(argument).display().to_string()).unwrap_or_default();
        Some(FleetPlace { address, argument: argument.into(), is_chosen: argument == CHOSEN })
    }

    fn signs(&self) -> Signs {
        let files = SIGNS.iter().map(|name| self.root.join(FOLDER).join(name)).chain([self.root.join(CHOSEN)]);
        files.map(|file| fs::metadata(file).and_then(|data| data.modified()).ok()).collect()
    }

    /// A connection to a fleet by what names it.
    fn open(&self, name: &str) -> Result<Arc<Fleet>, String> {
        let files = self.root.join(FOLDER).join("files");
        let fleet = Fleet::connect_with(name, &Interrupt::new(), files, LeaseTiming::default());
        fleet.map(Arc::new).map_err(|error| error.to_string())
    }

    /// The fleet.
    ///
    /// # Errors
    /// In words, why it cannot be reached.
    pub(super) fn connect(&self) -> Result<Arc<Fleet>, String> {
        let signs = self.signs();
        if let Some(known) = self.known(&signs) {
            return known;
        }
        // One asks at a time, and no other waits for it: the threads of the page's server are few.
        let Ok(_opening) = self.opening.try_lock() else {
            return Err(match &*self.lock() {
                Connection::Failed(known, _, problem) if *known == signs => problem.clone(),
                _ => "the fleet is being asked; try again".into(),
            });
        };
        let Some(argument) = self.argument() else {
            self.keep(Connection::None);
            return Err("this workspace has no fleet".into());
        };
        let opened = self.open(&self.root.join(argument).display().to_string());
        self.keep(match &opened {
            Ok(fleet) => Connection::Made(signs, fleet.clone()),
            Err(problem) => Connection::Failed(signs, Instant::now(), problem.clone()),
        });
        opened
    }

    /// The connection as it is known, where it need not be made again.
    fn known(&self, signs: &Signs) -> Option<Result<Arc<Fleet>, String>> {
        match &*self.lock() {
            Connection::Made(known, fleet) if known == signs => Some(Ok(fleet.clone())),
            Connection::Failed(known, when, problem) if known == signs && when.elapsed() < PAUSE => {
                Some(Err(problem.clone()))
            }
            Connection::Ended => Some(Err("the server of the page ends".into())),
            _ => None,
        }
    }

    /// Keeps a connection, unless the server of the page has ended meanwhile.
    fn keep(&self, new: Connection) {
        let mut connection = self.lock();
        if !matches!(*connection, Connection::Ended) {
            // The old one is let go of without the lock.
            let old = std::mem::replace(&mut *connection, new);
            drop(connection);
            drop(old);
        }
    }

    /// Keeps where the fleet is, if it answers.
    ///
    /// # Errors
    /// In words, what is wrong with the address, or why it does not answer.
    pub(super) fn choose(&self, address: &str) -> Result<(), String> {
        // The operator's token is for the operator's fleet, not for any address that comes from a page.
        if !has_own_token(address).map_err(|error| error.to_string())? {
            return Err(
                "the address has no token, and the page sends none of its own: expected nats://TOKEN@HOST:PORT, \
                        nats://@HOST:PORT for a server that wants no token, or the file of a key in the workspace"
                    .into(),
            );
        }
        drop(self.open(address)?);
        fs::create_dir_all(self.root.join(".tesuji")).map_err(|error| error.to_string())?;
        keep_address(&self.root.join(CHOSEN), address).map_err(|error| error.to_string())
    }

    /// Forgets the fleet that was chosen.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn forget(&self) -> io::Result<()> {
        match fs::remove_file(self.root.join(CHOSEN)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The words with which a command has this fleet do its work; none where it is not asked for.
    ///
    /// # Errors
    /// When there is no fleet that answers, or no such priority.
    pub(crate) fn words(&self, wish: Option<&FleetWish>) -> Result<Vec<String>, Problem> {
        let Some(FleetWish { priority }) = wish else { return Ok(Vec::new()) };
        if !(1..=1000).contains(priority) {
            return Err(Problem::unprocessable(format!("{priority}: expected 1 to 1000")).at("fleet.priority"));
        }
        let Some(argument) = self.argument().filter(|_| HAS_NATS) else {
            let problem = Problem::conflict("this workspace has no fleet");
            return Err(problem.hint("The page Fleet says how to start one.").at("fleet"));
        };
        self.connect().map_err(|problem| Problem::conflict(problem).at("fleet"))?;
        let words = ["--fleet", argument, "--priority", &priority.to_string()];
        Ok(words.map(String::from).to_vec())
    }

    /// Lets go of the connection, and makes no other.
    pub(crate) fn end(&self) {
        let old = std::mem::replace(&mut *self.lock(), Connection::Ended);
        drop(old);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fleet_is_the_one_that_was_chosen_or_was_started_here() {
        let folder = tempfile::tempdir().expect("a folder");
        let link = FleetLink::new(folder.path().to_path_buf());
        assert_eq!(link.place(), None);
        assert_eq!(link.connect().err().as_deref(), Some("this workspace has no fleet"));
        assert_eq!(link.words(None), Ok(Vec::new()));
        // Nobody waits for one that asks, and the end does not.
        let opening = link.opening.lock().expect("nobody asks");
        assert_eq!(link.connect().err().as_deref(), Some("the fleet is being asked; try again"));
        drop(opening);
        let refused = link.words(Some(&FleetWish { priority: 1 })).expect_err("no fleet");
        assert_eq!((refused.status, refused.place.as_deref()), (409, Some("fleet")));
        let refused = link.words(Some(&FleetWish { priority: 0 })).expect_err("no priority");
        assert_eq!((refused.status, refused.place.as_deref()), (422, Some("fleet.priority")));
        let own = folder.path().join(FOLDER);
        fs::create_dir_all(&own).expect("made");
        assert_eq!(link.place(), None, "files of workers are no fleet");
        fs::write(own.join("address"), "nats://s3cret@127.0.0.1:9").expect("written");
        let here = link.place().expect("a fleet");
        assert_eq!(
            (here.address.as_str(), here.argument.as_str(), here.is_chosen),
            ("nats://127.0.0.1:9", FOLDER, false)
        );
        // Nobody listens there, and nobody says the token.
        let told = link.connect().err().expect("no server");
        assert!(told.contains("no server answers") && !told.contains("s3cret"), "{told}");
        assert!(link.choose("nats://s3cret@127.0.0.1:9").is_err() && !folder.path().join(CHOSEN).exists());
        // No token of the environment goes to an address from a page.
        let told = link.choose("nats://127.0.0.1:9").expect_err("no token");
        assert!(told.contains("the address has no token"), "{told}");
        keep_address(&folder.path().join(CHOSEN), "nats://other@127.0.0.1:8").expect("kept");
        let chosen = link.place().expect("a fleet");
        assert_eq!((chosen.address.as_str(), chosen.is_chosen), ("nats://127.0.0.1:8", true));
        link.forget().expect("forgotten");
        assert_eq!(link.place(), Some(here));
        link.forget().expect("nothing to forget");
        let opening = link.opening.lock().expect("nobody asks");
        link.end();
        drop(opening);
        assert_eq!(link.connect().err().as_deref(), Some("the server of the page ends"));
    }
}
