//! Answers of `tesuji solve` as text and JSON.

use serde_json::{Value, json};
use tesuji_kit::{
    mates::SolvedMate,
    regions::{RegionProblem, SolvedRegion},
    solving::{MateProblem, MateSetEnd, RegionCounts, RegionSetEnd, RegionVerdict, Solved},
};
use tesuji_search::mate::Answer;

/// Prints an answer.
pub(super) fn solved(answer: &Solved<'_>, as_json: bool) {
    match *answer {
        Solved::Mate(solved) if as_json => println!("{}", json_of(solved)),
        Solved::Mate(solved) => mate(solved),
        Solved::MateOfFile { problem, solved, is_wrong } => mate_of_file(problem, solved, is_wrong, as_json),
        Solved::Region { problem, solved } | Solved::RegionOfFile { problem, solved, .. } if as_json => {
            println!("{}", solved.json(problem));
        }
        Solved::Region { problem, solved } => region(problem, solved),
        Solved::RegionOfFile { problem, solved, verdict } => region_of_file(problem, solved, verdict),
    }
}

/// Says what came of a file of mates.
pub(super) fn mate_set(end: &MateSetEnd) {
    let all: Vec<String> = end.answers.iter().map(|(word, n)| format!("{n} {word}")).collect();
    eprintln!("{} problems: {}; {:.1} s", end.solved, all.join(", "), end.spent.as_secs_f64());
}

/// Prints a table of files of regions.
pub(super) fn region_set(end: &RegionSetEnd) {
    eprintln!("{:<24}{:>8}{:>8}{:>8}{:>8}{:>9}", "file", "right", "limit", "wrong", "unknown", "share");
    let row = |name: &str, RegionCounts { right, limit, wrong, unknown }: RegionCounts| {
        let share = 100.0 * right as f64 / (right + limit + wrong).max(1) as f64;
        eprintln!("{name:<24}{right:>8}{limit:>8}{wrong:>8}{unknown:>8}{share:>7.1} %");
    };
    end.files.iter().for_each(|file| row(&file.name, file.counts));
    row("all", end.all);
}

fn json_of(solved: &SolvedMate) -> Value {
    json!({
        "answer": solved.word(), "plies": solved.plies(),
        "shortest": solved.is_shortest, "line": solved.line, "nodes": solved.nodes,
        "seconds": solved.time.as_secs_f64(), "verified": solved.verified.is_some(),
        "positions_verified": solved.verified,
    })
}

fn mate(solved: &SolvedMate) {
    match solved.answer {
        Answer::Mate(plies) if solved.is_shortest => println!("mate in {plies} plies, and in no fewer"),
        Answer::Mate(plies) => println!("mate in {plies} plies at most"),
        Answer::NoMate => println!("no mate by checks, of any length"),
        Answer::NoMateWithin(plies) => println!("limit: no mate within {plies} plies"),
        _ => println!("limit: not solved"),
    }
    if !solved.line.is_empty() {
        println!("line: {}", solved.line.join(" "));
    }
    println!("{} nodes, {:.3} s", solved.nodes, solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        println!("verified by the rules alone: {positions} positions");
    }
}

fn mate_of_file(problem: &MateProblem, solved: &SolvedMate, is_wrong: bool, as_json: bool) {
    let (plies, seconds) = (solved.plies(), solved.time.as_secs_f64());
    if as_json {
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

fn region(problem: &dyn RegionProblem, solved: &SolvedRegion) {
    println!("{}: {}", problem.question(), solved.answer);
    if !solved.line.is_empty() {
        println!("line: {}", solved.line.join(" "));
    }
    println!("{} nodes, {:.3} s", solved.nodes, solved.time.as_secs_f64());
    if let Some(positions) = solved.verified {
        println!("verified by plain rules: {positions} positions");
    }
}

fn region_of_file(problem: &dyn RegionProblem, solved: &SolvedRegion, verdict: RegionVerdict) {
    let known = problem.known().map_or(String::new(), |known| format!(" (known: {known})"));
    let mark = if verdict == RegionVerdict::Wrong { "  WRONG" } else { "" };
    let (nodes, time) = (solved.nodes, solved.time.as_secs_f64());
    println!("{:<5}{known:<13} {:<52} {nodes:>9} nodes {time:>8.2} s{mark}", solved.answer, problem.name());
}
