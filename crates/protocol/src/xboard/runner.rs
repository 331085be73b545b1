//! The runner's end of XBoard's protocol.

use super::{
    castling::Placement,
    edit::write_edit,
    features::{Feature, Features, split},
    thinking::{looks_like_thinking, read_thinking},
};
use crate::{
    BoardCommand, Command, Ending, Glance, Go, ProtocolError, Reply, RunnerEnd,
    words::{Words, one_line, push_line},
};
use std::{collections::VecDeque, fmt::Write, time::Duration};
use tesuji_game::{Choice, Clock, Side};

/// Chess960, as rules name it.
const CHESS960: &str = "chess960";

/// The runner's end of XBoard's protocol, version 2.
#[derive(Debug, Clone, Default)]
pub struct XboardRunner {
    features: Features,
    replies: VecDeque<Reply>,
    responses: String,
    variant: String,
    start: Option<String>,
    /// The moves on the engine's board.
    moves: Vec<String>,
    /// The opponent's move that makes the engine think, not sent yet.
    answer_to: Option<String>,
    /// Whether the engine answers each move; otherwise it only takes moves down.
    is_playing: bool,
    /// Whom it plays.
    side: Option<Side>,
    is_clock_set: bool,
    ponders: bool,
    pings: u32,
    /// The last move that was sent, as it was sent.
    last_sent: String,
}

impl RunnerEnd for XboardRunner {
    fn write(&mut self, command: &Command, out: &mut String) {
        match command {
            Command::Hello => out.push_str("xboard\nprotover 2\n"),
            Command::Set { name, value } => self.write_option(name, value, out),
            Command::Sync if self.features.ping => {
                self.pings = self.pings.wrapping_add(1);
                let _ = writeln!(out, "ping {}", self.pings);
            }
            Command::Sync => self.replies.push_back(Reply::Ready),
            Command::NewGame => self.write_new(None, out),
            Command::Board(board) => self.write_board(board, out),
            Command::Go(go) => self.write_go(go, out),
            Command::Stop => out.push_str("?\n"),
            Command::GameOver(ending) => self.write_ending(*ending, out),
            Command::OfferDraw if self.features.draw => out.push_str("draw\n"),
            Command::Ponder(on) => self.ponders = *on,
            Command::Quit => out.push_str("quit\n"),
            Command::OfferDraw
            | Command::Debug(_)
            | Command::PonderHit
            | Command::Clock { .. }
            | Command::Ask(_)
            | Command::Say(_) => {}
        }
    }

    fn read(&mut self, line: &str) -> Result<Option<Reply>, ProtocolError> {
        let line = one_line(line);
        let mut words = Words::new(&line);
        let Some(word) = words.next() else { return Ok(None) };
        Ok(match word {
            "feature" => {
                self.read_features(words.rest());
                self.replies.pop_front()
            }
            "pong" => (words.next() == Some(self.pings.to_string().as_str())).then_some(Reply::Ready),
            "move" => {
                let text = words.next().ok_or(ProtocolError::Missing { after: "move", expected: "a move" })?;
                Some(self.best(text))
            }
            "resign" => Some(best(Choice::Resign)),
            "offer" if words.next() == Some("draw") => Some(Reply::OfferDraw),
            "1-0" | "0-1" | "1/2-1/2" => Some(self.claim(word)),
            "Illegal" | "Error" if self.tells_refusal(&line) => self.refusal(&line),
            "Illegal" => Some(Reply::Fault(line.trim().to_string())),
            _ if word.starts_with('#') => None,
            _ if looks_like_thinking(line.as_bytes()) => {
                Some(read_thinking(&line).map_or_else(|| Reply::Text(line.to_string()), Reply::Info))
            }
            _ => Some(Reply::Text(line.to_string())),
        })
    }

    fn next_reply(&mut self) -> Option<Reply> {
        self.replies.pop_front()
    }

    fn respond(&mut self, out: &mut String) {
        out.push_str(&self.responses);
        self.responses.clear();
    }

    fn glance(&self, line: &[u8]) -> Glance {
        let is_claim = [&b"1-0"[..], b"0-1", b"1/2-1/2"].iter().any(|claim| line.starts_with(claim));
        match line.first() {
            Some(b'#') => Glance::News,
            Some(b'0'..=b'9' | b' ' | b'\t') if !is_claim && looks_like_thinking(line) => Glance::Score,
            _ => Glance::Reply,
        }
    }

    fn can_play_again(&self) -> bool {
        self.features.reuse
    }

    fn refuses(&self) -> bool {
        true
    }
}

