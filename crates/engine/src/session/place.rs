//! The position of a session's game: rules, start and moves as text, as protocols change them word by word.

use tesuji_game::Side;

/// The move in place of a turn that a protocol leaves out when a side plays twice.
pub(crate) const SKIP: &str = "pass";

/// Rules, start and moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct LinePosition {
    /// As the game reads them; empty: the usual ones.
    pub(super) rules: String,
    /// The start in the game's notation; `None`: the usual one.
    pub(super) start: Option<String>,
    /// The moves from there.
    pub(super) moves: Vec<String>,
    /// The indices of moves that stand for turns left out, ascending.
    pub(super) skips: Vec<usize>,
}

impl LinePosition {
    /// The place under other rules. Words like `komi=6.5` change what they name and leave the game as it stands, but for
    /// `size`, which clears the board, as all other texts do, which name other rules altogether.
    pub(super) fn under(self, rules: &str) -> LinePosition {
        let is_words = !rules.is_empty() && rules.split_whitespace().all(|word| word.contains('='));
        let text = if is_words { with_words(&self.rules, rules) } else { rules.to_string() };
        let stays = is_words && !rules.split_whitespace().any(|word| word.starts_with("size="));
        if stays {
            LinePosition { rules: text, ..self }
        } else {
            LinePosition { rules: text, ..LinePosition::default() }
        }
    }

    /// Lets the other side pass where `side` is to play out of turn. `here`: whose turn it is, if that is known.
    pub(super) fn skip_to(&mut self, side: Side, here: Option<Side>) {
        if here.is_some_and(|here| here != side) {
            self.skips.push(self.moves.len());
            self.moves.push(SKIP.to_string());
        }
    }

    /// Takes the last move back, with the turn left out before it; `false` if there is none.
    pub(super) fn undo(&mut self) -> bool {
        let is_there = self.moves.pop().is_some();
        if self.skips.last().is_some_and(|&at| at + 1 == self.moves.len()) {
            self.moves.pop();
            self.skips.pop();
        }
        is_there
    }
}

/// `rules` with each word `key=value` of `words` in place of the one that had its key.
pub(super) fn with_words(rules: &str, words: &str) -> String {
    let mut all: Vec<&str> = rules.split_whitespace().collect();
    for word in words.split_whitespace() {
        let key = word.split_once('=').map_or(word, |(key, _)| key);
        all.retain(|old| old.split_once('=').is_none_or(|(known, _)| known != key));
        all.push(word);
    }
    all.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_replace_what_they_name() {
        assert_eq!(with_words("", "size=9"), "size=9");
        assert_eq!(with_words("size=9 komi=7.5", "komi=5.5"), "size=9 komi=5.5");
        let place = LinePosition { moves: vec!["D4".into()], ..LinePosition::default() };
        assert_eq!(place.clone().under("rules=japanese").moves, ["D4"]);
        assert!(place.clone().under("size=13").moves.is_empty());
        assert!(place.clone().under("").moves.is_empty());
        assert_eq!(place.under("chess960").rules, "chess960");
    }

    #[test]
    fn turns_left_out_come_back_with_their_moves() {
        let mut place = LinePosition::default();
        place.skip_to(Side::Second, Some(Side::First));
        place.moves.push("D4".into());
        assert_eq!(place.moves, ["pass", "D4"]);
        assert!(place.undo());
        assert!(place.moves.is_empty() && place.skips.is_empty());
        assert!(!place.undo());
    }
}
