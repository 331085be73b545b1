//! Standard Algebraic Notation: written exactly, read with patience (long forms, other letters, missing signs).

use crate::{Bitboard, Board, Move, Piece, Square, attacks, coordinates};
use tesuji_game::{NotationError, Position, Tactical};

/// Appends `mv`, legal at `board`, with `+` or `#` where it gives check or mate.
///
/// # Examples
/// ```
/// use tesuji_chess::{Board, san};
/// let board = Board::start();
/// let mv = san::parse(&board, "g1-f3").expect("the knight may go there");
/// let mut text = String::new();
/// san::write(&board, mv, &mut text);
/// assert_eq!(text, "Nf3");
/// ```
pub fn write(board: &Board, mv: Move, out: &mut String) {
    if mv.is_castling() {
        out.push_str(if mv.to().file() > mv.from().file() { "O-O" } else { "O-O-O" });
    } else if let Some(piece) = board.piece_at(mv.from()) {
        let capture = board.is_capture(mv);
        if piece == Piece::Pawn {
            if capture {
                out.push(file_letter(mv.from()));
            }
        } else {
            out.push(letter(piece));
            write_origin(board, piece, mv, out);
        }
        if capture {
            out.push('x');
        }
        out.push(file_letter(mv.to()));
        out.push(rank_digit(mv.to()));
        if let Some(promotion) = mv.promotion() {
            out.push('=');
            out.push(letter(promotion));
        }
    }
    if board.gives_check(mv) {
        let mut after = *board;
        after.play(mv);
        out.push(if after.has_moves() { '+' } else { '#' });
    }
}

/// As [`write()`], as a text of its own.
pub fn text(board: &Board, mv: Move) -> String {
    let mut out = String::with_capacity(8);
    write(board, mv, &mut out);
    out
}

/// Reads a move as people write it: SAN, long algebraic, coordinates; castling with letters or zeros; `x`, `+`, `#`,
/// `!?` and `e.p.` missing or needless; promotions as `=Q`, `Q`, `q`, `(Q)`, `/Q`; figurines for letters.
///
/// # Errors
/// [`NotationError::Syntax`] for what is no move or fits several moves, [`NotationError::IllegalMove`] for what fits none.
pub fn parse(board: &Board, text: &str) -> Result<Move, NotationError> {
    let pattern = match read_plain(text.as_bytes()) {
        Some(pattern) => pattern,
        None => read_any(text)?,
    };
    let found = match pattern {
        Pattern::Castling { kingside } => castling(board, kingside),
        Pattern::Move(pattern) => find(board, &pattern)?,
    };
    // Coordinates of a castling king are no pattern of SAN: the protocol's notation knows both ways to write them.
    let found = found.or_else(|| {
        let bare = text.trim_end_matches(['+', '#', '!', '?']).replace(['-', '–'], "");
        if bare.len() == 4 { coordinates::parse_move(board, &bare).ok().filter(|m| m.is_castling()) } else { None }
    });
    found.ok_or_else(|| NotationError::IllegalMove { text: text.chars().take(20).collect() })
}

/// The parsed text of a move in algebraic notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Castling { kingside: bool },
    Move(Wanted),
}

/// A move but for what SAN leaves out. `piece` is `None` where only coordinates are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    piece: Option<Piece>,
    file: Option<u8>,
    rank: Option<u8>,
    to: Square,
    promotion: Option<Piece>,
}

/// Reads what well-formed files hold: `e4`, `exd5`, `Nf3`, `Nbxd7+`, `R1a3`, `e8=Q#`. `None` sends the text to [`read_any`].
fn read_plain(text: &[u8]) -> Option<Pattern> {
    let mut text = text;
    while let [rest @ .., b'+' | b'#'] = text {
        text = rest;
    }
    if !text.is_ascii() {
        return None;
    }
    let piece = match text.first()? {
        b'N' => Piece::Knight,
        b'B' => Piece::Bishop,
        b'R' => Piece::Rook,
        b'Q' => Piece::Queen,
        b'K' => Piece::King,
        b'a'..=b'h' => Piece::Pawn,
        b'O' => {
            return match text {
                b"O-O" => Some(Pattern::Castling { kingside: true }),
                b"O-O-O" => Some(Pattern::Castling { kingside: false }),
                _ => None,
            };
        }
        _ => return None,
    };
    let mut promotion = None;
    if piece == Piece::Pawn {
        if let [rest @ .., b'=', p] = text {
            promotion = Some(promoted(*p as char)?);
            text = rest;
        }
    } else {
        text = &text[1..];
    }
    let [origin @ .., file @ b'a'..=b'h', rank @ b'1'..=b'8'] = text else { return None };
    let (file_from, rank_from) = match origin {
        [] | [b'x'] => (None, None),
        [f @ b'a'..=b'h'] | [f @ b'a'..=b'h', b'x'] => (Some(f - b'a'), None),
        [r @ b'1'..=b'8'] | [r @ b'1'..=b'8', b'x'] => (None, Some(r - b'1')),
        [f @ b'a'..=b'h', r @ b'1'..=b'8'] | [f @ b'a'..=b'h', r @ b'1'..=b'8', b'x'] => {
            (Some(f - b'a'), Some(r - b'1'))
        }
        _ => return None,
    };
    let piece = if piece == Piece::Pawn && rank_from.is_some() { None } else { Some(piece) };
    let to = Square::new(file - b'a', rank - b'1');
    Some(Pattern::Move(Wanted { piece, file: file_from, rank: rank_from, to, promotion }))
}

