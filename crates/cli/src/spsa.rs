//! `tesuji spsa`: numbers of the search tuned by games.

use crate::games;
use anyhow::{Context, bail};
use std::{path::PathBuf, process::ExitCode};
use tesuji_arena::Conditions;
use tesuji_circle::{Duel, Openings, Setup, WEIGHTS_OPTION, conditions, duel};
use tesuji_jobs::{Interrupt, LineJournal, Progress, Show, threads};
use tesuji_kit::Kit;
use tesuji_kits::study;
use tesuji_options::{Kind, find};
use tesuji_tune::{Knob, SPSA_RATE, Spsa};

/// Arguments of `tesuji spsa`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji spsa chess --option RazoringMargin --option FutilityBase=90:20..200/10 --iterations 2000 --journal s.journal\n  \
    tesuji spsa go --option RaveEquivalence=1000:100..10000/300 --option PlayoutEscape --nodes 500 --journal g.journal\n\n\
    In each iteration all options are changed at once, at random, up on one side of a short match and down on the other.\n\
    Every result goes into the journal; the same command goes on where it ended. Exit codes: 0 done, 2 wrong usage or\n\
    input, 4 stopped.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = ["chess", "shogi", "go"])]
    game: String,
    /// How to search; when not given as the game's engine does
    #[arg(long, default_value = "", hide_default_value = true, value_name = "FAMILY")]
    search: String,
    /// The rules that are played [default: the usual ones, in go '9x9 chinese komi 7.5']
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// An option of both sides, such as PlayoutPolicy=light. May be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// An option to tune: NAME, or NAME=START:LEAST..GREATEST/STEP, where the step is what makes a few Elo
    #[arg(long = "option", value_name = "OPTION", required = true)]
    options: Vec<String>,
    /// Short matches
    #[arg(long, default_value_t = 1000, value_name = "N")]
    iterations: u32,
    /// Pairs of games in each match
    #[arg(long, default_value_t = 4, value_name = "N")]
    pairs: u64,
    /// Nodes a move; playouts in go [default: 2000, in go 500]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
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

/// The matches of a tuning.
struct Matches<'a> {
    kit: &'a dyn Kit,
    /// Both sides before any option is changed.
    setup: Setup,
    conditions: Conditions,
    openings: Openings,
    pairs: u64,
    jobs: usize,
}

impl<'a> Matches<'a> {
    fn of(args: &Args) -> anyhow::Result<Matches<'a>> {
        let kit = games::kit(&args.game)?;
        let is_go = args.game == "go";
        let nodes = args.nodes.unwrap_or(if is_go { 500 } else { 2000 });
        let rules = args.rules.as_deref().unwrap_or(if is_go { study::RULES } else { "" });
        let rules = crate::settings::full_rules(kit, rules)?;
        kit.table(&rules, None).with_context(|| format!("--rules {rules}"))?;
        let mut setup = Setup { family: args.search.clone(), ..Setup::default() };
        if is_go {
            setup.options.push(("Hash".into(), study::HASH_MIB.to_string()));
        }
        if let Some(path) = &args.weights {
            setup.options.push((WEIGHTS_OPTION.into(), path.display().to_string()));
        }
        for word in &args.set {
            let Some((name, value)) = word.split_once('=') else { bail!("--set {word}: it is NAME=VALUE") };
            setup.options.push((name.to_string(), value.to_string()));
        }
        setup.player(kit)?;
        let (conditions, openings) = match is_go {
            true => (study::terms(&rules, nodes), study::begin(study::RANDOM_PLIES, nodes, args.seed)),
            false => (Conditions { rules, ..conditions(nodes) }, Openings::random(8, args.seed)),
        };
        Ok(Matches { kit, setup, conditions, openings, pairs: args.pairs, jobs: threads(args.jobs) })
    }

    /// The knob that `text` describes.
    fn knob(&self, text: &str) -> anyhow::Result<Knob> {
        let (name, rest) = text.split_once('=').unwrap_or((text, ""));
        let mut player = self.setup.player(self.kit)?;
        let spec = find(&player.options().specs(), name)?;
        let (default, min, max, whole) = match spec.kind {
            Kind::Int { default, min, max } => (default as f64, min as f64, max as f64, true),
            Kind::Float { default, min, max } => (default, min, max, false),
            _ => bail!("{}: only options that are numbers can be tuned", spec.name),
        };
        let wrong = || format!("{text:?}: expected NAME=START:LEAST..GREATEST/STEP within {min}..{max}");
        let step = (max - min) / 20.0;
        let mut numbers = [default, min, max, if whole { step.max(0.5) } else { step }];
        if !rest.is_empty() {
            let words: Vec<&str> = rest.split([':', '/']).flat_map(|part| part.split("..")).collect();
            let [_, _, _, _] = words[..] else { bail!(wrong()) };
            for (number, word) in numbers.iter_mut().zip(words) {
                *number = word.trim().parse().with_context(wrong)?;
            }
        }
        let [start, low, high, step] = numbers;
        let inside = min <= low && low <= start && start <= high && high <= max;
        if !inside || step.is_nan() || step <= 0.0 {
            bail!(wrong());
        }
        Ok(Knob { name: spec.name.to_string(), start, bounds: [low, high], step, whole })
    }

    /// Games won less games lost by the first of two `sides`, in match number `number`; `None` when it was stopped.
    fn play(&self, knobs: &[Knob], sides: [Vec<f64>; 2], number: u32, stop: &Interrupt) -> anyhow::Result<Option<f64>> {
        let setups = sides.map(|values| {
            let mut setup = self.setup.clone();
            setup
                .options
                .extend(knobs.iter().zip(values).map(|(knob, value)| (knob.name.clone(), text_of(knob, value))));
            setup
        });
        let seed = self.openings.seed.wrapping_add(u64::from(number));
        let plan = Duel {
            setups,
            openings: Openings { seed, ..self.openings.clone() },
            conditions: self.conditions.clone(),
            pairs: self.pairs,
            jobs: self.jobs,
            until: None,
        };
        let standing = duel(self.kit, &plan, &[], stop, &mut |_, _, _| Ok(true))?;
        let whole = standing.games() == 2 * self.pairs;
        Ok(whole.then(|| standing.wdl[0] as f64 - standing.wdl[2] as f64))
    }
}

