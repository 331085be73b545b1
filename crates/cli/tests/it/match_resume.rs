//! `tesuji match` resumed: kills, journals, matches that are made longer, results that were edited.

use crate::match_::{engine, games, run, table, tesuji};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tesuji_testkit::mock;

#[test]
fn a_killed_match_goes_on_and_is_the_same() {
    let [a, b] = [engine("A", "--seed 1"), engine("B", "--seed 2 --do crash --odds 200")];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "60", "--seed", "7", "-j", "2", "--quiet"];
    let args: Vec<&str> = args.into_iter().chain(["--plies", "4", "--pgn-out", "games.pgn"]).collect();
    let whole = tempfile::tempdir().unwrap();
    let (code, expect, errors) = run(whole.path(), &args);
    assert_eq!(code, 5, "done with engine faults: {expect}{errors}");
    assert!(expect.contains("Games: 60, ") && expect.contains("faults: crash"), "{expect}");
    let torn = tempfile::tempdir().unwrap();
    let mut kills = 0;
    let mut next = args.clone();
    let stdout = loop {
        let mut child = tesuji(torn.path(), &next).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(80 + 25 * (kills % 5) + 4 * kills));
        if let Some(status) = child.try_wait().unwrap() {
            if status.code() == Some(2) {
                // It was killed before it had written down what to play.
                next = args.clone();
                continue;
            }
            break String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        if torn.path().join("games.pgn.journal").exists() {
            next = vec!["--resume", "games.pgn.journal", "--quiet"];
        }
        assert!(kills < 200, "it never comes to an end");
    };
    assert_eq!(table(&stdout), table(&expect), "after {kills} kills");
    let in_both = |folder: &Path| plain(&folder.join("games.pgn"));
    assert_eq!(in_both(torn.path()), in_both(whole.path()));
    // A match that is over only tells its result again.
    let (_, again, _) = run(torn.path(), &["--resume", "games.pgn.journal", "--quiet"]);
    assert_eq!(table(&again), table(&expect));
}

/// A runner that is killed with signal 9 can do nothing any more: engines that ignore the end of their input and helpers with a
/// process group of their own end all the same.
#[test]
fn a_killed_runner_leaves_no_engine_behind() {
    let folder = tempfile::tempdir().unwrap();
    let [own, near, away, log] = ["own", "near", "away", "log"].map(|name| folder.path().join(name));
    let [own_name, near_name, away_name] = [&own, &near, &away].map(|path| path.display());
    let habits = format!("--outlive {own_name} --fork {near_name} --fork-away {away_name} --do hang --at 4");
    let [a, b] = [engine("A", "--seed 1"), engine("B", &habits)];
    let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "2", "-j", "1", "--quiet"];
    let args: Vec<&str> = args.into_iter().chain(["--log-dialogue", "log"]).collect();
    let mut runner = tesuji(folder.path(), &args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The dialogue begins when both engines of the first game have been started.
    while !log.join("game-000001.log").exists() {
        assert_eq!(runner.try_wait().unwrap(), None, "the match ends before its first game");
        std::thread::sleep(Duration::from_millis(5));
    }
    runner.kill().unwrap();
    runner.wait().unwrap();
    for file in [&own, &near, &away] {
        assert!(mock::is_released(file), "{} outlives its runner", file.display());
    }
}

/// The games of a file without their comments, which tell times.
fn plain(path: &Path) -> Vec<String> {
    let words = |game: &String| game.split('{').map(|p| p.split_once('}').map_or(p, |x| x.1)).collect::<String>();
    games(path).iter().map(words).collect()
}

/// A match that was made longer has played the same games as one that was so long from the beginning.
#[test]
fn a_match_is_made_longer() {
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    // Openings that are made, that are built in, and built-in ones from the middle on.
    for openings in [&["--plies", "4"][..], &[], &["--start", "7"]] {
        let begin = |folder: &Path, games: &str| {
            let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--seed", "5"];
            let files = ["--games", games, "--pgn-out", "a.pgn", "-j", "1", "--quiet"];
            run(folder, &args.iter().chain(&files).chain(openings).copied().collect::<Vec<_>>())
        };
        let (whole, longer) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (_, expect, errors) = begin(whole.path(), "40");
        assert!(expect.contains("Games: 40, "), "{expect}{errors}");
        begin(longer.path(), "20");
        let again = |games: &str| run(longer.path(), &["--resume", "a.pgn.journal", "--games", games, "--quiet"]);
        let (_, _, errors) = again("2");
        assert!(errors.contains("the match is of 20"), "{errors}");
        let (_, stdout, errors) = again("40");
        assert_eq!(table(&stdout), table(&expect), "{errors}");
        assert_eq!(plain(&longer.path().join("a.pgn")), plain(&whole.path().join("a.pgn")), "{openings:?}");
        let (_, stdout, _) = run(longer.path(), &["--resume", "a.pgn.journal", "--quiet"]);
        assert!(stdout.contains("Games: 40, "), "the journal remembers: {stdout}");
    }
}

