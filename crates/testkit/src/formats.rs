//! The invariants that every format of games keeps: what is read back is what was written, but for what the format says it drops.

use std::{
    collections::BTreeSet,
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};
use tesuji_game::{By, Outcome, Random, Side, Value};
use tesuji_record::{AnyGame, Fault, GameRecord, Note, Part, RecordFormat, RulesTable, SharedBuffer, Step};

/// The packed move of a move in text; `None`: it is none.
pub type Code<'a> = &'a dyn Fn(&str) -> Option<u16>;

/// The moves of the games that are written.
const PLIES: usize = 24;
/// Games of each format.
const SEEDS: std::ops::Range<u64> = 0..8;
/// The moves at the beginning that were not searched, where a game has such: an opening.
const UNVALUED: usize = 4;

/// Writes games that say all that games may say in every format of `game`, and reads them back. `code`: the packed move of a move
/// in text, which is not asked where the game has none.
///
/// # Panics
/// When a format loses what it does not say it drops, keeps what it says it drops, or takes none of the games.
pub fn conform(game: &dyn AnyGame, code: Option<Code<'_>>) {
    let mut faults = BTreeSet::new();
    for format in game.formats() {
        let mut written = 0;
        for seed in SEEDS {
            for unvalued in [0, UNVALUED] {
                let record = full(game, code, seed, unvalued);
                written += u32::from(check(*format, &record, &mut faults));
            }
        }
        assert!(written > 0, "{} of {}: it takes no game", format.name(), game.name());
    }
    assert!(faults.is_empty(), "formats of {}: {faults:#?}", game.name());
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
            ..Note::default()
        };
        if i >= unvalued {
            note.value = Some(Value::cp(10 + i as i32));
            (note.depth, note.nodes) = (NonZeroU32::new(5 + i as u32), NonZeroU64::new(1000 + i as u64));
            note.visits = vec![(visited, 10 + i as u32)];
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

/// Whether the format takes the game; it is then read back, and `faults` hears what differs.
fn check(format: &dyn RecordFormat, record: &GameRecord<String>, faults: &mut BTreeSet<String>) -> bool {
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
    let mut expect = |is_so: bool, words: &str| {
        if !is_so {
            faults.insert(format!("{name}: {words}"));
        }
    };
    let left_out = format.moves_left_out(record);
    let is_whole = left_out == 0;
    expect(back.plies() as u64 + left_out == record.plies() as u64, "moves are lost, and not counted");
    expect(!is_whole || back.main_line() == record.main_line(), "the moves are others");
    let winner = |game: &GameRecord<String>| game.outcome.map(|outcome| outcome.winner);
    expect(back.plies() == 0 || winner(&back) == winner(record), "the winner is another");
    for part in Part::ALL {
        let words = part.words();
        let is_dropped = |dropped: &Part| *dropped == part || part == Part::Tags && matches!(dropped, Part::TagsBut(_));
        match format.drops().iter().any(is_dropped) {
            // A result may come back as a tag.
            true if part == Part::Tags => {
                let event = back.tag("Event");
                expect(event.is_none(), "it says that it drops tags, and keeps them");
            }
            true => expect(!part.is_in(&back), &format!("it says that it drops {words}, and keeps some")),
            false if is_whole => {
                expect(keeps(format, part, record, &back), &format!("it drops {words}, and does not say so"))
            }
            false => {}
        }
    }
    for part in format.drops().iter().filter(|part| matches!(part, Part::TagsBut(_))) {
        expect(keeps(format, *part, record, &back), "it says that it keeps some tags, and drops one of them");
    }
    true
}

/// Whether `back` says all that `record` says of `part`.
fn keeps(format: &dyn RecordFormat, part: Part, record: &GameRecord<String>, back: &GameRecord<String>) -> bool {
    match part {
        Part::Variations => {
            // In whatever order they are stored; the main line was compared.
            let paths = |game: &GameRecord<String>| {
                let words = |&node: &u32| format!("{:?}", game.nodes[node as usize].step);
                let path = |node: usize| game.path(node as u32).iter().map(words).collect::<Vec<_>>();
                (0..game.nodes.len()).map(path).collect::<BTreeSet<_>>()
            };
            paths(record) == paths(back)
        }
        Part::TagsBut(kept) => {
            let kept = |tag: &&(String, String)| kept.contains(&tag.0.as_str());
            record.tags.iter().filter(kept).all(|(tag, value)| back.tag(tag) == Some(value))
        }
        Part::Tags => record.tags.iter().all(|(tag, value)| back.tag(tag) == Some(value)),
        _ => record.main_nodes().into_iter().zip(back.main_nodes()).all(|(ours, theirs)| {
            let (ours, theirs) = (record.note(ours), back.note(theirs));
            let is_filled = part == Part::Values && ours.value.is_none() && !format.tells_unvalued();
            is_filled || same(part, ours, theirs)
        }),
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
        Part::Variations | Part::Tags | Part::TagsBut(_) => true,
    }
}
