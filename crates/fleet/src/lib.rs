//! Runs cut into numbered units that workers do, in this process or on other machines: leases, results, commit marks, files by checksum, the state of the fleet.
//!
//! The run's own journal is the truth ([`tesuji_jobs::units`]). A queue, here the memory of this process or a server of NATS with JetStream,
//! carries units and results and may lose all of them: what is not committed is submitted again, and workers keep a result in their
//! outbox until its unit is marked as committed.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod address;
mod audit;
mod built;
mod carrier;
#[cfg(feature = "nats")]
mod certificate;
mod claim;
mod disk;
mod dispatcher;
mod error;
mod files;
mod fleet;
mod host;
mod index_set;
mod key;
mod local;
mod memory;
#[cfg(feature = "nats")]
mod nats;
mod outbox;
mod permissions;
mod queue;
mod sandbox;
mod server;
mod status;
mod tally;
mod up;
mod worker;

pub use audit::Audit;
pub use built::{BuildOutcome, WorkerBuild};
pub use error::FleetError;
pub use files::{ProgramBuilder, SourceOrder, set_program_builder};
pub use fleet::{Fleet, RunSpec, set_program_version};
pub use index_set::IndexSet;
pub use key::{has_own_token, keep_address, make_key, place_of};
#[cfg(feature = "nats")]
pub use nats::StandIns;
pub use queue::{LeaseTiming, RunState, RunStatus, WaitingUnit, WorkerStatus};
pub use sandbox::{SandboxOptions, SandboxWish, contain_foreign_programs};
pub use server::{KeyOptions, NatsServer, ServerOptions, find_server};
pub use status::{FleetStatus, RunPhase};
pub use tally::{AuditCounts, RunProgress, WorkerShare};
pub use up::{UpOptions, run_up, worker_place};
pub use worker::{WorkerEnd, WorkerOptions, run_worker};

/// The version of what coordinators and workers tell each other. A worker takes units of runs with its own version alone.
pub const FLEET_PROTOCOL: u32 = 3;

/// Whether this build can reach workers on other machines.
pub const HAS_NATS: bool = cfg!(feature = "nats");