/// A journal that had lost its last games was believed: they were played again, and stood in the file twice.
#[test]
fn games_that_the_journal_has_lost_are_not_played_twice() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--seed", "5", "--games", "4"];
    run(folder.path(), &args.iter().chain(&["--pgn-out", "a.pgn", "-j", "1", "--quiet"]).copied().collect::<Vec<_>>());
    let journal = |folder: &Path| folder.join("a.pgn.journal");
    std::fs::copy(journal(folder.path()), journal(copy.path())).unwrap();
    let again = || run(folder.path(), &["--resume", "a.pgn.journal", "--games", "10", "--quiet"]);
    assert_eq!(again().0, 0);
    let whole = std::fs::read(folder.path().join("a.pgn")).unwrap();
    std::fs::copy(journal(copy.path()), journal(folder.path())).unwrap();
    let (code, _, errors) = again();
    assert!(
        code == 2 && errors.contains("holds 6 games of this match that the journal does not know"),
        "{code} {errors}"
    );
    assert_eq!(std::fs::read(folder.path().join("a.pgn")).unwrap(), whole);
}

/// A match could not go on once a second one of the same players had appended to its file: its games were taken for lost ones.
#[test]
fn a_match_goes_on_behind_another_of_the_same_players() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let begin = |seed: &str, more: &[&str]| {
        let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--games", "4", "-j", "1"];
        let files = ["--seed", seed, "--pgn-out", "g.pgn"];
        run(here, &args.iter().chain(&files).chain(more).copied().collect::<Vec<_>>())
    };
    let play = |seed: &str, more: &[&str]| {
        let (code, _, errors) = begin(seed, more);
        assert_eq!(code, 0, "{errors}");
    };
    let set = |journal: &str, over: &str| {
        tesuji_arena::Journal::open(&here.join(journal)).unwrap().set(&[("over", over)]).unwrap();
    };
    play("5", &[]);
    set("g.pgn.journal", "no");
    play("6", &[]);
    play("5", &["--event", "other"]);
    let (code, stdout, errors) = run(here, &["--resume", "g.pgn.journal", "--games", "6", "--quiet"]);
    assert!(code == 0 && stdout.contains("Games: 6, "), "{code} {stdout}{errors}");
    let text = std::fs::read_to_string(here.join("g.pgn")).unwrap();
    let ids: std::collections::BTreeSet<&str> = text.lines().filter(|line| line.starts_with("[MatchId ")).collect();
    assert_eq!((ids.len(), text.matches("[Event ").count()), (3, 14), "{text}");
    // The first is over now: the second, stopped, is found beside it when it is asked for again.
    set("g.pgn.A-B.journal", "no");
    let (code, _, errors) = begin("6", &[]);
    assert!(code == 2 && errors.contains("--resume g.pgn.A-B.journal goes on with it"), "{code} {errors}");
}

/// A match that was stopped and is asked for again was refused for its page, not told of `--resume`.
#[test]
fn the_same_command_again_is_told_of_resume() {
    let folder = tempfile::tempdir().unwrap();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--games", "2", "-j", "1"];
    let args: Vec<&str> = args.into_iter().chain(["--seed", "5", "--html", "a.html", "--quiet"]).collect();
    assert_eq!(run(folder.path(), &args).0, 0);
    let journal = tesuji_arena::DEFAULT_JOURNAL;
    tesuji_arena::Journal::open(&folder.path().join(journal)).unwrap().set(&[("over", "no")]).unwrap();
    let (code, _, errors) = run(folder.path(), &args);
    assert!(code == 2 && errors.contains(&format!("--resume {journal} goes on with it")), "{code} {errors}");
}

