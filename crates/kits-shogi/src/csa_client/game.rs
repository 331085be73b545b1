//! One game on a server: our engine's moves out, the other's in, by the server's clock, until it says how the game ended.

use super::wire::{Silence, Wire};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::{Duration, Instant};
use tesuji_engine::Player;
use tesuji_game::{By, Choice, Clock, FirstSide, Limits, Outcome, Position, Report, Side, Signal, Watch};
use tesuji_jobs::Interrupt;
use tesuji_record::{GameRecord, Note, Step};
use tesuji_shogi::{
    Board, Move,
    csa::{CsaResult, Said, Summary, csa_move, outcome, parse_csa_move, said},
    parse_usi,
};

/// The longest time that the server may take to say how a game ended that cannot go on.
const LAST_WORD: Duration = Duration::from_secs(60);
/// The same for a game that we resign because we are asked to stop: whoever asked waits for us.
const LAST_WORD_STOPPED: Duration = Duration::from_secs(1);

/// The connection, player and settings with which a game on a server is played.
pub(super) struct ServerGame<'a> {
    pub(super) wire: &'a mut Wire,
    pub(super) player: &'a mut dyn Player,
    pub(super) interrupt: &'a Interrupt,
    /// Kept back of every clock.
    pub(super) margin: Duration,
    /// Moves are sent with values and lines, as floodgate takes them.
    pub(super) tells: bool,
}

/// A game as far as it came.
pub(super) struct Played {
    pub(super) record: GameRecord<String>,
    /// The result of the game for us; `None` where the server never said.
    pub(super) ending: Option<CsaResult>,
    /// The reason why the game was left.
    pub(super) silence: Option<Silence>,
}

/// A game under way.
struct Game<'a> {
    summary: &'a Summary,
    board: Board,
    moves: Vec<String>,
    left: [Duration; 2],
    record: GameRecord<String>,
    /// The engine's note on the move that it sent, kept until the server tells that move.
    thought: Note,
    is_sent: bool,
    /// An impossible message of the server.
    fault: Option<String>,
    reason: String,
}

/// Plays a game that has begun.
pub(super) fn play(table: &mut ServerGame<'_>, summary: &Summary) -> Played {
    let mut game = Game::new(summary);
    table.player.new_game();
    let mut deadline = None;
    // Who has resigned because he was asked to stop waits for the server's word all the same.
    let (calm, mut is_stopped) = (Interrupt::new(), false);
    let (ending, silence) = loop {
        let is_ours = game.board.side_to_move() == summary.you;
        if game.fault.is_none() && !game.is_sent && !is_stopped && is_ours {
            if let Some(line) = game.think(table) {
                table.wire.send(&line);
            }
            game.is_sent = true;
        }
        let line = match table.wire.next(if is_stopped { &calm } else { table.interrupt }, deadline) {
            Ok(line) => line,
            Err(Silence::Stopped) => {
                table.wire.hurry(LAST_WORD_STOPPED / 4);
                table.wire.send("%TORYO");
                (is_stopped, deadline) = (true, Some(Instant::now() + LAST_WORD_STOPPED));
                continue;
            }
            // The server said nothing more to who was asked to stop.
            Err(Silence::Late) if is_stopped => break (None, Some(Silence::Stopped)),
            Err(silence) => break (None, Some(silence)),
        };
        if let Some(ending) = game.hear(&line) {
            break (Some(ending), is_stopped.then_some(Silence::Stopped));
        }
        if let (Some(fault), None) = (&game.fault, deadline) {
            super::say!("{}: {fault}; waiting for the server's word", summary.id);
            deadline = Some(Instant::now() + LAST_WORD);
        }
    };
    game.record.outcome = Some(match ending {
        Some(ending) => outcome(summary.you, &game.reason, ending),
        None => Outcome { winner: None, by: By::Void },
    });
    if let (None, Some(Silence::Lost(why))) = (ending, &silence) {
        let last = game.record.main_nodes().last().copied().unwrap_or(0);
        game.record.note_mut(last).comment = format!("left: {why}");
    }
    Played { record: game.record, ending, silence }
}

