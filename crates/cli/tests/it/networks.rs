//! Networks at play: nets of random weights in engines and self-play of go and shogi, and files that are no such nets.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
    sync::Arc,
    time::Duration,
};
use tesuji_nn::{Architecture, Net, Weights};
use tesuji_serving::{Server, ServerOptions, listeners};

fn tesuji(folder: &Path, arguments: &str, input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(arguments.split_whitespace()).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // A program that refused its arguments reads nothing.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("the program ends")
}

#[track_caller]
fn said(folder: &Path, arguments: &str, input: &str, code: i32) -> String {
    let out = tesuji(folder, arguments, input);
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(code), "{arguments}: {text}");
    text
}

/// A folder with small nets of random weights: for go, for shogi, and for planes that nobody has.
fn nets() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, preset: &str, features: &str, planes: usize, seed: u64| {
        let architecture = match preset {
            "go-1x8" => Architecture::for_any_size(features, planes, 9, 1, 8),
            _ => Architecture::for_one_size(features, [62, planes - 62], 27, 9, 1, 8),
        };
        fs::write(folder.path().join(name), Weights::random(architecture, seed).write()).expect("a file");
    };
    write("go.safetensors", "go-1x8", "go-1", 48, 1);
    write("go2.safetensors", "go-1x8", "go-1", 48, 2);
    write("bakago.safetensors", "go-1x8", "bakago-1", 39, 1);
    write("shogi.safetensors", "dlshogi-1x8", "dlshogi-1", 119, 1);
    write("strange.safetensors", "go-1x8", "go-77", 48, 1);
    write("wrong.safetensors", "go-1x8", "go-1", 47, 1);
    let bytes = fs::read(folder.path().join("go.safetensors")).expect("a net");
    fs::write(folder.path().join("torn.safetensors"), &bytes[..bytes.len() / 2]).expect("a file");
    folder
}

#[test]
fn engines_play_with_nets_on_any_board() {
    let folder = nets();
    for net in ["go", "bakago"] {
        let words = format!("engine go --option NetFile={net}.safetensors --option Visits=20");
        let input = "boardsize 9\ngenmove b\ngenmove w\nboardsize 13\nclear_board\ngenmove b\nquit\n";
        let text = said(folder.path(), &words, input, 0);
        let moves = text.lines().filter(|line| line.starts_with("= ") && line.len() > 2).count();
        assert_eq!(moves, 3, "{text}");
        assert_eq!(text, said(folder.path(), &words, input, 0), "the same visits, the same moves");
    }
    let words = "engine shogi --search mcts --option NetFile=shogi.safetensors --option LeafMatePlies=3";
    // The reply comes before anything else is read: `go nodes` is waited for by `isready`.
    let text = said(folder.path(), words, "usi\nposition startpos\ngo nodes 30\nisready\nquit\n", 0);
    assert!(text.contains("option name NetFile type") && text.contains("bestmove "), "{text}");
}

#[test]
fn nets_of_the_program_go_by_their_names() {
    let folder = nets();
    let path = folder.path();
    let said = |words: &str, input: &str| said(path, words, input, 0);
    let text = said("engine go --option NetFile=go9-4x32 --option Visits=5", "boardsize 9\ngenmove b\nquit\n");
    assert!(text.lines().any(|line| line.starts_with("= ") && line.len() > 2) && !text.contains('?'), "{text}");
    let shown = said("net show go9-4x32", "");
    assert!(shown.contains("4 blocks of 32 channels") && shown.contains("teacher.sgf"), "{shown}");
    said("selfplay go --games 1 --rules 5x5 --nodes 4 --max-plies 8 --net go9-4x32 --quiet --out named.sgf", "");
    assert!(fs::read_to_string(path.join("named.sgf")).expect("a game").contains("nets go9-4x32 (of the program)"));
    // A file of that name comes first.
    fs::copy(path.join("go.safetensors"), path.join("go9-4x32")).expect("a file");
    assert!(said("net show go9-4x32", "").contains("1 blocks of 8 channels"));
}

