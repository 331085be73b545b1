//! Openings made by random moves, for matches that are given none.

use crate::Opening;
use std::collections::HashSet;
use tesuji_game::{Random, Value};
use tesuji_kit::RequestError;
use tesuji_record::AnyGame;

/// Settings for making random openings.
#[derive(Debug, Clone)]
pub struct Making {
    /// The rules; empty: the usual ones.
    pub rules: String,
    /// Random moves from the start.
    pub plies: u32,
    /// A filter of moves; `None`: all.
    pub takes: Option<fn(&str) -> bool>,
    /// The number of openings.
    pub count: usize,
    /// The seed of the random moves.
    pub seed: u64,
    /// The largest advantage that counts as balanced, in centipawns.
    pub balance_cp: u32,
}

/// Tries for one opening before it is taken as it is.
const TRIES_MAX: u64 = 200;

/// This many openings in a row without a walk that was new are taken for the last that there are.
const BARREN_MAX: u32 = 20;

/// The most random moves of an opening: where games end later, they have seldom anything left to play for.
const RANDOM_PLIES_MAX: u32 = 1000;

/// Checks that openings can be made: some game of random moves must last so long. Without this the search for one would never end.
pub(crate) fn check_plies(
    game: &dyn AnyGame,
    making: &Making,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), RequestError> {
    let plies = making.plies;
    if plies > RANDOM_PLIES_MAX {
        let reason = format!("expected at most {RANDOM_PLIES_MAX} random moves of an opening");
        return Err(RequestError::value("plies", plies, reason));
    }
    // What is wrong with the rules is told where they are read.
    if game.table(&making.rules, None).is_err() {
        return Ok(());
    }
    let mut random = Random::for_item(making.seed, u64::MAX);
    let lasts = (0..TRIES_MAX).any(|_| is_stopped() || walk(game, making, &mut random).is_some());
    let reason = format_args!("none of {TRIES_MAX} games of random moves lasted longer; give fewer");
    if lasts { Ok(()) } else { Err(RequestError::value("plies", plies, reason)) }
}

/// Different openings of random moves, after which the game is not over. `judge` gives the value of an opening's last
/// position for its side to move; those out of balance are thrown away. Fewer than asked for when the game has no more.
///
/// Deterministic for a seed and judge; the opening at an index does not depend on `count`.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Making, make_openings};
/// use tesuji_record::{Of, of};
/// use tesuji_testkit::four::Four;
/// static FOUR: Of<Four> = of(&[]);
/// let making = Making { rules: String::new(), plies: 1, takes: None, count: 10, seed: 7, balance_cp: 0 };
/// // There are seven first moves, and nobody judges them.
/// let openings = make_openings(&FOUR, &making, &mut |_| None);
/// assert_eq!(openings.len(), 7);
/// ```
pub fn make_openings(
    game: &dyn AnyGame,
    making: &Making,
    judge: &mut dyn FnMut(&Opening) -> Option<Value>,
) -> Vec<Opening> {
    let mut seen = HashSet::new();
    let (mut openings, mut barren) = (Vec::new(), 0);
    for index in 0..making.count as u64 {
        let mut walker = |random: &mut Random| walk(game, making, random);
        match try_openings(making, index, &mut walker, &|opening| !seen.contains(opening), judge).0 {
            Some(opening) => {
                seen.insert(opening.clone());
                openings.push(opening);
                barren = 0;
            }
            None if barren == BARREN_MAX => break,
            None => barren += 1,
        }
    }
    openings
}

/// The balanced opening of an index, whatever the others are; `None` when no walk of many was one.
///
/// # Examples
///
/// ```
/// use tesuji_arena::{Making, make_opening};
/// use tesuji_game::Value;
/// use tesuji_record::{Of, of};
/// use tesuji_testkit::four::Four;
/// static FOUR: Of<Four> = of(&[]);
/// let making = Making { rules: String::new(), plies: 4, takes: None, count: 1, seed: 7, balance_cp: 50 };
/// let level = make_opening(&FOUR, &making, 3, &mut |_| Some(Value::cp(20))).unwrap();
/// assert_eq!(level.moves.len(), 4);
/// assert_eq!(make_opening(&FOUR, &making, 3, &mut |_| Some(Value::cp(200))), None);
/// ```
pub fn make_opening(
    game: &dyn AnyGame,
    making: &Making,
    index: u64,
    judge: &mut dyn FnMut(&Opening) -> Option<Value>,
) -> Option<Opening> {
    make_opening_by(making, index, &mut |random| walk(game, making, random), judge)
}

/// [`make_opening`] of what `walker` finds.
pub(crate) fn make_opening_by(
    making: &Making,
    index: u64,
    walker: &mut dyn FnMut(&mut Random) -> Option<Opening>,
    judge: &mut dyn FnMut(&Opening) -> Option<Value>,
) -> Option<Opening> {
    let (opening, is_balanced) = try_openings(making, index, walker, &|_| true, judge);
    opening.filter(|_| is_balanced)
}

/// Walks until one is new and balanced; else the first that was new, and that it is not balanced.
fn try_openings(
    making: &Making,
    index: u64,
    walker: &mut dyn FnMut(&mut Random) -> Option<Opening>,
    is_new: &dyn Fn(&Opening) -> bool,
    judge: &mut dyn FnMut(&Opening) -> Option<Value>,
) -> (Option<Opening>, bool) {
    let mut random = Random::for_item(making.seed, index);
    let mut spare = None;
    for _ in 0..TRIES_MAX {
        let Some(opening) = walker(&mut random).filter(is_new) else { continue };
        let value = judge(&opening);
        if value.is_none_or(|v| v.raw().unsigned_abs() <= making.balance_cp) {
            return (Some(opening), true);
        }
        spare.get_or_insert(opening);
    }
    (spare, false)
}

/// One random walk; `None` when the game was over at its end.
fn walk(game: &dyn AnyGame, making: &Making, random: &mut Random) -> Option<Opening> {
    let mut table = game.table(&making.rules, None).ok()?;
    for _ in 0..making.plies {
        if table.outcome().is_some() {
            return None;
        }
        let mut moves = table.moves();
        moves.retain(|mv| making.takes.is_none_or(|takes| takes(mv)));
        if moves.is_empty() {
            return None;
        }
        table.play(&moves[random.below(moves.len())]).ok()?;
    }
    if table.outcome().is_some() { None } else { Some(Opening { start: None, moves: table.played() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_record::{Of, of};
    use tesuji_testkit::four::Four;

    /// `match --make-openings b.epd --plies 100000` walked through games without an end.
    #[test]
    fn openings_longer_than_any_game_are_refused() {
        static FOUR: Of<Four> = of(&[]);
        let check = |plies, expect: &str| {
            let making = Making { rules: String::new(), plies, takes: None, count: 3, seed: 7, balance_cp: 50 };
            let error = check_plies(&FOUR, &making, &|| false).err().map(|error| error.to_string());
            assert_eq!(error.unwrap_or_default(), expect);
        };
        check(0, "");
        check(8, "");
        // A board of 42 squares.
        check(42, "plies 42: none of 200 games of random moves lasted longer; give fewer");
        check(1000, "plies 1000: none of 200 games of random moves lasted longer; give fewer");
        check(100_000, "plies 100000: expected at most 1000 random moves of an opening");
    }
}
