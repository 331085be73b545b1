//! The start of a record, as a board and as the texts that stand for it; shared by all game formats.

use crate::{Board, HANDICAPS, Rules, Shogi, UsiNotation, endings};
use tesuji_game::{By, Game, Notation, Position};
use tesuji_record::{CLAIMED_RESULT, Fault, GameRecord};

/// The tag for the seconds that the side to move at the end used before it resigned, or ended the game otherwise: KIF and CSA
/// write that time beside the word for the end, and it belongs to no move.
pub(crate) const END_SPENT: &str = "EndSpent";

/// The board on which a record starts.
pub(crate) fn start_board(game: &GameRecord<String>) -> Result<Board, Fault> {
    let rules: Rules = game.rules.parse().map_err(Fault::Position)?;
    match &game.start {
        Some(text) => UsiNotation::parse_position(&rules, text).map_err(Fault::Position),
        None => Ok(Shogi::start(&rules)),
    }
}

/// The rules text for a record that starts on `board`, and the position where it is the start of no handicap.
pub(crate) fn start_texts(board: &Board) -> (String, Option<String>) {
    let text = board.to_string();
    match HANDICAPS.iter().find(|handicap| handicap.2 == text) {
        Some(handicap) => (Rules { handicap: handicap.0, declaration: board.declaration() }.to_string(), None),
        None => (Rules { declaration: board.declaration(), ..Rules::default() }.to_string(), Some(text)),
    }
}

/// The outcome of `game` that ended on `board`: where the side to move is mated it has lost, and an outcome that says otherwise is kept
/// as the tag [`CLAIMED_RESULT`]. Ends beside the board (a foul, time, a lost connection, a game that was broken off, too many moves)
/// stay as they are told.
pub(crate) fn settle_outcome(game: &mut GameRecord<String>, board: &Board) {
    let Some(told) = game.outcome else { return };
    let by_board = matches!(
        told.by,
        By::Mate | By::NoMoves | By::Repetition | By::Declaration | By::Resignation | By::Agreement | By::Adjudication
    );
    let winner = Some(!board.side_to_move());
    if by_board && told.winner != winner && !board.has_moves() {
        game.set_tag(CLAIMED_RESULT, endings::words(&told));
        game.outcome = Some(board.no_legal_moves());
    }
}