#[test]
fn a_reader_that_has_seen_enough_ends_the_program_without_a_word() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    // The reader is gone before the program writes its first byte.
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    command.args(["net", "show", "go9-4x32", "--tensors"]).stdout(writer).stderr(Stdio::piped());
    let out = command.output().expect("the program runs");
    assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stderr).as_ref()), (Some(141), ""));
}

#[test]
fn nets_that_do_not_fit_are_named_in_one_line() {
    let folder = nets();
    for (net, expect) in [
        (
            "strange",
            "the net reads features `go-77`; known here: go-1 bakago-1 bakago-1-quirks katago-7 katago-7-suicide",
        ),
        ("wrong", "the net reads features `go-1 (47 planes)`, the engine writes `go-1 (48 planes)`"),
        (
            "shogi",
            "the net reads features `dlshogi-1`; known here: go-1 bakago-1 bakago-1-quirks katago-7 katago-7-suicide",
        ),
        ("torn", "truncated"),
        ("missing", "No such file"),
    ] {
        let text = said(folder.path(), &format!("engine go --option NetFile={net}.safetensors"), "quit\n", 2);
        assert!(text.contains(expect) && text.trim_end().lines().count() == 1, "{net}: {text}");
        let words = format!("selfplay go --games 1 --rules 9x9 --net {net}.safetensors --quiet --out g.sgf");
        let text = said(folder.path(), &words, "", 2);
        assert!(text.contains(expect), "{net}: {text}");
        let _ = fs::remove_file(folder.path().join("g.sgf"));
    }
}

#[test]
fn games_of_nets_are_the_same_however_they_are_played() {
    let folder = nets();
    let path = folder.path();
    let words = "selfplay go --search mcts --games 6 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 40 \
                 --net go.safetensors --net go2.safetensors";
    said(path, &format!("{words} --batch 1 --threads 1 --out a.sgf"), "", 0);
    said(path, &format!("{words} --batch 5 --threads 3 --out b.sgf"), "", 0);
    let read = |name: &str| fs::read_to_string(path.join(name)).expect("games");
    assert_eq!(read("a.sgf"), read("b.sgf"));
    assert_eq!(read("a.sgf").matches("(;").count(), 6);
    assert!(read("a.sgf").contains("v="), "visits stand in the games");
    // Cut off within a game and continued.
    let text = read("a.sgf");
    fs::write(path.join("c.sgf"), &text[..text.len() * 2 / 3]).expect("a file");
    said(path, &format!("{words} --batch 2 --out c.sgf --resume"), "", 0);
    assert_eq!(read("c.sgf"), text);
    let other = said(path, &format!("{words} --temperature 0.5 --batch 2 --out c.sgf --resume"), "", 2);
    assert!(other.contains("other settings"), "{other}");
    said(path, &format!("{words} --average --noise kick --out d.sgf"), "", 0);
    assert_ne!(read("d.sgf"), text);
}

#[test]
fn shogi_games_of_nets_keep_their_visits() {
    let folder = nets();
    let words = "selfplay shogi --games 3 --nodes 10 --max-plies 30 --random-plies 2 --quiet --batch 3 \
                 --net shogi.safetensors --option LeafMatePlies=3 --out g.hcpe3";
    let text = said(folder.path(), words, "", 0);
    assert!(text.contains("3 games"), "{text}");
    // 28 moves behind the opening, each with several candidates of four bytes.
    assert!(fs::metadata(folder.path().join("g.hcpe3")).expect("games").len() > 3 * 28 * 10);
    let chess = said(folder.path(), "selfplay chess --games 1 --net go.safetensors --out g.sgs", "", 2);
    assert!(chess.contains("chess has no networks"), "{chess}");
}

