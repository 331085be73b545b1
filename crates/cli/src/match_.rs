//! `tesuji match`: games between engines that prove a change.

mod check;
mod compute;
mod foreign;
mod making;
mod play;
mod rate;
mod report;
mod tournament;

use crate::{
    bounds::given_options,
    fleet_url::FleetUrl,
    games, own_program,
    request::{RequestArgs, refused},
    skip::SkipArgs,
};
use anyhow::Context;
use clap::Parser;
use play::{Playing, Workers, play};
use report::Report;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_arena::{
    DrawRule, EVENT, EngineRequest, Journal, Match, MatchPlan, MatchRequest, OpeningOrder, OutputRequest, ResignRule,
    Resumed, TimeControl, begin_journal, begin_match, check_engine_files, check_for_lost_games, check_holds_games,
    check_results, check_resume_options, choose_journal, config_words, config_words_of, dry_run, few_openings,
    fresh_match_id, fresh_seed, longer_words, open_outputs, seconds, words_with_request, words_without,
};
use tesuji_jobs::{Existing, Interrupt, check_output, memory};
use tesuji_kit::{RequestError, check_new_output, complain};

/// Play a match between engines and say which is stronger
///
/// Openings are played in pairs with colours swapped. Every finished game is in the journal and in the output files
/// at once: a match that was killed goes on with --resume, with no game lost or played twice.
#[derive(clap::Args, Debug)]
#[group(skip)]
#[command(args_override_self = true)]
#[command(after_help = "\
Examples:
  tesuji match --engine cmd=stockfish --engine weights=new.json --tc 1+0.01
  tesuji match --engine weights=a.json --engine self --nodes 5k --sprt 0 5
  tesuji match --resume games.pgn.journal
  tesuji match --swiss --rounds 5 --engine cmd=a --engine cmd=b --engine self
  tesuji match --stats 1940 1337 1723 --sprt 0 5
  tesuji match --make-openings book.epd --spread 40 --count 500 --seed 1
  tesuji match --check 'cmd=./engine proto=usi'

