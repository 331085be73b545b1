//! Networks in the file format of YaneuraOu (`nn.bin`, after Nasu, 2018), for its architectures `halfkp_256x2-32-32` and
//! `kp_256x2-32-32`.
//!
//! Little-endian: version, hash, length and text of the architecture; then a hash, biases and rows of the first layer in 16
//! bits; then a hash and for each of three layers its biases in 32 bits and its weights, output by output, in 8. The value
//! is the output divided by 16 (its option `FV_SCALE`), towards 0.

use super::{ShogiFeatures, shape};
use tesuji_nn::{
    NetError,
    nnue::{Architecture, FeatureSet, Layer, Network},
};

/// The first word of every file.
const VERSION: u32 = 0x7AF3_2F16;
/// The longest text of an architecture that is read.
const TEXT_MAX: usize = 4096;
/// Inputs and outputs of the layers after the accumulators.
const LAYERS: [(usize, usize); 3] = [(512, 32), (32, 32), (32, 1)];
const WIDTH: usize = 256;

/// The two kinds of files: our shape, features by name, their hash.
const KINDS: [(&str, ShogiFeatures, &str, u32); 2] = [
    ("shogi-halfkp-256x2-32-32", ShogiFeatures::HalfKp, "HalfKP(Friend)", 0x5D69_D5B9 ^ 1),
    ("shogi-kp-256x2-32-32", ShogiFeatures::Kp, "K+P", 0xD3CE_E169 ^ 0x764C_FB4B_u32.rotate_left(1)),
];

/// Whether a file that begins so is one of YaneuraOu's networks.
pub fn is_yaneuraou(head: &[u8]) -> bool {
    head.starts_with(&VERSION.to_le_bytes())
}

/// Reads `nn.bin`. Which of the two architectures it is follows from its length; hashes and the text are those of whatever
/// version wrote it, and are not compared, as YaneuraOu itself only warns of them.
///
/// # Errors
/// When it begins otherwise, or has the length of neither architecture.
pub fn read_yaneuraou(bytes: &[u8]) -> Result<Network, NetError> {
    if !is_yaneuraou(bytes) {
        return Err(NetError::Format(format!("byte 0: expected the version {VERSION:08x} of YaneuraOu's nets")));
    }
    let cut = || NetError::Truncated(format!("{} bytes, expected more than a header", bytes.len()));
    let text_length = word(bytes, 8).ok_or_else(cut)? as usize;
    if text_length > TEXT_MAX {
        let text = format!("byte 8: the architecture's text has {text_length} bytes, expected at most {TEXT_MAX}");
        return Err(NetError::Format(text));
    }
    let text = bytes.get(12..12 + text_length).ok_or_else(cut)?;
    let body = &bytes[12 + text_length..];
    let Some((name, ..)) = KINDS.iter().find(|(_, features, ..)| body.len() == body_bytes(*features)) else {
        let expected: Vec<String> = KINDS
            .iter()
            .map(|(name, features, ..)| format!("{} for {name}", 12 + text_length + body_bytes(*features)))
            .collect();
        let text = String::from_utf8_lossy(text);
        return Err(NetError::Format(format!(
            "{} bytes of an architecture {text:?}, expected {}",
            bytes.len(),
            expected.join(" or ")
        )));
    };
    let architecture = shape(name).expect("a shape of the table");
    let mut network = read_body(architecture, body).ok_or_else(cut)?;
    network.origin.insert("imported from".into(), "nn.bin of YaneuraOu".into());
    network.origin.insert("architecture there".into(), String::from_utf8_lossy(text).into_owned());
    network.check()?;
    Ok(network)
}

/// Writes `nn.bin`, for an engine whose `FV_SCALE` is [`fv_scale`] of it.
///
/// # Errors
/// When the network has another shape than these two.
pub fn write_yaneuraou(network: &Network) -> Result<Vec<u8>, NetError> {
    network.check()?;
    let ours = &network.architecture;
    let fits = |name: &str| {
        let wanted = shape(name).expect("a shape of the table");
        (&wanted.game, &wanted.features, wanted.width, &wanted.hidden, wanted.activation, wanted.output_buckets)
            == (&ours.game, &ours.features, ours.width, &ours.hidden, ours.activation, ours.output_buckets)
            && wanted.quantisation.input == ours.quantisation.input
            && wanted.quantisation.hidden == ours.quantisation.hidden
    };
    let Some(&(_, features, name, hash)) = KINDS.iter().find(|(name, ..)| fits(name)) else {
        let known: Vec<&str> = KINDS.iter().map(|(name, ..)| *name).collect();
        return Err(NetError::Architecture(format!(
            "`{}` cannot be written for YaneuraOu, only nets shaped as {}",
            ours.name,
            known.join(" or ")
        )));
    };
    fv_scale(ours)?;
    let text = format!(
        "Features={name}[{}->256x2],Network=AffineTransform[1<-32](ClippedReLU[32](AffineTransform[32<-32]\
         (ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)])))))",
        features.inputs()
    );
    let (transformer, layers) = (hash ^ 512, layers_hash());
    let mut out = Vec::with_capacity(12 + text.len() + body_bytes(features));
    for number in [VERSION, transformer ^ layers, text.len() as u32] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(&transformer.to_le_bytes());
    for number in network.bias.iter().chain(&network.features) {
        out.extend_from_slice(&number.to_le_bytes());
    }
    out.extend_from_slice(&layers.to_le_bytes());
    for layer in &network.buckets[0] {
        layer.bias.iter().for_each(|bias| out.extend_from_slice(&bias.to_le_bytes()));
        out.extend(layer.weights.iter().map(|&weight| weight as i8 as u8));
    }
    Ok(out)
}

