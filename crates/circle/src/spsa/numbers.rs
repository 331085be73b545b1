//! Options to tune as people write them, completed by what the engine says of its options.

use std::{fmt::Display, path::Path};
use tesuji_jobs::read_text_bounded;
use tesuji_kit::RequestError;
use tesuji_options::same_name;
use tesuji_tune::Parameter;

/// The part of an option's range that is a step where none is given.
const STEPS: f64 = 20.0;
/// The least part of an option's range that is a step: smaller ones have no effect on games, and no square among numbers.
const STEP_SHARE_LEAST: f64 = 1e-6;
/// The smallest step of a whole number where none is given.
const STEP_LEAST: f64 = 0.5;
/// An option with its range, as people write it.
const FORM: &str = "NAME=START:LEAST..GREATEST/STEP";
/// Names of options that an error lists, at most.
const NAMES_MAX: usize = 40;

/// An option as an engine declares it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared {
    pub(super) name: String,
    /// `None`: it is none that holds a number of known bounds.
    pub(super) number: Option<NumberKind>,
    /// Whether it may hold a number all the same, being a text.
    pub(super) is_text: bool,
}

/// Default and bounds of an option that is a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct NumberKind {
    pub(super) default: f64,
    pub(super) bounds: [f64; 2],
    pub(super) is_whole: bool,
}

/// The options that can be tuned.
pub(super) enum Declarations {
    /// All that the engine has.
    Known(Vec<Declared>),
    /// The engine's protocol does not tell.
    Untold,
}

/// An option to tune, as it was asked for.
struct Wanted<'a> {
    name: &'a str,
    /// Start, least, greatest, step.
    range: Option<[f64; 4]>,
    /// Whether it is whole, where that is said.
    is_whole: Option<bool>,
}

impl Declarations {
    /// The number that `text` asks for: a name, a name with its range, or a line of OpenBench. `rate`: that of the tuning.
    ///
    /// # Errors
    /// When there is no such option, or its range cannot be meant.
    pub(super) fn parameter(&self, text: &str, rate: f64) -> Result<Parameter, RequestError> {
        let wanted = Wanted::read(text, rate)?;
        let (name, known) = self.find(wanted.name)?;
        let range = match (wanted.range, known) {
            (Some(range), _) => range,
            (None, Some(NumberKind { default, bounds: [min, max], is_whole })) => {
                let step = (max - min) / STEPS;
                [default, min, max, if is_whole { step.max(STEP_LEAST) } else { step }]
            }
            (None, None) => return Err(at(&name, format_args!("its engine tells no bounds; write {FORM}"))),
        };
        let [start, low, high, step] = range;
        let [min, max] = known.map_or([f64::NEG_INFINITY, f64::INFINITY], |number| number.bounds);
        let has_whole_range = [start, low, high].iter().all(|number| number.fract() == 0.0);
        let is_whole = known.map_or(wanted.is_whole.unwrap_or(has_whole_range), |number| number.is_whole);
        let fault = if range.iter().any(|number| !number.is_finite()) {
            format!("expected {FORM}")
        } else if low >= high {
            format!("its least value, {low}, is not below its greatest, {high}")
        } else if low < min || high > max {
            format!("the engine takes {min} to {max}")
        } else if !(low..=high).contains(&start) {
            format!("its start, {start}, is not from {low} to {high}")
        } else if step < (high - low) * STEP_SHARE_LEAST || step > high - low {
            format!("its step, {step}, is not above 0 and at most {}", high - low)
        } else if is_whole && !has_whole_range {
            "the engine takes whole numbers".to_string()
        } else {
            return Ok(Parameter { name, start, bounds: [low, high], step, whole: is_whole });
        };
        Err(at(format_args!("{text:?}"), fault))
    }

    /// The option called `name`, as the engine writes it, with what it says of it.
    fn find(&self, name: &str) -> Result<(String, Option<NumberKind>), RequestError> {
        let Declarations::Known(declared) = self else { return Ok((name.to_string(), None)) };
        match declared.iter().find(|option| same_name(&option.name, name)) {
            Some(option) if option.number.is_some() || option.is_text => Ok((option.name.clone(), option.number)),
            Some(option) => Err(at(&option.name, "only options that are numbers can be tuned")),
            None => {
                let numbers = declared.iter().filter(|option| option.number.is_some());
                let names: Vec<&str> = numbers.map(|option| option.name.as_str()).take(NAMES_MAX).collect();
                Err(at(name, format_args!("the engine has no such option; its numbers are {}", names.join(", "))))
            }
        }
    }
}

