//! Games in CSA, KIF, KI2 and hcpe3: files as others write them, and what we write read again.

use std::{io::Cursor, time::Duration};
use tesuji_game::Position;
use tesuji_game::{By, Outcome, Random, Side, Value};
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer, Step};
use tesuji_shogi::{Board, FORMATS, csa::Csa, japanese, kif::Kif, sfen};

pub(super) fn written(format: &dyn RecordFormat, games: &[GameRecord<String>]) -> Vec<u8> {
    let out = SharedBuffer::default();
    let mut writer = format.writer(Box::new(out.clone()));
    for game in games {
        writer.write(game).expect("a game that the format can hold");
    }
    writer.finish().expect("a good stream");
    out.take()
}

pub(super) fn read(format: &dyn RecordFormat, bytes: &[u8]) -> Vec<GameRecord<String>> {
    let mut reader = format.reader(Box::new(Cursor::new(bytes.to_vec())));
    std::iter::from_fn(|| reader.read().expect("a good game")).collect()
}

fn error(format: &dyn RecordFormat, text: &str) -> String {
    let mut reader = format.reader(Box::new(Cursor::new(text.as_bytes().to_vec())));
    reader.read().expect_err("a bad game").to_string()
}

/// The example of CSA's own description, shortened, with what floodgate adds.
const CSA: &str = "\
'CSA encoding=UTF-8
V2.2
N+NAKAHARA
N-YONENAGA
$EVENT:13th World Computer Shogi Championship
$START_TIME:2003/05/03 10:30:00
P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
P2 * -HI *  *  *  *  * -KA * 
P3-FU-FU-FU-FU-FU-FU-FU-FU-FU
P4 *  *  *  *  *  *  *  *  * 
P5 *  *  *  *  *  *  *  *  * 
P6 *  *  *  *  *  *  *  *  * 
P7+FU+FU+FU+FU+FU+FU+FU+FU+FU
P8 * +KA *  *  *  *  * +HI * 
P9+KY+KE+GI+KI+OU+KI+GI+KE+KY
'先手番
+
'指し手と消費時間
'black_rate:NAKAHARA+abc:2988.0
+2726FU
T12
'** 35 -3334FU +7776FU
-3334FU,T6
'** -20
'*a word
+7776FU,'said, in passing
-2288UM
+7988GI
%CHUDAN
'P1-KY-KE-GI-KI-OU-KI-GI-KE-KY
'+
'summary:abnormal:NAKAHARA win:YONENAGA lose
'$END_TIME:2003/05/03 11:11:05
/
PI82HI22KA
-
-5142OU
%TORYO
/
PI
+
+7776FU
'summary:time up:A win:B lose
";

#[test]
fn csa_is_read_as_floodgate_writes_it() {
    let games = read(&Csa, CSA.as_bytes());
    assert_eq!(games.len(), 3);
    let game = &games[0];
    assert_eq!(game.main_line(), ["2g2f", "3c3d", "7g7f", "2b8h+", "7i8h"]);
    assert_eq!((game.rules.as_str(), &game.start), ("", &None));
    assert_eq!(game.tag("Black"), Some("NAKAHARA"));
    assert_eq!(game.tag("GameStartTime"), Some("2003/05/03 10:30:00"));
    assert_eq!(game.tag("black_rate"), Some("NAKAHARA+abc:2988.0"));
    assert_eq!(game.outcome, Some(Outcome::draw(By::Void)));
    let (first, second) = (game.note(1), game.note(2));
    assert_eq!((first.value, first.spent), (Some(Value::cp(35)), Some(Duration::from_secs(12))));
    assert_eq!(first.comment, "PV -3334FU +7776FU");
    assert_eq!((second.value, second.comment.as_str()), (Some(Value::cp(20)), "a word"));
    assert_eq!(games[1].rules, "2-piece");
    assert_eq!((game.note(3).comment.as_str(), game.note(5).comment.as_str()), ("said, in passing", ""));
    assert_eq!(game.tag("GameEndTime"), Some("2003/05/03 11:11:05"));
    assert_eq!(games[2].outcome, Some(Outcome::win(Side::First, By::Time)));
    // White moved once: Black resigned.
    assert_eq!(games[1].outcome, Some(Outcome::win(Side::Second, By::Resignation)));
    assert_eq!(read(&Csa, &written(&Csa, &games)), games);
}

