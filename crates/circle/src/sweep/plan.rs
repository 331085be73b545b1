//! The plan of a sweep: a TOML file with what is combined, and who the versions meet.

use super::{PLAN_BYTES_MAX, at};
use serde::Deserialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Duration,
};
use tesuji_arena::{Allowance, EngineRequest, TimeControl, in_json};
use tesuji_jobs::read_text_bounded;
use tesuji_kit::RequestError;

/// The most versions of a sweep: each is learned and plays.
const VERSIONS_MAX: usize = 10_000;
/// The longest lambda, in plies.
const LAMBDA_MAX: f64 = 1e6;
/// The longest name of a version.
const NAME_MAX: usize = 30;
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
    #[serde(default)]
    pub only: Vec<String>,
    /// Plies after which a board counts 1/e; 0: all alike.
    #[serde(default)]
    pub lambda: Vec<f64>,
    /// The versions one by one, where not all combinations of games, `only` and `lambda` are wanted.
    #[serde(default)]
    versions: Vec<Listed>,
    /// What every version meets: weights (builtin, material or files), or engines in the words of `match`. The first is the anchor.
    pub pool: Vec<String>,
    /// Pairs of games against each of the pool, for each limit.
    pub pairs: u64,
    /// Nodes a move.
    #[serde(default)]
    pub nodes: Option<u64>,
    /// Clocks: each member of the pool is met at each of them.
    #[serde(default)]
    tc: Vec<Clock>,
    /// Overstepping of clocks that is forgiven, in milliseconds.
    #[serde(default)]
    margin: Option<u64>,
    /// Random plies at the beginning of games.
    #[serde(default = "random_plies")]
    pub random_plies: u32,
}

/// A clock, as its text.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(transparent)]
struct Clock(#[serde(with = "in_json::text")] Option<TimeControl>);

/// A version as the plan lists it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    /// Its name, and that of its folder.
    name: String,
    /// Names of games, with commas.
    games: String,
    /// As in [`SweepPlan::only`].
    only: String,
    /// As in [`SweepPlan::lambda`].
    lambda: f64,
}

/// A member of the pool.
#[derive(Debug, Clone, PartialEq)]
pub enum Member {
    /// Weights: builtin, material or a file, played as the versions are.
    Weights(String),
    /// An engine, a process of its own.
    Engine(Box<EngineRequest>),
}

