//! Searched positions with the visits of their moves in Parquet, a row each: what games of networks leave for learning, here
//! and in pandas or polars.
//!
//! | column | what |
//! |---|---|
//! | `game`, `ply` | the number of the game in the file, from 0; plies played before |
//! | `rules`, `start` | as in records; `start` is null at the game's usual one |
//! | `moves` | those before the position, with spaces between |
//! | `move` | the one played |
//! | `score` | what the search said, in centipawns as [`Value::raw`] has it, for the side to move |
//! | `result`, `margin` | how the game ended for the first side (1, 0.5, 0), and by how many points where they were counted |
//! | `visit_moves`, `visit_counts` | the moves that the search looked at, and how often |
//! | `origin` | who made the game, and how |

use crate::checked::{self, CheckedFile, CheckedWriter};
use crate::parquet_bounds::{BATCH_ROWS_MAX, check_group, without_panic};
use crate::parquet_columns::{Chunk, Column, Group, Mismatch, compare, schema, text, text_of};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;
use std::{collections::VecDeque, io, io::Write, path::Path, sync::Arc};
use tesuji_game::{By, Outcome, Side, Value};
use tesuji_record::{Fault, GameRecord, Note, RecordError, RecordReader, half_points, outcome_of};

/// Rows of a row group.
const ROWS: usize = 1 << 15;

/// The most positions of a game in a file that is read.
const PLIES_MAX: usize = 1 << 16;
/// The most moves that a search looked at in a position of such a file.
const VISITS_MAX: usize = 1 << 16;

/// A packed move as a word under rules, and the way back.
#[derive(Clone, Copy)]
pub struct MoveWords {
    /// The word; `None`: it is no move.
    pub word: fn(rules: &str, code: u16) -> Option<String>,
    /// The packed move; `None`: the word is none.
    pub code: fn(rules: &str, word: &str) -> Option<u16>,
}

/// A searched position of a game.
#[derive(Debug, Clone, Default, PartialEq)]
struct Row {
    game: u64,
    ply: u32,
    rules: String,
    start: Option<String>,
    moves: String,
    mv: String,
    score: Option<i16>,
    half_points: Option<u8>,
    margin: Option<f32>,
    visits: Vec<(String, u32)>,
    origin: String,
}

const SCHEMA: &str = "message searched {
    required int64 game (INTEGER(64, false));
    required int32 ply (INTEGER(32, false));
    required binary rules (STRING);
    optional binary start (STRING);
    required binary moves (STRING);
    required binary move (STRING);
    optional int32 score (INTEGER(16, true));
    optional float result;
    optional float margin;
    required group visit_moves (LIST) { repeated group list { optional binary item (STRING); } }
    required group visit_counts (LIST) { repeated group list { optional int32 item (INTEGER(32, false)); } }
    required binary origin (STRING);
}";

fn properties(about: &[(String, String)]) -> WriterProperties {
    let about = about.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let keys = about.chain([KeyValue::new(checked::KEY.0.into(), checked::KEY.1.to_string())]).collect();
    // Of a game's lines of moves each begins as the one before.
    WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_max_row_group_row_count(Some(ROWS))
        .set_key_value_metadata(Some(keys))
        .set_created_by(format!("tesuji {}", env!("CARGO_PKG_VERSION")))
        .set_column_dictionary_enabled("moves".into(), false)
        .set_column_encoding("moves".into(), Encoding::DELTA_BYTE_ARRAY)
        .build()
}

/// Writes searched positions of games, in order.
pub struct SearchedWriter<W: Write + Send> {
    file: SerializedFileWriter<CheckedWriter<W>>,
    properties: WriterPropertiesPtr,
    words: MoveWords,
    rows: Vec<Row>,
    games: u64,
    written: u64,
}

