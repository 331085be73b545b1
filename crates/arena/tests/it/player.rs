//! Engines in their own processes as players: they analyse, play, die and are killed, whatever they speak.

use crate::{spec, spec_in};
use std::time::{Duration, Instant};
use tesuji_arena::{Dialect, EnginePlayer, EngineSpec};
use tesuji_engine::{Player, TreeBounds};
use tesuji_four::FOUR;
use tesuji_game::{Choice, Limits, Report, Signal, Watch};
use tesuji_jobs::Interrupt;
use tesuji_testkit::mock;

fn open(spec: EngineSpec) -> EnginePlayer {
    EnginePlayer::open(spec, &FOUR, &Interrupt::new()).unwrap()
}

/// Stops a search once a report has this many lines.
struct Until {
    lines: usize,
    heard: Vec<Report<String>>,
    began: Instant,
}

impl Until {
    fn lines(lines: usize) -> Until {
        Until { lines, heard: Vec::new(), began: Instant::now() }
    }
}

impl Watch<String> for Until {
    fn signal(&mut self) -> Signal {
        let is_enough = self.heard.iter().any(|report| report.lines.len() >= self.lines);
        if is_enough || self.began.elapsed() > Duration::from_secs(60) { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        self.heard.push(report.clone());
    }
}

fn endless() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

fn texts(moves: &[&str]) -> Vec<String> {
    moves.iter().map(|mv| (*mv).to_string()).collect()
}

#[test]
fn it_analyses_in_every_protocol_that_has_words_for_it() {
    for dialect in [Dialect::Uci, Dialect::Usi, Dialect::Gtp] {
        let mut player = open(spec_in(dialect, "--lines 5 --score 50"));
        player.options().set("MultiPV", "5").unwrap();
        player.set_position("", None, &texts(&["4"])).unwrap();
        let mut watch = Until::lines(5);
        let report = player.go(&endless(), &[], &mut watch);
        assert_eq!(report.fault, None, "{dialect}");
        let moves: Vec<&str> = report.lines.iter().map(|line| line.pv[0].as_str()).collect();
        assert_eq!(moves, ["4", "3", "5", "2", "6"], "{dialect}");
        assert_eq!(report.choice, Some(Choice::Play("4".to_string())), "{dialect}");
        // For the side to move, who is the second here: 50 centipawns, or 55 %.
        let value = report.lines[0].value.raw();
        assert!(report.lines[0].pv.len() == 2 && (44..=50).contains(&value), "{dialect}: {value}");
        let visits: Vec<u64> = report.lines.iter().map(|line| line.visits).collect();
        let told = if dialect == Dialect::Gtp { [100, 90, 80, 70, 60] } else { [0; 5] };
        assert_eq!(visits, told, "{dialect}");
        // Only two moves are looked at, and the process is the same.
        let process = player.process();
        let report = player.go(&endless(), &texts(&["7", "2", "9"]), &mut Until::lines(2));
        let moves: Vec<&str> = report.lines.iter().map(|line| line.pv[0].as_str()).collect();
        assert_eq!((moves, player.process()), (vec!["2", "7"], process), "{dialect}");
        let tree = player.tree(&TreeBounds { nodes_max: 100, plies_max: 9, effort_min: 0 }).unwrap();
        assert_eq!(tree.nodes.iter().filter(|node| node.parent == Some(0)).count(), 6, "{dialect}: 2 to 6, and 7");
        player.set_position("", None, &texts(&["4", "4"])).unwrap();
        assert_eq!(player.tree(&TreeBounds { nodes_max: 9, plies_max: 9, effort_min: 0 }), None, "another position");
    }
}

#[test]
fn it_plays_in_every_protocol() {
    let limits = Limits { nodes: Some(10), move_time: Some(Duration::from_millis(10)), ..Limits::default() };
    let mut games = Vec::new();
    for dialect in Dialect::ALL {
        let mut player = open(spec_in(dialect, "--seed 3"));
        let mut moves = Vec::new();
        for _ in 0..6 {
            player.set_position("", None, &moves).unwrap();
            let report = player.go(&limits, &[], &mut Until::lines(99));
            let Some(Choice::Play(mv)) = report.choice else { panic!("{dialect}: {report:?}") };
            moves.push(mv);
        }
        // One that goes back and on elsewhere.
        player.set_position("", None, &texts(&["1", "2"])).unwrap();
        assert!(player.go(&limits, &[], &mut Until::lines(99)).choice.is_some(), "{dialect}");
        games.push(moves);
    }
    assert!(games.windows(2).all(|pair| pair[0] == pair[1]), "{games:?}");
}

#[test]
fn one_that_dies_says_why_and_is_started_again() {
    let mut player = open(spec("--lines 2 --do exit --at 3"));
    player.set_position("", None, &texts(&["1", "2", "3"])).unwrap();
    let report = player.go(&Limits { nodes: Some(5), ..Limits::default() }, &[], &mut Until::lines(99));
    let told = "mock: it ended with exit code 7; its last words: mock-engine: it leaves";
    assert_eq!((report.fault.as_deref(), report.choice), (Some(told), None));
    assert_eq!(report.lines.len(), 3, "what it found before stays");
    assert_eq!(player.process(), None);
    player.set_position("", None, &texts(&["1"])).unwrap();
    let report = player.go(&endless(), &[], &mut Until::lines(2));
    assert!(report.fault.is_none() && report.choice.is_some() && player.process().is_some());
    let mut liar = open(spec("--do illegal --at 0"));
    let report = liar.go(&Limits { nodes: Some(5), ..Limits::default() }, &[], &mut Until::lines(99));
    assert_eq!(report.fault.as_deref(), Some("mock: it plays z9z9, which is no legal move here"));
}

#[test]
fn one_that_hears_no_stop_is_ended() {
    let mut player = open(spec("--lines 2 --do hang --at 0"));
    let began = Instant::now();
    let report = player.go(&endless(), &[], &mut Until::lines(2));
    assert!(report.fault.is_some_and(|fault| fault.contains("did not stop within 3 s")));
    assert!(began.elapsed() < Duration::from_secs(30) && player.process().is_none());
}

#[test]
fn its_helpers_end_when_it_rests() {
    let folder = tempfile::tempdir().unwrap();
    let [near, far] = ["near", "far"].map(|name| folder.path().join(name));
    let args = format!("--lines 2 --fork {} --fork-away {}", near.display(), far.display());
    let mut player = open(spec(&args));
    player.go(&endless(), &[], &mut Until::lines(2));
    player.rest();
    assert!(mock::is_released(&near) && mock::is_released(&far) && player.process().is_none());
    assert!(player.go(&endless(), &[], &mut Until::lines(2)).choice.is_some(), "it comes back when it is needed");
    drop(player);
    assert!(mock::is_released(&near) && mock::is_released(&far));
}

#[test]
fn options_are_those_that_it_declares() {
    let mut player = open(spec("--lines 2"));
    let names: Vec<&str> = player.options().specs().iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["MultiPV", "Skill", "Journal"], "what its runner sets is not offered");
    player.options().set("skill", "7").unwrap();
    assert_eq!(player.options().get("Skill").as_deref(), Some("7"));
    let wrong = player.options().set("Skill", "70").unwrap_err().to_string();
    assert_eq!(wrong, "option Skill takes a whole number from 0 to 9, not \"70\"");
    assert!(player.options().set("Hash", "1").is_err());
    // Options outlive the process.
    player.rest();
    assert!(player.go(&endless(), &[], &mut Until::lines(2)).fault.is_none());
    assert_eq!(player.options().get("Skill").as_deref(), Some("7"));
}
