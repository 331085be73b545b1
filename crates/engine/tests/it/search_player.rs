//! Players of the toy game: text in, text out, strength limited.

use crate::scripted::Scripted;
use std::time::Duration;
use tesuji_engine::{Ladder, Player, SearchPlayer, Weakened};
use tesuji_game::{CacheCounts, Candidate, Choice, Limits, Line, Report, Signal, Value, Watch};
use tesuji_options::Options;
use tesuji_search::Searcher;
use tesuji_testkit::four::{Drop, Four, FourPosition};

/// A watch that lets everything run and keeps the last report.
#[derive(Default)]
struct Last(Option<Report<String>>);

impl Watch<String> for Last {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn report(&mut self, report: &Report<String>) {
        self.0 = Some(report.clone());
    }
}

tesuji_options::options! {
    /// It has none to speak of.
    struct Few {
        /// Nothing.
        nothing: bool = false, "Nothing";
    }
}

/// Plays the first move it may.
struct First(Few);

impl Searcher<FourPosition> for First {
    fn options(&mut self) -> &mut dyn Options {
        &mut self.0
    }
    fn new_game(&mut self) {}
    fn search(
        &mut self,
        line: &Line<FourPosition>,
        _: &Limits,
        only: &[Drop],
        watch: &mut dyn Watch<Drop>,
    ) -> Report<Drop> {
        let mut moves = Vec::new();
        line.legal_moves(&mut moves);
        if !only.is_empty() {
            moves = only.to_vec();
        }
        let Some(&mv) = moves.first() else { return Report::default() };
        let mut after = line.clone();
        after.push(mv);
        let mut answers = Vec::new();
        after.legal_moves(&mut answers);
        let pv = [mv].into_iter().chain(answers.first().copied()).collect();
        let line = Candidate {
            pv,
            value: Value::cp(5),
            bound: Default::default(),
            wdl: None,
            visits: 1,
            prior: 0.0,
            expected: None,
            margin: None,
        };
        let report = Report {
            choice: Some(Choice::Play(mv)),
            ponder: answers.first().copied(),
            lines: vec![line],
            depth: 1,
            ..Report::default()
        };
        watch.report(&report);
        report
    }
    fn counts(&self) -> Vec<CacheCounts> {
        Vec::new()
    }
}

fn player() -> SearchPlayer<Four, First> {
    SearchPlayer::new(First(Few::default()))
}

fn texts(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_string).collect()
}

#[test]
fn moves_and_lines_are_text() {
    let mut player = player();
    player.set_position("", None, &texts("4 4 4")).unwrap();
    assert!(player.is_move("4") && !player.is_move("8") && !player.is_move("x"));
    let mut watch = Last::default();
    let report = player.go(&Limits::default(), &[], &mut watch);
    let Some(Choice::Play(mv)) = report.choice.clone() else { panic!("{report:?}") };
    assert_eq!(report.lines[0].pv[0], mv);
    assert_eq!(report.ponder, report.lines[0].pv.get(1).cloned());
    assert_eq!(watch.0.unwrap().lines, report.lines);
    // Words that are no moves are left out.
    let report = player.go(&Limits::default(), &texts("9 7 what"), &mut Last::default());
    assert_eq!(report.choice, Some(Choice::Play("7".into())));
}

#[test]
fn a_wrong_line_changes_nothing_and_says_why() {
    let mut player = player();
    player.set_position("", None, &texts("1 2")).unwrap();
    let before = player.show();
    let error = player.set_position("", None, &texts("1 2 3 9")).unwrap_err();
    assert!(error.to_string().starts_with("move 4 of the line: "), "{error}");
    assert!(player.set_position("", Some("nonsense"), &[]).is_err());
    assert!(player.set_position("wild rules", None, &[]).is_err());
    assert_eq!(player.show(), before);
}

/// Going on where the last call ended, going back, and another start all give what a fresh player gives.
#[test]
fn positions_are_the_same_however_they_are_reached() {
    let mut player = player();
    for line in ["1 2", "1 2 3 4", "1 2 3", "1 2 5 5", "", "7"] {
        player.set_position("", None, &texts(line)).unwrap();
        let mut fresh = self::player();
        fresh.set_position("", None, &texts(line)).unwrap();
        assert_eq!(player.show(), fresh.show(), "{line}");
    }
}

#[test]
fn perft_counts_and_stops() {
    let player = player();
    let counts = player.perft(4, &|| false).unwrap();
    assert_eq!((counts.len(), counts.iter().map(|(_, n)| n).sum::<u64>()), (7, 7 * 7 * 7 * 7));
    assert_eq!(player.perft(1, &|| false).unwrap().len(), 7);
    assert_eq!(player.perft(30, &|| true), None);
}

fn weakened(text: &str) -> Weakened<Scripted> {
    Weakened::new(Scripted::default(), text.parse::<Ladder>().unwrap())
}

#[test]
fn a_limited_player_errs_as_its_seed_says() {
    let choices = |elo: &str, seed: &str| {
        let mut player = weakened("1000 10 500\n2000 1000 0");
        player.options().set("UCI_LimitStrength", "true").unwrap();
        player.options().set("UCI_Elo", elo).unwrap();
        player.options().set("Strength Seed", seed).unwrap();
        let choice = |plies: usize| {
            player.set_position("", None, &texts(&"a2a3 ".repeat(plies))).unwrap();
            let report = player.go(&Limits::default(), &[], &mut Last::default());
            assert_eq!(report.lines.len(), 1);
            format!("{:?}", report.choice)
        };
        (0..40).map(choice).collect::<Vec<_>>()
    };
    assert_eq!(choices("1000", "7"), choices("1000", "7"));
    assert_ne!(choices("1000", "7"), choices("1000", "8"));
    assert!(choices("2000", "7").iter().all(|c| c.contains("e2e4")));
}

#[test]
fn strength_is_bounded_by_the_ladder_and_off_at_first() {
    let mut player = weakened("1000 10 500\n2000 1000 0");
    assert_eq!(player.options().get("UCI_LimitStrength"), Some("false".into()));
    let error = player.options().set("uci_elo", "2001").unwrap_err();
    assert_eq!(error.to_string(), "option UCI_Elo takes a whole number from 1000 to 2000, not \"2001\"");
    player.options().set("UCI_Elo", "1200").unwrap();
    // The number of lines that the user asked for is what it was.
    player.options().set("UCI_LimitStrength", "true").unwrap();
    player.go(&Limits::default(), &[], &mut Last::default());
    assert_eq!(player.options().get("MultiPV"), Some("1".into()));
}
