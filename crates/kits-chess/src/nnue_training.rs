//! Chess in training of efficiently updatable networks: 64 cells with pieces, and the inputs of networks of chess for them.

use std::sync::OnceLock;
use tesuji_chess::{Board, Change, Chess, Piece, Rules, Square};
use tesuji_chess_eval::nnue::{ChessFeatures, SHAPES, shape};
use tesuji_game::{Game, Notation, Position, Side};
use tesuji_kit::nnue_training::{NnueTraining, input_table};
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet},
};
use tesuji_record::{Fault, Sample};
use tesuji_train::nnue::{BUCKETS, CellLayout, CellPosition, InputTable};

/// Kinds of pieces of one side; values are 1 to 6 for the first side's, 7 to 12 for the second's.
const KINDS: u8 = 6;
/// 64 squares, 32 pieces: records of 32 bytes.
const LAYOUT: CellLayout = CellLayout { cells: 64, counts_from: 64, value_bits: 4, used_max: 32 };

/// See the file.
pub(super) struct ChessNnue;

fn value_of(side: Side, piece: Piece) -> u8 {
    1 + piece.index() as u8 + KINDS * side.index() as u8
}

/// The piece of a value.
fn piece_of(value: u8) -> Option<(Side, Piece)> {
    let value = value.checked_sub(1)?;
    let side = if value < KINDS { Side::First } else { Side::Second };
    (value < 2 * KINDS).then(|| Piece::from_index(usize::from(value % KINDS)).map(|piece| (side, piece)))?
}

/// A board with two kings, that of `side` on `square`; `None` where the other one finds no place.
fn kings(side: Side, square: Square) -> Option<Board> {
    let corner = Square::from_index(if square.index() < 32 { 63 } else { 0 });
    let mut ranks = [[' '; 8]; 8];
    let letters = if side == Side::First { ['K', 'k'] } else { ['k', 'K'] };
    for (square, letter) in [square, corner].into_iter().zip(letters) {
        ranks[square.index() / 8][square.index() % 8] = letter;
    }
    let rank = |rank: &[char; 8]| rank.iter().map(|&c| if c == ' ' { '1' } else { c }).collect::<String>();
    let text: Vec<String> = ranks.iter().rev().map(rank).collect();
    <Chess as Game>::Notation::parse_position(&Rules::default(), &format!("{} w - - 0 1", text.join("/"))).ok()
}

/// What sets of output layers go by is the same for all feature sets.
fn any_features() -> Option<&'static ChessFeatures> {
    static ANY: OnceLock<Option<ChessFeatures>> = OnceLock::new();
    ANY.get_or_init(|| ChessFeatures::new(&shape(SHAPES[0])?).ok()).as_ref()
}

impl NnueTraining for ChessNnue {
    fn layout(&self) -> CellLayout {
        LAYOUT
    }

    fn position(&self, sample: &Sample) -> Result<CellPosition, Fault> {
        let rules: Rules =
            sample.rules.parse().map_err(|_| Fault::Unsupported("rules other than chess and chess960"))?;
        let board = <Chess as Game>::Notation::parse_position(&rules, &sample.position).map_err(Fault::Position)?;
        let mut position = CellPosition::default();
        for square in board.occupied() {
            if let (Some(side), Some(piece)) = (board.side_at(square), board.piece_at(square)) {
                position.cells[square.index()] = value_of(side, piece);
            }
        }
        position.second_to_move = board.side_to_move() == Side::Second;
        position.bucket = any_features().map_or(0, |features| features.output_bucket(&board, BUCKETS)) as u8;
        Ok(position)
    }

    fn table(&self, architecture: &Architecture) -> Result<InputTable, NetError> {
        let features = ChessFeatures::new(architecture)?;
        let appear = |cell: usize, value: u8| {
            let (side, piece) = piece_of(value)?;
            Some(Change::Appear { side, piece, square: Square::from_index(cell as u8) })
        };
        let frame = |side: Side, cell: usize| {
            kings(side, Square::from_index(cell as u8)).map_or(0, |board| features.frame(&board, side))
        };
        let kings = Side::ALL.map(|side| value_of(side, Piece::King));
        input_table::<Board, _>(&features, LAYOUT, kings, appear, frame)
    }

    /// Castling is not the same on both sides, and mirrored feature sets know what is.
    fn mirror(&self) -> Option<Vec<u8>> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_chess::fen;
    use tesuji_game::Random;

    /// Random games, seen by the feature sets themselves and through cells.
    #[test]
    fn cells_have_the_inputs_of_positions() {
        let mut random = Random::new(4);
        let tables: Vec<_> = SHAPES
            .iter()
            .map(|name| shape(name).unwrap())
            .map(|shape| (ChessFeatures::new(&shape).unwrap(), ChessNnue.table(&shape).unwrap()))
            .collect();
        let (mut board, mut record) = (Board::start(), Vec::new());
        for _ in 0..600 {
            let moves = board.legal_moves();
            if moves.is_empty() || board.occupied().count() < 4 {
                board = Board::start();
                continue;
            }
            board.play(moves[random.below(moves.len())]);
            let sample = Sample { position: fen::to_string(&board), ..Sample::default() };
            let position = ChessNnue.position(&sample).unwrap();
            assert_eq!(position.second_to_move, board.side_to_move() == Side::Second);
            record.clear();
            LAYOUT.pack(&position, &mut record).unwrap();
            assert_eq!(record.len(), 32);
            for (features, table) in &tables {
                assert_eq!(table.active(&record), Side::ALL.map(|side| features.active(&board, side)));
                assert_eq!(usize::from(position.bucket), features.output_bucket(&board, BUCKETS));
            }
        }
    }
}
