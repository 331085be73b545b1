//! Move by move against `cozy-chess` and `shakmaty` along random games of both variants; 200,000 positions with `SLOW=1`.

use shakmaty::{CastlingMode, FromSetup, Position as _};
use std::{collections::BTreeSet, str::FromStr};
use tesuji_chess::{Board, Rules, fen};
use tesuji_game::{Position, Random};

fn ours(board: &Board) -> BTreeSet<String> {
    board.legal_moves().into_iter().map(|mv| mv.to_string()).collect()
}

fn cozy(board: &cozy_chess::Board) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    board.generate_moves(|moves| {
        all.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    all
}

fn shakmaties(board: &shakmaty::Chess) -> BTreeSet<String> {
    board.legal_moves().iter().map(|mv| mv.to_uci(CastlingMode::Chess960).to_string()).collect()
}

/// A start position of Chess960 by a seed: bishops on both colours, king between the rooks.
fn shuffled_start(random: &mut Random) -> String {
    loop {
        let mut row = *b"rnbqkbnr";
        random.shuffle(&mut row);
        let at = |c: u8| row.iter().position(|&x| x == c).unwrap_or(0);
        let last = |c: u8| row.iter().rposition(|&x| x == c).unwrap_or(0);
        if at(b'r') < at(b'k') && at(b'k') < last(b'r') && (at(b'b') + last(b'b')) % 2 == 1 {
            let black = String::from_utf8_lossy(&row).to_string();
            let white = black.to_uppercase();
            return format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
        }
    }
}

/// Plays random games from positions that `start` gives and compares all three at every position.
fn compare(positions: usize, chess960: bool, seed: u64) {
    let mut random = Random::new(seed);
    let mut seen = 0;
    while seen < positions {
        let text = if chess960 { shuffled_start(&mut random) } else { fen::to_string(&Board::start()) };
        let mut board =
            fen::parse(&text, &Rules { chess960, ..Rules::default() }, fen::Care::Strict).expect("a position");
        for _ in 0..160 {
            let here = fen::to_string(&board);
            let mut shredder = String::new();
            fen::write_shredder(&board, &mut shredder).expect("writing to a string");
            let other = cozy_chess::Board::from_fen(&shredder, true).unwrap_or_else(|e| panic!("{shredder}: {e}"));
            let mode = CastlingMode::Chess960;
            let setup = shakmaty::fen::Fen::from_str(&here).unwrap_or_else(|e| panic!("{here}: {e}")).into_setup();
            let third = shakmaty::Chess::from_setup(setup, mode).unwrap_or_else(|e| panic!("{here}: {e}"));
            let moves = ours(&board);
            assert_eq!(moves, cozy(&other), "{here} (cozy-chess)");
            assert_eq!(moves, shakmaties(&third), "{here} (shakmaty)");
            assert_eq!(board.checkers().any(), third.is_check(), "{here}");
            assert_eq!(board.is_dead(), third.is_insufficient_material(), "{here}");
            assert_eq!(board.count_moves(), moves.len());
            seen += 1;
            let list = board.legal_moves();
            if list.is_empty() || board.is_dead() {
                break;
            }
            // Captures and pushes are preferred now and then, so that games reach few pieces and promotions.
            let mut mv = list[random.below(list.len())];
            if random.below(3) == 0 {
                mv = list.iter().copied().find(|&m| board.is_capture(m) || m.promotion().is_some()).unwrap_or(mv);
            }
            board.play(mv);
        }
    }
}

#[test]
fn legal_moves_equal_two_other_generators() {
    let positions = if tesuji_testkit::needs::is_slow() { 200_000 } else { 10_000 };
    compare(positions, false, 1);
    compare(positions, true, 2);
}
