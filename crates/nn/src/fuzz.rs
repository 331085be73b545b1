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
//!     fuzz::katago(bytes);
//! }
//! ```

use crate::{
    KatagoNet, Net, Weights,
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
pub fn katago(bytes: &[u8]) {
    let Ok(net) = KatagoNet::read(bytes) else { return };
    let planes = vec![0.5; net.architecture().planes * 4];
    let session = std::sync::Arc::new(net).open(2, 2, 1);
    assert!(session.is_ok_and(|mut session| session.run(&planes, 1).policy.len() == 5));
}
