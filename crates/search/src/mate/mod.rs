//! Mates: is there one, however the other side defends? Proved or disproved, or a limit was reached; never guessed.
//!
//! [`MateSearch::solve`] answers by depth-first proof-number search over checks and all answers to them, for any game that
//! is [`Mating`]. Every answer can be checked by [`Strategy`], which knows nothing of the search.

mod children;
mod explain;
mod grown;
mod numbers;
mod parallel;
mod root;
mod solver;
mod strategy;
mod table;

pub use explain::NoStrategy;
pub use grown::GrownNode;
pub use root::RootMates;
pub use strategy::{Flaw, Strategy};

use numbers::{NONE, Numbers};
use parallel::Store;
use solver::Solver;
use std::panic::resume_unwind;
use std::sync::Arc;
use tesuji_game::{Mating, Side};
use tesuji_options::options;

options! {
    /// What everyone may set.
    pub struct Settings {
        /// Memory in MiB.
        hash_mib: usize = 256 in 1..=131072, "Hash";
    }
}

options! {
    /// Parts of the solver, to see what each is worth.
    pub struct Parameters(expert) {
        /// What is known of one hand tells of better and worse ones.
        dominance: bool = true, "MateDominance";
        /// Proofs are kept for the least hand that they need.
        proof_hands: bool = true, "MateProofHands";
        /// Disproofs are kept for the greatest hand for which they hold.
        disproof_hands: bool = true, "MateDisproofHands";
        /// Positions that come back, and the limit of plies, are told from disproofs. Without it answers can be wrong.
        loops: bool = true, "MateLoops";
        /// Mates in one are looked for at new positions.
        look_ahead: bool = true, "MateLookAhead";
        /// Of moves that are alike, one is looked at after the other.
        delay: bool = true, "MateDelay";
        /// Thresholds give way where numbers could go round in a circle.
        threshold_control: bool = true, "MateThresholdControl";
        /// A child is searched a little longer than it is the most promising.
        widen: bool = true, "MateWiden";
        /// Where the attacker moves, disproof numbers are not summed in full, since moves lead to the same positions.
        damp: bool = true, "MateDamp";
    }
}

/// Limits of a mate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MateLimits {
    /// Plies of the mate at most; `None`: [`PLIES_MAX`].
    pub plies: Option<u16>,
    /// Nodes (positions whose moves were looked at) at most, exactly.
    pub nodes: Option<u64>,
}

/// The longest mate that is looked for, in plies; the longest composed one has 1525.
pub const PLIES_MAX: u16 = 2047;

/// The result of a mate search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// A mate in this many plies, not always the shortest.
    Mate(u16),
    /// There is no mate, of any length.
    NoMate,
    /// There is no mate within the plies that were allowed.
    NoMateWithin(u16),
    /// Nodes or time ran out.
    Unknown,
}

/// A mate solver (df-pn) that keeps its proof table from problem to problem.
pub struct MateSearch<P: Mating> {
    solver: Solver<P>,
    /// Helper threads that work on the same problem.
    helpers: Vec<Solver<P>>,
}

impl<P: Mating> MateSearch<P> {
    /// A solver with one thread and a table of the size that `settings` give.
    pub fn new(settings: &Settings, parameters: &Parameters) -> MateSearch<P> {
        MateSearch::with_threads(settings, parameters, 1)
    }

    /// A solver with this many threads on each problem. One thread is deterministic; several are not.
    pub fn with_threads(settings: &Settings, parameters: &Parameters, threads: usize) -> MateSearch<P> {
        let solver = Solver::new(settings, parameters, threads);
        let bytes = (settings.hash_mib << 20) / threads.max(1);
        let helper = || match &solver.table {
            Store::Own(_) => None,
            Store::Shared(parallel) => Some(Solver::with_table(Store::Shared(Arc::clone(parallel)), bytes, parameters)),
        };
        let helpers = (1..threads).filter_map(|_| helper()).collect();
        MateSearch { solver, helpers }
    }

    /// Whether `attacker` mates from `pos`, no matter who moves, by checks alone. `stop` is asked now and then with the number
    /// of nodes.
    pub fn solve(&mut self, pos: &P, attacker: Side, limits: MateLimits, stop: &mut dyn FnMut(u64) -> bool) -> Answer {
        self.solver.clear();
        self.helpers.iter_mut().for_each(Solver::begin);
        for solver in self.helpers.iter_mut().chain([&mut self.solver]) {
            solver.attacker = attacker;
            solver.nodes_max = limits.nodes.unwrap_or(u64::MAX);
        }
        self.answer(pos, limits.plies.unwrap_or(PLIES_MAX).min(PLIES_MAX), stop)
    }

    /// Goes on with the problem last solved for a mate in `plies` at most; node limits count from its beginning.
    fn answer(&mut self, pos: &P, plies: u16, stop: &mut dyn FnMut(u64) -> bool) -> Answer {
        let numbers = self.numbers(pos, plies, stop);
        if numbers.is_proved() {
            Answer::Mate(numbers.plies)
        } else if !numbers.is_disproved() {
            Answer::Unknown
        } else if numbers.plies == NONE {
            Answer::NoMate
        } else {
            Answer::NoMateWithin(plies)
        }
    }

    /// The numbers of a position as found by all threads together.
    fn numbers(&mut self, pos: &P, plies: u16, stop: &mut dyn FnMut(u64) -> bool) -> Numbers<P::Hand> {
        let solver = &mut self.solver;
        let Store::Shared(parallel) = &solver.table else { return solver.solve(&mut pos.clone(), plies, stop) };
        let parallel = Arc::clone(parallel);
        parallel.begin(solver.nodes);
        let numbers = std::thread::scope(|scope| {
            // Where the system gives no more threads, fewer work.
            let threads = self.helpers.iter_mut().map_while(|helper| {
                let work = move || helper.solve_together(&mut pos.clone(), plies, &mut |_| false);
                std::thread::Builder::new().spawn_scoped(scope, work).ok()
            });
            let threads: Vec<_> = threads.collect();
            let own = solver.solve_together(&mut pos.clone(), plies, stop);
            let others = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|dead| resume_unwind(dead)));
            others.fold(own, |best, numbers| if best.is_solved() { best } else { numbers })
        });
        solver.nodes = parallel.nodes();
        solver.is_stopped &= !numbers.is_solved();
        // What is looked up afterwards is looked up alone.
        parallel.begin(solver.nodes);
        numbers
    }

    /// Nodes of the problem last solved.
    pub fn nodes(&self) -> u64 {
        self.solver.nodes
    }

    /// Fill of the proof table, in permille.
    pub fn fill(&self) -> usize {
        self.solver.table.fill()
    }

    /// The shortest mate, after one in `plies` was found; what is known so far where limits are reached, and whether it
    /// is proved to be the shortest.
    pub fn shorten(&mut self, pos: &P, plies: u16, stop: &mut dyn FnMut(u64) -> bool) -> (u16, bool) {
        let mut best = plies;
        while best >= 2 {
            match self.answer(pos, best - 2, stop) {
                Answer::Mate(shorter) => best = shorter,
                Answer::Unknown => return (best, false),
                Answer::NoMate | Answer::NoMateWithin(_) => break,
            }
        }
        (best, true)
    }
}
