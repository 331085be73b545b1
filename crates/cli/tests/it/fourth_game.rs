//! Every subcommand that names no game, on a game that it never heard of: Connect Four, in a program with one more line in its table
//! of games (`examples/four.rs`). Each works, or says in one line that the game has no such thing.

use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    time::Duration,
};

/// The program with Connect Four, which is built with the tests.
fn program() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_tesuji")).with_file_name("examples").join("four");
    assert!(program.exists(), "{} is built with all tests of the crate", program.display());
    program
}

/// A folder in which the program is run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    /// A folder with some games.
    fn with_games() -> Folder {
        let folder = Folder::new();
        folder.ok("selfplay four --games 40 --nodes 100 --seed 1 --quiet --out g.four", "");
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn run(&self, words: &str, input: &str) -> Output {
        let mut command = Command::new(program());
        command.args(words.split_whitespace().map(|word| word.replace('~', " "))).current_dir(self.0.path());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        // Who needs no input may have ended before it comes.
        let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
        let out = child.wait_with_output().expect("it ends");
        let error = String::from_utf8_lossy(&out.stderr);
        assert!(!error.contains("panicked"), "{words}: {error}");
        out
    }

    /// What `words` print; `~` stands for a space within a word.
    #[track_caller]
    fn ok(&self, words: &str, input: &str) -> String {
        let out = self.run(words, input);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(out.status.code(), Some(0), "{words}: {text}{}", String::from_utf8_lossy(&out.stderr));
        text
    }

    /// The JSON that `words` print.
    #[track_caller]
    fn json(&self, words: &str) -> Value {
        let text = self.ok(words, "");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{words}: {error}: {text}"))
    }

    /// `words` are refused in one line that says `why`.
    #[track_caller]
    fn refused(&self, words: &str, why: &str) {
        let out = self.run(words, "");
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(2), "{words}: {error}{}", String::from_utf8_lossy(&out.stdout));
        assert!(error.contains(why) && error.trim_end().lines().count() == 1, "{words}: {error}");
    }
}

const FAMILIES: [&str; 3] = ["alpha-beta", "mcts", "best-first"];

#[test]
fn it_is_an_engine_with_options_a_book_and_a_memory() {
    let folder = Folder::new();
    for family in FAMILIES {
        let lines = "uci\nisready\nposition startpos moves 4 4\ngo nodes 300\n";
        let said = folder.ok(&format!("engine four --search {family}"), lines);
        let best = said.lines().find_map(|line| line.strip_prefix("bestmove ")).unwrap_or_else(|| panic!("{said}"));
        assert!(("1".."8").contains(&best.split(' ').next().expect("a move")), "{said}");
        assert!(folder.ok(&format!("options four --search {family}"), "").contains("EvalFile"));
        for form in ["toml", "uci", "markdown"] {
            assert!(!folder.ok(&format!("options four --search {family} --format {form} --all"), "").is_empty());
        }
    }
    assert!(folder.ok("options four --format markdown", "").starts_with("# Options of the four engine"));
    assert!(folder.json("options four --json").as_array().is_some_and(|options| options.len() > 5));
    folder.refused("engine four --search nim", "four has no search family \"nim\"");
    folder.refused("engine four --oracle no.net", "networks are asked in go and shogi");
    // A win in one: any search finds it, and says so in its protocol.
    let won = folder.ok("engine four", "position startpos moves 1 7 1 7 1 7\ngo depth 4\n");
    assert!(won.contains("score mate 1") && won.contains("bestmove 1"), "{won}");
    let learned = "position startpos moves 1 2\ngo nodes 5000\nucinewgame\n";
    folder.ok("engine four --search best-first --option LearnedFile=l.db --option LearnedQuality=10", learned);
    assert!(folder.ok("learned show four l.db --best 3", "").contains("/x"));
    folder.ok("learned export four l.db --out l.tsv", "");
    assert!(folder.text("l.tsv").lines().count() > 0);
    folder.ok("learned prune four l.db --max 1", "");
}

#[test]
fn its_rules_are_tested() {
    let folder = Folder::new();
    assert!(folder.ok("perft four --depth 7 --threads 2", "").contains("perft(7)  823536"));
    assert_eq!(folder.json("perft four --depth 5 --moves 4 4 --json")["count"], 16806);
    assert!(folder.ok("perft four --depth 3 --divide", "").contains("4: 49"));
    folder.refused("perft four --legal", "--legal is for go");
    folder.refused("perft four --chess960", "--chess960 is for chess");
    folder.refused("perft four --fen nonsense", "nonsense");
    let set = folder.ok("selftest four --make --positions 60", "");
    fs::write(folder.path("set.txt"), set).expect("a file");
    let transcript = folder.ok("selftest four set.txt", "");
    fs::write(folder.path("expected.txt"), transcript).expect("a file");
    assert!(folder.ok("selftest four set.txt --expect expected.txt", "").contains("identical"));
    let own = program().display().to_string();
    let compared = folder.ok(&format!("selftest four --games 2 --depth 2 --engine {own}~engine~four"), "");
    assert!(compared.contains("identical"), "{compared}");
    folder.refused("selftest four set.txt --heatmaps", "--heatmaps is for chess");
    folder.refused("selftest four", "give a file of positions, --games N or --make");
}

