//! A net as an oracle, on Connect Four: what the net says, turned, averaged, kept.

use std::sync::Arc;
use tesuji_game::{Answer, CacheCounts, Encoding, Line, Oracle, Query, Random, Shape};
use tesuji_nn::{Architecture, MeanOracle, Net, NetOracle, NetParameters, Runner, Weights};
use tesuji_testkit::four::{Drop, FourPosition};

/// The last four moves and whose turn it is; a move is the lowest point of its column.
#[derive(Clone, Copy)]
struct Columns;

impl Encoding<FourPosition> for Columns {
    fn name(&self) -> &'static str {
        "columns-1"
    }

    fn planes(&self) -> usize {
        5
    }

    fn shape(&self, _: &FourPosition) -> Shape {
        Shape { planes: 5, height: 6, width: 7, actions: 43 }
    }

    fn symmetries(&self, _: &FourPosition) -> u8 {
        2
    }

    fn encode(&self, line: &Line<FourPosition>, symmetry: u8, out: &mut [f32]) {
        out.fill(0.0);
        for (n, mv) in line.moves().rev().take(4).enumerate() {
            out[42 * n + self.action(line.here(), mv, symmetry)] = 1.0;
        }
        out[168..].fill(line.len() as f32 / 42.0);
    }

    fn action(&self, pos: &FourPosition, mv: Drop, symmetry: u8) -> usize {
        self.point(pos, mv.0 as usize, symmetry)
    }

    fn point(&self, _: &FourPosition, index: usize, symmetry: u8) -> usize {
        if symmetry == 1 { index / 7 * 7 + 6 - index % 7 } else { index }
    }
}

fn net() -> Arc<Net> {
    Arc::new(Net::new(&Weights::random(Architecture::for_any_size("columns-1", 5, 7, 2, 8), 3)).unwrap())
}

fn oracle(symmetry: &str, cache_mib: usize) -> NetOracle<Columns> {
    let parameters = NetParameters { symmetry: symmetry.into(), cache_mib, ..NetParameters::default() };
    NetOracle::new(net(), Columns, parameters).unwrap()
}

fn line(moves: &[u8]) -> Line<FourPosition> {
    let mut line = Line::new(FourPosition::default());
    moves.iter().for_each(|&c| line.push(Drop(c)));
    line
}

fn queries(lines: &[Line<FourPosition>]) -> Vec<Query<FourPosition>> {
    let query = |line: &Line<FourPosition>| {
        let mut query = Query::new(line.clone());
        line.legal_moves(&mut query.moves);
        query
    };
    lines.iter().map(query).collect()
}

/// Answers with the policy from the left column to the right.
fn ask(oracle: &mut impl Oracle<FourPosition>, lines: &[Line<FourPosition>]) -> Vec<Answer> {
    let mut batch = queries(lines);
    oracle.ask(&mut batch).unwrap();
    let sorted = |query: Query<FourPosition>| {
        let mut shares: Vec<(u8, f32)> = query.moves.iter().map(|mv| mv.0).zip(query.answer.policy).collect();
        shares.sort_by_key(|share| share.0);
        Answer { policy: shares.into_iter().map(|share| share.1).collect(), ..query.answer }
    };
    batch.into_iter().map(sorted).collect()
}

fn close(a: &Answer, b: &Answer) {
    let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "{a} {b}");
    near(a.value, b.value);
    near(a.score.unwrap(), b.score.unwrap());
    assert_eq!((a.policy.len(), a.ownership.len()), (b.policy.len(), b.ownership.len()));
    a.policy.iter().zip(&b.policy).for_each(|(&a, &b)| near(a, b));
    a.ownership.iter().zip(&b.ownership).for_each(|(&a, &b)| near(a, b));
}

/// Random games of up to 12 moves.
fn lines(count: usize) -> Vec<Line<FourPosition>> {
    let mut random = Random::new(5);
    (0..count)
        .map(|_| {
            let mut line = line(&[]);
            let mut moves = Vec::new();
            for _ in 0..random.below(12) {
                line.legal_moves(&mut moves);
                line.push(moves[random.below(moves.len())]);
            }
            line
        })
        .collect()
}

