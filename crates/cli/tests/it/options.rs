//! `tesuji options`: the manual's page, and what all options of all engines must be.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tesuji_options::Kind;

/// What `tesuji options` prints.
fn printed(args: &[&str]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).arg("options").args(args).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The manual's page is what the declarations say.
#[test]
fn the_page_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/options.md");
    let page = printed(&["chess", "--format", "markdown"]);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, page).unwrap();
    } else {
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(page == expected, "docs/options.md is out of date; UPDATE=1 writes it");
    }
}

/// The page keeps files to the workspace by the kind of an option: none may name a file under another kind.
#[test]
fn options_that_name_files_are_declared_as_such() {
    let mut files = 0;
    for kit in tesuji_kits::GAMES.0 {
        for family in kit.families() {
            for spec in kit.player(family).unwrap().options().specs() {
                let names_files = ["_file", "_path", "_folder"].iter().any(|ending| spec.key.ends_with(ending));
                let is_file = matches!(spec.kind, Kind::File { .. });
                assert_eq!(is_file, names_files, "{} {family}: {}", kit.name(), spec.key);
                files += usize::from(is_file);
            }
        }
    }
    assert!(files > 5, "{files}");
}

/// Runners read bounds as 32 bits with a sign; cutechess warns of larger ones.
#[test]
fn bounds_fit_into_32_bits() {
    for family in ["", "mcts", "best-first"] {
        let lines = printed(&["chess", "--search", family, "--format", "uci", "--all"]);
        let bounds: Vec<(&str, i64)> = lines
            .lines()
            .flat_map(|line| {
                let words: Vec<&str> = line.split_ascii_whitespace().collect();
                let numbers = words.windows(2).filter(|pair| ["min", "max"].contains(&pair[0]));
                numbers.map(|pair| (line, pair[1].parse().unwrap())).collect::<Vec<_>>()
            })
            .collect();
        assert!(bounds.len() > 10, "{family}: {lines}");
        assert!(bounds.iter().all(|(_, bound)| i32::try_from(*bound).is_ok()), "{bounds:?}");
    }
}

/// The output of `--format toml` sets every option to its current value.
#[test]
fn a_printed_file_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    for family in ["", "mcts", "best-first"] {
        let text = printed(&["chess", "--search", family, "--format", "toml", "--all"]);
        assert!(text.parse::<toml::Table>().unwrap().len() > 5, "{text}");
        std::fs::write(folder.path().join("engine.toml"), &text).unwrap();
        let mut engine = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        engine.args(["uci", "--search", family, "--config", "engine.toml"]).current_dir(folder.path());
        let mut engine = engine.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        engine.stdin.take().unwrap().write_all(b"uci\nquit\n").unwrap();
        let out = engine.wait_with_output().unwrap();
        let (told, errors) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        assert!(out.status.success() && told.contains("uciok") && errors.is_empty(), "{family}: {told}{errors}");
    }
}
