//! Tunings of options by games: as text, as a picture of their course, and the numbers found as files that engines read.

use crate::{
    improve::score,
    svg::{Series, curves as chart, standalone},
};
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, path::Path};
use tesuji_arena::Allowance;
use tesuji_circle::spsa::{SpsaOutcome, SpsaRequest};
use tesuji_jobs::words::quoted;
use tesuji_tune::Parameter;

/// Matches of a tuning that its picture shows, at most.
const POINTS_MAX: usize = 1000;

/// The tuned values, and the match that proves them, or the command that plays it. `game` is how `match` is told the game; empty:
/// it plays it by itself. `engine`: the engine in the words of `--engine`, where it is a process of its own.
pub fn text(request: &SpsaRequest, outcome: &SpsaOutcome, game: &str, engine: Option<&str>) -> String {
    let spsa = &outcome.spsa;
    let mut text = String::new();
    for (parameter, &value) in spsa.parameters().iter().zip(spsa.values()) {
        let (start, now) = (parameter.start, parameter.text_between(value));
        let [low, high] = parameter.bounds;
        // A value at its bound is drawn as far as half a step from it by the next match.
        let at_bound = (value - low).min(high - value) <= 0.05 * parameter.step && low < high;
        let _ = writeln!(
            text,
            "{:28}{start:>8} -> {now:>8}{}",
            parameter.name,
            if at_bound { "  at its bound" } else { "" }
        );
    }
    let _ = write!(text, "after {} of {} matches; ", spsa.done(), request.iterations);
    if spsa.done() < request.iterations {
        text += "stopped: the same command goes on; ";
    }
    match &outcome.proof {
        Some(standing) if standing.games() >= 2 * request.proof_pairs => {
            let _ = writeln!(text, "found against start: {} in {} games", score(standing), standing.games());
        }
        Some(standing) => {
            let _ = writeln!(text, "found against start so far: {} in {} games", score(standing), standing.games());
        }
        None => {
            let _ = writeln!(text, "prove it: {}", proof_command(request, outcome, game, engine));
        }
    }
    text
}

/// The command that plays the numbers found against those at the start.
fn proof_command(request: &SpsaRequest, outcome: &SpsaOutcome, game: &str, engine: Option<&str>) -> String {
    let option = |(name, value): (&str, &str)| {
        let quote = if name.contains(' ') || value.contains(' ') { "\"" } else { "" };
        format!(" {quote}option.{name}={value}{quote}")
    };
    let found: String = numbers(outcome).map(|(parameter, value)| option((&parameter.name, &value))).collect();
    let parameters = outcome.spsa.parameters();
    let start: String = parameters.iter().map(|one| option((&one.name, &one.text(one.start)))).collect();
    let common: String = request.options.iter().map(|(name, value)| option((name, value))).collect();
    let who = match engine {
        Some(words) => format!(" {words}"),
        None if request.search.is_empty() => String::new(),
        None => format!(" args=\"--search {}\"", request.search),
    };
    let mut limits = String::new();
    let Allowance { control, move_time, nodes, depth, .. } = &outcome.allowance;
    if let Some(nodes) = nodes {
        let _ = write!(limits, " --nodes {nodes}");
    }
    if let Some(plies) = depth {
        let _ = write!(limits, " --depth {plies}");
    }
    if let Some(control) = control {
        let _ = write!(limits, " --tc {}", quoted(&control.to_string()));
    }
    if let Some(time) = move_time {
        let _ = write!(limits, " --st {}", time.as_secs_f64());
    }
    if let Some(path) = &request.openings {
        let _ = write!(limits, " --openings {}", quoted(&path.to_string_lossy()));
    }
    let rules = request.rules.as_ref().map_or(String::new(), |rules| format!(" --rules '{rules}'"));
    let in_quotes = |words: String| format!("'{}'", words.replace('\'', "'\\''"));
    let new = in_quotes(format!("name=new{who}{common}{found}"));
    let old = in_quotes(format!("name=old{who}{common}{start}"));
    format!("tesuji match{game}{rules}{limits} --engine {new} --engine {old}")
}

/// The tuned options, with their values as the engine takes them.
fn numbers(outcome: &SpsaOutcome) -> impl Iterator<Item = (&Parameter, String)> {
    let spsa = &outcome.spsa;
    spsa.parameters().iter().zip(spsa.values()).map(|(parameter, &value)| (parameter, parameter.text(value)))
}

