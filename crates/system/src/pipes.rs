//! The pipes of a program that is talked to: what it writes is read as it comes, what it does not read holds nobody up.

#[cfg(all(unix, not(feature = "portable")))]
mod polled;
#[cfg(any(not(unix), feature = "portable", test))]
mod threaded;

#[cfg(all(unix, not(feature = "portable")))]
use polled as backend;
#[cfg(any(not(unix), feature = "portable"))]
use threaded as backend;

use crate::ProcessTree;
use std::{io, time::Duration};

/// The three pipes of a program. Nothing here waits but [`wait`](ProgramPipes::wait) and [`wait_to_write`](ProgramPipes::wait_to_write).
///
/// # Examples
/// ```
/// # use std::{process::{Command, Stdio}, time::Duration};
/// # if cfg!(windows) { return Ok(()) }
/// let mut command = Command::new("cat");
/// command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
/// let mut tree = tesuji_system::ProcessTree::spawn(&mut command)?;
/// let mut pipes = tesuji_system::ProgramPipes::of(&mut tree)?;
/// assert_eq!(pipes.write(b"hello\n")?, 6);
/// let (mut heard, mut chunk) = (Vec::new(), [0; 100]);
/// while heard.len() < 6 {
///     pipes.wait(Duration::from_secs(1))?;
///     match pipes.read_output(&mut chunk) {
///         Ok(n) => heard.extend_from_slice(&chunk[..n]),
///         Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
///         Err(e) => return Err(e),
///     }
/// }
/// assert_eq!(heard, b"hello\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ProgramPipes(backend::Pipes);

impl ProgramPipes {
    /// Takes the three pipes of a process that was started with them.
    ///
    /// # Errors
    /// When one is missing, and those of the system.
    pub fn of(tree: &mut ProcessTree) -> io::Result<ProgramPipes> {
        let missing = || io::Error::other("a pipe is missing");
        let input = tree.take_input().ok_or_else(missing)?;
        let output = tree.take_output().ok_or_else(missing)?;
        let errors = tree.take_errors().ok_or_else(missing)?;
        backend::Pipes::new(input, output, errors).map(ProgramPipes)
    }

    /// Hands `bytes`, or their beginning, to the program; returns how many of them.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while the pipe is full; those of the system when the program reads no more.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    /// Reads what the program has written; 0 at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when there is nothing; those of the system.
    pub fn read_output(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_output(buffer)
    }

    /// Reads what the program has written to its error output; 0 at the end.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when there is nothing; those of the system.
    pub fn read_errors(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_errors(buffer)
    }

