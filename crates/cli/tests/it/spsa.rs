//! `tesuji spsa`: a run that is stopped and resumed ends as one that was not.

use std::{path::Path, process::Command};
use tesuji_testkit::mock;

fn spsa(folder: &Path, arguments: &str) -> (Option<i32>, String) {
    spsa_of("chess", folder, arguments)
}

fn spsa_of(game: &str, folder: &Path, arguments: &str) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["spsa", game, "--quiet", "--pairs", "1", "--nodes", "50"])
        .args(arguments.split(' '))
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    let words = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    (out.status.code(), words)
}

#[test]
fn a_tuning_goes_on_from_its_journal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.journal");
    let options = "--option RazoringMargin --option FutilityBase=90:20..200/10 --iterations 6 --journal s.journal";
    let (code, whole) = spsa(folder.path(), &format!("{options} --jobs 1"));
    assert_eq!(code, Some(0), "{whole}");
    assert!(whole.contains("RazoringMargin") && whole.contains("after 6 of 6 matches"), "{whole}");
    assert!(whole.contains("option.FutilityBase="), "{whole}");
    // Without its last three results.
    let text = std::fs::read_to_string(&path).unwrap();
    let kept: Vec<&str> = text.lines().take(4).collect();
    std::fs::write(&path, kept.join("\n") + "\n").unwrap();
    assert_eq!(spsa(folder.path(), &format!("{options} --jobs 2")), (Some(0), whole));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let (code, error) = spsa(folder.path(), &format!("{options} --seed 5"));
    assert!(code == Some(2) && error.contains("cannot go on with another tuning"), "{error}");
    let (code, error) = spsa(folder.path(), "--option Hahs --journal x");
    assert!(code == Some(2) && error.contains("Hash"), "{error}");
    let (code, error) = spsa(folder.path(), "--option RazoringMargin=9:1..5/1 --journal x");
    assert!(code == Some(2) && error.contains("the engine takes 50 to"), "{error}");
}

/// Outputs that are no files were read to their end before they were written, which a pipe or a device has not.
#[cfg(target_os = "linux")]
#[test]
fn numbers_are_written_to_pipes_and_devices() {
    let folder = tempfile::tempdir().unwrap();
    let to = |out: &str| {
        let options = "--option RazoringMargin --iterations 1";
        spsa(folder.path(), &format!("{options} --journal {}.journal --out {out}", out.replace('/', "_")))
    };
    let (code, told) = to("/dev/stdout");
    assert!(code == Some(0) && told.contains("setoption name RazoringMargin value"), "{told}");
    let (code, error) = to("/dev/full");
    assert!(code == Some(1) && error.contains("/dev/full: No space left on device"), "{error}");
    let (code, error) = spsa(folder.path(), "--option RazoringMargin --iterations 1 --journal /dev/zero");
    assert!(code == Some(2) && error.contains("expected a regular file"), "{error}");
}

#[test]
fn every_game_is_tuned_and_fractions_too() {
    let folder = tempfile::tempdir().unwrap();
    let go = "--rules 5x5 --option RaveEquivalence=1000:100..5000/200 --option PlayoutEscape=0.9:0.5..1/0.1 \
              --fixed PlayoutCapture=0.8 --iterations 2 --rate 0.1 --journal go.journal";
    let (code, told) = spsa_of("go", folder.path(), &go.split_whitespace().collect::<Vec<_>>().join(" "));
    assert!(
        code == Some(0)
            && told.contains("after 2 of 2 matches")
            && told.contains("--game go --rules '5x5' --nodes 50 --engine"),
        "{told}"
    );
    assert!(
        told.contains("'name=old option.PlayoutCapture=0.8 option.RaveEquivalence=1000.0 option.PlayoutEscape=0.90000"),
        "{told}"
    );
    let journal = std::fs::read_to_string(folder.path().join("go.journal")).unwrap();
    assert!(journal.contains("5x5") && journal.contains("PlayoutCapture"), "{journal}");
    let (code, told) = spsa_of("shogi", folder.path(), "--option RazoringMargin --iterations 1 --journal s.journal");
    assert!(code == Some(0) && told.contains("RazoringMargin"), "{told}");
    let (code, error) = spsa_of("go", folder.path(), "--option PlayoutPolicy --journal x");
    assert!(code == Some(2) && error.contains("only options that are numbers"), "{error}");
    let (code, error) = spsa_of("go", folder.path(), "--option PlayoutEscape --fixed PlayoutCapture=2 --journal x");
    assert!(code == Some(2) && error.contains("PlayoutCapture"), "{error}");
    let (code, error) = spsa_of("go", folder.path(), "--option PlayoutEscape --search none --journal x");
    assert!(code == Some(2) && error.matches("no search family").count() == 1, "{error}");
}

