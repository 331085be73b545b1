//! Who meets whom, when, with which side and from which opening: a pure function of the game's number, so that a
//! resumed match goes on exactly where it was.

use tesuji_game::Random;

/// Who meets whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody; with two players a plain match.
    RoundRobin,
    /// The first player meets all others.
    Gauntlet,
}

/// In which order openings are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// As they stand, from this index on.
    Sequential(usize),
    /// Shuffled by the seed, each once before any comes again.
    Random,
}

impl Order {
    /// Puts openings into this order.
    pub fn arrange<T>(self, openings: &mut [T], seed: u64) {
        match self {
            Order::Sequential(_) if openings.is_empty() => {}
            Order::Sequential(from) => openings.rotate_left(from % openings.len()),
            Order::Random => Random::new(seed).shuffle(openings),
        }
    }
}

/// One game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub game: u64,
    /// The number of its pair of games: the same opening with sides swapped.
    pub pair: u64,
    /// The round, from 0: every pairing plays one pair in it, all from the same opening.
    pub round: u64,
    /// Index of the pairing.
    pub pairing: usize,
    /// The players with the first and the second side.
    pub players: [usize; 2],
    /// Whether the pairing's first player has the second side.
    pub is_swapped: bool,
    /// Index of the opening.
    pub opening: usize,
}

/// All games of a tournament.
#[derive(Debug, Clone)]
pub struct Schedule {
    pairings: Vec<[usize; 2]>,
    games_each: u64,
    openings: usize,
}

impl Schedule {
    /// `games_each`: games of every pairing; an odd number leaves the last pair incomplete. `openings`: how many there
    /// are; the rounds take one after another, and begin again where there are no more.
    ///
    /// # Panics
    /// With fewer than two players or without openings.
    pub fn new(players: usize, format: Format, games_each: u64, openings: usize) -> Schedule {
        assert!(players >= 2, "a match needs two players");
        assert!(openings > 0, "a match needs an opening");
        let pairings = match format {
            Format::RoundRobin => (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b])).collect(),
            Format::Gauntlet => (1..players).map(|b| [0, b]).collect(),
        };
        Schedule { pairings, games_each, openings }
    }

    /// The pairings, each as two indices of players.
    pub fn pairings(&self) -> &[[usize; 2]] {
        &self.pairings
    }

    /// The number of rounds: as many openings can be used.
    pub fn rounds(&self) -> u64 {
        self.games_each.div_ceil(2)
    }

    /// The number of games.
    pub fn games(&self) -> u64 {
        self.pairings.len() as u64 * self.games_each
    }

    /// The fixture of a game. Pairs are played together; a last incomplete round has one game of each pairing.
    ///
    /// # Panics
    /// When there is no such game.
    pub fn fixture(&self, game: u64) -> Fixture {
        assert!(game < self.games(), "game {game} of {}", self.games());
        let pairings = self.pairings.len() as u64;
        let whole = self.games_each / 2 * 2 * pairings;
        let (pair, is_swapped) = match game.checked_sub(whole) {
            None => (game / 2, game % 2 == 1),
            Some(rest) => (whole / 2 + rest, false),
        };
        let round = pair / pairings;
        let pairing = (pair % pairings) as usize;
        let [a, b] = self.pairings[pairing];
        let opening = (round % self.openings as u64) as usize;
        Fixture { game, pair, round, pairing, players: if is_swapped { [b, a] } else { [a, b] }, is_swapped, opening }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn pairs_swap_sides_and_share_the_opening() {
        for (players, format, games) in
            [(2, Format::RoundRobin, 10), (4, Format::RoundRobin, 7), (5, Format::Gauntlet, 4)]
        {
            let schedule = Schedule::new(players, format, games, 3);
            let mut met: HashMap<[usize; 2], i64> = HashMap::new();
            let mut pairs: HashMap<u64, Vec<Fixture>> = HashMap::new();
            for game in 0..schedule.games() {
                let fixture = schedule.fixture(game);
                let [a, b] = fixture.players;
                *met.entry([a.min(b), a.max(b)]).or_default() += 1;
                pairs.entry(fixture.pair).or_default().push(fixture);
            }
            assert!(met.values().all(|&n| n == games as i64) && met.len() == schedule.pairings().len());
            for pair in pairs.values().filter(|p| p.len() == 2) {
                assert_eq!(pair[0].players, [pair[1].players[1], pair[1].players[0]]);
                assert_eq!((pair[0].opening, pair[0].pairing), (pair[1].opening, pair[1].pairing));
            }
            assert!(pairs.values().filter(|p| p.len() == 1).all(|p| games % 2 == 1 && !p[0].is_swapped));
        }
    }

    #[test]
    fn orders_are_what_they_say() {
        let arranged = |order: Order, seed| {
            let mut openings = [0, 1, 2, 3, 4];
            order.arrange(&mut openings, seed);
            openings
        };
        assert_eq!(arranged(Order::Sequential(3), 1), [3, 4, 0, 1, 2]);
        assert_eq!(arranged(Order::Random, 1), arranged(Order::Random, 1));
        assert_ne!(arranged(Order::Random, 1), arranged(Order::Random, 2));
        let schedule = Schedule::new(2, Format::RoundRobin, 8, 3);
        let taken: Vec<usize> = (0..8).map(|g| schedule.fixture(g).opening).collect();
        assert_eq!((taken, schedule.rounds()), (vec![0, 0, 1, 1, 2, 2, 0, 0], 4));
    }
}
