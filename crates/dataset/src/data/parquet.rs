//! Our columnar dataset: positions in Parquet, a row each, in row groups that are written and read apart from each other.

use super::DataError;
use crate::checked::{self, CheckedFile, CheckedWriter};
use crate::parquet_bounds::{ROWS_MAX, TEXTS_BYTES_MAX, check_group, without_panic};
use crate::parquet_columns::{Chunk, Column, Group, Mismatch, compare, schema, text, text_of};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArrayType, FloatType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;
use std::io::{self, Write};
use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use tesuji_game::FirstSide;
use tesuji_record::{Fault, Sample};

/// Rows of a row group at most: what is held in memory at once.
const ROWS: usize = 1 << 17;

/// The columns, in order. What may be missing is null.
const SCHEMA: &str = "message positions {
    required int64 game (INTEGER(64, false));
    required int32 ply (INTEGER(32, false));
    required binary rules (STRING);
    required binary position (STRING);
    optional binary move (STRING);
    optional int32 score (INTEGER(16, true));
    optional float result;
    optional int32 plies_left (INTEGER(32, false));
    optional binary origin (STRING);
}";

fn properties(about: &[(String, String)]) -> WriterProperties {
    let keys = about.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let plain = ["position", "move", "game"];
    let builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()))
        .set_statistics_enabled(EnabledStatistics::None)
        .set_max_row_group_row_count(Some(ROWS))
        .set_key_value_metadata(Some(keys))
        .set_created_by(format!("tesuji {}", env!("CARGO_PKG_VERSION")));
    let builder =
        plain.iter().fold(builder, |b, name| b.set_column_dictionary_enabled((*name).into(), *name == "game"));
    // Neighbours begin alike: rows of one game follow each other.
    builder.set_column_encoding("position".into(), Encoding::DELTA_BYTE_ARRAY).build()
}

/// The columns of `rows`, in the order of [`SCHEMA`].
fn chunks(
    schema: &SchemaDescriptor,
    properties: &WriterPropertiesPtr,
    rows: &[Sample],
) -> Result<[Chunk; 9], ParquetError> {
    let column = |place| schema.column(place);
    let texts = |place, of: fn(&Sample) -> &str| {
        Chunk::required::<ByteArrayType>(&column(place), properties, rows.iter().map(|row| text(of(row))))
    };
    let some_texts = |place, of: fn(&Sample) -> &str| {
        let cells = rows.iter().map(|row| Some(of(row)).filter(|word| !word.is_empty()).map(text));
        Chunk::optional::<ByteArrayType>(&column(place), properties, cells)
    };
    let results = rows.iter().map(|row| row.half_points.map(|points| f32::from(points) / 2.0));
    let scores = rows.iter().map(|row| row.score.map(|score| i32::from(score.0)));
    let plies_left = rows.iter().map(|row| row.plies_left.map(|plies| plies as i32));
    Ok([
        Chunk::required::<Int64Type>(&column(0), properties, rows.iter().map(|row| row.game.unwrap_or(0) as i64))?,
        Chunk::required::<Int32Type>(&column(1), properties, rows.iter().map(|row| row.ply.unwrap_or(0) as i32))?,
        texts(2, |row| &row.rules)?,
        texts(3, |row| &row.position)?,
        some_texts(4, |row| &row.mv)?,
        Chunk::optional::<Int32Type>(&column(5), properties, scores)?,
        Chunk::optional::<FloatType>(&column(6), properties, results)?,
        Chunk::optional::<Int32Type>(&column(7), properties, plies_left)?,
        some_texts(8, |row| &row.origin)?,
    ])
}

/// `rows` as a whole Parquet file in memory: a piece that [`Assembly`] joins with others. No rows are no bytes.
pub(crate) fn encode(rows: &[Sample]) -> io::Result<Vec<u8>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    encode_as(rows, properties(&[])).map_err(checked::into_io)
}

fn encode_as(rows: &[Sample], properties: WriterProperties) -> Result<Vec<u8>, ParquetError> {
    let properties = Arc::new(properties);
    let mut file = SerializedFileWriter::new(Vec::new(), schema(SCHEMA), properties.clone())?;
    for part in rows.chunks(ROWS) {
        let chunks = chunks(file.schema_descr(), &properties, part)?;
        let mut group = file.next_row_group()?;
        chunks.into_iter().try_for_each(|chunk| chunk.append_to(&mut group))?;
        group.close()?;
    }
    file.into_inner()
}

/// A Parquet file joined from pieces without unpacking them.
pub(crate) struct Assembly<W: Write + Send> {
    writer: SerializedFileWriter<CheckedWriter<W>>,
}

