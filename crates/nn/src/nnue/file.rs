//! Files of efficiently updatable networks: architecture and origin as text, weights in little-endian order, a checksum.

use super::{
    architecture::{Architecture, Base},
    network::{Layer, Network},
};
use crate::{NetError, Origin};
use tesuji_game::fnv;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"tsjnnue\n";
/// The largest file that is read.
pub const FILE_BYTES_MAX: u64 = 1 << 30;

const VERSION: u32 = 1;
const ARCHITECTURE_BYTES_MAX: usize = 64 << 10;
const ORIGIN_BYTES_MAX: usize = 1 << 20;
const BASE_BYTES_MAX: usize = 1 << 20;
/// Weights start at a multiple of this, so that programs may map them.
const ALIGNMENT: usize = 64;

impl Network {
    /// Whether `bytes` begin as a file of [`Network::write`].
    pub fn is_file(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads a file of [`Network::write`].
    ///
    /// # Errors
    /// When the bytes are no such file, end too early, go on too long, were changed, or contradict their architecture.
    pub fn read(bytes: &[u8]) -> Result<Self, NetError> {
        let mut cursor = Cursor { bytes, at: 0 };
        if !Network::is_file(bytes) {
            return Err(NetError::Format(format!("byte 0: expected {:?}", String::from_utf8_lossy(MAGIC))));
        }
        cursor.at = MAGIC.len();
        let version = cursor.word("the version")?;
        if version != VERSION {
            let text = format!("byte {}: version {version}, expected {VERSION}", MAGIC.len());
            return Err(NetError::Format(text));
        }
        let text = cursor.text("the architecture", ARCHITECTURE_BYTES_MAX)?;
        let architecture = Architecture::parse(text)?;
        let text = cursor.text("the origin", ORIGIN_BYTES_MAX)?;
        let origin: Origin = toml::from_str(text)
            .map_err(|error| NetError::Format(format!("the origin is no TOML of texts: {}", error.message())))?;
        let base = match architecture.base {
            Base::None => String::new(),
            Base::Handmade => cursor.text("the weights of the base", BASE_BYTES_MAX)?.to_owned(),
        };
        let padding = cursor.at.next_multiple_of(ALIGNMENT) - cursor.at;
        cursor.take(padding, "the padding before the weights")?;
        let expected = cursor.at + weight_bytes(&architecture) + 8;
        if bytes.len() != expected {
            let text = format!("{} bytes, expected {expected} for this architecture", bytes.len());
            return Err(if bytes.len() < expected { NetError::Truncated(text) } else { NetError::Format(text) });
        }
        let (body, sum) = bytes.split_at(bytes.len() - 8);
        let (found, computed) = (u64::from_le_bytes(sum.try_into().unwrap_or_default()), checksum(body));
        if found != computed {
            let text = format!("byte {}: checksum {found:016x}, the bytes before have {computed:016x}", body.len());
            return Err(NetError::Format(format!("{text}: the file was changed or damaged")));
        }
        let network = cursor.weights(architecture, origin, base)?;
        network.check()?;
        Ok(network)
    }

    /// The bytes of a file. The same network gives the same bytes.
    ///
    /// # Panics
    /// When the numbers are not those of the architecture.
    pub fn write(&self) -> Vec<u8> {
        self.check().expect("a network of its architecture");
        let mut out = Vec::with_capacity(weight_bytes(&self.architecture) + 4096);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        let origin = toml::to_string(&self.origin).expect("texts are TOML");
        let base = (!self.base.is_empty()).then(|| self.base.clone());
        for text in [self.architecture.to_toml(), origin].into_iter().chain(base) {
            out.extend_from_slice(&(text.len() as u32).to_le_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        out.resize(out.len().next_multiple_of(ALIGNMENT), 0);
        let bytes = !self.architecture.hidden.is_empty();
        for number in self.features.iter().chain(&self.bias) {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for layer in self.buckets.iter().flatten() {
            if bytes {
                out.extend(layer.weights.iter().map(|&weight| weight as i8 as u8));
            } else {
                layer.weights.iter().for_each(|weight| out.extend_from_slice(&weight.to_le_bytes()));
            }
            layer.bias.iter().for_each(|bias| out.extend_from_slice(&bias.to_le_bytes()));
        }
        with_checksum(&out)
    }
}

/// `body` with its checksum behind it.
pub(crate) fn with_checksum(body: &[u8]) -> Vec<u8> {
    [body, &checksum(body).to_le_bytes()].concat()
}

/// Bytes of all weights.
fn weight_bytes(architecture: &Architecture) -> usize {
    let weight = if architecture.hidden.is_empty() { 2 } else { 1 };
    let layers: usize = architecture.layers().iter().map(|(inputs, outputs)| (inputs * weight + 4) * outputs).sum();
    (architecture.features.inputs + 1) * architecture.width * 2 + architecture.output_buckets * layers
}

/// FNV-1a over words of 64 bits instead of bytes (Fowler, Noll and Vo), the last one filled with zeros.
fn checksum(bytes: &[u8]) -> u64 {
    let mut words = bytes.chunks_exact(8);
    let mut sum = fnv::START ^ bytes.len() as u64;
    let mut add = |word: u64| sum = fnv::step(sum, word).rotate_left(29);
    for word in words.by_ref() {
        add(u64::from_le_bytes(word.try_into().unwrap_or_default()));
    }
    let mut last = [0; 8];
    last[..words.remainder().len()].copy_from_slice(words.remainder());
    add(u64::from_le_bytes(last));
    sum
}

/// Bytes that are read one after another.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize, what: &str) -> Result<&'a [u8], NetError> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.get(..length)).ok_or_else(|| {
            let left = self.bytes.len().saturating_sub(self.at);
            NetError::Truncated(format!("byte {}: {what} needs {length} bytes, there are {left}", self.at))
        })?;
        self.at += length;
        Ok(found)
    }

