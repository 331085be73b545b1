//! A piece of a stream of games, read apart from the others: several jobs share the reading of one file.

use super::read::Reader;
use crate::Move;
use std::io::Cursor;
use tesuji_record::{Block, GameRecord, RecordError};

/// The number of games that begin in `text`, which begins at the beginning of a line.
pub fn count(text: &[u8]) -> u64 {
    text.split(|&b| b == b'\n').filter(|line| opens_game(line)).count() as u64
}

/// Offset of the last line of `block` that opens a game; 0 when there is none.
pub(super) fn before_last_game(block: &[u8]) -> usize {
    let mut end = block.len();
    while end > 0 {
        let start = block[..end].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        // A line that ends with the block may go on behind it.
        let whole = end < block.len();
        if opens_game(&block[start..end]) && (whole || block[start..end].trim_ascii_start().len() > b"game".len()) {
            return start;
        }
        end = start.saturating_sub(1);
    }
    0
}

/// Whether a line opens a game.
fn opens_game(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"game");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// The games of `block`, before which the stream has `games_before` games. Errors name lines and games of the whole stream.
pub fn games(block: Block, games_before: u64) -> SgsGames {
    let input = Box::new(Cursor::new(block.bytes));
    SgsGames { reader: Reader::resumed(input, block.lines_before, games_before), done: false }
}

/// The games of a block of a stream, with moves that have been checked. Goes on behind broken games.
pub struct SgsGames {
    reader: Reader<Move>,
    done: bool,
}

impl SgsGames {
    /// The line of the last game's `game` command, from 1.
    pub fn line(&self) -> u64 {
        self.reader.opened
    }
}

impl Iterator for SgsGames {
    type Item = Result<GameRecord<Move>, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let game = self.reader.next().transpose();
        self.done = game.as_ref().is_none_or(|game| game.as_ref().is_err_and(RecordError::is_fatal));
        game
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgs::Sgs;
    use tesuji_record::{Blocks, RecordFormat, Records};

    const TEXT: &str = "# two lines\n\ngame W a\nstart\nmoves e2e4 e7e5\n  game B -\ntitle game B -\nstart\nmoves d2d4\n\
        gamelan ignored\ngame D c\nboard 4k3/8/8/8/8/8/P7/4K3 w - - 0 1\nmoves a2a4 e8d8\n";

    fn all(text: &str, bytes: usize) -> Vec<Result<(usize, u64), String>> {
        let mut blocks = Blocks::new(Box::new(Cursor::new(text.to_string())), bytes);
        let (mut all, mut before) = (Vec::new(), 0);
        while let Some(block) = blocks.read(before_last_game).unwrap() {
            let begun = count(&block.bytes);
            let mut games = games(block, before);
            before += begun;
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