impl<W: Write + Send> SearchedWriter<W> {
    /// Begins a file; `about` are its own words, as keys and values.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn begin(output: W, words: MoveWords, about: &[(String, String)]) -> io::Result<SearchedWriter<W>> {
        let output = CheckedWriter::new(output);
        let properties = Arc::new(properties(about));
        let file = SerializedFileWriter::new(output, schema(SCHEMA), properties.clone()).map_err(checked::into_io)?;
        Ok(SearchedWriter { file, properties, words, rows: Vec::new(), games: 0, written: 0 })
    }

    /// Adds the positions of `game` that have visits.
    ///
    /// # Errors
    /// When nothing can be written, or a visited move is none.
    pub fn add(&mut self, game: &GameRecord<String>) -> io::Result<()> {
        let line = game.main_line();
        let points = half_points(game.outcome);
        let own = |outcome: &Outcome, points: f32| if outcome.winner == Some(Side::Second) { -points } else { points };
        let margin = game.outcome.and_then(|outcome| match outcome.by {
            By::Points(points) => Some(own(&outcome, points)),
            _ => None,
        });
        for (ply, (node, mv)) in game.main_nodes().into_iter().zip(&line).enumerate() {
            let Note { visits, value, .. } = game.note(node);
            if visits.is_empty() {
                continue;
            }
            let word = |&(code, count): &(u16, u32)| Some(((self.words.word)(&game.rules, code)?, count));
            let visits = visits.iter().map(word).collect::<Option<Vec<_>>>();
            let visits = visits.ok_or_else(|| io::Error::other(format!("ply {ply}: visits of what is no move")))?;
            self.rows.push(Row {
                game: self.games,
                ply: ply as u32,
                rules: game.rules.clone(),
                start: game.start.clone(),
                moves: line[..ply].join(" "),
                mv: mv.clone(),
                score: value.map(|value| value.raw() as i16),
                half_points: points,
                margin,
                visits,
                origin: game.tag("Origin").unwrap_or("").to_string(),
            });
        }
        self.games += 1;
        while self.rows.len() >= ROWS {
            let rest = self.rows.split_off(ROWS);
            self.write_group().map_err(checked::into_io)?;
            self.rows = rest;
        }
        Ok(())
    }

    /// Writes the rows as a row group.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        let rows = std::mem::take(&mut self.rows);
        self.written += rows.len() as u64;
        let chunks = chunks(self.file.schema_descr(), &self.properties, &rows)?;
        let mut group = self.file.next_row_group()?;
        chunks.into_iter().try_for_each(|chunk| chunk.append_to(&mut group))?;
        group.close().map(drop)
    }

    /// Ends the file; how many positions it has, and where it went.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        if !self.rows.is_empty() {
            self.write_group().map_err(checked::into_io)?;
        }
        self.file.inner_mut().seal();
        Ok((self.written, self.file.into_inner().map_err(checked::into_io)?.finish()?))
    }
}

/// The columns of `rows`, in the order of [`SCHEMA`].
fn chunks(
    schema: &SchemaDescriptor,
    properties: &WriterPropertiesPtr,
    rows: &[Row],
) -> Result<[Chunk; 12], ParquetError> {
    let column = |place| schema.column(place);
    let texts = |place, of: fn(&Row) -> &str| {
        Chunk::required::<ByteArrayType>(&column(place), properties, rows.iter().map(|row| text(of(row))))
    };
    let starts = rows.iter().map(|row| row.start.as_deref().map(text));
    let results = rows.iter().map(|row| row.half_points.map(|points| f32::from(points) / 2.0));
    let moves = rows.iter().map(|row| row.visits.iter().map(|(mv, _)| text(mv)));
    let counts = rows.iter().map(|row| row.visits.iter().map(|(_, count)| *count as i32));
    Ok([
        Chunk::required::<Int64Type>(&column(0), properties, rows.iter().map(|row| row.game as i64))?,
        Chunk::required::<Int32Type>(&column(1), properties, rows.iter().map(|row| row.ply as i32))?,
        texts(2, |row| &row.rules)?,
        Chunk::optional::<ByteArrayType>(&column(3), properties, starts)?,
        texts(4, |row| &row.moves)?,
        texts(5, |row| &row.mv)?,
        Chunk::optional::<Int32Type>(&column(6), properties, rows.iter().map(|row| row.score.map(i32::from)))?,
        Chunk::optional::<FloatType>(&column(7), properties, results)?,
        Chunk::optional::<FloatType>(&column(8), properties, rows.iter().map(|row| row.margin))?,
        Chunk::lists::<ByteArrayType, _>(&column(9), properties, moves)?,
        Chunk::lists::<Int32Type, _>(&column(10), properties, counts)?,
        texts(11, |row| &row.origin)?,
    ])
}

