//! Engines of a match: our own families, those of the configuration, and command lines that a person typed.

use crate::{App, Problem, workspace::Workspace};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, path::Path};
use tesuji_arena::EngineRequest;
use tesuji_jobs::{read_text_bounded, words::quoted};
use tesuji_kit::Kit;
use tesuji_options::{Kind, find};
use toml::Value;
use utoipa::ToSchema;

/// The configuration in the workspace: `[[engine]]` tables with `name`, `cmd` and what else `tesuji match --engine` takes.
const FILE: &str = "engines.toml";
/// The longest configuration, in bytes.
const CONFIG_BYTES_MAX: u64 = 16 << 20;

/// An engine of the configuration.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub(crate) struct Known {
    /// Its name.
    name: String,
    /// The game it plays, if the configuration says.
    game: Option<String>,
    /// Its words on a command line.
    #[serde(skip)]
    words: String,
}

/// An engine that is to play.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct EngineChoice {
    /// `own`, `known` (in the configuration) or `command`.
    pub(super) from: String,
    /// Its name in tables; empty: the usual one.
    pub(super) name: String,
    /// Our own search family; empty: the best.
    family: String,
    /// All options of the family at once, by name.
    preset: String,
    /// A file of weights in the workspace.
    weights: String,
    /// The name in the configuration.
    known: String,
    /// A command line.
    command: String,
    /// Options by name.
    options: BTreeMap<String, String>,
}

impl EngineChoice {
    /// One of our own families.
    pub(super) fn own(family: &str) -> EngineChoice {
        EngineChoice { name: family.into(), family: family.into(), ..EngineChoice::default() }
    }

    /// One of the configuration.
    pub(crate) fn known(name: &str) -> EngineChoice {
        EngineChoice { from: "known".into(), known: name.into(), ..EngineChoice::default() }
    }

    /// One by its command line.
    pub(crate) fn command(words: &str) -> EngineChoice {
        EngineChoice { from: "command".into(), command: words.into(), ..EngineChoice::default() }
    }

    /// The name of the engine in a title.
    pub(super) fn shown(&self) -> &str {
        let names = [&self.name, &self.known, &self.command, &self.family];
        names.into_iter().find(|name| !name.is_empty()).map_or("tesuji", String::as_str)
    }

    /// The kind of the engine: `own`, or where it comes from.
    fn kind(&self) -> &str {
        if self.from.is_empty() { "own" } else { &self.from }
    }

    /// A field that is given, and is not for an engine of this kind.
    fn idle_field(&self) -> Option<&'static str> {
        let of_ours = [("family", &self.family), ("preset", &self.preset), ("weights", &self.weights)];
        let all = of_ours.map(|(field, value)| (field, "own", value));
        let others = [("known", "known", &self.known), ("command", "command", &self.command)];
        let idle = |&(_, kind, value): &(&str, &str, &String)| !value.is_empty() && kind != self.kind();
        all.into_iter().chain(others).find(idle).map(|(field, ..)| field)
    }

    fn is_own(&self) -> bool {
        matches!(self.from.as_str(), "own" | "")
    }

    /// A description of one of our own engines, in words that become longer with `more`: its family, preset, weights, options.
    fn traits(&self, families: &[&str], more: usize) -> String {
        let best = families.first().copied().unwrap_or("tesuji");
        let family = if self.family.is_empty() { best } else { &self.family };
        let weights = Path::new(&self.weights).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let options = self.options.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ");
        let all = [family.to_string(), self.preset.clone(), weights.unwrap_or_default(), options];
        all.into_iter().take(more).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// Gives our own engines without a name one that says how they differ: the family, and where others have the same, preset,
/// weights and options. Two of a kind are numbered. The first of `families` is the best.
pub(super) fn name_by_difference(families: &[&str], choices: &mut [EngineChoice]) {
    const TRAITS: usize = 4;
    let is_open = |choice: &EngineChoice| choice.is_own() && choice.name.is_empty();
    let same = |choices: &[EngineChoice], i: usize, more: usize| {
        let name = choices[i].traits(families, more);
        choices.iter().enumerate().any(|(j, other)| j != i && is_open(other) && other.traits(families, more) == name)
    };
    let names: Vec<Option<String>> = (0..choices.len())
        .map(|i| {
            let more = (1..TRAITS).find(|&more| !same(choices, i, more)).unwrap_or(TRAITS);
            is_open(&choices[i]).then(|| choices[i].traits(families, more))
        })
        .collect();
    for (i, name) in names.into_iter().enumerate() {
        let Some(name) = name else { continue };
        let taken = |name: &str| choices.iter().any(|choice| choice.name == name);
        let numbered = (2..).map(|n| format!("{name} {n}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name));
        choices[i].name = free.unwrap_or(name);
    }
}

/// The engines of the configuration.
pub(super) fn known(space: &Workspace) -> Result<Vec<Known>, Problem> {
    let path = space.root().join(FILE);
    let text = match read_text_bounded(&path, CONFIG_BYTES_MAX) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|error| Problem::unprocessable(format!("{FILE}: {error}")))?,
    };
    let wrong = |what: String| Problem::unprocessable(format!("{FILE}: {what}"));
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
    let engines = table.get("engine").and_then(Value::as_array).cloned().unwrap_or_default();
    engines
        .iter()
        .map(|engine| one(engine).ok_or_else(|| wrong("expected [[engine]] tables with name and cmd".into())))
        .collect()
}

fn one(engine: &Value) -> Option<Known> {
    let engine = engine.as_table()?;
    let plain = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) => Some(value.to_string()),
        _ => None,
    };
    let mut words = Vec::new();
    for (key, value) in engine.iter().filter(|(key, _)| *key != "game") {
        match value {
            Value::Table(inner) => {
                for (name, value) in inner {
                    words.push(quoted(&format!("{key}.{name}={}", plain(value)?)));
                }
            }
            Value::Array(values) => {
                let values: Option<Vec<String>> = values.iter().map(|v| plain(v).map(|v| quoted(&v))).collect();
                words.push(quoted(&format!("{key}={}", values?.join(" "))));
            }
            _ => words.push(quoted(&format!("{key}={}", plain(value)?))),
        }
    }
    engine.get("cmd")?;
    let game = engine.get("game").and_then(Value::as_str).map(str::to_string);
    Some(Known { name: engine.get("name")?.as_str()?.to_string(), game, words: words.join(" ") })
}

