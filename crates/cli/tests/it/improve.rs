//! The training loop from the outside: its verdicts, its report, its pictures.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

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

/// Only a folder with a run was refused; a report of somebody else's was replaced.
#[test]
fn a_run_replaces_no_other_files_in_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    fs::create_dir(&run).unwrap();
    fs::write(run.join("report.html"), "mine").unwrap();
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["improve", "chess", "--rounds", "1", "--games", "2", "--pairs", "1", "--nodes", "10", "--out", "run"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.code() == Some(2) && error.contains("report.html"), "{error}");
    assert_eq!(fs::read_to_string(run.join("report.html")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&run).unwrap().count(), 1);
}

/// From random numbers to a network, stopped between its rounds: the same bytes as without a stop.
#[test]
fn efficiently_updatable_networks_learn_in_the_loop() {
    let folder = tempfile::tempdir().unwrap();
    let small = |out: &str, rounds: u32| {
        format!(
            "--search nnue --from random --net chess-768x32 --rounds {rounds} --games 30 --pairs 2 --nodes 60 --jobs 2 --quiet --out {out}"
        )
    };
    let text = improve(folder.path(), &small("a", 2));
    assert!(text.contains("at 60 nodes a move"), "{text}");
    let run = folder.path().join("a");
    let net = fs::read(run.join("round-2/weights.nnue")).unwrap();
    assert!(!run.join("round-2/weights.checkpoint").exists() && !run.join("round-2/weights.positions").exists());
    let shown = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["net", "show", "a/round-2/weights.nnue"])
        .current_dir(folder.path())
        .output();
    let shown = String::from_utf8(shown.unwrap().stdout).unwrap();
    assert!(shown.contains("improve --search nnue round 2") && shown.contains("share of the result 0.5"), "{shown}");
    assert!(
        fs::read_to_string(run.join("report.html")).unwrap().contains("--search nnue --net chess-768x32 --from random")
    );
    // What a kill left of the second round.
    for lost in ["round-2/weights.nnue", "round-2/pairs.txt", "verdict.json", "weights.nnue", "report.html"] {
        fs::remove_file(run.join(lost)).unwrap();
    }
    fs::remove_dir_all(run.join("verdict")).unwrap();
    let round = run.join("round-2/round.json");
    let mut told: serde_json::Value = serde_json::from_slice(&fs::read(&round).unwrap()).unwrap();
    for unknown in ["learned", "standing"] {
        told[unknown] = serde_json::Value::Null;
    }
    told["adopted"] = false.into();
    told["checksums"].as_object_mut().unwrap().retain(|name, _| name.contains("games"));
    fs::write(&round, told.to_string()).unwrap();
    improve(folder.path(), "--resume a --quiet");
    assert_eq!(fs::read(run.join("round-2/weights.nnue")).unwrap(), net);
}

/// With few games none was held out, and `--learn nnue` ended after its self-play; no option could help.
#[test]
fn an_engine_of_the_user_learns_a_network_from_few_games() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("start.nn"), "none yet").unwrap();
    // It does not read the network: what is tried is the loop.
    let engine =
        format!("cmd={} args='uci --log-file {{weights}}.log' weights-file=start.nn", env!("CARGO_BIN_EXE_tesuji"));
    let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
        .args(["improve", "chess", "--engine", &engine, "--learn", "nnue", "--net", "chess-768x32"])
        .args([
            "--games", "12", "--pairs", "1", "--rounds", "1", "--nodes", "60", "--jobs", "1", "--quiet", "--out", "run",
        ])
        .current_dir(folder.path())
        .output()
        .expect("the binary starts");
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    // Rows of inputs, their biases, and the output's weights and bias, of 16 bits each; the layout fills up to 64 bytes.
    let numbers: usize = 768 * 32 + 32 + 2 * 32 + 1;
    let learned = fs::read(folder.path().join("run/round-1/weights.nn")).unwrap();
    assert_eq!(learned.len(), (2 * numbers).next_multiple_of(64), "the raw layout");
}

#[test]
fn a_verdict_can_be_confirmed_and_the_report_tells_both() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let small = "--from material --rounds 2 --games 40 --pairs 2 --nodes 40 --seed 1 --quiet --out run";
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

