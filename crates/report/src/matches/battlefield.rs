//! BattleField's own words: its line after each game and its last block, byte for byte (`--output battlefield`). What
//! it says wrongly is said here too: twenty draws of twenty are a win, and level Elo may be `-0.00`.

use std::fmt::Write as _;
use std::time::Duration;
use tesuji_arena::FaultKind;
use tesuji_stats::{BATTLEFIELD_LEVELS, Games, Sigma, Verdict, battlefield_moments, battlefield_verdict_exact};

/// The text style of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether it has the colours of a terminal.
    pub is_coloured: bool,
}

/// Colours of a terminal by their numbers.
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;
const BLUE: u8 = 34;
const PURPLE: u8 = 35;

impl Style {
    fn paint(self, text: &str, colour: u8, is_bold: bool) -> String {
        match (self.is_coloured, is_bold) {
            (false, _) => text.to_string(),
            (true, false) => format!("\x1b[{colour}m{text}\x1b[0m"),
            (true, true) => format!("\x1b[1;{colour}m{text}\x1b[0m"),
        }
    }
}

/// `%.2f` with the fitting unit.
fn time_text(time: Duration) -> String {
    let s = time.as_secs_f64();
    match s {
        s if s < 60.0 => format!("{s:.2} sec"),
        s if s < 3_600.0 => format!("{:.2} min", s / 60.0),
        s if s < 86_400.0 => format!("{:.2} hours", s / 3_600.0),
        s => format!("{:.2} days", s / 86_400.0),
    }
}

/// The time that `games` games take on `jobs` threads, in mean durations of a game: the author's fit (Lasso over 1,120
/// simulated cases), with his coefficients.
fn expected_time(jobs: f64, games: f64) -> f64 {
    let ln = games.ln();
    let more = 2.77918644e-3 * jobs + 8.64226651e-4 * games + 0.946858137 - 0.107427060 * ln - 1.38769432 / jobs
        + 0.0261388592 * ln / jobs
        + 0.451703118 / (jobs * jobs)
        - 0.117767833 * ln / (jobs * jobs)
        + 0.0456262770 * games / (jobs * jobs);
    games / jobs + more.max(0.0)
}

/// The time of all games, predicted from that of `done` games.
fn total_time(elapsed: Duration, jobs: usize, done: u64, total: u64) -> Duration {
    let of = |games: u64| expected_time(jobs.max(1) as f64, games.max(1) as f64);
    Duration::from_secs_f64((elapsed.as_secs_f64() / of(done) * of(total)).clamp(0.0, 1e15))
}

/// The highest confidence reached: `?`, `+95`, `-90`.
fn confidence(games: &Games, sigma: Sigma, style: Style) -> String {
    let reached = |level: usize| battlefield_verdict_exact(games, BATTLEFIELD_LEVELS[level].1, sigma);
    let best = (0..BATTLEFIELD_LEVELS.len()).rev().find(|&level| reached(level) != Verdict::Unclear);
    let Some(level) = best else { return style.paint("?", YELLOW, false) };
    let percent = (BATTLEFIELD_LEVELS[level].0 * 100.0).round();
    let (sign, colours) = match reached(level) {
        Verdict::First => ('+', [BLUE, GREEN]),
        _ => ('-', [PURPLE, RED]),
    };
    style.paint(&format!("{sign}{percent}"), colours[level.min(1)], level >= 2)
}

/// The line after a game, without its end.
pub fn progress_line(games: &Games, total: u64, elapsed: Duration, jobs: usize, sigma: Sigma, style: Style) -> String {
    let done = games.games();
    let first = games.points();
    format!(
        "{done}/{total} games ({}/{}), score = {first:.1}:{:.1}, confidence = {}",
        time_text(elapsed),
        time_text(total_time(elapsed, jobs, done, total)),
        done as f64 - first,
        confidence(games, sigma, style)
    )
}

