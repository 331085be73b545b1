//! The toy game as a kit for the server.

use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, PlayerError, Scale, SearchPlayer};
use tesuji_four::Lines;
use tesuji_game::{Evaluator, Limits, NotationError, Report, Value, Watch};
use tesuji_kit::{
    Kit, KitError, explain::Explain, features::FeatureTables, mates::Mates, nnue::NnueNetworks,
    nnue_training::NnueTraining, playouts::Playouts, regions::Regions, shuffled::ShuffledStarts, tuning::Tuning,
};
use tesuji_kit::{RulesOnly, RulesTest, bench::Benchmark, books::Books, console::Consoles, networks::Networks};
use tesuji_options::Options;
use tesuji_protocol::{EngineEnd, uci::UciEngine};
use tesuji_record::{AnyGame, HasDoor, Of, Survey, of};
use tesuji_search::alpha_beta::AlphaBeta;
use tesuji_testkit::four::{Four, FourPosition};

/// All that the server is given.
pub static KITS: [&dyn Kit; 1] = [&Toy];

static DOOR: Of<Four> = of(&[&Lines]);

/// Connect Four, played by alpha-beta that knows nothing but the rules.
struct Toy;

/// Every position is worth the same.
#[derive(Clone)]
struct Even;

impl Evaluator<FourPosition> for Even {
    fn value(&mut self, _: &FourPosition) -> Value {
        Value::DRAW
    }
}

impl HasDoor for Toy {
    fn door(&self) -> &'static dyn AnyGame {
        &DOOR
    }
}

impl Kit for Toy {
    fn families(&self) -> &'static [&'static str] {
        &["alpha-beta", "blind"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "alpha-beta" => Ok(Box::new(SearchPlayer::<Four, _>::new(AlphaBeta::new(Even)))),
            "blind" => Ok(Box::new(Blind(SearchPlayer::<Four, _>::new(AlphaBeta::new(Even))))),
            _ => Err(KitError::unknown_family(self, family)),
        }
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

    fn unit(&self) -> &'static str {
        "centipawns"
    }

    fn full_rules(&self, rules: &str) -> Result<String, NotationError> {
        Ok(rules.to_string())
    }

    fn openings(&self, _: &str) -> Option<&'static str> {
        None
    }

    fn shuffled_starts(&self) -> Option<&'static ShuffledStarts> {
        None
    }

    fn opening_moves(&self, _: &str) -> Option<fn(&str) -> bool> {
        None
    }

    fn symmetry_key(&self, _: &str) -> Option<String> {
        None
    }

    fn books(&self) -> &'static Books {
        &Books::TEXT
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

    fn nnue(&self) -> Option<&'static dyn NnueNetworks> {
        None
    }

    fn nnue_training(&self) -> Option<&'static dyn NnueTraining> {
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

    fn consoles(&self) -> Option<&'static dyn Consoles> {
        None
    }
}

/// A player whose evaluator never answers.
struct Blind(SearchPlayer<Four, AlphaBeta<FourPosition, Even>>);

impl Player for Blind {
    fn options(&mut self) -> Box<dyn Options + '_> {
        self.0.options()
    }

    fn new_game(&mut self) {
        self.0.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        self.0.set_position(rules, start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.0.is_move(text)
    }

    fn go(&mut self, _: &Limits, _: &[String], _: &mut dyn Watch<String>) -> Report<String> {
        Report { fault: Some("nobody answers".to_string()), ..Report::default() }
    }

    fn show(&self) -> String {
        self.0.show()
    }

    fn perft(&self, depth: u32, is_stopped: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.0.perft(depth, is_stopped)
    }
}
