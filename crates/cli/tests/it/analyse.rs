//! Reviews of games by the engines of all games: what `tesuji analyse` writes.

use std::io::Cursor;
use tesuji_engine::Reviewed;
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Kit,
    review::{AnalyseRequest, annotated, review_game},
};
use tesuji_record::{GameRecord, SharedBuffer, Step};

fn kit(game: &str) -> &'static dyn Kit {
    tesuji_kits::GAMES.kit(game).unwrap()
}

/// The games of `text`, a file of `game` in `format`.
fn read(game: &str, format: &str, text: &str) -> Vec<GameRecord<String>> {
    let format = kit(game).format(format).unwrap();
    let mut reader = format.reader(Box::new(Cursor::new(text.as_bytes().to_vec())));
    std::iter::from_fn(|| reader.read().unwrap()).collect()
}

/// The review of the first game of `text`, and the game.
fn reviewed(game: &str, format: &str, text: &str, request: &AnalyseRequest) -> (GameRecord<String>, Vec<Reviewed>) {
    let record = read(game, format, text).remove(0);
    let (kit, stop) = (kit(game), Interrupt::of_process());
    let mut player = kit.player("").unwrap();
    let review = review_game(kit, request, player.as_mut(), &record, &stop).unwrap().unwrap();
    (record, review.positions)
}

const QUIET: &str = "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 b6 5. Bd3 Bb7 6. Nf3 O-O 7. O-O d5 8. cxd5 exd5 9. a3 Bxc3 10. bxc3 c5 \
    11. Rb1 c4 12. Bc2 Ne4 13. Bxe4 dxe4 14. Nd2 b5 15. a4 a6 16. axb5 axb5 17. Rxb5 Ba6 18. Rb4 Nc6 *\n";

/// The page once said `cxb5?! … cxb5 was better`: shallow searches before and after a move disagree about it.
#[test]
fn no_move_of_a_game_is_called_better_than_itself() {
    let request = AnalyseRequest { nodes: Some(150), dubious: Some(20), ..AnalyseRequest::default() };
    let (record, judged) = reviewed("chess", "pgn", QUIET, &request);
    let mut marked = 0;
    let mut disagreed = 0;
    for (i, &node) in record.main_nodes().iter().enumerate() {
        let Step::Move(played) = &record.nodes[node as usize].step else { continue };
        let verdict = judged[i].verdict.clone().expect("both moves are searched");
        if let Some(better) = &verdict.better {
            marked += 1;
            assert_ne!(better.pv.first(), Some(played), "move {i}");
        }
        let of = |reviewed: &Reviewed| reviewed.report.lines.first().map_or(0, |line| line.value.raw());
        // What the two searches would have said without one that holds both moves.
        disagreed += u32::from((of(&judged[i]) + of(&judged[i + 1]) >= 20) != (verdict.cost >= 20));
    }
    assert!(marked > 0 && disagreed > 3, "{marked} marked, {disagreed} otherwise than by two searches");
}

/// Whether all that `old` says from `from` on is in `new` from `to` on.
#[track_caller]
fn assert_kept(old: &GameRecord<String>, from: u32, new: &GameRecord<String>, to: u32) {
    let (a, b) = (old.note(from), new.note(to));
    assert!(b.comment.starts_with(&a.comment), "{:?} was {:?}", b.comment, a.comment);
    assert!(a.glyphs.iter().all(|glyph| b.glyphs.contains(glyph)), "{:?} was {:?}", b.glyphs, a.glyphs);
    assert_eq!((a.spent, a.told, a.left), (b.spent, b.told, b.left), "clocks");
    assert!(a.value.is_none() || (a.value, a.depth, a.nodes) == (b.value, b.depth, b.nodes), "the value");
    for child in old.children(from) {
        let step = &old.nodes[child as usize].step;
        let same = new.children(to).find(|&other| &new.nodes[other as usize].step == step);
        assert_kept(old, child, new, same.unwrap_or_else(|| panic!("{step:?} is gone")));
    }
    let (first, kept) = (old.children(from).next(), new.children(to).next());
    let step = |record: &GameRecord<String>, node: Option<u32>| node.map(|n| record.nodes[n as usize].step.clone());
    assert_eq!(step(old, first), step(new, kept), "the main line is the main line");
}

