//! A game as work on data sees it: its records, its mates, and new scores for positions by searches.

use crate::{Games, Kit};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use tesuji_dataset::tasks::{DataGame, MateJudge, MateTask, RescoreTask, Scorer};
use tesuji_engine::Player;
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::RequestError;
use tesuji_record::{AnyGame, Fault, Note, Sample, Survey, score_of};
use tesuji_search::mate::MateLimits;

/// A game among all that there are, which errors name.
pub struct DataKit {
    /// The game.
    pub kit: &'static dyn Kit,
    /// All games.
    pub games: Games,
}

impl DataGame for DataKit {
    fn records(&self) -> &'static dyn AnyGame {
        self.kit
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        self.kit.survey()
    }

    fn mate_judge(&self, task: &MateTask) -> Result<Box<dyn MateJudge>, RequestError> {
        let Some(mates) = self.kit.mates() else {
            let games = self.games.names_with(|kit| kit.mates().is_some()).join(" and ");
            let words = format_args!("mates are looked for in {games}, not in {}", self.kit.name()).to_string();
            return Err(RequestError::failed(words));
        };
        let limits = MateLimits { plies: Some(task.plies()), nodes: Some(task.nodes()) };
        Ok(mates.judge(task.hash_mib.max(1), limits))
    }

    fn scorer(&self, task: &RescoreTask) -> Result<Box<dyn Scorer>, RequestError> {
        if task.engine.is_some() {
            return Err(RequestError::field("engine", "is for the command line, which starts programs"));
        }
        let players = Players { kit: self.kit, task: task.clone(), idle: Mutex::default() };
        // What is wrong with the options is said before anything is read.
        let first = players.make()?;
        players.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
        Ok(Box::new(players))
    }
}

/// Players that wait for work, and how to make another.
struct Players {
    kit: &'static dyn Kit,
    task: RescoreTask,
    idle: Mutex<Vec<Box<dyn Player>>>,
}

impl Players {
    fn make(&self) -> anyhow::Result<Box<dyn Player>> {
        let mut player = self.kit.player(&self.task.search)?;
        tesuji_options::set_all(&mut *player.options(), crate::settings(&self.task.options)?)?;
        Ok(player)
    }

    fn score_one(&self, player: &mut dyn Player, sample: &mut Sample) -> Result<(), Fault> {
        let table = self.kit.table(&sample.rules, Some(&sample.position)).map_err(Fault::Position)?;
        if table.outcome().is_some() {
            return Ok(());
        }
        player.new_game();
        let taken = player.set_position(&sample.rules, Some(&sample.position), &[]);
        taken.map_err(|_| Fault::Unsupported("a position that the engine does not take"))?;
        let limits = Limits { nodes: Some(self.task.nodes), ..Limits::default() };
        let report = player.go(&limits, &[], &mut Patience { began: Instant::now() });
        if report.fault.is_some() {
            return Err(Fault::Unsupported("an engine whose network gives no answer"));
        }
        if let Some(best) = report.lines.first() {
            let note = Note { value: Some(best.value), ..Note::default() };
            sample.score = score_of(&note, table.side_to_move());
            if let (true, Some(mv)) = (self.task.moves, best.pv.first()) {
                sample.mv.clone_from(mv);
                // What was known of the move on record is not true of this one.
                sample.facts = None;
            }
        }
        Ok(())
    }
}

impl Scorer for Players {
    fn identity(&self) -> String {
        String::new()
    }

    fn score(&self, _block: u64, samples: &mut [Sample], fault: &mut dyn FnMut(usize, Fault)) {
        let lock = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = lock().pop();
        let Some(mut player) = waiting.or_else(|| self.make().ok()) else { return };
        for (index, sample) in samples.iter_mut().enumerate() {
            if let Err(found) = self.score_one(player.as_mut(), sample) {
                fault(index, found);
            }
        }
        lock().push(player);
    }
}

/// Lets a search run to its end. Interrupted work is stopped between blocks: half a search is no score.
struct Patience {
    began: Instant,
}

impl Watch<String> for Patience {
    fn signal(&mut self) -> Signal {
        Signal::Run
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}
