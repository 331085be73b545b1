//! Where a net shall run: the device of a command, or the beginning of a file's name, `cuda:net.safetensors`, `cuda:1:net.safetensors`.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Where a net runs; in files its name, `cpu` or `cuda:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Place {
    /// The processor.
    #[default]
    Processor,
    /// The card of this number.
    Card(usize),
}

impl Place {
    /// The name of a file with the place before it: what [`place_of`] takes apart.
    pub fn before(self, file: &str) -> String {
        match self {
            Place::Processor => file.to_owned(),
            Place::Card(ordinal) => format!("cuda:{ordinal}:{file}"),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Processor => f.write_str("cpu"),
            Place::Card(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

impl From<Place> for String {
    fn from(place: Place) -> String {
        place.to_string()
    }
}

impl TryFrom<String> for Place {
    type Error = String;

    fn try_from(text: String) -> Result<Place, String> {
        text.parse()
    }
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let number = match text {
            "cpu" => return Ok(Place::Processor),
            "cuda" => Some("0"),
            _ => text.strip_prefix("cuda:"),
        };
        let card = number.and_then(|number| number.parse().ok()).map(Place::Card);
        card.ok_or_else(|| format!("`{text}` is no device: expected cpu, cuda or cuda:N (cards are counted from 0)"))
    }
}

/// The place that a name begins with, and the rest of the name. A name without one is the processor's.
///
/// ```
/// use tesuji_cuda::{Place, place_of};
/// assert_eq!(place_of("nets/go.safetensors"), (Place::Processor, "nets/go.safetensors"));
/// assert_eq!(place_of("cuda:go.safetensors"), (Place::Card(0), "go.safetensors"));
/// assert_eq!(place_of(&Place::Card(1).before("go.safetensors")), (Place::Card(1), "go.safetensors"));
/// assert_eq!("cuda:1".parse(), Ok(Place::Card(1)));
/// ```
pub fn place_of(name: &str) -> (Place, &str) {
    let Some(rest) = name.strip_prefix("cuda:") else { return (Place::Processor, name) };
    match rest.split_once(':').and_then(|(ordinal, file)| Some((ordinal.parse().ok()?, file))) {
        Some((ordinal, file)) => (Place::Card(ordinal), file),
        None => (Place::Card(0), rest),
    }
}
