//! The shapes of networks that have short names: those for go, and those of dlshogi's shape for shogi.

use tesuji_nn::{Architecture, NetError};

/// dlshogi's planes of pieces and attacks; those of hands, or with the features of declaration, follow them.
const POINT_PLANES: usize = 62;
/// dlshogi's planes of actions.
const ACTION_PLANES: usize = 27;
/// The side of the board of shogi.
pub const SHOGI_SIDE: usize = 9;

/// The net that a short name such as `go-6x64` or `dlshogi-10x192` stands for: a family, blocks, channels.
/// `features` and `planes` are the encoding's; `size` is the board's side, which shogi's nets have by themselves.
///
/// # Errors
/// When the name is of another form, or the numbers are out of bounds.
pub fn architecture(name: &str, features: &str, planes: usize, size: usize) -> Result<Architecture, NetError> {
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
}
