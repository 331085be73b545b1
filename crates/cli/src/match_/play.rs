//! A running match: games played, progress and reports shown, the exit code of its end.

use super::{Args, report::Report};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tesuji_arena::{Journal, JournalError, Match, MatchEnd, MatchError, MatchNews, MatchPlan, MatchRequest, Output};
use tesuji_jobs::{
    Interrupt, Progress, Show, counted, job_control, memory,
    terminal::shows_colours,
    units::{Dispatcher, SharedCarrier},
};
use tesuji_report::matches::{live, ratings::RatingTable, summary, view};
use tesuji_stats::{Decision, TimeLeft};

/// Between two estimates of the time left.
const ESTIMATE_EVERY: Duration = Duration::from_secs(1);
/// Between two estimates when games end.
const ESTIMATE_EVERY_GAME: Duration = Duration::from_millis(200);

/// Writes the standing of the match for the parent process, where there is one.
fn show_page(
    plan: &MatchPlan<'_>,
    running: &Match<'_>,
    seed: u64,
    left: Option<TimeLeft>,
    (end, ratings): (Option<MatchEnd>, Option<&RatingTable>),
) {
    if job_control::folder().is_some() {
        // Who watches misses a picture; the match is worth more.
        let _ = job_control::show(&view::view(plan, running, seed, left, (end, ratings)).to_string());
    }
}

/// A match with its open files.
pub(super) struct Playing<'a> {
    pub(super) running: Match<'a>,
    pub(super) outputs: Vec<Output>,
    pub(super) journal: Journal,
    pub(super) path: &'a Path,
    /// Who plays in place of threads.
    pub(super) workers: Option<Workers>,
}

/// Workers of a fleet.
pub(super) struct Workers {
    pub(super) dispatcher: Box<dyn Dispatcher>,
    /// Holds the connection.
    pub(super) _fleet: SharedCarrier,
}

/// Plays the games that are not played yet.
pub(super) fn play(args: &Args, request: &MatchRequest, seed: u64, playing: Playing<'_>) -> anyhow::Result<ExitCode> {
    memory::forget_code();
    tesuji_jobs::terminal::go_on_without_reader();
    let Playing { mut running, mut outputs, mut journal, path, workers } = playing;
    let plan = running.plan();
    let mut report = Report::new(plan, seed, &args.statistics, args.json, args.quiet);
    report.begin(&running, &journal)?;
    let show = if args.quiet || report.is_silent() { Show::Quiet } else { Show::Lines };
    // A test ends by its bounds: the 40,000 games at which it gives up are no measure of how far it is.
    let is_open = plan.sprt.is_some() && request.games.is_none() && request.rounds.is_none();
    let total = (!is_open).then(|| running.schedule().games());
    let progress = Progress::start("match", "games", total, show);
    progress.resume_at(running.standing().games());
    let interrupt = Interrupt::of_process();
    Interrupt::let_finish_first();
    let mut estimated: Option<Instant> = None;
    let mut left = None;
    show_page(plan, &running, seed, left, (None, None));
    memory::forget_code();
    let mut tell = |running: &mut Match<'_>, news: MatchNews<'_>| match news {
        MatchNews::Tick
            if job_control::folder().is_some() && estimated.is_some_and(|at| at.elapsed() < ESTIMATE_EVERY) =>
        {
            show_page(plan, running, seed, left, (None, None));
        }
        // An estimate takes milliseconds: seldom is often enough.
        MatchNews::Tick if progress.has_board() && estimated.is_some_and(|at| at.elapsed() < ESTIMATE_EVERY) => {
            progress.board(live::lines(plan, running, Instant::now(), shows_colours(&std::io::stderr())));
        }
        MatchNews::Tick if estimated.is_none_or(|at| at.elapsed() >= ESTIMATE_EVERY) => {
            estimated = Some(Instant::now());
            left = running.left();
            progress.left(left.map(|left| (left.low, left.high)));
            report.tick(running, left);
        }
        MatchNews::Tick => {}
        MatchNews::Finishing(games) => {
            let text = format!("Stopping after {} in play; Ctrl-C again breaks off", counted(games as u64, "game"));
            if show == Show::Quiet { eprintln!("{text}") } else { progress.line(&text) }
        }
        MatchNews::Warning(player, fault) => {
            let name = player.map_or("the referee", |player| plan.entrants[player].name.as_str());
            progress.line(&format!("Warning: {name}: {}", fault.detail));
        }
        MatchNews::Game(finished) => {
            if estimated.is_none_or(|at| at.elapsed() >= ESTIMATE_EVERY_GAME) {
                estimated = Some(Instant::now());
                left = running.left();
                progress.left(left.map(|left| (left.low, left.high)));
            }
            if !is_open {
                progress.total(running.schedule().games());
            }
            progress.set_noted(running.standing().games(), &summary::short_text(plan, running));
            report.game(running, finished, &progress);
        }
    };
    let end = match workers {
        None => running.run(&mut journal, &mut outputs, &interrupt, &mut tell),
        Some(mut workers) => {
            running.run_on(&mut *workers.dispatcher, (&mut journal, &mut outputs), &interrupt, &mut tell)
        }
    };
    progress.finish();
    drop(progress);
    let end = match end {
        Ok(end) => end,
        Err(error) => return failed(error, path),
    };
    if end != MatchEnd::Stopped {
        journal.set(&[("over", "yes")])?;
    }
    report.end(&running, end)?;
    let ratings = report.ratings(&running)?;
    show_page(plan, &running, seed, None, (Some(end), ratings.as_ref()));
    if end == MatchEnd::Stopped {
        eprintln!("Stopped. Go on with: tesuji match --resume {}", path.display());
    }
    Ok(exit_code(end, plan.sprt.is_some(), running.standing().faults() > 0))
}

/// The exit code of a match that an error ended; an error of a file is told.
fn failed(error: MatchError, path: &Path) -> anyhow::Result<ExitCode> {
    match error {
        MatchError::Journal(JournalError::Lost(error)) => eprintln!("tesuji: {error}"),
        MatchError::Journal(error) => eprintln!("tesuji: {}: {error}; what is in it is safe", path.display()),
        MatchError::Output(error) => eprintln!("tesuji: an output file failed: {error}; what was written is safe"),
        error => return Err(error.into()),
    }
    eprintln!("When there is room again, go on with: tesuji match --resume {}", path.display());
    Ok(ExitCode::FAILURE)
}

fn exit_code(end: MatchEnd, is_test: bool, has_faults: bool) -> ExitCode {
    ExitCode::from(match end {
        MatchEnd::Decided(Decision::AcceptH1) => 0,
        MatchEnd::Decided(Decision::AcceptH0) => 3,
        MatchEnd::Decided(Decision::Continue) | MatchEnd::Stopped => 4,
        MatchEnd::Complete | MatchEnd::Narrow if is_test => 4,
        MatchEnd::Complete | MatchEnd::Narrow if has_faults => 5,
        MatchEnd::Complete | MatchEnd::Narrow => 0,
    })
}
