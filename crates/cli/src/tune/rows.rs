//! `tesuji tune rows`: weights from tables of features that any program wrote.

use super::{FLAGS, FitArgs};
use crate::request::{RequestArgs, refused};
use std::{path::PathBuf, process::ExitCode};
use tesuji_circle::rows::{RowsLayout, RowsRequest, RowsRun, WeightGroup, learn_rows};
use tesuji_jobs::{AtomicFile, Interrupt, Show};
use tesuji_report::{rows, tuning::curves};

/// Arguments of `tesuji tune rows`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tune rows rows.csv.zst --column result=wdl --column game=id --column ignore=fen --out weights.json\n  \
    tesuji tune rows rows.parquet --column phase=phase --column phases=0,24 --start old.json --out new.csv\n  \
    tesuji tune rows rows.csv --pair 'mg_*,eg_*' --unit mg_pawn=100 --decimals 0 --template eval.h.in eval.h --out w.json\n\n\
    All other columns are features, and must be numbers. Exit codes: 0 done, 2 wrong usage or input, 4 stopped (the best\n\
    weights so far are written, if there are any).")]
pub(super) struct Args {
    /// Tables: .csv, .tsv, .parquet, or sparse text (.libsvm, .svm); text also .zst, .gz, .xz or .bz2
    #[arg(value_name = "FILE", required_unless_present = "request")]
    files: Vec<PathBuf>,
    /// What the columns are, and rules for groups of weights
    #[arg(long, value_name = "FILE.toml")]
    layout: Option<PathBuf>,
    /// A column by its role: result, score, ply, left, game, phase, scale, weight, ignore; or phases, results (two numbers),
    /// scale_full, names, first_index. May be repeated
    #[arg(long, value_name = "ROLE=NAME")]
    column: Vec<String>,
    /// Columns that are one tapered weight together
    #[arg(long, value_name = "MG_*,EG_*")]
    pair: Vec<String>,
    /// Leave the weights of these columns as they are
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    freeze: Vec<String>,
    /// What a value of 1 stands for: 256 where values are 256ths
    #[arg(long, value_name = "NUMBER")]
    divide: Option<f64>,
    /// Weights to start from, in JSON or CSV [default: 0]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Scale all weights so that this one becomes that number
    #[arg(long, value_name = "NAME=NUMBER")]
    unit: Option<String>,
    /// The file for the weights: .json or .csv
    #[arg(long, value_name = "FILE", required_unless_present = "request")]
    out: Option<PathBuf>,
    /// Copy a file, with weights for {{NAME}} or, in JSON, for its numbers
    #[arg(long, num_args = 2, value_names = ["FILE", "OUT"])]
    template: Vec<PathBuf>,
    /// Digits behind the point of written weights [default: six that count]
    #[arg(long, value_name = "N")]
    decimals: Option<u8>,
    /// The step of coordinate descent
    #[arg(long, default_value_t = 1.0, value_name = "NUMBER")]
    step: f64,
    #[command(flatten)]
    fit: FitArgs,
    /// Draw the losses over the epochs
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    request: RequestArgs,
}

/// Learns.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(request) = args.request.take(|| args.own_request(), RowsRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    if let Some(path) = &args.curves {
        tesuji_kit::check_beside(path, &request.files, &request.outputs())?;
    }
    let show = if args.quiet || args.json { Show::Quiet } else { Show::Auto };
    let run = RowsRun { show, interrupt: &Interrupt::of_process() };
    let Some(outcome) = learn_rows(&request, &run).map_err(|error| refused(error, &FLAGS))? else {
        eprintln!("stopped before all rows were read; nothing was written");
        return Ok(ExitCode::from(4));
    };
    if let Some(path) = &args.curves {
        AtomicFile::write(path, curves::svg(&outcome.trained).as_bytes())?;
    }
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&rows::json(&request, &outcome))?),
        false => print!("{}", rows::text(&request, &outcome)),
    }
    Ok(if outcome.trained.stopped { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

impl Args {
    fn own_request(&self) -> anyhow::Result<RowsRequest> {
        let mut layout = self.layout.as_deref().map(RowsLayout::read).transpose()?.unwrap_or_default();
        self.column.iter().try_for_each(|word| layout.columns.set(word)).map_err(anyhow::Error::msg)?;
        layout.add_pairs(&self.pair)?;
        layout.groups.extend(self.freeze.iter().map(|columns| WeightGroup::frozen(columns)));
        layout.divide = self.divide.unwrap_or(layout.divide);
        Ok(RowsRequest {
            files: self.files.clone(),
            layout,
            start: self.start.clone(),
            unit: self.unit.clone(),
            out: self.out.clone().unwrap_or_default(),
            templates: self.template.as_chunks::<2>().0.to_vec(),
            decimals: self.decimals,
            step: self.step,
            ..RowsRequest::fitted_as(&self.fit.request(RowsRequest::METHOD, RowsRequest::EPOCHS))
        })
    }
}
