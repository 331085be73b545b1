//! `tesuji match`: games between engines that prove a change.

mod book;
mod bounds;
mod check;
mod compute;
mod config;
mod convert;
pub(crate) mod engines;
mod foretell;
mod journal;
mod making;
mod protocols;
mod rate;
mod report;
mod resume;
mod tournament;

pub(crate) use book::{built_in as built_in_openings, read as read_openings};

use crate::{games, skip::SkipArgs};
use anyhow::{Context, bail};
use clap::Parser;
use engines::EngineArg;
use report::Report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tesuji_arena::{
    Adjudication, Allowance, Book, DrawRule, End, Journal, JournalError, Match, MatchError, News, Output, Plan,
    ResignRule, Schedule, Tail, TimeControl, date_text,
};
use tesuji_jobs::{Existing, Interrupt, Progress, Show, check_output, leash, memory};
use tesuji_kit::Kit;
use tesuji_report::matches::{live, ratings::Table, summary, view};
use tesuji_stats::{Decision, Model, Sprt, TimeLeft};

/// Play a match between engines and say which is stronger
///
/// Openings are played in pairs with colours swapped. Every finished game is in the journal and in the output files
/// at once: a match that was killed goes on with --resume, with no game lost or played twice.
#[derive(clap::Args, Debug)]
#[group(skip)]
#[command(args_override_self = true)]
#[command(after_help = "\
Examples:
  tesuji match --engine 'cmd=stockfish option.Hash=16' --engine weights=new.json --tc 1+0.01 --games 200
  tesuji match --engine weights=new.json --engine self --nodes 5000 --sprt 0 5 --pgn-out games.pgn
  tesuji match --resume games.pgn.journal
  tesuji match --stats 1940 1337 1723 --sprt 0 5
  tesuji match --make-openings book.epd --count 500 --plies 8 --seed 1
  tesuji match --check 'cmd=./engine proto=usi'