#[test]
fn its_games_and_positions_are_data() {
    let folder = Folder::with_games();
    assert_eq!(folder.text("g.four").lines().count(), 40);
    folder.ok("data convert g.four p.cells --quiet --lossy", "");
    let positions = folder.text("p.cells").lines().count();
    assert!(positions > 400, "{positions}");
    folder.ok("data convert p.cells again.four --quiet --lossy", "");
    folder.ok("data convert g.four p.parquet --quiet", "");
    folder.ok("data convert --game four p.parquet q.cells --quiet --lossy", "");
    assert_eq!(folder.text("q.cells").lines().count(), positions);
    assert!(folder.ok("data stats g.four --quiet", "").contains("40"));
    assert!(folder.ok("data show g.four --count 2 --quiet", "").contains("plies"));
    assert!(folder.ok("data show p.cells --count 2 --quiet", "").contains("/x"));
    folder.ok("data check g.four --quiet", "");
    folder.ok("data check p.cells --quiet", "");
    folder.ok("data shuffle p.cells s.cells --seed 3 --quiet", "");
    assert_eq!(folder.text("s.cells").lines().count(), positions);
    folder.ok("data dedup p.cells d.cells --quiet", "");
    assert!(folder.text("d.cells").lines().count() < positions);
    folder.ok("data filter p.cells f.cells --ply 8..20 --quiet", "");
    assert!((1..positions).contains(&folder.text("f.cells").lines().count()));
    folder.ok("data filter g.four long.four --plies 20.. --quiet", "");
    folder.ok("data split g.four --train a.four --valid b.four --share 0.5 --quiet", "");
    folder.ok("data rescore f.cells r.cells --nodes 50 --quiet", "");
    folder.refused(
        "data filter p.cells x.cells --mate m.cells --quiet",
        "mates are looked for in chess and shogi, not in four",
    );
    folder.refused("data features --game four g.four --out rows.csv", "four has no tables of features");
    folder.refused("data convert g.four g.pgn --quiet", "pgn");
}

#[test]
fn it_learns_and_proves_it() {
    let folder = Folder::with_games();
    folder.ok("tune four --games g.four --start material --epochs 5 --out w.json --quiet", "");
    assert!(folder.text("w.json").contains("\"threats\""));
    folder.refused("tune four --games g.four --weight-set greko --out x.json", "four has no such weights");
    folder.refused("tune four --games g.four --margins razoring", "margins");
    folder.refused("tune four --games g.four --leaf quiescence --out x.json", "quiescence");
    assert!(folder.ok("weights show four:builtin", "").contains("threats"));
    let diff = folder.run("weights diff four:material w.json", "");
    assert_eq!(diff.status.code(), Some(1), "what was learned differs from what it began with");
    folder.ok("weights blend four:material w.json --ratio 0.5 --out b.json", "");
    let engines = "--engine name=new~weights=w.json --engine name=old";
    folder.ok(&format!("match --game four {engines} --nodes 50 --games 8 --quiet --games-out m.four"), "");
    assert_eq!(folder.text("m.four").lines().count(), 8);
    let own = program().display().to_string();
    let cmd = format!("cmd={own}~args=\"engine~four\"");
    assert!(!folder.ok(&format!("match --game four --check {cmd}"), "").is_empty());
    let improved = folder
        .ok("improve four --from material --rounds 1 --games 40 --pairs 2 --nodes 40 --seed 2 --quiet --out run", "");
    assert!(improved.contains("games"), "{improved}");
    assert!(folder.text("run/report.html").contains("threats"));
    folder.refused("improve four --search mcts", "four has no networks; go and shogi have");
    folder.refused("train four --games g.four --out n.safetensors", "four has no policy and value nets to train");
    folder.refused("selfplay four --games 2 --net n.safetensors --out n.four", "four has no networks");
    let spsa = "spsa four --option RazoringMargin --iterations 2 --pairs 1 --nodes 40 --journal s.journal --quiet";
    assert!(folder.ok(spsa, "").contains("after 2 of 2 matches"));
    assert!(folder.ok("tune four --games g.four --chances --quiet", "").contains("centipawns"));
}

