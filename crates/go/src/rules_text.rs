//! Rules as text: a board size, a name or single flags, komi and handicap, in any order: `9x9 chinese komi 6.5 suicide yes`.

use crate::{Bonus, Ko, Rules, Scoring, Tax};
use std::{fmt, str::FromStr};
use tesuji_game::NotationError;

/// The words of a text with their byte offsets; `,`, `;`, `=` and what JSON puts around words part them like spaces.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let parts = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '=' | ':' | '"' | '{' | '}');
    text.split(parts).filter(|w| !w.is_empty()).map(|w| (w.as_ptr() as usize - text.as_ptr() as usize, w))
}

/// Komi as text, in halves: `7.5`, `-3`, `0`.
pub(crate) struct Halves(pub i32);

impl fmt::Display for Halves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let half = if self.0 % 2 != 0 { ".5" } else { "" };
        write!(f, "{sign}{}{half}", self.0.unsigned_abs() / 2)
    }
}

/// Reads komi in points with an optional half, in halves; `None` for other fractions and beyond the bounds.
pub fn parse_komi(text: &str) -> Option<i16> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !plain(whole) || !plain(fraction) || whole.len() > 6 {
        return None;
    }
    let half = match fraction.trim_end_matches('0') {
        "" => 0,
        "5" => 1,
        _ => return None,
    };
    let points: i32 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let halves = sign * (points * 2 + half);
    i16::try_from(halves).ok().filter(|h| h.abs() <= Rules::KOMI_HALVES_MAX)
}

const KO: [(&str, Ko); 3] = [("simple", Ko::Simple), ("positional", Ko::Positional), ("situational", Ko::Situational)];
const SCORING: [(&str, Scoring); 2] = [("area", Scoring::Area), ("territory", Scoring::Territory)];
const TAX: [(&str, Tax); 3] = [("none", Tax::None), ("seki", Tax::Seki), ("all", Tax::All)];
const BONUS: [(&str, Bonus); 3] = [("0", Bonus::None), ("n-1", Bonus::LessOne), ("n", Bonus::Full)];
const YES: [(&str, bool); 4] = [("no", false), ("yes", true), ("false", false), ("true", true)];

