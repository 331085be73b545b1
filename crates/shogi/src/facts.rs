//! Facts about a position that follow from the rules, for work on data.

use crate::{Board, EXCHANGE_CP, Move, Piece, Rules, UsiNotation, packed::Checked};
use tesuji_game::{Notation, Position, Side};
use tesuji_record::{Facts, Fault, Sample};

/// The legal move that `text` is; `number` is for the error.
pub(crate) fn move_at(board: &Board, number: usize, text: &str) -> Result<Move, Fault> {
    UsiNotation::parse_move(board, text)
        .map_err(|_| Fault::IllegalMove { number, text: text.chars().take(20).collect() })
}

/// Position and move as a sample, nothing else known.
pub(crate) fn sample(checked: &Checked) -> Sample {
    let Checked { board, mv } = checked;
    Sample {
        rules: Rules { declaration: board.declaration(), ..Rules::default() }.to_string(),
        position: board.to_string(),
        mv: mv.map(|mv| mv.to_string()).unwrap_or_default(),
        ply: ply_of(board.move_number()),
        facts: Some(facts(board, *mv)),
        ..Sample::default()
    }
}

/// The ply that a position by itself tells by its move number. Number 1 tells none: problems and files without plies have it.
pub(crate) fn ply_of(move_number: u16) -> Option<u32> {
    Some(u32::from(move_number).saturating_sub(1)).filter(|&ply| ply > 0)
}

/// The facts that the rules determine about `board`, and about the move played there. Material is in pawns of
/// [`EXCHANGE_CP`], hands included.
pub(crate) fn facts(board: &Board, mv: Option<Move>) -> Facts {
    let worth = |piece: Piece| if piece == Piece::King { 0 } else { EXCHANGE_CP[piece.index()] };
    let mut sums = [0i32; 2];
    for square in board.occupied() {
        if let Some((side, piece)) = board.at(square) {
            sums[side.index()] += worth(piece);
        }
    }
    for side in Side::ALL {
        sums[side.index()] += board.hand(side).iter().map(|(piece, n)| worth(piece) * i32::from(n)).sum::<i32>();
    }
    Facts {
        key: board.key().0,
        pieces: board.occupied().count() as u16,
        balance: ((sums[0] - sums[1]) / 100) as i16,
        material: ((sums[0] + sums[1]) / 100) as u16,
        check: board.checkers().any(),
        noisy: mv.is_some_and(|mv| board.is_capture(mv) || mv.is_promotion()),
        after_noisy: None,
        after_check: None,
    }
}
