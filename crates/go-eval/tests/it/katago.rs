//! The inputs of KataGo's networks and their answers, compared with what KataGo itself computed.
//!
//! Each folder has positions (`NAME.pos`: rules, handicap stones, moves), what KataGo's program printed for them (`NAME.out`: planes, global
//! inputs, answers) and, where there are answers, the model (`NAME.bin` or in text
//! `NAME.txt`, unpacked; ours are random numbers in all forms of layers that its versions have). `TESUJI_KATAGO` names a folder with more of them.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};
use tesuji_game::{Encoding, Line};
use tesuji_go::{Area, GoPosition, Medium, Move, Rules, Small, Vertex};
use tesuji_go_eval::GoPlanes;
use tesuji_nn::ForeignNet;

/// The largest difference of probabilities and ownership.
const CHANCE: f32 = 1e-3;
/// The largest difference of a score, in points.
const POINTS: f32 = 1e-2;

/// Folders of what KataGo said.
fn folders() -> Vec<PathBuf> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/data/katago");
    [Some(own), std::env::var_os("TESUJI_KATAGO").map(PathBuf::from)].into_iter().flatten().collect()
}

/// The lines of a file of positions with what KataGo printed for them.
fn cases(positions: &Path) -> Vec<(String, String)> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (inputs, outputs) = (read(positions), read(&positions.with_extension("out")));
    let pairs = inputs.lines().zip(outputs.lines()).map(|(input, output)| (input.to_owned(), output.to_owned()));
    let pairs: Vec<_> = pairs.filter(|(_, output)| output != "BAD").collect();
    assert!(!pairs.is_empty() && inputs.lines().count() == outputs.lines().count(), "{}", positions.display());
    pairs
}

/// The position of `rules;handicap stones;moves`.
fn line<A: Area>(text: &str) -> Line<GoPosition<A>> {
    let fields: Vec<&str> = text.split(';').collect();
    let rules: Rules = fields[0].parse().unwrap();
    let stones: Vec<Vertex> = fields[1]
        .split_whitespace()
        .map(|stone| Move::parse(&stone[1..], rules.size).unwrap().vertex().unwrap())
        .collect();
    let start = match stones.is_empty() {
        true => GoPosition::start(&rules).unwrap(),
        false => GoPosition::with_handicap(&rules, &stones).unwrap(),
    };
    let mut line = Line::new(start);
    for word in fields[2].split_whitespace() {
        line.push(Move::parse(word, rules.size).unwrap());
    }
    line
}

fn encode<A: Area>(encoding: GoPlanes, line: &Line<GoPosition<A>>) -> Vec<f32> {
    let mut planes = vec![7.0; encoding.planes() * line.here().size().points()];
    encoding.encode(line, 0, &mut planes);
    planes
}

/// Planes as KataGo's program printed them: the points of each that has any, then the global inputs.
fn show(planes: &[f32], points: usize) -> String {
    let mut text = String::new();
    for (number, plane) in planes.chunks_exact(points).enumerate() {
        if number >= 22 {
            assert!(plane.iter().all(|one| *one == plane[0]), "global input {number}");
            let lead = if number == 22 { "G" } else { "" };
            write!(text, "{lead} {:.4}", plane[0] + 0.0).unwrap();
            continue;
        }
        let set: Vec<String> = (0..points).filter(|&at| plane[at] != 0.0).map(|at| at.to_string()).collect();
        match set.len() {
            0 => {}
            all if all == points => write!(text, "{number}:all ").unwrap(),
            _ => write!(text, "{number}:{} ", set.join(",")).unwrap(),
        }
    }
    text
}

/// Compares planes of a file; the number of positions.
fn compare_planes<A: Area>(positions: &Path) -> usize {
    let encoding = match positions.to_string_lossy().contains("suicide") {
        true => GoPlanes::KatagoSuicide,
        false => GoPlanes::Katago,
    };
    let cases = cases(positions);
    let (mut wrong, mut report) = (0, String::new());
    for (input, output) in &cases {
        let line = line::<A>(input);
        let (found, expected) =
            (show(&encode(encoding, &line), line.here().size().points()), output.split(" |").next().unwrap());
        if found != expected {
            wrong += 1;
            if wrong <= 3 {
                write!(report, "{input}\n{:?}\nfound    {found}\nexpected {expected}\n", line.here()).unwrap();
            }
        }
    }
    assert!(wrong == 0, "{}: {wrong} of {} differ\n{report}", positions.display(), cases.len());
    cases.len()
}

/// Files of a folder with an ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|known| known == ending));
    files.sort();
    files
}

#[test]
fn inputs_are_those_of_katago() {
    let mut count = 0;
    for positions in folders().iter().flat_map(|folder| files(folder, "pos")) {
        count += match positions.to_string_lossy().contains("19") {
            true => compare_planes::<Medium>(&positions),
            false => compare_planes::<Small>(&positions),
        };
    }
    assert!(count >= 100, "{count} positions");
    eprintln!("{count} positions");
}

/// The model whose answers are known for these positions.
fn model(positions: &Path) -> Option<PathBuf> {
    ["bin", "txt"].into_iter().map(|ending| positions.with_extension(ending)).find(|path| path.exists())
}

/// The numbers behind a word of KataGo's answer.
fn numbers(answer: &str, word: &str) -> Vec<f32> {
    let words = answer.split_whitespace().skip_while(|known| *known != word).skip(1);
    words.map_while(|word| word.parse().ok()).collect()
}

