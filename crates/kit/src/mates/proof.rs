//! A proof as data: every position once, with the moves that matter; as JSON, for Graphviz, or as a game with variations.

use super::line_text;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow::{self, Continue};
use tesuji_game::{Game, MoveOf, Notation, Position, Side, Tactical, move_text};
use tesuji_record::{GameRecord, Step};
use tesuji_search::mate::Strategy;
use utoipa::ToSchema;

/// A proof or disproof: all that one side answers to all that the other may play.
#[derive(Debug, Clone, PartialEq)]
pub struct Proof {
    /// The positions, the root first, each once.
    pub nodes: Vec<ProofNode>,
    /// It proves a mate; otherwise that there is none.
    pub is_mate: bool,
    /// The attacking side.
    pub attacker: Side,
    /// A line of the mate.
    pub line: Vec<String>,
}

/// A position of a proof.
#[derive(Debug, Clone, PartialEq)]
pub struct ProofNode {
    /// In the game's notation.
    pub position: String,
    /// Whether the attacker moves.
    pub is_attackers: bool,
    /// The moves that matter and the nodes that they lead to.
    pub moves: Vec<(String, usize)>,
}

/// A proof as files hold it: every position once, with the moves that matter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Proof)]
pub struct ProofFile {
    /// The claim that is proved.
    pub claim: Claim,
    /// The side that mates or does not.
    pub attacker: Attacker,
    /// The positions, the root first.
    pub nodes: Vec<ProofFileNode>,
}

/// The claim of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Claim {
    /// There is a mate.
    Mate,
    /// There is none.
    NoMate,
}

/// The attacking side of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Attacker {
    /// The side that begins the game.
    First,
    /// The other.
    Second,
}

/// A position of a [`ProofFile`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ProofNode)]
pub struct ProofFileNode {
    /// Its index.
    pub id: usize,
    /// In the game's notation.
    pub position: String,
    /// Whether the attacker moves.
    pub attacker_moves: bool,
    /// The moves that matter.
    pub moves: Vec<ProofMove>,
}

/// A move of a [`ProofFile`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProofMove {
    /// In the protocol's notation.
    #[serde(rename = "move")]
    pub mv: String,
    /// The index of the position that it leads to.
    pub to: usize,
}

impl Proof {
    /// The proof that `strategy` gives from `pos` on.
    pub(super) fn of<G>(pos: &G::Position, strategy: &Strategy<G::Position>) -> Proof
    where
        G: Game,
        G::Position: Tactical,
    {
        let line = if strategy.is_mate() { line_text::<G>(pos, &strategy.line(pos)) } else { Vec::new() };
        let (is_mate, attacker) = (strategy.is_mate(), strategy.attacker());
        Proof { nodes: collect::<G>(pos, strategy), is_mate, attacker, line }
    }

    /// As JSON: a [`ProofFile`] in a line.
    pub fn json(&self) -> String {
        let moves =
            |node: &ProofNode| node.moves.iter().map(|(mv, to)| ProofMove { mv: mv.clone(), to: *to }).collect();
        let node = |(id, node): (usize, &ProofNode)| {
            let (position, attacker_moves) = (node.position.clone(), node.is_attackers);
            ProofFileNode { id, position, attacker_moves, moves: moves(node) }
        };
        let claim = if self.is_mate { Claim::Mate } else { Claim::NoMate };
        let attacker = match self.attacker {
            Side::First => Attacker::First,
            Side::Second => Attacker::Second,
        };
        let nodes = self.nodes.iter().enumerate().map(node).collect();
        // Through a value, which sorts the keys: files of all versions are alike.
        let value = serde_json::to_value(ProofFile { claim, attacker, nodes });
        format!("{}\n", value.unwrap_or_default())
    }

    /// For Graphviz: boxes are positions where the attacker moves.
    pub fn graphviz(&self) -> String {
        let mut text = "digraph proof {\n  node [fontname=\"monospace\"];\n".to_string();
        for (id, node) in self.nodes.iter().enumerate() {
            let shape = if node.is_attackers { "box" } else { "ellipse" };
            let _ = writeln!(text, "  n{id} [shape={shape}, label={:?}];", node.position);
            for (mv, to) in &node.moves {
                let _ = writeln!(text, "  n{id} -> n{to} [label={mv:?}];");
            }
        }
        text + "}\n"
    }

    /// As a game: the line is its main line, all else variations. A position goes on in the first place where it stands.
    pub fn game(&self) -> GameRecord<String> {
        let start = self.nodes.first().map(|node| node.position.clone());
        let mut game = GameRecord { start, ..GameRecord::new() };
        let mut done = HashSet::from([0]);
        // Position, its step in the game, and how far along the main line it stands.
        let mut waiting = vec![(0, 0, Some(0))];
        while let Some((id, step, along)) = waiting.pop() {
            let next = along.and_then(|along: usize| self.line.get(along));
            let mut moves: Vec<&(String, usize)> = self.nodes[id].moves.iter().collect();
            moves.sort_by_key(|(mv, _)| next != Some(mv));
            let mut below = Vec::new();
            for (mv, to) in moves {
                let child = game.push(step, Step::Move(mv.clone()));
                let along = along.filter(|_| next == Some(mv)).map(|along| along + 1);
                if done.insert(*to) {
                    below.push((*to, child, along));
                } else if !self.nodes[*to].moves.is_empty() {
                    game.note_mut(child).comment = "goes on as where this position stands elsewhere".to_string();
                }
            }
            waiting.extend(below.into_iter().rev());
        }
        game
    }
}

/// All positions that the strategy must answer, the root first, each once.
fn collect<G>(pos: &G::Position, strategy: &Strategy<G::Position>) -> Vec<ProofNode>
where
    G: Game,
    G::Position: Tactical,
{
    let mut places: HashMap<u64, usize> = HashMap::from([(pos.key().0, 0)]);
    let mut waiting = vec![pos.clone()];
    let mut nodes: Vec<ProofNode> = Vec::new();
    let mut at = 0;
    while at < waiting.len() {
        let here = waiting[at].clone();
        at += 1;
        let mut moves = Vec::new();
        for mv in moves_that_matter::<G>(&here, strategy) {
            let mut next = here.clone();
            next.play(mv);
            let fresh = waiting.len();
            let place = *places.entry(next.key().0).or_insert(fresh);
            if place == fresh {
                waiting.push(next);
            }
            moves.push((move_text::<G>(&here, mv), place));
        }
        let mut position = String::new();
        let _ = G::Notation::write_position(&here, &mut position);
        let is_attackers = here.side_to_move() == strategy.attacker();
        nodes.push(ProofNode { position, is_attackers, moves });
    }
    nodes
}

/// The moves that belong to a proof: of its own side the one that the strategy gives, of the other all answers, or all checks.
pub(super) fn moves_that_matter<G>(here: &G::Position, strategy: &Strategy<G::Position>) -> Vec<MoveOf<G>>
where
    G: Game,
    G::Position: Tactical,
{
    let is_attackers = here.side_to_move() == strategy.attacker();
    let is_own = is_attackers == strategy.is_mate();
    let given = strategy.mv(here);
    let mut moves = Vec::new();
    let _: ControlFlow<()> = here.for_each_move(|mv| {
        if if is_own { given == Some(mv) } else { !is_attackers || here.gives_check(mv) } {
            moves.push(mv);
        }
        Continue(())
    });
    moves
}
