//! Access control of requests: they must name this server as host; what changes something, costs something or shows data needs the
//! token or, where it is only read, a request from the page itself.

use crate::{App, Problem};
use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use sha2::{Digest, Sha256};
use std::{fmt::Write, sync::Arc};

/// The content security policy of the page. Boards set styles from scripts and carry their art as data.
const POLICY: &str = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/// The port that addresses need not name.
const HTTP_PORT: u16 = 80;
/// The path of the API.
const API: &str = "/api/";
/// Parts of the API that anybody may read: they cost nothing and show nothing of the workspace.
const OPEN: [&str; 3] = ["/api/v1/health", "/api/v1/version", "/api/v1/openapi.json"];
/// The request header in which browsers tell how the requesting page is related to this server; no page can change it.
const FETCH_SITE: &str = "sec-fetch-site";

/// The header that carries the token.
pub(crate) const TOKEN_HEADER: &str = "x-token";

/// Names of this server, and the token of this start.
pub(crate) struct Guard {
    hosts: Vec<String>,
    token: Option<String>,
}

impl Guard {
    /// The guard of a server at `port`.
    pub(crate) fn new(port: u16, with_token: bool) -> Guard {
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == HTTP_PORT {
            // Browsers leave out the usual port.
            hosts.extend(names.map(str::to_string));
        }
        Guard { hosts, token: with_token.then(fresh_token) }
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Whether a request with these headers may be answered at all, and whether it may change something or read what is not
    /// for anybody.
    fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Problem> {
        let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let host = word(header::HOST.as_str()).unwrap_or_default();
        if !self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
            let hint = format!("Open the page as http://{}/.", self.hosts[0]);
            return Err(Problem::forbidden(format!("this server is not called {host:?}")).hint(hint));
        }
        if let Some(origin) = word(header::ORIGIN.as_str())
            && !self
                .hosts
                .iter()
                .any(|known| origin.strip_prefix("http://").is_some_and(|o| o.eq_ignore_ascii_case(known)))
        {
            return Err(Problem::forbidden(format!("requests from {origin:?} are not answered")));
        }
        let is_read = matches!(*method, Method::GET | Method::HEAD) && !headers.contains_key(header::UPGRADE);
        let is_open = is_read && (!path.starts_with(API) || OPEN.contains(&path));
        let site = word(FETCH_SITE);
        if !is_open && site.is_some_and(|site| matches!(site, "cross-site" | "same-site")) {
            return Err(Problem::forbidden("requests from other pages are not answered"));
        }
        // Streams and links of the page cannot carry the token; its browser vouches for them.
        let is_own_read = is_read && site == Some("same-origin");
        match &self.token {
            Some(token) if !is_open && !is_own_read && !given(headers).any(|given| same(given, token)) => {
                Err(Problem::forbidden("the token of this start is missing or wrong")
                    .hint("Open the address that `tesuji serve` printed; scripts send it as the header X-Token.")
                    .at("token"))
            }
            _ => Ok(()),
        }
    }
}

/// The tokens that a request carries, never as a cookie: browsers send cookies to every port of this machine, so that a page of
/// another user's server would get it. As a header, or where browsers cannot set one, as a subprotocol of the socket.
fn given(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let offered = word(header::SEC_WEBSOCKET_PROTOCOL.as_str()).filter(|_| headers.contains_key(header::UPGRADE));
    let offered = offered.into_iter().flat_map(|list| list.split(',')).filter_map(|o| o.trim().strip_prefix("token."));
    word(TOKEN_HEADER).into_iter().chain(offered)
}

