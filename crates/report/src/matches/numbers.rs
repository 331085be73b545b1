//! Statistics of games and pairs as text.

use super::counts::{score, sprt_unit};
use tesuji_arena::Used;
use tesuji_stats::{
    BATTLEFIELD_LEVELS, Decision, Games, Interval, Pairs, Sigma, Sprt, Verdict, battlefield_verdict, pairs_verdict,
};

/// The largest difference of the two halves of a confidence interval, in Elo, at which `±` alone describes it: less than any match
/// can measure.
const HALVES_DIFFER_MAX: f64 = 0.1;

/// `12.3 ± 4.5`, with both ends behind it where they are not at the same distance: `-69.10 ± 20.71 [-90.17, -48.75]`; with an infinite
/// end the interval itself.
pub fn interval_text(interval: Option<Interval>) -> String {
    let number = |x: f64| match x {
        x if x == f64::INFINITY => "oo".to_string(),
        x if x == f64::NEG_INFINITY => "-oo".to_string(),
        x => format!("{x:.2}"),
    };
    match interval {
        None => "unknown (no games)".to_string(),
        Some(i) if i.value.is_finite() && i.error().is_finite() => {
            let ends = match ((i.high - i.value) - (i.value - i.low)).abs() {
                differ if differ > HALVES_DIFFER_MAX => format!(" [{:.2}, {:.2}]", i.low, i.high),
                _ => String::new(),
            };
            format!("{:.2} ± {:.2}{ends}", i.value, i.error())
        }
        Some(i) => format!("{} (from {} to {})", number(i.value), number(i.low), number(i.high)),
    }
}

/// A confidence interval in few columns: `-69.1 ± 20.7`, `161 to oo`.
pub fn short_interval_text(interval: Option<Interval>) -> String {
    match interval {
        None => "unknown".to_string(),
        Some(i) if i.error().is_finite() => format!("{:.1} ± {:.1}", i.value, i.error()),
        Some(i) if i.low.is_finite() => format!("{:.0} to oo", i.low),
        Some(i) if i.high.is_finite() => format!("-oo to {:.0}", i.high),
        Some(_) => "-oo to oo".to_string(),
    }
}

/// A share in percent.
pub fn percent(share: Option<f64>) -> String {
    share.map_or("unknown".to_string(), |s| format!("{:.2} %", 100.0 * s))
}

/// The mean depth of a player's moves; `-` where it told none, as GTP has no word for it.
pub fn depth_text(used: &Used) -> String {
    used.depth().map_or("-".to_string(), |depth| format!("{depth:.1}"))
}

/// A player's thousands of nodes a second; `-` where it told none.
pub fn speed_text(used: &Used) -> String {
    used.speed().map_or("-".to_string(), |speed| format!("{:.0}", speed / 1e3))
}

/// The state of a test: `LLR 1.23 (-2.94 to 2.94), undecided`.
pub fn sprt_text(sprt: &Sprt, llr: f64) -> String {
    let (low, high) = sprt.bounds();
    let model = sprt_unit(sprt.model);
    let decision = match sprt.decide(llr) {
        Decision::AcceptH0 => "H0 accepted",
        Decision::AcceptH1 => "H1 accepted",
        Decision::Continue => "undecided",
    };
    format!("{} to {} ({model}): LLR {llr:.2} ({low:.2} to {high:.2}), {decision}", sprt.elo0, sprt.elo1)
}

/// The line about a match's test: of pairs, or of games where its model is one of games.
pub fn sprt_line(sprt: &Sprt, llr: f64) -> String {
    let what = if sprt.is_of_pairs() { "pairs" } else { "games" };
    format!("SPRT ({what}): {}\n", sprt_text(sprt, llr))
}

/// The verdicts at BattleField's confidences: `the first is better at 0.90, 0.95; unclear at 0.97, 0.99`. Where pairs were played they come
/// from pairs, and say so: games of one opening are not independent.
fn verdict_text(games: &Games, pairs: &Pairs, sigma: Sigma) -> String {
    let is_of_pairs = pairs.pairs() > 0;
    let mut said: Vec<(Verdict, Vec<String>)> = Vec::new();
    for (level, z) in BATTLEFIELD_LEVELS {
        let verdict = match is_of_pairs {
            true => pairs_verdict(pairs, (level, z)),
            false => battlefield_verdict(games, z, sigma),
        };
        match said.last_mut() {
            Some((last, levels)) if *last == verdict => levels.push(format!("{level:.2}")),
            _ => said.push((verdict, vec![format!("{level:.2}")])),
        }
    }
    let parts: Vec<String> = said
        .iter()
        .map(|(verdict, levels)| {
            let who = match verdict {
                Verdict::First => "the first is better",
                Verdict::Second => "the second is better",
                Verdict::Unclear => "unclear",
            };
            format!("{who} at {}", levels.join(", "))
        })
        .collect();
    format!("{}{}", parts.join("; "), if is_of_pairs { " (from pairs)" } else { "" })
}

