//! Positions of shogi from files of hcpe, psv, hcpe3 and searched positions in Parquet: the move played or the visits of a search, who won, the score.

use super::WORDS;
use std::{
    io::{BufRead, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};
use tesuji_dataset::{GamesOfPositions, HELD_OUT_SEED, is_held_out, searched::SearchedReader};
use tesuji_game::{Encoding, Game, Line, Notation, Position, Side};
use tesuji_jobs::open_input;
use tesuji_record::{GameRecord, RecordReader, fingerprint, unpacked_name};
use tesuji_shogi::packed::{
    Checked, Coding, HCPE_BYTES, Hcpe, Hcpe3, POSITION_BYTES, PSV_BYTES, PackedError, Psv, move_of, move_word, pack,
    result, side_of, unpack,
};
use tesuji_shogi::{Rules, Shogi};
use tesuji_shogi_eval::DlshogiPlanes;
use tesuji_train::pool::{Pool, Stream};
use tesuji_train::sample::{Sample, Source, SourceError};

/// The factor that turns a score in centipawns into a winning probability: dlshogi's constant.
const CHANCE_OF_SCORE: f32 = 0.001_322_6;

/// A position as it is kept in memory; everything in it was checked.
pub(super) struct Known {
    position: [u8; POSITION_BYTES],
    coding: Coding,
    score: i16,
    /// The result for the side to move.
    result: f32,
    /// Moves as words, with visits.
    moves: Box<[(u16, u16)]>,
}

/// The format of the records in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hcpe,
    Psv,
    Hcpe3,
    /// Searched positions in columns.
    Searched,
}

/// The kind that a file's name says.
fn kind_of(path: &Path) -> Result<Kind, SourceError> {
    let name = path.display().to_string();
    let plain = unpacked_name(&name);
    match plain.rsplit('.').next() {
        Some("hcpe") => Ok(Kind::Hcpe),
        Some("psv") => Ok(Kind::Psv),
        Some("hcpe3") => Ok(Kind::Hcpe3),
        Some("parquet") if plain == name => Ok(Kind::Searched),
        _ => {
            let words = "nets of shogi learn from .hcpe, .psv, .hcpe3 and .parquet with visits";
            Err(SourceError::Record(format!("{name}: {words}")))
        }
    }
}

/// A file being read.
struct Open {
    path: PathBuf,
    kind: Kind,
    input: Box<dyn BufRead + Send>,
    /// In the place of `input` for searched positions.
    searched: Option<Box<SearchedReader>>,
    /// Records read.
    record: u64,
}

/// The positions of files, one after another; a part of the games is held out.
pub(super) struct Positions {
    files: Vec<PathBuf>,
    held_out: bool,
    /// The share of the games that is held out.
    share: f64,
    /// The games of positions whose file does not name them.
    games: GamesOfPositions,
    next_file: usize,
    /// Never locked: inputs may not be looked at by several threads, and sources are.
    open: Mutex<Option<Open>>,
    /// The positions read and not given yet, the last first.
    ready: Vec<Arc<Known>>,
}

/// A value for the side to move from the bits of a result.
fn value_of(winner: u8, side: Side) -> f32 {
    match winner & result::WINNER {
        result::BLACK if side == Side::First => 1.0,
        result::WHITE if side == Side::Second => 1.0,
        0 => 0.0,
        _ => -1.0,
    }
}

/// A packed position as text; what is none is known by its bytes.
fn text_of(position: &[u8; POSITION_BYTES], coding: Coding) -> String {
    let mut text = String::new();
    let Ok(board) = unpack(position, coding) else { return format!("{position:?}") };
    let _ = <Shogi as Game>::Notation::write_position(&board, &mut text);
    text
}

impl Positions {
    pub(super) fn new(files: &[PathBuf], held_out: bool, share: f64) -> Positions {
        let (files, games) = (files.to_vec(), GamesOfPositions::default());
        Positions { files, held_out, share, games, next_file: 0, open: Mutex::new(None), ready: Vec::new() }
    }

    /// Reads a record of fixed length, or `None` at the end.
    fn read<const N: usize>(open: &mut Open) -> Result<Option<[u8; N]>, SourceError> {
        let mut bytes = [0; N];
        let mut filled = 0;
        while filled < N {
            match open.input.read(&mut bytes[filled..])? {
                0 if filled == 0 => return Ok(None),
                0 => {
                    let (path, record) = (open.path.display(), open.record + 1);
                    let words = format!("{path}: record {record} ends after {filled} of {N} bytes");
                    return Err(SourceError::Record(words));
                }
                n => filled += n,
            }
        }
        Ok(Some(bytes))
    }
}

