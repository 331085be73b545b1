//! JSON bodies of requests.

use crate::Problem;
use axum::{
    Json,
    extract::{FromRequest, Request, rejection::JsonRejection},
    http::StatusCode,
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};

/// A JSON body; what is wrong with it is told as a [`Problem`], at the field at fault.
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = Json::<Box<RawValue>>::from_request(request, state).await;
        let Json(text) = read.map_err(|rejection: JsonRejection| {
            let mut problem = Problem::bad(rejection.body_text());
            problem.status = rejection.status().as_u16();
            problem
        })?;
        let mut reader = serde_json::Deserializer::from_str(text.get());
        serde_path_to_error::deserialize(&mut reader).map(Body).map_err(|error| {
            let path = error.path().to_string();
            let mut problem =
                Problem::bad(format!("Failed to deserialize the JSON body into the target type: {error}"));
            problem.status = StatusCode::UNPROCESSABLE_ENTITY.as_u16();
            // A request stands in a wrapper with what is not a part of it; its fields have the names that they have in files.
            problem.at(path.strip_prefix("request.").unwrap_or(&path))
        })
    }
}

/// Refuses fields of a request for work that are not among `taken`, where they differ from the `usual` ones: files, journals and programs
/// are chosen by the server, and some numbers only by who starts a command.
///
/// # Errors
/// The first such field.
pub(crate) fn check_fields<R: Serialize>(asked: &R, usual: &R, taken: &[&str]) -> Result<(), Problem> {
    let [asked, usual] = [asked, usual].map(|request| serde_json::to_value(request).unwrap_or_default());
    let Value::Object(asked) = asked else { return Ok(()) };
    let is_foreign =
        |(name, value): &(&String, &Value)| !taken.contains(&name.as_str()) && usual.get(name) != Some(value);
    match asked.iter().find(is_foreign) {
        Some((name, _)) => Err(Problem::unprocessable(format!("{name} is not taken from a page")).at(name)),
        None => Ok(()),
    }
}
