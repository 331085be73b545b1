//! `tesuji uci`, `tesuji usi`, `tesuji gtp` and `tesuji engine GAME`: an engine on stdin and stdout.

use crate::{bench, games, oracle::OracleArgs, settings::settings, version};
use anyhow::{Context, bail};
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_engine::{Identity, Player, Session};
use tesuji_kit::Kit;
use tesuji_kits::LocalHost;
use tesuji_options::is_preset;
use tesuji_protocol::EngineEnd;

/// Options that engines of all games and protocols are given before they start.
#[derive(clap::Args, Default)]
pub(crate) struct Common {
    /// Set an option before the start; NAME as in `tesuji options GAME`
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Set the options of a TOML file before those of --option
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    oracle: OracleArgs,
    /// Search with this family instead of the best one
    #[arg(long, value_name = "FAMILY", default_value = "", hide_default_value = true)]
    search: String,
    /// Set all options of the family at once, before --config and --option: best-first has default, delphi and delphi-0
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Offer experts' options, too: every step and margin of the search
    #[arg(long)]
    expert: bool,
}

/// Arguments of `tesuji uci`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    printf 'position startpos moves e2e4\\ngo depth 8\\nisready\\n' | tesuji uci --option Hash=64\n\n\
    A copy of this program, or a link to it, whose name contains \"uci\" starts this way without arguments.")]
pub(crate) struct Args {
    #[command(flatten)]
    common: Common,
}

/// Arguments of `tesuji usi`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    printf 'position startpos moves 7g7f\\ngo depth 6\\n' | tesuji usi --option Hash=64\n\n\
    A copy of this program, or a link to it, whose name contains \"usi\" starts this way without arguments.")]
pub(crate) struct UsiArgs {
    #[command(flatten)]
    common: Common,
}

/// Arguments of `tesuji gtp`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  \
    printf 'boardsize 9\\ngenmove b\\nshowboard\\n' | tesuji gtp --option Visits=1000\n\n\
    A copy of this program, or a link to it, whose name contains \"gtp\" starts this way without arguments.")]
pub(crate) struct GtpArgs {
    #[command(flatten)]
    common: Common,
}

/// Arguments of `tesuji engine`.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tesuji engine chess --option Threads=4 --option Hash=256")]
pub(crate) struct EngineArgs {
    /// The game
    #[arg(value_name = "GAME", default_value = games::usual())]
    game: String,
    #[command(flatten)]
    common: Common,
}

/// Plays chess over UCI.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    play(speaking("uci")?, &args.common)
}

/// Plays shogi over USI.
pub(crate) fn run_usi(args: UsiArgs) -> anyhow::Result<ExitCode> {
    play(speaking("usi")?, &args.common)
}

/// Plays go over GTP.
pub(crate) fn run_gtp(args: GtpArgs) -> anyhow::Result<ExitCode> {
    play(speaking("gtp")?, &args.common)
}

/// Plays any game over its protocol.
pub(crate) fn run_engine(args: EngineArgs) -> anyhow::Result<ExitCode> {
    play(&args.game, &args.common)
}

/// The game whose engines speak `protocol`: the first, where several do.
fn speaking(protocol: &str) -> anyhow::Result<&'static str> {
    let kit = games::kits().iter().find(|kit| kit.protocol().name() == protocol);
    kit.map(|kit| kit.name()).with_context(|| format!("no game here has engines that speak {protocol}"))
}

/// The words of the command line that make this program an engine of `game`: the subcommand of its protocol where it has one.
pub(crate) fn words_of(game: &str) -> Vec<String> {
    let own = ["uci", "usi", "gtp"].into_iter().find(|protocol| speaking(protocol).is_ok_and(|known| known == game));
    let words = own.map_or_else(|| vec!["engine", game], |protocol| vec![protocol]);
    words.into_iter().map(str::to_string).collect()
}

/// Plays chess over UCI, shogi over USI or go over GTP if this program was started without arguments (`words` are its name alone) through a link
/// or copy that says so in its name.
pub(crate) fn run_as_link(words: &[OsString]) -> Option<anyhow::Result<ExitCode>> {
    let [program] = words else { return None };
    let name = Path::new(program).file_stem()?.to_string_lossy().to_lowercase();
    let protocol = ["uci", "usi", "gtp"].into_iter().find(|protocol| name.contains(protocol))?;
    Some(speaking(protocol).and_then(|game| play(game, &Common::default())))
}

fn play(game: &str, common: &Common) -> anyhow::Result<ExitCode> {
    let mut session = session(game, common.oracle.family(&common.search))?.with_expert_options(common.expert);
    // Presets of all doors first, then what is set by name: in the file, by --oracle, by --option.
    let config = common.config.as_deref().map(read_config).transpose()?.unwrap_or_default();
    let file = common.config.as_deref().map(|path| path.display().to_string()).unwrap_or_default();
    let (presets, rest): (Vec<_>, Vec<_>) = config.into_iter().partition(|(name, _)| is_preset(name));
    let (late, given): (Vec<_>, Vec<_>) = settings(&common.options)?.into_iter().partition(|(name, _)| is_preset(name));
    for (name, value) in presets {
        session.set(&name, &value).with_context(|| file.clone())?;
    }
    if let Some(name) = &common.preset {
        session.set("Preset", name).with_context(|| format!("--preset {name}"))?;
    }
    for (name, value) in late {
        session.set(name, value).with_context(|| format!("--option {name}={value}"))?;
    }
    for (name, value) in rest {
        session.set(&name, &value).with_context(|| file.clone())?;
    }
    common.oracle.load(|name, value| session.set(name, value))?;
    for (name, value) in given {
        session.set(name, value).with_context(|| format!("--option {name}={value}"))?;
    }
    let run = session.run(io::stdin().lock(), io::stdout());
    run.inspect_err(|_| tesuji_jobs::note_unwritten()).context("stdout")?;
    Ok(ExitCode::SUCCESS)
}

/// A session of `game`, not yet running.
pub(crate) fn session(game: &str, family: &str) -> anyhow::Result<Session> {
    let kit = games::kit(game)?;
    Ok(session_of(kit, kit.player(family)?, kit.protocol(), family))
}

/// A session of `player`, of the search family `family`, over the protocol of `end`.
pub(crate) fn session_of(
    kit: &'static dyn Kit,
    player: Box<dyn Player>,
    end: Box<dyn EngineEnd>,
    family: &str,
) -> Session {
    let family = kit.families().iter().find(|f| **f == family).or(kit.families().first()).copied().unwrap_or_default();
    let identity =
        Identity { name: "Tesuji".into(), version: version::short().into(), author: "the Tesuji authors".into() };
    let session = Session::new(player, end, identity);
    session.with_bench(bench::for_session(kit, family)).with_host(Box::new(LocalHost(kit)))
}

/// The options of a TOML file: `name = value`, one a line.
fn read_config(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let text = tesuji_jobs::read_text_limited(path, 16 << 20).context("--config")?;
    config_of(&text).with_context(|| format!("--config {}", path.display()))
}

/// The options in the text of such a file.
pub(crate) fn config_of(text: &str) -> anyhow::Result<Vec<(String, String)>> {
    let table: toml::Table = text.parse()?;
    let text_of = |(name, value): (String, toml::Value)| match value {
        toml::Value::String(text) => Ok((name, text)),
        toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => Ok((name, value.to_string())),
        _ => bail!("{name} needs a text, a number, true or false"),
    };
    table.into_iter().map(text_of).collect()
}
