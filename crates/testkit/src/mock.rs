//! A mock engine that speaks UCI and plays at random, and on request crashes, hangs, lies, floods, leaves or never leaves.
//!
//! All that it does depends on its arguments and on the moves of the game alone, never on what it did before: a match
//! that is killed and resumed sees the same moves and the same faults.

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tesuji_game::Random;
use tesuji_record::{AnyGame, Table};

/// The arguments that [`run`] understands.
pub const USAGE: &str = "\
mock-engine [--game NAME] [--seed N] [--score CP] [--spin-ms T] [--infos N] [--deaf] [--mute]
            [--do crash|exit|hang|illegal|flood|nothing|slow [--at PLY | --odds N]]
  --seed N     its random moves
  --score CP   the score it tells for every move
  --spin-ms T  burns so much time for every move
  --infos N    tells so many lines for every move
  --deaf       ignores quit and the end of its input
  --mute       never greets
  --do FAULT   at --at PLY moves of a game, or at one position in --odds N
";

/// What it does.
#[derive(Debug, Clone)]
struct Habits {
    seed: u64,
    score: i32,
    spin: Duration,
    infos: u32,
    deaf: bool,
    mute: bool,
    fault: String,
    at: Option<usize>,
    odds: u64,
}

/// Reads arguments: the game's name and the habits.
fn read_args(args: impl Iterator<Item = String>) -> Result<(String, Habits), String> {
    let mut game = "chess".to_string();
    let mut habits = Habits {
        seed: 0,
        score: 0,
        spin: Duration::ZERO,
        infos: 1,
        deaf: false,
        mute: false,
        fault: String::new(),
        at: None,
        odds: 0,
    };
    let mut args = args.peekable();
    while let Some(arg) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{arg} needs a value\n{USAGE}"));
        fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
            text.parse().map_err(|_| format!("{text:?} is no number\n{USAGE}"))
        }
        match arg.as_str() {
            "--game" => game = value()?,
            "--seed" => habits.seed = number(&value()?)?,
            "--score" => habits.score = number(&value()?)?,
            "--spin-ms" => habits.spin = Duration::from_secs_f64(number::<f64>(&value()?)? / 1e3),
            "--infos" => habits.infos = number(&value()?)?,
            "--deaf" => habits.deaf = true,
            "--mute" => habits.mute = true,
            "--do" => habits.fault = value()?,
            "--at" => habits.at = Some(number(&value()?)?),
            "--odds" => habits.odds = number(&value()?)?,
            _ => return Err(format!("what is {arg}?\n{USAGE}")),
        }
    }
    Ok((game, habits))
}

/// Runs the mock engine on stdin and stdout until `quit`. `games`: those it can play.
///
/// # Errors
/// When an argument is not understood, with the usage.
pub fn run(games: &[&dyn AnyGame], args: impl Iterator<Item = String>) -> Result<(), String> {
    let (name, habits) = read_args(args)?;
    let game = games.iter().copied().find(|g| g.name() == name).ok_or_else(|| format!("no game {name:?}"))?;
    let mut engine = Mock { game, habits, start: None, moves: Vec::new(), table: None };
    let mut input = io::stdin().lock();
    let mut line = String::new();
    loop {
        line.clear();
        let is_over = !matches!(input.read_line(&mut line), Ok(n) if n > 0) || line.trim() == "quit";
        if is_over && engine.habits.deaf {
            sleep_for_ever();
        }
        if is_over || engine.command(line.trim()).is_err() {
            return Ok(());
        }
    }
}

fn sleep_for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(60));
    }
}

/// The engine.
struct Mock<'a> {
    game: &'a dyn AnyGame,
    habits: Habits,
    start: Option<String>,
    moves: Vec<String>,
    table: Option<Box<dyn Table>>,
}

