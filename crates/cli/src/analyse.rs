//! `tesuji analyse`: whole games reviewed by the engine, with values, better moves and mistakes, in the format that they came in.

use crate::{games, oracle::OracleArgs, settings::settings};
use anyhow::{Context, bail};
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};
use tesuji_engine::{Judge, Player, Reviewed, Scale, Verdict};
use tesuji_game::{Candidate, Limits, Report, Signal, Watch};
use tesuji_jobs::{AtomicFile, Existing, Interrupt, check_output, terminal::Stdout};
use tesuji_kit::{Kit, open_records};
use tesuji_record::{AnyGame, GameRecord, RecordFormat, SharedBuffer, Step};

/// Plies of a better line that are shown.
const LINE_PLIES: usize = 8;

/// The worth of a line as people write it.
fn worth_text(scale: Scale, line: &Candidate<String>) -> String {
    match (scale, line.value.mate_plies()) {
        (Scale::Chance, _) => format!("{:.0} %", 50.0 * line.expected.unwrap_or(0.0) + 50.0),
        (_, Some(plies)) if plies > 0 => format!("mate in {}", (plies + 1) / 2),
        (_, Some(plies)) => format!("mated in {}", (-plies + 1) / 2),
        (_, None) => format!("{:+.2}", f64::from(line.value.raw()) / 100.0),
    }
}

/// A loss as people write it.
fn loss_text(scale: Scale, lost: i32) -> String {
    match scale {
        Scale::Centipawns => format!("{:.2}", f64::from(lost) / 100.0),
        Scale::Chance => format!("{lost} % of the chance"),
    }
}

/// What losses are counted in.
fn unit(scale: Scale) -> &'static str {
    match scale {
        Scale::Centipawns => "centipawns",
        Scale::Chance => "% of the chance",
    }
}

/// Arguments of `tesuji analyse`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji analyse chess game.pgn --nodes 100000 > annotated.pgn\n  \
    tesuji analyse shogi game.kif --time 1 --out annotated.kif --candidates 3\n\n\
    Each move gets the value after it for the side that played it; one that loses much gets its mark and the better\n\
    line, as a variation where the format has them. What a move loses comes from one search that holds the move and the\n\
    best one and nothing else; a mark is confirmed with twice the nodes. What was said before stays: comments, marks,\n\
    variations, clocks and values; where a move has a value already, ours is told in its comment. A summary goes to stderr.")]
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
    let mut reader = open_records(kit, &args.file)?;
    if let Some(path) = &args.out {
        check_output(path, Existing::Refuse)?;
    }
    let format = output_format(kit, args.out.as_deref().unwrap_or(&args.file))?;
    let mut player = kit.player(args.oracle.family(&args.search))?;
    let scale = kit.scale();
    let [dubious, mistake, blunder] = scale.thresholds();
    let asked = [(args.dubious, dubious), (args.mistake, mistake), (args.blunder, blunder)];
    let judge = Judge { scale, thresholds: asked.map(|(asked, usual)| asked.unwrap_or(usual)) };
    {
        let mut options = player.options();
        options.set("MultiPV", &args.candidates.to_string())?;
        args.oracle.load(|name, value| options.set(name, value))?;
        for (name, value) in settings(&args.set)? {
            options.set(name, value).with_context(|| format!("--set {name}={value}"))?;
        }
    }
    let interrupt = Interrupt::of_process();
    let text = SharedBuffer::default();
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
        None => Stdout.write_all(&bytes)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The format of a file's name.
fn output_format(kit: &dyn Kit, path: &Path) -> anyhow::Result<&'static dyn RecordFormat> {
    let name = path.display().to_string();
    let plain = name.strip_suffix(".zst").or(name.strip_suffix(".gz")).unwrap_or(&name);
    AnyGame::format(kit, plain).with_context(|| format!("{name}: no format is known by this name"))
}

