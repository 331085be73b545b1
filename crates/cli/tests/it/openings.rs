//! Openings that are made, and those that are built in.

use std::{collections::HashSet, fs, path::Path, process::Command, process::Output};
use tesuji_chess::{Rules, UciNotation};
use tesuji_game::{Limits, Notation, Position};
use tesuji_kit::think::Unwatched;

fn tesuji(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).current_dir(folder).output().expect("the binary starts")
}

#[test]
fn made_openings_do_not_depend_on_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    let make = |file: &str, jobs: &str| {
        let words =
            ["match", "--make-openings", file, "--count", "12", "--nodes", "400", "--seed", "5", "-q", "-j", jobs];
        let out = tesuji(folder.path(), &words);
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        fs::read_to_string(folder.path().join(file)).unwrap()
    };
    let (one, many) = (make("a.epd", "1"), make("b.epd", "3"));
    assert_eq!(one, many);
    assert_eq!((one.lines().count(), one.lines().collect::<HashSet<_>>().len()), (12, 12));
    assert!(one.lines().all(|l| l.split(' ').count() == 4), "{one}");
    // Whole positions where the name does not ask for EPD.
    assert!(make("c.fen", "2").lines().all(|l| l.split(' ').count() == 6));
    // What is made can be played.
    let words = [
        "match",
        "--engine",
        "name=a",
        "--engine",
        "name=b",
        "--nodes",
        "100",
        "--games",
        "2",
        "--openings",
        "a.epd",
        "-q",
    ];
    assert!(tesuji(folder.path(), &words).status.success());
}

/// Moves of our own engine: the same for any number of threads, near the best one, with figures at the end.
#[test]
fn played_openings_are_good_moves() {
    let folder = tempfile::tempdir().unwrap();
    let make = |file: &str, jobs: &str| {
        let words = ["match", "--make-openings", file, "--spread", "30", "--balance", "25", "--plies", "4"];
        let more = ["--count", "10", "--nodes", "500", "--seed", "5", "-q", "-j", jobs];
        let out = tesuji(folder.path(), &[&words[..], &more].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        (fs::read_to_string(folder.path().join(file)).unwrap(), String::from_utf8(out.stdout).unwrap())
    };
    let ((one, told), (many, again)) = (make("a.epd", "1"), make("b.epd", "3"));
    assert_eq!((&one, told.replace("a.epd", "b.epd")), (&many, again));
    assert_eq!(one.lines().collect::<HashSet<_>>().len(), 10);
    let advantage = told.lines().find_map(|line| line.strip_prefix("advantage in centipawns: mean ")).expect(&told);
    let (mean, largest) = advantage.split_once(", largest ").unwrap();
    assert!(mean.parse::<f64>().unwrap() <= 25.0 && largest.parse::<u32>().unwrap() <= 25, "{told}");
    // Hardly anybody begins with a rook's pawn.
    let first = told.lines().find_map(|line| line.strip_prefix("first moves: ")).expect(&told);
    assert!(first.contains("e2e4") || first.contains("d2d4"), "{told}");
    let is_odd = |mv: &&str| mv.starts_with("a2a") || mv.starts_with("h2h");
    assert!(first.split(", ").filter(is_odd).all(|mv| mv.ends_with(" 10.0 %")), "{told}");
}

#[test]
fn made_openings_of_go_are_read_whatever_their_name() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["a.txt", "a.openings"] {
        let make = ["match", "--game", "go", "--rules", "5x5", "--make-openings", file, "--count", "3", "--plies", "2"];
        let out = tesuji(folder.path(), &[&make[..], &["--nodes", "20", "--balance", "5000", "-q"]].concat());
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let play = ["match", "--game", "go", "--rules", "5x5", "--engine", "name=a", "--engine", "name=b"];
        let rest = ["--nodes", "10", "--games", "2", "--max-plies", "6", "--openings", file, "--fresh", "-q"];
        let out = tesuji(folder.path(), &[&play[..], &rest[..]].concat());
        assert!(out.status.success(), "{file}: {}", String::from_utf8_lossy(&out.stderr));
    }
}

