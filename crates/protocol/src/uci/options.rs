//! Options as UCI and USI say them: offered by engines, set by runners.

use crate::{
    Command, Offer, OfferKind, ProtocolError,
    words::{Words, number, push_line},
};

/// Names and values may hold spaces; the value is kept as written.
pub(crate) fn read_option(mut words: Words) -> Result<Command, ProtocolError> {
    match words.next() {
        Some(word) if word.eq_ignore_ascii_case("name") => {}
        Some(found) => {
            let found = found.to_string();
            return Err(ProtocolError::Wrong { after: "setoption", expected: "the word name", found });
        }
        None => return Err(ProtocolError::Missing { after: "setoption", expected: "the word name" }),
    }
    let name = words.until(|w| w.eq_ignore_ascii_case("value")).join(" ");
    if name.is_empty() {
        return Err(ProtocolError::Missing { after: "setoption name", expected: "an option's name" });
    }
    words.next();
    Ok(Command::Set { name, value: words.rest().to_string() })
}

/// Writes `setoption`.
pub(crate) fn write_option(name: &str, value: &str, out: &mut String) {
    out.push_str("setoption name ");
    push_line(out, name);
    if !value.is_empty() {
        out.push_str(" value ");
        push_line(out, value);
    }
    out.push('\n');
}

/// Writes `option`.
pub(crate) fn write_offer(offer: &Offer, out: &mut String) {
    out.push_str("option name ");
    push_line(out, &offer.name);
    let text_or_empty = |text: &str| if text.is_empty() { "<empty>".to_string() } else { text.to_string() };
    let rest = match &offer.kind {
        OfferKind::Spin { default, min, max } => format!(" type spin default {default} min {min} max {max}"),
        OfferKind::Check { default } => format!(" type check default {default}"),
        OfferKind::Text { default } => format!(" type string default {}", text_or_empty(default)),
        OfferKind::File { default } => format!(" type filename default {}", text_or_empty(default)),
        OfferKind::Combo { default, among } => {
            let words: String = among.iter().map(|w| format!(" var {w}")).collect();
            format!(" type combo default {default}{words}")
        }
        OfferKind::Button => " type button".to_string(),
    };
    push_line(out, &rest);
    out.push('\n');
}

/// Reads what follows the word `option`.
pub(crate) fn read_offer(mut words: Words) -> Result<Offer, ProtocolError> {
    if words.peek() == Some("name") {
        words.next();
    }
    let name = words.until(|w| w == "type").join(" ");
    words.next();
    let kind = words.next().ok_or(ProtocolError::Missing { after: "option name", expected: "a type" })?;
    let is_text = matches!(kind, "string" | "filename");
    let is_part = |w: &str| matches!(w, "default" | "min" | "max" | "var");
    let (mut default, mut min, mut max, mut among) = (String::new(), i64::MIN, i64::MAX, Vec::new());
    while let Some(word) = words.next() {
        match word {
            "default" if is_text => {
                default = words.rest().to_string();
                break;
            }
            "default" => default = words.until(is_part).join(" "),
            "min" => min = words.next().and_then(number).unwrap_or(min),
            "max" => max = words.next().and_then(number).unwrap_or(max),
            "var" => among.push(words.until(is_part).join(" ")),
            _ => {}
        }
    }
    if default == "<empty>" {
        default.clear();
    }
    let kind = match kind {
        "spin" => OfferKind::Spin { default: number(&default).unwrap_or(0), min, max },
        "check" => OfferKind::Check { default: default.eq_ignore_ascii_case("true") },
        "combo" => OfferKind::Combo { default, among },
        "button" => OfferKind::Button,
        "string" => OfferKind::Text { default },
        "filename" => OfferKind::File { default },
        _ => {
            let found = kind.to_string();
            return Err(ProtocolError::Wrong { after: "option type", expected: "a known type", found });
        }
    };
    Ok(Offer { name, kind })
}
