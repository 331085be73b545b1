//! Growing by hand and by drivers: tickets, threads, many games in one thread.

use super::{line_of, oracles::Playouts, rows, think};
use crate::watch::nodes;
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering::Relaxed},
};
use tesuji_game::{Line, Oracle, Query, Random, TreeView};
use tesuji_search::{
    Searcher,
    mcts::{BatchedTree, Mcts, Parameters, Selected, Tree, grow_all, write_dot},
};
use tesuji_testkit::four::FourPosition;

/// Grows a tree by hand, one playout after the other.
fn alone(line: &Line<FourPosition>, parameters: &Parameters, playouts: u64) -> Tree<FourPosition> {
    let tree = Tree::new(line, parameters, 8 << 20);
    let mut query = Query::new(line.clone());
    for _ in 0..playouts {
        if let Selected::Leaf(ticket) = tree.select(line, &mut query) {
            Playouts::new(1).ask(std::slice::from_mut(&mut query)).expect("playouts never fail");
            ticket.backup(&mut query);
        }
    }
    tree
}

/// Tickets that are cancelled, dropped or lost in an error leave nothing behind.
#[test]
fn tickets_leave_no_virtual_loss() {
    let line = line_of(&[]);
    let tree = alone(&line, &Parameters::default(), 50);
    let before = rows(&tree, 0);
    tree.set_budget(Some(9));
    let mut queries: Vec<_> = (0..9).map(|_| Query::new(line.clone())).collect();
    let mut tickets = Vec::new();
    let mut collisions = 0;
    for query in &mut queries {
        match tree.select(&line, query) {
            Selected::Leaf(ticket) => tickets.push(ticket),
            Selected::Collision(ticket) => {
                collisions += 1;
                tickets.push(ticket);
            }
            _ => panic!("an open tree"),
        }
    }
    assert!(matches!(tree.select(&line, &mut Query::new(line.clone())), Selected::Spent));
    assert!(tree.in_flight() > 9 && collisions < 9);
    tickets.drain(..4).for_each(|t| t.cancel());
    drop(tickets);
    assert_eq!((tree.in_flight(), tree.budget_left()), (0, Some(9)));
    let after: Vec<_> = rows(&tree, 0).into_iter().filter(|r| r.1 > 0).collect();
    assert_eq!(after, before);
}

/// Virtual loss sends the tickets of one batch to different leaves.
#[test]
fn batches_spread() {
    let line = line_of(&[]);
    let tree = alone(&line, &Parameters::default(), 200);
    let mut leaves = Vec::new();
    let mut tickets = Vec::new();
    for _ in 0..16 {
        let mut query = Query::new(line.clone());
        if let Selected::Leaf(ticket) = tree.select(&line, &mut query) {
            leaves.push(query.line.moves().collect::<Vec<_>>());
            tickets.push(ticket);
        }
    }
    let found = leaves.len();
    leaves.sort_by_key(|l| l.iter().map(|d| d.0).collect::<Vec<_>>());
    leaves.dedup();
    assert!(leaves.len() == found && found >= 8, "{found} leaves of 16");
}

/// Four threads at one tree: every visit is counted once, at every node.
#[test]
fn threads_count_every_visit() {
    let line = line_of(&[]);
    let mut search = Mcts::new(Playouts::new(5));
    search.set_parameters(Parameters { proofs: false, ..Parameters::default() });
    search.options().set("Threads", "4").expect("an option");
    for batch in ["1", "8"] {
        search.options().set("Batch", batch).expect("an option");
        think(&mut search, &line, &nodes(40_000));
        let tree = search.last_tree().expect("a tree");
        assert_eq!((tree.visits(), tree.in_flight()), (40_000, 0));
        let all = rows(tree, 0);
        for (path, visits, ..) in &all {
            let below: u64 =
                all.iter().filter(|r| r.0.len() == path.len() + 1 && r.0.starts_with(path)).map(|r| r.1).sum();
            // A node's own evaluation, and what its children got; ends of games have visits without children.
            assert!(below == 0 || *visits == below + 1, "{path:?}: {visits} against {below}");
            if path.len() > 3 {
                break;
            }
        }
    }
}