/// A limit at which all versions meet the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// In words: `5000 nodes`, `10+0.1`.
    pub words: String,
    /// What each side may use.
    pub allowance: Allowance,
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
        let is_grid = plan.versions.is_empty();
        for (what, empty) in [
            ("games", plan.games.values().all(Vec::is_empty)),
            ("only", is_grid && plan.only.is_empty()),
            ("lambda", is_grid && plan.lambda.is_empty()),
            ("pool", plan.pool.is_empty()),
        ] {
            if empty {
                return wrong(&format!("{what} is empty; expected one at least"));
            }
        }
        let count = plan.games.len().saturating_mul(plan.only.len()).saturating_mul(plan.lambda.len());
        if count.max(plan.versions.len()) > VERSIONS_MAX {
            let most = format!("games, only and lambda make {count} versions; at most {VERSIONS_MAX} are learned");
            return wrong(&most);
        }
        plan.check_listed().map_err(|reason| at(name, reason))?;
        if plan.pairs == 0 || plan.nodes == Some(0) {
            return wrong("pairs and nodes: expected numbers above 0");
        }
        if plan.nodes.is_some() != plan.tc.is_empty() {
            return wrong("expected either nodes = N, or clocks such as tc = [\"1+0.01\", \"10+0.1\"]");
        }
        let listed = plan.versions.iter().map(|version| &version.lambda);
        if let Some(lambda) = plan.lambda.iter().chain(listed).find(|l| !(0.0..=LAMBDA_MAX).contains(*l)) {
            return wrong(&format!("lambda {lambda}: expected 0 to {LAMBDA_MAX} plies"));
        }
        plan.members().map_err(|reason| at(name, reason))?;
        Ok(plan)
    }

    /// What is wrong with the versions that are listed, if anything is.
    fn check_listed(&self) -> Result<(), String> {
        if self.versions.is_empty() {
            return Ok(());
        }
        if !self.only.is_empty() || !self.lambda.is_empty() {
            return Err("versions are listed: only and lambda stand in each of them, not beside them".into());
        }
        let mut names = BTreeSet::new();
        for Listed { name, games, .. } in &self.versions {
            let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric());
            if !is_plain || name.len() > NAME_MAX {
                return Err(format!("version {name:?}: a name is 1 to {NAME_MAX} letters and digits"));
            }
            // Names are those of folders, and some systems do not tell capitals from small letters.
            if !names.insert(name.to_ascii_lowercase()) {
                return Err(format!("version {name}: there are two of this name"));
            }
            if let Some(unknown) = games.split(',').find(|games| !self.games.contains_key(*games)) {
                let known: Vec<&str> = self.games.keys().map(String::as_str).collect();
                return Err(format!(
                    "version {name}: no games are called {unknown:?}; there are: {}",
                    known.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// The pool, as it plays.
    ///
    /// # Errors
    /// In words, when an engine cannot be meant.
    pub(super) fn members(&self) -> Result<Vec<Member>, String> {
        let member = |words: &String| {
            if !words.contains('=') {
                return Ok(Member::Weights(words.clone()));
            }
            let engine: EngineRequest = words.parse().map_err(|error| format!("pool: {words}: {error}"))?;
            if engine.is_limited() || engine.margin.is_some() {
                return Err(format!("pool: {words}: all play with the limits of the plan: nodes, or tc and margin"));
            }
            Ok(Member::Engine(Box::new(engine)))
        };
        self.pool.iter().map(member).collect()
    }

    /// The names of the pool, as tables have them.
    pub fn pool_names(&self) -> Vec<String> {
        let members = self.members().unwrap_or_default();
        let name = |member: Member| match member {
            Member::Weights(words) => words,
            Member::Engine(engine) => engine.name.clone().unwrap_or_else(|| engine.usual_name()),
        };
        members.into_iter().map(name).collect()
    }

    /// The limits, one at least.
    pub fn limits(&self) -> Vec<Limit> {
        let usual = Allowance::default();
        let margin = self.margin.map_or(usual.margin, Duration::from_millis);
        let clocked = self.tc.iter().filter_map(|clock| clock.0.clone()).map(|control| Limit {
            words: control.to_string(),
            allowance: Allowance { control: Some(control), margin, ..usual.clone() },
        });
        let by_nodes = self.nodes.map(|nodes| Limit {
            words: format!("{nodes} nodes"),
            allowance: Allowance { margin, ..Allowance::of_nodes(nodes) },
        });
        by_nodes.into_iter().chain(clocked).collect()
    }

    /// The versions that are listed, or all combinations, games first.
    pub fn versions(&self) -> Vec<Version> {
        let words = |only: &str| match only {
            "all" => Vec::new(),
            only => only.split(',').map(str::to_string).collect(),
        };
        let listed = self.versions.iter().map(|Listed { name, games, only, lambda }| {
            let files = games.split(',').filter_map(|games| self.games.get(games)).flatten().cloned().collect();
            Version { name: name.clone(), games: games.clone(), files, only: words(only), lambda: *lambda }
        });
        let mut versions: Vec<Version> = listed.collect();
        for (games, files) in &self.games {
            for only in &self.only {
                for &lambda in &self.lambda {
                    let name = letters(versions.len());
                    versions.push(Version {
                        name,
                        games: games.clone(),
                        files: files.clone(),
                        only: words(only),
                        lambda,
                    });
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

    const LISTED: &str = "pool = ['builtin', 'cmd=./engine name=foreign']\npairs = 2\ntc = ['0.2+0.002', '1+0.01']\n\
        margin = 200\n[games]\nown = ['a.sgs']\ngm = ['b.pgn', 'c.pgn']\n\
        [[versions]]\nname = 'A'\ngames = 'own'\nonly = '6..27'\nlambda = 40\n\
        [[versions]]\nname = 'H1'\ngames = 'own,gm'\nonly = 'all'\nlambda = 20\n";

    #[test]
    fn versions_may_be_listed_and_meet_engines_at_several_clocks() {
        let plan = SweepPlan::parse(LISTED, "s.toml").unwrap();
        let versions = plan.versions();
        let [a, h1] = &versions[..] else { panic!("{versions:?}") };
        assert_eq!((a.name.as_str(), a.only.as_slice(), a.lambda), ("A", &["6..27".to_string()][..], 40.0));
        assert_eq!((h1.files.len(), h1.games.as_str(), h1.only.len()), (3, "own,gm", 0));
        let limits = plan.limits();
        assert_eq!(limits.iter().map(|limit| limit.words.as_str()).collect::<Vec<_>>(), ["0.2+0.002", "1+0.01"]);
        assert!(
            limits.iter().all(|limit| limit.allowance.margin.as_millis() == 200 && limit.allowance.nodes.is_none())
        );
        assert_eq!(plan.pool_names(), ["builtin", "foreign"]);
    }

    #[test]
    fn plans_that_cannot_be_meant_are_told_in_a_line() {
        #[track_caller]
        fn check(from: &str, to: &str, says: &str) {
            let text = LISTED.replacen(from, to, 1);
            assert_ne!(text, LISTED);
            let told = SweepPlan::parse(&text, "s.toml").unwrap_err().to_string();
            assert!(told.starts_with("s.toml: ") && told.contains(says), "{told}");
        }
        check("'H1'", "'a'", "version a: there are two of this name");
        check("'H1'", "'../x'", "version \"../x\": a name is 1 to 30 letters and digits");
        check("'own,gm'", "'own,gn'", "version H1: no games are called \"gn\"; there are: gm, own");
        check("pairs", "only = ['all']\npairs", "versions are listed: only and lambda stand in each of them");
        check("margin = 200", "nodes = 9", "expected either nodes = N, or clocks");
        check("tc = ['0.2+0.002', '1+0.01']", "", "expected either nodes = N, or clocks");
        check("name=foreign", "nodes=9", "all play with the limits of the plan");
        check("name=foreign", "nmae=x", "\"nmae\" is not known here");
        check("1+0.01", "1+x", "tc");
        check("lambda = 40", "lambda = -1", "lambda -1: expected 0 to");
    }
}
