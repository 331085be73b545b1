//! A fleet as the carrier of runs whose coordinators know no queue.

use crate::{Audit, Fleet, FleetError, RunSpec};
use std::io;
use tesuji_jobs::units::{Carrier, Dispatcher, FileStore, RunOrder};

/// The variable that says how many units are audited: one of this many is done by two workers, and none where it is 0. It also has
/// units audited whose engines are not certain to make the same twice.
const AUDIT_VARIABLE: &str = "TESUJI_FLEET_AUDIT";
/// One unit of this many is audited where nobody says more: between 1 and 2 %.
const ONE_IN: u64 = 64;

/// One unit of how many is audited.
fn audited(told: Option<&str>, is_repeatable: bool) -> Option<u64> {
    let told = told.and_then(|told| told.trim().parse().ok());
    told.or(is_repeatable.then_some(ONE_IN)).filter(|one_in| *one_in > 0)
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
            identity: run.identity.to_string(),
            nodes_limited: run.nodes_limited,
            priority: self.priority(),
            // What depends on clocks is not the same twice.
            audit: run
                .essence
                .filter(|_| run.nodes_limited)
                .zip(audited(std::env::var(AUDIT_VARIABLE).ok().as_deref(), run.is_repeatable))
                .map(|(essence, one_in)| Audit { essence, one_in }),
        };
        Fleet::begin(self, &spec).map_err(|error: FleetError| io::Error::other(error.to_string()))
    }

    fn workers(&self) -> [usize; 2] {
        let workers = Fleet::workers(self).unwrap_or_default();
        [workers.len(), workers.iter().map(|worker| worker.jobs).sum()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_certain_to_repeat_is_audited_and_the_rest_where_somebody_asks() {
        assert_eq!((audited(None, true), audited(None, false)), (Some(ONE_IN), None));
        assert_eq!((audited(Some("8"), true), audited(Some("8"), false)), (Some(8), Some(8)));
        assert_eq!((audited(Some("0"), true), audited(Some("0"), false)), (None, None));
        assert_eq!(audited(Some("many"), true), Some(ONE_IN));
    }
}
