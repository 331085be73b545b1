//! Lists of small numbers as a column chunk of Parquet, encoded here and not by the general writer: the lists are most of a
//! file of sparse rows, and what is known of them makes them several times as cheap.
//!
//! Values are numbers into a dictionary in whole bytes (one or two), one bit-packed run: packing is copying, and Zstandard sees
//! the bytes of neighbouring rows repeat. Levels are runs: where a list begins, and how much follows.

use bytes::Bytes;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use std::io::Write;

/// Values of a page at most. A reader holds a page at once.
const PAGE_VALUES: usize = 1 << 20;

/// A column chunk as it will stand in the file.
pub(crate) struct ListChunk {
    bytes: Bytes,
    close: ColumnCloseResult,
}

/// Numbers of which a dictionary is made, as their places there.
pub(crate) enum Coded {
    /// At most 256 different ones.
    Bytes(Vec<u8>),
    /// At most 65,536 different ones.
    Words(Vec<u16>),
    /// More: the numbers themselves.
    Plain(Vec<i32>),
}

/// Numbers with the dictionary that their places refer to; empty beside [`Coded::Plain`].
pub(crate) struct Values {
    pub(crate) coded: Coded,
    pub(crate) dictionary: Vec<i32>,
}

impl Values {
    /// Values that are their own places: the dictionary is 0, 1, 2 … up to the largest.
    pub(crate) fn of_indices(indices: &[u16]) -> Values {
        let bound = indices.iter().max().map_or(0, |&max| i32::from(max) + 1);
        Values { coded: Coded::Words(indices.to_vec()), dictionary: (0..bound).collect() }
    }

    /// Values with a dictionary of those that occur, in ascending order, where they lie within 65,536 of each other.
    pub(crate) fn of_counts(counts: &[i32]) -> Values {
        let least = counts.iter().min().copied().unwrap_or(0);
        let span = counts.iter().max().map_or(0, |&max| i64::from(max) - i64::from(least) + 1) as usize;
        if span > 1 << 16 {
            return Values { coded: Coded::Plain(counts.to_vec()), dictionary: Vec::new() };
        }
        // Differences to the least are below the span: 16 bits hold them.
        let of = |count: i32| count.wrapping_sub(least) as u16;
        let mut places = vec![0u16; span];
        counts.iter().for_each(|&count| places[usize::from(of(count))] = 1);
        let mut dictionary = Vec::new();
        for (offset, place) in places.iter_mut().enumerate().filter(|(_, place)| **place != 0) {
            *place = dictionary.len() as u16;
            dictionary.push(least + offset as i32);
        }
        let coded = counts.iter().map(|&count| places[usize::from(of(count))]);
        let coded = if dictionary.len() <= 256 {
            Coded::Bytes(coded.map(|place| place as u8).collect())
        } else {
            Coded::Words(coded.collect())
        };
        Values { coded, dictionary }
    }

    fn len(&self) -> usize {
        match &self.coded {
            Coded::Bytes(values) => values.len(),
            Coded::Words(values) => values.len(),
            Coded::Plain(values) => values.len(),
        }
    }

    fn encoding(&self) -> Encoding {
        if matches!(self.coded, Coded::Plain(_)) { Encoding::PLAIN } else { Encoding::RLE_DICTIONARY }
    }

    /// Appends values `from..to` as a page has them.
    fn write(&self, from: usize, to: usize, out: &mut Vec<u8>) {
        let (width, count) = match &self.coded {
            Coded::Bytes(_) => (1, to - from),
            Coded::Words(_) => (2, to - from),
            Coded::Plain(values) => {
                return out.extend(values[from..to].iter().flat_map(|v| v.to_le_bytes()));
            }
        };
        if count == 0 {
            return out.push(8 * width);
        }
        let groups = count.div_ceil(8);
        out.push(8 * width);
        varint((groups as u64) << 1 | 1, out);
        let end = out.len() + groups * 8 * usize::from(width);
        match &self.coded {
            Coded::Bytes(values) => out.extend_from_slice(&values[from..to]),
            Coded::Words(values) => out.extend(values[from..to].iter().flat_map(|v| v.to_le_bytes())),
            Coded::Plain(_) => {}
        }
        out.resize(end, 0);
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

    /// Appends all of them to `out`, and begins anew.
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
    values: &Values,
    level: i32,
) -> Result<ListChunk, ParquetError> {
    let mut zstd = zstd::bulk::Compressor::new(level)?;
    let mut sink = TrackedWrite::new(Vec::new());
    let mut pages = SerializedPageWriter::new(&mut sink);
    let (mut unpacked, mut packed, mut levels_in_all, mut data_offset) = (0, 0, 0, None);
    let mut dictionary_offset = None;
    if !matches!(values.coded, Coded::Plain(_)) {
        let bytes: Vec<u8> = values.dictionary.iter().flat_map(|v| v.to_le_bytes()).collect();
        let page = Page::DictionaryPage {
            buf: zstd.compress(&bytes)?.into(),
            num_values: values.dictionary.len() as u32,
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
        values.write(from, to, &mut buffer);
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
    debug_assert_eq!(from, values.len(), "every value belongs to a list");
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
    Ok(ListChunk { bytes: sink.into_inner()?.into(), close })
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

impl ListChunk {
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