/// Two runs on one folder wrote the same files at once.
#[cfg(unix)]
#[test]
fn two_runs_on_one_folder_the_second_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let command = |words: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        command.args(["improve", "chess"]).args(words.split(' ')).current_dir(folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    };
    let games = run.join("round-1/games.sgs");
    let played = || fs::metadata(&games).map_or(0, |found| found.len());
    // Waits until the run that holds the folder plays.
    let plays = |child: &mut Child, from: u64| {
        let until = Instant::now() + Duration::from_secs(120);
        while played() <= from {
            assert!(child.try_wait().unwrap().is_none() && Instant::now() < until, "no game was played");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let words = "--from material --rounds 1 --games 100000 --pairs 2 --nodes 40 --seed 1 --jobs 1 --quiet --out run";
    let mut first = command(words).spawn().expect("the binary starts");
    plays(&mut first, 0);
    for words in ["--resume run --quiet", words] {
        let second = command(words).output().expect("the binary starts");
        let told = String::from_utf8_lossy(&second.stderr).into_owned();
        assert_eq!((second.status.code(), told.lines().count()), (Some(2), 1), "{words}: {told}");
        let expect = match words.starts_with("--resume") {
            true => {
                "tesuji: the run in run: run: another process runs improve in this folder; wait for its end, or choose another --out"
            }
            false => "tesuji: run holds a run already",
        };
        assert!(told.starts_with(expect), "{words}: {told}");
    }
    let before = played();
    plays(&mut first, before);
    first.kill().unwrap();
    first.wait().unwrap();
    // The lock goes with the process.
    let mut third = command("--resume run --quiet").spawn().expect("the binary starts");
    let before = played();
    plays(&mut third, before);
    third.kill().unwrap();
    third.wait().unwrap();
}

/// The last line once asked for more time to prove a gain of the start weights over themselves.
#[test]
fn a_run_that_changed_nothing_has_nothing_to_prove() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--from material --rounds 1 --games 3 --pairs 2 --nodes 40 --seed 7 --confirm --quiet --out run";
    let text = improve(folder.path(), words);
    assert!(text.starts_with("verdict: no round changed the weights"), "{text}");
    let read = |name: &str| fs::read(folder.path().join("run").join(name)).unwrap_or_default();
    assert!(read("weights.json") == read("start.json"));
    let page = String::from_utf8(read("report.html")).unwrap();
    assert!(page.contains("No round changed the weights") && !page.contains("NaN"));
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

/// Runs `improve` with `words` into the folder `torn`, kills it this many milliseconds after the run is there each time, and lets it end.
fn tear(game: &str, folder: &Path, words: &str, kills: &[u64]) {
    let mut killed = 0;
    for &milliseconds in kills {
        let begin = match folder.join("torn/improve.json").exists() {
            true => "--resume torn --quiet".into(),
            false => format!("{words} --out torn"),
        };
        let mut process = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["improve", game])
            .args(begin.split(' '))
            .current_dir(folder)
            .stdout(std::process::Stdio::null())
            .spawn()
            .expect("the binary starts");
        // However long a busy machine takes to begin.
        while !folder.join("torn/improve.json").exists() && process.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        std::thread::sleep(std::time::Duration::from_millis(milliseconds));
        killed += usize::from(process.try_wait().unwrap().is_none());
        let _ = process.kill();
        process.wait().unwrap();
    }
    assert!(killed > 0, "it was always done already");
    improve_game(game, folder, "--resume torn --quiet");
}

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
    assert!(text.contains("at 30 nodes a move") && text.contains("--option PlayoutPolicy=learned"), "{text}");
    let page = fs::read_to_string(whole.join("report.html")).unwrap();
    for part in ["Strengths that moved most", "5x5 chinese komi 7.5", "test of a round", "weights.txt"] {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(!page.contains("NaN"));

    tear("go", folder.path(), GO, &[300, 700, 1500, 2500]);
    for ((name, whole), (_, torn)) in left(&whole).into_iter().zip(left(&torn)) {
        // A match may be without games: nothing was learned.
        assert!(whole == torn, "{name} differs");
    }
    let gammas = fs::read_to_string(whole.join("weights.txt")).unwrap();
    assert!(gammas.starts_with("tesuji-gammas 1") && gammas.contains("self-play"), "{gammas}");
}

/// A tiny net of go, round after round.
const GO_NET: &str = "--search mcts --net 1x8 --rules 5 --rounds 2 --games 24 --pairs 3 --nodes 12 --seed 5 --quiet";

