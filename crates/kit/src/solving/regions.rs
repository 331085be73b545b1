//! Problems of regions solved: one, or all of files, with counts of how answers stand to what the files say.

use super::{SolveEnd, SolveRequest, SolveRun, Solved};
use crate::{Pasted, RequestError, regions::Regions};
use anyhow::{Context, bail};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tesuji_jobs::Progress;

/// The comparison of an answer with the one in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionVerdict {
    /// It is what the file says.
    Right,
    /// A limit was reached.
    Limit,
    /// The file says something else.
    Wrong,
    /// The file says nothing.
    Unknown,
}

/// Counts of problems that were right, reached a limit, were wrong, or had no known answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RegionCounts {
    /// See [`RegionVerdict::Right`].
    pub right: u64,
    /// See [`RegionVerdict::Limit`].
    pub limit: u64,
    /// See [`RegionVerdict::Wrong`].
    pub wrong: u64,
    /// See [`RegionVerdict::Unknown`].
    pub unknown: u64,
}

/// The result of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionFile {
    /// Its name.
    pub name: String,
    /// Its answers.
    pub counts: RegionCounts,
}

/// The result of files of regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionSetEnd {
    /// The files that were solved.
    pub files: Vec<RegionFile>,
    /// All together.
    pub all: RegionCounts,
    /// Whether it was stopped before the end.
    pub stopped: bool,
}

impl RegionCounts {
    fn count(&mut self, verdict: RegionVerdict) {
        *match verdict {
            RegionVerdict::Right => &mut self.right,
            RegionVerdict::Limit => &mut self.limit,
            RegionVerdict::Wrong => &mut self.wrong,
            RegionVerdict::Unknown => &mut self.unknown,
        } += 1;
    }

    fn add(&mut self, other: RegionCounts) {
        self.right += other.right;
        self.limit += other.limit;
        self.wrong += other.wrong;
        self.unknown += other.unknown;
    }
}

/// Solves one problem or all of files.
pub(super) fn solve(request: &SolveRequest, regions: &dyn Regions, run: &mut SolveRun<'_>) -> anyhow::Result<SolveEnd> {
    if request.proof.is_some() || request.shortest || request.defend || request.plies.is_some() {
        bail!(
            "problems of a region take --position with --goal, or --problems; --region, --time, --nodes, --hash, --verify and --json"
        );
    }
    if let Some(path) = &request.problems {
        return Ok(SolveEnd::RegionSet(solve_files(request, regions, path, run)?));
    }
    let Some(goal) = &request.goal else {
        let reason = "is missing: capture, ladder or live, and a point of the chain";
        return Err(RequestError::field("goal", reason).into());
    };
    let position = request.position.clone();
    let position = Pasted { start: Some(position.start.unwrap_or_default()), ..position };
    let problem = regions.problem(&position, goal, request.region.as_deref())?;
    let progress = Progress::start("solve", "problems", Some(1), run.show);
    let solved = problem.solve(&request.region_search(), &|| run.interrupt.is_raised());
    progress.set(u64::from(solved.is_ok()));
    progress.finish();
    let solved = solved?;
    (run.tell)(Solved::Region { problem: problem.as_ref(), solved: &solved });
    Ok(SolveEnd::One { is_yes: solved.answer == "yes", unwritten: None })
}

/// Solves all problems of a file or folder, one after the other.
fn solve_files(
    request: &SolveRequest,
    regions: &dyn Regions,
    path: &Path,
    run: &mut SolveRun<'_>,
) -> anyhow::Result<RegionSetEnd> {
    let mut end = RegionSetEnd { files: Vec::new(), all: RegionCounts::default(), stopped: false };
    let (mut problems, progress) = (0, Progress::start("solve", "problems", None, run.show));
    for file in files(regions, path)? {
        let mut counts = RegionCounts::default();
        for problem in regions.problems(&file)? {
            if run.interrupt.is_raised() {
                return Ok(RegionSetEnd { stopped: true, ..end });
            }
            let solved = problem.solve(&request.region_search(), &|| run.interrupt.is_raised());
            let solved = solved.with_context(|| format!("{}: {}", file.display(), problem.name()))?;
            let verdict = verdict(problem.known(), solved.answer);
            counts.count(verdict);
            problems += 1;
            progress.set(problems);
            (run.tell)(Solved::RegionOfFile { problem: problem.as_ref(), solved: &solved, verdict });
        }
        end.all.add(counts);
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        end.files.push(RegionFile { name, counts });
    }
    progress.finish();
    if problems == 0 {
        bail!("{}: no problems", path.display());
    }
    Ok(end)
}

/// Compares an answer with the known one.
fn verdict(known: Option<&str>, answer: &str) -> RegionVerdict {
    match known {
        _ if answer == "limit" => RegionVerdict::Limit,
        None => RegionVerdict::Unknown,
        Some(known) if known == answer => RegionVerdict::Right,
        Some(_) => RegionVerdict::Wrong,
    }
}

/// The files that `path` means: itself, or those of a folder.
fn files(regions: &dyn Regions, path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    let endings = regions.extensions();
    files.retain(|file| file.extension().is_some_and(|e| endings.iter().any(|known| e.eq_ignore_ascii_case(known))));
    files.sort();
    if files.is_empty() {
        bail!("{}: no files .{} are there", path.display(), endings.join(" or ."));
    }
    Ok(files)
}
