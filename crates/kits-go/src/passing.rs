//! When to pass: where a stone gains nothing, as the search does not see by itself, and what ends by two passes is worth.

use super::final_count::{dead_by, played_out};
use std::time::Duration;
use tesuji_game::{Line, Position, Report, Side, Signal, Wants, Watch};
use tesuji_go::{Area, CellSet, GoPosition, Move, Scoring};
use tesuji_go_eval::Totals;

/// Visits of the searches that compare a pass with a stone.
pub(super) const VISITS: u64 = 200;
/// By how much a pass may look worse than a stone in these searches, in expected results of -1..=1, and all the same be as good.
pub(super) const AS_GOOD: f32 = 0.05;
/// How surely each point is somebody's where nothing is left to gain.
const SURE: f32 = 0.8;
/// How surely a point is somebody's where a stone on it may be worth nothing.
const SETTLED: f32 = 0.5;
/// The mean result of playouts after two passes from which a game that is won by its count may end.
const SURELY_WON: f32 = 0.5;
/// Points by which playouts after a pass may end worse than after a stone, by chance, where the pass costs nothing.
const POINTS_BY_CHANCE: f32 = 0.25;

/// What speaks for a pass in place of a stone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// Nothing.
    None,
    /// Playouts end no worse after it: a search should be asked, too.
    AsGood,
    /// It ends the game, which is won.
    Wins,
}

/// The line of a search: under territory rules two passes leave its end open.
pub(super) fn open_ended<A: Area>(line: &Line<GoPosition<A>>) -> Line<GoPosition<A>> {
    if line.here().rules().scoring == Scoring::Area {
        return line.clone();
    }
    let mut start = line.start().clone();
    start.leave_end_open();
    let mut open = Line::new(start);
    line.moves().for_each(|mv| open.push(mv));
    open
}

/// What speaks for a pass in `pos` instead of `mv`. `owned`: whose each point is by the search, for the side to move and rows from the
/// lowest; empty where it does not say.
pub(super) fn case<A: Area>(pos: &GoPosition<A>, mv: Move, owned: &[f32]) -> Case {
    let Some(vertex) = mv.vertex() else { return Case::None };
    let after = |mv: Move| {
        let mut after = pos.clone();
        after.play(mv);
        after
    };
    let is_territory = pos.rules().scoring == Scoring::Territory;
    if is_territory && pos.passes() > 0 && is_won(&after(Move::PASS), pos.side_to_move()) {
        return Case::Wins;
    }
    // A point that is still fought for is worth a stone.
    if owned.get(vertex.index(pos.size())).is_some_and(|owned| owned.abs() < SETTLED) {
        return Case::None;
    }
    let passed = after(Move::PASS);
    let totals = played_out(&passed);
    let is_as_good = if is_territory {
        let sign = if pos.side_to_move() == Side::First { 1.0 } else { -1.0 };
        let with_stone = played_out(&after(mv));
        sign * (totals.margin() - with_stone.margin()) >= -POINTS_BY_CHANCE
    } else {
        is_over(&passed, &totals)
    };
    if is_as_good { Case::AsGood } else { Case::None }
}

/// Whether `side` wins if the game ends with `passed`, by the count that a final score has, and playouts are sure of it.
fn is_won<A: Area>(passed: &GoPosition<A>, side: Side) -> bool {
    let totals = played_out(passed);
    let sign = if side == Side::First { 1.0 } else { -1.0 };
    let dead = dead_by(passed, &totals);
    passed.result(&dead).winner == Some(side) && sign * totals.value() >= SURELY_WON
}

/// Whether nothing is left to gain under area rules: no stone is dead, no point is neutral, and each is surely its owner's.
fn is_over<A: Area>(passed: &GoPosition<A>, totals: &Totals<A>) -> bool {
    let counted = passed.count(&A::Set::default());
    let is_sure = |(cell, owned): (tesuji_go::Cell, f32)| match counted.owner[cell] {
        Some(Side::First) => owned >= SURE,
        Some(Side::Second) => owned <= -SURE,
        None => false,
    };
    dead_by(passed, totals).is_empty() && passed.board().points().zip(totals.ownership()).all(is_sure)
}