/// Looks at each request before anything else does, and tells browsers what the page may do.
pub(crate) async fn watch(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut answer = match app.guard.check(request.method(), request.uri().path(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = answer.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// Compares without telling by the time taken how much is right.
fn same(given: &str, wanted: &str) -> bool {
    let (given, wanted) = (given.as_bytes(), wanted.as_bytes());
    given.len() == wanted.len() && given.iter().zip(wanted).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// 128 bits from the system as text. Where the system has no source of them, time and addresses must do.
pub(crate) fn fresh_token() -> String {
    let mut bytes = [0; 32];
    let from_system = getrandom::fill(&mut bytes);
    let mut hash = Sha256::new();
    hash.update(bytes);
    if from_system.is_err() {
        use std::hash::{BuildHasher, RandomState};
        for _ in 0..4 {
            // Keyed by the system's own random numbers.
            hash.update(RandomState::new().hash_one(std::process::id()).to_le_bytes());
        }
    }
    hash.finalize()[..16].iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        list.iter()
            .map(|(name, value)| {
                (header::HeaderName::from_static(name), HeaderValue::from_str(value).expect("a value"))
            })
            .collect()
    }

    #[test]
    fn the_usual_port_need_not_be_named() {
        let asks = |port: u16, list: &[(&'static str, &str)]| {
            Guard::new(port, false).check(&Method::GET, "/", &headers(list)).is_ok()
        };
        assert!(asks(80, &[("host", "127.0.0.1"), ("origin", "http://127.0.0.1")]));
        assert!(asks(80, &[("host", "localhost:80"), ("origin", "http://localhost")]));
        assert!(!asks(80, &[("host", "evil.example")]));
        assert!(!asks(8787, &[("host", "127.0.0.1")]));
    }

    #[test]
    fn only_the_page_may_change_anything() {
        let guard = Guard::new(8787, true);
        let token = guard.token().expect("a token").to_string();
        let at = |path: &str, list: &[(&'static str, &str)]| guard.check(&Method::GET, path, &headers(list)).is_ok();
        let may = |method: Method, list: &[(&'static str, &str)]| {
            guard.check(&method, "/api/v1/sessions", &headers(list)).is_ok()
        };
        let host = ("host", "127.0.0.1:8787");
        for open in ["/", "/assets/x.js", "/api/v1/health", "/api/v1/openapi.json"] {
            assert!(at(open, &[host]) && at(open, &[("host", "LOCALHOST:8787")]), "{open}");
            assert!(at(open, &[host, (FETCH_SITE, "cross-site")]), "{open}: a link from elsewhere");
        }
        for path in ["/api/v1/data/rows", "/api/v1/jobs/events", "/api/v1/sessions/1/why", "/api/v1/health/"] {
            assert!(!at(path, &[host]), "{path} costs something or shows data");
            assert!(at(path, &[host, ("x-token", &token)]), "{path}: a script");
            assert!(at(path, &[host, (FETCH_SITE, "same-origin")]), "{path}: the page's own stream");
            for site in ["cross-site", "same-site", "none", "nonsense"] {
                assert!(!at(path, &[host, (FETCH_SITE, site)]), "{path}: {site}");
            }
            assert!(!at(path, &[host, (FETCH_SITE, "cross-site"), ("x-token", &token)]), "{path}");
        }
        assert!(!may(Method::POST, &[host, (FETCH_SITE, "same-origin")]), "changes need the token itself");
        assert!(!may(Method::GET, &[("host", "evil.example:8787")]), "a foreign name bound to loopback");
        assert!(!may(Method::GET, &[("host", "127.0.0.1:80")]));
        assert!(!may(Method::GET, &[]));
        assert!(!may(Method::POST, &[host]));
        assert!(!may(Method::POST, &[host, ("x-token", "0123")]));
        assert!(may(Method::POST, &[host, ("x-token", &token)]));
        assert!(may(Method::DELETE, &[host, ("x-token", &token), ("origin", "http://127.0.0.1:8787")]));
        assert!(!may(Method::POST, &[host, ("x-token", &token), ("origin", "http://evil.example")]));
        assert!(!may(Method::POST, &[host, ("x-token", &token), ("origin", "null")]));
        assert!(!may(Method::GET, &[host, ("upgrade", "websocket")]), "a socket needs the token, too");
        let offer = format!("tesuji, token.{token}");
        let socket = ("sec-websocket-protocol", offer.as_str());
        assert!(may(Method::GET, &[host, ("upgrade", "websocket"), socket]));
        assert!(!may(Method::GET, &[host, ("upgrade", "websocket"), ("sec-websocket-protocol", "tesuji, token.0123")]));
        assert!(!may(Method::POST, &[host, socket]), "only sockets offer protocols");
        assert_ne!(Guard::new(1, true).token(), Guard::new(1, true).token());
        let tokenless = Guard::new(8787, false);
        let asks = |method: Method, list: &[(&'static str, &str)]| {
            tokenless.check(&method, "/api/v1/data", &headers(list)).is_ok()
        };
        assert!(asks(Method::POST, &[host]) && asks(Method::GET, &[host]));
        assert!(!asks(Method::GET, &[host, (FETCH_SITE, "cross-site")]), "not from other pages");
    }
}
