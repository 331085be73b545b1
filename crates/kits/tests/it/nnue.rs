//! Engines with efficiently updatable networks: every family plays by the net that `EvalFile` names, and says what pieces are worth to
//! it; nets of other games and damaged files are refused in a line.

use std::{fs, path::Path, time::Duration};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_kit::{Kit, nnue::read_nnue};
use tesuji_kits::GAMES;
use tesuji_nn::nnue::{FloatWeights, Network};

/// A search that nobody looks at.
struct Quiet;

impl Watch<String> for Quiet {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }
    fn elapsed(&self) -> Duration {
        Duration::ZERO
    }
    fn report(&mut self, _: &Report<String>) {}
}

/// A net of random numbers as large as trained ones.
fn network(kit: &dyn Kit, shape: &str) -> Network {
    let architecture = kit.nnue().expect("networks").shape(shape).expect("a shape");
    let mut weights = FloatWeights::random(&architecture, 3);
    weights
        .buckets
        .iter_mut()
        .flatten()
        .for_each(|layer| layer.weights.iter_mut().for_each(|w| *w = (*w * 20.0).clamp(-1.9, 1.9)));
    let mut network = Network::quantise(&architecture, &weights).expect("a net");
    if !architecture.base.is_none() {
        kit.nnue().expect("networks").base().clone_into(&mut network.base);
    }
    network
}

fn player(kit: &dyn Kit, family: &str, moves: &[&str]) -> Box<dyn Player> {
    let mut player = kit.player(family).expect("a player");
    let moves: Vec<String> = moves.iter().map(|text| text.to_string()).collect();
    player.set_position("", None, &moves).expect("moves");
    player
}

/// The best move and its value after some nodes.
fn best(player: &mut dyn Player) -> (String, i32) {
    let limits = Limits { nodes: Some(2_000), ..Limits::default() };
    let report = player.go(&limits, &[], &mut Quiet);
    let line = report.lines.first().expect("a line");
    (line.pv.first().expect("a move").clone(), line.value.raw())
}

#[test]
fn every_family_plays_by_a_net() {
    let folder = tempfile::tempdir().unwrap();
    let (king_pawns, bishops) = (["e2e4", "e7e5"], ["7g7f", "3c3d"]);
    for (game, shape, moves) in [
        ("chess", "chess-768m-128x8", king_pawns),
        ("chess", "chess-768m-64x8-residual", king_pawns),
        ("shogi", "shogi-kp-256x2-32-32", bishops),
        ("shogi", "shogi-2344-128x8-residual", bishops),
    ] {
        let kit = GAMES.kit(game).unwrap();
        let net = network(kit, shape);
        let path = folder.path().join(format!("{game}.nnue"));
        fs::write(&path, net.write()).unwrap();
        let file = path.display().to_string();
        for family in kit.families() {
            let mut by_net = player(kit, family, &moves);
            by_net.options().set("EvalFile", &file).unwrap();
            let (mv, value) = best(&mut *by_net);
            assert!(by_net.is_move(&mv));
            let mut handmade = player(kit, family, &moves);
            handmade.options().set("Eval", "handmade").unwrap();
            assert_ne!(best(&mut *handmade), (mv, value), "{game} {family}: the net changes what is found");
            // A net is no sum of terms: those are the hand-made evaluation's.
            let (account, terms) = (by_net.account().expect("an account"), handmade.account().expect("an account"));
            assert!(account.by_network && !terms.by_network && account.is_sound());
            assert_eq!((account.value, &account.terms), (terms.value, &terms.terms));
            assert_ne!(account.played, account.value, "{game} {family}");
            let told = by_net.explain().expect("an explanation");
            assert!(told.contains(&format!("net {shape}: ")) && told.contains("worth, by taking it away"), "{told}");
            assert_eq!(told.contains("by output bucket"), shape.contains("x8"), "{told}");
            let worths = by_net.worths().expect("worths");
            assert!(worths.len() > 25 && worths.iter().any(|(_, worth)| worth.abs() > 20), "{worths:?}");
            // The net stays where a file cannot be read, and goes where the hand-made evaluation is asked for.
            assert!(by_net.options().set("EvalFile", "nowhere.nnue").is_err());
            assert_eq!(by_net.explain(), Some(told));
            by_net.options().set("Eval", "handmade").unwrap();
            assert_eq!(by_net.explain(), handmade.explain());
        }
    }
}

/// The network that the program is built with: known by its origin, played by alpha-beta and where it is asked for, and given way to a file.
#[test]
fn the_builtin_network_plays() {
    let chess = GAMES.kit("chess").unwrap();
    let network = Network::read(tesuji_chess_eval::nnue::NETWORK).unwrap();
    for key in ["average", "made by (net 1)", "command (net 1)", "data (net 2)", "validation (net 2)"] {
        assert!(network.origin.contains_key(key), "{key}: {:?}", network.origin);
    }
    assert!(tesuji_chess_eval::nnue::NETWORK.len() <= 2 << 20);
    let mut engine = player(chess, "alpha-beta", &["e2e4", "e7e5"]);
    let told = engine.explain().unwrap();
    let mut best_first = player(chess, "best-first", &["e2e4", "e7e5"]);
    let handmade = best_first.explain().unwrap();
    assert_ne!(handmade, told);
    best_first.options().set("Eval", "nnue").unwrap();
    assert_eq!(best_first.explain().as_ref(), Some(&told));
    engine.options().set("Eval", "nnue").unwrap();
    assert!(told.contains(&format!("net {}: ", network.architecture.name)), "{told}");
    let weights = concat!(env!("CARGO_MANIFEST_DIR"), "/../chess-eval/data/weights.json");
    let error = engine.options().set("EvalFile", weights).unwrap_err().to_string();
    assert!(
        error.contains("weights.json: expected a network") && error.contains("Eval=nnue takes no other"),
        "{error}"
    );
    assert_eq!(engine.explain().as_ref(), Some(&told));
    engine.options().set("Eval", "auto").unwrap();
    assert_eq!(engine.explain(), Some(told));
    engine.options().set("EvalFile", weights).unwrap();
    assert_eq!(engine.explain(), Some(handmade));
}

