//! Winning chances by value, measured from games with scores.

use super::ChanceRequest;
use crate::{Kit, RequestError, SkipErrors, open_records};
use anyhow::{Context, bail};
use tesuji_game::Side;
use tesuji_jobs::{Progress, Show};
use tesuji_record::{GameRecord, Records};
use tesuji_tune::{Chances, Fates};

/// Chances that were fitted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChanceOutcome {
    /// Games that were read.
    pub games: u64,
    /// The fit to their scores.
    pub fit: Chances,
}

/// Fits the chances to win, draw and lose that go with a value.
///
/// # Errors
/// When games cannot be read, or have too few scores.
pub fn fit_chances(kit: &dyn Kit, request: &ChanceRequest, show: Show) -> Result<ChanceOutcome, RequestError> {
    request.validate()?;
    Ok(fit(kit, request, show)?)
}

fn fit(kit: &dyn Kit, request: &ChanceRequest, show: Show) -> anyhow::Result<ChanceOutcome> {
    let skip = SkipErrors { wanted: request.skip_errors };
    let progress = Progress::start("reading", "games", None, show);
    let (mut fates, mut games) = (Fates::default(), 0);
    for path in &request.games {
        for (index, record) in Records::new(skip.reader(path, open_records(kit, path)?)).enumerate() {
            let place = || format!("{}: game {}", path.display(), index + 1);
            let record = skip.hinted(record.with_context(place))?;
            let table = kit.table(&record.rules, record.start.as_deref());
            add(&mut fates, &record, table.with_context(place)?.side_to_move());
            games += 1;
            progress.set(games);
        }
    }
    match fates.fit() {
        Some(fit) => Ok(ChanceOutcome { games, fit }),
        None => bail!(
            "{} scores of {games} games are not enough: chances need games with scores, some won, some drawn, some lost",
            fates.samples()
        ),
    }
}

/// The scores of a finished game's main line; those that are mates are certain and say nothing.
fn add(fates: &mut Fates, record: &GameRecord<String>, first: Side) {
    let Some(outcome) = record.outcome else { return };
    let mut side = first;
    for node in record.main_nodes() {
        if let Some(value) = record.note(node).value.filter(|v| v.mate_plies().is_none()) {
            fates.add(value.raw(), outcome.score(side));
        }
        side = !side;
    }
}
