//! The 960 start positions of Chess960, by their numbers.

use crate::{Board, Rules, fen};

/// The number of start positions.
pub const STARTS: usize = 960;
/// The number of the usual start position.
pub const USUAL_START: usize = 518;

/// The files of the two knights among the five that bishops and queen leave, for each of the ten pairs.
const KNIGHTS: [[usize; 2]; 10] = [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

/// The start position with this number, 0 to 959 (Reinhard Scharnagl's numbers, 2004; larger ones begin again), as a FEN.
///
/// # Examples
/// ```
/// use tesuji_chess::chess960::{USUAL_START, start};
/// assert!(start(USUAL_START).starts_with("rnbqkbnr/pppppppp/"));
/// assert!(start(0).starts_with("bbqnnrkr/"));
/// ```
pub fn start(number: usize) -> String {
    let mut rank = [' '; 8];
    let number = number % STARTS;
    let (rest, light) = (number / 4, number % 4);
    rank[2 * light + 1] = 'b';
    let (rest, dark) = (rest / 4, rest % 4);
    rank[2 * dark] = 'b';
    let (pair, queen) = (rest / 6, rest % 6);
    let mut place = |index: usize, piece: char| {
        if let Some(free) = rank.iter_mut().filter(|square| **square == ' ').nth(index) {
            *free = piece;
        }
    };
    place(queen, 'q');
    // The later knight first: it does not move the place of the other one.
    KNIGHTS[pair].iter().rev().for_each(|&index| place(index, 'n'));
    "rkr".chars().for_each(|piece| place(0, piece));
    let black: String = rank.iter().collect();
    let white = black.to_ascii_uppercase();
    let text = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    // As records write it.
    fen::parse(&text, &Rules { chess960: true, ..Rules::default() }, fen::Care::Strict)
        .map_or(text, |board: Board| fen::to_string(&board))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use tesuji_game::Position;

    #[test]
    fn all_start_positions_differ_and_follow_the_rules() {
        let all: BTreeSet<String> = (0..STARTS).map(start).collect();
        assert_eq!(all.len(), STARTS);
        for text in &all {
            let rank = text.split('/').next().unwrap();
            let at = |piece: char| rank.match_indices(piece).map(|(at, _)| at).collect::<Vec<_>>();
            assert_eq!(at('b')[0] % 2, 1 - at('b')[1] % 2, "{text}: bishops on both colours");
            assert!(at('r')[0] < at('k')[0] && at('k')[0] < at('r')[1], "{text}: the king between its rooks");
            let board = fen::parse(text, &Rules { chess960: true, ..Rules::default() }, fen::Care::Strict).unwrap();
            let rooks = [true, false].map(|h| board.castling_rook(board.side_to_move(), h));
            assert!(rooks.iter().all(Option::is_some), "{text}: all castling rights");
        }
        // Of the published table.
        for (number, rank) in [(0, "bbqnnrkr"), (518, "rnbqkbnr"), (959, "rkrnnqbb"), (534, "rnbkqbnr")] {
            assert!(start(number).starts_with(rank), "{number}: {}", start(number));
        }
    }
}
