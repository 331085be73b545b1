//! The oracles of go: a slow board, published figures, GNU Go.

mod cases;
mod gnugo;
mod invariants;
mod known;
mod lists;
mod problems;
mod random;
mod sgf;
mod slow;
mod slow_ladder;
mod speed;
