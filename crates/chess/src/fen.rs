//! FEN, X-FEN and Shredder-FEN: read strictly or leniently, checked for sense, written so that reading gives the same board.

use crate::{Bitboard, Board, Piece, Rules, Square, WHITE, attacks, board::NONE};
use std::fmt::{self, Write};
use tesuji_game::{NotationError, Side};

/// The strictness of the FEN parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// All six fields, every right backed by the pieces, a position that a game could reach as far as is easily seen.
    Strict,
    /// Missing counters are 0 and 1; en-passant rights that the pieces contradict are dropped, and castling rights for which the
    /// king is not on its first rank or has no rook there on that side; any number of queens is welcome as long as a side has
    /// at most 16 pieces.
    Lenient,
}

/// A field of a FEN with its place in the text.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    at: usize,
}

const fn syntax(at: usize, expected: &'static str) -> NotationError {
    NotationError::Syntax { at, expected }
}

const fn illegal(at: usize, reason: &'static str) -> NotationError {
    NotationError::IllegalPosition { at, reason }
}

/// Reads a FEN, X-FEN or Shredder-FEN. Castling rights that standard chess cannot have (the king not on the e-file, the rook
/// not on the a-file or h-file) make the position one of Chess960, unless `rules` are standard chess by name.
///
/// # Errors
/// The text is no FEN, with the byte offset of the fault in `text`; reasons name the field.
pub fn parse(text: &str, rules: &Rules, care: Care) -> Result<Board, NotationError> {
    let fields = split(text);
    let placement = fields.first().ok_or(NotationError::Empty)?;
    let mut board = Board::empty();
    board.chess960 = rules.chess960;
    read_placement(&mut board, *placement)?;
    let end = Field { text: "", at: text.len() };
    let field = |i: usize| fields.get(i).copied().unwrap_or(end);
    board.side = match field(1).text {
        "w" | "W" => Side::First,
        "b" | "B" => Side::Second,
        _ => return Err(syntax(field(1).at, "side to move: w or b")),
    };
    check_pieces(&board, placement.at, care)?;
    read_castling(&mut board, field(2), rules, care)?;
    read_en_passant(&mut board, field(3), care)?;
    board.halfmoves = read_counter(field(4), 0, care, "halfmove clock: a number")?;
    board.fullmove = read_counter(field(5), 1, care, "move number: a number from 1")?.max(1);
    if let Some(more) = fields.get(6).filter(|_| care == Care::Strict) {
        return Err(syntax(more.at, "nothing after the move number"));
    }
    board.reversible = board.halfmoves;
    board.refresh();
    check_checks(&board, placement.at, care)?;
    Ok(board)
}

/// Finishes a board that was put together from pieces, side to move, rights and counters, if it makes sense.
///
/// # Errors
/// The position is illegal; offsets are 0.
pub(crate) fn finish(mut board: Board) -> Result<Board, NotationError> {
    check_pieces(&board, 0, Care::Lenient)?;
    board.reversible = board.halfmoves;
    board.refresh();
    check_checks(&board, 0, Care::Lenient)?;
    Ok(board)
}

/// Words with their offsets.
fn split(text: &str) -> Vec<Field<'_>> {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    text.split_ascii_whitespace().map(|word| Field { text: word, at: offset(word) }).collect()
}

fn read_placement(board: &mut Board, field: Field<'_>) -> Result<(), NotationError> {
    let (mut file, mut rank) = (0u8, 7u8);
    for (i, c) in field.text.char_indices() {
        let at = field.at + i;
        match c {
            '/' if file == 8 && rank > 0 => (file, rank) = (0, rank - 1),
            '/' => return Err(syntax(at, "placement: eight ranks of eight squares")),
            '1'..='8' if file + (c as u8 - b'0') <= 8 => file += c as u8 - b'0',
            _ => {
                let piece = Piece::from_letter(c).ok_or(syntax(at, "placement: a piece, a number or /"))?;
                if file > 7 {
                    return Err(syntax(at, "placement: / after eight squares"));
                }
                let side = if c.is_ascii_uppercase() { Side::First } else { Side::Second };
                board.put(side, piece, Square::new(file, rank));
                file += 1;
            }
        }
    }
    if (file, rank) == (8, 0) {
        Ok(())
    } else {
        Err(syntax(field.at + field.text.len(), "placement: eight ranks of eight squares"))
    }
}

