//! Integration tests of the searches, on the toy game.

mod limits;
mod oracle;
mod threads;
mod watch;
