//! Mate problems: a form becomes a job that runs `tesuji solve`, whose proof the page steps through.

use crate::{
    App, Problem,
    body::Body,
    jobs::{JobKind, JobView, Wish, by_request},
    places::{GamePosition, table_at},
};
use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use tesuji_kit::{Pasted, solving::SolveRequest};
use utoipa::ToSchema;

/// The file with the proof, in the job's folder.
const PROOF: &str = "proof.json";
/// Seconds for a problem when nothing is said, and at most.
const SECONDS: [u64; 2] = [30, 86_400];

/// A mate problem.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewProblem {
    /// The game: one that `tesuji solve` knows.
    game: String,
    /// The position in which the mate is looked for.
    place: GamePosition,
    /// The name that a person gave it.
    title: String,
    /// Seconds at most.
    seconds: Option<u64>,
    /// Nodes at most.
    nodes: Option<u64>,
    /// Look for the shortest mate.
    shortest: bool,
}

/// Starts to solve a problem. The proof is the job's file `proof.json`: `nodes` with `position`, `attacker_moves`, and
/// `moves` (`move`, `to`: the number of a node).
#[utoipa::path(post, path = "/api/v1/solve", request_body = NewProblem,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewProblem>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let kit = app.kit(&wish.game)?;
    let place = wish.place.clone();
    let stood = app.work.run(move |_| table_at(kit, &place).map(|table| (table.outcome(), table.position())));
    let (outcome, position) = stood.await?;
    if let Some(ended) = outcome {
        return Err(Problem::unprocessable(format!("the game is over here: {:?}", ended.by)).at("place"));
    }
    let seconds = wish.seconds.unwrap_or(SECONDS[0]).clamp(1, SECONDS[1]);
    let request = SolveRequest {
        game: kit.name().into(),
        position: Pasted::of(Some(&position), &[]),
        seconds: Some(seconds as f64),
        nodes: wish.nodes,
        shortest: wish.shortest,
        verify: true,
        ..SolveRequest::default()
    };
    request.validate().map_err(Problem::of_request)?;
    let title = if wish.title.trim().is_empty() { position.as_str() } else { wish.title.trim() };
    let job = app.jobs.add(Wish {
        kind: JobKind::Solve,
        title: title.chars().take(200).collect(),
        game: Some(kit.name().into()),
        request: Box::new(move |folder| {
            json!(SolveRequest { proof: Some(format!("{folder}/{PROOF}").into()), ..request })
        }),
        words: by_request(&["solve"], &["--json"]),
        again: None,
        makes: Some(PROOF.into()),
    })?;
    Ok((StatusCode::CREATED, Json(job)))
}
