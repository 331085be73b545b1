//! Profiles and suites of real games: counts that sum to the nodes, suites that are read, easy positions that are solved.

use tesuji_kit::{
    Kit,
    bench::{OwnSearch, ProfileRequest, SuiteProblem, SuiteRequest, parse_suite, profile, run_suite},
};

fn kit(name: &str) -> &'static dyn Kit {
    *tesuji_kits::GAMES.0.iter().find(|kit| kit.name() == name).expect("a game")
}

#[test]
fn every_visit_of_a_profile_has_its_kind_and_its_reason() {
    for game in ["chess", "shogi"] {
        let request = ProfileRequest { game: game.to_string(), depth: Some(9), ..ProfileRequest::default() };
        let found = profile(kit(game), &request, &|| false).expect("a profile");
        let visits: u64 = found.kinds.iter().map(|row| row.visits).sum();
        assert_eq!(visits, found.nodes - u64::from(found.positions) + found.repeats, "{game}");
        for row in &found.kinds {
            assert_eq!(
                row.exits.iter().map(|exit| exit.1).sum::<u64>(),
                row.visits,
                "{game} {} {}",
                row.part,
                row.kind
            );
        }
        let tries = |name: &str| found.steps.iter().find(|row| row.step == name).map_or(0, |row| row.tries);
        for step in ["null move", "razoring", "reverse futility", "singular extension", "probcut"] {
            assert!(tries(step) > 0, "{game}: no {step}");
        }
        assert!((0.2..0.95).contains(&found.quiescence_share), "{game}: {}", found.quiescence_share);
        assert!(found.growth.branching_factor > 1.0 && found.growth.depth <= 9.0, "{game}: {:?}", found.growth);
    }
}

#[test]
fn a_profile_is_of_games_with_alpha_beta() {
    let request = ProfileRequest { game: "go".to_string(), ..ProfileRequest::default() };
    let error = profile(kit("go"), &request, &|| false).expect_err("no profile");
    assert_eq!(error.to_string(), "go has no alpha-beta search to profile");
    let request = ProfileRequest { game: "chess".to_string(), options: vec!["Nonsense=1".to_string()], ..request };
    let error = profile(kit("chess"), &request, &|| false).expect_err("no option").to_string();
    assert!(error.starts_with("options Nonsense=1: "), "{error}");
}

/// Searches three positions.
#[track_caller]
fn check_solved(game: &str, suite: &str) {
    let kit = kit(game);
    let problems = parse_suite(kit, "three.epd", suite).expect("a suite");
    let request =
        SuiteRequest { game: game.to_string(), file: "three.epd".into(), nodes: 20_000, ..SuiteRequest::default() };
    let mut player = kit.player("").expect("a player");
    let mut engine = OwnSearch { name: "own".to_string(), player: player.as_mut(), stopped: &|| false };
    let mut told = 0;
    let outcome = run_suite(kit, &request, &problems, &mut engine, &|| false, &mut |_| told += 1).expect("an outcome");
    assert_eq!((outcome.solved, outcome.positions, told), (3, 3, 3), "{:?}", outcome.cases);
    assert!(outcome.nodes_geometric_mean < 20_000.0, "{}", outcome.nodes_geometric_mean);
    let points: Vec<u64> = outcome.checkpoints.iter().map(|point| point.nodes).collect();
    assert_eq!(points, [5_000, 20_000]);
    assert!(outcome.checkpoints[1].depth >= outcome.checkpoints[0].depth);
    assert_eq!(outcome.checkpoints[1].solved, 3);
}

#[test]
fn easy_positions_of_chess_are_solved() {
    check_solved(
        "chess",
        "# three easy ones\n\
         6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - bm Rd8#; id \"back rank\";\n\n\
         r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qxf7#;\n\
         4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1 bm e4d5; id \"a queen\"\n",
    );
}

#[test]
fn easy_positions_of_shogi_are_solved() {
    check_solved(
        "shogi",
        "4k4/9/4P4/9/9/9/9/9/4K4 b G 1 bm G*5b; id \"gold\";\n\
         4k4/9/4P4/9/9/9/9/9/4K4 b S2G 1 bm G*5b G*4b G*6b;\n\
         4k4/9/9/4r4/4L4/9/9/9/4K4 b - 1 bm 5e5d; id \"a rook\";\n",
    );
}

/// `suite` is refused, in words that hold all of `says`.
#[track_caller]
fn check_refused(game: &str, suite: &str, says: &[&str]) {
    let error = parse_suite(kit(game), "bad.epd", suite).expect_err("a bad suite").to_string();
    assert!(says.iter().all(|words| error.contains(words)) && !error.contains('\n'), "{error}");
}

#[test]
fn bad_lines_of_suites_are_named() {
    check_refused("chess", "", &["bad.epd: no position found", "POSITION bm MOVE"]);
    check_refused("chess", "# nothing\n\n", &["bad.epd: no position found"]);
    let good = "4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+;";
    check_refused("chess", &format!("{good}\n4k3/8/8/8/8/8/8/4K2R w K -\n"), &["bad.epd:2: no best move", "expected"]);
    check_refused(
        "chess",
        &format!("{good}\n\n4k3/9/8/8 w - - bm Rh8;\n"),
        &["bad.epd:3: position \"4k3/9/8/8 w - -\""],
    );
    check_refused("chess", "4k3/8/8/8/8/8/8/4K2R w K - bm Rh8+ Qa1;\n", &["bad.epd:1: best move \"Qa1\""]);
    check_refused("chess", "4k3/8/8/8/8/8/8/4K2R w K - bm ; id \"x\";\n", &["bad.epd:1: no move behind bm"]);
    check_refused("chess", "4k3/8/8/8/8/8/8/4K2R w K - moves e1e3 bm Rh8;", &["bad.epd:1: move \"e1e3\" after"]);
    check_refused("shogi", "4k4/9/9/9/9/9/9/9/4K4 b - 1 bm 5i5g;", &["bad.epd:1: best move \"5i5g\""]);
}

#[test]
fn suites_keep_names_lines_and_moves_of_the_protocol() {
    let text = "\n# remark\n4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1e2 e8e7 bm Rh7+, Rh8; c0 \"x\"; id \"a; b\";\n";
    let problems = parse_suite(kit("chess"), "good.epd", text).expect("a suite");
    let position = "4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1e2 e8e7".to_string();
    let best = vec!["h1h7".to_string(), "h1h8".to_string()];
    assert_eq!(problems, [SuiteProblem { line: 3, id: "a; b".to_string(), position, best }]);
}
