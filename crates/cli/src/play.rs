//! `tesuji play`: consoles to play by hand: chess in the manner of GreKo, with the 27 named weights and to let them learn; go; shogi.

mod desk;
mod go;
mod learn;
mod room;

use crate::{games, oracle::OracleArgs, tune::Set};
use anyhow::{Context, bail};
use std::{
    io::{BufRead, IsTerminal, Write, stdin},
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};
use tesuji_game::Limits;
use tesuji_jobs::{Existing, Interrupt, open_output, terminal::Stdout};
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};

/// The games with consoles of their own; all others have one in common.
const CHESS: &str = "chess";
const GO: &str = "go";

/// Arguments of `tesuji play`.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  tesuji play chess\n  tesuji play chess -c \"e4; go; board\"\n  tesuji play go --rules '13x13 japanese'\n  tesuji play shogi\n\n\
    Commands (any beginning that fits one alone will do; `help` explains them):\n  \
    analyze, board, eval, fen, force, go, help, learn, level, moves, new, quit, savepgn, selfplay, setboard, undo\n\
    Moves are typed as e4, Nf3, O-O or e2e4, e7e8q, in go as D4, in shogi as 7g7f, P-7f or ７六歩.\n\n\
    The engine plays with the weights of `weights.txt` in the folder, or with those before learning. `learn games.pgn\n\
    [from to]` learns them by coordinate descent, as V. Medvedev's GreKo did in 2016: it makes `games.fen` (kept for\n\
    later runs), keeps the old weights in `weights.old`, each step in `learning.log`, and the best weights by validation\n\
    in `weights.txt`.\n\
    Learned weights play from the next start on. Ctrl-C ends learning with what was found."
)]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser())]
    game: String,
    /// Rules of go: size, name, flags
    #[arg(long, default_value = "9x9", value_name = "RULES")]
    rules: String,
    /// Nodes of the engine for a move, in go playouts [default: a second, in go 2000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    #[command(flatten)]
    oracle: OracleArgs,
    /// Where weights.txt, weights.old and learning.log are
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    folder: PathBuf,
    /// Commands to carry out first, separated by `;`
    #[arg(long, short, value_name = "COMMANDS")]
    commands: Option<String>,
    /// A board so many plies before the end counts 1/e of the last one in `learn`
    #[arg(long, default_value_t = 20.0, value_name = "PLIES")]
    lambda: f64,
    /// Centipawns that multiply the odds by e in `learn`
    #[arg(long, default_value_t = 150.0, value_name = "CP")]
    k: f64,
    /// Decides the split into training and validation [default: 0], and the first moves of `selfplay` [default: a new seed,
    /// which is printed]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Threads that learn (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
}

/// What there is to do, by name, in the order of the alphabet.
const COMMANDS: [(&str, &str, &str); 16] = [
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
    let mut found = COMMANDS.iter().map(|c| c.0).filter(|name| name.starts_with(word));
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(format!("{word:?} is neither a command nor a move here; `help` lists commands")),
        (Some(one), Some(other)) => match one == word {
            true => Ok(one),
            false => Err(format!("{word:?} may mean {one} or {other}")),
        },
    }
}

/// The file that the words after `save` name, and what becomes of one that is there.
fn save_words(rest: &str) -> (&str, Existing) {
    match rest.trim().strip_suffix("--force") {
        Some(name) => (name.trim(), Existing::Replace),
        None => (rest.trim(), Existing::Refuse),
    }
}

/// Writes a game as a file of its own, whole or not at all.
fn save_game(
    game: &GameRecord<String>,
    format: &dyn RecordFormat,
    path: &Path,
    existing: Existing,
) -> anyhow::Result<()> {
    let bytes = SharedBuffer::default();
    let mut writer = format.writer(Box::new(bytes.clone()));
    writer.write(game)?;
    writer.finish()?;
    let mut file = open_output(path, existing)?;
    file.write_all(&bytes.take())?;
    Ok(file.commit()?)
}

