//! `tesuji match` from outside: exit codes, faults, statistics.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use tesuji_testkit::mock;

/// The binary in a folder of its own.
pub(crate) fn tesuji(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("match").args(args).current_dir(folder).stdin(Stdio::null());
    command
}

pub(crate) fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let Output { status, stdout, stderr } = tesuji(folder, args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// The largest number of 64 bits.
const HUGE: &str = "18446744073709551615";

/// A mock engine as the command line has it.
pub(crate) fn engine(name: &str, habits: &str) -> String {
    format!("'cmd={}' name={name} args='{habits}'", mock::path().display())
}

/// The games of a PGN file by round, with results and moves; what was measured (comments, times of day) left out.
pub(crate) fn games(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let said = |game: &str| {
        let lines = game.lines().filter(|line| !line.starts_with("[Game") && !line.starts_with("[MatchId"));
        let whole = lines.collect::<Vec<_>>().join(" ");
        let parts = whole.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
        parts.collect::<String>()
    };
    let rounds = text.split("[Event ").skip(1).map(|game| said(game.split_once("[Round ").unwrap().1));
    let mut games: Vec<String> = rounds.collect();
    games.sort();
    games
}

/// The table without measured times.
pub(crate) fn table(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| !line.contains(" moves, ") && !line.starts_with("A game took")).collect()
}

/// Matches of shogi between our own engines; what is written is read again: for ratings, and as a folder of openings.
#[test]
fn shogi_matches_write_kif_and_csa() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("games")).unwrap();
    let players = ["--game", "shogi", "--engine", "name=A nodes=60 option.USI_Hash=8", "--engine", "name=B nodes=20"];
    let limits = ["--games", "2", "--max-plies", "40", "--seed", "3", "-j", "1", "--quiet"];
    let files = ["--kif-out", "games/a.kif", "--csa-out", "games/b.csa"];
    let args: Vec<&str> = players.iter().chain(&limits).chain(&files).copied().collect();
    let (code, stdout, errors) = run(folder.path(), &args);
    assert!(code == 0 && stdout.contains("Games: 2, "), "{code} {stdout}{errors}");
    for file in ["games/a.kif", "games/b.csa"] {
        let (code, stdout, errors) = run(folder.path(), &["--game", "shogi", "--rate", file]);
        assert!(code == 0 && stdout.contains("2 players from 2 games"), "{file}: {code} {stdout}{errors}");
    }
    let again = ["--openings", "games", "--plies", "6", "--games", "20", "--fresh", "--dry-run"];
    let args: Vec<&str> = players.iter().chain(&limits).chain(&again).copied().collect();
    let (code, stdout, errors) = run(folder.path(), &args);
    assert!(code == 0 && stdout.contains("4 openings"), "{code} {stdout}{errors}");
}

/// A side that resigned by rule had won by an entering-king declaration of the other in the records, and the summary said adjudication.
/// Ratings of these files were refused without `--game`.
#[test]
fn who_resigns_by_rule_has_resigned_in_records() {
    let folder = tempfile::tempdir().unwrap();
    let players = ["--game", "shogi", "--engine", "name=A nodes=20", "--engine", "name=B nodes=20"];
    let limits = ["--resign", "1/1", "--games", "2", "--seed", "3", "-j", "1", "--quiet"];
    let args: Vec<&str> =
        players.iter().chain(&limits).chain(&["--kif-out", "a.kifu", "--csa-out", "b.csa"]).copied().collect();
    let (code, stdout, errors) = run(folder.path(), &args);
    assert!(code == 0 && stdout.contains("Ended by:     resignation 2"), "{code} {stdout}{errors}");
    for (file, word) in [("a.kifu", "投了"), ("b.csa", "%TORYO")] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert_eq!(text.matches(word).count(), 2, "{text}");
        let (code, stdout, errors) = run(folder.path(), &["--rate", file]);
        assert!(code == 0 && stdout.contains("2 players from 2 games"), "{file}: {code} {stdout}{errors}");
    }
}

