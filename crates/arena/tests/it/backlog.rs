//! Workers that are faster than the one who writes their games down.

use crate::{FOUR, matches::plan};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tesuji_arena::{Allowance, Contestant, Entrant, Fault, Journal, Maker, Match, MatchEnd, MatchNews, Thought, Turn};
use tesuji_game::Choice;
use tesuji_jobs::Interrupt;
use tesuji_record::AnyGame;

/// Plays the first move that there is, at once, and counts the games.
struct Quick(Arc<AtomicU64>);

impl Contestant for Quick {
    fn name(&self) -> &str {
        "quick"
    }
    fn new_game(&mut self, _: &str) -> Result<(), Fault> {
        self.0.fetch_add(1, Relaxed);
        Ok(())
    }
    fn think(&mut self, turn: &Turn<'_>) -> Result<Thought, Fault> {
        let moves = FOUR.table("", turn.start).ok().and_then(|mut table| {
            turn.moves.iter().try_for_each(|mv| table.play(mv)).ok()?;
            table.moves().first().cloned()
        });
        Ok(Thought::new(moves.map_or(Choice::Resign, Choice::Play), Duration::ZERO))
    }
}

#[test]
fn games_do_not_pile_up_before_a_slow_disk() {
    let folder = tempfile::tempdir().unwrap();
    let begun = Arc::new(AtomicU64::new(0));
    let mut plan = plan(300, "", 2);
    plan.entrants = ["a", "b"]
        .map(|name| {
            let begun = begun.clone();
            let make: Maker = Box::new(move |_| Ok(Box::new(Quick(begun.clone())) as Box<dyn Contestant>));
            Entrant { name: name.to_string(), origin: None, allowance: Allowance::of_nodes(1), make }
        })
        .into();
    let mut journal = Journal::open(&folder.path().join("journal")).unwrap();
    let mut running = Match::new(&plan, &journal).unwrap();
    let (mut done, mut ahead) = (0, 0);
    let end = running.run(&mut journal, &mut [], &Interrupt::new(), &mut |_, news| {
        if let MatchNews::Game(_) = news {
            std::thread::sleep(Duration::from_millis(1));
            done += 1;
            ahead = ahead.max(begun.load(Relaxed) / 2 - done);
        }
    });
    assert_eq!((end.unwrap(), done), (MatchEnd::Complete, 300));
    assert!(ahead <= 40, "{ahead} games were played and not written");
}