/// Variations, comments and times, and a handicap, with both names of the sides.
const KIF: &str = "\
# ---- Kifu for Windows ----
開始日時：2003/05/03 10:30
手合割：平手　　
先手：羽生
後手：谷川
手数----指手---------消費時間--
*はじめ
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:03/00:00:03)
*角交換か
   3 ２二角成(88)   ( 1:05/00:01:21)
   4 同　銀(31)+   ( 0:00/00:00:03)
   5 ４五角打   ( 0:00/00:01:21)
   6 投了   ( 0:00/00:00:03)
まで5手で先手の勝ち

変化：4手
   4 同　玉(51)   ( 0:00/00:00:03)

変化：2手
   2 ８四歩(83)   ( 0:00/00:00:00)
   3 ２六歩(27)   ( 0:00/00:00:00)
変化：3手
   3 ６六歩(67)   ( 0:00/00:00:00)
";

#[test]
fn kif_is_read_with_its_variations() {
    let sjis = in_shift_jis(KIF);
    for bytes in [KIF.as_bytes().to_vec(), KIF.replace('\n', "\r\n").into_bytes(), sjis] {
        let games = read(&Kif::KIF, &bytes);
        let [game] = &games[..] else { panic!("one game, not {}", games.len()) };
        assert_eq!(game.main_line(), ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"]);
        assert_eq!((game.tag("Black"), game.tag("White")), (Some("羽生"), Some("谷川")));
        assert_eq!(game.outcome, Some(Outcome::win(Side::First, By::Resignation)));
        assert_eq!(game.note(0).comment, "はじめ");
        assert_eq!(game.note(2).comment, "角交換か");
        assert_eq!(game.note(3).spent, Some(Duration::from_secs(65)));
        let moves = |node: u32| match &game.nodes[node as usize].step {
            Step::Move(text) => text.clone(),
            _ => String::new(),
        };
        let lines: Vec<String> = game.children(1).map(moves).collect();
        assert_eq!(lines, ["3c3d", "8c8d"]);
        let second = game.children(1).nth(1).expect("a variation");
        assert_eq!(game.children(second).map(moves).collect::<Vec<_>>(), ["2g2f", "6g6f"]);
        // A king that jumps is no move: that variation is left out.
        assert_eq!(game.children(3).count(), 1);
        for format in [Kif::KIF, Kif::KIFU, Kif::KI2, Kif::KI2U] {
            let once = written(&format, &games);
            let again = read(&format, &once);
            assert_eq!(again, games, "{}", String::from_utf8_lossy(&once));
        }
    }
}

/// `.kif` was written in UTF-8, and cshogi and others, which take files of that name for code page 932, could not read it.
#[test]
fn kif_files_were_no_shift_jis() {
    let mut game = GameRecord::from_moves("", None, ["7g7f".to_string()]);
    game.set_tag("Black", "表ソ①髙é");
    let bytes = written(&Kif::KIF, &[game.clone()]);
    let lines: Vec<&[u8]> = bytes.split(|&b| b == b'\n').collect();
    assert_eq!(lines[0], b"#KIF version=2.0 encoding=Shift_JIS");
    // Code page 932 has the circled number and the second form of the name, and no accents.
    let player = b"\x90\xE6\x8E\xE8\x81\x46\x95\x5C\x83\x5C\x87\x40\xFB\xFC&#233;";
    assert_eq!(lines[1], player);
    assert_eq!(&lines[4][..15], b"   1 \x82\x56\x98\x5A\x95\xE0(77)"[..15].as_ref());
    let text = String::from_utf8(written(&Kif::KIFU, &[game.clone()])).expect("UTF-8");
    assert!(text.starts_with("#KIF version=2.0 encoding=UTF-8\n先手：表ソ①髙é\n"), "{text}");
    for (name, format) in [("kif", Kif::KIF), ("kifu", Kif::KIFU), ("ki2", Kif::KI2), ("ki2u", Kif::KI2U)] {
        assert_eq!((format.name(), format.extensions()[0]), (name, name));
        for other in [Kif::KIF, Kif::KIFU, Kif::KI2, Kif::KI2U] {
            assert_eq!(read(&other, &written(&format, &[game.clone()])), [game.clone()], "{name}");
        }
    }
}

/// A mate that a record calls a draw, or a win of the mated side, was told on as that.
#[test]
fn a_result_that_the_last_position_contradicts_does_not_count() {
    #[track_caller]
    fn check(format: &dyn RecordFormat, text: &str, expect: Outcome, claimed: Option<&str>) {
        let game = read(format, text.as_bytes()).remove(0);
        assert_eq!((game.outcome, game.tag("ClaimedResult")), (Some(expect), claimed), "{text}");
        let back = read(format, &written(format, std::slice::from_ref(&game))).remove(0);
        assert_eq!((back.outcome, back.tag("ClaimedResult")), (Some(expect), claimed), "{text}");
    }
    let mated = Outcome::win(Side::First, By::Mate);
    let csa = "P-51OU\nP+53FU59OU00KI\n+\n+0052KI\n";
    for (end, claimed) in
        [("%KACHI", Some("white declaration")), ("%HIKIWAKE", Some("draw agreement")), ("%TSUMI", None)]
    {
        check(&Csa, &format!("{csa}{end}\n"), mated, claimed);
    }
    check(&Csa, &format!("{csa}%TORYO\n"), Outcome::win(Side::First, By::Resignation), None);
    // What the board does not know is told by the record alone.
    check(&Csa, &format!("{csa}%CHUDAN\n"), Outcome::draw(By::Void), None);
    check(&Csa, &format!("{csa}%MAX_MOVES\n"), Outcome::draw(By::MoveRule), None);
    let start = read(&Csa, format!("{csa}%TSUMI\n").as_bytes()).remove(0);
    let kif = String::from_utf8(written(&Kif::KIFU, &[start])).expect("UTF-8");
    let (head, _) = kif.split_once("   2 詰み").expect("the end");
    check(&Kif::KIFU, &format!("{head}   2 持将棋\n"), mated, Some("draw declaration"));
    check(&Kif::KIFU, &format!("{head}まで1手で後手の勝ち\n"), mated, Some("white resignation"));
    // The main line ends in a mate, not the variation that is read last.
    check(&Kif::KIFU, &format!("{head}   2 持将棋\n\n変化：1手\n   1 ６二金打\n"), mated, Some("draw declaration"));
}

/// The text in Shift-JIS, which our own writer gives for any text in a comment.
fn in_shift_jis(text: &str) -> Vec<u8> {
    let mut game = GameRecord::<String>::new();
    game.note_mut(0).comment = text.lines().map(|line| format!("@{line}")).collect::<Vec<_>>().join("\n");
    let bytes = written(&Kif::KIF, &[game]);
    let lines: Vec<&[u8]> = bytes.split(|&b| b == b'\n').filter_map(|line| line.strip_prefix(b"*@")).collect();
    lines.join(&b'\n')
}

#[test]
fn ki2_is_read_in_the_words_of_people() {
    let text = "\
手合割：二枚落ち
下手：甲
上手：乙

△６二銀　▲７六歩　△５四歩　▲４六歩
*words
△５三銀    ▲４五歩    △２二銀
まで7手で上手の勝ち
";
    let games = read(&Kif::KI2, text.as_bytes());
    assert_eq!(games[0].main_line(), ["7a6b", "7g7f", "5c5d", "4g4f", "6b5c", "4f4e", "3a2b"]);
    assert_eq!((games[0].rules.as_str(), games[0].tag("White")), ("2-piece", Some("乙")));
    assert_eq!(games[0].outcome, Some(Outcome::win(Side::Second, By::Resignation)));
    assert_eq!(games[0].note(4).comment, "words");
    for format in [Kif::KIF, Kif::KI2] {
        assert_eq!(read(&format, &written(&format, &games)), games);
    }
}

#[test]
fn boards_are_read_from_diagrams() {
    let text = "\
# a problem
後手の持駒：飛　角二　金四　銀三　桂四　香四　歩十七　
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・ ・ ・ ・v玉 ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ ・ ・ ・ 歩 ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ ・ ・ ・ ・ ・|九
+---------------------------+
先手の持駒：飛　銀　
手数----指手---------消費時間--
   1 ２二銀打   ( 0:00/00:00:00)
   2 １二玉(21)   ( 0:00/00:00:00)
";
    let games = read(&Kif::KIF, text.as_bytes());
    assert_eq!(games[0].start.as_deref(), Some("7k1/9/7P1/9/9/9/9/9/9 b RSr2b4g3s4n4l17p 1"));
    assert_eq!(games[0].main_line(), ["S*2b", "2a1b"]);
    for format in [Kif::KIF, Kif::KIFU, Kif::KI2] {
        assert_eq!(read(&format, &written(&format, &games)), games);
    }
    assert_eq!(read(&Csa, &written(&Csa, &games)), games);
}

/// A random game with a few variations, comments, values and times.
pub(crate) fn random_game(seed: u64) -> GameRecord<String> {
    let mut random = Random::new(seed);
    let mut game = GameRecord::new();
    let mut board = sfen::parse(sfen::START).expect("a position");
    let mut boards: Vec<(u32, Board)> = vec![(0, board)];
    let mut here = 0;
    for _ in 0..20 + random.below(100) {
        let moves = board.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len())];
        here = game.push(here, Step::Move(mv.to_string()));
        board.play(mv);
        boards.push((here, board));
        if random.below(2) == 0 {
            let note = game.note_mut(here);
            note.spent = Some(Duration::from_millis(random.below(20_000) as u64));
            note.value = Some(Value::cp(random.below(2_000) as i32 - 1_000));
            note.depth = std::num::NonZeroU32::new(random.below(20) as u32);
            note.comment = ["", "評価値=3", "two\nlines", "depth=9"][random.below(4)].into();
        }
    }
    let winner = [None, Some(Side::First), Some(Side::Second)][random.below(3)];
    let by =
        [By::Resignation, By::Time, By::Illegal, By::Repetition, By::Adjudication, By::Declaration][random.below(6)];
    game.outcome = Some(Outcome { winner, by });
    for _ in 0..random.below(5) {
        let (node, board) = boards[random.below(boards.len())];
        let (mut node, mut board) = (node, board);
        let taken: Vec<String> = game.children(node).map(|n| format!("{:?}", game.nodes[n as usize].step)).collect();
        for i in 0..1 + random.below(6) {
            let moves = board.legal_moves();
            let free: Vec<_> = moves
                .iter()
                .filter(|mv| i > 0 || !taken.contains(&format!("{:?}", Step::Move(mv.to_string()))))
                .collect();
            let Some(&&mv) = free.get(random.below(free.len().max(1))) else { break };
            node = game.push(node, Step::Move(mv.to_string()));
            board.play(mv);
            boards.push((node, board));
        }
    }
    game
}

