//! A problem that is solved before others' eyes: the tree is shown while it grows, whoever holds the leash.
//!
//! Keys: `nodes`, `seconds`, `side` (who moves at the root: 0 or 1), `over`, `tree`: nodes with `parent` (an index, null at the
//! root), `move`, `pn`, `dn`, `plies` or null, `work`, `moves`.

use super::move_text;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tesuji_game::{Game, Mating, Position, Side};
use tesuji_search::mate::{Answer, GrownNode, MateLimits, MateSearch};

/// Between two pictures.
const EVERY: Duration = Duration::from_millis(250);
/// Nodes of a picture.
const NODES_MAX: usize = 800;

/// Solves a problem in slices, with a picture after each.
pub(super) fn solve<G: Game>(
    search: &mut MateSearch<G::Position>,
    pos: &G::Position,
    attacker: Side,
    limits: MateLimits,
    stop: &mut dyn FnMut(u64) -> bool,
) -> Answer
where
    G::Position: Mating,
{
    let began = Instant::now();
    let mut is_first = true;
    loop {
        let slice = Instant::now();
        let mut has_ended = false;
        let mut pause = |nodes| {
            has_ended = stop(nodes);
            has_ended || slice.elapsed() >= EVERY
        };
        let answer = match is_first {
            true => search.solve(pos, attacker, limits, &mut pause),
            false => search.go_on(pos, limits, &mut pause),
        };
        is_first = false;
        let is_over = answer != Answer::Unknown || has_ended || limits.nodes.is_some_and(|max| search.nodes() >= max);
        let tree = search.grown(pos, limits, NODES_MAX);
        let seconds = began.elapsed().as_secs_f64();
        let side = u8::from(pos.side_to_move() == Side::Second);
        let shown = json!({ "nodes": search.nodes(), "seconds": seconds, "side": side, "over": is_over,
            "tree": told::<G>(pos, &tree) });
        // Who watches misses a picture; the answer is worth more.
        let _ = tesuji_jobs::leash::show(&shown.to_string());
        if is_over {
            return answer;
        }
    }
}

/// Nodes as the page reads them.
fn told<G: Game>(pos: &G::Position, tree: &[GrownNode<<G::Position as Position>::Move>]) -> Vec<Value> {
    let mut places: Vec<G::Position> = Vec::with_capacity(tree.len());
    let mut list = Vec::with_capacity(tree.len());
    for node in tree {
        let above = node.parent.map(|parent| places[parent as usize].clone());
        let text = match (&above, node.mv) {
            (Some(above), Some(mv)) => move_text::<G>(above, mv),
            _ => String::new(),
        };
        let mut here = above.unwrap_or_else(|| pos.clone());
        if let Some(mv) = node.mv {
            here.play(mv);
        }
        places.push(here);
        list.push(json!({ "parent": node.parent, "move": text, "pn": node.pn, "dn": node.dn, "plies": node.plies,
            "work": node.work, "moves": node.moves }));
    }
    list
}
