//! The engine's end of KataGo's analysis protocol: a queue of positions, searched by several players at once.

mod queue;

use crate::{Player, session::SKIP};
use queue::{Queue, Task};
use serde_json::{Map, Value};
use std::{
    io::{self, BufRead, Read, Write},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_game::{Limits, Report, Side, Signal, Wants, Watch};
use tesuji_protocol::analysis::{Boards, QueryFault, answer, query};

/// The longest line of a query, in bytes.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// The most moves that are told of a position: all.
const LINES: usize = 1000;

/// Answers the queries of one peer.
pub struct AnalysisServer<'a, W> {
    /// The boards of the game.
    boards: &'a dyn Boards,
    settings: AnalysisSettings,
    queue: Queue,
    out: Mutex<W>,
}

/// Defaults of queries, and the version that is reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnalysisSettings {
    /// The side whose chances are told; `None`: the side to move.
    pub perspective: Option<Side>,
    /// Playouts for each position, at least 1.
    pub visits: u64,
    /// Whether to end with the input, and not with the last answer.
    pub quits_at_once: bool,
    /// The version of the program.
    pub version: String,
}

impl<'a, W: Write + Send> AnalysisServer<'a, W> {
    /// A server that writes its answers to `out`.
    pub fn new(boards: &'a dyn Boards, settings: AnalysisSettings, out: W) -> AnalysisServer<'a, W> {
        AnalysisServer { boards, settings, queue: Queue::default(), out: Mutex::new(out) }
    }

    /// Answers the queries of `input` until there are no more, each player on a thread of its own.
    ///
    /// # Errors
    /// When the input cannot be read, or the system gives a player no thread.
    pub fn run(&self, players: Vec<Box<dyn Player>>, input: impl BufRead) -> io::Result<()> {
        thread::scope(|scope| {
            for mut player in players {
                let work = move || {
                    while let Some(task) = self.queue.take() {
                        self.work(player.as_mut(), &task);
                        self.queue.done(&task);
                    }
                };
                if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                    // Those that have one end.
                    self.queue.close();
                    let words = format!("the system gives no thread to search on: {error}");
                    return Err(io::Error::new(error.kind(), words));
                }
            }
            let read = self.read(input);
            if self.settings.quits_at_once || self.is_broken() {
                self.queue.stop_all();
            }
            self.queue.close();
            read
        })
    }

