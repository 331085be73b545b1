//! A mock engine that speaks UCI, USI, GTP and XBoard's protocol and plays at random, and on request crashes, hangs, lies,
//! floods, leaves, never leaves, or starts helpers that outlive it.
//!
//! All that it does depends on its arguments and on the moves of the game alone, never on what it did before: a match
//! that is killed and resumed sees the same moves and the same faults.

mod dialects;

use fnv::FnvHasher;
use std::hash::Hasher;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tesuji_game::{Random, Side};
use tesuji_record::{AnyGame, RulesTable};
use tesuji_system::{in_own_group, parent_process, try_lock};

/// The arguments that [`run`] understands.
pub const USAGE: &str = "\
mock-engine [--game NAME] [--seed N] [--score CP] [--bound CP] [--spin-ms T] [--infos N] [--deaf] [--mute] [--proto NAME]
            [--lines N] [--use PERCENT] [--ponder-ms T] [--busy] [--lose-stop] [--stamps FILE] [--fork FILE] [--fork-away FILE]
            [--outlive FILE] [--do FAULT [--at PLY | --odds N]]
  --proto NAME speaks uci (usual), usi, gtp or xboard
  --seed N     its random moves
  --score CP   the score it tells for every move
  --bound CP   the score of a last line, told as an upper bound (over UCI and USI)
  --spin-ms T  burns so much time for every move
  --infos N    tells this many lines for every move, of 100 nodes each
  --lines N    analyses: tells this many moves at once, each 10 centipawns below the one before it, and offers MultiPV (over UCI
               and USI) or knows kata-analyze (over GTP)
  --use PERCENT  sleeps for so much of the time of a move, or of a 40th of its clock, before it moves (not over GTP)
  --deaf       ignores quit and the end of its input
  --outlive FILE  ignores the end of its runner, too, for ten minutes, and holds FILE locked as long as it lives
  --mute       never greets
  --ponder-ms T  thinks so long, or until the opponent's expected move has been thought about as long
  --busy       is never ready for a game
  --lose-stop  begins late to think on the opponent's time and obeys only the second stop (over UCI and USI)
  --stamps FILE  appends when it read and wrote what: R or W, nanoseconds since 1970, the first word
  --fork FILE  starts a helper that holds its output open and FILE locked until it is killed, for ten minutes at most
  --fork-away FILE  starts such a helper in a process group of its own
  --do FAULT   at --at PLY moves of a game, or at one position in --odds N:
               crash, exit, hang, illegal, nothing, flood, slow, resign, claim, garbage,
               blind (its evaluator gives no answer), offer (a draw, over XBoard)
";

/// The behaviour of a mock engine.
#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    seed: u64,
    score: i32,
    pub(crate) bound: Option<i32>,
    spin: Duration,
    pub(crate) ponder: Duration,
    infos: u32,
    pub(crate) lines: usize,
    pub(crate) deaf: bool,
    outlives: bool,
    use_percent: u32,
    pub(crate) mute: bool,
    pub(crate) busy: bool,
    pub(crate) loses_stop: bool,
    stamps: Option<String>,
    protocol: String,
    fault: String,
    at: Option<usize>,
    odds: u64,
}

