//! Reads KIF and KI2, whichever it is: the moves of all lines are played on boards, what the head tells becomes tags.

use super::{OUTCOME, VALUE, bod, head};
use crate::{
    Board, Handicap, Rules, Shogi, Square, UsiNotation, endings, figures, japanese, lines::Lines, record,
    record::END_SPENT,
};
use std::{io::BufRead, time::Duration};
use tesuji_game::{By, FirstSide, Game, Notation, Outcome, Position, Side, Value};
use tesuji_record::{Fault, GameRecord, RecordError, RecordReader, Step};

/// The most bytes of one game.
const GAME_BYTES_MAX: usize = 16 << 20;
/// The most moves of a line of play: a board is kept for each. The longest game on record has some 1,100.
const LINE_PLIES_MAX: usize = 10_000;
/// The marks before a move in KI2.
const MARKS: [char; 6] = ['▲', '△', '▼', '▽', '☗', '☖'];
/// The tag that tells the rules of declaration, where they are not the usual ones.
pub(super) const RULES: &str = "Rules";

/// Reads games one by one.
pub(super) struct Reader {
    lines: Lines,
    record: u64,
}

impl Reader {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader {
        Reader { lines: Lines::new(input), record: 0 }
    }

    /// The lines of the next game with their numbers; none at the end. A head behind moves begins another game.
    fn game(&mut self) -> Result<Vec<(u64, String)>, RecordError> {
        let (mut game, mut bytes, mut moves) = (Vec::new(), 0, false);
        while let Some(line) = self.lines.next()? {
            let kind = Kind::of(&line);
            if moves && (kind == Kind::Head || line.starts_with("#KIF")) {
                self.lines.keep(line);
                break;
            }
            moves |= matches!(kind, Kind::Move | Kind::Words | Kind::End);
            bytes += line.len() + size_of::<(u64, String)>();
            if bytes > GAME_BYTES_MAX {
                let words = "a game takes more than 16 MiB, or this is no file of games";
                let fault = Fault::Io(std::io::Error::new(std::io::ErrorKind::InvalidData, words));
                return Err(RecordError::new(self.lines.number(), self.record + 1, fault));
            }
            if !line.trim().is_empty() {
                game.push((self.lines.number(), line));
            }
        }
        Ok(game)
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let lines = self.game()?;
        if lines.is_empty() {
            return Ok(None);
        }
        self.record += 1;
        let mut draft = Draft::default();
        for (number, line) in &lines {
            draft.line(line).map_err(|fault| RecordError::new(*number, self.record, fault))?;
        }
        if !draft.something {
            let fault = Fault::expected("moves, or what is told about a game of shogi", &lines[0].1);
            return Err(RecordError::new(lines[0].0, self.record, fault));
        }
        draft.begin().map_err(|fault| RecordError::new(lines[0].0, self.record, fault))?;
        draft.game.outcome = draft.told.or(draft.game.outcome);
        let last = draft.main_end.or(draft.path.last().map(|place| place.board));
        if let Some(board) = last {
            record::settle_outcome(&mut draft.game, &board);
        }
        Ok(Some(draft.game))
    }
}

/// The kind of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Comment,
    Remark,
    Bookmark,
    Variation,
    End,
    Move,
    Words,
    Head,
    Other,
}

impl Kind {
    fn of(line: &str) -> Kind {
        let text = line.trim_start_matches([' ', '　']);
        match text.chars().next() {
            Some('*') => Kind::Comment,
            Some('#') => Kind::Remark,
            Some('&') => Kind::Bookmark,
            Some('|' | '+') => Kind::Other,
            Some(c) if MARKS.contains(&c) => Kind::Words,
            Some(c) if c.is_ascii_digit() && !line.contains('：') => Kind::Move,
            _ if text.starts_with("変化") => Kind::Variation,
            _ if text.starts_with("まで") => Kind::End,
            _ if head::split(line).is_some() => Kind::Head,
            _ => Kind::Other,
        }
    }
}

