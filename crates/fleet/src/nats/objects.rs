//! Files and large results in the server's object store. What comes out of it is verified by whoever named its SHA-256.
//!
//! An object is a message for each of its parts and then one that describes it, so what a kill left half written has no description and is
//! not there. Parts that a server lost are noticed by their number.

use super::{NatsQueue, causes, fault};
use crate::queue::QueueError;
use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectInfo, ObjectStore};
use std::{
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio_stream::StreamExt;

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

/// The stream under a bucket.
fn stream_of(bucket: &str) -> String {
    format!("OBJ_{bucket}")
}

impl NatsQueue {
    pub(super) async fn store(&self, bucket: &str) -> Result<ObjectStore, QueueError> {
        self.context.get_object_store(bucket).await.map_err(|error| fault(&error))
    }

    /// What the objects of a bucket together come to.
    pub(super) async fn objects_state(&self, bucket: &str) -> Result<String, QueueError> {
        let stream = self.context.get_stream(stream_of(bucket)).await.map_err(|error| fault(&error))?;
        let info = stream.cached_info();
        Ok(format!("{:?} {} {}", info.created, info.state.last_sequence, info.state.messages))
    }

    /// Whether the server has all parts of an object.
    async fn is_whole(&self, bucket: &str, info: &ObjectInfo) -> Result<bool, QueueError> {
        let stream = self.context.get_stream_no_info(stream_of(bucket)).await.map_err(|error| fault(&error))?;
        let parts = stream.info_with_subjects(format!("$O.{bucket}.C.{}", info.nuid)).await;
        let mut parts = parts.map_err(|error| fault(&error))?;
        let mut count = 0;
        while let Some(part) = parts.next().await {
            count += part.map_err(|error| fault(&error))?.1;
        }
        Ok(count == info.chunks)
    }

    /// Whether a whole object is there.
    pub(super) async fn has_object(&self, store: &ObjectStore, bucket: &str, sha256: &str) -> Result<bool, QueueError> {
        match store.info(sha256).await {
            Ok(info) => Ok(!info.deleted && self.is_whole(bucket, &info).await?),
            Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(false),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Keeps an object under its SHA-256, unless it is there.
    pub(super) async fn put_object(
        &self,
        bucket: &str,
        sha256: &str,
        content: &mut (dyn Read + Send),
    ) -> Result<(), QueueError> {
        let store = self.store(bucket).await?;
        if self.has_object(&store, bucket, sha256).await? {
            return Ok(());
        }
        store.put(sha256, &mut Blocking(content)).await.map(drop).map_err(|error| fault(&error))
    }

    /// Writes an object to `out`; `false` where there is none, or parts of it are lost.
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
        if !self.is_whole(bucket, &object.info).await? {
            return Ok(false);
        }
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
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(QueueError::Refused(causes(&error)));
                }
                // A server that ends meanwhile is asked again when it is back.
                Err(error) => return Err(QueueError::Unreachable(causes(&error))),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LeaseTiming, NatsServer, ServerOptions, address::ServerAddress, files::sha256_of, queue::UnitQueue};

    /// A server that lost a part of a file told of it as before, and nobody put it there again.
    #[test]
    fn a_file_that_lost_a_part_is_not_there_and_can_be_put_again() {
        if crate::find_server().is_err() {
            tesuji_testkit::needs::skip("needs nats-server of 2.10 or later");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let options = ServerOptions { folder: folder.path().into(), host: "127.0.0.1".into(), port: None };
        let server = NatsServer::start(&options).unwrap();
        let address = ServerAddress::parse(&server.url()).unwrap();
        let queue = NatsQueue::connect(&address, LeaseTiming::default()).unwrap();
        let content: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
        let sum = sha256_of(&content);
        let is_read = |queue: &NatsQueue| {
            let mut out = Vec::new();
            assert_eq!(queue.get_file(&sum, &mut out).unwrap(), out == content);
            !out.is_empty()
        };
        assert!(!queue.has_file(&sum).unwrap() && !is_read(&queue));
        queue.put_file(&sum, &mut content.as_slice()).unwrap();
        assert!(queue.has_file(&sum).unwrap() && is_read(&queue));
        let before = queue.files_state().unwrap();
        let lose = async {
            let stream = queue.context.get_stream(stream_of(super::super::layout::FILES)).await.unwrap();
            stream.delete_message(stream.cached_info().state.first_sequence).await.unwrap();
            Ok(())
        };
        queue.ask(lose).unwrap();
        assert_ne!(queue.files_state().unwrap(), before);
        assert!(!queue.has_file(&sum).unwrap() && !is_read(&queue));
        queue.put_file(&sum, &mut content.as_slice()).unwrap();
        assert!(queue.has_file(&sum).unwrap() && is_read(&queue));
    }
}