#[test]
fn answers_are_those_of_the_net() {
    let line = line(&[3, 3, 4, 2]);
    let mut planes = vec![0.0; 5 * 42];
    Columns.encode(&line, 0, &mut planes);
    let mut runner = Runner::new(net(), 6, 7, 1).unwrap();
    let outputs = runner.run(&planes, 1);
    let got = &ask(&mut oracle("none", 0), &[line])[0];
    assert_eq!((got.value, got.score), (outputs.value[0], Some(outputs.score[0])));
    assert_eq!(got.ownership, outputs.ownership);
    let sum: f64 = outputs.policy[..7].iter().map(|&x| f64::from(x).exp()).sum();
    for (share, &logit) in got.policy.iter().zip(&outputs.policy[..7]) {
        assert!((f64::from(*share) - f64::from(logit).exp() / sum).abs() < 1e-5);
    }
}

#[test]
fn batches_threads_and_caches_change_nothing() {
    let lines = lines(100);
    for symmetry in ["none", "random", "average"] {
        let mut plain = oracle(symmetry, 0);
        let alone: Vec<Answer> = lines.iter().flat_map(|line| ask(&mut plain, std::slice::from_ref(line))).collect();
        let mut kept = oracle(symmetry, 1);
        let mut other = kept.clone();
        for oracle in [&mut kept, &mut other] {
            let got = ask(oracle, &lines);
            got.iter().zip(&alone).for_each(|(a, b)| close(a, b));
        }
        let CacheCounts { name, probes, hits } = Oracle::<FourPosition>::counts(&kept)[0];
        assert_eq!((name, probes), ("net cache", 200));
        assert!(hits >= 100, "{hits}");
        Oracle::<FourPosition>::clear(&mut other);
        assert_eq!(Oracle::<FourPosition>::counts(&kept)[0].probes, 0);
    }
}

#[test]
fn the_average_is_the_same_for_a_mirrored_game() {
    for line in lines(20) {
        let moves: Vec<u8> = line.moves().map(|mv| 6 - mv.0).collect();
        let [here, there] = &ask(&mut oracle("average", 0), &[line, self::line(&moves)])[..] else { panic!("two") };
        let mut turned = there.clone();
        turned.policy.reverse();
        turned.ownership.chunks_mut(7).for_each(<[f32]>::reverse);
        close(here, &turned);
    }
}

#[test]
fn a_higher_temperature_brings_priors_closer() {
    let spread = |temperature| {
        let parameters = NetParameters { temperature, symmetry: "none".into(), ..NetParameters::default() };
        let mut oracle = NetOracle::new(net(), Columns, parameters).unwrap();
        let policy = ask(&mut oracle, &[line(&[3, 3, 2])])[0].policy.clone();
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        policy.iter().copied().fold(0.0, f32::max)
    };
    assert!(spread(0.5) > spread(1.0) && spread(1.0) > spread(2.0));
}

#[test]
fn a_net_of_other_features_is_refused() {
    let other = Weights::random(Architecture::for_any_size("columns-2", 5, 7, 1, 8), 3);
    let net = Arc::new(Net::new(&other).unwrap());
    let error = NetOracle::new::<FourPosition>(net, Columns, NetParameters::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the net reads features `columns-2 (5 planes)`, the engine writes `columns-1 (5 planes)`"
    );
}

#[test]
fn several_nets_answer_with_their_mean() {
    let other = Arc::new(Net::new(&Weights::random(Architecture::for_any_size("columns-1", 5, 7, 1, 8), 9)).unwrap());
    let mut second = NetOracle::new::<FourPosition>(other, Columns, NetParameters::default()).unwrap();
    let mut first = oracle("random", 0);
    let lines = lines(10);
    let (a, b) = (ask(&mut first, &lines), ask(&mut second, &lines));
    let mut both = MeanOracle::of(vec![first, second]).unwrap();
    for ((mean, a), b) in ask(&mut both, &lines).iter().zip(a).zip(b) {
        let half = |a: f32, b: f32| (a + b) / 2.0;
        let policy = a.policy.iter().zip(&b.policy).map(|(&a, &b)| half(a, b)).collect();
        let ownership = a.ownership.iter().zip(&b.ownership).map(|(&a, &b)| half(a, b)).collect();
        let score = Some(half(a.score.unwrap(), b.score.unwrap()));
        close(mean, &Answer { value: half(a.value, b.value), policy, ownership, score, ..Answer::default() });
    }
    assert!(MeanOracle::<NetOracle<Columns>>::of(Vec::new()).is_none());
}
