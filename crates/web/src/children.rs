//! Child processes that work for one answer: a limited number at once, others queue, and each ends with its client.

use crate::Problem;
use std::{
    io::Read,
    process::{Child, ChildStderr, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tokio::sync::Semaphore;

/// Children at once.
const AT_ONCE: usize = 2;
/// Requests that wait for others; more are refused.
const QUEUE_MAX: usize = 16;
/// The timeout of a child process.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two looks at a child.
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// Bytes that a child may print.
const OUTPUT_MAX: u64 = 16 << 20;

/// The children.
pub(crate) struct Children {
    places: Arc<Semaphore>,
    queue: Arc<AtomicUsize>,
}

impl Default for Children {
    fn default() -> Children {
        Children { places: Arc::new(Semaphore::new(AT_ONCE)), queue: Arc::default() }
    }
}

/// A place in the queue.
struct Queued(Arc<AtomicUsize>);

impl Drop for Queued {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// The client's side of a child: when it is dropped, nobody waits for the child any longer.
struct Client(Arc<AtomicBool>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

/// A process that does not outlive the value.
struct Mortal(Child);

impl Drop for Mortal {
    fn drop(&mut self) {
        // Both do nothing for one that has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Children {
    /// Runs a command and returns its output, if it ends in time and well. The command is killed when this future is dropped, as it is
    /// when the client hangs up.
    ///
    /// # Errors
    /// When too many wait, or the command fails; the words are its own.
    pub(crate) async fn output(&self, command: Command) -> Result<String, Problem> {
        if self.queue.fetch_add(1, Relaxed) >= QUEUE_MAX + AT_ONCE {
            self.queue.fetch_sub(1, Relaxed);
            return Err(Problem::too_many(format!("{QUEUE_MAX} requests wait already")).hint("Try again later."));
        }
        let _queued = Queued(self.queue.clone());
        let place = self.places.clone().acquire_owned().await;
        let place = place.map_err(|error| Problem::internal(error.to_string()))?;
        let client = Client(Arc::default());
        let is_in_vain = client.0.clone();
        let done = tokio::task::spawn_blocking(move || {
            // Kept until the child is gone.
            let _place = place;
            output(command, &is_in_vain)
        });
        done.await.map_err(|error| Problem::internal(error.to_string()))?
    }
}

fn output(mut command: Command, is_in_vain: &AtomicBool) -> Result<String, Problem> {
    let broken = |error: std::io::Error| Problem::internal(error.to_string());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = Mortal(child.map_err(broken)?);
    let out = read(child.0.stdout.take().map(Pipe::Out)).map_err(broken)?;
    let said = read(child.0.stderr.take().map(Pipe::Err)).map_err(broken)?;
    let begun = Instant::now();
    let status = loop {
        match child.0.try_wait().map_err(broken)? {
            Some(status) => break status,
            None if is_in_vain.load(Relaxed) => return Err(Problem::internal("the client hung up")),
            None if begun.elapsed() > PATIENCE => {
                return Err(Problem::unprocessable("it takes too long to get there").hint("Filter the file first."));
            }
            None => thread::sleep(LOOK_EVERY),
        }
    };
    let (out, said) = (out.join().unwrap_or_default(), said.join().unwrap_or_default());
    if status.success() { Ok(out) } else { Err(Problem::unprocessable(said.trim().trim_start_matches("tesuji: "))) }
}

enum Pipe {
    Out(ChildStdout),
    Err(ChildStderr),
}

/// Reads what a child prints, up to a limit; a child that goes on finds its pipe closed.
fn read(pipe: Option<Pipe>) -> std::io::Result<thread::JoinHandle<String>> {
    thread::Builder::new().spawn(move || {
        let mut text = Vec::new();
        let _ = match pipe {
            Some(Pipe::Out(pipe)) => pipe.take(OUTPUT_MAX).read_to_end(&mut text),
            Some(Pipe::Err(pipe)) => pipe.take(OUTPUT_MAX).read_to_end(&mut text),
            None => Ok(0),
        };
        String::from_utf8_lossy(&text).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_queue_refuses_and_takes_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let children = Children::default();
        let nothing = || Command::new("/no/such/program");
        children.queue.store(QUEUE_MAX + AT_ONCE, Relaxed);
        let refused = runtime.block_on(children.output(nothing()));
        assert_eq!(refused.map_err(|problem| problem.status), Err(429));
        children.queue.fetch_sub(1, Relaxed);
        let taken = runtime.block_on(children.output(nothing()));
        assert_eq!(taken.map_err(|problem| problem.status), Err(500), "there is no such program");
        assert_eq!(children.queue.load(Relaxed), QUEUE_MAX + AT_ONCE - 1, "its place is free again");
    }
}
