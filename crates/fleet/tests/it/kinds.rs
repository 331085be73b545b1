//! Work for tests: squares of numbers, with units that are slow, wrong or deadly.

use std::{
    thread,
    time::{Duration, Instant},
};
use tesuji_jobs::{
    Interrupt,
    units::{FileStore, Unit, UnitRunner, WorkKind},
};

/// Bytes of a result that no message holds.
pub const LARGE: usize = 1_200_000;

/// Squares: the request is a number that is added, or `broken`, or `file SHA256`, whose length is added.
pub struct Squares;

pub static KINDS: &[&dyn WorkKind] = &[&Squares];

impl WorkKind for Squares {
    fn name(&self) -> &'static str {
        "squares"
    }

    fn prepare(&self, request: &str, files: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let words: Vec<&str> = request.trim_matches('"').split(' ').collect();
        let add = match words.as_slice() {
            ["broken"] => return Err("it does not build".into()),
            ["file", sum] => {
                let path = files.find(sum).map_err(|error| error.to_string())?;
                std::fs::metadata(path).map_err(|error| error.to_string())?.len()
            }
            [number, ..] => number.parse().map_err(|_| format!("{request} is no number"))?,
            [] => 0,
        };
        Ok(Box::new(Square { add, lies: false }))
    }
}

struct Square {
    add: u64,
    /// Whether it tells something else than it should.
    lies: bool,
}

/// Squares by a worker whose machine is broken.
pub struct WrongSquares;

pub static WRONG_KINDS: &[&dyn WorkKind] = &[&WrongSquares];

impl WorkKind for WrongSquares {
    fn name(&self) -> &'static str {
        Squares.name()
    }

    fn prepare(&self, request: &str, _: &dyn FileStore, _: &Interrupt) -> Result<Box<dyn UnitRunner>, String> {
        let number = request.trim_matches('"').split(' ').next().unwrap_or_default();
        let add = number.parse().map_err(|_| format!("{request} is no number"))?;
        Ok(Box::new(Square { add, lies: true }))
    }
}

/// Of what is told of a square, all but how long it took.
pub fn essence(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let end = bytes.iter().position(|byte| *byte == b' ');
    Ok(bytes[..end.unwrap_or(bytes.len())].to_vec())
}

/// What a unit comes to.
pub fn expected(index: u64, add: u64) -> Vec<u8> {
    format!("{}", index * index + add).into_bytes()
}

impl UnitRunner for Square {
    /// The body is empty, or `slow MS`, `once FILE`, `large`, `fault`, `panic`, `die`.
    fn run(&mut self, unit: &Unit, stop: &Interrupt) -> Result<Option<Vec<u8>>, String> {
        match unit.body.split(' ').collect::<Vec<_>>().as_slice() {
            ["slow", ms] => {
                let until = Instant::now() + Duration::from_millis(ms.parse().map_err(|_| "no time".to_string())?);
                while Instant::now() < until {
                    if stop.is_raised() {
                        return Ok(None);
                    }
                    thread::sleep(Duration::from_millis(5));
                }
            }
            ["once", path] => {
                let made = std::fs::File::create_new(path);
                made.map_err(|error| format!("a second time: {error}"))?;
                thread::sleep(Duration::from_millis(500));
            }
            ["large"] => return Ok(Some(vec![7; LARGE])),
            ["fault"] => return Err("the engine does not start".into()),
            ["panic"] => panic!("a bug"),
            ["die"] => std::process::abort(),
            _ => {}
        }
        Ok(Some(expected(unit.index, self.add + u64::from(self.lies))))
    }
}
