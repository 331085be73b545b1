//! Games to write down, and formats applied to them.

use crate::data;
use std::{io::Cursor, time::Duration};
use tesuji_chess::{BLACK, Board, Rules, WHITE, fen};
use tesuji_game::{By, Outcome, Position, Random, Value};
use tesuji_record::{GameRecord, Note, RecordError, RecordFormat, SharedBuffer, Step};

/// `games` written in `format`.
pub fn written(format: &dyn RecordFormat, games: &[GameRecord<String>]) -> String {
    String::from_utf8(written_bytes(format, games)).unwrap()
}

/// The same for formats that are no text.
pub fn written_bytes(format: &dyn RecordFormat, games: &[GameRecord<String>]) -> Vec<u8> {
    let out = SharedBuffer::default();
    let mut writer = format.writer(Box::new(out.clone()));
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap();
    out.take()
}

/// All that `format` reads from `text`, errors included.
pub fn read(format: &dyn RecordFormat, text: impl Into<Vec<u8>>) -> Vec<Result<GameRecord<String>, RecordError>> {
    tesuji_record::Records::new(format.reader(Box::new(Cursor::new(text.into())))).collect()
}

/// The games of a text without errors.
#[track_caller]
pub fn games(format: &dyn RecordFormat, text: impl Into<Vec<u8>>) -> Vec<GameRecord<String>> {
    read(format, text).into_iter().map(Result::unwrap).collect()
}

/// The errors of a text, as a person reads them.
pub fn errors(format: &dyn RecordFormat, text: impl Into<Vec<u8>>) -> Vec<String> {
    read(format, text).into_iter().filter_map(|r| r.err().map(|e| e.to_string())).collect()
}

/// A random game with everything that a record can say; variations too, if wanted.
pub fn rich_game(seed: u64, variations: bool) -> GameRecord<String> {
    let random = &mut Random::for_item(seed, 7);
    let chess960 = random.below(3) == 0;
    let rules = Rules { chess960, ..Rules::default() };
    let (start, text) = match (chess960, random.below(2)) {
        (true, _) => {
            let text = "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc - 0 1";
            (fen::parse(text, &rules, fen::Care::Strict).unwrap(), Some(text.to_string()))
        }
        (false, 0) => (Board::start(), None),
        (false, _) => {
            let text = "r3k2r/pP1pqpb1/bn2pnp1/2pPN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R b KQkq - 3 20";
            (fen::parse(text, &rules, fen::Care::Strict).unwrap(), Some(text.to_string()))
        }
    };
    let mut game = GameRecord { rules: rules.to_string(), start: text, ..GameRecord::new() };
    for (name, value) in
        [("Event", "a \"test\" \\ match"), ("Date", "2026.11.21"), ("White", "Änne"), ("Black", "Bob 2")]
    {
        game.set_tag(name, value);
    }
    game.set_tag("TimeControl", "1+0.01");
    if random.below(2) == 0 {
        *game.note_mut(0) = Note { comment: "before the game".into(), ..Note::default() };
    }
    let (mut parent, mut last) = (0, start);
    for (board, mv) in data::random_game(start, random.below(120), random) {
        let here = game.push(parent, Step::Move(data::move_text(&board, mv)));
        if random.below(3) > 0 {
            *game.note_mut(here) = random_note(random);
        }
        let others = board.legal_moves();
        let other = others[random.below(others.len())];
        if variations && other != mv && random.below(4) == 0 {
            let side = game.push(parent, Step::Move(data::move_text(&board, other)));
            if random.below(2) == 0 {
                game.note_mut(side).comment = "an idea".into();
            }
            let next = data::after(&board, other);
            for reply in next.legal_moves().into_iter().take(random.below(3)) {
                game.push(side, Step::Move(data::move_text(&next, reply)));
            }
        }
        (parent, last) = (here, data::after(&board, mv));
    }
    game.outcome = match random.below(5) {
        0 => None,
        1 => Some(Outcome::win(WHITE, By::Time)),
        2 => Some(Outcome::win(BLACK, By::Adjudication)),
        3 => Some(Outcome::draw(By::Adjudication)),
        _ => Some(Outcome::win(WHITE, By::Disconnect)),
    };
    if game.outcome.is_some() && !last.has_moves() {
        game.outcome = Some(last.no_legal_moves());
    }
    game
}

fn random_note(random: &mut Random) -> Note {
    let value = match random.below(4) {
        0 => None,
        1 => Some(Value::mate_in(1 + 2 * random.below(20) as i32)),
        2 => Some(Value::mated_in(2 * random.below(20) as i32)),
        _ => Some(Value::cp(random.below(4000) as i32 - 2000)),
    };
    Note {
        comment: ["", "", "a comment of several words", "5s were left", "; odd"][random.below(5)].into(),
        glyphs: if random.below(5) == 0 { vec![1, 14] } else { vec![] },
        spent: (random.below(3) > 0).then(|| Duration::from_millis(random.below(100_000) as u64)),
        // Only PGN carries it.
        told: None,
        left: (random.below(3) > 0).then(|| Duration::from_millis(random.below(10_000_000) as u64)),
        value,
        depth: std::num::NonZeroU32::new(random.below(40) as u32),
        nodes: std::num::NonZeroU64::new(random.below(1_000_000) as u64),
        visits: Vec::new(),
    }
}
