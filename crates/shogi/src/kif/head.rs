//! Words at the head of KIF files: what is told about the game, and handicaps.

use crate::Handicap;

/// Words and the tags that they are. The first of several is the one that is written.
pub(super) const TAGS: [(&str, &str); 11] = [
    ("開始日時", "GameStartTime"),
    ("終了日時", "GameEndTime"),
    ("対局日", "Date"),
    ("棋戦", "Event"),
    ("場所", "Site"),
    ("持ち時間", "TimeLimit"),
    ("秒読み", "Byoyomi"),
    ("戦型", "Opening"),
    ("表題", "Title"),
    ("備考", "Note"),
    ("消費時間", "TimeUsed"),
];

/// The sides in even games and in handicap games.
pub(super) const SIDES: [[&str; 2]; 2] = [["先手", "後手"], ["下手", "上手"]];

/// Names of handicaps; the first of several is the one that is written.
const HANDICAPS: [(&str, Handicap); 18] = [
    ("平手", Handicap::Even),
    ("香落ち", Handicap::Lance),
    ("右香落ち", Handicap::RightLance),
    ("角落ち", Handicap::Bishop),
    ("飛車落ち", Handicap::Rook),
    ("飛落ち", Handicap::Rook),
    ("飛香落ち", Handicap::RookLance),
    ("二枚落ち", Handicap::Two),
    ("三枚落ち", Handicap::Three),
    ("四枚落ち", Handicap::Four),
    ("五枚落ち", Handicap::Five),
    ("左五枚落ち", Handicap::LeftFive),
    ("六枚落ち", Handicap::Six),
    ("七枚落ち", Handicap::Seven),
    ("左七枚落ち", Handicap::LeftSeven),
    ("八枚落ち", Handicap::Eight),
    ("十枚落ち", Handicap::Ten),
    ("左香落ち", Handicap::Lance),
];

/// The name of a handicap.
pub(super) fn handicap_name(handicap: Handicap) -> &'static str {
    HANDICAPS.iter().find(|h| h.1 == handicap).map_or("その他", |h| h.0)
}

/// The handicap of a name.
pub(super) fn read_handicap(name: &str) -> Option<Handicap> {
    HANDICAPS.iter().find(|h| h.0 == name).map(|h| h.1)
}

/// A line of the head as name and value.
pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('：').or_else(|| line.split_once(':'))?;
    let blank: &[char] = &[' ', '　', '\t'];
    let name = name.trim_matches(blank);
    (!name.is_empty() && !name.starts_with(['*', '&', '#', '|', '+'])).then(|| (name, value.trim_matches(blank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handicap_has_a_name() {
        for (handicap, ..) in crate::HANDICAPS {
            assert_eq!(read_handicap(handicap_name(handicap)), Some(handicap));
        }
        assert_eq!(split("先手：羽生　"), Some(("先手", "羽生")));
        assert_eq!((split("*a：b"), split("x")), (None, None));
    }
}
