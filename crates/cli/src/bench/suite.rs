//! `tesuji bench --suite` and `--make-suite`: positions with one clearly best move, searched and made.

use super::Args;
use crate::{own_program, request::refused, settings::settings};
use anyhow::{Context, bail};
use std::{io::Write as _, path::Path, process::ExitCode};
use tesuji_arena::{Dialect, EngineRequest, EngineSearch};
use tesuji_engine::Player;
use tesuji_jobs::{Existing, Interrupt, Progress, RequestError, Show, open_output};
use tesuji_kit::{
    Kit,
    bench::{
        MakeSuiteRequest, OwnSearch, PositionSearch, SuiteCase, SuiteNews, SuiteOutcome, SuiteProblem, SuiteRequest,
        make_suite, read_suite, run_suite,
    },
    check_new_output,
};
use tesuji_report::bench::{suite, table};

/// Nodes for each position where nothing is said.
const NODES: u64 = 200_000;

/// The flags of fields that are called otherwise.
const FLAGS: [(&str, &str); 4] =
    [("file", "suite"), ("options", "set"), ("margin_cp", "margin"), ("judge_nodes", "judge-nodes")];

/// The one game that a suite is of.
fn only_game(kits: &[&'static dyn Kit], args: &Args) -> anyhow::Result<&'static dyn Kit> {
    match (kits, args.games.is_empty()) {
        ([kit], false) => Ok(*kit),
        _ => bail!("a suite is of one game: name it, as in tesuji bench GAME --suite FILE"),
    }
}

/// Our own player with the options that were asked for.
fn own_player(args: &Args, kit: &dyn Kit) -> anyhow::Result<Box<dyn Player>> {
    let family = args.search.as_deref().unwrap_or_default();
    let mut player = kit.player(family).with_context(|| format!("{} {family}", kit.name()))?;
    tesuji_options::set_all(&mut *player.options(), settings(&args.options)?)?;
    Ok(player)
}

/// An engine in its own process.
fn foreign(text: &str, kit: &dyn Kit, stop: &Interrupt) -> anyhow::Result<EngineSearch> {
    let engine: EngineRequest = text.parse().map_err(|error| anyhow::anyhow!("--engine {text}: {error}"))?;
    let name = engine.name.clone().unwrap_or_else(|| engine.usual_name());
    let spec = engine.spec(&name, Dialect::of(kit), &own_program(kit)?)?;
    EngineSearch::start(&spec, stop).with_context(|| format!("--engine {text}"))
}

/// Searches a suite with our engine, or with every engine of `--engine`.
pub(super) fn run(args: &Args, kits: &[&'static dyn Kit], file: &Path) -> anyhow::Result<ExitCode> {
    let kit = only_game(kits, args)?;
    let nodes = args.nodes.unwrap_or(NODES);
    let request =
        SuiteRequest { game: kit.name().to_string(), file: file.to_path_buf(), nodes, ..SuiteRequest::default() };
    let problems = read_suite(kit, &request).map_err(|error| refused(error, &FLAGS))?;
    let interrupt = Interrupt::of_process();
    let mut outcomes = Vec::new();
    let one = |engine: &mut dyn PositionSearch| search(kit, &request, &problems, engine, &interrupt);
    if args.engine.is_empty() {
        let mut player = own_player(args, kit)?;
        let name = "tesuji".to_string();
        let stopped = || interrupt.is_raised();
        outcomes.push(one(&mut OwnSearch { name, player: player.as_mut(), stopped: &stopped })?);
    }
    for text in &args.engine {
        outcomes.push(one(&mut foreign(text, kit, &interrupt)?)?);
    }
    if args.json {
        print!("{}", table::json(&outcomes)?);
    } else {
        outcomes.iter().for_each(|outcome| print!("{}", suite::text(outcome, args.verbose)));
    }
    Ok(ExitCode::SUCCESS)
}

fn search(
    kit: &dyn Kit,
    request: &SuiteRequest,
    problems: &[SuiteProblem],
    engine: &mut dyn PositionSearch,
    interrupt: &Interrupt,
) -> anyhow::Result<SuiteOutcome> {
    let progress = Progress::start("suite", "positions", Some(problems.len() as u64), Show::Auto);
    let done = &mut |_: &SuiteCase| progress.advance(1);
    let outcome = run_suite(kit, request, problems, engine, &|| interrupt.is_raised(), done);
    progress.finish();
    outcome.map_err(|error| refused(error, &FLAGS))
}

/// Makes a suite from games.
pub(super) fn make(args: &Args, kits: &[&'static dyn Kit], output: &Path) -> anyhow::Result<ExitCode> {
    let kit = only_game(kits, args)?;
    let default = MakeSuiteRequest::default();
    let request = MakeSuiteRequest {
        game: kit.name().to_string(),
        games: args.records.clone().unwrap_or_default(),
        count: args.count.unwrap_or(default.count),
        margin_cp: args.margin.unwrap_or(default.margin_cp),
        nodes: args.nodes.unwrap_or(default.nodes),
        judge_nodes: args.judge_nodes.or(args.nodes).unwrap_or(default.judge_nodes),
        seed: args.seed.unwrap_or(default.seed),
        skip_errors: args.skip.wanted,
        ..default
    };
    request.validate().map_err(|error| refused(error, &[("games", "from"), ("margin_cp", "margin")]))?;
    if args.engine.len() > 1 {
        bail!("--engine: one engine judges the positions");
    }
    let interrupt = Interrupt::of_process();
    let mut player = own_player(args, kit)?;
    let mut judge = args.engine.first().map(|text| foreign(text, kit, &interrupt)).transpose()?;
    check_new_output(output, &args.records)?;
    let mut file = open_output(output, Existing::Refuse)?;
    let stopped = || interrupt.is_raised();
    let mut own = OwnSearch { name: "tesuji".to_string(), player: player.as_mut(), stopped: &stopped };
    let judge = judge.as_mut().map(|judge| judge as &mut dyn PositionSearch);
    writeln!(file, "{}", suite::heading(&request, judge.as_deref()))?;
    let progress = Progress::start("suite", "positions", Some(request.count as u64), Show::Lines);
    let take = &mut |line: &str, news: &SuiteNews| {
        progress.set_noted(news.taken as u64, &format!("{} tried, {} proposed", news.tried, news.proposed));
        writeln!(file, "{line}").map_err(RequestError::failed)
    };
    let news = make_suite(kit, &request, &mut own, judge, &stopped, take);
    progress.finish();
    let news = news.map_err(|error| refused(error, &[("games", "from"), ("margin_cp", "margin")]))?;
    file.commit()?;
    println!(
        "{}: {} positions of {} wanted; {} tried, in {} a deeper search chose another move, {} were proposed",
        output.display(),
        news.taken,
        request.count,
        news.tried,
        news.changed,
        news.proposed
    );
    Ok(ExitCode::SUCCESS)
}
