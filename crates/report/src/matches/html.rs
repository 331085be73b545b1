//! The report of a match as one HTML page: nothing is loaded from elsewhere, light and dark as the reader has it.

use super::history::{History, OpeningCount, PLIES_STEP, SECONDS_FIRST};
use super::numbers::{depth_text, games_lines, interval_text, pairs_lines, percent, speed_text, sprt_line};
use super::ratings::RatingTable;
use super::warnings;
use crate::page::{page, section, table};
use crate::svg::{bars, escaped, line_chart};
use std::fmt::Write as _;
use tesuji_arena::{MatchPlan, Pairing, PlayerCount};
use tesuji_jobs::{counted, duration_text};
use tesuji_stats::{Sigma, TimeLeft};

/// The content of the match page.
pub struct Page<'a> {
    /// The plan of the match.
    pub plan: &'a MatchPlan<'a>,
    /// The seed of all that is random.
    pub seed: u64,
    /// The spread of a game's result.
    pub sigma: Sigma,
    /// The history of the results.
    pub history: &'a History,
    /// The table of a Swiss tournament; empty for other forms.
    pub table: String,
    /// Ratings, where there are more than two players.
    pub ratings: Option<RatingTable>,
    /// The reason of the end, in words; `None` while the match runs.
    pub end: Option<&'a str>,
    /// Time left.
    pub left: Option<TimeLeft>,
}

/// Openings that are listed.
const OPENINGS_MAX: usize = 25;
/// Between two looks of a browser at a running match, in seconds.
const REFRESH: u32 = 10;

