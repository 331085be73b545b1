//! The transcript of our own set: the hash it is known by, and the same text from another implementation's moves.

use crate::oracles::by_lite;
use tesuji_game::{Position, Tactical};
use tesuji_record::transcript::{fnv1a, positions};
use tesuji_shogi::{Board, selftest};

/// The depth of the trees hashed.
const DEPTH: u32 = 2;
/// The hash of the whole transcript of our own set, as `docs/selftest.md` has it.
const ALL: u64 = 0x95ed_3c43_8809_7dbd;
/// The hash of the transcript of its first 400 positions.
const FIRST: u64 = 5_327_156_664_897_585_288;

fn slow() -> bool {
    tesuji_testkit::needs::is_slow()
}

/// The entries of the first `max` positions, each after its invariants.
fn transcript(text: &str, max: usize) -> String {
    let mut out = String::new();
    for (line, sfen) in positions(text).take(max) {
        let board = selftest::load(sfen).unwrap_or_else(|e| panic!("line {line}: {sfen}: {e}"));
        if line % 8 == 0 || slow() {
            selftest::check(&board).unwrap_or_else(|broken| panic!("line {line}: {broken}"));
        }
        selftest::write_entry(sfen, &board, DEPTH, &mut out);
    }
    out
}

#[test]
fn our_own_set_has_its_hash() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/selftest.sfen");
    let set = selftest::our_set(3000, 1);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &set).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).is_ok_and(|kept| kept == set),
        "data/selftest.sfen is not what --make makes; UPDATE=1 writes it"
    );
    assert_eq!(fnv1a(transcript(&set, 400).as_bytes()), FIRST, "the first 400");
    if slow() {
        assert_eq!(fnv1a(transcript(&set, usize::MAX).as_bytes()), ALL, "all");
    } else {
        eprintln!("read 400 of 3000 positions; SLOW=1 reads all");
    }
}

/// The tree by the moves of shogi_legality_lite, hashed from the words of `docs/selftest.md`.
fn dump(board: &Board, depth: u32, hash: u64) -> u64 {
    let mix = |hash: u64, word: u64| hash.wrapping_mul(2579).wrapping_add(word);
    if depth == 0 {
        return mix(hash, u64::from(board.in_check()));
    }
    let mut moves: Vec<(u64, _)> = by_lite(board).into_iter().map(|mv| (code(&mv.to_string()), mv)).collect();
    moves.sort_unstable_by_key(|m| m.0);
    let mut hash = mix(hash, 519_365_819);
    for (code, mv) in moves {
        let mut after = *board;
        after.play(mv);
        hash = dump(&after, depth - 1, mix(hash, code));
    }
    mix(hash, 15_967_534_195)
}

/// The number of a move as text.
fn code(text: &str) -> u64 {
    let text = text.as_bytes();
    let place = |at: usize| 9 * u64::from(text[at] - b'1') + u64::from(text[at + 1] - b'a');
    let origin = match text[1] {
        b'*' => 81 + "PLNSBRG".bytes().position(|kind| kind == text[0]).unwrap() as u64,
        _ => place(0),
    };
    2 * (81 * origin + place(2)) + u64::from(text.len() == 5)
}

#[test]
fn another_implementation_writes_the_same() {
    let set = selftest::our_set(3000, 1);
    let every = if slow() { 5 } else { 60 };
    let mut compared = 0;
    for (line, sfen) in positions(&set).step_by(every) {
        let board = selftest::load(sfen).unwrap();
        // Trees of hundreds of drops are left to depth 1: the other one is slow.
        let depth = if board.legal_moves().len() > 150 { 1 } else { DEPTH };
        assert_eq!(selftest::dump(&board, depth), dump(&board, depth, 0), "line {line}: {sfen}");
        compared += 1;
    }
    assert!(compared >= 50, "{compared}");
}
