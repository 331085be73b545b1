//! How fast positions go through a server on this machine's own network, beside the net without one.

use crate::serve;
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, Net, NetSession, Outputs, Runner, Service, Weights};
use tesuji_serving::{Remote, ServerOptions};

/// The size of the boards on the way.
const LINES: usize = 19;

/// Planes like those of go: mostly bits, some all alike.
fn planes(lines: usize, batch: usize) -> Vec<f32> {
    let points = lines * lines;
    (0..batch * 48 * points).map(|n| f32::from(!(n / points).is_multiple_of(3) && n * 7 % 11 < 3)).collect()
}

/// A net that says nothing at once: what is left is the way there and back.
struct Hollow(Architecture);

struct HollowSession(Architecture, Vec<f32>);

impl Service for Hollow {
    fn architecture(&self) -> &Architecture {
        &self.0
    }

    fn session(&self, _: usize, _: usize, batch_max: usize) -> Result<Box<dyn NetSession>, OracleError> {
        Ok(Box::new(HollowSession(self.0.clone(), vec![0.0; batch_max * (LINES * LINES + 1)])))
    }
}

impl NetSession for HollowSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        let points = planes.len() / batch / self.0.planes;
        let numbers = |count: usize| &self.1[..count * batch];
        let score = numbers(usize::from(self.0.score));
        let ownership = if self.0.ownership { numbers(points) } else { &[] };
        Ok(Outputs { policy: numbers(points + 1), value: numbers(1), ownership, score })
    }
}

/// Processor time of this process so far, clients and server together.
fn cpu() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may have spaces: the 12th and 13th fields are ticks of 10 ms.
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |n: usize| fields.get(n).and_then(|field| field.parse().ok()).unwrap_or(0);
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

/// How long each request of this many clients takes, one after another for a while, in order of length.
fn ask_for(time: Duration, address: &str, clients: usize, batch: usize) -> Vec<Duration> {
    let planes = planes(LINES, batch);
    let all = thread::scope(|scope| {
        let ask = || {
            let mut session = Remote::connect(address).unwrap().session(LINES, LINES, batch).unwrap();
            let (began, mut times) = (Instant::now(), Vec::new());
            while began.elapsed() < time {
                let asked = Instant::now();
                session.run(&planes, batch).unwrap();
                times.push(asked.elapsed());
            }
            times
        };
        let threads: Vec<_> = (0..clients).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    let mut times = all.concat();
    times.sort();
    times
}

#[test]
fn speed_of_the_way() {
    if !tesuji_testkit::needs::slow("the speed of the way to a server and back") {
        return;
    }
    let architecture = Architecture::for_any_size("go-1", 48, LINES, 4, 32);
    let parameters = ServerOptions { threads: 2, ..ServerOptions::default() };
    let (_server, addresses) = serve(Arc::new(Hollow(architecture)), parameters);
    println!("| clients | batch | protocol | positions/s | CPU us a position | median us | p99 us |");
    println!("|---|---|---|---|---|---|---|");
    for (clients, batch) in [(1, 1), (1, 8), (1, 64), (4, 1), (4, 8), (4, 64)] {
        for (name, address) in ["plain", "gRPC"].into_iter().zip(&addresses) {
            ask_for(Duration::from_millis(200), address, clients, batch);
            let (began, cpu_began) = (Instant::now(), cpu());
            let times = ask_for(Duration::from_secs(2), address, clients, batch);
            let (seconds, used) = (began.elapsed().as_secs_f64(), cpu() - cpu_began);
            let positions = (times.len() * batch) as f64;
            let micros = |part: f64| times[(times.len() as f64 * part) as usize].as_secs_f64() * 1e6;
            println!(
                "| {clients} | {batch} | {name} | {:.0} | {:.1} | {:.0} | {:.0} |",
                positions / seconds,
                used.as_secs_f64() * 1e6 / positions,
                micros(0.5),
                micros(0.99)
            );
        }
    }
}

#[test]
fn speed_of_serving() {
    if !tesuji_testkit::needs::slow("the speed of serving") {
        return;
    }
    let architecture = Architecture::for_any_size("go-1", 48, 9, 4, 32);
    let net = Arc::new(Net::new(&Weights::random(architecture, 1)).unwrap());
    let parameters = ServerOptions { wait: Duration::from_micros(200), ..ServerOptions::default() };
    let (server, addresses) = serve(Arc::new(net.clone()), parameters);
    let address = &addresses[0];
    for (clients, batch) in [(1, 1), (1, 8), (1, 32), (2, 8), (4, 8), (8, 1)] {
        let (rounds, planes) = (600 / batch.min(8), planes(9, batch));
        let mut runner = Runner::new(net.clone(), 9, 9, batch).unwrap();
        let began = Instant::now();
        (0..rounds).for_each(|_| assert!(runner.run(&planes, batch).value[0].is_finite()));
        let alone = began.elapsed().as_secs_f64() / rounds as f64;
        let before = server.counts().so_far();
        let began = Instant::now();
        thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    let mut session = Remote::connect(address).unwrap().session(9, 9, batch).unwrap();
                    (0..rounds).for_each(|_| assert!(session.run(&planes, batch).unwrap().value[0].is_finite()));
                });
            }
        });
        let (seconds, after) = (began.elapsed().as_secs_f64(), server.counts().so_far());
        println!(
            "{clients} clients of {batch}: {:.0} positions/s, {:.2} ms a request, {:.1} positions a call; the net alone {:.0}, {:.2} ms",
            (clients * rounds * batch) as f64 / seconds,
            seconds / rounds as f64 * 1e3,
            (after.positions - before.positions) as f64 / (after.batches - before.batches) as f64,
            batch as f64 / alone,
            alone * 1e3
        );
    }
}
