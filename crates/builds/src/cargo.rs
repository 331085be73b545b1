//! Builds with cargo, plainly or with a profile of a run.

use super::make::{Job, file_within};
use super::profile::measure;
use super::shell::Broken;
use anyhow::{Context, anyhow, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tesuji_jobs::AtomicFile;
use tesuji_system::is_without_network;

/// The file that says which crates exactly.
const LOCK: &str = "Cargo.lock";
/// The configuration in a home folder of cargo.
const CONFIG: &str = "config.toml";

/// Builds; the program that came out.
pub(crate) fn build(job: &Job<'_>) -> Result<PathBuf, Broken> {
    if job.pgo { with_profile(job) } else { compile(job, &[], None) }
}

/// One run of cargo, for a named target with further flags of the compiler.
fn compile(job: &Job<'_>, flags: &[String], target: Option<&str>) -> Result<PathBuf, Broken> {
    let mut cargo = job.command("cargo");
    cargo.args(["build", "--message-format=json-render-diagnostics", "-j", &job.threads.to_string()]);
    let own_profile = |arg: &String| arg == "--release" || arg == "--profile" || arg.starts_with("--profile=");
    if !job.recipe.args.iter().any(own_profile) {
        cargo.arg("--release");
    }
    if let Some(binary) = &job.recipe.binary {
        cargo.args(["--bin", binary]);
    }
    if job.is_tracked(LOCK) {
        cargo.arg("--locked");
    }
    cargo.args(&job.recipe.args).env("CARGO_TARGET_DIR", &job.kept);
    if let Some(target) = target {
        cargo.args(["--target", target]);
        add_flags(job, &mut cargo, flags)?;
    }
    if is_without_network() {
        if let Some(home) = fetch(job)? {
            cargo.env("CARGO_HOME", home);
        }
        cargo.env("CARGO_NET_OFFLINE", "true");
    }
    let messages = job.work.join("messages");
    job.shell.run(&mut cargo, Some(&messages))?;
    let text = fs::read_to_string(&messages).context("what cargo built")?;
    Ok(file_within(job, &program(&text)?)?)
}

/// Fetches the crates that a build without network needs, once for each version, into a home folder of cargo's own; `None` where that fails: then the build has the crates
/// of its tree, and those that this machine's user has. cargo runs in the empty folder of a sandbox, where it obeys no configuration and no tool chain of the version, and
/// does nothing that the version says; of the user's own configuration (say, a mirror of the registry) it has a copy.
fn fetch(job: &Job<'_>) -> Result<Option<PathBuf>, Broken> {
    let home = job.work.join("cargo");
    // After a first build (that of a profile) what is there may be the version's: it gets no network any more.
    if job.work.join("messages").symlink_metadata().is_ok() {
        return Ok(home.is_dir().then_some(home));
    }
    fs::create_dir(&home)?;
    if let Some(own) = config_of_user() {
        let config = fs::read(&own).with_context(|| own.display().to_string())?;
        AtomicFile::write(&home.join(CONFIG), &config)?;
    }
    let mut cargo = job.command_nowhere("cargo");
    cargo.arg("fetch").arg("--manifest-path").arg(job.folder().join("Cargo.toml")).env("CARGO_HOME", &home);
    if job.is_tracked(LOCK) {
        cargo.arg("--locked");
    }
    match job.shell.run_online(&mut cargo, &home) {
        Err(Broken::Stopped) => Err(Broken::Stopped),
        Ok(()) => Ok(Some(home)),
        Err(Broken::Failed(_)) => {
            let _ = fs::remove_dir_all(&home);
            Ok(None)
        }
    }
}

/// The configuration of cargo that this machine's user has.
fn config_of_user() -> Option<PathBuf> {
    let of_home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo"));
    let folder = std::env::var_os("CARGO_HOME").map(PathBuf::from).or_else(of_home)?;
    Some(folder.join(CONFIG)).filter(|path| path.is_file())
}

/// The program among cargo's messages: the only one, or the one that is called like its package.
fn program(messages: &str) -> anyhow::Result<PathBuf> {
    let mut found: Vec<(String, PathBuf)> = Vec::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let is_program = message["reason"] == "compiler-artifact"
            && message["target"]["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == "bin"));
        if let (true, Some(path), Some(name)) =
            (is_program, message["executable"].as_str(), message["target"]["name"].as_str())
        {
            found.push((name.to_string(), path.into()));
        }
    }
    match &found[..] {
        [(_, one)] => Ok(one.clone()),
        [] => bail!("cargo built no program; say which with --binary NAME"),
        many => {
            let names: Vec<&str> = many.iter().map(|(name, _)| name.as_str()).collect();
            bail!("cargo built {} programs; say which is the engine: --binary {}", many.len(), names.join(" or "))
        }
    }
}

/// Adds flags of the compiler to those that the environment or the project's own configuration has: either of cargo's
/// ways alone would silence the other.
fn add_flags(job: &Job<'_>, cargo: &mut Command, flags: &[String]) -> Result<(), Broken> {
    let of_recipe = job.recipe.env.get("RUSTFLAGS").cloned();
    if let Some(set) = of_recipe.or_else(|| std::env::var("RUSTFLAGS").ok()).filter(|set| !set.trim().is_empty()) {
        cargo.env("RUSTFLAGS", format!("{set} {}", flags.join(" ")));
        return Ok(());
    }
    let mut all = flags_of_build(job)?;
    all.extend(flags.iter().cloned());
    let list: Vec<String> = all.iter().map(|flag| toml::Value::from(flag.as_str()).to_string()).collect();
    cargo.arg("--config").arg(format!("target.'cfg(all())'.rustflags=[{}]", list.join(",")));
    Ok(())
}

/// `build.rustflags` of the project: cargo forgets them as soon as a target has flags.
fn flags_of_build(job: &Job<'_>) -> Result<Vec<String>, Broken> {
    let places = ["config.toml", "config"].map(|name| job.folder().join(".cargo").join(name));
    let Some(path) = places.iter().find(|path| path.is_file()) else { return Ok(Vec::new()) };
    let config: toml::Table = toml::from_str(&fs::read_to_string(path)?).with_context(|| path.display().to_string())?;
    let has_target = config
        .get("target")
        .and_then(toml::Value::as_table)
        .is_some_and(|targets| targets.values().any(|target| target.get("rustflags").is_some()));
    let flags = config.get("build").and_then(|build| build.get("rustflags")).filter(|_| !has_target);
    Ok(match flags {
        Some(toml::Value::Array(flags)) => flags.iter().filter_map(|f| f.as_str().map(str::to_string)).collect(),
        Some(toml::Value::String(flags)) => flags.split_whitespace().map(str::to_string).collect(),
        _ => Vec::new(),
    })
}

/// Builds for measuring, runs, builds with what was measured.
fn with_profile(job: &Job<'_>) -> Result<PathBuf, Broken> {
    let (host, merge) = tools(job)?;
    let raw = job.work.join("raw");
    let merged = job.work.join("merged.profdata");
    fs::create_dir(&raw)?;
    let measuring = compile(job, &[format!("-Cprofile-generate={}", raw.display())], Some(&host))?;
    measure(job, &measuring, &[("LLVM_PROFILE_FILE", &raw.join("%m-%p.profraw"))])?;
    let mut files: Vec<PathBuf> = fs::read_dir(&raw)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    if files.is_empty() {
        return Err(anyhow!("the measured run wrote no profile: it must end by itself, not be killed").into());
    }
    job.shell.run(job.command(&merge.display().to_string()).args(["merge", "-o"]).arg(&merged).args(&files), None)?;
    compile(job, &[format!("-Cprofile-use={}", merged.display())], Some(&host))
}

/// The machine's target, and the program that joins profiles: the compiler's own, or one of its LLVM's version.
fn tools(job: &Job<'_>) -> Result<(String, PathBuf), Broken> {
    let ask = |arguments: &[&str]| job.ask(job.command("rustc").args(arguments));
    let about = ask(&["-vV"])?;
    let line = |key: &str| about.lines().find_map(|line| line.strip_prefix(key)).map(|v| v.trim().to_string());
    let host = line("host:").ok_or_else(|| anyhow!("rustc -vV does not name its host"))?;
    let llvm = line("LLVM version:").unwrap_or_default();
    let major = llvm.split('.').next().unwrap_or_default();
    let own = Path::new(ask(&["--print", "sysroot"])?.trim()).join("lib/rustlib").join(&host).join("bin/llvm-profdata");
    let named = [format!("llvm-profdata-{major}"), "llvm-profdata".to_string()];
    let here: Vec<PathBuf> = Some(own).into_iter().chain(named.iter().filter_map(|name| on_path(name))).collect();
    let mut too_old = String::new();
    for tool in here.iter().filter(|tool| tool.is_file()) {
        let version = llvm_of(job, tool)?;
        if version >= major.parse().unwrap_or(0) {
            return Ok((host, tool.clone()));
        }
        too_old = format!(" ({} is of LLVM {version})", tool.display());
    }
    Err(anyhow!(
        "--pgo needs llvm-profdata of LLVM {llvm}, that of this rustc, and there is none{too_old}: rustup component add \
         llvm-tools, or (on Debian) apt-get install llvm-{major}"
    )
    .into())
}

/// The version of LLVM that a tool belongs to; 0 when it does not tell.
fn llvm_of(job: &Job<'_>, tool: &Path) -> Result<u32, Broken> {
    let text = job.ask(job.command(&tool.display().to_string()).args(["merge", "--version"]))?;
    let version = text.split_once("LLVM version ").and_then(|(_, rest)| rest.split('.').next()?.trim().parse().ok());
    Ok(version.unwrap_or(0))
}

/// The path of a program, found as a shell finds it.
fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_is_found_among_messages() {
        let message = |name: &str, kind: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","target":{{"kind":["{kind}"],"name":"{name}"}},"executable":"/t/{name}"}}"#
            )
        };
        let text = [message("a", "lib"), message("engine", "bin"), "noise".into()].join("\n");
        assert_eq!(program(&text).unwrap(), Path::new("/t/engine"));
        let many = [message("a", "bin"), message("b", "bin")].join("\n");
        assert!(program(&many).unwrap_err().to_string().contains("a or b"));
        assert!(program("").is_err());
    }
}
