//! BakaGo (SJTU, 2017) as options: its tree with its playouts. Where the article and the program differ, each has a preset.

/// The article's scheme: [`tesuji_search::mcts::Knobs::bakago`] with ten of its playouts a leaf.
const ARTICLE: [(&str, &str); 18] = [
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
];
/// What the program does otherwise.
const CODE: [(&str, &str); 4] =
    [("ExpandAfter", "32"), ("ChildrenMax", "45"), ("CandidatesMin", "2"), ("Playouts", "3")];

/// What a preset sets, in order; `None`: what is usual.
pub(super) fn options(preset: &str) -> Vec<(&'static str, Option<&'static str>)> {
    let article = ARTICLE.iter().map(|&(name, value)| (name, Some(value)));
    match preset {
        "bakago" => article.collect(),
        "bakago-code" => article.chain(CODE.iter().map(|&(name, value)| (name, Some(value)))).collect(),
        _ => ARTICLE.iter().map(|&(name, _)| (name, None)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use tesuji_options::Options;
    use tesuji_search::mcts::Knobs;

    #[test]
    fn the_article_s_preset_is_the_search_s() {
        let (bakago, mut player) = (Knobs::bakago(), games::kit("go").unwrap().player("").unwrap());
        let before: Vec<_> = options("default").iter().map(|(name, _)| player.options().get(name)).collect();
        player.options().set("Preset", "bakago").unwrap();
        let mut seen = 0;
        for (name, _) in ARTICLE {
            let Some(wanted) = bakago.get(name) else { continue };
            assert_eq!(player.options().get(name), Some(wanted), "{name}");
            seen += 1;
        }
        assert_eq!(seen, 16);
        player.options().set("Preset", "bakago-code").unwrap();
        assert_eq!(player.options().get("ExpandAfter").as_deref(), Some("32"));
        player.options().set("Preset", "default").unwrap();
        let after: Vec<_> = options("default").iter().map(|(name, _)| player.options().get(name)).collect();
        assert_eq!(before, after);
    }
}
