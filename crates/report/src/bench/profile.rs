//! Search profiles of a bench as text: nodes by kind, exits and cutoffs step by step.

use std::fmt::Write;
use tesuji_kit::bench::Profiled;

/// Reasons of exits that are shown of a kind of nodes.
const REASONS_SHOWN: usize = 6;

/// A profile for people.
pub fn text(p: &Profiled) -> String {
    let mut out = String::new();
    let limit = match (p.depth_limit, p.nodes_limit) {
        (_, Some(nodes)) => format!("{nodes} nodes each"),
        (depth, None) => format!("depth {}", depth.unwrap_or(0)),
    };
    let _ = writeln!(out, "{} alpha-beta, {} positions, {limit}", p.game, p.positions);
    let _ = writeln!(
        out,
        "nodes {}, repeated visits {}, root passes {}, quiescence {:.1} % of visits",
        p.nodes,
        p.repeats,
        p.root_passes,
        100.0 * p.quiescence_share
    );
    let _ = writeln!(
        out,
        "depth {:.2}, selective depth {:.2}, longest path {}, branching factor {:.3}",
        p.growth.depth, p.growth.depth_max, p.ply_max, p.growth.branching_factor
    );
    write_kinds(&mut out, p);
    let _ = writeln!(
        out,
        "\n{:<8}{:>12}{:>11}{:>9}{:>9}{:>9}{:>9}",
        "depth", "visits", "cutoffs", "1st", "2nd", "3rd", "4th+"
    );
    for row in &p.depths {
        let _ = write!(out, "{:<8}{:>12}", row.depth, row.visits);
        write_cutoffs(&mut out, &row.cutoffs);
    }
    let _ = writeln!(
        out,
        "\n{:<26}{:>12} {:<22}{:>12} {:<16}{:>8}{:>10}",
        "step", "tries", "", "successes", "", "rate", "per loop"
    );
    for row in &p.steps {
        let rate = row.rate.map_or_else(|| "-".to_string(), |rate| format!("{rate:.3}"));
        let _ = writeln!(
            out,
            "{:<26}{:>12} {:<22}{:>12} {:<16}{rate:>8}{:>10.4}",
            row.step, row.tries, row.tried, row.successes, row.succeeded, row.per_move_loop
        );
    }
    let _ = writeln!(out);
    out
}

fn write_kinds(out: &mut String, p: &Profiled) {
    let _ = writeln!(
        out,
        "\n{:<16}{:>12}{:>11}{:>9}{:>9}{:>9}{:>9}",
        "node", "visits", "cutoffs", "1st", "2nd", "3rd", "4th+"
    );
    for row in &p.kinds {
        let _ = write!(out, "{:<16}{:>12}", format!("{} {}", row.part, row.kind), row.visits);
        write_cutoffs(out, &row.cutoffs);
    }
    let _ = writeln!(out);
    for row in p.kinds.iter().filter(|row| row.visits > 0) {
        let share = |count: u64| 100.0 * count as f64 / row.visits as f64;
        let shown: Vec<String> =
            row.exits.iter().take(REASONS_SHOWN).map(|(reason, n)| format!("{reason} {:.1} %", share(*n))).collect();
        let _ = writeln!(out, "{:<16}{}", format!("{} {}", row.part, row.kind), shown.join("; "));
    }
}

/// The number of cutoffs, and the shares of the first, second, third and later moves.
fn write_cutoffs(out: &mut String, cutoffs: &[u64]) {
    let all: u64 = cutoffs.iter().sum();
    let _ = write!(out, "{all:>11}");
    for &count in cutoffs {
        let _ = write!(out, "{:>7.1} %", 100.0 * count as f64 / all.max(1) as f64);
    }
    let _ = writeln!(out);
}
