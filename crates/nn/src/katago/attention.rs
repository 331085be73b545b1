//! Transformer blocks of a trunk: attention between the points of a board, and gated feed-forward layers at each.

use super::{
    layers::{Conv, Workspace, at_each_point},
    model::{AttentionLayer, GatedLayer, RmsLayer, Rotation},
};
use crate::kernels::{Curve, Filter, Finish, Grid, convolve_on, padded, softmax_on};

/// Root mean square normalisation with an activation behind it.
#[derive(Debug)]
pub(super) struct RmsNorm {
    epsilon: f32,
    scale: Vec<f32>,
    shift: Vec<f32>,
    is_spatial: bool,
    curve: Curve,
}

impl RmsNorm {
    pub(super) fn new(layer: &RmsLayer, curve: Curve) -> RmsNorm {
        let RmsLayer { epsilon, is_spatial, .. } = *layer;
        let mut shift = layer.shift.clone();
        shift.resize(layer.scale.len(), 0.0);
        RmsNorm { epsilon, scale: layer.scale.clone(), shift, is_spatial, curve }
    }

    /// Normalises `from` into `to`.
    pub(super) fn run(&self, work: &Workspace, from: &[f32], to: &mut [f32]) {
        let channels = self.scale.len();
        let stride = padded(channels);
        let square = |point: u32| {
            let pixel = &from[point as usize * stride..][..channels];
            pixel.iter().map(|number| number * number).sum::<f32>()
        };
        for board in 0..work.boards {
            let points = work.points(board);
            let whole = || points.iter().map(|&point| square(point)).sum::<f32>() / points.len() as f32;
            let of_board = if self.is_spatial { whole() } else { 0.0 };
            for &point in points {
                let squares = if self.is_spatial { of_board } else { square(point) };
                let factor = 1.0 / (squares / channels as f32 + self.epsilon).sqrt();
                let (at, end) = (point as usize * stride, point as usize * stride + channels);
                let numbers = from[at..end].iter().zip(&self.scale).zip(&self.shift);
                for (to, ((&number, scale), shift)) in to[at..end].iter_mut().zip(numbers) {
                    *to = self.curve.at(number * factor * scale + shift);
                }
            }
        }
    }
}

/// Attention of each point to all points.
#[derive(Debug)]
pub(super) struct Attention {
    heads: usize,
    key_heads: usize,
    query_size: usize,
    value_size: usize,
    rotation: Rotation,
    norm: RmsNorm,
    queries: Conv,
    keys: Conv,
    values: Conv,
    back: Conv,
}

impl Attention {
    pub(super) fn new(layer: &AttentionLayer) -> Attention {
        let [queries, keys, values, back] = &layer.projections;
        Attention {
            heads: layer.heads,
            key_heads: layer.key_heads,
            query_size: layer.query_size,
            value_size: layer.value_size,
            rotation: layer.rotation.clone(),
            norm: RmsNorm::new(&layer.norm, Curve::Identity),
            queries: at_each_point(queries),
            keys: at_each_point(keys),
            values: at_each_point(values),
            back: at_each_point(back),
        }
    }

    /// Multiplications for a position of `area` points.
    pub(super) fn work(&self, area: usize) -> usize {
        let projections = [&self.queries, &self.keys, &self.values, &self.back].map(Conv::work);
        area * (projections.iter().sum::<usize>() + area * self.heads * (self.query_size + self.value_size))
    }

    /// Adds its result to `trunk`, which has `channels` channels.
    pub(super) fn run(&self, work: &mut Workspace, channels: usize, trunk: &mut [f32]) {
        let mut normed = work.take(channels);
        self.norm.run(work, trunk, &mut normed);
        let mut parts = [&self.queries, &self.keys, &self.values].map(|conv| {
            let mut part = work.take(conv.outputs());
            conv.run(work, &normed, false, Curve::Identity, &mut part);
            part
        });
        self.rotate(work, &mut parts);
        let mut seen = work.take(self.heads * self.value_size);
        for board in 0..work.boards {
            (0..self.heads).for_each(|head| self.attend(work, board, head, &parts, &mut seen));
        }
        self.back.run(work, &seen, true, Curve::Identity, trunk);
        work.give(self.heads * self.value_size, seen);
        for (conv, part) in [&self.queries, &self.keys, &self.values].into_iter().zip(parts) {
            work.give(conv.outputs(), part);
        }
        work.give(channels, normed);
    }

    /// The angle by which a pair of a key head turns at a place.
    fn angle(&self, frequencies: [f32; 2], row: usize, column: usize) -> f32 {
        column as f32 * frequencies[0] + row as f32 * frequencies[1]
    }

    /// The frequencies along columns and rows of a pair.
    fn frequencies(&self, key_head: usize, pair: usize) -> Option<[f32; 2]> {
        let pairs = self.query_size / 2;
        match &self.rotation {
            Rotation::None => None,
            Rotation::Learned(all) => all[2 * (key_head * pairs + pair)..].first_chunk::<2>().copied(),
            Rotation::Fixed(base) => {
                let half = pairs / 2;
                let number = if pair < half { pair } else { pair - half };
                let frequency = 1.0 / base.powf((2 * number) as f32 / pairs as f32);
                Some(if pair < half { [0.0, frequency] } else { [frequency, 0.0] })
            }
        }
    }

