//! Efficiently updatable networks on a card against the processor's trainer: gradients of a step, whole short runs with rounding, and runs
//! that stop and go on, on the same device and on another.

use crate::close;
use crate::host::Host;
use std::path::Path;
use std::time::Duration;
use tesuji_cuda::NnueCuda;
use tesuji_cuda::device::Device;
use tesuji_game::{FirstSide, Random};
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_nn::nnue::{Activation, Architecture, Base, Features, FloatWeights, Quantisation};
use tesuji_train::learn::{Surroundings, TrainError};
use tesuji_train::nnue::{
    CELLS_MAX, CellLayout, CellPosition, InputTable, NnueBackend, NnueLayout, NnueNumbers, NnueOutcome, NnueRun,
    NnueSettings, NnueStep, NnueSums, NnueTarget, PositionsFile, PositionsHeader, PositionsWriter, SideInputs,
    SparseBatch,
};

/// A made-up game: 20 squares with pieces 1 to 6 (3 and 6 are kings), 4 cells of counts up to 7.
const LAYOUT: CellLayout = CellLayout { cells: 24, counts_from: 20, value_bits: 3, used_max: 16 };
/// Inputs of a frame.
const INPUTS: usize = 20 * 6 + 4 * 7;
const POSITIONS: usize = 700;

/// Its table, with `frames` by the square of the own king and room for `inputs`.
fn table(frames: usize, inputs: usize) -> InputTable {
    let anchor = |value: u8| (frames > 1).then(|| (value, (0..24).map(|cell| cell % frames as u32).collect()));
    let input = |turned: bool| {
        move |frame: usize, cell: usize, value: u8| {
            let value = if turned && cell < 20 { (value + 2) % 6 + 1 } else { value };
            let at = match cell {
                0..20 if (1..=6).contains(&value) => cell * 6 + usize::from(value) - 1,
                20.. => 120 + (cell - 20) * 7 + usize::from(value) - 1,
                _ => return None,
            };
            // Spread over all rows, so that those between them are never touched.
            Some(((frame * INPUTS + at) * (inputs / (frames * INPUTS))) as u32)
        }
    };
    let (own, other) = (input(false), input(true));
    let sides = [SideInputs { anchor: anchor(3), input: &own }, SideInputs { anchor: anchor(6), input: &other }];
    let mirror = (0..20u8).map(|cell| cell / 4 * 4 + 3 - cell % 4).chain(20..24).collect();
    InputTable::new(LAYOUT, (inputs, frames), sides).expect("a table").with_mirror(mirror)
}

/// Writes made-up positions in runs.
fn write(path: &Path, run: usize) {
    let mut random = Random::new(11);
    let (training, held_out) = (POSITIONS as u64, 150);
    let (game, words, base) = ("cells".into(), "made up".into(), String::new());
    let header = PositionsHeader { game, layout: LAYOUT, words, training, held_out, base };
    let mut writer = PositionsWriter::begin(path, &header).expect("a file");
    let (mut position, mut record) = (CellPosition::default(), Vec::new());
    for index in 0..training + held_out {
        position.starts_run = [0, training].contains(&index) || random.below(run) == 0;
        if position.starts_run {
            position.cells = [0; CELLS_MAX];
            (position.cells[random.below(10)], position.cells[10 + random.below(10)]) = (3, 6);
        }
        for _ in 0..2 {
            let cell = random.below(20);
            if !matches!(position.cells[cell], 3 | 6) {
                position.cells[cell] = [0, 1, 2, 4, 5][random.below(5)];
            }
        }
        while position.cells.iter().filter(|&&value| value != 0).count() > 15 {
            let cell = random.below(24);
            position.cells[cell] *= u8::from(matches!(position.cells[cell], 3 | 6));
        }
        position.cells[20 + random.below(4)] = 0;
        position.cells[20 + random.below(4)] = random.below(8) as u8;
        let worth = |value: &u8| [0, 90, 160, 0, -90, -160, 0, 0][usize::from(*value)];
        position.score = FirstSide(position.cells[..20].iter().map(worth).sum::<i16>() + random.below(60) as i16);
        position.half_points = random.below(4) as u8;
        position.second_to_move = random.below(2) == 1;
        position.bucket = random.below(8) as u8;
        record.clear();
        LAYOUT.pack(&position, &mut record).expect("it fits");
        writer.push(&record).expect("room");
    }
    writer.finish().expect("a file");
}

