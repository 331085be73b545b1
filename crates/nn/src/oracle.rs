//! A net as an oracle for tree search: positions to planes, logits to priors of legal moves, symmetries, a cache.

use crate::{
    Architecture, NetError, NetSession, Outputs, Service,
    cache::{Cache, CachedQuestion},
};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Encoding, Oracle, OracleError, Position, Query, Shape};
use tesuji_options::options;

options! {
    /// Options of a network's answers.
    pub struct NetParameters(expert) {
        /// How positions are turned before the net sees them: not at all, each in a way of its own, or in all ways, whose answers are averaged.
        symmetry: Choice = "random" of ["none", "random", "average"], "NetSymmetry";
        /// Priors are a softmax of logits divided by this: above 1 they come closer to each other.
        temperature: f32 = 1.0 in 0.05..=10.0, "PolicyTemperature";
        /// Memory for answers that may be asked for again, in MiB; 0 keeps none.
        cache_mib: usize = 64 in 0..=65536, "NetCache";
        /// Positions that all threads together ask the net about at most in one call.
        batch_max: usize = 256 in 1..=4096, "NetBatchMax";
    }
}

/// The oracle. Clones share net and cache and are for other threads.
///
/// # Examples
///
/// ```
/// use tesuji_game::{Encoding, Line, Oracle, Query, Shape};
/// use tesuji_nn::{Architecture, Net, NetOracle, NetParameters, Weights};
/// use tesuji_testkit::four::{Drop, FourPosition};
/// use std::sync::Arc;
/// /// The discs of the side to move and those of its opponent.
/// #[derive(Clone)]
/// struct Discs;
/// impl Encoding<FourPosition> for Discs {
///     fn name(&self) -> &'static str {
///         "discs-1"
///     }
///     fn planes(&self) -> usize {
///         2
///     }
///     fn shape(&self, _: &FourPosition) -> Shape {
///         Shape { planes: 2, height: 6, width: 7, actions: 43 }
///     }
///     fn symmetries(&self, _: &FourPosition) -> u8 {
///         1
///     }
///     fn encode(&self, line: &Line<FourPosition>, _: u8, planes: &mut [f32]) {
///         let (own, other) = line.here().discs();
///         for cell in 0..42 {
///             let bit = 7 * (cell % 7) + cell / 7;
///             (planes[cell], planes[42 + cell]) = ((own >> bit & 1) as f32, (other >> bit & 1) as f32);
///         }
///     }
///     fn action(&self, _: &FourPosition, mv: Drop, _: u8) -> usize {
///         usize::from(mv.0)
///     }
///     fn point(&self, _: &FourPosition, point: usize, _: u8) -> usize {
///         point
///     }
/// }
/// let weights = Weights::random(Architecture::for_any_size("discs-1", 2, 7, 1, 16), 1);
/// let net = Arc::new(Net::new(&weights)?);
/// let mut oracle = NetOracle::new(net, Discs, NetParameters::default())?;
/// let mut query = Query::new(Line::new(FourPosition::default()));
/// query.line.legal_moves(&mut query.moves);
/// let mut batch = [query];
/// oracle.ask(&mut batch)?;
/// let answer = &batch[0].answer;
/// assert!(answer.value.abs() <= 1.0 && answer.policy.len() == 7);
/// assert!((answer.policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
/// // Asked again, the cache knows.
/// oracle.ask(&mut batch)?;
/// assert_eq!((oracle.counts()[0].probes, oracle.counts()[0].hits), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct NetOracle<E> {
    net: Arc<dyn Service>,
    encoding: E,
    parameters: NetParameters,
    cache: Option<Arc<Cache>>,
    /// The symmetry for every position, whatever the options say.
    turn: Option<u8>,
    /// Made for the boards of the last question.
    runner: Option<(Shape, Box<dyn NetSession>)>,
    planes: Vec<f32>,
    rows: Vec<Row>,
}

/// A position on its way through the net.
#[derive(Debug, Clone, Copy)]
struct Row {
    query: usize,
    symmetry: u8,
    /// One over the number of rows of the query.
    share: f32,
}

