//! Whole matches: every game accounted for, stopped and resumed at will with the same final table.

use crate::{FOUR, entrant, spec_in};
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::time::Duration;
use tesuji_arena::{
    Adjudication, Allowance, Contestant, Dialect, Engine, FaultKind, Format, Journal, Making, Match, MatchEnd,
    MatchNews, MatchPlan, Order, Output, Pairing, Schedule, Sides, Standing, Tail, make_openings,
};
use tesuji_game::{By, Outcome, Side};
use tesuji_jobs::Interrupt;
use tesuji_record::{AnyGame, GameRecord, Part, RecordError, RecordFormat, RecordReader, RecordWriter};
use tesuji_stats::{Decision, Sprt};

/// A format of one game a line: round, players, result, moves.
pub struct MoveLines;

impl RecordFormat for MoveLines {
    fn name(&self) -> &'static str {
        "lines"
    }
    fn extensions(&self) -> &'static [&'static str] {
        &["lines"]
    }
    fn reader(&self, input: Box<dyn BufRead + Send>) -> Box<dyn RecordReader> {
        Box::new(LineReader(input))
    }
    fn tells_unvalued(&self) -> bool {
        true
    }
    fn drops(&self) -> &'static [Part] {
        // All but tags, of which the rounds and the players are kept.
        &[Part::Comments, Part::Values, Part::Depths, Part::Times, Part::Clocks]
    }
    fn moves_left_out(&self, _game: &GameRecord<String>) -> u64 {
        0
    }
    fn writer(&self, output: Box<dyn Write + Send>) -> Box<dyn RecordWriter> {
        Box::new(LineWriter(output))
    }
}

struct LineReader(Box<dyn BufRead + Send>);

impl RecordReader for LineReader {
    fn read(&mut self) -> Result<Option<GameRecord<String>>, RecordError> {
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace();
        let (round, players) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let score: f64 = words.next().and_then(|s| s.parse().ok()).unwrap_or(0.5);
        let mut record = GameRecord::from_moves("", None, words.map(str::to_string));
        let (red, yellow) = players.split_once('-').unwrap_or_default();
        for (name, value) in [("Round", round), ("Red", red), ("Yellow", yellow)] {
            record.set_tag(name, value);
        }
        record.outcome = Some(match score {
            1.0 => Outcome::win(Side::First, By::Mate),
            0.0 => Outcome::win(Side::Second, By::Mate),
            _ => Outcome { winner: None, by: By::NoMoves },
        });
        Ok(Some(record))
    }
}

struct LineWriter(Box<dyn Write + Send>);

impl RecordWriter for LineWriter {
    fn write(&mut self, record: &GameRecord<String>) -> Result<(), RecordError> {
        let tag = |name| record.tag(name).unwrap_or("?").to_string();
        let result = record.outcome.map_or(0.5, |o| o.score(Side::First));
        let moves = record.main_line().join(" ");
        Ok(writeln!(self.0, "{} {}-{} {result} {moves}", tag("Round"), tag("Red"), tag("Yellow"))?)
    }
    fn flush(&mut self) -> Result<(), RecordError> {
        Ok(self.0.flush()?)
    }
    fn finish(self: Box<Self>) -> Result<(), RecordError> {
        Ok(())
    }
}

/// A match of two random movers, the second with faults.
pub(crate) fn plan(games: u64, habits: &str, jobs: usize) -> MatchPlan<'static> {
    let making = Making { rules: String::new(), plies: 2, takes: None, count: 10, seed: 5, balance_cp: 0 };
    let mut openings = make_openings(&FOUR, &making, &mut |_| None);
    Order::Random.arrange(&mut openings, 3);
    let patience = Some(Duration::from_millis(500));
    let allowance = Allowance { patience, ..Allowance::of_nodes(1) };
    MatchPlan {
        game: &FOUR,
        rules: String::new(),
        entrants: vec![entrant("sound", "--seed 1", allowance.clone()), entrant("other", habits, allowance)],
        schedule: Schedule::new(2, Format::RoundRobin, games, openings.len(), Sides::Swap),
        openings: openings.iter().collect(),
        adjudication: Adjudication::default(),
        referee: None,
        sprt: None,
        stop_width: None,
        jobs,
        side_tags: ["Red", "Yellow"],
        tags: Vec::new(),
        dialogues: None,
    }
}

