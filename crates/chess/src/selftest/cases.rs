//! Positions in which move generators go wrong, by name, and random games; together they make our own set.

use crate::Chess;
use tesuji_record::cases::{self, Case, case, other_case};

/// Edge cases of the rules. Kiwipete and the positions numbered 3 to 6 are the usual ones of perft tables; the position
/// with 218 moves is N. Petrović's of 1964.
pub const CASES: &[Case] = &[
    case("start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"),
    case("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"),
    case("perft position 3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1"),
    case("perft position 4", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1"),
    case("perft position 4, colours changed", "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1"),
    case("perft position 5", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8"),
    case("perft position 6", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10"),
    case("en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
    case("en passant from both sides", "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1"),
    case("en passant by Black from both sides", "4k3/8/8/8/2pPp3/8/8/4K3 b - d3 0 1"),
    case("en passant on the a file, a pawn on the h file", "4k3/8/8/pP5P/8/8/8/4K3 w - a6 0 1"),
    case("en passant on the h file, a pawn on the a file", "4k3/8/8/P5Pp/8/8/8/4K3 w - h6 0 1"),
    case("en passant would uncover the rank", "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 1"),
    case("en passant by Black would uncover the rank", "4K3/8/8/8/k2pP2R/8/8/8 b - e3 0 1"),
    case("en passant with two capturers on the rank of the king", "8/8/8/K1PpP2r/8/8/8/4k3 w - d6 0 1"),
    case("en passant along the pin", "4k3/2b5/8/3pP3/5K2/8/8/8 w - d6 0 1"),
    case("en passant out of a pin on the file", "1k2r3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
    case("en passant takes the pawn that gives check", "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 1"),
    case("en passant cannot parry the check uncovered by the pawn", "4b2k/8/8/3pP3/K7/8/8/8 w - d6 0 1"),
    case("en passant would uncover a diagonal through the pawn taken", "4k1b1/8/8/3pP3/8/1K6/8/8 w - d6 0 1"),
    case("en passant uncovers a check on the rank", "8/8/8/k2pP2R/8/8/8/4K3 w - d6 0 1"),
    case("en passant square that no pawn can use", "4k3/8/8/3p4/8/8/8/4K3 w - d6 0 1"),
    case("en passant square beside a pinned pawn", "4k3/6b1/8/3pP3/8/2K5/8/8 w - d6 0 1"),
    case("no en passant without the square", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
    case("castling on both sides", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    case("castling on both sides, Black to move", "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"),
    case("castling out of check", "4k3/4r3/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling through f1 attacked", "4k3/5r2/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling to g1 attacked", "4k3/6r1/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling with h1 attacked", "4k3/7r/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling through d1 attacked", "4k3/3r4/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling to c1 attacked", "4k3/2r5/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling with b1 attacked", "4k3/1r6/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling with a1 attacked", "4k3/r7/8/8/8/8/8/R3K2R w KQ - 0 1"),
    case("castling past a pawn that attacks e1's neighbours", "4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1"),
    case("castling with knights in the way", "rn2k1nr/8/8/8/8/8/8/RN2K1NR w KQkq - 0 1"),
    case("castling gives check on the f file", "5k2/8/8/8/8/8/8/4K2R w K - 0 1"),
    case("castling gives check on the d file", "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1"),
    case("one right each", "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1"),
    case("the rook with the right is taken", "r3k2r/8/8/8/8/8/6b1/R3K2R b KQkq - 0 1"),
    case("rook takes rook, both rights go", "r3k2r/8/8/8/8/8/8/R3K2R w Qq - 5 9"),
    case("promotion takes the rooks with the rights", "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1"),
    case("rights that contradict the placement", "4k3/8/8/8/8/8/8/4K3 w KQkq - 0 1"),
    case("right without its rook", "r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1"),
    case("promotion", "8/P7/8/8/8/8/7k/K7 w - - 0 1"),
    case("promotion ahead and by capture on both sides", "1n1n4/2P5/8/8/8/8/8/K6k w - - 0 1"),
    case("promotion blocked, captures left", "1nbn4/2P5/8/8/8/8/8/K6k w - - 0 1"),
    case("seven promotions", "8/PPPPPPP1/7k/8/8/8/7K/8 w - - 0 1"),
    case("eight promotions by Black", "8/8/8/k7/7K/8/pppppppp/8 b - - 0 1"),
    case("fourteen pawns about to promote", "8/PPPP1PPP/8/4k3/8/4K3/pppp1ppp/8 w - - 0 1"),
    case("promotion takes the checker", "2r1k3/1P6/8/8/2K5/8/8/8 w - - 0 1"),
    case("promotion blocks the check", "r6K/3P4/8/8/8/8/8/4k3 w - - 0 1"),
    case("promotion of a pinned pawn by taking the pinner", "q6k/1P6/2K5/8/8/8/8/8 w - - 0 1"),
    case("promotions around a king in the corner", "6rk/5Ppp/8/8/8/8/8/5R1K w - - 0 1"),
    case("promotion to a queen would be stalemate", "8/5P1k/5K2/8/8/8/8/8 w - - 0 1"),
    case("218 moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"),
    case("nine queens", "6rk/6pp/8/8/QQQQ4/8/QQQQ4/Q3K3 w - - 0 1"),
    case("ten knights", "4k3/8/8/8/8/NNNNN3/NNNNN3/4K3 w - - 0 1"),
    case("ten rooks against ten bishops", "kbbbbb2/bbbbb3/8/8/8/8/3RRRRR/2KRRRRR w - - 0 1"),
    case("pinned in eight directions", "2kr3b/b7/1Q1R1P2/8/rB1K1Q1r/8/1N1N1B2/b2r2b1 w - - 0 1"),
    case("pinned pawns on file and diagonal", "3rk3/8/8/7b/1b6/2P5/3PP3/3K4 w - - 0 1"),
    case("pinned pawn takes along the pin", "4k3/8/8/8/7b/6P1/8/4K3 w - - 0 1"),
    case("double check", "4k3/8/5N2/8/8/8/8/4R1K1 b - - 0 1"),
    case("double check, the king may take", "4k3/4R3/3N4/8/8/8/8/6K1 b - - 0 1"),
    case("the king steps back on the line of the checker", "4k3/8/8/8/8/8/8/r3K3 w - - 0 1"),
    case("the king may not take a guarded piece", "4k3/8/8/8/8/8/3q4/2r1K3 w - - 0 1"),
    case("kings face each other", "8/8/8/3k4/8/3K4/8/8 w - - 0 1"),
    case("check by a knight: no blocking", "4k3/8/8/8/8/3n4/R6R/4K3 w - - 0 1"),
    case("check by a pawn", "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1"),
    case("a pawn's double step blocks the check", "4k3/8/8/8/K6r/8/3P4/8 w - - 0 1"),
    case("a pawn's double step is blocked on its first square", "4k3/8/8/8/8/3r4/3P4/4K2R w K - 0 1"),
    case("pawn attacks do not wrap", "4k3/8/8/p6p/P6P/8/8/4K3 w - - 0 1"),
    case("every pawn blocked", "4k3/8/p1p1p1p1/P1P1P1P1/1p1p1p1p/1P1P1P1P/8/4K3 w - - 0 1"),
    case("discovered check by a king's move", "4k3/8/8/8/4K3/8/8/4R3 w - - 0 1"),
    case("discovered check by a pawn on its own file: none", "4k3/8/8/8/4P3/8/8/K3R3 w - - 0 1"),
    case("three queens to one square", "4k3/8/8/8/8/Q7/8/Q1Q1K3 w - - 0 1"),
    case("a pinned rook needs no telling apart", "4k3/8/8/8/4r3/8/4R3/R3K3 w - - 0 1"),
    case("knights on one file and rank", "4k3/8/8/1N3N2/8/1N6/8/4K3 w - - 0 1"),
    case("stalemate", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"),
    case("stalemate with a pinned piece", "k7/n1K5/8/8/8/8/8/R7 b - - 0 1"),
    case("fool's mate", "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3"),
    case("smothered mate", "6rk/5Npp/8/8/8/8/8/6K1 b - - 0 1"),
    case("mate by two rooks", "4k2R/R7/8/8/8/8/8/4K3 b - - 0 1"),
    case("one legal move", "7k/8/8/8/8/8/1q6/K7 w - - 0 1"),
    case("bare kings", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
    case("bishops on one colour", "5b1k/8/8/8/8/8/8/K1B5 w - - 0 1"),
    case("one ply before fifty moves", "8/8/4k3/8/8/4K3/4R3/8 w - - 99 80"),
    case("high counters", "8/8/4k3/8/8/4K3/4R3/8 b - - 149 512"),
];

/// Our own set of `positions` or a few more: the cases by name, each with colours changed as well, then every tenth position of
/// random games.
pub fn our_set(positions: usize, seed: u64) -> String {
    cases::set::<Chess>(CASES, ("colours changed", change_colours), positions, seed)
}

/// The position with colours changed: ranks turned over, letters swapped, the other side to move.
fn change_colours(fen: &str) -> String {
    let mut fields = fen.split(' ');
    let mut next = || fields.next().unwrap_or("-");
    let rows: Vec<String> = next().split('/').rev().map(|row| row.chars().map(other_case).collect()).collect();
    let side = if next() == "w" { "b" } else { "w" };
    let mut rights: Vec<char> = next().chars().map(other_case).collect();
    rights.sort_unstable();
    let en_passant = next().replace('3', "_").replace('6', "3").replace('_', "6");
    format!("{} {side} {} {en_passant} {} {}", rows.join("/"), rights.into_iter().collect::<String>(), next(), next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selftest::{self, Style};
    use std::collections::HashSet;

    #[test]
    fn every_case_can_be_read_and_has_a_name_of_its_own() {
        let names: HashSet<&str> = CASES.iter().map(|c| c.name).collect();
        assert!(names.len() == CASES.len() && names.len() >= 50);
        for case in CASES {
            for fen in [case.position.to_string(), change_colours(case.position)] {
                if let Err(error) = selftest::load(&fen, Style::default()) {
                    panic!("{}: {fen}: {error}", case.name);
                }
            }
        }
    }

    #[test]
    fn colours_change_twice_to_nothing() {
        for case in CASES {
            assert_eq!(change_colours(&change_colours(case.position)), case.position, "{}", case.name);
        }
    }
}
