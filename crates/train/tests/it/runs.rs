//! Runs that learn, stop and go on, and runs that are refused.

use crate::{Toy, run, settings};
use tesuji_jobs::Interrupt;
use tesuji_train::checkpoint::Checkpoint;
use tesuji_train::learn::begin;
use tesuji_train::log::{LogEntry, What, read};
use tesuji_train::optimiser::Rule;

#[test]
fn a_net_learns_the_toy_with_either_rule() {
    for rule in [Rule::Sgd { momentum: 0.9 }, Rule::AdamW { beta1: 0.9, beta2: 0.99 }] {
        let mut settings = settings(400);
        settings.optimiser.rule = rule;
        settings.optimiser.rate = if matches!(rule, Rule::Sgd { .. }) { 0.1 } else { 0.01 };
        let outcome = run(&settings, None, Toy::new(1), &Interrupt::new()).unwrap();
        let figures = outcome.validation.unwrap();
        let entry = LogEntry::validation(0, 0, &figures);
        assert!(entry.top1.unwrap() > 0.98, "{rule:?}: {}", entry.text());
        assert!(entry.value.unwrap() < 0.25 && entry.sign.unwrap() > 0.75, "{rule:?}: {}", entry.text());
        assert!(entry.ownership.unwrap() < 0.1 && entry.score.unwrap() < 1.0, "{rule:?}: {}", entry.text());
        assert_eq!(outcome.net().unwrap().architecture, settings.architecture);
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let whole = tempfile::tempdir().unwrap();
    run(&settings(100), Some(whole.path()), Toy::new(1), &Interrupt::new()).unwrap();
    let parts = tempfile::tempdir().unwrap();
    // Stopped by an empty box, by an interrupt before the first step, and then not at all.
    let toy = Toy { left: 32 * 37, ..Toy::new(1) };
    let error = run(&settings(100), Some(parts.path()), toy, &Interrupt::new()).unwrap_err();
    assert_eq!(error.to_string(), "no positions to learn from: the toy box is empty");
    let raised = Interrupt::new();
    raised.raise();
    let outcome = run(&settings(100), Some(parts.path()), Toy::new(1), &raised).unwrap();
    assert!(outcome.stopped && outcome.validation.is_none() && outcome.state.optimiser.step == 37);
    let outcome = run(&settings(100), Some(parts.path()), Toy::new(1), &Interrupt::new()).unwrap();
    assert!(!outcome.stopped && outcome.state.optimiser.step == 100);
    for name in ["run.checkpoint", "run.log"] {
        let bytes = |folder: &std::path::Path| std::fs::read(folder.join(name)).unwrap();
        assert!(bytes(whole.path()) == bytes(parts.path()), "{name} differs");
    }
    let log = std::fs::read_to_string(whole.path().join("run.log")).unwrap();
    let entries = read(&log.lines().collect::<Vec<_>>()).unwrap();
    let of = |what: What| entries.iter().filter(|e| e.what == what).map(|e| e.step).collect::<Vec<_>>();
    assert_eq!((of(What::Training), of(What::Validation)), (vec![20, 40, 60, 80, 100], vec![50, 100]));
}

#[test]
fn a_finished_run_can_be_made_longer() {
    let folder = tempfile::tempdir().unwrap();
    run(&settings(20), Some(folder.path()), Toy::new(1), &Interrupt::new()).unwrap();
    let outcome = run(&settings(30), Some(folder.path()), Toy::new(1), &Interrupt::new()).unwrap();
    assert_eq!(outcome.state.optimiser.step, 30);
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.checkpoint");
    run(&settings(20), Some(folder.path()), Toy::new(1), &Interrupt::new()).unwrap();
    let refused =
        |settings: &_, toy| run(settings, Some(folder.path()), toy, &Interrupt::new()).unwrap_err().to_string();
    let mut other = settings(20);
    other.architecture.channels = 24;
    let text = refused(&other, Toy::new(1));
    assert!(
        text.contains("a checkpoint of another run: architecture: asked for") && text.contains("\"channels\":24"),
        "{text}"
    );
    let mut other = settings(20);
    other.samples = "dolls".into();
    let text = refused(&other, Toy::new(1));
    assert!(text.ends_with("samples: asked for dolls, the checkpoint was made with toys"), "{text}");
    let text = refused(&settings(21), Toy { planes: 3, ..Toy::new(1) });
    assert!(text.starts_with("the samples have 48 numbers of planes and action 1"), "{text}");
    assert!(text.ends_with("the net 32 numbers (2 planes of 16 points) and 17 actions"), "{text}");
    let bytes = std::fs::read(&path).unwrap();
    assert!(Checkpoint::from_bytes(&bytes).is_ok());
    for cut in [0, 10, 20, 100, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let text = refused(&settings(20), Toy::new(1));
        assert!(text.contains(&format!("a truncated checkpoint: {cut} bytes, expected")), "{text}");
    }
    for at in [0, 30, bytes.len() / 2, bytes.len() - 3] {
        let mut changed = bytes.clone();
        changed[at] ^= 4;
        assert!(Checkpoint::from_bytes(&changed).is_err(), "byte {at}");
    }
    std::fs::write(&path, "something else").unwrap();
    assert!(refused(&settings(20), Toy::new(1)).contains("no checkpoint of a training"));
}

#[test]
fn a_run_that_loses_its_way_says_so() {
    let mut settings = settings(200);
    (settings.optimiser.rate, settings.optimiser.clip) = (1e30, 0.0);
    let error = run(&settings, None, Toy::new(1), &Interrupt::new()).unwrap_err().to_string();
    assert!(error.contains("the loss is no number at step"), "{error}");
}

#[test]
fn a_run_begins_from_a_given_net_of_the_same_shape() {
    let outcome = run(&settings(60), None, Toy::new(1), &Interrupt::new()).unwrap();
    let net = outcome.net().unwrap();
    let state = begin(&settings(60), None, Some(&net)).unwrap();
    assert_eq!(state.parameters, outcome.state.optimiser.average);
    let mut other = settings(60);
    other.architecture.blocks = 2;
    assert!(begin(&other, None, Some(&net)).unwrap_err().to_string().contains("it begins from"));
}

#[test]
fn checkpoints_survive_bent_and_large_input() {
    use tesuji_testkit::fuzz::{run_bytes, run_large, time_for_each};
    use tesuji_train::{loss::Figures, optimiser::Optimiser};
    let settings = settings(20);
    let parameters = vec![0.5, -1.0, 0.25];
    let optimiser = Optimiser::new(&settings.optimiser, &parameters);
    let seed = Checkpoint { settings, parameters, optimiser, figures: Figures::default() }.to_bytes();
    assert!(Checkpoint::from_bytes(&seed).is_ok());
    let target = tesuji_train::fuzz::checkpoint;
    // A flipped bit is an error, wherever it is.
    for bit in 0..8 * seed.len() {
        let mut bent = seed.clone();
        bent[bit / 8] ^= 1 << (bit % 8);
        assert!(Checkpoint::from_bytes(&bent).is_err(), "bit {bit}");
    }
    assert!(run_bytes("train::checkpoint", target, std::slice::from_ref(&seed), 0xC4EC, time_for_each(30) / 4) > 50);
    assert!(run_large("train::checkpoint", target, &[seed], 0xC4EC) > 5);
}
