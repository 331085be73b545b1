//! Whole games over all protocols: with clocks of every kind, with thinking on the opponent's time, and with faults.

use crate::{FOUR, spec, spec_in, start};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tesuji_arena::{
    Allowance, Conditions, Contestant, Dialect, Dialogue, Engine, EngineSpec, FaultKind, Opening, Played, play_game,
};
use tesuji_game::{By, Outcome, Side};

/// A game between two engines, [`Side::First`] first.
fn play(engines: [&EngineSpec; 2], allowance: &Allowance) -> Played {
    let [mut first, mut second] = engines.map(|spec| start(spec).unwrap());
    let played = play_with([&mut first, &mut second], allowance);
    for engine in [&mut first, &mut second] {
        let fault = engine.quit();
        assert_eq!(fault, None);
    }
    played
}

fn play_with([first, second]: [&mut Engine; 2], allowance: &Allowance) -> Played {
    let conditions = Conditions::even(allowance.clone());
    play_game(&FOUR, &Opening::default(), [first, second], &conditions, &AtomicBool::new(false)).unwrap()
}

fn timed(control: &str) -> Allowance {
    Allowance { control: Some(control.parse().unwrap()), ..Allowance::default() }
}

/// What ends by itself is waited for, however slow the machine is.
fn patient() -> Allowance {
    Allowance { patience: Some(Duration::from_secs(60)), ..Allowance::of_nodes(1) }
}

/// What never ends is given up soon; a sound move has time enough.
fn hasty() -> Allowance {
    Allowance { patience: Some(Duration::from_secs(1)), ..Allowance::of_nodes(1) }
}

/// The same engines make the same game, whatever they speak.
#[test]
fn every_pair_of_protocols_plays_the_same_game() {
    let allowance = timed("20+b10");
    let reference = play([&spec("--seed 1"), &spec("--seed 2")], &allowance);
    assert_eq!(reference.fault, None);
    for a in Dialect::ALL {
        for b in Dialect::ALL {
            let played = play([&spec_in(a, "--seed 1"), &spec_in(b, "--seed 2")], &allowance);
            assert_eq!(played.fault, None, "{a} against {b}");
            assert_eq!(played.record.main_line(), reference.record.main_line(), "{a} against {b}");
            assert_eq!(played.outcome, reference.outcome);
        }
    }
}

#[test]
fn a_process_plays_many_games() {
    for dialect in Dialect::ALL {
        let mut engines = ["--seed 1", "--seed 2"].map(|args| start(&spec_in(dialect, args)).unwrap());
        let [first, second] = &mut engines;
        let one = play_with([first, second], &Allowance::of_nodes(1));
        let other = play_with([second, first], &Allowance::of_nodes(1));
        let again = play_with([first, second], &Allowance::of_nodes(1));
        assert_eq!((one.fault, other.fault), (None, None), "{dialect}");
        assert_eq!(one.record.main_line(), again.record.main_line(), "{dialect}");
        assert!(!first.is_spent());
    }
}

#[test]
fn protocols_are_found_out() {
    for dialect in Dialect::ALL {
        let mut spec = spec_in(dialect, "--seed 1");
        spec.dialect = None;
        let engine = start(&spec).unwrap();
        assert_eq!(spec.detected.get(), Some(&dialect));
        drop(engine);
        // The next process is greeted in it at once.
        let began = Instant::now();
        let played = play([&spec, &spec_in(Dialect::Uci, "--seed 2")], &Allowance::of_nodes(1));
        assert!(played.fault.is_none() && began.elapsed() < Duration::from_secs(2), "{dialect}");
    }
    let mut mute = spec("--mute");
    (mute.dialect, mute.start_patience) = (None, Duration::from_millis(100));
    let fault = start(&mute).err().unwrap();
    assert!(fault.kind == FaultKind::Start && fault.detail.contains("did not greet"), "{fault}");
}

