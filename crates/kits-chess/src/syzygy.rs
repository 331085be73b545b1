//! Syzygy endgame tables (Ronald de Man, 2013) for the search, read by the crate `shakmaty-syzygy`.

use shakmaty::{ByColor, ByRole, CastlingMode, Chess, Color, PositionError, Setup};
use shakmaty_syzygy::{Tablebase, Wdl};
use std::{env, num::NonZeroU32, ops::ControlFlow};
use tesuji_chess::{Board, Move, Piece, WHITE};
use tesuji_game::{Position, Side};
use tesuji_search::{EndgameProbe, Wdl5};

/// Positions under the rule of fifty moves are lost or won only before this many plies without progress.
const RULE_PLIES: i32 = 100;

/// The tables of some folders.
pub(super) struct Tables {
    tables: Tablebase<Chess>,
}

impl Tables {
    /// Opens the tables of the folders in `path`, which are separated as in `PATH`.
    ///
    /// # Errors
    /// A folder cannot be read, which the error names, or no table is there.
    pub(super) fn open(path: &str) -> Result<Tables, String> {
        let mut tables = Tablebase::new();
        let mut files = 0;
        for folder in env::split_paths(path) {
            files += tables.add_directory(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        if files == 0 {
            return Err(format!("{path}: no tables (*.rtbw, *.rtbz) there"));
        }
        tracing::info!("{files} endgame tables of up to {} pieces", tables.max_pieces());
        Ok(Tables { tables })
    }

    /// The position as the tables want it; `None` where they cannot hold it.
    fn position(&self, board: &Board) -> Option<Chess> {
        if board.occupied().count() as usize > self.tables.max_pieces() { None } else { convert(board) }
    }

    /// Plies to the next capture or pawn move under perfect play, as the tables count: positive for a win of the mover.
    fn progress(&self, pos: &Chess) -> Option<i32> {
        Some(i32::from(self.tables.probe_dtz(pos).ok()?.ignore_rounding()))
    }
}

impl EndgameProbe<Board> for Tables {
    fn pieces_max(&self) -> u32 {
        self.tables.max_pieces() as u32
    }

    /// Known only right after a capture or pawn move: what came before could spoil a win otherwise.
    fn wdl(&self, board: &Board) -> Option<Wdl5> {
        if board.halfmove_clock() != 0 {
            return None;
        }
        let pos = self.position(board)?;
        self.tables.probe_wdl_after_zeroing(&pos).ok().map(word)
    }

    /// Of a won position, the moves that come nearer to the next capture or pawn move; of others, all that keep the result.
    fn root_moves(&self, board: &Board) -> Option<(Wdl5, Vec<Move>)> {
        let here = self.progress(&self.position(board)?)?;
        let clock = board.halfmove_clock() as i32;
        let mut moves = Vec::new();
        let mut complete = true;
        let _ = board.for_each_move(|mv| {
            let mut after = *board;
            after.play(mv);
            match self.position(&after).and_then(|pos| self.rank(&pos, &after, clock)) {
                Some(rank) => moves.push((mv, rank)),
                None => complete = false,
            }
            ControlFlow::<()>::Continue(())
        });
        if !complete {
            return None;
        }
        let (best, keeps) = keeping(here, &moves.iter().map(|(_, rank)| *rank).collect::<Vec<_>>())?;
        let kept = moves.iter().zip(keeps).filter(|(_, keep)| *keep).map(|((mv, _), _)| *mv).collect();
        Some((best, kept))
    }
}

/// The best result, and which moves may be played for it: of a win in `here` plies those that come nearer, and should the
/// tables' rounding leave none, the nearest; of anything else all that keep it.
fn keeping(here: i32, ranks: &[Rank]) -> Option<(Wdl5, Vec<bool>)> {
    let best = ranks.iter().map(|rank| rank.result).max()?;
    let nearest = ranks.iter().filter(|r| r.result == best).map(|r| r.plies).min()?;
    let enough = if best == Wdl5::Win { nearest.max(here) } else { i32::MAX };
    Some((best, ranks.iter().map(|r| r.result == best && r.plies <= enough).collect()))
}

/// The result of a move for the side that makes it.
#[derive(Clone, Copy)]
struct Rank {
    result: Wdl5,
    /// Plies from the present position to the next capture or pawn move.
    plies: i32,
}

impl Tables {
    /// `after` is reached by a move from a position with `clock` plies without progress.
    fn rank(&self, pos: &Chess, after: &Board, clock: i32) -> Option<Rank> {
        if after.halfmove_clock() == 0 {
            let theirs = self.tables.probe_wdl_after_zeroing(pos).ok()?;
            return Some(Rank { result: word(-theirs), plies: 1 });
        }
        let theirs = self.progress(pos)?;
        if theirs < 0 && !after.has_moves() {
            return Some(Rank { result: Wdl5::Win, plies: 1 }); // mate
        }
        let plies = theirs.abs() + 1;
        let in_time = plies + clock <= RULE_PLIES;
        let result = match (-theirs).signum() {
            1 if in_time => Wdl5::Win,
            1 => Wdl5::CursedWin,
            -1 if in_time => Wdl5::Loss,
            -1 => Wdl5::BlessedLoss,
            _ => Wdl5::Draw,
        };
        Some(Rank { result, plies })
    }
}

fn word(wdl: Wdl) -> Wdl5 {
    match wdl {
        Wdl::Loss => Wdl5::Loss,
        Wdl::BlessedLoss => Wdl5::BlessedLoss,
        Wdl::Draw => Wdl5::Draw,
        Wdl::CursedWin => Wdl5::CursedWin,
        Wdl::Win => Wdl5::Win,
    }
}

/// Converts the position to the type of the tables' library; `None` with castling rights, which tables do not know.
fn convert(board: &Board) -> Option<Chess> {
    let castling = Side::ALL.iter().any(|&s| [false, true].iter().any(|&h| board.castling_rook(s, h).is_some()));
    if castling {
        return None;
    }
    let role = |piece| shakmaty::Bitboard(board.pieces(piece).0);
    let by_role = ByRole {
        pawn: role(Piece::Pawn),
        knight: role(Piece::Knight),
        bishop: role(Piece::Bishop),
        rook: role(Piece::Rook),
        queen: role(Piece::Queen),
        king: role(Piece::King),
    };
    let by_color =
        ByColor { white: shakmaty::Bitboard(board.side(WHITE).0), black: shakmaty::Bitboard(board.side(!WHITE).0) };
    let setup = Setup {
        board: shakmaty::Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: if board.side_to_move() == WHITE { Color::White } else { Color::Black },
        ep_square: board.en_passant_usable().map(|s| shakmaty::Square::new(s.index() as u32)),
        halfmoves: board.halfmove_clock(),
        fullmoves: NonZeroU32::new(board.fullmove()).unwrap_or(NonZeroU32::MIN),
        ..Setup::empty()
    };
    // Tables hold checks that no game leads to.
    setup.position(CastlingMode::Standard).or_else(PositionError::ignore_impossible_check).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{EnPassantMode, fen::Fen};
    use tesuji_chess::{Rules, UciNotation};
    use tesuji_game::{Notation, Tactical};

    #[test]
    fn positions_are_the_same_in_both_words() {
        for fen in [
            "8/8/8/4k3/8/8/4P3/4K3 w - - 3 40",
            "8/8/8/8/3pP3/8/8/K6k b - e3 0 1",
            "4k3/8/8/8/8/8/1q6/4K2R w - - 12 77",
        ] {
            let board = UciNotation::parse_position(&Rules::default(), fen).unwrap();
            let pos = convert(&board).unwrap();
            assert_eq!(Fen::from_position(&pos, EnPassantMode::Legal).to_string(), fen);
        }
        let castling = UciNotation::parse_position(&Rules::default(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1").unwrap();
        assert!(convert(&castling).is_none());
    }

    #[test]
    fn winning_moves_come_nearer() {
        let rank = |result, plies| Rank { result, plies };
        // The optimal move of a win in 32 plies leads to a loss in 31, which counts as 32 from here.
        let ranks = [(Wdl5::Win, 38), (Wdl5::Win, 32), (Wdl5::Draw, 0), (Wdl5::Win, 33)].map(|(r, p)| rank(r, p));
        assert_eq!(keeping(32, &ranks), Some((Wdl5::Win, vec![false, true, false, false])));
        assert_eq!(keeping(33, &ranks), Some((Wdl5::Win, vec![false, true, false, true])));
        // Rounded by one: the nearest is still kept.
        assert_eq!(keeping(31, &ranks), Some((Wdl5::Win, vec![false, true, false, false])));
        let ranks = [(Wdl5::Loss, 4), (Wdl5::Draw, 0), (Wdl5::Draw, 7)].map(|(r, p)| rank(r, p));
        assert_eq!(keeping(0, &ranks), Some((Wdl5::Draw, vec![false, true, true])));
        assert_eq!(keeping(0, &[]), None);
    }

    /// Against perfect defence, with the real tables of a folder named by TESUJI_SYZYGY (three pieces are enough).
    #[test]
    fn real_tables_win_what_is_won() {
        let Some(folder) = env::var_os("TESUJI_SYZYGY") else {
            return tesuji_testkit::needs::skip(
                "needs Syzygy tables (the source archive of PyPI's chess; TESUJI_SYZYGY names their folder)",
            );
        };
        let tables = Tables::open(&folder.to_string_lossy()).unwrap();
        for fen in ["8/8/8/8/3k4/8/8/KQ6 w - - 0 1", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", "7k/8/8/8/8/8/8/K1R5 w - - 60 80"]
        {
            let mut board = UciNotation::parse_position(&Rules::default(), fen).unwrap();
            let attacker = board.side_to_move();
            while board.has_moves() {
                let (result, moves) = tables.root_moves(&board).unwrap();
                let wanted = if board.side_to_move() == attacker { Wdl5::Win } else { Wdl5::Loss };
                assert_eq!(result, wanted, "{}", tesuji_chess::fen::to_string(&board));
                assert!(board.halfmove_clock() < 100);
                // The worst of the moves kept, for the attacker; the longest resistance for the defender.
                let left = |mv: &Move| {
                    let mut after = board;
                    after.play(*mv);
                    tables.position(&after).and_then(|pos| tables.progress(&pos)).map_or(0, i32::abs)
                };
                board.play(moves.into_iter().max_by_key(left).unwrap());
            }
            assert!(board.in_check() && board.side_to_move() != attacker, "{fen}");
        }
    }

    #[test]
    fn folders_without_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        assert!(Tables::open(&path).is_err_and(|e| e.ends_with("no tables (*.rtbw, *.rtbz) there")));
        assert!(Tables::open(&format!("{path}/none")).is_err());
    }
}
