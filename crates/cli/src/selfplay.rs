//! `tesuji selfplay`: games for learning, many at once in this process.

mod outputs;

use crate::{
    games,
    selfplay_net::{Common, NetArgs},
    version,
};
use anyhow::{Context, bail};
use outputs::{Known, Outputs};
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
    sync::Arc,
    time::Instant,
};
use tesuji_arena::{Adjudication, Conditions, DrawRule, ResignRule, built_in_openings, fresh_seed, read_openings};
use tesuji_circle::{HerdPlayed, Openings, Plan, Played, Setup, conditions, export, origin_of, selfplay};
use tesuji_dataset::{
    data::{Format, Input, Job, Lens, Output, Stock, convert},
    searched::SearchedWriter,
};
use tesuji_jobs::{AtomicFile, Existing, Interrupt, Progress, Show, check_output, named_by_content, threads};
use tesuji_kit::Kit;

/// Random plies of games without a book.
const RANDOM_PLIES: u32 = 8;
/// Nodes a move, and the longest game, where nothing else is said.
const NODES: u64 = 2000;
const PLIES_MAX: u32 = 300;
/// The most threads for each core: more play no faster, and each has engines of its own.
const THREADS_EACH: usize = 4;
/// What stands for a file where the openings built in are meant.
const BUILT_IN: &str = "built-in";

/// Arguments of `tesuji selfplay`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji selfplay chess --games 1000 --nodes 2000 --seed 1 --out games.sgs\n  \
    tesuji selfplay chess --games 5000 --nodes 2000 --seed 1 --out games.sgs --resume\n  \
    tesuji selfplay shogi --games 1000 --starts starts.hcp --random-plies 2 --out games.hcpe3\n  \
    tesuji selfplay chess --games 1000 --openings built-in --random-plies 4 --draw 40/8/10 --out g.sgs --out g.pgn\n  \
    tesuji selfplay go --games 1000 --rules '9x9 chinese komi 7' --net go9.safetensors --nodes 200 --out games.sgf\n  \
    tesuji selfplay shogi --games 1000 --net a.safetensors --net b.safetensors --batch 64 --out games.hcpe3\n  \
    tesuji selfplay go --games 1000 --rules '9x9 chinese komi 7' --net go9.safetensors --out games.sgf --out visits.parquet\n\n\
    The same seed gives the same bytes for any number of jobs, however often it was stopped. The games lie in the game's own\n\
    format (.sgs for chess), beside the first --out where none is of that; other formats are written from them at the end.\n\
    Exit codes: 0 done, 2 wrong usage or input, 4 stopped.")]
pub(crate) struct Args {
    /// The game
    game: String,
    /// Games in all
    #[arg(long, value_name = "N")]
    games: u64,
    /// How to search; with --net it is mcts
    #[arg(long, value_name = "FAMILY")]
    search: Option<String>,
    /// Nodes a move [default: 2000, with --net 400]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Decides the openings, and so the games [default: a new one, which is printed; with --resume that of the file]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Where the games go; the ending says in which format. A file that exists is refused. May be repeated
    #[arg(long, value_name = "FILE", required = true)]
    out: Vec<PathBuf>,
    /// Play with these weights instead of those built in
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
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
    /// Random plies that games begin with, or that follow the opening [default: 8, with --openings or --starts 0]
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
    /// What both sides think drawn is drawn: FROM/MOVES/CP, or off
    #[arg(long, value_name = "RULE", default_value = "off")]
    draw: Switch<DrawRule>,
    /// Games of so many plies are drawn; off: only by the rules
    /// [default: 300, with --net 320 in shogi and twice the points of the board in go]
    #[arg(long, value_name = "N")]
    max_plies: Option<Switch<u32>>,
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
    nets: NetArgs,
}

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

/// The positions of the file `path`, to begin games with.
pub(crate) fn stock(kit: &dyn Kit, path: &Path) -> anyhow::Result<Arc<Stock>> {
    let format = Format::find(kit, kit.survey(), &path.display().to_string())?;
    Ok(Arc::new(Stock::open(path, format)?))
}

