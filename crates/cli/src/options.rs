//! `tesuji options GAME`: every option of an engine, for people, for files, for the manual.

use crate::{games, uci};
use clap::ValueEnum;
use serde_json::json;
use std::{fmt::Write, process::ExitCode};
use tesuji_options::{Kind, Spec, write_markdown, write_toml, write_uci};

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
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print JSON
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Also those that are only for the search's authors
    #[arg(long)]
    all: bool,
}

/// How to print options.
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
            let list: Vec<_> = specs.iter().map(as_json).collect();
            writeln!(out, "{}", serde_json::to_string_pretty(&list)?)?;
        }
        Format::Markdown => out = whole_page(&args.game)?,
        Format::Uci => write_uci(&specs, true, &mut out)?,
        Format::Toml => write_toml(&Defaults(specs), &mut out)?,
        Format::Text => {
            for s in specs {
                writeln!(out, "{}\n    {}\n    --option {}=…: {}", s.name, s.doc, s.key, s.kind.expected())?;
                if s.kind != Kind::Button {
                    writeln!(out, "    at first: {}", s.kind.default_text())?;
                }
            }
        }
    }
    print!("{out}");
    Ok(ExitCode::SUCCESS)
}

fn as_json(s: &Spec) -> serde_json::Value {
    let (kind, min, max) = match s.kind {
        Kind::Int { min, max, .. } => ("int", Some(json!(min)), Some(json!(max))),
        Kind::Float { min, max, .. } => ("float", Some(json!(min)), Some(json!(max))),
        Kind::Flag { .. } => ("flag", None, None),
        Kind::Text { .. } => ("text", None, None),
        Kind::File { .. } => ("file", None, None),
        Kind::Choice { .. } => ("choice", None, None),
        Kind::Button => ("button", None, None),
    };
    let among = if let Kind::Choice { among, .. } = s.kind { Some(among) } else { None };
    json!({
        "name": s.name, "key": s.key, "doc": s.doc, "kind": kind, "default": s.kind.default_text(),
        "min": min, "max": max, "among": among, "expert": s.expert,
    })
}

/// The page `docs/options.md`.
fn page(game: &str, specs: &[Spec]) -> anyhow::Result<String> {
    let (expert, everyone): (Vec<Spec>, Vec<Spec>) = specs.iter().partition(|s| s.expert);
    let mut out = format!(
        "# Options of the {game} engine\n\n\
         Made by `tesuji options {game} --format markdown` from the one declaration of each option; a test keeps it so\n\
         (`UPDATE=1 cargo test -p tesuji-cli options` writes it).\n\n\
         Set them with `setoption name NAME value VALUE` in UCI, `--option NAME=VALUE` or `--config FILE.toml` on the command\n\
         line (`tesuji options {game} --format toml` writes such a file), `option.NAME=VALUE` in `tesuji match`. Case does\n\
         not matter, nor do spaces, `-` and `_`.\n\n\
         ## For everyone\n\n",
    );
    write_markdown(&everyone, &mut out)?;
    out.push_str("\n## For authors of the search\n\nAccepted everywhere, but not listed to GUIs.\n\n");
    write_markdown(&expert, &mut out)?;
    Ok(out)
}

/// The whole page of a game: all its families of a game.
fn whole_page(game: &str) -> anyhow::Result<String> {
    let mut families = games::kit(game)?.families().iter();
    let known = uci::session(game, families.next().copied().unwrap_or_default())?.specs();
    let mut out = page(game, &known)?;
    for family in families {
        out += &family_page(family, &uci::session(game, family)?.specs(), &known)?;
    }
    Ok(out)
}

/// The part of the page about another search family: the options that only it has.
fn family_page(family: &str, specs: &[Spec], known: &[Spec]) -> Result<String, std::fmt::Error> {
    let own: Vec<Spec> = specs.iter().filter(|s| !known.contains(s)).copied().collect();
    let mut out = format!(
        "\n## With `--search {family}`\n\nIts own options, and those that differ; experts' ones are not listed to GUIs.\n\n"
    );
    write_markdown(&own, &mut out)?;
    Ok(out)
}

/// Specs as a set of options that have their defaults.
struct Defaults(Vec<Spec>);

impl tesuji_options::Options for Defaults {
    fn specs(&self) -> Vec<Spec> {
        self.0.clone()
    }

    fn get(&self, name: &str) -> Option<String> {
        tesuji_options::find(&self.0, name).ok().map(|s| s.kind.default_text())
    }

    fn set(&mut self, name: &str, _: &str) -> Result<(), tesuji_options::OptionError> {
        tesuji_options::find(&self.0, name).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, path::Path};

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

    /// What `--format toml` prints sets every option to what it is.
    #[test]
    fn a_printed_file_reads_back() {
        for family in ["", "mcts", "best-first"] {
            let mut session = uci::session("chess", family).unwrap();
            let mut text = String::new();
            write_toml(&Defaults(session.specs()), &mut text).unwrap();
            for (name, value) in text.parse::<toml::Table>().unwrap() {
                let value = value.as_str().map_or(value.to_string(), str::to_string);
                session.set(&name, &value).unwrap_or_else(|e| panic!("{name} = {value}: {e}"));
            }
        }
    }
}
