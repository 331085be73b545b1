//! The pairings of one round of a Swiss tournament, after the ideas of FIDE's Dutch system (Handbook C.04.3) in plain form: players meet
//! others of their score, the upper half of a score group the lower one, nobody twice, with sides balanced, and with an odd number of
//! players one has a bye.

use crate::matching::pairs_max;

/// A player before a round.
#[derive(Debug, Clone, Default)]
pub(crate) struct SwissPlayer {
    /// Half points, those of byes with them.
    pub(crate) half_points: u64,
    /// The players met by now.
    pub(crate) met: Vec<usize>,
    /// Byes by now.
    pub(crate) byes: u64,
    /// Whether it had the first side, by rounds in which sides were unequal.
    pub(crate) had_first: Vec<bool>,
}

/// The pairings of a round.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SwissBoards {
    /// The players of each board, the one with the first side first.
    pub(crate) boards: Vec<[usize; 2]>,
    /// Who has a bye.
    pub(crate) bye: Option<usize>,
}

impl SwissPlayer {
    /// Rounds with the first side less those with the second.
    fn balance(&self) -> i64 {
        self.had_first.iter().map(|&had| if had { 1 } else { -1 }).sum()
    }

    /// Whether it should have the first side; `None` before its first game.
    fn wants_first(&self) -> Option<bool> {
        match self.balance() {
            0 => self.had_first.last().map(|had| !had),
            balance => Some(balance < 0),
        }
    }

    /// How much that matters: whether the side is owed (a balance of two, or the same side twice in a row), and the balance.
    fn strength(&self) -> (bool, u64) {
        let balance = self.balance().unsigned_abs();
        let is_repeated = self.had_first.last_chunk::<2>().is_some_and(|[a, b]| a == b);
        (balance >= 2 || is_repeated, balance)
    }

    /// The side that it must have.
    fn owed_first(&self) -> Option<bool> {
        self.wants_first().filter(|_| self.strength().0)
    }
}

/// Pairs the players, who are given in the order of their seeds. Nobody meets a player twice, or has a second bye, where that can be
/// avoided in this round; sides are then as balanced as they can be.
pub(crate) fn pair_round(players: &[SwissPlayer]) -> SwissBoards {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|&player| (std::cmp::Reverse(players[player].half_points), player));
    let fewest = players.iter().map(|player| player.byes).min().unwrap_or(0);
    let byes: Vec<Option<usize>> = match players.len() % 2 {
        0 => vec![None],
        // The lowest first, so that who leads plays.
        _ => order.iter().rev().copied().filter(|&player| players[player].byes == fewest).map(Some).collect(),
    };
    let is_new = |a: usize, b: usize| !players[a].met.contains(&b);
    let owed = |player: usize| players[player].owed_first();
    let is_fair = |a: usize, b: usize| is_new(a, b) && (owed(a).is_none() || owed(a) != owed(b));
    let without = |bye: Option<usize>| order.iter().copied().filter(|&player| Some(player) != bye).collect::<Vec<_>>();
    let fair_bye = byes.iter().find(|&&bye| unpaired(&without(bye), &is_fair) == 0);
    if let Some(&bye) = fair_bye {
        return SwissBoards { boards: boards(players, without(bye), &is_fair, 0), bye };
    }
    // Sides yield first; then as few as can be meet again.
    let best = byes.iter().map(|&bye| (unpaired(&without(bye), &is_new), bye)).min_by_key(|(left, _)| *left);
    let Some((left, bye)) = best else { return SwissBoards::default() };
    SwissBoards { boards: boards(players, without(bye), &is_new, left / 2), bye }
}

/// Players that stay without an opponent, when as many as can be are paired.
fn unpaired(players: &[usize], may_meet: &dyn Fn(usize, usize) -> bool) -> usize {
    players.len() - 2 * pairs_max(players.len(), &|a, b| may_meet(players[a], players[b]))
}

/// Pairs all of `left`, who stand in the order of their scores: from the top on each gets the opponent that is best for it and leaves the
/// others such that they can be paired. `repeats` of the pairs are not as `may_meet` wants.
fn boards(
    players: &[SwissPlayer],
    mut left: Vec<usize>,
    may_meet: &dyn Fn(usize, usize) -> bool,
    mut repeats: usize,
) -> Vec<[usize; 2]> {
    let mut boards: Vec<[usize; 2]> = Vec::new();
    while left.len() > 1 {
        let player = left.remove(0);
        let others = opponents(players, player, &left);
        let (wanted, unwanted): (Vec<usize>, Vec<usize>) = others.into_iter().partition(|&b| may_meet(player, b));
        let can_go_on = |&opponent: &usize| {
            let rest: Vec<usize> = left.iter().copied().filter(|&other| other != opponent).collect();
            let spared = repeats.checked_sub(usize::from(!may_meet(player, opponent)));
            spared.is_some_and(|spared| unpaired(&rest, may_meet) <= 2 * spared)
        };
        let found = wanted.iter().chain(&unwanted).copied().find(can_go_on);
        // There is one always: all of them together could be paired.
        let Some(opponent) = found.or_else(|| left.first().copied()) else { break };
        repeats = repeats.saturating_sub(usize::from(!may_meet(player, opponent)));
        left.retain(|&other| other != opponent);
        boards.push(with_sides(players, [player, opponent], boards.len()));
    }
    boards
}