/// Reads such a file as games again: each to the move after its last searched position. How a game ended is known as far as
/// its result and its margin say it.
pub struct SearchedReader {
    file: CheckedFile,
    reader: SerializedFileReader<CheckedFile>,
    /// The row group that is read next, and the rest of the one before.
    next_group: usize,
    columns: Option<Columns>,
    words: MoveWords,
    rows: VecDeque<Row>,
    games: u64,
}

/// The error for a file that does not hold searched positions as this program writes them.
fn foreign(path: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {what}", path.display()))
}

impl SearchedReader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it is no Parquet file of searched positions.
    pub fn open(path: &Path, words: MoveWords) -> io::Result<SearchedReader> {
        let file = CheckedFile::open(path).map_err(|e| foreign(path, e))?;
        let reader = without_panic(|| SerializedFileReader::new(file.clone()));
        let reader = reader.ok_or_else(|| foreign(path, "the Parquet file is broken"))?;
        let reader = reader.map_err(|e| foreign(path, checked::not_opened(&e)))?;
        let found = reader.metadata().file_metadata().schema_descr();
        compare(&SchemaDescriptor::new(schema(SCHEMA)), found).map_err(|mismatch| match mismatch {
            Mismatch::Missing(name) => {
                foreign(path, format!("no file of searched positions: it has no column {name:?}"))
            }
            Mismatch::Type { name, found, expected } => {
                foreign(path, format!("column {name:?} is of type {found}, not {expected}"))
            }
        })?;
        Ok(SearchedReader { file, reader, next_group: 0, columns: None, words, rows: VecDeque::new(), games: 0 })
    }

    fn broken(&self, what: &dyn std::fmt::Display) -> RecordError {
        RecordError::without_line(self.games, Fault::Io(io::Error::new(io::ErrorKind::InvalidData, what.to_string())))
    }

    /// Reads until the first game is whole, or nothing is left.
    fn fill(&mut self) -> Result<(), RecordError> {
        while self.rows.back().map(|row| row.game) == self.rows.front().map(|row| row.game) {
            let batch = self.batch()?;
            if batch.is_empty() {
                break;
            }
            self.rows.extend(batch);
            if self.rows.len() > PLIES_MAX + BATCH_ROWS_MAX {
                return Err(self.broken(&format!("a game of more than {PLIES_MAX} positions")));
            }
        }
        Ok(())
    }

    /// The next rows of the file, none at its end; nothing follows what is broken.
    fn batch(&mut self) -> Result<Vec<Row>, RecordError> {
        let groups = self.reader.num_row_groups();
        loop {
            let next = without_panic(|| match &mut self.columns {
                Some(columns) => columns.read(),
                None => Ok(Vec::new()),
            });
            let error = match next {
                Some(Ok(rows)) if !rows.is_empty() || self.next_group == groups => return Ok(rows),
                Some(Ok(_)) => {
                    let opened = without_panic(|| self.open_group(self.next_group));
                    self.next_group += 1;
                    match opened {
                        Some(Ok(columns)) => {
                            self.columns = Some(columns);
                            continue;
                        }
                        Some(Err(error)) => error,
                        None => "it is broken".to_string(),
                    }
                }
                Some(Err(error)) => error.to_string(),
                None => "it is broken".to_string(),
            };
            let error = self.broken(&format!("row group {}: {error}", self.next_group));
            (self.columns, self.next_group) = (None, groups);
            return Err(error);
        }
    }

    fn open_group(&self, group: usize) -> Result<Columns, String> {
        let batch_rows = check_group(&self.file, self.reader.metadata().row_group(group))?;
        let opened = Group::open(&self.reader, group).and_then(|group| Columns::of(&group, batch_rows));
        opened.map_err(|error| error.to_string())
    }

    /// The game of rows that belong to it.
    fn game(&self, rows: &[Row]) -> Result<GameRecord<String>, Fault> {
        let expected = |expected, found: &str| Fault::Expected { expected, found: found.chars().take(60).collect() };
        let Some(last) = rows.last() else { return Err(expected("a game", "nothing")) };
        let moves = last.moves.split(' ').filter(|word| !word.is_empty()).chain([&*last.mv]).map(String::from);
        let mut record = GameRecord::from_moves(&last.rules, last.start.as_deref(), moves);
        record.outcome = last.half_points.map(|points| {
            let outcome = outcome_of(points);
            let by = last.margin.map_or(outcome.by, |margin| By::Points(margin.abs()));
            Outcome { by, ..outcome }
        });
        let nodes = record.main_nodes();
        for row in rows {
            let node =
                nodes.get(row.ply as usize).ok_or_else(|| expected("a ply of the game", &row.ply.to_string()))?;
            let code = |(word, count): &(String, u32)| {
                let code = (self.words.code)(&row.rules, word).ok_or_else(|| expected("a move", word))?;
                Ok((code, *count))
            };
            let visits = row.visits.iter().map(code).collect::<Result<Vec<_>, Fault>>()?;
            let value = row.score.map(|score| Value::from_raw(score.into()));
            *record.note_mut(*node) = Note { visits, value, ..Note::default() };
        }
        Ok(record)
    }
}

