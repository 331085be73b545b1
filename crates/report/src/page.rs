//! The frame of the reports that are pages of their own: a style for light and dark, titled parts, tables. Nothing is loaded
//! from elsewhere.

use crate::svg::escaped;
use std::fmt::Write as _;

const STYLE: &str = "
:root { color-scheme: light dark; --paper: #fdfdfc; --ink: #22262b; --pale: #5d666f; --line: #1f6fb2; --band: #1f6fb233;
  --rule: #d8dce0; --mark: #b3541e; --card: #f1f3f5; }
@media (prefers-color-scheme: dark) { :root { --paper: #16191d; --ink: #e3e6e8; --pale: #9aa4ae; --line: #6cb2eb;
  --band: #6cb2eb33; --rule: #343b43; --mark: #f0a36b; --card: #20252b; } }
body { background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 62rem;
  padding: 0 1rem; }
h1 { font-size: 1.5rem; margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p.state { color: var(--pale); margin-top: .2rem; }
pre { background: var(--card); padding: .8rem; border-radius: 6px; overflow-x: auto; font-size: 13px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .7rem; text-align: right; white-space: nowrap; } th.words, td.words { text-align: left; }
td.words { white-space: normal; overflow-wrap: break-word; } td.long { min-width: 12rem; }
th { color: var(--pale); font-weight: 600; border-bottom: 1px solid var(--rule); white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
svg { width: 100%; height: auto; } svg text { fill: var(--pale); font-size: 12px; } svg .name { fill: var(--mark); }
svg .grid { stroke: var(--rule); } svg .mark { stroke: var(--mark); stroke-dasharray: 5 4; }
svg .band { fill: var(--band); } svg .line { fill: none; stroke: var(--line); stroke-width: 2; }
svg .train, svg .held { fill: none; stroke: var(--line); stroke-width: 2; } svg .held { stroke: var(--mark); }
svg .best { fill: var(--mark); }
.bars { display: grid; grid-template-columns: max-content 1fr; gap: .2rem .6rem; align-items: center; color: var(--pale);
  font-size: 13px; font-variant-numeric: tabular-nums; } .bars span:nth-child(odd) { text-align: right; }
.bars i { display: inline-block; vertical-align: middle; height: 1em; margin-right: .5em; background: var(--line); }
@media (max-width: 40rem) { body { margin-top: 1rem; } svg text { font-size: 18px; } th, td { padding: .2rem .4rem; } }
";

/// A whole page. `state` is the line under the title; `body` is HTML; a browser looks again after `refresh_s` seconds.
pub fn page(title: &str, state: &str, refresh_s: Option<u32>, body: &str) -> String {
    let (title, state) = (escaped(title), escaped(state));
    let refresh = refresh_s.map_or(String::new(), |s| format!("<meta http-equiv=\"refresh\" content=\"{s}\">\n"));
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{refresh}\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n\
         <p class=\"state\">{state}</p>\n{body}</body>\n</html>\n"
    )
}

/// Adds a titled part; `body` is HTML.
pub fn section(html: &mut String, title: &str, body: &str) {
    let _ = writeln!(html, "<section>\n<h2>{}</h2>\n{body}</section>", escaped(title));
}

/// Characters of words that stand in one line; longer ones are broken, in a column of some width.
const WORDS_MAX: usize = 24;

/// A table whose cells are HTML already. The last column holds words. Heads are broken where the table would be too wide, and what is
/// too wide still is scrolled.
pub fn table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let class = |index| if index + 1 == heads.len() { " class=\"words\"" } else { "" };
    let head: String = heads.iter().enumerate().map(|(i, h)| format!("<th{}>{h}</th>", class(i))).collect();
    let mut text = format!("<div class=\"wide\"><table>\n<tr>{head}</tr>\n");
    for row in rows {
        let is_long = row.last().is_some_and(|words| words.chars().count() > WORDS_MAX);
        let class = |i| if is_long && i + 1 == heads.len() { " class=\"words long\"" } else { class(i) };
        let cells: String = row.iter().enumerate().map(|(i, c)| format!("<td{}>{c}</td>", class(i))).collect();
        let _ = writeln!(text, "<tr>{cells}</tr>");
    }
    text + "</table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At a width of 1100 the table of rounds was cut before its last column, `adopted`, which took the width of a sentence for `yes`.
    #[test]
    fn a_column_of_short_words_takes_no_width_of_a_sentence() {
        let html = table(
            &["round", "adopted"],
            ["yes", "not as long as the games do not prove it"].map(|w| vec!["1".into(), w.into()]).into_iter(),
        );
        assert!(html.starts_with("<div class=\"wide\">") && html.contains("<td class=\"words\">yes</td>"), "{html}");
        assert!(html.contains("<td class=\"words long\">not as long"), "{html}");
        let heads = STYLE.lines().find(|line| line.starts_with("th { ")).unwrap();
        assert!(heads.contains("white-space: normal"), "{heads}");
    }
}
