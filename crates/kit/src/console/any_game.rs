//! A console for any game: play by hand against its engine, look at values, keep the game. All moves are text.

use super::{Command, Console, ConsoleRequest, Shown, Tell, help, level, save_game, save_words, usual_limits};
use crate::{Kit, Pasted, endings};
use anyhow::{Context, bail};
use std::path::Path;
use tesuji_engine::Player;
use tesuji_game::{By, Candidate, Choice, Limits, Outcome, Report, Value};
use tesuji_record::{GameRecord, RulesTable};

/// The commands.
const COMMANDS: [Command; 13] = [
    ("analyse", "", "think about the position and show each depth; play nothing"),
    ("board", "", "show the board and the position as text"),
    ("eval", "", "show what each term of the evaluation counts and is worth"),
    ("force", "", "let both sides be played by hand; `go` ends it"),
    ("go", "", "play the side to move, and from then on its side"),
    ("help", "", "show this"),
    ("level", "[depth N|nodes N|time SECONDS]", "show or set how long a move takes"),
    ("moves", "", "show the moves so far, and those that may be played"),
    ("new", "", "start a new game"),
    ("quit", "", "leave"),
    ("save", "FILE [--force]", "write the game; the ending says in which format; --force replaces a file"),
    ("setboard", "POSITION", "start from a position"),
    ("undo", "", "take the last move back"),
];

/// A game of any kind at its console.
pub(super) struct AnyConsole {
    kit: &'static dyn Kit,
    table: Box<dyn RulesTable>,
    start: Option<String>,
    player: Box<dyn Player>,
    limits: Limits,
    /// Whether both sides are played by hand.
    force: bool,
    over: Option<Outcome>,
}

/// Depth, value for the side to move, nodes and line.
fn told(report: &Report<String>, value: Value, line: &[String]) -> String {
    let value = match value.mate_plies() {
        Some(plies) => format!("mate {plies:+}"),
        None => format!("{:+} cp", value.raw()),
    };
    format!("{:>3} {value:>10} {:>10}  {}", report.depth, report.nodes, line.join(" "))
}

impl Console for AnyConsole {
    fn greeting(&self) -> String {
        format!("{}: moves are typed like {}. `help` lists the commands.", self.kit.name(), self.sample())
    }

    fn prompt(&self) -> String {
        self.kit.side_tags()[self.table.side_to_move().index()].to_string()
    }

    fn obey(&mut self, line: &str, tell: Tell<'_>) -> bool {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        // People's own notation (`▲７六歩`, `P-7f`) is read as well; a word that is a command is no move.
        let is_command = COMMANDS.iter().any(|c| c.0 == word);
        let meant =
            if is_command { None } else { self.table.parse_move(line).or_else(|_| self.table.parse_move(word)).ok() };
        let done = if let Some(mv) = meant.filter(|mv| self.table.moves().contains(mv)) {
            self.play(&mv, tell)
        } else {
            let mut found = COMMANDS.iter().map(|c| c.0).filter(|name| name.starts_with(word));
            match (found.next(), found.next()) {
                (Some("quit"), None) => return false,
                (Some(name), None) => self.carry_out(name, rest, tell),
                (Some(one), Some(other)) => Err(anyhow::anyhow!("{word:?} may mean {one} or {other}")),
                (None, _) => Err(anyhow::anyhow!("{word:?} is neither a command nor a legal move here")),
            }
        };
        if let Err(error) = done {
            tell(&format!("{error:#}"));
        }
        true
    }
}

impl AnyConsole {
    pub(super) fn open(
        kit: &'static dyn Kit,
        request: &ConsoleRequest,
        player: Box<dyn Player>,
    ) -> anyhow::Result<AnyConsole> {
        let (table, limits) = (kit.table("", None)?, usual_limits(request.nodes));
        Ok(AnyConsole { kit, table, start: None, player, limits, force: false, over: None })
    }

    /// A move that may be played, as the protocol writes it and as people do, for a person who wonders how to type one.
    fn sample(&self) -> String {
        let mv = self.table.moves().into_iter().next().unwrap_or_default();
        match self.table.format_move(&mv) {
            Ok(text) if text != mv => format!("{mv} or {text}"),
            _ => mv,
        }
    }

    fn carry_out(&mut self, name: &str, rest: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        match name {
            "analyse" => {
                let mut show = |report: &Report<String>| {
                    if let Some(line) = report.lines.first() {
                        tell(&told(report, line.value, &line.pv));
                    }
                };
                self.think(&mut show)?;
            }
            "board" => {
                self.show_board(tell)?;
                tell(&self.table.position());
            }
            "eval" => {
                self.show_position()?;
                tell(&self.player.explain().context("this engine does not explain its values")?);
            }
            "force" => self.force = true,
            "go" => {
                self.force = false;
                self.answer(tell)?;
            }
            "help" => tell(&help(&COMMANDS)),
            "level" => tell(&level(rest, &mut self.limits)?),
            "moves" => {
                tell(&format!("played: {}", self.table.played().join(" ")));
                tell(&format!("legal: {}", self.table.moves().join(" ")));
            }
            "new" => self.restart(None)?,
            "save" => self.save(rest, tell)?,
            "setboard" => self.restart(Some(rest))?,
            "undo" => {
                if !self.table.undo() {
                    bail!("no move was played");
                }
                self.over = None;
            }
            _ => {}
        }
        Ok(())
    }

