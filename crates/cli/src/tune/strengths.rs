//! `tesuji tune` of a game that is searched by playouts: strengths of move features and patterns from games.

use super::{Args, Leaf, Set};
use crate::version;
use anyhow::bail;
use std::process::ExitCode;
use tesuji_jobs::Show;
use tesuji_kit::playouts::{Playouts, StrengthRequest};

/// Learns, writes the file, tells how well moves are foreseen.
pub(super) fn run(args: &Args, playouts: &dyn Playouts) -> anyhow::Result<ExitCode> {
    if asks_for_weights(args) {
        bail!(
            "tune go learns strengths of moves, not weights of an evaluation: it takes --games, --out, --positions, --epochs, \
             --rank-min, --pattern-min, --pattern-max, --pattern-prior, --held-out, --seed, --jobs, --steps, --json and --quiet"
        );
    }
    let Some(out) = &args.out else { bail!("--out is missing") };
    let request = StrengthRequest {
        games: args.games.clone(),
        out: out.clone(),
        steps: args.steps.clone(),
        rank_min: args.rank_min.clone(),
        positions: args.positions,
        pattern_min: args.pattern_min,
        pattern_max: args.pattern_max,
        pattern_prior: args.pattern_prior,
        epochs: args.epochs,
        held_out: args.held_out,
        seed: args.seed,
        skip: *args.skip,
        jobs: args.jobs,
        made_by: format!("tesuji {}", version::short()),
        show: if args.quiet || args.json { Show::Quiet } else { Show::Lines },
    };
    let outcome = playouts.learn(&request, &mut |line| {
        if !args.json {
            println!("{line}");
        }
    })?;
    if args.json {
        println!("{}", outcome.json);
    }
    Ok(if outcome.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// Whether an option is given that only weights have.
fn asks_for_weights(args: &Args) -> bool {
    args.chances
        || args.table
        || args.set != Set::Full
        || args.leaf != Leaf::Static
        || [&args.curves, &args.bounds, &args.sweep].into_iter().any(Option::is_some)
        || [&args.margins, &args.only, &args.freeze].into_iter().any(|list| !list.is_empty())
}
