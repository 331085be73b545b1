//! Chances to win, draw and lose that go with a value, as text and as JSON.

use serde_json::{Value, json};
use std::fmt::Write as _;
use tesuji_tune::Chances;

/// Values that are listed, in centipawns.
const VALUES_CP: [i32; 5] = [0, 50, 100, 200, 400];

/// The winning-chance curve fitted to `games` games, as JSON.
pub fn json(games: u64, fit: &Chances) -> Value {
    json!({ "games": games, "samples": fit.samples, "even_cp": fit.even_cp, "spread_cp": fit.spread_cp,
        "loss": fit.loss })
}

/// The winning-chance curve fitted to `games` games, as text.
pub fn text(games: u64, fit: &Chances) -> String {
    let Chances { even_cp, spread_cp, loss, samples } = fit;
    let mut text = format!(
        "{games} games, {samples} scores, loss {loss:.4}\n\
         half of the games are won at {even_cp:.1} centipawns; the odds grow by e every {spread_cp:.1}\n"
    );
    for value in VALUES_CP {
        let chance = |v: f64| 100.0 / (1.0 + ((even_cp - v) / spread_cp).exp());
        let (win, loss) = (chance(f64::from(value)), chance(-f64::from(value)));
        let drawn = 100.0 - win - loss;
        let _ = writeln!(text, "{value:>5} cp: won {win:5.1} %, drawn {drawn:5.1} %, lost {loss:5.1} %");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_games_are_won_where_the_fit_says_so() {
        let fit = Chances { even_cp: 100.0, spread_cp: 50.0, loss: 0.9, samples: 7 };
        let text = text(3, &fit);
        assert!(text.starts_with("3 games, 7 scores, loss 0.9000\n"), "{text}");
        assert!(text.contains("  100 cp: won  50.0 %"), "{text}");
        assert_eq!(json(3, &fit)["samples"], 7);
    }
}
