//! A stream of games in pieces that can be read apart from each other: how several jobs share the reading.

use super::read::Reader;
use crate::Move;
use std::io::{self, BufRead, Cursor, Read};
use tesuji_record::{GameRecord, RecordError};

/// The most bytes a block may have: a longer game is refused, so that a file of another kind cannot fill the memory.
const BLOCK_BYTES_MAX: usize = 64 << 20;

/// Cuts a stream into blocks of whole games.
pub struct Blocks {
    input: Box<dyn BufRead + Send>,
    /// The `game` line that opens the next block.
    opening: Vec<u8>,
    lines: u64,
    games: u64,
    bytes: usize,
}

/// Some games that follow each other, as text.
#[derive(Debug, Clone, Default)]
pub struct Block {
    text: Vec<u8>,
    lines_before: u64,
    /// Games of the stream before these.
    pub games_before: u64,
}

impl Blocks {
    /// Blocks of `bytes` bytes and one game at least. They are the same for the same stream, whoever reads them.
    pub fn new(input: Box<dyn BufRead + Send>, bytes: usize) -> Blocks {
        Blocks { input, opening: Vec::new(), lines: 0, games: 0, bytes }
    }

    /// The games given so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// Those of the stream, and a game that is too long.
    pub fn read(&mut self) -> io::Result<Option<Block>> {
        let mut block =
            Block { text: std::mem::take(&mut self.opening), lines_before: self.lines, games_before: self.games };
        if !block.text.is_empty() {
            self.lines += 1;
            self.games += 1;
        }
        loop {
            let from = block.text.len();
            let room = BLOCK_BYTES_MAX - from;
            let n = self.input.by_ref().take(room as u64).read_until(b'\n', &mut block.text)?;
            if n == room {
                let line = self.lines + 1;
                return Err(io::Error::new(io::ErrorKind::InvalidData, format!("line {line}: the game is too long")));
            }
            if n == 0 {
                return Ok(Some(block).filter(|b| !b.text.is_empty()));
            }
            let opens = is_game(&block.text[from..]);
            if opens && from >= self.bytes {
                self.opening = block.text.split_off(from);
                return Ok(Some(block));
            }
            self.lines += 1;
            self.games += u64::from(opens);
        }
    }
}

/// Whether a line opens a game.
fn is_game(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"game");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

impl Block {
    /// The games. Errors name lines and games of the whole stream.
    pub fn into_games(self) -> Games {
        let input = Box::new(Cursor::new(self.text));
        Games { reader: Reader::resumed(input, self.lines_before, self.games_before), done: false }
    }
}

/// The games of a [`Block`], with moves that have been checked. Ends after the first error.
pub struct Games {
    reader: Reader<Move>,
    done: bool,
}

impl Games {
    /// The line of the last game's `game` command, from 1.
    pub fn line(&self) -> u64 {
        self.reader.opened
    }
}

impl Iterator for Games {
    type Item = Result<GameRecord<Move>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let game = self.reader.next().transpose();
        self.done = !matches!(game, Some(Ok(_)));
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgs::Sgs;
    use tesuji_record::{RecordFormat, Records};

    const TEXT: &str = "# two lines\n\ngame W a\nstart\nmoves e2e4 e7e5\n  game B -\ntitle game B -\nstart\nmoves d2d4\n\
        gamelan ignored\ngame D c\nboard 4k3/8/8/8/8/8/P7/4K3 w - - 0 1\nmoves a2a4 e8d8\n";

    fn all(text: &str, bytes: usize) -> Vec<Result<(usize, u64), String>> {
        let mut blocks = Blocks::new(Box::new(Cursor::new(text.to_string())), bytes);
        let mut all = Vec::new();
        while let Some(block) = blocks.read().unwrap() {
            let mut games = block.into_games();
            while let Some(game) = games.next() {
                all.push(game.map(|g| (g.plies(), games.line())).map_err(|e| e.to_string()));
            }
        }
        all
    }

    #[test]
    fn blocks_of_any_size_hold_the_same_games() {
        let whole: Vec<_> =
            Records::new(Sgs::PLAIN.reader(Box::new(Cursor::new(TEXT)))).map(|g| g.unwrap().plies()).collect();
        assert_eq!(whole, [2, 1, 2]);
        for bytes in [0, 1, 40, 90, 10_000] {
            assert_eq!(all(TEXT, bytes), [Ok((2, 3)), Ok((1, 6)), Ok((2, 11))], "{bytes}");
        }
    }

    #[test]
    fn errors_name_lines_and_games_of_the_stream() {
        let broken = TEXT.replace("a2a4 e8d8", "a2a4 e8e6");
        for bytes in [0, 70, 10_000] {
            assert_eq!(all(&broken, bytes)[2], Err("line 13 (game 3): move #2 is illegal: e8e6".to_string()));
        }
        for bytes in [0, 10_000] {
            assert_eq!(
                all("start\n", bytes),
                [Err("line 1 (game 1): expected the command `game`, found `start`".into())]
            );
        }
    }
}
