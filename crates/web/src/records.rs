//! Games in and out, in the formats of their field.

use crate::{App, Problem, api::Body, places::Place, work::Deadline};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use std::{
    io::{Cursor, Write},
    sync::{Arc, Mutex, PoisonError},
};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, Step};
use utoipa::ToSchema;

/// Games of one file that are read.
const GAMES_MAX: usize = 1000;

/// A file of games, as text.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordText {
    /// The game.
    game: String,
    /// The format, or a file name that tells it.
    format: String,
    /// What is in the file.
    text: String,
}

/// A game: where it starts, its moves, and variations as other lines.
#[derive(Debug, Clone, Deserialize, Serialize, ToSchema)]
pub(crate) struct RecordView {
    /// Names and values: players, event, date.
    #[serde(default)]
    tags: Vec<(String, String)>,
    /// The main line.
    place: Place,
    /// Comments by the number of the move they stand after; 0: before the first.
    #[serde(default)]
    comments: Vec<(usize, String)>,
    /// What was wrong with it, if it could not be read whole.
    #[serde(default)]
    error: Option<String>,
}

/// Reads the games of a file.
#[utoipa::path(post, path = "/api/v1/records/read", request_body = RecordText,
    responses((status = 200, body = Vec<RecordView>), (status = "4XX", body = Problem)))]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Body(file): Body<RecordText>,
) -> Result<Json<Vec<RecordView>>, Problem> {
    let kit = app.kit(&file.game)?;
    app.work.run(move |deadline| read_games(kit, file, deadline)).await.map(Json)
}

fn read_games(game: &dyn AnyGame, file: RecordText, deadline: Deadline) -> Result<Vec<RecordView>, Problem> {
    let format = format_of(game, &file.format)?;
    let mut reader = format.reader(Box::new(Cursor::new(file.text.into_bytes())));
    let mut games = Vec::new();
    while games.len() < GAMES_MAX {
        match reader.read() {
            Ok(Some(record)) => games.push(view(&record)),
            Ok(None) => break,
            Err(error) if games.is_empty() || error.is_fatal() => {
                return Err(Problem::unprocessable(error.to_string()).at("text"));
            }
            Err(error) => games.push(broken(error.to_string())),
        }
        if deadline.is_over() {
            return Err(Problem::unprocessable("reading these games takes too long").at("text"));
        }
    }
    if games.is_empty() {
        return Err(Problem::unprocessable(format!("no game in {} is found here", format.name())).at("text"));
    }
    Ok(games)
}

/// A game to be written.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordWish {
    /// The game.
    game: String,
    /// The format.
    format: String,
    /// What is to be written.
    record: RecordView,
}

/// A file of one game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Written {
    /// What would be in the file.
    text: String,
    /// Its usual ending.
    ending: &'static str,
}

/// Writes a game as a file of its field.
#[utoipa::path(post, path = "/api/v1/records/write", request_body = RecordWish,
    responses((status = 200, body = Written), (status = "4XX", body = Problem)))]
pub(crate) async fn write(State(app): State<Arc<App>>, Body(wish): Body<RecordWish>) -> Result<Json<Written>, Problem> {
    let kit = app.kit(&wish.game)?;
    app.work.run(move |_| written(kit, wish)).await.map(Json)
}

fn written(game: &dyn AnyGame, wish: RecordWish) -> Result<Written, Problem> {
    let format = format_of(game, &wish.format)?;
    let table = crate::places::seat(game, &wish.record.place)?;
    let start = wish.record.place.start.as_deref().filter(|start| !start.is_empty());
    let mut record = GameRecord::from_moves(&wish.record.place.rules, start, table.played());
    record.tags = wish.record.tags;
    record.outcome = table.outcome();
    for (ply, words) in wish.record.comments {
        if ply < record.nodes.len() {
            record.note_mut(ply as u32).comment = words;
        }
    }
    let page = Shared::default();
    let mut writer = format.writer(Box::new(page.clone()));
    let done = writer.write(&record).and_then(|()| writer.finish());
    done.map_err(|error| Problem::unprocessable(error.to_string()))?;
    let ending = format.extensions().first().copied().unwrap_or(format.name());
    Ok(Written { text: String::from_utf8_lossy(&page.take()).into_owned(), ending })
}

fn format_of(game: &dyn AnyGame, name: &str) -> Result<&'static dyn RecordFormat, Problem> {
    game.format(name).ok_or_else(|| {
        let known: Vec<&str> = game.formats().iter().map(|format| format.name()).collect();
        let problem = Problem::unprocessable(format!("{} has no record format {name:?}", game.name())).at("format");
        problem.hint(format!("There are: {}.", known.join(", ")))
    })
}

/// The main line of `record`; a position set up on the way is where it begins.
fn view(record: &GameRecord<String>) -> RecordView {
    let mut place = Place { rules: record.rules.clone(), start: record.start.clone(), moves: Vec::new() };
    let mut comments = Vec::new();
    let mut at = 0;
    loop {
        let words = record.note(at).comment.trim();
        if !words.is_empty() {
            comments.push((place.moves.len(), words.to_string()));
        }
        let next = (at + 1..record.nodes.len() as u32).find(|&child| record.nodes[child as usize].parent == at);
        let Some(next) = next else { break };
        match &record.nodes[next as usize].step {
            Step::Move(code) => place.moves.push(code.clone()),
            Step::Setup(setup) => {
                place = Place { start: Some(record.setups[*setup as usize].clone()), moves: Vec::new(), ..place };
                comments.clear();
            }
            Step::Start => {}
        }
        at = next;
    }
    RecordView { tags: record.tags.clone(), place, comments, error: None }
}

fn broken(error: String) -> RecordView {
    RecordView { tags: Vec::new(), place: Place::default(), comments: Vec::new(), error: Some(error) }
}

/// A page that a writer writes on and we read afterwards.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
