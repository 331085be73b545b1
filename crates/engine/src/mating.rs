//! Answers to `go mate`: a search for mates as a player keeps it, whose lines are checked by the rules before they are told.

use std::time::Duration;
use tesuji_game::{Bound, Candidate, Game, Limits, Mating, Notation, Position, Report, Signal, Tactical, Value, Watch};
use tesuji_protocol::MateAnswer;
use tesuji_search::mate::{Answer, MateLimits, MateSearch, Parameters, Settings};

/// Between two reports.
const REPORT_EVERY: Duration = Duration::from_secs(1);
/// The longest mate that a value can tell, in plies.
const VALUE_PLIES_MAX: i32 = (Value::MATE - Value::CP_MAX) as i32 - 1;

/// A search for mates, made when the first question comes and kept for the next ones.
pub struct Mates<G: Game>
where
    G::Position: Mating,
{
    hash_mib: usize,
    search: Option<MateSearch<G::Position>>,
}

impl<G> Mates<G>
where
    G: Game,
    G::Position: Mating + Tactical,
{
    /// One that will take so much memory, in MiB.
    pub fn new(hash_mib: usize) -> Mates<G> {
        Mates { hash_mib, search: None }
    }

    /// Takes so much memory from now on, in MiB; what it held is freed.
    pub fn resize(&mut self, hash_mib: usize) {
        if hash_mib != self.hash_mib {
            *self = Mates::new(hash_mib);
        }
    }

    /// Whether the side to move at `pos` mates by checks alone, within the time, the nodes and the plies of `limits` and
    /// as long as `watch` lets it. A mate is told only when the rules alone have confirmed the whole of it.
    pub fn solve(&mut self, pos: &G::Position, limits: &Limits, watch: &mut dyn Watch<String>) -> MateAnswer {
        if let Some(lacks) = pos.lacks_for_mate(pos.side_to_move()) {
            tracing::warn!("no mate is searched: {lacks}");
            return MateAnswer::Limit;
        }
        let settings = Settings { hash_mib: self.hash_mib };
        let search = self.search.get_or_insert_with(|| MateSearch::new(&settings, &Parameters::default()));
        let plies = limits.mate_plies.or(limits.depth).map(|n| u16::try_from(n).unwrap_or(u16::MAX));
        let bounds = MateLimits { plies, nodes: limits.nodes };
        let mut told = Duration::ZERO;
        let mut stop = |nodes: u64| {
            let time = watch.elapsed();
            if time >= told + REPORT_EVERY {
                told = time;
                watch.report(&Report { nodes, time, ..Report::default() });
            }
            watch.signal() == Signal::Stop || limits.move_time.is_some_and(|most| time >= most)
        };
        match search.solve(pos, pos.side_to_move(), bounds, &mut stop) {
            Answer::NoMate => MateAnswer::None,
            answer @ Answer::Mate(_) => Self::confirmed(search, pos, answer, watch).unwrap_or(MateAnswer::Limit),
            _ => MateAnswer::Limit,
        }
    }

    /// The line of a mate that the checker has replayed; `None` where there is none, or a stop came first.
    fn confirmed(
        search: &mut MateSearch<G::Position>,
        pos: &G::Position,
        answer: Answer,
        watch: &mut dyn Watch<String>,
    ) -> Option<MateAnswer> {
        let nodes = search.nodes();
        let strategy = match search.strategy(pos, answer, &mut |_| watch.signal() == Signal::Stop) {
            Ok(strategy) => strategy,
            Err(reason) => {
                tracing::warn!("a mate was found, but no line: {reason:?}");
                return None;
            }
        };
        if let Err(flaw) = strategy.check(pos) {
            tracing::error!("a mate was found that does not hold: {flaw}");
            return None;
        }
        let moves = strategy.line(pos);
        let pv = Self::texts(pos, &moves);
        let value = Value::mate_in(i32::try_from(moves.len()).unwrap_or(i32::MAX).min(VALUE_PLIES_MAX));
        let (bound, wdl, visits, prior) = (Bound::Exact, None, nodes, 0.0);
        let line = Candidate { pv: pv.clone(), value, bound, wdl, visits, prior, expected: None, margin: None };
        let (time, hash_full) = (watch.elapsed(), search.fill() as u32);
        let depth = moves.len() as u32;
        watch.report(&Report { lines: vec![line], depth, nodes, time, hash_full, ..Report::default() });
        Some(MateAnswer::Line(pv))
    }

    /// Moves from `pos` on in the protocol's notation.
    fn texts(pos: &G::Position, moves: &[<G::Position as Position>::Move]) -> Vec<String> {
        let mut here = pos.clone();
        let text = |&mv| {
            let mut text = String::new();
            let _ = G::Notation::write_move(&here, mv, &mut text);
            here.play(mv);
            text
        };
        moves.iter().map(text).collect()
    }
}
