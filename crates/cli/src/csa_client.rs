//! `tesuji csa-client`: the engine plays on servers of the CSA protocol such as floodgate; every game is kept as a file.

use crate::{games, request::refused, settings::settings};
use anyhow::{Context, bail};
use std::{fs, path::PathBuf, process::ExitCode, time::Duration};
use tesuji_jobs::{Interrupt, read_text_limited};
use tesuji_kits::{CsaRequest, play_on_server};
use tesuji_protocol::usi;

/// Arguments of `tesuji csa-client`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji csa-client wdoor.c.u-tokyo.ac.jp --user tesuji --password-file secret.txt --games 10 --out games\n  \
    tesuji csa-client localhost --user a --password floodgate-300-10F,x --option USI_Hash=256 --option BookFile=book.db\n\n\
    Floodgate's passwords begin with the name of the game: floodgate-300-10F,SECRET. Ctrl-C between games logs out; in a \
    game it resigns. A lost connection is made again, and games that it cost are kept as far as they came.\n\
    Exit codes: 0 all games played or stopped, 2 wrong usage, login refused or no connection.")]
pub(crate) struct Args {
    /// The server
    #[arg(value_name = "HOST")]
    host: String,
    /// Its port
    #[arg(long, value_name = "PORT", default_value_t = 4081)]
    port: u16,
    /// Our name there
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The password; others on this machine may see it
    #[arg(long, value_name = "TEXT", required_unless_present = "password_file", conflicts_with = "password_file")]
    password: Option<String>,
    /// A file whose first line is the password
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
    /// Log out after this many games; 0: never
    #[arg(long, value_name = "N", default_value_t = 1)]
    games: u32,
    /// The folder of the games
    #[arg(long, value_name = "FOLDER", default_value = "csa-games")]
    out: PathBuf,
    /// The search family
    #[arg(long, value_name = "FAMILY", default_value = "", hide_default_value = true)]
    search: String,
    /// Set an option of the engine
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Time kept back of every clock, for the way to the server and back, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    margin: u64,
    /// Send a sign of life where nothing was said for this many seconds
    #[arg(long, value_name = "SECONDS", default_value = "40", value_parser = seconds)]
    keep_alive: Duration,
    /// Connect again this many times, one after the other, before giving up; a game that ends well begins the count again
    #[arg(long, value_name = "N", default_value_t = 10)]
    retries: u32,
    /// Wait this many seconds before the first of them, and twice as long before each next one, up to ten minutes
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    retry: Duration,
    /// Do not send values and lines with the moves
    #[arg(long)]
    silent: bool,
    /// Show all that is said, on stderr
    #[arg(long)]
    verbose: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| (0.001..=86_400.0).contains(s));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| format!("{text:?}: expected seconds, 0.001 to 86400"))
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 3] =
    [("margin_ms", "margin"), ("keep_alive_seconds", "keep_alive"), ("retry_seconds", "retry")];

/// Plays.
///
/// # Errors
/// Wrong usage, a login that is refused, a server that cannot be reached.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let password = password(&args)?;
    let asked = CsaRequest {
        version: CsaRequest::VERSION,
        host: args.host,
        port: args.port,
        user: args.user,
        password,
        games: args.games,
        out: args.out,
        margin_ms: args.margin,
        keep_alive_seconds: args.keep_alive.as_secs_f64(),
        retries: args.retries,
        retry_seconds: args.retry.as_secs_f64(),
        tells: !args.silent,
        verbose: args.verbose,
    };
    asked.validate().map_err(|error| refused(error, &FLAGS))?;
    fs::create_dir_all(&asked.out).with_context(|| asked.out.display().to_string())?;
    let mut player = games::kit("shogi")?.player(&args.search)?;
    for (name, value) in settings(&args.options)? {
        player.options().set(usi::common_name(name), value).with_context(|| format!("--option {name}={value}"))?;
    }
    let played = play_on_server(&asked, player.as_mut(), Interrupt::of_process());
    let score = played.as_ref().map_or_else(|left| left.score, |score| *score);
    println!(
        "{} games: {} won, {} lost, {} drawn, {} without result; in {}",
        score.games(),
        score.won,
        score.lost,
        score.drawn,
        score.void,
        asked.out.display()
    );
    played?;
    Ok(ExitCode::SUCCESS)
}

fn password(args: &Args) -> anyhow::Result<String> {
    let text = match (&args.password, &args.password_file) {
        (Some(text), _) => text.clone(),
        (None, Some(file)) => read_text_limited(file, 1 << 20).context("--password-file")?,
        (None, None) => String::new(),
    };
    match text.lines().next().map(str::trim_end) {
        Some(line) if !line.is_empty() && !line.contains(char::is_whitespace) => Ok(line.to_string()),
        _ => bail!("a password without spaces is needed"),
    }
}
