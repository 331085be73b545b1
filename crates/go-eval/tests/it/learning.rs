//! Games for learning: passes wait until the board is settled, and a game that is broken off is counted.

use super::position;
use tesuji_game::{Answer, By, Line, Oracle, OracleError, Position, Query, Side};
use tesuji_go::{BLACK, GoPosition, Rules, Small, WHITE};
use tesuji_go_eval::{PlayoutOracle, PlayoutParameters};
use tesuji_search::mcts::{BatchedRules, Beginning, Finished, NoRivals, Parameters, play_batched};

type Pos = GoPosition<Small>;

/// Knows nothing, but likes to pass.
struct Passer;

impl Oracle<Pos> for Passer {
    fn batch_max(&self) -> usize {
        64
    }

    fn ask(&mut self, batch: &mut [Query<Pos>]) -> Result<(), OracleError> {
        for query in batch {
            let share = |is_pass: bool| if is_pass { 0.9 } else { 0.1 / (query.moves.len() as f32 - 1.0).max(1.0) };
            let policy = query.moves.iter().map(|mv| share(mv.is_pass())).collect();
            query.answer = Answer { policy, ..Answer::default() };
        }
        Ok(())
    }
}

fn games(rules: &str, batched: &BatchedRules, oracle: &mut dyn Oracle<Pos>) -> Vec<Finished<Pos>> {
    let rules: Rules = rules.parse().unwrap();
    let mut numbers = 0..6;
    let mut next = || {
        let number = numbers.next()?;
        Some(Beginning { number, line: Line::new(Pos::start(&rules).unwrap()), seed: number })
    };
    let mut games = Vec::new();
    play_batched(3, batched, oracle, &mut NoRivals, &mut next, &mut |game| games.push(game), &|| false).unwrap();
    games.sort_by_key(|game| game.number);
    games
}

/// How many moves of a game were premature.
fn premature(game: &Finished<Pos>) -> usize {
    let mut here = Line::new(game.line.start().clone());
    let mut count = 0;
    for mv in game.line.moves() {
        count += usize::from(here.here().is_premature(mv));
        here.push(mv);
    }
    count
}

#[test]
fn passes_wait_until_the_board_is_settled() {
    let rules = BatchedRules { visits: 10, plies_max: 60, temperature: 0.0, ..BatchedRules::default() };
    for game in games("5x5 chinese komi 7", &rules, &mut Passer) {
        assert_eq!(premature(&game), 0, "game {}", game.number);
        assert!(game.line.len() > 5, "game {}: {} plies", game.number, game.line.len());
    }
    // Without the rule what likes to pass does.
    let early = BatchedRules { premature: true, ..rules };
    assert!(games("5x5 chinese komi 7", &early, &mut Passer).iter().all(|game| premature(game) > 0));
}

#[test]
fn a_game_at_the_limit_of_length_is_counted() {
    let rules = BatchedRules { visits: 4, plies_max: 12, temperature: 1.0, ..BatchedRules::default() };
    for game in games("5x5 chinese komi 0.5", &rules, &mut Passer) {
        assert_eq!(game.line.len(), 12);
        let By::Points(points) = game.outcome.by else { panic!("{:?}", game.outcome) };
        let margin = game.line.here().margin_halves(&Default::default());
        assert_eq!((points, margin == 0), (margin.unsigned_abs() as f32 / 2.0, false));
        assert_eq!(game.outcome.winner, Some(if margin > 0 { Side::First } else { Side::Second }));
    }
}

#[test]
fn settled_boards_are_known() {
    let check = |rows: &[&str], side, settled| {
        assert_eq!(position("5x5 chinese komi 0.5", rows, side).is_settled(), settled, "{rows:?}, {side:?}");
    };
    check(&[".....", ".....", ".....", ".....", "....."], BLACK, false);
    // One stone does not own the board.
    check(&[".....", ".....", "..X..", ".....", "....."], WHITE, false);
    check(&["X.X.X", "XXXXX", "XXXXX", "OOOOO", "O.O.O"], WHITE, true);
    // A point between both.
    check(&["X.X.X", "XXXXX", "XX.OO", "OOOOO", "O.O.O"], WHITE, false);
    // The two points between the chains: who plays there is taken.
    check(&["XXX.X", "OOOXX", "..OXX", "OOOXX", "XXX.X"], BLACK, true);
}

#[test]
fn games_of_fixed_playouts_do_not_depend_on_company() {
    let parameters = Parameters { noise: 0.25, noise_alpha: 0.4, ..Parameters::playouts() };
    let rules = BatchedRules { visits: 30, plies_max: 40, parameters, ..BatchedRules::default() };
    let oracle = PlayoutOracle::<Small>::new(PlayoutParameters::default()).fixed();
    let moves = |games: Vec<Finished<Pos>>| -> Vec<Vec<_>> { games.iter().map(|g| g.line.moves().collect()).collect() };
    let one = moves(games("5x5 chinese komi 7", &rules, &mut oracle.clone()));
    // This one has been asked before.
    let mut tired = oracle.clone();
    games("5x5 chinese komi 3", &rules, &mut tired);
    assert_eq!(one, moves(games("5x5 chinese komi 7", &rules, &mut tired)));
}
