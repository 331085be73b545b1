//! How a match stands: counts of every pairing, single games and pairs, faults and time used of every player.

use crate::{FaultKind, Finished, Schedule, Used};
use std::collections::{BTreeMap, HashMap};
use tesuji_game::{Outcome, Side};
use tesuji_stats::{Games, Met, Pairs, Sprt, Walk};

/// The counts of a match. Every game changes it once.
#[derive(Debug, Clone)]
pub struct Standing {
    pairings: Vec<Pairing>,
    players: Vec<PlayerCount>,
    half_pairs: HashMap<u64, f64>,
    games: u64,
    reasons: BTreeMap<&'static str, u64>,
}

/// Two players against each other, from the first one's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pairing {
    /// Indices of the players.
    pub players: [usize; 2],
    /// Games one by one.
    pub games: Games,
    /// Those of the games in which the first player had the first side.
    pub games_first: Games,
    /// Complete pairs.
    pub pairs: Pairs,
}

/// What a player did in all its games.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlayerCount {
    /// All games, from this player's view.
    pub games: Games,
    /// Games with the first side, from this player's view.
    pub games_first: Games,
    /// Faults by kind.
    pub faults: BTreeMap<FaultKind, u64>,
    /// Losses on time that a processor taken away explains; counted among the faults too.
    pub stolen: u64,
    /// Moves, time, nodes.
    pub used: Used,
}

impl Standing {
    /// Before the first game.
    pub fn new(schedule: &Schedule, players: usize) -> Standing {
        let pairing = |&players: &[usize; 2]| Pairing { players, ..Pairing::default() };
        Standing {
            pairings: schedule.pairings().iter().map(pairing).collect(),
            players: vec![PlayerCount::default(); players],
            half_pairs: HashMap::new(),
            games: 0,
            reasons: BTreeMap::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, schedule: &Schedule, finished: &Finished) {
        let fixture = schedule.fixture(finished.game);
        self.games += 1;
        *self.reasons.entry(reason(finished)).or_default() += 1;
        for side in Side::ALL {
            let player = &mut self.players[fixture.players[side.index()]];
            let score = finished.outcome.score(side);
            player.games.add(score);
            if side == Side::First {
                player.games_first.add(score);
            }
            player.used.add(&finished.used[side.index()]);
        }
        if let Some((side, fault)) = &finished.fault {
            let player = &mut self.players[fixture.players[side.index()]];
            *player.faults.entry(fault.kind).or_default() += 1;
            player.stolen += u64::from(fault.stolen);
        }
        let view = if fixture.is_swapped { Side::Second } else { Side::First };
        let score = finished.outcome.score(view);
        let pairing = &mut self.pairings[fixture.pairing];
        pairing.games.add(score);
        if !fixture.is_swapped {
            pairing.games_first.add(score);
        }
        match self.half_pairs.remove(&fixture.pair) {
            Some(other) => pairing.pairs.add(score + other),
            None => drop(self.half_pairs.insert(fixture.pair, score)),
        }
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Each pairing.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    /// Each player, in the order of the entrants.
    pub fn players(&self) -> &[PlayerCount] {
        &self.players
    }

    /// How games ended, and how often.
    pub fn reasons(&self) -> &BTreeMap<&'static str, u64> {
        &self.reasons
    }

    /// Games that a fault decided.
    pub fn faults(&self) -> u64 {
        self.players.iter().flat_map(|p| p.faults.values()).sum()
    }

    /// The log-likelihood ratio of the first pairing: of its complete pairs, or of its games where the test's model is
    /// one of games.
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        let of = |p: &Pairing| if sprt.is_of_pairs() { sprt.llr_pairs(&p.pairs) } else { sprt.llr_games(&p.games) };
        self.pairings.first().map_or(0.0, of)
    }

    /// Who met whom with which side: for ratings.
    pub fn met(&self) -> Vec<Met> {
        let of = |p: &Pairing| {
            let [a, b] = p.players;
            let (all, first) = (p.games, p.games_first);
            // From the view of the pairing's second player, who had the first side in the others.
            let second = Games::new(all.losses - first.losses, all.draws - first.draws, all.wins - first.wins);
            [Met { first: a, second: b, games: first }, Met { first: b, second: a, games: second }]
        };
        self.pairings.iter().flat_map(of).filter(|m| m.games.games() > 0).collect()
    }

    /// The rest of a test of the first pairing.
    pub fn walk(&self, sprt: &Sprt) -> Option<Walk> {
        let (pairing, llr) = (self.pairings.first()?, self.llr(sprt));
        Some(if sprt.is_of_pairs() {
            sprt.walk_on(llr, &pairing.pairs)
        } else {
            sprt.walk_on(llr, &pairing.games.by_score())
        })
    }
}

/// Why a game ended, in a word or two: the fault's kind where there was one.
fn reason(finished: &Finished) -> &'static str {
    match (&finished.fault, finished.outcome) {
        (Some((_, fault)), _) => fault.kind.name(),
        (None, Outcome { by, .. }) => crate::by_name(by),
    }
}

impl Used {
    /// Adds what was used in another game.
    pub fn add(&mut self, other: &Used) {
        self.moves += other.moves;
        self.time += other.time;
        self.longest = self.longest.max(other.longest);
        self.nodes += other.nodes;
        self.depths += other.depths;
        self.overrun = self.overrun.max(other.overrun);
    }
}
