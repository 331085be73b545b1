//! The game at the console: its board, the engine that plays with GreKo's weights, and what is shown of them.

use super::Args;
use crate::{games, version};
use anyhow::{Context, bail};
use std::{
    io::BufRead,
    path::Path,
    time::{Duration, Instant},
};
use tesuji_arena::fresh_seed;
use tesuji_chess::{Board, Chess, Move, Rules, UciNotation, fen, pgn::Pgn, san};
use tesuji_chess_eval::{GREKO, GREKO_TERMS, GrekoEval};
use tesuji_engine::{Player, SearchPlayer};
use tesuji_game::{By, Choice, Limits, Notation, Outcome, Random, Report, Side, Signal, Value, Watch};
use tesuji_jobs::{Existing, Interrupt, open_input, open_output};
use tesuji_kit::{Kit, Pasted};
use tesuji_record::{GameRecord, RecordFormat, RulesTable};
use tesuji_search::alpha_beta::AlphaBeta;
use tesuji_tally::Weights;

/// Plies after which a game of `selfplay` is drawn.
const PLIES_MAX: usize = 600;
/// Where games of `selfplay` are appended, in the folder.
const SELFPLAY_FILE: &str = "games.pgn";
/// Random plies at the start of a game of `selfplay`.
const PLIES_RANDOM: usize = 6;

/// The console's game.
pub(super) struct Room {
    pub(super) args: Args,
    weights: [i16; GREKO_TERMS],
    table: Box<dyn RulesTable>,
    start: Option<String>,
    seat: SearchPlayer<Chess, AlphaBeta<Board, GrekoEval>>,
    limits: Limits,
    /// Of `selfplay`.
    seed: u64,
    /// Whether both sides are played by hand.
    force: bool,
}

/// Tells a search when to stop, and shows its depths where they are wanted.
struct Thinking<'a> {
    began: Instant,
    stop: Interrupt,
    show: Option<&'a Board>,
}

impl Watch<String> for Thinking<'_> {
    fn signal(&mut self) -> Signal {
        if self.stop.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if let (Some(board), Some(line)) = (self.show, report.lines.first()) {
            let (depth, nodes) = (report.depth, report.nodes);
            println!("{depth:>3} {:>8} {nodes:>10}  {}", value_text(line.value), line_text(board, &line.pv));
        }
    }
}

/// A value as people write it, for the side to move: `+0.32`, `#5`, `-#2`.
fn value_text(value: Value) -> String {
    match value.mate_plies() {
        Some(plies) if plies > 0 => format!("#{}", (plies + 1) / 2),
        Some(plies) => format!("-#{}", -plies / 2),
        None => format!("{:+.2}", f64::from(value.raw()) / 100.0),
    }
}

/// Moves in the protocol's notation as people write them.
fn line_text(board: &Board, moves: &[String]) -> String {
    let mut board = *board;
    let mut words = Vec::new();
    for text in moves {
        let Ok(mv) = UciNotation::parse_move(&board, text) else { break };
        words.push(san::text(&board, mv));
        tesuji_game::Position::play(&mut board, mv);
    }
    words.join(" ")
}

