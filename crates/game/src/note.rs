//! Notes of a search on a node beyond value and effort: facts, and the words that saved trees and listings have for them.

use crate::reason::{NodeMark, Reason};
use std::{fmt, str::FromStr};

/// The note of a search on a node, beyond its value.
///
/// # Examples
/// ```
/// use tesuji_game::{NodeNote, Reason};
/// let note: NodeNote = "depth 4, window -5 to 6, value 7, cut by probcut".parse().unwrap();
/// assert!(matches!(note, NodeNote::Searched { depth: 4, reason: Reason::Probcut, .. }));
/// assert_eq!(note.to_string(), "depth 4, window -5 to 6, value 7, cut by probcut");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeNote {
    /// A visit of alpha-beta.
    Searched {
        /// Whether a null move led to it.
        is_null_move: bool,
        /// Plies that were left.
        depth: i32,
        /// Alpha and beta, for the side to move, in the search's own centipawns.
        window: [i32; 2],
        /// The returned value, as the window counts.
        value: i32,
        /// The reason why it was left.
        reason: Reason,
    },
    /// A move that alpha-beta left out with this many plies to go.
    LeftOut {
        /// Plies that were left.
        depth: i32,
    },
    /// A node of best-first search.
    BestFirst(BestFirstNote),
    /// A position or move of a mate problem.
    Mate(MateNote),
}

/// The note of best-first search on a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BestFirstNote {
    /// The work behind the value, in the units of the search's `Quality`.
    pub quality: f32,
    /// The move captures.
    pub is_capture: bool,
    /// The move gives check.
    pub is_check: bool,
    /// The game is over.
    pub is_over: bool,
    /// The value was learned in earlier games.
    pub is_learned: bool,
    /// A transposition: the children hang at another node with this position.
    pub is_elsewhere: bool,
    /// The result is proven.
    pub is_proven: bool,
}

/// The note of the mate solver on a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MateNote {
    /// At the root: a mate within this many plies.
    MateIn(u32),
    /// At the root: there is none by checks.
    NoMate,
    /// The defender is mated.
    Mated,
    /// A move of the attacker.
    Attack,
    /// A move of the defender.
    Defence,
}

impl fmt::Display for NodeNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeNote::Searched { is_null_move, depth, window: [low, high], value, reason } => {
                let pass = if *is_null_move { PASS } else { "" };
                write!(f, "{pass}depth {depth}, window {low} to {high}, value {value}, {reason}")
            }
            NodeNote::LeftOut { depth } => write!(f, "{} at depth {depth}", Reason::LeftOut),
            NodeNote::BestFirst(note) => note.fmt(f),
            NodeNote::Mate(MateNote::MateIn(plies)) => write!(f, "mate in {plies} plies at most"),
            NodeNote::Mate(MateNote::NoMate) => f.write_str("no mate by checks"),
            NodeNote::Mate(MateNote::Mated) => f.write_str("mate"),
            NodeNote::Mate(MateNote::Attack) => f.write_str("attacks"),
            NodeNote::Mate(MateNote::Defence) => f.write_str("defends"),
        }
    }
}

impl NodeNote {
    /// The code of the reason or mark, under which the page has its words; `None` where the note has neither.
    ///
    /// # Examples
    /// ```
    /// use tesuji_game::{MateNote, NodeMark, NodeNote, Reason};
    /// assert_eq!(NodeNote::LeftOut { depth: 3 }.code(), Some(Reason::LeftOut.code()));
    /// assert_eq!(NodeNote::Mate(MateNote::Attack).code(), Some(NodeMark::Attack.code()));
    /// assert_eq!(NodeNote::Mate(MateNote::Mated).code(), None);
    /// ```
    pub fn code(&self) -> Option<u8> {
        match self {
            NodeNote::Searched { reason, .. } => Some(reason.code()),
            NodeNote::LeftOut { .. } => Some(Reason::LeftOut.code()),
            NodeNote::BestFirst(note) if note.is_elsewhere => Some(NodeMark::Elsewhere.code()),
            NodeNote::BestFirst(note) if note.is_learned => Some(NodeMark::Learned.code()),
            NodeNote::Mate(MateNote::Attack) => Some(NodeMark::Attack.code()),
            NodeNote::Mate(MateNote::Defence) => Some(NodeMark::Defence.code()),
            NodeNote::BestFirst(_) | NodeNote::Mate(_) => None,
        }
    }
}

/// The search's word for a null move, which saved trees hold.
const PASS: &str = "pass, ";

impl BestFirstNote {
    /// The signs in the order in which they are written.
    fn signs(&mut self) -> [(&mut bool, &'static str); 6] {
        [
            (&mut self.is_capture, "capture"),
            (&mut self.is_check, "check"),
            (&mut self.is_over, "game over"),
            (&mut self.is_learned, "learned"),
            (&mut self.is_elsewhere, "same position elsewhere"),
            (&mut self.is_proven, "proven"),
        ]
    }
}

impl fmt::Display for BestFirstNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "quality {:.1}", self.quality)?;
        let mut note = *self;
        let written = note.signs().into_iter().filter(|(is_so, _)| **is_so);
        written.map(|(_, words)| words).try_for_each(|words| write!(f, ", {words}"))
    }
}

/// A text that is no note of any search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteError(String);

impl fmt::Display for NoteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is no note of a search", self.0)
    }
}

impl std::error::Error for NoteError {}

impl FromStr for NodeNote {
    type Err = NoteError;

