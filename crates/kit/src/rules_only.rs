//! A game without engines: its rules as a kit, where nothing but rules and records is wanted.

use crate::{
    Kit, KitError, explain::Explain, features::FeatureTables, mates::Mates, nnue::NnueNetworks,
    nnue_training::NnueTraining, playouts::Playouts, regions::Regions, shuffled::ShuffledStarts, tuning::Tuning,
};
use crate::{RulesTest, bench::Benchmark, books::Books, console::Consoles, networks::Networks};
use tesuji_dataset::searched::MoveWords;
use tesuji_engine::{Player, Scale};
use tesuji_game::NotationError;
use tesuji_protocol::{EngineEnd, uci::UciEngine};
use tesuji_record::{AnyGame, HasDoor, Survey};

/// The rules of a game and nothing else: no engine, no opening, no data. Servers and fuzz targets take it where they must
/// know how a game is written but not how it is played well.
///
/// ```
/// use tesuji_kit::{Kit, RulesOnly};
/// use tesuji_record::{AnyGame, of};
///
/// static RULES: tesuji_record::Of<tesuji_testkit::four::Four> = of(&[]);
/// let kit = RulesOnly(&RULES);
/// assert_eq!(kit.name(), "four");
/// assert!(kit.families().is_empty());
/// assert_eq!(kit.player("").err().unwrap().to_string(), "four is known by its rules alone: there is no engine");
/// ```
pub struct RulesOnly(pub &'static dyn AnyGame);

impl HasDoor for RulesOnly {
    fn door(&self) -> &'static dyn AnyGame {
        self.0
    }
}

impl Kit for RulesOnly {
    fn families(&self) -> &'static [&'static str] {
        &[]
    }

    fn player(&self, _: &str) -> Result<Box<dyn Player>, KitError> {
        Err(KitError::Failed(format!("{} is known by its rules alone: there is no engine", self.name())))
    }

    fn protocol(&self) -> Box<dyn EngineEnd> {
        Box::new(UciEngine)
    }

    fn side_tags(&self) -> [&'static str; 2] {
        ["First", "Second"]
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
        self
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
