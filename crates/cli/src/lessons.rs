//! Games of chess as rows of feature counts: what learning sees of chess.

use tesuji_chess::{Board, Chess, Move, Rules, UciNotation};
use tesuji_chess_eval::{FEATURES, GAME, HandEval, TERMS, terms};
use tesuji_dataset::{Board as Seen, Features, Filter, Head, Rows, SampleError};
use tesuji_game::{Game, Notation, NotationError, Position, Side, Tactical, Value};
use tesuji_record::{GameRecord, Step};
use tesuji_tally::{Row, Term};
use tesuji_tune::{Canon, PieceTable};

/// Chess as learning sees it.
pub(crate) struct ChessLessons;

/// What makes chess weights readable: tables hold what a square adds, a pawn is worth 100.
pub(crate) fn canon() -> Canon {
    let table = |kind: usize| {
        let first = terms::PSQ_PAWN + 64 * kind;
        PieceTable { value: terms::MATERIAL + kind, table: first..first + 64 }
    };
    Canon { tables: (0..5).map(table).collect(), unit: Some((terms::MATERIAL, 100)) }
}

impl Features for ChessLessons {
    fn game(&self) -> &'static str {
        GAME
    }

    fn terms(&self) -> &'static [Term] {
        TERMS
    }

    fn rows(
        &self,
        game: &GameRecord<String>,
        number: u32,
        filter: &Filter,
        out: &mut Rows,
    ) -> Result<usize, SampleError> {
        let mut row = Row::new(FEATURES);
        let parse = |board: &Board, text: &String| UciNotation::parse_move(board, text);
        walk(game, number, parse, |board, seen, head| {
            if filter.keeps(seen) {
                let blend = HandEval::row(board, &mut row);
                out.push(Head { phase: blend.phase as u16, scale: blend.scale as u16, ..head() }, row.entries());
            }
        })
    }
}

/// Walks the main line of `game`, which is number `number`, and shows `each` every board: what filters ask about it,
/// and what is known of it beside its counts. `read` turns what the record keeps into a move. Returns the number of boards.
pub(crate) fn walk<M>(
    game: &GameRecord<M>,
    number: u32,
    read: impl Fn(&Board, &M) -> Result<Move, NotationError>,
    mut each: impl FnMut(&Board, &Seen, &dyn Fn() -> Head),
) -> Result<usize, SampleError> {
    let fault = |ply: usize, reason: String| SampleError { ply, reason };
    let outcome = game.outcome.ok_or_else(|| fault(0, "the game has no result".into()))?;
    let rules: Rules = game.rules.parse().map_err(|e| fault(0, format!("{e}")))?;
    let mut board = match &game.start {
        None => Chess::start(&rules),
        Some(text) => UciNotation::parse_position(&rules, text).map_err(|e| fault(0, e.to_string()))?,
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
            score: next.and_then(|&node| score(game, node, &board)),
            ..Head::default()
        });
        if let Some(&node) = next {
            let Step::Move(kept) = &game.nodes[node as usize].step else {
                return Err(fault(index + 1, "a position set up in the middle of a game".into()));
            };
            let mv = read(&board, kept).map_err(|e| fault(index + 1, e.to_string()))?;
            let after_noisy = board.is_capture(mv) || mv.promotion().is_some();
            seen = Seen { after_noisy, after_check: seen.check, ..seen };
            board.play(mv);
            seen.check = board.in_check();
        }
    }
    Ok(boards)
}

/// What the search said when it chose the move of `node` at `board`, for White.
fn score<M>(game: &GameRecord<M>, node: u32, board: &Board) -> Option<i16> {
    let note = game.nodes[node as usize].note;
    let value: Value = game.notes.get(note as usize).filter(|_| note != 0)?.value?;
    let white = if board.side_to_move() == Side::First { value } else { -value };
    Some(Value::cp(white.raw()).raw() as i16)
}