/// The opponents of the best player that is left, the most wanted first: in its score group those of the lower half, then those of the
/// upper half, then the score groups below; in each of these first those who want the other side.
fn opponents(players: &[SwissPlayer], player: usize, left: &[usize]) -> Vec<usize> {
    let points = |player: usize| players[player].half_points;
    let peers = left.iter().filter(|&&other| points(other) == points(player)).count();
    let upper = (peers + 1).div_euclid(2).saturating_sub(1);
    let (group, below) = left.split_at(peers);
    let lower_half = group[upper..].iter();
    let upper_half = group[..upper].iter().rev();
    let wants = players[player].wants_first();
    let clashes = |other: usize| wants.is_some() && players[other].wants_first() == wants;
    let in_class = |class: u64| move |&other: &usize| (class, other);
    let classes = lower_half.map(in_class(0)).chain(upper_half.map(in_class(1)));
    let floated = below.iter().map(|&other| (2 + points(player).saturating_sub(points(other)), other));
    let mut ranked: Vec<(u64, bool, usize)> =
        classes.chain(floated).map(|(class, other)| (class, clashes(other), other)).collect();
    ranked.sort_by_key(|&(class, clashes, _)| (class, clashes));
    ranked.into_iter().map(|(_, _, other)| other).collect()
}

/// The two players of a board, the one with the first side first. `board`: its number; where nobody wants a side they take turns.
fn with_sides(players: &[SwissPlayer], [a, b]: [usize; 2], board: usize) -> [usize; 2] {
    let [one, two] = [&players[a], &players[b]];
    let a_is_first = match (one.wants_first(), two.wants_first()) {
        (None, None) => board.is_multiple_of(2),
        (Some(wants), None) => wants,
        (None, Some(wants)) => !wants,
        (Some(wants), Some(other)) if wants != other => wants,
        (Some(wants), Some(_)) => match one.strength().cmp(&two.strength()) {
            std::cmp::Ordering::Greater => wants,
            std::cmp::Ordering::Less => !wants,
            std::cmp::Ordering::Equal => {
                // As they differed last, now the other way round; else the better one is served.
                let both = one.had_first.iter().rev().zip(two.had_first.iter().rev());
                both.into_iter().find(|(x, y)| x != y).map_or(wants, |(had, _)| !had)
            }
        },
    };
    if a_is_first { [a, b] } else { [b, a] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(half_points: u64, met: &[usize], had_first: &[bool]) -> SwissPlayer {
        SwissPlayer { half_points, met: met.to_vec(), byes: 0, had_first: had_first.to_vec() }
    }

    #[test]
    fn the_upper_half_meets_the_lower_half() {
        let round = pair_round(&vec![SwissPlayer::default(); 8]);
        assert_eq!(round, SwissBoards { boards: vec![[0, 4], [5, 1], [2, 6], [7, 3]], bye: None });
        let odd = pair_round(&vec![SwissPlayer::default(); 5]);
        assert_eq!(odd, SwissBoards { boards: vec![[0, 2], [3, 1]], bye: Some(4) });
    }

    #[test]
    fn an_odd_score_group_gives_its_last_to_the_next() {
        let (f, s) = (true, false);
        // Three of two points, of whom the last meets the best of one point, and five below.
        let players = [
            player(4, &[4], &[f]),
            player(4, &[5], &[s]),
            player(4, &[6], &[f]),
            player(2, &[7], &[s]),
            player(2, &[0], &[s]),
            player(0, &[1], &[f]),
            player(0, &[2], &[s]),
            player(0, &[3], &[f]),
        ];
        assert_eq!(pair_round(&players).boards, [[1, 0], [3, 2], [4, 5], [6, 7]]);
    }

    #[test]
    fn pairs_that_met_are_paired_otherwise_and_meet_again_only_where_they_must() {
        let of = |met: &[usize]| player(0, met, &[]);
        let again = [of(&[2]), of(&[3]), of(&[0]), of(&[1])];
        assert_eq!(pair_round(&again).boards, [[0, 3], [2, 1]]);
        // All have met all: one pair of rounds begins again.
        let all = [of(&[1, 2, 3]), of(&[0, 2, 3]), of(&[0, 1, 3]), of(&[0, 1, 2])];
        assert_eq!(pair_round(&all).boards.len(), 2);
        // Two triangles of players that have not met: one pair must repeat, no more.
        let six = [of(&[3, 4, 5]), of(&[3, 4, 5]), of(&[3, 4, 5]), of(&[0, 1, 2]), of(&[0, 1, 2]), of(&[0, 1, 2])];
        let boards = pair_round(&six).boards;
        let repeats = boards.iter().filter(|[a, b]| six[*a].met.contains(b)).count();
        assert_eq!((boards.len(), repeats), (3, 1), "{boards:?}");
    }

    #[test]
    fn sides_are_balanced() {
        let (f, s) = (true, false);
        let check = |one: &[bool], two: &[bool], expect: [usize; 2]| {
            let players = [player(0, &[], one), player(0, &[], two)];
            assert_eq!(pair_round(&players).boards, [expect], "{one:?} {two:?}");
        };
        check(&[], &[], [0, 1]);
        check(&[f], &[s], [1, 0]);
        check(&[f], &[], [1, 0]);
        check(&[f, s, f], &[s, f, f, s, f, f], [0, 1]);
        // Both want the first side: the one that had it last of them waits, and the better one has it where they were alike.
        check(&[f, s], &[s, f, f, s], [0, 1]);
        check(&[s, f, s], &[f, s, s], [1, 0]);
        check(&[s], &[s], [0, 1]);
    }
}
