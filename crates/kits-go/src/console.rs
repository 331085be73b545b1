//! A console to play go by hand against our engine.

use crate::GO;
use anyhow::{Context, bail};
use std::path::Path;
use tesuji_engine::Player;
use tesuji_game::Side;
use tesuji_kit::{
    Kit,
    console::{Console, ConsoleRequest, Consoles, Tell, save_game, save_words},
    think::{chance, chance_of, lead_of, think},
};
use tesuji_record::GameRecord;

/// Playouts for a move, where nothing else is said.
const PLAYOUTS: u64 = 2000;

/// The commands.
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

/// The console of go.
pub(super) struct GoConsoles;

impl Consoles for GoConsoles {
    fn open(&self, request: &ConsoleRequest, player: Box<dyn Player>) -> anyhow::Result<Box<dyn Console>> {
        let (rules, nodes) = (request.rules.clone(), request.nodes.unwrap_or(PLAYOUTS));
        let mut console = GoConsole { player, rules, moves: Vec::new(), nodes, is_forced: false };
        console.show_position()?;
        Ok(Box::new(console))
    }
}

/// A game being played.
struct GoConsole {
    player: Box<dyn Player>,
    rules: String,
    moves: Vec<String>,
    nodes: u64,
    /// Whether both sides are played by hand.
    is_forced: bool,
}

impl Console for GoConsole {
    fn greeting(&self) -> String {
        let rules = if self.rules.is_empty() { "Chinese rules" } else { &self.rules };
        format!("Go under {rules}. `help` lists the commands.")
    }

    fn prompt(&self) -> String {
        ["Black", "White"][self.mover().index()].to_string()
    }

    fn obey(&mut self, line: &str, tell: Tell<'_>) -> bool {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if word == "quit" {
            return false;
        }
        if let Err(error) = self.carry_out(word, rest.trim(), tell) {
            tell(&format!("Error: {error:#}"));
        }
        true
    }
}

impl GoConsole {
    fn carry_out(&mut self, word: &str, rest: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        match word.to_ascii_lowercase().as_str() {
            "help" => tell(HELP),
            "board" => tell(&self.player.show()),
            "force" => self.is_forced = true,
            "go" => {
                self.is_forced = false;
                self.answer(tell)?;
            }
            "hint" => self.hint(tell),
            "score" => self.score(tell),
            "undo" => {
                let n: usize =
                    if rest.is_empty() { 2 } else { rest.parse().context("undo takes a number of moves")? };
                self.moves.truncate(self.moves.len().saturating_sub(n));
                self.show_position()?;
                tell(&self.player.show());
            }
            "level" => self.nodes = rest.parse().ok().filter(|n| *n > 0).context("level takes a number of playouts")?,
            "new" => {
                let rules = if rest.is_empty() { self.rules.clone() } else { rest.to_string() };
                self.player.set_position(&rules, None, &[])?;
                (self.rules, self.moves) = (rules, Vec::new());
                self.player.new_game();
                tell(&self.player.show());
            }
            "save" => self.save(rest, tell)?,
            _ if self.player.is_move(word) => {
                self.moves.push(word.to_string());
                self.show_position()?;
                if !self.is_over() && !self.is_forced {
                    self.answer(tell)?;
                } else {
                    tell(&self.player.show());
                }
            }
            _ => bail!("{word:?} is neither a command nor a move here; `help` lists commands"),
        }
        if self.is_over() {
            self.score(tell);
        }
        Ok(())
    }

    /// Lets the engine play.
    fn answer(&mut self, tell: Tell<'_>) -> anyhow::Result<()> {
        let mover = self.mover();
        let report = think(self.player.as_mut(), self.nodes);
        let mv = report.lines.first().map_or_else(|| "pass".to_string(), |line| line.pv[0].clone());
        self.moves.push(mv.clone());
        self.show_position()?;
        tell(&self.player.show());
        let name = ["Black", "White"][mover.index()];
        tell(&format!("{name} plays {mv}; Black's chance {:.0} %", chance(&report, mover) * 100.0));
        Ok(())
    }

    fn hint(&mut self, tell: Tell<'_>) {
        let mover = self.mover();
        let report = think(self.player.as_mut(), self.nodes);
        for line in report.lines.iter().take(5).filter(|line| line.visits > 0) {
            let lead = lead_of(line.margin, mover).map_or("-".to_string(), |lead| format!("{:+.1}", lead.0));
            tell(&format!(
                "{:>5} {:>7} visits, Black's chance {:>5.1} %, lead {lead}",
                line.pv[0],
                line.visits,
                chance_of(line, mover) * 100.0
            ));
        }
    }

    fn score(&self, tell: Tell<'_>) {
        let dead: Vec<String> = self.player.final_status("dead").unwrap_or_default().concat();
        let dead = if dead.is_empty() { "nothing is dead".to_string() } else { format!("dead: {}", dead.join(" ")) };
        tell(&format!("{} ({dead})", self.player.final_score().unwrap_or_default()));
    }

    fn save(&self, file: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        let (file, existing) = save_words(file);
        if file.is_empty() {
            bail!("save needs the name of a file");
        }
        let game = GameRecord::from_moves(&self.rules, None, self.moves.iter().cloned());
        let kit: &dyn Kit = &GO;
        let format = kit.format("sgf").context("there is no format sgf")?;
        save_game(&game, format, Path::new(file), existing)?;
        tell(&format!("{file}: {} moves", self.moves.len()));
        Ok(())
    }

    /// Whether both have just passed.
    fn is_over(&self) -> bool {
        self.moves.len() >= 2 && self.moves.iter().rev().take(2).all(|mv| mv.eq_ignore_ascii_case("pass"))
    }

    /// Shows the player the position.
    fn show_position(&mut self) -> anyhow::Result<()> {
        Ok(self.player.set_position(&self.rules, None, &self.moves)?)
    }

    fn mover(&self) -> Side {
        self.player.side_to_move().unwrap_or(Side::First)
    }
}
