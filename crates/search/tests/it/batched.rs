//! Games played by the batch of games: each as it would be alone; giving up, audits, noise.

use std::collections::{BTreeMap, VecDeque};
use tesuji_game::{By, Choice, Line, Oracle, OracleError, Position, Query, Side};
use tesuji_search::mcts::{
    BatchedRules, Beginning, EvalOracle, Finished, NoRivals, Parameters, RivalAnswer, Rivals, Tree, play_batched,
};
use tesuji_testkit::four::{Drop, FourEval, FourPosition};

/// Answers with an evaluation, and takes this many questions at once.
struct Counted {
    own: EvalOracle<FourPosition, FourEval>,
    room: usize,
    most: usize,
}

impl Oracle<FourPosition> for Counted {
    fn batch_max(&self) -> usize {
        self.room
    }

    fn ask(&mut self, batch: &mut [Query<FourPosition>]) -> Result<(), OracleError> {
        self.most = self.most.max(batch.len());
        batch.iter_mut().try_for_each(|query| self.own.ask(std::slice::from_mut(query)))
    }
}

type Games = BTreeMap<u64, Finished<FourPosition>>;

fn play(size: usize, room: usize, rules: &BatchedRules) -> (Games, usize) {
    let mut oracle = Counted { own: EvalOracle::new(FourEval::default()), room, most: 0 };
    let mut numbers = 0..24;
    let mut next = || {
        let number = numbers.next()?;
        let mut line = Line::new(FourPosition::default());
        line.push(Drop((number % 7) as u8));
        Some(Beginning { number, line, seed: 100 + number })
    };
    let mut games = Games::new();
    let mut done = |game: Finished<FourPosition>| assert!(games.insert(game.number, game).is_none());
    let counts = play_batched(size, rules, &mut oracle, &mut NoRivals, &mut next, &mut done, &|| false).unwrap();
    assert!(counts.asked >= counts.calls.min(1) && counts.moves > 0);
    (games, oracle.most)
}

fn rules() -> BatchedRules {
    let parameters = Parameters { noise: 0.25, ..Parameters::default() };
    BatchedRules { visits: 40, parameters, temperature_plies: 10, audit: 0.5, ..BatchedRules::default() }
}

#[test]
fn games_do_not_depend_on_their_company() {
    let (alone, _) = play(1, 1, &rules());
    for (size, room) in [(5, 100), (24, 7), (100, 100)] {
        let (together, most) = play(size, room, &rules());
        assert!(most > 1 && most <= size.min(room).min(24), "{most}");
        assert_eq!(together.len(), 24);
        for (number, game) in &together {
            let other = &alone[number];
            assert!(game.line.moves().eq(other.line.moves()), "game {number} with {size}");
            assert_eq!((&game.turns, game.outcome, game.gave_up), (&other.turns, other.outcome, other.gave_up));
        }
    }
}

#[test]
fn every_move_behind_the_opening_has_its_turn() {
    let (games, _) = play(8, 100, &rules());
    let mut different = std::collections::HashSet::new();
    for game in games.values() {
        assert_eq!((game.opening, game.turns.len() + 1), (1, game.line.len()));
        for turn in game.turns.iter().filter(|turn| !turn.visits.is_empty()) {
            let visits: u64 = turn.visits.iter().map(|v| u64::from(v.1)).sum();
            assert!(turn.nodes <= 40 && visits < turn.nodes, "{turn:?}");
        }
        different.insert(game.line.moves().map(|mv| mv.0).collect::<Vec<_>>());
    }
    assert!(different.len() > 12, "temperature and noise make games different: {}", different.len());
}

#[test]
fn audits_play_on_where_others_give_up() {
    let rules = BatchedRules { resign_below: -0.5, resign_moves: 1, ..rules() };
    let (games, _) = play(24, 100, &rules);
    let resigned = games.values().filter(|game| game.outcome.by == tesuji_game::By::Resignation).count();
    let played_on: Vec<_> = games.values().filter_map(|game| Some((game.gave_up?, game.outcome))).collect();
    assert!(resigned > 0 && !played_on.is_empty(), "{resigned} {played_on:?}");
    assert!(played_on.iter().all(|(_, outcome)| outcome.by != tesuji_game::By::Resignation));
    let never = BatchedRules { resign_below: -2.0, ..rules };
    assert!(play(24, 100, &never).0.values().all(|game| game.outcome.by != tesuji_game::By::Resignation));
}

