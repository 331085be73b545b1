//! The training loop on Connect Four: same seed, same bytes; a run killed anywhere ends as one that was not.

mod engines;
mod fleets;

use std::{fs, path::Path};
use tesuji_circle::{
    DropRules, Dropped, Duel, Openings, SelfplayPlan, Setup, conditions, duel,
    improve::{
        Improve, ImproveEnd, ImproveNews, ImproveSettings, LessonNews, MatchOf, Round, RunVerdict, Story, Tallied,
    },
    selfplay,
};
use tesuji_four::{FEATURES, FOUR, TERMS, TUNING};
use tesuji_jobs::Interrupt;
use tesuji_tally::Weights;
use tesuji_tune::Canon;

fn plan(games: u64, jobs: usize) -> SelfplayPlan {
    SelfplayPlan {
        games,
        player: Setup::default().into(),
        openings: Openings::random(4, 7),
        conditions: conditions(200),
        drop: DropRules::default(),
        jobs,
        until: None,
        fleet: None,
        origin: "a test".into(),
    }
}

fn play(path: &Path, plan: &SelfplayPlan, resume: bool) -> Result<tesuji_circle::Played, tesuji_circle::CircleError> {
    selfplay(&FOUR, plan, path, resume, &Interrupt::new(), &mut |_| ())
}

#[test]
fn self_play_is_the_same_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let file = |jobs: usize| {
        let path = folder.path().join(format!("{jobs}.four"));
        let played = play(&path, &plan(40, jobs), false).unwrap();
        assert_eq!((played.games, played.results.iter().sum::<u64>()), (40, 40));
        fs::read(path).unwrap()
    };
    let one = file(1);
    assert_eq!(one, file(2));
    assert_eq!(one, file(5));
    assert_eq!(one.iter().filter(|&&b| b == b'\n').count(), 40);
}

/// Whatever was torn off its end, a file is continued to the same bytes.
#[test]
fn a_torn_file_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    play(&path, &plan(12, 2), false).unwrap();
    let whole = fs::read(&path).unwrap();
    for cut in [0, 1, 30, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(&path, &whole[..cut]).unwrap();
        let played = play(&path, &plan(12, 2), true).unwrap();
        assert_eq!(played.games, 12);
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
    }
    assert!(play(&path, &plan(12, 2), false).is_err(), "a file is never overwritten");
    let other = SelfplayPlan { origin: "another".into(), ..plan(12, 2) };
    let error = play(&path, &other, true).unwrap_err().to_string();
    assert!(error.contains("another") && error.contains("a test"), "{error}");
}

/// Games are only ever added: what would drop some is refused, and the file stays as it is.
#[test]
fn no_finished_game_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    play(&path, &plan(10, 2), false).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let error = play(&path, &plan(5, 2), true).unwrap_err().to_string();
    assert!(error.contains("more than the 5 games"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), whole);
    let lines: Vec<&str> = whole.lines().collect();
    let broken = format!("{}\nnonsense\n{}\n", lines[..3].join("\n"), lines[3..].join("\n"));
    fs::write(&path, &broken).unwrap();
    let error = play(&path, &plan(10, 2), true).unwrap_err().to_string();
    assert!(error.contains("game 4 is broken"), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), broken);
}

/// `--resume` went on behind games that somebody had edited, or that a disk had damaged, as if they were its own.
#[test]
fn games_changed_between_two_runs_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    play(&path, &plan(6, 1), false).unwrap();
    let whole = fs::read_to_string(&path).unwrap();
    let sums = folder.path().join("games.four.sums");
    assert_eq!(fs::read_to_string(&sums).unwrap().lines().count(), 6);
    // A space more in the third game, which reads the same.
    let mut lines: Vec<String> = whole.lines().map(str::to_string).collect();
    let at = lines[2].rfind(' ').unwrap();
    lines[2].insert(at, ' ');
    let changed = lines.join("\n") + "\n";
    assert_ne!(changed, whole);
    fs::write(&path, &changed).unwrap();
    let error = play(&path, &plan(9, 1), true).unwrap_err().to_string();
    assert!(error.contains("game 3 in it is not as this run wrote it") && !error.contains('\n'), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), changed, "nothing was changed");
    // As it was, it goes on; also a second time, whose games are known, too.
    fs::write(&path, &whole).unwrap();
    play(&path, &plan(9, 1), true).unwrap();
    assert_eq!(fs::read_to_string(&sums).unwrap().lines().count(), 9);
    play(&path, &plan(10, 1), true).unwrap();
    let fresh = folder.path().join("fresh.four");
    play(&fresh, &plan(10, 1), false).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(&fresh).unwrap());
    // Nothing is known of files of earlier versions: they are gone on with.
    fs::remove_file(&sums).unwrap();
    assert_eq!(play(&path, &plan(11, 1), true).unwrap().games, 11);
}

