//! Search trees as indented lines, and as graphs for Graphviz.

use std::fmt::Write as _;
use tesuji_engine::SavedTree;
use tesuji_engine::{TreeCopy, TreeNode};

fn name(node: &TreeNode) -> &str {
    match (node.parent, node.mv.as_str()) {
        (None, _) => "root",
        (_, "") => "null move",
        (_, mv) => mv,
    }
}

/// One line a node, children below their parent, in the search's order.
pub fn text(saved: &SavedTree) -> String {
    let tree = &saved.tree;
    let below = tree.children();
    let mut out = format!("{} by {}, {} nodes shown\n", saved.game, saved.search, tree.nodes.len());
    let mut todo = vec![(0u32, 0usize)];
    while let Some((id, plies)) = todo.pop() {
        let node = &tree.nodes[id as usize];
        let label = format!("{}{}", "  ".repeat(plies), name(node));
        let prior = if node.prior > 0.0 && plies > 0 { format!("  prior {:.3}", node.prior) } else { String::new() };
        let note = node.note.map_or_else(String::new, |note| format!("  {note}"));
        let _ = writeln!(out, "{label:16} {:+.3} {:>9}{prior}{note}", node.value, node.effort);
        let children = &below[id as usize];
        let hidden = (node.children as usize).saturating_sub(children.len());
        if hidden > 0 && !children.is_empty() {
            let _ = writeln!(out, "{}({hidden} of {} not shown)", "  ".repeat(plies + 1), node.children);
        }
        todo.extend(children.iter().rev().map(|&child| (child, plies + 1)));
    }
    out
}

/// A Graphviz graph.
pub fn graphviz(tree: &TreeCopy) -> String {
    let mut out = "digraph tree {\n  node [shape=box, fontname=\"monospace\"];\n".to_string();
    for (id, node) in tree.nodes.iter().enumerate() {
        let label = format!("{}\n{:+.3}\n{}", name(node), node.value, node.effort);
        let _ = writeln!(
            out,
            "  n{id} [label={label:?}, tooltip={:?}];",
            node.note.map_or_else(String::new, |note| note.to_string())
        );
        if let Some(parent) = node.parent {
            let _ = writeln!(out, "  n{parent} -> n{id};");
        }
    }
    out + "}\n"
}
