//! Go: its rules and Monte-Carlo tree search with playouts as a kit, on boards of any size.

use std::sync::Arc;
use tesuji_engine::{Kit, KitError, Player, PlayerError, Seat, TreeBounds, TreeCopy};
use tesuji_game::{Limits, Line, NotationError, Random, Report, Side, TreeView, Watch};
use tesuji_go::{
    Area, BLACK, Go, GoDoor, GoPosition, Large, Medium, Move, Rules, Size, Small, Vertex, door, list::GameList,
    notation, score, sgf::Sgf,
};
use tesuji_go_eval::{Heavy, HeavyKnobs, PlayoutKnobs, PlayoutOracle, Totals};
use tesuji_options::{OptionError, Options, Spec, find, options};
use tesuji_record::{AnyGame, RecordFormat, Table};
use tesuji_search::{
    Searcher,
    mcts::{Knobs, Mcts},
};

/// The kit of go.
pub(super) static GO: GoKit = GoKit;

/// Rules and records.
static DOOR: GoDoor = door(&[&Sgf, &GameList]);

/// What a match begins with: the empty board.
pub(super) const OPENINGS: &str = "startpos\n";

/// Rules in full: size, name or flags, komi.
///
/// # Errors
/// When the text is none of them.
pub(super) fn full_rules(text: &str) -> Result<String, NotationError> {
    Ok(text.parse::<Rules>()?.to_string())
}

/// Go on boards of 2 to 25 lines.
pub(super) struct GoKit;

impl AnyGame for GoKit {
    fn name(&self) -> &'static str {
        DOOR.name()
    }

    fn table(&self, rules: &str, start: Option<&str>) -> Result<Box<dyn Table>, NotationError> {
        DOOR.table(rules, start)
    }

    fn plies_usual(&self) -> Option<f64> {
        DOOR.plies_usual()
    }

    fn formats(&self) -> &'static [&'static dyn RecordFormat] {
        DOOR.formats()
    }
}

impl Kit for GoKit {
    fn families(&self) -> &'static [&'static str] {
        &["mcts"]
    }

    fn player(&self, family: &str) -> Result<Box<dyn Player>, KitError> {
        match family {
            "" | "mcts" => Ok(Box::new(GoPlayer::new())),
            _ => {
                let (game, family, known) = (self.name(), family.to_string(), self.families());
                Err(KitError::Family { game, family, known })
            }
        }
    }
}

options! {
    /// What only go has.
    struct GoOptions {
        /// Playouts for a move where nothing else limits the search; with a clock, the most.
        visits: u64 = 0 in 0..=1000000000, "Visits";
    }
}

/// Playouts for a move when nobody says anything.
const VISITS_USUAL: u64 = 10_000;
/// Playouts behind a final score, and how surely stones must be the other side's to be dead.
const FINAL: (usize, f32) = (400, 0.5);

/// Tree search with playouts on boards of capacity `A`, with the options of both.
struct PlayoutMcts<A: Area> {
    tree: Mcts<GoPosition<A>, PlayoutOracle<A>>,
    knobs: PlayoutKnobs,
    habits: HeavyKnobs,
}

impl<A: Area> PlayoutMcts<A> {
    fn new() -> Self {
        let (knobs, habits) = (PlayoutKnobs::default(), HeavyKnobs::default());
        let mut tree = Mcts::new(PlayoutOracle::new(knobs.clone()).with_heavy(habits.clone()));
        tree.set_knobs(Knobs::playouts());
        PlayoutMcts { tree, knobs, habits }
    }
}

