//! Words of moves against the examples of the Japan Shogi Association ("棋譜の表記方法").

use tesuji_game::Side;
use tesuji_shogi::{Board, Move, Piece, Setup, Square, japanese};

fn square(digits: u8) -> Square {
    Square::new(digits / 10 - 1, digits % 10 - 1)
}

/// Pieces of one kind, of Black or turned round of White.
fn board(piece: Piece, origins: &[u8], side: Side) -> Board {
    let mut setup = Setup { side, ..Setup::EMPTY };
    for &origin in origins {
        setup.cells[square(origin).relative(side).index()] = Some((side, piece));
    }
    setup.board().expect("a position without kings")
}

/// A kind, a target, and each origin with its words.
type Example = (Piece, u8, &'static [(u8, &'static str)]);

/// Every example of the page.
const EXAMPLES: [Example; 22] = [
    (Piece::Gold, 82, &[(93, "上"), (72, "寄")]),
    (Piece::Gold, 32, &[(43, "上"), (31, "引")]),
    (Piece::Gold, 55, &[(56, "上"), (45, "寄")]),
    (Piece::Silver, 88, &[(89, "上"), (77, "引")]),
    (Piece::Silver, 38, &[(29, "上"), (47, "引")]),
    (Piece::Gold, 81, &[(92, "左"), (72, "右")]),
    (Piece::Gold, 22, &[(32, "左"), (12, "右")]),
    (Piece::Silver, 56, &[(65, "左"), (45, "右")]),
    (Piece::Gold, 78, &[(89, "左"), (79, "直")]),
    (Piece::Silver, 38, &[(39, "直"), (29, "右")]),
    (Piece::Gold, 52, &[(63, "左"), (53, "直"), (43, "右")]),
    (Piece::ProPawn, 88, &[(79, "右"), (89, "直"), (99, "左上"), (98, "寄"), (87, "引")]),
    (Piece::Silver, 28, &[(29, "直"), (17, "右"), (39, "左上"), (37, "左引")]),
    (Piece::Dragon, 82, &[(91, "引"), (84, "上")]),
    (Piece::Dragon, 43, &[(23, "寄"), (52, "引")]),
    (Piece::Dragon, 35, &[(55, "左"), (15, "右")]),
    (Piece::Dragon, 88, &[(99, "左"), (89, "右")]),
    (Piece::Dragon, 17, &[(28, "左"), (19, "右")]),
    (Piece::Horse, 82, &[(91, "左"), (81, "右")]),
    (Piece::Horse, 85, &[(95, "寄"), (63, "引")]),
    (Piece::Horse, 12, &[(11, "引"), (34, "上")]),
    (Piece::Horse, 77, &[(99, "左"), (59, "右")]),
];

#[test]
fn moves_are_told_apart_as_the_association_does() {
    for (piece, target, origins) in EXAMPLES {
        let squares: Vec<u8> = origins.iter().map(|o| o.0).collect();
        for side in Side::ALL {
            let board = board(piece, &squares, side);
            let to = square(target).relative(side);
            for (origin, words) in origins {
                let mv = Move::normal(square(*origin).relative(side), to);
                let stays = if piece == Piece::Silver && to.in_zone(side) { "不成" } else { "" };
                let expected = format!("{}{}{words}{stays}", japanese::square_name(to), japanese::piece_name(piece));
                assert_eq!(japanese::in_words(&board, mv, None), expected, "{board}");
                assert_eq!(japanese::parse(&board, &expected, None), Some(mv));
            }
        }
    }
}

#[test]
fn drops_are_told_where_a_piece_could_go_too() {
    let board = tesuji_shogi::sfen::parse("4k4/9/9/9/9/9/9/4G4/4K4 b G 1").expect("a position");
    let drop = |digits: u8| Move::drop(Piece::Gold, square(digits));
    assert_eq!(japanese::in_words(&board, drop(57), None), "５七金打");
    assert_eq!(japanese::in_words(&board, drop(55), None), "５五金");
    assert_eq!(japanese::parse(&board, "55金打", None), Some(drop(55)));
    assert_eq!(japanese::parse(&board, "▲５七金", None), Some(Move::normal(square(58), square(57))));
    assert_eq!(japanese::parse(&board, "同金", None), None);
    assert_eq!(japanese::western(&board, drop(57)), "G*5g");
    assert_eq!(japanese::western(&board, Move::normal(square(58), square(57))), "G-5g");
}
