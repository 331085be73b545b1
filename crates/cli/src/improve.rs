//! `tesuji improve`: the circle by itself, from weights to better weights and a match that proves them.

pub(crate) mod nets;
mod page;

use crate::{games, selfplay::stock, settings, version};
use anyhow::{Context, bail};
use nets::NetStudy;
use serde_json::json;
use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};
use tesuji_circle::{
    Standing,
    improve::{CONFIRM_TIMES, End, Improve, LessonNews, MatchOf, News, Round, Settings, Study, Tallied, Verdict},
};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show, threads};
use tesuji_kit::tuning::Tuning;
use tesuji_kits::study;
use tesuji_stats::{Interval, Pairs};
use tesuji_tune::{Settings as Learning, save_weights};

/// Arguments of `tesuji improve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji improve chess --from material --budget 5m\n  \
    tesuji improve chess --rounds 3 --games 2000 --pairs 200 --nodes 2000 --out runs/a\n  \
    tesuji improve chess --resume runs/a --confirm\n  \
    tesuji improve shogi --from material --budget 15m\n  \
    tesuji improve go --from uniform --budget 15m\n  \
    tesuji improve go --search mcts --from new --net 4x32 --budget 2h\n\n\
    Each round: self-play with the present weights, learning from the games, a match of the new weights against the\n\
    old; they are adopted when they score half or more (in go and for nets a test decides as soon as it can). At the end the final weights meet those of the start.\n\
    The folder of the run then holds report.html with all of it. See docs/improve.md.\n\
    Exit codes: 0 done, whatever the verdict; 2 wrong usage or input; 4 stopped (go on with --resume).")]
pub(crate) struct Args {
    /// The game: chess, shogi or go
    game: String,
    /// Weights to start from: material (piece values alone), uniform (go: every move alike, in playouts too), builtin, new
    /// (with --search mcts: a net of random numbers), or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    from: String,
    /// Who learns: mcts, a network that plays by Monte-Carlo tree search (go and shogi) [default: the hand-made evaluation;
    /// in go strengths of moves]
    #[arg(long, value_name = "FAMILY", value_parser = ["mcts"])]
    search: Option<String>,
    /// Residual blocks and channels of a new net [default: 4x32]
    #[arg(long, value_name = "BLOCKSxCHANNELS", requires = "search")]
    net: Option<String>,
    /// Time for everything, verdict included: 20s, 5m, 2h
    #[arg(long, value_parser = duration, value_name = "TIME")]
    budget: Option<Duration>,
    /// Rounds [default: as many as the budget is good for]
    #[arg(long, value_name = "N")]
    rounds: Option<u32>,
    /// Games of self-play in a round [default: as many as there is time for]
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Pairs of games in each match; the verdict has twice as many [default: as many as there is time for]
    #[arg(long, value_name = "N")]
    pairs: Option<u64>,
    /// Nodes a move; playouts in go and with nets [default: 400, in go 200, with nets 100]
    #[arg(long, value_name = "K")]
    nodes: Option<u64>,
    /// The rules that are played [default: the usual ones, in go '9x9 chinese komi 7.5', with nets komi 7]
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// An option of the players, such as PlayoutPolicy=heavy. May be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Begin games with the positions of a file (.sfen, .hcp, .hcpe, .psv and others), in an order that the seed decides
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Share of the game's result in what is learned; the rest is the search's own score [default: 0.5, with nets 0.8]
    #[arg(long, value_name = "SHARE")]
    result_share: Option<f64>,
    /// Repeat the verdict with ten times as many nodes a move (with --resume also of a run that is done)
    #[arg(long)]
    confirm: bool,
    /// Decides everything that time does not
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// With --search mcts: what computes, cpu, cuda or cuda:N (a program built with the feature cuda)
    #[arg(long, default_value_t, value_name = "DEVICE")]
    device: tesuji_cuda::Place,
    /// The folder of the run [default: runs/improve-GAME-N]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in DIR, with its settings
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "from", "budget", "starts", "rules", "set", "search", "net"])]
    resume: Option<PathBuf>,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Nodes a move where no number is asked for.
const NODES: u64 = 400;

/// Reads `20s`, `5m`, `2h`.
fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?}: expected a number and s, m or h, as in 5m");
    let unit = match text.chars().last().ok_or_else(wrong)? {
        's' => 1.0,
        'm' => 60.0,
        'h' => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    if !(number > 0.0 && number * unit <= 31e6) {
        return Err(format!("{text:?}: expected a time between nothing and a year"));
    }
    Ok(Duration::from_secs_f64(number * unit))
}

