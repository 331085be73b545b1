//! Reading a tree: root moves with principal variations, the move to play, rows for viewers, and Graphviz output.

use super::{
    math::{exp, ln},
    node::{Edge, EdgeWord, Edges, Node, Proof},
    tree::Tree,
};
use std::{collections::HashSet, fmt};
use tesuji_game::{Bound, Candidate, Position, Random, TreeRow, TreeView, Value};

/// A move at the root, as the choice among them sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootMove<M> {
    /// The move.
    pub mv: M,
    /// Visits, those kept from earlier searches included.
    pub visits: u64,
    /// Expected result for the side to move at the root, in -1..=1; that of the root before the first visit.
    pub value: f32,
    /// The prior, in 0..=1.
    pub prior: f32,
    /// Plies to a proven win if positive, to a proven loss if zero or negative; `None` otherwise, also for draws.
    pub mate_plies: Option<i32>,
    rank: i8,
    node: u32,
}

/// The rank of a child by proof for the side to move at its parent: wins first, proven losses last.
fn rank(proof: Proof) -> i8 {
    match proof {
        Proof::Loss(_) => 1,
        Proof::Win(_) => -1,
        _ => 0,
    }
}

impl<P: Position> Tree<P> {
    /// The wanted root moves, the best to play first: proven wins (the shortest first), then by `parameters.choose`, proven losses last.
    pub fn root_moves(&self) -> Vec<RootMove<P::Move>> {
        let Edges::Open(block) = self.node(0).edges() else { return Vec::new() };
        let here = self.root_position();
        let words = (block.first..).zip(self.edges_of(block).iter().map(Edge::load));
        let words = words.filter(|(_, word)| !word.is_barred());
        let of = |(edge, word): (u32, EdgeWord)| {
            let mv = here.unpack(word.mv())?;
            let child = self.child(word);
            let proof = child.map_or(Proof::Unknown, Node::proof);
            let mate_plies = match proof {
                Proof::Loss(plies) => Some(plies as i32 + 1),
                Proof::Win(plies) => Some(-(plies as i32 + 1)),
                _ => None,
            };
            let visits = child.map_or(0, |c| u64::from(self.visits_of(edge, c)));
            let value = child.and_then(Node::mean).unwrap_or(self.value());
            Some(RootMove { mv, visits, value, prior: word.prior(), mate_plies, rank: rank(proof), node: word.child() })
        };
        let mut moves: Vec<_> = words.filter_map(of).collect();
        let key = |m: &RootMove<P::Move>| self.merit(m);
        // Stable: of equals the one with the higher prior stays ahead.
        moves.sort_by(|a, b| {
            let ((ra, ka, va), (rb, kb, vb)) = (key(a), key(b));
            rb.cmp(&ra).then(kb.total_cmp(&ka)).then(vb.total_cmp(&va))
        });
        moves
    }

    /// The sort key of root moves.
    fn merit(&self, m: &RootMove<P::Move>) -> (i8, f64, f64) {
        if m.rank != 0 {
            // Win soon, lose late.
            return (m.rank, -f64::from(m.mate_plies.unwrap_or(0)), 0.0);
        }
        let (visits, value) = (m.visits as f64, f64::from(m.value));
        let unvisited = if m.visits == 0 { -2.0 } else { value };
        match self.parameters.choose.as_str() {
            "value" => (0, unvisited, visits),
            // Two deviations below the mean of results in -1..=1.
            "bound" => (
                0,
                // Below every bound, and a floor of the variance for moves with few visits.
                if m.visits == 0 { -9.0 } else { value - 2.0 * ((1.0 - value * value).max(0.05) / visits).sqrt() },
                visits,
            ),
            _ => (0, visits, unvisited),
        }
    }

    /// The best lines, as a report shows them.
    pub fn candidates(&self, count: usize) -> Vec<Candidate<P::Move>> {
        let candidate = |m: &RootMove<P::Move>| Candidate {
            pv: self.line_from(m),
            value: match m.mate_plies {
                Some(plies) if plies > 0 => Value::mate_in(plies),
                Some(plies) => Value::mated_in(-plies),
                None => to_value(m.value, self.parameters.scale_cp),
            },
            bound: Bound::Exact,
            wdl: None,
            visits: m.visits,
            prior: m.prior,
            expected: Some(m.mate_plies.map_or(m.value, |plies| if plies > 0 { 1.0 } else { -1.0 })),
            margin: None,
        };
        self.root_moves().iter().take(count).map(candidate).collect()
    }

