//! Trees whose transpositions are one node, under every rule of ko: on small boards a playout soon repeats a position.

use std::collections::HashMap;
use tesuji_game::{Key, Line, Oracle, Position, Query, Random, Side};
use tesuji_go::{GoPosition, Rules, Small, Vertex, score};
use tesuji_go_eval::{Heavy, HeavyParameters, PlayoutOracle, PlayoutParameters, Totals};
use tesuji_search::mcts::{BatchedTree, Parameters, Selected, Tree, grow_all};

type Pos = GoPosition<Small>;

const RULES: [&str; 5] = [
    "koSIMPLEscoreAREAtaxNONEsui0",
    "koPOSITIONALscoreAREAtaxNONEsui0",
    "koSITUATIONALscoreAREAtaxNONEsui1",
    "koPOSITIONALscoreAREAtaxNONEsui1",
    "koSIMPLEscoreTERRITORYtaxSEKIsui0",
];

fn start(rules: &str, side: usize) -> Line<Pos> {
    let rules: Rules = format!("{side}x{side} {rules}").parse().unwrap();
    Line::new(Pos::start(&rules).unwrap())
}

fn grow(tree: &Tree<Pos>, line: &Line<Pos>, playouts: usize, mut seen: impl FnMut(&Line<Pos>)) {
    let mut oracle = PlayoutOracle::new(PlayoutParameters { policy: "light".into(), ..PlayoutParameters::default() });
    let mut batch = [Query::new(line.clone())];
    for _ in 0..playouts {
        let Selected::Leaf(ticket) = tree.select(line, &mut batch[0]) else { continue };
        seen(&batch[0].line);
        oracle.ask(&mut batch).unwrap();
        ticket.backup(&mut batch[0]);
    }
    assert_eq!(tree.in_flight(), 0);
}

/// Replays a way by the rule book: each move must be allowed, and none follow the end.
fn check_way(line: &Line<Pos>) {
    let mut again = Line::new(line.start().clone());
    for mv in line.moves() {
        assert!(again.ended(0).is_none(), "moves after the end");
        let mut legal = Vec::new();
        again.legal_moves(&mut legal);
        assert!(legal.contains(&mv), "{mv:?} is not legal");
        again.push(mv);
    }
}

#[test]
fn every_way_keeps_the_rules() {
    for rules in RULES {
        for rule in ["rave", "puct"] {
            let line = start(rules, 3);
            let parameters = Parameters { transpositions: true, rule: rule.into(), ..Parameters::playouts() };
            let tree = Tree::new(&line, &parameters, 1 << 24);
            grow(&tree, &line, 4000, check_way);
            assert_eq!((tree.visits(), tree.playouts()), (4000, 4000));
            assert!(tree.depths().1 >= 12, "{:?}", tree.depths());
            let best = tree.root_moves().remove(0);
            assert!(best.mv.vertex().is_some(), "the middle is better than a pass");
        }
    }
}

#[test]
fn one_thread_grows_the_same_tree_again() {
    let line = start(RULES[1], 5);
    let parameters = Parameters { transpositions: true, ..Parameters::playouts() };
    let visits = || {
        let tree = Tree::new(&line, &parameters, 1 << 24);
        grow(&tree, &line, 3000, |_| ());
        tree.root_moves().iter().map(|m| (m.mv, m.visits, m.value.to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(visits(), visits());
}

#[test]
fn more_is_known_of_fewer_positions() {
    let leaves = |transpositions| {
        let line = start(RULES[1], 5);
        let tree = Tree::new(&line, &Parameters { transpositions, ..Parameters::playouts() }, 1 << 24);
        let mut times = HashMap::<Key, usize>::new();
        grow(&tree, &line, 3000, |line| *times.entry(line.here().key()).or_default() += 1);
        times.len()
    };
    // Who does not know that he was there before asks for the same position again.
    let (shared, plain) = (leaves(true), leaves(false));
    assert!(shared > plain, "{shared} positions asked for, {plain} without");
}

/// Playouts a move, pairs of games from one opening, and the most plies of a game, in the match below.
const PLAYOUTS: usize = 400;
const PAIRS: u64 = 50;
const PLIES_MAX: usize = 140;

/// A player: its options, and the CPU time it took.
struct Player {
    parameters: Parameters,
    oracle: PlayoutOracle<Small>,
    seconds: f64,
}

impl Player {
    fn new(transpositions: bool) -> Player {
        let parameters = Parameters { transpositions, ..Parameters::playouts() };
        Player { parameters, oracle: PlayoutOracle::new(PlayoutParameters::default()), seconds: 0.0 }
    }

    fn choose(&mut self, line: &Line<Pos>) -> tesuji_go::Move {
        let began = super::speed::cpu_seconds();
        let tree = Tree::new(line, &self.parameters, 1 << 25);
        tree.set_budget(Some(PLAYOUTS as u64));
        grow_all(&[BatchedTree { tree: &tree, line }], 1, &mut self.oracle, &mut Vec::new()).unwrap();
        self.seconds += super::speed::cpu_seconds() - began;
        tree.root_moves()[0].mv
    }
}

/// Who won, after taking off what playouts call dead.
fn winner(pos: &Pos) -> Option<Side> {
    let mut totals = Totals::default();
    totals.begin(pos);
    let mut heavy = Heavy::new(HeavyParameters::default());
    totals.play(pos, None, 200, &mut heavy, &mut Random::new(1));
    let ownership: Vec<f32> = totals.ownership().collect();
    pos.result(&score::dead_by_ownership(pos.board(), &ownership, 0.5)).winner
}

/// Four moves drawn from the middle of the board, each opening once for each colour.
fn opening(number: u64) -> Line<Pos> {
    let mut line = Line::new(Pos::start(&"9x9 chinese komi 7".parse().unwrap()).unwrap());
    let mut random = Random::for_item(7, number);
    while line.len() < 4 {
        let vertex = Vertex::new(2 + random.below(5), 2 + random.below(5)).unwrap();
        let mv = tesuji_go::Move::at(vertex);
        if line.here().unpack(mv.bits()).is_some() {
            line.push(mv);
        }
    }
    line
}

/// What transpositions are worth at the same number of playouts. Runs only under `SLOW=1`.
#[test]
fn a_match_at_equal_playouts() {
    if !tesuji_testkit::needs::slow("plays many games") {
        return;
    }
    let mut players = [Player::new(true), Player::new(false)];
    let (mut won, mut drawn) = ([0, 0], 0);
    for game in 0..2 * PAIRS {
        let mut line = opening(game / 2);
        // Who has Black: in turn.
        let black = (game % 2) as usize;
        while line.ended(line.len()).is_none() && line.len() < PLIES_MAX {
            let mover = (black + line.len()) % 2;
            let mv = players[mover].choose(&line);
            line.push(mv);
        }
        match winner(line.here()) {
            Some(side) => won[(black + side.index()) % 2] += 1,
            None => drawn += 1,
        }
        let [shared, plain] = &players;
        println!(
            "game {}: {} to {}, {drawn} drawn; {:.1} and {:.1} CPU-s",
            game + 1,
            won[0],
            won[1],
            shared.seconds,
            plain.seconds
        );
    }
    // Three deviations of a hundred games between equals are 15.
    assert!(won[0] + 15 + drawn / 2 >= PAIRS, "{won:?}, {drawn} drawn");
}
