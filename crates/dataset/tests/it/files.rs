//! Files of random games, and jobs over them.

use std::fs::File;
use std::path::{Path, PathBuf};
use tesuji_chess::{Chess, ChessSurvey, epd::EpdFile, packed::Viri, pgn::Pgn, sgs::Boards, sgs::Sgs};
use tesuji_dataset::data::{DataError, Format, Input, Job, Lens, Output, Routed, Tally, convert};
use tesuji_game::{By, Game, Line, Outcome, Random, Side, Value};
use tesuji_jobs::Interrupt;
use tesuji_record::{GameRecord, Of, RecordFormat, Step, of};

/// Chess as data tools see it.
pub static CHESS: Of<Chess> = of(&[&Sgs::EXTENDED, &Pgn, &EpdFile, &Viri, &Boards]);
/// Its positions.
pub static SURVEY: ChessSurvey = ChessSurvey;
/// How records are seen.
pub const LENS: Lens = Lens { survey: Some(&SURVEY), fill_score: None };

/// A random game with scores and a result.
pub fn game(random: &mut Random) -> GameRecord<String> {
    let mut line = Line::new(Chess::start(&Default::default()));
    let mut record = GameRecord::new();
    let mut moves = Vec::new();
    for _ in 0..20 + random.below(60) {
        if line.outcome().is_some() {
            break;
        }
        line.legal_moves(&mut moves);
        let mv = moves[random.below(moves.len())];
        let mut text = String::new();
        <tesuji_chess::UciNotation as tesuji_game::Notation<_, tesuji_chess::Rules>>::write_move(
            line.here(),
            mv,
            &mut text,
        )
        .unwrap();
        line.push(mv);
        let node = record.append(Step::Move(text));
        record.note_mut(node).value = Some(Value::cp(random.below(801) as i32 - 400));
    }
    let winner = [Some(Side::First), None, Some(Side::Second)][random.below(3)];
    record.outcome = line.outcome().or(Some(Outcome { winner, by: By::Adjudication }));
    record.set_tag("Origin", "made by a test");
    record
}

/// `count` random games in the file `name` of `folder`.
pub fn games_file(folder: &Path, name: &str, count: usize, seed: u64) -> PathBuf {
    let path = folder.join(name);
    let format = CHESS.formats_by(name);
    let mut writer = format.writer(Box::new(File::create(&path).unwrap()));
    let mut random = Random::new(seed);
    (0..count).for_each(|_| writer.write(&game(&mut random)).unwrap());
    writer.finish().unwrap();
    path
}

/// Finds formats by names of files.
pub trait ByName {
    /// The format of games of the file `name`.
    fn formats_by(&self, name: &str) -> &'static dyn RecordFormat;
}

impl ByName for Of<Chess> {
    fn formats_by(&self, name: &str) -> &'static dyn RecordFormat {
        tesuji_record::AnyGame::format(self, name).unwrap()
    }
}

/// `path` as an input.
pub fn input(path: &Path) -> Input {
    let format = Format::find(&CHESS, Some(&SURVEY), &path.display().to_string()).unwrap();
    Input { path: path.to_path_buf(), format }
}

/// `path` as an output.
pub fn output(path: &Path) -> Output {
    Output::new(path, input(path).format).unwrap()
}

/// Calls `work` with a job over `inputs`.
pub fn with_job<T>(inputs: &[Input], jobs: usize, work: impl FnOnce(&Job<'_>) -> T) -> T {
    let interrupt = Interrupt::new();
    work(&Job {
        inputs,
        keep_game: None,
        scale: 1,
        lens: LENS,
        jobs,
        skip_errors: false,
        resume: false,
        words: "words".into(),
        about: vec![("made by".into(), "a test".into())],
        interrupt: &interrupt,
        tell: &|_| (),
        complain: &|_| (),
    })
}

/// Converts one file into another.
pub fn convert_file(from: &Path, to: &Path, jobs: usize) -> Result<Tally, DataError> {
    with_job(&[input(from)], jobs, |job| convert(job, &[output(to)], |_, routed: Routed, _| vec![routed]))
}

/// The file's bytes.
pub fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names in `folder`, sorted.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
