//! `tesuji spsa`: options of an engine tuned by games.

use crate::{
    fleet_url::FleetUrl,
    games, own_program,
    request::{RequestArgs, refused},
};
use anyhow::Context;
use std::{fs, path::PathBuf, process::ExitCode};
use tesuji_arena::TimeControl;
use tesuji_circle::spsa::{SpsaRequest, SpsaRun, read_spsa_options, tune_options};
use tesuji_jobs::{AtomicFile, Interrupt, Show};
use tesuji_kit::{RequestError, check_apart, check_new_output};
use tesuji_report::spsa;
use tesuji_tune::SPSA_RATE;

/// Arguments of `tesuji spsa`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji spsa chess --option RazoringMargin --option FutilityBase=90:20..200/10 --iterations 2000 --journal s.journal\n  \
    tesuji spsa go --option RaveEquivalence=1000:100..10000/300 --option PlayoutEscape --nodes 500 --journal g.journal\n  \
    tesuji spsa chess --engine 'cmd=./engine option.Hash=16' --option LmrBase=80:20..200/10 --tc 2+0.02 --journal e.journal \
--prove 500 --out found.h --curves e.svg\n\n\
    In each iteration all options are changed at once, at random, up on one side of a short match and down on the other.\n\
    Every result goes into the journal; the same command goes on where it ended. Exit codes: 0 done, 2 wrong usage or\n\
    input, 4 stopped.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser(), required_unless_present = "request")]
    game: Option<String>,
    /// An engine of your own, in the words of match: cmd=PROGRAM option.NAME=VALUE … [default: ours, in this process]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<String>,
    /// The search family; when not given as the game's engine does
    #[arg(long, default_value = "", hide_default_value = true, value_name = "FAMILY")]
    search: String,
    /// The rules that are played [default: the usual ones, in go '9x9 chinese komi 7.5']
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// An option of both sides, such as PlayoutPolicy=light. May be repeated
    #[arg(long, alias = "set", value_name = "NAME=VALUE")]
    fixed: Vec<String>,
    /// An option to tune: NAME, NAME=START:LEAST..GREATEST/STEP, where the step is what makes a few Elo, or a line as
    /// OpenBench has it: NAME, int, START, LEAST, GREATEST, STEP, RATE. May be repeated
    #[arg(long = "option", value_name = "OPTION")]
    options: Vec<String>,
    /// Options to tune from a file, one a line, each in one of these forms; # begins a comment
    #[arg(long, value_name = "FILE")]
    options_file: Option<PathBuf>,
    /// Short matches
    #[arg(long, default_value_t = 1000, value_name = "N")]
    iterations: u32,
    /// Pairs of games in each match
    #[arg(long, default_value_t = 4, value_name = "N")]
    pairs: u64,
    /// Nodes a move; playouts in go [default: 2000, in go 500]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// The time of a game, such as 2+0.02: seconds and those added with each move
    #[arg(long, value_name = "TIME")]
    tc: Option<TimeControl>,
    /// The time of a move
    #[arg(long, value_name = "SECONDS")]
    st: Option<f64>,
    /// Openings: a file of games or positions, or a folder of games [default: 8 random plies, in go 4]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// How fast the options move at the end, in squared steps
    #[arg(long, default_value_t = SPSA_RATE, value_name = "RATE")]
    rate: f64,
    /// Weights that both sides play with; those built in when not given
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The file of the results
    #[arg(long, value_name = "FILE", required_unless_present = "request")]
    journal: Option<PathBuf>,
    /// Pairs of games in which the numbers found meet those at the start, after the last match
    #[arg(long, default_value_t = 0, value_name = "PAIRS")]
    prove: u64,
    /// Write the numbers found: .toml, .json, .h, .rs, or lines 'setoption name … value …'. May be repeated
    #[arg(long = "out", value_name = "FILE")]
    numbers_out: Vec<PathBuf>,
    /// Draw the course of the options
    #[arg(long, value_name = "FILE.svg")]
    curves: Option<PathBuf>,
    /// Decides openings and directions
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Threads (0: one for each core); the result does not depend on them
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    fleet: FleetUrl,
    #[command(flatten)]
    request: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 5] =
    [("options", "fixed"), ("tuned", "option"), ("control", "tc"), ("move_seconds", "st"), ("proof_pairs", "prove")];

