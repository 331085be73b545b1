//! Learning of go in `improve`: strengths of moves from games of its own, on the board that the rules name.

use super::{
    collection::collect,
    gammas::{Learning, Teaching, loss_of},
    search::GAMMAS_BYTES_MAX,
};
use anyhow::Context;
use std::{path::Path, time::Instant};
use tesuji_arena::{Adjudication, Conditions};
use tesuji_circle::{
    CircleError, Openings, Setup, conditions,
    improve::{
        Changes, EpochLoss, ImproveRequest, ImproveSettings, LearnedRound, Learner, Lesson, LessonNews, StrengthChange,
        StrengthChanges, Study, UsualSettings,
    },
    spsa::SpsaGames,
};
use tesuji_go_eval::{Family, Gammas, patterns};
use tesuji_jobs::{AtomicFile, Progress, Show, read_bounded, read_text_bounded};
use tesuji_kit::{RequestError, SkipErrors};

/// The rules that are played where none are asked for.
const RULES: &str = "9x9 chinese komi 7.5";
/// Playouts a move where no number is asked for.
const NODES: u64 = 200;
/// Playouts a move in tunings by games (SPSA), where no number is asked for.
const SPSA_NODES: u64 = 500;
/// The bounds of the test of each round's match, in normalised Elo.
const SPRT: [f64; 2] = [0.0, 60.0];
/// Random plies that games begin with.
const RANDOM_PLIES: u32 = 3;
/// MiB of the tree: enough for ten times the playouts.
const HASH_MIB: u32 = 16;
/// The largest advantage of a side after random plies, in centipawns: games of go are even for long.
const BALANCE_CP: i32 = 400;
/// Games longer than this are drawn, in plies: three times the points of a board of 9x9.
const PLIES_MAX: u32 = 243;

/// Share of the games by which learning is judged.
const HELD_OUT: f64 = 0.1;
/// Games of self-play are few: patterns must not be rare, and a strength is pulled harder towards 1.
const PATTERN_MIN: usize = 20;
const PATTERN_PRIOR: f64 = 4.0;
/// Rounds of the fit.
const EPOCHS: u32 = 20;
/// Positions that a fit looks at, at most.
const POSITIONS: usize = 400_000;

/// The start in which every move is worth the same.
const UNIFORM: &str = "uniform";

/// Strengths that say nothing: every move is worth the same.
fn uniform(made_by: String) -> Gammas {
    Gammas::new(made_by, "nothing: every move is worth the same".into(), Vec::new(), Vec::new())
}

/// The strengths that `name` means: builtin, uniform, or a file.
fn gammas(name: &str, made_by: String) -> anyhow::Result<Gammas> {
    match name {
        "builtin" => Ok((*Gammas::builtin()).clone()),
        UNIFORM => Ok(uniform(made_by)),
        path => read(Path::new(path)),
    }
}

/// Reads a file of strengths.
fn read(path: &Path) -> anyhow::Result<Gammas> {
    let text = read_text_bounded(path, GAMMAS_BYTES_MAX)?;
    Gammas::parse(&text).with_context(|| path.display().to_string())
}

/// Whether playouts draw by what is learned, too.
fn is_learned(settings: &ImproveSettings) -> bool {
    settings
        .options
        .iter()
        .any(|(name, value)| name.eq_ignore_ascii_case("PlayoutPolicy") && matches!(&**value, "learned" | "mixed"))
}

/// The conditions of games under `rules` with `nodes` playouts a move.
fn terms(rules: &str, nodes: u64) -> Conditions {
    let usual = conditions(nodes);
    let adjudication = Adjudication { plies_max: Some(PLIES_MAX), ..usual.adjudication };
    Conditions { rules: rules.into(), adjudication, ..usual }
}

/// Settings of the games in tunings by games (SPSA).
pub fn spsa_games() -> SpsaGames {
    SpsaGames {
        rules: RULES,
        nodes: SPSA_NODES,
        options: vec![("Hash".into(), HASH_MIB.to_string())],
        conditions: terms,
        openings: |nodes, seed| begin(RANDOM_PLIES, nodes, seed),
    }
}

/// Openings of `plies` random plies, found even with `nodes` playouts.
fn begin(plies: u32, nodes: u64, seed: u64) -> Openings {
    Openings { limit_cp: BALANCE_CP, nodes, ..Openings::random(plies, seed) }
}

/// Go learns strengths of moves.
pub struct GoStudy;

impl Study for GoStudy {
    fn ending(&self) -> &str {
        "txt"
    }

    fn setup(&self, weights: &Path, settings: &ImproveSettings) -> Setup {
        let mut setup = Setup::with_weights(weights);
        setup.options.push(("Hash".into(), HASH_MIB.to_string()));
        setup.options.extend(settings.options.iter().cloned());
        setup
    }

    fn conditions(&self, settings: &ImproveSettings, nodes: u64) -> Conditions {
        terms(&settings.rules, nodes)
    }

    fn openings(&self, settings: &ImproveSettings, seed: u64) -> Openings {
        begin(settings.random_plies, settings.nodes, seed)
    }

