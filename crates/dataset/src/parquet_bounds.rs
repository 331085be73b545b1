//! Bounds for Parquet files that somebody else may have made. The library believes what pages promise: it reserves memory for as many
//! values as a header names, and a text that a page has once stands in memory once for each row. Here pages are looked at first.

use crate::checked::CheckedFile;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use std::io::{self, BufRead, Read};
use std::sync::Arc;

/// The most rows of a row group: other writers make ones of 2^20.
pub(crate) const ROWS_MAX: usize = 1 << 20;
/// The most bytes of all texts of a row group.
pub(crate) const TEXTS_BYTES_MAX: usize = 1 << 29;
/// Rows of a batch: as many as are quick, and as few as stay small with the texts that there are.
pub(crate) const BATCH_ROWS_MAX: usize = 8192;
/// The most bytes of a batch's column of texts.
const BATCH_BYTES_MAX: usize = 1 << 26;
/// The most bytes of a page when it is unpacked; writers begin a new one after one MiB.
const PAGE_BYTES_MAX: u64 = 1 << 26;
/// The most values of a column in a row group.
const VALUES_MAX: u64 = 1 << 24;
/// The longest text: a game of 20,000 moves fits.
const TEXT_BYTES_MAX: u64 = 1 << 17;
/// The longest text in a list, where each is a move.
const WORD_BYTES_MAX: u64 = 64;

/// Checks the pages of a row group before it is read. Returns how many rows a batch may have.
///
/// # Errors
/// In words, what the file promises that does not fit.
pub(crate) fn check_group(file: &CheckedFile, group: &RowGroupMetaData) -> Result<usize, String> {
    let mut longest = 1;
    if !usize::try_from(group.num_rows()).is_ok_and(|rows| rows <= ROWS_MAX) {
        return Err(format!("{} rows; at most {ROWS_MAX} are read: write smaller row groups", group.num_rows()));
    }
    for column in group.columns() {
        let named = |what: String| format!("column {:?}: {what}", column.column_path().string());
        check_headers(file, column).map_err(named)?;
        if column.column_type() == Type::BYTE_ARRAY {
            longest = longest.max(check_texts(file, column, group.num_rows()).map_err(named)?);
        }
    }
    Ok((BATCH_BYTES_MAX / longest as usize).clamp(1, BATCH_ROWS_MAX))
}

/// Returns the result of `read`; `None` where the Parquet library panics, as it does on some broken files.
pub(crate) fn without_panic<T>(read: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(read)).ok()
}

/// The kind of a dictionary page.
const DICTIONARY: u64 = 2;

/// Checks the sizes and counts in the headers of all pages of a column.
fn check_headers(file: &CheckedFile, column: &ColumnChunkMetaData) -> Result<(), String> {
    let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
    let (start, length) = (u64::try_from(start), u64::try_from(column.compressed_size()));
    let end = start.ok().zip(length.ok()).and_then(|(start, length)| Some((start, start.checked_add(length)?)));
    let Some((mut at, end)) = end else { return Err("it is not within the file".into()) };
    let (bytes, mut values) = (value_bytes_min(column), 0);
    while at < end {
        let input = file.get_read(at).map_err(|e| e.to_string())?;
        let header = Header::read(input).ok_or("a page has a broken header")?;
        if header.unpacked > PAGE_BYTES_MAX {
            return Err(format!("a page of {} MiB; at most {} are read", header.unpacked >> 20, PAGE_BYTES_MAX >> 20));
        }
        if header.kind == DICTIONARY {
            // Its values stand there as they are.
            if header.values.saturating_mul(bytes) > header.unpacked {
                return Err(format!("a dictionary of {} values in {} bytes", header.values, header.unpacked));
            }
        } else {
            values += header.values;
        }
        if values > VALUES_MAX {
            return Err(format!("more than {VALUES_MAX} values in a row group: write smaller ones"));
        }
        let next = at + header.bytes;
        at = next.checked_add(header.packed).filter(|next| *next <= end).ok_or("a page reaches beyond its column")?;
    }
    Ok(())
}

/// The least bytes of a value in a dictionary.
fn value_bytes_min(column: &ColumnChunkMetaData) -> u64 {
    match column.column_type() {
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.column_descr().type_length()).unwrap_or(0).max(1),
        Type::BOOLEAN | Type::INT32 | Type::FLOAT | Type::BYTE_ARRAY => 4,
    }
}

/// The header of a page.
#[derive(Debug, Default, PartialEq)]
struct Header {
    kind: u64,
    /// Bytes of the page, unpacked and as it lies in the file.
    unpacked: u64,
    packed: u64,
    values: u64,
    /// Bytes of this header.
    bytes: u64,
}

impl Header {
    /// Reads one, in Thrift's compact protocol; `None` where it is none.
    fn read(input: impl BufRead) -> Option<Header> {
        let mut thrift = Thrift { input, header: Header::default() };
        thrift.fields(0, 0)?;
        Some(thrift.header)
    }
}