/// A place in a line of moves.
#[derive(Clone, Copy)]
struct Branch {
    node: u32,
    board: Board,
    /// The target of the last move.
    last: Option<Square>,
}

/// A record in the making.
#[derive(Default)]
struct Draft {
    game: GameRecord<String>,
    handicap: Option<Handicap>,
    bod: bod::Draft,
    /// The places of the present line from the start on; empty before the first move.
    path: Vec<Branch>,
    /// The line is a variation with a move that cannot be played: what follows it is left out.
    lost: bool,
    /// Whether the present line is the main one.
    main: bool,
    /// The last board of the main line, once a variation has begun.
    main_end: Option<Board>,
    told: Option<Outcome>,
    something: bool,
}

impl Draft {
    fn line(&mut self, line: &str) -> Result<(), Fault> {
        let text = line.trim_matches([' ', '　']);
        match Kind::of(line) {
            Kind::Comment => self.comment(&text[1..]),
            Kind::Remark => {
                let outcome = text.strip_prefix(OUTCOME).and_then(endings::read_words);
                self.told = outcome.or(self.told);
            }
            // Other programs show it in a list of places to go to; here it stays as words.
            Kind::Bookmark => self.comment(text),
            Kind::Variation => return self.variation(text),
            Kind::End => {
                self.begin()?;
                self.end(text);
            }
            Kind::Move => return self.numbered(text),
            Kind::Words => {
                // Marks stand before moves only.
                return text.split(MARKS).skip(1).try_for_each(|word| self.play(word));
            }
            Kind::Head | Kind::Other if self.path.is_empty() => return self.head(line),
            _ => {}
        }
        Ok(())
    }

    fn head(&mut self, line: &str) -> Result<(), Fault> {
        if self.bod.line(line.trim_end()).map_err(|expected| Fault::expected(expected, line))? {
            self.something = true;
            return Ok(());
        }
        let Some((name, value)) = head::split(line) else { return Ok(()) };
        self.something |= head::TAGS.iter().any(|t| t.0 == name) || head::SIDES.iter().flatten().any(|s| *s == name);
        if name == "手合割" {
            self.something = true;
            self.handicap = head::read_handicap(value);
            if self.handicap.is_none() && !matches!(value, "その他" | "詰将棋" | "実戦詰将棋") {
                return Err(Fault::expected("a handicap such as 平手 or 二枚落ち", value));
            }
            return Ok(());
        }
        let tag = head::TAGS.iter().find(|t| t.0 == name).map(|t| t.1);
        let side = |i: usize| head::SIDES.iter().any(|sides| sides[i] == name);
        let tag = tag.or(side(0).then_some("Black")).or(side(1).then_some("White")).unwrap_or(name);
        self.game.set_tag(tag, value);
        Ok(())
    }

    /// Sets up the board, once.
    fn begin(&mut self) -> Result<(), Fault> {
        if !self.path.is_empty() {
            return Ok(());
        }
        self.something = true;
        let rules: Rules = self.game.tag(RULES).unwrap_or("").parse().map_err(Fault::Position)?;
        self.game.tags.retain(|tag| tag.0 != RULES);
        let rules = Rules { handicap: self.handicap.unwrap_or_default(), ..rules };
        let board = match self.bod.setup() {
            Some(setup) => setup.board().map_err(|e| Fault::expected("a position that can be", e.reason()))?,
            None if self.bod.has_begun() => return Err(Fault::expected("nine rows of a board", "")),
            None => Shogi::start(&rules),
        };
        let board = board.with_declaration(rules.declaration);
        (self.game.rules, self.game.start) = record::start_texts(&board);
        self.path.push(Branch { node: 0, board, last: None });
        self.main = true;
        Ok(())
    }

