//! Play of limited strength: fewer nodes and a hand that is not quite steady, by a calibrated table.
//!
//! `UCI_LimitStrength` and `UCI_Elo` set a node limit for each move and a noise on the values of the best few moves.
//! Both come from a table of measured ratings, which is data: see [`Ladder`]. The noise is drawn from a seed, the
//! number of the game and the position, so that a game can be repeated.

use crate::{Player, Wrapper};
use std::{str::FromStr, time::Duration};
use tesuji_game::{Choice, Limits, Random, Report, Signal, Wants, Watch};
use tesuji_options::{Joined, Kind, OptionError, Options, Setting, Spec, find, options};

/// The lines that a limited player chooses among.
const LINES: usize = 4;
/// The option of searches for the number of lines.
const LINES_OPTION: &str = "MultiPV";

options! {
    /// The playing strength.
    pub struct Strength {
        /// Play no stronger than `UCI_Elo` says.
        limit: bool = false, "UCI_LimitStrength";
        /// The strength to play at, in Elo of the ladder of our own engines.
        elo: u32 = 1500 in 0..=4000, "UCI_Elo";
        /// The seed of the choices of a limited player.
        seed: u64 = 1 in 1..=2147483647, "Strength Seed";
    }
}

/// Ratings with what it takes to play at them.
///
/// As text: lines of `elo nodes noise_cp`, growing in Elo; `#` begins a comment, which says where the numbers are from.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    rungs: Vec<Rung>,
}

/// The settings for one rating.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rung {
    elo: f64,
    nodes: f64,
    noise_cp: f64,
}

/// The error in the text of a ladder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the ladder: expected {expected}")]
pub struct LadderError {
    /// From 1; 0 for the whole text.
    line: usize,
    /// The expected text.
    expected: &'static str,
}

impl FromStr for Ladder {
    type Err = LadderError;

    fn from_str(text: &str) -> Result<Ladder, LadderError> {
        let mut rungs: Vec<Rung> = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
            if words.is_empty() {
                continue;
            }
            let error = |expected| LadderError { line: i + 1, expected };
            let numbers: Vec<f64> = words.iter().filter_map(|w| w.parse().ok()).collect();
            let [elo, nodes, noise_cp] = numbers[..] else { return Err(error("elo, nodes and noise in centipawns")) };
            if nodes < 1.0 || noise_cp < 0.0 || !nodes.is_finite() || !noise_cp.is_finite() {
                return Err(error("at least 1 node and no noise below 0"));
            }
            if !rungs.last().is_none_or(|below| below.elo < elo) {
                return Err(error("more Elo than the line before"));
            }
            rungs.push(Rung { elo, nodes, noise_cp });
        }
        if rungs.is_empty() {
            return Err(LadderError { line: 0, expected: "at least one line" });
        }
        Ok(Ladder { rungs })
    }
}

impl Ladder {
    /// The weakest and the strongest rating.
    pub fn bounds(&self) -> (u32, u32) {
        let elo = |rung: Option<&Rung>| rung.map_or(0.0, |r| r.elo).round() as u32;
        (elo(self.rungs.first()), elo(self.rungs.last()))
    }

    /// Nodes for a move and noise in centipawns at a rating: straight lines in the logarithm of the nodes.
    pub fn at(&self, elo: u32) -> (u64, f64) {
        let elo = f64::from(elo);
        let above = self.rungs.iter().position(|r| r.elo >= elo).unwrap_or(self.rungs.len() - 1);
        let (low, high) = (self.rungs[above.saturating_sub(1)], self.rungs[above]);
        let share = if high.elo > low.elo { ((elo - low.elo) / (high.elo - low.elo)).clamp(0.0, 1.0) } else { 1.0 };
        let mix = |a: f64, b: f64| a + (b - a) * share;
        let nodes = mix(low.nodes.ln(), high.nodes.ln()).exp();
        (nodes.round().max(1.0) as u64, mix(low.noise_cp, high.noise_cp))
    }
}

/// A player that can be told to play weaker.
pub struct Weakened<P> {
    player: P,
    ladder: Ladder,
    strength: Strength,
    game: u64,
    plies: u64,
}

impl<P: Player> Weakened<P> {
    /// `player`, with the options of [`Strength`] within the bounds of `ladder`.
    pub fn new(player: P, ladder: Ladder) -> Weakened<P> {
        let (min, max) = ladder.bounds();
        let mut strength = Strength::default();
        strength.elo = strength.elo.clamp(min, max);
        Weakened { player, ladder, strength, game: 0, plies: 0 }
    }

    /// The options of strength, bounded as the ladder is.
    fn own_specs(&self) -> Vec<Spec> {
        let (min, max) = self.ladder.bounds();
        let (min, max) = (i64::from(min), i64::from(max));
        let bounded = |mut spec: Spec| {
            if let ("elo", Kind::Int { default, .. }) = (spec.key, spec.kind) {
                spec.kind = Kind::Int { default: default.clamp(min, max), min, max };
            }
            spec
        };
        Strength::SPECS.iter().copied().map(bounded).collect()
    }

