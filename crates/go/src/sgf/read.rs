//! Makes records of game trees: moves checked on a board, stones set up as positions, everything else as tags and notes.

use super::{
    head::{Head, read_head},
    note::read_note,
    parse::{Broken, Parser},
    points::{read_move, read_points},
    source::ByteOffset,
    table::{Table, Undo},
    tree::{Property, SgfTree},
};
use crate::{Area, Large, Medium, Move, Rules, Small, Vertex, handicap};
use std::io::BufRead;
use tesuji_game::{NotationError, Side};
use tesuji_record::{Fault, GameRecord, RecordError, RecordReader, Step};

/// The most memory that positions set up take in one game; see [`super::parse`].
const SETUP_BYTES_MAX: usize = 256 << 20;

/// Reads games one by one.
pub(super) struct Reader {
    parser: Parser,
    record: u64,
}

impl Reader {
    pub(super) fn new(input: Box<dyn BufRead + Send>) -> Reader {
        Reader { parser: Parser::new(input), record: 0 }
    }
}

impl RecordReader for Reader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let read = self.parser.read();
        if !matches!(read, Ok(None)) {
            self.record += 1;
        }
        let game = match read {
            Ok(None) => return Ok(None),
            Ok(Some((place, tree))) => {
                record_up_to(&tree).map(Some).map_err(|(broken, read)| match broken.place.line {
                    0 => (Broken { place, ..broken }, read),
                    _ => (broken, read),
                })
            }
            Err(broken) => {
                let read = self
                    .parser
                    .take_broken()
                    .and_then(|tree| record_up_to(&tree).map_or_else(|(_, read)| read, |game| Some(Box::new(game))));
                Err((broken, read))
            }
        };
        game.map_err(|(Broken { place, fault }, read)| {
            let read = read.filter(|game| game.plies() > 0);
            RecordError { read, ..RecordError::new(place.line, self.record, fault) }
        })
    }
}

/// The record that a tree is.
pub(super) fn record_of(tree: &SgfTree) -> Result<GameRecord<String>, Broken> {
    record_up_to(tree).map_err(|(broken, _)| broken)
}

/// The error in a game, and the game read up to there.
type BrokenGame = (Broken, Option<Box<GameRecord<String>>>);

/// The record that a tree is.
fn record_up_to(tree: &SgfTree) -> Result<GameRecord<String>, BrokenGame> {
    let head = read_head(tree).map_err(|broken| (broken, None))?;
    let size = head.rules.size;
    if Small::holds(size) {
        Draft::<Small>::record(tree, head)
    } else if Medium::holds(size) {
        Draft::<Medium>::record(tree, head)
    } else {
        Draft::<Large>::record(tree, head)
    }
}

/// A record in the making.
struct Draft<'a, A: Area> {
    tree: &'a SgfTree,
    rules: Rules,
    /// Handicap stones that the root speaks of.
    handicap: u16,
    table: Table<A>,
    record: GameRecord<String>,
    /// The undo information that takes the table back along the path.
    steps: Vec<Undo<A>>,
    /// The nodes from the root to the present one.
    path: Vec<Frame>,
    setup_bytes: usize,
}

/// A node of the tree on the path.
#[derive(Clone, Copy)]
struct Frame {
    node: u32,
    /// The node of the record reached there.
    here: u32,
    /// The number of steps that led to the node.
    steps: usize,
    /// On the main line.
    main: bool,
    /// It has a child already.
    parent: bool,
    /// A variation with a move that cannot be played is left there.
    lost: bool,
}

/// The reason why a node was not added to the record.
enum Stop {
    /// The text is no move, or no point: the game is broken.
    Broken(Broken),
    /// The rules forbid it: on the main line the game is broken, a variation ends there.
    Forbidden(Broken),
}

impl From<Broken> for Stop {
    fn from(broken: Broken) -> Stop {
        Stop::Broken(broken)
    }
}

impl<'a, A: Area> Draft<'a, A> {
    fn new(tree: &'a SgfTree, head: Head) -> Result<Self, Broken> {
        let Head { record, rules, handicap } = head;
        let table = Table::new(&rules, None).map_err(|error| position_error(ByteOffset::default(), error))?;
        Ok(Draft { tree, rules, handicap, table, record, steps: Vec::new(), path: Vec::new(), setup_bytes: 0 })
    }

