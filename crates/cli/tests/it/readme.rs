//! Every command of the README runs, in the order given, in an empty folder. `SLOW=1` runs them at full length.

use std::{fs, path::Path, process::Command};

/// The lines of the README's `sh` blocks.
fn commands() -> Vec<String> {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).expect("README.md");
    let mut inside = false;
    let mut found = Vec::new();
    for line in readme.lines() {
        match line {
            "```sh" => inside = true,
            "```" => inside = false,
            _ if inside && !line.is_empty() => found.push(line.to_string()),
            _ => {}
        }
    }
    found
}

/// Splits a line as a shell does; quotes are double quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts.fold(Vec::new(), |mut all, (i, part)| {
        if i % 2 == 1 {
            all.push(part.to_string());
        } else {
            all.extend(part.split_whitespace().map(str::to_string));
        }
        all
    })
}

#[test]
fn readme_commands_run() {
    let slow = tesuji_testkit::needs::is_slow();
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = 0;
    for line in commands() {
        let Some(arguments) = line.strip_prefix("cargo run --release -- ") else {
            // What builds or checks the project is not run from inside its own tests.
            assert!(["./check", "cargo build", "ln -sf"].iter().any(|p| line.starts_with(p)), "who runs {line:?}?");
            continue;
        };
        let mut arguments = words(arguments);
        if !slow {
            for i in 1..arguments.len() {
                if arguments[i - 1] == "--budget" {
                    arguments[i] = "20s".into();
                }
            }
            // All families at their usual depths are what another test compares with bench.txt.
            if arguments == ["bench"] {
                arguments.extend(["--search".into(), "alpha-beta".into()]);
            }
        }
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(&arguments)
            .current_dir(folder.path())
            .output()
            .expect("the binary starts");
        let text = format!("{}\n{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success(), "{line}\nends with {}\n{text}", out.status);
        if arguments[0] == "improve" {
            // A short run may prove nothing, but it comes to a verdict; a whole one proves a gain.
            let wanted = if slow { "a gain is proven" } else { "verdict: " };
            assert!(text.contains(wanted), "{line}: {text}");
        }
        assert!(text.trim().lines().count() >= 2, "{line} says next to nothing: {text:?}");
        ran += 1;
    }
    assert!(ran >= 7, "the README names its commands");
}
