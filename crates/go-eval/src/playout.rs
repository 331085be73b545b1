//! One playout: moves by a chooser until both sides have none, on the raw board.

use tesuji_game::{Random, Side};
use tesuji_go::{Area, Board, Cell};

/// A policy that chooses the moves of a playout.
pub trait Chooser<A: Area>: Clone + Send {
    /// A legal move for `side`; `None` to pass. `last` is what the other side just played, if it did not pass.
    fn choose(&mut self, board: &Board<A>, side: Side, last: Option<Cell>, random: &mut Random) -> Option<Cell>;
}

/// The end of a playout; the board tells the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Moves and passes played.
    pub plies: usize,
    /// The side that passed first, if any did.
    pub first_pass: Option<Side>,
}

/// Plays `board` to its end, `side` first. Each stone is told to `seen` before it is played.
///
/// Simple ko is kept, superko is not: two passes end a playout, or three times as many plies as the board has points.
pub fn play_out<A: Area>(
    board: &mut Board<A>,
    mut side: Side,
    mut last: Option<Cell>,
    chooser: &mut impl Chooser<A>,
    random: &mut Random,
    mut seen: impl FnMut(Side, Cell),
) -> Ended {
    let plies_max = 3 * board.size().points();
    let mut ended = Ended { plies: 0, first_pass: None };
    let mut passes = 0;
    while passes < 2 && ended.plies < plies_max {
        last = chooser.choose(board, side, last, random);
        match last {
            Some(cell) => {
                seen(side, cell);
                board.play(side, cell);
                passes = 0;
            }
            None => {
                board.pass();
                ended.first_pass = ended.first_pass.or(Some(side));
                passes += 1;
            }
        }
        side = !side;
        ended.plies += 1;
    }
    ended
}

/// Chooses evenly among the legal moves that fill no own true eye.
#[derive(Debug, Clone, Copy, Default)]
pub struct Light;

impl<A: Area> Chooser<A> for Light {
    #[inline(always)]
    fn choose(&mut self, board: &Board<A>, side: Side, _: Option<Cell>, random: &mut Random) -> Option<Cell> {
        choose_evenly(board, random, |cell| board.is_legal(side, cell) && !board.is_true_eye(side, cell))
    }
}

/// A point chosen evenly among the empty ones that are `good`; `None` if there is none.
#[inline(always)]
pub(crate) fn choose_evenly<A: Area>(
    board: &Board<A>,
    random: &mut Random,
    good: impl Fn(Cell) -> bool,
) -> Option<Cell> {
    let empties = board.empties();
    // Most points are good: a few tries are cheaper than a list.
    for _ in 0..6 {
        let wide = (random.next_u64() >> 32) * empties.len() as u64;
        let cell = *empties.get((wide >> 32) as usize)?;
        if good(cell) {
            return Some(cell);
        }
    }
    let (mut seen, mut chosen) = (0, None);
    for &cell in empties.iter().filter(|&&cell| good(cell)) {
        seen += 1;
        if random.below(seen) == 0 {
            chosen = Some(cell);
        }
    }
    chosen
}