/// It took the usual journal even where the match in it was over, and another one beside it was not.
#[test]
fn resume_without_a_name_takes_the_match_that_is_not_over() {
    let folder = tempfile::tempdir().unwrap();
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let begin = |rest: &[&str]| {
        let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--games", "2", "-j", "1"];
        let args: Vec<&str> = args.into_iter().chain(["--seed", "5", "--quiet"]).chain(rest.iter().copied()).collect();
        assert_eq!(run(folder.path(), &args).0, 0);
    };
    let set = |journal: &str, over: &str| {
        tesuji_arena::Journal::open(&folder.path().join(journal)).unwrap().set(&[("over", over)]).unwrap();
    };
    let resume = || run(folder.path(), &["--resume", "--quiet"]);
    let (code, _, errors) = resume();
    assert!(code == 2 && errors.contains("no match in this folder can be resumed: name its journal"), "{errors}");
    begin(&[]);
    begin(&["--pgn-out", "g.pgn"]);
    // Others' files are neither opened nor changed.
    std::fs::write(folder.path().join("notes.journal"), "dear diary").unwrap();
    // All are over: the usual one tells its result again.
    let (code, table, errors) = resume();
    assert!(code == 0 && table.contains("Games: 2, ") && errors.is_empty(), "{table}{errors}");
    set("g.pgn.journal", "no");
    let (code, table, errors) = resume();
    assert!(code == 0 && table.contains("Games: 2, "), "{table}{errors}");
    assert_eq!(errors, "g.pgn.journal holds a match that is not over: it goes on\n");
    set("g.pgn.journal", "no");
    set(tesuji_arena::DEFAULT_JOURNAL, "no");
    let (code, _, errors) = resume();
    let both = "are not over: --resume FILE, one of g.pgn.journal, tesuji-match.journal";
    assert!(code == 2 && errors.contains(both), "{errors}");
    assert_eq!(std::fs::read_to_string(folder.path().join("notes.journal")).unwrap(), "dear diary");
}

/// A file of last positions has no result that is read back: it was taken for one that somebody had changed.
#[test]
fn a_match_with_a_file_of_positions_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let players = [engine("A", "--seed 1"), engine("B", "--do illegal --at 3")];
    let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--games", "2", "-j", "1"];
    let args: Vec<&str> = args.into_iter().chain(["--seed", "5", "--quiet", "--epd-out", "last.epd"]).collect();
    assert_eq!(run(folder.path(), &args).0, 5);
    let (code, table, errors) = run(folder.path(), &["--resume", "last.epd.journal", "--games", "4", "--quiet"]);
    assert!(code == 5 && table.contains("Games: 4, "), "{code} {table}{errors}");
    assert_eq!(std::fs::read_to_string(folder.path().join("last.epd")).unwrap().lines().count(), 4);
}

/// A result that was edited in the file of games was not noticed: the table said something else than the games.
#[test]
fn a_result_that_was_edited_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let engines = [engine("A", "--seed 1"), engine("B", "--do illegal --at 3")];
    let mut args: Vec<&str> = engines.iter().flat_map(|e| ["--engine", e]).collect();
    args.extend(["--nodes", "1", "--games", "4", "--seed", "7", "-j", "1", "--pgn-out", "a.pgn", "--quiet"]);
    let pgn = folder.path().join("a.pgn");
    // Games of others before them do not matter, however many: with 64 MiB of them the first game was not looked at.
    let others = "[Round \"1.2\"]\n[Result \"1/2-1/2\"]\n\n1. e4 1/2-1/2\n\n".repeat(25_000);
    assert!(others.len() > 1 << 20);
    std::fs::write(&pgn, &others).unwrap();
    assert_eq!(run(folder.path(), &args).0, 5);
    let again = || run(folder.path(), &["--resume", "a.pgn.journal", "--quiet"]);
    assert_eq!(again().0, 5);
    let text = std::fs::read_to_string(&pgn).unwrap();
    let edits = [
        ("[Result \"0-1\"]", "[Result \"1-0\"]", "2 it says that White won, and the journal that Black won"),
        ("[Result \"1-0\"]", "[Result \"0-1\"]", "1 it says that Black won, and the journal that White won"),
        // A game without a result was passed over. (As long as before: else the bytes tell.)
        ("[Result \"0-1\"]", "[Result \"*\"]  ", "2 it says that it has no result, and the journal that Black won"),
    ];
    for (was, is, wanted) in edits {
        let mut edited = text.replacen(was, is, 1);
        if is.contains('*') {
            // The end of the moves counts where the tag says nothing.
            edited = edited.replacen("0-1\n\n", "*  \n\n", 1);
        }
        std::fs::write(&pgn, edited).unwrap();
        let (code, _, errors) = again();
        assert!(code == 2 && errors.contains(&format!("a.pgn: of game {wanted}")), "{code} {errors}");
    }
}

