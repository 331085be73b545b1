//! Selection of a child: UCB1, UCB with all-moves-as-first counts (RAVE), and PUCT, with first-play urgency, virtual loss and progressive widening.

use super::{
    math::ln,
    node::{Block, EdgeWord, Node, Proof},
    options::{FirstPlay, Parameters, Rule},
    tree::Tree,
};
use tesuji_game::{Position, Random};

/// The numbers of a node that all its edges are weighed with.
struct Parent {
    /// Visits, those under way included; at least 1.
    visits: f32,
    /// Twice the logarithm of that, for UCB.
    log: f32,
    /// The weight of a prior.
    puct: f32,
    /// Expected result for the side to move.
    value: f32,
    /// The number of its moves.
    moves: f32,
}

impl Parent {
    /// The value of an unvisited move as estimated from its prior, in -1..=1: as far from the parent's value as a move of this strength
    /// is from an average one in the model of Bradley and Terry, at half the logarithm.
    fn foreseen(&self, prior: f32) -> f32 {
        let strength = (prior * self.moves).sqrt();
        (self.value + (strength - 1.0) / (strength + 1.0)).clamp(-1.0, 1.0)
    }
}

/// An edge of a node, by its place.
type Pick = (usize, EdgeWord);

/// An edge as it is weighed.
#[derive(Clone, Copy, Default)]
struct Arm {
    visits: f32,
    in_flight: f32,
    /// The sum of results for the side to move at the parent.
    sum: f32,
    known: Option<f32>,
    prior: f32,
    /// Weight and mean of all-moves-as-first.
    rave: (f32, f32),
}

/// The rule with its numbers, read once for each tree.
pub(super) struct Selection {
    rule: Rule,
    first_play: FirstPlay,
    parameters: Parameters,
}

impl Selection {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Selection { rule: parameters.rule_of(), first_play: parameters.first_play_of(), parameters: parameters.clone() }
    }

    pub(super) fn uses_rave(&self) -> bool {
        self.rule == Rule::Rave
    }

    fn parent(&self, node: &Node, moves: usize) -> Parent {
        // The visit that is choosing is itself under way.
        let visits = (f64::from(node.visits()) + f64::from(node.in_flight()) - 1.0).max(1.0);
        let growth = f64::from(self.parameters.puct_growth);
        let base = f64::from(self.parameters.puct_base);
        let root = visits.sqrt();
        let (log, puct) = match self.rule {
            Rule::Puct if growth > 0.0 => {
                (0.0, (f64::from(self.parameters.puct) + growth * ln(1.0 + visits / base)) * root)
            }
            Rule::Puct => (0.0, f64::from(self.parameters.puct) * root),
            Rule::Ucb1 | Rule::Rave => {
                (2.0 * ln(visits), f64::from(self.parameters.prior_bias) + f64::from(self.parameters.prior_pull) * root)
            }
        };
        let value = -node.mean().unwrap_or(0.0);
        Parent { visits: visits as f32, log: log as f32, puct: puct as f32, value, moves: moves as f32 }
    }

    /// Progressive widening: the number of edges that may be selected.
    fn width(&self, parent: &Parent, len: usize) -> usize {
        if !self.parameters.widening {
            return len;
        }
        let k = &self.parameters;
        let power = match k.widening_power {
            // A square root has an instruction of its own; other powers take a logarithm and an exponential.
            0.5 => parent.visits.sqrt(),
            power => super::math::exp(f64::from(power) * ln(f64::from(parent.visits))) as f32,
        };
        ((k.widening_base + k.widening_factor * power) as usize).clamp(1, len)
    }

    /// The urgency of a move that was not visited, in -1..=1. `visited`: the sum of the priors of those that were.
    fn first_play(&self, parent: &Parent, visited: f32) -> f32 {
        match self.first_play {
            // Above any score, so that each move is tried once before a second visit to one of them.
            FirstPlay::First => 1e6,
            FirstPlay::Value => self.parameters.first_play_value,
            FirstPlay::Reduction => (parent.value - self.parameters.first_play_reduction * visited.sqrt()).max(-1.0),
        }
    }

    /// The score of an edge. `urgency` stands in for results where there are none.
    fn score(&self, parent: &Parent, arm: &Arm, urgency: f32) -> f32 {
        let lost = self.parameters.virtual_loss * arm.in_flight;
        let visits = arm.visits + arm.in_flight;
        let imagined = if self.rule == Rule::Puct { 0.0 } else { self.parameters.prior_visits };
        let weight = arm.visits + lost + imagined;
        let mean = match arm.known {
            Some(value) => value,
            None if weight > 0.0 => (arm.sum - lost + imagined * parent.foreseen(arm.prior)) / weight,
            None => urgency,
        };
        if self.rule == Rule::Puct {
            // Visits under way count, so that threads and batches spread over the children.
            return mean + parent.puct * arm.prior / (1.0 + visits);
        }
        let mut value = (mean + 1.0) * 0.5;
        let (rave, rave_mean) = arm.rave;
        if rave > 0.0 && arm.known.is_none() {
            // The share that minimises the squared error (Silver's thesis, 2009, for a constant bias).
            let share = rave / (rave + weight + rave * weight / self.parameters.rave_equivalence);
            value += share * ((rave_mean + 1.0) * 0.5 - value);
        }
        let bias = parent.puct * arm.prior / (1.0 + visits);
        value + self.parameters.exploration * (parent.log / visits.max(1.0)).sqrt() + bias
    }
}

