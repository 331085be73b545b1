//! The interface between nets and a card: memory, copies, kernels by their names, products of matrices.

/// An error of a card, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DeviceError(pub String);

/// The kernels, as [`SOURCE`] names them.
pub const KERNELS: [&str; 31] = [
    "to_rows",
    "from_rows",
    "pack",
    "pack_turned",
    "unpack_add",
    "patches",
    "patches4",
    "figures",
    "figures_total",
    "affine",
    "normalise",
    "norm_slopes",
    "norm_total",
    "norm_back",
    "pool",
    "pool_back",
    "flat_back_add",
    "bias",
    "bias_back",
    "nnue_gather",
    "nnue_activate",
    "nnue_bias",
    "nnue_loss",
    "nnue_loss_total",
    "nnue_clip_back",
    "nnue_activate_back",
    "nnue_rows_back",
    "nnue_rows_total",
    "nnue_adamw",
    "nnue_round",
    "nnue_squares",
];

/// The kernels' text, in CUDA's C.
pub const SOURCE: &str = concat!(include_str!("kernels.cu"), include_str!("nnue.cu"));

/// The arguments of every kernel.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct KernelArguments {
    /// Addresses on the device; 0: nothing.
    pub p: [u64; 6],
    /// Sizes.
    pub n: [i32; 8],
    /// Numbers.
    pub f: [f32; 8],
}

/// How exact products are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// Single precision throughout.
    Single,
    /// Factors rounded to ten bits behind the point (TensorFloat-32), sums in single precision: several times as fast.
    Tensor,
}

/// A product of matrices, all given row after row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    /// `c[rows][columns] = a[rows][depth] * b[columns][depth]` turned.
    ByRows,
    /// `c[rows][columns] = a[depth][rows]` turned `* b[depth][columns]`.
    ByColumns,
    /// `c[rows][columns] = a[rows][depth] * b[depth][columns]`.
    Plain,
}

/// A part of a buffer, from this number on.
pub struct At<'a, B>(pub &'a B, pub usize);

/// A card. What is asked for runs later, in the order in which it was asked; reading waits for it.
pub trait Device {
    /// Numbers on the card. They change behind shared references, as those of a file do.
    type Buffer;

    /// In words.
    fn name(&self) -> String;
    /// Room for this many numbers, all of them 0, aligned as any kernel wants it.
    ///
    /// # Errors
    /// When the card has no room.
    fn allocate(&self, len: usize) -> Result<Self::Buffer, DeviceError>;
    /// A buffer of no numbers at no place.
    fn nothing(&self) -> Self::Buffer;
    /// Numbers in a buffer.
    fn len(&self, buffer: &Self::Buffer) -> usize;
    /// The address of a buffer.
    fn address(&self, buffer: &Self::Buffer) -> u64;
    /// Copies numbers to the beginning of a buffer.
    ///
    /// # Errors
    /// When the card fails, now or in what was asked before.
    fn upload(&self, numbers: &[f32], to: &Self::Buffer) -> Result<(), DeviceError>;
    /// Copies words to the beginning of a buffer, beside what was asked for since the last [`Device::join`].
    ///
    /// # Errors
    /// As [`Device::upload`].
    fn upload_ahead(&self, words: &[u32], to: &Self::Buffer) -> Result<(), DeviceError>;
    /// What is asked for from now on waits for all [`Device::upload_ahead`] so far, and the next of these for all that was asked for so far.
    ///
    /// # Errors
    /// When the card fails.
    fn join(&self) -> Result<(), DeviceError>;
    /// Copies numbers from the beginning of a buffer.
    ///
    /// # Errors
    /// When the card fails, now or in what was asked before.
    fn download(&self, from: &Self::Buffer, numbers: &mut [f32]) -> Result<(), DeviceError>;
    /// Makes all numbers of a buffer 0.
    ///
    /// # Errors
    /// When the card fails.
    fn clear(&self, buffer: &Self::Buffer) -> Result<(), DeviceError>;
    /// Runs a kernel for `items` items.
    ///
    /// # Errors
    /// When the card fails.
    fn launch(&self, kernel: &'static str, items: usize, words: KernelArguments) -> Result<(), DeviceError>;
    /// `c = product of a and b`, or `c +=` it; `sizes` are rows, columns, depth.
    ///
    /// # Errors
    /// When the card fails.
    fn multiply(
        &self,
        product: Product,
        sizes: [usize; 3],
        a: At<'_, Self::Buffer>,
        b: At<'_, Self::Buffer>,
        c: At<'_, Self::Buffer>,
        accumulate: bool,
    ) -> Result<(), DeviceError>;
}

/// A product as BLAS wants it, whose matrices go column after column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blas {
    /// Whether the first and the second matrix are turned.
    pub turned: [bool; 2],
    /// Rows, columns, depth.
    pub sizes: [usize; 3],
    /// From one column to the next, of the three.
    pub leading: [usize; 3],
}

impl Product {
    /// This product for BLAS, which sees every matrix turned: its first is our `b`, its second our `a`, its third our `c`.
    pub fn blas(self, [rows, columns, depth]: [usize; 3]) -> Blas {
        let sizes = [columns, rows, depth];
        match self {
            Product::ByRows => Blas { turned: [true, false], sizes, leading: [depth, depth, columns] },
            Product::ByColumns => Blas { turned: [false, true], sizes, leading: [columns, rows, columns] },
            Product::Plain => Blas { turned: [false, false], sizes, leading: [columns, depth, columns] },
        }
    }
}
