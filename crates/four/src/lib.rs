//! Connect Four as a whole game, for tests alone: its kit is the fourth one, on which everything that names no game is tried.
//!
//! The rules are [`tesuji_testkit::four`]; all else that a game brings is here, as far as Connect Four has it: an evaluation that
//! learns, three searches, openings, records, tests of the rules, a bench. It has no mates by checks, no networks, no regions.

mod bench;
mod eval;
mod lessons;
mod records;
mod rules_test;
mod samples;

pub use eval::{FEATURES, HandEval, TERMS, builtin_weights, material_weights};
pub use lessons::TUNING;
pub use records::Lines;
pub use samples::{FourSurvey, Labelled};

use eval::{explain, load_weights, wdl};
use std::sync::Arc;
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, Scale};
use tesuji_game::{Game, Notation, NotationError, Position, Side, position_text};
use tesuji_kit::{
    Kit, KitError, RulesTest, bench::Benchmark, books::Books, console::Consoles, explain::Explain,
    features::FeatureTables, mates::Mates, networks::Networks, nnue::NnueNetworks, nnue_training::NnueTraining,
    playouts::Playouts, regions::Regions, shuffled::ShuffledStarts, tuning::Tuning,
};
use tesuji_kits_shared::{
    booked::Booked,
    chances::Model,
    handmade::{ByAlphaBeta, ByBestFirst, ByTree, Handmade},
    net::NoPlanes,
    nnue::NoInputs,
};
use tesuji_nn::{NetError, nnue::Architecture};
use tesuji_options::{Spec, options};
use tesuji_protocol::{EngineEnd, uci::UciEngine};
use tesuji_record::{AnyGame, HasDoor, Of, Survey, of};
use tesuji_tally::{Explanation, Weights, WeightsError};
use tesuji_testkit::four::{Columns, Four, FourPosition, NoRules};

/// The kit of Connect Four.
pub static FOUR: FourKit = FourKit;

/// Rules and records. A game between engines has some 38 plies of 42.
static DOOR: Of<Four> = of(&[&Lines]).lasting(38.0);

/// Positions after four plies; the first line says what made them.
const OPENINGS: &str = include_str!("../data/openings.txt");

/// Packed moves are columns, from 1.
const WORDS: MoveWords = MoveWords {
    word: |_, code| (1..=7).contains(&code).then(|| code.to_string()),
    code: |_, word| word.parse().ok().filter(|code| (1..=7).contains(code)),
};

/// Connect Four.
pub struct FourKit;

impl HasDoor for FourKit {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for FourKit {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta", "mcts", "best-first"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "alpha-beta" => Ok(Box::new(Booked::new(&DOOR, &Books::TEXT, ByAlphaBeta::<FourKit>::default()))),
            "mcts" => Ok(Box::new(Booked::new(&DOOR, &Books::TEXT, ByTree::<FourKit>::default()))),
            "best-first" => Ok(Box::new(Booked::new(&DOOR, &Books::TEXT, ByBestFirst::<FourKit>::default()))),
            _ => Err(KitError::unknown_family(self, family)),
        }
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(UciEngine)
    }

    fn side_tags(&self) -> [&'static str; 2] {
        SIDES
    }

    fn scale(&self) -> Scale {
        Scale::Centipawns
    }

    fn unit(&self) -> &'static str {
        "points"
    }

    fn full_rules(&self, rules: &str) -> Result<String, NotationError> {
        rules.parse::<NoRules>().map(|rules| rules.to_string())
    }

    fn openings(&self, rules: &str) -> Option<&'static str> {
        rules.is_empty().then_some(OPENINGS)
    }

    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts> {
        None
    }

    fn opening_moves(&self, _: &str) -> Option<fn(&str) -> bool> {
        None
    }

    fn symmetry_key(&self, position: &str) -> Option<String> {
        Columns::parse_position(&NoRules, position).ok()?;
        let mirrored = mirrored(position);
        Some(if mirrored.as_str() < position { mirrored } else { position.to_string() })
    }

    fn books(&self) -> &'static Books {
        &Books::TEXT
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        Some(&FourSurvey)
    }

    fn move_words(&self) -> Option<MoveWords> {
        Some(WORDS)
    }

    fn mates(&self) -> Option<&'static dyn Mates> {
        None
    }

    fn regions(&self) -> Option<&'static dyn Regions> {
        None
    }

    fn rules_test(&self) -> &dyn RulesTest {
        &rules_test::RULES_TEST
    }

    fn benchmark(&self) -> Option<&'static dyn Benchmark> {
        Some(&bench::FourBench)
    }

    fn networks(&self) -> Option<&'static dyn Networks> {
        None
    }

    fn nnue(&self) -> Option<&'static dyn NnueNetworks> {
        None
    }

    fn nnue_training(&self) -> Option<&'static dyn NnueTraining> {
        None
    }

    fn tuning(&self) -> Option<&'static Tuning> {
        Some(&TUNING)
    }

    fn explain(&self) -> Option<&'static dyn Explain> {
        Some(&lessons::EXPLAIN)
    }

    fn feature_tables(&self) -> Option<&'static dyn FeatureTables> {
        None
    }

    fn playouts(&self) -> Option<&'static dyn Playouts> {
        None
    }

    fn consoles(&self) -> Option<&'static dyn Consoles> {
        None
    }
}