Exit codes: 0 done (with --sprt: H1 accepted), 2 wrong usage, 3 H0 accepted, 4 stopped undecided, 5 done with engine faults (with --check: it has errors).")]
pub struct Args {
    /// An engine, twice or more: 'cmd=PROGRAM args=… name=… dir=… option.NAME=VALUE weights=FILE tc=… st=… nodes=… depth=…
    /// proto=uci|usi|gtp|xboard|auto ponder=on restart=on start=SECONDS quit=SECONDS affinity=0,2-3';
    /// without cmd (or cmd=self) it is this program's own
    #[arg(long = "engine", value_name = "SPEC")]
    engines: Vec<EngineRequest>,
    /// Settings of every engine that does not say otherwise: 'option.Hash=16 tc=1+0.01'
    #[arg(long, value_name = "SPEC")]
    each: Option<EngineRequest>,
    /// Options and engines from a TOML file, the same by name; the command line wins
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print the command line of fastchess, cutechess-cli or BattleField as ours, and play nothing
    #[arg(long, value_name = "COMMAND")]
    from_command: Option<String>,
    /// Say what would be played, and play nothing
    #[arg(long)]
    dry_run: bool,
    /// The game
    #[arg(long, default_value = games::usual())]
    game: String,
    /// The variant of its rules, such as chess960
    #[arg(long, default_value = "", hide_default_value = true)]
    rules: String,
    /// Time control in seconds: 1+0.01, 40/4, 40/900+5:900+5; with byoyomi 600+b30, 600+b30x5 (Japanese), 600+b300/25 (Canadian)
    #[arg(long, allow_hyphen_values = true)]
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
    /// Rounds: two games of every pairing each, from the same opening with colours swapped; in a Swiss tournament its rounds, beside
    /// --games
    #[arg(long)]
    rounds: Option<u64>,
    #[command(flatten)]
    tournament: tournament::Args,
    /// Openings: EPD, FEN, SFEN, lines of moves, games (PGN, SGS, SGF, KIF, CSA) or a folder of them, also .zst, .gz, .xz and .bz2; `random`: random moves, balanced; `built-in` [default: a set that is built
    /// in, where the game has one]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    #[command(flatten)]
    skip: SkipArgs,
    /// Moves taken from each opening [default: all of a file's, 8 random ones]
    #[arg(long)]
    plies: Option<u32>,
    /// Order of openings
    #[arg(long, value_enum, default_value_t = OrderArg::Random)]
    order: OrderArg,
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
    #[arg(long, short = 'j', alias = "concurrency")]
    jobs: Option<usize>,
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
    /// A side that thinks itself lost resigns: MOVES/CP or MOVES/CP/both
    #[arg(long)]
    resign: Option<ResignRule>,
    /// Draw when both think so: FROM/MOVES/CP
    #[arg(long)]
    draw: Option<DrawRule>,
    /// Games of this many plies are drawn
    #[arg(long)]
    max_plies: Option<u32>,
    /// Append games to this PGN file
    #[arg(long, value_name = "FILE")]
    pgn_out: Option<PathBuf>,
    /// Append games to this game set
    #[arg(long, value_name = "FILE")]
    sgs_out: Option<PathBuf>,
    /// What the game set holds: full, with scores, times and reasons, or plain, moves and results alone
    #[arg(long, default_value = "full", value_parser = ["full", "plain"], value_name = "STYLE", requires = "sgs_out")]
    sgs_style: String,
    /// Append games to this SGF file
    #[arg(long, value_name = "FILE")]
    sgf_out: Option<PathBuf>,
    /// Append games of shogi to this KIF file (.kif in Shift-JIS, .kifu in UTF-8)
    #[arg(long, value_name = "FILE")]
    kif_out: Option<PathBuf>,
    /// Append games of shogi to this CSA file
    #[arg(long, value_name = "FILE")]
    csa_out: Option<PathBuf>,
    /// Append the last position of each game, with its result, to this EPD file
    #[arg(long, value_name = "FILE")]
    epd_out: Option<PathBuf>,
    /// Append games to this file, in the format of the game that its name ends in
    #[arg(long, value_name = "FILE")]
    games_out: Option<PathBuf>,
    /// The journal [default: the first output file's name with .journal, or tesuji-match.journal; where these hold another
    /// unfinished match, with the players' names as well]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Go on with the match of this journal, or with the one in this folder that is not over [default: .]. These may be given again: --games or --rounds (more; not of a Swiss tournament), --jobs, --html, --output, --sigma, --anchor;
    /// --json and --quiet hold for one run and are not remembered. Others are as they were, and refused where they differ
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = ".")]
    resume: Option<PathBuf>,
    /// Begin again even where a journal holds an unfinished match
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
    /// Append all that is said in each game to a file of its own in this folder
    #[arg(long, value_name = "FOLDER")]
    log_dialogue: Option<PathBuf>,
    /// A go engine that counts finished games (GTP's final_score) [default: dead are the stones that both players name]
    #[arg(long, value_name = "SPEC")]
    referee: Option<EngineRequest>,
    /// Check whether an engine keeps to its protocol, instead of playing
    #[arg(long, value_name = "SPEC")]
    check: Option<EngineRequest>,
    #[command(flatten)]
    fleet: FleetUrl,
    #[command(flatten)]
    asked: RequestArgs,
}

/// The order of openings on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum OrderArg {
    /// Shuffled by the seed
    Random,
    /// As they stand
    Sequential,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 4] =
    [("seconds_a_move", "st"), ("patience_seconds", "patience"), ("engines", "engine"), ("plies_max", "max_plies")];

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

