//! The plan of a match: players, limits, openings, schedule, and the test that ends it.

use crate::{Adjudication, Allowance, Book, Contestant, Fault, Referee, Schedule};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};
use tesuji_jobs::Interrupt;
use tesuji_record::AnyGame;
use tesuji_stats::{Sprt, StopWidth};

/// Makes a contestant for one worker; the flag stops its waiting.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Fault, FaultKind, Maker};
/// use tesuji_jobs::Interrupt;
/// let make: Maker = Box::new(|_| Err(Fault::new(FaultKind::Start, "no such program")));
/// assert!(make(&Interrupt::new()).is_err_and(|fault| fault.kind == FaultKind::Start));
/// ```
pub type Maker = Box<dyn Fn(&Interrupt) -> Result<Box<dyn Contestant>, Fault> + Send + Sync>;

/// Makes a referee for one worker; the flag stops its waiting.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Fault, Over, Referee, RefereeMaker};
/// use tesuji_game::{By, Outcome};
/// use tesuji_jobs::Interrupt;
/// struct Draws;
/// impl Referee for Draws {
///     fn judge(&mut self, _game: &Over<'_>) -> Result<Outcome, Fault> {
///         Ok(Outcome::draw(By::Agreement))
///     }
///     fn dismiss(&mut self) {}
/// }
/// let make: RefereeMaker = Box::new(|_| Ok(Box::new(Draws)));
/// assert!(make(&Interrupt::new()).is_ok());
/// ```
pub type RefereeMaker = Box<dyn Fn(&Interrupt) -> Result<Box<dyn Referee>, Fault> + Send + Sync>;

/// One who takes part.
pub struct Entrant {
    /// The name in tables and records.
    pub name: String,
    /// The origin of its games for learning, where it is known: program, version and weights. Records of games between two such players
    /// have it as the tag `Origin`.
    pub origin: Option<String>,
    /// The time and nodes that it may use.
    pub allowance: Allowance,
    /// Makes it.
    pub make: Maker,
}

/// A match as it is to be played: players, schedule, openings and conditions.
pub struct MatchPlan<'a> {
    /// The rules' door.
    pub game: &'a dyn AnyGame,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// The players.
    pub entrants: Vec<Entrant>,
    /// The pairings in their order.
    pub schedule: Schedule,
    /// The openings; the schedule's indices point here.
    pub openings: Book,
    /// The rules by which games are adjudicated.
    pub adjudication: Adjudication,
    /// Counts the games that are to be counted; without one that is up to the players and the rules.
    pub referee: Option<RefereeMaker>,
    /// Ends the match early; looks at the first entrant against all others.
    pub sprt: Option<Sprt>,
    /// Ends the match when the interval of every pairing is so narrow.
    pub stop_width: Option<StopWidth>,
    /// Games at a time.
    pub jobs: usize,
    /// The tags that name the players in records, first side first: `["White", "Black"]`.
    pub side_tags: [&'static str; 2],
    /// More tags of every record.
    pub tags: Vec<(String, String)>,
    /// The folder for the dialogue of each game, a file of its number; `None`: none are written.
    pub dialogues: Option<PathBuf>,
}

/// The tag of a record that says of which match it is: other matches, also of the same players, may be in the same file.
pub(crate) const MATCH_ID: &str = "MatchId";

impl MatchPlan<'_> {
    /// Gives the match its identifier, which its records have as a tag.
    pub fn identify(&mut self, id: String) {
        self.tags.retain(|(name, _)| name != MATCH_ID);
        self.tags.push((MATCH_ID.to_string(), id));
    }

    /// The identifier of the match, if it was given one.
    pub fn id(&self) -> Option<&str> {
        self.tags.iter().find(|(name, _)| name == MATCH_ID).map(|(_, id)| id.as_str())
    }
}

/// An identifier that no other match has: 16 hexadecimal digits.
///
/// # Examples
///
/// ```
/// let id = tesuji_arena::fresh_match_id();
/// assert!(id.len() == 16 && id.bytes().all(|digit| digit.is_ascii_hexdigit()));
/// ```
pub fn fresh_match_id() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64;
    // Two matches may begin at once.
    let process = u64::from(std::process::id()) << 32;
    format!("{:016x}", tesuji_game::Random::new(now ^ process).next_u64())
}
