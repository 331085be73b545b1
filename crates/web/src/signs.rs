//! What a search says of a node in words, as signs that a page can draw: why it was left, what is proven, how sure it is.

/// The node or move was not entered.
pub(crate) const LEFT_OUT: u8 = 1;
/// It was left early.
pub(crate) const CUT: u8 = 2;
/// Its result is proven.
pub(crate) const PROVEN: u8 = 4;
/// A null move led to it.
pub(crate) const NULL_MOVE: u8 = 8;
/// It captures.
pub(crate) const CAPTURE: u8 = 16;
/// It gives check.
pub(crate) const CHECK: u8 = 32;
/// The game is over there.
pub(crate) const OVER: u8 = 64;
/// Its value comes from what was learned before, or from the same position elsewhere.
pub(crate) const KNOWN: u8 = 128;

/// Why a node was left, by number; 0: nothing is said. The page has words for each.
pub(crate) const REASONS: [&str; 19] = [
    "",
    "searched",
    "cut: a move is too good",
    "ended by the rules",
    "cut: a shorter mate is known",
    "cut by the table",
    "cut by endgame tables",
    "cut by razoring",
    "cut by reverse futility",
    "cut by a null move",
    "cut by probcut",
    "cut: several moves are too good",
    "captures only",
    "left out",
    "learned",
    "same position elsewhere",
    "attacks",
    "defends",
    "cut: a mate at once",
];

/// Signs of a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Signs {
    /// The flags above.
    pub(crate) flags: u8,
    /// A number of [`REASONS`].
    pub(crate) reason: u8,
    /// Depth left, or quality of the value; 0 where neither is told.
    pub(crate) aux: f32,
}

/// Reads a note.
pub(crate) fn read(note: &str) -> Signs {
    let mut signs = Signs::default();
    for part in note.split(", ").filter(|part| !part.is_empty()) {
        let part = match part.split_once(" at depth ") {
            Some((word, depth)) => {
                signs.aux = depth.parse().unwrap_or(0.0);
                word
            }
            None => part,
        };
        match part {
            // The search's word for a null move, which saved trees hold.
            "pass" => signs.flags |= NULL_MOVE,
            "capture" => signs.flags |= CAPTURE,
            "check" => signs.flags |= CHECK,
            "game over" => signs.flags |= OVER,
            "proven" | "mate" => signs.flags |= PROVEN,
            _ => {
                let number = |word: &str| part.strip_prefix(word).and_then(|rest| rest.parse::<f32>().ok());
                if let Some(value) = number("depth ").or_else(|| number("quality ")) {
                    signs.aux = value;
                }
            }
        }
        if let Some(reason) = REASONS.iter().position(|&words| words == part) {
            signs.reason = reason as u8;
            signs.flags |= match reason {
                2 | 4..=11 | 18 => CUT,
                3 => OVER,
                13 => LEFT_OUT,
                14 | 15 => KNOWN,
                _ => 0,
            };
        }
    }
    signs
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_search::alpha_beta::Reason;

    #[test]
    fn every_reason_of_alpha_beta_is_known() {
        use Reason::*;
        let all = [
            Searched,
            Beta,
            Rules,
            MateDistance,
            Table,
            Endgame,
            Razoring,
            ReverseFutility,
            NullMove,
            Probcut,
            MultiCut,
            Quiescence,
            LeftOut,
            MateAtOnce,
        ];
        let found: Vec<u8> = all.iter().map(|reason| read(&format!("depth 3, {}", reason.words())).reason).collect();
        assert_eq!(found, (1..=13).chain([18]).collect::<Vec<u8>>());
    }

    #[test]
    fn notes_become_signs() {
        let signs = |flags, reason, aux| Signs { flags, reason, aux };
        assert_eq!(read(""), Signs::default());
        assert_eq!(read("pass, depth 4, window -5 to 6, value 7, cut by a null move"), signs(NULL_MOVE | CUT, 9, 4.0));
        assert_eq!(read("left out at depth 2"), signs(LEFT_OUT, 13, 2.0));
        assert_eq!(read("quality 12.5, capture, check, proven"), signs(CAPTURE | CHECK | PROVEN, 0, 12.5));
        assert_eq!(read("quality 0.0, same position elsewhere"), signs(KNOWN, 15, 0.0));
    }
}
