//! The worker of one job: games in, rows or lines of text out.

use super::quiet::Quiet;
use super::source::{Item, OneGame};
use crate::lessons::ChessTaught;
use anyhow::bail;
use std::sync::atomic::{AtomicU64, Ordering};
use tesuji_chess::{Board, Move, UciNotation};
use tesuji_chess_eval::{FEATURES, HandRows, TERMS, sofcheck};
use tesuji_dataset::{Filter, Head, SeenBoard as Seen, SparseRows, sparse, sparse_parquet::RowGroup};
use tesuji_game::{By, Notation, Outcome};
use tesuji_kit::tuning::walk;
use tesuji_tally::{SCALE_MAX, feature_name};

/// The feature set that becomes columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Those of the evaluation
    Tesuji,
    /// SoFCheck's 480, as its make_dataset counts them
    Sofcheck,
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Layout::Tesuji => "tesuji",
            Layout::Sofcheck => "sofcheck",
        })
    }
}

impl Layout {
    /// The name of every column.
    pub(super) fn names(self) -> Vec<String> {
        match self {
            Layout::Tesuji => (0..FEATURES).map(|feature| feature_name(TERMS, feature)).collect(),
            Layout::Sofcheck => sofcheck::column_names(),
        }
    }
}

/// The settings of the extraction: features, filters and output of all jobs.
pub(super) struct Orders {
    /// The features.
    pub layout: Layout,
    /// The filter of boards.
    pub filter: Filter,
    /// Keep only boards whose value quiescence leaves within this many centipawns.
    pub quiet: Option<u32>,
    /// Whether rows are wanted as lines of CSV.
    pub lines: bool,
    /// Rows wanted with a lot below this only; it falls while a sample fills. The seed of the lots.
    pub lots_below: Option<(u64, AtomicU64)>,
}

/// The output of a job for some games.
#[derive(Default)]
pub(super) struct Piece {
    /// Lines of CSV.
    pub text: Vec<u8>,
    /// Rows, where no lines were wanted.
    pub rows: SparseRows,
    /// The rows as they will stand in a Parquet file.
    pub group: RowGroup,
    /// Their hash, where it is wanted.
    pub hash: u64,
    /// Games, boards, rows kept, and games without a result.
    pub games: u64,
    pub boards: u64,
    pub kept: u64,
    pub unfinished: u64,
}

impl Piece {
    /// Empties it, and keeps the memory.
    pub(super) fn clear(&mut self) {
        let (mut text, mut rows) = (std::mem::take(&mut self.text), std::mem::take(&mut self.rows));
        text.clear();
        rows.clear();
        *self = Piece { text, rows, ..Piece::default() };
    }
}

/// The state that a thread keeps from game to game.
pub(super) struct Worker<'o> {
    orders: &'o Orders,
    ours: HandRows,
    columns: sofcheck::Columns,
    line: sofcheck::CsvLine,
    quiet: Option<Quiet>,
}

impl<'o> Worker<'o> {
    pub(super) fn new(orders: &'o Orders) -> Worker<'o> {
        Worker {
            orders,
            ours: HandRows::default(),
            columns: sofcheck::Columns::default(),
            line: sofcheck::CsvLine::default(),
            quiet: orders.quiet.map(Quiet::within),
        }
    }

    /// Makes the rows of some games and adds them to `piece`.
    ///
    /// # Errors
    /// The first game that is broken, or has no result where every game needs one, with its place.
    pub(super) fn make(&mut self, item: Item, piece: &mut Piece) -> anyhow::Result<()> {
        item.each(|game, number| {
            let boards = match game {
                OneGame::Moves(game) if self.finished(game.outcome, piece)? => {
                    walk::<ChessTaught, _>(game, number, |_, mv: &Move| Ok(*mv), |b, s, h| self.board(b, s, h, piece))?
                }
                OneGame::Words(game) if self.finished(game.outcome, piece)? => {
                    let read = |board: &Board, text: &String| UciNotation::parse_move(board, text);
                    walk::<ChessTaught, _>(game, number, read, |b, s, h| self.board(b, s, h, piece))?
                }
                _ => 0,
            };
            piece.boards += boards as u64;
            Ok(())
        })
    }

    /// Whether a game has a result and is counted.
    fn finished(&self, outcome: Option<Outcome>, piece: &mut Piece) -> anyhow::Result<bool> {
        let finished = outcome.is_some_and(|o| o.by != By::Void);
        if !finished && self.orders.layout == Layout::Sofcheck {
            bail!("expected a game with a result, found one without");
        }
        if finished {
            piece.games += 1;
        } else {
            piece.unfinished += 1;
        }
        Ok(finished)
    }

    /// Makes a row of a board, if it is wanted.
    fn board(&mut self, board: &Board, seen: &Seen, head: &dyn Fn() -> Head, piece: &mut Piece) {
        if !self.orders.filter.keeps(seen) || self.quiet.as_mut().is_some_and(|quiet| !quiet.keeps(board)) {
            return;
        }
        piece.kept += 1;
        let mut head = head();
        if let Some((seed, below)) = &self.orders.lots_below
            && sparse::lot(*seed, &head) >= below.load(Ordering::Relaxed)
        {
            return;
        }
        match self.orders.layout {
            Layout::Sofcheck => {
                head.phase = self.columns.list(board) as u16;
                head.scale = SCALE_MAX as u16;
                let columns = self.columns.entries();
                if self.orders.lines {
                    self.line.write(&csv_row(&head), columns, &mut piece.text);
                } else {
                    piece.rows.push(head, columns.iter().copied());
                }
            }
            Layout::Tesuji => {
                let blend = self.ours.row(board);
                (head.phase, head.scale) = (blend.phase as u16, blend.scale as u16);
                piece.rows.push_counted(head, self.ours.indices(), self.ours.counts());
            }
        }
    }
}

/// The fields of a CSV line besides its columns.
pub(super) fn csv_row(head: &Head) -> sofcheck::CsvRow {
    sofcheck::CsvRow {
        half_points: head.half_points,
        game: u64::from(head.game) + 1,
        boards: u32::from(head.boards),
        boards_left: u32::from(head.boards_left),
    }
}
