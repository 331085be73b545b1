//! Benches of go: its positions, and the speed of rules and playouts.

use std::sync::Arc;
use tesuji_game::{Line, Notation, Random};
use tesuji_go::{Area, Cell, GoPosition, GtpNotation, Medium, Rules, Small};
use tesuji_go_eval::{Chooser, Gammas, Heavy, HeavyParameters, Learned, Light, PlayoutStrengths, Totals};
use tesuji_kit::bench::{
    Benchmark, Class, PlayoutPlies, Timing, classes, make_all, moves_of, per_item, per_item_with, split,
};

/// Playouts from each position in one pass.
const PLAYOUTS: usize = 20;
/// The seed of the random moves.
const SEED: u64 = 1;

/// The benches.
pub(super) struct GoBench;

impl Benchmark for GoBench {
    fn classes(&self) -> Vec<Class> {
        classes(include_str!("../data/bench-go.txt"))
    }

    fn depth(&self, family: &str) -> u32 {
        match family {
            // Each position costs playouts, and one more ply hundreds of positions.
            "best-first" => 1,
            _ => 4,
        }
    }

    fn nodes_max(&self, family: &str) -> Option<u64> {
        match family {
            "mcts" => Some(4000),
            "best-first" => Some(500),
            _ => None,
        }
    }

    fn options(&self, family: &str) -> &'static [(&'static str, &'static str)] {
        match family {
            "mcts" => &[("NetFile", "none")],
            _ => &[],
        }
    }

    fn timings(&self) -> Vec<Timing> {
        self.classes().into_iter().flat_map(|(class, texts)| timings(class, &texts)).collect()
    }

    fn playouts(&self) -> Vec<PlayoutPlies> {
        let plies = |is_heavy| self.classes().iter().map(|(_, texts)| plies_of(texts, is_heavy)).sum();
        vec![("light", plies(false)), ("heavy", plies(true))]
    }
}

/// The plies of all playouts of a class.
fn plies_of(texts: &[&str], is_heavy: bool) -> u64 {
    fn of<A: Area>(texts: &[&str], is_heavy: bool) -> u64 {
        let places = places::<A>(texts);
        if is_heavy { play(&places, &Heavy::new(HeavyParameters::default())) } else { play(&places, &Light) }
    }
    if fits_small(texts) { of::<Small>(texts, is_heavy) } else { of::<Medium>(texts, is_heavy) }
}

/// A position and where the last move went.
struct Benched<A: Area> {
    pos: GoPosition<A>,
    last: Option<Cell>,
}

/// The set's classes are of one size each.
fn fits_small(texts: &[&str]) -> bool {
    let size = |text: &&str| split(text).0.parse::<Rules>().ok().map(|rules| rules.size);
    texts.first().and_then(size).is_some_and(Small::holds)
}

fn timings(class: &'static str, texts: &[&str]) -> Vec<Timing> {
    if fits_small(texts) { timings_on::<Small>(class, texts) } else { timings_on::<Medium>(class, texts) }
}

fn timings_on<A: Area>(class: &'static str, texts: &[&str]) -> Vec<Timing> {
    let places = places::<A>(texts);
    let moves: Vec<_> = places.iter().map(|place| moves_of(&place.pos)).collect();
    let count: u64 = moves.iter().map(|m| m.len() as u64).sum();
    let (light, heavy) = (Light, Heavy::new(HeavyParameters::default()));
    let playouts = (places.len() * PLAYOUTS) as u64;
    let mut timings = Vec::new();
    let mut add = |what, count, nanoseconds| timings.push(Timing { class, what, count, nanoseconds });
    let found = || places.iter().map(|place| moves_of(&place.pos).len() as u64).sum();
    add("move found legal", count, per_item(count, found));
    let made = || places.iter().zip(&moves).map(|(place, moves)| make_all(place.pos.clone(), moves)).sum();
    add("move made and taken back", count, per_item(count, made));
    let plies = play(&places, &light);
    add("light playout", playouts, per_item_with(playouts, plies, || play(&places, &light)));
    add("move of a light playout", plies, per_item(plies, || play(&places, &light)));
    let plies = play(&places, &heavy);
    add("heavy playout", playouts, per_item_with(playouts, plies, || play(&places, &heavy)));
    add("move of a heavy playout", plies, per_item(plies, || play(&places, &heavy)));
    let learned = Learned::new(Arc::new(PlayoutStrengths::new(&Gammas::playouts())));
    let mixed = learned.clone().with_answers(heavy);
    let plies = play(&places, &learned);
    add("learned playout", playouts, per_item_with(playouts, plies, || play(&places, &learned)));
    let plies = play(&places, &mixed);
    add("mixed playout", playouts, per_item_with(playouts, plies, || play(&places, &mixed)));
    timings
}

/// Plays from every position; the plies.
fn play<A: Area>(places: &[Benched<A>], chooser: &impl Chooser<A>) -> u64 {
    let mut totals = Totals::default();
    let of_place = |(number, place): (u64, &Benched<A>)| {
        totals.begin(&place.pos);
        totals.play(&place.pos, place.last, PLAYOUTS, &mut chooser.clone(), &mut Random::for_item(SEED, number));
        totals.plies()
    };
    (0..).zip(places).map(of_place).sum()
}

/// The positions of a class; a test reads them all.
fn places<A: Area>(texts: &[&str]) -> Vec<Benched<A>> {
    let read = |text: &&str| {
        let (start, moves) = split(text);
        let mut line = Line::new(GtpNotation::parse_position(&Rules::default(), start).ok()?);
        for text in &moves {
            let mv = <GtpNotation as Notation<GoPosition<A>, Rules>>::parse_move(line.here(), text).ok()?;
            line.push(mv);
        }
        let last = line.moves().next_back().and_then(|mv| mv.vertex()).map(A::cell);
        Some(Benched { pos: line.here().clone(), last })
    };
    texts.iter().filter_map(read).collect()
}
