//! Whole runs on a toy problem: they learn, stop, are killed, go on to the same bytes, and refuse what does not fit.

mod killed;
mod runs;

use std::path::Path;
use std::time::Duration;
use tesuji_game::Random;
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_nn::Architecture;
use tesuji_train::cpu::Cpu;
use tesuji_train::learn::{Outcome, Surroundings, TrainError, begin, learn};
use tesuji_train::optimiser::OptimiserSettings;
use tesuji_train::sample::{Sample, Source, SourceError};
use tesuji_train::settings::TrainSettings;

/// Boards of 4x4 with stones at random in plane 0 and one marked in plane 1: the move is right of the mark (or the pass at
/// the edge), the value is who has more stones on the left half.
struct Toy {
    random: Random,
    planes: usize,
    /// What it can still give.
    left: u64,
}

impl Toy {
    fn new(seed: u64) -> Toy {
        Toy { random: Random::new(seed), planes: 2, left: u64::MAX }
    }
}

impl Source for Toy {
    type Key = u64;

    fn draw(&mut self) -> Result<u64, SourceError> {
        if self.left == 0 {
            return Err(SourceError::Empty("the toy box is empty".into()));
        }
        self.left -= 1;
        Ok(self.random.next_u64())
    }

    fn fill(&self, key: &u64, sample: &mut Sample) {
        let stones = (key & 0xFFFF) as u16;
        let mark = (key >> 16 & 15) as usize;
        sample.planes.clear();
        sample.planes.extend((0..16).map(|at| f32::from(stones >> at & 1)));
        sample.planes.extend((0..16 * (self.planes - 1)).map(|at| f32::from(u8::from(at == mark))));
        let action = if mark % 4 == 3 { 16 } else { mark + 1 };
        sample.policy = vec![(action as u16, 1.0)];
        let half: i32 = (0..16)
            .map(|at| {
                if stones >> at & 1 == 0 {
                    0
                } else if at % 4 < 2 {
                    1
                } else {
                    -1
                }
            })
            .sum();
        sample.value = half.signum() as f32;
        sample.value_weight = 1.0;
        sample.ownership = (0..16).map(|at| if stones >> at & 1 == 0 { -1.0 } else { 1.0 }).collect();
        sample.score = Some(half as f32);
    }
}

/// A small net for the toy, and a short run.
fn settings(steps: u64) -> TrainSettings {
    let mut architecture = Architecture::for_any_size("toy-1", 2, 4, 1, 16);
    (architecture.value.planes, architecture.value.hidden) = (4, 16);
    TrainSettings {
        architecture,
        seed: 5,
        samples: "toys".into(),
        batch: 32,
        steps,
        optimiser: OptimiserSettings { warm_up: 10, average: 0.99, ..OptimiserSettings::default() },
        loss: Default::default(),
        log_every: 20,
        validate_every: 50,
        validation: 256,
    }
}

/// Runs in a folder that keeps the checkpoint and the log; `stop_after` raises the interrupt after N draws.
fn run(
    settings: &TrainSettings,
    folder: Option<&Path>,
    mut source: Toy,
    interrupt: &Interrupt,
) -> Result<Outcome, TrainError> {
    let progress = Progress::start("training", "positions", None, Show::Quiet);
    let checkpoint = folder.map(|folder| folder.join("run.checkpoint"));
    let log = folder.map(|folder| folder.join("run.log"));
    let around = Surroundings {
        judges_start: false,
        checkpoint: checkpoint.as_deref(),
        log: log.as_deref(),
        save_every: Duration::ZERO,
        threads: 2,
        interrupt,
        progress: &progress,
    };
    let state = begin(settings, checkpoint.as_deref(), None)?;
    learn(state, Cpu::new(2, settings.batch)?, (&mut source, &mut Toy::new(99)), &around)
}
