//! Suites of positions with one move that is clearly best: after how many nodes a search finds it and keeps it.

use super::{
    iterations::{Growth, Iteration, PositionSearch},
    split,
};
use crate::{Kit, RequestError};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tesuji_jobs::read_text_bounded;
use tesuji_record::AnyGame;

/// The largest suite that is read, in bytes.
const BYTES_MAX: u64 = 16 << 20;
/// After these nodes the table says how many positions are solved.
const CHECKPOINTS: [u64; 4] = [5_000, 20_000, 100_000, 500_000];

/// A suite that is to be searched.
///
/// # Examples
/// ```
/// use tesuji_kit::bench::SuiteRequest;
/// let request: SuiteRequest = serde_json::from_str(r#"{ "game": "four", "file": "tactics.epd" }"#)?;
/// assert_eq!(request.nodes, 200_000);
/// assert!(request.validate().is_ok());
/// let wrong = SuiteRequest { nodes: 0, ..request };
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "nodes 0: expected at least 1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SuiteRequest {
    /// The version of this form: [`SuiteRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The suite: a position a line with its best moves, `FEN bm Nf3; id "name";`.
    pub file: PathBuf,
    /// Nodes for each position at most.
    pub nodes: u64,
}

impl Default for SuiteRequest {
    fn default() -> SuiteRequest {
        SuiteRequest { version: Self::VERSION, game: String::new(), file: PathBuf::new(), nodes: 200_000 }
    }
}

impl SuiteRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the file is looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.file.as_os_str().is_empty() {
            return Err(RequestError::field("file", "is missing"));
        }
        match self.nodes {
            0 => Err(RequestError::value("nodes", 0, "expected at least 1")),
            _ => Ok(()),
        }
    }
}

/// A position of a suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteProblem {
    /// Its line in the file, from 1.
    pub line: usize,
    /// Its name; empty where it has none.
    pub id: String,
    /// The position, in the game's notation.
    pub position: String,
    /// The best moves, in the protocol's notation.
    pub best: Vec<String>,
}

/// Reads a suite: a position a line, ` bm ` and its best moves as people or the protocol write them, then operations as in EPD, of
/// which `id "NAME"` is kept. `#` begins a remark, empty lines are passed over.
///
/// # Errors
/// The first bad line: `file` and its number, what is wrong, what was expected.
pub fn parse_suite(game: &(impl AnyGame + ?Sized), file: &str, text: &str) -> Result<Vec<SuiteProblem>, RequestError> {
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |words: String| RequestError::Failed(format!("{file}:{}: {words}", index + 1));
        problems.push(parse_problem(game, index + 1, line).map_err(wrong)?);
    }
    match problems.is_empty() {
        true => Err(RequestError::Failed(format!(
            "{file}: no position found; expected lines such as POSITION bm MOVE; id \"NAME\";"
        ))),
        false => Ok(problems),
    }
}

fn parse_problem(game: &(impl AnyGame + ?Sized), line: usize, text: &str) -> Result<SuiteProblem, String> {
    let (position, operations) = text
        .split_once(" bm ")
        .ok_or_else(|| "no best move; expected POSITION bm MOVE; with the operations of EPD".to_string())?;
    let (start, moves) = split(position.trim());
    let mut table = game.table("", Some(start)).map_err(|error| format!("position {start:?}: {error}"))?;
    let mut whole = table.position();
    if !moves.is_empty() {
        whole += &format!(" moves {}", moves.join(" "));
    }
    for mv in &moves {
        table.play(mv).map_err(|error| format!("move {mv:?} after {start:?}: {error}"))?;
    }
    let (words, rest) = operations.split_once(';').unwrap_or((operations, ""));
    let mut best = Vec::new();
    for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
        best.push(table.parse_move(word).map_err(|error| format!("best move {word:?}: {error}"))?);
    }
    if best.is_empty() {
        return Err("no move behind bm; expected bm MOVE;".to_string());
    }
    Ok(SuiteProblem { line, id: id_of(rest), position: whole, best })
}