#[test]
fn visits_in_parquet_teach_what_the_games_teach() {
    let folder = nets();
    let path = folder.path();
    let words = "selfplay go --games 12 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 40 --net go.safetensors";
    let text = said(path, &format!("{words} --out g.sgf --out v.parquet"), "", 0);
    let count =
        text.lines().find_map(|line| line.strip_prefix("v.parquet: ")?.strip_suffix(" positions with their visits"));
    let count: u64 = count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    let searched = fs::read_to_string(path.join("g.sgf")).expect("games").matches("v=").count() as u64;
    assert_eq!(count, searched);
    let train = |games: &str| {
        let words = "--size 5 --net 1x8 --positions 640 --batch 16 --held-out 0.3 --validation 64 --validate-every 320 \
                     --warm-up 4 --search-share 0.3 --quiet";
        said(path, &format!("train go --games {games} {words} --out {games}.safetensors"), "", 0)
    };
    let figures = |text: String| text.lines().find(|line| line.contains("validation after 640")).map(str::to_string);
    let of_games = figures(train("g.sgf"));
    assert!(of_games.is_some());
    assert_eq!(figures(train("v.parquet")), of_games);
    let there = said(path, &format!("{words} --out g.sgf --out v.parquet"), "", 2);
    assert!(there.contains("this file exists; --force replaces it"), "{there}");
    said(
        path,
        "selfplay shogi --games 1 --nodes 4 --max-plies 8 --quiet --net shogi.safetensors --out s.parquet",
        "",
        0,
    );
    assert!(path.join("s.parquet.hcpe3").exists(), "the games are kept beside");
}

/// Networks with commas between them were refused by the policy server's threads, and nothing showed that the second one is asked: two
/// servers count the positions that engines, analysis, self-play and a server before them bring.
#[test]
fn each_of_several_nets_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let servers = [1, 2].map(|seed| {
        let weights = Weights::random(Architecture::for_any_size("go-1", 48, 9, 1, 8), seed);
        let net = Arc::new(Net::new(&weights).expect("a net"));
        let options = ServerOptions { threads: 1, batch_max: 8, wait: Duration::ZERO, queue_max: 64 };
        let doors = listeners(&["127.0.0.1:0".to_string()]).expect("a listener");
        Server::start(Arc::new(net), doors, options).expect("a server")
    });
    let [a, b] = servers.each_ref().map(|server| server.addresses().remove(0));
    let asked = || servers.each_ref().map(|server| server.counts().so_far().positions);
    let both = |words: &str, input: &str| {
        let before = asked();
        said(folder.path(), words, input, 0);
        let now = asked();
        assert!(now[0] > before[0] && now[1] > before[1], "{words}: {before:?}, then {now:?}");
        [now[0] - before[0], now[1] - before[1]]
    };
    let play = "boardsize 9\ngenmove b\nquit\n";
    let query = r#"{"id":"a","moves":[],"rules":"chinese","komi":7,"boardXSize":9,"boardYSize":9,"maxVisits":200}"#;
    for mix in ["mean", "by-thread", "by-device"] {
        let nets = format!("--option NetFile={a},{b} --option NetMix={mix} --option Threads=2");
        let counts = both(&format!("engine go {nets} --option Visits=200"), play);
        assert!(mix == "by-thread" || counts[0] == counts[1], "{mix}: {counts:?}");
        both(&format!("analysis go {nets}"), &format!("{query}\n"));
        let words = format!("{a},{b} --mix {mix} --threads 2 --batch 1");
        let (mut server, address) = served(folder.path(), &words, "tcp://127.0.0.1:0");
        both(&format!("engine go --option NetFile={address} --option Batch=8 --option Visits=200"), play);
        server.kill().expect("it ran");
        server.wait().expect("it ended");
    }
    let words = "selfplay go --games 2 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 20 --force --out g.sgf";
    both(&format!("{words} --net {a} --net {b}"), "");
    let counts = both(&format!("{words} --net {a},{b}"), "");
    assert_eq!(counts[0], counts[1], "the mean of both answers");
    for (words, expect) in [
        (format!("{words} --net {a},{b} --option NetMix=by-thread"), "take the games in turn"),
        (format!("policy-server {a},{b} --mix by-thread"), "--threads 1: expected 2 at least"),
    ] {
        let text = said(folder.path(), &words, "", 2);
        assert!(text.contains(expect), "{text}");
    }
}

