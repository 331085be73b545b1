//! The invariants that every format of games keeps: what is read back is what was written, but for what the format says it drops.

use std::time::Duration;
use tesuji_game::{By, Outcome, Random, Side, Value};
use tesuji_record::{AnyGame, Fault, GameRecord, Note, Part, RecordFormat, RulesTable, SharedBuffer, Step};

/// The packed move of a move in text; `None`: it is none.
pub type Code<'a> = &'a dyn Fn(&str) -> Option<u16>;

/// The moves of the games that are written.
const PLIES: usize = 24;
/// Games of each format.
const SEEDS: std::ops::Range<u64> = 0..8;
/// The moves at the beginning without a value, where a game has such: an opening.
const UNVALUED: usize = 4;

/// Writes games that say all that games may say in every format of `game`, and reads them back. `code`: the packed move of a move
/// in text, which is not asked where the game has none.
///
/// # Panics
/// When a format loses what it does not say it drops, keeps what it says it drops, or takes none of the games.
pub fn conform(game: &dyn AnyGame, code: Option<Code<'_>>) {
    for format in game.formats() {
        let mut written = 0;
        for seed in SEEDS {
            for unvalued in [0, UNVALUED] {
                let record = full(game, code, seed, unvalued);
                written += u32::from(check(*format, &record));
            }
        }
        assert!(written > 0, "{} of {}: it takes no game", format.name(), game.name());
    }
}

/// Random moves on a table; none of them ends the game.
fn random_moves(table: &mut dyn RulesTable, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    while table.plies() < PLIES {
        let moves = table.moves();
        if moves.is_empty() {
            break;
        }
        if table.play(&moves[random.below(moves.len())]).is_ok() && table.outcome().is_some() {
            table.undo();
            break;
        }
    }
    table.played()
}

/// A game with every [`Part`]; its first `unvalued` moves have no value.
fn full(game: &dyn AnyGame, code: Option<Code<'_>>, seed: u64, unvalued: usize) -> GameRecord<String> {
    let mut table = game.table("", None).expect("the usual start");
    let moves = random_moves(table.as_mut(), seed);
    assert!(moves.len() > 2 * UNVALUED, "{}: seed {seed} ends after {} moves", game.name(), moves.len());
    let mut record = GameRecord::from_moves("", None, moves.iter().cloned());
    for (i, node) in record.main_nodes().into_iter().enumerate() {
        let mv = &moves[i];
        let visited = code.map_or(Some(i as u16 + 1), |code| code(mv)).expect("a packed move");
        let note = record.note_mut(node);
        *note = Note {
            spent: Some(Duration::from_millis(1500 + i as u64)),
            left: Some(Duration::from_millis(60_000 - i as u64)),
            visits: vec![(visited, 10 + i as u32)],
            ..Note::default()
        };
        if i >= unvalued {
            (note.value, note.depth, note.nodes) = (Some(Value::cp(10 + i as i32)), 5 + i as u32, 1000 + i as u64);
        }
    }
    record.note_mut(5).comment = "a good move".into();
    record.note_mut(6).glyphs = vec![1];
    // A variation: another move in the place of the third.
    let mut other = game.table("", None).expect("the usual start");
    moves[..2].iter().for_each(|mv| other.play(mv).expect("a legal move"));
    let instead = other.moves().into_iter().find(|mv| *mv != moves[2]).expect("a choice");
    record.push(2, Step::Move(instead));
    record.set_tag("Label", "g7");
    record.set_tag("Event", "A test");
    let side = if moves.len() % 2 == 1 { Side::First } else { Side::Second };
    record.outcome = Some(Outcome::win(side, By::Resignation));
    assert!(Part::ALL.iter().all(|part| part.is_in(&record)), "a game that says all");
    record
}

/// Whether the format takes the game; it is then read back and compared.
#[track_caller]
fn check(format: &dyn RecordFormat, record: &GameRecord<String>) -> bool {
    let name = format.name();
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    match writer.write(record).map_err(|error| error.fault) {
        Err(Fault::Unsupported(_)) => return false,
        written => written.unwrap_or_else(|fault| panic!("{name}: {fault}")),
    }
    writer.finish().unwrap_or_else(|error| panic!("{name}: {error}"));
    let bytes = bytes.take();
    let shown = String::from_utf8_lossy(&bytes).into_owned();
    let mut reader = format.reader(Box::new(std::io::Cursor::new(bytes)));
    let back = reader.read().unwrap_or_else(|error| panic!("{name}: {error}\n{shown}"));
    let back = back.unwrap_or_else(|| panic!("{name}: nothing is read back\n{shown}"));
    assert!(matches!(reader.read(), Ok(None)), "{name}: more than one game is read back\n{shown}");
    let left_out = format.moves_left_out(record);
    assert_eq!(back.plies() as u64 + left_out, record.plies() as u64, "{name}: moves\n{shown}");
    if back.plies() > 0 {
        let winner = |game: &GameRecord<String>| game.outcome.map(|outcome| outcome.winner);
        assert_eq!(winner(&back), winner(record), "{name}: the winner\n{shown}");
    }
    if left_out == 0 {
        assert_eq!(back.main_line(), record.main_line(), "{name}: moves\n{shown}");
    }
    for part in Part::ALL {
        let words = part.words();
        if format.drops().contains(&part) {
            assert!(!part.is_in(&back), "{name}: it says that it drops {words}, and keeps them\n{shown}");
        } else if left_out == 0 {
            compare(format, part, record, &back, &shown);
        }
    }
    true
}

/// Panics where `back` says less of `part` than `record`.
#[track_caller]
fn compare(format: &dyn RecordFormat, part: Part, record: &GameRecord<String>, back: &GameRecord<String>, shown: &str) {
    let (name, words) = (format.name(), part.words());
    match part {
        Part::Variations => {
            let shape = |game: &GameRecord<String>| {
                game.nodes.iter().map(|node| (node.parent, format!("{:?}", node.step))).collect::<Vec<_>>()
            };
            assert_eq!(shape(back), shape(record), "{name}: {words}\n{shown}");
        }
        Part::Tags => {
            for (tag, value) in &record.tags {
                assert_eq!(back.tag(tag), Some(value.as_str()), "{name}: the tag {tag}\n{shown}");
            }
        }
        _ => {
            for (ours, theirs) in record.main_nodes().into_iter().zip(back.main_nodes()) {
                let (ours, theirs) = (record.note(ours), back.note(theirs));
                let is_filled = part == Part::Values && ours.value.is_none() && !format.tells_unvalued();
                assert!(
                    is_filled || same(part, ours, theirs),
                    "{name}: {words}: {ours:?} came back as {theirs:?}\n{shown}"
                );
            }
        }
    }
}

/// Whether two notes say the same of `part`.
fn same(part: Part, a: &Note, b: &Note) -> bool {
    match part {
        Part::Comments => a.comment == b.comment,
        Part::Glyphs => a.glyphs == b.glyphs,
        Part::Times => (a.spent, a.told) == (b.spent, b.told),
        Part::Clocks => a.left == b.left,
        Part::Values => a.value == b.value,
        Part::Depths => (a.depth, a.nodes) == (b.depth, b.nodes),
        Part::Visits => a.visits == b.visits,
        Part::Variations | Part::Tags => true,
    }
}
