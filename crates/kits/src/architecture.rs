//! The encodings of all games, and the shapes of networks that have short names, with the defaults of their games.

use crate::GAMES;
use tesuji_kit::{
    RequestError,
    networks::{EncodingName, Networks},
};
use tesuji_kits_go::go_net;
use tesuji_kits_shared::architecture::tower_of;
use tesuji_kits_shogi::dlshogi_net;
use tesuji_nn::{Architecture, NetError};

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

/// The net that a short name such as `go-6x64` or `dlshogi-10x192` stands for: a family, blocks, channels. Where the name of the
/// encoding or the side of the board is not given, it is the usual one of the family; shogi's nets have one side alone.
///
/// # Errors
/// When there is no such encoding, the name is of another form, or the numbers are out of bounds.
pub fn preset(name: &str, features: Option<&str>, size: Option<usize>) -> Result<Architecture, RequestError> {
    let features = features.unwrap_or(if name.starts_with("dlshogi") { "dlshogi-1" } else { "go-1" });
    let Some(encoding) = encodings().into_iter().find(|encoding| encoding.name == features) else {
        let names: Vec<&str> = encodings().iter().map(|encoding| encoding.name).collect();
        let words = format!("there are no features `{features}`; known are {}", names.join(", "));
        return Err(RequestError::Failed(words));
    };
    let (family, tower) = name.rsplit_once('-').unwrap_or_default();
    let net = match (family, tower_of(tower)) {
        ("go", Ok(_)) => go_net(tower, features, encoding.planes, size.unwrap_or(GO_SIDE)),
        ("dlshogi", Ok(_)) => dlshogi_net(tower, features, encoding.planes),
        _ => Err(NetError::Architecture(format!(
            "`{name}` is no preset: expected go-BxC or dlshogi-BxC, such as go-6x64"
        ))),
    };
    net.map_err(RequestError::failed)
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
            "there are no features `go-0`; known are go-1, bakago-1, bakago-1-quirks, katago-7, katago-7-suicide, dlshogi-1, dlshogi-nyugyoku-1"
        );
        assert_eq!(foreign_encoding(119), Some("dlshogi-1"));
        assert_eq!(foreign_encoding(48), None);
    }

    #[test]
    fn short_names_stand_for_shapes() {
        assert_eq!(preset("go-6x64", None, Some(9)).unwrap(), Architecture::for_any_size("go-1", 48, 9, 6, 64));
        let shogi = preset("dlshogi-10x192", None, Some(19)).unwrap();
        assert_eq!((shogi.height, shogi.planes, shogi.actions(9, 9)), (9, 119, 27 * 81));
        for name in ["go", "go-6", "go-6x0", "go-x", "chess-6x64", "go-999x64", "go-18446744073709551616x1"] {
            assert!(preset(name, None, None).is_err(), "{name}");
        }
        assert!(preset("dlshogi-1x8", Some("go-1"), None).is_err());
    }
}