/// The verdict of a match that a test may end: that of the test alone. Verdicts at fixed confidences hold for a number of games
/// that was fixed before, and would call a player better while its test is undecided.
fn test_verdict(sprt: &Sprt, llr: f64) -> String {
    let (low, high) = sprt.bounds();
    match sprt.decide(llr) {
        Decision::AcceptH0 => format!("H0 accepted: LLR {llr:.2} has reached its lower bound {low:.2}"),
        Decision::AcceptH1 => format!("H1 accepted: LLR {llr:.2} has reached its upper bound {high:.2}"),
        Decision::Continue => format!("undecided: LLR {llr:.2} is between its bounds {low:.2} and {high:.2}"),
    }
}

/// The line with the verdict: that of the test with its log-likelihood ratio, where there is one; else from pairs, where there are any.
pub fn verdict_line(games: &Games, pairs: &Pairs, sigma: Sigma, test: Option<(&Sprt, f64)>) -> String {
    let text = test.map_or_else(|| verdict_text(games, pairs, sigma), |(sprt, llr)| test_verdict(sprt, llr));
    format!("Verdict:      {text}\n")
}

/// The lines about games: score, Elo, normalised Elo, both likelihoods of superiority, the verdict, which looks at `pairs` as well.
pub fn games_lines(games: &Games, pairs: &Pairs, sigma: Sigma, test: Option<(&Sprt, f64)>) -> String {
    let Games { wins, draws, losses } = *games;
    let elo = match (sigma, games.elo_by(sigma)) {
        (Sigma::Binomial, Some(i)) if i.low.is_finite() && i.high.is_finite() => {
            format!("{:.2}/{:.2}/{:.2} (low/avg/high, binomial)", i.low, i.value, i.high)
        }
        (_, elo) => interval_text(elo),
    };
    let nelo = interval_text(games.normalised_elo());
    let (los, los_wl) = (percent(games.los()), percent(games.los_wl()));
    format!(
        "Games: {}, won {wins}, drawn {draws}, lost {losses}; {} {}, {}; draws {}\n\
         Elo (games):  {elo}; normalised {nelo}; 95 %\n\
         Superiority:  los {los}, los_wl {los_wl} (from wins and losses alone)\n\
         {}",
        games.games(),
        games.points(),
        if games.points() == 1.0 { "point" } else { "points" },
        percent(score(games)),
        percent(games.draw_ratio()),
        verdict_line(games, pairs, sigma, test),
    )
}

