//! The match that proves a tuning: the numbers found against those at the start, kept pair by pair beside the journal.

use super::{
    SpsaRequest, SpsaRun, at,
    matches::{Matches, Players},
    open_journal,
};
use crate::{
    CircleError, DuelStanding,
    duel::{duel, duel_on},
    improve::read_pairs,
};
use tesuji_jobs::Progress;
use tesuji_kit::RequestError;
use tesuji_tune::Spsa;

/// The proof is played from openings far from those of the tuning's matches.
const PROOF_SEED: u64 = 0x9E37_79B9_7F4A_7C15;

/// Plays what is left of the proof; the standing for the numbers found, of fewer games than were asked for when it was stopped.
///
/// # Errors
/// When the file is that of another proof, or a player fails.
pub(super) fn prove<'a>(
    matches: &Matches<'a>,
    players: &mut Players<'a>,
    (spsa, head): (&Spsa, &str),
    request: &SpsaRequest,
    run: &SpsaRun<'a>,
) -> Result<DuelStanding, RequestError> {
    let path = request.proof_journal();
    // The numbers found follow from the journal of the tuning; the proof is theirs alone.
    let head = format!("proof of {:?}: {head}", spsa.values());
    let (mut journal, lines) = open_journal(&path, &head)?;
    let pairs = match lines.split_first() {
        None => Vec::new(),
        Some((first, pairs)) if *first == head => read_pairs(&path, pairs).map_err(RequestError::failed)?,
        Some(_) => {
            let words = "it holds the proof of other numbers; rename it, or name another journal";
            return Err(at(path.display(), words));
        }
    };
    let start = spsa.parameters().iter().map(|parameter| parameter.start).collect();
    let plan = matches.plan(spsa.parameters(), [spsa.values().to_vec(), start], request.proof_pairs, PROOF_SEED)?;
    let progress = Progress::start("proving", "pairs", Some(request.proof_pairs), run.show);
    progress.resume_at(pairs.len() as u64);
    let mut done = pairs.len() as u64;
    let mut last = DuelStanding::default();
    pairs.iter().for_each(|pair| last.add(*pair));
    let mut tell = |standing: &DuelStanding, pair: [u64; 2], _: &_| {
        last = *standing;
        journal.append(&format!("{} {}", pair[0], pair[1])).map_err(|error| CircleError::file(&path, error))?;
        done += 1;
        progress.set(done);
        Ok(true)
    };
    players.begin(matches, (&plan, 0), run)?;
    let standing = match players {
        Players::Threads => duel(matches.kit(), &plan, &pairs, run.interrupt, &mut tell),
        Players::Workers(units) => {
            // Behind all pairs of the tuning.
            let base = request.pairs.saturating_mul(request.iterations.into());
            duel_on(units, &plan, (base, &pairs), true, run.interrupt, &mut tell)
        }
    };
    match standing {
        // An engine that was about to start breaks off, too; what was played is kept.
        Err(_) if run.interrupt.is_raised() => Ok(last),
        standing => standing.map_err(RequestError::failed),
    }
}