#[cfg(unix)]
/// A second run with --resume took the file from one that was alive.
#[test]
fn a_file_in_which_another_run_plays_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    play(&path, &plan(3, 1), false).unwrap();
    let before = fs::read(&path).unwrap();
    let other = fs::File::open(&path).unwrap();
    other.lock().unwrap();
    let words = play(&path, &plan(6, 1), true).unwrap_err().to_string();
    assert!(words.contains("another run writes this file"), "{words}");
    assert_eq!(fs::read(&path).unwrap(), before);
    drop(other);
    assert_eq!(play(&path, &plan(6, 1), true).unwrap().games, 6);
}

/// Where a game had been removed, the error named other settings, with the same words there and here.
#[test]
fn a_removed_game_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    play(&path, &plan(5, 1), false).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let at = |label: &str| text.lines().position(|line| line.contains(label)).unwrap();
    let (first, second) = (at("g2"), at("g3"));
    let left = text.lines().enumerate().filter(|(line, _)| !(first..second).contains(line));
    fs::write(&path, left.map(|(_, line)| format!("{line}\n")).collect::<String>()).unwrap();
    let words = play(&path, &plan(9, 1), true).unwrap_err().to_string();
    assert!(words.contains("should have the label g2 and has g3") && !words.contains("other settings"), "{words}");
}

