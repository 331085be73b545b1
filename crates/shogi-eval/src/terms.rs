//! The terms of the shogi evaluation: names, sizes, what is counted, where the idea comes from. Features follow each other without gaps.
//!
//! Counts are those of one side; the evaluation takes the second side's as negative. Tables of squares have nine lines
//! of nine, from rank a to rank i and file 9 to file 1 as Black sees the board; White's are turned round. Tables around
//! a king have nine lines of five: four ranks ahead of it or more to four behind it or more, and files away from it,
//! from its own to four or more.

use tesuji_tally::terms;

terms! {
    "material" {
        MATERIAL = "material" [13; 0] "Pieces on the board: pawn, lance, knight, silver, bishop, rook, gold, then promoted pawn, lance, knight, silver, horse, dragon.", "Grimbergen 1996; Bonanza (material)";
        HAND_PAWN = "hand_pawn" [6; 0] "Pawns in hand: the first, the second and so on; the last number is for all further ones.", "YSS (values in hand)";
        HAND_LANCE = "hand_lance" [4; 0] "Lances in hand, first to fourth.", "YSS (values in hand)";
        HAND_KNIGHT = "hand_knight" [4; 0] "Knights in hand, first to fourth.", "YSS (values in hand)";
        HAND_SILVER = "hand_silver" [4; 0] "Silvers in hand, first to fourth.", "YSS (values in hand)";
        HAND_BISHOP = "hand_bishop" [2; 0] "Bishops in hand, first and second.", "YSS (values in hand)";
        HAND_ROOK = "hand_rook" [2; 0] "Rooks in hand, first and second.", "YSS (values in hand)";
        HAND_GOLD = "hand_gold" [4; 0] "Golds in hand, first to fourth.", "YSS (values in hand)";
    }
    "squares" {
        PSQ_PAWN = "psq_pawn" [81; 9] "Pawns by square.", "Michie and Maynard Smith 1961";
        PSQ_LANCE = "psq_lance" [81; 9] "Lances by square.", "Michie and Maynard Smith 1961";
        PSQ_KNIGHT = "psq_knight" [81; 9] "Knights by square.", "Michie and Maynard Smith 1961";
        PSQ_SILVER = "psq_silver" [81; 9] "Silvers by square.", "Michie and Maynard Smith 1961";
        PSQ_BISHOP = "psq_bishop" [81; 9] "Bishops by square.", "Michie and Maynard Smith 1961";
        PSQ_ROOK = "psq_rook" [81; 9] "Rooks by square.", "Michie and Maynard Smith 1961";
        PSQ_GOLD = "psq_gold" [81; 9] "Golds by square.", "Michie and Maynard Smith 1961";
        PSQ_KING = "psq_king" [81; 9] "King by square.", "Michie and Maynard Smith 1961";
        PSQ_TOKIN = "psq_tokin" [81; 9] "Promoted pawns, lances, knights and silvers by square.", "Michie and Maynard Smith 1961";
        PSQ_HORSE = "psq_horse" [81; 9] "Horses by square.", "Michie and Maynard Smith 1961";
        PSQ_DRAGON = "psq_dragon" [81; 9] "Dragons by square.", "Michie and Maynard Smith 1961";
    }
    "own_king" {
        GUARD_PAWN = "guard_pawn" [45; 5] "Pawns by their place around the own king.", "Bonanza (king and piece)";
        GUARD_LANCE = "guard_lance" [45; 5] "Lances by their place around the own king.", "Bonanza (king and piece)";
        GUARD_KNIGHT = "guard_knight" [45; 5] "Knights by their place around the own king.", "Bonanza (king and piece)";
        GUARD_SILVER = "guard_silver" [45; 5] "Silvers by their place around the own king.", "Bonanza (king and piece)";
        GUARD_GOLD = "guard_gold" [45; 5] "Golds and what moves like them by their place around the own king.", "Bonanza (king and piece)";
        GUARD_BISHOP = "guard_bishop" [45; 5] "Bishops by their place around the own king.", "Bonanza (king and piece)";
        GUARD_ROOK = "guard_rook" [45; 5] "Rooks by their place around the own king.", "Bonanza (king and piece)";
        GUARD_HORSE = "guard_horse" [45; 5] "Horses by their place around the own king.", "Bonanza (king and piece)";
        GUARD_DRAGON = "guard_dragon" [45; 5] "Dragons by their place around the own king.", "Bonanza (king and piece)";
    }
    "enemy_king" {
        SIEGE_PAWN = "siege_pawn" [45; 5] "Pawns by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_LANCE = "siege_lance" [45; 5] "Lances by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_KNIGHT = "siege_knight" [45; 5] "Knights by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_SILVER = "siege_silver" [45; 5] "Silvers by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_GOLD = "siege_gold" [45; 5] "Golds and what moves like them by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_BISHOP = "siege_bishop" [45; 5] "Bishops by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_ROOK = "siege_rook" [45; 5] "Rooks by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_HORSE = "siege_horse" [45; 5] "Horses by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
        SIEGE_DRAGON = "siege_dragon" [45; 5] "Dragons by their place around the enemy king, as that king sees it.", "Bonanza (king and piece)";
    }
    "mobility" {
        MOBILITY_LANCE = "mobility_lance" [9; 9] "Lances, by squares reached that hold no own pieces.", "Slate and Atkin 1977";
        MOBILITY_BISHOP = "mobility_bishop" [17; 17] "Bishops, by squares reached that hold no own pieces and no enemy pawn attacks.", "Slate and Atkin 1977";
        MOBILITY_ROOK = "mobility_rook" [17; 17] "Rooks, by squares as for bishops.", "Slate and Atkin 1977";
        MOBILITY_HORSE = "mobility_horse" [21; 21] "Horses, by squares as for bishops.", "Slate and Atkin 1977";
        MOBILITY_DRAGON = "mobility_dragon" [21; 21] "Dragons, by squares as for bishops.", "Slate and Atkin 1977";
    }
    "pieces" {
        ROOK_OPEN = "rook_open" [2; 0] "Rooks on a file without own pawns: with an enemy pawn there, without.", "Shogi proverb: the rook on an open file";
        PAWN_DROPS = "pawn_drops" [1; 0] "With a pawn in hand: files without own pawns.", "YSS (files open to pawn drops)";
        KNIGHT_HEAD = "knight_head" [1; 0] "Knights with an enemy pawn right before them that no own piece attacks.", "Shogi proverb: the knight that jumps high falls prey to a pawn";
        HANGING = "hanging" [9; 0] "Enemy pieces attacked and not guarded: pawn, lance, knight, silver, gold and its like, bishop, rook, horse, dragon.", "Stockfish";
        THREAT_PAWN = "threat_pawn" [9; 0] "Enemy pieces attacked by pawns, in the same order.", "Stockfish";
        THREAT_MINOR = "threat_minor" [9; 0] "Enemy pieces attacked by lances, knights and silvers, in the same order.", "Stockfish";
        CAMP = "camp" [1; 0] "Squares of the promotion zone that are attacked and not guarded.", "Stockfish (space)";
        TEMPO = "tempo" [1; 0] "The right to move.", "Fruit 2.1";
    }
    "king" {
        KING_ATTACKERS = "king_attackers" [9; 0] "Pieces that reach the squares around the enemy king, in the order of hanging.", "Fruit 2.1; GPS Shogi (attacks around the king)";
        KING_RING_ATTACKS = "king_ring_attacks" [1; 0] "Their attacks on the squares beside the enemy king, each counted.", "GPS Shogi (attacks around the king)";
        KING_RING_WEAK = "king_ring_weak" [1; 0] "Squares beside the enemy king that are attacked and guarded by the king alone.", "Stockfish";
        KING_ESCAPES = "king_escapes" [9; 9] "King by the squares beside it that hold no own pieces and are not attacked.", "Tsume practice (escape squares)";
        KING_GENERALS = "king_generals" [6; 6] "King by golds, silvers and their like beside it; the last number is for five or more.", "Shogi proverb: a castle needs three generals";
        KING_LINES = "king_lines" [2; 0] "Lances, bishops and rooks that would reach the enemy king: with one piece between, with none but empty squares.", "Stockfish (slider on king)";
        DROP_CHECKS = "drop_checks" [6; 0] "Kinds in hand that can be dropped with check where only the king guards: lance, knight, silver, bishop, rook, gold.", "Stockfish (safe checks)";
        KING_DANGER = "king_danger" [40; 10] "The enemy king's danger in units: pieces that reach its surroundings (pawn, lance, knight 1, silver 2, gold 3, bishop 2, rook 3, horse 4, dragon 5), attacks beside it beyond the second (1/2), weak squares beside it (1), kinds of drop checks (2), generals and big pieces in hand (1), escapes below three (1 each); 39 at most.", "Glaurung (king attack table)";
        CASTLE = "castle" [8; 0] "For a king at home in a castle, its pieces in place: Yagura, Mino, high Mino, silver crown, Anaguma, Gangi, boat, Millennium; either wing.", "Shogi castles";
        CASTLE_DONE = "castle_done" [8; 0] "Castles with all pieces in place, in the same order.", "Shogi castles";
    }
    "entering" {
        ENTER_KING = "enter_king" [3; 0] "King on its 5th, 4th (as it sees the board) and in the enemy camp.", "Rules of declaration";
        ENTER_GUARD = "enter_guard" [1; 0] "With the king in the enemy camp: own pieces there, up to ten.", "Rules of declaration";
        ENTER_POINTS = "enter_points" [1; 0] "With the king in the enemy camp: points for a declaration, up to 28.", "Rules of declaration";
    }
}

// Every feature is a number of 16 bits, and tables are where the code takes them to be.
const _: () = assert!(FEATURES < 1 << 16 && PSQ_DRAGON == PSQ_PAWN + 10 * 81 && SIEGE_PAWN == GUARD_PAWN + 9 * 45);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_well_formed() {
        assert_eq!(tesuji_tally::check_terms(TERMS), Ok(FEATURES));
    }
}
