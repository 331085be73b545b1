//! Builds with a profile (PGO) by compilers of C and C++: built for measuring, run, built again with what was measured. GCC and
//! Clang get their flags through the variables CC and CXX of make, through CFLAGS and CXXFLAGS of cmake, or where a line says `{pgo}`.

use super::make::{CompilerFlags, Job, compile};
use super::recipe::BuildTool;
use super::shell::Broken;
use anyhow::anyhow;
use std::fs;
use std::path::{Path, PathBuf};
use tesuji_system::sandbox;

/// The run that is measured for a profile when the recipe names none: what most engines have.
const TRAIN: &str = "bench";

/// Builds for measuring, runs, builds with what was measured.
pub(crate) fn build(job: &Job<'_>) -> Result<PathBuf, Broken> {
    let lines = &job.recipe.build;
    if job.kind == BuildTool::Lines && !lines.iter().any(|line| line.contains("{pgo}")) {
        return Err(anyhow!(
            "--pgo needs {{pgo}} in a line of --build, where the compiler's flags for a profile belong, or the lines that build with \
             a profile: --pgo-build 'make -j{{threads}} profile-build' (pgo_build in the recipe)"
        )
        .into());
    }
    let compilers = Compilers::of(job)?;
    let raw = job.work.join("raw");
    fs::create_dir(&raw)?;
    let measuring = compile(job, Some(&compilers.flags(&|kind| kind.measuring(&raw))))?;
    measure(job, &measuring, &[])?;
    let measured = files_below(&raw)?;
    if measured.is_empty() {
        let names = [&compilers.c.0, &compilers.cxx.0].map(String::as_str).join(" or ");
        return Err(anyhow!(
            "the measured run wrote no profile: it must end by itself, and the build must compile with {names} as $(CC) or $(CXX)"
        )
        .into());
    }
    let merged = job.work.join("merged.profdata");
    if measured.iter().any(|file| file.extension().is_some_and(|end| end == "profraw")) {
        let merge = merge_tool(job, &compilers)?;
        job.shell.run(job.command(&merge).args(["merge", "-o"]).arg(&merged).args(&measured), None)?;
    }
    clean(job)?;
    compile(job, Some(&compilers.flags(&|kind| kind.measured(&raw, &merged))))
}

/// Runs the program whose run is measured.
pub(crate) fn measure(job: &Job<'_>, program: &Path, variables: &[(&str, &Path)]) -> Result<(), Broken> {
    let words: Vec<&str> = job.recipe.train.as_deref().unwrap_or(TRAIN).split_whitespace().collect();
    let mut train = job.command(&program.display().to_string());
    train.args(&words).envs(variables.iter().copied());
    job.shell.run(&mut train, None).map_err(|broken| match broken {
        Broken::Failed(error) => Broken::Failed(
            error.context("the run that is measured for the profile (--train 'ARGUMENTS' gives another)"),
        ),
        stopped => stopped,
    })
}

/// All files below a folder.
fn files_below(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.symlink_metadata()?.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    files.sort();
    Ok(files)
}

/// Removes what the first build made.
fn clean(job: &Job<'_>) -> Result<(), Broken> {
    let git = |words: &[&str]| job.shell.run(super::revision::git(job.tree).args(words), None);
    git(&["clean", "-fdxq"])?;
    if sandbox().is_none() && job.tree.join(".gitmodules").exists() {
        git(&["submodule", "--quiet", "foreach", "--recursive", "git clean -fdxq"])?;
    }
    let _ = fs::remove_dir_all(job.cmake_folder());
    Ok(job.place_weights()?)
}

/// The family of a compiler: what it calls its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Gcc,
    Clang,
}

impl Family {
    /// The family by what a compiler says of its version.
    fn of(version: &str) -> Family {
        if version.contains("clang") { Family::Clang } else { Family::Gcc }
    }

    /// Flags of a build whose run is measured into the folder `raw`.
    fn measuring(self, raw: &Path) -> String {
        match self {
            // Threads of the engine count into the same counters.
            Family::Gcc => format!("-fprofile-generate={} -fprofile-update=prefer-atomic", raw.display()),
            Family::Clang => format!("-fprofile-generate={}", raw.display()),
        }
    }

    /// Flags of a build with what was measured: GCC reads the folder, Clang the file `merged`.
    fn measured(self, raw: &Path, merged: &Path) -> String {
        match self {
            Family::Gcc => format!("-fprofile-use={} -fprofile-correction -Wno-missing-profile", raw.display()),
            Family::Clang => format!("-fprofile-use={} -Wno-profile-instr-unprofiled", merged.display()),
        }
    }
}

