//! Depth-first proof-number search (Nagai 2002) with the threshold controlling algorithm (Kishimoto 2010), a table of
//! boards whose hands tell of each other, and positions that come back kept apart by their path.

use super::children::{Child, Sums};
use super::numbers::{NEVER, NONE, Numbers, next};
use super::parallel::{NOWHERE, Store, virtual_number};
use super::table::{Firsts, Returns};
use super::{Parameters, Settings};
use tesuji_game::{Hand, Key, Mating, Side};

/// Between two questions whether to stop, in nodes.
const ASK_EVERY: u64 = 256;

/// Solves one problem after the other with one memory.
pub(crate) struct Solver<P: Mating> {
    pub table: Store<P::Hand>,
    pub returns: Returns,
    pub firsts: Firsts,
    pub parameters: Parameters,
    pub attacker: Side,
    /// Nodes searched: positions whose moves were looked at.
    pub nodes: u64,
    pub nodes_max: u64,
    pub is_stopped: bool,
    /// The children of all nodes on the path.
    pub children: Vec<Child<P>>,
    /// Room for moves that are looked at and forgotten.
    pub checks: Vec<P::Move>,
    /// Room for siblings and their places.
    pub siblings: Vec<(u32, u16)>,
    /// Nodes on the path, the root first.
    path: Vec<Step<P::Hand>>,
    /// The state of the search in the nodes above the one at hand, the root first.
    above: Vec<Above<P>>,
    /// The number of boards on the path for each value of their keys' last bits.
    standing: Vec<u16>,
    /// Of what others solved above this worker, as much as it knows of.
    news: u64,
    /// Whether the root is to be solved though its answer is remembered.
    is_again: bool,
    /// The root's check that mates soonest, where one was found.
    mating: Option<P::Move>,
    /// The depth to go back to, where a node was solved by another worker.
    back_to: u16,
}

/// A node while it is searched.
struct Node {
    /// Plies left.
    plies: u16,
    limit: Thresholds,
    /// Whether the attacker moves.
    is_or: bool,
    /// Whether it goes on to a new leaf whatever its numbers say.
    must_go_on: bool,
    /// The first of its children.
    first: usize,
    nodes_before: u64,
    /// Whether none of its children was searched yet.
    is_first: bool,
}

/// A node one of whose children is searched.
struct Above<P: Mating> {
    node: Node,
    /// That child.
    child: usize,
    undo: P::Undo,
}

/// The next step at a node: search a child, or return.
enum Next<H> {
    /// Search this child as far as that.
    Search(usize, Thresholds),
    /// Go back to its parent with these numbers.
    Leave(Numbers<H>),
}

/// A node on the path.
struct Step<H> {
    key: Key,
    hand: H,
    /// All of the path up to here, in one number.
    path: u64,
    /// Plies left there.
    plies: u16,
}

/// Counts of the boards on the path by a part of their keys: most boards are told at once not to be there.
const STANDING: usize = 4096;

/// Thresholds of df-pn: a node is searched until its numbers reach them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Thresholds {
    /// Of the number that is the least of the children's.
    pub least: u32,
    /// Of the number that is the sum of the children's.
    pub sum: u32,
}

impl Thresholds {
    /// Until it is solved.
    pub const SOLVE: Thresholds = Thresholds { least: NEVER, sum: NEVER };
}