/// Reads all the other ways to write a move.
fn read_any(text: &str) -> Result<Pattern, NotationError> {
    let mut bare = text.trim();
    if bare.is_empty() {
        return Err(NotationError::Empty);
    }
    loop {
        let before = bare;
        bare = bare.trim_end_matches(['+', '#', '!', '?', '†', '‡', ' ']);
        for tail in ["e.p.", "e.p", "ep", "mate"] {
            bare = bare.strip_suffix(tail).unwrap_or(bare);
        }
        if bare == before {
            break;
        }
    }
    let plain: String =
        bare.chars().filter(|c| !matches!(c, '-' | '–' | '—' | '\u{FE0E}' | '\u{FE0F}' | ' ')).collect();
    if plain.chars().all(|c| matches!(c, 'O' | '0' | 'o')) {
        match plain.chars().count() {
            2 => return Ok(Pattern::Castling { kingside: true }),
            3 => return Ok(Pattern::Castling { kingside: false }),
            _ => {}
        }
    }
    read_squares(&plain).ok_or(NotationError::Syntax { at: 0, expected: "a move" }).map(Pattern::Move)
}

/// Reads piece letter, squares and promotion from `text` without signs and dashes.
fn read_squares(text: &str) -> Option<Wanted> {
    let mut chars = text.chars().peekable();
    let mut piece = None;
    match chars.peek().copied()? {
        // A small b is a file.
        c if c != 'b' && (figure(c).is_some() || matches!(piece_of(c), Some(p) if p != Piece::Pawn)) => {
            piece = figure(c).or(piece_of(c));
            chars.next();
        }
        'P' => {
            piece = Some(Piece::Pawn);
            chars.next();
        }
        _ => {}
    }
    // Files and ranks up to the promotion: the last pair is the target.
    let mut places: Vec<(bool, u8)> = Vec::with_capacity(4);
    while let Some(&c) = chars.peek() {
        match c {
            'a'..='h' => places.push((true, c as u8 - b'a')),
            '1'..='8' => places.push((false, c as u8 - b'1')),
            'x' | 'X' | ':' | '×' => {}
            _ => break,
        }
        // After a target square `b` and `q`, `r`, `n` can only promote.
        chars.next();
        if places.len() > 4 {
            break;
        }
    }
    let mut promotion = None;
    let rest: String = chars.filter(|c| !matches!(c, '=' | '(' | ')' | '/')).collect();
    let mut rest = rest.chars();
    if let Some(c) = rest.next() {
        promotion = Some(promoted(c)?);
    } else if let [.., (false, 0 | 7), (true, 1)] = places[..] {
        // `e8b`: the last b was no file.
        places.pop();
        promotion = Some(Piece::Bishop);
    }
    if rest.next().is_some() {
        return None;
    }
    let (file, rank) = match places[..] {
        [.., (true, file), (false, rank)] => (file, rank),
        _ => return None,
    };
    let (mut file_from, mut rank_from) = (None, None);
    match places[..places.len() - 2] {
        [] => {}
        [(true, f)] => file_from = Some(f),
        [(false, r)] => rank_from = Some(r),
        [(true, f), (false, r)] => (file_from, rank_from) = (Some(f), Some(r)),
        _ => return None,
    }
    if piece.is_none() && (file_from.is_none() || rank_from.is_none()) {
        piece = Some(Piece::Pawn);
    }
    Some(Wanted { piece, file: file_from, rank: rank_from, to: Square::new(file, rank), promotion })
}

/// The castling move to one side, if it can be played.
fn castling(board: &Board, kingside: bool) -> Option<Move> {
    let us = board.side_to_move();
    let rook = board.castling_rook(us, kingside)?;
    board.unpack(Move::castling(board.king(us), rook).bits())
}