    /// The line that the tree expects after a root move.
    fn line_from(&self, first: &RootMove<P::Move>) -> Vec<P::Move> {
        let mut pos = self.root_position().clone();
        let mut line = vec![first.mv];
        pos.play(first.mv);
        let mut id = first.node;
        // Ways of transpositions may lead back to where they were.
        let mut seen = HashSet::new();
        while id != 0
            && seen.insert(id)
            && let Some(word) = self.favourite(id)
            && let Some(mv) = pos.unpack(word.mv())
        {
            line.push(mv);
            pos.play(mv);
            id = word.child();
        }
        line
    }

    /// The best visited edge of a node.
    fn favourite(&self, id: u32) -> Option<EdgeWord> {
        let Edges::Open(block) = self.node(id).edges() else { return None };
        let mut best: Option<((i8, i64, u32), EdgeWord)> = None;
        for (edge, word) in (block.first..).zip(self.edges_of(block).iter().map(Edge::load)) {
            let Some(child) = self.child(word) else { continue };
            let visits = self.visits_of(edge, child);
            if visits == 0 {
                continue;
            }
            let plies = match child.proof() {
                Proof::Loss(plies) => -i64::from(plies),
                Proof::Win(plies) => i64::from(plies),
                _ => 0,
            };
            let merit = (rank(child.proof()), plies, visits);
            if best.is_none_or(|(known, _)| merit > known) {
                best = Some((merit, word));
            }
        }
        best.map(|(_, word)| word)
    }

    /// Whether nothing at the root is left to find out: a wanted move is proven to win, or all are proven.
    pub fn is_solved(&self) -> bool {
        let Edges::Open(block) = self.node(0).edges() else { return false };
        let words = self.edges_of(block).iter().map(Edge::load).filter(|word| !word.is_barred());
        let mut all = block.complete;
        for word in words {
            match self.child(word).map_or(Proof::Unknown, Node::proof) {
                Proof::Loss(_) => return true,
                Proof::Unknown => all = false,
                _ => {}
            }
        }
        all
    }

    /// A root move drawn with chances that are its visits to the power of one over `temperature`; the best where there is none to draw.
    /// Moves proven to lose are drawn only if all are.
    pub fn draw_move(&self, temperature: f32, random: &mut Random) -> Option<P::Move> {
        let moves = self.root_moves();
        let best = moves.first()?;
        if temperature <= 0.0 || best.rank > 0 {
            return Some(best.mv);
        }
        let fair: Vec<_> = moves.iter().filter(|m| m.visits > 0 && m.rank == best.rank).collect();
        let most = fair.iter().map(|m| m.visits).max().unwrap_or(1).max(1) as f64;
        let weight = |m: &RootMove<P::Move>| exp(ln(m.visits as f64 / most) / f64::from(temperature));
        let mut rest = random.unit() * fair.iter().map(|m| weight(m)).sum::<f64>();
        for m in &fair {
            rest -= weight(m);
            if rest < 0.0 {
                return Some(m.mv);
            }
        }
        Some(best.mv)
    }
}

/// An expected result as centipawns: `scale_cp` times the logarithm of the odds.
pub(super) fn to_value(expected: f32, scale_cp: f32) -> Value {
    let v = f64::from(expected).clamp(-0.999_999, 0.999_999);
    Value::cp((f64::from(scale_cp) * ln((1.0 + v) / (1.0 - v))).round() as i32)
}

/// Centipawns as an expected result in -1..=1: the inverse of [`to_value`].
pub(crate) fn to_expected(value: Value, scale_cp: f32) -> f32 {
    match value.mate_plies() {
        Some(plies) => {
            if plies > 0 {
                1.0
            } else {
                -1.0
            }
        }
        None => (2.0 / (1.0 + exp(-f64::from(value.raw()) / f64::from(scale_cp))) - 1.0) as f32,
    }
}

