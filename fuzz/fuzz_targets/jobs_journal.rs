//! Feeds `tesuji_jobs::fuzz::journal` with files of inputs found by coverage.
#![no_main]

use tesuji_testkit::fuzz::in_file;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| in_file(bytes, tesuji_jobs::fuzz::journal));
