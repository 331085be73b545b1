//! A proof as a file: every position once, with the moves that matter, as JSON or for Graphviz.

use super::{move_text, side_word};
use anyhow::bail;
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;
use tesuji_game::{Game, Notation, Position, Tactical};
use tesuji_jobs::AtomicFile;
use tesuji_search::mate::Strategy;

/// A position of a proof and where its moves lead.
struct Node {
    position: String,
    is_attackers: bool,
    moves: Vec<(String, usize)>,
}

/// Writes the proof that `strategy` gives from `pos` on.
///
/// # Errors
/// When the name's ending says no known form, or nothing can be written.
pub(super) fn write<G>(path: &Path, pos: &G::Position, strategy: &Strategy<G::Position>) -> anyhow::Result<()>
where
    G: Game,
    G::Position: Tactical,
{
    let nodes = collect::<G>(pos, strategy);
    let text = match path.extension().and_then(|e| e.to_str()) {
        Some("json") => json_text(&nodes, strategy.is_mate(), side_word(strategy.attacker())),
        Some("dot" | "gv") => dot_text(&nodes),
        _ => bail!("{}: a proof is written as .json or .dot", path.display()),
    };
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    Ok(file.commit()?)
}

/// All positions that the strategy must answer, the root first, each once.
fn collect<G>(pos: &G::Position, strategy: &Strategy<G::Position>) -> Vec<Node>
where
    G: Game,
    G::Position: Tactical,
{
    let mut places: HashMap<u64, usize> = HashMap::from([(pos.key().0, 0)]);
    let mut waiting = vec![pos.clone()];
    let mut nodes: Vec<Node> = Vec::new();
    let mut at = 0;
    while at < waiting.len() {
        let here = waiting[at].clone();
        at += 1;
        let is_attackers = here.side_to_move() == strategy.attacker();
        let given = strategy.mv(&here);
        let mut moves = Vec::new();
        let _: ControlFlow<()> = here.for_each_move(|mv| {
            // Of its own side the strategy gives one move, of the other all that matter: answers, or checks.
            let is_own = is_attackers == strategy.is_mate();
            let matters = if is_own { given == Some(mv) } else { !is_attackers || here.gives_check(mv) };
            if matters {
                let mut next = here.clone();
                next.play(mv);
                let fresh = waiting.len();
                let place = *places.entry(next.key().0).or_insert(fresh);
                if place == fresh {
                    waiting.push(next);
                }
                moves.push((move_text::<G>(&here, mv), place));
            }
            Continue(())
        });
        let mut position = String::new();
        let _ = G::Notation::write_position(&here, &mut position);
        nodes.push(Node { position, is_attackers, moves });
    }
    nodes
}

fn json_text(nodes: &[Node], is_mate: bool, attacker: &str) -> String {
    let nodes: Vec<_> = nodes
        .iter()
        .enumerate()
        .map(|(id, node)| {
            let moves: Vec<_> = node.moves.iter().map(|(mv, to)| json!({ "move": mv, "to": to })).collect();
            json!({ "id": id, "position": node.position, "attacker_moves": node.is_attackers, "moves": moves })
        })
        .collect();
    let claim = if is_mate { "mate" } else { "nomate" };
    format!("{}\n", json!({ "claim": claim, "attacker": attacker, "nodes": nodes }))
}

fn dot_text(nodes: &[Node]) -> String {
    let mut text = "digraph proof {\n  node [fontname=\"monospace\"];\n".to_string();
    for (id, node) in nodes.iter().enumerate() {
        let shape = if node.is_attackers { "box" } else { "ellipse" };
        let _ = writeln!(text, "  n{id} [shape={shape}, label={:?}];", node.position);
        for (mv, to) in &node.moves {
            let _ = writeln!(text, "  n{id} -> n{to} [label={mv:?}];");
        }
    }
    text + "}\n"
}
