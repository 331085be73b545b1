//! Games reviewed by an engine: the request, the review of each game, and the games with what was found.

mod annotate;
mod output;

pub use annotate::annotated;

use crate::{Games, Kit, PlayerRequest, RequestError, SkipErrors, open_records};
use anyhow::{Context, bail};
use output::ReviewOutput;
use serde::{Deserialize, Serialize};
use std::{
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use tesuji_engine::{Judge, MoveVerdict, Player, Reviewed};
use tesuji_game::{Limits, Report, Signal, Watch};
use tesuji_jobs::{Interrupt, Progress, Show};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, SharedBuffer, Step};

/// Nodes for each position where nothing limits the search.
const NODES: u64 = 20_000;

/// Games that are to be reviewed. Everything but the game and the file may be missing.
///
/// # Examples
/// ```
/// use tesuji_kit::review::AnalyseRequest;
/// let request: AnalyseRequest = serde_json::from_str(r#"{ "game": "four", "file": "a.sgs", "nodes": 500 }"#)?;
/// assert!(request.validate().is_ok());
/// let wrong = AnalyseRequest { candidates: 0, ..request };
/// assert_eq!(wrong.validate().unwrap_err().to_string(), "candidates 0: expected 1 to 16");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnalyseRequest {
    /// The version of this form: [`AnalyseRequest::VERSION`].
    pub version: u32,
    /// The game.
    pub game: String,
    /// Games to review, in a format of the game.
    pub file: PathBuf,
    /// Leave broken games out, or read them up to the fault, and name them, instead of stopping at the first.
    pub skip_errors: bool,
    /// The output file, in the format of its name; if not given, the games are returned in the format of `file`.
    pub out: Option<PathBuf>,
    /// Whether to go on behind the games that an earlier run of this request wrote into `out`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resume: bool,
    /// The engine that reviews them.
    pub player: PlayerRequest,
    /// Nodes (playouts) for each position; 20,000 where nothing limits the search.
    pub nodes: Option<u64>,
    /// Plies for each position.
    pub depth: Option<u32>,
    /// Seconds for each position.
    pub seconds: Option<f64>,
    /// Candidates that are named at each move.
    pub candidates: u32,
    /// The loss from which a move is dubious, in centipawns or, where the game's values are chances, in hundredths.
    pub dubious: Option<i32>,
    /// The loss from which a move is a mistake.
    pub mistake: Option<i32>,
    /// The loss from which a move is a blunder.
    pub blunder: Option<i32>,
}

impl Default for AnalyseRequest {
    fn default() -> AnalyseRequest {
        AnalyseRequest {
            version: Self::VERSION,
            game: String::new(),
            file: PathBuf::new(),
            skip_errors: false,
            out: None,
            resume: false,
            player: PlayerRequest::default(),
            nodes: None,
            depth: None,
            seconds: None,
            candidates: 1,
            dubious: None,
            mistake: None,
            blunder: None,
        }
    }
}

impl AnalyseRequest {
    /// The version of the form that this program knows.
    pub const VERSION: u32 = 1;

    /// Checks the request by itself; files and the player are looked at later.
    ///
    /// # Errors
    /// The first field that cannot be meant.
    pub fn validate(&self) -> Result<(), RequestError> {
        RequestError::check_version(self.version, Self::VERSION)?;
        RequestError::check_game(&self.game)?;
        if self.file.as_os_str().is_empty() {
            return Err(RequestError::field("file", "is missing"));
        }
        if self.resume && self.out.is_none() {
            return Err(RequestError::field("resume", "goes on with a file: name it as out"));
        }
        if !(1..=16).contains(&self.candidates) {
            return Err(RequestError::value("candidates", self.candidates, "expected 1 to 16"));
        }
        match self.seconds {
            Some(seconds) if !(0.0..=1e9).contains(&seconds) => {
                Err(RequestError::value("seconds", seconds, "expected 0 to 1000000000"))
            }
            _ => Ok(()),
        }
    }

    /// The limits of the search of each position.
    pub fn limits(&self) -> Limits {
        let move_time = self.seconds.map(Duration::from_secs_f64);
        let is_free = self.nodes.is_none() && self.depth.is_none() && move_time.is_none();
        let nodes = self.nodes.or(is_free.then_some(NODES));
        Limits { nodes, depth: self.depth, move_time, ..Limits::default() }
    }

    /// The judge of mistakes, with the thresholds of the request.
    pub fn judge(&self, kit: &dyn Kit) -> Judge {
        let scale = kit.scale();
        let [dubious, mistake, blunder] = scale.thresholds();
        let asked = [(self.dubious, dubious), (self.mistake, mistake), (self.blunder, blunder)];
        Judge { scale, thresholds: asked.map(|(asked, usual)| asked.unwrap_or(usual)) }
    }
}

/// The review of a game: of the position before each move of the main line, and of the last one.
pub struct GameReview {
    /// The reviewed positions, in order.
    pub positions: Vec<Reviewed>,
    /// The summary for both sides.
    pub summary: ReviewSummary,
}

/// The summary of a reviewed game, for the first and the second side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReviewSummary {
    /// Moves.
    pub moves: [u32; 2],
    /// The sums of their losses.
    pub lost: [i64; 2],
    /// Dubious moves, mistakes and blunders.
    pub marks: [[u32; 3]; 2],
}

impl ReviewSummary {
    fn add(&mut self, side: usize, verdict: Option<&MoveVerdict>) {
        self.moves[side] += 1;
        let Some(verdict) = verdict else { return };
        self.lost[side] += i64::from(verdict.cost);
        if let Some(mark) = verdict.mark {
            self.marks[side][mark as usize] += 1;
        }
    }
}

