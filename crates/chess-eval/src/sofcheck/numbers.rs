//! The 480 numbers of SoFCheck's evaluation, as they play: those of a `features.json` with its features, in its order.

use super::columns::{KING, KING_END, KNIGHT, PAWN, QUEEN_NEAR, ROOK_FILES, SHIELD, STORM};
use super::{COLUMNS, FeatureWeights, FeaturesError, column_names};
use tesuji_tally::Term;

/// The 480 numbers, in the order of [`column_names`].
///
/// # Examples
/// ```
/// use tesuji_chess_eval::sofcheck::SofcheckWeights;
/// let weights = SofcheckWeights::material();
/// assert_eq!(SofcheckWeights::from_json(&weights.to_json(), "features.json")?, weights);
/// assert_eq!((weights.values().len(), weights.values()[0]), (480, 100));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SofcheckWeights(Box<[i16; COLUMNS]>);

impl SofcheckWeights {
    /// These numbers.
    pub fn new(values: [i16; COLUMNS]) -> SofcheckWeights {
        SofcheckWeights(Box::new(values))
    }

    /// Piece values alone, in the ratio 1 : 3 : 3 : 5 : 9 (Shannon 1950), where learning may start. SoFCheck's own numbers are in
    /// its `features.json`.
    pub fn material() -> SofcheckWeights {
        let mut values = [0; COLUMNS];
        // The second cost is that of kings, which is never counted.
        for (cost, value) in [(0, 100), (2, 300), (3, 300), (4, 500), (5, 900)] {
            values[cost] = value;
        }
        SofcheckWeights::new(values)
    }

    /// Reads a `features.json`; `file` is what errors call it.
    ///
    /// # Errors
    /// As [`FeatureWeights::from_json`]; that the file has other features than SoFCheck's evaluation; that a number is too large.
    pub fn from_json(text: &str, file: &str) -> Result<SofcheckWeights, FeaturesError> {
        let read = FeatureWeights::from_json(text, file)?;
        let fault = |place: &str, reason: String| {
            let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
            Err(FeaturesError { file: file.into(), place, reason })
        };
        let (found, wanted) = (read.names(), column_names());
        if let Some((found, wanted)) = found.iter().zip(&wanted).find(|(found, wanted)| found != wanted) {
            return fault(found, format!("SoFCheck's evaluation has {wanted} here"));
        }
        if found.len() != COLUMNS {
            return fault("", format!("SoFCheck's evaluation has {COLUMNS} numbers, found {}", found.len()));
        }
        let mut values = [0; COLUMNS];
        for (column, (to, value)) in values.iter_mut().zip(read.values()).enumerate() {
            let Ok(value) = i16::try_from(value) else {
                return fault(&found[column], format!("{value} is outside -32768 to 32767"));
            };
            *to = value;
        }
        Ok(SofcheckWeights::new(values))
    }

    /// Writes a `features.json` in SoFCheck's layout.
    pub fn to_json(&self) -> String {
        let mut out = FeatureWeights::of_sofcheck();
        let values: Vec<i32> = self.0.iter().map(|&value| value.into()).collect();
        // There are as many numbers as names.
        let _ = out.set(&values);
        out.to_json()
    }

    /// The numbers.
    pub fn values(&self) -> &[i16; COLUMNS] {
        &self.0
    }
}

const fn term(name: &'static str, group: &'static str, first: usize, len: usize, doc: &'static str) -> Term {
    let columns = if len == 64 { 8 } else { 0 };
    Term { name, group, first, len, columns, unit: 256, doc, source: "A. Kernozhitsky, SoFCheck (2020)" }
}