/// Five openings between deterministic engines gave ten games, which a test counted as sixty; and `--start 99` began somewhere.
#[test]
fn a_book_too_small_for_the_match_is_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("book.epd"), "startpos moves e2e4\nstartpos moves d2d4\n").unwrap();
    let args = ["--engine", "name=A", "--engine", "name=B", "--nodes", "30", "--games", "8", "--max-plies", "12"];
    let book = ["--openings", "book.epd", "--seed", "1", "-j", "1", "--quiet"];
    let play = |more: &[&str]| run(folder.path(), &args.iter().chain(&book).chain(more).copied().collect::<Vec<_>>());
    let (code, _, errors) = play(&["--start", "3"]);
    assert!(code == 2 && errors.contains("--start 3: the last opening is number 2"), "{code} {errors}");
    let (code, stdout, errors) = play(&[]);
    assert!(code == 0 && errors.contains("Warning: 2 openings for 8 games, and nothing else differs"), "{errors}");
    assert!(stdout.contains("4 of 8 games repeat earlier ones move by move: there are 4 distinct games"), "{stdout}");
}

#[test]
fn a_knockout_has_a_winner_and_full_headers() {
    let folder = tempfile::tempdir().unwrap();
    let engines = [engine("A", "--seed 1"), engine("B", "--do illegal --at 3"), engine("C", "--seed 3")];
    let mut args: Vec<&str> = engines.iter().flat_map(|e| ["--engine", e]).collect();
    args.extend(["--nodes", "1", "--knockout", "--seed", "7", "-j", "2", "--pgn-out", "games.pgn", "--quiet"]);
    let (code, stdout, errors) = run(folder.path(), &args);
    assert_eq!(code, 5, "{stdout}{errors}");
    // The best seed waits in the final; who plays illegal moves loses the other tie.
    assert!(stdout.contains("Round 1:\n  B 0 : 2 C\nRound 2:\n  A "), "{stdout}");
    assert!(stdout.contains("The winner is "), "{stdout}");
    let pgn = std::fs::read_to_string(folder.path().join("games.pgn")).unwrap();
    for tag in ["PlyCount", "GameStartTime", "GameEndTime", "GameDuration", "TimeControl", "Termination"] {
        let games = pgn.matches("[Event ").count();
        assert_eq!(pgn.matches(&format!("[{tag} \"")).count(), games, "{tag}");
    }
    let (code, _, errors) =
        run(folder.path(), &["--engine", "self", "--engine", "self", "--gauntlet=2", "--nodes", "1"]);
    assert!(code == 2 && errors.contains("nobody is left"), "{code} {errors}");
}

/// Carp answered `go movetime` after 0.6 ms and lost 12 : 0 with "no faults"; another searched 9,000 nodes where it had 5,000.
#[test]
fn a_result_against_an_engine_that_does_not_think_is_doubted() {
    let folder = tempfile::tempdir().unwrap();
    let [sound, idle] = [engine("Sound", "--seed 1 --use 30"), engine("Carp", "--seed 2 --infos 0")];
    let args = ["--engine", &sound, "--engine", &idle, "--st", "0.05", "--games", "4", "--max-plies", "80", "-j", "1"];
    let more = ["--seed", "3", "--margin", "5000", "--json", "--html", "report.html"];
    let (code, json, errors) = run(folder.path(), &args.iter().chain(&more).copied().collect::<Vec<_>>());
    let events: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = events.last().unwrap();
    let kinds: Vec<&str> = end["warnings"].as_array().unwrap().iter().map(|w| w["kind"].as_str().unwrap()).collect();
    assert_eq!((code, kinds.as_slice()), (0, &["idle", "silent", "time"][..]), "{json}{errors}");
    assert_eq!(
        (&end["warnings"][0]["players"], &end["warnings"][2]["players"]),
        (&names(["Carp"]), &names(["Sound", "Carp"]))
    );
    let told: Vec<_> = events.iter().filter(|e| e["event"] == "warning").map(|e| e["kind"].clone()).collect();
    assert_eq!(told, kinds, "each is told once");
    assert!(end["players"][1]["used"]["nodes"].is_null() && end["players"][1]["used"]["depth"].is_null(), "{end}");
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("Warning:      Carp: it used ") && page.contains("not that of equal time"), "{page}");
    let greedy = engine("Greedy", "--seed 3 --infos 90");
    let args = ["--engine", &greedy, "--engine", &idle, "--nodes", "5000", "--games", "2", "--fresh", "--seed", "3"];
    let (_, text, errors) = run(folder.path(), &args);
    let warning = "Greedy: it searched more than its 5000 nodes in ";
    assert!(text.contains(&format!("Warning:      {warning}")), "{text}");
    assert!(errors.contains(&format!("Warning: {warning}")), "{errors}");
    assert!(text.contains("Carp: ") && text.contains("depth -, - kn/s; no faults"), "{text}");
}

