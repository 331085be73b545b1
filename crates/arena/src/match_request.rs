//! A match as it is asked for: by a command line, a file or a page, in one typed form that is checked in one place.

use crate::engine_request::seconds;
use crate::in_json;
use crate::opening_files::{BALANCE_CP, MADE_MAX, OpeningOrder, PLIES, RANDOM, Skip, make, read_book};
use crate::openings::check_plies;
use crate::request_error::{Context as _, refuse};
use crate::{
    Adjudication, Allowance, Book, Dialect, DrawRule, EngineRequest, Making, MatchPlan, Order, OwnProgram,
    RefereeMaker, ResignRule, Schedule, TimeControl, TournamentRequest, built_in_openings, date_text, entrants,
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tesuji_kit::{Kit, RequestError, check_packed_output};
use tesuji_record::RecordFormat;
use tesuji_stats::{Model, Sprt, StopWidth};
use utoipa::ToSchema;

/// The version of the form of a request.
pub const VERSION: u32 = 1;
/// The tournament's name where none was given.
pub const EVENT: &str = "Tesuji match";
/// Games of a match when nothing is said, without and with a test.
const GAMES: [u64; 2] = [100, 40_000];
/// Games of a pairing, and games at a time, at most: more is a slip of the pen, and would only end for want of memory.
const GAMES_MAX: u64 = 1_000_000_000;
const JOBS_MAX: usize = 1_024;
/// The largest difference, in Elo, that a test can ask for.
const ELO_MAX: f64 = 10_000.0;

/// A match that is wanted. Everything but the game and the engines may be missing.
///
/// # Examples
/// ```
/// use tesuji_arena::MatchRequest;
/// let text = r#"{ "game": "four", "engines": [{ "command": "./new" }, { "command": "./old" }], "nodes": 500, "games": 200 }"#;
/// let request = MatchRequest::from_json(text)?;
/// assert_eq!(request.games(), 200);
/// assert!(request.validate().is_ok());
/// assert!(MatchRequest::from_json(r#"{ "gmes": 200 }"#).unwrap_err().to_string().contains("gmes"));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MatchRequest {
    /// The version of this form: [`VERSION`].
    pub version: u32,
    /// The engines, two or more.
    pub engines: Vec<EngineRequest>,
    /// Defaults for engines that do not set a field themselves.
    pub each: Option<EngineRequest>,
    /// The game.
    pub game: String,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// Time for a game.
    #[serde(with = "in_json::text")]
    #[schema(value_type = Option<String>, default = json!(null))]
    pub control: Option<TimeControl>,
    /// Seconds a move.
    pub seconds_a_move: Option<f64>,
    /// Nodes a move.
    pub nodes: Option<u64>,
    /// Plies a move.
    pub depth: Option<u32>,
    /// Overstepping of time that is forgiven, in milliseconds.
    pub margin_ms: u64,
    /// Seconds to wait for a move without a clock before an engine counts as hung; fitting the limits if not given.
    pub patience_seconds: Option<f64>,
    /// Games of every pairing.
    pub games: Option<u64>,
    /// Rounds, instead of games: all that every pairing plays from one opening. In a Swiss tournament the rounds, beside games.
    pub rounds: Option<u64>,
    /// The pairings.
    pub tournament: TournamentRequest,
    /// A file or folder of openings, or `random`; those that are built in if not given.
    #[schema(value_type = Option<String>)]
    pub openings: Option<PathBuf>,
    /// Whether broken openings are left out.
    pub skip_errors: bool,
    /// Moves taken from each opening: all of a file's if not given.
    pub plies: Option<u32>,
    /// Order of openings.
    pub order: OpeningOrder,
    /// The opening to begin with, from 1.
    pub start: u64,
    /// The tournament's name in records.
    pub event: String,
    /// The tournament's place in records.
    pub site: Option<String>,
    /// Seed of all that is random; a new one if not given.
    pub seed: Option<u64>,
    /// Games at a time; one fewer than there are processors if not given.
    pub jobs: Option<usize>,
    /// The test that ends the match: the two differences that it tells apart.
    pub sprt: Option<[f64; 2]>,
    /// Its chance of a wrong H1.
    pub alpha: f64,
    /// Its chance of a wrong H0.
    pub beta: f64,
    /// Its unit.
    #[serde(with = "ModelInJson")]
    #[schema(value_type = ModelInJson, default = json!("normalised"))]
    pub model: Model,
    /// Stop when the 95 % interval of Elo is so wide from end to end.
    pub stop_width: Option<f64>,
    /// When a player that thinks itself lost resigns.
    #[serde(with = "in_json::text")]
    #[schema(value_type = Option<String>, default = json!(null))]
    pub resign: Option<ResignRule>,
    /// When what both think drawn is drawn.
    #[serde(with = "in_json::text")]
    #[schema(value_type = Option<String>, default = json!(null))]
    pub draw: Option<DrawRule>,
    /// Games of this many plies are drawn.
    pub plies_max: Option<u32>,
    /// Files that games are appended to.
    pub outputs: Vec<OutputRequest>,
    /// The journal; the first output file's name with `.journal` if not given.
    #[schema(value_type = Option<String>)]
    pub journal: Option<PathBuf>,
    /// Whether to begin again where a journal holds an unfinished match.
    pub fresh: bool,
    /// A folder for all that is said in each game.
    #[schema(value_type = Option<String>)]
    pub dialogues: Option<PathBuf>,
    /// An engine that counts finished games.
    pub referee: Option<EngineRequest>,
    /// The journal of a match to go on with, instead of another one. Only games, rounds and jobs may stand beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub resume: Option<PathBuf>,
}