/// The numbers found, in the form that the ending of `path` names: `.toml` and `.json`, names with numbers; `.h`, `.hpp` and `.c`,
/// defines for C and C++; `.rs`, constants for Rust; any other, a line `setoption` for each, as UCI and USI have it.
///
/// # Examples
/// ```
/// use std::path::Path;
/// use tesuji_arena::Allowance;
/// use tesuji_circle::spsa::SpsaOutcome;
/// use tesuji_tune::{Parameter, Spsa};
/// let option = Parameter { name: "Null Move".into(), start: 3.0, bounds: [0.0, 9.0], step: 1.0, whole: true };
/// let (spsa, allowance) = (Spsa::new(vec![option], 1, 0.1, 1), Allowance::of_nodes(100));
/// let outcome = SpsaOutcome { spsa, path: Vec::new(), proof: None, allowance };
/// let of = |name: &str| tesuji_report::spsa::values(&outcome, Path::new(name));
/// assert_eq!(of("found.toml"), "\"Null Move\" = 3\n");
/// assert_eq!(of("found.h"), "#define NULL_MOVE 3\n");
/// assert_eq!(of("found.rs"), "pub const NULL_MOVE: i32 = 3;\n");
/// assert_eq!(of("found.txt"), "setoption name Null Move value 3\n");
/// ```
pub fn values(outcome: &SpsaOutcome, path: &Path) -> String {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    let line = |form: &dyn Fn(&Parameter, &str) -> String| -> String {
        numbers(outcome).map(|(parameter, value)| form(parameter, &value)).collect()
    };
    match ending {
        "json" => {
            let number = |(parameter, value): (&Parameter, String)| {
                let number =
                    value.parse::<i64>().map_or_else(|_| json!(value.parse::<f64>().ok()), |whole| json!(whole));
                (parameter.name.clone(), number)
            };
            let object: Map<String, Value> = numbers(outcome).map(number).collect();
            format!("{:#}\n", Value::Object(object))
        }
        "toml" => line(&|parameter, value| format!("{} = {value}\n", json!(parameter.name))),
        "h" | "hpp" | "c" => line(&|parameter, value| format!("#define {} {value}\n", constant(&parameter.name))),
        "rs" => line(&|parameter, value| {
            let kind = if parameter.whole { "i32" } else { "f64" };
            format!("pub const {}: {kind} = {value};\n", constant(&parameter.name))
        }),
        _ => line(&|parameter, value| format!("setoption name {} value {value}\n", parameter.name)),
    }
}

