//! Writes records as FF\[4\] in UTF-8: what the game is at the root, then moves, positions set up as changes of stones, notes.

use super::{
    head::{PROGRAM, write_rules},
    info::{self, property_of},
    note::write_note,
    points::{write_move, write_point},
    read::record_of,
    result::{read_result, reason_text, result_text},
    table::{Table, Undo},
    tree::{SgfTree, escape},
};
use crate::{Area, Large, Medium, Move, Rules, Small, Vertex, notation::size_of};
use std::io::Write;
use tesuji_game::Side;
use tesuji_record::{Fault, GameRecord, RecordError, RecordWriter, Step, Tree as Children};

/// Writes games one by one.
pub(super) struct Writer {
    output: Box<dyn Write + Send>,
    record: u64,
}

impl Writer {
    pub(super) fn new(output: Box<dyn Write + Send>) -> Writer {
        Writer { output, record: 0 }
    }
}

impl RecordWriter for Writer {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        self.record += 1;
        let tree = tree_of(record).map_err(|fault| RecordError::without_line(self.record, fault))?;
        let mut text = tree.to_string();
        text.push_str("\n\n");
        Ok(self.output.write_all(text.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.output.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// The tree that a record is.
pub(super) fn tree_of(record: &GameRecord<String>) -> Result<SgfTree, Fault> {
    let rules: Rules = record.rules.parse().map_err(Fault::Position)?;
    let start = record.start.as_deref();
    let size = size_of(&rules, start.unwrap_or("")).map_err(Fault::Position)?;
    if Small::holds(size) {
        Draft::<Small>::new(record, rules)?.write()
    } else if Medium::holds(size) {
        Draft::<Medium>::new(record, rules)?.write()
    } else {
        Draft::<Large>::new(record, rules)?.write()
    }
}

/// A tree in the making.
struct Draft<'a, A: Area> {
    record: &'a GameRecord<String>,
    children: Children,
    rules: Rules,
    table: Table<A>,
    tree: SgfTree,
}

/// A pending step of the writer.
enum Item<A: Area> {
    /// Write a node of the record after a node of the tree.
    Node { node: u32, parent: u32 },
    /// Take the table back.
    Back(Undo<A>),
}

impl<'a, A: Area> Draft<'a, A> {
    fn new(record: &'a GameRecord<String>, rules: Rules) -> Result<Self, Fault> {
        let table = Table::new(&rules, record.start.as_deref()).map_err(Fault::Position)?;
        Ok(Draft { record, children: record.tree(), rules, table, tree: SgfTree::new() })
    }

    fn write(mut self) -> Result<SgfTree, Fault> {
        self.head()?;
        let mut items = Vec::new();
        self.push_children(0, 0, &mut items);
        // Behind the last node nothing need be taken back.
        let mut left = self.record.nodes.len() - 1;
        while left > 0
            && let Some(item) = items.pop()
        {
            match item {
                Item::Back(undo) => self.table.undo(undo),
                Item::Node { node, parent } => {
                    left -= 1;
                    let written = self.node(node, parent, &mut items)?;
                    self.push_children(node, written, &mut items);
                }
            }
        }
        Ok(self.tree)
    }

    /// Remembers the children of `node` to be written after the node `parent` of the tree, the first one next.
    fn push_children(&self, node: u32, parent: u32, items: &mut Vec<Item<A>>) {
        let start = items.len();
        items.extend(self.children.children(node).map(|node| Item::Node { node, parent }));
        items[start..].reverse();
    }

    /// Writes one node after `parent`, and remembers what takes the table back; the node of the tree.
    fn node(&mut self, node: u32, parent: u32, items: &mut Vec<Item<A>>) -> Result<u32, Fault> {
        let record = self.record;
        match &record.nodes[node as usize].step {
            Step::Start => Err(Fault::Unsupported("a start within the game")),
            Step::Move(text) => {
                let (size, side) = (self.table.pos().size(), self.table.side());
                let mv = Move::parse(text, size).map_err(Fault::Position)?;
                let undo = self.table.play(mv).ok_or_else(|| Fault::IllegalMove {
                    number: record.path(node).len(),
                    text: text.chars().take(20).collect(),
                })?;
                items.push(Item::Back(undo));
                let written = self.tree.push_node(parent);
                let mut value = String::new();
                write_move(mv, size, &mut value);
                self.tree.push(letter(side), &value);
                write_note(record.note(node), Some(side), &mut self.tree);
                Ok(written)
            }
            Step::Setup(setup) => {
                let text = record.setup(*setup).ok_or(Fault::Unsupported("a position that is not there"))?;
                if self.is_silent(node, text) {
                    items.extend(self.table.turn(!self.table.side()).map(Item::Back));
                    return Ok(parent);
                }
                let written = self.tree.push_node(parent);
                if let Some(back) = self.set_up(node, text)? {
                    items.push(Item::Back(back));
                }
                write_note(record.note(node), None, &mut self.tree);
                Ok(written)
            }
        }
    }

    /// Writes the position set up at `node` as changes of stones, with what takes the table back.
    fn set_up(&mut self, node: u32, text: &str) -> Result<Option<Undo<A>>, Fault> {
        let (stones, usual) = (self.table.stones(), self.table.side());
        let mut back = None;
        if self.table.text() != text {
            // What a reader makes of the changes is what is meant, but for texts that say more.
            let mut plain = self.table.clone();
            back = Some(self.table.set_text(&self.rules, text).map_err(Fault::Position)?);
            let there = self.table.stones();
            self.changes(&stones, &there);
            if there == stones {
                plain.turn(self.table.side());
            } else {
                plain.set_up(&there, self.table.side());
            }
            if plain.text() != text {
                self.push_text("POS", text);
            }
        }
        if self.mover_after(node).unwrap_or(usual) != self.table.side() {
            self.tree.push("PL", letter(self.table.side()));
        }
        Ok(back)
    }

    /// Whether the position at `node` only gives the turn on the table to the other player, who then moves: SGF does not
    /// say that.
    fn is_silent(&self, node: u32, text: &str) -> bool {
        let mut children = self.children.children(node);
        let next = children.next().map(|n| &self.record.nodes[n as usize].step);
        if !matches!(next, Some(Step::Move(_))) || children.next().is_some() || !self.record.note(node).is_empty() {
            return false;
        }
        let mut turned = self.table.clone();
        turned.turn(!turned.side());
        turned.text() == text
    }

    /// The side that makes the move written right behind `node`, whose position is on the table.
    fn mover_after(&self, node: u32) -> Option<Side> {
        let first = self.children.first_child(node)?;
        match self.record.nodes[first as usize].step {
            Step::Move(_) => Some(self.table.side()),
            Step::Setup(setup) => self.is_silent(first, self.record.setup(setup)?).then_some(!self.table.side()),
            Step::Start => None,
        }
    }

    /// Writes the stones that are there and were not before, and the points that became empty.
    fn changes(&mut self, before: &[Option<Side>], there: &[Option<Side>]) {
        let size = self.table.pos().size();
        for (name, stone) in [("AB", Some(crate::BLACK)), ("AW", Some(crate::WHITE)), ("AE", None)] {
            let mut any = false;
            for ((vertex, was), here) in Vertex::all(size).zip(before).zip(there) {
                if *here == stone && here != was {
                    if !std::mem::replace(&mut any, true) {
                        self.tree.push_property(name);
                    }
                    let mut value = String::new();
                    write_point(vertex, size, &mut value);
                    self.tree.push_value(&value);
                }
            }
        }
    }

    fn push_text(&mut self, name: &str, text: &str) {
        let mut value = String::new();
        escape(text, &mut value);
        self.tree.push(name, &value);
    }
}

/// The property of a move of `side`, and the value of its turn.
fn letter(side: Side) -> &'static str {
    if side == crate::BLACK { "B" } else { "W" }
}

/// The root.
impl<A: Area> Draft<'_, A> {
    fn head(&mut self) -> Result<(), Fault> {
        let record = self.record;
        self.tree.push_node(0);
        for (name, value) in [("FF", "4"), ("GM", "1"), ("CA", "UTF-8")] {
            self.tree.push(name, value);
        }
        if record.tag("AP").is_none_or(|program| self.means("AP", program) || program.is_empty()) {
            self.tree.push("AP", &format!("{PROGRAM}:{}", env!("CARGO_PKG_VERSION")));
        }
        let (size, handicap) = (self.table.pos().size(), self.table.pos().handicap());
        write_rules(&record.rules, &self.rules, size, handicap, &mut self.tree);
        self.tags();
        if let Some(outcome) = &record.outcome {
            self.tree.push("RE", &result_text(outcome));
            if let Some(reason) = reason_text(outcome) {
                self.tree.push("END", &reason);
            }
        }
        let there = self.table.stones();
        self.changes(&vec![None; there.len()], &there);
        if record.start.is_some() || self.mover_after(0).is_some_and(|mover| mover != self.table.side()) {
            self.tree.push("PL", letter(self.table.side()));
        }
        if let Some(start) = &record.start {
            // What a reader makes of the stones is what is meant, but for texts that say more.
            let read = record_of(&self.tree).map_err(|broken| broken.fault)?;
            if read.start.as_ref() != Some(start) {
                self.push_text("POS", start);
            }
        }
        write_note(record.note(0), None, &mut self.tree);
        Ok(())
    }

