//! Ratings of many players from the games between them: maximum likelihood in the model of Bradley and Terry with
//! draws (Rao and Kupper, 1967) and an advantage of the first side, as in Hunter, "MM algorithms for generalized
//! Bradley-Terry models", 2004, and Coulom's BayesElo; found by Newton's method, for the likelihood has one hill.
//!
//! The first player of strength difference `x` (its advantage included) wins with `F(x - θ)` and loses with
//! `F(-x - θ)`, where `F` is the logistic function; the rest are draws. Strengths become Elo by the scale on which their
//! differences between equals are the Elo of their scores. Where nearly all games are drawn, what a draw is worth would grow without
//! end and that scale become 0: it is held then, and differences are scaled to the Elo of the scores of those who met.

use crate::elo::{Z95, phi};
use crate::{Games, Interval};

mod groups;
mod newton;

use groups::Groups;
use newton::{Fit, Problem};

/// Games between two players, the first of whom had the first side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Met {
    /// Index of the player with the first side.
    pub first: usize,
    /// Index of the other.
    pub second: usize,
    /// The results, from the view of `first`.
    pub games: Games,
}

/// Parameters that are given instead of estimated from the games. `Default`: everything is estimated.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Given {
    /// The advantage of the first side, in unscaled Elo.
    pub advantage: Option<f64>,
    /// The strength difference that is worth a draw, in unscaled Elo.
    pub draw_elo: Option<f64>,
}

/// A player's rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// Its Elo; the mean of its group is 0, or the anchor has its own.
    pub elo: f64,
    /// Half the 95 % interval, of the difference to the group's mean, or to the anchor. `None` where nothing tells it:
    /// alone in a group, or among draws alone.
    pub error: Option<f64>,
    /// The group in which it can be compared, best groups first where they met.
    pub group: usize,
    /// All its games, from its view.
    pub games: Games,
}

/// The relation of two players' ratings, in different groups or in the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// In one group: their ratings have a difference.
    Measured,
    /// The first one is above by more than any number: it, or those it is measured by, won everything.
    Above,
    /// The first one is below by more than any number.
    Below,
    /// No chain of games connects them.
    Unknown,
}

/// Ratings of many players.
#[derive(Debug, Clone)]
pub struct Ratings {
    /// The ratings, in the order of the players.
    pub players: Vec<Rating>,
    /// The advantage of the first side in Elo with its 95 % interval; `None` where games do not tell it (it is then
    /// taken as 0) or where it was given.
    pub advantage: Option<Interval>,
    /// The share of draws between equals without advantage, in 0..1.
    pub draws_of_equals: f64,
    groups: Groups,
    /// Of the ratings, in Elo squared, row by row; only for few players.
    covariance: Option<Vec<f64>>,
}

/// Elo of one natural unit.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// What a draw is worth at most, in natural units: nine games of ten between equals are drawn then.
const THETA_MAX: f64 = 3.0;
/// The most players whose errors come from the whole covariance. Beyond, each error takes the others as known.
const EXACT_MAX: usize = 600;

/// Rates players by all games between them; `met` may name a pair more than once.
///
/// Players who beat all others (or lost to all) stand in groups of their own: no number of Elo is enough for them.
///
/// # Panics
/// When `met` names a player beyond `players`.
///
/// # Examples
/// ```
/// use tesuji_stats::{Games, Given, Met, rate};
/// let games = [Met { first: 0, second: 1, games: Games::new(60, 0, 40) }, Met { first: 1, second: 0, games: Games::new(40, 0, 60) }];
/// let ratings = rate(2, &games, Given::default());
/// let difference = ratings.players[0].elo - ratings.players[1].elo;
/// assert!((difference - 70.44).abs() < 0.01); // the Elo of a score of 60 %
/// ```
pub fn rate(players: usize, met: &[Met], given: Given) -> Ratings {
    let mut games = vec![Games::default(); players];
    for m in met {
        let Games { wins, draws, losses } = m.games;
        games[m.first] = games[m.first].plus(&m.games);
        games[m.second] = games[m.second].plus(&Games::new(losses, draws, wins));
    }
    let groups = Groups::of(players, met);
    // Games between groups are certain in the limit and tell nothing more.
    let within: Vec<Met> =
        met.iter().copied().filter(|m| m.first != m.second && groups.of[m.first] == groups.of[m.second]).collect();
    let total = within.iter().fold(Games::default(), |sum, m| sum.plus(&m.games));
    let is_drawn = total.wins + total.losses == 0 && given.draw_elo.is_none();
    let problem = Problem { players, met: &within, has_draws: total.draws > 0, groups: &groups, given };
    let fit = if is_drawn { None } else { problem.solve() };
    let draws_of_equals = if is_drawn && total.draws > 0 { 1.0 } else { draws_of(fit.as_ref()) };
    let is_held = given.draw_elo.is_none() && fit.as_ref().is_some_and(|fit| fit.theta > THETA_MAX);
    let held = Given { draw_elo: Some(THETA_MAX * ELO), ..given };
    let problem = Problem { given: if is_held { held } else { given }, ..problem };
    let fit = if is_held { problem.solve() } else { fit };
    let theta = fit.as_ref().map_or(0.0, |f| f.theta);
    let Scale { value: scale, slope } = match fit.as_ref().filter(|_| is_held) {
        Some(fit) => Scale::of(fit, &within),
        None => Scale::of_equals(theta),
    };
    let covariance = match &fit {
        Some(fit) if players <= EXACT_MAX => problem.covariance(fit),
        _ => None,
    };
    let spread = |i: usize| -> Option<f64> {
        let fit = fit.as_ref()?;
        if groups.size(groups.of[i]) < 2 {
            return None;
        }
        let variance = match &covariance {
            Some(c) => c[i * players + i],
            None => 1.0 / problem.curvature(fit, i),
        };
        variance.is_finite().then(|| Z95 * variance.max(0.0).sqrt() * slope)
    };
    let ratings = (0..players).map(|i| Rating {
        elo: fit.as_ref().map_or(0.0, |f| f.strength[i] * scale) + 0.0,
        error: spread(i),
        group: groups.of[i],
        games: games[i],
    });
    let advantage = fit.as_ref().and_then(|fit| {
        let known = Z95 * fit.advantage_known? * slope;
        let value = fit.advantage * slope;
        Some(Interval { low: value - known, value, high: value + known })
    });
    Ratings {
        players: ratings.collect(),
        advantage,
        draws_of_equals,
        covariance: covariance.map(|c| c.into_iter().map(|v| v * slope * slope).collect()),
        groups,
    }
}

