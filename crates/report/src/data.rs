//! Files of games and positions as text for a person: what was done with them, what is in them, single records.

use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt};
use tesuji_dataset::{
    data::{Format, Histogram, Item, Summary, Tally},
    tasks::{DataUnit, DataWritten},
};
use tesuji_game::{FirstSide, Value};
use tesuji_jobs::{counted, duration_text};
use tesuji_record::{GameRecord, Note, Sample};
use utoipa::ToSchema;

/// The widest bar of a histogram.
const BAR: usize = 40;

/// A summary of finished conversion work, in lines; `quiet`: without a line for each of many outputs. For stopped work it says how to
/// resume.
pub fn written_text(done: &DataWritten, quiet: bool) -> String {
    let DataWritten { output, tally, unit, fill_score, clipped, spent, was_done, ending_for_many: _ } = done;
    if *was_done {
        return format!(
            "all is done already: {} records are in {}; --force instead of --resume does it again\n",
            grouped(tally.written),
            output.display()
        );
    }
    let rate = tally.records as f64 / spent.as_secs_f64().max(1e-3);
    let unit = unit.noun();
    let one_or_more = |count: u64, noun: &'static str| if count == 1 { noun.trim_end_matches('s') } else { noun };
    let read = format!("{} {}", grouped(tally.records), one_or_more(tally.records, unit));
    let mut text = format!("{read} read, {} {} written", grouped(tally.written), one_or_more(tally.written, "records"));
    text += &format!(" in {} ({} {unit}/s)\n", duration_text(*spent), grouped(rate as u64));
    for (name, count) in tally.outputs.iter().filter(|_| !quiet) {
        text += &format!("{name}: {} records\n", grouped(*count));
    }
    let mut each = |counts: &BTreeMap<String, u64>, line: &dyn Fn(&str, String) -> String| {
        for (what, count) in counts {
            text += &line(what, grouped(*count));
        }
    };
    each(&tally.found, &|kind, n| format!("found: {n} {kind}\n"));
    each(&tally.lost, &|part, n| format!("left out: {part} of {n} games\n"));
    each(&tally.untold, &|label, n| format!("lost: {label} of {n} positions (the format has none)\n"));
    each(&tally.left, &|reason, n| format!("left out: {n} {reason}\n"));
    if *clipped > 0 {
        text += &format!(
            "Warning: {} of the engine lay beyond ±{} centipawns and became that\n",
            counted(*clipped, "score"),
            grouped(u64::from(Value::CP_MAX.unsigned_abs()))
        );
    }
    if tally.errors > 0 {
        text += &format!("skipped: {} broken records\n", grouped(tally.errors));
    }
    if tally.left.keys().any(|k| k.contains("positions without a score")) && fill_score.is_none() {
        text += "--fill-score CP gives positions without a score one\n";
    }
    if tally.stopped {
        text += &format!("stopped; {} is not there yet: the same words with --resume go on\n", output.display());
    }
    text
}

/// A warning for each file that got nothing where there was something to write.
pub fn empty_outputs(tally: &Tally) -> Vec<String> {
    let empty = tally.outputs.iter().filter(|(_, count)| **count == 0 && tally.written > 0 && !tally.stopped);
    empty.map(|(name, _)| format!("warning: {name} is empty: no record fell to it")).collect()
}

/// A warning where other programs may read only the first of the games that were written.
pub fn first_game_alone(done: &DataWritten) -> Option<String> {
    let (name, written) = (done.output.display(), done.tally.written);
    let ending = done.ending_for_many.filter(|_| done.tally.outputs.is_empty() && written > 1)?;
    Some(format!(
        "warning: {name} holds {written} games, of which other programs may read only the first (.{ending} holds many)"
    ))
}

/// The number of records checked and the number that are broken, in one line.
pub fn checked_text(tally: &Tally, unit: DataUnit) -> String {
    let (records, errors) = (grouped(tally.records), grouped(tally.errors));
    let stopped = if tally.stopped { ", stopped before the end" } else { "" };
    format!("{records} {}, {errors} broken{stopped}\n", unit.noun())
}

/// A line for each format: its name, its endings, what it carries.
pub fn formats_text(formats: &[Format]) -> String {
    let line = |format: &Format| {
        let what = match format {
            Format::Games(_) => "games",
            Format::Samples(format) => format.carries(),
            Format::Columns => "position, move, score, result, plies left, game, ply, origin",
        };
        let endings: Vec<String> = format.extensions().iter().map(|e| format!(".{e}")).collect();
        format!("{:9} {:30} {what}\n", format.name(), endings.join(" "))
    };
    formats.iter().map(line).collect()
}

/// A number with its thousands apart.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share of `of` in percent.
fn percent(n: u64, of: u64) -> String {
    format!("{:.2} %", 100.0 * n as f64 / of.max(1) as f64)
}

