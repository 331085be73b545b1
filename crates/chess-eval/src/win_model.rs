//! Chances to win, draw and lose that follow from a value.

use tesuji_game::{Value, Wdl, WinModel};

/// Fitted to 165,838 scores of 1,500 games of self-play at 4,000 nodes a move (`tesuji selfplay chess --games 1500 --nodes 4000
/// --seed 7`, then `tesuji tune chess --chances`; 110.9 and 115.3, loss 0.7135 nats). Stronger play draws more.
const MODEL: WinModel = WinModel { even_chance_cp: 111.0, spread_cp: 115.0 };

/// Win, draw and loss for the side to move, in thousandths. A proven mate is certain.
pub fn wdl(value: Value) -> Wdl {
    MODEL.wdl(value)
}
