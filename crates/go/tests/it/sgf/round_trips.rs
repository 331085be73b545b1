//! Games of every shape are written and read back as they were.

use super::{all, one, written};
use proptest::prelude::*;
use std::time::Duration;
use tesuji_game::{By, Outcome, Random, Value};
use tesuji_go::{BLACK, WHITE, door, sgf::Sgf};
use tesuji_record::{AnyGame, GameRecord, Note, RulesTable, Step};

const RULES: [&str; 7] = [
    "",
    "9x9",
    "5x4 japanese komi 0.5",
    "3x3 tromp-taylor komi 0",
    "25x25 aga komi -3",
    "19x19 chinese komi 7.5 handicap 3",
    "7x7 ko simple scoring territory tax seki suicide yes bonus 0 button no komi 6.5",
];

/// Pieces of text that are hard to keep.
const PIECES: [&str; 14] =
    ["]", "\\", "\n", ":", "[", "n=5", ";", "棋", "é", " ", "word", "+0.31/12", "[%sgf ", "(;B[aa])"];

fn words(random: &mut Random) -> String {
    (0..random.below(6)).map(|_| PIECES[random.below(PIECES.len())]).collect()
}

fn note(random: &mut Random) -> Note {
    let mut note = Note { comment: words(random), ..Note::default() };
    if random.below(3) == 0 {
        let list = ["[%sgf TR[aa][bb:cc]]", "[%sgf LB[aa:x\\]][bb:y]N[a name]]", "[%sgf HO[1]]"][random.below(3)];
        let end = if note.comment.is_empty() { "" } else { "\n" };
        note.comment = format!("{}{end}{list}", note.comment);
    }
    if random.below(3) == 0 {
        note.value = Some(Value::from_raw(random.below(64_000) as i32 - 32_000));
        note.depth = std::num::NonZeroU32::new(random.below(3) as u32);
    }
    note.spent = (random.below(3) == 0).then(|| Duration::from_millis(random.next_u64() >> 40));
    note.told = (random.below(3) == 0).then(|| Duration::from_millis(random.next_u64() >> 40));
    note.left = (random.below(3) == 0).then(|| Duration::from_millis(random.next_u64() >> 40));
    note.nodes = std::num::NonZeroU64::new([0, 1, u64::MAX][random.below(3)]);
    note.glyphs = (0..random.below(3)).map(|_| random.below(14) as u8).collect();
    note.visits = (0..random.below(3)).map(|_| (random.below(65_536) as u16, random.below(9) as u32)).collect();
    note
}

/// Adds what follows `parent`, at whose position `table` stands.
fn grow(game: &mut GameRecord<String>, parent: u32, table: &mut dyn RulesTable, depth: usize, random: &mut Random) {
    let children = if depth == 0 { 0 } else { [1, 1, 1, 1, 2, 3, 0][random.below(7)] };
    for _ in 0..children {
        let moves = table.moves();
        let here = if random.below(8) > 0 {
            let mv = moves[random.below(moves.len())].clone();
            table.play(&mv).unwrap();
            let here = game.push(parent, Step::Move(mv));
            grow(game, here, table, depth - 1, random);
            table.undo();
            here
        } else {
            let text = other_position(game, table, random);
            let here = game.push_setup(parent, text.clone());
            let mut other = DOOR.table(&game.rules, Some(&text)).unwrap();
            grow(game, here, &mut *other, depth - 1, random);
            here
        };
        if random.below(4) == 0 {
            *game.note_mut(here) = note(random);
        }
    }
}

const DOOR: tesuji_go::GoDoor = door(&[&Sgf]);

/// A position to set up: this one, this one with the other side to move, this one after some moves, or another game's.
fn other_position(game: &GameRecord<String>, table: &dyn RulesTable, random: &mut Random) -> String {
    let here = table.position();
    match random.below(4) {
        0 => here,
        1 if here.contains(" b ") => here.replace(" b ", " w "),
        1 => here.replace(" w ", " b "),
        n => {
            let start = if n == 2 { Some(here.as_str()) } else { None };
            let mut table = DOOR.table(&game.rules, start).unwrap();
            for _ in 0..random.below(12) {
                let moves = table.moves();
                table.play(&moves[random.below(moves.len())]).unwrap();
            }
            table.position()
        }
    }
}

/// A game with everything, the same for the same seed.
pub fn game(seed: u64) -> GameRecord<String> {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut game = GameRecord::from_moves(RULES[random.below(RULES.len())], None, []);
    if random.below(3) == 0 {
        let table = DOOR.table(&game.rules, None).unwrap();
        game.start = Some(other_position(&game, &*table, random));
        // The position says how many stones are handicap.
        game.rules = game.rules.replace(" handicap 3", "");
    }
    const TAGS: [(&str, &str); 10] = [
        ("Black", "a ] b"),
        ("Date", "2024.01.02"),
        ("GameComment", "two\nlines\\"),
        ("XY", "unknown"),
        ("Time Control", "60+0.6"),
        ("a:b", "c:d"),
        ("TR", "no markup"),
        ("Handicap", "4"),
        ("KM", "6.5"),
        ("RE", "B+R"),
    ];
    for _ in 0..random.below(5) {
        let (name, value) = TAGS[random.below(TAGS.len())];
        game.tags.push((name.into(), value.into()));
    }
    let winner = [None, Some(BLACK), Some(WHITE)][random.below(3)];
    let by = [By::Points(0.5), By::Resignation, By::Time, By::Illegal, By::Void, By::Adjudication][random.below(6)];
    game.outcome = (random.below(3) > 0).then_some(Outcome { winner, by });
    if random.below(3) == 0 {
        *game.note_mut(0) = note(random);
    }
    let mut table = DOOR.table(&game.rules, game.start.as_deref()).unwrap();
    let depth = random.below(12);
    grow(&mut game, 0, &mut *table, depth, random);
    game
}

/// How many games are tried.
fn cases() -> u32 {
    if tesuji_testkit::needs::is_slow() { 20_000 } else { 300 }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    /// Tags that SGF has no property for move behind the others; all else comes back as it was.
    #[test]
    fn games_read_back(seed in any::<u64>()) {
        let mut game = game(seed);
        let text = written(&game);
        let mut back = one(&text);
        let again = one(&written(&back));
        prop_assert_eq!(&again, &back);
        game.tags.sort();
        back.tags.sort();
        prop_assert!(back == game, "seed {}: {:?}\nwas written as\n{}\nand read as\n{:?}", seed, game, text, back);
    }

    /// Any number of games one behind another.
    #[test]
    fn collections_read_back(seeds in prop::collection::vec(any::<u64>(), 0..5)) {
        let games: Vec<_> = seeds.iter().map(|&seed| one(&written(&game(seed)))).collect();
        let file: String = games.iter().map(written).collect();
        let back: Vec<_> = all(file.as_bytes()).into_iter().map(Result::unwrap).collect();
        prop_assert_eq!(back, games);
    }
}