impl Room {
    pub(super) fn new(args: Args, weights: &Weights) -> anyhow::Result<Room> {
        let weights = std::array::from_fn(|i| weights.values[i][0]);
        let seat = SearchPlayer::new(AlphaBeta::new(GrekoEval::new(weights)));
        let limits = Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() };
        let kit: &dyn Kit = games::kit("chess")?;
        let seed = args.seed.unwrap_or_else(fresh_seed);
        Ok(Room { args, seed, weights, table: kit.table("", None)?, start: None, seat, limits, force: false })
    }

    fn board(&self) -> anyhow::Result<Board> {
        Ok(fen::parse(&self.table.position(), &Rules::default(), fen::Care::Lenient)?)
    }

    /// Who moves, for the prompt.
    pub(super) fn mover(&self) -> &'static str {
        if self.table.side_to_move() == Side::First { "White" } else { "Black" }
    }

    fn read_move(&self, word: &str) -> anyhow::Result<(Board, Move)> {
        let board = self.board()?;
        let mv = UciNotation::parse_move(&board, word).or_else(|_| san::parse(&board, word))?;
        Ok((board, mv))
    }

    /// Whether `word` is a move that may be played here.
    pub(super) fn is_move(&self, word: &str) -> bool {
        self.read_move(word).is_ok()
    }

    /// Plays the move of a person; the engine answers unless `force` was said.
    pub(super) fn play(&mut self, word: &str) -> anyhow::Result<()> {
        if let Some(outcome) = self.table.outcome() {
            bail!("the game is over: {}", end_text(&outcome));
        }
        let (board, mv) = self.read_move(word)?;
        self.put(&board, mv)?;
        if self.force || self.tell_end() { Ok(()) } else { self.answer() }
    }

    fn put(&mut self, board: &Board, mv: Move) -> anyhow::Result<()> {
        let mut text = String::new();
        UciNotation::write_move(board, mv, &mut text)?;
        self.table.play(&text)?;
        Ok(())
    }

    /// Whether the game is over; if so, it is told.
    fn tell_end(&self) -> bool {
        let outcome = self.table.outcome();
        if let Some(outcome) = &outcome {
            println!("{}", end_text(outcome));
        }
        outcome.is_some()
    }

    fn think(&mut self, show: bool) -> anyhow::Result<Report<String>> {
        self.seat.set_position("", self.start.as_deref(), &self.table.played())?;
        let board = self.board()?;
        let stop = Interrupt::of_process();
        let mut watch = Thinking { began: Instant::now(), stop, show: show.then_some(&board) };
        Ok(self.seat.go(&self.limits, &[], &mut watch))
    }

    /// The engine plays a move.
    fn answer(&mut self) -> anyhow::Result<()> {
        let report = self.think(false)?;
        let Some(Choice::Play(text)) = &report.choice else { bail!("there is no move to play") };
        let board = self.board()?;
        let mv = UciNotation::parse_move(&board, text)?;
        let dots = if self.table.side_to_move() == Side::First { "." } else { "..." };
        let value = report.lines.first().map_or(String::new(), |l| format!("  {}", value_text(l.value)));
        println!("{}{dots} {}{value}  depth {}", board.fullmove(), san::text(&board, mv), report.depth);
        self.put(&board, mv)?;
        self.tell_end();
        Ok(())
    }

    /// Carries out a command that concerns the game.
    pub(super) fn obey(&mut self, command: &str, rest: &str) -> anyhow::Result<()> {
        match command {
            "analyze" => self.think(true).map(|_| ()),
            "board" => self.show_board(),
            "eval" => self.show_eval(),
            "fen" => {
                println!("{}", self.table.position());
                Ok(())
            }
            "force" => {
                self.force = true;
                Ok(())
            }
            "go" => {
                self.force = false;
                if self.tell_end() { Ok(()) } else { self.answer() }
            }
            "level" => super::level(rest, &mut self.limits),
            "moves" => self.show_moves(),
            "new" => self.restart(None),
            "savepgn" => self.save_pgn(if rest.is_empty() { "game.pgn" } else { rest }),
            "selfplay" => self.selfplay(rest),
            "setboard" => self.restart(Some(rest)),
            "undo" => match self.table.undo() {
                true => Ok(()),
                false => bail!("there is no move to take back"),
            },
            other => bail!("{other} is not known here"),
        }
    }

    fn restart(&mut self, start: Option<&str>) -> anyhow::Result<()> {
        let kit: &dyn Kit = games::kit("chess")?;
        let given: Pasted = start.map(|text| text.parse().unwrap_or_default()).unwrap_or_default();
        self.table = given.table(kit)?;
        self.start = given.start;
        self.seat.new_game();
        Ok(())
    }

    fn show_board(&self) -> anyhow::Result<()> {
        let placement = self.table.position();
        let ranks = placement.split(' ').next().unwrap_or("").split('/');
        for (rank, cells) in (1..=8).rev().zip(ranks) {
            let mut line = rank.to_string();
            for cell in cells.chars() {
                match cell.to_digit(10) {
                    Some(empty) => line += &" .".repeat(empty as usize),
                    None => line.extend([' ', cell]),
                }
            }
            println!("{line}");
        }
        println!("  a b c d e f g h   {} to move", self.mover());
        Ok(())
    }

    fn show_eval(&self) -> anyhow::Result<()> {
        let board = self.board()?;
        println!("{:24}{:>8}{:>8}{:>8}", "term", "count", "weight", "worth");
        for ((term, count), weight) in GREKO.iter().zip(GrekoEval::counts(&board)).zip(self.weights) {
            if count != 0 {
                let count = f64::from(count) / 256.0;
                println!("{:24}{count:>8.2}{weight:>8}{:>8.1}", term.name, count * f64::from(weight));
            }
        }
        println!("{:24}{:>24}", "for White", GrekoEval::new(self.weights).white_value(&board));
        Ok(())
    }

    fn show_moves(&self) -> anyhow::Result<()> {
        let (board, kit) = (self.board()?, games::kit("chess")?);
        let start = kit.table("", self.start.as_deref())?.position();
        let start = fen::parse(&start, &Rules::default(), fen::Care::Lenient)?;
        println!("played: {}", line_text(&start, &self.table.played()));
        let moves: Vec<String> =
            self.table.moves().iter().map(|m| line_text(&board, std::slice::from_ref(m))).collect();
        println!("may be played: {}", moves.join(" "));
        Ok(())
    }

    fn record(&self, tags: [(&str, &str); 2]) -> GameRecord<String> {
        let mut record = GameRecord::from_moves("", self.start.as_deref(), self.table.played());
        tags.iter().for_each(|(name, value)| record.set_tag(name, *value));
        record.outcome = self.table.outcome();
        record
    }

    /// Appends a game to a PGN file in the folder.
    fn append(&self, name: &str, record: &GameRecord<String>) -> anyhow::Result<()> {
        let path = self.args.folder.join(name);
        let mut file = open_output(&path, Existing::Append)?;
        file.end_last_line()?;
        let mut writer = Pgn.writer(Box::new(file));
        writer.write(record)?;
        writer.flush()?;
        Ok(())
    }

    fn save_pgn(&self, name: &str) -> anyhow::Result<()> {
        self.append(name, &self.record([("White", "?"), ("Black", "?")]))?;
        println!("{} plies appended to '{name}'", self.table.plies());
        Ok(())
    }

    /// Games of the engine against itself: some random moves, then searches.
    fn selfplay(&mut self, rest: &str) -> anyhow::Result<()> {
        let Some(games) = rest.parse::<u64>().ok().filter(|n| *n > 0) else { bail!("expected: selfplay N") };
        let stop = Interrupt::of_process();
        let made_by = format!("tesuji {} play selfplay, seed {}", version::short(), self.seed);
        let played = games_played(&self.args.folder.join(SELFPLAY_FILE), self.seed)?;
        println!("Games {} to {} of seed {}, appended to '{SELFPLAY_FILE}'", played + 1, played + games, self.seed);
        for game in 0..games {
            self.restart(None)?;
            let mut random = Random::for_item(self.seed, played + game);
            let mut outcome = None;
            while outcome.is_none() && self.table.plies() < PLIES_MAX {
                let text = if self.table.plies() < PLIES_RANDOM {
                    let moves = self.table.moves();
                    moves[random.below(moves.len())].clone()
                } else {
                    let Some(Choice::Play(text)) = self.think(false)?.choice else { break };
                    text
                };
                if stop.is_raised() {
                    bail!("stopped after {game} games");
                }
                self.table.play(&text)?;
                outcome = self.table.outcome();
            }
            let mut record = self.record([("White", "Tesuji with GreKo's weights"), ("Black", "the same")]);
            record.outcome = Some(outcome.unwrap_or_else(|| Outcome::draw(By::Adjudication)));
            record.set_tag("Origin", format!("{made_by}, game {}", played + game + 1));
            self.append(SELFPLAY_FILE, &record)?;
            let result = record.outcome.as_ref().map_or("*", result_word);
            println!("Game {} of {games}: {result}, {} plies", game + 1, self.table.plies());
        }
        self.restart(None)
    }
}

