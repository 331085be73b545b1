//! Options of an engine tuned by games (SPSA): short matches of two sides whose options are changed all at once.

mod matches;
mod numbers;
mod proof;
mod request;

pub use numbers::read_spsa_options;
pub use request::SpsaRequest;

use crate::{DuelStanding, Openings, conditions};
use matches::{Matches, Players};
use std::{fmt::Display, path::Path};
use tesuji_arena::{Allowance, Conditions, OwnProgram};
use tesuji_jobs::{ChainedJournal, Interrupt, Progress, Show, units::SharedCarrier};
use tesuji_kit::{Kit, RequestError};
use tesuji_options::same_name;
use tesuji_tune::{Parameter, Spsa};

/// Nodes a move where no number is asked for.
const NODES: u64 = 2000;
/// Random plies that games begin with.
const RANDOM_PLIES: u32 = 8;

/// Default settings for the games of an SPSA tuning.
pub struct SpsaGames {
    /// The rules; empty: the game's usual ones.
    pub rules: &'static str,
    /// Nodes a move.
    pub nodes: u64,
    /// Options of both sides, before those that are asked for.
    pub options: Vec<(String, String)>,
    /// The conditions of games under some rules at this many nodes a move.
    pub conditions: fn(&str, u64) -> Conditions,
    /// The openings of games at this many nodes a move, by a seed.
    pub openings: fn(u64, u64) -> Openings,
}

impl Default for SpsaGames {
    fn default() -> SpsaGames {
        SpsaGames {
            rules: "",
            nodes: NODES,
            options: Vec::new(),
            conditions: |rules, nodes| Conditions { rules: rules.to_string(), ..conditions(nodes) },
            openings: |_, seed| Openings::random(RANDOM_PLIES, seed),
        }
    }
}

/// The environment of a tuning: what does not change its numbers.
pub struct SpsaRun<'a> {
    /// The display of progress.
    pub show: Show,
    /// This program, which plays where a request asks for an engine without a command.
    pub own: &'a OwnProgram,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// Reaches workers that play the pairs of each match in place of threads.
    pub fleet: Option<&'a SharedCarrier>,
}

/// The result of a tuning.
#[derive(Debug, Clone)]
pub struct SpsaOutcome {
    /// The options, their numbers, and how many matches were played.
    pub spsa: Spsa,
    /// The numbers after each match.
    pub path: Vec<Vec<f64>>,
    /// The numbers found against those at the start, where that was played.
    pub proof: Option<DuelStanding>,
    /// The limits of the games.
    pub allowance: Allowance,
}

impl SpsaOutcome {
    /// Whether everything that was asked for was played.
    pub fn is_complete(&self, request: &SpsaRequest) -> bool {
        let proven = self.proof.map_or(0, |standing| standing.games());
        self.spsa.done() >= request.iterations && proven >= 2 * request.proof_pairs
    }
}