/// A journal from which all checksums were taken was gone on with after a warning.
#[test]
fn a_journal_without_checksums_is_refused_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.journal");
    let options = "--option RazoringMargin --iterations 3 --journal s.journal";
    assert_eq!(spsa(folder.path(), options).0, Some(0));
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines = whole.lines().map(|line| line.rsplit_once(" #").map_or(line, |(line, _)| line));
    let stripped: String = lines.map(|line| format!("{line}\n")).collect();
    assert_ne!(stripped, whole);
    std::fs::write(&path, &stripped).unwrap();
    let (code, error) = spsa(folder.path(), options);
    assert!(code == Some(2) && error.contains("no checksums") && error.contains("--force"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), stripped);
    assert_eq!(spsa(folder.path(), &format!("{options} --force")).0, Some(0));
}

/// What the flags ask for can be written down and done from there, from the same journal.
#[test]
fn a_tuning_is_asked_for_by_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let options = "--option RazoringMargin --fixed Hash=2 --iterations 2 --journal s.journal";
    let (code, request) = spsa(folder.path(), &format!("{options} --print-request"));
    let json: serde_json::Value = serde_json::from_str(&request).unwrap_or_else(|e| panic!("{e}: {request}"));
    assert_eq!((code, &json["tuned"][0], &json["pairs"]), (Some(0), &"RazoringMargin".into(), &1.into()));
    assert!(!folder.path().join("s.journal").exists(), "nothing was played");
    let by_flags = spsa(folder.path(), options);
    std::fs::write(folder.path().join("r.json"), &request).unwrap();
    let by_file = |words: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["spsa", "--quiet", "--request", "r.json"])
            .args(words)
            .current_dir(folder.path())
            .output()
            .expect("the binary starts");
        (out.status.code(), [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap()).concat())
    };
    assert_eq!(by_file(&[]), by_flags);
    let (code, words) = by_file(&["--pairs", "2"]);
    assert!(code == Some(2) && words.contains("cannot be used with '--pairs"), "{words}");
    std::fs::write(folder.path().join("r.json"), request.replace("[\n    \"RazoringMargin\"\n  ]", "[]")).unwrap();
    let (code, words) = by_file(&[]);
    assert!(code == Some(2) && words.contains("tuned is missing"), "{words}");
}

/// The binary as somebody else's engine.
fn foreign(words: &str) -> String {
    format!("cmd={} args='uci --expert' {words}", env!("CARGO_BIN_EXE_tesuji"))
}

fn spsa_words(folder: &Path, words: &[&str]) -> (Option<i32>, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["spsa", "chess", "--quiet", "--jobs", "1"])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    (out.status.code(), [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat())
}

