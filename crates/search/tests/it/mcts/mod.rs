//! Monte-Carlo tree search on Connect Four.

mod grow;
mod keep;
mod limits;
mod oracles;
mod play;
mod proofs;
mod rules;

use crate::watch::Recorder;
use oracles::Playouts;
use tesuji_game::{Limits, Line, Report, TreeRow, TreeView};
use tesuji_search::{
    Searcher,
    mcts::{EvalOracle, Mcts, Parameters, Tree},
};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

pub type Four = Mcts<FourPosition, EvalOracle<FourPosition, FourEval>>;

/// A searcher with the hand-made evaluation and a small tree.
pub fn searcher() -> Four {
    let mut search = Mcts::new(EvalOracle::new(FourEval::default()));
    search.options().set("Hash", "4").expect("an option");
    search
}

/// A searcher with random playouts.
pub fn roller(parameters: Parameters) -> Mcts<FourPosition, Playouts> {
    let mut search = Mcts::new(Playouts::new(1));
    search.set_parameters(parameters);
    search.options().set("Hash", "8").expect("an option");
    search
}

pub fn think<S: Searcher<FourPosition>>(search: &mut S, line: &Line<FourPosition>, limits: &Limits) -> Report<Drop> {
    search.search(line, limits, &[], &mut Recorder::default())
}

pub fn line_of(columns: &[u8]) -> Line<FourPosition> {
    let mut line = Line::new(FourPosition::default());
    columns.iter().for_each(|&c| line.push(Drop(c)));
    line
}

/// All rows of a tree below `node`, by their moves.
pub fn rows(tree: &Tree<FourPosition>, node: u32) -> Vec<(Vec<u8>, u64, f32, f32)> {
    let mut out = Vec::new();
    let mut todo = vec![(node, Vec::new())];
    while let Some((id, path)) = todo.pop() {
        let row: TreeRow<Drop> = tree.row(id).expect("a node");
        let prior = if id == node { 1.0 } else { row.prior };
        out.push((path.clone(), row.effort, row.value, prior));
        let mut children = Vec::new();
        tree.children(id, &mut children);
        assert_eq!(children.len(), row.children as usize);
        for child in children {
            let mut path = path.clone();
            path.push(child.mv.expect("a move leads there").0);
            todo.push((child.node, path));
        }
    }
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}
