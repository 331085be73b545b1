//! Games of self-play that are played but not written: rules for them, counts, and a journal of their numbers beside the file, by which
//! a run that was stopped knows the numbers of the games that are in it.

use crate::CircleError;
use std::{
    collections::BTreeMap,
    fmt,
    io::Write,
    path::{Path, PathBuf},
};
use tesuji_game::{By, Outcome};
use tesuji_jobs::{AtomicFile, Existing, OutputFile, is_special, open_output};
use tesuji_record::GameRecord;

/// The games that are not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DropRules {
    /// Games of fewer plies, their opening included.
    pub shorter_than: Option<u32>,
    /// Games that reach the largest length without an end.
    pub unfinished: bool,
    /// Games that an engine ended by a fault again and again, and that say nothing.
    pub faulty: bool,
}

/// Counts of games that were not written, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Dropped {
    /// Those with too few plies.
    pub short: u64,
    /// Those that reached the largest length.
    pub unfinished: u64,
    /// Those that faults of an engine left without a result.
    pub faulty: u64,
}

/// The reason why a game is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DropReason {
    Short,
    Unfinished,
    Faulty,
}

impl DropReason {
    fn word(self) -> &'static str {
        match self {
            DropReason::Short => "short",
            DropReason::Unfinished => "unfinished",
            DropReason::Faulty => "faulty",
        }
    }

    fn of_word(word: &str) -> Option<DropReason> {
        [DropReason::Short, DropReason::Unfinished, DropReason::Faulty].into_iter().find(|reason| reason.word() == word)
    }
}

impl DropRules {
    /// Whether any game is dropped.
    pub fn is_active(&self) -> bool {
        *self != DropRules::default()
    }

    /// The reason to drop `game`; `plies_max` is the length at which games are drawn.
    pub(crate) fn reason(&self, game: &GameRecord<String>, plies_max: Option<u32>) -> Option<DropReason> {
        let plies = u32::try_from(game.plies()).unwrap_or(u32::MAX);
        if self.shorter_than.is_some_and(|least| plies < least) {
            return Some(DropReason::Short);
        }
        let is_adjudicated_draw = game.outcome == Some(Outcome::draw(By::Adjudication));
        let is_cut = is_adjudicated_draw && plies_max.is_some_and(|most| plies >= most);
        (self.unfinished && is_cut).then_some(DropReason::Unfinished)
    }
}

impl fmt::Display for DropRules {
    /// As in the origin of games: `drops games under 20 plies and unfinished ones`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.shorter_than, self.unfinished) {
            (Some(least), true) => write!(f, "drops games under {least} plies and unfinished ones"),
            (Some(least), false) => write!(f, "drops games under {least} plies"),
            (None, true) => write!(f, "drops unfinished games"),
            (None, false) => write!(f, "drops nothing"),
        }
    }
}

impl Dropped {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.short + self.unfinished + self.faulty
    }

    fn add(&mut self, reason: DropReason) {
        match reason {
            DropReason::Short => self.short += 1,
            DropReason::Unfinished => self.unfinished += 1,
            DropReason::Faulty => self.faulty += 1,
        }
    }
}

/// The numbers of the dropped games of a file, with the journal that keeps them.
#[derive(Default)]
pub(crate) struct DroppedGames {
    numbers: BTreeMap<u64, DropReason>,
    /// `None` where no rule drops games.
    journal: Option<(PathBuf, OutputFile)>,
    pub(crate) counts: Dropped,
}

impl DroppedGames {
    /// The dropped games of the file `games`, whose journal is read where the run goes on; nothing without rules.
    ///
    /// # Errors
    /// When the journal of a run that goes on is missing or is none.
    pub(crate) fn read(games: &Path, rules: DropRules, resume: bool) -> Result<DroppedGames, CircleError> {
        if !(rules.is_active() && resume && games.exists()) {
            return Ok(DroppedGames::default());
        }
        let path = journal_path(games);
        if is_special(&path) {
            let reason = "expected a regular file, found a device or a pipe; move it away".to_string();
            return Err(CircleError::Mismatch { path: path.display().to_string(), reason });
        }
        let text = std::fs::read_to_string(&path).map_err(|e| CircleError::file(&path, e))?;
        // A torn last line belongs to a game that is played again.
        let lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let mut numbers = BTreeMap::new();
        for (index, line) in lines.enumerate() {
            let read = line.split_once(' ');
            let read = read.and_then(|(number, word)| Some((number.parse().ok()?, DropReason::of_word(word)?)));
            let Some((number, reason)) = read else {
                let reason = format!("line {} is no number of a dropped game with its reason: {line:?}", index + 1);
                return Err(CircleError::Mismatch { path: path.display().to_string(), reason });
            };
            numbers.insert(number, reason);
        }
        Ok(DroppedGames { numbers, ..DroppedGames::default() })
    }

