//! Rules of selection against slow references, and what their options do.

use super::{line_of, oracles::Playouts, roller, rows, searcher, think};
use crate::watch::nodes;
use std::collections::HashMap;
use tesuji_game::{Choice, Line, Position, Random};
use tesuji_search::{Searcher, mcts::Parameters};
use tesuji_testkit::four::{Drop, FourPosition};

/// Monte-Carlo tree search as a textbook has it: a map from lines to visits and sums.
struct Textbook {
    /// By the moves from the root: visits and the sum of results in 0..=1 for the side that moved there.
    seen: HashMap<Vec<u8>, (u32, f64)>,
    oracle: Playouts,
    puct: Option<f64>,
}

impl Textbook {
    fn playout(&mut self, root: &Line<FourPosition>) {
        let mut line = root.clone();
        let mut path: Vec<u8> = Vec::new();
        let mut moves = Vec::new();
        // For the side to move at the end of the path.
        let value = loop {
            let is_new = !self.seen.contains_key(&path);
            line.legal_moves(&mut moves);
            if moves.is_empty() {
                let outcome = line.outcome().expect("no moves, so it is over");
                break outcome.score(line.here().side_to_move());
            }
            if is_new {
                break (f64::from(self.oracle.value(&line)) + 1.0) / 2.0;
            }
            let mv = self.choose(&path, &moves);
            path.push(mv.0);
            line.push(mv);
        };
        let mut value = 1.0 - value;
        for len in (0..=path.len()).rev() {
            let entry = self.seen.entry(path[..len].to_vec()).or_default();
            entry.0 += 1;
            entry.1 += value;
            value = 1.0 - value;
        }
    }

    fn choose(&self, path: &[u8], moves: &[Drop]) -> Drop {
        let parent = self.seen[path];
        let child = |mv: Drop| self.seen.get(&[path, &[mv.0]].concat()).copied();
        let n = f64::from(parent.0);
        let visited = moves.iter().filter(|&&mv| child(mv).is_some()).count() as f64;
        let prior = 1.0 / moves.len() as f64;
        let score = |mv: Drop| match (self.puct, child(mv)) {
            // The article's: q / n + 0.5 sqrt(2 ln N / n), moves not yet visited first.
            (None, None) => f64::INFINITY,
            (None, Some((visits, sum))) => sum / f64::from(visits) + 0.5 * (2.0 * n.ln() / f64::from(visits)).sqrt(),
            (Some(c), None) => {
                let value = 1.0 - 2.0 * parent.1 / n;
                (value - 0.3 * (visited * prior).sqrt()).max(-1.0) + c * prior * n.sqrt()
            }
            (Some(c), Some((visits, sum))) => {
                2.0 * sum / f64::from(visits) - 1.0 + c * prior * n.sqrt() / (1.0 + f64::from(visits))
            }
        };
        let mut best = moves[0];
        for &mv in moves {
            // Our priors keep eight bits: what is nearer than that is a tie.
            if score(mv) > score(best) + 1e-9 {
                best = mv;
            }
        }
        best
    }
}

/// The tree is, visit for visit, the textbook's: UCB1 as BakaGo has it.
#[test]
fn ucb1_is_the_textbooks() {
    let parameters = Parameters { rule: "ucb1".into(), proofs: false, ..Parameters::default() };
    for moves in [&[][..], &[3, 3, 2], &[0, 1, 2, 3, 4, 5, 6, 0]] {
        let line = line_of(moves);
        let mut search = roller(parameters.clone());
        think(&mut search, &line, &nodes(3000));
        let mut textbook = Textbook { seen: HashMap::new(), oracle: Playouts::new(1), puct: None };
        (0..3000).for_each(|_| textbook.playout(&line));
        let ours = rows(search.last_tree().expect("a tree"), 0);
        assert_eq!(ours.len(), textbook.seen.len());
        for (path, visits, value, _) in ours {
            let (n, sum) = textbook.seen[&path];
            assert_eq!(visits, u64::from(n), "{path:?}");
            assert!((f64::from(value) - (2.0 * sum / f64::from(n) - 1.0)).abs() < 1e-4);
        }
    }
}

/// BakaGo's scheme step by step, as its article tells it.
#[derive(Default)]
struct Bakago {
    nodes: HashMap<Vec<u8>, BakagoNode>,
}

#[derive(Default, Clone)]
struct BakagoNode {
    visits: u32,
    /// Of results in 0..=1 for the side that moved here.
    sum: f64,
    tries: u32,
    /// Those not yet children, the likeliest last; `None` before they were asked for.
    candidates: Option<Vec<u8>>,
    children: Vec<u8>,
}

