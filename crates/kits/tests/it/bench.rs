//! The node counts of `bench.txt`, which say whether a change altered a search.

use tesuji_kit::{
    Kit,
    bench::{Benchmark, search_classes, split},
};
use tesuji_kits::GAMES;

/// All games that have a bench.
fn all() -> impl Iterator<Item = (&'static dyn Kit, &'static dyn Benchmark)> {
    GAMES.0.iter().filter_map(|kit| Some((*kit, kit.benchmark()?)))
}

/// One line for each game and search family, as `bench.txt` has them.
fn signature() -> String {
    let mut text = String::new();
    for (kit, bench) in all() {
        for family in kit.families() {
            let mut player = kit.player(family).expect("a player");
            let depth = bench.depth(family);
            let lines = search_classes(kit, family, player.as_mut(), depth, &|| false);
            let caches: Vec<_> = lines.iter().flat_map(|line| &line.sum.tables).collect();
            for cache in &caches {
                assert!(cache.hits <= cache.probes, "{} {family}: {cache:?}", kit.name());
            }
            // The hand-made evaluation of chess has a pawn cache, networks have accumulators.
            let wanted = if *family == "alpha-beta" { "accumulator" } else { "pawn" };
            assert!(kit.name() != "chess" || caches.iter().any(|cache| cache.name == wanted), "{family}: {caches:?}");
            let nodes: u64 = lines.iter().map(|line| line.sum.nodes).sum();
            text += &format!("{} {family} depth {depth}: {nodes} nodes\n", kit.name());
        }
    }
    for (kit, bench) in all() {
        for (chooser, plies) in bench.playouts() {
            text += &format!("{} {chooser} playouts: {plies} plies\n", kit.name());
        }
    }
    text
}

/// The node counts of `bench.txt`. `UPDATE=1` rewrites the file; a changed line wants a match result in the commit.
#[test]
fn node_counts_are_those_of_bench_txt() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bench.txt");
    let now = signature();
    if std::env::var("UPDATE").is_ok() {
        std::fs::write(path, &now).expect("writing bench.txt");
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(kept, now, "bench.txt; UPDATE=1 rewrites it");
}

#[test]
fn all_positions_are_read() {
    for (kit, bench) in all() {
        let mut player = kit.player("").expect("a player");
        let classes = bench.classes();
        assert!(classes.iter().map(|c| c.1.len()).sum::<usize>() >= 40, "{}", kit.name());
        for position in classes.iter().flat_map(|c| &c.1) {
            let (start, moves) = split(position);
            player.set_position("", Some(start), &moves).unwrap_or_else(|e| panic!("{position}: {e}"));
        }
    }
}