impl RecordReader for SearchedReader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        self.fill()?;
        let Some(game) = self.rows.front().map(|row| row.game) else { return Ok(None) };
        let count = self.rows.iter().take_while(|row| row.game == game).count();
        let rows: Vec<Row> = self.rows.drain(..count).collect();
        self.games += 1;
        self.game(&rows).map(Some).map_err(|fault| RecordError::without_line(self.games, fault))
    }
}

/// Our columns of a row group.
struct Columns {
    /// The number of rows read at a time.
    batch_rows: usize,
    game: Column<Int64Type>,
    ply: Column<Int32Type>,
    rules: Column<ByteArrayType>,
    start: Column<ByteArrayType>,
    moves: Column<ByteArrayType>,
    mv: Column<ByteArrayType>,
    score: Column<Int32Type>,
    result: Column<FloatType>,
    margin: Column<FloatType>,
    visit_moves: Column<ByteArrayType>,
    visit_counts: Column<Int32Type>,
    origin: Column<ByteArrayType>,
}

impl Columns {
    fn of(group: &Group, batch_rows: usize) -> Result<Columns, ParquetError> {
        Ok(Columns {
            batch_rows,
            game: group.column("game")?,
            ply: group.column("ply")?,
            rules: group.column("rules")?,
            start: group.column("start")?,
            moves: group.column("moves")?,
            mv: group.column("move")?,
            score: group.column("score")?,
            result: group.column("result")?,
            margin: group.column("margin")?,
            visit_moves: group.column("visit_moves")?,
            visit_counts: group.column("visit_counts")?,
            origin: group.column("origin")?,
        })
    }

    /// The next rows, none at the end.
    fn read(&mut self) -> Result<Vec<Row>, ParquetError> {
        let count = self.batch_rows;
        let number = |game: Option<i64>| Row { game: game.unwrap_or(0) as u64, ..Row::default() };
        let mut rows: Vec<Row> = self.game.cells(count)?.into_iter().map(number).collect();
        fill(&mut rows, self.ply.cells(count)?, |row, ply| row.ply = ply.unwrap_or(0) as u32)?;
        fill(&mut rows, texts(&mut self.rules, count)?, |row, rules| row.rules = rules.unwrap_or_default())?;
        fill(&mut rows, texts(&mut self.start, count)?, |row, start| row.start = start)?;
        fill(&mut rows, texts(&mut self.moves, count)?, |row, moves| row.moves = moves.unwrap_or_default())?;
        fill(&mut rows, texts(&mut self.mv, count)?, |row, mv| row.mv = mv.unwrap_or_default())?;
        fill(&mut rows, self.score.cells(count)?, |row, score| row.score = score.map(|score| score as i16))?;
        fill(&mut rows, self.result.cells(count)?, |row, result| {
            row.half_points = result.map(|result| (result.clamp(0.0, 1.0) * 2.0).round() as u8);
        })?;
        fill(&mut rows, self.margin.cells(count)?, |row, margin| row.margin = margin)?;
        let visits = self.visit_moves.lists(count)?.into_iter().zip(self.visit_counts.lists(count)?);
        let visits = visits.map(|(moves, counts)| visits_of(moves, counts)).collect::<Result<Vec<_>, _>>()?;
        fill(&mut rows, visits, |row, visits| row.visits = visits)?;
        fill(&mut rows, texts(&mut self.origin, count)?, |row, origin| row.origin = origin.unwrap_or_default())?;
        Ok(rows)
    }
}