/// Random boosts of root priors in one selection, as in dlshogi's root noise.
#[derive(Clone, Copy)]
pub(super) struct Kicks {
    chance: f32,
    seed: u64,
}

impl Kicks {
    /// Those of the selection after `visits` of the root.
    pub(super) fn new(chance: f32, seed: u64, visits: u64) -> Kicks {
        Kicks { chance, seed: Random::for_item(seed, visits).next_u64() }
    }

    fn hit(self, i: usize) -> bool {
        Random::for_item(self.seed, i as u64).unit() < f64::from(self.chance)
    }
}

impl<P: Position> Tree<P> {
    /// The edge to follow from `node`, by its place in `block`; `None` when all are barred. Ties go to the first, which has the highest prior.
    pub(super) fn choose(&self, id: u32, block: Block) -> Option<(usize, EdgeWord)> {
        let len = usize::from(block.len);
        let parent = self.selection().parent(self.node(id), len);
        // Wanted moves may have small priors and stand behind the width.
        let width = if id == 0 && self.is_restricted() { len } else { self.selection().width(&parent, len) };
        let (best, lost) = self.weigh(id, block, &parent, width);
        if best.is_some() || width == len {
            return best.or(lost);
        }
        // All moves considered so far are proven to lose: the others are the only hope.
        let (best, lost_too) = self.weigh(id, block, &parent, len);
        best.or(lost).or(lost_too)
    }

    /// The best of the first `width` edges, and the first of those that are proven to lose.
    fn weigh(&self, id: u32, block: Block, parent: &Parent, width: usize) -> (Option<Pick>, Option<Pick>) {
        let selection = self.selection();
        let rave_used = selection.uses_rave();
        // Below the root edges are visited in order, so the first without a child ends the list of those to weigh.
        let in_order = id != 0 && !rave_used;
        let mut best: Option<(f32, Pick)> = None;
        let (mut lost, mut fresh) = (None, None);
        let mut visited = 0.0;
        // At the root chance may kick moves that were never visited.
        let kicks = if id == 0 { self.kicks(parent.visits as u64) } else { None };
        let mut kicked_fresh = Vec::new();
        let mut consider = |arm: &Arm, urgency: f32, pick: Pick| {
            let score = selection.score(parent, arm, urgency);
            if best.is_none_or(|(known, _)| score > known) {
                best = Some((score, pick));
            }
        };
        for (i, edge) in self.edges_of(block)[..width].iter().enumerate() {
            let word = edge.load();
            if word.is_barred() {
                continue;
            }
            let mut arm = Arm { prior: word.prior(), ..Arm::default() };
            let is_kicked = kicks.is_some_and(|kicks| kicks.hit(i));
            if is_kicked {
                // Half way to 1: a move that is drawn is tried, however small its prior.
                arm.prior = (arm.prior + 1.0) / 2.0;
            }
            if rave_used {
                arm.rave = self.rave_of(block, i).mean();
            }
            let Some(child) = self.child(word) else {
                if arm.rave.0 > 0.0 {
                    consider(&arm, arm.rave.1, (i, word));
                } else if is_kicked {
                    kicked_fresh.push((arm, (i, word)));
                } else if fresh.is_none() {
                    fresh = Some((arm, (i, word)));
                }
                if in_order {
                    break;
                }
                continue;
            };
            let proof = child.proof();
            if let Proof::Win(_) = proof {
                lost = lost.or(Some((i, word)));
                continue;
            }
            (arm.visits, arm.in_flight) = (child.visits() as f32, child.in_flight() as f32);
            arm.sum = child.sum() as f32;
            if self.parameters.transpositions {
                // What other ways brought tells how good the child is, not how often it was looked at from here.
                let followed = self.visits_of(block.first + i as u32, child) as f32;
                (arm.sum, arm.visits) = (arm.sum / arm.visits.max(1.0) * followed, followed);
            }
            arm.known = proof.value().map(|v| -v);
            visited += arm.prior;
            consider(&arm, parent.value, (i, word));
        }
        for (arm, pick) in fresh.into_iter().chain(kicked_fresh) {
            consider(&arm, selection.first_play(parent, visited), pick);
        }
        let best = best.map(|(_, pick)| pick);
        if let (Some(kicks), Some((i, word))) = (kicks, best)
            && kicks.hit(i)
        {
            self.note_kicked(word.mv());
        }
        (best, lost)
    }
}
