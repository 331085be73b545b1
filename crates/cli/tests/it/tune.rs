//! What `tesuji tune` says of games.

use std::process::{Command, Output};

fn tesuji(folder: &std::path::Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tesuji")).args(arguments).current_dir(folder).output().expect("the binary starts")
}

#[test]
fn chances_are_fitted_to_games_with_scores() {
    let folder = tempfile::tempdir().unwrap();
    let played = ["selfplay", "chess", "--games", "60", "--nodes", "300", "--seed", "2", "--out", "g.sgs", "--quiet"];
    assert!(tesuji(folder.path(), &played).status.success());
    let out = tesuji(folder.path(), &["tune", "chess", "--games", "g.sgs", "--chances", "--json"]);
    let text = String::from_utf8_lossy(&out.stdout);
    let fit: serde_json::Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let number = |name: &str| fit[name].as_f64().unwrap();
    assert_eq!(number("games"), 60.0);
    assert!(number("samples") > 1000.0 && number("even_cp") > 0.0 && number("spread_cp") > 0.0, "{fit}");
    // Better than knowing nothing: ln 3 for three outcomes.
    assert!(number("loss") < 3f64.ln(), "{fit}");
}

#[test]
fn chances_need_scores() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("g.pgn"), "[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0\n").unwrap();
    let out = tesuji(folder.path(), &["tune", "chess", "--games", "g.pgn", "--chances"]);
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(error.contains("0 scores of 1 games are not enough"), "{error}");
}

/// A folder with 60 quick games.
fn with_games() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let played = ["selfplay", "chess", "--games", "60", "--nodes", "200", "--seed", "4", "--out", "g.sgs", "--quiet"];
    assert!(tesuji(folder.path(), &played).status.success());
    folder
}

/// `tesuji tune chess --games g.sgs --quiet …`, which must end well; its words.
#[track_caller]
fn tune(folder: &std::path::Path, arguments: &str) -> String {
    let all = "tune chess --games g.sgs --quiet ".to_string() + arguments;
    let out = tesuji(folder, &all.split(' ').collect::<Vec<_>>());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn only_what_is_named_is_learned_by_every_method() {
    let folder = with_games();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    for method in ["adam", "lbfgs", "coordinate", "cma-es"] {
        let options = format!(
            "--weight-set greko --only pawns,24 --freeze 7 --method {method} --epochs 4 --pull 0 --rate 20 --held-out 0"
        );
        let text =
            tune(folder.path(), &format!("{options} --bootstrap 3 --steps s.csv --curves c.svg --out w.txt --force"));
        assert!(text.contains("3 weights free") || text.contains("4 weights free"), "{text}");
        let lines: Vec<String> = read("w.txt").lines().map(str::to_string).collect();
        assert_eq!(lines.len(), 27);
        assert_eq!((lines[0].as_str(), lines[6].as_str()), ("VAL_P 100", "PawnIsolated -10"), "{method}");
        assert!(lines[23] != "QueenKingTropism 40", "{method} learns nothing: {text}");
        let steps = read("s.csv");
        assert!(steps.starts_with("run,epoch,train_loss,validation_loss,best,seconds,weight,value\n0,0,0."), "{steps}");
        assert!(read("c.svg").ends_with("</svg>\n"));
    }
    assert!(folder.path().join("w.txt.old").exists());
}

#[test]
fn jobs_change_no_weight_and_json_tells_all() {
    let folder = with_games();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let mut pulls = Vec::new();
    for jobs in ["1", "3"] {
        let common =
            "--method lbfgs --restarts 1 --loss l4 --l2 1 --bootstrap 2 --epochs 5 --only pawns --held-out 0 --pull 3";
        let told = tune(folder.path(), &format!("{common} --json -j {jobs} --out {jobs}.json"));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["runs"].as_array().unwrap().len(), 2, "{told}");
        let auto = format!("--start material --epochs 1 --held-out 0 --json -j {jobs} --out {jobs}-auto.json");
        let auto: serde_json::Value = serde_json::from_str(&tune(folder.path(), &auto)).unwrap();
        pulls.push(auto["pull"].as_f64().unwrap());
        assert!(told["changed"][0]["error"].is_array() && told["warnings"].as_array().unwrap().is_empty(), "{told}");
    }
    assert_eq!(read("1.json"), read("3.json"));
    assert_eq!(read("1-auto.json"), read("3-auto.json"));
    assert!(pulls[0] == pulls[1] && (1.0..200.0).contains(&pulls[0]), "games contradict piece values: {pulls:?}");
}

