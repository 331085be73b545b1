//! The state of a run of `improve` on disk between its stages: small JSON files, written atomically.

use super::EngineTraining;
use crate::{CircleError, DuelStanding};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};
use tesuji_jobs::{AtomicFile, sha256};

/// The factor of nodes a move in the confirmation of the verdict. A gain in quick games often shrinks with more time:
/// GreKo's gain went from 56 to 21 Elo as games became slower (V. Medvedev, 2016).
pub const CONFIRM_TIMES: u64 = 10;

/// The settings of a run of `improve`.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::ImproveSettings;
/// let text = r#"{ "made_by": "example 1.0", "from": "builtin", "rounds": 3, "budget": null, "games": 200, "pairs": 20,
///     "nodes": 500, "random_plies": 4, "result_share": 0.5, "seed": 1, "jobs": 1 }"#;
/// let settings: ImproveSettings = serde_json::from_str(text)?;
/// let folder = tempfile::tempdir()?;
/// assert_eq!(ImproveSettings::load(folder.path())?, None);
/// settings.save(folder.path())?;
/// assert_eq!(ImproveSettings::load(folder.path())?, Some(settings));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct ImproveSettings {
    /// The program and version that runs.
    pub made_by: String,
    /// The source of the weights.
    pub from: String,
    /// Rounds.
    pub rounds: u32,
    /// Time for everything; without it, games and pairs are fixed.
    pub budget: Option<Duration>,
    /// Games of self-play in a round; as many as there is time for without it.
    pub games: Option<u64>,
    /// Pairs of games in each match; as many as there is time for without it.
    pub pairs: Option<u64>,
    /// Nodes a move, in self-play and matches.
    pub nodes: u64,
    /// The rules that are played; empty: the game's usual ones.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rules: String,
    /// Options of the players, as name and value.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<(String, String)>,
    /// The shape of networks that the run learns; the learner's usual one without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub net: Option<String>,
    /// The bounds of the test that ends a round's match and decides it, in normalised Elo; without it, the score does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sprt: Option<[f64; 2]>,
    /// Random plies that games begin with.
    pub random_plies: u32,
    /// The file of positions that games begin with; the usual start without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<PathBuf>,
    /// Share of the result in what is learned; the rest is the search's own score.
    pub result_share: f64,
    /// The engine of the user that learns, and how; without it players of this program do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineTraining>,
    /// Whether the verdict is repeated with [`CONFIRM_TIMES`] as many nodes.
    #[serde(default)]
    pub confirm: bool,
    /// Decides everything that time does not.
    pub seed: u64,
    /// Threads.
    pub jobs: usize,
}

/// The results of a round, stage by stage. Written to `round.json` after each stage, so that a run that was killed resumes
/// with the stage it was in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Its number, from 1.
    pub number: u32,
    /// The program and version that made it.
    pub made_by: String,
    /// The weights that played, from the run's folder.
    pub weights: String,
    /// The seed of the openings of its games.
    pub seed: u64,
    /// Nodes a move.
    pub nodes: u64,
    /// Self-play, once it is done.
    pub games: Option<GamesPlayed>,
    /// Learning, once it is done.
    pub learned: Option<LearnedRound>,
    /// The match, once it is done; without games when nothing was learned.
    pub standing: Option<DuelStanding>,
    /// Whether the learned weights play from now on.
    pub adopted: bool,
    /// SHA-256 of the files that its stages made, by their names in its folder. Rounds of older versions have none.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub checksums: BTreeMap<String, String>,
}

impl Round {
    /// Notes the content of a file that a stage has made.
    ///
    /// # Errors
    /// Those of the file system.
    pub(super) fn seal(&mut self, file: &Path) -> Result<(), CircleError> {
        let sum = sha256(file).map_err(|error| CircleError::file(file, error))?;
        let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
        self.checksums.extend(name.map(|name| (name, sum)));
        Ok(())
    }

    /// Checks that the files which the round made, in `folder`, are as they were made: later rounds and the verdict build on them.
    ///
    /// # Errors
    /// The first that was changed or cannot be read.
    pub(super) fn check_files(&self, folder: &Path) -> Result<(), CircleError> {
        for (name, made) in &self.checksums {
            let path = folder.join(name);
            let now = sha256(&path).map_err(|error| CircleError::file(&path, error))?;
            if now != *made {
                let reason = format!(
                    "this file was changed since round {} made it; put the old one back, or begin a new run",
                    self.number
                );
                return Err(CircleError::Mismatch { path: path.display().to_string(), reason });
            }
        }
        Ok(())
    }
}

