//! The schedule of a match: players, sides and opening of each game, as a pure function of the game's number, so that a
//! resumed match goes on exactly where it was.

use crate::bracket::Bracket;
use crate::swiss::{Swiss, SwissRow};
use serde::{Deserialize, Serialize};
use tesuji_game::Random;
use utoipa::ToSchema;

/// The pairings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Everybody meets everybody; with two players a plain match.
    RoundRobin,
    /// Each of the first players, this many as are said, meets all others but these.
    Gauntlet(usize),
    /// The winner of a tie goes on. A tie that ends level goes on by this many pairs of games at most; after them the
    /// player that was named earlier goes on.
    Knockout(u64),
    /// This many rounds, in each of which players of like scores meet, nobody twice.
    Swiss(u64),
}

/// The assignment of sides, and how often an opening is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sides {
    /// Every opening is played twice in a row, with sides swapped: a pair of games.
    #[default]
    Swap,
    /// Every opening is played once; the players of a pairing take turns with the first side.
    Alternate,
    /// Every opening is played once; the player that was named earlier always has the first side.
    Fixed,
}

/// In which order openings are taken.
///
/// # Examples
///
/// ```
/// use tesuji_arena::Order;
/// let mut openings = [0, 1, 2, 3];
/// Order::Sequential(1).arrange(&mut openings, 7);
/// assert_eq!(openings, [1, 2, 3, 0]);
/// ```
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
    /// The number of its pair of games: the same opening with sides swapped. Its own where games are no pairs.
    pub pair: u64,
    /// The round, from 0: every pairing plays one pair in it, all from the same opening; in a knockout the stage.
    pub round: u64,
    /// Index of the pairing; in a knockout of the tie, in a Swiss tournament of the meeting.
    pub pairing: usize,
    /// The players with the first and the second side.
    pub players: [usize; 2],
    /// Whether the pairing's first player has the second side.
    pub is_swapped: bool,
    /// Index of the opening.
    pub opening: usize,
}

/// All games of a tournament. In a knockout and a Swiss tournament, results decide what follows: they are taken one by one.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Format, Schedule, Sides};
/// // Three players, of whom every two play a pair of games from each of five openings.
/// let schedule = Schedule::new(3, Format::RoundRobin, 10, 5, Sides::Swap);
/// assert_eq!((schedule.pairings().len(), schedule.games(), schedule.rounds()), (3, 30, 5));
/// let pair = [0, 1].map(|game| schedule.fixture(game));
/// assert_eq!((pair[0].opening, pair[0].is_swapped), (pair[1].opening, !pair[1].is_swapped));
/// assert_eq!(pair[0].players, [pair[1].players[1], pair[1].players[0]]);
/// ```
#[derive(Debug, Clone)]
pub struct Schedule {
    draw: Draw,
    games_each: u64,
    openings: u64,
    sides: Sides,
}

/// The pairings.
#[derive(Debug, Clone)]
enum Draw {
    /// Known from the beginning; each pairing has this many games.
    Pairings(Vec<[usize; 2]>),
    /// Known as results come.
    Knockout(Bracket),
    /// Known round by round.
    Swiss(Swiss),
}

