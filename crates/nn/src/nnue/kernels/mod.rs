//! Sums of rows and layers of small integers for efficiently updatable networks; the fastest form for the machine is chosen once,
//! when a network is loaded. All forms give the same integers.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

use crate::kernels::Isa;

/// Columns of a [`LaneBlock`].
pub const LANES: usize = 32;

/// Columns of an accumulator or of a row of the first layer: one register of AVX-512, two of AVX2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct LaneBlock(pub [i16; LANES]);

impl LaneBlock {
    /// All columns 0.
    pub const ZERO: LaneBlock = LaneBlock([0; LANES]);
}

/// Weights of 16 outputs for 4 inputs, `[16][4]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Quads(pub [i8; 64]);

/// The activation whose output is multiplied with a weight in the last layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The clipped column.
    Plain,
    /// Its square.
    Square,
    /// The product of two clipped columns.
    Pair,
}

/// Instructions that were found on this machine; only these may run.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{kernels::Isa, nnue::kernels::Instructions};
/// let best = Instructions::best();
/// assert_eq!(Instructions::of(best.isa()), Some(best));
/// assert!(Instructions::of(Isa::Scalar).is_some());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instructions(Isa);

impl Instructions {
    /// The best that this machine has.
    pub fn best() -> Self {
        [Isa::Avx512, Isa::Avx2].into_iter().find_map(Instructions::of).unwrap_or(Instructions(Isa::Scalar))
    }

