//! Columns of Parquet files in the format's own types: a schema as text, cells into column chunks, and chunks into cells.
//!
//! The crate `arrow` would stand between with types of its own, a fifth of all that a release build compiles.

use crate::checked::CheckedFile;
use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::column::reader::ColumnReaderImpl;
use parquet::column::writer::{ColumnCloseResult, get_column_writer};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::reader::{FileReader, RowGroupReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, SchemaDescriptor, TypePtr};
use std::{io::Write, sync::Arc};

/// A schema of ours, as the format's documents write one.
///
/// # Panics
/// When `text` is none.
#[expect(clippy::expect_used, reason = "schemas are constants, and tests read each of them")]
pub(crate) fn schema(text: &str) -> TypePtr {
    Arc::new(parse_message_type(text).expect("a schema of ours"))
}

/// A difference between the columns of a file and those that are needed.
#[derive(Debug, PartialEq)]
pub(crate) enum Mismatch {
    /// There is no column of this name.
    Missing(String),
    /// The column has another type.
    Type { name: String, found: String, expected: String },
}

/// Looks for all columns of `needed` in `found`; others may stand there as well.
///
/// # Errors
/// The first difference.
pub(crate) fn compare(needed: &SchemaDescriptor, found: &SchemaDescriptor) -> Result<(), Mismatch> {
    for column in needed.columns() {
        let name = name(column).to_string();
        let Some(place) = place(found, &name) else { return Err(Mismatch::Missing(name)) };
        let (expected, found) = (type_name(column), type_name(&found.column(place)));
        if expected != found {
            return Err(Mismatch::Type { name, found, expected });
        }
    }
    Ok(())
}

/// The column `name` of the table: a list is called by the name of the whole.
fn name(column: &ColumnDescriptor) -> &str {
    column.path().parts().first().map_or("", |part| part)
}

fn place(schema: &SchemaDescriptor, wanted: &str) -> Option<usize> {
    schema.columns().iter().position(|column| name(column) == wanted)
}

/// A type as pyarrow and polars call it: `UInt64`, `Utf8`, `List(Int32)`.
fn type_name(column: &ColumnDescriptor) -> String {
    let integer = |bits: i32, signed| format!("{}Int{bits}", if signed { "" } else { "U" });
    let cell = match (column.physical_type(), column.logical_type_ref(), column.converted_type()) {
        (_, Some(LogicalType::Integer(kind)), _) => integer(kind.bit_width.into(), kind.is_signed),
        (_, Some(LogicalType::String), _) | (Physical::BYTE_ARRAY, None, ConvertedType::UTF8) => "Utf8".into(),
        (Physical::BOOLEAN, ..) => "Boolean".into(),
        (Physical::INT32, None, ConvertedType::NONE) => integer(32, true),
        (Physical::INT64, None, ConvertedType::NONE) => integer(64, true),
        (Physical::INT32 | Physical::INT64, None, other) => match other {
            ConvertedType::UINT_8 => integer(8, false),
            ConvertedType::UINT_16 => integer(16, false),
            ConvertedType::UINT_32 => integer(32, false),
            ConvertedType::UINT_64 => integer(64, false),
            ConvertedType::INT_8 => integer(8, true),
            ConvertedType::INT_16 => integer(16, true),
            ConvertedType::INT_32 => integer(32, true),
            ConvertedType::INT_64 => integer(64, true),
            other => format!("{other:?}"),
        },
        (Physical::FLOAT, None, _) => "Float32".into(),
        (Physical::DOUBLE, None, _) => "Float64".into(),
        (Physical::BYTE_ARRAY, None, ConvertedType::NONE) => "Binary".into(),
        (physical, None, _) => format!("{physical:?}"),
        (_, Some(logical), _) => format!("{logical:?}"),
    };
    if column.max_rep_level() > 0 { format!("List({cell})") } else { cell }
}

/// A column chunk, encoded apart from its file.
pub(crate) struct Chunk {
    pub(crate) bytes: Bytes,
    pub(crate) close: ColumnCloseResult,
}

impl Chunk {
    /// Encodes cells of which none is missing.
    ///
    /// # Errors
    /// When the column has another type.
    pub(crate) fn required<T: DataType>(
        column: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
        cells: impl Iterator<Item = T::T>,
    ) -> Result<Chunk, ParquetError> {
        encode::<T>(column, properties, &Leveled { values: cells.collect(), ..Leveled::default() })
    }

    /// Encodes cells of which some may be missing.
    ///
    /// # Errors
    /// When the column has another type.
    pub(crate) fn optional<T: DataType>(
        column: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
        cells: impl Iterator<Item = Option<T::T>>,
    ) -> Result<Chunk, ParquetError> {
        let mut leveled = Leveled::default();
        for cell in cells {
            leveled.defined.push(i16::from(cell.is_some()));
            leveled.values.extend(cell);
        }
        encode::<T>(column, properties, &leveled)
    }

    /// Encodes lists, none of which is missing, nor any of their elements.
    ///
    /// # Errors
    /// When the column has another type.
    pub(crate) fn lists<T: DataType, L: Iterator<Item = T::T>>(
        column: &ColumnDescPtr,
        properties: &WriterPropertiesPtr,
        lists: impl Iterator<Item = L>,
    ) -> Result<Chunk, ParquetError> {
        let mut leveled = Leveled::default();
        for list in lists {
            let before = leveled.values.len();
            leveled.values.extend(list);
            let length = leveled.values.len() - before;
            leveled.repeated.push(0);
            leveled.repeated.extend(std::iter::repeat_n(1, length.saturating_sub(1)));
            let defined = if length == 0 { 0 } else { column.max_def_level() };
            leveled.defined.extend(std::iter::repeat_n(defined, length.max(1)));
        }
        encode::<T>(column, properties, &leveled)
    }

