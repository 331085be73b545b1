//! The tree: storage, the walk down to a leaf, and what can be read of it while threads grow it.

use super::{
    arena::{Allowance, Arena},
    node::{Block, Edge, EdgeWord, Edges, Node, Proof, Rave},
    options::Parameters,
    places::{Passage, Places},
    rule::{Kicks, Selection},
    ticket::Ticket,
};
use std::collections::HashSet;
use std::sync::{
    Mutex, PoisonError, RwLock,
    atomic::{
        AtomicBool, AtomicU32, AtomicU64,
        Ordering::{AcqRel, Relaxed},
    },
};
use tesuji_game::{Key, Line, Outcome, Position, Query};

/// Nodes in a chunk.
pub(super) const NODES: usize = 2048;
/// Edges in a chunk, and so the most children of a node.
pub(super) const EDGES: usize = 8192;

/// The smallest allowance: some chunks of each kind.
const BYTES_MIN: usize = 1 << 19;

/// A search tree that any number of threads grow together. It owns no evaluator: anyone who selects asks an
/// [`tesuji_game::Oracle`] and backs the answer up.
///
/// Several trees in one thread, or several threads at one tree, need nothing more than [`Tree::select`] and the tickets
/// it gives. A tree never shrinks; [`Tree::below`] and [`Tree::pruned`] copy the part that is to be kept.
///
/// # Examples
/// One playout by hand:
/// ```
/// use tesuji_game::{Line, Query};
/// use tesuji_search::mcts::{Parameters, Selected, Tree};
/// use tesuji_testkit::four::FourPosition;
/// let line = Line::new(FourPosition::default());
/// let tree = Tree::new(&line, &Parameters::default(), 1 << 20);
/// let mut query = Query::new(line.clone());
/// let Selected::Leaf(ticket) = tree.select(&line, &mut query) else { panic!("a fresh tree has a leaf") };
/// query.answer.value = 0.1;
/// ticket.backup(&mut query);
/// assert_eq!((tree.visits(), tree.in_flight()), (1, 0));
/// ```
pub struct Tree<P: Position> {
    nodes: Arena<Node, NODES>,
    edges: Arena<Edge, EDGES>,
    /// Beside `edges`, with the same numbers; empty unless the rule uses them.
    raves: Arena<Rave, EDGES>,
    /// Empty unless transpositions are one node.
    pub(super) places: Places,
    allowance: Allowance,
    selection: Selection,
    pub(super) parameters: Parameters,
    root: Root<P>,
    /// Playouts that may still begin.
    budget: AtomicU64,
    is_full: AtomicBool,
    /// Draws the kicks of the root's selections.
    kick_seed: AtomicU64,
    /// Root moves that a kick chose: packed, and how often.
    kicked: Mutex<Vec<(u16, u32)>>,
    /// Whether some moves of the root are not wanted.
    restricted: AtomicBool,
    depth_sum: AtomicU64,
    depth_max: AtomicU32,
    playouts: AtomicU64,
}

/// The root of a tree.
struct Root<P: Position> {
    here: P,
    key: Key,
    /// Plies before it.
    plies: usize,
    wishes: RwLock<Wishes>,
}

/// Root settings of a search: restricted moves and noise.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Wishes {
    /// Packed moves to look at; all if empty.
    pub(super) only: Vec<u16>,
    /// The seed of the noise in the priors, if there is to be any.
    pub(super) noise: Option<u64>,
}

/// The end of a selection.
#[must_use]
pub enum Selected<'t, P: Position> {
    /// A leaf: the query holds a question for the oracle.
    Leaf(Ticket<'t, P>),
    /// A position whose result is known, or a leaf that waits for more visits. It is counted already.
    Ended,
    /// A leaf whose question another ticket asks already. Held until that one is back, the ticket keeps later
    /// selections away; it can only be cancelled.
    Collision(Ticket<'t, P>),
    /// The memory is used up: prune, or stop.
    Full,
    /// The budget of playouts is used up. Tickets under way may still give theirs back.
    Spent,
}

/// The evaluation that a leaf needs.
enum Wanted {
    /// Its moves, and perhaps its value.
    Policy,
    /// Its value alone.
    Value,
    /// Nothing until others have come.
    Nothing,
    /// The answer to another ticket, which is under way.
    Wait,
}

/// One step of the way from the root.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) node: u32,
    /// The packed move that led here; 0 at the root.
    pub(super) mv: u16,
    /// The edge that led here; [`NO_EDGE`] at the root.
    pub(super) edge: u32,
}

