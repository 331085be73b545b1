//! The circle from the outside: its verdicts, its report, its pictures.

use std::{fs, path::Path, process::Command};

/// `tesuji improve chess …` in `folder`, which must end well; its words.
#[track_caller]
fn improve(folder: &Path, arguments: &str) -> String {
    improve_game("chess", folder, arguments)
}

/// The same for any game.
#[track_caller]
fn improve_game(game: &str, folder: &Path, arguments: &str) -> String {
    let words = arguments.split(' ').filter(|w| !w.is_empty());
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["improve", game])
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

/// A run of go on a tiny board.
const GO: &str = "--from uniform --rules 5 --rounds 2 --games 30 --pairs 3 --nodes 30 --seed 5 --quiet";

/// What a run of go leaves that must not depend on when it was stopped.
fn left(run: &Path) -> Vec<(String, Vec<u8>)> {
    let rounds = (1..=2).flat_map(|round| {
        ["games.sgf", "weights.txt", "losses.json", "pairs.txt"].map(|name| format!("round-{round}/{name}"))
    });
    let all = rounds.chain(["verdict/pairs.txt".to_string(), "weights.txt".to_string()]);
    all.map(|name| (name.clone(), fs::read(run.join(name)).unwrap_or_default())).collect()
}

#[test]
fn go_learns_strengths_of_moves_and_goes_on_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, torn) = (folder.path().join("whole"), folder.path().join("torn"));
    let text = improve_game("go", folder.path(), &format!("{GO} --jobs 2 --out whole"));
    assert!(text.contains("at 30 nodes a move") && text.contains("--set PlayoutPolicy=learned"), "{text}");
    let page = fs::read_to_string(whole.join("report.html")).unwrap();
    for part in ["Strengths that moved most", "5x5 chinese komi 7.5", "test of a round", "weights.txt"] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(!page.contains("NaN"));

    let mut killed = 0;
    for milliseconds in [300, 700, 1500, 2500] {
        let begin = if torn.join("improve.json").exists() {
            "--resume torn --quiet".into()
        } else {
            format!("{GO} --out torn")
        };
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["improve", "go"])
            .args(begin.split(' '))
            .current_dir(folder.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        killed += usize::from(process.try_wait().unwrap().is_none());
        let _ = process.kill();
        process.wait().unwrap();
    }
    assert!(killed > 0, "it was always done already");
    improve_game("go", folder.path(), "--resume torn --quiet");
    for ((name, whole), (_, torn)) in left(&whole).into_iter().zip(left(&torn)) {
        // A match may be without games: nothing was learned.
        assert!(whole == torn, "{name} differs");
    }
    let gammas = fs::read_to_string(whole.join("weights.txt")).unwrap();
    assert!(gammas.starts_with("tesuji-gammas 1") && gammas.contains("self-play"), "{gammas}");
}
