//! What the fuzzers of the command line call survives bent and large input.

use tesuji_cli::fuzz::{analysis, engine_config, match_config, sweep};
use tesuji_testkit::fuzz::{Target, run, run_large, time_for_each};

#[test]
fn files_and_queries_survive_bent_and_large_input() {
    let targets: [(&str, Target, &[&str]); 4] = [
        (
            "cli::analysis",
            analysis,
            &[
                "{\"id\":\"a\",\"moves\":[[\"B\",\"E5\"],[\"W\",\"(2,3)\"]],\"rules\":\"chinese\",\"boardXSize\":9,\"boardYSize\":9,\
                 \"maxVisits\":100,\"analyzeTurns\":[0,1],\"priorities\":[3,-1],\"komi\":6.5}\n",
                "{\"id\":\"b\",\"initialStones\":[[\"B\",\"C3\"],[\"B\",\"D4\"]],\"initialPlayer\":\"W\",\"moves\":[],\"rules\":{\"ko\":\
                 \"SIMPLE\",\"scoring\":\"AREA\",\"tax\":\"NONE\",\"suicide\":true},\"boardXSize\":5,\"boardYSize\":7,\"avoidMoves\":[{\"player\":\
                 \"B\",\"moves\":[\"C3\"],\"untilDepth\":1}],\"overrideSettings\":{\"maxTime\":2,\"x\":1},\"whiteHandicapBonus\":\"N-1\"}\n",
                "{\"id\":\"c\",\"action\":\"terminate\",\"terminateId\":\"a\",\"turnNumbers\":[1]}\n",
            ],
        ),
        (
            "cli::match_config",
            match_config,
            &[
                "games = 40\ntc = \"1+0.01\"\nsprt = [0, 5]\ngauntlet = true\n[each]\noption.Hash = 16\n[[engine]]\ncmd = \"/a b/x\"\n\
               args = [\"--u c\", \"d\"]\naffinity = \"0,2-3\"\nst = 0.5\n[engine.option]\n\"Move Overhead\" = 10\n[[engine]]\nname = \"B\"\n",
            ],
        ),
        ("cli::engine_config", engine_config, &["Hash = 64\n\"Move Overhead\" = 1e3\nPonder = true\nBook = 'a b'\n"]),
        (
            "cli::sweep",
            sweep,
            &[
                "games = { big = ['a.pgn', 'b.pgn'], small = ['c.pgn'] }\nonly = ['all', 'pawn,king']\nlambda = [0, 12.5]\n\
               pool = ['builtin', 'material']\npairs = 10\nnodes = 500\nrandom_plies = 6\n",
            ],
        ),
    ];
    for (name, target, seeds) in targets {
        let bent = run(name, target, seeds, 0xC11F, time_for_each(120));
        let seeds: Vec<Vec<u8>> = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
        let large = run_large(name, target, &seeds, 0xC120);
        println!("{name}: {bent} inputs, {large} of a megabyte");
    }
}

/// Each part was kept, however often it was there: a megabyte of them took a gigabyte.
#[test]
fn processors_named_often_are_there_once() {
    let all = format!("[[engine]]\nname = 'a'\naffinity = '{}0'\n", "0-1023,".repeat(100_000));
    match_config(all.as_bytes());
}

/// A sweep of three short lists made a thousand million versions.
#[test]
fn sweeps_without_end_are_refused() {
    let [only, lambda] = ["'all',", "1,"].map(|word| word.repeat(1000));
    let text = format!(
        "games = {{ a = ['b'] }}\nonly = [{only}]\nlambda = [{lambda}]\npool = ['builtin']\npairs = 1\nnodes = 1\n"
    );
    sweep(text.as_bytes());
}
