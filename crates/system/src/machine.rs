//! What this machine is: its memory, its processor, how busy it is.

use std::{fs, path::Path};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// What can be seen of a machine; `None` where the system does not tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    /// The name of the processor.
    pub processor: Option<String>,
    /// Bytes of memory, and those that programs can still have.
    pub memory: Option<u64>,
    /// Bytes of memory that programs can still have.
    pub memory_free: Option<u64>,
    /// Processes that ran or waited to, averaged over the last minute.
    pub load: Option<f64>,
}

impl Machine {
    /// This machine now.
    ///
    /// # Examples
    /// ```
    /// let machine = tesuji_system::machine::Machine::look();
    /// assert!(machine.memory_free <= machine.memory);
    /// ```
    pub fn look() -> Machine {
        let memory = MemoryRefreshKind::nothing().with_ram();
        let kind = RefreshKind::nothing().with_memory(memory).with_cpu(CpuRefreshKind::nothing());
        let system = System::new_with_specifics(kind).ok();
        let system = system.as_ref();
        let name = |cpu: &sysinfo::Cpu| Some(cpu.brand().trim().to_string()).filter(|name| !name.is_empty());
        let some = |bytes: u64| Some(bytes).filter(|&bytes| bytes > 0);
        // Windows has no such average.
        let load = if cfg!(windows) { None } else { System::load_average().ok().map(|load| load.one) };
        Machine {
            processor: system.and_then(|system| system.cpus().iter().find_map(name)),
            memory: system.and_then(|system| some(system.total_memory())),
            memory_free: system.and_then(|system| some(system.available_memory())),
            load,
        }
    }
}

/// Processor time of the whole machine, and what of it the machine below took away, where this one is virtual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StolenTime {
    all: u64,
    stolen: u64,
}

impl StolenTime {
    /// Until now; `None` where the system does not tell.
    ///
    /// # Examples
    /// ```
    /// use tesuji_system::machine::StolenTime;
    /// if let (Some(before), Some(now)) = (StolenTime::look(), StolenTime::look()) {
    ///     assert!((0.0..=1.0).contains(&now.share_since(before)));
    /// }
    /// ```
    pub fn look() -> Option<StolenTime> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        StolenTime::of(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// From the kernel's table: user, nice, system, idle, iowait, irq, softirq, steal, and guests, which are counted among users.
    fn of(table: &str) -> Option<StolenTime> {
        let line = table.lines().find_map(|line| line.strip_prefix("cpu "))?;
        let ticks: Vec<u64> = line.split_ascii_whitespace().take(8).filter_map(|word| word.parse().ok()).collect();
        (ticks.len() == 8).then(|| StolenTime { all: ticks.iter().sum(), stolen: ticks[7] })
    }

    /// The share of the processor time since then that was taken away, in 0..=1.
    pub fn share_since(self, before: StolenTime) -> f64 {
        let all = self.all.saturating_sub(before.all);
        if all == 0 { 0.0 } else { (self.stolen.saturating_sub(before.stolen) as f64 / all as f64).min(1.0) }
    }
}

/// MiB of memory that this machine has; `None` where the system does not tell.
pub fn memory_mib() -> Option<u64> {
    let kind = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(kind).ok()?;
    Some(system.total_memory() >> 20).filter(|&mib| mib > 0)
}

/// The models of the NVIDIA cards of this machine, as the kernel's driver tells them; no library of theirs is needed. Empty where there are none, or nobody tells.
pub fn cards() -> Vec<String> {
    if cfg!(target_os = "linux") { cards_of(Path::new("/proc/driver/nvidia/gpus")) } else { Vec::new() }
}

/// From the driver's folders, one for each card by its place on the bus.
fn cards_of(folders: &Path) -> Vec<String> {
    let mut cards: Vec<_> = fs::read_dir(folders).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    cards.sort();
    let model = |path: &std::path::PathBuf| {
        let text = fs::read_to_string(path.join("information")).ok()?;
        let model = text.lines().find_map(|line| line.strip_prefix("Model:"))?.trim();
        Some(if model.is_empty() { "NVIDIA card".to_string() } else { model.to_string() })
    };
    cards.iter().filter_map(model).collect()
}

/// The name of this machine in its network; `None` where the system does not tell.
pub fn host_name() -> Option<String> {
    System::host_name().ok().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_memory() {
        let machine = Machine::look();
        assert!(machine.memory.is_some_and(|bytes| bytes > 64 << 20), "{machine:?}");
        assert_eq!(memory_mib(), machine.memory.map(|bytes| bytes >> 20));
    }

    #[test]
    fn cards_are_told_in_the_order_of_their_places() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(cards_of(&folder.path().join("none")), Vec::<String>::new());
        for (place, text) in [
            ("0000:c1:00.0", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 312\n"),
            ("0000:41:00.0", "Model: \t\t NVIDIA GeForce RTX 3060\nIRQ:   \t\t 77\n"),
            ("0000:e1:00.0", "IRQ: 1\n"),
        ] {
            fs::create_dir(folder.path().join(place)).unwrap();
            fs::write(folder.path().join(place).join("information"), text).unwrap();
        }
        assert_eq!(cards_of(folder.path()), ["NVIDIA GeForce RTX 3060", "NVIDIA H200"]);
    }

    #[test]
    fn stolen_time_is_a_share_of_all() {
        let at = |text: &str| StolenTime::of(text).unwrap();
        let before = at("cpu  100 0 50 800 10 0 0 40 7 0\ncpu0 1 2 3 4 5 6 7 8\n");
        let after = at("cpu  150 0 60 820 10 0 0 60 9 0\n");
        assert_eq!(after.share_since(before), 0.2);
        assert_eq!((after.share_since(after), before.share_since(after)), (0.0, 0.0));
        assert_eq!((StolenTime::of("cpu 1 2 3\n"), StolenTime::of("")), (None, None));
    }

    /// The kernel's own figures, as a second opinion.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_kernel_says_the_same() {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")).unwrap();
        let kib: u64 = line.trim().strip_suffix("kB").unwrap().trim().parse().unwrap();
        assert_eq!(Machine::look().memory, Some(kib << 10));
    }
}
