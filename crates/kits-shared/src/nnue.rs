//! Efficiently updatable networks at play: read from the option that names the file of an evaluation, and explained by taking
//! pieces away.

use serde::Serialize;
use std::{fmt, io::Read, ops::Range, path::Path, sync::Arc};
use tesuji_game::{Evaluator, FirstSide, Position, Side};
use tesuji_jobs::open_bounded;
use tesuji_nn::{
    NetError, Origin,
    nnue::{Architecture, FILE_BYTES_MAX, FeatureSet, InputChange, Network, NnueEval, Prepared},
};

/// Bytes from which a file's kind is known.
const HEAD: usize = 16;

/// A network ready to play; clones share it.
#[derive(Clone)]
pub struct LoadedNet<F> {
    network: Arc<Prepared>,
    inputs: F,
    origin: Origin,
}

impl<F> LoadedNet<F> {
    /// Lays out a network whose inputs `inputs` finds.
    ///
    /// # Errors
    /// When the network is not one of the game.
    pub fn new(network: &Network, inputs: impl Fn(&Architecture) -> Result<F, NetError>) -> Result<Self, NetError> {
        let found = inputs(&network.architecture)?;
        let origin = network.origin.clone();
        Ok(LoadedNet { network: Arc::new(Prepared::new(network)?), inputs: found, origin })
    }

    /// An evaluator by it.
    pub fn evaluator<P: Position>(&self) -> NnueEval<P, F>
    where
        F: FeatureSet<P>,
    {
        NnueEval::new(self.network.clone(), self.inputs.clone())
    }

    /// The shape.
    pub fn architecture(&self) -> &Architecture {
        self.network.architecture()
    }

    /// The value of a position, by each set of layers, and what each piece is worth: the difference that the position without it,
    /// of `without` by the piece's square, makes. `sides` are the names of the sides.
    pub fn explain<P: Position>(&self, pos: &P, without: &[(String, P)], sides: [&'static str; 2]) -> NetExplanation
    where
        F: FeatureSet<P>,
    {
        let buckets = self.architecture().output_buckets;
        let mut eval = self.evaluator::<P>();
        let FirstSide(value) = first_value(&mut eval, pos);
        let mover = pos.side_to_move();
        let values = (0..buckets).map(|bucket| FirstSide::of(mover, eval.value_by(pos, bucket)).0).collect();
        let mut pieces: Vec<(String, i32)> =
            without.iter().map(|(square, pos)| (square.clone(), value - first_value(&mut eval, pos).0)).collect();
        pieces.sort_by_key(|&(_, worth)| -worth.abs());
        let bucket = self.inputs.output_bucket(pos, buckets);
        NetExplanation { architecture: self.architecture().clone(), sides, value, values, bucket, pieces }
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
        if self.values.len() > 1 {
            let mark = |bucket: usize| if bucket == self.bucket { "*" } else { "" };
            let each = self.values.iter().enumerate().map(|(at, value)| format!("{at}{} {value:+}", mark(at)));
            writeln!(f, "by output bucket (* counts here): {}", each.collect::<Vec<_>>().join(", "))?;
        }
        writeln!(f, "what each piece is worth, by taking it away:")?;
        self.pieces.iter().try_for_each(|(square, worth)| writeln!(f, "  {square:<3} {worth:>+6}"))
    }
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
