//! Proof and disproof numbers of a node, and all that is known of it beside them.

use tesuji_game::Hand;

/// A number that says: never.
pub(crate) const NEVER: u32 = 1 << 28;
/// No limit of plies; no dependence on the path.
pub(crate) const NONE: u16 = u16::MAX;

/// Proof and disproof numbers of a node, with the hand and the plies for which they hold.
///
/// `pn` is 0 where a mate is proved, `dn` where it is disproved; elsewhere both are lower bounds of the leaves that are missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Numbers<H> {
    /// Leaves to be proved at least until the mate is.
    pub pn: u32,
    /// Leaves to be disproved at least until there is none.
    pub dn: u32,
    /// Proved: the least hand of the attacker's for which the proof holds; disproved: the greatest one; else its hand.
    pub hand: H,
    /// Proved: plies of the mate found. Disproved: plies within which there is none, [`NONE`] for any number.
    pub plies: u16,
    /// Disproved because a position comes back: the least depth of those on whose return it rests. [`NONE`]: it rests
    /// on none, and holds wherever the node is reached.
    pub rests_on: u16,
}

impl<H: Hand> Numbers<H> {
    /// Not solved.
    pub fn open(pn: u32, dn: u32, hand: H) -> Numbers<H> {
        Numbers { pn: pn.max(1), dn: dn.max(1), hand, plies: 0, rests_on: NONE }
    }

    /// Mate in `plies`.
    pub fn proved(hand: H, plies: u16) -> Numbers<H> {
        Numbers { pn: 0, dn: NEVER, hand, plies, rests_on: NONE }
    }

    /// No mate within `plies`.
    pub fn disproved(hand: H, plies: u16, rests_on: u16) -> Numbers<H> {
        Numbers { pn: NEVER, dn: 0, hand, plies, rests_on }
    }

    pub fn is_proved(&self) -> bool {
        self.pn == 0
    }

    pub fn is_solved(&self) -> bool {
        self.is_proved() || self.is_disproved()
    }

    pub fn is_disproved(&self) -> bool {
        self.dn == 0
    }
}

/// One more ply, where there is a limit at all.
pub(crate) fn next(plies: u16) -> u16 {
    if plies == NONE { NONE } else { (plies + 1).min(NONE - 1) }
}
