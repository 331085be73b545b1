//! The lines that `tesuji match --json` writes, read once: what is needed of each game and where it stands.

use super::jumps::{Jump, jumps};
use crate::Problem;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::Path,
    sync::{Mutex, PoisonError},
};
use tesuji_report::matches::events::{FaultEvent, GameEvent, MatchEvent};
use utoipa::ToSchema;

/// Indexes kept in memory.
const KEPT_MAX: usize = 16;

/// Indexes of matches by the numbers of their jobs.
#[derive(Default)]
pub(crate) struct Indexes(Mutex<BTreeMap<u64, Index>>);

impl Indexes {
    /// `f` of the index of a match, after what is new in `path` was read.
    pub(super) fn with<T>(&self, id: u64, path: &Path, f: impl FnOnce(&Index) -> T) -> Result<T, Problem> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= KEPT_MAX && !all.contains_key(&id) {
            all.pop_first();
        }
        let index = all.entry(id).or_default();
        index.read_on(path).map_err(|error| Problem::internal(format!("the games of match {id}: {error}")))?;
        Ok(f(index))
    }
}

/// A game in a list.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct GameRow {
    /// Its number, from 1.
    pub(super) game: u64,
    first: String,
    second: String,
    /// The winner's name.
    winner: Option<String>,
    /// The reason for its end, by name.
    by: String,
    plies: u64,
    seconds: f64,
    /// The fault: the player, the kind, and words.
    pub(super) fault: Option<Fault>,
}

/// The fault of a game.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(super) struct Fault {
    player: String,
    kind: String,
    detail: String,
    last_lines: Vec<String>,
}

impl From<FaultEvent> for Fault {
    fn from(fault: FaultEvent) -> Fault {
        let FaultEvent { player, kind, detail, last_lines, .. } = fault;
        Fault { player, kind, detail, last_lines }
    }
}

/// The game that a line tells of, if it tells of one.
fn game_of(line: &[u8]) -> Option<GameEvent> {
    match serde_json::from_slice(line) {
        // A game without players is none that was played.
        Ok(MatchEvent::Game(event)) if event.game > 0 && !event.first.is_empty() => Some(*event),
        _ => None,
    }
}

/// Curves along games.
#[derive(Debug, Clone, Default, PartialEq, Serialize, ToSchema)]
pub(crate) struct Series {
    /// Games played.
    games: Vec<u64>,
    /// Elo of the first player against the second.
    elo: Vec<Option<f64>>,
    /// The interval of 95 %.
    low: Vec<Option<f64>>,
    high: Vec<Option<f64>>,
    /// The log-likelihood ratio of the test.
    llr: Vec<Option<f64>>,
}

/// A game with its start and moves.
pub(super) type PlayedGame = (GameRow, Option<String>, Vec<String>);

/// Where the two games of a pair first part: one opening, sides changed, and at this ply both players were to move in one position.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Parting {
    /// The numbers of both games.
    pub(super) games: [u64; 2],
    /// The players, each as it moved in its game.
    pub(super) players: [String; 2],
    /// The moves that both games share.
    pub(super) ply: usize,
    /// The move of each player, as the protocol writes it.
    pub(super) moves: [String; 2],
    /// The winner of each game; none: a draw.
    pub(super) winners: [Option<String>; 2],
}

/// A game that waits for the other one of its pair.
struct Half {
    game: u64,
    first: String,
    second: String,
    winner: Option<String>,
    start: Option<String>,
    second_begins: bool,
    moves: Vec<String>,
}

impl Half {
    fn of(event: &GameEvent) -> Half {
        let GameEvent { game, first, second, winner, start, second_begins, moves, .. } = event.clone();
        Half { game, first, second, winner, start, second_begins, moves }
    }

