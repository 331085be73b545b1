//! Pieces, squares, moves and positions in CSA's letters.

use crate::{Board, Hand, Move, Piece, Setup, SetupError, Square};
use std::fmt::Write;
use tesuji_game::{Position, Side};

/// Names by the index of the kind.
const NAMES: [&str; 14] = ["FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY"];

fn piece_of(name: &str) -> Option<Piece> {
    NAMES.iter().position(|n| *n == name).and_then(Piece::from_index)
}

/// The square of two digits.
fn square_of(digits: &str) -> Option<Square> {
    match digits.as_bytes() {
        [file @ b'1'..=b'9', rank @ b'1'..=b'9'] => Some(Square::new(file - b'1', rank - b'1')),
        _ => None,
    }
}

const fn sign(side: Side) -> char {
    match side {
        Side::First => '+',
        Side::Second => '-',
    }
}

fn side_of(sign: &str) -> Option<Side> {
    match sign {
        "+" => Some(Side::First),
        "-" => Some(Side::Second),
        _ => None,
    }
}

/// A move as CSA writes it: `+7776FU`, `-0055KA`. The piece is what it is after the move.
///
/// ```
/// use tesuji_game::Notation;
/// use tesuji_shogi::{UsiNotation, csa::csa_move, sfen};
/// let board = sfen::parse(sfen::START)?;
/// assert_eq!(csa_move(&board, UsiNotation::parse_move(&board, "7g7f")?), "+7776FU");
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
pub fn csa_move(board: &Board, mv: Move) -> String {
    let digits = |square: Square| format!("{}{}", square.file() + 1, square.rank() + 1);
    let from = mv.from().map_or("00".into(), digits);
    let piece = match (mv.from(), mv.dropped()) {
        (Some(from), _) => board.piece_at(from).unwrap_or(Piece::Pawn),
        (None, piece) => piece.unwrap_or(Piece::Pawn),
    };
    let piece = if mv.is_promotion() { piece.promoted().unwrap_or(piece) } else { piece };
    format!("{}{from}{}{}", sign(board.side_to_move()), digits(mv.to()), NAMES[piece.index()])
}

/// The legal move that CSA writes so; `None` where there is none. The sign may be missing.
pub fn parse_csa_move(board: &Board, text: &str) -> Option<Move> {
    let words = text.strip_prefix(sign(board.side_to_move())).unwrap_or(text);
    let (to, piece) = (square_of(words.get(2..4)?)?, piece_of(words.get(4..)?)?);
    let mv = match words.get(..2)? {
        "00" if piece.is_droppable() => Move::drop(piece, to),
        "00" => return None,
        digits => {
            let from = square_of(digits).filter(|&from| from != to)?;
            match board.piece_at(from)? {
                stays if stays == piece => Move::normal(from, to),
                turns if turns.promoted() == Some(piece) => Move::promote(from, to),
                _ => return None,
            }
        }
    };
    board.unpack(mv.bits())
}

/// A position as CSA writes it: nine lines of the board, the hands, the side to move.
pub fn write_csa_position(board: &Board) -> String {
    let mut out = String::new();
    for rank in 0..9 {
        let _ = write!(out, "P{}", rank + 1);
        for file in (0..9).rev() {
            match board.at(Square::new(file, rank)) {
                None => out.push_str(" * "),
                Some((side, piece)) => {
                    out.push(sign(side));
                    out.push_str(NAMES[piece.index()]);
                }
            }
        }
        out.push('\n');
    }
    for side in Side::ALL {
        if !board.hand(side).is_empty() {
            let _ = write!(out, "P{}", sign(side));
            for (piece, count) in board.hand(side).iter() {
                for _ in 0..count {
                    let _ = write!(out, "00{}", NAMES[piece.index()]);
                }
            }
            out.push('\n');
        }
    }
    out.push(sign(board.side_to_move()));
    out.push('\n');
    out
}

/// Reads a position as CSA writes it, line by line.
///
/// # Errors
/// The position is wrong; the error has the line from 0 and the reason in words.
pub fn parse_csa_position(text: &str) -> Result<Board, (usize, String)> {
    let mut setup = Setup::EMPTY;
    let mut last = 0;
    for (number, line) in text.lines().enumerate() {
        last = number;
        match side_of(line.trim()) {
            Some(side) => setup.side = side,
            None if line.starts_with('P') => place(&mut setup, line).map_err(|words| (number, words.into()))?,
            None if line.trim().is_empty() => {}
            None => return Err((number, "expected a line of a position".into())),
        }
    }
    setup.board().map_err(|error: SetupError| (last, error.to_string()))
}

/// Reads a line of a position that begins with `P` into `setup`.
pub(super) fn place(setup: &mut Setup, line: &str) -> Result<(), &'static str> {
    const PIECE: &str = "a square and a piece such as 77FU";
    let (kind, rest) = (line.get(1..2).unwrap_or(""), line.get(2..).unwrap_or(""));
    if kind == "I" {
        *setup = Setup { side: setup.side, ..crate::sfen::parse_setup(crate::sfen::START).map_err(|_| PIECE)? };
        for piece in groups(rest, 4) {
            let square = piece.get(..2).and_then(square_of).ok_or(PIECE)?;
            let there = setup.cells[square.index()].take().map(|(_, piece)| piece);
            if there.is_none() || there != piece.get(2..).and_then(piece_of) {
                return Err("a piece of the start to be left out");
            }
        }
        return Ok(());
    }
    if let Some(side) = side_of(kind) {
        return groups(rest, 4).into_iter().try_for_each(|piece| put(setup, side, piece).ok_or(PIECE));
    }
    let rank = kind.parse::<u8>().ok().filter(|rank| (1..=9).contains(rank)).ok_or("P1 to P9, P+, P- or PI")?;
    for file in (0..9).rev() {
        let cell = rest.get(3 * (8 - file)..).unwrap_or("");
        let cell = cell.get(..3).unwrap_or(cell);
        let square = Square::new(file as u8, rank - 1);
        setup.cells[square.index()] = match cell.get(..1).and_then(side_of) {
            Some(side) => Some((side, cell.get(1..).and_then(piece_of).ok_or("nine squares such as -KY or ` * `")?)),
            None if cell.trim().is_empty() || cell.trim() == "*" => None,
            None => return Err("nine squares such as -KY or ` * `"),
        };
    }
    Ok(())
}

/// Puts a piece on a square or into the hand; `00AL` is all that is left.
fn put(setup: &mut Setup, side: Side, piece: &str) -> Option<()> {
    let hand = &mut setup.hands[side.index()];
    match (piece.get(..2)?, piece.get(2..)?) {
        ("00", "AL") => {
            let missing = setup.missing().ok()?;
            let hand = &mut setup.hands[side.index()];
            let counts = hand.counts();
            *hand = Hand::from_counts(std::array::from_fn(|i| counts[i] + missing[i]))?;
        }
        ("00", name) => {
            let more = hand.with(piece_of(name).filter(|piece| piece.is_droppable())?);
            if more == *hand {
                return None;
            }
            *hand = more;
        }
        (digits, name) => {
            let cell = &mut setup.cells[square_of(digits)?.index()];
            if cell.is_some() {
                return None;
            }
            *cell = Some((side, piece_of(name)?));
        }
    }
    Some(())
}

/// Pieces of `size` characters; what is left at the end is a piece of its own.
fn groups(text: &str, size: usize) -> Vec<&str> {
    let mut rest = text.trim_end();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (head, tail) = rest.split_at_checked(size).unwrap_or((rest, ""));
        all.push(head);
        rest = tail;
    }
    all
}
