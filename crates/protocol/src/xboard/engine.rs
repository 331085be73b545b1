//! The engine's end of XBoard's protocol.

use super::{castling::Placement, level::Level, thinking::write_thinking};
use crate::{
    BoardCommand, Command, EngineEnd, Go, Info, Offer, OfferKind, ProtocolError, Reply,
    words::{Words, one_line, push_line},
};
use std::collections::VecDeque;
use std::fmt::Write;
use tesuji_game::{Choice, Limits, Side};

/// Chess960, as rules name it.
const CHESS960: &str = "chess960";

/// Announced before the options; what is not named has the standard's default.
const FEATURES: &str = "feature done=0 ping=1 setboard=1 playother=1 san=0 usermove=1 time=1 draw=0 sigint=0 sigterm=0 \
    reuse=1 analyze=1 colors=0 variants=\"normal,fischerandom\" memory=1 smp=1 debug=1\n";

/// The engine's end of XBoard's protocol, version 2. It keeps the game, the clocks, and whether the engine plays.
///
/// # Examples
/// ```
/// use tesuji_protocol::{BoardCommand, Command, EngineEnd, Reply, xboard::XboardEngine};
/// use tesuji_game::Choice;
/// let mut end = XboardEngine::default();
/// // The engine answers each move by itself: one line, two commands.
/// let (start, moves) = (None, vec!["e2e4".to_string()]);
/// assert_eq!(end.read("usermove e2e4"), Ok(Some(Command::Board(BoardCommand::Set { start, moves }))));
/// assert!(matches!(end.next_command(), Some(Command::Go(_))));
/// let mut out = String::new();
/// end.write(&Reply::Done, &mut out);
/// end.write(&Reply::Best { choice: Some(Choice::Play("e7e5".into())), ponder: None }, &mut out);
/// assert_eq!(out, "move e7e5\n");
/// ```
#[derive(Debug, Clone, Default)]
pub struct XboardEngine {
    is_chess960: bool,
    start: Option<String>,
    moves: Vec<String>,
    /// Whether the engine plays neither side.
    is_forced: bool,
    is_analysing: bool,
    /// Whether thinking is not shown.
    is_quiet: bool,
    level: Level,
    /// Commands of the last line behind the first.
    commands: VecDeque<Command>,
    /// What waits for replies, in order.
    waiting: VecDeque<Waiting>,
}

/// A command that waits for its reply.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Waiting {
    /// One that is done or refused; the line that refusals name.
    Plain(String),
    /// A position behind this move of the opponent.
    Move(String),
    /// A search, and whether its move is wanted.
    Search { is_wanted: bool },
}

impl EngineEnd for XboardEngine {
    fn name(&self) -> &'static str {
        "xboard"
    }

    fn read(&mut self, line: &str) -> Result<Option<Command>, ProtocolError> {
        let line = one_line(line);
        let mut words = Words::new(&line);
        let Some(word) = words.next() else { return Ok(None) };
        self.obey(word, words, line.trim());
        Ok(self.commands.pop_front())
    }

    fn next_command(&mut self) -> Option<Command> {
        self.commands.pop_front()
    }

    fn write(&mut self, reply: &Reply, out: &mut String) {
        match reply {
            Reply::Name(name) => {
                let _ = writeln!(out, "{FEATURES}feature myname=\"{}\"", name.replace('"', "'"));
            }
            Reply::Option(offer) => write_option(offer, out),
            Reply::Welcome => out.push_str("feature done=1\n"),
            Reply::Done => drop(self.waiting.pop_front()),
            Reply::Fault(text) => self.write_fault(text, out),
            Reply::Info(info) => self.write_info(info, out),
            Reply::Best { choice, .. } => self.write_best(choice.as_ref(), out),
            Reply::Text(text) => {
                for line in text.lines() {
                    push_line(out, line);
                    out.push('\n');
                }
            }
            Reply::OfferDraw => out.push_str("offer draw\n"),
            Reply::Author(_) | Reply::Ready | Reply::Analysis(_) | Reply::Analysed(_) | Reply::Mate(_) => {}
        }
    }

    fn help(&self) -> &'static str {
        HELP
    }
}

/// The answer to `help`.
const HELP: &str = "\
This engine speaks XBoard's protocol; usually a GUI or a match runner does the typing.
  protover 2                      who it is, and its options
  new, setboard FEN               set the board
  usermove e2e4, undo, remove     change it; where the engine plays, it answers a move
  force, go, playother            play neither side, the side to move, the other
  level MOVES BASE INC, st S, sd N, time CS, otim CS
  analyze, exit, ?, post, nopost, option NAME=VALUE, memory MIB, cores N, ping N
  quit";

