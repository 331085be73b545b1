//! Moves in Japanese words, `７六歩(77)` with the origin or `５二金右` with as many words as are needed, and in western letters.

use crate::{Board, Move, Piece, Square, attacks};
use tesuji_game::{Position, Side};

/// Names by the index of the kind, as moves have them.
const NAMES: [&str; 14] = ["歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍"];

/// Other names, and those of one character.
const OTHER_NAMES: [(&str, Piece); 6] = [
    ("王", Piece::King),
    ("竜", Piece::Dragon),
    ("杏", Piece::ProLance),
    ("圭", Piece::ProKnight),
    ("全", Piece::ProSilver),
    ("个", Piece::ProPawn),
];

const WIDE: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const KANJI: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// The name of a kind: `歩`, `成香`, `龍`.
pub fn piece_name(piece: Piece) -> &'static str {
    NAMES[piece.index()]
}

/// The kind that a text begins with, and the rest of it.
pub(crate) fn read_piece(text: &str) -> Option<(Piece, &str)> {
    let own = NAMES.iter().zip(Piece::ALL).filter_map(|(name, piece)| Some((piece, text.strip_prefix(name)?)));
    let others = OTHER_NAMES.iter().filter_map(|&(name, piece)| Some((piece, text.strip_prefix(name)?)));
    own.chain(others).next()
}

/// A digit of any writing, 1 to 9.
pub(crate) fn digit(c: char) -> Option<u8> {
    let at = |set: &[char; 9]| set.iter().position(|&d| d == c).map(|at| at as u8 + 1);
    c.to_digit(10).filter(|d| (1..=9).contains(d)).map(|d| d as u8).or_else(|| at(&WIDE)).or_else(|| at(&KANJI))
}

/// `７六`.
pub fn square_name(square: Square) -> String {
    format!("{}{}", WIDE[usize::from(square.file())], KANJI[usize::from(square.rank())])
}

/// The square that a text begins with in digits of any writing, and the rest of it.
pub(crate) fn read_square(text: &str) -> Option<(Square, &str)> {
    let mut chars = text.chars();
    let (file, rank) = (digit(chars.next()?)?, digit(chars.next()?)?);
    Some((Square::new(file - 1, rank - 1), chars.as_str()))
}

/// The mark of the side before a move in KI2: `▲` or `△`.
pub const fn mark(side: Side) -> char {
    match side {
        Side::First => '▲',
        Side::Second => '△',
    }
}

/// The kind that moves, before it does.
fn mover(board: &Board, mv: Move) -> Piece {
    mv.from().map_or(mv.dropped(), |from| board.piece_at(from)).unwrap_or(Piece::Pawn)
}

/// Whether the move could be played with and without promotion.
fn may_promote(board: &Board, mv: Move) -> bool {
    let (side, to) = (board.side_to_move(), mv.to());
    let zone = |from: Square| from.in_zone(side) || to.in_zone(side);
    mv.from().is_some_and(|from| mover(board, mv).promoted().is_some() && zone(from))
}

/// The target of a move: `７六`, or `同　` for that of the last move.
fn target(mv: Move, last: Option<Square>) -> String {
    if last == Some(mv.to()) { "同　".into() } else { square_name(mv.to()) }
}

/// A move with its origin, as KIF writes it: `７六歩(77)`, `２二角成(88)`, `５五角打`, `同　銀(31)`. `last`: where the move
/// before went.
pub fn with_origin(board: &Board, mv: Move, last: Option<Square>) -> String {
    let (target, name) = (target(mv, last), piece_name(mover(board, mv)));
    match mv.from() {
        None => format!("{target}{name}打"),
        Some(from) => {
            let promotion = if mv.is_promotion() { "成" } else { "" };
            format!("{target}{name}{promotion}({}{})", from.file() + 1, from.rank() + 1)
        }
    }
}

