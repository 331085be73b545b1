//! The weights of a table: their names, what is allowed to them, and their forms as JSON and CSV.

use super::request::{RowsLayout, WeightGroup};
use serde_json::json;
use std::fmt::Write as _;
use tesuji_dataset::feature_table::{FeatureTable, Slot, SlotPart, matches_pattern};
use tesuji_kit::RequestError;

/// Names that an error lists.
const LISTED: usize = 12;

/// A weight.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedWeight {
    /// Its name: that of the column, with `.mg` or `.eg` where it is tapered by the phase.
    pub name: String,
    /// The weight at the start.
    pub start: f64,
    /// The weight now.
    pub value: f64,
    /// Its standard error, where it is known.
    pub error: Option<f64>,
    /// Whether it keeps its start.
    pub frozen: bool,
    /// The least and the greatest weight.
    pub bounds: [f64; 2],
    /// Whether it ended on one of them.
    pub at_bound: bool,
    /// What a value of 1 stands for.
    pub(super) divide: f64,
}

/// All weights, in the order of the columns.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightList {
    /// The weights one by one.
    pub list: Vec<LearnedWeight>,
    /// What is written: a name with one weight, or with those of middlegame and endgame.
    entries: Vec<(String, Vec<usize>)>,
    pub(super) slots: Vec<Slot>,
}

impl WeightList {
    /// The weights of a table under the rules of a layout.
    ///
    /// # Errors
    /// When a rule is for no column, or a pair is not whole.
    pub(super) fn of_table(table: &FeatureTable, layout: &RowsLayout) -> Result<WeightList, RequestError> {
        let names = &table.names;
        let is_named = |patterns: &[String], name: &str| patterns.iter().any(|pattern| matches_pattern(pattern, name));
        if let Some(pattern) =
            layout.tapered.iter().find(|pattern| !names.iter().any(|name| matches_pattern(pattern, name)))
        {
            return Err(no_column("tapered", pattern, names));
        }
        let is_tapered = |feature: usize| {
            table.has_phase && (layout.tapered.is_empty() || is_named(&layout.tapered, &names[feature]))
        };
        let slots = table.slots(is_tapered);
        if slots.len() > 1 << 16 {
            return Err(RequestError::failed(format_args!("{} weights; at most 65536 are learned", slots.len())));
        }
        let weight = |slot: &Slot| LearnedWeight {
            name: slot_name(&names[slot.feature], slot.part),
            start: 0.0,
            value: 0.0,
            error: None,
            frozen: false,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
            at_bound: false,
            divide: layout.divide,
        };
        let mut list: Vec<LearnedWeight> = slots.iter().map(weight).collect();
        for group in &layout.groups {
            rule(&mut list, (&slots, names), group)?;
        }
        let entries = entries(&list, (&slots, names), &layout.pairs)?;
        Ok(WeightList { list, entries, slots })
    }

    /// What is written: names with one or two weights.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Vec<&LearnedWeight>)> {
        self.entries
            .iter()
            .map(|(name, places)| (name.as_str(), places.iter().map(|&place| &self.list[place]).collect()))
    }

    /// The place of the weight `name`: of a column, of a half of one, or of a half of a pair.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        let half = |ending: &str, part: usize| {
            let entry = name.strip_suffix(ending)?;
            let (_, places) = self.entries.iter().find(|(known, _)| known == entry)?;
            places.get(part).copied().filter(|_| places.len() == 2)
        };
        let of_weight = self.list.iter().position(|weight| weight.name == name);
        of_weight.or_else(|| half(".mg", 0)).or_else(|| half(".eg", 1))
    }

    /// The places of the weights that are written as `name`.
    pub(super) fn places_of_entry(&self, name: &str) -> Option<&[usize]> {
        self.entries.iter().find(|(known, _)| known == name).map(|(_, places)| &places[..])
    }

    /// Multiplies all weights so that the one named by `NAME=NUMBER` becomes that number; for two weights, their mean.
    ///
    /// # Errors
    /// In words, when that weight is nothing to measure by.
    pub(super) fn scale_to(&mut self, unit: &str) -> Result<f64, String> {
        let (name, number) = unit.rsplit_once('=').unwrap_or((unit, "1"));
        let wanted: f64 = number.parse().unwrap_or(1.0);
        let places =
            self.places_of_entry(name).map(<[usize]>::to_vec).or_else(|| self.place(name).map(|place| vec![place]));
        let Some(places) = places else {
            return Err(format!("no weight is called {name:?}: the unit is left as it is"));
        };
        let mean = places.iter().map(|&place| self.list[place].value).sum::<f64>() / places.len() as f64;
        let by = wanted / mean;
        if !(by > 0.0 && by.is_finite()) {
            return Err(format!("{name} was learned to be {mean}: the unit is left as it is"));
        }
        for weight in &mut self.list {
            weight.value *= by;
            weight.error = weight.error.map(|error| error * by);
        }
        Ok(by)
    }

    /// As JSON: names with numbers, or with two of middlegame and endgame.
    pub(super) fn json(&self, decimals: Option<u8>) -> String {
        let number = |weight: &&LearnedWeight| number_text(weight.value, decimals);
        let line = |(name, weights): (&str, Vec<&LearnedWeight>)| {
            let numbers: Vec<String> = weights.iter().map(number).collect();
            let numbers = if numbers.len() == 2 { format!("[{}]", numbers.join(", ")) } else { numbers.join("") };
            format!("  {}: {numbers}", json!(name))
        };
        format!("{{\n{}\n}}\n", self.entries().map(line).collect::<Vec<_>>().join(",\n"))
    }

    /// As CSV: a weight a line, with its error where errors are known.
    pub(super) fn csv(&self, decimals: Option<u8>) -> String {
        let has_errors = self.list.iter().any(|weight| weight.error.is_some());
        let mut text = String::from(if has_errors { "name,value,error\n" } else { "name,value\n" });
        for weight in &self.list {
            let is_plain = !weight.name.contains([',', '"', ';']);
            let name = if is_plain { weight.name.clone() } else { format!("\"{}\"", weight.name.replace('"', "\"\"")) };
            let _ = write!(text, "{name},{}", number_text(weight.value, decimals));
            if has_errors {
                let _ = write!(text, ",{}", number_text(weight.error.unwrap_or(0.0), None));
            }
            text.push('\n');
        }
        text
    }
}

