//! The options of an engine as it declares them, in the form in which all players have theirs.

use crate::Engine;
use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};
use tesuji_options::{Kind, OptionError, Options, Spec, same_name};
use tesuji_protocol::{Offer, OfferKind, uci::VARIANT_OPTIONS};

/// The option for the number of lines, in UCI and USI.
pub(super) const LINES: &str = "MultiPV";
/// Lines that a player may be asked for.
const LINES_MAX: i64 = 500;

/// Names under which engines offer what our own options have keys for: who counts memory and threads knows them by these.
const KEYS: [(&str, &str); 5] = [
    ("Hash", "hash_mib"),
    ("USI_Hash", "hash_mib"),
    ("Memory", "hash_mib"),
    ("Threads", "threads"),
    ("Cores", "threads"),
];
/// Options that belong to the one who runs the engine.
const RUNNERS: [&str; 3] = ["MultiPV", "Ponder", "USI_Ponder"];

/// The lines that an engine with these options can show; one where it has no option for that, and its protocol tells one.
pub(super) fn lines_max(offers: &[Offer]) -> usize {
    let offered = offers.iter().find(|offer| offer.name == LINES);
    match offered.map(|offer| &offer.kind) {
        Some(OfferKind::Spin { max, .. }) => usize::try_from(*max).unwrap_or(1).max(1),
        _ => LINES_MAX as usize,
    }
}

/// The form of a player: what its engine offers, and the number of lines, which every engine is asked for.
pub(super) struct Form<'a> {
    pub(super) offers: &'a [Offer],
    /// What was set, for this process and later ones.
    pub(super) settings: &'a mut Vec<(String, String)>,
    pub(super) lines: &'a mut usize,
    pub(super) engine: &'a mut Option<Engine>,
}

/// A text that lives as long as the program, the same for the same words: options are declared by texts in programs, and those of an
/// engine are known only once it has greeted. Its greeting is short.
fn kept(text: &str) -> &'static str {
    static TEXTS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let new: &'static str = Box::leak(text.to_string().into_boxed_str());
    texts.insert(new);
    new
}

/// The words of a choice, as [`kept`].
fn kept_words(words: &[String]) -> &'static [&'static str] {
    static LISTS: Mutex<BTreeSet<&'static [&'static str]>> = Mutex::new(BTreeSet::new());
    let list: Vec<&'static str> = words.iter().map(|word| kept(word)).collect();
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lists.get(list.as_slice()) {
        return known;
    }
    let new: &'static [&'static str] = Box::leak(list.into_boxed_slice());
    lists.insert(new);
    new
}

/// An offer as a declared option.
fn spec_of(offer: &Offer) -> Spec {
    let name = kept(&offer.name);
    let key = KEYS.into_iter().find(|(known, _)| same_name(known, name)).map_or(name, |(_, key)| key);
    let kind = match &offer.kind {
        OfferKind::Spin { default, min, max } => Kind::Int { default: *default, min: *min, max: *max },
        OfferKind::Check { default } => Kind::Flag { default: *default },
        OfferKind::Text { default } | OfferKind::File { default } => Kind::Text { default: kept(default) },
        OfferKind::Combo { default, among } => Kind::Choice { default: kept(default), among: kept_words(among) },
        OfferKind::Button => Kind::Button,
    };
    Spec { name, key, doc: "", kind, expert: false, plain: None }
}

impl Form<'_> {
    fn offer(&self, name: &str) -> Option<&Offer> {
        let key_of = |offer: &&Offer| same_name(spec_of(offer).key, name);
        self.offers.iter().find(|offer| same_name(&offer.name, name)).or_else(|| self.offers.iter().find(key_of))
    }

    fn check(&self, offer: &Offer, value: &str) -> Result<(), OptionError> {
        let fits = match &offer.kind {
            OfferKind::Spin { min, max, .. } => value.parse().is_ok_and(|v: i64| (*min..=*max).contains(&v)),
            OfferKind::Check { .. } => matches!(value, "true" | "false"),
            OfferKind::Combo { among, .. } => among.iter().any(|word| word.eq_ignore_ascii_case(value)),
            OfferKind::Text { .. } | OfferKind::File { .. } => !value.contains(['\n', '\r']),
            OfferKind::Button => true,
        };
        let spec = spec_of(offer);
        let wrong = || OptionError::Invalid { name: spec.name, value: value.into(), expected: spec.kind.expected() };
        if fits { Ok(()) } else { Err(wrong()) }
    }
}

impl Options for Form<'_> {
    fn specs(&self) -> Vec<Spec> {
        let max = i64::try_from(lines_max(self.offers)).unwrap_or(LINES_MAX).min(LINES_MAX);
        let lines = Kind::Int { default: 3, min: 1, max };
        let first = Spec { name: LINES, key: "multi_pv", doc: "", kind: lines, expert: false, plain: None };
        let is_ours = |offer: &&Offer| RUNNERS.iter().chain(&VARIANT_OPTIONS).any(|name| same_name(name, &offer.name));
        [first].into_iter().chain(self.offers.iter().filter(|offer| !is_ours(offer)).map(spec_of)).collect()
    }

    fn get(&self, name: &str) -> Option<String> {
        if same_name(name, LINES) {
            return Some(self.lines.to_string());
        }
        let offer = self.offer(name)?;
        let set = self.settings.iter().rev().find(|(set, _)| same_name(set, &offer.name));
        Some(set.map_or_else(|| spec_of(offer).kind.default_text(), |(_, value)| value.clone()))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if same_name(name, LINES) {
            let expected =
                || OptionError::Invalid { name: LINES, value: value.into(), expected: "a number from 1".into() };
            *self.lines =
                value.parse().ok().filter(|lines| (1..=LINES_MAX as usize).contains(lines)).ok_or_else(expected)?;
            return Ok(());
        }
        let offer = self.offer(name).ok_or_else(|| OptionError::Unknown { name: name.into(), near: None })?.clone();
        self.check(&offer, value)?;
        let is_button = offer.kind == OfferKind::Button;
        if !is_button {
            self.settings.retain(|(set, _)| !same_name(set, &offer.name));
            self.settings.push((offer.name.clone(), value.to_string()));
        }
        if let Some(engine) = self.engine
            && engine.set_option(&offer.name, value).is_err()
        {
            // The next search starts another one, with all that is set.
            *self.engine = None;
        }
        Ok(())
    }
}