#[test]
fn margins_are_asked_and_versions_swept() {
    let folder = with_games();
    let margins = "--margins razoring,reverse-futility,futility --positions 12 --nodes 3000";
    let told: [serde_json::Value; 2] = ["1", "3"]
        .map(|jobs| serde_json::from_str(&tune(folder.path(), &format!("{margins} --json -j {jobs}"))).unwrap());
    assert_eq!(told[0], told[1], "the same for any number of jobs");
    let of = |i: usize| &told[0]["margins"][i];
    assert!(of(1)["table"][0]["pruned"].as_u64().unwrap() > of(1)["table"][6]["pruned"].as_u64().unwrap(), "{}", of(1));
    assert!((0..3).all(|i| of(i)["table"][0]["asked"].as_u64().unwrap() > 20), "{}", told[0]);

    let file = "only = ['all', 'pawns']\nlambda = [20, 60]\npool = ['builtin', 'material']\npairs = 2\nnodes = 60\n\
                [games]\nown = ['g.sgs']\n";
    std::fs::write(folder.path().join("s.toml"), file).unwrap();
    let sweep = |more: &str| {
        let all = format!("tune chess --quiet --sweep s.toml --out sweep --epochs 2 {more}");
        tesuji(folder.path(), &all.split(' ').filter(|w| !w.is_empty()).collect::<Vec<_>>())
    };
    let first = sweep("");
    let table = String::from_utf8_lossy(&first.stdout).into_owned();
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    for row in ["A       own         all", "D       own         pawns", "(builtin)", "(material)"] {
        assert!(table.contains(row), "{row}: {table}");
    }
    // What is done is not done again; what was torn off is played again.
    let journal = folder.path().join("sweep/D/pairs-2.txt");
    let whole = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &whole[..4]).unwrap();
    assert_eq!(String::from_utf8_lossy(&sweep("-j 3").stdout), table);
    assert_eq!(std::fs::read_to_string(&journal).unwrap(), whole);
    let other = sweep("--seed 5");
    assert_eq!(other.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&other.stderr).contains("another sweep is kept there"));
    let request = std::fs::read_to_string(folder.path().join("sweep/request.json")).unwrap();
    assert!(request.contains("\"plan\": \"s.toml\"") && request.contains("\"epochs\": 2"), "{request}");
}

/// With `--held-out 0` the report called the games too few for the share.
#[test]
fn games_that_are_not_to_be_held_out_are_not_too_few() {
    let folder = with_games();
    let words = "--weight-set greko --only pawns --method coordinate --epochs 1 --held-out 0 --out w.txt";
    let text = tune(folder.path(), words);
    assert!(text.contains("no games were held out to judge by (--held-out 0)"), "{text}");
}

/// Only links that say where they lead were known as another name of the games.
#[test]
fn games_under_the_name_of_a_hard_link_are_no_output() {
    let folder = with_games();
    let path = |name: &str| folder.path().join(name);
    std::fs::hard_link(path("g.sgs"), path("w.json")).unwrap();
    let out = tesuji(folder.path(), &["tune", "chess", "--games", "g.sgs", "--epochs", "1", "--out", "w.json"]);
    let error = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.code() == Some(2) && error.contains("w.json: this file is read"), "{error}");
}

