//! Sizes of a network's tower as text, such as `6x64`.

use tesuji_nn::NetError;

/// The residual blocks and channels of a tower such as `6x64`.
///
/// # Errors
/// When the text is of another form.
pub fn tower_of(text: &str) -> Result<(usize, usize), NetError> {
    let sizes =
        text.split_once('x').and_then(|(blocks, channels)| Some((blocks.parse().ok()?, channels.parse().ok()?)));
    sizes.ok_or_else(|| NetError::Architecture(format!("`{text}` is no tower: expected BxC, such as 6x64")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn towers_are_two_numbers() {
        assert_eq!(tower_of("6x64").ok(), Some((6, 64)));
        for text in ["", "6", "x", "6x", "6x64x1", "18446744073709551616x1"] {
            assert!(tower_of(text).is_err(), "{text}");
        }
    }
}
