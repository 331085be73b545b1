//! Efficiently updatable networks at play: read from the option that names the file of an evaluation, and explained by taking
//! pieces away.

use serde::Serialize;
use std::{fmt, io::Read, ops::Range, path::Path, sync::Arc};
use tesuji_game::{CacheCounts, Evaluator, FirstSide, Position, Side, Value};
use tesuji_jobs::open_bounded;
use tesuji_nn::{
    NetError, Origin,
    nnue::{Architecture, Base, FILE_BYTES_MAX, FeatureSet, InputChange, Network, NnueEval, Prepared},
};

/// Bytes from which a file's kind is known.
const HEAD: usize = 16;

/// A network ready to play, with the hand-made evaluation `B` beside it; clones share it.
#[derive(Clone)]
pub struct LoadedNet<F, B> {
    network: Arc<Prepared>,
    inputs: F,
    beside: B,
    origin: Origin,
}

impl<F, B: Clone> LoadedNet<F, B> {
    /// Lays out a network whose inputs `inputs` finds. `beside` makes the evaluation beside it: by the weights in the network's file
    /// where it corrects that evaluation, else (`None`) by those that the program is built with.
    ///
    /// # Errors
    /// When the network, or its base, is not one of the game.
    pub fn new(
        network: &Network,
        inputs: impl Fn(&Architecture) -> Result<F, NetError>,
        beside: impl Fn(Option<&str>) -> Result<B, NetError>,
    ) -> Result<Self, NetError> {
        let (found, origin) = (inputs(&network.architecture)?, network.origin.clone());
        let beside = match network.architecture.base {
            Base::None => beside(None)?,
            Base::Handmade => beside(Some(&network.base))?,
        };
        Ok(LoadedNet { network: Arc::new(Prepared::new(network)?), inputs: found, beside, origin })
    }

    /// An evaluator by it; `alone` says of which positions the hand-made evaluation knows all.
    pub fn evaluator<P: Position>(&self, alone: fn(&P) -> bool) -> NetEval<P, B, NnueEval<P, F>>
    where
        F: FeatureSet<P>,
    {
        let net = NnueEval::new(self.network.clone(), self.inputs.clone());
        let is_corrected = !self.architecture().base.is_none();
        NetEval { beside: Beside { eval: self.beside.clone(), alone, is_corrected }, net }
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        self.network.architecture()
    }

