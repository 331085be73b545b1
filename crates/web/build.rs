//! Builds the page from `web/` when its sources changed, if Node is here; without it the binary says what to install.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo")).join("page");
    let web = here.join("../../web");
    for source in ["src", "i18n", "public", "index.html", "package-lock.json", "vite.config.ts", "tsconfig.json"] {
        println!("cargo::rerun-if-changed={}", web.join(source).display());
    }
    println!("cargo::rerun-if-env-changed=TESUJI_NO_PAGE");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).expect("a folder for the page");
    let built =
        if env::var_os("TESUJI_NO_PAGE").is_some() { Err("TESUJI_NO_PAGE is set".into()) } else { build(&web, &out) };
    if let Err(why) = built {
        println!("cargo::warning=the page is not built: {why}; all commands but `tesuji serve` work");
        fs::write(out.join("absent.txt"), why).expect("the reason");
    }
}

/// Builds the bundle into `out`; the words say what is missing.
fn build(web: &Path, out: &Path) -> Result<(), String> {
    let version = Command::new("node").arg("--version").output().map_err(|_| "Node 20 or later is not installed")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_string();
    let major = version.trim_start_matches('v').split('.').next().and_then(|n| n.parse::<u32>().ok());
    if major.is_none_or(|major| major < 20) {
        return Err(format!("Node 20 or later is wanted, this is {version:?}"));
    }
    let (lock, installed) = (web.join("package-lock.json"), web.join("node_modules/.tesuji-lock"));
    let wanted = fs::read(&lock).map_err(|e| format!("{}: {e}", lock.display()))?;
    if fs::read(&installed).ok().as_deref() != Some(&wanted) {
        run(web, "npm", &["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
        fs::write(&installed, &wanted).map_err(|e| format!("{}: {e}", installed.display()))?;
    }
    let out = out.to_str().ok_or("the target folder's path is not UTF-8")?;
    run(web, "npx", &["--no-install", "vite", "build", "--emptyOutDir", "--logLevel", "warn", "--outDir", out])
}

/// Runs a command in `folder`; what it said is the error.
fn run(folder: &Path, program: &str, args: &[&str]) -> Result<(), String> {
    let done = Command::new(program).args(args).current_dir(folder).output().map_err(|e| format!("{program}: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let last: Vec<&str> = said.lines().rev().take(5).collect();
    Err(format!("{program} {} failed: {}", args.join(" "), last.into_iter().rev().collect::<Vec<_>>().join(" | ")))
}