/// A file that games are appended to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputRequest {
    /// The file.
    #[schema(value_type = String)]
    pub file: PathBuf,
    /// The name of its format.
    pub format: String,
}

/// [`Model`] in a request.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(remote = "Model", rename_all = "snake_case")]
#[schema(as = Model)]
enum ModelInJson {
    Normalised,
    Logistic,
    Bayesian,
}

impl Default for MatchRequest {
    fn default() -> MatchRequest {
        MatchRequest {
            version: VERSION,
            engines: Vec::new(),
            each: None,
            game: String::new(),
            rules: String::new(),
            control: None,
            seconds_a_move: None,
            nodes: None,
            depth: None,
            margin_ms: 50,
            patience_seconds: None,
            games: None,
            rounds: None,
            tournament: TournamentRequest::default(),
            openings: None,
            skip_errors: false,
            plies: None,
            order: OpeningOrder::Random,
            start: 1,
            event: EVENT.into(),
            site: None,
            seed: None,
            jobs: None,
            sprt: None,
            alpha: 0.05,
            beta: 0.05,
            model: Model::Normalised,
            stop_width: None,
            resign: None,
            draw: None,
            plies_max: None,
            outputs: Vec::new(),
            journal: None,
            fresh: false,
            dialogues: None,
            referee: None,
            resume: None,
        }
    }
}

impl MatchRequest {
    /// Reads a request from JSON.
    ///
    /// # Errors
    /// When it is no request; the words name the field.
    pub fn from_json(text: &str) -> Result<MatchRequest, RequestError> {
        serde_json::from_str(text).context("not a request for a match")
    }

