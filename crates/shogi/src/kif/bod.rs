//! Board diagrams (BOD): nine rows between bars, hands in words, the side to move.

use crate::{
    Board, Hand, Piece, Setup, Square,
    japanese::{digit, piece_name, read_piece},
};
use std::fmt::Write;
use tesuji_game::{Position, Side};

/// Names of one character, by the index of the kind.
const CELLS: [&str; 14] = ["歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍"];
/// Hands are written from the rook down.
const HAND_ORDER: [Piece; 7] =
    [Piece::Rook, Piece::Bishop, Piece::Gold, Piece::Silver, Piece::Knight, Piece::Lance, Piece::Pawn];
const KANJI: [&str; 9] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];

/// A position as a diagram.
///
/// ```
/// use tesuji_shogi::{kif::{parse_bod, write_bod}, sfen};
/// let board = sfen::parse("4k4/9/4P4/9/9/9/9/9/9 b G2p 5")?;
/// let diagram = write_bod(&board);
/// assert!(diagram.contains("| ・ ・ ・ ・v玉 ・ ・ ・ ・|一"));
/// assert_eq!(parse_bod(&diagram), Ok(board));
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
pub fn write_bod(board: &Board) -> String {
    let mut out = format!("後手の持駒：{}\n", hand_words(board.hand(Side::Second)));
    out.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
    for rank in 0..9 {
        out.push('|');
        for file in (0..9).rev() {
            match board.at(Square::new(file, rank)) {
                None => out.push_str(" ・"),
                Some((side, piece)) => {
                    out.push(if side == Side::First { ' ' } else { 'v' });
                    out.push_str(CELLS[piece.index()]);
                }
            }
        }
        let _ = writeln!(out, "|{}", KANJI[usize::from(rank)]);
    }
    let _ = writeln!(out, "+---------------------------+\n先手の持駒：{}", hand_words(board.hand(Side::First)));
    if board.move_number() > 1 {
        let _ = writeln!(out, "手数＝{}", board.move_number() - 1);
    }
    if board.side_to_move() == Side::Second {
        out.push_str("後手番\n");
    }
    out
}

fn hand_words(hand: Hand) -> String {
    if hand.is_empty() {
        return "なし".into();
    }
    let mut words = Vec::new();
    for piece in HAND_ORDER {
        let count = usize::from(hand.count(piece));
        let ten = if count >= 10 { "十" } else { "" };
        match (count, count % 10) {
            (0, _) => {}
            (1, _) => words.push(piece_name(piece).to_string()),
            (_, 0) => words.push(format!("{}{ten}", piece_name(piece))),
            (_, ones) => words.push(format!("{}{ten}{}", piece_name(piece), KANJI[ones - 1])),
        }
    }
    words.join("　")
}

/// Reads a position as a diagram. Lines that say nothing of the position are passed over.
///
/// # Errors
/// The diagram is wrong; the error says why, in words.
pub fn parse_bod(text: &str) -> Result<Board, String> {
    let mut draft = Draft::default();
    for line in text.lines() {
        draft.line(line.trim_end()).map_err(|expected| format!("expected {expected}, found `{line}`"))?;
    }
    draft.setup().ok_or("expected nine rows of a board")?.board().map_err(|error| error.to_string())
}

/// A diagram in the making.
#[derive(Default)]
pub(super) struct Draft {
    rows: u8,
    setup: Option<Setup>,
}

impl Draft {
    /// The position, when all rows were there.
    pub(super) fn setup(&self) -> Option<Setup> {
        self.setup.filter(|_| self.rows == 9)
    }

    /// Whether a row was read.
    pub(super) fn has_begun(&self) -> bool {
        self.rows > 0
    }

    /// Takes a line; `false` when it says nothing of a position.
    pub(super) fn line(&mut self, line: &str) -> Result<bool, &'static str> {
        let setup = self.setup.get_or_insert(Setup::EMPTY);
        if let Some(row) = line.strip_prefix('|') {
            read_row(row, self.rows, setup)?;
            self.rows += 1;
            return Ok(true);
        }
        if let Some((name, value)) = super::head::split(line) {
            let side = match name {
                "先手の持駒" | "下手の持駒" => Side::First,
                "後手の持駒" | "上手の持駒" => Side::Second,
                "手番" => {
                    setup.side = if value.starts_with(['後', '上']) { Side::Second } else { Side::First };
                    return Ok(true);
                }
                _ => return Ok(false),
            };
            setup.hands[side.index()] = read_hand(value).ok_or("pieces in hand such as 飛　歩三")?;
            return Ok(true);
        }
        if let Some(rest) = line.strip_prefix("手数＝").or_else(|| line.strip_prefix("手数=")) {
            let digits: String = rest.chars().map_while(ascii_digit).collect();
            setup.move_number = digits.parse().map_or(1, |n: u16| n.saturating_add(1));
        }
        if line.contains("後手番") || line.contains("上手番") {
            setup.side = Side::Second;
            return Ok(true);
        }
        Ok(line.contains("先手番") || line.contains("下手番") || line.starts_with("手数＝"))
    }
}

fn ascii_digit(c: char) -> Option<char> {
    if c == '０' {
        Some('0')
    } else {
        c.to_digit(10).or_else(|| digit(c).map(u32::from)).and_then(|d| char::from_digit(d, 10))
    }
}

fn read_row(row: &str, rank: u8, setup: &mut Setup) -> Result<(), &'static str> {
    const EXPECTED: &str = "nine squares such as ` 歩`, `v歩` or ` ・`";
    if rank > 8 {
        return Err("no more than nine rows");
    }
    let mut rest = row;
    for file in (0..9).rev() {
        let side = if rest.starts_with(['v', 'V']) { Side::Second } else { Side::First };
        rest = rest.strip_prefix(['v', 'V', ' ', '^']).unwrap_or(rest);
        let empty = rest.strip_prefix(['・', '．', '.', '　']);
        let (cell, after) = match empty {
            Some(after) => (None, after),
            None => {
                let (piece, after) = read_piece(rest).ok_or(EXPECTED)?;
                (Some((side, piece)), after)
            }
        };
        setup.cells[Square::new(file, rank).index()] = cell;
        rest = after;
    }
    if rest.trim_start().starts_with('|') || rest.trim().is_empty() { Ok(()) } else { Err(EXPECTED) }
}

fn read_hand(text: &str) -> Option<Hand> {
    let mut counts = [0u8; 7];
    let mut rest = text.trim_matches([' ', '　']);
    if rest == "なし" || rest.is_empty() {
        return Some(Hand::EMPTY);
    }
    while !rest.is_empty() {
        let (piece, after) = read_piece(rest).filter(|(piece, _)| piece.is_droppable())?;
        let number: String = after.chars().take_while(|&c| c == '十' || ascii_digit(c).is_some()).collect();
        let count = match number.strip_prefix('十') {
            Some("") => 10,
            Some(ones) => 10 + digit(ones.chars().next()?)?,
            None if number.is_empty() => 1,
            None => number.chars().map(ascii_digit).collect::<Option<String>>()?.parse().ok()?,
        };
        counts[piece.index()] = counts[piece.index()].checked_add(count)?;
        rest = after[number.len()..].trim_start_matches([' ', '　']);
    }
    Hand::from_counts(counts)
}
