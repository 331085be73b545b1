//! Work on files of games and positions: the same for any number of jobs, gone on with after a stop, whole or not there.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod files;
mod passes;