/// The operand of `id`.
fn id_of(operations: &str) -> String {
    let mut is_quoted = false;
    let parts = operations.split(|c: char| {
        is_quoted ^= c == '"';
        c == ';' && !is_quoted
    });
    let mut ids = parts.filter_map(|part| part.trim().strip_prefix("id "));
    ids.next().map_or_else(String::new, |id| id.trim().trim_matches('"').to_string())
}

/// Reads the suite of a request.
///
/// # Errors
/// When the request is wrong or the file cannot be read, and those of [`parse_suite`].
pub fn read_suite(kit: &dyn Kit, request: &SuiteRequest) -> Result<Vec<SuiteProblem>, RequestError> {
    request.validate()?;
    let name = request.file.display().to_string();
    let text = read_text_bounded(Path::new(&request.file), BYTES_MAX)
        .map_err(|error| RequestError::field("file", format_args!(": {error}")))?;
    parse_suite(kit, &name, &text)
}

/// The search of one position of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SuiteCase {
    /// Its line in the file.
    pub line: usize,
    /// Its name.
    pub id: String,
    /// The position.
    pub position: String,
    /// The best moves.
    pub best: Vec<String>,
    /// The move that the search chose.
    pub found: String,
    /// The nodes after which the best move was the choice for good; `None`: it was not at the end.
    pub solved_nodes: Option<u64>,
    /// Nodes searched.
    pub nodes: u64,
    /// The last complete iteration, in plies.
    pub depth: u32,
    /// The longest path that it told, in plies.
    pub depth_max: u32,
}

/// The score of a suite after this many nodes a position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteCheckpoint {
    /// Nodes.
    pub nodes: u64,
    /// Positions solved by then.
    pub solved: usize,
    /// Plies of the last iteration complete by then, in the mean.
    pub depth: f64,
    /// Plies of the longest path told by then, in the mean.
    pub depth_max: f64,
}

/// The result of an engine on a suite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SuiteOutcome {
    /// The game.
    pub game: &'static str,
    /// The engine.
    pub engine: String,
    /// The suite.
    pub file: String,
    /// Nodes for each position at most.
    pub nodes_limit: u64,
    /// Positions searched.
    pub positions: usize,
    /// Positions solved.
    pub solved: usize,
    /// The geometric mean of the nodes that solved them; those not solved count as the limit.
    pub nodes_geometric_mean: f64,
    /// By what factor one more ply multiplies the nodes.
    pub branching_factor: f64,
    /// After 5,000, 20,000, 100,000 and 500,000 nodes as far as the limit goes, and after the limit.
    pub checkpoints: Vec<SuiteCheckpoint>,
    /// Position by position.
    pub cases: Vec<SuiteCase>,
}

/// Searches a suite with `engine`; `done` is told about each position.
///
/// # Errors
/// If the engine cannot search a position; names its line.
pub fn run_suite(
    kit: &dyn Kit,
    request: &SuiteRequest,
    problems: &[SuiteProblem],
    engine: &mut dyn PositionSearch,
    stopped: &dyn Fn() -> bool,
    done: &mut dyn FnMut(&SuiteCase),
) -> Result<SuiteOutcome, RequestError> {
    let mut cases: Vec<SuiteCase> = Vec::new();
    let mut courses = Vec::new();
    for problem in problems {
        if stopped() {
            break;
        }
        let mut course: Vec<Iteration> = Vec::new();
        let each = &mut |iteration: &Iteration| course.push(iteration.clone());
        let searched = engine.search(&problem.position, request.nodes, 1, each);
        let place = || format!("{}:{}", request.file.display(), problem.line);
        searched.map_err(|error| RequestError::Failed(format!("{}: {error}", place())))?;
        let case = judge(problem, &course, request.nodes);
        done(&case);
        cases.push(case);
        // The end is no iteration.
        course.pop();
        courses.push(course);
    }
    Ok(sum_up(kit, request, engine.name(), cases, &courses))
}

