//! Small positions with known best moves, which tree search with playouts must find: life, death and captures.

use super::position;
use tesuji_game::{Line, Side};
use tesuji_go::{BLACK, GoPosition, Small, WHITE};
use tesuji_go_eval::{PlayoutOracle, PlayoutParameters};
use tesuji_search::mcts::{BatchedTree, Parameters, Tree, grow_all};

/// Rows from above, `X` Black, `O` White; who moves; the moves that are right.
struct Problem {
    name: &'static str,
    rules: &'static str,
    rows: &'static [&'static str],
    side: Side,
    best: &'static [&'static str],
}

const PROBLEMS: &[Problem] = &[
    Problem {
        name: "the middle of three kills",
        rules: "7x7 chinese komi -30",
        rows: &[".......", ".......", ".......", "OOOOOO.", "XXXXXO.", "X...XO.", "XXXXXOO"],
        side: WHITE,
        best: &["C2"],
    },
    Problem {
        name: "the middle of three lives",
        rules: "7x7 chinese komi -30",
        rows: &[".......", ".......", ".......", "OOOOOO.", "XXXXXO.", "X...XO.", "XXXXXOO"],
        side: BLACK,
        best: &["C2"],
    },
    Problem {
        name: "the heart of a bulky five kills",
        rules: "7x7 chinese komi -25",
        rows: &[".......", ".......", "OOOOO..", "XXXXOO.", "X..XXO.", "X...XO.", "XXXXXO."],
        side: WHITE,
        best: &["C2"],
    },
    Problem {
        name: "a bulky five lives by its heart or a line of four",
        rules: "7x7 chinese komi -25",
        rows: &[".......", ".......", "OOOOO..", "XXXXOO.", "X..XXO.", "X...XO.", "XXXXXO."],
        side: BLACK,
        best: &["C2", "B2", "C3"],
    },
    Problem {
        name: "a capture saves six stones",
        rules: "9x9 chinese komi 7",
        rows: &[
            ".........",
            "..XX.....",
            ".XOOOX...",
            ".OXXXOX..",
            ".OXXXOX..",
            ".OO.OOX..",
            "...O.....",
            ".........",
            ".........",
        ],
        side: BLACK,
        best: &["E8"],
    },
    Problem {
        name: "a capture kills six stones",
        rules: "9x9 chinese komi 7",
        rows: &[
            ".........",
            "..XX.....",
            ".XOOOX...",
            ".OXXXOX..",
            ".OXXXOX..",
            ".OO.OOX..",
            "...O.....",
            ".........",
            ".........",
        ],
        side: WHITE,
        best: &["D4", "E8"],
    },
];

/// The most visited move of a search by `playouts`.
fn most_visited(pos: GoPosition<Small>, policy: &str, playouts: u64) -> String {
    let line = Line::new(pos);
    let tree = Tree::new(&line, &Parameters::playouts(), 1 << 26);
    tree.set_budget(Some(playouts));
    let mut oracle = PlayoutOracle::new(PlayoutParameters { policy: policy.into(), ..PlayoutParameters::default() });
    grow_all(&[BatchedTree { tree: &tree, line: &line }], 1, &mut oracle, &mut Vec::new()).unwrap();
    tree.root_moves()[0].mv.to_string()
}

#[test]
fn known_moves_are_found() {
    for Problem { name, rules, rows, side, best } in PROBLEMS {
        let found = most_visited(position(rules, rows, *side), "heavy", 2000);
        assert!(best.contains(&found.as_str()), "{name}: {found}");
    }
}
