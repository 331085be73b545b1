//! An engine that analyses: asked for a position, heard while it thinks, stopped when nobody wants to know more.

use super::{Engine, Wait};
use crate::{Contestant, Fault, FaultKind};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tesuji_game::{Choice, Limits, Side};
use tesuji_protocol::{Analysed, BoardCommand, Command, Go, Info, NO_MOVE, Reply, Stream};

/// Between two looks at whether the search is to end.
const LOOK: Duration = Duration::from_millis(20);
/// Time limit for a search to end once it is told to.
const END_OF_SEARCH: Duration = Duration::from_secs(3);

/// What an engine tells while it searches.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// A line of one iteration.
    Info(Info),
    /// All moves.
    Analysed(Box<Analysed>),
    /// It still thinks.
    Nothing,
}

/// A position that is to be searched, and how.
#[derive(Debug, Clone, Copy)]
pub struct PositionQuestion<'a> {
    /// The start position; `None` for the usual one.
    pub start: Option<&'a str>,
    /// The moves from there.
    pub moves: &'a [String],
    /// The side to move.
    pub side: Side,
    /// The limits of the search.
    pub limits: &'a Limits,
    /// Only these moves are considered; empty: all.
    pub only: &'a [String],
    /// How it reports, where its protocol has words for that.
    pub stream: Stream,
}

/// How a search ended.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchEnd {
    /// The decision; `None`: it told none.
    pub choice: Option<Choice<String>>,
    /// The answer expected.
    pub expected: Option<String>,
}

impl Engine {
    /// Whether it tells the whole state of a search again and again, and plays no move on its board then: limits are for its runner
    /// to watch.
    pub fn streams(&self) -> bool {
        self.protocol.streams()
    }

    /// Whether a search of its can be stopped: GTP has no word for that but in analyses.
    pub fn can_stop(&self) -> bool {
        self.protocol.streams() || self.protocol.tells_search()
    }

    /// Gets ready for a game under `rules`.
    ///
    /// # Errors
    /// When it does not.
    pub fn get_ready(&mut self, rules: &str) -> Result<(), Fault> {
        Contestant::new_game(self, rules)
    }

    /// Searches a position until its limits are reached or `hear`, which is called many times a second with what the engine told
    /// since, returns `false`.
    ///
    /// # Errors
    /// When it ends, hangs, refuses, or writes what is no answer.
    pub fn search(
        &mut self,
        question: &PositionQuestion<'_>,
        hear: &mut dyn FnMut(News) -> bool,
    ) -> Result<SearchEnd, Fault> {
        self.pipes.forget();
        self.out.clear();
        let moves = question.moves.to_vec();
        let board = Command::Board(BoardCommand::Set { start: question.start.map(str::to_string), moves });
        self.protocol.write(&board, &mut self.out);
        let go = Go {
            limits: question.limits.clone(),
            only: question.only.to_vec(),
            side: Some(question.side),
            // Without reports the only way to hear a move of GTP's engines is to have it played.
            commit: true,
            stream: Some(question.stream),
            ..Go::default()
        };
        self.protocol.write(&Command::Go(go), &mut self.out);
        self.flush()?;
        let never = AtomicBool::new(false);
        let mut told_to_stop: Option<Instant> = None;
        loop {
            while let Some(reply) = self.protocol.next_reply() {
                if let Some(ended) = self.take_news(reply, told_to_stop.is_some(), hear)? {
                    return Ok(ended);
                }
            }
            match self.pipes.wait(Instant::now() + LOOK, &never) {
                Wait::Line => {
                    self.note_line();
                    let line = self.line();
                    let reply = self.protocol.read(&line).map_err(|e| self.fault(FaultKind::Garbage, e.to_string()))?;
                    self.respond()?;
                    if let Some(reply) = reply
                        && let Some(ended) = self.take_news(reply, told_to_stop.is_some(), hear)?
                    {
                        return Ok(ended);
                    }
                }
                Wait::Late | Wait::Stopped => {}
                Wait::Ended => return Err(self.ended()),
                Wait::Flood => return Err(self.fault(FaultKind::Garbage, "it writes a line without end".to_string())),
            }
            match told_to_stop {
                None if !hear(News::Nothing) => {
                    told_to_stop = Some(Instant::now());
                    self.send(&[Command::Stop])?;
                }
                Some(since) if since.elapsed() > END_OF_SEARCH => {
                    let seconds = END_OF_SEARCH.as_secs();
                    return Err(self.fault(FaultKind::Hang, format!("it did not stop within {seconds} s")));
                }
                _ => {}
            }
        }
    }

    /// Passes on what a reply tells; the end of the search, if it is that.
    fn take_news(
        &mut self,
        reply: Reply,
        is_stopped: bool,
        hear: &mut dyn FnMut(News) -> bool,
    ) -> Result<Option<SearchEnd>, Fault> {
        let mut pass_on = |news| {
            // The answer is asked for again at once.
            if !is_stopped {
                hear(news);
            }
        };
        match reply {
            Reply::Info(info) => pass_on(News::Info(info)),
            Reply::Analysed(told) => pass_on(News::Analysed(told)),
            Reply::Best { choice, ponder } => return Ok(Some(SearchEnd { choice, expected: ponder })),
            Reply::Fault(text) => match text.split_once(NO_MOVE) {
                Some((_, why)) => return Err(self.fault(FaultKind::Evaluator, why.to_string())),
                None if self.protocol.refuses() => {
                    return Err(self.fault(FaultKind::Garbage, format!("it refuses {text}")));
                }
                None => {}
            },
            _ => {}
        }
        Ok(None)
    }
}
