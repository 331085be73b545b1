//! Lines of `lz-analyze` and `kata-analyze` read into reports: the runner's end of GTP's analyses.

use super::analysis::Manner;
use crate::Analysed;
use tesuji_game::{Candidate, Report, Value};

/// The words that begin something in a line; a list of moves or numbers ends at the next one.
const WORDS: [&str; 7] = ["info", "rootInfo", "ownership", "ownershipStdev", "pv", "pvVisits", "pvEdgeVisits"];
/// Centipawns that multiply the odds by e, by which chances are shown as values.
const ODDS_CP: f64 = 220.0;
/// Visits beyond this are cut to it, so that sums of them fit.
pub(crate) const VISITS_MAX: u64 = 1 << 40;
/// Chances beyond this are no longer told apart.
const CHANCE_MAX: f64 = 0.999_999;

/// Reads a line of an analysis; `None` where it tells no move. Chances, margins and ownership are taken as told: for the side to
/// move, as both programs do unless their configuration says otherwise.
pub(super) fn read(line: &str, manner: Manner) -> Option<Analysed> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut report = Report::default();
    // The rank of each line, and the visits along it.
    let mut told: Vec<(u32, Vec<u64>)> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = words[at + 1..].iter().position(|word| is_part(word)).map_or(words.len(), |length| at + 1 + length);
        let part = &words[at + 1..end];
        match words[at] {
            "info" => {
                let (line, order) = candidate(part, manner);
                report.lines.push(line);
                told.push((order.unwrap_or(told.len() as u32), Vec::new()));
            }
            "pv" => {
                if let Some(line) = report.lines.last_mut() {
                    line.pv = part.iter().map(|mv| (*mv).to_string()).collect();
                }
            }
            "pvVisits" => {
                if let Some((_, visits)) = told.last_mut() {
                    *visits =
                        part.iter().map_while(|count| count.parse().ok()).map(|n: u64| n.min(VISITS_MAX)).collect();
                }
            }
            "rootInfo" => {
                report.margin = value_of(part, "scoreLead").map(|lead| lead as f32);
                report.nodes = (value_of(part, "visits").unwrap_or(0.0) as u64).min(VISITS_MAX);
            }
            "ownership" => {
                let owned = part.iter().map_while(|owned| owned.parse().ok());
                report.ownership = owned.filter(|owned: &f32| owned.is_finite()).collect();
            }
            _ => {}
        }
        at = end;
    }
    let mut ranked: Vec<_> = report.lines.into_iter().zip(told).filter(|(line, _)| !line.pv.is_empty()).collect();
    ranked.sort_by_key(|(_, (order, _))| *order);
    let pv_visits;
    (report.lines, pv_visits) = ranked.into_iter().map(|(line, (_, visits))| (line, visits)).unzip();
    let best = report.lines.first()?;
    report.margin = report.margin.or(best.margin);
    report.depth_max = report.lines.iter().map(|line| line.pv.len() as u32).max().unwrap_or(0);
    report.depth = best.pv.len() as u32;
    report.nodes = report.nodes.max(report.lines.iter().map(|line| line.visits).sum());
    Some(Analysed { report, pv_visits })
}

/// A chance to win that no other is beyond.
pub(crate) fn sure(chance: f64) -> f64 {
    chance.clamp(1.0 - CHANCE_MAX, CHANCE_MAX)
}

/// The value of a chance to win that is neither 0 nor 1.
pub(crate) fn value_of_chance(chance: f64) -> Value {
    Value::cp((ODDS_CP * (chance / (1.0 - chance)).ln()).round() as i32)
}

/// Whether `word` begins a part.
fn is_part(word: &str) -> bool {
    WORDS.contains(&word)
}

/// The number after `key`.
fn value_of(part: &[&str], key: &str) -> Option<f64> {
    let at = part.iter().position(|word| word.eq_ignore_ascii_case(key))?;
    part.get(at + 1)?.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A move without its line, and its rank.
fn candidate(part: &[&str], manner: Manner) -> (Candidate<String>, Option<u32>) {
    let share =
        |key: &str| value_of(part, key).map(|number| if manner == Manner::Leela { number / 10_000.0 } else { number });
    let chance = share("winrate").map(sure);
    let visits = (value_of(part, "visits").unwrap_or(0.0) as u64).min(VISITS_MAX);
    let name = part.iter().position(|word| *word == "move").and_then(|at| part.get(at + 1));
    let line = Candidate {
        pv: name.map(|mv| (*mv).to_string()).into_iter().collect(),
        value: value_of_chance(chance.unwrap_or(0.5)),
        bound: tesuji_game::Bound::Exact,
        wdl: None,
        visits,
        prior: share("prior").unwrap_or(0.0) as f32,
        expected: chance.map(|chance| chance.mul_add(2.0, -1.0) as f32),
        margin: value_of(part, "scoreLead").or_else(|| value_of(part, "scoreMean")).map(|lead| lead as f32),
    };
    (line, value_of(part, "order").map(|order| order as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_kata_analyze_is_read() {
        let line = "info move D4 visits 12 utility 0.1 winrate 0.55 scoreMean 1.5 scoreLead 1.5 prior 0.2 lcb 0.5 order 1 pv D4 Q16 \
                    pvVisits 12 7 info move Q16 visits 30 winrate 0.6 scoreLead 2.5 prior 0.4 order 0 pv Q16 D4 R4 pvVisits 30 20 9 \
                    rootInfo visits 43 winrate 0.59 scoreLead 2.25 ownership 0.5 -1";
        let Analysed { report, pv_visits } = read(line, Manner::Kata).unwrap();
        let moves: Vec<&str> = report.lines.iter().map(|line| line.pv[0].as_str()).collect();
        assert_eq!((moves, report.nodes, report.margin), (vec!["Q16", "D4"], 43, Some(2.25)));
        assert_eq!((report.lines[0].pv.len(), &pv_visits[1][..]), (3, &[12, 7][..]));
        assert!((report.lines[0].expected.unwrap() - 0.2).abs() < 1e-6 && report.lines[1].margin == Some(1.5));
        assert_eq!((report.lines[0].value.raw(), &report.ownership[..]), (89, &[0.5, -1.0][..]));
    }

    #[test]
    fn a_line_of_lz_analyze_has_chances_in_ten_thousandths() {
        let line = "info move C3 visits 5 winrate 2500 prior 1000 lcb 2000 order 0 pv C3 G7";
        let report = read(line, Manner::Leela).unwrap().report;
        let best = &report.lines[0];
        assert_eq!((best.expected, best.prior, report.nodes, best.value.raw()), (Some(-0.5), 0.1, 5, -242));
        for noise in ["", "info", "info move", "info string hello", "rootInfo visits x", "pv D4"] {
            let told = read(noise, Manner::Kata);
            assert!(told.is_none_or(|told| told.report.lines.is_empty()), "{noise}");
        }
    }
}