    /// Appends it to a row group.
    ///
    /// # Errors
    /// Those of the stream.
    pub(crate) fn append_to<W: Write + Send>(
        self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        group.append_column(&self.bytes, self.close)
    }
}

/// Cells as the format has them: those that are there, how far each is defined, and which go on a list.
struct Leveled<T> {
    values: Vec<T>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl<T> Default for Leveled<T> {
    fn default() -> Self {
        Leveled { values: Vec::new(), defined: Vec::new(), repeated: Vec::new() }
    }
}

fn encode<T: DataType>(
    column: &ColumnDescPtr,
    properties: &WriterPropertiesPtr,
    cells: &Leveled<T::T>,
) -> Result<Chunk, ParquetError> {
    let mut sink = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut sink));
    let writer = get_column_writer(column.clone(), properties.clone(), pages);
    let mut writer = T::get_column_writer(writer).ok_or_else(|| other_type(column))?;
    let levels = |levels: &[i16], max| (max > 0).then(|| levels.to_vec());
    let defined = levels(&cells.defined, column.max_def_level());
    let repeated = levels(&cells.repeated, column.max_rep_level());
    writer.write_batch(&cells.values, defined.as_deref(), repeated.as_deref())?;
    let close = writer.close()?;
    Ok(Chunk { bytes: sink.into_inner()?.into(), close })
}

fn other_type(column: &ColumnDescriptor) -> ParquetError {
    ParquetError::General(format!("column {:?} is of another type", name(column)))
}

/// A column of a row group, read from its first row to its last.
pub(crate) struct Column<T: DataType> {
    reader: ColumnReaderImpl<T>,
    /// The level of cells that are there.
    defined: i16,
    cells: Leveled<T::T>,
}

/// A row group of an open file.
pub(crate) struct Group<'a> {
    group: Box<dyn RowGroupReader + 'a>,
}

impl<'a> Group<'a> {
    /// The row group at `place`.
    ///
    /// # Errors
    /// When it is broken.
    pub(crate) fn open(file: &'a SerializedFileReader<CheckedFile>, place: usize) -> Result<Group<'a>, ParquetError> {
        Ok(Group { group: file.get_row_group(place)? })
    }

    /// The column `wanted`.
    ///
    /// # Errors
    /// When there is none, or it is of another type or broken.
    pub(crate) fn column<T: DataType>(&self, wanted: &str) -> Result<Column<T>, ParquetError> {
        let schema = self.group.metadata().schema_descr();
        let missing = || ParquetError::General(format!("column {wanted:?} is missing"));
        let place = place(schema, wanted).ok_or_else(missing)?;
        let (column, reader) = (schema.column(place), self.group.get_column_reader(place)?);
        let reader = T::get_column_reader(reader).ok_or_else(|| other_type(&column))?;
        Ok(Column { reader, defined: column.max_def_level(), cells: Leveled::default() })
    }
}

impl<T: DataType> Column<T> {
    /// Reads the next `rows` rows, fewer at the end.
    fn read(&mut self, rows: usize) -> Result<usize, ParquetError> {
        let cells = &mut self.cells;
        cells.values.clear();
        cells.defined.clear();
        cells.repeated.clear();
        let read =
            self.reader.read_records(rows, Some(&mut cells.defined), Some(&mut cells.repeated), &mut cells.values)?;
        Ok(read.0)
    }

    /// The next `rows` cells, fewer at the end; `None` is null.
    ///
    /// # Errors
    /// When the column is broken.
    pub(crate) fn cells(&mut self, rows: usize) -> Result<Vec<Option<T::T>>, ParquetError> {
        self.read(rows)?;
        let mut values = self.cells.values.drain(..);
        if self.defined == 0 {
            return Ok(values.map(Some).collect());
        }
        Ok(self.cells.defined.iter().map(|level| if *level == self.defined { values.next() } else { None }).collect())
    }

    /// The next `rows` lists, fewer at the end; missing elements are left out, and a missing list is empty.
    ///
    /// # Errors
    /// When the column is broken.
    pub(crate) fn lists(&mut self, rows: usize) -> Result<Vec<Vec<T::T>>, ParquetError> {
        let count = self.read(rows)?;
        let mut lists: Vec<Vec<T::T>> = Vec::with_capacity(count);
        let mut values = self.cells.values.drain(..);
        for (defined, repeated) in self.cells.defined.iter().zip(&self.cells.repeated) {
            if *repeated == 0 {
                lists.push(Vec::new());
            }
            let value = if *defined == self.defined { values.next() } else { None };
            if let Some(list) = lists.last_mut() {
                list.extend(value);
            }
        }
        Ok(lists)
    }
}

/// A text as a cell.
pub(crate) fn text(text: &str) -> ByteArray {
    text.into()
}

/// The text of a cell; an empty one where it is null.
///
/// # Errors
/// When it is not UTF-8.
pub(crate) fn text_of(cell: Option<ByteArray>) -> Result<String, ParquetError> {
    cell.map_or_else(|| Ok(String::new()), |cell| cell.as_utf8().map(String::from))
}
