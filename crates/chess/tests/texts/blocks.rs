//! Files cut into blocks of whole games read as if they had not been cut; old BattleField's boards.

use crate::records::{games, read, rich_game, written, written_bytes};
use tesuji_chess::{epd::EpdFile, packed::Viri, pgn::Pgn, sgs::Boards, sgs::Sgs};
use tesuji_game::By;
use tesuji_record::{GameRecord, RecordFormat};

/// Reads `bytes` in blocks of about `size`, as data tools do.
fn in_blocks(format: &dyn RecordFormat, bytes: &[u8], size: usize) -> Vec<Result<GameRecord<String>, String>> {
    let (mut all, mut from, mut to) = (Vec::new(), 0, 0);
    while to < bytes.len() {
        to = (to + size).min(bytes.len());
        let whole = if to == bytes.len() { to - from } else { format.whole(&bytes[from..to]).unwrap() };
        all.extend(plain(format, &bytes[from..from + whole]));
        from += whole;
    }
    all
}

/// Games, and errors without their lines, which count from the start of a block.
fn plain(format: &dyn RecordFormat, bytes: &[u8]) -> Vec<Result<GameRecord<String>, String>> {
    read(format, bytes).into_iter().map(|r| r.map_err(|e| e.fault.to_string())).collect()
}

fn check(format: &dyn RecordFormat, bytes: &[u8]) {
    let whole = plain(format, bytes);
    assert!(whole.len() > 5);
    for size in [1, 7, 100, 1000, 5000] {
        let cut = in_blocks(format, bytes, size);
        assert!(cut == whole, "{} in blocks of {size}: {} instead of {}", format.name(), cut.len(), whole.len());
    }
}

#[test]
fn blocks_read_like_the_whole_file() {
    let mut rich: Vec<_> = (0..12).map(|seed| rich_game(seed, true)).collect();
    let pgn = written(&Pgn, &rich);
    check(&Pgn, pgn.as_bytes());
    check(&Pgn, pgn.replace('\n', "\r\n").as_bytes());
    check(&Sgs::EXTENDED, written(&Sgs::EXTENDED, &rich).as_bytes());
    check(&Boards, written(&Boards, &rich).as_bytes());
    check(&EpdFile, written(&EpdFile, &rich).as_bytes());
    rich.retain(|game| game.outcome.is_some_and(|o| o.by != By::Void));
    check(&Viri, &written_bytes(&Viri, &rich));
}

#[test]
fn blocks_of_untidy_pgn_read_like_the_whole_file() {
    let game = "[White \"a\"]\n\n[Black \"b\"]\n\n1. e4 {open\n\n% [no \"tag\"]\n\n[Event \"x\"]\n\n1. d4 d5 *\n2. c4 x\n\n\n\
                [Event \"y\"]\n[Site \"z\"]\n\n{alone}\n\n[Event \"w\"]\n\n1. e4 (1. d4 {a } d5) e5 ; [Event \"v\"]\n1-0 1. c4 *\n";
    check(&Pgn, game.repeat(4).as_bytes());
}

#[test]
fn boards_of_old_game_sets_become_moves_and_boards_again() {
    let text = "game B fools_mate\ntitle example\nstart\n\
        board rnbqkbnr/pppppppp/8/8/6P1/8/PPPPPP1P/RNBQKBNR b KQkq g3 0 1\n\
        board rnbqkbnr/pppp1ppp/8/4p3/6P1/8/PPPPPP1P/RNBQKBNR w KQkq e6 0 2\n\
        board rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2\n\
        board rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3\n\n";
    let read = games(&Boards, text);
    assert_eq!(read[0].main_line(), ["g2g4", "e7e5", "f2f3", "d8h4"]);
    assert_eq!(written(&Boards, &read), text);
    assert_eq!(written(&Sgs::PLAIN, &read), "game B fools_mate\ntitle example\nstart\nmoves g2g4 e7e5 f2f3 d8h4\n\n");
    // All kinds of moves are found between boards.
    for seed in 0..20 {
        let game = rich_game(seed, false);
        let back = games(&Boards, written(&Boards, std::slice::from_ref(&game)));
        assert_eq!(back[0].main_line(), game.main_line(), "{seed}");
    }
}
