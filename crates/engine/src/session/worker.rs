//! The thinking thread: owns the player and does one thing after the other.

use super::{
    Bench, Identity, SessionOptions, all_options, control::Control, output::Output, place::Place, place::with_words,
    print,
};
use crate::Player;
use crossbeam_channel::Receiver;
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};
use tesuji_game::{Choice, Clock, Limits, Report, Signal, Watch};
use tesuji_options::Options;
use tesuji_protocol::{Ask, Board, Command, Go, Info, Offer, Reply};

/// Something to do.
pub(super) enum Job {
    /// Search.
    Go {
        /// The number of the work.
        id: u64,
        /// What for.
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
    /// Anything else.
    Plain(Command),
}

pub(super) struct Worker<'a> {
    player: Box<dyn Player>,
    options: SessionOptions,
    identity: Identity,
    bench: Option<Bench>,
    output: &'a Output<'a>,
    control: &'a Control,
    debug: bool,
    place: Place,
    clocks: Option<[Clock; 2]>,
    failed: bool,
    /// Whether experts' options are offered.
    expert: bool,
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
            place: Place::default(),
            clocks: None,
            failed: false,
            expert: false,
        }
    }

    /// With `expert`, says all options there are, not only those for everybody.
    pub(super) fn offering(mut self, expert: bool) -> Worker<'a> {
        self.expert = expert;
        self
    }

    /// Works until there is nothing left to do and nobody who could ask for more.
    pub(super) fn run(mut self, inbox: &Receiver<Job>) {
        for job in inbox {
            if self.output.is_broken() {
                return;
            }
            let (id, is_search) = match job {
                Job::Go { id, .. } => (Some(id), true),
                Job::Long { id, .. } => (Some(id), false),
                Job::Plain(_) => (None, false),
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
            Job::Go { id, go, since } => self.go(id, &go, since),
            Job::Long { id, ask: Ask::Perft(depth) } => self.perft(id, depth),
            Job::Long { id, .. } => self.run_bench(id),
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
    fn board(&mut self, board: Board) {
        let mut next = self.place.clone();
        let mut refusal = None;
        match board {
            Board::Set { start, moves } => next = Place { rules: next.rules, start, moves, skips: Vec::new() },
            Board::Rules(rules) => next = next.under(&rules),
            Board::Komi(points) => next.rules = with_words(&next.rules, &format!("komi={points}")),
            Board::Play { side, text } => {
                next.skip_to(side, self.player.side_to_move());
                next.moves.push(text);
                refusal = Some("illegal move");
            }
            Board::Undo => {
                if !next.undo() {
                    return self.output.fault("cannot undo");
                }
            }
            Board::Clear => {
                self.player.new_game();
                next = Place { rules: next.rules, ..Place::default() };
            }
            Board::Place { .. } => return self.output.fault("stones cannot be placed"),
        }
        match self.player.set_position(&next.rules, next.start.as_deref(), &next.moves) {
            Ok(()) => {
                self.place = next;
                self.output.say(&[Reply::Done]);
            }
            Err(error) => match refusal {
                Some(words) => {
                    tracing::info!("{error}");
                    self.output.fault(words);
                }
                None => self.output.fault(error),
            },
        }
    }

    fn go(&mut self, id: u64, go: &Go, since: Instant) {
        if go.solve {
            return self.solve(id, go, since);
        }
        for text in go.only.iter().filter(|text| !self.player.is_move(text)) {
            self.output.fault(format_args!("{text} is no legal move here and is left out"));
        }
        if let Some(side) = go.side {
            let mut next = self.place.clone();
            next.skip_to(side, self.player.side_to_move());
            if next.moves.len() > self.place.moves.len() {
                match self.player.set_position(&next.rules, next.start.as_deref(), &next.moves) {
                    Ok(()) => self.place = next,
                    Err(error) => return self.output.fault(error),
                }
            }
        }
        let mut limits = go.limits.clone();
        limits.clock = limits.clock.or(self.clocks);
        let show_wdl = self.options.show_wdl;
        // Where a protocol names the mover (GTP) no search is endless: the player has limits of its own.
        let is_limited = is_limited(&limits) || go.side.is_some();
        let mut watch = Live { output: self.output, control: self.control, id, since, show_wdl, is_limited };
        let report = self.player.go(&limits, &go.only, &mut watch);
        if self.debug {
            self.tell_counts();
        }
        if (limits.infinite || limits.ponder) && !self.output.is_broken() {
            self.control.hold(id, limits.infinite);
        }
        // Done before it is said: what the runner sends after the answer is not taken for a word during the search.
        self.control.finish(id);
        self.output.say(&[Reply::Best { choice: report.choice.clone(), ponder: report.ponder }]);
        if let (true, Some(Choice::Play(mv))) = (go.commit, report.choice) {
            self.place.moves.push(mv);
            self.sit();
        }
    }

    /// Looks for a mate. There is an answer as soon as one is known, with `infinite`, too.
    fn solve(&mut self, id: u64, go: &Go, since: Instant) {
        let show_wdl = self.options.show_wdl;
        let is_limited = is_limited(&go.limits);
        let mut watch = Live { output: self.output, control: self.control, id, since, show_wdl, is_limited };
        let answer = self.player.solve(&go.limits, &mut watch);
        self.control.finish(id);
        self.output.say(&[Reply::Mate(answer)]);
    }

    /// Puts the player at its place again.
    fn sit(&mut self) {
        let Place { rules, start, moves, .. } = &self.place;
        let _ = self.player.set_position(rules, start.as_deref(), moves);
    }

    fn tell_counts(&self) {
        let counts = self.player.counts();
        let remarks = counts.iter().map(|(name, probes, hits)| {
            let share = 100.0 * *hits as f64 / (*probes).max(1) as f64;
            Reply::Info(Info::remark(format!("{name}: {hits} of {probes} probes hit ({share:.1} %)")))
        });
        self.output.say(&remarks.collect::<Vec<_>>());
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
            Ask::FinalStatus(status) if status == "dead" => match self.player.dead() {
                Some(points) => points.join(" "),
                None => return self.output.fault("this game has no dead stones"),
            },
            _ => return self.output.fault("this engine cannot answer that"),
        };
        self.output.say(&[Reply::Text(text)]);
    }
}

/// A running search as the player sees the world.
struct Live<'a> {
    output: &'a Output<'a>,
    control: &'a Control,
    id: u64,
    since: Instant,
    show_wdl: bool,
    is_limited: bool,
}

/// Whether a search ends by itself.
fn is_limited(limits: &Limits) -> bool {
    let any = limits.depth.is_some() || limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
    any && !limits.infinite && !limits.ponder
}

impl Watch<String> for Live<'_> {
    fn signal(&mut self) -> Signal {
        let alone = self.output.is_broken() || self.control.is_ended() && !self.is_limited;
        if alone { Signal::Stop } else { self.control.signal(self.id) }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        self.output.say(&print::infos(report, self.show_wdl));
    }
}

/// The words of a panic.
fn words_of(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_string();
    }
    panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "unknown".to_string())
}
