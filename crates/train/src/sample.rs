//! Training samples: positions as input planes with the targets of a net, and their sources.

/// A training sample: one position with its targets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// `[planes][rows][columns]`, as the encoding writes them.
    pub planes: Vec<f32>,
    /// Actions with their shares, which sum to 1: one move, or the visits of a search. Empty: the policy is not taught.
    pub policy: Vec<(u16, f32)>,
    /// The result for the side to move, in -1..=1.
    pub value: f32,
    /// The weight of the value in the loss; 0 where the result is unknown.
    pub value_weight: f32,
    /// Ownership of each point at the end, -1..=1 for the side to move: `[points]`, or empty where unknown.
    pub ownership: Vec<f32>,
    /// The margin at the end in points, for the side to move.
    pub score: Option<f32>,
}

impl Sample {
    /// Clears all fields and keeps the buffers.
    pub fn clear(&mut self) {
        self.planes.clear();
        self.policy.clear();
        self.ownership.clear();
        (self.value, self.value_weight, self.score) = (0.0, 0.0, None);
    }
}

/// The reason why a source gives no more samples.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// There is no position in it that could be learned from.
    #[error("no positions to learn from: {0}")]
    Empty(String),
    /// A file could not be read, with its name.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A record is wrong: file, line or record, and what was expected.
    #[error("{0}")]
    Record(String),
}

/// An endless stream of samples in two steps: drawing is cheap and in one order, so that a resumed run draws again what it
/// has drawn already; filling is what takes time, and is done by several threads.
///
/// # Examples
///
/// Boards of 2x2 with one stone, where the move to learn is to play beside it:
///
/// ```
/// use tesuji_train::sample::{Sample, Source, SourceError};
///
/// struct OneStone {
///     drawn: usize,
/// }
///
/// impl Source for OneStone {
///     type Key = usize;
///     fn draw(&mut self) -> Result<usize, SourceError> {
///         self.drawn += 1;
///         Ok(self.drawn % 4)
///     }
///     fn fill(&self, stone: &usize, sample: &mut Sample) {
///         sample.clear();
///         sample.planes.extend((0..4).map(|at| f32::from(u8::from(at == *stone))));
///         sample.policy.push(((stone ^ 1) as u16, 1.0));
///     }
/// }
///
/// let mut source = OneStone { drawn: 0 };
/// let key = source.draw()?;
/// let mut sample = Sample::default();
/// source.fill(&key, &mut sample);
/// assert_eq!((&sample.planes[..], &sample.policy[..]), (&[0.0, 1.0, 0.0, 0.0][..], &[(0, 1.0)][..]));
/// # Ok::<(), SourceError>(())
/// ```
pub trait Source: Sync {
    /// The key of a sample, such as a game and the number of a move.
    type Key: Send + Sync;

    /// The next sample of the stream. The same source gives the same keys.
    ///
    /// # Errors
    /// When there are none, or a file cannot be read.
    fn draw(&mut self) -> Result<Self::Key, SourceError>;

    /// The sample of a key.
    fn fill(&self, key: &Self::Key, sample: &mut Sample);
}
