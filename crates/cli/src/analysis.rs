//! `tesuji analysis`: KataGo's analysis protocol, one JSON object a line, which KaTrain and other tools speak.

mod answer;
mod query;
mod queue;

use crate::{games, oracle::OracleArgs, settings::settings, version};
use anyhow::{Context, bail};
use query::Fault;
use queue::{Queue, Task};
use serde_json::{Map, Value};
use std::{
    io::{BufRead, Write, stdin, stdout},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    thread,
};
use tesuji_engine::Player;
use tesuji_game::Side;
use tesuji_kit::Kit;

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
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
}

/// Answers queries until there are no more.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let Some(perspective) = query::perspective(&args.winrates_as) else {
        bail!("--winrates-as {}: expected black, white or sidetomove", args.winrates_as);
    };
    let players: Vec<_> = (0..args.jobs.max(1)).map(|_| player(kit, &args)).collect::<Result<_, _>>()?;
    let desk =
        Desk { kit, perspective, visits: args.visits.max(1), queue: Queue::default(), out: Mutex::new(stdout()) };
    thread::scope(|scope| {
        for mut player in players {
            let desk = &desk;
            scope.spawn(move || {
                while let Some(task) = desk.queue.take() {
                    desk.work(player.as_mut(), &task);
                    desk.queue.done(&task);
                }
            });
        }
        let read = desk.read(stdin().lock());
        if args.quit_without_waiting || desk.is_broken() {
            desk.queue.stop_all();
        }
        desk.queue.close();
        read
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Reads a query: for fuzzers.
///
/// # Panics
/// When a query that was read does not fit together.
pub(crate) fn check_query(text: &str) {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else { return };
    let (Ok(kit), Some(id)) = (games::kit("go"), object.get("id").and_then(Value::as_str)) else { return };
    let Ok((query, warnings)) = query::read(kit, id, &object) else { return };
    assert!(
        warnings.len() <= object.len() + object.get("overrideSettings").and_then(Value::as_object).map_or(0, Map::len)
    );
    assert!(query.at.windows(2).all(|pair| pair[0] < pair[1]) && query.at.last() == Some(&query.moves.len()));
    assert!(query.turns.iter().all(|(turn, _)| *turn < query.at.len()));
    let table = kit.table(&query.rules, query.start.as_deref());
    assert!(table.is_ok_and(|mut table| query.moves.iter().all(|mv| table.play(mv).is_ok())));
}

/// What is wrong with a query, in words.
#[cfg(test)]
pub(crate) fn says(text: &str) -> Option<String> {
    let object = serde_json::from_str::<Map<String, Value>>(text).ok()?;
    query::read(games::kit("go").ok()?, "a", &object).err().map(|fault| fault.words)
}

fn player(kit: &dyn Kit, args: &Args) -> anyhow::Result<Box<dyn Player>> {
    let mut player = kit.player(args.oracle.family(""))?;
    let settings = settings(&args.set)?;
    args.oracle.load(|name, value| player.options().set(name, value))?;
    for (name, value) in settings {
        player.options().set(name, value).with_context(|| format!("--set {name}={value}"))?;
    }
    Ok(player)
}

/// What readers and searchers share.
struct Desk {
    kit: &'static dyn Kit,
    /// Whose chances are told where a query says nothing; `None`: the mover's.
    perspective: Option<Side>,
    visits: u64,
    queue: Queue,
    out: Mutex<std::io::Stdout>,
}

impl Desk {
    fn read(&self, input: impl BufRead) -> anyhow::Result<()> {
        for line in input.split(b'\n') {
            let line = line.context("cannot read the queries")?;
            let text = String::from_utf8_lossy(&line);
            if !text.trim().is_empty() {
                self.obey(text.trim());
            }
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
        if let Err(Fault { field, words }) = taken {
            self.say(&answer::of_fault("error", &words, field.as_deref(), Some(id)));
        }
    }

    fn enqueue(&self, id: &str, object: &Map<String, Value>) -> Result<(), Fault> {
        let (query, warnings) = query::read(self.kit, id, object)?;
        for Fault { field, words } in warnings {
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

    fn act(&self, action: &str, object: &Map<String, Value>) -> Result<(), Fault> {
        let mut echo = object.clone();
        match action {
            "query_version" => {
                echo.insert("version".into(), version::short().into());
                echo.insert("git_hash".into(), "<omitted>".into());
            }
            "query_models" => {
                echo.insert("models".into(), Value::Array(Vec::new()));
            }
            "clear_cache" => {}
            "terminate" | "terminate_all" => {
                let id = object.get("terminateId").and_then(Value::as_str);
                if action == "terminate" && id.is_none() {
                    return Err(Fault::of(
                        "terminateId",
                        "Requests to terminate must have a string \"terminateId\" field",
                    ));
                }
                let wrong = || Fault::of("turnNumbers", "Must be an array of integers");
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
                return Err(Fault::of("action", EXPECTED));
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
}
