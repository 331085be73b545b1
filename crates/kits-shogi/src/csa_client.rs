//! The client of the CSA protocol: an engine plays on servers such as floodgate, and every game is kept as a file.

/// Prints a line on stderr.
macro_rules! say {
    ($($text:tt)*) => { tesuji_jobs::terminal::eprint(format_args!("{}\n", format_args!($($text)*))) };
}
use say;

mod game;
mod wire;

use anyhow::Context;
use game::{Played, ServerGame};
use serde::{Deserialize, Serialize};
use std::{
    fmt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tesuji_engine::Player;
use tesuji_jobs::{AtomicFile, Interrupt, RequestError};
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer};
use tesuji_shogi::csa::{Csa, CsaResult, Said, Summary, said};
use wire::{Silence, Wire};

/// The server to play on, the account, and the number of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CsaRequest {
    /// The version of this form: [`CsaRequest::VERSION`].
    pub version: u32,
    /// The server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The name of the login.
    pub user: String,
    /// The password; it is read and never written.
    #[serde(skip_serializing)]
    pub password: String,
    /// Log out after this many games; 0: never.
    pub games: u32,
    /// The folder of the games, which is there.
    pub out: PathBuf,
    /// Milliseconds kept back of every clock, for the way to the server and back.
    pub margin_ms: u64,
    /// The seconds of silence before a keep-alive is sent, 0.001 to 86400.
    pub keep_alive_seconds: f64,
    /// The number of attempts in a row to connect again.
    pub retries: u32,
    /// The wait before the first of them in seconds, 0.001 to 86400, which doubles with each next one.
    pub retry_seconds: f64,
    /// Whether values and lines are sent with the moves.
    pub tells: bool,
    /// Whether all that is said is shown on stderr.
    pub verbose: bool,
}

impl Default for CsaRequest {
    fn default() -> CsaRequest {
        CsaRequest {
            version: Self::VERSION,
            host: String::new(),
            port: 4081,
            user: String::new(),
            password: String::new(),
            games: 1,
            out: PathBuf::from("csa-games"),
            margin_ms: 1_000,
            keep_alive_seconds: 40.0,
            retries: 10,
            retry_seconds: 5.0,
            tells: true,
            verbose: false,
        }
    }
}

impl CsaRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        if self.host.is_empty() {
            return Err(RequestError::field("host", "is missing"));
        }
        // The protocol parts name and password by spaces.
        if self.user.is_empty() || self.user.contains(char::is_whitespace) {
            return Err(RequestError::value(
                "user",
                format_args!("{:?}", self.user),
                "a name without spaces is needed",
            ));
        }
        if self.password.is_empty() || self.password.contains(char::is_whitespace) {
            return Err(RequestError::field("password", ": one without spaces is needed"));
        }
        let seconds = [("keep_alive_seconds", self.keep_alive_seconds), ("retry_seconds", self.retry_seconds)];
        match seconds.into_iter().find(|(_, value)| !(0.001..=86_400.0).contains(value)) {
            Some((field, value)) => Err(RequestError::value(field, value, "expected seconds, 0.001 to 86400")),
            None => Ok(()),
        }
    }
}

/// The longest wait before a connection is made again.
const RETRY_MAX: Duration = Duration::from_secs(600);
/// The longest time that the server may take to answer a login.
const LOGIN: Duration = Duration::from_secs(30);
/// The longest time that a server may take a last line, where we were asked to stop.
const LEAVING: Duration = Duration::from_millis(250);

/// The games played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CsaScore {
    /// Games won.
    pub won: u32,
    /// Games lost.
    pub lost: u32,
    /// Games drawn.
    pub drawn: u32,
    /// Games without result.
    pub void: u32,
}

/// The server could not be played on, or not to the end.
#[derive(Debug)]
pub struct CsaFailed {
    /// The games played before the failure.
    pub score: CsaScore,
    words: String,
}

impl fmt::Display for CsaFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for CsaFailed {}

impl CsaScore {
    /// All games.
    pub fn games(&self) -> u32 {
        self.won + self.lost + self.drawn + self.void
    }
}

/// The reason why a connection is over.
enum Over {
    /// All games are played, or we were asked to stop.
    Done,
    /// The server does not know us.
    Refused,
    /// The connection is gone, or never came about; the words say why.
    Lost(String),
}

/// Plays the games that are asked for.
///
/// # Errors
/// A field that cannot be meant, a login that is refused, a server that cannot be reached.
pub fn play_on_server(
    asked: &CsaRequest,
    player: &mut dyn Player,
    interrupt: Interrupt,
) -> Result<CsaScore, CsaFailed> {
    if let Err(error) = asked.validate() {
        return Err(CsaFailed { score: CsaScore::default(), words: error.to_string() });
    }
    let mut client = Client { asked, interrupt, score: CsaScore::default() };
    match client.visit_again(player) {
        Over::Done => Ok(client.score),
        Over::Refused => Err(CsaFailed {
            score: client.score,
            words: format!("{} does not take this name and password", asked.host),
        }),
        Over::Lost(why) => Err(CsaFailed { score: client.score, words: format!("{}: {why}", asked.host) }),
    }
}

