//! Game sets read and written, real ones and broken ones.

use crate::{
    data,
    records::{errors, games, read, rich_game, written},
};
use std::time::Duration;
use tesuji_chess::{BLACK, Board, sgs::Sgs};
use tesuji_game::{By, Outcome, Position};
use tesuji_record::{GameRecord, Note, RecordFormat, Step};

const EXAMPLE: &str = "\
# Fool's mate
game B fools_mate
title example
start
moves g2g4 e7e5 f2f3 d8h4

game D -
board 7k/4Q1p1/8/8/8/8/rrp5/2K5 w - - 0 1
moves e7e8 h8h7 e8h5 h7g8 h5e8 g8h7 e8h5 h7g8
";

#[test]
fn the_example_of_the_specification_is_read() {
    let all = games(&Sgs::EXTENDED, EXAMPLE);
    assert_eq!(all.len(), 2);
    assert_eq!(all[0].main_line(), ["g2g4", "e7e5", "f2f3", "d8h4"]);
    assert_eq!((all[0].tag("Label"), all[0].tag("Title")), (Some("fools_mate"), Some("example")));
    assert_eq!(all[0].outcome, Some(Outcome::win(BLACK, By::Mate)));
    assert_eq!((all[0].start.as_deref(), all[1].start.as_deref()), (None, Some("7k/4Q1p1/8/8/8/8/rrp5/2K5 w - - 0 1")));
    assert_eq!(all[1].outcome, Some(Outcome::draw(By::Adjudication)));
}

#[test]
fn plain_games_are_written_as_they_were_read() {
    let text = EXAMPLE.strip_prefix("# Fool's mate\n").unwrap().to_string() + "\n";
    assert_eq!(written(&Sgs::PLAIN, &games(&Sgs::PLAIN, text.as_str())), text);
    // A game without moves omits `moves`.
    let empty = "game ? -\nstart\n\n";
    assert_eq!(written(&Sgs::PLAIN, &games(&Sgs::PLAIN, empty)), empty);
}

#[test]
fn carriage_returns_comments_and_foreign_commands_are_no_matter() {
    let text =
        EXAMPLE.replace('\n', "\r\n").replace("moves", "  moves  ").replace("start", "start\r\nfoo bar\r\n  # x\r\n");
    assert_eq!(games(&Sgs::EXTENDED, text), games(&Sgs::EXTENDED, EXAMPLE));
    // Words of ours with foreign bodies are foreign.
    let foreign =
        EXAMPLE.replace("title example", "end of it\nscores are good\ncomment no number\nvisits 1 x\nglyphs 99 1");
    assert_eq!(games(&Sgs::EXTENDED, foreign)[0].main_line(), games(&Sgs::EXTENDED, EXAMPLE)[0].main_line());
}

#[test]
fn what_is_written_is_read() {
    let all: Vec<_> = (0..200).map(|seed| rich_game(seed, false)).collect();
    let text = written(&Sgs::EXTENDED, &all);
    for (read, game) in games(&Sgs::EXTENDED, text).iter().zip(&all) {
        assert_eq!(read, game);
    }
    // Other readers see the same moves and results.
    for (read, game) in games(&Sgs::EXTENDED, written(&Sgs::PLAIN, &all)).iter().zip(&all) {
        if game.rules.is_empty() {
            assert_eq!(
                (read.main_line(), read.outcome.map(|o| o.winner)),
                (game.main_line(), game.outcome.map(|o| o.winner))
            );
        }
    }
}

#[test]
fn notes_stand_in_lists_behind_their_moves() {
    let mut game = GameRecord::from_moves("", None, ["e2e4", "e7e5"].map(String::from));
    *game.note_mut(1) = Note {
        value: Some(tesuji_game::Value::cp(25)),
        depth: std::num::NonZeroU32::new(9),
        nodes: std::num::NonZeroU64::new(5000),
        spent: Some(Duration::from_micros(52_100)),
        visits: vec![(700, 30), (701, 4)],
        ..Note::default()
    };
    game.note_mut(2).comment = "two\nlines".into();
    game.set_tag("Origin", "tesuji 0.1.0 seed 7");
    let text = "game ? -\norigin tesuji 0.1.0 seed 7\nstart\nmoves e2e4 e7e5\nscores +25 .\ndepths 9 .\nnodes 5000 .\n\
        times 52.1 .\nvisits 1 700:30 701:4\ncomment 2 two\\nlines\n\n";
    assert_eq!(written(&Sgs::EXTENDED, std::slice::from_ref(&game)), text);
    assert_eq!(games(&Sgs::EXTENDED, text), [game]);
}

