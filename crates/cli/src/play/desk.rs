//! A console for any game: play by hand against its engine, look at values, keep the game. All moves are text.

use super::{Args, level};
use crate::games;
use anyhow::{Context, bail};
use std::{
    io::{BufRead, IsTerminal, Write, stdin},
    path::Path,
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_engine::Player;
use tesuji_game::{By, Choice, Limits, Outcome, Report, Signal, Value, Watch};
use tesuji_jobs::{Interrupt, terminal::Stdout};
use tesuji_kit::{Kit, Pasted};
use tesuji_record::{GameRecord, RulesTable};

/// What there is to do.
const COMMANDS: [(&str, &str, &str); 13] = [
    ("analyse", "", "think about the position and show each depth; play nothing"),
    ("board", "", "show the board"),
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

/// The game on the desk.
struct Desk {
    kit: &'static dyn Kit,
    table: Box<dyn RulesTable>,
    start: Option<String>,
    player: Box<dyn Player>,
    limits: Limits,
    force: bool,
    over: Option<Outcome>,
}

/// Tells a search when to stop, and shows its depths where they are wanted.
struct Thinking {
    began: Instant,
    stop: Interrupt,
    show: bool,
}

impl Watch<String> for Thinking {
    fn signal(&mut self) -> Signal {
        if self.stop.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if let (true, Some(line)) = (self.show, report.lines.first()) {
            println!("{}", told(report, line.value, &line.pv));
        }
    }
}

/// Depth, value for the side to move, nodes and line.
fn told(report: &Report<String>, value: Value, line: &[String]) -> String {
    let value = match value.mate_plies() {
        Some(plies) => format!("mate {plies:+}"),
        None => format!("{:+} cp", value.raw()),
    };
    format!("{:>3} {value:>10} {:>10}  {}", report.depth, report.nodes, line.join(" "))
}

/// Reads commands until `quit` or the end of the input.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (kit, oracle) = (games::kit(&args.game)?, &args.oracle);
    let (table, mut player) = (kit.table("", None)?, kit.player(oracle.family(""))?);
    oracle.load(|name, value| player.options().set(name, value))?;
    let limits = match args.nodes {
        Some(nodes) => Limits { nodes: Some(nodes), ..Limits::default() },
        None => Limits { move_time: Some(Duration::from_secs(1)), ..Limits::default() },
    };
    let mut desk = Desk { kit, table, start: None, player, limits, force: false, over: None };
    println!("{}: moves are typed like {}. `help` lists the commands.", kit.name(), desk.sample());
    for line in args.commands.clone().unwrap_or_default().split(';').map(str::trim).filter(|l| !l.is_empty()) {
        println!("> {line}");
        if !desk.obey(line)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let prompts = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if prompts {
            print!("{}> ", desk.mover());
            Stdout.flush()?;
        }
        let Some(line) = lines.next() else { break };
        let line = line.context("cannot read the commands")?;
        if !line.trim().is_empty() && !desk.obey(line.trim())? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Desk {
    /// A move that may be played, as the protocol writes it and as people do, for a person who wonders how to type one.
    fn sample(&self) -> String {
        let mv = self.table.moves().into_iter().next().unwrap_or_default();
        match self.table.format_move(&mv) {
            Ok(spoken) if spoken != mv => format!("{mv} or {spoken}"),
            _ => mv,
        }
    }

    fn mover(&self) -> &'static str {
        self.kit.side_tags()[self.table.side_to_move().index()]
    }

    /// Carries out a line; `false` at `quit`. What is wrong with a line is told and ends nothing.
    fn obey(&mut self, line: &str) -> anyhow::Result<bool> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        // People's own notation (`▲７六歩`, `P-7f`) is read as well; a word that is a command is no move.
        let is_command = COMMANDS.iter().any(|c| c.0 == word);
        let meant =
            if is_command { None } else { self.table.parse_move(line).or_else(|_| self.table.parse_move(word)).ok() };
        let done = if let Some(mv) = meant.filter(|mv| self.table.moves().contains(mv)) {
            self.play(&mv)
        } else {
            let mut found = COMMANDS.iter().map(|c| c.0).filter(|name| name.starts_with(word));
            match (found.next(), found.next()) {
                (Some("quit"), None) => return Ok(false),
                (Some(name), None) => self.carry_out(name, rest),
                (Some(one), Some(other)) => Err(anyhow::anyhow!("{word:?} may mean {one} or {other}")),
                (None, _) => Err(anyhow::anyhow!("{word:?} is neither a command nor a legal move here")),
            }
        };
        if let Err(error) = done {
            println!("{error:#}");
        }
        Ok(true)
    }

    fn carry_out(&mut self, name: &str, rest: &str) -> anyhow::Result<()> {
        match name {
            "analyse" => {
                self.think(true)?;
            }
            "board" => {
                self.settle()?;
                print!("{}", self.player.show());
            }
            "eval" => {
                self.settle()?;
                println!("{}", self.player.explain().context("this engine does not explain its values")?);
            }
            "force" => self.force = true,
            "go" => {
                self.force = false;
                self.answer()?;
            }
            "help" => {
                for (name, arguments, what) in COMMANDS {
                    println!("{:42}{what}", format!("{name} {arguments}"));
                }
            }
            "level" => level(rest, &mut self.limits)?,
            "moves" => {
                println!("played: {}", self.table.played().join(" "));
                println!("legal: {}", self.table.moves().join(" "));
            }
            "new" => self.restart(None)?,
            "save" => self.save(rest)?,
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
        self.table = given.table(self.kit)?;
        self.start = given.start;
        self.over = None;
        self.player.new_game();
        Ok(())
    }

    /// Shows the player the position.
    fn settle(&mut self) -> anyhow::Result<()> {
        Ok(self.player.set_position("", self.start.as_deref(), &self.table.played())?)
    }

    fn think(&mut self, show: bool) -> anyhow::Result<Report<String>> {
        self.settle()?;
        let mut watch = Thinking { began: Instant::now(), stop: Interrupt::of_process(), show };
        Ok(self.player.go(&self.limits, &[], &mut watch))
    }

    /// Plays a move of the person, and answers it.
    fn play(&mut self, text: &str) -> anyhow::Result<()> {
        if self.is_over() {
            bail!("the game is over; `new` starts another");
        }
        self.table.play(text)?;
        if !self.is_over() && !self.force {
            self.answer()?;
        }
        Ok(())
    }

    /// Plays a move of the engine.
    fn answer(&mut self) -> anyhow::Result<()> {
        if self.is_over() {
            bail!("the game is over; `new` starts another");
        }
        let report = self.think(false)?;
        let side = self.table.side_to_move();
        let line = report.lines.first().map_or(String::new(), |l| told(&report, l.value, &l.pv));
        match &report.choice {
            Some(Choice::Play(text)) => {
                self.table.play(text)?;
                println!("my move: {text}   {}", line.trim_start());
            }
            Some(Choice::Claim) => self.over = self.table.claim(),
            Some(Choice::Resign) => self.over = Some(Outcome::win(!side, By::Resignation)),
            None => bail!("the engine has no move"),
        }
        self.is_over();
        Ok(())
    }

    /// Whether the game has ended; says so.
    fn is_over(&mut self) -> bool {
        self.over = self.over.or_else(|| self.table.outcome());
        let Some(outcome) = &self.over else { return false };
        let names = self.kit.side_tags();
        match outcome.winner {
            Some(side) => println!("{} wins: {:?}", names[side.index()], outcome.by),
            None => println!("a draw: {:?}", outcome.by),
        }
        true
    }

    fn save(&self, name: &str) -> anyhow::Result<()> {
        let (name, existing) = super::save_words(name);
        let Some(format) = self.kit.format(name).filter(|_| name.contains('.')) else {
            bail!("save FILE: expected an ending of {}", tesuji_circle::endings(self.kit));
        };
        let mut record = GameRecord::from_moves("", self.start.as_deref(), self.table.played());
        record.outcome = self.over.or_else(|| self.table.outcome());
        for tag in self.kit.side_tags() {
            record.set_tag(tag, "player");
        }
        super::save_game(&record, format, Path::new(name), existing)?;
        println!("wrote {name}");
        Ok(())
    }
}