/// Lone kings that can be mated are left to the hand-made evaluation, which drives them to the right corner; a network has seen few of them.
#[test]
fn lone_kings_are_left_to_the_handmade_evaluation() {
    let chess = GAMES.kit("chess").unwrap();
    for (start, is_left) in [("8/8/8/4k3/8/8/8/K3BN2 w - - 0 1", true), ("8/4p3/8/4k3/8/8/8/K3BN2 w - - 0 1", false)] {
        let at = |eval: &str| {
            let mut engine = chess.player("alpha-beta").unwrap();
            engine.options().set("Eval", eval).unwrap();
            engine.set_position("", Some(start), &[]).unwrap();
            engine.account().unwrap().played.0
        };
        assert_eq!(at("nnue") == at("handmade"), is_left, "{start}");
    }
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    let chess = GAMES.kit("chess").unwrap();
    let shogi = GAMES.kit("shogi").unwrap();
    let bytes = network(shogi, "shogi-2344-32").write();
    let mut engine = player(chess, "alpha-beta", &[]);
    let mut refused = |file: String, words: &[&str]| {
        let error = engine.options().set("EvalFile", &file).unwrap_err().to_string();
        assert!(error.contains(&file) && !error.contains('\n'), "{error}");
        words.iter().for_each(|words| assert!(error.contains(words), "{error}"));
    };
    refused(write("shogi.nnue", &bytes), &["the net is for `shogi`, expected `chess`"]);
    refused(write("cut.nnue", &bytes[..bytes.len() / 2]), &["the file is truncated", "expected"]);
    let mut changed = bytes.clone();
    let middle = bytes.len() / 2;
    changed[middle] ^= 4;
    refused(write("changed.nnue", &changed), &["checksum", "was changed or damaged"]);
    let mut other = network(chess, "chess-768x32");
    other.architecture.features.set = "769".into();
    refused(write("other.nnue", &other.write()), &["`features.set` is `769`, expected one of 768"]);
}

/// A network that corrects the hand-made evaluation: the value is the sum of both, but where a lone king is mated; weights that cannot be
/// read are told.
#[test]
fn a_network_corrects_the_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let chess = GAMES.kit("chess").unwrap();
    let mut net = network(chess, "chess-768m-64x8-residual");
    let path = folder.path().join("residual.nnue");
    fs::write(&path, net.write()).unwrap();
    let explained = |start: &str, file: &Path| {
        let mut engine = chess.player("alpha-beta").unwrap();
        engine.set_position("", Some(start), &[]).unwrap();
        let taken = engine.options().set("EvalFile", &file.display().to_string());
        taken.map(|()| engine.explain().unwrap())
    };
    // The line behind `words`, as numbers.
    let numbers = |told: &str, words: &str| -> Vec<i32> {
        let line = told.lines().find(|line| line.starts_with(words)).unwrap_or_else(|| panic!("{words}: {told}"));
        line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
    };
    let told = explained("r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", &path).unwrap();
    let (value, parts) = (numbers(&told, "value")[0], numbers(&told, "of which"));
    assert!(value == parts.iter().sum::<i32>() && parts.len() == 2 && parts[1] != 0, "{told}");
    let mate = explained("8/8/8/4k3/8/8/4K3/4R3 w - - 0 1", &path).unwrap();
    assert_eq!(numbers(&mate, "of which")[1], 0, "{mate}");
    net.base = "{ \"format\": \"tesuji-weights 1\" }".into();
    fs::write(&path, net.write()).unwrap();
    let error = explained("8/8/8/4k3/8/8/4K3/4R3 w - - 0 1", &path).unwrap_err().to_string();
    assert!(error.contains("residual.nnue: ") && error.contains("the weights of the base"), "{error}");
}

/// The two architectures of YaneuraOu: what is written is found by its first bytes and plays.
#[test]
fn nets_of_other_programs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let shogi = GAMES.kit("shogi").unwrap();
    let nnue = shogi.nnue().unwrap();
    let net = network(shogi, "shogi-kp-256x2-32-32");
    let path = folder.path().join("nn.bin");
    fs::write(&path, (nnue.formats()[0].write)(&net).unwrap()).unwrap();
    let read = read_nnue(&path, &[nnue]).unwrap().expect("a net");
    assert_eq!((&read.features, &read.buckets), (&net.features, &net.buckets));
    let mut engine = player(shogi, "alpha-beta", &["7g7f"]);
    engine.options().set("EvalFile", &path.display().to_string()).unwrap();
    assert!(engine.explain().unwrap().contains("net shogi-kp-256x2-32-32"));
    assert!(read_nnue(Path::new(env!("CARGO_MANIFEST_PATH")), &[nnue]).unwrap().is_none());
}

#[test]
fn speed_is_measured_after_a_comparison() {
    for (game, shape) in [("chess", "chess-768k8-256x8"), ("shogi", "shogi-2344-32")] {
        let kit = GAMES.kit(game).unwrap();
        let speed = kit.nnue().unwrap().speed(&network(kit, shape), None, 0.01).unwrap();
        assert!(
            speed.update_ns > 0.0 && speed.refresh_ns > 0.0 && speed.output_ns > 0.0 && speed.positions > 500,
            "{speed:?}"
        );
        assert!(speed.forward > 0.5 && speed.forward <= 1.0, "{speed:?}");
    }
}
