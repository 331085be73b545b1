//! The numbers of a net as they are trained and kept in files, with where they came from.

use crate::model_file::is_foreign_model;
use crate::safetensors::{self, Metadata};
use crate::{Architecture, NetError, Tensor};
use std::collections::BTreeMap;
use tesuji_game::Random;

/// The origin of a net: program, data, figures and command, by name.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{Architecture, Origin, Weights};
/// let mut weights = Weights::random(Architecture::for_any_size("go-1", 8, 9, 1, 16), 1);
/// weights.origin = Origin::from([("games".to_string(), "selfplay, 1000 games".into())]);
/// assert_eq!(Weights::read(&weights.write())?.origin, weights.origin);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
pub type Origin = BTreeMap<String, String>;

/// The weights of a net as files hold them and training changes them: tensors in single precision, batch norm not folded.
///
/// # Examples
///
/// ```
/// use tesuji_nn::{Architecture, Weights};
/// let make = |seed| Weights::random(Architecture::for_any_size("go-1", 8, 9, 1, 16), seed);
/// let (one, other) = (make(1), make(2));
/// assert_eq!(Weights::read(&one.write())?, one);
/// // Three quarters of one net and one quarter of the other.
/// let mean = Weights::average(&[(&one, 3.0), (&other, 1.0)])?;
/// let first = |net: &Weights| net.numbers("policy.conv.weight")[0];
/// assert!((first(&mean) - (0.75 * first(&one) + 0.25 * first(&other))).abs() < 1e-6);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// The shape.
    pub architecture: Architecture,
    /// The origin of the numbers.
    pub origin: Origin,
    /// Exactly those of [`Architecture::tensors`].
    pub tensors: BTreeMap<String, Tensor>,
}

const ARCHITECTURE: &str = "tesuji.architecture";
const ORIGIN: &str = "tesuji.origin";

