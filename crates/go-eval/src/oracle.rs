//! Playouts as an oracle for tree search: each leaf is valued by a few of them, its moves by strengths learned from games.

use crate::{Gammas, Heavy, HeavyParameters, Learned, Light, PlayoutStrengths, Totals, bakago};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};
use tesuji_game::{Oracle, OracleError, Position, Query, Random};
use tesuji_go::{Area, BLACK, Cell, GoPosition, Scoring, score};
use tesuji_options::options;

options! {
    /// Options of the oracle that answers by playouts where a network could.
    pub struct PlayoutParameters(expert) {
        /// Playouts for each leaf of the tree.
        playouts: usize = 1 in 1..=10000, "Playouts";
        /// How playouts choose moves: light evenly, heavy by captures, escapes and shapes near the last move, learned by strengths
        /// learned from games, mixed by the answers of heavy ones and by learned strengths where there is none, bakago among points
        /// that its formula likes, with its damped judgement of the end.
        policy: Choice = "heavy" of ["light", "heavy", "learned", "mixed", "bakago"], "PlayoutPolicy";
        /// How much the margin counts in the value of a leaf, against winning and losing alone.
        margin_share: f32 = 0.035 in 0.0..=1.0, "MarginShare";
        /// Where the priors of moves come from: nowhere, or strengths of what a move does and of the patterns around it, learned
        /// from games.
        prior: Choice = "patterns" of ["uniform", "patterns"], "GoPrior";
        /// The seed of playouts.
        seed: u64 = 0 in 0..=2147483647, "PlayoutSeed";
    }
}

/// The oracle. A clone is for another thread, and plays other playouts.
pub struct PlayoutOracle<A: Area> {
    parameters: PlayoutParameters,
    heavy: Heavy,
    gammas: Arc<Gammas>,
    /// Chooses in learned playouts.
    learned: Option<Learned<A>>,
    totals: Totals<A>,
    /// Whether a position is always valued by the same playouts.
    is_fixed: bool,
    /// The number of this clone, which selects its stream of random numbers.
    stream: u64,
    clones: Arc<AtomicU64>,
    /// Queries valued since the last clear.
    asked: u64,
}

impl<A: Area> PlayoutOracle<A> {
    /// An oracle with these options.
    pub fn new(parameters: PlayoutParameters) -> Self {
        PlayoutOracle {
            parameters,
            heavy: Heavy::new(HeavyParameters::default()),
            gammas: Gammas::builtin(),
            learned: None,
            totals: Totals::default(),
            is_fixed: false,
            stream: 0,
            clones: Arc::new(AtomicU64::new(0)),
            asked: 0,
        }
    }

    /// Replaces the habits of heavy playouts.
    pub fn with_heavy(mut self, parameters: HeavyParameters) -> Self {
        self.heavy = Heavy::new(parameters);
        self
    }

    /// Replaces the strengths of moves.
    pub fn with_gammas(mut self, gammas: Arc<Gammas>) -> Self {
        self.gammas = gammas;
        self
    }

    /// Sets the strengths for learned and mixed playouts, with the present options and habits; without strengths these are heavy playouts.
    pub fn with_playouts(mut self, strengths: Arc<PlayoutStrengths>) -> Self {
        let learned = Learned::new(strengths);
        let mixes = self.parameters.policy == "mixed";
        self.learned = Some(if mixes { learned.with_answers(self.heavy.clone()) } else { learned });
        self
    }

    /// Makes playouts depend on the position, the number of moves before it and the seed alone, not on earlier queries: for games
    /// that are to be the same whatever else is played beside them.
    pub fn fixed(mut self) -> Self {
        self.is_fixed = true;
        self
    }

    /// Whether a pass would end the game as a win only because stones stay on the board that playouts call dead: other judges take
    /// them off, so it is better to play on. Where all else loses, the search still comes to the pass.
    fn is_disputed(&mut self, pos: &GoPosition<A>) -> bool {
        let side = pos.side_to_move();
        let wins = |dead: &A::Set| pos.result(dead).winner == Some(side);
        if pos.passes() == 0 || pos.rules().scoring != Scoring::Area || !wins(&A::Set::default()) {
            return false;
        }
        let mut random = Random::for_item(self.parameters.seed ^ self.stream.rotate_left(32), pos.key().0);
        self.totals.begin(pos);
        self.totals.play(pos, None, DEAD_BY.0, &mut self.heavy, &mut random);
        let ownership: Vec<f32> = self.totals.ownership().collect();
        !wins(&score::dead_by_ownership(pos.board(), &ownership, DEAD_BY.1))
    }

    /// The priors of the query's moves by learned strengths.
    pub(crate) fn fill_patterns(&self, query: &Query<GoPosition<A>>, into: &mut Vec<f32>) {
        self.gammas.fill_prior(query.line.here(), last_cells::<A>(query), &query.moves, into);
    }

