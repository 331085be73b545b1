//! The features that an engine announces.

use crate::{Offer, OfferKind, words::number};

/// The features of an engine that matter here; by default those of the standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Features {
    pub ping: bool,
    pub setboard: bool,
    pub usermove: bool,
    pub time: bool,
    pub draw: bool,
    pub reuse: bool,
    pub colors: bool,
    pub memory: bool,
    pub smp: bool,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            draw: true,
            reuse: true,
            colors: true,
            memory: false,
            smp: false,
        }
    }
}

/// The meaning of one announced feature.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Feature {
    /// Noted, or of no matter.
    Accepted,
    /// We do not play that way.
    Rejected,
    /// The engine's name.
    Name(String),
    /// An option.
    Option(Offer),
    /// Whether all is said.
    Done(bool),
}

impl Features {
    /// Takes a feature in.
    pub(super) fn take(&mut self, name: &str, value: &str) -> Feature {
        let on = value != "0";
        match name {
            "ping" => self.ping = on,
            "setboard" => self.setboard = on,
            "usermove" => self.usermove = on,
            "time" => self.time = on,
            "draw" => self.draw = on,
            "reuse" => self.reuse = on,
            "colors" => self.colors = on,
            "memory" => self.memory = on,
            "smp" => self.smp = on,
            "myname" => return Feature::Name(value.to_string()),
            "done" => return Feature::Done(on),
            "option" => return read_option(value).map_or(Feature::Rejected, Feature::Option),
            // Moves come in coordinates, and nobody answers what the engine would play as another program.
            "san" | "ics" if on => return Feature::Rejected,
            "san" | "ics" | "sigint" | "sigterm" | "analyze" | "variants" | "debug" | "name" | "nps" | "egt"
            | "playother" | "pause" | "exclude" | "setscore" | "highlight" => {}
            _ => return Feature::Rejected,
        }
        Feature::Accepted
    }
}

/// Splits `ping=1 myname="A B" option="Hash -spin 1 0 9"` into names and values.
pub(super) fn split(text: &str) -> Vec<(&str, &str)> {
    let mut parts = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = match after.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        parts.push((name.trim(), value));
        rest = after.trim_start();
    }
    parts
}

/// `NAME -spin VALUE MIN MAX`, `-check 0`, `-string TEXT`, `-file`, `-path`, `-combo A /// *B /// C`, `-button`, `-save`,
/// `-reset`.
fn read_option(text: &str) -> Option<Offer> {
    let (name, rest) = text.split_once(" -")?;
    let (kind, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let rest = rest.trim();
    let kind = match kind {
        "spin" | "slider" => {
            let mut numbers = rest.split_whitespace().map(number);
            let mut next = || numbers.next().flatten();
            OfferKind::Spin { default: next()?, min: next()?, max: next()? }
        }
        "check" => OfferKind::Check { default: rest != "0" && !rest.is_empty() },
        "string" => OfferKind::Text { default: rest.to_string() },
        "file" | "path" => OfferKind::File { default: rest.to_string() },
        "combo" => {
            let words: Vec<&str> = rest.split("///").map(str::trim).collect();
            let chosen = words.iter().find(|w| w.starts_with('*')).or(words.first())?;
            let plain = |w: &&str| w.trim_start_matches('*').to_string();
            OfferKind::Combo { default: plain(chosen), among: words.iter().map(plain).collect() }
        }
        "button" | "save" | "reset" => OfferKind::Button,
        _ => return None,
    };
    Some(Offer { name: name.trim().to_string(), kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements_are_split() {
        let parts = split("ping=1 setboard=0 myname=\"A = B\" option=\"Hash -spin 16 1 64\" done=1");
        let expect =
            [("ping", "1"), ("setboard", "0"), ("myname", "A = B"), ("option", "Hash -spin 16 1 64"), ("done", "1")];
        assert_eq!(parts, expect);
        assert_eq!(split("open=\"never closed"), [("open", "never closed")]);
        assert_eq!(split("no such thing"), []);
    }

    #[test]
    fn options_are_read() {
        let read = |text| read_option(text).map(|o| (o.name, o.kind));
        let spin = OfferKind::Spin { default: 16, min: 1, max: 64 };
        assert_eq!(read("Hash size -spin 16 1 64"), Some(("Hash size".to_string(), spin)));
        let among = ["calm", "wild"].map(str::to_string).to_vec();
        let combo = OfferKind::Combo { default: "wild".to_string(), among };
        assert_eq!(read("Style -combo calm /// *wild"), Some(("Style".to_string(), combo)));
        assert_eq!(read("Learn -check 0"), Some(("Learn".to_string(), OfferKind::Check { default: false })));
        assert_eq!(read("Clear -button"), Some(("Clear".to_string(), OfferKind::Button)));
        assert_eq!(read("Hash -spin many"), None);
    }
}