/// Plays the games.
pub(crate) fn run(mut args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let (own, others) = args.files(kit)?;
    args.cap_jobs();
    let seed = args.seed.or_else(|| args.seed_of(kit, &own)).unwrap_or_else(fresh_seed);
    args.seed = Some(seed);
    let stop = Interrupt::of_process();
    let show = if args.quiet { Show::Quiet } else { Show::Lines };
    let progress = Progress::start("self-play", "games", Some(args.games), show);
    let began = Instant::now();
    let mut first = true;
    let mut tell = |played: &Played, more: &str| {
        if std::mem::take(&mut first) {
            progress.resume_at(played.games);
        }
        progress.set_noted(played.games, &format!("{}{more}", so_far(played, began)));
    };
    let into = || format!("self-play into {}", own.display());
    let (played, origin) = if args.nets.net.is_empty() {
        let plan = args.plan(kit)?;
        (
            selfplay(kit, &plan, &own, args.resume, &stop, &mut |played| tell(played, "")).with_context(into)?,
            plan.origin,
        )
    } else {
        let (plan, knobs) = args.nets.plan(kit, args.common(kit)?)?;
        let mut tell = |told: &HerdPlayed| tell(&told.played, &audits(told));
        let told = args.nets.play(kit, (&plan, &knobs), (&own, args.resume), &stop, &mut tell).with_context(into)?;
        (told.played, plan.origin)
    };
    drop(progress);
    let [won, drawn, lost] = played.results;
    let new = played.games.saturating_sub(played.resumed);
    println!("{}: {} games ({new} of them new), seed {seed}", own.display(), played.games);
    println!("the first side won {won}, drew {drawn}, lost {lost} of the new ones; {} moves", played.plies);
    if played.games < args.games {
        println!("stopped; the same command with --resume goes on");
        return Ok(ExitCode::from(4));
    }
    let mut outputs = Outputs::read(&own, &origin_of(kit, &own).unwrap_or_else(|| origin.clone()));
    for (other, format) in &others {
        let written = match format {
            _ if args.is_searched(other) => searched(kit, &origin, (&own, other), &stop)?,
            Format::Games(_) => export(kit, &own, other, &stop)?.map(|count| format!("{count} games")),
            _ => positions(kit, (&origin, threads(args.jobs)), (&own, other), *format, &stop)?,
        };
        match written {
            Some(what) => {
                outputs.add(&own, other)?;
                println!("{}: {what}", other.display());
            }
            None => {
                println!("stopped before {}; the same command with --resume goes on", other.display());
                return Ok(ExitCode::from(4));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the positions of the games in the file `own` into the file `to`; how many, in words, or `None` when it was
/// stopped.
fn positions(
    kit: &'static dyn Kit,
    (origin, jobs): (&str, usize),
    (own, to): (&Path, &Path),
    format: Format,
    stop: &Interrupt,
) -> anyhow::Result<Option<String>> {
    let survey = kit.survey();
    let input = [Input { path: own.to_path_buf(), format: Format::find(kit, survey, &own.display().to_string())? }];
    let output = Output::new(to, format)?;
    let about = [("tesuji.version", version::short()), ("tesuji.game", kit.name()), ("tesuji.origin", origin)];
    let job = Job {
        inputs: &input,
        keep_game: None,
        scale: 1,
        lens: Lens { survey, fill_score: None },
        jobs,
        skip_errors: false,
        resume: false,
        words: "selfplay".into(),
        about: about.map(|(key, value)| (key.to_string(), value.to_string())).to_vec(),
        interrupt: stop,
        tell: &|_| (),
        complain: &|_| (),
    };
    let aside = output.aside();
    let tally = convert(&job, &[output], |_, routed, _| vec![routed])?;
    if tally.stopped {
        // Beginning anew takes seconds.
        let mut journal = aside.clone().into_os_string();
        journal.push(".journal");
        let _ = (std::fs::remove_file(&aside), std::fs::remove_file(journal));
        return Ok(None);
    }
    let left: String = tally.left.iter().map(|(reason, count)| format!(", {count} left out ({reason})")).collect();
    Ok(Some(format!("{} positions{left}", tally.written)))
}

/// Writes the searched positions of the games in the file `own`, with visits, into the Parquet file `to`; how many, in words,
/// or `None` when it was stopped.
fn searched(
    kit: &'static dyn Kit,
    origin: &str,
    (own, to): (&Path, &Path),
    stop: &Interrupt,
) -> anyhow::Result<Option<String>> {
    let Some(words) = kit.move_words() else { bail!("{} has no networks; go and shogi have", kit.name()) };
    let about = [("tesuji.version", version::short()), ("tesuji.game", kit.name()), ("tesuji.origin", origin)];
    let about = about.map(|(key, value)| (key.to_string(), value.to_string()));
    let at = || to.display().to_string();
    let file = AtomicFile::create(to).with_context(at)?;
    let mut writer = SearchedWriter::begin(file, words, &about).with_context(at)?;
    let mut reader = tesuji_kit::open_records(kit, own)?;
    while let Some(game) = reader.read().with_context(|| own.display().to_string())? {
        if stop.is_raised() {
            return Ok(None);
        }
        writer.add(&game).with_context(at)?;
    }
    let (count, file) = writer.finish().with_context(at)?;
    file.commit().with_context(at)?;
    Ok(Some(format!("{count} positions with their visits")))
}

/// What audits of resignations found, for the same.
fn audits(told: &HerdPlayed) -> String {
    let mut words = String::new();
    if told.audited > 0 {
        words += &format!(", {} of {} would have resigned wrongly", told.wrong, told.audited);
    }
    if told.illegal > 0 {
        words += &format!(", {} lost by an opponent's illegal move", told.illegal);
    }
    words
}

/// Results, length of games and speed, for the line of progress.
fn so_far(played: &Played, began: Instant) -> String {
    let [won, drawn, lost] = played.results;
    let new = played.games.saturating_sub(played.resumed).max(1);
    let speed = played.plies as f64 / began.elapsed().as_secs_f64().max(1e-3);
    format!("+{won} ={drawn} -{lost}, {} plies a game, {speed:.0} moves/s", played.plies / new)
}

impl Args {
    /// Keeps the number of threads to what this machine can use.
    fn cap_jobs(&mut self) {
        let most = THREADS_EACH * threads(0);
        if self.jobs > most {
            let jobs = self.jobs;
            eprintln!(
                "Warning: --jobs {jobs}: {most} threads play, {THREADS_EACH} for each core; the games are the same"
            );
            self.jobs = most;
        }
    }

    /// Whether the file `path` is for positions with the visits of networks.
    fn is_searched(&self, path: &Path) -> bool {
        !self.nets.net.is_empty() && path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
    }

    /// The seed of the games that are in the file already, where this run goes on with them.
    fn seed_of(&self, kit: &dyn Kit, own: &Path) -> Option<u64> {
        let origin = self.resume.then(|| origin_of(kit, own))??;
        origin.split_once(" seed ")?.1.split(',').next()?.parse().ok()
    }

    /// The file that the games are kept in, which is of the game's own format, and those that are written from it.
    fn files(&self, kit: &'static dyn Kit) -> anyhow::Result<(PathBuf, Vec<(PathBuf, Format)>)> {
        let Some(own_format) = kit.formats().first() else { bail!("{} has no format of records", kit.name()) };
        let mut outs = Vec::new();
        for path in &self.out {
            let name = path.display().to_string();
            if tesuji_record::unpacked_name(&name) != name {
                bail!("{name}: games are written as they come; pack the file when it is done");
            }
            let format = match Format::find(kit, kit.survey(), &name) {
                _ if self.is_searched(path) => Format::Columns,
                found => found?,
            };
            outs.push((path.clone(), format));
        }
        let own = match outs.iter().position(|(_, format)| format.name() == own_format.name()) {
            Some(index) => outs.remove(index).0,
            None => {
                let mut beside = self.out[0].clone().into_os_string();
                beside.push(format!(".{}", own_format.extensions().first().unwrap_or(&own_format.name())));
                beside.into()
            }
        };
        self.check_files(kit, &own, &outs)?;
        Ok((own, outs))
    }

    /// Checks that the games may be written as `own`, and the rest as `outs`: with --resume, what was written from these games may
    /// be written again, and nothing else.
    fn check_files(&self, kit: &dyn Kit, own: &Path, outs: &[(PathBuf, Format)]) -> anyhow::Result<()> {
        let origin = self.resume.then(|| origin_of(kit, own)).flatten();
        let outputs = origin.as_deref().map(|origin| Outputs::read(own, origin));
        for path in std::iter::once(own).chain(outs.iter().map(|(path, _)| path.as_path())) {
            let known = match &outputs {
                Some(outputs) => outputs.knows(own, path),
                None => Known::No,
            };
            let goes_on = match known {
                _ if !self.resume => false,
                // Runs of older versions noted no outputs; games say themselves where they come from.
                Known::No => path == own || origin.is_some() && origin_of(kit, path) == origin,
                Known::Yes => true,
                Known::Changed(_) => false,
            };
            let existing = if goes_on { Existing::Replace } else { Existing::Refuse };
            check_output(path, existing).map_err(|error| match (error.kind(), known) {
                (ErrorKind::AlreadyExists, _) if !self.resume && origin_of(kit, path).is_some() => {
                    anyhow::anyhow!("{error}; --resume goes on with it")
                }
                (ErrorKind::AlreadyExists, Known::Changed(how)) => {
                    anyhow::anyhow!("{error} (this run wrote it, but it was changed since: {how})")
                }
                (ErrorKind::AlreadyExists, _) if self.resume => {
                    anyhow::anyhow!("{error} (it is not known to be of these games)")
                }
                _ => error.into(),
            })?;
        }
        Ok(())
    }

    /// What to play, and the line that says so in every game.
    fn plan(&self, kit: &dyn Kit) -> anyhow::Result<Plan> {
        let plies_max = self.max_plies.unwrap_or(Switch(Some(PLIES_MAX)));
        let nodes = self.nodes.unwrap_or(NODES);
        let adjudication = Adjudication { resign: self.resign.0, draw: self.draw.0, plies_max: plies_max.0 };
        let conditions = Conditions { rules: self.rules.clone(), adjudication, ..conditions(nodes) };
        let (book, book_name) = self.book(kit)?;
        let plies = self.random_plies.unwrap_or(if book_name.is_empty() { RANDOM_PLIES } else { 0 });
        let openings = Openings {
            limit_cp: i32::try_from(self.balance).unwrap_or(i32::MAX),
            nodes: self.balance_nodes,
            starts: self.starts.as_deref().map(|path| stock(kit, path)).transpose()?,
            ..Openings::random(plies, self.seed.unwrap_or_default())
        };
        if plies == 0 && !book.is_empty() && (book.len() as u64) < self.games {
            let (count, noun) = (book.len(), if book.len() == 1 { "opening" } else { "openings" });
            eprintln!(
                "Warning: {count} {noun} for {} games, and nothing else differs: games will be the same; --random-plies N makes them differ",
                self.games
            );
        }
        let weights = match &self.weights {
            Some(path) => named_by_content(path)?,
            None => "built in".to_string(),
        };
        let origin = format!(
            "tesuji {} selfplay, {} nodes, seed {}, {book_name}{plies} random plies, balance {} cp at {} nodes, resign {}, \
             draw {}, {} plies at most{}, weights {weights}",
            version::short(),
            nodes,
            self.seed.unwrap_or_default(),
            self.balance,
            self.balance_nodes,
            self.resign.text(|r| format!("{}/{}{}", r.moves, r.score_cp, if r.both_sides { "/both" } else { "" })),
            self.draw.text(|d| format!("{}/{}/{}", d.from_move, d.moves, d.score_cp)),
            plies_max.text(u32::to_string),
            if self.rules.is_empty() { String::new() } else { format!(", rules {}", self.rules) },
        );
        Ok(Plan {
            games: self.games,
            setup: Setup {
                family: self.search.clone().unwrap_or_default(),
                ..self.weights.as_deref().map_or_else(Setup::default, Setup::with_weights)
            },
            openings: openings.with_book(book),
            conditions,
            jobs: threads(self.jobs),
            until: None,
            origin,
        })
    }

    /// What matters to games with networks too.
    fn common(&self, kit: &dyn Kit) -> anyhow::Result<Common> {
        if let Some(family) = self.search.as_deref().filter(|family| *family != "mcts") {
            bail!("--search {family}: networks play by mcts");
        }
        let (book, book_name) = self.book(kit)?;
        let plies = self.random_plies.unwrap_or(0);
        let openings = Openings {
            starts: self.starts.as_deref().map(|path| stock(kit, path)).transpose()?,
            ..Openings::random(plies, self.seed.unwrap_or_default())
        };
        Ok(Common {
            games: self.games,
            visits: self.nodes,
            rules: crate::settings::full_rules(kit, &self.rules)?,
            openings: openings.with_book(book),
            begins: format!("{book_name}{plies} random plies, "),
            resigns: self.resign.0.is_some(),
            plies_max: self.max_plies.map(|limit| limit.0.map_or(usize::MAX, |plies| plies as usize)),
            threads: threads(self.jobs),
            version: version::short().to_string(),
        })
    }

    /// The openings to begin with, and what they are called.
    fn book(&self, kit: &dyn Kit) -> anyhow::Result<(Vec<tesuji_arena::Opening>, String)> {
        // Nothing is known of rules before a table was laid with them.
        kit.table(&self.rules, None).with_context(|| format!("--rules {}", self.rules))?;
        if let Some(path) = &self.starts {
            return Ok((Vec::new(), format!("starts {} and ", named_by_content(path)?)));
        }
        let Some(path) = &self.openings else { return Ok((Vec::new(), String::new())) };
        let (book, name) = if path == Path::new(BUILT_IN) {
            (built_in_openings(kit, &self.rules), BUILT_IN.to_string())
        } else {
            (read_openings(kit, path, &self.rules, None)?, named_by_content(path)?)
        };
        if book.is_empty() {
            bail!("{}: no opening that {} can begin with", path.display(), kit.name());
        }
        Ok((book, format!("openings {name} and ")))
    }
}

impl<T> Switch<T> {
    /// The rule as it is written, or `off`.
    fn text(&self, write: impl Fn(&T) -> String) -> String {
        self.0.as_ref().map_or("off".into(), write)
    }
}
