//! Keys of a fleet beyond loopback: a file for each worker, with where the server is, the worker's name, a secret, and the certificate of the
//! authority that has signed the server's.

use crate::{
    FleetError,
    address::ServerAddress,
    host::{check_name, fresh_name},
};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tesuji_jobs::AtomicFile;
use tesuji_system::make_private;

/// Who may do everything: runs are started, paused and stopped by this name.
pub(crate) const OPERATOR: &str = "operator";
/// The environment variable that holds the token where the address has none.
pub(crate) const TOKEN_VARIABLE: &str = "TESUJI_FLEET_TOKEN";
/// The first line of a key.
const TITLE: &str = "key of a tesuji fleet: keep it to yourself";
/// Where a certificate begins.
const CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----";
/// The folder of keys in that of the server.
pub(crate) const KEYS: &str = "keys";
/// The ending of a key.
const ENDING: &str = "key";
/// Where the address with the token is, in the server's folder.
pub(crate) const ADDRESS: &str = "address";
/// Where the key of this machine is, in the server's folder.
pub(crate) const NEAR_KEY: &str = "near.key";
/// Where the operator's key is, in the server's folder.
pub(crate) const OPERATOR_KEY: &str = "operator.key";

/// What a key says.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    /// Where the server is: `tls://HOST:PORT`.
    pub(crate) address: String,
    /// The name of the worker, or [`OPERATOR`].
    pub(crate) name: String,
    pub(crate) secret: String,
    /// The certificate of the authority, as PEM.
    pub(crate) authority: String,
}

/// Writes a file that only this user may read, wherever it is copied to with its permissions.
pub(crate) fn write_secret(path: &Path, text: &str) -> Result<(), FleetError> {
    let written = AtomicFile::write(path, text.as_bytes()).and_then(|()| make_private(path));
    written.map_err(|error| FleetError::file(path, error))
}

impl Key {
    fn text(&self) -> String {
        let Key { address, name, secret, authority } = self;
        format!("{TITLE}\naddress: {address}\nname: {name}\nsecret: {secret}\n{authority}")
    }

    fn parse(text: &str) -> Result<Key, String> {
        let mut lines = text.lines().enumerate();
        let mut next = |wanted: &str, start: &str| {
            let (number, line) = lines.next().unwrap_or((0, ""));
            let rest = line.trim_end().strip_prefix(start).filter(|rest| start == TITLE || !rest.is_empty());
            rest.map(str::to_string).ok_or_else(|| format!("line {}: expected `{wanted}`", number + 1))
        };
        next(TITLE, TITLE)?;
        let address = next("address: tls://HOST:PORT", "address: ")?;
        let name = next("name: NAME", "name: ")?;
        let secret = next("secret: SECRET", "secret: ")?;
        let at = text.find(CERTIFICATE).ok_or_else(|| format!("line 5: expected `{CERTIFICATE}`"))?;
        Ok(Key { address, name, secret, authority: text[at..].to_string() })
    }

    pub(crate) fn write(&self, path: &Path) -> Result<(), FleetError> {
        write_secret(path, &self.text())
    }

    pub(crate) fn read(path: &Path) -> Result<Key, FleetError> {
        let text = fs::read_to_string(path).map_err(|error| FleetError::file(path, error))?;
        Key::parse(&text).map_err(|reason| FleetError::Key { path: path.to_path_buf(), reason })
    }

    /// The server as the key in this file names it.
    pub(crate) fn server(path: &Path) -> Result<ServerAddress, FleetError> {
        let key = Key::read(path)?;
        // The client reads the certificate from the file whenever it connects.
        let authority = std::path::absolute(path).map_err(|error| FleetError::file(path, error))?;
        let address = ServerAddress::parse_alone(&key.address)?;
        if !address.is_encrypted {
            let reason =
                "line 2: expected `address: tls://HOST:PORT`: a key is told over encrypted connections alone".into();
            return Err(FleetError::Key { path: path.to_path_buf(), reason });
        }
        Ok(ServerAddress { token: Some(key.secret), user: Some(key.name), authority: Some(authority), ..address })
    }
}

/// Keeps the address of a fleet in a file that only this user may read: commands take the file in its place, so that no list of processes
/// shows the token.
///
/// # Errors
/// When it is no address, or the file cannot be written.
pub fn keep_address(path: &Path, text: &str) -> Result<(), FleetError> {
    let text = text.trim();
    server_named(text)?;
    let whole = std::path::absolute(text).map_err(|error| FleetError::file(Path::new(text), error))?;
    write_secret(path, &if text.contains("://") { text.to_string() } else { whole.display().to_string() })
}

/// Where a fleet is, without its token.
///
/// # Errors
/// When this names none.
pub fn place_of(text: &str) -> Result<String, FleetError> {
    Ok(server_named(text)?.to_string())
}

