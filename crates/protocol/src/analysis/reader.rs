//! Answers of KataGo's analysis engine read into reports.

use crate::{Analysed, gtp::VISITS_MAX};
use serde_json::Value;
use tesuji_game::{Bound, Candidate};

/// Reads an answer; `None` where it tells no move.
pub(super) fn read(object: &Value) -> Option<Analysed> {
    let mut infos: Vec<&Value> = object["moveInfos"].as_array()?.iter().collect();
    infos.sort_by_key(|info| info["order"].as_u64().unwrap_or(u64::MAX));
    let mut told = Analysed::default();
    for info in infos {
        let texts = |field: &str| info[field].as_array().into_iter().flatten();
        let mut pv: Vec<String> = texts("pv").filter_map(|mv| mv.as_str().map(str::to_string)).collect();
        if pv.is_empty() {
            pv.extend(info["move"].as_str().map(str::to_string));
        }
        if pv.is_empty() {
            continue;
        }
        let number = |field: &str| info[field].as_f64().filter(|number| number.is_finite());
        let chance = number("winrate").map(crate::gtp::sure);
        told.report.lines.push(Candidate {
            pv,
            value: crate::gtp::value_of_chance(chance.unwrap_or(0.5)),
            bound: Bound::Exact,
            wdl: None,
            visits: info["visits"].as_u64().unwrap_or(0).min(VISITS_MAX),
            prior: number("prior").unwrap_or(0.0) as f32,
            expected: chance.map(|chance| chance.mul_add(2.0, -1.0) as f32),
            margin: number("scoreLead").map(|lead| lead as f32),
        });
        told.pv_visits.push(texts("pvVisits").filter_map(Value::as_u64).map(|n| n.min(VISITS_MAX)).collect());
    }
    let report = &mut told.report;
    let best = report.lines.first()?;
    report.margin = object["rootInfo"]["scoreLead"].as_f64().map(|lead| lead as f32).or(best.margin);
    report.depth = best.pv.len() as u32;
    report.depth_max = report.lines.iter().map(|line| line.pv.len() as u32).max().unwrap_or(0);
    report.nodes = object["rootInfo"]["visits"].as_u64().unwrap_or(0).min(VISITS_MAX);
    let owned = object["ownership"].as_array().into_iter().flatten();
    report.ownership = owned.map_while(|owned| owned.as_f64().map(|owned| owned as f32)).collect();
    Some(told)
}