/// The lines about pairs.
pub fn pairs_lines(pairs: &Pairs) -> String {
    let [ll, ld, level, wd, ww] = pairs.0;
    let ratio = pairs.ratio().map_or("unknown".to_string(), |r| format!("{r:.3}"));
    format!(
        "Pairs: {}, of points 0: {ll}, ½: {ld}, 1: {level}, 1½: {wd}, 2: {ww}; ratio {ratio}, level {}\n\
         Elo (pairs):  {}; normalised {}; 95 %; los {}\n",
        pairs.pairs(),
        percent(pairs.draw_ratio()),
        interval_text(pairs.elo()),
        interval_text(pairs.normalised_elo()),
        percent(pairs.los()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(games: Games, sigma: Sigma, expect: &[&str]) {
        assert_eq!(games_lines(&games, &Pairs::default(), sigma, None).lines().collect::<Vec<_>>(), expect);
    }

    /// Degenerate results print the exact statement that the games allow, where others print nan and inf.
    #[test]
    fn degenerate_results_print_something_true() {
        let sigma = Sigma::Trinomial;
        check(
            Games::default(),
            sigma,
            &[
                "Games: 0, won 0, drawn 0, lost 0; 0 points, unknown; draws unknown",
                "Elo (games):  unknown (no games); normalised unknown (no games); 95 %",
                "Superiority:  los unknown, los_wl unknown (from wins and losses alone)",
                "Verdict:      unclear at 0.90, 0.95, 0.97, 0.99",
            ],
        );
        check(
            Games::new(0, 20, 0),
            sigma,
            &[
                "Games: 20, won 0, drawn 20, lost 0; 10 points, 50.00 %; draws 100.00 %",
                "Elo (games):  0.00 ± 48.65; normalised 0.00 ± 139.66; 95 %",
                "Superiority:  los 50.00 %, los_wl unknown (from wins and losses alone)",
                "Verdict:      unclear at 0.90, 0.95, 0.97, 0.99",
            ],
        );
        check(
            Games::new(9, 0, 0),
            sigma,
            &[
                "Games: 9, won 9, drawn 0, lost 0; 9 points, 100.00 %; draws 0.00 %",
                "Elo (games):  oo (from 161.38 to oo); normalised oo (from 167.25 to oo); 95 %",
                "Superiority:  los 99.90 %, los_wl 99.87 % (from wins and losses alone)",
                "Verdict:      the first is better at 0.90, 0.95, 0.97, 0.99",
            ],
        );
        check(
            Games::new(0, 0, 9),
            Sigma::Binomial,
            &[
                "Games: 9, won 0, drawn 0, lost 9; 0 points, 0.00 %; draws 0.00 %",
                "Elo (games):  -oo (from -oo to -161.38); normalised -oo (from -oo to -167.25); 95 %",
                "Superiority:  los 0.10 %, los_wl 0.13 % (from wins and losses alone)",
                "Verdict:      the second is better at 0.90, 0.95, 0.97, 0.99",
            ],
        );
        let pairs = pairs_lines(&Pairs::default());
        assert!(!pairs.contains("nan") && !pairs.contains("inf") && pairs.contains("unknown"), "{pairs}");
    }

    #[test]
    fn the_author_s_old_figures_can_be_had() {
        let text = games_lines(&Games::new(35515, 29453, 35032), &Pairs::default(), Sigma::Binomial, None);
        assert!(text.contains("-0.48/1.68/3.83 (low/avg/high, binomial)"), "{text}");
        let text = games_lines(&Games::new(35515, 29453, 35032), &Pairs::default(), Sigma::Trinomial, None);
        assert!(text.contains("Elo (games):  1.68 ± 1.81; normalised 2.00 ± 2.15; 95 %"), "{text}");
        assert!(text.contains("Verdict:      the first is better at 0.90; unclear at 0.95, 0.97, 0.99"), "{text}");
    }

    /// A stopped test was "undecided" beside a verdict "better at 0.97".
    #[test]
    fn an_undecided_test_is_the_verdict() {
        let (games, sprt) = (Games::new(65, 20, 40), Sprt::new(0.0, 5.0));
        assert!(games_lines(&games, &Pairs::default(), Sigma::Trinomial, None).contains("better at 0.90, 0.95, 0.97"));
        let line = |llr| {
            games_lines(&games, &Pairs::default(), Sigma::Trinomial, Some((&sprt, llr)))
                .lines()
                .last()
                .map(str::to_string)
        };
        for (llr, expect) in [
            (1.234, "Verdict:      undecided: LLR 1.23 is between its bounds -2.94 and 2.94"),
            (2.95, "Verdict:      H1 accepted: LLR 2.95 has reached its upper bound 2.94"),
            (-3.0, "Verdict:      H0 accepted: LLR -3.00 has reached its lower bound -2.94"),
        ] {
            assert_eq!(line(llr).as_deref(), Some(expect));
        }
    }

    /// "the second is better at 0.90; unclear at 0.95" stood beside "los 0.49 %" of the pairs: the verdict was that of single games.
    #[test]
    fn the_verdict_of_paired_games_comes_from_pairs() {
        let (games, pairs) = (Games::new(44, 40, 66), Pairs([7, 21, 35, 11, 1]));
        let line = |pairs: Pairs| verdict_line(&games, &pairs, Sigma::Trinomial, None);
        assert_eq!(line(Pairs::default()), "Verdict:      the second is better at 0.90, 0.95; unclear at 0.97, 0.99\n");
        assert_eq!(line(pairs), "Verdict:      the second is better at 0.90, 0.95, 0.97, 0.99 (from pairs)\n");
    }

    /// `± 215.77` stood for -64.69 to 366.84.
    #[test]
    fn an_interval_with_unequal_halves_shows_both_ends() {
        assert_eq!(interval_text(Games::new(5, 3, 2).elo()), "107.54 ± 215.77 [-64.69, 366.84]");
        assert_eq!(interval_text(Games::new(1940, 1337, 1723).elo()), "15.09 ± 8.25");
        assert_eq!(interval_text(Games::new(0, 20, 0).elo()), "0.00 ± 48.65");
        let short = [Games::new(5, 3, 2), Games::new(9, 0, 0), Games::new(0, 0, 9)]
            .map(|games| short_interval_text(games.elo()));
        assert_eq!(short, ["107.5 ± 215.8", "161 to oo", "-oo to -161"]);
    }
}
