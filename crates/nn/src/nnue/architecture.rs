//! The shape of an efficiently updatable network as data: a small TOML text that every file of such a network holds.

use crate::NetError;
use serde::{Deserialize, Serialize};

/// The shape of an efficiently updatable network (NNUE; Yu Nasu, 2018): one accumulator for each side, a sum of rows of
/// the first layer, then an activation and a few small layers.
///
/// # Examples
///
/// ```
/// use tesuji_nn::nnue::{Activation, Architecture};
/// let text = "name = 'small'\ngame = 'four'\nwidth = 32\nactivation = 'pairwise'\nhidden = [16]\n\
///             [features]\nset = 'discs'\ninputs = 84\nactive_max = 42\n";
/// let architecture = Architecture::parse(text)?;
/// assert_eq!((architecture.activation, architecture.activated()), (Activation::Pairwise, 16));
/// // Both sides' activated accumulators, the hidden layer, the value.
/// assert_eq!(architecture.layers(), [(32, 16), (16, 1)]);
/// assert_eq!(Architecture::parse(&architecture.to_toml())?, architecture);
/// assert!(Architecture::parse("name = 'small'\n").is_err());
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// The name for people: letters, digits, `.`, `_` and `-`, at most 64.
    pub name: String,
    /// The game whose positions it values.
    pub game: String,
    /// Width of one accumulator: a multiple of 16 (of 32 with [`Activation::Pairwise`]), 16 to 2048.
    pub width: usize,
    /// The activation between accumulators and the next layer.
    pub activation: Activation,
    /// Outputs of the layers between the accumulators and the last one, each followed by a clipped ReLU: none, or up to 3
    /// of 1 to 256 each.
    #[serde(default)]
    pub hidden: Vec<usize>,
    /// Sets of layers after the accumulators, of which the number of pieces chooses one: 1 or 8.
    #[serde(default = "one")]
    pub output_buckets: usize,
    /// Centipawns for an output of 1.0; the logit of the expected result is the output.
    #[serde(default = "usual_scale")]
    pub scale: i32,
    /// The evaluation that the network corrects.
    #[serde(default, skip_serializing_if = "Base::is_none")]
    pub base: Base,
    /// The feature set.
    pub features: Features,
    /// Factors between floating-point numbers and integers.
    #[serde(default)]
    pub quantisation: Quantisation,
}

fn one() -> usize {
    1
}

fn usual_scale() -> i32 {
    400
}

/// The inputs of a network: a set that its game knows by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Features {
    /// The name of the set; the game says which there are.
    pub set: String,
    /// Rows of the first layer.
    pub inputs: usize,
    /// Inputs that can be active at once, for one side.
    pub active_max: usize,
    /// For sets with king buckets: the bucket of each square, as the king's side sees the board. Empty for others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub king_buckets: Vec<u8>,
}

/// The activation between accumulators and the next layer; `c` is the accumulator clipped to 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// `c`.
    Crelu,
    /// `c * c`.
    Screlu,
    /// `c[i] * c[i + width / 2]`: half as many outputs.
    Pairwise,
}

/// The evaluation that the value of a network is added to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// None: the network says all.
    #[default]
    None,
    /// The game's hand-made evaluation, by the weights that the network's file holds. What is learned is the rest (residual
    /// learning: He, Zhang, Ren and Sun, 2015), for which fewer games are enough.
    Handmade,
}

impl Base {
    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        *self == Base::None
    }
}

/// Factors between floating-point numbers and integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quantisation {
    /// 1.0 in an accumulator, 16 to 1023; at most 127 with hidden layers and [`Activation::Crelu`].
    pub input: i32,
    /// 1.0 in a weight of a hidden layer: a power of two, 16 to 128.
    #[serde(default = "usual_hidden")]
    pub hidden: i32,
    /// 1.0 in a weight of the last layer, 1 to 1024.
    pub output: i32,
}

fn usual_hidden() -> i32 {
    Quantisation::USUAL.hidden
}

impl Quantisation {
    /// The factors of most networks.
    pub const USUAL: Quantisation = Quantisation { input: 255, hidden: 64, output: 64 };
}

impl Default for Quantisation {
    fn default() -> Self {
        Quantisation::USUAL
    }
}

const NAME_LETTERS_MAX: usize = 64;
const WIDTH_MAX: usize = 2048;
const HIDDEN_LAYERS_MAX: usize = 3;
const HIDDEN_WIDTH_MAX: usize = 256;
const INPUTS_MAX: usize = 1 << 20;
/// Numbers of the first layer: half a gigabyte as integers.
const FEATURE_WEIGHTS_MAX: usize = 1 << 28;
const ACTIVE_MAX: usize = 256;
const BUCKET_ENTRIES_MAX: usize = 512;

