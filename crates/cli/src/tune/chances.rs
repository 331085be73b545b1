//! `tesuji tune --chances`: how often a value wins, from games with their scores.

use super::Args;
use crate::games;
use anyhow::{Context, bail};
use serde_json::json;
use std::process::ExitCode;
use tesuji_game::Side;
use tesuji_jobs::{Progress, Show};
use tesuji_kit::{Kit, open_records};
use tesuji_record::{GameRecord, Records};
use tesuji_tune::Fates;

/// Fits and prints.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kit: &dyn Kit = games::kit(&args.game)?;
    let progress =
        Progress::start("reading", "games", None, if args.quiet || args.json { Show::Quiet } else { Show::Auto });
    let (mut fates, mut games) = (Fates::default(), 0);
    for path in &args.games {
        for (index, record) in Records::new(args.skip.reader(path, open_records(kit, path)?)).enumerate() {
            let record = record.with_context(|| format!("{}: game {}", path.display(), index + 1));
            let record = args.skip.hinted(record)?;
            let table = kit.table(&record.rules, record.start.as_deref());
            let first = table.with_context(|| format!("{}: game {}", path.display(), index + 1))?.side_to_move();
            add(&mut fates, &record, first);
            games += 1;
            progress.set(games);
        }
    }
    drop(progress);
    let Some(fit) = fates.fit() else {
        bail!(
            "{} scores of {games} games are not enough: chances need games with scores, some won, some drawn, some lost",
            fates.samples()
        );
    };
    if args.json {
        println!(
            "{}",
            json!({ "games": games, "samples": fit.samples, "even_cp": fit.even_cp, "spread_cp": fit.spread_cp,
                    "loss": fit.loss })
        );
        return Ok(ExitCode::SUCCESS);
    }
    println!("{games} games, {} scores, loss {:.4}", fit.samples, fit.loss);
    println!(
        "half of the games are won at {:.1} centipawns; the odds grow by e every {:.1}",
        fit.even_cp, fit.spread_cp
    );
    for value in [0, 50, 100, 200, 400] {
        let chance = |v: f64| 100.0 / (1.0 + ((fit.even_cp - v) / fit.spread_cp).exp());
        let (win, loss) = (chance(f64::from(value)), chance(-f64::from(value)));
        println!("{value:>5} cp: won {win:5.1} %, drawn {:5.1} %, lost {loss:5.1} %", 100.0 - win - loss);
    }
    Ok(ExitCode::SUCCESS)
}

/// The scores of a finished game's main line; those that are mates are certain and say nothing.
fn add(fates: &mut Fates, record: &GameRecord<String>, first: Side) {
    let Some(outcome) = record.outcome else { return };
    let mut side = first;
    for node in record.main_nodes() {
        if let Some(value) = record.note(node).value.filter(|v| v.mate_plies().is_none()) {
            fates.add(value.raw(), outcome.score(side));
        }
        side = !side;
    }
}