    /// A line of KIF: number, move or end, times.
    fn numbered(&mut self, text: &str) -> Result<(), Fault> {
        self.begin()?;
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = text[digits..].trim_start_matches([' ', '　', '\t']).trim_end_matches(['+', ' ', '　']);
        let open = rest.rfind('(').filter(|&open| rest[open..].contains(':'));
        let (mv, time) = rest.split_at(open.unwrap_or(rest.len()));
        let mv = mv.trim_end_matches(['+', ' ', '　', '\t']);
        if is_end(mv) {
            let outcome = self.ended(mv);
            // The end of a variation, and ends that are no result, have no place of their own.
            if !self.main || outcome.is_none() {
                self.comment(mv);
            }
            if self.main {
                self.game.outcome = outcome.or(self.game.outcome);
                if let Some(spent) = read_time(time).filter(|spent| !spent.is_zero()) {
                    self.game.set_tag(END_SPENT, figures::seconds(spent));
                }
            }
            return Ok(());
        }
        let before = self.game.nodes.len();
        self.play(mv)?;
        if let Some(spent) = read_time(time)
            && self.game.nodes.len() > before
            && let Some(place) = self.path.last()
        {
            self.game.note_mut(place.node).spent = Some(spent);
        }
        Ok(())
    }

    fn play(&mut self, text: &str) -> Result<(), Fault> {
        self.begin()?;
        let Some(place) = self.path.last().copied().filter(|_| !self.lost) else { return Ok(()) };
        if self.path.len() > LINE_PLIES_MAX {
            return Err(Fault::expected("at most 10000 moves in a line of play", text));
        }
        let text = text.trim_matches([' ', '　', '\t']);
        let Some(mv) = japanese::parse(&place.board, text, place.last) else {
            if !self.main {
                self.lost = true;
                return Ok(());
            }
            return Err(Fault::IllegalMove { number: self.path.len(), text: text.chars().take(20).collect() });
        };
        let mut words = String::new();
        let _ = UsiNotation::write_move(&place.board, mv, &mut words);
        let node = self.game.push(place.node, Step::Move(words));
        let mut board = place.board;
        board.play(mv);
        self.path.push(Branch { node, board, last: Some(mv.to()) });
        Ok(())
    }

    /// `変化：12手`: the line goes back to where move 12 was played, in the line before it.
    fn variation(&mut self, text: &str) -> Result<(), Fault> {
        self.begin()?;
        const EXPECTED: &str = "a variation that begins at a move of the line before, such as 変化：12手";
        let number: String = text.chars().filter(|c| c.is_ascii_digit()).collect();
        let number = number.parse::<usize>().ok().filter(|n| (1..=self.path.len()).contains(n) || self.lost && *n > 0);
        let number = number.ok_or_else(|| Fault::expected(EXPECTED, text))?;
        if self.main {
            self.main_end = self.path.last().map(|place| place.board);
        }
        (self.lost, self.main) = (number > self.path.len(), false);
        self.path.truncate(number);
        Ok(())
    }

    /// The end that a line of KIF tells, in the place of a move.
    fn ended(&self, text: &str) -> Option<Outcome> {
        let me = self.path.last()?.board.side_to_move();
        Some(match text {
            "投了" => Outcome::win(!me, By::Resignation),
            "詰み" => Outcome::win(!me, By::Mate),
            "切れ負け" => Outcome::win(!me, By::Time),
            "反則負け" => Outcome::win(!me, By::Illegal),
            "反則勝ち" => Outcome::win(me, By::Illegal),
            "入玉勝ち" => Outcome::win(me, By::Declaration),
            "不戦敗" => Outcome::win(!me, By::Disconnect),
            "不戦勝" => Outcome::win(me, By::Disconnect),
            "千日手" => Outcome::draw(By::Repetition),
            "持将棋" => Outcome::draw(By::Declaration),
            "引き分け" => Outcome::draw(By::Agreement),
            "中断" => Outcome::draw(By::Void),
            _ => return None,
        })
    }