/// Goes round.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (kit, pupil) = (games::kit(&args.game)?, Pupil::of(&args)?);
    let (folder, settings) = open(&args, &pupil)?;
    let quiet = args.quiet || args.json;
    if !quiet {
        let time = settings.budget.map_or("no limit of time".into(), |b| format!("{:.0} s", b.as_secs_f64()));
        println!(
            "improving {} from {} in {} ({time}, {} rounds, {} threads)",
            args.game,
            settings.from,
            folder.display(),
            settings.rounds,
            settings.jobs
        );
    }
    let starts = settings.starts.as_deref().map(|path| stock(kit, path)).transpose()?;
    let stop = Interrupt::of_process();
    let study = pupil.study();
    let improve = Improve { kit, study: &*study, starts, folder: &folder, settings: settings.clone(), stop: &stop };
    let mut view = View { progress: None, show: if quiet { Show::Quiet } else { Show::Auto } };
    let end = improve.run(&mut |news| view.tell(news)).with_context(|| format!("the run in {}", folder.display()))?;
    view.progress = None;
    match end {
        End::Stopped => {
            println!("stopped; go on with: tesuji improve {} --resume {}", args.game, folder.display());
            Ok(ExitCode::from(4))
        }
        End::Done(verdict) => {
            let page = page::write(&folder, &pupil).with_context(|| format!("the report of {}", folder.display()))?;
            report((&args, &pupil), &settings, &verdict, &page)
        }
    }
}

/// Who learns.
enum Pupil {
    /// A game with a hand-made evaluation: its weights.
    Weights(&'static Tuning),
    /// Go: strengths of moves.
    Gammas,
    /// Go or shogi: a network.
    Net(NetStudy),
}

impl Pupil {
    /// Whoever learns: in a run that goes on, the one whose start is there.
    fn of(args: &Args) -> anyhow::Result<Pupil> {
        let had_net = |folder: &PathBuf| folder.join("start.safetensors").exists();
        let kit = games::kit(&args.game)?;
        match kit.name() {
            _ if args.search.is_none() && !args.resume.as_ref().is_some_and(had_net) => {}
            game @ ("go" | "shogi") => return Ok(Pupil::Net(NetStudy { game, device: args.device })),
            game => bail!("{game} has no networks; go and shogi have"),
        }
        if args.device != tesuji_cuda::Place::Processor {
            bail!("--device {}: networks run there, and this run has none: give --search mcts", args.device);
        }
        match kit.name() {
            "go" => Ok(Pupil::Gammas),
            game => Ok(Pupil::Weights(games::tuning(game)?)),
        }
    }

    fn game(&self) -> &'static str {
        match self {
            Pupil::Weights(subject) => subject.game(),
            Pupil::Gammas => "go",
            Pupil::Net(study) => study.game,
        }
    }

    /// The words of an engine that go before the name of a file of what was learned.
    fn file_option(&self) -> &'static str {
        if let Pupil::Net(_) = self { "NetFile" } else { "EvalFile" }
    }

    /// How it learns.
    fn study(&self) -> Box<dyn Study> {
        match self {
            Pupil::Weights(subject) => Box::new(Tallied { features: subject.features, canon: (subject.canon)() }),
            Pupil::Gammas => Box::new(study::GoStudy),
            &Pupil::Net(study) => Box::new(study),
        }
    }

    /// What is usual.
    fn usual(&self) -> Usual {
        let result_share = Learning::default().result_share;
        match self {
            Pupil::Weights(_) => Usual { rules: "", nodes: NODES, sprt: None, random_plies: 8, result_share },
            Pupil::Gammas => {
                let (sprt, random_plies) = (Some(study::SPRT), study::RANDOM_PLIES);
                Usual { rules: study::RULES, nodes: study::NODES, sprt, random_plies, result_share }
            }
            Pupil::Net(study) => Usual {
                rules: if study.game == "go" { nets::RULES } else { "" },
                nodes: nets::NODES,
                sprt: Some(nets::SPRT),
                random_plies: nets::RANDOM_PLIES,
                result_share: nets::RESULT_SHARE,
            },
        }
    }

    /// Writes what `from` means as the start of a run in `folder`.
    fn start(&self, args: &Args, settings: &Settings, folder: &Path) -> anyhow::Result<()> {
        let from = &*args.from;
        match self {
            Pupil::Net(study) => {
                study.start(from, args.net.as_deref().unwrap_or(nets::SHAPE), settings, folder)?;
            }
            Pupil::Weights(subject) => {
                let start = subject.weights(from)?;
                make(folder)?;
                save_weights(&folder.join("start.json"), &start, subject.game(), subject.terms())?;
            }
            Pupil::Gammas => {
                let start = study::gammas(from, made_by())?;
                make(folder)?;
                AtomicFile::write(&folder.join("start.txt"), start.text().as_bytes())?;
            }
        }
        Ok(())
    }
}

