//! Entries for fuzzers: each takes any bytes, must return, and asserts that what was read writes and reads back.

use crate::nnue::{read_yaneuraou, write_yaneuraou};
use tesuji_nn::nnue::Prepared;

/// YaneuraOu's networks, `nn.bin`.
///
/// # Panics
/// When a network read does not survive writing, or cannot be played.
pub fn nn_bin(bytes: &[u8]) {
    let Ok(network) = read_yaneuraou(bytes) else { return };
    assert!(Prepared::new(&network).is_ok());
    if let Ok(written) = write_yaneuraou(&network) {
        let again = read_yaneuraou(&written).map(|again| (again.features, again.bias, again.buckets));
        assert_eq!(again, Ok((network.features, network.bias, network.buckets)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nnue::shape;
    use tesuji_nn::nnue::{FloatWeights, Network};
    use tesuji_testkit::fuzz::{run_in_place, run_large, time_for_each};

    #[test]
    fn files_of_yaneuraou_survive_bent_and_large_input() {
        // The smaller of the two kinds: the other has 64 MB.
        let architecture = shape("shogi-kp-256x2-32-32").unwrap();
        let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 1)).unwrap();
        let whole = write_yaneuraou(&network).unwrap();
        assert!(read_yaneuraou(&whole).is_ok());
        let seeds = [whole];
        let bent = run_in_place("shogi_eval::nn_bin", nn_bin, &seeds, 0x99B1, time_for_each(120));
        // The head alone, behind which a megabyte of anything follows.
        let large = run_large("shogi_eval::nn_bin", nn_bin, &[seeds[0][..300].to_vec()], 0x99B2);
        println!("shogi_eval::nn_bin: {bent} inputs, {large} of a megabyte");
    }
}
