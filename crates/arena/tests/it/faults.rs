//! Every fault is a result of its own, with the engine's last lines.

use crate::{FOUR, spec, start};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use tesuji_arena::{
    Allowance, CheckVerdict, Checked, Conditions, Contestant, Dialect, EngineSpec, FaultKind, Opening, Played,
    check_engine, play_game,
};
use tesuji_game::{By, Outcome, Side};
use tesuji_testkit::mock;

/// A game of a sound engine (first) against one with these habits.
fn play(habits: &str, allowance: Allowance) -> Played {
    let mut sound = start(&spec("--seed 1")).unwrap();
    let mut other = start(&spec(habits)).unwrap();
    let conditions =
        Conditions { allowances: [Allowance::of_nodes(1), allowance], ..Conditions::even(Allowance::default()) };
    let stop = AtomicBool::new(false);
    let played = play_game(&FOUR, &Opening::default(), [&mut sound, &mut other], &conditions, &stop).unwrap();
    sound.quit();
    other.quit();
    played
}

#[track_caller]
fn check(habits: &str, allowance: Allowance, kind: FaultKind, by: By, words: &str) -> Played {
    let played = play(habits, allowance);
    let (side, fault) = played.fault.clone().unwrap_or_else(|| panic!("{habits}: no fault"));
    assert_eq!((side, fault.kind, played.outcome), (Side::Second, kind, Outcome::win(Side::First, by)), "{fault}");
    assert!(fault.detail.contains(words), "{fault}");
    assert_eq!(played.plies, 5, "the fault comes at the sixth move");
    played
}

/// What ends by itself is waited for, however slow the machine is.
fn patient() -> Allowance {
    Allowance { patience: Some(Duration::from_secs(60)), ..Allowance::of_nodes(1) }
}

/// What never ends is given up soon; a sound move has time enough.
fn hasty() -> Allowance {
    Allowance { patience: Some(Duration::from_secs(1)), ..Allowance::of_nodes(1) }
}

#[test]
fn a_crash_is_told_from_an_exit() {
    let played = check("--do crash --at 5", patient(), FaultKind::Crash, By::Disconnect, "signal 6");
    let lines = played.fault.unwrap().1.last_lines;
    assert!(lines.iter().any(|l| l.starts_with("bestmove")), "the last lines are kept: {lines:?}");
    check("--do exit --at 5", patient(), FaultKind::Exit, By::Disconnect, "exit code 7");
}

#[test]
fn a_hang_is_seen_without_a_clock_and_with_one() {
    check("--do hang --at 5", hasty(), FaultKind::Hang, By::Disconnect, "no move within");
    let timed = Allowance { move_time: Some(Duration::from_millis(100)), ..hasty() };
    check("--do hang --at 5", timed, FaultKind::Hang, By::Disconnect, "no move within");
}

#[test]
fn lies_are_illegal_moves() {
    check("--do illegal --at 5", patient(), FaultKind::Illegal, By::Illegal, "z9z9");
    check("--do nothing --at 5", patient(), FaultKind::Illegal, By::Illegal, "no move");
}

#[test]
fn a_flood_ends() {
    check("--do flood --at 5", patient(), FaultKind::Garbage, By::Disconnect, "without end");
}

#[test]
fn a_late_move_loses_on_time() {
    let margin = Duration::from_millis(20);
    let move_time = Allowance { move_time: Some(Duration::from_millis(150)), margin, ..Allowance::default() };
    let played = check("--do slow --at 5", move_time, FaultKind::Time, By::Time, "of 150.0 ms");
    assert!(played.used[1].longest >= Duration::from_millis(290), "{:?}", played.used[1]);
    assert!(played.used[1].overrun >= Duration::from_millis(140), "{:?}", played.used[1]);
    let clock = Allowance { control: "0.2".parse().ok(), margin, ..Allowance::default() };
    check("--do slow --at 5", clock, FaultKind::Time, By::Time, "ms used of");
}

