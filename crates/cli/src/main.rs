//! The binary: one file per subcommand. The only crate that names the games.

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
mod games;
mod improve;
mod learned;
mod lessons;
mod logs;
mod match_;
mod memory;
mod net;
mod options;
mod oracle;
mod owl;
mod page;
mod perft;
mod play;
mod policy_server;
mod position;
mod quiescence;
mod regress;
mod selfplay;
mod selfplay_net;
mod selftest;
mod serve;
mod solve;
mod spsa;
mod sums;
mod svg;
mod thought;
mod train;
mod tree;
mod tune;
mod uci;
mod version;
mod weights;
mod world;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// A workshop for the people who write game engines for chess, shogi and go.
///
/// An engine's whole life in one program: rules, search, evaluation, protocols, matches that prove a change,
/// records, learning. Start with `tesuji improve chess --from material --budget 5m`.
#[derive(Parser)]
#[command(name = "tesuji", version = version::short(), long_version = version::long(), max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    logs: logs::Args,
    /// The folder of the job that this process is; whoever started it says on stdin when it is to stop
    #[arg(long, hide = true, value_name = "DIR")]
    leash: Option<std::path::PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Go round the circle: self-play, learning, a match, a verdict
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
    Selfplay(selfplay::Args),
    /// Convert, filter, shuffle, split and count games and positions; make them into what learning reads
    Data(data::Args),
    /// Learn weights from games
    Tune(Box<tune::Args>),
    /// Train policy and value nets from games
    Train(Box<train::Args>),
    /// Tune numbers of the search by games
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
    /// Open the web page: play, watch and look inside the search
    Serve(serve::Args),
    /// Measure nodes and speed of searches and rules
    Bench(bench::Args),
    /// Explain an evaluation term by term
    Explain(explain::Args),
    /// Look whole games over: values, better moves, mistakes
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

/// What a shell calls the end of a program whose reader is gone: 128 and the number of the signal.
const NO_READER: i32 = 141;

/// A reader that has seen enough (`| head`) ends the program without a word.
fn end_with_reader() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let words = panic.payload_as_str().unwrap_or_default();
        if words.starts_with("failed printing to stdout") && words.contains("Broken pipe") {
            std::process::exit(NO_READER);
        }
        usual(panic);
    }));
}

/// Asserts the expensive invariants of search and evaluation where the environment asks for it.
fn enable_invariants() -> Result<(), String> {
    let asked = std::env::var_os("TESUJI_INVARIANTS").is_some_and(|word| word != "0");
    if asked && !tesuji_game::invariants::enable() {
        return Err("TESUJI_INVARIANTS: this build has no debug assertions; use a build without --release".into());
    }
    Ok(())
}

fn main() -> ExitCode {
    end_with_reader();
    if let Err(lacking) = version::check_processor().and_then(|()| enable_invariants()) {
        eprintln!("tesuji: {lacking}");
        return ExitCode::from(2);
    }
    match uci::run_as_link().unwrap_or_else(|| run(bounds::parse())) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("tesuji: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    logs::start(&cli.logs)?;
    if let Some(folder) = &cli.leash {
        tesuji_jobs::leash::take(folder).map_err(|error| anyhow::anyhow!("--leash {}: {error}", folder.display()))?;
    }
    match cli.command {
        Command::Uci(args) => uci::run(args),
        Command::Usi(args) => uci::run_usi(args),
        Command::Gtp(args) => uci::run_gtp(args),
        Command::Analysis(args) => analysis::run(args),
        Command::Engine(args) => uci::run_engine(args),
        Command::Improve(args) => improve::run(args),
        Command::Selfplay(args) => selfplay::run(args),
        Command::Data(args) => data::run(args),
        Command::Tune(args) => tune::run(*args, &cli.logs),
        Command::Train(args) => train::run(*args),
        Command::Spsa(args) => spsa::run(args),
        Command::Play(args) => play::run(args),
        Command::Weights(args) => weights::run(args),
        Command::Net(args) => net::run(args),
        Command::PolicyServer(args) => policy_server::run(args),
        Command::Match(args) => match_::run(*args),
        Command::Builds(args) => builds::run(*args),
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
