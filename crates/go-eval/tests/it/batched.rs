//! Many games in one thread against a thread for each game, on a device that takes 2 ms and 20 µs a position. Runs only under `SLOW=1`.

use std::{
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};
use tesuji_game::{Encoding, Line, Oracle, OracleError, Query};
use tesuji_go::{GoPosition, Rules, Small};
use tesuji_go_eval::GoPlanes;
use tesuji_search::mcts::{BatchedRules, Beginning, NoRivals, Parameters, play_batched};

type Pos = GoPosition<Small>;

/// What a call of the device takes, and each position of it.
const COST: (Duration, Duration) = (Duration::from_millis(2), Duration::from_micros(20));
/// The most positions of one call.
const CALL_MAX: usize = 256;
/// How long each run is.
const RUN: Duration = Duration::from_secs(4);

/// A device that does one thing at a time.
#[derive(Default)]
struct Device(Mutex<()>);

impl Device {
    fn run(&self, positions: usize) {
        let _busy = self.0.lock().unwrap();
        thread::sleep(COST.0 + COST.1 * positions as u32);
    }
}

/// Planes as a network would see them, written by the thread that searches; an answer that depends on them.
fn encode(query: &mut Query<Pos>, planes: &mut Vec<f32>) {
    planes.resize(GoPlanes::Bakago.planes() * 81, 0.0);
    GoPlanes::Bakago.encode(&query.line, 0, planes);
    let stones: f32 = planes[..81].iter().sum();
    query.answer.clear();
    query.answer.value = (stones * 0.37).sin() * 0.2;
    let even = 1.0 / query.moves.len().max(1) as f32;
    query.answer.policy.resize(query.moves.len(), even);
}

/// A thread that asks the device itself.
#[derive(Clone)]
struct Direct {
    device: Arc<Device>,
    asked: Arc<AtomicU64>,
    planes: Vec<f32>,
}

impl Oracle<Pos> for Direct {
    fn batch_max(&self) -> usize {
        CALL_MAX
    }

    fn ask(&mut self, batch: &mut [Query<Pos>]) -> Result<(), OracleError> {
        batch.iter_mut().for_each(|query| encode(query, &mut self.planes));
        self.device.run(batch.len());
        self.asked.fetch_add(batch.len() as u64, Relaxed);
        Ok(())
    }
}

/// Questions that wait for the thread which asks the device.
#[derive(Default)]
struct Queue {
    /// Numbers of questions that came and that were answered.
    state: Mutex<(u64, u64)>,
    came: Condvar,
    answered: Condvar,
    stop: AtomicBool,
}

impl Queue {
    /// Takes what is there and has it answered, again and again.
    fn serve(&self, device: &Device, asked: &AtomicU64) {
        while !self.stop.load(Relaxed) {
            let state = self.state.lock().unwrap();
            let wait = Duration::from_millis(20);
            let (state, _) = self.came.wait_timeout_while(state, wait, |s| s.0 == s.1).unwrap();
            let count = (state.0 - state.1).min(CALL_MAX as u64);
            drop(state);
            if count > 0 {
                device.run(count as usize);
                asked.fetch_add(count, Relaxed);
                self.state.lock().unwrap().1 += count;
                self.answered.notify_all();
            }
        }
        self.state.lock().unwrap().1 = u64::MAX;
        self.answered.notify_all();
    }
}

/// A thread of one game, which puts its leaf into a queue and sleeps.
struct Queued {
    queue: Arc<Queue>,
    planes: Vec<f32>,
}

impl Oracle<Pos> for Queued {
    fn batch_max(&self) -> usize {
        1
    }

    fn ask(&mut self, batch: &mut [Query<Pos>]) -> Result<(), OracleError> {
        encode(&mut batch[0], &mut self.planes);
        let mut state = self.queue.state.lock().unwrap();
        state.0 += 1;
        let own = state.0;
        self.queue.came.notify_one();
        let _state = self.queue.answered.wait_while(state, |s| s.1 < own).unwrap();
        Ok(())
    }
}

