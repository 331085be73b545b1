//! Ratings of many players against other programs.

use tesuji_stats::{Games, Given, Met, Relation, elo_of_score, rate};

fn met(first: usize, second: usize, wins: u64, draws: u64, losses: u64) -> Met {
    Met { first, second, games: Games::new(wins, draws, losses) }
}

/// The same likelihood maximised by SciPy 1 (BFGS, then Nelder and Mead), its bends by finite differences.
#[test]
fn scipy_finds_the_same() {
    let games = [
        met(0, 1, 30, 40, 10),
        met(1, 0, 22, 35, 23),
        met(0, 2, 50, 20, 10),
        met(2, 0, 15, 25, 40),
        met(1, 2, 38, 30, 12),
        met(2, 1, 20, 28, 32),
        met(3, 0, 5, 6, 9),
        met(1, 3, 8, 7, 5),
    ];
    let ratings = rate(4, &games, Given::default());
    let scipy = [(71.9342, 28.697), (19.5789, 28.059), (-72.9958, 31.710), (-18.5173, 64.622)];
    for (ours, (elo, error)) in ratings.players.iter().zip(scipy) {
        assert!((ours.elo - elo).abs() < 1e-3, "{ours:?}: {elo}");
        assert!((ours.error.unwrap() - error).abs() < 2e-3, "{ours:?}: {error}");
        assert_eq!(ours.group, 0);
    }
    let advantage = ratings.advantage.unwrap();
    assert!((advantage.value - 34.06665).abs() < 1e-3 && (advantage.error() - 23.6187).abs() < 2e-3, "{advantage:?}");
    assert!((ratings.draws_of_equals - 0.4077771).abs() < 1e-6);
    assert!((ratings.los(0, 1).unwrap() - 0.9989234).abs() < 1e-6);
    assert!((ratings.los(1, 3).unwrap() - 0.8042101).abs() < 1e-6);
    assert_eq!((ratings.order(), ratings.groups()), (vec![0, 1, 3, 2], 1));
}

/// BayesElo as it comes (advantage 32.8, draws 97.3, two draws in advance), of games with sides shared evenly.
#[test]
fn bayeselo_prints_the_same() {
    let given = Given { advantage: Some(32.8), draw_elo: Some(97.3) };
    for (wins, draws, losses, expect) in
        [(1940, 1337, 1723, 8.0), (3456, 6686, 3278, 2.0), (0, 20, 0, 0.0), (1500, 1800, 1700, -7.0)]
    {
        // Twice as many of everything, so that halves are whole: the likeliest value is the same.
        let games = [met(0, 1, wins, draws + 2, losses), met(1, 0, losses, draws + 2, wins)];
        let found = rate(2, &games, given).players[0].elo;
        assert_eq!(found.round() + 0.0, expect, "{wins}/{draws}/{losses}: {found}");
    }
}

/// Between two players ratings are the Elo of the score, as near as a model with draws can be.
#[test]
fn two_players_have_the_elo_of_their_score() {
    for (wins, draws, losses) in [(1940, 1338, 1724), (1500, 1800, 1700), (60, 0, 40), (100, 60, 40)] {
        let half = [wins / 2, draws / 2, losses / 2];
        let games = [met(0, 1, half[0], half[1], half[2]), met(1, 0, half[2], half[1], half[0])];
        let ratings = rate(2, &games, Given::default());
        let elo = ratings.players[0].elo - ratings.players[1].elo;
        let score = (wins as f64 + draws as f64 / 2.0) / (wins + draws + losses) as f64;
        assert!((elo - elo_of_score(score)).abs() < 0.6, "{elo} for {}", elo_of_score(score));
        let error = Games::new(wins, draws, losses).elo().unwrap().error();
        // Errors are of the distance to the mean: half the difference.
        assert!((ratings.players[0].error.unwrap() * 2.0 / error - 1.0).abs() < 0.02);
        let los = Games::new(wins, draws, losses).los().unwrap();
        let found = ratings.los(0, 1).unwrap();
        assert!((found - los).abs() < 4e-3, "{found} {los}");
    }
}

#[test]
fn an_anchor_has_its_rating_and_no_error() {
    let games = [met(0, 1, 30, 40, 10), met(1, 2, 22, 35, 23), met(2, 0, 15, 25, 40)];
    let free = rate(3, &games, Given::default());
    let mut held = free.clone();
    held.anchor(1, 2800.0);
    assert_eq!((held.players[1].elo, held.players[1].error), (2800.0, Some(0.0)));
    for i in [0, 2] {
        let moved = held.players[i].elo - held.players[1].elo - (free.players[i].elo - free.players[1].elo);
        assert!(moved.abs() < 1e-9 && held.players[i].error.unwrap() > free.players[i].error.unwrap());
        assert!((held.los(i, 1).unwrap() - free.los(i, 1).unwrap()).abs() < 1e-9);
    }
}