/// The Elo of natural units.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Of differences of strengths.
    value: f64,
    /// Of small changes of them.
    slope: f64,
}

impl Scale {
    /// Between equals, where both are one.
    fn of_equals(theta: f64) -> Scale {
        let slope = ELO * 4.0 * newton::logistic(theta) * newton::logistic(-theta);
        Scale { value: slope, slope }
    }

    /// For the differences between players who met.
    fn of(fit: &Fit, met: &[Met]) -> Scale {
        let (mut games, mut slopes, mut squares, mut products) = (0.0, 0.0, 0.0, 0.0);
        for m in met {
            let n = m.games.games() as f64;
            let x = fit.strength[m.first] - fit.strength[m.second];
            let (win, loss) = (newton::logistic(x - fit.theta), newton::logistic(-x - fit.theta));
            let score = (1.0 + win - loss) / 2.0;
            let of_score = (win * (1.0 - win) + loss * (1.0 - loss)) / 2.0;
            games += n;
            slopes += n * ELO * of_score / (score * (1.0 - score));
            squares += n * x * x;
            products += n * x * ELO * (score / (1.0 - score)).ln();
        }
        let equals = Scale::of_equals(fit.theta);
        let slope = if games > 0.0 { slopes / games } else { equals.slope };
        let value = if squares > 1e-12 { products / squares } else { slope };
        if slope.is_finite() && value.is_finite() { Scale { value, slope } } else { equals }
    }
}

fn draws_of(fit: Option<&Fit>) -> f64 {
    fit.map_or(0.0, |f| 1.0 - 2.0 * newton::logistic(-f.theta))
}

impl Ratings {
    /// The relation of `a` to `b`.
    pub fn relation(&self, a: usize, b: usize) -> Relation {
        let (a, b) = (self.groups.of[a], self.groups.of[b]);
        if a == b {
            Relation::Measured
        } else if self.groups.beats(a, b) {
            Relation::Above
        } else if self.groups.beats(b, a) {
            Relation::Below
        } else {
            Relation::Unknown
        }
    }

    /// The chance in 0..=1 that `a` is better than `b`; `None` where they cannot be compared or their errors are
    /// unknown.
    pub fn los(&self, a: usize, b: usize) -> Option<f64> {
        let variance = self.variance(a, b)?;
        let difference = self.players[a].elo - self.players[b].elo;
        (variance > 0.0).then(|| phi(difference / variance.sqrt()))
    }

    /// The variance of the difference of two players of one group.
    fn variance(&self, a: usize, b: usize) -> Option<f64> {
        let n = self.players.len();
        let c = self.covariance.as_ref()?;
        let is_measured = a != b && self.groups.of[a] == self.groups.of[b];
        is_measured.then(|| c[a * n + a] + c[b * n + b] - 2.0 * c[a * n + b])
    }

    /// Whether anybody can be measured against this player.
    pub fn is_measured(&self, player: usize) -> bool {
        self.groups.size(self.groups.of[player]) > 1
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups.count()
    }

    /// Moves the group of `player` so that it has this `elo`; errors of that group are then of differences to it.
    pub fn anchor(&mut self, player: usize, elo: f64) {
        let by = elo - self.players[player].elo;
        let group = self.groups.of[player];
        for i in 0..self.players.len() {
            if self.groups.of[i] != group {
                continue;
            }
            self.players[i].elo += by;
            if self.covariance.is_some() {
                let variance = if i == player { Some(0.0) } else { self.variance(i, player) };
                self.players[i].error = variance.map(|v| Z95 * v.max(0.0).sqrt());
            }
        }
    }

    /// The players, best first: by groups, within a group by rating.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        let key = |i: usize| (self.players[i].group, -self.players[i].elo);
        order.sort_by(|&a, &b| key(a).0.cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        order
    }
}