fn texts(column: &mut Column<ByteArrayType>, count: usize) -> Result<Vec<Option<String>>, ParquetError> {
    column.cells(count)?.into_iter().map(|cell| cell.map(|cell| text_of(Some(cell))).transpose()).collect()
}

/// Puts a cell into each row.
fn fill<T>(rows: &mut [Row], cells: Vec<T>, put: impl Fn(&mut Row, T)) -> Result<(), ParquetError> {
    if cells.len() != rows.len() {
        return Err(ParquetError::General("columns of different lengths".into()));
    }
    rows.iter_mut().zip(cells).for_each(|(row, cell)| put(row, cell));
    Ok(())
}

fn visits_of(moves: Vec<ByteArray>, counts: Vec<i32>) -> Result<Vec<(String, u32)>, ParquetError> {
    if moves.len() > VISITS_MAX {
        return Err(ParquetError::General(format!("more than {VISITS_MAX} moves of a position")));
    }
    let words = moves.into_iter().map(|mv| text_of(Some(mv)));
    words.zip(counts).map(|(word, count)| Ok((word?, count as u32))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// Moves are letters, packed as their codes.
    const LETTERS: MoveWords = MoveWords {
        word: |_, code| u8::try_from(code).ok().filter(u8::is_ascii_lowercase).map(|byte| char::from(byte).to_string()),
        code: |_, word| word.bytes().next().filter(|_| word.len() == 1).map(u16::from),
    };

    fn game(moves: &str, margin: f32) -> GameRecord<String> {
        let mut game = GameRecord::from_moves("9x9", None, moves.split(' ').map(String::from));
        let winner = if margin > 0.0 { Side::First } else { Side::Second };
        game.outcome = Some(Outcome { winner: Some(winner), by: By::Points(margin.abs()) });
        // The first move was drawn by lot.
        for (i, node) in game.main_nodes().into_iter().enumerate().skip(1) {
            let visits = vec![(u16::from(b'a') + i as u16, 7), (u16::from(b'z'), i as u32)];
            *game.note_mut(node) = Note { visits, value: Some(Value::cp(-40 * i as i32)), ..Note::default() };
        }
        game
    }

    #[test]
    fn games_come_back_with_their_visits() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.parquet");
        let games = [game("a b c d", 3.5), game("x y", -12.0)];
        let file = File::create(&path).unwrap();
        let mut writer = SearchedWriter::begin(file, LETTERS, &[("tesuji.game".into(), "go".into())]).unwrap();
        games.iter().for_each(|game| writer.add(game).unwrap());
        assert_eq!(writer.finish().unwrap().0, 4);
        let mut reader = SearchedReader::open(&path, LETTERS).unwrap();
        for game in &games {
            let again = reader.read().unwrap().unwrap();
            assert_eq!((again.main_line(), again.outcome, &again.rules), (game.main_line(), game.outcome, &game.rules));
            for (a, b) in again.main_nodes().into_iter().zip(game.main_nodes()) {
                assert_eq!((&again.note(a).visits, again.note(a).value), (&game.note(b).visits, game.note(b).value));
            }
        }
        assert!(reader.read().unwrap().is_none());
        let bad = GameRecord { nodes: games[0].nodes.clone(), ..game("a b c d", 1.0) };
        let never = MoveWords { word: |_, _| None, ..LETTERS };
        let mut writer = SearchedWriter::begin(Vec::new(), never, &[]).unwrap();
        assert!(writer.add(&bad).unwrap_err().to_string().contains("ply 1"));
    }

    #[test]
    fn other_files_are_refused_in_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("positions.parquet");
        let said = |path: &Path| SearchedReader::open(path, LETTERS).err().unwrap().to_string();
        assert!(said(&path).contains("positions.parquet"), "there is none");
        std::fs::write(&path, "PAR1 or not").unwrap();
        assert!(said(&path).contains("no Parquet file"));
        let other = schema("message other { required binary game (STRING); }");
        SerializedFileWriter::new(File::create(&path).unwrap(), other, Default::default()).unwrap().close().unwrap();
        assert!(said(&path).contains("column \"game\" is of type Utf8, not UInt64"), "{}", said(&path));
    }
}
