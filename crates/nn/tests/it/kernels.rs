//! Every set of instructions gives what plain Rust gives.

use proptest::prelude::*;
use tesuji_game::Random;
use tesuji_nn::kernels::{Filter, Finish, Grid, Isa, Products, Squares, convolve_on, padded, swish_on};

fn numbers(count: usize, random: &mut Random) -> Vec<f32> {
    (0..count).map(|_| random.normal() as f32).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn all_instructions_agree(
        (height, width, boards) in (1usize..12, 1usize..12, 1usize..4),
        (inputs, extra, outputs) in (1usize..40, 0usize..5, 1usize..130),
        (three, accumulate, relu) in any::<(bool, bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let (mut random, kernel) = (Random::new(seed), if three { 3 } else { 1 });
        let grid = Grid::new(height, width, boards + 1);
        let weights = numbers(outputs * inputs * kernel * kernel, &mut random);
        let filter = Filter::new(&weights, outputs, inputs, kernel, &numbers(outputs, &mut random));
        let stride = inputs + extra;
        let mut input = grid.buffer(stride);
        for &point in grid.points(boards) {
            input[point as usize * stride..][..stride].copy_from_slice(&numbers(stride, &mut random));
        }
        let before = numbers(grid.pixels() * filter.outputs(), &mut random);
        let run = |isa: Isa| {
            let mut out = before.clone();
            convolve_on(isa, &grid, boards, (&input, stride), &filter, Finish { accumulate, relu }, &mut out);
            out
        };
        let plain = run(Isa::Scalar);
        for isa in [Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()) {
            for (index, (found, expected)) in run(isa).iter().zip(&plain).enumerate() {
                prop_assert!((found - expected).abs() < 1e-4, "{isa:?} {index}: {found}, expected {expected}");
            }
        }
    }

    #[test]
    fn squares_give_what_taps_give(
        (height, width, boards) in (1usize..14, 1usize..14, 1usize..4),
        (inputs, outputs) in (1usize..40, 1usize..70),
        finish in any::<(bool, bool)>(),
        seed in any::<u64>(),
    ) {
        let mut random = Random::new(seed);
        let (grid, finish) = (Grid::new(height, width, boards + 1), Finish { accumulate: finish.0, relu: finish.1 });
        let (weights, bias) = (numbers(outputs * inputs * 9, &mut random), numbers(outputs, &mut random));
        let filter = Filter::new(&weights, outputs, inputs, 3, &bias);
        let squares = Squares::new(&grid);
        let products = Products::new(&weights, outputs, inputs, &bias, squares.side());
        let stride = padded(inputs);
        let mut input = grid.buffer(stride);
        for &point in grid.points(boards) {
            input[point as usize * stride..][..inputs].copy_from_slice(&numbers(inputs, &mut random));
        }
        let before = numbers(grid.pixels() * filter.outputs(), &mut random);
        let mut expected = before.clone();
        convolve_on(Isa::Scalar, &grid, boards, (&input, stride), &filter, finish, &mut expected);
        let mut scratch = squares.scratch(stride.max(filter.outputs()));
        for isa in [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()) {
            let mut out = before.clone();
            products.convolve(isa, (&squares, boards), &input, finish, &mut scratch, &mut out);
            for (index, (found, expected)) in out.iter().zip(&expected).enumerate() {
                prop_assert!((found - expected).abs() < 1e-3, "{isa:?} {index}: {found}, expected {expected}");
            }
        }
    }
}

#[test]
fn the_way_back_is_the_transpose() {
    // <convolve(x), y> = <x, back(y)> for all x and y.
    let (mut random, (inputs, outputs)) = (Random::new(5), (7, 19));
    for kernel in [1, 3] {
        let grid = Grid::new(5, 6, 2);
        let weights = numbers(outputs * inputs * kernel * kernel, &mut random);
        let forth = Filter::new(&weights, outputs, inputs, kernel, &vec![0.0; outputs]);
        let back = Filter::backward(&weights, outputs, inputs, kernel);
        let (mut x, mut y) = (grid.buffer(back.outputs()), grid.buffer(forth.outputs()));
        for &point in grid.points(2) {
            x[point as usize * back.outputs()..][..inputs].copy_from_slice(&numbers(inputs, &mut random));
            y[point as usize * forth.outputs()..][..outputs].copy_from_slice(&numbers(outputs, &mut random));
        }
        let (mut fx, mut by) = (grid.buffer(forth.outputs()), grid.buffer(back.outputs()));
        convolve_on(Isa::best(), &grid, 2, (&x, back.outputs()), &forth, Finish::default(), &mut fx);
        convolve_on(Isa::best(), &grid, 2, (&y, forth.outputs()), &back, Finish::default(), &mut by);
        let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum::<f64>();
        assert!((dot(&fx, &y) - dot(&x, &by)).abs() < 1e-3 * dot(&fx, &fx).sqrt() * dot(&y, &y).sqrt());
    }
}

#[test]
fn swish_is_swish_on_all_instructions() {
    let (grid, mut random) = (Grid::new(4, 5, 2), Random::new(3));
    let before: Vec<f32> = (0..grid.pixels() * 32).map(|_| random.normal() as f32 * 20.0).collect();
    for isa in [Isa::Scalar, Isa::Avx2, Isa::Avx512].into_iter().filter(|&isa| isa <= Isa::best()) {
        let mut after = before.clone();
        swish_on(isa, &grid, 1, &mut after, 32);
        for (index, (found, &x)) in after.iter().zip(&before).enumerate() {
            let point = grid.points(1).contains(&((index / 32) as u32));
            let expected = if point { f64::from(x) / (1.0 + f64::from(-x).exp()) } else { f64::from(x) };
            assert!((f64::from(*found) - expected).abs() < 1e-5, "{isa:?} {x}: {found}, expected {expected}");
        }
    }
}