#[test]
fn a_deleted_folder_ends_self_play_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("games");
    fs::create_dir(&inside).unwrap();
    let played = selfplay(&FOUR, &plan(100, 2), &inside.join("games.four"), false, &Interrupt::new(), &mut |played| {
        if played.games == 3 {
            fs::remove_dir_all(&inside).unwrap();
        }
    });
    let error = played.unwrap_err().to_string();
    assert!(error.contains("games.four") && error.contains("was deleted"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_self_play_with_an_error() {
    let error = play(Path::new("/dev/full"), &plan(3, 1), false).unwrap_err().to_string();
    assert!(error.contains("/dev/full"), "{error}");
}

#[test]
fn a_stopped_self_play_keeps_whole_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    let stop = Interrupt::new();
    let played = selfplay(&FOUR, &plan(1000, 3), &path, false, &stop, &mut |played| {
        if played.games == 5 {
            stop.raise();
        }
    });
    let games = played.unwrap().games;
    assert!((5..1000).contains(&games), "{games}");
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!((text.lines().count() as u64, text.ends_with('\n')), (games, true));
}

#[test]
fn a_duel_is_the_same_for_any_number_of_jobs_and_continues() {
    let run = |jobs, played: &[[u64; 2]]| {
        let mut pairs = played.to_vec();
        let settings = Duel {
            duelists: [Setup::default().into(), Setup::default().into()],
            openings: Openings::random(3, 5),
            conditions: conditions(150),
            pairs: 12,
            jobs,
            until: None,
            fleet: None,
        };
        let standing = duel(&FOUR, &settings, played, &Interrupt::new(), &mut |_, half_points, _| {
            pairs.push(half_points);
            Ok(true)
        });
        (standing.unwrap(), pairs)
    };
    let (standing, pairs) = run(1, &[]);
    assert_eq!(standing.games(), 24);
    assert_eq!(standing.pairs, [0, 0, 12, 0, 0], "equal players share every pair");
    assert_eq!(run(3, &[]), (standing, pairs.clone()));
    assert_eq!(run(2, &pairs[..5]), (standing, pairs));
}

/// Writes weights of 0 for all that is counted.
fn write_start(path: &Path) {
    fs::write(path, Weights::zero(FEATURES).to_json("four", TERMS)).unwrap();
}

/// Runs `improve` in `folder`; `kill` may stop it at some news.
fn improve(folder: &Path, kill: &mut (dyn FnMut(&ImproveNews<'_>) -> bool + Send)) -> Option<RunVerdict> {
    improve_tested(folder, None, kill)
}

/// The same, with a test that ends matches of rounds.
fn improve_tested(
    folder: &Path,
    sprt: Option<[f64; 2]>,
    kill: &mut (dyn FnMut(&ImproveNews<'_>) -> bool + Send),
) -> Option<RunVerdict> {
    let stop = Interrupt::new();
    let settings = ImproveSettings {
        made_by: "test".into(),
        from: "nothing".into(),
        rounds: 2,
        budget: None,
        games: Some(150),
        pairs: Some(if sprt.is_some() { 400 } else { 10 }),
        nodes: 100,
        rules: String::new(),
        options: Vec::new(),
        net: None,
        sprt,
        random_plies: 4,
        starts: None,
        result_share: 1.0,
        engine: None,
        confirm: true,
        seed: 1,
        jobs: 2,
    };
    settings.save(folder).unwrap();
    let study = Tallied { features: TUNING.features, canon: Canon::default() };
    let run = Improve { kit: &FOUR, study: &study, starts: None, folder, settings, fleet: None, stop: &stop };
    let end = run.run(&mut |news| {
        if kill(news) {
            stop.raise();
        }
    });
    match end.unwrap() {
        ImproveEnd::Done(verdict) => Some(verdict),
        ImproveEnd::Stopped => None,
    }
}

/// Every file of a run that must not depend on when it was stopped.
fn outcome(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = ["round-1/games.four", "round-1/weights.json", "round-1/pairs.txt", "round-2/games.four"];
    let more = [
        "round-2/weights.json",
        "round-2/pairs.txt",
        "verdict/pairs.txt",
        "confirm/pairs.txt",
        "round-2/losses.json",
        "weights.json",
    ];
    names.iter().chain(&more).map(|n| (n.to_string(), fs::read(folder.join(n)).unwrap_or_default())).collect()
}

#[test]
fn a_run_that_was_stopped_in_any_stage_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, torn) = (folder.path().join("whole"), folder.path().join("torn"));
    for run in [&whole, &torn] {
        fs::create_dir(run).unwrap();
        write_start(&run.join("start.json"));
    }
    let verdict = improve(&whole, &mut |_| false).unwrap();
    let kills: [&mut (dyn FnMut(&ImproveNews<'_>) -> bool + Send); 7] = [
        &mut |news| matches!(news, ImproveNews::Games(played, _) if played.games == 20),
        &mut |news| matches!(news, ImproveNews::Learning(LessonNews::Epoch(3, _))),
        &mut |news| matches!(news, ImproveNews::Match { match_: MatchOf::Round, standing } if standing.games() >= 6),
        &mut |news| matches!(news, ImproveNews::Games(played, _) if played.games == 100),
        &mut |news| matches!(news, ImproveNews::Learning(LessonNews::Epoch(1, _))),
        &mut |news| matches!(news, ImproveNews::Match { match_: MatchOf::Verdict, .. }),
        &mut |news| matches!(news, ImproveNews::Match { match_: MatchOf::Confirmation, standing } if standing.games() >= 10),
    ];
    for kill in kills {
        assert!(improve(&torn, kill).is_none(), "it was stopped");
    }
    let again = improve(&torn, &mut |_| false).unwrap();
    assert_eq!(again.standing, verdict.standing);
    assert_eq!(again.standing.games(), 40);
    let confirmed = again.confirmed.expect("it was asked for");
    assert_eq!((Some(confirmed), confirmed.games()), (verdict.confirmed, 40));
    let story = Story::load(&torn).unwrap().expect("a run");
    assert_eq!((story.rounds.len(), story.pairs.each_ref().map(Vec::len)), (2, [20, 20]));
    let (round, losses) = &story.rounds[1];
    let best = losses[round.learned.as_ref().unwrap().best_epoch as usize];
    assert!(best.held < losses[0].held, "{losses:?}");
    for ((name, whole), (_, torn)) in outcome(&whole).into_iter().zip(outcome(&torn)) {
        assert!(!whole.is_empty(), "{name}");
        assert!(whole == torn, "{name} differs");
    }
    for number in [1, 2] {
        let text = fs::read_to_string(whole.join(format!("round-{number}/round.json"))).unwrap();
        let round: Round = serde_json::from_str(&text).unwrap();
        let learned = round.learned.unwrap();
        assert!(learned.loss_after < learned.loss_before, "{learned:?}");
        assert_eq!(learned.games, 150 * number, "games of all rounds so far");
        assert_eq!(round.adopted, round.standing.unwrap().score() >= 0.5);
    }
    let third = improve(&whole, &mut |_| panic!("everything is done")).unwrap();
    assert_eq!(third.standing, verdict.standing);
}

#[test]
fn a_test_ends_and_decides_the_match_of_a_round() {
    let folder = tempfile::tempdir().unwrap();
    // What is learned from so few games of this game is about 100 worse: well below the first bounds, well above the second.
    for (bounds, adopted) in [([100.0, 200.0], false), ([-300.0, -200.0], true)] {
        let run = folder.path().join(format!("{adopted}"));
        fs::create_dir(&run).unwrap();
        write_start(&run.join("start.json"));
        let stop = &mut |news: &ImproveNews<'_>| matches!(news, ImproveNews::Decided(round) if round.number == 1);
        assert!(improve_tested(&run, Some(bounds), stop).is_none());
        let round: Round = serde_json::from_str(&fs::read_to_string(run.join("round-1/round.json")).unwrap()).unwrap();
        assert!((2..400).contains(&round.standing.unwrap().games()), "{round:?}");
        assert_eq!(round.adopted, adopted, "{round:?}");
    }
}

#[test]
fn a_book_is_played_through_and_other_peoples_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let opening = |first: &str| tesuji_arena::Opening { start: None, moves: vec![first.into()] };
    let firsts = ["1", "3", "4", "5", "7"];
    let openings = Openings { limit_cp: i32::MAX, ..Openings::random(0, 7) }.with_book(firsts.map(opening).to_vec());
    let plan = SelfplayPlan { openings, ..plan(15, 2) };
    let path = folder.path().join("games.four");
    play(&path, &plan, false).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let first_moves: Vec<&str> =
        text.lines().map(|line| line.rsplit('\t').next().unwrap().split([' ', '/']).next().unwrap()).collect();
    for pass in first_moves.chunks(5) {
        let mut pass = pass.to_vec();
        pass.sort_unstable();
        assert_eq!(pass, firsts);
    }
    // What cannot be continued is not touched.
    for foreign in ["Label=g1\tOrigin=somebody else\tx\t-\t1 2 3\n".to_string(), "no games at all\n".repeat(500)] {
        fs::write(&path, &foreign).unwrap();
        assert!(play(&path, &plan, true).is_err(), "{foreign:.40}");
        assert_eq!(fs::read_to_string(&path).unwrap(), foreign);
    }
}

/// Dropped games leave no gap in the numbers of a file that is continued: it ends with the same bytes, and the same counts.
#[test]
fn dropped_games_are_counted_and_a_torn_file_is_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.four");
    let all = folder.path().join("all.four");
    let everything = plan(30, 2);
    play(&all, &everything, false).unwrap();
    let plies = |line: &str| line.split(' ').count();
    let lengths: Vec<usize> = fs::read_to_string(&all).unwrap().lines().map(plies).collect();
    let mut sorted = lengths.clone();
    sorted.sort_unstable();
    let drop = DropRules { shorter_than: Some(22), unfinished: true, ..DropRules::default() };
    let mut dropping = SelfplayPlan { drop, ..plan(30, 2) };
    dropping.conditions.adjudication.plies_max = Some(34);
    let played = play(&path, &dropping, false).unwrap();
    let Dropped { short, unfinished, .. } = played.dropped;
    assert!(short > 0 && unfinished > 0 && played.written() > 3, "{played:?} of {sorted:?}");
    assert_eq!((played.games, played.results.iter().sum::<u64>()), (30, played.written()));
    let whole = fs::read(&path).unwrap();
    let journal = fs::read(folder.path().join("games.four.dropped")).unwrap();
    assert_eq!(whole.iter().filter(|&&b| b == b'\n').count() as u64, played.written());
    for cut in [0, 1, whole.len() / 3, whole.len() / 2, whole.len() - 1, whole.len()] {
        fs::write(&path, &whole[..cut]).unwrap();
        let again = play(&path, &dropping, true).unwrap();
        assert_eq!((again.games, again.dropped), (30, played.dropped), "cut at {cut}");
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        assert_eq!(fs::read(folder.path().join("games.four.dropped")).unwrap(), journal, "cut at {cut}");
    }
    // More games than are asked for are never dropped.
    assert!(play(&path, &SelfplayPlan { games: 5, ..dropping.clone() }, true).is_err());
    fs::remove_file(folder.path().join("games.four.dropped")).unwrap();
    assert!(play(&path, &dropping, true).is_err(), "without the journal the numbers of games are not known");
}
