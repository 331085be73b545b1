//! A fleet as the carrier of runs whose coordinators know no queue.

use crate::{Audit, Fleet, FleetError, RunSpec};
use std::io;
use tesuji_jobs::units::{Carrier, Dispatcher, FileStore, RunOrder};

/// The variable that asks for audits: one unit of this many is done by two workers. There are none without it: over a server, one run of six
/// with a worker that lied did not end, and why is not known.
const AUDIT_VARIABLE: &str = "TESUJI_FLEET_AUDIT";

/// One unit of how many is audited.
fn audited() -> Option<u64> {
    std::env::var(AUDIT_VARIABLE).ok()?.parse().ok().filter(|one_in| *one_in > 0)
}

impl Carrier for Fleet {
    fn files(&self) -> &dyn FileStore {
        Fleet::files(self)
    }

    fn begin(&self, run: &RunOrder<'_>) -> io::Result<Box<dyn Dispatcher>> {
        let spec = RunSpec {
            name: run.name.to_string(),
            kind: run.kind.to_string(),
            request: run.request.to_string(),
            nodes_limited: run.nodes_limited,
            priority: self.priority(),
            // What depends on clocks is not the same twice.
            audit: run
                .essence
                .filter(|_| run.nodes_limited)
                .zip(audited())
                .map(|(essence, one_in)| Audit { essence, one_in }),
        };
        Fleet::begin(self, &spec).map_err(|error: FleetError| io::Error::other(error.to_string()))
    }

    fn workers(&self) -> [usize; 2] {
        let workers = Fleet::workers(self).unwrap_or_default();
        [workers.len(), workers.iter().map(|worker| worker.jobs).sum()]
    }
}
