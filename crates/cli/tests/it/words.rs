//! Help, version and wrong use, as a person meets them.

use std::process::{Command, Output};

fn tesuji(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).output().expect("the binary starts")
}

fn said(out: &Output) -> (String, String) {
    (String::from_utf8_lossy(&out.stdout).into(), String::from_utf8_lossy(&out.stderr).into())
}

#[test]
fn version_names_commit_build_and_processor() {
    let (out, _) = said(&tesuji(&["--version"]));
    for word in ["tesuji 0.", "build:", "processor path:"] {
        assert!(out.contains(word), "{out}");
    }
}

/// `match chess` and `tune chess g.sgs` were refused without a word of what was meant.
#[test]
fn words_without_their_option_get_a_tip() {
    for (words, tip) in [
        (&["match", "chess", "--nodes", "5"][..], "the game is an option: --game chess"),
        (&["match", "--nodes", "5", "go"][..], "the game is an option: --game go"),
        (&["tune", "chess", "g.sgs"][..], "games are an option: --games g.sgs"),
        (
            &["match", "--engine", "cmd=a", "name=b"][..],
            "an engine is one word, in quotes: --engine 'cmd=PROGRAM name=b'",
        ),
        (&["match", "./new", "./old"][..], "engines are options: --engine 'cmd=./new'"),
        (&["match", "-engine", "cmd=a"][..], "--from-command 'COMMAND' translates command lines of other runners"),
        (
            &["solve", "shogi", "--sfen", "4k4/9/4P4/9/9/9/9/9/9", "b", "G2r", "1"][..],
            "a position is one word, in quotes",
        ),
    ] {
        let out = tesuji(words);
        let (_, error) = said(&out);
        assert!(out.status.code() == Some(2) && error.contains(&format!("tip: {tip}")), "{words:?}: {error}");
    }
    assert!(!said(&tesuji(&["match", "checkers"])).1.contains("--game"), "no game of ours");
}

/// Paragraphs behind the options were broken as their source is, and again by narrow terminals: long lines and rests of lines by turns.
#[test]
fn paragraphs_of_help_fill_their_lines() {
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji")).args(["weights", "--help"]).env("COLUMNS", "80").output();
    let (help, _) = said(&out.expect("the binary starts"));
    let last = help.trim_end().rsplit("\n\n").next().expect("a paragraph");
    let lines: Vec<&str> = last.lines().collect();
    assert!(last.starts_with("Weights are a file of ours,") && lines.len() > 1, "{help}");
    assert!(lines[..lines.len() - 1].iter().all(|line| (60..=80).contains(&line.len())), "{last}");
}

/// The names of the subcommands, as `--help` lists them.
pub(crate) fn subcommands() -> Vec<String> {
    let (help, _) = said(&tesuji(&["--help"]));
    let lines = help.lines().skip_while(|l| !l.starts_with("Commands:")).skip(1).take_while(|l| !l.is_empty());
    // What a narrow terminal wraps is set further in.
    let names = lines.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    let names = names.filter_map(|l| l.split_whitespace().next());
    names.filter(|n| *n != "help").map(str::to_string).collect()
}

/// Help was up to 108 columns wide, whatever the terminal had, and 100 where there was none.
#[test]
fn help_is_as_wide_as_the_terminal() {
    let widest = |columns: Option<&str>, command: &str| {
        let mut tesuji = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        tesuji.args([command, "--help"]).env_remove("COLUMNS");
        if let Some(columns) = columns {
            tesuji.env("COLUMNS", columns);
        }
        let (help, _) = said(&tesuji.output().expect("the binary starts"));
        // What has no spaces, such as usage and names of flags, cannot be wrapped.
        let texts = help.lines().filter(|line| !line.contains("--") && !line.contains('<'));
        texts.map(|line| line.chars().count()).max().unwrap_or(0)
    };
    for command in ["match", "selfplay", "tune"] {
        assert!((61..=80).contains(&widest(None, command)), "{command}: {}", widest(None, command));
        assert!(widest(Some("60"), command) <= 60, "{command}");
        assert!((101..=120).contains(&widest(Some("300"), command)), "{command}: {}", widest(Some("300"), command));
    }
}

/// Examples were wrapped within a command, so that a shell read two.
#[test]
fn examples_in_help_are_whole_commands() {
    let examples = |words: &[&str], columns: &str| -> Vec<String> {
        let mut tesuji = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        tesuji.args(words).arg("--help").env("COLUMNS", columns);
        let (help, _) = said(&tesuji.output().expect("the binary starts"));
        let examples: Vec<&str> = help.split("\n\n").filter(|part| part.starts_with("Example")).collect();
        assert!(!examples.is_empty(), "{words:?}");
        let is_code = |line: &&str| line.starts_with(' ') && line.contains("--");
        let wide = examples.iter().flat_map(|part| part.lines()).filter(is_code).map(|line| line.chars().count()).max();
        // A word is not broken.
        assert!(wide.unwrap_or(0) <= columns.parse::<usize>().unwrap().max(70), "{words:?}: {examples:#?}");
        let whole = |part: &str| {
            part.replace(" \\\n", " ")
                .split('\n')
                .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
        };
        examples.into_iter().flat_map(whole).collect()
    };
    let of_data = ["convert", "filter", "rescore", "shuffle"].map(|name| ["data", name]);
    let single = ["match", "selfplay", "spsa", "tune", "improve", "analyse", "builds", "solve"].map(|name| [name]);
    for words in single.iter().map(<[&str; 1]>::as_slice).chain(of_data.iter().map(<[&str; 2]>::as_slice)) {
        // In narrower terminals there are quoted words that are longer than a line.
        assert_eq!(examples(words, "100"), examples(words, "120"), "{words:?}");
        assert_eq!(examples(words, "80"), examples(words, "120"), "{words:?}");
    }
}