/// What is done where nothing is said.
struct Usual {
    rules: &'static str,
    nodes: u64,
    sprt: Option<[f64; 2]>,
    random_plies: u32,
    result_share: f64,
}

fn make(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("{}: cannot make the folder", folder.display()))
}

fn made_by() -> String {
    format!("tesuji {}", version::short())
}

/// The folder and settings of the run, new or there already.
fn open(args: &Args, pupil: &Pupil) -> anyhow::Result<(PathBuf, Settings)> {
    if let Some(folder) = &args.resume {
        let settings = Settings::load(folder)?;
        let mut settings = settings.with_context(|| format!("{}: no run of improve is there", folder.display()))?;
        if args.confirm && !settings.confirm {
            settings.confirm = true;
            settings.save(folder)?;
        }
        return Ok((folder.clone(), settings));
    }
    if args.budget.is_none() && (args.games.is_none() || args.pairs.is_none()) {
        bail!("say when to stop: --budget TIME, or --games and --pairs (and --rounds)");
    }
    let settings = settings(args, pupil)?;
    let folder = args.out.clone().unwrap_or_else(|| free_folder(pupil.game()));
    if folder.join("improve.json").exists() {
        bail!("{} holds a run already; go on with --resume {0}, or choose another --out", folder.display());
    }
    pupil.start(args, &settings, &folder)?;
    settings.save(&folder)?;
    Ok((folder, settings))
}

/// The settings of a new run.
fn settings(args: &Args, pupil: &Pupil) -> anyhow::Result<Settings> {
    let kit = games::kit(pupil.game())?;
    let usual = pupil.usual();
    let rules = args.rules.as_deref().unwrap_or(usual.rules);
    let rules = settings::full_rules(kit, rules)?;
    kit.table(&rules, None).with_context(|| format!("--rules {rules}"))?;
    let mut options = Vec::new();
    if matches!(pupil, Pupil::Gammas) && args.from == "uniform" {
        options.push(("PlayoutPolicy".to_string(), "learned".to_string()));
    }
    let mut player = kit.player(if let Pupil::Net(_) = pupil { "mcts" } else { "" })?;
    for (name, value) in settings::settings(&args.set)? {
        player.options().set(name, value)?;
        options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        options.push((name.to_string(), value.to_string()));
    }
    if let Pupil::Net(study) = pupil {
        study.knobs(&rules, &options)?;
    }
    Ok(Settings {
        made_by: made_by(),
        from: if args.from == "builtin" && matches!(pupil, Pupil::Net(_)) { "new".into() } else { args.from.clone() },
        rounds: args.rounds.unwrap_or_else(|| rounds_for(args.budget)).max(1),
        budget: args.budget,
        games: args.games,
        pairs: args.pairs,
        nodes: args.nodes.unwrap_or(usual.nodes),
        rules,
        options,
        sprt: usual.sprt,
        // Positions of a file come again: a little chance keeps their games apart.
        random_plies: if args.starts.is_some() { 2 } else { usual.random_plies },
        starts: args.starts.clone(),
        result_share: args.result_share.unwrap_or(usual.result_share),
        confirm: args.confirm,
        seed: args.seed,
        jobs: threads(args.jobs),
    })
}

/// Rounds that a budget is good for: each needs enough games to learn from.
fn rounds_for(budget: Option<Duration>) -> u32 {
    match budget.map_or(u64::MAX, |b| b.as_secs()) {
        0..45 => 1,
        45..150 => 2,
        150..400 => 4,
        400..1800 => 5,
        _ => 6,
    }
}

/// The first of `runs/improve-GAME-1`, `-2`, … that is free.
fn free_folder(game: &str) -> PathBuf {
    (1u32..).map(|n| Path::new("runs").join(format!("improve-{game}-{n}"))).find(|p| !p.exists()).unwrap_or_default()
}

/// What a person sees on the way.
struct View {
    progress: Option<Progress>,
    show: Show,
}

impl View {
    fn begin(&mut self, what: &str, unit: &'static str, total: Option<u64>) -> &Progress {
        self.progress = None;
        self.progress.insert(Progress::start(what, unit, total, self.show))
    }

    fn line(&self, text: &str) {
        match &self.progress {
            Some(progress) => progress.line(text),
            None if self.show != Show::Quiet => println!("{text}"),
            None => {}
        }
    }

