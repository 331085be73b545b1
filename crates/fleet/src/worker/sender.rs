//! The thread that sends results, while the others go on with the next units.

use super::{LOOK, Shared, held, units::Finished};
use crate::queue::QueueError;
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// Before a server that does not answer is tried again.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long results are tried to be sent after the worker was asked to stop. Those in an outbox are sent when it starts again.
const FAREWELL: Duration = Duration::from_secs(2);

/// How the words end of a worker whose result waits for room on the server's disk.
const UNTIL_ROOM: &str = "its result waits here until there is room";

/// Sends what threads finish, until they have ended.
pub(super) fn send(shared: &Shared<'_>, results: &Receiver<Finished>) {
    let mut asked = None;
    loop {
        match results.recv_timeout(LOOK) {
            Ok(finished) => send_one(shared, &finished, &mut asked),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// Sends a result and gives up its lease. `asked`: when this worker was first seen to be asked to stop.
fn send_one(shared: &Shared<'_>, finished: &Finished, asked: &mut Option<Instant>) {
    let (lease, index) = (&finished.lease, finished.result.index);
    let mut was_full = false;
    while shared.wants(&shared.queue.view(), &lease.run) {
        match shared.queue.put_result(&lease.run, &finished.result) {
            Ok(_) => {
                shared.unsay(UNTIL_ROOM);
                match finished.result.outcome {
                    Ok(_) => shared.outbox.note_sent(&lease.run, index),
                    // Sent again it would be taken for what became of another attempt. Where it is lost, its unit is submitted again.
                    Err(_) => shared.outbox.drop_one(&lease.run, index),
                }
                break;
            }
            // The keeper sends it again when the coordinator has made what is missing.
            Err(QueueError::Missing(_)) => break,
            Err(error) if error.is_disk_full() && !was_full => {
                was_full = true;
                shared.say(format!("{error}; {UNTIL_ROOM}"));
            }
            Err(QueueError::Unreachable(_)) => {}
            Err(error) => {
                shared.say(format!("the result of unit {index} of run {} was refused: {error}", lease.run));
                break;
            }
        }
        if shared.is_stopping() && asked.get_or_insert_with(Instant::now).elapsed() > FAREWELL {
            break;
        }
        thread::sleep(PATIENCE);
    }
    // A lease that cannot be given up runs out; the unit's second result is ignored.
    let _ = shared.queue.settle(lease);
    held(&shared.active).remove(&lease.handle);
}
