//! A fleet in this process: workers are threads, and no server is needed.

use crate::{Fleet, LeaseTiming, WorkerOptions, fleet::LocalWorkers, memory::MemoryQueue, worker::run_worker};
use std::{sync::Arc, thread};
use tesuji_jobs::{Interrupt, units::WorkKind};

impl Fleet {
    /// A fleet of `workers` threads in this process, without a server. They end with it.
    pub fn in_process(kinds: &'static [&'static dyn WorkKind], workers: usize) -> Fleet {
        Fleet::in_process_with(kinds, workers, LeaseTiming::default())
    }

    /// [`Fleet::in_process`], where leases and claims hold as long as `timing` says.
    pub fn in_process_with(kinds: &'static [&'static dyn WorkKind], workers: usize, timing: LeaseTiming) -> Fleet {
        let mut fleet = Fleet::over(Arc::new(MemoryQueue::new(timing)), Interrupt::new(), None);
        let stop = Interrupt::new();
        let start = |number: usize| {
            let (twin, stop) = (fleet.another(&stop), stop.clone());
            let name = format!("thread-{number}");
            let options = WorkerOptions { name, jobs: 1, noisy: false, folder: None, cards: Vec::new() };
            let work = move || {
                if let Err(error) = run_worker(&twin, kinds, &options, &stop) {
                    tracing::error!(target: "fleet", "worker {}: {error}", options.name);
                }
            };
            thread::Builder::new().name(format!("fleet-{number}")).spawn(work).ok()
        };
        let threads = (1..=workers).filter_map(start).collect();
        fleet.workers = Some(LocalWorkers { stop, threads });
        fleet
    }
}
