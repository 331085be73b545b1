//! The house stands as ARCHITECTURE.md draws it: arrows between crates, charters, no machine paths, README commands that exist.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// The files git knows, with the endings wanted.
fn files(endings: &[&str]) -> Vec<PathBuf> {
    let out = Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z"]).output().expect("git");
    assert!(out.status.success(), "git ls-files failed");
    let text = String::from_utf8(out.stdout).expect("paths in UTF-8");
    let wanted = |p: &&str| endings.iter().any(|e| p.ends_with(e));
    text.split('\0').filter(wanted).map(|p| root().join(p)).filter(|p| p.exists()).collect()
}

/// The table of ARCHITECTURE.md: room to rooms.
fn drawn_arrows() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = text.lines().skip_while(|l| !l.starts_with("| room |")).skip(2).take_while(|l| l.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 3, "a row of three cells: {row}");
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
        let room = names(cells[0]).pop().expect("a room's name");
        (room, names(cells[2]).into_iter().collect())
    })
    .collect()
}

/// What `cargo metadata` says: room to rooms, tests aside.
fn real_arrows() -> BTreeMap<String, BTreeSet<String>> {
    let out = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let meta: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let room = |name: &str| name.strip_prefix("tesuji-").map(str::to_string);
    let packages = meta["packages"].as_array().expect("packages");
    packages
        .iter()
        .filter_map(|p| {
            let uses = p["dependencies"].as_array()?.iter().filter(|d| d["kind"].as_str() != Some("dev"));
            let uses = uses.filter_map(|d| room(d["name"].as_str()?)).collect();
            Some((room(p["name"].as_str()?)?, uses))
        })
        .collect()
}

#[test]
fn arrows_are_as_drawn() {
    let (drawn, real) = (drawn_arrows(), real_arrows());
    let rooms = |m: &BTreeMap<String, BTreeSet<String>>| m.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(rooms(&drawn), rooms(&real), "rooms drawn in ARCHITECTURE.md, and crates there are");
    for (room, uses) in &real {
        let more: Vec<_> = uses.difference(&drawn[room]).collect();
        assert!(more.is_empty(), "{room} uses {more:?}, which ARCHITECTURE.md does not allow");
    }
    // Every arrow points down: the order of the table is an order of building.
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let place = |room: &str| text.find(&format!("| `{room}` |")).expect("a row");
    for (room, uses) in &drawn {
        for used in uses {
            assert!(place(used) < place(room), "{room} stands above {used} in the table");
        }
    }
}

/// Words that only a game's own rooms may say.
#[test]
fn generic_rooms_name_no_game() {
    let generic = ["game", "options", "stats", "search", "engine", "arena", "dataset", "tune", "circle", "jobs"];
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let text = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let inside = generic.iter().any(|room| text.starts_with(&format!("crates/{room}/src/")));
        if inside {
            let code = fs::read_to_string(&path).expect("a source file");
            let names = ["tesuji_chess", "tesuji_shogi", "tesuji_go"];
            found.extend(names.iter().filter(|n| code.contains(**n)).map(|n| format!("{text} names {n}")));
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Ways to open a file for writing, and to print, that lose what was there or panic.
const OTHER_OUTPUTS: &[&str] = &[
    "File::create",
    "File::options",
    "OpenOptions",
    "fs::write(",
    "fs::copy(",
    "stdout().lock()",
    "stdout().flush()",
    "stdout().write",
    "(io::stdout())",
    "(stdout())",
    "stderr().lock()",
];

/// Files that may: the doors themselves, files that only their maker knows, and protocols, whose peer is stdout.
const MAY_OPEN: &[&str] = &[
    "crates/jobs/src/files.rs",
    "crates/jobs/src/output.rs",
    "crates/jobs/src/journal.rs",
    "crates/jobs/src/leash.rs",
    "crates/jobs/src/terminal.rs",
    "crates/dataset/src/data/sink.rs",
    "crates/dataset/src/data/spill.rs",
    "crates/cli/src/builds/manifest.rs",
    "crates/cli/src/builds/revision.rs",
    "crates/cli/src/analysis.rs",
    "crates/cli/src/uci.rs",
];

/// What a source file says outside of its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    // These are whole or not there.
    let code = code.replace("AtomicFile::create", "").replace("SparseFile::create", "");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// `tesuji_jobs::open_output` and its kin open all files of users, and `tesuji_jobs::terminal` prints: nothing else may.
#[test]
fn outputs_have_one_door() {
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let is_ours = name.starts_with("crates/") && name.contains("/src/") && !name.starts_with("crates/testkit/");
        if !is_ours || MAY_OPEN.contains(&name.as_str()) {
            continue;
        }
        let code = code(&path);
        found.extend(OTHER_OUTPUTS.iter().filter(|way| code.contains(**way)).map(|way| format!("{name}: {way}")));
        // The crate of the binary has macros of its own.
        if !name.starts_with("crates/cli/") {
            let prints = ["println!(", " print!(", "eprint!("];
            found.extend(prints.iter().filter(|way| code.contains(**way)).map(|way| format!("{name}: {way}")));
        }
    }
    assert!(found.is_empty(), "open files with tesuji_jobs::open_output, print with tesuji_jobs::terminal: {found:#?}");
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = files(&[".rs"])
        .into_iter()
        .filter(|p| {
            let text = fs::read_to_string(p).expect("a source file");
            !text.starts_with("//!") && !text.starts_with("// @generated")
        })
        .collect();
    assert!(silent.is_empty(), "no charter on the first line: {silent:#?}");
}

#[test]
fn files_stay_readable() {
    let long: Vec<_> = files(&[".rs"])
        .into_iter()
        .filter(|p| !p.to_string_lossy().contains("/generated/"))
        .map(|p| (fs::read_to_string(&p).expect("a source file").lines().count(), p))
        .filter(|(lines, _)| *lines > 700)
        .collect();
    assert!(long.is_empty(), "files over 700 lines ask to be split: {long:#?}");
}

#[test]
fn no_path_of_a_machine() {
    let needles = [["/ro", "ot/"].concat(), ["/ho", "me/"].concat(), ["/wo", "rk/"].concat()];
    let mut found = Vec::new();
    for path in files(&[".rs", ".md", ".toml", ".sh", ".json", ".txt", "check", ".ci/run", "Dockerfile"]) {
        let text = fs::read_to_string(&path).unwrap_or_default();
        found.extend(needles.iter().filter(|n| text.contains(n.as_str())).map(|n| format!("{}: {n}", path.display())));
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The front step holds what a visitor expects there; notes and results of a day belong elsewhere.
#[test]
fn nothing_lies_on_the_front_step() {
    const KNOWN: &[&str] = &[
        ".dockerignore",
        ".gitignore",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.lock",
        "Cargo.toml",
        "Dockerfile",
        "LICENSE",
        "README.md",
        "bench.txt",
        "check",
        "release",
        "rustfmt.toml",
    ];
    let strays: Vec<PathBuf> = files(&[""])
        .into_iter()
        .filter_map(|path| path.strip_prefix(root()).map(Path::to_path_buf).ok())
        .filter(|path| path.components().count() == 1 && !KNOWN.iter().any(|k| Path::new(k) == path))
        .collect();
    assert!(strays.is_empty(), "these do not belong in the root (or belong in the list of this test): {strays:?}");
}
