//! All formats of games of all games keep what they do not say that they drop.

use tesuji_kits::GAMES;
use tesuji_testkit::formats::{Code, conform};

/// Formats that said nothing of it lost tags, comments and moves, and nobody was told: `boards`, `viri` and `epd` did.
#[test]
fn formats_of_games_lose_what_they_say_and_nothing_else() {
    for kit in GAMES.0 {
        let words = kit.move_words();
        let code = words.map(|words| move |mv: &str| (words.code)("", mv));
        conform(*kit, code.as_ref().map(|code| code as Code<'_>));
    }
    conform(&tesuji_four::FOUR, None);
}
