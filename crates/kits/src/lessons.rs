//! Games and positions as rows of feature counts: what learning sees of a game, its weights and where they live.

mod chess;
mod leaf;
mod shogi;

pub use leaf::LeafLessons;

use anyhow::bail;
use std::{marker::PhantomData, path::Path};
use tesuji_dataset::{Board as Seen, Features, Filter, Head, Rows, SampleError};
use tesuji_game::{Game, Notation, NotationError, Position, Side, Tactical, Value};
use tesuji_record::{Fault, GameRecord, Sample, Step};
use tesuji_tally::{Explanation, Linear, Row, Term, Weights};
use tesuji_tune::{Canon, load_weights};

/// What of a game learns: the terms of its evaluation, and the weights they have.
pub struct Subject {
    /// Its games as rows.
    pub features: &'static dyn Features,
    /// The weights that the program is built with.
    pub builtin: fn() -> Weights,
    /// Piece values alone.
    pub material: fn() -> Weights,
    /// What makes weights readable.
    pub canon: fn() -> Canon,
    /// The package that is built with weights.
    pub package: &'static str,
    /// Where a checkout of Tesuji keeps the weights and that source.
    pub built_in: [&'static str; 2],
}

/// What learns of the game called `name`.
///
/// # Errors
/// When nothing does.
pub fn subject(name: &str) -> anyhow::Result<&'static Subject> {
    let all = [&chess::SUBJECT, &shogi::SUBJECT];
    match all.into_iter().find(|s| s.game().eq_ignore_ascii_case(name)) {
        Some(subject) => Ok(subject),
        None => bail!("{name} has no weights that learn; these games have: {}", all.map(|s| s.game()).join(", ")),
    }
}

impl Subject {
    /// The game's name.
    pub fn game(&self) -> &'static str {
        self.features.game()
    }

    /// The terms of its evaluation.
    pub fn terms(&self) -> &'static [Term] {
        self.features.terms()
    }

    /// The weights that `name` means: builtin, material, or a file.
    pub fn weights(&self, name: &str) -> anyhow::Result<Weights> {
        Ok(match name {
            "builtin" => (self.builtin)(),
            "material" => (self.material)(),
            path => load_weights(Path::new(path), self.game(), self.terms())?,
        })
    }
}

/// A game that is learned from.
pub trait Taught: Game<Position: Tactical> {
    /// Whether `mv` takes or promotes: a static evaluation says little about what it leads to.
    fn is_loud(board: &Self::Position, mv: MoveOf<Self>) -> bool;

    /// The value of `board` by `weights`, term by term.
    fn explain(board: &Self::Position, weights: &Weights) -> Explanation;

    /// `mv` as people write it, with its number.
    fn say(board: &Self::Position, mv: MoveOf<Self>) -> String;

    /// The position as people write it.
    fn text(board: &Self::Position) -> String {
        let mut text = String::new();
        // Strings take everything.
        let _ = Self::Notation::write_position(board, &mut text);
        text
    }
}

/// The moves of a game.
pub type MoveOf<G> = <<G as Game>::Position as Position>::Move;

/// A game as an evaluation sees it.
pub struct Lessons<G, E>(PhantomData<fn() -> (G, E)>);

impl<G, E> Lessons<G, E> {
    /// The one value there is.
    pub const fn new() -> Lessons<G, E> {
        Lessons(PhantomData)
    }
}

impl<G, E> Default for Lessons<G, E> {
    fn default() -> Lessons<G, E> {
        Lessons::new()
    }
}

/// Appends the counts of `board` to `out`.
fn push<P, E: Linear<P>>(board: &P, head: Head, row: &mut Row, out: &mut Rows) {
    let blend = E::tally(board, row);
    row.finish();
    out.push(Head { phase: blend.phase as u16, scale: blend.scale as u16, ..head }, row.entries());
}

