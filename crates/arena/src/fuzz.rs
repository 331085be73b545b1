//! Entries for fuzzers: each takes the path of a file of any bytes, must return, and asserts that what was read writes and reads back.

use crate::{Finished, Journal, Used};
use std::{path::Path, time::Duration};

/// The journal of a match in the file `path`.
///
/// # Panics
/// When games that were read do not survive writing into another journal.
///
/// # Examples
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("match.journal");
/// std::fs::write(&file, "no database")?;
/// tesuji_arena::fuzz::journal(&file);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn journal(path: &Path) {
    let Ok(journal) = Journal::open(path) else { return };
    let _ = (journal.setting("arguments"), journal.has_games(), journal.tails());
    let Ok(games) = journal.games() else { return };
    let mut used = Used::default();
    games.iter().flat_map(|game| &game.used).for_each(|one| used.add(one));
    let Ok(mut copy) = Journal::in_memory() else { return };
    // A broken file may have a number twice.
    if games.iter().all(|game| copy.add(game, &[]).is_ok()) {
        // Seconds as a number with a fraction are not exact.
        let text = |game: &Finished| format!("{:?}", Finished { duration: Duration::ZERO, ..game.clone() });
        let again: Vec<String> = copy.games().unwrap_or_default().iter().map(text).collect();
        assert_eq!(again, games.iter().map(text).collect::<Vec<_>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, FaultKind, Tail};
    use tesuji_game::{By, Outcome, Side};
    use tesuji_testkit::fuzz::{Target, in_file, run_in_place, run_large, time_for_each};

    #[test]
    fn journals_survive_bent_and_large_input() {
        let folder = tempfile::tempdir().unwrap();
        let mut seeds = Vec::new();
        for page_bytes in [512, 4096] {
            let path = folder.path().join(format!("{page_bytes}.db"));
            let base = rusqlite::Connection::open(&path).unwrap();
            base.execute_batch(&format!("PRAGMA page_size = {page_bytes}; VACUUM")).unwrap();
            drop(base);
            let mut journal = Journal::open(&path).unwrap();
            journal.set(&[("arguments", "a b"), ("over", "yes")]).unwrap();
            for game in 0..3 {
                let used = Used { moves: 40, time: Duration::from_millis(900), nodes: 12_345, ..Used::default() };
                let fault = (game == 1).then(|| (Side::Second, Fault::new(FaultKind::Crash, "signal 11")));
                let outcome = Outcome { winner: Some(Side::First), by: By::Mate };
                let moves = vec!["e2e4".into(), "e7e5".into()];
                let duration = Duration::from_millis(1500);
                let (used, values) = ([used, used], Vec::new());
                let finished = Finished { game, outcome, fault, plies: 2, duration, used, moves, values };
                journal.add(&finished, &[Tail { start: 100 * game, bytes: b"1. e4 e5 1-0\n".to_vec() }]).unwrap();
            }
            drop(journal);
            let bytes = std::fs::read(&path).unwrap();
            in_file(&bytes, |path| assert_eq!(Journal::open(path).unwrap().games().unwrap().len(), 3));
            seeds.push(bytes);
        }
        let target: Target = |bytes| in_file(bytes, journal);
        let bent = run_in_place("arena::journal", target, &seeds, 0xA4E1, time_for_each(120));
        let large = run_large("arena::journal", target, &seeds, 0xA4E2);
        println!("arena::journal: {bent} inputs, {large} of a megabyte");
    }
}
