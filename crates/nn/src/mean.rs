//! Several oracles that answer as one: the mean of what they say.

use tesuji_game::{Answer, CacheCounts, Oracle, OracleError, Position, Query};

/// Asks all of its oracles and answers with their mean: errors that are independent become smaller.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Line, Oracle, OracleError, Position, Query};
/// use tesuji_nn::MeanOracle;
/// use tesuji_testkit::four::FourPosition;
/// /// Says the same of every position.
/// struct Says(f32);
///
/// impl<P: Position> Oracle<P> for Says {
///     fn batch_max(&self) -> usize {
///         8
///     }
///
///     fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
///         batch.iter_mut().for_each(|query| query.answer.value = self.0);
///         Ok(())
///     }
/// }
/// let mut mean = MeanOracle::of(vec![Says(0.5), Says(-0.25)]).unwrap();
/// let mut batch = [Query::new(Line::new(FourPosition::default()))];
/// mean.ask(&mut batch)?;
/// assert_eq!(batch[0].answer.value, 0.125);
/// # Ok::<(), OracleError>(())
/// ```
#[derive(Clone)]
pub struct MeanOracle<O> {
    oracles: Vec<O>,
    sums: Vec<Answer>,
}

impl<O> MeanOracle<O> {
    /// The mean of `oracles`; `None` where there is none.
    pub fn of(oracles: Vec<O>) -> Option<MeanOracle<O>> {
        (!oracles.is_empty()).then_some(MeanOracle { oracles, sums: Vec::new() })
    }
}

/// Adds the numbers of `more`, which are of the same lengths or longer.
fn add(sum: &mut Answer, more: &Answer, share: f32) {
    sum.value += share * more.value;
    sum.draw += share * more.draw;
    if let Some(score) = more.score {
        sum.score = Some(sum.score.unwrap_or(0.0) + share * score);
    }
    for (sum, more) in [(&mut sum.policy, &more.policy), (&mut sum.ownership, &more.ownership)] {
        sum.resize(sum.len().max(more.len()), 0.0);
        sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += share * more);
    }
}

impl<P: Position, O: Oracle<P>> Oracle<P> for MeanOracle<O> {
    fn batch_max(&self) -> usize {
        self.oracles.iter().map(O::batch_max).min().unwrap_or(1)
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        let share = 1.0 / self.oracles.len() as f32;
        // Without copies of answers where there is nothing to average.
        if let [only] = &mut self.oracles[..] {
            return only.ask(batch);
        }
        // Never fewer: the buffers of larger batches are kept.
        self.sums.resize_with(self.sums.len().max(batch.len()), Answer::default);
        self.sums.iter_mut().for_each(Answer::clear);
        for oracle in &mut self.oracles {
            oracle.ask(batch)?;
            self.sums.iter_mut().zip(&*batch).for_each(|(sum, query)| add(sum, &query.answer, share));
        }
        batch.iter_mut().zip(&mut self.sums).for_each(|(query, sum)| std::mem::swap(&mut query.answer, sum));
        Ok(())
    }

    fn clear(&mut self) {
        self.oracles.iter_mut().for_each(O::clear);
    }

    fn counts(&self) -> Vec<CacheCounts> {
        self.oracles.iter().flat_map(O::counts).collect()
    }
}
