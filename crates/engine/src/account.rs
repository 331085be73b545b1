//! A static evaluation told as a sum, so that anyone who reads it can add it up again.

use tesuji_game::FirstSide;

/// A contribution to the two sums of an evaluation, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhaseSums {
    /// To the sum of the middlegame.
    pub mg: i32,
    /// To the sum of the endgame.
    pub eg: i32,
}

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
    /// Its contribution.
    pub adds: FirstSide<PhaseSums>,
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
    /// The sums of all terms.
    pub sums: FirstSide<PhaseSums>,
    /// A last addition that is no term: its name, and centipawns.
    pub rest: Option<(String, FirstSide<i32>)>,
    /// The value of the sums, in centipawns.
    pub value: FirstSide<i32>,
    /// The value by the evaluator that plays, in centipawns.
    pub played: FirstSide<i32>,
    /// Whether a network plays, whose values these terms do not explain: they are what the hand-made evaluation says beside it.
    pub by_network: bool,
}

impl Account {
    /// A contribution blended by phase and scale, in centipawns.
    pub fn blended(&self, FirstSide(PhaseSums { mg, eg }): FirstSide<PhaseSums>) -> FirstSide<f64> {
        let (phase, scale) = (f64::from(self.phase) / 256.0, f64::from(self.scale) / 64.0);
        FirstSide(f64::from(mg) * phase + f64::from(eg) * (1.0 - phase) * scale)
    }

    /// Whether all parts sum to the whole: the terms to the sums, the blend of the sums to the value up to a centipawn of rounding,
    /// and the value is the one that is played, where no network plays.
    pub fn is_sound(&self) -> bool {
        let add =
            |sums: PhaseSums, term: &Term| PhaseSums { mg: sums.mg + term.adds.0.mg, eg: sums.eg + term.adds.0.eg };
        let sums = FirstSide(self.terms.iter().fold(PhaseSums::default(), add));
        let rest = self.rest.as_ref().map_or(0, |rest| rest.1.0);
        let blend = self.blended(sums).0 + f64::from(rest);
        sums == self.sums
            && (blend - f64::from(self.value.0)).abs() <= 1.0
            && (self.by_network || self.value == self.played)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_term_is_found() {
        let sums = |mg, eg| FirstSide(PhaseSums { mg, eg });
        let term = |mg, eg| Term { name: "a".into(), group: "g".into(), first: 1, second: 0, adds: sums(mg, eg) };
        let sound = Account {
            terms: vec![term(100, 200), term(-20, 0)],
            phase: 128,
            scale: 64,
            sums: sums(80, 200),
            rest: Some(("tempo".into(), FirstSide(10))),
            value: FirstSide(150),
            played: FirstSide(150),
            by_network: false,
        };
        assert!(sound.is_sound());
        assert!(!Account { sums: sums(81, 200), ..sound.clone() }.is_sound());
        assert!(!Account { value: FirstSide(153), played: FirstSide(153), ..sound.clone() }.is_sound());
        assert!(!Account { played: FirstSide(151), ..sound.clone() }.is_sound());
        assert!(Account { played: FirstSide(151), by_network: true, ..sound.clone() }.is_sound());
        assert!(!Account { terms: vec![term(100, 200)], ..sound }.is_sound());
    }
}
