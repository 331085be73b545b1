//! The terms of the chess evaluation: names, sizes, what is counted, where the idea comes from. Features follow each other without gaps.
//!
//! Counts are those of one side; the evaluation takes the second side's as negative. Tables of squares run from a8 to
//! h1 as the side itself sees the board. Ranks are the side's own: its pawns start on rank 2.

use tesuji_tally::terms;

terms! {
    "material" {
        MATERIAL = "material" [5; 0] "Pieces: pawn, knight, bishop, rook, queen.", "Shannon 1950; SoFCheck psq.cost; GreKo 1-5";
        BISHOP_PAIR = "bishop_pair" [1; 0] "Two bishops or more.", "SoFCheck two_bishops; GreKo 17, 18";
        KNIGHT_PAIR = "knight_pair" [1; 0] "Two knights or more.", "Kaufman 1999";
        ROOK_PAIR = "rook_pair" [1; 0] "Two rooks or more.", "Kaufman 1999";
        KNIGHT_PAWNS = "knight_pawns" [1; 0] "For every knight, own pawns beyond five.", "Kaufman 1999";
        ROOK_PAWNS = "rook_pawns" [1; 0] "For every rook, own pawns beyond five.", "Kaufman 1999";
    }
    "squares" {
        PSQ_PAWN = "psq_pawn" [64; 8] "Pawns by square.", "Michie and Maynard Smith 1961; SoFCheck psq; GreKo 9";
        PSQ_KNIGHT = "psq_knight" [64; 8] "Knights by square.", "SoFCheck psq; GreKo 14";
        PSQ_BISHOP = "psq_bishop" [64; 8] "Bishops by square.", "SoFCheck psq; GreKo 19";
        PSQ_ROOK = "psq_rook" [64; 8] "Rooks by square.", "SoFCheck psq";
        PSQ_QUEEN = "psq_queen" [64; 8] "Queens by square.", "SoFCheck psq";
        PSQ_KING = "psq_king" [64; 8] "King by square; its two halves are SoFCheck's king and king_end.", "SoFCheck psq; GreKo 25, 26";
    }
    "pawns" {
        PAWN_ISOLATED = "pawn_isolated" [1; 0] "Pawns without an own pawn on either adjacent file.", "SoFCheck pawn_isolated; GreKo 7";
        PAWN_ISOLATED_FACED = "pawn_isolated_faced" [1; 0] "Isolated pawns without an enemy pawn ahead on their file.", "Fruit 2.1 (open and closed)";
        PAWN_DOUBLE = "pawn_double" [1; 0] "Pawns with another own pawn anywhere on their file: two doubled pawns count two.", "SoFCheck pawn_double";
        PAWN_DOUBLED = "pawn_doubled" [1; 0] "Pawns behind an own pawn on their file: two doubled pawns count one.", "GreKo 6";
        PAWN_CANDIDATE = "pawn_candidate" [1; 0] "Open pawns, not passed, with no square ahead on their file that enemy pawns attack and own pawns do not.", "SoFCheck pawn_candidate";
        PAWN_OPEN = "pawn_open" [1; 0] "Pawns with no pawn of either side ahead on their file, neither passed nor candidate.", "SoFCheck pawn_open";
        PAWN_BACKWARD = "pawn_backward" [1; 0] "Pawns whose stop square enemy pawns attack and own pawns can never guard.", "SoFCheck pawn_backward";
        PAWN_BACKWARD_FACED = "pawn_backward_faced" [1; 0] "Backward pawns without an enemy pawn ahead on their file.", "Fruit 2.1 (open and closed)";
        PAWN_UNDEFENDED = "pawn_undefended" [1; 0] "Pawns that own pawns can never guard where they stand and whose stop square an enemy pawn attacks.", "GreKo 8";
        PAWN_GUARDED = "pawn_guarded" [8; 8] "Pawns guarded by an own pawn, by rank; the sum is SoFCheck's pawn_protected.", "SoFCheck pawn_protected";
        PAWN_PHALANX = "pawn_phalanx" [8; 8] "Pawns beside an own pawn, by rank.", "Stockfish (connected)";
        PAWN_LEVER = "pawn_lever" [8; 8] "Pawns that attack an enemy pawn, by rank.", "Ethereal, Stockfish (levers)";
        PAWN_ISLANDS = "pawn_islands" [1; 0] "Groups of adjacent files with own pawns.", "Nimzowitsch 1925";
        PAWN_RAMMED = "pawn_rammed" [8; 8] "Pawns stopped by an enemy pawn, by file.", "Kmoch 1959 (rams)";
    }
    "passed" {
        PASSED_FREE = "passed_free" [8; 8] "Passed pawns with a free stop square, by rank. With passed_blocked the sum is SoFCheck's pawn_passed.", "GreKo 10; SoFCheck pawn_passed";
        PASSED_BLOCKED = "passed_blocked" [8; 8] "Passed pawns with an occupied stop square, by rank.", "GreKo 11; SoFCheck pawn_passed";
        PASSED_GUARDED = "passed_guarded" [8; 8] "Passed pawns guarded by or beside an own pawn, by rank.", "Fruit 2.1";
        PASSED_STOP_SAFE = "passed_stop_safe" [8; 8] "Passed pawns whose stop square is free and not attacked by the enemy, by rank.", "Stockfish";
        PASSED_PATH_SAFE = "passed_path_safe" [8; 8] "Passed pawns whose whole path is free and not attacked by the enemy, by rank.", "Stockfish";
        PASSED_OWN_KING = "passed_own_king" [8; 8] "Passed pawns beyond rank 3, by the own king's distance to their stop square.", "Fruit 2.1, Stockfish";
        PASSED_ENEMY_KING = "passed_enemy_king" [8; 8] "Passed pawns beyond rank 3, by the enemy king's distance to their stop square.", "Fruit 2.1, Stockfish";
        PASSED_RACE = "passed_race" [1; 0] "For every passed pawn, the enemy king's distance to its promotion square minus the own king's.", "GreKo 12";
        PASSED_SQUARE = "passed_square" [1; 0] "Passed pawns that the king of an enemy without pieces cannot catch, by the rule of the square.", "GreKo 13; Berger 1890";
        PASSED_ROOK = "passed_rook" [1; 0] "Passed pawns with an own rook behind them on the file.", "Tarrasch";
        PASSED_ENEMY_ROOK = "passed_enemy_rook" [1; 0] "Passed pawns with an enemy rook behind them on the file.", "Tarrasch";
        PASSED_FILE = "passed_file" [4; 0] "Passed pawns by distance of their file from the edge.", "Stockfish";
    }
    "mobility" {
        MOBILITY_KNIGHT = "mobility_knight" [9; 9] "Knights, by squares attacked that no own pawn or king holds and no enemy pawn attacks.", "Slate and Atkin 1977; Stockfish (area)";
        MOBILITY_BISHOP = "mobility_bishop" [14; 14] "Bishops, by squares as for knights.", "Slate and Atkin 1977; Stockfish (area)";
        MOBILITY_ROOK = "mobility_rook" [15; 15] "Rooks, by squares as for knights.", "Slate and Atkin 1977; Stockfish (area)";
        MOBILITY_QUEEN = "mobility_queen" [28; 14] "Queens, by squares as for knights.", "Slate and Atkin 1977; Stockfish (area)";
        REACH = "reach" [3; 0] "Squares attacked that hold no own pieces, summed over knights, bishops and rooks.", "GreKo 16, 20, 23 (there minus half the maximum of 8, 13, 14, divided by that half)";
    }
    "pieces" {
        KNIGHT_OUTPOST = "knight_outpost" [1; 0] "Knights on ranks 4 to 6 guarded by a pawn, where no enemy pawn can ever attack them.", "GreKo 15";
        BISHOP_OUTPOST = "bishop_outpost" [1; 0] "Bishops on ranks 4 to 6 guarded by a pawn, where no enemy pawn can ever attack them.", "Stockfish";
        OUTPOST_REACH = "outpost_reach" [1; 0] "Knights that attack a free outpost of theirs.", "Stockfish (reachable outposts)";
        MINOR_BEHIND_PAWN = "minor_behind_pawn" [1; 0] "Knights and bishops right behind a pawn of either side.", "Stockfish";
        BISHOP_OWN_PAWNS = "bishop_own_pawns" [1; 0] "For every bishop, own pawns on squares of its colour.", "Nimzowitsch 1925; Fruit (bad bishop)";
        BISHOP_RAMMED_PAWNS = "bishop_rammed_pawns" [1; 0] "For every bishop, own pawns on squares of its colour that an enemy pawn stops.", "Stockfish";
        BISHOP_LONG = "bishop_long" [1; 0] "Bishops that look through pawns at two centre squares.", "Stockfish (long diagonal)";
        ROOK_OPEN = "rook_open" [1; 0] "Rooks on files without pawns.", "SoFCheck rook_open_col; GreKo 22";
        ROOK_SEMI_OPEN = "rook_semi_open" [1; 0] "Rooks on files with enemy pawns only.", "SoFCheck rook_semi_open_col; GreKo 22 (there half of rook_open)";
        ROOK_SEVENTH = "rook_seventh" [1; 0] "Rooks on the 7th rank.", "GreKo 21";
        ROOK_QUEEN_FILE = "rook_queen_file" [1; 0] "Rooks on the file of an enemy queen.", "Stockfish";
        ROOK_TRAPPED = "rook_trapped" [1; 0] "Rooks with three squares or fewer on the side of their king where it cannot castle, or shut in by it.", "Fruit 2.1, Stockfish";
        QUEEN_OPEN = "queen_open" [1; 0] "Queens on files without pawns.", "SoFCheck queen_open_col";
        QUEEN_SEMI_OPEN = "queen_semi_open" [1; 0] "Queens on files with enemy pawns only.", "SoFCheck queen_semi_open_col";
        QUEEN_TROPISM = "queen_tropism" [1; 0 / 7] "For every queen, 7 minus its distance to the enemy king.", "GreKo 24 (there divided by 7)";
        SPACE = "space" [1; 0] "Safe squares of files c to f, ranks 2 to 4, without own pawns; those behind own pawns twice.", "Stockfish";
        RESTRICTED = "restricted" [1; 0] "Squares that both attack, the enemy neither with a pawn nor twice.", "Stockfish (restricted pieces)";
    }
    "king_cover" {
        KING_SHIELD = "king_shield" [6; 0] "Own pawns on the 2nd (0-2) and 3rd rank (3-5) beside a king on a1, b1, g1 or h1: edge side, king's file, centre side.", "SoFCheck king_pawn.shield";
        KING_STORM = "king_storm" [6; 0] "Enemy pawns on the 3rd (0-2) and 4th rank (3-5) before such a king.", "SoFCheck king_pawn.storm";
        KING_WING_SHIELD = "king_wing_shield" [1; 0 / 6] "Pawns on the three files before a king on its first two ranks and not on files d or e: 2 for the 2nd rank, 1 for the 3rd.", "GreKo 27 (there divided by 6)";
        KING_SHELTER = "king_shelter" [32; 8] "For the three files around the king, by distance from the edge: rank of the rearmost own pawn not behind the king, 1 for none.", "Stockfish (shelter), Fruit";
        KING_PAWN_STORM = "king_pawn_storm" [32; 8] "For the three files around the king, by distance from the edge: own rank of the nearest enemy pawn not behind the king, 1 for none.", "Stockfish (storm), Fruit";
        KING_PAWN_STORM_RAMMED = "king_pawn_storm_rammed" [8; 8] "Those enemy pawns that an own pawn stops, by own rank.", "Stockfish (blocked storm)";
        KING_FILE_OPEN = "king_file_open" [4; 0] "Files around the king: without pawns where it stands, without own pawns there; the same of the two beside it.", "Fruit 2.1";
        KING_PAWN_DISTANCE = "king_pawn_distance" [8; 8] "King by its distance to the nearest pawn of either side; 0 without pawns.", "Stockfish";
        CASTLING = "castling" [2; 0] "Right to castle towards the h side, towards the a side.", "Fruit 2.1";
    }
    "king_attack" {
        QUEEN_NEAR_KING = "queen_near_king" [1; 0] "Enemy queens by distance from the own king: 5 at 1, 4 at 2, 1 at 3.", "SoFCheck queen_near_to_king";
        ROOK_NEAR_KING = "rook_near_king" [1; 0] "Enemy rooks by distance from the own king: 5 at 1, 4 at 2, 1 at 3.", "SoFCheck rook_near_to_king";
        KING_ATTACKERS = "king_attackers" [4; 0] "Knights, bishops, rooks, queens that attack the zone of the enemy king.", "Fruit 2.1, Stockfish";
        KING_RING_ATTACKS = "king_ring_attacks" [1; 0] "Attacks of pieces on the squares beside the enemy king, each counted.", "Stockfish";
        KING_RING_WEAK = "king_ring_weak" [1; 0] "Attacked squares beside the enemy king that only king or queen guard.", "Stockfish";
        SAFE_CHECK = "safe_check" [4; 0] "Squares from which a knight, bishop, rook, queen can check safely.", "Stockfish";
        KING_DANGER = "king_danger" [32; 8] "The enemy king's danger in units: attackers of its zone (knight 2, bishop 2, rook 3, queen 4), weak squares beside it (1), kinds of safe checks (knight 3, bishop 2, rook 3, queen 3), attacks beside it beyond the first (1/2), missing queen (half), 31 at most.", "Glaurung (king attack table)";
        KING_FLANK = "king_flank" [1; 0] "Attacked squares of the enemy king's three files in its half of the board.", "Stockfish (flank attacks)";
    }
    "threats" {
        THREAT_PAWN = "threat_pawn" [5; 0] "Enemy pieces attacked by pawns: pawn (not counted), knight, bishop, rook, queen.", "Stockfish";
        THREAT_PUSH = "threat_push" [1; 0] "Enemy pieces that a safe pawn push would attack.", "Stockfish";
        THREAT_KNIGHT = "threat_knight" [5; 0] "Enemy pieces attacked by knights, pawns only where no pawn guards them.", "Stockfish";
        THREAT_BISHOP = "threat_bishop" [5; 0] "Enemy pieces attacked by bishops, pawns only where no pawn guards them.", "Stockfish";
        THREAT_ROOK = "threat_rook" [5; 0] "Enemy pieces attacked by rooks, those guarded by pawns only if they are queens.", "Stockfish";
        THREAT_KING = "threat_king" [1; 0] "Unguarded enemy pieces attacked by the king.", "Stockfish";
        HANGING = "hanging" [5; 0] "Enemy pieces attacked and not guarded, by kind.", "Stockfish";
        TEMPO = "tempo" [1; 0] "The right to move.", "Fruit 2.1";
    }
}

// Every feature is a number of 16 bits, and the tables of squares are where the code takes them to be.
const _: () = assert!(FEATURES < 1 << 16 && PSQ_KING == PSQ_PAWN + 5 * 64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_well_formed() {
        assert_eq!(tesuji_tally::check_terms(TERMS), Ok(FEATURES));
    }
}
