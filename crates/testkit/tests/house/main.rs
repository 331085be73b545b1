//! The workspace is as ARCHITECTURE.md describes it: dependencies between crates, purposes of files, no machine paths, README commands that exist.

mod circles;
mod examples;
mod limits;
mod names;
mod skips;
mod systems;
mod words;

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

/// The table of ARCHITECTURE.md: crate to crates.
fn documented_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = text.lines().skip_while(|l| !l.starts_with("| crate |")).skip(2).take_while(|l| l.starts_with('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        assert_eq!(cells.len(), 3, "a row of three cells: {row}");
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<_>>();
        let name = names(cells[0]).pop().expect("a crate's name");
        (name, names(cells[2]).into_iter().collect())
    })
    .collect()
}

/// What `cargo metadata` says: crate to crates, tests aside.
fn real_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let out = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .output()
        .expect("cargo");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let meta: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let name = |name: &str| name.strip_prefix("tesuji-").map(str::to_string);
    let packages = meta["packages"].as_array().expect("packages");
    packages
        .iter()
        .filter_map(|p| {
            let uses = p["dependencies"].as_array()?.iter().filter(|d| d["kind"].as_str() != Some("dev"));
            let uses = uses.filter_map(|d| name(d["name"].as_str()?)).collect();
            Some((name(p["name"].as_str()?)?, uses))
        })
        .collect()
}

#[test]
fn dependencies_are_as_documented() {
    let (documented, real) = (documented_dependencies(), real_dependencies());
    let names_of = |m: &BTreeMap<String, BTreeSet<String>>| m.keys().cloned().collect::<BTreeSet<_>>();
    assert_eq!(names_of(&documented), names_of(&real), "crates listed in ARCHITECTURE.md, and crates there are");
    for (name, uses) in &real {
        let more: Vec<_> = uses.difference(&documented[name]).collect();
        assert!(more.is_empty(), "{name} uses {more:?}, which ARCHITECTURE.md does not allow");
    }
    // The order of the table is an order of building.
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let place = |name: &str| text.find(&format!("| `{name}` |")).expect("a row");
    for (name, uses) in &documented {
        for used in uses {
            assert!(place(used) < place(name), "{name} stands above {used} in the table");
        }
    }
}

/// Crates that see a game through traits or text. (`protocol` and `book` hold the protocols and book formats of single games.)
const GENERIC: [&str; 22] = [
    "game",
    "options",
    "stats",
    "record",
    "tally",
    "nn",
    "search",
    "engine",
    "kit",
    "jobs",
    "arena",
    "dataset",
    "tune",
    "serving",
    "train",
    "cuda",
    "builds",
    "circle",
    "report",
    "kits-shared",
    "web",
    "cli",
];
/// Files that are about one game by nature, or about programs that play it.
const OF_ONE_GAME: [&str; 5] = [
    // KataGo's JSON, which knows go alone.
    "crates/cli/src/analysis.rs",
    // Servers of shogi.
    "crates/cli/src/csa_client.rs",
    // GreKo's set of weights, and its words for learning.
    "crates/cli/src/tune.rs",
    // An owl knows what owls are.
    "crates/report/src/owl.rs",
    // Models of KataGo, and the planes that they read.
    "crates/nn/src/katago/mod.rs",
];
/// What no generic crate may name in code, in whatever word it stands: games, and programs that play them.
const NAMES: [&str; 12] = [
    "chess",
    "shogi",
    "gikou",
    "yaneuraou",
    "floodgate",
    "stockfish",
    "leela",
    "katago",
    "bakago",
    "greko",
    "delphi",
    "sofcheck",
];
/// Nor may it use these words of one game.
const WORDS_OF_GAMES: [&str; 13] = [
    "lc0", "apery", "pawn", "pawns", "knight", "bishop", "rook", "queen", "castling", "tsume", "superko", "komi",
    "joseki",
];
/// Nor texts that are a move or a format of one game. (Options of the command line are named after formats.)
const TEXTS_OF_GAMES: [&str; 11] = ["pass", "fen", "sfen", "pgn", "sgs", "epd", "sgf", "kif", "ki2", "csa", "hcpe"];
/// Where such a word is meant, and why: nothing else may use it.
const MEANT: [(&str, &str); 19] = [
    // A format of networks is named after the program that writes it.
    ("crates/nn/src/lib.rs", "katago"),
    // The move in place of a turn that a session of GTP leaves out.
    ("crates/engine/src/session/place.rs", "pass"),
    // A verdict of regression tests.
    ("crates/arena/src/regression.rs", "pass"),
    // Openings as lines of positions, whatever the game: runners call them so.
    ("crates/arena/src/opening_files.rs", "epd"),
    ("crates/arena/src/opening_maker.rs", "epd"),
    // Words before a position that people paste.
    ("crates/kit/src/pasted.rs", "fen"),
    ("crates/kit/src/pasted.rs", "sfen"),
    // A command that engines of GTP must have.
    ("crates/arena/src/check/gtp.rs", "komi"),
    // Names of other programs that run matches, and of a variant as they call it.
    ("crates/arena/src/foreign.rs", "chess"),
    // A command of GTP that every runner sends; the game's rules read it.
    ("crates/engine/src/session/worker.rs", "komi"),
    // Layouts and filters of another program's data.
    ("crates/cli/src/data/filter.rs", "sofcheck"),
    ("crates/cli/src/features.rs", "sofcheck"),
    // The command of a console that lets the engine play.
    ("crates/kit/src/console/any_game.rs", "go"),
    // `--chess960`: rules that have a flag of their own.
    ("crates/cli/src/variant.rs", "chess"),
    // The networks that come with the program: one option lists those of all games.
    ("crates/kits-shared/src/net.rs", "go"),
    ("crates/kits-shared/src/net.rs", "shogi"),
    // Presets of best-first search after the program whose rules they are.
    ("crates/kits-shared/src/best_first.rs", "delphi"),
    // The name of a format of training logs in the HTTP API.
    ("crates/web/src/runs.rs", "greko"),
    ("crates/web/src/runs/story.rs", "greko"),
];

