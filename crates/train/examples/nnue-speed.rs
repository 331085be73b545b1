//! Positions per second of training an efficiently updatable network, files, decoding and shuffling included:
//! `nnue-speed [chess|shogi|halfkp] [RUN] [THREADS] [WIDTH] [BATCH] [SECONDS] [HIDDEN,…]` (HIDDEN: outputs of hidden layers, or `-`).
//!
//! The positions are made up: pieces that move at random, one or two of them between two positions of a run, a twentieth of the
//! moves takes. A run of 1 is a shuffled file.

use std::time::{Duration, Instant};
use tesuji_game::{FirstSide, Random};
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_nn::nnue::{Activation, Architecture, Base, Features, Quantisation};
use tesuji_train::learn::Surroundings;
use tesuji_train::nnue::{
    CellLayout, CellPosition, InputTable, NnueRun, NnueSettings, PositionsFile, PositionsHeader, PositionsWriter,
    SideInputs, SparseBatch,
};

/// Seconds of processor time of this process, where the system tells.
fn cpu() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some((fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?) / 100.0)
}

/// A made-up game: cells, kinds of pieces of one side (the last is the king), pieces at the start, whether inputs depend on the king.
#[derive(Clone, Copy)]
struct Game {
    layout: CellLayout,
    kinds: u8,
    pieces: usize,
    by_king: bool,
}

impl Game {
    fn of(name: &str) -> Game {
        let layout = |cells, value_bits, used_max| CellLayout { cells, counts_from: cells, value_bits, used_max };
        match name {
            "shogi" => Game { layout: layout(81, 5, 40), kinds: 14, pieces: 40, by_king: false },
            "halfkp" => Game { layout: layout(81, 5, 40), kinds: 14, pieces: 40, by_king: true },
            _ => Game { layout: layout(64, 4, 32), kinds: 6, pieces: 32, by_king: false },
        }
    }

    /// Frames, and inputs in all.
    fn inputs(&self) -> (usize, usize) {
        let frames = if self.by_king { self.layout.cells } else { 1 };
        (frames, frames * self.layout.cells * 2 * usize::from(self.kinds))
    }

    fn table(&self) -> InputTable {
        let (frames, inputs) = self.inputs();
        let (cells, kinds) = (self.layout.cells, usize::from(self.kinds));
        let input = |turned: bool| {
            move |frame: usize, cell: usize, value: u8| {
                let value = usize::from(value) - 1;
                let value = if turned { (value + kinds) % (2 * kinds) } else { value };
                let cell = if turned { cells - 1 - cell } else { cell };
                (value < 2 * kinds).then_some(((frame * 2 * kinds + value) * cells + cell) as u32)
            }
        };
        let (own, other) = (input(false), input(true));
        let side =
            |value: u8, input| SideInputs { anchor: self.by_king.then(|| (value, (0..cells as u32).collect())), input };
        InputTable::new(self.layout, (inputs, frames), [side(self.kinds, &own), side(2 * self.kinds, &other)])
            .expect("a table")
    }

    fn start(&self, random: &mut Random) -> CellPosition {
        let mut position = CellPosition::default();
        let mut squares: Vec<usize> = (0..self.layout.cells).collect();
        random.shuffle(&mut squares);
        // Kings stay at home: two files at either end of the numbering.
        let mut homes: Vec<usize> = (0..9).chain(self.layout.cells - 9..self.layout.cells).collect();
        let kings = [homes.remove(random.below(9)), homes[8 + random.below(9)]];
        squares.retain(|square| !kings.contains(square));
        for (number, square) in kings.into_iter().chain(squares).take(self.pieces).enumerate() {
            let kind = if number < 2 { self.kinds } else { 1 + random.below(usize::from(self.kinds) - 1) as u8 };
            position.cells[square] = kind + if number % 2 == 0 { 0 } else { self.kinds };
        }
        // Games last longer than runs: a quarter of the pieces of chess is gone.
        if !self.by_king && self.layout.cells == 64 {
            (0..7).for_each(|_| self.step(&mut position, random, true));
        }
        position
    }

    /// Moves a piece of the side to move.
    fn step(&self, position: &mut CellPosition, random: &mut Random, takes: bool) {
        let side = |value: u8| value > self.kinds;
        let second = position.second_to_move;
        loop {
            let (from, to) = (random.below(self.layout.cells), random.below(self.layout.cells));
            let (piece, there) = (position.cells[from], position.cells[to]);
            let is_king = there.is_multiple_of(self.kinds) && there != 0;
            if piece.is_multiple_of(self.kinds) && random.below(2) == 0 {
                continue;
            }
            if piece != 0
                && side(piece) == second
                && takes == (there != 0)
                && !is_king
                && (there == 0 || side(there) != second)
            {
                (position.cells[from], position.cells[to]) = (0, piece);
                position.second_to_move = !second;
                return;
            }
            if takes && there == 0 && random.below(1000) == 0 {
                return;
            }
        }
    }