Exit codes: 0 done (with --sprt: H1 accepted), 2 wrong usage, 3 H0 accepted, 4 stopped undecided, 5 done with engine faults (with --check: it has errors).")]
pub struct Args {
    /// An engine, twice or more: 'cmd=PROGRAM args=… name=… dir=… option.NAME=VALUE weights=FILE tc=… st=… nodes=… depth=…
    /// proto=uci|usi|gtp|xboard|auto ponder=on restart=on start=SECONDS quit=SECONDS affinity=0,2-3';
    /// without cmd (or cmd=self) it is this program's own
    #[arg(long = "engine", value_name = "SPEC")]
    engines: Vec<EngineArg>,
    /// What every engine has that says nothing else itself: 'option.Hash=16 tc=1+0.01'
    #[arg(long, value_name = "SPEC")]
    each: Option<EngineArg>,
    /// Options and engines from a TOML file, the same by name; the command line wins
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print fastchess's or cutechess-cli's command line as ours, and play nothing
    #[arg(long, value_name = "COMMAND")]
    from_command: Option<String>,
    /// Say what would be played, and play nothing
    #[arg(long)]
    dry_run: bool,
    #[arg(skip)]
    words: Option<Vec<String>>,
    /// The game
    #[arg(long, default_value = "chess")]
    game: String,
    /// The variant of its rules, such as chess960
    #[arg(long, default_value = "")]
    rules: String,
    /// Time control in seconds: 1+0.01, 40/4, 40/900+5:900+5; with byoyomi 600+b30, 600+b30x5 (Japanese), 600+b300/25 (Canadian)
    #[arg(long)]
    tc: Option<TimeControl>,
    /// Short time control: --tc 10+0.1
    #[arg(long, conflicts_with_all = ["tc", "ltc"])]
    stc: bool,
    /// Long time control: --tc 60+0.6
    #[arg(long, conflicts_with = "tc")]
    ltc: bool,
    /// Seconds a move
    #[arg(long, value_name = "SECONDS")]
    st: Option<f64>,
    /// Nodes a move
    #[arg(long)]
    nodes: Option<u64>,
    /// Plies a move
    #[arg(long)]
    depth: Option<u32>,
    /// Overstepping of time that is forgiven, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin: u64,
    /// Seconds to wait for a move without a clock before an engine counts as hung [default: fitting the limits]
    #[arg(long, value_name = "SECONDS")]
    patience: Option<f64>,
    /// Games of every pairing [default: 100; in a knockout 2; with --sprt 40000]
    #[arg(long)]
    games: Option<u64>,
    /// Rounds: two games of every pairing each, from the same opening with colours swapped
    #[arg(long, conflicts_with = "games")]
    rounds: Option<u64>,
    #[command(flatten)]
    tournament: tournament::Args,
    /// Openings: EPD, FEN, SFEN, lines of moves, games (PGN, SGS, SGF, KIF, CSA) or a folder of them, also .zst, .gz, .xz and .bz2; `random`: random moves, balanced [default: a set that is built
    /// in, where the game has one]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    #[command(flatten)]
    skip: SkipArgs,
    /// Moves taken from each opening [default: all of a file's, 8 random ones]
    #[arg(long)]
    plies: Option<u32>,
    /// Order of openings
    #[arg(long, value_enum, default_value_t = book::OrderArg::Random)]
    order: book::OrderArg,
    /// The opening to begin with, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    start: u64,
    /// The tournament's name in records
    #[arg(long, value_name = "NAME", default_value = EVENT)]
    event: String,
    /// The tournament's place in records
    #[arg(long, value_name = "PLACE")]
    site: Option<String>,
    /// Seed of all that is random [default: a new one, which is printed]
    #[arg(long)]
    seed: Option<u64>,
    /// Games at a time [default: one fewer than there are processors]
    #[arg(long, short = 'j')]
    concurrency: Option<usize>,
    /// Stop when it is proved that the difference is ELO1 or more, or ELO0 or less
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true, overrides_with = "sprt")]
    sprt: Option<Vec<f64>>,
    /// Chance of a wrong H1
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Chance of a wrong H0
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// In what --sprt counts
    #[arg(long, value_enum, default_value_t = compute::ModelArg::Normalised)]
    model: compute::ModelArg,
    /// Whoever thinks itself lost resigns: MOVES/CP or MOVES/CP/both
    #[arg(long)]
    resign: Option<ResignRule>,
    /// What both think drawn is drawn: FROM/MOVES/CP
    #[arg(long)]
    draw: Option<DrawRule>,
    /// Games of so many plies are drawn
    #[arg(long)]
    max_plies: Option<u32>,
    /// Append games to this PGN file
    #[arg(long, value_name = "FILE")]
    pgn_out: Option<PathBuf>,
    /// Append games to this game set
    #[arg(long, value_name = "FILE")]
    sgs_out: Option<PathBuf>,
    /// Append games to this SGF file
    #[arg(long, value_name = "FILE")]
    sgf_out: Option<PathBuf>,
    /// Append games of shogi to this KIF file
    #[arg(long, value_name = "FILE")]
    kif_out: Option<PathBuf>,
    /// Append games of shogi to this CSA file
    #[arg(long, value_name = "FILE")]
    csa_out: Option<PathBuf>,
    /// Append the last position of each game, with its result, to this EPD file
    #[arg(long, value_name = "FILE")]
    epd_out: Option<PathBuf>,
    /// The journal [default: the first output file's name with .journal, or tesuji-match.journal; where these hold another
    /// unfinished match, with the players' names as well]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on with the match of this journal; everything else is as it was, but --games may ask for more
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = DEFAULT_JOURNAL)]
    resume: Option<PathBuf>,
    /// Begin anew even where a journal holds an unfinished match
    #[arg(long)]
    fresh: bool,
    /// One JSON object a line on stdout: start, games, end
    #[arg(long)]
    json: bool,
    /// Only the result
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    making: making::MakingArgs,
    #[command(flatten)]
    statistics: compute::StatsArgs,
    #[command(flatten)]
    protocols: protocols::Args,
}

/// The journal of matches without output files.
const DEFAULT_JOURNAL: &str = "tesuji-match.journal";
/// The tournament's name where none was given.
const EVENT: &str = "Tesuji match";
/// Between two estimates of the time left.
const FORETELL: Duration = Duration::from_secs(1);
/// Between two estimates when games end.
const FORETELL_ANEW: Duration = Duration::from_millis(200);
/// Games of a match when nothing is said, without and with a test.
const GAMES: [u64; 2] = [100, 40_000];

/// A parser for arguments that a journal remembers.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Remembered {
    #[command(flatten)]
    args: Args,
    /// Options of the whole program may stand among them; the log is not remembered.
    #[command(flatten)]
    _logs: crate::logs::Args,
}

/// Plays a match, or computes.
///
/// # Errors
/// Wrong usage or input.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some(command) = &args.from_command {
        return convert::run(command);
    }
    let args = args.with_config()?;
    bounds::check(&args)?;
    if args.statistics.compute(&args)? {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(file) = args.making.file() {
        return making::run(&args, file);
    }
    if let Some(engine) = &args.protocols.check {
        return check::run(engine, games::kit(&args.game)?, args.json);
    }
    memory::forget_code();
    match args.resume.clone() {
        Some(path) => resume::run(&path, &args),
        None => begin(args),
    }
}