/// Shapes that between them have all that a network can have, with the frames of their inputs.
fn shapes() -> Vec<(Architecture, usize)> {
    let shape = |activation, width, hidden: &[usize], output_buckets, frames, inputs| {
        let input = if hidden.is_empty() || activation != Activation::Crelu { 255 } else { 127 };
        let architecture = Architecture {
            name: "cells".into(),
            game: "cells".into(),
            width,
            activation,
            hidden: hidden.to_vec(),
            output_buckets,
            scale: 400,
            base: Base::None,
            features: Features { set: "cells".into(), inputs, active_max: 40, king_buckets: vec![] },
            quantisation: Quantisation { input, ..Quantisation::default() },
        };
        (architecture, frames)
    };
    vec![
        shape(Activation::Screlu, 32, &[], 1, 1, INPUTS),
        shape(Activation::Screlu, 48, &[], 8, 2, 2 * INPUTS),
        shape(Activation::Crelu, 64, &[], 1, 2, 2 * INPUTS),
        shape(Activation::Pairwise, 64, &[], 8, 1, INPUTS),
        shape(Activation::Crelu, 32, &[5, 7], 1, 1, INPUTS),
        shape(Activation::Screlu, 64, &[16], 8, 2, 2 * INPUTS),
        shape(Activation::Pairwise, 96, &[8, 32, 3], 8, 2, 2 * INPUTS),
        // More rows than 16 bits number: only those that a batch touched are moved.
        shape(Activation::Crelu, 16, &[4], 1, 4, 70_000),
    ]
}

/// Weights whose accumulators and layers are inside, at and beyond their bounds.
fn weights(architecture: &Architecture) -> FloatWeights {
    let mut weights = FloatWeights::random(architecture, 7);
    let mut random = Random::new(8);
    let mut fill = |numbers: &mut [f32], scale: f64| numbers.fill_with(|| (random.normal() * scale) as f32);
    fill(&mut weights.bias, 0.3);
    fill(&mut weights.features, 0.15);
    for layer in weights.buckets.iter_mut().flatten() {
        fill(&mut layer.weights, 0.2);
        fill(&mut layer.bias, 0.2);
    }
    weights
}

fn settings(architecture: &Architecture, steps: u64) -> NnueSettings {
    NnueSettings {
        architecture: architecture.clone(),
        seed: 1,
        positions: "made up".into(),
        from: "made up".into(),
        batch: 200,
        steps,
        rate: 0.001,
        rate_last: 0.0001,
        warm_up: 2,
        decay: 0.01,
        score_scale: 400.0,
        result_share: [0.3, 0.5],
        power: if architecture.hidden.is_empty() { 2.0 } else { 2.5 },
        rounded_share: 0.4,
        mirror: true,
        log_every: 2,
        validate_every: 3,
        validation: 150,
    }
}

/// A run in `folder` with `threads`: on a device, or on the processor.
fn run(
    folder: &Path,
    (settings, frames): (&NnueSettings, usize),
    backend: Option<&mut dyn NnueBackend>,
    (threads, interrupt): (usize, &Interrupt),
) -> NnueOutcome {
    let positions = folder.join("a.positions");
    if !positions.exists() {
        // In runs of several positions the processor sums differences, and has rounding where a gradient is 0.
        write(&positions, if settings.steps == 1 { 6 } else { 1 });
    }
    let (checkpoint, log) = (folder.join("net.checkpoint"), folder.join("net.log"));
    let file = PositionsFile::open(&positions).expect("positions");
    let (table, from) = (table(frames, settings.architecture.features.inputs), weights(&settings.architecture));
    let run = NnueRun::begin(settings, table, file, Some(&from), Some(&checkpoint)).expect("a run");
    let progress = Progress::start("training", "positions", None, Show::Quiet);
    let around = Surroundings {
        checkpoint: Some(&checkpoint),
        log: Some(&log),
        save_every: Duration::from_secs(1 << 20),
        threads,
        interrupt,
        progress: &progress,
        judges_start: true,
    };
    match backend {
        Some(backend) => run.learn_on(backend, &around),
        None => run.learn(&around),
    }
    .expect("it learns")
}

