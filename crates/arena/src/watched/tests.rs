//! Workers of timed matches that are told apart, or are not, by made-up games.

use super::*;
use crate::{Fault, Used};
use tesuji_game::{By, Outcome, Random};

/// Games of a match that `workers` played in turns, a pair each time: `score` makes the half points of a game for the first player.
struct Play<'a> {
    watched: Watched,
    random: Random,
    workers: &'a [&'a str],
}

impl Play<'_> {
    fn new<'a>(workers: &'a [&'a str]) -> Play<'a> {
        let comparable = Comparable { two_entrants: true, follows_results: false };
        let watched = Watched { comparable, ..Watched::default() };
        Play { watched, random: Random::new(5), workers }
    }

    /// Pairs, of which `habit` says by worker: the chance that the first player wins, in percent, the chance of a loss on time, and the
    /// share of stolen time.
    fn pairs(&mut self, pairs: u64, habit: impl Fn(&str) -> (usize, usize, u64)) {
        for number in 0..pairs {
            let pair = number + self.watched.halves.len() as u64 + 1_000_000;
            let worker = self.workers[number as usize % self.workers.len()];
            let origin = GameOrigin { worker: worker.into(), id: format!("id-{worker}") };
            let (wins, time, stolen) = habit(worker);
            for is_swapped in [false, true] {
                let players = if is_swapped { [1, 0] } else { [0, 1] };
                let fixture = Fixture { game: 0, pair, round: 0, pairing: 0, players, is_swapped, opening: 0 };
                let side = if is_swapped { Side::Second } else { Side::First };
                let outcome = match self.random.below(100) {
                    draw if draw < 50 => Outcome::draw(By::Repetition),
                    _ if self.random.below(100) < wins => Outcome::win(side, By::Mate),
                    _ => Outcome::win(!side, By::Mate),
                };
                let lost = self.random.below(100) < time;
                let used = Used {
                    time: Duration::from_millis(100),
                    starved: Duration::from_millis(stolen),
                    ..Used::default()
                };
                let finished = Finished {
                    game: 0,
                    outcome,
                    fault: lost.then(|| (side, Fault::new(FaultKind::Time, "late"))),
                    plies: 9,
                    duration: Duration::from_secs(1),
                    used: [used; 2],
                    moves: Vec::new(),
                    values: Vec::new(),
                };
                self.watched.add(&fixture, &finished, &origin);
            }
        }
    }

    fn outliers(&mut self) -> Vec<String> {
        self.watched.outliers(false).into_iter().map(|worker| worker.worker).collect()
    }
}

#[test]
fn a_worker_whose_results_differ_is_found_and_others_are_not() {
    let mut play = Play::new(&["a", "b", "c", "d"]);
    play.pairs(400, |_| (50, 0, 1));
    assert_eq!(play.outliers(), [""; 0]);
    assert!(play.watched.groups().iter().all(|group| group.verdict.is_none() && group.pairs == 100));
    play.pairs(1_200, |worker| (if worker == "c" { 97 } else { 50 }, 0, 1));
    assert_eq!(play.outliers(), ["id-c"]);
    let groups = play.watched.groups();
    assert!(groups[0].name == "c" && groups[0].verdict.as_ref().unwrap().contains("p = "), "{:?}", groups[0]);
    // It is told once: who takes it back knows better.
    play.pairs(400, |worker| (if worker == "c" { 97 } else { 50 }, 0, 1));
    assert_eq!(play.outliers(), [""; 0]);
}

#[test]
fn of_two_that_differ_nobody_is_set_aside() {
    let mut play = Play::new(&["a", "b"]);
    play.pairs(400, |worker| (if worker == "a" { 95 } else { 50 }, 0, 1));
    assert_eq!(play.outliers(), [""; 0]);
    assert!(play.watched.groups()[0].verdict.as_ref().unwrap().contains("nobody can tell which is wrong"));
}

#[test]
fn losses_on_time_and_stolen_time_are_those_of_one_worker() {
    let mut play = Play::new(&["a", "b"]);
    play.pairs(200, |worker| (50, if worker == "b" { 20 } else { 0 }, 1));
    assert_eq!(play.outliers(), ["id-b"]);
    assert!(play.watched.groups()[0].verdict.as_ref().unwrap().contains("lost on time"));
    let mut play = Play::new(&["a", "b", "c"]);
    play.pairs(90, |worker| (50, 0, if worker == "a" { 25 } else { 2 }));
    assert_eq!(play.outliers(), ["id-a"]);
    let groups = play.watched.groups();
    assert!(groups[0].verdict.as_ref().unwrap().contains("for 25 % of their time"), "{:?}", groups[0]);
    // Where all wait alike, the machine is what it is.
    let mut play = Play::new(&["a", "b", "c"]);
    play.pairs(90, |_| (50, 0, 25));
    assert_eq!(play.outliers(), [""; 0]);
}

