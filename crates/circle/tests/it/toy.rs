//! The toy game as a kit: a linear evaluation of its cells that can be learned, a player, a format of one game a line.

use std::{
    fs,
    io::{BufRead, Write},
    path::Path,
};
use tesuji_dataset::searched::MoveWords;
use tesuji_dataset::{Features, Filter, Head, Rows, SampleError};
use tesuji_engine::{Player, PlayerError, Scale, Seat};
use tesuji_game::{By, Evaluator, Game, Limits, NotationError, Outcome, Position, Report, Side, Value, Watch};
use tesuji_kit::{
    Kit, KitError, explain::Explain, features::FeatureTables, mates::Mates, playouts::Playouts, regions::Regions,
    tuning::Tuning,
};
use tesuji_kit::{RulesOnly, RulesTest, bench::Benchmark, networks::Networks};
use tesuji_options::{OptionError, Options, Spec, options};
use tesuji_protocol::{EngineEnd, uci::UciEngine};
use tesuji_record::{
    AnyGame, Fault, GameRecord, HasDoor, Of, RecordError, RecordFormat, RecordReader, RecordWriter, Step, Survey, of,
};
use tesuji_search::alpha_beta::AlphaBeta;
use tesuji_tally::{Term, Weights};
use tesuji_testkit::four::{Four, FourPosition, NoRules};

/// The cells, and who is to move.
pub static TERMS: &[Term] = &[
    Term { name: "cells", group: "cells", first: 0, len: 42, columns: 7, unit: 1, doc: "discs", source: "test" },
    Term { name: "tempo", group: "tempo", first: 42, len: 1, columns: 0, unit: 1, doc: "to move", source: "test" },
];

/// The counts of a position.
fn counts(pos: &FourPosition) -> Vec<(u16, i16)> {
    let (mine, all) = pos.discs();
    let sign = if pos.side_to_move() == Side::First { 1 } else { -1 };
    let mut counts = vec![(42, sign)];
    for column in 0..7 {
        for row in 0..6 {
            let cell = 1u64 << (7 * column + row);
            if all & cell != 0 {
                counts.push(((7 * row + column) as u16, if mine & cell != 0 { sign } else { -sign }));
            }
        }
    }
    counts
}

/// The sum of the weights of the cells.
#[derive(Clone)]
struct Cells(Weights);

impl Evaluator<FourPosition> for Cells {
    fn value(&mut self, pos: &FourPosition) -> Value {
        let sum: i32 = counts(pos).iter().map(|&(f, c)| i32::from(self.0.values[f as usize][0]) * i32::from(c)).sum();
        Value::cp(if pos.side_to_move() == Side::First { sum } else { -sum })
    }
}

options! {
    /// The weights file.
    struct ToyOptions {
        /// Where the weights are.
        eval_file: File = "", "EvalFile";
    }
}

struct ToyPlayer {
    seat: Seat<Four, AlphaBeta<FourPosition, Cells>>,
    options: ToyOptions,
}

impl Options for ToyPlayer {
    fn specs(&self) -> Vec<Spec> {
        let mut specs = ToyOptions::SPECS.to_vec();
        specs.extend(self.seat.searcher().specs());
        specs
    }

    fn get(&self, name: &str) -> Option<String> {
        self.options.get(name).or_else(|| Options::get(self.seat.searcher(), name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if name != "EvalFile" {
            return self.seat.searcher_mut().set(name, value);
        }
        self.options.set(name, value)?;
        let text = fs::read_to_string(value).unwrap();
        let weights = Weights::from_json(&text, "four", TERMS, value).unwrap();
        self.seat.searcher_mut().set_evaluator(Cells(weights));
        Ok(())
    }
}

impl Player for ToyPlayer {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self)
    }