impl XboardRunner {
    fn read_features(&mut self, text: &str) {
        for (name, value) in split(text) {
            let feature = self.features.take(name, value);
            let word = if feature == Feature::Rejected { "rejected " } else { "accepted " };
            self.responses.push_str(word);
            push_line(&mut self.responses, name);
            self.responses.push('\n');
            match feature {
                Feature::Name(name) => self.replies.push_back(Reply::Name(name)),
                Feature::Option(offer) => self.replies.push_back(Reply::Option(offer)),
                Feature::Done(true) => self.replies.push_back(Reply::Welcome),
                _ => {}
            }
        }
    }

    /// The standard's own settings have commands of their own.
    fn write_option(&self, name: &str, value: &str, out: &mut String) {
        let own = match name.to_ascii_lowercase().as_str() {
            "memory" | "hash" if self.features.memory => "memory ",
            "cores" | "threads" if self.features.smp => "cores ",
            _ => {
                out.push_str("option ");
                push_line(out, name);
                if !value.is_empty() {
                    out.push('=');
                    push_line(out, value);
                }
                return out.push('\n');
            }
        };
        out.push_str(own);
        push_line(out, value);
        out.push('\n');
    }

    /// A new game, from `start`; the engine plays neither side yet.
    fn write_new(&mut self, start: Option<&str>, out: &mut String) {
        out.push_str("new\n");
        match self.variant.as_str() {
            "" => {}
            CHESS960 => out.push_str("variant fischerandom\n"),
            variant => {
                out.push_str("variant ");
                push_line(out, variant);
                out.push('\n');
            }
        }
        out.push_str("force\n");
        if let Some(text) = start {
            self.write_start(text, out);
        }
        out.push_str(if self.ponders { "post\nhard\n" } else { "post\neasy\n" });
        self.start = start.map(str::to_string);
        self.moves.clear();
        (self.answer_to, self.is_playing, self.is_clock_set) = (None, false, false);
    }

    /// Sets a position up, by `edit` where the engine does not know `setboard`.
    fn write_start(&self, start: &str, out: &mut String) {
        let by_edit = !self.features.setboard && self.variant.is_empty();
        if let Some(placement) = by_edit.then(|| Placement::after(Some(start), &[])).flatten() {
            return write_edit(&placement, self.features.usermove, out);
        }
        out.push_str("setboard ");
        push_line(out, start);
        out.push('\n');
    }

    fn write_board(&mut self, board: &BoardCommand, out: &mut String) {
        match board {
            BoardCommand::Set { start, moves } => self.set_board(start.as_deref(), moves, out),
            BoardCommand::Rules(rules) => {
                self.variant.clone_from(rules);
                (self.start, self.is_playing) = (None, false);
                self.moves.clear();
            }
            BoardCommand::Play { text, .. } => {
                self.force(out);
                self.write_move(text, out);
            }
            BoardCommand::Undo => {
                self.force(out);
                if self.moves.pop().is_some() {
                    out.push_str("undo\n");
                }
            }
            BoardCommand::Clear => self.write_new(None, out),
            BoardCommand::Place { .. } | BoardCommand::Komi(_) | BoardCommand::Load { .. } => {}
        }
    }

    fn set_board(&mut self, start: Option<&str>, moves: &[String], out: &mut String) {
        self.answer_to = None;
        let common = self.moves.iter().zip(moves).take_while(|(a, b)| a == b).count();
        let is_same = self.start.as_deref() == start && common == self.moves.len();
        match &moves[common..] {
            [mv] if is_same && self.is_playing => self.answer_to = Some(mv.clone()),
            rest if is_same => {
                if !rest.is_empty() {
                    self.force(out);
                }
                rest.iter().for_each(|mv| self.write_move(mv, out));
            }
            _ => {
                self.write_new(start, out);
                moves.iter().for_each(|mv| self.write_move(mv, out));
            }
        }
    }

    fn force(&mut self, out: &mut String) {
        if self.is_playing {
            out.push_str("force\n");
            self.is_playing = false;
        }
    }

    fn write_move(&mut self, mv: &str, out: &mut String) {
        if self.features.usermove {
            out.push_str("usermove ");
        }
        self.last_sent = self.placement().map_or_else(|| mv.to_string(), |placement| placement.to_xboard(mv));
        push_line(out, &self.last_sent);
        out.push('\n');
        self.moves.push(mv.to_string());
    }