    fn learn(
        &self,
        lesson: &Lesson<'_>,
        tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
    ) -> Result<Option<(LearnedRound, Vec<EpochLoss>)>, CircleError> {
        let wrong = |error: anyhow::Error| CircleError::Learning(format!("{error:#}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(lesson.settings.jobs).build();
        let pool = pool.map_err(|error| CircleError::Learning(error.to_string()))?;
        pool.install(|| teach(lesson, tell)).map_err(wrong)
    }
}

impl Learner for GoStudy {
    fn usual(&self) -> UsualSettings {
        UsualSettings {
            rules: RULES,
            nodes: NODES,
            sprt: Some(SPRT),
            random_plies: RANDOM_PLIES,
            result_share: tesuji_tune::TuneSettings::default().result_share,
        }
    }

    fn options(&self, from: &str) -> Vec<(String, String)> {
        let is_uniform = from == UNIFORM;
        // Playouts that draw by strengths of nothing learn from what they draw by.
        is_uniform.then(|| ("PlayoutPolicy".to_string(), "learned".to_string())).into_iter().collect()
    }

    fn start(&self, request: &ImproveRequest, settings: &ImproveSettings) -> Result<Vec<u8>, RequestError> {
        Ok(gammas(&request.from, settings.made_by.clone())?.text().into_bytes())
    }

    fn changes(&self, start: &Path, last: &Path) -> Result<Changes, RequestError> {
        let (start, last) = (read(start)?, read(last)?);
        let levels = Family::ALL.into_iter().flat_map(|family| (1..=family.levels()).map(move |level| (family, level)));
        let change = |(family, level): (Family, usize)| StrengthChange {
            name: format!("{} {level}", family.name()),
            start: start.of(family, level),
            last: last.of(family, level),
        };
        let strengths = levels.map(change).collect();
        Ok(Changes::Strengths(StrengthChanges { strengths, patterns: last.patterns().len() }))
    }
}

/// Learns from the games of `lesson`; `None` when it was stopped.
fn teach(
    lesson: &Lesson<'_>,
    tell: &mut (dyn FnMut(LessonNews) -> bool + Send),
) -> anyhow::Result<Option<(LearnedRound, Vec<EpochLoss>)>> {
    let (began, settings) = (Instant::now(), lesson.settings);
    let files: Vec<_> = lesson.games.iter().map(|(_, path)| path.clone()).collect();
    let progress = Progress::start("reading", "games", None, Show::Quiet);
    // The same games judge in every round: none of them was ever learned from.
    let games = collect(&files, None, (HELD_OUT, settings.seed), SkipErrors::default(), &progress)?;
    let count = (games.train.len() + games.held_out.len()) as u64;
    let teaching = Teaching {
        positions: POSITIONS,
        pattern_min: PATTERN_MIN,
        // Playouts know the eight points around and nothing more.
        pattern_max: if is_learned(settings) { patterns::SIZE_MIN } else { patterns::SIZE_MAX } as u8,
        pattern_prior: PATTERN_PRIOR,
        epochs: EPOCHS,
        seed: settings.seed,
    };
    let mut learning = Learning::prepare(&games, &teaching, Show::Quiet)?;
    let rows = learning.positions();
    tell(LessonNews::Read { games: count, rows: rows[0], what: "positions" });
    let before = loss_of(&read(lesson.best)?, &games, &teaching);
    let mut losses = vec![EpochLoss { epoch: 0, train: before, held: Some(before) }];
    let mut goes_on = true;
    let fitted = learning.fit(&teaching, &mut |seen| {
        let (train, held) = (seen.train.loss, Some(seen.held_out.loss));
        losses.push(EpochLoss { epoch: seen.sweep, train, held });
        goes_on = tell(LessonNews::Epoch(seen.sweep, seen.held_out.loss));
        goes_on
    });
    if !goes_on || fitted.rounds == 0 {
        return Ok(None);
    }
    let best = &fitted.best;
    // Strengths that foresee the held-out positions no better than those that played are not worth a match.
    let is_better = best.sweep > 0 && best.held_out.loss < before;
    let after = if is_better { best.held_out.loss } else { before };
    let note = match is_better {
        true => format!("{} patterns, top-1 {:.1} %", learning.patterns(), 100.0 * best.held_out.top1),
        false => format!("no round is better than the old strengths: at best {:.5}", best.held_out.loss),
    };
    tell(LessonNews::Learned { loss: [before, after], note });
    if is_better {
        let from = format!(
            "improve round {}: {count} games of self-play at {} playouts under {}, {} positions, seed {}",
            lesson.number, settings.nodes, settings.rules, rows[0], settings.seed
        );
        AtomicFile::write(lesson.into, learning.gammas(settings.made_by.clone(), from).text().as_bytes())?;
    } else {
        let old = read_bounded(lesson.best, GAMMAS_BYTES_MAX)?;
        AtomicFile::write(lesson.into, &old)?;
    }
    let learned = LearnedRound {
        rounds: lesson.games.iter().map(|(round, _)| *round).collect(),
        games: count,
        rows,
        k: 0.0,
        pull_rows: 0.0,
        loss_before: before,
        loss_after: after,
        best_epoch: if is_better { best.sweep } else { 0 },
        result_share: settings.result_share,
        seconds: began.elapsed().as_secs_f64(),
    };
    Ok(Some((learned, losses)))
}