impl Bakago {
    fn iterate(&mut self, root: &Line<FourPosition>, oracle: &Playouts) {
        let (mut line, mut path) = (root.clone(), Vec::new());
        loop {
            let node = self.nodes.entry(path.clone()).or_default();
            let mut moves = Vec::new();
            line.legal_moves(&mut moves);
            if node.visits == 0 || moves.is_empty() {
                break;
            }
            if node.candidates.is_none() {
                node.tries += 1;
                if node.tries <= 16 && !path.is_empty() {
                    return;
                }
                // Even priors: enough moves for 0.80.
                let enough = (0.8 * moves.len() as f64).ceil() as usize;
                node.candidates = Some(moves[..enough].iter().rev().map(|mv| mv.0).collect());
            }
            if let Some(next) = node.candidates.as_mut().and_then(Vec::pop) {
                node.children.push(next);
                path.push(next);
            } else {
                let node = node.clone();
                let uct = |c: u8| {
                    let child = &self.nodes[&[&path[..], &[c]].concat()];
                    let n = f64::from(child.visits);
                    child.sum / n + 0.5 * (2.0 * f64::from(node.visits).ln() / n).sqrt()
                };
                let mut best = node.children[0];
                for &c in &node.children {
                    if uct(c) > uct(best) + 1e-9 {
                        best = c;
                    }
                }
                path.push(best);
            }
            line.push(Drop(path[path.len() - 1]));
        }
        let side = line.here().side_to_move();
        let value = line.outcome().map_or_else(|| (f64::from(oracle.value(&line)) + 1.0) / 2.0, |o| o.score(side));
        for len in (0..=path.len()).rev() {
            let node = self.nodes.entry(path[..len].to_vec()).or_default();
            node.visits += 1;
            node.sum += if (path.len() - len) % 2 == 0 { 1.0 - value } else { value };
        }
    }
}

/// The scheme of BakaGo (SJTU, 2017) as its article describes it: UCB1, a leaf valued once, its candidates asked for after 16
/// visits, as many as their priors need to sum up to 0.80 (0.87 after 100 plies, 0.95 after 200), at most 32, each visited
/// once before UCB chooses among them, the most visited move played, a new tree for each.
pub fn bakago() -> Parameters {
    Parameters {
        rule: "ucb1".into(),
        exploration: 0.5,
        first_play: "first".into(),
        expand_after: 16,
        value_once: true,
        children_max: 32,
        candidate_share: 0.80,
        candidate_share_100: 0.87,
        candidate_share_200: 0.95,
        candidates_min: 1,
        proofs: false,
        reuse: false,
        choose: "visits".into(),
        ..Parameters::default()
    }
}

/// These options are, visit for visit, the article's scheme.
#[test]
fn bakago_is_the_articles() {
    for moves in [&[][..], &[3, 3, 2], &[0, 1, 2, 3, 4, 5, 6, 0]] {
        let line = line_of(moves);
        let mut search = roller(bakago());
        let report = think(&mut search, &line, &nodes(20_000));
        let mut article = Bakago::default();
        (0..20_000).for_each(|_| article.iterate(&line, &Playouts::new(1)));
        article.nodes.retain(|_, node| node.visits > 0);
        let ours = rows(search.last_tree().expect("a tree"), 0);
        assert_eq!(ours.len(), article.nodes.len());
        for (path, visits, value, _) in &ours {
            let node = &article.nodes[path];
            assert_eq!(*visits, u64::from(node.visits), "{path:?}");
            assert!((f64::from(*value) - (2.0 * node.sum / f64::from(node.visits) - 1.0)).abs() < 1e-4);
        }
        let most = ours.iter().filter(|r| r.0.len() == 1).map(|r| r.1).max();
        assert_eq!(Some(report.lines[0].visits), most, "the most visited move is played");
    }
}

/// The same for PUCT with even priors: the root's visits agree, but for ties that rounding breaks.
#[test]
fn puct_is_the_textbooks() {
    let parameters = Parameters { puct_growth: 0.0, proofs: false, ..Parameters::default() };
    let line = line_of(&[3, 3, 2]);
    let mut search = roller(parameters);
    think(&mut search, &line, &nodes(2000));
    let mut textbook = Textbook { seen: HashMap::new(), oracle: Playouts::new(1), puct: Some(1.5) };
    (0..2000).for_each(|_| textbook.playout(&line));
    for (path, visits, ..) in rows(search.last_tree().expect("a tree"), 0).into_iter().filter(|r| r.0.len() == 1) {
        let n = textbook.seen[&path].0;
        assert!((visits as f64 - f64::from(n)).abs() <= 30.0 + 0.05 * f64::from(n), "{path:?}: {visits} against {n}");
    }
}

