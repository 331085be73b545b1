//! The random keys behind [`crate::Board::key`] and the position's key: the same for a point on every capacity.

use tesuji_game::Random;

/// The Zobrist key that is added when White is to move.
pub(crate) const WHITE_TO_MOVE: u64 = 0x6C1D_8F5B_22E9_A3D7;
/// Once for each pass that the game's end counts.
pub(crate) const PASSES: [u64; 3] = [0, 0x9B1F_40C7_5A86_ED13, 0x3D72_B9E8_0C45_F6A1];
/// The Zobrist key of the button's holder: nobody, Black, White.
pub(crate) const BUTTON: [u64; 3] = [0, 0xE2A6_13D9_74BC_580F, 0x57F8_CA04_9E31_D26B];

/// Keys of black and white stones for each cell of a square of `stride` cells a side.
pub(crate) const fn stones<const CELLS: usize>(stride: usize) -> [[u64; 2]; CELLS] {
    let mut keys = [[0; 2]; CELLS];
    // Points are walked on the largest board, so that a point has the same key on every capacity.
    let mut random = Random::new(0x7E50);
    let mut y = 0;
    while y < 25 {
        let mut x = 0;
        while x < 25 {
            let pair = [random.next_u64(), random.next_u64()];
            if x + 2 < stride && y + 2 < stride {
                keys[(y + 1) * stride + x + 1] = pair;
            }
            x += 1;
        }
        y += 1;
    }
    keys
}

/// The Zobrist key that a simple ko at a point with these stone keys adds to the position's key.
pub(crate) const fn ko(stones: [u64; 2]) -> u64 {
    stones[0].rotate_left(17) ^ stones[1].rotate_left(43)
}
