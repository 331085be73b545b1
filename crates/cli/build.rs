//! Notes the commit and the build for `tesuji --version`. Reads git where there is one; never fails.

use std::{env, process::Command};

fn main() {
    let git = |args: &[&str]| {
        let out = Command::new("git").args(args).output().ok()?;
        out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_string())
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".into());
    let dirty = git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|s| !s.is_empty());
    println!("cargo::rustc-env=TESUJI_COMMIT={commit}{}", if dirty { "+" } else { "" });
    println!("cargo::rustc-env=TESUJI_TARGET={}", env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=TESUJI_PROFILE={}", env::var("PROFILE").unwrap_or_default());
    println!("cargo::rustc-env=TESUJI_FEATURES={}", env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default());
    if let Some(dir) = git(&["rev-parse", "--git-dir"]) {
        println!("cargo::rerun-if-changed={dir}/HEAD");
        println!("cargo::rerun-if-changed={dir}/logs/HEAD");
    }
}
