//! The games and positions that are wanted, and mates, which go to a file of their own.

use super::{DataGame, DataOutcome, FilterTask, MateJudge, MateTask, MateVerdict, check_plies, is_stream, task::Task};
use crate::data::{Item, Job, KeepGame, Output, Routed, Sieve, convert};
use std::collections::BTreeMap;
use tesuji_jobs::RequestError;
use tesuji_record::{Fault, GameRecord};

/// Positions of a block where mates are looked for: the usual blocks of thousands would be lost at a stop.
const MATE_BLOCK_SCALE: usize = 1024;

/// Keeps what is wanted.
pub(super) fn run(mut task: Task<'_>, asked: &FilterTask, game: &dyn DataGame) -> Result<DataOutcome, RequestError> {
    let (sieve, path) = (&asked.wanted, &asked.writing.output);
    let output = task.output(path, &asked.writing)?;
    if matches!(sieve.score_below, Some((_, Some(_)))) {
        check_plies(&task)?;
    }
    task.word(format!("{sieve:?}"));
    let of_games = task.inputs.iter().all(|i| i.format.holds_games());
    check_questions(asked, &output, of_games)?;
    let mut outputs = vec![output];
    let judge = match &asked.mates {
        Some(mates) => Some(prepare_mates(&mut task, asked, mates, &mut outputs, game)?),
        None => None,
    };
    let (before, lens) = (of_games_alone(sieve), task.lens);
    let written = task.write(path, |job| {
        let keep_game = |game: &GameRecord<String>| before.keeps_game(game);
        let keep_game: Option<KeepGame<'_>> = if of_games { Some(&keep_game) } else { None };
        convert(&Job { keep_game, ..job.clone() }, &outputs, |block, routed: Routed, fault| {
            let kept = sieve.sift(routed, &lens, (block as u64) << 32, fault);
            match &judge {
                Some(judge) => part_mates(judge.as_ref(), kept, fault),
                None => vec![kept],
            }
        })
    })?;
    Ok(DataOutcome::Written(written))
}

/// Refuses questions that the files cannot answer.
fn check_questions(asked: &FilterTask, output: &Output, of_games: bool) -> Result<(), RequestError> {
    let sieve = &asked.wanted;
    if output.format.holds_games() && (sieve.asks_positions() || asked.mates.is_some()) {
        let file = output.path.display();
        return Err(RequestError::failed(format_args!(
            "{file} holds games, which are kept as wholes: what is asked of positions needs a format of positions"
        )));
    }
    if sieve.asks_games() && !of_games {
        let words = "--plies, --tag, --ending and --rating ask whole games: positions do not know them";
        return Err(RequestError::failed(words));
    }
    if sieve.asks_before() && !of_games {
        let words = "positions do not know what came before them: filter the games they come from";
        return Err(RequestError::failed(words));
    }
    Ok(())
}

/// The conditions of `sieve` on whole games, which are checked before games become positions.
fn of_games_alone(sieve: &Sieve) -> Sieve {
    Sieve {
        finished: sieve.finished,
        plies: sieve.plies,
        tags: sieve.tags.clone(),
        endings: sieve.endings.clone(),
        rating: sieve.rating,
        ..Sieve::default()
    }
}

/// Makes ready for looking for mates: those found go to their file, all else to the first of `outputs`.
fn prepare_mates(
    task: &mut Task<'_>,
    asked: &FilterTask,
    mates: &MateTask,
    outputs: &mut Vec<Output>,
    game: &dyn DataGame,
) -> Result<Box<dyn MateJudge>, RequestError> {
    let path = &asked.writing.output;
    if mates.output == *path || is_stream(&mates.output) || is_stream(path) {
        return Err(RequestError::failed("--mate and the file to write are two files"));
    }
    let output = task.output(&mates.output, &asked.writing)?;
    if output.format.holds_games() {
        let file = mates.output.display();
        return Err(RequestError::failed(format_args!("{file} holds games: mates are positions")));
    }
    outputs.push(output);
    let (plies, nodes) = (mates.plies(), mates.nodes());
    // The words of the first journals that had mates.
    task.word(format!("mates MateLimits {{ plies: Some({plies}), nodes: Some({nodes}) }}"));
    task.scale(MATE_BLOCK_SCALE);
    game.mate_judge(mates)
}

/// Parts positions into those that are no mates, as far as is known, and mates; counts what they are.
fn part_mates(judge: &dyn MateJudge, routed: Routed, fault: &mut dyn FnMut(u64, Fault)) -> Vec<Routed> {
    let mut found = BTreeMap::new();
    let mut parts = routed.part(2, |item, number| {
        let Item::Sample(sample) = item else { return None };
        let verdict = match judge.judge(sample) {
            Ok(verdict) => verdict,
            Err(reason) => {
                fault(number, reason);
                return None;
            }
        };
        *found.entry(verdict.words()).or_insert(0) += 1;
        Some(usize::from(matches!(verdict, MateVerdict::Mates | MateVerdict::Mated)))
    });
    if let Some(first) = parts.first_mut() {
        first.found = found;
    }
    parts
}
