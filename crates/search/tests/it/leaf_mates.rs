//! Short mates at leaves: the same as the mate solver finds, and what a tree makes of them.

use tesuji_game::{Game, Line, Oracle, OracleError, Position, Query, Random};
use tesuji_search::{
    mate::{Answer, Knobs as MateKnobs, MateLimits, MateSearch, Settings},
    mcts::{Knobs, LeafMateKnobs, LeafMates, Seat, Tree, grow_all, mate_within},
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
    let mut search = MateSearch::new(&Settings { hash_mib: 32 }, &MateKnobs::default());
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
    let mut oracle = LeafMates::new(Blank::default(), LeafMateKnobs { plies: 3 });
    oracle.ask(&mut batch).unwrap();
    let (name, probes, hits) = oracle.counts()[0];
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
        let tree = Tree::new(&line, &Knobs::default(), 4 << 20);
        tree.set_budget(Some(40));
        let seats = [Seat { tree: &tree, line: &line }];
        let mut oracle = LeafMates::new(Weak, LeafMateKnobs { plies });
        grow_all(&seats, 1, &mut oracle, &mut Vec::new()).unwrap();
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