/// What was written reads as the same game, whatever the order in which variations are stored: the second text is the first.
#[test]
fn games_come_back_from_every_format() {
    for seed in 0..40 {
        let games = [random_game(seed), random_game(seed + 1_000)];
        for format in FORMATS {
            let once = written(*format, &games);
            let back = read(*format, &once);
            assert_eq!(back.len(), 2, "{}", format.name());
            let twice = written(*format, &back);
            assert!(once == twice || format.name().starts_with('k'), "{} {seed}", format.name());
            let thrice = written(*format, &read(*format, &twice));
            assert_eq!(twice, thrice, "{} {seed}", format.name());
            for (game, back) in games.iter().zip(&back) {
                assert_eq!(game.main_line(), back.main_line(), "{} {seed}", format.name());
                if format.name() != "hcpe3" {
                    assert_eq!(game.outcome, back.outcome, "{} {seed}", format.name());
                    assert_eq!(game.note(1).spent, back.note(1).spent);
                }
                assert_eq!(game.note(1).value, back.note(1).value);
                if format.name().starts_with('k') {
                    assert_eq!(game.nodes.len(), back.nodes.len(), "{} {seed}", format.name());
                }
            }
        }
    }
}

/// Games that a runner ended for the side to move were written as entering-king declarations.
#[test]
fn only_declarations_are_written_as_such() {
    let game = |plies: usize, winner: Side, by: By| {
        let moves = ["7g7f", "3c3d"].iter().take(plies).map(|mv| mv.to_string());
        let mut game = GameRecord::from_moves("", None, moves);
        game.outcome = Some(Outcome::win(winner, by));
        game
    };
    for (plies, winner, by, csa, kif) in [
        (1, Side::Second, By::Adjudication, "%CHUDAN", "中断"),
        (2, Side::Second, By::Adjudication, "%TORYO", "投了"),
        (2, Side::Second, By::Resignation, "%TORYO", "投了"),
        (1, Side::Second, By::Disconnect, "%CHUDAN", "不戦勝"),
        (1, Side::Second, By::Repetition, "%+ILLEGAL_ACTION", "反則勝ち"),
        (2, Side::First, By::Declaration, "%KACHI", "入玉勝ち"),
    ] {
        let game = game(plies, winner, by);
        for (format, word) in [(&Csa as &dyn RecordFormat, csa), (&Kif::KIFU, kif)] {
            let bytes = written(format, std::slice::from_ref(&game));
            let text = String::from_utf8(bytes.clone()).expect("text");
            assert!(text.lines().any(|line| line.split_whitespace().any(|part| part == word)), "{by:?}: {text}");
            assert_eq!(read(format, &bytes)[0].outcome, game.outcome, "{text}");
        }
    }
}

