//! A card played by the processor: the kernels' text compiled as C, and products of matrices by BLAS's definition.

use libloading::{Library, Symbol};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ffi::{CString, c_char, c_int, c_uint};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use tesuji_cuda::device::{At, Blas, Device, DeviceError, KERNELS, KernelArguments, Product, SOURCE};

type Run = unsafe extern "C" fn(*const c_char, c_uint, c_uint, *const KernelArguments) -> c_int;

/// The kernels, compiled once for all tests. They keep the numbers of block and thread in one place, so one runs at a time.
fn kernels() -> &'static Mutex<Library> {
    static LIBRARY: OnceLock<Mutex<Library>> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("kernels.cu"), SOURCE).unwrap();
        std::fs::write(dir.path().join("card.c"), include_str!("card.c")).unwrap();
        let runs: String = KERNELS.map(|kernel| format!("RUN({kernel})\n")).concat();
        std::fs::write(dir.path().join("runs.h"), runs).unwrap();
        let library = dir.path().join("card.so");
        let compiled = Command::new(std::env::var("CC").unwrap_or_else(|_| "cc".into()))
            .args(["-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-Wno-sign-compare", "-o"])
            .args([&library, &dir.path().join("card.c")])
            .arg("-lm")
            .output()
            .expect("a C compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        // SAFETY: it was compiled above, has no initialisers, and stays loaded.
        Mutex::new(unsafe { Library::new(&library) }.expect("what was compiled loads"))
    })
}

/// The card. `grid` is how every kernel is launched: blocks, threads of a block.
pub struct Host {
    pub grid: (u32, u32),
    /// Whether products round their factors to ten bits behind the point.
    pub is_tensor: bool,
    /// Numbers that fit, and are taken.
    pub room: std::cell::Cell<usize>,
}

impl Default for Host {
    fn default() -> Host {
        Host { grid: (3, 2), is_tensor: false, room: std::cell::Cell::new(1 << 26) }
    }
}

/// Numbers that change behind shared references.
pub struct Memory {
    start: *mut f32,
    len: usize,
}

// SAFETY: nobody but its user knows the address.
unsafe impl Send for Memory {}

impl Memory {
    fn layout(len: usize) -> Layout {
        Layout::from_size_align(4 * len.max(1), 64).unwrap()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if !self.start.is_null() {
            // SAFETY: it was allocated with this layout.
            unsafe { dealloc(self.start.cast(), Memory::layout(self.len)) }
        }
    }
}

impl Device for Host {
    type Buffer = Memory;

    fn name(&self) -> String {
        "the processor as a card".into()
    }

    fn allocate(&self, len: usize) -> Result<Memory, DeviceError> {
        let left = self.room.get().checked_sub(len).ok_or_else(|| DeviceError("no room".into()))?;
        self.room.set(left);
        // SAFETY: the layout is not empty.
        Ok(Memory { start: unsafe { alloc_zeroed(Memory::layout(len)) }.cast(), len })
    }

    fn nothing(&self) -> Memory {
        Memory { start: std::ptr::null_mut(), len: 0 }
    }

    fn len(&self, buffer: &Memory) -> usize {
        buffer.len
    }

    fn address(&self, buffer: &Memory) -> u64 {
        buffer.start as u64
    }

    fn upload(&self, numbers: &[f32], to: &Memory) -> Result<(), DeviceError> {
        assert!(numbers.len() <= to.len);
        // SAFETY: the room is there, and kernels run to their end when they are launched.
        unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), to.start, numbers.len()) };
        Ok(())
    }

    fn upload_ahead(&self, words: &[u32], to: &Memory) -> Result<(), DeviceError> {
        assert!(words.len() <= to.len);
        // SAFETY: as in `upload`.
        unsafe { std::ptr::copy_nonoverlapping(words.as_ptr(), to.start.cast(), words.len()) };
        Ok(())
    }

    fn join(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn download(&self, from: &Memory, numbers: &mut [f32]) -> Result<(), DeviceError> {
        assert!(numbers.len() <= from.len);
        // SAFETY: the numbers are there.
        unsafe { std::ptr::copy_nonoverlapping(from.start, numbers.as_mut_ptr(), numbers.len()) };
        Ok(())
    }

    fn clear(&self, buffer: &Memory) -> Result<(), DeviceError> {
        // SAFETY: this many bytes are there.
        unsafe { std::ptr::write_bytes(buffer.start, 0, buffer.len) };
        Ok(())
    }

    fn launch(&self, kernel: &'static str, items: usize, words: KernelArguments) -> Result<(), DeviceError> {
        assert!(items > 0, "{kernel} for nothing");
        let library = kernels().lock().unwrap();
        let name = CString::new(kernel).unwrap();
        // SAFETY: `card.c` defines it so; the addresses are those of live buffers.
        let done = unsafe {
            let run: Symbol<'_, Run> = library.get(b"run_kernel\0").expect("its entry");
            run(name.as_ptr(), self.grid.0, self.grid.1, &raw const words)
        };
        assert_eq!(done, 0, "no kernel {kernel}");
        Ok(())
    }

    fn multiply(
        &self,
        product: Product,
        sizes: [usize; 3],
        a: At<'_, Memory>,
        b: At<'_, Memory>,
        c: At<'_, Memory>,
        accumulate: bool,
    ) -> Result<(), DeviceError> {
        let Blas { turned, sizes: [m, n, k], leading: [lda, ldb, ldc] } = product.blas(sizes);
        let part = |at: &At<'_, Memory>, len: usize| {
            assert!(at.1 + len <= at.0.len, "{len} numbers from {} on, of {}", at.1, at.0.len);
            // SAFETY: they lie in the buffer, which nothing writes meanwhile.
            unsafe { std::slice::from_raw_parts(at.0.start.add(at.1), len) }
        };
        // BLAS's first matrix is our second; column after column, turned where it says so.
        let (first, second) = (part(&b, m * k), part(&a, k * n));
        let element = |matrix: &[f32], turned: bool, ld: usize, row: usize, column: usize| {
            let factor = if turned { matrix[row * ld + column] } else { matrix[column * ld + row] };
            // To nearest, by half of the last bit that stays.
            let tensor = f32::from_bits(factor.to_bits().wrapping_add(1 << 12) & !((1 << 13) - 1));
            f64::from(if self.is_tensor { tensor } else { factor })
        };
        assert!(c.1 + m * n <= c.0.len);
        for column in 0..n {
            for row in 0..m {
                let sum: f64 = (0..k)
                    .map(|d| element(first, turned[0], lda, row, d) * element(second, turned[1], ldb, d, column))
                    .sum();
                // SAFETY: asserted above.
                unsafe {
                    let to = c.0.start.add(c.1 + column * ldc + row);
                    *to = sum as f32 + if accumulate { *to } else { 0.0 };
                }
            }
        }
        Ok(())
    }
}