/// The number of the last game of `selfplay` with this seed in the file `path`; 0 where there is none.
fn games_played(path: &Path, seed: u64) -> anyhow::Result<u64> {
    if !path.exists() {
        return Ok(0);
    }
    let middle = format!(" play selfplay, seed {seed}, game ");
    let mut last = 0;
    for line in open_input(path)?.split(b'\n') {
        let line = line.with_context(|| path.display().to_string())?;
        let line = String::from_utf8_lossy(&line);
        let origin = line.trim().strip_prefix("[Origin \"tesuji ").and_then(|rest| rest.strip_suffix("\"]"));
        let number = origin.and_then(|origin| origin.split_once(&middle)?.1.parse().ok());
        last = last.max(number.unwrap_or(0));
    }
    Ok(last)
}

/// How a game ended, in words.
fn end_text(outcome: &Outcome) -> String {
    let why = match outcome.by {
        By::Mate => "checkmate",
        By::NoMoves => "stalemate",
        By::Repetition => "the position came three times",
        By::MoveRule => "fifty moves without progress",
        By::Material => "nobody can win any more",
        _ => "the rules say so",
    };
    format!("{} ({why})", result_word(outcome))
}

/// A result as PGN writes it.
fn result_word(outcome: &Outcome) -> &'static str {
    match (2.0 * outcome.score(Side::First)) as u32 {
        2 => "1-0",
        1 => "1/2-1/2",
        _ => "0-1",
    }
}