    /// The move of a player whose hand shakes: the best of the values plus noise.
    fn choose(&self, report: &mut Report<String>, noise_cp: f64) {
        if report.lines.len() < 2 || noise_cp <= 0.0 || !matches!(report.choice, Some(Choice::Play(_))) {
            return;
        }
        let mut random = Random::for_item(self.strength.seed, self.game << 16 | self.plies);
        let noisy = report.lines.iter().map(|line| f64::from(line.value.raw()) + noise_cp * random.normal());
        let best = noisy.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(i, _)| i);
        let line = &report.lines[best];
        report.choice = line.pv.first().cloned().map(Choice::Play);
        report.ponder = line.pv.get(1).cloned();
    }
}

/// The options of strength within the bounds of the ladder.
struct Bounded<'a> {
    strength: &'a mut Strength,
    specs: Vec<Spec>,
}

impl Options for Bounded<'_> {
    fn specs(&self) -> Vec<Spec> {
        self.specs.clone()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.strength.get(name)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs, name)?;
        if spec.key == "elo" && <u32 as Setting>::read(&self.strength.elo, value, &spec.kind).is_none() {
            let expected = spec.kind.expected();
            return Err(OptionError::Invalid { name: spec.name, value: value.to_string(), expected });
        }
        self.strength.set(name, value)
    }
}

impl<P: Player> Wrapper for Weakened<P> {
    type Inner = P;

    fn inner(&self) -> &P {
        &self.player
    }

    fn inner_mut(&mut self) -> &mut P {
        &mut self.player
    }

    fn all_options(&mut self) -> Box<dyn Options + '_> {
        let specs = self.own_specs();
        let own = Bounded { strength: &mut self.strength, specs };
        Box::new(Joined::new(vec![self.player.options(), Box::new(own)]))
    }

    fn game_begins(&mut self) {
        self.game += 1;
    }

    fn position_taken(&mut self, _rules: &str, _start: Option<&str>, moves: &[String]) {
        self.plies = moves.len() as u64;
    }

    fn think(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        if !self.strength.limit {
            return self.player.go(limits, only, watch);
        }
        let (nodes, noise_cp) = self.ladder.at(self.strength.elo);
        let limits = Limits { nodes: Some(limits.nodes.map_or(nodes, |n| n.min(nodes))), ..limits.clone() };
        let shown = self.player.options().get(LINES_OPTION);
        let lines: usize = shown.as_deref().and_then(|n| n.parse().ok()).unwrap_or(1);
        if noise_cp > 0.0 && lines < LINES {
            // A player without this option chooses among the lines it has.
            let _ = self.player.options().set(LINES_OPTION, &LINES.to_string());
        }
        let mut report = self.player.go(&limits, only, &mut Fewer { lines, watch });
        if let Some(shown) = shown {
            let _ = self.player.options().set(LINES_OPTION, &shown);
        }
        self.choose(&mut report, noise_cp);
        report.lines.truncate(lines);
        report
    }
}

/// A watch that shows no more lines than were asked for.
struct Fewer<'a> {
    lines: usize,
    watch: &'a mut dyn Watch<String>,
}

impl Watch<String> for Fewer<'_> {
    fn signal(&mut self) -> Signal {
        self.watch.signal()
    }

    fn elapsed(&self) -> Duration {
        self.watch.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if report.lines.len() > self.lines {
            let mut shorter = report.clone();
            shorter.lines.truncate(self.lines);
            self.watch.report(&shorter);
        } else {
            self.watch.report(report);
        }
    }

    fn wants(&self) -> Wants {
        self.watch.wants()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# made for this test\n1000 100 80\n2000 10000 0 # no noise\n";

    #[test]
    fn ladders_are_straight_in_the_logarithm_of_nodes() {
        let ladder: Ladder = TEXT.parse().unwrap();
        assert_eq!(ladder.bounds(), (1000, 2000));
        assert_eq!(ladder.at(1000), (100, 80.0));
        assert_eq!(ladder.at(1500), (1000, 40.0));
        assert_eq!(ladder.at(2000), (10000, 0.0));
        assert_eq!((ladder.at(10), ladder.at(9000)), (ladder.at(1000), ladder.at(2000)));
    }

    #[test]
    fn broken_ladders_name_their_line() {
        let check = |text: &str, expect: &str| {
            assert_eq!(text.parse::<Ladder>().unwrap_err().to_string(), expect);
        };
        check("", "line 0 of the ladder: expected at least one line");
        check("1 2", "line 1 of the ladder: expected elo, nodes and noise in centipawns");
        check("#\n9 1 0\n9 1 0", "line 3 of the ladder: expected more Elo than the line before");
        check("9 0 0", "line 1 of the ladder: expected at least 1 node and no noise below 0");
    }
}
