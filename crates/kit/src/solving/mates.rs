//! Mates solved: of one position, with a proof if wanted, or all of a file, side by side and told in their order.

use super::{SolveEnd, SolveRequest, SolveRun, Solved, proof_file::Form};
use crate::{
    Kit, Pasted, check_new_output,
    mates::{MatePicture, MateQuestion, MateSolver, Mates, Pictures, SolvedMate},
};
use anyhow::{Context, bail};
use std::{
    collections::BTreeMap,
    io::Read,
    path::Path,
    sync::{
        atomic::{AtomicUsize, Ordering::Relaxed},
        mpsc::channel,
    },
    time::{Duration, Instant},
};
use tesuji_jobs::{Interrupt, Progress, open_limited};
use tesuji_record::RecordFormat;
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
        check_new_output(path, [""; 0])?;
    }
    let mut solver = mates.solver(&request.settings())?;
    let asked = (&request.position, &request.question());
    let progress = Progress::start("solve", "problems", Some(1), run.show);
    let solved = ask(solver.as_mut(), asked, run.interrupt, run.picture);
    progress.set(u64::from(solved.is_ok()));
    progress.finish();
    let solved = solved?;
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
    (kit, mates): (&dyn Kit, &dyn Mates),
    file: &Path,
    run: &mut SolveRun<'_>,
) -> anyhow::Result<MateSetEnd> {
    let problems = problems(kit, mates, file)?;
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

/// Reads a file of problems: positions line by line, or games of a format that the name tells or that has read the file.
pub(super) fn problems(kit: &dyn Kit, mates: &dyn Mates, file: &Path) -> anyhow::Result<Vec<MateProblem>> {
    let mut bytes = Vec::new();
    open_limited(file, PROBLEMS_BYTES_MAX)?.read_to_end(&mut bytes)?;
    let problems = match problems_of_lines(kit, mates, &bytes) {
        Ok(problems) => problems,
        Err(wrong) if wrong.is_first => match problems_of_games(kit, mates, file, &bytes)? {
            Some(problems) => problems,
            None => return Err(wrong.error.context(file.display().to_string())),
        },
        Err(wrong) => return Err(wrong.error.context(file.display().to_string())),
    };
    if problems.is_empty() {
        bail!("{}: no problems", file.display());
    }
    Ok(problems)
}

/// A line that is no problem.
struct WrongLine {
    /// No line before it is a problem.
    is_first: bool,
    error: anyhow::Error,
}

/// The problems of a file with one a line.
fn problems_of_lines(kit: &dyn Kit, mates: &dyn Mates, bytes: &[u8]) -> Result<Vec<MateProblem>, WrongLine> {
    let mut problems = Vec::new();
    for (index, line) in bytes.split(|&b| b == b'\n').enumerate() {
        let read = std::str::from_utf8(line).map_err(anyhow::Error::from);
        let read = read.map(|line| read_line(line.trim_start_matches('\u{FEFF}').trim(), index));
        let problem = read.and_then(|problem| problem.map(|(p, text)| checked(kit, mates, p, text)).transpose());
        match problem {
            Ok(problem) => problems.extend(problem),
            Err(error) => {
                let error = error.context(format!("line {}", index + 1));
                return Err(WrongLine { is_first: problems.is_empty(), error });
            }
        }
    }
    Ok(problems)
}

/// The problem, if its position can be asked about; else as the game's labelled lines have `text`.
fn checked(kit: &dyn Kit, mates: &dyn Mates, mut problem: MateProblem, text: &str) -> anyhow::Result<MateProblem> {
    if let Err(error) = mates.check(&problem.position) {
        let formats = kit.survey().map_or(&[][..], |survey| survey.formats());
        let mut sample = None;
        if let Some(format) = formats.iter().find(|format| format.name() == "text") {
            format.read(text.as_bytes(), &mut |read| sample = read.ok());
        }
        problem.position = match sample {
            Some(sample) => Pasted::of(Some(&sample.position), &[]),
            None => return Err(error),
        };
        mates.check(&problem.position)?;
    }
    Ok(problem)
}

/// The positions from which the games of a file start, in the format that its name tells, or else in one in which the file
/// can be read; `None` where there is none.
fn problems_of_games(
    kit: &dyn Kit,
    mates: &dyn Mates,
    file: &Path,
    bytes: &[u8],
) -> anyhow::Result<Option<Vec<MateProblem>>> {
    let name = file.display().to_string();
    if let Some(format) = kit.format(tesuji_record::unpacked_name(&name)) {
        return starts(mates, format, bytes).map(Some).with_context(|| name);
    }
    let read = |format: &&'static dyn RecordFormat| starts(mates, *format, bytes).ok();
    Ok(kit.formats().iter().find_map(read).filter(|problems| !problems.is_empty()))
}

/// The positions from which games start.
fn starts(mates: &dyn Mates, format: &dyn RecordFormat, bytes: &[u8]) -> anyhow::Result<Vec<MateProblem>> {
    let mut reader = format.reader(Box::new(std::io::Cursor::new(bytes.to_vec())));
    let mut problems = Vec::new();
    while let Some(game) = reader.read()? {
        let name = format!("{}", problems.len() + 1);
        let Some(start) = &game.start else {
            bail!("game {name} begins at a usual start: expected a problem's position")
        };
        let position = Pasted::of(Some(start), &[]);
        mates.check(&position).with_context(|| format!("game {name}"))?;
        problems.push(MateProblem { name, position, known: None });
    }
    Ok(problems)
}

/// The problem of a line and the text of its position; none where it is empty, a remark or the heading.
fn read_line(text: &str, index: usize) -> Option<(MateProblem, &str)> {
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
    Some((MateProblem { name, position, known }, text))
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
