//! Positions on record, one by one, with what was played and said there and how the game ended: what networks and evaluations learn from.

use crate::{Ask, Fault, GameRecord, Labels, Note, RecordError, ShortCut, Step};
use fnv::FnvHasher;
use std::hash::Hasher;
use tesuji_game::{By, FirstSide, Outcome, Side, Value};

/// A position of a game with what is known about it. Every part but the position may be missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// The rules as text, as in [`GameRecord::rules`].
    pub rules: String,
    /// The position in the game's notation.
    pub position: String,
    /// The move that was played, in the protocol's notation; empty when unknown or at the end of the game.
    pub mv: String,
    /// The score of a search, in centipawns; beyond ±30,999 as [`Value::raw`] has it: a proven win.
    pub score: Option<FirstSide<i16>>,
    /// The result in half points of [`Side::First`]: 0, 1, 2.
    pub half_points: Option<u8>,
    /// Plies to the end of the game.
    pub plies_left: Option<u32>,
    /// The game it comes from: a hash of start and moves, so that it is the same in every file. Never 0: files have that for unknown
    /// games.
    pub game: Option<u64>,
    /// Plies since the start of the game.
    pub ply: Option<u32>,
    /// The origin of the game, who made it and how (the tag `Origin`); empty when unknown.
    pub origin: String,
    /// Facts of the position by the rules, where they have been computed.
    pub facts: Option<Facts>,
}

/// Facts of a position by the rules: for filters, statistics and the search for duplicates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Facts {
    /// A hash of all that decides how play can go on, counters left out: equal for equal positions, whatever the file.
    pub key: u64,
    /// Pieces on the board.
    pub pieces: u16,
    /// Material of First minus Second, in the game's smallest usual unit (chess: pawns).
    pub balance: i16,
    /// Material of both sides together, in the same unit.
    pub material: u16,
    /// Whether the side to move is in check.
    pub check: bool,
    /// Whether the move played takes or promotes.
    pub noisy: bool,
    /// Whether the move before took or promoted; `None` where the game around is not known.
    pub after_noisy: Option<bool>,
    /// Whether the position before was a check; `None` where the game around is not known.
    pub after_check: Option<bool>,
}

/// A format that positions are stored in, one record after another. Works on blocks of bytes, so that many blocks can be
/// read at once; files of these formats can be joined by joining their bytes.
pub trait SampleFormat: Sync {
    /// Its short name: `bullet`, `text`.
    fn name(&self) -> &'static str;

    /// Endings of file names, without the dot, the usual one first.
    fn extensions(&self) -> &'static [&'static str];

    /// The content of a record, in a few words for a person.
    fn carries(&self) -> &'static str;

    /// The number of bytes at the beginning of `block`, which begins with a record, that are whole records.
    fn whole(&self, block: &[u8]) -> usize;

    /// The size of every record, in bytes; `None` where a record is a line.
    fn record_bytes(&self) -> Option<usize> {
        None
    }

    /// Reads the records of `block`. Errors count lines (0: a format without lines) and records from 1 within it; reading goes
    /// on with the next record.
    fn read(&self, block: &[u8], each: &mut dyn FnMut(Result<Sample, RecordError>));

    /// Appends `sample` to `out`.
    ///
    /// # Errors
    /// When the format cannot hold it; `out` is unchanged then.
    fn write(&self, sample: &Sample, out: &mut Vec<u8>) -> Result<(), RecordError>;

    /// The labels that every record of this format has, so that nobody loses them unawares; `None`: that is not asked of this format.
    fn labels(&self) -> Option<Labels> {
        None
    }

    /// The labels that a record of this format can hold; others that are known of a position are lost in it.
    fn holds(&self) -> Labels {
        self.labels().unwrap_or(Labels::ALL)
    }

    /// A way to the format `to` that gives the same bytes as reading and writing, only faster. `None`: there is none.
    fn short_cut(&self, _to: &dyn SampleFormat, _ask: Ask) -> Option<Box<dyn ShortCut>> {
        None
    }
}

/// Knowledge about a game's positions beyond its rules as text: how games are split into positions, and the features of positions.
pub trait Survey: Sync {
    /// The formats of positions, the preferred one first.
    fn formats(&self) -> &'static [&'static dyn SampleFormat];

    /// Appends the positions of the main line of `game` in order, the last one included, with their facts.
    ///
    /// # Errors
    /// The first position or move that does not fit the rules; its number is that of the move, from 1.
    fn samples(&self, game: &GameRecord<String>, out: &mut Vec<Sample>) -> Result<(), Fault>;

    /// Joins `samples` to games: neighbours of one game where the move of one leads to the next, others each by itself.
    ///
    /// # Errors
    /// The first position or move that does not fit the rules, with its index.
    fn games(&self, samples: &[Sample], out: &mut Vec<GameRecord<String>>) -> Result<(), (usize, Fault)>;

    /// Looks at a position by itself.
    ///
    /// # Errors
    /// If the position or the move is wrong.
    fn look(&self, sample: &Sample) -> Result<Facts, Fault>;
}

