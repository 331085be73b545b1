//! Games of go to learn moves from: read from any file, sifted, each once whatever way it is turned, parted into two sets by itself.

use anyhow::{Context, bail};
use std::{collections::HashSet, path::PathBuf};
use tesuji_dataset::is_held_out;
use tesuji_game::{Position, Random};
use tesuji_go::{Area, GoPosition, Medium, Move, Rules, Symmetry};
use tesuji_jobs::Progress;
use tesuji_kit::{SkipErrors, open_records};
use tesuji_record::{GameRecord, RecordReader, Step, fingerprint};

/// Fewer plies are no game.
const PLIES_MIN: usize = 20;
/// Games that agree so far, turned in some way, are the same.
const ALIKE_PLIES: usize = 60;

/// One game: its rules and its moves, all legal.
pub(super) struct Played {
    pub(super) rules: Rules,
    pub moves: Vec<Move>,
    /// The number of moves drawn at random instead of chosen: the opening of a game of self-play.
    pub drawn: usize,
    /// A number of its own, the same in every run.
    pub key: u64,
}

/// Counts of the games that were left out, by reason.
#[derive(Default)]
pub(super) struct Dropped {
    pub short: u64,
    pub set_up: u64,
    pub weak: u64,
    pub twice: u64,
}

/// Games for learning, and games to judge by what was learned.
pub(super) struct Collection {
    pub train: Vec<Played>,
    pub held_out: Vec<Played>,
    pub dropped: Dropped,
}

/// Reads `files`, folders and archives. Games of players below `rank_min` are left out where ranks are known; `share` of the games are
/// held out. Broken games are left out with `skip`.
pub(super) fn collect(
    files: &[PathBuf],
    rank_min: Option<i32>,
    (share, seed): (f64, u64),
    skip: SkipErrors,
    progress: &Progress,
) -> anyhow::Result<Collection> {
    let kit = &super::GO;
    let mut all = Collection { train: Vec::new(), held_out: Vec::new(), dropped: Dropped::default() };
    let (mut seen, mut all_read) = (HashSet::new(), 0);
    let mut take = |name: &str, mut records: Box<dyn RecordReader>| -> anyhow::Result<()> {
        let mut read = 0;
        loop {
            let Some(record) = skip.leave_out(records.read().with_context(|| name.to_string()))? else { continue };
            let Some(record) = record else { break };
            (read, all_read) = (read + 1, all_read + 1);
            progress.set(all_read);
            if rank_min.is_some_and(|least| is_weak(&record, least)) {
                all.dropped.weak += 1;
                continue;
            }
            let game = played(&record).with_context(|| format!("{name}, game {read}"));
            let Some(game) = skip.leave_out(game)? else { continue };
            let Some(game) = game else {
                all.dropped.set_up += 1;
                continue;
            };
            if game.moves.len() < PLIES_MIN {
                all.dropped.short += 1;
            } else if !seen.insert(game.key) {
                all.dropped.twice += 1;
            } else if is_held_out(fingerprint(&record), seed, share) {
                all.held_out.push(game);
            } else {
                all.train.push(game);
            }
        }
        Ok(())
    };
    for path in files {
        take(&path.display().to_string(), open_records(kit, path)?)?;
    }
    Ok(all)
}

/// The moves of a game that begins with an empty board; `None` for others.
fn played(record: &GameRecord<String>) -> anyhow::Result<Option<Played>> {
    let rules: Rules = record.rules.parse()?;
    if record.start.is_some() || rules.handicap > 0 {
        return Ok(None);
    }
    if !Medium::holds(rules.size) {
        bail!("a board of {}: patterns are learned on boards of up to {} lines", rules.size, Medium::LINES);
    }
    let mut pos = GoPosition::<Medium>::start(&rules)?;
    let mut moves = Vec::with_capacity(record.nodes.len());
    for (i, node) in record.main_nodes().into_iter().enumerate() {
        let Step::Move(text) = &record.nodes[node as usize].step else { return Ok(None) };
        let mv = Move::parse(text, rules.size).ok().filter(|mv| pos.unpack(mv.bits()).is_some());
        let mv = mv.with_context(|| format!("move {}: {text} is not legal", i + 1))?;
        pos.play(mv);
        moves.push(mv);
    }
    let key = key(&rules, &moves);
    let unvalued = record.main_nodes().iter().take_while(|&&node| record.note(node).value.is_none()).count();
    let drawn = if unvalued < moves.len() { unvalued } else { 0 };
    Ok(Some(Played { rules, moves, drawn, key }))
}

/// A key that is equal for games whose beginnings are equal up to a rotation or reflection of the board.
fn key(rules: &Rules, moves: &[Move]) -> u64 {
    let of = |symmetry: &Symmetry| {
        let turned = moves.iter().take(ALIKE_PLIES).map(|&mv| symmetry.apply_move(mv, rules.size).bits());
        turned.fold(moves.len().min(ALIKE_PLIES) as u64, |key, mv| Random::for_item(key, u64::from(mv)).next_u64())
    };
    Symmetry::of(rules.size).iter().map(of).min().unwrap_or_default()
}

/// Whether a player is known to be weaker than `least`.
pub(super) fn is_weak(record: &GameRecord<String>, least: i32) -> bool {
    let rank = |names: [&str; 2]| names.iter().find_map(|name| record.tag(name)).and_then(|text| read_rank(text).ok());
    [rank(["BlackRank", "BR"]), rank(["WhiteRank", "WR"])].into_iter().flatten().any(|rank| rank < least)
}

/// Reads a rank: `3k`, `6d`, `9p`, as steps from 1d as 0; professionals stand above all others.
pub(super) fn read_rank(text: &str) -> Result<i32, String> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let number: i32 = text[..digits].parse().unwrap_or(0);
    match (number, text[digits..].trim().chars().next()) {
        (1..=30, Some('k')) => Ok(-number),
        (1..=10, Some('d')) => Ok(number - 1),
        (1..=10, Some('p')) => Ok(number + 99),
        _ => Err(format!("{text:?}: expected a rank such as 5k, 6d or 9p")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_in_order() {
        let ranks: Vec<i32> = ["12k", "1K", "1d", "6d?", "9 dan", "1p", "9p"].map(|r| read_rank(r).unwrap()).to_vec();
        assert!(ranks.windows(2).all(|pair| pair[0] < pair[1]), "{ranks:?}");
        for wrong in ["", "d", "0d", "6", "31k", "black"] {
            assert!(read_rank(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_game_is_the_same_in_every_turn() {
        let rules: Rules = "19x19 chinese".parse().unwrap();
        let moves =
            |words: &[&str]| -> Vec<Move> { words.iter().map(|w| Move::parse(w, rules.size).unwrap()).collect() };
        let one = key(&rules, &moves(&["Q16", "D4", "C16"]));
        assert_eq!(one, key(&rules, &moves(&["D16", "Q4", "R16"])));
        assert_eq!(one, key(&rules, &moves(&["Q16", "D4", "Q3"])), "mirrored along the long diagonal");
        assert_ne!(one, key(&rules, &moves(&["Q16", "D4", "D16"])));
        assert_ne!(one, key(&rules, &moves(&["Q16", "D4", "C16", "pass"])));
    }
}
