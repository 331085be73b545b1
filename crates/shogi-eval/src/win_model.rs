//! Chances to win, draw and lose that follow from a value.

use tesuji_game::{Value, Wdl, WinModel};

/// Next to no game is drawn; the spread is a judgement, between what strong engines print and our own games.
const MODEL: WinModel = WinModel { even_chance_cp: 5.0, spread_cp: 300.0 };

/// Win, draw and loss for the side to move, in thousandths. A proven mate is certain.
pub fn wdl(value: Value) -> Wdl {
    MODEL.wdl(value)
}
