//! An engine in its own process that searches single positions, for suites: what it writes while it thinks, iteration by iteration.

use crate::{Engine, EngineSpec};
use tesuji_game::Choice;
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    RequestError,
    bench::{Iteration, PositionSearch, split},
};
use tesuji_protocol::Info;

/// An engine of UCI or USI, asked for positions.
///
/// # Examples
///
/// An engine in a line of shell:
///
/// ```
/// use tesuji_arena::{Dialect, EngineSearch, EngineSpec};
/// use tesuji_jobs::Interrupt;
/// use tesuji_kit::bench::PositionSearch;
/// let script = "while read -r word rest; do case $word in \
///     uci) echo id name Demo; echo uciok;; isready) echo readyok;; \
///     go) echo info depth 1 nodes 7 score cp 30 pv 4; echo bestmove 4;; quit) exit;; esac; done";
/// let mut spec = EngineSpec::new("sh");
/// spec.args = vec!["-c".to_string(), script.to_string()];
/// spec.dialect = Some(Dialect::Uci);
/// let mut engine = EngineSearch::start(&spec, &Interrupt::new())?;
/// let mut depth = 0;
/// engine.search("startpos", 100, 1, &mut |iteration| depth = iteration.depth)?;
/// assert_eq!((engine.name().as_str(), depth), ("Demo", 1));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub struct EngineSearch {
    engine: Engine,
    /// Lines that it was told to report.
    lines: usize,
}

impl EngineSearch {
    /// Starts the engine.
    ///
    /// # Errors
    /// When it does not start, with what it said last.
    pub fn start(spec: &EngineSpec, stop: &Interrupt) -> Result<EngineSearch, RequestError> {
        let engine = Engine::open(spec, stop).map_err(RequestError::failed)?;
        Ok(EngineSearch { engine, lines: 1 })
    }
}

impl PositionSearch for EngineSearch {
    fn name(&self) -> String {
        self.engine.called().to_string()
    }

    fn search(
        &mut self,
        position: &str,
        nodes: u64,
        lines: usize,
        each: &mut dyn FnMut(&Iteration),
    ) -> Result<(), RequestError> {
        if self.lines != lines {
            self.engine.set_option("MultiPV", &lines.to_string()).map_err(RequestError::failed)?;
            self.lines = lines;
        }
        let (start, moves) = split(position);
        let mut collected = InfoCollector { wanted: lines, ..InfoCollector::default() };
        let choice = self
            .engine
            .search_position(start, &moves, nodes, &mut |info| collected.note(info, each))
            .map_err(RequestError::failed)?;
        collected.end(choice, each);
        Ok(())
    }
}

/// The iteration that is being told.
#[derive(Default)]
struct InfoCollector {
    wanted: usize,
    running: Iteration,
    /// The last complete one.
    last: Iteration,
    nodes: u64,
}

impl InfoCollector {
    /// Takes one line of information; passes on an iteration when its last line has come.
    fn note(&mut self, info: &Info, each: &mut dyn FnMut(&Iteration)) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let (Some(depth), Some(score), Some(mv)) = (info.depth, info.score, info.pv.first()) else { return };
        if score.bound != tesuji_game::Bound::Exact {
            return;
        }
        let rank = info.rank.unwrap_or(1) as usize;
        if rank == 1 {
            let (depth_max, nodes) = (info.depth_max.unwrap_or(0), info.nodes.unwrap_or(self.nodes));
            self.running = Iteration { depth, depth_max, nodes, lines: Vec::new() };
        }
        if rank != self.running.lines.len() + 1 {
            return;
        }
        self.running.lines.push((mv.clone(), score.value));
        self.running.nodes = self.running.nodes.max(info.nodes.unwrap_or(0));
        if rank == self.wanted && depth > self.last.depth {
            self.last = self.running.clone();
            each(&self.last);
        }
    }

    /// The search is over: its move, and all its nodes.
    fn end(mut self, choice: Option<Choice<String>>, each: &mut dyn FnMut(&Iteration)) {
        self.last.nodes = self.nodes.max(self.last.nodes);
        if let Some(Choice::Play(mv)) = choice
            && self.last.best() != Some(&mv)
        {
            // The lines of the iteration that was broken off, where it told them.
            let is_told = self.running.best() == Some(&mv);
            let value = self.last.lines.first().map_or_else(Default::default, |line| line.1);
            self.last.lines = if is_told { self.running.lines } else { vec![(mv, value)] };
        }
        each(&self.last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_game::{Bound, Value};
    use tesuji_protocol::Score;

    fn info(depth: u32, rank: u32, nodes: u64, mv: &str, bound: Bound) -> Info {
        Info {
            depth: Some(depth),
            rank: Some(rank),
            nodes: Some(nodes),
            score: Some(Score { value: Value::cp(100 - rank as i32), bound }),
            pv: vec![mv.to_string()],
            ..Info::default()
        }
    }

    #[test]
    fn iterations_are_told_once_all_their_lines_have_come() {
        let mut told = Vec::new();
        let each = &mut |iteration: &Iteration| told.push(iteration.clone());
        let mut collected = InfoCollector { wanted: 2, ..InfoCollector::default() };
        collected.note(&info(1, 1, 10, "a", Bound::Exact), each);
        collected.note(&info(1, 2, 12, "b", Bound::Exact), each);
        collected.note(&info(2, 1, 30, "a", Bound::Lower), each);
        collected.note(&info(2, 1, 40, "b", Bound::Exact), each);
        collected.note(&Info { nodes: Some(99), ..Info::default() }, each);
        collected.end(Some(Choice::Play("b".to_string())), each);
        assert_eq!((told.len(), told[0].nodes, told[0].margin_cp()), (2, 12, Some(1)));
        assert_eq!((told[1].depth, told[1].nodes, told[1].best()), (1, 99, Some("b")));
    }
}