/// The position of a checked hcpe.
fn of_hcpe(record: &Hcpe) -> Result<Option<Known>, PackedError> {
    let checked = record.check()?;
    let moves = checked.mv.map(|_| (record.mv, 1));
    let result = value_of(record.result, side_of(&record.position));
    let (position, coding, score) = (record.position, Coding::Apery, record.score);
    Ok(moves.map(|one| Known { position, coding, score, result, moves: Box::new([one]) }))
}

/// The position of a checked psv.
fn of_psv(record: &Psv) -> Result<Option<Known>, PackedError> {
    let checked = record.check()?;
    let moves = checked.mv.map(|_| (record.mv, 1));
    let (position, coding, score) = (record.position, Coding::Yaneuraou, record.score);
    Ok(moves.map(|one| Known { position, coding, score, result: f32::from(record.result), moves: Box::new([one]) }))
}

/// The positions of a checked game that are for learning.
fn of_game(game: &Hcpe3) -> Result<Vec<Known>, PackedError> {
    let (mut all, mut failed) = (Vec::new(), None);
    game.check(|Checked { board, .. }, step| {
        // Moves without visits are not for learning, and of visits none may be left.
        if step.visits.iter().all(|&(_, count)| count == 0) {
            return;
        }
        match pack(&board, Coding::Apery) {
            Ok(position) => all.push(Known {
                position,
                coding: Coding::Apery,
                score: step.score,
                result: value_of(game.result, board.side_to_move()),
                moves: step.visits.iter().copied().filter(|&(_, count)| count > 0).collect(),
            }),
            Err(error) => failed = Some(error),
        }
    })?;
    failed.map_or(Ok(all), Err)
}

/// The searched positions of a game.
fn of_record(game: &GameRecord<String>) -> Result<Vec<Known>, String> {
    let rules: Rules = game.rules.parse().map_err(|error| format!("rules {:?}: {error}", game.rules))?;
    let start = match &game.start {
        Some(text) => <Shogi as Game>::Notation::parse_position(&rules, text).map_err(|error| error.to_string())?,
        None => Shogi::start(&rules),
    };
    let score_of = |side| game.outcome.map_or(0.0, |outcome| 2.0 * outcome.score(side) as f32 - 1.0);
    let (mut line, mut all) = (Line::new(start), Vec::new());
    for (node, word) in game.main_nodes().into_iter().zip(game.main_line()) {
        let (board, note) = (*line.here(), game.note(node));
        let visit = |&(code, count): &(u16, u32)| {
            Some((move_word(board.unpack(code)?, Coding::Apery), u16::try_from(count).unwrap_or(u16::MAX)))
        };
        let moves: Option<Vec<_>> = note.visits.iter().filter(|(_, count)| *count > 0).map(visit).collect();
        let moves = moves.ok_or_else(|| format!("ply {}: visits of what is no move", line.len()))?;
        if !moves.is_empty() {
            let position = pack(&board, Coding::Apery).map_err(|error| error.to_string())?;
            let score = note.value.map_or(0, |value| value.raw() as i16);
            let result = score_of(board.side_to_move());
            all.push(Known { position, coding: Coding::Apery, score, result, moves: moves.into() });
        }
        let mv = <Shogi as Game>::Notation::parse_move(&board, &word).map_err(|error| error.to_string())?;
        line.push(mv);
    }
    Ok(all)
}

/// The key by which a game is held out, and its positions or the reason why it is left out.
type Found = (u64, Result<Vec<Known>, String>);

/// Reads the next game of searched positions; `None` at the end.
fn next_searched(reader: &mut SearchedReader, path: &Path) -> Result<Option<Found>, SourceError> {
    match reader.read() {
        Ok(None) => Ok(None),
        Ok(Some(game)) => Ok(Some((fingerprint(&game), of_record(&game)))),
        Err(error) if !error.is_fatal() => Ok(Some((0, Err(error.to_string())))),
        Err(error) => Err(SourceError::Record(format!("{}: {error}", path.display()))),
    }
}