impl Mock<'_> {
    fn command(&mut self, line: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match line.split_ascii_whitespace().next() {
            Some("uci") if self.habits.mute => sleep_for_ever(),
            Some("uci") => {
                out.write_all(b"id name mock\noption name Skill type spin default 1 min 0 max 9\nuciok\n")?
            }
            Some("isready") => out.write_all(b"readyok\n")?,
            Some("position") => self.set_position(line),
            Some("go") => {
                let text = self.go();
                out.write_all(text.as_bytes())?;
            }
            _ => {}
        }
        out.flush()
    }

    /// Goes on from the position before where it can.
    fn set_position(&mut self, line: &str) {
        let (head, moves) = line.split_once(" moves ").unwrap_or((line, ""));
        let start = head.strip_prefix("position fen ").map(|s| s.trim().to_string());
        let moves: Vec<String> = moves.split_ascii_whitespace().map(str::to_string).collect();
        if start != self.start || !moves.starts_with(&self.moves) || self.table.is_none() {
            self.table = self.game.table("", start.as_deref()).ok();
            self.start = start;
            self.moves.clear();
        }
        if let Some(table) = &mut self.table {
            for mv in &moves[self.moves.len()..] {
                let _ = table.play(mv);
            }
        }
        self.moves = moves;
    }

    /// The answer to `go`, if it comes to one.
    fn go(&mut self) -> String {
        let began = Instant::now();
        let mut random = Random::for_item(self.habits.seed, self.fingerprint());
        let due = match self.habits.at {
            Some(ply) => self.moves.len() >= ply,
            None => self.habits.odds > 0 && random.below(self.habits.odds as usize) == 0,
        };
        if due {
            match self.habits.fault.as_str() {
                "crash" => std::process::abort(),
                "exit" => std::process::exit(7),
                "hang" => sleep_for_ever(),
                "illegal" => return "bestmove z9z9\n".to_string(),
                "nothing" => return "bestmove (none)\n".to_string(),
                "slow" => std::thread::sleep(Duration::from_millis(300)),
                "flood" => {
                    let noise = "what a nice day for a game, is it not?\n".repeat(1000);
                    while io::stdout().write_all(noise.as_bytes()).is_ok() {}
                    std::process::exit(0);
                }
                _ => {}
            }
        }
        while began.elapsed() < self.habits.spin {
            std::hint::spin_loop();
        }
        let moves = self.table.as_ref().map(|t| t.moves()).unwrap_or_default();
        if moves.is_empty() {
            return "bestmove (none)\n".to_string();
        }
        let mv = &moves[random.below(moves.len())];
        let time = began.elapsed().as_millis();
        let score = self.habits.score;
        let mut text = String::new();
        for depth in 1..=self.habits.infos {
            text += &format!("info depth {depth} time {time} nodes {} score cp {score} pv {mv}\n", depth * 100);
        }
        text + &format!("bestmove {mv}\n")
    }

    /// A number that only this line of moves has.
    fn fingerprint(&self) -> u64 {
        // FNV-1a (Fowler, Noll and Vo, 1991).
        let texts = self.start.iter().chain(&self.moves);
        let bytes = texts.flat_map(|text| text.bytes().chain([b' ']));
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
    }
}

/// The mock engine's program, beside the test that runs: built by cargo if it is not there or not up to date.
///
/// # Panics
/// When it cannot be built.
pub fn path() -> PathBuf {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let test = std::env::current_exe().expect("a running test has a path");
        let profile = test.ancestors().nth(2).expect("tests lie in target/PROFILE/deps");
        let target = profile.parent().expect("a profile lies in the target folder");
        let name = match profile.file_name().and_then(|n| n.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string());
        let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--bin", "mock-engine", "--profile", name, "--manifest-path", manifest])
            .arg("--target-dir")
            .arg(target)
            .status()
            .expect("cargo runs");
        assert!(status.success(), "the mock engine does not build");
        profile.join("mock-engine")
    })
    .clone()
}
