//! Requests and results of tests of the rules.

use crate::{Pasted, RequestError};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, time::Duration};
use tesuji_record::transcript::Difference;

/// A count of the leaves of a move tree. Every field but `game` may be missing.
///
/// # Examples
/// ```
/// let request: tesuji_kit::PerftRequest = serde_json::from_str(r#"{ "game": "four", "depth": 30 }"#)?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "depth 30: expected 0 to 20");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PerftRequest {
    /// The version of this form: [`PerftRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The rules as text; empty for the usual ones.
    pub rules: String,
    /// The root of the tree.
    pub position: Pasted,
    /// Plies, 0 to 20.
    pub depth: u32,
    /// Threads, 1 to 512.
    pub threads: u32,
}

impl Default for PerftRequest {
    fn default() -> PerftRequest {
        PerftRequest {
            version: Self::VERSION,
            game: String::new(),
            rules: String::new(),
            position: Pasted::default(),
            depth: 4,
            threads: 1,
        }
    }
}

impl PerftRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; position and moves are read later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.depth > 20 {
            return Err(RequestError::value("depth", self.depth, "expected 0 to 20"));
        }
        if !(1..=512).contains(&self.threads) {
            return Err(RequestError::value("threads", self.threads, "expected 1 to 512"));
        }
        Ok(())
    }
}

/// Leaves that were counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Perft {
    /// The position in the game's notation, with its rules where these matter.
    pub position: String,
    /// The leaves below each move, in the order of generation; none at depth 0.
    pub moves: Vec<(String, u64)>,
    /// All leaves.
    pub leaves: u64,
    /// By the clock.
    pub elapsed: Duration,
}

/// All legal positions of a size, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegalPositions {
    /// The size of the board.
    pub size: String,
    /// The number of them.
    pub count: u64,
    /// By the clock.
    pub elapsed: Duration,
}

/// A test of the rules. Every field but `game` may be missing; of `file`, `games` and `make` one is wanted where the game has transcripts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelftestRequest {
    /// The version of this form: [`SelftestRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Positions, one a line (.zst and .gz are read; `-` is stdin).
    pub file: Option<PathBuf>,
    /// The positions of this many random games instead.
    pub games: Option<u64>,
    /// Seed of the random games.
    pub seed: u64,
    /// Compare with this transcript instead of writing ours.
    pub expect: Option<PathBuf>,
    /// Compare with this engine: a command line.
    pub engine: Option<String>,
    /// Write the game's own set of this many positions instead of any test.
    pub make: Option<usize>,
    /// The deepest dump (perft with an engine), in plies, 1 to 6.
    pub depth: u32,
    /// Whether entries show the squares that each side attacks.
    pub attacks: bool,
    /// The rules as text; empty for the usual ones.
    pub rules: String,
    /// Whether every position and its children are checked against the invariants.
    #[serde(alias = "laws")]
    pub invariants: bool,
    /// Threads; 0: one for each core.
    pub jobs: usize,
}

impl Default for SelftestRequest {
    fn default() -> SelftestRequest {
        SelftestRequest {
            version: Self::VERSION,
            game: String::new(),
            file: None,
            games: None,
            seed: 1,
            expect: None,
            engine: None,
            make: None,
            depth: 3,
            attacks: false,
            rules: String::new(),
            invariants: true,
            jobs: 0,
        }
    }
}

impl SelftestRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files are read and engines started later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        if !(1..=6).contains(&self.depth) {
            return Err(RequestError::value("depth", self.depth, "expected 1 to 6"));
        }
        if self.games.is_some() && self.file.is_some() {
            return Err(RequestError::field("games", "stands in the place of file: give one of them"));
        }
        if self.engine.is_some() && self.expect.is_some() {
            return Err(RequestError::field("engine", "stands in the place of expect: give one of them"));
        }
        let others = [self.file.is_some(), self.games.is_some(), self.expect.is_some(), self.engine.is_some()];
        if self.make.is_some() && others.contains(&true) {
            return Err(RequestError::field("make", "goes with seed alone"));
        }
        Ok(())
    }
}

