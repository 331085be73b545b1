//! Opening books as a game has them: how books name its positions, and formats of other programs beside our own text.

use crate::Kit;
use anyhow::bail;
use std::path::Path;
use tesuji_game::{NotationError, Outcome, Side};
use tesuji_record::{GameRecord, Step};

/// Endings of file names that other programs give their books in one game or another: books of text never have them.
const FOREIGN_ENDINGS: [&str; 2] = ["bin", "db"];

/// The opening books of a game.
pub struct Books {
    /// The formats of other programs; books of text belong to every game.
    pub formats: &'static [&'static dyn BookFormat],
    /// Fields of a position's text, parted by spaces, that name it in a book of text. Those behind them are counters of moves.
    pub name_fields: usize,
    /// The counters after these fields in a position without known counters.
    pub counters: &'static str,
}

impl Books {
    /// Books of text alone, of a game whose positions have no counters.
    pub const TEXT: Books = Books { formats: &[], name_fields: usize::MAX, counters: "" };

    /// The format that the name of a file tells; `None`: our own text.
    ///
    /// # Errors
    /// When the ending is that of another program's books, which this game does not have.
    pub fn format(&self, path: &Path) -> anyhow::Result<Option<&'static dyn BookFormat>> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let found = self.formats.iter().copied().find(|format| format.ending() == ending);
        if found.is_none() && FOREIGN_ENDINGS.contains(&ending) {
            let known = self.formats.iter().map(|format| format!(", .{} ({})", format.ending(), format.program()));
            let known: String = known.collect();
            bail!("{}: this game has no books that end in .{ending}; it has text{known}", path.display());
        }
        Ok(found)
    }

    /// A position as books of text name it: without counters of moves.
    pub fn name_of(&self, position: &str) -> String {
        position.split(' ').take(self.name_fields).collect::<Vec<_>>().join(" ")
    }

    /// The position of a name, with counters as at the start of a game.
    pub fn position_of(&self, name: &str) -> String {
        format!("{name}{}", self.counters)
    }
}

/// A move in an opening book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedMove {
    /// The move.
    pub mv: String,
    /// Its weight: how often it is played in relation to the other moves of the position.
    pub weight: u64,
    /// Its value for the side to move, in centipawns.
    pub score_cp: Option<i32>,
    /// The depth of the search behind that value, in plies.
    pub depth: Option<i32>,
    /// The answer that is expected.
    pub answer: Option<String>,
}

impl WeightedMove {
    /// A move of which only the weight is known.
    pub fn new(mv: String, weight: u64) -> WeightedMove {
        WeightedMove { mv, weight, score_cp: None, depth: None, answer: None }
    }
}

/// A position of an opening book, in the game's notation, with its moves.
pub type BookPage = (String, Vec<WeightedMove>);

/// The format of another program's books.
pub trait BookFormat: Sync {
    /// The program.
    fn program(&self) -> &'static str;

    /// The ending of its files, without the dot.
    fn ending(&self) -> &'static str;

    /// Whether it holds values of moves.
    fn holds_scores(&self) -> bool;

    /// Whether it holds the depths behind these values, and expected answers.
    fn holds_depths_and_answers(&self) -> bool;

    /// Reads a book.
    ///
    /// # Errors
    /// The first fault of its content.
    fn read(&self, bytes: Vec<u8>) -> anyhow::Result<Box<dyn ForeignBook>>;

    /// Writes a book of `pages`.
    ///
    /// # Errors
    /// When the format has no word for a position or a move.
    fn write(&self, pages: &[BookPage]) -> anyhow::Result<Vec<u8>>;
}

/// A book of another program, in memory.
pub trait ForeignBook: Send + Sync {
    /// Its size and format, in words: `300 entries of Polyglot's`.
    fn words(&self) -> String;

    /// Its moves at `position`, in its order; `legal` are all moves that may be played there.
    ///
    /// # Errors
    /// When the position cannot be read.
    fn moves(&self, position: &str, legal: &[String]) -> anyhow::Result<Vec<WeightedMove>>;

    /// Its positions; `None` where it knows them by keys alone.
    fn positions(&self) -> Option<Vec<String>>;
}

/// Weights in 16 bits: as they are where all of a position fit, else in proportion, and no move that was played is lost.
pub fn small_weights(moves: &[WeightedMove]) -> impl Iterator<Item = (&WeightedMove, u16)> {
    let most = moves.iter().map(|m| m.weight).max().unwrap_or(0).max(u64::from(u16::MAX));
    let small = move |weight: u64| {
        let scaled = u128::from(weight) * u128::from(u16::MAX) / u128::from(most);
        u16::try_from(scaled).unwrap_or(u16::MAX).max(u16::from(weight > 0))
    };
    moves.iter().map(move |one| (one, small(one.weight)))
}

/// The first moves of a game, each with its position as books name it and the weight of the game's result for its side: 2 for a
/// win, 1 for a draw and for games that were not finished. Moves of the loser are left out.
///
/// # Errors
/// When the rules of the game, its start or one of these moves cannot be read.
pub fn book_lessons(
    kit: &dyn Kit,
    game: &GameRecord<String>,
    plies: usize,
) -> Result<Vec<(String, String, u32)>, NotationError> {
    let mut table = kit.table(&game.rules, game.start.as_deref())?;
    let mut lessons = Vec::new();
    for &node in game.main_nodes().iter().take(plies) {
        let Step::Move(text) = &game.nodes[node as usize].step else { break };
        let weight = weight_of(game.outcome, table.side_to_move());
        let position = kit.books().name_of(&table.position());
        table.play(text)?;
        if weight > 0 {
            lessons.push((position, text.clone(), weight));
        }
    }
    Ok(lessons)
}

/// The weight of a game's result for the moves of `side`.
fn weight_of(outcome: Option<Outcome>, side: Side) -> u32 {
    match outcome.map(|o| o.winner) {
        Some(Some(winner)) if winner == side => 2,
        Some(Some(_)) => 0,
        // Drawn, or never finished.
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_leave_counters_out() {
        let books = Books { name_fields: 2, counters: " 0 1", ..Books::TEXT };
        assert_eq!(books.name_of("board side 7 30"), "board side");
        assert_eq!(books.position_of("board side"), "board side 0 1");
        assert_eq!(Books::TEXT.name_of("board side 7"), "board side 7");
    }

    #[test]
    fn files_of_other_programs_are_no_text() {
        assert!(Books::TEXT.format(Path::new("a.tsv")).is_ok_and(|format| format.is_none()));
        let error = Books::TEXT.format(Path::new("a.db")).err().map(|error| error.to_string());
        assert_eq!(error.as_deref(), Some("a.db: this game has no books that end in .db; it has text"));
    }

    #[test]
    fn weights_shrink_in_proportion() {
        let moves = [70_000, 35_000, 1, 0].map(|weight| WeightedMove::new("a".into(), weight));
        assert_eq!(small_weights(&moves).map(|(_, weight)| weight).collect::<Vec<_>>(), [65535, 32767, 1, 0]);
    }
}