    fn tell(&mut self, news: &News<'_>) {
        match news {
            News::Round(number, all) => {
                self.progress = None;
                self.line(&format!("round {number} of {all}"));
            }
            News::Games(played, total) => {
                if played.plies == 0 {
                    self.begin("  self-play", "games", *total).resume_at(played.games);
                }
                if let Some(progress) = &self.progress {
                    progress.set(played.games);
                }
            }
            News::Learning(LessonNews::Read { games, rows, what }) => {
                self.progress = None;
                self.line(&format!("  {games} games to learn from, {rows} {what}"));
                self.begin("  learning", "epochs", None);
            }
            News::Learning(LessonNews::Epoch(epoch, loss)) => {
                if let Some(progress) = &self.progress {
                    progress.set_noted(u64::from(*epoch), &format!("validation loss {loss:.5}"));
                }
            }
            News::Learning(LessonNews::Learned { loss: [before, after], note }) => {
                self.progress = None;
                let better = if after < before { "" } else { ", no better than before" };
                self.line(&format!("  validation loss {before:.5} -> {after:.5}{better}, {note}"));
            }
            News::Match { standing, match_ } => {
                if standing.games() <= 2 || self.progress.is_none() {
                    let what = match match_ {
                        MatchOf::Round => "  match",
                        MatchOf::Verdict => "verdict",
                        MatchOf::Confirmation => "confirmation",
                    };
                    self.begin(what, "games", None);
                }
                if let Some(progress) = &self.progress {
                    progress.set_noted(standing.games(), &shown(standing));
                }
            }
            News::Decided(round) => {
                self.progress = None;
                self.line(&decided(round));
            }
        }
    }
}

/// Elo of the pairs, if there are enough.
fn elo(standing: &Standing) -> Option<Interval> {
    Pairs(standing.pairs).elo()
}

fn shown(standing: &Standing) -> String {
    let [won, drawn, lost] = standing.wdl;
    let elo = elo(standing).map_or(String::new(), |e| format!(", Elo {:+.0} [{:+.0}, {:+.0}]", e.value, e.low, e.high));
    format!("+{won} ={drawn} -{lost}{elo}")
}

fn decided(round: &Round) -> String {
    match &round.standing {
        Some(standing) if standing.games() > 0 => {
            let what = if round.adopted { "adopted" } else { "rejected: the old weights stay" };
            format!("  new against old: {} in {} games: {what}", shown(standing), standing.games())
        }
        _ => "  nothing was learned from these games: the old weights stay".into(),
    }
}

fn report(
    (args, pupil): (&Args, &Pupil),
    settings: &Settings,
    verdict: &Verdict,
    page: &Path,
) -> anyhow::Result<ExitCode> {
    let proven = |standing: &Standing| elo(standing).is_some_and(|e| e.low > 0.0);
    if args.json {
        let told = |standing: &Standing| {
            let interval = elo(standing).map(|e| json!({ "value": e.value, "low": e.low, "high": e.high }));
            let [won, drawn, lost] = standing.wdl;
            json!({ "won": won, "drawn": drawn, "lost": lost, "pairs": standing.pairs, "elo": interval,
                "proven": proven(standing) })
        };
        let mut report = told(&verdict.standing);
        report["weights"] = json!(verdict.weights);
        report["unchanged"] = json!(verdict.unchanged);
        report["report"] = json!(page);
        report["confirmed"] = verdict.confirmed.as_ref().map_or(json!(null), told);
        println!("{}", serde_json::to_string_pretty(&report)?);
        return Ok(ExitCode::SUCCESS);
    }
    let nodes = settings.nodes;
    let games = verdict.standing.games();
    if verdict.unchanged {
        println!("verdict: no round changed the weights; they are those of the start, and there is nothing to prove");
        println!("report: {}", page.display());
        println!("weights: {}, those of the start", verdict.weights);
        return Ok(ExitCode::SUCCESS);
    }
    println!("verdict: final weights against those of the start, {games} games at {nodes} nodes a move");
    println!("  {} (95 %)", shown(&verdict.standing));
    if let Some(standing) = &verdict.confirmed {
        let (games, nodes) = (standing.games(), nodes.saturating_mul(CONFIRM_TIMES));
        println!("confirmation: {games} games at {nodes} nodes a move");
        println!("  {} (95 %)", shown(standing));
    }
    let words = match (proven(&verdict.standing), verdict.confirmed.as_ref().map(proven)) {
        (true, Some(true)) => "a gain is proven, and lasts with more nodes",
        (true, Some(false)) => "a gain is proven; whether it lasts with more nodes is not",
        (true, None) => "a gain is proven",
        (false, Some(true)) => "a gain is proven with more nodes only",
        (false, _) => "no gain is proven; give it more time",
    };
    println!("  {words}");
    println!("report: {}", page.display());
    println!("weights: {}", verdict.weights);
    let options: String = settings.options.iter().map(|(name, value)| format!(" --set {name}={value}")).collect();
    let with = pupil.file_option();
    println!("play with them: tesuji engine {} --set {with}={}{options}", args.game, verdict.weights);
    Ok(ExitCode::SUCCESS)
}