    fn record(tree: &'a SgfTree, head: Head) -> Result<GameRecord<String>, BrokenGame> {
        let mut draft = Self::new(tree, head).map_err(|broken| (broken, None))?;
        match draft.read() {
            Ok(()) => Ok(draft.record),
            Err(broken) => Err((broken, Some(Box::new(draft.record)))),
        }
    }

    fn read(&mut self) -> Result<(), Broken> {
        for node in 0..self.tree.len() as u32 {
            let mut frame = self.enter(node);
            if !frame.lost {
                match self.node(node, &mut frame) {
                    Ok(()) => {}
                    Err(Stop::Forbidden(_)) if !frame.main => frame.lost = true,
                    Err(Stop::Broken(broken) | Stop::Forbidden(broken)) => return Err(broken),
                }
            }
            frame.steps = self.steps.len();
            self.path.push(frame);
        }
        Ok(())
    }

    /// Goes back to the parent of `node`, and gives the frame that begins there.
    fn enter(&mut self, node: u32) -> Frame {
        let parent = self.tree.parent(node);
        while self.path.last().is_some_and(|f| f.node != parent) {
            self.path.pop();
        }
        let steps = self.path.last().map_or(0, |f| f.steps);
        while self.steps.len() > steps
            && let Some(undo) = self.steps.pop()
        {
            if matches!(undo, Undo::Position(_)) {
                self.setup_bytes -= Table::<A>::STEP_BYTES;
            }
            self.table.undo(undo);
        }
        match self.path.last_mut() {
            Some(before) => {
                let first = !std::mem::replace(&mut before.parent, true);
                Frame { node, main: before.main && first, parent: false, ..*before }
            }
            None => Frame { node, here: 0, steps: 0, main: true, parent: false, lost: false },
        }
    }

    /// Takes in a node: stones set up, moves, and what is said.
    fn node(&mut self, node: u32, frame: &mut Frame) -> Result<(), Stop> {
        if let Some((side, property)) = lone_move(self.tree, node).filter(|_| node > 0) {
            return self.play(side, &property, frame);
        }
        let moves = moves_of(self.tree, node);
        let sets = self.tree.properties(node).any(|p| matches!(p.name(), "AB" | "AW" | "AE" | "PL" | "POS"));
        let next = moves.clone().next().or_else(|| {
            let follows = (node as usize + 1) < self.tree.len() && self.tree.parent(node + 1) == node;
            if follows { moves_of(self.tree, node + 1).next() } else { None }
        });
        let turn = next.map(|(side, _)| side);
        if node == 0 {
            self.start(turn)?;
        } else if sets || moves.clone().next().is_none() {
            self.set_up(node, frame, turn)?;
        }
        let mut mover = None;
        for (side, property) in moves {
            self.play(side, &property, frame)?;
            mover = Some(side);
        }
        let note = read_note(self.tree, node, mover);
        if !note.is_empty() {
            *self.record.note_mut(frame.here) = note;
        }
        Ok(())
    }

    fn play(&mut self, side: Side, property: &Property<'_>, frame: &mut Frame) -> Result<(), Stop> {
        let (size, value) = (self.rules.size, property.value());
        let place = property.place();
        let mv = read_move(value, size);
        let mv =
            mv.ok_or_else(|| Broken::new(place, "a point of the board such as `cd`, or none for a pass", value))?;
        if property.values().count() > 1 {
            return Err(Broken::new(place, "one point for a move", "several").into());
        }
        if let Some(undo) = self.table.turn(side) {
            // The same player moves again: a position with the other one's turn left out stands between the moves.
            self.push_step(undo, property.place())?;
            self.push_setup(frame);
        }
        let undo = self.table.play(mv);
        self.steps.push(undo.ok_or_else(|| self.illegal(property, mv, frame))?);
        frame.here = self.record.push(frame.here, Step::Move(mv.to_string()));
        Ok(())
    }

    fn illegal(&self, property: &Property<'_>, mv: Move, frame: &Frame) -> Stop {
        // Nobody hears of it in a variation, and there may be many.
        let path = if frame.main { self.record.path(frame.here) } else { Vec::new() };
        let moves = path.iter().filter(|&&n| matches!(self.record.nodes[n as usize].step, Step::Move(_)));
        let fault = Fault::IllegalMove { number: moves.count() + 1, text: format!("{} {mv}", property.name()) };
        Stop::Forbidden(Broken { place: property.place(), fault })
    }

