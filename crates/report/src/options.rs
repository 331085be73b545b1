//! Options of an engine as text, as JSON and as a page of the manual.

use serde_json::json;
use std::fmt::Write as _;
use tesuji_options::{Kind, Spec, write_markdown};

/// Some lines for each option, for people.
pub fn text(specs: &[Spec]) -> String {
    let mut out = String::new();
    for s in specs {
        let _ = writeln!(out, "{}\n    {}\n    --option {}=…: {}", s.name, s.doc, s.key, s.kind.expected());
        if s.kind != Kind::Button {
            let _ = writeln!(out, "    at first: {}", s.kind.default_text());
        }
    }
    out
}

/// An option for programs.
pub fn as_json(s: &Spec) -> serde_json::Value {
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

/// The page `docs/options.md`: the options of a game's first family.
///
/// # Errors
/// None that is known.
pub fn page(game: &str, specs: &[Spec]) -> Result<String, std::fmt::Error> {
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

/// The part of the page about another search family: the options that only it has.
///
/// # Errors
/// None that is known.
pub fn family_page(family: &str, specs: &[Spec], known: &[Spec]) -> Result<String, std::fmt::Error> {
    let own: Vec<Spec> = specs.iter().filter(|s| !known.contains(s)).copied().collect();
    let mut out = format!(
        "\n## With `--search {family}`\n\nIts own options, and those that differ; experts' ones are not listed to GUIs.\n\n"
    );
    write_markdown(&own, &mut out)?;
    Ok(out)
}

/// Specs as a set of options that have their defaults.
pub struct Defaults(pub Vec<Spec>);

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
