//! Files and large results in the server's object store. What comes out of it is verified by whoever named its SHA-256.

use super::{NatsQueue, causes, fault};
use crate::queue::QueueError;
use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectStore};
use std::{
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};

/// Bytes that are copied at a time.
const BUFFER: usize = 128 << 10;

/// A reader that is read where the question runs: the thread that asked waits for it anyway.
struct Blocking<'a>(&'a mut (dyn Read + Send));

impl AsyncRead for Blocking<'_> {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let read = self.0.read(buffer.initialize_unfilled())?;
        buffer.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl NatsQueue {
    async fn store(&self, bucket: &str) -> Result<ObjectStore, QueueError> {
        self.context.get_object_store(bucket).await.map_err(|error| fault(&error))
    }

    /// Keeps an object under its SHA-256, unless it is there.
    pub(super) async fn put_object(
        &self,
        bucket: &str,
        sha256: &str,
        content: &mut (dyn Read + Send),
    ) -> Result<(), QueueError> {
        let store = self.store(bucket).await?;
        match store.info(sha256).await {
            Ok(info) if !info.deleted => return Ok(()),
            Ok(_) => {}
            Err(error) if error.kind() == InfoErrorKind::NotFound => {}
            Err(error) => return Err(fault(&error)),
        }
        store.put(sha256, &mut Blocking(content)).await.map(drop).map_err(|error| fault(&error))
    }

    /// Writes an object to `out`; `false` where there is none.
    pub(super) async fn get_object(
        &self,
        bucket: &str,
        sha256: &str,
        out: &mut (dyn Write + Send),
    ) -> Result<bool, QueueError> {
        let store = self.store(bucket).await?;
        let mut object = match store.get(sha256).await {
            Ok(object) => object,
            Err(error) if error.kind() == GetErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(fault(&error)),
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            let read = tokio::time::timeout(super::ANSWER * 6, object.read(&mut buffer)).await;
            let read =
                read.map_err(|_| QueueError::Unreachable("the server stopped in the middle of a file".into()))?;
            match read {
                Ok(0) => return Ok(true),
                Ok(count) => {
                    out.write_all(&buffer[..count]).map_err(|error| QueueError::Refused(causes(&error)))?;
                }
                Err(error) => return Err(QueueError::Refused(causes(&error))),
            }
        }
    }

    /// Drops an object.
    pub(super) async fn drop_object(&self, bucket: &str, sha256: &str) {
        if let Ok(store) = self.store(bucket).await {
            let _ = store.delete(sha256).await;
        }
    }
}
