//! Board memory: capacities as types, cells in a padded square, a map from cells to values, sets of cells.

use crate::{Size, Vertex};
use std::{
    fmt,
    ops::{Index, IndexMut},
};

/// A cell of a board's memory: a square of [`Area::STRIDE`] cells a side with an edge of at least one cell all around.
///
/// The cell of a point depends on the capacity; [`Vertex`] and [`crate::Move`] are the same on every capacity.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cell(u16);

impl Cell {
    /// A corner of the edge, never a point: where a cell must be given and there is none.
    pub(crate) const NONE: Cell = Cell(0);

    /// The cell of that number. The caller says of what capacity.
    #[inline(always)]
    pub const fn new(index: usize) -> Cell {
        Cell(index as u16)
    }

    /// Its number, below [`Area::CELLS`].
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cell {}", self.0)
    }
}

/// A capacity: how large a board may be. The size of a board is a value, its capacity a type, so that small boards are
/// quickly copied and steps between neighbours are constants.
pub trait Area: Copy + Send + Sync + fmt::Debug + 'static {
    /// Cells from one row to the next.
    const STRIDE: usize;
    /// All cells, edge included: `STRIDE * STRIDE`.
    const CELLS: usize = Self::STRIDE * Self::STRIDE;
    /// The longest side of a board that fits.
    const LINES: usize = Self::STRIDE - 2;

    /// A value for each cell.
    type Map<T: Copy + Send + Sync + 'static>: CellMap<T>;
    /// A set of cells.
    type Set: CellSet;

    /// The keys of black and white stones, for [`crate::Board::key`].
    fn keys() -> &'static Self::Map<[u64; 2]>;

    /// The cell of a point.
    #[inline(always)]
    fn cell(vertex: Vertex) -> Cell {
        Cell(((vertex.y as usize + 1) * Self::STRIDE + vertex.x as usize + 1) as u16)
    }

    /// The point of a cell that is no edge.
    #[inline(always)]
    fn vertex(cell: Cell) -> Vertex {
        let (x, y) = (cell.index() % Self::STRIDE, cell.index() / Self::STRIDE);
        debug_assert!(x > 0 && y > 0, "an edge is no point");
        Vertex { x: (x as u8).wrapping_sub(1), y: (y as u8).wrapping_sub(1) }
    }

    /// The four neighbours of a point: below, left, right, above. Some may be edge.
    #[inline(always)]
    fn around(cell: Cell) -> [Cell; 4] {
        let stride = Self::STRIDE as u16;
        [Cell(cell.0 - stride), Cell(cell.0 - 1), Cell(cell.0 + 1), Cell(cell.0 + stride)]
    }

    /// The four diagonal neighbours of a point. Some may be edge.
    #[inline(always)]
    fn diagonals(cell: Cell) -> [Cell; 4] {
        let stride = Self::STRIDE as u16;
        [Cell(cell.0 - stride - 1), Cell(cell.0 - stride + 1), Cell(cell.0 + stride - 1), Cell(cell.0 + stride + 1)]
    }

    /// Whether a board of `size` fits.
    fn holds(size: Size) -> bool {
        size.width() <= Self::LINES && size.height() <= Self::LINES
    }

    /// The cells of a board's points, row by row from `A1` upward.
    fn points(size: Size) -> impl Iterator<Item = Cell> {
        Vertex::all(size).map(Self::cell)
    }
}

/// A value for each cell of a capacity.
pub trait CellMap<T>: Copy + Send + Sync + Index<Cell, Output = T> + IndexMut<Cell> + 'static {
    /// A map in which every cell has the value `value`.
    fn filled(value: T) -> Self;
    /// The values in order of the cells.
    fn as_slice(&self) -> &[T];
}

/// [`CellMap`] as an array.
#[derive(Clone, Copy)]
pub struct Grid<T, const CELLS: usize>([T; CELLS]);

impl<T, const CELLS: usize> Index<Cell> for Grid<T, CELLS> {
    type Output = T;

    #[inline(always)]
    fn index(&self, cell: Cell) -> &T {
        &self.0[cell.index()]
    }
}

