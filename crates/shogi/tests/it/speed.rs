//! How fast the leaves of the start position are counted, in CPU time of this thread. Asks for SLOW=1 and --release.

use tesuji_shogi::{perft, sfen};

/// Nanoseconds this thread has run, as Linux counts them.
pub(crate) fn cpu_ns() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    stat.split_whitespace().next()?.parse().ok()
}

#[test]
fn leaves_per_cpu_second() {
    if !tesuji_testkit::needs::slow("measures speed") {
        return;
    }
    let positions = [
        ("start", sfen::START, 5, 19_861_490),
        ("matsuri", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", 3, 4_809_015),
    ];
    for (name, sfen, depth, count) in positions {
        let board = sfen::parse(sfen).expect("a position");
        let mut speeds: Vec<f64> = (0..5)
            .filter_map(|_| {
                let from = cpu_ns()?;
                assert_eq!(perft::count(&board, depth), count);
                Some(count as f64 / (cpu_ns()?.saturating_sub(from)).max(1) as f64 * 1e3)
            })
            .collect();
        speeds.sort_by(f64::total_cmp);
        match speeds.get(2) {
            Some(speed) => eprintln!("{name}: {speed:.1} million leaves per CPU-second, median of 5 at depth {depth}"),
            None => tesuji_testkit::needs::skip("needs a clock of CPU time"),
        }
    }
}
