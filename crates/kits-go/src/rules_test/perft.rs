//! Move sequences of go, superko and passes included, and legal boards.

use std::time::Instant;
use tesuji_game::{Line, Notation};
use tesuji_go::{Area, GoPosition, GtpNotation, Large, Medium, Move, Rules, Small, notation, perft};
use tesuji_kit::{
    Perft, PerftRequest, RequestError,
    rules_test::{LegalPositions, count_below},
};

/// The most points of a board whose legal boards are counted by trying them all.
const LEGAL_POINTS_MAX: usize = 16;

/// Carries out `$run::<A>(request, rules)` on the smallest boards that hold the request's.
macro_rules! on_its_board {
    ($run:ident, $request:expr) => {{
        let request: &PerftRequest = $request;
        request.validate()?;
        let quoted = format!("{:?}", request.rules);
        let rules: Rules = request.rules.parse().map_err(|error| RequestError::value("rules", quoted, error))?;
        let size = notation::size_of(&rules, start_of(request)).map_err(|error| wrong_start(request, error))?;
        if Small::holds(size) {
            $run::<Small>(request, &rules)
        } else if Medium::holds(size) {
            $run::<Medium>(request, &rules)
        } else {
            $run::<Large>(request, &rules)
        }
    }};
}

/// Counts the leaves of the move tree.
pub(super) fn count(request: &PerftRequest) -> Result<Perft, RequestError> {
    on_its_board!(count_on, request)
}

/// Counts the legal boards of the request's size.
pub(super) fn legal_positions(request: &PerftRequest) -> Result<LegalPositions, RequestError> {
    on_its_board!(legal_on, request)
}

fn start_of(request: &PerftRequest) -> &str {
    request.position.start.as_deref().unwrap_or_default()
}

fn wrong_start(request: &PerftRequest, error: impl std::fmt::Display) -> RequestError {
    RequestError::value("position", format!("{:?}", start_of(request)), error)
}

fn read<A: Area>(request: &PerftRequest, rules: &Rules) -> Result<GoPosition<A>, RequestError> {
    GtpNotation::parse_position(rules, start_of(request)).map_err(|error| wrong_start(request, error))
}

fn legal_on<A: Area>(request: &PerftRequest, rules: &Rules) -> Result<LegalPositions, RequestError> {
    let (start, began) = (read::<A>(request, rules)?, Instant::now());
    if start.size().points() > LEGAL_POINTS_MAX {
        let reason = format!("tries every board: it counts boards of up to {LEGAL_POINTS_MAX} points");
        return Err(RequestError::field("legal", reason));
    }
    let count = perft::legal_boards(&start);
    Ok(LegalPositions { size: start.size().to_string(), count, elapsed: began.elapsed() })
}

fn count_on<A: Area>(request: &PerftRequest, rules: &Rules) -> Result<Perft, RequestError> {
    let start: GoPosition<A> = read(request, rules)?;
    let began = Instant::now();
    let position = format!("{} under {}", super::text(&start), start.rules());
    let line = played(start, &request.position.moves)?;
    let mut moves: Vec<Move> = Vec::new();
    if request.depth > 0 && line.outcome().is_none() {
        line.legal_moves(&mut moves);
    }
    let counts = count_below(moves.len(), request.threads, || {
        let (mut line, moves) = (line.clone(), &moves);
        move |at| perft::below(&mut line, moves[at], request.depth)
    });
    let leaves = if request.depth == 0 { 1 } else { counts.iter().sum() };
    let moves = moves.iter().map(Move::to_string).zip(counts).collect();
    Ok(Perft { position, moves, leaves, elapsed: began.elapsed() })
}

/// The line of `moves` from `start`.
fn played<A: Area>(start: GoPosition<A>, moves: &[String]) -> Result<Line<GoPosition<A>>, RequestError> {
    let (mut line, mut legal) = (Line::new(start), Vec::new());
    for text in moves {
        let mv =
            GtpNotation::parse_move(line.here(), text).map_err(|error| RequestError::value("moves", text, error))?;
        line.legal_moves(&mut legal);
        if !legal.contains(&mv) {
            return Err(RequestError::value("moves", text, "that repeats an earlier board"));
        }
        line.push(mv);
    }
    Ok(line)
}
