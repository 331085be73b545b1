//! The game information in the root of a tree: board, rules, komi, handicap, result, names.

use super::{
    info::{self, read_komi, rules_named, tag_of, tag_value},
    note::is_of_game,
    parse::Broken,
    result::{read_reason, read_result},
    source::ByteOffset,
    tree::{Property, SgfTree, composed, simple_text, text},
};
use crate::{Rules, Size};
use tesuji_record::GameRecord;

/// The program that our files name as theirs.
pub(super) const PROGRAM: &str = "Tesuji";

/// A record without moves, and its rules.
pub(super) struct Head {
    pub(super) record: GameRecord<String>,
    /// Without the handicap.
    pub(super) rules: Rules,
    /// The number of handicap stones; 0 where the file gives none.
    pub(super) handicap: u16,
}

/// Reads the root: tags, rules and outcome of the record. Only what the file says stands in the rules.
pub(super) fn read_head(tree: &SgfTree) -> Result<Head, Broken> {
    let property = |name| tree.property(0, name).filter(|p| !p.value().trim().is_empty());
    if let Some(game) = property("GM").filter(|p| p.value().trim().parse() != Ok(1)) {
        return Err(Broken::new(game.place(), "a game of go, GM[1]", game.value()));
    }
    let size = property("SZ").map_or(Ok(None), |p| read_size(&p).map(Some))?;
    let name = property("RU").and_then(|p| rules_named(p.value()));
    let komi = property("KM").and_then(|p| read_komi(p.value()));
    let stones = property("HA").and_then(|p| info::read_handicap(p.value()));

    let rules_text = rules_text(size.unwrap_or(Rules::default().size), name.as_deref(), komi);
    let rules =
        rules_text.parse::<Rules>().map_err(|_| Broken::new(ByteOffset::default(), "rules of go", &rules_text))?;

    let mut record = GameRecord { rules: rules_text, ..GameRecord::new() };
    let (mut reason, mut others) = (None, Vec::new());
    for property in tree.properties(0) {
        let (known, value) = (property.name(), property.value());
        match known {
            "POS" => {}
            "RU" if name.is_some() => {}
            "KM" if komi.is_some() => {}
            "HA" if stones.is_some() => {}
            "AP" if simple_text(value).split(':').next() == Some(PROGRAM) => {}
            "RE" => match read_result(&simple_text(value)) {
                Some(outcome) => record.outcome = record.outcome.or(outcome),
                None => record.tags.push(("RE".into(), simple_text(value))),
            },
            "END" => reason = reason.or(read_reason(value)),
            "TAG" => others.extend(property.values().map(|value| {
                let (name, value) = composed(value).unwrap_or((value, ""));
                (text(name), text(value))
            })),
            _ if is_of_game(known, property.values().count()) && !value.is_empty() => {
                if let Some(tag) = tag_of(known) {
                    record.tags.push((tag.to_string(), tag_value(known, value)));
                }
            }
            _ => {}
        }
    }
    record.tags.append(&mut others);
    if let (Some(outcome), Some(by)) = (&mut record.outcome, reason) {
        outcome.by = by;
    }
    Ok(Head { record, rules, handicap: stones.unwrap_or(0) })
}

/// The text of rules of which only so much is known; nothing for the usual board alone.
pub(crate) fn rules_text(size: Size, name: Option<&str>, komi: Option<i16>) -> String {
    if size == Rules::default().size && name.is_none() && komi.is_none() {
        return String::new();
    }
    let mut text = size.to_string();
    for word in name.map(str::to_string).into_iter().chain(komi.map(|halves| format!("komi {}", komi_text(halves)))) {
        text.push(' ');
        text.push_str(&word);
    }
    text
}

/// Komi as [`Rules`] writes it.
pub(crate) fn komi_text(halves: i16) -> String {
    let sign = if halves < 0 { "-" } else { "" };
    format!("{sign}{}{}", halves.unsigned_abs() / 2, if halves % 2 != 0 { ".5" } else { "" })
}

/// The size of the board: lines, or columns and rows.
fn read_size(property: &Property<'_>) -> Result<Size, Broken> {
    let number = |text: &str| text.trim().parse::<usize>().ok();
    let size = match property.value().split_once(':') {
        Some((width, height)) => number(width).zip(number(height)).and_then(|(w, h)| Size::new(w, h)),
        None => number(property.value()).and_then(Size::square),
    };
    size.ok_or_else(|| Broken::new(property.place(), "a board of 2 to 25 lines", property.value()))
}

/// The rules of a record as properties: size, and what else its text says.
pub(super) fn write_rules(text: &str, rules: &Rules, size: Size, handicap: usize, tree: &mut SgfTree) {
    if size.width() == size.height() {
        tree.push("SZ", &size.width().to_string());
    } else {
        tree.push("SZ", &format!("{}:{}", size.width(), size.height()));
    }
    let said = said_in(text, rules);
    if let Some(name) = &said.name {
        tree.push("RU", info::rules_title(name));
    }
    if said.komi {
        tree.push("KM", &komi_text(rules.komi_halves));
    }
    if handicap > 0 {
        tree.push("HA", &handicap.to_string());
    }
}

/// The parts of a rules text, besides the board size.
pub(crate) struct Said {
    /// The name of the rules, or their flags where they have none.
    pub(crate) name: Option<String>,
    /// Whether it says the komi.
    pub(crate) komi: bool,
}

/// The parts that `text`, which means `rules`, states.
pub(crate) fn said_in(text: &str, rules: &Rules) -> Said {
    let full = rules.to_string();
    let name = full.split_once(' ').map_or("", |s| s.1);
    let name = name.rfind(" komi ").map_or(name, |end| &name[..end]);
    let mut words = text.split([' ', ',', ';', '=', '\t', '\n']).filter(|w| !w.is_empty());
    let (mut named, mut komi) = (false, false);
    while let Some(word) = words.next() {
        if ["komi", "handicap"].iter().any(|key| key.eq_ignore_ascii_case(word)) {
            komi |= word.eq_ignore_ascii_case("komi");
            words.next();
        } else {
            named |= !word.starts_with(|c: char| c.is_ascii_digit());
        }
    }
    Said { name: named.then(|| name.to_string()), komi }
}