/// Progress of a selftest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelftestNews<'a> {
    /// The next part of the transcript or of the set, which belongs to the answer.
    Text(&'a str),
    /// All legal positions of a size were counted.
    Legal {
        /// The size.
        size: &'a str,
        /// The count that was found.
        found: u64,
        /// The published count.
        published: u64,
    },
}

/// The result of a test of the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Selftest {
    /// The set was written.
    Made,
    /// A transcript was written or compared.
    Transcript {
        /// Positions in it.
        positions: usize,
        /// Its hash, FNV-1a with 64 bits.
        hash: u64,
        /// By the clock.
        elapsed: Duration,
        /// The first difference from the expected one.
        difference: Option<Difference>,
    },
    /// A line that is no position, or a position whose invariant is broken.
    Broken(String),
    /// The rules differ from an engine's, from published counts, or along a random game; the words say how.
    Differs(String),
    /// An engine finds the same moves and leaves.
    SameLeaves {
        /// Positions.
        positions: usize,
        /// Leaves of all depths.
        leaves: u64,
        /// By the clock.
        elapsed: Duration,
        /// The engine's name.
        engine: String,
    },
    /// An engine finds the same along random games.
    SameGames {
        /// Positions.
        positions: usize,
        /// Games.
        games: u64,
    },
    /// Every invariant holds along random games.
    InvariantsHold {
        /// Positions.
        positions: usize,
        /// Games.
        games: u64,
    },
}

/// The result of a test of the rules in words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelftestText {
    /// What was found.
    pub found: String,
    /// What is told beside it, for a person.
    pub beside: String,
    /// Whether something is wrong.
    pub is_fault: bool,
}

impl Selftest {
    /// The result in words.
    pub fn told(&self, request: &SelftestRequest) -> SelftestText {
        let found = |found: String| SelftestText { found, ..SelftestText::default() };
        match self {
            Selftest::Transcript { positions, hash, elapsed, difference } => {
                let invariants = if request.invariants { "every invariant holds" } else { "invariants left out" };
                let seconds = elapsed.as_secs_f64();
                let beside = format!(
                    "{positions} positions, {invariants}, transcript hash {hash:016x} (FNV-1a 64), {seconds:.1} s\n"
                );
                let found = match difference {
                    Some(difference) => format!("{difference}\n"),
                    None if request.expect.is_some() => format!("identical: {positions} positions\n"),
                    None => String::new(),
                };
                SelftestText { found, beside, is_fault: difference.is_some() }
            }
            Selftest::Broken(broken) => {
                SelftestText { found: String::new(), beside: format!("tesuji: {broken}\n"), is_fault: true }
            }
            Selftest::Differs(words) => SelftestText { is_fault: true, ..found(format!("{words}\n")) },
            Selftest::SameLeaves { positions, leaves, elapsed, engine } => {
                let seconds = elapsed.as_secs_f64();
                found(format!("identical: {positions} positions, {leaves} leaves, {seconds:.1} s, against {engine}\n"))
            }
            Selftest::SameGames { positions, games } => found(format!(
                "identical: legal moves and prisoners of {positions} positions of {games} random games\n"
            )),
            Selftest::InvariantsHold { positions, games } => {
                found(format!("invariants: {positions} positions of {games} random games, every invariant holds\n"))
            }
            // The set was the answer.
            Selftest::Made => SelftestText::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let position = Pasted::of(None, &["1".into()]);
        let perft = PerftRequest { game: "four".into(), depth: 6, position, ..PerftRequest::default() };
        let text = serde_json::to_string(&perft).unwrap();
        assert_eq!(serde_json::from_str::<PerftRequest>(&text).unwrap(), perft);
        let check = |text: &str, says: &str| {
            let request: SelftestRequest = serde_json::from_str(text).unwrap();
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(r#"{ "version": 2 }"#, "version 2: this program knows 1");
        check(r#"{ "depth": 7 }"#, "game is missing");
        check(r#"{ "game": "four", "depth": 7 }"#, "depth 7: expected 1 to 6");
        check(r#"{ "game": "four", "make": 10, "games": 3 }"#, "make goes with seed alone");
        assert!(serde_json::from_str::<SelftestRequest>(r#"{ "dept": 3 }"#).is_err());
        assert_eq!(serde_json::from_str::<SelftestRequest>("{}").unwrap(), SelftestRequest::default());
    }
}
