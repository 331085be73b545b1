//! The command line: one file per subcommand.

#[macro_use]
mod print;

mod analyse;
mod analysis;
mod bench;
mod book;
mod bounds;
mod builds;
mod completions;
mod csa_client;
mod data;
mod doctor;
mod explain;
mod features;
mod fleet;
mod fleet_url;
pub mod fuzz;
mod games;
mod headings;
mod improve;
mod learned;
mod logs;
mod match_;
mod net;
mod options;
mod oracle;
mod owl;
mod perft;
mod play;
mod policy_server;
mod regress;
mod request;
mod selfplay;
mod selftest;
mod serve;
mod settings;
mod skip;
mod solve;
mod spsa;
mod train;
mod tree;
mod tune;
mod uci;
mod variant;
mod version;
mod weights;

pub use bounds::command;

use anyhow::Context;
use clap::{Parser, Subcommand};
use std::{ffi::OsString, process::ExitCode};
use tesuji_jobs::terminal;
use tesuji_kit::Games;

/// A workshop for the people who write game engines for chess, shogi and go.
///
/// An engine's whole life in one program: rules, search, evaluation, protocols, matches that prove a change, records,
/// learning. Start with `tesuji serve` or `tesuji improve chess --from material --budget 5m`; `--version --json` is
/// for programs. Exit codes: 0 done, 1 the answer is no, 2 wrong usage or input, 4 stopped; see docs/exit-codes.md.
#[derive(Parser)]
#[command(name = "tesuji", version = version::short(), long_version = version::long())]
struct Cli {
    #[command(flatten)]
    logs: logs::Args,
    /// The folder of the job that this process is; anyone who started it says on stdin when it is to stop
    #[arg(long, alias = "leash", hide = true, value_name = "DIR")]
    job_control: Option<std::path::PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the training loop: self-play, learning, a match, a verdict
    Improve(improve::Args),
    /// Play chess over UCI
    Uci(uci::Args),
    /// Play shogi over USI
    Usi(uci::UsiArgs),
    /// Play go over GTP
    Gtp(uci::GtpArgs),
    /// Analyse games of go for tools that speak KataGo's JSON
    Analysis(analysis::Args),
    /// Play shogi on servers such as floodgate
    CsaClient(csa_client::Args),
    /// Play any game over its protocol
    Engine(uci::EngineArgs),
    /// Play games for learning
    Selfplay(Box<selfplay::Args>),
    /// Convert, filter, shuffle, split and count games and positions; make them into what learning reads
    Data(data::Args),
    /// Learn weights from games
    Tune(Box<tune::Args>),
    /// Train policy and value nets from games
    Train(Box<train::Args>),
    /// Tune options of any engine by games
    Spsa(spsa::Args),
    /// Play by hand at a console, and let weights learn
    Play(play::Args),
    /// Show, compare, mix and apply weights
    Weights(weights::Args),
    /// Show, convert, average and time networks
    Net(net::Args),
    /// Run a network for engines on other machines
    PolicyServer(policy_server::Args),
    /// Play matches between engines, and say which is stronger
    Match(Box<match_::Args>),
    /// Build versions of an engine from git revisions, ready for a match
    Builds(Box<builds::Args>),
    /// Run matches, self-play and tuning on many machines
    Fleet(fleet::Args),
    /// Open the web page: play, watch and look inside the search
    Serve(serve::Args),
    /// Measure nodes and speed of searches and rules
    Bench(bench::Args),
    /// Explain an evaluation term by term
    Explain(explain::Args),
    /// Analyse whole games: values, better moves, mistakes
    #[command(visible_alias = "analyze")]
    Analyse(analyse::Args),
    /// Show the search tree of a position, save it and open it again
    Tree(tree::Args),
    /// Make, show and edit opening books
    Book(book::Args),
    /// Show, prune and export the positions that best-first search has learned
    Learned(learned::Args),
    /// Prove or disprove mates
    Solve(solve::Args),
    /// Run regression files of GTP
    Regress(regress::Args),
    /// Count the leaves of the move tree
    Perft(perft::Args),
    /// Say what the rules say about positions, and compare that with other engines
    Selftest(selftest::Args),
    /// List the options of an engine
    Options(options::Args),
    /// Say what this machine has and lacks for Tesuji
    Doctor(doctor::Args),
    /// Print the completions of a shell
    Completions(completions::Args),
    /// Write the manual pages
    Manual(completions::ManualArgs),
    /// Draw an owl
    Owl(owl::Args),
}

impl Command {
    /// Whether the results are in files, so that the work goes on when nobody reads what is printed.
    fn outlives_its_reader(&self) -> bool {
        // A match that is played says so by itself: it also computes.
        matches!(
            self,
            Command::Improve(_)
                | Command::Selfplay(_)
                | Command::Tune(_)
                | Command::Train(_)
                | Command::Spsa(_)
                | Command::CsaClient(_)
                | Command::Builds(_)
                | Command::PolicyServer(_)
                | Command::Fleet(_)
                | Command::Serve(_)
        )
    }
}

