//! `tesuji selfplay`: books, balance, early ends, several formats, and runs that were killed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    command.args(["selfplay", "chess"]).args(words.split_whitespace()).current_dir(folder);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[track_caller]
fn selfplay(folder: &Path, words: &str, code: i32) -> String {
    let out: Output = command(folder, words).output().expect("the binary starts");
    let text = format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert_eq!(out.status.code(), Some(code), "{words}: {text}");
    text
}

/// The bodies of all lines of a game set that begin with `word`.
fn lines(path: &Path, word: &str) -> Vec<String> {
    let text = fs::read_to_string(path).expect("a game set");
    text.lines().filter_map(|line| line.strip_prefix(word)).map(str::to_string).collect()
}

/// After 1. e4 e5, the same with a queen less for White, and after 1. d4 d5.
const BOOK: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
    rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 2\n\
    rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2\n";

#[test]
fn openings_come_from_a_book_and_are_balanced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("book.epd"), BOOK).expect("a book");
    let words = "--games 12 --seed 1 --nodes 50 --openings book.epd --balance 150 --quiet --out";
    selfplay(path, &format!("{words} g.sgs"), 0);
    let boards = lines(&path.join("g.sgs"), "board ");
    let book: Vec<&str> = BOOK.lines().collect();
    assert_eq!(boards.len(), 12);
    for (index, least) in [(0, 4), (1, 0), (2, 4)] {
        let count = boards.iter().filter(|board| *board == book[index]).count();
        assert!(count >= least && (index != 1 || count == 0), "opening {index} came {count} times");
    }
    // With a wider door the odd one comes in its turn: four times of twelve.
    selfplay(path, "--games 12 --seed 1 --nodes 50 --openings book.epd --balance 3000 --quiet --out odd.sgs", 0);
    assert_eq!(lines(&path.join("odd.sgs"), "board ").iter().filter(|board| *board == book[1]).count(), 4);
    // Random moves after the opening are moves of the game.
    selfplay(path, "--games 4 --seed 1 --nodes 50 --openings book.epd --random-plies 3 --quiet --out r.sgs", 0);
    assert!(lines(&path.join("r.sgs"), "scores ").iter().all(|scores| scores.starts_with(". . . ")));
    fs::write(path.join("odd.epd"), BOOK.lines().nth(1).expect("a line")).expect("a book");
    let text = selfplay(path, "--games 1 --openings odd.epd --balance 50 --out none.sgs", 2);
    assert!(text.contains("within 50 centipawns"), "{text}");
}

/// Without random moves and openings all games were the same, and nobody said so.
#[test]
fn games_that_will_be_the_same_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let warned = |words: &str| selfplay(folder.path(), words, 0).contains("Warning: 1 opening for 3 games");
    assert!(warned("--games 3 --seed 1 --nodes 20 --random-plies 0 --max-plies 10 --quiet --out a.sgs"));
    assert!(!warned(
        "--games 3 --seed 1 --nodes 20 --random-plies 0 --shuffled-share 1 --max-plies 10 --quiet --out b.sgs"
    ));
    assert!(!warned("--games 3 --seed 1 --nodes 20 --max-plies 10 --quiet --out c.sgs"));
}

/// SGF of self-play left rules and komi out, which matches write.
#[test]
fn games_of_go_say_rules_and_komi() {
    let folder = tempfile::tempdir().expect("a folder");
    let words = "selfplay go --games 1 --rules 5x5 --nodes 4 --max-plies 8 --seed 1 --quiet --out g.sgf";
    let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let out = command.args(words.split_whitespace()).current_dir(folder.path()).output().expect("the binary starts");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = fs::read_to_string(folder.path().join("g.sgf")).expect("games");
    assert!(text.contains("SZ[5]RU[") && text.contains("KM["), "{text}");
}

