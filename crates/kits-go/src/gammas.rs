//! Strengths of move features and patterns from games, as a Bradley-Terry model.

use super::{
    collection::{Collection, Played, collect, read_rank},
    search::GAMMAS_BYTES_MAX,
};
use anyhow::{Context, bail};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    io::Write,
    ops::ControlFlow,
    time::{Duration, Instant},
};
use tesuji_game::{Position, Random};
use tesuji_go::{Area, Cell, GoPosition, Medium, Move};
use tesuji_go_eval::{Family, Gammas, MoveFeatures, Pattern, fill_features, patterns};
use tesuji_jobs::{AtomicFile, Interrupt, Progress, Show, open_log, read_text_bounded};
use tesuji_kit::{
    SkipErrors, check_apart, check_new_output,
    playouts::{Playouts, StrengthOutcome, StrengthRequest, StrengthRun},
    tuning::{check_weights_target, keep_old},
};
use tesuji_tune::{
    Comparison,
    contests::{Contests, Foresight, Strengths},
};

/// Positions to learn from, where the command does not say.
const POSITIONS: usize = 1_000_000;
/// The most positions of held-out games that are looked at after each round.
const JUDGED: usize = 20_000;
/// The columns of a contest: what a move does, nearness to the last move and to the one before, the largest known pattern.
const COLUMNS: usize = 4;
/// Families of features, and the patterns as one more.
const PATTERNS: usize = Family::ALL.len();
/// The most patterns: a word of a contest has 16 bits.
const PATTERNS_MAX: usize = 60_000;
/// Games that are worked through together.
const GAMES_AT_ONCE: usize = 512;
/// A round that betters the loss by less is the last, in nats.
const WORTH_GOING_ON: f64 = 2e-4;
/// Held-out games that choose a round by themselves.
const GAMES_ENOUGH: usize = 300;

/// The playouts of go.
pub(super) struct GoPlayouts;

