//! Our columnar dataset: positions in Parquet, a row each, in row groups that are written and read apart from each other.

use super::DataError;
use crate::checked::{self, CheckedFile, CheckedWriter};
use crate::parquet_bounds::{ROWS_MAX, TEXTS_BYTES_MAX, check_group, without_panic};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int16Type, UInt32Type, UInt64Type};
use arrow_array::{Array, ArrayRef, Float32Array, Int16Array, RecordBatch, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{ColumnChunkMetaData, KeyValue};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use tesuji_record::{Fault, Sample};

/// Rows of a row group at most: what is held in memory at once.
const ROWS: usize = 1 << 17;

/// The columns, in order. What may be missing is null.
fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![
        Field::new("game", DataType::UInt64, false),
        Field::new("ply", DataType::UInt32, false),
        Field::new("rules", DataType::Utf8, false),
        Field::new("position", DataType::Utf8, false),
        Field::new("move", DataType::Utf8, true),
        Field::new("score", DataType::Int16, true),
        Field::new("result", DataType::Float32, true),
        Field::new("plies_left", DataType::UInt32, true),
        Field::new("origin", DataType::Utf8, true),
    ]))
}

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

fn batch(rows: &[Sample]) -> io::Result<RecordBatch> {
    let text = |of: fn(&Sample) -> &str| StringArray::from_iter_values(rows.iter().map(of));
    let some =
        |of: fn(&Sample) -> &str| rows.iter().map(|s| Some(of(s)).filter(|t| !t.is_empty())).collect::<StringArray>();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(rows.iter().map(|s| s.game))),
        Arc::new(UInt32Array::from_iter_values(rows.iter().map(|s| s.ply))),
        Arc::new(text(|s| &s.rules)),
        Arc::new(text(|s| &s.position)),
        Arc::new(some(|s| &s.mv)),
        Arc::new(rows.iter().map(|s| s.score).collect::<Int16Array>()),
        Arc::new(rows.iter().map(|s| s.half_points.map(|p| f32::from(p) / 2.0)).collect::<Float32Array>()),
        Arc::new(rows.iter().map(|s| s.plies_left).collect::<UInt32Array>()),
        Arc::new(some(|s| &s.origin)),
    ];
    RecordBatch::try_new(schema(), columns).map_err(io::Error::other)
}

/// `rows` as a whole Parquet file in memory: a piece that [`Assembly`] joins with others. No rows are no bytes.
pub(crate) fn encode(rows: &[Sample]) -> io::Result<Vec<u8>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let mut writer = ArrowWriter::try_new(Vec::new(), schema(), Some(properties(&[]))).map_err(checked::into_io)?;
    for part in rows.chunks(ROWS) {
        writer.write(&batch(part)?).map_err(checked::into_io)?;
    }
    writer.into_inner().map_err(checked::into_io)
}

/// A Parquet file joined from pieces without unpacking them.
pub(crate) struct Assembly<W: Write + Send> {
    writer: SerializedFileWriter<CheckedWriter<W>>,
}