#[test]
fn boards_reached_by_a_move_are_moves() {
    let moves = data::random_moves(Board::start(), 300, &mut tesuji_game::Random::new(3));
    let mut text = String::from("game ? -\nboard ");
    let mut board = Board::start();
    text.push_str(&tesuji_chess::fen::to_string(&board));
    for mv in &moves {
        board.play(board.legal_moves().into_iter().find(|m| data::move_text(&board, *m) == *mv).unwrap());
        text.push_str(&format!("\nboard {}", tesuji_chess::fen::to_string(&board)));
    }
    let all = games(&Sgs::EXTENDED, text);
    assert_eq!(all[0], GameRecord::from_moves("", None, moves));
}

#[test]
fn other_boards_are_setups() {
    let text =
        "game ? -\nstart\nmoves e2e4\nboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1\nmoves e1g1 e8e7\nstart\nmoves d2d4\n\n";
    let all = games(&Sgs::EXTENDED, text);
    assert_eq!(all[0].main_line(), ["e2e4", "e1g1", "e8e7", "d2d4"]);
    assert_eq!(all[0].nodes.iter().filter(|n| matches!(n.step, Step::Setup(_))).count(), 2);
    let start = "board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\nmoves d2d4";
    assert_eq!(written(&Sgs::PLAIN, &all), text.replace("start\nmoves d2d4", start));
}

#[test]
fn errors_name_line_and_move_and_the_next_game_is_read() {
    #[track_caller]
    fn check(bad: &str, expect: &str) {
        let text = format!("{bad}\n{EXAMPLE}");
        assert_eq!(errors(&Sgs::EXTENDED, text.as_str()), [expect], "{bad}");
        assert_eq!(read(&Sgs::EXTENDED, text).len(), 3);
    }
    check("game W -\nstart\nmoves e2e4 e7e5 e1e3", "line 3 (game 1): move #3 is illegal: e1e3");
    check("game W -\nmoves e2e4", "line 2 (game 1): expected `start` or `board` before `moves`");
    check("game W -\nstart\nmoves", "line 3 (game 1): expected moves after `moves`");
    check("game X -\nstart", "line 1 (game 1): expected the winner: W, B, D or ?, found `X`");
    check("game W a-b\nstart", "line 1 (game 1): expected a label: - or 1 to 64 letters, digits and _, found `a-b`");
    check("start\nmoves e2e4", "line 1 (game 1): expected the command `game`, found `start`");
    check("game W -\nstart\nvariant chess960", "line 3 (game 1): expected `variant` before the first position");
    check("game W -\nvariant atomic", "line 2 (game 1): expected the variant standard or chess960, found `atomic`");
    check(
        "game W -\nboard 4k3/8/8/8/8/8/8/8 w - - 0 1",
        "line 2 (game 1): bad position: at byte 0: placement: a king is missing",
    );
}

#[test]
fn bytes_that_are_no_text_are_one_error() {
    let mut text = b"game W -\ntitle \xFF\nstart\n".to_vec();
    text.extend(EXAMPLE.bytes());
    assert_eq!(errors(&Sgs::EXTENDED, text.clone()), ["line 2 (game 1): expected text in UTF-8"]);
    assert_eq!(read(&Sgs::EXTENDED, text).len(), 3);
}

/// The real file: 30,000 games and 3,580,550 boards, their results as published.
#[test]
fn thirty_thousand_games_are_read() {
    let Some(path) = data::file("sofcheck1_30k.sgs.zst") else { return };
    let mut reader = Sgs::EXTENDED.reader(Box::new(data::unpacked(path)));
    let (mut boards, mut results, mut count) = (0, [0; 3], 0);
    while let Some(game) = reader.read().unwrap() {
        count += 1;
        boards += game.plies() + 1;
        results[game.outcome.unwrap().winner.map_or(2, |w| w.index())] += 1;
    }
    assert_eq!((count, boards, results), (30_000, 3_580_550, [11_920, 10_871, 7_209]));
}

/// The game set shown in the manual is one, and is what we would write.
#[test]
fn the_manual_shows_a_true_game() {
    let manual = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md")).unwrap();
    let example = manual.split("```\n").find(|part| part.starts_with("game ")).unwrap();
    assert_eq!(written(&Sgs::EXTENDED, &games(&Sgs::EXTENDED, example)), example);
}

#[test]
fn a_position_alone_keeps_its_value() {
    let text = "game W -\nend adjudication\nboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1\nvalue +480\n\n";
    let read = games(&Sgs::EXTENDED, text);
    assert_eq!(read[0].note(0).value, Some(tesuji_game::Value::cp(480)));
    assert_eq!(written(&Sgs::EXTENDED, &read), text);
    assert_eq!(written(&Sgs::PLAIN, &read), "game W -\nboard 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n\n");
}
