//! Errors as `application/problem+json` (RFC 9457): what is wrong, what to do about it, where.

use axum::{
    body::to_bytes,
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::Serialize;
use tesuji_kit::RequestError;
use utoipa::ToSchema;

/// The error of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The kind of problem, in a word or two.
    pub title: &'static str,
    /// The details of this error.
    pub detail: String,
    /// A hint what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The field or line at fault.
    #[serde(rename = "where", skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Problem {
    fn new(status: StatusCode, title: &'static str, detail: impl Into<String>) -> Problem {
        let detail = tesuji_jobs::terminal::error_text(&detail.into());
        Problem { status: status.as_u16(), title, detail, hint: None, place: None }
    }

    /// Something named is not there.
    pub fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "Not found", detail)
    }

    /// The error of a request whose content cannot be accepted (status 422).
    pub fn unprocessable(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "Not accepted", detail)
    }

    /// The error of an invalid request for work, at its field.
    pub fn of_request(error: RequestError) -> Problem {
        let problem = Problem::unprocessable(error.to_string());
        match error {
            RequestError::Field { field, .. } => problem.at(field),
            _ => problem,
        }
    }

    /// The request may not be made.
    pub fn forbidden(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "Forbidden", detail)
    }

    /// It does not fit how things stand now.
    pub fn conflict(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::CONFLICT, "Not now", detail)
    }

    /// The request cannot be read.
    pub fn bad(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "Bad request", detail)
    }

    /// The request did not arrive in time; no more of the connection is read.
    pub fn late(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "Too late", detail)
    }

    /// Too much of something is there already.
    pub fn too_many(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "Too many", detail)
    }

    /// Others take what it needs.
    pub fn busy(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "Busy", detail)
    }

    /// The server's own fault.
    pub fn internal(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "Failed", detail)
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the field at fault.
    pub fn at(mut self, place: impl Into<String>) -> Problem {
        self.place = Some(place.into());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], body).into_response()
    }
}

/// The media type of problems.
const MEDIA_TYPE: &str = "application/problem+json";
/// Bytes of an error's text that are told.
const TEXT_MAX: usize = 4096;

/// Makes a problem of every error that is none yet: those of the router and of extractors come as plain text.
pub(crate) async fn tell_all(request: Request, next: Next) -> Response {
    let method = request.method().clone();
    let answer = next.run(request).await;
    let status = answer.status();
    let is_told = answer.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == MEDIA_TYPE);
    if is_told || !(status.is_client_error() || status.is_server_error()) {
        return answer;
    }
    let (mut parts, body) = answer.into_parts();
    let text = to_bytes(body, TEXT_MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let reason = status.canonical_reason().unwrap_or("Error");
    let problem = match (status, text.trim()) {
        (StatusCode::METHOD_NOT_ALLOWED, _) => {
            // The router adds the header after this.
            Problem::new(status, reason, format!("{method} is not answered here"))
                .hint("The header Allow names the methods that are.")
        }
        (_, "") => Problem::new(status, reason, reason.to_lowercase()),
        (_, text) => Problem::new(status, reason, text),
    };
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, body.into())
}
