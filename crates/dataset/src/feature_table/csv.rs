//! Tables as text: a header with the names of the columns, then a row a line, parted by commas, semicolons or tabs.

use super::{
    cells::{CellUnits, RawRows, RowFiller, shown},
    columns::{Role, Roles},
};

/// The text of a header.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Header {
    pub names: Vec<String>,
    pub separator: u8,
}

/// Reads the first line of a table.
///
/// # Errors
/// In words, when it is no header.
pub(super) fn header(line: &[u8]) -> Result<Header, String> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    // What stands there most often parts the names: a name may hold one of the others.
    let count = |separator: &u8| line.iter().filter(|byte| *byte == separator).count();
    let separator = [b'\t', b';', b','].into_iter().max_by_key(count).unwrap_or(b',');
    let mut names = Vec::new();
    for cell in Cells::new(line, separator) {
        let name = std::str::from_utf8(cell?).map_err(|_| "the header is not UTF-8".to_string())?;
        names.push(name.trim().replace("\"\"", "\""));
    }
    if let Some(place) = names.iter().position(String::is_empty) {
        return Err(format!("column {} has no name: expected a header with the names of the columns", place + 1));
    }
    if names.iter().all(|name| name.parse::<f64>().is_ok()) {
        return Err("the first line has only numbers: expected a header with the names of the columns".into());
    }
    Ok(Header { names, separator })
}

/// The cells of a line.
struct Cells<'a> {
    rest: Option<&'a [u8]>,
    separator: u8,
}

impl<'a> Cells<'a> {
    fn new(line: &'a [u8], separator: u8) -> Cells<'a> {
        Cells { rest: Some(line), separator }
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Result<&'a [u8], String>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest?;
        if let Some(quoted) = rest.strip_prefix(b"\"") {
            return Some(self.quoted(quoted));
        }
        let end = rest.iter().position(|byte| *byte == self.separator);
        let (cell, rest) = end.map_or((rest, None), |end| (&rest[..end], Some(&rest[end + 1..])));
        self.rest = rest;
        Some(Ok(cell.trim_ascii()))
    }
}

impl<'a> Cells<'a> {
    /// The cell that begins behind a quotation mark; doubled marks stay as they are.
    fn quoted(&mut self, quoted: &'a [u8]) -> Result<&'a [u8], String> {
        let mut at = 0;
        loop {
            let Some(mark) = quoted[at..].iter().position(|byte| *byte == b'"') else {
                self.rest = None;
                return Err("a quotation mark is not closed in its line".into());
            };
            at += mark;
            if quoted.get(at + 1) == Some(&b'"') {
                at += 2;
                continue;
            }
            let behind = &quoted[at + 1..];
            self.rest = match behind.split_first() {
                None => None,
                Some((byte, rest)) if *byte == self.separator => Some(rest),
                Some(_) => {
                    self.rest = None;
                    return Err(format!(
                        "expected the next cell behind a closed quotation mark, found {:?}",
                        shown(behind)
                    ));
                }
            };
            return Ok(&quoted[..at]);
        }
    }
}

/// What is needed to read rows.
pub(super) struct Layout<'a> {
    pub header: &'a Header,
    pub roles: &'a Roles,
    pub units: CellUnits,
}

/// Reads the rows of some lines. An error comes with the line, from 0.
pub(super) fn rows(lines: &[u8], layout: &Layout<'_>) -> Result<RawRows, (u64, String)> {
    let mut filler = RowFiller::new(layout.units);
    for (number, line) in lines.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        row(line, layout, &mut filler).map_err(|words| (number as u64, words))?;
    }
    Ok(filler.rows)
}

fn row(line: &[u8], Layout { header, roles, .. }: &Layout<'_>, filler: &mut RowFiller) -> Result<(), String> {
    let columns = roles.of.len();
    let mut count = 0;
    for cell in Cells::new(line, header.separator) {
        let Some(&role) = roles.of.get(count) else {
            let found = Cells::new(line, header.separator).count();
            return Err(format!("{found} cells, the header has {columns}"));
        };
        filler.text(role, cell?).map_err(|words| in_column(&header.names[count], role, &words))?;
        count += 1;
    }
    if count < columns {
        return Err(format!("{count} cells, the header has {columns}"));
    }
    filler.end_row();
    Ok(())
}

/// An error with its column, and what to do with columns that hold no numbers.
pub(super) fn in_column(name: &str, role: Role, words: &str) -> String {
    let hint = match role {
        Role::Feature(_) if words.contains("expected a number, found") => {
            format!(" (--column 'ignore={name}' leaves it out)")
        }
        _ => String::new(),
    };
    format!("column {name:?}: {words}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature_table::columns::{FeatureNames, TableColumns};

    fn read(text: &str) -> Result<RawRows, (u64, String)> {
        let (first, rest) = text.split_once('\n').unwrap();
        let header = header(first.as_bytes()).map_err(|words| (0, words))?;
        let columns = TableColumns::default();
        let roles = Roles::of_header(&header.names, &columns, false, &mut FeatureNames::default(), "a").unwrap();
        rows(rest.as_bytes(), &Layout { header: &header, roles: &roles, units: CellUnits::of(&columns) })
    }

    #[test]
    fn separators_quotes_and_ends_of_lines_are_those_of_any_program() {
        for text in [
            "result,a,b\n1,0,2.5\n0.5,-1,0\n",
            "\u{FEFF}result;\"a\";b\r\n1;0;2.5\r\n0.5;-1;0",
            "result\ta\tb\n\"1\"\t0\t 2.5 \n\n0.5\t\"-1\"\t0\n",
        ] {
            let rows = read(text).unwrap();
            assert_eq!(rows.heads.iter().map(|head| head.result).collect::<Vec<_>>(), [1.0, 0.5], "{text}");
            let entries: Vec<Vec<_>> = (0..2).map(|row| rows.entries(row).collect()).collect();
            assert_eq!(entries, [vec![(1, 2.5)], vec![(0, -1.0)]], "{text}");
        }
    }

    #[test]
    fn broken_lines_are_named_with_what_is_expected() {
        let check = |rest: &str, line: u64, says: &str| {
            let (at, words) = read(&format!("result,a,b\n{rest}")).unwrap_err();
            assert_eq!((at, words.as_str()), (line, says));
        };
        check("1,2,3\n1,2", 1, "2 cells, the header has 3");
        check("1,2,3,4", 0, "4 cells, the header has 3");
        check("1,x,3", 0, "column \"a\": expected a number, found \"x\" (--column 'ignore=a' leaves it out)");
        check("1,,3", 0, "column \"a\": expected a number, found \"\" (--column 'ignore=a' leaves it out)");
        check("1,NaN,3", 0, "column \"a\": expected a number that is finite in single precision, found NaN");
        check("2,1,3", 0, "column \"result\": result 2: expected a number from 0 to 1 (results says so)");
        check("1,\"2,3", 0, "a quotation mark is not closed in its line");
        assert!(header(b"1,0,2").unwrap_err().contains("only numbers"));
        assert!(header(b"a,,b").unwrap_err().contains("column 2 has no name"));
    }
}
