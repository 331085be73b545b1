//! `tesuji selfplay`: games for learning, many at once in this process.

mod networks;

use crate::{
    fleet_url::FleetUrl,
    games, own_program,
    request::{RequestArgs, refused},
};
use std::{path::PathBuf, process::ExitCode, str::FromStr, time::Instant};
use tesuji_arena::{DrawRule, EngineRequest, ResignRule, TimeControl};
use tesuji_circle::{PliesMax, SelfplayEnd, SelfplayNews, SelfplayRequest, SelfplayRun, run_selfplay};
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_report::selfplay as words;

/// Arguments of `tesuji selfplay`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji selfplay chess --games 1000 --nodes 2000 --seed 1 --out games.sgs\n  \
    tesuji selfplay chess --games 5000 --nodes 2000 --seed 1 --out games.sgs --resume\n  \
    tesuji selfplay chess --games 5000 --soft-nodes 5000 --seed 1 --out games.viri\n  \
    tesuji selfplay chess --games 1000 --nodes 2000 --option Eval=handmade --out games.sgs\n  \
    tesuji selfplay shogi --games 1000 --starts starts.hcp --random-plies 2 --out games.hcpe3\n  \
    tesuji selfplay chess --games 1000 --openings built-in --random-plies 4 --draw 40/8/10 --out g.sgs --out g.pgn\n  \
    tesuji selfplay go --games 1000 --rules '9x9 chinese komi 7' --net go9.safetensors --nodes 200 --out games.sgf\n  \
    tesuji selfplay chess --games 1000 --engine 'cmd=./engine option.Hash=16' --nodes 5000 --out games.sgs.zst\n  \
    tesuji selfplay shogi --games 1000 --net a.safetensors --net b.safetensors --batch 64 --out games.hcpe3\n  \
    tesuji selfplay go --games 1000 --rules '9x9 chinese komi 7' --net go9.safetensors --out games.sgf --out visits.parquet\n\n\
    The same seed gives the same bytes for any number of jobs, however often it was stopped. The games lie in the game's own\n\
    format (.sgs for chess), beside the first --out where none is of that; other formats grow with them, but for .parquet,\n\
    which is written at the end.\n\
    Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The game
    #[arg(required_unless_present = "request")]
    game: Option<String>,
    /// Games in all
    #[arg(long, value_name = "N", required_unless_present = "request")]
    games: Option<u64>,
    /// An engine of your own that plays both sides, in the words of match: cmd=PROGRAM option.NAME=VALUE … [default: ours]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<EngineRequest>,
    /// With --engine: the time of a game, such as 2+0.02, in place of nodes
    #[arg(long, value_name = "TIME", conflicts_with_all = ["nodes", "soft_nodes"])]
    tc: Option<TimeControl>,
    /// The search family; with --net it is mcts
    #[arg(long, value_name = "FAMILY")]
    search: Option<String>,
    /// Nodes a move [default: 2000, with --soft-nodes ten times as many, with --net 400]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// A soft limit: no iteration begins after this many nodes of a move, so that iterations are seldom cut off; for
    /// alpha-beta
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    soft_nodes: Option<u64>,
    /// Decides the openings, and so the games [default: a new one, which is printed; with --resume that of the file]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The file for the games; the ending says in which format, and .zst or .gz behind it that it is compressed. A file that
    /// exists is refused. May be repeated
    #[arg(long, value_name = "FILE", required_unless_present = "request")]
    out: Vec<PathBuf>,
    /// What game sets (.sgs) hold: full, or plain: moves and results alone
    #[arg(long, default_value = "full", value_parser = ["full", "plain"], value_name = "STYLE")]
    sgs_style: String,
    /// Play with these weights instead of those built in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// An option of the search, its evaluation or its network, as in `tesuji engine`: Eval=handmade, Hash=16. May be repeated
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// The variant of the rules, such as chess960
    #[arg(long, default_value = "", value_name = "RULES", hide_default_value = true)]
    rules: String,
    /// Begin with the openings of a file (EPD, FEN, games; also .zst and .gz), or with those `built-in`
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Begin with the positions of a file (.sfen, .hcp, .hcpe, .psv and others; read where they lie, so it may be of any
    /// size), in an order that the seed decides, each once before any comes again
    #[arg(long, value_name = "FILE", conflicts_with = "openings")]
    starts: Option<PathBuf>,
    /// This share of the games, 0 to 1, begins with a random position of Chess960; seed and number of a game decide
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, hide_default_value = true)]
    shuffled_share: f64,
    /// Random plies that games begin with, or that follow the opening; every second game has one more [default: 8, with --openings or --starts 0]
    #[arg(long, value_name = "N")]
    random_plies: Option<u32>,
    /// No opening that a quick search finds better for one side by more than this, in centipawns
    #[arg(long, value_name = "CP", default_value_t = 300)]
    balance: u32,
    /// Nodes of that search
    #[arg(long, value_name = "K", default_value_t = 500, value_parser = clap::value_parser!(u64).range(1..))]
    balance_nodes: u64,
    /// The side that thinks itself lost resigns: MOVES/CP or MOVES/CP/both, or off
    #[arg(long, value_name = "RULE", default_value = "2/1000/both")]
    resign: Switch<ResignRule>,
    /// Draw when both sides think so: FROM/MOVES/CP, or off
    #[arg(long, value_name = "RULE", default_value = "off")]
    draw: Switch<DrawRule>,
    /// Games of this many plies are drawn; off: only by the rules
    /// [default: 300, with --net 320 in shogi and twice the points of the board in go]
    #[arg(long, value_name = "N")]
    max_plies: Option<Switch<u32>>,
    /// Do not write games that end before this many plies, the opening included
    #[arg(long, value_name = "PLIES")]
    drop_short: Option<u32>,
    /// Do not write games that reach --max-plies
    #[arg(long)]
    drop_unfinished: bool,
    /// Threads (0: one for each core)
    #[arg(long, short, visible_alias = "threads", default_value_t = 0, value_name = "J")]
    jobs: usize,
    /// Go on with a file that was left unfinished
    #[arg(long)]
    resume: bool,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    nets: networks::NetArgs,
    #[command(flatten)]
    fleet: FleetUrl,
    #[command(flatten)]
    asked: RequestArgs,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 7] = [
    ("control", "tc"),
    ("outputs", "out"),
    ("balance_cp", "balance"),
    ("plies_max", "max-plies"),
    ("nets", "net"),
    ("options", "option"),
    ("opponents", "opponent"),
];

