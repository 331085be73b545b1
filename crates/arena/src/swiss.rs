//! A Swiss tournament: every round pairs players of like scores, and the table after it has Buchholz scores.

use crate::swiss_pairing::{SwissPlayer, pair_round};

/// The rounds of a Swiss tournament, as far as they are paired. A round is paired when all games before it are over.
#[derive(Debug, Clone)]
pub(crate) struct Swiss {
    players: usize,
    rounds_max: u64,
    games_each: u64,
    rounds: Vec<Round>,
}

/// A round that is paired.
#[derive(Debug, Clone)]
struct Round {
    meetings: Vec<Meeting>,
    bye: Option<usize>,
}

/// Two players of a round.
#[derive(Debug, Clone)]
struct Meeting {
    /// The one with the first side in the first game first.
    players: [usize; 2],
    /// The first player's scores in games that were played.
    scores: Vec<Option<f64>>,
}

impl Meeting {
    /// Points of both players by now.
    fn points(&self) -> [f64; 2] {
        let played = self.scores.iter().flatten();
        let first: f64 = played.clone().sum();
        [first, played.count() as f64 - first]
    }
}

/// A line of the table of a Swiss tournament.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Format, Schedule, Sides, SwissRow};
/// // Three players, two rounds: somebody has a bye, which counts as a won meeting.
/// let mut schedule = Schedule::new(3, Format::Swiss(2), 1, 9, Sides::Alternate);
/// assert_eq!((schedule.games(), schedule.fixture(0).players), (2, [0, 1]));
/// assert_eq!(schedule.take(0, 1.0), [1]);
/// assert_eq!(schedule.fixture(1).players, [2, 0]);
/// schedule.take(1, 0.5);
/// let table = schedule.swiss_table().unwrap();
/// assert_eq!(table[0], SwissRow { player: 2, points: 1.5, buchholz: 3.0, byes: 1 });
/// assert_eq!(table[1], SwissRow { player: 0, points: 1.5, buchholz: 2.5, byes: 0 });
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwissRow {
    /// The player.
    pub player: usize,
    /// Points of its games, and of byes.
    pub points: f64,
    /// The sum of the points of its opponents; a bye counts as an opponent with as many points as the player.
    pub buchholz: f64,
    /// Rounds without an opponent.
    pub byes: u64,
}

impl Swiss {
    /// `games_each`: games of a meeting, of which a bye counts as all won.
    pub(crate) fn new(players: usize, rounds_max: u64, games_each: u64) -> Swiss {
        let mut swiss = Swiss { players, rounds_max, games_each, rounds: Vec::new() };
        swiss.pair();
        swiss
    }

    /// The rounds that are played when nothing is said: two more than leave one player without a loss, unless players
    /// would meet twice.
    pub(crate) fn rounds_usual(players: usize) -> u64 {
        (u64::from(players.next_power_of_two().ilog2()) + 2).min(Swiss::rounds_possible(players))
    }

    /// The most rounds in which nobody need meet a player twice, or have two byes.
    pub(crate) fn rounds_possible(players: usize) -> u64 {
        (players - usize::from(players.is_multiple_of(2))) as u64
    }

    /// Pairs of players in a round.
    fn meetings_a_round(&self) -> usize {
        self.players / 2
    }

    /// Games of a meeting.
    pub(crate) fn games_each(&self) -> u64 {
        self.games_each
    }

    /// Games of all rounds.
    pub(crate) fn games(&self) -> u64 {
        self.rounds_max * self.meetings_a_round() as u64 * self.games_each
    }

    /// Games of the rounds that are paired.
    pub(crate) fn games_paired(&self) -> u64 {
        (self.rounds.len() * self.meetings_a_round()) as u64 * self.games_each
    }

    /// Rounds in all.
    pub(crate) fn rounds_max(&self) -> u64 {
        self.rounds_max
    }

    /// Rounds that are paired.
    pub(crate) fn rounds_paired(&self) -> u64 {
        self.rounds.len() as u64
    }

    /// The round of a meeting, from 0.
    pub(crate) fn round(&self, meeting: usize) -> u64 {
        (meeting / self.meetings_a_round()) as u64
    }

