//! The runner's end of GTP.

use super::{OPTION, POSITION, analysis::Manner, analysis_reader, cleaned, clocks, colour};
use crate::{Ask, BoardCommand, Command, Go, ProtocolError, Reply, RunnerEnd, Stream};
use std::{collections::VecDeque, fmt::Write};
use tesuji_game::{Choice, Clock, Side};

/// KataGo's command for clocks: anyone who knows it takes fractions of seconds, in `time_left`, too.
const KATA: &str = "kata-time_settings";

/// The runner's end of GTP.
///
/// [`BoardCommand::Set`] is turned into the `play` and `undo` that lead there from what stands on the engine's board; it goes
/// out with the next command that needs it, when it is known who moves. Options are tried as commands of their name.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::{Command, Reply, RunnerEnd, gtp::GtpRunner};
/// let mut end = GtpRunner::default();
/// let mut out = String::new();
/// end.write(&Command::Hello, &mut out);
/// assert_eq!(out, "1 protocol_version\n2 version\n3 name\n4 list_commands\n");
/// for line in ["=1 2", "", "=2 1.0", "", "=3 Demo", "", "=4 play", "genmove", ""] {
///     end.read(line).unwrap();
/// }
/// assert!(end.knows("genmove") && !end.knows("undo"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct GtpRunner {
    id: u32,
    open: VecDeque<Open>,
    known: Vec<String>,
    version: String,
    answer: Option<Answer>,
    start: Option<String>,
    moves: Vec<String>,
    change: Option<Change>,
    is_clock_set: bool,
    /// Whether Second made the first move of `moves`, as far as is known.
    second_begins: bool,
    /// Stones that Black has before the game, at the traditional places.
    handicap: u32,
    /// The number of playouts that it was told.
    playouts: Option<u64>,
}

/// A command that waits for its answer.
#[derive(Debug, Clone)]
struct Open {
    id: u32,
    kind: Kind,
    /// The command, for words about its failure.
    text: String,
}

/// The command that an answer belongs to, which decides its reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It must not fail.
    Plain,
    /// It may fail.
    Optional,
    Name,
    Version,
    Commands,
    Ready,
    /// Its text is the reply.
    Ask,
    /// It is a move, which the engine has played itself.
    Move {
        commit: bool,
    },
    /// It is an analysis: lines without end, until the next command.
    Analysis(Manner),
}

/// An answer of which lines are still to come.
#[derive(Debug, Clone)]
struct Answer {
    failed: bool,
    id: Option<u32>,
    text: String,
    /// Whether its lines are those of an analysis, each told when it comes.
    manner: Option<Manner>,
}

/// The difference between the board of the engine and the one wanted.
#[derive(Debug, Clone)]
struct Change {
    restart: Option<Option<String>>,
    undo: usize,
    tail: Vec<String>,
}

impl RunnerEnd for GtpRunner {
    fn write(&mut self, command: &Command, out: &mut String) {
        match command {
            Command::Hello => {
                self.say(Kind::Optional, "protocol_version", out);
                self.say(Kind::Version, "version", out);
                self.say(Kind::Name, "name", out);
                self.say(Kind::Commands, "list_commands", out);
            }
            Command::Set { name, value } if self.knows(OPTION) => {
                self.say(Kind::Plain, &format!("{OPTION} {name}={value}"), out);
            }
            Command::Set { name, value } => self.say(Kind::Plain, format!("{name} {value}").trim(), out),
            Command::Sync => self.say(Kind::Ready, "protocol_version", out),
            Command::NewGame => self.clear(out),
            Command::Board(board) => self.write_board(board, out),
            Command::Go(go) => self.write_go(go, out),
            Command::Clock { side, clock } => self.write_clock(*side, clock.as_ref(), out),
            Command::Ask(ask) => {
                self.change_board(None, out);
                self.write_ask(ask, out);
            }
            Command::Quit => self.say(Kind::Plain, "quit", out),
            // Any command ends an analysis; other searches cannot be stopped.
            Command::Stop if self.is_analysing() => self.say(Kind::Optional, "protocol_version", out),
            Command::Debug(_)
            | Command::Stop
            | Command::PonderHit
            | Command::GameOver(_)
            | Command::OfferDraw
            | Command::Ponder(_)
            | Command::Say(_) => {}
        }
    }

    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError> {
        let text: String = line.chars().filter(|c| *c == '\t' || !c.is_control()).collect();
        let text = text.trim_end();
        match &mut self.answer {
            Some(Answer { manner: Some(manner), .. }) if !text.is_empty() => {
                Ok(analysis_reader::read(text, *manner).map(|told| Reply::Analysed(Box::new(told))))
            }
            Some(answer) if !text.is_empty() => {
                if !answer.text.is_empty() {
                    answer.text.push('\n');
                }
                answer.text.push_str(text);
                Ok(None)
            }
            Some(_) => Ok(self.answer.take().and_then(|answer| self.finish(answer))),
            None => {
                let Some(rest) = text.strip_prefix(['=', '?']) else {
                    let text = cleaned(text);
                    return Ok((!text.is_empty()).then_some(Reply::Text(text)));
                };
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                let (id, rest) = rest.split_at(digits);
                let (failed, id) = (text.starts_with('?'), id.parse().ok());
                let manner = if failed { None } else { self.manner_of(id) };
                self.answer = Some(Answer { failed, id, text: rest.trim().to_string(), manner });
                Ok(None)
            }
        }
    }

