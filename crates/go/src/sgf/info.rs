//! SGF properties about a game as a whole, as tags, rules and komi of a record.

use super::tree::{escape, simple_text, text};
use crate::{Rules, parse_komi};

/// Properties and the tags that they are. Of these, `GC` alone may have several lines.
const TAGS: [(&str, &str); 20] = [
    ("GN", "Title"),
    ("EV", "Event"),
    ("RO", "Round"),
    ("DT", "Date"),
    ("PC", "Site"),
    ("PB", "Black"),
    ("BR", "BlackRank"),
    ("BT", "BlackTeam"),
    ("PW", "White"),
    ("WR", "WhiteRank"),
    ("WT", "WhiteTeam"),
    ("HA", "Handicap"),
    ("TM", "MainTime"),
    ("OT", "Overtime"),
    ("ON", "Opening"),
    ("SO", "Source"),
    ("US", "User"),
    ("AN", "Annotator"),
    ("CP", "Copyright"),
    ("GC", "GameComment"),
];

/// Properties of single moves and positions; others stand at the root only and become tags.
const OF_NODES: [&str; 50] = [
    "B", "W", "KO", "MN", "AB", "AW", "AE", "PL", "C", "N", "DM", "GB", "GW", "HO", "UC", "V", "BM", "DO", "IT", "TE",
    "AR", "CR", "DD", "LB", "LN", "MA", "SL", "SQ", "TR", "BL", "WL", "OB", "OW", "FG", "PM", "VW", "TB", "TW", "L",
    "M", "EL", "EX", "CH", "SI", "TC", "RG", "SC", "LT", "NAG", "AS",
];

/// Properties that the record says in other ways, or that the writer writes itself.
const OURS: [&str; 8] = ["FF", "GM", "CA", "SZ", "TAG", "END", "PL", "POS"];

/// Whether `name` is a property of single moves and positions.
pub(super) fn is_of_nodes(name: &str) -> bool {
    OF_NODES.contains(&name)
}

/// The tag that the property `name` of the root is; `None` where it stays a property.
pub(super) fn tag_of(name: &str) -> Option<&str> {
    match TAGS.iter().find(|t| t.0 == name) {
        Some(&(_, tag)) => Some(tag),
        None => (!is_of_nodes(name) && !OURS.contains(&name)).then_some(name),
    }
}

/// The property that the tag `name` is; `None` for a name that is none.
pub(super) fn property_of(tag: &str) -> Option<&str> {
    if let Some(&(name, _)) = TAGS.iter().find(|t| t.1 == tag) {
        return Some(name);
    }
    let fits = (1..=64).contains(&tag.len()) && tag.bytes().all(|b| b.is_ascii_uppercase());
    (fits && tag_of(tag) == Some(tag)).then_some(tag)
}

/// The text of the property `name` as a tag has it. Dates get the points that records of all games have.
pub(super) fn tag_value(name: &str, value: &str) -> String {
    let one_line = name != "GC" && TAGS.iter().any(|t| t.0 == name);
    let value = if one_line { simple_text(value) } else { text(value) };
    match name {
        "DT" if is_date(&value, b'-') => value.replace('-', "."),
        _ => value,
    }
}

/// Appends the value of a tag as the property `name` has it.
pub(super) fn write_value(name: &str, value: &str, out: &mut String) {
    if name == "DT" && is_date(value, b'.') {
        out.push_str(&value.replace('.', "-"));
    } else {
        escape(value, out);
    }
}

/// Whether `text` is year, month and day in digits, with `between` them.
fn is_date(text: &str, between: u8) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(i, &b)| if i == 4 || i == 7 { b == between } else { b.is_ascii_digit() })
}

