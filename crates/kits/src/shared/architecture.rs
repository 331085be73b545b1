//! The shapes of networks that have short names: those for go, and those of dlshogi's shape for shogi.

use tesuji_kit::{
    RequestError,
    networks::{EncodingName, Networks},
};
use tesuji_nn::{Architecture, NetError};

/// dlshogi's planes of pieces and attacks; those of hands, or with the features of declaration, follow them.
const POINT_PLANES: usize = 62;
/// dlshogi's planes of actions, and the side of the board.
const ACTION_PLANES: usize = 27;
const SHOGI_SIDE: usize = 9;
/// The side of the board of go.
const GO_SIDE: usize = 19;

/// The net that a short name such as `go-6x64` or `dlshogi-10x192` stands for: a family, blocks, channels.
/// `features` and `planes` are the encoding's; `size` is the board's side, which shogi's nets have by themselves.
///
/// # Errors
/// When the name is of another form, or the numbers are out of bounds.
pub(crate) fn architecture(name: &str, features: &str, planes: usize, size: usize) -> Result<Architecture, NetError> {
    let wrong =
        || NetError::Architecture(format!("`{name}` is no preset: expected go-BxC or dlshogi-BxC, such as go-6x64"));
    let (family, sizes) = name.rsplit_once('-').ok_or_else(wrong)?;
    let (blocks, channels) = sizes.split_once('x').ok_or_else(wrong)?;
    let (blocks, channels) = (blocks.parse().map_err(|_| wrong())?, channels.parse().map_err(|_| wrong())?);
    let architecture = match family {
        "go" => Architecture::for_any_size(features, planes, size, blocks, channels),
        "dlshogi" => {
            let planes = [POINT_PLANES, planes.saturating_sub(POINT_PLANES)];
            Architecture::for_one_size(features, planes, ACTION_PLANES, SHOGI_SIDE, blocks, channels)
        }
        _ => return Err(wrong()),
    };
    architecture.check()?;
    Ok(architecture)
}

/// The encodings of all games.
pub fn encodings() -> Vec<EncodingName> {
    // Go has the older ones.
    crate::kits().iter().rev().filter_map(|kit| kit.networks()).flat_map(Networks::encodings).collect()
}

/// The encoding of nets of other programs (ONNX) that read so many planes.
pub fn foreign_encoding(planes: usize) -> Option<&'static str> {
    crate::kits().iter().filter_map(|kit| kit.networks()).find_map(|networks| networks.foreign_encoding(planes))
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
    fn short_names_stand_for_shapes() {
        assert_eq!(architecture("go-6x64", "go-1", 4, 9).unwrap(), Architecture::for_any_size("go-1", 4, 9, 6, 64));
        let shogi = architecture("dlshogi-10x192", "dlshogi-1", 119, 19).unwrap();
        assert_eq!((shogi.height, shogi.planes, shogi.actions(9, 9)), (9, 119, 27 * 81));
        for name in ["go", "go-6", "go-6x0", "go-x", "chess-6x64", "go-999x64", "go-18446744073709551616x1"] {
            let error = architecture(name, "go-1", 4, 9).unwrap_err();
            assert!(matches!(error, NetError::Architecture(_)), "{name}: {error}");
        }
        assert!(architecture("dlshogi-1x8", "dlshogi-1", 5, 9).is_err());
    }

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
