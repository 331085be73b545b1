//! The safetensors container (Hugging Face, 2022): eight bytes of length, a JSON header, raw little-endian numbers. Our
//! own writer, since a net's bytes must not change from run to run, which a header from a hash map would.

use crate::{NetError, Tensor};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tesuji_game::fnv;

/// The most bytes that a header may have.
const HEADER_MAX: u64 = 16 << 20;
/// The most tensors of a file.
const TENSORS_MAX: usize = 1 << 16;

/// How other files of ours begin, which are easily taken for networks, and what they are.
const OWN_FILES: [(&[u8], &str); 3] = [
    (b"TESUJI-POSITIONS", "packed positions of `train nnue`"),
    (b"TESUJI-NNUE-RUN", "a checkpoint of `train nnue`"),
    (b"TESUJI-TRAINING", "a checkpoint of `train`"),
];

/// Texts about the file, under their keys.
pub type Metadata = BTreeMap<String, String>;

/// The key of the checksum in the metadata of files that we write.
const CHECKSUM: &str = "tesuji.checksum";

/// A checksum of all that a file says but of this itself, in hexadecimal digits: the steps of FNV-1a (Fowler, Noll and Vo) taken with words
/// of 64 bits, which no library does.
fn checksum(metadata: &Metadata, tensors: &BTreeMap<String, Tensor>) -> String {
    let mut sum = fnv::START;
    // Each word is spread over all bits before the next: FNV's prime alone moves none downwards.
    let mut add = |word: u64| {
        sum = fnv::step(sum, word);
        sum ^= sum >> 32;
    };
    for (key, value) in metadata.iter().filter(|(key, _)| *key != CHECKSUM) {
        [key, value].into_iter().for_each(|text| {
            add(text.len() as u64);
            text.bytes().for_each(|byte| add(byte.into()));
        });
    }
    for (name, tensor) in tensors {
        name.bytes().for_each(|byte| add(byte.into()));
        tensor.shape.iter().for_each(|&side| add(side as u64));
        tensor.data.iter().for_each(|number| add(number.to_bits().into()));
    }
    format!("{sum:016x}")
}

/// Reads all tensors and the metadata, and verifies the checksum where there is one. Numbers may be `F32`, `F16` or `BF16`; memory stays within twice the bytes.
///
/// # Errors
/// When the bytes are of another form, or end too early.
pub fn read(bytes: &[u8]) -> Result<(Metadata, BTreeMap<String, Tensor>), NetError> {
    let Some((length, rest)) = bytes.split_first_chunk::<8>() else {
        return Err(NetError::Truncated(format!("{} bytes, a safetensors file has more than 8", bytes.len())));
    };
    let length = u64::from_le_bytes(*length);
    // Before any memory is taken: the first eight bytes of any other file are a length of their own.
    if length > HEADER_MAX || !rest.starts_with(b"{") {
        let known = OWN_FILES.iter().find(|(start, _)| bytes.starts_with(start));
        let found = known.map_or(String::new(), |(_, name)| format!(", found {name}"));
        let expected = "expected .nnue, or .safetensors, whose header begins with `{` at byte 8";
        return Err(NetError::Format(format!("{expected}{found}")));
    }
    let length = length as usize;
    if length > rest.len() {
        return Err(NetError::Truncated(format!("the header has {length} bytes, {} are there", rest.len())));
    }
    let (header, data) = rest.split_at(length);
    let header: Map<String, Value> =
        serde_json::from_slice(header).map_err(|error| NetError::Format(format!("the header: {error}")))?;
    if header.len() > TENSORS_MAX {
        return Err(NetError::Format(format!("{} tensors, expected at most {TENSORS_MAX}", header.len())));
    }
    let (mut metadata, mut tensors, mut used) = (Metadata::new(), BTreeMap::new(), 0);
    for (name, entry) in &header {
        if name == "__metadata__" {
            for (key, text) in entry.as_object().into_iter().flatten() {
                metadata.insert(key.clone(), text.as_str().unwrap_or_default().to_owned());
            }
            continue;
        }
        let tensor = read_tensor(name, entry, data)?;
        // At least two bytes a number (half precision): a header that names the same bytes again and again is refused.
        used += tensor.data.len() * 2;
        if used > data.len() {
            return Err(NetError::Format(format!("tensor `{name}` lies over another")));
        }
        tensors.insert(name.clone(), tensor);
    }
    if let Some(written) = metadata.remove(CHECKSUM) {
        let found = checksum(&metadata, &tensors);
        if found != written {
            let words = format!("its checksum is {found}, the file says {written}: the file is damaged");
            return Err(NetError::Format(words));
        }
    }
    Ok((metadata, tensors))
}