#[test]
fn kicks_visit_what_priors_would_not() {
    let line = Line::new(FourPosition::default());
    let visited = |kick: f32, seed: u64| {
        let parameters = Parameters { noise_kick: kick, puct: 0.01, puct_growth: 0.0, ..Parameters::default() };
        let tree = Tree::new(&line, &parameters, 1 << 20);
        tree.set_budget(Some(300));
        tree.stir(seed);
        let batched = [tesuji_search::mcts::BatchedTree { tree: &tree, line: &line }];
        let mut oracle = EvalOracle::new(FourEval::default());
        tesuji_search::mcts::grow_all(&batched, 1, &mut oracle, &mut Vec::new()).unwrap();
        let moves = tree.root_moves().iter().map(|m| m.visits).filter(|&v| v > 0).count();
        (moves, tree.kicked(), tree.visits())
    };
    let (plain, none, _) = visited(0.0, 1);
    assert!(none.is_empty());
    let (moves, kicked, visits) = visited(0.05, 1);
    let by_chance: u64 = kicked.iter().map(|k| u64::from(k.1)).sum();
    assert!(moves >= plain && by_chance > 0 && by_chance < visits, "{moves} {plain} {kicked:?}");
    assert_eq!(visited(0.05, 1), visited(0.05, 1));
    assert_ne!(visited(0.05, 1).1, visited(0.05, 2).1);
    assert_eq!(FourPosition::default().side_to_move(), Side::First);
}

/// Moves for the second side in every third game: the move of the highest number, some asks later; or gives up, or cheats.
#[derive(Default)]
struct Slow {
    asked: VecDeque<(u64, Line<FourPosition>)>,
    looks: usize,
    waited: usize,
}

impl Rivals<FourPosition> for Slow {
    fn side(&self, number: u64) -> Option<Side> {
        number.is_multiple_of(3).then_some(Side::Second)
    }

    fn ask(&mut self, number: u64, line: &Line<FourPosition>) -> Result<(), String> {
        assert_eq!(line.here().side_to_move(), Side::Second);
        self.asked.push_back((number, line.clone()));
        Ok(())
    }

    fn answer(&mut self, wait: bool) -> Result<Option<RivalAnswer<Drop>>, (u64, String)> {
        self.looks += 1;
        self.waited += usize::from(wait);
        if !self.looks.is_multiple_of(4) {
            return Ok(None);
        }
        let Some((number, line)) = self.asked.pop_front() else { return Ok(None) };
        let mut moves = Vec::new();
        line.legal_moves(&mut moves);
        let best = moves.into_iter().max_by_key(|mv| mv.0).map(Choice::Play);
        Ok(Some((
            number,
            match number {
                3 if line.len() > 8 => Some(Choice::Resign),
                6 if line.len() > 8 => None,
                9 if line.len() > 8 => Some(Choice::Claim),
                _ => best,
            },
        )))
    }
}

#[test]
fn a_game_waits_for_its_rival_while_the_others_go_on() {
    let (alone, _) = play(24, 100, &rules());
    let rules = BatchedRules { audit: 1.0, ..rules() };
    for size in [1, 24] {
        let mut oracle = EvalOracle::new(FourEval::default());
        let mut numbers = 0..24;
        let mut next = || {
            let number = numbers.next()?;
            let mut line = Line::new(FourPosition::default());
            line.push(Drop((number % 7) as u8));
            Some(Beginning { number, line, seed: 100 + number })
        };
        let (mut games, mut slow) = (Games::new(), Slow::default());
        let mut done = |game: Finished<FourPosition>| assert!(games.insert(game.number, game).is_none());
        play_batched(size, &rules, &mut oracle, &mut slow, &mut next, &mut done, &|| false).unwrap();
        assert_eq!((games.len(), size == 1), (24, slow.waited > 0 && size == 1));
        for (number, game) in &games {
            let rival = |ply: usize| number.is_multiple_of(3) && ply % 2 == 1;
            assert_eq!(game.turns.len() + 1, game.line.len());
            for (ply, turn) in (1..).zip(&game.turns) {
                assert!(!rival(ply) || turn.nodes == 0 && turn.visits.is_empty(), "game {number}, ply {ply}: {turn:?}");
            }
            if number.is_multiple_of(3) {
                // It always drops on the right: nobody's search does.
                assert!(!game.line.moves().eq(alone[number].line.moves()));
                assert!(game.turns.iter().any(|turn| turn.nodes > 0), "the batch's own side is searched");
            }
            if [3, 6, 9].contains(number) && game.line.len() > 8 {
                let by = if *number == 3 { By::Resignation } else { By::Illegal };
                assert_eq!((game.outcome.winner, game.outcome.by), (Some(Side::First), by), "game {number}");
            }
        }
    }
}
