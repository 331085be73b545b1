//! A real card: CUDA's driver, kernels compiled for it when it is first used, products by cuBLAS.

use crate::device::{At, Blas, Device, DeviceError, KERNELS, KernelArguments, Precision, Product, SOURCE};
use cudarc::cublas::{CudaBlas, result as blas, sys as blas_sys};
use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg,
};
use cudarc::driver::{DriverError, result as driver, sys as driver_sys};
use cudarc::nvrtc::{Ptx, result as compiler, sys as compiler_sys};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock};

/// Threads of a block.
const BLOCK: u32 = 256;
/// Blocks of a launch at most; each thread takes several items where there are more.
const BLOCKS_MAX: usize = 1 << 16;

// SAFETY: three arrays of plain numbers, laid out as in C.
unsafe impl DeviceRepr for KernelArguments {}

/// The context and kernels that all users of one card share.
struct Opened {
    context: Arc<CudaContext>,
    kernels: HashMap<&'static str, CudaFunction>,
    name: String,
}

/// One user's way to a card: a queue of work, and products in it.
pub struct Card {
    opened: Arc<Opened>,
    stream: Arc<CudaStream>,
    /// For copies beside the work in `stream`.
    copies: Arc<CudaStream>,
    products: CudaBlas,
    precision: Precision,
}

/// Numbers on the card.
pub struct CardBuffer {
    /// Keeps them.
    _slice: Option<CudaSlice<f32>>,
    address: u64,
    len: usize,
}

/// An error of the driver, with what was asked of it.
fn failed(what: &str) -> impl Fn(DriverError) -> DeviceError {
    let what = what.to_owned();
    move |error| DeviceError(format!("cuda: {what}: {error}"))
}

/// That a library is there: a call of one that is not would end the program.
fn find(present: bool, library: &str) -> Result<(), DeviceError> {
    let advice = "install it, or add its folder to LD_LIBRARY_PATH";
    if present { Ok(()) } else { Err(DeviceError(format!("cuda: {library} was not found; {advice}"))) }
}

/// That the compiler is there.
fn find_compiler() -> Result<(), DeviceError> {
    // SAFETY: it opens the library and closes it again; its initialisers are CUDA's.
    find(unsafe { compiler_sys::is_culib_present() }, "libnvrtc.so, CUDA's run-time compiler,")
}

/// That all of CUDA's libraries are there.
fn find_libraries() -> Result<(), DeviceError> {
    // SAFETY: as above.
    find(unsafe { driver_sys::is_culib_present() }, "libcuda.so.1, NVIDIA's driver,")?;
    find_compiler()?;
    // SAFETY: as above.
    find(unsafe { blas_sys::is_culib_present() }, "libcublas.so")
}

/// The kernels as a program for a card of this compute capability. Needs CUDA's compiler, but no card.
///
/// # Errors
/// When the compiler is missing, or does not know such cards.
pub fn compile((major, minor): (i32, i32)) -> Result<Vec<u8>, DeviceError> {
    find_compiler()?;
    let wrong = |what: &str, error: &dyn std::fmt::Debug| DeviceError(format!("cuda: {what}: {error:?}"));
    let source = CString::new(SOURCE).map_err(|error| wrong("the kernels' text", &error))?;
    let program = compiler::create_program(&source, None).map_err(|error| wrong("the compiler", &error))?;
    let options = [format!("--gpu-architecture=sm_{major}{minor}")];
    // SAFETY: `program` was made above and is destroyed below; the buffer has the size that was asked for.
    unsafe {
        let compiled = compiler::compile_program(program, &options).map_err(|error| {
            let log = compiler::get_program_log(program).unwrap_or_default();
            let log: String = log.iter().map(|&c| c as u8 as char).filter(|&c| c != '\0').collect();
            DeviceError(format!("cuda: compiling the kernels for sm_{major}{minor}: {error}: {log}"))
        });
        let binary = compiled.and_then(|()| {
            let mut size = 0;
            let asked = compiler_sys::nvrtcGetCUBINSize(program, &raw mut size).result();
            asked.map_err(|error| wrong("the compiled kernels", &error))?;
            let mut binary = vec![0u8; size];
            let got = compiler_sys::nvrtcGetCUBIN(program, binary.as_mut_ptr().cast()).result();
            got.map_err(|error| wrong("the compiled kernels", &error)).map(|()| binary)
        });
        let _ = compiler::destroy_program(program);
        binary
    }
}