/// Plays on from what stands in `folder`, until `stop_after` more games are done.
fn go_on(plan: &MatchPlan<'_>, folder: &Path, stop_after: Option<u64>) -> (MatchEnd, Standing) {
    let mut journal = Journal::open(&folder.join("journal")).unwrap();
    let tails = journal.tails().unwrap();
    let mut outputs = [Output::open(&folder.join("games.lines"), &MoveLines, tails.first()).unwrap()];
    let mut running = Match::new(plan, &journal).unwrap();
    let interrupt = Interrupt::new();
    let mut left = stop_after;
    let end = running.run(&mut journal, &mut outputs, &interrupt, &mut |running, news| {
        if let MatchNews::Game(_) = news {
            running.left();
            left = left.map(|n| n.saturating_sub(1));
            if left == Some(0) {
                interrupt.raise();
            }
        }
    });
    (end.unwrap(), running.standing().clone())
}

fn sorted_lines(folder: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(folder.join("games.lines")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    lines.sort();
    lines
}

/// Reads the games back and plays them through; how many there are.
fn replayed(folder: &Path) -> u64 {
    let file = std::fs::File::open(folder.join("games.lines")).unwrap();
    let mut reader = MoveLines.reader(Box::new(std::io::BufReader::new(file)));
    let mut games = 0;
    while let Some(record) = reader.read().unwrap() {
        let mut table = FOUR.table("", None).unwrap();
        record.main_line().iter().for_each(|mv| table.play(mv).unwrap());
        // What the rules end has the winner that was written down; a crash may end a game before.
        assert!(table.outcome().is_none_or(|o| Some(o.winner) == record.outcome.map(|w| w.winner)));
        games += 1;
    }
    games
}

/// The results of all pairings, without the times that their games took.
fn results(standing: &Standing) -> Vec<Pairing> {
    standing.pairings().iter().map(|pairing| Pairing { used: Default::default(), ..*pairing }).collect()
}

/// A match with faults in the mix, undisturbed and in pieces: the same games, none lost, none twice.
#[test]
fn a_match_in_pieces_is_the_same_match() {
    let games = if tesuji_testkit::needs::is_slow() { 2000 } else { 60 };
    let habits = "--seed 2 --do crash --odds 60";
    let whole = tempfile::tempdir().unwrap();
    let (end, expect) = go_on(&plan(games, habits, 2), whole.path(), None);
    assert_eq!((end, expect.games()), (MatchEnd::Complete, games));
    let crashes = expect.players()[1].faults.get(&FaultKind::Crash).copied().unwrap_or(0);
    assert!(crashes > 0 && expect.players()[0].faults.is_empty());
    assert_eq!(replayed(whole.path()), games);
    let pieces = tempfile::tempdir().unwrap();
    let mut stops = 0;
    loop {
        let (end, standing) = go_on(&plan(games, habits, 3), pieces.path(), Some(1 + stops % 7));
        if end == MatchEnd::Complete {
            let same = |s: &Standing| (results(s), s.players()[1].faults.clone(), s.reasons().clone());
            assert_eq!(same(&standing), same(&expect));
            break;
        }
        // A kill may leave half of the last game, or nothing of it.
        let file = std::fs::OpenOptions::new().write(true).open(pieces.path().join("games.lines")).unwrap();
        let (length, tails) = (file.metadata().unwrap().len(), journal_tails(pieces.path()));
        file.set_len(length - stops % 5 * (length - tails[0].start) / 4).unwrap();
        stops += 1;
    }
    assert!(stops > 5);
    assert_eq!(sorted_lines(pieces.path()), sorted_lines(whole.path()));
}

fn journal_tails(folder: &Path) -> Vec<Tail> {
    Journal::open(&folder.join("journal")).unwrap().tails().unwrap()
}

/// Six players of a knockout, the last with a fault: anyone who breaks goes home, and a match in pieces ends the same.
#[test]
fn a_knockout_in_pieces_has_the_same_winner() {
    let knockout = |jobs| {
        let mut plan = plan(2, "--seed 2 --do crash --odds 4", jobs);
        let allowance = plan.entrants[0].allowance.clone();
        for (name, seed) in
            [("third", "--seed 3"), ("fourth", "--seed 4"), ("fifth", "--seed 5"), ("sixth", "--seed 6")]
        {
            plan.entrants.push(entrant(name, seed, allowance.clone()));
        }
        plan.schedule = Schedule::new(6, Format::Knockout(5), 2, plan.openings.len(), Sides::Swap);
        plan
    };
    let whole = tempfile::tempdir().unwrap();
    let (end, expect) = go_on(&knockout(2), whole.path(), None);
    assert_eq!((end, expect.pairings().len()), (MatchEnd::Complete, 5));
    // Everybody was beaten but one.
    let beaten = |s: &Standing, player: usize| {
        let last = s.pairings().iter().rev().find(|p| p.players.contains(&player)).unwrap();
        let points = last.games.points();
        if last.players[0] == player {
            points < last.games.games() as f64 / 2.0
        } else {
            points > last.games.games() as f64 / 2.0
        }
    };
    assert!(beaten(&expect, 1), "{:?}", expect.pairings());
    let pieces = tempfile::tempdir().unwrap();
    let mut stops = 0;
    let standing = loop {
        let (end, standing) = go_on(&knockout(3), pieces.path(), Some(1));
        if end == MatchEnd::Complete {
            break standing;
        }
        stops += 1;
    };
    assert!(stops >= 3, "{stops}");
    assert_eq!(results(&standing), results(&expect));
    assert_eq!(sorted_lines(pieces.path()), sorted_lines(whole.path()));
}

/// Five players of a Swiss tournament, one with faults: in pieces it has the same pairings, results and table.
#[test]
fn a_swiss_tournament_in_pieces_is_the_same_tournament() {
    let swiss = |jobs| {
        let mut plan = plan(2, "--seed 2 --do crash --odds 8", jobs);
        let allowance = plan.entrants[0].allowance.clone();
        for (name, seed) in [("third", "--seed 3"), ("fourth", "--seed 4"), ("fifth", "--seed 5")] {
            plan.entrants.push(entrant(name, seed, allowance.clone()));
        }
        plan.schedule = Schedule::new(5, Format::Swiss(4), 2, plan.openings.len(), Sides::Swap);
        plan
    };
    let (whole, pieces) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (end, expect) = go_on(&swiss(2), whole.path(), None);
    assert_eq!((end, expect.pairings().len(), expect.games()), (MatchEnd::Complete, 8, 16));
    let mut stops = 0;
    let standing = loop {
        let (end, standing) = go_on(&swiss(3), pieces.path(), Some(1));
        if end == MatchEnd::Complete {
            break standing;
        }
        stops += 1;
    };
    assert!(stops >= 3, "{stops}");
    assert_eq!(results(&standing), results(&expect));
    assert_eq!(sorted_lines(pieces.path()), sorted_lines(whole.path()));
    let table = |folder: &Path| {
        let plan = swiss(1);
        let running = Match::new(&plan, &Journal::open(&folder.join("journal")).unwrap()).unwrap();
        running.schedule().swiss_table().unwrap()
    };
    assert_eq!(table(pieces.path()), table(whole.path()));
    assert_eq!(table(whole.path()).iter().map(|row| row.points).sum::<f64>(), 24.0, "16 games and 4 byes of 2 points");
}

#[test]
fn all_faults_in_one_match_are_accounted_for() {
    for fault in ["hang", "illegal", "exit", "nothing"] {
        let folder = tempfile::tempdir().unwrap();
        let (end, standing) = go_on(&plan(20, &format!("--seed 4 --do {fault} --odds 20"), 4), folder.path(), None);
        assert_eq!((end, standing.games(), sorted_lines(folder.path()).len()), (MatchEnd::Complete, 20, 20));
        assert!(standing.faults() > 0, "{fault}");
        assert_eq!(standing.reasons().values().sum::<u64>(), 20);
        let remembered = Journal::open(&folder.path().join("journal")).unwrap().games().unwrap();
        let faults: Vec<_> = remembered.into_iter().filter_map(|game| game.fault).collect();
        assert!(faults.iter().all(|(_, f)| !f.detail.is_empty() && f.last_lines.iter().any(|l| l.contains("info"))));
    }
}

#[test]
fn a_test_stops_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(2000, "--do illegal --at 4", 2);
    plan.sprt = Some(Sprt::new(0.0, 50.0));
    let (end, standing) = go_on(&plan, folder.path(), None);
    assert_eq!(end, MatchEnd::Decided(Decision::AcceptH1));
    assert!(standing.games() < 500, "{}", standing.games());
    // It stays decided.
    assert_eq!(go_on(&plan, folder.path(), None).0, end);
}