/// The number in place of an edge to the root.
pub(super) const NO_EDGE: u32 = u32::MAX;

impl<P: Position> Tree<P> {
    /// A tree of the one position at the end of `line`, that grows to `bytes` at most.
    /// Fewer than half a mebibyte are taken for half a mebibyte.
    pub fn new(line: &Line<P>, parameters: &Parameters, bytes: usize) -> Self {
        let tree = Self::empty(line, parameters, bytes);
        let root = tree.nodes.take(1, &tree.allowance);
        assert_eq!(root, Some(0), "the smallest allowance holds a root");
        tree
    }

    /// A tree without any node.
    pub(super) fn empty(line: &Line<P>, parameters: &Parameters, bytes: usize) -> Self {
        let bytes = bytes.max(BYTES_MIN);
        let selection = Selection::new(parameters);
        let here = line.here().clone();
        let root = Root { key: here.key(), here, plies: line.len(), wishes: RwLock::default() };
        Tree {
            nodes: Arena::new(bytes),
            edges: Arena::new(bytes),
            raves: Arena::new(if selection.uses_rave() { bytes } else { 0 }),
            places: Places::new(parameters.transpositions, bytes),
            allowance: Allowance::new(bytes),
            selection,
            parameters: parameters.clone(),
            root,
            budget: AtomicU64::new(u64::MAX),
            is_full: AtomicBool::new(false),
            kick_seed: AtomicU64::new(0),
            kicked: Mutex::default(),
            restricted: AtomicBool::new(false),
            depth_sum: AtomicU64::new(0),
            depth_max: AtomicU32::new(0),
            playouts: AtomicU64::new(0),
        }
    }