#[test]
fn games_end_early_when_asked_and_say_where_they_come_from() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    selfplay(path, "--games 6 --seed 1 --nodes 50 --max-plies 20 --resign off --quiet --out short.sgs", 0);
    let plies = |file: &str| {
        let moves = lines(&path.join(file), "moves ");
        moves.iter().map(|moves| moves.split(' ').count()).collect::<Vec<_>>()
    };
    // A few random moves can be mate before that.
    assert!(plies("short.sgs").into_iter().all(|plies| plies <= 20), "{:?}", plies("short.sgs"));
    let (games, ends) = (lines(&path.join("short.sgs"), "game "), lines(&path.join("short.sgs"), "end "));
    let drawn = games.iter().zip(&ends).filter(|(game, end)| game.starts_with("D g") && *end == "adjudication").count();
    assert!(drawn >= 4, "{games:?} {ends:?}");
    let drawn = "--games 6 --seed 1 --nodes 50 --draw 5/1/2000 --resign off --quiet --out drawn.sgs";
    selfplay(path, drawn, 0);
    assert!(plies("drawn.sgs").into_iter().all(|plies| plies <= 12), "{:?}", plies("drawn.sgs"));
    let origin = &lines(&path.join("drawn.sgs"), "origin ")[5];
    for wanted in [
        "50 nodes",
        "seed 1",
        "8 random plies",
        "balance 300 cp at 500 nodes",
        "resign off",
        "draw 5/1/2000",
        "300 plies",
    ] {
        assert!(origin.contains(wanted), "no {wanted:?} in {origin}");
    }
    for (wrong, wanted) in [
        ("--out a.xyz", "no format of chess is known for \"a.xyz\""),
        ("--out a.parquet.zst", "name it a.parquet and compress it afterwards"),
        ("--openings drawn.sgs --out drawn.sgs --force", "drawn.sgs: this file is read; name another output"),
        ("--out drawn.sgs", "this file exists; --force replaces it, or give another name; --resume goes on with it"),
        ("--out no/where.sgs", "the folder of this file does not exist"),
        ("--out a.sgs --draw 1/2", "or off"),
        ("--out a.sgs --openings nowhere.epd", "nowhere.epd"),
        ("--out a.sgs --rules gothic", "--rules gothic"),
        ("--out drawn.sgs --resume", "cannot go on with games of other settings"),
    ] {
        let text = selfplay(path, &format!("--games 1 --seed 1 {wrong}"), 2);
        assert!(text.contains(wanted), "{wrong}: {text}");
    }
    // Two files of games and their checksums.
    assert_eq!(fs::read_dir(path).expect("a folder").count(), 4, "nothing is left of wrong commands");
}

/// The origin of games has the soft limit and the hard one; searches without iterations refuse it.
#[test]
fn soft_node_limits_are_noted_and_refused_where_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    selfplay(path, "--games 3 --seed 1 --soft-nodes 100 --quiet --out soft.sgs", 0);
    selfplay(path, "--games 3 --seed 1 --soft-nodes 100 --nodes 1000 --quiet --out same.sgs", 0);
    selfplay(path, "--games 3 --seed 1 --nodes 1000 --quiet --out hard.sgs", 0);
    let read = |name: &str| fs::read(path.join(name)).expect("games");
    assert_eq!(read("soft.sgs"), read("same.sgs"));
    assert!(lines(&path.join("soft.sgs"), "origin ")[2].contains("100 soft and 1000 nodes, seed 1"));
    assert_ne!(lines(&path.join("soft.sgs"), "moves "), lines(&path.join("hard.sgs"), "moves "));
    let other = selfplay(path, "--games 4 --seed 1 --soft-nodes 101 --quiet --out soft.sgs --resume", 2);
    assert!(other.contains("cannot go on with games of other settings"), "{other}");
    for (words, wanted) in [
        ("--soft-nodes 100 --search mcts", "--soft-nodes 100: mcts searches without iterations that it could end"),
        ("--soft-nodes 100 --search best-first", "--soft-nodes 100: best-first searches without iterations"),
        ("--soft-nodes 100 --nodes 99", "--soft-nodes 100: expected at most the hard limit, 99"),
        ("--soft-nodes 0", "0"),
    ] {
        let said = selfplay(path, &format!("--games 1 {words} --out none.sgs"), 2);
        assert!(said.contains(wanted), "{words}: {said}");
    }
}