impl Opened {
    fn new(ordinal: usize) -> Result<Opened, DeviceError> {
        find_libraries()?;
        let cards = CudaContext::device_count().map_err(failed("counting cards"))?;
        if ordinal >= cards.max(0) as usize {
            return Err(DeviceError(format!("cuda: there is no card {ordinal}: found {cards}, counted from 0")));
        }
        let context = CudaContext::new(ordinal).map_err(failed("opening the card"))?;
        // SAFETY: every buffer is used in the queue of its own user alone.
        unsafe { context.disable_event_tracking() };
        let capability = context.compute_capability().map_err(failed("asking the card what it is"))?;
        let name = context.name().map_err(failed("asking the card what it is"))?;
        let module =
            context.load_module(Ptx::from_binary(compile(capability)?)).map_err(failed("loading the kernels"))?;
        let mut kernels = HashMap::new();
        for kernel in KERNELS {
            kernels.insert(kernel, module.load_function(kernel).map_err(failed(kernel))?);
        }
        Ok(Opened { context, kernels, name })
    }

    /// The card of a number, opened once for all.
    fn of(ordinal: usize) -> Result<Arc<Opened>, DeviceError> {
        static ALL: OnceLock<Mutex<HashMap<usize, Arc<Opened>>>> = OnceLock::new();
        let mut all = ALL.get_or_init(Mutex::default).lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(opened) = all.get(&ordinal) {
            return Ok(opened.clone());
        }
        let opened = Arc::new(Opened::new(ordinal)?);
        all.insert(ordinal, opened.clone());
        Ok(opened)
    }
}

impl Card {
    /// The card of this number, counted from 0.
    ///
    /// # Errors
    /// When a library of CUDA's is missing, there is no such card, or it does not start.
    pub fn new(ordinal: usize, precision: Precision) -> Result<Card, DeviceError> {
        let opened = Opened::of(ordinal)?;
        opened.context.bind_to_thread().map_err(failed("a thread of the card"))?;
        let stream = opened.context.new_stream().map_err(failed("a queue of the card"))?;
        let copies = opened.context.new_stream().map_err(failed("a queue of the card"))?;
        let products = CudaBlas::new(stream.clone()).map_err(|e| DeviceError(format!("cuda: cuBLAS: {e}")))?;
        let mode = match precision {
            Precision::Single => blas_sys::cublasMath_t::CUBLAS_DEFAULT_MATH,
            Precision::Tensor => blas_sys::cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH,
        };
        // SAFETY: the handle lives in `products`.
        let set = unsafe { blas_sys::cublasSetMathMode(*products.handle(), mode) }.result();
        set.map_err(|e| DeviceError(format!("cuda: cuBLAS: {e}")))?;
        Ok(Card { opened, stream, copies, products, precision })
    }

    /// The calling thread becomes one that talks to this card.
    fn here(&self) -> Result<(), DeviceError> {
        self.opened.context.bind_to_thread().map_err(failed("a thread of the card"))
    }
}

/// Whether a matrix is turned, in cuBLAS's words.
fn operation(turned: bool) -> blas_sys::cublasOperation_t {
    if turned { blas_sys::cublasOperation_t::CUBLAS_OP_T } else { blas_sys::cublasOperation_t::CUBLAS_OP_N }
}

/// A size in cuBLAS's words.
fn size(size: usize) -> Result<i32, DeviceError> {
    i32::try_from(size).map_err(|_| DeviceError(format!("cuda: a matrix of {size} rows; try a smaller batch")))
}

impl Device for Card {
    type Buffer = CardBuffer;

    fn name(&self) -> String {
        let precision = match self.precision {
            Precision::Single => "single precision",
            Precision::Tensor => "TensorFloat-32",
        };
        format!("cuda:{}, {}, {precision}", self.opened.context.ordinal(), self.opened.name)
    }

    fn allocate(&self, len: usize) -> Result<CardBuffer, DeviceError> {
        let room = |error: DriverError| {
            DeviceError(format!("cuda: room for {} MiB: {error}; try a smaller batch", (len * 4).div_ceil(1 << 20)))
        };
        let slice = self.stream.alloc_zeros::<f32>(len.max(1)).map_err(room)?;
        let address = slice.device_ptr(&self.stream).0;
        Ok(CardBuffer { _slice: Some(slice), address, len })
    }

    fn nothing(&self) -> CardBuffer {
        CardBuffer { _slice: None, address: 0, len: 0 }
    }