    fn tells_options(&self) -> bool {
        false
    }

    fn tells_search(&self) -> bool {
        false
    }

    fn refuses(&self) -> bool {
        true
    }

    fn streams(&self) -> bool {
        self.analysing_command().is_some()
    }

    fn may_answer(&self, ask: &Ask) -> bool {
        match ask {
            Ask::FinalScore => self.may_know("final_score"),
            Ask::FinalStatus(_) => self.may_know("final_status_list"),
            _ => false,
        }
    }
}

impl GtpRunner {
    /// Whether the engine said that it knows this command.
    pub fn knows(&self, command: &str) -> bool {
        self.known.iter().any(|k| k == command)
    }

    /// Whether it is worth trying.
    fn may_know(&self, command: &str) -> bool {
        self.known.is_empty() || self.knows(command)
    }

    /// The command by which it analyses: KataGo's, which tells more, or Leela Zero's.
    fn analysing_command(&self) -> Option<(&'static str, Manner)> {
        let known = [("kata-analyze", Manner::Kata), ("lz-analyze", Manner::Leela)];
        known.into_iter().find(|(command, _)| self.knows(command))
    }

    /// Whether an analysis was asked for and has not ended.
    fn is_analysing(&self) -> bool {
        self.open.iter().any(|open| matches!(open.kind, Kind::Analysis(_)))
    }

    /// The manner of the analysis that the command `id` is, or the oldest one without an answer.
    fn manner_of(&self, id: Option<u32>) -> Option<Manner> {
        let open = match id {
            Some(id) => self.open.iter().find(|open| open.id == id),
            None => self.open.front(),
        };
        match open?.kind {
            Kind::Analysis(manner) => Some(manner),
            _ => None,
        }
    }

    fn say(&mut self, kind: Kind, text: &str, out: &mut String) {
        self.id = self.id.wrapping_add(1);
        let text = cleaned(text);
        let _ = writeln!(out, "{} {text}", self.id);
        self.open.push_back(Open { id: self.id, kind, text });
    }

    fn clear(&mut self, out: &mut String) {
        self.say(Kind::Plain, "clear_board", out);
        self.moves.clear();
        (self.start, self.change, self.is_clock_set) = (None, None, false);
        self.second_begins = self.handicap > 0;
        if self.handicap > 0 {
            self.say(Kind::Plain, &format!("fixed_handicap {}", self.handicap), out);
        }
    }

    fn write_board(&mut self, board: &BoardCommand, out: &mut String) {
        match board {
            BoardCommand::Set { start, moves } => {
                let common = self.moves.iter().zip(moves).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
                let is_other = *start != self.start;
                self.change = Some(Change {
                    restart: is_other.then(|| start.clone()),
                    undo: self.moves.len() - common,
                    tail: moves[if is_other { 0 } else { common }..].to_vec(),
                });
                return;
            }
            BoardCommand::Rules(rules) => return self.write_rules(rules, out),
            BoardCommand::Clear => return self.clear(out),
            BoardCommand::Komi(points) => return self.say(Kind::Plain, &format!("komi {points}"), out),
            _ => {}
        }
        self.change_board(None, out);
        match board {
            BoardCommand::Play { side, text } => {
                self.say(Kind::Plain, &format!("play {} {text}", colour(*side)), out);
                self.second_begins = (*side == Side::Second) == self.moves.len().is_multiple_of(2);
                self.moves.push(text.clone());
            }
            BoardCommand::Place { points, .. } => {
                self.say(Kind::Plain, &format!("set_free_handicap {}", points.join(" ")), out);
            }
            BoardCommand::Undo => {
                self.say(Kind::Plain, "undo", out);
                self.moves.pop();
            }
            BoardCommand::Load { file, before } => {
                let before = before.map_or_else(String::new, |n| format!(" {n}"));
                self.say(Kind::Plain, &format!("loadsgf {file}{before}"), out);
            }
            _ => {}
        }
    }

