//! sgf-parse as a second reader: of trees with every kind of bracket and escape, and of the games that we write.

use super::{round_trips::game, written};
use proptest::prelude::*;
use sgf_parse::{
    SgfNode, SgfProp,
    go::{Move, Prop, parse},
};
use tesuji_game::Random;
use tesuji_go::{Size, Vertex, sgf::SgfTree};

/// Pieces of values that need care.
const PIECES: [&str; 12] = ["\\]", "\\\\", "[", "(", ")", ";", "\n", "é", "\\:", "棋", "x", " "];

/// Appends a tree of random shape, its nodes in `SEPARATORS` of random spaces.
fn write_tree(random: &mut Random, depth: usize, out: &mut String) {
    let blank = |random: &mut Random| ["", "", " ", "\n", "\r\n\t"][random.below(5)];
    for _ in 0..1 + random.below(4) {
        out.push(';');
        out.push_str(blank(random));
        for name in ["B", "W", "C", "XX", "LB", "SoMe"] {
            if random.below(3) > 0 {
                continue;
            }
            out.push_str(name);
            for _ in 0..if name == "XX" { 1 + random.below(3) } else { 1 } {
                out.push_str(blank(random));
                out.push('[');
                match name {
                    "B" | "W" => out.push_str(["dd", "", "as", "sa"][random.below(4)]),
                    "LB" => out.push_str("dd:x"),
                    _ => (0..random.below(5)).for_each(|_| out.push_str(PIECES[random.below(PIECES.len())])),
                }
                out.push(']');
            }
            out.push_str(blank(random));
        }
    }
    if depth > 0 {
        for _ in 0..random.below(4) {
            out.push('(');
            write_tree(random, depth - 1, out);
            out.push(')');
            out.push_str(blank(random));
        }
    }
}

/// The letters of a move.
fn letters(mv: &Move) -> String {
    match mv {
        Move::Pass => String::new(),
        Move::Move(p) => [p.x, p.y].map(|n| (b'a' + n) as char).iter().collect(),
    }
}

/// What both readers make of a property, where sgf-parse keeps it: name and values without backslashes.
fn theirs(prop: &Prop) -> (String, Option<Vec<String>>) {
    let values = match prop {
        Prop::B(mv) | Prop::W(mv) => Some(vec![letters(mv)]),
        Prop::C(text) => Some(vec![text.text.clone()]),
        Prop::Unknown(_, values) | Prop::Invalid(_, values) => Some(values.clone()),
        _ => None,
    };
    (prop.identifier(), values)
}

fn without_escapes(value: &str) -> String {
    let mut escaped = false;
    let keep = |&c: &char| {
        escaped = c == '\\' && !escaped;
        !escaped
    };
    value.chars().filter(keep).collect()
}

/// Compares the nodes from `node` on; the number of the next node of ours.
fn compare(node: &SgfNode<Prop>, tree: &SgfTree, here: u32, parent: u32) -> u32 {
    assert_eq!(tree.parent(here), parent);
    let ours: Vec<_> = tree.properties(here).collect();
    assert_eq!(ours.len(), node.properties().count());
    for (ours, prop) in ours.iter().zip(node.properties()) {
        let (name, values) = theirs(prop);
        assert_eq!(ours.name(), name);
        if let Some(values) = values {
            assert_eq!(ours.values().map(without_escapes).collect::<Vec<_>>(), values, "{name}");
        }
    }
    node.children().fold(here + 1, |next, child| compare(child, tree, next, here))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn both_read_the_same_trees(seed in any::<u64>()) {
        let mut random = Random::new(seed);
        let mut text = String::new();
        for _ in 0..1 + random.below(3) {
            text.push('(');
            write_tree(&mut random, 3, &mut text);
            text.push_str(")\n");
        }
        let ours = SgfTree::read_all(text.as_bytes()).unwrap();
        let theirs = parse(&text).unwrap();
        prop_assert_eq!(ours.len(), theirs.len());
        for (tree, node) in ours.iter().zip(&theirs) {
            prop_assert_eq!(compare(node, tree, 0, 0) as usize, tree.len());
            // Written by us, it is still the same tree.
            let back = parse(&tree.to_string()).unwrap();
            prop_assert_eq!(compare(&back[0], tree, 0, 0) as usize, tree.len());
        }
    }

    #[test]
    fn what_we_write_is_read_with_the_same_moves(seed in any::<u64>()) {
        let game = game(seed);
        let text = written(&game);
        let nodes = parse(&text).unwrap();
        prop_assert_eq!(nodes.len(), 1);
        let size: Size = game.rules.split(' ').next().unwrap().parse().unwrap_or_default();
        let moves: Vec<String> = nodes[0]
            .main_variation()
            .filter_map(|node| match node.get_move()? {
                Prop::B(Move::Move(p)) | Prop::W(Move::Move(p)) => {
                    Vertex::new(p.x as usize, size.height() - 1 - p.y as usize).map(|v| v.to_string())
                }
                _ => Some("pass".into()),
            })
            .collect();
        prop_assert_eq!(moves, game.main_line());
        prop_assert!(nodes[0].validate().is_ok(), "{:?}\n{}", nodes[0].validate(), text);
    }
}