#[test]
fn sound_engines_have_sound_games() {
    let played =
        play("--seed 2 --score 77 --infos 3", Allowance { control: "5+0.1".parse().ok(), ..Allowance::default() });
    assert_eq!(played.fault, None);
    assert_eq!(played.record.outcome, Some(played.outcome));
    let last = played.record.nodes.len() as u32 - 1;
    let by_second = if played.plies.is_multiple_of(2) { last } else { last - 1 };
    let note = played.record.note(by_second);
    assert_eq!((note.value.map(|v| v.raw()), note.depth.unwrap().get(), note.nodes.unwrap().get()), (Some(77), 3, 300));
    assert!(note.spent.is_some() && note.left.is_some_and(|left| left > Duration::from_secs(4)));
    assert_eq!(played.plies as usize, played.record.plies());
    assert_eq!(played.used[0].moves + played.used[1].moves, played.plies);
}

#[test]
fn engines_that_do_not_start_say_why() {
    let missing = start(&EngineSpec::new("no/such/engine")).err().unwrap();
    assert!(missing.kind == FaultKind::Start && missing.detail.contains("no/such/engine"), "{missing}");
    let mut mute = spec("--mute");
    mute.start_patience = Duration::from_millis(200);
    let fault = start(&mute).err().unwrap();
    assert!(fault.kind == FaultKind::Start && fault.detail.contains("did not greet"), "{fault}");
    let fault = start(&spec("--nonsense")).err().unwrap();
    assert!(fault.kind == FaultKind::Start && fault.detail.contains("exit code 2"), "{fault}");
    assert!(fault.last_lines.iter().any(|l| l.contains("what is --nonsense?")), "{:?}", fault.last_lines);
    let mut wrong = spec("");
    wrong.options = vec![("Hash".to_string(), "16".to_string())];
    let fault = start(&wrong).err().unwrap();
    assert!(fault.detail.contains("no option \"Hash\", but Skill"), "{fault}");
    wrong.options = vec![("Skill".to_string(), "10".to_string())];
    let fault = start(&wrong).err().unwrap();
    assert!(fault.detail.contains("Skill takes a number from 0 to 9, not \"10\""), "{fault}");
    wrong.options = vec![("skill".to_string(), "3".to_string())];
    assert!(start(&wrong).is_ok());
}

#[test]
fn who_ignores_quit_is_killed() {
    let mut engine = start(&spec("--deaf")).unwrap();
    let began = Instant::now();
    let fault = engine.quit().unwrap();
    assert!(fault.kind == FaultKind::Quit && fault.detail.contains("within 0.3 s"), "{fault}");
    drop(engine);
    assert!((Duration::from_millis(250)..Duration::from_secs(5)).contains(&began.elapsed()));
}

/// Helpers that hold the engine's output open, in its process group and in one of their own: they neither hide its death nor
/// survive it, however it ends.
#[test]
fn helpers_of_an_engine_are_killed_with_it_however_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let [near, away] = ["near", "away"].map(|name| folder.path().join(name));
    let forks = format!("--fork {} --fork-away {}", near.display(), away.display());
    for (fault, allowance, kind, by, words) in [
        ("crash", patient(), FaultKind::Crash, By::Disconnect, "signal 6"),
        ("exit", patient(), FaultKind::Exit, By::Disconnect, "exit code 7"),
        ("hang", hasty(), FaultKind::Hang, By::Disconnect, "no move within"),
        ("flood", patient(), FaultKind::Garbage, By::Disconnect, "without end"),
        ("illegal", patient(), FaultKind::Illegal, By::Illegal, "z9z9"),
    ] {
        check(&format!("{forks} --do {fault} --at 5"), allowance, kind, by, words);
        assert!([&near, &away].into_iter().all(|file| mock::is_released(file)), "{fault} leaves a helper behind");
    }
    let mut deaf = start(&spec(&format!("{forks} --deaf"))).unwrap();
    assert!(!is_free(&near) && !is_free(&away), "helpers run beside their engine");
    assert_eq!(deaf.quit().map(|fault| fault.kind), Some(FaultKind::Quit));
    assert!(mock::is_released(&near) && mock::is_released(&away), "a deaf engine leaves a helper behind");
}

