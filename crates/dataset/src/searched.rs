//! Searched positions with the visits of their moves in Parquet, a row each: what games of networks leave for learning, here
//! and in pandas or polars.
//!
//! | column | what |
//! |---|---|
//! | `game`, `ply` | the number of the game in the file, from 0; plies played before |
//! | `rules`, `start` | as in records; `start` is null at the game's usual one |
//! | `moves` | those before the position, with blanks between |
//! | `move` | the one played |
//! | `score` | what the search said, in centipawns as [`Value::raw`] has it, for the side to move |
//! | `result`, `margin` | how the game ended for the first side (1, 0.5, 0), and by how many points where they were counted |
//! | `visit_moves`, `visit_counts` | the moves that the search looked at, and how often |
//! | `origin` | who made the game, and how |

use crate::checked::{self, CheckedFile, CheckedWriter};
use crate::parquet_bounds::{BATCH_ROWS_MAX, check_group, without_panic};
use arrow_array::builder::{ListBuilder, StringBuilder, UInt32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float32Array, Int16Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
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

fn schema() -> Arc<Schema> {
    let list = |name: &str, of| Field::new(name, DataType::List(Arc::new(Field::new("item", of, true))), false);
    Arc::new(Schema::new(vec![
        Field::new("game", DataType::UInt64, false),
        Field::new("ply", DataType::UInt32, false),
        Field::new("rules", DataType::Utf8, false),
        Field::new("start", DataType::Utf8, true),
        Field::new("moves", DataType::Utf8, false),
        Field::new("move", DataType::Utf8, false),
        Field::new("score", DataType::Int16, true),
        Field::new("result", DataType::Float32, true),
        Field::new("margin", DataType::Float32, true),
        list("visit_moves", DataType::Utf8),
        list("visit_counts", DataType::UInt32),
        Field::new("origin", DataType::Utf8, false),
    ]))
}

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
    writer: ArrowWriter<CheckedWriter<W>>,
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
        let writer = ArrowWriter::try_new(output, schema(), Some(properties(about))).map_err(checked::into_io)?;
        Ok(SearchedWriter { writer, words, rows: Vec::new(), games: 0, written: 0 })
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
        if self.rows.len() >= ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.written += self.rows.len() as u64;
        let rows = std::mem::take(&mut self.rows);
        self.writer.write(&batch(&rows)?).map_err(checked::into_io)
    }

    /// Ends the file; how many positions it has, and where it went.
    ///
    /// # Errors
    /// When nothing can be written.
    pub fn finish(mut self) -> io::Result<(u64, W)> {
        self.flush()?;
        self.writer.flush().map_err(checked::into_io)?;
        self.writer.inner_mut().seal();
        Ok((self.written, self.writer.into_inner().map_err(checked::into_io)?.finish()?))
    }
}

fn batch(rows: &[Row]) -> io::Result<RecordBatch> {
    let text = |of: fn(&Row) -> &str| StringArray::from_iter_values(rows.iter().map(of));
    let mut moves = ListBuilder::new(StringBuilder::new());
    let mut counts = ListBuilder::new(UInt32Builder::new());
    for row in rows {
        row.visits.iter().for_each(|(mv, count)| {
            moves.values().append_value(mv);
            counts.values().append_value(*count);
        });
        moves.append(true);
        counts.append(true);
    }
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|row| row.game))),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|row| row.ply))),
        Arc::new(text(|row| &row.rules)),
        Arc::new(rows.iter().map(|row| row.start.as_deref()).collect::<StringArray>()),
        Arc::new(text(|row| &row.moves)),
        Arc::new(text(|row| &row.mv)),
        Arc::new(rows.iter().map(|row| row.score).collect::<Int16Array>()),
        Arc::new(rows.iter().map(|row| row.half_points.map(|p| f32::from(p) / 2.0)).collect::<Float32Array>()),
        Arc::new(rows.iter().map(|row| row.margin).collect::<Float32Array>()),
        Arc::new(moves.finish()),
        Arc::new(counts.finish()),
        Arc::new(text(|row| &row.origin)),
    ];
    RecordBatch::try_new(schema(), columns).map_err(io::Error::other)
}

/// Reads such a file as games again: each to the move after its last searched position. How a game ended is known as far as
/// its result and its margin say it.
pub struct SearchedReader {
    file: CheckedFile,
    metadata: ArrowReaderMetadata,
    /// The row group that is read next, and the rest of the one before.
    next_group: usize,
    reader: Option<ParquetRecordBatchReader>,
    words: MoveWords,
    rows: VecDeque<Row>,
    games: u64,
}