impl Positions {
    /// Reads the next record of the open file into `ready`; `false` at its end.
    fn advance(&mut self) -> Result<bool, SourceError> {
        let slot = self.open.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(open) = slot else { return Ok(false) };
        let told = |found: Result<Vec<Known>, PackedError>| found.map_err(|error| error.to_string());
        let (key, found) = match open.kind {
            Kind::Searched => {
                let Some(reader) = &mut open.searched else { return Ok(false) };
                match next_searched(reader, &open.path)? {
                    Some(found) => found,
                    None => return Ok(false),
                }
            }
            Kind::Hcpe => match Self::read::<HCPE_BYTES>(open)? {
                Some(bytes) => {
                    let record = Hcpe::from_bytes(&bytes);
                    let (_, key) = self.games.next(None, None, || text_of(&record.position, Coding::Apery));
                    (key, told(of_hcpe(&record).map(Vec::from_iter)))
                }
                None => return Ok(false),
            },
            Kind::Psv => match Self::read::<PSV_BYTES>(open)? {
                Some(bytes) => {
                    let record = Psv::from_bytes(&bytes);
                    let ply = u32::from(record.ply).saturating_sub(1);
                    let (_, key) = self.games.next(None, Some(ply), || text_of(&record.position, Coding::Yaneuraou));
                    (key, told(of_psv(&record).map(Vec::from_iter)))
                }
                None => return Ok(false),
            },
            Kind::Hcpe3 => {
                let read = Hcpe3::read(&mut open.input);
                let fault =
                    |error| SourceError::Record(format!("{}: game {}: {error}", open.path.display(), open.record + 1));
                match read.map_err(fault)? {
                    Some((game, _)) => {
                        // Readers of games see it so; one that cannot be read is left out in any case.
                        let key = game.to_record().map_or(0, |record| fingerprint(&record));
                        (key, told(of_game(&game)))
                    }
                    None => return Ok(false),
                }
            }
        };
        open.record += 1;
        match found {
            Ok(found) if is_held_out(key, HELD_OUT_SEED, self.share) == self.held_out => {
                self.ready.extend(found.into_iter().rev().map(Arc::new))
            }
            Ok(_) => {}
            // A bad record among good ones is left out.
            Err(error) => {
                let (path, record) = (open.path.display(), open.record);
                tracing::warn!(target: "train", "{path}: record {record} is left out: {error}");
            }
        }
        Ok(true)
    }
}

impl Stream for Positions {
    type Item = Arc<Known>;

    fn next(&mut self) -> Result<Option<Arc<Known>>, SourceError> {
        loop {
            if let Some(known) = self.ready.pop() {
                return Ok(Some(known));
            }
            if self.advance()? {
                continue;
            }
            let Some(path) = self.files.get(self.next_file).cloned() else {
                *self.open.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
                return Ok(None);
            };
            self.next_file += 1;
            let kind = kind_of(&path)?;
            let open = |words| SearchedReader::open(&path, words).map(Box::new);
            let searched = (kind == Kind::Searched).then(|| open(WORDS)).transpose()?;
            let input = if searched.is_some() { Box::new(std::io::empty()) } else { open_input(&path)? };
            self.open = Mutex::new(Some(Open { path, kind, input, searched, record: 0 }));
        }
    }

    fn restart(&mut self) -> Result<(), SourceError> {
        (self.next_file, self.open, self.games) = (0, Mutex::new(None), GamesOfPositions::default());
        self.ready.clear();
        Ok(())
    }
}

/// Random positions of a pool.
pub(super) struct Drawn {
    pub(super) pool: Pool<Positions>,
    pub(super) planes: DlshogiPlanes,
    pub(super) mirror: bool,
    /// Of the search's score in the value.
    pub(super) search_share: f32,
}

impl Source for Drawn {
    type Key = (Arc<Known>, u8);

    fn draw(&mut self) -> Result<(Arc<Known>, u8), SourceError> {
        let (known, random) = self.pool.draw()?;
        let symmetry = if self.mirror { random.below(2) as u8 } else { 0 };
        Ok((known, symmetry))
    }

