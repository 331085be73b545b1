//! Positions on which rules are tried: cases by name with their counterparts, random games; invariants of all games, and the word for
//! one that fails.

use std::{
    collections::HashSet,
    fmt::{self, Write},
    ops::ControlFlow::Continue,
};
use tesuji_game::{Game, Line, Notation, Position, Random, Tactical};

/// Plies at which a random game is broken off.
const PLIES_MAX: usize = 250;

/// A position worth a test, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    /// The subject of the test.
    pub name: &'static str,
    /// The position in the game's notation.
    pub position: &'static str,
}

/// The case called `name`.
pub const fn case(name: &'static str, position: &'static str) -> Case {
    Case { name, position }
}

/// The counterpart of a position for the other side: the name of the transformation, in words, and its function.
pub type Counterpart = (&'static str, fn(&str) -> String);

/// The positions of random game `index` of `seed`, each move drawn evenly from the legal ones, until the rule book ends the
/// game or 250 plies are played.
pub fn random_game<G: Game>(seed: u64, index: u64) -> Vec<String> {
    let mut random = Random::for_item(seed, index);
    let mut line = Line::new(G::start(&G::Rules::default()));
    let (mut texts, mut moves) = (Vec::new(), Vec::new());
    loop {
        texts.push(position_text::<G>(line.here()));
        if line.len() >= PLIES_MAX || line.outcome().is_some() {
            return texts;
        }
        line.legal_moves(&mut moves);
        line.push(moves[random.below(moves.len())]);
    }
}

/// A set of `positions` or a few more: the cases by name, each with its counterpart, then every tenth position of random games.
pub fn set<G: Game>(cases: &[Case], counterpart: Counterpart, positions: usize, seed: u64) -> String {
    let game = G::NAME;
    let mut out =
        format!("# Positions for `tesuji selftest {game}`: edge cases by name, then positions of random games.\n");
    let _ = writeln!(out, "# Made by `tesuji selftest {game} --make --positions {positions} --seed {seed}`.");
    let mut count = 0;
    let (done, change) = counterpart;
    for Case { name, position } in cases {
        let _ = writeln!(out, "# {name}\n{position}\n# {name} ({done})\n{}", change(position));
        count += 2;
    }
    let mut game = 0;
    while count < positions {
        let _ = writeln!(out, "# random game {game}");
        for position in random_game::<G>(seed, game).iter().skip(game as usize % 10).step_by(10) {
            let _ = writeln!(out, "{position}");
            count += 1;
        }
        game += 1;
    }
    out
}

/// A letter in the other case: the same piece of the other side.
pub fn other_case(c: char) -> char {
    if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
}

/// An invariant of the rules that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The position.
    pub position: String,
    /// The move that shows it, if one does, in the protocol's notation.
    pub mv: Option<String>,
    /// The invariant that should hold.
    pub invariant: &'static str,
}

impl Broken {
    /// That `invariant` does not hold at `pos`, as `mv` shows where one is needed.
    pub fn at<G: Game>(
        pos: &G::Position,
        mv: Option<<G::Position as Position>::Move>,
        invariant: &'static str,
    ) -> Broken {
        let mv = mv.map(|mv| {
            let mut text = String::new();
            let _ = G::Notation::write_move(pos, mv, &mut text);
            text
        });
        Broken { position: position_text::<G>(pos), mv, invariant }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.position)?;
        if let Some(mv) = &self.mv {
            write!(f, ", move {mv}")?;
        }
        write!(f, ": broken invariant: {}", self.invariant)
    }
}

/// `pos` in the game's notation. Writing into a string cannot fail.
pub fn position_text<G: Game>(pos: &G::Position) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_position(pos, &mut text);
    text
}

/// The legal moves of `pos`, generated in all three ways, which must agree.
///
/// # Errors
/// The invariant that does not hold.
pub fn moves_of<P: Tactical>(pos: &P) -> Result<Vec<P::Move>, &'static str> {
    let invariant = |ok: bool, invariant: &'static str| if ok { Ok(()) } else { Err(invariant) };
    let (mut moves, mut noisy, mut quiet) = (Vec::new(), Vec::new(), Vec::new());
    let _ = pos.for_each_move(|mv| {
        moves.push(mv);
        Continue::<(), ()>(())
    });
    let _ = pos.for_each_noisy(|mv| {
        noisy.push(mv);
        Continue::<(), ()>(())
    });
    let _ = pos.for_each_quiet(|mv| {
        quiet.push(mv);
        Continue::<(), ()>(())
    });
    let all: HashSet<P::Move> = moves.iter().copied().collect();
    invariant(all.len() == moves.len(), "no move is generated twice")?;
    invariant(pos.count_moves() == moves.len(), "the count of moves is the number of moves")?;
    invariant(pos.has_moves() != moves.is_empty(), "there is a move exactly if one is generated")?;
    invariant(noisy.iter().all(|&mv| pos.is_noisy(mv)), "every move generated as noisy is noisy")?;
    invariant(quiet.iter().all(|&mv| !pos.is_noisy(mv)), "every move generated as quiet is quiet")?;
    let parts: HashSet<P::Move> = noisy.iter().chain(&quiet).copied().collect();
    invariant(
        parts == all && noisy.len() + quiet.len() == moves.len(),
        "noisy and quiet moves together are all moves",
    )?;
    Ok(moves)
}
