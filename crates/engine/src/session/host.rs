//! The host of a session: files and processor time, which the crate itself does not touch.

use std::time::Duration;
use tesuji_record::{GameRecord, Step};

use super::place::LinePosition;

/// The machine as a session sees it. The binary implements it.
pub trait Host: Send {
    /// The first game in a file.
    ///
    /// # Errors
    /// If it cannot be read; the error in words.
    fn load(&self, file: &str) -> Result<GameRecord<String>, String>;

    /// Processor time that the process used so far; `None` where it is not known.
    fn processor_time(&self) -> Option<Duration>;
}

/// The end of the main line of `record`, or the position before its move number `before` (from 1).
pub(super) fn line_position(record: &GameRecord<String>, before: Option<usize>) -> LinePosition {
    let mut place =
        LinePosition { rules: record.rules.clone(), start: record.start.clone(), ..LinePosition::default() };
    let mut played = 0;
    for node in record.main_nodes() {
        match &record.nodes[node as usize].step {
            Step::Move(_) if before.is_some_and(|n| played + 1 >= n) => break,
            Step::Move(mv) => {
                played += 1;
                place.moves.push(mv.clone());
            }
            Step::Setup(setup) => {
                place.start = record.setup(*setup).map(str::to_string);
                place.moves.clear();
            }
            Step::Start => {}
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_end_where_one_asks() {
        let mut record = GameRecord::<String>::new();
        for mv in ["D4", "Q16"] {
            record.append(Step::Move(mv.into()));
        }
        let last = record.last();
        record.push_setup(last, "9x9".into());
        record.append(Step::Move("C3".into()));
        assert_eq!(line_position(&record, Some(2)).moves, ["D4"]);
        assert!(line_position(&record, Some(1)).moves.is_empty());
        let end = line_position(&record, None);
        assert_eq!((end.start.as_deref(), end.moves), (Some("9x9"), vec!["C3".to_string()]));
        assert_eq!(line_position(&record, Some(9)).moves, ["C3"]);
    }
}
