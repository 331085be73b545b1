//! The version of this program: its commit and build, and the CPU instructions it may use.

use std::sync::LazyLock;

/// Instruction sets that the build was allowed to use and that a machine may lack.
#[cfg(target_arch = "x86_64")]
macro_rules! needed {
    ($($name:tt),*) => {
        [$( (cfg!(target_feature = $name), std::is_x86_feature_detected!($name), $name) ),*]
    };
}

/// Version and commit.
pub(crate) const fn short() -> &'static str {
    concat!(env!("CARGO_PKG_VERSION"), " (", env!("TESUJI_COMMIT"), ")")
}

/// Version, commit, build and the instructions it uses.
pub(crate) fn long() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let (profile, target) = (env!("TESUJI_PROFILE"), env!("TESUJI_TARGET"));
        format!("{}\nbuild: {profile} {target}\nprocessor path: {}", short(), processor_path())
    });
    &TEXT
}

/// The name of the instruction level that the binary was built for.
pub(crate) fn processor_path() -> &'static str {
    if cfg!(target_feature = "avx512f") {
        "x86-64-v4 (AVX-512)"
    } else if cfg!(all(target_feature = "avx2", target_feature = "bmi2")) {
        "x86-64-v3 (AVX2, BMI2, POPCNT)"
    } else if cfg!(target_feature = "popcnt") {
        "x86-64-v2 (POPCNT)"
    } else {
        "baseline"
    }
}

/// Checks that this machine has the instructions the binary was built with.
#[cfg(target_arch = "x86_64")]
pub(crate) fn check_processor() -> Result<(), String> {
    let lacking: Vec<&str> = needed!("popcnt", "sse4.2", "avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "avx512f")
        .into_iter()
        .filter(|&(built, here, _)| built && !here)
        .map(|(_, _, name)| name)
        .collect();
    if lacking.is_empty() {
        return Ok(());
    }
    Err(format!(
        "this build needs {}, which this processor lacks; build for it with\n  \
         RUSTFLAGS=\"-C target-cpu=native\" cargo build --release",
        lacking.join(", ")
    ))
}

/// Other processors run what was built for them.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn check_processor() -> Result<(), String> {
    Ok(())
}
