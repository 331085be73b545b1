//! Lists of small numbers as a column chunk of Parquet, encoded here and not by the general writer: the lists are most of a
//! file of sparse rows, and what is known of them makes them several times as cheap.
//!
//! Values are numbers into a dictionary in whole bytes (one or two), one bit-packed run: packing is copying, and Zstandard sees
//! the bytes of neighbouring rows repeat. Levels are runs: where a list begins, and how much follows.

use crate::parquet_columns::Chunk;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::ops::Range;
use zstd::zstd_safe::CParameter;

/// Values of a page at most. A reader holds a page at once.
const PAGE_VALUES: usize = 1 << 17;

/// Minimum match length of Zstandard: only repeats of at least this length are searched for, and only recent ones, so that the
/// hash table fits into the first-level cache. This takes less time and makes a smaller file than the level's own setting.
const MIN_MATCH: u32 = 7;
/// Entries of that table, as a power of two.
const HASH_LOG: u32 = 12;

/// The numbers of all lists of a chunk, one behind the other, and how a page has them.
pub(crate) enum Values<'a> {
    /// Numbers that are their own places: the dictionary is 0, 1, 2 … up to the largest.
    Indices(&'a [u16]),
    /// Numbers that lie within 256 of each other: the dictionary begins with the least, and has all up to the largest.
    Near { counts: &'a [i32], least: i32, span: usize },
    /// Numbers within 65,536 of each other: the dictionary has those that occur; their places by the distance to the least.
    Far { counts: &'a [i32], least: i32, places: Vec<u16>, dictionary: Vec<i32> },
    /// Others, as they are.
    Plain(&'a [i32]),
}

impl<'a> Values<'a> {
    /// Any counts, in the narrowest form.
    pub(crate) fn of_counts(counts: &'a [i32]) -> Values<'a> {
        // Nearly always: every count is a number of eight bits, which one look without a branch tells.
        if counts.iter().fold(0, |bits, &count| bits | count.wrapping_add(128) as u32) < 256 {
            return Values::Near { counts, least: -128, span: 256 };
        }
        let least = counts.iter().min().copied().unwrap_or(0);
        let span = counts.iter().max().map_or(0, |&max| i64::from(max) - i64::from(least) + 1) as usize;
        if span <= 256 {
            return Values::Near { counts, least, span };
        }
        if span > 1 << 16 {
            return Values::Plain(counts);
        }
        let mut places = vec![0u16; span];
        counts.iter().for_each(|&count| places[usize::from(distance(count, least))] = 1);
        let mut dictionary = Vec::new();
        for (offset, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != 0) {
            *place = dictionary.len() as u16;
            dictionary.push(least + offset as i32);
        }
        Values::Far { counts, least, places, dictionary }
    }

    fn encoding(&self) -> Encoding {
        if matches!(self, Values::Plain(_)) { Encoding::PLAIN } else { Encoding::RLE_DICTIONARY }
    }

    fn dictionary(&self) -> Option<Vec<i32>> {
        match self {
            Values::Indices([]) => Some(Vec::new()),
            Values::Indices(values) => Some((0..=values.iter().fold(0, |max, &v| max.max(v)).into()).collect()),
            Values::Near { least, span, .. } => Some((0..*span as i32).map(|offset| least + offset).collect()),
            Values::Far { dictionary, .. } => Some(dictionary.clone()),
            Values::Plain(_) => None,
        }
    }

    /// Appends the numbers in `range` as a page has them.
    fn write(&self, range: Range<usize>, out: &mut Vec<u8>) {
        match self {
            Values::Indices(values) => {
                run(2, range.len(), out);
                append(&values[range], out, |v| v.to_le_bytes());
            }
            Values::Near { counts, least, .. } => {
                run(1, range.len(), out);
                append(&counts[range], out, |&count| [distance(count, *least) as u8]);
            }
            Values::Far { counts, least, places, dictionary } => {
                let place = |&count: &i32| places[usize::from(distance(count, *least))];
                if dictionary.len() <= 256 {
                    run(1, range.len(), out);
                    append(&counts[range], out, |count| [place(count) as u8]);
                } else {
                    run(2, range.len(), out);
                    append(&counts[range], out, |count| place(count).to_le_bytes());
                }
            }
            Values::Plain(counts) => append(&counts[range], out, |count| count.to_le_bytes()),
        }
    }
}

/// The difference `count` - `least`, exact where it is below 65,536.
#[inline(always)]
fn distance(count: i32, least: i32) -> u16 {
    count.wrapping_sub(least) as u16
}

/// Appends the head of a bit-packed run of `count` numbers of `width` bytes.
fn run(width: u8, count: usize, out: &mut Vec<u8>) {
    out.push(8 * width);
    if count > 0 {
        varint((count.div_ceil(8) as u64) << 1 | 1, out);
    }
}

/// Appends `values` as bytes, and zeros up to a multiple of eight values.
#[inline(always)]
fn append<T, const N: usize>(values: &[T], out: &mut Vec<u8>, bytes: impl Fn(&T) -> [u8; N]) {
    let begin = out.len();
    let padded = if N < 4 { values.len().next_multiple_of(8) } else { values.len() };
    out.resize(begin + padded * N, 0);
    for (place, value) in out[begin..].as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *place = bytes(value);
    }
}

/// Appends `n` in the format's groups of seven bits.
fn varint(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Runs of levels of one bit, with their length in bytes before them.
#[derive(Default)]
struct Levels {
    bytes: Vec<u8>,
    level: u8,
    run: u64,
}

impl Levels {
    /// Adds `count` times `level`.
    fn push(&mut self, level: u8, count: u64) {
        if count == 0 {
            return;
        }
        if level != self.level {
            self.close();
            self.level = level;
        }
        self.run += count;
    }

    fn close(&mut self) {
        if self.run > 0 {
            varint(self.run << 1, &mut self.bytes);
            self.bytes.push(self.level);
            self.run = 0;
        }
    }

    /// Appends all of them to `out`, and begins again.
    fn finish(&mut self, out: &mut Vec<u8>) {
        self.close();
        out.extend_from_slice(&(self.bytes.len() as u32).to_le_bytes());
        out.extend_from_slice(&self.bytes);
        self.bytes.clear();
    }
}

/// Encodes lists that end at `ends` among `values` as a chunk of `column`, a required list of required numbers. `level` is that
/// of Zstandard.
///
/// # Errors
/// None that depends on the values.
pub(crate) fn encode(
    column: &ColumnDescPtr,
    ends: &[i32],
    values: &Values<'_>,
    level: i32,
) -> Result<Chunk, ParquetError> {
    let mut zstd = zstd::bulk::Compressor::new(level)?;
    zstd.set_parameter(CParameter::HashLog(HASH_LOG))?;
    zstd.set_parameter(CParameter::MinMatch(MIN_MATCH))?;
    let mut sink = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut sink);
    let (mut unpacked, mut packed, mut levels_in_all, mut data_offset) = (0, 0, 0, None);
    let mut dictionary_offset = None;
    if let Some(dictionary) = values.dictionary() {
        let mut bytes = Vec::new();
        append(&dictionary, &mut bytes, |v| v.to_le_bytes());
        let page = Page::DictionaryPage {
            buf: zstd.compress(&bytes)?.into(),
            num_values: dictionary.len() as u32,
            encoding: Encoding::PLAIN,
            is_sorted: true,
        };
        let spec = pages.write_page(CompressedPage::new(page, bytes.len()))?;
        (unpacked, packed) = (spec.uncompressed_size, spec.compressed_size);
        dictionary_offset = Some(spec.offset as i64);
    }
    let (mut rest, mut from, mut buffer) = (ends, 0, Vec::new());
    while !rest.is_empty() || data_offset.is_none() {
        // Rows are never parted; one row is smaller than a page.
        let bound = from + PAGE_VALUES;
        let rows = rest.partition_point(|&end| end as usize <= bound).clamp(1.min(rest.len()), rest.len());
        let to = rows.checked_sub(1).map_or(from, |last| rest[last] as usize);
        buffer.clear();
        let levels = write_levels(from, &rest[..rows], &mut buffer);
        values.write(from..to, &mut buffer);
        let page = Page::DataPage {
            buf: zstd.compress(&buffer)?.into(),
            num_values: levels,
            encoding: values.encoding(),
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let spec = pages.write_page(CompressedPage::new(page, buffer.len()))?;
        unpacked += spec.uncompressed_size;
        packed += spec.compressed_size;
        levels_in_all += i64::from(levels);
        data_offset = data_offset.or(Some(spec.offset as i64));
        (rest, from) = (&rest[rows..], to);
    }
    let metadata = ColumnChunkMetaData::builder(column.clone())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_encodings(vec![Encoding::PLAIN, Encoding::RLE, values.encoding()])
        .set_num_values(levels_in_all)
        .set_total_uncompressed_size(unpacked as i64)
        .set_total_compressed_size(packed as i64)
        .set_data_page_offset(data_offset.unwrap_or(0))
        .set_dictionary_page_offset(dictionary_offset)
        .build()?;
    let close = ColumnCloseResult {
        bytes_written: packed as u64,
        rows_written: ends.len() as u64,
        metadata,
        bloom_filter: None,
        column_index: None,
        offset_index: None,
    };
    Ok(Chunk { bytes: sink.into_inner()?.into(), close })
}

/// Appends where lists begin, and which are not empty: for lists that end at `ends`, the first of which begins at `from`.
/// Returns how many there are of each.
fn write_levels(from: usize, ends: &[i32], out: &mut Vec<u8>) -> u32 {
    let (mut repeats, mut defined) = (Levels::default(), Levels::default());
    let (mut start, mut count) = (from, 0);
    for &end in ends {
        let length = end as usize - start;
        start = end as usize;
        repeats.push(0, 1);
        repeats.push(1, length.saturating_sub(1) as u64);
        defined.push(u8::from(length > 0), length.max(1) as u64);
        count += length.max(1) as u32;
    }
    repeats.finish(out);
    defined.finish(out);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        checked::CheckedFile,
        parquet_columns::{Group, schema},
    };
    use parquet::data_type::Int32Type;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::file::writer::SerializedFileWriter;

    /// Writes `lists` as a file of one column, and reads them with the library's reader.
    #[track_caller]
    fn check(lists: &[Vec<i32>]) {
        let root =
            schema("message rows { required group count (LIST) { repeated group list { required int32 element; } } }");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let mut file =
            SerializedFileWriter::new(std::fs::File::create(&path).unwrap(), root, Default::default()).unwrap();
        let counts: Vec<i32> = lists.concat();
        let ends: Vec<i32> = lists.iter().scan(0, |end, list| (*end += list.len() as i32, Some(*end)).1).collect();
        let chunk = encode(&file.schema_descr().column(0), &ends, &Values::of_counts(&counts), 1).unwrap();
        let mut group = file.next_row_group().unwrap();
        chunk.append_to(&mut group).unwrap();
        group.close().unwrap();
        file.close().unwrap();
        let reader = SerializedFileReader::new(CheckedFile::open(&path).unwrap()).unwrap();
        let mut column = Group::open(&reader, 0).unwrap().column::<Int32Type>("count").unwrap();
        let batches = std::iter::from_fn(|| Some(column.lists(1024).unwrap()).filter(|lists| !lists.is_empty()));
        assert!(batches.flatten().eq(lists.iter().cloned()), "{} lists", lists.len());
    }

    #[test]
    fn lists_of_every_width_are_read_by_the_usual_reader() {
        check(&[vec![]]);
        check(&[vec![], vec![], vec![7], vec![]]);
        check(&[vec![-1, 1, -128, 127], vec![0; 9]]);
        check(&[vec![-5000, 5000, 5001], vec![], vec![60_000]]);
        check(&[(0..700).map(|i| i * 60).collect(), vec![3]]);
        check(&[vec![i32::MIN, i32::MAX, 0], vec![], vec![1]]);
    }

    #[test]
    fn lists_go_over_many_pages_and_rows_stay_whole() {
        for span in [9, 7919, i32::MAX] {
            let list = |i: i32| (0..i % 211).map(|j| (i * 31 + j * 7).wrapping_mul(40_503) % span).collect();
            check(&(0..3000).map(list).collect::<Vec<_>>());
        }
        check(&[vec![1; PAGE_VALUES + 5], vec![2; 3], vec![], vec![3; PAGE_VALUES]]);
    }
}
