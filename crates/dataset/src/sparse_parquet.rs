//! Sparse rows as Parquet: lists of indices and counts beside what is known of each board. Row groups are encoded apart from each other.

use crate::SparseRows;
use crate::checked::{self, CheckedWriter};
use crate::list_column::{self, ListChunk, Values};
use arrow_array::{ArrayRef, Float32Array, Int16Array, UInt8Array, UInt16Array, UInt32Array};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnDescPtr, ColumnPath};
use std::io::Write;
use std::sync::Arc;

/// Level of compression: higher ones take longer for little.
const ZSTD_LEVEL: i32 = 1;

/// A Parquet file in the making.
///
/// # Examples
/// ```
/// use tesuji_dataset::{Head, SparseRows, sparse_parquet::SparseFile};
/// let mut rows = SparseRows::default();
/// rows.push(Head { half_points: 2, ..Head::default() }, [(3, -256), (7, 512)]);
/// let mut file = SparseFile::create(Vec::new(), &[("layout", "mine".into())])?;
/// let group = file.encoder().encode(&rows)?;
/// file.append(group)?;
/// assert!(file.finish()?.starts_with(b"PAR1"));
/// # Ok::<(), parquet::errors::ParquetError>(())
/// ```
pub struct SparseFile<W: Write + Send> {
    file: SerializedFileWriter<CheckedWriter<W>>,
    encoder: GroupEncoder,
}

/// Makes row groups for one file, in any thread.
#[derive(Clone)]
pub struct GroupEncoder {
    schema: Arc<Schema>,
    factory: Arc<ArrowRowGroupWriterFactory>,
    /// The columns of indices and of counts.
    lists: [ColumnDescPtr; 2],
}

/// Rows as they will stand in the file.
#[derive(Default)]
pub struct RowGroup {
    chunks: Vec<ArrowColumnChunk>,
    lists: Vec<ListChunk>,
}

/// The columns: game (from 1), boards of the game and boards left, the result for the first side (1, 0.5, 0), phase (of
/// 256) and scale (of 64), the search's value in centipawns or null, and two lists of the same length: what is there, and
/// how often.
fn schema() -> Schema {
    let list = |kind| DataType::List(Arc::new(Field::new("element", kind, false)));
    Schema::new(vec![
        Field::new("game", DataType::UInt32, false),
        Field::new("boards", DataType::UInt16, false),
        Field::new("boards_left", DataType::UInt16, false),
        Field::new("result", DataType::Float32, false),
        Field::new("phase", DataType::UInt16, false),
        Field::new("scale", DataType::UInt8, false),
        Field::new("score", DataType::Int16, true),
        Field::new("index", list(DataType::UInt16), false),
        Field::new("count", list(DataType::Int32), false),
    ])
}

/// How many columns stand before the lists.
const HEADS: usize = 7;

fn properties(meta: &[(&str, String)]) -> Result<WriterProperties, ParquetError> {
    let meta = meta.iter().map(|(key, value)| KeyValue::new(format!("tesuji.{key}"), value.clone()));
    let meta = meta.chain([KeyValue::new(checked::KEY.0.into(), checked::KEY.1.to_string())]).collect();
    let mut properties = WriterProperties::builder();
    // Neighbouring rows differ by little: deltas are shorter than dictionaries, and need no table of what was seen.
    for name in ["game", "boards", "boards_left", "phase", "scale"] {
        properties = properties.set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
    }
    Ok(properties
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_created_by("tesuji".into())
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_key_value_metadata(Some(meta))
        .build())
}

impl<W: Write + Send> SparseFile<W> {
    /// Begins a file in `out`; `meta` is kept in its footer, each key with `tesuji.` before it.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn create(out: W, meta: &[(&str, String)]) -> Result<SparseFile<W>, ParquetError> {
        let schema = Arc::new(schema());
        let root = ArrowSchemaConverter::new().schema_root("rows").convert(&schema)?.root_schema_ptr();
        let out = CheckedWriter::new(out);
        let file = SerializedFileWriter::new(out, root, Arc::new(properties(meta)?))?;
        let factory = Arc::new(ArrowRowGroupWriterFactory::new(&file, schema.clone()));
        let lists = [0, 1].map(|i| file.schema_descr().column(HEADS + i));
        Ok(SparseFile { file, encoder: GroupEncoder { schema, factory, lists } })
    }

    /// What makes row groups for this file.
    pub fn encoder(&self) -> GroupEncoder {
        self.encoder.clone()
    }

    /// Appends a row group; one without rows is left out.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn append(&mut self, group: RowGroup) -> Result<(), ParquetError> {
        if group.chunks.is_empty() {
            return Ok(());
        }
        let mut writer = self.file.next_row_group()?;
        for chunk in group.chunks {
            chunk.append_to_row_group(&mut writer)?;
        }
        for list in group.lists {
            list.append_to(&mut writer)?;
        }
        writer.close()?;
        Ok(())
    }

    /// Writes the footer and gives the stream back.
    ///
    /// # Errors
    /// Those of the stream.
    pub fn finish(mut self) -> Result<W, ParquetError> {
        self.file.inner_mut().seal();
        Ok(self.file.into_inner()?.finish()?)
    }
}