/// An Elo difference as BattleField prints it.
fn elo_text(score: f64) -> String {
    const EDGE: f64 = 1e-12;
    match score {
        s if s < EDGE => "-oo".to_string(),
        s if s > 1.0 - EDGE => "oo".to_string(),
        s => format!("{:.2}", -400.0 * (1.0 / s - 1.0).log10()),
    }
}

/// The block at the end.
pub fn block(games: &Games, sigma: Sigma, style: Style) -> String {
    let Games { wins, draws, losses } = *games;
    let first = games.points();
    let mut text = format!("Wins: {wins}, Loses: {losses}, Draws: {draws}\n");
    let _ = writeln!(text, "Score: {first:.1}:{:.1}", games.games() as f64 - first);
    text += "Confidence interval:\n";
    for (level, z) in BATTLEFIELD_LEVELS {
        let verdict = match battlefield_verdict_exact(games, z, sigma) {
            Verdict::First => style.paint("First wins", GREEN, false),
            Verdict::Second => style.paint("Second wins", RED, false),
            Verdict::Unclear => style.paint("Unclear", YELLOW, false),
        };
        let _ = writeln!(text, "  p = {level:.2}: {verdict}");
    }
    text += "Other stats:\n";
    let los = match games.los_wl() {
        None => "N/A".to_string(),
        Some(p) => {
            let colour = match p {
                p if p < 0.1 => RED,
                p if p > 0.9 => GREEN,
                _ => YELLOW,
            };
            style.paint(&format!("{p:.2}"), colour, false)
        }
    };
    let _ = writeln!(text, "LOS = {los}");
    let (mean, deviation) = battlefield_moments(games, sigma);
    let z = BATTLEFIELD_LEVELS[1].1;
    let [low, average, high] = [-z, 0.0, z].map(|z| elo_text(mean + z * deviation));
    let _ = writeln!(text, "Elo difference = {low}/{average}/{high} (low/avg/high, at p = 0.95)");
    text
}

