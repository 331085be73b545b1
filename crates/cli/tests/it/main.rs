//! The binary from outside: README commands, exit codes, help.

mod match_;
mod readme;
mod uci;
mod words;