/// A legal move in the words of people, as KI2 writes it, without the mark of the side: `７六歩`, `５二金右`, `同　銀不成`.
///
/// ```
/// use tesuji_game::Notation;
/// use tesuji_shogi::{UsiNotation, japanese, sfen};
/// let board = sfen::parse(sfen::START)?;
/// let mv = UsiNotation::parse_move(&board, "4i5h")?;
/// assert_eq!(japanese::in_words(&board, mv, None), "５八金右");
/// assert_eq!(japanese::parse(&board, "５八金右", None), Some(mv));
/// # Ok::<(), tesuji_game::NotationError>(())
/// ```
pub fn in_words(board: &Board, mv: Move, last: Option<Square>) -> String {
    let piece = mover(board, mv);
    let rivals = origins(board, mv.to(), piece);
    let words = match mv.from() {
        None if rivals.is_empty() => String::new(),
        None => "打".into(),
        Some(from) => distinction(board.side_to_move(), piece, from, mv.to(), &rivals),
    };
    let promotion = match (mv.is_promotion(), may_promote(board, mv)) {
        (true, _) => "成",
        (false, true) => "不成",
        (false, false) => "",
    };
    format!("{}{}{words}{promotion}", target(mv, last), piece_name(piece))
}

/// From where pieces of a kind may legally go to a square.
fn origins(board: &Board, to: Square, piece: Piece) -> Vec<Square> {
    let side = board.side_to_move();
    let near = attacks::of(piece, !side, to, board.occupied()) & board.of(side, piece);
    let legal = |from: Square| {
        [Move::normal(from, to), Move::promote(from, to)].iter().any(|mv| board.unpack(mv.bits()).is_some())
    };
    near.into_iter().filter(|&from| legal(from)).collect()
}

/// The number of ranks that a piece moves forward for its side: `上` above 0, `寄` 0, `引` below.
fn forward(side: Side, from: Square, to: Square) -> i8 {
    from.relative_rank(side) as i8 - to.relative_rank(side) as i8
}

fn motion(side: Side, from: Square, to: Square) -> &'static str {
    match forward(side, from, to).signum() {
        1 => "上",
        0 => "寄",
        _ => "引",
    }
}

/// Whether words of direction hold for a piece, among all that could go there.
fn holds(word: char, side: Side, piece: Piece, from: Square, to: Square, rivals: &[Square]) -> bool {
    // How far to the right of the mark, as the side sees it.
    let column = |square: Square| square.relative(side).file() as i8;
    let far = matches!(piece, Piece::Horse | Piece::Dragon);
    let beside = |square: Square| {
        let others = rivals.iter().filter(|&&other| other != square);
        others.map(|&other| (column(square) - column(other)).signum()).collect::<Vec<_>>()
    };
    match word {
        '上' | '行' => forward(side, from, to) > 0,
        '寄' => forward(side, from, to) == 0,
        '引' => forward(side, from, to) < 0,
        '直' => !far && forward(side, from, to) > 0 && column(from) == column(to),
        // Horses and dragons are left or right of each other, all others of where they go.
        '左' if far => !beside(from).is_empty() && beside(from).iter().all(|&s| s > 0),
        '右' if far => !beside(from).is_empty() && beside(from).iter().all(|&s| s < 0),
        '左' => column(from) > column(to),
        '右' => column(from) < column(to),
        _ => false,
    }
}

/// The words that tell `from` from its rivals; none where there are no others.
fn distinction(side: Side, piece: Piece, from: Square, to: Square, rivals: &[Square]) -> String {
    if rivals.len() < 2 {
        return String::new();
    }
    let fits = |words: &str, from: Square| words.chars().all(|word| holds(word, side, piece, from, to, rivals));
    let alone = |words: &str| fits(words, from) && rivals.iter().filter(|&&other| fits(words, other)).count() == 1;
    let motion = motion(side, from, to);
    let words = [motion.into(), "直".into(), "左".into(), "右".into(), format!("左{motion}"), format!("右{motion}")];
    words.into_iter().find(|words| alone(words)).unwrap_or_default()
}

