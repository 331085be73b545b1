//! Results of regression files, as text and as JSON.

use serde_json::{Value, json};
use tesuji_arena::{RegressionCase as Case, RegressionVerdict as Verdict};

/// A case on a line, without its end.
pub fn line(case: &Case) -> String {
    let Case { file, line, command, expected, answer, verdict } = case;
    let answer = answer.lines().next().unwrap_or_default();
    format!("{file}:{line}: {}: {command}: expected {expected}, got {answer:?}", verdict.word())
}

/// The number of cases by verdict, on a line without its end.
pub fn summary(cases: &[Case]) -> String {
    format!(
        "{} cases: {} pass, {} FAIL, {} unexpected PASS, {} fail as known, {} without an answer",
        cases.len(),
        count(cases, Verdict::Pass),
        count(cases, Verdict::Fail),
        count(cases, Verdict::UnexpectedPass),
        count(cases, Verdict::KnownFail),
        count(cases, Verdict::Fault)
    )
}

fn count(cases: &[Case], verdict: Verdict) -> usize {
    cases.iter().filter(|case| case.verdict == verdict).count()
}

/// All cases and how many went how.
pub fn json(cases: &[Case]) -> Value {
    let summary: serde_json::Map<String, Value> =
        Verdict::ALL.into_iter().map(|verdict| (verdict.key().to_string(), count(cases, verdict).into())).collect();
    let cases: Vec<Value> = cases
        .iter()
        .map(|case| {
            json!({ "file": case.file, "line": case.line, "command": case.command, "expected": case.expected,
                    "answer": case.answer, "verdict": case.verdict.key() })
        })
        .collect();
    json!({ "summary": summary, "cases": cases })
}
