//! Requests that the command line makes or reads from files, refused in its own words.

use anyhow::Context;
use clap::{Arg, ArgMatches, Command, error::ErrorKind, parser::ValueSource};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};
use tesuji_jobs::{read_text_bounded, read_text_limited};
use tesuji_kit::RequestError;

/// The longest file of a request, in bytes.
const REQUEST_BYTES_MAX: u64 = 16 << 20;

/// `--request` and `--print-request`, the same for every command whose work is asked for by a typed request. What the command needs
/// otherwise is `required_unless_present = "request"`.
#[derive(clap::Args, Debug, Clone, Default)]
#[group(skip)]
pub(crate) struct RequestArgs {
    /// Do what this JSON file asks for; all that is asked comes from it
    #[arg(long, value_name = "FILE")]
    pub(crate) request: Option<String>,
    /// Write what is asked for as JSON, ready for --request, and do nothing else
    #[arg(long)]
    pub(crate) print_request: bool,
}

impl RequestArgs {
    /// The request of the file, else the one that the arguments make.
    ///
    /// # Errors
    /// When the file cannot be read or holds no such request, and those of `own`.
    pub(crate) fn read<R: DeserializeOwned>(&self, own: impl FnOnce() -> anyhow::Result<R>) -> anyhow::Result<R> {
        match self.request.as_deref() {
            None => own(),
            // What a journal remembers.
            Some(text) if text.starts_with('{') => Ok(serde_json::from_str(text)?),
            Some(path) => {
                FROM_FILE.store(true, Ordering::Relaxed);
                let text = read_text_limited(Path::new(path), REQUEST_BYTES_MAX).context("--request")?;
                serde_json::from_str(&text).with_context(|| format!("--request {path}"))
            }
        }
    }

    /// The request of the file or of the arguments, once `check` finds nothing wrong with it; `None`: it was only to be written.
    /// `renamed`: see [`refused`].
    ///
    /// # Errors
    /// Those of reading, and what is wrong with the request.
    pub(crate) fn take<R: Serialize + DeserializeOwned>(
        &self,
        own: impl FnOnce() -> anyhow::Result<R>,
        check: fn(&R) -> Result<(), RequestError>,
        renamed: &[(&str, &str)],
    ) -> anyhow::Result<Option<R>> {
        let request = self.read(own)?;
        check(&request).map_err(|error| refused(error, renamed))?;
        Ok((!self.print(&request)?).then_some(request))
    }

    /// Prints the request where that is all that is wanted; `false` where it is to be carried out.
    ///
    /// # Errors
    /// When it has no form in JSON.
    pub(crate) fn print(&self, request: &impl Serialize) -> anyhow::Result<bool> {
        if self.print_request {
            println!("{}", serde_json::to_string_pretty(request)?);
        }
        Ok(self.print_request)
    }
}

/// Whether the request of this process came from a file.
static FROM_FILE: AtomicBool = AtomicBool::new(false);

/// The error of a request, with flags for its fields; `renamed` has those that are called otherwise. Where the request came from a
/// file, the fields have the names that they have there.
pub(crate) fn refused(error: RequestError, renamed: &[(&str, &str)]) -> anyhow::Error {
    match FROM_FILE.load(Ordering::Relaxed) {
        true => anyhow::Error::msg(error.to_string()),
        false => anyhow::Error::msg(error.with_flags(renamed)),
    }
}

/// Options that may stand beside `--request`: they say how work is shown and who does it, not what it is.
const BESIDE: &str = "request print_request json quiet no_progress html output sigma anchor dry_run \
    curves numbers_out log log_file force job_control fleet priority build_on_workers";

/// The game that the file with a request names, in whatever part of it; `None` where there is none, or no file that can be read.
fn game_of_request(matches: &ArgMatches) -> Option<String> {
    fn game_in(value: &Value) -> Option<&str> {
        let fields = value.as_object()?;
        fields.get("game").and_then(Value::as_str).or_else(|| fields.values().find_map(game_in))
    }
    let path = matches.try_get_one::<String>("request").ok()??;
    // A pipe would be read before the request is.
    let text = read_text_bounded(Path::new(path), REQUEST_BYTES_MAX).ok()?;
    game_in(&serde_json::from_str(&text).ok()?).map(str::to_string)
}

/// Refuses options that a request would silently win over. A game beside it may be the request's.
///
/// # Errors
/// The first of them, in clap's words.
pub(crate) fn check_beside(command: &mut Command, matches: &ArgMatches) -> Result<(), clap::Error> {
    if let Some((name, below)) = matches.subcommand() {
        return command.find_subcommand_mut(name).map_or(Ok(()), |command| check_beside(command, below));
    }
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    if !(matches.try_contains_id("request").is_ok() && is_given("request")) {
        return Ok(());
    }
    let game = matches.try_get_one::<String>("game").ok().flatten();
    let agrees = game.is_some() && game_of_request(matches).as_ref() == game;
    let is_beside = |id: &str| BESIDE.split(' ').any(|name| name == id) || (id == "game" && agrees);
    let is_other = |arg: &&Arg| !is_beside(arg.get_id().as_str()) && is_given(arg.get_id().as_str());
    let Some(other) = command.get_arguments().find(is_other).map(ToString::to_string) else { return Ok(()) };
    let words = format!("the argument '--request <FILE>' cannot be used with '{other}'");
    Err(command.error(ErrorKind::ArgumentConflict, words))
}