/// Tunes.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let request = args.request.read(|| args.own_request())?;
    let kit = games::kit(&request.game)?;
    let flags = |error: RequestError| refused(error, &FLAGS);
    request.validate().map_err(flags)?;
    if args.request.print(&request)? {
        return Ok(ExitCode::SUCCESS);
    }
    let outputs: Vec<PathBuf> = args.numbers_out.iter().chain(&args.curves).cloned().collect();
    let taken: Vec<PathBuf> = request.files().into_iter().chain(args.options_file.clone()).collect();
    // Where only the proof is left to go on with, the outputs were written before it.
    let lines = || fs::read_to_string(&request.journal).map_or(0, |text| text.lines().count());
    // A device or a pipe could be read for ever.
    let is_tuned = request.journal.is_file() && lines() > request.iterations as usize;
    outputs
        .iter()
        .filter(|output| !is_tuned || !output.exists())
        .try_for_each(|output| check_new_output(output, &taken))?;
    check_apart(&outputs)?;
    let (interrupt, own) = (Interrupt::of_process(), own_program(kit)?);
    let show = if args.quiet { Show::Quiet } else { Show::Auto };
    let fleet = args.fleet.connect(&request.journal)?;
    let run = SpsaRun { show, own: &own, interrupt: &interrupt, fleet: fleet.as_ref() };
    let tuning = SpsaRequest { proof_pairs: 0, ..request.clone() };
    let spsa_games = tesuji_kits::spsa_games(kit);
    let mut found = tune_options(kit, &spsa_games, &tuning, &run).map_err(flags)?;
    // A run that was stopped goes on by the same command, which refuses files that are there.
    if found.is_complete(&tuning) {
        let numbers = args.numbers_out.iter().map(|path| (path, spsa::values(&found, path)));
        let curves = args.curves.iter().map(|path| (path, spsa::curves(&found)));
        let is_new = |(path, text): &(&PathBuf, String)| {
            !path.is_file() || fs::read(path).ok().as_deref() != Some(text.as_bytes())
        };
        for (path, text) in numbers.chain(curves).filter(is_new) {
            check_new_output(path, &taken)?;
            AtomicFile::write(path, text.as_bytes())?;
        }
        if request.proof_pairs > 0 {
            found = tune_options(kit, &spsa_games, &request, &run).map_err(flags)?;
        }
    }
    let is_usual = request.game == games::usual();
    let game = if is_usual { String::new() } else { format!(" --game {}", request.game) };
    print!("{}", spsa::text(&request, &found, &game, args.engine.as_deref()));
    Ok(if found.is_complete(&request) { ExitCode::SUCCESS } else { ExitCode::from(4) })
}

impl Args {
    /// The request that the flags make.
    fn own_request(&self) -> anyhow::Result<SpsaRequest> {
        let option = |word: &String| {
            let (name, value) = word.split_once('=').with_context(|| format!("--fixed {word}: it is NAME=VALUE"))?;
            anyhow::Ok((name.to_string(), value.to_string()))
        };
        Ok(SpsaRequest {
            version: SpsaRequest::VERSION,
            game: self.game.clone().unwrap_or_default(),
            search: self.search.clone(),
            rules: self.rules.clone(),
            options: self.fixed.iter().map(option).collect::<Result<_, _>>()?,
            tuned: self.tuned()?,
            engine: self.engine.as_ref().map(|words| words.parse()).transpose().map_err(anyhow::Error::msg)?,
            control: self.tc.clone(),
            move_seconds: self.st,
            openings: self.openings.clone(),
            proof_pairs: self.prove,
            iterations: self.iterations,
            pairs: self.pairs,
            nodes: self.nodes,
            rate: self.rate,
            weights: self.weights.clone(),
            journal: self.journal.clone().unwrap_or_default(),
            seed: self.seed,
            jobs: self.jobs,
        })
    }

    /// The options to tune, of the command line and of the file.
    fn tuned(&self) -> anyhow::Result<Vec<String>> {
        let of_file = self.options_file.as_deref().map(read_spsa_options).transpose()?;
        Ok([self.options.clone(), of_file.unwrap_or_default()].concat())
    }
}
