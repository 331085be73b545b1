//! Reads PGN line by line: tags, movetext with variations and comments. A broken game is one error; reading goes on behind it.

use super::{
    comment::read_comment,
    tags::{self, ROSTER, read_termination},
    tokens::{self, Token},
};
use crate::{Board, Chess, Move, Rules, ending, fen, kept::KeptMove, lines::Lines, san};
use std::io::BufRead;
use tesuji_game::{By, Game, Outcome, Position, Side};
use tesuji_record::{CLAIMED_RESULT, Fault, GameRecord, RecordError, RecordReader, Step};

/// Reads games one by one.
pub(super) struct Reader<M> {
    lines: Lines,
    /// Offset in the present line at which reading goes on.
    at: usize,
    record: u64,
    /// Whether the last game broke off: its rest is passed over.
    skipping: bool,
    /// Nodes for which the next game has room from the start: as many as the last one had. Room for usual games in each would fill the
    /// memory where there are thousands of short ones.
    room: usize,
    /// The line before was blank: a tag pair behind it ends even an unclosed comment.
    blank: bool,
    kept: std::marker::PhantomData<fn() -> M>,
}

/// The greatest nesting depth of variations: annotators stay below ten, trees of analysis below a hundred.
const NESTING_MAX: usize = 1000;
/// The most moves of one game with its variations, and the most bytes of its text: a forged file cannot fill the memory.
const GAME_MOVES_MAX: usize = 1 << 20;
const GAME_BYTES_MAX: u64 = 64 << 20;

/// Movetext in the making.
struct Draft<M> {
    record: GameRecord<M>,
    line: Walk,
    /// Main line and variations around the present one.
    outer: Vec<Walk>,
    /// Variations that are open within a lost one: nothing of them is kept, so they are only counted.
    lost_inside: usize,
    past: Vec<<Board as Position>::Mark>,
    plies: usize,
    /// Words said before the first move of a variation.
    ahead: String,
}

/// The end of a line of play.
struct Walk {
    board: Board,
    here: u32,
    /// The node before the last move, where variations begin.
    before: Option<u32>,
    /// A board of this line, and the moves from there to here: variations are rare, so the board before the last move is made
    /// where one begins, and not kept at every move.
    base: Board,
    since: Vec<Move>,
    /// A variation with a move that cannot be played is left at that move.
    lost: bool,
}

impl Walk {
    fn new(board: Board, here: u32) -> Walk {
        Walk { board, here, before: None, base: board, since: Vec::new(), lost: false }
    }

    /// A line beside the last move of this one, if it has one.
    fn beside(&mut self) -> Option<Walk> {
        let here = self.before?;
        let last = self.since.pop()?;
        self.since.drain(..).for_each(|mv| self.base.play(mv));
        self.since.push(last);
        Some(Walk::new(self.base, here))
    }
}

/// The result of reading a piece of movetext.
enum Flow {
    /// The line is used up.
    Line,
    /// The game is over by its result.
    Over(Option<Option<Side>>),
}

/// How the movetext of a game ends.
enum Close {
    /// By a result: the winner inside; outer `None` when unknown.
    Result(Option<Option<Side>>),
    /// By the tags of the next game, or by the end of the input: the last line.
    Open(u64),
    /// The same, within a comment or a variation.
    Cut(RecordError),
}

/// What stands behind the moves of every game that a program has written to its end.
const RESULT_EXPECTED: &str =
    "a result behind the moves, which a game that was cut lacks (1-0, 0-1, 1/2-1/2, * where it is not known)";

impl<M: KeptMove> Reader<M> {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader<M> {
        let kept = std::marker::PhantomData;
        Reader { lines: Lines::new(input), at: 0, record: 0, skipping: false, room: 0, blank: true, kept }
    }

    fn error(&self, fault: Fault) -> RecordError {
        RecordError::new(self.lines.number(), self.record, fault)
    }

