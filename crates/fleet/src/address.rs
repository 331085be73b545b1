//! The address of a fleet's server: where it is, and the token that it wants, which no message shows.

use crate::FleetError;
use std::{fmt, path::PathBuf};

/// The port of a server of NATS where none is named.
const PORT: u16 = 4222;

/// Where the server is. It prints itself without its token.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) token: Option<String>,
    /// Who one is there, where each has a key of its own: then the token is that one's secret.
    #[cfg_attr(not(feature = "nats"), allow(dead_code, reason = "the client of the server reads it"))]
    pub(crate) user: Option<String>,
    /// The file with the certificate of the authority that signed the server's; `None`: one that the system knows.
    #[cfg_attr(not(feature = "nats"), allow(dead_code, reason = "the client of the server reads it"))]
    pub(crate) authority: Option<PathBuf>,
    /// Whether the connection is encrypted from its beginning (`tls://`).
    pub(crate) is_encrypted: bool,
}

impl ServerAddress {
    /// A server to which nothing is said of who one is.
    pub(crate) fn new(host: String, port: u16) -> ServerAddress {
        ServerAddress { host, port, token: None, user: None, authority: None, is_encrypted: false }
    }

    /// Reads an address, without a token where it names none.
    pub(crate) fn parse_alone(text: &str) -> Result<ServerAddress, FleetError> {
        let shown = text.split_once("://").map_or(text, |(_, rest)| rest);
        let shown = shown.rsplit_once('@').map_or(shown, |(_, place)| place);
        let wrong = |reason: &str| FleetError::Address { address: shown.to_string(), reason: reason.to_string() };
        let (is_encrypted, rest) = match text.split_once("://") {
            Some(("nats", rest)) => (false, rest),
            Some(("tls", rest)) => (true, rest),
            Some((scheme, _)) => return Err(wrong(&format!("{scheme}:// is another kind of address"))),
            None => {
                return Err(wrong("it does not begin with nats:// or tls://, and there is no key file of this name"));
            }
        };
        let (token, place) = match rest.rsplit_once('@') {
            Some((token, place)) => (Some(token.to_string()).filter(|token| !token.is_empty()), place),
            None => (None, rest),
        };
        let place = place.trim_end_matches('/');
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !host.ends_with(':') && (!host.contains(':') || host.ends_with(']')) => {
                (host, port.parse().map_err(|_| wrong("its port is no number from 1 to 65535"))?)
            }
            _ => (place, PORT),
        };
        let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]%".contains(c);
        if host.is_empty() || !host.chars().all(is_host) || port == 0 {
            return Err(wrong("it names no host"));
        }
        Ok(ServerAddress { token, is_encrypted, ..ServerAddress::new(host.to_string(), port) })
    }

    /// The address with its token, as it is handed on.
    pub(crate) fn with_token(&self) -> String {
        let token = self.token.as_ref().map_or_else(String::new, |token| format!("{token}@"));
        format!("{}://{token}{}:{}", self.scheme(), self.host, self.port)
    }

    fn scheme(&self) -> &'static str {
        if self.is_encrypted { "tls" } else { "nats" }
    }
}

impl fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme(), self.host, self.port)
    }
}

impl fmt::Debug for ServerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, shown: &str, token: Option<&str>) {
        let address = ServerAddress::parse_alone(text).unwrap();
        assert_eq!((address.to_string().as_str(), address.token.as_deref()), (shown, token));
    }

    #[test]
    fn addresses_are_read_and_shown_without_their_token() {
        check("nats://secret@127.0.0.1:4333", "nats://127.0.0.1:4333", Some("secret"));
        check("nats://host", "nats://host:4222", None);
        check("tls://a@b@[::1]:7/", "tls://[::1]:7", Some("a@b"));
        let address = ServerAddress::parse_alone("nats://secret@h:1").unwrap();
        assert_eq!(address.with_token(), "nats://secret@h:1");
        assert!(!format!("{address:?}").contains("secret"));
    }

    #[test]
    fn wrong_addresses_say_what_is_expected_and_keep_the_token_to_themselves() {
        for (text, words) in [
            ("http://secret@host:80", "http:// is another kind"),
            ("nats://secret@host:x", "port"),
            ("nats://secret@", "no host"),
            ("foo", "does not begin with nats:// or tls://"),
            ("secret@host:1", "does not begin with nats:// or tls://"),
            ("nats://secret@a b:1", "no host"),
        ] {
            let error = ServerAddress::parse_alone(text).unwrap_err().to_string();
            assert!(error.contains(words) && error.contains("expected nats://TOKEN@HOST:PORT"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