/// News of thinking arrive where the protocol has them.
#[test]
fn scores_are_told_in_their_protocol() {
    for (dialect, value) in [(Dialect::Uci, 40), (Dialect::Usi, 40), (Dialect::Xboard, 40)] {
        let other = spec_in(dialect, "--seed 2 --score 40 --infos 3");
        let played = play([&spec("--seed 1"), &other], &timed("20"));
        let note = played.record.note(2);
        assert_eq!(
            (note.value.map(|v| v.raw()), note.depth.unwrap().get(), note.nodes.unwrap().get()),
            (Some(value), 3, 300),
            "{dialect}"
        );
    }
    let played = play([&spec("--seed 1"), &spec_in(Dialect::Usi, "--score 30000")], &timed("20"));
    assert_eq!(played.record.note(2).value.and_then(|v| v.mate_plies()), Some(5), "USI counts in plies");
}

#[test]
fn faults_are_told_in_every_protocol() {
    let quick = Allowance { move_time: Some(Duration::from_millis(150)), ..patient() };
    let quick = Allowance { margin: Duration::from_millis(20), ..quick };
    for dialect in Dialect::ALL {
        for (fault, allowance, kind, by) in [
            ("crash", patient(), FaultKind::Crash, By::Disconnect),
            ("exit", patient(), FaultKind::Exit, By::Disconnect),
            ("hang", hasty(), FaultKind::Hang, By::Disconnect),
            ("illegal", patient(), FaultKind::Illegal, By::Illegal),
            ("garbage", patient(), FaultKind::Garbage, By::Disconnect),
            ("slow", quick.clone(), FaultKind::Time, By::Time),
        ] {
            let faulty = spec_in(dialect, &format!("--do {fault} --at 5"));
            let mut engines = [start(&spec("--seed 1")).unwrap(), start(&faulty).unwrap()];
            let [first, second] = &mut engines;
            let played = play_with([first, second], &allowance);
            let (side, told) = played.fault.unwrap_or_else(|| panic!("{dialect} {fault}: no fault"));
            let expect = (Side::Second, kind, Outcome::win(Side::First, by));
            assert_eq!((side, told.kind, played.outcome), expect, "{dialect} {fault}: {told}");
            assert_eq!(played.plies, 5, "{dialect} {fault}");
        }
    }
}

#[test]
fn who_resigns_has_lost_and_who_claims_in_vain_is_at_fault() {
    for dialect in Dialect::ALL {
        let played = play([&spec("--seed 1"), &spec_in(dialect, "--do resign --at 5")], &patient());
        assert_eq!((played.fault, played.outcome), (None, Outcome::win(Side::First, By::Resignation)), "{dialect}");
    }
    let played = play([&spec("--seed 1"), &spec_in(Dialect::Usi, "--do claim --at 5")], &patient());
    assert_eq!(played.fault.map(|(_, f)| f.kind), Some(FaultKind::Illegal));
}

#[test]
fn a_draw_that_both_offer_is_agreed() {
    let offers = |args: &str| spec_in(Dialect::Xboard, &format!("{args} --do offer --at 4"));
    let played = play([&offers("--seed 1"), &offers("--seed 2")], &patient());
    assert_eq!((played.outcome, played.plies), (Outcome::draw(By::Agreement), 6));
    let one_sided = play([&offers("--seed 1"), &spec("--seed 2")], &patient());
    assert!(one_sided.plies > 6 && one_sided.outcome.by != By::Agreement);
}

