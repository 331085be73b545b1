//! Trees on the wire: a head of 16 bytes and 32 for each node, little-endian, parents before their children.

use crate::{grove::Snapshot, signs::Signs};
use std::collections::HashMap;

/// The version of the format.
const VERSION: u8 = 1;

/// The kind of a websocket frame's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Every node.
    Key = 1,
    /// Nodes that are new or changed.
    Delta = 2,
    /// Numbers of nodes that are gone.
    Remove = 3,
}

fn head(kind: Kind, snapshot: &Snapshot, count: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + 32 * count);
    out.extend([VERSION, kind as u8]);
    out.extend(0u16.to_le_bytes());
    out.extend((snapshot.seq as u32).to_le_bytes());
    out.extend((count as u32).to_le_bytes());
    out.extend((snapshot.nodes as u32).to_le_bytes());
    out
}

/// Numbers of the groups of nodes whose positions are the same, by key, from 1; positions that come once are in none.
fn groups(snapshot: &Snapshot) -> HashMap<u64, u16> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    for node in snapshot.tree.nodes.iter().filter(|node| node.key != 0) {
        *counts.entry(node.key).or_default() += 1;
    }
    let mut groups = HashMap::new();
    for node in snapshot.tree.nodes.iter().filter(|node| counts.get(&node.key).is_some_and(|&n| n > 1)) {
        let next = groups.len() as u32 + 1;
        if next <= u32::from(u16::MAX) {
            groups.entry(node.key).or_insert(next as u16);
        }
    }
    groups
}

/// The record of each node, in the snapshot's order, made once.
pub(crate) fn records(snapshot: &Snapshot) -> &[[u8; 32]] {
    snapshot.records.get_or_init(|| make_records(snapshot))
}

fn make_records(snapshot: &Snapshot) -> Vec<[u8; 32]> {
    let groups = groups(snapshot);
    let nodes = &snapshot.tree.nodes;
    let mut plies = vec![0u8; nodes.len()];
    let mut records = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let parent = node.parent.map_or(0, |parent| parent as usize);
        plies[at] = if at == 0 { 0 } else { plies[parent].saturating_add(1) };
        let signs = Signs::of(node.note);
        // For the side to move at the root: who moved into a node at an even ply is the other one.
        let value = if plies[at] % 2 == 1 { node.value } else { -node.value };
        let group = u32::from(groups.get(&node.key).copied().unwrap_or(0));
        let extra = u32::from(signs.reason) | node.children.min(1023) << 6 | group << 16;
        let mut record = [0; 32];
        record[0..4].copy_from_slice(&snapshot.ids[at].to_le_bytes());
        record[4..8].copy_from_slice(&snapshot.ids[parent].to_le_bytes());
        record[8..10].copy_from_slice(&snapshot.codes[at].to_le_bytes());
        record[10] = plies[at];
        record[11] = signs.flags;
        record[12..16].copy_from_slice(&value.to_le_bytes());
        record[16..20].copy_from_slice(&(node.effort as f32).to_le_bytes());
        record[20..24].copy_from_slice(&node.prior.to_le_bytes());
        record[24..28].copy_from_slice(&signs.aux.to_le_bytes());
        record[28..32].copy_from_slice(&extra.to_le_bytes());
        records.push(record);
    }
    records
}

/// All of a snapshot.
pub(crate) fn key(snapshot: &Snapshot) -> Vec<u8> {
    let records = records(snapshot);
    let mut out = head(Kind::Key, snapshot, records.len());
    records.iter().for_each(|record| out.extend(record));
    out
}

/// The difference between two snapshots of a search: nodes that are gone, then those that are new or differ.
pub(crate) fn delta(before: &Snapshot, now: &Snapshot) -> [Vec<u8>; 2] {
    let id_of = |record: &[u8; 32]| [record[0], record[1], record[2], record[3]];
    let old: HashMap<[u8; 4], &[u8; 32]> = records(before).iter().map(|record| (id_of(record), record)).collect();
    let changed: Vec<&[u8; 32]> =
        records(now).iter().filter(|record| old.get(&id_of(record)) != Some(record)).collect();
    let kept: std::collections::HashSet<u32> = now.ids.iter().copied().collect();
    let gone: Vec<u32> = before.ids.iter().copied().filter(|id| !kept.contains(id)).collect();
    let mut removed = head(Kind::Remove, now, gone.len());
    gone.iter().for_each(|id| removed.extend(id.to_le_bytes()));
    let mut written = head(Kind::Delta, now, changed.len());
    changed.iter().for_each(|record| written.extend(*record));
    [removed, written]
}
