//! `tesuji solve go`: is a chain captured, caught in a ladder, alive? Each side tries to prove its answer with kos and repetition
//! against it; where neither can, the problem hangs on a ko.

use super::Args;
use crate::{games, position::joined};
use anyhow::{Context, bail};
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_game::{Notation, Position, Side};
use tesuji_go::{
    Area, GoPosition, GtpNotation, Large, Medium, Move, Rules, Small, Vertex,
    reading::{Check, Goal, Problem, Reading, Seen},
};
use tesuji_jobs::{Interrupt, open_input};
use tesuji_search::mate::{Answer, Knobs, MateLimits, MateSearch, Settings};

/// The nodes of the first attempt; each next one has four times as many.
const NODES_FIRST: u64 = 2048;
/// The memory of first attempts, and from how many nodes on an attempt has all that is allowed.
const HASH_FIRST_MIB: usize = 8;
const NODES_LITTLE: u64 = 100_000;

/// What came of a problem.
struct Found {
    /// `yes`, `no`, `ko`, `limit`.
    answer: &'static str,
    line: Vec<Move>,
    nodes: u64,
    time: Duration,
    /// Positions that the checker looked at; `None`: not asked, or nothing to check.
    verified: Option<usize>,
}

/// Solves one problem or all of files.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.proof.is_some() || args.shortest || args.defend || args.plies.is_some() {
        bail!(
            "solve go takes --position with --goal, or --set; --region, --time, --nodes, --hash, --verify and --json"
        );
    }
    let stop = Interrupt::of_process();
    if let Some(path) = &args.set {
        return run_set(args, path, &stop);
    }
    let (text, moves) = joined(args.fen.as_ref(), &args.moves);
    let Some(goal) = &args.goal else { bail!("--goal is missing: capture, ladder or live, and a point of the chain") };
    let region = args.region.as_ref().map_or(String::new(), |region| format!("\nregion {region}"));
    let problem = of_position(&Rules::default(), text.unwrap_or_default(), &moves, &format!("goal {goal}{region}"))?;
    let found = solve(&problem, args, &stop)?;
    if args.json {
        println!("{}", told(&problem, &found));
    } else {
        println!("{}: {}", question(&problem), found.answer);
        if !found.line.is_empty() {
            println!("line: {}", line_text(&found.line));
        }
        println!("{} nodes, {:.3} s", found.nodes, found.time.as_secs_f64());
        if let Some(positions) = found.verified {
            println!("verified by plain rules: {positions} positions");
        }
    }
    Ok(if found.answer == "yes" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is asked, in words.
fn question(problem: &Problem) -> String {
    let who = if problem.first() == problem.defender() { "the defender" } else { "the attacker" };
    let what = match problem.goal() {
        Goal::Capture => "is captured",
        Goal::Ladder => "is captured by ataris",
        Goal::Live => "lives",
    };
    format!("{} {what}, {who} moving first", problem.target())
}

fn line_text(line: &[Move]) -> String {
    line.iter().map(Move::to_string).collect::<Vec<_>>().join(" ")
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
fn solve(problem: &Problem, args: &Args, stop: &Interrupt) -> anyhow::Result<Found> {
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

fn solve_on<A: Area>(problem: &Problem, args: &Args, stop: &Interrupt) -> anyhow::Result<Found> {
    let began = Instant::now();
    let time = args.time.map(|s| Duration::from_secs_f64(s.clamp(0.0, 1e9)));
    let mut knobs = Knobs::default();
    for option in &args.options {
        let Some((name, value)) = option.split_once('=') else { bail!("--set-option {option}: expected NAME=VALUE") };
        tesuji_options::Options::set(&mut knobs, name, value)?;
    }
    let whole = Settings { hash_mib: (args.hash / 2).max(1) };
    // Most problems need next to nothing, and large tables take time.
    let little = Settings { hash_mib: whole.hash_mib.min(HASH_FIRST_MIB) };
    let defender = problem.defender();
    let mut attempts = [!defender, defender].map(|prover| Attempt::<A> {
        prover,
        pos: Reading::new(problem, prover),
        search: MateSearch::new(&little, &knobs),
        answer: Answer::Unknown,
    });
    let (mut spent, mut budget) = (0, NODES_FIRST);
    let is_over = || stop.is_raised() || time.is_some_and(|time| began.elapsed() >= time);
    let left = |spent: u64| args.nodes.unwrap_or(u64::MAX).saturating_sub(spent);
    while is_open(&attempts) && left(spent) > 0 && !is_over() {
        for attempt in attempts.iter_mut().filter(|attempt| attempt.answer == Answer::Unknown) {
            if (NODES_LITTLE..4 * NODES_LITTLE).contains(&budget) && whole.hash_mib > little.hash_mib {
                attempt.search = MateSearch::new(&whole, &knobs);
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
    Ok(Found { answer, line, nodes: spent, time, verified })
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
    stop: &Interrupt,
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
        let strategy = match search.strategy(pos, *answer, &mut |_| stop.is_raised()) {
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

fn told(problem: &Problem, found: &Found) -> serde_json::Value {
    json!({
        "name": problem.name(), "goal": problem.goal().word(), "target": problem.target().to_string(),
        "answer": found.answer, "known": problem.answer(),
        "line": found.line.iter().map(Move::to_string).collect::<Vec<_>>(),
        "nodes": found.nodes, "seconds": found.time.as_secs_f64(),
        "verified": found.verified.is_some(), "positions_verified": found.verified,
    })
}

/// The problems of a file: diagrams, or the positions that games of SGF begin with.
fn read(path: &Path) -> anyhow::Result<Vec<Problem>> {
    let name = path.display().to_string();
    let kit = games::kit("go")?;
    let is_sgf = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sgf"));
    let Some(format) = kit.format(&name).filter(|_| is_sgf) else {
        let text = fs::read_to_string(path).with_context(|| name.clone())?;
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

/// The files that `path` means: itself, or those of a folder.
fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.retain(|file| {
        file.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt") || e.eq_ignore_ascii_case("sgf"))
    });
    files.sort();
    if files.is_empty() {
        bail!("{}: no files .txt or .sgf are there", path.display());
    }
    Ok(files)
}

/// Solves all problems of a file or folder, one after the other; a row for each, then a table by file.
fn run_set(args: &Args, path: &Path, stop: &Interrupt) -> anyhow::Result<ExitCode> {
    let mut table: Vec<(String, [u64; 4])> = Vec::new();
    for file in files(path)? {
        let mut counts = [0; 4];
        for problem in read(&file)? {
            if stop.is_raised() {
                return Ok(ExitCode::from(4));
            }
            let found =
                solve(&problem, args, stop).with_context(|| format!("{}: {}", file.display(), problem.name()))?;
            let verdict = match problem.answer() {
                _ if found.answer == "limit" => 1,
                None => 3,
                Some(known) if known == found.answer => 0,
                Some(_) => 2,
            };
            counts[verdict] += 1;
            if args.json {
                println!("{}", told(&problem, &found));
            } else {
                let known = problem.answer().map_or(String::new(), |known| format!(" (known: {known})"));
                let mark = if verdict == 2 { "  WRONG" } else { "" };
                let (nodes, time) = (found.nodes, found.time.as_secs_f64());
                println!("{:<5}{known:<13} {:<52} {nodes:>9} nodes {time:>8.2} s{mark}", found.answer, problem.name());
            }
        }
        table.push((file.file_name().unwrap_or_default().to_string_lossy().into_owned(), counts));
    }
    if table.iter().all(|(_, counts)| counts.iter().sum::<u64>() == 0) {
        bail!("{}: no problems", path.display());
    }
    let sum = table.iter().fold([0; 4], |sum: [u64; 4], (_, counts)| std::array::from_fn(|i| sum[i] + counts[i]));
    table.push(("all".into(), sum));
    eprintln!("{:<24}{:>8}{:>8}{:>8}{:>8}{:>9}", "file", "right", "limit", "wrong", "unknown", "share");
    for (name, counts) in &table {
        let judged: u64 = counts[..3].iter().sum();
        let share = 100.0 * counts[0] as f64 / judged.max(1) as f64;
        eprintln!("{name:<24}{:>8}{:>8}{:>8}{:>8}{share:>7.1} %", counts[0], counts[1], counts[2], counts[3]);
    }
    if sum[2] > 0 {
        bail!("{}: {} answers contradict what the file says", path.display(), sum[2]);
    }
    Ok(ExitCode::SUCCESS)
}
