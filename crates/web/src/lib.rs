//! The local web application: an HTTP API over the doors of the games, and the page from `web/`. Names no game.
//!
//! The server listens on loopback. Every request must name it as its host, so that no foreign name can be bound to it;
//! whatever changes something, costs something or shows data also needs the token of this start or, where it is only read, the
//! page's own origin.

mod api;
mod arena;
mod body;
mod children;
mod clock;
mod connections;
mod datasets;
mod fleet;
mod frames;
mod grove;
mod guard;
mod jobs;
mod openapi;
mod option_views;
mod owners;
mod page;
mod places;
mod presence;
mod problem;
mod reach;
mod records;
mod runs;
mod seats;
mod sessions;
mod signs;
mod solving;
mod think;
mod trees;
mod why;
mod why_not;
mod work;
mod workspace;

pub use api::open_api;
pub use clock::Clock;
pub use connections::ConnectionLimits;
pub use problem::Problem;

use std::{
    fs::File,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    pin::pin,
    sync::Arc,
    time::Duration,
};
use tesuji_kit::Kit;
use tokio::{net::TcpListener, sync::watch};

/// Between two looks at the sessions.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The timeout for connections when the server ends.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// The settings of the server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on loopback; 0: any that is free.
    pub port: u16,
    /// Whether changes need the token of this start.
    pub with_token: bool,
    /// The version that `/version` returns.
    pub version: String,
    /// The folder whose files the page may read, and where jobs are kept; made where it is not.
    pub workspace: PathBuf,
    /// The program that is run for jobs: `tesuji` itself.
    pub program: PathBuf,
    /// Decides what is random in new jobs; none: a new one for each.
    pub seed: Option<u64>,
    /// Whether a demo match begins at once in a workspace without jobs.
    pub demo: bool,
    /// Memory of all searches of the page together, in MiB.
    pub memory_mib: u64,
    /// By which sessions that nobody listens to are paused and forgotten.
    pub clock: Clock,
    /// The limits of client connections.
    pub limits: ConnectionLimits,
}

/// The reason why serving ended, or did not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port cannot be had.
    #[error("cannot listen on 127.0.0.1:{port}: {error}; choose another with --port, or 0 for any")]
    Listen {
        /// The port.
        port: u16,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// The workspace cannot be used.
    #[error("the workspace {}: {error}; choose another with --workspace", folder.display())]
    Workspace {
        /// The folder.
        folder: PathBuf,
        /// The error of the operating system.
        error: std::io::Error,
    },
    /// Another server has the workspace.
    #[error(
        "the workspace {} is served already{}; open that page, end that server, or choose another folder with --workspace",
        folder.display(),
        if address.is_empty() { String::new() } else { format!(" at {address}") }
    )]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// The other server's address without its token; empty: not known.
        address: String,
    },
    /// The system gives no threads.
    #[error("the server cannot begin: {0}")]
    Broken(std::io::Error),
    /// The binary has no page.
    #[error(
        "this binary was built without the page ({0}).\nInstall Node 20 or later (on Debian: apt-get install nodejs npm), \
         then build again in its folder: touch web/index.html && cargo build --release"
    )]
    NoPage(String),
}

/// The state shared by all requests.
pub(crate) struct App {
    pub(crate) kits: &'static [&'static dyn Kit],
    pub(crate) guard: guard::Guard,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) records: records::store::Store,
    pub(crate) reach: reach::Reach,
    pub(crate) work: work::Workers,
    pub(crate) children: children::Children,
    pub(crate) jobs: Arc<jobs::Jobs>,
    pub(crate) matches: arena::Indexes,
    pub(crate) fleet: Arc<fleet::link::FleetLink>,
    /// The games with their options, made once: that takes an engine of each kind.
    pub(crate) games: api::Once,
    pub(crate) seed: Option<u64>,
    pub(crate) version: String,
    /// Becomes true when the server ends.
    pub(crate) ending: watch::Sender<bool>,
    /// The workspace is this server's as long as this file is open.
    _lock: File,
}

impl App {
    /// The game called `name`.
    pub(crate) fn kit(&self, name: &str) -> Result<&'static dyn Kit, Problem> {
        let kit = self.kits.iter().copied().find(|kit| kit.name().eq_ignore_ascii_case(name));
        kit.ok_or_else(|| {
            let known: Vec<&str> = self.kits.iter().map(|kit| kit.name()).collect();
            Problem::not_found(format!("no game is called {name:?}")).hint(format!("There are: {}.", known.join(", ")))
        })
    }
}