    /// `size=9 komi=7.5 rules=chinese` or `9x9 chinese komi 7.5 handicap 2`; words that the engine has no command for are
    /// left out.
    fn write_rules(&mut self, rules: &str, out: &mut String) {
        let mut words = rules.split(|c: char| c.is_whitespace() || c == '=').filter(|word| !word.is_empty());
        let (mut size, mut komi, mut name) = (None, None, None);
        self.handicap = 0;
        while let Some(word) = words.next() {
            match word {
                "komi" => komi = words.next(),
                "handicap" => self.handicap = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
                "size" => size = words.next(),
                "rules" => name = words.next(),
                _ if word.starts_with(|c: char| c.is_ascii_digit()) => size = Some(word),
                "ko" | "scoring" | "tax" | "suicide" | "bonus" | "button" => drop(words.next()),
                _ => name = Some(word),
            }
        }
        match size.map(|size| size.split_once('x').unwrap_or((size, size))) {
            Some((width, height)) if width == height => self.say(Kind::Plain, &format!("boardsize {width}"), out),
            Some((width, height)) => self.say(Kind::Plain, &format!("rectangular_boardsize {width} {height}"), out),
            None => {}
        }
        if let Some(name) = name
            && self.knows("kata-set-rules")
        {
            self.say(Kind::Plain, &format!("kata-set-rules {name}"), out);
        }
        if let Some(points) = komi {
            self.say(Kind::Plain, &format!("komi {points}"), out);
        }
        self.moves.clear();
        (self.start, self.change) = (None, None);
        self.second_begins = false;
    }

    /// Brings the engine's board to where it should be. `mover`: who moves then; without a word the side that began so far.
    fn change_board(&mut self, mover: Option<Side>, out: &mut String) {
        let Some(mut change) = self.change.take() else { return };
        if change.restart.is_none() && change.undo > 0 && !self.may_know("undo") {
            let mut tail = self.moves[..self.moves.len() - change.undo].to_vec();
            tail.append(&mut change.tail);
            change = Change { restart: Some(self.start.clone()), undo: 0, tail };
        }
        match change.restart {
            Some(start) => {
                let (is_clock_set, handicap) = (self.is_clock_set, self.handicap);
                // A position is whole: its stones are no handicap.
                self.handicap = if start.is_some() { 0 } else { handicap };
                self.clear(out);
                (self.is_clock_set, self.handicap) = (is_clock_set, handicap);
                if let Some(text) = &start {
                    self.say(Kind::Plain, &format!("{POSITION} {text}"), out);
                }
                self.start = start;
            }
            None => {
                for _ in 0..change.undo {
                    self.say(Kind::Plain, "undo", out);
                    self.moves.pop();
                }
            }
        }
        let total = self.moves.len() + change.tail.len();
        let mover = mover.unwrap_or_else(|| self.mover_after(total));
        self.second_begins = (mover == Side::Second) == total.is_multiple_of(2);
        for text in change.tail {
            let is_movers = (total - self.moves.len()).is_multiple_of(2);
            let side = if is_movers { mover } else { !mover };
            self.say(Kind::Plain, &format!("play {} {text}", colour(side)), out);
            self.moves.push(text);
        }
    }

    /// The standard has no word for nodes, some engines do.
    fn write_playouts(&mut self, nodes: Option<u64>, out: &mut String) {
        let Some(nodes) = nodes.filter(|_| nodes != self.playouts) else { return };
        self.playouts = Some(nodes);
        if self.knows(OPTION) {
            self.say(Kind::Optional, &format!("{OPTION} Visits={nodes}"), out);
        } else if self.knows("kata-set-param") {
            self.say(Kind::Optional, &format!("kata-set-param maxVisits {nodes}"), out);
        }
    }

    /// The side to move after this many moves.
    fn mover_after(&self, moves: usize) -> Side {
        if moves.is_multiple_of(2) == self.second_begins { Side::Second } else { Side::First }
    }

    fn write_go(&mut self, go: &Go, out: &mut String) {
        self.change_board(go.side, out);
        let side = go.side.unwrap_or_else(|| self.mover_after(self.moves.len()));
        if let Some(stream) = go.stream
            && let Some((command, manner)) = self.analysing_command()
        {
            return self.write_analysis(command, manner, side, (go, stream), out);
        }
        self.write_playouts(go.limits.nodes, out);
        if let Some(pair) = &go.limits.clock {
            if !self.is_clock_set {
                self.write_clock(None, Some(&pair[side.index()]), out);
            }
            if self.may_know("time_left") {
                for side in Side::ALL {
                    let text = clocks::left(side, &pair[side.index()], self.knows(KATA));
                    self.say(Kind::Optional, &text, out);
                }
            }
        } else if let Some(time) = go.limits.move_time
            && !self.is_clock_set
            && self.may_know("time_settings")
        {
            self.is_clock_set = true;
            self.say(Kind::Optional, &clocks::settings_of_move_time(time, self.knows(KATA)), out);
        }
        let word = if go.commit { "genmove" } else { "reg_genmove" };
        self.say(Kind::Move { commit: go.commit }, &format!("{word} {}", colour(side)), out);
    }