#[test]
fn an_entrant_that_never_works_is_an_error_and_not_a_loss() {
    let plan = plan(4, "--nonsense", 1);
    let mut journal = Journal::in_memory().unwrap();
    let mut running = Match::new(&plan, &journal).unwrap();
    let error = running.run(&mut journal, &mut [], &Interrupt::new(), &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("other does not work"), "{error}");
    assert!(journal.games().unwrap().is_empty());
}

/// A policy server died, and the engine that it served lost game after game.
#[test]
fn a_lost_evaluator_voids_the_game_and_stops_the_match() {
    for dialect in [Dialect::Uci, Dialect::Usi, Dialect::Gtp] {
        let mut plan = plan(20, "", 1);
        let spec = spec_in(dialect, "--seed 4 --do blind --odds 30");
        plan.entrants[1].make = Box::new(move |stop| Ok(Box::new(Engine::open(&spec, stop)?) as Box<dyn Contestant>));
        let mut journal = Journal::in_memory().unwrap();
        let mut running = Match::new(&plan, &journal).unwrap();
        let error =
            running.run(&mut journal, &mut [], &Interrupt::new(), &mut |_, _| {}).expect_err(&dialect.to_string());
        assert!(error.to_string().starts_with("other lost its evaluator: nobody answers"), "{error}");
        let games = journal.games().unwrap();
        assert!(!games.is_empty() && games.len() < 20, "{}", games.len());
        assert!(games.iter().all(|game| game.fault.is_none()));
    }
}