/// The server that an address names, or the file of a key or of an address, or the folder of `fleet up`; a token that an address lacks
/// comes from the environment.
pub(crate) fn server_named(text: &str) -> Result<ServerAddress, FleetError> {
    let token = std::env::var(TOKEN_VARIABLE).ok().filter(|token| !token.is_empty());
    named(text, FILES_MAX, token)
}

/// Whether this names a server together with its token or key, or one that wants none (`nats://@HOST`), so that none comes from the environment.
///
/// # Errors
/// When this names none.
pub fn has_own_token(text: &str) -> Result<bool, FleetError> {
    // Nobody has this token: where it comes back it was asked for.
    let other = fresh_name();
    Ok(named(text, FILES_MAX, Some(other.clone()))?.token != Some(other))
}

/// Files that name files, one after the other, at most.
const FILES_MAX: u32 = 4;

fn named(text: &str, files: u32, token: Option<String>) -> Result<ServerAddress, FleetError> {
    let path = Path::new(text);
    if !text.contains("://") && path.is_dir() {
        let [key, address] = [NEAR_KEY, ADDRESS].map(|name| path.join(name));
        return match [key.is_file(), address.is_file()] {
            [true, _] => Key::server(&key),
            [_, true] if files > 0 => named(&address.display().to_string(), files - 1, token),
            _ => Err(FleetError::NoFleet { folder: path.to_path_buf() }),
        };
    }
    if !text.contains("://") && path.is_file() {
        let content = fs::read_to_string(path).map_err(|error| FleetError::file(path, error))?;
        let line = content.trim();
        let is_address = !line.contains('\n') && (line.contains("://") || Path::new(line).is_absolute());
        return if is_address && files > 0 { named(line, files - 1, token) } else { Key::server(path) };
    }
    let mut address = ServerAddress::parse_alone(text)?;
    // An empty token is one that somebody meant: that of the environment is for another server.
    address.token = address.token.or(token.filter(|_| !text.contains("://@")));
    Ok(address)
}

/// What tells a worker from all others where each has a key: a worker cannot say that it is another one.
pub(crate) fn id_of_key(name: &str) -> String {
    format!("key-{name}")
}

/// The keys of workers in the folder of a server, by name. Files that are none, copies under another name too, are left out and logged: they
/// must not keep the others from their work.
pub(crate) fn worker_keys(folder: &Path) -> Vec<Key> {
    let files = fs::read_dir(folder.join(KEYS)).into_iter().flatten().flatten().map(|file| file.path());
    let mut keys: Vec<Key> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == ENDING))
        .filter_map(|path| match key_of_worker(&path) {
            Ok(key) => Some(key),
            Err(error) => {
                tracing::warn!(%error, "a file among the keys is left out");
                None
            }
        })
        .collect();
    keys.sort_by(|a, b| a.name.cmp(&b.name));
    keys
}

/// The key in a file that is called by the worker's name.
fn key_of_worker(path: &Path) -> Result<Key, FleetError> {
    let key = Key::read(path)?;
    check_name(&key.name)?;
    if key.name == OPERATOR || path.file_stem().is_none_or(|stem| stem != key.name.as_str()) {
        let reason =
            format!("line 3: expected the name of a worker, by which the file is called, and not `{}`", key.name);
        return Err(FleetError::Key { path: path.to_path_buf(), reason });
    }
    Ok(key)
}

