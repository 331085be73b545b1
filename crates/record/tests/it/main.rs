//! Records and the door of a game, on the toy game and on random trees.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use std::io::{BufRead, Read, Write};
use tesuji_game::{NotationError, Random, Side};
use tesuji_record::{
    AnyGame, Fault, GameRecord, Of, Part, RecordError, RecordFormat, RecordReader, RecordWriter, Records, Step, of,
};
use tesuji_testkit::four::Four;

/// A format with a game a line: moves between spaces.
struct LineFormat;

struct LineReader(Box<dyn BufRead + Send>, u64);

struct LineWriter(Box<dyn Write + Send>);

impl RecordFormat for LineFormat {
    fn name(&self) -> &'static str {
        "line"
    }
    fn extensions(&self) -> &'static [&'static str] {
        &["ln", "line"]
    }
    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(LineReader(input, 0))
    }
    fn tells_unvalued(&self) -> bool {
        true
    }
    fn drops(&self) -> &'static [Part] {
        &Part::ALL
    }
    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }
    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(LineWriter(output))
    }
}

impl RecordReader for LineReader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let mut line = String::new();
        self.1 += 1;
        match self.0.read_line(&mut line)? {
            0 => Ok(None),
            _ if line.contains('!') => Err(RecordError::new(self.1, self.1, Fault::expected("a column", line.trim()))),
            _ => Ok(Some(GameRecord::from_moves("", None, line.split_whitespace().map(String::from)))),
        }
    }
}

impl RecordWriter for LineWriter {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        Ok(writeln!(self.0, "{}", record.main_line().join(" "))?)
    }
    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.0.flush()?)
    }
    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

static FOUR: Of<Four> = of(&[&LineFormat]);

/// A whole game through the door, nothing but text: legal moves are played, the end is seen, all is taken back.
#[test]
fn a_game_is_played_through_the_door() {
    let door: &dyn AnyGame = &FOUR;
    for seed in 0..50 {
        let mut random = Random::new(seed);
        let mut table = door.table("", None).unwrap();
        let start = table.position();
        let mut positions = Vec::new();
        while table.outcome().is_none() {
            let moves = table.moves();
            let side = [Side::First, Side::Second][table.plies() % 2];
            assert_eq!(table.side_to_move(), side);
            positions.push(table.position());
            let mv = &moves[random.below(moves.len())];
            table.play(mv).unwrap();
            assert_eq!(table.played().last(), Some(mv));
        }
        // The moves lead there again, and a position leads on from where it was written.
        let mut again = door.table("", None).unwrap();
        table.played().iter().for_each(|mv| again.play(mv).unwrap());
        assert_eq!((again.position(), again.outcome()), (table.position(), table.outcome()));
        assert_eq!(
            door.table("", positions.last().map(String::as_str)).unwrap().position(),
            *positions.last().unwrap()
        );
        while table.undo() {
            assert_eq!(Some(table.position()), positions.pop());
        }
        assert_eq!((table.position(), table.plies()), (start, 0));
    }
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut table = FOUR.table("", None).unwrap();
    for bad in ["", "no column", "99"] {
        assert!(table.play(bad).is_err(), "{bad}");
    }
    let first = table.moves()[0].clone();
    for _ in 0..6 {
        table.play(&first).unwrap();
    }
    let before = table.position();
    assert!(matches!(table.play(&first), Err(NotationError::IllegalMove { .. })), "the column is full");
    assert_eq!((table.position(), table.plies()), (before, 6));
    assert!(FOUR.table("no such rules", None).is_err() && FOUR.table("", Some("no position")).is_err());
}

#[test]
fn formats_are_found_by_name_and_ending() {
    for name in ["line", "LINE", "games.ln", "a.b.line.zst", "games.LN.gz"] {
        assert_eq!(FOUR.format(name).map(|f| f.name()), Some("line"), "{name}");
    }
    for name in ["", "pgn", "line.txt", "games.zst"] {
        assert!(FOUR.format(name).is_none(), "{name}");
    }
}

#[test]
fn reading_goes_on_behind_a_broken_game() {
    let input = "1 2\n!\n3\n";
    let results: Vec<_> = Records::new(LineFormat.reader(Box::new(input.as_bytes()))).collect();
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 2);
    assert_eq!(results[1].as_ref().unwrap_err().to_string(), "line 2 (game 2): expected a column, found `!`");
}

/// A stream that fails.
struct Torn;

impl Read for Torn {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::other("torn"))
    }
}

#[test]
fn a_failing_stream_ends_the_reading() {
    let input = Box::new(std::io::BufReader::new(Torn));
    let results: Vec<_> = Records::new(LineFormat.reader(input)).collect();
    assert!(results.len() == 1 && results[0].as_ref().unwrap_err().is_fatal());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// The ways to walk a tree agree, whatever the order in which it grew.
    #[test]
    fn walks_over_a_tree_agree(parents in proptest::collection::vec(any::<proptest::sample::Index>(), 0..60)) {
        let mut game = GameRecord::<u16>::new();
        for (i, parent) in parents.iter().enumerate() {
            let parent = parent.index(game.nodes.len()) as u32;
            game.push(parent, Step::Move(i as u16));
        }
        let tree = game.tree();
        let mut seen = 1;
        for node in 0..game.nodes.len() as u32 {
            let children: Vec<u32> = game.children(node).collect();
            prop_assert_eq!(&children, &tree.children(node).collect::<Vec<_>>());
            prop_assert!(children.iter().all(|&c| game.nodes[c as usize].parent == node));
            seen += children.len();
            prop_assert_eq!(game.path(node).len(), game.path(game.nodes[node as usize].parent).len() + (node > 0) as usize);
        }
        prop_assert_eq!(seen, game.nodes.len());
        let main = game.main_nodes();
        let walked: Vec<u32> = std::iter::successors(tree.first_child(0), |&n| tree.first_child(n)).collect();
        prop_assert_eq!(&main, &walked);
        prop_assert_eq!(game.path(game.last()), main);
        prop_assert_eq!(game.plies(), game.main_line().len());
        let branches = (0..game.nodes.len() as u32).any(|n| tree.children(n).count() > 1);
        prop_assert_eq!(game.has_variations(), branches);
    }
}
