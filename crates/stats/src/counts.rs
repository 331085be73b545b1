//! Counts of results: games one by one, and pairs of games with colours swapped.

/// Results of games: wins, draws and losses of the first player (trinomial).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Games {
    /// Won by the first player.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the first player.
    pub losses: u64,
}

/// Results of pairs of games from one opening with colours swapped (pentanomial), by the points of the first player:
/// 0, ½, 1, 1½, 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Pairs(pub [u64; 5]);

/// Counts of independent results with scores spread evenly over 0..=1.
pub trait Counts {
    /// The number of results with each score, lowest score first.
    fn counts(&self) -> &[u64];

    /// Games in one result: 1 or 2.
    fn games_each(&self) -> u64;

    /// The number of independent results.
    fn results(&self) -> u64 {
        self.counts().iter().sum()
    }

    /// The number of games.
    fn games(&self) -> u64 {
        self.results() * self.games_each()
    }

    /// Mean score in 0..=1 and its variance a result, without Bessel's correction. `None` without results.
    fn moments(&self) -> Option<(f64, f64)> {
        let counts = self.counts();
        let n = self.results() as f64;
        if n == 0.0 {
            return None;
        }
        let step = 1.0 / (counts.len() - 1) as f64;
        let sum = |f: &dyn Fn(f64) -> f64| {
            counts.iter().enumerate().map(|(i, &c)| c as f64 * f(i as f64 * step)).sum::<f64>() / n
        };
        let mean = sum(&|x| x);
        Some((mean, sum(&|x| (x - mean) * (x - mean))))
    }
}

impl Counts for [u64; 3] {
    fn counts(&self) -> &[u64] {
        self
    }

    fn games_each(&self) -> u64 {
        1
    }
}

impl Counts for Pairs {
    fn counts(&self) -> &[u64] {
        &self.0
    }

    fn games_each(&self) -> u64 {
        2
    }
}

impl Games {
    /// Counts from a table's order.
    pub const fn new(wins: u64, draws: u64, losses: u64) -> Games {
        Games { wins, draws, losses }
    }

    /// Lowest score first: losses, draws, wins.
    pub const fn by_score(&self) -> [u64; 3] {
        [self.losses, self.draws, self.wins]
    }

    /// The number of games.
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points of the first player.
    pub fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Share of draws in 0..=1; `None` without games.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.games() > 0).then(|| self.draws as f64 / self.games() as f64)
    }

    /// Both together.
    pub const fn plus(&self, other: &Games) -> Games {
        Games::new(self.wins + other.wins, self.draws + other.draws, self.losses + other.losses)
    }

    /// Counts one game by the first player's score.
    pub fn add(&mut self, score: f64) {
        match score {
            s if s > 0.75 => self.wins += 1,
            s if s < 0.25 => self.losses += 1,
            _ => self.draws += 1,
        }
    }
}

impl std::ops::AddAssign for Games {
    fn add_assign(&mut self, other: Games) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }
}

impl std::ops::AddAssign for Pairs {
    fn add_assign(&mut self, other: Pairs) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

impl Pairs {
    /// The number of pairs.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Counts one pair by the first player's points of both games, in 0..=2.
    pub fn add(&mut self, points: f64) {
        self.0[((points * 2.0).round() as usize).min(4)] += 1;
    }

    /// Pairs won over pairs lost; `None` without lost pairs.
    pub fn ratio(&self) -> Option<f64> {
        let [a, b, _, c, d] = self.0;
        (a + b > 0).then(|| (c + d) as f64 / (a + b) as f64)
    }

    /// Share of level pairs in 0..=1; `None` without pairs.
    pub fn draw_ratio(&self) -> Option<f64> {
        (self.pairs() > 0).then(|| self.0[2] as f64 / self.pairs() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pair_ratios_are_fastchess_s() {
        let check = |counts, expect: &str| {
            let text = Pairs(counts).ratio().map_or("-".to_string(), |r| format!("{r:.3}"));
            assert_eq!(text, expect);
        };
        check([379, 10170, 21828, 10640, 343], "1.041");
        check([127, 4883, 10712, 5150, 104], "1.049");
        check([72, 2370, 5021, 2466, 87], "1.045");
        check([223, 9863, 21279, 10037, 246], "1.020");
        check([0, 0, 10, 20, 5], "-");
        check([50, 200, 500, 200, 50], "1.000");
    }

    #[test]
    fn results_are_counted_where_they_belong() {
        let mut games = Games::default();
        let mut pairs = Pairs::default();
        for (a, b) in [(1.0, 1.0), (1.0, 0.5), (0.0, 1.0), (0.5, 0.5), (0.0, 0.0)] {
            games.add(a);
            games.add(b);
            pairs.add(a + b);
        }
        assert_eq!((games, pairs), (Games::new(4, 3, 3), Pairs([1, 0, 2, 1, 1])));
        assert_eq!(games.points(), 5.5);
        assert_eq!((Games::default().draw_ratio(), games.draw_ratio()), (None, Some(0.3)));
    }
}
