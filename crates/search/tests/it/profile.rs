//! Profiles: what is counted sums to what was searched, and counting changes nothing.

use crate::watch::{depth, nodes, random_line, searcher, think};
use tesuji_game::{Limits, Random, Reason};
use tesuji_search::{
    Searcher,
    profile::{KindCounts, NodeKind, Profile},
};

/// Searches some positions, counted or not: nodes and profiles.
fn run(limits: &Limits, is_counted: bool) -> Vec<(u64, Option<Profile>)> {
    let mut search = searcher();
    search.options().set("Profile", if is_counted { "true" } else { "false" }).expect("an option");
    let mut random = Random::new(7);
    let mut one = || {
        let line = random_line(&mut random, 10);
        search.new_game();
        let report = think(&mut search, &line, limits);
        (report.nodes, search.profile().cloned())
    };
    (0..6).map(|_| one()).collect()
}

#[track_caller]
fn check_kind(counts: &KindCounts) {
    let exits: u64 = Reason::all().map(|reason| counts.exits(reason)).sum();
    assert_eq!(exits + counts.broken_off, counts.visits);
    assert!(counts.cutoffs.iter().sum::<u64>() <= counts.exits(Reason::Beta) + counts.broken_off);
}

#[test]
fn counts_sum_to_the_nodes() {
    for (limits, is_whole) in [(depth(9), true), (nodes(3000), false)] {
        let mut sum = Profile::default();
        for (searched, profile) in run(&limits, true) {
            let profile = profile.expect("a profile");
            assert_eq!(profile.moves + 1, searched);
            assert_eq!(profile.visits(), profile.moves + profile.repeats());
            profile.main.iter().chain(&profile.quiescence).for_each(check_kind);
            let broken: u64 = profile.main.iter().chain(&profile.quiescence).map(|kind| kind.broken_off).sum();
            assert!(!is_whole || broken == 0, "{broken} visits broken off");
            let by_depth: u64 = profile.depths.iter().map(|depth| depth.visits).sum();
            assert_eq!(by_depth, profile.main.iter().map(|kind| kind.visits).sum::<u64>());
            let cutoffs = |kinds: &[KindCounts]| kinds.iter().flat_map(|kind| kind.cutoffs).sum::<u64>();
            assert_eq!(profile.depths.iter().flat_map(|depth| depth.cutoffs).sum::<u64>(), cutoffs(&profile.main));
            sum.add(&profile);
        }
        let visits = |kind: NodeKind| sum.main[kind as usize].visits;
        assert!(sum.root_passes > 0 && sum.main.iter().flat_map(|kind| kind.cutoffs).sum::<u64>() > 0);
        assert!(visits(NodeKind::Cut) > visits(NodeKind::Pv) && visits(NodeKind::All) > 0);
    }
}

#[test]
fn counting_changes_no_search() {
    let searched = |counted: bool| run(&depth(9), counted).iter().map(|search| search.0).collect::<Vec<_>>();
    assert_eq!(searched(true), searched(false));
    assert!(run(&depth(4), false).iter().all(|search| search.1.is_none()));
}

#[test]
fn sums_of_profiles_are_sums_of_counts() {
    let profiles: Vec<Profile> = run(&depth(7), true).into_iter().filter_map(|search| search.1).collect();
    let mut sum = Profile::default();
    profiles.iter().for_each(|profile| sum.add(profile));
    assert_eq!(sum.visits(), profiles.iter().map(Profile::visits).sum::<u64>());
    assert_eq!(sum.visits(), sum.moves + sum.repeats());
    assert_eq!(Some(sum.ply_max), profiles.iter().map(|profile| profile.ply_max).max());
}
