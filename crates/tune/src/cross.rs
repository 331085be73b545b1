//! Chooses the epoch by Monte Carlo cross-validation (R. Picard and R. Cook, 1984) where few games are held out: the least loss over ten
//! games is mostly chance.

use crate::{
    Event, Method, TuneSettings,
    attempt::attempt,
    journal::{Journal, Tell},
    objective::Objective,
    set::Set,
};
use std::ops::ControlFlow;
use tesuji_dataset::Rows;

/// Held-out games that judge epochs by themselves.
const GAMES_ENOUGH: usize = 300;
/// Draws of held-out games. Five of a fifth judge by as many games as there are.
const DRAWS: u64 = 5;
/// The share of the games that a draw holds out.
const SHARE: f64 = 0.2;

/// The mean validation loss after each epoch, its start first, over several draws of the games that are held out; `None` where there is
/// nothing to judge by, or enough, or where the caller stops.
pub(crate) fn epoch_losses(objective: &Objective, rows: &Rows, tell: &mut Tell) -> Option<Vec<f64>> {
    // Steps of coordinate descent are no epochs: the tenth step of one draw is that of another weight.
    if objective.settings.method == Method::Coordinate || !(1..GAMES_ENOUGH).contains(&held_games(objective, rows)) {
        return None;
    }
    let draws: Option<Vec<Vec<f64>>> = (0..DRAWS).map(|draw| losses(objective, rows, draw, tell)).collect();
    let draws = draws?;
    let epochs = draws.iter().map(Vec::len).max()?;
    // Who converged sooner stays where it is.
    let at = |losses: &Vec<f64>, epoch: usize| losses.get(epoch).or(losses.last()).copied().unwrap_or(0.0);
    Some((0..epochs).map(|epoch| draws.iter().map(|losses| at(losses, epoch)).sum::<f64>() / DRAWS as f64).collect())
}

/// The number of games that are held out.
fn held_games(objective: &Objective, rows: &Rows) -> usize {
    let mut games: Vec<u32> = objective.held.games(rows).collect();
    games.sort_unstable();
    games.dedup();
    games.len()
}

/// The validation losses of one draw.
fn losses(objective: &Objective, rows: &Rows, draw: u64, tell: &mut Tell) -> Option<Vec<f64>> {
    let asked = objective.settings;
    // The constant sets these draws apart from the split, the shuffles and the restarts.
    let seed = asked.seed ^ (0x00C5_055A_0000 + draw);
    let settings = TuneSettings { seed, held_out: SHARE, patience: u32::MAX, ..asked.clone() };
    let (mut train, mut held) = Set::split(rows, &settings);
    train.blend_scores(rows, settings.result_share, objective.k);
    held.blend_scores(rows, settings.result_share, objective.k);
    let reach = train.reach(objective.start.len());
    let drawn = Objective::new(&settings, [&train, &held], objective.start, objective.k, &reach);
    if held.is_empty() || drawn.free.is_empty() {
        return None;
    }
    let mut told = |event: Event| match event {
        Event::Epoch(_) => tell(Event::CrossValidation),
        _ => ControlFlow::Continue(()),
    };
    let mut journal = Journal::new(&mut told, None);
    attempt(&drawn, 0, &mut journal);
    (!journal.stopped).then(|| journal.history.iter().map(|p| p.decisive_loss()).collect())
}