impl Page<'_> {
    fn names(&self) -> Vec<&str> {
        self.plan.entrants.iter().map(|e| e.name.as_str()).collect()
    }

    /// The whole page.
    pub fn html(&self) -> String {
        let mut html = String::new();
        let standing = &self.history.standing;
        if let [pairing] = standing.pairings() {
            self.pairing(&mut html, pairing);
        }
        if !self.table.is_empty() {
            section(&mut html, "Table", &format!("<pre>{}</pre>\n", escaped(&self.table)));
        }
        if let Some(table) = &self.ratings {
            let text = table.text() + &warnings::lines(self.plan, standing);
            section(&mut html, "Ratings", &format!("<pre>{}</pre>\n", escaped(&text)));
        }
        let rows: Vec<(String, u64)> = standing.reasons().iter().map(|(name, n)| (name.to_string(), *n)).collect();
        section(&mut html, "How games ended", &bars("Games by the reason of their end", &rows));
        self.openings(&mut html);
        self.lengths(&mut html);
        section(&mut html, "Time and faults", &self.players());
        let refresh_s = self.end.is_none().then_some(REFRESH);
        page(&self.names().join(" – "), &self.state(), refresh_s, &html)
    }

    /// The number of games; a test may end before.
    fn games_text(&self) -> String {
        let most = if self.plan.sprt.is_some() { "at most " } else { "" };
        format!("{most}{}", self.plan.schedule.games())
    }

    /// The progress of the match, in a line.
    fn state(&self) -> String {
        let plan = self.plan;
        let done = self.history.standing.games();
        let limits: Vec<String> = plan.entrants.iter().map(|e| e.allowance.to_string()).collect();
        let mut text = format!("{}, {done} of {} games", plan.game.name(), self.games_text());
        match (self.end, &self.left) {
            (Some(end), _) => {
                let _ = write!(text, ", {end}");
            }
            (None, Some(left)) => {
                let _ = write!(text, ", running, {} to {} left", duration_text(left.low), duration_text(left.high));
            }
            (None, None) => text += ", running",
        }
        let same = limits.windows(2).all(|w| w[0] == w[1]);
        let limits = if same { limits.first().cloned().unwrap_or_default() } else { limits.join(" against ") };
        let openings = counted(plan.openings.len() as u64, "opening");
        let _ = write!(text, "; {limits}; {openings}, seed {}, {} at a time", self.seed, plan.jobs);
        text
    }

    /// Figures and lines of a match of two.
    fn pairing(&self, html: &mut String, pairing: &Pairing) {
        let test = self.plan.sprt.as_ref().map(|sprt| (sprt, self.history.standing.llr(sprt)));
        let mut text = games_lines(&pairing.games, &pairing.pairs, self.sigma, test) + &pairs_lines(&pairing.pairs);
        text += &warnings::lines(self.plan, &self.history.standing);
        text += &test.map_or_else(String::new, |(sprt, llr)| sprt_line(sprt, llr));
        let [a, b] = pairing.players.map(|i| self.plan.entrants[i].name.as_str());
        section(html, &format!("{a} against {b}"), &format!("<pre>{}</pre>\n", escaped(&text)));
        let label = format!("Elo of {a} with its 95 % interval, over the number of games");
        section(html, "Elo over games", &line_chart(&label, &self.history.elo, &[(0.0, "level")]));
        if let Some(sprt) = &self.plan.sprt {
            let (low, high) = sprt.bounds();
            let chart = line_chart(
                "Log-likelihood ratio over the number of games",
                &self.history.ratio,
                &[(low, "H0 accepted"), (high, "H1 accepted")],
            );
            section(html, "Log-likelihood ratio over games", &chart);
        }
    }

    /// Writes the results by opening.
    fn openings(&self, html: &mut String) {
        let all = &self.history.openings;
        let played = all.iter().filter(|o| o.of_first_side.games() > 0).count();
        let sum = |of: &dyn Fn(&OpeningCount) -> u64| all.iter().map(of).sum::<u64>();
        let games = sum(&|o| o.of_first_side.games());
        if games == 0 {
            return;
        }
        let [wins, draws, losses] =
            [sum(&|o| o.of_first_side.wins), sum(&|o| o.of_first_side.draws), sum(&|o| o.of_first_side.losses)];
        let lopsided = sum(&|o| o.lopsided);
        let share = |n: u64| percent(Some(n as f64 / games as f64));
        let mut text = format!(
            "<p>{played} openings played. The first side won {}, drew {}, lost {}. In {} of the games the same side of the \
             board won both games of the pair: there the opening decided.</p>\n",
            share(wins),
            share(draws),
            share(losses),
            share(lopsided)
        );
        let mut order: Vec<usize> = (0..all.len()).filter(|&i| all[i].of_first_side.games() > 0).collect();
        let lean = |i: &usize| {
            let games = &all[*i].of_first_side;
            (games.points() / games.games() as f64 - 0.5).abs() * (games.games() as f64).sqrt()
        };
        order.sort_by(|a, b| lean(b).total_cmp(&lean(a)));
        let rows = order.iter().take(OPENINGS_MAX).map(|&i| {
            let o = &all[i];
            let g = &o.of_first_side;
            let opening = self.plan.openings.get(i).unwrap_or_default();
            let words = opening.start.unwrap_or_default() + " " + &opening.moves.join(" ");
            vec![
                (i + 1).to_string(),
                g.games().to_string(),
                format!("{}/{}/{}", g.wins, g.draws, g.losses),
                percent(Some(g.points() / g.games() as f64)),
                o.lopsided.to_string(),
                format!("<small>{}</small>", escaped(words.trim())),
            ]
        });
        text += &table(&["number", "games", "first side +/=/−", "score", "lopsided", "opening"], rows);
        if order.len() > OPENINGS_MAX {
            let _ = writeln!(text, "<p>The {OPENINGS_MAX} that lean most to one side, of {}.</p>", order.len());
        }
        section(html, "Openings", &text);
    }

    /// Writes the distributions of game lengths, in plies and in time.
    fn lengths(&self, html: &mut String) {
        let plies = self.history.plies.iter().enumerate().map(|(i, &n)| {
            let from = i as u32 * PLIES_STEP;
            (format!("{from} to {} plies", from + PLIES_STEP - 1), n)
        });
        let seconds = self.history.seconds.iter().enumerate().map(|(i, &n)| {
            let to = SECONDS_FIRST * 2f64.powi(i as i32);
            (format!("up to {}", if to < 1.0 { format!("{:.0} ms", to * 1e3) } else { format!("{to:.1} s") }), n)
        });
        let filled = |rows: Vec<(String, u64)>| -> Vec<(String, u64)> {
            let from = rows.iter().position(|r| r.1 > 0).unwrap_or(0);
            rows.into_iter().skip(from).collect()
        };
        let (plies, seconds) = (filled(plies.collect()), filled(seconds.collect()));
        section(html, "Plies of games", &bars("Games by their number of plies", &plies));
        section(html, "Durations of games", &bars("Games by how long they took", &seconds));
    }

    /// A table of the players: the resources each one used, and its faults.
    fn players(&self) -> String {
        let rows = self.plan.entrants.iter().zip(self.history.standing.players()).map(|(entrant, player)| {
            let used = &player.used;
            let moves = f64::from(used.moves.max(1));
            let seconds = used.time.as_secs_f64();
            let ms = |t: std::time::Duration| format!("{:.2} ms", t.as_secs_f64() * 1e3);
            vec![
                escaped(&entrant.name),
                used.moves.to_string(),
                format!("{:.2} ms", seconds * 1e3 / moves),
                ms(used.longest),
                ms(used.overrun),
                depth_text(used),
                speed_text(used),
                escaped(&faults(player)),
            ]
        });
        let heads = ["player", "moves", "a move", "longest", "overstepped", "depth", "kn/s", "faults"];
        let elo = self.history.standing.pairings().first().and_then(|p| p.games.elo());
        let note = match (self.history.standing.games(), elo) {
            (0, _) => "<p>No game is over yet.</p>\n".to_string(),
            (1..20, elo) => format!("<p>Few games tell little: Elo {}.</p>\n", escaped(&interval_text(elo))),
            _ => String::new(),
        };
        note + &table(&heads, rows)
    }
}

fn faults(player: &PlayerCount) -> String {
    let named: Vec<String> = player.faults.iter().map(|(kind, n)| format!("{} {n}", kind.name())).collect();
    if named.is_empty() { "none".into() } else { named.join(", ") }
}
