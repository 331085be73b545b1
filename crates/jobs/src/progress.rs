//! Progress of long work: done, rate and time left, as a bar on a terminal, as plain lines now and then elsewhere.

use crate::{job_control, terminal};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The display of progress. Always on stderr: stdout belongs to results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Show {
    /// A bar on a terminal, nothing elsewhere.
    #[default]
    Auto,
    /// A bar on a terminal, a plain line every ten seconds elsewhere.
    Lines,
    /// Nothing.
    Quiet,
}

/// Shared by the threads that do the work.
pub struct Progress {
    what: String,
    unit: &'static str,
    plain: bool,
    quiet: bool,
    bar: Option<ProgressBar>,
    state: Mutex<State>,
}

/// The mutable state of a progress display.
struct State {
    began: Instant,
    total: Option<u64>,
    done: u64,
    /// Work found done already when this process began: no part of the rate.
    before: u64,
    note: String,
    /// Lines below the bar.
    board: Vec<String>,
    left: Option<(Duration, Duration)>,
    drawn: Instant,
    /// When job control was told last.
    told: Option<Instant>,
}

/// Between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(10);
/// Between two drawings of the bar.
const DRAW_EVERY: Duration = Duration::from_millis(100);
/// Columns of a plain line.
const COLUMNS: usize = 80;
/// Columns of the bar in the templates, with the spaces beside it.
const BAR_COLUMNS: usize = 22;
/// Between two messages to job control.
const TELL_EVERY: Duration = Duration::from_millis(200);

