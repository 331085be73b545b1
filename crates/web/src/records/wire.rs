//! Records as JSON: the whole tree of moves with its notes, tags and result, there and back without loss.

use crate::{Problem, places::Ended};
use serde::{Deserialize, Serialize};
use std::{
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_game::{Outcome, Value};
use tesuji_record::{AnyGame, GameRecord, Note, RulesTable, Step};
use utoipa::ToSchema;

/// Nodes of one record at most.
const NODES_MAX: usize = 200_000;
/// Whole numbers up to here survive JavaScript.
const EXACT_MAX: u64 = 1 << 53;

/// A game: rules, start, tags, result, and its moves with variations and notes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RecordView {
    /// The rules as text; empty: the usual ones.
    rules: String,
    /// The start position in the game's notation; none: the usual one.
    start: Option<String>,
    /// Names and values: players, event, date.
    tags: Vec<(String, String)>,
    /// Its end; none: unknown, or not over.
    outcome: Option<Ended>,
    /// The steps, parents before children; the first is the root. The first child of a node continues the main line.
    nodes: Vec<NodeView>,
    /// The error, if it could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// A step of a game: a move, or a position set up on the way; the root is neither.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
#[schema(as = RecordNode)]
pub(crate) struct NodeView {
    /// The number of the step before; smaller than its own.
    parent: u32,
    /// The move as the protocol writes it. Requests may also hold it as people write it.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    /// The move as people write it; ignored in requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The position that is set up here, in the game's notation.
    #[serde(skip_serializing_if = "Option::is_none")]
    setup: Option<String>,
    /// The words of an annotator.
    #[serde(skip_serializing_if = "String::is_empty")]
    comment: String,
    /// Numeric annotation glyphs (1 is `!`, 2 is `?`, 4 is `??`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    glyphs: Vec<u8>,
    /// Time spent on the move: seconds and nanoseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<(u64, u32)>,
    /// Time spent as the engine reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<(u64, u32)>,
    /// Time left on the mover's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    left: Option<(u64, u32)>,
    /// The value for the side that moved: hundredths of a pawn, 32000 - n for a mate in n plies, n - 32000 for being mated.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    /// Depth in plies; 0: unknown.
    #[serde(skip_serializing_if = "is_zero")]
    depth: u32,
    /// Nodes searched; 0: unknown.
    #[serde(skip_serializing_if = "is_zero")]
    nodes: u64,
    /// Visits of moves, by the move's 16-bit code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    visits: Vec<(u16, u32)>,
}

fn is_zero<T: Default + PartialEq>(n: &T) -> bool {
    *n == T::default()
}

impl RecordView {
    /// `record` with its moves in words.
    pub(crate) fn of(game: &dyn AnyGame, record: &GameRecord<String>) -> RecordView {
        let texts = texts(game, record);
        let nodes = record.nodes.iter().zip(texts).enumerate().map(|(i, (node, text))| {
            let (code, setup) = match &node.step {
                Step::Start => (None, None),
                Step::Move(code) => (Some(code.clone()), None),
                Step::Setup(setup) => (None, record.setup(*setup).map(str::to_string)),
            };
            NodeView { parent: node.parent, code, text, setup, ..NodeView::of(record.note(i as u32)) }
        });
        RecordView {
            rules: record.rules.clone(),
            start: record.start.clone(),
            tags: record.tags.clone(),
            outcome: record.outcome.map(Ended::from),
            nodes: nodes.collect(),
            error: None,
        }
    }

    /// Names and values.
    pub(super) fn tags(&self) -> &[(String, String)] {
        &self.tags
    }

    /// The outcome of the game.
    pub(super) fn outcome(&self) -> Option<&Ended> {
        self.outcome.as_ref()
    }

    /// Moves of the main line: first children, from the start.
    pub(super) fn main_plies(&self) -> usize {
        let (mut at, mut plies) = (0, 0);
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            if node.parent as usize == at {
                at = i;
                plies += usize::from(node.code.is_some());
            }
        }
        plies
    }

    /// A record that could not be read.
    pub(crate) fn broken(error: String) -> RecordView {
        RecordView { error: Some(error), ..RecordView::default() }
    }

    /// The record that this is; moves as people write them become the protocol's. A move that cannot be played stays as it is:
    /// formats refuse it or not.
    ///
    /// # Errors
    /// If a part is no record, with its place and the reason.
    pub(crate) fn record(self, game: &dyn AnyGame) -> Result<GameRecord<String>, Problem> {
        if self.nodes.len() > NODES_MAX {
            return Err(Problem::unprocessable(format!("more than {NODES_MAX} moves")).at("record.nodes"));
        }
        let start = self.start.filter(|start| !start.is_empty());
        let mut record = GameRecord { rules: self.rules, start, tags: self.tags, ..GameRecord::new() };
        table(game, &record, record.start.as_deref()).map_err(|problem| {
            let part = if record.start.is_some() { "record.start" } else { "record.rules" };
            problem.at(part)
        })?;
        record.outcome = match self.outcome {
            Some(ended) => Some(Outcome::try_from(ended).map_err(|problem| problem.at("record.outcome"))?),
            None => None,
        };
        for (i, node) in self.nodes.into_iter().enumerate() {
            let wrong =
                |what: &str| Problem::unprocessable(format!("node {i}: {what}")).at(format!("record.nodes[{i}]"));
            let note = node.note().ok_or_else(|| wrong("a value or time is out of range"))?;
            let at = match (i, node.code, node.setup) {
                (0, None, None) => 0,
                (0, ..) => return Err(wrong("the first node is the start of the game and has no move")),
                _ if node.parent as usize >= i => return Err(wrong("its parent has to stand before it")),
                (_, Some(code), None) => record.push(node.parent, Step::Move(code)),
                (_, None, Some(position)) => record.push_setup(node.parent, position),
                _ => return Err(wrong("expected either a move or a setup")),
            };
            if !note.is_empty() {
                *record.note_mut(at) = note;
            }
        }
        for (node, code) in codes(game, &record) {
            record.nodes[node as usize].step = Step::Move(code);
        }
        Ok(record)
    }
}

