//! Integration tests of the searches, on the toy game.

mod limits;
mod mcts;
mod oracle;
mod threads;
mod watch;
