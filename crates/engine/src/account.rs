//! A static evaluation told as a sum, so that anyone who reads it can add it up again.

use tesuji_game::FirstSide;

/// One feature that is there.
#[derive(Debug, Clone, PartialEq)]
pub struct Term {
    /// Its name.
    pub name: String,
    /// The group it belongs to.
    pub group: String,
    /// The first side's count.
    pub first: i32,
    /// The second side's count.
    pub second: i32,
    /// Its contribution to the sum of the middlegame, in centipawns for the first side.
    pub adds_mg: i32,
    /// Its contribution to the sum of the endgame, in centipawns for the first side.
    pub adds_eg: i32,
}

/// A whole evaluation: terms in two sums, blended by phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Every feature that is there.
    pub terms: Vec<Term>,
    /// The game phase: the share of the middlegame, in 256ths.
    pub phase: i32,
    /// The scale of the endgame's value in drawish endings, in 64ths.
    pub scale: i32,
    /// Sum of the middlegame, in centipawns for the first side.
    pub sum_mg: i32,
    /// Sum of the endgame, in centipawns for the first side.
    pub sum_eg: i32,
    /// A last addition that is no term: its name, and centipawns for the first side.
    pub rest: Option<(String, i32)>,
    /// The value of the sums, in centipawns.
    pub value: FirstSide<i32>,
    /// The value by the evaluator that plays, in centipawns.
    pub played: FirstSide<i32>,
}

impl Account {
    /// A pair of contributions blended by phase and scale, in centipawns for the first side.
    pub fn blended(&self, mg: i32, eg: i32) -> f64 {
        let (phase, scale) = (f64::from(self.phase) / 256.0, f64::from(self.scale) / 64.0);
        f64::from(mg) * phase + f64::from(eg) * (1.0 - phase) * scale
    }

    /// Whether all parts sum to the whole: the terms to the sums, the blend of the sums to the value up to a centipawn of rounding,
    /// and the value is the one that is played.
    pub fn is_sound(&self) -> bool {
        let (mg, eg) = self.terms.iter().fold((0, 0), |(mg, eg), term| (mg + term.adds_mg, eg + term.adds_eg));
        let rest = self.rest.as_ref().map_or(0, |rest| rest.1);
        let blend = self.blended(mg, eg) + f64::from(rest);
        (mg, eg) == (self.sum_mg, self.sum_eg)
            && (blend - f64::from(self.value.0)).abs() <= 1.0
            && self.value == self.played
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_term_is_found() {
        let term = |mg, eg| Term { name: "a".into(), group: "g".into(), first: 1, second: 0, adds_mg: mg, adds_eg: eg };
        let sound = Account {
            terms: vec![term(100, 200), term(-20, 0)],
            phase: 128,
            scale: 64,
            sum_mg: 80,
            sum_eg: 200,
            rest: Some(("tempo".into(), 10)),
            value: FirstSide(150),
            played: FirstSide(150),
        };
        assert!(sound.is_sound());
        assert!(!Account { sum_mg: 81, ..sound.clone() }.is_sound());
        assert!(!Account { value: FirstSide(153), played: FirstSide(153), ..sound.clone() }.is_sound());
        assert!(!Account { played: FirstSide(151), ..sound.clone() }.is_sound());
        assert!(!Account { terms: vec![term(100, 200)], ..sound }.is_sound());
    }
}