    fn from_str(text: &str) -> Result<NodeNote, NoteError> {
        let read = None
            .or_else(|| mate_note(text).map(NodeNote::Mate))
            .or_else(|| best_first_note(text).map(NodeNote::BestFirst))
            .or_else(|| left_out(text))
            .or_else(|| searched(text));
        read.ok_or_else(|| NoteError(text.to_string()))
    }
}

fn mate_note(text: &str) -> Option<MateNote> {
    if let Some(plies) = text.strip_prefix("mate in ") {
        return Some(MateNote::MateIn(plies.strip_suffix(" plies at most")?.parse().ok()?));
    }
    let known = [MateNote::NoMate, MateNote::Mated, MateNote::Attack, MateNote::Defence];
    known.into_iter().find(|note| NodeNote::Mate(*note).to_string() == text)
}

fn best_first_note(text: &str) -> Option<BestFirstNote> {
    let mut parts = text.strip_prefix("quality ")?.split(", ");
    let mut note = BestFirstNote { quality: parts.next()?.parse().ok()?, ..BestFirstNote::default() };
    for part in parts {
        *note.signs().into_iter().find(|(_, words)| *words == part)?.0 = true;
    }
    Some(note)
}

fn left_out(text: &str) -> Option<NodeNote> {
    let (words, depth) = text.split_once(" at depth ")?;
    (words == Reason::LeftOut.to_string()).then_some(NodeNote::LeftOut { depth: depth.parse().ok()? })
}

fn searched(text: &str) -> Option<NodeNote> {
    let (is_null_move, text) = text.strip_prefix(PASS).map_or((false, text), |rest| (true, rest));
    let (depth, rest) = text.strip_prefix("depth ")?.split_once(", window ")?;
    let (low, rest) = rest.split_once(" to ")?;
    let (high, rest) = rest.split_once(", value ")?;
    let (value, words) = rest.split_once(", ")?;
    let reason = Reason::all().find(|reason| reason.to_string() == words)?;
    let window = [low.parse().ok()?, high.parse().ok()?];
    Some(NodeNote::Searched { is_null_move, depth: depth.parse().ok()?, window, value: value.parse().ok()?, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(note: NodeNote, text: &str) {
        assert_eq!(note.to_string(), text);
        assert_eq!(text.parse(), Ok(note));
    }

    /// A reason without words was written as nothing, and a saved tree with it could not be read.
    #[test]
    fn every_reason_and_every_mate_note_survives_its_words() {
        let mut words: Vec<String> = Reason::all().map(|reason| reason.to_string()).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Reason::all().count(), "each has words of its own: {words:?}");
        let mut codes: Vec<u8> = Reason::all().map(Reason::code).chain(NodeMark::ALL.map(NodeMark::code)).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Reason::all().count() + NodeMark::ALL.len(), "each has a code of its own: {codes:?}");
        // A new variant does not compile until it is here.
        let next = |note: MateNote| match note {
            MateNote::MateIn(_) => Some(MateNote::NoMate),
            MateNote::NoMate => Some(MateNote::Mated),
            MateNote::Mated => Some(MateNote::Attack),
            MateNote::Attack => Some(MateNote::Defence),
            MateNote::Defence => None,
        };
        let notes: Vec<MateNote> = std::iter::successors(Some(MateNote::MateIn(9)), |note| next(*note)).collect();
        assert_eq!(notes.len(), 5);
        for note in notes.into_iter().map(NodeNote::Mate) {
            assert_eq!(note.to_string().parse(), Ok(note));
        }
    }

    #[test]
    fn notes_are_written_and_read() {
        for reason in Reason::all() {
            assert!(!reason.to_string().is_empty());
            let note = NodeNote::Searched { is_null_move: false, depth: -1, window: [-5, 6], value: 7, reason };
            check(note, &format!("depth -1, window -5 to 6, value 7, {reason}"));
        }
        let reason = Reason::NullMove;
        let note = NodeNote::Searched { is_null_move: true, depth: 4, window: [-5, 6], value: 7, reason };
        check(note, "pass, depth 4, window -5 to 6, value 7, cut by a null move");
        check(NodeNote::LeftOut { depth: 2 }, "left out at depth 2");
        let quality = BestFirstNote { quality: 12.5, ..BestFirstNote::default() };
        check(NodeNote::BestFirst(quality), "quality 12.5");
        let known =
            BestFirstNote { is_capture: true, is_learned: true, is_elsewhere: true, is_proven: true, ..quality };
        check(NodeNote::BestFirst(known), "quality 12.5, capture, learned, same position elsewhere, proven");
        check(
            NodeNote::BestFirst(BestFirstNote { is_check: true, is_over: true, ..quality }),
            "quality 12.5, check, game over",
        );
        check(NodeNote::Mate(MateNote::MateIn(7)), "mate in 7 plies at most");
        check(NodeNote::Mate(MateNote::NoMate), "no mate by checks");
        check(NodeNote::Mate(MateNote::Mated), "mate");
        check(NodeNote::Mate(MateNote::Attack), "attacks");
        check(NodeNote::Mate(MateNote::Defence), "defends");
    }

    #[test]
    fn other_texts_are_no_notes() {
        for text in
            ["", "pass", "quality", "quality 1, nice", "left out", "depth 4", "mate in plies at most", "searched"]
        {
            assert_eq!(text.parse::<NodeNote>(), Err(NoteError(text.to_string())));
        }
    }
}
