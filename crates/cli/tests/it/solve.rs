//! `tesuji solve` from outside: answers, exit codes, proofs, files of problems, wrong input.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn solve(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("solve").args(args).args(["--hash", "16"]).current_dir(folder).stdin(Stdio::null());
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap_or(-1), text(stdout), text(stderr))
}

/// A mate in two moves of chess.
const CHESS: &str = "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1";
/// A gold on the pawn's head.
const SHOGI: &str = "4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1";

#[test]
fn mates_are_found_in_both_games_and_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let pasted = format!("position sfen {SHOGI}");
    for (game, position, plies) in [("chess", CHESS, 1), ("shogi", SHOGI, 1), ("shogi", &pasted, 1)] {
        let (code, text, errors) = solve(
            folder.path(),
            &[game, "--fen", position, "--verify", "--shortest", "--json", "--proof", "p.json", "--force"],
        );
        assert_eq!(code, 0, "{text}{errors}");
        let told: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((told["answer"].as_str(), told["shortest"].as_bool()), (Some("mate"), Some(true)), "{told}");
        assert_eq!((told["plies"].as_u64(), told["verified"].as_bool()), (Some(plies), Some(true)), "{told}");
        assert_eq!(told["line"].as_array().unwrap().len() as u64, plies);
        let proof: Value = serde_json::from_slice(&std::fs::read(folder.path().join("p.json")).unwrap()).unwrap();
        let nodes = proof["nodes"].as_array().unwrap();
        let moves = nodes.iter().flat_map(|n| n["moves"].as_array().unwrap());
        assert!(moves.clone().count() > 0 && moves.clone().all(|m| m["to"].as_u64().unwrap() < nodes.len() as u64));
    }
}

#[test]
fn no_mate_and_limits_are_different_answers() {
    let folder = tempfile::tempdir().unwrap();
    let lone = "7k/8/5K2/8/8/8/8/R7 w - - 0 1";
    let (code, text, errors) = solve(folder.path(), &["chess", "--fen", lone, "--verify"]);
    assert!(code == 1 && text.contains("no mate by checks") && text.contains("verified"), "{code} {text}{errors}");
    let (code, text, _) = solve(folder.path(), &["shogi", "--sfen", SHOGI, "--nodes", "0", "--json"]);
    assert!(code == 1 && text.contains("\"limit\""), "{text}");
    // Black is mated here: anyone who is in check can be asked about.
    let mated = "R6k/8/6K1/8/8/8/8/8 b - - 0 1";
    let (code, text, _) = solve(folder.path(), &["chess", "--fen", mated, "--defend"]);
    assert!(code == 0 && text.contains("mate in 0"), "{text}");
}

/// `solve --sfen "position sfen …"` wanted a game, which the position tells.
#[test]
fn the_game_is_the_one_that_can_read_the_position_or_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let pasted = format!("position sfen {SHOGI}");
    std::fs::write(folder.path().join("set.tsv"), format!("one\t{SHOGI}\t1\n")).unwrap();
    std::fs::write(folder.path().join("set.epd"), format!("{CHESS}\n")).unwrap();
    for (args, expect) in [
        (&["--sfen", pasted.as_str()][..], "mate in 1"),
        (&["--fen", CHESS], "mate in 1"),
        (&["--problems", "set.tsv"], "mate 1"),
        (&["--problems", "set.epd"], "mate 1"),
        (&["--position", "5/5/1XX2/1XO2/2X2 b", "--goal", "capture C2"], "yes"),
    ] {
        let (code, told, errors) = solve(folder.path(), args);
        assert!(code == 0 && told.contains(expect), "{args:?}: {code} {told}{errors}");
    }
    for (args, expect) in [
        (&["--position", "startpos"][..], "game is missing"),
        (&["--sfen", "4k4/9 b 2G 1"], "no game is named, and none can read this; not chess: "),
        (&["--problems", "none.txt"], "none.txt"),
    ] {
        let (code, told, errors) = solve(folder.path(), args);
        assert!(code == 2 && told.is_empty() && errors.contains(expect), "{args:?}: {code} {told}{errors}");
    }
}

