//! The blocks of a trunk, made ready to run.

use super::{
    attention::{Attention, Gated},
    layers::{Conv, Linear, Norm, Workspace, pool},
    model::BlockLayers,
};
use crate::kernels::Curve;

/// A block, which adds its result to the trunk.
#[derive(Debug)]
pub(super) enum Block {
    /// Two convolutions.
    Residual { pre: Norm, first: Conv, curve: Curve, second: Conv },
    /// Two convolutions, of which the first is shifted by what a third sees of the whole board.
    Pooling { pre: Norm, first: Conv, pooled: Conv, pooled_curve: Curve, to_shift: Linear, mid: Norm, second: Conv },
    /// Blocks on fewer channels.
    Bottleneck { pre: Norm, first: Conv, blocks: Vec<Block>, post: Norm, last: Conv },
    /// Attention.
    Attention(Box<Attention>),
    /// Feed-forward.
    Gated(Gated),
}

/// Makes blocks ready for boards of any size.
pub(super) fn prepare(blocks: &[BlockLayers]) -> Vec<Block> {
    blocks.iter().map(Block::new).collect()
}

impl Block {
    fn new(block: &BlockLayers) -> Block {
        match block {
            BlockLayers::Residual { pre, first, mid, second } => Block::Residual {
                pre: Norm::new(pre),
                first: Conv::folded(first, mid),
                curve: mid.curve,
                second: Conv::plain(second),
            },
            BlockLayers::Pooling { pre, first, pooled, pooled_norm, to_shift, mid, second } => Block::Pooling {
                pre: Norm::new(pre),
                first: Conv::scaled(first, mid),
                pooled: Conv::folded(pooled, pooled_norm),
                pooled_curve: pooled_norm.curve,
                to_shift: Linear::new(to_shift, &[]),
                mid: Norm::new(mid),
                second: Conv::plain(second),
            },
            BlockLayers::Bottleneck { pre, first, blocks, post, last } => Block::Bottleneck {
                pre: Norm::new(pre),
                first: Conv::plain(first),
                blocks: prepare(blocks),
                post: Norm::new(post),
                last: Conv::plain(last),
            },
            BlockLayers::Attention(layer) => Block::Attention(Box::new(Attention::new(layer))),
            BlockLayers::Gated(layer) => Block::Gated(Gated::new(layer)),
        }
    }

    /// Multiplications for a position of `area` points.
    pub(super) fn work(&self, area: usize) -> usize {
        match self {
            Block::Residual { first, second, .. } => area * (first.work() + second.work()),
            Block::Pooling { first, pooled, to_shift, second, .. } => {
                area * (first.work() + pooled.work() + second.work()) + to_shift.work()
            }
            Block::Bottleneck { first, blocks, last, .. } => {
                area * (first.work() + last.work()) + blocks.iter().map(|block| block.work(area)).sum::<usize>()
            }
            Block::Attention(attention) => attention.work(area),
            Block::Gated(gated) => gated.work(area),
        }
    }

    /// Adds its result to `trunk`, which has `channels` channels.
    pub(super) fn run(&self, work: &mut Workspace, channels: usize, trunk: &mut [f32]) {
        match self {
            Block::Attention(attention) => return attention.run(work, channels, trunk),
            Block::Gated(gated) => return gated.run(work, channels, trunk),
            _ => {}
        }
        let mut normed = work.take(channels);
        match self {
            Block::Residual { pre, first, curve, second } => {
                pre.run(work, trunk, &mut normed);
                let mut inner = work.take(first.outputs());
                first.run(work, &normed, false, *curve, &mut inner);
                second.run(work, &inner, true, Curve::Identity, trunk);
                work.give(first.outputs(), inner);
            }
            Block::Pooling { pre, first, pooled, pooled_curve, to_shift, mid, second } => {
                pre.run(work, trunk, &mut normed);
                let (mut inner, mut seen) = (work.take(first.outputs()), work.take(pooled.outputs()));
                first.run(work, &normed, false, Curve::Identity, &mut inner);
                pooled.run(work, &normed, false, *pooled_curve, &mut seen);
                for board in 0..work.boards {
                    let shift = to_shift.run(&pool(work, board, &seen, pooled.outputs(), false));
                    mid.finish(work, board, &shift, &mut inner);
                }
                second.run(work, &inner, true, Curve::Identity, trunk);
                work.give(pooled.outputs(), seen);
                work.give(first.outputs(), inner);
            }
            Block::Bottleneck { pre, first, blocks, post, last } => {
                pre.run(work, trunk, &mut normed);
                let (mut inner, mut after) = (work.take(first.outputs()), work.take(first.outputs()));
                first.run(work, &normed, false, Curve::Identity, &mut inner);
                blocks.iter().for_each(|block| block.run(work, first.outputs(), &mut inner));
                post.run(work, &inner, &mut after);
                last.run(work, &after, true, Curve::Identity, trunk);
                work.give(first.outputs(), after);
                work.give(first.outputs(), inner);
            }
            Block::Attention(_) | Block::Gated(_) => {}
        }
        work.give(channels, normed);
    }
}