impl<T, const CELLS: usize> IndexMut<Cell> for Grid<T, CELLS> {
    #[inline(always)]
    fn index_mut(&mut self, cell: Cell) -> &mut T {
        &mut self.0[cell.index()]
    }
}

impl<T: Copy + Send + Sync + 'static, const CELLS: usize> CellMap<T> for Grid<T, CELLS> {
    fn filled(value: T) -> Self {
        Grid([value; CELLS])
    }

    fn as_slice(&self) -> &[T] {
        &self.0
    }
}

/// A set of cells of a capacity.
pub trait CellSet: Copy + Send + Sync + Eq + fmt::Debug + Default + 'static {
    /// Whether `cell` is in it.
    fn contains(&self, cell: Cell) -> bool;
    /// Adds `cell`; 1 if it was missing, otherwise 0.
    fn insert(&mut self, cell: Cell) -> u16;
    /// Removes `cell`; 1 if it was there, otherwise 0.
    fn remove(&mut self, cell: Cell) -> u16;
    /// Adds all of `other`.
    fn unite(&mut self, other: &Self);
    /// Removes all of `other`.
    fn subtract(&mut self, other: &Self);
    /// The number of cells in the set.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.first().is_none()
    }
    /// The cell with the lowest number.
    fn first(&self) -> Option<Cell>;
    /// Whether a cell is in both.
    fn meets(&self, other: &Self) -> bool;
    /// Whether all cells are in `other`.
    fn is_within(&self, other: &Self) -> bool;
    /// The cells in ascending order.
    fn iter(&self) -> impl Iterator<Item = Cell>;

    /// The set of `cells`.
    fn of(cells: impl IntoIterator<Item = Cell>) -> Self {
        let mut set = Self::default();
        for cell in cells {
            set.insert(cell);
        }
        set
    }
}

/// [`CellSet`] as words of bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Default for Bits<WORDS> {
    fn default() -> Self {
        Bits([0; WORDS])
    }
}

impl<const WORDS: usize> fmt::Debug for Bits<WORDS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<const WORDS: usize> CellSet for Bits<WORDS> {
    #[inline(always)]
    fn contains(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] >> (cell.index() % 64) & 1 != 0
    }

    #[inline(always)]
    fn insert(&mut self, cell: Cell) -> u16 {
        let (word, bit) = (&mut self.0[cell.index() / 64], cell.index() % 64);
        let was = (*word >> bit & 1) as u16;
        *word |= 1 << bit;
        1 - was
    }

    #[inline(always)]
    fn remove(&mut self, cell: Cell) -> u16 {
        let (word, bit) = (&mut self.0[cell.index() / 64], cell.index() % 64);
        let was = (*word >> bit & 1) as u16;
        *word &= !(1 << bit);
        was
    }

    #[inline(always)]
    fn unite(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a |= b;
        }
    }

    #[inline(always)]
    fn subtract(&mut self, other: &Self) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= !b;
        }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    #[inline(always)]
    fn first(&self) -> Option<Cell> {
        let i = self.0.iter().position(|&w| w != 0)?;
        Some(Cell::new(i * 64 + self.0[i].trailing_zeros() as usize))
    }

    fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    fn is_within(&self, other: &Self) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a & !b == 0)
    }

    fn iter(&self) -> impl Iterator<Item = Cell> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                left &= left.wrapping_sub(1);
                (bit < 64).then(|| Cell::new(i * 64 + bit))
            })
        })
    }
}

macro_rules! areas {
    ($($(#[$doc:meta])* $name:ident: $stride:literal, $words:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct $name;

        impl Area for $name {
            const STRIDE: usize = $stride;
            type Map<T: Copy + Send + Sync + 'static> = Grid<T, { $stride * $stride }>;
            type Set = Bits<$words>;

            #[inline(always)]
            fn keys() -> &'static Self::Map<[u64; 2]> {
                static KEYS: Grid<[u64; 2], { $stride * $stride }> = Grid(crate::zobrist::stones::<{ $stride * $stride }>($stride));
                &KEYS
            }
        }
    )*};
}

areas! {
    /// Boards of up to 9 lines a side.
    Small: 11, 2;
    /// Boards of up to 19 lines a side.
    Medium: 21, 7;
    /// Boards of up to 25 lines a side.
    Large: 27, 12;
}
