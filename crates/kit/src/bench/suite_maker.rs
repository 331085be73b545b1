//! Makes a suite from games: positions in which one move is far better than all others, and a short search does not see it yet.

use super::iterations::{Iteration, PositionSearch};
use crate::{Kit, RequestError, SkipErrors, open_records};
use serde::{Deserialize, Serialize};
use std::{collections::HashSet, path::PathBuf};
use tesuji_game::{Random, Value};
use tesuji_record::{GameRecord, RecordError, Step};

/// Nodes of the first search that must have changed its mind, and of the first look at the second best move, for each node of the
/// short search.
const SCREENS: [u64; 2] = [20, 100];
/// Positions tried in one game.
const TRIES: usize = 24;
/// Plies at the beginning of a game that are left out: openings are known, and often made at random.
const PLIES_SKIPPED: usize = 16;
/// Beyond this value, in centipawns, the second best move wins as well, or the best one loses as well.
const DECIDED_CP: i32 = 500;

/// A suite that is to be made.
///
/// # Examples
/// ```
/// use tesuji_kit::bench::MakeSuiteRequest;
/// let request: MakeSuiteRequest =
///     serde_json::from_str(r#"{ "game": "four", "games": "games.csv", "short_nodes": 100 }"#)?;
/// assert_eq!((request.count, request.margin_cp, request.nodes), (80, 100, 2_000_000));
/// assert!(request.validate().is_ok());
/// let wrong = MakeSuiteRequest { nodes: 1000, ..request };
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "nodes 1000: expected at least 10000, 100 times short_nodes");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MakeSuiteRequest {
    /// The version of this form: [`MakeSuiteRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// The games that positions are taken from.
    pub games: PathBuf,
    /// Positions wanted.
    pub count: usize,
    /// The least margin of the best move over the second best, in centipawns.
    pub margin_cp: i32,
    /// Nodes of the search that finds it.
    pub nodes: u64,
    /// Nodes of the search that must agree, by another engine or with more nodes.
    pub judge_nodes: u64,
    /// Nodes of the search that must not find it yet.
    pub short_nodes: u64,
    /// The seed that chooses positions and their order.
    pub seed: u64,
    /// Leave broken games out instead of stopping at the first.
    pub skip_errors: bool,
}

impl Default for MakeSuiteRequest {
    fn default() -> MakeSuiteRequest {
        MakeSuiteRequest {
            version: Self::VERSION,
            game: String::new(),
            games: PathBuf::new(),
            count: 80,
            margin_cp: 100,
            nodes: 2_000_000,
            judge_nodes: 2_000_000,
            short_nodes: 1000,
            seed: 1,
            skip_errors: false,
        }
    }
}

impl MakeSuiteRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; the games are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.games.as_os_str().is_empty() {
            return Err(RequestError::field("games", "is missing"));
        }
        if !(1..=100_000).contains(&self.count) {
            return Err(RequestError::value("count", self.count, "expected 1 to 100000"));
        }
        if !(1..=30_000).contains(&self.margin_cp) {
            return Err(RequestError::value("margin_cp", self.margin_cp, "expected 1 to 30000"));
        }
        if self.short_nodes == 0 {
            return Err(RequestError::value("short_nodes", 0, "expected at least 1"));
        }
        let least = self.short_nodes.saturating_mul(SCREENS[1]);
        for (field, nodes) in [("nodes", self.nodes), ("judge_nodes", self.judge_nodes)] {
            if nodes < least {
                let reason = format_args!("expected at least {least}, {} times short_nodes", SCREENS[1]);
                return Err(RequestError::value(field, nodes, reason));
            }
        }
        Ok(())
    }
}

/// Progress of making a suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SuiteNews {
    /// Positions tried.
    pub tried: usize,
    /// Those that a deeper search sees with other eyes than a short one.
    pub changed: usize,
    /// Those in which the long search found one move far better.
    pub proposed: usize,
    /// Those in which the judge agreed.
    pub taken: usize,
}

/// Makes a suite: one line a position, ready for [`super::parse_suite`], each given to `take` as it is found.
///
/// `judge` is another engine, which searches with [`MakeSuiteRequest::judge_nodes`]; `None`: `engine` itself with these nodes.
///
/// # Errors
/// When the request is wrong, games cannot be read, or an engine fails, and what `take` says.
pub fn make_suite(
    kit: &dyn Kit,
    request: &MakeSuiteRequest,
    engine: &mut dyn PositionSearch,
    mut judge: Option<&mut dyn PositionSearch>,
    stopped: &dyn Fn() -> bool,
    take: &mut dyn FnMut(&str, &SuiteNews) -> Result<(), RequestError>,
) -> Result<SuiteNews, RequestError> {
    request.validate()?;
    let games = read_games(kit, request)?;
    let mut random = Random::new(request.seed);
    let mut order: Vec<usize> = (0..games.len()).collect();
    random.shuffle(&mut order);
    let mut news = SuiteNews::default();
    let mut seen = HashSet::new();
    for index in order {
        let positions = positions_of(kit, &games[index], &mut random);
        for (ply, position) in positions {
            if stopped() || news.taken >= request.count {
                return Ok(news);
            }
            // Positions of one game are alike: the next one comes from another game.
            if !seen.insert(position.clone()) {
                continue;
            }
            news.tried += 1;
            let found = find(request, engine, &position, &mut news)?;
            let Some(found) = found else { continue };
            news.proposed += 1;
            let judged = match judge.as_deref_mut() {
                Some(judge) => last_of(judge, &position, request.judge_nodes, 2)?,
                None => last_of(engine, &position, request.judge_nodes, 2)?,
            };
            if clear_best(&judged, request.margin_cp) != found.best() {
                continue;
            }
            news.taken += 1;
            take(&line_of(kit, &position, &found, &judged, (index + 1, ply))?, &news)?;
            break;
        }
    }
    Ok(news)
}

