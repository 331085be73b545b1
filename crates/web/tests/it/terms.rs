//! The words that the page has for the terms of evaluations.

use std::collections::BTreeMap;
use tesuji_tally::Term;

/// The words in each language.
fn languages() -> [(&'static str, BTreeMap<String, String>); 4] {
    [
        ("en", include_str!("../../../../web/i18n/terms/en.json")),
        ("ru", include_str!("../../../../web/i18n/terms/ru.json")),
        ("ja", include_str!("../../../../web/i18n/terms/ja.json")),
        ("zh", include_str!("../../../../web/i18n/terms/zh.json")),
    ]
    .map(|(tag, text)| (tag, serde_json::from_str(text).unwrap()))
}

/// An explanation named weights of the program, `threat_knight.2`, where a player looks for a knight that attacks a bishop.
#[test]
fn every_term_has_a_name_in_every_language() {
    let games: [(&str, &[Term]); 2] =
        [("chess", tesuji_chess_eval::terms::TERMS), ("shogi", tesuji_shogi_eval::terms::TERMS)];
    let mut missing = Vec::new();
    for (tag, words) in languages() {
        for (game, terms) in games {
            for term in terms {
                // Material is told by its pieces, in the forms that numbers take.
                let is_material = term.name == "material";
                let keys: Vec<String> = if is_material {
                    (0..term.len).map(|kind| format!("{game}.material.{kind}_other")).collect()
                } else {
                    vec![format!("{game}.{}", term.name)]
                };
                missing
                    .extend(keys.into_iter().filter(|key| !words.contains_key(key)).map(|key| format!("{tag} {key}")));
                let name = words.get(&format!("{game}.{}", term.name));
                if name.is_some_and(|name| name.contains("{piece}")) {
                    let targets = (0..term.len).map(|kind| format!("{game}.target.{kind}"));
                    missing.extend(targets.filter(|key| !words.contains_key(key)).map(|key| format!("{tag} {key}")));
                }
            }
        }
    }
    assert!(missing.is_empty(), "words of web/i18n/terms are missing: {missing:?}");
}
