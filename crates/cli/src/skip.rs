//! `--skip-errors`, as every command that reads games takes it.

use std::ops::Deref;
use tesuji_kit::SkipErrors;

/// Whether broken games are left out.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
pub(crate) struct SkipArgs {
    /// Leave broken games and positions out, and name them, instead of stopping at the first; games of go are read up to the fault
    #[arg(long = "skip-errors")]
    wanted: bool,
}

impl Deref for SkipArgs {
    type Target = SkipErrors;

    fn deref(&self) -> &SkipErrors {
        if self.wanted { &SkipErrors { wanted: true } } else { &SkipErrors { wanted: false } }
    }
}
