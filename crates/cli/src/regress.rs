//! `tesuji regress`: regression files of GTP, as GNU Go's, asked of our engine or another.

use crate::request::refused;
use anyhow::Context;
use std::{path::PathBuf, process::ExitCode};
use tesuji_arena::{RegressionNews, RegressionRequest, RegressionVerdict as CheckVerdict, run_regression};
use tesuji_report::regressions;

/// Arguments of `tesuji regress`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji regress ladder.tst --option Visits=2000\n  \
    tesuji regress regression/*.tst --engine 'gnugo --mode gtp --quiet' --jobs 4\n\n\
    A file holds GTP commands; after one with a number, `#? [PATTERN]` says which answers are right, `#? [!PATTERN]`\n\
    which are wrong; `*` behind it marks what is known to fail. PASS and FAIL are what nobody expected, pass and fail\n\
    what was. The exit code is 1 if anything failed that was not known to.")]
pub(crate) struct Args {
    /// Regression files
    #[arg(required = true, value_name = "FILE.tst")]
    files: Vec<PathBuf>,
    /// The engine: a program and its arguments; ours if left out
    #[arg(long, value_name = "COMMAND")]
    engine: Option<String>,
    /// Set an option of our engine; NAME as in `tesuji options go`
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE", conflicts_with = "engine")]
    options: Vec<String>,
    /// The folder in which the engine runs and files are looked for; that of each regression file if left out
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Files asked at the same time
    #[arg(long, short, default_value_t = 1, value_name = "J")]
    jobs: usize,
    /// The longest that a command may take, in seconds
    #[arg(long, default_value_t = 120, value_name = "SECONDS")]
    timeout: u64,
    /// Show what passed, too
    #[arg(long, short)]
    verbose: bool,
    /// Tell everything as one JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The request that these are.
    fn request(&self) -> RegressionRequest {
        RegressionRequest {
            version: RegressionRequest::VERSION,
            files: self.files.clone(),
            engine: self.engine.clone(),
            options: self.options.clone(),
            folder: self.folder.clone(),
            jobs: self.jobs,
            timeout_seconds: self.timeout,
        }
    }
}

/// Runs the files and tells how they went.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let is_told = |verdict| args.verbose || !matches!(verdict, CheckVerdict::Pass | CheckVerdict::KnownFail);
    let tell = |news: RegressionNews<'_>| match news {
        RegressionNews::Case(case) if !args.json && is_told(case.verdict) => println!("{}", regressions::line(case)),
        RegressionNews::Case(_) => {}
        RegressionNews::Refused { file, line, command, reason } => {
            eprintln!("{}:{line}: {command}: {reason}", file.display());
        }
    };
    let own = std::env::current_exe().context("cannot find this program")?;
    let cases = run_regression(&args.request(), &own, &tell);
    let cases = cases.map_err(|error| refused(error, &[("options", "option"), ("timeout_seconds", "timeout")]))?;
    let count = |verdict| cases.iter().filter(|case| case.verdict == verdict).count();
    match args.json {
        true => println!("{}", regressions::json(&cases)),
        false => println!("{}", regressions::summary(&cases)),
    }
    let is_bad = count(CheckVerdict::Fail) + count(CheckVerdict::Fault) > 0;
    Ok(ExitCode::from(u8::from(is_bad)))
}
