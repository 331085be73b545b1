//! The console of chess, in GreKo's manner: an engine with GreKo's 27 named weights, what is shown of them, and learning them.

use super::{CHESS, GrekoLearning, learn_as_greko};
use anyhow::{Context, bail};
use std::{
    fs::File,
    io::{BufRead, Read},
    path::Path,
};
use tesuji_arena::fresh_seed;
use tesuji_chess::{Board, Chess, Move, Rules, UciNotation, fen, pgn::Pgn, san};
use tesuji_chess_eval::{GREKO, GREKO_TERMS, GrekoEval};
use tesuji_engine::{Player, SearchPlayer};
use tesuji_game::{By, Choice, Limits, Notation, Outcome, Random, Report, Side, Value};
use tesuji_jobs::{Existing, Interrupt, is_special, open_input, open_output};
use tesuji_kit::{
    Kit, Pasted, SkipErrors,
    console::{Command, Console, ConsoleRequest, Consoles, Shown, Spoken, Tell, help, level, usual_limits},
    tuning::Pupil,
};
use tesuji_protocol::{EngineEnd, uci::UciEngine, xboard::XboardEngine};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, RulesTable};
use tesuji_search::alpha_beta::AlphaBeta;

/// The commands, in the order of the alphabet.
const COMMANDS: [Command; 16] = [
    ("analyze", "", "think about the position and show each depth; play nothing"),
    ("board", "", "show the board"),
    ("eval", "", "show what each of the 27 terms counts and is worth, White minus Black"),
    ("fen", "", "show the position as FEN"),
    ("force", "", "let both sides be played by hand; `go` ends it"),
    ("go", "", "play the side to move, and from then on its side"),
    ("help", "", "show this"),
    ("learn", "FILE [FROM TO]", "learn the weights FROM to TO (6 27) from games"),
    ("level", "[depth N|nodes N|time SECONDS]", "show or set how long a move takes"),
    ("moves", "", "show the moves so far, and those that may be played"),
    ("new", "", "start a new game"),
    ("quit", "", "leave"),
    ("savepgn", "[FILE]", "append the game to a PGN file (game.pgn)"),
    ("selfplay", "N", "play N new games against itself, appended to games.pgn"),
    ("setboard", "FEN", "start from a position"),
    ("undo", "", "take the last move back"),
];

/// The command that `word` means: its name, or a beginning that no other shares.
fn command(word: &str) -> Result<&'static str, String> {
    let lower = word.to_ascii_lowercase();
    let mut found = COMMANDS.iter().map(|c| c.0).filter(|name| name.starts_with(&lower));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(format!("{word:?} is neither a command nor a move here; `help` lists commands")),
        (Some(one), Some(other)) => match one == lower {
            true => Ok(one),
            false => Err(format!("{word:?} may mean {one} or {other}")),
        },
    }
}

/// The file of the weights that play, in the folder.
const WEIGHTS: &str = "weights.txt";
/// Plies after which a game of `selfplay` is drawn.
const PLIES_MAX: usize = 600;
/// The file to which games of `selfplay` are appended, in the folder.
const SELFPLAY_FILE: &str = "games.pgn";
/// Random plies at the start of a game of `selfplay`.
const PLIES_RANDOM: usize = 6;

/// The console of chess.
pub(super) struct GrekoConsoles;

impl Consoles for GrekoConsoles {
    /// It plays by an engine of its own, unless `player` was given options.
    fn open(&self, request: &ConsoleRequest, player: Box<dyn Player>) -> anyhow::Result<Box<dyn Console>> {
        let path = request.folder.join(WEIGHTS);
        let name = if path.exists() { path.display().to_string() } else { "builtin".to_string() };
        let weights = Pupil::new(&CHESS, "greko")?.start(&name)?;
        let weights = std::array::from_fn(|i| weights.values[i][0]);
        Ok(Box::new(GrekoConsole {
            weights,
            weights_from: if path.exists() { WEIGHTS } else { "the weights before learning" },
            table: CHESS.table("", None)?,
            start: None,
            player: match request.engine {
                true => player,
                false => Box::new(SearchPlayer::<Chess, _>::new(AlphaBeta::new(GrekoEval::new(weights)))),
            },
            limits: usual_limits(request.nodes),
            seed: request.seed.unwrap_or_else(fresh_seed),
            force: false,
            request: request.clone(),
        }))
    }
}