    /// The value of a position, by each set of layers, and what each piece is worth: the difference that the position without it,
    /// of `without` by the piece's square, makes. `sides` are the names of the sides.
    pub fn explain<P: Position>(
        &self,
        (pos, alone): (&P, fn(&P) -> bool),
        without: &[(String, P)],
        sides: [&'static str; 2],
    ) -> NetExplanation
    where
        F: FeatureSet<P>,
        B: Evaluator<P>,
    {
        let buckets = self.architecture().output_buckets;
        let mut eval = self.evaluator(alone);
        let FirstSide(value) = first_value(&mut eval, pos);
        let is_corrected = eval.beside.is_corrected;
        let base = first_value(&mut eval.beside.eval, pos).0;
        let mover = pos.side_to_move();
        let values = (0..buckets).map(|bucket| FirstSide::of(mover, eval.net.value_by(pos, bucket)).0);
        let is_alone = alone(pos);
        let added = if is_corrected { base } else { 0 };
        let values = values.map(|of_net| if is_alone { value } else { added + of_net }).collect();
        let base = (is_corrected || is_alone).then_some(base);
        let mut pieces: Vec<(String, i32)> =
            without.iter().map(|(square, pos)| (square.clone(), value - first_value(&mut eval, pos).0)).collect();
        pieces.sort_by_key(|&(_, worth)| -worth.abs());
        let bucket = self.inputs.output_bucket(pos, buckets);
        NetExplanation { architecture: self.architecture().clone(), sides, value, base, values, bucket, pieces }
    }

    /// The origin of the network: the program that made it, and the data it was trained on.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// The explanation of a network's evaluation of a position; values in centipawns for the first side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NetExplanation {
    /// The network's shape.
    pub architecture: Architecture,
    /// The names of the sides.
    pub sides: [&'static str; 2],
    /// The value.
    pub value: i32,
    /// The part of the value that the hand-made evaluation says: where the network corrects it, or where it knows all of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<i32>,
    /// The value by the layers of each output bucket.
    pub values: Vec<i32>,
    /// The bucket that counts here.
    pub bucket: usize,
    /// Squares and what their pieces are worth: the value less that without the piece; the greatest first.
    pub pieces: Vec<(String, i32)>,
}

impl fmt::Display for NetExplanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let net = &self.architecture;
        let hidden: String = net.hidden.iter().map(|outputs| format!(" -> {outputs}")).collect();
        let (inputs, set) = (net.features.inputs, &net.features.set);
        writeln!(f, "net {}: {inputs} ({set}) -> {} x 2{hidden} -> {}", net.name, net.width, net.output_buckets)?;
        writeln!(f, "value {:+} cp for {}", self.value, self.sides[0])?;
        if let Some(base) = self.base {
            writeln!(f, "of which {base:+} by the hand-made evaluation, {:+} by the net", self.value - base)?;
        }
        if self.values.len() > 1 {
            let mark = |bucket: usize| if bucket == self.bucket { "*" } else { "" };
            let each = self.values.iter().enumerate().map(|(at, value)| format!("{at}{} {value:+}", mark(at)));
            writeln!(f, "by output bucket (* counts here): {}", each.collect::<Vec<_>>().join(", "))?;
        }
        writeln!(f, "what each piece is worth, by taking it away:")?;
        self.pieces.iter().try_for_each(|(square, worth)| writeln!(f, "  {square:<3} {worth:>+6}"))
    }
}

/// A network at play. Positions of which the hand-made evaluation knows all (forced mates of a lone king) are left to that; where the network
/// corrects it, any other value is the sum of both.
///
/// # Examples
/// ```
/// use tesuji_chess::{Board, Change};
/// use tesuji_game::{Evaluator, Value};
/// use tesuji_kits_shared::nnue::{Beside, NetEval, first_value};
/// /// Always this many centipawns.
/// #[derive(Clone)]
/// struct Worth(i32);
/// impl Evaluator<Board> for Worth {
///     fn reset(&mut self, _: &Board) {}
///     fn push(&mut self, _: &Board, _: &[Change]) {}
///     fn pop(&mut self) {}
///     fn value(&mut self, _: &Board) -> Value {
///         Value::cp(self.0)
///     }
/// }
/// let board = Board::start();
/// let value = |alone: fn(&Board) -> bool, is_corrected| {
///     let beside = Beside { eval: Worth(40), alone, is_corrected };
///     first_value(&mut NetEval { beside, net: Worth(2) }, &board).0
/// };
/// assert_eq!([value(|_| false, false), value(|_| false, true)], [2, 42]);
/// assert_eq!([value(|_| true, false), value(|_| true, true)], [40, 40]);
/// ```
pub struct NetEval<P, B, N> {
    /// The hand-made evaluation.
    pub beside: Beside<P, B>,
    /// The network.
    pub net: N,
}

/// The hand-made evaluation beside a network.
pub struct Beside<P, B> {
    /// The evaluation.
    pub eval: B,
    /// Whether it knows all of a position, so that the network is not asked.
    pub alone: fn(&P) -> bool,
    /// Whether the network's value is added to its value.
    pub is_corrected: bool,
}

impl<P, B: Clone, N: Clone> Clone for NetEval<P, B, N> {
    fn clone(&self) -> Self {
        NetEval { beside: self.beside.clone(), net: self.net.clone() }
    }
}

impl<P, B: Clone> Clone for Beside<P, B> {
    fn clone(&self) -> Self {
        Beside { eval: self.eval.clone(), alone: self.alone, is_corrected: self.is_corrected }
    }
}