/// Whether and when a position was solved.
fn judge(problem: &SuiteProblem, course: &[Iteration], limit: u64) -> SuiteCase {
    let mut solved_nodes = None;
    for iteration in course {
        match iteration.best().is_some_and(|mv| problem.best.iter().any(|best| best == mv)) {
            true => solved_nodes = solved_nodes.or(Some(iteration.nodes.clamp(1, limit))),
            false => solved_nodes = None,
        }
    }
    let last = course.last().cloned().unwrap_or_default();
    SuiteCase {
        line: problem.line,
        id: problem.id.clone(),
        position: problem.position.clone(),
        best: problem.best.clone(),
        found: last.best().unwrap_or_default().to_string(),
        solved_nodes,
        nodes: last.nodes,
        depth: last.depth,
        depth_max: last.depth_max,
    }
}

fn sum_up(
    kit: &dyn Kit,
    request: &SuiteRequest,
    engine: String,
    cases: Vec<SuiteCase>,
    courses: &[Vec<Iteration>],
) -> SuiteOutcome {
    let logs: f64 = cases.iter().map(|case| (case.solved_nodes.unwrap_or(request.nodes) as f64).ln()).sum();
    let mut growth = Growth::default();
    courses.iter().for_each(|course| growth.add(course));
    let points = CHECKPOINTS.into_iter().filter(|&nodes| nodes < request.nodes).chain([request.nodes]);
    let checkpoint = |nodes: u64| {
        let mut growth = Growth::default();
        for course in courses {
            let complete = course.iter().take_while(|iteration| iteration.nodes <= nodes).count();
            growth.add(&course[..complete]);
        }
        let figures = growth.figures();
        let solved = cases.iter().filter(|case| case.solved_nodes.is_some_and(|n| n <= nodes)).count();
        SuiteCheckpoint { nodes, solved, depth: figures.depth, depth_max: figures.depth_max }
    };
    SuiteOutcome {
        game: kit.name(),
        engine,
        file: request.file.display().to_string(),
        nodes_limit: request.nodes,
        positions: cases.len(),
        solved: cases.iter().filter(|case| case.solved_nodes.is_some()).count(),
        nodes_geometric_mean: (logs / cases.len().max(1) as f64).exp(),
        branching_factor: growth.figures().branching_factor,
        checkpoints: points.map(checkpoint).collect(),
        cases,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::Value;

    fn course(steps: &[(u64, &str)]) -> Vec<Iteration> {
        let iteration = |(index, &(nodes, mv)): (usize, &(u64, &str))| Iteration {
            depth: index as u32 + 1,
            depth_max: 0,
            nodes,
            lines: vec![(mv.to_string(), Value::cp(0))],
        };
        steps.iter().enumerate().map(iteration).collect()
    }

    #[track_caller]
    fn check(steps: &[(u64, &str)], solved: Option<u64>) {
        let best = vec!["a".to_string(), "b".to_string()];
        let problem = SuiteProblem { line: 1, id: String::new(), position: String::new(), best };
        assert_eq!(judge(&problem, &course(steps), 1000).solved_nodes, solved, "{steps:?}");
    }

    #[test]
    fn what_counts_is_when_the_best_move_stays() {
        check(&[(10, "a"), (20, "c"), (40, "a"), (80, "b"), (900, "b")], Some(40));
        check(&[(10, "a"), (20, "a"), (900, "c")], None);
        check(&[(2000, "a")], Some(1000));
        check(&[], None);
    }

    #[test]
    fn ids_may_hold_semicolons() {
        assert_eq!(id_of(" c0 \"id x\"; id \"a; b\"; "), "a; b");
        assert_eq!(id_of(" id plain"), "plain");
        assert_eq!(id_of(""), "");
    }
}
