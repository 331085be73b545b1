//! An engine in its own process as a player: what drives a player can have any engine in its place.

mod collector;
mod form;
mod tree;

use crate::{Engine, EngineSpec, Fault, FaultKind, PositionQuestion};
use collector::Collector;
use form::{Form, LINES, lines_max};
use std::{sync::Arc, time::Duration};
use tesuji_engine::{LiveTree, Player, PlayerError, TreeBounds, TreeCopy};
use tesuji_game::{Choice, Limits, NotationError, Report, Side, Signal, Watch};
use tesuji_jobs::Interrupt;
use tesuji_kit::Kit;
use tesuji_options::Options;
use tesuji_protocol::{Offer, Stream};
use tesuji_record::RulesTable;
use tree::LineTree;

/// Between two reports where no other time is wanted.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// Lines that it shows at first.
const LINES_USUAL: usize = 3;
/// Lines of its error output that are told with a fault.
const TOLD_LINES: usize = 4;

/// An engine process as a [`Player`]. The process is started when it is needed, ends with the player or when it
/// [rests](Player::rest), and is started again after a fault. Values are those that it tells, for the side to move; effort is known
/// only where it tells visits.
///
/// # Examples
///
/// An engine in a line of shell:
///
/// ```
/// use tesuji_arena::{Dialect, EnginePlayer, EngineSpec};
/// use tesuji_engine::Player;
/// use tesuji_four::FOUR;
/// use tesuji_game::{Choice, Limits};
/// use tesuji_jobs::Interrupt;
/// use tesuji_kit::think::Unwatched;
///
/// let script = "while read -r word rest; do case $word in \
///     uci) echo id name Demo; echo uciok;; isready) echo readyok;; \
///     go) echo info depth 3 nodes 70 score cp 30 pv 4 4; echo bestmove 4;; quit) exit;; esac; done";
/// let mut spec = EngineSpec::new("sh");
/// spec.args = vec!["-c".to_string(), script.to_string()];
/// spec.dialect = Some(Dialect::Uci);
/// let mut player = EnginePlayer::open(spec, &FOUR, &Interrupt::new())?;
/// player.set_position("", None, &[]).unwrap();
/// let report = player.go(&Limits { nodes: Some(100), ..Limits::default() }, &[], &mut Unwatched::new());
/// assert_eq!((player.name(), report.choice), ("Demo", Some(Choice::Play("4".to_string()))));
/// assert_eq!((report.lines[0].value.raw(), report.lines[0].pv.len()), (30, 2));
/// # Ok::<(), tesuji_arena::Fault>(())
/// ```
pub struct EnginePlayer {
    kit: &'static dyn Kit,
    spec: EngineSpec,
    stop: Interrupt,
    engine: Option<Engine>,
    name: String,
    offers: Vec<Offer>,
    /// Lines that are wanted.
    lines: usize,
    /// Lines that the process was told to show.
    told_lines: usize,
    /// The rules that the process plays by; none: it is to be told.
    ready_for: Option<String>,
    start: Option<String>,
    table: Box<dyn RulesTable>,
    tree: Arc<LineTree>,
}

impl EnginePlayer {
    /// Starts the engine.
    ///
    /// # Errors
    /// When it does not start, with what it said last.
    pub fn open(spec: EngineSpec, kit: &'static dyn Kit, stop: &Interrupt) -> Result<EnginePlayer, Fault> {
        let engine = Engine::open(&spec, stop)?;
        let table = kit.table("", None).map_err(|e| Fault::new(FaultKind::Start, e.to_string()))?;
        let name = engine.called().to_string();
        let offers = engine.offers().to_vec();
        Ok(EnginePlayer {
            kit,
            spec,
            stop: stop.clone(),
            engine: Some(engine),
            name,
            offers,
            lines: LINES_USUAL,
            told_lines: 1,
            ready_for: None,
            start: None,
            table,
            tree: Arc::default(),
        })
    }

    /// Its name, as it was given or as the engine calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The number of its process, while it runs.
    pub fn process(&self) -> Option<u32> {
        self.engine.as_ref().map(Engine::process)
    }

    /// The running engine, ready for a game under the rules of the position.
    fn ready(&mut self) -> Result<&mut Engine, Fault> {
        let engine = match self.engine.take() {
            Some(engine) => engine,
            None => {
                (self.ready_for, self.told_lines) = (None, 1);
                Engine::open(&self.spec, &self.stop)?
            }
        };
        let engine = self.engine.insert(engine);
        let rules = self.kit.full_rules(self.table.rules()).unwrap_or_default();
        if self.ready_for.as_ref() != Some(&rules) {
            engine.get_ready(&rules)?;
            self.ready_for = Some(rules);
        }
        let lines = self.lines.min(lines_max(&self.offers));
        if lines != self.told_lines && self.offers.iter().any(|offer| offer.name == LINES) {
            engine.set_option(LINES, &lines.to_string())?;
            self.told_lines = lines;
        }
        Ok(engine)
    }