impl NodeView {
    /// The annotations of `note`; no step.
    fn of(note: &Note) -> NodeView {
        let time = |time: Option<Duration>| time.map(|time| (time.as_secs().min(EXACT_MAX), time.subsec_nanos()));
        NodeView {
            comment: note.comment.clone(),
            glyphs: note.glyphs.clone(),
            spent: time(note.spent),
            told: time(note.told),
            left: time(note.left),
            value: note.value.map(Value::raw),
            depth: note.depth.map_or(0, NonZeroU32::get),
            nodes: note.nodes.map_or(0, NonZeroU64::get).min(EXACT_MAX),
            visits: note.visits.clone(),
            ..NodeView::default()
        }
    }

    /// The note that this is; `None` when a number is out of its range.
    fn note(&self) -> Option<Note> {
        let in_range = |(_, nanos): &(u64, u32)| *nanos < 1_000_000_000;
        let times = [self.spent, self.told, self.left];
        let value = self.value.filter(|raw| raw.abs() <= Value::INFINITE.raw());
        if !times.iter().flatten().all(in_range) || value != self.value {
            return None;
        }
        let [spent, told, left] = times.map(|time| time.map(|(seconds, nanos)| Duration::new(seconds, nanos)));
        Some(Note {
            comment: self.comment.clone(),
            glyphs: self.glyphs.clone(),
            spent,
            told,
            left,
            value: value.map(Value::from_raw),
            depth: NonZeroU32::new(self.depth),
            nodes: NonZeroU64::new(self.nodes),
            visits: self.visits.clone(),
        })
    }
}

/// A table under the record's rules at the position `start`.
fn table(game: &dyn AnyGame, record: &GameRecord<String>, start: Option<&str>) -> Result<Box<dyn RulesTable>, Problem> {
    game.table(&record.rules, start).map_err(|error| Problem::unprocessable(error.to_string()))
}

/// The moves of all nodes as people write them; none for the root, setups, and what cannot be played.
fn texts(game: &dyn AnyGame, record: &GameRecord<String>) -> Vec<Option<String>> {
    let mut texts = vec![None; record.nodes.len()];
    walk(game, record, |node, code, table| {
        texts[node as usize] = table.format_move(code).ok();
        table.play(code).is_ok()
    });
    texts
}

/// The moves that are not written as the protocol writes them, and how it does.
fn codes(game: &dyn AnyGame, record: &GameRecord<String>) -> Vec<(u32, String)> {
    let mut codes = Vec::new();
    walk(game, record, |node, text, table| {
        if table.play(text).is_ok() {
            return true;
        }
        let Some(code) = table.parse_move(text).ok().filter(|code| table.play(code).is_ok()) else { return false };
        codes.push((node, code));
        true
    });
    codes
}

/// Work that is left of a walk.
enum Item {
    Enter(u32),
    /// Takes back the move of a node whose children are done.
    Undo,
    /// Leaves the table of a node that was set up, or could not be played.
    Drop,
}

