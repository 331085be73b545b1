//! `--print-request` and `--request`: what the options ask for as JSON is the same request again, and a wrong one names its field.

use std::process::{Command, Stdio};

/// Commands that take requests, with options that ask for something.
const ASKED: [&str; 32] = [
    "match --engine self --engine name=b --nodes 5 --sprt 0 5 --resign 3/600 --pgn-out g.pgn",
    "match --resume g.pgn.journal --games 20",
    "selfplay chess --games 2 --nodes 10 --out g.sgs --draw 40/8/10 --max-plies off",
    "selfplay chess --games 2 --engine cmd=./engine --tc 1+0.01 --out g.sgs.zst --sgs-style plain",
    "tune chess --games g.sgs --out w.json --only pawns,6..27 --method lbfgs --pull auto --loss l4",
    "tune chess --games g.sgs --chances",
    "tune chess --games g.sgs --margins razoring,futility",
    "tune chess --sweep v.toml --out s",
    "tune go --games g.sgf --out w.txt --rank-min 6d",
    "tune rows a.csv b.csv --column result=wdl --column phases=0,24 --freeze q* --template a.h.in a.h --out w.json",
    "train go --games g.sgf --net 2x8 --out n.safetensors --schedule steps --device cpu",
    "train nnue --game chess --games g.sgs --net chess-768m-128 --out n.nnue --device cpu",
    "improve chess --from material --budget 90s --option Hash=2 --confirm",
    "improve chess --resume runs/a --confirm",
    "improve chess --engine 'cmd=./e option.EvalFile={weights} weights-file=e.json' --rows './rows {games} {rows}' --budget 5m",
    "spsa chess --option RazoringMargin --fixed Hash=2 --journal j",
    "analyse chess g.pgn --nodes 5000 --out o.pgn",
    "solve chess --fen 7k/8/5K2/6Q1/8/8/8/8 --nodes 7 --proof p.json",
    "solve shogi --problems p.txt --plies 9 --jobs 2",
    "solve go --position '5/5/1XX2/1XO2/2X2 b' --goal 'capture C2'",
    "data convert a.sgs b.pgn --lossy --fill-score -3",
    "data filter a.pgn b.pgn --plies 40.. --result win --ending mate --score 0..300",
    "data filter --game shogi a.hcp b.hcp --mate m.hcp --mate-plies 9",
    "data shuffle a.sgs b.sgs --seed 3 --memory 512",
    "data split a.sgs --train b.sgs --valid c.sgs --share 0.2",
    "data dedup a.sgs b.sgs",
    "data rescore a.sgs b.sgs --nodes 100 --option Hash=2",
    "data rescore a.sgs b.parquet --nodes 100 --engine 'cmd=./engine option.Hash=16' --moves",
    "data features a.sgs --out r.csv --quiet=5 --count 9",
    "data stats a.sgs",
    "data check a.sgs --skip-errors",
    "data show a.sgs --skip 3 --count 2",
];

/// Exit code, stdout and stderr.
fn tesuji(folder: &std::path::Path, words: &[String]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn requests_are_printed_and_read_back_the_same_and_wrong_ones_name_the_field() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("request.json");
    for line in ASKED {
        let words = tesuji_jobs::words::split(line).expect("words");
        let subcommand =
            if ["data", "train"].contains(&&*words[0]) && words[1].len() > 2 || words[1] == "rows" { 2 } else { 1 };
        let run = |words: &[String], more: &[&str]| {
            let more = more.iter().map(ToString::to_string);
            tesuji(folder.path(), &words.iter().cloned().chain(more).collect::<Vec<_>>())
        };
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            run(&words[..subcommand], &["--request", "request.json", "--print-request"])
        };
        let (code, printed, said) = run(&words, &["--print-request"]);
        assert_eq!(code, Some(0), "{line}: {said}");
        assert!(printed.contains("\"version\": 1"), "{line}: {printed}");
        assert_eq!(read(&printed), (Some(0), printed.clone(), String::new()), "{line}");
        let (code, _, said) = read(&printed.replacen("\"version\": 1", "\"version\": 9", 1));
        assert_eq!(code, Some(2), "{line}: {said}");
        assert!(said.contains("version 9: this program knows 1"), "{line}: {said}");
        let (code, _, said) = read(&printed.replacen('{', "{ \"nonsense\": 1,", 1));
        assert_eq!(code, Some(2), "{line}: {said}");
        assert!(said.contains("nonsense"), "{line}: {said}");
    }
    let kept: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(kept, ["request.json"], "printing a request does nothing else");
}

/// A configuration of one line of 1 MB was quoted twice, the second time as carets; requests quoted their words.
#[test]
fn errors_do_not_quote_a_file_of_a_megabyte() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(1_000_000);
    let files =
        [("line.toml", format!("name = {long}\n")), ("words.toml", format!("name = {}\n", "x ".repeat(500_000)))];
    let requests = [("key.json", format!("{{\"a{long}\": 1}}")), ("text.json", format!("\"{long}\""))];
    for (name, text) in files.iter().chain(&requests) {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let configured =
        files.iter().flat_map(|(name, _)| [format!("match --config {name}"), format!("uci --config {name}")]);
    let asked = requests.iter().map(|(name, _)| format!("match --request {name}"));
    for line in configured.chain(asked) {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        let (code, _, errors) = tesuji(folder.path(), &words);
        assert!(code == Some(2) && errors.len() < 2_500, "{line}: {code:?} {}", errors.len());
    }
}

/// What a request would silently win over is refused beside it; what says how work is shown is not, nor the game that it names.
#[test]
fn a_request_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rq.json"), r#"{ "learn": "sweep", "tune": { "game": "chess" } }"#).unwrap();
    let check = |line: &str, says: Option<&str>| {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        let (code, _, told) = tesuji(folder.path(), &words);
        assert_eq!(code, Some(2), "{line}: {told}");
        assert_eq!(told.contains("cannot be used with"), says.is_some(), "{line}: {told}");
        assert!(says.is_none_or(|says| told.contains(says)), "{line}: {told}");
    };
    check("match --request a.json --json --log info", None);
    check("match --engine self --nodes 5", None);
    // `tune chess --request` was refused for a request of chess.
    check("tune chess --request rq.json", None);
    check("tune shogi --request rq.json", Some("cannot be used with '[GAME]'"));
    check("tune chess --request none.json", Some("cannot be used with '[GAME]'"));
    check("match --request a.json --quiet --nodes 5", Some("cannot be used with '--nodes <NODES>'"));
}