/// Reads a legal move in Japanese words, with or without origin, marks and superfluous words: `▲７六歩`, `76歩(77)`,
/// `同銀右不成`. `last`: where the move before went. `None` where it is no move, cannot be played, or could be several.
pub fn parse(board: &Board, text: &str, last: Option<Square>) -> Option<Move> {
    let marks: &[char] = &['▲', '△', '▼', '▽', '☗', '☖', ' ', '　'];
    let text = text.trim_start_matches(marks).trim_end();
    let (to, rest) = match text.strip_prefix('同') {
        Some(rest) => match read_square(rest) {
            Some((square, rest)) => (square, rest),
            None => (last?, rest),
        },
        None => read_square(text)?,
    };
    let (piece, rest) = read_piece(rest.trim_start_matches(marks))?;
    let (words, from) = match rest.split_once(['(', '（']) {
        Some((words, origin)) => {
            (words, Some(read_square(origin.trim_end_matches([')', '）'])).filter(|r| r.1.is_empty())?.0))
        }
        None => (rest, None),
    };
    let words: String = words.chars().filter(|c| !marks.contains(c)).collect();
    const ENDS: [(&str, bool); 7] = [
        ("不成り", false),
        ("不成", false),
        ("成らず", false),
        ("生", false),
        ("成り", true),
        ("成る", true),
        ("成", true),
    ];
    let end = ENDS.iter().find_map(|&(end, promotes)| Some((words.strip_suffix(end)?, promotes)));
    let (words, promotes) = end.unwrap_or((words.as_str(), false));
    if !words.chars().all(|word| "打上行寄引直左右".contains(word)) {
        return None;
    }
    let drop = || board.unpack(Move::drop(piece, to).bits()).filter(|_| piece.is_droppable() && !promotes);
    if words == "打" {
        return if from.is_none() { drop() } else { None };
    }
    let rivals = origins(board, to, piece);
    if rivals.is_empty() && from.is_none() && words.is_empty() {
        return if piece.is_droppable() { drop() } else { None };
    }
    let side = board.side_to_move();
    let fits = |&&square: &&Square| {
        from.is_none_or(|from| from == square)
            && (from.is_some() || words.chars().all(|word| holds(word, side, piece, square, to, &rivals)))
    };
    let mut fitting = rivals.iter().filter(fits);
    let (Some(&from), None) = (fitting.next(), fitting.next()) else { return None };
    let mv = if promotes { Move::promote(from, to) } else { Move::normal(from, to) };
    board.unpack(mv.bits())
}

/// A legal move in western letters: `P-7f`, `Bx2b+`, `S*5e`, `G4i-5h` where two could go, `N-3c=` where it does not promote.
pub fn western(board: &Board, mv: Move) -> String {
    let piece = mover(board, mv);
    let plus = if piece.is_promoted() { "+" } else { "" };
    let letter = piece.letter().to_ascii_uppercase();
    let Some(from) = mv.from() else { return format!("{letter}*{}", mv.to()) };
    let origin = if origins(board, mv.to(), piece).len() > 1 { from.to_string() } else { String::new() };
    let way = if board.piece_at(mv.to()).is_some() { 'x' } else { '-' };
    let end = match (mv.is_promotion(), may_promote(board, mv)) {
        (true, _) => "+",
        (false, true) => "=",
        (false, false) => "",
    };
    format!("{plus}{letter}{origin}{way}{}{end}", mv.to())
}

/// Reads a legal move in western letters, with or without `-` and `x`, squares as `7f` or `76`. `None` where it is no move,
/// cannot be played, or could be several.
pub fn parse_western(board: &Board, text: &str) -> Option<Move> {
    let (plus, rest) = text.trim().strip_prefix('+').map_or((false, text.trim()), |rest| (true, rest));
    let base = rest.chars().next().and_then(Piece::from_letter)?;
    let piece = if plus { base.promoted()? } else { base };
    let rest = &rest[1..];
    let square = |text: &str| Square::parse(text).or_else(|| read_square(text).filter(|r| r.1.is_empty()).map(|r| r.0));
    if let Some(to) = rest.strip_prefix(['*', '\'']) {
        return board.unpack(Move::drop(Some(piece).filter(|p| p.is_droppable())?, square(to)?).bits());
    }
    let (rest, promotes) = match rest.strip_suffix('+') {
        Some(rest) => (rest, true),
        None => (rest.strip_suffix('=').unwrap_or(rest), false),
    };
    let words: String = rest.chars().filter(|c| !matches!(c, '-' | 'x')).collect();
    let (origin, to) = words.split_at_checked(words.len().checked_sub(2)?)?;
    let (to, from) = (square(to)?, if origin.is_empty() { None } else { Some(square(origin)?) });
    let rivals = origins(board, to, piece);
    let mut fitting = rivals.iter().filter(|&&square| from.is_none_or(|from| from == square));
    let (Some(&from), None) = (fitting.next(), fitting.next()) else { return None };
    board.unpack(if promotes { Move::promote(from, to) } else { Move::normal(from, to) }.bits())
}