/// The largest differences of a model's answers: result, lead, policy, ownership.
fn compare_answers<A: Area>(positions: &Path) -> [f32; 4] {
    let bytes = fs::read(model(positions).unwrap()).unwrap();
    let optimism = if positions.to_string_lossy().contains("optimism") { 0.5 } else { 0.0 };
    let net = Arc::new(ForeignNet::read(&bytes).unwrap().with_optimism(optimism));
    let encoding = GoPlanes::named(&net.architecture().features).unwrap();
    let mut worst = [0f32; 4];
    let mut note = |kind: usize, found: f32, expected: f32| {
        let difference = (found - expected).abs();
        assert!(difference < 1e9, "{found} {expected}");
        worst[kind] = worst[kind].max(difference);
    };
    let cases = cases(positions);
    // A few positions at once, as a search would ask.
    for batch in cases.chunks(5) {
        let lines: Vec<_> = batch.iter().map(|(input, _)| line::<A>(input)).collect();
        let size = lines[0].here().size();
        let planes: Vec<f32> = lines.iter().flat_map(|line| encode(encoding, line)).collect();
        let mut session = net.open(size.height(), size.width(), 5).unwrap();
        let (policy, ownership) = {
            let outputs = session.run(&planes, batch.len());
            (outputs.policy.to_vec(), outputs.ownership.to_vec())
        };
        let points = size.points();
        for (n, (_, answer)) in batch.iter().enumerate() {
            let expected = numbers(answer, "V");
            let found = session.outputs()[n];
            for (found, expected) in [found.win, found.loss, found.no_result].into_iter().zip(&expected) {
                note(0, found, *expected);
            }
            note(1, found.lead, expected[3]);
            note(1, found.score_mean, expected[4]);
            // Squares of scores are compared by their roots.
            note(1, found.score_mean_square.sqrt(), expected[5].sqrt());
            let errors = [found.variance_time, found.short_value_error, found.short_score_error];
            for (found, expected) in errors.into_iter().zip(&expected[6..]).filter(|(_, expected)| **expected >= 0.0) {
                note(1, found.expect("a number that KataGo has"), *expected);
            }
            let expected = numbers(answer, "P");
            let logits = &policy[n * (points + 1)..][..points + 1];
            let legal = |at: &usize| expected[*at] >= 0.0;
            let most = (0..=points).filter(legal).map(|at| logits[at]).fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = (0..=points).filter(legal).map(|at| (logits[at] - most).exp()).sum();
            for at in (0..=points).filter(legal) {
                note(2, (logits[at] - most).exp() / sum, expected[at]);
            }
            for (found, expected) in ownership[n * points..][..points].iter().zip(numbers(answer, "O")) {
                note(3, *found, expected);
            }
        }
    }
    worst
}

#[test]
fn answers_are_those_of_katago() {
    let mut count = 0;
    for positions in folders().iter().flat_map(|folder| files(folder, "pos")) {
        if model(&positions).is_none() {
            continue;
        }
        let worst = match positions.to_string_lossy().contains("19") {
            true => compare_answers::<Medium>(&positions),
            false => compare_answers::<Small>(&positions),
        };
        eprintln!(
            "{}: result {:.1e}, points {:.1e}, policy {:.1e}, ownership {:.1e}",
            positions.display(),
            worst[0],
            worst[1],
            worst[2],
            worst[3]
        );
        let [result, lead, policy, ownership] = worst;
        assert!(
            [result, policy, ownership].iter().all(|one| *one < CHANCE) && lead < POINTS,
            "{}",
            positions.display()
        );
        count += 1;
    }
    assert!(count >= 6, "{count} models");
}

/// A model that is cut or changed is refused with the byte, the layer and what was expected there; it never panics.
#[test]
fn a_cut_model_is_refused_with_its_place() {
    for name in ["v8-plain-wide.bin", "v9-plain.txt", "v17-former-rms-silu.bin"] {
        let bytes = fs::read(folders()[0].join(name)).unwrap();
        assert!(ForeignNet::read(&bytes).is_ok(), "{name}");
        for length in (0..bytes.len() - 1).step_by(97) {
            let error = ForeignNet::read(&bytes[..length]).expect_err("a cut model").to_string();
            let tells = error.contains("byte") && error.contains("layer") && error.contains("expected");
            // A number in text that is cut may still be one, or none at the end of its layer.
            assert!(
                tells || error.contains("begins with its name") || error.contains("is "),
                "{name} {length}: {error}"
            );
        }
        let mut longer = bytes.clone();
        longer.extend(b"more");
        assert!(ForeignNet::read(&longer).is_err_and(|error| error.to_string().contains("expected the end")), "{name}");
    }
}

#[test]
fn models_that_are_not_supported_say_why() {
    let text = tesuji_nn::fuzz::small_foreign_model();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from), "{from}");
        let error = ForeignNet::read(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("small 17", "small 7", "version 7; versions 8 to 17 are read");
    check("small 17", "small 18", "version 18; versions 8 to 17 are read");
    check("30\n0 0", "30\n1 0", "metadata about the players");
    check("gpool_block", "other_block", "a block of kind `other_block` is unknown in version 17");
    check("ACTIVATION_MISH", "ACTIVATION_TANH", "the activation ACTIVATION_TANH is unknown");
    check("c 1 1 22 1", "c 2 1 22 1", "the kernel has 2 rows, expected an odd number");
    check("c 1 1 22 1", "c 1 1 21 1", "the number of input channels is 21, expected 22 to 22");
}
