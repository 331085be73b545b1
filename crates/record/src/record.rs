//! A game on record: steps in an arena, each pointing to its parent, with notes, tags and an outcome beside them.

use crate::Note;
use tesuji_game::Outcome;

/// The tag of games whose file tells another result than the last position, which counts: the result that the file tells.
pub const CLAIMED_RESULT: &str = "ClaimedResult";

/// The step of a node in the game tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<M> {
    /// The start of the game: the root, and only the root.
    Start,
    /// A move.
    Move(M),
    /// The position is set up again: index into [`GameRecord::setups`].
    Setup(u32),
}

/// One step of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node<M> {
    /// The node before it; smaller than its own index. The root is its own parent.
    pub parent: u32,
    /// The step that leads to this node.
    pub step: Step<M>,
    /// Index into [`GameRecord::notes`]; 0 when there is nothing to say.
    pub note: u32,
}

/// A game with its variations. `M` is text at the doors (`GameRecord<String>`: moves in the protocol's notation) and
/// the game's own move type inside.
///
/// Children stand after their parents, the first child continues the main line.
///
/// # Examples
/// ```
/// use tesuji_record::{GameRecord, Step};
/// let mut game = GameRecord::<String>::new();
/// let e4 = game.push(0, Step::Move("e2e4".into()));
/// game.push(e4, Step::Move("e7e5".into()));
/// game.push(e4, Step::Move("c7c5".into())); // a variation
/// assert_eq!(game.main_line(), ["e2e4", "e7e5"]);
/// ```
#[derive(Debug, Clone)]
pub struct GameRecord<M> {
    /// The rules as text (`""`, `"chess960"`), as [`tesuji_game::Game::Rules`] reads them.
    pub rules: String,
    /// The start of the game, in the game's position notation; `None` for the usual start.
    pub start: Option<String>,
    /// Names and values, in order: players, event, origin.
    pub tags: Vec<(String, String)>,
    /// The steps; the first is the root.
    pub nodes: Vec<Node<M>>,
    /// The notes; the first stands for "nothing" and stays empty.
    pub notes: Vec<Note>,
    /// The positions that [`Step::Setup`] names, in the game's position notation.
    pub setups: Vec<String>,
    /// The outcome of the game; `None` when unknown or not over.
    pub outcome: Option<Outcome>,
    /// The number of values in the file that are out of the range of a value: the notes have the nearest. No part of the game: games
    /// that differ here alone are equal.
    pub clipped: u32,
}

impl<M> Default for GameRecord<M> {
    fn default() -> Self {
        GameRecord {
            rules: String::new(),
            start: None,
            tags: Vec::new(),
            nodes: vec![Node { parent: 0, step: Step::Start, note: 0 }],
            notes: vec![Note::default()],
            setups: Vec::new(),
            outcome: None,
            clipped: 0,
        }
    }
}

impl<M> GameRecord<M> {
    /// A game without moves.
    pub fn new() -> Self {
        Self::default()
    }

    /// A game of `moves` from `start`.
    pub fn from_moves(rules: &str, start: Option<&str>, moves: impl IntoIterator<Item = M>) -> Self {
        let mut record = GameRecord { rules: rules.into(), start: start.map(Into::into), ..Self::new() };
        for mv in moves {
            record.append(Step::Move(mv));
        }
        record
    }

    /// Adds a step after node `parent` and returns its index. The first child of a node continues the main line.
    ///
    /// # Panics
    /// When there is no node `parent`.
    pub fn push(&mut self, parent: u32, step: Step<M>) -> u32 {
        assert!((parent as usize) < self.nodes.len(), "no node {parent} to go on from");
        self.nodes.push(Node { parent, step, note: 0 });
        (self.nodes.len() - 1) as u32
    }

    /// Adds a step after the last node, wherever that stands: the way to record a game without variations.
    pub fn append(&mut self, step: Step<M>) -> u32 {
        let last = (self.nodes.len() - 1) as u32;
        self.push(last, step)
    }

    /// Adds the setting up of `position` after node `parent` and returns its index.
    pub fn push_setup(&mut self, parent: u32, position: String) -> u32 {
        self.setups.push(position);
        let setup = (self.setups.len() - 1) as u32;
        self.push(parent, Step::Setup(setup))
    }

    /// The note at `node`; the empty note where there is none.
    pub fn note(&self, node: u32) -> &Note {
        &self.notes[self.nodes[node as usize].note as usize]
    }

    /// The note at `node`, made if there is none.
    pub fn note_mut(&mut self, node: u32) -> &mut Note {
        let slot = &mut self.nodes[node as usize].note;
        if *slot == 0 {
            self.notes.push(Note::default());
            *slot = (self.notes.len() - 1) as u32;
        }
        let note = *slot as usize;
        &mut self.notes[note]
    }

