//! `--fleet URL`: the workers of a fleet do the work of a command.

use std::{path::Path, sync::Arc};
use tesuji_fleet::Fleet;
use tesuji_jobs::{Interrupt, units::SharedCarrier};

/// Who does the work.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FleetUrl {
    /// Let the workers of a fleet do the work: the URL or key that `tesuji fleet up` printed. Files and numbers are the same
    #[arg(long, value_name = "URL")]
    fleet: Option<String>,
    /// With --fleet: workers take units of the runs with the highest priority first; equal ones share them
    #[arg(long, value_name = "N", requires = "fleet", default_value_t = 1)]
    priority: u32,
    /// With --fleet: have versions of `tesuji builds` built by each worker, not by those alone whose machines are of another kind
    #[arg(long, requires = "fleet")]
    build_on_workers: bool,
}

impl FleetUrl {
    /// The fleet, where one is asked for, for the work whose results are in `place`.
    pub(crate) fn connect(&self, place: &Path) -> anyhow::Result<Option<SharedCarrier>> {
        let Some(url) = &self.fleet else { return Ok(None) };
        let fleet = Fleet::connect(url, &Interrupt::of_process())?.with_priority(self.priority);
        let (fleet, place) = (fleet.building_on_workers(self.build_on_workers), std::path::absolute(place)?);
        Ok(Some(SharedCarrier::new(Arc::new(fleet), &place.display().to_string())))
    }
}
