//! A console to play go by hand against our engine.

use super::Args;
use crate::games;
use anyhow::{Context, bail};
use std::{
    io::{BufRead, IsTerminal, Write, stdin},
    path::Path,
    process::ExitCode,
};
use tesuji_engine::Player;
use tesuji_game::Side;
use tesuji_jobs::terminal::Stdout;
use tesuji_kit::{
    Kit,
    think::{chance, chance_of, sign, think},
};
use tesuji_record::GameRecord;

/// Playouts for a move, where nothing else is said.
const PLAYOUTS: u64 = 2000;

/// What there is to do.
const HELP: &str = "\
D4, pass      play, and let the engine answer
go            let the engine play the side to move
hint          the engine's five best moves
board         show the board
score         the score if the game ended now, and dead stones
undo [N]      take N moves back (2)
level N       playouts for a move
force         play both sides by hand; `go` ends it
new [RULES]   start a new game, for example: new 13x13 japanese komi 6.5
save FILE     write the game as SGF; save FILE --force replaces a file
quit          leave";

/// A game being played.
struct Room {
    kit: &'static dyn Kit,
    player: Box<dyn Player>,
    rules: String,
    moves: Vec<String>,
    nodes: u64,
    is_forced: bool,
}

/// Reads commands until `quit` or the end of the input.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit("go")?;
    let (rules, nodes) = (args.rules.clone(), args.nodes.unwrap_or(PLAYOUTS));
    let mut player = kit.player(args.oracle.family(""))?;
    args.oracle.load(|name, value| player.options().set(name, value))?;
    let mut room = Room { kit, player, rules, moves: Vec::new(), nodes, is_forced: false };
    room.sit()?;
    println!(
        "Go under {}. `help` lists the commands.",
        if room.rules.is_empty() { "Chinese rules" } else { &room.rules }
    );
    let first = args.commands.clone().unwrap_or_default();
    for line in first.split(';').map(str::trim).filter(|line| !line.is_empty()) {
        println!("> {line}");
        if !room.obey_and_tell(line)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let prompts = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if prompts {
            print!("{}> ", room.mover_name());
            Stdout.flush()?;
        }
        let Some(line) = lines.next() else { return Ok(ExitCode::SUCCESS) };
        let line = line.context("cannot read the commands")?;
        if !line.trim().is_empty() && !room.obey_and_tell(line.trim())? {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

impl Room {
    /// Carries out a line; `false` at `quit`. What is wrong with it is told and ends nothing.
    fn obey_and_tell(&mut self, line: &str) -> anyhow::Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if word == "quit" {
            return Ok(false);
        }
        if let Err(error) = self.obey(word, rest.trim()) {
            println!("Error: {error:#}");
        }
        Stdout.flush()?;
        Ok(true)
    }

    fn obey(&mut self, word: &str, rest: &str) -> anyhow::Result<()> {
        match word.to_ascii_lowercase().as_str() {
            "help" => println!("{HELP}"),
            "board" => println!("{}", self.player.show()),
            "force" => self.is_forced = true,
            "go" => {
                self.is_forced = false;
                self.answer()?;
            }
            "hint" => self.hint(),
            "score" => self.score(),
            "undo" => {
                let n: usize =
                    if rest.is_empty() { 2 } else { rest.parse().context("undo takes a number of moves")? };
                self.moves.truncate(self.moves.len().saturating_sub(n));
                self.sit()?;
                println!("{}", self.player.show());
            }
            "level" => self.nodes = rest.parse().ok().filter(|n| *n > 0).context("level takes a number of playouts")?,
            "new" => {
                let rules = if rest.is_empty() { self.rules.clone() } else { rest.to_string() };
                self.player.set_position(&rules, None, &[])?;
                (self.rules, self.moves) = (rules, Vec::new());
                self.player.new_game();
                println!("{}", self.player.show());
            }
            "save" => self.save(rest)?,
            _ if self.player.is_move(word) => {
                self.moves.push(word.to_string());
                self.sit()?;
                if !self.is_over() && !self.is_forced {
                    self.answer()?;
                } else {
                    println!("{}", self.player.show());
                }
            }
            _ => bail!("{word:?} is neither a command nor a move here; `help` lists commands"),
        }
        if self.is_over() {
            self.score();
        }
        Ok(())
    }

    /// Lets the engine play.
    fn answer(&mut self) -> anyhow::Result<()> {
        let mover = self.mover();
        let report = think(self.player.as_mut(), self.nodes);
        let mv = report.lines.first().map_or_else(|| "pass".to_string(), |line| line.pv[0].clone());
        self.moves.push(mv.clone());
        self.sit()?;
        println!("{}", self.player.show());
        let name = ["Black", "White"][mover.index()];
        println!("{name} plays {mv}; Black's chance {:.0} %", chance(&report, mover) * 100.0);
        Ok(())
    }

    fn hint(&mut self) {
        let mover = self.mover();
        let report = think(self.player.as_mut(), self.nodes);
        for line in report.lines.iter().take(5).filter(|line| line.visits > 0) {
            let lead = line.margin.map_or("-".to_string(), |m| format!("{:+.1}", sign(mover) * f64::from(m)));
            println!(
                "{:>5} {:>7} visits, Black's chance {:>5.1} %, lead {lead}",
                line.pv[0],
                line.visits,
                chance_of(line, mover) * 100.0
            );
        }
    }

    fn score(&self) {
        let dead: Vec<String> = self.player.final_status("dead").unwrap_or_default().concat();
        let dead = if dead.is_empty() { "nothing is dead".to_string() } else { format!("dead: {}", dead.join(" ")) };
        println!("{} ({dead})", self.player.final_score().unwrap_or_default());
    }

    fn save(&self, file: &str) -> anyhow::Result<()> {
        let (file, existing) = super::save_words(file);
        if file.is_empty() {
            bail!("save needs the name of a file");
        }
        let game = GameRecord::from_moves(&self.rules, None, self.moves.iter().cloned());
        let format = self.kit.format("sgf").context("there is no format sgf")?;
        super::save_game(&game, format, Path::new(file), existing)?;
        println!("{file}: {} moves", self.moves.len());
        Ok(())
    }

    /// Whether both have just passed.
    fn is_over(&self) -> bool {
        self.moves.len() >= 2 && self.moves.iter().rev().take(2).all(|mv| mv.eq_ignore_ascii_case("pass"))
    }

    fn sit(&mut self) -> anyhow::Result<()> {
        Ok(self.player.set_position(&self.rules, None, &self.moves)?)
    }

    fn mover(&self) -> Side {
        self.player.side_to_move().unwrap_or(Side::First)
    }

    fn mover_name(&self) -> &'static str {
        ["Black", "White"][self.mover().index()]
    }
}
