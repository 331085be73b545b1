//! The binary from outside: README commands, exit codes, help.

mod match_;
mod mates;
mod readme;
mod selftest;
mod uci;
mod words;