impl<W: Write + Send> Assembly<W> {
    /// Begins the file. `about` says who made it, in its metadata.
    pub(crate) fn begin(output: W, about: &[(String, String)]) -> io::Result<Assembly<W>> {
        let mut keys: Vec<(String, String)> = about.to_vec();
        keys.push((checked::KEY.0.to_string(), checked::KEY.1.to_string()));
        let (schema, properties) = (schema(SCHEMA), Arc::new(properties(&keys)));
        let output = CheckedWriter::new(output);
        let writer = SerializedFileWriter::new(output, schema, properties).map_err(checked::into_io)?;
        Ok(Assembly { writer })
    }

    /// Adds a piece.
    pub(crate) fn add(&mut self, piece: Vec<u8>) -> io::Result<()> {
        let piece = Bytes::from(piece);
        let reader = SerializedFileReader::new(piece.clone()).map_err(checked::into_io)?;
        for group in reader.metadata().row_groups() {
            let mut out = self.writer.next_row_group().map_err(checked::into_io)?;
            for column in group.columns() {
                let closed = ColumnCloseResult {
                    bytes_written: column.compressed_size() as u64,
                    rows_written: group.num_rows() as u64,
                    metadata: column.clone(),
                    bloom_filter: None,
                    column_index: None,
                    offset_index: None,
                };
                out.append_column(&piece, closed).map_err(checked::into_io)?;
            }
            out.close().map_err(checked::into_io)?;
        }
        Ok(())
    }

    /// Ends the file and gives the output back.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        self.writer.inner_mut().seal();
        self.writer.into_inner().map_err(checked::into_io)?.finish()
    }
}

/// Reads with the library; where it panics the file is broken.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, DataError>) -> Result<T, DataError> {
    without_panic(read).unwrap_or_else(|| Err(DataError::of_file(path, "the Parquet file is broken")))
}

/// The number of row groups of the file `path`, whose columns must be ours.
pub(crate) fn groups(path: &Path) -> Result<usize, DataError> {
    guarded(path, || count_groups(path))
}

fn count_groups(path: &Path) -> Result<usize, DataError> {
    let fail = |e: &dyn std::fmt::Display| DataError::of_file(path, e);
    let file = CheckedFile::open(path).map_err(|e| fail(&e))?;
    let reader = SerializedFileReader::new(file).map_err(|e| fail(&checked::not_opened(&e)))?;
    compare(&SchemaDescriptor::new(schema(SCHEMA)), reader.metadata().file_metadata().schema_descr()).map_err(
        |mismatch| match mismatch {
            Mismatch::Missing(name) => fail(&format!("it has no column {name:?}")),
            Mismatch::Type { name, found, expected } => {
                fail(&format!("column {name:?} is of type {found}, not {expected}"))
            }
        },
    )?;
    let length = std::fs::metadata(path).map_err(|e| fail(&e))?.len();
    for (i, group) in reader.metadata().row_groups().iter().enumerate() {
        let inside = |column: &ColumnChunkMetaData| {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let (start, size) = (u64::try_from(start), u64::try_from(column.compressed_size()));
            start.is_ok_and(|start| size.is_ok_and(|size| start.checked_add(size).is_some_and(|end| end <= length)))
        };
        if let Some(column) = group.columns().iter().find(|column| !is_read(column.compression())) {
            let codec = format!("{:?}", column.compression());
            return Err(fail(&format!(
                "it is packed by {codec}: zstd, snappy, gzip and lz4 are read, and what is not packed"
            )));
        }
        if group.num_rows() < 0 || !group.columns().iter().all(inside) {
            return Err(fail(&format!("row group {}: it is not within the file", i + 1)));
        }
    }
    Ok(reader.metadata().num_row_groups())
}

/// Whether columns packed so can be unpacked.
fn is_read(codec: Compression) -> bool {
    use Compression::{GZIP, LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD};
    matches!(codec, UNCOMPRESSED | SNAPPY | GZIP(_) | LZ4 | LZ4_RAW | ZSTD(_))
}

/// A row: a position, or what is wrong with it.
pub(crate) type ReadRow = Result<Sample, Fault>;

/// The rows of a row group.
pub(crate) fn read_group(path: &Path, group: usize) -> Result<Vec<ReadRow>, DataError> {
    guarded(path, || rows_of_group(path, group))
}