    /// The players of each meeting that is paired.
    pub(crate) fn meetings(&self) -> impl Iterator<Item = [usize; 2]> + '_ {
        self.rounds.iter().flat_map(|round| &round.meetings).map(|meeting| meeting.players)
    }

    /// The players of a meeting, the one with the first side in the first game first.
    pub(crate) fn players(&self, meeting: usize) -> Option<[usize; 2]> {
        self.meetings().nth(meeting)
    }

    /// The byes: round, from 0, and player.
    pub(crate) fn byes(&self) -> Vec<(u64, usize)> {
        self.rounds.iter().zip(0..).filter_map(|(round, number)| Some((number, round.bye?))).collect()
    }

    /// Takes the result of a game, as the score of the meeting's first player; returns the games that follow from it.
    pub(crate) fn take(&mut self, meeting: usize, game: u64, score: f64) -> Vec<u64> {
        let a_round = self.meetings_a_round();
        let known = self.rounds.get_mut(meeting / a_round).and_then(|round| round.meetings.get_mut(meeting % a_round));
        let Some(slot) = known.and_then(|meeting| meeting.scores.get_mut(game as usize)) else { return Vec::new() };
        *slot = Some(score);
        let is_over = |round: &Round| round.meetings.iter().all(|meeting| meeting.scores.iter().all(Option::is_some));
        if !self.rounds.last().is_none_or(is_over) || self.rounds.len() as u64 == self.rounds_max {
            return Vec::new();
        }
        let paired = self.games_paired();
        self.pair();
        (paired..self.games_paired()).collect()
    }

    /// Pairs the next round.
    fn pair(&mut self) {
        let paired = pair_round(&self.before_round());
        let scores = vec![None; self.games_each as usize];
        let meeting = |players| Meeting { players, scores: scores.clone() };
        self.rounds.push(Round { meetings: paired.boards.into_iter().map(meeting).collect(), bye: paired.bye });
    }

    /// What pairings depend on.
    fn before_round(&self) -> Vec<SwissPlayer> {
        let mut players = vec![SwissPlayer::default(); self.players];
        for round in &self.rounds {
            for meeting in &round.meetings {
                let [a, b] = meeting.players;
                for (index, points) in meeting.points().into_iter().enumerate() {
                    let player = &mut players[meeting.players[index]];
                    player.half_points += (2.0 * points) as u64;
                    player.met.push(if index == 0 { b } else { a });
                    // Else both have had either side as often.
                    if self.games_each % 2 == 1 {
                        player.had_first.push(index == 0);
                    }
                }
            }
            if let Some(bye) = round.bye {
                players[bye].byes += 1;
                players[bye].half_points += 2 * self.games_each;
            }
        }
        players
    }

    /// The table: by points, then by Buchholz scores, then by seeds.
    pub(crate) fn table(&self) -> Vec<SwissRow> {
        let players = self.before_round();
        let points = |player: usize| players[player].half_points as f64 / 2.0;
        let mut rows: Vec<SwissRow> = (0..self.players)
            .map(|player| {
                let byes = players[player].byes;
                let met: f64 = players[player].met.iter().map(|&other| points(other)).sum();
                let (points, byes_worth) = (points(player), byes as f64 * points(player));
                SwissRow { player, points, buchholz: met + byes_worth, byes }
            })
            .collect();
        rows.sort_by(|a, b| b.points.total_cmp(&a.points).then(b.buchholz.total_cmp(&a.buchholz)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};
    use tesuji_game::Random;

    /// Plays all games, with `score` for the first player of each.
    fn play(swiss: &mut Swiss, score: &mut dyn FnMut([usize; 2]) -> f64) {
        let mut open: Vec<u64> = (0..swiss.games_paired()).collect();
        while !open.is_empty() {
            let mut next = Vec::new();
            for game in open {
                let (meeting, inside) = ((game / swiss.games_each) as usize, game % swiss.games_each);
                let players = swiss.players(meeting).unwrap();
                let added = swiss.take(meeting, inside, score(players));
                assert!(next.is_empty(), "a round was paired before the one before it was over");
                next = added;
            }
            open = next;
        }
        assert_eq!(swiss.games_paired(), swiss.games());
    }

    /// Results by chance: nobody meets anybody twice, sides stay balanced, byes go to everybody once, and players of a round have like scores.
    #[test]
    fn tournaments_of_chance_keep_the_rules_of_pairing() {
        let mut random = Random::new(11);
        for case in 0..400 {
            let players = 2 + random.below(19);
            let most = Swiss::rounds_possible(players);
            // Beyond half of all rounds the players that are left may not be paired at all.
            let rounds = (1 + random.below(9) as u64).min(most.div_ceil(2));
            let mut swiss = Swiss::new(players, rounds, 1);
            play(&mut swiss, &mut |_| [0.0, 0.5, 1.0][random.below(3)]);
            let mut met = HashSet::new();
            for [a, b] in swiss.meetings() {
                assert!(a != b && met.insert([a.min(b), a.max(b)]), "case {case}: {a} and {b} met twice");
            }
            let mut byes = HashSet::new();
            assert!(swiss.byes().iter().all(|(_, player)| byes.insert(*player)), "case {case}: two byes");
            assert_eq!(byes.len() as u64, if players % 2 == 1 { rounds } else { 0 });
            for round in &swiss.rounds {
                let mut seen: HashSet<usize> = round.meetings.iter().flat_map(|meeting| meeting.players).collect();
                seen.extend(round.bye);
                assert_eq!(seen.len(), players);
            }
            for player in swiss.before_round() {
                let balance: i64 = player.had_first.iter().map(|&had| if had { 1 } else { -1 }).sum();
                assert!(balance.abs() <= 2, "case {case}: {players} players, {rounds} rounds, {:?}", player.had_first);
            }
            let points: f64 = swiss.table().iter().map(|row| row.points).sum();
            assert_eq!(points, (rounds * (players as u64).div_ceil(2)) as f64);
        }
    }

    /// All rounds that are possible: what cannot be avoided is rare, and everything is played.
    #[test]
    fn long_tournaments_repeat_few_pairs() {
        let mut random = Random::new(12);
        let (mut pairs, mut repeats, mut second_byes) = (0, 0, 0);
        for _ in 0..100 {
            let players = 3 + random.below(10);
            let rounds = Swiss::rounds_possible(players);
            let mut swiss = Swiss::new(players, rounds, 2);
            play(&mut swiss, &mut |_| [0.0, 0.5, 1.0][random.below(3)]);
            let mut met: HashMap<[usize; 2], u32> = HashMap::new();
            swiss.meetings().for_each(|[a, b]| *met.entry([a.min(b), a.max(b)]).or_default() += 1);
            pairs += swiss.meetings().count();
            repeats += met.values().map(|n| n - 1).sum::<u32>();
            let byes: HashSet<usize> = swiss.byes().iter().map(|bye| bye.1).collect();
            second_byes += swiss.byes().len() - byes.len();
        }
        assert!(pairs > 2000 && repeats * 20 < pairs as u32 && second_byes == 0, "{repeats} of {pairs}, {second_byes}");
    }

    /// The stronger always wins: after as many rounds as leave one without a loss, the best stands first.
    #[test]
    fn the_strongest_comes_first() {
        for players in 2..40 {
            let mut swiss = Swiss::new(players, Swiss::rounds_usual(players), 2);
            play(&mut swiss, &mut |[a, b]| if a < b { 1.0 } else { 0.0 });
            let table = swiss.table();
            assert_eq!(table[0].player, 0, "{players} players: {table:?}");
            let last = table.iter().position(|row| row.player == players - 1).unwrap();
            assert!(players < 6 || last > players / 2, "{players} players: {table:?}");
        }
    }

    #[test]
    fn a_whole_tournament() {
        // Seven players, of whom those with even numbers draw with each other; else the better seed wins.
        let mut swiss = Swiss::new(7, 4, 1);
        play(&mut swiss, &mut |[a, b]| if a % 2 == 0 && b % 2 == 0 { 0.5 } else { f64::from(a < b) });
        let text = |round: &Round| {
            let boards: Vec<String> =
                round.meetings.iter().map(|m| format!("{}-{} {}", m.players[0], m.players[1], m.points()[0])).collect();
            format!("{}, bye {}", boards.join(", "), round.bye.unwrap())
        };
        let rounds: Vec<String> = swiss.rounds.iter().map(text).collect();
        assert_eq!(rounds, GOLDEN);
        let table: Vec<String> =
            swiss.table().iter().map(|row| format!("{}: {} {}", row.player, row.points, row.buchholz)).collect();
        assert_eq!(table, TABLE);
    }

    /// Worked out by hand.
    const GOLDEN: [&str; 4] = [
        "0-3 1, 4-1 0, 2-5 1, bye 6",
        "6-0 0.5, 1-2 1, 3-4 1, bye 5",
        "0-1 1, 2-6 0.5, 5-3 0, bye 4",
        "4-0 0.5, 1-3 1, 6-5 0, bye 2",
    ];
    const TABLE: [&str; 7] = ["1: 3 9", "0: 3 8.5", "2: 2.5 9.5", "3: 2 9.5", "6: 2 9.5", "5: 2 8.5", "4: 1.5 9.5"];
}