/// The result of a game in half points of First; `None` where it does not count.
pub fn half_points(outcome: Option<Outcome>) -> Option<u8> {
    let outcome = outcome.filter(|o| o.by != By::Void)?;
    Some(match outcome.winner {
        Some(Side::First) => 2,
        None => 1,
        Some(Side::Second) => 0,
    })
}

/// The inverse of [`half_points`], as far as it goes: the reason is gone.
pub fn outcome_of(half_points: u8) -> Outcome {
    let winner = match half_points {
        0 => Some(Side::Second),
        1 => None,
        _ => Some(Side::First),
    };
    Outcome { winner, by: By::Adjudication }
}

/// A score, as files hold it, as a value for `side`. Numbers that are no values become the nearest.
pub fn value_of(score: FirstSide<i16>, side: Side) -> Value {
    let bound = i32::from(Value::MATE);
    FirstSide(Value::from_raw(i32::from(score.0).clamp(-bound, bound - 1))).seen_by(side)
}

/// The value that `note` gives for the mover `side`, as a score.
pub fn score_of(note: &Note, side: Side) -> Option<FirstSide<i16>> {
    Some(FirstSide(FirstSide::of(side, note.value?).0.raw() as i16))
}

/// The score that a file has for `side`. The one number without an opposite becomes the nearest that has one.
pub fn score_by(side: Side, score: i16) -> FirstSide<i16> {
    FirstSide(if side == Side::First { score } else { score.saturating_neg() })
}

/// The inverse of [`score_by`].
pub fn score_for(side: Side, score: FirstSide<i16>) -> i16 {
    score_by(side, score.0).0
}

/// A hash of where a game starts and of its moves: the same game has the same number in every file. Never 0.
pub fn fingerprint(game: &GameRecord<String>) -> u64 {
    let mut hash = Hash::default();
    hash.add(game.rules.as_bytes());
    hash.add(game.start.as_deref().unwrap_or("").as_bytes());
    for node in game.main_nodes() {
        match &game.nodes[node as usize].step {
            Step::Move(text) => hash.add(text.as_bytes()),
            Step::Setup(setup) => hash.add(game.setup(*setup).unwrap_or("").as_bytes()),
            Step::Start => {}
        }
    }
    hash.finish().max(1)
}

/// A hash of byte strings that is the same on every machine and in every version: FNV-1a (Fowler, Noll, Vo), mixed at the
/// end so that all bits depend on all bytes. Files hold its values.
#[derive(Default)]
pub struct Hash(FnvHasher);

impl Hash {
    /// Adds `bytes` and a mark of their end.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
        self.0.write(&[0xFF]);
    }

    /// The hash of all that was added.
    pub fn finish(&self) -> u64 {
        let mut z = self.0.finish();
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_scores_turn_with_the_side() {
        for points in 0..=2 {
            assert_eq!(half_points(Some(outcome_of(points))), Some(points));
        }
        assert_eq!(half_points(Some(Outcome::draw(By::Void))), None);
        for score in [i16::MIN, -32_000, -31_990, -5, 0, 5, 31_999, i16::MAX] {
            for side in Side::ALL {
                let note = Note { value: Some(value_of(FirstSide(score), side)), ..Note::default() };
                let expect = FirstSide(score.clamp(-32_000, 31_999));
                assert_eq!(score_of(&note, side), Some(expect), "{score} {side:?}");
                let nearest = if side == Side::First { score } else { score.max(-i16::MAX) };
                assert_eq!(score_for(side, score_by(side, score)), nearest);
            }
        }
    }

    #[test]
    fn fingerprints_tell_games_apart() {
        let of = |moves: &[&str]| fingerprint(&GameRecord::from_moves("", None, moves.iter().map(|m| m.to_string())));
        assert_eq!(of(&["e2e4", "e7e5"]), of(&["e2e4", "e7e5"]));
        assert_ne!(of(&["e2e4", "e7e5"]), of(&["e2e4e7e5"]));
        assert_ne!(of(&["e2e4"]), of(&[]));
        // Files hold these numbers: they must never change. This one was computed apart from this code.
        assert_eq!(of(&["e2e4"]), 5892957254746237144);
    }
}