/// Seed and number decide which games begin with shuffled pieces, so that a resumed run makes the same; formats that hold them
/// have the rules, others are refused before a game is played.
#[test]
fn a_share_of_the_games_is_of_chess960() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--seed 4 --nodes 30 --shuffled-share 0.4 --random-plies 2 --quiet";
    let outs = |name: &str| {
        format!("--out {name}.sgs --out {name}.pgn --out {name}.viri --out {name}.bullet --out {name}.epd")
    };
    selfplay(path, &format!("{words} --games 20 --jobs 2 {}", outs("a")), 0);
    let text = fs::read_to_string(path.join("a.sgs")).expect("games");
    let shuffled = text.matches("variant chess960").count();
    assert!((3..=13).contains(&shuffled), "{shuffled} of 20");
    let pgn = fs::read_to_string(path.join("a.pgn")).expect("games");
    assert_eq!(pgn.to_ascii_lowercase().matches("[variant \"chess960\"]").count(), shuffled);
    assert!(lines(&path.join("a.sgs"), "origin ")[0].contains("share of chess960 0.4, 2 random plies"));
    for name in ["a.sgs", "a.pgn", "a.viri"] {
        let mut check = Command::new(env!("CARGO_BIN_EXE_tesuji"));
        let out = check.args(["data", "check", "--game", "chess", name]).current_dir(path).output().expect("it starts");
        assert!(
            out.status.success(),
            "{name}: {}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
    }
    selfplay(path, &format!("{words} --games 7 {}", outs("b")), 0);
    selfplay(path, &format!("{words} --games 20 --resume {}", outs("b")), 0);
    for ending in ["sgs", "pgn", "viri", "bullet", "epd"] {
        let [a, b] = ["a", "b"].map(|name| fs::read(path.join(format!("{name}.{ending}"))).expect("a file"));
        assert!(a == b && !a.is_empty(), "{ending}");
    }
    for (words, wanted) in [
        ("--shuffled-share 1.5 --out c.sgs", "--shuffled-share 1.5: expected a share of the games, 0 to 1"),
        ("--shuffled-share NaN --out c.sgs", "shuffled-share"),
        ("--shuffled-share 0.5 --out c.sgs --out c.binpack", "--out c.binpack: binpack holds no games of chess960"),
    ] {
        let said = selfplay(path, &format!("--games 1 {words}"), 2);
        assert!(said.contains(wanted), "{words}: {said}");
    }
    let mut shogi = Command::new(env!("CARGO_BIN_EXE_tesuji"));
    let words = "selfplay shogi --games 1 --shuffled-share 0.5 --out c.hcpe3".split(' ');
    let out = shogi.args(words).current_dir(path).output().expect("it starts");
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("--shuffled-share 0.5: shogi has no such start positions"), "{said}");
}

#[test]
fn dropped_games_are_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--seed 1 --nodes 30 --max-plies 60 --drop-short 30 --drop-unfinished --quiet --out g.sgs --out g.viri";
    let said = selfplay(path, &format!("--games 30 {words}"), 0);
    let written = lines(&path.join("g.sgs"), "game ").len();
    assert!(said.contains("dropped of 30 games: ") && said.contains(&format!("g.sgs: {written} games")), "{said}");
    let plies = lines(&path.join("g.sgs"), "moves ").iter().map(|moves| moves.split(' ').count()).collect::<Vec<_>>();
    assert!(written < 30 && plies.iter().all(|plies| *plies >= 30), "{plies:?}");
    let whole = fs::read(path.join("g.sgs")).expect("games");
    let again = selfplay(path, &format!("--games 30 {words} --resume"), 0);
    assert_eq!(again.lines().nth(1), said.lines().nth(1).filter(|line| line.starts_with("dropped")), "{again}");
    assert_eq!(fs::read(path.join("g.sgs")).expect("games"), whole);
    let refused = selfplay(path, "--games 1 --drop-unfinished --max-plies off --out none.sgs", 2);
    assert!(refused.contains("--drop-unfinished"), "{refused}");
}

