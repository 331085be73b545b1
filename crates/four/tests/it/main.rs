//! Connect Four as a game of the workshop: published counts, texts that round-trip, sums that are played.

use std::collections::HashSet;
use tesuji_four::{FOUR, FourSurvey, TUNING};
use tesuji_game::{Position, Random, position_text};
use tesuji_kit::{Kit, PerftRequest, Selftest, SelftestRequest, rules_test::SelftestNews};
use tesuji_record::{AnyGame, GameRecord, Sample, SharedBuffer, Survey};
use tesuji_testkit::four::{Four, FourPosition};

/// Leaves after this many plies: 7 to the power of the plies until columns can be full and games can end, at ply 7.
const LEAVES: [u64; 9] = [1, 7, 49, 343, 2401, 16807, 117_649, 823_536, 5_673_234];
/// Positions after this many plies (J. Tromp, OEIS A212693).
const POSITIONS: [usize; 9] = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184_275];

#[test]
fn leaves_and_positions_are_as_published() {
    for (depth, leaves) in LEAVES.into_iter().enumerate() {
        let request = PerftRequest { game: "four".into(), depth: depth as u32, threads: 2, ..PerftRequest::default() };
        assert_eq!(FOUR.rules_test().perft(&request).expect("a count").leaves, leaves, "depth {depth}");
    }
    let mut here: Vec<FourPosition> = vec![FourPosition::default()];
    for (plies, count) in POSITIONS.into_iter().enumerate() {
        assert_eq!(here.len(), count, "after {plies} plies");
        let mut next = HashSet::new();
        for pos in here {
            let _ = pos.for_each_move(|mv| {
                let mut after = pos;
                after.play(mv);
                // No two positions have one text.
                next.insert(position_text::<Four>(&after));
                std::ops::ControlFlow::<()>::Continue(())
            });
        }
        here = next.into_iter().map(|text| read(&text)).collect();
    }
}

/// The position of a text.
fn read(text: &str) -> FourPosition {
    use tesuji_game::Notation;
    tesuji_testkit::four::Columns::parse_position(&tesuji_testkit::four::NoRules, text).expect("a position")
}

#[test]
fn invariants_hold_for_a_set_and_for_random_games() {
    let mut set = String::new();
    let request = SelftestRequest { game: "four".into(), make: Some(100), ..SelftestRequest::default() };
    let mut news = |news: SelftestNews<'_>| {
        if let SelftestNews::Text(text) = news {
            set += text;
        }
        Ok(())
    };
    assert_eq!(FOUR.rules_test().selftest(&request, &mut news), Ok(Selftest::Made));
    assert!(set.lines().filter(|line| !line.starts_with('#')).all(|line| FOUR.table("", Some(line)).is_ok()), "{set}");
    let request = SelftestRequest { game: "four".into(), games: Some(20), ..SelftestRequest::default() };
    let tested = FOUR.rules_test().selftest(&request, &mut |_| Ok(())).expect("a test");
    assert!(matches!(tested, Selftest::Transcript { positions: 200.., difference: None, .. }), "{tested:?}");
}

#[test]
fn a_mirrored_position_has_the_same_key() {
    let key = |text| FOUR.symmetry_key(text).expect("a position");
    let left = "......./......./......./......./o....../x.x..../o";
    let right = "......./......./......./......./......o/....x.x/o";
    assert_eq!(key(left), key(right));
    assert_ne!(key(left), key("......./......./......./......./..o..../x.x..../o"));
    assert_eq!(FOUR.symmetry_key("nonsense"), None);
}

#[test]
fn openings_and_bench_can_be_played() {
    let openings: Vec<&str> = FOUR.openings("").expect("some").lines().filter(|line| !line.starts_with('#')).collect();
    let classes = FOUR.benchmark().expect("a bench").classes();
    let bench: Vec<&str> = classes.iter().flat_map(|(_, positions)| positions).copied().collect();
    assert!(openings.len() >= 40 && bench.len() >= 40);
    for text in openings.iter().chain(&bench) {
        let table = FOUR.table("", Some(text)).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(table.outcome().is_none() && !table.moves().is_empty(), "{text}");
    }
}

/// A random game, told with values, to its end.
fn random_game(seed: u64) -> GameRecord<String> {
    let (mut random, mut table) = (Random::for_item(seed, 1), FOUR.table("", None).expect("a table"));
    while table.outcome().is_none() {
        let moves = table.moves();
        table.play(&moves[random.below(moves.len())]).expect("a move");
    }
    let mut game = GameRecord::from_moves("", None, table.played());
    for (node, value) in game.main_nodes().into_iter().zip(-20..) {
        game.note_mut(node).value = Some(tesuji_game::Value::cp(value));
    }
    game.outcome = table.outcome();
    game.set_tag("Origin", "a test");
    game
}

#[test]
fn games_survive_files_and_positions() {
    let format = FOUR.formats()[0];
    for seed in 0..20 {
        let game = random_game(seed);
        let bytes = SharedBuffer::default();
        let mut writer = format.writer(Box::new(bytes.clone()));
        writer.write(&game).and_then(|()| writer.finish()).expect("a line");
        let mut reader = format.reader(Box::new(std::io::Cursor::new(bytes.take())));
        let read = reader.read().expect("a game").expect("one");
        assert_eq!((&read.main_line(), read.outcome, &read.tags), (&game.main_line(), game.outcome, &game.tags));
        assert!(reader.read().expect("the end").is_none());
        let mut samples: Vec<Sample> = Vec::new();
        FourSurvey.samples(&read, &mut samples).expect("positions");
        assert_eq!(samples.len(), game.main_line().len() + 1);
        let mut lines = Vec::new();
        let text = FourSurvey.formats()[0];
        samples.iter().for_each(|sample| text.write(sample, &mut lines).expect("a line"));
        let mut again = Vec::new();
        text.read(&lines, &mut |sample| again.push(sample.expect("a position")));
        let mut games = Vec::new();
        FourSurvey.games(&again, &mut games).expect("games");
        assert_eq!(games.len(), 1);
        assert_eq!(games[0].main_line(), game.main_line());
        assert_eq!(games[0].outcome.map(|outcome| outcome.winner), game.outcome.map(|outcome| outcome.winner));
    }
}

#[test]
fn what_is_explained_is_what_is_played() {
    let game = random_game(3);
    for family in FOUR.families() {
        let mut player = FOUR.player(family).expect("a player");
        for plies in 0..game.main_line().len() {
            player.set_position("", None, &game.main_line()[..plies]).expect("moves");
            let account = player.account().expect("an account");
            assert!(account.is_sound(), "{family} after {plies} plies: {account:?}");
        }
    }
    assert_eq!((TUNING.game(), FOUR.unit()), ("four", "points"));
}