/// The message when an engine fails.
pub fn fault_line(name: &str, kind: FaultKind) -> String {
    let what = match kind {
        FaultKind::Hang => "is not responding :(",
        FaultKind::Time => "forfeits on time :(",
        FaultKind::Illegal | FaultKind::Garbage => "played an invalid move!",
        _ => "died :(",
    };
    format!("Engine \"{name}\" {what}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Style = Style { is_coloured: false };

    #[track_caller]
    fn check_block(wins: u64, losses: u64, draws: u64, expect: &str) {
        assert_eq!(block(&Games::new(wins, draws, losses), Sigma::Trinomial, PLAIN), expect);
    }

    #[test]
    fn blocks_are_its_own() {
        check_block(
            1940,
            1723,
            1337,
            "Wins: 1940, Loses: 1723, Draws: 1337\n\
             Score: 2608.5:2391.5\n\
             Confidence interval:\n  \
               p = 0.90: First wins\n  \
               p = 0.95: First wins\n  \
               p = 0.97: First wins\n  \
               p = 0.99: First wins\n\
             Other stats:\n\
             LOS = 1.00\n\
             Elo difference = 6.85/15.09/23.35 (low/avg/high, at p = 0.95)\n",
        );
        check_block(
            14,
            22,
            64,
            "Wins: 14, Loses: 22, Draws: 64\n\
             Score: 46.0:54.0\n\
             Confidence interval:\n  \
               p = 0.90: Unclear\n  \
               p = 0.95: Unclear\n  \
               p = 0.97: Unclear\n  \
               p = 0.99: Unclear\n\
             Other stats:\n\
             LOS = 0.09\n\
             Elo difference = -69.19/-27.85/12.70 (low/avg/high, at p = 0.95)\n",
        );
        // Its bug: nothing but draws is a win.
        check_block(
            0,
            0,
            20,
            "Wins: 0, Loses: 0, Draws: 20\n\
             Score: 10.0:10.0\n\
             Confidence interval:\n  \
               p = 0.90: First wins\n  \
               p = 0.95: First wins\n  \
               p = 0.97: First wins\n  \
               p = 0.99: First wins\n\
             Other stats:\n\
             LOS = N/A\n\
             Elo difference = -0.00/-0.00/-0.00 (low/avg/high, at p = 0.95)\n",
        );
        // Five games or fewer prove nothing.
        check_block(
            5,
            0,
            0,
            "Wins: 5, Loses: 0, Draws: 0\n\
             Score: 5.0:0.0\n\
             Confidence interval:\n  \
               p = 0.90: Unclear\n  \
               p = 0.95: Unclear\n  \
               p = 0.97: Unclear\n  \
               p = 0.99: Unclear\n\
             Other stats:\n\
             LOS = 0.99\n\
             Elo difference = -oo/oo/oo (low/avg/high, at p = 0.95)\n",
        );
    }

    #[test]
    fn old_blocks_have_the_old_deviation() {
        let text = block(&Games::new(35515, 29453, 35032), Sigma::Binomial, PLAIN);
        assert!(text.ends_with("Elo difference = -0.48/1.68/3.83 (low/avg/high, at p = 0.95)\n"), "{text}");
        let text = block(&Games::new(35515, 29453, 35032), Sigma::Trinomial, PLAIN);
        assert!(text.contains("  p = 0.90: First wins\n  p = 0.95: Unclear\n"), "{text}");
    }

    /// Spot values of the author's formula.
    #[test]
    fn times_are_foretold_by_its_formula() {
        for (jobs, games, expect) in [
            (1, 1, "1.0601"),
            (1, 1000, "1045.13"),
            (4, 1, "0.893"),
            (4, 4, "1.5041"),
            (4, 10, "2.9272"),
            (8, 5000, "632.786"),
            (16, 16, "1.6284"),
        ] {
            let digits = expect.split_once('.').unwrap().1.len();
            let found = expected_time(f64::from(jobs), f64::from(games));
            assert_eq!(format!("{found:.digits$}"), expect, "{jobs} {games}");
        }
    }

    #[track_caller]
    fn check_line(games: Games, total: u64, seconds: f64, jobs: usize, expect: &str) {
        let elapsed = Duration::from_secs_f64(seconds);
        assert_eq!(progress_line(&games, total, elapsed, jobs, Sigma::Trinomial, PLAIN), expect);
    }

    #[test]
    fn lines_are_its_own() {
        check_line(Games::new(1, 0, 0), 4, 1.5, 4, "1/4 games (1.50 sec/2.53 sec), score = 1.0:0.0, confidence = ?");
        check_line(
            Games::new(28, 250, 43),
            5000,
            479.4,
            4,
            "321/5000 games (7.99 min/2.07 hours), score = 153.0:168.0, confidence = -90",
        );
        check_line(
            Games::new(100, 75, 146),
            100_000,
            4_000.0,
            1,
            "321/100000 games (1.11 hours/14.47 days), score = 137.5:183.5, confidence = -99",
        );
        check_line(
            Games::new(40, 20, 25),
            85,
            59.999,
            2,
            "85/85 games (60.00 sec/60.00 sec), score = 50.0:35.0, confidence = +90",
        );
    }

    #[test]
    fn terminals_have_colours() {
        let styled = |games: Games| confidence(&games, Sigma::Trinomial, Style { is_coloured: true });
        assert_eq!(styled(Games::default()), "\x1b[33m?\x1b[0m");
        assert_eq!(styled(Games::new(40, 20, 25)), "\x1b[34m+90\x1b[0m");
        assert_eq!(styled(Games::new(25, 20, 40)), "\x1b[35m-90\x1b[0m");
        assert_eq!(styled(Games::new(1500, 1800, 1700)), "\x1b[1;31m-99\x1b[0m");
    }

    #[test]
    fn faults_are_told() {
        assert_eq!(fault_line("x", FaultKind::Crash), "Engine \"x\" died :(");
        assert_eq!(fault_line("x", FaultKind::Time), "Engine \"x\" forfeits on time :(");
    }
}
