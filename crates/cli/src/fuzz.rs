//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read fits together.

use std::collections::BTreeSet;
use tesuji_circle::sweep::SweepPlan;
use tesuji_jobs::words::split;

/// Queries of KataGo's analysis protocol, one a line.
///
/// # Panics
/// When a query that was read does not fit together.
pub fn analysis(bytes: &[u8]) {
    String::from_utf8_lossy(bytes).lines().for_each(crate::analysis::check_query);
}

/// TOML files of matches.
///
/// # Panics
/// When an engine's words that were made cannot be read.
pub fn match_config(bytes: &[u8]) {
    let Ok(words) = crate::match_::read_config(&String::from_utf8_lossy(bytes)) else { return };
    let engines = words.windows(2).filter(|pair| pair[0] == "--engine" || pair[0] == "--each");
    assert!(engines.into_iter().all(|pair| split(&pair[1]).is_ok()));
}

/// TOML files of engines' options.
pub fn engine_config(bytes: &[u8]) {
    let _ = crate::uci::config_of(&String::from_utf8_lossy(bytes));
}

/// TOML files of sweeps of `tune`.
///
/// # Panics
/// When versions have the same name.
pub fn sweep(bytes: &[u8]) {
    let Ok(plan) = SweepPlan::parse(&String::from_utf8_lossy(bytes), "bent") else { return };
    let versions = plan.versions();
    let names: BTreeSet<&str> = versions.iter().map(|version| version.name.as_str()).collect();
    assert_eq!(names.len(), versions.len());
}
