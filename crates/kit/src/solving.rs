//! Problems solved as a typed request asks for it: a mate or a region of one position, or all of files.

mod mates;
mod proof_file;
mod regions;
mod request;

pub use mates::{MateProblem, MateSetEnd};
pub use regions::{RegionCounts, RegionFile, RegionSetEnd, RegionVerdict};
pub use request::SolveRequest;

use crate::{
    Games, Kit, RequestError,
    mates::{MatePicture, SolvedMate},
    regions::{RegionProblem, SolvedRegion},
};
use std::path::{Path, PathBuf};
use tesuji_jobs::{Interrupt, Show};
use tesuji_record::unpacked_name;

/// The environment of solving: what does not change its answers.
pub struct SolveRun<'a> {
    /// The games that there are.
    pub games: Games,
    /// Asks for a stop.
    pub interrupt: &'a Interrupt,
    /// The display of progress through files.
    pub show: Show,
    /// Is shown the tree of a mate while it grows, where somebody wants to see it.
    pub picture: Option<&'a (dyn Fn(&MatePicture) + Sync)>,
    /// Is told each answer, in the order of the problems.
    pub tell: &'a mut dyn FnMut(Solved<'_>),
}

/// An answer.
pub enum Solved<'a> {
    /// To the question whether a position is a mate.
    Mate(&'a SolvedMate),
    /// To a problem of a file of mates.
    MateOfFile {
        /// The problem.
        problem: &'a MateProblem,
        /// The answer.
        solved: &'a SolvedMate,
        /// Whether it cannot be true where what the file says is.
        is_wrong: bool,
    },
    /// To a question about a region.
    Region {
        /// The question.
        problem: &'a dyn RegionProblem,
        /// The answer.
        solved: &'a SolvedRegion,
    },
    /// To a problem of a file of regions.
    RegionOfFile {
        /// The problem.
        problem: &'a dyn RegionProblem,
        /// The answer.
        solved: &'a SolvedRegion,
        /// The comparison with the file's answer.
        verdict: RegionVerdict,
    },
}

/// The end of solving.
#[derive(Debug, Clone, PartialEq)]
pub enum SolveEnd {
    /// One question was asked; whether the answer is yes.
    One {
        /// There is a mate, or the region's answer is yes.
        is_yes: bool,
        /// A file for the proof that was not written, since nothing is proved.
        unwritten: Option<PathBuf>,
    },
    /// A file of mates.
    MateSet(MateSetEnd),
    /// Files of regions.
    RegionSet(RegionSetEnd),
}

/// Solves what is asked for.
///
/// # Errors
/// The field that cannot be meant, a position or a file that cannot be read, a file that may not be written.
pub fn solve(request: &SolveRequest, run: &mut SolveRun<'_>) -> Result<SolveEnd, RequestError> {
    request.validate()?;
    let kit = kit_of(request, run.games)?;
    if let Some(found) = kit.regions() {
        return Ok(regions::solve(request, found, run)?);
    }
    if request.goal.is_some() || request.region.is_some() {
        let games = run.games.names_with(|kit| kit.regions().is_some()).join(" and ");
        return Err(RequestError::failed(format_args!("--goal and --region are for {games}")));
    }
    let none = || RequestError::failed(format_args!("{} has neither mates nor problems of regions", kit.name()));
    let found = kit.mates().ok_or_else(none)?;
    Ok(match &request.problems {
        Some(file) => SolveEnd::MateSet(mates::solve_file(request, (kit, found), file, run)?),
        None => mates::solve_one(request, kit, found, run)?,
    })
}

/// The game that is meant: as named, else the only one that can read the position or the file, or has files of that ending.
fn kit_of(request: &SolveRequest, games: Games) -> Result<&'static dyn Kit, RequestError> {
    if !request.game.is_empty() {
        return Ok(games.kit(&request.game)?);
    }
    let file = request.problems.as_deref();
    let of_regions = request.goal.is_some() || request.region.is_some() || file.is_some_and(Path::is_dir);
    let (mut fitting, mut reasons) = (Vec::new(), String::new());
    for &kit in games.0 {
        let read = match (kit.mates(), file) {
            _ if of_regions && kit.regions().is_some() => Ok(()),
            (Some(found), None) if !of_regions => found.check(&request.position),
            (Some(found), Some(file)) if !of_regions => mates::problems(kit, found, file).map(|_| ()),
            _ => continue,
        };
        match read {
            Ok(()) => fitting.push(kit),
            Err(error) => reasons += &format!("; not {}: {error:#}", kit.name()),
        }
    }
    let name = file.map(|file| file.display().to_string()).unwrap_or_default();
    let is_record = |kit: &&&dyn Kit| kit.regions().is_some() && kit.format(unpacked_name(&name)).is_some();
    match (&fitting[..], games.0.iter().find(is_record)) {
        ([kit], _) => Ok(*kit),
        // Any game may call its texts so.
        ([], Some(kit)) if !unpacked_name(&name).ends_with(".txt") => Ok(*kit),
        ([], _) => Err(RequestError::failed(format_args!("no game is named, and none can read this{reasons}"))),
        _ => {
            let names = fitting.iter().map(|kit| kit.name()).collect::<Vec<_>>().join(" or ");
            Err(RequestError::failed(format_args!("this can be a problem of {names}: name the game first")))
        }
    }
}