/// A game of chess at the console.
struct GrekoConsole {
    request: ConsoleRequest,
    weights_from: &'static str,
    weights: [i16; GREKO_TERMS],
    table: Box<dyn RulesTable>,
    start: Option<String>,
    player: Box<dyn Player>,
    limits: Limits,
    /// Of `selfplay`.
    seed: u64,
    /// Whether both sides are played by hand.
    force: bool,
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

impl Console for GrekoConsole {
    fn greeting(&self) -> String {
        let text = match self.request.engine {
            true => "Chess with the engine of `tesuji uci`. `help` lists the commands.".to_string(),
            false => format!("Chess with GreKo's 27 weights: {}. `help` lists the commands.", self.weights_from),
        };
        match self.request.nodes {
            Some(nodes) => format!("{text}\nlevel: {nodes} nodes a move"),
            None => text,
        }
    }

    fn prompt(&self) -> String {
        self.mover().to_string()
    }

    /// The engine of all options, with the weights of this console.
    fn greeted(&mut self, line: &str) -> anyhow::Result<Option<Spoken>> {
        let end: Box<dyn EngineEnd> = match line {
            "uci" => Box::new(UciEngine),
            "xboard" => Box::new(XboardEngine::default()),
            _ => return Ok(None),
        };
        let mut player = CHESS.player("")?;
        if self.request.engine {
            return Ok(Some((std::mem::replace(&mut self.player, player), end)));
        }
        let path = self.request.folder.join(WEIGHTS);
        let file = path.exists().then(|| path.display().to_string());
        let (name, value) = file.as_ref().map_or(("Eval", "greko"), |file| ("EvalFile", file));
        player.options().set(name, value)?;
        Ok(Some((player, end)))
    }

    fn obey(&mut self, line: &str, tell: Tell<'_>) -> bool {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let exact = COMMANDS.iter().any(|c| c.0 == word);
        let done = if !exact && rest.is_empty() && self.is_move(word) {
            self.play(word, tell)
        } else {
            match command(word) {
                Ok("quit") => return false,
                Ok(name) => self.carry_out(name, rest, tell),
                Err(why) => Err(anyhow::anyhow!(why)),
            }
        };
        if let Err(error) = done {
            tell(&format!("Error: {error:#}"));
        }
        true
    }
}

impl GrekoConsole {
    fn board(&self) -> anyhow::Result<Board> {
        Ok(fen::parse(&self.table.position(), &Rules::default(), fen::Care::Lenient)?)
    }

    /// The side that moves.
    fn mover(&self) -> &'static str {
        if self.table.side_to_move() == Side::First { "White" } else { "Black" }
    }

    fn read_move(&self, word: &str) -> anyhow::Result<(Board, Move)> {
        let board = self.board()?;
        let mv = UciNotation::parse_move(&board, word).or_else(|_| san::parse(&board, word))?;
        Ok((board, mv))
    }

    /// Whether `word` is a move that may be played here.
    fn is_move(&self, word: &str) -> bool {
        self.read_move(word).is_ok()
    }

    /// Plays the move of a person; the engine answers unless `force` was said.
    fn play(&mut self, word: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        if let Some(outcome) = self.table.outcome() {
            bail!("the game is over: {}", end_text(&outcome));
        }
        let (board, mv) = self.read_move(word)?;
        self.put(&board, mv)?;
        if self.force || self.tell_end(tell) { Ok(()) } else { self.answer(tell) }
    }

    fn put(&mut self, board: &Board, mv: Move) -> anyhow::Result<()> {
        let mut text = String::new();
        UciNotation::write_move(board, mv, &mut text)?;
        self.table.play(&text)?;
        Ok(())
    }

    /// Whether the game is over; if so, it is told.
    fn tell_end(&self, tell: Tell<'_>) -> bool {
        let outcome = self.table.outcome();
        if let Some(outcome) = &outcome {
            tell(&end_text(outcome));
        }
        outcome.is_some()
    }

    fn think(&mut self, show: &mut dyn FnMut(&Report<String>)) -> anyhow::Result<Report<String>> {
        self.player.set_position("", self.start.as_deref(), &self.table.played())?;
        Ok(self.player.go(&self.limits, &[], &mut Shown::new(show)))
    }

    /// Thinks about the position and shows each depth.
    fn analyse(&mut self, tell: Tell<'_>) -> anyhow::Result<()> {
        let board = self.board()?;
        let mut show = |report: &Report<String>| {
            if let Some(line) = report.lines.first() {
                let (depth, nodes) = (report.depth, report.nodes);
                let (value, moves) = (value_text(line.value), line_text(&board, &line.pv));
                tell(&format!("{depth:>3} {value:>8} {nodes:>10}  {moves}"));
            }
        };
        self.think(&mut show).map(drop)
    }

