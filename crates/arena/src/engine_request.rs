//! Engines as they are asked for: `cmd=ENGINE name=NEW option.Hash=16 tc=1+0.01`, or the same as JSON.

use crate::in_json;
use crate::request_error::refuse;
use crate::{Allowance, Contestant, Dialect, Engine, EngineSpec, Entrant, Referee, RefereeMaker, TimeControl};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use tesuji_jobs::{named_by_content, parse_count, words::split};
use tesuji_kit::RequestError;
use utoipa::ToSchema;

/// One engine as it was asked for. Without a command it is this program's own.
///
/// # Examples
/// ```
/// use tesuji_arena::EngineRequest;
/// let engine: EngineRequest = "cmd=./engine name=new option.Hash=16 nodes=5000".parse()?;
/// assert_eq!((engine.name.as_deref(), engine.nodes), (Some("new"), Some(5000)));
/// let again: EngineRequest = serde_json::from_str(&serde_json::to_string(&engine).unwrap()).unwrap();
/// assert_eq!(again, engine);
/// # Ok::<(), String>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EngineRequest {
    /// The program; `None`: this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its name in tables and records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The folder that it runs in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub dir: Option<PathBuf>,
    /// Weights, for this program's own engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub weights: Option<PathBuf>,
    /// Options with their values; the last of a name holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// Variables of its environment.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<(String, String)>,
    /// Its time for a game.
    #[serde(with = "in_json::text", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, default = json!(null))]
    pub control: Option<TimeControl>,
    /// Its time for a move, in seconds.
    #[serde(with = "in_json::seconds", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, default = json!(null))]
    pub move_time: Option<Duration>,
    /// Nodes a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Plies a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Overstepping of time that is forgiven, in seconds.
    #[serde(with = "in_json::seconds", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, default = json!(null))]
    pub margin: Option<Duration>,
    /// Its protocol; `None`: the one that it answers in.
    #[serde(with = "in_json::text", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, default = json!(null))]
    pub dialect: Option<Dialect>,
    /// Whether it thinks while the other does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ponder: Option<bool>,
    /// Whether each game has a new process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restart: Option<bool>,
    /// Timeout of its start, in seconds.
    #[serde(with = "in_json::seconds", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, default = json!(null))]
    pub start_patience: Option<Duration>,
    /// Timeout of its end, in seconds.
    #[serde(with = "in_json::seconds", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, default = json!(null))]
    pub quit_patience: Option<Duration>,
    /// The processors that it may use.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub affinity: Vec<usize>,
}

/// This program, whose own engines play where a request names no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnProgram {
    /// Its path.
    pub path: PathBuf,
    /// The words of its command line with which it is an engine of the game.
    pub words: Vec<String>,
    /// Its version, for the origin of games.
    pub version: String,
}

/// Default patience with GTP engines, and its increment for each playout: GTP has no command to stop, many engines take no limit but
/// the clock, and a playout may be an evaluation by a large network.
const GTP_PATIENCE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_millis(50));

/// `on` or `off`.
fn switch(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" | "true" | "yes" => Ok(true),
        "off" | "false" | "no" => Ok(false),
        _ => Err(format!("{key}={value}: on or off")),
    }
}

/// Processors by number: `0,2-3`.
fn processors(text: &str) -> Result<Vec<usize>, String> {
    let wrong = || format!("affinity={text}: processors look like 0,2-3");
    // A set: parts may name the same ones again and again.
    let mut processors = BTreeSet::new();
    for part in text.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let [from, to] = [from, to].map(|n| n.trim().parse::<usize>().ok().filter(|&n| n < 1024));
        processors.extend(from.ok_or_else(wrong)?..=to.ok_or_else(wrong)?);
    }
    Ok(processors.into_iter().collect())
}

/// Seconds, at least none and at most a year.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use tesuji_arena::seconds;
/// assert_eq!(seconds(0.25), Duration::from_millis(250));
/// assert_eq!(seconds(f64::NAN), Duration::ZERO);
/// ```
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(if seconds.is_finite() { seconds.clamp(0.0, 3.2e7) } else { 0.0 })
}