/// A position without the king to be mated had "no mate by checks, of any length".
#[test]
fn a_problem_without_its_king_has_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let ask = |sfen: &str, more: &[&str]| solve(folder.path(), &[&["shogi", "--sfen", sfen], more].concat());
    let lacks =
        |side: &str| format!("expected {side}'s king, which is to be mated; only the attacker's king may be missing");
    for (sfen, more, side) in [
        ("9/9/9/9/9/9/9/9/9 b G 1", &[][..], "White"),
        ("9/9/9/9/9/9/9/9/4K4 b G 1", &[], "White"),
        ("9/9/9/9/9/9/9/9/4k4 w g 1", &[], "Black"),
        ("4k4/9/9/9/9/9/9/9/9 b g 1", &["--defend"], "Black"),
    ] {
        let (code, told, errors) = ask(sfen, more);
        assert!(
            code == 2 && told.is_empty() && errors.contains(&lacks(side)) && errors.contains(sfen),
            "{sfen}: {errors}"
        );
    }
    std::fs::write(folder.path().join("p.txt"), "one\t9/9/9/9/9/9/9/9/9 b G 1\n").unwrap();
    let (code, _, errors) = solve(folder.path(), &["shogi", "--problems", "p.txt"]);
    assert!(code == 2 && errors.contains("one: ") && errors.contains(&lacks("White")), "{errors}");
    let (code, told, errors) = ask("4k4/9/4P4/9/9/9/9/9/9 b G 1", &[]);
    assert!(code == 0 && told.contains("mate in 1"), "{code} {told}{errors}");
}

#[test]
fn files_of_problems_are_solved_in_order_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let set = format!("# two\none\t{SHOGI}\t1\ntwo\tsfen {SHOGI}\tmate\nposition sfen {SHOGI} moves\n");
    std::fs::write(folder.path().join("set.tsv"), &set).unwrap();
    let (code, text, errors) =
        solve(folder.path(), &["shogi", "--problems", "set.tsv", "--jobs", "2", "--json", "--verify"]);
    assert!(code == 0 && errors.contains("3 problems: 3 mate"), "{code} {text}{errors}");
    let names: Vec<String> =
        text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["name"].as_str().unwrap().into()).collect();
    assert_eq!(names, ["one", "two", "4"]);
    std::fs::write(folder.path().join("set.tsv"), set.replace("\t1\n", "\tnomate\n")).unwrap();
    let (code, _, errors) = solve(folder.path(), &["shogi", "--problems", "set.tsv"]);
    assert!(code == 2 && errors.contains("wrong by what the file says: 1 answer"), "{code} {errors}");
}

/// Diagrams of KIF, positions of CSA and the lines that `data convert` writes were no problems.
#[test]
fn problems_were_read_from_lines_alone() {
    let folder = tempfile::tempdir().unwrap();
    let bod = "後手の持駒：飛二　角二　金二　銀四　桂四　香四　歩十七\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n\
               +---------------------------+\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
               | ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n";
    let rest = "四五六七八九".chars().map(|rank| format!("| ・ ・ ・ ・ ・ ・ ・ ・ ・|{rank}\n")).collect::<String>();
    let bod = format!("{bod}{rest}+---------------------------+\n先手の持駒：金二\n");
    let csa = "V2.2\nP-51OU\nP+53FU\nP+00KI00KI\nP-00AL\n+\n%TSUMI\n";
    let text = format!("# of the converter\nsfen {SHOGI} ply 1\n");
    let kif = format!("手合割：詰将棋\n{bod}手数----指手---------消費時間--\n   1 ５二金打\n");
    for (name, problems) in [("p.kif", &kif), ("p.txt", &bod), ("p.csa", &csa.to_string()), ("q.txt", &text)] {
        std::fs::write(folder.path().join(name), problems).unwrap();
        let (code, told, errors) = solve(folder.path(), &["shogi", "--problems", name]);
        assert!(code == 0 && errors.contains("1 problem: 1 mate"), "{name}: {code} {told}{errors}");
    }
    let game = "手合割：平手\n手数----指手---------消費時間--\n   1 ７六歩(77)\n";
    std::fs::write(folder.path().join("game.kif"), game).unwrap();
    let (code, _, errors) = solve(folder.path(), &["shogi", "--problems", "game.kif"]);
    assert!(code == 2 && errors.contains("game.kif: game 1 begins at a usual start"), "{errors}");
}

#[test]
fn wrong_input_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bad.txt"), format!("{SHOGI}\nnonsense\n")).unwrap();
    let position = ["chess", "--fen", CHESS];
    for (args, says) in [
        (&["chess", "--fen", "x"][..], "\"x\""),
        (&["shogi", "--problems", "bad.txt"], "bad.txt: line 2"),
        (&["shogi", "--problems", "none.txt"], "none.txt"),
        (&[&position[..], &["--moves", "a1a2"]].concat(), "--moves a1a2"),
        (&[&position[..], &["--option", "MateLuck=true"]].concat(), "MateLuck"),
        (&[&position[..], &["--proof", "p.txt"]].concat(), "p.txt"),
    ] {
        let (code, _, errors) = solve(folder.path(), args);
        assert!(code == 2 && errors.contains(says), "{args:?}: {code} {errors}");
    }
}

