//! The plan of a sweep: a TOML file with what is combined, and who the versions meet.

use super::{PLAN_BYTES_MAX, at};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use tesuji_jobs::read_text_bounded;
use tesuji_kit::RequestError;

/// The most versions of a sweep: each is learned and plays.
const VERSIONS_MAX: usize = 10_000;
/// The longest lambda, in plies.
const LAMBDA_MAX: f64 = 1e6;
/// Random plies at the beginning of games where the plan does not say.
const RANDOM_PLIES: u32 = 8;

/// The content of a plan file.
///
/// # Examples
///
/// ```
/// use tesuji_circle::sweep::SweepPlan;
/// let text = "only = ['all', 'cells']\nlambda = [20, 60]\npool = ['builtin']\npairs = 2\nnodes = 500\n\
///             [games]\nown = ['games.four']\n";
/// let plan = SweepPlan::parse(text, "sweep.toml")?;
/// // Every lambda with all weights, then with those of cells.
/// let versions = plan.versions();
/// assert_eq!((versions.len(), versions[2].name.as_str(), versions[2].lambda), (4, "C", 20.0));
/// assert_eq!(versions[2].only, ["cells"]);
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepPlan {
    /// Sets of games by name.
    pub games: BTreeMap<String, Vec<PathBuf>>,
    /// The tunable weights: groups, terms, features or ranges, with commas; `all` for everything.
    pub only: Vec<String>,
    /// Plies after which a board counts 1/e; 0: all alike.
    pub lambda: Vec<f64>,
    /// Weights that every version meets: builtin, material or files. The first is the anchor.
    pub pool: Vec<String>,
    /// Pairs of games against each of the pool.
    pub pairs: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Random plies at the beginning of games.
    #[serde(default = "random_plies")]
    pub random_plies: u32,
}

fn random_plies() -> u32 {
    RANDOM_PLIES
}

/// One combination.
#[derive(Debug, Clone, PartialEq)]
pub struct Version {
    /// A, B, C, …
    pub name: String,
    /// The name of its games.
    pub games: String,
    /// The files of the games.
    pub files: Vec<PathBuf>,
    /// The tunable weights; empty for all.
    pub only: Vec<String>,
    /// Plies after which a board counts 1/e; 0: all alike.
    pub lambda: f64,
}

impl SweepPlan {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or as [`SweepPlan::parse`].
    pub(super) fn read(path: &Path) -> Result<SweepPlan, RequestError> {
        let name = path.display().to_string();
        let text = read_text_bounded(path, PLAN_BYTES_MAX).map_err(RequestError::failed)?;
        SweepPlan::parse(&text, &name)
    }

    /// Reads the text of the file `name`.
    ///
    /// # Errors
    /// When it is no plan, or one that cannot be carried out.
    pub fn parse(text: &str, name: &str) -> Result<SweepPlan, RequestError> {
        let plan: SweepPlan = toml::from_str(text).map_err(|error| at(name, error))?;
        let wrong = |reason: &str| Err(at(name, reason));
        for (what, empty) in [
            ("games", plan.games.values().all(Vec::is_empty)),
            ("only", plan.only.is_empty()),
            ("lambda", plan.lambda.is_empty()),
            ("pool", plan.pool.is_empty()),
        ] {
            if empty {
                return wrong(&format!("{what} is empty; expected one at least"));
            }
        }
        let versions = plan.games.len().saturating_mul(plan.only.len()).saturating_mul(plan.lambda.len());
        if versions > VERSIONS_MAX {
            let most = format!("games, only and lambda make {versions} versions; at most {VERSIONS_MAX} are learned");
            return wrong(&most);
        }
        if plan.pairs == 0 || plan.nodes == 0 {
            return wrong("pairs and nodes: expected numbers above 0");
        }
        if let Some(lambda) = plan.lambda.iter().find(|l| !(0.0..=LAMBDA_MAX).contains(*l)) {
            return wrong(&format!("lambda {lambda}: expected 0 to {LAMBDA_MAX} plies"));
        }
        Ok(plan)
    }

    /// All combinations, games first.
    pub fn versions(&self) -> Vec<Version> {
        let mut versions: Vec<Version> = Vec::new();
        for (games, files) in &self.games {
            for only in &self.only {
                for &lambda in &self.lambda {
                    let words: Vec<String> = only.split(',').map(str::to_string).collect();
                    let only = if only == "all" { Vec::new() } else { words };
                    let name = letters(versions.len());
                    versions.push(Version { name, games: games.clone(), files: files.clone(), only, lambda });
                }
            }
        }
        versions
    }
}

/// A to Z, then AA, AB, …
fn letters(mut number: usize) -> String {
    let mut name = String::new();
    loop {
        name.insert(0, (b'A' + (number % 26) as u8) as char);
        number /= 26;
        if number == 0 {
            return name;
        }
        number -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_the_whole_grid() {
        let text = "only = ['all', 'cells,6..27']\nlambda = [20, 60]\npool = ['builtin']\npairs = 2\nnodes = 9\n\
                    [games]\nown = ['a.sgs']\n";
        let plan = SweepPlan::parse(text, "s.toml").unwrap();
        let versions = plan.versions();
        assert_eq!(versions.len(), 4);
        assert_eq!(versions[3].only, ["cells", "6..27"]);
        assert_eq!((versions[1].name.as_str(), versions[1].lambda), ("B", 60.0));
        assert_eq!([0, 25, 26, 701].map(letters), ["A", "Z", "AA", "ZZ"]);
        let empty = SweepPlan::parse(&text.replace("[20, 60]", "[]"), "s.toml").unwrap_err();
        assert_eq!(empty.to_string(), "s.toml: lambda is empty; expected one at least");
    }
}
