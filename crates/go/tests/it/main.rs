//! The oracles of go: a slow board, published figures, GNU Go.

mod laws;
mod random;
mod slow;
mod speed;