impl XboardEngine {
    fn obey(&mut self, word: &str, mut words: Words, line: &str) {
        let rest = words.rest();
        match word {
            "protover" => self.commands.push_back(Command::Hello),
            "quit" => self.commands.push_back(Command::Quit),
            "new" => self.set_up(None, false, line),
            "variant" if rest == "normal" || rest == "fischerandom" => self.set_up(None, rest != "normal", line),
            "setboard" => self.set_up(Some(rest.to_string()), self.is_chess960, line),
            "force" | "result" => {
                self.drop_search();
                self.is_forced = true;
            }
            "go" => {
                self.drop_search();
                self.is_forced = false;
                self.send_board(Waiting::Plain(line.to_string()));
                self.search();
            }
            "playother" => {
                self.drop_search();
                self.is_forced = false;
            }
            "analyze" => {
                self.drop_search();
                self.is_analysing = true;
                self.send_board(Waiting::Plain(line.to_string()));
                self.search();
            }
            "exit" => {
                self.drop_search();
                (self.is_analysing, self.is_forced) = (false, true);
            }
            "usermove" => self.play(rest),
            "undo" => self.take_back(1, line),
            "remove" => self.take_back(2, line),
            "?" => self.commands.push_back(Command::Stop),
            "ping" => self.say(format!("pong {rest}")),
            "memory" => self.set("Hash", rest, line),
            "cores" => self.set("Threads", rest, line),
            "option" => {
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                self.set(name.trim(), value.trim(), line);
            }
            "post" => self.is_quiet = false,
            "nopost" => self.is_quiet = true,
            "help" => self.say(HELP.to_string()),
            _ if is_ignored(word) || word.starts_with('#') => {}
            _ if self.level.take(word, &mut words) => {}
            _ if is_move(word) => self.play(word),
            _ => self.say(format!("Error (unknown command): {line}")),
        }
    }

    fn say(&mut self, text: String) {
        self.commands.push_back(Command::Say(Reply::Text(text)));
    }

    /// Sends a command that is answered once.
    fn send(&mut self, command: Command, waiting: Waiting) {
        self.commands.push_back(command);
        self.waiting.push_back(waiting);
    }

    fn set(&mut self, name: &str, value: &str, line: &str) {
        let (name, value) = (name.to_string(), value.to_string());
        self.send(Command::Set { name, value }, Waiting::Plain(line.to_string()));
    }

    /// Begins a new game, or one from `start`, which leaves open who plays.
    fn set_up(&mut self, start: Option<String>, is_chess960: bool, line: &str) {
        self.drop_search();
        if start.is_none() {
            self.is_forced = false;
            self.level.begin();
            self.send(Command::NewGame, Waiting::Plain(line.to_string()));
        }
        if is_chess960 != self.is_chess960 {
            let rules = if is_chess960 { CHESS960 } else { "" };
            self.send(Command::Board(BoardCommand::Rules(rules.to_string())), Waiting::Plain(line.to_string()));
        }
        (self.is_chess960, self.start) = (is_chess960, start);
        self.moves.clear();
        self.send_board(Waiting::Plain(line.to_string()));
        self.search_if(self.is_analysing);
    }

    /// Sends the game so far.
    fn send_board(&mut self, waiting: Waiting) {
        let (start, moves) = (self.start.clone(), self.moves.clone());
        self.send(Command::Board(BoardCommand::Set { start, moves }), waiting);
    }

    /// Plays a move of the opponent.
    fn play(&mut self, text: &str) {
        self.drop_search();
        let mv = self.placement().map_or_else(|| text.to_string(), |placement| placement.to_uci(text));
        self.moves.push(mv);
        self.send_board(Waiting::Move(text.to_string()));
        self.search_if(!self.is_forced || self.is_analysing);
    }

    fn take_back(&mut self, plies: usize, line: &str) {
        self.drop_search();
        if self.moves.len() < plies {
            return self.say(format!("Error (no move to take back): {line}"));
        }
        self.moves.truncate(self.moves.len() - plies);
        self.send_board(Waiting::Plain(line.to_string()));
        self.search_if(self.is_analysing);
    }

    fn search_if(&mut self, is_wanted: bool) {
        if is_wanted {
            self.search();
        }
    }

    fn search(&mut self) {
        let limits = match self.is_analysing {
            true => Limits { infinite: true, ..Limits::default() },
            false => self.level.limits(self.mover(), self.moves.len()),
        };
        let is_wanted = !self.is_analysing;
        self.send(Command::Go(Go { limits, ..Go::default() }), Waiting::Search { is_wanted });
    }