    fn restart(&mut self, start: Option<&str>) -> anyhow::Result<()> {
        let given: Pasted = start.map(|text| text.parse().unwrap_or_default()).unwrap_or_default();
        self.table = given.table(self.kit, "")?;
        self.start = given.start;
        self.over = None;
        self.player.new_game();
        Ok(())
    }

    /// Shows the player the position.
    fn show_position(&mut self) -> anyhow::Result<()> {
        Ok(self.player.set_position("", self.start.as_deref(), &self.table.played())?)
    }

    /// Shows the board as a picture, where the engine draws one: what stands before the position and its key.
    fn show_board(&mut self, tell: Tell<'_>) -> anyhow::Result<()> {
        self.show_position()?;
        let shown = self.player.show();
        let picture =
            shown.split("\nkey: ").next().and_then(|text| text.rsplit_once('\n')).map_or("", |(text, _)| text);
        if !picture.trim().is_empty() {
            tell(picture.trim_end());
        }
        Ok(())
    }

    fn think(&mut self, show: &mut dyn FnMut(&Report<String>)) -> anyhow::Result<Report<String>> {
        self.show_position()?;
        Ok(self.player.go(&self.limits, &[], &mut Shown::new(show)))
    }

    /// What the engine expects: its value for the side to move, how far it looked, and the line.
    fn expected(&self, report: &Report<String>, line: &Candidate<String>) -> String {
        let names = self.kit.side_tags();
        let side = names[self.table.side_to_move().index()];
        let value = match line.value.mate_plies() {
            Some(plies) if plies > 0 => format!("{side} mates in {plies} plies"),
            Some(plies) => format!("{side} is mated in {} plies", -plies),
            None => format!("{:+} cp for {side}", line.value.raw()),
        };
        format!("{value}, depth {}, expects {}", report.depth, line.pv.join(" "))
    }

    /// Plays a move of the person, and answers it.
    fn play(&mut self, text: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        if self.is_over(tell) {
            bail!("the game is over; `new` starts another");
        }
        self.table.play(text)?;
        if !self.is_over(tell) && !self.force {
            self.answer(tell)?;
        }
        Ok(())
    }

    /// Plays a move of the engine.
    fn answer(&mut self, tell: Tell<'_>) -> anyhow::Result<()> {
        if self.is_over(tell) {
            bail!("the game is over; `new` starts another");
        }
        let report = self.think(&mut |_| {})?;
        let side = self.table.side_to_move();
        let line = report.lines.first().map_or(String::new(), |line| self.expected(&report, line));
        match &report.choice {
            Some(Choice::Play(text)) => {
                let shown = self.table.format_move(text).unwrap_or_default();
                let mv = if shown == *text { shown } else { format!("{text} {shown}") };
                self.table.play(text)?;
                self.show_board(tell)?;
                tell(&format!("my move: {mv}   {line}"));
            }
            Some(Choice::Claim) => self.over = self.table.claim(),
            Some(Choice::Resign) => self.over = Some(Outcome::win(!side, By::Resignation)),
            None => bail!("the engine has no move"),
        }
        self.is_over(tell);
        Ok(())
    }

    /// Whether the game has ended; says so.
    fn is_over(&mut self, tell: Tell<'_>) -> bool {
        self.over = self.over.or_else(|| self.table.outcome());
        let Some(outcome) = &self.over else { return false };
        let names = self.kit.side_tags();
        match outcome.winner {
            Some(side) => tell(&format!("{} wins: {:?}", names[side.index()], outcome.by)),
            None => tell(&format!("a draw: {:?}", outcome.by)),
        }
        true
    }

    fn save(&self, name: &str, tell: Tell<'_>) -> anyhow::Result<()> {
        let (name, existing) = save_words(name);
        let Some(format) = self.kit.format(name).filter(|_| name.contains('.')) else {
            bail!("save FILE: expected an ending of {}", endings(self.kit));
        };
        let mut record = GameRecord::from_moves("", self.start.as_deref(), self.table.played());
        record.outcome = self.over.or_else(|| self.table.outcome());
        for tag in self.kit.side_tags() {
            record.set_tag(tag, "player");
        }
        save_game(&record, format, Path::new(name), existing)?;
        tell(&format!("wrote {name}"));
        Ok(())
    }
}
