//! Integration tests of the searches, on the toy game.

mod limits;
mod mates;
mod mcts;
mod oracle;
mod threads;
mod watch;
