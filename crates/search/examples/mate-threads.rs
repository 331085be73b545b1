//! The nodes that several threads on one mate take, for the table of docs/mates.md: problems of shogi, one after the other.

use tesuji_game::Position;
use tesuji_search::mate::{Answer, MateLimits, MateSearch, Parameters, Settings};
use tesuji_shogi::sfen;

/// Usage: `mate-threads PROBLEMS.tsv THREADS NODES NAME…`, such as `mate-threads crates/search/tests/data/tsume.tsv 2 3000000 yo_bench_10`;
/// run it under `time` for seconds of the processor.
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, threads, nodes, wanted @ ..] = &arguments[..] else {
        eprintln!("expected: FILE THREADS NODES NAME…");
        std::process::exit(2);
    };
    let (threads, nodes) = (threads.parse().expect("a number of threads"), nodes.parse().expect("a number of nodes"));
    let text = std::fs::read_to_string(file).expect("a file of problems");
    let (mut all, mut solved) = (0, 0);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut cells = line.split('\t');
        let (Some(name), Some(position)) = (cells.next(), cells.next()) else { continue };
        if !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let board = sfen::parse(position).expect("a position");
        let mut search = MateSearch::with_threads(&Settings { hash_mib: 64 }, &Parameters::default(), threads);
        let limits = MateLimits { plies: None, nodes: Some(nodes) };
        let answer = search.solve(&board, board.side_to_move(), limits, &mut |_| false);
        println!("{name}\t{answer:?}\t{}", search.nodes());
        all += search.nodes();
        solved += u32::from(answer != Answer::Unknown);
    }
    println!("{threads} threads: {solved} solved, {all} nodes");
}