#[test]
fn a_journal_belongs_to_one_match_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = Journal::open(&path).unwrap();
    journal.set(&[("arguments", "--games 5")]).unwrap();
    assert!(Journal::open(&path).is_err());
    drop(journal);
    assert_eq!(Journal::open(&path).unwrap().setting("arguments").unwrap().as_deref(), Some("--games 5"));
    let other = folder.path().join("other");
    std::fs::write(&other, "no database at all, but long enough to be looked at as one".repeat(100)).unwrap();
    assert!(Journal::open(&other).is_err());
}

#[test]
fn an_output_that_lost_games_is_an_error() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("games.lines");
    std::fs::write(&path, "short")?;
    assert!(Output::open(&path, &MoveLines, Some(&tail(100, ""))).is_err());
    std::fs::remove_file(&path)?;
    let error = Output::open(&path, &MoveLines, Some(&tail(100, ""))).err().unwrap().to_string();
    assert!(error.contains("the file is gone"), "{error}");
    assert!(!path.exists(), "no empty file takes its place");
    Ok(())
}

fn tail(start: u64, bytes: &str) -> Tail {
    Tail { start, bytes: bytes.as_bytes().to_vec() }
}

/// A match goes on with a file: what a kill tore is completed, and nothing that anybody wrote is cut.
#[test]
fn a_line_appended_by_hand_is_kept() -> io::Result<()> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("games.lines");
    let last = tail(4, "two\n");
    for (before, after) in [
        ("one\n", "one\ntwo\n"),
        ("one\nt", "one\ntwo\n"),
        ("one\ntwo\n", "one\ntwo\n"),
        ("one\ntwo\nby hand\n", "one\ntwo\nby hand\n"),
        ("one\ntwo\nby hand", "one\ntwo\nby hand\n"),
    ] {
        std::fs::write(&path, before)?;
        drop(Output::open(&path, &MoveLines, Some(&last))?);
        assert_eq!(std::fs::read_to_string(&path)?, after);
    }
    for changed in ["one\nby hand\n", "one\ntby hand\n"] {
        std::fs::write(&path, changed)?;
        let error = Output::open(&path, &MoveLines, Some(&last)).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
        assert_eq!(std::fs::read_to_string(&path)?, changed);
    }
    // A new match writes behind what is there, on a line of its own.
    std::fs::write(&path, "mine")?;
    let first = Output::open(&path, &MoveLines, None)?;
    assert_eq!(std::fs::read_to_string(&path)?, "mine\n");
    let error = Output::open(&path, &MoveLines, None).err().unwrap();
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock, "{error}");
    drop(first);
    Ok(())
}

