//! Trees between moves, and trees that were pruned.

use super::{line_of, roller, rows, searcher, think};
use crate::watch::nodes;
use tesuji_game::{Choice, TreeView};
use tesuji_search::{Searcher, mcts::Parameters};
use tesuji_testkit::four::Drop;

/// What is kept below two moves is, row by row, what stood there before.
#[test]
fn reuse_keeps_the_statistics() {
    for rule in ["puct", "rave"] {
        let mut search = roller(Parameters { rule: rule.into(), ..Parameters::default() });
        let mut line = line_of(&[]);
        let report = think(&mut search, &line, &nodes(5000));
        let (first, second) = (report.lines[0].pv[0], report.lines[0].pv[1]);
        let tree = search.last_tree().expect("a tree");
        let child = |node: u32, mv: Drop| {
            let mut out = Vec::new();
            tree.children(node, &mut out);
            out.into_iter().find(|row| row.mv == Some(mv)).expect("a child").node
        };
        let before = rows(tree, child(child(0, first), second));
        line.push(first);
        line.push(second);
        let below = tree.below(&line).expect("it was visited");
        assert_eq!(rows(&below, 0), before);
        assert!(before[0].1 > 300, "{} visits", before[0].1);
        // And a search goes on from there.
        let kept = before[0].1;
        let report = think(&mut search, &line, &nodes(100));
        assert_eq!((report.nodes, search.last_tree().map(|t| t.visits())), (100, Some(kept + 100)));
    }
}

/// Another game, a move taken back, a line never visited: a new tree.
#[test]
fn nothing_is_kept_of_other_lines() {
    let mut search = searcher();
    think(&mut search, &line_of(&[3]), &nodes(1000));
    for other in [&[][..], &[2, 2], &[3, 3, 3, 3, 3, 3]] {
        let line = line_of(other);
        think(&mut search, &line, &nodes(50));
        let tree = search.last_tree().expect("a tree");
        assert_eq!(tree.visits(), 50, "{other:?}");
        think(&mut search, &line_of(&[3]), &nodes(1000));
    }
    search.options().set("TreeReuse", "false").expect("an option");
    think(&mut search, &line_of(&[3]), &nodes(10));
    think(&mut search, &line_of(&[3, 3]), &nodes(10));
    assert_eq!(search.last_tree().map(|t| t.visits()), Some(10));
}

/// The same position again, as a ponder search that was right, goes on with the whole tree.
#[test]
fn the_same_line_goes_on() {
    let mut search = searcher();
    think(&mut search, &line_of(&[3]), &nodes(1000));
    let report = think(&mut search, &line_of(&[3]), &nodes(500));
    assert_eq!((report.nodes, search.last_tree().map(|t| t.visits())), (500, Some(1500)));
}

/// A pruned tree is a part of the tree: the same numbers, the most visited nodes, half the memory.
#[test]
fn pruning_keeps_what_was_visited_most() {
    let mut search = roller(Parameters { proofs: false, ..Parameters::default() });
    let line = line_of(&[]);
    think(&mut search, &line, &nodes(60_000));
    let tree = search.last_tree().expect("a tree");
    let pruned = tree.pruned(&line);
    let (all, kept) = (rows(tree, 0), rows(&pruned, 0));
    let (used, limit) = pruned.memory();
    assert!(used <= limit / 2 + 3 * (64 << 10), "{used} of {limit}");
    assert!(kept.len() <= all.len() && kept.len() > 1000);
    let least = kept.iter().filter(|k| kept.iter().any(|c| c.0.len() == k.0.len() + 1 && c.0.starts_with(&k.0)));
    let least = least.take(200).map(|k| k.1).min().expect("some are open");
    assert!(least > 0);
    for row in kept.iter().step_by(37) {
        let at = all.binary_search_by(|r| r.0.cmp(&row.0)).expect("it was there");
        assert_eq!(&all[at], row);
    }
    assert_eq!((pruned.visits(), pruned.playouts()), (tree.visits(), tree.playouts()));
}

/// A win that is being carried out is not lost again: distances only fall.
#[test]
fn a_proven_win_is_carried_out() {
    let mut search = searcher();
    let mut line = line_of(&[3, 3, 2, 2]);
    let mut distance = i32::MAX;
    while line.outcome().is_none() {
        let report = think(&mut search, &line, &nodes(20_000));
        let plies = report.lines[0].value.mate_plies().expect("it is won");
        assert!(plies > 0 && plies < distance, "{plies} after {distance}");
        distance = plies;
        let Some(Choice::Play(mv)) = report.choice else { panic!("a move") };
        line.push(mv);
        let mut moves = Vec::new();
        line.legal_moves(&mut moves);
        if let Some(&answer) = moves.last() {
            line.push(answer);
        }
    }
}
