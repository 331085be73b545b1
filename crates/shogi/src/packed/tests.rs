//! Golden vectors of cshogi 1.1.0, and round trips on random positions.

use super::*;
use crate::{Rules, Setup, Shogi, sfen};
use tesuji_game::{Game, Position, Random};

const DIARY: &str = "1n1g3+Pl/k1p1s4/1ng5p/pSP1p1pp1/1n3p3/P1K3P1P/1P7/9/L1G5L b 2R2BG2SL5Pn 161";

pub(super) fn bytes_of<const N: usize>(hex: &str) -> [u8; N] {
    assert_eq!(hex.len(), 2 * N);
    std::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
}

/// SFEN, hcp and PackedSfen.
pub(super) const GOLDEN: [(&str, &str, &str); 4] = [
    (
        sfen::START,
        "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c",
        "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c",
    ),
    (
        DIARY,
        "76c949110c4901940014d8147801d41b782ed7720928c1000008a59ccfe7f79b",
        "76c951120c4502a4002438257801e41b7856ebb10a48c1000008639cc7e3f3a9",
    ),
    (
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "6e01000bc00200182c1f00c0000030fc00208c723e3f922449922449ce39efbd",
        "6e010007c00100181c1f00c0000030fc002094711e1f922449922449d65aefbd",
    ),
    (
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "59a449210c9742fc1c9b42585e85f0288457213c9b42582e85f8382685303c5e",
        "59a451220cab44fc2ca744385e89f0488457223ca744385689f858468930bc7e",
    ),
];

#[test]
fn golden_vectors_are_met() {
    for (text, apery, yaneuraou) in GOLDEN {
        let board = sfen::parse(text.trim()).expect("a position");
        for (coding, hex) in [(Coding::Apery, apery), (Coding::Yaneuraou, yaneuraou)] {
            let bytes: [u8; 32] = bytes_of(hex);
            assert_eq!(pack(&board, coding), Ok(bytes), "{text} {coding:?}");
            let read = unpack(&bytes, coding).map(|board| Setup::of(&board));
            assert_eq!(read, Ok(Setup { move_number: 1, ..Setup::of(&board) }), "{text} {coding:?}");
        }
    }
}

/// Calls `each` with positions of random games of every handicap.
pub(super) fn random_boards(games: usize, mut each: impl FnMut(&crate::Board, &[crate::Move])) {
    for game in 0..games {
        let mut random = Random::new(game as u64);
        let handicap = crate::HANDICAPS[if game % 2 == 0 { 0 } else { game / 2 % 16 }].0;
        let mut board = Shogi::start(&Rules { handicap, ..Rules::default() });
        for _ in 0..150 {
            let moves = board.legal_moves();
            each(&board, &moves);
            if moves.is_empty() {
                break;
            }
            board.play(moves[random.below(moves.len())]);
        }
    }
}

#[test]
fn positions_come_back() {
    let mut seen = 0;
    random_boards(60, |board, _| {
        seen += 1;
        let setup = Setup { move_number: 1, ..Setup::of(board) };
        for coding in [Coding::Apery, Coding::Yaneuraou] {
            let bytes = pack(board, coding).expect("two kings");
            assert_eq!(unpack(&bytes, coding).map(|b| Setup::of(&b)), Ok(setup));
        }
    });
    assert!(seen > 4_000);
}

#[test]
fn one_king_is_refused() {
    let board = sfen::parse("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1").expect("a problem");
    assert_eq!(pack(&board, Coding::Apery), Err(PackedError::OneKing));
    // YaneuraOu writes 81 for a king that is not there.
    let mut bytes: [u8; 32] = bytes_of(GOLDEN[0].2);
    bytes[0] = bytes[0] & 1 | 81 << 1;
    let error = unpack(&bytes, Coding::Yaneuraou);
    assert_eq!(error, Err(PackedError::King { side: tesuji_game::Side::First, found: 81 }));
}