    /// The engine plays a move.
    fn answer(&mut self, tell: Tell<'_>) -> anyhow::Result<()> {
        let report = self.think(&mut |_| {})?;
        let Some(Choice::Play(text)) = &report.choice else { bail!("there is no move to play") };
        let board = self.board()?;
        let mv = UciNotation::parse_move(&board, text)?;
        let dots = if self.table.side_to_move() == Side::First { "." } else { "..." };
        let value = report.lines.first().map_or(String::new(), |l| format!("  {}", value_text(l.value)));
        tell(&format!("{}{dots} {}{value}  depth {}", board.fullmove(), san::text(&board, mv), report.depth));
        self.put(&board, mv)?;
        self.show_board(tell)?;
        self.tell_end(tell);
        Ok(())
    }

    /// Carries out a command that concerns the game.
    fn carry_out(&mut self, command: &str, rest: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        match command {
            "analyze" => self.analyse(tell),
            "board" => self.show_board(tell),
            "eval" if self.request.engine => {
                self.player.set_position("", self.start.as_deref(), &self.table.played())?;
                tell(&self.player.explain().context("this engine does not explain its values")?);
                Ok(())
            }
            "eval" => self.show_eval(tell),
            "fen" => {
                tell(&self.table.position());
                Ok(())
            }
            "force" => {
                self.force = true;
                Ok(())
            }
            "go" => {
                self.force = false;
                if self.tell_end(tell) { Ok(()) } else { self.answer(tell) }
            }
            "help" => {
                tell(&help(&COMMANDS));
                Ok(())
            }
            "learn" => self.learn(rest, tell),
            "level" => {
                tell(&level(rest, &mut self.limits)?);
                Ok(())
            }
            "moves" => self.show_moves(tell),
            "new" => self.restart(None),
            "savepgn" => self.save_pgn(if rest.is_empty() { "game.pgn" } else { rest }, tell),
            "selfplay" => self.selfplay(rest, tell),
            "setboard" => self.restart(Some(rest)),
            "undo" => match self.table.undo() {
                true => Ok(()),
                false => bail!("there is no move to take back"),
            },
            other => bail!("{other} is not known here"),
        }
    }

    fn restart(&mut self, start: Option<&str>) -> anyhow::Result<()> {
        let given: Pasted = start.map(|text| text.parse().unwrap_or_default()).unwrap_or_default();
        self.table = given.table(&CHESS, "")?;
        self.start = given.start;
        self.player.new_game();
        Ok(())
    }