/// Only options of players in this process could be tuned.
#[test]
fn an_engine_of_its_own_is_tuned_as_a_player_of_this_process_is() {
    let folder = tempfile::tempdir().unwrap();
    let results = |journal: &str| -> Vec<String> {
        let text = std::fs::read_to_string(folder.path().join(journal)).unwrap();
        // Without their checksums, in which the first lines differ.
        text.lines().skip(1).filter_map(|line| Some(line.split_once(" #")?.0.to_string())).collect()
    };
    let common =
        ["--option", "RazoringMargin", "--option", "FutilityBase=90:20..200/40", "--pairs", "2", "--nodes", "80"];
    let run = |more: &[&str]| spsa_words(folder.path(), &[&common[..], &["--iterations", "4"], more].concat());
    let (code, own) = run(&["--journal", "own.journal"]);
    assert_eq!(code, Some(0), "{own}");
    let engine = foreign("option.Hash=1");
    let more =
        ["--engine", &engine, "--prove", "2", "--out", "found.h", "--out", "found.toml", "--curves", "course.svg"];
    let (code, told) = run(&[&["--journal", "engine.journal"], &more[..]].concat());
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(results("engine.journal"), results("own.journal"), "the same moves, by protocol or not");
    assert!(told.contains("after 4 of 4 matches; found against start: +") && told.contains("in 4 games"), "{told}");
    let header = std::fs::read_to_string(folder.path().join("found.h")).unwrap();
    assert!(header.starts_with("#define RAZORING_MARGIN ") && header.contains("#define FUTILITY_BASE "), "{header}");
    let table = std::fs::read_to_string(folder.path().join("found.toml")).unwrap();
    assert!(table.starts_with("\"RazoringMargin\" = ") && table.contains("\n\"FutilityBase\" = "), "{table}");
    let svg = std::fs::read_to_string(folder.path().join("course.svg")).unwrap();
    assert_eq!(svg.matches("<polyline").count(), 4, "two options, each with its legend: {svg}");
    // The proof is kept as well: asked for again, nothing is played, and outputs that are there are not replaced by others.
    assert_eq!(results("engine.journal.proof").len(), 2);
    let again = [&["--journal", "engine.journal"], &more[..]].concat();
    assert_eq!(run(&again), (Some(0), told.clone()));
    std::fs::write(folder.path().join("found.h"), "another's").unwrap();
    let (code, error) = run(&again);
    assert!(code == Some(2) && error.contains("found.h"), "{error}");
    assert_eq!(run(&[&again[..], &["--force"]].concat()), (Some(0), told));
}

#[test]
fn options_come_from_a_file_as_openbench_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let list = "# margins\nRazoringMargin, int, 240, 100, 400, 20, 0.002\nFutilityBase=90:20..200/10\n";
    std::fs::write(folder.path().join("options.txt"), list).unwrap();
    let words = ["--options-file", "options.txt", "--iterations", "1", "--pairs", "1", "--journal", "s.journal"];
    let (code, told) = spsa_words(folder.path(), &[&words[..], &["--st", "0.01"]].concat());
    assert!(code == Some(0) && told.contains("RazoringMargin") && told.contains("--st 0.01 --engine"), "{told}");
    assert!(told.contains("FutilityBase"), "{told}");
}

/// What is wrong with an engine is told before the journal is begun.
#[test]
fn engines_that_cannot_be_tuned_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let engine = foreign("");
    let crashing = format!("cmd={} args='--do crash --at 10'", mock::path().display());
    for (engine, option, words) in [
        ("cmd=/no/such/engine", "A", "cannot start /no/such/engine"),
        (&engine, "NoSuchMargin", "NoSuchMargin: the engine has no such option; its numbers are"),
        (&engine, "Ponder", "only options that are numbers"),
        (&engine, "Hash=1:0..16/1", "the engine takes 1 to "),
        (&crashing, "Skill", "of 2 games ended by faults of an engine"),
    ] {
        let words_of = ["--engine", engine, "--option", option, "--iterations", "2", "--pairs", "1", "--nodes", "50"];
        let (code, told) = spsa_words(folder.path(), &[&words_of[..], &["--journal", "s.journal"]].concat());
        assert!(code == Some(2) && told.contains(words), "{option}: {told}");
        let journal = std::fs::read_to_string(folder.path().join("s.journal")).unwrap_or_default();
        assert!(journal.lines().count() <= 1, "{journal}");
    }
    let fixed = foreign("option.razoringmargin=100");
    let words = ["--engine", &fixed, "--option", "RazoringMargin", "--iterations", "1", "--journal", "s.journal"];
    let (code, told) = spsa_words(folder.path(), &words);
    assert!(code == Some(2) && told.contains("cannot be fixed to 100 as well"), "{told}");
    let words = ["--option", "RazoringMargin", "--iterations", "1", "--journal", "a.j", "--out", "a.j.proof"];
    std::fs::write(folder.path().join("a.j.proof"), "").unwrap();
    let (code, told) = spsa_words(folder.path(), &[&words[..], &["--force"]].concat());
    assert!(code == Some(2) && told.contains("name another output"), "{told}");
    let (code, told) =
        spsa_words(folder.path(), &["--engine", &engine, "--weights", "w.json", "--option", "Hash", "--journal", "x"]);
    assert!(code == Some(2) && told.contains("--weights is for players of this program"), "{told}");
}