    /// Waits for something to read, for `patience` at most; whether that may be error output.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait(&mut self, patience: Duration) -> io::Result<bool> {
        self.0.wait(patience)
    }

    /// Waits for `patience` at most until the pipe has room again, or output is there to be read: a program that writes without reading
    /// must be read, or both wait for ever.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait_to_write(&mut self, patience: Duration) -> io::Result<()> {
        self.0.wait_to_write(patience)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::{
        process::{Child, Command, Stdio},
        time::Instant,
    };

    fn start(script: &str) -> Child {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    /// The same tests for both ways.
    macro_rules! tests_of {
        ($name:ident, $backend:ident) => {
            mod $name {
                use super::*;

                fn pipes(child: &mut Child) -> super::super::$backend::Pipes {
                    let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
                    super::super::$backend::Pipes::new(input, output, child.stderr.take().unwrap()).unwrap()
                }

                /// Reads to the end of output and errors.
                fn read_all(pipes: &mut super::super::$backend::Pipes) -> (Vec<u8>, Vec<u8>) {
                    let (mut heard, mut chunk) = ([Vec::new(), Vec::new()], [0; 5000]);
                    let (mut ended, limit) = ([false; 2], Instant::now() + Duration::from_secs(60));
                    while ended != [true; 2] {
                        assert!(Instant::now() < limit, "{ended:?}");
                        let _ = pipes.wait(Duration::from_millis(100)).unwrap();
                        for which in 0..2 {
                            let read = match which {
                                0 => pipes.read_output(&mut chunk),
                                _ => pipes.read_errors(&mut chunk),
                            };
                            match read {
                                Ok(0) => ended[which] = true,
                                Ok(n) => heard[which].extend_from_slice(&chunk[..n]),
                                Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
                            }
                        }
                    }
                    let [output, errors] = heard;
                    (output, errors)
                }

                #[test]
                fn all_is_read_to_the_end() {
                    let mut child = start("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; echo end");
                    let (output, errors) = read_all(&mut pipes(&mut child));
                    assert_eq!((output.len(), errors.len()), (300_004, 200_000));
                    assert!(output.ends_with(b"end\n") && child.wait().unwrap().success());
                }

                #[test]
                fn a_wait_ends_in_time_and_with_the_first_byte() {
                    let mut child = start("read line; echo $line; read line");
                    let mut pipes = pipes(&mut child);
                    let began = Instant::now();
                    assert!(!pipes.wait(Duration::from_millis(50)).unwrap());
                    assert!(began.elapsed() >= Duration::from_millis(50));
                    let mut chunk = [0; 10];
                    assert_eq!(pipes.read_output(&mut chunk).unwrap_err().kind(), io::ErrorKind::WouldBlock);
                    assert_eq!(pipes.write(b"ab\n").unwrap(), 3);
                    let began = Instant::now();
                    let _ = pipes.wait(Duration::from_secs(60)).unwrap();
                    assert!(began.elapsed() < Duration::from_secs(30), "the byte ends the wait");
                    let mut heard = Vec::new();
                    while heard.len() < 3 {
                        match pipes.read_output(&mut chunk) {
                            Ok(n) => heard.extend_from_slice(&chunk[..n]),
                            Err(_) => drop(pipes.wait(Duration::from_secs(1)).unwrap()),
                        }
                    }
                    assert_eq!(heard, b"ab\n");
                    drop(pipes);
                    child.wait().unwrap();
                }

                /// The program reads nothing until all of its output is read, which is more than a pipe holds.
                #[test]
                fn who_writes_without_reading_is_not_waited_for() {
                    let mut child = start("head -c 3000000 /dev/zero; cat | wc -c");
                    let mut pipes = pipes(&mut child);
                    let question = vec![b'x'; 1 << 20];
                    let (mut sent, mut heard, mut chunk) = (0, 0, vec![0; 1 << 16]);
                    let limit = Instant::now() + Duration::from_secs(60);
                    while sent < question.len() {
                        assert!(Instant::now() < limit, "{sent} sent, {heard} heard");
                        match pipes.write(&question[sent..]) {
                            Ok(n) => sent += n,
                            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                                pipes.wait_to_write(Duration::from_millis(100)).unwrap();
                                heard += pipes.read_output(&mut chunk).unwrap_or(0);
                            }
                            Err(error) => panic!("{error}"),
                        }
                    }
                    // Its input ends when the pipes go: what `wc` counted is not read here.
                    assert!(heard > 0);
                    child.kill().unwrap();
                    child.wait().unwrap();
                }

                #[test]
                fn a_program_that_has_ended_is_written_to_in_vain() {
                    let mut child = start("exec 0<&-; exit 0");
                    let mut pipes = pipes(&mut child);
                    child.wait().unwrap();
                    let limit = Instant::now() + Duration::from_secs(60);
                    let mut end = pipes.write(b"a\n");
                    while end.as_ref().map_or_else(|e| e.kind() == io::ErrorKind::WouldBlock, |_| true) {
                        assert!(Instant::now() < limit);
                        std::thread::sleep(Duration::from_millis(1));
                        end = pipes.write(b"a\n");
                    }
                    assert_eq!(end.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
                }
            }
        };
    }

    #[cfg(not(feature = "portable"))]
    tests_of!(by_polling, polled);
    tests_of!(by_threads, threaded);
}
