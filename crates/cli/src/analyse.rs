//! `tesuji analyse`: whole games looked over by the engine, with values, better moves and mistakes, in the format that they came in.

use crate::{games, oracle::OracleArgs, settings::settings, tune::reader};
use anyhow::{Context, bail};
use std::{
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tesuji_engine::{Kit, Player};
use tesuji_game::{Candidate, Limits, Report, Signal, Watch};
use tesuji_jobs::{AtomicFile, Interrupt};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, Step};

/// Beyond so many centipawns a value is won or lost: differences there are no mistakes.
const DECIDED_CP: i32 = 1000;

/// What a move's worth is told in.
#[derive(Clone, Copy, PartialEq)]
enum Scale {
    /// Centipawns of an evaluation.
    Centipawns,
    /// Hundredths of the chance to win, where playouts and networks know nothing else.
    Chance,
}

impl Scale {
    fn of(kit: &dyn Kit) -> Scale {
        if kit.name() == "go" { Scale::Chance } else { Scale::Centipawns }
    }

    /// What a dubious move, a mistake and a blunder lose where the command does not say.
    fn limits(self) -> [i32; 3] {
        match self {
            Scale::Centipawns => [50, 120, 300],
            // As lichess draws the lines, and the page.
            Scale::Chance => [5, 10, 15],
        }
    }

    /// The worth of a line for the side that moves, with all that is decided made equal.
    fn worth(self, line: &Candidate<String>) -> i32 {
        match self {
            Scale::Centipawns => line.value.raw().clamp(-DECIDED_CP, DECIDED_CP),
            Scale::Chance => (50.0 * line.expected.unwrap_or(0.0)).round() as i32,
        }
    }

    /// The same as people write it.
    fn worth_text(self, line: &Candidate<String>) -> String {
        match (self, line.value.mate_plies()) {
            (Scale::Chance, _) => format!("{:.0} %", 50.0 * line.expected.unwrap_or(0.0) + 50.0),
            (_, Some(plies)) if plies > 0 => format!("mate in {}", (plies + 1) / 2),
            (_, Some(plies)) => format!("mated in {}", (-plies + 1) / 2),
            (_, None) => format!("{:+.2}", f64::from(line.value.raw()) / 100.0),
        }
    }

    /// A loss as people write it.
    fn loss_text(self, lost: i32) -> String {
        match self {
            Scale::Centipawns => format!("{:.2}", f64::from(lost) / 100.0),
            Scale::Chance => format!("{lost} % of the chance"),
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Scale::Centipawns => "centipawns",
            Scale::Chance => "% of the chance",
        }
    }
}

/// Arguments of `tesuji analyse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji analyse chess game.pgn --nodes 100000 > annotated.pgn\n  \
    tesuji analyse shogi game.kif --time 1 --out annotated.kif --candidates 3\n\n\
    Each move gets the value after it for the side that played it; one that loses much gets its mark and the better\n\
    line, as a variation where the format has them. What was said before stays. A summary goes to stderr.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
    /// Games to look over, in a format of the game
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write the games there, in the format of the name [default: to stdout, in the format of FILE]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Search with this family instead of the best one
    #[arg(long, value_name = "FAMILY", default_value = "")]
    search: String,
    #[command(flatten)]
    oracle: OracleArgs,
    /// Set an option of the search
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Nodes (playouts) for each position [default: 20000 where nothing else limits the search]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies for each position
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds for each position
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Candidates to name at each move
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=16))]
    candidates: u32,
    /// What a dubious move (?!) loses, in centipawns [default: 50], in go in hundredths of the chance to win [default: 5]
    #[arg(long, value_name = "N")]
    dubious: Option<i32>,
    /// What a mistake (?) loses [default: 120, in go 10]
    #[arg(long, value_name = "N")]
    mistake: Option<i32>,
    /// What a blunder (??) loses [default: 300, in go 15]
    #[arg(long, value_name = "N")]
    blunder: Option<i32>,
}

/// What the engine says about one position.
struct Judgement {
    lines: Vec<Candidate<String>>,
    depth: u32,
    nodes: u64,
}

/// How moves are judged.
struct Judge {
    scale: Scale,
    /// What a dubious move, a mistake and a blunder lose.
    limits: [i32; 3],
}

/// What came of one game: for the first and the second side, moves, what they lost, and dubious, bad and worst moves.
#[derive(Default)]
struct Summary {
    moves: [u32; 2],
    lost: [i64; 2],
    marks: [[u32; 3]; 2],
}

