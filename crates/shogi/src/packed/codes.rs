//! The two tables of prefix codes, Apery's and YaneuraOu's, and what is made of them: codes by piece, pieces by the next eight bits.

use crate::Piece;
use tesuji_game::Side;

/// The program whose Huffman codes a position is packed in. The lengths are the same in both, only the bits differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Apery's `HuffmanCodedPos`, called hcp.
    Apery,
    /// YaneuraOu's `PackedSfen`.
    Yaneuraou,
}

/// The order of kinds in hands and in the box.
pub(super) const ORDER: [Piece; 7] =
    [Piece::Pawn, Piece::Lance, Piece::Knight, Piece::Silver, Piece::Gold, Piece::Bishop, Piece::Rook];

/// Length of a kind's code on the board, by [`ORDER`]; in hand it is one less.
const LENGTH: [u8; 7] = [4, 6, 6, 6, 6, 8, 8];

/// Black, White, promoted Black, promoted White, by [`ORDER`]; the lowest bit comes first. Golds do not promote.
type OnBoard = [[u8; 4]; 7];
/// Black's hand, White's hand, box (pieces the game is played without), by [`ORDER`].
type OffBoard = [[u8; 3]; 7];

const APERY_BOARD: OnBoard = [
    [0b0001, 0b0101, 0b1001, 0b1101],
    [0b000011, 0b010011, 0b100011, 0b110011],
    [0b000111, 0b010111, 0b100111, 0b110111],
    [0b001011, 0b011011, 0b101011, 0b111011],
    [0b001111, 0b101111, 0b001111, 0b101111],
    [0b00011111, 0b01011111, 0b10011111, 0b11011111],
    [0b00111111, 0b01111111, 0b10111111, 0b11111111],
];
const APERY_HAND: OffBoard = [
    [0b000, 0b100, 0b010],
    [0b00001, 0b10001, 0b01001],
    [0b00011, 0b10011, 0b01011],
    [0b00101, 0b10101, 0b01101],
    [0b00111, 0b10111, 0b11101],
    [0b0011111, 0b1011111, 0b0001111],
    [0b0111111, 0b1111111, 0b0101111],
];
const YANEURAOU_BOARD: OnBoard = [
    [0b0001, 0b1001, 0b0101, 0b1101],
    [0b000011, 0b100011, 0b010011, 0b110011],
    [0b001011, 0b101011, 0b011011, 0b111011],
    [0b000111, 0b100111, 0b010111, 0b110111],
    [0b001111, 0b101111, 0b001111, 0b101111],
    [0b00011111, 0b10011111, 0b01011111, 0b11011111],
    [0b00111111, 0b10111111, 0b01111111, 0b11111111],
];
const YANEURAOU_HAND: OffBoard = [
    [0b000, 0b100, 0b010],
    [0b00001, 0b10001, 0b01001],
    [0b00101, 0b10101, 0b01101],
    [0b00011, 0b10011, 0b01011],
    [0b00111, 0b10111, 0b11011],
    [0b0001111, 0b1001111, 0b0101111],
    [0b0011111, 0b1011111, 0b0111111],
];

/// A code: its bits, the first one lowest, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    pub bits: u8,
    pub length: u8,
}

/// The meaning of the next bits on the board. A length of 0: nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub length: u8,
    /// The bits of the same in the other coding.
    pub other: u8,
    pub what: Option<(Side, Piece)>,
}

/// The meaning of the next bits behind the board: a piece in the hand of 0 or 1, or 2: in the box. A length of 0: nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spare {
    pub length: u8,
    /// The bits of the same in the other coding.
    pub other: u8,
    pub place: u8,
    pub piece: Piece,
}

/// The codes of one family, both ways.
pub(super) struct Codes {
    /// Code of side and kind on the board; no code for kings.
    pub board: [[Code; 14]; 2],
    /// Code of a kind in the hands and in the box, by the index of the kind.
    pub spare: [[Code; 7]; 3],
    /// Reading the board: by the next eight bits.
    pub cells: [Cell; 256],
    /// Reading what is behind the board: by the next seven bits.
    pub spares: [Spare; 128],
}

pub(super) static APERY: Codes = codes(APERY_BOARD, APERY_HAND, YANEURAOU_BOARD, YANEURAOU_HAND);
pub(super) static YANEURAOU: Codes = codes(YANEURAOU_BOARD, YANEURAOU_HAND, APERY_BOARD, APERY_HAND);

impl Coding {
    pub(super) fn codes(self) -> &'static Codes {
        match self {
            Coding::Apery => &APERY,
            Coding::Yaneuraou => &YANEURAOU,
        }
    }
}

const fn codes(on_board: OnBoard, off_board: OffBoard, other_on: OnBoard, other_off: OffBoard) -> Codes {
    let none = Code { bits: 0, length: 0 };
    let mut all = Codes {
        board: [[none; 14]; 2],
        spare: [[none; 7]; 3],
        cells: [Cell { length: 0, other: 0, what: None }; 256],
        spares: [Spare { length: 0, other: 0, place: 0, piece: Piece::Pawn }; 128],
    };
    fill_cells(&mut all.cells, Code { bits: 0, length: 1 }, 0, None);
    let mut i = 0;
    while i < 7 {
        let base = ORDER[i];
        let mut form = 0;
        while form < 4 {
            let side = if form % 2 == 0 { Side::First } else { Side::Second };
            let piece = if form < 2 { Some(base) } else { base.promoted() };
            if let Some(piece) = piece {
                let code = Code { bits: on_board[i][form], length: LENGTH[i] };
                all.board[form % 2][piece.index()] = code;
                fill_cells(&mut all.cells, code, other_on[i][form], Some((side, piece)));
            }
            form += 1;
        }
        let mut place = 0;
        while place < 3 {
            let code = Code { bits: off_board[i][place], length: LENGTH[i] - 1 };
            all.spare[place][base.index()] = code;
            let mut rest = 0;
            while rest < 1 << (7 - code.length) {
                let spare = &mut all.spares[code.bits as usize | rest << code.length];
                assert!(spare.length == 0, "no code begins another");
                *spare = Spare { length: code.length, other: other_off[i][place], place: place as u8, piece: base };
                rest += 1;
            }
            place += 1;
        }
        i += 1;
    }
    all
}

/// Enters a code under all continuations.
const fn fill_cells(cells: &mut [Cell; 256], code: Code, other: u8, what: Option<(Side, Piece)>) {
    let mut rest = 0;
    while rest < 1 << (8 - code.length) {
        let cell = &mut cells[code.bits as usize | rest << code.length];
        assert!(cell.length == 0, "no code begins another");
        *cell = Cell { length: code.length, other, what };
        rest += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position has 256 bits because of this: what leaves the board for a hand takes one bit less, which the square takes.
    #[test]
    fn the_board_has_no_gaps_and_spares_have_known_ones() {
        for (codes, gaps) in [(&APERY, 2), (&YANEURAOU, 2)] {
            assert!(codes.cells.iter().all(|cell| cell.length > 0));
            let free = codes.spares.iter().filter(|spare| spare.length == 0).count();
            // White's promoted pawn, lance and one more of five bits, and two of seven cannot lie in a hand.
            assert_eq!(free, 16 + 4 + 4 + gaps);
        }
    }
}