    /// Leaves a pass that a judge may not like hardly anything of its prior.
    pub(crate) fn hold_back(&mut self, query: &mut Query<GoPosition<A>>) {
        if self.is_disputed(query.line.here()) {
            let shares = query.answer.policy.iter_mut().zip(&query.moves);
            shares.filter(|(_, mv)| mv.is_pass()).for_each(|(share, _)| *share *= DISPUTED);
        }
    }

    /// Makes sure that a search looks at the answer of a pass to a pass where territory counts: it is how such games end, and games
    /// that priors are learned from seldom show it.
    pub(crate) fn look_at_pass(query: &mut Query<GoPosition<A>>) {
        let pos = query.line.here();
        if pos.passes() == 0 || pos.rules().scoring != Scoring::Territory {
            return;
        }
        let rest: f32 = query.answer.policy.iter().sum();
        let shares = query.answer.policy.iter_mut().zip(&query.moves);
        shares.filter(|(_, mv)| mv.is_pass()).for_each(|(share, _)| *share = share.max(PASS_AFTER_PASS * rest));
    }

    /// Values the end of the query's line.
    fn value(&mut self, query: &mut Query<GoPosition<A>>) {
        let pos = query.line.here();
        let seed = self.parameters.seed ^ self.stream.rotate_left(32) ^ pos.key().0;
        let mut random = Random::for_item(seed, if self.is_fixed { query.line.len() as u64 } else { self.asked });
        self.asked += 1;
        if self.parameters.policy == "bakago" {
            let moves = query.line.moves();
            let older = moves.len().saturating_sub(bakago::LAST);
            let last: Vec<Cell> = moves.skip(older).filter_map(|mv| mv.vertex().map(A::cell)).collect();
            let (for_black, _) = bakago::value(pos, &last, self.parameters.playouts, &mut random);
            query.answer.value = if pos.side_to_move() == BLACK { for_black } else { -for_black };
            return;
        }
        let [last, _] = last_cells::<A>(query);
        let totals = &mut self.totals;
        totals.begin(pos);
        let count = self.parameters.playouts;
        match (&*self.parameters.policy, &mut self.learned) {
            ("light", _) => totals.play(pos, last, count, &mut Light, &mut random),
            ("learned" | "mixed", Some(learned)) => totals.play(pos, last, count, learned, &mut random),
            _ => totals.play(pos, last, count, &mut self.heavy, &mut random),
        }
        totals.tell(pos.side_to_move(), &mut query.answer);
        if let (share @ f32::MIN_POSITIVE.., Some(margin)) = (self.parameters.margin_share, query.answer.score) {
            // Half the board ahead counts as a whole game.
            let margin = (margin * 2.0 / pos.size().points() as f32).clamp(-1.0, 1.0);
            query.answer.value += share * (margin - query.answer.value);
        }
    }
}

/// Playouts that say which stones are dead where a pass would end the game, and the mean ownership that makes them so.
const DEAD_BY: (usize, f32) = (16, 0.4);
/// The least share of the priors that a pass has under territory rules after the other side's, before they are brought to 1.
const PASS_AFTER_PASS: f32 = 0.25;
/// Factor of the prior of a pass that wins only by stones that another judge may take off as dead.
const DISPUTED: f32 = 1e-3;

/// The points of the last move of the query's line and the one before it; `None` for passes and before the start.
fn last_cells<A: Area>(query: &Query<GoPosition<A>>) -> [Option<Cell>; 2] {
    let mut last = [None; 2];
    let moves = query.line.moves();
    let older = moves.len().saturating_sub(2);
    for mv in moves.skip(older) {
        last = [mv.vertex().map(A::cell), last[0]];
    }
    last
}

impl<A: Area> Clone for PlayoutOracle<A> {
    fn clone(&self) -> Self {
        PlayoutOracle {
            parameters: self.parameters.clone(),
            heavy: self.heavy.clone(),
            gammas: self.gammas.clone(),
            learned: self.learned.clone(),
            totals: Totals::default(),
            is_fixed: self.is_fixed,
            stream: if self.is_fixed { 0 } else { self.clones.fetch_add(1, Relaxed) + 1 },
            clones: self.clones.clone(),
            asked: 0,
        }
    }
}

impl<A: Area> Oracle<GoPosition<A>> for PlayoutOracle<A> {
    /// One at a time: nothing is gained by more.
    fn batch_max(&self) -> usize {
        1
    }

    fn ask(&mut self, batch: &mut [Query<GoPosition<A>>]) -> Result<(), OracleError> {
        for query in batch {
            if query.wants_value {
                self.value(query);
            }
            if query.wants_policy {
                if self.parameters.prior == "uniform" {
                    query.answer.policy.clear();
                    query.answer.policy.resize(query.moves.len(), 1.0 / query.moves.len().max(1) as f32);
                } else {
                    let mut policy = std::mem::take(&mut query.answer.policy);
                    self.fill_patterns(query, &mut policy);
                    query.answer.policy = policy;
                    self.hold_back(query);
                }
                Self::look_at_pass(query);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.asked = 0;
    }
}