/// Looks games over.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let mut reader = reader(kit, &args.file)?;
    let format = output_format(kit, args.out.as_deref().unwrap_or(&args.file))?;
    let mut player = kit.player(args.oracle.family(&args.search))?;
    let scale = Scale::of(kit);
    let [dubious, mistake, blunder] = scale.limits();
    let asked = [(args.dubious, dubious), (args.mistake, mistake), (args.blunder, blunder)];
    let judge = Judge { scale, limits: asked.map(|(asked, usual)| asked.unwrap_or(usual)) };
    {
        let mut options = player.options();
        options.set("MultiPV", &args.candidates.to_string())?;
        args.oracle.load(|name, value| options.set(name, value))?;
        for (name, value) in settings(&args.set)? {
            options.set(name, value).with_context(|| format!("--set {name}={value}"))?;
        }
    }
    let interrupt = Interrupt::of_process();
    let text = Pot::default();
    let mut writer = format.writer(Box::new(text.clone()));
    let mut number = 0;
    while let Some(game) = reader.read().with_context(|| args.file.display().to_string())? {
        number += 1;
        let place = || format!("{}: game {number}", args.file.display());
        let Some((judged, summary)) =
            look_over(&args, &judge, player.as_mut(), &game, &interrupt).with_context(place)?
        else {
            bail!("stopped in game {number}; nothing was written");
        };
        // Formats without variations take the same game without them.
        if writer.write(&annotated(&args, &judge, &game, &judged, true)).is_err() {
            writer.write(&annotated(&args, &judge, &game, &judged, false)).with_context(place)?;
        }
        tell(kit, scale, number, &summary);
    }
    writer.finish()?;
    let bytes = text.take();
    match &args.out {
        Some(path) => AtomicFile::write(path, &bytes).with_context(|| path.display().to_string())?,
        None => match io::stdout().lock().write_all(&bytes) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
            // Whoever reads has seen enough.
            _ => {}
        },
    }
    Ok(ExitCode::SUCCESS)
}

/// The format of a file's name.
fn output_format(kit: &dyn Kit, path: &Path) -> anyhow::Result<&'static dyn RecordFormat> {
    let name = path.display().to_string();
    let plain = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(&name);
    AnyGame::format(kit, plain).with_context(|| format!("{name}: no format is known by this name"))
}