    /// Searches, and says what went wrong if something did.
    fn search(
        &mut self,
        limits: &Limits,
        only: &[String],
        watch: &mut dyn Watch<String>,
        found: &mut Collector,
    ) -> Result<Option<Choice<String>>, Fault> {
        let every = watch.wants().every.unwrap_or(REPORT_EVERY).max(REPORT_EVERY);
        let stream = Stream { every: every.min(Duration::from_secs(1)), lines: self.lines.max(only.len()) };
        let (tree, start, moves) = (self.tree.clone(), self.start.clone(), self.table.played());
        let side = self.table.side_to_move();
        let engine = self.ready()?;
        let (streams, can_stop) = (engine.streams(), engine.can_stop());
        let mut next = every;
        let mut is_stopped = false;
        let table = &mut *self.table;
        // The loan of the whole ends with `ready`; these are parts.
        let Some(engine) = self.engine.as_mut() else { return Ok(None) };
        let question = PositionQuestion { start: start.as_deref(), moves: &moves, side, limits, only, stream };
        let ended = engine.search(&question, &mut |news| {
            found.take(news);
            let elapsed = watch.elapsed();
            if elapsed >= next && found.has_changed() {
                next = elapsed + every;
                let report = found.report(table, elapsed);
                tree.merge(&report.lines, found.visits());
                watch.report(&report);
            }
            is_stopped |= watch.signal() == Signal::Stop || (streams && found.is_enough(limits, elapsed));
            !is_stopped
        });
        match ended {
            Ok(ended) => {
                found.expected = ended.expected;
                Ok(ended.choice)
            }
            Err(fault) if is_stopped && !can_stop && fault.kind == FaultKind::Hang => {
                self.engine = None;
                Ok(None)
            }
            Err(fault) => Err(fault),
        }
    }

    /// The decision in the notation of the game.
    fn decided(
        &mut self,
        choice: Option<Choice<String>>,
        report: &Report<String>,
    ) -> Result<Option<Choice<String>>, Fault> {
        match choice {
            Some(Choice::Play(text)) => match self.table.parse_move(&text) {
                Ok(code) if self.is_move(&code) => Ok(Some(Choice::Play(code))),
                _ => Err(Fault::new(FaultKind::Illegal, format!("it plays {text}, which is no legal move here"))),
            },
            None => Ok(report.lines.first().map(|line| Choice::Play(line.pv[0].clone()))),
            other => Ok(other),
        }
    }

    /// A fault in words for people, with the last lines of the engine's error output.
    fn told(&self, fault: &Fault) -> String {
        let errors = fault.last_lines.iter().filter_map(|line| line.strip_prefix("stderr: ")).map(str::trim);
        let errors: Vec<&str> = errors.filter(|line| !line.is_empty()).collect();
        let last = &errors[errors.len().saturating_sub(TOLD_LINES)..];
        let said = if last.is_empty() { String::new() } else { format!("; its last words: {}", last.join(" | ")) };
        format!("{}: {}{said}", self.name, fault.detail)
    }
}

impl Player for EnginePlayer {
    fn options(&mut self) -> Box<dyn Options + '_> {
        let form = Form {
            offers: &self.offers,
            settings: &mut self.spec.options,
            lines: &mut self.lines,
            engine: &mut self.engine,
        };
        Box::new(form)
    }

    fn new_game(&mut self) {
        self.ready_for = None;
        self.tree.clear();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let wrong = |error: NotationError| match start {
            Some(text) => PlayerError::Position { text: text.to_string(), error },
            None => PlayerError::Rules { text: rules.to_string(), error },
        };
        let mut table = self.kit.table(rules, start).map_err(wrong)?;
        for (i, text) in moves.iter().enumerate() {
            table.play(text).map_err(|error| PlayerError::Move { number: i + 1, error })?;
        }
        let is_same = self.start.as_deref() == start && table.rules() == self.table.rules();
        if !is_same || table.played() != self.table.played() {
            self.tree.clear();
        }
        self.start = start.map(str::to_string);
        self.table = table;
        Ok(())
    }

    fn is_move(&self, text: &str) -> bool {
        self.table.moves().iter().any(|mv| mv == text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let only: Vec<String> = only.iter().filter(|mv| self.is_move(mv)).cloned().collect();
        let mut found = Collector::default();
        let ended = self.search(limits, &only, watch, &mut found);
        let mut report = found.report(&mut *self.table, watch.elapsed());
        self.tree.merge(&report.lines, found.visits());
        let decided = ended.and_then(|choice| self.decided(choice, &report));
        match decided {
            Ok(choice) => report.choice = choice,
            Err(fault) => {
                // Whatever state it is in, the next search has a process that knows nothing of it.
                self.engine = None;
                report.fault = Some(self.told(&fault));
            }
        }
        report
    }

    fn show(&self) -> String {
        format!("{}\n", self.table.position())
    }

    fn side_to_move(&self) -> Option<Side> {
        Some(self.table.side_to_move())
    }

    fn moves(&self) -> Vec<String> {
        self.table.moves()
    }

    fn perft(&self, _: u32, _: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        None
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        self.tree.copy(bounds)
    }

    fn live_tree(&self) -> Option<Arc<dyn LiveTree>> {
        Some(self.tree.clone())
    }

    fn rest(&mut self) {
        self.engine = None;
    }
}