impl<P: Position, B: Evaluator<P>, N: Evaluator<P>> Evaluator<P> for NetEval<P, B, N> {
    #[inline]
    fn reset(&mut self, pos: &P) {
        if self.beside.is_corrected {
            self.beside.eval.reset(pos);
        }
        self.net.reset(pos);
    }

    #[inline]
    fn push(&mut self, pos: &P, changes: &[P::Change]) {
        if self.beside.is_corrected {
            self.beside.eval.push(pos, changes);
        }
        self.net.push(pos, changes);
    }

    #[inline]
    fn pop(&mut self) {
        if self.beside.is_corrected {
            self.beside.eval.pop();
        }
        self.net.pop();
    }

    #[inline]
    fn value(&mut self, pos: &P) -> Value {
        let Beside { eval, alone, is_corrected } = &mut self.beside;
        match (alone(pos), *is_corrected) {
            (false, false) => self.net.value(pos),
            (false, true) => Value::cp(eval.value(pos).raw() + self.net.value(pos).raw()),
            (true, true) => eval.value(pos),
            // It is seldom asked, and is not kept up to date for that.
            (true, false) => {
                eval.reset(pos);
                eval.value(pos)
            }
        }
    }

    #[inline]
    fn prefetch(&self, pos: &P) {
        if self.beside.is_corrected {
            self.beside.eval.prefetch(pos);
        }
        self.net.prefetch(pos);
    }

    fn cache_counts(&self) -> Vec<CacheCounts> {
        let of_base = if self.beside.is_corrected { self.beside.eval.cache_counts() } else { Vec::new() };
        [of_base, self.net.cache_counts()].concat()
    }

    fn reset_counts(&mut self) {
        self.beside.eval.reset_counts();
        self.net.reset_counts();
    }

    fn clear(&mut self) {
        self.beside.eval.clear();
        self.net.clear();
    }
}

/// The static value as packed positions have it, in centipawns.
pub fn base_value<P: Position, E: Evaluator<P>>(eval: &mut E, pos: &P) -> FirstSide<i16> {
    let FirstSide(value) = first_value(eval, pos);
    FirstSide(value.clamp(-i32::from(i16::MAX), i16::MAX.into()) as i16)
}

/// The static value, in centipawns.
pub fn first_value<P: Position, E: Evaluator<P>>(eval: &mut E, pos: &P) -> FirstSide<i32> {
    eval.reset(pos);
    FirstSide::of(pos.side_to_move(), eval.value(pos).raw())
}

/// The bytes of a file, unpacked, if `is_net` says of its first ones that it is a network; `None` for every other file.
///
/// # Errors
/// Those of the file system, with the path, or that the file is too large.
pub fn read_if_net(path: &Path, is_net: impl Fn(&[u8]) -> bool) -> std::io::Result<Option<Vec<u8>>> {
    let mut file = open_bounded(path, FILE_BYTES_MAX)?;
    let mut bytes = Vec::new();
    file.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
    if !is_net(&bytes) {
        return Ok(None);
    }
    file.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The inputs of a game that has no networks of this kind.
#[derive(Debug, Clone, Copy)]
pub enum NoInputs {}

impl<P: Position> FeatureSet<P> for NoInputs {
    fn inputs(&self) -> usize {
        match *self {}
    }
    fn active_max(&self) -> usize {
        match *self {}
    }
    fn frames(&self) -> usize {
        match *self {}
    }
    fn frame(&self, _: &P, _: Side) -> usize {
        match *self {}
    }
    fn rows(&self, _: usize) -> Range<u32> {
        match *self {}
    }
    fn for_each_active(&self, _: &P, _: Side, _: impl FnMut(u32)) {
        match *self {}
    }
    fn changed(&self, _: usize, _: Side, _: P::Change) -> Option<InputChange> {
        match *self {}
    }
    fn output_bucket(&self, _: &P, _: usize) -> usize {
        match *self {}
    }
}
