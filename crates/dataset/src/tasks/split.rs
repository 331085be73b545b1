//! Splitting: into training and validation, so that no game is in both, or into parts of one size.

use super::task::Task;
use super::{DataOutcome, SplitTask};
use crate::data::{Format, Item, Job, Routed, convert, file_name, split_of};
use std::path::{Path, PathBuf};
use tesuji_jobs::RequestError;
use tesuji_record::{Fault, unpacked_name};

/// Splits as `asked`.
pub(super) fn run(task: Task<'_>, asked: &SplitTask) -> Result<DataOutcome, RequestError> {
    match asked.parts {
        Some(parts) => into_parts(task, asked, parts),
        None => by_game(task, asked),
    }
}

/// Parts of one size, record by record in turn. Positions that are made of a game stay together.
fn into_parts(mut task: Task<'_>, asked: &SplitTask, parts: usize) -> Result<DataOutcome, RequestError> {
    let writing = &asked.writing;
    if writing.output == Path::new("-") {
        return Err(RequestError::failed("parts are files: stdout cannot be one"));
    }
    let paths: Vec<PathBuf> = (1..=parts).map(|part| part_path(&writing.output, part, parts)).collect();
    let outputs = paths.iter().map(|path| task.output(path, writing)).collect::<Result<Vec<_>, _>>()?;
    task.word(format!("parts {parts}"));
    let written = task.write(&paths[0], |job: &Job<'_>| {
        // Blocks begin with another part each, so that their remainders do not add up.
        convert(job, &outputs, |block, routed: Routed, _| {
            routed.part(parts, |_, number| Some((block + (number as usize).saturating_sub(1)) % parts))
        })
    })?;
    Ok(DataOutcome::Written(written))
}

/// `games.sgs.zst` becomes `games-03.sgs.zst`.
fn part_path(path: &Path, part: usize, parts: usize) -> PathBuf {
    let (name, width) = (file_name(path), parts.to_string().len());
    let stem = unpacked_name(&name);
    let at = stem.rfind('.').filter(|at| *at > 0).unwrap_or(stem.len());
    path.with_file_name(format!("{}-{part:0width$}{}", &name[..at], &name[at..]))
}

/// Training and validation, game by game.
fn by_game(mut task: Task<'_>, asked: &SplitTask) -> Result<DataOutcome, RequestError> {
    // Each record would be broken, and leaving them out would leave nothing.
    if let Some(input) = task.inputs.iter().find(|input| matches!(input.format, Format::Samples(_))) {
        let (path, name) = (input.path.display(), input.format.name());
        return Err(RequestError::failed(format_args!(
            "{path}: {name} does not tell which game a position comes from: split the games, or Parquet made of them"
        )));
    }
    let (train, writing) = (&asked.writing.output, &asked.writing);
    let outputs = [task.output(train, writing)?, task.output(&asked.valid, writing)?];
    if *train == asked.valid || outputs.iter().any(|o| o.path.as_os_str() == "-") {
        return Err(RequestError::failed("--train and --valid are two files"));
    }
    if outputs[0].format.holds_games() != outputs[1].format.holds_games() {
        return Err(RequestError::failed("--train and --valid hold games, or positions, both of them"));
    }
    task.word(format!("seed {} share {}", asked.seed, asked.share));
    let written = task.write(train, |job| {
        convert(job, &outputs, |_, routed: Routed, fault| {
            routed.part(2, |item: Item<'_>, number| {
                let part = split_of(item, asked.seed, asked.share);
                if part.is_none() {
                    let expected = "the game that the position comes from";
                    fault(number, Fault::Expected { expected, found: "0 (unknown)".into() });
                }
                part
            })
        })
    })?;
    Ok(DataOutcome::Written(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_before_the_ending() {
        for (path, part, parts, expect) in [
            ("a/b.hcp", 3, 10, "a/b-03.hcp"),
            ("games.sgs.zst", 2, 2, "games-2.sgs.zst"),
            ("games", 100, 100, "games-100"),
            (".hcp", 1, 2, ".hcp-1"),
        ] {
            assert_eq!(part_path(Path::new(path), part, parts), Path::new(expect));
        }
    }
}