/// The arguments of a match in words of a command line.
fn parsed_words(words: &[String]) -> Result<Remembered, clap::Error> {
    crate::bounds::parse_words::<Remembered, _>("match", words)
}

/// The words in the text of a match's file, read as arguments, too: for fuzzers.
pub(crate) fn read_config(text: &str) -> anyhow::Result<Vec<String>> {
    let words = config::words_of(text)?;
    parsed_words(&words)?;
    Ok(words)
}

impl Args {
    fn sprt(&self) -> anyhow::Result<Option<Sprt>> {
        let Some([elo0, elo1]) = self.sprt.as_deref() else { return Ok(None) };
        if elo0.partial_cmp(elo1) != Some(std::cmp::Ordering::Less) {
            bail!("--sprt {elo0} {elo1}: ELO0 must be less than ELO1");
        }
        for (name, chance) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(chance > 0.0 && chance < 0.5) {
                bail!("--{name} {chance}: a chance between 0 and 0.5 is needed");
            }
        }
        let model = Model::from(self.model);
        Ok(Some(Sprt { elo0: *elo0, elo1: *elo1, alpha: self.alpha, beta: self.beta, model }))
    }

    /// The same with what its file says.
    fn with_config(mut self) -> anyhow::Result<Args> {
        let given: Vec<String> = std::env::args().skip_while(|a| a != "match").skip(1).collect();
        if let Some(path) = &self.config {
            let mut words = config::words(path)?;
            words.extend(given);
            let parsed = parsed_words(&words);
            // Of the parser's words only those that say what is wrong: its usage is that of no command.
            let wrong = |e: clap::Error| {
                let text = e.to_string();
                let first = text.lines().next().unwrap_or_default();
                anyhow::anyhow!("--config {}: {}", path.display(), first.strip_prefix("error: ").unwrap_or(first))
            };
            self = parsed.map_err(wrong)?.args;
            self.words = Some(without_config(words));
        } else {
            self.words = Some(given);
        }
        Ok(self)
    }

    fn games(&self) -> u64 {
        let games_a_round = self.tournament.games_a_round();
        let said = self.games.or(self.rounds.map(|n| n.saturating_mul(games_a_round)));
        said.unwrap_or_else(|| self.tournament.games_usual().unwrap_or(GAMES[usize::from(self.sprt.is_some())]))
    }

    /// What every engine may use that says nothing else itself.
    fn allowance(&self) -> Allowance {
        Allowance {
            control: self.control(),
            move_time: self.st.map(engines::seconds),
            nodes: self.nodes,
            depth: self.depth,
            margin: Duration::from_millis(self.margin),
            patience: self.patience.map(engines::seconds),
        }
    }

    fn control(&self) -> Option<TimeControl> {
        let seconds = |time, increment| TimeControl::new(engines::seconds(time), engines::seconds(increment));
        let preset = self.stc.then(|| seconds(10.0, 0.1)).or(self.ltc.then(|| seconds(60.0, 0.6)));
        self.tc.clone().or(preset)
    }

    /// Who meets whom.
    ///
    /// # Errors
    /// When the engines are too few for it.
    fn schedule(&self, openings: usize) -> anyhow::Result<Schedule> {
        self.tournament.schedule(self.engines.len(), self.games(), openings)
    }

    /// Tags of every record.
    fn tags(&self) -> Vec<(String, String)> {
        let site = self.site.iter().map(|site| ("Site".to_string(), site.clone()));
        let date = ("Date".to_string(), date_text(SystemTime::now()));
        [("Event".to_string(), self.event.clone())].into_iter().chain(site).chain([date]).collect()
    }

    /// The output files with their formats' names.
    fn outputs(&self) -> impl Iterator<Item = (&Path, &'static str)> {
        let files = [
            (&self.pgn_out, "pgn"),
            (&self.sgs_out, "sgs"),
            (&self.epd_out, "epd"),
            (&self.sgf_out, "sgf"),
            (&self.kif_out, "kif"),
            (&self.csa_out, "csa"),
        ];
        files.into_iter().filter_map(|(path, format)| Some((path.as_deref()?, format)))
    }
}

