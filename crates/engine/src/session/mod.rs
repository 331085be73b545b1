//! A session: commands in, the player driven, replies out.
//!
//! Two threads. The caller's reads lines and answers at once what must not wait: `stop`, `ponderhit`, and whether the
//! engine is alive (`isready`) while it thinks. Everything else goes to the thinking thread, which owns the player and
//! works in the order of the commands. So nothing has to be refused during a search: a position or an option that comes
//! while the engine thinks holds from the end of that search on, and a second `go` is answered after the first. `stop`
//! and `ponderhit` hold for all searches asked for before them; without any they do nothing.
//!
//! Every `go` gets exactly one `bestmove`. With `infinite` it is held back until `stop`, with `ponder` until `stop` or
//! `ponderhit`, even if the search has long ended. A `go` with a fault tells it and is answered all the same.
//!
//! An input that ends with its last line was a script: searches that would wait for an order are stopped, and those of GTP
//! by a clock; others with a limit and questions come to their end (`printf '…' | engine` works), and the session ends. An input that ends
//! later, while the engine thinks, was a runner that has gone: everything stops at once, as at `quit`. A runner that reads
//! no more (a broken pipe) ends the session, too.

mod control;
mod host;
mod output;
mod place;
mod print;
mod search;
mod worker;

use crate::Player;
use control::Control;
use crossbeam_channel::{Sender, unbounded};
use output::Output;
use std::{
    io::{self, BufRead, Read, Write},
    thread,
    time::{Duration, Instant},
};
use tesuji_options::{Joined, OptionError, Options, Spec, options};
use tesuji_protocol::{Ask, Command, EngineEnd, ProtocolError, Reply};
use worker::{Job, Worker};

pub use host::Host;
pub(crate) use place::SKIP;

options! {
    /// Options of a session about the output and use of a search's results, whatever the engine.
    pub struct SessionOptions {
        /// Whether the runner may let the engine think on the opponent's time. The engine needs no preparation.
        ponder: bool = false, "Ponder";
        /// Tell chances to win, draw and lose with each line, in thousandths.
        show_wdl: bool = false, "UCI_ShowWDL";
    }
}

/// The name, version and author that the engine reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its authors.
    pub author: String,
}

/// Searches a fixed set of positions and reports, until told to stop.
pub type Bench = Box<dyn FnMut(&mut dyn Player, &dyn Fn() -> bool) -> String + Send>;

/// A player joined to a protocol.
///
/// # Examples
/// ```
/// use tesuji_engine::{Identity, SearchPlayer, Session};
/// use tesuji_protocol::uci::UciEngine;
/// use tesuji_search::alpha_beta::AlphaBeta;
/// use tesuji_testkit::four::{Four, FourEval, FourPosition};
/// let search = AlphaBeta::<FourPosition, FourEval>::new(FourEval::default());
/// let player = Box::new(SearchPlayer::<Four, _>::new(search));
/// let identity = Identity { name: "Drop".into(), version: "1".into(), author: "nobody".into() };
/// let mut said = Vec::new();
/// let input = "position startpos moves 4 1 4 1 4 1\ngo depth 2\n";
/// Session::new(player, Box::new(UciEngine), identity).run(input.as_bytes(), &mut said).unwrap();
/// assert!(String::from_utf8(said).unwrap().contains("\nbestmove 4"));
/// ```
pub struct Session {
    player: Box<dyn Player>,
    end: Box<dyn EngineEnd>,
    identity: Identity,
    options: SessionOptions,
    bench: Option<Bench>,
    expert: bool,
    host: Option<Box<dyn Host>>,
    script_gap: Duration,
}

/// Between the last line of a script and the end of the input lies at most this: whatever writes them has written both.
const SCRIPT_GAP: Duration = Duration::from_secs(1);
/// The longest line that is read; a position with 10,000 moves has 60,000 bytes.
const LINE_BYTES_MAX: u64 = 1 << 22;
/// Stack of the thinking thread: mates of a thousand plies are searched and walked through by recursion.
const STACK_BYTES: usize = 64 << 20;

impl Session {
    /// A session of `player` over the protocol of `end`.
    pub fn new(player: Box<dyn Player>, end: Box<dyn EngineEnd>, identity: Identity) -> Session {
        Session {
            player,
            end,
            identity,
            options: SessionOptions::default(),
            bench: None,
            expert: false,
            host: None,
            script_gap: SCRIPT_GAP,
        }
    }

    /// Sets the time after the last line within which the end of input means a script, whose searches are finished; one second by
    /// default.
    pub fn with_script_gap(mut self, gap: Duration) -> Session {
        self.script_gap = gap;
        self
    }

    /// Gives the session something to do for `bench`.
    pub fn with_bench(mut self, bench: Bench) -> Session {
        self.bench = Some(bench);
        self
    }

    /// Gives the session a machine to ask for files and processor time.
    pub fn with_host(mut self, host: Box<dyn Host>) -> Session {
        self.host = Some(host);
        self
    }

    /// Offers experts' options to the runner, too. They can be set either way.
    pub fn with_expert_options(mut self, expert: bool) -> Session {
        self.expert = expert;
        self
    }

    /// All options: the player's and the session's.
    pub fn specs(&mut self) -> Vec<Spec> {
        all_options(self.player.as_mut(), &mut self.options).specs()
    }