fn rows_of_group(path: &Path, group: usize) -> Result<Vec<ReadRow>, DataError> {
    let broken = |e: &dyn std::fmt::Display| DataError::of_file(path, format!("row group {}: {e}", group + 1));
    let file = CheckedFile::open(path).map_err(|e| broken(&e))?;
    let reader = SerializedFileReader::new(file.clone()).map_err(|e| broken(&e))?;
    let batch_rows = check_group(&file, reader.metadata().row_group(group)).map_err(|e| broken(&e))?;
    let group = Group::open(&reader, group).map_err(|e| broken(&e))?;
    let mut columns = Columns::of(&group).map_err(|e| broken(&e))?;
    let (mut rows, mut bytes) = (Vec::<ReadRow>::new(), 0);
    loop {
        let before = rows.len();
        columns.read(batch_rows, &mut rows).map_err(|e| broken(&e))?;
        if rows.len() == before {
            return Ok(rows);
        }
        let length = |row: &Sample| row.rules.len() + row.position.len() + row.mv.len() + row.origin.len();
        bytes += rows[before..].iter().flatten().map(length).sum::<usize>();
        // Pages may hold more rows than the group says, and a text that they hold once may be that of each row.
        if rows.len() > ROWS_MAX || bytes > TEXTS_BYTES_MAX {
            return Err(broken(&format!(
                "more than {ROWS_MAX} rows or {} MiB of text: write smaller row groups",
                TEXTS_BYTES_MAX >> 20
            )));
        }
    }
}

/// Our columns of a row group.
struct Columns {
    game: Column<Int64Type>,
    ply: Column<Int32Type>,
    rules: Column<ByteArrayType>,
    position: Column<ByteArrayType>,
    mv: Column<ByteArrayType>,
    score: Column<Int32Type>,
    result: Column<FloatType>,
    plies_left: Column<Int32Type>,
    origin: Column<ByteArrayType>,
}

impl Columns {
    fn of(group: &Group) -> Result<Columns, ParquetError> {
        Ok(Columns {
            game: group.column("game")?,
            ply: group.column("ply")?,
            rules: group.column("rules")?,
            position: group.column("position")?,
            mv: group.column("move")?,
            score: group.column("score")?,
            result: group.column("result")?,
            plies_left: group.column("plies_left")?,
            origin: group.column("origin")?,
        })
    }

    /// Appends the next `count` rows, fewer at the end.
    fn read(&mut self, count: usize, rows: &mut Vec<ReadRow>) -> Result<(), ParquetError> {
        let mut cells = Cells {
            game: self.game.cells(count)?,
            ply: self.ply.cells(count)?,
            rules: texts(&mut self.rules, count)?,
            position: texts(&mut self.position, count)?,
            mv: texts(&mut self.mv, count)?,
            score: self.score.cells(count)?,
            result: self.result.cells(count)?,
            plies_left: self.plies_left.cells(count)?,
            origin: texts(&mut self.origin, count)?,
        };
        cells.check_lengths()?;
        rows.extend((0..cells.game.len()).map(|row| cells.sample(row)));
        Ok(())
    }
}

fn texts(column: &mut Column<ByteArrayType>, count: usize) -> Result<Vec<String>, ParquetError> {
    column.cells(count)?.into_iter().map(text_of).collect()
}

/// Some rows of our columns.
struct Cells {
    game: Vec<Option<i64>>,
    ply: Vec<Option<i32>>,
    rules: Vec<String>,
    position: Vec<String>,
    mv: Vec<String>,
    score: Vec<Option<i32>>,
    result: Vec<Option<f32>>,
    plies_left: Vec<Option<i32>>,
    origin: Vec<String>,
}

impl Cells {
    fn check_lengths(&self) -> Result<(), ParquetError> {
        let texts = [&self.rules, &self.position, &self.mv, &self.origin].map(Vec::len);
        let numbers = [self.ply.len(), self.score.len(), self.result.len(), self.plies_left.len()];
        if [texts, numbers].concat().iter().any(|length| *length != self.game.len()) {
            return Err(ParquetError::General("columns of different lengths".into()));
        }
        Ok(())
    }

    /// The row as a position; its texts are taken out.
    fn sample(&mut self, row: usize) -> ReadRow {
        // Unsigned numbers stand in the file as signed ones of the same bits.
        let unsigned = |cell: Option<i32>| cell.map(|number| number as u32);
        // The columns of game and ply have 0 for what is not known; a known game may be at its start.
        let game = self.game[row].map(|game| game as u64).filter(|&game| game != 0);
        let ply = plies_of(unsigned(self.ply[row]).unwrap_or(0))?;
        Ok(Sample {
            score: self.score[row].map(|score| score_of(score as i16)).transpose()?,
            half_points: self.result[row].map(half_points_of).transpose()?,
            plies_left: unsigned(self.plies_left[row]).map(plies_of).transpose()?,
            ply: Some(ply).filter(|&ply| ply > 0 || game.is_some()),
            game,
            rules: take(&mut self.rules[row]),
            position: take(&mut self.position[row]),
            mv: take(&mut self.mv[row]),
            origin: take(&mut self.origin[row]),
            facts: None,
        })
    }
}