/// Reads arguments: the game's name and the habits.
fn read_args(args: impl Iterator<Item = String>) -> Result<(String, Habits), String> {
    let mut game = "chess".to_string();
    let mut habits = Habits { infos: 1, protocol: "uci".to_string(), ..Habits::default() };
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
            "--bound" => habits.bound = Some(number(&value()?)?),
            "--spin-ms" => habits.spin = Duration::from_secs_f64(number::<f64>(&value()?)? / 1e3),
            "--infos" => habits.infos = number(&value()?)?,
            "--lines" => habits.lines = number(&value()?)?,
            "--use" => habits.use_percent = number(&value()?)?,
            "--deaf" => habits.deaf = true,
            "--outlive" => {
                hold_locked(&value()?)?;
                habits.outlives = true;
            }
            "--fork" => start_helper(&value()?, false)?,
            "--fork-away" => start_helper(&value()?, true)?,
            "--helper" => help(&value()?)?,
            "--mute" => habits.mute = true,
            "--busy" => habits.busy = true,
            "--lose-stop" => habits.loses_stop = true,
            "--stamps" => habits.stamps = Some(value()?),
            "--proto" => habits.protocol = value()?,
            "--ponder-ms" => habits.ponder = Duration::from_millis(number(&value()?)?),
            "--do" => habits.fault = value()?,
            "--at" => habits.at = Some(number(&value()?)?),
            "--odds" => habits.odds = number(&value()?)?,
            _ => return Err(format!("{USAGE}what is {arg}?")),
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
    let mut speaker =
        dialects::speaker(&habits.protocol).ok_or_else(|| format!("{USAGE}no protocol {:?}", habits.protocol))?;
    let mut stamps = Stamps::open(habits.stamps.as_deref())?;
    let mut engine = Mock { game, rules: "", habits, start: None, moves: Vec::new(), table: None };
    let mut input = io::stdin().lock();
    let mut line = String::new();
    loop {
        line.clear();
        let is_over = !matches!(input.read_line(&mut line), Ok(n) if n > 0);
        stamps.add('R', &line);
        let said = if is_over { None } else { speaker.answer(&mut engine, line.trim()) };
        match said {
            Some(text) => {
                let mut out = io::stdout().lock();
                if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
                    return Ok(());
                }
                stamps.add('W', text.lines().next_back().unwrap_or_default());
            }
            None if engine.habits.deaf => engine.habits.sleep_for_ever(),
            None => return Ok(()),
        }
    }
}

/// When lines were read and written, for measuring runners: kept until the end, so that writing costs nothing between.
struct Stamps(Option<(std::fs::File, String)>);

impl Stamps {
    fn open(path: Option<&str>) -> Result<Stamps, String> {
        let open = |path: &str| {
            let file = std::fs::File::options().create(true).append(true).open(path);
            file.map(|file| (file, String::new())).map_err(|e| format!("{path}: {e}"))
        };
        Ok(Stamps(path.map(open).transpose()?))
    }

    fn add(&mut self, what: char, line: &str) {
        if let (Some((_, text)), false) = (&mut self.0, line.trim().is_empty()) {
            let nanos = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos();
            *text += &format!("{what} {nanos} {}\n", line.split_whitespace().next().unwrap_or_default());
        }
    }
}

impl Drop for Stamps {
    fn drop(&mut self) {
        if let Some((file, text)) = &mut self.0 {
            // Anyone who measures sees that something is missing.
            let _ = file.write_all(text.as_bytes());
        }
    }
}

/// The time that processes stay which ignore the end of their runner: those that a test forgets must not stay for ever.
const STAY: Duration = Duration::from_secs(600);
/// Between two looks at whether it is time to go.
const LOOK: Duration = Duration::from_millis(100);

impl Habits {
    /// Does nothing more. An engine whose runner was killed ends all the same, unless it outlives it.
    pub(crate) fn sleep_for_ever(&self) -> ! {
        let (began, runner) = (Instant::now(), parent_process());
        while began.elapsed() < STAY && (self.outlives || parent_process() == runner) {
            std::thread::sleep(LOOK);
        }
        std::process::exit(0);
    }

    /// Uses its part of the time for a move.
    pub(crate) fn use_time(&self, given: Duration) {
        std::thread::sleep(given * self.use_percent / 100);
    }
}

