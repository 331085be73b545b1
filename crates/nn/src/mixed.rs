//! Several nets behind the door of one: all are asked and their answers averaged, or each thread asks one of them.

use crate::{Architecture, NetError, NetSession, Outputs, Service};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Instant,
};
use tesuji_game::OracleError;

/// Groups of nets. A session asks all nets of one group and answers with their mean: of values, margins and ownership, and of the
/// probabilities of actions. Sessions take the groups in turn, so that threads spread over them.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use tesuji_nn::{Architecture, MixedNets, Net, Service, Weights};
/// let net = |seed| -> Arc<dyn Service> {
///     let weights = Weights::random(Architecture::for_any_size("go-1", 8, 9, 2, 16), seed);
///     Arc::new(Arc::new(Net::new(&weights).expect("a net")))
/// };
/// let (first, second) = (net(1), net(2));
/// let both = MixedNets::new(vec![vec![first.clone(), second.clone()]])?;
/// let planes = vec![0.5; 8 * 81];
/// let value = |net: &dyn Service| -> f32 {
///     net.session(9, 9, 1).and_then(|mut session| Ok(session.run(&planes, 1)?.value[0])).expect("an answer")
/// };
/// let mean = (value(&*first) + value(&*second)) / 2.0;
/// assert!((value(&both) - mean).abs() < 1e-6);
/// // A group each: one session for each in turn.
/// let each = MixedNets::new(vec![vec![first.clone()], vec![second.clone()]])?;
/// assert_eq!([value(&each), value(&each)], [value(&*first), value(&*second)]);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
pub struct MixedNets {
    groups: Vec<Vec<Arc<dyn Service>>>,
    /// Sessions opened so far.
    opened: AtomicUsize,
}

impl MixedNets {
    /// Nets that see positions alike and have the same actions; groups and what is in them must not be empty.
    ///
    /// # Errors
    /// When one of them sees other planes than the first.
    ///
    /// # Panics
    /// Without a net.
    pub fn new(groups: Vec<Vec<Arc<dyn Service>>>) -> Result<MixedNets, NetError> {
        assert!(!groups.is_empty() && groups.iter().all(|group| !group.is_empty()), "a group without a net");
        let first = groups[0][0].architecture();
        for net in groups.iter().flatten() {
            net.architecture().expect_features(&first.features, first.planes)?;
        }
        Ok(MixedNets { groups, opened: AtomicUsize::new(0) })
    }

    fn nets(&self) -> impl Iterator<Item = &Arc<dyn Service>> {
        self.groups.iter().flatten()
    }
}

impl Service for MixedNets {
    fn architecture(&self) -> &Architecture {
        self.groups[0][0].architecture()
    }

    fn run_max(&self) -> usize {
        self.nets().map(|net| net.run_max()).min().unwrap_or(1)
    }

    fn set_due(&self, due: Option<Instant>) {
        self.nets().for_each(|net| net.set_due(due));
    }

    fn session(&self, height: usize, width: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        let group = &self.groups[self.opened.fetch_add(1, Relaxed) % self.groups.len()];
        let actions = self.architecture().actions(height, width);
        if let Some(other) = group.iter().map(|net| net.architecture().actions(height, width)).find(|&n| n != actions) {
            return Err(OracleError::Backend(format!("nets of {actions} and {other} actions cannot be mixed")));
        }
        let sessions = group.iter().map(|net| net.session(height, width, batch_max));
        let mut sessions = sessions.collect::<Result<Vec<_>, _>>()?;
        match sessions.len() {
            1 => Ok(sessions.remove(0)),
            _ => Ok(Box::new(MeanSession { sessions, actions, mean: Sums::default() })),
        }
    }
}

/// Sums of the outputs of several nets.
#[derive(Default)]
struct Sums {
    policy: Vec<f32>,
    value: Vec<f32>,
    ownership: Vec<f32>,
    score: Vec<f32>,
}

/// A session with all nets of a group.
struct MeanSession {
    sessions: Vec<Box<dyn NetSession>>,
    actions: usize,
    mean: Sums,
}

/// Adds `share` of the numbers `more`; a head that one of the nets lacks has no mean.
fn add(sums: &mut Vec<f32>, more: &[f32], share: f32, is_first: bool) {
    if is_first {
        sums.clear();
        sums.resize(more.len(), 0.0);
    }
    sums.truncate(more.len());
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += share * more);
}

/// Adds `share` of the probabilities that these logits mean.
fn add_chances(sums: &mut [f32], logits: &[f32], share: f32) {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    sums.iter_mut().zip(logits).for_each(|(sum, logit)| *sum += share * (logit - most).exp() / total);
}

impl NetSession for MeanSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        let share = 1.0 / self.sessions.len() as f32;
        let Sums { policy, value, ownership, score } = &mut self.mean;
        policy.clear();
        policy.resize(batch * self.actions, 0.0);
        for (number, session) in self.sessions.iter_mut().enumerate() {
            let outputs = session.run(planes, batch)?;
            for (sums, logits) in policy.chunks_mut(self.actions).zip(outputs.policy.chunks(self.actions)) {
                add_chances(sums, logits, share);
            }
            for (sums, more) in [(&mut *value, outputs.value), (ownership, outputs.ownership), (score, outputs.score)] {
                add(sums, more, share, number == 0);
            }
        }
        // Logits again; what no net would ever play stays finite.
        policy.iter_mut().for_each(|chance| *chance = chance.max(f32::MIN_POSITIVE).ln());
        Ok(Outputs { policy, value, ownership, score })
    }
}