/// All rules find what must be played.
#[test]
fn every_rule_finds_the_only_move() {
    for rule in ["ucb1", "rave", "puct"] {
        for (widening, first_play) in [(false, "auto"), (true, "value"), (true, "first"), (false, "reduction")] {
            let parameters = Parameters {
                rule: rule.into(),
                widening,
                first_play: first_play.into(),
                proofs: false,
                ..Parameters::default()
            };
            // Only a drop into the first column stops the four.
            let report = think(&mut roller(parameters), &line_of(&[0, 3, 0, 4, 0]), &nodes(3000));
            assert_eq!(report.choice, Some(Choice::Play(Drop(0))), "{rule} {widening} {first_play}");
        }
    }
}

/// All-moves-as-first counts know more after the same playouts: the centre is found sooner.
#[test]
fn rave_learns_faster_than_ucb1() {
    let mut right = HashMap::new();
    for rule in ["ucb1", "rave"] {
        for seed in 0..30 {
            let parameters = Parameters { rule: rule.into(), ..Parameters::default() };
            let mut search = roller(parameters);
            search.set_oracle(Playouts::new(seed));
            let report = think(&mut search, &line_of(&[]), &nodes(60));
            *right.entry(rule).or_insert(0) += i32::from(report.choice == Some(Choice::Play(Drop(3))));
        }
    }
    assert!(right["rave"] >= right["ucb1"], "{right:?}");
}

#[test]
fn candidates_are_limited() {
    let count = |parameters: Parameters| {
        let mut search = searcher();
        search.set_parameters(Parameters { proofs: false, ..parameters });
        think(&mut search, &line_of(&[]), &nodes(2000));
        let all = rows(search.last_tree().expect("a tree"), 0);
        all.iter().filter(|r| r.0.len() == 1).count()
    };
    assert_eq!(count(Parameters::default()), 7);
    assert_eq!(count(Parameters { children_max: 3, ..Parameters::default() }), 3);
    assert_eq!(count(Parameters { candidate_share: 0.0, ..Parameters::default() }), 1);
    assert_eq!(count(Parameters { candidate_share: 0.0, candidates_min: 2, ..Parameters::default() }), 2);
    let narrow = Parameters { widening: true, widening_base: 1.0, widening_factor: 0.05, ..Parameters::default() };
    assert_eq!(count(narrow), 3, "1 + 0.05 * sqrt(2000)");
}

/// Leaves that wait before they open cost evaluations, not memory.
#[test]
fn leaves_may_wait() {
    let size = |expand_after| {
        let mut search = roller(Parameters { expand_after, proofs: false, ..Parameters::default() });
        think(&mut search, &line_of(&[]), &nodes(5000));
        rows(search.last_tree().expect("a tree"), 0).len()
    };
    assert!(size(8) * 3 < size(0), "{} against {}", size(8), size(0));
}

/// Noise changes what is looked at, by seed; temperature what is played.
#[test]
fn noise_and_temperature_go_by_seed() {
    let run = |noise: &str, temperature: &str, seed: &str| {
        let mut search = searcher();
        for (name, value) in [("Noise", noise), ("Temperature", temperature), ("Seed", seed)] {
            search.options().set(name, value).expect("an option");
        }
        let report = think(&mut search, &line_of(&[]), &nodes(400));
        (report.choice, rows(search.last_tree().expect("a tree"), 0))
    };
    assert_eq!(run("0.5", "0", "1").1, run("0.5", "0", "1").1);
    assert_ne!(run("0.5", "0", "1").1, run("0.5", "0", "2").1);
    assert_eq!(run("0", "0", "1").1, run("0", "0", "2").1);
    let played: std::collections::HashSet<_> =
        (0..20).map(|s| format!("{:?}", run("0", "5", &s.to_string()).0)).collect();
    assert!(played.len() >= 3, "{played:?}");
}

/// Moves are drawn in proportion to their visits at temperature 1.
#[test]
fn draws_follow_the_visits() {
    let mut search = searcher();
    think(&mut search, &line_of(&[]), &nodes(1000));
    let tree = search.last_tree().expect("a tree");
    let mut random = Random::new(4);
    let mut counts = HashMap::new();
    for _ in 0..10_000 {
        *counts.entry(tree.draw_move(1.0, &mut random).expect("a move")).or_insert(0u64) += 1;
    }
    for m in tree.root_moves() {
        let wanted = m.visits as f64 / 999.0;
        let got = counts.get(&m.mv).copied().unwrap_or(0) as f64 / 10_000.0;
        assert!((wanted - got).abs() < 0.02, "{:?}: {got} against {wanted}", m.mv);
    }
}