    fn read(&self, mut input: impl BufRead) -> io::Result<()> {
        let mut line = Vec::new();
        while input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? > 0 {
            if line.len() as u64 == LINE_BYTES_MAX && !line.ends_with(b"\n") {
                let words = format!("expected queries of at most {} MiB", LINE_BYTES_MAX >> 20);
                return Err(io::Error::new(io::ErrorKind::InvalidData, words));
            }
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                self.obey(text.trim());
            }
            line.clear();
        }
        Ok(())
    }

    /// Takes one line.
    fn obey(&self, text: &str) {
        let object = match serde_json::from_str::<Value>(text) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return self.say(&answer::of_fault("error", "Each query must be a JSON object", None, None)),
            Err(error) => {
                let words = format!("{error} - could not parse input line as json request: {text}");
                return self.say(&answer::of_fault("error", &words, None, None));
            }
        };
        let Some(id) = object.get("id").and_then(Value::as_str) else {
            return self.say(&answer::of_fault("error", "Request must have a string \"id\" field", Some("id"), None));
        };
        let taken = match object.get("action") {
            Some(action) => self.act(action.as_str().unwrap_or_default(), &object),
            None => self.enqueue(id, &object),
        };
        if let Err(QueryFault { field, words }) = taken {
            self.say(&answer::of_fault("error", &words, field.as_deref(), Some(id)));
        }
    }

    fn enqueue(&self, id: &str, object: &Map<String, Value>) -> Result<(), QueryFault> {
        let (query, warnings) = query::read(self.boards, id, object)?;
        for QueryFault { field, words } in warnings {
            self.say(&answer::of_fault("warning", &words, field.as_deref(), Some(id)));
        }
        let query = Arc::new(query);
        let tasks = query.turns.iter().map(|&(turn, priority)| Task {
            query: query.clone(),
            turn,
            priority,
            stop: Arc::new(AtomicBool::new(false)),
        });
        self.queue.put(tasks);
        Ok(())
    }

    fn act(&self, action: &str, object: &Map<String, Value>) -> Result<(), QueryFault> {
        let mut echo = object.clone();
        match action {
            "query_version" => {
                echo.insert("version".into(), self.settings.version.clone().into());
                echo.insert("git_hash".into(), "<omitted>".into());
            }
            "query_models" => {
                echo.insert("models".into(), Value::Array(Vec::new()));
            }
            "clear_cache" => {}
            "terminate" | "terminate_all" => {
                let id = object.get("terminateId").and_then(Value::as_str);
                if action == "terminate" && id.is_none() {
                    return Err(QueryFault::of(
                        "terminateId",
                        "Requests to terminate must have a string \"terminateId\" field",
                    ));
                }
                let wrong = || QueryFault::of("turnNumbers", "Must be an array of integers");
                let numbers = |value: &Value| value.as_array()?.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
                let turns = object.get("turnNumbers").map(|v| numbers(v).ok_or_else(wrong)).transpose()?;
                let is_meant = |task: &Task| {
                    id.filter(|_| action == "terminate").is_none_or(|id| task.query.id == id)
                        && turns.as_ref().is_none_or(|turns| turns.contains(&(task.turn as u64)))
                };
                self.say(&Value::Object(echo));
                for task in self.queue.stop(is_meant) {
                    self.say(&answer::without_results(&task.query.id, task.turn));
                }
                return Ok(());
            }
            _ => {
                const EXPECTED: &str = "'action' field must be 'query_version', 'query_models', 'clear_cache', \
                     'terminate' or 'terminate_all'";
                return Err(QueryFault::of("action", EXPECTED));
            }
        }
        self.say(&Value::Object(echo));
        Ok(())
    }

    /// Writes one answer.
    fn say(&self, answer: &Value) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        if writeln!(out, "{answer}").and_then(|()| out.flush()).is_err() {
            self.queue.stop_all();
        }
    }

    fn is_broken(&self) -> bool {
        self.out.lock().unwrap_or_else(PoisonError::into_inner).flush().is_err()
    }

    /// Analyses one position and answers.
    fn work(&self, player: &mut dyn Player, task: &Task) {
        let query = &task.query;
        let mut moves = query.moves[..query.at[task.turn]].to_vec();
        // Both have passed: the analysis looks at what follows if the game goes on.
        while moves.len() >= 2 && moves.iter().rev().take(2).all(|mv| mv.eq_ignore_ascii_case(SKIP)) {
            moves.truncate(moves.len() - 2);
        }
        // The same query has the same answer, whatever came before.
        player.new_game();
        if let Err(error) = player.set_position(&query.rules, query.start.as_deref(), &moves) {
            return self.say(&answer::of_fault("error", &error.to_string(), None, Some(&query.id)));
        }
        let mover = player.side_to_move().unwrap_or(Side::First);
        let legal = player.moves();
        let only = wanted(&legal, &query.allow[mover.index()], &query.avoid[mover.index()]);
        let limits = Limits {
            nodes: Some(query.visits.unwrap_or(self.settings.visits)),
            move_time: query.time,
            ..Limits::default()
        };
        let perspective = query.perspective.unwrap_or(self.settings.perspective);
        let tell = |report: &Report<String>, is_during| {
            self.say(&answer::of_report(query, task.turn, mover, perspective, &legal, report, is_during));
        };
        let mut live = Live { since: Instant::now(), task, tell: &tell };
        let report = player.go(&limits, &only, &mut live);
        if let Some(fault) = &report.fault {
            return self.say(&answer::of_fault("error", fault, None, Some(&query.id)));
        }
        if report.nodes == 0 || report.lines.is_empty() {
            return self.say(&answer::without_results(&query.id, task.turn));
        }
        if query.ownership && report.ownership.is_empty() {
            let words = "This search does not tell whose points are";
            self.say(&answer::of_fault("warning", words, Some("includeOwnership"), Some(&query.id)));
        }
        tell(&report, false);
    }
}

/// The moves to look at, all if empty.
fn wanted(legal: &[String], allow: &[String], avoid: &[String]) -> Vec<String> {
    let among = |list: &[String], mv: &String| list.iter().any(|other| other.eq_ignore_ascii_case(mv));
    if allow.is_empty() && avoid.is_empty() {
        return Vec::new();
    }
    let kept = legal.iter().filter(|mv| (allow.is_empty() || among(allow, mv)) && !among(avoid, mv));
    kept.cloned().collect()
}

/// A search under way.
struct Live<'a> {
    since: Instant,
    task: &'a Task,
    tell: &'a dyn Fn(&Report<String>, bool),
}

impl Watch<String> for Live<'_> {
    fn signal(&mut self) -> Signal {
        if self.task.stop.load(Relaxed) { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if self.task.query.every.is_some() && report.choice.is_none() {
            (self.tell)(report, true);
        }
    }

    fn wants(&self) -> Wants {
        // Without reports on the way, the last one is all there is.
        Wants { lines: Some(LINES), every: Some(self.task.query.every.unwrap_or(Duration::MAX)) }
    }
}
