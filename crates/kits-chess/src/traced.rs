//! A chess board that writes down what a search asks of it, and the replay of what was written: microbenches of "make all
//! moves" mislead, since a search makes two or three before a cut.

use std::{
    cell::RefCell,
    hint::black_box,
    ops::ControlFlow::{self, Continue},
};
use tesuji_chess::{Board, Change, Move};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Evaluator, Key, Outcome, Position, Side, Tactical, Value};

/// One thing that a search asked of a position.
#[derive(Clone, Copy)]
pub enum Event {
    /// A move was played.
    Play(Move),
    /// The last move was taken back.
    Undo,
    /// A pass was played.
    Pass,
    /// The last pass was taken back.
    UndoPass,
    /// Noisy moves were generated: this many were looked at.
    Noisy(u8),
    /// Quiet moves were generated: this many were looked at.
    Quiet(u8),
    /// An exchange was judged.
    Exchange(Move, i16, bool),
    /// A move was asked whether it gives check.
    Check(Move, bool),
    /// Sixteen bits were asked for a legal move.
    Unpack(u16, bool),
}

thread_local! {
    static TRACE: RefCell<Vec<Event>> = const { RefCell::new(Vec::new()) };
}

fn note(event: Event) {
    TRACE.with_borrow_mut(|trace| trace.push(event));
}

/// Takes the events recorded on this thread since the last call.
pub fn take() -> Vec<Event> {
    TRACE.take()
}

/// A board that writes down what is asked of it.
#[derive(Clone)]
pub struct Traced(pub Board);

/// The counts of a replayed trace; every replay gives equal counts, or the trace is wrong.
#[derive(Default, Debug, PartialEq, Eq, Clone, Copy)]
pub struct Done {
    /// Moves and passes played.
    pub plays: u64,
    /// Moves generated.
    pub moves: u64,
    /// Exchanges, checks and legality tests answered.
    pub answers: u64,
}

/// Does again what `trace` says, from `board` on; asserts that every answer is the one written down.
pub fn replay(board: &Board, trace: &[Event]) -> Done {
    let mut pos = *board;
    let mut undos = Vec::with_capacity(64);
    let mut passes = Vec::with_capacity(16);
    let mut done = Done::default();
    let mut seen = 0u32;
    for &event in trace {
        match event {
            Event::Play(mv) => {
                undos.push((mv, pos.play_seen(mv, |_| seen += 1)));
                black_box(pos.key());
                done.plays += 1;
            }
            Event::Undo => {
                if let Some((mv, undo)) = undos.pop() {
                    pos.undo(mv, undo);
                }
            }
            Event::Pass => {
                passes.extend(pos.play_null());
                done.plays += 1;
            }
            Event::UndoPass => {
                if let Some(undo) = passes.pop() {
                    pos.undo_null(undo);
                }
            }
            Event::Noisy(n) => done.moves += same(n, count(|f| pos.for_each_noisy(f), n)),
            Event::Quiet(n) => done.moves += same(n, count(|f| pos.for_each_quiet(f), n)),
            Event::Exchange(mv, cp, answer) => done.answers += agrees(answer, pos.see_ge(mv, i32::from(cp))),
            Event::Check(mv, answer) => done.answers += agrees(answer, pos.gives_check(mv)),
            Event::Unpack(bits, answer) => done.answers += agrees(answer, pos.unpack(bits).is_some()),
        }
    }
    black_box(seen);
    done
}

fn agrees(written: bool, now: bool) -> u64 {
    assert_eq!(written, now, "an answer of the trace");
    1
}

fn same(written: u8, now: u8) -> u64 {
    assert_eq!(written, now, "moves of the trace");
    u64::from(now)
}

/// Counts moves until `n` have been seen.
fn count(each: impl FnOnce(&mut dyn FnMut(Move) -> ControlFlow<()>) -> ControlFlow<()>, n: u8) -> u8 {
    let mut seen = 0;
    let _ = each(&mut |mv| {
        black_box(mv);
        seen += 1;
        if seen == n { ControlFlow::Break(()) } else { Continue(()) }
    });
    seen
}

impl Position for Traced {
    type Move = Move;
    type Undo = <Board as Position>::Undo;
    type Change = Change;
    type Mark = <Board as Position>::Mark;

    fn side_to_move(&self) -> Side {
        self.0.side_to_move()
    }

    fn key(&self) -> Key {
        self.0.key()
    }

    fn mark(&self, past: &[Self::Mark]) -> Self::Mark {
        self.0.mark(past)
    }

