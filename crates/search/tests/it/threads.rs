//! Many threads: starts and stops by the thousand, clearing, resizing, and the same answers as one.

use crate::watch::{Recorder, depth, nodes, random_line, searcher, think};
use tesuji_game::{Limits, Line, Random};
use tesuji_search::Searcher;
use tesuji_testkit::four::FourPosition;

#[test]
fn threads_start_and_stop_a_thousand_times() {
    let mut search = searcher();
    search.options().set("Threads", "4").expect("an option");
    let mut random = Random::new(21);
    for i in 0..1000u64 {
        let plies = random.below(30);
        let line = random_line(&mut random, plies);
        let report = match i % 3 {
            0 => think(&mut search, &line, &nodes(1 + random.below(300) as u64)),
            1 => think(&mut search, &line, &depth(1 + (i % 5) as u32)),
            _ => {
                let mut recorder = Recorder { stop_at: Some(random.below(40) as u64), ..Recorder::default() };
                search.search(&line, &Limits::default(), &[], &mut recorder)
            }
        };
        assert!(report.choice.is_some());
        if i % 100 == 99 {
            search.new_game();
        }
    }
}

#[test]
fn threads_and_tables_change_between_searches() {
    let mut search = searcher();
    let line = Line::new(FourPosition::default());
    for (threads, hash) in [("1", "1"), ("3", "2"), ("2", "1"), ("5", "3"), ("1", "1")] {
        search.options().set("threads", threads).expect("an option");
        search.options().set("hash", hash).expect("an option");
        assert_eq!(think(&mut search, &line, &nodes(3000)).nodes, 3000);
        search.options().set("clear hash", "").expect("a button");
        assert_eq!(search.options().get("Threads").as_deref(), Some(threads));
    }
}

/// What several threads find in solved positions is what one finds.
#[test]
fn several_threads_find_the_same_winner() {
    let mut random = Random::new(22);
    let (mut one, mut many) = (searcher(), searcher());
    many.options().set("Threads", "3").expect("an option");
    for _ in 0..15 {
        let line = random_line(&mut random, 28);
        let sign = |r: tesuji_game::Report<_>| r.lines[0].value.mate_plies().map(i32::signum);
        // Reductions take depth away: fourteen plies to the end of the board need more than fourteen.
        assert_eq!(sign(think(&mut one, &line, &depth(24))), sign(think(&mut many, &line, &depth(24))));
    }
}

#[test]
fn counts_are_of_all_threads() {
    let mut search = searcher();
    search.options().set("Threads", "2").expect("an option");
    think(&mut search, &Line::new(FourPosition::default()), &nodes(5000));
    let counts = search.counts();
    assert_eq!(counts[0].name, "transposition");
    assert!(counts[0].probes >= counts[0].hits && counts[0].hits > 0, "{counts:?}");
    search.new_game();
    assert_eq!(search.counts()[0].probes, 0);
}
