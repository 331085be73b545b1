//! `tesuji book` with the formats of others, and engines that play from a book.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

fn tesuji(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the program reads");
    child.wait_with_output().expect("the program ends")
}

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[track_caller]
fn good(folder: &Path, line: &str) -> String {
    let out = tesuji(folder, &words(line), "");
    assert!(out.status.success(), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr)
}

#[track_caller]
fn bad(folder: &Path, line: &str, expect: &str) {
    let out = tesuji(folder, &words(line), "");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!((out.status.code(), told.trim_end()), (Some(2), expect), "{line}");
}

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
const NEXT: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -";

/// A book of YaneuraOu's: three moves at the start, one after 7g7f.
fn yaneuraou() -> String {
    format!(
        "#YANEURAOU-DB2016 1.00\nsfen {NEXT} 2\n3c3d 2g2f -30 20 9\nsfen {START} 1\n7g7f 3c3d 52 20 70\n\
         2g2f 8c8d 40 18 30\n9g9f none -10 5 0\n"
    )
}

#[test]
fn books_of_shogi_go_round_through_all_formats() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.db"), yaneuraou()).unwrap();
    let told = good(here, "book convert shogi a.db a.tsv");
    assert!(told.starts_with("4 moves in 2 positions written to a.tsv (2 positions of YaneuraOu's read)\n"), "{told}");
    for lost in ["values", "depths", "expected answers"] {
        assert!(told.contains(&format!("not kept: {lost}\n")), "{told}");
    }
    let text = format!("{NEXT}\t3c3d\t9\n{START}\t7g7f\t70\n{START}\t2g2f\t30\n{START}\t9g9f\t0\n");
    assert_eq!(fs::read_to_string(here.join("a.tsv")).unwrap(), text);
    good(here, "book convert shogi a.tsv b.db");
    good(here, "book convert shogi b.db b.tsv");
    assert_eq!(fs::read_to_string(here.join("b.tsv")).unwrap(), text);
    // Apery's knows keys alone: what the start reaches comes back, with the values.
    let told = good(here, "book convert shogi a.db a.bin");
    assert!(!told.contains("values") && told.contains("depths"), "{told}");
    let bytes = fs::read(here.join("a.bin")).unwrap();
    assert_eq!(bytes.len(), 64);
    // The start's key, 7g7f in Apery's word, 70 games, 52 centipawns.
    assert_eq!(bytes[16..32], [0x15, 0x7e, 0xad, 0xe1, 0xe7, 0x8e, 0xbe, 0xee, 0x3b, 0x1e, 70, 0, 52, 0, 0, 0]);
    good(here, "book convert shogi a.bin c.db");
    let back = fs::read_to_string(here.join("c.db")).unwrap();
    assert!(back.contains("\n7g7f none 52 0 70\n2g2f none 40 0 30\n9g9f none -10 0 0\n"), "{back}");
    good(here, "book convert shogi c.db c.tsv");
    assert_eq!(fs::read_to_string(here.join("c.tsv")).unwrap(), text);
    assert_eq!(good(here, "book show shogi a.bin --moves 7g7f"), "3c3d\t9\t100.0 %\t-30 cp\n");
    assert!(good(here, "book show shogi a.db").starts_with("7g7f\t70\t70.0 %\t+52 cp\t3c3d\n"));
}

#[test]
fn books_of_chess_go_round_through_polyglots() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let castles = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";
    let promotes = "8/P6k/8/8/8/8/8/7K w - -";
    let text = format!(
        "{promotes}\ta7a8q\t3\n{promotes}\ta7a8n\t1\n{castles}\te1g1\t5\n{castles}\te1c1\t4\n{start}\te2e4\t70000\n{start}\td2d4\t7\n"
    );
    fs::write(here.join("a.tsv"), &text).unwrap();
    good(here, "book convert chess a.tsv a.bin");
    assert_eq!(fs::read(here.join("a.bin")).unwrap().len(), 6 * 16);
    let show = |position: &str| {
        let arguments = ["book", "show", "chess", "a.bin", "--position", position];
        String::from_utf8(tesuji(here, &arguments, "").stdout).unwrap()
    };
    assert_eq!(show(&format!("{castles} 0 1")), "e1g1\t5\t55.6 %\ne1c1\t4\t44.4 %\n");
    assert_eq!(show(&format!("{promotes} 0 1")), "a7a8q\t3\t75.0 %\na7a8n\t1\t25.0 %\n");
    // What does not fit in 16 bits is written in proportion.
    assert_eq!(show(&format!("{start} 0 1")), "e2e4\t65535\t100.0 %\nd2d4\t6\t0.0 %\n");
    let told = good(here, "book convert chess a.bin b.tsv");
    assert!(told.starts_with("2 moves in 1 positions written to b.tsv (6 entries of Polyglot's read)"), "{told}");
}

