//! Reasons for the end of a game, as words in records: our own words where CSA and KIF have none.

use tesuji_game::{By, Outcome, Side};

/// The reasons that have a word.
const REASONS: [(By, &str); 14] = [
    (By::Mate, "mate"),
    (By::NoMoves, "no-moves"),
    (By::Repetition, "repetition"),
    (By::Superiority, "superiority"),
    (By::MoveRule, "move-rule"),
    (By::Material, "material"),
    (By::Declaration, "declaration"),
    (By::Resignation, "resignation"),
    (By::Time, "time"),
    (By::Illegal, "illegal"),
    (By::Agreement, "agreement"),
    (By::Adjudication, "adjudication"),
    (By::Disconnect, "disconnect"),
    (By::Void, "void"),
];

/// `black resignation`, `draw repetition`; points have no word.
pub(crate) fn words(outcome: &Outcome) -> String {
    let who = match outcome.winner {
        Some(Side::First) => "black",
        Some(Side::Second) => "white",
        None => "draw",
    };
    let reason = REASONS.iter().find(|r| r.0 == outcome.by).map_or("adjudication", |r| r.1);
    format!("{who} {reason}")
}

/// The inverse of [`words`].
pub(crate) fn read_words(text: &str) -> Option<Outcome> {
    let (who, reason) = text.trim().split_once(' ')?;
    let winner = match who {
        "black" => Some(Side::First),
        "white" => Some(Side::Second),
        "draw" => None,
        _ => return None,
    };
    Some(Outcome { winner, by: REASONS.iter().find(|r| r.1 == reason)?.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_come_back() {
        for (by, _) in REASONS {
            for winner in [None, Some(Side::First), Some(Side::Second)] {
                let outcome = Outcome { winner, by };
                assert_eq!(read_words(&words(&outcome)), Some(outcome));
            }
        }
        // Points have no word: somebody decides.
        let points = Outcome { winner: None, by: By::Points(2.0) };
        assert_eq!(read_words(&words(&points)), Some(Outcome::draw(By::Adjudication)));
        assert_eq!(read_words("nobody resignation"), None);
    }
}
