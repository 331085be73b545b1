//! The files that engines of a match are made of, by their content: a match goes on only with the engines that it began with.

use crate::request_error::refuse;
use crate::{EngineRequest, Journal, MatchRequest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tesuji_jobs::Identity;
use tesuji_kit::RequestError;

/// The setting of a journal that holds them.
pub(crate) const ENGINE_FILES: &str = "engine files";

/// Programs, weights and files named by options, each with its identity. Names that are no files, such as commands found in `PATH`, are
/// left out.
pub(crate) fn engine_files(request: &MatchRequest) -> Result<BTreeMap<PathBuf, Identity>, RequestError> {
    let mut files = BTreeMap::new();
    for path in request.engines.iter().chain(&request.each).flat_map(files_of) {
        if let Some(identity) = Identity::of(&path).map_err(RequestError::failed)? {
            files.insert(path, identity);
        }
    }
    Ok(files)
}

/// The files that an engine names.
fn files_of(engine: &EngineRequest) -> Vec<PathBuf> {
    let values = engine.options.iter().map(|(_, value)| value.as_str());
    let named = engine.command.iter().map(String::as_str).chain(values).map(PathBuf::from);
    let within = |path: PathBuf| match &engine.dir {
        Some(dir) if dir.join(&path).is_file() => dir.join(path),
        _ => path,
    };
    named.chain(engine.weights.clone()).map(within).filter(|path| path.is_file()).collect()
}

/// Refuses to go on with a match in which a program or a file of an engine has another content than at its beginning: its games would be
/// those of two engines under one name. Journals of earlier versions do not know.
///
/// # Errors
/// The first file that was changed or is gone, with what to do.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{EngineRequest, MatchRequest, OwnProgram, begin_journal, built_in_openings, check_engine_files};
/// use tesuji_four::FOUR;
/// let folder = tempfile::tempdir()?;
/// let engine = folder.path().join("engine");
/// std::fs::write(&engine, "the first version")?;
/// let command = Some(engine.display().to_string());
/// let engines = ["one", "other"].map(|name| EngineRequest {
///     command: command.clone(),
///     name: Some(name.to_string()),
///     ..EngineRequest::default()
/// });
/// let request =
///     MatchRequest { game: "four".into(), engines: engines.into(), nodes: Some(500), ..MatchRequest::default() };
/// let own = OwnProgram { path: "tesuji".into(), words: vec!["uci".into()], version: "1.0".into() };
/// let plan = request.plan(&FOUR, &own, built_in_openings(&FOUR, "").iter().collect())?;
/// let journal = begin_journal(&folder.path().join("match.journal"), &[], 7, (&request, &plan))?;
/// assert_eq!(check_engine_files(&request, &journal), Ok(()));
/// std::fs::write(&engine, "the second version")?;
/// assert!(check_engine_files(&request, &journal).unwrap_err().to_string().contains("was changed"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_engine_files(request: &MatchRequest, journal: &Journal) -> Result<(), RequestError> {
    let Some(text) = journal.setting(ENGINE_FILES)? else { return Ok(()) };
    let was: BTreeMap<PathBuf, Identity> = serde_json::from_str(&text)?;
    let is = engine_files(request)?;
    for (path, was) in &was {
        if is.get(path).is_none_or(|is| is.content() != was.content()) {
            refuse!("{}", changed(path, is.contains_key(path)));
        }
    }
    Ok(())
}

fn changed(path: &Path, is_there: bool) -> String {
    let what = if is_there { "was changed" } else { "is gone" };
    format!(
        "{}: this file of an engine {what} since the match was begun, and the games so far were played with what it was; put it back, or \
         begin another match",
        path.display()
    )
}
