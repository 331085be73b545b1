//! Integration tests of the searches, on the toy game.

mod batched;
mod best_first;
mod leaf_mates;
mod limits;
mod mates;
mod mcts;
mod oracle;
mod profile;
mod proof;
mod threads;
mod watch;
