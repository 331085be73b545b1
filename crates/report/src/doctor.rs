//! The report of a machine's capabilities, and of those it lacks, as text.

use serde_json::Value;
use std::fmt::Write as _;

/// Lines for people, made of the same as JSON.
pub fn text(report: &Value) -> String {
    let mut out = String::new();
    let text = |key: &str| match &report[key] {
        Value::String(s) => s.clone(),
        Value::Null => "unknown".into(),
        other => other.to_string(),
    };
    let _ = writeln!(out, "tesuji {} ({} {})", text("version"), text("build"), text("target"));
    let _ = writeln!(out, "  processor   {} x {}", text("cores"), text("processor"));
    let _ = writeln!(out, "  built for   {}", text("processor_path"));
    // As the system says it: `24684096 kB`.
    let memory = |key: &str| match text(key).strip_suffix(" kB").and_then(|kib| kib.trim().parse::<f64>().ok()) {
        Some(kib) => format!("{:.1} GiB", kib / f64::from(1 << 20)),
        None => text(key),
    };
    let _ = writeln!(out, "  memory      {}, free {}", memory("memory"), memory("memory_free"));
    let _ = writeln!(out, "  load        {}", text("load"));
    let _ = writeln!(out, "  clock step  {} ns", text("clock_step_ns"));
    for program in report["programs"].as_array().into_iter().flatten() {
        let (name, purpose) = (program["name"].as_str().unwrap_or(""), program["for"].as_str().unwrap_or(""));
        let _ = match program["path"].as_str() {
            Some(path) => writeln!(out, "  has         {name:<16} {path}"),
            None => writeln!(out, "  lacks       {name:<16} ({purpose})"),
        };
    }
    out
}