impl<A: Area> Options for PlayoutMcts<A> {
    fn specs(&self) -> Vec<Spec> {
        [self.tree.specs(), PlayoutKnobs::SPECS.to_vec(), HeavyKnobs::SPECS.to_vec()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        let own = self.knobs.get(name).or_else(|| self.habits.get(name));
        own.or_else(|| Options::get(&self.tree, name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if PlayoutKnobs::SPECS.contains(&spec) {
            self.knobs.set(spec.name, value)?;
        } else if HeavyKnobs::SPECS.contains(&spec) {
            self.habits.set(spec.name, value)?;
        } else {
            return self.tree.set(spec.name, value);
        }
        self.tree.set_oracle(PlayoutOracle::new(self.knobs.clone()).with_heavy(self.habits.clone()));
        Ok(())
    }
}

impl<A: Area> Searcher<GoPosition<A>> for PlayoutMcts<A> {
    fn options(&mut self) -> &mut dyn Options {
        self
    }

    fn new_game(&mut self) {
        self.tree.new_game();
    }

    fn search(
        &mut self,
        line: &Line<GoPosition<A>>,
        limits: &Limits,
        only: &[Move],
        watch: &mut dyn Watch<Move>,
    ) -> Report<Move> {
        self.tree.search(line, limits, only, watch)
    }

    fn tree(&self) -> Option<Arc<dyn TreeView<Move>>> {
        self.tree.tree()
    }

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        self.tree.counts()
    }
}

/// A seat at a board of some capacity.
trait GoSeat: Player {
    /// The result after taking off what playouts call dead, in GTP's words: `B+3.5`, `0`.
    fn score_text(&self) -> String;
    /// The stones that playouts call dead.
    fn dead_points(&self) -> Vec<Vertex>;
    /// The board for people.
    fn diagram(&self) -> String;
}

impl<A: Area> GoSeat for Seat<Go<A>, PlayoutMcts<A>> {
    fn score_text(&self) -> String {
        let pos = self.line().here();
        let halves = pos.margin_halves(&dead(pos));
        let points = f64::from(halves.unsigned_abs()) / 2.0;
        match halves {
            0 => "0".to_string(),
            1.. => format!("B+{points}"),
            _ => format!("W+{points}"),
        }
    }

    fn dead_points(&self) -> Vec<Vertex> {
        use tesuji_go::CellSet;
        dead(self.line().here()).iter().map(A::vertex).collect()
    }

    fn diagram(&self) -> String {
        diagram(self.line().here())
    }
}

/// The stones that end as the other side's in most playouts.
fn dead<A: Area>(pos: &GoPosition<A>) -> A::Set {
    let mut totals = Totals::default();
    totals.begin(pos);
    totals.play(pos, None, FINAL.0, &mut Heavy::new(HeavyKnobs::default()), &mut Random::new(1));
    let ownership: Vec<f32> = totals.ownership().collect();
    score::dead_by_ownership(pos.board(), &ownership, FINAL.1)
}

/// The board as a person sees it.
fn diagram<A: Area>(pos: &GoPosition<A>) -> String {
    let (size, board) = (pos.size(), pos.board());
    let columns: String = (0..size.width()).map(|x| format!(" {}", &vertex_text(x, 0)[..1])).collect();
    let mut text = format!("  {columns}\n");
    for y in (0..size.height()).rev() {
        text += &format!("{:2}", y + 1);
        for x in 0..size.width() {
            let stone = Vertex::new(x, y).and_then(|vertex| board.stone(vertex));
            text += match stone {
                Some(BLACK) => " X",
                Some(_) => " O",
                None => " .",
            };
        }
        text += &format!(" {}\n", y + 1);
    }
    let [black, white] = Side::ALL.map(|side| board.captured(!side));
    text + &format!("  {columns}\nBlack has taken {black}, White {white}. {}\n", pos.rules())
}

fn vertex_text(x: usize, y: usize) -> String {
    Vertex::new(x, y).map_or_else(|| "?".to_string(), |vertex| vertex.to_string())
}

/// A player of go: a seat at a board of the capacity that the rules need, made anew when they need another.
struct GoPlayer {
    seat: Box<dyn GoSeat>,
    /// The longest side of a board that fits the seat.
    lines: usize,
    options: GoOptions,
    /// What was set, for the next seat.
    settings: Vec<(String, String)>,
}

/// A seat for boards of `size`, and the longest side that fits it.
fn seat(rules: &Rules) -> (Box<dyn GoSeat>, usize) {
    fn of<A: Area>(rules: &Rules) -> (Box<dyn GoSeat>, usize) {
        (Box::new(Seat::<Go<A>, _>::starting(PlayoutMcts::<A>::new(), rules)), A::LINES)
    }
    if Small::holds(rules.size) {
        of::<Small>(rules)
    } else if Medium::holds(rules.size) {
        of::<Medium>(rules)
    } else {
        of::<Large>(rules)
    }
}

impl GoPlayer {
    fn new() -> GoPlayer {
        let (seat, lines) = seat(&Rules::default());
        GoPlayer { seat, lines, options: GoOptions::default(), settings: Vec::new() }
    }

    /// Changes to a seat that is right for `size`.
    fn sit(&mut self, size: Size) {
        let rules = Rules { size, handicap: 0, ..Rules::default() };
        let (mut seat, lines) = seat(&rules);
        if lines != self.lines {
            for (name, value) in &self.settings {
                // It took the same before.
                let _ = seat.options().set(name, value);
            }
            (self.seat, self.lines) = (seat, lines);
        }
    }
}

impl Options for GoPlayer {
    fn specs(&self) -> Vec<Spec> {
        // The search's options are the same on every board.
        [GoOptions::SPECS.to_vec(), PlayoutMcts::<Small>::new().specs()].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        let set = || self.settings.iter().rev().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let usual = || Options::get(&PlayoutMcts::<Small>::new(), name);
        self.options.get(name).or_else(|| set().map(|(_, value)| value.clone())).or_else(usual)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        if GoOptions::SPECS.contains(&spec) {
            return self.options.set(spec.name, value);
        }
        self.seat.options().set(spec.name, value)?;
        self.settings.retain(|(known, _)| known != spec.name);
        self.settings.push((spec.name.to_string(), value.to_string()));
        Ok(())
    }
}

impl Player for GoPlayer {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(self)
    }

    fn new_game(&mut self) {
        self.seat.new_game();
    }

    fn set_position(&mut self, rules: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let read: Rules = rules.parse().map_err(|error| PlayerError::Rules { text: rules.to_string(), error })?;
        let text = start.unwrap_or_default();
        let wrong = |error| PlayerError::Position { text: text.to_string(), error };
        self.sit(notation::size_of(&read, text).map_err(wrong)?);
        self.seat.set_position(rules, start, moves)
    }

    fn is_move(&self, text: &str) -> bool {
        self.seat.is_move(text)
    }

    fn go(&mut self, limits: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let mut limits = limits.clone();
        let own = Some(self.options.visits).filter(|&visits| visits > 0);
        let free = limits.nodes.is_none() && limits.depth.is_none() && !limits.infinite && !limits.ponder;
        if free {
            let timed = limits.clock.is_some() || limits.move_time.is_some();
            limits.nodes = own.or((!timed).then_some(VISITS_USUAL));
        }
        self.seat.go(&limits, only, watch)
    }

    fn show(&self) -> String {
        self.seat.diagram()
    }

    fn side_to_move(&self) -> Option<Side> {
        self.seat.side_to_move()
    }

    fn final_score(&self) -> Option<String> {
        Some(self.seat.score_text())
    }

    fn dead(&self) -> Option<Vec<String>> {
        Some(self.seat.dead_points().iter().map(Vertex::to_string).collect())
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        self.seat.perft(depth, stop)
    }

    fn tree(&self, bounds: &TreeBounds) -> Option<TreeCopy> {
        self.seat.tree(bounds)
    }

    fn counts(&self) -> Vec<(&'static str, u64, u64)> {
        self.seat.counts()
    }
}