/// Brings the line that begins with a pass to the front of a report; that of `alone`, a search of the pass only, where there is none.
pub(super) fn put_first(report: &mut Report<String>, alone: Report<String>) {
    let is_pass = |line: &tesuji_game::Candidate<String>| line.pv.first().is_some_and(|mv| mv == "pass");
    let known = report.lines.iter().position(|line| is_pass(line) && line.visits > 0);
    let pass = match known {
        Some(at) => Some(report.lines.remove(at)),
        None => alone.lines.into_iter().find(is_pass),
    };
    let Some(pass) = pass else { return };
    report.lines.retain(|line| !is_pass(line));
    report.lines.insert(0, pass);
}

/// A watch for a search beside another one: it hears what the other hears and says nothing.
pub(super) struct Silent<'a>(pub(super) &'a mut dyn Watch<String>);

impl Watch<String> for Silent<'_> {
    fn signal(&mut self) -> Signal {
        self.0.signal()
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}

    fn wants(&self) -> Wants {
        Wants { every: Some(Duration::MAX), ..self.0.wants() }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Family, GoPlayer};
    use std::time::Duration;
    use tesuji_engine::Player;
    use tesuji_game::{Choice, Limits, Report, Signal, Watch};
    use tesuji_options::Options;

    struct Quiet;

    impl Watch<String> for Quiet {
        fn signal(&mut self) -> Signal {
            Signal::Run
        }

        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn report(&mut self, _: &Report<String>) {}
    }

    /// What the player plays after `moves`, with the report and the final score.
    fn play(rules: &str, start: Option<&str>, moves: &str, options: &[(&str, &str)]) -> (Report<String>, String) {
        let mut player = GoPlayer::new(Family::Tree);
        for (name, value) in options {
            player.set(name, value).unwrap();
        }
        let moves: Vec<String> = moves.split_whitespace().map(str::to_string).collect();
        player.set_position(rules, start, &moves).unwrap();
        let report = player.go(&Limits { nodes: Some(300), ..Limits::default() }, &[], &mut Quiet);
        (report, player.final_score().unwrap())
    }

    fn passes(report: &Report<String>) -> bool {
        report.choice == Some(Choice::Play("pass".to_string())) && report.lines[0].pv[0] == "pass"
    }

    /// White was ahead by 11.5 points and filled them one by one to capture two dead stones.
    const WITH_DEAD_STONES: &str = "G4 F5 G5 E5 G6 F7 C7 C5 C3 E3 H8 G7 B4 H7 F2 E2 F3 B5 H6 B7 J7 D7 D2 D3 D1 E1 B2 C4 D4 E4 A3 A5 C1 \
         A4 B3 C8 F1 G8 F6 E6 F4 H9 J8 G9 J6 J9 pass";

    #[test]
    fn own_territory_is_not_filled_to_capture_dead_stones() {
        let rules = "9x9 japanese komi 6.5";
        let (report, score) = play(rules, None, WITH_DEAD_STONES, &[("PassWhenLost", "false")]);
        assert!(passes(&report), "{:?}", report.choice);
        assert_eq!(score, "W+11.5");
        // What the pass is worth is told as well: White wins by it.
        assert!(report.lines[0].expected.unwrap() > 0.5, "{:?}", report.lines[0]);
    }

    /// A network learned by area: it sees no loss in a filled point.
    #[test]
    fn a_network_fills_no_territory_either() {
        let options = [("NetFile", "go9-4x32")];
        let (report, _) = play("9x9 japanese komi 6.5", None, WITH_DEAD_STONES, &options);
        assert!(passes(&report), "{:?}", report.choice);
        // Points and lead come from playouts: the network's own score was several times too large.
        let lead = report.margin.unwrap();
        assert!((2.0..25.0).contains(&lead) && report.ownership.len() == 81, "{lead}");
    }

    #[test]
    fn the_other_sides_territory_is_not_entered_after_its_pass() {
        let walls = format!("{} b", ["4XO3"; 9].join("/"));
        let (report, score) = play("9x9 japanese komi 20.5", Some(&walls), "pass", &[]);
        assert_eq!(score, "W+11.5");
        assert!(passes(&report), "{:?}", report.choice);
    }

    #[test]
    fn eyes_are_not_filled_where_area_is_counted_and_nothing_is_left() {
        let eyes = "1XXO1/XXXOO/1XXO1/XXXOO/1XXO1 b";
        assert!(passes(&play("5x5 chinese komi 0.5", Some(eyes), "", &[]).0));
        // A neutral point is a point under area rules.
        let dame = "1XXO1/XXXOO/1X1O1/XXXOO/1XXO1 b";
        assert_eq!(play("5x5 chinese komi 0.5", Some(dame), "", &[]).0.choice, Some(Choice::Play("C3".into())));
    }
}
