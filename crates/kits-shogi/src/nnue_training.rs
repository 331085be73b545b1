//! Shogi in training of efficiently updatable networks: 81 cells with pieces and 14 with counts of pieces in hand, and the inputs of
//! networks of shogi for them.

use std::cell::RefCell;
use tesuji_game::{Game, Notation, Position, Random, Side};
use tesuji_kit::nnue_training::{NnueTraining, after_random_moves, input_table};
use tesuji_kits_shared::nnue::base_value;
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet},
};
use tesuji_record::{Fault, Sample};
use tesuji_shogi::{Board, Change, Piece, Rules, Shogi, Square};
use tesuji_shogi_eval::{HandEval, nnue::ShogiFeatures};
use tesuji_train::nnue::{BUCKETS, CellLayout, CellPosition, InputTable};

/// Kinds of pieces of one side; values are 1 to 14 for the first side's, 15 to 28 for the second's.
const KINDS: u8 = 14;
/// Kinds in hand.
const HELD: usize = Piece::HAND.len();
/// 81 squares and the hands of both sides; 40 pieces.
const LAYOUT: CellLayout =
    CellLayout { cells: Square::COUNT + 2 * HELD, counts_from: Square::COUNT, value_bits: 5, used_max: 40 };

/// See the file.
pub(super) struct ShogiNnue;

fn value_of(side: Side, piece: Piece) -> u8 {
    1 + piece.index() as u8 + KINDS * side.index() as u8
}

/// The piece of a value.
fn piece_of(value: u8) -> Option<(Side, Piece)> {
    let value = value.checked_sub(1)?;
    let side = if value < KINDS { Side::First } else { Side::Second };
    let piece = Piece::ALL.into_iter().find(|piece| piece.index() == usize::from(value % KINDS))?;
    (value < 2 * KINDS).then_some((side, piece))
}

thread_local! {
    /// The hand-made evaluation of this thread.
    static BASE: RefCell<HandEval> = RefCell::default();
}

/// The board of a sample, with both kings.
fn board_of(sample: &Sample) -> Result<Board, Fault> {
    let rules: Rules = sample.rules.parse().map_err(|_| Fault::Unsupported("rules that are none of shogi"))?;
    let board = <Shogi as Game>::Notation::parse_position(&rules, &sample.position).map_err(Fault::Position)?;
    if Side::ALL.into_iter().any(|side| board.king(side).is_none()) {
        return Err(Fault::Unsupported("a position without a king"));
    }
    Ok(board)
}

/// Cells, side to move, output layers and static value of a board.
fn cells_of(board: &Board) -> CellPosition {
    let mut position = CellPosition::default();
    for side in Side::ALL {
        for square in board.side(side) {
            if let Some(piece) = board.piece_at(square) {
                position.cells[square.index()] = value_of(side, piece);
            }
        }
        for (piece, count) in board.hand(side).iter() {
            position.cells[Square::COUNT + HELD * side.index() + piece.index()] = count;
        }
    }
    position.base = BASE.with_borrow_mut(|eval| base_value(eval, board));
    position.second_to_move = board.side_to_move() == Side::Second;
    position.bucket = ShogiFeatures::Plain.output_bucket(board, BUCKETS) as u8;
    position
}

impl NnueTraining for ShogiNnue {
    fn layout(&self) -> CellLayout {
        LAYOUT
    }

    fn position(&self, sample: &Sample) -> Result<CellPosition, Fault> {
        board_of(sample).map(|board| cells_of(&board))
    }

    fn branch(&self, sample: &Sample, random: &mut Random) -> Result<Option<CellPosition>, Fault> {
        Ok(after_random_moves(board_of(sample)?, random).map(|board| cells_of(&board)))
    }

    fn table(&self, architecture: &Architecture) -> Result<InputTable, NetError> {
        let features = ShogiFeatures::new(architecture)?;
        let appear = |cell: usize, value: u8| {
            if let Some(held) = cell.checked_sub(Square::COUNT) {
                let side = Side::ALL[held / HELD];
                let piece = Piece::HAND[held % HELD];
                let most = Piece::SET[held % HELD];
                return (value <= most).then_some(Change::Gain { side, piece, count: value });
            }
            let (side, piece) = piece_of(value)?;
            Some(Change::Appear { side, piece, square: Square::from_index(cell as u8)? })
        };
        // The frame of a board with that king alone: sets with frames go by its square.
        let frame = |side: Side, cell: usize| {
            let Some(square) = Square::from_index(cell as u8) else { return 0 };
            king(side, square).map_or(0, |board| features.frame(&board, side))
        };
        let kings = Side::ALL.map(|side| value_of(side, Piece::King));
        input_table::<Board, _>(&features, LAYOUT, kings, appear, frame)
    }

    /// The board from left to right.
    fn mirror(&self) -> Option<Vec<u8>> {
        let square = |cell: usize| (8 - cell / 9) * 9 + cell % 9;
        let to = |cell: usize| if cell < Square::COUNT { square(cell) } else { cell };
        Some((0..LAYOUT.cells).map(|cell| to(cell) as u8).collect())
    }
}

/// A board with one king.
fn king(side: Side, square: Square) -> Option<Board> {
    let letter = if side == Side::First { 'K' } else { 'k' };
    let rank = |rank: u8| -> String {
        let cell = |file: u8| if Square::new(file, rank) == square { letter } else { '1' };
        (0..9).rev().map(cell).collect()
    };
    let ranks: Vec<String> = (0..9).map(rank).collect();
    let turn = if side == Side::First { 'b' } else { 'w' };
    <Shogi as Game>::Notation::parse_position(&Rules::default(), &format!("{} {turn} - 1", ranks.join("/"))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_shogi_eval::nnue::{SHAPES, shape};

    /// Random games, seen by the feature sets themselves and through cells.
    #[test]
    fn cells_have_the_inputs_of_positions() {
        let mut random = Random::new(4);
        let tables: Vec<_> = SHAPES
            .iter()
            .map(|name| shape(name).unwrap())
            .map(|shape| (ShogiFeatures::new(&shape).unwrap(), ShogiNnue.table(&shape).unwrap()))
            .collect();
        let rules = Rules::default();
        let (mut board, mut record, mut in_hand) = (Shogi::start(&rules), Vec::new(), 0);
        for _ in 0..800 {
            let moves = board.legal_moves();
            if moves.is_empty() {
                board = Shogi::start(&rules);
                continue;
            }
            board.play(moves[random.below(moves.len())]);
            let mut text = String::new();
            <Shogi as Game>::Notation::write_position(&board, &mut text).unwrap();
            let position = ShogiNnue.position(&Sample { position: text, ..Sample::default() }).unwrap();
            assert_eq!(position.second_to_move, board.side_to_move() == Side::Second);
            in_hand += usize::from(position.cells[Square::COUNT..].iter().any(|&count| count > 1));
            record.clear();
            LAYOUT.pack(&position, &mut record).unwrap();
            for (features, table) in &tables {
                assert_eq!(table.active(&record), Side::ALL.map(|side| features.active(&board, side)));
                assert_eq!(usize::from(position.bucket), features.output_bucket(&board, BUCKETS));
            }
        }
        assert!(in_hand > 100, "{in_hand}");
    }
}
