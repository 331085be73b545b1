//! Reports of a match while it runs and at its end, for people and as JSON lines.

use super::compute::{OutputArg, StatsArgs};
use anyhow::{Context, bail};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use tesuji_arena::{Finished, Journal, Match, MatchEnd, MatchPlan};
use tesuji_game::Side;
use tesuji_jobs::{AtomicFile, Progress, terminal::shows_colours};
use tesuji_report::matches::{battlefield, events, history::History, html, ratings::RatingTable, summary, warnings};
use tesuji_stats::TimeLeft;

/// The voice of a match.
pub(super) struct Report<'a> {
    plan: &'a MatchPlan<'a>,
    seed: u64,
    options: &'a StatsArgs,
    as_json: bool,
    quiet: bool,
    warned: u64,
    /// Warnings that were told: their players and kinds.
    doubts: HashSet<(Vec<usize>, &'static str)>,
    began: Instant,
    /// Played before this process began.
    before: Duration,
    page: Option<Paper<'a>>,
    /// When the time left was last told as JSON.
    told: Instant,
}

/// The HTML report: where, what is in it, when it was written.
struct Paper<'a> {
    path: &'a Path,
    history: History,
    written: Option<Instant>,
    left: Option<TimeLeft>,
    has_failed: bool,
}

/// Between two writings of the HTML report of a running match, and between two `left` events.
const SELDOM: Duration = Duration::from_secs(10);

/// Warnings about faults that are shown one by one.
const WARNINGS_MAX: u64 = 20;