/// The compilers of a build: their commands and families.
struct Compilers {
    c: (String, Family),
    cxx: (String, Family),
}

impl Compilers {
    /// Those that make, the recipe or the environment name.
    fn of(job: &Job<'_>) -> Result<Compilers, Broken> {
        let of_make = if job.kind == BuildTool::Make { make_variables(job)? } else { String::new() };
        let command = |name: &str, cmake_name: &str, usual: &str| {
            let of_args = |key: &str| {
                let prefix = format!("{key}=");
                job.recipe.args.iter().rev().find_map(|arg| arg.strip_prefix(&prefix).map(str::to_string))
            };
            let said = of_args(cmake_name).or_else(|| variable(&of_make, name));
            let said = said.or_else(|| job.recipe.env.get(name).cloned()).or_else(|| std::env::var(name).ok());
            said.filter(|command| !command.trim().is_empty()).unwrap_or_else(|| usual.to_string())
        };
        let with_family = |command: String| -> Result<_, Broken> {
            let said = job.ask(job.command("sh").args(["-c", &format!("{command} --version")]))?;
            Ok((command, Family::of(&said)))
        };
        Ok(Compilers {
            c: with_family(command("CC", "-DCMAKE_C_COMPILER", "cc"))?,
            cxx: with_family(command("CXX", "-DCMAKE_CXX_COMPILER", "c++"))?,
        })
    }

    fn flags(&self, of_family: &dyn Fn(Family) -> String) -> CompilerFlags {
        let [(c, c_family), (cxx, cxx_family)] = [&self.c, &self.cxx];
        CompilerFlags { c: (c.clone(), of_family(*c_family)), cxx: (cxx.clone(), of_family(*cxx_family)) }
    }
}

/// What make knows of its variables, without making anything.
fn make_variables(job: &Job<'_>) -> Result<String, Broken> {
    job.ask(job.command("make").args(["-pq"]).args(&job.recipe.args))
}

/// The value of a variable in make's list of them; the last one counts.
fn variable(list: &str, name: &str) -> Option<String> {
    let value = |line: &str| {
        let rest = line.strip_prefix(name)?.trim_start();
        let rest = rest.strip_prefix("::=").or_else(|| rest.strip_prefix(":=")).or_else(|| rest.strip_prefix('='))?;
        Some(rest.trim().to_string())
    };
    // A value that names other variables is known to make alone.
    list.lines().filter_map(value).next_back().filter(|value| !value.contains('$'))
}

/// The program that joins profiles of Clang: its own, or that of its version.
fn merge_tool(job: &Job<'_>, compilers: &Compilers) -> Result<String, Broken> {
    let clang = [&compilers.cxx, &compilers.c].into_iter().find(|(_, family)| *family == Family::Clang);
    let command = clang.map_or("clang", |(command, _)| command.as_str());
    let ask = |argument: &str| job.ask(job.command("sh").args(["-c", &format!("{command} {argument}")]));
    let own = ask("-print-prog-name=llvm-profdata")?.trim().to_string();
    let version = ask("-dumpversion")?.trim().to_string();
    let major = version.split('.').next().unwrap_or_default();
    let named = [own, format!("llvm-profdata-{major}"), "llvm-profdata".to_string()];
    for tool in named {
        if job.ask(job.command(&tool).args(["merge", "--version"]))?.contains("LLVM") {
            return Ok(tool);
        }
    }
    let advice = format!("on Debian apt-get install llvm-{major}");
    Err(anyhow!("--pgo with Clang needs llvm-profdata of its version {version}: {advice}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_make_are_found() {
        let list =
            "# default\nCC = cc\nCXXFLAGS := -O3\n# makefile (from 'Makefile', line 3)\nCC := gcc-12\nCXX = $(COMP)\n";
        assert_eq!(
            [variable(list, "CC"), variable(list, "CXX"), variable(list, "LD")],
            [Some("gcc-12".into()), None, None]
        );
    }

    #[test]
    fn flags_are_those_of_the_family() {
        assert_eq!(Family::of("Debian clang version 16.0.6\nTarget: x86_64"), Family::Clang);
        assert_eq!(Family::of("gcc (Debian 12.2.0) 12.2.0"), Family::Gcc);
        let (raw, merged) = (Path::new("/w/raw"), Path::new("/w/m.profdata"));
        assert!(Family::Gcc.measuring(raw).starts_with("-fprofile-generate=/w/raw "));
        assert!(Family::Gcc.measured(raw, merged).starts_with("-fprofile-use=/w/raw "));
        assert_eq!(Family::Clang.measuring(raw), "-fprofile-generate=/w/raw");
        assert!(Family::Clang.measured(raw, merged).starts_with("-fprofile-use=/w/m.profdata "));
    }
}