    /// Moves on to the next line that is no `%` escape; `false` at the end.
    fn advance(&mut self) -> Result<bool, RecordError> {
        self.blank = self.lines.bytes().trim_ascii().is_empty();
        self.at = 0;
        loop {
            match self.lines.advance() {
                Err(e) => return Err(self.error(Fault::Io(e))),
                Ok(true) if self.lines.bytes().starts_with(b"%") => {}
                Ok(more) => return Ok(more),
            }
        }
    }

    /// Whether the present line has nothing left; a fresh line has all of it left.
    fn line_is_used(&self) -> bool {
        self.lines.bytes().get(self.at..).is_none_or(|rest| rest.trim_ascii().is_empty())
    }

    /// Goes to the next line that is not used up; `false` at the end.
    fn settle(&mut self) -> Result<bool, RecordError> {
        while self.lines.number() == 0 || self.line_is_used() {
            if !self.advance()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Passes over the rest of a broken game: to its result or to the tags of the next.
    fn skip(&mut self) -> Result<(), RecordError> {
        let (mut depth, mut comment) = (0usize, false);
        while self.settle()? {
            if self.at == 0 && tags::looks_like_tag(self.lines.bytes()) && (self.blank || !comment) {
                break;
            }
            let text = self.lines.text();
            let mut at = self.at.min(text.len());
            while at < text.len() {
                if comment {
                    let Some(end) = text[at..].find('}') else { break };
                    (at, comment) = (at + end + 1, false);
                }
                match tokens::next(&text, at) {
                    None => break,
                    Some((token, end)) => {
                        at = end;
                        match token {
                            Token::Brace => comment = true,
                            Token::Open => depth += 1,
                            Token::Close => depth = depth.saturating_sub(1),
                            Token::Result(_) if depth == 0 => {
                                self.at = at;
                                self.skipping = false;
                                return Ok(());
                            }
                            _ => {}
                        }
                    }
                }
            }
            self.at = usize::MAX;
        }
        self.skipping = false;
        Ok(())
    }

    /// Reads the tag pairs before the movetext. `None`: there is nothing more.
    fn tags(&mut self) -> Result<Option<Vec<(String, String)>>, RecordError> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        while self.settle()? {
            if self.at > 0 || !tags::looks_like_tag(self.lines.bytes()) {
                return Ok(Some(pairs));
            }
            let (text, before) = (self.lines.text(), pairs.len());
            let read = tags::read_tags(&text, |name, value| pairs.push((name.to_string(), value)));
            let wrong = read.is_none().then(|| Fault::expected("a tag pair [Name \"value\"]", &text));
            // Tags begin again: a game without movetext stands before them.
            let (old, new) = pairs.split_at(before);
            if self.blank && new.first().is_some_and(|new| old.iter().any(|old| old.0 == new.0)) {
                pairs.truncate(before);
                return Ok(Some(pairs));
            }
            self.at = usize::MAX;
            if let Some(fault) = wrong {
                return Err(self.error(fault));
            }
        }
        Ok((!pairs.is_empty()).then_some(pairs))
    }

    /// Reads the movetext into `draft`.
    fn movetext(&mut self, draft: &mut Draft<M>) -> Result<Close, RecordError> {
        // A comment that is open, with the line on which it began.
        let mut comment: Option<(String, u64)> = None;
        let (mut bytes, mut last) = (0, self.lines.number());
        while self.settle()? {
            if self.at == 0 && tags::looks_like_tag(self.lines.bytes()) && (comment.is_none() || self.blank) {
                break;
            }
            let text = self.lines.text();
            last = self.lines.number();
            bytes += text.len() as u64;
            if bytes > GAME_BYTES_MAX {
                return Err(self.error(Fault::expected("a game of at most 64 MiB", "")));
            }
            let flow = draft.line_of_text(&text, &mut self.at, &mut comment, self.lines.number());
            match flow {
                Err(fault) => return Err(self.error(fault)),
                Ok(Flow::Line) => self.at = usize::MAX,
                Ok(Flow::Over(result)) => return Ok(Close::Result(result)),
            }
        }
        Ok(match comment {
            Some((_, line)) => {
                Close::Cut(RecordError::new(line, self.record, Fault::expected("a `}` that ends the comment", "")))
            }
            None if !draft.outer.is_empty() => Close::Cut(self.cut(last, "a `)` that ends the variation")),
            None => Close::Open(last),
        })
    }

    /// The error of a game that ends at `line`, behind which something else comes than `expected`.
    fn cut(&self, line: u64, expected: &'static str) -> RecordError {
        let text = self.lines.text();
        let found = if text.is_empty() { "the end" } else { &text };
        RecordError::new(line, self.record, Fault::expected(expected, found))
    }

    fn game(&mut self) -> Result<Option<GameRecord<M>>, RecordError> {
        let Some(pairs) = self.tags()? else { return Ok(None) };
        // Who notes moves by hand may leave out the tag `Result` and the result behind the moves; programs write both or are cut.
        let is_told = pairs.iter().any(|(name, _)| name == "Result");
        let mut draft = Draft::new(pairs, self.room).map_err(|fault| self.error(fault))?;
        let (result, cut) = match self.movetext(&mut draft)? {
            Close::Result(result) => (result, None),
            Close::Open(line) => (None, is_told.then(|| self.cut(line, RESULT_EXPECTED))),
            Close::Cut(error) => (None, Some(error)),
        };
        let game = draft.close(result);
        self.room = game.nodes.len();
        match cut {
            Some(error) => Err(RecordError { read: M::in_error(game), ..error }),
            None => Ok(Some(game)),
        }
    }

    /// The next game; see [`RecordReader::read`].
    pub(super) fn next(&mut self) -> Result<Option<GameRecord<M>>, RecordError> {
        if self.skipping {
            self.skip()?;
        }
        if !self.settle()? {
            return Ok(None);
        }
        self.record += 1;
        let game = self.game();
        self.skipping = game.is_err();
        game
    }
}

impl RecordReader for Reader<String> {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        self.next()
    }
}

