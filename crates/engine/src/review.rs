//! Game review: what a played move costs, taken from one search that holds it and the best move.
//!
//! Values of two searches cannot be subtracted: the search of the position before the move and that of the one after it see
//! different things, and a move that both find best seems to lose. So the best move and the played one are searched together,
//! alone, and what that search says is confirmed with twice the effort before a move is marked. A tree search that hardly visits
//! the played move knows its value no better than a guess: then that move has a search of its own, of the same position with as
//! many playouts.

use crate::Player;
use std::time::Duration;
use tesuji_game::{Candidate, Limits, Report, Signal, Value, Wants, Watch};

/// The option of searches for the number of lines.
const LINES_OPTION: &str = "MultiPV";
/// Beyond this many centipawns a value is won or lost: differences there are no mistakes.
const DECIDED_CP: i32 = 1000;
/// A mean over fewer visits than this share of the other move's says too little.
const VISITS_SHARE: u64 = 10;
/// Centipawns that multiply the odds by e where a search knows no expected result; as the page draws its graph.
const ODDS_CP: f64 = 220.0;

/// The scale of losses: centipawns or winning chances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Centipawns of an evaluation.
    Centipawns,
    /// Hundredths of the chance to win.
    Chance,
}

impl Scale {
    /// The default thresholds of dubious moves, mistakes and blunders.
    pub fn thresholds(self) -> [i32; 3] {
        match self {
            Scale::Centipawns => [50, 120, 300],
            // As lichess draws the lines.
            Scale::Chance => [5, 10, 15],
        }
    }

    /// The worth of a line for the side that moves, with all that is decided made equal.
    pub fn worth(self, line: &Candidate<String>) -> i32 {
        match self {
            Scale::Centipawns => line.value.raw().clamp(-DECIDED_CP, DECIDED_CP),
            Scale::Chance => (50.0 * expected_result(line)).round() as i32,
        }
    }
}

/// The expected result of a line for the side that moves, in -1..=1: as told, or by its value.
pub fn expected_result(line: &Candidate<String>) -> f64 {
    let of_value = || expected_of_value(line.value);
    let of_wdl = || line.wdl.map(|wdl| f64::from(i32::from(wdl.win) - i32::from(wdl.loss)) / 1000.0);
    line.expected.map(f64::from).or_else(of_wdl).unwrap_or_else(of_value)
}

/// The expected result of a value for the side that has it, in -1..=1.
///
/// # Examples
///
/// ```
/// use tesuji_engine::expected_of_value;
/// use tesuji_game::Value;
/// assert_eq!([Value::mate_in(3), Value::DRAW, Value::mated_in(4)].map(expected_of_value), [1.0, 0.0, -1.0]);
/// // Two pawns and a bit: three chances in four for one in four against.
/// assert!((expected_of_value(Value::cp(242)) - 0.5).abs() < 0.01);
/// ```
pub fn expected_of_value(value: Value) -> f64 {
    match value.mate_plies() {
        Some(plies) if plies > 0 => 1.0,
        Some(_) => -1.0,
        None => 2.0 / (1.0 + (-f64::from(value.raw()) / ODDS_CP).exp()) - 1.0,
    }
}

/// The kind of a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakeKind {
    /// `?!`
    Dubious,
    /// `?`
    Mistake,
    /// `??`
    Blunder,
}

impl MistakeKind {
    /// The numeric annotation glyph.
    pub fn glyph(self) -> u8 {
        match self {
            MistakeKind::Dubious => 6,
            MistakeKind::Mistake => 2,
            MistakeKind::Blunder => 4,
        }
    }
}

/// The scale and thresholds by which moves are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judge {
    /// The scale of losses.
    pub scale: Scale,
    /// The least losses of a dubious move, a mistake and a blunder.
    pub thresholds: [i32; 3],
}

/// The judgement of a played move against the best one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MoveVerdict {
    /// The loss of the move, in the unit of the scale; 0 where none is better.
    pub cost: i32,
    /// The kind of mistake, if a search with twice the effort confirms one.
    pub mark: Option<MistakeKind>,
    /// The better line, where there is a mark. Never begins with the played move.
    pub better: Option<Candidate<String>>,
}

/// A position and the move that was played there.
#[derive(Debug, Clone, PartialEq)]
pub struct Reviewed {
    /// The report of the search of all moves of the position.
    pub report: Report<String>,
    /// The judgement of the played move; `None` where none was played that may be played, or
    /// the searches do not know both moves, or were stopped.
    pub verdict: Option<MoveVerdict>,
}