    fn new_game(&mut self) {
        self.seat.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        self.seat.set_position(rules, start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.seat.is_move(text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        self.seat.go(limits, only, watch)
    }

    fn show(&self) -> String {
        self.seat.show()
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.seat.perft(depth, stop)
    }
}

/// The kit of the toy game.
pub struct Toy;

static DOOR: Of<Four> = of(&[&Lines]);

impl HasDoor for Toy {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for Toy {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta"]
    }

    fn player(&self, _: &str) -> Result<Box<dyn Player>, KitError> {
        let seat = Seat::new(AlphaBeta::new(Cells(Weights::zero(43))));
        Ok(Box::new(ToyPlayer { seat, options: ToyOptions::default() }))
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(UciEngine)
    }

    fn side_tags(&self) -> [&'static str; 2] {
        ["Red", "Yellow"]
    }

    fn scale(&self) -> Scale {
        Scale::Centipawns
    }

    fn full_rules(&self, rules: &str) -> Result<String, NotationError> {
        Ok(rules.to_string())
    }

    fn openings(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn opening_moves(&self, _: &str) -> Option<fn(&str) -> bool> {
        None
    }

    fn symmetry_key(&self, _: &str) -> Option<String> {
        None
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        None
    }

    fn move_words(&self) -> Option<MoveWords> {
        None
    }

    fn mates(&self) -> Option<&'static dyn Mates> {
        None
    }

    fn regions(&self) -> Option<&'static dyn Regions> {
        None
    }

    fn rules_test(&self) -> &dyn RulesTest {
        static BY_TEXT: RulesOnly = RulesOnly(&DOOR);
        &BY_TEXT
    }

    fn benchmark(&self) -> Option<&'static dyn Benchmark> {
        None
    }

    fn networks(&self) -> Option<&'static dyn Networks> {
        None
    }

    fn tuning(&self) -> Option<&'static Tuning> {
        None
    }

    fn explain(&self) -> Option<&'static dyn Explain> {
        None
    }

    fn feature_tables(&self) -> Option<&'static dyn FeatureTables> {
        None
    }

    fn playouts(&self) -> Option<&'static dyn Playouts> {
        None
    }
}

impl Features for Toy {
    fn game(&self) -> &'static str {
        "four"
    }

    fn terms(&self) -> &'static [Term] {
        TERMS
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        use tesuji_game::Notation;
        let mut pos = Four::start(&NoRules);
        let moves = game.main_line();
        let half_points = (2.0 * game.outcome.unwrap().score(Side::First)) as u8;
        for index in 0..=moves.len() {
            if filter.keeps(&tesuji_dataset::Board { index: index as u32, ..Default::default() }) {
                let boards_left = (moves.len() - index) as u16;
                let head = Head { game: number, boards_left, phase: 256, scale: 64, half_points, ..Head::default() };
                out.push(head, &counts(&pos));
            }
            if let Some(text) = moves.get(index) {
                let mv = <Four as Game>::Notation::parse_move(&pos, text)
                    .map_err(|e| SampleError { ply: index + 1, reason: e.to_string() })?;
                pos.play(mv);
            }
        }
        Ok(moves.len() + 1)
    }
}

/// A game a line: label, origin, winner, moves.
pub struct Lines;

impl RecordFormat for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["sgs"]
    }

    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(LineReader(input))
    }

    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(LineWriter(output))
    }
}

struct LineReader(Box<dyn BufRead + Send>);

impl RecordReader for LineReader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let parts: Vec<&str> = line.trim_end().split('|').collect();
        let [label, origin, winner, moves] = parts[..] else {
            return Err(RecordError::new(1, 0, Fault::expected("four parts", &line)));
        };
        let mut game = GameRecord::from_moves("", None, moves.split_whitespace().map(String::from));
        game.set_tag("Label", label);
        game.set_tag("Origin", origin);
        game.outcome = match winner {
            "x" => Some(Outcome::win(Side::First, By::Mate)),
            "o" => Some(Outcome::win(Side::Second, By::Mate)),
            _ => Some(Outcome::draw(By::NoMoves)),
        };
        Ok(Some(game))
    }
}

struct LineWriter(Box<dyn Write + Send>);

impl RecordWriter for LineWriter {
    fn write(&mut self, game: &GameRecord<String>) -> Result<(), RecordError> {
        let winner = match game.outcome.and_then(|o| o.winner) {
            Some(Side::First) => "x",
            Some(Side::Second) => "o",
            None => "=",
        };
        let [label, origin] = ["Label", "Origin"].map(|tag| game.tag(tag).unwrap_or("-"));
        assert!(game.nodes.iter().all(|n| !matches!(n.step, Step::Setup(_))));
        let line = format!("{label}|{origin}|{winner}|{}\n", game.main_line().join(" "));
        Ok(self.0.write_all(line.as_bytes())?)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.0.flush()?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), RecordError> {
        self.flush()
    }
}

/// Writes weights of 0 for all cells.
pub fn write_start(path: &Path) {
    fs::write(path, Weights::zero(43).to_json("four", TERMS)).unwrap();
}