/// A rule, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Switch<T>(Option<T>);

impl<T: FromStr<Err: std::fmt::Display>> FromStr for Switch<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Switch<T>, String> {
        match text {
            "off" => Ok(Switch(None)),
            text => text.parse().map(|rule| Switch(Some(rule))).map_err(|e| format!("{e}, or off")),
        }
    }
}

impl Args {
    /// The request that these are.
    fn request(&self) -> SelfplayRequest {
        let networks = self.nets.request(&self.options);
        SelfplayRequest {
            version: SelfplayRequest::VERSION,
            game: self.game.clone().unwrap_or_default(),
            games: self.games.unwrap_or_default(),
            engine: self.engine.clone(),
            control: self.tc.clone(),
            search: self.search.clone(),
            nodes: self.nodes,
            soft_nodes: self.soft_nodes,
            seed: self.seed,
            outputs: self.out.clone(),
            formats: if self.sgs_style == "plain" { vec![("sgs".into(), "sgs-plain".into())] } else { Vec::new() },
            weights: self.weights.clone(),
            rules: self.rules.clone(),
            openings: self.openings.clone(),
            starts: self.starts.clone(),
            shuffled_share: self.shuffled_share,
            random_plies: self.random_plies,
            balance_cp: self.balance,
            balance_nodes: self.balance_nodes,
            resign: self.resign.0,
            draw: self.draw.0,
            plies_max: match self.max_plies {
                None => PliesMax::Usual,
                Some(Switch(None)) => PliesMax::Off,
                Some(Switch(Some(plies))) => PliesMax::At(plies),
            },
            drop_short: self.drop_short,
            drop_unfinished: self.drop_unfinished,
            jobs: self.jobs,
            resume: self.resume,
            options: networks.as_ref().map_or_else(|| self.options.clone(), |_| Vec::new()),
            networks,
        }
    }
}

/// Plays the games.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(request) = args.asked.take(|| Ok(args.request()), SelfplayRequest::validate, &FLAGS)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let kit = games::kit(&request.game)?;
    let show = if args.quiet { Show::Quiet } else { Show::Lines };
    let mut teller = Teller { games: request.games, show, shown: None };
    let (own, interrupt) = (own_program(kit)?, Interrupt::of_process());
    let mut news = |news: SelfplayNews<'_>| teller.tell(news);
    let fleet = request.outputs.first().map(|place| args.fleet.connect(place)).transpose()?.flatten();
    let mut run = SelfplayRun { games: games::games(), own: &own, interrupt: &interrupt, fleet, news: &mut news };
    match run_selfplay(kit, &request, &mut run).map_err(|error| refused(error, &FLAGS))? {
        SelfplayEnd::Complete => return Ok(ExitCode::SUCCESS),
        SelfplayEnd::StoppedPlaying => println!("stopped; the same command with --resume goes on"),
        SelfplayEnd::StoppedBefore(file) => {
            println!("stopped before {}; the same command with --resume goes on", file.display());
        }
    }
    Ok(ExitCode::from(4))
}

/// Tells what happens, with a line of progress.
struct Teller {
    /// The number of games wanted.
    games: u64,
    show: Show,
    /// The line, and since when it is there.
    shown: Option<(Progress, Instant)>,
}

impl Teller {
    fn tell(&mut self, news: SelfplayNews<'_>) {
        match news {
            SelfplayNews::ThreadsCapped { asked, used, each } => {
                eprintln!("Warning: --jobs {asked}: {used} threads play, {each} for each core; the games are the same");
            }
            SelfplayNews::FewOpenings { openings, games } => {
                eprintln!("{}", words::few_openings(openings, games));
            }
            SelfplayNews::Warning(line) => match &self.shown {
                Some((progress, _)) if self.show != Show::Quiet => progress.line(&format!("Warning: {line}")),
                _ => eprintln!("Warning: {line}"),
            },
            SelfplayNews::Games(told) => {
                let (progress, began) = self.shown.get_or_insert_with(|| {
                    let progress = Progress::start("self-play", "games", Some(self.games), self.show);
                    progress.resume_at(told.played.games);
                    (progress, Instant::now())
                });
                progress.set_noted(told.played.games, &words::so_far(told, began.elapsed()));
            }
            SelfplayNews::Played(games) => {
                self.shown = None;
                print!("{}", words::played(games));
            }
            SelfplayNews::Written { file, holds } => println!("{}: {holds}", file.display()),
        }
    }
}
