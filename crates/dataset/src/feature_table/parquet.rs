//! Tables in Parquet: a column of numbers for each feature, or lists of indices and counts with the names in the footer, as
//! `data features` writes them.

use super::{
    cells::{CellUnits, RawRows, RowFiller},
    columns::{FeatureNames, Role, Roles, TableColumns},
    csv::in_column,
};
use crate::{
    checked::{self, CheckedFile},
    data::DataError,
    parquet_bounds::{BATCH_ROWS_MAX, ROWS_MAX, check_group, without_panic},
    parquet_columns::{Column, Group, text_of},
};
use parquet::{
    basic::{ConvertedType, LogicalType, Type as Physical},
    data_type::{BoolType, ByteArrayType, DoubleType, FloatType, Int32Type, Int64Type},
    errors::ParquetError,
    file::{reader::FileReader, serialized_reader::SerializedFileReader},
    schema::types::ColumnDescriptor,
};
use std::path::{Path, PathBuf};

/// The columns of lists, and the keys of the footer beside them.
const LISTS: [&str; 2] = ["index", "count"];
const NAMES_KEY: &str = "tesuji.names";
const LAYOUT_KEY: &str = "tesuji.layout";
/// The most cells of a batch of a wide table.
const BATCH_CELLS: usize = 1 << 22;

/// An open file.
pub(super) struct ParquetTable {
    path: PathBuf,
    file: CheckedFile,
    columns: Vec<NumberedColumn>,
    /// For rows with lists, the role of each index.
    indices: Option<Roles>,
    roles: Roles,
    units: CellUnits,
    /// Bytes of each row group.
    groups: Vec<u64>,
}

/// A column that is read.
#[derive(Debug, Clone)]
struct NumberedColumn {
    name: String,
    role: Role,
    is_unsigned: bool,
}

impl ParquetTable {
    /// Opens the file `path`; its features are compared with those of the files before it.
    ///
    /// # Errors
    /// When it is broken, or its columns do not fit.
    pub(super) fn open(
        path: &Path,
        asked: &TableColumns,
        features: &mut FeatureNames,
    ) -> Result<ParquetTable, DataError> {
        let open = || Self::open_guarded(path, asked, features);
        without_panic(open).unwrap_or_else(|| Err(DataError::of_file(path, "the Parquet file is broken")))
    }

