//! Versions that plant what tools obey: settings of git, cargo, rustup and make, scripts of their builds. In a sandbox nothing of it writes outside. The sandbox is chosen once in a
//! process, so this is the only test of its binary.
#![cfg(target_os = "linux")]

use std::{
    collections::BTreeSet,
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};
use tesuji_builds::build_ordered;
use tesuji_jobs::Interrupt;
use tesuji_system::{Containment, Sandbox, SandboxRules, contain_programs};
use tesuji_testkit::needs;

/// rustup obeys it before the file of a version; cargo sets it for tests.
const TOOLCHAIN: &str = "RUSTUP_TOOLCHAIN";

/// A version as it is sent: an archive and an order.
struct Sent {
    archive: PathBuf,
    order: String,
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn script(path: &Path, text: &str) {
    write(path, &format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn packed(tree: &Path, kind: &str, recipe: &str, pgo: bool) -> Sent {
    let archive = tree.with_extension("tar");
    assert!(Command::new("tar").arg("-C").arg(tree).arg("-cf").arg(&archive).arg(".").status().unwrap().success());
    let order = format!(r#"{{"commit":"0123456789","kind":"{kind}","recipe":{recipe},"pgo":{pgo}}}"#);
    Sent { archive, order }
}

/// An engine in C whose makefile, compiler, bench and git plant something; built with a profile.
fn by_make(place: &Path, outside: &Path) -> Sent {
    let (tree, out) = (place.join("make"), outside.display());
    write(
        &tree.join("engine.c"),
        &format!(
            "#include <stdio.h>\n\
             int main(void) {{\n\
               FILE *file = fopen(\"{out}/bench\", \"w\"); if (file) fclose(file);\n\
               puts(\"4711 nodes 1 nps\"); return 0;\n\
             }}\n"
        ),
    );
    script(&tree.join("compiler"), &format!("(: > {out}/compiler) 2>/dev/null\nexec cc \"$@\""));
    // A repository of its own in the place of that of the tree, with a program that git asks for what changed.
    script(&tree.join("monitor"), &format!("(: > {out}/git) 2>/dev/null\nexit 1"));
    write(
        &tree.join("Makefile"),
        &format!(
            "CC := ./compiler\n\
             SEEN := $(shell : > {out}/makefile)\n\
             engine: engine.c\n\
             \t$(CC) -o engine engine.c\n\
             \trm -rf .git && git init -q . && git config core.fsmonitor ./monitor && git add Makefile compiler monitor engine.c\n"
        ),
    );
    write(&tree.join(".gitattributes"), "* filter=planted\n");
    write(&tree.join(".gitmodules"), "[submodule \"x\"]\n\tpath = x\n\turl = ext::sh -c true\n\tupdate = !true\n");
    packed(&tree, "make", r#"{"binary":"engine","bench":4711}"#, true)
}

/// One in Rust whose configuration of cargo, tool chain and build script do.
fn by_cargo(place: &Path, outside: &Path) -> Sent {
    let (tree, out) = (place.join("cargo"), outside.display());
    let package = "[package]\nname = \"engine\"\nversion = \"1.0.0\"\nedition = \"2021\"\n[workspace]\n";
    write(&tree.join("Cargo.toml"), package);
    write(&tree.join("src/main.rs"), "fn main() { println!(\"4711 nodes 1 nps\"); }\n");
    write(&tree.join("build.rs"), &format!("fn main() {{ let _ = std::fs::write(\"{out}/build-script\", \"\"); }}\n"));
    write(&tree.join(".cargo/config.toml"), "[build]\nrustc-wrapper = \"./wrapper\"\n");
    script(&tree.join("wrapper"), &format!("(: > {out}/wrapper) 2>/dev/null\nexec \"$@\""));
    if let Some(own) = tool_chain() {
        // rustup wants an absolute path: of something that is on the machine, or that an earlier build left there.
        let chain = place.join("chain");
        write(&tree.join("rust-toolchain.toml"), &format!("[toolchain]\npath = \"{}\"\n", chain.display()));
        for tool in ["cargo", "rustc"] {
            let real = own.join("bin").join(tool);
            script(
                &chain.join("bin").join(tool),
                &format!("(: > {out}/tool-chain) 2>/dev/null\nexec {} \"$@\"", real.display()),
            );
        }
    }
    packed(&tree, "cargo", r#"{"bench":4711}"#, false)
}

/// The tool chain that rustup would start; `None` where there is no rustup, which would obey what a version names.
fn tool_chain() -> Option<PathBuf> {
    Command::new("rustup").arg("--version").output().ok().filter(|out| out.status.success())?;
    let out = Command::new("rustc").args(["--print", "sysroot"]).current_dir("/").output().ok()?;
    Some(PathBuf::from(String::from_utf8(out.stdout).ok()?.trim()))
}

/// What was written outside, which is taken away.
fn escaped(outside: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(outside).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            fs::remove_file(entry.path()).unwrap();
            entry.file_name().to_string_lossy().into_owned()
        })
        .collect()
}

fn built(sent: &Sent, cache: &Path) {
    let program = build_ordered(&sent.order, &sent.archive, cache, &Interrupt::new()).unwrap();
    assert!(program.is_file());
}

#[test]
fn what_a_version_plants_does_not_write_outside_of_the_sandbox() {
    if env::var_os(TOOLCHAIN).is_some() {
        let mut again = Command::new(env::current_exe().unwrap());
        again.args(["--exact", "planted::what_a_version_plants_does_not_write_outside_of_the_sandbox", "--nocapture"]);
        assert!(again.env_remove(TOOLCHAIN).status().unwrap().success());
        return;
    }
    let Some(place) = needs::place_seen_in_sandboxes() else { return };
    let sandbox = match Sandbox::find(SandboxRules::default()) {
        Ok(sandbox) => sandbox,
        Err(reason) => {
            return needs::skip(&format!("needs bubblewrap and a kernel that lets it work: {reason}"));
        }
    };
    let place = tempfile::Builder::new().prefix("tesuji-planted-").tempdir_in(place).unwrap();
    let outside = place.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let [make, cargo] = [by_make(place.path(), &outside), by_cargo(place.path(), &outside)];

    // The attempts are real ones: without a sandbox all of them write.
    let plain = place.path().join("plain");
    built(&make, &plain);
    let wanted = ["bench", "compiler", "git", "makefile"].map(str::to_string);
    assert_eq!(escaped(&outside), BTreeSet::from(wanted));
    built(&cargo, &plain);
    let mut wanted = BTreeSet::from(["build-script", "wrapper"].map(str::to_string));
    wanted.extend(tool_chain().map(|_| "tool-chain".to_string()));
    assert_eq!(escaped(&outside), wanted);

    contain_programs(Containment { sandbox: Some(sandbox), secrets: Vec::new() });
    let contained = place.path().join("contained");
    for (sent, name) in [(&make, "make"), (&cargo, "cargo")] {
        built(sent, &contained);
        assert_eq!(escaped(&outside), BTreeSet::new(), "{name}");
    }
    // An archive that has a repository of its own was not made of a revision.
    write(&place.path().join("make/.git/config"), "[core]\n\tfsmonitor = ./monitor\n");
    let odd = packed(&place.path().join("make"), "make", r#"{"binary":"engine"}"#, false);
    let told = build_ordered(&odd.order, &odd.archive, &contained, &Interrupt::new()).unwrap_err().to_string();
    assert!(told.contains("has a .git of its own"), "{told}");
    assert_eq!(escaped(&outside), BTreeSet::new());
}