    /// Walks from the root to a leaf and puts its question into `query`. `line` ends at the tree's root.
    ///
    /// # Panics
    /// In debug builds when `line` ends elsewhere.
    pub fn select<'t>(&'t self, line: &Line<P>, query: &mut Query<P>) -> Selected<'t, P> {
        debug_assert!(line.len() == self.root.plies && line.here().key() == self.root.key, "another root");
        if self.is_full.load(Relaxed) {
            return Selected::Full;
        }
        // Drawn before the walk: two threads must not both take the last playout.
        if !self.draw() {
            return Selected::Spent;
        }
        query.line.clone_from(line);
        // The batch owns the query, which still holds the answer of an earlier leaf.
        query.answer.clear();
        let mut ticket = Ticket::new(self);
        ticket.enter(Step { node: 0, mv: 0, edge: NO_EDGE });
        let mut id = 0;
        loop {
            let node = self.node(id);
            // A proven child answers at once; at the root the visits must go on, since they choose the move.
            if id != 0
                && let Some(value) = node.proof().value()
            {
                ticket.end(value);
                return Selected::Ended;
            }
            if let Edges::Open(block) = node.edges() {
                let (i, word) = self.choose(id, block).unwrap_or_else(|| unreachable!("not all moves are barred"));
                let mv = query.line.here().unpack(word.mv());
                let mv = mv.unwrap_or_else(|| unreachable!("edges are legal moves of their node"));
                debug_assert!(query.line.here().allows(mv, query.line.past()), "edges are allowed on every way");
                query.line.push(mv);
                let (edge, mv) = (block.first + i as u32, word.mv());
                match self.pass(id, edge, &query.line) {
                    Passage::To(node) => {
                        ticket.enter(Step { node, mv, edge });
                        id = node;
                    }
                    Passage::Closed(value) => {
                        ticket.turn_back(edge, value);
                        return Selected::Ended;
                    }
                    Passage::Full => {
                        // All threads stop here: the owner of the tree makes room or ends the search.
                        self.is_full.store(true, Relaxed);
                        ticket.cancel();
                        return Selected::Full;
                    }
                }
                continue;
            }
            query.line.legal_moves(&mut query.moves);
            if let Some((value, proof)) = self.ended(&query.line, query.moves.is_empty(), id) {
                if self.parameters.proofs && proof != Proof::Unknown {
                    node.prove(proof);
                }
                ticket.end(value);
                return Selected::Ended;
            }
            match self.wanted(id, query) {
                Wanted::Nothing => {
                    ticket.rest();
                    return Selected::Ended;
                }
                Wanted::Wait => return Selected::Collision(ticket),
                Wanted::Value => return Selected::Leaf(ticket),
                Wanted::Policy => {}
            }
            if node.claim() {
                ticket.has_claim = true;
                return Selected::Leaf(ticket);
            }
            if node.edges() == Edges::Claimed {
                return Selected::Collision(ticket);
            }
            // Another thread brought the edges, or gave its claim back: look again.
        }
    }

    /// The evaluation that a leaf needs, also entered into `query`.
    fn wanted(&self, id: u32, query: &mut Query<P>) -> Wanted {
        let node = self.node(id);
        let visits = node.visits();
        (query.wants_value, query.wants_policy) = (true, true);
        if id == 0 || self.parameters.expand_after == 0 {
            return Wanted::Policy;
        }
        if self.parameters.value_once {
            if visits == 0 {
                query.wants_policy = false;
                // One value is enough: others wait until it is there.
                return if node.in_flight() > 1 { Wanted::Wait } else { Wanted::Value };
            }
            query.wants_value = false;
            return if node.knock() < self.parameters.expand_after { Wanted::Nothing } else { Wanted::Policy };
        }
        query.wants_policy = visits >= self.parameters.expand_after;
        if query.wants_policy { Wanted::Policy } else { Wanted::Value }
    }

    /// The target of an edge of `id`, whose move is the last of `line`; creates the node if there is none.
    fn pass(&self, id: u32, edge: u32, line: &Line<P>) -> Passage {
        let word = self.edge(edge).load();
        // Keys of the path cost time, and only transpositions need them.
        let place = if self.parameters.transpositions { self.place_of(line) } else { 0 };
        if word.child() == 0 {
            return self.grow(id, edge, word, place).map_or(Passage::Full, Passage::To);
        }
        // A node of its own place is reached in one way only.
        if !self.parameters.transpositions || [0, place].contains(&self.places.of(word.child())) {
            return Passage::To(word.child());
        }
        let ended = || self.ended_by_way(line).map(|value| -value);
        Passage::Closed(ended().or_else(|| self.node(word.child()).mean()).unwrap_or(0.0))
    }

    /// Makes a child, unless another thread was faster, or the place was reached in another way: then takes that.
    fn grow(&self, id: u32, edge: u32, word: EdgeWord, place: u64) -> Option<u32> {
        let make = || {
            let child = self.nodes.take(1, &self.allowance)?;
            self.node(child).set_parent(id);
            Some(child)
        };
        let child =
            if self.parameters.transpositions { self.places.find_or(place, &self.allowance, make)? } else { make()? };
        // A node that came too late stays unused until the tree is copied.
        Some(self.edge(edge).set_child(word, child))
    }

    /// The transposition key: the position with the part of the history that matters; 0 where the history ends the game, so that the
    /// node belongs to this path alone.
    fn place_of(&self, line: &Line<P>) -> u64 {
        if self.ended_by_way(line).is_some() {
            return 0;
        }
        let here = line.here();
        // A path key of 0 changes nothing; 0 is kept for nodes without a place.
        here.key().0.wrapping_add(here.path_key(line.past()).wrapping_mul(0x9E37_79B9_7F4A_7C15)).max(1)
    }

    /// The result for the side to move if the way here ends the game.
    fn ended_by_way(&self, line: &Line<P>) -> Option<f32> {
        let outcome = line.ended(self.root.plies)?;
        Some((outcome.score(line.here().side_to_move()) * 2.0 - 1.0) as f32)
    }

    /// The result for the side to move if the game is over at the end of `line`, and what of it is proven.
    fn ended(&self, line: &Line<P>, has_no_moves: bool, id: u32) -> Option<(f32, Proof)> {
        let here = line.here();
        let mover = here.side_to_move();
        let value = |outcome: Outcome| (outcome.score(mover) * 2.0 - 1.0) as f32;
        let of = |outcome: Outcome| {
            let proof = match outcome.winner {
                None => Proof::Draw(0),
                Some(winner) if winner == mover => Proof::Win(0),
                Some(_) => Proof::Loss(0),
            };
            (value(outcome), proof)
        };
        if has_no_moves {
            return Some(of(here.no_legal_moves()));
        }
        if id == 0 {
            return None;
        }
        // What hangs on the way proves nothing about nodes that several ways lead to.
        if !self.parameters.transpositions
            && let Some(outcome) = line.ended(line.len())
        {
            return Some(of(outcome));
        }
        // A return to the path ends the search here, but once the root has moved on it proves nothing.
        if let Some(outcome) = line.ended(self.root.plies) {
            return Some((value(outcome), Proof::Unknown));
        }
        let claim = here.claim().filter(|o| o.winner != Some(!mover))?;
        // The claim is made instead of a move, one ply on.
        Some(if claim.winner.is_some() { (1.0, Proof::Win(1)) } else { (0.0, Proof::Unknown) })
    }
}