/// Games are appended; an unfinished match keeps its journal, and another one in the same folder gets its own.
#[test]
fn matches_in_one_folder_have_journals_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let game = "[Event \"mine\"]\n[Round \"9\"]\n\n1. e4 *";
    std::fs::write(here.join("g.pgn"), game).unwrap();
    let begin = |names: [&str; 2], more: &[&str]| {
        let [a, b] = [engine(names[0], "--seed 1"), engine(names[1], "--seed 2")];
        let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "4", "--seed", "7", "-j", "1"];
        run(here, &args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let (code, _, errors) = begin(["A", "B"], &["--pgn-out", "g.pgn", "--quiet"]);
    assert_eq!(code, 0, "{errors}");
    let text = std::fs::read_to_string(here.join("g.pgn")).unwrap();
    assert!(text.starts_with(&format!("{game}\n")) && games(&here.join("g.pgn")).len() == 5, "{text}");
    // A match that is over gives its journal up; one that is not keeps it.
    let unfinish = |journal: &str| {
        tesuji_arena::Journal::open(&here.join(journal)).unwrap().set(&[("over", "no")]).unwrap();
    };
    unfinish("g.pgn.journal");
    let (code, _, errors) = begin(["A", "B"], &["--pgn-out", "g.pgn", "--quiet"]);
    assert!(code == 2 && errors.contains("g.pgn.journal holds this match"), "{code} {errors}");
    let (code, _, errors) = begin(["C", "D"], &["--pgn-out", "g.pgn"]);
    assert!(code == 0 && errors.contains("the journal of this one is g.pgn.C-D.journal"), "{code} {errors}");
    assert_eq!(games(&here.join("g.pgn")).len(), 9);
    unfinish("g.pgn.C-D.journal");
    let (code, _, errors) = begin(["C", "D"], &["--pgn-out", "g.pgn", "--depth", "1"]);
    assert!(code == 0 && here.join("g.pgn.C-D-2.journal").exists(), "{code} {errors}");
    let (code, _, errors) = begin(["C", "D"], &["--pgn-out", "g.pgn", "--journal", "g.pgn.journal"]);
    assert!(code == 2 && errors.contains("holds another match"), "{code} {errors}");
    // A journal without a game never blocks.
    let mut empty = tesuji_arena::Journal::open(&here.join("h.pgn.journal")).unwrap();
    empty.set(&[("arguments", "[]")]).unwrap();
    drop(empty);
    let (code, _, errors) = begin(["A", "B"], &["--pgn-out", "h.pgn", "--quiet"]);
    assert_eq!(code, 0, "{errors}");
}

