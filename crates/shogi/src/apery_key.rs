//! The keys by which Apery's books know positions: they come from the 64-bit Mersenne Twister, so that all programs agree.

use crate::{Board, Piece};
use tesuji_game::{Position, Side};

/// Words of the generator's state (Nishimura and Matsumoto, MT19937-64).
const STATE: usize = 312;
/// Half way around the state.
const MIDDLE: usize = 156;
/// Codes of pieces: empty squares, Black's from 1, White's from 17.
const MEN: usize = 31;
/// Counts of a kind in hand: 0 to 18.
const COUNTS: usize = 19;

/// All words, in the order in which the generator gives them: pieces by square, hands, the turn.
static WORDS: [u64; MEN * 81 + 7 * COUNTS + 1] = words();

const fn words() -> [u64; MEN * 81 + 7 * COUNTS + 1] {
    let mut state = [5489u64; STATE];
    let mut i = 1;
    while i < STATE {
        let before = state[i - 1];
        state[i] = (before ^ before >> 62).wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i as u64);
        i += 1;
    }
    let mut words = [0; MEN * 81 + 7 * COUNTS + 1];
    let mut i = 0;
    while i < words.len() {
        let here = i % STATE;
        let (next, far) = ((here + 1) % STATE, (here + MIDDLE) % STATE);
        let joined = state[here] & 0xFFFF_FFFF_8000_0000 | state[next] & 0x7FFF_FFFF;
        let twist = if joined & 1 == 1 { 0xB502_6F5A_A966_19E9 } else { 0 };
        state[here] = state[far] ^ joined >> 1 ^ twist;
        let mut word = state[here];
        word ^= word >> 29 & 0x5555_5555_5555_5555;
        word ^= word << 17 & 0x71D6_7FFF_EDA6_0000;
        word ^= word << 37 & 0xFFF7_EEE0_0000_0000;
        words[i] = word ^ word >> 43;
        i += 1;
    }
    words
}

/// The kinds in the order of Apery's hands.
const HAND: [Piece; 7] =
    [Piece::Pawn, Piece::Lance, Piece::Knight, Piece::Silver, Piece::Gold, Piece::Bishop, Piece::Rook];

/// The key of a position in a book of Apery's: the pieces on the board, the hand of the side to move, and its turn.
///
/// # Examples
/// ```
/// use tesuji_shogi::{apery_key, sfen};
/// let start = sfen::parse("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1").unwrap();
/// assert_eq!(apery_key(&start), 0xeebe_8ee7_e1ad_7e15);
/// ```
pub fn apery_key(board: &Board) -> u64 {
    let me = board.side_to_move();
    let mut key = 0;
    for square in board.occupied() {
        let Some((side, piece)) = board.at(square) else { continue };
        // Its codes of kinds are ours and one.
        let man = piece.index() + 1 + if side == Side::First { 0 } else { 16 };
        key ^= WORDS[man * 81 + square.index()];
    }
    for (kind, piece) in HAND.into_iter().enumerate() {
        key ^= WORDS[MEN * 81 + kind * COUNTS + usize::from(board.hand(me).count(piece))];
    }
    if me == Side::Second { key ^ WORDS[MEN * 81 + 7 * COUNTS] } else { key }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sfen;

    /// The keys that cshogi 1.1.0 tells (`Board(sfen).book_key()`).
    #[test]
    fn keys_are_those_of_cshogi() {
        let check = |text: &str, key: u64| assert_eq!(apery_key(&sfen::parse(text).unwrap()), key, "{text}");
        check("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", 0xeebe_8ee7_e1ad_7e15);
        check("lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2", 0x3e7b_1f82_5672_20d5);
        check("1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161", 0xbf57_185e_7a47_a3ac);
        check("+B+R5n1/5gk2/p1pps1gp1/4ppnsK/6pP1/1PPSP3L/PR1P1PP2/6S2/L2G1G3 w B2N2LP2p 1", 0xb865_5f0d_67dc_6174);
        check("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", 0x40ea_08fa_e0b8_3066);
    }
}
