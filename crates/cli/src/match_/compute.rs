//! Calculations of `tesuji match` that need no playing, and the options of its statistics and reports.

use super::{Args, rate};
use crate::games;
use anyhow::{Context, bail};
use std::{path::PathBuf, process::ExitCode};
use tesuji_arena::MatchRequest;
use tesuji_jobs::terminal::shows_colours;
use tesuji_report::matches::{
    battlefield,
    counted::{games_exit_code, games_report, pairs_exit_code, pairs_report},
    plan,
    ratings::Anchor,
};
use tesuji_stats::{Games, Model, Pairs, Sigma, Sprt};

/// The unit of `--sprt` on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum ModelArg {
    /// Per standard deviation of a game
    #[value(alias = "normalized")]
    Normalised,
    /// As ratings have it
    Logistic,
    /// BayesElo; games only
    Bayesian,
}

impl From<ModelArg> for Model {
    fn from(arg: ModelArg) -> Model {
        match arg {
            ModelArg::Normalised => Model::Normalised,
            ModelArg::Logistic => Model::Logistic,
            ModelArg::Bayesian => Model::Bayesian,
        }
    }
}

/// Which spread of a game's result is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum SigmaArg {
    /// Draws make it narrower, as they do
    #[default]
    Trinomial,
    /// As if there were no draws: BattleField's figures before 2022
    Binomial,
}

impl From<SigmaArg> for Sigma {
    fn from(arg: SigmaArg) -> Sigma {
        match arg {
            SigmaArg::Trinomial => Sigma::Trinomial,
            SigmaArg::Binomial => Sigma::Binomial,
        }
    }
}

/// In whose words a match is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(super) enum OutputArg {
    /// Tesuji's
    #[default]
    Plain,
    /// BattleField's, byte for byte; for matches of two
    Battlefield,
}

/// Options of statistics.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Statistics")]
pub(super) struct StatsArgs {
    /// Compute the statistics of results without playing
    #[arg(long, num_args = 3, value_names = ["W", "D", "L"], conflicts_with_all = ["pairs", "rate", "plan"])]
    stats: Option<Vec<u64>>,
    /// Compute the statistics of pairs of games without playing
    #[arg(long, num_args = 5, value_names = ["LL", "LD", "DD+WL", "WD", "WW"], conflicts_with_all = ["rate", "plan"])]
    pairs: Option<Vec<u64>>,
    /// Rate the players of these games (PGN, SGS, also .zst and .gz) without playing
    #[arg(long, num_args = 1.., value_name = "FILE", conflicts_with = "plan")]
    rate: Vec<PathBuf>,
    /// This player's rating is this
    #[arg(long, value_name = "NAME=ELO")]
    pub(super) anchor: Option<Anchor>,
    /// Say how many games a difference takes, and how long that is with --tc or --st and --jobs
    #[arg(long)]
    plan: bool,
    /// The difference of interest for --plan
    #[arg(long, default_value_t = 5.0)]
    elo: f64,
    /// The share of draws between level players for --plan, in 0..1
    #[arg(long, value_name = "RATE", default_value_t = 0.5)]
    draws: f64,
    /// The spread of a game's result in intervals and verdicts of games
    #[arg(long, value_enum, default_value_t)]
    pub(super) sigma: SigmaArg,
    /// In whose words to report
    #[arg(long, value_enum, default_value_t)]
    pub(super) output: OutputArg,
    /// Keep a report with charts in this file, also while the match runs
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
    /// Stop when the 95 % interval of Elo (from pairs) is so wide from end to end: 20 is ±10
    #[arg(long, value_name = "ELO")]
    pub(super) stop_width: Option<f64>,
}

impl StatsArgs {
    /// Reports of a match that goes on: as they are asked for now by the options `given`, else as they were.
    ///
    /// # Errors
    /// When there is no current folder to which a file's name could belong.
    pub(super) fn shown_as(&mut self, now: &StatsArgs, given: &[String]) -> anyhow::Result<()> {
        if let Some(path) = &now.html {
            self.html = Some(std::path::absolute(path)?);
        }
        let is_given = |option: &str| given.iter().any(|given| given == option);
        if is_given("output") {
            self.output = now.output;
        }
        if is_given("sigma") {
            self.sigma = now.sigma;
        }
        if now.anchor.is_some() {
            self.anchor.clone_from(&now.anchor);
        }
        Ok(())
    }

    /// Computes, if that is what was asked for, and returns the exit code; `None` when a match is to be played.
    ///
    /// # Errors
    /// Wrong usage or input.
    pub(super) fn compute(&self, args: &Args, request: &MatchRequest) -> anyhow::Result<Option<ExitCode>> {
        let sprt = request.sprt().map_err(super::flags)?;
        let counts = self.stats.iter().chain(&self.pairs).flatten();
        if let Some(count) = counts.into_iter().find(|&&count| count > COUNT_MAX) {
            bail!("{count} games or pairs: {COUNT_MAX} is the most that is counted");
        }
        if let Some([w, d, l]) = self.stats.as_deref() {
            let games = Games::new(*w, *d, *l);
            if self.output == OutputArg::Battlefield && !args.json {
                let style = battlefield::Style { is_coloured: shows_colours(&std::io::stdout()) };
                print!("{}", battlefield::block(&games, self.sigma.into(), style));
            } else {
                print!("{}", games_report(&games, self.sigma.into(), sprt.as_ref(), args.json));
            }
            return Ok(Some(ExitCode::from(games_exit_code(&games, sprt.as_ref()))));
        } else if let Some(counts) = self.pairs.as_deref() {
            let counts = counts.try_into().context("--pairs takes five counts")?;
            let pairs = Pairs(counts);
            if sprt.is_some_and(|s| !s.is_of_pairs()) {
                bail!("--model bayesian is a model of games: with --stats, not with --pairs");
            }
            print!("{}", pairs_report(&pairs, sprt.as_ref(), args.json));
            return Ok(Some(ExitCode::from(pairs_exit_code(&pairs, sprt.as_ref()))));
        } else if !self.rate.is_empty() {
            rate::rate_files(&args.game, &self.rate, self.anchor.as_ref(), args.json)?;
        } else if self.plan {
            self.print_plan(request, sprt, args.json)?;
        } else {
            return Ok(None);
        }
        Ok(Some(ExitCode::SUCCESS))
    }

    fn print_plan(&self, request: &MatchRequest, sprt: Option<Sprt>, as_json: bool) -> anyhow::Result<()> {
        let allowance = request.allowance();
        let question = plan::Question {
            elo: self.elo,
            draws: self.draws,
            sprt: sprt.unwrap_or(Sprt {
                alpha: request.alpha,
                beta: request.beta,
                model: request.model,
                ..Sprt::new(0.0, self.elo)
            }),
            allowance: &allowance,
            jobs: request.jobs(),
            plies: games::kit(&request.game)?.plies_usual().unwrap_or(PLIES),
            seed: request.seed.unwrap_or(0),
        };
        question.validate().map_err(anyhow::Error::msg)?;
        if as_json {
            println!("{}", serde_json::to_string(&question.json())?);
        } else {
            print!("{}", question.text());
        }
        Ok(())
    }
}

/// The largest count of results: sums of five of them, and products with points, keep every digit.
const COUNT_MAX: u64 = 1_000_000_000_000_000;
/// Plies of a game about which nothing is known.
const PLIES: f64 = 120.0;