/// A score that has an opposite.
fn score_of(score: i16) -> Result<FirstSide<i16>, Fault> {
    if score == i16::MIN { Err(unexpected("a score from -32767 to 32767", score)) } else { Ok(FirstSide(score)) }
}

/// Half points of a result as the files have it.
fn half_points_of(result: f32) -> Result<u8, Fault> {
    [0.0, 0.5, 1.0]
        .iter()
        .position(|known| *known == result)
        .map_or_else(|| Err(unexpected("a result: 1.0, 0.5 or 0.0", result)), |half_points| Ok(half_points as u8))
}

/// The most plies of a game: as many as files of games may have.
const PLIES_MAX: u32 = 1 << 20;

fn plies_of(plies: u32) -> Result<u32, Fault> {
    if plies > PLIES_MAX { Err(unexpected("at most 1048576 plies", plies)) } else { Ok(plies) }
}

fn unexpected(expected: &'static str, found: impl std::fmt::Display) -> Fault {
    Fault::Expected { expected, found: found.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::GzipLevel;
    use std::fs::File;

    /// Writes rows as another program would: packed by `codec`, whatever is in them.
    fn foreign(path: &Path, codec: Compression, rows: &[Sample], results: &[f32]) {
        let properties = Arc::new(WriterProperties::builder().set_compression(codec).build());
        let mut file =
            SerializedFileWriter::new(File::create(path).unwrap(), schema(SCHEMA), properties.clone()).unwrap();
        let mut chunks = chunks(file.schema_descr(), &properties, rows).unwrap();
        let results = results.iter().copied().map(Some);
        chunks[6] = Chunk::optional::<FloatType>(&file.schema_descr().column(6), &properties, results).unwrap();
        let mut group = file.next_row_group().unwrap();
        chunks.into_iter().for_each(|chunk| chunk.append_to(&mut group).unwrap());
        group.close().unwrap();
        file.close().unwrap();
    }

    /// pyarrow packs by Snappy unless it is told otherwise: "Disabled feature at compile time: snap".
    #[test]
    fn columns_packed_by_others_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let row = Sample { position: "8/8 w".repeat(50), half_points: Some(1), ..Sample::default() };
        let gzip = Compression::GZIP(GzipLevel::try_new(6).unwrap());
        for codec in [Compression::UNCOMPRESSED, Compression::SNAPPY, gzip, Compression::LZ4_RAW, Compression::LZ4] {
            foreign(&path, codec, &[row.clone(), row.clone()], &[0.5, 0.5]);
            assert_eq!(groups(&path).unwrap(), 1, "{codec:?}");
            let read: Result<Vec<Sample>, _> = read_group(&path, 0).unwrap().into_iter().collect();
            assert_eq!(read.unwrap(), [row.clone(), row.clone()], "{codec:?}");
        }
        assert!(!is_read(Compression::BROTLI(Default::default())));
    }

    /// NaN was a win of Black, 0.7 a draw, 1e9 a win.
    #[test]
    fn numbers_that_mean_nothing_are_broken_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let row = Sample { score: Some(FirstSide(-30)), plies_left: Some(4), ..Sample::default() };
        let rows = [
            row.clone(),
            Sample { score: Some(FirstSide(i16::MIN)), ..row.clone() },
            Sample { plies_left: Some(4_000_000_000), ..row.clone() },
            Sample { ply: Some(u32::MAX), ..row.clone() },
            row.clone(),
            row.clone(),
            row.clone(),
            row,
        ];
        foreign(&path, Compression::UNCOMPRESSED, &rows, &[0.0, 0.5, 1.0, 1.0, f32::NAN, 0.7, 1e9, -0.5]);
        let read = read_group(&path, 0).unwrap();
        let said: Vec<String> =
            read.iter().map(|row| row.as_ref().map_or_else(ToString::to_string, |_| String::new())).collect();
        assert_eq!(
            said,
            [
                "",
                "expected a score from -32767 to 32767, found `-32768`",
                "expected at most 1048576 plies, found `4000000000`",
                "expected at most 1048576 plies, found `4294967295`",
                "expected a result: 1.0, 0.5 or 0.0, found `NaN`",
                "expected a result: 1.0, 0.5 or 0.0, found `0.7`",
                "expected a result: 1.0, 0.5 or 0.0, found `1000000000`",
                "expected a result: 1.0, 0.5 or 0.0, found `-0.5`",
            ]
        );
    }
}
