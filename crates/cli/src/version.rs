//! The version of this program: its commit and build, and the CPU instructions it may use.

use std::{ffi::OsString, sync::LazyLock};

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

/// Version, commit, build and features as a line of JSON where the words of the command line ask for `--version --json` alone.
pub(crate) fn json_asked(words: &[OsString]) -> Option<String> {
    let is_version = |word: &OsString| word == "--version" || word == "-V";
    let asked = matches!(words, [_, a, b] if is_version(a) && b == "--json" || a == "--json" && is_version(b));
    let features =
        [("cuda", cfg!(feature = "cuda")), ("fleet", cfg!(feature = "fleet")), ("grpc", cfg!(feature = "grpc"))];
    let features: Vec<&str> = features.into_iter().filter(|(_, is_in)| *is_in).map(|(name, _)| name).collect();
    let told = || {
        serde_json::json!({
            "program": "tesuji", "version": env!("CARGO_PKG_VERSION"), "commit": env!("TESUJI_COMMIT"), "features": features,
            "build": env!("TESUJI_PROFILE"), "target": env!("TESUJI_TARGET"), "processor_path": processor_path(),
        })
    };
    asked.then(|| told().to_string())
}

/// Goes on as the build for x86-64-v3 that a release has beside this one, where this one is for less and the processor can do more.
pub(crate) fn become_faster_build(words: &[OsString]) {
    #[cfg(target_arch = "x86_64")]
    let has_more =
        needed!("avx", "avx2", "bmi1", "bmi2", "fma", "lzcnt", "movbe", "f16c").iter().all(|needed| needed.1);
    #[cfg(not(target_arch = "x86_64"))]
    let has_more = false;
    if !cfg!(target_feature = "avx2") && has_more {
        tesuji_jobs::become_sibling_build("x86-64-v3", words);
    }
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