/// Tensors of a checkpoint: values and both moments of each.
fn tensors(folder: &Path) -> Vec<[Vec<f32>; 3]> {
    let bytes = std::fs::read(folder.join("net.checkpoint")).expect("a checkpoint");
    let start = 24 + u64::from_le_bytes(bytes[16..24].try_into().expect("eight bytes")) as usize;
    let header = String::from_utf8_lossy(&bytes[24..start]).into_owned();
    let lengths = header.split("\"lengths\":[").nth(1).and_then(|rest| rest.split(']').next()).expect("lengths");
    let mut numbers = bytes[start..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
    let lengths = lengths.split(',').map(|length| length.parse::<usize>().expect("a number"));
    lengths.map(|length| [(); 3].map(|()| numbers.by_ref().take(length).collect())).collect()
}

/// Compares the gradients of one step, and a short run of which the end is rounded, with those of the processor.
pub fn agrees<D: Device>(open: impl Fn() -> D, allowed: f32) {
    for (architecture, frames) in shapes() {
        for steps in [1, 10] {
            let [here, there] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
            let settings = settings(&architecture, steps);
            let mut card = NnueCuda::new(open(), NnueLayout::new(&architecture), settings.batch).expect("room");
            let processor = run(here.path(), (&settings, frames), None, (1, &Interrupt::new()));
            let device = run(there.path(), (&settings, frames), Some(&mut card), (3, &Interrupt::new()));
            let what = format!("{:?} {:?}", architecture.activation, architecture.hidden);
            for (here, there) in processor.log.iter().zip(&device.log) {
                let near = |a: f64, b: f64| (a - b).abs() <= f64::from(allowed) * a.abs();
                assert!(near(here.loss, there.loss), "{what}: loss {} and {}", here.loss, there.loss);
                assert_eq!((here.what, here.step, here.of), (there.what, there.step, there.of));
                let lengths = here.gradient.zip(there.gradient).map(|(a, b)| near(a.into(), b.into()));
                assert_ne!(lengths, Some(false), "{what}, {steps} steps: {here:?} {there:?}");
            }
            assert_eq!((processor.log.len(), device.step), (device.log.len(), steps));
            let (mut all, mut unsure) = (0, 0);
            for (n, (here, there)) in tensors(here.path()).iter().zip(&tensors(there.path())).enumerate() {
                // After one step the first moment is a tenth of the gradient, the second a thousandth of its square.
                let many = if steps == 1 { 1.0 } else { 10.0 };
                close(&format!("{what}: tensor {n}, mean gradient"), &here[1], &there[1], many * allowed);
                close(&format!("{what}: tensor {n}, mean square"), &here[2], &there[2], 2.0 * many * allowed);
                let largest = here[1].iter().fold(0.0f32, |most, x| most.max(x.abs()));
                for (at, (a, b)) in here[0].iter().zip(&there[0]).enumerate() {
                    // Where the gradient is nothing but rounding, AdamW's steps are as long as elsewhere.
                    let is_noise = here[1][at].abs().min(there[1][at].abs()) < 1e-4 * largest;
                    let is_near = (a - b).abs() <= 2e-5 * a.abs().max(1.0);
                    assert!(is_near || is_noise, "{what}, {steps} steps: tensor {n}, number {at}: {a} and {b}");
                    (all, unsure) = (all + 1, unsure + usize::from(!is_near));
                }
            }
            assert!(unsure * 200 <= all, "{what}: {unsure} of {all} numbers differ");
        }
    }
}

/// A device that raises the interrupt after some steps.
struct Stopping<'a> {
    inner: &'a mut dyn NnueBackend,
    left: usize,
    interrupt: &'a Interrupt,
}

