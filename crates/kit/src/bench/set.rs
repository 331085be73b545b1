//! The positions of a bench, by class, in a file that is compiled in.

/// A class of positions and what is in it.
pub type Class = (&'static str, Vec<&'static str>);

/// The classes of a set of positions: `# NAME` begins one, and every other line is a position.
///
/// # Examples
/// ```
/// let classes = tesuji_kit::bench::classes("# opening\nstartpos\nstartpos moves e2e4\n");
/// assert_eq!(classes, [("opening", vec!["startpos", "startpos moves e2e4"])]);
/// ```
pub fn classes(text: &'static str) -> Vec<Class> {
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