/// Structs nest this deep at most.
const DEPTH_MAX: u32 = 8;

struct Thrift<R> {
    input: R,
    header: Header,
}

impl<R: BufRead> Thrift<R> {
    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte).ok()?;
        self.header.bytes += 1;
        Some(byte[0])
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn skip(&mut self, bytes: u64) -> Option<()> {
        let skipped = io::copy(&mut self.input.by_ref().take(bytes), &mut io::sink()).ok()?;
        self.header.bytes += skipped;
        (skipped == bytes).then_some(())
    }

    /// Reads a struct that is field `outer` of another one, 0 for the header itself.
    fn fields(&mut self, outer: u64, depth: u32) -> Option<()> {
        let mut field = 0_u64;
        loop {
            let byte = self.byte()?;
            if byte == 0 {
                return Some(());
            }
            field = match byte >> 4 {
                0 => zigzag(self.number()?).try_into().ok()?,
                step => field + u64::from(step),
            };
            self.value(byte & 15, (outer, field), depth)?;
        }
    }

    /// Reads a value of type `kind` in `field` of a struct.
    fn value(&mut self, kind: u8, field: (u64, u64), depth: u32) -> Option<()> {
        match kind {
            1 | 2 => Some(()),
            3 => self.skip(1),
            4..=6 => {
                let number = zigzag(self.number()?);
                let place = match field {
                    (0, 1) => &mut self.header.kind,
                    (0, 2) => &mut self.header.unpacked,
                    (0, 3) => &mut self.header.packed,
                    (5 | 7 | 8, 1) => &mut self.header.values,
                    _ => return Some(()),
                };
                *place = number.try_into().ok()?;
                Some(())
            }
            7 => self.skip(8),
            8 => {
                let length = self.number()?;
                self.skip(length)
            }
            12 if depth < DEPTH_MAX => self.fields(if depth == 0 { field.1 } else { u64::MAX }, depth + 1),
            // Headers of pages have neither lists nor maps.
            _ => None,
        }
    }
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// Checks the lengths of the texts of a column. Returns the length of the longest.
fn check_texts(file: &CheckedFile, column: &ColumnChunkMetaData, rows: i64) -> Result<u64, String> {
    let words = |e: parquet::errors::ParquetError| e.to_string();
    let rows = usize::try_from(rows).unwrap_or(0);
    let mut pages = SerializedPageReader::new(Arc::new(file.clone()), column, rows, None).map_err(words)?;
    let levels = [column.column_descr().max_rep_level(), column.column_descr().max_def_level()];
    let bytes_max = if levels[0] > 0 { WORD_BYTES_MAX } else { TEXT_BYTES_MAX };
    let mut longest = 0;
    while let Some(page) = pages.get_next_page().map_err(words)? {
        let lengths = match &page {
            Page::DictionaryPage { buf, .. } => plain_length_max(buf),
            Page::DataPage { buf, encoding, num_values, .. } => {
                let mut rest: &[u8] = buf;
                for _ in levels.iter().filter(|level| **level > 0) {
                    rest = after_levels(rest).ok_or("a page ends within its levels")?;
                }
                length_max(rest, *encoding, *num_values)
            }
            Page::DataPageV2 { buf, encoding, num_values, def_levels_byte_len, rep_levels_byte_len, .. } => {
                let skipped = (*def_levels_byte_len as usize).saturating_add(*rep_levels_byte_len as usize);
                length_max(buf.get(skipped..).ok_or("a page ends within its levels")?, *encoding, *num_values)
            }
        };
        let found = lengths.ok_or("the texts of a page are broken")?;
        if found > bytes_max {
            return Err(format!("a text of {found} bytes; at most {bytes_max} are read"));
        }
        longest = longest.max(found);
    }
    Ok(longest)
}

/// The bytes after the levels of a page; the length of the levels stands before them in four bytes.
fn after_levels(bytes: &[u8]) -> Option<&[u8]> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

/// The length of the longest text of a page with `values` values; `None` where the page is broken.
fn length_max(bytes: &[u8], encoding: Encoding, values: u32) -> Option<u64> {
    match encoding {
        Encoding::PLAIN => plain_length_max(bytes),
        // Of the dictionary, which was looked at.
        Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => Some(0),
        Encoding::DELTA_LENGTH_BYTE_ARRAY => {
            let (lengths, _) = deltas(bytes, values)?;
            longest(lengths.iter().map(|&length| i64::from(length)))
        }
        Encoding::DELTA_BYTE_ARRAY => {
            let (kept, bytes) = deltas(bytes, values)?;
            let (added, _) = deltas(bytes, values)?;
            longest(kept.iter().zip(&added).map(|(&kept, &added)| match kept.min(added) {
                0.. => i64::from(kept) + i64::from(added),
                negative => i64::from(negative),
            }))
        }
        _ => None,
    }
}

