//! Games and positions as rows of feature counts: what learning sees of a game, its weights and where they live.

mod chances;
mod choice;
mod learning;
mod pupil;
mod request;
mod steps;

pub use chances::{ChanceOutcome, fit_chances};
pub use choice::frozen;
pub use learning::{TuneNews, TuneOutcome, TuneRun, tune, tune_version};
pub use pupil::{Limits, Pupil, Watched, check_weights_target, keep_old, older_engine, trusted_rows};
pub use request::{ChanceRequest, Leaf, MarginRequest, TuneRequest};
pub(crate) use request::{check_games, check_out};
pub use steps::weight_name;

use serde_json::Value as Json;
use std::{marker::PhantomData, path::Path};
use tesuji_dataset::{Features, Filter, Head, Rows, SampleError, SeenBoard as Seen};
use tesuji_game::{FirstSide, Game, Notation, NotationError, Position, Side, Tactical, Value};
use tesuji_jobs::{Interrupt, Progress};
use tesuji_record::{Fault, GameRecord, Sample, Step};
use tesuji_tally::{Linear, Row, Term, Weights};
use tesuji_tune::{Canon, load_weights};

/// The evaluation of a game as learning sees it: its terms and its weights.
pub struct Tuning {
    /// Its games as rows.
    pub features: &'static dyn Features,
    /// The weights that the program is built with.
    pub builtin: fn() -> Weights,
    /// Piece values alone.
    pub material: fn() -> Weights,
    /// The canonical form of weights.
    pub canon: fn() -> Canon,
    /// The package that is built with weights.
    pub package: &'static str,
    /// The path of the weights in a checkout of Tesuji.
    pub built_in: &'static str,
    /// The path of the source made of them; `None`: the program reads the weights themselves.
    pub source: Option<&'static str>,
    /// Other sets of weights of this game that learn.
    pub sets: &'static [&'static dyn WeightSet],
    /// Features of the quiet boards where captures end, with the weights that choose the captures, and which boards teach (the
    /// original Texel method, P. Österlund, 2014).
    pub leaves: Option<LeafFeatures>,
    /// The margins of the search that can be asked.
    pub margins: Option<&'static dyn Margins>,
}

/// Makes the features of quiet boards at the ends of capture sequences by these weights, and the filter of boards to learn from.
pub type LeafFeatures = fn(Weights) -> (Box<dyn Features>, Filter);

/// Weights of a game that are not those of its own evaluation. An engine plays with them by the option that names their file.
pub trait WeightSet: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The usual name of its files.
    fn file(&self) -> &'static str;

    /// Whether the text of a file is meant to be such weights.
    fn is_file(&self, text: &str) -> bool;

    /// Games as rows of its features.
    fn features(&self) -> &'static dyn Features;

    /// The filter of boards to learn from.
    fn filter(&self) -> Filter;

    /// The canonical form of its weights.
    fn canon(&self) -> Canon;

    /// Least and greatest weight of each feature; empty: none has bounds.
    fn bounds(&self) -> Vec<[i16; 2]>;

    /// The weights that `name` means: builtin, material, or a file.
    ///
    /// # Errors
    /// When the file holds no such weights.
    fn start(&self, name: &str) -> anyhow::Result<Weights>;

    /// The file of `weights`.
    fn text(&self, weights: &Weights) -> String;
}

/// The margins of pruning, asked of the search.
pub trait Margins: Sync {
    /// Asks about positions of games; `None` when it was stopped.
    ///
    /// # Errors
    /// When a margin is unknown, or games cannot be read.
    fn ask(
        &self,
        request: &MarginRequest,
        weights: Weights,
        stop: &Interrupt,
        progress: &Progress,
    ) -> anyhow::Result<Option<MarginReport>>;
}

/// The measurement of pruning margins by the search.
#[derive(Debug, Clone, PartialEq)]
pub struct MarginReport {
    /// As tables for people.
    pub text: String,
    /// As JSON.
    pub json: Json,
}

impl Tuning {
    /// The game's name.
    pub fn game(&self) -> &'static str {
        self.features.game()
    }

    /// The terms of its evaluation.
    pub fn terms(&self) -> &'static [Term] {
        self.features.terms()
    }

    /// The weights that `name` means: builtin, material, or a file.
    ///
    /// # Errors
    /// When the file holds no weights of this game.
    pub fn weights(&self, name: &str) -> anyhow::Result<Weights> {
        Ok(match name {
            "builtin" => (self.builtin)(),
            "material" => (self.material)(),
            path => load_weights(weights_path(path)?, self.game(), self.terms())?,
        })
    }
}

/// The file that a name of weights means which is none of the words for built-in ones.
///
/// # Errors
/// When it looks like such a word, mistyped: no file of this name is there.
///
/// # Examples
///
/// ```
/// use tesuji_kit::tuning::weights_path;
/// let error = weights_path("materiall").unwrap_err().to_string();
/// assert!(error.starts_with("materiall: expected builtin, material or a file of weights"));
/// ```
pub fn weights_path(name: &str) -> anyhow::Result<&Path> {
    let path = Path::new(name);
    if !name.contains(['.', '/', '\\']) && path.symlink_metadata().is_err() {
        anyhow::bail!("{name}: expected builtin, material or a file of weights; there is no file of this name");
    }
    Ok(path)
}