impl<'a> Report<'a> {
    pub(super) fn new(
        plan: &'a MatchPlan<'a>,
        seed: u64,
        options: &'a StatsArgs,
        as_json: bool,
        quiet: bool,
    ) -> Report<'a> {
        let page = options.html.as_deref().map(|path| Paper {
            path,
            history: History::new(&plan.schedule, plan.entrants.len(), plan.openings.len(), plan.sprt),
            written: None,
            left: None,
            has_failed: false,
        });
        let (began, before) = (Instant::now(), Duration::ZERO);
        let doubts = HashSet::new();
        Report { plan, seed, options, as_json, quiet, warned: 0, doubts, began, before, page, told: began }
    }

    /// Whether progress is told in its own way, or not at all.
    pub(super) fn is_silent(&self) -> bool {
        self.as_json || self.is_battlefield()
    }

    fn is_battlefield(&self) -> bool {
        !self.as_json && self.options.output == OutputArg::Battlefield
    }

    /// Whether the match can be told in the words that were asked for. Touches no file.
    ///
    /// # Errors
    /// When it cannot.
    pub(super) fn check(&self, running: &Match<'_>) -> anyhow::Result<()> {
        let players = self.plan.entrants.len();
        if players > 2 {
            // A wrong anchor is told now, not after a thousand games.
            self.table(running)?;
        }
        if self.is_battlefield() && players != 2 {
            bail!("--output battlefield: BattleField knows matches of two only");
        }
        Ok(())
    }

    /// Announces the match, after the games that the journal has already.
    ///
    /// # Errors
    /// When it cannot be told in the words or in the place that was asked for.
    pub(super) fn begin(&mut self, running: &Match<'_>, journal: &Journal) -> anyhow::Result<()> {
        let plan = self.plan;
        self.check(running)?;
        if let Some(page) = &mut self.page {
            let schedule = running.schedule();
            journal.for_each_game(|finished| {
                if schedule.has(finished.game) {
                    page.history.add(schedule, &finished);
                }
            })?;
            self.write_page(running, None).context("--html")?;
        }
        let (games, done) = (running.schedule().games(), running.standing().games());
        let mean = running.durations().mean().unwrap_or_default();
        self.before = mean.mul_f64(done as f64 / plan.jobs as f64);
        if self.as_json {
            println!("{}", events::start(plan, self.seed, done));
        } else if !self.quiet && !self.is_battlefield() {
            eprintln!("{}", summary::start_text(plan, (games, done), self.seed));
        }
        Ok(())
    }

    /// A game was played.
    pub(super) fn game(&mut self, running: &Match<'_>, finished: &Finished, progress: &Progress) {
        let fixture = running.schedule().fixture(finished.game);
        let name = |side: Side| self.plan.entrants[fixture.players[side.index()]].name.as_str();
        if self.as_json {
            println!("{}", events::game(self.plan, running, finished));
        }
        if let Some(page) = &mut self.page {
            page.history.add(running.schedule(), finished);
        }
        self.doubt(running, progress);
        if self.is_battlefield() {
            if let Some((side, fault)) = &finished.fault {
                eprintln!("{}", battlefield::fault_line(name(*side), fault.kind));
            }
            self.battlefield_line(running);
            return;
        }
        if let Some((side, fault)) = &finished.fault {
            self.warned += 1;
            if self.warned <= WARNINGS_MAX {
                let last = fault.last_lines.last().map(|l| format!(" (last line: {l})")).unwrap_or_default();
                progress.line(&format!("game {}: {}: {fault}{last}", finished.game + 1, name(*side)));
            } else if self.warned == WARNINGS_MAX + 1 {
                progress.line("more faults follow; they are counted at the end and stand in the journal");
            }
        }
    }

    /// Tells the warnings that were not told yet.
    fn doubt(&mut self, running: &Match<'_>, progress: &Progress) {
        for told in warnings::all(self.plan, running.standing()) {
            if !self.doubts.insert((told.players.clone(), told.kind)) {
                continue;
            }
            if self.as_json {
                println!("{}", events::warning(self.plan, &told));
            } else {
                progress.line(&format!("Warning: {}", told.text));
            }
        }
    }

    /// Time passes: what is told now and then.
    pub(super) fn tick(&mut self, running: &Match<'_>, left: Option<TimeLeft>) {
        if let (true, Some(left), true) = (self.as_json, &left, self.told.elapsed() >= SELDOM) {
            self.told = Instant::now();
            println!("{}", events::left(running, left));
        }
        let Some(page) = &mut self.page else { return };
        page.left = left;
        if page.written.is_some_and(|at| at.elapsed() < SELDOM) {
            return;
        }
        if let Err(error) = self.write_page(running, None) {
            // The match is worth more than its picture.
            if let Some(page) = self.page.as_mut().filter(|page| !page.has_failed) {
                page.has_failed = true;
                eprintln!("tesuji: --html: {error:#}; the match goes on");
            }
        }
    }

    /// Writes the HTML report, where one was asked for.
    fn write_page(&mut self, running: &Match<'_>, end: Option<&str>) -> anyhow::Result<()> {
        let ratings = if self.plan.entrants.len() > 2 { Some(self.table(running)?) } else { None };
        let Some(paper) = &mut self.page else { return Ok(()) };
        paper.written = Some(Instant::now());
        let page = html::Page {
            plan: self.plan,
            seed: self.seed,
            sigma: self.options.sigma.into(),
            history: &paper.history,
            table: summary::swiss_text(self.plan, running),
            ratings,
            end,
            left: paper.left,
        };
        Ok(AtomicFile::write(paper.path, page.html().as_bytes())?)
    }

    /// BattleField's line after a game.
    fn battlefield_line(&self, running: &Match<'_>) {
        let Some(pairing) = running.standing().pairings().first().filter(|_| !self.quiet) else { return };
        let (elapsed, style) =
            (self.before + self.began.elapsed(), battlefield::Style { is_coloured: shows_colours(&std::io::stderr()) });
        let (total, sigma) = (self.plan.schedule.games(), self.options.sigma.into());
        eprintln!("{}", battlefield::progress_line(&pairing.games, total, elapsed, self.plan.jobs, sigma, style));
    }

    /// Reports the end of the match.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn end(&mut self, running: &Match<'_>, end: MatchEnd) -> anyhow::Result<()> {
        self.write_page(running, Some(summary::end_text(end))).context("--html")?;
        let standing = running.standing();
        if self.as_json {
            let ratings = if self.plan.entrants.len() > 2 { Some(self.table(running)?) } else { None };
            println!("{}", events::end(self.plan, running, end, ratings.as_ref()));
            return Ok(());
        }
        if let (true, Some(pairing)) = (self.is_battlefield(), standing.pairings().first()) {
            let style = battlefield::Style { is_coloured: shows_colours(&std::io::stdout()) };
            print!("{}", battlefield::block(&pairing.games, self.options.sigma.into(), style));
            return Ok(());
        }
        let ratings = if standing.pairings().len() == 1 { None } else { Some(self.table(running)?) };
        print!("{}", summary::final_text(self.plan, running, self.options.sigma.into(), ratings.as_ref()));
        Ok(())
    }

    /// Ratings where more than two play.
    ///
    /// # Errors
    /// When the anchor does not play.
    pub(super) fn ratings(&self, running: &Match<'_>) -> anyhow::Result<Option<RatingTable>> {
        (self.plan.entrants.len() > 2).then(|| self.table(running)).transpose()
    }

    /// Ratings of all players; the anchor counts only where it takes part.
    fn table(&self, running: &Match<'_>) -> anyhow::Result<RatingTable> {
        let names: Vec<String> = self.plan.entrants.iter().map(|e| e.name.clone()).collect();
        Ok(RatingTable::new(names, running.standing().met(), self.options.anchor.as_ref())?)
    }
}
