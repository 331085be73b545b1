//! JSON bodies of requests.

use crate::Problem;
use axum::{
    Json,
    extract::{FromRequest, Request, rejection::JsonRejection},
};
use serde::de::DeserializeOwned;

/// A JSON body; what is wrong with it is told as a [`Problem`].
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = Json::<T>::from_request(request, state).await;
        read.map(|Json(body)| Body(body)).map_err(|rejection: JsonRejection| {
            let mut problem = Problem::bad(rejection.body_text());
            problem.status = rejection.status().as_u16();
            problem
        })
    }
}
