//! Proposes pruning margins by measuring them in the search. On positions of games some
//! nodes are searched without pruning by margins, and every margin is judged by what it would have pruned there, and how
//! much of that the search would have contradicted.

use super::lessons::ChessTaught;
use anyhow::{Context, bail};
use serde_json::{Value as Json, json};
use std::{
    sync::Arc,
    sync::Mutex,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};
use tesuji_chess::{Board, UciNotation};
use tesuji_chess_eval::HandEval;
use tesuji_game::{Limits, Line, Notation, Random};
use tesuji_jobs::{Interrupt, Progress, on_threads, threads};
use tesuji_kit::{
    SkipErrors, open_records,
    think::Unwatched,
    tuning::{MarginReport, MarginRequest, Margins, walk},
};
use tesuji_options::Options;
use tesuji_record::Records;
use tesuji_search::Searcher;
use tesuji_search::alpha_beta::{AlphaBeta, Audit, MarginOf, Parameters};
use tesuji_tally::Weights;

/// One node in this many is asked.
const ONE_IN: u64 = 16;
/// Margins that are looked at, in centipawns for each ply.
const CANDIDATES: std::ops::RangeInclusive<i32> = 1..=100;
const STEP_CP: i32 = 10;

/// A margin as the search has it.
struct Parameter {
    margin: MarginOf,
    word: &'static str,
    option: &'static str,
    /// The present margin: for each ply, once, and the deepest node.
    now_cp: i32,
    base_cp: i32,
    depth: i32,
}

fn parameters(words: &[String]) -> anyhow::Result<Vec<Parameter>> {
    let k = Parameters::default();
    let parameter =
        |margin, word, option, now_cp, base_cp, depth| Parameter { margin, word, option, now_cp, base_cp, depth };
    let all = || {
        [
            parameter(MarginOf::Razoring, "razoring", "RazoringMargin", k.razoring_cp, 0, k.razoring_depth),
            parameter(
                MarginOf::ReverseFutility,
                "reverse-futility",
                "ReverseFutilityMargin",
                k.reverse_futility_cp,
                0,
                k.reverse_futility_depth,
            ),
            parameter(
                MarginOf::Futility,
                "futility",
                "FutilityMargin",
                k.futility_cp,
                k.futility_base_cp,
                k.futility_depth,
            ),
        ]
    };
    words
        .iter()
        .map(|word| {
            let known = || all().map(|k| k.word).join(", ");
            all().into_iter().find(|k| k.word == word).with_context(|| format!("{word:?} is none of {}", known()))
        })
        .collect()
}

/// The counts of nodes that a margin was asked about, pruned, and pruned wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Pruned {
    asked: u64,
    pruned: u64,
    wrong: u64,
}

impl Pruned {
    fn share(&self) -> f64 {
        self.pruned as f64 / self.asked.max(1) as f64
    }

    /// The share of the pruned nodes that should not be pruned.
    fn wrong_share(&self) -> f64 {
        self.wrong as f64 / self.pruned.max(1) as f64
    }
}

impl Parameter {
    /// The nodes of `audits` that a margin of `margin_cp` for each ply would prune. The margin does not apply where no ply is left.
    fn pruned(&self, audits: &[Audit], margin_cp: i32) -> Pruned {
        let mut sums = Pruned::default();
        for audit in audits.iter().filter(|a| a.margin == self.margin && (1..=self.depth).contains(&a.depth)) {
            sums.asked += 1;
            if audit.slack_cp >= self.base_cp + margin_cp * audit.depth {
                sums.pruned += 1;
                sums.wrong += u64::from(!audit.agreed);
            }
        }
        sums
    }

    /// The least margin that is wrong in at most `share` of the cases, one more wrong one counted for safety.
    fn proposal(&self, audits: &[Audit], share: f64) -> Option<(i32, Pruned)> {
        CANDIDATES.map(|i| i * STEP_CP).map(|cp| (cp, self.pruned(audits, cp))).find(|(_, p)| {
            let most = Pruned { wrong: p.wrong + 1, ..*p };
            p.pruned > 0 && most.wrong_share() <= share
        })
    }

