//! The circle from the outside: its verdicts, its report, its pictures.

use std::{fs, path::Path, process::Command};

/// `tesuji improve chess …` in `folder`, which must end well; its words.
#[track_caller]
fn improve(folder: &Path, arguments: &str) -> String {
    let words = arguments.split(' ').filter(|w| !w.is_empty());
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["improve", "chess"])
        .args(words)
        .current_dir(folder)
        .output()
        .expect("the binary starts");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_verdict_can_be_confirmed_and_the_report_tells_both() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let small = "--from material --rounds 2 --games 40 --pairs 2 --nodes 40 --seed 3 --quiet --out run";
    let text = improve(folder.path(), small);
    assert!(text.contains("at 40 nodes a move") && !text.contains("confirmation"), "{text}");
    let page = || fs::read_to_string(run.join("report.html")).unwrap();
    assert!(page().contains("--confirm</code> repeats"), "the page says how to");
    let verdict = fs::read(run.join("verdict/pairs.txt")).unwrap();

    let text = improve(folder.path(), "--resume run --confirm --quiet");
    assert!(text.contains("confirmation: 8 games at 400 nodes a move"), "{text}");
    assert_eq!(fs::read(run.join("verdict/pairs.txt")).unwrap(), verdict, "what was played is not played again");
    let page = page();
    for part in [
        "400 nodes a move",
        "Weights that moved most",
        " weights moved.",
        "--rounds 2 --games 40 --pairs 2 --nodes 40",
        "--confirm",
    ] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(
        page.matches("<svg ").count() >= 3 && page.matches("<section>").count() == page.matches("</section>").count()
    );
    for never in ["NaN", "inf\"", "href", "src=", "refresh"] {
        assert!(!page.contains(never), "{never} in the page");
    }
    for name in ["elo.svg", "losses.svg"] {
        let svg = fs::read_to_string(run.join(name)).unwrap();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{name}: {svg}");
    }

    let told: serde_json::Value =
        serde_json::from_str(&improve(folder.path(), "--resume run --confirm --json")).unwrap();
    assert_eq!(told["confirmed"]["pairs"].as_array().unwrap().len(), 5, "{told}");
    assert_eq!(told["report"], "run/report.html");
}

#[test]
fn the_commands_of_the_page_about_it_run() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/improve.md");
    let text = fs::read_to_string(docs).expect("docs/improve.md");
    let folder = tempfile::tempdir().unwrap();
    let blocks = text.split("```sh\n").skip(1).filter_map(|b| b.split("```").next());
    let commands: Vec<&str> =
        blocks.flat_map(str::lines).filter_map(|l| l.strip_prefix("tesuji improve chess ")).collect();
    assert!(commands.len() >= 2, "{commands:?}");
    for command in commands {
        let mut words: Vec<&str> = command.split_whitespace().collect();
        for i in 1..words.len() {
            match words[i - 1] {
                "--budget" => words[i] = "5s",
                "--games" => words[i] = "30",
                "--pairs" => words[i] = "2",
                _ => {}
            }
        }
        improve(folder.path(), &(words.join(" ") + " --quiet"));
    }
}
