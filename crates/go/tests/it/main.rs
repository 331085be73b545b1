//! The oracles of go: a slow board, published figures, GNU Go.

mod random;
mod slow;
mod speed;
