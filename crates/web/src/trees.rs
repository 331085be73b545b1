//! The search tree of a session over HTTP: as JSON for scripts, kept moments, files; live through a socket in [`live`], and a check in [`verify`].

pub(crate) mod live;
pub(crate) mod verify;

use crate::{
    App, Problem,
    body::Body,
    frames,
    grove::{Change, Course, Moment, Snapshot},
    places::{GamePosition, table_at},
    sessions::{self, NewSession, Session, SessionView},
    signs::NoteView,
};
use axum::{
    Json,
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{collections::BTreeMap, sync::Arc, time::Duration};
use tesuji_engine::{SavedTree, TreeNode};
use utoipa::{IntoParams, ToSchema};

/// Nodes of a file that is opened.
const OPENED_MAX: usize = 600_000;
/// Nodes of one JSON answer.
const ROWS_MAX: usize = 20_000;
/// Moves put into words at once.
const WORDS_MAX: usize = 1_000;

/// Which part of a tree is wanted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Part {
    /// The moves from the root, joined by dots.
    path: String,
    /// Plies below that node.
    depth: u32,
    /// The least share of the tree's effort, in 0..=1.
    min_effort: f64,
    /// `effort`, `value`, `prior` or `order`.
    sort: String,
    /// Nodes at most.
    limit: usize,
    /// `rows`, `columns` or `bin` (all of the tree as the socket sends it).
    format: String,
    /// A kept snapshot; none: the newest.
    t: Option<u64>,
}

impl Default for Part {
    fn default() -> Part {
        let (path, sort, format) = (String::new(), "effort".to_string(), "rows".to_string());
        Part { path, depth: 1, min_effort: 0.0, sort, limit: 200, format, t: None }
    }
}

/// One node.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = TreeRow)]
pub(crate) struct NodeView {
    /// Its number, the same in all snapshots of a search.
    id: u32,
    /// The number of the node above.
    parent: Option<u32>,
    /// The move that leads to it; empty at the root and for a pass of the search.
    #[serde(rename = "move")]
    code: String,
    /// Plies below the root.
    ply: u32,
    /// Expected result for the side that moves at the root, in -1..=1.
    value: f32,
    /// Nodes or visits below.
    effort: u64,
    /// The policy's share.
    prior: f32,
    /// Children in the search's own tree.
    children: u32,
    /// Further notes of the search.
    note: Option<NoteView>,
    /// The key of the position, in hexadecimal.
    key: String,
}

/// The state of a search.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct TreeHead {
    /// The number of the snapshot.
    seq: u64,
    /// The number of the search in its session.
    search: u64,
    /// Nodes or playouts.
    nodes: u64,
    /// Milliseconds.
    time: u64,
    /// Whether it still runs.
    thinking: bool,
    /// Its search family.
    family: String,
    /// Who searches: the family, or the name of an engine, whose lines the tree is made of.
    by: String,
    /// The position of the root.
    place: GamePosition,
    /// Nodes of the snapshot.
    total: usize,
}

impl TreeHead {
    fn of(session: &Session, snapshot: &Snapshot) -> TreeHead {
        TreeHead {
            seq: snapshot.seq,
            search: snapshot.search,
            nodes: snapshot.nodes,
            time: snapshot.time,
            thinking: snapshot.thinking,
            family: session.family.clone(),
            by: session.seat.name.clone(),
            place: snapshot.place.clone(),
            total: snapshot.tree.nodes.len(),
        }
    }
}

/// A tree or a part of it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct TreeRows {
    /// The position of the search.
    head: TreeHead,
    /// Nodes, parents before their children.
    nodes: Vec<NodeView>,
}

