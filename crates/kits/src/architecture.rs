//! The encodings of all games, and the shapes of networks that have short names with what is usual in their games.

use crate::GAMES;
use tesuji_kit::{
    RequestError,
    networks::{EncodingName, Networks},
};
use tesuji_kits_shared::architecture::{SHOGI_SIDE, architecture};
use tesuji_nn::Architecture;

/// The side of the board of go.
const GO_SIDE: usize = 19;

/// The encodings of all games.
pub fn encodings() -> Vec<EncodingName> {
    // Go has the older ones.
    GAMES.0.iter().rev().filter_map(|kit| kit.networks()).flat_map(Networks::encodings).collect()
}

/// The encoding of nets of other programs (ONNX) that read this many planes.
pub fn foreign_encoding(planes: usize) -> Option<&'static str> {
    GAMES.0.iter().filter_map(|kit| kit.networks()).find_map(|networks| networks.foreign_encoding(planes))
}

/// The net that a short name stands for, as [`architecture`], by the name of its encoding; where that or the side of the board is
/// not given, it is the usual one of the family.
///
/// # Errors
/// When there is no such encoding, the name is of another form, or the numbers are out of bounds.
pub fn preset(name: &str, features: Option<&str>, size: Option<usize>) -> Result<Architecture, RequestError> {
    let usual = if name.starts_with("dlshogi") { ("dlshogi-1", SHOGI_SIDE) } else { ("go-1", GO_SIDE) };
    let (features, size) = (features.unwrap_or(usual.0), size.unwrap_or(usual.1));
    let Some(encoding) = encodings().into_iter().find(|encoding| encoding.name == features) else {
        let names: Vec<&str> = encodings().iter().map(|encoding| encoding.name).collect();
        let words = format!("there are no features `{features}`; known are {}", names.join(", "));
        return Err(RequestError::Failed(words));
    };
    architecture(name, features, encoding.planes, size).map_err(RequestError::failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_usual_encodings_and_boards() {
        let net = |name, features, size| preset(name, features, size).map(|net| (net.features, net.planes, net.height));
        assert_eq!(net("go-1x8", None, None), Ok(("go-1".into(), 48, 19)));
        assert_eq!(net("dlshogi-1x8", None, Some(9)), Ok(("dlshogi-1".into(), 119, 9)));
        assert_eq!(
            net("go-1x8", Some("go-0"), None).unwrap_err().to_string(),
            "there are no features `go-0`; known are go-1, bakago-1, bakago-1-quirks, dlshogi-1, dlshogi-nyugyoku-1"
        );
        assert_eq!(foreign_encoding(119), Some("dlshogi-1"));
        assert_eq!(foreign_encoding(48), None);
    }
}
