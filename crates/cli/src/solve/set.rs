//! A file of problems: solved side by side, told in their order, counted at the end.

use super::{Room, answer_word, plies_of};
use crate::position::{self, Pasted};
use anyhow::{Context, bail};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::BufRead;
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::time::Instant;
use tesuji_game::{Game, Mating, Tactical};
use tesuji_jobs::{Interrupt, Progress, Show, open_input};
use tesuji_search::mate::Answer;

/// A problem of a file.
struct Problem<P> {
    name: String,
    pos: P,
    /// What is said to be true of it.
    known: Option<String>,
}

/// What came of it, as it is told.
struct Told {
    answer: Answer,
    nodes: u64,
    seconds: f64,
    verified: bool,
    line: Vec<String>,
}

impl<G> Room<'_, G>
where
    G: Game,
    G::Position: Mating + Tactical,
{
    /// Solves all problems of a file.
    pub(super) fn run_set(&self, file: &Path) -> anyhow::Result<ExitCode> {
        let problems = self.problems(file)?;
        let began = Instant::now();
        let progress = Progress::start("solve", "problems", Some(problems.len() as u64), Show::Auto);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut told, mut wrong) = (0, 0);
        let interrupt = Interrupt::of_process();
        self.solve_all(&problems, &interrupt, &mut |index, solved| {
            let problem = &problems[index];
            let is_wrong = problem.known.as_ref().is_some_and(|known| contradicts(solved.answer, known));
            wrong += usize::from(is_wrong);
            *counts.entry(answer_word(solved.answer)).or_default() += 1;
            told += 1;
            progress.set(told);
            self.tell(problem, &solved, is_wrong);
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
    fn problems(&self, file: &Path) -> anyhow::Result<Vec<Problem<G::Position>>> {
        let mut problems = Vec::new();
        for (index, line) in open_input(file)?.lines().enumerate() {
            let at = || format!("{}: line {}", file.display(), index + 1);
            let line = line.with_context(at)?;
            let text = line.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let cells: Vec<&str> = text.split('\t').collect();
            let (name, text, known) = match cells[..] {
                [text] => (format!("{}", index + 1), text, None),
                [name, text] => (name.to_string(), text, None),
                [name, text, known, ..] => (name.to_string(), text, Some(known.to_string())),
                [] => continue,
            };
            // A heading is no problem.
            if index == 0 && cells.len() > 1 && name.eq_ignore_ascii_case("name") {
                continue;
            }
            let Ok(pasted) = text.parse::<Pasted>();
            let pos = position::read::<G>(&self.rules, Some(&pasted), &[]).with_context(at)?;
            problems.push(Problem { name, pos, known });
        }
        if problems.is_empty() {
            bail!("{}: no problems", file.display());
        }
        Ok(problems)
    }

    /// Solves problems on as many threads as are allowed, and tells them in order.
    fn solve_all(
        &self,
        problems: &[Problem<G::Position>],
        interrupt: &Interrupt,
        tell: &mut dyn FnMut(usize, Told),
    ) -> anyhow::Result<()> {
        let next = AtomicUsize::new(0);
        let (sender, results) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.args.jobs {
                let (sender, next) = (sender.clone(), &next);
                let work = move || {
                    let mut search = self.search();
                    while !interrupt.is_raised() {
                        let index = next.fetch_add(1, Relaxed);
                        let Some(problem) = problems.get(index) else { break };
                        let told = self.solve(&mut search, &problem.pos, interrupt).map(|(solved, _)| Told {
                            answer: solved.answer,
                            nodes: solved.nodes,
                            seconds: solved.time.as_secs_f64(),
                            verified: solved.verified.is_some(),
                            line: Self::line_text(&problem.pos, &solved.line),
                        });
                        if sender.send((index, told)).is_err() {
                            break;
                        }
                    }
                };
                std::thread::Builder::new().spawn_scoped(scope, work)?;
            }
            drop(sender);
            let mut early: BTreeMap<usize, Told> = BTreeMap::new();
            let mut due = 0;
            for (index, told) in results {
                early.insert(index, told.with_context(|| problems[index].name.clone())?);
                while let Some(told) = early.remove(&due) {
                    tell(due, told);
                    due += 1;
                }
            }
            Ok(())
        })
    }

    fn tell(&self, problem: &Problem<G::Position>, told: &Told, is_wrong: bool) {
        let plies = plies_of(told.answer);
        if self.args.json {
            let value = json!({
                "name": problem.name, "answer": answer_word(told.answer), "plies": plies, "line": told.line,
                "nodes": told.nodes, "seconds": told.seconds, "verified": told.verified, "known": problem.known,
                "contradicts": is_wrong,
            });
            println!("{value}");
            return;
        }
        let plies = plies.map_or(String::new(), |n| format!(" {n}"));
        let answer = format!("{}{plies}", answer_word(told.answer));
        let known = problem.known.as_deref().unwrap_or("");
        let mark = if is_wrong { "CONTRADICTS" } else { "" };
        println!("{:24} {answer:12} {known:8} {:>10} nodes {:>9.3} s {mark}", problem.name, told.nodes, told.seconds);
    }
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
