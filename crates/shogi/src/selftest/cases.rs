//! Positions in which move generators go wrong, by name, and random games; together they make our own set.

use crate::Shogi;
use tesuji_record::cases::{self, Case, case, other_case};

/// Edge cases of the rules. Max-moves (593) and matsuri are the usual ones of perft tables.
pub const CASES: &[Case] = &[
    case("start position", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
    case("max-moves", "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"),
    case("matsuri", "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"),
    case("drops with every kind in hand", "4k4/9/9/9/9/9/9/9/4K4 b RBGSNLPrbgsnlp 1"),
    case("two pawns are forbidden on files with one", "4k4/9/9/9/9/9/P1P1P1P1P/9/4K4 b P 1"),
    case("a promoted pawn leaves its file free", "4k4/9/4+P4/9/9/9/9/9/4K4 b P 1"),
    case("no pawn on the last rank", "9/9/3k5/9/9/9/9/9/4K4 b PLN 1"),
    case("no pawn on the last rank, White", "4k4/9/9/9/9/9/5K3/9/9 w pln 1"),
    case("a pawn must promote on the last rank", "8k/4P4/9/9/9/9/9/9/4K4 b - 1"),
    case("a lance must promote on the last rank and may before", "8k/4L4/9/4L4/9/9/9/9/4K4 b - 1"),
    case("a knight must promote on two ranks", "8k/9/9/4N4/3N5/9/9/9/4K4 b - 1"),
    case("a silver may go in and out without promotion", "8k/9/4S4/4S4/9/9/9/9/4K4 b - 1"),
    case("promotion on leaving the zone", "8k/9/4R4/9/9/9/9/9/K8 b - 1"),
    case("golds never promote", "8k/9/4G4/9/9/9/9/9/4K4 b - 1"),
    case("drop-pawn mate is forbidden", "7lk/9/7G1/9/9/9/9/9/4K4 b P 1"),
    case("a dropped pawn that can be taken", "7gk/9/7G1/9/9/9/9/9/4K4 b P 1"),
    case("a dropped pawn that the king can flee", "8k/9/9/9/9/9/9/9/4K4 b P 1"),
    case("a dropped pawn whose taker is pinned", "R5g1k/9/7B1/9/9/9/9/9/4K4 b P 1"),
    case("a dropped pawn that the king may take", "7sk/7n1/9/9/9/9/9/9/4K4 b P 1"),
    case("drop-pawn mate by White is forbidden", "4k4/9/9/9/9/9/7g1/9/7LK w p 1"),
    case("a pawn that moves may mate", "7lk/9/7GP/9/9/9/9/9/4K4 b - 1"),
    case("check by a pawn is parried by no drop", "4k4/9/9/9/9/9/9/4p4/4K4 b RG 1"),
    case("drops between", "4k4/9/9/9/9/9/9/4l4/4K4 b RBGSNLP 1"),
    case("drops between, far away", "4r4/9/9/9/9/9/9/9/4K3k b RBGSNLP 1"),
    case("drops between on a diagonal", "b8/9/9/9/9/9/9/9/k7K b RBGSNLP 1"),
    case("double check", "4r4/9/9/9/9/9/4n4/9/3GKG2k b P 1"),
    case("double check by a discovered lance", "4k4/9/4S4/9/4L4/9/9/9/4K4 b - 1"),
    case("check by a knight cannot be parried between", "k8/9/9/9/9/9/5n3/9/4K4 b RG 1"),
    case("a pinned gold", "4r4/9/9/9/9/9/4G4/9/4K3k b - 1"),
    case("a pinned rook moves along the pin", "4r4/9/9/9/9/9/4R4/9/4K3k b - 1"),
    case("a pinned bishop moves along the pin", "b7k/9/9/3B5/9/9/6K2/9/9 b - 1"),
    case("a pinned pawn moves along the pin", "4l4/9/9/9/4P4/9/9/9/4K3k b - 1"),
    case("a pinned knight cannot move", "4l4/9/9/9/4N4/9/9/9/4K3k b - 1"),
    case("a horse pins nothing by its steps", "9/9/9/9/9/9/3+b5/4G4/4K3k b - 1"),
    case("a dragon checks by a step", "9/9/9/9/9/9/9/3+r5/4K3k b RG 1"),
    case("a horse checks by a step", "9/9/9/9/9/9/9/4+b4/4K3k b RG 1"),
    case("the king may not step along a slider's line", "4r4/9/9/9/4K4/9/9/9/8k b - 1"),
    case("the king takes a guarded man not", "9/9/9/9/9/3s5/3g5/3K5/8k b - 1"),
    case("kings do not touch", "9/9/9/9/3k5/9/3K5/9/9 b - 1"),
    case("mate", "8k/7GG/9/9/9/9/9/9/4K4 w - 1"),
    case("smothered by a knight", "7lk/7np/7N1/9/9/9/9/9/4K4 w - 1"),
    case("no moves without check", "8k/6R2/7G1/9/9/9/9/9/4K4 w - 1"),
    case("entering king", "1K1+P+P4/+P+P+P+P+P4/9/9/9/9/9/9/4k4 b RB 1"),
    case("all men in hand", "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1"),
    case("all men in White's hand", "4k4/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1"),
    case("a full board", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2"),
    case("the bishops taken", "lnsgkgsnl/1r7/pppppp1pp/6p2/9/2P6/PP1PPPPPP/7R1/LNSGKGSNL b Bb 5"),
    case("many promoted men", "k8/9/1+P+L+N+S+R+B2/9/9/9/2+b+r+s+n+l+p1/9/8K b - 1"),
    case("a discovered check by a drop's neighbour", "4k4/9/4P4/9/4R4/9/9/9/4K4 b P 1"),
    case("a king in the corner with one reply", "ln7/k8/p1S6/1N7/9/9/9/9/4K4 w - 1"),
];

/// Our own set of `positions` or a few more: the cases by name, each turned round as well, then every tenth position of
/// random games.
pub fn our_set(positions: usize, seed: u64) -> String {
    cases::set::<Shogi>(CASES, ("turned round", turned), positions, seed)
}

/// The position turned round: White's pieces are Black's and the other side moves.
fn turned(sfen: &str) -> String {
    let mut fields = sfen.split(' ');
    let mut next = || fields.next().unwrap_or("-");
    let mut placement = String::new();
    for c in next().chars().rev() {
        // A plus stands before its letter.
        match (c, placement.pop()) {
            ('+', Some(man)) => placement.extend(['+', man]),
            (c, last) => placement.extend(last.into_iter().chain([other_case(c)])),
        }
    }
    let side = if next() == "w" { "b" } else { "w" };
    let hands: String = next().chars().map(other_case).collect();
    // Black's hand comes first.
    let (mut black, mut white, mut number) = (String::new(), String::new(), String::new());
    for c in hands.chars() {
        match c {
            _ if c.is_ascii_digit() => number.push(c),
            _ => {
                let hand = if c.is_ascii_lowercase() { &mut white } else { &mut black };
                hand.push_str(&number);
                hand.push(c);
                number.clear();
            }
        }
    }
    format!("{placement} {side} {black}{white} {}", next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selftest;
    use std::collections::HashSet;

    #[test]
    fn every_case_can_be_read_and_has_a_name_of_its_own() {
        let names: HashSet<&str> = CASES.iter().map(|c| c.name).collect();
        assert!(names.len() == CASES.len() && names.len() >= 50, "{}", names.len());
        for case in CASES {
            for sfen in [case.position.to_string(), turned(case.position)] {
                match selftest::load(&sfen) {
                    Ok(board) => assert_eq!(selftest::load(&board.to_string()), Ok(board), "{}", case.name),
                    Err(error) => panic!("{}: {sfen}: {error}", case.name),
                }
            }
            assert_eq!(turned(&turned(case.position)), case.position, "{}", case.name);
            let moves = |sfen: &str| selftest::load(sfen).map(|board| board.legal_moves().len());
            assert_eq!(moves(case.position), moves(&turned(case.position)), "{}", case.name);
        }
    }
}
