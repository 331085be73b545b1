//! Problems with known answers: solved by proof-number search within a few nodes, each answer checked by plain rules.

use std::{fs, path::PathBuf};
use tesuji_go::{
    Area, Medium, Small,
    reading::{Check, Goal, Problem, Reading, Seen},
};
use tesuji_search::mate::{Answer, MateLimits, MateSearch, Parameters, Settings};

/// The most nodes for each side's attempt.
const NODES: u64 = 200_000;

/// What a side's attempt says, after the checker has agreed.
fn attempt<A: Area>(problem: &Problem, prover: tesuji_game::Side, nodes: u64) -> Option<bool> {
    let mut search = MateSearch::new(&Settings { hash_mib: 16 }, &Parameters::default());
    let pos = Reading::<A>::new(problem, prover);
    let limits = MateLimits { plies: None, nodes: Some(nodes) };
    let answer = search.solve(&pos, prover, limits, &mut |_| false);
    let wins = match answer {
        Answer::Mate(_) => true,
        Answer::NoMate => false,
        _ => return None,
    };
    let strategy = search.strategy(&pos, answer, &mut |_| false).ok()?;
    let mut moves = |seen: &Seen| Reading::<A>::at(problem, prover, seen).and_then(|pos| strategy.mv(&pos));
    let checked = Check { problem, prover, wins }.run(&mut moves);
    assert!(checked.is_ok(), "{}: {prover:?} {wins}: {checked:?}", problem.name());
    Some(wins)
}

/// `yes`, `no`, `ko` or `limit`.
fn solve(problem: &Problem, nodes: u64) -> &'static str {
    let defender = problem.defender();
    let of = |prover| match Small::holds(problem.size()) {
        true => attempt::<Small>(problem, prover, nodes),
        false => attempt::<Medium>(problem, prover, nodes),
    };
    let is_live = problem.goal() == Goal::Live;
    match (of(!defender), of(defender)) {
        (Some(true), Some(true)) => panic!("{}: both sides have a proof", problem.name()),
        (Some(true), _) => ["yes", "no"][usize::from(is_live)],
        (_, Some(true)) => ["no", "yes"][usize::from(is_live)],
        (Some(false), Some(false)) => "ko",
        _ => "limit",
    }
}

fn problems() -> Vec<Problem> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/problems");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let read = |path: &PathBuf| match Problem::read_all(&fs::read_to_string(path).unwrap()) {
        Ok(problems) => problems,
        Err(error) => panic!("{}: {error}", path.display()),
    };
    files.iter().flat_map(read).collect()
}

#[test]
fn known_answers_are_found_and_hold() {
    let all = problems();
    let mut wrong = Vec::new();
    for problem in &all {
        let found = solve(problem, NODES);
        if std::env::var_os("SHOW").is_some() {
            println!("{found:<6} {:<6} {}", problem.answer().unwrap_or("?"), problem.name());
        }
        if Some(found) != problem.answer() {
            wrong.push(format!("{}: {found}", problem.name()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn small_limits_never_make_a_wrong_answer() {
    for problem in &problems() {
        for nodes in [1, 3, 10, 40, 150, 700] {
            let found = solve(problem, nodes);
            assert!(found == "limit" || Some(found) == problem.answer(), "{}: {found} at {nodes}", problem.name());
        }
    }
}
