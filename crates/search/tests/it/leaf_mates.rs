//! Short mates at leaves: the same as the mate solver finds, and what a tree makes of them.

use std::time::{Duration, Instant};
use tesuji_game::{
    Choice, Game, Limits, Line, Notation, Oracle, OracleError, Position, Query, Random, Report, Signal, Watch,
};
use tesuji_options::Options;
use tesuji_search::{
    Searcher,
    mate::{Answer, MateLimits, MateSearch, Parameters as MateParameters, RootMates, Settings},
    mcts::{BatchedTree, LeafMateParameters, LeafMates, Mcts, Parameters, Tree, grow_all, mate_within},
};
use tesuji_shogi::{Board, Rules, Shogi, sfen};

/// Positions of random games, which are full of mates overlooked.
fn positions(count: usize) -> Vec<Board> {
    let mut random = Random::new(11);
    let mut found = Vec::new();
    while found.len() < count {
        let mut line = Line::new(Shogi::start(&Rules::default()));
        let mut moves = Vec::new();
        for ply in 0..200 {
            line.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            if ply > 60 && ply % 7 == 0 {
                found.push(*line.here());
            }
            line.push(moves[random.below(moves.len())]);
        }
    }
    found
}

#[test]
fn short_mates_are_those_of_the_solver() {
    let mut search = MateSearch::new(&Settings { hash_mib: 32 }, &MateParameters::default());
    let (mut mates, mut deep) = (0, 0);
    for mut board in positions(400) {
        let before = board;
        let found = mate_within(&mut board, 5);
        assert_eq!(board, before, "it leaves the board as it was");
        let limits = MateLimits { plies: Some(5), nodes: Some(2_000_000) };
        let answer = search.solve(&board, board.side_to_move(), limits, &mut |_| false);
        assert_eq!(found.is_some(), matches!(answer, Answer::Mate(_)), "{board}: {found:?} {answer:?}");
        mates += usize::from(found.is_some());
        deep += usize::from(found.is_some_and(|(_, plies)| plies > 1));
    }
    assert!(mates > 15 && deep > 5, "{mates} {deep}");
}

/// Knows nothing.
#[derive(Clone, Default)]
struct Blank {
    asked: usize,
}

impl Oracle<Board> for Blank {
    fn batch_max(&self) -> usize {
        16
    }

    fn ask(&mut self, batch: &mut [Query<Board>]) -> Result<(), OracleError> {
        self.asked += batch.len();
        for query in batch {
            query.answer.clear();
            assert!(mate_within(&mut query.line.here().clone(), 3).is_none(), "that was not for us");
        }
        Ok(())
    }
}

#[test]
fn only_what_has_no_mate_is_asked_about() {
    let queries: Vec<Query<Board>> = (positions(60).into_iter())
        .map(|board| {
            let mut query = Query::new(Line::new(board));
            query.line.legal_moves(&mut query.moves);
            query
        })
        .collect();
    let mut batch = queries.clone();
    let mut oracle = LeafMates::new(Blank::default(), LeafMateParameters { plies: 3, mate_nodes: 0 });
    oracle.ask(&mut batch).unwrap();
    let tesuji_game::CacheCounts { name, probes, hits } = oracle.counts()[0];
    assert_eq!((name, probes), ("leaf mates", 60));
    let mut mates = 0;
    for (before, after) in queries.iter().zip(&batch) {
        assert_eq!(before.line.here(), after.line.here(), "questions stay in their places");
        let mate = mate_within(&mut before.line.here().clone(), 3);
        mates += u64::from(mate.is_some());
        assert_eq!(after.answer.win_plies.map(u32::from), mate.map(|(_, plies)| plies));
        if let Some((mv, _)) = mate {
            let at = before.moves.iter().position(|&m| m == mv).unwrap();
            assert_eq!((after.answer.value, after.answer.policy[at]), (1.0, 1.0));
        }
    }
    assert!(hits == mates && mates > 0, "{hits} {mates}");
}

#[test]
fn proven_mates_at_leaves_prove_what_leads_there() {
    // Whatever Black's king does but take, gold drops mate it.
    let board = sfen::parse("4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1").unwrap();
    let line = Line::new(board);
    for plies in [0, 5] {
        let tree = Tree::new(&line, &Parameters::default(), 4 << 20);
        tree.set_budget(Some(40));
        let batched = [BatchedTree { tree: &tree, line: &line }];
        let mut oracle = LeafMates::new(Weak, LeafMateParameters { plies, mate_nodes: 0 });
        grow_all(&batched, 1, &mut oracle, &mut Vec::new()).unwrap();
        let best = tree.root_moves().into_iter().next().unwrap();
        if plies > 0 {
            assert!(best.mate_plies.is_some_and(|plies| plies > 0), "{best:?}");
        }
    }
}

/// Finds all positions even.
#[derive(Clone)]
struct Weak;

impl Oracle<Board> for Weak {
    fn batch_max(&self) -> usize {
        4
    }

    fn ask(&mut self, batch: &mut [Query<Board>]) -> Result<(), OracleError> {
        batch.iter_mut().for_each(|query| query.answer.clear());
        Ok(())
    }
}

/// A recorder that never interrupts.
struct Calm;

impl<M> Watch<M> for Calm {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    fn report(&mut self, _: &Report<M>) {}
}

/// Questions about positions of random games.
fn questions(count: usize) -> Vec<Query<Board>> {
    let query = |board| {
        let mut query = Query::new(Line::new(board));
        query.line.legal_moves(&mut query.moves);
        query
    };
    positions(count).into_iter().map(query).collect()
}

