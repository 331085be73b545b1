//! Answers of KataGo's analysis protocol.

use super::query::Query;
use serde_json::{Map, Value, json};
use tesuji_game::{Candidate, Report, Side};

/// Deviations below its winrate at which a move's bound lies.
const BOUND_DEVIATIONS: f64 = 1.96;

/// The answer that tells `report` about the position after `turn` moves, where `mover` moves, from the point of view of
/// `perspective` (`None`: the mover's). `moves`: those that may be played.
///
/// # Examples
///
/// ```
/// use serde_json::json;
/// use tesuji_game::{Bound, Candidate, Report, Side, Value};
/// use tesuji_protocol::analysis::{Boards, QueryBoard, answer, query};
/// # struct Any(Side);
/// # impl Boards for Any {
/// #     fn point(&self, _: &str, _: usize, _: usize) -> Option<(usize, usize)> {
/// #         Some((0, 0))
/// #     }
/// #     fn rules_fit(&self, _: &str, _: usize, _: usize) -> Result<bool, String> {
/// #         Ok(true)
/// #     }
/// #     fn board(&self, _: &str, _: Option<&str>) -> Result<Box<dyn QueryBoard>, String> {
/// #         Ok(Box::new(Any(Side::First)))
/// #     }
/// # }
/// # impl QueryBoard for Any {
/// #     fn side_to_move(&self) -> Side {
/// #         self.0
/// #     }
/// #     fn play(&mut self, _: &str) -> Result<(), String> {
/// #         Ok(())
/// #     }
/// # }
/// # let object = json!({ "boardXSize": 3, "boardYSize": 3, "rules": "any", "moves": [] });
/// let (query, _) = query::read(&Any(Side::First), "one", object.as_object().unwrap()).unwrap();
/// let line = Candidate {
///     pv: vec!["B2".to_string()],
///     value: Value::DRAW,
///     bound: Bound::Exact,
///     wdl: None,
///     visits: 40,
///     prior: 0.3,
///     expected: Some(0.5),
///     margin: None,
/// };
/// let report = Report { lines: vec![line], ..Report::default() };
/// // White moves, and Black's point of view is asked for: White's 75 % are its 25 %.
/// let told = answer::of_report(&query, 0, Side::Second, Some(Side::First), &[], &report, false);
/// assert_eq!((&told["id"], &told["rootInfo"]["currentPlayer"]), (&json!("one"), &json!("W")));
/// assert_eq!((&told["moveInfos"][0]["move"], &told["moveInfos"][0]["winrate"]), (&json!("B2"), &json!(0.25)));
/// ```
pub fn of_report(
    query: &Query,
    turn: usize,
    mover: Side,
    perspective: Option<Side>,
    moves: &[String],
    report: &Report<String>,
    is_during: bool,
) -> Value {
    let sign = if perspective.is_none_or(|side| side == mover) { 1.0 } else { -1.0 };
    let infos: Vec<Value> = report
        .lines
        .iter()
        .filter(|line| line.visits > 0)
        .enumerate()
        .map(|(order, line)| of_line(line, order, report.margin, sign))
        .collect();
    let below: u64 = report.lines.iter().map(|line| line.visits).sum();
    let sum: f64 = report.lines.iter().map(|line| expected(line) * line.visits as f64).sum();
    // Before the first visit to a move, moves are worth what the position itself is.
    let value = sign * if below == 0 { report.lines.first().map_or(0.0, expected) } else { sum / below as f64 };
    // The root's own visit is one of them, as for KataGo.
    let visits = if report.nodes > 0 { report.nodes } else { below };
    let lead = sign * f64::from(report.margin.unwrap_or(0.0));
    let player = ["B", "W"][mover.index()];
    let mut answer = json!({
        "id": query.id,
        "isDuringSearch": is_during,
        "turnNumber": turn,
        "moveInfos": infos,
        "rootInfo": {
            "currentPlayer": player,
            "visits": visits,
            "winrate": rounded(value.mul_add(0.5, 0.5)),
            "utility": rounded(value),
            "scoreLead": rounded(lead),
            "scoreSelfplay": rounded(lead),
        },
    });
    if let Some(object) = answer.as_object_mut() {
        // A search that cannot tell it has none, which is not the same as a board of no points.
        if query.ownership && !report.ownership.is_empty() {
            let owned: Vec<f64> = report.ownership.iter().map(|&x| rounded(sign * f64::from(x))).collect();
            object.insert("ownership".into(), json!(owned));
        }
        if query.policy {
            object.insert("policy".into(), json!(policy(query, moves, report)));
        }
    }
    answer
}

/// The answer where a search was ended before it began.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::analysis::answer;
/// let told = answer::without_results("one", 3);
/// assert_eq!((told["noResults"].as_bool(), told["turnNumber"].as_u64()), (Some(true), Some(3)));
/// ```
pub fn without_results(id: &str, turn: usize) -> Value {
    json!({ "id": id, "isDuringSearch": false, "noResults": true, "turnNumber": turn })
}

