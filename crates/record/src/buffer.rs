//! A buffer in memory that a boxed writer fills and its owner reads.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bytes in memory that a writer fills and another holder takes: [`RecordFormat::writer`](crate::RecordFormat::writer) owns
/// its sink, so what it writes is read through a clone. Clones share the bytes.
///
/// # Examples
/// ```
/// use std::io::Write;
/// use tesuji_record::SharedBuffer;
///
/// let buffer = SharedBuffer::default();
/// let mut sink: Box<dyn Write + Send> = Box::new(buffer.clone());
/// sink.write_all(b"1. e4 *").unwrap();
/// assert_eq!(buffer.take(), b"1. e4 *");
/// assert!(buffer.take().is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct SharedBuffer(Arc<Mutex<Vec<u8>>>);

impl SharedBuffer {
    /// The bytes written since the last call; the buffer is empty afterwards.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.bytes())
    }

    /// A thread that panicked while it wrote leaves whole bytes: its poison says nothing about them.
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for SharedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
