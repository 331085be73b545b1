//! The evaluation of "Chess in Delphi" (Ivan Polyacov, <https://github.com/Cooler2/chess>): each side's sum in pawns, and their difference, which weighs more the less is left.
//!
//! It is not linear, so that nothing here is tuned: the numbers are the author's. A board has no past, hence two things are
//! read from it: a king on the b, c or g file of its back rank with a rook on its inner side has castled, and a side
//! without rights that has not castled has lost them. The endgame is that of the position itself, not of the game.

use std::fmt;
use tesuji_chess::{BLACK, Bitboard, Board, Piece, Square, WHITE, attacks};
use tesuji_game::{Evaluator, Position, Side, Value};

/// A king's share of a side's sum, in pawns.
const KING: f32 = 5.0;
/// Pawns by rank, seen from their side.
const PAWN: [f32; 8] = [1.0, 1.0, 1.0, 1.02, 1.1, 1.3, 1.9, 2.0];
/// Knight, bishop, rook and queen.
const MEN: [(Piece, f32); 4] = [(Piece::Knight, 3.0), (Piece::Bishop, 3.0), (Piece::Rook, 5.0), (Piece::Queen, 9.0)];
/// Below this sum, with the other side below [`MINOR`], nobody can win.
const LONE: f32 = 6.5;
const MINOR: f32 = 9.0;
/// Both sides below this: an endgame.
const ENDGAME: f32 = 18.0;

const CASTLED: f32 = 0.8;
const CASTLING_LOST: f32 = -0.3;
const UNDEVELOPED: f32 = -0.2;
const KING_WALKED: f32 = -0.25;
const DOUBLED: f32 = -0.1;
const OPEN_FILE: f32 = 0.1;
/// A square that is attacked: anywhere, in the inner sixteen, in the inner four.
const CONTROL: [f32; 3] = [0.08, 0.09, 0.11];
const INNER: Bitboard = files_and_ranks(2, 5);
const CENTRE: Bitboard = files_and_ranks(3, 4);
/// A lone king's way from the centre, and the other king's way to it.
const LONE_KING_OUT: f32 = -0.2;
const OTHER_KING_AWAY: f32 = -0.15;

/// The value of a hanging piece, in pawns.
fn hanging_worth(piece: Piece) -> f32 {
    match piece {
        Piece::Pawn => 1.0,
        Piece::Knight | Piece::Bishop => 3.1,
        Piece::Rook => 5.2,
        Piece::Queen => 9.3,
        Piece::King => 250.0,
    }
}

const fn files_and_ranks(low: u8, high: u8) -> Bitboard {
    let (mut files, mut ranks, mut i) = (0, 0, low);
    while i <= high {
        files |= Bitboard::file(i).0;
        ranks |= Bitboard::rank(i).0;
        i += 1;
    }
    Bitboard(files & ranks)
}

/// One term of one side, in pawns for that side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DelphiTerm {
    /// The side that it belongs to.
    pub side: Side,
    /// The name of the item, in a few words.
    pub name: &'static str,
    /// The value that the item adds to the side's sum, in pawns.
    pub pawns: f32,
}

/// A whole evaluation.
#[derive(Debug, Clone, PartialEq)]
pub struct DelphiExplanation {
    /// All terms that are there.
    pub terms: Vec<DelphiTerm>,
    /// The sums of White and Black, in pawns, a king counting 5.
    pub sums: [f32; 2],
    /// Whether too little is left to win, so that the value is 0 whatever the sums.
    pub is_drawn: bool,
    /// The value for White, in pawns: `(w - b) * (1 + 10 / (w + b))`.
    pub white: f32,
}

/// Both sides' sums as they are summed, and who wants to hear of it.
struct Sums<F> {
    of: [f32; 2],
    tell: F,
}

impl<F: FnMut(DelphiTerm)> Sums<F> {
    fn add(&mut self, side: Side, name: &'static str, pawns: f32) {
        if pawns != 0.0 {
            self.of[side.index()] += pawns;
            (self.tell)(DelphiTerm { side, name, pawns });
        }
    }