    /// Asks for an analysis. It has no limits: it is stopped by the one who asked.
    fn write_analysis(
        &mut self,
        command: &str,
        manner: Manner,
        side: Side,
        (go, stream): (&Go, Stream),
        out: &mut String,
    ) {
        let mut text = format!("{command} {} {}", colour(side), (stream.every.as_millis() / 10).max(1));
        if manner == Manner::Kata {
            let _ = write!(text, " maxmoves {} rootInfo true ownership true pvVisits true", stream.lines.max(1));
        }
        for (word, moves) in [("allow", &go.only), ("avoid", &go.avoid)] {
            if !moves.is_empty() {
                let _ = write!(text, " {word} {} {} 1", colour(side), moves.join(","));
            }
        }
        self.say(Kind::Analysis(manner), &text, out);
    }

    fn write_clock(&mut self, side: Option<Side>, clock: Option<&Clock>, out: &mut String) {
        let text = match (side, clock) {
            (Some(side), Some(clock)) => clocks::left(side, clock, self.knows(KATA)),
            (None, Some(clock)) => clocks::settings(clock, self.knows("kgs-time_settings"), self.knows(KATA)),
            // No limit, in the standard's words.
            (None, None) => "time_settings 0 1 0".to_string(),
            (Some(_), None) => return,
        };
        self.is_clock_set = true;
        let word = text.split(' ').next().unwrap_or_default();
        if self.may_know(word) {
            self.say(Kind::Optional, &text, out);
        }
    }

    fn write_ask(&mut self, ask: &Ask, out: &mut String) {
        let text = match ask {
            Ask::Show => "showboard".to_string(),
            Ask::Explain => "explain".to_string(),
            Ask::Help => "help".to_string(),
            Ask::Name => "name".to_string(),
            Ask::Version => "version".to_string(),
            Ask::Commands => "list_commands".to_string(),
            Ask::Known(word) => format!("known_command {word}"),
            Ask::FinalScore => "final_score".to_string(),
            Ask::FinalStatus(status) => format!("final_status_list {status}"),
            Ask::Handicap { stones, fixed: true } => format!("fixed_handicap {stones}"),
            Ask::Handicap { stones, fixed: false } => format!("place_free_handicap {stones}"),
            Ask::ProcessorTime => "cputime".to_string(),
            Ask::RawNet(None) => "kata-raw-nn all".to_string(),
            Ask::RawNet(Some(symmetry)) => format!("kata-raw-nn {symmetry}"),
            Ask::Rules => "kata-get-rules".to_string(),
            Ask::Komi => "get_komi".to_string(),
            Ask::Parameters => "kata-list-params".to_string(),
            Ask::Parameter(name) => format!("kata-get-param {name}"),
            Ask::Owners | Ask::Bench | Ask::Perft(_) => return,
        };
        self.say(Kind::Ask, &text, out);
    }

    /// The reply that a whole answer is.
    fn finish(&mut self, answer: Answer) -> Option<Reply> {
        let at = match answer.id {
            Some(id) => self.open.iter().position(|open| open.id == id),
            None => (!self.open.is_empty()).then_some(0),
        };
        let Some(at) = at else { return Some(Reply::Text(answer.text)) };
        // Answers come in order: what was asked before and has none will have none.
        self.open.drain(..at);
        let open = self.open.pop_front()?;
        let Answer { failed, text, .. } = answer;
        match open.kind {
            Kind::Ready => Some(Reply::Ready),
            Kind::Commands => {
                if !failed {
                    self.known = text.split_whitespace().map(str::to_string).collect();
                }
                Some(Reply::Welcome)
            }
            Kind::Optional => None,
            Kind::Version => {
                self.version = if failed { String::new() } else { text };
                None
            }
            Kind::Name if failed => None,
            Kind::Name => Some(Reply::Name(format!("{text} {}", self.version).trim().to_string())),
            _ if failed => Some(Reply::Fault(format!("{}: {text}", open.text))),
            Kind::Plain => Some(Reply::Done),
            Kind::Ask => Some(Reply::Text(text)),
            Kind::Analysis(_) => Some(Reply::Best { choice: None, ponder: None }),
            Kind::Move { commit } => Some(self.best(text, commit)),
        }
    }

    fn best(&mut self, text: String, commit: bool) -> Reply {
        let mv = text.split_whitespace().next().unwrap_or_default().to_string();
        let choice = match mv.to_ascii_lowercase().as_str() {
            "" => None,
            "resign" => Some(Choice::Resign),
            _ => {
                if commit {
                    self.moves.push(mv.clone());
                }
                Some(Choice::Play(mv))
            }
        };
        Reply::Best { choice, ponder: None }
    }
}
