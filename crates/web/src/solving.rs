//! Mate problems: a request becomes a job that runs `tesuji solve`, whose proof the page steps through.

use crate::{
    App, Problem,
    body::{Body, check_fields},
    jobs::{JobKind, JobView, Wish},
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
const SECONDS: [f64; 2] = [30.0, 86_400.0];
/// The fields of a request that the page may set.
const TAKEN: [&str; 9] = ["version", "game", "position", "seconds", "nodes", "plies", "shortest", "defend", "verify"];

/// A mate problem: a request, and a title, which is no part of the work.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct NewProblem {
    /// The name that a person gave it.
    title: String,
    /// The problem, in the form that `tesuji solve --request` takes.
    request: SolveRequest,
}

/// Starts to solve a problem. The proof is the job's file `proof.json`: `nodes` with `position`, `attacker_moves`, and
/// `moves` (`move`, `to`: the number of a node).
#[utoipa::path(post, path = "/api/v1/solve", request_body = NewProblem,
    responses((status = 201, body = JobView), (status = "4XX", body = Problem)))]
pub(crate) async fn create(
    State(app): State<Arc<App>>,
    Body(wish): Body<NewProblem>,
) -> Result<(StatusCode, Json<JobView>), Problem> {
    let NewProblem { title, request: asked } = wish;
    check_fields(&asked, &SolveRequest::default(), &TAKEN)?;
    let kit = app.kit(&asked.game)?;
    let Pasted { start, moves } = asked.position.clone();
    let place = GamePosition { rules: String::new(), start, moves };
    let stood = app.work.run(move |_| table_at(kit, &place).map(|table| (table.outcome(), table.position())));
    let (outcome, position) = stood.await?;
    if let Some(ended) = outcome {
        return Err(Problem::unprocessable(format!("the game is over here: {:?}", ended.by)).at("place"));
    }
    let seconds = asked.seconds.unwrap_or(SECONDS[0]).clamp(1.0, SECONDS[1]);
    let request = SolveRequest {
        game: kit.name().into(),
        position: Pasted::of(Some(&position), &[]),
        seconds: Some(seconds),
        verify: true,
        ..asked
    };
    request.validate().map_err(Problem::of_request)?;
    let title = if title.trim().is_empty() { position.as_str() } else { title.trim() };
    let job = app.jobs.add(Wish {
        kind: JobKind::Solve,
        title: title.chars().take(200).collect(),
        game: Some(kit.name().into()),
        request: Box::new(move |folder| {
            json!(SolveRequest { proof: Some(format!("{folder}/{PROOF}").into()), ..request })
        }),
        command: &["solve"],
        shown: &["--json"],
        fleet: Vec::new(),
        again: None,
        makes: Some(PROOF.into()),
    })?;
    Ok((StatusCode::CREATED, Json(job)))
}
