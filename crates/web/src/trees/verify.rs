//! A check of a session's tree: legal moves, ranges of values, effort of children, minimax values.

use super::{path_to, saved, snapshot_of};
use crate::{App, Problem, grove::Snapshot, sessions::Session};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Faults of one check that are reported.
const FAULTS_MAX: usize = 20;

/// The result of a check of a tree.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Verdict {
    /// The snapshot that was checked.
    seq: u64,
    /// Nodes checked.
    nodes: usize,
    /// The checks, and how many nodes failed each.
    checks: Vec<Check>,
    /// The first nodes that failed, in words.
    faults: Vec<String>,
}

/// A property of a tree.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Property {
    /// Its moves can be played.
    Moves,
    /// Values are in their range.
    Values,
    /// Children spent no more than their parent.
    Effort,
    /// Values of best-first search are those of the best child.
    Minimax,
    /// No move stands twice below a node.
    Once,
}

/// One thing that was checked.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Check {
    /// The check.
    name: Property,
    /// Nodes that failed.
    failed: usize,
}

/// Checks the tree: its moves can be played, values are in their range, children spent no more than their parent, values of
/// best-first search are those of the best child.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/verify", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Verdict), (status = 404, body = Problem)))]
pub(crate) async fn verify(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<Verdict>, Problem> {
    let session = app.sessions.find(id)?;
    let snapshot = snapshot_of(&session, None).await?;
    let checked = tokio::task::spawn_blocking(move || check(&session, &snapshot)).await;
    checked.map(Json).map_err(|error| Problem::internal(format!("the check broke: {error}")))
}

fn check(session: &Session, snapshot: &Snapshot) -> Verdict {
    let nodes = &snapshot.tree.nodes;
    let below = snapshot.children();
    let mut faults = Vec::new();
    let mut checks = Vec::new();
    let mut tell = |name: Property, failed: Vec<String>| {
        checks.push(Check { name, failed: failed.len() });
        let room = FAULTS_MAX.saturating_sub(faults.len());
        faults.extend(failed.into_iter().take(room));
    };
    let named = |at: usize| format!("{} {}", snapshot.ids[at], path_to(nodes, at).join(" "));
    tell(
        Property::Moves,
        saved(session, snapshot).check(session.kit).err().map(|error| error.to_string()).into_iter().collect(),
    );
    let wild = |at: &usize| !(-1.0..=1.0).contains(&nodes[*at].value) || !(0.0..=1.001).contains(&nodes[*at].prior);
    tell(Property::Values, (0..nodes.len()).filter(wild).map(|at| format!("value of {}", named(at))).collect());
    let spent = |at: &usize| {
        // A search that runs counts the leaf before its ancestors; nodes with several parents count for each.
        let sum: u64 = below[*at].iter().map(|&id| nodes[id as usize].effort).sum();
        !snapshot.thinking && sum > nodes[*at].effort
    };
    tell(Property::Effort, (0..nodes.len()).filter(spent).map(|at| format!("effort of {}", named(at))).collect());
    let is_best_first = session.family == "best-first";
    let off = |at: &usize| {
        let best = below[*at].iter().map(|&id| nodes[id as usize].value).fold(f32::NEG_INFINITY, f32::max);
        let whole = below[*at].len() == nodes[*at].children as usize && !below[*at].is_empty();
        is_best_first && !snapshot.thinking && whole && (best + nodes[*at].value).abs() > 0.02
    };
    tell(Property::Minimax, (0..nodes.len()).filter(off).map(|at| format!("value of {}", named(at))).collect());
    let twice = |at: &usize| {
        let mut moves: Vec<&str> = below[*at].iter().map(|&id| nodes[id as usize].mv.as_str()).collect();
        moves.sort_unstable();
        session.family != "alpha-beta" && moves.windows(2).any(|pair| pair[0] == pair[1])
    };
    tell(
        Property::Once,
        (0..nodes.len()).filter(twice).map(|at| format!("a move twice below {}", named(at))).collect(),
    );
    Verdict { seq: snapshot.seq, nodes: nodes.len(), checks, faults }
}
