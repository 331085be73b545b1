//! The network of the program that answers where nobody named one (`NetFile=auto`), by the board and the komi.

use tesuji_go::{Rules, Scoring};

/// A network of the program, and the share of playouts in the value of a leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OwnNet {
    /// Its name, as `NetFile` takes it.
    pub(super) name: &'static str,
    /// What `PlayoutShare` is where nobody set it.
    pub(super) playout_share: f32,
}

/// Komi in half points in which the networks learned what a lead is worth (5.5 to 7.5), and half a point more on both sides.
const KOMI_LEARNED: std::ops::RangeInclusive<i16> = 10..=16;
/// The side of the small board with a network of its own; smaller boards are left to playouts.
const SIDE_LEARNED: usize = 9;

/// The network for games by `rules`; `None` where playouts alone are used. The matches behind this table are in docs/networks.md.
pub(super) fn own_net(rules: &Rules) -> Option<OwnNet> {
    // The value of a network that never saw such a komi is a guess, and on 9x9 its moves beside playouts lose to playouts alone.
    let is_learned = KOMI_LEARNED.contains(&rules.komi_halves) && rules.handicap == 0;
    let is_area = rules.scoring == Scoring::Area;
    match [rules.size.width(), rules.size.height()] {
        // It learned by area alone and does not see that a stone in one's own territory costs a point, which playouts count.
        [SIDE_LEARNED, SIDE_LEARNED] if is_learned && !is_area => None,
        [SIDE_LEARNED, SIDE_LEARNED] if is_learned => Some(OwnNet { name: "go9-4x32", playout_share: 0.0 }),
        [width, height] if is_learned && width.min(height) > SIDE_LEARNED => {
            Some(OwnNet { name: "go19-4x32", playout_share: 0.5 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_kits_shared::net::net_file;

    #[test]
    fn board_and_komi_name_the_network() {
        let answer = |rules: &str| own_net(&rules.parse().expect("rules")).map(|net| (net.name, net.playout_share));
        assert_eq!(answer("7x7 chinese komi 9"), None);
        assert_eq!(answer("9x9 chinese komi 7"), Some(("go9-4x32", 0.0)));
        assert_eq!(answer("9x9 chinese komi 0.5"), None);
        assert_eq!(answer("9x9 japanese komi 6.5"), None);
        assert_eq!(answer("13x13 japanese komi 6.5"), Some(("go19-4x32", 0.5)));
        assert_eq!(answer("19x19 handicap 4 komi 0.5"), None);
        for rules in ["9x9", "19x19"] {
            let name = own_net(&rules.parse().expect("rules")).expect("a network").name;
            assert!(net_file(name).is_ok(), "{name} comes with the program");
        }
    }
}
