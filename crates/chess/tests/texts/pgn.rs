//! PGN read and written, against python-chess and itself.

use crate::records::{errors, games, read, rich_game, written};
use std::{
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};
use tesuji_chess::{BLACK, WHITE, pgn::Pgn};
use tesuji_game::{By, Outcome, Value};
use tesuji_record::{GameRecord, Note, Step};

#[test]
fn what_is_written_is_read() {
    let all: Vec<_> = (0..200).map(|seed| rich_game(seed, true)).collect();
    let text = written(&Pgn, &all);
    assert!(text.lines().all(|l| l.starts_with('[') || l.chars().count() <= 80));
    let back = games(&Pgn, text.as_str());
    assert_eq!(back.len(), all.len());
    for (read, game) in back.iter().zip(&all) {
        assert_eq!(written(&Pgn, std::slice::from_ref(read)), written(&Pgn, std::slice::from_ref(game)));
        assert_eq!(
            (&read.rules, &read.start, &read.tags, read.outcome),
            (&game.rules, &game.start, &game.tags, game.outcome)
        );
        assert_eq!(read.main_line(), game.main_line());
        for (a, b) in read.main_nodes().into_iter().zip(game.main_nodes()) {
            assert_eq!(read.note(a), game.note(b));
        }
    }
}

#[test]
fn games_without_variations_come_back_equal() {
    let all: Vec<_> = (0..100).map(|seed| rich_game(seed, false)).collect();
    assert_eq!(games(&Pgn, written(&Pgn, &all)), all);
}

#[test]
fn a_game_looks_like_this() {
    let mut game = GameRecord::new();
    for (name, value) in [("Event", "test"), ("White", "a"), ("Black", "b"), ("TimeControl", "1+0.01")] {
        game.set_tag(name, value);
    }
    let e4 = game.push(0, Step::Move("e2e4".into()));
    let e5 = game.push(e4, Step::Move("e7e5".into()));
    let c5 = game.push(e4, Step::Move("c7c5".into()));
    game.push(c5, Step::Move("g1f3".into()));
    let h5 = game.push(e5, Step::Move("d1h5".into()));
    game.push(h5, Step::Move("e8e7".into()));
    game.append(Step::Move("h5e5".into()));
    *game.note_mut(e4) = Note {
        value: Some(Value::cp(31)),
        depth: std::num::NonZeroU32::new(12),
        spent: Some(Duration::from_millis(52)),
        nodes: std::num::NonZeroU64::new(12345),
        ..Note::default()
    };
    game.note_mut(h5).glyphs.push(6);
    game.outcome = Some(Outcome::win(WHITE, By::Mate));
    assert_eq!(
        written(&Pgn, &[game]),
        r#"[Event "test"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "a"]
[Black "b"]
[Result "1-0"]
[TimeControl "1+0.01"]
[Termination "normal"]

1. e4 {+0.31/12 0.052s, n=12345} 1... e5 (1... c5 2. Nf3) 2. Qh5 $6 Ke7 3. Qxe5#
1-0

"#
    );
}

/// The moves of each game of `text`, which has no errors.
#[track_caller]
fn check(text: &str, expect: &[&str]) {
    let lines: Vec<_> = games(&Pgn, text).iter().map(|g| g.main_line().join(" ")).collect();
    assert_eq!(lines, expect, "{text}");
}