fn name_of<T: PartialEq + Copy>(table: &[(&'static str, T)], value: T) -> &'static str {
    table.iter().find(|e| e.1 == value).map_or("?", |e| e.0)
}

/// The value named by `word`, which stands at `at`.
fn choose<T: Copy>(table: &[(&str, T)], (at, word): (usize, &str), expected: &'static str) -> Result<T, NotationError> {
    let found = table.iter().find(|e| e.0.eq_ignore_ascii_case(word));
    found.map(|e| e.1).ok_or(NotationError::Syntax { at, expected })
}

/// The words that a value follows.
pub(crate) const KEYS: [&str; 11] = [
    "komi",
    "handicap",
    "ko",
    "scoring",
    "tax",
    "bonus",
    "suicide",
    "button",
    "hasbutton",
    "whitehandicapbonus",
    "friendlypassok",
];
const WORDS_EXPECTED: &str = "a size, the name of rules, komi, handicap, ko, scoring, tax, suicide, bonus or button";

impl Rules {
    /// The flags as KataGo's GTP writes them (`kata-get-rules`): one line of JSON, which [`Rules::from_str`] reads.
    pub fn to_json(&self) -> String {
        let upper = |name: &str| name.to_ascii_uppercase();
        let (ko, scoring) = (upper(name_of(&KO, self.ko)), upper(name_of(&SCORING, self.scoring)));
        let (tax, bonus) = (upper(name_of(&TAX, self.tax)), upper(name_of(&BONUS, self.bonus)));
        format!(
            "{{\"hasButton\":{},\"ko\":\"{ko}\",\"scoring\":\"{scoring}\",\"suicide\":{},\"tax\":\"{tax}\",\"whiteHandicapBonus\":\"{bonus}\"}}",
            self.button, self.suicide
        )
    }

    /// Sets what `key`, one of [`KEYS`], stands for.
    ///
    /// # Errors
    /// When the value is none of its.
    pub(crate) fn set_word(&mut self, key: &str, value: (usize, &str)) -> Result<(), NotationError> {
        let bad = |expected| NotationError::Syntax { at: value.0, expected };
        match key.to_ascii_lowercase().as_str() {
            "komi" => self.komi_halves = parse_komi(value.1).ok_or(bad("a komi in whole or half points"))?,
            "handicap" => {
                let stones = value.1.parse::<u8>().ok().filter(|n| *n <= 9 && *n != 1);
                self.handicap = stones.ok_or(bad("0 or 2 to 9 handicap stones"))?;
            }
            "ko" => self.ko = choose(&KO, value, "simple, positional or situational")?,
            "scoring" => self.scoring = choose(&SCORING, value, "area or territory")?,
            "tax" => self.tax = choose(&TAX, value, "none, seki or all")?,
            "bonus" | "whitehandicapbonus" => self.bonus = choose(&BONUS, value, "0, n-1 or n")?,
            "suicide" => self.suicide = choose(&YES, value, "yes or no")?,
            "button" | "hasbutton" => self.button = choose(&YES, value, "yes or no")?,
            // KataGo's word on when its own engine may pass: no rule of ours.
            "friendlypassok" => {
                choose(&YES, value, "true or false")?;
            }
            _ => return Err(NotationError::Syntax { at: 0, expected: WORDS_EXPECTED }),
        }
        Ok(())
    }
}

impl fmt::Display for Rules {
    /// Size, name (or every flag, if no preset has them all), komi, and handicap if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.size)?;
        match Rules::PRESETS.iter().find(|p| self.with_flags_of(&p.rules) == *self) {
            Some(preset) => f.write_str(preset.name)?,
            None => {
                let (ko, scoring) = (name_of(&KO, self.ko), name_of(&SCORING, self.scoring));
                write!(f, "ko {ko} scoring {scoring} tax {} ", name_of(&TAX, self.tax))?;
                let (suicide, button) = (name_of(&YES, self.suicide), name_of(&YES, self.button));
                write!(f, "suicide {suicide} bonus {} button {button}", name_of(&BONUS, self.bonus))?;
            }
        }
        write!(f, " komi {}", Halves(self.komi_halves as i32))?;
        if self.handicap > 0 { write!(f, " handicap {}", self.handicap) } else { Ok(()) }
    }
}

impl FromStr for Rules {
    type Err = NotationError;

    /// Words in any order; what is not said is as in Chinese rules on 19x19. A name brings its usual komi.
    /// KataGo's forms (`koPOSITIONALscoreAREAtaxNONEsui1`, JSON) are read, too.
    fn from_str(text: &str) -> Result<Rules, NotationError> {
        let mut rules = Rules::default();
        let preset = words(text).find_map(|(_, word)| Rules::preset(word));
        if let Some(preset) = preset {
            rules = preset.rules;
        }
        let mut rest = words(text);
        while let Some((at, word)) = rest.next() {
            // Protocols put words before a size and a name: `size=9 rules=chinese`.
            if Rules::preset(word).is_some() || ["size", "rules"].contains(&word) {
                continue;
            }
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                rules.size = word.parse().map_err(|e| shifted(e, at))?;
                continue;
            }
            if word.starts_with("ko") && word.contains("score") {
                rules = parse_compact(rules, (at, word))?;
                continue;
            }
            if !KEYS.iter().any(|key| key.eq_ignore_ascii_case(word)) {
                return Err(NotationError::Syntax { at, expected: WORDS_EXPECTED });
            }
            let value = rest.next().ok_or(NotationError::Syntax { at: text.len(), expected: "a value" })?;
            rules.set_word(word, value)?;
        }
        let most = crate::handicap::fixed_max(rules.size);
        if rules.handicap as usize > most {
            return Err(NotationError::IllegalPosition { at: 0, reason: "the board has no room for the handicap" });
        }
        Ok(rules)
    }
}

/// An error in a word at `by` as an error in the whole text.
pub(crate) fn shifted(error: NotationError, by: usize) -> NotationError {
    match error {
        NotationError::Syntax { at, expected } => NotationError::Syntax { at: at + by, expected },
        NotationError::IllegalPosition { at, reason } => NotationError::IllegalPosition { at: at + by, reason },
        other => other,
    }
}

/// KataGo's form of the flags: keys in lower case, values in capitals or digits, without spaces.
fn parse_compact(mut rules: Rules, (at, word): (usize, &str)) -> Result<Rules, NotationError> {
    let mut rest = word;
    while !rest.is_empty() {
        let offset = at + word.len() - rest.len();
        let key_end = rest.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(rest.len());
        let (key, tail) = rest.split_at(key_end);
        let value_end = tail.find(|c: char| c.is_ascii_lowercase()).unwrap_or(tail.len());
        let (value, next) = tail.split_at(value_end);
        let yes = |value: &str| match value {
            "0" => "no".to_string(),
            "1" => "yes".to_string(),
            other => other.to_string(),
        };
        let (key, value) = match key {
            "score" => ("scoring", value.to_string()),
            "sui" => ("suicide", yes(value)),
            "button" => ("button", yes(value)),
            "whb" => ("bonus", value.to_string()),
            "ko" | "tax" => (key, value.to_string()),
            _ => return Err(NotationError::Syntax { at: offset, expected: "ko, score, tax, sui, button or whb" }),
        };
        rules.set_word(key, (offset, &value))?;
        rest = next;
    }
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        let rules: Rules = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(rules.to_string(), expect, "{text}");
        assert_eq!(expect.parse(), Ok(rules), "{expect}");
    }

    #[test]
    fn rules_read_and_write() {
        check("", "19x19 chinese komi 7.5");
        check("japanese", "19x19 japanese komi 6.5");
        check("Korean 13 komi -0.5", "13x13 japanese komi -0.5");
        check("9x7, NZ; komi=6", "9x7 new-zealand komi 6");
        check("komi 0.5 handicap 4 tromp_taylor", "19x19 tromp-taylor komi 0.5 handicap 4");
        check("AGA button yes komi 7", "19x19 aga-button komi 7");
        check("komi 5.50 5", "5x5 chinese komi 5.5");
        check(
            "japanese suicide yes",
            "19x19 ko simple scoring territory tax seki suicide yes bonus 0 button no komi 6.5",
        );
        check("koPOSITIONALscoreAREAtaxNONEsui1button0whb0 9", "9x9 tromp-taylor komi 7.5");
        check("koSITUATIONALscoreAREAtaxNONEsui0whbN-1", "19x19 aga komi 7.5");
    }

    #[test]
    fn every_preset_reads_back() {
        let json = r#"{"hasButton":false,"ko":"SIMPLE","scoring":"TERRITORY","suicide":false,"tax":"SEKI","whiteHandicapBonus":"0"}"#;
        assert_eq!("japanese".parse::<Rules>().unwrap().to_json(), json);
        check(&format!("{json} komi 6.5"), "19x19 japanese komi 6.5");
        check(r#"{"friendlyPassOk": true, "ko": "POSITIONAL"}"#, "19x19 chinese-superko komi 7.5");
        for preset in &Rules::PRESETS {
            let back: Rules = preset.rules.to_json().parse().unwrap();
            assert_eq!(back, back.with_flags_of(&preset.rules));
            let rules: Rules = preset.name.parse().unwrap();
            assert_eq!(rules, preset.rules);
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
    }

    #[test]
    fn bad_rules_are_told() {
        let bad = [
            ("chines", 0),
            ("chinese komi", 12),
            ("komi 7.25", 5),
            ("komi 9999", 5),
            ("9 1", 2),
            ("9x26", 0),
            ("ko super", 3),
            ("handicap 1", 9),
            ("handicap 10", 9),
            ("koSIMPLEscoreAREAfoo1", 17),
        ];
        for (text, at) in bad {
            let found = text.parse::<Rules>();
            assert!(matches!(found, Err(NotationError::Syntax { at: a, .. }) if a == at), "{text}: {found:?}");
        }
        assert!("2x2 handicap 4".parse::<Rules>().is_err());
    }
}