/// What a file that is none of ours is told.
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
        let metadata = without_panic(|| ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()));
        let metadata = metadata.ok_or_else(|| foreign(path, "the Parquet file is broken"))?;
        let metadata = metadata.map_err(|e| foreign(path, checked::not_opened(&e)))?;
        for field in schema().fields() {
            match metadata.schema().field_with_name(field.name()) {
                Ok(found) if found.data_type() == field.data_type() => {}
                Ok(found) => {
                    let (name, is, should) = (field.name(), found.data_type(), field.data_type());
                    return Err(foreign(path, format!("column {name:?} is of type {is}, not {should}")));
                }
                Err(_) => {
                    let name = field.name();
                    return Err(foreign(path, format!("no file of searched positions: it has no column {name:?}")));
                }
            }
        }
        Ok(SearchedReader { file, metadata, next_group: 0, reader: None, words, rows: VecDeque::new(), games: 0 })
    }

    fn broken(&self, what: &dyn std::fmt::Display) -> RecordError {
        RecordError::new(0, self.games, Fault::Io(io::Error::new(io::ErrorKind::InvalidData, what.to_string())))
    }

    /// Reads until the first game is whole, or nothing is left.
    fn fill(&mut self) -> Result<(), RecordError> {
        while self.rows.back().map(|row| row.game) == self.rows.front().map(|row| row.game) {
            let Some(batch) = self.batch()? else { break };
            match rows_of(&batch) {
                Some(rows) => self.rows.extend(rows),
                None => return Err(self.broken(&"a column is of another type, or a list too long")),
            }
            if self.rows.len() > PLIES_MAX + BATCH_ROWS_MAX {
                return Err(self.broken(&format!("a game of more than {PLIES_MAX} positions")));
            }
        }
        Ok(())
    }

    /// The next rows of the file; nothing follows what is broken.
    fn batch(&mut self) -> Result<Option<RecordBatch>, RecordError> {
        let groups = self.metadata.metadata().num_row_groups();
        loop {
            let next = without_panic(|| match &mut self.reader {
                Some(reader) => reader.next().transpose().map_err(|error| error.to_string()),
                None => Ok(None),
            });
            let error = match next {
                Some(Ok(Some(batch))) => return Ok(Some(batch)),
                Some(Ok(None)) if self.next_group == groups => return Ok(None),
                Some(Ok(None)) => {
                    let opened = without_panic(|| self.open_group(self.next_group));
                    self.next_group += 1;
                    match opened {
                        Some(Ok(reader)) => {
                            self.reader = Some(reader);
                            continue;
                        }
                        Some(Err(error)) => error,
                        None => "it is broken".to_string(),
                    }
                }
                Some(Err(error)) => error,
                None => "it is broken".to_string(),
            };
            let error = self.broken(&format!("row group {}: {error}", self.next_group));
            (self.reader, self.next_group) = (None, groups);
            return Err(error);
        }
    }

    fn open_group(&self, group: usize) -> Result<ParquetRecordBatchReader, String> {
        let batch_rows = check_group(&self.file, self.metadata.metadata().row_group(group))?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.file.clone(), self.metadata.clone());
        builder.with_row_groups(vec![group]).with_batch_size(batch_rows).build().map_err(|error| error.to_string())
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
        self.game(&rows).map(Some).map_err(|fault| RecordError::new(0, self.games, fault))
    }
}

/// The rows of a batch; `None` when a column is of another type than promised.
fn rows_of(batch: &RecordBatch) -> Option<Vec<Row>> {
    let text = |name| batch.column_by_name(name).and_then(|column| column.as_string_opt::<i32>());
    let list = |name| batch.column_by_name(name).and_then(|column| column.as_list_opt::<i32>());
    macro_rules! number {
        ($name:literal, $kind:ty) => {
            batch.column_by_name($name).and_then(|column| column.as_primitive_opt::<$kind>())?
        };
    }
    let (game, ply) = (number!("game", UInt64Type), number!("ply", UInt32Type));
    let (score, result) = (number!("score", Int16Type), number!("result", Float32Type));
    let margin = number!("margin", Float32Type);
    let (rules, start, origin) = (text("rules")?, text("start")?, text("origin")?);
    let (moves, mv) = (text("moves")?, text("move")?);
    let (visited, counts) = (list("visit_moves")?, list("visit_counts")?);
    let row = |i: usize| {
        let (words, times) = (visited.value(i), counts.value(i));
        let (words, times) = (words.as_string_opt::<i32>()?, times.as_primitive_opt::<UInt32Type>()?);
        if words.len() > VISITS_MAX {
            return None;
        }
        Some(Row {
            game: game.value(i),
            ply: ply.value(i),
            rules: rules.value(i).into(),
            start: start.is_valid(i).then(|| start.value(i).into()),
            moves: moves.value(i).into(),
            mv: mv.value(i).into(),
            score: score.is_valid(i).then(|| score.value(i)),
            half_points: result.is_valid(i).then(|| (result.value(i).clamp(0.0, 1.0) * 2.0).round() as u8),
            margin: margin.is_valid(i).then(|| margin.value(i)),
            visits: words.iter().flatten().map(String::from).zip(times.iter().flatten()).collect(),
            origin: origin.value(i).into(),
        })
    };
    (0..batch.num_rows()).map(row).collect()
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
        let field = Field::new("game", DataType::Utf8, false);
        let other = Arc::new(Schema::new(vec![field]));
        let writer = ArrowWriter::try_new(File::create(&path).unwrap(), other, None).unwrap();
        writer.close().unwrap();
        assert!(said(&path).contains("column \"game\" is of type Utf8, not UInt64"), "{}", said(&path));
    }
}