/// Starts this program again as a helper of the engine, and waits until it holds the file locked.
fn start_helper(file: &str, away: bool) -> Result<(), String> {
    std::fs::File::create(file).map_err(|e| format!("{file}: {e}"))?;
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut helper = Command::new(program);
    helper.args(["--helper", file]).stdin(std::process::Stdio::null());
    if away {
        in_own_group(&mut helper);
    }
    helper.spawn().map_err(|e| format!("helper: {e}"))?;
    while is_free(file)? {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

/// Whether nobody holds the file locked.
fn is_free(file: &str) -> Result<bool, String> {
    let file = std::fs::File::open(file).map_err(|e| format!("{file}: {e}"))?;
    Ok(try_lock(&file).is_ok())
}

/// The helper: holds the file locked as long as it lives.
fn help(file: &str) -> Result<(), String> {
    hold_locked(file)?;
    std::thread::sleep(STAY);
    std::process::exit(0);
}

/// Locks the file until this process ends.
fn hold_locked(file: &str) -> Result<(), String> {
    let locked = std::fs::File::create(file).map_err(|e| format!("{file}: {e}"))?;
    // Another mock engine may look whether it is locked just now.
    while let Err(error) = try_lock(&locked) {
        match error {
            std::fs::TryLockError::WouldBlock => std::thread::sleep(Duration::from_millis(1)),
            std::fs::TryLockError::Error(error) => return Err(format!("{file}: {error}")),
        }
    }
    std::mem::forget(locked);
    Ok(())
}

/// Waits until no mock engine and no helper holds the file locked; `false` when one still does after half a minute.
///
/// # Panics
/// When there is no such file.
pub fn is_released(file: &std::path::Path) -> bool {
    let file = std::fs::File::open(file).expect("an engine or its helper made the file");
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(30) {
        if try_lock(&file).is_ok() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

/// The decision of the engine, whatever the protocol.
pub(crate) enum MockDecision {
    /// A move.
    Move(String),
    /// Words that are no move.
    Nothing,
    /// No move, since nobody answers.
    Blind,
    Resign,
    Claim,
    /// No word of any protocol, and no move either.
    Garbage,
}

/// A decision and what is told about it.
pub(crate) struct Thought {
    pub(crate) decision: MockDecision,
    /// The answer expected, if any.
    pub(crate) expected: Option<String>,
    pub(crate) offers_draw: bool,
    pub(crate) infos: u32,
    pub(crate) time: Duration,
    pub(crate) score: i32,
}

/// The engine.
pub(crate) struct Mock<'a> {
    game: &'a dyn AnyGame,
    rules: &'static str,
    pub(crate) habits: Habits,
    start: Option<String>,
    moves: Vec<String>,
    table: Option<Box<dyn RulesTable>>,
}

impl Mock<'_> {
    /// The side to move.
    pub(crate) fn side_to_move(&self) -> Side {
        self.table.as_ref().map_or(Side::First, |table| table.side_to_move())
    }

    /// The line on the board.
    pub(crate) fn line(&self) -> (Option<String>, Vec<String>) {
        (self.start.clone(), self.moves.clone())
    }

    /// Plays Chess960 from now on, or no more.
    pub(crate) fn play_chess960(&mut self, on: bool) {
        self.rules = if on { "chess960" } else { "" };
        self.table = None;
    }

    /// The castling move of the mover to this side, as UCI has it in Chess960.
    pub(crate) fn castling(&self, is_short: bool) -> Option<String> {
        let table = self.table.as_ref()?;
        table.moves().into_iter().find(|mv| self.castles(mv) == Some(is_short))
    }

    /// Whether a move castles in Chess960, the king onto its own rook, and then whether to the king's side.
    pub(crate) fn castles(&self, mv: &str) -> Option<bool> {
        if self.rules.is_empty() {
            return None;
        }
        let position = self.table.as_ref()?.position();
        let man_at = |square: &[u8]| {
            let row = position.split(['/', ' ']).nth(usize::from(b'8'.checked_sub(square[1])?))?;
            let empties = |c: char| c.to_digit(10).map_or(vec![c], |n| vec!['.'; n as usize]);
            row.chars().flat_map(empties).nth(usize::from(square[0].checked_sub(b'a')?))
        };
        let (from, to) = (mv.as_bytes().get(..2)?, mv.as_bytes().get(2..4)?);
        matches!((man_at(from)?, man_at(to)?), ('K', 'R') | ('k', 'r')).then_some(to[0] > from[0])
    }

    /// Goes on from the position before where it can; whether all moves could be played.
    pub(crate) fn set_position(&mut self, start: Option<String>, moves: Vec<String>) -> bool {
        if start != self.start || !moves.starts_with(&self.moves) || self.table.is_none() {
            self.table = self.game.table(self.rules, start.as_deref()).ok();
            self.start = start;
            self.moves.clear();
        }
        let mut is_sound = self.table.is_some();
        if let Some(table) = &mut self.table {
            for mv in &moves[self.moves.len()..] {
                is_sound &= table.play(mv).is_ok();
            }
        }
        self.moves = moves;
        is_sound
    }

    /// The moves that an analysis tells, best first, each with an answer if there is one, and their scores for the mover.
    pub(crate) fn analyse(&mut self, only: &[&str]) -> Vec<(Vec<String>, i32)> {
        let (count, score) = (self.habits.lines, self.habits.score);
        let Some(table) = &mut self.table else { return Vec::new() };
        let moves = table.moves();
        let wanted = moves.into_iter().filter(|mv| only.is_empty() || only.contains(&mv.as_str())).take(count);
        let with_answer = |mv: String| {
            let answer = table.play(&mv).ok().and_then(|()| {
                let answer = table.moves().into_iter().next();
                table.undo();
                answer
            });
            [mv].into_iter().chain(answer).collect()
        };
        wanted.map(with_answer).zip((0..).map(|rank| score - 10 * rank)).collect()
    }

    /// Whether its fault is due at this position.
    pub(crate) fn is_due(&self) -> bool {
        self.due(&mut Random::for_item(self.habits.seed, self.fingerprint()))
    }

    fn due(&self, random: &mut Random) -> bool {
        match self.habits.at {
            Some(ply) => self.moves.len() >= ply,
            None => self.habits.odds > 0 && random.below(self.habits.odds as usize) == 0,
        }
    }

    /// A decision, if it comes to one.
    pub(crate) fn think(&mut self) -> Thought {
        let began = Instant::now();
        let mut random = Random::for_item(self.habits.seed, self.fingerprint());
        let due = self.due(&mut random);
        let (infos, score) = (self.habits.infos, self.habits.score);
        let offers_draw = due && self.habits.fault == "offer";
        let thought = |decision| Thought { decision, expected: None, offers_draw, infos, time: began.elapsed(), score };
        if due {
            match self.habits.fault.as_str() {
                "crash" => std::process::abort(),
                "exit" => {
                    eprintln!("mock-engine: it leaves");
                    std::process::exit(7)
                }
                "hang" => self.habits.sleep_for_ever(),
                "illegal" => return thought(MockDecision::Move("z9z9".to_string())),
                "nothing" => return thought(MockDecision::Nothing),
                "blind" => return thought(MockDecision::Blind),
                "resign" => return thought(MockDecision::Resign),
                "claim" => return thought(MockDecision::Claim),
                "garbage" => return thought(MockDecision::Garbage),
                "slow" => std::thread::sleep(Duration::from_millis(300)),
                "flood" => flood(),
                _ => {}
            }
        }
        while began.elapsed() < self.habits.spin {
            std::hint::spin_loop();
        }
        let moves = self.table.as_ref().map(|t| t.moves()).unwrap_or_default();
        if moves.is_empty() {
            return thought(MockDecision::Nothing);
        }
        let mv = moves[random.below(moves.len())].clone();
        let expected = self.expected(&mv);
        Thought { expected, ..thought(MockDecision::Move(mv)) }
    }

    /// The answer that it expects to its move: the first one that there is, which a random opponent plays now and then.
    fn expected(&mut self, mv: &str) -> Option<String> {
        let table = self.table.as_mut().filter(|_| !self.habits.ponder.is_zero())?;
        table.play(mv).ok()?;
        let answer = table.moves().into_iter().next();
        table.undo();
        answer
    }

    /// A number that only this line of moves has.
    fn fingerprint(&self) -> u64 {
        let texts = self.start.iter().chain(&self.moves);
        let mut hash = FnvHasher::default();
        texts.for_each(|text| hash.write(format!("{text} ").as_bytes()));
        hash.finish()
    }
}

/// Writes without end. Lines are long, so that the reader of an unoptimised build comes to its limit soon.
fn flood() -> ! {
    let noise = format!("{}\n", "what a nice day for a game, is it not? ".repeat(100)).repeat(10);
    while io::stdout().write_all(noise.as_bytes()).is_ok() {}
    std::process::exit(0);
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
