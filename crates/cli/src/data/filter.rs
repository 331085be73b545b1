//! `tesuji data filter`: the games and positions that are wanted.

use super::{Near, Reading, Writing, carry_out, last_is_output, named, share};
use std::{path::PathBuf, process::ExitCode};
use tesuji_dataset::{
    data::{ENDINGS, Sieve},
    tasks::{DataTask, FilterTask, MatePreset, MateTask, parse_range as range},
};

/// Arguments of `tesuji data filter`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data filter games.pgn strong.pgn --finished --plies 40.. --tag White=stockfish\n  \
    tesuji data filter games.sgs.zst quiet.parquet --sofcheck\n  \
    tesuji data filter --game shogi floodgate/*.csa strong.csa --rating 3000.. --ending resignation --plies 60..\n  \
    tesuji data filter games.viri train.bullet --ply 16.. --no-checks --no-captures --score 0..2000 --pieces 5..\n  \
    tesuji data filter --game shogi starts.hcp quiet.hcp --mate mates.hcp\n\n\
    Ranges are A..B, A.. or ..B, both ends included. Where the output holds games, they are kept or dropped as wholes. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdin, stdout)
    #[arg(required_unless_present = "request", num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    mates: MateArgs,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
}

/// The games and positions that are kept.
#[derive(clap::Args)]
#[command(next_help_heading = "What is kept")]
struct Wanted {
    /// With a result
    #[arg(long)]
    finished: bool,
    /// With this result; several may be given
    #[arg(long, value_name = "RESULT", value_enum)]
    result: Vec<Outcome>,
    /// From games of this many plies
    #[arg(long, value_name = "RANGE", value_parser = range)]
    plies: Option<(u32, u32)>,
    /// From games whose tag contains a text, whatever the case
    #[arg(long, value_name = "NAME=TEXT", value_parser = tag)]
    tag: Vec<(String, String)>,
    /// From games that ended so: mate, no_moves, repetition, superiority, move_rule, material, points, declaration,
    /// resignation, time, illegal, agreement, adjudication, disconnect, void; several may be given
    #[arg(long, value_name = "WORD", value_parser = clap::builder::PossibleValuesParser::new(ENDINGS))]
    ending: Vec<String>,
    /// From games between players with such ratings (floodgate's comments, WhiteElo and BlackElo)
    #[arg(long, value_name = "RANGE", value_parser = range)]
    rating: Option<(u32, u32)>,
    /// Positions after this many plies
    #[arg(long, value_name = "RANGE", value_parser = range)]
    ply: Option<(u32, u32)>,
    /// Positions with this many plies to come
    #[arg(long, value_name = "RANGE", value_parser = range)]
    plies_left: Option<(u32, u32)>,
    /// Positions with a score
    #[arg(long)]
    scored: bool,
    /// Positions with a score of this size, in centipawns, no matter who is better: 0..50 is -50 to 50
    #[arg(long, value_name = "RANGE", value_parser = sizes, allow_hyphen_values = true)]
    score: Option<(u32, u32)>,
    #[command(flatten)]
    near: Near,
    /// Positions with this many pieces, kings included
    #[arg(long, alias = "men", value_name = "RANGE", value_parser = range)]
    pieces: Option<(u32, u32)>,
    /// Positions not in check
    #[arg(long)]
    no_checks: bool,
    /// Positions whose move neither takes nor promotes
    #[arg(long)]
    no_captures: bool,
    /// Positions not reached by a move that takes or promotes
    #[arg(long)]
    no_after_captures: bool,
    /// Positions not reached from a check
    #[arg(long)]
    no_after_checks: bool,
    /// The filter of SoFCheck's make_dataset: --ply 5.. --no-checks --no-after-captures --no-after-checks
    #[arg(long)]
    sofcheck: bool,
    /// A random share of what is left
    #[arg(long, value_name = "SHARE", value_parser = share)]
    sample: Option<f64>,
    /// Decides which
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
}

/// A result as it is asked for.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Outcome {
    /// Won by the side that moves first
    Win,
    /// Drawn
    Draw,
    /// Lost by the side that moves first
    Loss,
}

/// A range of sizes of scores, which have no sign.
fn sizes(text: &str) -> Result<(u32, u32), String> {
    match text.contains('-') {
        true => Err(format!("{text:?}: sizes of scores are asked for, no matter who is better: 0..50 is -50 to 50")),
        false => range(text),
    }
}

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, part) = text.split_once('=').ok_or_else(|| format!("{text:?}: expected NAME=TEXT"))?;
    Ok((name.to_string(), part.to_string()))
}

impl Wanted {
    fn sieve(&self) -> Sieve {
        let results = self.result.iter().map(|r| match r {
            Outcome::Win => 2,
            Outcome::Draw => 1,
            Outcome::Loss => 0,
        });
        Sieve {
            finished: self.finished,
            results: results.collect(),
            plies: self.plies,
            tags: self.tag.clone(),
            endings: ENDINGS
                .iter()
                .filter(|word| self.ending.iter().any(|asked| asked == *word))
                .map(ToString::to_string)
                .collect(),
            rating: self.rating,
            ply: self.ply.or(self.sofcheck.then_some((5, u32::MAX))),
            plies_left: self.plies_left,
            scored: self.scored,
            score_cp: self.score,
            score_below: self.near.score_below.map(|below| (below.into(), self.near.or_ply_max.map(u32::from))),
            pieces: self.pieces,
            no_checks: self.no_checks || self.sofcheck,
            no_captures: self.no_captures,
            no_after_captures: self.no_after_captures || self.sofcheck,
            no_after_checks: self.no_after_checks || self.sofcheck,
            share: self.sample.map(|share| (share, self.seed)),
        }
    }
}

/// The limit of the search for mates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum PresetArg {
    /// Up to 300 plies, 5,000 nodes
    Quick,
    /// 20 plies, 1,048,576 nodes: those of Yamaoka's diary of 2018
    Diary,
    /// Up to 300 plies, 10,000,000 nodes
    Deep,
}

/// The question of the command line.
#[derive(clap::Args)]
#[command(next_help_heading = "Mates")]
struct MateArgs {
    /// Write positions where the side to move mates, or is in check and mated, to this file instead
    #[arg(long, value_name = "FILE")]
    mate: Option<std::path::PathBuf>,
    /// The limit of the search for mates
    #[arg(long, value_name = "PRESET", value_enum, default_value = "diary", requires = "mate")]
    mate_limits: PresetArg,
    /// Nodes for each question at most, whatever the preset
    #[arg(long, value_name = "N", requires = "mate")]
    mate_nodes: Option<u64>,
    /// Plies of the mate at most, whatever the preset
    #[arg(long, value_name = "N", requires = "mate")]
    mate_plies: Option<u16>,
    /// Memory of each thread's search in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, requires = "mate")]
    mate_hash: usize,
}

impl MateArgs {
    fn request(self) -> Option<MateTask> {
        let preset = match self.mate_limits {
            PresetArg::Quick => MatePreset::Quick,
            PresetArg::Diary => MatePreset::Diary,
            PresetArg::Deep => MatePreset::Deep,
        };
        let (nodes, plies, hash_mib) = (self.mate_nodes, self.mate_plies, self.mate_hash);
        self.mate.map(|output| MateTask { output, preset, nodes, plies, hash_mib })
    }
}

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { files, wanted, mates, reading, writing } = args;
    carry_out(&reading, writing.json, &named(reading.quiet), || {
        let (inputs, output) = last_is_output(files)?;
        let (writing, mates) = (writing.into(output), mates.request());
        let task = FilterTask { writing, wanted: wanted.sieve(), mates };
        Ok(reading.request(inputs, DataTask::Filter(task.into())))
    })
}