/// A number as the option takes it: whole, or to a ten-thousandth of its range.
fn text_of(knob: &Knob, value: f64) -> String {
    if knob.whole {
        return format!("{value:.0}");
    }
    let range = knob.bounds[1] - knob.bounds[0];
    let digits = (4.0 - range.log10()).ceil().clamp(0.0, 9.0) as usize;
    format!("{value:.digits$}")
}

/// Tunes.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let matches = Matches::of(&args)?;
    let knobs = args.options.iter().map(|text| matches.knob(text)).collect::<anyhow::Result<Vec<_>>>()?;
    let head = head(&args, &matches, &knobs);
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
        let Some(ahead) = matches.play(spsa.knobs(), sides, spsa.done(), &stop)? else { break };
        journal.append(&ahead.to_string())?;
        spsa.tell(ahead);
        let now: Vec<String> = spsa.knobs().iter().zip(spsa.values()).map(|(k, v)| short(k, *v)).collect();
        progress.set_noted(u64::from(spsa.done()), &now.join(", "));
    }
    drop(progress);
    tell(&args, &spsa);
    Ok(if spsa.done() < args.iterations { ExitCode::from(4) } else { ExitCode::SUCCESS })
}

/// What decides everything, as the first line of the journal says it.
fn head(args: &Args, matches: &Matches<'_>, knobs: &[Knob]) -> String {
    let Matches { setup, conditions, pairs, .. } = matches;
    let nodes = conditions.allowances[0].nodes.unwrap_or(0);
    format!(
        "tesuji spsa {}: {} iterations of {pairs} pairs, {nodes} nodes, rate {}, seed {}, rules {:?}, {setup:?}, {knobs:?}",
        args.game, args.iterations, args.rate, args.seed, conditions.rules
    )
}

/// A number on its way, with a digit more than it is played with.
fn short(knob: &Knob, value: f64) -> String {
    if knob.whole { format!("{value:.1}") } else { text_of(knob, value) }
}

/// Prints what was found, and how to prove it.
fn tell(args: &Args, spsa: &Spsa) {
    let mut options = String::new();
    for (knob, &value) in spsa.knobs().iter().zip(spsa.values()) {
        println!("{:28}{:>8} -> {:>8}", knob.name, knob.start, short(knob, value));
        options += &format!(" option.{}={}", knob.name, text_of(knob, value));
    }
    let common: String = args.set.iter().map(|setting| format!(" option.{setting}")).collect();
    let family = if args.search.is_empty() { String::new() } else { format!(" args=\"--search {}\"", args.search) };
    let game = if args.game == "chess" { String::new() } else { format!(" --game {}", args.game) };
    let rules = args.rules.as_ref().map_or(String::new(), |rules| format!(" --rules '{rules}'"));
    println!(
        "after {} of {} matches; prove it: tesuji match{game}{rules} --engine 'name=new{family}{common}{options}' \
         --engine 'name=old{family}{common}'",
        spsa.done(),
        args.iterations
    );
}
