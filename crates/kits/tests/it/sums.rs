//! Evaluations as sums of terms: what is explained is what is played.

use tesuji_kits::GAMES;

/// Each family of each game with such an evaluation tells a sum that is the value it plays by, and what pieces are worth.
#[test]
fn sums_are_what_is_played() {
    let lines: [(&str, &[&str], usize, &str); 2] = [
        ("chess", &["e2e4", "d7d5", "e4d5", "d8d5", "b1c3"], 28, "d5"),
        ("shogi", &["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"], 37, "4e"),
    ];
    for (game, moves, pieces, square) in lines {
        let kit = GAMES.kit(game).expect("a game");
        for family in kit.families() {
            let mut player = kit.player(family).expect("a player");
            for plies in 0..=moves.len() {
                let moves: Vec<String> = moves[..plies].iter().map(|text| text.to_string()).collect();
                player.set_position("", None, &moves).expect("moves");
                let account = player.account().expect("an account");
                assert!(account.is_sound(), "{game} {family} after {moves:?}: {account:?}");
                assert!(!account.terms.is_empty());
                assert_eq!(account.by_network, (game, *family) == ("chess", "alpha-beta"));
            }
            let worths = player.worths().expect("worths");
            // A piece whose absence would leave the side that moved in check cannot be taken away.
            assert!(worths.len() <= pieces && worths.len() + 3 >= pieces, "{game}: {worths:?}");
            let (_, worth) = worths.iter().find(|(name, _)| name == square).expect("the last piece moved or attacked");
            let sign = if game == "chess" { -1 } else { 1 };
            assert!(worth * sign > 200, "{game} {square}: {worth}");
        }
    }
}