/// The request for an engine.
///
/// # Errors
/// If a field is wrong, with its name and the reason.
pub(crate) fn engine(app: &App, kit: &dyn Kit, choice: &EngineChoice) -> Result<EngineRequest, Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    // A field of another kind of engine would name one that does not play.
    if let Some(field) = choice.idle_field() {
        return Err(wrong(field, format!("{field:?} says nothing of an engine that is {:?}", choice.kind())));
    }
    let mut set = choice.options.clone();
    let mut engine = match choice.from.as_str() {
        "own" | "" => {
            set = own_options(app, kit, choice)?;
            own(app, choice)?
        }
        "known" => {
            let found = known(&app.jobs.space)?.into_iter().find(|engine| engine.name == choice.known);
            let found = found.ok_or_else(|| wrong("known", format!("{FILE} has no engine {:?}", choice.known)))?;
            found.words.parse().map_err(|error| wrong("known", error))?
        }
        "command" if app.guard.token().is_none() => {
            let hint = format!("Write it into {FILE} of the workspace, or start `tesuji serve` without --no-token.");
            return Err(Problem::forbidden("without a token no command line is taken from a form").hint(hint));
        }
        "command" if choice.command.trim().is_empty() => {
            return Err(wrong("command", "a command line is needed".into()));
        }
        "command" => {
            let word = quoted(&format!("cmd={}", choice.command.trim()));
            word.parse::<EngineRequest>().map_err(|error| wrong("command", error))?
        }
        other => return Err(wrong("from", format!("{other:?}: expected own, known or command"))),
    };
    if !choice.name.is_empty() {
        engine.name = Some(choice.name.clone());
    }
    engine.options.extend(set);
    Ok(engine)
}

/// One of our own engines, without the options of the form.
fn own(app: &App, choice: &EngineChoice) -> Result<EngineRequest, Problem> {
    let mut engine = EngineRequest::default();
    for (option, value) in [("--search", &choice.family), ("--preset", &choice.preset)] {
        if !value.is_empty() {
            engine.args.extend([option.to_string(), value.clone()]);
        }
    }
    if !choice.weights.is_empty() {
        let path = app.jobs.space.find(&choice.weights)?;
        engine.options.push(("EvalFile".into(), path.display().to_string()));
    }
    Ok(engine)
}

/// Options of our own engines are known: they are set on trial, and files they name must be in the workspace, by whose whole
/// paths they are called. Memory is not counted here: a match has processes of its own.
fn own_options(app: &App, kit: &dyn Kit, choice: &EngineChoice) -> Result<BTreeMap<String, String>, Problem> {
    let wrong = |field: &str, what: String| Problem::unprocessable(what).at(field);
    let mut player = kit.player(&choice.family).map_err(|error| wrong("family", error.to_string()))?;
    let mut form = player.options();
    let specs = form.specs();
    let mut set = BTreeMap::new();
    for (name, value) in &choice.options {
        let field = format!("options.{name}");
        let spec = find(&specs, name).map_err(|error| wrong(&field, error.to_string()))?;
        let value = app.reach.resolved(&spec, value).map_err(|problem| problem.at(&*field))?;
        if !matches!(spec.kind, Kind::File { .. }) {
            form.set(spec.name, &value).map_err(|error| wrong(&field, error.to_string()))?;
        }
        set.insert(name.clone(), value);
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_without_names_were_both_called_tesuji() {
        let of = ["alpha-beta", "mcts"];
        let choice = |family: &str, preset: &str| EngineChoice {
            family: family.into(),
            preset: preset.into(),
            ..EngineChoice::default()
        };
        let named = |mut choices: Vec<EngineChoice>| {
            name_by_difference(&of, &mut choices);
            choices.into_iter().map(|choice| choice.name).collect::<Vec<_>>()
        };
        assert_eq!(named(vec![choice("", ""), choice(of[1], "calm")]), [of[0], of[1]]);
        assert_eq!(named(vec![choice("", ""), choice(of[0], "calm")]), [of[0].to_string(), format!("{} calm", of[0])]);
        assert_eq!(named(vec![choice("", ""), choice("", "")]), [of[0].to_string(), format!("{} 2", of[0])]);
        let known = EngineChoice { from: "known".into(), known: "fish".into(), ..EngineChoice::default() };
        assert_eq!(named(vec![known, EngineChoice::own(of[0])]), ["", of[0]]);
    }

    #[test]
    fn the_configuration_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let space = Workspace::open(folder.path()).expect("opened");
        assert_eq!(known(&space), Ok(vec![]));
        let text = "[[engine]]\nname = \"S F\"\ncmd = \"/a b/x\"\ngame = \"chess\"\n[engine.option]\nHash = 16\n";
        std::fs::write(folder.path().join(FILE), text).expect("written");
        let engines = known(&space).expect("read");
        assert_eq!(engines[0].game.as_deref(), Some("chess"));
        assert_eq!(engines[0].words, "'cmd=/a b/x' 'name=S F' option.Hash=16");
        std::fs::write(folder.path().join(FILE), "[[engine]]\nname = 3").expect("written");
        assert!(known(&space).is_err());
    }
}
