//! The thinking thread: owns the player and does one thing after the other.

use super::{
    Bench, Identity, SessionOptions, all_options,
    control::Control,
    host::{Host, line_position},
    output::Output,
    place::LinePosition,
    place::with_words,
};
use crate::{Handicap, Player};
use crossbeam_channel::Receiver;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Instant,
};
use tesuji_game::{Clock, Side};
use tesuji_options::Options;
use tesuji_protocol::{Ask, BoardCommand, Command, Go, Offer, Reply};
use tesuji_record::GameRecord;

/// Something to do.
pub(super) enum Job {
    /// Search.
    Go {
        /// The number of the work.
        id: u64,
        /// The command.
        go: Go,
        /// When the command was read: the clock runs from then.
        since: Instant,
    },
    /// A question that takes long.
    Long {
        /// The number of the work.
        id: u64,
        /// The question.
        ask: Ask,
    },
    /// Remember that the position which the runner set last could not be read, and why.
    Refuse(String),
    /// Anything else.
    Plain(Command),
}

pub(super) struct Worker<'a> {
    pub(super) player: Box<dyn Player>,
    pub(super) options: SessionOptions,
    identity: Identity,
    bench: Option<Bench>,
    pub(super) output: &'a Output<'a>,
    pub(super) control: &'a Control,
    pub(super) debug: bool,
    pub(super) place: LinePosition,
    /// The error of the last position, if it was refused: the player is still at an older one, for which no move is wanted.
    pub(super) refused: Option<String>,
    pub(super) clocks: Option<[Clock; 2]>,
    failed: bool,
    /// Whether experts' options are offered.
    expert: bool,
    /// The side to move before the last search.
    pub(super) turn_before: Option<Side>,
    /// The fault of an evaluator that was told last.
    pub(super) fault_told: Option<String>,
    host: Option<Box<dyn Host>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        player: Box<dyn Player>,
        options: SessionOptions,
        identity: Identity,
        bench: Option<Bench>,
        output: &'a Output<'a>,
        control: &'a Control,
    ) -> Worker<'a> {
        Worker {
            player,
            options,
            identity,
            bench,
            output,
            control,
            debug: false,
            place: LinePosition::default(),
            refused: None,
            clocks: None,
            failed: false,
            expert: false,
            turn_before: None,
            fault_told: None,
            host: None,
        }
    }

    /// With `expert`, says all options there are, not only those for everybody.
    pub(super) fn offering(mut self, expert: bool) -> Worker<'a> {
        self.expert = expert;
        self
    }

    /// With a machine to ask.
    pub(super) fn with_host(mut self, host: Option<Box<dyn Host>>) -> Worker<'a> {
        self.host = host;
        self
    }

    /// Works until there is nothing left to do and nobody who could ask for more.
    pub(super) fn run(mut self, inbox: &Receiver<Job>) {
        for job in inbox {
            if self.output.is_broken() {
                return;
            }
            if matches!(job, Job::Plain(Command::Quit)) {
                return self.output.say(&[Reply::Done]);
            }
            let (id, is_search) = match job {
                Job::Go { id, .. } => (Some(id), true),
                Job::Long { id, .. } => (Some(id), false),
                Job::Refuse(_) | Job::Plain(_) => (None, false),
            };
            // A fault of ours must not leave the runner waiting: it is told, and every later search has no move.
            let done =
                if self.failed { Ok(self.decline(&job)) } else { catch_unwind(AssertUnwindSafe(|| self.work(job))) };
            if let Err(panic) = &done {
                self.failed = true;
                self.output.fault(format_args!("internal error: {}; quit and start again", words_of(panic.as_ref())));
            }
            if is_search && !matches!(done, Ok(true)) {
                self.output.say(&[Reply::Best { choice: None, ponder: None }]);
            }
            if let Some(id) = id {
                self.control.finish(id);
            }
        }
    }

    /// Does one thing; returns whether it was done.
    fn work(&mut self, job: Job) -> bool {
        match job {
            Job::Go { id, go, .. } if self.refused.is_some() => return self.go_nowhere(id, &go),
            Job::Go { id, go, since } => self.go(id, &go, since),
            Job::Long { id, ask: Ask::Perft(depth) } => self.perft(id, depth),
            Job::Long { id, .. } => self.run_bench(id),
            Job::Refuse(why) => self.refuse(why),
            Job::Plain(command) => self.command(command),
        }
        true
    }

    /// After a fault of ours: tells that the engine is there, and does nothing; returns that nothing was done.
    fn decline(&self, job: &Job) -> bool {
        if let Job::Plain(Command::Sync) = job {
            self.output.say(&[Reply::Ready]);
        }
        false
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Hello => self.hello(),
            Command::Debug(on) => self.debug = on,
            Command::Set { name, value } => {
                match all_options(self.player.as_mut(), &mut self.options).set(&name, &value) {
                    Ok(()) => self.output.say(&[Reply::Done]),
                    Err(error) => self.output.fault(error),
                }
            }
            Command::Sync => self.output.say(&[Reply::Ready]),
            Command::NewGame => {
                self.player.new_game();
                self.output.say(&[Reply::Done]);
            }
            Command::Board(board) => self.board(board),
            Command::Clock { side, clock } => {
                match (side, clock) {
                    (_, None) => self.clocks = None,
                    (Some(side), Some(clock)) => self.clocks.get_or_insert_default()[side.index()] = clock,
                    (None, Some(clock)) => self.clocks = Some([clock; 2]),
                }
                self.output.say(&[Reply::Done]);
            }
            Command::Say(reply) => self.output.say(&[reply]),
            Command::OfferDraw | Command::Ponder(_) => self.output.say(&[Reply::Done]),
            Command::GameOver(_) => self.output.say(&[Reply::Done]),
            Command::Ask(ask) => self.answer(&ask),
            Command::Go(_) | Command::Stop | Command::PonderHit | Command::Quit => {} // the reader's
        }
    }

    fn hello(&mut self) {
        let Identity { name, version, author } = &self.identity;
        let mut replies = vec![Reply::Name(format!("{name} {version}")), Reply::Author(author.clone())];
        let specs = all_options(self.player.as_mut(), &mut self.options).specs();
        replies.extend(specs.iter().filter(|s| self.expert || !s.expert).map(|s| Reply::Option(Offer::from(s))));
        replies.push(Reply::Welcome);
        self.output.say(&replies);
    }

    /// Changes the board, or says why not and leaves it as it was.
    fn board(&mut self, board: BoardCommand) {
        let mut next = self.place.clone();
        let mut refusal = None;
        let is_whole = matches!(board, BoardCommand::Set { .. });
        match board {
            BoardCommand::Set { start, moves } => {
                next = LinePosition { rules: next.rules, start, moves, skips: Vec::new() }
            }
            BoardCommand::Rules(rules) => next = next.under(&rules),
            BoardCommand::Komi(points) => next.rules = with_words(&next.rules, &format!("komi={points}")),
            BoardCommand::Play { side, text } => {
                next.skip_to(side, self.player.side_to_move());
                next.moves.push(text);
                refusal = Some("illegal move");
            }
            BoardCommand::Undo => {
                if !next.undo() {
                    return self.output.fault("cannot undo");
                }
            }
            BoardCommand::Clear => {
                self.player.new_game();
                next = LinePosition { rules: next.rules, ..LinePosition::default() };
            }
            BoardCommand::Place { points, .. } => return self.place_handicap(&Handicap::At(points)),
            BoardCommand::Load { file, before } => match self.load(&file) {
                Ok(record) => next = line_position(&record, before),
                Err(fault) => return self.output.fault(fault),
            },
        }
        match self.player.set_position(&next.rules, next.start.as_deref(), &next.moves) {
            Ok(()) => {
                (self.place, self.refused) = (next, None);
                self.output.say(&[Reply::Done]);
            }
            Err(error) => match refusal {
                Some(words) => {
                    tracing::info!("{error}");
                    self.output.fault(words);
                }
                None => {
                    if is_whole {
                        self.refuse(error.to_string());
                    }
                    self.output.fault(error);
                }
            },
        }
    }

    /// Remembers why the position that the runner set was refused. Where every command is answered (GTP), the runner knows what
    /// stands.
    fn refuse(&mut self, why: String) {
        self.refused = (!self.output.is_orderly()).then_some(why);
    }

    /// Puts the player at its place again.
    pub(super) fn sit(&mut self) {
        let LinePosition { rules, start, moves, .. } = &self.place;
        let _ = self.player.set_position(rules, start.as_deref(), moves);
    }

    fn perft(&self, id: u64, depth: u32) {
        let since = Instant::now();
        // `stop` and `quit` stop questions, too; the end of the input does not.
        let Some(parts) = self.player.perft(depth, &|| self.control.is_stopped(id)) else {
            return self.output.fault("perft was stopped");
        };
        let mut text: String = parts.iter().map(|(mv, n)| format!("{mv}: {n}\n")).collect();
        let nodes: u64 = parts.iter().map(|(_, n)| n).sum();
        let time = since.elapsed();
        let speed = nodes as f64 / time.as_secs_f64().max(1e-9) / 1e6;
        text += &format!("\nNodes searched: {nodes}\nTime: {} ms, {speed:.1} million a second", time.as_millis());
        self.output.say(&[Reply::Text(text)]);
    }

    fn run_bench(&mut self, id: u64) {
        let Some(bench) = &mut self.bench else {
            return self.output.fault("there is no bench for this engine");
        };
        let text = bench(self.player.as_mut(), &|| self.control.is_stopped(id));
        self.output.say(&[Reply::Text(text)]);
        // The bench used the player's board and tables.
        self.player.new_game();
        self.sit();
    }

    /// The record in `file`.
    fn load(&self, file: &str) -> Result<GameRecord<String>, String> {
        match &self.host {
            Some(host) => host.load(file),
            None => Err("this session reads no files".to_string()),
        }
    }

    /// Puts handicap stones on the empty board and says where.
    fn place_handicap(&mut self, stones: &Handicap) {
        if self.place.start.is_some() || !self.place.moves.is_empty() {
            return self.output.fault("board not empty");
        }
        let placed = match self.player.handicap(stones) {
            Ok(placed) => placed,
            Err(error) => return self.output.fault(error),
        };
        let start = Some(placed.start);
        if let Err(error) = self.player.set_position(&self.place.rules, start.as_deref(), &[]) {
            return self.output.fault(error);
        }
        self.place.start = start;
        let is_told = !matches!(stones, Handicap::At(_));
        self.output.say(&[if is_told { Reply::Text(placed.points.join(" ")) } else { Reply::Done }]);
    }

    fn answer(&mut self, ask: &Ask) {
        let text = match ask {
            Ask::Show => self.player.show(),
            Ask::Explain => match self.player.explain() {
                Some(text) => text,
                None => return self.output.fault("this evaluation cannot be explained"),
            },
            Ask::Help => self.output.help().to_string(),
            Ask::Name => self.identity.name.clone(),
            Ask::Version => self.identity.version.clone(),
            Ask::FinalScore => match self.player.final_score() {
                Some(text) => text,
                None => return self.output.fault("this game has no score"),
            },
            Ask::FinalStatus(status) => match self.player.final_status(status) {
                Some(chains) => chains.iter().map(|points| points.join(" ")).collect::<Vec<_>>().join("\n"),
                None => return self.output.fault("stones have no such status in this game"),
            },
            Ask::Handicap { stones, fixed } => {
                let stones = *stones as usize;
                let wanted = if *fixed { Handicap::Fixed(stones) } else { Handicap::Free(stones) };
                return self.place_handicap(&wanted);
            }
            Ask::Owners => match self.player.owners() {
                Some(rows) => rows.iter().map(|row| numbers(row)).collect::<Vec<_>>().join("\n"),
                None => return self.output.fault("nothing is owned in this game"),
            },
            Ask::RawNet(symmetry) => match self.player.raw_net(*symmetry) {
                Ok(text) => text,
                Err(fault) => return self.output.fault(fault),
            },
            Ask::Rules => match self.player.rules() {
                Some(text) => text,
                None => return self.output.fault("this game has one set of rules"),
            },
            Ask::Komi => match self.player.compensation() {
                Some(points) => points.to_string(),
                None => return self.output.fault("this game has no komi"),
            },
            Ask::Parameters => {
                let specs = all_options(self.player.as_mut(), &mut self.options).specs();
                specs.iter().map(|spec| spec.name.replace(' ', "_")).collect::<Vec<_>>().join(" ")
            }
            Ask::Parameter(name) => match all_options(self.player.as_mut(), &mut self.options).get(name) {
                Some(value) => value,
                None => return self.output.fault(format_args!("there is no parameter {name:?}")),
            },
            Ask::ProcessorTime => match self.host.as_ref().and_then(|host| host.processor_time()) {
                Some(time) => format!("{:.3}", time.as_secs_f64()),
                None => return self.output.fault("processor time is not known here"),
            },
            _ => return self.output.fault("this engine cannot answer that"),
        };
        self.output.say(&[Reply::Text(text)]);
    }
}

/// Numbers in a row.
fn numbers(row: &[f32]) -> String {
    row.iter().map(|x| format!("{x:.2}")).collect::<Vec<_>>().join(" ")
}

/// The words of a panic.
fn words_of(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_string();
    }
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "unknown".to_string())
}