/// The name of a weight.
fn slot_name(column: &str, part: SlotPart) -> String {
    match part {
        SlotPart::Whole => column.to_string(),
        SlotPart::Middlegame => format!("{column}.mg"),
        SlotPart::Endgame => format!("{column}.eg"),
    }
}

/// Applies a rule to the weights that it names.
fn rule(
    list: &mut [LearnedWeight],
    (slots, names): (&[Slot], &[String]),
    group: &WeightGroup,
) -> Result<(), RequestError> {
    let mut is_met = false;
    for (weight, slot) in list.iter_mut().zip(slots) {
        if !(matches_pattern(&group.columns, &names[slot.feature]) || matches_pattern(&group.columns, &weight.name)) {
            continue;
        }
        is_met = true;
        weight.frozen = group.frozen.unwrap_or(weight.frozen);
        weight.start = group.start.unwrap_or(weight.start);
        weight.value = weight.start;
        weight.divide = group.divide.unwrap_or(weight.divide);
        let [low, high] = weight.bounds;
        weight.bounds = [group.low.unwrap_or(low), group.high.unwrap_or(high)];
        let [low, high] = weight.bounds;
        if low.is_nan() || high.is_nan() || low > high {
            return Err(RequestError::failed(format_args!(
                "groups: {}: low {low} is above high {high}",
                group.columns
            )));
        }
    }
    if is_met { Ok(()) } else { Err(no_column("groups", &group.columns, names)) }
}

/// What is written: columns that are pairs become one.
fn entries(
    list: &[LearnedWeight],
    (slots, names): (&[Slot], &[String]),
    pairs: &[[String; 2]],
) -> Result<Vec<(String, Vec<usize>)>, RequestError> {
    let mut entries = Vec::new();
    let mut is_taken = vec![false; list.len()];
    for place in 0..list.len() {
        let name = &names[slots[place].feature];
        if is_taken[place] {
            continue;
        }
        if slots[place].part == SlotPart::Middlegame {
            entries.push((name.clone(), vec![place, place + 1]));
            is_taken[place + 1] = true;
            continue;
        }
        let Some((stem, other)) = pairs.iter().find_map(|[mg, eg]| partner(name, mg, eg)) else {
            entries.push((name.clone(), vec![place]));
            continue;
        };
        let Some(partner) = list.iter().position(|weight| weight.name == other) else {
            return Err(RequestError::failed(format_args!("pairs: column {name:?} has no partner {other:?}")));
        };
        is_taken[partner] = true;
        entries.push((stem, vec![place, partner]));
    }
    // A partner that stands before its middlegame was written alone.
    let is_alone = |entry: &(String, Vec<usize>)| entry.1.len() == 2 || !is_taken[entry.1[0]];
    entries.retain(is_alone);
    if let Some(pair) = pairs.iter().find(|[mg, eg]| !names.iter().any(|name| partner(name, mg, eg).is_some())) {
        return Err(no_column("pairs", &pair[0], names));
    }
    Ok(entries)
}

/// The name of a pair and its endgame column, where `name` is the middlegame column of one.
fn partner(name: &str, mg: &str, eg: &str) -> Option<(String, String)> {
    let (head, tail) = mg.split_once('*')?;
    let stem = name.strip_prefix(head)?.strip_suffix(tail)?;
    Some((stem.to_string(), eg.replacen('*', stem, 1)))
}

fn no_column(field: &str, pattern: &str, names: &[String]) -> RequestError {
    let more = if names.len() > LISTED { format!(" and {} more", names.len() - LISTED) } else { String::new() };
    let some = names[..names.len().min(LISTED)].join(", ");
    RequestError::failed(format_args!("{field}: no column is {pattern:?}; the columns: {some}{more}"))
}

/// A number with so many digits behind the point, or with six that count.
pub(super) fn number_text(value: f64, decimals: Option<u8>) -> String {
    let text = match decimals {
        Some(decimals) => format!("{value:.*}", usize::from(decimals)),
        None => format!("{}", format!("{value:.5e}").parse().unwrap_or(value)),
    };
    // Rounded to nothing.
    if text.strip_prefix('-').is_some_and(|digits| !digits.contains(|digit: char| ('1'..='9').contains(&digit))) {
        return text[1..].to_string();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_have_no_negative_zero() {
        let six = [0.0, -0.0, 1.0 / 3.0, -123_456_789.0, 2.5e-7].map(|value| number_text(value, None));
        assert_eq!(six, ["0", "0", "0.333333", "-123457000", "0.00000025"]);
        assert_eq!([number_text(-0.4, Some(0)), number_text(1.006, Some(2))], ["0", "1.01"]);
    }

    #[test]
    fn pairs_have_the_name_that_their_columns_share() {
        assert_eq!(partner("mg_knight", "mg_*", "eg_*"), Some(("knight".into(), "eg_knight".into())));
        assert_eq!(partner("eg_knight", "mg_*", "eg_*"), None);
        assert_eq!(partner("a.o.x", "*.o.x", "*.e.x"), Some(("a".into(), "a.e.x".into())));
    }
}
