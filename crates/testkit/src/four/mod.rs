//! Connect Four: a whole game small enough to be solved by plain search, so that nothing chess-shaped hides in the generic crates.

mod eval;
mod text;

pub use eval::FourEval;
pub use text::{Columns, Four, NoRules};

use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{By, Key, Mating, Outcome, Position, Side, Tactical};

/// Cells of the bottom row; columns are seven bits wide, of which the seventh stays empty.
const BOTTOM: u64 = 0x0000_0408_1020_4081;
/// All 42 cells.
const FULL: u64 = BOTTOM * 0x3f;
/// Columns from the centre outwards.
const ORDER: [u8; 7] = [3, 2, 4, 1, 5, 0, 6];

/// A drop into a column, 0 to 6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Drop(pub u8);

/// A disc that appeared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disc {
    /// The side.
    pub side: Side,
    /// The column it fell into.
    pub column: u8,
}

/// A Connect Four position on 7 columns and 6 rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FourPosition {
    mine: u64,
    all: u64,
    plies: u8,
}

/// Whether four bits of `b` stand in a row.
fn four_in_a_row(b: u64) -> bool {
    [1u32, 7, 6, 8].iter().any(|&s| {
        let pairs = b & (b >> s);
        pairs & (pairs >> (2 * s)) != 0
    })
}

/// Empty cells of `player` that would make four, of the cells in `all` that are taken: columns are seven bits wide.
pub fn winning_cells(player: u64, all: u64) -> u64 {
    let mut out = (player << 1) & (player << 2) & (player << 3);
    for s in [7u32, 6, 8] {
        let two = (player << s) & (player << (2 * s));
        out |= two & (player << (3 * s)) | two & (player >> s);
        let two = (player >> s) & (player >> (2 * s));
        out |= two & (player << s) | two & (player >> (3 * s));
    }
    out & (FULL & !all)
}

impl FourPosition {
    /// Discs of the side to move and of both.
    pub fn discs(&self) -> (u64, u64) {
        (self.mine, self.all)
    }

    fn from_parts(mine: u64, all: u64, plies: u8) -> Self {
        FourPosition { mine, all, plies }
    }

    /// The cell a drop into `column` reaches, as a bit; 0 when the column is full.
    fn landing(&self, column: u8) -> u64 {
        (self.all + (1 << (7 * column))) & FULL & (0x3f << (7 * column))
    }

    /// Whether a drop makes four or stops a four of the opponent.
    fn is_sharp(&self, mv: Drop) -> bool {
        let theirs = self.all ^ self.mine;
        self.landing(mv.0) & (winning_cells(self.mine, self.all) | winning_cells(theirs, self.all)) != 0
    }

    fn over(&self) -> bool {
        four_in_a_row(self.all ^ self.mine)
    }
}

impl Position for FourPosition {
    type Move = Drop;
    type Undo = FourPosition;
    type Change = Disc;
    type Mark = Key;

    fn side_to_move(&self) -> Side {
        if self.plies & 1 == 0 { Side::First } else { Side::Second }
    }