    /// Sets an option before the session runs, by our name or the protocol's.
    ///
    /// # Errors
    /// When there is no such option or it does not take the value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        all_options(self.player.as_mut(), &mut self.options).set(self.end.option_name(name), value)
    }

    /// Runs until `quit` or the end of the input, and returns when the last search has answered.
    ///
    /// # Errors
    /// When reading fails, or writing does, as on a full disk; a reader that has gone is none.
    pub fn run(self, mut input: impl BufRead, mut output: impl Write + Send) -> io::Result<()> {
        let Session { player, mut end, identity, options, bench, expert, host, script_gap } = self;
        let output = Output::new(end.as_mut(), &mut output);
        let control = Control::default();
        let (jobs, inbox) = unbounded();
        let read = thread::scope(|scope| {
            let worker = Worker::new(player, options, identity, bench, &output, &control);
            let worker = worker.offering(expert).with_host(host);
            let thread = thread::Builder::new().name("engine".into()).stack_size(STACK_BYTES);
            thread.spawn_scoped(scope, move || worker.run(&inbox))?;
            let ended = read_commands(&mut input, &output, &control, &jobs, script_gap);
            match ended {
                Ok(Ended::Input) => control.end(),
                _ => control.abort(),
            }
            drop(jobs);
            ended.map(|_| ())
        });
        output.take_failure().map_or(read, Err)
    }
}

/// The end of reading input.
#[derive(PartialEq, Eq)]
enum Ended {
    /// There is no more input: what was asked is still answered.
    Input,
    /// `quit`, or the runner has gone.
    Quit,
}

/// Reads commands until there are no more, gives orders and hands out the rest.
fn read_commands(
    input: &mut impl BufRead,
    output: &Output,
    control: &Control,
    jobs: &Sender<Job>,
    script_gap: Duration,
) -> io::Result<Ended> {
    let mut bytes = Vec::new();
    let mut analysis = None;
    let mut since = Instant::now();
    while !output.is_broken() {
        bytes.clear();
        if input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut bytes)? == 0 {
            let is_script = since.elapsed() <= script_gap;
            return Ok(if is_script { Ended::Input } else { Ended::Quit });
        }
        since = Instant::now();
        if let Some(id) = analysis.take() {
            control.cut(id);
        }
        let is_cut = bytes.len() as u64 == LINE_BYTES_MAX && !bytes.ends_with(b"\n");
        if is_cut {
            skip_line(input)?;
        }
        let command = match output.read(&String::from_utf8_lossy(&bytes)) {
            Ok(Some(command)) if is_cut => {
                if matches!(command, Command::Board(_)) {
                    refuse(jobs, TOO_LONG);
                }
                refused(command)
            }
            Ok(Some(command)) => command,
            Ok(None) => continue,
            Err(_) if is_cut => Command::Say(Reply::Fault(TOO_LONG.to_string())),
            Err(error) => {
                if error.is_of_position() {
                    refuse(jobs, &error);
                }
                output.fault(error);
                continue;
            }
        };
        let mut next = Some(command);
        while let Some(command) = next {
            if let Some(ended) = hand_out(command, output, control, jobs, &mut analysis, since) {
                return Ok(ended);
            }
            next = output.next_command();
        }
    }
    Ok(Ended::Quit)
}

/// Gives an order, or hands a command to the thinking thread; the end of the session if this is one.
fn hand_out(
    command: Command,
    output: &Output,
    control: &Control,
    jobs: &Sender<Job>,
    analysis: &mut Option<u64>,
    since: Instant,
) -> Option<Ended> {
    let job = match command {
        Command::Quit if output.is_orderly() => {
            return Some(if jobs.send(Job::Plain(command)).is_ok() { Ended::Input } else { Ended::Quit });
        }
        Command::Quit => return Some(Ended::Quit),
        Command::Stop => {
            control.stop();
            return None;
        }
        Command::PonderHit => {
            control.ponder_hit();
            return None;
        }
        Command::Sync if control.is_working() => {
            output.say(&[Reply::Ready]);
            return None;
        }
        Command::Go(go) => {
            let id = control.ask();
            *analysis = search::is_cut_short(&go).then_some(id);
            Job::Go { id, go, since }
        }
        Command::Ask(ask @ (Ask::Perft(_) | Ask::Bench)) => Job::Long { id: control.ask(), ask },
        command => Job::Plain(command),
    };
    if jobs.send(job).is_err() { Some(Ended::Quit) } else { None }
}

/// The error for a line that was cut off.
const TOO_LONG: ProtocolError = ProtocolError::TooLong { bytes_max: LINE_BYTES_MAX };

/// The command in place of a line of which only the beginning was read: an error is reported, and a `go` is still answered.
fn refused(command: Command) -> Command {
    match command {
        Command::Go(go) => Command::Go(go.at_once(TOO_LONG)),
        _ => Command::Say(Reply::Fault(TOO_LONG.to_string())),
    }
}

/// Tells the thinking thread, in its turn, that the position which the runner set cannot be read.
fn refuse(jobs: &Sender<Job>, why: impl ToString) {
    // Nobody takes it where the session ends.
    let _ = jobs.send(Job::Refuse(why.to_string()));
}

/// Reads on to the end of the line without keeping it.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let (used, ended) = match bytes.iter().position(|&b| b == b'\n') {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        input.consume(used);
        if ended {
            return Ok(());
        }
    }
}

/// All options of a session: the player's, then its own.
fn all_options<'a>(player: &'a mut dyn Player, own: &'a mut SessionOptions) -> Joined<'a> {
    Joined::new(vec![player.options(), Box::new(own)])
}