impl GroupEncoder {
    /// Encodes `rows` as one row group. The same rows give the same bytes.
    ///
    /// # Errors
    /// None that depends on the rows.
    pub fn encode(&self, rows: &SparseRows) -> Result<RowGroup, ParquetError> {
        if rows.is_empty() {
            return Ok(RowGroup::default());
        }
        let mut writers = self.factory.create_column_writers(0)?;
        writers.truncate(HEADS);
        let columns = self.schema.fields().iter().zip(heads(rows)).zip(&mut writers);
        for ((field, array), writer) in columns {
            for leaf in compute_leaves(field, &array)? {
                writer.write(&leaf)?;
            }
        }
        let chunks = writers.into_iter().map(|w| w.close()).collect::<Result<_, _>>()?;
        let values = [Values::Indices(&rows.indices), Values::of_counts(&rows.counts)];
        let lists = self.lists.iter().zip(&values);
        let lists = lists.map(|(column, values)| list_column::encode(column, &rows.ends, values, ZSTD_LEVEL));
        Ok(RowGroup { chunks, lists: lists.collect::<Result<_, _>>()? })
    }
}

/// The columns of `rows` before the lists, in the order of [`schema`].
fn heads(rows: &SparseRows) -> [ArrayRef; HEADS] {
    let heads = &rows.heads;
    [
        Arc::new(UInt32Array::from_iter_values(heads.iter().map(|h| h.game + 1))),
        Arc::new(UInt16Array::from_iter_values(heads.iter().map(|h| h.boards))),
        Arc::new(UInt16Array::from_iter_values(heads.iter().map(|h| h.boards_left))),
        Arc::new(Float32Array::from_iter_values(heads.iter().map(|h| h.result()))),
        Arc::new(UInt16Array::from_iter_values(heads.iter().map(|h| h.phase))),
        Arc::new(UInt8Array::from_iter_values(heads.iter().map(|h| h.scale as u8))),
        Arc::new(Int16Array::from_iter(heads.iter().map(|h| h.score))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Head;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, UInt16Type, UInt32Type};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    fn sample(games: std::ops::Range<u32>) -> SparseRows {
        let mut rows = SparseRows::default();
        for game in games {
            for left in 0..game % 4 {
                let score = (left == 1).then_some(-7 - game as i16);
                let head = Head {
                    game,
                    boards: 4,
                    boards_left: left as u16,
                    half_points: 1,
                    phase: 256,
                    scale: 64,
                    score,
                    key: 0,
                };
                rows.push(head, (0..left * 3).map(|i| (i as u16 * 300, 70_000 - i as i32)));
            }
        }
        rows
    }

    #[test]
    fn what_was_written_is_read_by_row_groups() {
        let parts = [sample(0..9), SparseRows::default(), sample(9..30)];
        let mut file = SparseFile::create(tempfile::tempfile().unwrap(), &[("layout", "mine".into())]).unwrap();
        for part in &parts {
            let group = file.encoder().encode(part).unwrap();
            file.append(group).unwrap();
        }
        let written = file.finish().unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(written).unwrap();
        assert_eq!(builder.metadata().num_row_groups(), 2);
        let meta = builder.metadata().file_metadata().key_value_metadata().unwrap();
        assert!(meta.iter().any(|kv| kv.key == "tesuji.layout" && kv.value.as_deref() == Some("mine")), "{meta:?}");
        let mut expected = parts.iter().flat_map(|part| (0..part.len()).map(move |row| (part, row)));
        for batch in builder.build().unwrap() {
            let batch = batch.unwrap();
            let (games, scores) = (batch["game"].as_primitive::<UInt32Type>(), &batch["score"]);
            let (indices, counts) = (batch["index"].as_list::<i32>(), batch["count"].as_list::<i32>());
            for row in 0..batch.num_rows() {
                let (part, at) = expected.next().unwrap();
                assert_eq!(games.value(row), part.head(at).game + 1);
                assert_eq!(scores.is_null(row), part.head(at).score.is_none());
                let (index, count) = (indices.value(row), counts.value(row));
                let index = index.as_primitive::<UInt16Type>().values().iter().copied();
                let entries: Vec<_> = index.zip(count.as_primitive::<Int32Type>().values().iter().copied()).collect();
                assert_eq!(entries, part.entries(at).collect::<Vec<_>>());
            }
        }
        assert!(expected.next().is_none());
    }
}
