//! Entries for fuzzers: each takes the path of a file of any bytes, must return, and asserts that what was read can be used.

use crate::{
    improve::{ImproveSettings, Story, read_pairs},
    spsa::replay,
};
use std::{fs, path::Path};
use tesuji_jobs::{AtomicFile, ChainedJournal};
use tesuji_tune::{Parameter, Spsa};

/// The journal of a tuning by SPSA in the file `path`, whose matches have eight games.
///
/// # Panics
/// When results that were taken lead out of the bounds, or are refused when they are read again.
///
/// # Examples
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("spsa.journal");
/// std::fs::write(&file, "four 4 pairs k=50\n-8\n3\n?\n")?;
/// tesuji_circle::fuzz::spsa_journal(&file);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn spsa_journal(path: &Path) {
    let read = || {
        let (_journal, lines) = ChainedJournal::open(path, "head").ok()??;
        let bounds = [0.0, 100.0];
        let parameter = Parameter { name: "k".into(), start: 50.0, bounds, step: 5.0, whole: true };
        let mut spsa = Spsa::new(vec![parameter], 100, 0.1, 1);
        let head = lines.first().cloned().unwrap_or_else(|| "head".into());
        replay((&mut spsa, 8), &lines, &head, &mut |_| ()).ok()?;
        assert!(spsa.values().iter().all(|value| (bounds[0]..=bounds[1]).contains(value)), "{:?}", spsa.values());
        Some(spsa.done())
    };
    if let Some(done) = read() {
        assert_eq!(read(), Some(done));
    }
}

/// The files that a run of `improve` keeps: the file `path` as each of them, the others whole.
///
/// # Panics
/// When a story that was read cannot be counted.
///
/// # Examples
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("any");
/// std::fs::write(&file, "{\"rounds\": 1}")?;
/// tesuji_circle::fuzz::improve_run(&file);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn improve_run(path: &Path) {
    let (Ok(bytes), Some(folder)) = (fs::read(path), path.parent()) else { return };
    let folder = folder.join("run");
    for bent in STORY.map(|(name, _)| name) {
        for (name, whole) in STORY {
            let file = folder.join(name);
            let bytes = if name == bent { &bytes } else { whole.as_bytes() };
            let _ = file.parent().map(fs::create_dir_all);
            let _ = AtomicFile::write(&file, bytes);
        }
        if let Ok(Some(story)) = Story::load(&folder) {
            let standings = story.rounds.iter().filter_map(|(round, _)| round.standing.as_ref());
            let games = standings.chain(story.verdict.as_ref().map(|verdict| &verdict.standing));
            assert!(games.into_iter().all(|standing| standing.score() >= 0.0));
            assert!(story.settings.save(&folder).is_ok());
            assert_eq!(ImproveSettings::load(&folder).ok().flatten(), Some(story.settings));
        }
    }
    let lines: Vec<String> = String::from_utf8_lossy(&bytes).lines().map(str::to_string).collect();
    if let Ok(pairs) = read_pairs(path, &lines) {
        assert!(pairs.iter().flatten().all(|half_points| *half_points <= 2));
    }
    let _ = fs::remove_dir_all(&folder);
}

/// The files of a small run.
const STORY: [(&str, &str); 5] = [
    (
        "improve.json",
        r#"{"made_by": "t", "from": "f", "rounds": 1, "budget": null, "games": 2, "pairs": 2, "nodes": 9, "random_plies": 4,
            "result_share": 0.5, "seed": 1, "jobs": 1}"#,
    ),
    (
        "round-1/round.json",
        r#"{"number": 1, "made_by": "t", "weights": "start.json", "seed": 1, "nodes": 9, "games": {"games": 2, "seconds": 0.5},
            "learned": null, "standing": {"wdl": [1, 2, 1], "pairs": [0, 1, 0, 1, 0]}, "adopted": false}"#,
    ),
    ("verdict.json", r#"{"standing": {"wdl": [4, 0, 0], "pairs": [0, 0, 0, 0, 2]}, "weights": "weights.json"}"#),
    ("verdict/pairs.txt", "2 2\n0 1\n"),
    ("spent.json", "12.5\n"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_testkit::fuzz::{Target, in_file, run_bytes, run_large, time_for_each};

    fn tried(name: &str, target: Target, seeds: &[Vec<u8>]) {
        let bent = run_bytes(name, target, seeds, 0xC1C1, time_for_each(120));
        let large = run_large(name, target, seeds, 0xC1C2);
        println!("{name}: {bent} inputs, {large} of a megabyte");
    }

    #[test]
    fn journals_of_spsa_survive_bent_and_large_input() {
        let seed = b"four 4 pairs k=50\n-8\n3\n0\n8\n1\n".to_vec();
        in_file(&seed, |path| {
            spsa_journal(path);
            assert_eq!(fs::read(path).unwrap(), seed, "a whole journal stays");
        });
        tried("circle::spsa_journal", |bytes| in_file(bytes, spsa_journal), &[seed]);
    }

    #[test]
    fn files_of_improve_survive_bent_and_large_input() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in STORY {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let story = Story::load(folder.path()).unwrap().unwrap();
        assert_eq!((story.rounds.len(), story.pairs[0].len(), story.seconds), (1, 2, 12.5));
        let mut seeds = STORY.map(|(_, text)| text.as_bytes().to_vec()).to_vec();
        // Sums of games that overflow.
        seeds.push(STORY[2].1.replacen("[4, 0", "[18446744073709551615, 7", 1).into_bytes());
        tried("circle::improve_run", |bytes| in_file(bytes, improve_run), &seeds);
    }
}
