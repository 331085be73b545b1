//! `tesuji improve`: the training loop by itself, from weights to better weights and a match that proves them.

use crate::{
    fleet_url::FleetUrl,
    games, own_program,
    request::{RequestArgs, refused},
    settings, version,
};
use anyhow::{Context, anyhow, bail};
use std::{path::PathBuf, process::ExitCode, time::Duration};
use tesuji_circle::improve::{
    EngineLearner, EngineTraining, Improve, ImproveEnd, ImproveNews, ImproveRequest, Learner, Learns, LessonNews, Run,
    Story,
};
use tesuji_circle::rows::RowsLayout;
use tesuji_jobs::{Interrupt, Progress, Show, counted, words::duration};
use tesuji_kit::{Kit, RequestError};
use tesuji_report::improve as words;

/// Arguments of `tesuji improve`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji improve chess --from material --budget 5m\n  \
    tesuji improve chess --rounds 3 --games 2000 --pairs 200 --nodes 2000 --out runs/a\n  \
    tesuji improve chess --resume runs/a --confirm\n  \
    tesuji improve shogi --from material --budget 15m\n  \
    tesuji improve go --from uniform --budget 15m\n  \
    tesuji improve go --search mcts --from new --net 4x32 --budget 2h\n  \
    tesuji improve chess --search nnue --from random --budget 8h\n  \
    tesuji improve chess --engine 'cmd=./engine option.EvalFile={weights} weights-file=eval.json' \
--rows './engine rows {games} {rows}' --layout rows.toml --games 2000 --pairs 200 --rounds 3\n\n\
    Each round: self-play with the present weights, learning from the games, a match of the new weights against the\n\
    old; they are adopted when they score half or more (in go and for nets a test decides as soon as it can). At the end the final weights meet those of the start.\n\
    The folder of the run then holds report.html with all of it. See docs/improve.md.\n\
    Exit codes: 0 done, whatever the verdict; 2 wrong usage or input; 4 stopped (go on with --resume).")]
pub(crate) struct Args {
    /// The game; with --resume that of the run
    #[arg(value_parser = games::parser(), required_unless_present_any = ["request", "resume"])]
    game: Option<String>,
    /// Weights to start from: material (piece values alone), uniform (go: every move alike, in playouts too), builtin, new
    /// (with --search mcts: a net of random numbers), random (the same with --search nnue), or a file
    #[arg(long, default_value = "builtin", value_name = "WEIGHTS")]
    from: String,
    /// The learner: mcts, a network that plays by Monte-Carlo tree search (go and shogi); nnue, an efficiently updatable network
    /// (chess and shogi) [default: the hand-made evaluation; in go strengths of moves]
    #[arg(long, value_name = "FAMILY", value_parser = ["mcts", "nnue"])]
    search: Option<String>,
    /// An engine of your own that learns, in the words of match, with {weights} where its file of weights goes, and
    /// weights-file=FILE to start from
    #[arg(long, value_name = "ENGINE", conflicts_with_all = ["resume", "from"])]
    engine: Option<String>,
    /// With --engine, what it learns: rows, the weights of a table of features as `tune rows` does, or nnue, a net of the shape
    /// --net in the raw layout as `train nnue` and `net export` do
    #[arg(long, value_name = "WHAT", default_value = "rows", value_parser = ["rows", "nnue"], requires = "engine")]
    learn: String,
    /// With --engine: the command that makes the table {rows} (or {rows.parquet}) of {games} (or {games.pgn})
    #[arg(long, value_name = "COMMAND", requires = "engine")]
    rows: Option<String>,
    /// With --engine: what the columns of the table are, as in `tune rows`
    #[arg(long, value_name = "FILE.toml", requires = "engine")]
    layout: Option<PathBuf>,
    /// With --engine: the file that weights are filled into [default: the file of weights, which is then JSON]
    #[arg(long, value_name = "FILE", requires = "engine")]
    template: Option<PathBuf>,
    /// With --engine: scale all weights so that this one becomes that number
    #[arg(long, value_name = "NAME=NUMBER", requires = "engine")]
    unit: Option<String>,
    /// With --engine cmd={engine}: the command that builds {engine} with {weights}
    #[arg(long, value_name = "COMMAND", requires = "engine")]
    build: Option<String>,
    /// The shape of a new net: residual blocks and channels [default: 4x32], or the name of an efficiently updatable one; with
    /// --learn nnue a name or a TOML file
    #[arg(long, value_name = "SHAPE")]
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
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
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
    device: tesuji_cuda::ComputeDevice,
    /// The folder of the run [default: runs/improve-GAME-N]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with the run in DIR, with its settings; --jobs, --fleet, --device and --confirm may be given again
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "from", "budget", "starts", "rules", "options", "search", "net"])]
    resume: Option<PathBuf>,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    fleet: FleetUrl,
    #[command(flatten)]
    request: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 2] = [("budget_seconds", "budget"), ("options", "option")];

