//! The toy game as a kit for the server.

use tesuji_engine::{Kit, KitError, Player, Seat};
use tesuji_game::{Evaluator, Value};
use tesuji_record::{AnyGame, HasDoor, Of, of};
use tesuji_search::alpha_beta::AlphaBeta;
use tesuji_testkit::four::{Four, FourPosition};

/// All that the server is given.
pub static KITS: [&dyn Kit; 1] = [&Toy];

static DOOR: Of<Four> = of(&[]);

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
        &["alpha-beta"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "alpha-beta" => Ok(Box::new(Seat::<Four, _>::new(AlphaBeta::new(Even)))),
            _ => Err(KitError::Family { game: "four", family: family.into(), known: self.families() }),
        }
    }
}
