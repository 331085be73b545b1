//! Numbers of the search tuned by games (SPSA): short matches of two sides whose options are changed all at once.

use crate::{CircleError, Duel, Openings, Setup, WEIGHTS_OPTION, conditions, duel, improve::full_rules};
use serde::{Deserialize, Serialize};
use std::{fmt::Display, path::PathBuf};
use tesuji_arena::Conditions;
use tesuji_jobs::{Interrupt, LineJournal, Progress, Show, threads};
use tesuji_kit::{Kit, RequestError};
use tesuji_options::{Kind, find};
use tesuji_tune::{Parameter, SPSA_RATE, Spsa};

/// Nodes a move where no number is asked for.
const NODES: u64 = 2000;
/// Random plies that games begin with.
const RANDOM_PLIES: u32 = 8;
/// The part of an option's range that is a step where none is given.
const STEPS: f64 = 20.0;

/// A tuning that is wanted. All fields but `game`, `tuned` and `journal` may be missing.
///
/// # Examples
/// ```
/// use tesuji_circle::spsa::SpsaRequest;
///
/// let request: SpsaRequest =
///     serde_json::from_str(r#"{ "game": "four", "tuned": ["Aspiration=20:5..90/5"], "journal": "s.journal", "pairs": 0 }"#)?;
/// assert_eq!(request.validate().unwrap_err().to_string(), "pairs 0: expected at least 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpsaRequest {
    /// The version of this form: [`SpsaRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The search family; empty: the game's best.
    pub search: String,
    /// The rules that are played; the usual ones of tunings if not given.
    pub rules: Option<String>,
    /// Options of both sides, as name and value.
    pub options: Vec<(String, String)>,
    /// The options to tune: `NAME`, or `NAME=START:LEAST..GREATEST/STEP`, where the step is what makes a few Elo.
    pub tuned: Vec<String>,
    /// Short matches.
    pub iterations: u32,
    /// Pairs of games in each match.
    pub pairs: u64,
    /// Nodes a move; the usual number of tunings if not given.
    pub nodes: Option<u64>,
    /// The learning rate at the end, in squared steps.
    pub rate: f64,
    /// Weights that both sides play with; those built in if not given.
    pub weights: Option<PathBuf>,
    /// The file of results, a line each; the same request goes on from there.
    pub journal: PathBuf,
    /// Decides openings and directions.
    pub seed: u64,
    /// Threads; 0: one for each core. The result does not depend on them.
    pub jobs: usize,
}

impl Default for SpsaRequest {
    fn default() -> SpsaRequest {
        SpsaRequest {
            version: Self::VERSION,
            game: String::new(),
            search: String::new(),
            rules: None,
            options: Vec::new(),
            tuned: Vec::new(),
            iterations: 1000,
            pairs: 4,
            nodes: None,
            rate: SPSA_RATE,
            weights: None,
            journal: PathBuf::new(),
            seed: 0,
            jobs: 0,
        }
    }
}

impl SpsaRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; rules and options are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        RequestError::check_jobs("jobs", self.jobs)?;
        let missing = [("tuned", self.tuned.is_empty()), ("journal", self.journal.as_os_str().is_empty())];
        if let Some((field, _)) = missing.into_iter().find(|(_, is_missing)| *is_missing) {
            return Err(RequestError::field(field, "is missing"));
        }
        if self.pairs == 0 {
            return Err(RequestError::value("pairs", 0, "expected at least 1"));
        }
        if !(self.rate >= 0.0 && self.rate.is_finite()) {
            return Err(RequestError::value("rate", self.rate, "expected at least 0"));
        }
        Ok(())
    }
}

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
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
}