/// A run with its game and who learns in it.
struct Job {
    /// The game as it was called.
    game: String,
    kit: &'static dyn Kit,
    learner: Box<dyn Learner>,
    run: Run,
}

/// Goes round.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(job) = args.job()? else { return Ok(ExitCode::SUCCESS) };
    let Job { game, kit, learner, run: Run { folder, settings } } = &job;
    let quiet = args.quiet || args.json;
    if !quiet {
        let time = settings.budget.map_or("no limit of time".into(), |b| format!("{:.0} s", b.as_secs_f64()));
        let (from, at) = (&settings.from, folder.display());
        let (rounds, threads) = (counted(settings.rounds.into(), "round"), counted(settings.jobs as u64, "thread"));
        println!("improving {game} from {from} in {at} ({time}, {rounds}, {threads})");
    }
    let (starts, stop) = (job.run.starts(*kit)?, Interrupt::of_process());
    let (settings, fleet) = (settings.clone(), args.fleet.connect(folder)?);
    let improve = Improve { kit: *kit, study: &**learner, starts, folder, settings, fleet, stop: &stop };
    let mut view = View { progress: None, show: if quiet { Show::Quiet } else { Show::Auto } };
    let end = improve.run(&mut |news| view.tell(news)).with_context(|| format!("the run in {}", folder.display()))?;
    view.progress = None;
    let ImproveEnd::Done(verdict) = end else {
        println!("stopped; go on with: tesuji improve {game} --resume {}", folder.display());
        return Ok(ExitCode::from(4));
    };
    let page = job.write_report().with_context(|| format!("the report of {}", folder.display()))?;
    let weights_option = learner.weights_option();
    let ending = words::RunEnding { game, settings: &improve.settings, verdict: &verdict, page: &page, weights_option };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&ending.json())?),
        false => print!("{}", ending.text()),
    }
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The run that is asked for, new or there already; `None`: its request was only to be written.
    fn job(&self) -> anyhow::Result<Option<Job>> {
        let made_by = format!("tesuji {}", version::short());
        let request = self.request.read(|| self.own_request())?.with_game_of_run().map_err(flags)?;
        let kit = games::kit(&request.game)?;
        let learns = request.resume.as_deref().map_or_else(|| Learns::asked(request.search.as_deref()), Learns::of_run);
        let foreign = EngineLearner::of(kit, &request, own_program(kit)?, &Interrupt::of_process()).map_err(flags)?;
        let learner: Box<dyn Learner> = match foreign {
            Some(learner) => Box::new(learner),
            None => games::learner(kit, learns, request.device, made_by.clone()).map_err(flags)?,
        };
        request.validate().map_err(flags)?;
        if self.request.print(&request)? {
            return Ok(None);
        }
        let run = match &request.resume {
            Some(folder) => Run::reopen(folder, request.confirm).and_then(|run| run.with_jobs(request.jobs)),
            None => Run::begin(kit, &*learner, &request, &made_by),
        };
        let run = run.map_err(flags)?;
        Ok(Some(Job { game: request.game, kit, learner, run }))
    }

    /// The engine that learns, and its file of weights.
    fn engine(&self) -> anyhow::Result<Option<(EngineTraining, String)>> {
        let Some(words) = &self.engine else { return Ok(None) };
        let (training, Some(weights)) = EngineTraining::parse(words).map_err(flags)? else {
            bail!("--engine {words}: expected weights-file=FILE in it, the weights to start from");
        };
        let is_net = self.learn == "nnue";
        if is_net != self.net.is_some() {
            bail!("--learn nnue and --net SHAPE go together");
        }
        let training = EngineTraining {
            net: self.net.clone(),
            build: self.build.clone().or(training.build),
            rows: self.rows.clone().unwrap_or_default(),
            layout: self.layout.as_deref().map(RowsLayout::read).transpose()?.unwrap_or_default(),
            template: self.template.clone(),
            unit: self.unit.clone(),
            ..training
        };
        Ok(Some((training, weights)))
    }

    /// The request that the flags make.
    fn own_request(&self) -> anyhow::Result<ImproveRequest> {
        let options = settings::settings(&self.options)?;
        let (engine, weights) = self.engine()?.unzip();
        Ok(ImproveRequest {
            version: ImproveRequest::VERSION,
            game: self.game.clone().unwrap_or_default(),
            from: weights.unwrap_or_else(|| self.from.clone()),
            engine,
            search: self.search.clone(),
            net: self.net.clone().filter(|_| self.engine.is_none()),
            budget_seconds: self.budget.map(|budget| budget.as_secs_f64()),
            rounds: self.rounds,
            games: self.games,
            pairs: self.pairs,
            nodes: self.nodes,
            rules: self.rules.clone(),
            options: options.into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            starts: self.starts.clone(),
            result_share: self.result_share,
            confirm: self.confirm,
            seed: self.seed,
            jobs: self.jobs,
            device: self.device,
            out: self.out.clone(),
            resume: self.resume.clone(),
        })
    }
}