    /// Where this game and the other one of its pair part; none where they are no pair, or one is a part of the other.
    fn parting(&self, other: &Half) -> Option<Parting> {
        let is_pair = (&self.first, &self.second) == (&other.second, &other.first) && self.start == other.start;
        let ply = self.moves.iter().zip(&other.moves).take_while(|(a, b)| a == b).count();
        let (mine, theirs) = (self.moves.get(ply)?, other.moves.get(ply)?);
        let mover = |half: &Half| match ply.is_multiple_of(2) != half.second_begins {
            true => half.first.clone(),
            false => half.second.clone(),
        };
        is_pair.then(|| Parting {
            games: [self.game, other.game],
            players: [mover(self), mover(other)],
            ply,
            moves: [mine.clone(), theirs.clone()],
            winners: [self.winner.clone(), other.winner.clone()],
        })
    }
}

/// An incrementally read index of a match's lines.
#[derive(Default)]
pub(super) struct Index {
    /// Bytes that were read.
    read: u64,
    entries: Vec<Entry>,
    /// Places in `entries` by the games' numbers.
    places: BTreeMap<u64, usize>,
    /// Games without the other one of their pair, by the first number of the pair.
    halves: BTreeMap<u64, Half>,
    /// Where pairs part, by the first number of the pair.
    partings: BTreeMap<u64, Parting>,
    /// Where values fall, by the number of the game.
    jumps: BTreeMap<u64, Vec<Jump>>,
}

struct Entry {
    row: GameRow,
    /// Offset of its line.
    at: u64,
    /// Elo, its interval, and the test, after it; none where it is of another pairing than the first.
    curve: Option<[Option<f64>; 4]>,
}

