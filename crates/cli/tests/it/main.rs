//! The binary from outside: README commands, exit codes, help.

mod builds;
mod check;
mod data;
mod explain;
mod features;
mod lessons;
mod match_;
mod match_frc;
mod match_go;
mod match_stats;
mod match_torn;
mod mates;
mod openings;
mod play;
mod readme;
mod release;
mod selfplay;
mod selftest;
mod solve;
mod spsa;
mod tree;
mod tune;
mod uci;
mod usi;
mod weights;
mod words;
