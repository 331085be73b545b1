//! A log of the dialogue between runner and engines, line by line with timestamps.

use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tesuji_jobs::{Existing, OutputFile, open_output};

/// The dialogue of a game, shared by its engines. Lines are in the file when they are said.
///
/// # Examples
///
/// What is said between a match and an engine, here one in a line of shell:
///
/// ```
/// use tesuji_arena::{Contestant, Dialect, Dialogue, Engine, EngineSpec};
/// use tesuji_jobs::Interrupt;
/// let script = "while read -r word; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
/// let mut spec = EngineSpec::new("sh");
/// spec.args = vec!["-c".to_string(), script.to_string()];
/// (spec.name, spec.dialect) = (Some("demo".to_string()), Some(Dialect::Uci));
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("game-1.log");
/// let mut engine = Engine::open(&spec, &Interrupt::new())?;
/// engine.log_to(Some(Dialogue::create(&file)?));
/// engine.new_game("")?;
/// engine.quit();
/// assert!(std::fs::read_to_string(&file)?.contains(" demo < ucinewgame\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Dialogue {
    file: Arc<Mutex<OutputFile>>,
    began: Instant,
}

impl Dialogue {
    /// Begins the file, behind what is in it: a game that was broken off is played again.
    ///
    /// # Errors
    /// Those of opening it.
    pub fn create(path: &Path) -> io::Result<Dialogue> {
        Ok(Dialogue { file: Arc::new(Mutex::new(open_output(path, Existing::Append)?)), began: Instant::now() })
    }

    /// Writes lines that went to (`<`) or came from (`>`) `name`. A full disk loses the dialogue, not the game.
    pub(super) fn note(&self, name: &str, sign: char, text: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        let lines: String = text.lines().map(|line| format!("{seconds:>12.6} {name} {sign} {line}\n")).collect();
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(lines.as_bytes()) {
            tracing::debug!("the dialogue is not written: {error}");
        }
    }
}