    /// Stops a search whose move nobody wants any more.
    fn drop_search(&mut self) {
        for waiting in &mut self.waiting {
            if let Waiting::Search { is_wanted } = waiting {
                *is_wanted = false;
                self.commands.push_back(Command::Stop);
            }
        }
    }

    /// The side to move.
    fn mover(&self) -> Side {
        let is_blacks = self.start.as_ref().is_some_and(|fen| fen.split_whitespace().nth(1) == Some("b"));
        if is_blacks == self.moves.len().is_multiple_of(2) { Side::Second } else { Side::First }
    }

    /// The placement of pieces, which has to be known in Chess960 alone.
    fn placement(&self) -> Option<Placement> {
        self.is_chess960.then(|| Placement::after(self.start.as_deref(), &self.moves)).flatten()
    }

    fn write_fault(&mut self, text: &str, out: &mut String) {
        let text = text.replace(['\n', '\r'], " ");
        let _ = match self.waiting.front() {
            Some(Waiting::Move(mv)) => writeln!(out, "Illegal move ({text}): {mv}"),
            Some(Waiting::Plain(line)) => writeln!(out, "Error ({text}): {line}"),
            // It has no move: what led to that was told.
            Some(Waiting::Search { .. }) | None => writeln!(out, "# {text}"),
        };
        match self.waiting.front() {
            Some(Waiting::Move(_)) => {
                self.moves.pop();
                self.waiting.pop_front();
            }
            Some(Waiting::Plain(_)) => drop(self.waiting.pop_front()),
            _ => {}
        }
    }

    fn write_info(&self, info: &Info, out: &mut String) {
        let is_dropped =
            !self.is_analysing && matches!(self.waiting.front(), Some(Waiting::Search { is_wanted: false }));
        if self.is_quiet || is_dropped {
            return;
        }
        match &info.text {
            Some(text) => {
                out.push_str("# ");
                push_line(out, text);
                out.push('\n');
            }
            None => write_thinking(info, out),
        }
    }

    fn write_best(&mut self, choice: Option<&Choice<String>>, out: &mut String) {
        let waiting = self.waiting.pop_front();
        if waiting != Some(Waiting::Search { is_wanted: true }) {
            return;
        }
        match choice {
            Some(Choice::Play(mv)) => {
                out.push_str("move ");
                let text = self.placement().map_or_else(|| mv.clone(), |placement| placement.to_xboard(mv));
                push_line(out, &text);
                out.push('\n');
                self.moves.push(mv.clone());
            }
            Some(Choice::Resign) => out.push_str("resign\n"),
            Some(Choice::Claim) | None => {}
        }
    }
}

/// Words of the standard that need no answer here.
fn is_ignored(word: &str) -> bool {
    let words = "xboard accepted rejected random white black hard easy draw hint bk ics name computer rating pause resume \
        edit . nps egtpath setscore lift put hover";
    words.split_whitespace().any(|known| known == word)
}

/// Whether a word looks like a move: `e2e4`, `e7e8q`, `O-O`.
fn is_move(word: &str) -> bool {
    let is_square = |at: usize| {
        let square = word.as_bytes().get(at..at + 2);
        square.is_some_and(|s| (b'a'..=b'h').contains(&s[0]) && (b'1'..=b'8').contains(&s[1]))
    };
    matches!(word, "O-O" | "O-O-O") || (word.len() <= 5 && is_square(0) && is_square(2))
}

/// Offers an option; the standard has words of its own for memory and threads.
fn write_option(offer: &Offer, out: &mut String) {
    if matches!(offer.name.as_str(), "Hash" | "Threads") {
        return;
    }
    let plain = |text: &str| text.replace(['"', '\n', '\r'], " ");
    let kind = match &offer.kind {
        OfferKind::Spin { default, min, max } => format!("-spin {default} {min} {max}"),
        OfferKind::Check { default } => format!("-check {}", u8::from(*default)),
        OfferKind::Text { default } => format!("-string {}", plain(default)),
        OfferKind::File { default } => format!("-file {}", plain(default)),
        OfferKind::Combo { default, among } => {
            let word = |word: &String| format!("{}{}", if word == default { "*" } else { "" }, plain(word));
            format!("-combo {}", among.iter().map(word).collect::<Vec<_>>().join(" /// "))
        }
        OfferKind::Button => "-button".to_string(),
    };
    let _ = writeln!(out, "feature option=\"{} {}\"", plain(&offer.name), kind.trim_end());
}