/// A server that listens, not yet answering.
pub struct Server {
    listener: TcpListener,
    app: Arc<App>,
    address: SocketAddr,
    limits: ConnectionLimits,
}

impl Server {
    /// Takes the workspace and the port.
    ///
    /// # Errors
    /// When another server has the workspace, or the port cannot be had.
    pub async fn bind(settings: &Settings, kits: &'static [&'static dyn Kit]) -> Result<Server, ServeError> {
        let folder = || settings.workspace.clone();
        let lost = |error| ServeError::Workspace { folder: folder(), error };
        let space = workspace::Workspace::open(&settings.workspace).map_err(lost)?;
        let mut lock = space.lock().map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => ServeError::Taken { folder: folder(), address: error.to_string() },
            _ => lost(error),
        })?;
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
        let failed = |error| ServeError::Listen { port: settings.port, error };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        lock.set_len(0).and_then(|()| write!(lock, "http://{address}/")).map_err(lost)?;
        let guard = guard::Guard::new(address.port(), settings.with_token);
        let records = records::store::Store::open(&space).map_err(lost)?;
        let reach = reach::Reach::new(space.clone(), settings.with_token, settings.memory_mib);
        let fleet_root = space.root().to_path_buf();
        let jobs = jobs::Jobs::open(space, settings.program.clone(), settings.version.clone()).map_err(lost)?;
        let app = App {
            kits,
            guard,
            sessions: sessions::Sessions::new(settings.clock.clone()),
            records,
            reach,
            work: work::Workers::default(),
            children: children::Children::default(),
            jobs,
            matches: arena::Indexes::default(),
            fleet: Arc::new(fleet::link::FleetLink::new(fleet_root)),
            games: api::Once::default(),
            seed: settings.seed,
            version: settings.version.clone(),
            ending: watch::Sender::new(false),
            _lock: lock,
        };
        if settings.demo {
            arena::demo(&app);
        }
        Ok(Server { listener, app: Arc::new(app), address, limits: settings.limits.clone() })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address to open in a browser, with the token.
    pub fn url(&self) -> String {
        let token = self.app.guard.token().map_or(String::new(), |token| format!("#token={token}"));
        format!("http://{}/{token}", self.address)
    }

    /// The token of this start, if changes need one.
    pub fn token(&self) -> Option<&str> {
        self.app.guard.token()
    }

    /// Answers until `stop` is done; then ends running searches and jobs, and connections that do not end by themselves.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) {
        let app = self.app.clone();
        // Making the list of games takes an engine of each kind: not when the first page waits for it.
        let early = app.clone();
        tokio::task::spawn_blocking(move || api::made_games(&early));
        let router = api::router(self.app);
        let mut serving = pin!(connections::serve(self.listener, router, self.limits, app.ending.subscribe()));
        tokio::select! {
            () = &mut serving => {}
            () = stop => {}
            () = look_after(&app) => {}
        }
        app.ending.send_replace(true);
        let (jobs, fleet) = (app.jobs.clone(), app.fleet.clone());
        let jobs = tokio::task::spawn_blocking(move || {
            jobs.end();
            fleet.end();
        });
        // Clients that neither read nor hang up are not waited for.
        let hung_up = tokio::time::timeout(END_PATIENCE, serving);
        let _ = tokio::join!(hung_up, app.sessions.end_all(), jobs);
    }
}

/// Waits until the server ends.
pub(crate) async fn has_ending(mut ending: watch::Receiver<bool>) {
    // A server that is gone has ended.
    let _ = ending.wait_for(|is_ending| *is_ending).await;
}

/// Pauses and forgets sessions that nobody listens to, forever.
async fn look_after(app: &App) {
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        app.sessions.look_after();
    }
}

/// Serves until Ctrl-C. `ready` hears where.
///
/// # Errors
/// When the port cannot be had, the page is not in the binary, or the system gives no threads.
pub fn serve(
    settings: &Settings,
    kits: &'static [&'static dyn Kit],
    ready: impl FnOnce(&Server),
) -> Result<(), ServeError> {
    if let Some(why) = page::absent() {
        return Err(ServeError::NoPage(why));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(ServeError::Broken)?;
    let served = runtime.block_on(async {
        let server = Server::bind(settings, kits).await?;
        ready(&server);
        server.run(told_to_stop()).await;
        Ok(())
    });
    // Work that still runs is for clients that are gone.
    runtime.shutdown_background();
    served
}

/// Waits for Ctrl-C, or for what a system sends that goes down.
async fn told_to_stop() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    if let Ok(mut terminated) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = interrupted => {}
            _ = terminated.recv() => {}
        }
        return;
    }
    let _ = interrupted.await;
}
