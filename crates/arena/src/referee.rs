//! Scoring of games that are counted. Dead stones are decided by a referee where there is one, by both players when they agree,
//! or else by the rules alone.

use crate::{Contestant, Fault, Over};
use tesuji_game::{By, Outcome};
use tesuji_record::RulesTable;

/// A scorer of finished games. One thread keeps it for many games; after a fault another one is made.
///
/// # Examples
///
/// A referee that gives the second side half a point for each move:
///
/// ```
/// use tesuji_arena::{Fault, Over, Referee};
/// use tesuji_game::{By, Outcome, Side};
///
/// struct HalfPoints;
///
/// impl Referee for HalfPoints {
///     fn judge(&mut self, game: &Over<'_>) -> Result<Outcome, Fault> {
///         Ok(Outcome::win(Side::Second, By::Points(game.moves.len() as f32 / 2.0)))
///     }
///     fn dismiss(&mut self) {}
/// }
///
/// let moves = ["D4".to_string(), "pass".to_string(), "pass".to_string()];
/// let game = Over { rules: "", start: None, moves: &moves, side: Side::Second };
/// assert_eq!(HalfPoints.judge(&game).unwrap().by, By::Points(1.5));
/// ```
pub trait Referee: Send {
    /// The result of a game that is over by the rule book and is to be counted.
    ///
    /// # Errors
    /// When it gives none.
    fn judge(&mut self, game: &Over<'_>) -> Result<Outcome, Fault>;

    /// Ends the referee and its program.
    fn dismiss(&mut self);
}

/// The score of a game and its source.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Count, Counted};
/// let count = Count { by: Counted::Agreed(vec!["A1".to_string(), "B1".to_string()]), fault: None };
/// assert_eq!(count.text(), "dead, as both players say: A1 B1");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Count {
    /// The source of the dead stones.
    pub by: Counted,
    /// The referee's fault, if any.
    pub fault: Option<Fault>,
}

/// The source of the list of dead stones in a counted game.
#[derive(Debug, Clone, PartialEq)]
pub enum Counted {
    /// The referee told the result.
    Referee,
    /// Both players named these stones, perhaps none.
    Agreed(Vec<String>),
    /// The players differ: it is counted by the rule book.
    Disputed,
    /// Not both players can tell: it is counted by the rule book.
    Rules,
}

impl Count {
    /// In words, for the record of the game.
    pub fn text(&self) -> String {
        let fault = self.fault.as_ref().map(|fault| format!("referee: {}; ", fault.detail)).unwrap_or_default();
        let by = match &self.by {
            Counted::Referee => "counted by the referee".to_string(),
            Counted::Agreed(dead) if dead.is_empty() => "both players say that no stone is dead".to_string(),
            Counted::Agreed(dead) => format!("dead, as both players say: {}", dead.join(" ")),
            Counted::Disputed => "the players differ about dead stones: counted as it stands".to_string(),
            Counted::Rules => "counted as it stands".to_string(),
        };
        fault + &by
    }
}