/// The options of `match` stood in one list of seventy, those that nobody needs first.
#[test]
fn common_options_come_first_and_the_rest_by_purpose() {
    for (command, headings, common) in [
        ("match", 11, ["--engine", "--tc", "--sprt"]),
        ("selfplay", 5, ["--games", "--out", "--nodes"]),
        ("spsa", 4, ["--engine", "--option", "--tc"]),
    ] {
        let (help, _) = said(&tesuji(&[command, "--help"]));
        let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ');
        let names: Vec<&str> = help.lines().filter(is_heading).collect();
        let of_purpose = names.iter().filter(|name| !["Arguments:", "Options:", "Examples:"].contains(name)).count();
        assert_eq!(of_purpose, headings, "{command}: {names:?}");
        assert!(names.ends_with(&["All commands:", "Examples:"]), "{command}: {names:?}");
        let mut first =
            help.lines().skip_while(|line| *line != "Options:").skip(1).take_while(|line| !is_heading(line));
        // What stands further in is text.
        let options = first.by_ref().filter(|line| !line.starts_with("       "));
        let flags: Vec<&str> = options.filter_map(|line| line.trim_start().strip_prefix('-')).collect();
        assert!((11..=14).contains(&flags.len()), "{command}: {flags:?}");
        for flag in common {
            assert!(flags.iter().any(|line| line.contains(&flag[1..])), "{command} {flag}: {flags:?}");
        }
        assert!(help.lines().all(|line| line.chars().count() <= 80), "{command}: {help}");
    }
}

#[test]
fn every_subcommand_teaches_by_example() {
    let names = subcommands();
    assert!(names.contains(&"doctor".to_string()), "{names:?}");
    for name in names {
        let out = tesuji(&[&name, "--help"]);
        let (help, _) = said(&out);
        assert!(out.status.success() && help.contains("Example"), "{name} --help shows no example:\n{help}");
    }
}

#[test]
fn wrong_use_is_told_and_ends_with_2() {
    for wrong in
        [&["fly"][..], &["doctor", "--fly"], &["--log", "a=b=c", "doctor"], &["perft", "chess", "--depth", "x"]]
    {
        let out = tesuji(wrong);
        let (_, err) = said(&out);
        assert_eq!(out.status.code(), Some(2), "{wrong:?}: {err}");
        assert!(!err.trim().is_empty(), "{wrong:?} says nothing");
    }
}

#[test]
fn doctor_looks_around() {
    let out = tesuji(&["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    assert!(report["cores"].as_u64().is_some_and(|n| n >= 1), "{report}");
    assert!(report["programs"].as_array().is_some_and(|p| p.iter().any(|x| x["name"] == "cargo")), "{report}");
}

#[test]
fn completions_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish"] {
        let (script, _) = said(&tesuji(&["completions", shell]));
        for name in subcommands() {
            assert!(script.contains(&name), "{shell} does not know {name}");
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tesuji.bash");
    std::fs::write(&path, tesuji(&["completions", "bash"]).stdout).expect("a file");
    // Completing `tesuji self` as bash does it.
    let line = format!(
        "source '{}'; COMP_WORDS=(tesuji self); COMP_CWORD=1; _tesuji tesuji self tesuji; echo \"${{COMPREPLY[*]}}\"",
        path.display()
    );
    let out = Command::new("bash").args(["--norc", "-c", &line]).output().expect("bash");
    assert_eq!(said(&out).0.trim(), "selfplay selftest", "{}", said(&out).1);
}

#[test]
fn the_manual_has_a_page_for_every_subcommand() {
    let folder = tempfile::tempdir().expect("a folder");
    let into = folder.path().join("man1");
    assert!(tesuji(&["manual", "--into", into.to_str().expect("a path")]).status.success());
    for name in subcommands() {
        let page = std::fs::read_to_string(into.join(format!("tesuji-{name}.1"))).expect("a page");
        assert!(page.contains(&format!(".TH TESUJI-{} 1", name.to_uppercase())), "{name}: {page:.200}");
        assert!(page.contains(".SH OPTIONS") && page.contains("Example"), "{name}: {page}");
    }
    let first = std::fs::read_to_string(into.join("tesuji.1")).expect("a page");
    assert_eq!(said(&tesuji(&["manual"])).0, first);
    assert!(first.contains("tesuji\\-match(1)"), "{first}");
}

#[test]
fn an_owl_is_an_owl() {
    let owl = |arguments: &[&str]| said(&tesuji(arguments)).0;
    assert_eq!(owl(&["owl"]), owl(&["owl", "--seed", "0"]));
    assert_eq!(owl(&["owl", "--seed", "5"]), owl(&["owl", "--seed", "5"]));
    assert_ne!(owl(&["owl", "--seed", "5"]), owl(&["owl"]));
    assert!(owl(&["owl"]).lines().any(|line| line.trim() == "| ( o ) ( o ) |"));
}

/// Scripts, and journals of matches, have the names that options had before.
#[test]
fn former_names_of_options_are_taken() {
    for line in [
        "uci --set Hash=1",
        "match --stats 1 1 1 --concurrency 1",
        "selftest chess none.txt --no-laws",
        "data filter none.pgn kept.pgn --men 5..",
        "solve shogi --set none.txt",
        "solve shogi --set-option MateLuck=true --set none.txt",
        "tune chess --games none.pgn --set greko --out none.txt",
        "spsa chess --option RazoringMargin --set Hash=2 --journal none.journal --print-request",
    ] {
        let (_, error) = said(&tesuji(&line.split(' ').collect::<Vec<_>>()));
        assert!(!error.contains("unexpected argument") && !error.contains("Usage:"), "{line}: {error}");
    }
}
