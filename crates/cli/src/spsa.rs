//! `tesuji spsa`: numbers of the search tuned by games.

use crate::{games, selfplay::threads};
use anyhow::{Context, bail};
use std::{path::PathBuf, process::ExitCode};
use tesuji_circle::{Duel, Openings, Setup, conditions, duel};
use tesuji_engine::Kit;
use tesuji_jobs::{Interrupt, LineJournal, Progress, Show};
use tesuji_options::{Kind, find};
use tesuji_tune::{Knob, SPSA_RATE, Spsa};

/// Arguments of `tesuji spsa`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji spsa chess --option RazoringMargin --option FutilityBase=90:20..200/10 --iterations 2000 --journal s.journal\n\n\
    In each iteration all options are changed at once, at random, up on one side of a short match and down on the other.\n\
    Every result goes into the journal; the same command goes on where it ended. Exit codes: 0 done, 2 wrong usage or\n\
    input, 4 stopped.")]
pub(crate) struct Args {
    /// The game: chess
    #[arg(value_parser = ["chess"])]
    game: String,
    /// An option to tune: NAME, or NAME=START:LEAST..GREATEST/STEP, where the step is what makes a few Elo
    #[arg(long = "option", value_name = "OPTION", required = true)]
    options: Vec<String>,
    /// Short matches
    #[arg(long, default_value_t = 1000, value_name = "N")]
    iterations: u32,
    /// Pairs of games in each match
    #[arg(long, default_value_t = 4, value_name = "N")]
    pairs: u64,
    /// Nodes a move
    #[arg(long, default_value_t = 2000, value_name = "N")]
    nodes: u64,
    /// How fast the options move at the end, in squared steps
    #[arg(long, default_value_t = SPSA_RATE, value_name = "RATE")]
    rate: f64,
    /// Weights that both sides play with; those built in when not given
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Where results are kept
    #[arg(long, value_name = "FILE")]
    journal: PathBuf,
    /// Decides openings and directions
    #[arg(long, default_value_t = 0, value_name = "S")]
    seed: u64,
    /// Threads (0: one for each core); the result does not depend on them
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The knob that `text` describes.
fn knob(kit: &dyn Kit, text: &str) -> anyhow::Result<Knob> {
    let (name, rest) = text.split_once('=').unwrap_or((text, ""));
    let mut player = kit.player("")?;
    let spec = find(&player.options().specs(), name)?;
    let Kind::Int { default, min, max, .. } = spec.kind else {
        bail!("{}: only options that are whole numbers can be tuned", spec.name);
    };
    let wrong = || format!("{text:?}: expected NAME=START:LEAST..GREATEST/STEP within {min}..{max}");
    let mut numbers = [default as f64, min as f64, max as f64, ((max - min) as f64 / 20.0).max(0.5)];
    if !rest.is_empty() {
        let words: Vec<&str> = rest.split([':', '/']).flat_map(|part| part.split("..")).collect();
        let [_, _, _, _] = words[..] else { bail!(wrong()) };
        for (number, word) in numbers.iter_mut().zip(words) {
            *number = word.trim().parse().with_context(wrong)?;
        }
    }
    let [start, low, high, step] = numbers;
    let inside = (min as f64) <= low && low <= start && start <= high && high <= max as f64;
    if !inside || step.is_nan() || step <= 0.0 {
        bail!(wrong());
    }
    Ok(Knob { name: spec.name.to_string(), start, bounds: [low, high], step })
}

/// Tunes.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let knobs = args.options.iter().map(|text| knob(kit, text)).collect::<anyhow::Result<Vec<_>>>()?;
    let weights = args.weights.as_ref().map_or("built in".to_string(), |w| w.display().to_string());
    let head = format!(
        "tesuji spsa: {} iterations of {} pairs, {} nodes, rate {}, seed {}, weights {weights}, {knobs:?}",
        args.iterations, args.pairs, args.nodes, args.rate, args.seed
    );
    let name = args.journal.display().to_string();
    let (mut journal, lines) = LineJournal::open(&args.journal, false).with_context(|| name.clone())?;
    let mut spsa = Spsa::new(knobs, args.iterations, args.rate, args.seed);
    match lines.first() {
        None => journal.append(&head)?,
        Some(there) if *there == head => {}
        Some(there) => bail!("{name}: cannot go on with another tuning\n  there: {there}\n  here:  {head}"),
    }
    for (index, line) in lines.iter().enumerate().skip(1) {
        let told = line.parse().with_context(|| format!("{name}, line {}: expected a number", index + 1))?;
        spsa.tell(told);
    }
    let stop = Interrupt::of_process();
    let show = if args.quiet { Show::Quiet } else { Show::Auto };
    let progress = Progress::start("tuning", "matches", Some(u64::from(args.iterations)), show);
    progress.resume_at(u64::from(spsa.done()));
    while let Some(sides) = spsa.next() {
        let Some(ahead) = match_of(kit, &args, &spsa, sides, &stop)? else { break };
        journal.append(&ahead.to_string())?;
        spsa.tell(ahead);
        let now: Vec<String> = spsa.values().iter().map(|v| format!("{v:.1}")).collect();
        progress.set_noted(u64::from(spsa.done()), &now.join(", "));
    }
    drop(progress);
    let mut options = String::new();
    for (knob, value) in spsa.knobs().iter().zip(spsa.values()) {
        println!("{:28}{:>8} -> {value:>8.1}", knob.name, knob.start);
        options += &format!(" option.{}={value:.0}", knob.name);
    }
    println!(
        "after {} of {} matches; prove it: tesuji match --engine 'name=new{options}' --engine name=old",
        spsa.done(),
        args.iterations
    );
    Ok(if spsa.done() < args.iterations { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// Games won less games lost by the first of two sides; `None` when it was stopped.
fn match_of(
    kit: &dyn Kit,
    args: &Args,
    spsa: &Spsa,
    sides: [Vec<i64>; 2],
    stop: &Interrupt,
) -> anyhow::Result<Option<f64>> {
    let setups = sides.map(|values| {
        let mut setup = args.weights.as_deref().map_or_else(Setup::default, Setup::with_weights);
        let options = spsa.knobs().iter().zip(values).map(|(knob, value)| (knob.name.clone(), value.to_string()));
        setup.options.extend(options);
        setup
    });
    let plan = Duel {
        setups,
        openings: Openings::random(8, args.seed.wrapping_add(u64::from(spsa.done()))),
        conditions: conditions(args.nodes),
        pairs: args.pairs,
        jobs: threads(args.jobs),
        until: None,
    };
    let standing = duel(kit, &plan, &[], stop, &mut |_, _, _| Ok(true))?;
    let whole = standing.games() == 2 * args.pairs;
    Ok(whole.then(|| standing.wdl[0] as f64 - standing.wdl[2] as f64))
}
