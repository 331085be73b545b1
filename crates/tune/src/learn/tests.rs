//! Tests of learning: known weights are found again, by every method, whatever the number of threads.

use super::*;
use crate::{Kept, Loss, Method, PieceTable, RunEnd};
use tesuji_dataset::Head;
use tesuji_game::{FirstSide, Random};

const FEATURES: usize = 12;

/// The weights that decide the games of [`games`].
fn truth() -> Vec<[f32; 2]> {
    (0..FEATURES as i32).map(|i| [(60 - 20 * i) as f32, (i * i - 40) as f32]).collect()
}

/// Games that follow the logistic model exactly, K = 200; feature 11 is rare.
fn games(count: u32, seed: u64) -> Rows {
    let (truth, mut rows) = (truth(), Rows::default());
    for game in 0..count {
        let mut random = Random::for_item(seed, u64::from(game));
        let mut counts: Vec<(u16, i16)> =
            (0..FEATURES as u16 - 1).map(|f| (f, random.below(5) as i16 - 2)).filter(|c| c.1 != 0).collect();
        if random.below(1000) == 0 {
            counts.push((11, 1));
        }
        let phase = random.below(257) as u16;
        let share = f32::from(phase) / 256.0;
        let pairs = counts.iter().map(|&(f, c)| (truth[f as usize], f32::from(c)));
        let value: f32 = pairs.map(|(w, c)| c * (w[0] * share + w[1] * (1.0 - share))).sum();
        let win = random.unit() < 1.0 / (1.0 + (-f64::from(value) / 200.0).exp());
        rows.push(Head { game, phase, scale: 64, half_points: 2 * win as u8, ..Head::default() }, &counts);
    }
    rows
}

fn settings() -> TuneSettings {
    TuneSettings { k: Some(200.0), lambda_plies: None, batch: 4096, ..TuneSettings::default() }
}

