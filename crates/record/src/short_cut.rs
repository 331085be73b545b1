//! From one format of positions to another without samples in between, and what is lost on the way: for formats that are close
//! to each other, where records by the million wait.

use crate::RecordError;

/// The labels that a format has beside the position itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels {
    /// The move played.
    pub mv: bool,
    /// The score.
    pub score: bool,
    /// The result of the game.
    pub result: bool,
    /// The reason of the game's end.
    pub ending: bool,
    /// The number of the move.
    pub ply: bool,
}

impl Labels {
    /// All of them.
    pub const ALL: Labels = Labels { mv: true, score: true, result: true, ending: true, ply: true };
    /// The position alone.
    pub const NONE: Labels = Labels { mv: false, score: false, result: false, ending: false, ply: false };

    /// The words for what is here and not in `other`.
    pub fn beyond(self, other: Labels) -> Vec<&'static str> {
        let pairs = [
            ("move", self.mv, other.mv),
            ("score", self.score, other.score),
            ("result", self.result, other.result),
            ("how the game ended", self.ending, other.ending),
            ("ply", self.ply, other.ply),
        ];
        pairs.into_iter().filter(|&(_, here, there)| here && !there).map(|(word, ..)| word).collect()
    }
}

/// The options of a [`ShortCut`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ask {
    /// Check everything, the legality of moves included; without it only what the conversion itself needs.
    pub check: bool,
    /// Keep records with a score nearer to 0 than this, in centipawns.
    pub score_below: Option<u16>,
    /// Keep records with a move number of at most this too, from 1, whatever their score.
    pub or_ply_max: Option<u16>,
}

/// A short cut between two formats of positions.
pub trait ShortCut: Send + Sync {
    /// Converts the records of `block`, which begins with a record, and appends to `out`. `fault` hears of every wrong record,
    /// numbered from 1 within the block, which is left out. Returns how many records were read, wrong ones included, and how
    /// many were written.
    fn convert(&self, block: &[u8], out: &mut Vec<u8>, fault: &mut dyn FnMut(RecordError)) -> (u64, u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_has_names() {
        assert_eq!(Labels::ALL.beyond(Labels::ALL), [""; 0]);
        assert_eq!(Labels::NONE.beyond(Labels::ALL), [""; 0]);
        assert_eq!(
            Labels::ALL.beyond(Labels { mv: true, result: true, ..Labels::NONE }).join(", "),
            "score, how the game ended, ply"
        );
    }
}