    /// The number of the first game from `number` on that was not dropped.
    pub(crate) fn next_written(&self, number: u64) -> u64 {
        (number..).find(|number| !self.numbers.contains_key(number)).unwrap_or(number)
    }

    /// Opens the journal: what was dropped from game `done` on is played again, and forgotten.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn open(mut self, games: &Path, rules: DropRules, done: u64) -> Result<DroppedGames, CircleError> {
        if !rules.is_active() {
            return Ok(self);
        }
        self.numbers.retain(|number, _| *number < done);
        let path = journal_path(games);
        let text: String =
            self.numbers.iter().map(|(number, reason)| format!("{number} {}\n", reason.word())).collect();
        let file = AtomicFile::write(&path, text.as_bytes()).and_then(|()| open_output(&path, Existing::Append));
        self.numbers.values().for_each(|reason| self.counts.add(*reason));
        self.journal = Some((path.clone(), file.map_err(|e| CircleError::file(&path, e))?));
        Ok(self)
    }

    /// Notes that game `number` was dropped.
    ///
    /// # Errors
    /// Those of the file system.
    pub(crate) fn add(&mut self, number: u64, reason: DropReason) -> Result<(), CircleError> {
        self.counts.add(reason);
        let Some((path, file)) = &mut self.journal else { return Ok(()) };
        let line = format!("{number} {}\n", reason.word());
        file.write_all(line.as_bytes()).and_then(|()| file.flush()).map_err(|e| CircleError::file(path, e))
    }
}

/// The journal beside the file `games`.
fn journal_path(games: &Path) -> PathBuf {
    let mut name = games.as_os_str().to_owned();
    name.push(".dropped");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(plies: usize, outcome: Outcome) -> GameRecord<String> {
        let mut game = GameRecord::from_moves("", None, vec!["4".to_string(); plies]);
        game.outcome = Some(outcome);
        game
    }

    #[test]
    fn short_and_unfinished_games_are_dropped() {
        let rules = DropRules { shorter_than: Some(10), unfinished: true, ..DropRules::default() };
        let draw = |by| Outcome::draw(by);
        for (plies, outcome, expected) in [
            (9, draw(By::Repetition), Some(DropReason::Short)),
            (10, draw(By::Repetition), None),
            (40, draw(By::Adjudication), Some(DropReason::Unfinished)),
            (39, draw(By::Adjudication), None),
            (40, draw(By::Repetition), None),
        ] {
            assert_eq!(rules.reason(&game(plies, outcome), Some(40)), expected, "{plies} {outcome:?}");
            assert_eq!(DropRules::default().reason(&game(plies, outcome), Some(40)), None);
        }
        assert_eq!(rules.reason(&game(40, draw(By::Adjudication)), None), None);
    }

    #[test]
    fn the_journal_knows_the_numbers_of_written_games() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("g.four");
        let rules = DropRules { shorter_than: Some(3), ..DropRules::default() };
        let mut dropped = DroppedGames::read(&games, rules, false).unwrap().open(&games, rules, 0).unwrap();
        for (number, reason) in [(0, DropReason::Short), (1, DropReason::Unfinished), (4, DropReason::Short)] {
            dropped.add(number, reason).unwrap();
        }
        std::fs::write(&games, "").unwrap();
        let again = DroppedGames::read(&games, rules, true).unwrap();
        assert_eq!([0, 3, 4].map(|number| again.next_written(number)), [2, 3, 5]);
        let again = again.open(&games, rules, 4).unwrap();
        assert_eq!(again.counts, Dropped { short: 1, unfinished: 1, faulty: 0 });
        assert_eq!(std::fs::read_to_string(journal_path(&games)).unwrap(), "0 short\n1 unfinished\n");
        for (text, is_read) in [("0 short\n1 sho", true), ("0 short\nx\n", false), ("-1 short\n", false)] {
            std::fs::write(journal_path(&games), text).unwrap();
            assert_eq!(DroppedGames::read(&games, rules, true).is_ok(), is_read, "{text}");
        }
        std::fs::remove_file(journal_path(&games)).unwrap();
        assert!(DroppedGames::read(&games, rules, true).is_err(), "without it the numbers are not known");
    }
}
