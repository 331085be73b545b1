//! The device for a net: that of a command, or the beginning of a file's name, `cuda:net.safetensors`, `cuda:1:net.safetensors`.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The device that runs a net; in files its name, `cpu` or `cuda:N`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ComputeDevice {
    /// The processor.
    #[default]
    Processor,
    /// The card of this number.
    Card(usize),
}

impl ComputeDevice {
    /// The name of a file with the place before it: what [`device_of`] takes apart.
    pub fn before(self, file: &str) -> String {
        match self {
            ComputeDevice::Processor => file.to_owned(),
            ComputeDevice::Card(ordinal) => format!("cuda:{ordinal}:{file}"),
        }
    }
}

impl std::fmt::Display for ComputeDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ComputeDevice::Processor => f.write_str("cpu"),
            ComputeDevice::Card(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

impl From<ComputeDevice> for String {
    fn from(place: ComputeDevice) -> String {
        place.to_string()
    }
}

impl TryFrom<String> for ComputeDevice {
    type Error = String;

    fn try_from(text: String) -> Result<ComputeDevice, String> {
        text.parse()
    }
}

impl FromStr for ComputeDevice {
    type Err = String;

    fn from_str(text: &str) -> Result<ComputeDevice, String> {
        let number = match text {
            "cpu" => return Ok(ComputeDevice::Processor),
            "cuda" => Some("0"),
            _ => text.strip_prefix("cuda:"),
        };
        let card = number.and_then(|number| number.parse().ok()).map(ComputeDevice::Card);
        card.ok_or_else(|| format!("`{text}` is no device: expected cpu, cuda or cuda:N (cards are counted from 0)"))
    }
}

/// The place that a name begins with, and the rest of the name. A name without one is the processor's.
///
/// ```
/// use tesuji_cuda::{ComputeDevice, device_of};
/// assert_eq!(device_of("nets/go.safetensors"), (ComputeDevice::Processor, "nets/go.safetensors"));
/// assert_eq!(device_of("cuda:go.safetensors"), (ComputeDevice::Card(0), "go.safetensors"));
/// assert_eq!(device_of(&ComputeDevice::Card(1).before("go.safetensors")), (ComputeDevice::Card(1), "go.safetensors"));
/// assert_eq!("cuda:1".parse(), Ok(ComputeDevice::Card(1)));
/// ```
pub fn device_of(name: &str) -> (ComputeDevice, &str) {
    let Some(rest) = name.strip_prefix("cuda:") else { return (ComputeDevice::Processor, name) };
    match rest.split_once(':').and_then(|(ordinal, file)| Some((ordinal.parse().ok()?, file))) {
        Some((ordinal, file)) => (ComputeDevice::Card(ordinal), file),
        None => (ComputeDevice::Card(0), rest),
    }
}