#[test]
fn a_killed_run_ends_as_one_that_was_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--games 40 --nodes 400 --seed 3 --quiet";
    selfplay(path, &format!("{words} --jobs 2 --out whole.sgs --out whole.pgn"), 0);
    let (whole, text) =
        (fs::read(path.join("whole.sgs")).expect("games"), fs::read(path.join("whole.pgn")).expect("games"));
    let mut run =
        command(path, &format!("{words} --jobs 3 --out torn.pgn --out torn.sgs")).spawn().expect("the binary starts");
    let began = Instant::now();
    // Killed as soon as some games are there.
    while fs::metadata(path.join("torn.sgs")).map_or(0, |file| file.len()) < 3000 {
        assert!(began.elapsed() < Duration::from_secs(300), "no game is played");
        std::thread::sleep(Duration::from_millis(2));
    }
    run.kill().expect("a kill");
    run.wait().expect("its end");
    // Other formats grow with the games: a killed run leaves whole games in them.
    let grown = fs::read(path.join("torn.pgn")).expect("games");
    assert!(!grown.is_empty() && text.starts_with(&grown), "{}", String::from_utf8_lossy(&grown));
    let said = selfplay(path, &format!("{words} --jobs 1 --out torn.pgn --out torn.sgs --resume"), 0);
    assert_eq!(fs::read(path.join("torn.sgs")).expect("games"), whole);
    assert_eq!(fs::read(path.join("torn.pgn")).expect("games"), text);
    assert!(said.contains("torn.pgn: 40 games"), "{said}");
    // A smaller number drops no game.
    let said = selfplay(path, "--games 5 --nodes 400 --seed 3 --quiet --out whole.sgs --resume", 2);
    assert!(said.contains("more than the 5 games"), "{said}");
    assert_eq!(fs::read(path.join("whole.sgs")).expect("games"), whole);
    // A format that is not the game's own has the games beside it, for going on.
    selfplay(path, "--games 3 --nodes 50 --quiet --out only.pgn", 0);
    let said = selfplay(path, "--games 5 --nodes 50 --quiet --out only.pgn --resume", 0);
    assert!(said.contains("only.pgn.sgs: 5 games (2 of them new)") && said.contains("only.pgn: 5 games"), "{said}");
}

/// Files for training grow with the games when the games are kept in another format: what a killed run left is whole games, and the
/// run that goes on ends with the same bytes.
#[test]
fn files_for_training_grow_with_the_games() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    for (game, endings) in [("chess", ["viri", "bullet", "epd"]), ("shogi", ["psv", "hcpe", "csa"])] {
        let outs = |name: &str| endings.map(|ending| format!("--out {name}.{ending}")).join(" ");
        let words = |name: &str| format!("selfplay {game} --games 24 --nodes 100 --seed 3 --quiet {}", outs(name));
        let play = |words: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tesuji"));
            command.args(words.split_whitespace()).current_dir(path).stdout(Stdio::piped()).stderr(Stdio::piped());
            command
        };
        let whole = play(&format!("{} --jobs 2", words("whole"))).output().expect("it starts");
        assert!(whole.status.success(), "{}", String::from_utf8_lossy(&whole.stderr));
        let mut run = play(&words("torn")).spawn().expect("the binary starts");
        let began = Instant::now();
        let last = path.join(format!("torn.{}", endings[2]));
        while fs::metadata(&last).map_or(0, |file| file.len()) < 2000 {
            assert!(began.elapsed() < Duration::from_secs(300), "no game is played");
            std::thread::sleep(Duration::from_millis(2));
        }
        run.kill().expect("a kill");
        run.wait().expect("its end");
        for ending in endings {
            let [torn, whole] =
                ["torn", "whole"].map(|name| fs::read(path.join(format!("{name}.{ending}"))).unwrap_or_default());
            assert!(!torn.is_empty() && whole.starts_with(&torn), "{game} {ending}");
        }
        let again = play(&format!("{} --resume", words("torn"))).output().expect("it starts");
        let said = String::from_utf8_lossy(&again.stdout);
        assert!(
            again.status.success() && said.contains("positions"),
            "{said}{}",
            String::from_utf8_lossy(&again.stderr)
        );
        assert_eq!(
            said.replace("torn", "whole").lines().skip(2).collect::<Vec<_>>(),
            String::from_utf8_lossy(&whole.stdout).lines().skip(2).collect::<Vec<_>>()
        );
        for ending in endings {
            let [torn, whole] =
                ["torn", "whole"].map(|name| fs::read(path.join(format!("{name}.{ending}"))).expect("a file"));
            assert!(torn == whole, "{game} {ending}");
        }
    }
}