/// The games with moves, in their order.
fn read_games(kit: &dyn Kit, request: &MakeSuiteRequest) -> Result<Vec<GameRecord<String>>, RequestError> {
    let skip = SkipErrors { wanted: request.skip_errors };
    let mut reader = skip.reader(&request.games, open_records(kit, &request.games)?);
    let mut games = Vec::new();
    let place = |error: RecordError| {
        let hint = if error.is_fatal() { String::new() } else { skip.hint() };
        RequestError::Failed(format!("{}: {error}{hint}", request.games.display()))
    };
    while let Some(game) = reader.read().map_err(place)? {
        games.push(game);
    }
    match games.is_empty() {
        true => Err(RequestError::value("games", request.games.display(), "it holds no game")),
        false => Ok(games),
    }
}

/// Some positions of a game with their plies, in any order. A game ends where one of its moves cannot be played.
fn positions_of(kit: &dyn Kit, game: &GameRecord<String>, random: &mut Random) -> Vec<(usize, String)> {
    let Ok(mut table) = kit.table(&game.rules, game.start.as_deref()) else { return Vec::new() };
    let mut positions = Vec::new();
    for (ply, node) in game.main_nodes().into_iter().enumerate() {
        let Step::Move(text) = &game.nodes[node as usize].step else { continue };
        if ply >= PLIES_SKIPPED {
            positions.push((ply, table.position()));
        }
        if table.play(text).is_err() || table.outcome().is_some() {
            break;
        }
    }
    random.shuffle(&mut positions);
    positions.truncate(TRIES);
    positions
}

/// The best move by a long search, if it is far better than all others and not all shorter searches find it.
fn find(
    request: &MakeSuiteRequest,
    engine: &mut dyn PositionSearch,
    position: &str,
    news: &mut SuiteNews,
) -> Result<Option<Iteration>, RequestError> {
    let short = last_of(engine, position, request.short_nodes, 1)?;
    let screen = last_of(engine, position, request.short_nodes * SCREENS[0], 1)?;
    if screen.best() == short.best() {
        return Ok(None);
    }
    news.changed += 1;
    let screen = last_of(engine, position, request.short_nodes * SCREENS[1], 2)?;
    let is_new = |found: &Iteration| clear_best(found, request.margin_cp).is_some() && found.best() != short.best();
    if !is_new(&screen) {
        return Ok(None);
    }
    let long = last_of(engine, position, request.nodes, 2)?;
    Ok(Some(long).filter(is_new))
}

/// The best move, where it is better by `margin_cp` than the second, and that matters.
fn clear_best(found: &Iteration, margin_cp: i32) -> Option<&str> {
    let [(best, first), (_, second), ..] = found.lines.as_slice() else { return None };
    let matters = first.raw() > -DECIDED_CP && second.raw() < DECIDED_CP;
    (first.raw() - second.raw() >= margin_cp && matters).then_some(best)
}

/// The last complete iteration of a search.
fn last_of(
    engine: &mut dyn PositionSearch,
    position: &str,
    nodes: u64,
    lines: usize,
) -> Result<Iteration, RequestError> {
    let mut last = [Iteration::default(), Iteration::default()];
    engine.search(position, nodes, lines, &mut |iteration| {
        last.swap(0, 1);
        last[1] = iteration.clone();
    })?;
    // The end of a search has the move, the last iteration all lines from the same depth.
    let [iteration, end] = last;
    Ok(if lines > 1 { iteration } else { end })
}

/// The line of a position: where it comes from, and what both searches say of its first two moves.
fn line_of(
    kit: &dyn Kit,
    position: &str,
    found: &Iteration,
    judged: &Iteration,
    (game, ply): (usize, usize),
) -> Result<String, RequestError> {
    let table = kit.table("", Some(position)).map_err(RequestError::failed)?;
    let best = table.format_move(found.best().unwrap_or_default()).map_err(RequestError::failed)?;
    let values = |iteration: &Iteration| {
        let value = |at: usize| iteration.lines.get(at).map_or_else(String::new, |line| value_text(line.1));
        format!("{} {}", value(0), value(1))
    };
    // Text for people may be ambiguous in other readers; what we write we read.
    let word = match table.parse_move(&best) {
        Ok(_) => best,
        Err(_) => found.best().unwrap_or_default().to_string(),
    };
    Ok(format!(
        "{position} bm {word}; id \"game {game} ply {ply}\"; c0 \"{}\"; c1 \"{}\";",
        values(found),
        values(judged)
    ))
}

fn value_text(value: Value) -> String {
    match value.mate_plies() {
        Some(plies) => format!("#{plies}"),
        None => value.raw().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(values: &[i32], clear: bool) {
        let lines = values.iter().map(|&cp| (cp.to_string(), Value::cp(cp))).collect();
        let found = Iteration { lines, ..Iteration::default() };
        assert_eq!(clear_best(&found, 100).is_some(), clear, "{values:?}");
    }

    #[test]
    fn a_best_move_is_clear_where_it_matters() {
        check(&[150, 50], true);
        check(&[149, 50], false);
        check(&[150], false);
        check(&[900, 600], false);
        check(&[-600, -900], false);
        check(&[-300, -900], true);
    }
}
