//! An ONNX file as a graph: nodes by what they make, constants, inputs and outputs.

use super::wire::{Fields, Value};
use crate::{NetError, Tensor, safetensors::half};
use std::collections::HashMap;

/// The graph of an ONNX file, borrowed from its bytes.
#[derive(Debug, Default)]
pub struct Graph<'a> {
    /// The names of what goes in, constants apart, with their sides where they are known.
    pub inputs: Vec<(&'a str, Vec<usize>)>,
    /// The names of what comes out.
    pub outputs: Vec<&'a str>,
    nodes: Vec<Node<'a>>,
    /// The index of the node that makes a value.
    made: HashMap<&'a str, usize>,
    constants: HashMap<&'a str, Raw<'a>>,
    /// Texts about the model.
    pub metadata: Vec<(&'a str, &'a str)>,
    /// Bytes of the file.
    pub size: usize,
}

/// One operation.
#[derive(Debug, Default)]
pub struct Node<'a> {
    /// Its kind, such as `Conv`.
    pub kind: &'a str,
    name: &'a str,
    inputs: Vec<&'a str>,
    outputs: Vec<&'a str>,
    attributes: HashMap<&'a str, Attribute<'a>>,
}

#[derive(Debug, Default)]
struct Attribute<'a> {
    float: Option<f32>,
    number: Option<i64>,
    numbers: Vec<i64>,
    tensor: Option<Raw<'a>>,
}

/// A constant as it lies in the file.
#[derive(Debug, Default)]
struct Raw<'a> {
    name: &'a str,
    sides: Vec<i64>,
    kind: i64,
    floats: Vec<f32>,
    bytes: &'a [u8],
    elsewhere: bool,
}

/// The most values that lie between a value and what made it, for names of names.
const ALIASES_MAX: usize = 32;

/// The longest side of a tensor.
const SIDE_MAX: usize = 1 << 24;
/// The most nodes, constants, inputs and outputs together.
const FIELDS_MAX: usize = 1 << 16;

impl<'a> Graph<'a> {
    /// Takes the bytes of a model apart.
    pub fn read(bytes: &'a [u8]) -> Result<Self, NetError> {
        let (mut graph, mut found) = (Graph { size: bytes.len(), ..Graph::default() }, false);
        for field in Fields(bytes) {
            match field? {
                (7, value) => {
                    found = true;
                    graph.read_graph(value.bytes()?)?;
                }
                (14, value) => {
                    let (mut key, mut text) = ("", "");
                    for field in Fields(value.bytes()?) {
                        match field? {
                            (1, value) => key = value.text()?,
                            (2, value) => text = value.text()?,
                            _ => {}
                        }
                    }
                    graph.metadata.push((key, text));
                }
                _ => {}
            }
        }
        if !found {
            return Err(NetError::Format("no ONNX model: it holds no graph".into()));
        }
        for (index, node) in graph.nodes.iter().enumerate() {
            graph.made.extend(node.outputs.iter().map(|&name| (name, index)));
        }
        let constants = &graph.constants;
        graph.inputs.retain(|(name, _)| !constants.contains_key(name));
        Ok(graph)
    }

    fn read_graph(&mut self, bytes: &'a [u8]) -> Result<(), NetError> {
        for (count, field) in Fields(bytes).enumerate() {
            if count == FIELDS_MAX {
                return Err(NetError::Onnx(format!("more than {FIELDS_MAX} nodes and constants")));
            }
            match field? {
                (1, value) => self.nodes.push(Node::read(value.bytes()?)?),
                (5, value) => {
                    let raw = Raw::read(value.bytes()?)?;
                    self.constants.insert(raw.name, raw);
                }
                (11, value) => self.inputs.push(value_info(value.bytes()?)?),
                (12, value) => self.outputs.push(value_info(value.bytes()?)?.0),
                _ => {}
            }
        }
        Ok(())
    }

    /// The node that makes a value, past those that only rename, convert or reshape to a vector. None for the graph's
    /// inputs, whose name is the error.
    pub fn maker(&self, mut name: &'a str) -> Result<&Node<'a>, &'a str> {
        for _ in 0..ALIASES_MAX {
            let Some(node) = self.made.get(name).map(|&index| &self.nodes[index]) else { return Err(name) };
            match (node.kind, node.inputs.first()) {
                ("Identity" | "Cast" | "Dropout" | "Flatten" | "Reshape", Some(input)) => name = input,
                _ => return Ok(node),
            }
        }
        Err(name)
    }

    /// The epsilon of the first batch norm.
    pub fn epsilon(&self) -> f32 {
        let norm = self.nodes.iter().find(|node| node.kind == "BatchNormalization");
        norm.and_then(|node| node.float("epsilon")).unwrap_or(1e-5)
    }

    /// The constant of a name, given as such or by a node.
    pub fn constant(&self, name: &'a str) -> Option<Result<Tensor, NetError>> {
        if let Some(raw) = self.constants.get(name) {
            return Some(raw.tensor());
        }
        match self.maker(name) {
            Err(name) => self.constants.get(name).map(Raw::tensor),
            Ok(node) if node.kind == "Constant" => node.attributes.get("value")?.tensor.as_ref().map(Raw::tensor),
            Ok(_) => None,
        }
    }
}