/// Names as JSON.
fn names<const N: usize>(names: [&str; N]) -> serde_json::Value {
    names.to_vec().into()
}

#[test]
fn exit_codes_say_how_a_test_ended() {
    let folder = tempfile::tempdir().unwrap();
    let [good, bad] = [engine("good", "--seed 1"), engine("bad", "--do illegal --at 6")];
    let sprt = |a: &str, b: &str| {
        let args = ["--engine", a, "--engine", b, "--nodes", "1", "--sprt", "-5", "200", "--seed", "1", "--quiet"];
        let (code, out, errors) = run(folder.path(), &args.into_iter().chain(["--plies", "4"]).collect::<Vec<_>>());
        (code, out + &errors)
    };
    let (code, text) = sprt(&good, &bad);
    assert!(code == 0 && text.contains("H1 accepted"), "{code} {text}");
    let (code, text) = sprt(&bad, &good);
    assert!(code == 3 && text.contains("H0 accepted"), "{code} {text}");
    for (args, words) in [
        (vec!["--engine", good.as_str()], "--engine: two or more"),
        (vec!["--make-openings", "b.epd.xz", "--count", "1"], "name it b.epd "),
        (vec!["--engine", &good, "--engine", &bad], "has no limit"),
        (vec!["--engine", "cmd=no-such-engine", "--engine", &bad, "--nodes", "1"], "no-such-engine does not work"),
        (vec!["--engine", &good, "--engine", &bad, "--nodes", "1", "--openings", "no.epd"], "no.epd"),
        (vec!["--resume", "no.journal"], "no such journal"),
        (vec!["--sprt", "5", "0", "--stats", "1", "2", "3"], "ELO0 must be less"),
        // Each of these panicked, ran out of memory or played nonsense.
        (vec!["--engine", &good, "--engine", &bad, "--nodes", "1", "--games", HUGE], "for '--games <GAMES>'"),
        (vec!["--engine", &good, "--engine", &bad, "--nodes", "1", "--rounds", HUGE], "for '--rounds"),
        (vec!["--engine", &good, "--engine", &bad, "--nodes", "1", "-j", "1000000000"], "from 0 to 1024"),
        (vec!["--engine", &good, "--engine", &bad, "--nodes", "1", "--knockout", "--games", "1000000000"], "a tie"),
        (vec!["--engine", &good, "--engine", &bad, "--st", "nan"], "'nan' for '--st"),
        (vec!["--engine", &good, "--engine", "self st=inf"], "st=inf: a number of seconds"),
        (vec!["--sprt", "0", "inf", "--stats", "1", "2", "3"], "'inf' for '--sprt"),
        (vec!["--stats", HUGE, "1", HUGE], "for '--stats"),
    ] {
        let args: Vec<&str> = args.into_iter().chain(["--fresh"]).collect();
        let (code, _, errors) = run(folder.path(), &args);
        assert!(code == 2 && errors.contains(words), "{args:?}: {code} {errors}");
    }
}

/// A match of a billion games is one that goes on: nothing is laid out for games that are far away.
#[test]
fn a_billion_games_begin_like_a_few() {
    let folder = tempfile::tempdir().unwrap();
    let [good, bad] = [engine("good", "--seed 1"), engine("bad", "--do illegal --at 6")];
    let args = ["--engine", &good, "--engine", &bad, "--nodes", "1", "--games", "1000000000", "--seed", "1", "--quiet"];
    let dry: Vec<&str> = args.into_iter().chain(["-j", "1024", "--dry-run"]).collect();
    let (code, text, errors) = run(folder.path(), &dry);
    assert!(code == 0 && text.contains("1000000000 games of chess, 1024 at a time"), "{text}{errors}");
    let args: Vec<&str> = args.into_iter().chain(["-j", "2", "--sprt", "-5", "200"]).collect();
    let (code, text, errors) = run(folder.path(), &args);
    assert!(code == 0 && text.contains("Verdict:      H1 accepted: LLR"), "{text}{errors}");
}