/// The answer to a fault: `kind` is `error` or `warning`.
///
/// # Examples
///
/// ```
/// use tesuji_protocol::analysis::answer;
/// let told = answer::of_fault("error", "Must be an integer from 1", Some("maxVisits"), Some("one"));
/// assert_eq!(told.to_string(), r#"{"error":"Must be an integer from 1","field":"maxVisits","id":"one"}"#);
/// ```
pub fn of_fault(kind: &str, words: &str, field: Option<&str>, id: Option<&str>) -> Value {
    let mut object = Map::from_iter([(kind.to_string(), Value::from(words))]);
    if let Some(field) = field {
        object.insert("field".into(), field.into());
    }
    if let Some(id) = id {
        object.insert("id".into(), id.into());
    }
    Value::Object(object)
}

fn of_line(line: &Candidate<String>, order: usize, margin: Option<f32>, sign: f64) -> Value {
    let winrate = expected(line).mul_add(0.5, 0.5);
    let deviation = (winrate * (1.0 - winrate) / line.visits.max(1) as f64).sqrt() * BOUND_DEVIATIONS;
    // What is sure for the mover is a bound from above for the other side.
    let bound = winrate - deviation;
    let turned = |share: f64| if sign > 0.0 { share } else { 1.0 - share };
    let lead = rounded(sign * f64::from(line.margin.or(margin).unwrap_or(0.0)));
    json!({
        "move": line.pv.first(),
        "order": order,
        "visits": line.visits,
        "edgeVisits": line.visits,
        "weight": line.visits as f64,
        "winrate": rounded(turned(winrate)),
        "lcb": rounded(turned(bound)),
        "utility": rounded(turned(winrate).mul_add(2.0, -1.0)),
        "utilityLcb": rounded(turned(bound).mul_add(2.0, -1.0)),
        "prior": rounded(f64::from(line.prior)),
        "scoreLead": lead,
        "scoreMean": lead,
        "scoreSelfplay": lead,
        "scoreStdev": 0.0,
        "pv": line.pv,
    })
}

/// `[points + 1]`, rows from the top, the pass last; -1 where a move is illegal.
fn policy(query: &Query, moves: &[String], report: &Report<String>) -> Vec<f64> {
    const COLUMNS: &[u8] = b"ABCDEFGHJKLMNOPQRSTUVWXYZ";
    let prior = |text: &str| {
        let line = report.lines.iter().find(|line| line.pv[0].eq_ignore_ascii_case(text));
        let is_legal = moves.iter().any(|mv| mv.eq_ignore_ascii_case(text));
        line.map_or(if is_legal { 0.0 } else { -1.0 }, |line| rounded(f64::from(line.prior)))
    };
    let rows = (1..=query.height).rev();
    let points = rows.flat_map(|row| (0..query.width).map(move |x| format!("{}{row}", COLUMNS[x] as char)));
    points.chain(["pass".to_string()]).map(|text| prior(&text)).collect()
}

fn expected(line: &Candidate<String>) -> f64 {
    f64::from(line.expected.unwrap_or(0.0))
}

/// With six digits behind the point.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::query::{self, Boards, QueryBoard};
    use tesuji_game::{Bound, Value as Worth};

    struct Any(Side);

    impl Boards for Any {
        fn point(&self, _: &str, _: usize, _: usize) -> Option<(usize, usize)> {
            Some((0, 0))
        }

        fn rules_fit(&self, _: &str, _: usize, _: usize) -> Result<bool, String> {
            Ok(true)
        }

        fn board(&self, _: &str, _: Option<&str>) -> Result<Box<dyn QueryBoard>, String> {
            Ok(Box::new(Any(self.0)))
        }
    }

    impl QueryBoard for Any {
        fn side_to_move(&self) -> Side {
            self.0
        }

        fn play(&mut self, _: &str) -> Result<(), String> {
            Ok(())
        }
    }

    fn line(mv: &str, visits: u64, expected: f32) -> Candidate<String> {
        let pv = vec![mv.to_string()];
        let (value, bound) = (Worth::DRAW, Bound::Exact);
        Candidate { pv, value, bound, wdl: None, visits, prior: 0.1, expected: Some(expected), margin: None }
    }

    #[test]
    fn the_roots_own_visit_counts_and_is_an_answer_alone() {
        let text = r#"{ "boardXSize": 3, "boardYSize": 3, "rules": "any", "moves": [], "includeOwnership": true }"#;
        let (query, _) = query::read(&Any(Side::First), "a", &serde_json::from_str(text).unwrap()).unwrap();
        let tell = |report: &Report<String>| of_report(&query, 0, Side::First, None, &[], report, false);
        let lines = vec![line("A1", 6, 0.5), line("B1", 3, 0.2), line("C1", 0, 0.4)];
        let ten = tell(&Report { lines, nodes: 10, ..Report::default() });
        assert_eq!((&ten["rootInfo"]["visits"], &ten["rootInfo"]["winrate"]), (&json!(10), &json!(0.7)));
        assert_eq!(ten["moveInfos"].as_array().map(Vec::len), Some(2));
        // Whose points are is not told as a list of none.
        assert!(ten.get("ownership").is_none());
        let one = tell(&Report { lines: vec![line("A1", 0, 0.5)], nodes: 1, ..Report::default() });
        assert_eq!((&one["rootInfo"]["visits"], &one["rootInfo"]["winrate"]), (&json!(1), &json!(0.75)));
        assert_eq!(one["moveInfos"], json!([]));
    }
}
