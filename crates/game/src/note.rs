//! Notes of a search on a node beyond value and effort: facts with stable codes, and the words that saved trees and
//! listings have for them.

use std::{fmt, str::FromStr};

/// Declares the reasons, each with its stable code and the words that saved trees and listings have for it.
macro_rules! reasons {
    ($($(#[$about:meta])* $name:ident = $code:literal => $words:literal,)+) => {
        /// The reason why alpha-beta left a node, or did not enter it.
        ///
        /// # Examples
        ///
        /// ```
        /// use tesuji_game::Reason;
        /// assert!(Reason::all().all(|reason| usize::from(reason.code()) < Reason::CODES));
        /// assert!(Reason::NullMove.is_cut() && !Reason::Searched.is_cut());
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        #[repr(u8)]
        pub enum Reason {
            $($(#[$about])* $name = $code,)+
        }

        impl Reason {
            /// Every reason with its words.
            const WORDS: &[(Reason, &str)] = &[$((Reason::$name, $words),)+];
        }
    };
}

// A code is never given to another reason: pages, saved profiles and other programs count by it. 0 stands for no reason; 14 to 17 are
// those of `NodeMark`. The page has the words of each code in `web/i18n/reasons.json`.
reasons! {
    /// All moves were looked at.
    #[default]
    Searched = 1 => "searched",
    /// A move was too good to be allowed.
    Beta = 2 => "cut: a move is too good",
    /// The rules, or a return to an earlier position.
    Rules = 3 => "ended by the rules",
    /// A shorter mate is known.
    MateDistance = 4 => "cut: a shorter mate is known",
    /// The transposition table knew enough.
    Table = 5 => "cut by the table",
    /// Endgame tables knew.
    Endgame = 6 => "cut by endgame tables",
    /// So far below the window that captures settle it.
    Razoring = 7 => "cut by razoring",
    /// So far above the window that nothing was tried.
    ReverseFutility = 8 => "cut by reverse futility",
    /// Passing was good enough.
    NullMove = 9 => "cut by a null move",
    /// A capture was good enough with less depth.
    Probcut = 10 => "cut by probcut",
    /// Several moves are too good.
    MultiCut = 11 => "cut: several moves are too good",
    /// The side to move mates at once.
    MateAtOnce = 18 => "cut: a mate at once",
    /// The depth was used up: captures alone.
    Quiescence = 12 => "captures only",
    /// The move was not entered: too late, too quiet or a loss of material.
    LeftOut = 13 => "left out",
}

impl Reason {
    /// All codes are less than this.
    pub const CODES: usize = {
        let (mut end, mut i) = (0, 0);
        while i < Self::WORDS.len() {
            let code = Self::WORDS[i].0.code() as usize;
            end = if code >= end { code + 1 } else { end };
            i += 1;
        }
        end
    };

    /// The reason's code, for wires and tables; at least 1 and less than [`Reason::CODES`].
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Every reason.
    pub fn all() -> impl Iterator<Item = Reason> {
        Self::WORDS.iter().map(|(reason, _)| *reason)
    }

    /// Whether the node was left before its moves were searched to the end.
    pub fn is_cut(self) -> bool {
        !matches!(self, Reason::Searched | Reason::Rules | Reason::Quiescence | Reason::LeftOut)
    }
}

/// The mark of a node by a search other than alpha-beta, under codes that no [`Reason`] has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NodeMark {
    /// The value was learned in earlier games.
    Learned = 14,
    /// A transposition: the position also stands elsewhere in the tree.
    Elsewhere = 15,
    /// A move of the attacker in a mate problem.
    Attack = 16,
    /// A move of the defender in a mate problem.
    Defence = 17,
}

impl NodeMark {
    /// Every mark.
    pub const ALL: [NodeMark; 4] = [NodeMark::Learned, NodeMark::Elsewhere, NodeMark::Attack, NodeMark::Defence];

    /// The mark's code, for wires and tables.
    pub const fn code(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::WORDS.iter().find(|(reason, _)| reason == self).map_or("", |(_, words)| words))
    }
}

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
