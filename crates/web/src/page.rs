//! The page itself: the bundle built from `web/`, inside the binary.

use axum::{
    http::{StatusCode, Uri, header},
    response::{IntoResponse, Response},
};
use rust_embed::RustEmbed;

/// The files of the bundle; `absent.txt` alone where it was not built.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/page"]
struct Bundle;

/// The reason why there is no page in this binary; `None` when there is one.
pub(crate) fn absent() -> Option<String> {
    let why = Bundle::get("absent.txt")?;
    Some(String::from_utf8_lossy(&why.data).into_owned())
}

/// Answers with a file of the bundle; addresses of the page's own places get its first file.
pub(crate) async fn answer(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_file = path.starts_with("assets/") || path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let (name, found) = match Bundle::get(path) {
        Some(file) if !path.is_empty() => (path, Some(file)),
        _ if is_file => (path, None),
        _ => ("index.html", Bundle::get("index.html")),
    };
    let Some(file) = found else { return (StatusCode::NOT_FOUND, "no such file").into_response() };
    // Names of assets carry a hash of what is in them: they never change.
    let keep = if name.starts_with("assets/") { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, kind_of(name)), (header::CACHE_CONTROL, keep)];
    (headers, file.data.into_owned()).into_response()
}

/// The media type of a file of the bundle.
fn kind_of(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