/// The error for weights that cannot be opened; names of weights that are known elsewhere are no files here.
fn no_weights(weights: &Path, error: &std::io::Error) -> RequestError {
    let name = weights.display();
    let bare = weights.to_str().and_then(|name| name.rsplit(':').next()).unwrap_or_default();
    match bare {
        "material" | "builtin" => RequestError::failed(format_args!(
            "weights={name}: no file is called so; `tesuji weights show {name} > {bare}.json` writes one, and \
             weights={bare}.json plays with it"
        )),
        _ => RequestError::failed(format_args!("{name}: {error}")),
    }
}

/// The time of a move.
fn move_time(text: &str) -> Result<Duration, String> {
    let time = text.parse().ok().filter(|s: &f64| s.is_finite() && *s > 0.0);
    time.map(seconds).ok_or_else(|| format!("st={text}: a number of seconds above 0 is needed"))
}

impl FromStr for EngineRequest {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineRequest, String> {
        let mut engine = EngineRequest::default();
        if text.trim().is_empty() {
            return Err("an empty engine; self or name=NAME is this program's own, cmd=PROGRAM another".to_string());
        }
        for (index, word) in split(text)?.into_iter().enumerate() {
            match word.split_once('=') {
                Some((key, value)) => engine.set(key, value)?,
                None if index == 0 => engine.set("cmd", &word)?,
                None => {
                    let words =
                        "expected key=value, such as name=…, option.Hash=16 or, for an argument of the program, args=";
                    return Err(format!("{word:?}: {words}{word}"));
                }
            }
        }
        if engine.weights.is_some() && engine.command.is_some() {
            return Err("weights=FILE is for our own engine; others have their options: option.NAME=VALUE".to_string());
        }
        Ok(engine)
    }
}

