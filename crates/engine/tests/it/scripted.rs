//! A player that does what the name of its position says, so that transcripts do not depend on a search.

use std::{thread, time::Duration};
use tesuji_engine::{Player, PlayerError};
use tesuji_game::{Bound, CacheCounts, Candidate, Choice, Limits, NotationError, Report, Signal, Value, Watch, Wdl};
use tesuji_options::{OptionError, Options, Spec, options};

options! {
    /// What the scripted player pretends to have.
    pub struct Pretended {
        /// Table size, in MiB.
        hash_mib: u32 = 16 in 1..=64, "Hash";
        /// Lines.
        multi_pv: u32 = 1 in 1..=8, "MultiPV";
        /// Forget.
        clear_hash: Button, "Clear Hash";
        /// A file that is never there.
        eval_file: File = "", "EvalFile";
    }
}

options! {
    /// What it hides.
    pub struct Parameters(expert) {
        /// A margin.
        margin_cp: i32 = 5 in 0..=9, "Margin";
    }
}

/// The player. Its position is a word that says how it searches.
#[derive(Default)]
pub struct Scripted {
    options: Both,
    manner: String,
    moves: Vec<String>,
}

#[derive(Default)]
struct Both(Pretended, Parameters);

impl Options for Both {
    fn specs(&self) -> Vec<Spec> {
        [Pretended::SPECS, Parameters::SPECS].concat()
    }

    fn get(&self, name: &str) -> Option<String> {
        self.0.get(name).or(self.1.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if name == "EvalFile" && value != "<empty>" {
            return Err(OptionError::Failed { name: "EvalFile", reason: format!("{value}: no such file") });
        }
        if self.1.get(name).is_some() { self.1.set(name, value) } else { self.0.set(name, value) }
    }
}

fn line(value: Value, bound: Bound, wdl: Option<(u16, u16, u16)>, pv: &str) -> Candidate<String> {
    let pv = pv.split(' ').map(str::to_string).collect();
    let wdl = wdl.map(|(win, draw, loss)| Wdl { win, draw, loss });
    Candidate { pv, value, bound, wdl, visits: 0, prior: 0.0, expected: None, margin: None }
}

fn report(depth: u32, lines: Vec<Candidate<String>>) -> Report<String> {
    Report {
        lines,
        depth,
        depth_max: depth + 2,
        nodes: 1000 * u64::from(depth),
        time: Duration::from_millis(u64::from(depth) * 2),
        hash_full: depth,
        ..Report::default()
    }
}

impl Player for Scripted {
    fn options(&mut self) -> Box<dyn Options + '_> {
        Box::new(&mut self.options)
    }

    fn new_game(&mut self) {
        self.manner.clear();
    }

    fn set_position(&mut self, _: &str, start: Option<&str>, moves: &[String]) -> Result<(), PlayerError> {
        let start = start.unwrap_or("");
        if start == "broken" {
            let error = NotationError::Syntax { at: 3, expected: "a piece" };
            return Err(PlayerError::Position { text: start.to_string(), error });
        }
        if let Some(at) = moves.iter().position(|m| !self.is_move(m)) {
            let error = NotationError::IllegalMove { text: moves[at].clone() };
            return Err(PlayerError::Move { number: at + 1, error });
        }
        (self.manner, self.moves) = (start.to_string(), moves.to_vec());
        Ok(())
    }

    fn is_move(&self, text: &str) -> bool {
        text.len() == 4 && text != "e2e5"
    }

    fn go(&mut self, _: &Limits, only: &[String], watch: &mut dyn Watch<String>) -> Report<String> {
        let cp = |v| line(Value::cp(v), Bound::Exact, Some((300, 500, 200)), "e2e4 e7e5");
        watch.report(&report(1, vec![cp(20)]));
        match self.manner.as_str() {
            "hang" => {
                while watch.signal() == Signal::Run {
                    thread::yield_now();
                }
            }
            "chat" => {
                while watch.signal() == Signal::Run {
                    watch.report(&report(1, vec![cp(20)]));
                    thread::sleep(Duration::from_millis(1));
                }
            }
            "late" => thread::sleep(Duration::from_millis(30)),
            "panic" => panic!("the script says so"),
            "stuck" => return Report::default(),
            "mute" => return Report { fault: Some("nobody answers".into()), ..Report::default() },
            "deputy" => {
                let (choice, fault) = (Some(Choice::Play("d2d4".into())), Some("nobody answers".into()));
                return Report { choice, fault, ..Report::default() };
            }
            "give up" => return Report { choice: Some(Choice::Resign), ..Report::default() },
            "lines" => {
                watch.report(&Report { current: Some(("d2d4".into(), 3)), ..report(9, vec![]) });
                watch.report(&report(9, vec![line(Value::cp(31), Bound::Lower, None, "d2d4")]));
                let mates = [(Value::mate_in(3), "d1h5 g8f6 h5f7"), (Value::mated_in(2), "a2a3 d8h4")];
                watch.report(&report(9, mates.map(|(v, pv)| line(v, Bound::Exact, None, pv)).to_vec()));
                watch.report(&report(9, vec![]));
            }
            _ => watch.report(&report(2, vec![cp(17)])),
        }
        let mv = only.iter().find(|text| self.is_move(text)).cloned().unwrap_or("e2e4".into());
        let lines = [(17, "e2e4 e7e5"), (12, "d2d4 d7d5"), (3, "g1f3 g8f6")];
        let lines = lines.map(|(v, pv)| line(Value::cp(v), Bound::Exact, None, pv));
        Report { choice: Some(Choice::Play(mv)), ponder: Some("e7e5".into()), ..report(2, lines.to_vec()) }
    }

    fn show(&self) -> String {
        format!("position {:?} moves {:?} hash {}", self.manner, self.moves, self.options.0.hash_mib)
    }

    fn explain(&self) -> Option<String> {
        (self.manner != "stuck").then(|| "tempo 10\ntotal 10".to_string())
    }

    fn perft(&self, depth: u32, stop: &dyn Fn() -> bool) -> Option<Vec<(String, u64)>> {
        while depth > 8 && !stop() {
            thread::yield_now();
        }
        (depth <= 8).then(|| vec![("a2a3".into(), 20), ("e2e4".into(), 30)])
    }

    fn counts(&self) -> Vec<CacheCounts> {
        vec![CacheCounts::new("transposition table", 200, 50), CacheCounts::new("pawn cache", 0, 0)]
    }
}