/// The result of a game that is counted, as its referee or its players see it; `None` when `outcome`, which the rule book
/// has found, is no count.
pub(crate) fn count(
    outcome: Outcome,
    table: &dyn RulesTable,
    game: &Over<'_>,
    contestants: &mut [&mut dyn Contestant; 2],
    referee: Option<&mut (dyn Referee + '_)>,
) -> Option<(Outcome, Count)> {
    if !matches!(outcome.by, By::Points(_)) {
        return None;
    }
    let fault = match referee.map(|referee| referee.judge(game)) {
        Some(Ok(outcome)) => return Some((outcome, Count { by: Counted::Referee, fault: None })),
        Some(Err(fault)) => Some(fault),
        None => None,
    };
    let [first, second] = contestants;
    // The second one is not asked in vain: that takes engines seconds.
    let told = first.dead_stones(game).and_then(|a| Some([a, second.dead_stones(game)?]));
    let Some([dead, other]) = told.map(|both| both.map(sorted)) else {
        return Some((outcome, Count { by: Counted::Rules, fault }));
    };
    let texts: Vec<&str> = dead.iter().map(String::as_str).collect();
    match table.count_without(&texts) {
        Some(agreed) if dead == other => Some((agreed, Count { by: Counted::Agreed(dead), fault })),
        _ => Some((outcome, Count { by: Counted::Disputed, fault })),
    }
}

/// Points in one order and one writing.
fn sorted(points: Vec<String>) -> Vec<String> {
    let mut points: Vec<String> = points.iter().map(|point| point.to_ascii_uppercase()).collect();
    points.sort_unstable();
    points.dedup();
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FaultKind, Thought, Turn};
    use tesuji_game::Side;
    use tesuji_game::{Choice, NotationError};

    /// A game that is over: Second has 7 points more, 3 fewer for each dead piece.
    struct Counted7;

    impl RulesTable for Counted7 {
        fn rules(&self) -> &str {
            ""
        }

        fn play(&mut self, text: &str) -> Result<(), NotationError> {
            Err(NotationError::IllegalMove { text: text.into() })
        }
        fn undo(&mut self) -> bool {
            false
        }
        fn side_to_move(&self) -> Side {
            Side::First
        }
        fn outcome(&self) -> Option<Outcome> {
            Some(second_by(7.0))
        }
        fn claim(&self) -> Option<Outcome> {
            None
        }
        fn count_without(&self, dead: &[&str]) -> Option<Outcome> {
            (!dead.contains(&"Z9")).then(|| second_by(7.0 - 3.0 * dead.len() as f32))
        }
        fn position(&self) -> String {
            String::new()
        }
        fn moves(&self) -> Vec<String> {
            Vec::new()
        }
        fn format_move(&self, text: &str) -> Result<String, NotationError> {
            Ok(text.into())
        }
        fn parse_move(&self, text: &str) -> Result<String, NotationError> {
            Ok(text.into())
        }
        fn played(&self) -> Vec<String> {
            Vec::new()
        }
        fn last_move(&self) -> Option<&str> {
            None
        }
        fn plies(&self) -> usize {
            0
        }
    }

    fn second_by(points: f32) -> Outcome {
        Outcome::win(Side::Second, By::Points(points))
    }

    /// Names these pieces, or does not tell.
    struct Teller(Option<&'static str>);

    impl Contestant for Teller {
        fn name(&self) -> &str {
            "teller"
        }
        fn new_game(&mut self, _: &str) -> Result<(), Fault> {
            Ok(())
        }
        fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault> {
            Ok(Thought::new(Choice::Resign, turn.patience))
        }
        fn dead_stones(&mut self, _: &Over<'_>) -> Option<Vec<String>> {
            Some(self.0?.split_whitespace().map(str::to_string).collect())
        }
    }

    struct Judge(Result<Outcome, Fault>);

    impl Referee for Judge {
        fn judge(&mut self, _: &Over<'_>) -> Result<Outcome, Fault> {
            self.0.clone()
        }
        fn dismiss(&mut self) {}
    }

    #[track_caller]
    fn check(tellers: [Option<&'static str>; 2], judge: Option<Judge>, points: f32, by: Counted) {
        let [mut a, mut b] = tellers.map(Teller);
        let mut both: [&mut dyn Contestant; 2] = [&mut a, &mut b];
        let mut judge = judge;
        let is_faulty = judge.as_ref().is_some_and(|judge| judge.0.is_err());
        let referee = judge.as_mut().map(|judge| judge as &mut dyn Referee);
        let over = Over { rules: "", start: None, moves: &[], side: Side::First };
        let counted = count(second_by(7.0), &Counted7, &over, &mut both, referee);
        let (outcome, counted) = counted.unwrap();
        assert_eq!((outcome, &counted.by), (second_by(points), &by));
        assert_eq!(counted.fault.is_some(), is_faulty);
        assert!(!is_faulty || counted.text().starts_with("referee: it is asleep; "), "{}", counted.text());
    }

    #[test]
    fn dead_is_what_both_players_name() {
        let agreed = |dead: &[&str]| Counted::Agreed(dead.iter().map(|d| d.to_string()).collect());
        check([Some("B2 A1"), Some("a1 b2 a1")], None, 1.0, agreed(&["A1", "B2"]));
        check([Some(""), Some("")], None, 7.0, agreed(&[]));
        check([Some("A1"), Some("")], None, 7.0, Counted::Disputed);
        check([Some("Z9"), Some("Z9")], None, 7.0, Counted::Disputed);
        check([Some("A1"), None], None, 7.0, Counted::Rules);
        check([None, Some("A1")], None, 7.0, Counted::Rules);
    }

    #[test]
    fn a_referee_has_the_last_word_unless_it_fails() {
        let asleep = || Judge(Err(Fault::new(FaultKind::Hang, "it is asleep")));
        check([Some("A1"), Some("A1")], Some(Judge(Ok(second_by(2.0)))), 2.0, Counted::Referee);
        check([Some("A1"), Some("A1")], Some(asleep()), 4.0, Counted::Agreed(vec!["A1".to_string()]));
        check([None, None], Some(asleep()), 7.0, Counted::Rules);
    }

    #[test]
    fn only_what_is_counted_is_counted() {
        let [mut a, mut b] = [Teller(Some("")), Teller(Some(""))];
        let over = Over { rules: "", start: None, moves: &[], side: Side::First };
        let resigned = Outcome::win(Side::First, By::Resignation);
        assert!(count(resigned, &Counted7, &over, &mut [&mut a, &mut b], None).is_none());
    }
}