#[test]
fn too_much_to_ask_is_said() {
    let folder = tempfile::tempdir().unwrap();
    // After one ply there are twenty positions.
    let words = [
        "match",
        "--make-openings",
        "a.epd",
        "--count",
        "21",
        "--plies",
        "1",
        "--nodes",
        "50",
        "--balance",
        "500",
        "-q",
    ];
    let out = tesuji(folder.path(), &words);
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(!out.status.success() && error.contains("only 20 such openings were found"), "{error}");
    assert!(!folder.path().join("a.epd").exists());
}

/// `--plies 100000` walked through games for ever, and rules that a game does not have were told as "there is no opening to play".
#[test]
fn openings_that_no_game_has_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check = |line: &str, expect: &str| {
        let out = tesuji(folder.path(), &line.split_whitespace().collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && error.contains(expect), "{line}: {error}");
    };
    let most = "--plies 100000: expected at most 1000 random moves of an opening";
    check("match --make-openings a.epd --plies 100000", most);
    check("match --game go --make-openings a.txt --plies 100000", most);
    let engines = "--engine name=a --engine name=b --nodes 5";
    check(&format!("match --plies 100000 {engines}"), most);
    check(&format!("match --game shogi --rules chess960 {engines}"), "--rules chess960: at byte 0");
    check("selfplay chess --games 1 --out g.sgs --random-plies 100000", "--random-plies 100000: expected at most 1000");
    let short = "none of 200 games of random moves lasted longer; give fewer";
    check("match --game go --rules 2x2 --make-openings a.txt --plies 500", short);
}

#[test]
fn the_built_in_set_is_what_it_says() {
    let text = include_str!("../../../kits-chess/data/openings-chess.epd");
    let (header, body) = text.split_once('\n').unwrap();
    assert!(header.starts_with("# tesuji match --make-openings ") && header.contains("--spread 25 "), "{header}");
    assert!(header.contains("--plies 8 ") && header.contains("--balance 30 "), "{header}");
    let lines: Vec<&str> = body.lines().collect();
    assert!(lines.len() == 2000 && header.contains(&format!("--count {} ", lines.len())), "{}", lines.len());
    assert_eq!(lines.iter().collect::<HashSet<_>>().len(), lines.len());
    for line in lines {
        let board = UciNotation::parse_position(&Rules::default(), &format!("{line} 0 1")).unwrap();
        assert!(board.has_moves() && line.contains(" w "), "{line}");
    }
}

/// Searches of another size than that which chose them: no side is clearly better.
#[test]
fn the_built_in_set_is_balanced() {
    let text = include_str!("../../../kits-chess/data/openings-chess.epd");
    let mut player = tesuji_kits::GAMES.0[0].player("").unwrap();
    let limits = Limits { nodes: Some(3_000), ..Limits::default() };
    let (mut sum, mut count) = (0, 0);
    for line in text.lines().skip(1).step_by(50) {
        player.new_game();
        player.set_position("", Some(&format!("{line} 0 5")), &[]).unwrap();
        let value = player.go(&limits, &[], &mut Unwatched::new()).lines[0].value.raw().abs();
        assert!(value <= 120, "{line}: {value}");
        (sum, count) = (sum + value, count + 1);
    }
    assert!(count == 40 && sum <= 35 * count, "mean {}", f64::from(sum) / f64::from(count));
}