    /// Refuses what cannot be played, whatever else is asked for.
    ///
    /// # Errors
    /// The first field that cannot be meant, with what is possible.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, VERSION)?;
        self.check_numbers()?;
        if self.resume.is_some() {
            return self.check_resume();
        }
        if self.game.is_empty() {
            return Err(RequestError::field("game", ": a name is needed"));
        }
        if self.start == 0 {
            return Err(RequestError::value("start", 0, "openings are counted from 1"));
        }
        if self.engines.len() < 2 {
            let reason = ": two or more are needed, such as 'cmd=PROGRAM name=…', or weights=FILE for our own";
            return Err(RequestError::field("engines", reason));
        }
        if self.games() == 0 {
            return Err(RequestError::value("games", 0, "nothing to play"));
        }
        if let Some(name) = self.limit().filter(|_| self.each.as_ref().is_some_and(EngineRequest::is_limited)) {
            return Err(RequestError::field(
                name,
                ": each gives every engine a limit of its own; take one of the two away",
            ));
        }
        self.outputs.iter().try_for_each(|output| check_packed_output(&output.file, &self.openings))?;
        if self.sprt.is_some() && !self.tournament.can_test(self.engines.len()) {
            refuse!("--sprt tests one engine: play it against one other, or against all others with --gauntlet");
        }
        Ok(())
    }

    /// The first limit of moves for every engine that has none of its own, by its name.
    fn limit(&self) -> Option<&'static str> {
        let limits = [
            ("control", self.control.is_some()),
            ("seconds_a_move", self.seconds_a_move.is_some()),
            ("nodes", self.nodes.is_some()),
            ("depth", self.depth.is_some()),
        ];
        limits.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Refuses what is the journal's.
    fn check_resume(&self) -> Result<(), RequestError> {
        let MatchRequest { game, games, rounds, jobs, resume, .. } = self.clone();
        match *self == (MatchRequest { game, games, rounds, jobs, resume, ..MatchRequest::default() }) {
            true => Ok(()),
            false => Err(RequestError::field("resume", ": only games, rounds and jobs go with it")),
        }
    }

    /// Refuses numbers with which nothing can be played or computed.
    ///
    /// # Errors
    /// The first of them, with what is possible.
    pub fn check_numbers(&self) -> Result<(), RequestError> {
        for (name, number) in [("games", self.games), ("rounds", self.rounds)] {
            if let Some(number) = number.filter(|&number| number > GAMES_MAX) {
                return Err(RequestError::value(name, number, format_args!("{GAMES_MAX} is the most")));
            }
        }
        if self.games.is_some() && self.rounds.is_some() && !self.tournament.swiss {
            return Err(RequestError::field("rounds", ": games say the same; only a Swiss tournament takes both"));
        }
        if let Some(jobs) = self.jobs.filter(|&jobs| jobs > JOBS_MAX) {
            let processors = tesuji_jobs::threads(0);
            let reason = format!("{JOBS_MAX} is the most; this machine has {processors} processors");
            return Err(RequestError::value("jobs", jobs, reason));
        }
        if self.nodes == Some(0) {
            return Err(RequestError::value("nodes", 0, "a number above 0 is needed"));
        }
        if let Some(st) = self.seconds_a_move.filter(|st| !(st.is_finite() && *st > 0.0)) {
            return Err(RequestError::value("seconds_a_move", st, "a number of seconds above 0 is needed"));
        }
        if let Some(patience) = self.patience_seconds.filter(|p| !(p.is_finite() && *p >= 0.0)) {
            return Err(RequestError::value("patience_seconds", patience, "a number of seconds is needed"));
        }
        if let Some(elo) = self.sprt.iter().flatten().find(|elo| elo.is_nan() || elo.abs() > ELO_MAX) {
            let reason = format!("differences from -{ELO_MAX} to {ELO_MAX} can be tested");
            return Err(RequestError::value("sprt", elo, reason));
        }
        Ok(())
    }

    /// The test that ends the match.
    ///
    /// # Errors
    /// When its differences or chances cannot be tested.
    pub fn sprt(&self) -> Result<Option<Sprt>, RequestError> {
        let Some([elo0, elo1]) = self.sprt else { return Ok(None) };
        if elo0.partial_cmp(&elo1) != Some(std::cmp::Ordering::Less) {
            return Err(RequestError::value("sprt", format_args!("{elo0} {elo1}"), "ELO0 must be less than ELO1"));
        }
        for (name, chance) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(chance > 0.0 && chance < 0.5) {
                return Err(RequestError::value(name, chance, "a chance between 0 and 0.5 is needed"));
            }
        }
        Ok(Some(Sprt { elo0, elo1, alpha: self.alpha, beta: self.beta, model: self.model }))
    }

    /// The rule that stops by the width of the interval.
    ///
    /// # Errors
    /// When the width cannot be reached.
    pub fn stop_width(&self) -> Result<Option<StopWidth>, RequestError> {
        match self.stop_width {
            Some(elo) if !(elo > 0.0 && elo.is_finite()) => {
                Err(RequestError::value("stop_width", elo, "a width above 0 is needed"))
            }
            width => Ok(width.map(|elo| StopWidth { elo })),
        }
    }

    /// Games of every pairing.
    pub fn games(&self) -> u64 {
        let games_a_round = self.tournament.games_a_round();
        let rounds = self.rounds.filter(|_| !self.tournament.swiss);
        let said = self.games.or(rounds.map(|n| n.saturating_mul(games_a_round)));
        said.unwrap_or_else(|| self.tournament.games_usual().unwrap_or(GAMES[usize::from(self.sprt.is_some())]))
    }

    /// Games at a time.
    pub fn jobs(&self) -> usize {
        self.jobs.unwrap_or_else(default_jobs).max(1)
    }

    /// The allowance of engines that do not set their own.
    pub fn allowance(&self) -> Allowance {
        Allowance {
            control: self.control.clone(),
            move_time: self.seconds_a_move.map(seconds),
            nodes: self.nodes,
            soft_nodes: None,
            depth: self.depth,
            margin: Duration::from_millis(self.margin_ms),
            patience: self.patience_seconds.map(seconds),
        }
    }

    /// The pairings.
    ///
    /// # Errors
    /// When the engines are too few for it.
    pub fn schedule(&self, openings: usize) -> Result<Schedule, RequestError> {
        self.tournament.schedule(self.engines.len(), self.games(), self.rounds, openings)
    }

    /// The output files with their formats.
    ///
    /// # Errors
    /// When a game is not written in one of them.
    pub fn outputs(&self, kit: &dyn Kit) -> Result<Vec<(&Path, &'static dyn RecordFormat)>, RequestError> {
        let mut outputs: Vec<(&Path, &'static dyn RecordFormat)> = Vec::new();
        for OutputRequest { file, format } in &self.outputs {
            let Some(format) = kit.format(format) else { refuse!("{} is not written as {format}", kit.name()) };
            outputs.push((file, format));
        }
        Ok(outputs)
    }

    /// The openings of a match of this many rounds, in the order in which they are played. `tell` hears about broken ones that are left out.
    ///
    /// # Errors
    /// When a file cannot be read, or holds an opening that cannot be played, or none.
    pub fn openings(
        &self,
        kit: &dyn Kit,
        seed: u64,
        rounds: u64,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Book, RequestError> {
        let order = match self.order {
            OpeningOrder::Random => Order::Random,
            OpeningOrder::Sequential => Order::Sequential(0),
        };
        let first = (self.start - 1) as usize;
        kit.table(&self.rules, None).map_err(|error| RequestError::value("rules", &self.rules, error))?;
        let (openings, order): (Book, Order) = match &self.openings {
            Some(path) if path != Path::new(RANDOM) => {
                let mut skip = Skip { wanted: self.skip_errors, tell };
                (read_book(kit, path, (&self.rules, self.plies), &mut skip)?, order)
            }
            None if self.plies.is_none() && kit.openings(&self.rules).is_some() => {
                (built_in_openings(kit, &self.rules).iter().collect(), order)
            }
            _ => {
                let count = rounds.saturating_add(first as u64).min(MADE_MAX) as usize;
                let plies = self.plies.unwrap_or(PLIES);
                let takes = kit.opening_moves(&self.rules);
                let making = Making { rules: self.rules.clone(), plies, takes, count, seed, balance_cp: BALANCE_CP };
                check_plies(kit, &making, &|| false)?;
                // They are random as they are made, and so a longer match begins like a shorter one.
                (make(kit, &making).iter().collect(), Order::Sequential(0))
            }
        };
        if openings.is_empty() {
            refuse!("there is no opening to play");
        }
        if first >= openings.len() {
            let last = openings.len();
            return Err(RequestError::value("start", self.start, format_args!("the last opening is number {last}")));
        }
        Ok(openings.arranged(order, seed, first, rounds.max(1) as usize))
    }

    /// The plan of a match with these openings.
    ///
    /// # Errors
    /// Refuses values that make no sense.
    pub fn plan(
        &self,
        kit: &'static dyn Kit,
        own: &OwnProgram,
        openings: Book,
    ) -> Result<MatchPlan<'static>, RequestError> {
        let own = (Dialect::of(kit), own);
        Ok(MatchPlan {
            game: kit,
            rules: self.full_rules(kit)?,
            entrants: entrants(&self.engines, self.each.as_ref(), &self.allowance(), own)?,
            schedule: self.schedule(openings.len())?,
            openings,
            adjudication: Adjudication { resign: self.resign, draw: self.draw, plies_max: self.plies_max },
            referee: self.referee(kit, own)?,
            sprt: self.sprt()?,
            stop_width: self.stop_width()?,
            jobs: self.jobs(),
            side_tags: kit.side_tags(),
            dialogues: self.dialogues()?,
            tags: self.tags(),
        })
    }

    fn full_rules(&self, kit: &dyn Kit) -> Result<String, RequestError> {
        let wrong = |error| RequestError::value("rules", format_args!("{:?}", self.rules), error);
        kit.full_rules(&self.rules).map_err(wrong)
    }

    /// The referee, which counts finished games.
    fn referee(
        &self,
        kit: &dyn Kit,
        (dialect, own): (Dialect, &OwnProgram),
    ) -> Result<Option<RefereeMaker>, RequestError> {
        let Some(engine) = &self.referee else { return Ok(None) };
        if dialect != Dialect::Gtp {
            return Err(RequestError::field("referee", format_args!(": games of {} are not counted", kit.name())));
        }
        engine.referee(dialect, own).map(Some)
    }

    /// The folder for dialogues, made if it is not there.
    fn dialogues(&self) -> Result<Option<PathBuf>, RequestError> {
        let Some(folder) = &self.dialogues else { return Ok(None) };
        std::fs::create_dir_all(folder).context(folder.display())?;
        Ok(Some(folder.clone()))
    }

    /// Tags of every record.
    fn tags(&self) -> Vec<(String, String)> {
        let site = self.site.iter().map(|site| ("Site".to_string(), site.clone()));
        let date = ("Date".to_string(), date_text(SystemTime::now()));
        [("Event".to_string(), self.event.clone())].into_iter().chain(site).chain([date]).collect()
    }
}