/// Reviews the position before each move of the main line, and the last one; `None` when it was interrupted.
fn look_over(
    args: &Args,
    judge: &Judge,
    player: &mut dyn Player,
    game: &GameRecord<String>,
    interrupt: &Interrupt,
) -> anyhow::Result<Option<(Vec<Reviewed>, Summary)>> {
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
        let step = line.get(i).map(|&node| &game.nodes[node as usize].step);
        let played = if let Some(Step::Move(text)) = step { Some(text.as_str()) } else { None };
        let reviewed = judge.review(player, &limits, played, &mut world);
        if interrupt.is_raised() {
            return Ok(None);
        }
        if let Some(fault) = &reviewed.report.fault {
            bail!("after {} moves: {fault}", moves.len());
        }
        if played.is_some() {
            summary.add(side, reviewed.verdict.as_ref());
        }
        judged.push(reviewed);
        match step {
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

impl Summary {
    fn add(&mut self, side: usize, verdict: Option<&Verdict>) {
        self.moves[side] += 1;
        let Some(verdict) = verdict else { return };
        self.lost[side] += i64::from(verdict.cost);
        if let Some(mark) = verdict.mark {
            self.marks[side][mark as usize] += 1;
        }
    }
}

/// The game with what was found, beside everything that it says already.
fn annotated(
    args: &Args,
    judge: &Judge,
    game: &GameRecord<String>,
    judged: &[Reviewed],
    variations: bool,
) -> GameRecord<String> {
    let mut out = game.clone();
    let scale = judge.scale;
    for (i, &node) in game.main_nodes().iter().enumerate() {
        if !matches!(game.nodes[node as usize].step, Step::Move(_)) {
            continue;
        }
        let (before, after) = (&judged[i], &judged[i + 1].report);
        let note = out.note_mut(node);
        let mut words: Vec<String> = Vec::new();
        if let Some(next) = after.lines.first() {
            let mut own = next.clone();
            (own.value, own.expected) = (-next.value, next.expected.map(|e| -e));
            if note.value.is_none() {
                note.value = Some(own.value);
                (note.depth, note.nodes) = (after.depth, after.nodes);
            } else if note.value != Some(own.value) {
                words.push(format!("review: {}", worth_text(scale, &own)));
            }
        }
        let verdict = before.verdict.as_ref();
        let marked = verdict.and_then(|v| Some((v.cost, v.mark?, v.better.as_ref()?)));
        if let Some((cost, mark, better)) = marked {
            note.glyphs.extend(Some(mark.glyph()).filter(|glyph| !note.glyphs.contains(glyph)));
            let shown = better.pv.iter().take(LINE_PLIES).map(String::as_str).collect::<Vec<_>>().join(" ");
            let (lost, worth) = (loss_text(scale, cost), worth_text(scale, better));
            words.push(format!("loses {lost}, better {shown} ({worth})"));
        }
        if args.candidates > 1 {
            let one = |c: &Candidate<String>| c.pv.first().map(|mv| format!("{mv} {}", worth_text(scale, c)));
            let all: Vec<String> = before.report.lines.iter().filter_map(one).collect();
            words.push(format!("candidates: {}", all.join(", ")));
        }
        add_words(&mut note.comment, &words.join("; "));
        if let (Some((.., better)), true) = (marked, variations) {
            add_line(&mut out, game.nodes[node as usize].parent, &better.pv);
        }
    }
    out
}

/// Adds `words` to a comment, after what it says, unless it says them.
fn add_words(comment: &mut String, words: &str) {
    if words.is_empty() || comment.contains(words) {
        return;
    }
    if !comment.is_empty() {
        comment.push(' ');
    }
    comment.push_str(words);
}

/// Adds the beginning of `line` as a variation after node `parent`, along what is there already.
fn add_line(game: &mut GameRecord<String>, mut parent: u32, line: &[String]) {
    for mv in line.iter().take(LINE_PLIES) {
        let step = Step::Move(mv.clone());
        let known = game.children(parent).find(|&child| game.nodes[child as usize].step == step);
        parent = known.unwrap_or_else(|| game.push(parent, step));
    }
}

/// Prints what came of a game.
fn tell(kit: &dyn Kit, scale: Scale, number: u32, summary: &Summary) {
    for (side, name) in kit.side_tags().into_iter().enumerate() {
        let mean = summary.lost[side] as f64 / f64::from(summary.moves[side].max(1));
        let [dubious, bad, worst] = summary.marks[side];
        eprintln!(
            "game {number}, {name}: {} moves, {mean:.1} {} lost a move, {dubious} dubious, {bad} mistakes, {worst} blunders",
            summary.moves[side],
            unit(scale),
        );
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

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::io::Cursor;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        args: Args,
    }

    /// The games of `text`, a file of `game` in `format`.
    fn read(game: &str, format: &str, text: &str) -> Vec<GameRecord<String>> {
        let format = games::kit(game).unwrap().format(format).unwrap();
        let mut reader = format.reader(Box::new(Cursor::new(text.as_bytes().to_vec())));
        std::iter::from_fn(|| reader.read().unwrap()).collect()
    }

    /// The review of the first game of `text` with `words` as options, and the game.
    fn reviewed(game: &str, format: &str, text: &str, words: &str) -> (GameRecord<String>, Vec<Reviewed>, Args) {
        let all = ["analyse", game, "file"].into_iter().chain(words.split_whitespace());
        let args = Words::parse_from(all).args;
        let record = read(game, format, text).remove(0);
        let kit = games::kit(game).unwrap();
        let mut player = kit.player("").unwrap();
        let mut judge = Judge::of(kit.scale());
        judge.thresholds[0] = args.dubious.unwrap_or(judge.thresholds[0]);
        let stop = Interrupt::of_process();
        let (judged, _) = look_over(&args, &judge, player.as_mut(), &record, &stop).unwrap().unwrap();
        (record, judged, args)
    }

    const QUIET: &str = "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 b6 5. Bd3 Bb7 6. Nf3 O-O 7. O-O d5 8. cxd5 exd5 9. a3 Bxc3 10. bxc3 c5 \
        11. Rb1 c4 12. Bc2 Ne4 13. Bxe4 dxe4 14. Nd2 b5 15. a4 a6 16. axb5 axb5 17. Rxb5 Ba6 18. Rb4 Nc6 *\n";

    /// The page once said `cxb5?! … cxb5 was better`: shallow searches before and after a move disagree about it.
    #[test]
    fn no_move_of_a_game_is_called_better_than_itself() {
        let (record, judged, _) = reviewed("chess", "pgn", QUIET, "--nodes 150 --dubious 20");
        let mut marked = 0;
        let mut disagreed = 0;
        for (i, &node) in record.main_nodes().iter().enumerate() {
            let Step::Move(played) = &record.nodes[node as usize].step else { continue };
            let verdict = judged[i].verdict.clone().expect("both moves are searched");
            if let Some(better) = &verdict.better {
                marked += 1;
                assert_ne!(better.pv.first(), Some(played), "move {i}");
            }
            let of = |reviewed: &Reviewed| reviewed.report.lines.first().map_or(0, |line| line.value.raw());
            // What the two searches would have said without one that holds both moves.
            disagreed += u32::from((of(&judged[i]) + of(&judged[i + 1]) >= 20) != (verdict.cost >= 20));
        }
        assert!(marked > 0 && disagreed > 3, "{marked} marked, {disagreed} otherwise than by two searches");
    }

    /// Whether all that `old` says from `from` on is in `new` from `to` on.
    #[track_caller]
    fn assert_kept(old: &GameRecord<String>, from: u32, new: &GameRecord<String>, to: u32) {
        let (a, b) = (old.note(from), new.note(to));
        assert!(b.comment.starts_with(&a.comment), "{:?} was {:?}", b.comment, a.comment);
        assert!(a.glyphs.iter().all(|glyph| b.glyphs.contains(glyph)), "{:?} was {:?}", b.glyphs, a.glyphs);
        assert_eq!((a.spent, a.told, a.left), (b.spent, b.told, b.left), "clocks");
        assert!(a.value.is_none() || (a.value, a.depth, a.nodes) == (b.value, b.depth, b.nodes), "the value");
        for child in old.children(from) {
            let step = &old.nodes[child as usize].step;
            let same = new.children(to).find(|&other| &new.nodes[other as usize].step == step);
            assert_kept(old, child, new, same.unwrap_or_else(|| panic!("{step:?} is gone")));
        }
        let (first, kept) = (old.children(from).next(), new.children(to).next());
        let step = |record: &GameRecord<String>, node: Option<u32>| node.map(|n| record.nodes[n as usize].step.clone());
        assert_eq!(step(old, first), step(new, kept), "the main line is the main line");
    }

    #[test]
    fn a_review_keeps_what_a_record_says_in_every_format() {
        let pgn = "[Event \"?\"]\n[White \"A\"]\n[Result \"0-1\"]\n\n1. f3 $6 {a plan [%clk 0:09:58] [%eval -0.75]} (1. e4 {best} e5 \
                   (1... c5 $1)) e5 {open} 2. g4 $4 {[%clk 0:09:40]} Qh4# {over} 0-1\n";
        let kif = "手合割:平手\n先手:甲\n手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*a comment\n\
                   *and more\n   2 ３四歩(33)   ( 0:05/00:00:05)\n   3 ２二角成(88)   ( 0:02/00:00:14)\n*a trade\n";
        let csa = "V2.2\nN+A\nPI\n+\n+7776FU,T12\n'* 30\n'* a comment\n-3334FU,T5\n+8822UM,T2\n-3122GI,T1\n%TORYO\n";
        let sgf = "(;GM[1]SZ[7]KM[9]RU[chinese]C[the start]PB[A];B[dd]C[centre]BL[590];W[aa]C[a corner]BM[1](;B[cc])(;B[ee]C[other]))";
        for (game, format, text) in
            [("chess", "pgn", pgn), ("shogi", "kif", kif), ("shogi", "csa", csa), ("go", "sgf", sgf)]
        {
            let (record, judged, args) = reviewed(game, format, text, "--nodes 60 --candidates 2");
            let judge = Judge::of(games::kit(game).unwrap().scale());
            let pot = SharedBuffer::default();
            let door = games::kit(game).unwrap().format(format).unwrap();
            let written = [true, false].into_iter().find(|&variations| {
                let mut writer = door.writer(Box::new(pot.clone()));
                let done = writer.write(&annotated(&args, &judge, &record, &judged, variations));
                done.and_then(|()| writer.finish()).is_ok()
            });
            assert!(written.is_some(), "{format} takes it");
            let text = String::from_utf8(pot.take()).unwrap();
            let again = read(game, format, &text).remove(0);
            assert_kept(&record, 0, &again, 0);
            assert_eq!(again.outcome, record.outcome, "{format}");
            assert!(record.tags.iter().all(|tag| again.tags.contains(tag)), "{format}: {:?}", again.tags);
            assert!(text.contains("candidates: "), "{format}: the review says something: {text}");
        }
    }

    #[test]
    fn a_review_of_a_review_says_nothing_twice() {
        let (record, judged, args) = reviewed("chess", "pgn", "1. f3 {a plan} e5 2. g4 Qh4# 0-1\n", "--nodes 400");
        let judge = Judge::of(Scale::Centipawns);
        let once = annotated(&args, &judge, &record, &judged, true);
        let twice = annotated(&args, &judge, &once, &judged, true);
        assert_eq!(once.nodes.len(), twice.nodes.len(), "no variation twice");
        for node in 0..once.nodes.len() as u32 {
            assert_eq!(once.note(node), twice.note(node));
        }
        assert!(once.note(3).glyphs.contains(&4) && once.note(3).comment.contains("better"), "{:?}", once.note(3));
    }
}
