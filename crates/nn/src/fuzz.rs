//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.
//!
//! # Examples
//!
//! ```
//! use tesuji_nn::fuzz;
//! for bytes in [&b""[..], b"\x08\0\0\0\0\0\0\0{}      ", b"name = 'small'\nwidth = 32\n", b"\x08\x07\x3a\x02\x0a\x00"] {
//!     fuzz::weights(bytes);
//!     fuzz::onnx(bytes);
//!     fuzz::nnue(bytes);
//!     fuzz::foreign_model(bytes);
//! }
//! ```

use crate::{
    ForeignNet, Net, Weights,
    nnue::{Architecture, Network, Prepared, with_checksum},
};

/// Files of ours.
///
/// # Panics
/// When a net read does not survive writing, or cannot be run.
pub fn weights(bytes: &[u8]) {
    let Ok(weights) = Weights::read(bytes) else { return };
    assert_eq!(Weights::read(&weights.write()).as_ref(), Ok(&weights));
    assert!(Net::new(&weights).is_ok());
}

/// Nets of dlshogi's shape in ONNX.
///
/// # Panics
/// When a net read cannot be run.
pub fn onnx(bytes: &[u8]) {
    if let Ok(weights) = Weights::from_onnx(bytes, "any") {
        assert!(Net::new(&weights).is_ok());
    }
}

/// Efficiently updatable networks: the bytes as they are, with a right checksum behind them, as the text of an architecture, and
/// as raw integers.
///
/// # Panics
/// When a network read does not survive writing, or cannot be played.
pub fn nnue(bytes: &[u8]) {
    for bytes in [bytes.to_vec(), with_checksum(&bytes[..bytes.len().saturating_sub(8)])] {
        let Ok(network) = Network::read(&bytes) else { continue };
        assert_eq!(Network::read(&network.write()).as_ref(), Ok(&network));
        assert!(Prepared::new(&network).is_ok());
        if let Ok(raw) = network.to_raw() {
            assert!(Network::from_raw(&network.architecture, &raw).is_ok());
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(architecture) = Architecture::parse(text)
    {
        assert_eq!(Architecture::parse(&architecture.to_toml()), Ok(architecture));
    }
}

/// Models of KataGo.
///
/// # Panics
/// When a model read cannot be run on a small board.
pub fn foreign_model(bytes: &[u8]) {
    let Ok(net) = ForeignNet::read(bytes) else { return };
    let planes = vec![0.5; net.architecture().planes * 4];
    let session = std::sync::Arc::new(net).open(2, 2, 1);
    assert!(session.is_ok_and(|mut session| session.run(&planes, 1).policy.len() == 5));
}

/// A model of KataGo in text, with one block of each kind and one channel: a beginning for fuzzers and tests.
///
/// # Examples
///
/// ```
/// let net = tesuji_nn::ForeignNet::read(tesuji_nn::fuzz::small_foreign_model().as_bytes())?;
/// assert_eq!(net.version(), 17);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
pub fn small_foreign_model() -> String {
    let numbers = |count: usize| " 0.5".repeat(count);
    let conv = |inputs: usize, outputs: usize| format!("c 1 1 {inputs} {outputs} 1 1{}\n", numbers(inputs * outputs));
    let norm = format!("n 1 0.001 0 1{}\na ACTIVATION_MISH\n", numbers(3));
    let linear = |inputs: usize, outputs: usize| format!("l {inputs} {outputs}{}\n", numbers(inputs * outputs));
    let bias = |count: usize| format!("b {count}{}\n", numbers(count));
    let rms = "r 1 0.001 0.5\n";
    let residual = format!("ordinary_block r\n{norm}{}{norm}{}", conv(1, 1), conv(1, 1));
    let two = conv(1, 1).repeat(2);
    let pooling = format!("gpool_block g\n{norm}{two}{norm}{}{norm}{}", linear(3, 1), conv(1, 1));
    let nested = format!("nested_bottleneck_block n 1\n{norm}{}{residual}{norm}{}", conv(1, 1), conv(1, 1));
    let attention = format!(
        "transformer_attention_block t 2 1 2 1 1 1\n{rms}{}{}{}{}f 1 1 2 0.1 0.2\n",
        linear(1, 4),
        linear(1, 2),
        linear(1, 1),
        linear(2, 1)
    );
    let gated = format!("transformer_ffn_block f 1 1 1\n{rms}{}", linear(1, 1).repeat(3));
    let (planes, globals) = (conv(22, 1), linear(19, 1));
    let policy = format!(
        "policy 2 0 0 0\n{two}{norm}{}{norm}{}{}{}a ACTIVATION_SILU\n{}",
        linear(3, 1),
        conv(1, 2),
        linear(3, 1),
        bias(1),
        linear(1, 2)
    );
    let value = format!(
        "value 0 0 0\n{}{norm}{}{}a ACTIVATION_RELU\n{}{}{}{}{}",
        conv(1, 1),
        linear(3, 1),
        bias(1),
        linear(1, 3),
        bias(3),
        linear(1, 6),
        bias(6),
        conv(1, 1)
    );
    format!(
        "small 17\n22 19\n20 20 20 20 40 0.25 30\n0 0 0 0 0 0 0 0\ntrunk 5 1 1 1 0 1\n0 0 0 0 0 0\n\
         {planes}{globals}{residual}{pooling}{nested}{attention}{gated}{norm}{policy}{value}"
    )
}
