//! `tesuji options GAME`: every option of an engine, for people, for files, for the manual.

use crate::{games, uci};
use clap::ValueEnum;
use std::{fmt::Write, process::ExitCode};
use tesuji_options::{write_toml, write_uci};
use tesuji_report::options;

/// Arguments of `tesuji options`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji options chess\n  \
    tesuji options chess --format toml > engine.toml && tesuji uci --config engine.toml")]
pub(crate) struct Args {
    /// The game
    #[arg(value_name = "GAME", default_value = games::usual())]
    game: String,
    /// The search family; the best one if not given
    #[arg(long, value_name = "FAMILY", default_value = "", hide_default_value = true)]
    search: String,
    /// The form in which they are printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also those that are only for the search's authors
    #[arg(long)]
    all: bool,
}

/// The form in which options are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// A file for `--config`, with the defaults.
    Toml,
    /// The page `docs/options.md`.
    Markdown,
    /// As a GUI sees them.
    Uci,
}

/// Prints the options.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut specs = uci::session(&args.game, &args.search)?.specs();
    specs.retain(|s| args.all || !s.expert);
    let mut out = String::new();
    match args.format {
        _ if args.json => {
            let list: Vec<_> = specs.iter().map(options::as_json).collect();
            writeln!(out, "{}", serde_json::to_string_pretty(&list)?)?;
        }
        Format::Markdown => out = whole_page(&args.game)?,
        Format::Uci => write_uci(&specs, true, &mut out)?,
        Format::Toml => write_toml(&options::Defaults(specs), &mut out)?,
        Format::Text => out = options::text(&specs),
    }
    print!("{out}");
    Ok(ExitCode::SUCCESS)
}

/// The whole page of a game: all its families of a game.
fn whole_page(game: &str) -> anyhow::Result<String> {
    let mut families = games::kit(game)?.families().iter();
    let known = uci::session(game, families.next().copied().unwrap_or_default())?.specs();
    let mut out = options::page(game, &known)?;
    for family in families {
        out += &options::family_page(family, &uci::session(game, family)?.specs(), &known)?;
    }
    Ok(out)
}
