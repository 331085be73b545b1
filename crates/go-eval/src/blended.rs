//! A net and playouts as one oracle: the net names the moves of a leaf that opens, and both value it.
//!
//! The mixture of AlphaGo (Silver et al., "Mastering the game of Go with deep neural networks and tree search", 2016), whose leaves were
//! valued half by a network and half by a playout.

use crate::PlayoutOracle;
use tesuji_game::{Answer, CacheCounts, Oracle, OracleError, Query};
use tesuji_go::{Area, GoPosition};
use tesuji_options::options;

options! {
    /// Options for combining a net with playouts.
    pub struct BlendParameters(expert) {
        /// Beside a net: the share of playouts in the value of a leaf. 0 plays none; above, the net is asked once for each leaf,
        /// when it opens, and later visits of closed leaves (ExpandAfter) are valued by playouts alone.
        playout_share: f32 = 0.0 in 0.0..=1.0, "PlayoutShare";
        /// Then: the share of learned pattern strengths in the priors, the rest is the net's.
        pattern_share: f32 = 0.0 in 0.0..=1.0, "PatternShare";
    }
}

/// Of this many leaves that a net without an ownership head values alone, one is played out for whose each point will be and by how much
/// the side to move leads.
const OWNERSHIP_EVERY: u32 = 16;

/// The oracle. A clone is for another thread.
#[derive(Clone)]
pub struct Blended<A: Area, N> {
    net: N,
    playouts: PlayoutOracle<A>,
    parameters: BlendParameters,
    patterns: Vec<f32>,
    /// Leaves that the net valued alone.
    alone: u32,
}

impl<A: Area, N: Oracle<GoPosition<A>>> Blended<A, N> {
    /// `net` with `playouts`, in the shares that `parameters` say.
    pub fn new(net: N, playouts: PlayoutOracle<A>, parameters: BlendParameters) -> Self {
        Blended { net, playouts, parameters, patterns: Vec::new(), alone: 0 }
    }

    /// Whether the net values all leaves by itself.
    fn is_net_alone(&self) -> bool {
        self.parameters.playout_share == 0.0
    }

    /// Adds to the answer of a net that knows no ownership what a playout says of it and of the lead, for one leaf of several; value and
    /// moves stay the net's. Its own score is dropped: without points to learn it from it is a guess that is often several times too large.
    fn add_ownership(&mut self, query: &mut Query<GoPosition<A>>) -> Result<(), OracleError> {
        if !query.answer.ownership.is_empty() {
            return Ok(());
        }
        let is_due = self.alone.is_multiple_of(OWNERSHIP_EVERY);
        self.alone = self.alone.wrapping_add(1);
        query.answer.score = None;
        if !is_due {
            return Ok(());
        }
        let of_net = std::mem::take(&mut query.answer);
        let wanted = std::mem::replace(&mut query.wants_policy, false);
        let asked = self.playouts.ask(std::slice::from_mut(query));
        query.wants_policy = wanted;
        let (ownership, score) = (std::mem::take(&mut query.answer.ownership), query.answer.score);
        query.answer = Answer { ownership, score, ..of_net };
        asked
    }

    /// Mixes what playouts say into the answer of the net, if it was asked.
    fn blend(&mut self, query: &mut Query<GoPosition<A>>) -> Result<(), OracleError> {
        let (opens, of_net) = (query.wants_policy, query.answer.value);
        if opens {
            PlayoutOracle::look_at_pass(query);
        }
        if self.is_net_alone() {
            return self.add_ownership(query);
        }
        if opens {
            let share = self.parameters.pattern_share;
            if share > 0.0 {
                self.playouts.fill_patterns(query, &mut self.patterns);
                query.answer.policy.iter_mut().zip(&self.patterns).for_each(|(net, own)| *net += share * (own - *net));
            }
            self.playouts.hold_back(query);
        }
        if query.wants_value {
            // The net has named the moves: playouts are asked for a value alone.
            query.wants_policy = false;
            let asked = self.playouts.ask(std::slice::from_mut(query));
            query.wants_policy = opens;
            asked?;
            if opens {
                let share = self.parameters.playout_share;
                query.answer.value = share * query.answer.value + (1.0 - share) * of_net;
            }
        }
        Ok(())
    }
}

impl<A: Area, N: Oracle<GoPosition<A>>> Oracle<GoPosition<A>> for Blended<A, N> {
    fn batch_max(&self) -> usize {
        self.net.batch_max()
    }

    fn ask(&mut self, batch: &mut [Query<GoPosition<A>>]) -> Result<(), OracleError> {
        for part in batch.chunk_by_mut(|a, b| a.wants_policy == b.wants_policy) {
            if self.is_net_alone() || part.first().is_some_and(|query| query.wants_policy) {
                self.net.ask(part)?;
            } else {
                part.iter_mut().for_each(|query| query.answer.clear());
            }
            for query in part {
                self.blend(query)?;
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.net.clear();
        self.playouts.clear();
        // The first leaf of a new game is played out: a search of one visit tells whose points are.
        self.alone = 0;
    }

    fn counts(&self) -> Vec<CacheCounts> {
        [self.net.counts(), self.playouts.counts()].concat()
    }
}
