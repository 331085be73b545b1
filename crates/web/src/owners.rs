//! Whose each point of a board will be, by the evaluation that explains a session's search.

use crate::{App, Problem, body::Body, places::GamePosition, why::stand};
use axum::{
    Json,
    extract::{Path, State},
};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// Whose each point will be.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct Owners {
    /// Whose evaluation it is.
    by: String,
    /// Rows from the top: 1 is surely the first side's, -1 the other's; none where the evaluation knows no owners.
    rows: Option<Vec<Vec<f32>>>,
}

/// Tells whose each point of a position will be; the session's own search goes on.
#[utoipa::path(post, path = "/api/v1/sessions/{id}/owners", request_body = GamePosition,
    params(("id" = u64, Path, description = "its number")),
    responses((status = 200, body = Owners), (status = "4XX", body = Problem)))]
pub(crate) async fn owners(
    State(app): State<Arc<App>>,
    Path(id): Path<u64>,
    Body(place): Body<GamePosition>,
) -> Result<Json<Owners>, Problem> {
    let session = app.sessions.find(id)?;
    let told = tokio::task::spawn_blocking(move || {
        // Moves may be written as people do.
        let moves = crate::places::table_at(session.kit, &place)?.played();
        let place = GamePosition { moves, ..place };
        let rows = session.advise(|player| {
            stand(player, &place)?;
            Ok(player.owners())
        })?;
        Ok(Owners { by: session.explained_by(), rows })
    });
    told.await.map_err(|error| Problem::internal(format!("the evaluation broke: {error}")))?.map(Json)
}
