//! `tesuji spsa`: a run that is stopped and resumed ends as one that was not.

use std::{path::Path, process::Command};

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
    assert!(code == Some(2) && error.contains("START:LEAST..GREATEST/STEP"), "{error}");
}

#[test]
fn every_game_is_tuned_and_fractions_too() {
    let folder = tempfile::tempdir().unwrap();
    let go = "--rules 5x5 --option RaveEquivalence=1000:100..5000/200 --option PlayoutEscape=0.9:0.5..1/0.1 \
              --fixed PlayoutCapture=0.8 --iterations 2 --rate 0.1 --journal go.journal";
    let (code, told) = spsa_of("go", folder.path(), &go.split_whitespace().collect::<Vec<_>>().join(" "));
    assert!(
        code == Some(0) && told.contains("after 2 of 2 matches") && told.contains("--game go --rules '5x5'"),
        "{told}"
    );
    assert!(told.contains("'name=old option.PlayoutCapture=0.8'"), "{told}");
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