impl Judge {
    /// A judge by the usual thresholds of `scale`.
    pub fn of(scale: Scale) -> Judge {
        Judge { scale, thresholds: scale.thresholds() }
    }

    /// The mark that a cost deserves.
    pub fn mark(&self, cost: i32) -> Option<MistakeKind> {
        let marks = [MistakeKind::Dubious, MistakeKind::Mistake, MistakeKind::Blunder];
        marks.into_iter().zip(self.thresholds).rev().find(|&(_, least)| cost >= least).map(|(mark, _)| mark)
    }

    /// Searches the position where `player` stands, and then the best move and `played` together, where they differ. A cost
    /// that deserves a mark is confirmed by a third search with twice the nodes and time, or a ply more; what that one says counts.
    /// `watch` hears of the first search alone; a stop ends all of them.
    pub fn review(
        &self,
        player: &mut dyn Player,
        limits: &Limits,
        played: Option<&str>,
        watch: &mut dyn Watch<String>,
    ) -> Reviewed {
        let played = played.filter(|mv| player.is_move(mv));
        let report = player.go(limits, &[], watch);
        let best = report.lines.first();
        let verdict = played.zip(best).and_then(|(played, best)| {
            if best.pv.first().is_some_and(|mv| mv == played) {
                return Some(MoveVerdict::default());
            }
            let first = self.compare(player, limits, best, played, watch)?;
            if first.mark.is_none() {
                return Some(first);
            }
            self.compare(player, &doubled(limits), best, played, watch)
        });
        Reviewed { report, verdict }
    }

    /// Searches the first move of `best` and `played` in one search, with nothing else; `None` where that was stopped or does
    /// not know both.
    fn compare(
        &self,
        player: &mut dyn Player,
        limits: &Limits,
        best: &Candidate<String>,
        played: &str,
        watch: &mut dyn Watch<String>,
    ) -> Option<MoveVerdict> {
        let first = best.pv.first()?;
        let lines = together(player, limits, &[first.clone(), played.to_string()], watch)?;
        let of = |is_meant: &dyn Fn(&str) -> bool| {
            lines.iter().find(|line| line.pv.first().is_some_and(|mv| is_meant(mv))).cloned()
        };
        let mut better = of(&|mv| mv == first)?;
        let other = match of(&|mv| mv != first).filter(|line| is_known(line, &better)) {
            Some(other) => other,
            None => {
                // Hardly visited, the same move in other words, or one that endgame tables forbid the search to play.
                let alone = together(player, limits, &[played.to_string()], watch)?.into_iter().next()?;
                if alone.pv.first() == Some(first) {
                    return Some(MoveVerdict::default());
                }
                alone
            }
        };
        // A mate that was proven stays one, whatever a shallower search makes of it.
        if best.value.mate_plies().is_some_and(|plies| plies > 0) && better.value < best.value {
            better = best.clone();
        }
        let cost = (self.scale.worth(&better) - self.scale.worth(&other)).max(0);
        let mark = self.mark(cost);
        Some(MoveVerdict { cost, mark, better: mark.map(|_| better) })
    }
}

/// Whether the value of `line` is more than a guess beside that of `other`. A move that was never visited has the root's value.
fn is_known(line: &Candidate<String>, other: &Candidate<String>) -> bool {
    line.expected.is_none() || line.visits > 0 && line.visits.saturating_mul(VISITS_SHARE) >= other.visits
}

/// Twice the effort.
fn doubled(limits: &Limits) -> Limits {
    Limits {
        nodes: limits.nodes.map(|nodes| nodes.saturating_mul(2)),
        soft_nodes: limits.soft_nodes.map(|nodes| nodes.saturating_mul(2)),
        move_time: limits.move_time.map(|time| time.saturating_mul(2)),
        depth: limits.depth.map(|depth| depth.saturating_add(1)),
        ..limits.clone()
    }
}

/// The lines of a search of `moves` alone, one for each; `None` where it was stopped.
fn together(
    player: &mut dyn Player,
    limits: &Limits,
    moves: &[String],
    watch: &mut dyn Watch<String>,
) -> Option<Vec<Candidate<String>>> {
    if watch.signal() == Signal::Stop {
        return None;
    }
    let before = player.options().get(LINES_OPTION);
    // A searcher without this option shows what lines it has.
    let _ = player.options().set(LINES_OPTION, &moves.len().to_string());
    let mut quiet = WithoutReports { began: watch.elapsed(), watch: &mut *watch };
    let report = player.go(limits, moves, &mut quiet);
    if let Some(before) = before {
        let _ = player.options().set(LINES_OPTION, &before);
    }
    (watch.signal() != Signal::Stop).then_some(report.lines)
}

