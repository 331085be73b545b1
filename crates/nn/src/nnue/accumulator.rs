//! Accumulators along the path of a search: kept from move to move, brought up to date only where a value is asked for.

use super::{
    features::{FeatureSet, InputChange},
    kernels::{self, LaneBlock},
    prepared::{Prepared, Scratch},
};
use std::sync::Arc;
use tesuji_game::{CacheCounts, Evaluator, Position, Side, Value};

/// Pieces that one move can change: castling and captures into a hand change four.
const CHANGES_MAX: usize = 4;

/// An evaluator by an efficiently updatable network. Clones share the weights; each has its own accumulators.
///
/// A push notes what changed and nothing else. When a value is asked for, each side's accumulator is brought forward from the
/// last one that was computed in the same frame; where there is none, from the refresh table: the accumulator and the active
/// inputs that its frame had last time (an idea of Koivisto's authors, Kahre and Eggers, 2021).
///
/// # Examples
///
/// ```
/// use std::{ops::Range, sync::Arc};
/// use tesuji_chess::{Board, Change, Piece, Square};
/// use tesuji_game::{Evaluator, Position, Side};
/// use tesuji_nn::nnue::{Architecture, FeatureSet, FloatWeights, InputChange, Network, NnueEval, Prepared};
/// /// One input for each piece on each square, as the example of [`FeatureSet`] has them.
/// #[derive(Clone)]
/// struct PieceSquare;
/// # fn input(perspective: Side, side: Side, piece: Piece, square: Square) -> u32 {
/// #     let flip = if perspective == Side::First { 0 } else { 56 };
/// #     let own = if side == perspective { 0 } else { 384 };
/// #     own + 64 * piece as u32 + (square.index() as u32 ^ flip)
/// # }
/// # impl FeatureSet<Board> for PieceSquare {
/// #     fn inputs(&self) -> usize {
/// #         768
/// #     }
/// #     fn active_max(&self) -> usize {
/// #         32
/// #     }
/// #     fn frames(&self) -> usize {
/// #         1
/// #     }
/// #     fn frame(&self, _: &Board, _: Side) -> usize {
/// #         0
/// #     }
/// #     fn rows(&self, _: usize) -> Range<u32> {
/// #         0..768
/// #     }
/// #     fn for_each_active(&self, pos: &Board, perspective: Side, mut f: impl FnMut(u32)) {
/// #         for square in pos.occupied() {
/// #             if let (Some(piece), Some(side)) = (pos.piece_at(square), pos.side_at(square)) {
/// #                 f(input(perspective, side, piece, square));
/// #             }
/// #         }
/// #     }
/// #     fn changed(&self, _: usize, perspective: Side, change: Change) -> Option<InputChange> {
/// #         Some(match change {
/// #             Change::Appear { side, piece, square } => InputChange::Added(input(perspective, side, piece, square)),
/// #             Change::Vanish { side, piece, square } => InputChange::Removed(input(perspective, side, piece, square)),
/// #         })
/// #     }
/// #     fn output_bucket(&self, _: &Board, _: usize) -> usize {
/// #         0
/// #     }
/// # }
/// let text = "name = 'small'\ngame = 'chess'\nwidth = 32\nactivation = 'screlu'\n\
///             [features]\nset = 'piece-square'\ninputs = 768\nactive_max = 32\n";
/// let architecture = Architecture::parse(text)?;
/// let network = Network::quantise(&architecture, &FloatWeights::random(&architecture, 1))?;
/// let mut eval = NnueEval::new(Arc::new(Prepared::new(&network)?), PieceSquare);
/// let mut board = Board::start();
/// eval.reset(&board);
/// let before = eval.value(&board);
/// let mv = board.legal_moves()[0];
/// let mut changes = Vec::new();
/// let undo = board.play_seen(mv, |change| changes.push(change));
/// eval.push(&board, &changes);
/// // The accumulators that were brought forward equal those summed from scratch.
/// let (own, other) = (PieceSquare.active(&board, Side::Second), PieceSquare.active(&board, Side::First));
/// assert_eq!(eval.value(&board).raw(), network.value(&own, &other, 0));
/// board.undo(mv, undo);
/// eval.pop();
/// assert_eq!(eval.value(&board), before);
/// # Ok::<(), tesuji_nn::NetError>(())
/// ```
pub struct NnueEval<P: Position, F> {
    network: Arc<Prepared>,
    features: F,
    plies: Vec<Ply>,
    changes: Vec<P::Change>,
    /// `[plies][2][blocks]`.
    sums: Vec<LaneBlock>,
    table: RefreshTable,
    scratch: Scratch,
    counts: Counts,
}

/// One position on the path.
#[derive(Clone, Copy)]
struct Ply {
    /// The first of its changes; they end at the first of the next ply.
    changes: u32,
    /// The frame of each side.
    frames: [u16; 2],
    /// Whether each side's accumulator is that of this position.
    computed: [bool; 2],
}

