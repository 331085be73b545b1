//! The queue in this process passes what every queue must.

use crate::{
    stage::{self, Place},
    suite,
};
use tesuji_fleet::Fleet;
use tesuji_jobs::Interrupt;

struct Here(Fleet);

impl Place for Here {
    fn connect(&self) -> Fleet {
        self.0.another(&Interrupt::new())
    }
}

fn place() -> Here {
    Here(Fleet::in_process_with(&[], 0, stage::quick()))
}

suite::every_queue!(place());

/// What `match -j` is: threads of this process, no server.
#[test]
fn workers_of_this_process_need_no_server() {
    let fleet = Fleet::in_process(crate::kinds::KINDS, 3);
    stage::play(&fleet, "workers", 40);
    assert_eq!(fleet.workers().unwrap().len(), 3);
}
