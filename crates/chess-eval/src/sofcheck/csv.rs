//! Rows of `make_dataset`'s CSV: most columns are 0, and runs of zeros are copied whole.

use super::{COLUMNS, column_names};

/// The fields of a CSV row besides its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CsvRow {
    /// The result in half points of White: 0, 1, 2.
    pub half_points: u8,
    /// The game's number in the file, from 1.
    pub game: u64,
    /// Boards of the game.
    pub boards: u32,
    /// Boards of the game after this one.
    pub boards_left: u32,
}

/// Room for the longest row: every column with a separator and a number of at most 11 characters, and the head.
const ROW_BYTES_MAX: usize = 12 * COLUMNS + 64;
/// Bytes copied at once; the longest number fits, too.
const COPY: usize = 32;
/// Zero columns, with some to spare, so that whole pieces can be copied from any run.
const ZEROS: [u8; 2 * COLUMNS + COPY] = {
    let mut text = [b'0'; 2 * COLUMNS + COPY];
    let mut i = 0;
    while i < text.len() {
        text[i] = b',';
        i += 2;
    }
    text
};

/// Appends the header line.
pub fn write_header(out: &mut Vec<u8>) {
    out.extend_from_slice(b"winner,game_id,board_total,board_left");
    for name in column_names() {
        out.push(b',');
        out.extend_from_slice(name.as_bytes());
    }
    out.push(b'\n');
}

/// A line in the making, reused from row to row.
#[derive(Debug, Clone)]
pub struct CsvLine(Box<[u8; ROW_BYTES_MAX + COPY]>);

impl Default for CsvLine {
    fn default() -> Self {
        CsvLine(Box::new([0; ROW_BYTES_MAX + COPY]))
    }
}

impl CsvLine {
    /// Appends a row to `out`: `columns` ascending, as [`super::Columns::list`] gives them.
    pub fn write(&mut self, row: &CsvRow, columns: &[(u16, i32)], out: &mut Vec<u8>) {
        let len = fill(&mut self.0[..], row, columns);
        out.extend_from_slice(&self.0[..len]);
    }
}

/// Writes a row into `line` and returns its bytes.
fn fill(line: &mut [u8], row: &CsvRow, columns: &[(u16, i32)]) -> usize {
    line[..4].copy_from_slice([b"0.0,", b"0.5,", b"1.0,"][usize::from(row.half_points.min(2))]);
    let mut at = 4;
    at += number(row.game, &mut line[at..]);
    for n in [row.boards, row.boards_left] {
        line[at] = b',';
        at += 1 + number(u64::from(n), &mut line[at + 1..]);
    }
    let mut next = 0;
    for &(column, count) in columns {
        at += zeros(usize::from(column) - next, &mut line[at..]);
        line[at] = b',';
        at += 1;
        if count < 0 {
            line[at] = b'-';
            at += 1;
        }
        at += number(u64::from(count.unsigned_abs()), &mut line[at..]);
        next = usize::from(column) + 1;
    }
    at += zeros(COLUMNS - next, &mut line[at..]);
    line[at] = b'\n';
    at + 1
}

/// Writes `n` zero columns and returns their bytes; what stands behind them is overwritten.
#[inline]
fn zeros(n: usize, line: &mut [u8]) -> usize {
    let mut done = 0;
    while done < 2 * n {
        line[done..done + COPY].copy_from_slice(&ZEROS[..COPY]);
        done += COPY;
    }
    2 * n
}

/// Writes `n` in decimal and returns its bytes.
#[inline]
fn number(mut n: u64, line: &mut [u8]) -> usize {
    let mut digits = [0; 20];
    let mut from = digits.len();
    loop {
        from -= 1;
        digits[from] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    let len = digits.len() - from;
    for (to, digit) in line.iter_mut().zip(&digits[from..]) {
        *to = *digit;
    }
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_written_out_in_full() {
        let head = CsvRow { half_points: 1, game: 7, boards: 120, boards_left: 0 };
        let mut out = b"before\n".to_vec();
        let mut line = CsvLine::default();
        line.write(&head, &[(0, -768), (1, 5), (479, 2560)], &mut out);
        let text = String::from_utf8(out).unwrap();
        let words: Vec<&str> = text.strip_prefix("before\n0.5,7,120,0,").unwrap().trim_end().split(',').collect();
        assert_eq!(words.len(), COLUMNS);
        assert_eq!((words[0], words[1], words[2], words[478], words[479]), ("-768", "5", "0", "0", "2560"));
        assert!(words[2..479].iter().all(|w| *w == "0") && text.ends_with('\n'));
        let full: Vec<(u16, i32)> = (0..COLUMNS as u16).map(|c| (c, i32::MIN)).collect();
        let mut out = Vec::new();
        let head = CsvRow { half_points: 2, game: u64::MAX, boards: u32::MAX, boards_left: u32::MAX };
        line.write(&head, &full, &mut out);
        assert_eq!(out.iter().filter(|b| **b == b',').count(), COLUMNS + 3);
        let mut out = Vec::new();
        write_header(&mut out);
        assert_eq!(out.iter().filter(|b| **b == b',').count(), COLUMNS + 3);
    }
}