    /// These, if the machine has them.
    pub fn of(isa: Isa) -> Option<Self> {
        let found = match isa {
            Isa::Scalar => true,
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw"),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        };
        found.then_some(Instructions(isa))
    }

    /// The instruction set.
    pub fn isa(self) -> Isa {
        self.0
    }
}

/// Calls the form of a kernel that the machine was found to run. What calls it is compiled here and not in the crates that use it, which may
/// be compiled with less care.
macro_rules! dispatch {
    ($instructions:expr, $kernel:ident $(::<$form:ident>)? ($($argument:expr),*)) => {
        match $instructions.0 {
            // SAFETY: `Instructions` holds only what this machine was found to have.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::$kernel$(::<$form>)?($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::$kernel$(::<$form>)?($($argument),*) },
            _ => scalar::$kernel$(::<$form>)?($($argument),*),
        }
    };
}

/// The first `blocks` of each row. A closure in a kernel would have the kernel's instructions, and never be inlined into `map`.
#[cfg(target_arch = "x86_64")]
#[inline]
fn first_blocks<const N: usize>(rows: [&[LaneBlock]; N], blocks: usize) -> [&[LaneBlock]; N] {
    rows.map(|row| &row[..blocks])
}

/// `to = from + added - removed`, column by column, wrapping around; all of one length. Up to two rows each way are added in one
/// pass over memory.
///
/// # Panics
/// When a length differs.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::kernels::{Instructions, LANES, LaneBlock, update};
/// let block = |number| [LaneBlock([number; LANES])];
/// let (from, mut to) = (block(10), block(0));
/// update(Instructions::best(), &from, &mut to, &[&block(5)], &[&block(3), &block(1)]);
/// assert_eq!(to, block(11));
/// ```
#[allow(unsafe_code)]
pub fn update(
    on: Instructions,
    from: &[LaneBlock],
    to: &mut [LaneBlock],
    added: &[&[LaneBlock]],
    removed: &[&[LaneBlock]],
) {
    dispatch!(on, update(from, to, added, removed));
}

/// `sums += added - removed`, for many rows: columns stay in registers while all rows pass.
///
/// # Panics
/// When a length differs.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::kernels::{Instructions, LANES, LaneBlock, change};
/// let block = |number| [LaneBlock([number; LANES])];
/// let (mut sums, rows) = (block(10), [block(5), block(6), block(7)]);
/// change(Instructions::best(), &mut sums, &rows.each_ref().map(|row| &row[..]), &[&block(8)]);
/// assert_eq!(sums, block(20));
/// ```
#[allow(unsafe_code)]
pub fn change(on: Instructions, sums: &mut [LaneBlock], added: &[&[LaneBlock]], removed: &[&[LaneBlock]]) {
    dispatch!(on, change(sums, added, removed));
}

/// The sum of `weights` times the clipped columns (0..=`one`) of two accumulators in the given form, exactly; for [`Form::Pair`] of
/// those in `high`, too, which is not read otherwise. The first accumulator's weights come first.
///
/// The product of a weight and `one` must fit 16 bits unless the form is plain; `one` is at most 1023.
///
/// # Panics
/// When a length differs.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::kernels::{Form, Instructions, LANES, LaneBlock, dot, dot_wide};
/// let block = |number| [LaneBlock([number; LANES])];
/// // The side to move's columns are clipped to 255, the other's to 0: only the first half of the weights counts.
/// let (own, other) = (block(300), block(-7));
/// let (low, weights) = ([&own[..], &other[..]], [block(2)[0], block(3)[0]]);
/// let sum = dot(Instructions::best(), Form::Square, low, low, &weights, 255);
/// assert_eq!(sum, 32 * 255 * 255 * 2);
/// // For weights whose product with 255 is beyond 16 bits.
/// assert_eq!(dot_wide(Form::Plain, low, low, &[block(30_000)[0], block(1)[0]], 255), 32 * 255 * 30_000);
/// ```
#[allow(unsafe_code)]
pub fn dot(
    on: Instructions,
    form: Form,
    low: [&[LaneBlock]; 2],
    high: [&[LaneBlock]; 2],
    weights: &[LaneBlock],
    one: i16,
) -> i64 {
    const PLAIN: u8 = Form::Plain as u8;
    const SQUARE: u8 = Form::Square as u8;
    const PAIR: u8 = Form::Pair as u8;
    let blocks = weights.len() / 2;
    let fits = [low, high].iter().flatten().all(|part| part.len() == blocks);
    assert!(fits && weights.len() == 2 * blocks && (0..=1023).contains(&one), "lengths fit");
    match form {
        Form::Plain => dispatch!(on, dot::<PLAIN>(low, low, weights, one)),
        Form::Square => dispatch!(on, dot::<SQUARE>(low, low, weights, one)),
        Form::Pair => dispatch!(on, dot::<PAIR>(low, high, weights, one)),
    }
}

/// [`dot`] for weights of any size: slow.
pub fn dot_wide(form: Form, low: [&[LaneBlock]; 2], high: [&[LaneBlock]; 2], weights: &[LaneBlock], one: i16) -> i64 {
    let columns = |parts: [&[LaneBlock]; 2]| parts.concat().into_iter().flat_map(|block| block.0);
    let weights = weights.iter().flat_map(|block| block.0);
    let clip = |number: i16| i64::from(number.clamp(0, one));
    let each = |((low, high), weight): ((i16, i16), i16)| {
        let second = match form {
            Form::Plain => 1,
            Form::Square => clip(low),
            Form::Pair => clip(high),
        };
        clip(low) * second * i64::from(weight)
    };
    columns(low).zip(columns(high)).zip(weights).map(each).sum()
}

/// Clipped columns in the given form, shifted right, as bytes below 128; `out` has [`LANES`] for each block.
///
/// # Panics
/// When a length differs.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::kernels::{Form, Instructions, LANES, LaneBlock, bytes};
/// let sums = [LaneBlock([300; LANES])];
/// let mut out = [0; LANES];
/// // Clipped to 255, squared, and shifted right by 9: 127 stands for 1.
/// bytes(Instructions::best(), Form::Square, &sums, &sums, (255, 9), &mut out);
/// assert_eq!(out, [127; LANES]);
/// ```
#[allow(unsafe_code)]
pub fn bytes(
    on: Instructions,
    form: Form,
    low: &[LaneBlock],
    high: &[LaneBlock],
    (one, shift): (i16, u32),
    out: &mut [u8],
) {
    assert!(high.len() == low.len() && out.len() == low.len() * LANES, "lengths fit");
    dispatch!(on, bytes(form, low, high, one, shift, out));
}

/// Sums of a hidden layer: `sums += weights * inputs`, wrapping around. `weights` is `[inputs / 4][sums / 16]`, inputs are below
/// 128.
///
/// # Panics
/// When a length differs, or is no multiple.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::kernels::{Instructions, Quads, layer};
/// // 16 outputs that each sum 16 inputs.
/// let weights = [Quads([1; 64]); 4];
/// let mut sums = [100; 16];
/// layer(Instructions::best(), &[3; 16], &weights, &mut sums);
/// assert_eq!(sums, [148; 16]);
/// ```
#[allow(unsafe_code)]
pub fn layer(on: Instructions, inputs: &[u8], weights: &[Quads], sums: &mut [i32]) {
    let fits = inputs.len().is_multiple_of(16) && sums.len().is_multiple_of(16);
    assert!(fits && weights.len() == inputs.len() / 4 * (sums.len() / 16), "lengths fit");
    dispatch!(on, layer(inputs, weights, sums));
}
