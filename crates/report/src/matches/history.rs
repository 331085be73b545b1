//! The history of a match for its report. It stays small however long the match is: lines are thinned out, openings and
//! lengths are counted.

use crate::svg::Point;
use std::collections::HashMap;
use tesuji_arena::{Finished, Schedule, Standing};
use tesuji_game::Side;
use tesuji_stats::{Games, Interval, Sprt};

/// The most places that a line has.
const POINTS_MAX: usize = 600;

/// The history of a match.
pub struct History {
    /// The counts after all games seen here.
    pub standing: Standing,
    sprt: Option<Sprt>,
    /// Elo of the first pairing.
    pub elo: Vec<Point>,
    /// The test's ratio.
    pub ratio: Vec<Point>,
    /// The winners of games whose pairs are half played.
    halves: HashMap<u64, Option<Side>>,
    /// Every this many games a line has a place.
    stride: u64,
    /// The results of each opening.
    pub openings: Vec<OpeningCount>,
    /// Games by plies, in steps of [`PLIES_STEP`].
    pub plies: Vec<u64>,
    /// Games by duration, in doublings from [`SECONDS_FIRST`].
    pub seconds: Vec<u64>,
}

/// Plies of one bar.
pub const PLIES_STEP: u32 = 20;
/// The upper end of the first bar of durations, in seconds.
pub const SECONDS_FIRST: f64 = 0.05;
/// Bars at most; the last one has all that is longer.
const BARS_MAX: usize = 24;

/// The results of an opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpeningCount {
    /// From the view of the side that moves first in the game.
    pub of_first_side: Games,
    /// Games whose pair is won by one side of the board in both games: the opening decided, not the players.
    pub lopsided: u64,
}

impl History {
    /// Before the first game.
    pub fn new(schedule: &Schedule, players: usize, openings: usize, sprt: Option<Sprt>) -> History {
        History {
            standing: Standing::new(schedule, players),
            sprt,
            elo: Vec::new(),
            ratio: Vec::new(),
            halves: HashMap::new(),
            stride: 1,
            openings: vec![OpeningCount::default(); openings],
            plies: Vec::new(),
            seconds: Vec::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, schedule: &Schedule, finished: &Finished) {
        self.standing.add(schedule, finished);
        let fixture = schedule.fixture(finished.game);
        if let Some(opening) = self.openings.get_mut(fixture.opening) {
            let winner = finished.outcome.winner;
            opening.of_first_side.add(finished.outcome.score(Side::First));
            match self.halves.remove(&fixture.pair) {
                None => drop(self.halves.insert(fixture.pair, winner)),
                Some(other) if other.is_some() && other == winner => opening.lopsided += 2,
                Some(_) => {}
            }
        }
        count(&mut self.plies, (finished.plies / PLIES_STEP) as usize);
        let doublings = (finished.duration.as_secs_f64() / SECONDS_FIRST).max(1e-9).log2().ceil().max(0.0);
        count(&mut self.seconds, doublings as usize);
        self.mark();
    }

    /// Adds a place to the lines, when it is time.
    fn mark(&mut self) {
        let Some(pairing) = self.standing.pairings().first() else { return };
        let games = pairing.games.games();
        if games == 0 || games % self.stride != 0 {
            return;
        }
        let x = games as f64;
        let elo = if pairing.pairs.pairs() > 0 { pairing.pairs.elo() } else { pairing.games.elo() };
        if let Some(Interval { low, value, high }) = elo {
            push(&mut self.elo, Point { x, low, value, high });
        }
        if let Some(sprt) = &self.sprt {
            let value = self.standing.llr(sprt);
            push(&mut self.ratio, Point { x, low: value, value, high: value });
        }
        if self.elo.len() >= POINTS_MAX {
            self.stride *= 2;
            let stride = self.stride as f64;
            for line in [&mut self.elo, &mut self.ratio] {
                line.retain(|p| p.x % stride == 0.0);
            }
        }
    }
}

/// Adds a place; one at the same number of games is replaced.
fn push(line: &mut Vec<Point>, point: Point) {
    if line.last().is_some_and(|last| last.x == point.x) {
        line.pop();
    }
    line.push(point);
}

fn count(bars: &mut Vec<u64>, bar: usize) {
    let bar = bar.min(BARS_MAX - 1);
    if bars.len() <= bar {
        bars.resize(bar + 1, 0);
    }
    bars[bar] += 1;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tesuji_arena::Format;
    use tesuji_game::{By, Outcome};

    fn game(number: u64, winner: Option<Side>) -> Finished {
        Finished {
            game: number,
            outcome: Outcome { winner, by: By::Mate },
            fault: None,
            plies: 100 + (number % 50) as u32,
            duration: Duration::from_millis(70 + number % 100),
            used: Default::default(),
            moves: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Twenty thousand games leave lines of a few hundred places.
    #[test]
    fn histories_stay_small() {
        let schedule = Schedule::new(2, Format::RoundRobin, 20_000, 10, tesuji_arena::Sides::Swap);
        let mut history = History::new(&schedule, 2, 10, Some(Sprt::new(0.0, 5.0)));
        for number in 0..20_000 {
            let winner = [Some(Side::First), None, Some(Side::Second), None][(number / 2 % 4) as usize];
            history.add(&schedule, &game(number, winner));
        }
        assert!((300..=POINTS_MAX).contains(&history.elo.len()), "{}", history.elo.len());
        assert_eq!(history.elo.len(), history.ratio.len());
        assert_eq!(history.elo.last().unwrap().x, 20_000.0 - 20_000.0 % history.stride as f64);
        assert_eq!((history.plies.iter().sum::<u64>(), history.seconds.iter().sum::<u64>()), (20_000, 20_000));
        assert_eq!(history.seconds[..3], [0, 6200, 13800]);
        let counted: u64 = history.openings.iter().map(|o| o.of_first_side.games()).sum();
        assert_eq!((counted, history.standing.games()), (20_000, 20_000));
        // Of every four pairs two are won by one side of the board in both games.
        assert_eq!(history.openings.iter().map(|o| o.lopsided).sum::<u64>(), 10_000);
    }
}