#[test]
fn a_net_of_go_learns_and_goes_on_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, torn) = (folder.path().join("whole"), folder.path().join("torn"));
    let text = improve_game("go", folder.path(), &format!("{GO_NET} --jobs 2 --out whole"));
    assert!(
        text.contains("at 12 nodes a move") && text.contains("--option NetFile=whole/weights.safetensors"),
        "{text}"
    );
    let page = fs::read_to_string(whole.join("report.html")).unwrap();
    for part in
        ["The net", "1 blocks of 8 channels", "go-1", "5x5 chinese komi 7", "--search mcts --net 1x8 --from new"]
    {
        assert!(page.contains(part), "{part} is missing");
    }
    assert!(!page.contains("NaN"));
    tear("go", folder.path(), GO_NET, &[200, 500, 700, 900, 1200]);
    let rounds = (1..=2).flat_map(|round| {
        ["games.sgf", "weights.safetensors", "weights.log", "losses.json", "pairs.txt"]
            .map(|name| format!("round-{round}/{name}"))
    });
    for name in rounds.chain(["verdict/pairs.txt", "start.safetensors", "weights.safetensors"].map(String::from)) {
        let [whole, torn] = [&whole, &torn].map(|run| fs::read(run.join(&name)).unwrap());
        assert!(whole == torn && !whole.is_empty(), "{name} differs");
    }
    assert!(!whole.join("round-1/weights.checkpoint").exists(), "what a lesson was kept in is gone");
    // What it begins with must fit.
    let run = |words: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(["improve", "go", "--search", "mcts", "--games", "4", "--pairs", "1"])
            .args(words.split(' '))
            .current_dir(folder.path())
            .output()
            .expect("the binary starts");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, words) = run("--option LeafMagic=3");
    assert!(code == Some(2) && words.contains("LeafMagic"), "{words}");
    fs::write(folder.path().join("cut.safetensors"), &fs::read(whole.join("weights.safetensors")).unwrap()[..200])
        .unwrap();
    let (code, words) = run("--from cut.safetensors");
    assert!(code == Some(2) && words.contains("cut.safetensors"), "{words}");
}

#[test]
fn a_net_of_shogi_learns() {
    let folder = tempfile::tempdir().unwrap();
    let words =
        "--search mcts --net 1x8 --rounds 1 --games 4 --pairs 1 --nodes 2 --seed 5 --option LeafMatePlies=1 --quiet";
    let text = improve_game("shogi", folder.path(), &format!("{words} --jobs 2 --out run"));
    assert!(text.contains("4 games at 2 nodes a move") && text.contains("--option LeafMatePlies=1"), "{text}");
    assert!(fs::metadata(folder.path().join("run/round-1/games.hcpe3")).unwrap().len() > 1000);
    let page = fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(page.contains("dlshogi-1") && page.contains("--search mcts --net 1x8"));
}

/// What the flags ask for can be written down and run from there; the folder of the run holds it.
#[test]
fn a_run_is_asked_for_by_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let small = "--from material --rounds 1 --games 20 --pairs 1 --nodes 20 --jobs 1 --option Hash=2";
    let text = improve(folder.path(), &format!("{small} --out run --print-request"));
    assert!(!folder.path().join("run").exists(), "nothing was run");
    let request: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&request["version"], &request["options"][0][0]), (&1.into(), &"Hash".into()));
    fs::write(folder.path().join("r.json"), &text).unwrap();
    let run = |arguments: &str| {
        let out = Command::new(env!("CARGO_BIN_EXE_tesuji"))
            .args(arguments.split(' '))
            .current_dir(folder.path())
            .output()
            .expect("the binary starts");
        let words = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
        (out.status.code(), words.concat())
    };
    let (code, words) = run("improve --request r.json --quiet");
    assert!(code == Some(0) && words.contains("report: run/report.html"), "{words}");
    let kept = fs::read_to_string(folder.path().join("run/request.json")).unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(&kept).unwrap(), request);
    improve(folder.path(), &format!("{small} --out same --quiet"));
    let games = |run: &str| fs::read(folder.path().join(run).join("round-1/games.sgs")).unwrap();
    assert_eq!(games("run"), games("same"));
    fs::write(folder.path().join("r.json"), text.replace("\"games\": 20", "\"result_share\": 2")).unwrap();
    let (code, words) = run("improve --request r.json");
    assert!(code == Some(2) && words.contains("r.json"), "{words}");
}

/// A run that was renamed told the path of its weights in the old folder, only the game's name went on with it, and the name of another
/// game failed in the middle of a round.
#[test]
fn a_renamed_run_goes_on_by_its_folder_alone() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    improve(here, "--from material --rounds 1 --games 20 --pairs 1 --nodes 20 --seed 1 --jobs 2 --quiet --out r");
    fs::rename(here.join("r"), here.join("r2")).unwrap();
    let resume = |words: &str| {
        let words = format!("improve {words} --resume r2 --quiet");
        let command =
            Command::new(env!("CARGO_BIN_EXE_tesuji")).args(words.split_whitespace()).current_dir(here).output();
        let out = command.expect("the binary starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout), text(&out.stderr))
    };
    let (code, text, errors) = resume("--jobs 1");
    assert!(code == Some(0) && text.contains("weights: r2/weights.json"), "{text}{errors}");
    assert!(!text.contains(" r/") && !text.contains("=r/"), "{text}");
    assert!(fs::read_to_string(here.join("r2/improve.json")).unwrap().contains("\"jobs\": 1"));
    let (code, _, errors) = resume("shogi");
    assert_eq!((code, errors.as_str()), (Some(2), "tesuji: r2: this is a run of chess, not of shogi\n"));
    let (code, _, errors) = resume("chess --rounds 4");
    assert!(code == Some(2) && errors.contains("only --confirm, --device, --jobs and --fleet go with it"), "{errors}");
}
