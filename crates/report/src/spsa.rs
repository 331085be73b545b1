//! Tunings of numbers by games, as text.

use std::fmt::Write as _;
use tesuji_circle::spsa::SpsaRequest;
use tesuji_tune::Spsa;

/// The tuned values, and the match that proves them. `game` is how `match` is told the game; empty: it plays it by itself.
pub fn text(request: &SpsaRequest, spsa: &Spsa, game: &str) -> String {
    let (mut text, mut options) = (String::new(), String::new());
    for (parameter, &value) in spsa.parameters().iter().zip(spsa.values()) {
        let _ = writeln!(text, "{:28}{:>8} -> {:>8}", parameter.name, parameter.start, parameter.text_between(value));
        options += &format!(" option.{}={}", parameter.name, parameter.text(value));
    }
    let common: String = request.options.iter().map(|(name, value)| format!(" option.{name}={value}")).collect();
    let search = &request.search;
    let family = if search.is_empty() { String::new() } else { format!(" args=\"--search {search}\"") };
    let rules = request.rules.as_ref().map_or(String::new(), |rules| format!(" --rules '{rules}'"));
    let _ = writeln!(
        text,
        "after {} of {} matches; prove it: tesuji match{game}{rules} --engine 'name=new{family}{common}{options}' \
         --engine 'name=old{family}{common}'",
        spsa.done(),
        request.iterations
    );
    text
}
