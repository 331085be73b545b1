//! The positions of the benches, by class: our own, from games of random openings played on by an engine.

/// A class of positions and what is in it.
pub type Class = (&'static str, Vec<&'static str>);

/// The classes of a game's positions; none for a game that has no set yet.
pub fn classes(game: &str) -> Vec<Class> {
    let text = match game {
        "chess" => include_str!("chess.txt"),
        "shogi" => include_str!("shogi.txt"),
        "go" => include_str!("go.txt"),
        _ => "",
    };
    let mut classes: Vec<Class> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(name) = line.strip_prefix("# ") {
            classes.push((name, Vec::new()));
        } else if let Some((_, positions)) = classes.last_mut() {
            positions.push(line);
        }
    }
    classes
}

/// A position of a set, and the moves behind it: in go the last ones matter.
pub fn split(text: &str) -> (&str, Vec<String>) {
    let (position, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    (position, moves.split(' ').filter(|mv| !mv.is_empty()).map(str::to_string).collect())
}
