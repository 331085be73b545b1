//! Problems of go: is a chain captured, caught in a ladder, alive? Each side tries to prove its answer with kos and repetition
//! against it; where neither can, the problem hangs on a ko.

use anyhow::{Context, bail};
use std::{path::Path, time::Instant};
use tesuji_game::{Notation, Position, Side};
use tesuji_go::{
    Area, GoPosition, GtpNotation, Large, Medium, Move, Rules, Small, Vertex,
    reading::{Check, Goal, Problem, Reading, Seen},
};
use tesuji_jobs::{open_input, read_text_limited};
use tesuji_kit::{
    Pasted,
    regions::{RegionProblem, RegionSearch, Regions, SolvedRegion},
};
use tesuji_options::Options;
use tesuji_record::AnyGame;
use tesuji_search::mate::{Answer, MateLimits, MateSearch, Parameters, Settings};

/// The nodes of the first attempt; each next one has four times as many.
const NODES_FIRST: u64 = 2048;
/// The memory of first attempts, and from how many nodes on an attempt has all that is allowed.
const HASH_FIRST_MIB: usize = 8;
const NODES_LITTLE: u64 = 100_000;

/// The longest file of diagrams, in bytes, unpacked.
const PROBLEMS_BYTES_MAX: u64 = 64 << 20;

/// The problems of go.
pub(super) struct GoRegions;

impl Regions for GoRegions {
    fn problem(&self, position: &Pasted, goal: &str, region: Option<&str>) -> anyhow::Result<Box<dyn RegionProblem>> {
        let region = region.map_or(String::new(), |region| format!("\nregion {region}"));
        let start = position.start.as_deref().unwrap_or_default();
        let problem = of_position(&Rules::default(), start, &position.moves, &format!("goal {goal}{region}"))?;
        Ok(Box::new(GoProblem(problem)))
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt", "sgf"]
    }

    fn problems(&self, file: &Path) -> anyhow::Result<Vec<Box<dyn RegionProblem>>> {
        let problems = read(file)?.into_iter();
        Ok(problems.map(|problem| Box::new(GoProblem(problem)) as Box<dyn RegionProblem>).collect())
    }
}

/// A problem of go.
struct GoProblem(Problem);

impl RegionProblem for GoProblem {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn question(&self) -> String {
        question(&self.0)
    }

    fn goal(&self) -> &'static str {
        self.0.goal().word()
    }

    fn target(&self) -> String {
        self.0.target().to_string()
    }

    fn known(&self) -> Option<&str> {
        self.0.answer()
    }

    fn solve(&self, search: &RegionSearch, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<SolvedRegion> {
        solve(&self.0, search, is_stopped)
    }
}

/// The question of the problem, in words.
fn question(problem: &Problem) -> String {
    let who = if problem.first() == problem.defender() { "the defender" } else { "the attacker" };
    let what = match problem.goal() {
        Goal::Capture => "is captured",
        Goal::Ladder => "is captured by ataris",
        Goal::Live => "lives",
    };
    format!("{} {what}, {who} moving first", problem.target())
}

/// A problem of a position's text and moves.
fn of_position(rules: &Rules, text: &str, moves: &[String], words: &str) -> anyhow::Result<Problem> {
    let mut pos: GoPosition<Large> = GtpNotation::parse_position(rules, text).with_context(|| format!("{text:?}"))?;
    for text in moves {
        let mv = GtpNotation::parse_move(&pos, text).with_context(|| format!("--moves {text}"))?;
        pos.play(mv);
    }
    let stones: Vec<(Vertex, Side)> = pos.board().stones().collect();
    Ok(Problem::of_stones(pos.size(), stones, pos.side_to_move(), words)?)
}

/// Solves and checks a problem.
fn solve(problem: &Problem, args: &RegionSearch, stop: &dyn Fn() -> bool) -> anyhow::Result<SolvedRegion> {
    let size = problem.size();
    if Small::holds(size) {
        solve_on::<Small>(problem, args, stop)
    } else if Medium::holds(size) {
        solve_on::<Medium>(problem, args, stop)
    } else {
        solve_on::<Large>(problem, args, stop)
    }
}

/// One side's attempts to prove its answer.
struct Attempt<A: Area> {
    prover: Side,
    pos: Reading<A>,
    search: MateSearch<Reading<A>>,
    answer: Answer,
}

