//! Playouts and the oracle, seen from outside.

mod batched;
mod blended;
mod katago;
mod learning;
mod oracle;
mod planes;
mod playouts;
mod problems;
mod speed;
mod transpositions;

use tesuji_go::{GoPosition, Small, Vertex};

/// A 5x5 position from rows, the highest first: `X` black, `O` white.
fn position(rules: &str, rows: &[&str], to_move: tesuji_game::Side) -> GoPosition<Small> {
    let stones = rows.iter().rev().enumerate().flat_map(|(y, row)| {
        let stone = move |(x, b): (usize, u8)| match b {
            b'X' => Some((Vertex::new(x, y).unwrap(), tesuji_go::BLACK)),
            b'O' => Some((Vertex::new(x, y).unwrap(), tesuji_go::WHITE)),
            _ => None,
        };
        row.bytes().enumerate().filter_map(stone)
    });
    GoPosition::with_stones(&rules.parse().unwrap(), stones, to_move).unwrap()
}
