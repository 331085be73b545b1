//! Writes KIF and KI2: head, board where it is no handicap's, all lines, the end.

use super::{Kif, OUTCOME, VALUE, bod::write_bod, head, read::RULES};
use crate::{Board, Rules, Square, UsiNotation, endings, figures, japanese, lines, record, record::END_SPENT};
use std::{fmt::Write as _, io::Write};
use tesuji_game::{By, FirstSide, Notation, Outcome, Position, Side};
use tesuji_record::{Fault, GameRecord, Note, RecordError, RecordWriter, Step, Tree};

/// Moves in a line of KI2.
const WORDS_A_LINE: usize = 6;

/// Writes games one by one.
pub(super) struct Writer {
    pub(super) output: Box<dyn Write + Send>,
    pub(super) record: u64,
    pub(super) format: Kif,
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let fail = |fault| RecordError::without_line(self.record, fault);
        let text = Draft::new(record, self.format.words).and_then(|draft| draft.write(self.format)).map_err(fail)?;
        let text = format!("{}{}", if self.record > 1 { "\n" } else { "" }, lines::plain(&text));
        if self.format.shift_jis {
            return Ok(self.output.write_all(&lines::shift_jis(&text))?);
        }
        Ok(self.output.write_all(text.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// A text in the making.
struct Draft<'a> {
    game: &'a GameRecord<String>,
    children: Tree,
    words: bool,
    start: Board,
    out: String,
    /// Moves in the present line of KI2.
    in_line: usize,
}

/// A line of moves that is still to be written.
struct Branch {
    node: u32,
    /// The number of its first move.
    number: usize,
    board: Board,
    last: Option<Square>,
    /// Seconds that either side has used up to there.
    total: [u64; 2],
}

impl<'a> Draft<'a> {
    fn new(game: &'a GameRecord<String>, words: bool) -> Result<Self, Fault> {
        let start = record::start_board(game)?;
        Ok(Draft { game, children: game.tree(), words, start, out: String::new(), in_line: 0 })
    }

    fn write(mut self, format: Kif) -> Result<String, Fault> {
        let charset = if format.shift_jis { "Shift_JIS" } else { "UTF-8" };
        let _ = writeln!(self.out, "#{} version=2.0 encoding={charset}", if self.words { "KI2" } else { "KIF" });
        self.head()?;
        self.note(0, Side::Second);
        let mut branches: Vec<Branch> = Vec::new();
        if let Some(node) = self.children.first_child(0) {
            let main = Branch { node, number: 1, board: self.start, last: None, total: [0; 2] };
            branches.extend(self.siblings(&main));
            // The main line is written first, the other ones from the back.
            branches.reverse();
            branches.push(main);
        } else if let Some(outcome) = self.game.outcome {
            self.end(outcome, 0, self.start.side_to_move(), [0; 2]);
        }
        let mut main = true;
        while let Some(branch) = branches.pop() {
            if !main {
                let _ = writeln!(self.out, "\n変化：{}手", branch.number);
            }
            let more = self.branch(branch, main)?;
            branches.extend(more);
            main = false;
        }
        Ok(self.out)
    }

    /// The variations beside `first`, in their order.
    fn siblings(&self, first: &Branch) -> Vec<Branch> {
        let next = std::iter::successors(self.children.next_sibling(first.node), |&n| self.children.next_sibling(n));
        next.map(|node| Branch { node, ..*first }).collect()
    }

    fn head(&mut self) -> Result<(), Fault> {
        let rules: Rules = self.game.rules.parse().map_err(Fault::Position)?;
        let handicap = self.game.start.is_none();
        let sides = head::SIDES[usize::from(handicap && rules.handicap != Default::default())];
        let has_end = self.end_spent().is_some();
        for (name, value) in self.game.tags.iter().filter(|tag| !has_end || tag.0 != END_SPENT) {
            let value: Vec<&str> = value.split_whitespace().collect();
            let name = match name.as_str() {
                "Black" => sides[0],
                "White" => sides[1],
                name => head::TAGS.iter().find(|t| t.1 == name).map_or(name, |t| t.0),
            };
            let line = format!("{name}：{}", value.join(" "));
            // What would be read as something else is no name.
            if head::split(&line).is_some_and(|(read, _)| read == name)
                && !name.starts_with(|c: char| c.is_ascii_digit())
            {
                let _ = writeln!(self.out, "{line}");
            }
        }
        if rules.declaration != Default::default() {
            let _ = writeln!(self.out, "{RULES}：{}", Rules { declaration: rules.declaration, ..Rules::default() });
        }
        if handicap {
            let _ = writeln!(self.out, "手合割：{}", head::handicap_name(rules.handicap));
        } else {
            self.out.push_str(&write_bod(&self.start));
        }
        if !self.words {
            self.out.push_str("手数----指手---------消費時間--\n");
        }
        Ok(())
    }

    /// Writes a line of moves to its end; the variations of it, the last one to be written next.
    fn branch(&mut self, branch: Branch, main: bool) -> Result<Vec<Branch>, Fault> {
        let Branch { mut node, mut number, mut board, mut last, mut total } = branch;
        let mut more = Vec::new();
        loop {
            let Step::Move(text) = &self.game.nodes[node as usize].step else {
                return Err(Fault::Unsupported("a position set up in the middle of a game"));
            };
            let mv = UsiNotation::parse_move(&board, text)
                .map_err(|_| Fault::IllegalMove { number, text: text.chars().take(20).collect() })?;
            let side = board.side_to_move();
            let note = self.game.note(node);
            if self.words {
                self.out.push_str(if self.in_line > 0 { "    " } else { "" });
                let _ = write!(self.out, "{}{}", japanese::mark(side), japanese::in_words(&board, mv, last));
                self.in_line += 1;
                if self.in_line == WORDS_A_LINE {
                    self.end_line();
                }
            } else {
                let _ = write!(self.out, "{number:4} {}", japanese::with_origin(&board, mv, last));
                if let Some(spent) = note.spent {
                    let total = &mut total[side.index()];
                    *total = total.saturating_add(spent.as_secs());
                    let _ = write!(self.out, "   ({}/{})", minutes(spent.as_secs()), hours(*total));
                }
                self.out.push('\n');
            }
            self.note(node, side);
            board.play(mv);
            last = Some(mv.to());
            let Some(next) = self.children.first_child(node) else { break };
            (node, number) = (next, number + 1);
            more.push(self.siblings(&Branch { node, number, board, last, total }));
        }
        self.end_line();
        if main && let Some(outcome) = self.game.outcome {
            self.end(outcome, number, board.side_to_move(), total);
        }
        // Taken from the back: the last place first, of one place the first variation.
        Ok(more.into_iter().flat_map(|siblings| siblings.into_iter().rev()).collect())
    }

    /// Whole seconds before the end, which stand beside its word: KI2 has no place for them but the head.
    fn end_spent(&self) -> Option<u64> {
        let spent = figures::read_seconds(self.game.tag(END_SPENT)?)?;
        (!self.words && self.game.outcome.is_some() && spent.subsec_nanos() == 0).then_some(spent.as_secs())
    }

    fn end_line(&mut self) {
        if self.in_line > 0 {
            self.out.push('\n');
            self.in_line = 0;
        }
    }

    fn note(&mut self, node: u32, mover: Side) {
        let note = self.game.note(node);
        if note.is_empty() {
            return;
        }
        self.end_line();
        if let Some(value) = note.value.filter(|_| node != 0) {
            let FirstSide(black) = FirstSide::of(mover, value);
            let _ = writeln!(self.out, "*{VALUE}{}", black.raw());
        }
        // KI2 has no other place for whole seconds.
        let mut told = figures::words(note);
        if let Some(spent) = note.spent.filter(|spent| self.words && spent.subsec_nanos() == 0) {
            let _ = write!(told, " spent={}", spent.as_secs());
        }
        if !told.is_empty() {
            let _ = writeln!(self.out, "*{}", told.trim_start());
        }
        for line in note.comment.lines() {
            // What would be read as figures is set off.
            let figures = line.starts_with(VALUE) || figures::read_words(line, &mut Note::default());
            let _ = writeln!(self.out, "*{}{line}", if figures { "- " } else { "" });
        }
    }

    /// The end after `moves` moves, where `me` would move, and our own words where those of KIF tell less.
    fn end(&mut self, outcome: Outcome, moves: usize, me: Side, total: [u64; 2]) {
        let lost = outcome.winner == Some(!me);
        let (word, meant) = match (outcome.winner, outcome.by) {
            (Some(_), By::Mate | By::NoMoves) if lost => ("詰み", Outcome { by: By::Mate, ..outcome }),
            (Some(_), By::Time) if lost => ("切れ負け", outcome),
            (Some(_), By::Illegal) if lost => ("反則負け", outcome),
            // Perpetual check is a foul of who gave it.
            (Some(_), By::Repetition) => {
                (if lost { "反則負け" } else { "反則勝ち" }, Outcome { by: By::Illegal, ..outcome })
            }
            (Some(_), By::Illegal) => ("反則勝ち", outcome),
            (Some(_), By::Disconnect) => (if lost { "不戦敗" } else { "不戦勝" }, outcome),
            (Some(_), _) if lost => ("投了", Outcome { by: By::Resignation, ..outcome }),
            (Some(_), By::Declaration) => ("入玉勝ち", outcome),
            // No word lets the side that does not move lose: the game was broken off, and the last line names the winner.
            (Some(_), _) => ("中断", Outcome::draw(By::Void)),
            (None, By::Repetition) => ("千日手", outcome),
            (None, By::Declaration) => ("持将棋", outcome),
            (None, By::Void) => ("中断", outcome),
            (None, _) => ("引き分け", Outcome { by: By::Agreement, ..outcome }),
        };
        let handicap =
            self.game.start.is_none() && !self.game.rules.is_empty() && self.start.side_to_move() == Side::Second;
        let names = head::SIDES[usize::from(handicap)];
        if !self.words {
            let time = self.end_spent().map_or(String::new(), |spent| {
                let total = total[me.index()].saturating_add(spent);
                format!("   ({}/{})", minutes(spent), hours(total))
            });
            let _ = writeln!(self.out, "{:4} {word}{time}", moves + 1);
        }
        let _ = match outcome.winner {
            None => writeln!(self.out, "まで{moves}手で{word}"),
            Some(winner) => {
                let how = match meant.by {
                    By::Mate => "詰みにより",
                    By::Time => "時間切れにより",
                    By::Illegal => "反則により",
                    By::Declaration => "入玉により",
                    _ => "",
                };
                writeln!(self.out, "まで{moves}手で{how}{}の勝ち", names[winner.index()])
            }
        };
        // The words of the last line know no absence, on which KI2 has to rely.
        if meant != outcome || (self.words && outcome.by == By::Disconnect) {
            let _ = writeln!(self.out, "{OUTCOME}{}", endings::words(&outcome));
        }
    }
}

fn minutes(seconds: u64) -> String {
    format!("{:2}:{:02}", seconds / 60, seconds % 60)
}

fn hours(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}
