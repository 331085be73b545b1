//! How fast positions go through a server on this machine's own network, beside the net without one.

use crate::listener;
use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tesuji_game::OracleError;
use tesuji_nn::{Architecture, Net, Outputs, Runner, Service, Session, Weights};
use tesuji_serving::{Remote, Server, ServerKnobs};

/// Planes like those of go: mostly bits.
fn planes(batch: usize) -> Vec<f32> {
    (0..batch * 48 * 81).map(|n| f32::from(n / 81 % 3 != 0 && n * 7 % 11 < 3)).collect()
}

/// A net that says nothing at once: what is left is the way there and back.
struct Hollow(Architecture);

struct HollowSession(Architecture, Vec<f32>);

impl Service for Hollow {
    fn architecture(&self) -> &Architecture {
        &self.0
    }

    fn session(&self, _: usize, _: usize, batch_max: usize) -> Result<Box<dyn Session>, OracleError> {
        Ok(Box::new(HollowSession(self.0.clone(), vec![0.0; batch_max * 362])))
    }
}

impl Session for HollowSession {
    fn run(&mut self, planes: &[f32], batch: usize) -> Result<Outputs<'_>, OracleError> {
        let points = planes.len() / batch / self.0.planes;
        let numbers = |count: usize| &self.1[..count * batch];
        let score = numbers(usize::from(self.0.score));
        let ownership = if self.0.ownership { numbers(points) } else { &[] };
        Ok(Outputs { policy: numbers(points + 1), value: numbers(1), ownership, score })
    }
}

#[test]
fn speed_of_the_way() {
    if std::env::var("SLOW").is_err() {
        eprintln!("skipped: the speed of the way to a server and back (SLOW=1)");
        return;
    }
    let architecture = Architecture::preset("go-4x32", "go-1", 48, 9).unwrap();
    let server = Server::start(Arc::new(Hollow(architecture)), listener(), ServerKnobs::default()).unwrap();
    let remote = Remote::connect(&server.address().to_string()).unwrap();
    for batch in [1, 8, 32, 64] {
        let planes = planes(batch);
        let mut session = remote.session(9, 9, batch).unwrap();
        let mut times: Vec<Duration> = (0..400)
            .map(|_| {
                let began = Instant::now();
                session.run(&planes, batch).unwrap();
                began.elapsed()
            })
            .collect();
        times.sort();
        let micros = times[200].as_secs_f64() * 1e6;
        println!(
            "{batch} positions: {micros:.0} us there and back (median), {:.0} positions/s",
            batch as f64 / micros * 1e6
        );
    }
}

#[test]
fn speed_of_serving() {
    if std::env::var("SLOW").is_err() {
        eprintln!("skipped: the speed of serving (SLOW=1)");
        return;
    }
    let architecture = Architecture::preset("go-4x32", "go-1", 48, 9).unwrap();
    let net = Arc::new(Net::new(&Weights::random(architecture, 1)).unwrap());
    let knobs = ServerKnobs { wait: Duration::from_micros(200), ..ServerKnobs::default() };
    let server = Server::start(Arc::new(net.clone()), listener(), knobs).unwrap();
    let address = server.address().to_string();
    for (clients, batch) in [(1, 1), (1, 8), (1, 32), (2, 8), (4, 8), (8, 1)] {
        let (rounds, planes) = (600 / batch.min(8), planes(batch));
        let mut runner = Runner::new(net.clone(), 9, 9, batch).unwrap();
        let began = Instant::now();
        (0..rounds).for_each(|_| assert!(runner.run(&planes, batch).value[0].is_finite()));
        let alone = began.elapsed().as_secs_f64() / rounds as f64;
        let before = server.counts().so_far();
        let began = Instant::now();
        thread::scope(|scope| {
            for _ in 0..clients {
                scope.spawn(|| {
                    let mut session = Remote::connect(&address).unwrap().session(9, 9, batch).unwrap();
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