#[test]
fn books_of_positions_and_games_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let epd = "# a comment\n\
               rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - bm Nf3; id \"open\";\n\
               rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\n\
               startpos moves e2e4 c7c5\n";
    std::fs::write(folder.path().join("book.epd"), epd).unwrap();
    let [a, b] = [engine("A", "--seed 1"), engine("B", "--seed 2")];
    let play = |book: &str, out: &str| {
        let args = ["--engine", &a, "--engine", &b, "--nodes", "1", "--games", "6", "--order", "sequential", "--json"];
        let args: Vec<&str> = args.into_iter().chain(["--openings", book, "--plies", "2", "--pgn-out", out]).collect();
        let (code, json, errors) = run(folder.path(), &args);
        assert_eq!(code, 0, "{json}{errors}");
        json
    };
    let json = play("book.epd", "one.pgn");
    let events: Vec<serde_json::Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.len(), 8, "{json}");
    assert_eq!((&events[0]["openings"], &events[7]["games"]), (&3.into(), &6.into()));
    let text = std::fs::read_to_string(folder.path().join("one.pgn")).unwrap();
    assert_eq!(text.matches("[FEN \"").count(), 4);
    assert_eq!(text.matches("1. e4 c5").count(), 2);
    // The games of one match are the book of the next.
    play("one.pgn", "two.pgn");
    let error = "nonsense here\n";
    std::fs::write(folder.path().join("bad.epd"), error).unwrap();
    let (code, _, errors) =
        run(folder.path(), &["--engine", &a, "--engine", &b, "--nodes", "1", "--openings", "bad.epd"]);
    assert!(code == 2 && errors.contains("bad.epd: line 1"), "{errors}");
}

#[test]
fn what_cannot_be_played_touches_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, "dear games").unwrap();
    let pair = ["--engine", "name=A", "--engine", "name=B", "--pgn-out", "games.pgn"];
    let wrongs: [(&[&str], &str); 4] = [
        (&[], "has no limit"),
        (&["--nodes", "1", "--openings", "nowhere.epd"], "nowhere.epd: "),
        (&["--nodes", "1", "--kif-out", "games.kif"], "chess is not written as kif"),
        (&["--nodes", "1", "--game", "go"], "go is not written as pgn"),
    ];
    for (wrong, error) in wrongs {
        let (code, _, errors) = run(folder.path(), &[&pair, wrong].concat());
        assert!(code == 2 && errors.contains(error), "{wrong:?}: {code}, {errors}");
        let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(
            (left, std::fs::read_to_string(&pgn).unwrap()),
            (vec!["games.pgn".into()], "dear games".to_string())
        );
    }
}

/// An engine that cannot start leaves the files as they were, and nothing that blocks the corrected command.
#[test]
fn a_match_that_cannot_start_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let dear = "[Event \"dear\"]\n\n1. e4 e5 *\n";
    std::fs::write(here.join("keep.pgn"), dear).unwrap();
    let engine = |name: &str, cmd: &str| format!("'cmd={cmd}' name={name}");
    let broken = [engine("A", "no-such-engine"), engine("B", "no-such-engine")];
    for output in [&["--pgn-out", "keep.pgn"][..], &[]] {
        let args = ["--engine", &broken[0], "--engine", &broken[1], "--nodes", "1", "--games", "2", "--quiet"];
        let (code, _, errors) = run(here, &args.iter().chain(output).copied().collect::<Vec<_>>());
        assert!(code == 2 && errors.contains("does not work"), "{code} {errors}");
        let left: Vec<_> = std::fs::read_dir(here).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["keep.pgn"]);
    }
    assert_eq!(std::fs::read_to_string(here.join("keep.pgn")).unwrap(), dear);
}

#[test]
fn files_that_our_engine_cannot_read_are_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("w.json"), "{\"broken").unwrap();
    for (engine, error) in
        [("weights=w.json", "w.json: expected weights in JSON"), ("name=A option.BookFile=none.tsv", "none.tsv: ")]
    {
        let args = ["--engine", engine, "--engine", "name=B", "--nodes", "1", "--games", "2"];
        let (code, _, errors) = run(folder.path(), &args);
        assert!(code == 2 && errors.contains("does not work") && errors.contains(error), "{code}, {errors}");
        std::fs::remove_file(folder.path().join("tesuji-match.journal")).ok();
    }
}