/// The self-play of a round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GamesPlayed {
    /// Games in the file of games.
    pub games: u64,
    /// Time used by the part that was played last.
    pub seconds: f64,
}

/// The result of learning in a round, which is in its `weights.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LearnedRound {
    /// The rounds whose games were learned from.
    pub rounds: Vec<u32>,
    /// Games with a result.
    pub games: u64,
    /// Rows or positions learned from, and kept for validation.
    pub rows: [usize; 2],
    /// Centipawns that multiply the odds by e; 0 where nothing is told in centipawns.
    #[serde(default)]
    pub k: f64,
    /// The strength of the regularisation towards the start weights, in rows.
    #[serde(default)]
    pub pull_rows: f64,
    /// Validation loss of the weights before.
    pub loss_before: f64,
    /// Validation loss of the weights learned.
    pub loss_after: f64,
    /// The epoch they come from.
    pub best_epoch: u32,
    /// Share of the result in what was learned.
    pub result_share: f64,
    /// Time used.
    pub seconds: f64,
}

/// The final result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunVerdict {
    /// The final weights against those of the start.
    pub standing: DuelStanding,
    /// The path of the final weights.
    pub weights: String,
    /// The final match with [`CONFIRM_TIMES`] as many nodes a move, where that was asked for.
    #[serde(default)]
    pub confirmed: Option<DuelStanding>,
    /// No round changed the weights: they are those of the start, and the match proves nothing.
    #[serde(default)]
    pub unchanged: bool,
}

/// Losses of one epoch of a round, as `losses.json` in its folder keeps them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EpochLoss {
    /// The epoch; 0 is the start.
    pub epoch: u32,
    /// Mean loss over the rows learned from.
    pub train: f64,
    /// Mean loss over the rows that judge.
    pub held: Option<f64>,
}

/// Reads a JSON file; `None` where there is none.
pub(crate) fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, CircleError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(CircleError::file(path, error)),
    };
    let bad = |e: serde_json::Error| CircleError::Mismatch { path: path.display().to_string(), reason: e.to_string() };
    serde_json::from_str(&text).map(Some).map_err(bad)
}

/// The time that a run in `folder` has taken so far.
pub(super) fn spent(folder: &Path) -> Result<Duration, CircleError> {
    let path = folder.join("spent.json");
    let seconds = load::<f64>(&path)?.unwrap_or(0.0);
    if !(0.0..=1e12).contains(&seconds) {
        let reason = format!("{seconds} is no number of seconds");
        return Err(CircleError::Mismatch { path: path.display().to_string(), reason });
    }
    Ok(Duration::from_secs_f64(seconds))
}

/// Writes a JSON file, whole or not at all.
pub(crate) fn save<T: Serialize>(path: &Path, value: &T) -> Result<(), CircleError> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| CircleError::file(path, e.into()))?;
    text.push('\n');
    AtomicFile::write(path, text.as_bytes()).map_err(|e| CircleError::file(path, e))
}

/// Half points of the pairs played so far, a pair a line, as the lines of the journal at `path` tell them.
///
/// # Errors
/// When a line tells something else.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::read_pairs;
/// let path = std::path::Path::new("pairs.txt");
/// assert_eq!(read_pairs(path, &["2 1".to_string(), "0 0".to_string()])?, [[2, 1], [0, 0]]);
/// assert!(read_pairs(path, &["2 3".to_string()]).unwrap_err().to_string().contains("line 1"));
/// # Ok::<(), tesuji_circle::CircleError>(())
/// ```
pub fn read_pairs(path: &Path, lines: &[String]) -> Result<Vec<[u64; 2]>, CircleError> {
    let read = |(i, line): (usize, &String)| {
        let mut words = line.split(' ').map(|w| w.parse::<u64>().ok().filter(|&n| n <= 2));
        match (words.next().flatten(), words.next().flatten(), words.next()) {
            (Some(a), Some(b), None) => Ok([a, b]),
            _ => Err(CircleError::Mismatch {
                path: path.display().to_string(),
                reason: format!("line {}: expected the half points of two games, not {line:?}", i + 1),
            }),
        }
    };
    lines.iter().enumerate().map(read).collect()
}