#[test]
fn its_positions_and_games_are_looked_into() {
    let folder = Folder::with_games();
    assert!(folder.ok("explain four --moves 4 4 3", "").contains("for Red"));
    assert!(folder.ok("explain four g.four --number 2 --changes", "").contains("start:"));
    assert_eq!(folder.json("explain four --moves 4 --json")["evaluation"]["sides"][0], "Red");
    let analysed = folder.run("analyse four g.four --nodes 60", "");
    let summary = String::from_utf8_lossy(&analysed.stderr).into_owned();
    assert!(
        analysed.status.success() && summary.contains("Red") && summary.contains("points lost a move"),
        "{summary}"
    );
    assert_eq!(String::from_utf8_lossy(&analysed.stdout).lines().count(), 40);
    for family in FAMILIES {
        let tree = format!("tree four --search {family} --nodes 300 --moves 4 4 --save {family}.json");
        assert!(!folder.ok(&tree, "").is_empty());
        assert!(!folder.ok(&format!("tree four --open {family}.json"), "").is_empty());
    }
    folder.refused("tree four --search mate", "mates are searched in chess and shogi, not in four");
    folder.refused("solve four --position startpos", "four has neither mates nor problems of regions");
    folder.refused("solve four --position startpos --goal live", "--goal and --region are for go");
    assert!(folder.ok("bench four --depth 3", "").contains("four"));
    assert!(folder.ok("bench four --rules", "").contains("move generated"));
    folder.refused("bench nim", "no game is called \"nim\"; there are: chess, shogi, go, four");
}

#[test]
fn it_has_books_and_a_console() {
    let folder = Folder::with_games();
    assert!(folder.ok("book import four g.four --plies 8 --out b.tsv", "").contains("40 games"));
    folder.ok("book add four b.tsv --moves 4 -- 4 1000", "");
    assert!(folder.ok("book show four b.tsv --moves 4", "").contains("1000"));
    folder.ok("book convert four b.tsv c.tsv", "");
    assert!(folder.ok("book show four c.tsv --moves 4", "").contains("1000"));
    folder.ok("book remove four b.tsv --moves 4 -- 4", "");
    folder.refused("book convert four b.tsv b.db", "this game has no books that end in .db; it has text");
    let lines = "position startpos moves 4\ngo nodes 100\n";
    let booked = folder.ok("engine four --option OwnBook=true --option BookFile=c.tsv --option BookChoice=best", lines);
    assert!(booked.contains("bestmove 4"), "{booked}");
    let commands = "4; board; eval; moves; undo; undo; level~nodes~200; go; save~hand.four; quit".replace("; ", ";");
    let said = folder.ok(&format!("play four --nodes 100 -c {commands}"), "");
    assert!(said.contains("my move:") && said.contains("wrote hand.four"), "{said}");
    assert_eq!(folder.text("hand.four").lines().count(), 1);
}

#[test]
fn help_and_completions_name_it() {
    let folder = Folder::new();
    assert!(folder.ok("perft --help", "").contains("chess, shogi, go, four"));
    assert!(folder.ok("completions bash", "").contains("four"));
    assert!(folder.ok("doctor", "").contains("processor"));
    folder.refused("match --game nim --engine a --engine b", "there are: chess, shogi, go, four");
}

/// Asks the server for `path` with `body`, and returns what it answers as JSON.
fn ask(address: &str, token: &str, method: &str, path: &str, body: &str) -> Value {
    let mut stream = TcpStream::connect(address).expect("a server");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nx-token: {token}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).expect("it listens");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    if body.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{method} {path}: {error}: {text}"))
}

#[test]
fn the_server_plays_it() {
    let folder = Folder::new();
    let mut server = Command::new(program())
        .args(["serve", "--port", "0"])
        .current_dir(folder.0.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("its address");
    let url = line.trim().rsplit(' ').next().expect("an address").to_string();
    let (address, token) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
    let token = token.rsplit('=').next().expect("a token");
    let games = ask(address, token, "GET", "/api/v1/games", "");
    let names = games.as_array().expect("a list").iter().map(|game| game["name"].as_str().expect("a name"));
    assert_eq!(names.collect::<Vec<_>>(), ["chess", "shogi", "go", "four"], "{games}");
    let played = ask(address, token, "POST", "/api/v1/positions", r#"{"game": "four", "place": {"moves": ["4"]}}"#);
    assert!(played.to_string().contains("/...x.../o"), "{played}");
    let begun = ask(address, token, "POST", "/api/v1/sessions", r#"{"game": "four", "place": {"moves": ["4"]}}"#);
    let session = format!("/api/v1/sessions/{}", begun["id"]);
    ask(address, token, "POST", &format!("{session}/go"), r#"{"nodes": 200}"#);
    // A search of 200 nodes is done long before the last question.
    let decided = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        let choice = ask(address, token, "GET", &session, "")["state"]["choice"].take();
        if choice.is_null() { None } else { Some(choice) }
    });
    assert!(decided.is_some(), "no move was chosen");
    server.kill().expect("it ends");
    server.wait().expect("it ends");
}
