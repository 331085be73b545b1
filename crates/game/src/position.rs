//! The traits of a game's positions: move generation, make and unmake with announced changes, repetition, exchanges, checks; and evaluators.

use crate::{CacheCounts, Key, Outcome, Side, Value};
use std::{
    fmt,
    hash::Hash,
    ops::ControlFlow::{self, Break, Continue},
};

/// A board with a side to move, without its history.
///
/// Repetition rules need a [`Position::Mark`] of each earlier position; the caller that plays moves (a [`crate::Line`], a search)
/// keeps the marks of the positions left behind, oldest first, and passes them in.
///
/// # Examples
///
/// On Connect Four:
///
/// ```
/// use tesuji_game::{Position, Side};
/// use tesuji_testkit::four::{Drop, FourPosition};
///
/// let mut pos = FourPosition::default();
/// let start = pos;
/// assert_eq!(pos.count_moves(), 7);
/// let mut seen = Vec::new();
/// let undo = pos.play_seen(Drop(3), |change| seen.push(change));
/// assert_eq!((pos.side_to_move(), seen.len()), (Side::Second, 1));
/// // The 16 bits of tables and files are a move only where it is legal.
/// assert_eq!(pos.unpack(FourPosition::pack(Drop(3))), Some(Drop(3)));
/// assert_eq!(pos.unpack(u16::MAX), None);
/// pos.undo(Drop(3), undo);
/// assert_eq!(pos, start);
/// ```
pub trait Position: Clone + Send + Sync + 'static {
    /// A move, small and copied freely.
    type Move: Copy + Eq + Hash + fmt::Debug + Send + Sync + 'static;
    /// The state that [`Position::play_seen`] overwrites and [`Position::undo`] restores. A small position may be its own undo state;
    /// go keeps a list of captured stones.
    type Undo: Clone + Send + Sync;
    /// One thing that changes on the board: a piece vanishes or appears, a hand shrinks or grows.
    type Change: Copy + Send + Sync;
    /// The history entry of an earlier position, for repetition rules.
    type Mark: Copy + Send + Sync;

    /// The side to move.
    fn side_to_move(&self) -> Side;

    /// The Zobrist key of board, side to move and all rights that matter.
    fn key(&self) -> Key;

    /// The history entry of this position, to be appended to `past` when a move is played; `past` holds those before it.
    fn mark(&self, past: &[Self::Mark]) -> Self::Mark;

    /// Generates moves: calls `f` with every move that is legal by the board alone, once each, until `f` breaks.
    ///
    /// `f` cannot play moves: collect them first. Trees and games call [`crate::Line::legal_moves`], which knows superko.
    fn for_each_move<B>(&self, f: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;

    /// The number of moves that [`Position::for_each_move`] gives.
    fn count_moves(&self) -> usize {
        let mut n = 0;
        let _ = self.for_each_move(|_| {
            n += 1;
            Continue::<(), ()>(())
        });
        n
    }

    /// Whether there is any legal move by the board alone.
    fn has_moves(&self) -> bool {
        self.for_each_move(|_| Break(())).is_break()
    }

    /// A move in the 16 bits that tables, trees and files store. Never 0.
    fn pack(mv: Self::Move) -> u16;

    /// The legal move that packs to `bits`; `None` for every other word. This is the legality test, and as fast as one.
    fn unpack(&self, bits: u16) -> Option<Self::Move>;

    /// Plays a legal move. Announces to `seen` all that vanishes before what appears.
    fn play_seen(&mut self, mv: Self::Move, seen: impl FnMut(Self::Change)) -> Self::Undo;

    /// Plays a legal move that is never undone. Games whose undo state costs time override it.
    fn play(&mut self, mv: Self::Move) {
        self.play_seen(mv, |_| ());
    }

    /// Undoes `mv`, the last move played.
    fn undo(&mut self, mv: Self::Move, undo: Self::Undo);

    /// The outcome by history (repetition, move counters, material), without generating moves.
    ///
    /// A repetition of a position in `past[root..]` ends the game at once (search path), an older one by the rules of the game;
    /// `root = past.len()` gives the rules alone.
    /// Never called on positions without moves by callers that want the rule book: [`Position::no_legal_moves`] comes first there.
    fn ended(&self, past: &[Self::Mark], root: usize) -> Option<Outcome>;

    /// The outcome of a position without legal moves: mate, stalemate. Called only where there is none.
    fn no_legal_moves(&self) -> Outcome;

    /// The outcome that the side to move may claim instead of moving (shogi's entering-king declaration).
    fn claim(&self) -> Option<Outcome> {
        None
    }

    /// The result if the game were broken off here, where the board itself tells one: area in go. `None` where only play decides.
    fn broken_off(&self) -> Option<Outcome> {
        None
    }

    /// Whether `mv` ends a game that is not settled, so that games for learning should not contain it: an early pass in go.
    fn is_premature(&self, _mv: Self::Move) -> bool {
        false
    }

    /// Whether `mv`, legal by the board, is also legal by history (superko).
    fn allows(&self, _mv: Self::Move, _past: &[Self::Mark]) -> bool {
        true
    }

    /// A hash of the part of the history that changes which moves are legal or what they lead to; 0 if none does. Transpositions are
    /// one node for a search only if this is equal, too.
    fn path_key(&self, _past: &[Self::Mark]) -> u64 {
        0
    }
}

