//! Castling as XBoard has it, `O-O` and `O-O-O`, and as UCI has it: in Chess960 the king's square and the rook's, in the usual game
//! those that the king leaves and reaches. Only where pieces stand matters for that: there are no rules here.

/// The usual start, for games of Chess960 that begin there.
const USUAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
/// White's letters are capitals.
const EMPTY: u8 = b'.';

/// The squares of pieces, and the rooks that may still castle.
pub(super) struct Placement {
    /// FEN's letters, a1 first, rank by rank.
    pieces: [u8; 64],
    /// The squares of rooks that may castle.
    rooks: Vec<usize>,
    is_blacks_turn: bool,
}

/// A square of a move's text.
fn square(text: &[u8]) -> Option<usize> {
    match text {
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Some(usize::from(rank - b'1') * 8 + usize::from(file - b'a')),
        _ => None,
    }
}

/// The text of a square.
fn square_text(square: usize) -> String {
    format!("{}{}", char::from(b'a' + (square % 8) as u8), square / 8 + 1)
}

impl Placement {
    /// After `moves` from `start`, a FEN; `None` where that is no board.
    pub(super) fn after(start: Option<&str>, moves: &[String]) -> Option<Placement> {
        let mut words = start.unwrap_or(USUAL).split_ascii_whitespace();
        let mut pieces = [EMPTY; 64];
        for (row, text) in words.next()?.split('/').enumerate() {
            let mut file = 0;
            for letter in text.bytes() {
                match letter {
                    b'1'..=b'8' => file += usize::from(letter - b'0'),
                    _ => {
                        *pieces.get_mut(7usize.checked_sub(row)? * 8 + file).filter(|_| file < 8)? = letter;
                        file += 1;
                    }
                }
            }
        }
        let is_blacks_turn = words.next() == Some("b");
        let mut placement = Placement { pieces, rooks: Vec::new(), is_blacks_turn };
        placement.rooks = words.next().unwrap_or("-").bytes().filter_map(|right| placement.rook_of(right)).collect();
        moves.iter().try_for_each(|mv| placement.play(mv))?;
        Some(placement)
    }

    /// The rook that a letter of FEN's castling field means: the outermost on its side, or that on the file named.
    fn rook_of(&self, right: u8) -> Option<usize> {
        let (base, rook, king) = if right.is_ascii_uppercase() { (0, b'R', b'K') } else { (56, b'r', b'k') };
        let king = (0..8).find(|file| self.pieces[base + file] == king)?;
        let is_rook = |file: &usize| self.pieces[base + file] == rook;
        let file = match right.to_ascii_lowercase() {
            b'k' => (king..8).rev().find(is_rook)?,
            b'q' => (0..king).find(is_rook)?,
            file @ b'a'..=b'h' => usize::from(file - b'a'),
            _ => return None,
        };
        Some(base + file)
    }

    /// From where to where a move's text goes, and whether it castles.
    fn ends(&self, mv: &str) -> Option<(usize, usize, bool)> {
        let bytes = mv.as_bytes();
        let (from, to) = (square(bytes.get(..2)?)?, square(bytes.get(2..4)?)?);
        let is_castling = matches!((self.pieces[from], self.pieces[to]), (b'K', b'R') | (b'k', b'r'));
        Some((from, to, is_castling))
    }

    fn play(&mut self, mv: &str) -> Option<()> {
        let (from, to, is_castling) = self.ends(mv)?;
        let (king, rook) = (self.pieces[from], self.pieces[to]);
        self.pieces[from] = EMPTY;
        if is_castling {
            self.pieces[to] = EMPTY;
            let (king_file, rook_file) = if to > from { (6, 5) } else { (2, 3) };
            let base = from / 8 * 8;
            (self.pieces[base + king_file], self.pieces[base + rook_file]) = (king, rook);
        } else {
            let promotion = mv.as_bytes().get(4).copied();
            let promoted = |p: u8| if king.is_ascii_uppercase() { p.to_ascii_uppercase() } else { p };
            self.pieces[to] = promotion.map_or(king, promoted);
        }
        self.is_blacks_turn = !self.is_blacks_turn;
        Some(())
    }

    /// Whether Black is to move.
    pub(super) fn is_blacks_turn(&self) -> bool {
        self.is_blacks_turn
    }

    /// The pieces of a side, each by its capital letter and its square, a1 first.
    pub(super) fn pieces(&self, is_white: bool) -> impl Iterator<Item = (char, String)> {
        let its = move |piece: u8| piece != EMPTY && piece.is_ascii_uppercase() == is_white;
        let pieces = self.pieces.iter().enumerate().filter(move |(_, piece)| its(**piece));
        pieces.map(|(at, piece)| (char::from(piece.to_ascii_uppercase()), square_text(at)))
    }