#[test]
fn bounds_come_from_a_file_and_old_games_are_told() {
    let folder = with_games();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("b.toml"), "step = 5\n[PawnIsolated]\nlow = -12\nhigh = -8\n[queens]\nhigh = 60\n").unwrap();
    let games = std::fs::read_to_string(path("g.sgs")).unwrap();
    std::fs::write(path("g.sgs"), games.replace("origin tesuji ", "origin tesuji 0.0.1 (0123abc) ")).unwrap();
    let text = tune(
        folder.path(),
        "--weight-set greko --bounds b.toml --method coordinate --only 7,24 --pull 0 --held-out 0 --out w.txt",
    );
    assert!(text.contains("warning: 60 games come from another engine (tesuji 0.0.1 (0123abc); this is "), "{text}");
    let weights = std::fs::read_to_string(path("w.txt")).unwrap();
    let of =
        |name: &str| -> i16 { weights.lines().find_map(|l| l.strip_prefix(name)).unwrap().trim().parse().unwrap() };
    assert_eq!(of("PawnIsolated"), -10, "a step of 5 would leave -12..-8");
    assert!(of("QueenKingTropism") <= 60 && of("QueenKingTropism") % 5 == 0, "{weights}");
    let refused = |arguments: &str, says: &str| {
        let all = "tune chess --games g.sgs --out x.json ".to_string() + arguments;
        let out = tesuji(folder.path(), &all.split(' ').collect::<Vec<_>>());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && error.contains(says), "{error}");
    };
    refused("--only pons", "\"pons\" is no group, term or range of weights");
    refused("--freeze material --only material", "no weight is free");
    refused("--held-out 1", "--held-out 1");
    refused("--method sgd", "\"sgd\" is none of adam, lbfgs, coordinate, cma-es");
    std::fs::write(path("bad.toml"), "[PawnIsolated]\nlow = 5\nhigh = 3\n").unwrap();
    refused(
        "--weight-set greko --bounds bad.toml",
        "bad.toml: [PawnIsolated]: PawnIsolated has no room between 5 and 3",
    );
    assert!(!path("x.json").exists());
}

/// A folder with a file of quick games of go on a small board.
fn with_go() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let played = "match --game go --rules|7x7 chinese komi 9|--engine name=a --engine name=b --nodes 4 --games 40 --seed 6 \
                  --openings random --plies 2 --sgf-out g.sgf";
    let words: Vec<&str> = played
        .split('|')
        .enumerate()
        .flat_map(|(i, part)| match i {
            1 => vec![part],
            _ => part.split_whitespace().collect(),
        })
        .collect();
    let out = tesuji(folder.path(), &words);
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    folder
}

