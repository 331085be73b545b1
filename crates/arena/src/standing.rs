//! The standing of a match: counts of every pairing, single games and pairs, faults and time used by every player.

use crate::{FaultKind, Finished, Fixture, Schedule, Used};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use tesuji_game::{Outcome, Side};
use tesuji_stats::{Games, Met, Pairs, Sprt, StopWidth, Walk};

/// The counts of a match. Every game changes it once.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::{Finished, Format, Schedule, Sides, Standing, Used};
/// use tesuji_game::{By, Outcome, Side};
/// let schedule = Schedule::new(2, Format::RoundRobin, 4, 2, Sides::Swap);
/// let mut standing = Standing::new(&schedule, 2);
/// for game in 0..2 {
///     standing.add(&schedule, &Finished {
///         game,
///         outcome: Outcome::win(Side::First, By::Mate),
///         fault: None,
///         plies: 2,
///         duration: Duration::from_secs(1),
///         used: [Used::default(); 2],
///         moves: vec!["1".to_string(), game.to_string()],
///         values: Vec::new(),
///     });
/// }
/// // The first side won both games of a pair: a draw, as pairs go.
/// let (games, pairs) = standing.tested();
/// assert_eq!((games.wins, games.losses), (1, 1));
/// assert_eq!(pairs.0, [0, 0, 1, 0, 0]);
/// assert_eq!((standing.games(), standing.repeated(), standing.faults()), (2, 0, 0));
/// ```
#[derive(Debug, Clone)]
pub struct Standing {
    pairings: Vec<Pairing>,
    players: Vec<PlayerCount>,
    half_pairs: HashMap<u64, HalfPair>,
    /// Checksums of the games by now: opening, players and moves.
    seen: HashSet<u64>,
    repeated: u64,
    is_paired: bool,
    games: u64,
    reasons: BTreeMap<&'static str, u64>,
}

/// The first game of a pair: points of the pairing's first player, and whether an earlier game was the same.
#[derive(Debug, Clone, Copy)]
struct HalfPair {
    score: f64,
    is_repeated: bool,
}

/// Two players against each other, from the first one's view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pairing {
    /// Its index in the schedule.
    pub index: usize,
    /// Indices of the players.
    pub players: [usize; 2],
    /// Games one by one.
    pub games: Games,
    /// Those of the games in which the first player had the first side.
    pub games_first: Games,
    /// Complete pairs.
    pub pairs: Pairs,
    /// The games without those that repeat an earlier one move by move: a test counts these alone, as repeats say nothing new.
    pub games_distinct: Games,
    /// Complete pairs without those of two repeated games.
    pub pairs_distinct: Pairs,
    /// Time and nodes used by each of the players.
    pub used: [Used; 2],
}

/// Counts of a player over all its games.
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
        let pairing = |(index, players)| Pairing { index, players, ..Pairing::default() };
        Standing {
            pairings: schedule.pairings().into_iter().map(pairing).collect(),
            players: vec![PlayerCount::default(); players],
            half_pairs: HashMap::new(),
            seen: HashSet::new(),
            repeated: 0,
            is_paired: schedule.is_paired(),
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
        let is_repeated = !self.seen.insert(checksum(&fixture, finished)) && finished.fault.is_none();
        self.repeated += u64::from(is_repeated);
        let half = HalfPair { score, is_repeated };
        let whole_pair = match self.half_pairs.remove(&fixture.pair) {
            Some(other) => Some(HalfPair { score: score + other.score, is_repeated: is_repeated && other.is_repeated }),
            None if self.is_paired => self.half_pairs.insert(fixture.pair, half),
            None => None,
        };
        let pairing = self.pairing_of(&fixture);
        pairing.games.add(score);
        if !is_repeated {
            pairing.games_distinct.add(score);
        }
        for (used, side) in pairing.used.iter_mut().zip([view, !view]) {
            used.add(&finished.used[side.index()]);
        }
        if !fixture.is_swapped {
            pairing.games_first.add(score);
        }
        if let Some(pair) = whole_pair {
            pairing.pairs.add(pair.score);
            if !pair.is_repeated {
                pairing.pairs_distinct.add(pair.score);
            }
        }
    }

    /// The pairing of a fixture; in a knockout they appear as they come to be.
    fn pairing_of(&mut self, fixture: &Fixture) -> &mut Pairing {
        let place = match self.pairings.binary_search_by_key(&fixture.pairing, |p| p.index) {
            Ok(place) => place,
            Err(place) => {
                let [a, b] = fixture.players;
                let players = if fixture.is_swapped { [b, a] } else { [a, b] };
                self.pairings.insert(place, Pairing { index: fixture.pairing, players, ..Pairing::default() });
                place
            }
        };
        &mut self.pairings[place]
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Each pairing that is known by now, in the order of the schedule.
    pub fn pairings(&self) -> &[Pairing] {
        &self.pairings
    }

    /// Each player, in the order of the entrants.
    pub fn players(&self) -> &[PlayerCount] {
        &self.players
    }

    /// Reasons for the end of games, with their counts.
    pub fn reasons(&self) -> &BTreeMap<&'static str, u64> {
        &self.reasons
    }

    /// Games that a fault decided.
    pub fn faults(&self) -> u64 {
        self.players.iter().flat_map(|p| p.faults.values()).sum()
    }

    /// Games that repeat an earlier one move by move, from the same opening with the same sides; those that a fault decided left out.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// The games and complete pairs of the first player against all others.
    pub fn tested(&self) -> (Games, Pairs) {
        let (mut games, mut pairs) = (Games::default(), Pairs::default());
        for pairing in self.pairings.iter().filter(|p| p.players[0] == 0) {
            games += pairing.games;
            pairs += pairing.pairs;
        }
        (games, pairs)
    }

    /// The counts that a test uses: those of games that do not repeat others.
    fn evidence(&self) -> (Games, Pairs) {
        let (mut games, mut pairs) = (Games::default(), Pairs::default());
        for pairing in self.pairings.iter().filter(|p| p.players[0] == 0) {
            games += pairing.games_distinct;
            pairs += pairing.pairs_distinct;
        }
        (games, pairs)
    }

    /// The log-likelihood ratio of what a test looks at: of complete pairs, or of games where the test's model is one
    /// of games or games are no pairs.
    pub fn llr(&self, sprt: &Sprt) -> f64 {
        let (games, pairs) = self.evidence();
        if self.tests_pairs(sprt) { sprt.llr_pairs(&pairs) } else { sprt.llr_games(&games) }
    }

    fn tests_pairs(&self, sprt: &Sprt) -> bool {
        sprt.is_of_pairs() && self.is_paired
    }

    /// The results of all encounters by player and side, for ratings.
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

    /// The rest of a test.
    pub fn walk(&self, sprt: &Sprt) -> Option<Walk> {
        let ((games, pairs), llr) = (self.evidence(), self.llr(sprt));
        let has_begun = !self.pairings.is_empty();
        has_begun.then(|| match self.tests_pairs(sprt) {
            true => sprt.walk_on(llr, &pairs),
            false => sprt.walk_on(llr, &games.by_score()),
        })
    }

    /// Whether every pairing is known as narrowly as was asked for.
    pub fn is_narrow(&self, stop: &StopWidth) -> bool {
        self.pairings.iter().all(|p| match self.is_paired {
            true => stop.is_reached(p.pairs.pairs(), p.pairs.elo()),
            false => stop.is_reached(p.games.games(), p.games.elo()),
        })
    }
}

