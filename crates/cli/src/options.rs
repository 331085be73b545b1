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
    #[arg(long, value_name = "FAMILY", default_value = "")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};
    use tesuji_options::Kind;

    /// The manual's page is what the declarations say.
    #[test]
    fn the_page_is_up_to_date() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
        let page = whole_page("chess").unwrap();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, page).unwrap();
        } else {
            let expected = fs::read_to_string(&path).unwrap_or_default();
            assert!(page == expected, "docs/options.md is out of date; UPDATE=1 writes it");
        }
    }

    /// The page keeps files to the workspace by the kind of an option: none may name a file under another kind.
    #[test]
    fn options_that_name_files_are_declared_as_such() {
        for kit in crate::games::kits() {
            for family in kit.families() {
                for spec in kit.player(family).unwrap().options().specs() {
                    let names_files = ["_file", "_path", "_folder"].iter().any(|ending| spec.key.ends_with(ending));
                    let is_file = matches!(spec.kind, Kind::File { .. });
                    assert_eq!(is_file, names_files, "{} {family}: {}", kit.name(), spec.key);
                }
            }
        }
    }

    /// Runners read bounds as 32 bits with a sign; cutechess warns of larger ones.
    #[test]
    fn bounds_fit_into_32_bits() {
        for spec in ["", "mcts", "best-first"].iter().flat_map(|family| uci::session("chess", family).unwrap().specs())
        {
            if let tesuji_options::Kind::Int { min, max, .. } = spec.kind {
                assert!(i32::try_from(min).is_ok() && i32::try_from(max).is_ok(), "{}: {min} to {max}", spec.name);
            }
        }
    }

    /// The output of `--format toml` sets every option to its current value.
    #[test]
    fn a_printed_file_reads_back() {
        for family in ["", "mcts", "best-first"] {
            let mut session = uci::session("chess", family).unwrap();
            let mut text = String::new();
            write_toml(&options::Defaults(session.specs()), &mut text).unwrap();
            for (name, value) in text.parse::<toml::Table>().unwrap() {
                let value = value.as_str().map_or(value.to_string(), str::to_string);
                session.set(&name, &value).unwrap_or_else(|e| panic!("{name} = {value}: {e}"));
            }
        }
    }
}
