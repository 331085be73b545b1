//! Conversion of the flags of `tune` to a request.

use super::{Args, FitArgs, LeafArg, Set};
use crate::games;
use anyhow::bail;
use tesuji_circle::{LearnRequest, sweep::SweepRequest};
use tesuji_kit::{
    playouts::StrengthRequest,
    tuning::{ChanceRequest, Leaf, MarginRequest, TuneRequest},
};
use tesuji_tune::{Method, TuneSettings};

impl FitArgs {
    /// A request of which only the fit is said, by this method and number of epochs where none are given.
    pub(super) fn request(&self, method: Method, epochs: u32) -> TuneRequest {
        TuneRequest {
            method: self.method.unwrap_or(method),
            epochs: self.epochs.unwrap_or(epochs),
            patience: self.patience,
            restarts: self.restarts,
            shake_cp: self.shake,
            bootstrap: self.bootstrap,
            lambda_plies: (self.lambda > 0.0).then_some(self.lambda),
            result_share: self.result_share,
            loss: self.loss,
            rate_cp: self.rate,
            batch: self.batch,
            pull_rows: self.pull.0,
            l2_rows: self.l2,
            k: self.k,
            held_out: self.held_out,
            seed: self.seed,
            jobs: self.jobs,
            ..TuneRequest::default()
        }
    }
}

impl Args {
    /// The request that the flags make.
    pub(super) fn own_request(&self) -> anyhow::Result<LearnRequest> {
        let game = self.game.clone().unwrap_or_default();
        if games::kit(&game)?.playouts().is_some() {
            return Ok(LearnRequest::Strengths(self.strengths_of(game)?));
        }
        let (games, skip_errors) = (self.games.clone(), self.skip.wanted);
        if self.chances {
            return Ok(LearnRequest::Chances(ChanceRequest { game, games, skip_errors, ..ChanceRequest::default() }));
        }
        if !self.margins.is_empty() {
            return Ok(LearnRequest::Margins(MarginRequest {
                version: TuneRequest::VERSION,
                game,
                margins: self.margins.clone(),
                games,
                start: self.start.clone(),
                skip_errors,
                positions: self.positions,
                nodes: self.nodes,
                false_rate: self.false_rate,
                seed: self.fit.seed,
                jobs: self.fit.jobs,
            }));
        }
        let Some(out) = self.out.clone() else { bail!("--out is missing") };
        let tune = self.weights_of(game);
        Ok(match self.sweep.clone() {
            Some(plan) => LearnRequest::Sweep(SweepRequest { tune, plan, out, ..SweepRequest::default() }),
            None => LearnRequest::Weights(TuneRequest { out, ..tune }),
        })
    }

    /// Weights of an evaluation, but for where they go.
    fn weights_of(&self, game: String) -> TuneRequest {
        TuneRequest {
            game,
            weight_set: self.weight_set.name().into(),
            leaf: match self.leaf {
                LeafArg::Static => Leaf::Static,
                LeafArg::Quiescence => Leaf::Quiescence,
            },
            games: self.games.clone(),
            start: self.start.clone(),
            only: self.only.clone(),
            freeze: self.freeze.clone(),
            bounds: self.bounds.clone(),
            skip_errors: self.skip.wanted,
            steps: self.steps.clone(),
            ..self.fit.request(Method::default(), TuneSettings::default().epochs)
        }
    }

    /// Strengths of moves.
    fn strengths_of(&self, game: String) -> anyhow::Result<StrengthRequest> {
        if self.asks_for_weights() {
            bail!(
                "tune {game} learns strengths of moves, not weights of an evaluation: it takes --games, --out, --positions, \
                 --epochs, --rank-min, --pattern-min, --pattern-max, --pattern-prior, --held-out, --seed, --jobs, --steps, \
                 --json and --quiet"
            );
        }
        let Some(out) = self.out.clone() else { bail!("--out is missing") };
        Ok(StrengthRequest {
            version: StrengthRequest::VERSION,
            game,
            games: self.games.clone(),
            out,
            steps: self.steps.clone(),
            rank_min: self.rank_min.clone(),
            positions: self.positions,
            pattern_min: self.pattern_min,
            pattern_max: self.pattern_max,
            pattern_prior: self.pattern_prior,
            epochs: self.fit.epochs.unwrap_or(TuneSettings::default().epochs),
            held_out: self.fit.held_out,
            seed: self.fit.seed,
            skip_errors: self.skip.wanted,
            jobs: self.fit.jobs,
        })
    }

    /// Whether an option is given that only weights have.
    fn asks_for_weights(&self) -> bool {
        self.chances
            || self.table
            || self.weight_set != Set::Full
            || self.leaf != LeafArg::Static
            || [&self.curves, &self.bounds, &self.sweep].into_iter().any(Option::is_some)
            || [&self.margins, &self.only, &self.freeze].into_iter().any(|list| !list.is_empty())
    }
}
