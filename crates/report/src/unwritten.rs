//! What to do when a command could not write: whether and how it goes on once there is room.

use std::ffi::OsString;

/// Commands that go on, and how.
const GOING_ON: [(&[&str], &str); 5] = [
    (&["selfplay", "analyse", "analyze"], "When there is room again, the same command with --resume goes on."),
    (&["spsa"], "When there is room again, the same command goes on."),
    (
        &["train"],
        "When there is room again, the same command goes on from its checkpoint, or begins again where there is none yet.",
    ),
    (&["improve"], "When there is room again, tesuji improve --resume goes on with the folder of the run."),
    (
        &["convert", "filter", "rescore", "shuffle", "split", "dedup"],
        "When there is room again, the same command with --resume goes on.",
    ),
];

/// How the command that these words of a command line give goes on; `None` for one that begins again.
///
/// # Examples
/// ```
/// use tesuji_report::unwritten::going_on;
/// let words = |line: &str| line.split(' ').map(Into::into).collect::<Vec<std::ffi::OsString>>();
/// assert!(going_on(&words("tesuji selfplay chess --out g.sgs")).is_some_and(|words| words.contains("--resume")));
/// assert_eq!(going_on(&words("tesuji tree chess --save t.json")), None);
/// // `data` has a command of that name.
/// assert_eq!(going_on(&words("tesuji book filter a.tsv")), None);
/// ```
pub fn going_on(words: &[OsString]) -> Option<&'static str> {
    let mut commands = words.iter().skip(1).filter_map(|word| word.to_str()).filter(|word| !word.starts_with('-'));
    let first = commands.next()?;
    let name = if first == "data" { commands.next()? } else { first };
    let is_of_data = |names: &[&str]| names.contains(&"convert");
    let found = GOING_ON.iter().find(|(names, _)| names.contains(&name) && is_of_data(names) == (first == "data"));
    found.map(|(_, words)| *words)
}