impl<M: KeptMove> Draft<M> {
    /// Starts a game by its tags, with room for this many nodes. Those that say where and how it starts become fields of the record.
    fn new(mut pairs: Vec<(String, String)>, room: usize) -> Result<Draft<M>, Fault> {
        let mut take = |name: &str| pairs.iter().position(|p| p.0 == name).map(|i| pairs.remove(i).1);
        let (variant, start) = (take("Variant"), take("FEN").filter(|f| !f.trim().is_empty()));
        take("SetUp");
        for (name, unknown) in ROSTER {
            if let Some(i) = pairs.iter().position(|p| p.0 == name && p.1 == unknown) {
                pairs.remove(i);
            }
        }
        let rules = Rules { chess960: is_chess960(variant.as_deref())?, ..Rules::default() };
        let board = match &start {
            Some(text) => fen::parse(text, &rules, fen::Care::Lenient).map_err(Fault::Position)?,
            None => Chess::start(&rules),
        };
        let rules = Rules { chess960: board.is_chess960(), ..rules };
        let mut record = GameRecord { rules: rules.to_string(), start, tags: pairs, ..GameRecord::new() };
        record.nodes.reserve(room);
        let mut line = Walk::new(board, 0);
        line.since.reserve(room);
        let past = Vec::with_capacity(room);
        Ok(Draft { record, line, outer: Vec::new(), lost_inside: 0, past, plies: 0, ahead: String::new() })
    }