    fn key(&self) -> Key {
        let board = (self.mine + self.all + BOTTOM) ^ (u64::from(self.plies & 1) << 63);
        Key(board.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xD6E8_FEB8_6659_FD93))
    }

    fn mark(&self, _: &[Key]) -> Key {
        self.key()
    }

    fn for_each_move<B>(&self, mut f: impl FnMut(Drop) -> ControlFlow<B>) -> ControlFlow<B> {
        if !self.over() {
            for column in ORDER {
                if self.landing(column) != 0 {
                    f(Drop(column))?;
                }
            }
        }
        Continue(())
    }

    fn pack(mv: Drop) -> u16 {
        u16::from(mv.0) + 1
    }

    fn unpack(&self, bits: u16) -> Option<Drop> {
        let column = bits.checked_sub(1).filter(|&c| c < 7)? as u8;
        (!self.over() && self.landing(column) != 0).then_some(Drop(column))
    }

    fn play_seen(&mut self, mv: Drop, mut seen: impl FnMut(Disc)) -> FourPosition {
        let undo = *self;
        seen(Disc { side: self.side_to_move(), column: mv.0 });
        let theirs = self.all ^ self.mine;
        self.all |= self.all + (1 << (7 * mv.0));
        self.mine = theirs;
        self.plies += 1;
        undo
    }

    fn undo(&mut self, _: Drop, undo: FourPosition) {
        *self = undo;
    }

    fn ended(&self, _: &[Key], _: usize) -> Option<Outcome> {
        if self.over() {
            Some(Outcome::win(!self.side_to_move(), By::Mate))
        } else if self.all == FULL {
            Some(Outcome::draw(By::NoMoves))
        } else {
            None
        }
    }

    fn no_legal_moves(&self) -> Outcome {
        self.ended(&[], 0).unwrap_or(Outcome::draw(By::NoMoves))
    }
}

/// Sharp drops (making or stopping four) are the noisy moves; nobody is ever in check; passing is not allowed.
impl Tactical for FourPosition {
    const PIECE_TO_MAX: usize = 2 * 49;
    const FROM_TO_MAX: usize = 2 * 7;
    const VICTIM_MAX: usize = 2;

    fn for_each_noisy<B>(&self, mut f: impl FnMut(Drop) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each_move(|mv| if self.is_sharp(mv) { f(mv) } else { Continue(()) })
    }

    fn for_each_quiet<B>(&self, mut f: impl FnMut(Drop) -> ControlFlow<B>) -> ControlFlow<B> {
        self.for_each_move(|mv| if self.is_sharp(mv) { Continue(()) } else { f(mv) })
    }

    fn in_check(&self) -> bool {
        false
    }

    fn is_noisy(&self, mv: Drop) -> bool {
        self.is_sharp(mv)
    }

    fn gives_check(&self, _: Drop) -> bool {
        false
    }

    fn see_ge(&self, mv: Drop, threshold_cp: i32) -> bool {
        self.gain_cp(mv) >= threshold_cp
    }

    type Threats = ();

    fn threats(&self) {}

    fn threat_change_cp(&self, (): &(), _: Drop) -> i32 {
        0
    }

    fn escapes(&self, _: Drop) -> bool {
        false
    }

    fn piece_to(&self, mv: Drop) -> usize {
        let cell = self.landing(mv.0).trailing_zeros() as usize;
        self.side_to_move().index() * 49 + cell.min(48)
    }

    fn from_to(&self, mv: Drop) -> usize {
        self.side_to_move().index() * 7 + usize::from(mv.0)
    }

    fn victim(&self, mv: Drop) -> usize {
        usize::from(self.is_sharp(mv))
    }

    fn gain_cp(&self, mv: Drop) -> i32 {
        if self.landing(mv.0) & winning_cells(self.mine, self.all) != 0 { 30_000 } else { 0 }
    }

    fn has_pieces(&self) -> bool {
        false
    }

    fn structure_key(&self) -> Key {
        Key(self.all & (BOTTOM * 3))
    }

    fn piece_keys(&self) -> [Key; 2] {
        [Key(0); 2]
    }

    fn play_null(&mut self) -> Option<FourPosition> {
        None
    }

    fn undo_null(&mut self, undo: FourPosition) {
        *self = undo;
    }
}

/// Nobody is ever in check, so that no move gives one: every search for mates ends where it begins.
impl Mating for FourPosition {
    type Hand = ();

    fn board_key(&self) -> Key {
        self.key()
    }

    fn hand(&self, _: Side) {}

    fn for_each_check<B>(&self, _: impl FnMut(Drop) -> ControlFlow<B>) -> ControlFlow<B> {
        Continue(())
    }

    fn hand_before(&self, _: Drop, (): ()) {}

    fn hand_unblockable(&self, _: Side, (): ()) {}

    fn hand_uncheckable(&self, (): ()) {}
}