    fn add_times(&mut self, side: Side, name: &'static str, each: f32, count: u32) {
        self.add(side, name, each * count as f32);
    }
}

/// Every square that `side` attacks.
fn attacked(board: &Board, side: Side) -> Bitboard {
    let mut all = attacks::by_pawns(board.of(side, Piece::Pawn), side);
    for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King] {
        for square in board.of(side, piece) {
            all |= attacks::of(piece, side, square, board.occupied());
        }
    }
    all
}

/// Whether the king stands as after castling.
fn has_castled(board: &Board, side: Side) -> bool {
    let king = board.king(side);
    if king.relative_rank(side) != 0 || board.can_castle(side) {
        return false;
    }
    let inner = match king.file() {
        1 | 2 => 3,
        6 => 5,
        _ => return false,
    };
    let rooks = board.of(side, Piece::Rook) & Bitboard::relative_rank(0, side);
    let beyond = |square: Square| if inner == 3 { square.file() < king.file() } else { square.file() > king.file() };
    rooks.any() && rooks.into_iter().filter(|&square| beyond(square)).count() == 0
}

fn material<F: FnMut(DelphiTerm)>(board: &Board, sums: &mut Sums<F>) {
    for side in [WHITE, BLACK] {
        sums.add(side, "king", KING);
        let pawns = board.of(side, Piece::Pawn);
        sums.add_times(side, "pawns", 1.0, pawns.count());
        let further: f32 = pawns.into_iter().map(|s| PAWN[usize::from(s.relative_rank(side))] - 1.0).sum();
        sums.add(side, "pawns far on", further);
        for ((piece, worth), name) in MEN.into_iter().zip(["knights", "bishops", "rooks", "queens"]) {
            sums.add_times(side, name, worth, board.of(side, piece).count());
        }
    }
}

fn development<F: FnMut(DelphiTerm)>(board: &Board, sums: &mut Sums<F>) {
    for side in [WHITE, BLACK] {
        if has_castled(board, side) {
            sums.add(side, "castled", CASTLED);
        } else if !board.can_castle(side) {
            sums.add(side, "castling lost", CASTLING_LOST);
        }
        let home = Bitboard::relative_rank(0, side);
        let on = |piece: Piece, files: [u8; 2]| {
            let squares = Bitboard::file(files[0]) | Bitboard::file(files[1]);
            (board.of(side, piece) & home & squares).count()
        };
        let waiting = on(Piece::Knight, [1, 6]) + on(Piece::Bishop, [2, 5]);
        sums.add_times(side, "pieces not developed", UNDEVELOPED, waiting);
        let ranks = board.king(side).relative_rank(side);
        if ranks < 7 {
            sums.add_times(side, "king walked out", KING_WALKED, ranks.into());
        }
    }
}

fn files<F: FnMut(DelphiTerm)>(board: &Board, sums: &mut Sums<F>) {
    let all = board.pieces(Piece::Pawn);
    for side in [WHITE, BLACK] {
        let heavy = board.of(side, Piece::Rook) | board.of(side, Piece::Queen);
        let (mut doubled, mut open) = (0, 0);
        for file in 0..8 {
            let file = Bitboard::file(file);
            let own = (board.of(side, Piece::Pawn) & file).count();
            doubled += if own > 1 { own } else { 0 };
            open += u32::from((all & file).is_empty() && (heavy & file).any());
        }
        sums.add_times(side, "doubled pawns", DOUBLED, doubled);
        sums.add_times(side, "heavy pieces on open files", OPEN_FILE, open);
    }
}