    /// Takes in a line of movetext from byte `at`.
    fn line_of_text(
        &mut self,
        text: &str,
        at: &mut usize,
        comment: &mut Option<(String, u64)>,
        number: u64,
    ) -> Result<Flow, Fault> {
        while *at < text.len() {
            if let Some((words, _)) = comment {
                let end = text[*at..].find('}').map(|end| *at + end);
                words.push_str(&text[*at..end.unwrap_or(text.len())]);
                words.push(' ');
                let Some(end) = end else { return Ok(Flow::Line) };
                *at = end + 1;
                let words = std::mem::take(words);
                *comment = None;
                self.say(&words);
                continue;
            }
            let Some((token, end)) = tokens::next(text, *at) else { break };
            *at = end;
            match token {
                Token::Brace => *comment = Some((String::new(), number)),
                Token::Rest(words) => self.say(words),
                Token::Open => self.open()?,
                Token::Close => self.close_variation()?,
                Token::Glyph(glyph) if self.line.here > 0 && !self.line.lost => {
                    self.record.note_mut(self.line.here).glyphs.push(glyph);
                }
                Token::Glyph(_) => {}
                Token::Result(result) if self.outer.is_empty() => return Ok(Flow::Over(result)),
                Token::Result(_) => {}
                Token::Move(word) => self.play(word)?,
            }
        }
        Ok(Flow::Line)
    }

    fn open(&mut self) -> Result<(), Fault> {
        if self.outer.len() + self.lost_inside >= NESTING_MAX {
            return Err(Fault::expected("at most 1000 variations within each other", "("));
        }
        if self.line.lost {
            self.lost_inside += 1;
            return Ok(());
        }
        let inner = self.line.beside().ok_or_else(|| Fault::expected("a move before the variation", "("))?;
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Ok(())
    }

    fn close_variation(&mut self) -> Result<(), Fault> {
        self.ahead.clear();
        if self.lost_inside > 0 {
            self.lost_inside -= 1;
            return Ok(());
        }
        self.line = self.outer.pop().ok_or_else(|| Fault::expected("a move or a result", ")"))?;
        Ok(())
    }

    fn play(&mut self, word: &str) -> Result<(), Fault> {
        if self.line.lost {
            return Ok(());
        }
        let main = self.outer.is_empty();
        let mv = match san::parse(&self.line.board, word) {
            Ok(mv) => mv,
            Err(_) if !main => {
                self.line.lost = true;
                return Ok(());
            }
            Err(_) => {
                return Err(Fault::IllegalMove { number: self.plies + 1, text: word.chars().take(20).collect() });
            }
        };
        if self.record.nodes.len() > GAME_MOVES_MAX {
            return Err(Fault::expected("at most 1048576 moves in one game", word));
        }
        let kept = M::keep(&self.line.board, mv);
        if main {
            self.plies += 1;
            self.past.push(self.line.board.mark(&self.past));
        }
        let parent = self.line.here;
        self.line.here = self.record.push(parent, Step::Move(kept));
        self.line.before = Some(parent);
        self.line.since.push(mv);
        self.line.board.play(mv);
        if !self.ahead.is_empty() {
            let words = std::mem::take(&mut self.ahead);
            self.say(&words);
        }
        Ok(())
    }

    /// A comment: about the move before it, or the one to come where a variation begins.
    fn say(&mut self, words: &str) {
        if self.line.lost {
            return;
        }
        if self.line.before.is_none() && !self.outer.is_empty() {
            self.ahead.push_str(words);
            self.ahead.push(' ');
            return;
        }
        let words = words.trim();
        if !words.is_empty() {
            let white = self.line.board.side_to_move() == crate::BLACK;
            self.record.clipped += read_comment(words, white, self.record.note_mut(self.line.here));
        }
    }

