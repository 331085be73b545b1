//! Hands out the moves of a node one by one, best guess first, and generates each kind only when it is wanted.
//!
//! The stages: table move; noisy moves that win or keep material; two killers and the counter move; quiet moves by
//! history; noisy moves that lose. Quiescence may want quiet checks after the noisy moves. Moves lie on one stack of scored moves per thread; a node owns the tail above where
//! its picker began, and anyone who makes a picker truncates the stack when done.

use super::{
    Parameters,
    history::{CONTINUATIONS, ContinuationIndex, Histories},
    thread::Thread,
};
use std::ops::ControlFlow::Continue;
use tesuji_game::{Evaluator, Tactical};

/// A move with its score for ordering.
pub(super) type Scored<M> = (M, i32);

/// Worth of a centipawn won in the ordering of noisy moves, against their history: a pawn outweighs a tenth of the largest history.
const GAIN_WORTH: i32 = 16;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TranspositionTable,
    GenerateNoisy,
    Noisy,
    Killers,
    GenerateQuiet,
    Quiet,
    GenerateChecks,
    Checks,
    BadNoisy,
    Done,
}

/// The moves that a picker yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Want {
    /// All moves.
    All,
    /// Noisy moves only.
    Noisy,
    /// Noisy moves, and quiet ones that give check.
    NoisyAndChecks,
    /// Noisy moves that win at least so much in an exchange.
    Winning(i32),
}

/// The moves of one node, in order.
pub(super) struct Picker<M> {
    stage: Stage,
    want: Want,
    table: Option<M>,
    /// Killers and counter move, not yet checked for legality.
    refutations: [Option<M>; 3],
    next_refutation: usize,
    skip_quiets: bool,
    from: usize,
    at: usize,
    bad_end: usize,
}

impl<M: Copy + Eq> Picker<M> {
    fn new(want: Want, table: Option<M>, refutations: [Option<M>; 3], from: usize) -> Self {
        Picker {
            stage: Stage::TranspositionTable,
            want,
            table,
            refutations,
            next_refutation: 0,
            skip_quiets: false,
            from,
            at: from,
            bad_end: from,
        }
    }

    /// All moves; `from` is the height of the move stack.
    pub(super) fn all(table: Option<M>, refutations: [Option<M>; 3], from: usize) -> Self {
        Self::new(Want::All, table, refutations, from)
    }

    /// Noisy moves only, the losing ones last.
    pub(super) fn noisy(table: Option<M>, from: usize) -> Self {
        Self::new(Want::Noisy, table, [None; 3], from)
    }

    /// Noisy moves, then quiet ones that give check, then the losing noisy ones.
    pub(super) fn noisy_and_checks(table: Option<M>, from: usize) -> Self {
        Self::new(Want::NoisyAndChecks, table, [None; 3], from)
    }

    /// Noisy moves that win at least `threshold_cp`.
    pub(super) fn winning(table: Option<M>, threshold_cp: i32, from: usize) -> Self {
        Self::new(Want::Winning(threshold_cp), table, [None; 3], from)
    }