#[test]
fn files_of_the_world_are_read() {
    check("1. e4 e5 2.Nf3 Nc6 1-0", &["e2e4 e7e5 g1f3 b8c6"]);
    check(
        "[Event \"x\"]\n\n1.e4 ; rest of line (1. d4)\n% escape {\n1... e5 {open\n[White \"inside\"]\n} 2. Nf3 *\n",
        &["e2e4 e7e5 g1f3"],
    );
    check("1. e4 (1. d4 d5 (1... Nf6 2. c4) 2. c4) 1... e5 *", &["e2e4 e7e5"]);
    check("1. e4 e5 1/2-1/2 1. d4 d5 0-1\n1. c4 *", &["e2e4 e7e5", "d2d4 d7d5", "c2c4"]);
    check("[White \"a\"]\n1. e4\n\n[White \"b\"]\n\n1. d4 d5", &["e2e4", "d2d4 d7d5"]);
    check("[White \"a\"]\n[Black \"b\"]\n\n*\n\n[White \"c\"]\n\n\n0-1", &["", ""]);
    check("[White \"a\"]\n\n[White \"b\"]\n\n1. e4 *", &["", "e2e4"]);
    check("\u{feff}[White \"a\"]\r\n\r\n1. e4 e5\r\n1-0\r\n", &["e2e4 e7e5"]);
    check("1. e4 e5 2. Ke2 Ke7 3. Kd3 ?! $1 !! Kd6 4. e.p. *", &["e2e4 e7e5 e1e2 e8e7 e2d3 e7d6"]);
    check("1. e4 (1. Ke4 nonsense (1. x) y) e5 *", &["e2e4 e7e5"]);
    check("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.0-0 Nf6 5.d4 exd4 *", &["e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 e1g1 g8f6 d2d4 e5d4"]);
    let german = "1. e4 {f\u{fc}r} *".chars().map(|c| c as u8).collect::<Vec<u8>>();
    assert_eq!(games(&Pgn, german)[0].note(1).comment, "für");
}

#[test]
fn comments_and_glyphs_find_their_moves() {
    let game =
        &games(&Pgn, "{first} 1. e4! {[%eval 0.3,12] [%clk 0:01:00] good} ({why} 1. d4 {no}) e5 $2 {[%eval #-2]} *")[0];
    assert_eq!(game.note(0).comment, "first");
    let e4 = game.note(1);
    assert_eq!(
        (e4.comment.as_str(), e4.value, e4.depth, &e4.glyphs),
        ("good", Some(Value::cp(30)), std::num::NonZeroU32::new(12), &vec![1])
    );
    assert_eq!(e4.left, Some(Duration::from_secs(60)));
    assert_eq!(game.note(2).comment, "why no");
    assert_eq!((game.note(3).value, &game.note(3).glyphs), (Some(Value::mate_in(5)), &vec![2]));
}

/// Braces in comments became `|`.
#[test]
fn comments_with_braces_come_back() {
    let mut game = GameRecord::from_moves("", None, ["e2e4", "e7e5", "g1f3", "b8c6"].map(String::from));
    let says = |comment: &str| Note { comment: comment.into(), ..Note::default() };
    *game.note_mut(0) = says("} first");
    *game.note_mut(1) = Note {
        value: Some(Value::cp(31)),
        depth: std::num::NonZeroU32::new(12),
        ..says("a {set}; of things that does not fit into one line of PGN, as long as it is {1 2}")
    };
    let side = game.push(1, Step::Move("c7c5".into()));
    *game.note_mut(side) = says("[%csl Ra1] 5s {left");
    *game.note_mut(4) = says("; odd } % [last");
    game.outcome = Some(Outcome::draw(By::Agreement));
    let text = written(&Pgn, &[game.clone(), game.clone()]);
    let back = games(&Pgn, text.as_str());
    assert_eq!(back.len(), 2, "{text}");
    for read in &back {
        assert_eq!((read.main_line(), read.nodes.len()), (game.main_line(), game.nodes.len()), "{text}");
        // The variation is read before the moves behind it.
        for (node, was) in [(0, 0), (1, 1), (2, 2), (3, side), (4, 3), (5, 4)] {
            assert_eq!(read.note(node), game.note(was), "{text}");
        }
    }
    // In braces where they can be: that is what every reader knows.
    *game.note_mut(0) = says("first");
    assert!(written(&Pgn, &[game]).contains("\n{first} 1. e4\n;+0.31/12; a {set}"));
}

#[test]
fn results_have_reasons() {
    #[track_caller]
    fn check(text: &str, expect: Option<Outcome>) {
        assert_eq!(games(&Pgn, text)[0].outcome, expect, "{text}");
    }
    check("1. f3 e5 2. g4 Qh4# 0-1", Some(Outcome::win(BLACK, By::Mate)));
    check("1. f3 e5 0-1", Some(Outcome::win(BLACK, By::Resignation)));
    check("1. f3 e5 1/2-1/2", Some(Outcome::draw(By::Agreement)));
    check("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2", Some(Outcome::draw(By::Repetition)));
    check("[Termination \"Time forfeit\"]\n\n1. f3 e5 0-1", Some(Outcome::win(BLACK, By::Time)));
    check("[Termination \"bob won by resignation\"]\n\n1. f3 e5 0-1", Some(Outcome::win(BLACK, By::Resignation)));
    check("[Result \"1-0\"]\n\n1. f3 e5 *", Some(Outcome::win(WHITE, By::Resignation)));
    // The tag counts where both say something: see `data check`.
    check("[Result \"1-0\"]\n\n1. f3 e5 0-1", Some(Outcome::win(WHITE, By::Resignation)));
    check("[Termination \"unterminated\"]\n\n1. f3 e5 *", Some(Outcome::draw(By::Void)));
    check("1. f3 *", None);
}