fn games(size: usize, oracle: &mut dyn Oracle<Pos>, stop: &AtomicBool, seed: u64) {
    let rules = BatchedRules { visits: 100, parameters: Parameters::nets(), plies_max: 120, ..BatchedRules::default() };
    let start = Pos::start(&"9x9 chinese komi 7".parse::<Rules>().unwrap()).unwrap();
    let mut number = seed << 32;
    let mut next = || {
        number += 1;
        Some(Beginning { number, line: Line::new(start.clone()), seed: number })
    };
    play_batched(size, &rules, oracle, &mut NoRivals, &mut next, &mut |_| (), &|| stop.load(Relaxed)).unwrap();
}

/// Processor seconds of the whole process, user and system.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let rest = text.rsplit(')').next().unwrap_or_default();
    // Hundredths of a second, the 14th and 15th field.
    rest.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Positions a second, and processor microseconds for each.
type Speed = (f64, f64);

/// Two devices with two threads each.
fn batches(sizes: [usize; 4]) -> Speed {
    let (asked, stop) = (Arc::new(AtomicU64::new(0)), AtomicBool::new(false));
    let devices = [Arc::new(Device::default()), Arc::new(Device::default())];
    let (began, used) = (Instant::now(), cpu());
    thread::scope(|scope| {
        for (n, size) in sizes.into_iter().enumerate() {
            let mut oracle = Direct { device: devices[n / 2].clone(), asked: asked.clone(), planes: Vec::new() };
            let stop = &stop;
            scope.spawn(move || games(size, &mut oracle, stop, n as u64));
        }
        thread::sleep(RUN);
        stop.store(true, Relaxed);
    });
    let asked = asked.load(Relaxed) as f64;
    (asked / began.elapsed().as_secs_f64(), (cpu() - used) / asked * 1e6)
}

/// The same with a thread for each game, a queue and a thread that asks for each device.
fn queued(threads: [usize; 2]) -> Speed {
    let (asked, stop) = (Arc::new(AtomicU64::new(0)), AtomicBool::new(false));
    let queues = [Arc::new(Queue::default()), Arc::new(Queue::default())];
    let (began, used) = (Instant::now(), cpu());
    thread::scope(|scope| {
        for (n, queue) in queues.iter().enumerate() {
            let (server, asked) = (queue.clone(), asked.clone());
            scope.spawn(move || server.serve(&Device::default(), &asked));
            for game in 0..threads[n] {
                let mut oracle = Queued { queue: queue.clone(), planes: Vec::new() };
                let stop = &stop;
                scope.spawn(move || games(1, &mut oracle, stop, (1000 * n + game) as u64));
            }
        }
        thread::sleep(RUN);
        let asked = asked.load(Relaxed) as f64;
        let speed = (asked / began.elapsed().as_secs_f64(), (cpu() - used) / asked * 1e6);
        stop.store(true, Relaxed);
        queues.iter().for_each(|queue| queue.stop.store(true, Relaxed));
        speed
    })
}

#[test]
fn batched_games_outrun_a_thread_for_each() {
    if !tesuji_testkit::needs::slow("batched games on a simulated device") {
        return;
    }
    let mut ratios: Vec<(f64, f64)> = Vec::new();
    for round in 0..3 {
        let (one, many) = (queued([180, 140]), batches([208, 208, 176, 176]));
        println!("round {round}: 320 threads {:.0} positions/s, {:.1} CPU us each", one.0, one.1);
        println!("         2 + 2 batches {:.0} positions/s, {:.1} CPU us each", many.0, many.1);
        ratios.push((many.0 / one.0, one.1 / many.1));
    }
    let median = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let mut all: Vec<f64> = ratios.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[1]
    };
    let (clock, work) = (median(&|r| r.0), median(&|r| r.1));
    println!("batched games by the clock {clock:.2} (dlshogi in 2018: 1.29), by processor time {work:.2}");
    // On a busy machine the clock says who has more threads.
    assert!(work > 1.0, "{ratios:?}");
}