impl Schedule {
    /// `games_each`: games of every pairing; an odd number leaves the last pair incomplete. `openings`: how many there
    /// are; the rounds take one after another, and begin again where there are no more. A knockout always swaps sides.
    ///
    /// # Panics
    /// With fewer than two players, without openings, or with a gauntlet in which nobody meets anybody.
    pub fn new(players: usize, format: Format, games_each: u64, openings: usize, sides: Sides) -> Schedule {
        assert!(players >= 2, "a match needs two players");
        assert!(openings > 0, "a match needs an opening");
        let draw = match format {
            Format::RoundRobin => {
                Draw::Pairings((0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b])).collect())
            }
            Format::Gauntlet(seeds) => {
                assert!((1..players).contains(&seeds), "a gauntlet of {seeds} seeds among {players} players");
                Draw::Pairings((0..seeds).flat_map(|a| (seeds..players).map(move |b| [a, b])).collect())
            }
            Format::Knockout(tiebreaks) => Draw::Knockout(Bracket::new(players, games_each, tiebreaks)),
            Format::Swiss(rounds) => Draw::Swiss(Swiss::new(players, rounds, games_each)),
        };
        let sides = if matches!(draw, Draw::Knockout(_)) { Sides::Swap } else { sides };
        Schedule { draw, games_each, openings: openings as u64, sides }
    }

    /// The pairings that are known by now: index, and the two players.
    pub fn pairings(&self) -> Vec<(usize, [usize; 2])> {
        match &self.draw {
            Draw::Pairings(pairings) => pairings.iter().copied().enumerate().collect(),
            Draw::Knockout(bracket) => {
                (0..bracket.ties()).filter_map(|tie| Some((tie, bracket.players(tie)?))).collect()
            }
            Draw::Swiss(swiss) => swiss.meetings().enumerate().collect(),
        }
    }

    /// Whether games come in pairs of one opening with sides swapped.
    pub fn is_paired(&self) -> bool {
        self.sides == Sides::Swap
    }

    /// Whether the winner of a tie goes on.
    pub fn is_knockout(&self) -> bool {
        matches!(self.draw, Draw::Knockout(_))
    }

    /// Whether it is a Swiss tournament.
    pub fn is_swiss(&self) -> bool {
        matches!(self.draw, Draw::Swiss(_))
    }

    /// Whether results decide who meets whom.
    pub fn follows_results(&self) -> bool {
        self.is_knockout() || self.is_swiss()
    }

    /// As many openings can be used.
    pub fn rounds(&self) -> u64 {
        match &self.draw {
            Draw::Pairings(_) => self.games_each.div_ceil(self.games_a_round()),
            Draw::Knockout(bracket) => bracket.stages() * bracket.pairs_max(),
            Draw::Swiss(swiss) => swiss.rounds_max() * self.openings_a_meeting(swiss),
        }
    }

    /// Openings from which two players of a Swiss tournament play when they meet.
    fn openings_a_meeting(&self, swiss: &Swiss) -> u64 {
        swiss.games_each().div_ceil(self.games_a_round())
    }

    /// Games that a pairing plays from one opening.
    fn games_a_round(&self) -> u64 {
        if self.is_paired() { 2 } else { 1 }
    }

    /// The number of games; in a knockout, tie-breaks come to it as they turn out to be needed.
    pub fn games(&self) -> u64 {
        match &self.draw {
            Draw::Pairings(pairings) => pairings.len() as u64 * self.games_each,
            Draw::Knockout(bracket) => bracket.games(),
            Draw::Swiss(swiss) => swiss.games(),
        }
    }

    /// The games that may be played by now, done or not, in the order in which they should begin: one by one, since a match
    /// may be of a billion games.
    pub fn open(&self) -> Box<dyn Iterator<Item = u64> + Send> {
        match &self.draw {
            Draw::Pairings(_) => Box::new(0..self.games()),
            Draw::Knockout(bracket) => {
                let games_max = bracket.games_max();
                Box::new(bracket.open().into_iter().map(move |(tie, game)| tie as u64 * games_max + game))
            }
            Draw::Swiss(swiss) => Box::new(0..swiss.games_paired()),
        }
    }

    /// Whether there is a game of this number by now.
    pub fn has(&self, game: u64) -> bool {
        match &self.draw {
            Draw::Pairings(_) => game < self.games(),
            Draw::Knockout(bracket) => {
                bracket.is_open((game / bracket.games_max()) as usize, game % bracket.games_max())
            }
            Draw::Swiss(swiss) => game < swiss.games_paired(),
        }
    }

    /// Takes the result of a game, as the score of the side that moves first; returns the games that follow from it.
    ///
    /// # Panics
    /// When there is no such game.
    pub fn take(&mut self, game: u64, score: f64) -> Vec<u64> {
        let fixture = self.fixture(game);
        let score = if fixture.is_swapped { 1.0 - score } else { score };
        match &mut self.draw {
            Draw::Pairings(_) => Vec::new(),
            Draw::Knockout(bracket) => {
                let games_max = bracket.games_max();
                let next = bracket.take(fixture.pairing, game % games_max, score);
                next.into_iter().map(|(tie, game)| tie as u64 * games_max + game).collect()
            }
            Draw::Swiss(swiss) => swiss.take(fixture.pairing, game % swiss.games_each(), score),
        }
    }

    /// The round of a knockout or Swiss tournament to which a pairing belongs, from 0; 0 in other forms.
    pub fn stage(&self, pairing: usize) -> u64 {
        match &self.draw {
            Draw::Pairings(_) => 0,
            Draw::Knockout(bracket) => bracket.stage(pairing),
            Draw::Swiss(swiss) => swiss.round(pairing),
        }
    }

    /// The byes of a Swiss tournament that are known by now: round, from 0, and player; none in other forms.
    pub fn byes(&self) -> Vec<(u64, usize)> {
        match &self.draw {
            Draw::Swiss(swiss) => swiss.byes(),
            _ => Vec::new(),
        }
    }

    /// The round of a Swiss tournament that is played now, from 1, and how many there are; `None` in other forms.
    pub fn swiss_round(&self) -> Option<(u64, u64)> {
        match &self.draw {
            Draw::Swiss(swiss) => Some((swiss.rounds_paired(), swiss.rounds_max())),
            _ => None,
        }
    }

    /// The table of a Swiss tournament after the games that are known, the best first; `None` in other forms.
    pub fn swiss_table(&self) -> Option<Vec<SwissRow>> {
        match &self.draw {
            Draw::Swiss(swiss) => Some(swiss.table()),
            _ => None,
        }
    }

    /// The winner of a knockout that is over.
    pub fn winner(&self) -> Option<usize> {
        match &self.draw {
            Draw::Knockout(bracket) => bracket.winner(),
            _ => None,
        }
    }

    /// The fixture of a game. Pairs are played together; a last incomplete round has one game of each pairing.
    ///
    /// # Panics
    /// When there is no such game (by now).
    pub fn fixture(&self, game: u64) -> Fixture {
        assert!(self.has(game), "game {game} of {}", self.games());
        match &self.draw {
            Draw::Pairings(pairings) if self.is_paired() => self.of_pairs(pairings, game),
            Draw::Pairings(pairings) => self.of_games(pairings, game),
            Draw::Knockout(bracket) => self.of_tie(bracket, game),
            Draw::Swiss(swiss) => self.of_meeting(swiss, game),
        }
    }

    fn of_pairs(&self, pairings: &[[usize; 2]], game: u64) -> Fixture {
        let count = pairings.len() as u64;
        let whole = self.games_each / 2 * 2 * count;
        let (pair, is_swapped) = match game.checked_sub(whole) {
            None => (game / 2, game % 2 == 1),
            Some(rest) => (whole / 2 + rest, false),
        };
        let (round, pairing) = (pair / count, (pair % count) as usize);
        self.with_sides(
            Fixture { game, pair, round, pairing, players: pairings[pairing], is_swapped, opening: 0 },
            round,
        )
    }

    fn of_games(&self, pairings: &[[usize; 2]], game: u64) -> Fixture {
        let count = pairings.len() as u64;
        let (round, pairing) = (game / count, (game % count) as usize);
        let is_swapped = self.sides == Sides::Alternate && round % 2 == 1;
        let players = pairings[pairing];
        self.with_sides(Fixture { game, pair: game, round, pairing, players, is_swapped, opening: 0 }, round)
    }

    fn of_tie(&self, bracket: &Bracket, game: u64) -> Fixture {
        let (tie, inside) = ((game / bracket.games_max()) as usize, game % bracket.games_max());
        let (pair, is_swapped) = bracket.place(inside);
        let round = bracket.stage(tie);
        let players = bracket.players(tie).unwrap_or_default();
        let opening = round * bracket.pairs_max() + pair;
        let pair = tie as u64 * bracket.pairs_max() + pair;
        self.with_sides(Fixture { game, pair, round, pairing: tie, players, is_swapped, opening: 0 }, opening)
    }

    fn of_meeting(&self, swiss: &Swiss, game: u64) -> Fixture {
        let (meeting, inside) = ((game / swiss.games_each()) as usize, game % swiss.games_each());
        let (round, openings) = (swiss.round(meeting), self.openings_a_meeting(swiss));
        let (place, pair) = match self.is_paired() {
            true => (inside / 2, meeting as u64 * openings + inside / 2),
            false => (inside, game),
        };
        let is_swapped = inside % 2 == 1 && self.sides != Sides::Fixed;
        let players = swiss.players(meeting).unwrap_or_default();
        let fixture = Fixture { game, pair, round, pairing: meeting, players, is_swapped, opening: 0 };
        self.with_sides(fixture, round * openings + place)
    }

    /// The fixture with its sides, and with the opening of that number in the book.
    fn with_sides(&self, fixture: Fixture, opening: u64) -> Fixture {
        let [a, b] = fixture.players;
        let players = if fixture.is_swapped { [b, a] } else { [a, b] };
        Fixture { players, opening: (opening % self.openings) as usize, ..fixture }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn pairs_swap_sides_and_share_the_opening() {
        for (players, format, games) in [
            (2, Format::RoundRobin, 10),
            (4, Format::RoundRobin, 7),
            (5, Format::Gauntlet(1), 4),
            (5, Format::Gauntlet(2), 4),
        ] {
            let schedule = Schedule::new(players, format, games, 3, Sides::Swap);
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

    /// Its games were a list of numbers, and one of their fixtures, before the first was played.
    #[test]
    fn a_billion_games_take_no_memory() {
        let schedule = Schedule::new(100, Format::RoundRobin, 1_000_000_000, 3, Sides::Swap);
        assert_eq!((schedule.games(), schedule.open().nth(5)), (4_950_000_000_000, Some(5)));
        assert_eq!(schedule.fixture(schedule.games() - 1).players, [99, 98]);
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
        let schedule = Schedule::new(2, Format::RoundRobin, 8, 3, Sides::Swap);
        let taken: Vec<usize> = (0..8).map(|g| schedule.fixture(g).opening).collect();
        assert_eq!((taken, schedule.rounds()), (vec![0, 0, 1, 1, 2, 2, 0, 0], 4));
    }

    #[test]
    fn games_that_are_no_pairs_have_openings_of_their_own() {
        for (sides, firsts) in [(Sides::Alternate, [0, 1, 0, 1]), (Sides::Fixed, [0; 4])] {
            let schedule = Schedule::new(2, Format::RoundRobin, 4, 9, sides);
            let fixtures: Vec<Fixture> = schedule.open().map(|g| schedule.fixture(g)).collect();
            assert_eq!(fixtures.iter().map(|f| f.opening).collect::<Vec<_>>(), [0, 1, 2, 3]);
            assert_eq!(fixtures.iter().map(|f| f.players[0]).collect::<Vec<_>>(), firsts);
            assert_eq!((schedule.rounds(), schedule.is_paired()), (4, false));
        }
    }

    #[test]
    fn seeds_of_a_gauntlet_do_not_meet() {
        let schedule = Schedule::new(5, Format::Gauntlet(2), 2, 1, Sides::Swap);
        let pairings: Vec<[usize; 2]> = schedule.pairings().into_iter().map(|p| p.1).collect();
        assert_eq!(pairings, [[0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4]]);
    }

    #[test]
    fn a_knockout_opens_games_as_results_come() {
        let mut schedule = Schedule::new(4, Format::Knockout(1), 2, 50, Sides::Swap);
        // Ties 0 and 1 have numbers 0 to 7, the final 8 to 11; tie-breaks come last in each.
        assert_eq!((schedule.open().collect(), schedule.games(), schedule.rounds()), (vec![0, 1, 4, 5], 6, 4));
        assert_eq!([0, 4].map(|g| schedule.fixture(g).players), [[0, 3], [1, 2]]);
        assert!(!schedule.has(2) && !schedule.has(8));
        let swapped = schedule.fixture(5);
        assert_eq!((swapped.players, swapped.is_swapped, swapped.opening), ([2, 1], true, 0));
        assert!(schedule.take(0, 0.0).is_empty());
        // The first side of the second game is the worse seed, which won both.
        assert!(schedule.take(1, 1.0).is_empty());
        assert!(schedule.take(4, 1.0).is_empty());
        assert_eq!(schedule.take(5, 1.0), [6, 7]);
        assert_eq!((schedule.games(), schedule.fixture(6).opening), (8, 1));
        assert!(schedule.take(6, 0.5).is_empty());
        assert_eq!(schedule.take(7, 1.0), [8, 9]);
        assert_eq!(schedule.pairings(), [(0, [0, 3]), (1, [1, 2]), (2, [2, 3])]);
        assert_eq!((schedule.fixture(8).round, schedule.fixture(8).opening), (1, 2));
        schedule.take(8, 1.0);
        assert!(schedule.take(9, 0.5).is_empty());
        assert_eq!(schedule.winner(), Some(2));
    }
    #[test]
    fn a_swiss_tournament_opens_round_by_round() {
        let mut schedule = Schedule::new(4, Format::Swiss(2), 2, 50, Sides::Swap);
        assert_eq!((schedule.open().collect(), schedule.games(), schedule.rounds()), (vec![0, 1, 2, 3], 8, 2));
        assert_eq!([0, 1, 2].map(|g| schedule.fixture(g).players), [[0, 2], [2, 0], [3, 1]]);
        assert!(!schedule.has(4) && schedule.winner().is_none());
        // The better seeds win, but for a draw: 0 has 2 points, 1 has 1½.
        assert!([(0, 1.0), (1, 0.0), (2, 0.0)].iter().all(|&(game, score)| schedule.take(game, score).is_empty()));
        assert_eq!(schedule.take(3, 0.5), [4, 5, 6, 7]);
        assert_eq!([4, 6].map(|g| schedule.fixture(g).players), [[0, 1], [2, 3]]);
        let last = schedule.fixture(7);
        assert_eq!((last.players, last.is_swapped, last.opening, last.pair, last.round), ([3, 2], true, 1, 3, 1));
        assert!((4..8).all(|game| schedule.take(game, 0.5).is_empty()));
        let table: Vec<(usize, f64)> =
            schedule.swiss_table().unwrap().iter().map(|row| (row.player, row.points)).collect();
        assert_eq!(table, [(0, 3.0), (1, 2.5), (3, 1.5), (2, 1.0)]);
    }

    /// With a single game of each meeting sides and openings take turns.
    #[test]
    fn a_swiss_tournament_of_single_games_balances_sides() {
        let mut schedule = Schedule::new(6, Format::Swiss(3), 1, 50, Sides::Alternate);
        let mut firsts = [0; 6];
        let mut open: Vec<u64> = schedule.open().collect();
        while !open.is_empty() {
            open = open
                .into_iter()
                .flat_map(|game| {
                    let fixture = schedule.fixture(game);
                    assert_eq!((fixture.pair, fixture.opening as u64, fixture.is_swapped), (game, game / 3, false));
                    firsts[fixture.players[0]] += 1;
                    schedule.take(game, if fixture.players[0] < fixture.players[1] { 1.0 } else { 0.0 })
                })
                .collect();
        }
        assert!(firsts.iter().all(|n| (1..=2).contains(n)), "{firsts:?}");
    }
}