/// [`Position::for_each_move`] by way of `generate`, a generator that calls a pointer: it is compiled once, where a generic one would be
/// compiled for each of the many closures that look at moves.
///
/// ```
/// use std::ops::ControlFlow::{self, Break, Continue};
///
/// fn digits(f: &mut dyn FnMut(u8) -> ControlFlow<()>) -> ControlFlow<()> {
///     (0..10).try_for_each(f)
/// }
/// let first_square = |n| if n * n > 30 { Break(n) } else { Continue(()) };
/// assert_eq!(tesuji_game::through_pointer(first_square, digits), Break(6));
/// ```
pub fn through_pointer<M, B>(
    mut f: impl FnMut(M) -> ControlFlow<B>,
    generate: impl FnOnce(&mut dyn FnMut(M) -> ControlFlow<()>) -> ControlFlow<()>,
) -> ControlFlow<B> {
    let mut end = Continue(());
    let _ = generate(&mut |mv| match f(mv) {
        Continue(()) => Continue(()),
        Break(with) => {
            end = Break(with);
            Break(())
        }
    });
    end
}

/// Tactical features for alpha-beta search: noisy and quiet moves, checks, static exchange evaluation, keys of history tables.
///
/// Noisy and quiet moves are disjoint and together all moves; in check both are evasions.
///
/// # Examples
///
/// In Connect Four the noisy moves make four in a row or prevent the opponent's:
///
/// ```
/// use std::ops::ControlFlow;
/// use tesuji_game::{Position, Tactical};
/// use tesuji_testkit::four::{Drop, FourPosition};
///
/// let mut pos = FourPosition::default();
/// [0, 6, 1, 6, 2, 5].map(Drop).into_iter().for_each(|mv| pos.play(mv));
/// let (mut noisy, mut quiet) = (Vec::new(), Vec::new());
/// let _ = pos.for_each_noisy(|mv| {
///     noisy.push(mv);
///     ControlFlow::<()>::Continue(())
/// });
/// let _ = pos.for_each_quiet(|mv| {
///     quiet.push(mv);
///     ControlFlow::<()>::Continue(())
/// });
/// assert_eq!((&noisy[..], quiet.len()), (&[Drop(3)][..], 6));
/// assert!(pos.is_noisy(Drop(3)) && pos.see_ge(Drop(3), 100) && pos.gain_cp(Drop(0)) == 0);
/// ```
pub trait Tactical: Position {
    /// Bound of [`Tactical::piece_to`].
    const PIECE_TO_MAX: usize;
    /// Bound of [`Tactical::from_to`].
    const FROM_TO_MAX: usize;
    /// Bound of [`Tactical::victim`].
    const VICTIM_MAX: usize;