#[test]
fn the_built_in_set_is_played_when_nothing_else_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["match", "--engine", "name=a", "--engine", "name=b", "--nodes", "50", "--games", "4", "--seed", "1"];
    let out = tesuji(folder.path(), &[&words[..], &["--pgn-out", "g.pgn"]].concat());
    assert!(String::from_utf8_lossy(&out.stderr).contains("2 openings, seed 1"), "{out:?}");
    let set: HashSet<&str> = include_str!("../../../kits-chess/data/openings-chess.epd").lines().collect();
    let games = fs::read_to_string(folder.path().join("g.pgn")).unwrap();
    let starts: Vec<&str> = games.lines().filter_map(|l| l.strip_prefix("[FEN \"")).collect();
    assert_eq!(starts.len(), 4);
    for start in starts {
        assert_eq!(start.split(' ').count(), 6, "{start}");
        let place = start.trim_end_matches("\"]").split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(set.contains(place.as_str()), "{start}");
    }
}

#[test]
fn the_built_in_sets_of_go_are_what_they_say() {
    let sets = [
        (9, 500, 4, include_str!("../../../kits-go/data/openings-go9.txt")),
        (13, 300, 4, include_str!("../../../kits-go/data/openings-go13.txt")),
        (19, 300, 6, include_str!("../../../kits-go/data/openings-go19.txt")),
    ];
    for (side, least, plies, text) in sets {
        let (header, body) = text.split_once('\n').unwrap();
        assert!(header.starts_with("# tesuji match --game go --rules '"), "{header}");
        assert!(header.contains("--make-openings ") && header.contains("--balance 40"), "{header}");
        let lines: Vec<&str> = body.lines().collect();
        assert!(lines.len() >= least && header.contains(&format!("--count {} ", lines.len())), "{}", lines.len());
        let rules: tesuji_go::Rules = format!("{side}x{side} chinese").parse().unwrap();
        let mut seen = HashSet::new();
        for line in lines {
            let moves: Vec<&str> = line.strip_prefix("startpos moves ").expect(line).split(' ').collect();
            assert_eq!(moves.len(), plies, "{line}");
            let mut pos = tesuji_go::GoPosition::<tesuji_go::Medium>::start(&rules).unwrap();
            for text in moves {
                let mv = tesuji_go::Move::parse(text, rules.size).unwrap();
                assert!(!mv.is_pass() && pos.unpack(mv.bits()).is_some(), "{line}");
                pos.play(mv);
            }
            // The same stones in no turn or reflection.
            let turns = tesuji_go::Symmetry::of(rules.size).iter().map(|&turn| pos.turned(turn).board().key());
            assert!(seen.insert(turns.min().unwrap()), "{line} is there twice");
        }
    }
}

#[test]
fn matches_of_go_begin_with_the_built_in_set() {
    let folder = tempfile::tempdir().unwrap();
    let play = |rules: &str| {
        let words = ["match", "--game", "go", "--rules", rules, "--engine", "name=a", "--engine", "name=b"];
        let more = ["--nodes", "2", "--games", "4", "--seed", "1", "--sgf-out", "g.sgf"];
        let out = tesuji(folder.path(), &[&words[..], &more].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        let games = fs::read_to_string(folder.path().join("g.sgf")).unwrap_or_default();
        let _ = fs::remove_file(folder.path().join("g.sgf"));
        (error, games)
    };
    let (error, games) = play("9x9 chinese komi 6.5");
    assert!(error.contains("2 openings, seed 1"), "{error}");
    let set = include_str!("../../../kits-go/data/openings-go9.txt");
    // The first four moves of a game, as the book writes them.
    let games: Vec<&str> = games.split("(;").filter(|game| game.contains(";B[")).collect();
    assert_eq!(games.len(), 4);
    for game in games {
        let name = |point: &str| {
            let at = |i: usize| point.as_bytes()[i] - b'a';
            format!("{}{}", (b"ABCDEFGHJ"[at(0) as usize]) as char, 9 - at(1))
        };
        let points = game.split(";").filter(|node| node.starts_with("B[") || node.starts_with("W["));
        let first: Vec<String> = points.take(4).map(|node| name(&node[2..4])).collect();
        assert!(set.contains(&format!("moves {}\n", first.join(" "))), "{first:?}");
    }
    // No set is known for this size.
    assert!(play("5x5 chinese komi 0.5").0.contains("1 opening"));
}