    /// Adds the position on the table to the record.
    fn push_setup(&mut self, frame: &mut Frame) {
        let text = self.table.text();
        self.push_setup_text(frame, text);
    }

    fn push_setup_text(&mut self, frame: &mut Frame, text: String) {
        let last = self.record.setups.len().wrapping_sub(1);
        frame.here = if self.record.setups.get(last) == Some(&text) {
            self.record.push(frame.here, Step::Setup(last as u32))
        } else {
            self.setup_bytes += text.len();
            self.record.push_setup(frame.here, text)
        };
    }

    /// Remembers how a position is taken back.
    fn push_step(&mut self, undo: Undo<A>, place: ByteOffset) -> Result<(), Broken> {
        self.steps.push(undo);
        self.setup_bytes += Table::<A>::STEP_BYTES;
        if self.setup_bytes > SETUP_BYTES_MAX {
            return Err(Broken::new(place, "fewer positions set up in one game", ""));
        }
        Ok(())
    }
}

/// Setting up stones.
impl<'a, A: Area> Draft<'a, A> {
    /// Takes in a node that sets stones up or has no move at all.
    fn set_up(&mut self, node: u32, frame: &mut Frame, turn: Option<Side>) -> Result<(), Stop> {
        let turn = self.turn_told(node)?.or(turn).unwrap_or(self.table.side());
        match self.stones_told(node)? {
            None => {
                if let Some(undo) = self.table.turn(turn) {
                    self.push_step(undo, ByteOffset::default())?;
                }
            }
            Some((stones, property)) => {
                let undo = self.table.set_up(&stones, turn).ok_or_else(|| breathless(&property))?;
                self.push_step(undo, property.place())?;
            }
        }
        match self.position_told(node)? {
            None => self.push_setup(frame),
            Some((text, undo, place)) => {
                self.push_step(undo, place)?;
                self.push_setup_text(frame, text);
            }
        }
        Ok(())
    }

    /// Takes in the stones of the root: where the game starts.
    fn start(&mut self, turn: Option<Side>) -> Result<(), Stop> {
        let told = self.turn_told(0)?.or(turn);
        let stones = self.stones_told(0)?;
        let free = if self.handicap > 0 && stones.is_some() { crate::WHITE } else { crate::BLACK };
        let side = told.unwrap_or(free);
        let usual = stones.is_none() && side == crate::BLACK && self.handicap == 0;
        let mut fixed = self.rules;
        if let Some((stones, property)) = stones {
            fixed.handicap = u8::try_from(self.handicap).unwrap_or(0);
            let said = self.tree.property(0, "POS").is_some();
            if !said && side == crate::WHITE && fixed_stones(&fixed).is_some_and(|usual| usual == stones) {
                let words = std::mem::take(&mut self.record.rules);
                let words = if words.is_empty() { fixed.size.to_string() } else { words };
                self.record.rules = format!("{words} handicap {}", fixed.handicap);
                self.table = Table::new(&fixed, None).map_err(|error| position_error(property.place(), error))?;
                return Ok(());
            }
            self.table.set_up(&stones, side).ok_or_else(|| breathless(&property))?;
        } else {
            self.table.turn(side);
        }
        self.table.set_handicap(self.handicap);
        self.record.start = match self.position_told(0)? {
            Some((text, ..)) => Some(text),
            None if usual => None,
            None => Some(self.table.text()),
        };
        Ok(())
    }

    /// Sets up the position that our own property says in go's notation, which tells more than stones.
    fn position_told(&mut self, node: u32) -> Result<Option<(String, Undo<A>, ByteOffset)>, Broken> {
        let Some(property) = self.tree.property(node, "POS") else { return Ok(None) };
        let (text, place) = (super::tree::text(property.value()), property.place());
        let undo = self.table.set_text(&self.rules, &text).map_err(|error| position_error(place, error))?;
        Ok(Some((text, undo, place)))
    }

    /// The side to move that the property `PL` of the node gives.
    fn turn_told(&self, node: u32) -> Result<Option<Side>, Broken> {
        let Some(property) = self.tree.property(node, "PL") else { return Ok(None) };
        match property.value().trim().bytes().next() {
            Some(b'B' | b'b' | b'1') => Ok(Some(crate::BLACK)),
            Some(b'W' | b'w' | b'2') => Ok(Some(crate::WHITE)),
            _ => Err(Broken::new(property.place(), "`B` or `W`", property.value())),
        }
    }