#[test]
fn moves_of_go_are_learned_from_games() {
    let folder = with_go();
    let run = |out: &str, more: &str| {
        let all = format!(
            "tune go --games g.sgf --positions 600 --pattern-min 3 --held-out 0.3 --epochs 6 --json --out {out} {more}"
        );
        let out = tesuji(folder.path(), &all.split_whitespace().collect::<Vec<_>>());
        assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
        serde_json::from_slice::<serde_json::Value>(&out.stdout).unwrap()
    };
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let seen = run("a.txt", "-j 1 --steps s.csv");
    let number = |set: &str, name: &str| seen[set][name].as_f64().unwrap();
    // Chess told that so few games say little, go did not.
    let doubt = seen["warnings"][0].as_str().unwrap_or_default();
    assert!(doubt.contains("held out: fewer than 30 say little; learn from far more games"), "{seen}");
    assert!(number("train", "positions") > 300.0 && number("held_out", "positions") > 50.0, "{seen}");
    // Forty points and more to choose from: better than chance on games that were not learned from.
    assert!(number("held_out", "loss") < 3.6 && number("held_out", "top5") > 0.2, "{seen}");
    assert!(read("s.csv").lines().count() > 2);
    let text = read("a.txt");
    assert!(text.starts_with("tesuji-gammas 1\nmade-by tesuji ") && text.contains("\npattern 3 "), "{text}");
    // The same on any number of threads; what was there is kept.
    std::fs::write(folder.path().join("b.txt"), "tesuji-gammas 1\nmade-by me\nfrom before\n").unwrap();
    run("b.txt", "-j 3");
    assert_eq!((read("b.txt") == text, read("b.txt.old").contains("from before")), (true, true));
    // What is no strengths of moves is a file of somebody else, above all the games.
    for (out, expect) in [("notes.txt", "this file exists"), ("g.sgf", "this file is read")] {
        std::fs::write(folder.path().join("notes.txt"), "before").unwrap();
        let before = read(out);
        let said = tesuji(folder.path(), &["tune", "go", "--games", "g.sgf", "--epochs", "1", "--out", out]);
        assert_eq!(said.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&said.stderr).contains(expect), "{}", String::from_utf8_lossy(&said.stderr));
        assert_eq!(read(out), before);
    }
    // What was learned plays, and other strengths than those built in make other trees.
    let tree = |set: &[&str]| {
        let all = [&["tree", "go", "--rules", "7x7 chinese komi 9", "--nodes", "60"], set].concat();
        tesuji(folder.path(), &all)
    };
    let (own, learned) = (tree(&[]), tree(&["--option", "EvalFile=a.txt"]));
    assert!(own.status.success() && learned.status.success(), "{}", String::from_utf8_lossy(&learned.stderr));
    assert_ne!(own.stdout, learned.stdout);
    std::fs::write(folder.path().join("c.txt"), "tesuji-gammas 1\nrace much\n").unwrap();
    for (file, expect) in
        [("c.txt", "c.txt: line 2: expected a strength above 0"), ("none.txt", "none.txt: No such file")]
    {
        let out = tree(&["--option", &format!("EvalFile={file}")]);
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && error.contains(expect), "{error}");
    }
}

#[test]
fn games_of_go_that_cannot_be_learned_from_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let check = |name: &str, games: &str, more: &[&str], expect: &str| {
        std::fs::write(folder.path().join(name), games).unwrap();
        let out =
            tesuji(folder.path(), &[&["tune", "go", "--games", name, "--out", "w.txt", "--quiet"], more].concat());
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{error}");
        assert!(error.contains(expect) && error.lines().count() == 1, "{error}");
        assert!(!folder.path().join("w.txt").exists());
    };
    check("empty.sgf", "", &[], "expected some of both");
    check("one.sgf", "(;SZ[9];B[aa];W[bb])", &[], "0 games to learn from and 0 to judge by");
    check("large.sgf", "(;SZ[21];B[aa];W[bb])", &[], "a board of 21x21");
    check("broken.sgf", "(;SZ[9];B[aa];W[zz])", &[], "broken.sgf");
    check("rank.sgf", "(;SZ[9];B[aa];W[bb])", &["--rank-min", "strong"], "expected a rank such as 5k, 6d or 9p");
}

/// A game on every other point, so that all moves are legal: `number` decides where it begins. `turned`: along the diagonal.
fn spread(number: usize, rank: &str, turned: bool) -> String {
    let points: Vec<(usize, usize)> = (0..361).map(|i| (i % 19, i / 19)).filter(|(x, y)| (x + y) % 2 == 0).collect();
    let name = |(x, y): (usize, usize)| {
        let (x, y) = if turned { (y, x) } else { (x, y) };
        format!("{}{}", (b'a' + x as u8) as char, (b'a' + y as u8) as char)
    };
    let moves: String =
        (0..24).map(|i| format!(";{}[{}]", ["B", "W"][i % 2], name(points[(number * 11 + i * 7) % 181]))).collect();
    format!("(;FF[4]GM[1]SZ[19]KM[7.5]BR[{rank}]WR[9p]{moves})")
}