/// A mate with `1/2-1/2` behind it was a draw, one with `0-1` a loss of the side that had mated.
#[test]
fn a_result_that_the_last_position_contradicts_does_not_count() {
    #[track_caller]
    fn check(text: &str, expect: Option<Outcome>, claimed: Option<&str>) {
        let game = games(&Pgn, text).remove(0);
        assert_eq!((game.outcome, game.tag("ClaimedResult")), (expect, claimed), "{text}");
        let back = games(&Pgn, written(&Pgn, std::slice::from_ref(&game)).as_str()).remove(0);
        assert_eq!((back.outcome, back.tag("ClaimedResult")), (expect, claimed), "{text}");
    }
    let mated = Some(Outcome::win(BLACK, By::Mate));
    for (result, claimed) in [("1/2-1/2", Some("1/2-1/2")), ("1-0", Some("1-0")), ("0-1", None)] {
        check(&format!("1. f3 e5 2. g4 Qh4# {result}"), mated, claimed);
        check(
            &format!("[Result \"{result}\"]\n[Termination \"time forfeit\"]\n\n1. f3 e5 2. g4 Qh4# *"),
            mated,
            claimed,
        );
    }
    let stalemate = "[FEN \"7k/8/6K1/8/8/8/8/5Q2 w - - 0 1\"]\n\n1. Qf7 1-0";
    check(stalemate, Some(Outcome::draw(By::NoMoves)), Some("1-0"));
    // Nothing is claimed: a study, or a game that was broken off.
    check("1. f3 e5 2. g4 Qh4# *", None, None);
    // A variation says nothing about the game.
    check("1. f3 e5 2. g4 Nc6 (2... Qh4#) 1-0", Some(Outcome::win(WHITE, By::Resignation)), None);
}

/// A file that was cut within a game was sound to the last comment: `1. e4 e5 2. Nf3` under a tag `Result` was a whole game.
#[test]
fn a_game_that_was_cut_is_an_error_with_its_line() {
    #[track_caller]
    fn check(text: &str, expect: &str, moves: &[&str]) {
        let mut results = read(&Pgn, text);
        let error = results.pop().unwrap().unwrap_err();
        assert!(results.is_empty() && error.to_string().contains(expect), "{text}: {error}");
        let game = error.read.expect("the game up to there");
        assert_eq!(game.main_line(), moves, "{text}");
    }
    let head = "[White \"a\"]\n[Result \"1-0\"]\n\n";
    let lacks = "expected a result behind the moves, which a game that was cut lacks";
    for line_end in ["", "\n", "\n\n"] {
        check(&format!("{head}1. e4 e5 2. Nf3{line_end}"), lacks, &["e2e4", "e7e5", "g1f3"]);
        check(&format!("{head}1. e4{line_end}"), "line 4 (game 1): ", &["e2e4"]);
        check(
            &format!("{head}1. e4 {{so{line_end}"),
            "line 4 (game 1): expected a `}` that ends the comment",
            &["e2e4"],
        );
        check(
            &format!("{head}1. e4 e5 (1... c5 2.{line_end}"),
            "expected a `)` that ends the variation",
            &["e2e4", "e7e5"],
        );
        check(
            &format!("1. e4 e5 (1... c5 2.{line_end}"),
            "a `)` that ends the variation, found `the end`",
            &["e2e4", "e7e5"],
        );
        check(&format!("{head}{line_end}"), "found `the end`", &[]);
    }
    // Also where another game follows, which is read.
    let text = format!("{head}1. e4 e5\n\n[White \"next\"]\n\n1. d4 *\n");
    let results = read(&Pgn, text.as_str());
    let error = results[0].as_ref().unwrap_err().to_string();
    assert!(error.starts_with("line 4 (game 1): expected a result") && error.contains("found `[White"), "{error}");
    assert_eq!(results[1].as_ref().unwrap().tag("White"), Some("next"));
    // Moves that a person wrote down, without a result in the tags: nothing says that they should have one.
    for text in ["1. e4 e5", "[White \"a\"]\n\n1. e4 e5\n", "[White \"a\"]\n\n1. e4 e5\n\n[White \"b\"]\n\n1. e4 *\n"] {
        let game = games(&Pgn, text).remove(0);
        assert_eq!((game.plies(), game.outcome), (2, None));
    }
}