#[test]
fn an_answer_is_told_where_there_is_no_proof_to_write() {
    let folder = tempfile::tempdir().unwrap();
    // A king hunted by a queen alone: no mate, and no end to the checks within so few nodes.
    let hunt = ["chess", "--fen", "8/8/4k3/8/3Q4/8/8/K7 w - - 0 1", "--nodes", "2000", "--verify", "--json"];
    let (code, told, errors) = solve(folder.path(), &[&hunt[..], &["--proof", "p.json"]].concat());
    let answer: Value = serde_json::from_str(&told).expect(&errors);
    assert_eq!((code, answer["answer"].as_str()), (1, Some("limit")), "{told}{errors}");
    assert!(errors.contains("p.json is not written: nothing is proved"), "{errors}");
    assert!(!folder.path().join("p.json").exists());
    // A name that no proof can have is refused before the search, which would go on for a quarter of an hour.
    let began = std::time::Instant::now();
    let (code, told, errors) = solve(folder.path(), &[&hunt[..3], &["--time", "900", "--proof", "p.kif"]].concat());
    assert!(
        code == 2 && told.is_empty() && errors.contains("p.kif: a proof of chess is written as .json or .dot or .pgn"),
        "{errors}"
    );
    assert!(began.elapsed().as_secs() < 300);
}

#[test]
fn proofs_are_games_with_variations() {
    let folder = tempfile::tempdir().unwrap();
    let diary = "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161";
    let (_, told, errors) = solve(folder.path(), &["shogi", "--sfen", diary, "--json", "--proof", "p.kifu"]);
    let answer: Value = serde_json::from_str(&told).expect(&errors);
    let line: Vec<&str> = answer["line"].as_array().unwrap().iter().map(|mv| mv.as_str().unwrap()).collect();
    let text = std::fs::read_to_string(folder.path().join("p.kifu")).unwrap();
    assert!(text.contains("変化：") && text.contains("８二金打"), "{text}");
    // The main line comes back as the line that was told.
    let mut convert = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    convert.args(["data", "convert", "--game", "shogi", "p.kifu", "p.csa", "--lossy", "--quiet"]);
    assert!(convert.current_dir(folder.path()).status().unwrap().success());
    let csa = std::fs::read_to_string(folder.path().join("p.csa")).unwrap();
    let moves = csa.lines().filter(|l| l.len() == 7 && l.starts_with(['+', '-'])).count();
    assert_eq!(moves, line.len(), "{csa}");
    let (code, _, errors) = solve(folder.path(), &["chess", "--fen", CHESS, "--proof", "p.pgn"]);
    assert_eq!(code, 0, "{errors}");
    assert!(std::fs::read_to_string(folder.path().join("p.pgn")).unwrap().contains("Qg7#"));
}

#[test]
fn problems_of_go_are_solved_from_diagrams_and_records() {
    let folder = tempfile::tempdir().unwrap();
    let diagram = "name two in a row\ngoal live\nfirst O\nanswer no\n: : : : :\nX X X X :\no o o X :\n. . o X :\n";
    std::fs::write(folder.path().join("a.txt"), diagram).unwrap();
    let record = "(;GM[1]FF[4]SZ[9]GN[in atari]PL[B]AW[bh]AB[bg][ah]C[goal capture B2\nanswer yes\nregion A1 E5])\n";
    std::fs::write(folder.path().join("b.sgf"), record).unwrap();
    let (code, text, table) = solve(folder.path(), &["go", "--problems", ".", "--verify", "--nodes", "100000"]);
    assert_eq!(code, 0, "{table}");
    assert!(text.contains("two in a row") && text.contains("in atari"), "{text}");
    assert!(table.contains("all                            2       0       0       0  100.0 %"), "{table}");

    // What the file says is no proof.
    std::fs::write(folder.path().join("a.txt"), diagram.replace("answer no", "answer yes")).unwrap();
    let (code, text, table) = solve(folder.path(), &["go", "--problems", "a.txt"]);
    assert!(
        code == 2 && text.contains("WRONG") && table.contains("wrong by what the file says: 1 answer"),
        "{text}{table}"
    );

    let position = ["go", "--position", "5/5/2X2/1XO2/2X2 w", "--goal", "ladder C2", "--json", "--verify"];
    let (code, text, _) = solve(folder.path(), &position);
    let told: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &told["answer"], &told["verified"]), (1, &"no".into(), &true.into()), "{text}");

    let (code, _, wrong) = solve(folder.path(), &["go", "--position", "5x5 b", "--goal", "live A1"]);
    assert!(code == 2 && wrong.contains("expected a stone at A1"), "{wrong}");
    let (_, text, _) =
        solve(folder.path(), &["go", "--position", "9/9/9/9/4O4/9/9/9/9 b", "--goal", "live E5", "--nodes", "50"]);
    assert!(text.contains("limit"), "{text}");
}