/// The name of rules that `RU` means, as [`Rules`] reads it; `None` for rules that nobody here knows.
pub(crate) fn rules_named(text: &str) -> Option<String> {
    let name = text.trim().to_ascii_lowercase().replace([' ', '_', '/'], "-");
    if let Some(preset) = Rules::preset(&name) {
        return Some(preset.name.to_string());
    }
    // Flags one by one, as we write rules without a name; a size or komi among them would not be rules.
    let spaced = text.trim();
    let plain = spaced.starts_with("ko") && !spaced.contains("komi") && !spaced.contains("handicap");
    let sized = spaced.split_whitespace().any(|w| w.starts_with(|c: char| c.is_ascii_digit() && c != '0'));
    (plain && !sized && spaced.parse::<Rules>().is_ok()).then(|| spaced.to_string())
}

/// The words for `RU` of a set of rules with the name `name`.
pub(super) fn rules_title(name: &str) -> &str {
    match name {
        "chinese" => "Chinese",
        "japanese" => "Japanese",
        "korean" => "Korean",
        "aga" => "AGA",
        "new-zealand" => "NZ",
        "tromp-taylor" => "Tromp-Taylor",
        other => other,
    }
}

/// Komi in half points. Files from China count stones on one side of the cut, so that 3.75 and 375 are 7.5 points.
pub(crate) fn read_komi(text: &str) -> Option<i16> {
    let text = text.trim().replace(',', ".");
    let number = match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number.abs() < 10_000.0 => number,
        _ => return None,
    };
    let quarters = number.abs() * 4.0;
    let points = if number >= 100.0 && number % 25.0 == 0.0 {
        number / 50.0
    } else if quarters % 2.0 == 1.0 {
        number * 2.0
    } else {
        number
    };
    parse_komi(&points.to_string())
}

/// A number of handicap stones.
pub(super) fn read_handicap(text: &str) -> Option<u16> {
    text.trim().parse().ok().filter(|n| (2..=625).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_and_tags_are_two_names_of_one_thing() {
        for (name, tag) in TAGS {
            assert_eq!((tag_of(name), property_of(tag)), (Some(tag), Some(name)));
        }
        assert_eq!((tag_of("XY"), property_of("XY")), (Some("XY"), Some("XY")));
        assert_eq!((tag_of("TR"), property_of("TR")), (None, None));
        assert_eq!((property_of("PB"), property_of("Xy"), property_of("")), (None, None, None));
        assert_eq!(property_of("TAG"), None);
    }

    #[test]
    fn dates_have_points_in_records_and_dashes_in_files() {
        let check = |file: &str, record: &str| {
            let mut out = String::new();
            assert_eq!(tag_value("DT", file), record);
            write_value("DT", record, &mut out);
            assert_eq!(out, file);
        };
        check("2016-03-09", "2016.03.09");
        check("1996-05,06", "1996-05,06");
        check("1996-12-27,28", "1996-12-27,28");
    }

    #[test]
    fn komi_is_read_in_every_unit() {
        let check = |text: &str, halves: Option<i16>| assert_eq!(read_komi(text), halves, "{text}");
        check("6.5", Some(13));
        check("6,5", Some(13));
        check("5.50", Some(11));
        check("0.00", Some(0));
        check("-3.5", Some(-7));
        check(".5", Some(1));
        check("3.75", Some(15));
        check("2.75", Some(11));
        check("375", Some(15));
        check("325.0", Some(13));
        check("7.1", None);
        check("inf", None);
        check("", None);
    }

    #[test]
    fn rules_are_known_by_their_names() {
        let check = |text: &str, name: Option<&str>| assert_eq!(rules_named(text).as_deref(), name, "{text}");
        check("Japanese", Some("japanese"));
        check("NZ", Some("new-zealand"));
        check("Tromp-Taylor", Some("tromp-taylor"));
        check("Tromp/Taylor", Some("tromp-taylor"));
        check("New Zealand", Some("new-zealand"));
        check("GOE", None);
        check("", None);
        check("9x9", None);
        let flags = "ko simple scoring territory tax seki suicide yes bonus 0 button no";
        check(flags, Some(flags));
        for preset in &Rules::PRESETS {
            assert_eq!(rules_named(rules_title(preset.name)).as_deref(), Some(preset.name));
        }
    }
}