#[test]
fn what_is_no_book_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("torn.bin"), [0; 17]).unwrap();
    fs::write(here.join("bad.db"), format!("sfen {START} 1\n7g7f none much 0 1\n")).unwrap();
    fs::write(here.join("a.db"), yaneuraou()).unwrap();
    bad(
        here,
        "book show shogi torn.bin",
        "tesuji: torn.bin is no book of Apery's: 17 bytes are no whole number of entries of 16 bytes",
    );
    bad(
        here,
        "book convert shogi bad.db x.tsv",
        "tesuji: bad.db is no book of YaneuraOu's: line 2: expected move, answer, value, depth and count, found \
         \"7g7f none much 0 1\"",
    );
    bad(
        here,
        "book show chess a.db",
        "tesuji: a.db: this game has no books that end in .db; it has text, .bin (Polyglot)",
    );
    bad(
        here,
        "book add shogi a.db -- 7g7f 5",
        "tesuji: a.db: only books in text are changed; tesuji book convert writes one",
    );
    assert!(!here.join("x.tsv").exists());
}

/// The moves that an engine answers to `go` and the lines before it, asked `times` times.
fn played(folder: &Path, protocol: &str, setting: &str, go: &str, times: usize) -> Vec<String> {
    let mut input = format!("{setting}isready\n");
    for _ in 0..times {
        input += go;
    }
    let out = tesuji(folder, &[protocol], &input);
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().filter(|l| l.starts_with("bestmove") || l.starts_with("info string")).map(str::to_string).collect()
}

#[test]
fn engines_play_from_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    fs::write(here.join("a.db"), yaneuraou()).unwrap();
    let set = |pairs: &[(&str, &str)]| -> String {
        pairs.iter().map(|(name, value)| format!("setoption name {name} value {value}\n")).collect()
    };
    let go = "position startpos\ngo depth 1\n";
    let best = played(here, "usi", &set(&[("BookFile", "a.db"), ("BookChoice", "best")]), go, 3);
    assert_eq!(best, ["bestmove 7g7f ponder 3c3d"; 3]);
    // By chance, and never what weighs nothing.
    let drawn = played(here, "usi", &set(&[("BookFile", "a.db"), ("BookSeed", "7")]), go, 60);
    let count = |mv: &str| drawn.iter().filter(|line| line.starts_with(&format!("bestmove {mv}"))).count();
    assert_eq!(count("7g7f") + count("2g2f"), 60, "{drawn:?}");
    assert!((30..=54).contains(&count("7g7f")), "{}", count("7g7f"));
    assert_eq!(drawn, played(here, "usi", &set(&[("BookFile", "a.db"), ("BookSeed", "7")]), go, 60));
    let after = "position startpos moves 7g7f\ngo depth 1\n";
    assert_eq!(played(here, "usi", &set(&[("BookFile", "a.db")]), after, 1), ["bestmove 3c3d ponder 2g2f"]);
    // Off, beyond the book's plies, and where only other moves are asked for.
    let off = [("BookFile", "a.db"), ("OwnBook", "false")];
    let plain = played(here, "usi", "", after, 1);
    assert_eq!(played(here, "usi", &set(&off), after, 1), plain);
    assert_eq!(played(here, "usi", &set(&[("BookFile", "a.db"), ("BookPlies", "1")]), after, 1), plain);
    let told = played(here, "usi", &set(&[("BookFile", "none.db")]), after, 1);
    assert!(told.iter().any(|line| line.contains("BookFile") && line.contains("none.db")), "{told:?}");
    // Chess by a Polyglot book.
    fs::write(here.join("c.tsv"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\tb1a3\t1\n").unwrap();
    good(here, "book convert chess c.tsv c.bin");
    for file in ["c.bin", "c.tsv"] {
        assert_eq!(played(here, "uci", &set(&[("BookFile", file)]), go, 1), ["bestmove b1a3"]);
    }
}

/// The same games imported a second time doubled all weights, without a word.
#[test]
fn games_imported_twice_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).unwrap();
    fs::write(at.join("a.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 1-0\n").unwrap();
    fs::write(at.join("c.pgn"), "[Result \"1-0\"]\n\n1. e4 c5 1-0\n").unwrap();
    good(at, "data convert a.pgn b.sgs");
    good(at, "book import chess a.pgn c.pgn --out b.tsv");
    let book = read("b.tsv");
    assert!(book.contains("\te2e4\t4\n") && book.matches("# imported ").count() == 2, "{book}");
    for name in ["a.pgn", "b.sgs"] {
        let expect = format!(
            "tesuji: {name}: these games are in the book already (imported as a.pgn) and would count twice; --force adds them all \
             the same"
        );
        bad(at, &format!("book import chess {name} --out b.tsv"), &expect);
        assert_eq!(read("b.tsv"), book);
    }
    good(at, "book import chess a.pgn --out b.tsv --force");
    assert!(read("b.tsv").contains("\te2e4\t6\n"), "{}", read("b.tsv"));
    // What is edited by hand keeps what it knows.
    good(at, "book add chess b.tsv -- d2d4 1");
    assert_eq!(read("b.tsv").matches("# imported ").count(), 2);
}

/// A book in text was written under the name of another program's, which nobody could open then.
#[test]
fn text_is_not_written_under_the_names_of_other_books() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("a.sgf"), "(;GM[1]SZ[9];B[ee];W[cc])").unwrap();
    bad(at, "book import go a.sgf --out b.bin", "tesuji: b.bin: this game has no books that end in .bin; it has text");
    bad(
        at,
        "book import chess a.pgn --out b.bin",
        "tesuji: b.bin: only books in text are changed; tesuji book convert writes one",
    );
    assert!(!at.join("b.bin").exists());
}
