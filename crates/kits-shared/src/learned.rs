//! Learned positions at play: the database of a game in memory for the search, and what a game adds to it.

use crate::handmade::{At, Handmade};
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
};
use tesuji_book::{Learned, Memory};
use tesuji_game::{Game, Notation, Position, Tactical};
use tesuji_search::best_first::{Recall, Recalled};

/// The most positions that wait for a file which cannot be written.
const FRESH_MAX: usize = 100_000;
/// Plies of the game from which and up to which something is learned.
const PLIES: std::ops::RangeInclusive<usize> = 2..=30;

/// The data stored for one position.
#[derive(Clone, Copy)]
struct Fact {
    /// A second key.
    check: u64,
    /// The value, for the side to move.
    value_cp: i16,
    /// The undiscounted quality.
    quality: f32,
}

/// Positions by their keys, as the search asks for them.
pub struct Known {
    facts: RwLock<HashMap<u64, Fact>>,
    /// The share of a quality that counts in a later game.
    discount: f32,
}

impl<P: Tactical> Recall<P> for Known {
    fn recall(&self, pos: &P) -> Option<Recalled> {
        let facts = self.facts.read().unwrap_or_else(PoisonError::into_inner);
        let &Fact { check, value_cp, quality } = facts.get(&pos.key().0)?;
        (check == pos.structure_key().0).then_some(Recalled { value_cp, quality: quality * self.discount })
    }
}

/// The memory of a game, open for play.
pub struct Lessons {
    memory: Memory,
    known: Arc<Known>,
    positions_max: u64,
    quality_min: f32,
    /// Positions learned in this game and not written yet.
    fresh: Vec<Learned>,
}

/// A position as it is remembered.
fn text_of<G: Handmade>(pos: &At<G>) -> String {
    let mut text = String::new();
    let _ = <G::Game as Game>::Notation::write_position(pos, &mut text);
    G::remembered(text)
}

impl Lessons {
    /// Opens the database at `path` and reads what it knows.
    ///
    /// # Errors
    /// When it cannot be used, in words.
    pub fn open<G: Handmade>(
        path: &str,
        discount: f32,
        quality_min: f32,
        positions_max: u64,
    ) -> Result<Lessons, String> {
        let file = Path::new(path);
        if file.exists() && !file.is_file() {
            return Err(format!("{path}: expected a regular file of learned positions, or none"));
        }
        let memory = Memory::open(file, G::Game::NAME).map_err(|error| error.to_string())?;
        let mut facts = HashMap::new();
        for one in memory.best(positions_max).map_err(|error| error.to_string())? {
            // A position that the rules refuse cannot come up.
            let Ok(pos) = <G::Game as Game>::Notation::parse_position(&Default::default(), &one.position) else {
                continue;
            };
            facts.insert(pos.key().0, fact(&pos, one.value_cp, one.quality as f32));
        }
        let known = Arc::new(Known { facts: RwLock::new(facts), discount });
        Ok(Lessons { memory, known, positions_max, quality_min, fresh: Vec::new() })
    }

    /// The learned positions, for the search to look up.
    pub fn known(&self) -> Arc<Known> {
        self.known.clone()
    }

    /// The least quality of what is learned.
    pub fn quality_min(&self) -> f32 {
        self.quality_min
    }

    /// Whether something is learned after this many plies.
    pub fn is_time(plies: usize) -> bool {
        PLIES.contains(&plies)
    }

    /// Learns positions with values, in centipawns for the side to move, and qualities.
    pub fn learn<G: Handmade>(&mut self, found: Vec<(At<G>, f32, f32)>) {
        for (pos, value, quality) in found {
            let value_cp = value.round() as i32;
            self.fresh.push(Learned { position: text_of::<G>(&pos), value_cp, quality: f64::from(quality) });
            let mut facts = self.known.facts.write().unwrap_or_else(PoisonError::into_inner);
            let new = fact(&pos, value_cp, quality);
            let entry = facts.entry(pos.key().0).or_insert(new);
            if entry.quality < quality {
                *entry = new;
            }
        }
    }

    /// Writes what was learned; what cannot be written now is tried again with the next.
    pub fn write(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        match self.memory.keep(&self.fresh, self.positions_max) {
            Ok(()) => self.fresh.clear(),
            Err(error) => tracing::warn!(target: "learned", "{error}"),
        }
        self.fresh.truncate(FRESH_MAX);
    }
}

fn fact<P: Tactical>(pos: &P, value_cp: i32, quality: f32) -> Fact {
    Fact { check: pos.structure_key().0, value_cp: value_cp.clamp(-30_000, 30_000) as i16, quality }
}

impl Drop for Lessons {
    fn drop(&mut self) {
        self.write();
    }
}
