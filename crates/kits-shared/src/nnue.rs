//! Efficiently updatable networks at play: read from the option that names the file of an evaluation, and explained by taking
//! pieces away.

use std::{fmt::Write as _, io::Read, ops::Range, path::Path, sync::Arc};
use tesuji_game::{Evaluator, Position, Side};
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

    /// The value of a position for the first side, by each set of layers, and what each of `without` (the position without a
    /// piece, by the piece's square) lacks of it: for people. `sides` are the names of the sides.
    pub fn explain<P: Position>(&self, pos: &P, without: &[(String, P)], sides: [&str; 2]) -> String
    where
        F: FeatureSet<P>,
    {
        let architecture = self.architecture();
        let mut eval = self.evaluator::<P>();
        let mut text = format!(
            "net {}: {} ({} inputs) -> {} x 2 -> {}{}\n",
            architecture.name,
            architecture.features.set,
            architecture.features.inputs,
            architecture.width,
            architecture.hidden.iter().map(|outputs| format!("{outputs} -> ")).collect::<String>(),
            architecture.output_buckets
        );
        let value = first_value(&mut eval, pos);
        let _ = writeln!(text, "value {value:+} cp for {}", sides[0]);
        if architecture.output_buckets > 1 {
            let used = self.inputs.output_bucket(pos, architecture.output_buckets);
            let sign = if pos.side_to_move() == Side::First { 1 } else { -1 };
            eval.reset(pos);
            let each = (0..architecture.output_buckets).map(|bucket| {
                let mark = if bucket == used { "*" } else { "" };
                format!("{bucket}{mark} {:+}", sign * eval.value_by(pos, bucket))
            });
            let _ = writeln!(text, "by output bucket (* the one used): {}", each.collect::<Vec<_>>().join(", "));
        }
        let mut worths: Vec<(&str, i32)> =
            without.iter().map(|(square, pos)| (&**square, value - first_value(&mut eval, pos))).collect();
        worths.sort_by_key(|&(_, worth)| -worth.abs());
        let _ = writeln!(text, "what each piece adds, by taking it away:");
        for (square, worth) in worths {
            let _ = writeln!(text, "  {square:<3} {worth:>+6}");
        }
        text
    }

    /// Who made the network from what.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }
}

/// The static value for the first side, in centipawns.
pub fn first_value<P: Position, E: Evaluator<P>>(eval: &mut E, pos: &P) -> i32 {
    eval.reset(pos);
    let value = eval.value(pos).raw();
    if pos.side_to_move() == Side::First { value } else { -value }
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