/// Trees are read by copies of rows, whatever threads do meanwhile. Node 0 is the root.
impl<P: Position> TreeView<P::Move> for Tree<P> {
    fn row(&self, node: u32) -> Option<TreeRow<P::Move>> {
        if node != 0 && !self.has_node(node) {
            return None;
        }
        let path = self.path_to(node)?;
        let mut pos = self.root_position().clone();
        let mut last = None;
        for word in path {
            let mv = pos.unpack(word.mv())?;
            pos.play(mv);
            last = Some((mv, word.prior()));
        }
        Some(self.row_of(node, last))
    }

    fn children(&self, node: u32, out: &mut Vec<TreeRow<P::Move>>) {
        if node != 0 && !self.has_node(node) {
            return;
        }
        let Some(path) = self.path_to(node) else { return };
        let mut pos = self.root_position().clone();
        for word in path {
            let Some(mv) = pos.unpack(word.mv()) else { return };
            pos.play(mv);
        }
        let Edges::Open(block) = self.node(node).edges() else { return };
        for word in self.edges_of(block).iter().map(Edge::load) {
            if word.child() != 0
                && let Some(mv) = pos.unpack(word.mv())
            {
                out.push(self.row_of(word.child(), Some((mv, word.prior()))));
            }
        }
    }
}

impl<P: Position> Tree<P> {
    /// The edges from the root to a node; `None` for a node that hangs nowhere.
    fn path_to(&self, node: u32) -> Option<Vec<EdgeWord>> {
        let mut path = Vec::new();
        let mut id = node;
        while id != 0 {
            let parent = self.node(id).parent();
            let Edges::Open(block) = self.node(parent).edges() else { return None };
            path.push(self.edges_of(block).iter().map(Edge::load).find(|word| word.child() == id)?);
            id = parent;
        }
        path.reverse();
        Some(path)
    }

    fn row_of(&self, id: u32, last: Option<(P::Move, f32)>) -> TreeRow<P::Move> {
        let node = self.node(id);
        let (mv, prior) = last.map_or((None, 1.0), |(mv, prior)| (Some(mv), prior));
        TreeRow {
            node: id,
            mv,
            // Sum and visits are read one after the other while others count: the mean may stand beyond a win.
            value: node.mean().unwrap_or(0.0).clamp(-1.0, 1.0),
            effort: u64::from(node.visits()),
            prior,
            children: self.children_of(id).count() as u32,
        }
    }
}

/// Writes the nodes of a tree with at least `effort_min` visits, at most `depth_max` plies deep, as a Graphviz graph.
/// `name` writes a move.
///
/// # Errors
/// When `out` fails.
pub fn write_dot<M: Copy>(
    tree: &dyn TreeView<M>,
    effort_min: u64,
    depth_max: usize,
    name: &dyn Fn(M) -> String,
    out: &mut dyn fmt::Write,
) -> fmt::Result {
    writeln!(out, "digraph tree {{\n  node [shape=box];")?;
    let mut todo: Vec<(TreeRow<M>, usize)> = tree.row(0).map(|row| (row, 0)).into_iter().collect();
    let mut children = Vec::new();
    let mut seen = HashSet::new();
    while let Some((row, depth)) = todo.pop() {
        // With transpositions several edges lead to a node.
        if !seen.insert(row.node) {
            continue;
        }
        let label = row.mv.map_or("root".to_string(), name).replace('\\', "\\\\").replace('"', "\\\"");
        writeln!(out, "  n{} [label=\"{label}\\n{} visits\\n{:+.3}\"];", row.node, row.effort, row.value)?;
        if depth == depth_max {
            continue;
        }
        children.clear();
        tree.children(row.node, &mut children);
        for child in children.iter().filter(|child| child.effort >= effort_min) {
            writeln!(out, "  n{} -> n{} [label=\"{:.3}\"];", row.node, child.node, child.prior)?;
        }
        todo.extend(children.iter().rev().filter(|child| child.effort >= effort_min).map(|&child| (child, depth + 1)));
    }
    writeln!(out, "}}")
}