    fn open_guarded(path: &Path, asked: &TableColumns, features: &mut FeatureNames) -> Result<ParquetTable, DataError> {
        let fail = |words: String| DataError::of_file(path, words);
        let file = CheckedFile::open(path).map_err(|error| fail(error.to_string()))?;
        let reader = SerializedFileReader::new(file.clone()).map_err(|error| fail(checked::not_opened(&error)))?;
        let meta = reader.metadata().file_metadata();
        let value = |key: &str| {
            let pairs = meta.key_value_metadata().map_or(&[][..], Vec::as_slice);
            pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone())
        };
        let described = meta.schema_descr().columns();
        let name = |column: &ColumnDescriptor| column.path().parts().first().cloned().unwrap_or_default();
        let header: Vec<String> = described.iter().map(|column| name(column)).collect();
        let has_lists =
            LISTS.iter().all(|list| described.iter().any(|column| name(column) == *list && column.max_rep_level() > 0));
        let mut asked = asked.clone();
        let file_name = path.display().to_string();
        let (roles, indices) = if has_lists {
            if value(LAYOUT_KEY).as_deref() == Some("tesuji") && asked.phase.is_none() {
                // Our own evaluation's rows: values of middlegame and endgame are blended by both.
                (asked.phase, asked.phases) = (Some("phase".into()), Some([0.0, 256.0]));
                (asked.scale, asked.scale_full) = (Some("scale".into()), Some(64.0));
            }
            let names = value(NAMES_KEY)
                .ok_or_else(|| fail(format!("its footer has no {NAMES_KEY}, the names of the features")))?;
            let names: Vec<String> =
                serde_json::from_str(&names).map_err(|error| fail(format!("{NAMES_KEY} in its footer: {error}")))?;
            let of_features = TableColumns { ignore: asked.ignore.clone(), ..none_named() };
            let indices = Roles::of_header(&names, &of_features, true, features, &file_name).map_err(fail)?;
            // Columns beside the lists have a role, or say nothing of the rows.
            let (mut beside, mut scratch) = (asked.clone(), FeatureNames::default());
            beside.ignore = LISTS[1..].iter().map(ToString::to_string).collect();
            let mut roles = Roles::of_header(&header, &beside, false, &mut scratch, &file_name).map_err(fail)?;
            roles.of.iter_mut().filter(|role| matches!(role, Role::Feature(_))).for_each(|role| *role = Role::Ignored);
            (roles, Some(indices))
        } else {
            (Roles::of_header(&header, &asked, false, features, &file_name).map_err(fail)?, None)
        };
        let read = described.iter().zip(&roles.of).filter(|(_, role)| **role != Role::Ignored);
        let columns =
            read.map(|(column, &role)| numbered(column, name(column), role)).collect::<Result<_, _>>().map_err(fail)?;
        let groups = reader.metadata().row_groups().iter().map(|group| group.compressed_size().max(0) as u64).collect();
        Ok(ParquetTable {
            path: path.to_path_buf(),
            file,
            columns,
            indices,
            roles,
            units: CellUnits::of(&asked),
            groups,
        })
    }

    /// The roles of its columns.
    pub(super) fn roles(&self) -> &Roles {
        &self.roles
    }

    /// The number of row groups.
    pub(super) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The bytes of some row groups.
    pub(super) fn group_bytes(&self, groups: &[usize]) -> u64 {
        groups.iter().map(|&group| self.groups[group]).sum()
    }

    /// The rows of a row group.
    ///
    /// # Errors
    /// When it is broken, or the first cell that is not what is expected.
    pub(super) fn rows(&self, group: usize) -> Result<RawRows, DataError> {
        let broken = |words: String| DataError::of_file(&self.path, format!("row group {}: {words}", group + 1));
        let read = without_panic(|| self.rows_guarded(group));
        read.unwrap_or_else(|| Err("the Parquet file is broken".into())).map_err(broken)
    }

    fn rows_guarded(&self, number: usize) -> Result<RawRows, String> {
        let words = |error: ParquetError| error.to_string();
        let reader = SerializedFileReader::new(self.file.clone()).map_err(words)?;
        let rows = check_group(&self.file, reader.metadata().row_group(number))?;
        let batch = rows.min(BATCH_ROWS_MAX).min((BATCH_CELLS / self.columns.len().max(1)).max(1));
        let group = Group::open(&reader, number).map_err(words)?;
        let open = |column: &NumberedColumn| CellReader::open(&group, column).map_err(words);
        let mut readers = self.columns.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let mut lists = match &self.indices {
            None => None,
            Some(_) => {
                let [index, count] = LISTS.map(|list| group.column::<Int32Type>(list).map_err(words));
                Some((index?, count?))
            }
        };
        let mut filler = RowFiller::new(self.units);
        loop {
            let mut cells = Vec::with_capacity(readers.len());
            for reader in &mut readers {
                cells.push(reader.read(batch).map_err(words)?);
            }
            let lists = match &mut lists {
                None => None,
                Some((index, count)) => {
                    Some(Lists { index: index.lists(batch).map_err(words)?, count: count.lists(batch).map_err(words)? })
                }
            };
            let count = cells.first().map_or(0, Cells::len);
            let mut lengths = cells.iter().map(Cells::len).chain(lists.iter().flat_map(Lists::lengths));
            if lengths.any(|length| length != count) {
                return Err("columns of different lengths".into());
            }
            if count == 0 {
                return Ok(filler.rows);
            }
            let before = filler.rows.heads.len();
            if before + count > ROWS_MAX {
                return Err(format!("more than {ROWS_MAX} rows: write smaller row groups"));
            }
            for row in 0..count {
                let fill = self.fill(&cells, lists.as_ref(), row, &mut filler);
                fill.map_err(|words| format!("row {}: {words}", before + row + 1))?;
            }
        }
    }

    /// Fills row `row` of a batch.
    fn fill(&self, cells: &[Cells], lists: Option<&Lists>, row: usize, filler: &mut RowFiller) -> Result<(), String> {
        for (column, cells) in self.columns.iter().zip(cells) {
            let NumberedColumn { name, role, .. } = column;
            let filled = match cells {
                Cells::Numbers(cells) => match cells[row] {
                    Some(number) => filler.number(*role, number),
                    None if *role == Role::Score => Ok(()),
                    None => Err("expected a number, found null".to_string()),
                },
                Cells::Texts(cells) => filler.text(*role, cells[row].as_bytes()),
            };
            filled.map_err(|words| in_column(name, *role, &words))?;
        }
        if let (Some(lists), Some(roles)) = (lists, &self.indices) {
            let (index, count) = (&lists.index[row], &lists.count[row]);
            if index.len() != count.len() {
                return Err(format!("{} indices and {} counts", index.len(), count.len()));
            }
            let mut last = -1;
            for (&index, &count) in index.iter().zip(count) {
                let role = usize::try_from(index).ok().and_then(|index| roles.of.get(index)).filter(|_| index > last);
                let Some(&role) = role else {
                    return Err(format!("index {index}: expected indices that ascend, below {}", roles.of.len()));
                };
                last = index;
                filler.number(role, f64::from(count))?;
            }
        }
        filler.end_row();
        Ok(())
    }
}

