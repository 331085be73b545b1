//! Sparse rows as Parquet: lists of indices and counts beside what is known of each board. Row groups are encoded apart from each other.

use crate::checked::{self, CheckedWriter};
use crate::list_column::{self, Values};
use crate::parquet_columns::{Chunk, schema};
use crate::{Head, SparseRows};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{FloatType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, SchemaDescPtr};
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
    schema: SchemaDescPtr,
    properties: WriterPropertiesPtr,
}

/// Rows as they will stand in the file.
#[derive(Default)]
pub struct RowGroup {
    chunks: Vec<Chunk>,
}

/// The columns: game (from 1), boards of the game and boards left, the result for the first side (1, 0.5, 0), phase (of
/// 256) and scale (of 64), the search's value in centipawns or null, and two lists of the same length: what is there, and
/// how often.
const SCHEMA: &str = "message rows {
    required int32 game (INTEGER(32, false));
    required int32 boards (INTEGER(16, false));
    required int32 boards_left (INTEGER(16, false));
    required float result;
    required int32 phase (INTEGER(16, false));
    required int32 scale (INTEGER(8, false));
    optional int32 score (INTEGER(16, true));
    required group index (LIST) { repeated group list { required int32 element (INTEGER(16, false)); } }
    required group count (LIST) { repeated group list { required int32 element; } }
}";

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
        let properties = Arc::new(properties(meta)?);
        let file = SerializedFileWriter::new(CheckedWriter::new(out), schema(SCHEMA), properties.clone())?;
        let schema = Arc::new(file.schema_descr().clone());
        Ok(SparseFile { file, encoder: GroupEncoder { schema, properties } })
    }

    /// An encoder that makes row groups for this file.
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
            chunk.append_to(&mut writer)?;
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
        let column = |place| self.schema.column(place);
        let number = |place, of: fn(&Head) -> i32| {
            Chunk::required::<Int32Type>(&column(place), &self.properties, rows.heads.iter().map(of))
        };
        let results = rows.heads.iter().map(Head::result);
        let scores = rows.heads.iter().map(|head| head.score.map(|score| i32::from(score.0)));
        let list = |place, values| list_column::encode(&column(place), &rows.ends, values, ZSTD_LEVEL);
        let chunks = vec![
            number(0, |head| (head.game + 1) as i32)?,
            number(1, |head| head.boards.into())?,
            number(2, |head| head.boards_left.into())?,
            Chunk::required::<FloatType>(&column(3), &self.properties, results)?,
            number(4, |head| head.phase.into())?,
            number(5, |head| i32::from(head.scale as u8))?,
            Chunk::optional::<Int32Type>(&column(6), &self.properties, scores)?,
            list(7, &Values::Indices(&rows.indices))?,
            list(8, &Values::of_counts(&rows.counts))?,
        ];
        Ok(RowGroup { chunks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{checked::CheckedFile, parquet_columns::Group};
    use parquet::file::reader::FileReader;
    use parquet::file::serialized_reader::SerializedFileReader;
    use tesuji_game::FirstSide;

    fn sample(games: std::ops::Range<u32>) -> SparseRows {
        let mut rows = SparseRows::default();
        for game in games {
            for left in 0..game % 4 {
                let score = (left == 1).then_some(FirstSide(-7 - game as i16));
                let head = Head {
                    game,
                    boards: 4,
                    boards_left: left as u16,
                    half_points: 1,
                    phase: 256,
                    scale: 64,
                    score,
                    key: None,
                };
                rows.push(head, (0..left * 3).map(|i| (i as u16 * 300, 70_000 - i as i32)));
            }
        }
        rows
    }

    #[test]
    fn what_was_written_is_read_by_row_groups() {
        let parts = [sample(0..9), SparseRows::default(), sample(9..30)];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let mut file = SparseFile::create(std::fs::File::create(&path).unwrap(), &[("layout", "mine".into())]).unwrap();
        for part in &parts {
            let group = file.encoder().encode(part).unwrap();
            file.append(group).unwrap();
        }
        file.finish().unwrap();
        let reader = SerializedFileReader::new(CheckedFile::open(&path).unwrap()).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let meta = reader.metadata().file_metadata().key_value_metadata().unwrap();
        assert!(meta.iter().any(|kv| kv.key == "tesuji.layout" && kv.value.as_deref() == Some("mine")), "{meta:?}");
        for (place, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
            let group = Group::open(&reader, place).unwrap();
            let numbers = |name| group.column::<Int32Type>(name).unwrap().cells(1000).unwrap();
            let lists = |name| group.column::<Int32Type>(name).unwrap().lists(1000).unwrap();
            let (games, scores, indices, counts) = (numbers("game"), numbers("score"), lists("index"), lists("count"));
            assert_eq!([games.len(), scores.len(), indices.len(), counts.len()], [part.len(); 4]);
            for row in 0..part.len() {
                assert_eq!(games[row], Some(part.head(row).game as i32 + 1));
                assert_eq!(scores[row], part.head(row).score.map(|score| i32::from(score.0)));
                let index = indices[row].iter().map(|&index| index as u16);
                let entries: Vec<_> = index.zip(counts[row].iter().copied()).collect();
                assert_eq!(entries, part.entries(row).collect::<Vec<_>>());
            }
        }
    }
}
