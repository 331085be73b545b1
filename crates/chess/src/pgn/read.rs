//! Reads PGN line by line: tags, movetext with variations and comments. A broken game is one error; reading goes on behind it.

use super::{
    comment::read_comment,
    tags::{self, ROSTER, read_termination},
    tokens::{self, Token},
};
use crate::{Board, Chess, Move, Rules, ending, fen, kept::Kept, lines::Lines, san};
use std::io::BufRead;
use tesuji_game::{By, Game, Outcome, Position, Side};
use tesuji_record::{Fault, GameRecord, RecordError, RecordReader, Step};

/// Reads games one by one.
pub(super) struct Reader<M> {
    lines: Lines,
    /// Where in the present line reading goes on.
    at: usize,
    record: u64,
    /// Whether the last game broke off: its rest is passed over.
    skipping: bool,
    /// The line before was blank: a tag pair behind it ends even an unclosed comment.
    blank: bool,
    kept: std::marker::PhantomData<fn() -> M>,
}

/// Plies for which there is room from the start: most games are shorter.
const PLIES: usize = 160;

/// Movetext in the making.
struct Draft<M> {
    record: GameRecord<M>,
    line: Walk,
    /// Main line and variations around the present one.
    outer: Vec<Walk>,
    past: Vec<<Board as Position>::Mark>,
    plies: usize,
    /// Words said before the first move of a variation.
    ahead: String,
}

/// Where a line of play stands.
#[derive(Clone)]
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

/// How a piece of movetext went on.
enum Flow {
    /// The line is used up.
    Line,
    /// The game is over by its result.
    Over(Option<Option<Side>>),
}

impl<M: Kept> Reader<M> {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader<M> {
        let kept = std::marker::PhantomData;
        Reader { lines: Lines::new(input), at: 0, record: 0, skipping: false, blank: true, kept }
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
        let mut pairs: Vec<(String, String)> = Vec::with_capacity(8);
        while self.settle()? {
            if self.at > 0 || !tags::looks_like_tag(self.lines.bytes()) {
                return Ok(Some(pairs));
            }
            let (text, before) = (self.lines.text(), pairs.len());
            let read = tags::read_tags(&text, |name, value| pairs.push((name.to_string(), value)));
            let wrong = read.is_none().then(|| Fault::expected("a tag pair [Name \"value\"]", &text));
            // Tags begin anew: a game without movetext stands before them.
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

    /// Reads the movetext into `draft`. The result at its end, if there is one.
    fn movetext(&mut self, draft: &mut Draft<M>) -> Result<Option<Option<Side>>, RecordError> {
        // A comment that is open, with the line on which it began.
        let mut comment: Option<(String, u64)> = None;
        while self.settle()? {
            if self.at == 0 && tags::looks_like_tag(self.lines.bytes()) && (comment.is_none() || self.blank) {
                break;
            }
            let text = self.lines.text();
            let flow = draft.line_of_text(&text, &mut self.at, &mut comment, self.lines.number());
            match flow {
                Err(fault) => return Err(self.error(fault)),
                Ok(Flow::Line) => self.at = usize::MAX,
                Ok(Flow::Over(result)) => return Ok(result),
            }
        }
        match comment {
            Some((_, line)) => {
                Err(RecordError::new(line, self.record, Fault::expected("a `}` that ends the comment", "")))
            }
            None => Ok(None),
        }
    }

    fn game(&mut self) -> Result<Option<GameRecord<M>>, RecordError> {
        let Some(pairs) = self.tags()? else { return Ok(None) };
        let mut draft = Draft::new(pairs).map_err(|fault| self.error(fault))?;
        let result = self.movetext(&mut draft)?;
        Ok(Some(draft.close(result)))
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

impl<M: Kept> Draft<M> {
    /// Starts a game by its tags. Those that say where and how it starts become fields of the record.
    fn new(mut pairs: Vec<(String, String)>) -> Result<Draft<M>, Fault> {
        let mut take = |name: &str| pairs.iter().position(|p| p.0 == name).map(|i| pairs.remove(i).1);
        let (variant, start) = (take("Variant"), take("FEN").filter(|f| !f.trim().is_empty()));
        take("SetUp");
        for (name, unknown) in ROSTER {
            if let Some(i) = pairs.iter().position(|p| p.0 == name && p.1 == unknown) {
                pairs.remove(i);
            }
        }
        let rules = Rules { chess960: is_chess960(variant.as_deref())? };
        let board = match &start {
            Some(text) => fen::parse(text, &rules, fen::Care::Lenient).map_err(Fault::Position)?,
            None => Chess::start(&rules),
        };
        let mut record = GameRecord { rules: rules.to_string(), start, tags: pairs, ..GameRecord::new() };
        record.nodes.reserve(PLIES);
        let mut line = Walk::new(board, 0);
        line.since.reserve(PLIES);
        Ok(Draft { record, line, outer: Vec::new(), past: Vec::with_capacity(PLIES), plies: 0, ahead: String::new() })
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
        let inner = if self.line.lost {
            self.line.clone()
        } else {
            self.line.beside().ok_or_else(|| Fault::expected("a move before the variation", "("))?
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Ok(())
    }

    fn close_variation(&mut self) -> Result<(), Fault> {
        self.ahead.clear();
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
            read_comment(words, white, self.record.note_mut(self.line.here));
        }
    }

    /// Ends the game: the result of the movetext counts, else that of the tag.
    fn close(mut self, result: Option<Option<Side>>) -> GameRecord<M> {
        let main = self.outer.into_iter().next().unwrap_or(self.line);
        let tags = &mut self.record.tags;
        let mut tagged = None;
        if let Some(i) = tags.iter().position(|t| t.0 == "Result") {
            tagged = tags::read_result(tags.remove(i).1.trim()).flatten();
        }
        let place = tags.iter().position(|t| t.0 == "Termination");
        let reason = place.and_then(|i| read_termination(&tags[i].1));
        let outcome = match (result.or(tagged), reason) {
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