/// The divisor that YaneuraOu needs for the network's output to have the values that it has here: its option `FV_SCALE`.
///
/// # Errors
/// When it is no whole number from 1 to 128.
pub fn fv_scale(architecture: &Architecture) -> Result<u32, NetError> {
    let one = architecture.quantisation.input * architecture.quantisation.output;
    let scale = one / architecture.scale;
    if one % architecture.scale == 0 && (1..=128).contains(&scale) {
        return Ok(scale as u32);
    }
    Err(NetError::Architecture(format!(
        "127 * `quantisation.output` / `scale` is {:.3}, expected a whole number from 1 to 128: YaneuraOu's FV_SCALE",
        f64::from(one) / f64::from(architecture.scale)
    )))
}

/// The hash of the layers after the accumulators: each layer's mixes the one before it in.
fn layers_hash() -> u32 {
    let mut hash: u32 = 0xEC42_E90D ^ 512;
    for (index, (_, outputs)) in LAYERS.into_iter().enumerate() {
        if index > 0 {
            hash = hash.wrapping_add(0x538D_24C7);
        }
        hash = (0xCC03_DAE4_u32.wrapping_add(outputs as u32)) ^ (hash >> 1) ^ (hash << 31);
    }
    hash
}

/// Bytes after the text of the architecture.
fn body_bytes(features: ShogiFeatures) -> usize {
    let layers: usize = LAYERS.iter().map(|(inputs, outputs)| outputs * (4 + inputs)).sum();
    4 + 2 * WIDTH * (1 + features.inputs()) + 4 + layers
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|four| u32::from_le_bytes(*four))
}

/// `None` where the bytes end too early.
fn read_body(architecture: Architecture, body: &[u8]) -> Option<Network> {
    let shorts = |at: usize, count: usize| {
        let bytes = body.get(at..at + 2 * count)?;
        Some(bytes.chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<i16>>())
    };
    let rows = architecture.features.inputs * WIDTH;
    let (bias, features) = (shorts(4, WIDTH)?, shorts(4 + 2 * WIDTH, rows)?);
    let mut at = 4 + 2 * WIDTH + 2 * rows + 4;
    let mut layers = Vec::with_capacity(LAYERS.len());
    for (inputs, outputs) in LAYERS {
        let bias =
            (0..outputs).map(|output| word(body, at + 4 * output).map(|word| word as i32)).collect::<Option<_>>()?;
        at += 4 * outputs;
        let weights = body.get(at..at + inputs * outputs)?.iter().map(|&byte| i16::from(byte as i8)).collect();
        at += inputs * outputs;
        layers.push(Layer { weights, bias });
    }
    Some(Network {
        architecture,
        origin: Default::default(),
        base: String::new(),
        features,
        bias,
        buckets: vec![layers],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_nn::nnue::FloatWeights;

    /// The hash that all files of this family have in their headers, Stockfish 12's among them (`3e5aa6ee`).
    #[test]
    fn the_hash_is_the_known_one() {
        assert_eq!(KINDS[0].3 ^ 512 ^ layers_hash(), 0x3E5A_A6EE);
    }

    #[test]
    fn files_read_back() {
        for (name, features, text, _) in KINDS {
            let architecture = shape(name).unwrap();
            assert_eq!(fv_scale(&architecture), Ok(16));
            let mut network = Network::quantise(&architecture, &FloatWeights::zeros(&architecture)).unwrap();
            network.features.iter_mut().enumerate().for_each(|(at, weight)| *weight = (at * 7919 % 501) as i16 - 250);
            network.bias.iter_mut().enumerate().for_each(|(at, bias)| *bias = at as i16 - 99);
            for layer in &mut network.buckets[0] {
                layer.weights.iter_mut().enumerate().for_each(|(at, weight)| *weight = (at * 31 % 255) as i16 - 127);
                layer.bias.iter_mut().enumerate().for_each(|(at, bias)| *bias = 70_001 * at as i32 - 1_000_000);
            }
            let bytes = write_yaneuraou(&network).unwrap();
            assert!(is_yaneuraou(&bytes));
            let mut again = read_yaneuraou(&bytes).unwrap();
            assert!(again.origin["architecture there"].contains(&format!("{text}[{}->256x2]", features.inputs())));
            again.origin.clear();
            assert_eq!(again, network);
            for length in [0, 3, 11, 12, 40, bytes.len() - 1] {
                assert!(read_yaneuraou(&bytes[..length]).is_err(), "cut to {length}");
            }
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        let architecture = shape("shogi-kp-256").unwrap();
        let network = Network::quantise(&architecture, &FloatWeights::zeros(&architecture)).unwrap();
        let error = write_yaneuraou(&network).unwrap_err().to_string();
        assert!(error.contains("`shogi-kp-256` cannot be written for YaneuraOu"), "{error}");
        let mut architecture = shape("shogi-kp-256x2-32-32").unwrap();
        architecture.scale = 400;
        let error = fv_scale(&architecture).unwrap_err().to_string();
        assert!(error.contains("is 20.320, expected a whole number"), "{error}");
    }
}