impl<W: Write + Send> Assembly<W> {
    /// Begins the file. `about` says who made it, in its metadata.
    pub(crate) fn begin(output: W, about: &[(String, String)]) -> io::Result<Assembly<W>> {
        let none = encode_schema()?;
        let reader = SerializedFileReader::new(Bytes::from(none)).map_err(checked::into_io)?;
        let file = reader.metadata().file_metadata();
        let mut keys: Vec<(String, String)> = about.to_vec();
        keys.push((checked::KEY.0.to_string(), checked::KEY.1.to_string()));
        // Types as arrow knows them stand there, too.
        keys.extend(
            file.key_value_metadata().into_iter().flatten().filter_map(|k| Some((k.key.clone(), k.value.clone()?))),
        );
        let schema = file.schema_descr().root_schema_ptr();
        let output = CheckedWriter::new(output);
        let writer =
            SerializedFileWriter::new(output, schema, Arc::new(properties(&keys))).map_err(checked::into_io)?;
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

/// A file of our columns without rows.
fn encode_schema() -> io::Result<Vec<u8>> {
    let writer = ArrowWriter::try_new(Vec::new(), schema(), Some(properties(&[]))).map_err(checked::into_io)?;
    writer.into_inner().map_err(checked::into_io)
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
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|e| fail(&checked::not_opened(&e)))?;
    for field in schema().fields() {
        match reader.schema().field_with_name(field.name()) {
            Err(_) => return Err(fail(&format!("it has no column {:?}", field.name()))),
            Ok(found) if found.data_type() != field.data_type() => {
                let (name, is, should) = (field.name(), found.data_type(), field.data_type());
                return Err(fail(&format!("column {name:?} is of type {is}, not {should}")));
            }
            Ok(_) => {}
        }
    }
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
    let builder = ParquetRecordBatchReaderBuilder::try_new(file.clone()).map_err(|e| broken(&e))?;
    let batch_rows = check_group(&file, builder.metadata().row_group(group)).map_err(|e| broken(&e))?;
    let reader = builder.with_row_groups(vec![group]).with_batch_size(batch_rows).build().map_err(|e| broken(&e))?;
    let (mut rows, mut bytes) = (Vec::<ReadRow>::new(), 0);
    for batch in reader {
        let (batch, before) = (batch.map_err(|e| broken(&e))?, rows.len());
        take(&batch, &mut rows).map_err(|name| broken(&format!("column {name:?} is missing or of another type")))?;
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
    Ok(rows)
}

/// Appends the rows of `batch`; the name of a column that is not as it should be.
fn take(batch: &RecordBatch, rows: &mut Vec<ReadRow>) -> Result<(), &'static str> {
    fn text<'a>(batch: &'a RecordBatch, name: &'static str) -> Result<&'a StringArray, &'static str> {
        batch.column_by_name(name).and_then(|c| c.as_string_opt()).ok_or(name)
    }
    macro_rules! number {
        ($name:literal, $kind:ty) => {
            batch.column_by_name($name).and_then(|c| c.as_primitive_opt::<$kind>()).ok_or($name)?
        };
    }
    let (game, ply) = (number!("game", UInt64Type), number!("ply", UInt32Type));
    let (rules, position) = (text(batch, "rules")?, text(batch, "position")?);
    let (mv, origin) = (text(batch, "move")?, text(batch, "origin")?);
    let (score, result) = (number!("score", Int16Type), number!("result", Float32Type));
    let left = number!("plies_left", UInt32Type);
    let word = |column: &StringArray, i: usize| if column.is_null(i) { String::new() } else { column.value(i).into() };
    for i in 0..batch.num_rows() {
        let numbers = || {
            Ok::<_, Fault>((
                score.is_valid(i).then(|| score_of(score.value(i))).transpose()?,
                result.is_valid(i).then(|| half_points_of(result.value(i))).transpose()?,
                left.is_valid(i).then(|| plies_of(left.value(i))).transpose()?,
                plies_of(ply.value(i))?,
            ))
        };
        rows.push(numbers().map(|(score, half_points, plies_left, ply)| Sample {
            rules: word(rules, i),
            position: word(position, i),
            mv: word(mv, i),
            score,
            half_points,
            plies_left,
            game: game.value(i),
            ply,
            origin: word(origin, i),
            facts: None,
        }));
    }
    Ok(())
}

/// A score that has an opposite.
fn score_of(score: i16) -> Result<i16, Fault> {
    if score == i16::MIN { Err(unexpected("a score from -32767 to 32767", score)) } else { Ok(score) }
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

    /// Writes rows as another program would: packed by `codec`, whatever is in them.
    fn foreign(path: &Path, codec: Compression, rows: &[Sample], results: &[f32]) {
        let whole = batch(rows).unwrap();
        let mut columns = whole.columns().to_vec();
        columns[6] = Arc::new(Float32Array::from(results.to_vec()));
        let batch = RecordBatch::try_new(schema(), columns).unwrap();
        let properties = WriterProperties::builder().set_compression(codec).build();
        let file = std::fs::File::create(path).unwrap();
        let mut writer = ArrowWriter::try_new(file, schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
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
        let row = Sample { score: Some(-30), plies_left: Some(4), ..Sample::default() };
        let rows = [
            row.clone(),
            Sample { score: Some(i16::MIN), ..row.clone() },
            Sample { plies_left: Some(4_000_000_000), ..row.clone() },
            Sample { ply: u32::MAX, ..row.clone() },
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