impl Playouts for GoPlayouts {
    fn learn(&self, request: &StrengthRequest, run: &mut StrengthRun<'_>) -> anyhow::Result<StrengthOutcome> {
        request.validate()?;
        check_weights_target(&request.out, &request.games, |path| {
            read_text_bounded(path, GAMMAS_BYTES_MAX).is_ok_and(|text| Gammas::parse(&text).is_ok())
        })?;
        if let Some(path) = &request.steps {
            check_new_output(path, &request.games)?;
            check_apart(&[path, &request.out])?;
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(tesuji_jobs::threads(request.jobs)).build()?;
        let began = Instant::now();
        let games = read(request, run.show)?;
        (run.tell)(&told(&games));
        let mut lines = Vec::new();
        let maker = Maker { made_by: run.made_by.clone(), show: run.show, began };
        let json = pool.install(|| learn(&games, request, &maker, &mut lines))?;
        lines.iter().for_each(|line| (run.tell)(line));
        Ok(StrengthOutcome { json, stopped: Interrupt::of_process().is_raised() })
    }
}

/// The program that learns, the start time, and the settings of the progress display.
struct Maker {
    made_by: String,
    show: Show,
    began: Instant,
}

/// The games to learn from.
fn read(request: &StrengthRequest, show: Show) -> anyhow::Result<Collection> {
    let rank_min = request.rank_min.as_deref().map(read_rank).transpose().map_err(anyhow::Error::msg)?;
    let progress = Progress::start("reading", "games", None, show);
    let games = collect(
        &request.games,
        rank_min,
        (request.held_out, request.seed),
        SkipErrors { wanted: request.skip_errors },
        &progress,
    )?;
    if games.train.is_empty() || games.held_out.is_empty() {
        bail!(
            "{} games to learn from and {} to judge by: expected some of both",
            games.train.len(),
            games.held_out.len()
        );
    }
    Ok(games)
}

/// Learns and writes the file; the report as JSON, and line by line.
fn learn(
    games: &Collection,
    request: &StrengthRequest,
    maker: &Maker,
    lines: &mut Vec<String>,
) -> anyhow::Result<serde_json::Value> {
    let teaching = Teaching {
        positions: request.positions.unwrap_or(POSITIONS),
        pattern_min: request.pattern_min,
        pattern_max: request.pattern_max,
        pattern_prior: request.pattern_prior,
        epochs: request.epochs,
        seed: request.seed,
    };
    let mut learning = Learning::prepare(games, &teaching, maker.show)?;
    let fitted = fit_telling(&mut learning, request, &teaching, maker.show)?;
    write(&learning, &fitted, request, games, maker)?;
    let time = maker.began.elapsed();
    let doubt = Comparison::doubt(games.held_out.len());
    let mut json = report_json(&learning, &fitted, time);
    json["warnings"] = doubt.iter().cloned().collect();
    *lines = report_lines(&learning, &fitted, time);
    lines.extend(doubt);
    Ok(json)
}

/// Describes the number of games read and of those left out, by reason.
fn told(games: &Collection) -> String {
    let d = &games.dropped;
    let dropped = [
        (d.twice, "met before"),
        (d.short, "too short"),
        (d.set_up, "with stones set up"),
        (d.weak, "by weaker players"),
    ];
    let dropped: Vec<String> = dropped.iter().filter(|(n, _)| *n > 0).map(|(n, why)| format!("{n} {why}")).collect();
    let tail = if dropped.is_empty() { String::new() } else { format!("; left out: {}", dropped.join(", ")) };
    format!("{} games to learn from, {} to judge by{tail}", games.train.len(), games.held_out.len())
}

/// The positions of a game that are looked at: each with a chance of `share`, decided by seed, game and ply.
fn sampled(game: &Played, share: f64, seed: u64, mut see: impl FnMut(&GoPosition<Medium>, [Option<Cell>; 2], Move)) {
    let Ok(mut pos) = GoPosition::<Medium>::start(&game.rules) else { return };
    let (mut random, mut last) = (Random::for_item(seed, game.key), [None; 2]);
    for (ply, &mv) in game.moves.iter().enumerate() {
        if random.unit() < share && ply >= game.drawn {
            see(&pos, last, mv);
        }
        pos.play(mv);
        last = [mv.vertex().map(Medium::cell), last[0]];
    }
}

/// The contests of the sampled positions: all moves with what they do, and the place of the one that was played.
fn contests(
    game: &Played,
    share: f64,
    seed: u64,
    mut see: impl FnMut(&GoPosition<Medium>, &[(Move, MoveFeatures)], usize),
) {
    let (mut moves, mut features, mut field) = (Vec::new(), Vec::new(), Vec::new());
    sampled(game, share, seed, |pos, last, played| {
        moves.clear();
        let _ = pos.for_each_move::<()>(|mv| {
            moves.push(mv);
            ControlFlow::Continue(())
        });
        let Some(winner) = moves.iter().position(|&mv| mv == played) else { return };
        fill_features(pos, last, &moves, &mut features);
        field.clear();
        field.extend(moves.iter().copied().zip(features.iter().copied()));
        see(pos, &field, winner);
    });
}

/// The share of all positions that makes about `wanted` of them.
fn share_for(games: &[Played], wanted: usize) -> f64 {
    let all: usize = games.iter().map(|game| game.moves.len() - game.drawn).sum();
    wanted as f64 / all.max(1) as f64
}

/// The patterns around the moves of `games`, met at least `least` times, the smaller ones first.
fn harvest(games: &[Played], share: f64, teaching: &Teaching, show: Show) -> Vec<(u8, u64)> {
    let progress = Progress::start("patterns", "games", Some(games.len() as u64), show);
    let Teaching { pattern_min: least, pattern_max, seed, .. } = *teaching;
    let of_game = |game: &Played| {
        let mut met = Vec::new();
        sampled(game, share, seed, |pos, _, mv| {
            let Some(vertex) = mv.vertex() else { return };
            patterns::grow(pos.board(), pos.side_to_move(), Medium::cell(vertex), |size, key| {
                met.push((size as u8, key));
                size < usize::from(pattern_max)
            });
        });
        progress.advance(1);
        met
    };
    let mut met: Vec<(u8, u64)> = games.par_iter().flat_map_iter(of_game).collect();
    progress.finish();
    met.par_sort_unstable();
    let mut counted: Vec<(usize, (u8, u64))> =
        met.chunk_by(|a, b| a == b).filter(|run| run.len() >= least).map(|run| (run.len(), run[0])).collect();
    // The most frequent ones, where there are too many; a pattern is never rarer than those around it.
    counted.sort_unstable_by_key(|&(count, pattern)| (std::cmp::Reverse(count), pattern));
    counted.truncate(PATTERNS_MAX);
    let mut list: Vec<(u8, u64)> = counted.into_iter().map(|(_, pattern)| pattern).collect();
    list.sort_unstable();
    list
}

/// A position with all its moves, not yet in words of contests.
struct Choice {
    winner: usize,
    moves: Vec<(MoveFeatures, u16)>,
}

/// Settings of learning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Teaching {
    /// Positions looked at, about this many.
    pub positions: usize,
    /// Patterns met less often are left out.
    pub pattern_min: usize,
    /// The largest size of patterns.
    pub pattern_max: u8,
    /// Even contests that every strength is thought to have been in.
    pub pattern_prior: f64,
    /// Rounds over all positions, at most.
    pub epochs: u32,
    /// Decides which positions are looked at.
    pub seed: u64,
}

