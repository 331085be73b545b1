//! `tesuji solve`: is there a mate, is a chain of go captured? Proved, disproved, or a limit was reached; each claim is checked
//! by the rules.

mod go;
mod live;
mod proof;
mod set;

use crate::position::{self, Pasted};
use anyhow::bail;
use serde_json::{Value, json};
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_chess::Chess;
use tesuji_game::{Game, Mating, Notation, Position, Side, Tactical};
use tesuji_jobs::{Existing, Interrupt, check_output};
use tesuji_search::mate::{Answer, Knobs, MateLimits, MateSearch, NoStrategy, Settings, Strategy};
use tesuji_shogi::Shogi;

/// Arguments of `tesuji solve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji solve chess --fen '7k/8/5K2/6Q1/8/8/8/8 w - - 0 1'\n  \
    tesuji solve shogi --sfen '4k4/9/4P4/9/9/9/9/9/9 b 2G2r2b2g4s4n4l17p 1' --verify --json\n  \
    tesuji solve shogi --set problems.txt --nodes 1000000 --jobs 4\n  \
    tesuji solve shogi --sfen '…' --threads 4 --shortest --proof proof.dot\n  \
    tesuji solve go --position '5/5/1XX2/1XO2/2X2 b' --goal 'capture C2' --verify\n  \
    tesuji solve go --set problems/ --time 10\n\n\
    Mates by checks alone; chains within a region. Exit codes: 0 a mate (go: yes), 1 none or a limit was reached (with --set: 0), 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The game: chess, shogi or go
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// The position: FEN for chess, SFEN for shogi, rows and side for go; also a line of UCI or USI, as in 'position sfen … moves …'
    #[arg(long, visible_aliases = ["sfen", "position"], value_name = "TEXT", required_unless_present = "set", conflicts_with = "set")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE", conflicts_with = "set")]
    moves: Vec<String>,
    /// What is asked in go: capture, ladder or live, and a point of the chain, as in 'live C3'
    #[arg(long, value_name = "GOAL", conflicts_with = "set")]
    goal: Option<String>,
    /// Where both sides may play in go, as two corners: 'A1 E5' [default: everywhere]
    #[arg(long, value_name = "CORNERS", conflicts_with = "set")]
    region: Option<String>,
    /// A file of problems (in go also a folder, of diagrams and SGF): a position a line, or lines of name, position and known answer parted by tabs
    #[arg(long, value_name = "FILE")]
    set: Option<PathBuf>,
    /// Ask whether the side to move is mated, not whether it mates
    #[arg(long)]
    defend: bool,
    /// Seconds for each problem
    #[arg(long, visible_alias = "seconds", value_name = "SECONDS")]
    time: Option<f64>,
    /// Nodes for each problem: positions whose moves are looked at
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies of the mate at most
    #[arg(long, value_name = "N")]
    plies: Option<u16>,
    /// Look for the shortest mate, after one was found
    #[arg(long)]
    shortest: bool,
    /// Replay the whole proof or disproof by the rules alone
    #[arg(long)]
    verify: bool,
    /// Write the proof as a tree: .json, .dot for Graphviz, .kif (shogi) or .pgn (chess) as a game with variations
    #[arg(long, value_name = "FILE", conflicts_with = "set")]
    proof: Option<PathBuf>,
    /// Memory for each problem at a time, in MiB
    #[arg(long, value_name = "MIB", default_value_t = Settings::default().hash_mib)]
    hash: usize,
    /// Switch a part of the solver: MateDominance=false, …
    #[arg(long = "set-option", visible_alias = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Problems at a time (with --set)
    #[arg(long, short, value_name = "J", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    jobs: u16,
    /// Threads on each problem. One finds the same with the same nodes every time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    /// Print JSON; with --set one object a line
    #[arg(long)]
    json: bool,
}

/// Solves.
///
/// # Errors
/// Wrong usage or input.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.game.as_str() {
        "go" => go::run(&args),
        _ if args.goal.is_some() || args.region.is_some() => bail!("--goal and --region are for go"),
        "shogi" => Room::<Shogi>::new(&args)?.run(),
        _ => Room::<Chess>::new(&args)?.run(),
    }
}

/// A game's solver with its notation.
struct Room<'a, G: Game> {
    args: &'a Args,
    settings: Settings,
    knobs: Knobs,
    rules: G::Rules,
}

/// What came of a problem.
struct Solved<M> {
    answer: Answer,
    /// The mate is proved to be the shortest.
    is_shortest: bool,
    line: Vec<M>,
    nodes: u64,
    time: Duration,
    /// Positions that the checker looked at; `None`: not asked, or nothing to check.
    verified: Option<usize>,
}