    /// The reason why there is no [`Parameter::proposal`], from the cases themselves: too few of them, or too many wrong ones.
    fn why_none(&self, audits: &[Audit], share: f64) -> String {
        let cases: Vec<(i32, Pruned)> = CANDIDATES
            .map(|i| i * STEP_CP)
            .map(|cp| (cp, self.pruned(audits, cp)))
            .filter(|(_, p)| p.pruned > 0)
            .collect();
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        if let Some((cp, p)) = cases.iter().find(|(_, p)| p.wrong_share() <= share) {
            let more = Pruned { wrong: p.wrong + 1, ..*p };
            return format!(
                "at {cp} cp {} of {} cases are wrong ({}), too few to be sure of {}: one more wrong case would make it {}; \
                 ask about more positions (--positions)",
                p.wrong,
                p.pruned,
                percent(p.wrong_share()),
                percent(share),
                percent(more.wrong_share())
            );
        }
        match cases.iter().min_by(|a, b| a.1.wrong_share().total_cmp(&b.1.wrong_share())) {
            Some((cp, p)) => format!(
                "each one up to {} cp is wrong in more than {}, at least in {} (at {cp} cp, {} of {} cases)",
                CANDIDATES.end() * STEP_CP,
                percent(share),
                percent(p.wrong_share()),
                p.wrong,
                p.pruned
            ),
            None => "none of them prunes any of these cases; ask about more positions (--positions)".to_string(),
        }
    }
}

/// The margins of chess.
pub(super) struct ChessMargins;

impl Margins for ChessMargins {
    fn ask(
        &self,
        request: &MarginRequest,
        weights: Weights,
        stop: &Interrupt,
        progress: &Progress,
    ) -> anyhow::Result<Option<MarginReport>> {
        let parameters = parameters(&request.margins)?;
        let boards = boards(request)?;
        let audits = ask(request, &boards, &Arc::new(weights), stop, progress);
        if stop.is_raised() {
            return Ok(None);
        }
        let wanted = request.false_rate;
        let told: Vec<Json> = parameters.iter().map(|k| parameter_json(k, &audits, wanted)).collect();
        let head = format!("{} positions, {} nodes each, {} questions\n", boards.len(), request.nodes, audits.len());
        let tables = parameters.iter().map(|k| parameter_text(k, &audits, wanted));
        let text = [head].into_iter().chain(tables).collect();
        Ok(Some(MarginReport { text, json: json!({ "positions": boards.len(), "margins": told }) }))
    }
}

/// A random position of each of the first games.
fn boards(args: &MarginRequest) -> anyhow::Result<Vec<Board>> {
    let (mut boards, skip) = (Vec::new(), SkipErrors { wanted: args.skip_errors });
    for path in &args.games {
        for (index, record) in Records::new(skip.reader(path, open_records(&super::CHESS, path)?)).enumerate() {
            if boards.len() >= args.positions() {
                return Ok(boards);
            }
            let record = record.with_context(|| format!("{}: game {}", path.display(), index + 1));
            let record = skip.hinted(record)?;
            let plies = record.main_nodes().len();
            if record.outcome.is_none() || plies < 2 {
                continue;
            }
            let ply = Random::for_item(args.seed, boards.len() as u64).below(plies) as u32;
            let mut found = None;
            let read = |board: &Board, text: &String| UciNotation::parse_move(board, text);
            walk::<ChessTaught, _>(&record, 0, read, |board, seen, _| {
                if seen.index == ply {
                    found = Some(*board);
                }
            })
            .with_context(|| format!("{}: game {}", path.display(), index + 1))?;
            boards.extend(found);
        }
    }
    if boards.is_empty() {
        bail!("no positions: the games have no results, or no moves");
    }
    Ok(boards)
}

/// Searches all boards, each as if it were the first, and returns what was seen, in order.
fn ask(
    args: &MarginRequest,
    boards: &[Board],
    weights: &Arc<Weights>,
    stop: &Interrupt,
    progress: &Progress,
) -> Vec<Audit> {
    let next = AtomicUsize::new(0);
    let seen: Mutex<Vec<(usize, Vec<Audit>)>> = Mutex::default();
    on_threads(threads(args.jobs).min(boards.len()), &|| {
        let mut search = AlphaBeta::<Board, HandEval>::new(HandEval::new(weights.clone()));
        // The table is small: each position begins with an empty one.
        let _ = search.set("Hash", "4");
        search.set_audits(Some(ONE_IN));
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(board) = boards.get(number).filter(|_| !stop.is_raised()) else { break };
            search.new_game();
            let limits = Limits { nodes: Some(args.nodes), ..Limits::default() };
            search.search(&Line::new(*board), &limits, &[], &mut Unwatched::until(stop.clone()));
            let mut seen = seen.lock().unwrap_or_else(|e| e.into_inner());
            seen.push((number, search.take_audits()));
            progress.set(seen.len() as u64);
        }
    });
    let mut seen = seen.into_inner().unwrap_or_else(|e| e.into_inner());
    seen.sort_by_key(|s| s.0);
    seen.into_iter().flat_map(|s| s.1).collect()
}

