//! `tesuji csa-client`: the engine plays on servers of the CSA protocol such as floodgate; every game is kept as a file.

mod game;
mod wire;

use crate::{games, settings::settings};
use anyhow::{Context, bail};
use game::{Played, Table};
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_engine::Player;
use tesuji_jobs::{AtomicFile, Interrupt};
use tesuji_protocol::usi;
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};
use tesuji_shogi::csa::{Csa, Ending, Said, Summary, said};
use wire::{Silence, Wire};

/// Arguments of `tesuji csa-client`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji csa-client wdoor.c.u-tokyo.ac.jp --user tesuji --password-file secret.txt --games 10 --out games\n  \
    tesuji csa-client localhost --user a --password floodgate-300-10F,x --set USI_Hash=256 --set BookFile=book.db\n\n\
    Floodgate's passwords begin with the name of the game: floodgate-300-10F,SECRET. Ctrl-C between games logs out; in a \
    game it resigns. A lost connection is made anew, and games that it cost are kept as far as they came.\n\
    Exit codes: 0 all games played or stopped, 2 wrong usage, login refused or no connection.")]
pub(crate) struct Args {
    /// The server
    #[arg(value_name = "HOST")]
    host: String,
    /// Its port
    #[arg(long, value_name = "PORT", default_value_t = 4081)]
    port: u16,
    /// Who we are there
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The password; others on this machine may see it
    #[arg(long, value_name = "TEXT", required_unless_present = "password_file", conflicts_with = "password_file")]
    password: Option<String>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Log out after so many games; 0: never
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u32,
    /// The folder of the games
    #[arg(long, value_name = "FOLDER", default_value = "csa-games")]
    out: PathBuf,
    /// The search family
    #[arg(long, value_name = "FAMILY", default_value = "")]
    search: String,
    /// Set an option of the engine
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Time kept back of every clock, for the way to the server and back, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    margin: u64,
    /// Send a sign of life where nothing was said for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "40", value_parser = seconds)]
    keep_alive: Duration,
    /// Connect anew so many times, one after the other, before giving up; a game that ends well begins the count anew
    #[arg(long, value_name = "N", default_value_t = 10)]
    retries: u32,
    /// Wait so many seconds before the first of them, and twice as long before each next one, up to ten minutes
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    retry: Duration,
    /// Do not send values and lines with the moves
    #[arg(long)]
    silent: bool,
    /// Show all that is said, on stderr
    #[arg(long)]
    verbose: bool,
}

/// The longest wait before a connection is made anew.
const RETRY_MAX: Duration = Duration::from_secs(600);
/// How long the server may take to answer a login.
const LOGIN: Duration = Duration::from_secs(30);

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.001..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| format!("{text:?}: expected seconds, 0.001 to 86400"))
}

/// What was played.
#[derive(Default)]
struct Score {
    won: u32,
    lost: u32,
    drawn: u32,
    void: u32,
}

impl Score {
    fn games(&self) -> u32 {
        self.won + self.lost + self.drawn + self.void
    }
}

/// Why a connection is over.
enum Over {
    /// All games are played, or we were asked to stop.
    Done,
    /// The server does not know us.
    Refused,
    /// The connection is gone, or never came about; the words say why.
    Lost(String),
}

/// Plays.
///
/// # Errors
/// Wrong usage, a login that is refused, a server that cannot be reached.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if args.user.is_empty() || args.user.contains(char::is_whitespace) {
        bail!("--user {:?}: a name without spaces is needed", args.user);
    }
    let password = password(&args)?;
    fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let mut player = games::kit("shogi")?.player(&args.search)?;
    for (name, value) in settings(&args.set)? {
        player.options().set(usi::common_name(name), value).with_context(|| format!("--set {name}={value}"))?;
    }
    let mut client = Client { args: &args, interrupt: Interrupt::of_process(), score: Score::default() };
    let mut failures = 0;
    let over = loop {
        let before = client.score.games();
        match client.visit(&password, player.as_mut()) {
            Over::Lost(why) => {
                failures = if client.score.games() > before { 1 } else { failures + 1 };
                if failures > args.retries {
                    break Over::Lost(why);
                }
                let wait = args.retry.saturating_mul(1 << (failures - 1).min(20)).min(RETRY_MAX);
                eprintln!("{why}; once more in {:.0} s", wait.as_secs_f64());
                if !client.sleep(wait) {
                    break Over::Done;
                }
            }
            over => break over,
        }
    };
    let Score { won, lost, drawn, void } = client.score;
    println!(
        "{} games: {won} won, {lost} lost, {drawn} drawn, {void} without result; in {}",
        client.score.games(),
        args.out.display()
    );
    match over {
        Over::Done => Ok(ExitCode::SUCCESS),
        Over::Refused => bail!("{} does not take this name and password", args.host),
        Over::Lost(why) => bail!("{}: {why}", args.host),
    }
}

fn password(args: &Args) -> anyhow::Result<String> {
    let text = match (&args.password, &args.password_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        (None, None) => String::new(),
    };
    match text.lines().next().map(str::trim_end) {
        Some(line) if !line.is_empty() && !line.contains(char::is_whitespace) => Ok(line.to_string()),
        _ => bail!("a password without spaces is needed"),
    }
}

/// All connections to a server.
struct Client<'a> {
    args: &'a Args,
    interrupt: Interrupt,
    score: Score,
}

