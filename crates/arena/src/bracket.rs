//! A knockout: who meets whom follows from who won, and a tie goes on until somebody leads.

/// A tie: two players until one of them leads. Its games are numbered from 0: first those that are always played, then
/// pairs of games that break the tie, one after another.
#[derive(Debug, Clone)]
struct Tie {
    /// The round of the knockout, from 0.
    stage: u64,
    /// The players of this tie as far as they are known, the better seed first once both are.
    players: [Option<usize>; 2],
    /// The first player's score in games that were played.
    scores: Vec<Option<f64>>,
    /// Games that may be played by now.
    opened: u64,
    /// The tie and the slot that await the winner; `None` for the final.
    next: Option<usize>,
    winner: Option<usize>,
}

/// The ties of a knockout. The better seed is the player that was named earlier; where the number of players is no
/// power of two, the best seeds enter in the second round.
#[derive(Debug, Clone)]
pub(crate) struct Bracket {
    ties: Vec<Tie>,
    games_each: u64,
    tiebreaks: u64,
}

impl Bracket {
    /// `games_each`: games that every tie has; `tiebreaks`: pairs of games that follow at most where they end level.
    pub(crate) fn new(players: usize, games_each: u64, tiebreaks: u64) -> Bracket {
        let mut bracket = Bracket { ties: Vec::new(), games_each, tiebreaks };
        let mut slots: Vec<BracketPlayer> = places(players.next_power_of_two())
            .into_iter()
            .map(|seed| if seed < players { BracketPlayer::Player(seed) } else { BracketPlayer::Empty })
            .collect();
        let mut stage = 0;
        while slots.len() > 1 {
            slots = slots.chunks(2).map(|pair| bracket.meet(stage, pair[0], pair[1])).collect();
            stage += 1;
        }
        bracket
    }

    /// The player who advances from two slots: the winner of a new tie, or the one without an opponent.
    fn meet(&mut self, stage: u64, a: BracketPlayer, b: BracketPlayer) -> BracketPlayer {
        let known = |slot| if let BracketPlayer::Player(player) = slot { Some(player) } else { None };
        match (a, b) {
            (slot, BracketPlayer::Empty) | (BracketPlayer::Empty, slot) => slot,
            _ => {
                let tie = self.ties.len();
                for slot in [a, b] {
                    if let BracketPlayer::WinnerOf(earlier) = slot {
                        self.ties[earlier].next = Some(tie);
                    }
                }
                let scores = vec![None; self.games_max() as usize];
                let players = sorted([known(a), known(b)]);
                let opened = if players.iter().all(Option::is_some) { self.games_each } else { 0 };
                self.ties.push(Tie { stage, players, scores, opened, next: None, winner: None });
                BracketPlayer::WinnerOf(tie)
            }
        }
    }

    /// The number of ties.
    pub(crate) fn ties(&self) -> usize {
        self.ties.len()
    }

    /// The players of a tie, as soon as both are known.
    pub(crate) fn players(&self, tie: usize) -> Option<[usize; 2]> {
        let [a, b] = self.ties.get(tie)?.players;
        Some([a?, b?])
    }

    /// The round of a tie, from 0.
    pub(crate) fn stage(&self, tie: usize) -> u64 {
        self.ties[tie].stage
    }

    /// The games that a tie can have at most.
    pub(crate) fn games_max(&self) -> u64 {
        self.games_each + 2 * self.tiebreaks
    }

    /// The pairs of games that a tie can have at most.
    pub(crate) fn pairs_max(&self) -> u64 {
        self.games_each.div_ceil(2) + self.tiebreaks
    }

    /// The number of rounds.
    pub(crate) fn stages(&self) -> u64 {
        self.ties.last().map_or(0, |tie| tie.stage + 1)
    }

    /// The pair of a tie's game within the tie, and whether the first player has the second side.
    pub(crate) fn place(&self, game: u64) -> (u64, bool) {
        match game.checked_sub(self.games_each) {
            None => (game / 2, game % 2 == 1),
            Some(more) => (self.games_each.div_ceil(2) + more / 2, more % 2 == 1),
        }
    }

    /// Games in all, as far as is known by now: those that every tie has, and the tie-breaks that were needed.
    pub(crate) fn games(&self) -> u64 {
        self.ties.iter().map(|tie| tie.opened.max(self.games_each)).sum()
    }

    /// Whether a game may be played by now.
    pub(crate) fn is_open(&self, tie: usize, game: u64) -> bool {
        self.ties.get(tie).is_some_and(|tie| game < tie.opened)
    }

    /// The games that may be played by now, as ties and numbers in them; ties go on side by side.
    pub(crate) fn open(&self) -> Vec<(usize, u64)> {
        let mut open: Vec<(usize, u64)> =
            self.ties.iter().enumerate().flat_map(|(index, tie)| (0..tie.opened).map(move |g| (index, g))).collect();
        open.sort_by_key(|&(tie, game)| (self.ties[tie].stage, self.place(game).0, tie, game));
        open
    }