/// A number of a game's opening, players and moves, by which repeated games are known.
fn checksum(fixture: &Fixture, finished: &Finished) -> u64 {
    let mut hasher = DefaultHasher::new();
    (fixture.opening, fixture.players, &finished.moves).hash(&mut hasher);
    hasher.finish()
}

/// The reason for the end of a game, in a word or two: the fault's kind where there was one.
fn reason(finished: &Finished) -> &'static str {
    match (&finished.fault, finished.outcome) {
        (Some((_, fault)), _) => fault.kind.name(),
        (None, Outcome { by, .. }) => by.name(),
    }
}

impl Used {
    /// Adds what was used in another game.
    pub fn add(&mut self, other: &Used) {
        // Numbers of a journal that was changed may be any.
        self.moves = self.moves.saturating_add(other.moves);
        self.time = self.time.saturating_add(other.time);
        self.longest = self.longest.max(other.longest);
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.depths = self.depths.saturating_add(other.depths);
        self.overrun = self.overrun.max(other.overrun);
        self.given = self.given.saturating_add(other.given);
        self.silent = self.silent.saturating_add(other.silent);
        self.excess_moves = self.excess_moves.saturating_add(other.excess_moves);
        self.nodes_most = self.nodes_most.max(other.nodes_most);
        self.idle_moves = self.idle_moves.saturating_add(other.idle_moves);
        self.starved = self.starved.saturating_add(other.starved);
    }

    /// The mean depth of its moves in plies; `None` where it told none.
    pub fn depth(&self) -> Option<f64> {
        (self.depths > 0).then(|| self.depths as f64 / f64::from(self.moves.saturating_sub(self.silent).max(1)))
    }

    /// Nodes a second; `None` where it told none, or took no time.
    pub fn speed(&self) -> Option<f64> {
        (self.nodes > 0 && !self.time.is_zero()).then(|| self.nodes as f64 / self.time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Format, Sides};
    use std::time::Duration;
    use tesuji_game::By;

    /// Sixty games from five openings between deterministic engines were ten games, and a test took them for sixty.
    #[test]
    fn repeated_games_are_no_evidence() {
        let schedule = Schedule::new(2, Format::RoundRobin, 60, 5, Sides::Swap);
        let sprt = Sprt::new(0.0, 5.0);
        let standing = |games: u64, moves: &dyn Fn(&Fixture) -> String| {
            let mut standing = Standing::new(&schedule, 2);
            for game in 0..games {
                let fixture = schedule.fixture(game);
                // One pair in five is won by the first player.
                let winner = if fixture.opening == 0 && fixture.is_swapped { Side::Second } else { Side::First };
                let outcome = Outcome::win(winner, By::Mate);
                let (used, duration) = ([Used::default(); 2], Duration::from_secs(1));
                let (moves, values) = (vec![moves(&fixture)], Vec::new());
                let finished = Finished { game, outcome, fault: None, plies: 1, duration, used, moves, values };
                standing.add(&schedule, &finished);
            }
            standing
        };
        let same = |fixture: &Fixture| format!("o{}", fixture.opening);
        let (ten, sixty) = (standing(10, &same), standing(60, &same));
        assert_eq!((ten.repeated(), sixty.repeated(), sixty.games()), (0, 50, 60));
        assert_eq!((sixty.tested().1.pairs(), sixty.evidence().1.pairs()), (30, 5));
        assert_eq!(sixty.llr(&sprt), ten.llr(&sprt));
        let differ = standing(60, &|fixture| format!("g{}", fixture.game));
        assert_eq!(differ.repeated(), 0);
        assert!(differ.llr(&sprt) > 2.0 * ten.llr(&sprt), "{} {}", differ.llr(&sprt), ten.llr(&sprt));
    }
}