/// Statistics of the records in files, with histograms.
pub fn summary_text(s: &Summary, tally: &Tally) -> String {
    let mut out = String::new();
    let mut line = |name: &str, words: String| out += &format!("{name:16} {words}\n");
    if s.games > 0 || s.games_repeated.is_some() {
        line("games", grouped(s.games));
    }
    if let Some(again) = s.games_repeated {
        line("  seen before", format!("{} ({})", grouped(again), percent(again, s.games)));
    }
    line("positions", grouped(s.positions));
    if let Some(again) = s.positions_repeated {
        line("  seen before", format!("{} ({})", grouped(again), percent(again, s.positions)));
        line("  in check", format!("{} ({})", grouped(s.checks), percent(s.checks, s.positions)));
    }
    line("  with a move", format!("{} ({})", grouped(s.moves), percent(s.moves, s.positions)));
    let scored = s.scores.total() + s.mates;
    // Where nothing looks at positions, scores are not told apart by side either.
    if s.positions_repeated.is_some() {
        line("  with a score", format!("{} ({})", grouped(scored), percent(scored, s.positions)));
    }
    if s.mates > 0 {
        line("  proven", format!("{} ({})", grouped(s.mates), percent(s.mates, s.positions)));
    }
    let all: u64 = s.results.iter().sum();
    out += if s.of_games { "results of games\n" } else { "results of positions\n" };
    let names = ["wins", "draws", "losses", "unknown"];
    let most = s.results.iter().max().copied().unwrap_or(0);
    for (name, n) in names.into_iter().zip(s.results).filter(|(name, n)| *n > 0 || *name != "unknown") {
        out += &bar(name, n, all, most);
    }
    histogram(&mut out, if s.of_games { "plies of games" } else { "plies to the end" }, &s.plies);
    histogram(&mut out, "scores", &s.scores);
    histogram(&mut out, "material of both sides", &s.material);
    histogram(&mut out, "material, first minus second", &s.balance);
    if tally.errors > 0 {
        out += &format!("skipped          {} broken records\n", grouped(tally.errors));
    }
    out
}

fn bar(name: &str, n: u64, all: u64, most: u64) -> String {
    let length = (n as f64 / most.max(1) as f64 * BAR as f64).round() as usize;
    format!("  {name:>12} {:>13} {:>8} {}\n", grouped(n), percent(n, all), "#".repeat(length)).trim_end().to_string()
        + "\n"
}

/// Ranges beyond the usual ones are drawn together, so that a page is enough.
fn histogram(out: &mut String, name: &str, h: &Histogram) {
    let Some((low, high)) = h.range else { return };
    *out += &format!("{name}: from {low} to {high}, mean {:.1}\n", h.mean);
    let (all, most) = (h.total(), h.counts.values().max().copied().unwrap_or(0));
    // What is rarer than one in two hundred at either end goes into one line.
    let rare = all / 200;
    let mut ranges: Vec<(i64, u64)> = h.counts.iter().map(|(k, n)| (*k, *n)).collect();
    let (mut below, mut above) = (0, 0);
    while ranges.len() > 1 && below + ranges[0].1 <= rare {
        below += ranges.remove(0).1;
    }
    while let Some(&(_, n)) = ranges.last().filter(|l| ranges.len() > 1 && above + l.1 <= rare) {
        above += n;
        ranges.pop();
    }
    if let (Some(first), true) = (ranges.first(), below > 0) {
        *out += &bar(&format!("under {}", first.0), below, all, most);
    }
    let mut next = ranges.first().map_or(0, |r| r.0);
    for &(from, n) in &ranges {
        while next < from {
            *out += &bar(&label(next, h.width), 0, all, most);
            next += h.width;
        }
        *out += &bar(&label(from, h.width), n, all, most);
        next = from + h.width;
    }
    if above > 0 {
        *out += &bar(&format!("from {next}"), above, all, most);
    }
}

fn label(from: i64, width: i64) -> String {
    if width == 1 { from.to_string() } else { format!("{from}..{}", from + width - 1) }
}

/// A record, numbered, as text; of games all moves in a line.
pub fn record_text(number: u64, item: Item<'_>) -> String {
    match item {
        Item::Game(game) => game_text(number, game),
        Item::Sample(sample) => sample_text(number, sample),
    }
}

/// A record, numbered, as `--json` shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum DataRow {
    /// A position.
    Position(PositionRow),
    /// A game.
    Game(RecordedGameRow),
}

/// A position of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PositionRow {
    /// Its number, from 0.
    pub record: u64,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// The position.
    pub position: String,
    /// The move; empty: none.
    #[serde(rename = "move")]
    pub mv: String,
    /// The score for the first side, in centipawns.
    pub score: Option<i32>,
    /// The result for the first side: 1, ½, 0; null: unknown.
    pub result: Option<f32>,
    /// Plies to the end of the game.
    pub plies_left: Option<u32>,
    /// The hash that names its game; 0: unknown.
    pub game: u64,
    /// Plies before it in its game.
    pub ply: u32,
    /// Where it comes from.
    pub origin: String,
}

