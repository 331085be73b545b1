//! Answers of solvers of mates and regions as text and JSON, lines with their ends.

use serde_json::json;
use std::fmt::Write as _;
use tesuji_jobs::counted;
use tesuji_kit::{
    mates::SolvedMate,
    regions::{RegionProblem, SolvedRegion},
    solving::{MateProblem, MateSetEnd, RegionCounts, RegionSetEnd, RegionVerdict, Solved},
};
use tesuji_search::mate::Answer;

/// An answer.
pub fn solved(answer: &Solved<'_>, as_json: bool) -> String {
    match *answer {
        Solved::Mate(solved) if as_json => format!("{}\n", json!(solved.view())),
        Solved::Mate(solved) => mate(solved),
        Solved::MateOfFile { problem, solved, is_wrong } => mate_of_file(problem, solved, is_wrong, as_json),
        Solved::Region { problem, solved } | Solved::RegionOfFile { problem, solved, .. } if as_json => {
            format!("{}\n", solved.json(problem))
        }
        Solved::Region { problem, solved } => region(problem, solved),
        Solved::RegionOfFile { problem, solved, verdict } => region_of_file(problem, solved, verdict),
    }
}

/// The result of a file of mate problems.
pub fn mate_set(end: &MateSetEnd) -> String {
    let all: Vec<String> = end.answers.iter().map(|(word, n)| format!("{n} {word}")).collect();
    format!("{}: {}; {:.1} s\n", counted(end.solved as u64, "problem"), all.join(", "), end.spent.as_secs_f64())
}

/// A table of files of regions.
pub fn region_set(end: &RegionSetEnd) -> String {
    let mut out = format!("{:<24}{:>8}{:>8}{:>8}{:>8}{:>9}\n", "file", "right", "limit", "wrong", "unknown", "share");
    let mut row = |name: &str, RegionCounts { right, limit, wrong, unknown }: RegionCounts| {
        let share = 100.0 * right as f64 / (right + limit + wrong).max(1) as f64;
        let _ = writeln!(out, "{name:<24}{right:>8}{limit:>8}{wrong:>8}{unknown:>8}{share:>7.1} %");
    };
    end.files.iter().for_each(|file| row(&file.name, file.counts));
    row("all", end.all);
    out
}

/// A number of plies with its noun.
fn plies_text(plies: u64) -> String {
    if plies == 1 { "1 ply".to_string() } else { format!("{plies} plies") }
}

fn mate(solved: &SolvedMate) -> String {
    let mut out = match solved.answer {
        Answer::Mate(plies) if solved.is_shortest => {
            format!("mate in {}, and in no fewer\n", plies_text(u64::from(plies)))
        }
        Answer::Mate(plies) => format!("mate in {} at most\n", plies_text(u64::from(plies))),
        Answer::NoMate => "no mate by checks, of any length\n".to_string(),
        Answer::NoMateWithin(plies) => format!("limit: no mate within {}\n", plies_text(u64::from(plies))),
        _ => "limit: not solved\n".to_string(),
    };
    if !solved.line.is_empty() {
        let _ = writeln!(out, "line: {}", solved.line.join(" "));
    }
    let _ = writeln!(out, "{}, {:.3} s", counted(solved.nodes, "node"), solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        let _ = writeln!(out, "verified by the rules alone: {}", counted(positions as u64, "position"));
    }
    out
}

fn mate_of_file(problem: &MateProblem, solved: &SolvedMate, is_wrong: bool, as_json: bool) -> String {
    let (plies, seconds) = (solved.plies(), solved.time.as_secs_f64());
    if as_json {
        let value = json!({
            "name": problem.name, "answer": solved.word(), "plies": plies, "line": solved.line,
            "nodes": solved.nodes, "seconds": seconds, "verified": solved.verified.is_some(), "known": problem.known,
            "contradicts": is_wrong,
        });
        return format!("{value}\n");
    }
    let plies = plies.map_or(String::new(), |n| format!(" {n}"));
    let answer = format!("{}{plies}", solved.word());
    let known = problem.known.as_deref().unwrap_or("");
    let mark = if is_wrong { "CONTRADICTS" } else { "" };
    format!("{:24} {answer:12} {known:8} {:>10} nodes {seconds:>9.3} s {mark}\n", problem.name, solved.nodes)
}

fn region(problem: &dyn RegionProblem, solved: &SolvedRegion) -> String {
    let mut out = format!("{}: {}\n", problem.question(), solved.answer);
    if !solved.line.is_empty() {
        let _ = writeln!(out, "line: {}", solved.line.join(" "));
    }
    let _ = writeln!(out, "{}, {:.3} s", counted(solved.nodes, "node"), solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        let _ = writeln!(out, "verified by plain rules: {}", counted(positions as u64, "position"));
    }
    out
}

fn region_of_file(problem: &dyn RegionProblem, solved: &SolvedRegion, verdict: RegionVerdict) -> String {
    let known = problem.known().map_or(String::new(), |known| format!(" (known: {known})"));
    let mark = if verdict == RegionVerdict::Wrong { "  WRONG" } else { "" };
    let (nodes, time) = (solved.nodes, solved.time.as_secs_f64());
    format!("{:<5}{known:<13} {:<52} {nodes:>9} nodes {time:>8.2} s{mark}\n", solved.answer, problem.name())
}