/// Whether nobody holds the file locked now.
fn is_free(file: &std::path::Path) -> bool {
    std::fs::File::open(file).unwrap().try_lock().is_ok()
}

#[test]
fn a_raised_flag_breaks_a_game_off() {
    let mut sound = start(&spec("")).unwrap();
    let mut hung = start(&spec("--do hang --at 0")).unwrap();
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        let conditions = Conditions::even(Allowance::of_nodes(1));
        let result = play_game(&FOUR, &Opening::default(), [&mut hung, &mut sound], &conditions, &stop);
        assert!(matches!(result, Err(tesuji_arena::NoGame::Stopped)));
    });
    assert!(began.elapsed() < Duration::from_secs(5));
}

/// What the engine burns is what the runner sees at least, whatever else the machine does. (How much more it sees on an
/// idle machine is measured in `docs/performance.md`, not here.)
#[test]
fn no_thinking_goes_unseen() {
    let played = play("--spin-ms 5", Allowance { control: "10".parse().ok(), ..Allowance::default() });
    let used = played.used[1];
    let mean = used.time / used.moves;
    assert!(mean >= Duration::from_millis(5), "{mean:?}");
}

/// From one engine's answer until the other has its question: the runner's own time in a game, as the engines see it.
#[test]
fn an_answer_is_soon_the_other_ones_question() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["first", "second"].map(|name| folder.path().join(name));
    let mut engines = files.each_ref().map(|file| start(&spec(&format!("--stamps {}", file.display()))).unwrap());
    for _ in 0..20 {
        let [first, second] = &mut engines;
        let conditions = Conditions::even(Allowance::of_nodes(1));
        play_game(&FOUR, &Opening::default(), [first, second], &conditions, &AtomicBool::new(false)).unwrap();
    }
    for engine in &mut engines {
        engine.quit();
    }
    let mut stamps: Vec<(u64, bool, usize)> = Vec::new();
    for (index, file) in files.iter().enumerate() {
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["R", at, "go"] => stamps.push((at.parse().unwrap(), true, index)),
                ["W", at, "bestmove"] => stamps.push((at.parse().unwrap(), false, index)),
                _ => {}
            }
        }
    }
    stamps.sort_unstable();
    let turns = stamps.windows(2).filter(|w| !w[0].1 && w[1].1 && w[0].2 != w[1].2);
    let mut nanos: Vec<u64> = turns.map(|w| w[1].0 - w[0].0).collect();
    nanos.sort_unstable();
    let at = |share: usize| nanos[nanos.len() * share / 100] as f64 / 1e3;
    println!("turnaround of {} moves: median {} us, p90 {} us, p99 {} us", nanos.len(), at(50), at(90), at(99));
    assert!(nanos.len() > 100, "{}", nanos.len());
    // Nothing sleeps or polls between; figures of an idle machine are in docs/performance.md.
    assert!(at(50) < 5_000.0, "{} us", at(50));
}

/// An engine that wrote the same line of an option without end took 7.8 GB before its time was over.
#[test]
fn a_greeting_of_options_without_end_is_a_fault() {
    let mut spec = EngineSpec::new("yes");
    spec.args = vec!["option name X type spin default 1 min 0 max 5".into()];
    spec.start_patience = Duration::from_secs(60);
    for dialect in [None, Some(Dialect::Uci), Some(Dialect::Usi)] {
        spec.dialect = dialect;
        let began = Instant::now();
        let fault = start(&spec).err().expect("a flood");
        assert_eq!(fault.kind, FaultKind::Start, "{fault}");
        assert!(fault.detail.contains("its greeting does not end: more than 10000 lines"), "{fault}");
        assert!(began.elapsed() < Duration::from_secs(30), "the flood is seen before the time is over");
    }
    let mut verdicts = Vec::new();
    check_engine(&spec, Dialect::Uci, &FOUR, &mut |checked| verdicts.push(checked.clone())).unwrap();
    let [Checked { name: "greeting", verdict: CheckVerdict::Error(words) }] = verdicts.as_slice() else {
        panic!("{verdicts:?}");
    };
    assert!(words.contains("its greeting does not end"), "{words}");
}