impl<E: Clone> Clone for NetOracle<E> {
    fn clone(&self) -> Self {
        NetOracle {
            net: self.net.clone(),
            encoding: self.encoding.clone(),
            parameters: self.parameters.clone(),
            cache: self.cache.clone(),
            turn: self.turn,
            runner: None,
            planes: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl<E> NetOracle<E> {
    /// An oracle that shows positions to `net` through `encoding`.
    ///
    /// # Errors
    /// When the net was trained on other features.
    pub fn new<P: Position>(
        net: impl Service + 'static,
        encoding: E,
        parameters: NetParameters,
    ) -> Result<Self, NetError>
    where
        E: Encoding<P>,
    {
        Self::over(Arc::new(net), encoding, parameters)
    }

    /// [`NetOracle::new`] with a net that others use, too.
    ///
    /// # Errors
    /// When the net was trained on other features.
    pub fn over<P: Position>(net: Arc<dyn Service>, encoding: E, parameters: NetParameters) -> Result<Self, NetError>
    where
        E: Encoding<P>,
    {
        net.architecture().expect_features(encoding.name(), encoding.planes())?;
        let cache = (parameters.cache_mib > 0).then(|| Arc::new(Cache::new(parameters.cache_mib)));
        Ok(NetOracle {
            net,
            encoding,
            parameters,
            cache,
            turn: None,
            runner: None,
            planes: Vec::new(),
            rows: Vec::new(),
        })
    }

    /// The same without a cache and with plain priors, which turns every position by `symmetry`, or asks about all ways to turn it
    /// (`None`).
    pub fn alone(mut self, symmetry: Option<u8>) -> Self {
        (self.cache, self.turn) = (None, symmetry);
        let symmetries = if symmetry.is_some() { "none" } else { "average" };
        (self.parameters.symmetry, self.parameters.temperature) = (symmetries.into(), 1.0);
        self
    }

    /// The architecture of the net.
    pub fn architecture(&self) -> &Architecture {
        self.net.architecture()
    }

    /// The symmetry for a position that has `count` of them.
    fn symmetry_of(&self, question: CachedQuestion, count: u8) -> u8 {
        if let Some(turn) = self.turn {
            return turn % count.max(1);
        }
        if self.parameters.symmetry == "random" { (question.number() % u64::from(count.max(1))) as u8 } else { 0 }
    }

    /// Sends the rows so far through the net and adds what it says to the answers.
    fn run<P: Position>(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError>
    where
        E: Encoding<P>,
    {
        // The cache may have known all of them.
        let Some((shape, runner)) = self.runner.as_mut().filter(|_| !self.rows.is_empty()) else { return Ok(()) };
        let each = shape.planes * shape.height * shape.width;
        let outputs = runner.run(&self.planes[..self.rows.len() * each], self.rows.len())?;
        for (n, row) in self.rows.drain(..).enumerate() {
            let query = &mut batch[row.query];
            take(&self.encoding, *shape, &outputs, n, row, self.parameters.temperature, query)?;
        }
        Ok(())
    }

    /// A runner for boards of `shape`.
    fn sit<P: Position>(&mut self, shape: Shape, batch: &mut [Query<P>]) -> Result<(), OracleError>
    where
        E: Encoding<P>,
    {
        if self.runner.as_ref().is_some_and(|(known, _)| *known == shape) {
            return Ok(());
        }
        self.run(batch)?;
        // More than the net gains from would only take memory.
        let room = self.parameters.batch_max.min(self.net.run_max());
        let runner = self.net.session(shape.height, shape.width, room)?;
        let actions = self.net.architecture().actions(shape.height, shape.width);
        if actions != shape.actions {
            let text = format!("the net has {actions} actions, its features {}", shape.actions);
            return Err(OracleError::Backend(text));
        }
        self.planes = vec![0.0; room * shape.planes * shape.height * shape.width];
        self.runner = Some((shape, runner));
        Ok(())
    }
}

/// Adds the share that one row has in the answer to its query.
fn take<P: Position>(
    encoding: &impl Encoding<P>,
    shape: Shape,
    outputs: &Outputs<'_>,
    n: usize,
    row: Row,
    temperature: f32,
    query: &mut Query<P>,
) -> Result<(), OracleError> {
    let pos = query.line.here();
    let value = outputs.value[n];
    if !value.is_finite() {
        return Err(OracleError::Backend(format!("the net's value is {value}")));
    }
    let answer = &mut query.answer;
    answer.value += row.share * value;
    let points = shape.height * shape.width;
    if let Some(owned) = outputs.ownership.get(n * points..(n + 1) * points) {
        answer.ownership.resize(points, 0.0);
        for (index, mean) in answer.ownership.iter_mut().enumerate() {
            *mean += row.share * owned[encoding.point(pos, index, row.symmetry)];
        }
    }
    if let Some(&score) = outputs.score.get(n) {
        answer.score = Some(answer.score.unwrap_or(0.0) + row.share * score);
    }
    if query.wants_policy && !query.moves.is_empty() {
        let logits = &outputs.policy[n * shape.actions..][..shape.actions];
        let logit = |&mv: &P::Move| logits[encoding.action(pos, mv, row.symmetry)] / temperature;
        let most = query.moves.iter().map(logit).fold(f32::NEG_INFINITY, f32::max);
        // Less the largest logit, so that no exponential overflows.
        let weights: Vec<f32> = query.moves.iter().map(|mv| (logit(mv) - most).exp()).collect();
        let sum: f32 = weights.iter().sum();
        if !sum.is_finite() {
            return Err(OracleError::Backend("the net's policy is no number".into()));
        }
        answer.policy.resize(weights.len(), 0.0);
        answer.policy.iter_mut().zip(weights).for_each(|(mean, weight)| *mean += row.share * weight / sum);
    }
    Ok(())
}

impl<P: Position, E: Encoding<P> + Clone> Oracle<P> for NetOracle<E> {
    fn batch_max(&self) -> usize {
        self.parameters.batch_max
    }

    fn ask(&mut self, batch: &mut [Query<P>]) -> Result<(), OracleError> {
        // Rows of a call that failed.
        self.rows.clear();
        let mut asked: Vec<(usize, CachedQuestion)> = Vec::with_capacity(batch.len());
        for n in 0..batch.len() {
            let shape = self.encoding.shape(batch[n].line.here());
            self.sit(shape, batch)?;
            let each = shape.planes * shape.height * shape.width;
            let room = self.planes.len() / each;
            let query = &mut batch[n];
            query.answer.clear();
            let at = self.rows.len() * each;
            let here = &mut self.planes[at..at + each];
            self.encoding.encode(&query.line, 0, here);
            let moves = query.wants_policy.then_some(&query.moves).into_iter().flatten();
            let question = CachedQuestion::new(here, moves.map(|&mv| P::pack(mv)));
            if self.cache.as_ref().is_some_and(|cache| cache.find(question, &mut query.answer)) {
                continue;
            }
            asked.push((n, question));
            let count = self.encoding.symmetries(query.line.here()).max(1);
            let (ways, share) = match self.parameters.symmetry.as_str() {
                "average" => (0..count, 1.0 / f32::from(count)),
                _ => {
                    let one = self.symmetry_of(question, count);
                    (one..one + 1, 1.0)
                }
            };
            for symmetry in ways {
                let at = self.rows.len() * each;
                // Its planes may be there already.
                if symmetry != 0 {
                    self.encoding.encode(&batch[n].line, symmetry, &mut self.planes[at..at + each]);
                }
                self.rows.push(Row { query: n, symmetry, share });
                if self.rows.len() == room {
                    self.run(batch)?;
                }
            }
        }
        self.run(batch)?;
        if let Some(cache) = &self.cache {
            asked.into_iter().for_each(|(n, question)| cache.keep(question, &batch[n].answer));
        }
        Ok(())
    }

    fn clear(&mut self) {
        if let Some(cache) = &self.cache {
            cache.clear();
        }
    }

    fn counts(&self) -> Vec<CacheCounts> {
        let counts = self.cache.as_ref().map(|cache| cache.counts());
        counts.map(|(probes, hits)| CacheCounts::new("net cache", probes, hits)).into_iter().collect()
    }
}