    fn fill(&self, (known, symmetry): &(Arc<Known>, u8), sample: &mut Sample) {
        sample.clear();
        let Ok(board) = unpack(&known.position, known.coding) else { return };
        let line = Line::new(board);
        let shape = self.planes.shape(&board);
        sample.planes.resize(shape.planes * shape.height * shape.width, 0.0);
        self.planes.encode(&line, *symmetry, &mut sample.planes);
        let all: f32 = known.moves.iter().map(|&(_, visits)| f32::from(visits)).sum();
        for &(word, visits) in &known.moves {
            if let Some(mv) = move_of(word, known.coding) {
                sample.policy.push((self.planes.action(&board, mv, *symmetry) as u16, f32::from(visits) / all));
            }
        }
        let chance = 1.0 / (1.0 + (-f32::from(known.score) * CHANCE_OF_SCORE).exp());
        sample.value = (1.0 - self.search_share) * known.result + self.search_share * (2.0 * chance - 1.0);
        sample.value_weight = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_dataset::searched::SearchedWriter;
    use tesuji_game::{By, Value};
    use tesuji_record::Note;
    use tesuji_shogi::packed::Hcpe3Step;

    /// A game of one move with visits, and the same as hcpe and psv, in files.
    fn files(folder: &Path) -> Vec<PathBuf> {
        let board = <Shogi as tesuji_game::Game>::start(&Rules::default());
        let moves = board.legal_moves();
        let words: Vec<u16> = moves.iter().take(3).map(|&mv| move_word(mv, Coding::Apery)).collect();
        let visits = vec![(words[0], 30), (words[1], 10), (words[2], 0)];
        let step = Hcpe3Step { mv: words[0], score: 756, visits };
        let position = pack(&board, Coding::Apery).unwrap();
        let game = Hcpe3 { position, result: result::WHITE, opponent: 0, steps: vec![step] };
        let mut bytes = Vec::new();
        game.write(&mut bytes).unwrap();
        let mut hcpes = Vec::new();
        game.hcpes(false, &mut hcpes).unwrap();
        let psv = hcpes[0].to_psv(1).unwrap();
        let all = [("a.hcpe3", bytes), ("b.hcpe", hcpes[0].to_bytes().to_vec()), ("c.psv", psv.to_bytes().to_vec())];
        all.map(|(name, bytes)| {
            std::fs::write(folder.join(name), bytes).unwrap();
            folder.join(name)
        })
        .to_vec()
    }

    #[test]
    fn all_formats_tell_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let planes = DlshogiPlanes::PLAIN;
        let mut samples = Vec::new();
        for file in &files {
            let mut stream = Positions::new(std::slice::from_ref(file), false, 0.0);
            let known = stream.next().unwrap().unwrap();
            assert!(stream.next().unwrap().is_none());
            stream.restart().unwrap();
            let pool = Pool::new(stream, 10, 1, 1).unwrap();
            let drawn = Drawn { pool, planes, mirror: true, search_share: 0.25 };
            let mut sample = Sample::default();
            drawn.fill(&(known.clone(), 1), &mut sample);
            let mirrored = sample.policy[0].0;
            drawn.fill(&(known, 0), &mut sample);
            assert_ne!(sample.policy[0].0, mirrored);
            assert_eq!(sample.planes.len(), 119 * 81);
            // Lost, while the search saw 73.1 % (a score of 756): -0.75 and a quarter of 0.462.
            assert!((sample.value + 0.75 - 0.25 * 0.4621).abs() < 1e-3, "{}", sample.value);
            samples.push(sample);
        }
        let shares: Vec<f32> = samples[0].policy.iter().map(|&(_, share)| share).collect();
        assert_eq!(shares, [0.75, 0.25], "a move without visits teaches nothing");
        assert_eq!((samples[1].policy.len(), &samples[1].planes), (1, &samples[0].planes));
        assert_eq!(samples[2], samples[1]);
    }

    #[test]
    fn columns_teach_what_the_game_teaches() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let board = Shogi::start(&Rules::default());
        let moves = board.legal_moves();
        let mut word = String::new();
        <Shogi as Game>::Notation::write_move(&board, moves[0], &mut word).unwrap();
        let mut game = GameRecord::from_moves("", None, [word]);
        let visits =
            [30, 10, 0].iter().zip(&moves).map(|(&count, &mv)| (tesuji_shogi::Board::pack(mv), count)).collect();
        let node = game.main_nodes()[0];
        *game.note_mut(node) = Note { visits, value: Some(Value::cp(756)), ..Note::default() };
        game.outcome = Some(tesuji_game::Outcome::win(Side::Second, By::Resignation));
        let path = folder.path().join("visits.parquet");
        let mut writer = SearchedWriter::begin(std::fs::File::create(&path).unwrap(), WORDS, &[]).unwrap();
        writer.add(&game).unwrap();
        writer.finish().unwrap();
        let samples = [path, files[0].clone()].map(|file| {
            let pool = Pool::new(Positions::new(&[file], false, 0.0), 10, 1, 1).unwrap();
            let mut drawn = Drawn { pool, planes: DlshogiPlanes::PLAIN, mirror: false, search_share: 0.25 };
            let key = drawn.draw().unwrap();
            let mut sample = Sample::default();
            drawn.fill(&key, &mut sample);
            sample
        });
        assert_eq!(samples[0], samples[1]);
        let cut = folder.path().join("cut.parquet");
        std::fs::write(&cut, b"PAR1").unwrap();
        assert!(
            Positions::new(&[cut], false, 0.0).next().err().unwrap().to_string().contains("cut.parquet: no Parquet")
        );
    }

    #[test]
    fn files_that_are_no_such_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let files = files(folder.path());
        let refused = |path: PathBuf| Positions::new(&[path], false, 0.0).next().err().unwrap().to_string();
        let cut = folder.path().join("cut.hcpe");
        std::fs::write(&cut, &std::fs::read(&files[1]).unwrap()[..20]).unwrap();
        assert!(refused(cut).ends_with("record 1 ends after 20 of 38 bytes"));
        let cut = folder.path().join("cut.hcpe3");
        std::fs::write(&cut, &std::fs::read(&files[0]).unwrap()[..50]).unwrap();
        assert!(refused(cut).contains("game 1: the file ends in the middle of a game"));
        assert!(refused(folder.path().join("x.kif")).contains("nets of shogi learn from"));
        assert!(Positions::new(&files, true, 0.0).next().unwrap().is_none(), "nothing is held out");
    }
}