/// Reads commands until `quit` or the end of the input.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.game.as_str() {
        CHESS => run_greko(args),
        GO => go::run(&args),
        _ => desk::run(&args),
    }
}

/// Reads commands for the console of chess.
fn run_greko(args: Args) -> anyhow::Result<ExitCode> {
    // This engine has none, but the error says so in the words of all others.
    let mut player = games::kit(CHESS)?.player("")?;
    args.oracle.load(|name, value| player.options().set(name, value))?;
    let path = args.folder.join("weights.txt");
    let name = if path.exists() { path.display().to_string() } else { "builtin".to_string() };
    let weights = Set::Greko.pupil(CHESS)?.start(&name)?;
    let from = if path.exists() { "weights.txt" } else { "the weights before learning" };
    println!("Chess with GreKo's 27 weights: {from}. `help` lists the commands.");
    let mut room = room::Room::new(args, &weights)?;
    if let Some(nodes) = room.args.nodes {
        room.obey("level", &format!("nodes {nodes}"))?;
    }
    let first = room.args.commands.take().unwrap_or_default();
    for line in first.split(';').map(str::trim).filter(|l| !l.is_empty()) {
        println!("> {line}");
        if !obey(&mut room, line)? {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let prompts = stdin().is_terminal();
    let mut lines = stdin().lock().lines();
    loop {
        if prompts {
            print!("{}> ", room.mover());
            Stdout.flush()?;
        }
        let Some(line) = lines.next() else { break };
        let line = line.context("cannot read the commands")?;
        if !line.trim().is_empty() && !obey(&mut room, line.trim())? {
            break;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries out a line; `false` at `quit`. What is wrong with a line is told and ends nothing.
fn obey(room: &mut room::Room, line: &str) -> anyhow::Result<bool> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let exact = COMMANDS.iter().any(|c| c.0 == word);
    let done = if !exact && rest.is_empty() && room.is_move(word) {
        room.play(word)
    } else {
        match command(&word.to_ascii_lowercase()) {
            Ok("quit") => return Ok(false),
            Ok("help") => {
                for (name, arguments, what) in COMMANDS {
                    println!("{:42}{what}", format!("{name} {arguments}"));
                }
                Ok(())
            }
            Ok("learn") => learn::run(&room.args, rest),
            Ok(name) => room.obey(name, rest),
            Err(why) => Err(anyhow::anyhow!(why)),
        }
    };
    // Ctrl-C ends what was going on, not what comes next.
    Interrupt::of_process().flag().store(false, std::sync::atomic::Ordering::SeqCst);
    if let Err(error) = done {
        println!("Error: {error:#}");
    }
    Stdout.flush()?;
    Ok(true)
}

/// Shows how long a move takes, or sets it as `rest` says.
fn level(rest: &str, limits: &mut Limits) -> anyhow::Result<()> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let wrong = || format!("level {rest}: expected depth N, nodes N or time SECONDS, above 0");
    match words[..] {
        [] => {}
        [kind, number] => {
            let number: f64 = number.parse().ok().filter(|n| (0.001..1e9).contains(n)).with_context(wrong)?;
            let whole = || if number >= 1.0 { Ok(number as u64) } else { bail!(wrong()) };
            *limits = match kind {
                "depth" => Limits { depth: Some(whole()? as u32), ..Limits::default() },
                "nodes" => Limits { nodes: Some(whole()?), ..Limits::default() },
                "time" => Limits { move_time: Some(Duration::from_secs_f64(number)), ..Limits::default() },
                _ => bail!(wrong()),
            };
        }
        _ => bail!(wrong()),
    }
    match *limits {
        Limits { depth: Some(depth), .. } => println!("level: depth {depth}"),
        Limits { nodes: Some(nodes), .. } => println!("level: {nodes} nodes a move"),
        Limits { move_time: Some(time), .. } => println!("level: {} s a move", time.as_secs_f64()),
        _ => {}
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