fn check_pieces(board: &Board, at: usize, care: Care) -> Result<(), NotationError> {
    for side in Side::ALL {
        let count = |piece| board.of(side, piece).count();
        match count(Piece::King) {
            0 => return Err(illegal(at, "placement: a king is missing")),
            1 => {}
            _ => return Err(illegal(at, "placement: a side has several kings")),
        }
        if board.side(side).count() > 16 {
            return Err(illegal(at, "placement: a side has more than 16 pieces"));
        }
        let extra = count(Piece::Queen).saturating_sub(1)
            + [Piece::Rook, Piece::Bishop, Piece::Knight].into_iter().map(|p| count(p).saturating_sub(2)).sum::<u32>();
        if care == Care::Strict && count(Piece::Pawn) + extra > 8 {
            return Err(illegal(at, "placement: more promoted pieces than missing pawns"));
        }
    }
    if (board.pieces(Piece::Pawn) & (Bitboard::rank(0) | Bitboard::rank(7))).any() {
        return Err(illegal(at, "placement: a pawn on the first or last rank"));
    }
    Ok(())
}

fn read_castling(board: &mut Board, field: Field<'_>, rules: &Rules, care: Care) -> Result<(), NotationError> {
    match field.text {
        "-" => return Ok(()),
        "" if care == Care::Lenient => return Ok(()),
        "" => return Err(syntax(field.at, "castling rights: -, KQkq or files")),
        _ => {}
    }
    for (i, c) in field.text.char_indices() {
        let at = field.at + i;
        let side = if c.is_ascii_uppercase() { Side::First } else { Side::Second };
        let king = board.king(side);
        let rook = match c.to_ascii_lowercase() {
            'k' => outermost_rook(board, side, true).filter(|rook| rook.file() > king.file()),
            'q' => outermost_rook(board, side, false).filter(|rook| rook.file() < king.file()),
            file @ 'a'..='h' => Some(Square::new(file as u8 - b'a', 0).relative(side)),
            _ => return Err(syntax(at, "castling rights: -, KQkq or files")),
        };
        if grant(board, side, rook) {
            continue;
        }
        // Only a board of Chess960 has all rights for which king and rook stand on the first rank.
        let is_chess960 = std::mem::replace(&mut board.chess960, true);
        if !grant(board, side, rook) {
            board.chess960 = is_chess960;
            if care == Care::Strict {
                return Err(illegal(at, "castling rights: king or rook is not where it must be"));
            }
        } else if rules.standard {
            return Err(illegal(at, "castling rights: standard chess has no such right; give the rules as chess960"));
        }
    }
    Ok(())
}

/// The rook farthest from the king on the first rank, towards the h-file or the a-file.
fn outermost_rook(board: &Board, side: Side, towards_h: bool) -> Option<Square> {
    let rooks = board.of(side, Piece::Rook) & Bitboard::relative_rank(0, side);
    if towards_h { rooks.last() } else { rooks.first() }
}

/// Grants a right to castle with `rook` where king and rook stand right, on the first rank; says whether they do.
pub(crate) fn grant(board: &mut Board, side: Side, rook: Option<Square>) -> bool {
    let king = board.king(side);
    let rooks = board.of(side, Piece::Rook) & Bitboard::relative_rank(0, side);
    let Some(rook) = rook.filter(|&r| king.relative_rank(side) == 0 && rooks.contains(r)) else {
        return false;
    };
    let towards_h = rook.file() > king.file();
    let usual = king.file() == 4 && rook.file() == if towards_h { 7 } else { 0 };
    if !usual && !board.chess960 {
        return false;
    }
    board.castling[side.index()][usize::from(!towards_h)] = rook.index() as u8;
    true
}

fn read_en_passant(board: &mut Board, field: Field<'_>, care: Care) -> Result<(), NotationError> {
    match field.text {
        "-" => return Ok(()),
        "" if care == Care::Lenient => return Ok(()),
        _ => {}
    }
    let square = Square::parse(field.text).ok_or(syntax(field.at, "en passant: - or a square"))?;
    if !set_en_passant(board, square) && care == Care::Strict {
        return Err(illegal(field.at, "en passant: no pawn has just made a double step there"));
    }
    Ok(())
}