/// All that is learned from, and what is learned.
pub(super) struct Learning {
    list: Vec<(u8, u64)>,
    train: Contests<COLUMNS>,
    held_out: Contests<COLUMNS>,
    /// Whether enough games are held out to choose a round by them.
    is_judged: bool,
    strengths: Strengths,
}

/// The result of a fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitted {
    /// With all moves worth the same.
    pub start: StepSeen,
    /// With the strengths that are kept; round 0 where they are those of the start.
    pub best: StepSeen,
    /// Rounds that were made.
    pub rounds: usize,
    /// Whether held-out games chose the round; too few of them leave it to the training positions.
    pub is_judged: bool,
}

/// Prediction accuracy after a round, on the training positions and the held-out ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepSeen {
    /// The round, from 1; 0 before the first.
    pub sweep: u32,
    pub train: Foresight,
    pub held_out: Foresight,
}

impl Learning {
    /// Finds the patterns, and makes contests of positions.
    pub(super) fn prepare(games: &Collection, teaching: &Teaching, show: Show) -> anyhow::Result<Learning> {
        let wanted = teaching.positions;
        let share = share_for(&games.train, wanted);
        let list = harvest(&games.train, share, teaching, show);
        let numbers: HashMap<u64, u16> = list.iter().zip(1..).map(|(&(_, key), number)| (key, number)).collect();
        let progress =
            Progress::start("positions", "games", Some((games.train.len() + games.held_out.len()) as u64), show);
        let mut words = HashMap::new();
        let sizes: Vec<usize> = Family::ALL.iter().map(|f| f.levels()).chain([list.len()]).collect();
        let [mut train, mut held_out] = [(); 2].map(|()| Contests::<COLUMNS>::new(&sizes));
        for contests in [&mut train, &mut held_out] {
            for column in 0..COLUMNS {
                contests.define(column, &[]);
            }
            for (column, family) in [(1, Family::Near), (2, Family::NearOwn)] {
                (0..family.levels()).for_each(|level| _ = contests.define(column, &[(family as usize, level)]));
            }
            (0..list.len()).for_each(|number| _ = contests.define(3, &[(PATTERNS, number)]));
        }
        words.insert(MoveFeatures::default(), 0u16);
        let judged = share_for(&games.held_out, JUDGED.min(wanted));
        for (of, share, into) in [(&games.train, share, 0), (&games.held_out, judged, 1)] {
            for group in of.chunks(GAMES_AT_ONCE) {
                let choices: Vec<Vec<Choice>> =
                    group.par_iter().map(|game| choices(game, share, teaching.seed, &numbers)).collect();
                for choice in choices.into_iter().flatten() {
                    let teams: Vec<[u16; COLUMNS]> = choice
                        .moves
                        .iter()
                        .map(|&(features, pattern)| {
                            let does = features.without_nearness();
                            let word = *words.entry(does).or_insert_with(|| {
                                let all = features_of(does);
                                train.define(0, &all);
                                held_out.define(0, &all)
                            });
                            [word, features.level(Family::Near) as u16, features.level(Family::NearOwn) as u16, pattern]
                        })
                        .collect();
                    if into == 0 { &mut train } else { &mut held_out }.push(choice.winner, teams);
                }
                progress.advance(group.len() as u64);
                if Interrupt::of_process().is_raised() {
                    bail!("stopped before anything was learned; nothing was written");
                }
            }
        }
        let is_judged = games.held_out.len() >= GAMES_ENOUGH && !held_out.is_empty();
        Ok(Learning { list, train, held_out, is_judged, strengths: Vec::new() })
    }