impl Progress {
    /// Begins. `what` is a word or two ("games"), `unit` what is counted ("games", "positions").
    pub fn start(what: &str, unit: &'static str, total: Option<u64>, show: Show) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let bar = (terminal && show != Show::Quiet).then(|| {
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
            let template = if total.is_some() { "{prefix} {bar:20} {msg}" } else { "{prefix} {spinner} {msg}" };
            // The template is ours and correct; if it ever is not, the bar is plain.
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
            }
            bar.set_prefix(what.to_string());
            bar
        });
        let now = Instant::now();
        let progress = Progress {
            what: what.to_string(),
            unit,
            plain: !terminal && show == Show::Lines,
            quiet: show == Show::Quiet,
            bar,
            state: Mutex::new(State {
                began: now,
                total,
                done: 0,
                before: 0,
                note: String::new(),
                board: Vec::new(),
                left: None,
                drawn: now,
                told: None,
            }),
        };
        // The first item may be long in coming.
        if progress.bar.is_some() {
            progress.draw(&mut progress.lock(), true);
        }
        progress
    }

    /// `n` more are done.
    pub fn advance(&self, n: u64) {
        let mut state = self.lock();
        state.done += n;
        self.draw(&mut state, false);
    }

    /// Work that was done before this process began (a resumed job).
    pub fn resume_at(&self, done: u64) {
        let mut state = self.lock();
        state.done = done;
        state.before = done;
        self.draw(&mut state, true);
    }

    /// Work that is done in all.
    pub fn set(&self, done: u64) {
        let mut state = self.lock();
        state.done = done;
        self.draw(&mut state, false);
    }

    /// Work that is to be done in all, it turns out.
    pub fn total(&self, total: u64) {
        let mut state = self.lock();
        if state.total != Some(total) {
            state.total = Some(total);
            if let Some(bar) = &self.bar {
                bar.set_length(total);
            }
        }
    }

    /// The number of items done.
    pub fn done(&self) -> u64 {
        self.lock().done
    }

    /// A few words beside the figures.
    pub fn note(&self, text: &str) {
        let mut state = self.lock();
        state.note = text.to_string();
        self.draw(&mut state, false);
    }

    /// Sets the number of items done and the note beside it together, so that no line shows one without the other.
    pub fn set_noted(&self, done: u64, note: &str) {
        let mut state = self.lock();
        state.done = done;
        state.note = note.to_string();
        self.draw(&mut state, false);
    }

    /// Lines below the bar, drawn with it. Shown on a terminal only.
    pub fn board(&self, lines: Vec<String>) {
        let mut state = self.lock();
        state.board = lines;
        self.draw(&mut state, false);
    }

    /// Whether a board would be seen.
    pub fn has_board(&self) -> bool {
        self.bar.is_some()
    }

    /// A better estimate of the time left than the rate gives, as a range.
    pub fn left(&self, range: Option<(Duration, Duration)>) {
        self.lock().left = range;
    }

    /// A line of its own, above the bar. Shown unless quiet.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if !self.quiet => terminal::eprint(format_args!("{text}\n")),
            None => {}
        }
    }

    /// The figures as text: `123/1000 games, 4.5/s, 2.1 min left, NOTE`.
    pub fn text(&self) -> String {
        let state = self.lock();
        joined(&self.figures(&state), &state.note)
    }

    /// The end: the bar goes, a last plain line comes.
    pub fn finish(&self) {
        let mut state = self.lock();
        state.left = None;
        match &self.bar {
            Some(bar) => bar.finish_and_clear(),
            None => self.draw(&mut state, true),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn draw(&self, state: &mut State, now: bool) {
        if job_control::folder().is_some() && (now || state.told.is_none_or(|at| at.elapsed() >= TELL_EVERY)) {
            state.told = Some(Instant::now());
            // Who watches misses a figure; the work is worth more.
            let _ = job_control::write(job_control::PROGRESS_FILE, &self.as_json(state));
        }
        let age = state.drawn.elapsed();
        if let Some(bar) = &self.bar {
            if now || age >= DRAW_EVERY {
                state.drawn = Instant::now();
                bar.set_message(self.message(state));
                bar.set_position(state.done);
            }
        } else if self.plain && (now || age >= LINE_EVERY) {
            state.drawn = Instant::now();
            let figures = format!("{}: {}", self.what, self.figures(state));
            terminal::eprint(format_args!("{}\n", with_note(&figures, &state.note, COLUMNS)));
        }
    }

    /// The figures for a page: seconds left as a range, with what the range was made from.
    fn as_json(&self, state: &State) -> String {
        let elapsed = state.began.elapsed().as_secs_f64();
        let fresh = state.done.saturating_sub(state.before);
        let rate = if elapsed > 0.0 { fresh as f64 / elapsed } else { 0.0 };
        let by_rate = state.total.filter(|_| rate > 0.0).map(|total| total.saturating_sub(state.done) as f64 / rate);
        let expected = state.left.map(|(low, high)| (low.as_secs_f64(), high.as_secs_f64()));
        let left = expected.or(by_rate.map(|s| (s, s))).map(|(low, high)| [low, high]);
        let basis = if expected.is_some() { "model" } else { "rate" };
        serde_json::json!({ "what": self.what, "unit": self.unit, "done": state.done, "total": state.total, "rate": rate,
            "left": left, "basis": basis, "note": state.note })
        .to_string()
    }

    /// The figures and the board below them, each line as long as the terminal is wide at most.
    fn message(&self, state: &State) -> String {
        let (_, width) = console::Term::stderr().size();
        let columns = usize::from(width.max(2)) - 1;
        let mut text = self.figures(state);
        let used = self.what.chars().count() + BAR_COLUMNS;
        let whole = joined(&text, &state.note);
        let mut below: Vec<String> = Vec::new();
        if used + whole.chars().count() <= columns {
            text = whole;
        } else if !state.note.is_empty() {
            below.push(format!("  {}", with_note("", &state.note, columns.saturating_sub(2))));
        }
        for line in below.iter().chain(&state.board) {
            text.push('\n');
            text += &console::truncate_str(line, columns, "…");
        }
        text
    }

    fn figures(&self, state: &State) -> String {
        let elapsed = state.began.elapsed().as_secs_f64();
        let fresh = state.done.saturating_sub(state.before);
        let mut text = match state.total {
            Some(total) => format!("{}/{total} {}", state.done, self.unit),
            None => format!("{} {}", state.done, self.unit),
        };
        if fresh > 0 && elapsed > 0.0 {
            text += &format!(", {}/s", rate_text(fresh as f64 / elapsed));
        }
        if let Some((low, high)) = state.left {
            text += &format!(", {} left", range_text(low, high));
        } else if let Some(total) = state.total
            && fresh > 0
            && total > state.done
        {
            let left = elapsed / fresh as f64 * (total - state.done) as f64;
            text += &format!(", {} left", duration_text(Duration::from_secs_f64(left.min(1e12))));
        }
        text
    }
}

/// Figures with the words beside them.
fn joined(figures: &str, note: &str) -> String {
    let comma = if figures.is_empty() || note.is_empty() { "" } else { ", " };
    format!("{figures}{comma}{note}")
}

/// The line in at most `columns` columns: the last parts of the note go first.
fn with_note(figures: &str, note: &str, columns: usize) -> String {
    let mut note = note;
    // A pair in brackets, such as the bounds of a test, is one part.
    let is_part = |rest: &str| rest.matches('(').count() == rest.matches(')').count();
    loop {
        let text = joined(figures, note);
        let mut cuts = note.rmatch_indices(", ").map(|(at, _)| &note[..at]);
        match cuts.find(|rest| is_part(rest)) {
            Some(rest) if text.chars().count() > columns => note = rest,
            None if text.chars().count() > columns && !figures.is_empty() => return figures.to_string(),
            _ => return text,
        }
    }
}

/// A range of durations: `10 to 20 s`, `60 s to 10.0 min`.
fn range_text(low: Duration, high: Duration) -> String {
    let [low, high] = [low, high].map(duration_text);
    let unit = |text: &str| text.rsplit_once(' ').map(|(_, unit)| unit.to_string());
    let low = if unit(&low) == unit(&high) { low.split(' ').next().unwrap_or(&low).to_string() } else { low };
    format!("{low} to {high}")
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Three digits and a letter: `4.51`, `123`, `1.23 k`, `45.6 M`.
fn rate_text(rate: f64) -> String {
    let (value, letter) = match rate {
        r if r >= 1e9 => (r / 1e9, " G"),
        r if r >= 1e6 => (r / 1e6, " M"),
        r if r >= 1e3 => (r / 1e3, " k"),
        r => (r, ""),
    };
    let digits = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    format!("{value:.digits$}{letter}")
}

/// A number with its noun: `1 opening`, `5 openings`. For nouns whose plural ends in `s`.
///
/// # Examples
/// ```
/// use tesuji_jobs::counted;
/// assert_eq!([0, 1, 2].map(|n| counted(n, "mistake")), ["0 mistakes", "1 mistake", "2 mistakes"]);
/// ```
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A duration for people: `0.3 s`, `12 s`, `3.4 min`, `2.1 h`, `5.0 days`.
pub fn duration_text(duration: Duration) -> String {
    let s = duration.as_secs_f64();
    match s {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5_970.0 => format!("{:.1} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.1} h", s / 3_600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_say_what_is_known() {
        let progress = Progress::start("selfplay", "games", Some(10), Show::Quiet);
        assert_eq!(progress.text(), "0/10 games");
        progress.resume_at(4);
        assert_eq!(progress.text(), "4/10 games");
        progress.left(Some((Duration::from_secs(60), Duration::from_secs(600))));
        progress.advance(1);
        progress.note("Elo 3");
        let text = progress.text();
        assert!(text.starts_with("5/10 games, ") && text.ends_with("60 s to 10.0 min left, Elo 3"), "{text}");
        progress.set_noted(6, "Elo 4");
        let text = progress.text();
        assert!(text.starts_with("6/10 games, ") && text.ends_with("Elo 4"), "{text}");
        assert_eq!(progress.done(), 6);
        progress.finish();
    }

    /// The line of a match had 110 columns.
    #[test]
    fn lines_fit_eighty_columns() {
        let progress = Progress::start("match", "games", Some(100_000), Show::Quiet);
        progress.resume_at(1);
        progress.set(99_999);
        progress.left(Some((Duration::from_secs(3_594), Duration::from_secs(36_000))));
        let state = progress.lock();
        let figures = progress.figures(&state);
        assert!(5 + BAR_COLUMNS + figures.chars().count() <= 80, "{figures}");
        drop(state);
        let note = "LLR -1.23 (-2.94, 2.94), Elo -69.1 ± 20.7, LOS 12.34 %, pairs +12345 =23456 -12345";
        assert_eq!(with_note("match: 9/10 games, 12 to 20 s left", "LLR 1.00, Elo 3", 80).matches(',').count(), 3);
        let line = with_note(&format!("match: {figures}"), note, COLUMNS);
        assert!(line.starts_with("match: 99999/100000 games, ") && line.chars().count() <= 80, "{line}");
        assert_eq!(with_note("", note, 79), "LLR -1.23 (-2.94, 2.94), Elo -69.1 ± 20.7, LOS 12.34 %");
        assert_eq!([25, 10].map(|columns| with_note("", note, columns)), ["LLR -1.23 (-2.94, 2.94)"; 2]);
        let s = Duration::from_secs;
        assert_eq!([range_text(s(10), s(20)), range_text(s(60), s(600))], ["10 to 20 s", "60 s to 10.0 min"]);
    }

    #[test]
    fn texts_are_short() {
        assert_eq!([0.5, 9.996, 123.4, 1234.0, 4.56e7].map(rate_text), ["0.50", "10.0", "123", "1.23 k", "45.6 M"]);
        let text = |s| duration_text(Duration::from_secs_f64(s));
        assert_eq!([0.25, 12.0, 204.0, 7560.0, 432_000.0].map(text), ["0.2 s", "12 s", "3.4 min", "2.1 h", "5.0 days"]);
    }
}