impl EngineRequest {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        fn read<T: FromStr>(key: &str, value: &str) -> Result<Option<T>, String> {
            value.parse().map(Some).map_err(|_| format!("{key}={value}: not a number"))
        }
        match key {
            "cmd" if value == "self" => self.command = None,
            "cmd" if value.is_empty() => return Err("cmd= needs a program".to_string()),
            "cmd" => self.set_command(value)?,
            "args" => self.args = split(value)?,
            "name" => self.name = Some(value.to_string()),
            "dir" => self.dir = Some(value.into()),
            "weights" => self.weights = Some(value.into()),
            "tc" => self.control = Some(value.parse().map_err(|e: crate::ControlError| e.to_string())?),
            "st" => self.move_time = Some(move_time(value)?),
            "nodes" | "playouts" => {
                let count = parse_count(value).and_then(|count| u64::try_from(count).ok());
                self.nodes = Some(count.ok_or_else(|| format!("{key}={value}: not a number such as 5000, 5k or 2M"))?);
            }
            "depth" => self.depth = read(key, value)?,
            "margin" => self.margin = read(key, value)?.map(Duration::from_millis),
            "proto" if value == "auto" => self.dialect = None,
            "proto" => self.dialect = Some(value.parse().map_err(|e| format!("proto={value}: {e}, or auto"))?),
            "ponder" => self.ponder = Some(switch(key, value)?),
            "restart" => self.restart = Some(switch(key, value)?),
            "start" => self.start_patience = read(key, value)?.map(seconds),
            "quit" => self.quit_patience = read(key, value)?.map(seconds),
            "affinity" => self.affinity = processors(value)?,
            _ => match (key.strip_prefix("option."), key.strip_prefix("env.")) {
                (Some(name), _) => self.options.push((name.to_string(), value.to_string())),
                (_, Some(name)) => self.env.push((name.to_string(), value.to_string())),
                _ => {
                    let known = "cmd, args, name, dir, weights, tc, st, nodes, playouts, depth, margin, proto, ponder, \
                                 restart, start, quit, affinity, option.NAME, env.NAME";
                    return Err(format!("{key:?} is not known here; there are: {known}"));
                }
            },
        }
        Ok(())
    }

    /// A program, or a program with its arguments.
    fn set_command(&mut self, value: &str) -> Result<(), String> {
        let mut words = if Path::new(value).exists() { vec![value.to_string()] } else { split(value)? }.into_iter();
        self.command = words.next();
        self.args.extend(words);
        Ok(())
    }

    /// This request, completed by what `each` has and it lacks.
    pub(crate) fn or(mut self, each: &EngineRequest) -> EngineRequest {
        if self.command.is_none() && self.weights.is_none() {
            (self.command, self.weights) = (each.command.clone(), each.weights.clone());
        }
        self.args.splice(0..0, each.args.iter().cloned());
        self.dir = self.dir.or_else(|| each.dir.clone());
        self.options.splice(0..0, each.options.iter().cloned());
        self.env.splice(0..0, each.env.iter().cloned());
        self.margin = self.margin.or(each.margin);
        self.dialect = self.dialect.or(each.dialect);
        self.ponder = self.ponder.or(each.ponder);
        self.restart = self.restart.or(each.restart);
        self.start_patience = self.start_patience.or(each.start_patience);
        self.quit_patience = self.quit_patience.or(each.quit_patience);
        if self.affinity.is_empty() {
            self.affinity.clone_from(&each.affinity);
        }
        if !self.is_limited() {
            self.control = each.control.clone();
            (self.move_time, self.nodes, self.depth) = (each.move_time, each.nodes, each.depth);
        }
        self
    }

    /// Whether it has limits of its own: a clock, time, nodes or plies a move.
    pub fn is_limited(&self) -> bool {
        self.control.is_some() || self.move_time.is_some() || self.nodes.is_some() || self.depth.is_some()
    }

    /// A name when none was given: of the weights or of the program.
    pub fn usual_name(&self) -> String {
        let file = self.weights.as_deref().or(self.command.as_deref().map(Path::new));
        file.and_then(Path::file_stem).map_or("tesuji".to_string(), |stem| stem.to_string_lossy().into_owned())
    }

    /// The specification of the process that plays `game` as `name`.
    ///
    /// # Errors
    /// When its weights cannot be found.
    pub fn spec(&self, name: &str, own_dialect: Dialect, own: &OwnProgram) -> Result<EngineSpec, RequestError> {
        let mut spec = match &self.command {
            Some(command) => EngineSpec::new(command),
            None => EngineSpec::new(&own.path),
        };
        spec.args = self.args.clone();
        if self.command.is_none() {
            spec.args.splice(0..0, own.words.iter().cloned().chain(["--expert".to_string()]));
        } else if let (Some(dir), Some(command)) = (&self.dir, &self.command)
            && command.contains(std::path::is_separator)
        {
            // A relative program is looked for from here, whatever directory it runs in.
            spec.command = std::path::absolute(command).unwrap_or_else(|_| dir.join(command));
        }
        spec.name = Some(name.to_string());
        spec.dir = self.dir.clone();
        spec.env = self.env.clone();
        spec.dialect = self.dialect.or(self.command.is_none().then_some(own_dialect));
        (spec.ponder, spec.restart) = (self.ponder == Some(true), self.restart == Some(true));
        spec.affinity = self.affinity.clone();
        spec.start_patience = self.start_patience.unwrap_or(spec.start_patience);
        spec.quit_patience = self.quit_patience.unwrap_or(spec.quit_patience);
        let mut options = Vec::new();
        let is_net = |name: &str| tesuji_options::same_name(name, "NetFile");
        let sets_net = |arg: &String| arg.split_once('=').is_some_and(|(name, _)| name == "--oracle" || is_net(name));
        let has_net = self.options.iter().any(|(name, _)| is_net(name))
            || self.args.iter().any(|arg| arg == "--oracle" || sets_net(arg));
        if self.command.is_none() && has_net {
            // A game in which another evaluator played on in its place would count for the network.
            options.push(("NetFallback".to_string(), "false".to_string()));
        }
        if let Some(weights) = &self.weights {
            let path = weights.canonicalize().map_err(|error| no_weights(weights, &error))?;
            options.push(("EvalFile".to_string(), path.to_string_lossy().into_owned()));
        }
        options.extend(self.options.iter().cloned());
        if self.command.is_some() {
            spec.options = options;
        } else {
            // Over the protocol a file that cannot be read is refused in a line of information, and the game goes on without it.
            let settings = options.iter().map(|(name, value)| format!("{name}={value}"));
            spec.args.extend(settings.flat_map(|setting| ["--option".to_string(), setting]));
        }
        Ok(spec)
    }

    /// The origin of its games for learning, as self-play writes it: version, weights and options of this program; `None` for other
    /// programs.
    ///
    /// # Errors
    /// When its weights cannot be read.
    fn origin(&self, own: &OwnProgram) -> Result<Option<String>, RequestError> {
        let is_own = |command: &String| {
            let paths = [std::path::absolute(command), Ok(own.path.clone())].map(|path| path?.canonicalize());
            matches!(paths, [Ok(command), Ok(here)] if command == here)
        };
        if !self.command.as_ref().is_none_or(is_own) {
            return Ok(None);
        }
        let (files, others): (Vec<_>, Vec<_>) = self.options.iter().partition(|(name, _)| name == "EvalFile");
        let file = files.last().map(|(_, path)| Path::new(path.as_str())).or(self.weights.as_deref());
        let weights = file.map_or(Ok("built in".to_string()), named_by_content)?;
        let others: String = others.iter().map(|(name, value)| format!(", {name}={value}")).collect();
        Ok(Some(format!("tesuji {} match, weights {weights}{others}", own.version)))
    }

    /// A maker of this engine as a referee of `game`.
    ///
    /// # Errors
    /// When its weights cannot be found.
    pub fn referee(&self, own_dialect: Dialect, own: &OwnProgram) -> Result<RefereeMaker, RequestError> {
        let name = self.name.clone().unwrap_or_else(|| self.usual_name());
        let spec = self.spec(&name, own_dialect, own)?;
        Ok(Box::new(move |stop| Ok(Box::new(Engine::open(&spec, stop)?) as Box<dyn Referee>)))
    }

    /// Its own limits in place of the common ones: one that names any limit has only those. `own_dialect` is the protocol of the
    /// game's engines.
    ///
    /// # Examples
    /// ```
    /// use tesuji_arena::{Allowance, Dialect, EngineRequest};
    /// let engine: EngineRequest = "cmd=./engine depth=7".parse()?;
    /// let allowance = engine.allowance(&Allowance::of_nodes(1000), Dialect::Uci);
    /// assert_eq!((allowance.depth, allowance.nodes), (Some(7), None));
    /// # Ok::<(), String>(())
    /// ```
    pub fn allowance(&self, common: &Allowance, own_dialect: Dialect) -> Allowance {
        let mut allowance = self.limits(common);
        if own_dialect == Dialect::Gtp {
            let nodes = u32::try_from(allowance.nodes.unwrap_or(0)).unwrap_or(u32::MAX);
            allowance.patience.get_or_insert(GTP_PATIENCE.0 + GTP_PATIENCE.1.saturating_mul(nodes));
        }
        allowance
    }

    /// Its own limits in place of the common ones.
    fn limits(&self, common: &Allowance) -> Allowance {
        let own = Allowance {
            control: self.control.clone(),
            move_time: self.move_time,
            nodes: self.nodes,
            soft_nodes: None,
            depth: self.depth,
            margin: self.margin.unwrap_or(common.margin),
            patience: common.patience,
        };
        if own.is_limited() { own } else { Allowance { margin: own.margin, ..common.clone() } }
    }
}