/// A game of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RecordedGameRow {
    /// Its number, from 0.
    pub game: u64,
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// The position that it begins with; null: the usual one.
    pub start: Option<String>,
    /// Its tags.
    pub tags: BTreeMap<String, String>,
    /// Its moves.
    pub moves: Vec<String>,
    /// The value of each move for the side that played it.
    pub values_of_the_mover: Vec<Option<i32>>,
    /// The result for the first side: 1, ½, 0; null: unknown.
    pub result: Option<f32>,
}

impl DataRow {
    /// The row of a record with its number.
    pub fn of(number: u64, item: Item<'_>) -> DataRow {
        match item {
            Item::Game(game) => DataRow::Game(RecordedGameRow {
                game: number,
                rules: game.rules.clone(),
                start: game.start.clone(),
                tags: game.tags.iter().cloned().collect(),
                moves: game.main_line(),
                values_of_the_mover: game
                    .main_nodes()
                    .into_iter()
                    .map(|node| game.note(node).value.map(|value| value.raw()))
                    .collect(),
                result: points(tesuji_record::half_points(game.outcome)),
            }),
            Item::Sample(sample) => DataRow::Position(PositionRow {
                record: number,
                rules: sample.rules.clone(),
                position: sample.position.clone(),
                mv: sample.mv.clone(),
                score: sample.score.map(|score| i32::from(score.0)),
                result: points(sample.half_points),
                plies_left: sample.plies_left,
                game: sample.game.unwrap_or(0),
                ply: sample.ply.unwrap_or(0),
                origin: sample.origin.clone(),
            }),
        }
    }
}

impl fmt::Display for DataRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", serde_json::to_value(self).unwrap_or_default())
    }
}

fn points(half_points: Option<u8>) -> Option<f32> {
    half_points.map(|half| f32::from(half) / 2.0)
}

/// The result in half points as people write it.
fn result_text(half_points: Option<u8>) -> &'static str {
    match half_points {
        Some(0) => "0-1",
        Some(1) => "1/2-1/2",
        Some(_) => "1-0",
        None => "unknown",
    }
}

fn game_text(number: u64, game: &GameRecord<String>) -> String {
    let half_points = tesuji_record::half_points(game.outcome);
    let by = game.outcome.map_or(String::new(), |o| format!(" ({:?})", o.by).to_lowercase());
    let mut text = format!("game {number}: {}{by}, {} plies\n", result_text(half_points), game.plies());
    for (name, value) in &game.tags {
        text += &format!("  {name}: {}\n", value.escape_debug());
    }
    if let Some(start) = &game.start {
        text += &format!("  from {start}\n");
    }
    text += " ";
    for (mv, node) in game.main_line().iter().zip(game.main_nodes()) {
        text += &format!(" {mv}{}", said(game.note(node)));
    }
    text + "\n\n"
}

/// Value and depth in brackets.
fn said(note: &Note) -> String {
    match (note.value, note.depth) {
        (None, _) => String::new(),
        (Some(value), None) => format!("({:+})", value.raw()),
        (Some(value), Some(depth)) => format!("({:+}/{depth})", value.raw()),
    }
}

fn sample_text(number: u64, sample: &Sample) -> String {
    let mut text = format!("position {number}: {}\n ", sample.position);
    if !sample.mv.is_empty() {
        text += &format!(" move {}", sample.mv);
    }
    if let Some(FirstSide(score)) = sample.score {
        text += &format!(" score {score:+}");
    }
    text += &format!(" result {}", result_text(sample.half_points));
    if let Some(left) = sample.plies_left {
        text += &format!(" plies left {left}");
    }
    if let Some(game) = sample.game {
        text += &format!(" game {game:016x} ply {}", sample.ply.unwrap_or(0));
    }
    if !sample.origin.is_empty() {
        text += &format!(" origin {}", sample.origin);
    }
    text + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn histograms_fit_on_a_page() {
        let mut h = Histogram::new(10);
        (0..5000).for_each(|i| h.add(i % 40));
        h.add(-500);
        h.add(9000);
        let mut joined = Histogram::new(10);
        joined.join(&h);
        let mut out = String::new();
        histogram(&mut out, "plies", &joined);
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 7, "{out}");
        assert!(lines[0].starts_with("plies: from -500 to 9000, mean 21.2"), "{out}");
        assert!(lines[1].contains("under 0") && lines[6].contains("from 40"), "{out}");
        assert!(lines[2].contains("0..9         1,250"), "{out}");
    }

    /// The page read rows by names of its own.
    #[test]
    fn rows_are_read_back_as_they_were_written() {
        let sample =
            Sample { position: "p".into(), half_points: Some(1), score: Some(FirstSide(-7)), ..Sample::default() };
        let row = DataRow::of(3, Item::Sample(&sample));
        let line = row.to_string();
        assert_eq!(serde_json::from_str::<DataRow>(&line).unwrap(), row, "{line}");
        let game = DataRow::of(4, Item::Game(&GameRecord::default()));
        assert_eq!(serde_json::from_str::<DataRow>(&game.to_string()).unwrap(), game);
    }
}