impl Architecture {
    /// Reads the TOML text and checks it.
    ///
    /// # Errors
    /// If it is no TOML, or a field is missing, unknown or out of bounds: the text names the field.
    pub fn parse(text: &str) -> Result<Self, NetError> {
        let architecture: Architecture = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let message = error.message().replace('\n', " ");
            NetError::Architecture(match line {
                Some(line) => format!("line {line} of the TOML: {message}"),
                None => message,
            })
        })?;
        architecture.check()?;
        Ok(architecture)
    }

    /// The TOML text that [`Architecture::parse`] reads.
    ///
    /// # Panics
    /// Never: plain structures are TOML.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("plain structures are TOML")
    }

    /// That every field is within its bounds and they fit each other. Whether the game knows the feature set is the
    /// game's business.
    ///
    /// # Errors
    /// With the first field that is wrong.
    pub fn check(&self) -> Result<(), NetError> {
        for (field, text) in [("name", &self.name), ("game", &self.game), ("features.set", &self.features.set)] {
            name(field, text)?;
        }
        within("width", self.width, 16, WIDTH_MAX)?;
        let step = if self.activation == Activation::Pairwise { 32 } else { 16 };
        if !self.width.is_multiple_of(step) {
            return wrong(format!("`width` is {}, expected a multiple of {step}", self.width));
        }
        within("the number of `hidden` layers", self.hidden.len(), 0, HIDDEN_LAYERS_MAX)?;
        for (index, &outputs) in self.hidden.iter().enumerate() {
            within(&format!("`hidden` [{index}]"), outputs, 1, HIDDEN_WIDTH_MAX)?;
        }
        if !matches!(self.output_buckets, 1 | 8) {
            return wrong(format!("`output_buckets` is {}, expected 1 or 8", self.output_buckets));
        }
        if !(1..=10_000).contains(&self.scale) {
            return wrong(format!("`scale` is {}, expected 1 to 10000", self.scale));
        }
        within("features.inputs", self.features.inputs, 1, INPUTS_MAX)?;
        within("features.active_max", self.features.active_max, 1, self.features.inputs.min(ACTIVE_MAX))?;
        if self.features.inputs * self.width > FEATURE_WEIGHTS_MAX {
            return wrong(format!(
                "`features.inputs` times `width` is {}, expected at most {FEATURE_WEIGHTS_MAX}",
                self.features.inputs * self.width
            ));
        }
        within("the length of `features.king_buckets`", self.features.king_buckets.len(), 0, BUCKET_ENTRIES_MAX)?;
        self.check_quantisation()
    }

    fn check_quantisation(&self) -> Result<(), NetError> {
        let Quantisation { input, hidden, output } = self.quantisation;
        let within = |field: &str, value: i32, low: i32, high: i32| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                wrong(format!("`quantisation.{field}` is {value}, expected {low} to {high}"))
            }
        };
        let bytes = !self.hidden.is_empty() && self.activation == Activation::Crelu;
        within("input", input, 16, if bytes { 127 } else { 1023 })?;
        within("hidden", hidden, 16, 128)?;
        within("output", output, 1, 1024)?;
        if hidden.count_ones() != 1 {
            return wrong(format!("`quantisation.hidden` is {hidden}, expected a power of two"));
        }
        Ok(())
    }

    /// Outputs of one accumulator's activation.
    pub fn activated(&self) -> usize {
        if self.activation == Activation::Pairwise { self.width / 2 } else { self.width }
    }

    /// Inputs and outputs of each layer after the accumulators; the last has one output.
    /// The first reads the side to move's [`Architecture::activated`] numbers, then the other side's.
    pub fn layers(&self) -> Vec<(usize, usize)> {
        let mut inputs = 2 * self.activated();
        let outputs = self.hidden.iter().copied().chain([1]);
        outputs.map(|outputs| (std::mem::replace(&mut inputs, outputs), outputs)).collect()
    }

    /// Numbers in all layers.
    pub fn parameters(&self) -> usize {
        let layers: usize = self.layers().iter().map(|(inputs, outputs)| (inputs + 1) * outputs).sum();
        (self.features.inputs + 1) * self.width + self.output_buckets * layers
    }

    /// The right shift of the product of two clipped accumulators that makes it fit a byte below 128; 0 where nothing is
    /// multiplied or there are no hidden layers.
    pub fn byte_shift(&self) -> u32 {
        if self.hidden.is_empty() || self.activation == Activation::Crelu {
            return 0;
        }
        let square = self.quantisation.input * self.quantisation.input;
        (0..31).find(|&shift| square >> shift <= 127).unwrap_or(31)
    }

    /// 1.0 in what the layers after the accumulators read: the product of [`Quantisation::input`] where the activation
    /// multiplies, shifted by [`Architecture::byte_shift`]. Not always whole.
    pub fn activated_one(&self) -> f64 {
        let input = f64::from(self.quantisation.input);
        match self.activation {
            Activation::Crelu => input,
            Activation::Screlu | Activation::Pairwise => input * input / f64::from(1u32 << self.byte_shift()),
        }
    }
}