/// The budget and the counts.
impl<P: Position> Tree<P> {
    /// Lets `playouts` more begin from now on; all that come if `None`.
    pub fn set_budget(&self, playouts: Option<u64>) {
        self.budget.store(playouts.unwrap_or(u64::MAX), Relaxed);
    }

    /// Playouts that may still begin; `None` without a limit.
    pub fn budget_left(&self) -> Option<u64> {
        Some(self.budget.load(Relaxed)).filter(|&left| left != u64::MAX)
    }

    /// Begins a search: counts playouts and depths from 0.
    pub(super) fn begin(&self, playouts: Option<u64>) {
        self.set_budget(playouts);
        self.playouts.store(0, Relaxed);
        self.depth_sum.store(0, Relaxed);
        self.depth_max.store(0, Relaxed);
    }

    /// Goes on with the search of `other`.
    pub(super) fn go_on(&self, other: &Tree<P>) {
        self.set_budget(other.budget_left());
        self.playouts.store(other.playouts(), Relaxed);
        self.depth_sum.store(other.depth_sum.load(Relaxed), Relaxed);
        self.depth_max.store(other.depth_max.load(Relaxed), Relaxed);
    }

    /// Whether the moves of the root are known.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.node(0).edges(), Edges::Open(_))
    }

    /// Whether the result at the root is known.
    pub(super) fn is_proven(&self) -> bool {
        self.node(0).proof() != Proof::Unknown
    }

    fn draw(&self) -> bool {
        // The largest number means no limit and stays.
        let less = |left: u64| if left == u64::MAX { Some(left) } else { left.checked_sub(1) };
        self.budget.fetch_update(AcqRel, Relaxed, less).is_ok()
    }

    /// Gives a playout back that came to nothing.
    pub(super) fn give_back(&self) {
        let more = |left: u64| (left != u64::MAX).then(|| left + 1);
        let _ = self.budget.fetch_update(AcqRel, Relaxed, more);
    }

    /// Notes the length of a playout's path.
    pub(super) fn note_depth(&self, plies: usize) {
        self.playouts.fetch_add(1, Relaxed);
        self.depth_sum.fetch_add(plies as u64, Relaxed);
        self.depth_max.fetch_max(plies as u32, Relaxed);
    }

    pub(super) fn is_restricted(&self) -> bool {
        self.restricted.load(Relaxed)
    }

    pub(super) fn restrict(&self, restricted: bool) {
        self.restricted.store(restricted, Relaxed);
    }

    pub(super) fn note_full(&self) {
        self.is_full.store(true, Relaxed);
    }

    /// Playouts since this tree was made; visits that were kept from an earlier one not counted.
    pub fn playouts(&self) -> u64 {
        self.playouts.load(Relaxed)
    }

    /// Mean and greatest length of the playouts' paths, in plies.
    pub fn depths(&self) -> (u32, u32) {
        // Before the first playout there is no mean.
        let mean = self.depth_sum.load(Relaxed).checked_div(self.playouts()).unwrap_or(0);
        (mean as u32, self.depth_max.load(Relaxed))
    }

    /// Visits of the root, those kept from an earlier tree included.
    pub fn visits(&self) -> u64 {
        u64::from(self.node(0).visits())
    }

    /// Visits under way in the whole tree: 0 when no ticket is out.
    pub fn in_flight(&self) -> u64 {
        let (mut sum, mut todo) = (0, vec![0]);
        let mut seen = HashSet::new();
        while let Some(id) = todo.pop() {
            // Without transpositions every node has one parent and is met once.
            if self.parameters.transpositions && !seen.insert(id) {
                continue;
            }
            sum += u64::from(self.node(id).in_flight());
            todo.extend(self.children_of(id));
        }
        sum
    }

    /// Whether memory ended its growth.
    pub fn is_cramped(&self) -> bool {
        self.is_full.load(Relaxed)
    }

    /// Root moves that were selected because chance kicked them, packed, and how often: not for learning.
    pub fn kicked(&self) -> Vec<(u16, u32)> {
        self.kicked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bytes in use, and the most there may be.
    pub fn memory(&self) -> (usize, usize) {
        (self.allowance.used(), self.allowance.limit())
    }

    /// The expected result for the side to move at the root, in -1..=1.
    pub fn value(&self) -> f32 {
        -self.node(0).mean().unwrap_or(0.0)
    }
}