    fn write_go(&mut self, go: &Go, out: &mut String) {
        let usual = if self.moves.len().is_multiple_of(2) { Side::First } else { Side::Second };
        let side = go.side.unwrap_or(if self.answer_to.is_some() { !usual } else { usual });
        self.side = Some(side);
        if !self.is_clock_set {
            self.is_clock_set = true;
            write_limits(go, side, out);
        }
        if self.features.time
            && let Some(clocks) = &go.limits.clock
        {
            let [own, other] = [side, !side].map(|s| hundredths(&clocks[s.index()]));
            let _ = write!(out, "time {own}\notim {other}\n");
        }
        match self.answer_to.take() {
            Some(mv) => self.write_move(&mv, out),
            None => out.push_str("go\n"),
        }
        self.is_playing = true;
    }

    fn write_ending(&mut self, ending: Ending, out: &mut String) {
        let winner = match (ending, self.side) {
            (Ending::Draw, _) | (_, None) => None,
            (Ending::Win, Some(side)) => Some(side),
            (Ending::Lose, Some(side)) => Some(!side),
        };
        out.push_str(match (ending, winner) {
            (Ending::Draw, _) => "result 1/2-1/2 {Draw}\n",
            (_, Some(Side::First)) => "result 1-0 {White wins}\n",
            (_, Some(Side::Second)) => "result 0-1 {Black wins}\n",
            (_, None) => "result * {Unknown}\n",
        });
        self.is_playing = false;
    }

    /// Whether a line says that the last move sent was not understood.
    fn tells_refusal(&self, line: &str) -> bool {
        let last = line.split_whitespace().next_back().unwrap_or_default();
        !self.last_sent.is_empty() && last.eq_ignore_ascii_case(&self.last_sent)
    }

    /// Castling is tried once more in the words of UCI: Fairy-Stockfish 11 has these over XBoard, too.
    fn refusal(&mut self, line: &str) -> Option<Reply> {
        let is_castling = std::mem::take(&mut self.last_sent).starts_with('O');
        let Some(mv) = self.moves.last().filter(|_| is_castling) else {
            return Some(Reply::Fault(line.trim().to_string()));
        };
        if self.features.usermove {
            self.responses.push_str("usermove ");
        }
        push_line(&mut self.responses, mv);
        self.responses.push('\n');
        None
    }

    /// The placement of pieces, which has to be known in Chess960 alone.
    fn placement(&self) -> Option<Placement> {
        let is_free = self.variant == CHESS960;
        is_free.then(|| Placement::after(self.start.as_deref(), &self.moves)).flatten()
    }

    fn best(&mut self, text: &str) -> Reply {
        let usual = || Placement::after(self.start.as_deref(), &self.moves);
        let text = match self.placement() {
            Some(placement) => placement.to_uci(text),
            // Phalanx writes so, whatever was asked for.
            None if text.starts_with(['O', '0']) => {
                usual().map_or(text.to_string(), |placement| placement.to_usual(text))
            }
            None => text.to_string(),
        };
        self.moves.push(text.clone());
        best(Choice::Play(text))
    }

    /// A claim of one's own loss is a resignation; the referee judges others.
    fn claim(&self, result: &str) -> Reply {
        let loser = match result {
            "1-0" => Some(Side::Second),
            "0-1" => Some(Side::First),
            _ => None,
        };
        best(if loser.is_some() && loser == self.side { Choice::Resign } else { Choice::Claim })
    }
}

fn best(choice: Choice<String>) -> Reply {
    Reply::Best { choice: Some(choice), ponder: None }
}

/// `level`, `st` and `sd`, told once a game. There is no word for nodes.
fn write_limits(go: &Go, side: Side, out: &mut String) {
    let limits = &go.limits;
    if let Some(clocks) = &limits.clock {
        let own = &clocks[side.index()];
        let seconds = own.left.as_secs();
        let increment = own.increment.as_secs_f64();
        let moves = own.moves_to_go.unwrap_or(0);
        let _ = writeln!(out, "level {moves} {}:{:02} {increment}", seconds / 60, seconds % 60);
    }
    if let Some(time) = limits.move_time {
        let _ = writeln!(out, "st {}", seconds_text(time));
    }
    if let Some(depth) = limits.depth {
        let _ = writeln!(out, "sd {depth}");
    }
}

/// Whole seconds where they are, for engines that read no more.
fn seconds_text(time: Duration) -> String {
    if time.subsec_nanos() == 0 { time.as_secs().to_string() } else { time.as_secs_f64().to_string() }
}

fn hundredths(clock: &Clock) -> u128 {
    (clock.left + clock.byoyomi).as_millis() / 10
}