#[test]
fn no_answer_to_a_ping_is_a_fault_of_its_own() {
    for dialect in [Dialect::Uci, Dialect::Usi, Dialect::Xboard] {
        let mut busy = spec_in(dialect, "--busy");
        busy.start_patience = Duration::from_secs(1);
        let fault = start(&busy).err().unwrap();
        assert!(fault.kind == FaultKind::Start && fault.detail.contains("did not get ready"), "{dialect}: {fault}");
    }
    let mut busy = spec_in(Dialect::Gtp, "--busy");
    busy.start_patience = Duration::from_secs(1);
    let mut engines = [start(&spec("")).unwrap(), start(&busy).unwrap()];
    let [first, second] = &mut engines;
    let (side, fault) = play_with([first, second], &patient()).fault.unwrap();
    assert_eq!((side, fault.kind), (Side::Second, FaultKind::Ping), "{fault}");
}

/// Thinking on the opponent's time costs nothing of one's own when the guess was right.
#[test]
fn guessed_moves_are_answered_at_once() {
    for dialect in [Dialect::Uci, Dialect::Usi] {
        let mut ponders = spec_in(dialect, "--seed 1 --ponder-ms 20");
        ponders.ponder = true;
        let slow = spec("--seed 3 --spin-ms 25");
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut engines = [start(&ponders).unwrap(), start(&slow).unwrap()];
        let dialogue = Dialogue::create(file.path()).unwrap();
        engines[0].log_to(Some(dialogue));
        let [first, second] = &mut engines;
        let played = play_with([first, second], &timed("20"));
        assert_eq!(played.fault, None, "{dialect}");
        // The moves are those of a match without pondering.
        let plain = play([&spec_in(dialect, "--seed 1"), &spec("--seed 3")], &timed("20"));
        assert_eq!(played.record.main_line(), plain.record.main_line());
        let said = std::fs::read_to_string(file.path()).unwrap();
        let count = |words: &str| said.lines().filter(|line| line.contains(words)).count();
        let (asked, hit, stopped) = (count("go ponder"), count("< ponderhit"), count("< stop"));
        assert!(asked > 3 && hit > 0 && stopped > 0, "{dialect}: {asked} {hit} {stopped}\n{said}");
        assert_eq!(asked, hit + stopped, "{dialect}");
        assert_eq!(count("bestmove"), played.used[0].moves as usize + stopped, "each search has an answer");
        // A hit was thought about for 25 ms already, so that only the others cost time.
        let thought = Duration::from_millis(20) * (played.used[0].moves - hit as u32);
        assert!(played.used[0].time < thought + Duration::from_millis(15 * hit as u64 + 200), "{:?}", played.used[0]);
    }
}

/// Ethereal 12 forgets a `stop` that comes before its search has begun, and then waits for the end of that search.
#[test]
fn a_stop_comes_after_first_words_and_again_when_it_is_lost() {
    let mut ponders = spec("--seed 1 --ponder-ms 1 --lose-stop");
    ponders.ponder = true;
    let mut engines = [start(&ponders).unwrap(), start(&spec("--seed 3")).unwrap()];
    let file = tempfile::NamedTempFile::new().unwrap();
    engines[0].log_to(Some(Dialogue::create(file.path()).unwrap()));
    let [first, second] = &mut engines;
    let played = play_with([first, second], &timed("60"));
    assert_eq!(played.fault, None);
    let said = std::fs::read_to_string(file.path()).unwrap();
    let after: Vec<&str> = said.split("go ponder").skip(1).filter_map(|rest| rest.lines().nth(1)).collect();
    assert!(after.len() > 3 && after.iter().all(|line| line.contains("> info depth 1")), "{said}");
    // No clock runs while it is waited for.
    assert!(played.used[0].time < Duration::from_millis(130) * played.used[0].moves, "{:?}", played.used[0]);
    let plain = play([&spec("--seed 1"), &spec("--seed 3")], &timed("20"));
    assert_eq!(played.record.main_line(), plain.record.main_line());
}

#[test]
fn an_engine_can_have_a_process_for_each_game() {
    let mut fresh = spec("--seed 1");
    fresh.restart = true;
    assert!(start(&fresh).unwrap().is_spent());
    assert!(!start(&spec("--seed 1")).unwrap().is_spent());
}