    /// The nodes that follow `node`, main line first. Looks at all later nodes; [`GameRecord::tree`] is for whole walks.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let from = node as usize + 1;
        self.nodes.iter().enumerate().skip(from).filter(move |(_, n)| n.parent == node).map(|(i, _)| i as u32)
    }

    /// The nodes of the main line without the root, in order.
    pub fn main_nodes(&self) -> Vec<u32> {
        let mut line = Vec::with_capacity(self.nodes.len() - 1);
        let mut here = 0;
        for (i, node) in self.nodes.iter().enumerate().skip(1) {
            if node.parent == here {
                here = i as u32;
                line.push(here);
            }
        }
        line
    }

    /// The last node of the main line; the root of a game without moves.
    pub fn last(&self) -> u32 {
        self.main_nodes().last().copied().unwrap_or(0)
    }

    /// The number of moves in the main line.
    pub fn plies(&self) -> usize {
        self.main_nodes().iter().filter(|&&n| matches!(self.nodes[n as usize].step, Step::Move(_))).count()
    }

    /// The nodes from the root (left out) to `node`.
    pub fn path(&self, node: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut here = node;
        while here != 0 {
            path.push(here);
            here = self.nodes[here as usize].parent;
        }
        path.reverse();
        path
    }

    /// Whether any node has more than one child.
    pub fn has_variations(&self) -> bool {
        self.nodes.iter().enumerate().skip(1).any(|(i, n)| n.parent as usize + 1 != i)
    }

    /// First children and next siblings of all nodes, for walks over the whole tree.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree { first: vec![0; self.nodes.len()], next: vec![0; self.nodes.len()] };
        for (i, node) in self.nodes.iter().enumerate().skip(1).rev() {
            let first = &mut tree.first[node.parent as usize];
            tree.next[i] = *first;
            *first = i as u32;
        }
        tree
    }

    /// The value of the tag `name`.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|t| t.0 == name).map(|t| t.1.as_str())
    }

    /// Gives the tag `name` a value, in its old place if it had one.
    pub fn set_tag(&mut self, name: &str, value: impl Into<String>) {
        match self.tags.iter_mut().find(|t| t.0 == name) {
            Some(tag) => tag.1 = value.into(),
            None => self.tags.push((name.into(), value.into())),
        }
    }

    /// The text of setup number `setup`.
    pub fn setup(&self, setup: u32) -> Option<&str> {
        self.setups.get(setup as usize).map(String::as_str)
    }
}

impl<M: Clone> GameRecord<M> {
    /// The moves of the main line; setups in between are left out.
    pub fn main_line(&self) -> Vec<M> {
        let moves = self.main_nodes().into_iter().filter_map(|n| match &self.nodes[n as usize].step {
            Step::Move(mv) => Some(mv.clone()),
            _ => None,
        });
        moves.collect()
    }
}

/// Equal games: the same tree with the same words, whatever the order in which notes and setups were stored.
impl<M: PartialEq> PartialEq for GameRecord<M> {
    fn eq(&self, other: &Self) -> bool {
        let same_step = |a: &Step<M>, b: &Step<M>| match (a, b) {
            (Step::Setup(a), Step::Setup(b)) => self.setup(*a) == other.setup(*b),
            (a, b) => a == b,
        };
        self.rules == other.rules
            && self.start == other.start
            && self.tags == other.tags
            && self.outcome == other.outcome
            && self.nodes.len() == other.nodes.len()
            && self.nodes.iter().zip(&other.nodes).all(|(a, b)| {
                a.parent == b.parent
                    && same_step(&a.step, &b.step)
                    && self.notes.get(a.note as usize) == other.notes.get(b.note as usize)
            })
    }
}

/// First children and next siblings of the nodes of a record; see [`GameRecord::tree`].
#[derive(Debug, Clone)]
pub struct Tree {
    first: Vec<u32>,
    next: Vec<u32>,
}

impl Tree {
    /// The child of `node` that continues its line.
    pub fn first_child(&self, node: u32) -> Option<u32> {
        Some(self.first[node as usize]).filter(|&n| n != 0)
    }

    /// The next variation beside `node`.
    pub fn next_sibling(&self, node: u32) -> Option<u32> {
        Some(self.next[node as usize]).filter(|&n| n != 0)
    }

    /// The children of `node`, main line first.
    pub fn children(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.first_child(node), |&n| self.next_sibling(n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A main line 1 2 | set up | 3 with a variation 9 after 1.
    fn sample() -> GameRecord<u16> {
        let mut game = GameRecord::new();
        let a = game.push(0, Step::Move(1));
        let b = game.push(a, Step::Move(2));
        game.push(a, Step::Move(9));
        let s = game.push_setup(b, "AB[dd]".into());
        game.push(s, Step::Move(3));
        game
    }

    #[test]
    fn the_main_line_follows_first_children() {
        let game = sample();
        assert_eq!(game.main_line(), [1, 2, 3]);
        assert_eq!(game.main_nodes(), [1, 2, 4, 5]);
        assert_eq!(game.plies(), 3);
        assert_eq!(game.last(), 5);
        assert_eq!(game.children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(game.tree().children(1).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(game.path(5), [1, 2, 4, 5]);
        assert!(game.has_variations());
        assert!(!GameRecord::from_moves("", None, [1, 2, 3]).has_variations());
    }

    #[test]
    fn games_are_equal_by_content() {
        let (mut a, mut b) = (sample(), sample());
        a.note_mut(1).depth = std::num::NonZeroU32::new(3);
        a.note_mut(2).depth = std::num::NonZeroU32::new(4);
        b.note_mut(2).depth = std::num::NonZeroU32::new(4);
        assert_ne!(a, b);
        b.note_mut(1).depth = std::num::NonZeroU32::new(3);
        assert_eq!(a, b);
        b.setups[0] = "AW[dd]".into();
        assert_ne!(a, b);
    }

    #[test]
    fn tags_keep_their_place() {
        let mut game = sample();
        game.set_tag("White", "a");
        game.set_tag("Black", "b");
        game.set_tag("White", "c");
        assert_eq!(game.tag("White"), Some("c"));
        assert_eq!(game.tags[0].0, "White");
        assert_eq!(game.tag("Event"), None);
    }

    #[test]
    fn nodes_stay_small() {
        assert_eq!(size_of::<Node<u16>>(), 16);
    }
}