/// Walks over all nodes, parents first: `play` gets a node, its move and the table before it, plays it, and says whether that
/// could be done. Below a move that cannot be played nothing is visited. No recursion: variations may nest deeply.
fn walk(game: &dyn AnyGame, record: &GameRecord<String>, mut play: impl FnMut(u32, &str, &mut dyn RulesTable) -> bool) {
    let tree = record.tree();
    let mut tables = vec![table(game, record, record.start.as_deref()).ok()];
    let mut items: Vec<Item> = tree.children(0).map(Item::Enter).collect();
    while let Some(item) = items.pop() {
        let here = tables.last_mut().and_then(Option::as_mut);
        match item {
            Item::Undo => {
                if let Some(table) = here {
                    table.undo();
                }
            }
            Item::Drop => {
                tables.pop();
            }
            Item::Enter(node) => {
                let step = &record.nodes[node as usize].step;
                let is_played = match (step, here) {
                    (Step::Move(code), Some(here)) => play(node, code, here.as_mut()),
                    _ => false,
                };
                let left = if is_played {
                    Item::Undo
                } else {
                    let setup = if let Step::Setup(setup) = step { record.setup(*setup) } else { None };
                    tables.push(setup.and_then(|position| table(game, record, Some(position)).ok()));
                    Item::Drop
                };
                items.push(left);
                items.extend(tree.children(node).map(Item::Enter));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{By, Side};
    use tesuji_record::{Of, of};
    use tesuji_testkit::four::Four;

    static FOUR: Of<Four> = of(&[]);

    /// A game with variations, notes of every kind, and a move that the rules forbid.
    fn rich() -> GameRecord<String> {
        let mut game = GameRecord::from_moves("", None, ["1", "2", "3"].map(String::from));
        game.set_tag("Event", "test");
        let beside = game.push(1, Step::Move("7".into()));
        game.push(beside, Step::Move("99".into()));
        game.push(5, Step::Move("1".into()));
        game.outcome = Some(Outcome::win(Side::Second, By::Points(3.5)));
        *game.note_mut(1) = Note {
            comment: "first".into(),
            glyphs: vec![1, 14],
            spent: Some(Duration::new(3, 7)),
            told: Some(Duration::from_millis(5)),
            left: Some(Duration::from_secs(60)),
            value: Some(Value::mate_in(3)),
            depth: NonZeroU32::new(9),
            nodes: NonZeroU64::new(12345),
            visits: vec![(1, 2)],
        };
        game.note_mut(0).comment = "before".into();
        game.note_mut(beside).glyphs = vec![4];
        game
    }

    #[test]
    fn records_come_back_whole_through_json() {
        let game = rich();
        let view = RecordView::of(&FOUR, &game);
        assert_eq!(view.nodes[1].text.as_deref(), Some("1"));
        assert_eq!(
            (&view.nodes[5].text, &view.nodes[6].text),
            (&None, &None),
            "nothing is said of what cannot be played"
        );
        let json = serde_json::to_string(&view).expect("JSON");
        let read: RecordView = serde_json::from_str(&json).expect("the same");
        assert_eq!(read, view);
        assert_eq!(read.record(&FOUR).expect("a record"), game);
        for by in By::ALL.into_iter().chain([By::Points(0.5)]) {
            let outcome = Outcome::draw(by);
            assert_eq!(Outcome::try_from(Ended::from(outcome)).ok(), Some(outcome));
        }
        for (name, by) in [("nomoves", By::NoMoves), ("moverule", By::MoveRule), ("illegal", By::Illegal)] {
            let kept = Ended { winner: None, by: name.to_string(), points: None };
            assert_eq!(Outcome::try_from(kept).ok(), Some(Outcome::draw(by)), "a record kept by an earlier version");
        }
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_place() {
        let wrong = |json: &str| {
            let view: RecordView = serde_json::from_str(json).expect("JSON");
            view.record(&FOUR).expect_err(json).place.unwrap_or_default()
        };
        assert_eq!(wrong(r#"{"nodes":[{"move":"1"}]}"#), "record.nodes[0]");
        assert_eq!(wrong(r#"{"nodes":[{},{"parent":1,"move":"1"}]}"#), "record.nodes[1]");
        assert_eq!(wrong(r#"{"nodes":[{},{}]}"#), "record.nodes[1]");
        assert_eq!(wrong(r#"{"nodes":[{},{"move":"1","setup":""}]}"#), "record.nodes[1]");
        assert_eq!(wrong(r#"{"nodes":[{"left":[0,1000000000]}]}"#), "record.nodes[0]");
        assert_eq!(wrong(r#"{"nodes":[{"value":40000}]}"#), "record.nodes[0]");
        assert_eq!(wrong(r#"{"start":"nonsense"}"#), "record.start");
        assert_eq!(wrong(r#"{"outcome":{"winner":7,"by":"mate","points":null}}"#), "record.outcome");
        assert_eq!(wrong(r#"{"outcome":{"winner":0,"by":"luck","points":null}}"#), "record.outcome");
    }
}