/// Twelve games in one thread, evaluated together, are the twelve games one by one.
#[test]
fn the_batched_driver_is_the_single_one() {
    let lines: Vec<_> = (0..12u8).map(|i| line_of(&[i % 7, (i * 3) % 7, (i * 5 + 1) % 7])).collect();
    let parameters = Parameters::default();
    for batch in [1, 5, 64] {
        let trees: Vec<_> = lines.iter().map(|line| Tree::new(line, &parameters, 8 << 20)).collect();
        trees.iter().for_each(|tree| tree.set_budget(Some(300)));
        let batched: Vec<_> = trees.iter().zip(&lines).map(|(tree, line)| BatchedTree { tree, line }).collect();
        let mut oracle = Playouts { batch, ..Playouts::new(1) };
        grow_all(&batched, 1, &mut oracle, &mut Vec::new()).expect("playouts never fail");
        for (tree, line) in trees.iter().zip(&lines) {
            assert_eq!(rows(tree, 0), rows(&alone(line, &parameters, 300), 0));
        }
        let wide: Vec<_> = lines.iter().map(|line| Tree::new(line, &parameters, 8 << 20)).collect();
        wide.iter().for_each(|tree| tree.set_budget(Some(300)));
        let batched: Vec<_> = wide.iter().zip(&lines).map(|(tree, line)| BatchedTree { tree, line }).collect();
        grow_all(&batched, 4, &mut oracle, &mut Vec::new()).expect("playouts never fail");
        assert!(wide.iter().all(|tree| tree.visits() == 300 && tree.in_flight() == 0));
    }
}

/// Games with themselves, many at a time: noise at the root, moves drawn by lot, trees kept; the same seeds, the same games.
#[test]
fn games_with_themselves_go_by_seed() {
    let play = |seed: u64| {
        let parameters = Parameters { noise: 0.25, ..Parameters::default() };
        let mut lines: Vec<_> = (0..6).map(|_| line_of(&[])).collect();
        let mut trees: Vec<_> = lines.iter().map(|line| Tree::new(line, &parameters, 2 << 20)).collect();
        let mut random = Random::new(seed);
        while lines.iter().any(|line| line.outcome().is_none()) {
            for (i, tree) in trees.iter().enumerate() {
                tree.stir(random.next_u64());
                tree.set_budget(Some(if lines[i].outcome().is_none() { 40 } else { 0 }));
            }
            let batched: Vec<_> = trees.iter().zip(&lines).map(|(tree, line)| BatchedTree { tree, line }).collect();
            grow_all(&batched, 2, &mut Playouts::new(1), &mut Vec::new()).expect("playouts never fail");
            for (line, tree) in lines.iter_mut().zip(&mut trees).filter(|(line, _)| line.outcome().is_none()) {
                assert_eq!(tree.in_flight(), 0);
                line.push(tree.draw_move(1.0, &mut random).expect("a move"));
                *tree = tree.below(line).unwrap_or_else(|| Tree::new(line, &parameters, 2 << 20));
            }
        }
        lines.iter().map(|line| line.moves().map(|mv| mv.0).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    let games = play(1);
    assert_eq!(games, play(1));
    assert_ne!(games, play(2));
    assert!(games.windows(2).all(|w| w[0] != w[1]), "six different games");
}

/// Margin and ownership are the means over evaluations, for the side to move at the root.
#[test]
fn means_are_told() {
    let mut search = Mcts::new(Playouts::new(2));
    search.options().set("Threads", "2").expect("an option");
    think(&mut search, &line_of(&[3]), &nodes(2000));
    let means = search.means();
    assert!(means.scores > 1000 && means.scores == means.ownerships);
    assert_eq!(means.ownership.len(), 7);
    assert!((means.score / 10.0 - means.ownership[0]).abs() < 1e-5);
    let value = f64::from(search.last_tree().expect("a tree").value());
    assert!((means.score / 10.0 - value).abs() < 0.05, "{} against {value}", means.score);
}

/// A tree can be looked at while threads grow it.
#[test]
fn onlookers_see_sound_rows() {
    let mut search = Mcts::new(Playouts::new(3));
    search.options().set("Threads", "2").expect("an option");
    search.options().set("Hash", "1").expect("an option");
    let view = search.tree().expect("a view");
    let over = Arc::new(AtomicBool::new(false));
    let looker = {
        let over = over.clone();
        std::thread::spawn(move || {
            let mut seen = 0;
            while !over.load(Relaxed) {
                let mut children = Vec::new();
                view.children(0, &mut children);
                for child in children {
                    assert!(child.value.abs() <= 1.0 && child.mv.is_some());
                    view.row(child.node);
                    seen += 1;
                }
            }
            seen
        })
    };
    think(&mut search, &line_of(&[]), &nodes(100_000));
    over.store(true, Relaxed);
    assert!(looker.join().expect("no panic") > 0);
}

#[test]
fn trees_can_be_drawn() {
    let tree = alone(&line_of(&[3, 3]), &Parameters::default(), 100);
    let mut text = String::new();
    write_dot(&tree, 5, 2, &|mv| format!("{}\"", mv.0 + 1), &mut text).expect("a string takes all");
    assert!(text.starts_with("digraph tree {") && text.ends_with("}\n"));
    assert!(text.contains("root\\n100 visits") && text.contains("\\\"\\n79 visits"));
    assert_eq!(text.matches("->").count() + 1, text.matches("visits").count());
    assert!(tree.row(1 << 20).is_none() && tree.row(0).is_some_and(|r| r.mv.is_none() && r.effort == 100));
}