    /// Whether the property `name` with this value says something that is no tag.
    fn means(&self, name: &str, value: &str) -> bool {
        match name {
            "RU" => info::rules_named(value).is_some(),
            "KM" => info::read_komi(value).is_some(),
            "HA" => info::read_handicap(value).is_some(),
            "RE" => self.record.outcome.is_some() || read_result(value).is_some(),
            "AP" => value.starts_with(PROGRAM),
            _ => false,
        }
    }

    /// Writes the tags: those that SGF knows as properties of their own, the others in a list.
    fn tags(&mut self) {
        let (mut list, mut values) = (Vec::new(), String::new());
        for (tag, value) in &self.record.tags {
            let fits =
                |&name: &&str| !value.is_empty() && self.tree.property(0, name).is_none() && !self.means(name, value);
            let name = property_of(tag).filter(fits);
            match name {
                Some(name) => {
                    values.clear();
                    info::write_value(name, value, &mut values);
                    self.tree.push(name, &values);
                }
                None => list.push((tag, value)),
            }
        }
        if list.is_empty() {
            return;
        }
        self.tree.push_property("TAG");
        for (tag, value) in list {
            values.clear();
            escape_name(tag, &mut values);
            values.push(':');
            escape(value, &mut values);
            self.tree.push_value(&values);
        }
    }
}

/// Appends the name of a tag so that no colon in it parts name and value.
fn escape_name(name: &str, out: &mut String) {
    for c in name.chars() {
        if matches!(c, '\\' | ']' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
}
