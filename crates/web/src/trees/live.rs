//! The live tree of a session through a WebSocket: a key frame, then changes, each acknowledged by the client.

use super::TreeHead;
use crate::{App, Problem, frames, grove::Snapshot, has_ending, sessions::Session};
use axum::{
    extract::{
        Path, State,
        ws::{Message, WebSocket, WebSocketUpgrade},
    },
    response::Response,
};
use serde::Deserialize;
use serde_json::json;
use std::{sync::Arc, time::Duration};

/// Clients that watch a session at once.
const WATCHERS_MAX: usize = 256;
/// Bytes of a client's message.
const SAID_MAX: usize = 4096;

/// The live tree. Texts `{"head": …}` and `{"codes": …}` from the server, then binary frames: a key frame, later only what
/// changed. The client answers each with `{"ack": seq}`; until then nothing more is sent. `{"hz": n}` sets how often.
/// The token is the subprotocol `token.…`, beside `tesuji`.
#[utoipa::path(get, path = "/api/v1/sessions/{id}/ws", params(("id" = u64, Path, description = "its number")),
    responses((status = 101), (status = "4XX", body = Problem)))]
pub(crate) async fn socket(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Problem> {
    let session = app.sessions.find(id)?;
    if session.thinker.grove().watchers() >= WATCHERS_MAX {
        return Err(Problem::too_many(format!("{WATCHERS_MAX} clients watch this session")));
    }
    session.thinker.show_tree().await?;
    let upgrade = upgrade.protocols(["tesuji"]).max_message_size(SAID_MAX);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let _listener = app.sessions.listen(&session);
        let ending = has_ending(app.ending.subscribe());
        drop(app);
        tokio::select! {
            _ = watch(socket, &session) => {}
            () = ending => {}
        }
    }))
}

/// A message of a client.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Said {
    ack: Option<u64>,
    hz: Option<f64>,
}

/// Sends each newest snapshot until the client or the session is gone.
async fn watch(mut socket: WebSocket, session: &Arc<Session>) -> Result<(), axum::Error> {
    let grove = session.thinker.grove();
    let _watcher = grove.watch();
    let mut snapshots = grove.snapshots();
    snapshots.mark_changed();
    let mut sent: Option<Arc<Snapshot>> = None;
    let mut codes = 0;
    let mut is_open = true;
    let mut every = Duration::from_millis(200);
    let mut next = tokio::time::Instant::now();
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                None | Some(Err(_) | Ok(Message::Close(_))) => return Ok(()),
                Some(Ok(Message::Text(text))) => {
                    let said: Said = serde_json::from_str(&text).unwrap_or_default();
                    if let Some(hz) = said.hz {
                        every = Duration::from_secs_f64(1.0 / hz.clamp(0.2, 10.0));
                    }
                    is_open |= said.ack.is_some() && said.ack == sent.as_ref().map(|sent| sent.seq);
                }
                Some(Ok(_)) => {}
            },
            changed = wait(&mut snapshots, next), if is_open => {
                if changed.is_err() {
                    return Ok(());
                }
                let now = snapshots.borrow_and_update().clone();
                if now.tree.nodes.is_empty() {
                    continue;
                }
                send(&mut socket, session, sent.as_deref(), &now, &mut codes).await?;
                sent = Some(now);
                is_open = false;
                next = tokio::time::Instant::now() + every;
            }
        }
    }
}

/// Waits for a new snapshot, at least until `next`.
async fn wait(
    snapshots: &mut tokio::sync::watch::Receiver<Arc<Snapshot>>,
    next: tokio::time::Instant,
) -> Result<(), tokio::sync::watch::error::RecvError> {
    tokio::time::sleep_until(next).await;
    snapshots.changed().await
}

/// Sends `now` to one who has `before`.
async fn send(
    socket: &mut WebSocket,
    session: &Session,
    before: Option<&Snapshot>,
    now: &Arc<Snapshot>,
    codes: &mut usize,
) -> Result<(), axum::Error> {
    let fresh: Vec<String> = {
        let history = session.thinker.grove().history();
        // Moves are listed again when a list is full.
        *codes = if history.codes.len() < *codes { 0 } else { *codes };
        history.codes[*codes..].to_vec()
    };
    let head = json!({ "head": TreeHead::of(session, now) });
    socket.send(Message::Text(head.to_string().into())).await?;
    if !fresh.is_empty() {
        let list = json!({ "codes": { "from": *codes, "list": fresh } });
        *codes += fresh.len();
        socket.send(Message::Text(list.to_string().into())).await?;
    }
    match before.filter(|before| now.before == Some(before.seq)) {
        Some(before) => {
            for frame in now.delta.get_or_init(|| frames::delta(before, now)) {
                socket.send(Message::Binary(frame.clone().into())).await?;
            }
        }
        None => {
            let frame = now.key.get_or_init(|| frames::key(now)).clone();
            socket.send(Message::Binary(frame.into())).await?;
        }
    }
    Ok(())
}
