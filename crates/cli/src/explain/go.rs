//! A position of go, explained: moves by the search with what patterns make of them, and whose each point will be.

use super::Args;
use crate::{
    games,
    thought::{chance_of, sign, think},
};
use anyhow::{Context, bail};
use serde_json::json;
use std::process::ExitCode;
use tesuji_engine::Player;
use tesuji_game::{Report, Side};

/// Moves in the table.
const MOVES: usize = 10;
/// A point is somebody's from this ownership on, and perhaps from the second.
const SURE: f32 = 0.7;
const LIKELY: f32 = 0.3;

/// Explains a position.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.file.is_some() || args.chess960 || args.weights != "builtin" {
        bail!("explain go takes --rules, --fen, --moves, --nodes, --net and --json");
    }
    let mut player = games::kit("go")?.player("")?;
    if let Some(net) = &args.net {
        player.options().set("NetFile", &net.display().to_string())?;
    }
    player.set_position(&args.rules, args.fen.as_deref(), &args.moves).context("explain go")?;
    let mover = player.side_to_move().unwrap_or(Side::First);
    let report = think(player.as_mut(), args.nodes);
    if args.json {
        let moves: Vec<_> = report
            .lines
            .iter()
            .filter(|line| line.visits > 0)
            .map(|line| {
                json!({ "move": line.pv.first(), "visits": line.visits, "prior": line.prior, "line": line.pv,
                        "chance_black": chance_of(line, mover), "lead_black": line.margin.map(|m| sign(mover) * f64::from(m)) })
            })
            .collect();
        let lead = report.margin.map(|m| sign(mover) * f64::from(m));
        let told = json!({ "mover": side(mover), "nodes": report.nodes, "lead_black": lead, "moves": moves,
                           "owners": player.owners() });
        println!("{}", serde_json::to_string_pretty(&told)?);
    } else {
        print(player.as_ref(), mover, &report, args.net.is_some());
    }
    Ok(ExitCode::SUCCESS)
}

fn print(player: &dyn Player, mover: Side, report: &Report<String>, by_net: bool) {
    println!("{}", player.show());
    let (what, prior) = if by_net { ("visits with the network", "prior") } else { ("playouts", "pattern") };
    println!("{} moves. What {} {what} say, for Black:", side(mover), report.nodes);
    println!("{:>6}{:>9}{:>9}{:>8}{prior:>9}  line", "move", "visits", "chance", "lead");
    for line in report.lines.iter().take(MOVES).filter(|line| line.visits > 0) {
        let lead = line.margin.map_or("-".to_string(), |m| format!("{:+.1}", sign(mover) * f64::from(m)));
        println!(
            "{:>6}{:>9}{:>8.1}%{lead:>8}{:>8.1}%  {}",
            line.pv[0],
            line.visits,
            chance_of(line, mover) * 100.0,
            line.prior * 100.0,
            line.pv.join(" ")
        );
    }
    if let Some(rows) = player.owners() {
        println!("\nWhose each point will be (X O sure, x o likely, . open), and the score if so: {}", score(player));
        for row in rows {
            let signs: Vec<&str> = row.iter().map(|&owned| sign_of(owned)).collect();
            println!("  {}", signs.join(" "));
        }
    }
}

fn score(player: &dyn Player) -> String {
    player.final_score().unwrap_or_default()
}

fn sign_of(owned: f32) -> &'static str {
    match owned {
        x if x >= SURE => "X",
        x if x >= LIKELY => "x",
        x if x <= -SURE => "O",
        x if x <= -LIKELY => "o",
        _ => ".",
    }
}

fn side(mover: Side) -> &'static str {
    ["Black", "White"][mover.index()]
}