/// The names of the sides, the one that begins before the other.
const SIDES: [&str; 2] = ["Red", "Yellow"];

options! {
    /// The options that only Connect Four has.
    pub struct FourOptions {
        /// The file of the evaluation's weights; empty: those that the program is built with.
        eval_file: File = "", "EvalFile";
    }
}

impl Handmade for FourKit {
    type Game = Four;
    type Eval = HandEval;
    type Weights = Weights;
    type PresetEval = HandEval;
    type Inputs = NoInputs;
    type Planes = NoPlanes;
    type Extra = FourOptions;

    const CHANCES: Model = wdl;
    const SIDES: [&'static str; 2] = SIDES;

    fn extra_specs() -> &'static [Spec] {
        FourOptions::SPECS
    }

    fn eval_file(extra: &FourOptions) -> &str {
        &extra.eval_file
    }

    fn inputs(_: &Architecture) -> Result<NoInputs, NetError> {
        Err(NetError::Architecture("Connect Four has no networks of this kind".into()))
    }

    fn builtin(_: &FourOptions) -> Weights {
        builtin_weights()
    }

    fn load(_: &FourOptions, text: &str, file: &str) -> Result<Weights, WeightsError> {
        load_weights(text, file)
    }

    fn evaluator(weights: Arc<Weights>) -> HandEval {
        HandEval::new(weights)
    }

    fn explain(pos: &FourPosition, weights: &Weights) -> Explanation {
        explain(pos, weights)
    }

    /// A disc that is taken away leaves no position of the game.
    fn without_each(_: &FourPosition) -> Vec<(String, FourPosition)> {
        Vec::new()
    }

    fn diagram(pos: &FourPosition) -> String {
        let text = text_of(pos);
        let rows = text.split('/').take(6).map(|row| row.chars().map(|cell| format!(" {cell}")).collect::<String>());
        rows.map(|row| row + "\n").collect::<String>() + " 1 2 3 4 5 6 7\n\n"
    }

    fn rules<'a>(_: &'a FourOptions, rules: &'a str) -> &'a str {
        rules
    }
}

/// The position in the game's notation.
fn text_of(pos: &FourPosition) -> String {
    position_text::<Four>(pos)
}

/// The position of `text` as a mirror shows it: the same game with the columns the other way round.
fn mirrored(text: &str) -> String {
    let (rows, side) = text.rsplit_once('/').unwrap_or((text, ""));
    let rows: Vec<String> = rows.split('/').map(|row| row.chars().rev().collect()).collect();
    format!("{}/{side}", rows.join("/"))
}

/// The moves of the main line as drops, with the position after each; `None` where one does not fit the rules.
fn start_of(start: Option<&str>) -> Result<FourPosition, NotationError> {
    start.map_or_else(|| Ok(Four::start(&NoRules)), |text| Columns::parse_position(&NoRules, text))
}

/// Discs of the side that began, and of both.
fn first_and_all(pos: &FourPosition) -> (u64, u64) {
    let (mine, all) = pos.discs();
    (if pos.side_to_move() == Side::First { mine } else { all ^ mine }, all)
}
