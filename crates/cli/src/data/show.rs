//! `tesuji data show`: some records, for a person.

use super::task::{Reading, Task};
use std::path::PathBuf;
use std::process::ExitCode;
use tesuji_dataset::data::{Format, Item, peek};
use tesuji_record::{GameRecord, Note, Sample};

/// Arguments of `tesuji data show`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data show positions.parquet\n  \
    tesuji data show games.viri --skip 100 --count 1\n  \
    tesuji data show --formats\n\n\
    Scores are in centipawns and results for the side that moves first. Exit codes: 0 done, 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The files to read (`-`: stdin)
    #[arg(required_unless_present = "formats", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Pass over so many records
    #[arg(long, default_value_t = 0, value_name = "N")]
    skip: u64,
    /// Show so many
    #[arg(long, default_value_t = 5, value_name = "N")]
    count: u64,
    /// Print a line of JSON for each record
    #[arg(long)]
    json: bool,
    /// List the formats with their endings
    #[arg(long)]
    formats: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let task = Task::new("show", &args.reading, &args.files)?;
    if args.formats {
        for format in task.formats() {
            let what = match format {
                Format::Games(_) => "games",
                Format::Samples(format) => format.carries(),
                Format::Columns => "position, move, score, result, plies left, game, ply, origin",
            };
            let endings: Vec<String> = format.extensions().iter().map(|e| format!(".{e}")).collect();
            println!("{:9} {:30} {what}", format.name(), endings.join(" "));
        }
        return Ok(ExitCode::SUCCESS);
    }
    peek(&task.inputs, args.skip, args.count, |number, item| {
        let text = match (item, args.json) {
            (Item::Game(game), false) => game_text(number, game),
            (Item::Sample(sample), false) => sample_text(number, sample),
            (Item::Game(game), true) => game_json(number, game).to_string() + "\n",
            (Item::Sample(sample), true) => sample_json(number, sample).to_string() + "\n",
        };
        print!("{text}");
    })?;
    Ok(ExitCode::SUCCESS)
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
        (Some(value), 0) => format!("({:+})", value.raw()),
        (Some(value), depth) => format!("({:+}/{depth})", value.raw()),
    }
}

fn sample_text(number: u64, sample: &Sample) -> String {
    let mut text = format!("position {number}: {}\n ", sample.position);
    if !sample.mv.is_empty() {
        text += &format!(" move {}", sample.mv);
    }
    if let Some(score) = sample.score {
        text += &format!(" score {score:+}");
    }
    text += &format!(" result {}", result_text(sample.half_points));
    if let Some(left) = sample.plies_left {
        text += &format!(" plies left {left}");
    }
    if sample.game != 0 {
        text += &format!(" game {:016x} ply {}", sample.game, sample.ply);
    }
    if !sample.origin.is_empty() {
        text += &format!(" origin {}", sample.origin);
    }
    text + "\n"
}

fn game_json(number: u64, game: &GameRecord<String>) -> serde_json::Value {
    let tags: serde_json::Map<_, _> = game.tags.iter().map(|(n, v)| (n.clone(), v.clone().into())).collect();
    let scores: Vec<_> = game.main_nodes().into_iter().map(|n| game.note(n).value.map(|v| v.raw())).collect();
    serde_json::json!({
        "game": number, "rules": game.rules, "start": game.start, "tags": tags, "moves": game.main_line(),
        "values_of_the_mover": scores, "result": tesuji_record::half_points(game.outcome).map(|p| f32::from(p) / 2.0),
    })
}

fn sample_json(number: u64, sample: &Sample) -> serde_json::Value {
    serde_json::json!({
        "record": number, "rules": sample.rules, "position": sample.position, "move": sample.mv, "score": sample.score,
        "result": sample.half_points.map(|p| f32::from(p) / 2.0), "plies_left": sample.plies_left,
        "game": sample.game, "ply": sample.ply, "origin": sample.origin,
    })
}