impl Client<'_> {
    /// Waits; whether it was not asked to stop meanwhile.
    fn sleep(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.interrupt.is_raised() {
            std::thread::sleep(Duration::from_millis(20).min(time));
        }
        !self.interrupt.is_raised()
    }

    /// Connects, logs in and plays until all is done or the connection is gone.
    fn visit(&mut self, password: &str, player: &mut dyn Player) -> Over {
        let args = self.args;
        let mut wire = match Wire::connect(&args.host, args.port, args.keep_alive, args.verbose) {
            Ok(wire) => wire,
            Err(error) => return Over::Lost(format!("no connection to port {}: {error}", args.port)),
        };
        wire.send_hidden(&format!("LOGIN {} {password}", args.user), &format!("LOGIN {} ...", args.user));
        let deadline = Instant::now() + LOGIN;
        loop {
            match wire.next(&self.interrupt, Some(deadline)).map(|line| matches(&line)) {
                Ok(Answer::In) => break,
                Ok(Answer::Refused) => return Over::Refused,
                Ok(Answer::Other) => {}
                Err(silence) => return over(silence),
            }
        }
        eprintln!("{}: logged in as {}", args.host, args.user);
        while args.games == 0 || self.score.games() < args.games {
            if let Err(silence) = self.await_game(&mut wire, player) {
                if matches!(silence, Silence::Stopped) {
                    wire.send("LOGOUT");
                }
                return over(silence);
            }
        }
        wire.send("LOGOUT");
        Over::Done
    }

    /// Waits for a game and plays it.
    fn await_game(&mut self, wire: &mut Wire, player: &mut dyn Player) -> Result<(), Silence> {
        while said(&wire.next(&self.interrupt, None)?) != Said::Summary {}
        let mut lines = Vec::new();
        loop {
            let line = wire.next(&self.interrupt, None)?;
            if line.trim() == "END Game_Summary" {
                break;
            }
            lines.push(line);
        }
        let summary = match Summary::parse(&lines) {
            Ok(summary) => summary,
            Err(error) => {
                eprintln!("a game is not played: {error}");
                wire.send("REJECT");
                return Ok(());
            }
        };
        wire.send(&format!("AGREE {}", summary.id));
        loop {
            let line = wire.next(&self.interrupt, None)?;
            match said(&line) {
                Said::Start(_) => break,
                Said::Reject(words) => {
                    eprintln!("the game is not played: {words}");
                    return Ok(());
                }
                _ => {}
            }
        }
        let [black, white] = &summary.names;
        eprintln!("{}: {black} - {white}, we are {}", summary.id, ["Black", "White"][summary.you.index()]);
        let mut table = Table {
            wire,
            player,
            interrupt: &self.interrupt,
            margin: Duration::from_millis(self.args.margin),
            tells: !self.args.silent,
        };
        let Played { record, ending, silence } = game::play(&mut table, &summary);
        self.keep(&summary, &record, ending);
        silence.map_or(Ok(()), Err)
    }

    /// Counts a game and writes its file.
    fn keep(&mut self, summary: &Summary, record: &GameRecord<String>, ending: Option<Ending>) {
        let count = match ending {
            Some(Ending::Win) => &mut self.score.won,
            Some(Ending::Lose) => &mut self.score.lost,
            Some(Ending::Draw) => &mut self.score.drawn,
            Some(Ending::Void) | None => &mut self.score.void,
        };
        *count += 1;
        let path = free_name(&self.args.out, &summary.id);
        let plies = record.main_nodes().len();
        match write(&path, record) {
            Ok(()) => eprintln!("{}: {}, {plies} plies, {}", summary.id, words(ending), path.display()),
            // The games go on: what was played elsewhere is not lost for one full disk.
            Err(error) => eprintln!("{}: {}, {plies} plies, not written: {error:#}", summary.id, words(ending)),
        }
    }
}

fn words(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Win) => "won",
        Some(Ending::Lose) => "lost",
        Some(Ending::Draw) => "drawn",
        Some(Ending::Void) => "ended without result",
        None => "left",
    }
}

/// What a line says to a login.
enum Answer {
    In,
    Refused,
    Other,
}

fn matches(line: &str) -> Answer {
    match said(line) {
        Said::LoggedIn => Answer::In,
        Said::Refused => Answer::Refused,
        _ => Answer::Other,
    }
}

fn over(silence: Silence) -> Over {
    match silence {
        Silence::Stopped => Over::Done,
        Silence::Lost(why) => Over::Lost(why),
        Silence::Late => Over::Lost("the server says nothing".to_string()),
    }
}

/// A file for a game that is not there yet.
fn free_name(folder: &Path, id: &str) -> PathBuf {
    let letter = |c: char| if c.is_ascii_alphanumeric() || "+-_".contains(c) { c } else { '_' };
    let name: String = id.chars().take(120).map(letter).collect();
    let name = if name.is_empty() { "game".to_string() } else { name };
    let numbered = |n: u32| match n {
        1 => folder.join(format!("{name}.csa")),
        _ => folder.join(format!("{name}-{n}.csa")),
    };
    let mut number = 1;
    while numbered(number).exists() {
        number += 1;
    }
    numbered(number)
}

fn write(path: &Path, record: &GameRecord<String>) -> anyhow::Result<()> {
    let kept = SharedBuffer::default();
    let mut writer = Csa.writer(Box::new(kept.clone()));
    writer.write(record)?;
    writer.finish()?;
    AtomicFile::write(path, &kept.take()).with_context(|| path.display().to_string())
}