/// Every legal move of random games has words of its own, and both kinds of words lead back to it.
#[test]
fn every_move_has_its_words() {
    let mut moves_seen = 0;
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut board = sfen::parse(sfen::START).expect("a position");
        let mut last = None;
        for _ in 0..200 {
            let moves = board.legal_moves();
            for &mv in &moves {
                for text in [japanese::in_words(&board, mv, last), japanese::with_origin(&board, mv, last)] {
                    assert_eq!(japanese::parse(&board, &text, last), Some(mv), "{text} in {board}");
                }
                let western = japanese::western(&board, mv);
                assert_eq!(japanese::parse_western(&board, &western), Some(mv), "{western} in {board}");
                moves_seen += 1;
            }
            let Some(&mv) = moves.get(random.below(moves.len().max(1))) else { break };
            board.play(mv);
            last = Some(mv.to());
        }
    }
    assert!(moves_seen > 100_000);
}

#[test]
fn each_mistake_is_named_with_its_line() {
    let csa = |moves: &str| error(&Csa, &format!("V2.2\nPI\n+\n{moves}"));
    assert_eq!(csa("+7776FU\n+2726FU\n"), "line 5 (game 1): move #2 is illegal: +2726FU");
    assert_eq!(csa("+7776KI\n"), "line 4 (game 1): move #1 is illegal: +7776KI");
    assert_eq!(csa("Txx\n"), "line 4 (game 1): expected seconds such as T12, found `Txx`");
    let error_at = error(&Csa, "V2.2\nP1-KY-KE-GI-XX\n");
    assert!(error_at.starts_with("line 2 (game 1): expected nine squares"), "{error_at}");
    let kif = |text: &str| error(&Kif::KIF, text);
    assert_eq!(kif("手合割：平手\n   1 ７五歩(77)\n"), "line 2 (game 1): move #1 is illegal: ７五歩(77)");
    assert!(kif("手合割：半落ち\n").starts_with("line 1 (game 1): expected a handicap"));
    assert!(kif("hello\n").starts_with("line 1 (game 1): expected moves"));
    let variation = kif("   1 ７六歩(77)\n変化：9手\n");
    assert!(variation.starts_with("line 2 (game 1): expected a variation that begins"), "{variation}");
}

