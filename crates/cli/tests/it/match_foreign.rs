//! Command lines of fastchess, cutechess-cli and BattleField, as ours.

use crate::match_::{engine, run};
use std::path::Path;
use tesuji_arena::{MatchRequest, from_foreign_command};
use tesuji_testkit::mock;

/// The converted command is one that we take.
fn taken(command: &str) -> (MatchRequest, Vec<String>) {
    let (ours, warnings) = from_foreign_command(command).unwrap();
    let words = tesuji_jobs::words::split(&ours.replace("\\\n", "")).unwrap();
    let args: Vec<&str> = words[2..].iter().map(String::as_str).chain(["--print-request"]).collect();
    let (code, request, error) = run(Path::new("."), &args);
    assert_eq!(code, 0, "{ours}\n{error}");
    (serde_json::from_str(&request).unwrap(), warnings)
}

#[test]
fn fastchess_commands_are_taken() {
    let (args, warnings) = taken(
        "./fastchess -engine cmd=./a name=New 'option.Move Overhead=20' -engine cmd=\"b c\" name=Old \
         args=\"--x 'y z'\" -each tc=8+0.08 option.Hash=16 -rounds 500 -repeat -concurrency 4 -recover \
         -openings file=UHO.epd format=epd order=random plies=12 start=7 -sprt elo0=-5 elo1=0 alpha=0.05 beta=0.1 \
         -resign movecount=3 score=600 twosided=true -draw movenumber=34 movecount=8 score=20 -srand 42 \
         -pgnout file=out.pgn nodes=true -maxmoves 200 -crc32 pgn=true",
    );
    assert_eq!(warnings, ["-crc32 pgn=true"]);
    assert_eq!((args.engines.len(), args.games(), args.seed, args.start), (2, 1000, Some(42), 7));
    assert_eq!((args.plies_max, args.jobs, args.plies), (Some(400), Some(4), Some(12)));
    let sprt = args.sprt().unwrap().unwrap();
    assert_eq!((sprt.elo0, sprt.elo1, sprt.beta), (-5.0, 0.0, 0.1));
    assert_eq!(args.each, "tc=8+0.08 option.Hash=16".parse().ok());
    assert_eq!(args.engines[1], "'cmd=b c' name=Old \"args=--x 'y z'\"".parse().unwrap());
}

/// They were dropped without a word.
#[test]
fn options_without_a_counterpart_are_named() {
    let (_, warnings) = taken(
        "fastchess -engine cmd=a -engine cmd=b -each tc=1 -recover -wait 10 -log file=x -autosaveinterval 0 -quick \
         -ratinginterval 5 -pgnout file=o.pgn append=true min=true -openings file=a.epd format=epd book=3 \
         -sprt elo0=0 bounds=x -resign movecount=3 score=500 after=9",
    );
    let named = [
        "-wait 10",
        "-log file=x",
        "-autosaveinterval 0",
        "-quick",
        "-ratinginterval 5",
        "-pgnout min=true",
        "-openings book=3",
        "-sprt without elo1: 5 is taken",
        "-sprt bounds=x",
        "-resign after=9",
    ];
    assert_eq!(warnings, named);
}

#[test]
fn cutechess_commands_are_taken() {
    let (args, warnings) = taken(
        "cutechess-cli -engine conf=x cmd=a arg=-u arg='b c' proto=uci -engine cmd=b ponder restart=on tc=40/1:30+0.5 timemargin=50 \
         -each tc=inf nodes=500 -games 2 -rounds 10 -tournament gauntlet -pgnout out.pgn -event My match \
         -variant fischerandom -openings file=a.pgn",
    );
    assert_eq!(warnings, ["conf=x"]);
    assert_eq!((args.games(), args.rules.as_str(), args.event.as_str()), (20, "chess960", "My match"));
    let mut three = args.clone();
    three.engines.push(Default::default());
    let schedule = three.schedule(50).unwrap();
    assert_eq!((schedule.pairings().len(), schedule.is_paired(), schedule.games()), (2, false, 40));
    assert_eq!(args.engines[1], "cmd=b ponder=on restart=on tc=40/90+0.5 margin=50".parse().unwrap());
    assert_eq!(args.engines[0], "cmd=a proto=uci \"args=-u 'b c'\"".parse().unwrap());
}