impl Weights {
    /// Puts a net together.
    ///
    /// # Errors
    /// When the tensors are not those of the architecture, or hold a number that is not finite.
    pub fn new(
        architecture: Architecture,
        origin: Origin,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, NetError> {
        let weights = Weights { architecture, origin, tensors };
        weights.check()?;
        Ok(weights)
    }

    /// That the tensors are those of the architecture.
    ///
    /// # Errors
    /// With the first that is missing, unknown, of another shape, or not finite.
    pub fn check(&self) -> Result<(), NetError> {
        self.architecture.check()?;
        let wanted = self.architecture.tensors();
        for (name, expected) in &wanted {
            let tensor = self.tensors.get(name).ok_or_else(|| NetError::Missing(name.clone()))?;
            if tensor.shape != *expected || tensor.data.len() != expected.iter().product::<usize>() {
                let (name, found) = (name.clone(), tensor.shape.clone());
                return Err(NetError::Shape { name, found, expected: expected.clone() });
            }
            let negative = name.ends_with(".variance") && tensor.data.iter().any(|&number| number < 0.0);
            if negative || !tensor.data.iter().all(|number| number.is_finite()) {
                return Err(NetError::NotFinite(name.clone()));
            }
        }
        if self.tensors.len() > wanted.len() {
            let known = |name: &&String| wanted.iter().all(|(other, _)| other != *name);
            if let Some(name) = self.tensors.keys().find(known) {
                return Err(NetError::Unknown(name.clone()));
            }
        }
        Ok(())
    }

    /// A net that knows nothing, ready to be trained: normal numbers after He et al. (2015), small last layers, batch
    /// norms that change nothing. The same seed gives the same net.
    ///
    /// # Panics
    /// When the architecture is wrong.
    pub fn random(architecture: Architecture, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut tensors = BTreeMap::new();
        for (name, shape) in architecture.tensors() {
            let inputs: usize = shape[1..].iter().product();
            let last = ["policy.conv", "policy.pass", "value.output", "ownership", "score"];
            let gain = if last.iter().any(|part| name.starts_with(part)) { 0.5 } else { 2.0 };
            let deviation = (gain / inputs as f64).sqrt();
            let mut tensor = Tensor::filled(&shape, 0.0);
            match name.rsplit_once('.').map(|(_, part)| part) {
                Some("gamma" | "variance") => tensor.data.fill(1.0),
                Some("weight") => tensor.data.fill_with(|| (random.normal() * deviation) as f32),
                _ => {}
            }
            tensors.insert(name, tensor);
        }
        let weights = Weights { architecture, origin: Origin::new(), tensors };
        weights.check().expect("an architecture that its preset checked");
        weights
    }

    /// Reads a file of [`Weights::write`].
    ///
    /// # Errors
    /// When the bytes are no such file, end too early, or hold another net than their architecture says.
    pub fn read(bytes: &[u8]) -> Result<Self, NetError> {
        if is_foreign_model(bytes) {
            let text =
                "another program's model, which can be played, shown and timed, but neither trained nor converted";
            return Err(NetError::Format(format!("{text}: expected safetensors of tesuji's")));
        }
        let (metadata, tensors) = safetensors::read(bytes)?;
        let text = metadata.get(ARCHITECTURE).ok_or_else(|| {
            NetError::Format(format!("safetensors without `{ARCHITECTURE}` in the metadata: no net of tesuji's"))
        })?;
        let architecture =
            serde_json::from_str(text).map_err(|error| NetError::Architecture(format!("`{ARCHITECTURE}`: {error}")))?;
        let origin = match metadata.get(ORIGIN) {
            Some(text) => {
                serde_json::from_str(text).map_err(|error| NetError::Format(format!("`{ORIGIN}`: {error}")))?
            }
            None => Origin::new(),
        };
        Weights::new(architecture, origin, tensors)
    }

    /// The bytes of a safetensors file. The same net gives the same bytes.
    pub fn write(&self) -> Vec<u8> {
        let json = |value: Result<String, serde_json::Error>| value.expect("plain structures are JSON");
        let metadata = Metadata::from([
            (ARCHITECTURE.to_owned(), json(serde_json::to_string(&self.architecture))),
            (ORIGIN.to_owned(), json(serde_json::to_string(&self.origin))),
        ]);
        let order: Vec<String> = self.architecture.tensors().into_iter().map(|(name, _)| name).collect();
        safetensors::write(&metadata, &order, &self.tensors)
    }

    /// The mean of several nets of one shape, each with a share; shares need not sum to 1. The origin is empty.
    ///
    /// # Errors
    /// When there is none, a share is no positive number, or the shapes differ.
    pub fn average(nets: &[(&Weights, f64)]) -> Result<Self, NetError> {
        let unlike = |text: String| NetError::Unlike(text);
        let Some(((first, _), others)) = nets.split_first() else { return Err(unlike("there is none".into())) };
        if let Some((_, share)) = nets.iter().find(|(_, share)| !(*share > 0.0 && share.is_finite())) {
            return Err(unlike(format!("a share is {share}, expected more than 0")));
        }
        for (index, (other, _)) in others.iter().enumerate() {
            if other.architecture != first.architecture {
                return Err(unlike(format!("net {} has another architecture than net 1", index + 2)));
            }
        }
        let total: f64 = nets.iter().map(|(_, share)| share).sum();
        let mut tensors = first.tensors.clone();
        for (name, tensor) in &mut tensors {
            for (index, number) in tensor.data.iter_mut().enumerate() {
                let sum: f64 = nets.iter().map(|(net, share)| f64::from(net.tensors[name].data[index]) * share).sum();
                *number = (sum / total) as f32;
            }
        }
        Weights::new(first.architecture.clone(), Origin::new(), tensors)
    }

    /// The numbers of a tensor.
    ///
    /// # Panics
    /// When the architecture has none of that name.
    pub fn numbers(&self, name: &str) -> &[f32] {
        &self.tensors.get(name).unwrap_or_else(|| panic!("the architecture has no tensor `{name}`")).data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A net with a bit flipped anywhere is refused, or is the net that it was; it never plays as another.
    #[test]
    fn a_flipped_bit_makes_no_other_net() {
        let architecture = Architecture::for_any_size("plain", 4, 5, 1, 2);
        let net = Weights::random(architecture, 1);
        let bytes = net.write();
        let again = Weights::read(&bytes).unwrap();
        assert_eq!(again.write(), bytes);
        let mut refused = 0;
        for byte in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[byte] ^= 1 << (byte % 8);
            match Weights::read(&broken) {
                Ok(read) => assert_eq!(read.write(), bytes, "byte {byte}"),
                Err(_) => refused += 1,
            }
        }
        assert!(refused > bytes.len() * 9 / 10, "{refused} of {}", bytes.len());
    }
}