impl NnueBackend for Stopping<'_> {
    fn name(&self) -> String {
        self.inner.name()
    }
    fn load(&mut self, numbers: &NnueNumbers, sums: &NnueSums) -> Result<(), TrainError> {
        self.inner.load(numbers, sums)
    }
    fn numbers(&mut self) -> Result<NnueNumbers, TrainError> {
        self.inner.numbers()
    }
    fn round(&mut self, is_rounded: bool) -> Result<(), TrainError> {
        self.inner.round(is_rounded)
    }
    fn gradient(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<(), TrainError> {
        self.inner.gradient(batch, target)
    }
    fn gradient_length(&mut self) -> Result<f32, TrainError> {
        self.inner.gradient_length()
    }
    fn step(&mut self, step: &NnueStep) -> Result<(), TrainError> {
        self.left -= 1;
        if self.left == 0 {
            self.interrupt.raise();
        }
        self.inner.step(step)
    }
    fn sums(&mut self) -> Result<NnueSums, TrainError> {
        self.inner.sums()
    }
    fn restart(&mut self) -> Result<(), TrainError> {
        self.inner.restart()
    }
    fn judge(&mut self, batch: &SparseBatch, target: &NnueTarget) -> Result<NnueSums, TrainError> {
        self.inner.judge(batch, target)
    }
}

/// A run that was stopped ends in the same bytes on the same device, and near to them on the processor.
pub fn goes_on<D: Device>(open: impl Fn() -> D) {
    let (architecture, frames) = shapes().swap_remove(5);
    let settings = settings(&architecture, 12);
    let card = || NnueCuda::new(open(), NnueLayout::new(&architecture), settings.batch).expect("room");
    let bytes = |folder: &Path| ["net.checkpoint", "net.log"].map(|name| std::fs::read(folder.join(name)).expect(name));
    let [whole, stopped, changed] = [(); 3].map(|()| tempfile::tempdir().expect("a folder"));
    let outcome = run(whole.path(), (&settings, frames), Some(&mut card()), (2, &Interrupt::new()));
    for (folder, device) in [(stopped.path(), true), (changed.path(), false)] {
        // Before, in and after the rounded stage.
        for left in [3, 4, 3] {
            let (interrupt, mut card) = (Interrupt::new(), card());
            let mut stopping = Stopping { inner: &mut card, left, interrupt: &interrupt };
            let part = run(folder, (&settings, frames), Some(&mut stopping), (1, &interrupt));
            assert!(part.stopped);
        }
        let mut last = card();
        let last = device.then_some(&mut last as &mut dyn NnueBackend);
        let gone_on = run(folder, (&settings, frames), last, (1, &Interrupt::new()));
        assert_eq!((gone_on.step, gone_on.stopped), (12, false));
        let (a, b) = (outcome.log.last().expect("a line").loss, gone_on.log.last().expect("a line").loss);
        assert!((a - b).abs() < 1e-4 * a, "{a} {b}");
    }
    assert!(bytes(whole.path()) == bytes(stopped.path()));
}

#[test]
fn kernels_on_a_processor_agree_with_the_trainer() {
    agrees(Host::default, 1e-5);
}

#[test]
fn any_launch_gives_the_same_bytes() {
    let (architecture, frames) = shapes().swap_remove(1);
    let settings = settings(&architecture, 3);
    let mut all = Vec::new();
    for grid in [(1, 1), (3, 2), (2, 64)] {
        let folder = tempfile::tempdir().expect("a folder");
        let host = Host { grid, ..Host::default() };
        let mut card = NnueCuda::new(host, NnueLayout::new(&architecture), settings.batch).expect("room");
        run(folder.path(), (&settings, frames), Some(&mut card), (2, &Interrupt::new()));
        all.push(std::fs::read(folder.path().join("net.checkpoint")).expect("a checkpoint"));
    }
    assert!(all.iter().all(|bytes| *bytes == all[0]));
}

#[test]
fn runs_stop_and_go_on() {
    goes_on(Host::default);
}

#[test]
fn a_card_without_room_for_a_network_says_so() {
    let (architecture, _) = shapes().swap_remove(0);
    let small = Host { room: std::cell::Cell::new(20_000), ..Host::default() };
    let error = NnueCuda::new(small, NnueLayout::new(&architecture), 200).err().expect("no room").to_string();
    assert_eq!(error, "no room");
}