#[test]
fn a_review_keeps_what_a_record_says_in_every_format() {
    let pgn = "[Event \"?\"]\n[White \"A\"]\n[Result \"0-1\"]\n\n1. f3 $6 {a plan [%clk 0:09:58] [%eval -0.75]} (1. e4 {best} e5 \
               (1... c5 $1)) e5 {open} 2. g4 $4 {[%clk 0:09:40]} Qh4# {over} 0-1\n";
    let kif = "手合割:平手\n先手:甲\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*a comment\n\
               *and more\n   2 ３四歩(33)   ( 0:05/00:00:05)\n   3 ２二角成(88)   ( 0:02/00:00:14)\n*a trade\n";
    let csa = "V2.2\nN+A\nPI\n+\n+7776FU,T12\n'* 30\n'* a comment\n-3334FU,T5\n+8822UM,T2\n-3122GI,T1\n%TORYO\n";
    let sgf = "(;GM[1]SZ[7]KM[9]RU[chinese]C[the start]PB[A];B[dd]C[centre]BL[590];W[aa]C[a corner]BM[1](;B[cc])(;B[ee]C[other]))";
    for (game, format, text) in
        [("chess", "pgn", pgn), ("shogi", "kifu", kif), ("shogi", "csa", csa), ("go", "sgf", sgf)]
    {
        let request = AnalyseRequest { nodes: Some(60), candidates: 2, ..AnalyseRequest::default() };
        let (record, judged) = reviewed(game, format, text, &request);
        let pot = SharedBuffer::default();
        let door = kit(game).format(format).unwrap();
        let written = [true, false].into_iter().find(|&variations| {
            let mut writer = door.writer(Box::new(pot.clone()));
            let done = writer.write(&annotated(kit(game), &request, &record, &judged, variations));
            done.and_then(|()| writer.finish()).is_ok()
        });
        assert!(written.is_some(), "{format} takes it");
        let text = String::from_utf8(pot.take()).unwrap();
        let again = read(game, format, &text).remove(0);
        assert_kept(&record, 0, &again, 0);
        assert_eq!(again.outcome, record.outcome, "{format}");
        assert!(record.tags.iter().all(|tag| again.tags.contains(tag)), "{format}: {:?}", again.tags);
        assert!(text.contains("candidates: "), "{format}: the review says something: {text}");
    }
}

#[test]
fn a_review_of_a_review_says_nothing_twice() {
    let request = AnalyseRequest { nodes: Some(400), ..AnalyseRequest::default() };
    let (record, judged) = reviewed("chess", "pgn", "1. f3 {a plan} e5 2. g4 Qh4# 0-1\n", &request);
    let once = annotated(kit("chess"), &request, &record, &judged, true);
    let twice = annotated(kit("chess"), &request, &once, &judged, true);
    assert_eq!(once.nodes.len(), twice.nodes.len(), "no variation twice");
    for node in 0..once.nodes.len() as u32 {
        assert_eq!(once.note(node), twice.note(node));
    }
    assert!(once.note(3).glyphs.contains(&4) && once.note(3).comment.contains("better"), "{:?}", once.note(3));
}

fn analyse(folder: &std::path::Path, words: &[&str]) -> (Option<i32>, String, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.arg("analyse").args(words).args(["--nodes", "50"]).current_dir(folder).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (out.status.code(), text(out.stdout), text(out.stderr))
}

/// A fault in the last of many games lost all that had been reviewed before it: they were kept in memory to the end.
#[test]
fn games_reviewed_before_a_fault_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = ("[Result \"*\"]\n\n1. e4 e5 *\n\n", "[Result \"*\"]\n\n1. e4 e4 *\n\n");
    std::fs::write(folder.path().join("g.pgn"), [good, good, bad].concat()).unwrap();
    let (code, _, errors) = analyse(folder.path(), &["chess", "g.pgn", "--out", "o.pgn"]);
    assert_eq!(code, Some(2), "{errors}");
    let kept = std::fs::read_to_string(folder.path().join("o.pgn")).unwrap();
    assert_eq!(read("chess", "pgn", &kept).len(), 2, "{kept}");
    let (code, text, errors) = analyse(folder.path(), &["chess", "g.pgn"]);
    assert!(code == Some(2) && read("chess", "pgn", &text).len() == 2, "{text} {errors}");
    std::fs::write(folder.path().join("g.pgn"), bad).unwrap();
    let (code, ..) = analyse(folder.path(), &["chess", "g.pgn", "--out", "o.pgn", "--force"]);
    assert_eq!(code, Some(2));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("o.pgn")).unwrap(),
        kept,
        "nothing was there to replace it with"
    );
}

/// With `--force` the old reviews were gone at the first new one, whatever became of the others.
#[test]
fn replaced_reviews_are_kept_beside_the_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = ("[Result \"*\"]\n\n1. e4 e5 *\n\n", "[Result \"*\"]\n\n1. e4 e4 *\n\n");
    std::fs::write(folder.path().join("g.pgn"), [good, bad].concat()).unwrap();
    std::fs::write(folder.path().join("o.pgn"), "mine").unwrap();
    let (code, ..) = analyse(folder.path(), &["chess", "g.pgn", "--out", "o.pgn", "--force"]);
    assert_eq!(code, Some(2));
    let text = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("chess", "pgn", &text("o.pgn")).len(), 1);
    assert_eq!(text("o.pgn.old"), "mine");
}