/// The one legal move that fits; `None` when there is none.
fn find(board: &Board, wanted: &Wanted) -> Result<Option<Move>, NotationError> {
    let us = board.side_to_move();
    let mut from = board.side(us);
    if let Some(file) = wanted.file {
        from &= Bitboard::file(file);
    }
    if let Some(rank) = wanted.rank {
        from &= Bitboard::rank(rank);
    }
    let piece = match wanted.piece {
        Some(piece) => piece,
        // Coordinates name one square, and that its piece.
        None => match from.first().and_then(|square| board.piece_at(square)) {
            Some(piece) => piece,
            None => return Ok(None),
        },
    };
    from &= board.pieces(piece);
    if piece == Piece::Pawn {
        from &= pawns_behind(board, wanted.to);
    } else {
        from &= attacks::of(piece, us, wanted.to, board.occupied());
    }
    let mut found = None;
    let reaches = !matches!(piece, Piece::Pawn | Piece::King);
    for square in from {
        let mv = match wanted.promotion {
            Some(promotion) if piece == Piece::Pawn => Move::promote(square, wanted.to, promotion),
            Some(_) => return Ok(None),
            None if piece == Piece::Pawn
                && square.file() != wanted.to.file()
                && board.en_passant() == Some(wanted.to) =>
            {
                Move::en_passant(square, wanted.to)
            }
            None => Move::normal(square, wanted.to),
        };
        // How pieces but pawn and king reach the square was just looked up.
        let legal = if reaches { board.leaves_king_safe(square, wanted.to) } else { board.unpack(mv.bits()).is_some() };
        if legal && found.replace(mv).is_some() {
            return Err(NotationError::Syntax { at: 0, expected: "a file or rank that tells the pieces apart" });
        }
    }
    Ok(found)
}

/// The squares from which a pawn of the side to move may come to `to`: behind it, or diagonally behind it.
fn pawns_behind(board: &Board, to: Square) -> Bitboard {
    let us = board.side_to_move();
    let behind = Bitboard::of(to).forward(!us);
    let two = behind.without(board.occupied()).forward(!us);
    attacks::pawn(!us, to) | behind | two
}

/// Appends the file, rank or both that tell `mv` from moves of like pieces to the same square.
fn write_origin(board: &Board, piece: Piece, mv: Move, out: &mut String) {
    let us = board.side_to_move();
    let alike = attacks::of(piece, us, mv.to(), board.occupied()) & board.of(us, piece);
    let (mut others, mut same_file, mut same_rank) = (false, false, false);
    for square in alike.without(Bitboard::of(mv.from())) {
        let legal = match piece {
            Piece::Pawn | Piece::King => board.unpack(Move::normal(square, mv.to()).bits()).is_some(),
            _ => board.leaves_king_safe(square, mv.to()),
        };
        if legal {
            others = true;
            same_file |= square.file() == mv.from().file();
            same_rank |= square.rank() == mv.from().rank();
        }
    }
    if others && (!same_file || same_rank) {
        out.push(file_letter(mv.from()));
    }
    if same_file {
        out.push(rank_digit(mv.from()));
    }
}

fn file_letter(square: Square) -> char {
    (b'a' + square.file()) as char
}

fn rank_digit(square: Square) -> char {
    (b'1' + square.rank()) as char
}

/// The letter of SAN; pawns have none there, `P` here.
fn letter(piece: Piece) -> char {
    match piece {
        Piece::Pawn => 'P',
        Piece::Knight => 'N',
        Piece::Bishop => 'B',
        Piece::Rook => 'R',
        Piece::Queen => 'Q',
        Piece::King => 'K',
    }
}

/// The piece of a letter, large or small.
fn piece_of(letter: char) -> Option<Piece> {
    Some(match letter {
        'N' | 'n' => Piece::Knight,
        'B' | 'b' => Piece::Bishop,
        'R' | 'r' => Piece::Rook,
        'Q' | 'q' => Piece::Queen,
        'K' | 'k' => Piece::King,
        _ => return None,
    })
}

/// The piece that a pawn may promote to, by letter or figurine.
fn promoted(c: char) -> Option<Piece> {
    figure(c).or(piece_of(c)).filter(|p| !matches!(p, Piece::Pawn | Piece::King))
}

/// The piece of a figurine of either colour.
fn figure(c: char) -> Option<Piece> {
    Some(match c {
        '♔' | '♚' => Piece::King,
        '♕' | '♛' => Piece::Queen,
        '♖' | '♜' => Piece::Rook,
        '♗' | '♝' => Piece::Bishop,
        '♘' | '♞' => Piece::Knight,
        '♙' | '♟' => Piece::Pawn,
        _ => return None,
    })
}