#[test]
fn a_match_in_a_file_is_foretold_played_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let file = "games = 8\nseed = 3\neach = { nodes = 80 }\npgn_out = \"a.pgn\"\n[[engine]]\nname = \"A\"\noption.Hash = 4\n[[engine]]\nname = \"B\"\n";
    std::fs::write(folder.path().join("m.toml"), file).unwrap();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.arg("match").args(words).current_dir(folder.path()).output().unwrap();
        (out.status.code(), String::from_utf8(out.stdout).unwrap(), String::from_utf8(out.stderr).unwrap())
    };
    let (code, told, _) = run(&["--config", "m.toml", "--dry-run", "-j", "2"]);
    assert_eq!(code, Some(0));
    for line in [
        "8 games of chess, 2 at a time; 4 openings, seed 3",
        "A: nodes 80",
        "game 2: B moves first against A",
        "2 more",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    assert!(!folder.path().join("a.pgn").exists(), "nothing is played");
    // The command line wins over the file, and the journal remembers both without the file.
    let (code, played, error) = run(&["--config", "m.toml", "--rounds", "2", "--games", "4", "--quiet"]);
    assert_eq!(code, Some(2), "{played}{error}");
    let (code, played, error) = run(&["--config", "m.toml", "--games", "4", "--quiet"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(played.contains("Games: 4,"), "{played}");
    std::fs::remove_file(folder.path().join("m.toml")).unwrap();
    let (code, again, error) = run(&["--resume", "a.pgn.journal", "--quiet"]);
    // What follows are times, which are summed in the order in which games ended.
    let counts = |text: &str| text.split("Ended by").next().unwrap_or_default().to_string();
    assert_eq!((code, counts(&again)), (Some(0), counts(&played)), "{error}");
    // The last positions, with results that PGN tells, too.
    let (code, _, error) = run(&[
        "--engine",
        "name=A",
        "--engine",
        "name=B",
        "--nodes",
        "60",
        "--games",
        "4",
        "--seed",
        "1",
        "-q",
        "--pgn-out",
        "b.pgn",
        "--epd-out",
        "b.epd",
    ]);
    assert_eq!(code, Some(0), "{error}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let ends: Vec<String> =
        read("b.epd").lines().map(|l| l.split("c9 \"").nth(1).unwrap().trim_end_matches("\";").to_string()).collect();
    let results: Vec<String> = read("b.pgn")
        .lines()
        .filter_map(|l| l.strip_prefix("[Result \""))
        .map(|l| l.trim_end_matches("\"]").to_string())
        .collect();
    assert_eq!((ends.len(), ends), (4, results));
    for (file, says) in
        [("gamez = 3", "unexpected argument '--gamez'"), ("games = \"x\"", "invalid value 'x' for '--games")]
    {
        std::fs::write(folder.path().join("wrong.toml"), file).unwrap();
        let (code, _, error) = run(&["--config", "wrong.toml"]);
        assert!(code == Some(2) && error.contains(says) && !error.contains("Usage"), "{error}");
    }
    let (code, _, error) = run(&["--config", "m.toml"]);
    assert!(code == Some(2) && error.contains("m.toml"), "{error}");
}

/// `cp -r` of a folder, which has files alone.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

/// A match that was resumed in a copy of its folder wrote into the original's files, and in a folder that was renamed it could not go on.
#[test]
fn a_match_goes_on_in_a_folder_that_was_copied_or_renamed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    std::fs::create_dir(at("first")).unwrap();
    let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--seed", "5", "--games", "4"];
    let begin: Vec<&str> = args.iter().chain(&["--pgn-out", "a.pgn", "-j", "1", "--quiet"]).copied().collect();
    assert_eq!(run(&at("first"), &begin).0, 0);
    copy(&at("first"), &at("copy"));
    let again = |name: &str, count: &str| run(&at(name), &["--resume", "a.pgn.journal", "--games", count, "--quiet"]);
    let count = |name: &str| games(&at(name).join("a.pgn")).len();
    let (code, _, errors) = again("copy", "8");
    assert!(code == 0 && (count("first"), count("copy")) == (4, 8), "{code} {errors}");
    let (code, _, errors) = again("first", "6");
    assert!(code == 0 && (count("first"), count("copy")) == (6, 8), "{code} {errors}");
    std::fs::rename(at("first"), at("renamed")).unwrap();
    let (code, _, errors) = run(folder.path(), &["--resume", "renamed/a.pgn.journal", "--games", "10", "--quiet"]);
    assert!(code == 0 && count("renamed") == 10 && !at("first").exists(), "{code} {errors}");
    // A journal without its files.
    std::fs::create_dir(at("alone")).unwrap();
    std::fs::copy(at("renamed/a.pgn.journal"), at("alone/a.pgn.journal")).unwrap();
    let (code, _, errors) = again("alone", "12");
    assert!(code == 2 && errors.contains("is missing: it was begun in") && errors.lines().count() == 1, "{errors}");
    assert_eq!(std::fs::read_dir(at("alone")).unwrap().count(), 1);
}

/// Files elsewhere belong to the match that was begun with them: a copy of its journal does not write into them.
#[test]
fn a_copied_journal_leaves_the_files_of_the_first_one_alone() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let players = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    std::fs::create_dir(at("first")).unwrap();
    let pgn = at("elsewhere.pgn").display().to_string();
    for output in [pgn.as_str(), "../elsewhere.pgn"] {
        let args = ["--engine", &players[0], "--engine", &players[1], "--nodes", "1", "--seed", "5", "--games", "2"];
        let more = ["--journal", "m.journal", "--pgn-out", output, "-j", "1", "--quiet", "--fresh"];
        let (code, _, errors) = run(&at("first"), &[&args[..], &more[..]].concat());
        assert_eq!(code, 0, "{errors}");
        let count = games(&at("elsewhere.pgn")).len();
        copy(&at("first"), &at("copy"));
        let again = |name: &str| run(&at(name), &["--resume", "m.journal", "--games", "4", "--quiet"]);
        let (code, _, errors) = again("copy");
        assert!(code == 2 && errors.contains("this is a copy of"), "{errors}");
        assert_eq!(games(&at("elsewhere.pgn")).len(), count);
        // Moved, it is the only one.
        std::fs::remove_dir_all(at("copy")).unwrap();
        std::fs::rename(at("first"), at("moved")).unwrap();
        let (code, _, errors) = again("moved");
        assert!(code == 0 && games(&at("elsewhere.pgn")).len() == count + 2, "{code} {errors}");
        std::fs::rename(at("moved"), at("first")).unwrap();
    }
}