/// The snapshot that is asked for.
pub(crate) async fn snapshot_of(session: &Session, seq: Option<u64>) -> Result<Arc<Snapshot>, Problem> {
    let grove = session.thinker.grove();
    session.thinker.show_tree().await?;
    // A search that has just begun shows its tree in a moment.
    for _ in 0..10 {
        let is_due = session.thinker.states().borrow().thinking && grove.newest().tree.nodes.is_empty();
        if !is_due {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let found = grove.at(seq);
    let found = found.ok_or_else(|| {
        Problem::not_found(format!("snapshot {} is not kept", seq.unwrap_or_default()))
            .hint("/snapshots lists those that are.")
    })?;
    if found.tree.nodes.is_empty() {
        let hint = "Start a search; of alpha-beta set the option TracePlies first.";
        return Err(Problem::not_found("this session has no tree yet").hint(hint));
    }
    Ok(found)
}

/// Plies of each node below the root.
pub(crate) fn plies_of(nodes: &[TreeNode]) -> Vec<u32> {
    let mut plies = vec![0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        plies[at] = node.parent.map_or(0, |parent| plies[parent as usize] + 1);
    }
    plies
}

/// The node that the moves of `path` lead to; of several visits the one with the most effort.
pub(crate) fn descend(snapshot: &Snapshot, below: &[Vec<u32>], path: &str) -> Result<usize, Problem> {
    let mut here = 0;
    for (ply, code) in path.split('.').filter(|code| !code.is_empty()).enumerate() {
        let is_it = |&&id: &&u32| snapshot.tree.nodes[id as usize].mv == code;
        let child = below[here].iter().filter(is_it).max_by_key(|&&id| snapshot.tree.nodes[id as usize].effort);
        let missing = || Problem::not_found(format!("move {} of the path, {code:?}, is not in the tree", ply + 1));
        here = *child.ok_or_else(missing)? as usize;
    }
    Ok(here)
}

/// The tree or a part of it.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/tree", params(("id" = u64, Path, description = "its number"), Part),
    responses((status = 200, body = TreeRows), (status = "4XX", body = Problem)))]
pub(crate) async fn tree(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(part): Query<Part>,
) -> Result<Response, Problem> {
    let session = app.sessions.find(id)?;
    let snapshot = snapshot_of(&session, part.t).await?;
    if part.format == "bin" {
        let key = snapshot.key.get_or_init(|| frames::key(&snapshot)).clone();
        return Ok(([(header::CONTENT_TYPE, "application/octet-stream")], key).into_response());
    }
    let rows = rows(&snapshot, &part)?;
    let head = TreeHead::of(&session, &snapshot);
    let body = match part.format.as_str() {
        "rows" => json!(TreeRows { head, nodes: rows }),
        "columns" => {
            let column = |f: &dyn Fn(&NodeView) -> serde_json::Value| rows.iter().map(f).collect::<Vec<_>>();
            json!({ "head": head, "columns": {
                "id": column(&|n| n.id.into()), "parent": column(&|n| n.parent.into()),
                "move": column(&|n| n.code.clone().into()), "ply": column(&|n| n.ply.into()),
                "value": column(&|n| (f64::from(n.value * 1e4).round() as i64).into()),
                "effort": column(&|n| n.effort.into()),
                "prior": column(&|n| (f64::from(n.prior * 1e4).round() as i64).into()),
                "children": column(&|n| n.children.into()) } })
        }
        other => {
            let problem = Problem::unprocessable(format!("no format is called {other:?}")).at("format");
            return Err(problem.hint("There are: rows, columns, bin."));
        }
    };
    Ok(Json(body).into_response())
}

