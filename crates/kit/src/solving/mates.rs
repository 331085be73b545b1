//! Mates solved: of one position, with a proof if wanted, or all of a file, side by side and told in their order.

use super::{SolveEnd, SolveRequest, SolveRun, Solved, proof_file::Form};
use crate::{
    Kit, Pasted,
    mates::{MatePicture, MateQuestion, MateSolver, Mates, Pictures, SolvedMate},
};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap,
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::channel,
    },
    time::{Duration, Instant},
};
use tesuji_jobs::{Existing, Interrupt, Progress, check_output, read_text_limited};
use tesuji_search::mate::Answer;

/// The longest file of problems, in bytes, unpacked: they are held in memory.
const PROBLEMS_BYTES_MAX: u64 = 256 << 20;

/// A problem of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateProblem {
    /// Its name, or its number.
    pub name: String,
    /// The position that is asked about.
    pub position: Pasted,
    /// The known answer.
    pub known: Option<String>,
}

/// The result of a file of mates.
#[derive(Debug, Clone, PartialEq)]
pub struct MateSetEnd {
    /// Problems of the file.
    pub problems: usize,
    /// Those that were solved before it was stopped.
    pub solved: usize,
    /// Answers, by their words.
    pub answers: BTreeMap<&'static str, usize>,
    /// Answers that contradict what the file says.
    pub wrong: usize,
    /// Time for all.
    pub spent: Duration,
}

/// Solves one problem.
pub(super) fn solve_one(
    request: &SolveRequest,
    kit: &dyn Kit,
    mates: &dyn Mates,
    run: &mut SolveRun<'_>,
) -> anyhow::Result<SolveEnd> {
    let form = request.proof.as_deref().map(|path| Form::of(kit, path)).transpose()?;
    if let Some(path) = &request.proof {
        check_output(path, Existing::Refuse)?;
    }
    let mut solver = mates.solver(&request.settings())?;
    let asked = (&request.position, &request.question());
    let solved = ask(solver.as_mut(), asked, run.interrupt, run.picture)?;
    (run.tell)(Solved::Mate(&solved));
    let mut unwritten = None;
    match (form, &request.proof, &solved.proof) {
        (Some(form), Some(path), Some(proof)) => form.write(path, proof)?,
        (_, path, None) => unwritten.clone_from(path),
        _ => {}
    }
    Ok(SolveEnd::One { is_yes: solved.plies().is_some(), unwritten })
}

/// Asks about a position; anyone who wants to see it is shown the tree while it grows.
fn ask(
    solver: &mut dyn MateSolver,
    (position, question): (&Pasted, &MateQuestion),
    interrupt: &Interrupt,
    picture: Option<&(dyn Fn(&MatePicture) + Sync)>,
) -> anyhow::Result<SolvedMate> {
    let mut show = picture.map(|picture| move |shown: &MatePicture| picture(shown));
    let pictures: Option<Pictures<'_>> = match &mut show {
        Some(show) => Some(show),
        None => None,
    };
    solver.solve(position, question, &|| interrupt.is_raised(), pictures)
}

/// Solves all problems of a file.
pub(super) fn solve_file(
    request: &SolveRequest,
    mates: &dyn Mates,
    file: &Path,
    run: &mut SolveRun<'_>,
) -> anyhow::Result<MateSetEnd> {
    let problems = problems(mates, file)?;
    let began = Instant::now();
    let progress = Progress::start("solve", "problems", Some(problems.len() as u64), run.show);
    let mut end =
        MateSetEnd { problems: problems.len(), solved: 0, answers: BTreeMap::new(), wrong: 0, spent: Duration::ZERO };
    let tell = &mut *run.tell;
    solve_all(request, mates, &problems, (run.interrupt, run.picture), &mut |index, solved| {
        let problem = &problems[index];
        let is_wrong = problem.known.as_ref().is_some_and(|known| contradicts(solved.answer, known));
        end.wrong += usize::from(is_wrong);
        *end.answers.entry(solved.word()).or_default() += 1;
        end.solved += 1;
        progress.set(end.solved as u64);
        tell(Solved::MateOfFile { problem, solved: &solved, is_wrong });
    })?;
    progress.finish();
    end.spent = began.elapsed();
    Ok(end)
}

/// Reads a file of problems.
fn problems(mates: &dyn Mates, file: &Path) -> anyhow::Result<Vec<MateProblem>> {
    let mut problems = Vec::new();
    for (index, line) in read_text_limited(file, PROBLEMS_BYTES_MAX)?.lines().enumerate() {
        let at = || format!("{}: line {}", file.display(), index + 1);
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
fn read_line(text: &str, index: usize) -> Option<MateProblem> {
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
    Some(MateProblem { name, position, known })
}

/// The interrupt, and the viewer of trees, if any.
type Outside<'a> = (&'a Interrupt, Option<&'a (dyn Fn(&MatePicture) + Sync)>);

/// Solves problems on as many threads as are allowed, and tells them in order.
fn solve_all(
    request: &SolveRequest,
    mates: &dyn Mates,
    problems: &[MateProblem],
    (interrupt, picture): Outside<'_>,
    tell: &mut dyn FnMut(usize, SolvedMate),
) -> anyhow::Result<()> {
    let next = AtomicUsize::new(0);
    let (sender, results) = channel();
    let question = request.question();
    std::thread::scope(|scope| {
        for _ in 0..request.jobs {
            let mut solver = mates.solver(&request.settings())?;
            let (sender, next, question) = (sender.clone(), &next, &question);
            let work = move || {
                while !interrupt.is_raised() {
                    let index = next.fetch_add(1, Relaxed);
                    let Some(problem) = problems.get(index) else { break };
                    let solved = ask(solver.as_mut(), (&problem.position, question), interrupt, picture);
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