/// `--resume` replaced files that it had not made, and the error for an existing file advised it.
#[test]
fn going_on_touches_no_file_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--games 2 --nodes 20 --seed 1 --quiet --out";
    for name in ["notes.pgn", "notes.sgs"] {
        fs::write(path.join(name), "some notes of mine\n").expect("a file");
        let said = selfplay(path, &format!("{words} {name}"), 2);
        assert!(said.contains("this file exists") && !said.contains("--resume"), "{said}");
        selfplay(path, &format!("{words} {name} --resume"), 2);
        assert_eq!(fs::read_to_string(path.join(name)).expect("the notes"), "some notes of mine\n");
    }
    selfplay(path, &format!("{words} g.sgs"), 0);
    let said = selfplay(path, &format!("{words} g.sgs --out notes.pgn --resume"), 2);
    assert!(said.contains("notes.pgn: this file exists"), "{said}");
    // What was written from these games is written again.
    selfplay(path, &format!("{words} g.sgs --out g.pgn --resume"), 0);
    let said = selfplay(path, &format!("{words} g.sgs --out g.pgn --resume"), 0);
    assert!(said.contains("g.sgs: 2 games (0 of them new)"), "{said}");
}

/// Of the other outputs only games were known at `--resume`: a run that had stopped after its Parquet file could not go on.
#[test]
fn going_on_replaces_the_outputs_that_the_run_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--nodes 20 --seed 1 --quiet --out g.sgs --out g.parquet --out g.bullet --out g.epd";
    // Stopped between two outputs: by a kill that leaves the first whole.
    selfplay(path, "--games 20 --nodes 20 --seed 1 --quiet --out g.sgs --out g.parquet", 0);
    selfplay(path, &format!("--games 20 {words} --resume"), 0);
    let sizes =
        || ["g.parquet", "g.bullet", "g.epd"].map(|name| fs::metadata(path.join(name)).expect("an output").len());
    let twenty = sizes();
    let said = selfplay(path, &format!("--games 22 {words} --resume"), 0);
    assert!(said.contains("22 games (2 of them new)") && said.contains("g.epd: "), "{said}");
    assert!(twenty.iter().zip(sizes()).all(|(was, is)| *was < is), "{twenty:?} {:?}", sizes());
    // Files of others, and those that were changed since, stay as they are.
    for (name, wanted) in [("notes.epd", "not known to be of these games"), ("g.epd", "changed since: it had ")] {
        fs::write(path.join(name), "some notes of mine\n").expect("a file");
        let said = selfplay(path, &format!("--games 23 {words} --out {name} --resume"), 2);
        assert!(said.contains(&format!("{name}: this file exists")) && said.contains(wanted), "{said}");
        assert_eq!(fs::read_to_string(path.join(name)).expect("the notes"), "some notes of mine\n");
    }
}