/// The engines as entrants with names of their own.
///
/// # Errors
/// When one has no limit, or its weights cannot be found.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Allowance, Dialect, EngineRequest, OwnProgram, entrants};
/// let engines: Vec<EngineRequest> = vec!["cmd=./engine nodes=5000".parse()?, "cmd=./engine".parse()?];
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let entrants = entrants(&engines, None, &Allowance::of_nodes(1000), (Dialect::Uci, &own))?;
/// // Each has a name of its own, and the limit of all where it has none.
/// assert_eq!([&entrants[0].name, &entrants[1].name], ["engine", "engine 2"]);
/// assert_eq!([entrants[0].allowance.nodes, entrants[1].allowance.nodes], [Some(5000), Some(1000)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn entrants(
    engines: &[EngineRequest],
    each: Option<&EngineRequest>,
    common: &Allowance,
    (own_dialect, own): (Dialect, &OwnProgram),
) -> Result<Vec<Entrant>, RequestError> {
    let mut taken = HashSet::new();
    let mut entrants = Vec::new();
    for engine in engines {
        let engine = each.map_or_else(|| engine.clone(), |each| engine.clone().or(each));
        let wanted = engine.name.clone().unwrap_or_else(|| engine.usual_name());
        let mut name = wanted.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{wanted} {number}");
            number += 1;
        }
        let allowance = engine.allowance(common, own_dialect);
        if !allowance.is_limited() {
            refuse!("{name} has no limit: give --tc 1+0.01, --st SECONDS, --nodes N or --depth N");
        }
        let (spec, origin) = (engine.spec(&name, own_dialect, own)?, engine.origin(own)?);
        let make = Box::new(move |stop: &tesuji_jobs::Interrupt| {
            let engine = Engine::open(&spec, stop)?;
            Ok(Box::new(engine) as Box<dyn Contestant>)
        });
        entrants.push(Entrant { name, origin, allowance, make });
    }
    Ok(entrants)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> OwnProgram {
        OwnProgram { path: std::env::current_exe().unwrap(), words: vec!["uci".into()], version: "1.0".into() }
    }

    #[test]
    fn specs_are_read() {
        let engine: EngineRequest =
            "cmd='/no/such/engine --uci' name=\"A B\" option.Move\\ Overhead=10".parse().unwrap_or_default();
        assert_eq!(engine, EngineRequest::default(), "backslashes do not quote");
        let engine: EngineRequest =
            "cmd='/no/such/engine --uci' name=\"A B\" \"option.Move Overhead=10\" nodes=5 env.X=y".parse().unwrap();
        assert_eq!(engine.command.as_deref(), Some("/no/such/engine"));
        assert_eq!(engine.args, ["--uci"]);
        assert_eq!(engine.name.as_deref(), Some("A B"));
        assert_eq!(engine.options, [("Move Overhead".to_string(), "10".to_string())]);
        assert_eq!(engine.env, [("X".to_string(), "y".to_string())]);
        let common = Allowance { depth: Some(9), ..Allowance::default() };
        let own = engine.limits(&common);
        assert_eq!((own.nodes, own.depth), (Some(5), None));
        let engine: EngineRequest = "stockfish option.Use=a=b".parse().unwrap();
        assert_eq!((engine.usual_name(), engine.options[0].1.as_str()), ("stockfish".to_string(), "a=b"));
        assert_eq!(engine.limits(&common).depth, Some(9));
        let engine: EngineRequest = "weights=out/new.json".parse().unwrap();
        assert_eq!((engine.command.clone(), engine.usual_name()), (None, "new".to_string()));
    }

    /// A game that playouts went on with in place of a dead network counted for the network.
    #[test]
    fn our_own_engine_with_a_network_has_nothing_to_fall_back_on() {
        let strict = |text: &str| {
            let spec = text.parse::<EngineRequest>().unwrap().spec("a", Dialect::Gtp, &own()).unwrap();
            spec.args.iter().any(|arg| arg == "NetFallback=false")
        };
        assert!(strict("option.NetFile=tcp://host:1") && strict("args='--oracle tcp://host:1'"));
        assert!(strict("args='--option NetFile=a.safetensors'") && !strict("option.Visits=5"));
    }

    #[test]
    fn protocols_and_habits_are_read() {
        let text = "a proto=gtp ponder=on restart=on start=5 quit=0.5 affinity=0,2-3 playouts=100 tc=600+b30x5";
        let engine: EngineRequest = text.parse().unwrap();
        let spec = engine.spec("a", Dialect::Uci, &own()).unwrap();
        assert_eq!((spec.dialect, spec.ponder, spec.restart), (Some(Dialect::Gtp), true, true));
        assert_eq!((spec.start_patience, spec.quit_patience), (seconds(5.0), seconds(0.5)));
        assert_eq!((spec.affinity.as_slice(), engine.nodes), (&[0, 2, 3][..], Some(100)));
        assert_eq!("a nodes=5k".parse::<EngineRequest>().unwrap().nodes, Some(5_000));
        let spec = |text: &str| text.parse::<EngineRequest>().unwrap().spec("a", Dialect::Uci, &own()).unwrap().dialect;
        assert_eq!((spec("a"), spec("a proto=auto"), spec("weights=Cargo.toml")), (None, None, Some(Dialect::Uci)));
    }

    /// Records of matches had no origin, and our own games counted as another engine's when weights were tuned.
    #[test]
    fn our_own_engine_tells_its_origin() {
        let origin = |text: &str| text.parse::<EngineRequest>().unwrap().origin(&own()).unwrap();
        let here = "tesuji 1.0 match, weights ";
        assert_eq!(origin("name=x").unwrap(), format!("{here}built in"));
        assert_eq!(origin("cmd=self option.Hash=4").unwrap(), format!("{here}built in, Hash=4"));
        assert!(origin("weights=Cargo.toml").unwrap().starts_with(&format!("{here}Cargo.toml (")));
        assert_eq!(origin("cmd=/bin/sh"), None);
        let program = std::env::current_exe().unwrap();
        let by_path = origin(&format!("\"cmd={}\" option.EvalFile=Cargo.toml", program.display()));
        assert_eq!(by_path, origin("weights=Cargo.toml"));
        assert!("weights=no/such.json".parse::<EngineRequest>().unwrap().origin(&own()).is_err());
        let material: EngineRequest = "weights=shogi:material".parse().unwrap();
        let error = material.spec("a", Dialect::Usi, &own()).unwrap_err().to_string();
        assert!(error.contains("`tesuji weights show shogi:material > material.json` writes one"), "{error}");
    }

    #[test]
    fn wrong_specs_say_what_is_wrong() {
        for (spec, words) in [
            ("", "self or name=NAME is this program's own"),
            (" ", "an empty engine"),
            ("cmd=", "needs a program"),
            ("cmd=a tc=x", "1+0.01"),
            ("cmd=a nodes=many", "not a number"),
            ("cmd=a hash=16", "option.NAME"),
            ("cmd=a 'name=b", "not closed"),
            ("cmd=a b", "key=value"),
            ("cmd=a proto=uccl", "usi, gtp, xboard and kata, or auto"),
            ("cmd=a ponder=perhaps", "on or off"),
            ("cmd=a affinity=0,x", "look like 0,2-3"),
            ("cmd=a weights=b", "our own engine"),
        ] {
            let error = spec.parse::<EngineRequest>().unwrap_err();
            assert!(error.contains(words), "{spec}: {error}");
        }
    }

    #[test]
    fn entrants_have_limits_and_names_of_their_own() {
        let engines: Vec<EngineRequest> = ["a", "a", "a name='a 2'"].map(|s| s.parse().unwrap()).to_vec();
        assert!(entrants(&engines, None, &Allowance::default(), (Dialect::Uci, &own())).is_err());
        let names: Vec<String> = entrants(&engines, None, &Allowance::of_nodes(9), (Dialect::Uci, &own()))
            .unwrap()
            .into_iter()
            .map(|e| e.name)
            .collect();
        assert_eq!(names, ["a", "a 2", "a 2 2"]);
        let patience = |dialect| {
            entrants(&engines, None, &Allowance::of_nodes(100), (dialect, &own())).unwrap()[0].allowance.patience
        };
        assert_eq!((patience(Dialect::Uci), patience(Dialect::Gtp)), (None, Some(seconds(35.0))));
        let each: EngineRequest = "option.Hash=16 nodes=7".parse().unwrap();
        let engine = "a option.Hash=32".parse::<EngineRequest>().unwrap().or(&each);
        // The engine's own option comes last, and so holds.
        assert_eq!(engine.options.iter().map(|o| o.1.as_str()).collect::<Vec<_>>(), ["16", "32"]);
        assert_eq!((engine.nodes, "a depth=3".parse::<EngineRequest>().unwrap().or(&each).nodes), (Some(7), None));
    }
}
