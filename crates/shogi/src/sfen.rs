//! SFEN: read with the place of every mistake, checked for sense, written so that reading gives the same board.

use crate::{Board, Hand, Piece, Setup, Square};
use std::fmt::{self, Write};
use tesuji_game::{NotationError, Side};

/// The usual start position.
pub const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// The order of the pieces in hand as everybody writes it.
const HAND_ORDER: [Piece; 7] =
    [Piece::Rook, Piece::Bishop, Piece::Gold, Piece::Silver, Piece::Knight, Piece::Lance, Piece::Pawn];

/// A field with its place in the text.
#[derive(Clone, Copy)]
struct Field<'a> {
    text: &'a str,
    at: usize,
}

const fn syntax(at: usize, expected: &'static str) -> NotationError {
    NotationError::Syntax { at, expected }
}

/// Reads an SFEN: board, side to move, hands and move number. The number may be missing; a leading word `sfen` is skipped.
///
/// # Errors
/// The text is no SFEN, with the byte offset of the fault in `text`; or the position is impossible.
pub fn parse(text: &str) -> Result<Board, NotationError> {
    let setup = parse_setup(text)?;
    let at = fields(text).next().map_or(0, |f| f.at);
    setup.board().map_err(|e| NotationError::IllegalPosition { at, reason: e.reason() })
}

/// Reads an SFEN without asking whether the position can be.
///
/// # Errors
/// The text is no SFEN, with the byte offset of the fault in `text`.
pub fn parse_setup(text: &str) -> Result<Setup, NotationError> {
    let mut fields = fields(text);
    let end = Field { text: "", at: text.len() };
    let placement = fields.next().ok_or(NotationError::Empty)?;
    let mut setup = Setup::EMPTY;
    read_placement(&mut setup, placement)?;
    let side = fields.next().unwrap_or(end);
    setup.side = match side.text {
        "b" => Side::First,
        "w" => Side::Second,
        _ => return Err(syntax(side.at, "side to move: b or w")),
    };
    setup.hands = read_hands(fields.next().unwrap_or(end))?;
    if let Some(number) = fields.next() {
        let read = number.text.parse::<u16>();
        setup.move_number = read.map_err(|_| syntax(number.at, "move number: 1 to 65535"))?.max(1);
    }
    match fields.next() {
        Some(more) => Err(syntax(more.at, "nothing after the move number")),
        None => Ok(setup),
    }
}

/// Words with their offsets, without a leading `sfen`.
fn fields(text: &str) -> impl Iterator<Item = Field<'_>> {
    let offset = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words = text.split_ascii_whitespace().map(move |word| Field { text: word, at: offset(word) });
    words.enumerate().filter(|(i, field)| *i > 0 || field.text != "sfen").map(|(_, field)| field)
}

fn read_placement(setup: &mut Setup, field: Field<'_>) -> Result<(), NotationError> {
    // Files are counted from the left here: file 9 comes first.
    let (mut column, mut rank, mut plus) = (0u8, 0u8, false);
    for (i, c) in field.text.char_indices() {
        let at = field.at + i;
        match c {
            '+' if !plus => plus = true,
            '/' if column == 9 && rank < 8 && !plus => (column, rank) = (0, rank + 1),
            '/' => return Err(syntax(at, "board: nine ranks of nine squares")),
            '1'..='9' if !plus && column + (c as u8 - b'0') <= 9 => column += c as u8 - b'0',
            _ => {
                let base = Piece::from_letter(c).ok_or(syntax(at, "board: a piece, a number or /"))?;
                let piece = if plus { base.promoted() } else { Some(base) };
                let piece = piece.ok_or(syntax(at, "board: a piece that promotes after +"))?;
                if column > 8 {
                    return Err(syntax(at, "board: / after nine squares"));
                }
                let side = if c.is_ascii_uppercase() { Side::First } else { Side::Second };
                setup.cells[Square::new(8 - column, rank).index()] = Some((side, piece));
                (column, plus) = (column + 1, false);
            }
        }
    }
    if (column, rank, plus) == (9, 8, false) {
        Ok(())
    } else {
        Err(syntax(field.at + field.text.len(), "board: nine ranks of nine squares"))
    }
}

fn read_hands(field: Field<'_>) -> Result<[Hand; 2], NotationError> {
    const EXPECTED: &str = "hands: pieces with counts, or -";
    if field.text == "-" {
        return Ok([Hand::EMPTY; 2]);
    }
    let mut counts = [[0u8; 7]; 2];
    let mut number: Option<u8> = None;
    for (i, c) in field.text.char_indices() {
        let at = field.at + i;
        if let Some(digit) = c.to_digit(10) {
            let read = number.unwrap_or(0).checked_mul(10).and_then(|n| n.checked_add(digit as u8));
            number = Some(read.filter(|&n| (1..=18).contains(&n)).ok_or(syntax(at, "hands: a count from 1 to 18"))?);
            continue;
        }
        let piece = Piece::from_letter(c).filter(|p| p.is_droppable()).ok_or(syntax(at, EXPECTED))?;
        let count = &mut counts[usize::from(c.is_ascii_lowercase())][piece.index()];
        *count = count.saturating_add(number.take().unwrap_or(1));
        if *count > Piece::SET[piece.index()] {
            return Err(syntax(at, "hands: no more pieces than a set has"));
        }
    }
    if field.text.is_empty() || number.is_some() {
        return Err(syntax(field.at + field.text.len(), EXPECTED));
    }
    // The counts were kept within a set above.
    Ok(counts.map(|counts| Hand::from_counts(counts).unwrap_or_default()))
}

/// Writes the board as SFEN.
///
/// # Errors
/// Only those of `out`.
pub fn write(board: &Board, out: &mut dyn Write) -> fmt::Result {
    for rank in 0..9 {
        let mut gap = 0;
        for file in (0..9).rev() {
            let Some((side, piece)) = board.at(Square::new(file, rank)) else {
                gap += 1;
                continue;
            };
            if gap > 0 {
                write!(out, "{gap}")?;
                gap = 0;
            }
            if piece.is_promoted() {
                out.write_char('+')?;
            }
            out.write_char(piece.sfen_letter(side))?;
        }
        if gap > 0 {
            write!(out, "{gap}")?;
        }
        if rank < 8 {
            out.write_char('/')?;
        }
    }
    out.write_str(if board.side == Side::First { " b " } else { " w " })?;
    if board.hands == [Hand::EMPTY; 2] {
        out.write_char('-')?;
    }
    for side in Side::ALL {
        for piece in HAND_ORDER {
            match board.hand(side).count(piece) {
                0 => {}
                1 => out.write_char(piece.sfen_letter(side))?,
                n => write!(out, "{n}{}", piece.sfen_letter(side))?,
            }
        }
    }
    write!(out, " {}", board.move_number)
}

/// The board as SFEN.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(self, f)
    }
}