/// A name as constants have it: `NullMove Base` becomes `NULL_MOVE_BASE`.
fn constant(name: &str) -> String {
    let mut constant = String::new();
    let mut was_small = false;
    for c in name.chars() {
        let is_word = c.is_ascii_alphanumeric();
        if (!is_word || (c.is_ascii_uppercase() && was_small)) && !constant.ends_with('_') && !constant.is_empty() {
            constant.push('_');
        }
        if is_word {
            constant.push(c.to_ascii_uppercase());
        }
        was_small = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    // No name begins with a digit.
    if constant.starts_with(|c: char| c.is_ascii_digit()) { format!("N{constant}") } else { constant }
}

/// Colours of a chart; beyond them lines are dashed.
const COLOURS: usize = 8;
/// Characters of a name that fit into the legend.
const NAME_MAX: usize = 18;

/// The look of line number `index`.
fn class(index: usize) -> String {
    let dashed = if index / COLOURS % 2 == 1 { " dashed" } else { "" };
    format!("c{}{dashed}", index % COLOURS)
}

/// A name that fits into the legend.
fn short(name: &str) -> String {
    match name.chars().count() <= NAME_MAX {
        true => name.to_string(),
        false => name.chars().take(NAME_MAX - 1).chain(['…']).collect(),
    }
}

/// The course of the tuning: how far each number went from its start, in steps, match by match.
pub fn curves(outcome: &SpsaOutcome) -> String {
    let every = outcome.path.len().div_ceil(POINTS_MAX).max(1);
    let line = |index: usize, parameter: &Parameter| -> Vec<(f64, f64)> {
        let steps = |values: &[f64]| (values[index] - parameter.start) / parameter.step;
        let shown = outcome.path.iter().enumerate().skip(every - 1).step_by(every);
        let places = shown.map(|(number, values)| ((number + 1) as f64, steps(values)));
        std::iter::once((0.0, 0.0)).chain(places).collect()
    };
    let parameters = || outcome.spsa.parameters().iter().enumerate();
    let classes: Vec<String> = parameters().map(|(index, _)| class(index)).collect();
    let names: Vec<String> = parameters().map(|(_, parameter)| short(&parameter.name)).collect();
    let one = |(index, parameter): (usize, &Parameter)| Series {
        class: &classes[index],
        name: &names[index],
        lines: vec![line(index, parameter)],
    };
    let series: Vec<Series<'_>> = parameters().map(one).collect();
    standalone(&chart("Steps from the start of each option over the matches of the tuning", &series, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tesuji_circle::DuelStanding;
    use tesuji_tune::Spsa;

    fn outcome(results: &[f64]) -> SpsaOutcome {
        let parameter =
            |name: &str, start, whole| Parameter { name: name.into(), start, bounds: [0.0, 400.0], step: 10.0, whole };
        let parameters = vec![parameter("FutilityBase", 90.0, true), parameter("2nd scale-x", 0.5, false)];
        let mut spsa = Spsa::new(parameters, results.len() as u32, 0.02, 7);
        let mut path = Vec::new();
        for ahead in results {
            spsa.tell(*ahead);
            path.push(spsa.values().to_vec());
        }
        let allowance = Allowance { control: Some("1+0.01|2".parse().unwrap()), ..Allowance::default() };
        SpsaOutcome { spsa, path, proof: None, allowance }
    }

    #[test]
    fn numbers_are_written_for_every_reader() {
        let outcome = outcome(&[]);
        let of = |name: &str| values(&outcome, Path::new(name));
        assert_eq!(of("a.h"), "#define FUTILITY_BASE 90\n#define N2ND_SCALE_X 0.50\n");
        assert_eq!(of("a.rs"), "pub const FUTILITY_BASE: i32 = 90;\npub const N2ND_SCALE_X: f64 = 0.50;\n");
        let table: Value = serde_json::from_str(&of("a.json")).unwrap();
        assert_eq!((&table["FutilityBase"], &table["2nd scale-x"]), (&json!(90), &json!(0.5)));
        assert_eq!(of("a.toml"), "\"FutilityBase\" = 90\n\"2nd scale-x\" = 0.50\n");
        assert_eq!(of("a"), "setoption name FutilityBase value 90\nsetoption name 2nd scale-x value 0.50\n");
    }

    #[test]
    fn the_course_begins_at_the_start_and_ends_at_the_numbers_found() {
        let outcome = outcome(&[2.0, -4.0, 0.0, 1.0]);
        let svg = curves(&outcome);
        // All lines had one colour and one name, "options".
        for (class, name) in [("c0", "FutilityBase"), ("c1", "2nd scale-x")] {
            assert_eq!(svg.matches(&format!("<polyline class=\"{class}\"")).count(), 2, "a line and its legend: {svg}");
            assert!(svg.contains(&format!(">{name}</text>")), "{svg}");
        }
        assert_eq!((class(9), short("ReductionManyCutsCount")), ("c1 dashed".into(), "ReductionManyCuts…".into()));
        assert!(!svg.contains("NaN") && svg.contains("Steps from the start"), "{svg}");
    }

    /// Names with spaces were printed as a command that no shell and no engine understood.
    #[test]
    fn the_command_of_the_proof_keeps_names_with_spaces_together() {
        let request = SpsaRequest { openings: Some("my book.epd".into()), ..SpsaRequest::default() };
        let text = text(&request, &outcome(&[0.0]), " --game shogi", Some("cmd=./engine"));
        let limits =
            "match --game shogi --tc '1+0.01|2' --openings 'my book.epd' --engine 'name=new cmd=./engine option.";
        assert!(text.contains(limits), "{text}");
        // The old side plays with the numbers at the start, which need not be the engine's own.
        let old = "'name=old cmd=./engine option.FutilityBase=90 \"option.2nd scale-x=0.50\"'\n";
        assert!(text.contains("\"option.2nd scale-x=0.50\"") && text.ends_with(old), "{text}");
    }

    #[test]
    fn a_proof_is_told_with_its_interval() {
        let mut standing = DuelStanding::default();
        (0..50).for_each(|_| standing.add([2, 1]));
        let outcome = SpsaOutcome { proof: Some(standing), ..outcome(&[0.0]) };
        let request = SpsaRequest { proof_pairs: 50, ..SpsaRequest::default() };
        let text = text(&request, &outcome, "", None);
        assert!(text.contains("found against start: +50 =50 -0, Elo") && text.contains("in 100 games"), "{text}");
    }
}
