//! Files with weights filled in: placeholders `{{NAME}}` of any text, or the numbers of a JSON file in their order.

use super::weights::{WeightList, number_text};
use std::{ops::Range, path::Path};
use tesuji_jobs::read_text_limited;
use tesuji_kit::RequestError;

/// The longest template, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// A file to be copied.
pub(super) struct Template {
    name: String,
    text: String,
    /// Where the numbers of a JSON file without placeholders stand.
    numbers: Option<Vec<Range<usize>>>,
}

/// A placeholder.
struct Placeholder<'a> {
    range: Range<usize>,
    name: &'a str,
    decimals: Option<u8>,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// When it cannot be read, or has neither placeholders nor is JSON.
    pub(super) fn read(path: &Path) -> Result<Template, RequestError> {
        let (text, name) = (read_text_limited(path, BYTES_MAX)?, path.display().to_string());
        let numbers = match placeholders(&text).is_empty() {
            false => None,
            true => match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(_) => Some(json_numbers(&text)),
                Err(_) => {
                    let words =
                        format_args!("{name}: expected placeholders such as {{{{NAME}}}}, or a JSON file of numbers");
                    return Err(RequestError::failed(words));
                }
            },
        };
        Ok(Template { name, text, numbers })
    }

    /// Checks that `list` has what is to be filled in.
    ///
    /// # Errors
    /// The first placeholder that is no weight, or the number of numbers.
    pub(super) fn check(&self, list: &WeightList) -> Result<(), RequestError> {
        let fail = |words: String| Err(RequestError::failed(format_args!("{}: {words}", self.name)));
        if let Some(numbers) = self.numbers.as_ref().filter(|numbers| numbers.len() != list.list.len()) {
            return fail(format!("{} numbers, but {} weights are learned", numbers.len(), list.list.len()));
        }
        for found in placeholders(&self.text) {
            if list.place(found.name).is_none() {
                let line = self.text[..found.range.start].matches('\n').count() + 1;
                let halves = if list.places_of_entry(found.name).is_some() { " alone: it has .mg and .eg" } else { "" };
                return fail(format!("line {line}: {{{{{}}}}} is no weight{halves}", found.name));
            }
        }
        Ok(())
    }

    /// The text with the weights.
    pub(super) fn fill(&self, list: &WeightList, decimals: Option<u8>) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut from = 0;
        if let Some(numbers) = &self.numbers {
            for (range, weight) in numbers.iter().zip(&list.list) {
                out += &self.text[from..range.start];
                let old = &self.text[range.clone()];
                let is_whole = !old.contains(['.', 'e', 'E']);
                let new = number_text(weight.value, if is_whole { Some(0) } else { decimals });
                align(&mut out, old.len(), new.len());
                out += &new;
                from = range.end;
            }
        }
        for found in placeholders(&self.text) {
            out += &self.text[from..found.range.start];
            let value = list.place(found.name).map_or(0.0, |place| list.list[place].value);
            out += &number_text(value, found.decimals.or(decimals));
            from = found.range.end;
        }
        out + &self.text[from..]
    }
}

/// Keeps the columns of a table of numbers: spaces before a number, where there are several, make up for its length.
fn align(out: &mut String, old: usize, new: usize) {
    let spaces = out.len() - out.trim_end_matches(' ').len();
    if spaces < 2 {
        return;
    }
    out.truncate(out.len() - spaces);
    let wanted = (spaces + old).saturating_sub(new).max(1);
    out.extend(std::iter::repeat_n(' ', wanted));
}

/// The placeholders of a text: `{{NAME}}`, or `{{NAME:2}}` with digits behind the point.
fn placeholders(text: &str) -> Vec<Placeholder<'_>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("{{").map(|at| from + at) {
        let Some(end) = text[start..].find("}}").map(|at| start + at) else { break };
        let inside = &text[start + 2..end];
        from = start + 2;
        // Braces of the language itself hold more than a word.
        if inside.is_empty() || inside.contains(|c: char| c.is_whitespace() || "{},;".contains(c)) {
            continue;
        }
        let digits = inside.rsplit_once(':').and_then(|(name, digits)| Some((name, digits.parse::<u8>().ok()?)));
        let (name, decimals) = digits.map_or((inside, None), |(name, digits)| (name, Some(digits.min(17))));
        from = end + 2;
        found.push(Placeholder { range: start..from, name, decimals });
    }
    found
}