impl<G: Taught, E: Linear<G::Position>> Features for Lessons<G, E> {
    fn game(&self) -> &'static str {
        G::NAME
    }

    fn terms(&self) -> &'static [Term] {
        E::terms()
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        let mut row = row_of(self.terms());
        let parse = |board: &G::Position, text: &String| G::Notation::parse_move(board, text);
        walk::<G, _>(game, number, parse, |board, seen, head| {
            if filter.keeps(seen) {
                push::<_, E>(board, head(), &mut row, out);
            }
        })
    }

    fn positions(
        &self,
        samples: &[Sample],
        number: &mut dyn FnMut(&Sample) -> u32,
        filter: &Filter,
        out: &mut Rows,
        fault: &mut dyn FnMut(usize, Fault),
    ) -> usize {
        let mut row = row_of(self.terms());
        let mut taken = 0;
        for (index, sample) in samples.iter().enumerate() {
            let game = number(sample);
            let Some(half_points) = sample.half_points else { continue };
            match look::<G>(sample) {
                Ok((board, seen)) => {
                    taken += 1;
                    if filter.keeps(&seen) {
                        let left = sample.plies_left.unwrap_or(0);
                        let boards_left = left.min(u32::from(u16::MAX)) as u16;
                        let score = sample.score.map(|s| Value::cp(i32::from(s)).raw() as i16);
                        let boards = boards_left.saturating_add(1);
                        let head = Head { game, boards, boards_left, half_points, score, ..Head::default() };
                        push::<_, E>(&board, head, &mut row, out);
                    }
                }
                Err(error) => fault(index, Fault::Position(error)),
            }
        }
        taken
    }
}

/// An empty row for `terms`.
fn row_of(terms: &[Term]) -> Row {
    Row::new(terms.last().map_or(0, |t| t.range().end))
}

/// The board of `sample` and what filters ask about it. Where nobody knows what was played before, the move that is to be
/// played tells whether something is about to happen; where the ply is not known, the position is taken for one of the
/// middle of a game.
fn look<G: Taught>(sample: &Sample) -> Result<(G::Position, Seen), NotationError> {
    let rules: G::Rules = sample.rules.parse()?;
    let board = G::Notation::parse_position(&rules, &sample.position)?;
    let facts = sample.facts.unwrap_or_default();
    let after_noisy = match facts.after_noisy {
        Some(noisy) => noisy,
        None if sample.mv.is_empty() => false,
        None => G::is_loud(&board, G::Notation::parse_move(&board, &sample.mv)?),
    };
    let seen = Seen {
        index: if sample.ply == 0 && sample.game == 0 { u32::MAX } else { sample.ply },
        after_noisy,
        check: board.in_check(),
        after_check: facts.after_check.unwrap_or(false),
    };
    Ok((board, seen))
}

/// Walks the main line of `game`, which is number `number`, and shows `each` every board: what filters ask about it,
/// and what is known of it beside its counts. `read` turns what the record keeps into a move. Returns the number of boards.
pub fn walk<G: Taught, M>(
    game: &GameRecord<M>,
    number: u32,
    read: impl Fn(&G::Position, &M) -> Result<MoveOf<G>, NotationError>,
    mut each: impl FnMut(&G::Position, &Seen, &dyn Fn() -> Head),
) -> Result<usize, SampleError> {
    let fault = |ply: usize, reason: String| SampleError { ply, reason };
    let outcome = game.outcome.ok_or_else(|| fault(0, "the game has no result".into()))?;
    let rules: G::Rules = game.rules.parse().map_err(|e| fault(0, format!("{e}")))?;
    let mut board = match &game.start {
        None => G::start(&rules),
        Some(text) => G::Notation::parse_position(&rules, text).map_err(|e| fault(0, e.to_string()))?,
    };
    let line: Vec<u32> = game.main_nodes();
    let boards = line.len() + 1;
    let short = |n: usize| n.min(usize::from(u16::MAX)) as u16;
    let half_points = (2.0 * outcome.score(Side::First)) as u8;
    let mut seen = Seen { check: board.in_check(), ..Seen::default() };
    for (index, next) in line.iter().map(Some).chain([None]).enumerate() {
        seen.index = index as u32;
        each(&board, &seen, &|| Head {
            game: number,
            boards: short(boards),
            boards_left: short(boards - 1 - index),
            half_points,
            score: next.and_then(|&node| score(game, node, board.side_to_move())),
            ..Head::default()
        });
        if let Some(&node) = next {
            let Step::Move(kept) = &game.nodes[node as usize].step else {
                return Err(fault(index + 1, "a position set up in the middle of a game".into()));
            };
            let mv = read(&board, kept).map_err(|e| fault(index + 1, e.to_string()))?;
            seen = Seen { after_noisy: G::is_loud(&board, mv), after_check: seen.check, ..seen };
            board.play(mv);
            seen.check = board.in_check();
        }
    }
    Ok(boards)
}

/// What the search said when `mover` chose the move of `node`, for the first side.
fn score<M>(game: &GameRecord<M>, node: u32, mover: Side) -> Option<i16> {
    let note = game.nodes[node as usize].note;
    let value: Value = game.notes.get(note as usize).filter(|_| note != 0)?.value?;
    let first = if mover == Side::First { value } else { -value };
    Some(Value::cp(first.raw()).raw() as i16)
}
