//! Saved trees against bent and large input.

use tesuji_engine::{SavedTree, TreeCopy, TreeNode};
use tesuji_record::{AnyGame, Of, of};
use tesuji_testkit::{
    four::Four,
    fuzz::{Target, run_bytes, run_large, time_for_each},
};

/// The rules of the toy game.
static FOUR: Of<Four> = of(&[]);

const TARGET: Target = |bytes| tesuji_engine::fuzz::saved_tree(&FOUR, bytes);

/// The tree of a game that begins with the moves `line`, with these nodes: parent, move, value.
fn saved(line: &[&str], nodes: &[(Option<u32>, &str, f32)]) -> SavedTree {
    let node = |&(parent, mv, value): &(Option<u32>, &str, f32)| TreeNode {
        parent,
        mv: mv.into(),
        value,
        effort: 12,
        prior: 0.25,
        children: 2,
        note: Some("mate in 7 plies at most".parse().unwrap()),
        key: 0,
    };
    SavedTree {
        game: "four".into(),
        moves: line.iter().map(|mv| mv.to_string()).collect(),
        search: "alpha-beta".into(),
        tree: TreeCopy { nodes: nodes.iter().map(node).collect() },
        ..SavedTree::default()
    }
}

#[test]
fn saved_trees_survive_bent_and_large_input() {
    let moves = moves();
    let (a, b) = (moves[0].as_str(), moves[1].as_str());
    let deep = saved(&[a, b], &[(None, "", 0.5), (Some(0), a, 0.25), (Some(1), b, -0.5), (Some(0), "", 1e-7)]);
    let seeds =
        vec![deep.to_json().unwrap().into_bytes(), saved(&[], &[(None, "", 0.0)]).to_json().unwrap().into_bytes()];
    for seed in &seeds {
        assert!(SavedTree::from_json(&FOUR, std::str::from_utf8(seed).unwrap()).is_ok());
    }
    let bent = run_bytes("engine::saved_tree", TARGET, &seeds, 0x54EE, time_for_each(120));
    let large = run_large("engine::saved_tree", TARGET, &seeds, 0x54EF);
    println!("engine::saved_tree: {bent} inputs, {large} of a megabyte");
    // A tree of a megabyte that is one, as deep as the game, with as many nodes as fit.
    let mut nodes = vec![(None, "", 0.5)];
    nodes.extend((0..5000).map(|_| (Some(0), a, 0.25)));
    let large = saved(&[], &nodes).to_json().unwrap();
    assert!(large.len() > 500_000);
    TARGET(large.as_bytes());
}

/// The moves of the toy game at its start.
fn moves() -> Vec<String> {
    FOUR.table("", None).unwrap().moves()
}

/// The value of the root was not looked at: a tree with one that JSON cannot hold was read, and not written again.
#[test]
fn a_root_without_a_value_is_refused() {
    let text = saved(&[], &[(None, "", 0.5)]).to_json().unwrap().replace("0.5", "1e300");
    TARGET(text.as_bytes());
    let tree = saved(&[], &[(None, "", f32::INFINITY)]);
    assert!(tree.check(&FOUR).unwrap_err().to_string().contains("node 0 has no value"));
}