/// The code of a source file line by line: without comments, which may name the source of an idea, and without its tests.
fn code_of(text: &str) -> Vec<String> {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let (mut code, mut in_string) = (String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' if in_string => {
                rest.next();
            }
            '\'' if !in_string && rest.peek() == Some(&'"') => {
                rest.next();
            }
            '"' => in_string = !in_string,
            '/' if !in_string && rest.peek() == Some(&'/') => {
                while rest.peek().is_some_and(|c| *c != '\n') {
                    rest.next();
                }
                continue;
            }
            _ => {}
        }
        code.push(c);
    }
    code.lines().map(str::to_string).collect()
}

/// `text` without the attributes that hold the examples of a command's help: people are shown real games.
fn without_examples(text: &str) -> String {
    let mut parts = text.split("#[command(");
    let first = parts.next().unwrap_or_default().to_string();
    let rest = parts.map(|part| part.split_once(")]\n").map_or("", |(_, rest)| rest));
    rest.fold(first, |text, part| text + part)
}

/// The words of code in small letters: `fn dlshogi_net() -> BakaGo` has `fn`, `dlshogi`, `net`, `baka` and `go`.
fn words_of(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in line.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("a word").extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// What a line of code names of games. "Go" is a verb as well: only a text `"go"` or `"go-…"` and types of that name are the game.
fn game_words(line: &str) -> Vec<String> {
    let small = line.to_lowercase();
    let mut found: Vec<String> =
        NAMES.iter().filter(|name| small.contains(**name)).map(|name| name.to_string()).collect();
    found.extend(words_of(line).into_iter().filter(|word| WORDS_OF_GAMES.contains(&word.as_str())));
    let names_go =
        ["\"go\"", "\"go-", "`go-", "GoPosition", "GoRules", "tesuji_go"].iter().any(|name| line.contains(name));
    found.extend(names_go.then(|| "go".to_string()));
    found
}

/// The texts of games in a line of code.
fn texts_of_games(line: &str) -> impl Iterator<Item = String> {
    TEXTS_OF_GAMES.iter().filter(|text| line.contains(&format!("\"{text}\""))).map(|text| text.to_string())
}

/// It looked for the names of three crates alone, and presets of go, dlshogi and BakaGo passed it; formats and moves of one game
/// passed it later.
#[test]
fn generic_crates_name_no_game() {
    assert_eq!(game_words(&code_of("    pub fn dlshogi() { /* */ } // as in chess")[0]), ["shogi"]);
    assert_eq!(game_words("\"rook\" => BakaGo::new(\"go-6x64\")"), ["bakago", "rook", "go"]);
    assert!(game_words("player.go(\"cannot go on\")").is_empty());
    assert!(texts_of_games("[\"kif\", \"a pass\"]").eq(["kif"]));
    let (mut found, mut meant) = (Vec::new(), BTreeSet::new());
    for path in files(&[".rs"]) {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let is_inside = GENERIC.iter().any(|generic| name.starts_with(&format!("crates/{generic}/src/")));
        if !is_inside || name.ends_with("/tests.rs") || OF_ONE_GAME.contains(&name.as_str()) {
            continue;
        }
        let text = without_examples(&fs::read_to_string(&path).expect("a source file"));
        for (number, line) in code_of(&text).iter().enumerate() {
            let texts = texts_of_games(line).filter(|_| !name.starts_with("crates/cli/"));
            for word in game_words(line).into_iter().chain(texts) {
                match MEANT.iter().find(|(file, known)| *file == name && *known == word) {
                    Some(known) => drop(meant.insert(known)),
                    None => found.push(format!("{name}:{}: {word}: {}", number + 1, line.trim())),
                }
            }
        }
    }
    assert!(found.is_empty(), "games belong in their own crates, presets of programs in crates/kits: {found:#?}");
    assert_eq!(meant.len(), MEANT.len(), "an exception that is no longer needed");
    let names_none = |file: &&&str| {
        let text = without_examples(&fs::read_to_string(root().join(file)).unwrap_or_default());
        code_of(&text).iter().all(|line| game_words(line).is_empty())
    };
    let idle: Vec<_> = OF_ONE_GAME.iter().filter(names_none).collect();
    assert!(idle.is_empty(), "files that name no game need no exception: {idle:?}");
}

/// Programs, which read their command line at one place and hand it on: a request made of it could not come from anywhere else.
const READS_ARGUMENTS: [&str; 2] = ["crates/cli/src/lib.rs", "crates/testkit/src/bin/mock-engine.rs"];

#[test]
fn command_lines_are_read_at_one_place() {
    let reads = |path: &PathBuf| {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let is_source = name.starts_with("crates/") && name.contains("/src/");
        let text = if is_source { fs::read_to_string(path).expect("a source file") } else { String::new() };
        let times = code_of(&text).iter().filter(|line| line.contains("env::args")).count();
        (times > 0).then_some((name, times))
    };
    let found: Vec<_> = files(&[".rs"]).iter().filter_map(reads).collect();
    assert_eq!(found, READS_ARGUMENTS.map(|name| (name.to_string(), 1)));
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
    "crates/system/src/locks.rs",
    "crates/system/src/waiting.rs",
    "crates/jobs/src/files.rs",
    "crates/jobs/src/output.rs",
    "crates/jobs/src/journal.rs",
    "crates/jobs/src/job_control.rs",
    "crates/jobs/src/terminal.rs",
    "crates/dataset/src/data/sink.rs",
    "crates/dataset/src/data/spill.rs",
    "crates/builds/src/manifest.rs",
    "crates/builds/src/revision.rs",
    "crates/cli/src/analysis.rs",
    "crates/cli/src/uci.rs",
    "crates/web/src/workspace.rs",
];

/// What a source file says outside of its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("a source file");
    let tests = ["#[cfg(test)]\nmod tests", "#[cfg(test)]\npub(super) mod tests"];
    let end = tests.iter().filter_map(|head| text.find(head)).min().unwrap_or(text.len());
    let code = &text[..end];
    // These are whole or not there.
    let code = code.replace("AtomicFile::create", "").replace("SparseFile::create", "");
    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// `tesuji_jobs::open_output` and its siblings open all files of users, and `tesuji_jobs::terminal` prints: nothing else may.
#[test]
fn outputs_have_one_door() {
    let mut found = Vec::new();
    for path in files(&[".rs"]) {
        let name = path.to_string_lossy().replace(&format!("{}/", root().display()), "");
        let is_ours = name.starts_with("crates/") && name.contains("/src/") && !name.starts_with("crates/testkit/");
        if !is_ours || name.ends_with("/tests.rs") || MAY_OPEN.contains(&name.as_str()) {
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
    assert!(silent.is_empty(), "no purpose on the first line: {silent:#?}");
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
        ".codespellrc",
        ".dockerignore",
        ".gitignore",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Cargo.lock",
        "Cargo.toml",
        "Containerfile",
        "Dockerfile",
        "LICENSE",
        "README.md",
        "bench.txt",
        "check",
        "measure",
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