impl<'a> Node<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, NetError> {
        let mut node = Node::default();
        for field in Fields(bytes) {
            match field? {
                (1, value) => node.inputs.push(value.text()?),
                (2, value) => node.outputs.push(value.text()?),
                (3, value) => node.name = value.text()?,
                (4, value) => node.kind = value.text()?,
                (5, value) => {
                    let (name, attribute) = Attribute::read(value.bytes()?)?;
                    node.attributes.insert(name, attribute);
                }
                _ => {}
            }
        }
        Ok(node)
    }

    /// The name of its input of that number.
    pub fn input(&self, index: usize) -> Result<&'a str, NetError> {
        let none = || NetError::Onnx(format!("{} has no input {index}", self.title()));
        self.inputs.get(index).copied().filter(|name| !name.is_empty()).ok_or_else(none)
    }

    /// A whole number among its attributes.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.attributes.get(name)?.number
    }

    /// Whole numbers among its attributes.
    pub fn numbers(&self, name: &str) -> Option<&[i64]> {
        Some(&self.attributes.get(name)?.numbers)
    }

    /// A number among its attributes.
    pub fn float(&self, name: &str) -> Option<f32> {
        self.attributes.get(name)?.float
    }

    /// Its name in error messages.
    pub fn title(&self) -> String {
        let name = if self.name.is_empty() { self.outputs.first().unwrap_or(&"?") } else { self.name };
        format!("{} `{}`", self.kind, name.chars().take(60).collect::<String>())
    }
}

impl<'a> Attribute<'a> {
    fn read(bytes: &'a [u8]) -> Result<(&'a str, Self), NetError> {
        let (mut name, mut attribute) = ("", Attribute::default());
        for field in Fields(bytes) {
            match field? {
                (1, value) => name = value.text()?,
                (2, Value::Fixed32(bytes)) => attribute.float = Some(f32::from_le_bytes(bytes)),
                (3, value) => attribute.number = Some(value.number()?),
                (5, value) => attribute.tensor = Some(Raw::read(value.bytes()?)?),
                (8, value) => value.numbers(&mut attribute.numbers)?,
                _ => {}
            }
        }
        Ok((name, attribute))
    }
}

impl<'a> Raw<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, NetError> {
        let mut raw = Raw::default();
        for field in Fields(bytes) {
            match field? {
                (1, value) => value.numbers(&mut raw.sides)?,
                (2, value) => raw.kind = value.number()?,
                (4, value) => value.floats(&mut raw.floats)?,
                (8, value) => raw.name = value.text()?,
                (9, value) => raw.bytes = value.bytes()?,
                (14, value) => raw.elsewhere = value.number()? == 1,
                _ => {}
            }
        }
        Ok(raw)
    }

    fn tensor(&self) -> Result<Tensor, NetError> {
        let wrong = |what: String| NetError::Onnx(format!("constant `{}`: {what}", self.name));
        if self.elsewhere {
            return Err(wrong("its numbers lie in another file".into()));
        }
        let side = |&side: &i64| usize::try_from(side).ok().filter(|side| (1..=SIDE_MAX).contains(side));
        let shape: Option<Vec<usize>> = self.sides.iter().map(side).collect();
        let shape = shape.ok_or_else(|| wrong(format!("its sides are {:?}", self.sides)))?;
        let data: Vec<f32> = match self.kind {
            1 if !self.floats.is_empty() => self.floats.clone(),
            1 => self.bytes.as_chunks::<4>().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect(),
            10 => self.bytes.as_chunks::<2>().0.iter().map(|&bytes| half(u16::from_le_bytes(bytes))).collect(),
            kind => return Err(wrong(format!("numbers of type {kind}, expected 1 (single) or 10 (half precision)"))),
        };
        let count = shape.iter().try_fold(1usize, |product, &side| product.checked_mul(side));
        if count != Some(data.len()) {
            return Err(wrong(format!("{} numbers for shape {shape:?}", data.len())));
        }
        Ok(Tensor { shape, data })
    }
}

/// The name and the sides of an input or output; unknown sides are 0.
fn value_info(bytes: &[u8]) -> Result<(&str, Vec<usize>), NetError> {
    let (mut name, mut sides) = ("", Vec::new());
    for field in Fields(bytes) {
        match field? {
            (1, value) => name = value.text()?,
            (2, value) => {
                let shapes = inside(value.bytes()?, 1)?.into_iter().map(|kind| inside(kind, 2));
                for shape in shapes.collect::<Result<Vec<_>, _>>()?.concat() {
                    for dimension in inside(shape, 1)? {
                        let mut side = 0;
                        for field in Fields(dimension) {
                            if let (1, value) = field? {
                                side = usize::try_from(value.number()?).unwrap_or(0).min(SIDE_MAX);
                            }
                        }
                        sides.push(side);
                    }
                }
            }
            _ => {}
        }
    }
    Ok((name, sides))
}

/// The messages of one field.
fn inside(bytes: &[u8], wanted: u64) -> Result<Vec<&[u8]>, NetError> {
    let mut found = Vec::new();
    for field in Fields(bytes) {
        let (number, value) = field?;
        if number == wanted {
            found.push(value.bytes()?);
        }
    }
    Ok(found)
}
