//! A proof as a file: every position once, with the moves that matter, as JSON, for Graphviz, or as a game with variations.

use super::{move_text, side_word};
use crate::games;
use anyhow::{Context, bail};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Continue};
use std::path::Path;
use tesuji_game::{Game, Notation, Position, Tactical};
use tesuji_jobs::AtomicFile;
use tesuji_record::{GameRecord, RecordFormat, SharedBuffer, Step};
use tesuji_search::mate::Strategy;

/// A position of a proof and where its moves lead.
struct Node {
    position: String,
    is_attackers: bool,
    moves: Vec<(String, usize)>,
}

/// How a proof is written.
#[derive(Clone, Copy)]
enum Form {
    Json,
    Graphviz,
    /// As a game with variations.
    Game(&'static dyn RecordFormat),
}

impl Form {
    /// What the name's ending says.
    fn of(game: &str, path: &Path) -> anyhow::Result<Form> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending {
            "json" => Ok(Form::Json),
            "dot" | "gv" => Ok(Form::Graphviz),
            "kif" | "ki2" | "pgn" => {
                let kit = games::kit(game)?;
                let format = kit.formats().iter().find(|format| format.extensions().contains(&ending));
                let format =
                    format.with_context(|| format!("{}: {game} has no games that end in .{ending}", path.display()))?;
                Ok(Form::Game(*format))
            }
            _ => bail!("{}: a proof is written as .json, .dot, .kif (shogi) or .pgn (chess)", path.display()),
        }
    }
}

/// Whether a proof can be written under this name, before anything is searched.
///
/// # Errors
/// When the name's ending says no known form.
pub(super) fn expect_form(game: &str, path: &Path) -> anyhow::Result<()> {
    Form::of(game, path).map(drop)
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
    let form = Form::of(G::NAME, path)?;
    let nodes = collect::<G>(pos, strategy);
    let text = match form {
        Form::Json => json_text(&nodes, strategy.is_mate(), side_word(strategy.attacker())),
        Form::Graphviz => dot_text(&nodes),
        Form::Game(format) => {
            let line = if strategy.is_mate() { strategy.line(pos) } else { Vec::new() };
            let game = variations(&nodes, &line_text::<G>(pos, &line));
            return write_game(format, path, &game);
        }
    };
    Ok(AtomicFile::write(path, text.as_bytes())?)
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

/// The moves of a line as text.
fn line_text<G: Game>(pos: &G::Position, line: &[<G::Position as Position>::Move]) -> Vec<String> {
    let mut here = pos.clone();
    let mut texts = Vec::new();
    for &mv in line {
        texts.push(move_text::<G>(&here, mv));
        here.play(mv);
    }
    texts
}

/// The proof as a game: `line` is its main line, all else variations. A position goes on in the first place where it stands.
fn variations(nodes: &[Node], line: &[String]) -> GameRecord<String> {
    let start = nodes.first().map(|node| node.position.clone());
    let mut game = GameRecord { start, ..GameRecord::new() };
    let mut done = HashSet::from([0]);
    // Position, its step in the game, and how far along the main line it stands.
    let mut waiting = vec![(0, 0, Some(0))];
    while let Some((id, step, along)) = waiting.pop() {
        let next = along.and_then(|along: usize| line.get(along));
        let mut moves: Vec<&(String, usize)> = nodes[id].moves.iter().collect();
        moves.sort_by_key(|(mv, _)| next != Some(mv));
        let mut below = Vec::new();
        for (mv, to) in moves {
            let child = game.push(step, Step::Move(mv.clone()));
            let along = along.filter(|_| next == Some(mv)).map(|along| along + 1);
            if done.insert(*to) {
                below.push((*to, child, along));
            } else if !nodes[*to].moves.is_empty() {
                game.note_mut(child).comment = "goes on as where this position stands elsewhere".to_string();
            }
        }
        waiting.extend(below.into_iter().rev());
    }
    game
}

fn write_game(format: &dyn RecordFormat, path: &Path, record: &GameRecord<String>) -> anyhow::Result<()> {
    let text = SharedBuffer::default();
    let mut writer = format.writer(Box::new(text.clone()));
    writer.write(record)?;
    writer.finish()?;
    AtomicFile::write(path, &text.take()).with_context(|| path.display().to_string())
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