/// A watch for a further search: its time begins again, and nobody hears of it.
struct WithoutReports<'a> {
    began: Duration,
    watch: &'a mut dyn Watch<String>,
}

impl Watch<String> for WithoutReports<'_> {
    fn signal(&mut self) -> Signal {
        self.watch.signal()
    }

    fn elapsed(&self) -> Duration {
        self.watch.elapsed().saturating_sub(self.began)
    }

    fn report(&mut self, _: &Report<String>) {}

    fn wants(&self) -> Wants {
        Wants { lines: Some(2), ..self.watch.wants() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PlayerError;
    use std::collections::VecDeque;
    use tesuji_game::Value;
    use tesuji_options::{Options, options};

    options! {
        /// The options of the scripted player.
        struct Few {
            /// Lines.
            multi_pv: u32 = 1 in 1..=8, "MultiPV";
        }
    }

    /// One search: what it must be asked, and what it says.
    struct Asked {
        only: &'static str,
        nodes: u64,
        says: &'static [(&'static str, i32)],
    }

    /// A player that answers each search from a script.
    struct Script {
        options: Few,
        searches: VecDeque<Asked>,
    }

    impl Player for Script {
        fn options(&mut self) -> Box<dyn Options + '_> {
            Box::new(&mut self.options)
        }

        fn new_game(&mut self) {}

        fn set_position(&mut self, _: &str, _: Option<&str>, _: &[String]) -> Result<(), PlayerError> {
            Ok(())
        }

        fn is_move(&self, text: &str) -> bool {
            text != "illegal"
        }

        fn go(&mut self, limits: &Limits, only: &[String], _: &mut dyn Watch<String>) -> Report<String> {
            let Asked { only: expected, nodes, says } = self.searches.pop_front().expect("no search more");
            assert_eq!((only.join(" ").as_str(), limits.nodes), (expected, Some(nodes)));
            let lines: usize = self.options.get("MultiPV").and_then(|n| n.parse().ok()).unwrap_or(0);
            assert_eq!(lines, only.len().max(1), "a line for each move");
            let line = |&(pv, cp): &(&str, i32)| Candidate {
                pv: pv.split(' ').map(str::to_string).collect(),
                value: if cp > 10_000 { Value::mate_in(cp - 10_000 + 1) } else { Value::cp(cp) },
                bound: Default::default(),
                wdl: None,
                visits: 0,
                prior: 0.0,
                expected: None,
                margin: None,
            };
            Report { lines: says.iter().map(line).collect(), ..Report::default() }
        }

        fn show(&self) -> String {
            String::new()
        }

        fn perft(&self, _: u32, _: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
            None
        }
    }

    struct Always(Signal);

    impl Watch<String> for Always {
        fn signal(&mut self) -> Signal {
            self.0
        }

        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn report(&mut self, _: &Report<String>) {}
    }

    const fn asked(only: &'static str, nodes: u64, says: &'static [(&'static str, i32)]) -> Asked {
        Asked { only, nodes, says }
    }

    /// The review of `played` by a player that searches as the script says, and uses all of it.
    #[track_caller]
    fn review(played: &str, searches: impl IntoIterator<Item = Asked>) -> Option<MoveVerdict> {
        let mut script = Script { options: Few::default(), searches: searches.into_iter().collect() };
        let limits = Limits { nodes: Some(100), ..Limits::default() };
        let judge = Judge::of(Scale::Centipawns);
        let reviewed = judge.review(&mut script, &limits, Some(played), &mut Always(Signal::Run));
        assert!(script.searches.is_empty(), "searches were left");
        assert_eq!(script.options.get("MultiPV").as_deref(), Some("1"), "the option is as before");
        reviewed.verdict
    }

    #[test]
    fn the_best_move_costs_nothing_and_no_further_search() {
        assert_eq!(review("a", [asked("", 100, &[("a x", 50)])]), Some(MoveVerdict::default()));
    }

    #[test]
    fn a_cost_of_two_searches_that_disagree_is_none() {
        // Alone the position looks 200 better with `a`; together both moves are worth the same.
        let verdict = review("b", [asked("", 100, &[("a", 200)]), asked("a b", 100, &[("b", 10), ("a", 5)])]);
        assert_eq!(verdict, Some(MoveVerdict::default()));
        // 40 is no mistake, and needs no confirmation.
        let verdict = review("b", [asked("", 100, &[("a", 200)]), asked("a b", 100, &[("a", 10), ("b", -30)])]);
        assert_eq!(verdict, Some(MoveVerdict { cost: 40, ..MoveVerdict::default() }));
    }

    #[test]
    fn a_mark_is_confirmed_with_twice_the_nodes_or_taken_back() {
        let first = || asked("", 100, &[("a y", 30)]);
        let shallow = || asked("a b", 100, &[("a", 30), ("b", -300)]);
        let verdict = review("b", [first(), shallow(), asked("a b", 200, &[("b", 20), ("a", 15)])]);
        assert_eq!(verdict, Some(MoveVerdict::default()), "taken back");
        let verdict = review("b", [first(), shallow(), asked("a b", 200, &[("a z", 30), ("b", -100)])]).unwrap();
        assert_eq!((verdict.cost, verdict.mark), (130, Some(MistakeKind::Mistake)));
        assert_eq!(verdict.better.unwrap().pv, ["a", "z"]);
    }

    /// The page once said `cxb5?! … cxb5 was better`.
    #[test]
    fn a_move_is_never_called_better_than_itself() {
        // The same move in other words, as castling has them: the search knows one move where two were asked for.
        let searches = [asked("", 100, &[("a", 90)]), asked("a A", 100, &[("a", 90)]), asked("A", 100, &[("a", -400)])];
        assert_eq!(review("A", searches), Some(MoveVerdict::default()));
    }

    #[test]
    fn a_move_that_endgame_tables_forbid_is_searched_alone() {
        let searches = [
            asked("", 100, &[("a", 900)]),
            asked("a b", 100, &[("a", 900)]),
            asked("b", 100, &[("b", 0)]),
            asked("a b", 200, &[("a", 900)]),
            asked("b", 200, &[("b", 0)]),
        ];
        let verdict = review("b", searches).unwrap();
        assert_eq!((verdict.cost, verdict.mark), (900, Some(MistakeKind::Blunder)));
    }

    /// A point in the corner that a search of 400 playouts never visited had the root's value, and lost nothing.
    #[test]
    fn a_move_that_is_hardly_visited_is_not_known() {
        let line = |visits: u64, expected: Option<f32>| Candidate {
            pv: vec!["a".to_string()],
            value: Value::cp(0),
            bound: Default::default(),
            wdl: None,
            visits,
            prior: 0.0,
            expected,
            margin: None,
        };
        let of = |visits, expected| is_known(&line(visits, expected), &line(400, expected));
        assert_eq!([0, 1, 39, 40, 500].map(|visits| of(visits, Some(0.1))), [false, false, false, true, true]);
        assert!(of(3, None), "nodes of a search by depth are no measure of its values");
    }

    #[test]
    fn a_proven_mate_stays_one_and_decided_games_have_no_mistakes() {
        const MATE: i32 = 10_004;
        let searches = [
            asked("", 100, &[("a b", MATE)]),
            asked("a b", 100, &[("a", 310), ("b", 300)]),
            asked("a b", 200, &[("a", 310), ("b", 300)]),
        ];
        let verdict = review("b", searches).unwrap();
        assert_eq!((verdict.cost, verdict.mark), (700, Some(MistakeKind::Blunder)));
        let won = [asked("", 100, &[("a", MATE)]), asked("a b", 100, &[("a", 2_000), ("b", 1_500)])];
        assert_eq!(review("b", won), Some(MoveVerdict::default()));
    }

    #[test]
    fn what_cannot_be_judged_is_not_judged() {
        assert_eq!(review("illegal", [asked("", 100, &[("a", 90)])]), None);
        assert_eq!(review("b", [asked("", 100, &[])]), None, "the game is over");
        let mut script = Script { options: Few::default(), searches: [asked("", 100, &[("a", 90)])].into() };
        let limits = Limits { nodes: Some(100), ..Limits::default() };
        let judge = Judge::of(Scale::Chance);
        assert_eq!(judge.review(&mut script, &limits, Some("b"), &mut Always(Signal::Stop)).verdict, None);
    }

    #[test]
    fn marks_follow_the_thresholds_of_the_scale() {
        let marks = |scale: Scale, costs: [i32; 4]| costs.map(|cost| Judge::of(scale).mark(cost));
        let expect = [None, Some(MistakeKind::Dubious), Some(MistakeKind::Mistake), Some(MistakeKind::Blunder)];
        assert_eq!(marks(Scale::Chance, [4, 5, 10, 15]), expect);
        assert_eq!(marks(Scale::Centipawns, [49, 119, 299, 300]), expect);
        assert_eq!(expect.map(|mark| mark.map_or(0, MistakeKind::glyph)), [0, 6, 2, 4]);
    }
}
