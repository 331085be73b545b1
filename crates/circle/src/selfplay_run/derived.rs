//! Files of positions that self-play writes from its games.

use anyhow::{Context, bail};
use std::path::Path;
use tesuji_dataset::{
    data::{Format, Input, Job, Lens, Output, convert},
    searched::SearchedWriter,
};
use tesuji_jobs::{AtomicFile, Interrupt};
use tesuji_kit::{Kit, open_records};

/// Properties of a file's origin, by name.
type About = [(String, String); 3];

/// Writes the positions of the games in the file `own` into the file `to`; how many, in words, or `None` when it was stopped.
pub(super) fn write_positions(
    kit: &'static dyn Kit,
    (about, jobs): (&About, usize),
    (own, to): (&Path, &Path),
    format: Format,
    stop: &Interrupt,
) -> anyhow::Result<Option<String>> {
    let survey = kit.survey();
    let input = [Input { path: own.to_path_buf(), format: Format::find(kit, survey, &own.display().to_string())? }];
    let output = Output::new(to, format)?;
    let job = Job {
        inputs: &input,
        keep_game: None,
        scale: 1,
        lens: Lens { survey, fill_score: None },
        jobs,
        skip_errors: false,
        resume: false,
        words: "selfplay".into(),
        about: about.to_vec(),
        interrupt: stop,
        tell: &|_| (),
        complain: &|_| (),
    };
    let aside = output.aside();
    let tally = convert(&job, &[output], |_, routed, _| vec![routed])?;
    if tally.stopped {
        // Beginning again takes seconds.
        let mut journal = aside.clone().into_os_string();
        journal.push(".journal");
        let _ = (std::fs::remove_file(&aside), std::fs::remove_file(journal));
        return Ok(None);
    }
    let left: String = tally.left.iter().map(|(reason, count)| format!(", {count} left out ({reason})")).collect();
    Ok(Some(format!("{} positions{left}", tally.written)))
}

/// Writes the searched positions of the games in the file `own`, with visits, into the Parquet file `to`; how many, in words,
/// or `None` when it was stopped.
pub(super) fn searched(
    kit: &'static dyn Kit,
    about: &About,
    (own, to): (&Path, &Path),
    stop: &Interrupt,
) -> anyhow::Result<Option<String>> {
    let Some(words) = kit.move_words() else { bail!("{} has no networks", kit.name()) };
    let at = || to.display().to_string();
    let file = AtomicFile::create(to).with_context(at)?;
    let mut writer = SearchedWriter::begin(file, words, about).with_context(at)?;
    let mut reader = open_records(kit, own)?;
    while let Some(game) = reader.read().with_context(|| own.display().to_string())? {
        if stop.is_raised() {
            return Ok(None);
        }
        writer.add(&game).with_context(at)?;
    }
    let (count, file) = writer.finish().with_context(at)?;
    file.commit().with_context(at)?;
    Ok(Some(format!("{count} positions with their visits")))
}
