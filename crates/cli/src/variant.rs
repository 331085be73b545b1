//! `--chess960`: rules that have a flag of their own beside `--rules`.

use crate::games;
use anyhow::bail;
use tesuji_kit::Kit;

/// The rules that the flag asks for, and its name.
pub(crate) const FLAG: &str = "chess960";
/// The argument's id, by which other options refer to the flag.
pub(crate) const ID: &str = "variant";

/// Whether the rules with a flag are played.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
pub(crate) struct VariantArgs {
    /// Castle as in Chess960: the king takes its rook
    #[arg(long = FLAG, id = ID)]
    chess960: bool,
}

impl VariantArgs {
    /// The rules that are asked for; `None` without the flag.
    ///
    /// # Errors
    /// When the game of `kit` has no such rules.
    pub(crate) fn rules(self, kit: &dyn Kit) -> anyhow::Result<Option<&'static str>> {
        let knows = |kit: &dyn Kit| kit.table(FLAG, None).is_ok();
        match self.chess960 {
            false => Ok(None),
            true if knows(kit) => Ok(Some(FLAG)),
            true => bail!("--chess960 is for {}", games::with(knows).join(" and ")),
        }
    }

    /// Whether the flag was given.
    pub(crate) fn is_given(self) -> bool {
        self.chess960
    }
}
