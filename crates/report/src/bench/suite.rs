//! Results of test suites, of positions with one clearly best move, as text; the remark at the top of a suite file.

use std::fmt::Write as _;
use tesuji_kit::bench::{MakeSuiteRequest, PositionSearch, SuiteOutcome};

/// An outcome for people; `verbose`: with a line for each position.
pub fn text(outcome: &SuiteOutcome, verbose: bool) -> String {
    let mut out = String::new();
    let SuiteOutcome { game, engine, positions, solved, nodes_limit, .. } = outcome;
    let _ = writeln!(out, "{game} {engine}: {solved} of {positions} solved, {nodes_limit} nodes at most");
    let _ = writeln!(
        out,
        "geometric mean of nodes {:.0}, branching factor {:.3}",
        outcome.nodes_geometric_mean, outcome.branching_factor
    );
    let _ = writeln!(out, "{:>10}{:>10}{:>8}{:>11}", "nodes", "solved", "depth", "selective");
    for point in &outcome.checkpoints {
        let _ = writeln!(out, "{:>10}{:>10}{:>8.2}{:>11.2}", point.nodes, point.solved, point.depth, point.depth_max);
    }
    if verbose {
        for case in &outcome.cases {
            let nodes = case.solved_nodes.map_or_else(|| "-".to_string(), |nodes| nodes.to_string());
            let best = case.best.join(" ");
            let _ = writeln!(out, "{:>5}{nodes:>10}  {best:<6} {:<6} {}", case.line, case.found, case.id);
        }
    }
    out
}

/// The remark at the top of a suite: who made it, from what, how.
pub fn heading(request: &MakeSuiteRequest, judge: Option<&dyn PositionSearch>) -> String {
    let judged = judge.map_or_else(|| "tesuji".to_string(), PositionSearch::name);
    let MakeSuiteRequest { margin_cp, nodes, judge_nodes, short_nodes, seed, .. } = request;
    format!(
        "# Made by tesuji bench --make-suite (seed {seed}): positions of {} in which one move is better than all others by at least\n\
         # {margin_cp} cp for tesuji with {nodes} nodes and for {judged} with {judge_nodes} nodes (two lines each), and which a search\n\
         # of {short_nodes} nodes does not choose yet. c0: tesuji's values of the first two moves in centipawns (#: plies to\n\
         # mate), c1: the judge's.",
        request.games.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    )
}