/// Attacked squares, and what hangs of the side that does not move.
fn attacks_of_both<F: FnMut(DelphiTerm)>(board: &Board, is_endgame: bool, sums: &mut Sums<F>) {
    let reach = [attacked(board, WHITE), attacked(board, BLACK)];
    if !is_endgame {
        for side in [WHITE, BLACK] {
            let squares = reach[side.index()];
            let centre = (squares & CENTRE).count();
            let inner = (squares & INNER).count() - centre;
            let outer = squares.count() - inner - centre;
            let each = [outer, inner, centre].into_iter().zip(CONTROL);
            sums.add(side, "squares attacked", each.map(|(n, worth)| n as f32 * worth).sum());
        }
    }
    let mover = board.side_to_move();
    let victims = board.side(!mover) & reach[mover.index()];
    let hangs = |square: Square| {
        let worth = board.piece_at(square).map_or(0.0, hanging_worth);
        if !reach[(!mover).index()].contains(square) {
            return worth;
        }
        let attackers = board.attackers_to(square, board.occupied()) & board.side(mover);
        let worths = attackers.into_iter().filter_map(|s| board.piece_at(s)).map(hanging_worth);
        worth - worths.fold(f32::INFINITY, f32::min)
    };
    let most = victims.into_iter().map(hangs).fold(0.0, f32::max);
    sums.add(!mover, "the worst piece hanging", -most);
}

/// Drives a lone king out; whether only the kings are left.
fn lone_kings<F: FnMut(DelphiTerm)>(board: &Board, sums: &mut Sums<F>) -> bool {
    for side in [WHITE, BLACK] {
        if sums.of[side.index()] < LONE {
            let (king, other) = (board.king(side), board.king(!side));
            let out = (f32::from(king.file()) - 3.5).abs() + (f32::from(king.rank()) - 3.5).abs();
            sums.add(side, "lone king away from the centre", LONE_KING_OUT * out);
            sums.add_times(!side, "king away from the lone king", OTHER_KING_AWAY, king.distance(other).into());
        }
    }
    sums.of[BLACK.index()] < LONE && sums.of[WHITE.index()] < 6.0
}

/// Sums the terms; returns the value for White and whether nobody can win.
fn evaluate<F: FnMut(DelphiTerm)>(board: &Board, sums: &mut Sums<F>) -> (f32, bool) {
    material(board, sums);
    let [w, b] = sums.of;
    if w < LONE && b < MINOR || b < LONE && w < MINOR {
        return (0.0, true);
    }
    let is_endgame = w < ENDGAME && b < ENDGAME;
    if !is_endgame {
        development(board, sums);
    }
    files(board, sums);
    attacks_of_both(board, is_endgame, sums);
    if lone_kings(board, sums) {
        return (0.0, true);
    }
    let [w, b] = sums.of;
    // A king that is driven out may eat up a side's sum.
    ((w - b) * (1.0 + 10.0 / (w + b).max(1.0)), false)
}

/// The evaluation of Chess in Delphi in play.
#[derive(Debug, Clone, Copy, Default)]
pub struct DelphiEval;

impl Evaluator<Board> for DelphiEval {
    fn value(&mut self, board: &Board) -> Value {
        let (white, _) = evaluate(board, &mut Sums { of: [0.0; 2], tell: |_| () });
        let cp = (white * 100.0).round() as i32;
        Value::cp(if board.side_to_move() == WHITE { cp } else { -cp })
    }
}

/// The evaluation of Chess in Delphi, term by term.
pub fn explain_delphi(board: &Board) -> DelphiExplanation {
    let mut terms = Vec::new();
    let mut sums = Sums { of: [0.0; 2], tell: |term| terms.push(term) };
    let (white, is_drawn) = evaluate(board, &mut sums);
    let sums = sums.of;
    DelphiExplanation { terms, sums, is_drawn, white }
}

impl fmt::Display for DelphiExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<&str> = Vec::new();
        for term in &self.terms {
            if !names.contains(&term.name) {
                names.push(term.name);
            }
        }
        writeln!(f, "{:32} {:>8} {:>8}", "term", "white", "black")?;
        for name in names {
            let of = |side| {
                self.terms.iter().filter(|t| t.name == name && t.side == side).map(|t| t.pawns).fold(0.0, |a, b| a + b)
            };
            writeln!(f, "{name:32} {:8.2} {:8.2}", of(WHITE), of(BLACK))?;
        }
        writeln!(f, "{:32} {:8.2} {:8.2}", "sum", self.sums[0], self.sums[1])?;
        match self.is_drawn {
            true => writeln!(f, "too little is left to win: 0"),
            false => writeln!(f, "(w - b) * (1 + 10 / (w + b)) = {:+.2} pawns for White", self.white),
        }
    }
}