/// Tunes, or goes on with a tuning; what comes back has fewer matches than were asked for when it was stopped.
///
/// # Errors
/// When the request cannot be meant, the journal is that of another tuning, or a file cannot be written.
///
/// # Examples
///
/// ```
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
/// let run = SpsaRun { show: Show::Quiet, interrupt: &Interrupt::new() };
/// let spsa = tune_options(&FOUR, &SpsaGames::default(), &request, &run)?;
/// assert_eq!(spsa.done(), 2);
/// assert!((5.0..=90.0).contains(&spsa.values()[0]));
/// // The journal knows both matches: nothing is played again.
/// assert_eq!(tune_options(&FOUR, &SpsaGames::default(), &request, &run)?.values(), spsa.values());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn tune_options(
    kit: &dyn Kit,
    games: &SpsaGames,
    request: &SpsaRequest,
    run: &SpsaRun<'_>,
) -> Result<Spsa, RequestError> {
    request.validate()?;
    let matches = Matches::new(kit, games, request)?;
    let parameters = request.tuned.iter().map(|text| matches.parameter(text)).collect::<Result<Vec<_>, _>>()?;
    let head = matches.head(request, &parameters);
    let (mut journal, lines) =
        LineJournal::open(&request.journal, false).map_err(|error| at(request.journal.display(), error))?;
    let mut spsa = Spsa::new(parameters, request.iterations, request.rate, request.seed);
    replay((&mut spsa, 2 * request.pairs), &mut journal, &lines, &head)
        .map_err(|error| at(request.journal.display(), error))?;
    let progress = Progress::start("tuning", "matches", Some(u64::from(request.iterations)), run.show);
    progress.resume_at(u64::from(spsa.done()));
    while let Some(sides) = spsa.next() {
        let Some(ahead) = matches.play(spsa.parameters(), sides, spsa.done(), run.interrupt)? else { break };
        // Written before it counts: a run that goes on counts what the journal has.
        journal.append(&ahead.to_string())?;
        spsa.tell(ahead);
        let now: Vec<String> =
            spsa.parameters().iter().zip(spsa.values()).map(|(parameter, v)| parameter.text_between(*v)).collect();
        progress.set_noted(u64::from(spsa.done()), &now.join(", "));
    }
    Ok(spsa)
}

/// An error with its place before it.
fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

/// Tells `spsa`, whose matches have `games` games, the results that the journal has behind its `head`, which is written where
/// it is new.
pub(crate) fn replay(
    (spsa, games): (&mut Spsa, u64),
    journal: &mut LineJournal,
    lines: &[String],
    head: &str,
) -> Result<(), String> {
    match lines.first() {
        None => journal.append(head).map_err(|error| error.to_string())?,
        Some(there) if *there == head => {}
        Some(there) => return Err(format!("cannot go on with another tuning\n  there: {there}\n  here:  {head}")),
    }
    for (index, line) in lines.iter().enumerate().skip(1) {
        spsa.tell(
            result_of(line, games).map_err(|expected| format!("line {}: expected {expected}: {line:?}", index + 1))?,
        );
    }
    Ok(())
}

/// Games won less games lost in a match of `games` games, as a line of the journal tells it; else what is expected there.
fn result_of(line: &str, games: u64) -> Result<f64, String> {
    let is_result = |told: &f64| told.abs() <= games as f64 && told.fract() == 0.0;
    let told = line.parse().ok().filter(is_result);
    told.ok_or_else(|| format!("games won less games lost, a whole number from -{games} to {games}"))
}

/// The matches of a tuning.
struct Matches<'a> {
    kit: &'a dyn Kit,
    /// Both sides before any option is changed.
    setup: Setup,
    conditions: Conditions,
    openings: Openings,
    pairs: u64,
    jobs: usize,
}