/// Reviews all games of a file and writes each when it is done, to the file of the request or to `stream`; `tell` hears of each with
/// its number, from 1.
///
/// # Errors
/// The field that cannot be meant, games that cannot be read or written, an output that is the file that is read; games done
/// before are kept.
pub fn run_analysis(
    games: Games,
    request: &AnalyseRequest,
    interrupt: &Interrupt,
    stream: &mut dyn Write,
    tell: &mut dyn FnMut(u32, &ReviewSummary),
) -> Result<AnalyseEnd, RequestError> {
    request.validate()?;
    let kit = games.kit(&request.game)?;
    let skip = SkipErrors { wanted: request.skip_errors };
    let mut reader = skip.reader(&request.file, open_records(kit, &request.file)?);
    let mut format = output_format(kit, request.out.as_deref().unwrap_or(&request.file))?;
    if request.out.is_none() && io::stdout().is_terminal() {
        // Terminals show UTF-8: records of shogi in Shift-JIS have a sibling of that name.
        format = AnyGame::format(kit, &format!("{}u", format.name())).unwrap_or(format);
    }
    let mut output = ReviewOutput::begin(request, format, stream)?;
    let lines = request.candidates.to_string();
    let mut player = request.player.player(games, kit, &[("MultiPV", &lines)])?;
    let text = SharedBuffer::default();
    let mut writer = format.writer(Box::new(text.clone()));
    let mut number = 0;
    let mut read = || skip.hinted(reader.read().with_context(|| request.file.display().to_string()));
    while let Some(game) = read()? {
        number += 1;
        if output.has(number, &game)? {
            continue;
        }
        let place = || format!("{}: game {number}", request.file.display());
        // Gone before the game is written, to the same terminal perhaps.
        let progress = Progress::start(&format!("game {number}"), "positions", None, Show::Auto);
        let reviewed = review_told(kit, request, (player.as_mut(), &game), interrupt, &progress).with_context(place)?;
        progress.finish();
        let Some(review) = reviewed else { return Ok(AnalyseEnd::StoppedIn(number)) };
        // Formats without variations take the same game without them.
        if writer.write(&annotated(kit, request, &game, &review.positions, true)).is_err() {
            writer.write(&annotated(kit, request, &game, &review.positions, false)).with_context(place)?;
        }
        writer.flush().map_err(RequestError::failed)?;
        output.write(&text.take())?;
        tell(number, &review.summary);
    }
    writer.finish().map_err(RequestError::failed)?;
    output.write(&text.take())?;
    output.finish()?;
    Ok(AnalyseEnd::Complete)
}

/// The end of a review of games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalyseEnd {
    /// All games were reviewed and written.
    Complete,
    /// In the game with this number, from 1; those before it are written.
    StoppedIn(u32),
}

/// The format of a file's name, or the one with evaluations as review tools write them, where the game has that.
fn output_format(kit: &dyn Kit, path: &Path) -> anyhow::Result<&'static dyn RecordFormat> {
    let name = path.display().to_string();
    let plain = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(&name);
    let format = AnyGame::format(kit, plain).with_context(|| format!("{name}: no format is known by this name"))?;
    Ok(AnyGame::format(kit, &format!("{}-eval", format.name())).unwrap_or(format))
}

/// Reviews the position before each move of the main line, and the last one; `None` when it was interrupted.
///
/// # Errors
/// When the player takes a position not, or gives no answer.
pub fn review_game(
    kit: &dyn Kit,
    request: &AnalyseRequest,
    player: &mut dyn Player,
    game: &GameRecord<String>,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<GameReview>> {
    review_told(kit, request, (player, game), interrupt, &Progress::start("", "positions", None, Show::Quiet))
}

/// [`review_game`], with its progress.
fn review_told(
    kit: &dyn Kit,
    request: &AnalyseRequest,
    (player, game): (&mut dyn Player, &GameRecord<String>),
    interrupt: &Interrupt,
    progress: &Progress,
) -> anyhow::Result<Option<GameReview>> {
    let (judge, limits) = (request.judge(kit), request.limits());
    player.new_game();
    let mut start = game.start.clone();
    let mut moves: Vec<String> = Vec::new();
    let mut review = GameReview { positions: Vec::new(), summary: ReviewSummary::default() };
    let line = game.main_nodes();
    progress.total(line.len() as u64 + 1);
    for i in 0..=line.len() {
        progress.set(i as u64);
        player.set_position(&game.rules, start.as_deref(), &moves)?;
        let side = player.side_to_move().map_or(moves.len() % 2, |side| side.index());
        let mut watch = Interrupted { began: Instant::now(), interrupt };
        let step = line.get(i).map(|&node| &game.nodes[node as usize].step);
        let played = if let Some(Step::Move(text)) = step { Some(text.as_str()) } else { None };
        let reviewed = judge.review(player, &limits, played, &mut watch);
        if interrupt.is_raised() {
            return Ok(None);
        }
        if let Some(fault) = &reviewed.report.fault {
            bail!("after {} moves: {fault}", moves.len());
        }
        if played.is_some() {
            review.summary.add(side, reviewed.verdict.as_ref());
        }
        review.positions.push(reviewed);
        match step {
            Some(Step::Move(text)) => moves.push(text.clone()),
            Some(Step::Setup(setup)) => {
                start = game.setup(*setup).map(str::to_string);
                moves.clear();
            }
            _ => {}
        }
    }
    Ok(Some(review))
}

/// The watch of a search: its clock, and Ctrl-C.
struct Interrupted<'a> {
    began: Instant,
    interrupt: &'a Interrupt,
}

impl Watch<String> for Interrupted<'_> {
    fn signal(&mut self) -> Signal {
        if self.interrupt.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}
