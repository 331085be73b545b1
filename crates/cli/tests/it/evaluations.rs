//! The evaluations of SoFCheck and GreKo: weights that learn, play in every family, are explained, and are refused where another is asked for.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

fn run(folder: &Path, words: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(words).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Runs the words of a line, which must end well, and gives what they print.
#[track_caller]
fn good(folder: &Path, line: &str, input: &str) -> String {
    let out = run(folder, &line.split_whitespace().collect::<Vec<_>>(), input);
    assert_eq!(out.status.code(), Some(0), "{line}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// A folder with games to learn from, a `features.json` and a `weights.txt`, whose weights are not those before learning.
fn with_weights() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    good(at, "selfplay chess --games 40 --nodes 200 --seed 3 --out g.sgs --quiet", "");
    let learn =
        "tune chess --games g.sgs --weight-set sofcheck --method lbfgs --epochs 5 --held-out 0 --pull 1 --quiet";
    let told = good(at, &format!("{learn} --out features.json"), "");
    let proof = "--engine 'name=new weights=features.json' --engine 'name=old option.Eval=sofcheck'";
    assert!(told.contains(" weights free, ") && told.contains(proof), "{told}");
    fs::write(at.join("weights.txt"), "VAL_N 390\nRookOpen 17\nBishopPairEndgame 0\n").unwrap();
    folder
}

#[test]
fn weights_of_sofcheck_are_learned_written_in_its_layout_and_learned_on() {
    let folder = with_weights();
    let at = folder.path();
    let text = fs::read_to_string(at.join("features.json")).unwrap();
    assert!(text.starts_with("[\n    {\"psq\": {\n        \"type\": \"psq\",\n        \"cost\": [100, 0, "), "{text}");
    assert_eq!(good(at, "weights show features.json", ""), text);
    assert!(text.contains("{\"pawn_passed\": ") && !text.contains("{\"pawn_passed\": 0}"), "{text}");
    // The file says which weights learn.
    let words = "tune chess --games g.sgs --method lbfgs --epochs 9 --held-out 0 --pull 0 --quiet";
    let told = good(at, &format!("{words} --only files --start features.json --out on.json"), "");
    assert!(told.contains("4 weights free") && told.contains("'name=old weights=features.json'"), "{told}");
    assert!(good(at, &format!("{words} --start weights.txt --only rooks --out on.txt"), "").contains("3 weights free"));
    assert!(fs::read_to_string(at.join("on.txt")).unwrap().starts_with("VAL_P 100\nVAL_N 390\n"));
    let words = "tune chess --games g.sgs --weight-set greko --start features.json --out x.txt";
    let out = run(at, &words.split(' ').collect::<Vec<_>>(), "");
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(error.contains("features.json: expected GreKo's weights.txt, found SoFCheck's features.json"), "{error}");
}

#[test]
fn engines_of_every_family_play_with_weights_of_other_programs() {
    let folder = with_weights();
    let at = folder.path();
    for (family, limit) in [("alpha-beta", "depth 5"), ("mcts", "nodes 300"), ("best-first", "nodes 300")] {
        let mut said = Vec::new();
        for file in ["features.json", "weights.txt", ""] {
            let input =
                format!("setoption name EvalFile value {file}\nposition startpos moves e2e4 c7c5\neval\ngo {limit}\n");
            let told = good(at, &format!("engine chess --search {family}"), &input);
            assert!(told.contains("\nbestmove "), "{told}");
            said.push(told);
        }
        assert!(said[0].contains("psq.pawn.36 ") && said[0].contains(", rounding "), "{}", said[0]);
        assert!(said[1].contains("PawnCenter ") && said[1].contains(", rounding and drawn endings "), "{}", said[1]);
        let built_in = if family == "alpha-beta" { "net chess-768m-256x8" } else { "psq_pawn.36 " };
        assert!(said[2].contains(built_in), "{}", said[2]);
    }
    let words =
        "match --engine weights=features.json --engine weights=weights.txt --nodes 60 --games 4 --seed 1 --quiet";
    let told = good(at, &format!("{words} --engine option.Eval=greko"), "");
    assert!(told.contains("features") && told.contains("weights"), "{told}");
    fs::write(
        at.join("plan.toml"),
        "only = ['rooks', 'queens']\nlambda = [20]\npool = ['builtin', 'weights.txt']\npairs = 1\nnodes = 60\n[games]\nown = ['g.sgs']\n",
    )
    .unwrap();
    let words =
        "tune chess --sweep plan.toml --weight-set greko --method lbfgs --epochs 2 --held-out 0 --out sweep --quiet";
    let told = good(at, words, "");
    assert!(told.contains("(weights.txt)") && told.contains("queens"), "{told}");
    assert!(fs::read_to_string(at.join("sweep/A/weights.txt")).unwrap().starts_with("VAL_P 100\n"));
}

#[test]
fn an_option_that_says_which_weights_refuses_others_in_one_line() {
    let folder = with_weights();
    let at = folder.path();
    good(at, "net new chess-768x256 --out n.nnue", "");
    let mut input = String::from("setoption name Eval value sofcheck\n");
    for file in ["weights.txt", "n.nnue", "features.json"] {
        input += &format!("setoption name EvalFile value {file}\n");
    }
    input += "setoption name Eval value greko\neval\n";
    let told = good(at, "uci", &input);
    let faults: Vec<&str> = told.lines().filter(|line| line.contains("error: ")).collect();
    let says = |found: &str| format!("{found}; Eval=sofcheck takes no other file, Eval=auto takes each for what it is");
    assert_eq!(faults.len(), 3, "{told}");
    assert!(
        faults[0].ends_with(&says("weights.txt: expected SoFCheck's features.json, found GreKo's weights.txt")),
        "{told}"
    );
    assert!(faults[1].ends_with(&says("n.nnue: expected SoFCheck's features.json, found a network")), "{told}");
    assert!(
        faults[2]
            .contains("features.json: expected GreKo's weights.txt, found SoFCheck's features.json; Eval=greko takes")
    );
    assert!(told.contains("psq.pawn"), "SoFCheck's stays: {told}");
    let wrong = "setoption name EvalFile value bad.txt\n";
    fs::write(at.join("bad.txt"), "VAL_P 100\nVAL_N x\n").unwrap();
    let told = good(at, "uci", wrong);
    assert!(told.contains("bad.txt: line 2: expected NAME and a whole number, found \"VAL_N x\""), "{told}");
}

#[test]
fn positions_and_games_are_explained_by_any_weights() {
    let folder = with_weights();
    let at = folder.path();
    let told = good(at, "explain chess --moves e2e4 e7e5 g1f3 --weights features.json", "");
    assert!(told.contains("psq.knight.45 ") && told.contains("phase 256/256, scale 64/64, rounding "), "{told}");
    let told = good(at, "explain chess --moves e2e4 --weights weights.txt --json", "");
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    // 10 for a pawn on e4, and mobility of bishop f1: 40 of 50 each.
    let lines = told["evaluation"]["lines"].as_array().unwrap();
    assert!(lines.iter().any(|line| line["name"] == "PawnCenter" && line["adds_mg"] == 8), "{told}");
    let told = good(at, "explain chess g.sgs --weights features.json --changes", "");
    assert!(told.contains("psq.pawn ") && told.contains("start: +0 cp for White"), "{told}");
}

#[test]
fn the_console_is_an_engine_where_a_gui_greets_it() {
    let folder = with_weights();
    let at = folder.path();
    let told = good(at, "play chess", "uci\nposition startpos moves e2e4\neval\ngo depth 4\n");
    assert!(told.contains("option name EvalFile type string default ") && told.contains("uciok\n"), "{told}");
    assert!(told.contains("PawnCenter ") && told.contains("\nbestmove "), "{told}");
    // The weights of the folder, or those before learning.
    assert!(told.contains("BishopMobility"), "{told}");
    let lines = "xboard\nprotover 2\nnew\nsd 4\nusermove e2e4\nusermove e2e4\nping 1\nquit\n";
    let told = good(at, "play chess", "xboard\nprotover 2\nnew\nsd 4\nping 3\nusermove e2e4\nping 4\n");
    assert!(told.contains("feature myname=\"Tesuji ") && told.contains("feature done=1\n"), "{told}");
    assert!(told.contains("pong 3\n") && told.contains("\nmove "), "{told}");
    assert!(told.find("\nmove ") < told.find("pong 4\n"), "the move comes first: {told}");
    assert!(good(at, "play chess", lines).contains("feature done=1"), "quit ends it");
    // A match over XBoard's protocol, to the end of a game.
    let program = env!("CARGO_BIN_EXE_tesuji");
    let engine = format!("cmd={program} args='play chess' name=x proto=xboard depth=1");
    let words =
        ["match", "--engine", &engine, "--engine", "name=own nodes=50", "--games", "2", "--seed", "1", "--quiet"];
    let out = run(at, &words, "");
    let told = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{told}{}", String::from_utf8_lossy(&out.stderr));
    assert!(told.contains("x "), "{told}");
}
