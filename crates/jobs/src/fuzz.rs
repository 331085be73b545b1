//! Entries for fuzzers: each takes any bytes, or the path of a file of them, must return, and asserts that what was read writes and
//! reads back.

use crate::{
    LineJournal, each_member, open_bounded, open_input, read_bounded, read_text_bounded,
    words::{quoted, split},
};
use std::{
    io::{self, Read},
    path::Path,
};

/// The most bytes that are unpacked of a file: a small one may have any number.
const BYTES_MAX: u64 = 8 << 20;

/// The content of the file `path`, whatever compresses it: as one stream, up to a bound, and by the files of an archive.
///
/// # Panics
/// When the content is another when it is read again, or longer than its bound.
pub fn unpack(path: &Path) {
    let mut content = Vec::new();
    let whole = open_input(path).and_then(|file| file.take(BYTES_MAX).read_to_end(&mut content));
    let mut bounded = Vec::new();
    let read = open_bounded(path, BYTES_MAX).and_then(|mut file| file.read_to_end(&mut bounded));
    assert!(bounded.len() as u64 <= BYTES_MAX);
    match (whole, read) {
        (Ok(_), Ok(_)) => assert_eq!(bounded, content),
        (Ok(length), Err(_)) => assert_eq!(length as u64, BYTES_MAX, "only what is longer is refused"),
        (Err(_), read) => assert!(read.is_err()),
    }
    let is_wanted = |name: &str| !name.ends_with(".no");
    let mut left = BYTES_MAX;
    let _ = each_member(path, &is_wanted, &mut |name, content| {
        assert!(is_wanted(name));
        left -= io::copy(&mut content.take(left), &mut io::sink())?;
        // An archive may have a file many times over.
        if left > 0 { Ok(()) } else { Err(io::Error::from(io::ErrorKind::FileTooLarge)) }
    });
}

/// A file as it lies there.
///
/// # Panics
/// When a text is not that of the bytes.
pub fn bounded(path: &Path) {
    let Ok(bytes) = read_bounded(path, BYTES_MAX) else { return };
    if let Ok(text) = read_text_bounded(path, BYTES_MAX) {
        assert_eq!(text.as_bytes(), bytes);
    }
}

/// The journal of lines in the file `path`.
///
/// # Panics
/// When lines that were read or appended are not there afterwards.
pub fn journal(path: &Path) {
    let Ok((mut journal, mut lines)) = LineJournal::open(path, false) else { return };
    assert!(journal.append("a\nb").is_err());
    for line in ["", "{\"a\": 1}", "b\r "] {
        assert!(journal.append(line).is_ok());
        lines.push(line.to_string());
    }
    assert_eq!(LineJournal::open(path, false).map(|(_, lines)| lines).ok(), Some(lines));
}

/// Words of a command line.
///
/// # Panics
/// When words that were read are others when they were quoted.
pub fn words(bytes: &[u8]) {
    let Ok(words) = split(&String::from_utf8_lossy(bytes)) else { return };
    let text = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    assert_eq!(split(&text), Ok(words));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::tests::{XZ, bzipped, gzipped};
    use std::io::Write;
    use tesuji_testkit::fuzz::{Target, in_file, run_bytes, run_in_place, run_large, time_for_each};

    const FILES: [(&str, &[u8]); 3] =
        [("a/one.sgf", b"(;B[aa])"), ("two.no", b"not wanted"), ("three.pgn.gz", b"[Event \"?\"]\n\n1. e4 *")];

    fn tarred() -> Vec<u8> {
        let mut archive = tar::Builder::new(Vec::new());
        for (name, content) in FILES {
            let mut header = tar::Header::new_gnu();
            header.set_size(content.len() as u64);
            // A name that does not fit into a header stands in one of its own.
            archive.append_data(&mut header, name.repeat(if content.len() == 8 { 20 } else { 1 }), content).unwrap();
        }
        archive.into_inner().unwrap()
    }

    #[test]
    fn compressed_files_and_archives_survive_bent_and_large_input() {
        let text = b"one\ntwo\n".repeat(3);
        let tar = tarred();
        let zip = crate::zipped::tests::archive(&FILES.map(|(name, content)| (name, content, name.len() > 6)));
        let seeds = [
            gzipped(&text),
            bzipped(&text),
            zstd::encode_all(text.as_slice(), 3).unwrap(),
            XZ.to_vec(),
            zip,
            gzipped(&tar),
            tar,
        ];
        let target: Target = |bytes| in_file(bytes, unpack);
        // Each kind has seeds of its own: the first bytes decide what is read.
        for (kind, seed) in ["gzip", "bzip2", "zstd", "xz", "zip", "tar.gz", "tar"].into_iter().zip(&seeds) {
            let name = format!("jobs::unpack of {kind}");
            let seeds = std::slice::from_ref(seed);
            let bent = run_in_place(&name, target, seeds, 0x21B1, time_for_each(300));
            let large = run_large(&name, target, seeds, 0x21B2);
            println!("{name}: {bent} inputs, {large} of a megabyte");
        }
        let mixed = run_bytes("jobs::unpack", target, &seeds, 0x21B3, time_for_each(200));
        println!("jobs::unpack: {mixed} inputs");
    }

    #[test]
    fn journals_texts_and_words_survive_bent_and_large_input() {
        let lines = b"{\"step\": 1, \"loss\": 0.5}\n{\"step\": 2}\r\n\n{\"torn".to_vec();
        let line = b"cmd='a b' args=\"--u 'c'\" it\"'\"s \xE3\x80\x80 \t x".to_vec();
        let targets: [(&str, Target, Vec<u8>); 3] = [
            ("jobs::journal", |bytes| in_file(bytes, journal), lines.clone()),
            ("jobs::bounded", |bytes| in_file(bytes, bounded), lines),
            ("jobs::words", words, line),
        ];
        for (name, target, seed) in targets {
            let bent = run_bytes(name, target, std::slice::from_ref(&seed), 0x10B5, time_for_each(200));
            let large = run_large(name, target, &[seed], 0x10B6);
            println!("{name}: {bent} inputs, {large} of a megabyte");
        }
    }

    /// A small file that unpacks to gigabytes: memory does not grow with it.
    #[test]
    fn a_file_that_unpacks_to_gigabytes_takes_no_memory() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        (0..64).for_each(|_| packed.write_all(&[0; 1 << 20]).unwrap());
        let packed = packed.finish().unwrap();
        assert!(packed.len() < 1 << 20);
        in_file(&packed, unpack);
    }
}