fn longest(lengths: impl Iterator<Item = i64>) -> Option<u64> {
    lengths.map(|length| u64::try_from(length).ok()).try_fold(0, |most, length| Some(length?.max(most)))
}

/// The length of the longest of texts that each have theirs before them.
fn plain_length_max(mut bytes: &[u8]) -> Option<u64> {
    let mut most = 0;
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length);
        most = most.max(u64::from(length));
        bytes = rest.get(length as usize..)?;
    }
    Some(most)
}

/// The numbers of a page that is packed by differences, at most `values`, and what follows them; `None` where they are broken, or
/// more are promised.
fn deltas(bytes: &[u8], values: u32) -> Option<(Vec<i32>, &[u8])> {
    let mut thrift = Thrift { input: bytes, header: Header::default() };
    let (block, minis) = (thrift.number()?, thrift.number()?);
    let (count, first) = (thrift.number()?, zigzag(thrift.number()?));
    let per_mini = block.checked_div(minis).filter(|per_mini| per_mini.is_multiple_of(32) && *per_mini > 0)?;
    if count > u64::from(values) || block > 1 << 20 {
        return None;
    }
    let mut last = first as i32;
    let mut all = Vec::with_capacity(count as usize);
    all.extend((count > 0).then_some(last));
    while (all.len() as u64) < count {
        let least = zigzag(thrift.number()?) as i32;
        let widths = thrift.input.split_off(..minis as usize)?;
        for &width in widths {
            let left = count - all.len() as u64;
            if left == 0 {
                break;
            }
            let packed = thrift.input.split_off(..(per_mini * u64::from(width) / 8) as usize)?;
            for index in 0..left.min(per_mini) {
                last = last.wrapping_add(least).wrapping_add(bits(packed, index * u64::from(width), width)? as i32);
                all.push(last);
            }
        }
    }
    Some((all, thrift.input))
}

/// The number of `width` bits at bit `at`, the lowest first.
fn bits(bytes: &[u8], at: u64, width: u8) -> Option<u32> {
    let from = (at / 8) as usize;
    let window = bytes.get(from..).filter(|_| width <= 32)?;
    let mut word = [0; 8];
    let count = window.len().min(8);
    word[..count].copy_from_slice(&window[..count]);
    Some((u64::from_le_bytes(word) >> (at % 8) & ((1_u64 << width) - 1)) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_pages_are_read() {
        // A dictionary page of 300 bytes, 20 in the file, with 5 values, and a checksum that says nothing.
        let header = [0x15, 4, 0x15, 0xD8, 4, 0x15, 40, 0x15, 1, 0x3C, 0x15, 10, 0x15, 0, 0x11, 0, 0];
        let read = |bytes: &[u8]| Header::read(bytes);
        assert_eq!(read(&header), Some(Header { kind: 2, unpacked: 300, packed: 20, values: 5, bytes: 17 }));
        for cut in 0..header.len() {
            assert_eq!(read(&header[..cut]), None, "{cut}");
        }
        // A negative size, and structs without end.
        assert_eq!(read(&[0x15, 0, 0x15, 1, 0]), None);
        assert_eq!(read(&[0x1C; 100]), None);
    }

    /// Memory was reserved for as many numbers as a page promised: a file of a kilobyte ended the program.
    #[test]
    fn pages_that_promise_more_numbers_than_values_are_refused() {
        let three = [0x80, 1, 4, 3, 10, 3, 4, 0, 0, 0];
        let page = [&three[..], &[0b0100_0010], &[0; 15], b"rest"].concat();
        // 5, then 5 - 2 + 2 and that - 2 + 4.
        assert_eq!(deltas(&page, 3), Some((vec![5, 5, 7], &b"rest"[..])));
        assert_eq!(deltas(&page, 2), None);
        let endless = [0x80, 1, 4, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 10];
        assert_eq!(deltas(&endless, u32::MAX), None);
        assert_eq!(length_max(&endless, Encoding::DELTA_BYTE_ARRAY, 7), None);
    }

    #[test]
    fn the_longest_text_of_a_page_is_found() {
        let plain = b"\x02\0\0\0ab\x05\0\0\0abcde\0\0\0\0";
        assert_eq!(length_max(plain, Encoding::PLAIN, 3), Some(5));
        assert_eq!(length_max(&plain[..11], Encoding::PLAIN, 3), None);
        // One value each: what is kept of the last text, and what is added.
        let one = |length: u8| [0x80, 1, 4, 1, 2 * length];
        assert_eq!(length_max(&[one(40), one(3)].concat(), Encoding::DELTA_BYTE_ARRAY, 1), Some(43));
        assert_eq!(length_max(&[0x80, 1, 4, 1, 1], Encoding::DELTA_LENGTH_BYTE_ARRAY, 1), None, "a negative length");
    }
}