    /// Legal captures and promotions worth a look in quiescence, until `f` breaks.
    fn for_each_noisy<B>(&self, f: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;
    /// The other legal moves, until `f` breaks.
    fn for_each_quiet<B>(&self, f: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;
    /// Whether the side to move is in check.
    fn in_check(&self) -> bool;
    /// Whether `mv` belongs to [`Tactical::for_each_noisy`].
    fn is_noisy(&self, mv: Self::Move) -> bool;
    /// Whether `mv` puts the opponent in check.
    fn gives_check(&self, mv: Self::Move) -> bool;
    /// Whether the exchange that `mv` starts is worth at least `threshold_cp` to the mover.
    fn see_ge(&self, mv: Self::Move, threshold_cp: i32) -> bool;
    /// The squares that the opponent's cheaper pieces attack, as [`Tactical::threat_change_cp`] reads them.
    type Threats: Copy;
    /// Computes them.
    fn threats(&self) -> Self::Threats;
    /// The worth of the moving piece where `mv` takes it away from the attack of a cheaper piece, minus its worth where `mv` puts it
    /// under such an attack; in centipawns.
    fn threat_change_cp(&self, threats: &Self::Threats, mv: Self::Move) -> i32;
    /// Whether `mv` takes its piece away from where the opponent would win it by an exchange.
    fn escapes(&self, mv: Self::Move) -> bool;
    /// Index of moving piece and destination, for history tables; different for the two sides, below [`Tactical::PIECE_TO_MAX`].
    fn piece_to(&self, mv: Self::Move) -> usize;
    /// Index of origin and destination, for history tables; different for the two sides, below [`Tactical::FROM_TO_MAX`].
    #[allow(clippy::wrong_self_convention)]
    fn from_to(&self, mv: Self::Move) -> usize;
    /// Index of the piece that `mv` captures (0: none), growing with its value; below [`Tactical::VICTIM_MAX`].
    fn victim(&self, mv: Self::Move) -> usize;
    /// Material that `mv` wins immediately, in centipawns: captured piece and gain of a promotion. An upper bound for pruning.
    fn gain_cp(&self, mv: Self::Move) -> i32;
    /// A mate in one, where the game can find one quickly; `None` does not exclude one.
    fn mate_at_once(&self) -> Option<Self::Move> {
        None
    }
    /// Whether the side to move has anything beyond pawns: where it has not, passing is dangerous (zugzwang).
    fn has_pieces(&self) -> bool;
    /// A hash of the part of the position that changes slowly (pawns), for corrections of the static evaluation.
    fn structure_key(&self) -> Key;
    /// A hash of the pieces of each side beyond pawns, for corrections of the static evaluation; in the order of [`Side::ALL`].
    fn piece_keys(&self) -> [Key; 2];
    /// The key after `mv`, for most moves: by it a table's line is asked from memory before the move is played. It may be wrong, and a game
    /// that does not find it quickly gives the key of this position.
    #[inline]
    fn likely_key_after(&self, _mv: Self::Move) -> Key {
        self.key()
    }
    /// Plays a null move; `None` where the search must not (in check).
    fn play_null(&mut self) -> Option<Self::Undo>;
    /// Undoes a null move.
    fn undo_null(&mut self, undo: Self::Undo);
}

/// A partial order with joins over what a side holds in hand.
///
/// Named methods, since a derived `PartialOrd` would be lexicographic and prove false mates.
///
/// # Examples
///
/// ```
/// use tesuji_game::Hand;
///
/// /// Pieces in hand, of two kinds.
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
/// struct Counts(u8, u8);
///
/// impl Hand for Counts {
///     fn covers(self, other: Counts) -> bool {
///         self.0 >= other.0 && self.1 >= other.1
///     }
///     fn join(self, other: Counts) -> Counts {
///         Counts(self.0.max(other.0), self.1.max(other.1))
///     }
///     fn meet(self, other: Counts) -> Counts {
///         Counts(self.0.min(other.0), self.1.min(other.1))
///     }
///     fn full() -> Counts {
///         Counts(18, 4)
///     }
/// }
///
/// let (a, b) = (Counts(2, 0), Counts(1, 1));
/// // Neither dominates the other: what is proved with one hand says nothing about the other.
/// assert!(!a.covers(b) && !b.covers(a));
/// assert_eq!((a.join(b), a.meet(b)), (Counts(2, 1), Counts(1, 0)));
/// assert!(Counts::full().covers(a.join(b)));
/// ```
pub trait Hand: Copy + Eq + Default + Send + Sync {
    /// Whether every count here is at least the other's.
    fn covers(self, other: Self) -> bool;
    /// The larger of each count.
    fn join(self, other: Self) -> Self;
    /// The smaller of each count.
    fn meet(self, other: Self) -> Self;
    /// The hand with all pieces that a side could ever hold.
    fn full() -> Self;
}

impl Hand for () {
    fn covers(self, _: ()) -> bool {
        true
    }
    fn join(self, _: ()) {}
    fn meet(self, _: ()) {}
    fn full() {}
}

/// Positions for mate solvers: checking moves, pieces in hand and their dominance.
///
/// # Examples
///
/// The one check of a position, which mates:
///
/// ```
/// use std::ops::ControlFlow;
/// use tesuji_chess::{Chess, Rules, UciNotation};
/// use tesuji_game::{By, Mating, Notation, Outcome, Position, Side, move_text};
///
/// let mut pos = UciNotation::parse_position(&Rules::default(), "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")?;
/// let mut checks = Vec::new();
/// let _ = pos.for_each_check(|mv| {
///     checks.push(mv);
///     ControlFlow::<()>::Continue(())
/// });
/// assert_eq!(checks.iter().map(|&mv| move_text::<Chess>(&pos, mv)).collect::<Vec<_>>(), ["a1a8"]);
/// pos.play(checks[0]);
/// assert!(!pos.has_moves());
/// assert_eq!(pos.no_legal_moves(), Outcome::win(Side::First, By::Mate));
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
pub trait Mating: Position {
    /// The pieces in hand of a side; `()` in games without hands.
    type Hand: Hand;
    /// The key of the board without hands.
    fn board_key(&self) -> Key;
    /// The pieces in hand of `side`.
    fn hand(&self, side: Side) -> Self::Hand;
    /// Legal moves that give check, until `f` breaks.
    fn for_each_check<B>(&self, f: impl FnMut(Self::Move) -> ControlFlow<B>) -> ControlFlow<B>;
    /// The hand before `mv` that leads to `after`: proof hands walk back through drops and captures.
    fn hand_before(&self, mv: Self::Move, after: Self::Hand) -> Self::Hand;
    /// `hand` with all that the defender must not own, lest it interposes.
    fn hand_unblockable(&self, attacker: Side, hand: Self::Hand) -> Self::Hand;
    /// `hand` without all that the side to move lacks and could drop with check, lest it has more checks than here.
    fn hand_uncheckable(&self, hand: Self::Hand) -> Self::Hand;
    /// The greatest hand of `attacker`'s, up to `hand`, with which the defender can still play `mv`. The hand that it has
    /// is always right.
    fn hand_answered(&self, attacker: Side, _mv: Self::Move, _hand: Self::Hand) -> Self::Hand {
        self.hand(attacker)
    }
    /// What the position lacks to be a problem in which `attacker` mates, in words that say what is expected; `None` where it lacks nothing.
    fn lacks_for_mate(&self, _attacker: Side) -> Option<&'static str> {
        None
    }
    /// A number that moves share of which one mostly tells how the others fare: ways to step onto one square, a
    /// promotion and the same move without it. `None`: no other move is like it.
    fn siblings(&self, _mv: Self::Move) -> Option<u32> {
        None
    }
    /// Drops from `checks`, given here, those after which the king can plainly step away: none of them mates. To drop none
    /// is always right.
    fn keep_close(&self, _checks: &mut Vec<Self::Move>) {}
    /// The key of the board, the key, and the hand of `side` after `mv`, exactly.
    fn after(&self, mv: Self::Move, side: Side) -> (Key, Key, Self::Hand) {
        let mut next = self.clone();
        next.play(mv);
        (next.board_key(), next.key(), next.hand(side))
    }
}

/// One position, one number, now. Each thread clones its own: weights are shared inside, stacks and caches are not.
///
/// Contract: [`Evaluator::reset`] once at the root, then [`Evaluator::push`] after each move played (a null move pushes
/// no changes) and [`Evaluator::pop`] after each taken back. The same value must follow from a fresh `reset`.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Evaluator, Position};
/// use tesuji_testkit::four::{Drop, FourEval, FourPosition};
///
/// let (mut pos, mut eval) = (FourPosition::default(), FourEval::default());
/// eval.reset(&pos);
/// let before = eval.value(&pos);
/// let mut changes = Vec::new();
/// let undo = pos.play_seen(Drop(3), |change| changes.push(change));
/// eval.push(&pos, &changes);
/// let mut fresh = FourEval::default();
/// fresh.reset(&pos);
/// assert_eq!(eval.value(&pos), fresh.value(&pos));
/// pos.undo(Drop(3), undo);
/// eval.pop();
/// assert_eq!(eval.value(&pos), before);
/// ```
pub trait Evaluator<P: Position>: Clone + Send + 'static {
    /// Starts again at `pos`.
    fn reset(&mut self, _pos: &P) {}
    /// `pos` is reached by `changes`.
    fn push(&mut self, _pos: &P, _changes: &[P::Change]) {}
    /// The last push is taken back.
    fn pop(&mut self) {}
    /// The estimate for the side to move at `pos`, the position last reached.
    fn value(&mut self, pos: &P) -> Value;
    /// Starts loading what [`Evaluator::value`] will need at `pos`.
    fn prefetch(&self, _pos: &P) {}
    /// Names and counts of what the caches did since the last [`Evaluator::reset_counts`].
    fn cache_counts(&self) -> Vec<CacheCounts> {
        Vec::new()
    }
    /// Sets the counts of the caches to 0.
    fn reset_counts(&mut self) {}
    /// Forgets everything that was learned from earlier positions (caches).
    fn clear(&mut self) {}
}
