//! Positions: what a text means, which moves there are, how the game stands. The page knows no rules; this tells it.

use crate::Problem;
use serde::{Deserialize, Serialize};
use tesuji_game::{By, Outcome, Side};
use tesuji_record::{AnyGame, RulesTable};
use utoipa::ToSchema;

/// Moves in one line at most: longer ones are no games.
const MOVES_MAX: usize = 10_000;

/// A place in a game: rules, start and the moves from there.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GamePosition {
    /// The rules as text (`chess960`, `9x9 komi 7`); empty: the usual ones.
    pub rules: String,
    /// The start position in the game's notation; none: the usual one.
    pub start: Option<String>,
    /// The moves, in the protocol's notation or as people write them (`e2e4`, `e4`, `7g7f`, `７六歩`, `Q16`).
    pub moves: Vec<String>,
}

/// A move in two notations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Move {
    /// As the protocol writes it: `g1f3`, `7g7f`, `Q16`.
    #[serde(rename = "move")]
    pub code: String,
    /// As people write it: `Nf3`, `☗７六歩`, `Q16`.
    pub text: String,
}

/// A position as a page needs it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Standing {
    /// The game.
    pub game: &'static str,
    /// The position in the game's notation.
    pub position: String,
    /// The side to move: 0 for the side that moves first in the game (White in chess, Black elsewhere), 1 for the other.
    pub side: u8,
    /// The moves that may be played.
    pub legal: Vec<Move>,
    /// The moves played from the start.
    pub played: Vec<Move>,
    /// The end of the game, if it is over.
    pub ended: Option<Ended>,
    /// Whether the mover may declare the game over, and how that would end it.
    pub claim: Option<Ended>,
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ended {
    /// 0 or 1 as in `side`; none: nobody won.
    pub winner: Option<u8>,
    /// The reason by its name: `mate`, `repetition`, `points`…
    pub by: String,
    /// By how many points, where they are counted.
    #[serde(default)]
    pub points: Option<f32>,
}

/// The number of a side on the wire.
pub(crate) fn number(side: Side) -> u8 {
    side.index() as u8
}

/// Whether `name` is the name of `by`, or the one that it had before names had spaces: records that are kept may hold it.
fn is_name(by: By, name: &str) -> bool {
    let before = by.name().strip_suffix(" move").unwrap_or(by.name()).replace(' ', "");
    name == by.name() || name == before
}

impl From<Outcome> for Ended {
    fn from(outcome: Outcome) -> Ended {
        let points = if let By::Points(margin) = outcome.by { Some(margin) } else { None };
        Ended { winner: outcome.winner.map(number), by: outcome.by.name().to_string(), points }
    }
}

impl TryFrom<Ended> for Outcome {
    type Error = Problem;

    fn try_from(ended: Ended) -> Result<Outcome, Problem> {
        let winner = match ended.winner {
            None => None,
            Some(0) => Some(Side::First),
            Some(1) => Some(Side::Second),
            Some(other) => return Err(Problem::unprocessable(format!("no side has the number {other}"))),
        };
        let by = By::ALL.into_iter().find(|by| is_name(*by, &ended.by)).map(|by| match by {
            By::Points(_) => By::Points(ended.points.unwrap_or(0.0)),
            other => other,
        });
        let by = by.ok_or_else(|| {
            let known = By::ALL.map(By::name).join(", ");
            Problem::unprocessable(format!("no game ends by {:?}", ended.by)).hint(format!("There are: {known}."))
        })?;
        Ok(Outcome { winner, by })
    }
}

/// The table at `place`, with every move checked.
///
/// # Errors
/// If a move or a part of the position is wrong, with its place and the reason.
pub(crate) fn table_at(game: &dyn AnyGame, place: &GamePosition) -> Result<Box<dyn RulesTable>, Problem> {
    if place.moves.len() > MOVES_MAX {
        return Err(Problem::unprocessable(format!("more than {MOVES_MAX} moves")).at("moves"));
    }
    let start = place.start.as_deref().filter(|start| !start.is_empty());
    let mut table = game.table(&place.rules, start).map_err(|error| {
        let part = if start.is_some() { "start" } else { "rules" };
        Problem::unprocessable(error.to_string()).at(part)
    })?;
    for (i, text) in place.moves.iter().enumerate() {
        let played = table.parse_move(text).and_then(|code| table.play(&code));
        played.map_err(|error| {
            Problem::unprocessable(format!("move {}, {text:?}: {error}", i + 1)).at(format!("moves[{i}]"))
        })?;
    }
    Ok(table)
}

/// Everything about the position at `place`.
///
/// # Errors
/// As [`table_at`].
pub(crate) fn standing(game: &'static dyn AnyGame, place: &GamePosition) -> Result<Standing, Problem> {
    let table = table_at(game, place)?;
    Ok(Standing {
        game: game.name(),
        position: table.position(),
        side: number(table.side_to_move()),
        legal: table.moves().into_iter().map(|code| in_words(&*table, code)).collect(),
        played: line_in_words(game, place, &table.played()),
        ended: table.outcome().map(Ended::from),
        claim: table.claim().map(Ended::from),
    })
}

/// `code` with its words.
pub(crate) fn in_words(table: &dyn RulesTable, code: String) -> Move {
    let text = table.format_move(&code).unwrap_or_else(|_| code.clone());
    Move { code, text }
}

/// The moves `codes` from the start of `place`, in words. What cannot be played is left as it is.
fn line_in_words(game: &dyn AnyGame, place: &GamePosition, codes: &[String]) -> Vec<Move> {
    let start = place.start.as_deref().filter(|start| !start.is_empty());
    let Ok(mut table) = game.table(&place.rules, start) else { return Vec::new() };
    follow(&mut *table, codes)
}

/// Plays `codes` on `table` and returns them in words, up to the first that cannot be played.
pub(crate) fn follow(table: &mut dyn RulesTable, codes: &[String]) -> Vec<Move> {
    let mut line = Vec::with_capacity(codes.len());
    for code in codes {
        let said = in_words(table, code.clone());
        if table.play(code).is_err() {
            break;
        }
        line.push(said);
    }
    line
}
