//! Verdicts on the stronger player at given confidences: from games with BattleField's verdicts and intervals, and from pairs of games.

use crate::elo::{Interval, Sigma, elo_of_score};
use crate::{Counts, Games, Pairs};

/// The stronger player, as far as can be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The first player.
    First,
    /// The second player.
    Second,
    /// It cannot be said.
    Unclear,
}

/// The confidences that BattleField asks for, with their two-sided normal quantiles.
pub const BATTLEFIELD_LEVELS: [(f64, f64); 4] = [
    (0.90, 1.644_853_626_951_47),
    (0.95, 1.959_963_984_540_05),
    (0.97, 2.170_090_377_584_56),
    (0.99, 2.575_829_303_548_90),
];

/// Results that prove nothing, whatever they are.
const FEW: u64 = 5;

/// BattleField's mean score and the deviation of the mean; with five games or fewer the deviation is 1, so that nothing is proved.
pub fn battlefield_moments(games: &Games, sigma: Sigma) -> (f64, f64) {
    let n = games.games() as f64;
    let Some((mean, trinomial)) = games.by_score().moments() else { return (0.5, 1.0) };
    let var = match sigma {
        Sigma::Binomial => mean * (1.0 - mean),
        Sigma::Trinomial => trinomial,
    };
    (mean, if games.games() <= FEW { 1.0 } else { (var.max(0.0) / n).sqrt() })
}

/// The stronger player at the normal quantile `z`. Twenty draws of twenty prove nothing (BattleField's `>=` said otherwise).
pub fn battlefield_verdict(games: &Games, z: f64, sigma: Sigma) -> Verdict {
    let (mean, deviation) = battlefield_moments(games, sigma);
    if mean - z * deviation > 0.5 {
        Verdict::First
    } else if mean + z * deviation < 0.5 {
        Verdict::Second
    } else {
        Verdict::Unclear
    }
}

/// The stronger player at a two-sided confidence in 0..1 with the normal quantile `z`, from pairs. Pairs of one opening are one result:
/// its games are not independent. Where all pairs are alike the spread is unknown, and the share of such pairs has its exact lower end
/// instead; as with games, five results or fewer prove nothing.
pub fn pairs_verdict(pairs: &Pairs, (confidence, z): (f64, f64)) -> Verdict {
    let Some((mean, var)) = pairs.moments().filter(|_| pairs.pairs() > FEW) else { return Verdict::Unclear };
    let n = pairs.pairs() as f64;
    let (low, high) = if var > 0.0 {
        let margin = z * (var / n).sqrt();
        (mean - margin, mean + margin)
    } else {
        let share = (1.0 - confidence).powf(1.0 / n);
        (mean * share, 1.0 - share * (1.0 - mean))
    };
    match (low, high) {
        (low, _) if low > 0.5 => Verdict::First,
        (_, high) if high < 0.5 => Verdict::Second,
        _ => Verdict::Unclear,
    }
}

/// BattleField's own verdict, for its output: with `>=`, so that twenty draws of twenty are a win.
pub fn battlefield_verdict_exact(games: &Games, z: f64, sigma: Sigma) -> Verdict {
    let (mean, deviation) = battlefield_moments(games, sigma);
    if mean - z * deviation >= 0.5 {
        Verdict::First
    } else if mean + z * deviation <= 0.5 {
        Verdict::Second
    } else {
        Verdict::Unclear
    }
}

/// The Elo difference as BattleField prints it: low, average and high at the quantile `z`.
pub fn battlefield_interval(games: &Games, z: f64, sigma: Sigma) -> Interval {
    let (mean, deviation) = battlefield_moments(games, sigma);
    let [low, value, high] = [-z, 0.0, z].map(|z| elo_of_score(mean + z * deviation));
    Interval { low, value, high }
}

#[cfg(test)]
mod tests {
    use super::*;

    const Z95: f64 = BATTLEFIELD_LEVELS[1].1;

    #[track_caller]
    fn check(wins: u64, losses: u64, draws: u64, sigma: Sigma, expect: &str) {
        let i = battlefield_interval(&Games::new(wins, draws, losses), Z95, sigma);
        assert_eq!(format!("{:.2}/{:.2}/{:.2}", i.low, i.value, i.high), expect);
    }

    #[test]
    fn intervals_are_battlefield_s() {
        check(1940, 1723, 1337, Sigma::Trinomial, "6.85/15.09/23.35");
        check(35515, 35032, 29453, Sigma::Trinomial, "-0.13/1.68/3.49");
        check(35515, 35032, 29453, Sigma::Binomial, "-0.48/1.68/3.83");
        check(36433, 36027, 68692, Sigma::Trinomial, "-0.30/1.00/2.30");
        check(3456, 3278, 6686, Sigma::Trinomial, "0.45/4.61/8.77");
        check(5, 2, 3, Sigma::Trinomial, "-64.69/107.54/366.84");
        check(0, 0, 20, Sigma::Trinomial, "0.00/0.00/0.00");
        check(1500, 1700, 1800, Sigma::Trinomial, "-21.62/-13.90/-6.20");
        check(14, 22, 64, Sigma::Trinomial, "-69.19/-27.85/12.70");
        check(37, 44, 19, Sigma::Trinomial, "-87.21/-24.36/36.92");
        check(3, 2, 1, Sigma::Trinomial, "-215.59/58.45/485.57");
    }

    #[test]
    fn verdicts_need_proof() {
        let at = |games: Games| BATTLEFIELD_LEVELS.map(|(_, z)| battlefield_verdict(&games, z, Sigma::Trinomial));
        assert_eq!(at(Games::new(1940, 1337, 1723)), [Verdict::First; 4]);
        assert_eq!(at(Games::new(35515, 29453, 35032))[0], Verdict::First);
        assert_eq!(at(Games::new(35515, 29453, 35032))[1], Verdict::Unclear);
        assert_eq!(at(Games::new(1500, 1800, 1700)), [Verdict::Second; 4]);
        assert_eq!(at(Games::new(0, 20, 0)), [Verdict::Unclear; 4]);
        assert_eq!(at(Games::new(5, 0, 0)), [Verdict::Unclear; 4]);
        assert_eq!(at(Games::default()), [Verdict::Unclear; 4]);
    }

    /// A match was called unclear at 0.95 from its games while its pairs had a likelihood of superiority of 0.49 %.
    #[test]
    fn verdicts_from_pairs_are_those_of_their_spread() {
        let at = |counts| BATTLEFIELD_LEVELS.map(|level| pairs_verdict(&Pairs(counts), level));
        assert_eq!(at([2, 20, 30, 5, 0]), [Verdict::Second; 4]);
        assert_eq!(at([0, 5, 30, 20, 2]), [Verdict::First; 4]);
        assert_eq!(at([50, 200, 500, 200, 50]), [Verdict::Unclear; 4]);
        assert_eq!(at([0, 0, 20, 0, 0]), [Verdict::Unclear; 4]);
        assert_eq!(at([0, 0, 0, 0, 20]), [Verdict::First; 4]);
        assert_eq!(at([0, 0, 0, 0, 5]), [Verdict::Unclear; 4]);
        assert_eq!(at([6, 0, 0, 0, 0])[..2], [Verdict::Second; 2]);
        assert_eq!(at([0; 5]), [Verdict::Unclear; 4]);
    }
}
