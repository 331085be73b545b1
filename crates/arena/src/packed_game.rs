//! A game that was played, as JSON for another machine: all that its record and the table of the match need, to the nanosecond.

use crate::journal::{fault_text, read_fault, read_used, used_text};
use crate::{Fault, FaultKind, Opening, Played};
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Duration;
use tesuji_game::{By, Outcome, Side, Value};
use tesuji_record::{AnyGame, GameRecord, Note};

/// A game between two contestants, without variations.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Opening, PackedGame, Played, Used};
/// use tesuji_four::FOUR;
/// use tesuji_game::{By, Outcome, Side};
/// use tesuji_record::GameRecord;
/// let mut record = GameRecord::from_moves("", None, ["1", "2", "1", "2", "1", "2", "1"].map(str::to_string));
/// let outcome = Outcome::win(Side::First, By::Mate);
/// record.outcome = Some(outcome);
/// let played = Played { record, outcome, fault: None, count: None, plies: 7, used: [Used::default(); 2] };
/// let packed = PackedGame::new(&played);
/// let opening = Opening { start: None, moves: vec!["1".into()] };
/// assert_eq!(packed.clone().unpack(&FOUR, Some(&opening))?.record.main_line(), played.record.main_line());
/// // What does not begin with its opening is another game.
/// let other = Opening { moves: vec!["3".into()], ..opening };
/// assert!(packed.unpack(&FOUR, Some(&other)).is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedGame {
    rules: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    start: Option<String>,
    moves: String,
    /// One for each position, the start included.
    notes: Vec<PackedNote>,
    /// 0: the first side; `None`: nobody.
    winner: Option<u8>,
    by: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    fault: Option<PackedFault>,
    used: [String; 2],
}

/// Time spent, told and left in nanoseconds, value, depth, nodes, comment.
type PackedNote = (Option<u64>, Option<u64>, Option<u64>, Option<i32>, u32, u64, String);

/// A fault of a side, in the form of journals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedFault {
    side: u8,
    kind: String,
    stolen: bool,
    text: String,
}

impl PackedFault {
    /// A fault of `side`.
    pub fn new(side: Side, fault: &Fault) -> PackedFault {
        let (kind, text) = (fault.kind.name().to_string(), fault_text(fault));
        PackedFault { side: side.index() as u8, kind, stolen: fault.stolen, text }
    }

    /// The side at fault.
    pub fn side(&self) -> Side {
        Side::ALL[usize::from(self.side != 0)]
    }

    /// The fault.
    ///
    /// # Errors
    /// When there is no such kind of fault.
    pub fn unpack(&self) -> Result<Fault, String> {
        let kind = FaultKind::ALL.into_iter().find(|kind| kind.name() == self.kind);
        let kind = kind.ok_or_else(|| format!("no fault is called {:?}", self.kind))?;
        Ok(read_fault(kind, self.stolen, &self.text))
    }
}

/// The start and the nodes of the main line.
fn line(record: &GameRecord<String>) -> impl Iterator<Item = u32> {
    std::iter::once(0).chain(record.main_nodes())
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn packed_note(note: &Note) -> PackedNote {
    let [spent, told, left] = [note.spent, note.told, note.left].map(|time| time.map(nanoseconds));
    let (depth, nodes) = (note.depth.map_or(0, NonZeroU32::get), note.nodes.map_or(0, NonZeroU64::get));
    (spent, told, left, note.value.map(Value::raw), depth, nodes, note.comment.clone())
}

fn note_of((spent, told, left, value, depth, nodes, comment): PackedNote) -> Note {
    let [spent, told, left] = [spent, told, left].map(|time| time.map(Duration::from_nanos));
    // Beyond the range of values nothing was found.
    let value = value.filter(|value| value.unsigned_abs() <= Value::MATE as u32).map(Value::from_raw);
    let (depth, nodes) = (NonZeroU32::new(depth), NonZeroU64::new(nodes));
    Note { comment, spent, told, left, value, depth, nodes, ..Note::default() }
}

impl PackedGame {
    /// What any machine makes of the same game where nodes are its limits: moves, values, depths and nodes, the end and its reason; not
    /// what clocks show, and not what engines say beside.
    pub fn essence(&self) -> serde_json::Value {
        let notes: Vec<_> = self.notes.iter().map(|(_, _, _, value, depth, nodes, _)| (value, depth, nodes)).collect();
        let fault = self.fault.as_ref().map(|fault| (fault.side, &fault.kind));
        serde_json::json!([self.rules, self.start, self.moves, notes, self.winner, self.by, fault])
    }

    /// A game as it was played.
    pub fn new(played: &Played) -> PackedGame {
        let record = &played.record;
        let fault = played.fault.as_ref().map(|(side, fault)| PackedFault::new(*side, fault));
        PackedGame {
            rules: record.rules.clone(),
            start: record.start.clone(),
            moves: record.main_line().join(" "),
            notes: line(record).map(|node| packed_note(record.note(node))).collect(),
            winner: played.outcome.winner.map(|side| side.index() as u8),
            by: played.outcome.by.name().to_string(),
            fault,
            used: played.used.each_ref().map(used_text),
        }
    }

    /// The game, which began with `opening`, where that is known. Its moves are played through: what comes from another machine is
    /// believed in nothing that can be looked at.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn unpack(self, game: &dyn AnyGame, opening: Option<&Opening>) -> Result<Played, String> {
        let moves: Vec<String> = self.moves.split_ascii_whitespace().map(str::to_string).collect();
        let begins_so = |opening: &Opening| self.start == opening.start && moves.starts_with(&opening.moves);
        if !opening.is_none_or(begins_so) {
            return Err("the game does not begin with its opening".to_string());
        }
        let mut table = game.table(&self.rules, self.start.as_deref()).map_err(|error| error.to_string())?;
        for (index, mv) in moves.iter().enumerate() {
            table.play(mv).map_err(|error| format!("move {}, {mv}, cannot be played: {error}", index + 1))?;
        }
        let mut record = GameRecord::from_moves(&self.rules, self.start.as_deref(), moves);
        let nodes: Vec<u32> = line(&record).collect();
        if nodes.len() != self.notes.len() {
            return Err(format!("{} positions with {} notes", nodes.len(), self.notes.len()));
        }
        for (node, note) in nodes.into_iter().zip(self.notes) {
            let note = note_of(note);
            if !note.is_empty() {
                *record.note_mut(node) = note;
            }
        }
        let side = |index: u8| Side::ALL[usize::from(index != 0)];
        let by = By::from_name(&self.by).ok_or_else(|| format!("no game ends by {:?}", self.by))?;
        let outcome = Outcome { winner: self.winner.map(side), by };
        record.outcome = Some(outcome);
        let fault = self.fault.map(|fault| Ok::<_, String>((fault.side(), fault.unpack()?)));
        let plies = record.main_line().len() as u32;
        let used = self.used.each_ref().map(|text| read_used(text));
        Ok(Played { record, outcome, fault: fault.transpose()?, count: None, plies, used })
    }
}