    /// Leaves out the quiet moves that have not come yet.
    pub(super) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// Whether the moves that come now are noisy ones that lose material.
    pub(super) fn is_among_bad(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// The next move; every legal move comes once, none twice.
    pub(super) fn next<P, E>(&mut self, thread: &mut Thread<'_, P, E>) -> Option<M>
    where
        P: Tactical<Move = M>,
        E: Evaluator<P>,
    {
        loop {
            match self.stage {
                Stage::TranspositionTable => {
                    self.stage = Stage::GenerateNoisy;
                    if self.table.is_some() {
                        // Its legality was checked when the entry was unpacked.
                        return self.table;
                    }
                }
                Stage::GenerateNoisy => {
                    let mem = &mut thread.mem;
                    generate_noisy(&thread.pos, &thread.parameters, &mem.hist, &mut mem.moves);
                    self.stage = Stage::Noisy;
                }
                Stage::Noisy => match self.best(thread) {
                    Some((mv, _)) if Some(mv) == self.table => {}
                    Some((mv, score)) => {
                        if thread.pos.see_ge(mv, self.exchange_needed(thread, mv)) {
                            return Some(mv);
                        }
                        // Losing captures gather at the front of the tail, over moves that were handed out, and wait there.
                        thread.mem.moves[self.bad_end] = (mv, score);
                        self.bad_end += 1;
                    }
                    None => self.after_noisy(thread),
                },
                Stage::Killers => match self.refutation(thread) {
                    Some(mv) => return Some(mv),
                    None => self.stage = Stage::GenerateQuiet,
                },
                Stage::GenerateQuiet => {
                    if !self.skip_quiets {
                        let before = CONTINUATIONS.map(|back| thread.continuation_index(back));
                        let mem = &mut thread.mem;
                        generate_quiet(&thread.pos, &thread.parameters, before, &mem.hist, &mut mem.moves);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match if self.skip_quiets { None } else { self.best(thread) } {
                    // These were handed out before.
                    Some((mv, _)) if Some(mv) == self.table || self.refutations.contains(&Some(mv)) => {}
                    Some((mv, _)) => return Some(mv),
                    None => {
                        self.at = self.from;
                        self.stage = Stage::BadNoisy;
                    }
                },
                Stage::GenerateChecks => {
                    let mem = &mut thread.mem;
                    generate_checks(&thread.pos, &mem.hist, &mut mem.moves);
                    self.stage = Stage::Checks;
                }
                Stage::Checks => match self.best(thread) {
                    Some((mv, _)) if Some(mv) == self.table => {}
                    Some((mv, _)) => return Some(mv),
                    None => {
                        self.at = self.from;
                        self.stage = Stage::BadNoisy;
                    }
                },
                Stage::BadNoisy => {
                    if self.at < self.bad_end {
                        self.at += 1;
                        return Some(thread.mem.moves[self.at - 1].0);
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// What an exchange must be worth for a noisy move to be among the good ones.
    #[inline]
    fn exchange_needed<P, E>(&self, thread: &Thread<'_, P, E>, mv: M) -> i32
    where
        P: Tactical<Move = M>,
        E: Evaluator<P>,
    {
        match self.want {
            Want::Winning(cp) => cp,
            Want::All => thread.exchange_needed(mv),
            _ => 0,
        }
    }

    /// The good noisy moves are through: keeps the bad ones and goes on with what is wanted.
    fn after_noisy<P, E>(&mut self, thread: &mut Thread<'_, P, E>)
    where
        P: Tactical<Move = M>,
        E: Evaluator<P>,
    {
        thread.mem.moves.truncate(self.bad_end);
        self.at = self.bad_end;
        self.stage = match self.want {
            Want::All => Stage::Killers,
            Want::NoisyAndChecks => Stage::GenerateChecks,
            Want::Noisy => {
                self.at = self.from;
                Stage::BadNoisy
            }
            Want::Winning(_) => Stage::Done,
        };
    }

    /// The next killer or counter move that is legal here, quiet and new.
    fn refutation<P, E>(&mut self, thread: &Thread<'_, P, E>) -> Option<M>
    where
        P: Tactical<Move = M>,
        E: Evaluator<P>,
    {
        while self.next_refutation < self.refutations.len() {
            let i = self.next_refutation;
            self.next_refutation += 1;
            if let Some(mv) = self.refutations[i] {
                let new = Some(mv) != self.table && !self.refutations[..i].contains(&Some(mv));
                // A killer comes from another position: only unpacking tells whether it is legal in this one.
                if new && !self.skip_quiets && thread.pos.unpack(P::pack(mv)) == Some(mv) && !thread.pos.is_noisy(mv) {
                    return Some(mv);
                }
                // Not handed out here, hence not to be skipped among the quiet moves.
                self.refutations[i] = None;
            }
        }
        None
    }

    /// Takes the move with the highest score from the tail of the stack.
    #[inline]
    fn best<P, E>(&mut self, thread: &mut Thread<'_, P, E>) -> Option<Scored<M>>
    where
        P: Tactical<Move = M>,
        E: Evaluator<P>,
    {
        // Selection instead of sorting: most nodes cut after one or two moves.
        let tail = &mut thread.mem.moves[self.at..];
        let (mut best, first) = (0, *tail.first()?);
        let mut score = first.1;
        for (i, m) in tail.iter().enumerate().skip(1) {
            if m.1 > score {
                (best, score) = (i, m.1);
            }
        }
        tail.swap(0, best);
        self.at += 1;
        Some(thread.mem.moves[self.at - 1])
    }
}

// The three below know nothing of the evaluator, so that move generation is compiled once for a game and not for each evaluation.

fn generate_noisy<P: Tactical>(
    pos: &P,
    parameters: &Parameters,
    hist: &Histories<P>,
    moves: &mut Vec<Scored<P::Move>>,
) {
    let _ = pos.for_each_noisy(|mv| {
        let history = if parameters.capture_history { hist.of_noisy(pos, mv) } else { 0 };
        moves.push((mv, GAIN_WORTH * pos.gain_cp(mv) + history));
        Continue::<(), ()>(())
    });
}

fn generate_checks<P: Tactical>(pos: &P, hist: &Histories<P>, moves: &mut Vec<Scored<P::Move>>) {
    let _ = pos.for_each_quiet(|mv| {
        if pos.gives_check(mv) {
            moves.push((mv, hist.of_quiet(pos, mv)));
        }
        Continue::<(), ()>(())
    });
}

fn generate_quiet<P: Tactical>(
    pos: &P,
    parameters: &Parameters,
    before: [ContinuationIndex; 4],
    hist: &Histories<P>,
    moves: &mut Vec<Scored<P::Move>>,
) {
    let weights = parameters.continuation_weights();
    let threats = (parameters.threat_order > 0).then(|| pos.threats());
    let _ = pos.for_each_quiet(|mv| {
        let mut score = 0;
        if parameters.history {
            score += hist.of_quiet(pos, mv);
        }
        if let Some(threats) = &threats {
            score += parameters.threat_order * pos.threat_change_cp(threats, mv);
        }
        if parameters.continuation_history {
            let to = pos.piece_to(mv);
            let after = |i: usize| weights[i] * hist.of_continuation(before[i], to);
            score += (after(0) + after(1) + after(2) + after(3)) / 16;
        }
        moves.push((mv, score));
        Continue::<(), ()>(())
    });
}