/// Counts with a test ended in exit code 0 whatever the verdict.
#[test]
fn exit_codes_of_counts_are_those_of_their_test() {
    let folder = tempfile::tempdir().unwrap();
    for (counts, code) in [
        (&["--stats", "600", "100", "300"][..], 0),
        (&["--stats", "300", "100", "600"], 3),
        (&["--stats", "3", "1", "3"], 4),
        (&["--pairs", "10", "20", "200", "60", "80"], 0),
        (&["--pairs", "80", "60", "200", "20", "10"], 3),
        (&["--pairs", "0", "1", "2", "1", "0"], 4),
    ] {
        let with = |more: &[&str]| run(folder.path(), &counts.iter().chain(more).copied().collect::<Vec<_>>());
        let (found, stdout, errors) = with(&["--sprt", "0", "5"]);
        assert_eq!(found, code, "{counts:?}: {stdout}{errors}");
        assert_eq!((with(&["--sprt", "0", "5", "--json"]).0, with(&[]).0), (code, 0), "{counts:?}");
    }
}

#[test]
fn statistics_need_no_games() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = run(folder.path(), &["--stats", "1940", "1337", "1723", "--sprt", "0", "5"]);
    assert_eq!(
        (code, text.as_str()),
        (
            0,
            "Games: 5000, won 1940, drawn 1337, lost 1723; 2608.5 points, 52.17 %; draws 26.74 %\n\
             Elo (games):  15.09 ± 8.25; normalised 17.64 ± 9.63; 95 %\n\
             Superiority:  los 99.98 %, los_wl 99.98 % (from wins and losses alone)\n\
             Verdict:      H1 accepted: LLR 3.13 has reached its upper bound 2.94\n\
             SPRT (games): 0 to 5 (normalised): LLR 3.13 (-2.94 to 2.94), H1 accepted\n"
        )
    );
    let args = ["--pairs", "379", "10170", "21828", "10640", "343", "--sprt", "0", "5", "--json"];
    let (code, text, _) = run(folder.path(), &args);
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, format!("{:.5}", value["sprt"]["llr"].as_f64().unwrap())), (4, "1.97733".to_string()));
}

/// Rook against king, where what was kept of a tree has not heard that a position came twice: each game is mate, none comes back thrice.
#[test]
fn kept_trees_know_what_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let endings = [
        "6R1/K7/8/8/8/1k6/8/8 w - - 0 1",
        "k7/8/8/8/1K6/8/8/1R6 w - - 0 1",
        "8/8/8/3R4/8/k7/8/7K w - - 0 1",
        "8/8/6R1/8/3K4/1k6/8/8 w - - 0 1",
        "8/5k2/8/8/8/6R1/8/1K6 w - - 0 1",
        "8/6k1/1R6/8/8/8/7K/8 w - - 0 1",
        "4k3/2R5/8/8/8/8/8/7K w - - 0 1",
        "8/8/3K3k/8/8/4R3/8/8 w - - 0 1",
    ];
    std::fs::write(folder.path().join("rook.epd"), endings.join("\n")).unwrap();
    let binary = env!("CARGO_BIN_EXE_tesuji");
    let player = |name| format!("'cmd={binary}' name={name} args='uci --search best-first' option.Hash=64");
    let players = [player("A"), player("B")];
    let limits = "--nodes 20000 --games 16 --openings rook.epd --order sequential -j 1 --quiet";
    let mut args = vec!["--engine", &players[0], "--engine", &players[1]];
    args.extend(limits.split(' '));
    let (code, stdout, stderr) = run(folder.path(), &args);
    assert_eq!(code, 0, "{stderr}");
    assert!(stdout.contains("Ended by:     mate 16\n"), "{stdout}");
}

/// The journal keeps arguments as text: one that is none ended in a panic.
#[cfg(target_os = "linux")]
#[test]
fn an_argument_that_is_no_text_panicked() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let mut command = tesuji(folder.path(), &["--engine", "self", "--engine", "self", "--nodes", "1", "--pgn-out"]);
    let output = command.arg(std::ffi::OsStr::from_bytes(b"a\xff.pgn")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("is no text in UTF-8"), "{said}");
}