/// All connections to a server.
struct Client<'a> {
    asked: &'a CsaRequest,
    interrupt: Interrupt,
    score: CsaScore,
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

    /// Visits the server until all is done, again and again where a connection is lost.
    fn visit_again(&mut self, player: &mut dyn Player) -> Over {
        let mut failures = 0;
        loop {
            let before = self.score.games();
            let why = match self.visit(player) {
                Over::Lost(why) => why,
                over => return over,
            };
            failures = if self.score.games() > before { 1 } else { failures + 1 };
            if failures > self.asked.retries {
                return Over::Lost(why);
            }
            let wait = Duration::from_secs_f64(self.asked.retry_seconds)
                .saturating_mul(1 << (failures - 1).min(20))
                .min(RETRY_MAX);
            if self.interrupt.is_raised() {
                return Over::Done;
            }
            say!("{why}; once more in {:.0} s", wait.as_secs_f64());
            if !self.sleep(wait) {
                return Over::Done;
            }
        }
    }

    /// Connects, logs in and plays until all is done or the connection is gone.
    fn visit(&mut self, player: &mut dyn Player) -> Over {
        let asked = self.asked;
        let keep_alive = Duration::from_secs_f64(asked.keep_alive_seconds);
        let mut wire = match Wire::connect((&asked.host, asked.port), keep_alive, asked.verbose, &self.interrupt) {
            Ok(wire) => wire,
            Err(silence) => return over(silence),
        };
        wire.send_hidden(&format!("LOGIN {} {}", asked.user, asked.password), &format!("LOGIN {} ...", asked.user));
        let deadline = Instant::now() + LOGIN;
        loop {
            match wire.next(&self.interrupt, Some(deadline)).map(|line| matches(&line)) {
                Ok(Answer::In) => break,
                Ok(Answer::Refused) => return Over::Refused,
                Ok(Answer::Other) => {}
                Err(silence) => return over(silence),
            }
        }
        say!("{}: logged in as {}", asked.host, asked.user);
        while asked.games == 0 || self.score.games() < asked.games {
            if let Err(silence) = self.await_game(&mut wire, player) {
                if matches!(silence, Silence::Stopped) {
                    wire.hurry(LEAVING);
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
                say!("a game is not played: {error}");
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
                    say!("the game is not played: {words}");
                    return Ok(());
                }
                _ => {}
            }
        }
        let [black, white] = &summary.names;
        say!("{}: {black} - {white}, we are {}", summary.id, ["Black", "White"][summary.you.index()]);
        let mut table = ServerGame {
            wire,
            player,
            interrupt: &self.interrupt,
            margin: Duration::from_millis(self.asked.margin_ms),
            tells: self.asked.tells,
        };
        let Played { record, ending, silence } = game::play(&mut table, &summary);
        self.keep(&summary, &record, ending);
        silence.map_or(Ok(()), Err)
    }

    /// Counts a game and writes its file.
    fn keep(&mut self, summary: &Summary, record: &GameRecord<String>, ending: Option<CsaResult>) {
        let count = match ending {
            Some(CsaResult::Win) => &mut self.score.won,
            Some(CsaResult::Lose) => &mut self.score.lost,
            Some(CsaResult::Draw) => &mut self.score.drawn,
            Some(CsaResult::Void) | None => &mut self.score.void,
        };
        *count += 1;
        let path = free_name(&self.asked.out, &summary.id);
        let plies = record.main_nodes().len();
        match write(&path, record) {
            Ok(()) => say!("{}: {}, {plies} plies, {}", summary.id, words(ending), path.display()),
            // The games go on: what was played elsewhere is not lost for one full disk.
            Err(error) => say!("{}: {}, {plies} plies, not written: {error:#}", summary.id, words(ending)),
        }
    }
}

fn words(ending: Option<CsaResult>) -> &'static str {
    match ending {
        Some(CsaResult::Win) => "won",
        Some(CsaResult::Lose) => "lost",
        Some(CsaResult::Draw) => "drawn",
        Some(CsaResult::Void) => "ended without result",
        None => "left",
    }
}

/// The server's answer to a login.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_survive_json_without_their_password_and_name_the_field_that_is_wrong() {
        let host = "localhost".to_string();
        let request = CsaRequest { host, user: "a".into(), password: "b".into(), ..CsaRequest::default() };
        assert_eq!(request.validate(), Ok(()));
        let text = serde_json::to_string(&request).unwrap();
        assert!(!text.contains("password"), "{text}");
        let read: CsaRequest = serde_json::from_str(&text).unwrap();
        assert_eq!(CsaRequest { password: "b".into(), ..read }, request);
        let says = |change: fn(&mut CsaRequest)| {
            let mut request = request.clone();
            change(&mut request);
            request.validate().unwrap_err().to_string()
        };
        assert_eq!(says(|request| request.version = 2), "version 2: this program knows 1");
        assert_eq!(says(|request| request.host.clear()), "host is missing");
        assert_eq!(says(|request| request.user = "a b".into()), "user \"a b\": a name without spaces is needed");
        assert_eq!(says(|request| request.password.clear()), "password: one without spaces is needed");
        assert_eq!(
            says(|request| request.retry_seconds = f64::NAN),
            "retry_seconds NaN: expected seconds, 0.001 to 86400"
        );
        assert!(serde_json::from_str::<CsaRequest>(r#"{ "hots": "x" }"#).is_err());
    }
}