    /// A move as XBoard has it: as it is, unless it castles.
    pub(super) fn to_xboard(&self, mv: &str) -> String {
        match self.ends(mv) {
            Some((from, to, true)) => if to > from { "O-O" } else { "O-O-O" }.to_string(),
            _ => mv.to_string(),
        }
    }

    /// A move of an XBoard engine in the usual game as UCI has it there, castling by the squares of the king: as it is, unless it
    /// castles and can.
    pub(super) fn to_usual(&self, mv: &str) -> String {
        let by_rook = self.to_uci(mv);
        match self.ends(&by_rook) {
            Some((from, to, true)) => square_text(from) + &square_text(from / 8 * 8 + if to > from { 6 } else { 2 }),
            _ => mv.to_string(),
        }
    }

    /// A move of an XBoard engine in Chess960 as UCI has it: as it is, unless it castles and can.
    pub(super) fn to_uci(&self, mv: &str) -> String {
        let is_short = match mv.trim_end_matches(['+', '#']) {
            "O-O" | "0-0" => true,
            "O-O-O" | "0-0-0" => false,
            _ => return mv.to_string(),
        };
        let (base, king) = if self.is_blacks_turn { (56, b'k') } else { (0, b'K') };
        let found = (base..base + 8).find(|&at| self.pieces[at] == king).and_then(|king| {
            let is_its = |rook: &&usize| **rook / 8 == king / 8 && (**rook > king) == is_short;
            self.rooks.iter().find(is_its).map(|&rook| square_text(king) + &square_text(rook))
        });
        found.unwrap_or_else(|| mv.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(start: Option<&str>, moves: &str, uci: &str, xboard: &str) {
        let moves: Vec<String> = moves.split_whitespace().map(str::to_string).collect();
        let placement = Placement::after(start, &moves).unwrap();
        assert_eq!(placement.to_xboard(uci), xboard);
        assert_eq!(placement.to_uci(xboard), uci);
    }

    #[test]
    fn castling_is_told_in_both_ways() {
        let start = Some("bqrkr1nb/pppppppp/8/8/8/8/PPPPPPPP/BQRKR1NB w KQkq - 0 1");
        check(start, "", "d1e1", "O-O");
        check(start, "", "d1c1", "O-O-O");
        check(start, "e2e4", "d8e8", "O-O");
        check(start, "d1e1", "d8c8", "O-O-O");
        // The king stands on g1 then, and a rook beside it: no castling.
        check(start, "d1e1 a7a6", "g1h1", "g1h1");
        // By the rook's file; a second rook stands further out.
        let inner = Some("4k3/8/8/8/8/8/8/1R1K1R1R w F - 0 1");
        check(inner, "", "d1f1", "O-O");
        assert_eq!(Placement::after(inner, &[]).unwrap().to_uci("O-O-O"), "O-O-O", "it has no right to");
        let usual = ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5"];
        check(None, &usual.join(" "), "e1h1", "O-O");
        // A promoted rook does not castle, but is a rook.
        check(Some("4k2r/P7/8/8/8/8/8/4K3 w k - 0 1"), "a7a8r", "e8h8", "O-O");
        check(start, "e2e4 e7e5", "e4e5", "e4e5");
    }

    #[test]
    fn castling_of_the_usual_game_is_told_by_the_kings_squares() {
        let moves: Vec<String> = "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1g1".split(' ').map(str::to_string).collect();
        let told = |moves: &[String], mv: &str| Placement::after(None, moves).unwrap().to_usual(mv);
        assert_eq!(told(&moves[..6], "O-O"), "e1g1");
        assert_eq!(told(&moves, "0-0"), "e8g8");
        assert_eq!(told(&moves, "O-O-O+"), "e8c8", "whether it is legal is for the referee");
        assert_eq!(told(&moves, "d7d6"), "d7d6");
        let without = Placement::after(Some("4k3/8/8/8/8/8/8/4K2R w - - 0 1"), &[]).unwrap();
        assert_eq!(without.to_usual("O-O"), "O-O", "it has no right to");
    }

    #[test]
    fn what_is_no_board_is_none() {
        for start in ["", "9/8 w - - 0 1", "8/8/8/8/8/8/8/8/8 w", "pppppppppp w - -"] {
            assert!(Placement::after(Some(start), &[]).is_none_or(|p| p.to_uci("O-O") == "O-O"), "{start}");
        }
        assert!(Placement::after(None, &["z9z9".to_string()]).is_none());
        assert!(Placement::after(None, &["é2".to_string()]).is_none());
    }
}
