//! What shogi learns: from games of its own, and from positions of teachers.

use std::path::Path;
use std::process::Command;

/// Runs `tesuji WORDS` in `folder` and checks how it ends; what it printed.
#[track_caller]
fn tesuji(folder: &Path, words: &str, code: i32) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(words.split(' ')).current_dir(folder).output().expect("the binary starts");
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(code), "{words}: {error}");
    String::from_utf8_lossy(&out.stdout).into_owned() + &error
}

/// The number behind `name` in a line of the form `… N name …`.
#[track_caller]
fn number(text: &str, name: &str) -> u64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let at = words.iter().position(|word| word.trim_matches(',') == name).unwrap_or_else(|| panic!("{name}: {text}"));
    words[at - 1].trim_matches(',').parse().unwrap_or_else(|e| panic!("{name}: {e}: {text}"))
}

#[test]
fn shogi_learns_from_games_and_from_positions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    tesuji(at, "selfplay shogi --games 30 --nodes 200 --seed 3 --out g.hcpe3 --out p.psv --out p.hcpe --quiet", 0);
    let learn = |from: &str, out: &str| {
        tesuji(at, &format!("tune shogi --games {from} --start material --epochs 8 --out {out} --quiet"), 0)
    };
    let of_games = learn("g.hcpe3", "g.json");
    assert_eq!(number(&of_games, "games"), 30, "{of_games}");
    let shown = tesuji(at, "weights diff shogi:material g.json", 1);
    assert!(shown.contains("material.5.mg") && shown.contains("psq_pawn"), "{shown}");
    // The same positions, one by one: psv knows the ply and so the games, hcpe neither.
    let of_psv = learn("p.psv", "p.json");
    assert!((28..=60).contains(&number(&of_psv, "games")), "{of_psv}");
    let boards = |text: &str| number(text, "quiet");
    let (games, psv, hcpe) = (boards(&of_games), boards(&of_psv), boards(&learn("p.hcpe", "h.json")));
    assert!(games > 800 && psv.abs_diff(games) < games / 5 && hcpe >= psv, "{games} {psv} {hcpe}");
    // What was learned is what plays.
    let value = |weights: &str| tesuji(at, &format!("explain shogi --moves 7g7f 3c3d 8h2b+ --weights {weights}"), 0);
    assert_ne!(value("g.json").lines().last(), value("material").lines().last());
    let wrong = tesuji(at, "tune chess --games g.sgs --start g.json --out x.json", 2);
    assert!(wrong.contains("g.json") && wrong.contains("shogi"), "{wrong}");
    let greko = tesuji(at, "tune shogi --games g.hcpe3 --weight-set greko --out x.json", 2);
    assert!(greko.contains("--weight-set greko: shogi has no such weights; it has: full"), "{greko}");
    let go = tesuji(at, "tune go --games g.hcpe3 --out x.txt", 2);
    assert!(go.contains("g.hcpe3: no format is known by this name"), "{go}");
    let go = tesuji(at, "tune go --games g.sgf --only pawns --out x.txt", 2);
    assert!(go.contains("strengths of moves, not weights of an evaluation"), "{go}");
}

#[test]
fn broken_positions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    tesuji(at, "selfplay shogi --games 2 --nodes 100 --seed 3 --out g.hcpe3 --out p.psv --quiet", 0);
    let mut bytes = std::fs::read(at.join("p.psv")).unwrap();
    bytes.truncate(40 * 20);
    bytes[40 * 7..40 * 7 + 32].fill(0xFF);
    std::fs::write(at.join("bad.psv"), bytes).unwrap();
    let error = tesuji(at, "tune shogi --games bad.psv --out x.json --quiet", 2);
    assert!(error.contains("bad.psv: position 8:"), "{error}");
}

#[test]
fn shogi_improves_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words =
        "improve shogi --from material --rounds 1 --games 120 --pairs 2 --nodes 60 --seed 3 --jobs 2 --out run --quiet";
    let told = tesuji(at, words, 0);
    assert!(told.contains("verdict:") && told.contains("tesuji engine shogi --option EvalFile="), "{told}");
    for file in ["round-1/games.hcpe3", "round-1/games.hcpe3.origin", "round-1/weights.json", "weights.json"] {
        assert!(at.join("run").join(file).exists(), "{file}");
    }
    // A run that is finished says so again.
    assert!(tesuji(at, "improve shogi --resume run --quiet", 0).contains("verdict:"));
    std::fs::write(at.join("run/round-1/games.hcpe3.origin"), "somebody else").unwrap();
    std::fs::remove_file(at.join("run/round-1/round.json")).unwrap();
    std::fs::remove_file(at.join("run/verdict.json")).unwrap();
    let error = tesuji(at, "improve shogi --resume run --quiet", 2);
    assert!(error.contains("games of other settings") && error.contains("somebody else"), "{error}");
}