    fn show_board(&self, tell: Tell<'_>) -> anyhow::Result<()> {
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
            tell(&line);
        }
        tell(&format!("  a b c d e f g h   {} to move", self.mover()));
        Ok(())
    }

    fn show_eval(&self, tell: Tell<'_>) -> anyhow::Result<()> {
        let board = self.board()?;
        tell(&format!("{:24}{:>8}{:>8}{:>8}", "term", "count", "weight", "worth"));
        for ((term, count), weight) in GREKO.iter().zip(GrekoEval::counts(&board)).zip(self.weights) {
            if count != 0 {
                let count = f64::from(count) / 256.0;
                tell(&format!("{:24}{count:>8.2}{weight:>8}{:>8.1}", term.name, count * f64::from(weight)));
            }
        }
        tell(&format!("{:24}{:>24}", "for White", GrekoEval::new(self.weights).white_value(&board).0));
        Ok(())
    }

    fn show_moves(&self, tell: Tell<'_>) -> anyhow::Result<()> {
        let board = self.board()?;
        let start = CHESS.table("", self.start.as_deref())?.position();
        let start = fen::parse(&start, &Rules::default(), fen::Care::Lenient)?;
        tell(&format!("played: {}", line_text(&start, &self.table.played())));
        let moves: Vec<String> =
            self.table.moves().iter().map(|m| line_text(&board, std::slice::from_ref(m))).collect();
        tell(&format!("may be played: {}", moves.join(" ")));
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
        let path = self.request.folder.join(name);
        check_pgn(&path)?;
        let mut file = open_output(&path, Existing::Append)?;
        file.end_last_line()?;
        let mut writer = Pgn.writer(Box::new(file));
        writer.write(record)?;
        writer.flush()?;
        Ok(())
    }

    fn save_pgn(&self, name: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        if self.table.plies() == 0 {
            bail!("no move was played: there is nothing to save");
        }
        self.append(name, &self.record([("White", "?"), ("Black", "?")]))?;
        tell(&format!("{} plies appended to '{name}'", self.table.plies()));
        Ok(())
    }

    /// Learns the weights as `rest`, the words after the command, say.
    fn learn(&self, rest: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        let mut words: Vec<&str> = rest.split_whitespace().collect();
        let skip = SkipErrors { wanted: words.contains(&"--skip-errors") };
        words.retain(|word| *word != "--skip-errors");
        let number = |word: &str| word.parse::<usize>().ok().filter(|n| (1..=GrekoLearning::WEIGHTS).contains(n));
        let (file, weights) = match words[..] {
            [file] => (file, Some(GrekoLearning::USUAL)),
            [file, from, to] => {
                (file, number(from).zip(number(to)).map(|(from, to)| from..=to).filter(|r| !r.is_empty()))
            }
            _ => ("", None),
        };
        let Some(weights) = weights else {
            bail!("expected: learn FILE [FROM TO] [--skip-errors], with weights from 1 to {}", GrekoLearning::WEIGHTS);
        };
        let request = GrekoLearning {
            folder: self.request.folder.clone(),
            games: file.into(),
            weights,
            skip,
            lambda_plies: self.request.lambda_plies,
            k: self.request.k,
            seed: self.request.seed.unwrap_or(0),
            jobs: self.request.jobs,
        };
        learn_as_greko(&request, tell)
    }

    /// Games of the engine against itself: some random moves, then searches.
    fn selfplay(&mut self, rest: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        let Some(games) = rest.parse::<u64>().ok().filter(|n| *n > 0) else { bail!("expected: selfplay N") };
        let stop = Interrupt::of_process();
        let made_by = format!("{} play selfplay, seed {}", self.request.made_by, self.seed);
        let played = games_played(&self.request.folder.join(SELFPLAY_FILE), self.seed)?;
        tell(&format!(
            "Games {} to {} of seed {}, appended to '{SELFPLAY_FILE}'",
            played + 1,
            played + games,
            self.seed
        ));
        for game in 0..games {
            self.restart(None)?;
            let mut random = Random::for_item(self.seed, played + game);
            let mut outcome = None;
            while outcome.is_none() && self.table.plies() < PLIES_MAX {
                let text = if self.table.plies() < PLIES_RANDOM {
                    let moves = self.table.moves();
                    moves[random.below(moves.len())].clone()
                } else {
                    let Some(Choice::Play(text)) = self.think(&mut |_| {})?.choice else { break };
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
            tell(&format!("Game {} of {games}: {result}, {} plies", game + 1, self.table.plies()));
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

/// The outcome of a game, in words.
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

/// The number of bytes of a file that are examined before games are appended to it.
const PGN_HEAD_BYTES: u64 = 4096;

/// Checks that games may be appended to the file `path`: there is none, it is empty, or it begins as PGN does.
///
/// # Errors
/// When it is a device, or something else.
fn check_pgn(path: &Path) -> anyhow::Result<()> {
    let name = path.display();
    if is_special(path) {
        bail!("{name}: this is a device or a pipe, expected a PGN file");
    }
    if !path.exists() {
        return Ok(());
    }
    let mut head = Vec::new();
    File::open(path).with_context(|| name.to_string())?.take(PGN_HEAD_BYTES).read_to_end(&mut head)?;
    let head = String::from_utf8_lossy(&head);
    let text = head.trim_start_matches('\u{feff}').trim_start();
    let line = text.lines().next().unwrap_or_default().trim_end();
    // A tag such as [Event "?"], or moves at once.
    let is_tag = line.strip_prefix('[').is_some_and(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic()))
        && line.contains('"')
        && line.ends_with(']');
    match text.is_empty() || is_tag || line.starts_with("1.") {
        true => Ok(()),
        false => bail!("{name}: this file holds no PGN, nothing is appended to it; give another name"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `savepgn /etc/passwd` appended a game to any file, `savepgn` before the first move one without moves.
    #[test]
    fn games_are_appended_to_pgn_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert!(check_pgn(&path).is_ok(), "a new file");
        for fits in ["", "\n \n", "[Event \"?\"]\n\n1. e4 *\n", "\u{feff}[White \"a\"]\n", "1. e4 e5 *\n"] {
            std::fs::write(&path, fits).unwrap();
            assert!(check_pgn(&path).is_ok(), "{fits:?}");
        }
        for other in ["root:x:0:0\n", "[1, 2]", "[section]\n", "{\"a\": 1}", "%PDF-1.7", "\u{0}\u{0}"] {
            std::fs::write(&path, other).unwrap();
            let words = check_pgn(&path).unwrap_err().to_string();
            assert!(words.contains("this file holds no PGN"), "{other:?}: {words}");
        }
        #[cfg(unix)]
        assert!(check_pgn(Path::new("/dev/null")).unwrap_err().to_string().contains("a device"));
    }

    #[test]
    fn beginnings_mean_commands_where_they_are_alone() {
        assert_eq!(command("q"), Ok("quit"));
        assert_eq!(command("lea"), Ok("learn"));
        assert_eq!(command("undo"), Ok("undo"));
        assert_eq!(command("se"), Err("\"se\" may mean selfplay or setboard".into()));
        assert!(command("xyz").unwrap_err().contains("neither a command nor a move"));
        assert!(COMMANDS.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
