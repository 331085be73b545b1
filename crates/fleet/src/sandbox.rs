//! The sandbox of a worker: programs of others run in it where bubblewrap works, and find no secret of the fleet.

use crate::{FleetError, key::TOKEN_VARIABLE};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tesuji_system::{Containment, Sandbox, SandboxRules, contain_programs};

/// Where workspaces keep their fleets, tokens and runs.
const WORKSPACE: &str = ".tesuji";
/// Files that only the folder of a fleet's server has.
const OF_SERVERS: [&str; 4] = ["token", "address", "operator.key", "ca.key"];

/// Whether programs of others run in a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxWish {
    /// Where there is one that works.
    #[default]
    Auto,
    /// Always: a worker without one does not start.
    Require,
    /// Never.
    Off,
}

/// What each wish is called.
const WISHES: [(&str, SandboxWish); 3] =
    [("auto", SandboxWish::Auto), ("require", SandboxWish::Require), ("off", SandboxWish::Off)];

impl std::str::FromStr for SandboxWish {
    type Err = String;

    fn from_str(word: &str) -> Result<SandboxWish, String> {
        let found = WISHES.iter().find(|(name, _)| *name == word);
        found.map(|(_, wish)| *wish).ok_or_else(|| "expected auto, require or off".to_string())
    }
}

/// How programs of others are kept in.
#[derive(Debug, Clone, Default)]
pub struct SandboxOptions {
    /// Whether they are.
    pub wish: SandboxWish,
    /// Whether they may use the network all the same.
    pub network: bool,
    /// MiB of memory of its own that each of their processes may have; `None`: no limit.
    pub memory_mib: Option<u64>,
}

impl SandboxOptions {
    /// The words by which a worker's process is told of them.
    pub(crate) fn words(&self) -> Vec<String> {
        let wish = WISHES.iter().find(|(_, wish)| *wish == self.wish).map_or("auto", |(name, _)| name);
        let mut words = vec!["--sandbox".to_string(), wish.to_string()];
        if self.network {
            words.push("--sandbox-network".into());
        }
        if let Some(mib) = self.memory_mib {
            words.extend(["--sandbox-memory".into(), mib.to_string()]);
        }
        words
    }

    /// The sandbox, where one is wished and works, and what came of it in a line.
    ///
    /// # Errors
    /// Where one is required and does not work.
    pub(crate) fn find(&self, rules: SandboxRules) -> Result<(Option<Sandbox>, String), FleetError> {
        let rules = SandboxRules { network: self.network, memory_mib: self.memory_mib, ..rules };
        if self.wish == SandboxWish::Off {
            return Ok((None, "engines and builds run without a sandbox (--sandbox off)".into()));
        }
        match Sandbox::find(rules) {
            Ok(sandbox) => {
                let line = format!("engines and builds run in a sandbox ({})", sandbox.words());
                Ok((Some(sandbox), line))
            }
            Err(reason) if self.wish == SandboxWish::Require => Err(FleetError::NoSandbox { reason }),
            Err(reason) => Ok((None, format!("engines and builds run without a sandbox: {reason}"))),
        }
    }
}

/// Starts programs of others in a sandbox from now on, where one is wished and works; says in a line what came of it. They see neither `folder`, where workers of
/// this machine keep their affairs, nor the key or folder `url`, nor the token in the environment: only the files of runs.
///
/// # Errors
/// Where one is required and does not work.
pub fn contain_foreign_programs(options: &SandboxOptions, folder: &Path, url: &str) -> Result<String, FleetError> {
    let files = folder.join("files");
    fs::create_dir_all(&files).map_err(|error| FleetError::file(&files, error))?;
    let rules = SandboxRules { hidden: secrets(folder, url), shown: vec![files], ..SandboxRules::default() };
    let (sandbox, line) = options.find(rules)?;
    contain_programs(Containment { sandbox, secrets: vec![TOKEN_VARIABLE.into()] });
    Ok(line)
}

/// Where secrets of a fleet are on a worker's machine.
fn secrets(folder: &Path, url: &str) -> Vec<PathBuf> {
    let mut hidden = vec![folder.to_path_buf(), PathBuf::from(WORKSPACE)];
    let above = fs::canonicalize(folder).ok().and_then(|folder| folder.parent().map(Path::to_path_buf));
    hidden.extend(above.filter(|above| OF_SERVERS.iter().any(|name| above.join(name).exists())));
    if !url.contains("://") {
        hidden.push(url.into());
    }
    hidden
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_told_as_it_was_said() {
        let options = SandboxOptions { wish: SandboxWish::Require, network: true, memory_mib: Some(64) };
        assert_eq!(options.words(), ["--sandbox", "require", "--sandbox-network", "--sandbox-memory", "64"]);
        assert_eq!(SandboxOptions::default().words(), ["--sandbox", "auto"]);
        assert_eq!("off".parse(), Ok(SandboxWish::Off));
        assert!("on".parse::<SandboxWish>().is_err());
    }

    #[test]
    fn keys_outboxes_and_the_folder_of_a_server_are_hidden() {
        let top = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(top.path()).unwrap();
        let folder = top.join("workers");
        fs::create_dir(&folder).unwrap();
        let of = |url: &str| secrets(&folder, url);
        assert_eq!(of("nats://secret@host"), [folder.clone(), ".tesuji".into()]);
        assert_eq!(of("one.key").last(), Some(&PathBuf::from("one.key")));
        fs::write(top.join("token"), "").unwrap();
        assert!(of("nats://secret@host").contains(&top));
    }

    #[test]
    fn where_one_is_required_a_worker_without_one_does_not_start() {
        let of = |wish| SandboxOptions { wish, ..SandboxOptions::default() }.find(SandboxRules::default());
        let (sandbox, line) = of(SandboxWish::Off).unwrap();
        assert!(sandbox.is_none() && line.contains("--sandbox off"), "{line}");
        let (sandbox, line) = of(SandboxWish::Auto).unwrap();
        assert_eq!(sandbox.is_some(), line.contains("in a sandbox (bubblewrap"), "{line}");
        match of(SandboxWish::Require) {
            Ok((required, _)) => assert!(required.is_some() && sandbox.is_some()),
            Err(error) => assert!(sandbox.is_none() && error.to_string().contains("--sandbox auto"), "{error}"),
        }
    }
}
