//! SGF properties of a node besides its move, as a note: comment, numbers, clocks, glyphs, and the rest kept with the words.

use super::{
    extras::Extras,
    info,
    numbers::{is_guarded, read_numbers, read_seconds, write_numbers, write_seconds},
    tree::{SgfTree, escape, text},
};
use tesuji_game::Side;
use tesuji_record::Note;

/// Annotations and the glyphs of PGN that mean the same.
const GLYPHS: [(&str, &str, u8); 8] = [
    ("TE", "1", 1),
    ("BM", "1", 2),
    ("TE", "2", 3),
    ("BM", "2", 4),
    ("IT", "", 5),
    ("DO", "", 6),
    ("DM", "1", 10),
    ("UC", "1", 13),
];

/// Reads what `node` says besides moves and stones. `mover` made the move there, if there is one; properties of the game as
/// a whole at the root are left to [`info`].
pub(super) fn read_note(tree: &SgfTree, node: u32, mover: Option<Side>) -> Note {
    let mut note = Note::default();
    let (mut words, mut extras) = (String::new(), Extras::default());
    let clock = mover.map(clock_of);
    for property in tree.properties(node) {
        match property.name() {
            "B" | "W" | "AB" | "AW" | "AE" | "PL" | "POS" | "FF" | "GM" | "CA" | "SZ" => {}
            "C" => {
                for value in property.values().filter(|v| !v.is_empty()) {
                    if !words.is_empty() {
                        words.push('\n');
                    }
                    words.push_str(&text(value));
                }
            }
            name if Some(name) == clock && note.left.is_none() => match read_seconds(property.value().trim()) {
                Some(left) => note.left = Some(left),
                None => extras.add_property(&property),
            },
            "NAG" => {
                let glyphs: Option<Vec<u8>> = property.values().map(|v| v.trim().parse().ok()).collect();
                match glyphs {
                    Some(glyphs) => note.glyphs.extend(glyphs),
                    None => extras.add_property(&property),
                }
            }
            name => match glyph(name, property.value()) {
                Some(glyph) => note.glyphs.push(glyph),
                None if node == 0 && is_of_game(name, property.values().count()) => {}
                None => extras.add_property(&property),
            },
        }
    }
    let (said, within) = Extras::split(&words);
    let mut all = within;
    extras.iter().for_each(|(name, values)| all.add(name, values.iter().map(String::as_str)));
    note.comment = read_numbers(&said, &mut note).to_string();
    all.join(&mut note.comment);
    note
}

/// Whether a property of the root with this many values says something about the game as a whole, and is no markup.
pub(super) fn is_of_game(name: &str, values: usize) -> bool {
    matches!(name, "END" | "TAG") || (values == 1 && info::tag_of(name).is_some())
}

/// The property of the time left to `side`.
fn clock_of(side: Side) -> &'static str {
    if side == crate::BLACK { "BL" } else { "WL" }
}

/// The glyph that an annotation is.
fn glyph(name: &str, value: &str) -> Option<u8> {
    let value = value.trim();
    let same = |g: &&(&str, &str, u8)| g.0 == name && (g.1 == value || value.is_empty() && g.1 != "2");
    GLYPHS.iter().find(same).map(|g| g.2)
}

/// Adds what `note` says to the last node of `tree`, where `mover` moved, if anyone.
pub(super) fn write_note(note: &Note, mover: Option<Side>, tree: &mut SgfTree) {
    if note.is_empty() {
        return;
    }
    let mut value = String::new();
    if let (Some(left), Some(mover)) = (note.left, mover) {
        write_seconds(left, &mut value);
        tree.push(clock_of(mover), &value);
    }
    write_glyphs(&note.glyphs, mover.is_some(), tree);
    let (words, extras) = Extras::split(&note.comment);
    for (name, values) in extras.iter() {
        tree.push_property(name);
        values.iter().for_each(|v| tree.push_value(v));
    }
    value.clear();
    write_numbers(note, mover.is_none(), &mut value);
    if !words.is_empty() {
        if !value.is_empty() {
            value.push('\n');
        } else if is_guarded(&words) {
            value.push(';');
        }
        escape(&words, &mut value);
    }
    if !value.is_empty() {
        tree.push("C", &value);
    }
}