    fn for_each_move<B>(&self, f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        self.0.for_each_move(f)
    }

    fn has_moves(&self) -> bool {
        self.0.has_moves()
    }

    fn pack(mv: Move) -> u16 {
        Board::pack(mv)
    }

    fn unpack(&self, bits: u16) -> Option<Move> {
        let found = self.0.unpack(bits);
        note(Event::Unpack(bits, found.is_some()));
        found
    }

    fn play_seen(&mut self, mv: Move, seen: impl FnMut(Change)) -> Self::Undo {
        note(Event::Play(mv));
        self.0.play_seen(mv, seen)
    }

    fn undo(&mut self, mv: Move, undo: Self::Undo) {
        note(Event::Undo);
        self.0.undo(mv, undo);
    }

    fn ended(&self, past: &[Self::Mark], root: usize) -> Option<Outcome> {
        self.0.ended(past, root)
    }

    fn no_legal_moves(&self) -> Outcome {
        self.0.no_legal_moves()
    }
}

impl Tactical for Traced {
    const PIECE_TO_MAX: usize = Board::PIECE_TO_MAX;
    const FROM_TO_MAX: usize = Board::FROM_TO_MAX;
    const VICTIM_MAX: usize = Board::VICTIM_MAX;

    fn for_each_noisy<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut n = 0;
        let flow = self.0.for_each_noisy(|mv| {
            n += 1;
            f(mv)
        });
        note(Event::Noisy(n));
        flow
    }

    fn for_each_quiet<B>(&self, mut f: impl FnMut(Move) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut n = 0;
        let flow = self.0.for_each_quiet(|mv| {
            n += 1;
            f(mv)
        });
        note(Event::Quiet(n));
        flow
    }

    fn in_check(&self) -> bool {
        self.0.in_check()
    }

    fn is_noisy(&self, mv: Move) -> bool {
        self.0.is_noisy(mv)
    }

    fn gives_check(&self, mv: Move) -> bool {
        let answer = self.0.gives_check(mv);
        note(Event::Check(mv, answer));
        answer
    }

    fn see_ge(&self, mv: Move, threshold_cp: i32) -> bool {
        let answer = self.0.see_ge(mv, threshold_cp);
        // Thresholds beyond every exchange need no replay.
        if let Ok(cp) = i16::try_from(threshold_cp) {
            note(Event::Exchange(mv, cp, answer));
        }
        answer
    }

    type Threats = <Board as Tactical>::Threats;

    fn threats(&self) -> Self::Threats {
        self.0.threats()
    }

    fn threat_change_cp(&self, threats: &Self::Threats, mv: Move) -> i32 {
        self.0.threat_change_cp(threats, mv)
    }

    fn escapes(&self, mv: Move) -> bool {
        self.0.escapes(mv)
    }

    fn piece_to(&self, mv: Move) -> usize {
        self.0.piece_to(mv)
    }

    fn from_to(&self, mv: Move) -> usize {
        self.0.from_to(mv)
    }

    fn victim(&self, mv: Move) -> usize {
        self.0.victim(mv)
    }

    fn gain_cp(&self, mv: Move) -> i32 {
        self.0.gain_cp(mv)
    }

    fn likely_key_after(&self, mv: Move) -> Key {
        self.0.likely_key_after(mv)
    }

    fn has_pieces(&self) -> bool {
        self.0.has_pieces()
    }

    fn structure_key(&self) -> Key {
        self.0.structure_key()
    }

    fn piece_keys(&self) -> [Key; 2] {
        self.0.piece_keys()
    }

    fn play_null(&mut self) -> Option<Self::Undo> {
        let undo = self.0.play_null()?;
        note(Event::Pass);
        Some(undo)
    }

    fn undo_null(&mut self, undo: Self::Undo) {
        note(Event::UndoPass);
        self.0.undo_null(undo);
    }
}

/// The hand-made evaluation on a traced board.
#[derive(Clone)]
pub struct Plain(pub HandEval);

impl Evaluator<Traced> for Plain {
    fn reset(&mut self, pos: &Traced) {
        self.0.reset(&pos.0);
    }

    fn push(&mut self, pos: &Traced, changes: &[Change]) {
        self.0.push(&pos.0, changes);
    }

    fn pop(&mut self) {
        Evaluator::<Board>::pop(&mut self.0);
    }

    fn value(&mut self, pos: &Traced) -> Value {
        self.0.value(&pos.0)
    }
}
