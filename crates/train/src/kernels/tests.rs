//! The kernels against sums written out, and the instruction sets against each other.

use super::*;

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

/// Taps of a 3x3 convolution over a board 5 wide, inputs, outputs, rows: odd sizes, so that every remainder occurs.
const CASES: [(&[isize], usize, usize, usize); 5] = [
    (&[-7, -6, -5, -1, 0, 1, 5, 6, 7], 5, 20, 29),
    (&[0], 37, 16, 13),
    (&[0], 3, 48, 1),
    (&[-3, 0, 3], 64, 64, 100),
    (&[-1, 0, 1], 17, 40, 83),
];

#[test]
fn a_convolution_is_the_sum_written_out() {
    for (taps, inputs, outputs, rows) in CASES {
        let (xs, ys) = (padded(inputs), padded(outputs));
        let before = 8;
        let x = numbers((rows + 16) * xs, 1);
        let weights = numbers(outputs * inputs * taps.len(), 2);
        let mut packed = Vec::new();
        pack(&weights, outputs, inputs, taps.len(), &mut packed);
        for with in Instructions::all() {
            for accumulate in [false, true] {
                let mut y = numbers(rows * ys, 3);
                let old = y.clone();
                let (x_at, y_at) = (Rows { start: before * xs, stride: xs }, Rows { start: 0, stride: ys });
                conv(with, (&x, x_at), (0, inputs), taps, &packed, (&mut y, y_at), rows, accumulate);
                for row in 0..rows {
                    for o in 0..ys {
                        let mut expect = if accumulate { old[row * ys + o] } else { 0.0 };
                        for (t, &tap) in taps.iter().enumerate() {
                            for i in 0..inputs {
                                let w = if o < outputs { weights[(o * inputs + i) * taps.len() + t] } else { 0.0 };
                                expect += x[((before + row) as isize + tap) as usize * xs + i] * w;
                            }
                        }
                        let got = y[row * ys + o];
                        assert!((got - expect).abs() < 1e-4, "{with:?} row {row} output {o}: {got}, not {expect}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_weight_gradient_is_the_sum_written_out() {
    for (taps, inputs, outputs, rows) in CASES {
        let (xs, ys) = (padded(inputs), padded(outputs));
        let before = 8;
        let x = numbers((rows + 16) * xs, 4);
        let y = numbers(rows * ys, 5);
        for with in Instructions::all() {
            let mut packed = vec![0.5; ys * inputs * taps.len()];
            let (x_at, y_at) = (Rows { start: before * xs, stride: xs }, Rows { start: 0, stride: ys });
            weight_gradient(with, (&x, x_at), (0, inputs), taps, (&y, y_at), rows, &mut packed);
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
fn turned_weights_send_an_output_back_to_its_input() {
    let (outputs, inputs, taps) = (19, 7, 9);
    let weights = numbers(outputs * inputs * taps, 6);
    let (mut forth, mut back) = (Vec::new(), Vec::new());
    pack(&weights, outputs, inputs, taps, &mut forth);
    pack_turned(&weights, outputs, inputs, taps, &mut back);
    for (o, i, t) in [(0, 0, 0), (18, 6, 8), (16, 3, 4), (5, 2, 7)] {
        let there = forth[((o / BLOCK * taps + t) * inputs + i) * BLOCK + o % BLOCK];
        let here = back[((i / BLOCK * taps + taps - 1 - t) * outputs + o) * BLOCK + i % BLOCK];
        assert_eq!((there, here), (weights[(o * inputs + i) * taps + t], there));
    }
}

#[test]
#[should_panic(expected = "the taps reach outside the tensor")]
fn a_tap_outside_is_refused() {
    let x = vec![0.0; 16 * 4];
    let mut y = vec![0.0; 16 * 4];
    let at = Rows { start: 0, stride: 16 };
    conv(Instructions::best(), (&x, at), (0, 1), &[-1], &[0.0; 16], (&mut y, at), 4, false);
}
