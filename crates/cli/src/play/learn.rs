//! `learn games.pgn [from to]`: GreKo's way from games to weights, with its files and lines.

use super::Args;
use anyhow::bail;
use tesuji_kit::SkipErrors;
use tesuji_kits::{GrekoLearning, learn_as_greko};

/// Learns as `rest`, the words after the command, say.
pub(super) fn run(args: &Args, rest: &str) -> anyhow::Result<()> {
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let skip = SkipErrors { wanted: words.contains(&"--skip-errors") };
    words.retain(|word| *word != "--skip-errors");
    let number = |word: &str| word.parse::<usize>().ok().filter(|n| (1..=GrekoLearning::WEIGHTS).contains(n));
    let (file, weights) = match words[..] {
        [file] => (file, Some(GrekoLearning::USUAL)),
        [file, from, to] => (file, number(from).zip(number(to)).map(|(from, to)| from..=to).filter(|r| !r.is_empty())),
        _ => ("", None),
    };
    let Some(weights) = weights else {
        bail!("expected: learn FILE [FROM TO] [--skip-errors], with weights from 1 to {}", GrekoLearning::WEIGHTS);
    };
    let request = GrekoLearning {
        folder: args.folder.clone(),
        games: file.into(),
        weights,
        skip,
        lambda_plies: args.lambda,
        k: args.k,
        seed: args.seed.unwrap_or(0),
        jobs: args.jobs,
    };
    learn_as_greko(&request, &mut |line| println!("{line}"))
}