/// The parts, for the other files.
impl<P: Position> Tree<P> {
    pub(super) fn seed_kicks(&self, seed: u64) {
        self.kick_seed.store(seed, Relaxed);
    }

    /// The kicks of the root's selection after `visits`, where there are any.
    pub(super) fn kicks(&self, visits: u64) -> Option<Kicks> {
        let chance = self.parameters.noise_kick;
        (chance > 0.0).then(|| Kicks::new(chance, self.kick_seed.load(Relaxed), visits))
    }

    pub(super) fn note_kicked(&self, mv: u16) {
        let mut kicked = self.kicked.lock().unwrap_or_else(PoisonError::into_inner);
        match kicked.iter_mut().find(|(known, _)| *known == mv) {
            Some((_, count)) => *count += 1,
            None => kicked.push((mv, 1)),
        }
    }

    pub(super) fn node(&self, id: u32) -> &Node {
        self.nodes.at(id)
    }

    pub(super) fn selection(&self) -> &Selection {
        &self.selection
    }

    pub(super) fn edges_of(&self, block: Block) -> &[Edge] {
        self.edges.slice(block.first, usize::from(block.len))
    }

    pub(super) fn edge(&self, number: u32) -> &Edge {
        self.edges.at(number)
    }

    /// The visits of an edge; where each node has one parent, those of its child.
    pub(super) fn visits_of(&self, number: u32, child: &Node) -> u32 {
        if self.parameters.transpositions { self.places.visits_of(number) } else { child.visits() }
    }

    pub(super) fn rave_of(&self, block: Block, i: usize) -> &Rave {
        self.raves.at(block.first + i as u32)
    }

    /// The node that an edge leads to, if it was ever visited.
    pub(super) fn child(&self, word: EdgeWord) -> Option<&Node> {
        (word.child() != 0).then(|| self.node(word.child()))
    }

    /// The children of a node that were ever visited.
    pub(super) fn children_of(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let edges = match self.node(id).edges() {
            Edges::Open(block) => self.edges_of(block),
            _ => &[],
        };
        edges.iter().map(|edge| edge.load().child()).filter(|&child| child != 0)
    }

    /// Room for edges, and for what belongs to them.
    pub(super) fn take_edges(&self, len: usize) -> Option<u32> {
        let first = self.edges.take(len, &self.allowance)?;
        if self.selection.uses_rave() {
            self.raves.reach(first, &self.allowance)?;
        }
        if self.parameters.transpositions {
            self.places.reach_edges(first, &self.allowance)?;
        }
        Some(first)
    }

    /// Whether there is a node with this number.
    pub(super) fn has_node(&self, id: u32) -> bool {
        self.nodes.has(id)
    }

    pub(super) fn allowance(&self) -> &Allowance {
        &self.allowance
    }

    pub(super) fn take_node(&self) -> Option<u32> {
        self.nodes.take(1, &self.allowance)
    }

    pub(super) fn root_position(&self) -> &P {
        &self.root.here
    }

    pub(super) fn root_plies(&self) -> usize {
        self.root.plies
    }

    pub(super) fn wishes(&self) -> Wishes {
        self.root.wishes.read().map(|w| w.clone()).unwrap_or_default()
    }

    pub(super) fn set_wishes(&self, wishes: Wishes) {
        if let Ok(mut now) = self.root.wishes.write() {
            *now = wishes;
        }
    }
}