/// Begins a match: openings, journal, empty output files.
fn begin(args: Args) -> anyhow::Result<ExitCode> {
    if args.engines.len() < 2 {
        bail!("a match needs two engines: --engine 'cmd=PROGRAM name=…', or --engine weights=FILE for our own");
    }
    if args.games() == 0 {
        bail!("--games 0: nothing to play");
    }
    if args.sprt.is_some() && !args.tournament.can_test(args.engines.len()) {
        bail!("--sprt tests one engine: play it against one other, or against all others with --gauntlet");
    }
    let kit = games::kit(&args.game)?;
    let seed = args.seed.unwrap_or_else(fresh_seed);
    if args.dry_run {
        return foretell::run(kit, &args, seed);
    }
    for (_, format) in args.outputs() {
        written_as(kit, format)?;
    }
    let plan = plan(kit, &args, book::openings(kit, &args, seed, args.schedule(1)?.rounds())?)?;
    let mut running = Match::new(&plan, &Journal::in_memory()?)?;
    Report::new(&plan, seed, &args.statistics, args.json, args.quiet).check(&running)?;
    for path in args.outputs().map(|(path, _)| path) {
        check_output(path, Existing::Append)?;
    }
    if let Some(path) = &args.statistics.html {
        check_output(path, Existing::Refuse).context("--html")?;
    }
    let path = journal::choose(&args, &plan)?;
    check_output(&path, Existing::Append)?;
    running.start_engines(&Interrupt::of_process())?;
    // Nothing was wrong with what was asked: from here on files change.
    let outputs = open_outputs(kit, &args, &[])?;
    let mut journal = journal::begin(&path)?;
    journal.set(&[
        ("arguments", &serde_json::to_string(&args.words)?),
        ("folder", &std::env::current_dir()?.to_string_lossy()),
        ("seed", &seed.to_string()),
        ("openings", &book::to_text(&plan.openings)?),
    ])?;
    play(&args, seed, Playing { running, outputs, journal, path: &path })
}

/// Opens the output files behind what is in them.
fn open_outputs(kit: &dyn Kit, args: &Args, tails: &[Tail]) -> anyhow::Result<Vec<Output>> {
    let open = |(index, (path, format))| Ok(Output::open(path, written_as(kit, format)?, tails.get(index))?);
    args.outputs().enumerate().map(open).collect()
}

/// Without the file whose words are among them already.
fn without_config(words: Vec<String>) -> Vec<String> {
    let mut rest = words.into_iter();
    let mut kept = Vec::new();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--config" => drop(rest.next()),
            _ if word.starts_with("--config=") => {}
            _ => kept.push(word),
        }
    }
    kept
}

/// The format of this name for records of the game.
fn written_as(kit: &dyn Kit, format: &str) -> anyhow::Result<&'static dyn tesuji_record::RecordFormat> {
    kit.format(format).with_context(|| format!("{} is not written as {format}", kit.name()))
}

/// What the arguments ask for.
fn plan<'a>(kit: &'static dyn Kit, args: &'a Args, openings: Book) -> anyhow::Result<Plan<'a>> {
    Ok(Plan {
        game: kit,
        rules: crate::settings::full_rules(kit, &args.rules)?,
        entrants: engines::entrants(&args.engines, args.each.as_ref(), &args.allowance(), &args.game)?,
        schedule: args.schedule(openings.len())?,
        openings,
        adjudication: Adjudication { resign: args.resign, draw: args.draw, plies_max: args.max_plies },
        referee: args.protocols.referee(kit.name())?,
        sprt: args.sprt()?,
        stop_width: args.statistics.stop_width()?,
        jobs: args.concurrency.unwrap_or_else(default_jobs).max(1),
        side_tags: kit.side_tags(),
        dialogues: args.protocols.dialogues()?,
        tags: args.tags(),
    })
}

/// Writes how the match stands for the process that started this one, where there is one.
fn show_page(
    plan: &Plan<'_>,
    running: &Match<'_>,
    seed: u64,
    left: Option<TimeLeft>,
    (end, ratings): (Option<End>, Option<&Table>),
) {
    if leash::folder().is_some() {
        // Who watches misses a picture; the match is worth more.
        let _ = leash::show(&view::view(plan, running, seed, left, (end, ratings)).to_string());
    }
}

/// A match with its open files.
struct Playing<'a> {
    running: Match<'a>,
    outputs: Vec<Output>,
    journal: Journal,
    path: &'a Path,
}