/// Writes glyphs as annotations where SGF has them all, else as numbers. It allows one about the move, where there is one,
/// and one about the position.
fn write_glyphs(glyphs: &[u8], moved: bool, tree: &mut SgfTree) {
    let known: Option<Vec<_>> = glyphs.iter().map(|&g| GLYPHS.iter().find(|known| known.2 == g)).collect();
    let fits = |list: &Vec<&(&str, &str, u8)>| {
        let of_positions = list.iter().filter(|g| matches!(g.0, "DM" | "UC")).count();
        of_positions <= 1 && list.len() - of_positions <= usize::from(moved)
    };
    match known.filter(fits) {
        Some(known) => known.iter().for_each(|(name, value, _)| tree.push(name, value)),
        None => {
            tree.push_property("NAG");
            glyphs.iter().for_each(|g| tree.push_value(&g.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BLACK, WHITE};
    use std::time::Duration;
    use tesuji_game::Value;

    fn node(properties: &str) -> SgfTree {
        SgfTree::read_all(format!("(;;{properties})").as_bytes()).unwrap().remove(0)
    }

    fn written(note: &Note, mover: Option<Side>) -> String {
        let mut tree = SgfTree::new();
        tree.push_node(0);
        write_note(note, mover, &mut tree);
        let mut out = String::new();
        tree.properties(0).for_each(|p| p.write(&mut out));
        out
    }

    /// Properties of a node after a move of Black, the note that they are, and that it is written as it was.
    #[track_caller]
    fn check(properties: &str, expect: &Note) {
        let note = read_note(&node(properties), 1, Some(BLACK));
        assert_eq!(note, *expect);
        assert_eq!(written(&note, Some(BLACK)), properties);
    }

    #[test]
    fn nodes_become_notes() {
        let words = |comment: &str| Note { comment: comment.into(), ..Note::default() };
        check("", &Note::default());
        check("C[a \\] b\nc]", &words("a ] b\nc"));
        check("BL[899.5]", &Note { left: Some(Duration::from_millis(899_500)), ..Note::default() });
        check("WL[12]", &words("[%sgf WL[12]]"));
        check("BL[-1]OB[3]", &words("[%sgf BL[-1]OB[3]]"));
        check("TE[1]", &Note { glyphs: vec![1], ..Note::default() });
        check("IT[]DM[1]", &Note { glyphs: vec![5, 10], ..Note::default() });
        check("NAG[4][5]", &Note { glyphs: vec![4, 5], ..Note::default() });
        check("NAG[1][14]", &Note { glyphs: vec![1, 14], ..Note::default() });
        check("TR[aa][cc:dd]LB[ee:1]C[look]", &words("look\n[%sgf TR[aa][cc:dd]LB[ee:1]]"));
        let value = Some(Value::cp(-31));
        check(
            "C[-0.31/5\nhm]",
            &Note { value, depth: std::num::NonZeroU32::new(5), comment: "hm".into(), ..Note::default() },
        );
        check("C[;n=5]", &words("n=5"));
    }

    #[test]
    fn clocks_of_nodes_without_a_move_stand_in_the_comment() {
        let note = Note { left: Some(Duration::from_secs(60)), ..Note::default() };
        assert_eq!(written(&note, None), "C[tl=60s]");
        assert_eq!(written(&note, Some(WHITE)), "WL[60]");
        assert_eq!(read_note(&node("C[tl=60s]"), 1, None), note);
    }

    #[test]
    fn annotations_of_moves_stand_at_moves() {
        let note = Note { glyphs: vec![1], ..Note::default() };
        assert_eq!(written(&note, None), "NAG[1]");
        assert_eq!(written(&note, Some(WHITE)), "TE[1]");
    }

    #[test]
    fn what_stands_twice_is_joined() {
        let note = read_note(&node("C[a]C[b]TR[aa]SQ[bb]TR[cc]"), 1, None);
        assert_eq!(note.comment, "a\nb\n[%sgf TR[aa][cc]SQ[bb]]");
    }
}
