//! The go engine as GUIs, runners and scripts meet it over GTP.

use std::{
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// Whole answers of the engine to `input`; ids and all.
fn said(input: &str) -> String {
    let mut child = engine(env!("CARGO_BIN_EXE_tesuji"), &["gtp", "--option", "Visits=100"]);
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    let output = child.wait_with_output().expect("the program ends");
    String::from_utf8(output.stdout).expect("text")
}

fn engine(program: &str, arguments: &[&str]) -> Child {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

/// Each line of `input` against its answer.
#[track_caller]
fn check(dialogue: &[(&str, &str)]) {
    let input: String = dialogue.iter().map(|(line, _)| format!("{line}\n")).collect();
    let text = said(&input);
    let answers: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(answers.len(), dialogue.len(), "{text}");
    for ((line, expect), answer) in dialogue.iter().zip(answers) {
        assert_eq!(answer, *expect, "answer to {line:?}");
    }
}

#[test]
fn failures_have_the_words_of_the_standard() {
    check(&[
        ("fly", "? unknown command"),
        ("3 boardsize 26", "?3 unacceptable size"),
        ("boardsize 1", "? unacceptable size"),
        ("boardsize 0", "? unacceptable size"),
        ("boardsize nine", "? syntax error"),
        ("boardsize", "? syntax error"),
        ("boardsize 9", "="),
        ("komi five", "? syntax error"),
        ("komi 5.25", "? syntax error"),
        ("play b", "? syntax error"),
        ("play green D4", "? syntax error"),
        ("play b I4", "? syntax error"),
        ("play b D44", "? illegal move"),
        ("play b T19", "? illegal move"),
        ("play b D4", "="),
        ("play w D4", "? illegal move"),
        ("fixed_handicap 2", "? board not empty"),
        ("undo", "="),
        ("undo", "? cannot undo"),
        ("fixed_handicap 1", "? invalid number of stones"),
        ("fixed_handicap 10", "? invalid number of stones"),
        ("place_free_handicap 0", "? invalid number of stones"),
        ("place_free_handicap 81", "? invalid number of stones"),
        ("set_free_handicap D4 D4", "? bad vertex list"),
        ("set_free_handicap D4 Z9", "? bad vertex list"),
        ("set_free_handicap", "? syntax error"),
        ("genmove", "? syntax error"),
        ("time_settings 1 2", "? syntax error"),
        ("time_left b soon", "? syntax error"),
        ("final_status_list ill", "? syntax error"),
        ("loadsgf", "? syntax error"),
        ("loadsgf /no/such/file.sgf", "? cannot load file"),
        ("loadsgf /dev/zero", "? cannot load file"),
        ("loadsgf -", "? cannot load file"),
        ("quit", "="),
    ]);
}

#[test]
fn ids_comments_and_control_characters() {
    check(&[
        ("1 boardsize\t9\u{7}\r # small", "=1"),
        ("  22   play b\tc3# said", "=22"),
        ("007 play w pass", "=007"),
        ("\u{b}play black g7", "="),
        ("protocol_version", "= 2"),
        ("4 known_command genmove", "=4 true"),
        ("known_command fly", "= false"),
        ("name", "= Tesuji"),
    ]);
    assert_eq!(said("# nothing\n\n   \n12\nname\n"), "= Tesuji\n\n");
}

#[test]
fn handicap_stones_stand_and_white_begins() {
    check(&[
        ("boardsize 9", "="),
        ("komi 0.5", "="),
        ("fixed_handicap 3", "= C3 G7 C7"),
        ("play b C3", "? illegal move"),
        ("play w C3", "? illegal move"),
        ("clear_board", "="),
        ("place_free_handicap 4", "= C3 G7 C7 G3"),
        ("clear_board", "="),
        ("set_free_handicap A1 j9 B2", "="),
        ("play w j9", "? illegal move"),
        ("play w E5", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
    ]);
    let shown = said("boardsize 5\nset_free_handicap A1 B2\nshowboard\n");
    assert!(shown.contains(" 2 . X . . . 2\n 1 X . . . . 1"), "{shown}");
}

#[test]
fn records_are_loaded_up_to_a_move() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("game.sgf");
    fs::write(&path, "(;GM[1]SZ[5]KM[3.5]RU[Japanese];B[cc];W[bb];B[dd];W[ee])").expect("a file");
    let broken = folder.path().join("broken.sgf");
    fs::write(&broken, "(;GM[1]SZ[5];B[zz").expect("a file");
    let (path, broken) = (path.display(), broken.display());
    check(&[
        (&format!("loadsgf {path} 3"), "="),
        ("play b D2", "="),
        ("undo", "="),
        ("undo", "="),
        ("undo", "="),
        ("undo", "? cannot undo"),
        (&format!("loadsgf {path}"), "="),
        ("play b E1", "? illegal move"),
        (&format!("loadsgf {broken}"), "? cannot load file"),
        ("undo", "="),
        ("play w E1", "="),
        (
            "kata-get-rules",
            "= {\"hasButton\":false,\"ko\":\"SIMPLE\",\"scoring\":\"TERRITORY\",\"suicide\":false,\"tax\":\"SEKI\",\
             \"whiteHandicapBonus\":\"0\"}",
        ),
    ]);
}

/// Black owns the left, White the right; a white stone is dead in Black's, two chains live in seki below.
const COUNTED: &str = "boardsize 7\nkomi 0\ntesuji-position 2X1O2/1OX1O2/2X1O2/2XXO2/2X1O2/2X1O2/2X1O2 b\n";

#[test]
fn finished_games_are_counted() {
    let text = said(&format!("{COUNTED}final_status_list dead\nfinal_score\ntesuji-owners\nfinal_status_list seki\n"));
    let answers: Vec<&str> = text.split_terminator("\n\n").collect();
    assert_eq!(&answers[3..5], ["= B6", "= B+1"], "{text}");
    assert_eq!(answers[5].lines().count(), 7);
    assert!(
        answers[5].lines().all(|row| row.split_whitespace().filter(|word| word.parse::<f64>().is_ok()).count() == 7)
    );
    assert_eq!(answers[6], "=");
}

#[test]
fn rules_and_parameters_are_told_and_set() {
    check(&[
        ("kata-set-rules tromp-taylor", "="),
        ("kata-set-rule ko SITUATIONAL", "="),
        (
            "kata-get-rules",
            "= {\"hasButton\":false,\"ko\":\"SITUATIONAL\",\"scoring\":\"AREA\",\"suicide\":true,\"tax\":\"NONE\",\
             \"whiteHandicapBonus\":\"0\"}",
        ),
        ("kata-get-param maxVisits", "= 100"),
        ("kata-set-param maxVisits 50", "="),
        ("kata-get-param Visits", "= 50"),
        ("kata-get-param flight", "? there is no parameter \"flight\""),
        ("kgs-chat game somebody hello", "= I only play; please forgive me that I cannot talk."),
        ("kgs-game_over", "="),
        ("kgs-time_settings byoyomi 600 30 5", "="),
        ("kata-time_settings fischer 60 1.5", "="),
        ("time_left b 10 0", "="),
    ]);
    assert!(said("cputime\n").trim_start_matches("= ").trim().parse::<f64>().is_ok());
    for line in said("gogui-analyze_commands\n").trim_start_matches("= ").trim().lines() {
        let parts: Vec<&str> = line.split('/').collect();
        assert_eq!(parts.len(), 3, "{line}");
        let command = parts[2].split(' ').next().unwrap_or_default();
        assert_eq!(said(&format!("known_command {command}\n")), "= true\n\n");
    }
}

#[test]
fn passes_are_left_for_cleaning_up() {
    let text = said(&format!("{COUNTED}play b pass\nplay w pass\nkgs-genmove_cleanup b\n"));
    let best = text.split_terminator("\n\n").last().expect("an answer");
    assert!(!best.ends_with("pass"), "B6 is still there: {text}");
}

#[test]
fn analyses_go_on_until_the_next_line() {
    let mut child = engine(env!("CARGO_BIN_EXE_tesuji"), &["gtp"]);
    let (mut input, mut output) = pipes(&mut child);
    let mut ask = |line: &str| writeln!(input, "{line}").expect("the engine reads");
    ask("boardsize 9");
    read_answer(&mut output);
    for (line, ends) in [
        ("7 lz-analyze b interval 5", "1000 name"),
        ("7 kata-analyze 5 ownership true rootInfo true minmoves 3", "1000 name"),
        ("7 lz-analyze 5", ""),
    ] {
        ask(line);
        assert_eq!(read_line(&mut output), "=7");
        let first = read_line(&mut output);
        let second = read_line(&mut output);
        for line in [first, second] {
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!((words[0], words[1], words[3]), ("info", "move", "visits"), "{line}");
            assert!(line.contains(" order 0 pv ") && line.contains(" winrate ") && line.contains(" lcb "), "{line}");
        }
        ask(ends);
        read_answer(&mut output);
        if !ends.is_empty() {
            assert_eq!(read_answer(&mut output), "=1000 Tesuji\n");
        }
    }
    ask("undo");
    assert_eq!(read_answer(&mut output), "? cannot undo\n", "an analysis plays nothing");
    ask("kata-set-param Visits 200");
    read_answer(&mut output);
    ask("9 kata-genmove_analyze w 1");
    let answer = read_answer(&mut output);
    assert!(answer.starts_with("=9\ninfo move ") && answer.lines().last().is_some_and(|l| l.starts_with("play ")));
    ask("undo");
    assert_eq!(read_answer(&mut output), "=\n");
    ask("quit");
    assert_eq!(read_answer(&mut output), "=\n");
    assert!(child.wait().expect("the end").success());
}

fn pipes(child: &mut Child) -> (ChildStdin, BufReader<ChildStdout>) {
    (child.stdin.take().expect("a pipe"), BufReader::new(child.stdout.take().expect("a pipe")))
}

fn read_line(output: &mut BufReader<ChildStdout>) -> String {
    let mut line = String::new();
    output.read_line(&mut line).expect("text");
    line.trim_end().to_string()
}

/// Reads to the blank line that ends an answer.
fn read_answer(output: &mut BufReader<ChildStdout>) -> String {
    let mut text = String::new();
    loop {
        let line = read_line(output);
        if line.is_empty() {
            return text;
        }
        text += &line;
        text.push('\n');
    }
}

/// A controller as `gogui-twogtp` is one: two engines, one board between them, every answer checked.
#[test]
fn a_game_against_gnu_go_under_a_foreign_controller() {
    let Some(gnu_go) = tesuji_testkit::needs::program("gnugo", "gnugo") else { return };
    let mut players = [
        engine(env!("CARGO_BIN_EXE_tesuji"), &["gtp", "--option", "Visits=200"]),
        engine(
            gnu_go.to_str().expect("a path in UTF-8"),
            &["--mode", "gtp", "--level", "1", "--chinese-rules", "--seed", "1"],
        ),
    ];
    let mut ends: Vec<_> = players.iter_mut().map(pipes).collect();
    let mut id = 0;
    let mut ask = |end: &mut (ChildStdin, BufReader<ChildStdout>), line: &str| {
        id += 1;
        writeln!(end.0, "{id} {line}").expect("the engine reads");
        let answer = read_answer(&mut end.1);
        let rest = answer.strip_prefix(&format!("={id}"));
        rest.unwrap_or_else(|| panic!("{line:?} was answered by {answer:?}")).trim().to_string()
    };
    for end in &mut ends {
        for line in ["boardsize 7", "komi 6.5", "clear_board", "time_settings 60 0 0"] {
            ask(end, line);
        }
    }
    let (mut passes, mut plies) = (0, 0);
    while passes < 2 && plies < 150 {
        let (mover, colour) = (plies % 2, ["b", "w"][plies % 2]);
        ask(&mut ends[mover], &format!("time_left {colour} 60 0"));
        let mv = ask(&mut ends[mover], &format!("genmove {colour}"));
        if mv.eq_ignore_ascii_case("resign") {
            break;
        }
        passes = if mv.eq_ignore_ascii_case("pass") { passes + 1 } else { 0 };
        ask(&mut ends[1 - mover], &format!("play {colour} {mv}"));
        plies += 1;
    }
    assert!(plies >= 10, "a game was played");
    if passes == 2 {
        let scores: Vec<String> = ends.iter_mut().map(|end| ask(end, "final_score")).collect();
        let winners: Vec<&str> = scores.iter().map(|score| &score[..1]).collect();
        assert_eq!(winners[0], winners[1], "{scores:?}");
    }
    for (end, player) in ends.iter_mut().zip(&mut players) {
        ask(end, "quit");
        assert!(player.wait().expect("the end").success());
    }
}

/// A whole session as text; `UPDATE=1` writes it again.
#[test]
fn golden_session() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/gtp.txt");
    let before = fs::read_to_string(&path).unwrap_or_default();
    let input: Vec<&str> = before.lines().filter_map(|line| line.strip_prefix("> ")).collect();
    assert!(!input.is_empty(), "lines of input begin with > in {}", path.display());
    let text = said(&format!("{}\n", input.join("\n")));
    let mut after = String::new();
    for (line, answer) in input.iter().zip(text.split_terminator("\n\n")) {
        // Which move it is, a change of the search may change.
        let move_of = answer.split_once(' ').filter(|_| line.contains("genmove"));
        let answer = move_of.map_or(answer.to_string(), |(sign, _)| format!("{sign} MOVE"));
        after += &format!("> {line}\n{answer}\n\n");
    }
    if env::var_os("UPDATE").is_some() {
        fs::write(&path, &after).expect("the golden file");
    }
    assert_eq!(before, after, "UPDATE=1 writes it");
}

/// `preset = "bakago"` and `playouts = 3` gave 10 playouts: files and maps have an order of their own.
#[test]
fn options_by_name_hold_against_a_preset_whatever_stands_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("go.toml");
    fs::write(&config, "playouts = 3\npreset = \"bakago\"\n").expect("written");
    let config = config.display().to_string();
    let asked = "kata-get-param Playouts\nkata-get-param ExpandAfter\n";
    for arguments in [
        &["--config", &config][..],
        &["--option", "Playouts=3", "--preset", "bakago"],
        &["--option", "Playouts=3", "--option", "Preset=bakago"],
        &["--config", &config, "--option", "preset=bakago"],
    ] {
        let mut child = engine(env!("CARGO_BIN_EXE_tesuji"), &[&["gtp"], arguments].concat());
        child.stdin.take().expect("a pipe").write_all(asked.as_bytes()).expect("the program reads");
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "= 3\n\n= 16\n\n", "{arguments:?}");
    }
}