/// Plays what is not played yet.
fn play(args: &Args, seed: u64, playing: Playing<'_>) -> anyhow::Result<ExitCode> {
    memory::forget_code();
    tesuji_jobs::terminal::go_on_without_reader();
    let Playing { mut running, mut outputs, mut journal, path } = playing;
    let plan = running.plan();
    let mut report = Report::new(plan, seed, &args.statistics, args.json, args.quiet);
    report.begin(&running, &journal)?;
    let show = if args.quiet || report.is_silent() { Show::Quiet } else { Show::Lines };
    // A test ends by its bounds: the 40,000 games at which it gives up are no measure of how far it is.
    let is_open = plan.sprt.is_some() && args.games.is_none() && args.rounds.is_none();
    let total = (!is_open).then(|| running.schedule().games());
    let progress = Progress::start("match", "games", total, show);
    progress.resume_at(running.standing().games());
    let interrupt = Interrupt::of_process();
    let mut foretold: Option<Instant> = None;
    let mut left = None;
    show_page(plan, &running, seed, left, (None, None));
    memory::forget_code();
    let end = running.run(&mut journal, &mut outputs, &interrupt, &mut |running, news| match news {
        News::Tick if leash::folder().is_some() && foretold.is_some_and(|at| at.elapsed() < FORETELL) => {
            show_page(plan, running, seed, left, (None, None));
        }
        // Foretelling takes milliseconds: seldom is often enough.
        News::Tick if progress.has_board() && foretold.is_some_and(|at| at.elapsed() < FORETELL) => {
            progress.board(live::lines(plan, running, Instant::now()));
        }
        News::Tick if foretold.is_none_or(|at| at.elapsed() >= FORETELL) => {
            foretold = Some(Instant::now());
            left = running.left();
            progress.left(left.map(|left| (left.low, left.high)));
            report.tick(running, left);
        }
        News::Tick => {}
        News::Warning(player, fault) => {
            let name = player.map_or("the referee", |player| plan.entrants[player].name.as_str());
            progress.line(&format!("Warning: {name}: {}", fault.detail));
        }
        News::Game(finished) => {
            if foretold.is_none_or(|at| at.elapsed() >= FORETELL_ANEW) {
                foretold = Some(Instant::now());
                left = running.left();
                progress.left(left.map(|left| (left.low, left.high)));
            }
            if !is_open {
                progress.total(running.schedule().games());
            }
            progress.set_noted(running.standing().games(), &summary::short_text(plan, running));
            report.game(running, finished, &progress);
        }
    });
    progress.finish();
    drop(progress);
    let end = match end {
        Ok(end) => end,
        Err(MatchError::Journal(error)) => {
            match error {
                JournalError::Lost(error) => eprintln!("tesuji: {error}"),
                error => eprintln!("tesuji: {}: {error}; what is in it is safe", path.display()),
            }
            return Ok(ExitCode::FAILURE);
        }
        Err(MatchError::Output(error)) => {
            eprintln!("tesuji: an output file failed: {error}; what was written is safe");
            return Ok(ExitCode::FAILURE);
        }
        Err(error) => return Err(error.into()),
    };
    if end != End::Stopped {
        journal.set(&[("over", "yes")])?;
    }
    report.end(&running, end)?;
    let ratings = report.ratings(&running)?;
    show_page(plan, &running, seed, None, (Some(end), ratings.as_ref()));
    if end == End::Stopped {
        eprintln!("Stopped. Go on with: tesuji match --resume {}", path.display());
    }
    Ok(exit_code(end, plan.sprt.is_some(), running.standing().faults() > 0))
}

fn exit_code(end: End, is_test: bool, has_faults: bool) -> ExitCode {
    ExitCode::from(match end {
        End::Decided(Decision::AcceptH1) => 0,
        End::Decided(Decision::AcceptH0) => 3,
        End::Decided(Decision::Continue) | End::Stopped => 4,
        End::Complete | End::Narrow if is_test => 4,
        End::Complete | End::Narrow if has_faults => 5,
        End::Complete | End::Narrow => 0,
    })
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().saturating_sub(1)).max(1)
}

/// A seed that no other match has.
pub(crate) fn fresh_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Short enough to be typed again.
    tesuji_game::Random::new(now.as_nanos() as u64).next_u64() % 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_again() {
        let words =
            ["--engine", "cmd=a", "--engine", "self", "--sprt", "-5", "0", "--tc", "1+0.01", "--resign", "4/600"];
        let args = Remembered::try_parse_from(words).unwrap().args;
        let sprt = args.sprt().unwrap().unwrap();
        assert_eq!((sprt.elo0, sprt.elo1, args.engines.len(), args.games()), (-5.0, 0.0, 2, 40_000));
        assert!(Remembered::try_parse_from(["--tc", "x"]).is_err());
        let wrong = Remembered::try_parse_from(["--sprt", "5", "0"]).unwrap().args;
        assert!(wrong.sprt().is_err());
    }
}