#[test]
fn what_games_do_not_tell_is_not_invented() {
    // 0 won everything, 4 lost everything, 5 and 6 met nobody else, 3 and 7 did not play.
    let games = [
        met(0, 1, 9, 0, 0),
        met(2, 0, 0, 0, 3),
        met(1, 2, 5, 3, 4),
        met(2, 1, 6, 2, 4),
        met(4, 2, 0, 0, 7),
        met(5, 6, 0, 4, 0),
        met(6, 5, 0, 4, 0),
    ];
    let ratings = rate(8, &games, Given::default());
    assert_eq!(ratings.groups(), 6);
    assert_eq!((ratings.relation(0, 1), ratings.relation(4, 0)), (Relation::Above, Relation::Below));
    assert_eq!((ratings.relation(1, 2), ratings.relation(1, 5)), (Relation::Measured, Relation::Unknown));
    assert_eq!((ratings.relation(0, 7), ratings.los(0, 1), ratings.players[0].error), (Relation::Unknown, None, None));
    assert!(ratings.players[1].error.unwrap().is_finite() && ratings.players[0].group < ratings.players[1].group);
    assert!(ratings.players[1].group < ratings.players[4].group);
    assert_eq!(ratings.players[5].elo, ratings.players[6].elo);
    let alone = rate(8, &games[5..], Given::default());
    assert_eq!((alone.players[5].error, alone.los(5, 6), alone.draws_of_equals), (None, None, 1.0));
    let none = rate(3, &[], Given::default());
    assert!(none.players.iter().all(|p| p.elo == 0.0 && p.error.is_none()) && none.groups() == 3);
    assert_eq!(rate(0, &[], Given::default()).groups(), 0);
}

/// All games won by the first side: its advantage has no end, and says nothing about the players.
#[test]
fn advantages_without_end_are_not_believed() {
    let ratings = rate(2, &[met(0, 1, 9, 0, 0), met(1, 0, 9, 0, 0)], Given::default());
    assert_eq!((ratings.advantage, ratings.players[0].elo), (None, 0.0));
    // One who always had the first side: advantage and strength are the same thing.
    let ratings = rate(2, &[met(0, 1, 12, 5, 7)], Given::default());
    let difference = ratings.players[0].elo - ratings.players[1].elo;
    assert!(ratings.advantage.is_none() && (difference - elo_of_score(14.5 / 24.0)).abs() < 1.0, "{difference}");
}

/// A chain of players and many of them: strengths that were put in come out again.
#[test]
fn hundreds_of_players_are_rated() {
    let players = 300;
    let truth = |i: usize| (i as f64 - 149.5) * 2.0;
    let mut games = Vec::new();
    for i in 0..players {
        for j in [i + 1, i + 7, i + 60].into_iter().filter(|&j| j < players) {
            // A thousand games with the expected results of a model without draws.
            let score = 1.0 / (1.0 + 10f64.powf((truth(j) - truth(i)) / 400.0));
            let wins = (1e6 * score).round() as u64;
            games.push(met(i, j, wins, 0, 1_000_000 - wins));
            games.push(met(j, i, 1_000_000 - wins, 0, wins));
        }
    }
    let ratings = rate(players, &games, Given::default());
    for (i, rating) in ratings.players.iter().enumerate() {
        assert!((rating.elo - truth(i)).abs() < 0.01, "{i}: {rating:?}");
        assert!(rating.error.unwrap() < 1.0 && rating.group == 0);
    }
    assert!(ratings.advantage.unwrap().value.abs() < 1e-3);
}

/// Anyone who is connected with others by points both ways has a rating with an error, however much was drawn.
#[test]
fn connected_players_are_always_measured() {
    let games = [
        met(0, 1, 2, 37, 1),
        met(0, 2, 0, 39, 1),
        met(0, 3, 13, 24, 3),
        met(1, 2, 1, 38, 1),
        met(1, 3, 14, 25, 1),
        met(2, 3, 15, 22, 3),
    ];
    let ratings = rate(4, &games, Given::default());
    assert!(ratings.players.iter().all(|p| p.error.is_some_and(|e| e > 0.0)), "{:?}", ratings.players);
    assert_eq!(ratings.order()[3], 3);
    let mut state = 11u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for _ in 0..500 {
        let players = 2 + (unit() * 7.0) as usize;
        let draws = unit();
        let mut games = Vec::new();
        for a in 0..players {
            for b in 0..players {
                let mut of = || (unit() * 30.0) as u64;
                let (w, d, l) = (1 + of(), (draws * 200.0) as u64, 1 + of());
                if a != b {
                    games.push(met(a, b, w, d, l));
                }
            }
        }
        let ratings = rate(players, &games, Given::default());
        assert!(ratings.players.iter().all(|p| p.error.is_some_and(|e| e > 0.0 && e < 2000.0)), "{games:?}");
        assert!(ratings.advantage.is_some(), "{games:?}");
        assert!(ratings.players.iter().map(|p| p.elo).sum::<f64>().abs() < 1e-6);
    }
}

/// A player who never lost was 0 Elo above the others, with an error of 0: what a draw is worth grew without end.
#[test]
fn players_who_never_lost_have_the_elo_of_their_score() {
    for (wins, draws) in [(30, 70), (10, 90), (60, 40), (19, 1), (1, 1)] {
        let total = Games::new(wins, draws, 0);
        let met = [Met { first: 0, second: 1, games: total }];
        let ratings = rate(2, &met, Given::default());
        let difference = ratings.players[0].elo - ratings.players[1].elo;
        let wanted = total.elo().unwrap();
        assert!((difference - wanted.value).abs() < 0.02 * wanted.value + 0.1, "{total:?}: {difference}, {wanted:?}");
        let error = 2.0 * ratings.players[0].error.unwrap();
        let half = (wanted.high - wanted.low) / 2.0;
        assert!(half.is_infinite() || error > 0.5 * half && error < 2.0 * half, "{total:?}: {error} beside {half}");
    }
}