#[test]
fn all_workers_with_a_model_of_processor_are_one_group() {
    let mut play = Play::new(&["a", "b", "c", "d", "e", "f"]);
    for (worker, model) in [("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Y"), ("e", "Z"), ("f", "Z")] {
        play.watched.processors.insert(format!("id-{worker}"), model.into());
    }
    play.pairs(6 * 60, |worker| (if "cd".contains(worker) { 97 } else { 50 }, 0, 1));
    let found = play.outliers();
    let of_model = play.watched.groups().into_iter().find(|group| group.name == "Y").unwrap();
    assert!(of_model.is_processor && of_model.pairs == 120, "{of_model:?}");
    assert_eq!(found, ["id-c", "id-d"], "{:?}", play.watched.groups());
}

#[test]
fn a_noisy_worker_takes_none_of_its_model_with_it() {
    let mut play = Play::new(&["a", "b", "c", "d"]);
    for (worker, model) in [("a", "X"), ("b", "X"), ("c", "Y"), ("d", "Y")] {
        play.watched.processors.insert(format!("id-{worker}"), model.into());
    }
    play.pairs(120, |worker| (50, 0, if worker == "a" { 60 } else { 1 }));
    assert_eq!(play.outliers(), ["id-a"], "{:?}", play.watched.groups());
    let mut play = Play::new(&["a", "b", "c", "d"]);
    play.watched.processors =
        [("id-a", "X"), ("id-b", "X"), ("id-c", "Y")].map(|(id, model)| (id.into(), model.into())).into();
    play.pairs(800, |worker| (50, if worker == "a" { 40 } else { 0 }, 1));
    assert_eq!(play.outliers(), ["id-a"], "{:?}", play.watched.groups());
}

#[test]
fn a_group_with_a_few_games_is_no_witness() {
    let mut play = Play::new(&["a", "b"]);
    play.pairs(400, |worker| (if worker == "a" { 95 } else { 50 }, 0, 1));
    play.workers = &["c"];
    play.pairs(1, |_| (50, 0, 1));
    assert_eq!(play.outliers(), [""; 0]);
    // Neither are two that do not agree with each other.
    let mut play = Play::new(&["a", "b", "c"]);
    play.pairs(900, |worker| {
        (
            if worker == "a" {
                97
            } else if worker == "b" {
                50
            } else {
                3
            },
            0,
            1,
        )
    });
    assert_eq!(play.outliers(), [""; 0]);
    let words = play.watched.groups()[0].verdict.clone().unwrap();
    assert!(words.contains("nobody can tell which is wrong"), "{words}");
}

#[test]
fn one_that_was_taken_back_hides_no_other() {
    let mut play = Play::new(&["a", "b", "c", "d", "e"]);
    let bad = |worker: &str| (if "ab".contains(worker) { 97 } else { 50 }, 0, 1);
    play.pairs(750, bad);
    let first = play.outliers();
    assert!(first == ["id-a"] || first == ["id-b"], "{first:?}");
    play.pairs(750, bad);
    let second = play.outliers();
    assert!(second != first && (second == ["id-a"] || second == ["id-b"]), "{first:?}, then {second:?}");
    play.pairs(750, bad);
    assert_eq!(play.outliers(), [""; 0]);
}

#[test]
fn results_that_follow_from_pairings_are_not_those_of_workers() {
    let mut play = Play::new(&["a", "b", "c", "d"]);
    play.watched.comparable.two_entrants = false;
    play.pairs(800, |worker| (if worker == "c" { 97 } else { 50 }, if worker == "c" { 30 } else { 0 }, 1));
    assert_eq!(play.outliers(), [""; 0]);
    let groups = play.watched.groups();
    assert!(groups.iter().all(|group| group.pairs == 0));
    assert!(groups[0].verdict.as_ref().unwrap().contains("lost on time"), "{groups:?}");
    let mut play = Play::new(&["a", "b", "c"]);
    play.watched.comparable.follows_results = true;
    play.pairs(90, |worker| (50, 0, if worker == "a" { 25 } else { 2 }));
    assert_eq!(play.outliers(), [""; 0]);
    assert!(play.watched.groups()[0].verdict.is_some());
}

#[test]
fn nobody_is_set_aside_where_no_other_worker_was_heard_of_lately() {
    let mut play = Play::new(&["a", "b", "c"]);
    play.pairs(90, |worker| (50, 0, if worker == "a" { 25 } else { 2 }));
    play.watched.heard.retain(|id, _| id == "id-a");
    assert_eq!(play.outliers(), [""; 0]);
    // With the last look, whatever was played since.
    play.pairs(3, |_| (50, 0, 1));
    assert_eq!(play.outliers(), [""; 0]);
    let last: Vec<_> = play.watched.outliers(true).into_iter().map(|worker| worker.worker).collect();
    assert_eq!(last, ["id-a"]);
}