/// Notes that a pawn has just passed over `square`, where that fits the pieces; says whether it does.
pub(crate) fn set_en_passant(board: &mut Board, square: Square) -> bool {
    let side = board.side;
    let pawn = Bitboard::of(square).forward(!side);
    let behind = Bitboard::of(square).forward(side);
    let fits = square.relative_rank(side) == 5
        && (board.of(!side, Piece::Pawn) & pawn).any()
        && (board.occupied() & (behind | square.into())).is_empty();
    if fits {
        board.en_passant = square.index() as u8;
    }
    fits
}

fn read_counter(field: Field<'_>, missing: u16, care: Care, expected: &'static str) -> Result<u16, NotationError> {
    if field.text.is_empty() && care == Care::Lenient {
        return Ok(missing);
    }
    match field.text.parse::<u32>() {
        Ok(n) if care == Care::Lenient || n <= 9999 => Ok(n.min(9999) as u16),
        _ => Err(syntax(field.at, expected)),
    }
}

/// The side that has just moved may not stand in check, and the checks there are must have a last move.
fn check_checks(board: &Board, at: usize, care: Care) -> Result<(), NotationError> {
    let (me, them) = (board.side, !board.side);
    if board.is_attacked(board.king(them), me, board.occupied()) {
        return Err(illegal(at, "placement: the side that has just moved is in check"));
    }
    let checkers = board.checkers;
    if care == Care::Strict && !checks_possible(board, checkers) {
        return Err(illegal(at, "placement: no move gives these checks"));
    }
    Ok(())
}

/// Whether one move can have given all `checkers`: at most two, and of two at least one a slider on another line.
fn checks_possible(board: &Board, checkers: Bitboard) -> bool {
    match checkers.count() {
        0 | 1 => true,
        2 => {
            let sliders = board.diagonal_sliders(!board.side) | board.straight_sliders(!board.side);
            let king = board.king(board.side);
            let mut both = checkers;
            let (Some(a), Some(b)) = (both.pop(), both.pop()) else { return true };
            let two_sliders_one_line = sliders.contains(a) && sliders.contains(b) && attacks::line(king, a).contains(b);
            (sliders & checkers).any() && !two_sliders_one_line
        }
        _ => false,
    }
}

/// Writes the FEN; castling rights as `KQkq`, or a file where the rook is not the outermost (X-FEN).
///
/// # Errors
/// Only those of `out`.
pub fn write(board: &Board, out: &mut dyn Write) -> fmt::Result {
    write_with(board, false, out)
}

/// Writes the FEN with castling rights as files of the rooks (Shredder-FEN).
///
/// # Errors
/// Only those of `out`.
pub fn write_shredder(board: &Board, out: &mut dyn Write) -> fmt::Result {
    write_with(board, true, out)
}

/// The FEN as a string.
pub fn to_string(board: &Board) -> String {
    let mut text = String::with_capacity(80);
    // Writing to a string cannot fail.
    let _ = write(board, &mut text);
    text
}

fn write_with(board: &Board, shredder: bool, out: &mut dyn Write) -> fmt::Result {
    for rank in (0..8).rev() {
        let mut gap = 0;
        for file in 0..8 {
            let square = Square::new(file, rank);
            let Some(piece) = board.piece_at(square) else {
                gap += 1;
                continue;
            };
            if gap > 0 {
                write!(out, "{gap}")?;
                gap = 0;
            }
            let side = if board.side(WHITE).contains(square) { Side::First } else { Side::Second };
            out.write_char(piece.fen_letter(side))?;
        }
        if gap > 0 {
            write!(out, "{gap}")?;
        }
        out.write_char(if rank > 0 { '/' } else { ' ' })?;
    }
    write!(out, "{} ", if board.side == WHITE { 'w' } else { 'b' })?;
    write_castling(board, shredder, out)?;
    match board.en_passant() {
        Some(square) => write!(out, " {square}")?,
        None => write!(out, " -")?,
    }
    write!(out, " {} {}", board.halfmoves, board.fullmove)
}

fn write_castling(board: &Board, shredder: bool, out: &mut dyn Write) -> fmt::Result {
    if board.castling == [[NONE; 2]; 2] {
        return out.write_char('-');
    }
    for side in Side::ALL {
        for towards_h in [true, false] {
            let Some(rook) = board.castling_rook(side, towards_h) else { continue };
            let letter = if !shredder && outermost_rook(board, side, towards_h) == Some(rook) {
                if towards_h { 'k' } else { 'q' }
            } else {
                (b'a' + rook.file()) as char
            };
            out.write_char(if side == WHITE { letter.to_ascii_uppercase() } else { letter })?;
        }
    }
    Ok(())
}