/// The folder of a match is deleted while it runs: an error, and no end with success and nothing on the disk.
#[cfg(unix)]
#[test]
fn a_deleted_folder_ends_the_match_with_an_error() {
    for lost in ["games.lines", "journal", ""] {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("match");
        std::fs::create_dir(&inside).unwrap();
        let plan = plan(10, "--seed 2", 1);
        let mut journal = Journal::open(&inside.join("journal")).unwrap();
        let mut outputs = [Output::open(&inside.join("games.lines"), &MoveLines, None).unwrap()];
        let mut running = Match::new(&plan, &journal).unwrap();
        let error = running.run(&mut journal, &mut outputs, &Interrupt::new(), &mut |running, _| {
            if running.standing().games() == 2 {
                let _ = if lost.is_empty() {
                    std::fs::remove_dir_all(&inside)
                } else {
                    std::fs::remove_file(inside.join(lost))
                };
            }
        });
        let error = error.expect_err(lost).to_string();
        assert!(error.contains("was deleted, moved or replaced"), "{lost}: {error}");
    }
}

/// A full disk ends a match; the journal has the game that did not fit.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_match_with_an_error() {
    let plan = plan(10, "--seed 2", 1);
    let mut journal = Journal::in_memory().unwrap();
    let mut outputs = [Output::open(Path::new("/dev/full"), &MoveLines, None).unwrap()];
    let mut running = Match::new(&plan, &journal).unwrap();
    let error = running.run(&mut journal, &mut outputs, &Interrupt::new(), &mut |_, _| {}).unwrap_err();
    assert!(matches!(error, tesuji_arena::MatchError::Output(_)), "{error}");
    assert!(error.to_string().contains("/dev/full"), "{error}");
    assert_eq!(journal.games().unwrap().len(), 1);
}

#[test]
fn openings_are_made_alike_and_balanced() {
    let making = Making { rules: String::new(), plies: 4, takes: None, count: 20, seed: 9, balance_cp: 10 };
    let make = |count| {
        let making = Making { count, ..making.clone() };
        make_openings(&FOUR, &making, &mut |o| {
            Some(tesuji_game::Value::cp(if o.moves[0] == o.moves[1] { 500 } else { 0 }))
        })
    };
    let openings = make(20);
    assert_eq!(openings.len(), 20);
    assert_eq!(openings[..5], make(5));
    assert!(openings.iter().all(|o| o.moves.len() == 4 && o.moves[0] != o.moves[1]));
}