/// The error of a request in words of the command line.
fn flags(error: RequestError) -> anyhow::Error {
    match error {
        RequestError::Field { field: "budget_seconds", value: None, .. } => {
            anyhow!("say when to stop: --budget TIME, or --games and --pairs (and --rounds)")
        }
        error => refused(error, &FLAGS),
    }
}

impl Job {
    /// Writes `report.html` and its pictures into the folder of the run. Returns the path of the first.
    fn write_report(&self) -> anyhow::Result<PathBuf> {
        let (folder, ending) = (&self.run.folder, self.learner.ending());
        let no_run = || format!("{}: no run of improve is there", folder.display());
        let story = Story::load(folder)?.with_context(no_run)?;
        let [start, last] = ["start", "weights"].map(|name| folder.join(format!("{name}.{ending}")));
        let changes = if last.exists() { Some(self.learner.changes(&start, &last)?) } else { None };
        let report = words::Report { game: self.kit.name(), folder, ending, story: &story, changes: changes.as_ref() };
        Ok(report.write()?)
    }
}

/// The display of progress for a person.
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

    fn tell(&mut self, news: &ImproveNews<'_>) {
        match news {
            ImproveNews::Round(number, all) => {
                self.progress = None;
                self.line(&format!("round {number} of {all}"));
            }
            ImproveNews::Games(played, total) => {
                if played.plies == 0 {
                    self.begin("  self-play", "games", *total).resume_at(played.games);
                }
                if let Some(progress) = &self.progress {
                    progress.set(played.games);
                }
            }
            ImproveNews::Learning(LessonNews::Read { games, rows, what }) => {
                self.progress = None;
                self.line(&format!("  {games} games to learn from, {rows} {what}"));
                self.begin("  learning", "epochs", None);
            }
            ImproveNews::Learning(LessonNews::Epoch(epoch, loss)) => {
                if let Some(progress) = &self.progress {
                    progress.set_noted(u64::from(*epoch), &format!("validation loss {loss:.5}"));
                }
            }
            ImproveNews::Learning(LessonNews::Learned { loss, note }) => {
                self.progress = None;
                self.line(&words::learned(*loss, note));
            }
            ImproveNews::Match { standing, match_ } => {
                if standing.games() <= 2 || self.progress.is_none() {
                    self.begin(words::match_name(*match_), "games", None);
                }
                if let Some(progress) = &self.progress {
                    progress.set_noted(standing.games(), &words::score(standing));
                }
            }
            ImproveNews::Decided(round) => {
                self.progress = None;
                self.line(&words::decided(round));
            }
        }
    }
}