/// A run as it is on disk so far.
///
/// # Examples
///
/// ```
/// use tesuji_circle::improve::Story;
/// let folder = tempfile::tempdir()?;
/// assert_eq!(Story::load(folder.path())?, None);
/// let settings = r#"{ "made_by": "example 1.0", "from": "builtin", "rounds": 3, "budget": null, "games": 200, "pairs": 2,
///     "nodes": 500, "random_plies": 4, "result_share": 0.5, "seed": 1, "jobs": 1 }"#;
/// let round = r#"{ "number": 1, "made_by": "example 1.0", "weights": "start.json", "seed": 1, "nodes": 500,
///     "games": { "games": 200, "seconds": 8.5 }, "learned": null, "standing": null, "adopted": false }"#;
/// std::fs::create_dir(folder.path().join("round-1"))?;
/// std::fs::write(folder.path().join("improve.json"), settings)?;
/// std::fs::write(folder.path().join("round-1/round.json"), round)?;
/// let story = Story::load(folder.path())?.expect("a run");
/// assert_eq!((story.rounds.len(), story.verdict), (1, None));
/// assert_eq!(story.rounds[0].0.games.as_ref().map(|played| played.games), Some(200));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// Its settings.
    pub settings: ImproveSettings,
    /// Its rounds so far, finished or not, each with its losses epoch by epoch (empty where they were not kept).
    pub rounds: Vec<(Round, Vec<EpochLoss>)>,
    /// The verdict, once it is there.
    pub verdict: Option<RunVerdict>,
    /// Half points of the pairs of the verdict and of its confirmation, in order.
    pub pairs: [Vec<[u64; 2]>; 2],
    /// Seconds of work.
    pub seconds: f64,
}

impl Story {
    /// Reads the story of the run in `folder`; `None` where there is no run.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn load(folder: &Path) -> Result<Option<Story>, CircleError> {
        let Some(settings) = ImproveSettings::load(folder)? else { return Ok(None) };
        let mut rounds = Vec::new();
        for number in 1..=settings.rounds {
            let of_round = folder.join(format!("round-{number}"));
            let Some(round) = load::<Round>(&of_round.join("round.json"))? else { break };
            rounds.push((round, load(&of_round.join("losses.json"))?.unwrap_or_default()));
        }
        let pairs = |name: &str| match fs::read_to_string(folder.join(name)) {
            Ok(text) => read_pairs(&folder.join(name), &text.lines().map(str::to_string).collect::<Vec<_>>()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(CircleError::file(&folder.join(name), error)),
        };
        Ok(Some(Story {
            rounds,
            verdict: load(&folder.join("verdict.json"))?,
            pairs: [pairs("verdict/pairs.txt")?, pairs("confirm/pairs.txt")?],
            seconds: spent(folder)?.as_secs_f64(),
            settings,
        }))
    }
}

impl ImproveSettings {
    /// Keeps the settings in `folder/improve.json`.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn save(&self, folder: &Path) -> Result<(), CircleError> {
        save(&folder.join("improve.json"), self)
    }

    /// The settings of the run in `folder`, if there is one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn load(folder: &Path) -> Result<Option<ImproveSettings>, CircleError> {
        load(&folder.join("improve.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A negative number in this file was a panic.
    #[test]
    fn times_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(spent(folder.path()).unwrap(), Duration::ZERO);
        for (text, reason) in
            [("-1", "-1 is no number of seconds"), ("1e300", "is no number of seconds"), ("x", "line 1")]
        {
            fs::write(folder.path().join("spent.json"), text).unwrap();
            let said = spent(folder.path()).unwrap_err().to_string();
            assert!(said.contains("spent.json") && said.contains(reason), "{said}");
        }
    }

    /// Weights and games that were changed while a run was stopped were believed when it went on.
    #[test]
    fn files_that_were_changed_since_a_round_made_them_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let old = r#"{ "number": 2, "made_by": "t", "weights": "start.json", "seed": 1, "nodes": 1, "games": null, "learned": null,
            "standing": null, "adopted": false }"#;
        let mut round: Round = serde_json::from_str(old).unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["games.sgs", "weights.json"] {
            fs::write(at(name), name).unwrap();
            round.seal(&at(name)).unwrap();
        }
        let round: Round = serde_json::from_str(&serde_json::to_string(&round).unwrap()).unwrap();
        assert_eq!((round.checksums.len(), round.check_files(folder.path()).is_ok()), (2, true));
        fs::write(at("weights.json"), "others").unwrap();
        let words = round.check_files(folder.path()).unwrap_err().to_string();
        assert!(words.contains("weights.json") && words.contains("was changed since round 2 made it"), "{words}");
        fs::remove_file(at("weights.json")).unwrap();
        assert!(round.check_files(folder.path()).unwrap_err().to_string().contains("weights.json"));
    }
}