/// Plays a match, or computes. `given`: the words of the command line behind `match`, which the journal remembers.
///
/// # Errors
/// Wrong usage or input.
pub fn run(args: Args, given: Vec<String>) -> anyhow::Result<ExitCode> {
    if let Some(command) = &args.from_command {
        return foreign::run(command);
    }
    let (args, words) = args.with_config(given)?;
    // Where the work is done is a matter of this run, and its URL has a token.
    let words = tesuji_arena::words_without_fleet(words);
    let request = args.request()?;
    request.check_numbers().map_err(flags)?;
    if args.asked.print_request || args.asked.request.is_some() {
        request.validate().map_err(flags)?;
    }
    if args.asked.print(&request)? {
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(code) = args.statistics.compute(&args, &request)? {
        return Ok(code);
    }
    if let Some(file) = args.making.file() {
        return making::run(&args, file);
    }
    if let Some(engine) = &args.check {
        return check::run(engine, games::kit(&args.game)?, args.json);
    }
    memory::forget_code();
    match &request.resume {
        Some(path) => resume(path, (&args, &request), &words),
        None => begin(&args, &request, &words),
    }
}

/// The error of a request in words of the command line.
fn flags(error: RequestError) -> anyhow::Error {
    refused(error, &FLAGS)
}

/// The arguments of a match in words of a command line.
fn parsed_words(words: &[String]) -> Result<Remembered, clap::Error> {
    crate::bounds::parse_words::<Remembered, _>("match", words)
}

/// The words in the text of a match's file, read as arguments, too: for fuzzers.
pub(crate) fn read_config(text: &str) -> anyhow::Result<Vec<String>> {
    let words = config_words_of(text)?;
    parsed_words(&words)?;
    Ok(words)
}

impl Args {
    /// Merges the arguments of the configuration file into these; returns them with the words for all of them.
    fn with_config(self, given: Vec<String>) -> anyhow::Result<(Args, Vec<String>)> {
        if self.asked.request.is_some() {
            let words = words_with_request(words_without("--request", given), &self.request()?).map_err(flags)?;
            return Ok((self, words));
        }
        let Some(path) = &self.config else { return Ok((self, given)) };
        let mut words = config_words(path)?;
        words.extend(given);
        let parsed = parsed_words(&words);
        // Of the parser's words only those that say what is wrong: its usage is that of no command.
        let wrong = |e: clap::Error| {
            let text = e.to_string();
            let first = text.lines().next().unwrap_or_default();
            anyhow::anyhow!("--config {}: {}", path.display(), first.strip_prefix("error: ").unwrap_or(first))
        };
        Ok((parsed.map_err(wrong)?.args, words_without("--config", words)))
    }

    /// The match that is asked for.
    ///
    /// # Errors
    /// When the file with the request cannot be read.
    fn request(&self) -> anyhow::Result<MatchRequest> {
        let mut request = self.asked.read(|| Ok(self.own_request()))?;
        if request.game.is_empty() {
            request.game = games::usual().to_string();
        }
        Ok(request)
    }

    /// The match that the arguments themselves ask for.
    fn own_request(&self) -> MatchRequest {
        let sprt = self.sprt.as_deref().and_then(|elos| <[f64; 2]>::try_from(elos).ok());
        MatchRequest {
            version: tesuji_arena::VERSION,
            engines: self.engines.clone(),
            each: self.each.clone(),
            game: self.game.clone(),
            rules: self.rules.clone(),
            control: self.control(),
            seconds_a_move: self.st,
            nodes: self.nodes,
            depth: self.depth,
            margin_ms: self.margin,
            patience_seconds: self.patience,
            games: self.games,
            rounds: self.rounds,
            tournament: self.tournament.request(),
            openings: self.openings.clone().filter(|path| path.as_os_str() != "built-in"),
            skip_errors: self.skip.wanted,
            plies: self.plies,
            order: match self.order {
                OrderArg::Random => OpeningOrder::Random,
                OrderArg::Sequential => OpeningOrder::Sequential,
            },
            start: self.start,
            event: self.event.clone(),
            site: self.site.clone(),
            seed: self.seed,
            jobs: self.jobs,
            sprt,
            alpha: self.alpha,
            beta: self.beta,
            model: self.model.into(),
            stop_width: self.statistics.stop_width,
            resign: self.resign,
            draw: self.draw,
            plies_max: self.max_plies,
            outputs: self.outputs(),
            journal: self.journal.clone(),
            fresh: self.fresh,
            dialogues: self.log_dialogue.clone(),
            referee: self.referee.clone(),
            resume: self.resume.clone(),
        }
    }

    /// The workers of a fleet that play, where one is asked for.
    fn workers(&self, request: &MatchRequest, plan: &MatchPlan<'_>) -> anyhow::Result<Option<Workers>> {
        let Some(fleet) = self.fleet.connect(Path::new("match"))? else { return Ok(None) };
        let search = games::kit(&request.game)?.families().first().copied().unwrap_or_default();
        let dispatcher = begin_match(&*fleet, request, (plan, search)).map_err(flags)?;
        Ok(Some(Workers { dispatcher, _fleet: fleet }))
    }

    fn control(&self) -> Option<TimeControl> {
        let control = |time, increment| TimeControl::new(seconds(time), seconds(increment));
        let preset = self.stc.then(|| control(10.0, 0.1)).or(self.ltc.then(|| control(60.0, 0.6)));
        self.tc.clone().or(preset)
    }

    /// The output files with their formats' names.
    fn outputs(&self) -> Vec<OutputRequest> {
        let is_utf8 = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "kifu");
        let files = [
            (&self.pgn_out, "pgn"),
            (&self.sgs_out, if self.sgs_style == "plain" { "sgs-plain" } else { "sgs" }),
            (&self.epd_out, "epd"),
            (&self.sgf_out, "sgf"),
            (&self.kif_out, if self.kif_out.as_ref().is_some_and(is_utf8) { "kifu" } else { "kif" }),
            (&self.csa_out, "csa"),
        ];
        let output = |(path, format): (&Option<PathBuf>, &str)| {
            Some(OutputRequest { file: path.clone()?, format: format.to_string() })
        };
        // A format is known by its name, and by a file's that ends in it.
        let named = self.games_out.as_ref().map(|file| file.display().to_string());
        files.into_iter().chain([(&self.games_out, named.as_deref().unwrap_or_default())]).filter_map(output).collect()
    }
}

