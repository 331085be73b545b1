//! Playouts end, are counted right, and are the same for the same seed.

use super::position;
use tesuji_game::{Position, Random, Side};
use tesuji_go::{Area, BLACK, Board, Cell, CellSet, GoPosition, Move, Rules, Scoring, Size, Small, WHITE};
use tesuji_go_eval::{Chooser, Ended, Heavy, HeavyParameters, Light, Totals, play_out};

fn totals(pos: &GoPosition<Small>, playouts: usize, chooser: &mut impl Chooser<Small>) -> Totals<Small> {
    let mut totals = Totals::default();
    totals.begin(pos);
    totals.play(pos, None, playouts, chooser, &mut Random::new(5));
    totals
}

fn heavy() -> Heavy {
    Heavy::new(HeavyParameters::default())
}

/// Playouts of `chooser` from an empty 9x9 board keep the rules, and their totals agree with a slow count of each.
fn check_invariants(chooser: &mut impl Chooser<Small>) {
    let rules: Rules = "9x9 chinese komi 6.5".parse().unwrap();
    let start = GoPosition::<Small>::start(&rules).unwrap();
    for seed in 0..30 {
        let mut board = *start.board();
        let mut replayed: Board<Small> = Board::new(rules.size);
        let Ended { plies, .. } = play_out(&mut board, BLACK, None, chooser, &mut Random::new(seed), |side, cell| {
            assert!(replayed.is_legal(side, cell) || replayed.ko() == Some(cell), "{cell:?} {replayed:?}");
            replayed.play(side, cell);
        });
        assert!(plies <= 3 * 81, "{plies}");
        assert_eq!(replayed.key(), board.key());
        let count = tesuji_go::score::count(&board, &rules, &CellSet::of([]));
        let margin = count.margin_halves(&rules, 0) as f32 / 2.0;
        let mut one = Totals::default();
        one.begin(&start);
        one.play(&start, None, 1, chooser, &mut Random::new(seed));
        assert_eq!((one.margin(), one.value()), (margin, margin.signum()), "{board:?}");
        let owned: f32 = one.ownership().sum();
        assert_eq!(owned - 6.5, margin);
    }
}

#[test]
fn light_playouts_keep_the_invariants() {
    check_invariants(&mut Light);
}

#[test]
fn heavy_playouts_keep_the_invariants() {
    check_invariants(&mut heavy());
}

#[test]
fn who_has_won_wins_all_playouts() {
    // Two eyes each; Black has 15 points, White 10.
    let rows = ["X.X.X", "XXXXX", "XXXXX", "OOOOO", "O.O.O"];
    for (komi, winner) in [("4.5", 1.0), ("5", 0.0), ("5.5", -1.0)] {
        for side in Side::ALL {
            let pos = position(&format!("5x5 chinese komi {komi}"), &rows, side);
            for totals in [totals(&pos, 50, &mut Light), totals(&pos, 50, &mut heavy())] {
                assert_eq!((totals.value(), totals.count()), (winner, 50));
            }
        }
    }
}

#[test]
fn territory_is_counted_without_stones() {
    // Black has four points of territory and White two: two points more, and nothing was captured.
    let rows = ["X.X..", "XXXX.", "XXXXX", "OOOOO", "O.O.O"];
    let pos = position("5x5 japanese komi 0", &rows, BLACK);
    assert_eq!(pos.rules().scoring, Scoring::Territory);
    assert_eq!(totals(&pos, 20, &mut Light).margin(), 2.0);
}

#[test]
fn moves_as_first_know_the_vital_point() {
    // Anyone who plays the middle of the three points in the corner row decides Black's life.
    let rows = [".....", "OOOOO", "XXXXX", "X...X", "XXXXX"];
    let rows = [rows[0], rows[1], rows[2], rows[3], rows[4]];
    let pos = position("5x5 chinese komi 0.5", &rows, WHITE);
    let all = totals(&pos, 2000, &mut Light);
    let cell = |text: &str| Small::cell(tesuji_go::Vertex::parse(text, pos.size()).unwrap());
    let middle = all.as_first(WHITE, cell("C2"));
    let side = all.as_first(WHITE, cell("B2"));
    assert!(middle.value > side.value, "{middle:?} {side:?}");
    let stone = all.as_first(WHITE, cell("A3"));
    assert!(stone.weight <= 0.5 && middle.weight <= 1.0);
}

#[test]
fn heavy_playouts_capture_and_escape() {
    // White has just put the black stone in the middle into atari by playing at D3; Black takes that stone or runs.
    let rows = [".....", "..O..", ".OXO.", ".....", "....."];
    let pos = position("5x5 chinese", &rows, BLACK);
    let cell = |text: &str| Small::cell(tesuji_go::Vertex::parse(text, pos.size()).unwrap());
    let always = HeavyParameters { escape: 1.0, ..HeavyParameters::default() };
    let mut chooser = Heavy::new(always);
    let mut random = Random::new(3);
    for _ in 0..20 {
        let chosen: Option<Cell> = chooser.choose(pos.board(), BLACK, Some(cell("D3")), &mut random);
        assert_eq!(chosen, Some(cell("C2")));
    }
}

#[test]
fn same_seed_same_totals() {
    let pos = GoPosition::<Small>::start(&Rules { size: Size::square(9).unwrap(), ..Rules::default() }).unwrap();
    let (a, b) = (totals(&pos, 40, &mut heavy()), totals(&pos, 40, &mut heavy()));
    assert_eq!((a.value(), a.margin(), a.plies()), (b.value(), b.margin(), b.plies()));
    assert!(a.ownership().eq(b.ownership()));
    assert!(pos.unpack(Move::PASS.bits()).is_some());
}
