//! Sparse text, as libsvm has it: `result [qid:game] index:value …` a line, with indices that ascend, and comments behind `#`.

use super::{
    cells::{CellUnits, RawRows, RowFiller, shown},
    columns::{Role, Roles},
};

/// What is needed to read rows.
pub(super) struct Layout<'a> {
    pub roles: &'a Roles,
    /// The index of the first role.
    pub first: u16,
    pub units: CellUnits,
}

/// Whether the first row of some lines names its game.
pub(super) fn names_games(lines: &[u8]) -> bool {
    let without_comment =
        |line: &'_ [u8]| line.split(|byte| *byte == b'#').next().unwrap_or_default().trim_ascii().to_vec();
    let first = lines.split(|byte| *byte == b'\n').map(without_comment).find(|line| !line.is_empty());
    first.is_some_and(|line| line.split(u8::is_ascii_whitespace).any(|word| word.starts_with(b"qid:")))
}

/// Reads the rows of some lines. An error comes with the line, from 0.
pub(super) fn rows(lines: &[u8], layout: &Layout<'_>) -> Result<RawRows, (u64, String)> {
    let mut filler = RowFiller::new(layout.units);
    for (number, line) in lines.split(|byte| *byte == b'\n').enumerate() {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or(line);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(label) = words.next() else { continue };
        row(label, words, layout, &mut filler).map_err(|words| (number as u64, words))?;
    }
    Ok(filler.rows)
}

fn row<'a>(
    label: &[u8],
    words: impl Iterator<Item = &'a [u8]>,
    layout: &Layout<'_>,
    filler: &mut RowFiller,
) -> Result<(), String> {
    filler.text(Role::Result, label)?;
    let mut last = None;
    for word in words {
        let pair = word.iter().position(|byte| *byte == b':').map(|at| (&word[..at], &word[at + 1..]));
        let Some((index, value)) = pair else { return Err(format!("expected index:value, found {:?}", shown(word))) };
        if index == b"qid" {
            filler.text(Role::Game, value)?;
            continue;
        }
        let number: Option<usize> = std::str::from_utf8(index).ok().and_then(|index| index.parse().ok());
        let Some(number) = number else { return Err(format!("expected index:value, found {:?}", shown(word))) };
        if last.is_some_and(|last| last >= number) {
            return Err(format!("index {number} follows {}: expected indices that ascend", last.unwrap_or(0)));
        }
        last = Some(number);
        let place = number.checked_sub(usize::from(layout.first));
        let Some(&role) = place.and_then(|place| layout.roles.of.get(place)) else {
            let end = usize::from(layout.first) + layout.roles.of.len();
            return Err(format!("index {number}: expected {} to {} (first_index, names)", layout.first, end - 1));
        };
        filler.text(role, value).map_err(|words| format!("index {number}: {words}"))?;
    }
    filler.end_row();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature_table::columns::{FeatureNames, TableColumns};

    fn read(text: &str) -> Result<RawRows, (u64, String)> {
        let columns = TableColumns { ply: Some("9".into()), ..TableColumns::default() };
        let roles = Roles::of_indices(1, &columns, &mut FeatureNames::default(), "a").unwrap();
        rows(text.as_bytes(), &Layout { roles: &roles, first: 1, units: CellUnits::of(&columns) })
    }

    #[test]
    fn lines_of_libsvm_are_rows() {
        let rows = read("1 qid:7 2:0.5 9:30\n# nothing\n0.5 1:-1 # a draw\n").unwrap();
        assert_eq!(rows.heads.iter().map(|head| head.result).collect::<Vec<_>>(), [1.0, 0.5]);
        assert_eq!((rows.heads[0].ply, rows.heads[0].game.is_some(), rows.heads[1].game), (30.0, true, None));
        assert_eq!(rows.entries(0).collect::<Vec<_>>(), [(1, 0.5)]);
        assert_eq!(rows.entries(1).collect::<Vec<_>>(), [(0, -1.0)]);
        assert!(names_games(b"# qid:1\n\n1 qid:3 1:2\n") && !names_games(b"1 1:2 # qid:3\n"));
    }

    #[test]
    fn broken_lines_say_what_is_expected() {
        let check = |text: &str, line: u64, says: &str| assert_eq!(read(text).unwrap_err(), (line, says.to_string()));
        check("1 2:1\n0 3", 1, "expected index:value, found \"3\"");
        check("1 2:1 2:3", 0, "index 2 follows 2: expected indices that ascend");
        check("1 0:1", 0, "index 0: expected 1 to 65535 (first_index, names)");
        check("1 2:x", 0, "index 2: expected a number, found \"x\"");
        check("won 2:1", 0, "expected a result: a number, 1-0, 0-1 or 1/2-1/2, found \"won\"");
    }
}