/// Games at a time when nothing is said: one processor stays free for who runs them.
fn default_jobs() -> usize {
    (tesuji_jobs::threads(0) - 1).max(1)
}

/// A seed that no other match has.
///
/// # Examples
///
/// ```
/// let seed = tesuji_arena::fresh_seed();
/// assert!(seed < 1_000_000_000, "it can be typed again");
/// ```
pub fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    tesuji_game::Random::new(now.as_nanos() as u64).next_u64() % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> MatchRequest {
        let engines = ["cmd=a tc=1+0.01 proto=usi margin=20", "weights=b.json option.Hash=16 st=0.5"];
        let engines = engines.map(|e| e.parse().unwrap()).to_vec();
        MatchRequest { game: "four".into(), engines, ..MatchRequest::default() }
    }

    #[test]
    fn requests_survive_json() {
        let request = MatchRequest {
            control: Some("40/4+0.5".parse().unwrap()),
            sprt: Some([-5.0, 0.0]),
            model: Model::Logistic,
            resign: Some("4/600/both".parse().unwrap()),
            draw: Some("34/8/20".parse().unwrap()),
            outputs: vec![OutputRequest { file: "a.pgn".into(), format: "pgn".into() }],
            ..two()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(MatchRequest::from_json(&text).unwrap(), request);
        assert_eq!(MatchRequest::from_json("{}").unwrap(), MatchRequest::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (request, field) in [
            (MatchRequest { version: 2, ..two() }, "version"),
            (MatchRequest { game: String::new(), ..two() }, "game"),
            (MatchRequest { engines: Vec::new(), ..two() }, "engines: two or more are needed"),
            (MatchRequest { games: Some(0), ..two() }, "games"),
            (MatchRequest { rounds: Some(u64::MAX), ..two() }, "rounds"),
            (MatchRequest { jobs: Some(5000), ..two() }, "jobs"),
            (MatchRequest { seconds_a_move: Some(-1.0), ..two() }, "seconds_a_move"),
            (MatchRequest { sprt: Some([0.0, f64::NAN]), ..two() }, "sprt"),
            (MatchRequest { start: 0, ..two() }, "start"),
            // It was passed over without a word.
            (
                MatchRequest { nodes: Some(9), each: "tc=10+0.1".parse().ok(), ..two() },
                "nodes: each gives every engine a limit",
            ),
        ] {
            let error = request.validate().unwrap_err().to_string();
            assert!(error.contains(field), "{field}: {error}");
        }
        assert!(two().validate().is_ok());
        // Plain text was written under the names of compressed files; those that are not written are refused.
        for (name, is_written) in [("a.pgn.zst", true), ("b.PGN.GZ", true), ("a.pgn.xz", false), ("a.pgn.bz2", false)] {
            let outputs = vec![OutputRequest { file: name.into(), format: "pgn".into() }];
            let said = MatchRequest { outputs, ..two() }.validate().map_err(|error| error.to_string());
            let is_refused = |error: String| error.starts_with(name) && error.contains("files are read, not written");
            assert_eq!(said.is_ok(), is_written, "{name}");
            assert!(said.is_ok() || said.is_err_and(is_refused), "{name}");
        }
        // Games were appended to the openings that they began with.
        let outputs = vec![OutputRequest { file: "a.pgn".into(), format: "pgn".into() }];
        let error = MatchRequest { outputs, openings: Some("a.pgn".into()), ..two() }.validate().unwrap_err();
        assert_eq!(error.to_string(), "a.pgn: this file is read; name another output");
        let wrong = MatchRequest { sprt: Some([5.0, 0.0]), ..two() };
        assert!(wrong.sprt().unwrap_err().to_string().contains("less than"));
        for text in [r#"{ "control": "x" }"#, r#"{ "engines": [{ "st": 1 }] }"#, r#"{ "order": "up" }"#] {
            assert!(MatchRequest::from_json(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_match_that_goes_on_is_asked_for_by_its_journal() {
        let again = MatchRequest { resume: Some("a.journal".into()), games: Some(20), ..MatchRequest::default() };
        assert!(again.validate().is_ok());
        let error = MatchRequest { nodes: Some(5), ..again }.validate().unwrap_err();
        assert_eq!(error.to_string(), "resume: only games, rounds and jobs go with it");
        let text = serde_json::to_string(&MatchRequest::default()).unwrap();
        assert!(!text.contains("resume"), "journals keep requests as they were");
    }

    #[test]
    fn a_test_has_more_games() {
        assert_eq!((two().games(), MatchRequest { sprt: Some([0.0, 5.0]), ..two() }.games()), (100, 40_000));
        assert_eq!(MatchRequest { rounds: Some(7), ..two() }.games(), 14);
    }
}
