//! `tesuji analysis`: KataGo's analysis protocol, one JSON object a line, which KaTrain and other tools speak.

use crate::{games, oracle::OracleArgs, version};
use anyhow::{Context, bail};
use serde_json::{Map, Value};
use std::{
    io::{stdin, stdout},
    process::ExitCode,
};
use tesuji_engine::{AnalysisServer, AnalysisSettings};
use tesuji_protocol::analysis::query;

/// Arguments of `tesuji analysis`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    echo '{\"id\":\"a\",\"moves\":[[\"B\",\"E5\"]],\"rules\":\"chinese\",\"boardXSize\":9,\"boardYSize\":9,\"maxVisits\":100}' \
    | tesuji analysis go\n\n\
    Queries come on stdin, answers go to stdout as they are found. docs/go.md lists the fields.")]
pub(crate) struct Args {
    /// The game: go
    #[arg(value_parser = ["go"])]
    game: String,
    /// Positions analysed at the same time
    #[arg(long, default_value_t = 1, value_name = "N")]
    jobs: usize,
    /// Playouts for each position whose query names none
    #[arg(long, default_value_t = 500, value_name = "N")]
    visits: u64,
    /// Whose chances are told: black, white or sidetomove
    #[arg(long, default_value = "black", value_name = "SIDE")]
    winrates_as: String,
    /// End with the input, and not with the last answer
    #[arg(long)]
    quit_without_waiting: bool,
    #[command(flatten)]
    oracle: OracleArgs,
    /// Set an option of the search; NAME as in `tesuji options go`
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
}

/// Answers queries until there are no more.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let Some(perspective) = query::perspective(&args.winrates_as) else {
        bail!("--winrates-as {}: expected black, white or sidetomove", args.winrates_as);
    };
    let players: Vec<_> =
        (0..args.jobs.max(1)).map(|_| args.oracle.made(&args.options, kit)).collect::<Result<_, _>>()?;
    let settings = AnalysisSettings {
        perspective,
        visits: args.visits.max(1),
        quits_at_once: args.quit_without_waiting,
        version: version::short().to_string(),
    };
    let server = AnalysisServer::new(&games::GoBoards, settings, stdout());
    server.run(players, stdin().lock()).context("analysis")?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a query: for fuzzers.
///
/// # Panics
/// When a query that was read does not fit together.
pub(crate) fn check_query(text: &str) {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return };
    let (Ok(kit), Some(id)) = (games::kit("go"), object.get("id").and_then(Value::as_str)) else { return };
    let Ok((query, warnings)) = query::read(&games::GoBoards, id, &object) else { return };
    assert!(
        warnings.len() <= object.len() + object.get("overrideSettings").and_then(Value::as_object).map_or(0, Map::len)
    );
    assert!(query.at.windows(2).all(|pair| pair[0] < pair[1]) && query.at.last() == Some(&query.moves.len()));
    assert!(query.turns.iter().all(|(turn, _)| *turn < query.at.len()));
    let table = kit.table(&query.rules, query.start.as_deref());
    assert!(table.is_ok_and(|mut table| query.moves.iter().all(|mv| table.play(mv).is_ok())));
}
