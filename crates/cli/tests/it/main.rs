//! The binary from outside: README commands, exit codes, help.

mod readme;
mod uci;
mod words;
