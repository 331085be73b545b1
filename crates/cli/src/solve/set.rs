//! A file of problems: solved side by side, told in their order, counted at the end.

use super::{Args, solve_one};
use anyhow::{Context, bail};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Instant;
use tesuji_jobs::{Interrupt, Progress, Show, open_input};
use tesuji_kit::{
    Pasted,
    mates::{Mates, SolvedMate},
};
use tesuji_search::mate::Answer;

/// A problem of a file.
struct Problem {
    name: String,
    position: Pasted,
    /// What is said to be true of it.
    known: Option<String>,
}

/// Solves all problems of a file.
pub(super) fn run(args: &Args, mates: &dyn Mates, file: &Path) -> anyhow::Result<ExitCode> {
    let problems = problems(mates, file)?;
    let began = Instant::now();
    let progress = Progress::start("solve", "problems", Some(problems.len() as u64), Show::Auto);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut told, mut wrong) = (0, 0);
    let interrupt = Interrupt::of_process();
    solve_all(args, mates, &problems, &interrupt, &mut |index, solved| {
        let problem = &problems[index];
        let is_wrong = problem.known.as_ref().is_some_and(|known| contradicts(solved.answer, known));
        wrong += usize::from(is_wrong);
        *counts.entry(solved.word()).or_default() += 1;
        told += 1;
        progress.set(told);
        print(args, problem, &solved, is_wrong);
    })?;
    progress.finish();
    let all: Vec<String> = counts.iter().map(|(word, n)| format!("{n} {word}")).collect();
    eprintln!("{told} problems: {}; {:.1} s", all.join(", "), began.elapsed().as_secs_f64());
    if wrong > 0 {
        bail!("{}: {wrong} answers contradict what the file says", file.display());
    }
    Ok(if told < problems.len() as u64 { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// Reads a file of problems.
fn problems(mates: &dyn Mates, file: &Path) -> anyhow::Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (index, line) in open_input(file)?.lines().enumerate() {
        let at = || format!("{}: line {}", file.display(), index + 1);
        let line = line.with_context(at)?;
        if let Some(problem) = read_line(line.trim(), index) {
            mates.check(&problem.position).with_context(at)?;
            problems.push(problem);
        }
    }
    if problems.is_empty() {
        bail!("{}: no problems", file.display());
    }
    Ok(problems)
}

/// The problem of a line; none where it is empty, a remark or the heading.
fn read_line(text: &str, index: usize) -> Option<Problem> {
    if text.is_empty() || text.starts_with('#') {
        return None;
    }
    let cells: Vec<&str> = text.split('\t').collect();
    let (name, text, known) = match cells[..] {
        [text] => (format!("{}", index + 1), text, None),
        [name, text] => (name.to_string(), text, None),
        [name, text, known, ..] => (name.to_string(), text, Some(known.to_string())),
        [] => return None,
    };
    if index == 0 && cells.len() > 1 && name.eq_ignore_ascii_case("name") {
        return None;
    }
    let Ok(position) = text.parse::<Pasted>();
    Some(Problem { name, position, known })
}

/// Solves problems on as many threads as are allowed, and tells them in order.
fn solve_all(
    args: &Args,
    mates: &dyn Mates,
    problems: &[Problem],
    interrupt: &Interrupt,
    tell: &mut dyn FnMut(usize, SolvedMate),
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    let question = args.question();
    std::thread::scope(|scope| {
        for _ in 0..args.jobs {
            let mut solver = mates.solver(&args.settings())?;
            let (sender, next, question) = (sender.clone(), &next, &question);
            let work = move || {
                while !interrupt.is_raised() {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(problem) = problems.get(index) else { break };
                    let solved = solve_one(solver.as_mut(), &problem.position, question, interrupt);
                    if sender.send((index, solved)).is_err() {
                        break;
                    }
                }
            };
            std::thread::Builder::new().spawn_scoped(scope, work)?;
        }
        drop(sender);
        let mut early: BTreeMap<usize, SolvedMate> = BTreeMap::new();
        let mut due = 0;
        for (index, solved) in results {
            early.insert(index, solved.with_context(|| problems[index].name.clone())?);
            while let Some(solved) = early.remove(&due) {
                tell(due, solved);
                due += 1;
            }
        }
        Ok(())
    })
}

fn print(args: &Args, problem: &Problem, solved: &SolvedMate, is_wrong: bool) {
    let (plies, seconds) = (solved.plies(), solved.time.as_secs_f64());
    if args.json {
        let value = json!({
            "name": problem.name, "answer": solved.word(), "plies": plies, "line": solved.line,
            "nodes": solved.nodes, "seconds": seconds, "verified": solved.verified.is_some(), "known": problem.known,
            "contradicts": is_wrong,
        });
        println!("{value}");
        return;
    }
    let plies = plies.map_or(String::new(), |n| format!(" {n}"));
    let answer = format!("{}{plies}", solved.word());
    let known = problem.known.as_deref().unwrap_or("");
    let mark = if is_wrong { "CONTRADICTS" } else { "" };
    println!("{:24} {answer:12} {known:8} {:>10} nodes {seconds:>9.3} s {mark}", problem.name, solved.nodes);
}

/// Whether an answer cannot be true where `known` is: a mate, its least plies, or no mate.
fn contradicts(answer: Answer, known: &str) -> bool {
    match (answer, known.parse::<u16>()) {
        (Answer::Mate(plies), Ok(least)) => plies < least,
        (Answer::Mate(_), Err(_)) => known == "nomate",
        (Answer::NoMate, known_plies) => known_plies.is_ok() || known == "mate",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_compared_with_what_is_known() {
        assert!(contradicts(Answer::Mate(3), "5") && !contradicts(Answer::Mate(7), "5"));
        assert!(contradicts(Answer::NoMate, "5") && contradicts(Answer::NoMate, "mate"));
        assert!(contradicts(Answer::Mate(3), "nomate") && !contradicts(Answer::NoMate, "nomate"));
        assert!(!contradicts(Answer::Unknown, "5") && !contradicts(Answer::Mate(9), "?"));
    }
}
