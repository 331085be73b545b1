//! This machine as a fleet sees it: its name, what its processor can do, and the names of workers.

use crate::FleetError;
use tesuji_system::machine;

/// Letters of a worker's name, at most.
pub(crate) const NAME_LENGTH_MAX: usize = 64;

/// The name of this machine.
pub(crate) fn host_name() -> String {
    machine::host_name().unwrap_or_else(|| "unnamed".into())
}

/// A name that nobody else has.
pub(crate) fn fresh_name() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        use std::hash::{BuildHasher, RandomState};
        // Keyed by the system's own random numbers.
        bytes[..8].copy_from_slice(&RandomState::new().hash_one(std::process::id()).to_le_bytes());
        bytes[8..].copy_from_slice(&RandomState::new().hash_one(1).to_le_bytes());
    }
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Checks the name of a worker: it stands in the subjects of messages and in names of files.
pub(crate) fn check_name(name: &str) -> Result<(), FleetError> {
    let is_fine = (1..=NAME_LENGTH_MAX).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_fine { Ok(()) } else { Err(FleetError::Name { name: name.to_string() }) }
}

/// The instruction sets of this processor that engines are built for.
pub(crate) fn instruction_sets() -> Vec<String> {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! found {
            ($($name:tt),*) => { [$( (std::is_x86_feature_detected!($name), $name) ),*] };
        }
        let sets =
            found!("sse4.1", "popcnt", "avx", "avx2", "bmi2", "fma", "avx512f", "avx512bw", "avx512vnni", "avxvnni");
        sets.into_iter().filter(|(is_here, _)| *is_here).map(|(_, name)| name.to_string()).collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![std::env::consts::ARCH.to_string()]
}