    /// Fits the strengths, round after round, until positions are foreseen no better or `tell` answers `false`, and keeps those of the
    /// best round. Held-out positions judge where they come from many games. A few games would choose by chance; then the training
    /// positions judge: each round of minorisation and maximisation raises their likelihood (D. Hunter, 2004), and the prior holds
    /// rare features near 1. Where the held-out positions are foreseen no better than with no strengths at all, all moves stay
    /// worth the same.
    pub(super) fn fit(&mut self, teaching: &Teaching, tell: &mut dyn FnMut(&StepSeen) -> bool) -> Fitted {
        let mut rounds = 0;
        let (train, held_out, is_judged) = (&self.train, &self.held_out, self.is_judged);
        let seen = |sweep, strengths: &Strengths| StepSeen {
            sweep,
            train: train.foresight(strengths),
            held_out: held_out.foresight(strengths),
        };
        let judged = |seen: &StepSeen| if is_judged { seen.held_out.loss } else { seen.train.loss };
        let flat = train.flat();
        let start = seen(0, &flat);
        let (mut best, mut before) = ((start, flat.clone()), f64::INFINITY);
        train.fit(teaching.epochs, teaching.pattern_prior, &mut |sweep, strengths| {
            let seen = seen(sweep, strengths);
            let goes_on = tell(&seen);
            let is_enough = before - judged(&seen) < WORTH_GOING_ON;
            (rounds, before) = (rounds + 1, judged(&seen));
            if judged(&seen) < judged(&best.0) {
                best = (seen, strengths.clone());
            }
            if is_enough || !goes_on { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if !held_out.is_empty() && best.0.held_out.loss >= start.held_out.loss {
            best = (start, flat);
        }
        let (best, strengths) = best;
        self.strengths = strengths;
        Fitted { start, best, rounds, is_judged }
    }

    /// The learned strengths.
    pub(super) fn gammas(&self, made_by: String, from: String) -> Gammas {
        let families = Family::ALL.iter().map(|&f| self.strengths[f as usize].iter().map(|&s| s as f32).collect());
        let patterns = self.list.iter().zip(&self.strengths[PATTERNS]);
        let patterns = patterns.map(|(&(size, key), &strength)| Pattern { size, key, strength: strength as f32 });
        Gammas::new(made_by, from, families.collect(), patterns.collect())
    }

    /// The number of patterns.
    pub(super) fn patterns(&self) -> usize {
        self.list.len()
    }

    /// Positions learned from, and kept to judge by.
    pub(super) fn positions(&self) -> [usize; 2] {
        [self.train.len(), self.held_out.len()]
    }
}

/// The loss of `gammas` over the positions that judge, as [`Foresight::loss`].
pub(super) fn loss_of(gammas: &Gammas, games: &Collection, teaching: &Teaching) -> f64 {
    let share = share_for(&games.held_out, JUDGED.min(teaching.positions));
    let of_game = |game: &Played| {
        let mut seen = Vec::new();
        contests(game, share, teaching.seed, |pos, field, winner| {
            let around = |mv: &Move| {
                mv.vertex().map_or(1.0, |v| gammas.of_surroundings(pos.board(), pos.side_to_move(), Medium::cell(v)))
            };
            let strengths: Vec<f32> = field.iter().map(|(mv, does)| gammas.of_features(*does) * around(mv)).collect();
            let chance = strengths[winner] / strengths.iter().sum::<f32>();
            seen.push(-f64::from(chance).max(f64::MIN_POSITIVE).ln());
        });
        seen
    };
    let seen: Vec<f64> = games.held_out.par_iter().flat_map_iter(of_game).collect();
    seen.iter().sum::<f64>() / seen.len().max(1) as f64
}

/// Fits, with progress for people and a file of steps where one is wanted.
fn fit_telling(
    learning: &mut Learning,
    args: &StrengthRequest,
    teaching: &Teaching,
    show: Show,
) -> anyhow::Result<Fitted> {
    let mut file = args.steps.as_ref().map(|path| -> anyhow::Result<_> {
        let mut file = open_log(path).context("--steps")?;
        writeln!(file, "sweep,train_loss,train_top1,held_out_loss,held_out_top1,held_out_top5")?;
        Ok(file)
    });
    let progress = Progress::start("learning", "rounds", Some(u64::from(teaching.epochs)), show);
    let fitted = learning.fit(teaching, &mut |seen| {
        let found = format!("loss {:.4}, top-1 {:.2} %", seen.held_out.loss, 100.0 * seen.held_out.top1);
        progress.set_noted(progress.done() + 1, &found);
        if let Some(Ok(file)) = &mut file {
            // The curve is a by-product: what cannot be written there must not stop the learning.
            let _ = writeln!(file, "{}", csv(seen));
        }
        !Interrupt::of_process().is_raised()
    });
    file.transpose()?;
    Ok(fitted)
}

/// Writes the file.
fn write(
    learning: &Learning,
    fitted: &Fitted,
    args: &StrengthRequest,
    games: &Collection,
    maker: &Maker,
) -> anyhow::Result<()> {
    let kept = if fitted.best.sweep == 0 { "no round was better than no strengths at all; " } else { "" };
    let files: Vec<_> = args.games.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    let from = format!(
        "{kept}tune go: {} games of {}, {} positions, {} patterns met at least {} times, prior {}, seed {}",
        games.train.len(),
        files.join(" "),
        learning.train.len(),
        learning.list.len(),
        args.pattern_min,
        args.pattern_prior,
        args.seed
    );
    let gammas = learning.gammas(maker.made_by.clone(), from);
    keep_old(&args.out)?;
    AtomicFile::write(&args.out, gammas.text().as_bytes())?;
    Ok(())
}

/// The prediction accuracy as JSON, for programs.
fn report_json(learning: &Learning, fitted: &Fitted, took: Duration) -> serde_json::Value {
    let Fitted { start, best, rounds, .. } = fitted;
    let of = |seen: &Foresight| serde_json::json!({ "positions": seen.contests, "loss": seen.loss, "top1": seen.top1, "top5": seen.top5 });
    serde_json::json!({
        "patterns": learning.list.len(), "sweeps": rounds, "best_sweep": best.sweep, "seconds": took.as_secs_f64(),
        "train": of(&best.train), "held_out": of(&best.held_out), "start_held_out": of(&start.held_out),
    })
}

/// The prediction accuracy and the round whose strengths are kept, as text for people.
fn report_lines(learning: &Learning, fitted: &Fitted, took: Duration) -> Vec<String> {
    let Fitted { best, rounds, .. } = fitted;
    let mut lines = vec![format!("{:<13}{:>10}{:>13}{:>9}{:>9}", "", "positions", "loss (nats)", "top-1", "top-5")];
    for (name, seen) in [("learned from", &best.train), ("held out", &best.held_out)] {
        let [top1, top5] = [seen.top1, seen.top5].map(|share| format!("{:.2} %", 100.0 * share));
        lines.push(format!("{name:<13}{:>10}{:>13.4}{top1:>9}{top5:>9}", seen.contests, seen.loss));
    }
    let teams = learning.train.teams();
    let (patterns, seconds) = (learning.list.len(), took.as_secs_f64());
    lines.push(format!("{patterns} patterns, {rounds} rounds over {teams} moves, {seconds:.0} s"));
    lines.push(kept_text(fitted));
    lines
}

/// Names the round whose strengths are kept, and the reason.
fn kept_text(Fitted { start, best, rounds, is_judged }: &Fitted) -> String {
    let [before, after] = [start, best].map(|seen| seen.held_out.loss);
    match best.sweep {
        sweep if best.held_out.contests == 0 => format!(
            "kept the strengths of round {sweep} of {rounds}, the best on positions learned from: none were held out to judge by"
        ),
        0 => format!(
            "no round foresees the held-out positions better than no strengths at all ({before:.4}): every move stays worth \
             the same; learn from more games"
        ),
        sweep if !is_judged => format!(
            "kept the strengths of round {sweep} of {rounds}, the best on positions learned from, since fewer than {GAMES_ENOUGH} games \
             are held out; loss on held-out positions {before:.4} -> {after:.4}"
        ),
        sweep => format!(
            "kept the strengths of round {sweep} of {rounds}, the best on held-out positions: loss {before:.4} -> {after:.4}"
        ),
    }
}

fn csv(seen: &StepSeen) -> String {
    let (t, h) = (&seen.train, &seen.held_out);
    format!("{},{:.6},{:.6},{:.6},{:.6},{:.6}", seen.sweep, t.loss, t.top1, h.loss, h.top1, h.top5)
}

/// The features that `does` has, as contests number them.
fn features_of(does: MoveFeatures) -> Vec<(usize, usize)> {
    let of = |family: Family| does.level(family).checked_sub(1).map(|level| (family as usize, level));
    Family::ALL.into_iter().filter_map(of).collect()
}

/// The sampled positions of a game.
fn choices(game: &Played, share: f64, seed: u64, numbers: &HashMap<u64, u16>) -> Vec<Choice> {
    let mut all = Vec::new();
    contests(game, share, seed, |pos, field, winner| {
        let pattern = |mv: &Move| {
            let mut number = 0;
            let vertex = mv.vertex()?;
            patterns::grow(pos.board(), pos.side_to_move(), Medium::cell(vertex), |_, key| {
                numbers.get(&key).inspect(|found| number = **found).is_some()
            });
            Some(number)
        };
        let moves = field.iter().map(|(mv, does)| (*does, pattern(mv).unwrap_or(0))).collect();
        all.push(Choice { winner, moves });
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Contests between a move with a feature, which won the first number of them, and one without.
    fn contests_of(won: usize, lost: usize) -> Contests<COLUMNS> {
        let mut contests = Contests::new(&[1]);
        (0..COLUMNS).for_each(|column| _ = contests.define(column, &[]));
        let with_feature = contests.define(0, &[(0, 0)]);
        for number in 0..won + lost {
            contests.push(usize::from(number < won), [[0; COLUMNS], [with_feature, 0, 0, 0]]);
        }
        contests
    }

    /// One or two held-out games stopped learning at round 7, where two hundred still gained in round 40.
    #[test]
    fn four_held_out_games_cannot_stop_what_ninety_teach() {
        let teaching =
            Teaching { positions: 100, pattern_min: 1, pattern_max: 3, pattern_prior: 0.0, epochs: 100, seed: 1 };
        let fit = |is_judged, held_out| {
            let train = contests_of(80, 10);
            let mut learning = Learning { list: Vec::new(), train, held_out, is_judged, strengths: Vec::new() };
            let fitted = learning.fit(&teaching, &mut |_| true);
            (fitted, learning.strengths[0][0])
        };
        let (fitted, strength) = fit(false, contests_of(3, 1));
        assert!((7.0..8.1).contains(&strength), "80 of 90 are 8 to 1, not {strength}: {fitted:?}");
        assert!(kept_text(&fitted).contains("the best on positions learned from"), "{}", kept_text(&fitted));
        let (fitted, strength) = fit(true, contests_of(300, 100));
        assert!((2.5..3.5).contains(&strength) && fitted.best.sweep < 5, "{strength}: {fitted:?}");
        let (fitted, strength) = fit(false, contests_of(1, 3));
        assert!(fitted.best.sweep == 0 && strength == 1.0, "no better than no strengths: {fitted:?}");
    }
}