/// Where the numbers of a JSON text stand, in their order.
pub(super) fn json_numbers(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut numbers, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let length = bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                numbers.push(at..at + length);
                at += length;
            }
            _ => at += 1,
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::RowsLayout;
    use tesuji_dataset::feature_table::{FeatureTable, TableColumns, TableJob, read_tables};
    use tesuji_jobs::Interrupt;

    /// The weights of a table with these columns.
    fn list(columns: &str, values: &[f64]) -> WeightList {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.csv");
        let cells = columns.split(',').map(|_| "1").collect::<Vec<_>>().join(",");
        std::fs::write(&file, format!("result,{columns}\n1,{cells}\n")).unwrap();
        let (named, interrupt) = (TableColumns::default(), Interrupt::new());
        let job = TableJob {
            files: &[file],
            format: None,
            columns: &named,
            jobs: 1,
            interrupt: &interrupt,
            tell: &|_, _| (),
        };
        let table: FeatureTable = read_tables(&job).unwrap().unwrap();
        let pairs = if columns.contains("mg_") { vec![["mg_*".into(), "eg_*".into()]] } else { Vec::new() };
        let mut list = WeightList::of_table(&table, &RowsLayout { pairs, ..RowsLayout::default() }).unwrap();
        list.list.iter_mut().zip(values).for_each(|(weight, value)| weight.value = *value);
        list
    }

    fn template(text: &str) -> Template {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("t");
        std::fs::write(&file, text).unwrap();
        Template::read(&file).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn headers_of_c_and_rust_are_filled_byte_for_byte() {
        let list = list("mg_knight,eg_knight,tempo", &[325.4, -10.75, 12.0]);
        let c = "#define KNIGHT S({{knight.mg:0}}, {{knight.eg:0}}) // {{mg_knight}}\nint a[] = {{1, 2}};\n";
        assert_eq!(template(c).fill(&list, None), "#define KNIGHT S(325, -11) // 325.4\nint a[] = {{1, 2}};\n");
        let rust = "pub const TEMPO: f32 = {{tempo:1}};\npub const A: [[u8; 1]; 1] = [[0]];\n";
        assert_eq!(
            template(rust).fill(&list, Some(3)),
            "pub const TEMPO: f32 = 12.0;\npub const A: [[u8; 1]; 1] = [[0]];\n"
        );
        let error = template("x\n{{knihgt.mg}}").check(&list).unwrap_err().to_string();
        assert!(error.ends_with("line 2: {{knihgt.mg}} is no weight"), "{error}");
        let error = template("{{knight}}").check(&list).unwrap_err().to_string();
        assert!(error.ends_with("{{knight}} is no weight alone: it has .mg and .eg"), "{error}");
    }

    #[test]
    fn json_keeps_its_structure_and_its_columns() {
        let list = list("a,b,c,d", &[-7.6, 1234.0, 0.25, 3.0]);
        let text = "[\n  {\"x-1\": \"psq 8\", \"t\": [\n    100,   5,\n    1.5,  -2\n  ]}\n]\n";
        let filled = "[\n  {\"x-1\": \"psq 8\", \"t\": [\n     -8, 1234,\n   0.25,   3\n  ]}\n]\n";
        assert_eq!(template(text).fill(&list, None), filled);
        let error = template("[1, 2]").check(&list).unwrap_err().to_string();
        assert!(error.ends_with("2 numbers, but 4 weights are learned"), "{error}");
    }

    #[test]
    fn weights_are_written_under_their_names() {
        let list = list("mg_knight,eg_knight,tempo", &[325.4, -10.75, 12.0]);
        assert_eq!(list.json(None), "{\n  \"knight\": [325.4, -10.75],\n  \"tempo\": 12\n}\n");
        assert_eq!(list.csv(Some(1)), "name,value\nmg_knight,325.4\neg_knight,-10.8\ntempo,12.0\n");
    }
}