/// Asserts the expensive invariants of search and evaluation where the environment asks for it.
fn enable_invariants() -> Result<(), String> {
    let asked = std::env::var_os("TESUJI_INVARIANTS").is_some_and(|word| word != "0");
    if asked && !tesuji_game::invariants::enable() {
        return Err("TESUJI_INVARIANTS: this build has no debug assertions; use a build without --release".into());
    }
    Ok(())
}

/// Runs the program, which knows `games`, with the arguments of this process.
pub fn main(games: Games) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    version::become_faster_build(&words);
    if let Some(told) = version::json_asked(&words) {
        println!("{told}");
        return ExitCode::SUCCESS;
    }
    games::start_with(games);
    tesuji_fleet::set_program_version(version::short());
    let (source, build) = (tesuji_builds::order_of, tesuji_builds::build_ordered);
    tesuji_fleet::set_program_builder(tesuji_fleet::ProgramBuilder { source, build });
    if let Err(lacking) = version::check_processor().and_then(|()| enable_invariants()) {
        eprintln!("tesuji: {lacking}");
        return ExitCode::from(2);
    }
    let code = uci::run_as_link(&words).unwrap_or_else(|| run(bounds::parse(&words), &words)).unwrap_or_else(|error| {
        eprintln!("tesuji: {}", tesuji_jobs::terminal::error_text(&format!("{error:#}")));
        let is_unwritten = tesuji_jobs::was_unwritten();
        tesuji_report::unwritten::going_on(&words)
            .filter(|_| is_unwritten)
            .into_iter()
            .for_each(|how| eprintln!("{how}"));
        ExitCode::from(if is_unwritten { 1 } else { 2 })
    });
    // What was not printed is no success.
    if terminal::finish() || code != ExitCode::SUCCESS { code } else { ExitCode::FAILURE }
}

fn run(cli: Cli, words: &[OsString]) -> anyhow::Result<ExitCode> {
    logs::start(&cli.logs)?;
    // A job of the page writes into its own folder alone, and begins again there after it was stopped.
    if cli.logs.force || cli.job_control.is_some() {
        tesuji_jobs::allow_replacing();
    }
    if cli.command.outlives_its_reader() {
        terminal::go_on_without_reader();
    }
    if let Some(folder) = &cli.job_control {
        tesuji_jobs::job_control::take(folder)
            .map_err(|error| anyhow::anyhow!("--job-control {}: {error}", folder.display()))?;
    }
    match cli.command {
        Command::Uci(args) => uci::run(args),
        Command::Usi(args) => uci::run_usi(args),
        Command::Gtp(args) => uci::run_gtp(args),
        Command::Analysis(args) => analysis::run(args),
        Command::Engine(args) => uci::run_engine(args),
        Command::Improve(args) => improve::run(args),
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Data(args) => data::run(args),
        Command::Tune(args) => tune::run(*args, &cli.logs),
        Command::Train(args) => train::run(&args, tesuji_jobs::command_line("tesuji", words)),
        Command::Spsa(args) => spsa::run(args),
        Command::Play(args) => play::run(args),
        Command::Weights(args) => weights::run(args),
        Command::Net(args) => net::run(args),
        Command::PolicyServer(args) => policy_server::run(args),
        Command::Match(args) => match_::run(*args, words_behind("match", words)?),
        Command::Builds(args) => builds::run(*args),
        Command::Fleet(args) => fleet::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Analyse(args) => analyse::run(args),
        Command::Tree(args) => tree::run(args),
        Command::Book(args) => book::run(args),
        Command::CsaClient(args) => csa_client::run(args),
        Command::Learned(args) => learned::run(args),
        Command::Solve(args) => solve::run(args),
        Command::Regress(args) => regress::run(args),
        Command::Perft(args) => perft::run(args),
        Command::Selftest(args) => selftest::run(args),
        Command::Options(args) => options::run(args),
        Command::Doctor(args) => doctor::run(args),
        Command::Completions(args) => completions::run(args),
        Command::Manual(args) => completions::run_manual(args),
        Command::Owl(args) => owl::run(args),
    }
}

/// The words of the command line behind a subcommand, which keeps them as text.
fn words_behind(command: &str, words: &[OsString]) -> anyhow::Result<Vec<String>> {
    let text = |word: &OsString| {
        let not_text =
            || format!("{} is no text in UTF-8: {command} keeps its arguments in its journal", word.display());
        word.to_str().map(str::to_string).with_context(not_text)
    };
    words.iter().skip_while(|word| *word != command).skip(1).map(text).collect()
}

/// This program, whose own engines of the game of `kit` play in matches.
fn own_program(kit: &dyn tesuji_kit::Kit) -> anyhow::Result<tesuji_arena::OwnProgram> {
    let path = std::env::current_exe().context("this program does not know its own path")?;
    Ok(tesuji_arena::OwnProgram { path, words: uci::words_of(kit.name()), version: version::short().to_string() })
}