/// Columns of which none is named, nor looked for by the usual names.
fn none_named() -> TableColumns {
    let none = Some(String::new());
    TableColumns {
        result: none.clone(),
        score: none.clone(),
        ply: none.clone(),
        left: none.clone(),
        game: none.clone(),
        phase: none.clone(),
        scale: none.clone(),
        weight: none,
        ..TableColumns::default()
    }
}

/// A column as it is read.
fn numbered(column: &ColumnDescriptor, name: String, role: Role) -> Result<NumberedColumn, String> {
    if column.max_rep_level() > 0 {
        return Err(format!("column {name:?} holds lists: expected numbers (--column 'ignore={name}' leaves it out)"));
    }
    let is_text = matches!(column.physical_type(), Physical::BYTE_ARRAY);
    let is_read = matches!(
        column.physical_type(),
        Physical::INT32 | Physical::INT64 | Physical::FLOAT | Physical::DOUBLE | Physical::BOOLEAN
    );
    let is_fitting = is_read || (is_text && matches!(role, Role::Game | Role::Result));
    if !is_fitting || matches!(column.converted_type(), ConvertedType::DECIMAL) {
        let kind = if is_text { "texts" } else { "values of another kind" };
        return Err(format!("column {name:?} holds {kind}: expected numbers (--column 'ignore={name}' leaves it out)"));
    }
    let is_unsigned = match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Integer(kind)), _) => !kind.is_signed,
        (_, converted) => matches!(
            converted,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64
        ),
    };
    Ok(NumberedColumn { name, role, is_unsigned })
}

/// The cells of a batch of one column.
enum Cells {
    Numbers(Vec<Option<f64>>),
    Texts(Vec<String>),
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Numbers(cells) => cells.len(),
            Cells::Texts(cells) => cells.len(),
        }
    }
}

/// The lists of a batch.
struct Lists {
    index: Vec<Vec<i32>>,
    count: Vec<Vec<i32>>,
}

impl Lists {
    fn lengths(&self) -> [usize; 2] {
        [self.index.len(), self.count.len()]
    }
}

/// A column of a row group, of any type that holds numbers.
enum CellReader {
    Bool(Column<BoolType>),
    Int32(Column<Int32Type>, bool),
    Int64(Column<Int64Type>, bool),
    Float(Column<FloatType>),
    Double(Column<DoubleType>),
    Text(Column<ByteArrayType>),
}

impl CellReader {
    fn open(group: &Group<'_>, column: &NumberedColumn) -> Result<CellReader, ParquetError> {
        let NumberedColumn { name, is_unsigned, .. } = column;
        // The first type that the column has.
        group
            .column(name)
            .map(CellReader::Float)
            .or_else(|_| group.column(name).map(|column| CellReader::Int32(column, *is_unsigned)))
            .or_else(|_| group.column(name).map(|column| CellReader::Int64(column, *is_unsigned)))
            .or_else(|_| group.column(name).map(CellReader::Double))
            .or_else(|_| group.column(name).map(CellReader::Bool))
            .or_else(|_| group.column(name).map(CellReader::Text))
    }

    fn read(&mut self, rows: usize) -> Result<Cells, ParquetError> {
        fn numbers<T>(cells: Vec<Option<T>>, number: impl Fn(T) -> f64) -> Cells {
            Cells::Numbers(cells.into_iter().map(|cell| cell.map(&number)).collect())
        }
        Ok(match self {
            CellReader::Bool(column) => numbers(column.cells(rows)?, |cell| f64::from(u8::from(cell))),
            CellReader::Int32(column, true) => numbers(column.cells(rows)?, |cell| f64::from(cell as u32)),
            CellReader::Int32(column, false) => numbers(column.cells(rows)?, f64::from),
            CellReader::Int64(column, true) => numbers(column.cells(rows)?, |cell| cell as u64 as f64),
            CellReader::Int64(column, false) => numbers(column.cells(rows)?, |cell| cell as f64),
            CellReader::Float(column) => numbers(column.cells(rows)?, f64::from),
            CellReader::Double(column) => numbers(column.cells(rows)?, |cell| cell),
            CellReader::Text(column) => {
                Cells::Texts(column.cells(rows)?.into_iter().map(text_of).collect::<Result<_, _>>()?)
            }
        })
    }
}