/// Whatever bit is turned: the record is refused, or reads as a position that packs to just these bytes, up to the order of
/// what lies beside the board.
#[test]
fn turned_bits_never_give_nonsense() {
    let (mut refused, mut read) = (0, 0);
    for (_, apery, yaneuraou) in GOLDEN {
        for (coding, hex) in [(Coding::Apery, apery), (Coding::Yaneuraou, yaneuraou)] {
            for bit in 0..256 {
                let mut bytes: [u8; 32] = bytes_of(hex);
                bytes[bit / 8] ^= 1 << (bit % 8);
                match unpack(&bytes, coding) {
                    Err(error) => {
                        assert!(error.byte() < 32);
                        refused += 1;
                    }
                    Ok(board) => {
                        assert_eq!(pack(&board, coding).and_then(|b| unpack(&b, coding)), Ok(board));
                        read += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 1_000 && read > 100, "{refused} {read}");
}

#[test]
fn records_are_those_of_others() {
    // The start with 2g2f, score 123, Black won; then White to move with 3c3d.
    let board = sfen::parse(sfen::START).expect("a position");
    let start = Checked { board, mv: crate::parse_usi("2g2f").ok() };
    let mut board = start.board;
    board.play(start.mv.expect("a move"));
    let second = Checked { board, mv: crate::parse_usi("3c3d").ok() };
    let black = Some(tesuji_game::Side::First);
    for (record, hcpe_tail, psv_tail) in
        [(start, "7b008e070100", "7b008e0701000100"), (second, "7b00150a0100", "7b00150a0200ff00")]
    {
        let hcpe = record.to_hcpe(123, black).expect("two kings");
        assert_eq!(hcpe.to_bytes()[32..], bytes_of::<6>(hcpe_tail));
        let psv = record.to_psv(123, black).expect("two kings");
        assert_eq!(psv.to_bytes()[32..], bytes_of::<8>(psv_tail));
        assert_eq!((Hcpe::from_bytes(&hcpe.to_bytes()), Psv::from_bytes(&psv.to_bytes())), (hcpe, psv));
        assert_eq!((psv.to_hcpe(), hcpe.to_psv(psv.ply)), (Ok(hcpe), Ok(psv)));
        assert_eq!(psv.check(), Ok(record));
        assert_eq!(hcpe.check().map(|c| c.mv), Ok(record.mv));
        assert_eq!((hcpe.winner(), side_of(&psv.position)), (black, record.board.side_to_move()));
    }
}

#[test]
fn both_ways_between_the_codings_agree() {
    random_boards(30, |board, moves| {
        let apery = pack(board, Coding::Apery).expect("two kings");
        let yaneuraou = pack(board, Coding::Yaneuraou).expect("two kings");
        assert_eq!(transcode(&apery, Coding::Apery, Coding::Yaneuraou), Ok(yaneuraou));
        assert_eq!(transcode(&yaneuraou, Coding::Yaneuraou, Coding::Apery), Ok(apery));
        for &mv in moves {
            let word = move_word(mv, Coding::Yaneuraou);
            assert_eq!(move_of(word, Coding::Yaneuraou), Some(mv));
        }
    });
}

#[test]
fn each_fault_has_its_byte() {
    let board = sfen::parse(sfen::START).expect("a position");
    let good = Checked { board, mv: crate::parse_usi("2g2f").ok() }.to_psv(0, None).expect("two kings");
    let illegal = Psv { mv: 0x078F, ..good };
    assert_eq!(illegal.check(), Err(PackedError::Move { byte: 34, word: 0x078F }));
    let lost = Psv { result: 2, ..good };
    assert_eq!(lost.check(), Err(PackedError::Result { byte: 38, found: 2 }));
    let error = illegal.check().expect_err("an illegal move").at(3, 80);
    assert_eq!(error.to_string(), "game 3: at byte 114: expected a legal move, found `0x078f`");
    // White's last hand code, 2 bits of it, become those of no piece: a position with a rook in hand does for that.
    let board = sfen::parse("4k4/9/9/9/9/9/9/9/4K4 b RGBSNLP 1").expect("a position");
    let mut bytes = pack(&board, Coding::Apery).expect("two kings");
    bytes[31] |= 0xC0;
    assert!(matches!(unpack(&bytes, Coding::Apery), Err(PackedError::Code { .. } | PackedError::Count { .. })));
    let bytes = pack(&board, Coding::Apery).expect("two kings");
    let mut fewer = bytes;
    fewer[31] ^= 0x10;
    assert!(unpack(&fewer, Coding::Apery).is_err());
}

/// Records with a few bits turned, through the fuzzers' entries: what they assert holds.
#[test]
fn bent_records_are_read_or_refused() {
    let mut file = Vec::new();
    random_boards(4, |board, moves| {
        let record = Checked { board: *board, mv: moves.first().copied() };
        if let Ok(psv) = record.to_psv(50, None) {
            file.extend_from_slice(&psv.to_bytes());
        }
    });
    crate::fuzz::packed(&file);
    let mut random = Random::new(3);
    for _ in 0..300 {
        let start = random.below(file.len() / 40) * 40;
        let mut bent = file[start..(start + 400).min(file.len())].to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bent.len());
            bent[at] ^= 1 << random.below(8);
        }
        crate::fuzz::packed(&bent);
        crate::fuzz::samples(&bent);
    }
}