/// A policy server of a net, with more words behind it, at `listen`, and its address.
fn served(folder: &Path, net: &str, listen: &str) -> (Child, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.arg("policy-server").args(net.split(' ')).args(["--listen", listen]).current_dir(folder);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the program starts");
    let mut line = String::new();
    BufReader::new(server.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let address = line.split_whitespace().last().expect("an address").to_string();
    assert!(address.starts_with(listen.trim_end_matches('0')), "{line}");
    (server, address)
}

#[test]
fn a_policy_server_plays_as_its_net_until_it_is_killed() {
    for scheme in ["tcp://", "grpc://"] {
        check_policy_server(nets().path(), scheme);
    }
}

fn check_policy_server(path: &Path, scheme: &str) {
    let (mut server, address) = served(path, "go.safetensors", &format!("{scheme}127.0.0.1:0"));
    let words = "selfplay go --games 4 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 40 --batch 2";
    said(path, &format!("{words} --net go.safetensors --out near.sgf"), "", 0);
    std::thread::scope(|scope| {
        for client in ["a", "b"] {
            let words = format!("{words} --threads 2 --oracle {address} --out {client}.sgf");
            scope.spawn(move || said(path, &words, "", 0));
        }
    });
    // All but the line that says where the games come from.
    let games = |name: &str| {
        let text = fs::read_to_string(path.join(name)).expect("games");
        text.lines().filter(|line| !line.contains("selfplay, nets")).collect::<Vec<_>>().join("\n")
    };
    assert!(games("near.sgf").matches("v=").count() > 40);
    assert_eq!(games("a.sgf"), games("near.sgf"));
    assert_eq!(games("b.sgf"), games("near.sgf"));
    let engine = format!("engine go --option NetFile={address} --option Visits=20");
    let input = "boardsize 9\ngenmove b\nquit\n";
    let near = said(path, "engine go --option NetFile=go.safetensors --option Visits=20", input, 0);
    assert_eq!(said(path, &engine, input, 0), near);
    assert_eq!(said(path, &format!("gtp --oracle {address} --option Visits=20"), input, 0), near);
    fs::write(path.join("pair.sgf"), "(;SZ[5]KM[7]RU[Chinese];B[cc];W[bb])").expect("a game");
    let look = |net: &str| said(path, &format!("analyse go pair.sgf --nodes 20 --oracle {net}"), "", 0);
    assert_eq!(look(&address), look("go.safetensors"));
    let play = "play go --rules 5x5 --nodes 20 --commands C3;quit";
    let near = said(path, &format!("{play} --oracle go.safetensors"), "", 0);
    assert_eq!(said(path, &format!("{play} --oracle {address}"), "", 0), near);
    let chess = said(path, &format!("uci --oracle {address}"), "quit\n", 2);
    assert!(chess.contains("networks are asked in go and shogi"), "{chess}");
    let door = said(path, "policy-server go.safetensors --listen grpcs://127.0.0.1:1", "", 2);
    assert!(door.contains("expected tcp://host:port or grpc://host:port"), "{door}");
    let shogi = said(path, &format!("engine shogi --search mcts --option NetFile={address}"), "quit\n", 2);
    assert!(shogi.contains("the net reads features `go-1`; known here: dlshogi-1"), "{shogi}");
    server.kill().expect("it ran");
    server.wait().expect("it ended");
    let dead = format!("the policy server at {}: ", address.trim_start_matches(scheme));
    let text = said(path, &engine, "quit\n", 2);
    assert!(text.contains(&dead) && text.trim_end().lines().count() == 1, "{text}");
    let text = said(path, &format!("{words} --oracle {address} --out c.sgf"), "", 2);
    assert!(text.contains(&dead), "{text}");
}

#[test]
fn self_play_outlives_a_policy_server_that_comes_back() {
    let folder = nets();
    let path = folder.path();
    let words = "selfplay go --games 12 --rules 5x5 --nodes 40 --seed 3 --quiet --max-plies 40 --batch 2 --threads 1";
    said(path, &format!("{words} --net go.safetensors --out near.sgf"), "", 0);
    for scheme in ["tcp://", "grpc://"] {
        let (mut server, address) = served(path, "go.safetensors", &format!("{scheme}127.0.0.1:0"));
        let name = format!("{}.sgf", scheme.trim_end_matches("://"));
        let mut player = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        player.args(words.split(' ')).args(["--oracle", &address, "--out", &name]).current_dir(path);
        let mut player = player.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        let file = path.join(&name);
        while fs::metadata(&file).map_or(0, |it| it.len()) < 200 && player.try_wait().expect("a state").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        server.kill().expect("it ran");
        server.wait().expect("it ended");
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert!(player.try_wait().expect("a state").is_none(), "the games were done before the server went");
        let (mut server, again) = served(path, "go.safetensors", &address);
        assert_eq!(again, address);
        assert!(player.wait().expect("it ends").success());
        // All but the line that says where the games come from.
        let games = |name: &str| {
            let text = fs::read_to_string(path.join(name)).expect("games");
            text.lines().filter(|line| !line.contains("selfplay, nets")).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(games(&name), games("near.sgf"));
        server.kill().expect("it ran");
        server.wait().expect("it ended");
    }
}

#[test]
fn programs_move_for_one_side_in_a_share_of_the_games() {
    let folder = nets();
    let path = folder.path();
    let words =
        "selfplay go --games 12 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 40 --batch 5 --net go.safetensors";
    let games = |name: &str| {
        let text = fs::read_to_string(path.join(name)).expect("games");
        let (made, rest): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.contains("selfplay, nets"));
        (made.concat(), rest.join("\n"))
    };
    said(path, &format!("{words} --out alone.sgf"), "", 0);
    said(path, &format!("{words} --opponent nodes=20 --opponent-share 0 --out none.sgf"), "", 0);
    assert_eq!(games("none.sgf").1, games("alone.sgf").1, "opponents that never play change nothing");
    let with = "--opponent nodes=20 --opponent-share 1 --opponent-processes 2 --threads 2";
    said(path, &format!("{words} {with} --out all.sgf"), "", 0);
    let (made, all) = games("all.sgf");
    assert!(made.contains("in 1 of the games against tesuji (nodes 20)"), "{made}");
    // One side's moves were searched by the batch of games, and each side is played in some game.
    let mut sides = [0, 0];
    for game in all.split("\n\n") {
        let searched = |side: &str| {
            let nodes = game.split(';').filter(|node| node.trim_start().starts_with(side));
            nodes.filter(|node| node.contains("v=")).count()
        };
        let (black, white) = (searched("B["), searched("W["));
        assert!(black == 0 || white == 0, "{game}");
        sides[0] += usize::from(black > 0);
        sides[1] += usize::from(white > 0);
    }
    assert!(sides[0] > 0 && sides[1] > 0, "{sides:?}");
    for (more, expect) in [
        ("--opponent name=a", "a has no limit"),
        ("--opponent tc=1+1", "batched games have no clocks"),
        ("--opponent nodes=5 --opponent-share 1.5", "--opponent-share 1.5: expected a share of the games"),
        ("--opponent nodes:5", "--opponent: nodes:5 has no limit"),
    ] {
        let text = said(path, &format!("{words} {more} --out wrong.sgf"), "", 2);
        assert!(text.contains(expect), "{more}: {text}");
    }
}

#[test]
fn an_opponent_that_does_not_play_is_named_and_the_games_stay() {
    let folder = nets();
    let path = folder.path();
    let words: Vec<&str> =
        "selfplay go --games 12 --rules 5x5 --nodes 12 --seed 3 --quiet --max-plies 40 --net go.safetensors \
                            --threads 1 --batch 1 --opponent-share 0.3 --out g.sgf"
            .split_whitespace()
            .collect();
    let play = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = command.args(&words).args(more).current_dir(path).output().expect("the program starts");
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    for (engine, expect) in [
        ("cmd=/no/such/engine nodes=1 name=other", "other: cannot start /no/such/engine"),
        ("cmd=false nodes=1 name=other", "other: "),
    ] {
        let resumed =
            if path.join("g.sgf").exists() { &["--resume", "--opponent", engine][..] } else { &["--opponent", engine] };
        let (code, text) = play(resumed);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(expect) && text.contains("g.sgf: game "), "{text}");
    }
    let before = fs::read_to_string(path.join("g.sgf")).expect("games").matches("(;").count();
    // The same name and limit: what ended the games is mended, and they go on.
    let (code, text) = play(&["--resume", "--opponent", "nodes=1 name=other"]);
    assert_eq!(code, Some(0), "{text}");
    let games = fs::read_to_string(path.join("g.sgf")).expect("games");
    assert_eq!(games.matches("(;").count(), 12, "after {before}");
    assert!(before < 12);
}