/// Ends that are no results, ends of variations and bookmarks have no place in a record: they stay as words.
#[test]
fn what_has_no_place_stays_as_words() {
    let text = "手合割：平手\n   1 ７六歩(77)\n&よい手\n   2 不詰\n\n変化：1手\n   1 ２六歩(27)\n   2 投了\n";
    let games = read(&Kif::KIF, text.as_bytes());
    let comment = |node: u32| games[0].note(node).comment.as_str();
    assert_eq!((games[0].outcome, comment(1), comment(2)), (None, "&よい手\n不詰", "投了"));
    for format in [&Kif::KIF, &Kif::KI2] {
        assert_eq!(read(format, &written(format, &games)), games, "{}", format.name());
    }
    for (word, told) in [("%MATTA", "%MATTA"), ("%FUZUMI", "%FUZUMI"), ("%ERROR", "%ERROR"), ("%CHUDAN", "")] {
        let games = read(&Csa, format!("V2.2\nPI\n+\n+7776FU\n{word}\n").as_bytes());
        assert_eq!(games[0].note(1).comment, told);
        assert_eq!(games[0].outcome, told.is_empty().then(|| Outcome::draw(By::Void)));
    }
    let error = error(&Csa, "V2.2\nPI\n+\n+7776FU\n%TORY\n");
    assert_eq!(error, "line 5 (game 1): expected an end of CSA such as %TORYO or %CHUDAN, found `%TORY`");
}