fn rows(snapshot: &Snapshot, part: &Part) -> Result<Vec<NodeView>, Problem> {
    let nodes = &snapshot.tree.nodes;
    let mut below = snapshot.children();
    let top = descend(snapshot, &below, &part.path)?;
    let plies = plies_of(nodes);
    let least = part.min_effort * nodes[0].effort as f64;
    for list in &mut below {
        list.retain(|&id| nodes[id as usize].effort as f64 >= least);
        let by = |id: &u32| &nodes[*id as usize];
        match part.sort.as_str() {
            "effort" => list.sort_by_key(|id| std::cmp::Reverse(by(id).effort)),
            "value" => list.sort_by(|a, b| by(b).value.total_cmp(&by(a).value)),
            "prior" => list.sort_by(|a, b| by(b).prior.total_cmp(&by(a).prior)),
            "order" => {}
            other => {
                let problem = Problem::unprocessable(format!("nothing sorts by {other:?}")).at("sort");
                return Err(problem.hint("There are: effort, value, prior, order."));
            }
        }
    }
    let view = |at: usize| NodeView {
        id: snapshot.ids[at],
        parent: nodes[at].parent.map(|parent| snapshot.ids[parent as usize]),
        code: nodes[at].mv.clone(),
        ply: plies[at],
        value: if plies[at] % 2 == 1 { nodes[at].value } else { -nodes[at].value },
        effort: nodes[at].effort,
        prior: nodes[at].prior,
        children: nodes[at].children,
        note: nodes[at].note.map(NoteView::of),
        key: format!("{:016x}", nodes[at].key),
    };
    let mut out = Vec::new();
    let mut todo = std::collections::VecDeque::from([(top, 0)]);
    while let Some((at, depth)) = todo.pop_front() {
        if out.len() >= part.limit.min(ROWS_MAX) {
            break;
        }
        out.push(view(at));
        if depth < part.depth {
            todo.extend(below[at].iter().map(|&id| (id as usize, depth + 1)));
        }
    }
    Ok(out)
}

/// Nodes whose moves are wanted in words.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// Their numbers, with commas between.
    ids: String,
    /// The snapshot they are in; none: the newest.
    #[serde(default)]
    t: Option<u64>,
}

/// A node in words.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NodeText {
    /// The move as people write it.
    text: String,
    /// Further notes of the search on it.
    note: Option<NoteView>,
}

/// Moves of nodes as people write them, and what the search notes of them.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/tree/words",
    params(("id" = u64, Path, description = "its number"), Wanted),
    responses((status = 200, body = BTreeMap<u32, NodeText>), (status = "4XX", body = Problem)))]
pub(crate) async fn words(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(wanted): Query<Wanted>,
) -> Result<Json<BTreeMap<u32, NodeText>>, Problem> {
    let session = app.sessions.find(id)?;
    let snapshot = snapshot_of(&session, wanted.t).await?;
    let ids: Vec<u32> = wanted.ids.split(',').filter_map(|id| id.trim().parse().ok()).take(WORDS_MAX).collect();
    let mut at_of = std::collections::HashMap::new();
    for (at, id) in snapshot.ids.iter().enumerate() {
        at_of.insert(*id, at);
    }
    let mut out = BTreeMap::new();
    for id in ids {
        let Some(&at) = at_of.get(&id) else { continue };
        let known = session.thinker.grove().history().node_text.get(&id).cloned();
        let text = match known {
            Some(text) => text,
            None => {
                let text = node_text(&session, &snapshot, at);
                session.thinker.grove().history().node_text.insert(id, text.clone());
                text
            }
        };
        out.insert(id, NodeText { text, note: snapshot.tree.nodes[at].note.map(NoteView::of) });
    }
    Ok(Json(out))
}

/// The moves from the root to node `at`.
pub(crate) fn path_to(nodes: &[TreeNode], mut at: usize) -> Vec<String> {
    let mut path = Vec::new();
    while let Some(parent) = nodes[at].parent {
        path.push(nodes[at].mv.clone());
        at = parent as usize;
    }
    path.reverse();
    path
}

/// The move to node `at` in words; its code where it cannot be played.
fn node_text(session: &Session, snapshot: &Snapshot, at: usize) -> String {
    let mut path = path_to(&snapshot.tree.nodes, at);
    let Some(code) = path.pop().filter(|code| !code.is_empty()) else { return String::new() };
    let moves = snapshot.place.moves.iter().cloned().chain(path).collect();
    let place = GamePosition { moves, ..snapshot.place.clone() };
    table_at(session.kit, &place).ok().and_then(|table| table.format_move(&code).ok()).unwrap_or(code)
}