    /// Turns pairs of numbers of queries and keys by their places.
    fn rotate(&self, work: &Workspace, [queries, keys, _]: &mut [Vec<f32>; 3]) {
        let (size, width, share) = (self.query_size, work.grid.width(), self.heads / self.key_heads);
        let strides = [padded(self.heads * size), padded(self.key_heads * size)];
        for (key_head, pair) in (0..self.key_heads).flat_map(|head| (0..size / 2).map(move |pair| (head, pair))) {
            let Some(frequencies) = self.frequencies(key_head, pair) else { return };
            for index in 0..work.area() {
                let (sine, cosine) = self.angle(frequencies, index / width, index % width).sin_cos();
                let turn = |buffer: &mut [f32], at: usize| {
                    let (a, b) = (buffer[at], buffer[at + 1]);
                    (buffer[at], buffer[at + 1]) = (a * cosine - b * sine, a * sine + b * cosine);
                };
                for board in 0..work.boards {
                    let point = work.points(board)[index] as usize;
                    for head in key_head * share..(key_head + 1) * share {
                        turn(queries, point * strides[0] + head * size + 2 * pair);
                    }
                    turn(keys, point * strides[1] + key_head * size + 2 * pair);
                }
            }
        }
    }

    /// One head on one board: scores of all pairs of points, their softmax, and the mean of values by it. Both products are linear
    /// layers whose weights are keys and values.
    fn attend(&self, work: &Workspace, board: usize, head: usize, parts: &[Vec<f32>; 3], seen: &mut [f32]) {
        let [queries, keys, values] = parts;
        let (points, area, isa) = (work.points(board), work.area(), work.isa);
        let key_head = head * self.key_heads / self.heads;
        let rows = |buffer: &[f32], heads: usize, head: usize, size: usize| -> Vec<f32> {
            let stride = padded(heads * size);
            let row = |&point: &u32| &buffer[point as usize * stride + head * size..][..size];
            points.iter().flat_map(row).copied().collect()
        };
        let (size, flat) = (self.query_size, Grid::flat(area));
        let keys = rows(keys, self.key_heads, key_head, size);
        let keys = Filter::new(&keys, area, size, 1, &vec![0.0; area]);
        let mut scores = flat.buffer(keys.outputs());
        let queries = rows(queries, self.heads, head, size);
        convolve_on(isa, &flat, area, (&queries, size), &keys, Finish::default(), &mut scores);
        softmax_on(isa, &mut scores, keys.outputs(), area, 1.0 / (size as f32).sqrt());
        let size = self.value_size;
        let values = rows(values, self.key_heads, key_head, size);
        let turned: Vec<f32> = (0..size).flat_map(|number| values.iter().skip(number).step_by(size).copied()).collect();
        let values = Filter::new(&turned, size, area, 1, &vec![0.0; size]);
        let mut means = flat.buffer(values.outputs());
        convolve_on(isa, &flat, area, (&scores, keys.outputs()), &values, Finish::default(), &mut means);
        let stride = padded(self.heads * size);
        for (&point, means) in points.iter().zip(means.chunks_exact(values.outputs())) {
            seen[point as usize * stride + head * size..][..size].copy_from_slice(&means[..size]);
        }
    }
}

/// A gated feed-forward layer.
#[derive(Debug)]
pub(super) struct Gated {
    norm: RmsNorm,
    first: Conv,
    gate: Conv,
    second: Conv,
}

impl Gated {
    pub(super) fn new(layer: &GatedLayer) -> Gated {
        Gated {
            norm: RmsNorm::new(&layer.norm, Curve::Identity),
            first: at_each_point(&layer.first),
            gate: at_each_point(&layer.gate),
            second: at_each_point(&layer.second),
        }
    }

    /// Multiplications for a position of `area` points.
    pub(super) fn work(&self, area: usize) -> usize {
        area * (self.first.work() + self.gate.work() + self.second.work())
    }

    /// Adds its result to `trunk`, which has `channels` channels.
    pub(super) fn run(&self, work: &mut Workspace, channels: usize, trunk: &mut [f32]) {
        let inner = self.first.outputs();
        let (mut normed, mut first, mut gate) = (work.take(channels), work.take(inner), work.take(inner));
        self.norm.run(work, trunk, &mut normed);
        self.first.run(work, &normed, false, Curve::Silu, &mut first);
        self.gate.run(work, &normed, false, Curve::Identity, &mut gate);
        // Pads are zeros on both sides.
        first.iter_mut().zip(&gate).for_each(|(number, gate)| *number *= gate);
        self.second.run(work, &first, true, Curve::Identity, trunk);
        work.give(inner, gate);
        work.give(inner, first);
        work.give(channels, normed);
    }
}
