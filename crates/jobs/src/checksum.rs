//! SHA-256 checksums of files, which tell two files of the same name apart.

use sha2::{Digest, Sha256};
use std::{
    fs::{self, File},
    io,
    path::Path,
};

/// The SHA-256 of a regular file, in hexadecimal digits.
///
/// # Errors
/// Those of the file system, and what the path names instead of a regular file.
pub fn sha256(path: &Path) -> io::Result<String> {
    if !fs::metadata(path)?.is_file() {
        let words = "expected a regular file, found a folder, a device or a pipe";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
    }
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok(digits(hasher))
}

/// The SHA-256 of bytes, in hexadecimal digits.
pub fn sha256_of(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

fn digits(hasher: Sha256) -> String {
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Digits of a checksum that stand behind a file's name.
const DIGITS: usize = 12;

/// A file's name and the first digits of its checksum: a file of the same name may be another one later.
///
/// # Errors
/// Those of the file system; the words begin with the path.
pub fn named_by_content(path: &Path) -> io::Result<String> {
    let sum = sha256(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
    Ok(format!("{} ({})", path.display(), &sum[..DIGITS]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standard() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        let expect = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!((sha256(&path).unwrap().as_str(), sha256_of(b"abc").as_str()), (expect, expect));
        assert_eq!(named_by_content(&path).unwrap(), format!("{} ({})", path.display(), &expect[..12]));
        // `selfplay --weights /dev/zero` read on without an end.
        if cfg!(unix) {
            let error = named_by_content(Path::new("/dev/zero")).unwrap_err().to_string();
            assert_eq!(error, "/dev/zero: expected a regular file, found a folder, a device or a pipe");
        }
        let missing = folder.path().join("no");
        assert!(named_by_content(&missing).unwrap_err().to_string().starts_with(&missing.display().to_string()));
    }
}