/// Counters since the last reset.
#[derive(Clone, Copy, Default)]
struct Counts {
    /// Accumulators asked for.
    asked: u64,
    /// Those that were brought forward, or had been.
    forward: u64,
}

impl<P: Position, F: FeatureSet<P>> Clone for NnueEval<P, F> {
    fn clone(&self) -> Self {
        NnueEval {
            network: self.network.clone(),
            features: self.features.clone(),
            plies: self.plies.clone(),
            changes: self.changes.clone(),
            sums: self.sums.clone(),
            table: self.table.clone(),
            scratch: Scratch::default(),
            counts: self.counts,
        }
    }
}

impl<P: Position, F: FeatureSet<P>> NnueEval<P, F> {
    /// An evaluator by `network`, whose inputs are `features`.
    ///
    /// # Panics
    /// When the network has another number of inputs.
    pub fn new(network: Arc<Prepared>, features: F) -> Self {
        assert_eq!(network.architecture().features.inputs, features.inputs(), "the inputs are those of the network");
        let table = RefreshTable::new(&network, 2 * features.frames());
        let (plies, changes, sums) = (Vec::with_capacity(256), Vec::with_capacity(512), Vec::new());
        NnueEval {
            network,
            features,
            plies,
            changes,
            sums,
            table,
            scratch: Scratch::default(),
            counts: Counts::default(),
        }
    }

    /// The network.
    pub fn network(&self) -> &Arc<Prepared> {
        &self.network
    }

    /// Its feature set.
    pub fn features(&self) -> &F {
        &self.features
    }

    /// The value of `pos` for the side to move in centipawns by the layers of `bucket`, not clamped; `pos` is the position
    /// last reached.
    pub fn value_by(&mut self, pos: &P, bucket: usize) -> i32 {
        if self.plies.is_empty() {
            self.reset(pos);
        }
        let last = self.plies.len() - 1;
        for side in Side::ALL {
            self.bring(pos, last, side);
        }
        let blocks = self.network.blocks();
        let both = &self.sums[2 * last * blocks..][..2 * blocks];
        let (first, second) = both.split_at(blocks);
        let (own, other) = if pos.side_to_move() == Side::First { (first, second) } else { (second, first) };
        self.network.value(own, other, bucket, &mut self.scratch)
    }

    fn ply(&self, pos: &P) -> Ply {
        let frames = Side::ALL.map(|side| self.features.frame(pos, side) as u16);
        Ply { changes: self.changes.len() as u32, frames, computed: [false; 2] }
    }

    /// Makes the accumulator of `side` that of the last position.
    #[inline]
    fn bring(&mut self, pos: &P, last: usize, side: Side) {
        self.counts.asked += 1;
        let index = side.index();
        let frame = self.plies[last].frames[index];
        let mut from = last;
        while !self.plies[from].computed[index] {
            if from == 0 || self.plies[from - 1].frames[index] != frame {
                return self.refresh(pos, last, side);
            }
            from -= 1;
        }
        self.counts.forward += 1;
        for ply in from..last {
            self.step(ply, side, usize::from(frame));
        }
    }

    /// Computes the accumulator of `side` at `ply + 1` from that at `ply`.
    #[inline]
    fn step(&mut self, ply: usize, side: Side, frame: usize) {
        let start = self.plies[ply + 1].changes as usize;
        let end = self.plies.get(ply + 2).map_or(self.changes.len(), |next| next.changes as usize);
        let network = &*self.network;
        let bias = network.bias();
        // Filled with any row of the right length: only the first `adds` and `removes` are read.
        let (mut added, mut removed) = ([bias; CHANGES_MAX], [bias; CHANGES_MAX]);
        let (mut adds, mut removes) = (0, 0);
        for &change in &self.changes[start..end] {
            match self.features.changed(frame, side, change) {
                Some(InputChange::Added(input)) => (added[adds], adds) = (network.row(input), adds + 1),
                Some(InputChange::Removed(input)) => (removed[removes], removes) = (network.row(input), removes + 1),
                None => {}
            }
        }
        let blocks = network.blocks();
        let (before, after) = self.sums.split_at_mut(2 * (ply + 1) * blocks);
        let from = &before[(2 * ply + side.index()) * blocks..][..blocks];
        let to = &mut after[side.index() * blocks..][..blocks];
        kernels::update(network.instructions(), from, to, &added[..adds], &removed[..removes]);
        self.plies[ply + 1].computed[side.index()] = true;
    }