/// Tunes, or goes on with a tuning; what comes back has fewer matches than were asked for when it was stopped.
///
/// # Errors
/// When the request cannot be meant, the journal is that of another tuning, or a file cannot be written.
///
/// # Examples
///
/// ```
/// use tesuji_arena::OwnProgram;
/// use tesuji_circle::spsa::{SpsaGames, SpsaRequest, SpsaRun, tune_options};
/// use tesuji_four::FOUR;
/// use tesuji_jobs::{Interrupt, Show};
/// let folder = tempfile::tempdir()?;
/// let request = SpsaRequest {
///     game: "four".into(),
///     search: "alpha-beta".into(),
///     tuned: vec!["AspirationWindow=20:5..90/5".into()],
///     iterations: 2,
///     pairs: 1,
///     nodes: Some(50),
///     journal: folder.path().join("spsa.journal"),
///     jobs: 1,
///     ..SpsaRequest::default()
/// };
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let run = SpsaRun { show: Show::Quiet, own: &own, interrupt: &Interrupt::new(), fleet: None };
/// let found = tune_options(&FOUR, &SpsaGames::default(), &request, &run)?;
/// assert!(found.is_complete(&request) && found.path.len() == 2);
/// assert!((5.0..=90.0).contains(&found.spsa.values()[0]));
/// // The journal knows both matches: nothing is played again.
/// assert_eq!(tune_options(&FOUR, &SpsaGames::default(), &request, &run)?.path, found.path);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tune_options(
    kit: &dyn Kit,
    games: &SpsaGames,
    request: &SpsaRequest,
    run: &SpsaRun<'_>,
) -> Result<SpsaOutcome, RequestError> {
    request.validate()?;
    let matches = Matches::new(kit, games, request, run)?;
    let declarations = matches.declarations(run.interrupt)?;
    let parameter = |text: &String| declarations.parameter(text, request.rate);
    let parameters = request.tuned.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
    check_different(&parameters)?;
    check_not_fixed(request, &parameters)?;
    let head = matches.head(request, &parameters)?;
    let (mut journal, lines) = open_journal(&request.journal, &head)?;
    let mut spsa = Spsa::new(parameters, request.iterations, request.rate, request.seed);
    let mut path = Vec::new();
    let mut note = |spsa: &Spsa| path.push(spsa.values().to_vec());
    replay((&mut spsa, 2 * request.pairs), &lines, &head, &mut note)
        .map_err(|error| at(request.journal.display(), error))?;
    let progress = Progress::start("tuning", "matches", Some(u64::from(request.iterations)), run.show);
    progress.resume_at(u64::from(spsa.done()));
    let mut players = Players::Threads;
    while let Some(values) = spsa.next() {
        let plan = matches.plan(spsa.parameters(), values, request.pairs, u64::from(spsa.done()))?;
        players.begin(&matches, (&plan, spsa.done()), run)?;
        let Some(standing) = matches.play(&plan, &mut players, spsa.done(), run.interrupt)? else { break };
        let [won, _, lost] = standing.wdl;
        let ahead = won as f64 - lost as f64;
        // Written before it counts: a run that goes on counts what the journal has.
        journal.append(&ahead.to_string()).map_err(|error| at(request.journal.display(), error))?;
        players.commit(&plan, spsa.done())?;
        spsa.tell(ahead);
        note(&spsa);
        progress.set_noted(u64::from(spsa.done()), &numbers_text(&spsa));
    }
    drop(progress);
    let is_proof_due = request.proof_pairs > 0 && spsa.done() >= request.iterations;
    let proof = is_proof_due.then(|| proof::prove(&matches, &mut players, (&spsa, &head), request, run)).transpose()?;
    players.finish();
    Ok(SpsaOutcome { spsa, path, proof, allowance: matches.allowance.clone() })
}

/// The numbers so far, in a line.
fn numbers_text(spsa: &Spsa) -> String {
    let numbers = spsa.parameters().iter().zip(spsa.values());
    numbers.map(|(parameter, value)| parameter.text_between(*value)).collect::<Vec<_>>().join(", ")
}

/// Checks that no option is tuned twice.
fn check_different(parameters: &[Parameter]) -> Result<(), RequestError> {
    for (index, parameter) in parameters.iter().enumerate() {
        if parameters[..index].iter().any(|other| other.name == parameter.name) {
            return Err(at(&parameter.name, "it is asked for twice"));
        }
    }
    Ok(())
}

/// Opens a journal that begins with the line `head`, for this process alone.
///
/// # Errors
/// When another run writes it, or it cannot be read or written.
fn open_journal(path: &Path, head: &str) -> Result<(ChainedJournal, Vec<String>), RequestError> {
    let journal = ChainedJournal::open(path, head).map_err(|error| at(path.display(), error))?;
    journal.ok_or_else(|| at(path.display(), "another run writes this file; wait for its end, or name another journal"))
}

/// An error with its place before it.
fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

/// Tells `spsa`, whose matches have `games` games, the results that the lines of the journal have behind its `head`; a new one has none.
/// `note` hears of each.
pub(crate) fn replay(
    (spsa, games): (&mut Spsa, u64),
    lines: &[String],
    head: &str,
    note: &mut dyn FnMut(&Spsa),
) -> Result<(), String> {
    if let Some(there) = lines.first().filter(|there| *there != head) {
        let differ = differences(there, head);
        return Err(format!("cannot go on with another tuning: {differ}; another --journal begins a new one"));
    }
    for (index, line) in lines.iter().enumerate().skip(1) {
        spsa.tell(
            result_of(line, games).map_err(|expected| format!("line {}: expected {expected}: {line:?}", index + 1))?,
        );
        note(spsa);
    }
    Ok(())
}