#[test]
fn archives_of_games_of_go_are_sifted() {
    let folder = tempfile::tempdir().unwrap();
    let mut archive = tar::Builder::new(Vec::new());
    let mut add = |name: &str, content: &str| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, content.as_bytes()).unwrap();
    };
    for number in 0..20 {
        add(&format!("games/g{number:02}.sgf"), &spread(number, "6d", false));
    }
    add("games/turned.sgf", &spread(3, "6d", true));
    add("games/weak.sgf", &spread(30, "5d", false));
    add("games/handicap.sgf", &spread(31, "7d", false).replace("KM[7.5]", "KM[0.5]HA[2]AB[dd][pp]PL[B]"));
    add("games/read.me", "no game");
    let content = archive.into_inner().unwrap();
    std::fs::write(folder.path().join("games.tar"), &content).unwrap();
    std::fs::create_dir(folder.path().join("more")).unwrap();
    std::fs::write(folder.path().join("more/g.sgf"), spread(40, "9d", false)).unwrap();
    let run = |file: &str| {
        let words = ["tune", "go", "--games", file, "--games", "more", "--out", "w.txt", "--rank-min", "6d"];
        let less = ["--positions", "100", "--held-out", "0.3", "--epochs", "1", "--quiet"];
        tesuji(folder.path(), &[&words[..], &less].concat())
    };
    let out = run("games.tar");
    let text = String::from_utf8_lossy(&out.stdout);
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    assert!(text.contains("left out: 1 met before, 1 with stones set up, 1 by weaker players"), "{text}");
    let numbers: Vec<u32> =
        text.lines().next().unwrap_or_default().split(' ').filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers[..2].iter().sum::<u32>(), 21, "{text}");
    let check = |name: &str, content: &[u8], expect: &str| {
        std::fs::write(folder.path().join(name), content).unwrap();
        let out = run(name);
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(2) && error.contains(expect) && error.lines().count() == 1, "{error}");
    };
    check("cut.tar", &content[..content.len() / 2], "cut.tar: ");
    let mut wrong = content.clone();
    // A move beyond the board, in the first game.
    let at = content.windows(3).position(|bytes| bytes == b";W[").unwrap() + 3;
    wrong[at..at + 2].copy_from_slice(b"zz");
    check("wrong.tar", &wrong, "wrong.tar: games/");
}

/// What the flags ask for can be written down and done from there; the folder of a sweep holds it.
#[test]
fn learning_is_asked_for_by_a_file() {
    let folder = with_games();
    let run = |words: &str| {
        let out = tesuji(folder.path(), &words.split(' ').collect::<Vec<_>>());
        let text = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
        (out.status.code(), text.concat())
    };
    let words = "--weight-set greko --only pawns --method lbfgs --epochs 3 --out w.txt";
    let (_, request) = run(&format!("tune chess --games g.sgs {words} --print-request"));
    let json: serde_json::Value = serde_json::from_str(&request).unwrap_or_else(|e| panic!("{e}: {request}"));
    assert_eq!((&json["learn"], &json["method"], &json["version"]), (&"weights".into(), &"lbfgs".into(), &1.into()));
    std::fs::write(folder.path().join("r.json"), &request).unwrap();
    let by_file = run("tune --request r.json --json");
    assert_eq!(by_file.0, Some(0), "{}", by_file.1);
    let weights = || std::fs::read_to_string(folder.path().join("w.txt")).unwrap();
    let first = weights();
    let by_flags = run(&format!("tune chess --games g.sgs {words} --json"));
    assert_eq!((by_file, first), (by_flags, weights()));
    for (from, to, says) in [
        ("\"epochs\"", "\"epoch\"", "r.json: unknown field `epoch`"),
        ("\"held_out\": 0.1", "\"held_out\": 1.0", "held_out 1: expected a share"),
        ("\"version\": 1", "\"version\": 3", "version 3: this program knows 1"),
    ] {
        std::fs::write(folder.path().join("r.json"), request.replace(from, to)).unwrap();
        let (code, words) = run("tune --request r.json");
        assert!(code == Some(2) && words.contains(says), "{words}");
    }
}
