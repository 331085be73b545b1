//! `tesuji data filter`: the games and positions that are wanted.

use super::mates::Asked;
use super::near::Near;
use super::task::{Reading, Task, Writing, last_is_output, range};
use anyhow::bail;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_dataset::data::{ENDINGS, Item, Job, KeepGame, Output, Routed, Sieve, convert};
use tesuji_kit::mates::{MateJudge, Verdict};
use tesuji_record::{Fault, GameRecord};

/// Arguments of `tesuji data filter`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji data filter games.pgn strong.pgn --finished --plies 40.. --tag White=stockfish\n  \
    tesuji data filter games.sgs.zst quiet.parquet --sofcheck\n  \
    tesuji data filter --game shogi floodgate/*.csa strong.csa --rating 3000.. --ending resignation --plies 60..\n  \
    tesuji data filter games.viri train.bullet --ply 16.. --no-checks --no-captures --score 0..2000 --men 5..\n  \
    tesuji data filter --game shogi starts.hcp quiet.hcp --mate mates.hcp\n\n\
    Ranges are A..B, A.. or ..B, both ends included. Where the output holds games, they are kept or dropped as wholes. \
    Exit codes: 0 done, 1 nothing could be written, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The files to read and, last, the file to write (`-`: stdin, stdout)
    #[arg(required = true, num_args = 2.., value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    mates: Asked,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    writing: Writing,
    /// Go on with work that was stopped
    #[arg(long)]
    resume: bool,
}

/// What is wanted.
#[derive(clap::Args)]
#[command(next_help_heading = "What is kept")]
struct Wanted {
    /// With a result
    #[arg(long)]
    finished: bool,
    /// With this result; several may be given
    #[arg(long, value_name = "RESULT", value_enum)]
    result: Vec<Outcome>,
    /// From games of so many plies
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
    /// Positions after so many plies
    #[arg(long, value_name = "RANGE", value_parser = range)]
    ply: Option<(u32, u32)>,
    /// Positions with so many plies to come
    #[arg(long, value_name = "RANGE", value_parser = range)]
    plies_left: Option<(u32, u32)>,
    /// Positions with a score
    #[arg(long)]
    scored: bool,
    /// Positions with a score of this size, in centipawns, whoever is better
    #[arg(long, value_name = "RANGE", value_parser = range)]
    score: Option<(u32, u32)>,
    #[command(flatten)]
    near: Near,
    /// Positions with so many pieces, kings included
    #[arg(long, value_name = "RANGE", value_parser = range)]
    men: Option<(u32, u32)>,
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

fn tag(text: &str) -> Result<(String, String), String> {
    let (name, part) = text.split_once('=').ok_or_else(|| format!("{text:?}: expected NAME=TEXT"))?;
    Ok((name.to_string(), part.to_string()))
}

/// Reads a number from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|s| (0.0..=1.0).contains(s));
    share.ok_or_else(|| format!("{text:?}: expected a number from 0 to 1"))
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
            endings: ENDINGS.into_iter().filter(|word| self.ending.iter().any(|asked| asked == word)).collect(),
            rating: self.rating,
            ply: self.ply.or(self.sofcheck.then_some((5, u32::MAX))),
            plies_left: self.plies_left,
            scored: self.scored,
            score_cp: self.score,
            score_below: self.near.bounds(),
            men: self.men,
            no_checks: self.no_checks || self.sofcheck,
            no_captures: self.no_captures,
            no_after_captures: self.no_after_captures || self.sofcheck,
            no_after_checks: self.no_after_checks || self.sofcheck,
            share: self.sample.map(|share| (share, self.seed)),
        }
    }
}

/// Positions of a block where mates are looked for: the usual blocks of thousands would be lost at a stop.
const MATE_BLOCK_SCALE: usize = 1024;

pub(super) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let sieve = args.wanted.sieve();
    let (inputs, path) = last_is_output(&args.files)?;
    let mut task = Task::new("filter", &args.reading, inputs)?;
    let output = task.output(path, &args.writing)?;
    task.resume(args.resume);
    args.wanted.near.check(&task)?;
    task.word(format!("{sieve:?}"));
    let of_games = task.inputs.iter().all(|i| i.format.holds_games());
    if output.format.holds_games() && (sieve.asks_positions() || args.mates.mate.is_some()) {
        bail!(
            "{} holds games, which are kept as wholes: what is asked of positions needs a format of positions",
            path.display()
        );
    }
    if sieve.asks_games() && !of_games {
        bail!("--plies, --tag, --ending and --rating ask whole games: positions do not know them");
    }
    if sieve.asks_before() && !of_games {
        bail!("positions do not know what came before them: filter the games they come from");
    }
    let mut outputs = vec![output];
    let judge = match &args.mates.mate {
        Some(mated) => Some(prepare_mates(&mut task, &args, mated, path, &mut outputs)?),
        None => None,
    };
    // Games are dropped before they become positions.
    let before = Sieve {
        finished: sieve.finished,
        plies: sieve.plies,
        tags: sieve.tags.clone(),
        endings: sieve.endings.clone(),
        rating: sieve.rating,
        ..Sieve::default()
    };
    let lens = task.lens;
    let tally = task.run(|job| {
        let keep_game = |game: &GameRecord<String>| before.keeps_game(game);
        let keep_game: Option<KeepGame<'_>> = if of_games { Some(&keep_game) } else { None };
        convert(&Job { keep_game, ..job.clone() }, &outputs, |block, routed: Routed, fault| {
            let kept = sieve.sift(routed, &lens, (block as u64) << 32, fault);
            match &judge {
                Some(judge) => part_mates(judge.as_ref(), kept, fault),
                None => vec![kept],
            }
        })
    })?;
    task.end(&tally, path, args.writing.json)
}

/// Makes ready for looking for mates: those found go to the file `mated`, all else to `path`.
fn prepare_mates(
    task: &mut Task,
    args: &Args,
    mated: &Path,
    path: &Path,
    outputs: &mut Vec<Output>,
) -> anyhow::Result<Box<dyn MateJudge>> {
    if mated == path || [mated, path].contains(&Path::new("-")) {
        bail!("--mate and the file to write are two files");
    }
    let output = task.output(mated, &args.writing)?;
    if output.format.holds_games() {
        bail!("{} holds games: mates are positions", mated.display());
    }
    outputs.push(output);
    task.word(format!("mates {:?}", args.mates.limits()));
    task.scale(MATE_BLOCK_SCALE);
    match args.mates.judge(crate::games::kit(task.game())?) {
        Some(judge) => Ok(judge),
        None => bail!("mates are looked for in chess and shogi, not in {}", task.game()),
    }
}

/// Parts positions into those that are no mates, as far as is known, and mates; counts what they are.
fn part_mates(judge: &dyn MateJudge, routed: Routed, fault: &mut dyn FnMut(u64, Fault)) -> Vec<Routed> {
    let mut found = std::collections::BTreeMap::new();
    let mut parts = routed.part(2, |item, number| {
        let Item::Sample(sample) = item else { return None };
        let verdict = match judge.judge(sample) {
            Ok(verdict) => verdict,
            Err(reason) => {
                fault(number, reason);
                return None;
            }
        };
        *found.entry(verdict.words()).or_insert(0) += 1;
        Some(usize::from(matches!(verdict, Verdict::Mates | Verdict::Mated)))
    });
    if let Some(first) = parts.first_mut() {
        first.found = found;
    }
    parts
}