/// Margins that are shown: what is now, and some around it.
fn shown(now_cp: i32) -> [i32; 7] {
    [25, 50, 75, 100, 150, 200, 300].map(|percent| (now_cp * percent + 50) / 100)
}

fn parameter_text(parameter: &Parameter, audits: &[Audit], wanted: f64) -> String {
    let row = |name: &str, cp: i32, p: Pruned| {
        let (share, wrong) = (100.0 * p.share(), 100.0 * p.wrong_share());
        format!("  {name:10}{cp:>6} cp{:>10}{share:>9.1} %{:>8}{wrong:>9.2} %\n", p.pruned, p.wrong)
    };
    let asked = parameter.pruned(audits, 0).asked;
    let base = if parameter.base_cp > 0 { format!(", {} cp beside it", parameter.base_cp) } else { String::new() };
    let mut text = format!(
        "{} ({}, to depth {}{base}): {asked} cases\n  a ply            pruned    share   wrong    share\n",
        parameter.word, parameter.option, parameter.depth
    );
    for cp in shown(parameter.now_cp) {
        let name = if cp == parameter.now_cp { "now" } else { "" };
        text += &row(name, cp, parameter.pruned(audits, cp));
    }
    match parameter.proposal(audits, wanted) {
        Some((cp, pruned)) => text += &row("proposed", cp, pruned),
        None => text += &format!("  no margin is proposed: {}\n", parameter.why_none(audits, wanted)),
    }
    text
}

fn parameter_json(parameter: &Parameter, audits: &[Audit], wanted: f64) -> Json {
    let told = |cp: i32, p: Pruned| json!({ "margin_cp": cp, "pruned": p.pruned, "wrong": p.wrong, "asked": p.asked });
    let rows: Vec<Json> =
        shown(parameter.now_cp).into_iter().map(|cp| told(cp, parameter.pruned(audits, cp))).collect();
    json!({ "margin": parameter.word, "option": parameter.option, "now_cp": parameter.now_cp, "depth": parameter.depth, "table": rows,
        "proposed": parameter.proposal(audits, wanted).map(|(cp, p)| told(cp, p)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_margin_that_is_right_often_enough_is_proposed() {
        let [parameter] = &parameters(&["reverse-futility".into()]).unwrap()[..] else { panic!("one parameter") };
        let audit = |slack_cp, agreed| Audit { margin: MarginOf::ReverseFutility, depth: 2, slack_cp, agreed };
        // Wrong in half of the cases below 100 cp a ply, never above.
        let audits: Vec<Audit> = (0..1000).map(|i| audit(i, i >= 200 || i % 2 == 0)).collect();
        assert_eq!(parameter.pruned(&audits, 100), Pruned { asked: 1000, pruned: 800, wrong: 0 });
        assert_eq!(parameter.pruned(&audits, 50), Pruned { asked: 1000, pruned: 900, wrong: 50 });
        assert_eq!(parameter.proposal(&audits, 0.01).unwrap().0, 100);
        assert_eq!(parameter.proposal(&audits, 0.06).unwrap().0, 50);
        assert!(parameter.proposal(&audits[..50], 0.01).is_none());
        assert!(parameters(&["razor".into()]).is_err());
    }

    /// "no margin is wrong in less than 1.00 %" once stood under a row with 0.00 %.
    #[test]
    fn why_there_is_no_proposal_agrees_with_the_table() {
        let [parameter] = &parameters(&["reverse-futility".into()]).unwrap()[..] else { panic!("one parameter") };
        let audit = |slack_cp, agreed| Audit { margin: MarginOf::ReverseFutility, depth: 1, slack_cp, agreed };
        let text = |audits: &[Audit]| {
            assert!(parameter.proposal(audits, 0.01).is_none());
            parameter_text(parameter, audits, 0.01)
        };
        let few: Vec<Audit> = (0..40).map(|i| audit(10 * i, true)).collect();
        let told = text(&few);
        assert!(told.contains("0.00 %\n"), "a row without a wrong case: {told}");
        assert!(told.contains("at 10 cp 0 of 39 cases are wrong (0.00 %), too few to be sure of 1.00 %"), "{told}");
        assert!(told.contains("one more wrong case would make it 2.56 %") && !told.contains("less than"), "{told}");
        let wrong: Vec<Audit> = (0..2000).map(|i| audit(i % 100, i % 4 != 0)).collect();
        assert!(text(&wrong).contains("is wrong in more than 1.00 %, at least in "), "{}", text(&wrong));
        assert!(text(&[]).contains("none of them prunes any"), "{}", text(&[]));
    }
}
