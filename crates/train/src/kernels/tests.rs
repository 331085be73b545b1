//! The kernel against sums written out, on all instruction sets.

use super::*;
use tesuji_nn::kernels::padded;

/// Numbers that look random, the same every time.
fn numbers(len: usize, seed: u64) -> Vec<f32> {
    let mut state = seed;
    (0..len)
        .map(|_| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32) / (1u64 << 23) as f32 - 1.0
        })
        .collect()
}

/// All that this machine has.
fn instructions() -> Vec<Isa> {
    [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()).collect()
}

/// Taps of a 3x3 convolution over a board 5 wide, inputs, outputs, rows: odd sizes, so that every remainder occurs.
const CASES: [(&[isize], usize, usize, usize); 5] = [
    (&[-7, -6, -5, -1, 0, 1, 5, 6, 7], 5, 20, 29),
    (&[0], 37, 16, 13),
    (&[0], 3, 48, 1),
    (&[-3, 0, 3], 64, 64, 100),
    (&[-1, 0, 1], 17, 40, 83),
];

#[test]
fn a_weight_gradient_is_the_sum_written_out() {
    for (taps, inputs, outputs, rows) in CASES {
        let (xs, ys) = (padded(inputs), padded(outputs));
        let before = 8;
        let x = numbers((rows + 16) * xs, 4);
        let y = numbers(rows * ys, 5);
        for with in instructions() {
            let mut packed = vec![0.5; ys * inputs * taps.len()];
            let (x_at, y_at) = (Rows { start: before * xs, stride: xs }, Rows { start: 0, stride: ys });
            weight_gradient(with, (&x, x_at), inputs, taps, (&y, y_at), rows, &mut packed);
            let mut weights = vec![0.25; outputs * inputs * taps.len()];
            unpack_add(&packed, outputs, inputs, taps.len(), &mut weights);
            for o in 0..outputs {
                for i in 0..inputs {
                    for (t, &tap) in taps.iter().enumerate() {
                        let mut expect = 0.75;
                        for row in 0..rows {
                            expect += x[((before + row) as isize + tap) as usize * xs + i] * y[row * ys + o];
                        }
                        let got = weights[(o * inputs + i) * taps.len() + t];
                        assert!((got - expect).abs() < 1e-4, "{with:?} {o} {i} {t}: {got}, not {expect}");
                    }
                }
            }
        }
    }
}

#[test]
#[should_panic(expected = "the taps reach outside the tensor")]
fn a_tap_outside_is_refused() {
    let x = vec![0.0; 16 * 4];
    let at = Rows { start: 0, stride: 16 };
    weight_gradient(Isa::best(), (&x, at), 1, &[-1], (&x, at), 4, &mut [0.0; 16]);
}