fn solve_on<A: Area>(problem: &Problem, args: &RegionSearch, stop: &dyn Fn() -> bool) -> anyhow::Result<SolvedRegion> {
    let began = Instant::now();
    let mut parameters = Parameters::default();
    for option in &args.options {
        let Some((name, value)) = option.split_once('=') else { bail!("--option {option}: expected NAME=VALUE") };
        parameters.set(name, value)?;
    }
    let whole = Settings { hash_mib: (args.hash_mib / 2).max(1) };
    // Most problems need next to nothing, and large tables take time.
    let little = Settings { hash_mib: whole.hash_mib.min(HASH_FIRST_MIB) };
    let defender = problem.defender();
    let mut attempts = [!defender, defender].map(|prover| Attempt::<A> {
        prover,
        pos: Reading::new(problem, prover),
        search: MateSearch::new(&little, &parameters),
        answer: Answer::Unknown,
    });
    let (mut spent, mut budget) = (0, NODES_FIRST);
    let is_over = || stop() || args.time.is_some_and(|time| began.elapsed() >= time);
    let left = |spent: u64| args.nodes.unwrap_or(u64::MAX).saturating_sub(spent);
    while is_open(&attempts) && left(spent) > 0 && !is_over() {
        for attempt in attempts.iter_mut().filter(|attempt| attempt.answer == Answer::Unknown) {
            if (NODES_LITTLE..4 * NODES_LITTLE).contains(&budget) && whole.hash_mib > little.hash_mib {
                attempt.search = MateSearch::new(&whole, &parameters);
            }
            let limits = MateLimits { plies: None, nodes: Some(budget.min(left(spent))) };
            attempt.answer = attempt.search.solve(&attempt.pos, attempt.prover, limits, &mut |_| is_over());
            spent += attempt.search.nodes();
            if matches!(attempt.answer, Answer::Mate(_)) {
                break;
            }
        }
        budget = budget.saturating_mul(4);
    }
    let [attack, defence] = &attempts;
    let answer = match (attack.answer, defence.answer) {
        (Answer::Mate(_), _) => "captured",
        (_, Answer::Mate(_)) => "stands",
        (Answer::NoMate, Answer::NoMate) => "ko",
        _ => "limit",
    };
    let time = began.elapsed();
    let (line, verified) = explain(problem, &mut attempts, answer, args.verify, stop)?;
    let answer = match (answer, problem.goal() == Goal::Live) {
        ("captured", false) | ("stands", true) => "yes",
        ("captured", true) | ("stands", false) => "no",
        (other, _) => other,
    };
    let line = line.iter().map(Move::to_string).collect();
    Ok(SolvedRegion { answer, line, nodes: spent, time, verified })
}

/// Whether nothing is known yet: somebody may still prove something.
fn is_open<A: Area>(attempts: &[Attempt<A>; 2]) -> bool {
    let is_proof = |attempt: &Attempt<A>| matches!(attempt.answer, Answer::Mate(_));
    !attempts.iter().any(is_proof) && attempts.iter().any(|attempt| attempt.answer == Answer::Unknown)
}

/// The line that shows an answer, and how many positions the checker looked at where it was asked.
fn explain<A: Area>(
    problem: &Problem,
    attempts: &mut [Attempt<A>; 2],
    answer: &str,
    verify: bool,
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<(Vec<Move>, Option<usize>)> {
    let claims: Vec<usize> = match answer {
        "captured" => vec![0],
        "stands" => vec![1],
        "ko" if verify => vec![0, 1],
        _ => Vec::new(),
    };
    let (mut line, mut positions) = (Vec::new(), 0);
    for &index in &claims {
        let Attempt { prover, pos, search, answer } = &mut attempts[index];
        let wins = matches!(answer, Answer::Mate(_));
        let strategy = match search.strategy(pos, *answer, &mut |_| stop()) {
            Ok(strategy) => strategy,
            Err(_) if !verify => continue,
            Err(reason) => bail!("the proof cannot be told ({reason:?}): give more nodes or --hash"),
        };
        if wins {
            line = line_of(pos, &strategy.line(pos));
        }
        if verify {
            let check = Check { problem, prover: *prover, wins };
            let mut answers = |seen: &Seen| Reading::<A>::at(problem, *prover, seen).and_then(|pos| strategy.mv(&pos));
            // What the checker refuses must never be told as an answer.
            positions +=
                check.run(&mut answers).map_err(|fault| anyhow::anyhow!("the proof does not hold: {fault}"))?;
        }
    }
    Ok((line, (verify && !claims.is_empty()).then_some(positions)))
}

/// A line as far as it matters: until somebody has reached the goal.
fn line_of<A: Area>(pos: &Reading<A>, line: &[Move]) -> Vec<Move> {
    let mut here = pos.clone();
    let mut kept = Vec::new();
    for &mv in line {
        if here.is_decided() {
            break;
        }
        kept.push(mv);
        here.play(mv);
    }
    kept
}

/// The problems of a file: diagrams, or the positions that games of SGF begin with.
fn read(path: &Path) -> anyhow::Result<Vec<Problem>> {
    let name = path.display().to_string();
    let is_sgf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sgf"));
    let Some(format) = super::DOOR.format(&name).filter(|_| is_sgf) else {
        let text = read_text_limited(path, PROBLEMS_BYTES_MAX)?;
        return Problem::read_all(&text).with_context(|| name);
    };
    let mut reader = format.reader(open_input(path).with_context(|| name.clone())?);
    let mut problems = Vec::new();
    while let Some(record) = reader.read().with_context(|| name.clone())? {
        let at = || format!("{name}, game {}", problems.len() + 1);
        let rules: Rules = record.rules.parse().with_context(at)?;
        let words = record.note(0).comment.clone();
        let words = match record.tag("Title").filter(|_| !words.contains("name ")) {
            Some(title) => format!("name {title}\n{words}"),
            None => words,
        };
        let problem = of_position(&rules, record.start.as_deref().unwrap_or_default(), &[], &words).with_context(at)?;
        problems.push(problem);
    }
    Ok(problems)
}