    /// The winner of the final.
    pub(crate) fn winner(&self) -> Option<usize> {
        self.ties.last()?.winner
    }

    /// Takes the result of a game, as the score of the tie's first player, and returns the games that follow from it.
    pub(crate) fn take(&mut self, index: usize, game: u64, score: f64) -> Vec<(usize, u64)> {
        let games_max = self.games_max();
        let tie = &mut self.ties[index];
        tie.scores[game as usize] = Some(score);
        let played = &tie.scores[..tie.opened as usize];
        if tie.winner.is_some() || played.iter().any(Option::is_none) {
            return Vec::new();
        }
        let lead: f64 = played.iter().flatten().map(|score| score - 0.5).sum();
        if lead == 0.0 && tie.opened + 2 <= games_max {
            tie.opened += 2;
            return vec![(index, tie.opened - 2), (index, tie.opened - 1)];
        }
        // Anyone who is still level after all tie-breaks: the better seed goes on.
        tie.winner = tie.players[usize::from(lead < 0.0)];
        let (winner, next) = (tie.winner, tie.next);
        next.map_or_else(Vec::new, |next| self.enter(next, winner))
    }

    /// A player enters a tie; its games may be played when both are there.
    fn enter(&mut self, index: usize, player: Option<usize>) -> Vec<(usize, u64)> {
        let games = self.games_each;
        let tie = &mut self.ties[index];
        let free = usize::from(tie.players[0].is_some());
        tie.players[free] = player;
        if tie.players.iter().any(Option::is_none) {
            return Vec::new();
        }
        tie.players = sorted(tie.players);
        tie.opened = games;
        (0..games).map(|game| (index, game)).collect()
    }
}

/// The origin of a player of a round.
#[derive(Debug, Clone, Copy)]
enum BracketPlayer {
    Empty,
    Player(usize),
    WinnerOf(usize),
}

/// Seeds in the order of the bracket, so that the best meet as late as possible: 0 3 1 2 for four, with the sums of
/// neighbours the same in every round.
fn places(size: usize) -> Vec<usize> {
    let mut places = vec![0];
    while places.len() < size {
        let sum = 2 * places.len() - 1;
        places = places.into_iter().flat_map(|seed| [seed, sum - seed]).collect();
    }
    places
}

/// Known players first, the better seed before the other.
fn sorted(mut players: [Option<usize>; 2]) -> [Option<usize>; 2] {
    players.sort_by_key(|player| player.unwrap_or(usize::MAX));
    players
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_meet_last() {
        assert_eq!(places(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        for players in 2..40 {
            let mut bracket = Bracket::new(players, 2, 1);
            assert_eq!(bracket.ties(), players - 1, "{players} players");
            assert_eq!(bracket.stages(), u64::from(players.next_power_of_two().ilog2()));
            let mut final_players = None;
            while let Some((tie, players)) = (0..bracket.ties())
                .filter(|&t| bracket.ties[t].winner.is_none())
                .find_map(|t| Some((t, bracket.players(t)?)))
            {
                assert!(players[0] < players[1]);
                final_players = Some(players);
                bracket.take(tie, 0, 1.0);
                bracket.take(tie, 1, 1.0);
            }
            // The better seed won every tie.
            assert_eq!((bracket.winner(), final_players), (Some(0), Some([0, 1])));
        }
    }

    #[test]
    fn a_level_tie_goes_on_in_pairs_and_the_seed_decides_at_last() {
        let mut bracket = Bracket::new(3, 2, 2);
        // The best seed waits in the final.
        assert_eq!((bracket.players(0), bracket.players(1), bracket.games()), (Some([1, 2]), None, 4));
        assert_eq!(bracket.open(), [(0, 0), (0, 1)]);
        assert!(bracket.take(0, 1, 0.5).is_empty());
        assert_eq!(bracket.take(0, 0, 0.5), [(0, 2), (0, 3)]);
        assert_eq!(bracket.games(), 6);
        assert!(bracket.take(0, 2, 1.0).is_empty());
        assert_eq!(bracket.take(0, 3, 0.0), [(0, 4), (0, 5)]);
        bracket.take(0, 4, 0.0);
        assert_eq!(bracket.take(0, 5, 0.5), [(1, 0), (1, 1)]);
        assert_eq!(bracket.players(1), Some([0, 2]));
        for game in 0..6 {
            assert!(bracket.winner().is_none());
            bracket.take(1, game, 0.5);
        }
        assert_eq!(bracket.winner(), Some(0));
        assert_eq!([0, 1, 2, 3].map(|g| bracket.place(g)), [(0, false), (0, true), (1, false), (1, true)]);
        let odd = Bracket::new(2, 1, 1);
        assert_eq!([0, 1, 2].map(|g| odd.place(g)), [(0, false), (1, false), (1, true)]);
    }
}