#[test]
fn a_broken_game_is_one_error_with_its_line() {
    #[track_caller]
    fn check(bad: &str, expect: &str) {
        let good = "\n\n[White \"good\"]\n\n1. e4 *\n";
        let text = format!("[White \"bad\"]\n\n{bad}{good}");
        assert_eq!(errors(&Pgn, text.as_str()), [expect], "{bad}");
        let last = read(&Pgn, text).pop().unwrap().unwrap();
        assert_eq!((last.tag("White"), last.plies()), (Some("good"), 1));
    }
    check("1. e4 e5\n2. Ke3 {why?} d5 3. d4 1-0", "line 4 (game 1): move #3 is illegal: Ke3");
    check("1. e4 e5 2. Ke3 ( 1-0 {", "line 3 (game 1): move #3 is illegal: Ke3");
    check("1. e4 {never closed\n2. d4 d5 1-0", "line 3 (game 1): expected a `}` that ends the comment");
    check("1. e4 ) e5 *", "line 3 (game 1): expected a move or a result, found `)`");
    check("( 1. e4 ) e5 *", "line 3 (game 1): expected a move before the variation, found `(`");
    check("1. e4 -- *", "line 3 (game 1): move #2 is illegal: --");
    let tags = "[Variant \"Atomic\"]\n\n1. e4 *\n\n[White \"good\"]\n\n1. e4 *\n";
    assert_eq!(errors(&Pgn, tags), ["line 3 (game 1): expected the variant Standard or Chess960, found `Atomic`"]);
    let fen = "[FEN \"nonsense\"]\n\n1. e4 *\n";
    assert_eq!(errors(&Pgn, fen).len(), 1);
    assert_eq!(errors(&Pgn, "[White \"open]\n[Black \"b\"]\n\n1. e4 *").len(), 1);
}

/// python-chess reads what we write: same moves, results, comments, no errors.
#[test]
fn python_chess_reads_our_games() {
    let Some(python) = tesuji_testkit::needs::python("chess.pgn", "chess") else { return };
    let mut all: Vec<_> = (0..60).map(|seed| rich_game(seed, true)).collect();
    all[7].note_mut(0).comment = "a {set}".into();
    let script = "import chess.pgn, sys\n\
        while (g := chess.pgn.read_game(sys.stdin)) is not None:\n    \
        assert not g.errors, g.errors\n    \
        assert g.comment in ('', 'before the game', 'a {set}'), g.comment\n    \
        print(g.headers['Result'], g.headers['White'], *[n.move.uci() for n in g.mainline()])\n";
    let mut command = Command::new(python);
    command.args(["-c", script]).env("PYTHONIOENCODING", "utf-8");
    let mut python = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let text = written(&Pgn, &all);
    let mut input = python.stdin.take().unwrap();
    let feeder = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    let output = python.wait_with_output().unwrap();
    feeder.join().unwrap();
    assert!(output.status.success());
    let lines: Vec<String> = String::from_utf8(output.stdout).unwrap().lines().map(String::from).collect();
    assert_eq!(lines.len(), all.len());
    for (line, game) in lines.iter().zip(&all) {
        let result = match game.outcome {
            None => "*",
            Some(Outcome { winner: None, .. }) => "1/2-1/2",
            Some(Outcome { winner: Some(side), .. }) => ["1-0", "0-1"][side.index()],
        };
        let expect: Vec<String> = [result.into(), "Änne".into()].into_iter().chain(game.main_line()).collect();
        assert_eq!(*line, expect.join(" "));
    }
}