/// Checks that no tuned option has a value that is fixed as well.
fn check_not_fixed(request: &SpsaRequest, parameters: &[Parameter]) -> Result<(), RequestError> {
    let of_engine = request.engine.iter().flat_map(|engine| &engine.options);
    for (name, value) in request.options.iter().chain(of_engine) {
        if parameters.iter().any(|parameter| same_name(&parameter.name, name)) {
            return Err(at(name, format_args!("it is to be tuned, and cannot be fixed to {value} as well")));
        }
    }
    Ok(())
}

/// Parts of two first lines that differ, at most.
const DIFFERENCES_MAX: usize = 4;

/// In what a tuning differs from the one that a journal holds.
fn differences(there: &str, here: &str) -> String {
    let [mut there, mut here] = [there, here].map(|line| line.split(", "));
    let mut found = Vec::new();
    loop {
        match (there.next(), here.next()) {
            (None, None) => break,
            (a, b) if a == b => {}
            (a, b) => found.push(format!("{:?} there, {:?} here", a.unwrap_or_default(), b.unwrap_or_default())),
        }
    }
    found.truncate(DIFFERENCES_MAX);
    found.join("; ")
}

/// Games won less games lost in a match of `games` games, as a line of the journal tells it; else what is expected there.
fn result_of(line: &str, games: u64) -> Result<f64, String> {
    let is_result = |told: &f64| told.abs() <= games as f64 && told.fract() == 0.0;
    let told = line.parse().ok().filter(is_result);
    told.ok_or_else(|| format!("games won less games lost, a whole number from -{games} to {games}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--journal w.json` emptied a file of one line without an end, and two runs wrote over each other's results.
    #[test]
    fn a_journal_is_one_of_this_tuning_and_of_one_run() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.journal");
        let refused = |text: &str, words: &str| {
            std::fs::write(&path, text).unwrap();
            let error = open_journal(&path, "head, whole").err().unwrap().to_string();
            assert!(error.contains(words) && std::fs::read_to_string(&path).unwrap() == text, "{text}: {error}");
        };
        refused("{\"weights\":[1,2,3]}", "no journal of this work");
        refused("head, whole\n2 #00000000\n", "line 2: this line is not as it was written");
        refused("head, whole\n2\n", "its lines have no checksums");
        for torn in ["", "head, wh", "head, whole", "head, whole\n"] {
            std::fs::write(&path, torn).unwrap();
            let (_journal, lines) = open_journal(&path, "head, whole").unwrap();
            assert_eq!(lines.len(), torn.matches('\n').count(), "{torn:?}");
            let second = open_journal(&path, "head, whole").err().unwrap().to_string();
            assert!(second.contains("another run writes this file"), "{second}");
        }
    }

    #[test]
    fn another_tuning_is_told_by_its_differences() {
        let there = "tesuji spsa four: 200 iterations of 1 pairs, 50 nodes, rate 0.002";
        let here = "tesuji spsa four: 300 iterations of 1 pairs, 50 nodes, rate 0.002, clock 1";
        let expect = "\"tesuji spsa four: 200 iterations of 1 pairs\" there, \"tesuji spsa four: 300 iterations of 1 pairs\" here; \
                      \"\" there, \"clock 1\" here";
        assert_eq!(differences(there, here), expect);
    }

    /// A result of 50 in a match of 8 games was taken, and the tuning went far away.
    #[test]
    fn results_that_no_match_can_have_are_refused() {
        for (line, result) in [("0", 0.0), ("-8", -8.0), ("8", 8.0), ("3", 3.0)] {
            assert_eq!(result_of(line, 8), Ok(result));
        }
        for line in ["9", "-50", "1e300", "inf", "NaN", "0.5", "", "x"] {
            let expected = result_of(line, 8).unwrap_err();
            assert_eq!(expected, "games won less games lost, a whole number from -8 to 8", "{line}");
        }
    }
}