impl<'a, G> Room<'a, G>
where
    G: Game,
    G::Position: Mating + Tactical,
{
    fn new(args: &'a Args) -> anyhow::Result<Room<'a, G>> {
        let mut knobs = Knobs::default();
        for option in &args.options {
            let Some((name, value)) = option.split_once('=') else {
                bail!("--set-option {option}: expected NAME=VALUE")
            };
            tesuji_options::Options::set(&mut knobs, name, value)?;
        }
        let settings = Settings { hash_mib: args.hash };
        Ok(Room { args, settings, knobs, rules: G::Rules::default() })
    }

    fn run(&self) -> anyhow::Result<ExitCode> {
        if let Some(file) = &self.args.set {
            return self.run_set(file);
        }
        if let Some(path) = &self.args.proof {
            proof::expect_form(G::NAME, path)?;
            check_output(path, Existing::Refuse)?;
        }
        let pos = self.position()?;
        let mut search = self.search();
        let (solved, strategy) = self.solve(&mut search, &pos, &Interrupt::of_process())?;
        if self.args.json {
            println!("{}", self.json(&pos, &solved));
        } else {
            self.print(&pos, &solved);
        }
        match (&self.args.proof, &strategy) {
            (Some(path), Some(strategy)) => proof::write::<G>(path, &pos, strategy)?,
            (Some(path), None) => eprintln!("tesuji: {} is not written: nothing is proved", path.display()),
            (None, _) => {}
        }
        let is_mate = matches!(solved.answer, Answer::Mate(_));
        Ok(if is_mate { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// A search as the arguments want it.
    fn search(&self) -> MateSearch<G::Position> {
        MateSearch::with_threads(&self.settings, &self.knobs, usize::from(self.args.threads))
    }

    fn position(&self) -> anyhow::Result<G::Position> {
        position::read::<G>(&self.rules, self.args.fen.as_ref(), &self.args.moves)
    }

    /// Solves one problem as the arguments say.
    #[allow(clippy::type_complexity)]
    fn solve(
        &self,
        search: &mut MateSearch<G::Position>,
        pos: &G::Position,
        interrupt: &Interrupt,
    ) -> anyhow::Result<(Solved<<G::Position as Position>::Move>, Option<Strategy<G::Position>>)> {
        let args = self.args;
        let attacker = if args.defend { !pos.side_to_move() } else { pos.side_to_move() };
        let limits = MateLimits { plies: args.plies, nodes: args.nodes };
        let began = Instant::now();
        let time = args.time.map(|s| Duration::from_secs_f64(s.clamp(0.0, 1e9)));
        let mut stop = |_| interrupt.is_raised() || time.is_some_and(|time| began.elapsed() >= time);
        let mut answer = match tesuji_jobs::leash::folder() {
            Some(_) => live::solve::<G>(search, pos, attacker, limits, &mut stop),
            None => search.solve(pos, attacker, limits, &mut stop),
        };
        let mut is_shortest = false;
        if let (Answer::Mate(plies), true) = (answer, args.shortest) {
            let (plies, proved) = search.shorten(pos, plies, &mut stop);
            (answer, is_shortest) = (Answer::Mate(plies), proved);
        }
        let nodes = search.nodes();
        let time = began.elapsed();
        let wants_all = args.verify || args.proof.is_some();
        // The line of a mate is worth looking for; all answers to all checks only where somebody asks.
        let wanted = matches!(answer, Answer::Mate(_)) || wants_all;
        let mut never = |_| interrupt.is_raised();
        let strategy = match wanted.then(|| search.strategy(pos, answer, &mut never)) {
            Some(Ok(strategy)) => Some(strategy),
            None | Some(Err(NoStrategy::Unsolved | NoStrategy::Stopped)) => None,
            Some(Err(_)) => bail!("the proof does not fit into memory: --hash {} is too little", args.hash),
        };
        let mut verified = None;
        if let (Some(strategy), true) = (&strategy, args.verify) {
            // What the checker refuses must never be told as an answer.
            verified = Some(strategy.check(pos).map_err(|flaw| anyhow::anyhow!("the proof does not hold: {flaw}"))?);
        }
        let line = strategy.as_ref().filter(|s| s.is_mate()).map_or_else(Vec::new, |s| s.line(pos));
        Ok((Solved { answer, is_shortest, line, nodes, time, verified }, strategy))
    }

    /// The line in the protocol's notation.
    fn line_text(pos: &G::Position, line: &[<G::Position as Position>::Move]) -> Vec<String> {
        let mut here = pos.clone();
        line.iter()
            .map(|&mv| {
                let text = move_text::<G>(&here, mv);
                here.play(mv);
                text
            })
            .collect()
    }

    fn json(&self, pos: &G::Position, solved: &Solved<<G::Position as Position>::Move>) -> Value {
        let line = Self::line_text(pos, &solved.line);
        json!({
            "answer": answer_word(solved.answer), "plies": plies_of(solved.answer),
            "shortest": solved.is_shortest, "line": line, "nodes": solved.nodes,
            "seconds": solved.time.as_secs_f64(), "verified": solved.verified.is_some(),
            "positions_verified": solved.verified,
        })
    }

    fn print(&self, pos: &G::Position, solved: &Solved<<G::Position as Position>::Move>) {
        match solved.answer {
            Answer::Mate(plies) if solved.is_shortest => println!("mate in {plies} plies, and in no fewer"),
            Answer::Mate(plies) => println!("mate in {plies} plies at most"),
            Answer::NoMate => println!("no mate by checks, of any length"),
            Answer::NoMateWithin(plies) => println!("limit: no mate within {plies} plies"),
            _ => println!("limit: not solved"),
        }
        if !solved.line.is_empty() {
            println!("line: {}", Self::line_text(pos, &solved.line).join(" "));
        }
        println!("{} nodes, {:.3} s", solved.nodes, solved.time.as_secs_f64());
        if let Some(positions) = solved.verified {
            println!("verified by the rules alone: {positions} positions");
        }
    }
}

/// A move in the protocol's notation.
fn move_text<G: Game>(pos: &G::Position, mv: <G::Position as Position>::Move) -> String {
    let mut text = String::new();
    let _ = G::Notation::write_move(pos, mv, &mut text);
    text
}

/// The answer in a word: a limit of plies is a limit.
fn answer_word(answer: Answer) -> &'static str {
    match answer {
        Answer::Mate(_) => "mate",
        Answer::NoMate => "nomate",
        _ => "limit",
    }
}

fn plies_of(answer: Answer) -> Option<u16> {
    if let Answer::Mate(plies) = answer { Some(plies) } else { None }
}

/// Whose moves a strategy gives, as a word.
fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}