/// The 480 numbers as everything that learns and explains knows them, in 256ths; all weights in the first of each pair.
pub const SOFCHECK_SET: &[Term] = &[
    term("psq.cost", "material", 0, 6, "Pieces: pawn, king (never counted), knight, bishop, rook, queen."),
    term("psq.pawn", "squares", PAWN, 64, "Pawns by square."),
    term("psq.king", "squares", KING, 64, "King by square, midgame."),
    term("psq.knight", "squares", KNIGHT, 64, "Knights by square."),
    term("psq.bishop", "squares", KNIGHT + 64, 64, "Bishops by square."),
    term("psq.rook", "squares", KNIGHT + 2 * 64, 64, "Rooks by square."),
    term("psq.queen", "squares", KNIGHT + 3 * 64, 64, "Queens by square."),
    term("psq.king_end", "squares", KING_END, 64, "King by square, endgame."),
    term(
        "queen_near_to_king",
        "kings",
        QUEEN_NEAR,
        1,
        "Enemy queens near the own king: 5, 4 and 1 at distances 1, 2 and 3.",
    ),
    term("rook_near_to_king", "kings", QUEEN_NEAR + 1, 1, "Enemy rooks near the own king, in the same way."),
    term("two_bishops", "material", QUEEN_NEAR + 2, 1, "Two bishops or more."),
    term("pawn_isolated", "pawns", QUEEN_NEAR + 3, 1, "Pawns without an own pawn on either adjacent file."),
    term("pawn_double", "pawns", QUEEN_NEAR + 4, 1, "Pawns with another own pawn on their file."),
    term("pawn_passed", "pawns", QUEEN_NEAR + 5, 1, "Passed pawns."),
    term("pawn_candidate", "pawns", QUEEN_NEAR + 6, 1, "Open pawns that may become passed ones."),
    term("pawn_open", "pawns", QUEEN_NEAR + 7, 1, "Other pawns with no pawn ahead on their file."),
    term("pawn_protected", "pawns", QUEEN_NEAR + 8, 1, "Pawns guarded by an own pawn."),
    term(
        "pawn_backward",
        "pawns",
        QUEEN_NEAR + 9,
        1,
        "Pawns whose stop square enemy pawns attack and own pawns can never guard.",
    ),
    term(
        "king_pawn.shield",
        "kings",
        SHIELD,
        6,
        "Own pawns before a castled king, on the 2nd and on the 3rd rank, midgame.",
    ),
    term(
        "king_pawn.storm",
        "kings",
        STORM,
        6,
        "Enemy pawns before a castled king, on the 3rd and on the 4th rank, midgame.",
    ),
    term("rook_open_col", "files", ROOK_FILES, 1, "Rooks on open files."),
    term("rook_semi_open_col", "files", ROOK_FILES + 1, 1, "Rooks on files with enemy pawns alone."),
    term("queen_open_col", "files", ROOK_FILES + 2, 1, "Queens on open files."),
    term("queen_semi_open_col", "files", ROOK_FILES + 3, 1, "Queens on files with enemy pawns alone."),
];

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_tally::feature_name;

    #[test]
    fn terms_name_the_columns() {
        let names: Vec<String> = (0..COLUMNS).map(|column| feature_name(SOFCHECK_SET, column)).collect();
        assert_eq!(names, column_names());
    }

    #[test]
    fn files_are_written_in_the_layout_and_others_refused() {
        let mut values = [0; COLUMNS];
        values.iter_mut().enumerate().for_each(|(i, value)| *value = 7 * i as i16 - 900);
        let weights = SofcheckWeights::new(values);
        let text = weights.to_json();
        assert_eq!(FeatureWeights::from_json(&text, "f.json").unwrap().to_json(), text);
        assert_eq!(SofcheckWeights::from_json(&text, "f.json"), Ok(weights));
        let says = |text: &str| SofcheckWeights::from_json(text, "f.json").unwrap_err().to_string();
        let other = text.replace("two_bishops", "three_bishops");
        assert_eq!(says(&other), "f.json: three_bishops: SoFCheck's evaluation has two_bishops here");
        assert_eq!(says("[]"), "f.json: SoFCheck's evaluation has 480 numbers, found 0");
        let large = text.replacen("[-900,", "[40000,", 1);
        assert_eq!(says(&large), "f.json: psq.cost.0: 40000 is outside -32768 to 32767");
    }
}
