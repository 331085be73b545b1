//! A search's note of a node as flags and a reason code that the page can draw; the page has the words of each code.

use serde::Serialize;
use tesuji_game::{BestFirstNote, MateNote, NodeNote, Reason};
use utoipa::ToSchema;

/// The node or move was not entered.
pub(crate) const LEFT_OUT: u8 = 1;
/// It was left early.
pub(crate) const CUT: u8 = 2;
/// Its result is proven.
pub(crate) const PROVEN: u8 = 4;
/// A null move led to it.
pub(crate) const NULL_MOVE: u8 = 8;
/// It captures.
pub(crate) const CAPTURE: u8 = 16;
/// It gives check.
pub(crate) const CHECK: u8 = 32;
/// The game is over there.
pub(crate) const OVER: u8 = 64;
/// Its value comes from what was learned before, or from the same position elsewhere.
pub(crate) const KNOWN: u8 = 128;

/// Signs of a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Signs {
    /// The flags above.
    pub(crate) flags: u8,
    /// The code of why it was left; 0: nothing is said.
    pub(crate) reason: u8,
    /// Depth left, or quality of the value; 0 where neither is told.
    pub(crate) aux: f32,
}

/// `flag` where it is so.
fn flag(is_so: bool, flag: u8) -> u8 {
    if is_so { flag } else { 0 }
}

impl Signs {
    /// The signs of a note.
    pub(crate) fn of(note: Option<NodeNote>) -> Signs {
        let Some(note) = note else { return Signs::default() };
        let (flags, aux) = match note {
            NodeNote::Searched { is_null_move, depth, reason, .. } => {
                let over = flag(reason == Reason::Rules, OVER);
                (flag(is_null_move, NULL_MOVE) | flag(reason.is_cut(), CUT) | over, depth as f32)
            }
            NodeNote::LeftOut { depth } => (LEFT_OUT, depth as f32),
            NodeNote::BestFirst(note) => (flags_of_best_first(note), note.quality),
            NodeNote::Mate(note) => (flag(note == MateNote::Mated, PROVEN), 0.0),
        };
        Signs { flags, reason: note.code().unwrap_or(0), aux }
    }
}

fn flags_of_best_first(note: BestFirstNote) -> u8 {
    flag(note.is_capture, CAPTURE)
        | flag(note.is_check, CHECK)
        | flag(note.is_over, OVER)
        | flag(note.is_proven, PROVEN)
        | flag(note.is_learned || note.is_elsewhere, KNOWN)
}

/// The note of a search on a node, without what the marks show.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, ToSchema)]
pub(crate) struct NoteView {
    /// Alpha and beta of the visit, for the side to move there, in the search's centipawns.
    window: Option<[i32; 2]>,
    /// The value that the visit returned, as the window counts.
    value: Option<i32>,
    /// Plies left, for a search by depth.
    depth: Option<i32>,
    /// The work that the value rests on, for best-first search.
    quality: Option<f32>,
    /// The mate at the root of a proof, in plies.
    mate_plies: Option<u32>,
}

impl NoteView {
    /// A note for the page.
    pub(crate) fn of(note: NodeNote) -> NoteView {
        let none = NoteView::default();
        match note {
            NodeNote::Searched { depth, window, value, .. } => {
                NoteView { window: Some(window), value: Some(value), depth: Some(depth), ..none }
            }
            NodeNote::LeftOut { depth } => NoteView { depth: Some(depth), ..none },
            NodeNote::BestFirst(note) => NoteView { quality: Some(note.quality), ..none },
            NodeNote::Mate(MateNote::MateIn(plies)) => NoteView { mate_plies: Some(plies), ..none },
            NodeNote::Mate(_) => none,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use tesuji_arena::FaultKind;
    use tesuji_game::{By, Label, NodeMark};

    /// The labels of all reasons and marks by code, as the page reads them: a line for each.
    fn labels() -> String {
        let reasons = Reason::all().map(|reason| (reason.code(), reason.label()));
        let marks = NodeMark::ALL.map(|mark| (mark.code(), mark.label()));
        let all: BTreeMap<u8, Label> = reasons.chain(marks).collect();
        assert_eq!(all.len(), Reason::all().count() + NodeMark::ALL.len(), "each has a code of its own");
        let line = |(code, Label { en, ja, ru, zh })| {
            assert!([en, ja, ru, zh].iter().all(|text| !text.is_empty()), "code {code} has a label in every language");
            let [en, ja, ru, zh] = [en, ja, ru, zh].map(serde_json::Value::from);
            format!(r#" "{code}": {{"en": {en}, "ja": {ja}, "ru": {ru}, "zh": {zh}}}"#)
        };
        format!("{{\n{}\n}}\n", all.into_iter().map(line).collect::<Vec<String>>().join(",\n"))
    }

    #[test]
    fn the_page_has_the_labels_of_all_codes() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/i18n/reasons.json");
        let labels = labels();
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(path, &labels).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), labels, "run this test with UPDATE=1");
    }

    /// The page showed the ends of games and the faults of engines in English, and the end of a game without spaces.
    #[test]
    fn every_end_and_every_fault_has_words_in_every_language() {
        let texts = [
            include_str!("../../../web/i18n/jobs/en.json"),
            include_str!("../../../web/i18n/jobs/ja.json"),
            include_str!("../../../web/i18n/jobs/ru.json"),
            include_str!("../../../web/i18n/jobs/zh.json"),
        ];
        let ends = By::ALL.iter().map(|by| format!("end_{}", by.name()));
        let keys: Vec<String> =
            ends.chain(FaultKind::ALL.iter().map(|kind| format!("fault_{}", kind.name()))).collect();
        for text in texts {
            let words: BTreeMap<String, String> = serde_json::from_str(text).unwrap();
            for key in &keys {
                assert!(words.get(key).is_some_and(|words| !words.is_empty()), "{key}");
            }
        }
    }

    #[test]
    fn notes_become_signs() {
        let signs = |flags, reason, aux| Signs { flags, reason, aux };
        let read = |text: &str| Signs::of(Some(text.parse().unwrap()));
        assert_eq!(Signs::of(None), Signs::default());
        assert_eq!(read("pass, depth 4, window -5 to 6, value 7, cut by a null move"), signs(NULL_MOVE | CUT, 9, 4.0));
        assert_eq!(read("depth 4, window -5 to 6, value 7, ended by the rules"), signs(OVER, 3, 4.0));
        assert_eq!(read("left out at depth 2"), signs(LEFT_OUT, 13, 2.0));
        assert_eq!(read("quality 12.5, capture, check, proven"), signs(CAPTURE | CHECK | PROVEN, 0, 12.5));
        assert_eq!(read("quality 0.0, same position elsewhere"), signs(KNOWN, 15, 0.0));
        assert_eq!(read("mate"), signs(PROVEN, 0, 0.0));
    }
}
