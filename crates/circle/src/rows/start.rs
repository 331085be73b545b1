//! Weights to start from: files as they are written, or any JSON with as many numbers as there are weights.

use super::{template::json_numbers, weights::WeightList};
use serde_json::Value;
use std::path::Path;
use tesuji_jobs::read_text_limited;
use tesuji_kit::RequestError;

/// The longest file of weights, in bytes.
const BYTES_MAX: u64 = 64 << 20;

/// Reads the start of `list` from the file `path`. Weights that it does not name keep theirs.
///
/// # Errors
/// When it cannot be read, or names what is no weight of the table.
pub(super) fn read(path: &Path, list: &mut WeightList) -> Result<(), RequestError> {
    let text = read_text_limited(path, BYTES_MAX)?;
    let taken = match serde_json::from_str::<Value>(&text) {
        Ok(json) => of_json(&json, &text, list),
        Err(error) if text.trim_start().starts_with(['{', '[']) => Err(format!("no JSON: {error}")),
        Err(_) => of_csv(&text, list),
    };
    taken.map_err(|words| RequestError::failed(format_args!("{}: {words}", path.display())))
}

fn of_json(json: &Value, text: &str, list: &mut WeightList) -> Result<(), String> {
    let is_number = |value: &Value| value.is_number() || value.as_array().is_some_and(|pair| pair.len() == 2);
    let Some(object) = json.as_object().filter(|object| object.values().all(is_number)) else {
        let numbers = json_numbers(text);
        if numbers.len() != list.list.len() {
            let words = "expected an object of names with numbers, or as many numbers as there are weights";
            return Err(format!("{words}: {} numbers, {} weights", numbers.len(), list.list.len()));
        }
        for (weight, range) in list.list.iter_mut().zip(numbers) {
            weight.start = text[range].parse().map_err(|_| "a number cannot be read".to_string())?;
            weight.value = weight.start;
        }
        return Ok(());
    };
    for (name, value) in object {
        let numbers: Option<Vec<f64>> = match value.as_array() {
            Some(pair) => pair.iter().map(Value::as_f64).collect(),
            None => value.as_f64().map(|number| vec![number]),
        };
        set(list, name, &numbers.ok_or_else(|| format!("{name}: expected a number, or two"))?)?;
    }
    Ok(())
}

fn of_csv(text: &str, list: &mut WeightList) -> Result<(), String> {
    for (number, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let at_line = |words: String| format!("line {}: {words}", number + 1);
        let (name, rest) = match line.strip_prefix('"').and_then(|line| line.split_once("\",")) {
            Some((name, rest)) => (name.replace("\"\"", "\""), rest),
            None => {
                let (name, rest) = line.split_once(',').ok_or_else(|| at_line("expected NAME,NUMBER".into()))?;
                (name.to_string(), rest)
            }
        };
        let value = rest.split(',').next().unwrap_or(rest).trim().parse::<f64>();
        let value = value.map_err(|_| at_line(format!("expected NAME,NUMBER, found {line:?}")))?;
        set(list, &name, &[value]).map_err(at_line)?;
    }
    Ok(())
}

fn set(list: &mut WeightList, name: &str, numbers: &[f64]) -> Result<(), String> {
    let places =
        list.places_of_entry(name).map(<[usize]>::to_vec).or_else(|| list.place(name).map(|place| vec![place]));
    let places = places.ok_or_else(|| format!("{name:?} is no weight of the table"))?;
    if places.len() != numbers.len() || !numbers.iter().all(|number| number.is_finite()) {
        return Err(format!("{name}: expected {} numbers, found {}", places.len(), numbers.len()));
    }
    for (place, number) in places.into_iter().zip(numbers) {
        (list.list[place].start, list.list[place].value) = (*number, *number);
    }
    Ok(())
}