impl<'a> Game<'a> {
    fn new(summary: &'a Summary) -> Game<'a> {
        let mut record = GameRecord { start: Some(summary.start.to_string()), ..GameRecord::new() };
        let tags = [("Black", &summary.names[0]), ("White", &summary.names[1]), ("Event", &summary.id)];
        record.tags = tags.map(|(name, value)| (name.to_string(), value.clone())).to_vec();
        let mut game = Game {
            summary,
            board: summary.start,
            moves: Vec::new(),
            left: summary.times.map(|times| times.total),
            record,
            thought: Note::default(),
            is_sent: false,
            fault: None,
            reason: String::new(),
        };
        for &(mv, spent) in &summary.moves {
            game.push(mv, spent);
        }
        game
    }

    fn push(&mut self, mv: Move, spent: Duration) {
        let side = self.board.side_to_move();
        let times = self.summary.times[side.index()];
        let left = &mut self.left[side.index()];
        *left = left.saturating_sub(spent) + times.increment;
        let node = self.record.append(Step::Move(mv.to_string()));
        *self.record.note_mut(node) = Note { spent: Some(spent), ..std::mem::take(&mut self.thought) };
        self.moves.push(mv.to_string());
        self.board.play(mv);
        self.is_sent = false;
    }

    /// Takes a line of the server's; how the game ended, where it says so.
    fn hear(&mut self, line: &str) -> Option<CsaResult> {
        match said(line) {
            Said::Move(head, spent) => self.hear_move(head, spent),
            Said::Reason(reason) => self.reason = reason.to_string(),
            Said::Result(ending) => return Some(ending),
            _ => {}
        }
        None
    }

    fn hear_move(&mut self, head: &str, spent: Duration) {
        if self.fault.is_some() {
            return;
        }
        let side = if head.starts_with('+') { Side::First } else { Side::Second };
        let mv = parse_csa_move(&self.board, head).and_then(|mv| self.board.unpack(mv.bits()));
        match mv {
            _ if side != self.board.side_to_move() => self.fault = Some(format!("{head} is out of turn")),
            Some(mv) => self.push(mv, spent),
            None => self.fault = Some(format!("{head} cannot be played in {}", self.board)),
        }
    }

    /// The line that answers the position; `None` where the game ended while we thought.
    fn think(&mut self, table: &mut ServerGame<'_>) -> Option<String> {
        let start = self.summary.start.to_string();
        if let Err(error) = table.player.set_position("", Some(&start), &self.moves) {
            self.fault = Some(format!("the engine does not take the position: {error}"));
            return Some("%TORYO".to_string());
        }
        let clock = |side: usize| {
            let times = self.summary.times[side];
            let less = |time: Duration| time.saturating_sub(table.margin);
            Clock {
                left: less(self.left[side]),
                increment: times.increment,
                byoyomi: less(times.byoyomi),
                ..Clock::default()
            }
        };
        let limits = Limits { clock: Some([clock(0), clock(1)]), ..Limits::default() };
        let (interrupt, began) = (table.interrupt, Instant::now());
        let mut watch = OnWire { wire: &mut *table.wire, interrupt, began, is_over: false };
        let report = table.player.go(&limits, &[], &mut watch);
        if watch.is_over {
            return None;
        }
        Some(match &report.choice {
            Some(Choice::Play(text)) => self.told(text, &report, table.tells)?,
            Some(Choice::Claim) => "%KACHI".to_string(),
            Some(Choice::Resign) | None => "%TORYO".to_string(),
        })
    }

    /// A move as it is sent, and what is noted of it.
    fn told(&mut self, text: &str, report: &Report<String>, tells: bool) -> Option<String> {
        let mv = parse_usi(text).ok()?;
        let mut line = csa_move(&self.board, mv);
        let Some(best) = report.lines.first() else { return Some(line) };
        let (depth, nodes) = (NonZeroU32::new(report.depth), NonZeroU64::new(report.nodes));
        self.thought = Note { value: Some(best.value), depth, nodes, ..Note::default() };
        if tells {
            let FirstSide(black) = FirstSide::of(self.board.side_to_move(), best.value);
            line += &format!(",'* {}", black.raw());
            let mut board = self.board;
            for (i, text) in best.pv.iter().enumerate() {
                let Some(mv) = parse_usi(text).ok().and_then(|mv| board.unpack(mv.bits())) else { break };
                // The first is the move itself.
                if i > 0 {
                    line += &format!(" {}", csa_move(&board, mv));
                }
                board.play(mv);
            }
        }
        Some(line)
    }
}

/// A search that listens to the server.
struct OnWire<'a> {
    wire: &'a mut Wire,
    interrupt: &'a Interrupt,
    began: Instant,
    /// The server has ended the game or is gone, or we are asked to stop.
    is_over: bool,
}

impl Watch<String> for OnWire<'_> {
    fn signal(&mut self) -> Signal {
        let ends = |line: &str| matches!(said(line), Said::Result(_) | Said::Reason(_));
        self.is_over = self.is_over || self.interrupt.is_raised() || self.wire.look().any(ends) || self.wire.is_lost();
        if self.is_over { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}