/// Begins a match: openings, journal, empty output files.
fn begin(args: &Args, request: &MatchRequest, words: &[String]) -> anyhow::Result<ExitCode> {
    request.validate().map_err(flags)?;
    let kit = games::kit(&request.game)?;
    let (own, seed) = (own_program(kit)?, request.seed.unwrap_or_else(fresh_seed));
    let mut left_out = |words: &str| complain(&words);
    if args.dry_run {
        print!("{}", dry_run(kit, request, &own, seed, &mut left_out).map_err(flags)?);
        return Ok(ExitCode::SUCCESS);
    }
    let files = request.outputs(kit).map_err(flags)?;
    let openings =
        request.openings(kit, seed, request.schedule(1).map_err(flags)?.rounds(), &mut left_out).map_err(flags)?;
    let mut plan = request.plan(kit, &own, openings).map_err(flags)?;
    plan.identify(fresh_match_id());
    if let Some(doubt) = few_openings(&plan) {
        eprintln!("{doubt}");
    }
    let mut running = Match::new(&plan, &Journal::in_memory()?)?;
    Report::new(&plan, seed, &args.statistics, args.json, args.quiet).check(&running)?;
    for (path, format) in files {
        check_output(path, Existing::Append)?;
        check_holds_games(path, format)?;
    }
    let path = choose_journal(request, words, &plan, &mut |line| {
        if !args.quiet {
            eprintln!("{line}");
        }
    })?;
    // After the journal: of a match that was stopped, the page is there as well, and --resume is the advice.
    if let Some(path) = &args.statistics.html {
        let others = request.openings.iter().chain(request.outputs.iter().map(|output| &output.file));
        check_new_output(path, others).context("--html")?;
    }
    check_output(&path, Existing::Append)?;
    running.start_engines(&Interrupt::of_process())?;
    let workers = args.workers(request, &plan)?;
    // Nothing was wrong with what was asked: from here on files change.
    let outputs = open_outputs(kit, request, &[])?;
    let journal = begin_journal(&path, words, seed, (request, &plan))?;
    play(args, request, seed, Playing { running, outputs, journal, path: &path, workers })
}

/// Goes on with a match as its journal remembers it.
fn resume(path: &Path, (now, asked): (&Args, &MatchRequest), words: &[String]) -> anyhow::Result<ExitCode> {
    let mut resumed = Resumed::open(path, &mut |line| eprintln!("{line}"))?;
    let mut args = parsed_words(&resumed.words)?.args;
    let given = given_options::<Remembered>("match", words)?;
    args.statistics.shown_as(&now.statistics, &given)?;
    let mut request = args.request()?;
    resumed.find_folder(&request).map_err(flags)?;
    std::env::set_current_dir(&resumed.folder).with_context(|| resumed.folder.display().to_string())?;
    let begun = MatchRequest { seed: Some(resumed.seed), ..request.clone() };
    check_resume_options(&begun, asked, &given)?;
    let kit = games::kit(&request.game)?;
    let length = MatchRequest { games: asked.games, rounds: asked.rounds, ..request.clone() }.games();
    if (asked.games.is_some() || asked.rounds.is_some()) && length != request.games() {
        let games = length;
        let words = longer_words(&request, args.asked.request.is_some(), games, &resumed.words).map_err(flags)?;
        resumed.extend(kit, &mut request, games, words).map_err(flags)?;
    }
    (args.json, args.quiet) = (now.json, now.quiet);
    request.jobs = asked.jobs.or(request.jobs);
    let Resumed { journal, path, seed, openings, id, .. } = resumed;
    let mut plan = request.plan(kit, &own_program(kit)?, openings).map_err(flags)?;
    id.into_iter().for_each(|id| plan.identify(id));
    let running = Match::new(&plan, &journal)?;
    let tails = journal.tails()?;
    let outputs = open_outputs(kit, &request, &tails)?;
    check_for_lost_games(kit, &request, (&plan, &running), &tails)?;
    check_results(kit, &request, &journal)?;
    check_engine_files(&request, &journal)?;
    let workers = now.workers(&request, &plan)?;
    play(&args, &request, seed, Playing { running, outputs, journal, path: &path, workers })
}