impl Index {
    fn read_on(&mut self, path: &Path) -> io::Result<()> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            file => file?,
        };
        if file.metadata()?.len() < self.read {
            *self = Index::default();
        }
        file.seek(SeekFrom::Start(self.read))?;
        let mut reader = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            let n = reader.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                return Ok(());
            }
            if let Some(event) = game_of(&line) {
                self.add(event);
            }
            self.read += n as u64;
        }
    }

    /// Where the games of each pair part, the first pair first.
    pub(super) fn partings(&self) -> impl Iterator<Item = &Parting> {
        self.partings.values()
    }

    /// Where values fall, the first game first.
    pub(super) fn jumps(&self) -> impl Iterator<Item = &Jump> {
        self.jumps.values().flatten()
    }

    /// Compares a game with the other one of its pair: games with numbers 2n + 1 and 2n + 2 share an opening.
    fn pair(&mut self, event: &GameEvent) {
        let pair = (event.game - 1) / 2;
        let this = Half::of(event);
        match self.halves.remove(&pair) {
            Some(other) if other.game != this.game => {
                let (first, second) = if other.game < this.game { (other, this) } else { (this, other) };
                self.partings.extend(first.parting(&second).map(|parting| (pair, parting)));
            }
            _ => drop(self.halves.insert(pair, this)),
        }
    }

    fn add(&mut self, event: GameEvent) {
        self.pair(&event);
        self.jumps.insert(event.game, jumps(&event));
        let entry = self.entry(event);
        let game = entry.row.game;
        // A match that was killed between a line and the journal plays the game again.
        match self.places.get(&game) {
            Some(&place) => self.entries[place] = entry,
            None => {
                self.places.insert(game, self.entries.len());
                self.entries.push(entry);
            }
        }
    }

    fn entry(&self, event: GameEvent) -> Entry {
        let GameEvent { game, first, second, winner, by, plies, seconds, standing, llr, .. } = event;
        let plies = u64::from(plies);
        let row = GameRow { game, first, second, winner, by, plies, seconds, fault: event.fault.map(Fault::from) };
        let is_first_pairing = self.entries.first().is_none_or(|first| {
            let (a, b) = (&first.row.first, &first.row.second);
            (&row.first, &row.second) == (a, b) || (&row.first, &row.second) == (b, a)
        });
        let elo = standing.elo.unwrap_or_default();
        let curve = is_first_pairing.then_some([elo.value, elo.low, elo.high, llr]);
        Entry { row, at: self.read, curve }
    }

    /// All games, in the order in which they ended.
    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = &GameRow> {
        self.entries.iter().map(|entry| &entry.row)
    }

    /// The curves with `max` points at most, evenly taken, the last one among them.
    pub(super) fn series(&self, max: usize) -> Series {
        let points: Vec<(u64, [Option<f64>; 4])> =
            (1..).zip(self.entries.iter().filter_map(|entry| entry.curve)).collect();
        let step = points.len().div_ceil(max).max(1);
        let mut series = Series::default();
        let last = points.len().saturating_sub(1);
        for (_, &(n, [elo, low, high, llr])) in
            points.iter().enumerate().filter(|(i, _)| (last - i).is_multiple_of(step))
        {
            series.games.push(n);
            series.elo.push(elo);
            series.low.push(low);
            series.high.push(high);
            series.llr.push(llr);
        }
        series
    }

    /// A game with its start and moves.
    pub(super) fn game(&self, path: &Path, n: u64) -> Option<PlayedGame> {
        let entry = &self.entries[*self.places.get(&n)?];
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start(entry.at)).ok()?;
        let mut line = String::new();
        BufReader::new(file.take(16 << 20)).read_line(&mut line).ok()?;
        let event = game_of(line.as_bytes())?;
        Some((entry.row.clone(), event.start, event.moves))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::Write;

    #[test]
    fn lines_become_rows_and_curves() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("out.txt");
        let line = |n: u64, first: &str, elo: f64| {
            let fault = (n == 3).then(|| json!({"player": "A", "kind": "time", "detail": "d", "last_lines": ["x"]}));
            json!({"event": "game", "game": n, "first": first, "second": if first == "A" { "B" } else { "A" },
                "winner": first, "by": "mate", "plies": 5, "seconds": 0.5, "fault": fault, "moves": ["m", n.to_string()],
                "start": null, "standing": {"elo": {"value": elo, "low": elo - 1.0, "high": null}}, "llr": null})
        };
        let mut file = File::create(&path).expect("made");
        writeln!(file, "{}\n{}\nnonsense\n{}", json!({"event": "start"}), line(1, "A", 1.0), line(2, "B", 2.0))
            .expect("w");
        write!(file, "{}", line(3, "A", 3.0)).expect("written without its end");
        let all = Indexes::default();
        let count = |all: &Indexes| all.with(7, &path, |index| index.rows().count()).expect("it is read");
        assert_eq!(count(&all), 2, "a torn line is none yet");
        writeln!(file).expect("written");
        assert_eq!(count(&all), 3);
        all.with(7, &path, |index| {
            assert_eq!(index.rows().filter(|row| row.fault.is_some()).map(|row| row.game).collect::<Vec<_>>(), [3]);
            let series = index.series(2);
            assert_eq!((series.games, series.elo), (vec![1, 3], vec![Some(1.0), Some(3.0)]));
            assert_eq!(index.game(&path, 2).expect("game 2").2, ["m", "2"]);
            assert!(index.game(&path, 9).is_none());
            assert_eq!(index.partings().map(|parting| (parting.games, parting.ply)).collect::<Vec<_>>(), [([1, 2], 1)]);
        })
        .expect("it is read");
    }

    #[test]
    fn pairs_part_where_both_players_moved_in_one_position() {
        let game = |n: u64, first: &str, moves: &[&str]| {
            let second = if first == "dev" { "base" } else { "dev" };
            let moves = moves.iter().map(|mv| mv.to_string()).collect();
            GameEvent { game: n, first: first.into(), second: second.into(), moves, ..GameEvent::default() }
        };
        let mut index = Index::default();
        // The second game of a pair may end before the first.
        index.add(game(2, "base", &["a", "b", "d"]));
        index.add(game(1, "dev", &["a", "b", "c"]));
        index.add(game(3, "dev", &["a", "x"]));
        index.add(game(5, "dev", &["a"]));
        index.add(game(6, "base", &["a", "b"]));
        let all: Vec<_> = index.partings().collect();
        assert_eq!(all.len(), 1, "a game without its other half, and one that only goes on, part nowhere");
        assert_eq!((all[0].games, all[0].ply), ([1, 2], 2));
        assert_eq!(
            (all[0].players.each_ref().map(String::as_str), all[0].moves.each_ref().map(String::as_str)),
            (["dev", "base"], ["c", "d"])
        );
    }
}