/// A thousand threads, each with two engines, took 25 s to begin.
#[test]
fn no_more_threads_play_than_the_machine_can_use() {
    if tesuji_jobs::threads(0) >= 256 {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let said = selfplay(folder.path(), "--games 3 --nodes 20 --seed 1 --quiet -j 1024 --out g.sgs", 0);
    assert!(said.contains("--jobs 1024: ") && said.contains(" threads play, 4 for each core"), "{said}");
}

/// Thirty games from one opening were one game thirty times, without a word.
#[test]
fn games_that_must_repeat_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("book.epd"), BOOK.lines().next().expect("a line")).expect("a book");
    let words = "--games 3 --nodes 20 --seed 1 --quiet --openings book.epd";
    let said = selfplay(path, &format!("{words} --out a.sgs"), 0);
    assert!(said.contains("1 opening for 3 games") && said.contains("--random-plies"), "{said}");
    let said = selfplay(path, &format!("{words} --random-plies 4 --out b.sgs"), 0);
    assert!(!said.contains("--random-plies"), "{said}");
}

#[test]
fn packed_games_and_positions_begin_where_the_engine_thinks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = "--games 3 --seed 1 --nodes 50 --random-plies 6 --quiet --out g.sgs --out g.viri --out g.parquet --out g.bullet";
    let said = selfplay(path, words, 0);
    let games = lines(&path.join("g.sgs"), "scores ");
    let valued = games.iter().flat_map(|scores| scores.split(' ')).filter(|score| *score != ".").count();
    let plies = games.iter().map(|scores| scores.split(' ').count()).sum::<usize>();
    // Six random plies, seven in every other game.
    assert_eq!(plies - valued, 6 + 7 + 6);
    // 32 bytes for a start, 4 for a move, 4 for an end: no random move is there as one of value 0.
    let packed = fs::read(path.join("g.viri")).expect("packed games");
    assert_eq!(packed.len(), 3 * (32 + 4) + 4 * valued);
    // Positions: those that have a value; 32 bytes each in bulletformat.
    assert_eq!(fs::read(path.join("g.bullet")).expect("positions").len(), 32 * valued);
    assert!(said.contains(&format!("g.bullet: {valued} positions")) && said.contains("g.parquet: "), "{said}");
    let columns = fs::read(path.join("g.parquet")).expect("columns");
    assert!(columns.starts_with(b"PAR1") && columns.ends_with(b"PAR1"));
    let names = |end: &str| columns.windows(end.len()).any(|part| part == end.as_bytes());
    assert!(names("50 nodes, seed 1"), "the file says where it comes from");
}

/// Without `--net` options were ignored: `Eval=…` changed nothing.
#[test]
fn options_take_effect_without_networks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let words = |option: &str, out: &str| format!("--games 2 --seed 1 --nodes 60 --quiet --out {out} {option}");
    selfplay(path, &words("", "plain.sgs"), 0);
    selfplay(path, &words("--option Eval=handmade", "hand.sgs"), 0);
    assert_ne!(lines(&path.join("plain.sgs"), "moves"), lines(&path.join("hand.sgs"), "moves"));
    let says = selfplay(path, &words("--resume", "hand.sgs").replace("--games 2", "--games 3"), 2);
    assert!(
        says.contains("games of other settings") && says.contains(", evaluation built in, Eval=handmade\n"),
        "{says}"
    );
    selfplay(path, &words("--option Eval=handmade --resume", "hand.sgs").replace("--games 2", "--games 3"), 0);
    let says = selfplay(path, &words("--option Evl=nnue", "no.sgs"), 2);
    assert!(
        says.contains("--option Evl=nnue: ") && says.contains("\"Eval\"") && !path.join("no.sgs").exists(),
        "{says}"
    );
    let says = selfplay(path, &words("--batch 8", "no.sgs"), 2);
    assert!(says.contains("--net <FILE>"), "{says}");
}