    fn len(&self, buffer: &CardBuffer) -> usize {
        buffer.len
    }

    fn address(&self, buffer: &CardBuffer) -> u64 {
        buffer.address
    }

    fn upload(&self, numbers: &[f32], to: &CardBuffer) -> Result<(), DeviceError> {
        assert!(numbers.len() <= to.len, "{} numbers into room for {}", numbers.len(), to.len);
        self.here()?;
        // SAFETY: the room is there; ordinary memory is copied aside before the call returns.
        let sent = unsafe { driver::memcpy_htod_async(to.address, numbers, self.stream.cu_stream()) };
        sent.map_err(failed("copying to the card"))
    }

    fn upload_ahead(&self, words: &[u32], to: &CardBuffer) -> Result<(), DeviceError> {
        assert!(words.len() <= to.len, "{} words into room for {}", words.len(), to.len);
        self.here()?;
        // SAFETY: as in `upload`; `join` orders this queue and the other one.
        let sent = unsafe { driver::memcpy_htod_async(to.address, words, self.copies.cu_stream()) };
        sent.map_err(failed("copying to the card"))
    }

    fn join(&self) -> Result<(), DeviceError> {
        self.here()?;
        let before = self.stream.record_event(None);
        let joined = self.stream.join(&self.copies).and_then(|()| self.copies.wait(&before?));
        joined.map_err(failed("ordering its queues"))
    }

    fn download(&self, from: &CardBuffer, numbers: &mut [f32]) -> Result<(), DeviceError> {
        assert!(numbers.len() <= from.len, "{} numbers out of {}", numbers.len(), from.len);
        self.here()?;
        // SAFETY: the numbers are there, and the copy is waited for.
        let got = unsafe { driver::memcpy_dtoh_async(numbers, from.address, self.stream.cu_stream()) };
        got.and_then(|()| self.stream.synchronize()).map_err(failed("copying from the card"))
    }

    fn clear(&self, buffer: &CardBuffer) -> Result<(), DeviceError> {
        self.here()?;
        // SAFETY: this many bytes are there.
        let cleared = unsafe { driver::memset_d8_async(buffer.address, 0, 4 * buffer.len, self.stream.cu_stream()) };
        cleared.map_err(failed("clearing memory"))
    }

    fn launch(&self, kernel: &'static str, items: usize, words: KernelArguments) -> Result<(), DeviceError> {
        let function =
            self.opened.kernels.get(kernel).ok_or_else(|| DeviceError(format!("cuda: no kernel {kernel}")))?;
        let blocks = items.div_ceil(BLOCK as usize).clamp(1, BLOCKS_MAX) as u32;
        let shape = LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: kernels take these words and stay within the sizes in them, which `backend` takes from the tensors.
        let launched = unsafe { self.stream.launch_builder(function).arg(&words).launch(shape) };
        launched.map(drop).map_err(failed(kernel))
    }

    fn multiply(
        &self,
        product: Product,
        sizes: [usize; 3],
        a: At<'_, CardBuffer>,
        b: At<'_, CardBuffer>,
        c: At<'_, CardBuffer>,
        accumulate: bool,
    ) -> Result<(), DeviceError> {
        let [rows, columns, depth] = sizes;
        for (at, len) in [(&a, rows * depth), (&b, columns * depth), (&c, rows * columns)] {
            assert!(at.1 + len <= at.0.len, "a matrix of {len} numbers from {} on, of {}", at.1, at.0.len);
        }
        self.here()?;
        let Blas { turned, sizes: [m, n, k], leading } = product.blas(sizes);
        let [m, n, k, lda, ldb, ldc] =
            [size(m)?, size(n)?, size(k)?, size(leading[0])?, size(leading[1])?, size(leading[2])?];
        let at = |at: At<'_, CardBuffer>| at.0.address + 4 * at.1 as u64;
        let (one, other) = (1.0f32, if accumulate { 1.0f32 } else { 0.0 });
        // SAFETY: the matrices lie within their buffers, as asserted; the factors are read before the call returns.
        let done = unsafe {
            blas::sgemm(
                *self.products.handle(),
                operation(turned[0]),
                operation(turned[1]),
                m,
                n,
                k,
                &raw const one,
                at(b) as *const f32,
                lda,
                at(a) as *const f32,
                ldb,
                &raw const other,
                at(c) as *mut f32,
                ldc,
            )
        };
        done.map_err(|error| DeviceError(format!("cuda: a product of matrices: {error}")))
    }
}
