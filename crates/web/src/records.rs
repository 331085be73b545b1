//! Games in and out, in the formats of their field: nothing of a record is lost on its way through the page.

mod engine_game;
pub(crate) mod store;
mod wire;

use crate::{App, Problem, body::Body, work::Deadline};
use axum::{Json, extract::State};
use serde::{Deserialize, Serialize};
use std::{io::Cursor, sync::Arc};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, SharedBuffer, Step};
use utoipa::ToSchema;
pub(crate) use wire::RecordView;

/// Games of one file that are read.
const GAMES_MAX: usize = 1000;

/// A file of games: as `text`, or where it is not UTF-8 as `hex`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordFile {
    /// The game.
    game: String,
    /// The format, or a file name that tells it.
    format: String,
    /// The content of the file.
    #[serde(default)]
    text: String,
    /// Its bytes, two hexadecimal digits each, instead of `text`.
    #[serde(default)]
    hex: Option<String>,
}

/// Reads the games of a file.
#[utoipa::path(post, path = "/api/v1/records/read", request_body = RecordFile,
    responses((status = 200, body = Vec<RecordView>), (status = "4XX", body = Problem)))]
pub(crate) async fn read(
    State(app): State<Arc<App>>,
    Body(file): Body<RecordFile>,
) -> Result<Json<Vec<RecordView>>, Problem> {
    let kit = app.kit(&file.game)?;
    app.work.run(move |deadline| games_of(kit, file, deadline)).await.map(Json)
}

/// The games of `file`; one that cannot be read is a view with its error.
fn games_of(game: &dyn AnyGame, file: RecordFile, deadline: Deadline) -> Result<Vec<RecordView>, Problem> {
    let format = format_of(game, &file.format)?;
    let bytes = match &file.hex {
        Some(hex) => from_hex(hex).ok_or_else(|| Problem::unprocessable("expected pairs of hex digits").at("hex"))?,
        None => file.text.into_bytes(),
    };
    let mut reader = format.reader(Box::new(Cursor::new(bytes)));
    let mut games = Vec::new();
    while games.len() < GAMES_MAX {
        match reader.read() {
            Ok(Some(record)) => games.push(RecordView::of(game, &record)),
            Ok(None) => break,
            Err(error) if games.is_empty() || error.is_fatal() => {
                return Err(Problem::unprocessable(error.to_string()).at("text"));
            }
            Err(error) => games.push(RecordView::broken(error.to_string())),
        }
        if deadline.is_over() {
            return Err(Problem::unprocessable("reading these games takes too long").at("text"));
        }
    }
    if games.is_empty() {
        return Err(Problem::unprocessable(format!("there is no game in this text, read as {}", format.name()))
            .at("text")
            .hint("Choose the format that the text is written in."));
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
    /// The game to be written.
    record: RecordView,
}

/// A file of one game: `text`, or `hex` where its bytes are not UTF-8.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Written {
    /// The content of the file.
    text: Option<String>,
    /// Its bytes, two hexadecimal digits each.
    hex: Option<String>,
    /// Its usual ending.
    ending: &'static str,
}

/// Writes a game with all its variations and notes as a file of its field.
#[utoipa::path(post, path = "/api/v1/records/write", request_body = RecordWish,
    responses((status = 200, body = Written), (status = "4XX", body = Problem)))]
pub(crate) async fn write(State(app): State<Arc<App>>, Body(wish): Body<RecordWish>) -> Result<Json<Written>, Problem> {
    let kit = app.kit(&wish.game)?;
    app.work.run(move |_| file_of(kit, wish)).await.map(Json)
}

fn file_of(game: &dyn AnyGame, wish: RecordWish) -> Result<Written, Problem> {
    let format = format_of(game, &wish.format)?;
    let mut record = wish.record.record(game)?;
    if record.outcome.is_none() {
        record.outcome = outcome_by_rules(game, &record);
    }
    let page = SharedBuffer::default();
    let mut writer = format.writer(Box::new(page.clone()));
    let done = writer.write(&record).and_then(|()| writer.finish());
    done.map_err(|error| Problem::unprocessable(error.to_string()).at("record"))?;
    let ending = format.extensions().first().copied().unwrap_or(format.name());
    Ok(match String::from_utf8(page.take()) {
        Ok(text) => Written { text: Some(text), hex: None, ending },
        Err(bytes) => Written { text: None, hex: Some(to_hex(bytes.as_bytes())), ending },
    })
}

/// The outcome of the main line by the rule book, if the game is over.
fn outcome_by_rules(game: &dyn AnyGame, record: &GameRecord<String>) -> Option<tesuji_game::Outcome> {
    let mut table = game.table(&record.rules, record.start.as_deref()).ok()?;
    for node in record.main_nodes() {
        match &record.nodes[node as usize].step {
            Step::Move(code) => table.play(code).ok()?,
            Step::Setup(setup) => table = game.table(&record.rules, record.setup(*setup)).ok()?,
            Step::Start => {}
        }
    }
    table.outcome()
}

fn format_of(game: &dyn AnyGame, name: &str) -> Result<&'static dyn RecordFormat, Problem> {
    game.format(name).ok_or_else(|| {
        let known: Vec<&str> = game.formats().iter().map(|format| format.name()).collect();
        let problem = Problem::unprocessable(format!("{} has no record format {name:?}", game.name())).at("format");
        problem.hint(format!("There are: {}.", known.join(", ")))
    })
}

fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |n: u8| char::from(DIGITS[usize::from(n & 15)]);
    bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte)]).collect()
}

/// Reads [`to_hex`], capital letters too.
fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|n| n as u8);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_hex() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(from_hex(&to_hex(&all)), Some(all));
        assert_eq!(from_hex("fF00"), Some(vec![255, 0]));
        assert_eq!((from_hex("f"), from_hex("gg"), from_hex("é")), (None, None, None));
    }
}