    /// Ends the game: the result of the tag counts, else that of the movetext. Where the movetext has another one than the tag, it is
    /// kept as the tag `MovetextResult`. Where the side to move has no move, the position says who won: another result is kept as the tag
    /// [`CLAIMED_RESULT`].
    fn close(mut self, result: Option<Option<Side>>) -> GameRecord<M> {
        let main = self.outer.into_iter().next().unwrap_or(self.line);
        let tags = &mut self.record.tags;
        let mut tagged = None;
        if let Some(i) = tags.iter().position(|t| t.0 == "Result") {
            tagged = tags::read_result(tags.remove(i).1.trim()).flatten();
        }
        let place = tags.iter().position(|t| t.0 == "Termination");
        let reason = place.and_then(|i| read_termination(&tags[i].1));
        if let (Some(tag), Some(winner)) = (tagged, result)
            && tag != winner
        {
            let text = tags::result_text(Some(Outcome { winner, by: By::Adjudication }));
            self.record.set_tag("MovetextResult", text);
        }
        let claimed = tagged.or(result);
        let ruled = (!main.board.has_moves()).then(|| main.board.no_legal_moves());
        if let (Some(winner), Some(ruled)) = (claimed, ruled)
            && winner != ruled.winner
        {
            let text = tags::result_text(Some(Outcome { winner, by: By::Adjudication }));
            self.record.set_tag(CLAIMED_RESULT, text);
        }
        let tags = &mut self.record.tags;
        let outcome = match (claimed, reason) {
            (Some(_), _) if ruled.is_some() => ruled,
            (None, Some(By::Void)) => Some(Outcome::draw(By::Void)),
            (None, _) => None,
            (Some(winner), Some(by)) if by != By::Void => Some(Outcome { winner, by }),
            (Some(winner), _) => {
                let otherwise = if winner.is_some() { By::Resignation } else { By::Agreement };
                Some(ending::explain(&main.board, &self.past, winner, otherwise))
            }
        };
        if let (Some(i), Some(outcome)) = (place, outcome)
            && tags[i].1 == tags::termination_text(outcome.by)
        {
            tags.remove(i);
        }
        self.record.outcome = outcome;
        self.record
    }
}

/// Whether the tag `Variant` names Chess960; the usual chess has many names, too.
fn is_chess960(variant: Option<&str>) -> Result<bool, Fault> {
    let Some(name) = variant else { return Ok(false) };
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    match plain.as_str() {
        "" | "standard" | "chess" | "normal" | "fromposition" => Ok(false),
        "chess960" | "fischerandom" | "fischerrandom" | "960" | "frc" => Ok(true),
        _ => Err(Fault::expected("the variant Standard or Chess960", name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: String) -> Result<Option<GameRecord<String>>, RecordError> {
        Reader::<String>::new(Box::new(std::io::Cursor::new(text))).next()
    }

    /// Each parenthesis within a variation that cannot be played held a copy of its whole line: 340 kB became 3.1 GB.
    #[test]
    fn variations_within_a_lost_one_keep_nothing() {
        let line: String = ["Nf3 ", "Nf6 ", "Ng1 ", "Ng8 "].repeat(20).concat();
        let mut draft = Draft::<String>::new(Vec::new(), 0).unwrap();
        let mut take = |text: &str| draft.line_of_text(text, &mut 0, &mut None, 1).map(|_| draft.outer.len());
        assert_eq!(take(&format!("e4 (d4 a6 {line} Qh8 {}", "(e4 ".repeat(900))).unwrap(), 1);
        assert_eq!(take(&format!("{} e5", ")".repeat(901))).unwrap(), 0);
        let game = draft.close(None);
        assert_eq!((game.main_line(), game.nodes.len()), (vec!["e2e4".to_string(), "e7e5".to_string()], 85));
    }

    #[test]
    fn short_games_do_not_keep_the_room_for_long_ones() {
        let mut reader = Reader::<String>::new(Box::new(std::io::Cursor::new("e4 1-0\n\n".repeat(3))));
        for _ in 0..3 {
            assert!(reader.next().unwrap().unwrap().nodes.capacity() < 8);
        }
    }

    #[test]
    fn nesting_has_a_limit_that_is_named() {
        let lost = format!("e4 (Qh8 {}", "(e4 ".repeat(200_000));
        let kept = format!("e4 {}", "(d4 ".repeat(200_000));
        for text in [lost, kept] {
            let error = read(text).unwrap_err().to_string();
            assert_eq!(error, "line 1 (game 1): expected at most 1000 variations within each other, found `(`");
        }
        // Reading goes on behind it.
        let text = format!("e4 {}\n\n[Event \"next\"]\n\ne4 *\n", "(d4 ".repeat(2000));
        let mut reader = Reader::<String>::new(Box::new(std::io::Cursor::new(text)));
        assert!(reader.next().is_err());
        assert_eq!(reader.next().unwrap().unwrap().tag("Event"), Some("next"));
    }
}
