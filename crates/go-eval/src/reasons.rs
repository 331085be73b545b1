//! Explanations of move priors: a move's learned features by name, with their strengths, for people.

use crate::{Family, Gammas, MoveFeatures, fill_features, gammas};
use tesuji_game::Position;
use tesuji_go::{Area, Cell, GoPosition, Move};

/// A feature that a move has.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// As the file of strengths calls it, with its level: `capture 4`, `pattern 7` by its size.
    pub name: String,
    /// The meaning of the feature in words.
    pub meaning: String,
    /// Its strength: 1 changes nothing.
    pub strength: f32,
}

/// A move and why it is as likely as it is.
#[derive(Debug, Clone, PartialEq)]
pub struct Likely {
    /// The move.
    pub mv: Move,
    /// Its features, by family; empty for a pass, whose share is set by hand.
    pub reasons: Vec<Reason>,
    /// The product of their strengths.
    pub strength: f32,
    /// Its share of all moves, in 0..=1: the prior.
    pub share: f32,
}

impl Gammas {
    /// Explains the priors of `moves` of `pos`, in their order. `last`: the points of the last move and of the one before it.
    pub fn explain<A: Area>(&self, pos: &GoPosition<A>, last: [Option<Cell>; 2], moves: &[Move]) -> Vec<Likely> {
        let (mut features, mut shares) = (Vec::new(), Vec::new());
        fill_features(pos, last, moves, &mut features);
        self.fill_prior(pos, last, moves, &mut shares);
        let rows = moves.iter().zip(&features).zip(&shares);
        rows.map(|((&mv, &features), &share)| {
            let reasons = mv.vertex().map_or(Vec::new(), |v| self.reasons(pos, features, A::cell(v)));
            let strength = reasons.iter().map(|reason| reason.strength).product();
            Likely { mv, reasons, strength, share }
        })
        .collect()
    }

    fn reasons<A: Area>(&self, pos: &GoPosition<A>, features: MoveFeatures, cell: Cell) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = Family::ALL
            .into_iter()
            .map(|family| (family, features.level(family)))
            .filter(|&(_, level)| level > 0)
            .map(|(family, level)| Reason {
                name: format!("{} {level}", family.name()),
                meaning: meaning(family, level),
                strength: self.of(family, level),
            })
            .collect();
        if let Some(pattern) = self.pattern_around(pos.board(), pos.side_to_move(), cell) {
            let (name, meaning) = (format!("pattern {}", pattern.size), "known surroundings of that size".to_string());
            reasons.push(Reason { name, meaning, strength: pattern.strength });
        }
        if features.level(Family::Eye) > 0 {
            let meaning = "set by hand: an eye can be filled when all else is done".to_string();
            reasons.push(Reason { name: "by hand".into(), meaning, strength: gammas::EYE });
        }
        reasons
    }
}

/// The meaning of a level of a family, in words.
fn meaning(family: Family, level: usize) -> String {
    let stones = |n: usize| ["", "1 stone", "2 stones", "3 or more stones"][n.min(3)];
    match (family, level) {
        (Family::Pass, 1) => "a pass".into(),
        (Family::Pass, _) => "a pass after a pass".into(),
        (Family::Eye, _) => "fills an own eye".into(),
        (Family::SelfAtari, 1) => "puts 1 own stone into atari".into(),
        (Family::SelfAtari, _) => "puts 2 or more own stones into atari".into(),
        (Family::Capture, 1..=3) => format!("takes {} that cannot get away", stones(level)),
        (Family::Capture, _) => format!("takes {} that could get away", stones(level - 3)),
        (Family::Rescue, _) => format!("takes {} beside an own chain in atari", stones(level)),
        (Family::Escape, 1) => "runs with a chain that is lost".into(),
        (Family::Escape, _) => format!("saves {} in atari", stones(level - 1)),
        (Family::Atari, 1) => "atari on a chain that gets away".into(),
        (Family::Atari, _) => format!("begins a ladder that takes {}", stones(level - 1)),
        (Family::Threatened, _) => format!("a liberty of an own chain of {} that a ladder threatens", stones(level)),
        (Family::Race, _) => "takes a liberty in a race that hangs on who moves first".into(),
        (Family::KoThreat, _) => "atari while a ko may not be retaken".into(),
        (Family::Line, 5) => "on the fifth line or above".into(),
        (Family::Line, _) => format!("on line {level}"),
        (Family::Near, _) => format!("at distance {} from the last move", level + 1),
        (Family::NearOwn, _) => format!("at distance {} from the move before", level + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{Line, Notation};
    use tesuji_go::{GtpNotation, Large, Rules, Small};

    fn check<A: Area>(moves: &[&str]) -> Vec<Likely> {
        let mut line = Line::new(GoPosition::<A>::start(&"9x9 chinese komi 7".parse().unwrap()).unwrap());
        let mut last = [None; 2];
        for text in moves {
            let mv = <GtpNotation as Notation<GoPosition<A>, Rules>>::parse_move(line.here(), text).unwrap();
            line.push(mv);
            last = [mv.vertex().map(A::cell), last[0]];
        }
        let mut legal = Vec::new();
        line.legal_moves(&mut legal);
        let told = Gammas::builtin().explain(line.here(), last, &legal);
        // Products and shares agree: stones share what the pass leaves by their products.
        let stones: Vec<&Likely> = told.iter().filter(|one| !one.mv.is_pass()).collect();
        let (sum, share): (f32, f32) = stones.iter().fold((0.0, 0.0), |(a, b), one| (a + one.strength, b + one.share));
        for one in stones {
            let expected = one.strength / sum * share;
            assert!((one.share - expected).abs() <= 1e-4 * expected.max(1e-3), "{one:?}: {expected}");
        }
        told
    }

    #[test]
    fn the_products_of_reasons_are_the_priors() {
        // White's stone at E5 is in atari; Black can take it.
        let moves = ["E4", "E5", "D5", "A1", "F5", "A2"];
        let told = check::<Small>(&moves);
        let best = told.iter().max_by(|a, b| a.share.total_cmp(&b.share)).unwrap();
        assert_eq!(best.mv.vertex().map(|v| v.to_string()), Some("E6".into()));
        let names: Vec<&str> = best.reasons.iter().map(|reason| reason.name.as_str()).collect();
        assert!(names.iter().any(|name| name.starts_with("capture ")), "{names:?}");
        assert!(best.reasons.iter().all(|reason| !reason.meaning.is_empty() && reason.strength > 0.0));
        // The same on a board with room for more.
        let other = check::<Large>(&moves);
        assert_eq!(told, other);
    }

    #[test]
    fn every_level_has_a_meaning() {
        for family in Family::ALL {
            let all: Vec<String> = (1..=family.levels()).map(|level| meaning(family, level)).collect();
            let different: std::collections::HashSet<&String> = all.iter().collect();
            assert_eq!(different.len(), all.len(), "{}: {all:?}", family.name());
        }
    }
}