#[test]
fn packed_games_go_on_where_they_were_left() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = "--nodes 100 --seed 5 --quiet --jobs 1";
    tesuji(at, &format!("selfplay shogi --games 6 --out whole.hcpe3 {words}"), 0);
    tesuji(at, &format!("selfplay shogi --games 3 --out part.hcpe3 {words}"), 0);
    // A torn game at the end is played again.
    let torn = std::fs::read(at.join("part.hcpe3")).unwrap();
    std::fs::write(at.join("part.hcpe3"), &torn[..torn.len() - 5]).unwrap();
    tesuji(at, &format!("selfplay shogi --games 6 --out part.hcpe3 --resume {words}"), 0);
    assert!(std::fs::read(at.join("whole.hcpe3")).unwrap() == std::fs::read(at.join("part.hcpe3")).unwrap());
    let error = tesuji(at, "selfplay shogi --games 6 --out part.hcpe3 --resume --nodes 101 --seed 5 --quiet", 2);
    assert!(error.contains("games of other settings"), "{error}");
}

#[test]
fn games_start_from_a_file_that_was_sifted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    tesuji(at, "selfplay shogi --games 8 --nodes 100 --seed 3 --out g.hcpe3 --out p.psv --quiet", 0);
    let sift = "--ply 20..40 --no-checks --no-captures --score 0..250 --quiet";
    tesuji(at, &format!("data filter --game shogi p.psv starts.hcpe --lossy {sift}"), 0);
    tesuji(at, "data convert --game shogi starts.hcpe starts.sfen --quiet", 0);
    let lines = std::fs::read_to_string(at.join("starts.sfen")).unwrap();
    let positions: Vec<String> = lines.lines().map(|l| l.split(' ').take(3).collect::<Vec<_>>().join(" ")).collect();
    assert!(positions.len() > 12, "{lines}");
    let play = |starts: &str, out: &str| {
        let words = "--games 12 --nodes 60 --seed 7 --quiet --balance 3000";
        tesuji(at, &format!("selfplay shogi --starts {starts} --out {out}.hcpe3 --out {out}.csa {words}"), 0);
        std::fs::read(at.join(format!("{out}.hcpe3"))).unwrap()
    };
    // The same positions in the same order, whatever the file; every game begins with one of them.
    assert!(play("starts.hcpe", "a") == play("starts.sfen", "b"));
    tesuji(at, "data convert --game shogi a.hcpe3 a.sfen --quiet", 0);
    let all = std::fs::read_to_string(at.join("a.sfen")).unwrap();
    let begun = all.lines().map(|l| l.split(' ').take(3).collect::<Vec<_>>().join(" "));
    let begun = begun.filter(|position| positions.contains(position)).count();
    assert!(begun >= 12, "{begun}");
    let run = "improve shogi --from material --rounds 1 --games 6 --pairs 1 --nodes 30 --jobs 2";
    tesuji(at, &format!("{run} --starts starts.hcpe --out run --quiet"), 0);
    assert!(std::fs::read_to_string(at.join("run/improve.json")).unwrap().contains("starts.hcpe"));
    let error = tesuji(at, "selfplay shogi --games 1 --starts g.hcpe3 --out x.hcpe3", 2);
    assert!(error.contains("g.hcpe3: expected a file of positions"), "{error}");
    std::fs::write(at.join("short.hcp"), [0; 33]).unwrap();
    let error = tesuji(at, "selfplay shogi --games 1 --starts short.hcp --out y.hcpe3", 2);
    assert!(error.contains("short.hcp: 33 bytes are no whole records of 32"), "{error}");
    std::fs::write(at.join("bad.sfen"), "# remark\nno position\n").unwrap();
    let error = tesuji(at, "selfplay shogi --games 1 --starts bad.sfen --out z.hcpe3", 2);
    assert!(error.contains("bad.sfen: line 2:"), "{error}");
}