/// A game that was resigned after 7 seconds of thought, with a variation.
const THOUGHT_OVER: &str = "\
手合割：平手
手数----指手---------消費時間--
   1 ７六歩(77)   ( 0:16/00:00:16)
   2 ３四歩(33)   ( 0:03/00:00:03)
   3 ２六歩(27)   ( 0:10/00:00:26)
   4 投了   ( 0:07/00:00:10)
まで3手で先手の勝ち

変化：3手
   3 ６六歩(67)   ( 0:05/00:00:21)
   4 ８四歩(83)   ( 0:02/00:00:05)
";

#[test]
fn the_time_before_resignation_was_lost() {
    let games = read(&Kif::KIF, THOUGHT_OVER.as_bytes());
    assert_eq!(games[0].tag("EndSpent"), Some("7"));
    for format in FORMATS.iter().filter(|format| ["kif", "kifu", "ki2", "csa"].contains(&format.name())) {
        let again = read(*format, &written(*format, &games));
        assert_eq!(again[0].tag("EndSpent"), Some("7"), "{}", format.name());
        assert_eq!(again[0].outcome, games[0].outcome, "{}", format.name());
    }
    let csa = String::from_utf8(written(&Csa, &games)).unwrap();
    assert!(csa.ends_with("%TORYO\nT7\n") && !csa.contains("EndSpent"), "{csa}");
}

#[test]
fn cumulative_times_of_variations_began_at_zero() {
    let written = String::from_utf8(written(&Kif::KIFU, &read(&Kif::KIF, THOUGHT_OVER.as_bytes()))).unwrap();
    for line in THOUGHT_OVER.lines().skip(2).filter(|line| line.contains('/')) {
        let (mv, time) = line.split_once("( ").unwrap();
        let (mv, time) = (mv.trim(), time.trim());
        assert!(written.lines().any(|line| line.contains(mv) && line.contains(time)), "{mv} {time}\n{written}");
    }
}