#[test]
fn df_pn_at_leaves_finds_longer_mates_that_are_some() {
    let mut batch = questions(150);
    let mut short = LeafMates::new(Weak, LeafMateParameters { plies: 3, mate_nodes: 0 });
    short.ask(&mut batch).unwrap();
    let known: Vec<bool> = batch.iter().map(|query| query.answer.win_plies.is_some()).collect();
    let mut long = LeafMates::new(Weak, LeafMateParameters { plies: 0, mate_nodes: 3000 });
    long.ask(&mut batch).unwrap();
    let mut search = MateSearch::new(&Settings { hash_mib: 32 }, &MateParameters::default());
    let mut more = 0;
    for (query, known) in batch.iter().zip(known) {
        assert!(query.answer.win_plies.is_some() >= known, "{}", query.line.here());
        if query.answer.win_plies.is_none() || known {
            continue;
        }
        more += 1;
        let limits = MateLimits { plies: None, nodes: Some(2_000_000) };
        let answer = search.solve(query.line.here(), query.line.here().side_to_move(), limits, &mut |_| false);
        assert!(matches!(answer, Answer::Mate(_)), "{}", query.line.here());
        // All checks and all answers find one as short.
        if let Some(plies @ 1..=5) = query.answer.win_plies {
            let short = mate_within(&mut query.line.here().clone(), u32::from(plies));
            assert!(short.is_some(), "{}", query.line.here());
        }
        assert_eq!(query.answer.policy.iter().sum::<f32>(), 1.0);
    }
    assert!(more > 3, "{more}");
}

/// Five plies to mate, by cshogi's search of all checks and answers (ElmoTeacherDecoder's test 4, position 21).
const FIVE: &str = "lnsgr1s+Pl/3k1g3/1ppp1p1+Pp/4p+bp2/p8/2P1P4/PP1P1PP1P/3KGS1R1/+b1SG3NL w Nnl 1";

/// What is found in the position of `line`: the plies of a mate.
fn found(line: &Line<Board>, plies: u32, mate_nodes: u64) -> Option<u16> {
    let mut query = Query::new(line.clone());
    query.line.legal_moves(&mut query.moves);
    let mut batch = [query];
    LeafMates::new(Weak, LeafMateParameters { plies, mate_nodes }).ask(&mut batch).unwrap();
    batch[0].answer.win_plies
}

#[test]
fn a_mate_in_five_is_found_at_a_leaf() {
    let line = Line::new(sfen::parse(FIVE).unwrap());
    assert_eq!(found(&line, 3, 0), None);
    assert_eq!(found(&line, 5, 0), Some(5));
    assert_eq!(found(&line, 0, 3000), Some(5));
    // Anyone who must mate has no mate of his own, whatever the nodes.
    let start = Line::new(Shogi::start(&Rules::default()));
    assert_eq!(found(&start, 5, 3000), None);
}

#[test]
fn a_mate_that_begins_with_a_position_of_the_game_is_not_claimed() {
    // The dragon comes down to the first rank, the gold mates beside the pawn.
    let sfen = "8k/9/6G2/7P1/9/9/9/9/K3+R4 b - 1";
    let mut line = Line::new(sfen::parse(sfen).unwrap());
    assert_eq!((found(&line, 3, 0), found(&line, 0, 500)), (Some(3), Some(3)));
    for text in ["5i5a", "1a1b", "5a5i", "1b1a"] {
        line.push(<Shogi as Game>::Notation::parse_move(line.here(), text).unwrap());
    }
    assert_eq!(line.here().key(), line.start().key());
    assert_eq!((found(&line, 3, 0), found(&line, 0, 500)), (None, None));
}

#[test]
fn a_mate_at_the_root_needs_no_tree() {
    // 20 playouts of a net that knows nothing do not see it.
    let line = Line::new(sfen::parse(FIVE).unwrap());
    let limits = Limits { nodes: Some(20), ..Limits::default() };
    let mut search = Mcts::new(Weak);
    let plain = search.search(&line, &limits, &[], &mut Calm);
    assert_eq!(plain.nodes, 20);
    search.set_prover(Some(Box::new(RootMates::default())));
    assert_eq!(search.search(&line, &limits, &[], &mut Calm).nodes, 20, "it is not asked unless somebody wants it");
    search.set("RootMateNodes", "5000").unwrap();
    let found = search.search(&line, &limits, &[], &mut Calm);
    let best = &found.lines[0];
    assert!(best.value.raw() > 31_000 && found.choice == Some(Choice::Play(best.pv[0])), "{found:?}");
    assert_eq!(best.pv.len() % 2, 1);
    // Where there is none the tree grows as it would.
    let start = Line::new(Shogi::start(&Rules::default()));
    assert_eq!(search.search(&start, &limits, &[], &mut Calm).nodes, 20);
}

#[test]
fn what_mates_at_leaves_cost() {
    if !tesuji_testkit::needs::slow("what mates at leaves cost") {
        return;
    }
    let questions = questions(600);
    for (plies, nodes) in [(0, 0), (1, 0), (3, 0), (5, 0), (7, 0), (0, 40), (0, 200), (0, 1000), (3, 200)] {
        let mut batch = questions.clone();
        let mut oracle = LeafMates::new(Weak, LeafMateParameters { plies, mate_nodes: nodes });
        let began = Instant::now();
        oracle.ask(&mut batch).unwrap();
        let micros = began.elapsed().as_secs_f64() * 1e6 / batch.len() as f64;
        let found = batch.iter().filter(|query| query.answer.win_plies.is_some()).count();
        println!("{plies} plies, df-pn {nodes:4}: {micros:8.1} us a leaf, {found} mates in {}", batch.len());
    }
}