    fn word(&mut self, what: &str) -> Result<u32, NetError> {
        Ok(u32::from_le_bytes(self.take(4, what)?.try_into().unwrap_or_default()))
    }

    fn text(&mut self, what: &str, max: usize) -> Result<&'a str, NetError> {
        let start = self.at;
        let length = self.word(&format!("the length of {what}"))? as usize;
        if length > max {
            let text = format!("byte {start}: {what} has {length} bytes, expected at most {max}");
            return Err(NetError::Format(text));
        }
        let bytes = self.take(length, what)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let at = start + 4 + error.valid_up_to();
            NetError::Format(format!("byte {at}: {what} is no UTF-8"))
        })
    }

    fn shorts(&mut self, count: usize, what: &str) -> Result<Vec<i16>, NetError> {
        let bytes = self.take(2 * count, what)?;
        Ok(bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect())
    }

    fn weights(&mut self, architecture: Architecture, origin: Origin, base: String) -> Result<Network, NetError> {
        let direct = architecture.hidden.is_empty();
        let features = self.shorts(architecture.features.inputs * architecture.width, "the first layer")?;
        let bias = self.shorts(architecture.width, "the bias of the first layer")?;
        let mut buckets = Vec::with_capacity(architecture.output_buckets);
        for _ in 0..architecture.output_buckets {
            let mut layers = Vec::new();
            for (inputs, outputs) in architecture.layers() {
                let weights = if direct {
                    self.shorts(inputs * outputs, "a layer")?
                } else {
                    let bytes = self.take(inputs * outputs, "a layer")?;
                    bytes.iter().map(|&byte| i16::from(byte as i8)).collect()
                };
                let bytes = self.take(4 * outputs, "the bias of a layer")?;
                let word = |four: &[u8]| i32::from_le_bytes(four.try_into().unwrap_or_default());
                layers.push(Layer { weights, bias: bytes.chunks_exact(4).map(word).collect() });
            }
            buckets.push(layers);
        }
        Ok(Network { architecture, origin, base, features, bias, buckets })
    }
}

#[cfg(test)]
mod tests {
    use super::{super::float::FloatWeights, *};

    fn network(hidden: &str) -> Network {
        let text = format!(
            "name = 'n'\ngame = 'g'\nwidth = 16\nactivation = 'screlu'\noutput_buckets = 8\nhidden = {hidden}\n\
             [features]\nset = 's'\ninputs = 5\nactive_max = 3\n"
        );
        let architecture = Architecture::parse(&text).unwrap();
        let mut network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 7)).unwrap();
        network.origin.insert("made by".into(), "a \"test\"".into());
        network
    }

    /// The weights of an evaluation travel with the network that corrects it.
    #[test]
    fn files_hold_the_weights_of_a_base() {
        let mut network = network("[]");
        let plain = network.write();
        network.architecture.base = Base::Handmade;
        let error = network.check().unwrap_err().to_string();
        assert!(error.contains("`base` is Handmade, but there are no weights of it"), "{error}");
        network.base = "{ \"format\": \"weights\" }".into();
        let bytes = network.write();
        assert_eq!(Network::read(&bytes), Ok(network.clone()));
        assert!(bytes.len() > plain.len() && network.to_raw().unwrap_err().to_string().contains("in Tesuji alone"));
        let other = Network { base: "{}".into(), ..network.clone() };
        let error = Network::average(&[(&network, 1.0), (&other, 1.0)]).unwrap_err().to_string();
        assert!(error.contains("net 2 corrects a hand-made evaluation with other weights"), "{error}");
    }

    #[test]
    fn files_read_back() {
        for hidden in ["[]", "[4, 6]"] {
            let network = network(hidden);
            let bytes = network.write();
            assert_eq!(Network::read(&bytes), Ok(network));
        }
    }

    /// A cut or changed file is refused wherever it was cut or changed.
    #[test]
    fn damaged_files_are_refused() {
        let bytes = network("[4]").write();
        for length in 0..bytes.len() {
            assert!(Network::read(&bytes[..length]).is_err(), "cut to {length}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(Network::read(&changed).is_err(), "byte {at}");
        }
        let longer = [&bytes[..], b"\n"].concat();
        assert!(Network::read(&longer).unwrap_err().to_string().contains("expected"));
        let error = Network::read(b"GIF89a").unwrap_err().to_string();
        assert!(error.contains("byte 0") && error.contains("tsjnnue"), "{error}");
    }
}