    /// The stones on all points after the setup properties of `node`, row by row from `A1` upward, and the last of these properties;
    /// `None` where it sets nothing up.
    #[allow(clippy::type_complexity)]
    fn stones_told(&self, node: u32) -> Result<Option<(Vec<Option<Side>>, Property<'a>)>, Broken> {
        let size = self.rules.size;
        let mut told = None;
        for property in self.tree.properties(node) {
            let stone = match property.name() {
                "AB" => Some(crate::BLACK),
                "AW" => Some(crate::WHITE),
                "AE" => None,
                _ => continue,
            };
            let (points, last) = told.get_or_insert_with(|| (self.table.stones(), property));
            *last = property;
            for value in property.values().filter(|v| !v.trim().is_empty()) {
                if !read_points(value, size, |v| points[v.index(size)] = stone) {
                    return Err(Broken::new(property.place(), "points of the board such as `cd` or `aa:cc`", value));
                }
            }
        }
        Ok(told)
    }
}

/// The move of a node that says nothing else, as most do.
fn lone_move(tree: &SgfTree, node: u32) -> Option<(Side, Property<'_>)> {
    let mut properties = tree.properties(node);
    let property = properties.next().filter(|_| properties.next().is_none())?;
    side_of(&property).map(|side| (side, property))
}

/// The side whose move the property is.
fn side_of(property: &Property<'_>) -> Option<Side> {
    match property.name().as_bytes() {
        b"B" => Some(crate::BLACK),
        b"W" => Some(crate::WHITE),
        _ => None,
    }
}

/// The moves of a node, in order: one, where a file keeps to the standard.
fn moves_of(tree: &SgfTree, node: u32) -> impl Iterator<Item = (Side, Property<'_>)> + Clone {
    tree.properties(node).filter_map(|property| side_of(&property).map(|side| (side, property)))
}

/// The stones on all points when the fixed handicap stones of `rules` are placed.
fn fixed_stones(rules: &Rules) -> Option<Vec<Option<Side>>> {
    let fixed = handicap::fixed(rules.size, rules.handicap as usize)?;
    Some(Vertex::all(rules.size).map(|v| fixed.contains(&v).then_some(crate::BLACK)).collect())
}

fn position_error(place: ByteOffset, error: NotationError) -> Broken {
    Broken { place, fault: Fault::Position(error) }
}

fn breathless(property: &Property<'_>) -> Stop {
    Stop::Forbidden(Broken::new(property.place(), "stones that have liberties when all are set up", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of a file, each with the moves that were read before it.
    fn broken(text: &str) -> Vec<(String, Option<String>)> {
        let mut reader = Reader::new(Box::new(std::io::Cursor::new(text.as_bytes().to_vec())));
        let mut all = Vec::new();
        loop {
            match reader.read() {
                Ok(None) => return all,
                Ok(Some(_)) => {}
                Err(error) => {
                    let words = error.to_string();
                    all.push((words, error.read.map(|game| game.main_line().join(" "))));
                }
            }
        }
    }

    #[track_caller]
    fn check(text: &str, error: &str, moves: Option<&str>) {
        assert_eq!(broken(text), [(error.to_string(), moves.map(str::to_string))], "{text}");
    }

    #[test]
    fn a_broken_game_was_lost_with_all_that_comes_before_the_fault() {
        let head = "(;GM[1]SZ[9];B[dd];W[ee]";
        check(
            &format!("{head};B[ff]\n"),
            "line 2 (game 1): at byte 31: expected a `)` that ends the game, found `the end`",
            Some("D6 E5 F4"),
        );
        check(&format!("{head};B[dd];W[aa])"), "line 1 (game 1): move #3 is illegal: B D6", Some("D6 E5"));
        // Half a move is none, and no pass.
        let half = "line 1 (game 1): at byte 26: expected a `[` behind the name of the property, found `the end`";
        check(&format!("{head};B"), half, Some("D6 E5"));
        assert_eq!(broken(&format!("{head};C[c"))[0].1.as_deref(), Some("D6 E5"));
        check("(;GM[1]SZ[9];B[zz])", &broken("(;GM[1]SZ[9];B[zz])")[0].0, None);
    }
}