impl<'a> Matches<'a> {
    fn new(kit: &'a dyn Kit, games: &SpsaGames, request: &SpsaRequest) -> Result<Matches<'a>, RequestError> {
        let nodes = request.nodes.unwrap_or(games.nodes);
        let rules = full_rules(kit, request.rules.as_deref().unwrap_or(games.rules))?;
        let mut setup = Setup { family: request.search.clone(), ..Setup::default() };
        setup.options.extend(games.options.iter().cloned());
        if let Some(path) = &request.weights {
            setup.options.push((WEIGHTS_OPTION.into(), path.display().to_string()));
        }
        setup.options.extend(request.options.iter().cloned());
        // Options that no player takes are told before the journal is begun.
        setup.player(kit).map_err(RequestError::failed)?;
        Ok(Matches {
            kit,
            setup,
            conditions: (games.conditions)(&rules, nodes),
            openings: (games.openings)(nodes, request.seed),
            pairs: request.pairs,
            jobs: threads(request.jobs),
        })
    }

    /// The number that `text` describes.
    fn parameter(&self, text: &str) -> Result<Parameter, RequestError> {
        let (name, rest) = text.split_once('=').unwrap_or((text, ""));
        let mut player = self.setup.player(self.kit).map_err(RequestError::failed)?;
        let spec = find(&player.options().specs(), name).map_err(RequestError::failed)?;
        let (default, min, max, whole) = match spec.kind {
            Kind::Int { default, min, max } => (default as f64, min as f64, max as f64, true),
            Kind::Float { default, min, max } => (default, min, max, false),
            _ => return Err(at(spec.name, "only options that are numbers can be tuned")),
        };
        let wrong = || {
            at(format_args!("{text:?}"), format_args!("expected NAME=START:LEAST..GREATEST/STEP within {min}..{max}"))
        };
        let step = (max - min) / STEPS;
        let mut numbers = [default, min, max, if whole { step.max(0.5) } else { step }];
        if !rest.is_empty() {
            let words: Vec<&str> = rest.split([':', '/']).flat_map(|part| part.split("..")).collect();
            let [_, _, _, _] = words[..] else { return Err(wrong()) };
            for (number, word) in numbers.iter_mut().zip(words) {
                *number = word.trim().parse().map_err(|error| at(wrong(), error))?;
            }
        }
        let [start, low, high, step] = numbers;
        let inside = min <= low && low <= start && start <= high && high <= max;
        if !inside || step.is_nan() || step <= 0.0 {
            return Err(wrong());
        }
        Ok(Parameter { name: spec.name.to_string(), start, bounds: [low, high], step, whole })
    }

    /// Games won less games lost by the first of two `sides`, in match number `number`; `None` when it was stopped.
    fn play(
        &self,
        parameters: &[Parameter],
        sides: [Vec<f64>; 2],
        number: u32,
        stop: &Interrupt,
    ) -> Result<Option<f64>, RequestError> {
        let setups = sides.map(|values| {
            let mut setup = self.setup.clone();
            setup.options.extend(
                parameters.iter().zip(values).map(|(parameter, value)| (parameter.name.clone(), parameter.text(value))),
            );
            setup
        });
        // Other openings in each match, or all matches would judge by the same few.
        let seed = self.openings.seed.wrapping_add(u64::from(number));
        let plan = Duel {
            setups,
            openings: Openings { seed, ..self.openings.clone() },
            conditions: self.conditions.clone(),
            pairs: self.pairs,
            jobs: self.jobs,
            until: None,
        };
        let standing = duel(self.kit, &plan, &[], stop, &mut |_, _, _| Ok(true))
            .map_err(|error: CircleError| RequestError::failed(error))?;
        // A match that was stopped counts nothing: it is played again.
        let whole = standing.games() == 2 * self.pairs;
        Ok(whole.then(|| standing.wdl[0] as f64 - standing.wdl[2] as f64))
    }

    /// All settings that decide the result, as the first line of the journal has them.
    fn head(&self, request: &SpsaRequest, parameters: &[Parameter]) -> String {
        let Matches { setup, conditions, pairs, .. } = self;
        let nodes = conditions.allowances[0].nodes.unwrap_or(0);
        let SpsaRequest { game, iterations, rate, seed, .. } = request;
        format!(
            "tesuji spsa {game}: {iterations} iterations of {pairs} pairs, {nodes} nodes, rate {rate}, seed {seed}, rules {:?}, \
             {setup:?}, {parameters:?}",
            conditions.rules
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn requests_survive_json_and_name_the_field_that_is_wrong() {
        let request = SpsaRequest {
            game: "four".into(),
            tuned: vec!["Hash".into()],
            journal: "j".into(),
            options: vec![("Preset".into(), "x".into())],
            ..SpsaRequest::default()
        };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<SpsaRequest>(&text).unwrap(), request);
        assert!(request.validate().is_ok());
        let check = |change: fn(&mut SpsaRequest), says: &str| {
            let mut request = request.clone();
            change(&mut request);
            assert_eq!(request.validate().unwrap_err().to_string(), says);
        };
        check(|request| request.tuned.clear(), "tuned is missing");
        check(|request| request.journal = PathBuf::new(), "journal is missing");
        check(|request| request.rate = f64::NAN, "rate NaN: expected at least 0");
    }
}