impl<'a> Wanted<'a> {
    fn read(text: &'a str, rate: f64) -> Result<Wanted<'a>, RequestError> {
        if text.contains(',') {
            return Wanted::of_open_bench(text, rate);
        }
        let (name, rest) = text.split_once('=').unwrap_or((text, ""));
        if rest.is_empty() {
            return Ok(Wanted { name: name.trim(), range: None, is_whole: None });
        }
        let words: Vec<&str> = rest.split([':', '/']).flat_map(|part| part.split("..")).collect();
        let range = four(&words).ok_or_else(|| at(format_args!("{text:?}"), format_args!("expected {FORM}")))?;
        // Who writes a point wants fractions.
        let is_whole = (words[..3].iter().any(|word| word.trim().contains(['.', 'e']))).then_some(false);
        Ok(Wanted { name: name.trim(), range: Some(range), is_whole })
    }

    /// `Name, int, START, LEAST, GREATEST, STEP, RATE`, as OpenBench's tuning has it (A. Grant).
    fn of_open_bench(text: &'a str, rate: f64) -> Result<Wanted<'a>, RequestError> {
        let wrong = || at(format_args!("{text:?}"), "expected NAME, int, START, LEAST, GREATEST, STEP, RATE");
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let [name, kind, numbers @ .., own_rate] = words.as_slice() else { return Err(wrong()) };
        let range = four(numbers).ok_or_else(wrong)?;
        let own_rate: f64 = own_rate.parse().map_err(|_| wrong())?;
        if own_rate != rate {
            let words =
                format_args!("its rate is {own_rate}, that of the tuning {rate}: one rate holds for all options");
            return Err(at(name, words));
        }
        let is_whole = match *kind {
            "int" => true,
            "float" => false,
            _ => return Err(wrong()),
        };
        Ok(Wanted { name, range: Some(range), is_whole: Some(is_whole) })
    }
}

/// The longest file of options, in bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

/// The options to tune that a file names, one a line; `#` begins a comment.
///
/// # Errors
/// When the file cannot be read.
///
/// # Examples
/// ```
/// let folder = tempfile::tempdir()?;
/// let file = folder.path().join("options.txt");
/// std::fs::write(&file, "# margins\nFutility, int, 90, 20, 200, 10, 0.002\n\nRazoring=240:100..400/20 # old\n")?;
/// let options = tesuji_circle::spsa::read_spsa_options(&file)?;
/// assert_eq!(options, ["Futility, int, 90, 20, 200, 10, 0.002", "Razoring=240:100..400/20"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_spsa_options(path: &Path) -> Result<Vec<String>, RequestError> {
    let text = read_text_bounded(path, FILE_BYTES_MAX).map_err(RequestError::failed)?;
    // Editors put a mark of the encoding before the first line.
    let lines =
        text.trim_start_matches('\u{feff}').lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let options: Vec<String> = lines.filter(|line| !line.is_empty()).map(str::to_string).collect();
    if options.is_empty() {
        return Err(at(path.display(), format_args!("it names no option; expected lines such as {FORM}")));
    }
    Ok(options)
}

/// Four numbers.
fn four(words: &[&str]) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = words.iter().map(|word| word.trim().parse().ok()).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

/// An error with its place before it.
fn at(place: impl Display, error: impl Display) -> RequestError {
    RequestError::failed(format_args!("{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declarations() -> Declarations {
        let number = NumberKind { default: 90.0, bounds: [0.0, 400.0], is_whole: true };
        let declared = |name: &str, number, is_text| Declared { name: name.into(), number, is_text };
        Declarations::Known(vec![
            declared("Futility Base", Some(number), false),
            declared("Scale", None, true),
            declared("Ponder", None, false),
        ])
    }

    #[test]
    fn ranges_come_from_the_engine_or_from_the_text() {
        let number = |text: &str| {
            let found = declarations().parameter(text, 0.002).unwrap();
            (found.name, found.start, found.bounds, found.step, found.whole)
        };
        let base = || "Futility Base".to_string();
        assert_eq!(number("futility base"), (base(), 90.0, [0.0, 400.0], 20.0, true));
        assert_eq!(number("Futility Base=80:20..200/10"), (base(), 80.0, [20.0, 200.0], 10.0, true));
        assert_eq!(number("Futility Base, int, 80, 20, 200, 10, 0.002"), (base(), 80.0, [20.0, 200.0], 10.0, true));
        assert_eq!(number("Scale=0.5:0.1..2/0.1"), ("Scale".into(), 0.5, [0.1, 2.0], 0.1, false));
        assert_eq!(number("Scale=1:-2.0..4/1"), ("Scale".into(), 1.0, [-2.0, 4.0], 1.0, false));
        assert_eq!(number("Scale, float, 1, 0, 4, 1, 0.002"), ("Scale".into(), 1.0, [0.0, 4.0], 1.0, false));
        let untold = Declarations::Untold.parameter("any_name=5:0..10/1", 0.002).unwrap();
        assert_eq!((untold.name.as_str(), untold.whole), ("any_name", true));
    }

    #[test]
    fn what_cannot_be_tuned_is_told_in_one_line() {
        for (text, words) in [
            ("Hash", "Hash: the engine has no such option; its numbers are Futility Base"),
            ("Ponder", "Ponder: only options that are numbers can be tuned"),
            ("Scale", "Scale: its engine tells no bounds; write NAME=START:LEAST..GREATEST/STEP"),
            ("Futility Base=80:20..500/10", "the engine takes 0 to 400"),
            ("Futility Base=10:20..50/10", "its start, 10, is not from 20 to 50"),
            ("Futility Base=30:20..50/0", "its step, 0, is not above 0 and at most 30"),
            ("Futility Base=30:20..50/1e300", "is not above 0 and at most 30"),
            ("Futility Base=30:20..50/1e-300", "is not above 0 and at most 30"),
            ("Futility Base=20:20..20/1", "its least value, 20, is not below its greatest, 20"),
            ("Futility Base=30:20..50/nan", "expected NAME=START:LEAST..GREATEST/STEP"),
            ("Futility Base=30.5:20..50/1", "the engine takes whole numbers"),
            ("Futility Base=many", "expected NAME=START:LEAST..GREATEST/STEP"),
            ("Futility Base, int, 80, 20, 200", "expected NAME, int, START, LEAST, GREATEST, STEP, RATE"),
            ("Futility Base, whole, 80, 20, 200, 10, 0.002", "expected NAME, int"),
            ("Futility Base, int, 80, 20, 200, 10, 0.004", "its rate is 0.004, that of the tuning 0.002"),
        ] {
            let error = declarations().parameter(text, 0.002).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let untold = Declarations::Untold.parameter("Threads", 0.002).unwrap_err().to_string();
        assert!(untold.contains("tells no bounds"), "{untold}");
    }
}
