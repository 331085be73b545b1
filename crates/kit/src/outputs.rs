//! Checks of outputs against their own names and against the files that a command reads.

use crate::RequestError;
use std::path::{Path, PathBuf};
use tesuji_jobs::{Existing, Packing, check_output, is_same_file};
use tesuji_record::unpacked_name;

/// Checks that `output` has no name that promises compression, under which plain text would be written, and is none of the files
/// that are `read`, which would be lost.
///
/// # Errors
/// With the name that it could have, or the file that is read.
pub fn check_plain_output<P: AsRef<Path>>(
    output: &Path,
    read: impl IntoIterator<Item = P>,
) -> Result<(), RequestError> {
    let name = output.display().to_string();
    let plain = unpacked_name(&name);
    if plain != name {
        let hint = format_args!("{name}: files are written uncompressed; name it {plain} and compress it afterwards");
        return Err(RequestError::failed(hint));
    }
    check_not_read(output, read)
}

/// Checks that `output` may be compressed as its name says, and is none of the files that are `read`, which would be lost.
///
/// # Errors
/// Names of archives and of compressions that are only read, and the file that is read.
pub fn check_packed_output<P: AsRef<Path>>(
    output: &Path,
    read: impl IntoIterator<Item = P>,
) -> Result<(), RequestError> {
    let packing = Packing::of(output);
    packing.map_err(|words| RequestError::failed(format_args!("{}: {words}", output.display())))?;
    check_not_read(output, read)
}

/// Checks that `output` is none of the files that are `read`.
fn check_not_read<P: AsRef<Path>>(output: &Path, read: impl IntoIterator<Item = P>) -> Result<(), RequestError> {
    match read.into_iter().any(|file| is_same_file(file.as_ref(), output)) {
        true => {
            let words = format_args!("{}: this file is read; name another output", output.display());
            Err(RequestError::failed(words))
        }
        false => Ok(()),
    }
}

/// Checks that no two outputs of a command have the same name.
///
/// # Errors
/// With the name.
pub fn check_apart<P: AsRef<Path>>(outputs: &[P]) -> Result<(), RequestError> {
    for (index, output) in outputs.iter().map(AsRef::as_ref).enumerate() {
        if outputs[..index].iter().any(|other| is_same_file(other.as_ref(), output)) {
            let words = format_args!("{}: two outputs cannot have one name; name another", output.display());
            return Err(RequestError::failed(words));
        }
    }
    Ok(())
}

/// Checks, before the work, that `output` may be written in the way of [`check_plain_output`] and is not there yet.
///
/// # Errors
/// As there; when the file exists and nobody said `--force`, or cannot be written.
pub fn check_new_output<P: AsRef<Path>>(output: &Path, read: impl IntoIterator<Item = P>) -> Result<(), RequestError> {
    check_plain_output(output, read)?;
    Ok(check_output(output, Existing::Refuse)?)
}

/// Checks, before the work, an output beside all others of a command, in the way of [`check_new_output`].
///
/// # Errors
/// As there, and when it has the name of another one.
pub fn check_beside(output: &Path, read: &[PathBuf], others: &[PathBuf]) -> Result<(), RequestError> {
    check_new_output(output, read)?;
    check_apart(&[others, &[output.to_path_buf()]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `analyse g.pgn --out g.pgn --force` removed its own input, and `tree --save t.tree.zst` wrote plain text.
    #[test]
    fn inputs_and_names_of_compressed_files_are_no_outputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("g.pgn"), "").unwrap();
        let check = |output: &str| check_plain_output(&at(output), [at("g.pgn")]).map_err(|error| error.to_string());
        assert!(check("g.pgn").unwrap_err().ends_with("g.pgn: this file is read; name another output"));
        assert!(check("./g.pgn").is_err());
        for name in ["o.pgn.zst", "o.pgn.gz", "o.pgn.xz", "o.pgn.bz2"] {
            assert!(check(name).unwrap_err().contains("o.pgn and compress it afterwards"), "{name}");
        }
        assert_eq!(check("o.pgn"), Ok(()));
        let packed = |output: &str| check_packed_output(&at(output), [at("g.pgn")]).map_err(|error| error.to_string());
        assert!(packed("g.pgn").unwrap_err().ends_with("g.pgn: this file is read; name another output"));
        assert!(
            packed("o.pgn.xz").unwrap_err().ends_with("o.pgn.xz: .xz files are read, not written; .zst and .gz are")
        );
        assert_eq!([packed("o.pgn"), packed("o.pgn.zst"), packed("o.pgn.gz")], [Ok(()), Ok(()), Ok(())]);
        // The plot of `train --curves net.st --out net.st` replaced the net.
        let error = check_apart(&[at("o.st"), at("o.log"), at("./o.st")]).unwrap_err().to_string();
        assert!(error.ends_with("./o.st: two outputs cannot have one name; name another"), "{error}");
        assert_eq!(check_apart(&[at("o.st"), at("o.log")]), Ok(()));
    }
}