/// `--force` let a review replace the games that it was still reading: a fault or Ctrl-C would have lost them.
#[test]
fn reviewed_games_never_replace_the_file_that_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let games = "[Result \"*\"]\n\n1. e4 e5 *\n\n[Result \"*\"]\n\n1. e4 e4 *\n\n";
    std::fs::write(folder.path().join("g.pgn"), games).unwrap();
    for (out, expect) in [
        ("g.pgn", "g.pgn: this file is read; name another output"),
        ("o.pgn.zst", "name it o.pgn and compress it afterwards"),
    ] {
        let (code, _, errors) = analyse(folder.path(), &["chess", "g.pgn", "--out", out, "--force"]);
        assert!(code == Some(2) && errors.contains(expect), "{errors}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("g.pgn")).unwrap(), games);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Values stood for the side that moved, in a form of our own, and better moves as the protocol has them.
#[test]
fn reviews_in_pgn_are_those_that_lichess_reads() {
    let folder = tempfile::tempdir().unwrap();
    let game = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:59] hello} 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n";
    std::fs::write(folder.path().join("g.pgn"), game).unwrap();
    let (code, text, errors) = analyse(folder.path(), &["chess", "g.pgn"]);
    assert_eq!(code, Some(0), "{errors}");
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "1. e4 {[%eval ",
        "] [%clk 0:03:00] d=",
        "] [%clk 0:02:59] d=",
        "; hello",
        "3... Nf6 $4 {[%eval #1] d=",
        ", better ",
    ] {
        assert!(line.contains(words), "{words:?} is not in {line}");
    }
    let better = line.split(", better ").nth(1).unwrap();
    assert!(
        !better.starts_with(|c: char| c.is_ascii_digit()) && better.contains(" ("),
        "moves as people write them: {better}"
    );
    let again = read("chess", "pgn", &text).remove(0);
    let mate = again.note(again.main_nodes()[5]).value;
    assert_eq!(mate.and_then(|value| value.mate_plies()), Some(-2), "mated in two plies, from before the move");
}

/// Ctrl-C ended with 2, as wrong usage does.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_the_code_of_stops() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), "1. e4 e5 *\n\n1. d4 d5 2. c4 c6 3. Nf3 Nf6 4. Nc3 e6 *\n").unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(["analyse", "chess", "g.pgn", "--time", "0.5", "--out", "o.pgn"]).current_dir(folder.path());
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    while !folder.path().join("o.pgn").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "it ends before its first game");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(crate::pipes::interrupted(&mut child).expect("it ends").code(), Some(4));
    let kept = std::fs::read_to_string(folder.path().join("o.pgn")).unwrap();
    assert_eq!(read("chess", "pgn", &kept).len(), 1, "{kept}");
}

/// `C[-1.73/8 n=50]` in a file of go reads as points.
#[test]
fn chances_in_reviews_of_go_read_as_points() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.sgf"), "(;GM[1]SZ[7]KM[9];B[dd];W[aa];B[cc])").unwrap();
    let (code, text, errors) = analyse(folder.path(), &["go", "g.sgf"]);
    assert_eq!(code, Some(0), "{errors}");
    let game = read("go", "sgf", &text).remove(0);
    for (node, side) in game.main_nodes().into_iter().zip(["Black", "White", "Black"]) {
        let note = game.note(node);
        assert!(note.value.is_none() && note.comment.contains(&format!("{side}'s chance ")), "{text}");
        assert!(note.comment.contains(", on average ") && note.comment.contains(" points"), "{text}");
    }
}

/// One bracket or one move cost the whole game.
#[test]
fn broken_games_of_clubs_were_refused_whole() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("open.sgf"), "(;GM[1]SZ[7]KM[9];B[dd];W[aa]\n").unwrap();
    let (code, text, errors) = analyse(folder.path(), &["go", "open.sgf"]);
    assert!(code == Some(0) && errors.contains("expected a `)` that ends the game"), "{errors}");
    assert_eq!(read("go", "sgf", &text)[0].plies(), 2);
    std::fs::write(folder.path().join("illegal.sgf"), "(;GM[1]SZ[7]KM[9];B[dd];W[aa];B[dd];W[bb])").unwrap();
    let (code, _, errors) = analyse(folder.path(), &["go", "illegal.sgf"]);
    assert!(
        code == Some(2) && errors.contains("move #3 is illegal: B D4") && errors.contains("--skip-errors"),
        "{errors}"
    );
    let (code, text, errors) = analyse(folder.path(), &["go", "illegal.sgf", "--skip-errors"]);
    assert!(code == Some(0) && errors.contains("move #3 is illegal: B D4; the game is read up to there"), "{errors}");
    assert_eq!(read("go", "sgf", &text)[0].main_line(), ["D4", "A7"]);
}

/// `analyse games.pgn` missed FILE, which was there, and `tree t.tree` knew no game of that name.
#[test]
fn a_file_in_the_place_of_the_game_is_named_so() {
    let said = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.args(words).output().expect("the binary starts");
        assert_eq!(out.status.code(), Some(2), "{words:?}");
        String::from_utf8(out.stderr).expect("text")
    };
    let text = said(&["analyse", "games.pgn"]);
    assert!(text.contains("not a file: the game comes first, as in `chess games.pgn`"), "{text}");
    let text = said(&["analyse", "chess"]);
    assert!(text.contains("<FILE>") && !text.contains("not a file"), "{text}");
    let text = said(&["tree", "t.tree"]);
    assert!(text.contains("not a file: --open shows a file, as in `chess --open t.tree`"), "{text}");
}