/// Judges the position before each move of the main line, and the last one; `None` when it was interrupted.
fn look_over(
    args: &Args,
    judge: &Judge,
    player: &mut dyn Player,
    game: &GameRecord<String>,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<(Vec<Judgement>, Summary)>> {
    let move_time = args.time.map(|s| Duration::from_secs_f64(s.clamp(0.0, 1e9)));
    let is_free = args.nodes.is_none() && args.depth.is_none() && move_time.is_none();
    let nodes = args.nodes.or(is_free.then_some(20_000));
    let limits = Limits { nodes, depth: args.depth, move_time, ..Limits::default() };
    player.new_game();
    let mut start = game.start.clone();
    let mut moves: Vec<String> = Vec::new();
    let mut judged = Vec::new();
    let mut summary = Summary::default();
    let line = game.main_nodes();
    for i in 0..=line.len() {
        player.set_position(&game.rules, start.as_deref(), &moves)?;
        let side = player.side_to_move().map_or(moves.len() % 2, |side| side.index());
        let mut world = World { began: Instant::now(), interrupt };
        let report = player.go(&limits, &[], &mut world);
        if interrupt.is_raised() {
            return Ok(None);
        }
        if let Some(fault) = report.fault {
            bail!("after {} moves: {fault}", moves.len());
        }
        judged.push(Judgement { lines: report.lines, depth: report.depth, nodes: report.nodes });
        if i > 0 && matches!(game.nodes[line[i - 1] as usize].step, Step::Move(_)) {
            let played = moves.last().map_or("", |mv| mv);
            summary.add(1 - side, judge, judge.loss(&judged[i - 1], &judged[i], played));
        }
        match line.get(i).map(|&node| &game.nodes[node as usize].step) {
            Some(Step::Move(text)) => moves.push(text.clone()),
            Some(Step::Setup(setup)) => {
                start = game.setup(*setup).map(str::to_string);
                moves.clear();
            }
            _ => {}
        }
    }
    Ok(Some((judged, summary)))
}

impl Judge {
    /// What the move played from `before` to `after` loses against the best one.
    fn loss(&self, before: &Judgement, after: &Judgement, played: &str) -> i32 {
        let Some(best) = before.lines.first() else { return 0 };
        if best.pv.first().is_some_and(|mv| mv == played) {
            return 0;
        }
        // Where the game is over nothing more is known; ends are no mistakes.
        let Some(next) = after.lines.first() else { return 0 };
        (self.scale.worth(best) + self.scale.worth(next)).max(0)
    }

    /// The worst mark that a loss deserves, as a numeric annotation glyph: `?!`, `?` or `??`.
    fn glyph(&self, lost: i32) -> Option<u8> {
        let [dubious, mistake, blunder] = self.limits;
        let marks = [(blunder, 4), (mistake, 2), (dubious, 6)];
        marks.into_iter().find(|&(limit, _)| lost >= limit).map(|(_, glyph)| glyph)
    }
}

impl Summary {
    fn add(&mut self, side: usize, judge: &Judge, lost: i32) {
        self.moves[side] += 1;
        self.lost[side] += i64::from(lost);
        if let Some(glyph) = judge.glyph(lost) {
            self.marks[side][match glyph {
                6 => 0,
                2 => 1,
                _ => 2,
            }] += 1;
        }
    }
}

/// The game with what was found.
fn annotated(
    args: &Args,
    judge: &Judge,
    game: &GameRecord<String>,
    judged: &[Judgement],
    variations: bool,
) -> GameRecord<String> {
    let mut out = game.clone();
    let line = game.main_nodes();
    for (i, &node) in line.iter().enumerate() {
        let Step::Move(played) = &game.nodes[node as usize].step else { continue };
        let (before, after) = (&judged[i], &judged[i + 1]);
        let lost = judge.loss(before, after, played);
        let note = out.note_mut(node);
        if let Some(next) = after.lines.first() {
            note.value = Some(-next.value);
            (note.depth, note.nodes) = (after.depth, after.nodes);
        }
        let mark = judge.glyph(lost);
        note.glyphs.extend(mark.filter(|glyph| !note.glyphs.contains(glyph)));
        let mut words: Vec<String> = Vec::new();
        if let (Some(_), Some(best)) = (mark, before.lines.first()) {
            let shown = best.pv.iter().take(8).map(String::as_str).collect::<Vec<_>>().join(" ");
            let (lost, worth) = (judge.scale.loss_text(lost), judge.scale.worth_text(best));
            words.push(format!("loses {lost}, better {shown} ({worth})"));
        }
        if args.candidates > 1 {
            let one = |c: &Candidate<String>| c.pv.first().map(|mv| format!("{mv} {}", judge.scale.worth_text(c)));
            let all: Vec<String> = before.lines.iter().filter_map(one).collect();
            words.push(format!("candidates: {}", all.join(", ")));
        }
        if !words.is_empty() {
            let said = std::mem::take(&mut note.comment);
            note.comment = if said.is_empty() { words.join("; ") } else { format!("{said} {}", words.join("; ")) };
        }
        if let (Some(_), true, Some(best)) = (mark, variations, before.lines.first()) {
            let mut parent = game.nodes[node as usize].parent;
            for mv in best.pv.iter().take(8) {
                parent = out.push(parent, Step::Move(mv.clone()));
            }
        }
    }
    out
}

/// Prints what came of a game.
fn tell(kit: &dyn Kit, scale: Scale, number: u32, summary: &Summary) {
    for (side, name) in games::side_tags(kit.name()).into_iter().enumerate() {
        let mean = summary.lost[side] as f64 / f64::from(summary.moves[side].max(1));
        let [dubious, bad, worst] = summary.marks[side];
        eprintln!(
            "game {number}, {name}: {} moves, {mean:.1} {} lost a move, {dubious} dubious, {bad} mistakes, {worst} blunders",
            summary.moves[side],
            scale.unit(),
        );
    }
}

/// Bytes that a writer fills and its owner takes.
#[derive(Clone, Default)]
pub(crate) struct Pot(Arc<Mutex<Vec<u8>>>);

impl Pot {
    /// What was written so far.
    pub(crate) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Pot {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The world of one search: a clock, and Ctrl-C.
struct World<'a> {
    began: Instant,
    interrupt: &'a Interrupt,
}

impl Watch<String> for World<'_> {
    fn signal(&mut self) -> Signal {
        if self.interrupt.is_raised() { Signal::Stop } else { Signal::Run }
    }

    fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    fn report(&mut self, _: &Report<String>) {}
}
