//! The toy game keeps the invariants, and the invariants notice when a game breaks them.

mod shapes;

use tesuji_game::{By, Game, Line, Outcome, Position, Side};
use tesuji_testkit::{
    conform,
    four::{Drop, Four, FourEval, FourPosition, NoRules},
};

#[test]
fn connect_four_keeps_the_invariants() {
    let start = FourPosition::default();
    conform::position_invariants(&start, 0..60);
    conform::tactical_invariants(&start, 0..60);
    conform::evaluator_invariants(&start, &FourEval::default(), 0..60);
    conform::notation_invariants::<Four>(&NoRules, 0..60);
}

/// Connect Four by a board of cells, without any bit trick.
fn slow_outcome(columns: &[u8]) -> Option<Outcome> {
    let mut board = vec![Vec::new(); 7];
    for (i, &c) in columns.iter().enumerate() {
        board[usize::from(c)].push(if i % 2 == 0 { Side::First } else { Side::Second });
    }
    let at = |c: i32, r: i32| -> Option<Side> { board.get(c as usize)?.get(usize::try_from(r).ok()?).copied() };
    for c in 0..7 {
        for r in 0..6 {
            for (dc, dr) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
                if let Some(side) = at(c, r)
                    && (1..4).all(|k| c + k * dc < 7 && at(c + k * dc, r + k * dr) == Some(side))
                {
                    return Some(Outcome::win(side, By::Mate));
                }
            }
        }
    }
    (columns.len() == 42).then_some(Outcome::draw(By::NoMoves))
}

#[test]
fn connect_four_ends_as_a_slow_board_says() {
    conform::random_games(&FourPosition::default(), 0..300, |line, _| {
        let columns: Vec<u8> = line.moves().map(|m| m.0).collect();
        assert_eq!(line.outcome(), slow_outcome(&columns), "{columns:?}");
    });
    let mut line = Line::new(Four::start(&NoRules));
    for c in [3, 0, 3, 0, 3, 0, 3] {
        line.push(Drop(c));
    }
    assert_eq!(line.outcome(), Some(Outcome::win(Side::First, By::Mate)));
    assert!(!line.here().has_moves());
}

/// An evaluator that forgets to take back its pushes.
#[derive(Clone)]
struct Forgetful(FourEval);

impl tesuji_game::Evaluator<FourPosition> for Forgetful {
    fn reset(&mut self, pos: &FourPosition) {
        self.0.reset(pos);
    }
    fn push(&mut self, pos: &FourPosition, changes: &[tesuji_testkit::four::Disc]) {
        self.0.push(pos, changes);
    }
    fn value(&mut self, pos: &FourPosition) -> tesuji_game::Value {
        self.0.value(pos)
    }
}

#[test]
#[should_panic(expected = "the value after walking back")]
fn a_broken_evaluator_is_noticed() {
    conform::evaluator_invariants(&FourPosition::default(), &Forgetful(FourEval::default()), 0..20);
}
