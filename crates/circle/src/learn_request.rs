//! All that `tune` can be asked for, as one form: what is learned is named in it.

use crate::sweep::SweepRequest;
use serde::{Deserialize, Serialize};
use tesuji_kit::{
    RequestError,
    playouts::StrengthRequest,
    tuning::{ChanceRequest, MarginRequest, TuneRequest},
};

/// Something to be learned from games.
///
/// # Examples
/// ```
/// use tesuji_circle::LearnRequest;
///
/// let text = r#"{ "learn": "weights", "game": "four", "games": ["g.sgs"], "out": "w.json", "epochs": 5 }"#;
/// let request: LearnRequest = serde_json::from_str(text)?;
/// assert!(request.validate().is_ok());
/// assert_eq!(request.game(), "four");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "learn", rename_all = "snake_case")]
pub enum LearnRequest {
    /// Weights of an evaluation.
    Weights(TuneRequest),
    /// Strengths of moves in playouts.
    Strengths(StrengthRequest),
    /// Chances to win that go with a value.
    Chances(ChanceRequest),
    /// Margins of pruning.
    Margins(MarginRequest),
    /// Weights in many versions, which play against a pool.
    Sweep(SweepRequest),
}

impl LearnRequest {
    /// The game.
    pub fn game(&self) -> &str {
        match self {
            LearnRequest::Weights(request) => &request.game,
            LearnRequest::Strengths(request) => &request.game,
            LearnRequest::Chances(request) => &request.game,
            LearnRequest::Margins(request) => &request.game,
            LearnRequest::Sweep(request) => &request.tune.game,
        }
    }

    /// Checks the request by itself.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        match self {
            LearnRequest::Weights(request) => request.validate(),
            LearnRequest::Strengths(request) => request.validate(),
            LearnRequest::Chances(request) => request.validate(),
            LearnRequest::Margins(request) => request.validate(),
            LearnRequest::Sweep(request) => request.validate(),
        }
    }
}
