//! The local web application: an HTTP API over the doors of the games, and the page from `web/`. Names no game.
//!
//! The server listens on loopback. Every request must name it as its host, so that no foreign name can be bound to it;
//! whatever changes something also needs the token of this start and, from a browser, the page's own origin.

mod api;
mod arena;
mod datasets;
mod frames;
mod grove;
mod guard;
mod jobs;
mod page;
mod places;
mod problem;
mod records;
mod runs;
mod sessions;
mod signs;
mod solving;
mod think;
mod trees;
mod why;
mod workspace;

pub use api::open_api;
pub use problem::Problem;

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    sync::Arc,
};
use tesuji_engine::Kit;
use tokio::net::TcpListener;

/// How to serve.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The port on loopback; 0: any that is free.
    pub port: u16,
    /// Whether changes need the token of this start.
    pub with_token: bool,
    /// What `/version` says.
    pub version: String,
    /// The folder whose files the page may read, and where jobs are kept; made where it is not.
    pub workspace: PathBuf,
    /// The program that is run for jobs: `tesuji` itself.
    pub program: PathBuf,
    /// Decides what is random in new jobs; none: a new one for each.
    pub seed: Option<u64>,
    /// Whether a demo match begins at once in a workspace without jobs.
    pub demo: bool,
}

/// Why serving ended, or did not begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The port cannot be had.
    #[error("cannot listen on 127.0.0.1:{port}: {error}; choose another with --port, or 0 for any")]
    Listen {
        /// The port.
        port: u16,
        /// Why.
        error: std::io::Error,
    },
    /// The workspace cannot be used.
    #[error("the workspace {}: {error}; choose another with --workspace", folder.display())]
    Workspace {
        /// The folder.
        folder: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The server broke.
    #[error("the server stopped: {0}")]
    Broken(std::io::Error),
    /// The binary has no page.
    #[error(
        "this binary was built without the page ({0}).\nInstall Node 20 or later (on Debian: apt-get install nodejs npm), \
         then build again in its folder: touch web/index.html && cargo build --release"
    )]
    NoPage(String),
}

/// What all requests share.
pub(crate) struct App {
    pub(crate) kits: &'static [&'static dyn Kit],
    pub(crate) guard: guard::Guard,
    pub(crate) sessions: sessions::Sessions,
    pub(crate) records: records::store::Store,
    pub(crate) jobs: Arc<jobs::Jobs>,
    pub(crate) matches: arena::Indexes,
    pub(crate) seed: Option<u64>,
    pub(crate) version: String,
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
}

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    /// When the port cannot be had.
    pub async fn bind(settings: &Settings, kits: &'static [&'static dyn Kit]) -> Result<Server, ServeError> {
        let wanted = SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port));
        let failed = |error| ServeError::Listen { port: settings.port, error };
        let listener = TcpListener::bind(wanted).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let guard = guard::Guard::new(address.port(), settings.with_token);
        let lost = |error| ServeError::Workspace { folder: settings.workspace.clone(), error };
        let space = workspace::Workspace::open(&settings.workspace).map_err(lost)?;
        let records = records::store::Store::open(&space).map_err(lost)?;
        let jobs = jobs::Jobs::open(space, settings.program.clone(), settings.version.clone()).map_err(lost)?;
        let app = App {
            kits,
            guard,
            sessions: sessions::Sessions::default(),
            records,
            jobs,
            matches: arena::Indexes::default(),
            seed: settings.seed,
            version: settings.version.clone(),
        };
        if settings.demo {
            arena::demo(&app);
        }
        Ok(Server { listener, app: Arc::new(app), address })
    }

    /// Where it listens.
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

    /// Answers until `stop` is done; then ends running searches.
    ///
    /// # Errors
    /// When the listener breaks.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let app = self.app.clone();
        let ended = async move {
            stop.await;
            app.sessions.end_all();
            let _ = tokio::task::spawn_blocking(move || app.jobs.end()).await;
        };
        axum::serve(self.listener, api::router(self.app))
            .with_graceful_shutdown(ended)
            .await
            .map_err(ServeError::Broken)
    }
}

/// Serves until Ctrl-C. `ready` hears where.
///
/// # Errors
/// When the port cannot be had, the page is not in the binary, or the server breaks.
pub fn serve(
    settings: &Settings,
    kits: &'static [&'static dyn Kit],
    ready: impl FnOnce(&Server),
) -> Result<(), ServeError> {
    if let Some(why) = page::absent() {
        return Err(ServeError::NoPage(why));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(ServeError::Broken)?.block_on(async {
        let server = Server::bind(settings, kits).await?;
        ready(&server);
        server
            .run(async {
                let _ = tokio::signal::ctrl_c().await;
            })
            .await
    })
}
