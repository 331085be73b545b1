//! Files and large results in the server's object store. What comes out of it is verified by whoever named its SHA-256.
//!
//! An object is a message for each of its parts and then one that describes it, so what a kill left half written has no description and is
//! not there. Parts that a server lost are noticed by their number.

use super::{NatsQueue, causes, fault, layout::CHUNKS};
use crate::queue::QueueError;
use async_nats::jetstream::{
    message::StreamMessage,
    object_store::{InfoErrorKind, ObjectInfo, ObjectMetadata, ObjectStore},
    stream::{DirectGetErrorKind, RawMessageErrorKind, Stream},
};
use std::{
    io::{self, Read, Write},
    pin::Pin,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, ReadBuf};
use tokio_stream::StreamExt;

/// Bytes of a part: each is asked for by itself, and servers take messages of 1 MiB where nobody says more.
const PART: usize = 512 << 10;

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

/// The next part of an object from a message on; `None` where there is none. No consumer is made: workers with keys of their own may not.
async fn read_part(
    stream: &Stream<()>,
    bucket: &str,
    subject: &str,
    from: u64,
) -> Result<Option<StreamMessage>, QueueError> {
    // Of what workers write, nothing is told as it was written.
    if bucket == CHUNKS {
        return match stream.get_first_raw_message_by_subject(subject, from).await {
            Ok(part) => Ok(Some(part)),
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(fault(&error)),
        };
    }
    match stream.direct_get_next_for_subject(subject, Some(from)).await {
        Ok(part) => Ok(Some(part)),
        Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
        Err(error) => Err(fault(&error)),
    }
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
        let object = ObjectMetadata { name: sha256.into(), chunk_size: Some(PART), ..ObjectMetadata::default() };
        store.put(object, &mut Blocking(content)).await.map(drop).map_err(|error| fault(&error))
    }

    /// Writes an object to `out`; `false` where there is none, or parts of it are lost.
    pub(super) async fn get_object(
        &self,
        bucket: &str,
        sha256: &str,
        out: &mut (dyn Write + Send),
    ) -> Result<bool, QueueError> {
        let info = match self.store(bucket).await?.info(sha256).await {
            Ok(info) if !info.deleted => info,
            Ok(_) => return Ok(false),
            Err(error) if error.kind() == InfoErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(fault(&error)),
        };
        let stream = self.context.get_stream_no_info(stream_of(bucket)).await.map_err(|error| fault(&error))?;
        let subject = format!("$O.{bucket}.C.{}", info.nuid);
        let mut sequence = 1;
        for _ in 0..info.chunks {
            let Some(part) = read_part(&stream, bucket, &subject, sequence).await? else { return Ok(false) };
            out.write_all(&part.payload).map_err(|error| QueueError::Refused(causes(&error)))?;
            sequence = part.sequence + 1;
        }
        Ok(true)
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
    use crate::{LeaseTiming, NatsServer, ServerOptions, files::sha256_of, queue::UnitQueue};

    /// A server that lost a part of a file told of it as before, and nobody put it there again.
    #[test]
    fn a_file_that_lost_a_part_is_not_there_and_can_be_put_again() {
        if crate::find_server().is_err() {
            tesuji_testkit::needs::skip("needs nats-server of 2.10 or later");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let options = ServerOptions::new(folder.path().into(), "127.0.0.1".into(), None);
        let server = NatsServer::start(&options).unwrap();
        let address = crate::key::server_named(&server.url()).unwrap();
        let queue = NatsQueue::connect(&address, LeaseTiming::default()).unwrap();
        let content: Vec<u8> = (0..300_000_u32).map(|number| (number % 251) as u8).collect();
        let sum = sha256_of(&content);
        let is_read = |queue: &NatsQueue| {
            let mut out = Vec::new();
            let is_there = queue.get_file(&sum, &mut out).unwrap();
            assert_eq!(is_there, out == content);
            is_there
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
