//! The card of a program that was built without CUDA: there is none, and asking for it says so.

use crate::device::{At, Device, DeviceError, KernelArguments, Precision, Product};

/// No card.
pub enum Card {}

impl Card {
    /// There is none.
    ///
    /// # Errors
    /// Always.
    pub fn new(_: usize, _: Precision) -> Result<Card, DeviceError> {
        Err(DeviceError(
            "this program was built without CUDA: build it with `cargo build --release --features cuda`".into(),
        ))
    }
}

impl Device for Card {
    type Buffer = std::convert::Infallible;

    fn name(&self) -> String {
        match *self {}
    }

    fn allocate(&self, _: usize) -> Result<Self::Buffer, DeviceError> {
        match *self {}
    }

    fn nothing(&self) -> Self::Buffer {
        match *self {}
    }

    fn len(&self, _: &Self::Buffer) -> usize {
        match *self {}
    }

    fn address(&self, _: &Self::Buffer) -> u64 {
        match *self {}
    }

    fn upload(&self, _: &[f32], _: &Self::Buffer) -> Result<(), DeviceError> {
        match *self {}
    }

    fn upload_ahead(&self, _: &[u32], _: &Self::Buffer) -> Result<(), DeviceError> {
        match *self {}
    }

    fn join(&self) -> Result<(), DeviceError> {
        match *self {}
    }

    fn download(&self, _: &Self::Buffer, _: &mut [f32]) -> Result<(), DeviceError> {
        match *self {}
    }

    fn clear(&self, _: &Self::Buffer) -> Result<(), DeviceError> {
        match *self {}
    }

    fn launch(&self, _: &'static str, _: usize, _: KernelArguments) -> Result<(), DeviceError> {
        match *self {}
    }

    fn multiply(
        &self,
        _: Product,
        _: [usize; 3],
        _: At<'_, Self::Buffer>,
        _: At<'_, Self::Buffer>,
        _: At<'_, Self::Buffer>,
        _: bool,
    ) -> Result<(), DeviceError> {
        match *self {}
    }
}