    /// Computes the accumulator of `side` at the last position from the refresh table.
    fn refresh(&mut self, pos: &P, last: usize, side: Side) {
        let frame = usize::from(self.plies[last].frames[side.index()]);
        let blocks = self.network.blocks();
        let to = &mut self.sums[(2 * last + side.index()) * blocks..][..blocks];
        let rows = self.features.rows(frame);
        let start = rows.start;
        self.table.begin(rows.len());
        self.features.for_each_active(pos, side, |input| self.table.mark(input - start));
        self.table.bring(&self.network, 2 * frame + side.index(), start, to);
        self.plies[last].computed[side.index()] = true;
    }
}

impl<P: Position, F: FeatureSet<P>> Evaluator<P> for NnueEval<P, F> {
    fn reset(&mut self, pos: &P) {
        self.plies.clear();
        self.changes.clear();
        let ply = self.ply(pos);
        self.plies.push(ply);
        if self.sums.is_empty() {
            self.sums.resize(2 * self.network.blocks(), LaneBlock::ZERO);
        }
    }

    #[inline]
    fn push(&mut self, pos: &P, changes: &[P::Change]) {
        debug_assert!(changes.len() <= CHANGES_MAX, "a move changes few pieces");
        // Only noted: many positions are left without a value, and never pay for an accumulator.
        let ply = self.ply(pos);
        self.plies.push(ply);
        self.changes.extend_from_slice(changes);
        // Grows only: a search comes back to the same depths.
        let needed = 2 * self.plies.len() * self.network.blocks();
        if self.sums.len() < needed {
            self.sums.resize(needed, LaneBlock::ZERO);
        }
    }

    #[inline]
    fn pop(&mut self) {
        if let Some(ply) = self.plies.pop() {
            self.changes.truncate(ply.changes as usize);
        }
    }

    fn value(&mut self, pos: &P) -> Value {
        let buckets = self.network.architecture().output_buckets;
        let bucket = if buckets == 1 { 0 } else { self.features.output_bucket(pos, buckets) };
        Value::cp(self.value_by(pos, bucket))
    }

    fn cache_counts(&self) -> Vec<CacheCounts> {
        vec![CacheCounts::new("accumulator", self.counts.asked, self.counts.forward)]
    }

    fn reset_counts(&mut self) {
        self.counts = Counts::default();
    }
}

/// For each side and frame the last accumulator that was summed, and the inputs that were active in it.
#[derive(Clone)]
struct RefreshTable {
    blocks: usize,
    /// `[entries][blocks]`.
    sums: Vec<LaneBlock>,
    /// Active inputs of each entry, one bit each, counted from the first row of its frame; empty: none yet.
    active: Vec<Vec<u64>>,
    /// Active inputs of the position at hand.
    now: Vec<u64>,
}

impl RefreshTable {
    fn new(network: &Prepared, entries: usize) -> Self {
        let blocks = network.blocks();
        let sums = network.bias().iter().copied().cycle().take(entries * blocks).collect();
        RefreshTable { blocks, sums, active: vec![Vec::new(); entries], now: Vec::new() }
    }

    /// Starts to note a position with `inputs` inputs, none active.
    fn begin(&mut self, inputs: usize) {
        self.now.clear();
        self.now.resize(inputs.div_ceil(64), 0);
    }

    /// Notes an active input.
    #[inline(always)]
    fn mark(&mut self, input: u32) {
        self.now[input as usize / 64] |= 1 << (input % 64);
    }

    /// Makes `entry` that of the position noted, whose inputs are counted from `start`, and copies its sums to `out`.
    fn bring(&mut self, network: &Prepared, entry: usize, start: u32, out: &mut [LaneBlock]) {
        /// Rows that are added or removed at once.
        const ROWS: usize = 32;
        let before = &mut self.active[entry];
        before.resize(self.now.len(), 0);
        let sums = &mut self.sums[entry * self.blocks..][..self.blocks];
        let (mut added, mut removed) = ([network.bias(); ROWS], [network.bias(); ROWS]);
        let (mut adds, mut removes) = (0, 0);
        for (at, (before, &now)) in before.iter_mut().zip(&self.now).enumerate() {
            // Only what changed since this frame was last summed: for a king that comes back, a few pieces.
            let mut differ = *before ^ now;
            while differ != 0 {
                let bit = differ.trailing_zeros();
                differ &= differ - 1;
                let row = network.row(start + 64 * at as u32 + bit);
                if now >> bit & 1 == 1 {
                    (added[adds], adds) = (row, adds + 1);
                } else {
                    (removed[removes], removes) = (row, removes + 1);
                }
                // The arrays are full: what they hold goes into the sums, and they begin again.
                if adds == ROWS || removes == ROWS {
                    kernels::change(network.instructions(), sums, &added[..adds], &removed[..removes]);
                    (adds, removes) = (0, 0);
                }
            }
            *before = now;
        }
        kernels::change(network.instructions(), sums, &added[..adds], &removed[..removes]);
        out.copy_from_slice(sums);
    }
}