/// Makes the key of a worker for the server whose folder this is; where it is. One that is there stays as it is.
///
/// # Errors
/// When no worker can have the name, or the server of this folder wants no keys.
pub fn make_key(folder: &Path, name: &str) -> Result<PathBuf, FleetError> {
    check_name(name)?;
    if name == OPERATOR {
        return Err(FleetError::Name { name: name.to_string() });
    }
    let operator = folder.join(OPERATOR_KEY);
    if !operator.is_file() {
        return Err(FleetError::NoKeys { folder: folder.to_path_buf() });
    }
    let path = folder.join(KEYS).join(format!("{name}.{ENDING}"));
    let operator = Key::read(&operator)?;
    let secret = if path.is_file() { Key::read(&path)?.secret } else { fresh_name() };
    crate::error::make_folder(&folder.join(KEYS))?;
    Key { name: name.to_string(), secret, ..operator }.write(&path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key() -> Key {
        let authority = format!("{CERTIFICATE}\nMIIB\n-----END CERTIFICATE-----\n");
        Key { address: "tls://host:1".into(), name: "w-1".into(), secret: "s3cret".into(), authority }
    }

    #[test]
    fn an_address_says_whether_it_has_a_token() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("address");
        for (address, has) in [("nats://host:1", false), ("nats://@host:1", true), ("nats://s3cret@host:1", true)] {
            fs::write(&file, address).unwrap();
            assert_eq!(has_own_token(address).unwrap(), has, "{address}");
            assert_eq!(has_own_token(&file.display().to_string()).unwrap(), has, "{address} in a file");
        }
        let path = folder.path().join("w-1.key");
        key().write(&path).unwrap();
        assert!(has_own_token(&path.display().to_string()).unwrap());
        assert!(has_own_token("somewhere").is_err());
    }

    #[test]
    fn a_key_names_server_worker_and_authority() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w-1.key");
        key().write(&path).unwrap();
        assert!(Key::read(&path).unwrap() == key());
        let server = server_named(&path.display().to_string()).unwrap();
        assert_eq!(server.to_string(), "tls://host:1");
        assert_eq!((server.user.as_deref(), server.token.as_deref()), (Some("w-1"), Some("s3cret")));
        assert_eq!(server.authority.as_deref(), Some(&*path));
    }

    #[test]
    fn a_folder_or_a_file_stands_for_an_address() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let told = server_named(&at("")).unwrap_err().to_string();
        assert!(told.contains("no fleet was started with this folder; `tesuji fleet up --folder"), "{told}");
        fs::write(folder.path().join(ADDRESS), "nats://s3cret@127.0.0.1:7\n").unwrap();
        keep_address(&folder.path().join("kept"), &at("")).unwrap();
        for name in ["", ADDRESS, "kept"] {
            let server = server_named(&at(name)).unwrap();
            assert_eq!((server.to_string().as_str(), server.token.as_deref()), ("nats://127.0.0.1:7", Some("s3cret")));
        }
        // Where the server wants keys, the key of this machine is in the folder.
        key().write(&folder.path().join(NEAR_KEY)).unwrap();
        assert_eq!(place_of(&at("kept")).unwrap(), "tls://host:1");
        // One that names itself ends.
        fs::write(folder.path().join("round"), at("round")).unwrap();
        let told = server_named(&at("round")).unwrap_err().to_string();
        assert!(told.contains("no key of a fleet"), "{told}");
        for wrong in ["", "http://s3cret@x", "nats://s3cret@"] {
            let told = keep_address(&folder.path().join("bad"), wrong).unwrap_err().to_string();
            assert!(told.contains("expected nats://") && !told.contains("s3cret"), "{told}");
        }
        assert!(!folder.path().join("bad").exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_a_key() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w-1.key");
        key().write(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_is_told_over_encrypted_connections_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("w-1.key");
        Key { address: "nats://host:1".into(), ..key() }.write(&path).unwrap();
        let told = server_named(&path.display().to_string()).unwrap_err().to_string();
        assert!(told.contains("line 2: expected `address: tls://") && !told.contains("s3cret"), "{told}");
    }

    #[test]
    fn what_is_no_key_is_told_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.key");
        for (text, words) in [
            ("hello\n".to_string(), "line 1: expected `key of a tesuji fleet"),
            (key().text().replace("name: w-1", "called: w-1"), "line 3: expected `name: NAME`"),
            (key().text().replace("secret: s3cret", "secret: "), "line 4: expected `secret: SECRET`"),
            (key().text().replace("BEGIN", "BEG"), "line 5: expected `-----BEGIN CERTIFICATE"),
        ] {
            fs::write(&path, text).unwrap();
            let told = Key::read(&path).err().unwrap().to_string();
            assert!(told.contains(words) && told.contains("x.key") && !told.contains("s3cret"), "{told}");
        }
    }

    #[test]
    fn keys_are_made_where_a_server_wants_them_and_stay_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let told = make_key(folder.path(), "a").unwrap_err().to_string();
        assert!(told.contains("tesuji fleet up --listen"), "{told}");
        Key { name: OPERATOR.into(), ..key() }.write(&folder.path().join(OPERATOR_KEY)).unwrap();
        let path = make_key(folder.path(), "b").unwrap();
        let first = Key::read(&path).unwrap();
        assert!(first.secret.len() >= 32 && first.secret != "s3cret" && first.address == "tls://host:1");
        make_key(folder.path(), "a").unwrap();
        assert!(Key::read(&make_key(folder.path(), "b").unwrap()).unwrap() == first);
        // Copies, keys of others and what is no key keep no worker from its work.
        let keys = folder.path().join(KEYS);
        fs::copy(&path, keys.join("b-old.key")).unwrap();
        fs::write(keys.join("c.key"), "no key\n").unwrap();
        Key { name: OPERATOR.into(), ..key() }.write(&keys.join("operator.key")).unwrap();
        let names: Vec<_> = worker_keys(folder.path()).into_iter().map(|key| key.name).collect();
        assert_eq!(names, ["a", "b"]);
        for name in ["", "a b", "../x", OPERATOR] {
            assert!(matches!(make_key(folder.path(), name), Err(FleetError::Name { .. })), "{name}");
        }
    }
}