/// A path with one more position.
#[inline]
pub(crate) fn followed(path: u64, key: Key) -> u64 {
    // Turned, so that the order of the positions counts; multiplied, so that the key's high bits do, too.
    (path.rotate_left(11) ^ key.0).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl<P: Mating> Solver<P> {
    /// The first of this many workers.
    pub fn new(settings: &Settings, parameters: &Parameters, workers: usize) -> Solver<P> {
        let bytes = settings.hash_mib << 20;
        let table = Store::new(bytes / 16 * 14, parameters.dominance, workers);
        Solver::with_table(table, bytes / workers.max(1), parameters)
    }

    /// A worker with this table; the rest of its memory is a part of `bytes`.
    pub fn with_table(table: Store<P::Hand>, bytes: usize, parameters: &Parameters) -> Solver<P> {
        let mut parameters = parameters.clone();
        // A hand other than a position's own is found by dominance alone.
        parameters.proof_hands &= parameters.dominance;
        parameters.disproof_hands &= parameters.dominance;
        Solver {
            table,
            returns: Returns::new(bytes / 16),
            firsts: Firsts::new(bytes / 16),
            parameters,
            attacker: Side::First,
            nodes: 0,
            nodes_max: u64::MAX,
            is_stopped: false,
            children: Vec::new(),
            checks: Vec::new(),
            siblings: Vec::new(),
            path: Vec::new(),
            above: Vec::new(),
            standing: vec![0; STANDING],
            news: 0,
            is_again: false,
            mating: None,
            back_to: NOWHERE,
        }
    }

    /// Forgets all, for another problem.
    pub fn clear(&mut self) {
        self.table.clear();
        self.begin();
    }

    /// Forgets what is its own, for another problem.
    pub fn begin(&mut self) {
        self.returns.clear();
        self.nodes = 0;
        self.is_stopped = false;
    }

    /// Searches `pos` as a root until it is solved or `stop` says so. `plies`: how far at most.
    pub fn solve(&mut self, pos: &mut P, plies: u16, stop: &mut dyn FnMut(u64) -> bool) -> Numbers<P::Hand> {
        let is_or = pos.side_to_move() == self.attacker;
        let numbers = match self.table.look(pos.board_key(), pos.hand(self.attacker), plies) {
            Ok(found) => found.numbers,
            Err(bounds) => bounds.raise(self.first_numbers(pos, plies, is_or)),
        };
        self.solve_from(numbers, pos, plies, stop)
    }

    /// A check that mates within `plies`, and within how many then, in a position whose answer is remembered while what it rests
    /// on was forgotten. (It may be forgotten again at once: what took little work makes room first.) `None` where it was stopped.
    pub fn solve_again(
        &mut self,
        pos: &mut P,
        plies: u16,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<(P::Move, u16)> {
        // As if nothing were known: the entry of the root itself must not answer.
        let open = Numbers::open(1, 1, pos.hand(self.attacker));
        self.mating = None;
        self.is_again = true;
        let numbers = self.solve_from(open, pos, plies, stop);
        self.is_again = false;
        self.mating.filter(|_| numbers.is_proved()).map(|mv| (mv, numbers.plies))
    }

    fn solve_from(
        &mut self,
        mut numbers: Numbers<P::Hand>,
        pos: &mut P,
        plies: u16,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Numbers<P::Hand> {
        self.path.clear();
        self.standing.fill(0);
        self.children.clear();
        self.back_to = NOWHERE;
        let mut grows = false;
        while !numbers.is_solved() && !self.must_stop(stop) {
            numbers = self.search_root(pos, plies, &mut grows, stop);
        }
        numbers
    }

    /// Solves as one of several workers: the first to finish ends the work of all.
    pub fn solve_together(&mut self, pos: &mut P, plies: u16, stop: &mut dyn FnMut(u64) -> bool) -> Numbers<P::Hand> {
        self.is_stopped = false;
        let numbers = self.solve(pos, plies, stop);
        if let Some(parallel) = self.table.parallel() {
            parallel.finish();
        }
        numbers
    }

    /// Whether this position, reached at the end of the path, stands on it already with at least this hand of the
    /// attacker's; the depth where it does. Then the attacker has gained nothing.
    pub fn returns_to(&self, key: Key, hand: P::Hand) -> Option<u16> {
        if self.standing[key.0 as usize % STANDING] == 0 {
            return None;
        }
        self.path.iter().position(|step| step.key == key && step.hand.covers(hand)).map(|depth| depth as u16)
    }

    /// The path up to `key` as a child of its last node.
    pub fn path_to(&self, key: Key) -> u64 {
        followed(self.path_here(), key)
    }

    /// The path to its last node.
    pub fn path_here(&self) -> u64 {
        self.path.last().map_or(0, |step| step.path)
    }

    /// Nodes on the path.
    pub fn depth(&self) -> u16 {
        self.path.len() as u16
    }

    fn enter(&mut self, pos: &P, plies: u16) {
        if let Some(parallel) = self.table.parallel() {
            parallel.enter(pos.key());
        }
        let (key, hand) = (pos.board_key(), pos.hand(self.attacker));
        let path = self.path_to(pos.key());
        // A counting filter of the keys on the path: most positions are shown to be new without walking it.
        self.standing[key.0 as usize % STANDING] += 1;
        self.path.push(Step { key, hand, path, plies });
    }

    fn leave(&mut self) {
        if let Some(step) = self.path.pop() {
            self.standing[step.key.0 as usize % STANDING] -= 1;
        }
    }

    /// Searches the root until it is solved or the search must stop. The nodes above the one at hand lie in a list and not on
    /// the call stack: a mate may be two thousand plies long, and a thread that knows nothing of mates has no stack for that.
    ///
    /// `grows`: from a node one of whose children is old until a new leaf is found, thresholds give way, since numbers that
    /// stand still around a circle would never pass them.
    fn search_root(
        &mut self,
        pos: &mut P,
        plies: u16,
        grows: &mut bool,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Numbers<P::Hand> {
        self.above.clear();
        let mut node = self.open_node(pos, plies, Thresholds::SOLVE, Some(0), grows);
        loop {
            match self.next_step(pos, &mut node, *grows, stop) {
                Next::Search(child, limit) => {
                    let (mv, seen_at) = (self.children[child].mv, self.children[child].seen_at);
                    let undo = pos.play_seen(mv, |_| ());
                    let below = self.open_node(pos, node.plies.saturating_sub(1), limit, seen_at, grows);
                    self.above.push(Above { node: std::mem::replace(&mut node, below), child, undo });
                }
                Next::Leave(numbers) => {
                    let numbers = self.close_node(pos, &node, numbers);
                    let Some(Above { node: parent, child: index, undo }) = self.above.pop() else { return numbers };
                    pos.undo(self.children[index].mv, undo);
                    let depth = self.depth();
                    let child = &mut self.children[index];
                    (child.numbers, child.seen_at) = (numbers, child.seen_at.or(Some(depth)));
                    self.has_left(index);
                    node = parent;
                }
            }
        }
    }

    /// Begins with a node: puts it on the path and looks at its moves. `seen_at`: the least depth at which it was reached before.
    fn open_node(
        &mut self,
        pos: &mut P,
        plies: u16,
        limit: Thresholds,
        seen_at: Option<u16>,
        grows: &mut bool,
    ) -> Node {
        let is_or = pos.side_to_move() == self.attacker;
        let (depth, nodes_before, first) = (self.depth(), self.nodes, self.children.len());
        self.nodes += 1;
        self.enter(pos, plies);
        let has_old = self.expand(pos, plies, is_or, seen_at.map_or(depth, |seen_at| seen_at.min(depth)));
        *grows = (*grows && seen_at.is_some()) || has_old;
        // Where another worker holds the numbers up, each goes on to a new leaf all the same, lest they wait for each other.
        let must_go_on = self.table.parallel().is_some() && seen_at.is_some();
        Node { plies, limit, is_or, must_go_on, first, nodes_before, is_first: true }
    }

    /// The next step at a node: search a child, or return since its numbers have reached the thresholds.
    fn next_step(&mut self, pos: &P, node: &mut Node, grows: bool, stop: &mut dyn FnMut(u64) -> bool) -> Next<P::Hand> {
        let depth = self.depth() - 1;
        if self.table.parallel().is_some() {
            if let Some(found) = self.solved_meanwhile(depth) {
                return Next::Leave(found);
            }
            self.refresh(node.first, node.plies.saturating_sub(1));
        }
        let sums = self.sums(node.first, node.is_or);
        if sums.is_solved() {
            if depth == 0 {
                self.mating = self.mating_child(node.first).map(|child| child.mv);
            }
            return Next::Leave(self.solved(pos, node.first, node.is_or));
        }
        let limit = &mut node.limit;
        if (grows || node.must_go_on) && node.is_first {
            limit.least = limit.least.max(sums.least.saturating_add(1)).min(NEVER);
            limit.sum = limit.sum.max(sums.sum.saturating_add(1)).min(NEVER);
        }
        let limit = node.limit;
        let reach = self.reach(limit.least, &sums, pos.key(), node.is_first && node.must_go_on);
        if sums.least >= reach || sums.sum >= limit.sum || self.back_to < depth || self.must_stop(stop) {
            return Next::Leave(sums.open(node.is_or, pos.hand(self.attacker)));
        }
        node.is_first = false;
        Next::Search(sums.best, self.limit_below(&sums, limit, reach, node.is_or))
    }

    /// Takes a node from the path, and remembers its numbers.
    fn close_node(&mut self, pos: &P, node: &Node, numbers: Numbers<P::Hand>) -> Numbers<P::Hand> {
        self.children.truncate(node.first);
        self.leave();
        let (key, full, depth) = (pos.board_key(), pos.key(), self.depth());
        let numbers = self.remember(key, full, numbers, depth, (self.nodes - node.nodes_before) as u32);
        if let Some(parallel) = self.table.parallel() {
            parallel.leave(full, numbers.is_solved());
        }
        numbers
    }

    /// Thresholds of the most promising child: it is searched until another one is more promising, or its parent reaches its own.
    /// The number that the parent sums over its children is the one that the child minimises over its own, and the other way round.
    fn limit_below(&self, sums: &Sums, limit: Thresholds, reach: u32, is_or: bool) -> Thresholds {
        let child = &self.children[sums.best];
        let now = child.parts(is_or).0;
        // A little more than needed, lest the search jumps to and fro (Pawlewicz and Lew 2007).
        let widened = sums.second.saturating_add(sums.second / 3).saturating_add(1);
        let second = if self.parameters.widen { widened } else { sums.second.saturating_add(1) };
        let least = limit.sum.saturating_sub(sums.rest).min(NEVER);
        // Numbers that look greater for the sake of others are told to those who go on alone only.
        let others = self.table.parallel().map_or(0, |parallel| parallel.at(child.after.1).0);
        let most = if others == 0 { reach } else { limit.least };
        let sum = most.min(second / (others + 1)).max(now.saturating_add(1));
        Thresholds { least, sum: sum.min(NEVER) }
    }

    /// The limit of the least number as it looks to one of several workers here. Who must go on goes one step at
    /// least.
    fn reach(&self, limit: u32, sums: &Sums, full: Key, must_go_on: bool) -> u32 {
        let Some(parallel) = self.table.parallel() else { return limit };
        let reach = virtual_number(limit, parallel.at(full).0.saturating_sub(1));
        if must_go_on { reach.max(sums.least.saturating_add(1)) } else { reach }
    }

    /// The numbers of the node at this depth, where another worker has solved it meanwhile. Workers below such a node return to it.
    fn solved_meanwhile(&mut self, depth: u16) -> Option<Numbers<P::Hand>> {
        let known = |table: &Store<P::Hand>, step: &Step<P::Hand>| {
            let found = table.look(step.key, step.hand, step.plies).ok()?.numbers;
            found.is_solved().then_some(found)
        };
        let news = self.table.parallel()?.news();
        if news != self.news {
            self.news = news;
            let mut steps = self.path.iter().enumerate().skip(usize::from(self.is_again));
            let solved = steps.find(|(_, step)| known(&self.table, step).is_some());
            self.back_to = solved.map_or(NOWHERE, |(depth, _)| depth as u16);
        }
        if self.back_to != depth {
            return None;
        }
        self.back_to = NOWHERE;
        known(&self.table, &self.path[usize::from(depth)])
    }

    fn must_stop(&mut self, stop: &mut dyn FnMut(u64) -> bool) -> bool {
        if let Some(parallel) = self.table.parallel() {
            let asks = self.nodes.is_multiple_of(ASK_EVERY);
            let is_over = parallel.is_over() || asks && stop(parallel.nodes()) || !parallel.takes_node(self.nodes_max);
            self.is_stopped |= is_over;
        } else if self.nodes >= self.nodes_max || self.nodes.is_multiple_of(ASK_EVERY) && stop(self.nodes) {
            self.is_stopped = true;
        }
        self.is_stopped
    }

    /// The child from `first` on that is proved to be mated soonest.
    fn mating_child(&self, first: usize) -> Option<&Child<P>> {
        self.children[first..].iter().filter(|c| c.numbers.is_proved()).min_by_key(|c| c.numbers.plies)
    }

    /// The numbers of a node whose children decide it.
    fn solved(&self, pos: &P, first: usize, is_or: bool) -> Numbers<P::Hand> {
        let children = &self.children[first..];
        let hand = pos.hand(self.attacker);
        if is_or {
            if let Some(child) = self.mating_child(first) {
                let least =
                    if self.parameters.proof_hands { pos.hand_before(child.mv, child.numbers.hand) } else { hand };
                return Numbers::proved(least, next(child.numbers.plies));
            }
            let plies = children.iter().map(|c| next(c.numbers.plies)).min().unwrap_or(NONE);
            let rests_on = children.iter().map(|c| c.numbers.rests_on).min().unwrap_or(NONE);
            return Numbers::disproved(self.greatest_hand(pos, children, is_or), plies, rests_on);
        }
        let refutations = children.iter().filter(|c| c.numbers.is_disproved());
        // The one that rests on nothing and reaches furthest tells most.
        if let Some(child) = refutations.max_by_key(|c| (c.numbers.rests_on, c.numbers.plies)) {
            let hand = self.greatest_hand(pos, std::slice::from_ref(child), is_or);
            return Numbers::disproved(hand, next(child.numbers.plies), child.numbers.rests_on);
        }
        if children.is_empty() {
            return self.no_legal_moves(pos);
        }
        // The defender chooses the longest way.
        let plies = children.iter().map(|c| next(c.numbers.plies)).max().unwrap_or(0);
        let least = if self.parameters.proof_hands { self.least_hand(pos, children) } else { hand };
        Numbers::proved(least, plies)
    }

    /// A defender without moves: mated, unless the rules say otherwise.
    pub fn no_legal_moves(&self, pos: &P) -> Numbers<P::Hand> {
        let hand = pos.hand(self.attacker);
        if pos.no_legal_moves().winner == Some(self.attacker) {
            let least = if self.parameters.proof_hands {
                pos.hand_unblockable(self.attacker, P::Hand::default())
            } else {
                hand
            };
            Numbers::proved(least, 0)
        } else {
            Numbers::disproved(hand, NONE, NONE)
        }
    }

    /// The least hand with which the attacker mates against all answers, with the pieces that the defender must not own.
    fn least_hand(&self, pos: &P, children: &[Child<P>]) -> P::Hand {
        let all = children.iter().fold(P::Hand::default(), |hand, child| hand.join(child.numbers.hand));
        pos.hand_unblockable(self.attacker, all)
    }

    /// With how much at most the attacker has no mate all the same.
    fn greatest_hand(&self, pos: &P, children: &[Child<P>], is_or: bool) -> P::Hand {
        let hand = pos.hand(self.attacker);
        if !self.parameters.disproof_hands {
            return hand;
        }
        let before = children.iter().map(|child| match is_or {
            true => pos.hand_before(child.mv, child.numbers.hand),
            false => pos.hand_answered(self.attacker, child.mv, child.numbers.hand),
        });
        let all = before.reduce(Hand::meet);
        if is_or { pos.hand_uncheckable(all.unwrap_or(P::Hand::full())) } else { all.unwrap_or(hand) }
    }

    /// Remembers the numbers of a node that is left, and returns them as the parent must see them.
    fn remember(
        &mut self,
        key: Key,
        full: Key,
        mut numbers: Numbers<P::Hand>,
        depth: u16,
        work: u32,
    ) -> Numbers<P::Hand> {
        if numbers.is_disproved() && numbers.rests_on != NONE {
            if numbers.rests_on < depth && self.parameters.loops {
                let path = self.path_to(full);
                self.returns.store(path, numbers.plies, numbers.rests_on);
                return numbers;
            }
            // It rests on this position or on later ones only: the attacker cannot win by going round.
            numbers.rests_on = NONE;
        }
        self.table.store(key, &numbers, depth, work);
        numbers
    }
}