    /// The line that ends a game in words: `まで87手で先手の勝ち`. What a line of KIF told before counts more.
    fn end(&mut self, text: &str) {
        if !self.main || self.game.outcome.is_some() {
            return;
        }
        let side = |i: usize| head::SIDES.iter().any(|sides| text.contains(sides[i]));
        let loses = text.contains("負け") && !text.contains("切れ負け");
        let winner = match (side(0), side(1)) {
            (true, false) => Some(Side::First),
            (false, true) => Some(Side::Second),
            _ => None,
        };
        let winner = if loses { winner.map(|side| !side) } else { winner };
        let by = match text {
            _ if text.contains("千日手") => By::Repetition,
            _ if text.contains("持将棋") => By::Declaration,
            _ if text.contains("引き分け") => By::Agreement,
            _ if text.contains("中断") => By::Void,
            _ if text.contains("反則") => By::Illegal,
            _ if text.contains("切れ") => By::Time,
            _ if text.contains("入玉") || text.contains("宣言") => By::Declaration,
            _ if text.contains("詰") => By::Mate,
            _ => By::Resignation,
        };
        // Words that name nobody, as `詰み` alone does, mean the side that moved last.
        let winner = winner
            .or(matches!(by, By::Mate | By::Time).then(|| self.path.last()).flatten().map(|p| !p.board.side_to_move()));
        if winner.is_some() || by != By::Resignation {
            self.game.outcome = Some(Outcome { winner, by });
        }
    }

    fn comment(&mut self, text: &str) {
        if self.lost {
            return;
        }
        let (node, board) = self.path.last().map_or((0, None), |place| (place.node, Some(&place.board)));
        if figures::read_words(text, self.game.note_mut(node)) {
            return;
        }
        if let Some(value) = text.strip_prefix(VALUE).and_then(|number| number.trim().parse::<i32>().ok())
            && let Some(mover) = board.map(|board| !board.side_to_move())
            && node != 0
        {
            let bound = i32::from(Value::MATE);
            let told = value;
            let value = Value::from_raw(told.clamp(1 - bound, bound - 1));
            self.game.clipped += u32::from(value.raw() != told);
            self.game.note_mut(node).value = Some(FirstSide(value).seen_by(mover));
            return;
        }
        let comment = &mut self.game.note_mut(node).comment;
        if !comment.is_empty() {
            comment.push('\n');
        }
        comment.push_str(text);
    }
}

/// Words that stand in the place of a move.
const ENDS: [&str; 14] = [
    "投了",
    "詰み",
    "切れ負け",
    "反則負け",
    "反則勝ち",
    "入玉勝ち",
    "不戦敗",
    "不戦勝",
    "千日手",
    "持将棋",
    "引き分け",
    "中断",
    "不詰",
    "封じ手",
];

fn is_end(text: &str) -> bool {
    ENDS.contains(&text)
}

/// The first half of `( 0:16/00:00:16)`.
fn read_time(text: &str) -> Option<Duration> {
    let spent = text.trim_matches(['(', ')', ' ', '　']).split('/').next()?;
    spent
        .split(':')
        .try_fold(0u64, |sum, part| sum.checked_mul(60)?.checked_add(part.trim().parse().ok()?))
        .map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_without_end_is_refused_where_it_is_too_long() {
        let game = |rounds: usize| "▲３八飛 △７二飛 ▲２八飛 △８二飛 ▲３八飛 △７二飛 ▲２八飛 △８二飛\n".repeat(rounds);
        let read = |rounds| Reader::new(Box::new(std::io::Cursor::new(game(rounds)))).read();
        assert_eq!(read(100).unwrap().unwrap().plies(), 800);
        let error = read(2_000).unwrap_err().to_string();
        assert!(error.starts_with("line 1251 (game 1): expected at most 10000 moves in a line of play"), "{error}");
    }
}