/// A game that is learned from.
pub trait Taught: 'static {
    /// The game.
    type Game: Game<Position: Tactical>;

    /// Whether `mv` takes or promotes: a static evaluation says little about what it leads to.
    fn is_loud(board: &BoardOf<Self>, mv: MoveOf<Self>) -> bool;

    /// `mv` as people write it, with its number.
    fn say(board: &BoardOf<Self>, mv: MoveOf<Self>) -> String;

    /// The position as people write it.
    fn text(board: &BoardOf<Self>) -> String {
        let mut text = String::new();
        // Strings take everything.
        let _ = NotationOf::<Self>::write_position(board, &mut text);
        text
    }
}

/// The positions of a game that is learned from.
pub type BoardOf<T> = <<T as Taught>::Game as Game>::Position;
/// Its moves.
pub type MoveOf<T> = tesuji_game::MoveOf<<T as Taught>::Game>;
/// Its rules.
type RulesOf<T> = <<T as Taught>::Game as Game>::Rules;
/// Its notation.
type NotationOf<T> = <<T as Taught>::Game as Game>::Notation;

/// A game as an evaluation sees it.
pub struct Lessons<T, E>(PhantomData<fn() -> (T, E)>);

impl<T, E> Lessons<T, E> {
    /// The one value there is.
    pub const fn new() -> Lessons<T, E> {
        Lessons(PhantomData)
    }
}

impl<T, E> Default for Lessons<T, E> {
    fn default() -> Lessons<T, E> {
        Lessons::new()
    }
}

/// Appends the counts of `board` to `out`.
pub fn push<P, E: Linear<P>>(board: &P, head: Head, row: &mut Row, out: &mut Rows) {
    let blend = E::tally(board, row);
    row.finish();
    out.push(Head { phase: blend.phase as u16, scale: blend.scale as u16, ..head }, row.entries());
}

impl<T: Taught, E: Linear<BoardOf<T>>> Features for Lessons<T, E> {
    fn game(&self) -> &'static str {
        <T::Game as Game>::NAME
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
        let parse = |board: &BoardOf<T>, text: &String| NotationOf::<T>::parse_move(board, text);
        walk::<T, _>(game, number, parse, |board, seen, head| {
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
            match look::<T>(sample) {
                Ok((board, seen)) => {
                    taken += 1;
                    if filter.keeps(&seen) {
                        let left = sample.plies_left.unwrap_or(0);
                        let boards_left = left.min(u32::from(u16::MAX)) as u16;
                        let score = sample.score.map(|s| FirstSide(Value::cp(i32::from(s.0)).raw() as i16));
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
fn look<T: Taught>(sample: &Sample) -> Result<(BoardOf<T>, Seen), NotationError> {
    let rules: RulesOf<T> = sample.rules.parse()?;
    let board = NotationOf::<T>::parse_position(&rules, &sample.position)?;
    let facts = sample.facts.unwrap_or_default();
    let after_noisy = match facts.after_noisy {
        Some(noisy) => noisy,
        None if sample.mv.is_empty() => false,
        None => T::is_loud(&board, NotationOf::<T>::parse_move(&board, &sample.mv)?),
    };
    let seen = Seen {
        index: sample.ply.unwrap_or(u32::MAX),
        after_noisy,
        check: board.in_check(),
        after_check: facts.after_check.unwrap_or(false),
    };
    Ok((board, seen))
}

/// Walks the main line of `game`, which is number `number`, and shows `each` every board: what filters ask about it,
/// and what is known of it beside its counts. `read` turns what the record keeps into a move. Returns the number of boards.
pub fn walk<T: Taught, M>(
    game: &GameRecord<M>,
    number: u32,
    read: impl Fn(&BoardOf<T>, &M) -> Result<MoveOf<T>, NotationError>,
    mut each: impl FnMut(&BoardOf<T>, &Seen, &dyn Fn() -> Head),
) -> Result<usize, SampleError> {
    let fault = |ply: usize, reason: String| SampleError { ply, reason };
    let outcome = game.outcome.ok_or_else(|| fault(0, "the game has no result".into()))?;
    let rules: RulesOf<T> = game.rules.parse().map_err(|e| fault(0, format!("{e}")))?;
    let mut board = match &game.start {
        None => T::Game::start(&rules),
        Some(text) => NotationOf::<T>::parse_position(&rules, text).map_err(|e| fault(0, e.to_string()))?,
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
            seen = Seen { after_noisy: T::is_loud(&board, mv), after_check: seen.check, ..seen };
            board.play(mv);
            seen.check = board.in_check();
        }
    }
    Ok(boards)
}

/// The search's score for the move of `node`, which `mover` chose.
fn score<M>(game: &GameRecord<M>, node: u32, mover: Side) -> Option<FirstSide<i16>> {
    let note = game.nodes[node as usize].note;
    let value: Value = game.notes.get(note as usize).filter(|_| note != 0)?.value?;
    Some(FirstSide(Value::cp(FirstSide::of(mover, value).0.raw()).raw() as i16))
}
