//! BakaGo (SJTU, 2017) as options: its tree with its playouts. Where the article and the program differ, each has a preset.

use std::time::Duration;

/// The article's scheme: UCB1, a leaf valued once by ten playouts, its candidates asked for after 16 visits, as many as their
/// priors need to sum up to 0.80 (0.87 after 100 plies, 0.95 after 200), at most 32, each visited once before UCB chooses among
/// them, the most visited move played, a new tree for each. A network, where there is one, names the candidates; it values nothing. (`crates/search/tests/it/mcts/rules.rs` compares it with the article.)
const ARTICLE: [(&str, &str); 19] = [
    ("SelectionRule", "ucb1"),
    ("Exploration", "0.5"),
    ("PriorBias", "0"),
    ("PriorPull", "0"),
    ("PriorVisits", "0"),
    ("FirstPlay", "first"),
    ("ExpandAfter", "16"),
    ("ValueOnce", "true"),
    ("ChildrenMax", "32"),
    ("CandidateShare", "0.8"),
    ("CandidateShare100", "0.87"),
    ("CandidateShare200", "0.95"),
    ("CandidatesMin", "1"),
    ("Proofs", "false"),
    ("TreeReuse", "false"),
    ("ChooseBy", "visits"),
    ("Playouts", "10"),
    ("PlayoutPolicy", "bakago"),
    ("PlayoutShare", "1"),
];
/// The time for a move where nothing limits it: the program had no other.
const MOVE_TIME: Duration = Duration::from_secs(5);
/// The options in which the program differs from the article.
const CODE: [(&str, &str); 4] =
    [("ExpandAfter", "32"), ("ChildrenMax", "45"), ("CandidatesMin", "2"), ("Playouts", "3")];

/// The options that a preset sets, in order; `None`: the default value.
pub(super) fn options(preset: &str) -> Vec<(&'static str, Option<&'static str>)> {
    let article = ARTICLE.iter().map(|&(name, value)| (name, Some(value)));
    match preset {
        "bakago" => article.collect(),
        "bakago-code" => article.chain(CODE.iter().map(|&(name, value)| (name, Some(value)))).collect(),
        _ => ARTICLE.iter().map(|&(name, _)| (name, None)).collect(),
    }
}

/// The time for a move where nothing limits it; `None`: visits limit it.
pub(super) fn move_time(preset: &str) -> Option<Duration> {
    (preset != "default").then_some(MOVE_TIME)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_kit::Kit;

    #[test]
    fn presets_set_all_of_their_options_and_take_them_back() {
        let mut player = crate::GO.player("").unwrap();
        let before: Vec<_> = options("default").iter().map(|(name, _)| player.options().get(name)).collect();
        player.options().set("Preset", "bakago").unwrap();
        for (name, wanted) in ARTICLE {
            assert_eq!(player.options().get(name).as_deref(), Some(wanted), "{name}");
        }
        player.options().set("Preset", "bakago-code").unwrap();
        assert_eq!(player.options().get("ExpandAfter").as_deref(), Some("32"));
        player.options().set("Preset", "default").unwrap();
        let after: Vec<_> = options("default").iter().map(|(name, _)| player.options().get(name)).collect();
        assert_eq!(before, after);
    }
}