fn wrong(text: String) -> Result<(), NetError> {
    Err(NetError::Architecture(text))
}

fn within(field: &str, value: usize, low: usize, high: usize) -> Result<(), NetError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let field = if field.contains('`') { field.to_owned() } else { format!("`{field}`") };
    wrong(format!("{field} is {value}, expected {low} to {high}"))
}

fn name(field: &str, text: &str) -> Result<(), NetError> {
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=NAME_LETTERS_MAX).contains(&text.len()) && text.chars().all(letter) {
        return Ok(());
    }
    let found: String = text.chars().take(NAME_LETTERS_MAX).collect();
    wrong(format!("`{field}` is {found:?}, expected 1 to {NAME_LETTERS_MAX} letters, digits, `.`, `_` or `-`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Architecture {
        Architecture {
            name: "plain".into(),
            game: "four".into(),
            width: 32,
            activation: Activation::Screlu,
            hidden: vec![],
            output_buckets: 1,
            scale: 400,
            base: Base::None,
            features: Features { set: "discs".into(), inputs: 84, active_max: 42, king_buckets: vec![] },
            quantisation: Quantisation::default(),
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Architecture), words: &str) {
        let mut architecture = plain();
        change(&mut architecture);
        let error = architecture.check().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }

    #[test]
    fn texts_read_back() {
        let mut architecture = plain();
        assert_eq!(Architecture::parse(&architecture.to_toml()), Ok(architecture.clone()));
        architecture.hidden = vec![16, 32];
        architecture.base = Base::Handmade;
        architecture.features.king_buckets = (0..64).map(|square| square / 8).collect();
        assert_eq!(Architecture::parse(&architecture.to_toml()), Ok(architecture.clone()));
        assert_eq!(architecture.layers(), [(64, 16), (16, 32), (32, 1)]);
        let short = "name = 'a'\ngame = 'b'\nwidth = 32\nactivation = 'crelu'\n[features]\nset = 'c'\ninputs = 4\nactive_max = 2\n";
        let read = Architecture::parse(short).unwrap();
        assert_eq!((read.output_buckets, read.scale, read.quantisation), (1, 400, Quantisation::default()));
    }

    #[test]
    fn wrong_fields_are_named() {
        refused(|a| a.width = 24, "`width` is 24, expected a multiple of 16");
        refused(|a| a.width = 0, "`width` is 0, expected 16 to 2048");
        refused(|a| a.name = "a b".into(), "`name` is \"a b\"");
        refused(|a| a.hidden = vec![4, 0], "`hidden` [1] is 0, expected 1 to 256");
        refused(|a| a.output_buckets = 4, "`output_buckets` is 4, expected 1 or 8");
        refused(|a| a.scale = -4, "`scale` is -4");
        refused(|a| (a.hidden, a.activation) = (vec![4], Activation::Crelu), "`quantisation.input` is 255");
        refused(|a| a.quantisation.hidden = 65, "expected a power of two");
        refused(|a| (a.features.inputs, a.width) = (1 << 20, 1024), "`features.inputs` times `width`");
        let unknown = format!("wings = 2\n{}", plain().to_toml());
        let error = Architecture::parse(&unknown).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("wings"), "{error}");
    }

    #[test]
    fn bytes_stay_below_128() {
        let mut architecture = plain();
        architecture.hidden = vec![16];
        for input in [16, 127, 128, 255, 256, 1023] {
            architecture.quantisation.input = input;
            let one = architecture.activated_one();
            assert!((60.0..128.0).contains(&one), "{input}: {one}");
        }
        architecture.quantisation.input = 255;
        assert_eq!(architecture.byte_shift(), 9);
    }
}