fn read_tensor(name: &str, entry: &Value, data: &[u8]) -> Result<Tensor, NetError> {
    let wrong = |what: &str| NetError::Format(format!("tensor `{name}`: {what}"));
    let numbers = |key: &str| -> Option<Vec<usize>> {
        entry.get(key)?.as_array()?.iter().map(|value| usize::try_from(value.as_u64()?).ok()).collect()
    };
    let shape = numbers("shape").ok_or_else(|| wrong("expected a shape of whole numbers"))?;
    let kind = entry.get("dtype").and_then(Value::as_str).unwrap_or("none");
    let size = match kind {
        "F32" => 4,
        "F16" | "BF16" => 2,
        _ => return Err(wrong(&format!("its type is {kind}, expected F32, F16 or BF16"))),
    };
    let Some([begin, end]) = numbers("data_offsets").and_then(|ends| <[usize; 2]>::try_from(ends).ok()) else {
        return Err(wrong("expected two data_offsets"));
    };
    if begin > end {
        return Err(wrong(&format!("its data ends at {end}, before it begins at {begin}")));
    }
    let Some(raw) = data.get(begin..end) else {
        return Err(NetError::Truncated(format!(
            "tensor `{name}` ends at byte {end} of the data, {} are there",
            data.len()
        )));
    };
    let count = shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
    if count.and_then(|count| count.checked_mul(size)) != Some(raw.len()) {
        return Err(wrong(&format!("{} bytes do not hold shape {shape:?} of {kind}", raw.len())));
    }
    let data = match kind {
        "F32" => raw.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
        "F16" => raw.as_chunks::<2>().0.iter().map(|&bytes| half(u16::from_le_bytes(bytes))).collect(),
        _ => {
            let wide = |&bytes: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16);
            raw.as_chunks::<2>().0.iter().map(wide).collect()
        }
    };
    Ok(Tensor { shape, data })
}

/// A number of IEEE 754 in 16 bits.
pub fn half(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (u32::from(bits >> 15) << 31, u32::from(bits >> 10) & 31, u32::from(bits) & 0x3ff);
    match exponent {
        0 => f32::from_bits(sign | (fraction as f32 * 2f32.powi(-24)).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

/// Writes `tensors` in the order of `order`, all as `F32`. The same input gives the same bytes.
pub fn write(metadata: &Metadata, order: &[String], tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let mut metadata = metadata.clone();
    metadata.insert(CHECKSUM.to_owned(), checksum(&metadata, tensors));
    let mut header = format!("{{\"__metadata__\":{}", json!(metadata));
    let mut end = 0;
    for name in order {
        let tensor = &tensors[name];
        let begin = end;
        end += tensor.data.len() * 4;
        let entry = json!({"dtype": "F32", "shape": tensor.shape, "data_offsets": [begin, end]});
        header.push_str(&format!(",{}:{entry}", json!(name)));
    }
    header.push('}');
    // Numbers begin at a multiple of eight.
    while header.len() % 8 != 0 {
        header.push(' ');
    }
    let mut bytes = Vec::with_capacity(8 + header.len() + end);
    bytes.extend((header.len() as u64).to_le_bytes());
    bytes.extend(header.as_bytes());
    for name in order {
        tensors[name].data.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
    }
    bytes
}