fn train(rows: &Rows, settings: &TuneSettings) -> Trained {
    let start = Weights::zero(FEATURES);
    learn(rows, &start, &Canon::default(), settings, &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn known_weights_are_found_again() {
    for loss in [Loss::Squared, Loss::CrossEntropy] {
        let trained = train(&games(200_000, 1), &TuneSettings { loss, ..settings() });
        for (f, (found, truth)) in trained.weights.values.iter().zip(truth()).enumerate().take(FEATURES - 1) {
            for phase in 0..2 {
                let off = (f32::from(found[phase]) - truth[phase]).abs();
                assert!(off < 7.0, "{loss}: feature {f}: {found:?} for {truth:?}");
            }
        }
    }
}

#[test]
fn the_loss_falls_and_the_best_epoch_counts() {
    let trained = train(&games(20_000, 2), &settings());
    let first = trained.history[0].held_loss.unwrap();
    assert!((first - 0.25).abs() < 1e-6, "nothing known: {first}");
    assert!(trained.held_loss.unwrap() < 0.9 * first);
    let least = trained.history.iter().map(|p| p.decisive_loss()).fold(f64::MAX, f64::min);
    assert_eq!(trained.history[trained.best_epoch as usize].decisive_loss(), least);
}

#[test]
fn the_number_of_jobs_changes_nothing() {
    let rows = games(20_000, 3);
    let run = |jobs| train(&rows, &TuneSettings { jobs, epochs: 5, ..settings() });
    let one = run(1);
    assert_eq!(one, run(3));
    assert_eq!(one, run(4));
    let other = train(&rows, &TuneSettings { seed: 9, epochs: 5, ..settings() });
    assert_ne!(one.history, other.history);
}

#[test]
fn k_is_fitted_to_the_start() {
    let rows = games(50_000, 4);
    let mut start = Weights::zero(FEATURES);
    for (whole, real) in start.values.iter_mut().zip(truth()) {
        *whole = real.map(|w| w as i16);
    }
    let settings = TuneSettings { k: None, epochs: 0, ..settings() };
    let trained = learn(&rows, &start, &Canon::default(), &settings, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!((trained.k - 200.0).abs() < 6.0, "{}", trained.k);
    assert_eq!(trained.weights, start, "no epochs, no change");
}

#[test]
fn what_few_boards_know_stays_near_its_start() {
    let rows = games(20_000, 5);
    let free = train(&rows, &TuneSettings { pull_rows: Some(0.0), ..settings() });
    let pulled = train(&rows, &TuneSettings { pull_rows: Some(0.5), ..settings() });
    let size = |t: &Trained| t.weights.values[11].iter().map(|w| w.abs()).max();
    assert!(size(&pulled) < size(&free), "{:?} {:?}", size(&pulled), size(&free));
    assert!(pulled.weights.values[0][0] > 30, "what many boards know is learned: {:?}", pulled.weights.values[0]);
}

#[test]
fn frozen_weights_stay_and_a_stop_keeps_the_best() {
    let rows = games(5_000, 6);
    let frozen = train(&rows, &TuneSettings { frozen: vec![0, 3], ..settings() });
    assert_eq!((frozen.weights.values[0], frozen.weights.values[3]), ([0; 2], [0; 2]));
    assert_ne!(frozen.weights.values[1], [0; 2]);
    let mut stop = |p: &Progress| if p.epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let stopped = learn(&rows, &Weights::zero(FEATURES), &Canon::default(), &settings(), &mut stop).unwrap();
    assert!(stopped.stopped);
    assert_eq!(stopped.history.len(), 3);
}

#[test]
fn scores_can_stand_in_for_results() {
    let mut rows = Rows::default();
    for game in 0..2000 {
        let head = Head { game, half_points: 1, score: Some(FirstSide(100)), phase: 256, scale: 64, ..Head::default() };
        rows.push(head, &[(0, 1)]);
    }
    let trained = train(&rows, &TuneSettings { result_share: 0.0, ..settings() });
    assert!((90..=110).contains(&trained.weights.values[0][0]), "{:?}", trained.weights.values[0]);
    let trained = train(&rows, &TuneSettings { result_share: 1.0, ..settings() });
    assert_eq!(trained.weights.values[0], [0; 2]);
}

#[test]
fn bad_input_is_named() {
    let start = Weights::zero(2);
    let go_on = &mut |_: &Progress| ControlFlow::Continue(());
    let empty = learn(&Rows::default(), &start, &Canon::default(), &settings(), go_on);
    assert_eq!(empty.unwrap_err(), TuneError::NoRows);
    let mut rows = Rows::default();
    rows.push(Head::default(), &[(5, 1)]);
    let wrong = learn(&rows, &start, &Canon::default(), &settings(), go_on);
    assert_eq!(wrong.unwrap_err(), TuneError::Features { found: 5, features: 2 });
}

#[test]
fn every_method_finds_the_same_valley() {
    let rows = games(30_000, 7);
    let by = |method, epochs| {
        let settings = TuneSettings { method, epochs, pull_rows: Some(0.0), rate_cp: 10.0, ..settings() };
        (method, train(&rows, &settings))
    };
    let least = train(&rows, &TuneSettings { method: Method::Lbfgs, epochs: 60, pull_rows: Some(0.0), ..settings() });
    let first = least.history[0].train_loss;
    let last = |t: &Trained| t.history.last().unwrap().train_loss;
    for (method, trained) in [by(Method::Adam, 60), by(Method::Coordinate, 9), by(Method::CmaEs, 300)] {
        let share = (last(&trained) - last(&least)) / (first - last(&least));
        assert!((-1e-6..0.02).contains(&share), "{method}: {share} of the way is missing");
        assert_eq!(method.to_string().parse(), Ok(method));
    }
    assert!(least.passes < 100.0, "{}", least.passes);
}

#[test]
fn coordinate_descent_tells_each_turn_and_step() {
    let rows = games(3_000, 8);
    let settings =
        TuneSettings { method: Method::Coordinate, epochs: 3, frozen: vec![1], pull_rows: Some(0.0), ..settings() };
    let (mut turns, mut value, mut sums) = (Vec::new(), 0i16, None);
    let mut tell = |event: Event| {
        match event {
            Event::Start { rows, weights, .. } => sums = Some((rows, weights)),
            Event::Turn(change) => {
                turns.push((change.cycle, change.feature, change.phase));
                value = change.value;
            }
            Event::Epoch(p) if p.epoch > 0 => {
                let change = p.change.unwrap();
                assert_eq!(turns.last(), Some(&(change.cycle, change.feature, change.phase)));
                assert_eq!((change.value - value).abs(), 1);
                value = change.value;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    };
    let start = Weights::zero(FEATURES);
    let trained = learn_with(&rows, &start, &Canon::default(), &settings, &mut tell).unwrap();
    let cycle: Vec<(u32, usize, usize)> = [0usize, 2, 3].into_iter().flat_map(|f| [(1, f, 0), (1, f, 1)]).collect();
    assert_eq!(turns[..6], cycle, "in order, the frozen one left out");
    let losses: Vec<f64> = trained.history.iter().map(|p| p.train_loss).collect();
    assert!(losses.windows(2).all(|w| w[1] < w[0]), "each step is better");
    assert_eq!(sums.unwrap().0, trained.rows);
    // What was kept row by row is what a whole pass says.
    assert!((trained.history[trained.best_epoch as usize].train_loss - trained.train_loss).abs() < 1e-7);
}

#[test]
fn bounds_hold_and_are_told() {
    let rows = games(10_000, 9);
    for method in Method::ALL {
        let bounds = (0..FEATURES).map(|_| [-30.0, 30.0]).collect();
        let settings = TuneSettings {
            method,
            bounds,
            rate_cp: 10.0,
            pull_rows: Some(0.0),
            epochs: 200,
            held_out: 0.0,
            ..settings()
        };
        let trained = train(&rows, &settings);
        assert!(trained.weights.values.iter().flatten().all(|w| (-30..=30).contains(w)), "{method}");
        assert!(trained.at_bound.contains(&(0, 0)), "{method}: 60 is out of reach: {:?}", trained.at_bound);
        assert!(!trained.at_bound.contains(&(3, 0)), "{method}: 0 is within");
    }
}

#[test]
fn restarts_show_how_far_they_end_apart() {
    let rows = games(5_000, 10);
    let settings = TuneSettings {
        method: Method::Lbfgs,
        restarts: 3,
        epochs: 60,
        pull_rows: Some(0.0),
        held_out: 0.0,
        ..settings()
    };
    let trained = train(&rows, &settings);
    let losses: Vec<f64> = trained.runs.iter().map(|r: &RunEnd| r.last_loss).collect();
    assert_eq!(losses.len(), 4);
    let (low, high) = (losses.iter().copied().fold(9.0, f64::min), losses.iter().copied().fold(0.0, f64::max));
    assert!(high - low < 1e-4 * low, "this loss has one valley: {losses:?}");
    let best = trained.runs.iter().map(|r| r.decisive_loss()).fold(f64::MAX, f64::min);
    assert_eq!(trained.runs[trained.best_run as usize].decisive_loss(), best);
    assert_eq!(trained, train(&rows, &TuneSettings { jobs: 3, ..settings }));
}

/// The errors against the spread of weights over data sets that are really new.
#[test]
fn the_bootstrap_tells_the_real_spread() {
    let by_lbfgs = TuneSettings { method: Method::Lbfgs, pull_rows: Some(0.0), held_out: 0.0, ..settings() };
    let told = train(&games(4_000, 100), &TuneSettings { bootstrap: 30, ..by_lbfgs.clone() }).errors;
    assert_eq!(told.len(), FEATURES);
    let mut sums = [[0f64; 2]; FEATURES];
    for seed in 0..20 {
        let trained = train(&games(4_000, 200 + seed), &by_lbfgs);
        for (f, pair) in trained.weights.values.iter().enumerate().take(11) {
            let off = f64::from(pair[0]) - f64::from(truth()[f][0]);
            sums[f][0] += off * off / 20.0;
            sums[f][1] += 1.0;
        }
    }
    let (told, real): (f64, f64) =
        (0..11).map(|f| (f64::from(told[f][0]), sums[f][0].sqrt())).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    assert!((0.8..1.3).contains(&(told / real)), "told {told}, real {real}");
}

#[test]
fn a_pull_to_zero_makes_weights_smaller() {
    let rows = games(5_000, 11);
    let size = |l2_rows| {
        let settings = TuneSettings { method: Method::Lbfgs, pull_rows: Some(0.0), l2_rows, ..settings() };
        train(&rows, &settings).weights.values.iter().flatten().map(|&w| i32::from(w).abs()).sum::<i32>()
    };
    assert!(size(30.0) < size(0.0), "{} {}", size(30.0), size(0.0));
}

/// `count` games of 20 boards whose results have nothing to do with what stands on them: all that can be learned is chance.
fn games_of_chance(count: u32, seed: u64) -> Rows {
    let mut rows = Rows::default();
    for game in 0..count {
        let mut random = Random::for_item(seed, u64::from(game));
        let half_points = random.below(3) as u8;
        for board in 0..20 {
            let counts: Vec<(u16, i16)> =
                (0..FEATURES as u16).map(|f| (f, random.below(5) as i16 - 2)).filter(|c| c.1 != 0).collect();
            let head = Head { game, boards: 20, boards_left: 19 - board, half_points, ..Head::default() };
            rows.push(Head { phase: random.below(257) as u16, scale: 64, ..head }, &counts);
        }
    }
    rows
}

/// Four of four seeds on 60 games once gave back weights that were worse than the start by their own validation, and then
/// the least loss over 15 games kept start weights 200 Elo below what had been learned.
#[test]
fn the_start_is_kept_only_where_the_held_out_games_prove_the_epoch_worse() {
    let (mut kept_start, mut kept_best) = (0, 0);
    for seed in 0..6 {
        let rows = games_of_chance(if seed < 3 { 60 } else { 600 }, 20 + seed);
        for method in Method::ALL {
            let settings = TuneSettings {
                method,
                seed,
                epochs: 8,
                rate_cp: if seed < 3 { 20.0 } else { 200.0 },
                pull_rows: Some(0.0),
                ..settings()
            };
            let trained = train(&rows, &settings);
            let start = trained.history[0].held_loss.unwrap();
            let held = trained.held_loss.unwrap();
            let is_start = trained.weights == Weights::zero(FEATURES);
            assert_eq!(trained.kept != Kept::Best, is_start, "{method}, seed {seed}");
            let Some(found) = trained.against_start else { continue };
            assert_eq!(found.is_worse(), is_start, "{method}, seed {seed}: {found:?}");
            if is_start {
                kept_start += 1;
                assert_eq!((held, trained.best_epoch, trained.k), (start, 0, trained.start_k), "{method}, seed {seed}");
            } else {
                kept_best += 1;
                assert!((held - start - found.difference).abs() < 1e-6, "{start} -> {held}: {found:?}");
                assert_eq!(
                    trained.is_cross_validated,
                    method != Method::Coordinate,
                    "few games judge by cross-validation"
                );
                if !trained.is_cross_validated {
                    let epochs = trained.history.iter().filter(|p| p.epoch > 0).map(|p| p.decisive_loss());
                    let least = epochs.fold(f64::MAX, f64::min);
                    let told = trained.history.iter().find(|p| p.epoch == trained.best_epoch).unwrap().decisive_loss();
                    assert_eq!(told, least, "among the epochs the least validation loss wins");
                }
            }
        }
    }
    assert!(kept_start > 0, "chance was always taken for knowledge");
    assert!(kept_best > 0, "a few games were always taken for a proof");
}

/// Ten held-out games, whose results say the opposite of the ninety others, by chance.
#[test]
fn ten_held_out_games_cannot_refute_what_ninety_teach() {
    let all: Rows = games(100, 41);
    let settings = TuneSettings { method: Method::Lbfgs, pull_rows: Some(0.0), ..settings() };
    let (_, held) = Set::split(&all, &settings);
    let held: Vec<u32> = held.games(&all).collect();
    let mut rows = Rows::default();
    for game in 0..100u32 {
        // Feature 0 wins two of three games, and half of those that are held out.
        let is_held = held.contains(&game);
        let won = if is_held { game % 2 == 0 } else { game % 3 > 0 };
        let head = Head { game, phase: 256, scale: 64, half_points: 2 * u8::from(won), ..Head::default() };
        rows.push(head, &[(0, 1)]);
    }
    let trained = train(&rows, &settings);
    let found = trained.against_start.unwrap();
    assert_eq!(found.games, held.len());
    assert!(found.difference > 0.0 && !found.is_worse(), "{found:?}");
    assert_eq!(trained.kept, Kept::Best);
    assert!(trained.is_cross_validated, "{} games choose no epoch", held.len());
    let learned = trained.weights.values[0][0];
    assert!((100..180).contains(&learned), "200 ln 2 = 139, not {learned}");
}

#[test]
fn all_games_held_out_are_no_games_without_results() {
    let start = Weights::zero(FEATURES);
    let settings = TuneSettings { held_out: 0.999_999, ..settings() };
    let error = learn(&games(5, 1), &start, &Canon::default(), &settings, &mut |_| ControlFlow::Continue(()));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("all 5 boards are of games that are held out (held_out 0.999999)"), "{error}");
}

#[test]
fn a_lambda_of_0_counts_all_boards_alike() {
    let rows = games_of_chance(40, 5);
    let of = |lambda_plies| train(&rows, &TuneSettings { lambda_plies, epochs: 3, ..settings() });
    assert_eq!(of(Some(0.0)), of(None));
}

#[test]
fn a_gain_that_rounding_loses_is_none() {
    // Each of 1,000 pieces is worth a tenth of a centipawn: whole weights can only say 0 or ten times too much.
    let mut rows = Rows::default();
    for game in 0..4_000u32 {
        let sign = if game % 2 == 0 { 1 } else { -1 };
        let won = Random::for_item(3, u64::from(game)).unit() < 1.0 / (1.0 + (-0.5 * f64::from(sign)).exp());
        let head = Head { game, phase: 256, scale: 64, half_points: 2 * u8::from(won), ..Head::default() };
        rows.push(head, &[(0, 1_000 * sign as i16)]);
    }
    let settings = TuneSettings { method: Method::Lbfgs, pull_rows: Some(0.0), ..settings() };
    let start = Weights::zero(1);
    let trained = learn(&rows, &start, &Canon::default(), &settings, &mut |_| ControlFlow::Continue(())).unwrap();
    let (first, best) = (trained.history[0].held_loss.unwrap(), trained.history[1].held_loss.unwrap());
    assert!(best < first, "before rounding it is better: {first} -> {best}");
    assert_eq!((trained.kept, trained.best_epoch, trained.weights), (Kept::StartForRounding, 0, start));
}

#[test]
fn a_table_centred_over_the_training_squares_does_not_cost_validation() {
    // Feature 0 counts a piece, features 1 to 3 where it stands, feature 4 is what there is to learn. Square 3 occurs in
    // held-out games alone, where moving the others' median into the piece's value changes what the piece is worth.
    let canon = Canon { tables: vec![PieceTable { value: 0, table: 1..4 }], unit: None };
    let start = Weights { values: vec![[0; 2], [60; 2], [50; 2], [0; 2], [0; 2]], ..Weights::zero(5) };
    let board = |game: u32| Head { game, phase: 128, scale: 64, half_points: (game % 3) as u8, ..Head::default() };
    let settings = TuneSettings { method: Method::Lbfgs, pull_rows: Some(0.0), frozen: Vec::new(), ..settings() };
    let mut all = Rows::default();
    (0..60).for_each(|game| all.push(board(game), &[(0, 1)]));
    let (_, held) = Set::split(&all, &settings);
    let held: Vec<u32> = (0..held.len()).map(|i| all.get(held.number(i)).head.game).collect();
    let mut rows = Rows::default();
    for game in 0..60 {
        let square = if held.contains(&game) { 3 } else { 1 + (game % 2) as u16 };
        rows.push(board(game), &[(0, 1), (square, 1), (4, i16::from(board(game).half_points == 2))]);
    }
    let trained = learn(&rows, &start, &canon, &settings, &mut |_| ControlFlow::Continue(())).unwrap();
    let first = trained.history[0].held_loss.unwrap();
    let told = trained.held_loss.unwrap();
    assert!(trained.history.iter().any(|p| p.decisive_loss() < first), "there was something to learn");
    assert_eq!(trained.kept != Kept::Best, trained.weights == start);
    let error = trained.against_start.map_or(0.0, |found| found.error);
    assert!(told <= first + 2.0 * error, "{first} -> {told}, {error}");
}

/// The mean loss of `set` as the textbook has it, in double precision, from the rows themselves.
fn slow_loss(set: &Set, rows: &Rows, trained: &Trained, settings: &TuneSettings) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for i in 0..set.len() {
        let row = rows.get(set.number(i));
        let midgame = f64::from(row.head.phase) / 256.0;
        let endgame = (1.0 - midgame) * f64::from(row.head.scale) / 64.0;
        let value: f64 = row
            .entries
            .iter()
            .map(|e| {
                let [mg, eg] = trained.weights.values[usize::from(e.feature)].map(f64::from);
                f64::from(e.count) * (mg * midgame + eg * endgame)
            })
            .sum();
        let expect = |cp: f64, k: f64| 1.0 / (1.0 + (-cp / k).exp());
        let result = f64::from(row.head.half_points) / 2.0;
        // A score is read with the K of the start weights: targets do not change while weights are learned.
        let searched = row.head.score.map_or(result, |cp| expect(f64::from(cp.0), trained.start_k));
        let target = settings.result_share * result + (1.0 - settings.result_share) * searched;
        let p = expect(value, trained.k);
        let loss = match settings.loss {
            Loss::Squared => (p - target).powi(2),
            Loss::Absolute => (p - target).abs(),
            Loss::Fourth => (p - target).powi(4),
            Loss::CrossEntropy => -target * p.ln() - (1.0 - target) * (1.0 - p).ln(),
        };
        let weight = settings.lambda_plies.map_or(1.0, |plies| (-f64::from(row.head.boards_left) / plies).exp());
        sum += weight * loss;
        weights += weight;
    }
    sum / weights
}

#[test]
fn losses_are_those_of_an_independent_computation() {
    let mut rows = Rows::default();
    for (i, row) in games_of_chance(300, 60).iter().enumerate() {
        // Some boards have a score, some endings are drawish.
        let score = (i % 3 > 0).then_some(FirstSide((i % 401) as i16 - 200));
        let counts: Vec<(u16, i16)> = row.entries.iter().map(|e| (e.feature, e.count)).collect();
        rows.push(Head { score, scale: 16 * (1 + i % 4) as u16, ..row.head }, &counts);
    }
    for loss in Loss::ALL {
        let settings = TuneSettings { loss, lambda_plies: Some(9.0), result_share: 0.3, epochs: 5, ..settings() };
        let trained = train(&rows, &settings);
        let (train, held) = Set::split(&rows, &settings);
        for (set, told) in [(&train, trained.train_loss), (&held, trained.held_loss.unwrap())] {
            let slow = slow_loss(set, &rows, &trained, &settings);
            assert!((told - slow).abs() < 2e-7, "{loss}: {told} told, {slow} computed");
        }
    }
}

/// Weights in other units are the same model: what is learned does not depend on them, and is not rounded.
#[test]
fn real_weights_are_those_of_a_finer_count() {
    let settings = TuneSettings {
        method: Method::Lbfgs,
        k: Some(200.0),
        pull_rows: Some(0.0),
        units: vec![1.0; 1],
        ..TuneSettings::default()
    };
    let learned = |count: i16| {
        let mut rows = Rows::default();
        for game in 0..4000 {
            let head =
                Head { game, half_points: if game % 4 == 0 { 0 } else { 2 }, phase: 256, scale: 64, ..Head::default() };
            rows.push(head, &[(0, count)]);
        }
        let trained =
            learn_real(&rows, &[[0.0; 2]], &Canon::default(), &settings, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(trained.kept, Kept::Best);
        f64::from(trained.real[0][0]) * f64::from(count)
    };
    let (coarse, fine) = (learned(1), learned(1000));
    assert!((coarse - 200.0 * 3f64.ln()).abs() < 8.0, "{coarse}");
    assert!((coarse - fine).abs() < 0.1 && fine.fract() != 0.0, "{coarse} {fine}");
}