    /// Writes `count` positions in runs of `run`.
    fn write(&self, path: &std::path::Path, count: usize, run: usize) {
        let mut random = Random::new(5);
        let header = PositionsHeader {
            game: "made up".into(),
            layout: self.layout,
            words: "made up".into(),
            training: count as u64,
            held_out: 1000,
            base: String::new(),
        };
        let mut writer = PositionsWriter::begin(path, &header).expect("a file");
        let (mut position, mut out) = (CellPosition::default(), Vec::new());
        for index in 0..count + 1000 {
            position.starts_run = index % run == 0;
            if position.starts_run {
                position = self.start(&mut random);
            }
            for _ in 0..1 + random.below(2) {
                let takes = random.below(20) == 0;
                self.step(&mut position, &mut random, takes);
            }
            let balance: i32 = position.cells[..self.layout.cells]
                .iter()
                .map(|&value| i32::from(value) * if value > self.kinds { -1 } else { 1 })
                .sum();
            position.score = FirstSide((balance * 8).clamp(-2000, 2000) as i16);
            position.half_points = (1 + balance.signum()) as u8;
            out.clear();
            self.layout.pack(&position, &mut out).expect("it fits");
            writer.push(&out).expect("room");
        }
        writer.finish().expect("a file");
    }
}

/// Positions per second that one thread prepares for a device, in batches of `batch`.
fn preparing(game: &Game, path: &std::path::Path, batch: usize, seconds: f64) -> f64 {
    let mut file = PositionsFile::open(path).expect("positions");
    let count = file.header().training as usize;
    let (table, mut records, mut sparse) = (game.table(), Vec::new(), SparseBatch::default());
    file.read(0, count, &mut records).expect("records");
    let (began, mut seen) = (Instant::now(), 0);
    while began.elapsed().as_secs_f64() < seconds {
        for records in records.chunks_exact(batch * game.layout.record_bytes()) {
            sparse.fill(&table, records, &[], 1, true);
            seen += sparse.positions();
        }
    }
    seen as f64 / began.elapsed().as_secs_f64()
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let word = |at: usize, usual: &str| words.get(at).cloned().unwrap_or_else(|| usual.to_string());
    let number = |at: usize, usual: &str| word(at, usual).parse::<usize>().expect("a number");
    let game = Game::of(&word(0, "chess"));
    let (run, threads, width, batch) = (number(1, "8"), number(2, "1"), number(3, "256"), number(4, "16384"));
    let seconds = number(5, "10") as f64;
    let hidden: Vec<usize> = word(6, "-").split(',').filter_map(|text| text.parse().ok()).collect();
    let (inputs, activation) =
        (game.inputs().1, if hidden.is_empty() { Activation::Screlu } else { Activation::Crelu });
    let architecture = Architecture {
        name: "speed".into(),
        game: "made-up".into(),
        width,
        activation,
        quantisation: Quantisation { input: if hidden.is_empty() { 255 } else { 127 }, ..Quantisation::default() },
        hidden,
        output_buckets: 1,
        scale: 400,
        base: Base::None,
        features: Features { set: "made-up".into(), inputs, active_max: game.pieces, king_buckets: vec![] },
    };
    let folder = std::env::temp_dir().join(format!("nnue-speed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("made-up.positions");
    game.write(&path, 500_000, run);
    let settings = |steps: u64| NnueSettings {
        architecture: architecture.clone(),
        seed: 1,
        positions: "made up".into(),
        from: String::new(),
        batch,
        steps,
        rate: 0.001,
        rate_last: 0.0001,
        warm_up: 5,
        decay: 0.01,
        score_scale: 400.0,
        result_share: [0.3, 0.3],
        power: 2.0,
        rounded_share: 0.0,
        mirror: false,
        log_every: 1 << 20,
        validate_every: 1 << 20,
        validation: 1000,
    };
    let (interrupt, progress) = (Interrupt::new(), Progress::start("training", "positions", None, Show::Quiet));
    let around = Surroundings {
        checkpoint: None,
        log: None,
        save_every: Duration::from_secs(1 << 20),
        threads,
        interrupt: &interrupt,
        progress: &progress,
        judges_start: true,
    };
    let measure = |steps: u64| {
        let file = PositionsFile::open(&path).expect("positions");
        let run = NnueRun::begin(&settings(steps), game.table(), file, None, None).expect("a run");
        let (began, before) = (Instant::now(), cpu());
        let outcome = run.learn(&around).expect("it learns");
        let seen = (steps * batch as u64) as f64;
        let used = before.zip(cpu()).map_or(f64::NAN, |(before, after)| after - before);
        let (first, last) = (outcome.log.first().expect("a line").loss, outcome.log.last().expect("a line").loss);
        assert!(last < first || steps < 200, "it does not learn: {first} {last}");
        (seen / began.elapsed().as_secs_f64(), seen / used, began.elapsed().as_secs_f64(), last)
    };
    let (.., once, _) = measure(20);
    let steps = (seconds / once * 20.0) as u64;
    let (wall, core, _, loss) = measure(steps.max(20));
    let prepared = preparing(&game, &path, batch, seconds / 4.0);
    std::fs::remove_dir_all(&folder).expect("the folder was ours");
    println!(
        "{} {inputs} inputs, width {width}, runs of {run}, {threads} threads, batch {batch}: {:.0} thousand positions a second, \
         {:.0} per second of processor time; loss {loss:.5}",
        word(0, "chess"),
        wall / 1e3,
        core / 1e3
    );
    println!("prepared for a device: {:.0} thousand positions a second and thread", prepared / 1e3);
}