#[test]
fn forms_of_tournaments_are_taken() {
    let form = |options: &str| {
        let words = format!("cutechess-cli -engine cmd=a -engine cmd=b -engine cmd=c -openings file=a.pgn {options}");
        let (args, warnings) = taken(&words);
        assert!(warnings.is_empty(), "{warnings:?}");
        args.schedule(10).unwrap()
    };
    assert!(form("-tournament knockout -games 2 -repeat").is_knockout());
    let seeded = form("-tournament gauntlet -seeds 2 -games 2 -repeat");
    assert_eq!((seeded.pairings().len(), seeded.is_paired()), (2, true));
    let fixed = form("-games 4 -noswap");
    assert_eq!((fixed.fixture(3).players, fixed.fixture(11).players), ([0, 1], [1, 2]));
}

#[test]
fn other_commands_are_refused() {
    for (command, says) in [
        ("", "empty"),
        ("stockfish -x", "expected a command"),
        ("fastchess -games x", "number of games"),
        ("fastchess 'x", "not closed"),
    ] {
        let error = format!("{:#}", from_foreign_command(command).unwrap_err());
        assert!(error.contains(says), "{command}: {error}");
    }
}

/// BattleField's author writes 385 bytes a game; ours were four times as large, with scores and times that he does not read.
#[test]
fn battlefield_s_command_line_plays_here_with_its_outputs() {
    let folder = tempfile::tempdir().unwrap();
    let program = mock::path().display().to_string();
    let command = format!("battlefield -q -j 1 -g 6 -c '5+0.01|3' -o a.pgn -r a.sgs {program} {program}");
    let (code, ours, notes) = run(folder.path(), &["--from-command", &command]);
    assert!(code == 0 && notes.contains("each opening is played twice"), "{notes}");
    let words = tesuji_jobs::words::split(&ours.replace("\\\n", " ")).unwrap();
    let words: Vec<&str> = words.iter().skip(2).map(String::as_str).collect();
    let (code, told, errors) = run(folder.path(), &words);
    assert!(code == 0 && told.contains("Score: ") && told.contains("p = 0.90:"), "{told}{errors}");
    let pgn = std::fs::read_to_string(folder.path().join("a.pgn")).unwrap();
    assert_eq!(pgn.matches("[WhiteTimeControl \"5+0.01\"]").count(), 6, "{pgn}");
    assert_eq!(pgn.matches("[BlackTimeControl \"3\"]").count(), 6, "whoever has that side: {pgn}");
    let sgs = std::fs::read_to_string(folder.path().join("a.sgs")).unwrap();
    let commands = ["game ", "title ", "start", "board ", "moves ", "#"];
    let others: Vec<&str> =
        sgs.lines().filter(|line| !line.is_empty() && !commands.iter().any(|c| line.starts_with(c))).collect();
    assert!(others.is_empty() && sgs.matches("game ").count() == 6, "{others:?}");
}

/// A match that is stopped goes on in a plain game set, too.
#[test]
fn plain_game_sets_are_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let [a, b] = ["A", "B"].map(|name| engine(name, ""));
    let args = |games: &'static str| {
        let words =
            ["--engine", &a, "--engine", &b, "--nodes", "1", "--seed", "4", "--quiet", "-j", "1", "--sgs-out", "a.sgs"];
        words.into_iter().chain(["--sgs-style", "plain", "--games", games]).map(str::to_string).collect::<Vec<_>>()
    };
    let played = |words: Vec<String>| run(folder.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
    let (code, _, errors) = played(args("4"));
    assert_eq!(code, 0, "{errors}");
    let whole = std::fs::read_to_string(folder.path().join("a.sgs")).unwrap();
    // Torn in the last game, as a kill leaves it.
    std::fs::write(folder.path().join("a.sgs"), &whole[..whole.len() - 9]).unwrap();
    let (code, _, errors) = run(folder.path(), &["--resume", "a.sgs.journal", "--games", "6", "--quiet"]);
    assert_eq!(code, 0, "{errors}");
    let longer = std::fs::read_to_string(folder.path().join("a.sgs")).unwrap();
    assert!(longer.starts_with(&whole) && longer.matches("game ").count() == 6, "{longer}");
}
