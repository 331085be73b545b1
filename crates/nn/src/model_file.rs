//! The form of a network's file by its first bytes.

/// Whether bytes begin as a model does: with a name and a version, both words.
pub(crate) fn is_foreign_model(bytes: &[u8]) -> bool {
    let mut words = bytes[..bytes.len().min(256)].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let name = words.next().is_some_and(|word| {
        word.len() <= 96 && word.iter().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte))
    });
    name && (0..3).all(|_| words.next().is_some_and(|word| word.len() <= 6 && word.iter().all(u8::is_ascii_digit)))
}