/// The course of a search.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Course)]
pub(crate) struct Kept {
    /// The candidates from moment to moment.
    moments: Vec<Moment>,
    /// When another move became the best one.
    changes: Vec<Change>,
}

/// The course of a session's search: moments, of which some can be seen again, and when the best move changed.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/snapshots", params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Kept), (status = 404, body = Problem)))]
pub(crate) async fn snapshots(State(app): State<Arc<App>>, Path(id): Path<u64>) -> Result<Json<Kept>, Problem> {
    let session = app.sessions.find(id)?;
    session.thinker.show_tree().await?;
    let history = session.thinker.grove().history();
    Ok(Json(Kept { moments: history.moments.clone(), changes: history.changes.clone() }))
}

fn saved(session: &Session, snapshot: &Snapshot) -> SavedTree {
    SavedTree {
        game: session.kit.name().to_string(),
        rules: snapshot.place.rules.clone(),
        position: snapshot.place.start.clone().filter(|start| !start.is_empty()),
        moves: snapshot.place.moves.clone(),
        search: session.family.clone(),
        tree: snapshot.tree.clone(),
    }
}

/// A moment of a search.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    /// A kept snapshot; none: the newest.
    #[serde(default)]
    t: Option<u64>,
}

/// The tree as a file, as `tesuji tree --save` writes it.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/tree/file",
    params(("id" = u64, Path, description = "its number"), When),
    responses((status = 200, content_type = "application/json"), (status = 404, body = Problem)))]
pub(crate) async fn file(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Query(when): Query<When>,
) -> Result<Response, Problem> {
    let session = app.sessions.find(id)?;
    let snapshot = snapshot_of(&session, when.t).await?;
    let text = saved(&session, &snapshot).to_json().map_err(|error| Problem::internal(error.to_string()))?;
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

/// A file of a tree.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TreeText {
    /// The content of the file.
    text: String,
}

/// Opens a file of a tree as a session.
#[utoipa::path(post, path = "/api/v1/trees", request_body = TreeText,
    responses((status = 201, body = SessionView), (status = "4XX", body = Problem)))]
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    Body(file): Body<TreeText>,
) -> Result<(StatusCode, Json<SessionView>), Problem> {
    let wrong = |error: tesuji_engine::SavedTreeError| Problem::unprocessable(error.to_string()).at("text");
    let kit = app.kit(&SavedTree::game_of(&file.text).map_err(wrong)?)?;
    // A large file takes a moment to check; others are answered meanwhile.
    let read = tokio::task::spawn_blocking(move || SavedTree::from_json(kit, &file.text)).await;
    let saved = read.map_err(|error| Problem::internal(format!("the file broke the reader: {error}")))?;
    let saved = saved.map_err(wrong)?;
    if saved.tree.nodes.len() > OPENED_MAX {
        let found = saved.tree.nodes.len();
        return Err(Problem::unprocessable(format!("{found} nodes, expected at most {OPENED_MAX}"))
            .at("text")
            .hint("Save fewer: `tesuji tree --show N` keeps those with the most effort."));
    }
    let place = GamePosition { rules: saved.rules, start: saved.position, moves: saved.moves };
    // A family that this game does not search by, such as that of mates, is shown all the same.
    let known = kit.families().contains(&saved.search.as_str());
    let family = if known { saved.search } else { String::new() };
    let wish = NewSession { game: saved.game, family, seat: None, options: BTreeMap::new(), place: place.clone() };
    let session = sessions::open(&app, wish).await?;
    let nodes = saved.tree.nodes.first().map_or(0, |root| root.effort);
    let grove = session.thinker.grove();
    grove.want();
    grove.publish(&Course { search: 0, place }, nodes, Duration::ZERO, false, saved.tree);
    Ok((StatusCode::CREATED, Json(session.view())))
}
