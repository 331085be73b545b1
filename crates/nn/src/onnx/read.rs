//! From a graph back to a residual net: walks from the outputs to the inputs and names whatever does not fit.

use super::graph::{Graph, Node};
use crate::{
    Activation, Architecture, NetError, Origin, PolicyHead, Pooling, Squash, Stem, Tensor, ValueHead, Weights,
};
use std::cell::Cell;
use std::collections::BTreeMap;

/// More than any net has; a graph that runs in a circle ends here.
const BLOCKS_MAX: usize = 200;
/// The most convolutions that are summed before the first block.
const STEMS_MAX: usize = 8;

/// A convolution or linear layer, and the batch norm after it if it is apart.
struct Layer<'a> {
    title: String,
    input: &'a str,
    weight: Tensor,
    bias: Option<Tensor>,
    norm: Option<Norm>,
}

/// Scale, shift, mean, variance.
struct Norm {
    parts: [Tensor; 4],
    epsilon: f32,
}

struct Reader<'a> {
    graph: &'a Graph<'a>,
    activation: Option<Activation>,
    epsilon: f32,
    /// The budget of numbers taken from constants: a small file that names one of them a thousand times is refused.
    left: Cell<usize>,
    tensors: BTreeMap<String, Tensor>,
}

fn odd<T>(text: String) -> Result<T, NetError> {
    Err(NetError::Onnx(text))
}

/// The net of `graph`.
pub fn weights(graph: &Graph<'_>, features: &str) -> Result<Weights, NetError> {
    let (epsilon, left) = (graph.epsilon(), Cell::new(graph.size + 100_000));
    let mut reader = Reader { graph, activation: None, epsilon, left, tensors: BTreeMap::new() };
    let output = |word: &str, index: usize| {
        let named = graph.outputs.iter().find(|name| name.contains(word)).or(graph.outputs.get(index));
        named.copied().map_or_else(|| odd(format!("it has {} outputs, expected two", graph.outputs.len())), Ok)
    };
    let (policy, tower) = reader.policy(output("policy", 0)?)?;
    let (value, trunk) = reader.value(output("value", 1)?)?;
    if !reader.same(tower, trunk) {
        return odd("policy and value do not begin at one node".into());
    }
    let (blocks, stem, channels) = reader.tower(tower)?;
    let sides = graph.inputs.iter().map(|(_, sides)| match sides[..] {
        [_, _, height, width] if height > 0 && width > 0 => (height, width),
        _ => (9, 9),
    });
    let (height, width) = sides.max().unwrap_or((9, 9));
    let architecture = Architecture {
        features: features.to_owned(),
        planes: stem.iter().map(|stem| stem.first + stem.planes).max().unwrap_or(0),
        height,
        width,
        stem,
        channels,
        blocks,
        activation: reader.activation.unwrap_or(Activation::Relu),
        policy,
        value,
        ownership: false,
        score: false,
        epsilon: reader.epsilon,
    };
    let mut origin = Origin::new();
    for &(key, text) in &graph.metadata {
        origin.insert(key.to_owned(), text.to_owned());
    }
    let mut tensors = reader.tensors;
    // A bias per action cannot be told from its length alone before the board is known.
    let actions = policy.planes.saturating_mul(height).saturating_mul(width);
    let per_action = tensors.get("policy.bias").is_some_and(|bias| bias.data.len() == actions && actions > 0);
    let policy = PolicyHead { bias_per_action: per_action, ..policy };
    if let Some(bias) = tensors.get_mut("policy.bias") {
        bias.shape = vec![bias.data.len()];
    }
    Weights::new(Architecture { policy, ..architecture }, origin, tensors)
}

impl<'a> Reader<'a> {
    fn node(&self, name: &'a str, wanted: &str) -> Result<&'a Node<'a>, NetError> {
        self.graph.maker(name).or_else(|name| odd(format!("`{}` comes in where {wanted} was expected", short(name))))
    }

    fn same(&self, a: &'a str, b: &'a str) -> bool {
        match (self.graph.maker(a), self.graph.maker(b)) {
            (Ok(a), Ok(b)) => std::ptr::eq(a, b),
            (Err(a), Err(b)) => a == b,
            _ => false,
        }
    }

    fn constant(&self, name: &'a str) -> Result<Tensor, NetError> {
        let tensor = self.graph.constant(name).unwrap_or_else(|| odd(format!("`{}` is no constant", short(name))))?;
        let Some(left) = self.left.get().checked_sub(tensor.data.len()) else {
            return odd(format!("`{}` and others are used again and again", short(name)));
        };
        self.left.set(left);
        Ok(tensor)
    }

    /// The input of the activation that makes `name`, and its kind; `None` if something else makes it.
    fn activation(&self, name: &'a str) -> Result<Option<(&'a str, Activation)>, NetError> {
        let Ok(node) = self.graph.maker(name) else { return Ok(None) };
        match node.kind {
            "Relu" => Ok(Some((node.input(0)?, Activation::Relu))),
            "Mul" => {
                let (a, b) = (node.input(0)?, node.input(1)?);
                for (number, factor) in [(a, b), (b, a)] {
                    if let Ok(gate) = self.graph.maker(factor)
                        && gate.kind == "Sigmoid"
                        && self.same(gate.input(0)?, number)
                    {
                        return Ok(Some((number, Activation::Swish)));
                    }
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    /// The same where it must be one, and the one that the net has.
    fn activated(&mut self, name: &'a str) -> Result<&'a str, NetError> {
        let Some((input, kind)) = self.activation(name)? else {
            return odd(format!("{} where Relu or Swish was expected", self.node(name, "Relu or Swish")?.title()));
        };
        if *self.activation.get_or_insert(kind) != kind {
            return odd("it mixes Relu and Swish".into());
        }
        Ok(input)
    }

    /// The layer that makes `name`.
    fn layer(&self, name: &'a str, wanted: &str) -> Result<Layer<'a>, NetError> {
        let node = self.node(name, wanted)?;
        match node.kind {
            "BatchNormalization" => {
                let inner = self.node(node.input(0)?, wanted)?;
                let mut layer = self.plain_layer(inner, wanted)?;
                layer.norm = Some(self.norm(node)?);
                Ok(layer)
            }
            _ => self.plain_layer(node, wanted),
        }
    }

    fn norm(&self, node: &'a Node<'a>) -> Result<Norm, NetError> {
        let part = |index: usize| self.constant(node.input(index)?);
        Ok(Norm { parts: [part(1)?, part(2)?, part(3)?, part(4)?], epsilon: node.float("epsilon").unwrap_or(1e-5) })
    }

    fn plain_layer(&self, node: &'a Node<'a>, wanted: &str) -> Result<Layer<'a>, NetError> {
        if node.kind != wanted {
            return odd(format!("{} where {wanted} was expected", node.title()));
        }
        let mut weight = self.constant(node.input(1)?)?;
        let bias = node.input(2).ok().map(|name| self.constant(name)).transpose()?;
        match (node.kind, &weight.shape[..]) {
            ("Conv", &[_, _, side, other]) if side == other && matches!(side, 1 | 3) => {
                let ones = |name: &str| node.numbers(name).is_none_or(|numbers| numbers.iter().all(|&one| one == 1));
                let pads = node.numbers("pads").unwrap_or(&[0]).iter().all(|&pad| pad == side as i64 / 2);
                if !pads || !ones("strides") || !ones("dilations") || node.number("group").unwrap_or(1) != 1 {
                    return odd(format!("{} is no plain convolution that keeps the board's size", node.title()));
                }
            }
            ("Gemm", &[inputs, outputs]) => {
                if node.number("transB").unwrap_or(0) == 0 {
                    let old = std::mem::take(&mut weight.data);
                    let row = |output: usize| old.iter().skip(output).step_by(outputs.max(1)).copied();
                    weight.data = (0..outputs).flat_map(row).collect();
                    weight.shape = vec![outputs, inputs];
                }
            }
            (kind, shape) => return odd(format!("{}: {kind} with weights of shape {shape:?}", node.title())),
        }
        Ok(Layer { title: node.title(), input: node.input(0)?, weight, bias, norm: None })
    }

    /// The policy head that ends in `name`, and the tower's output.
    fn policy(&mut self, name: &'a str) -> Result<(PolicyHead, &'a str), NetError> {
        let node = self.node(name, "Conv")?;
        let mut bias = None;
        let mut conv = name;
        if node.kind == "Add" {
            let (a, b) = (node.input(0)?, node.input(1)?);
            let (constant, other) = if self.graph.constant(b).is_some() { (b, a) } else { (a, b) };
            bias = Some(self.constant(constant)?.data);
            conv = other;
        }
        let layer = self.layer(conv, "Conv")?;
        let planes = layer.weight.shape[0];
        let mut bias = bias.unwrap_or_else(|| vec![0.0; planes]);
        if let Some(own) = &layer.bias
            && planes > 0
            && own.data.len() == planes
        {
            let each = bias.len() / planes;
            bias.iter_mut()
                .enumerate()
                .for_each(|(index, bias)| *bias += own.data[(index / each.max(1)).min(planes - 1)]);
        }
        if layer.norm.is_some() {
            return odd(format!("a batch norm follows {}, the end of the policy", layer.title));
        }
        self.tensors.insert("policy.bias".into(), Tensor { shape: vec![bias.len()], data: bias });
        self.tensors.insert("policy.conv.weight".into(), layer.weight);
        Ok((PolicyHead { planes, bias_per_action: false, pass: false }, layer.input))
    }
}

impl<'a> Reader<'a> {
    /// The value head that ends in `name`, and the tower's output.
    fn value(&mut self, name: &'a str) -> Result<(ValueHead, &'a str), NetError> {
        let node = self.node(name, "Sigmoid")?;
        let (squash, name) = match node.kind {
            "Sigmoid" => (Squash::Sigmoid, node.input(0)?),
            "Tanh" => (Squash::Tanh, node.input(0)?),
            _ => (Squash::Sigmoid, name),
        };
        let output = self.layer(name, "Gemm")?;
        let hidden = self.activated(output.input)?;
        let hidden = self.layer(hidden, "Gemm")?;
        let conv = self.activated(hidden.input)?;
        let conv = self.layer(conv, "Conv")?;
        let head =
            ValueHead { planes: conv.weight.shape[0], pool: Pooling::Flat, hidden: hidden.weight.shape[0], squash };
        let input = conv.input;
        for (name, layer) in [("value.hidden", hidden), ("value.output", output)] {
            let outputs = layer.weight.shape[0];
            self.tensors.insert(format!("{name}.bias"), layer.bias.unwrap_or_else(|| Tensor::filled(&[outputs], 0.0)));
            self.tensors.insert(format!("{name}.weight"), layer.weight);
        }
        self.put("value.conv.weight", "value.norm", conv)?;
        Ok((head, input))
    }

    /// The tower that ends in `at`: blocks, stem, channels.
    fn tower(&mut self, mut at: &'a str) -> Result<(usize, Vec<Stem>, usize), NetError> {
        let mut blocks = Vec::new();
        let stem = loop {
            let sum = self.activated(at)?;
            let Some((skip, second)) = self.skip(sum)? else { break sum };
            let second = self.layer(second, "Conv")?;
            let first = self.activated(second.input)?;
            let first = self.layer(first, "Conv")?;
            if !self.same(first.input, skip) {
                return odd(format!("{} does not begin where its block's sum does", first.title));
            }
            blocks.push([first, second]);
            if blocks.len() > BLOCKS_MAX {
                return odd(format!("more than {BLOCKS_MAX} blocks"));
            }
            at = skip;
        };
        let count = blocks.len();
        for (block, layers) in blocks.into_iter().rev().enumerate() {
            for (half, layer) in layers.into_iter().enumerate() {
                let half = half + 1;
                self.put(&format!("block.{block}.conv{half}.weight"), &format!("block.{block}.norm{half}"), layer)?;
            }
        }
        let (stem, channels) = self.stem(stem)?;
        Ok((count, stem, channels))
    }

    /// If `sum` adds an activated value to something else: both.
    fn skip(&self, sum: &'a str) -> Result<Option<(&'a str, &'a str)>, NetError> {
        let Ok(node) = self.graph.maker(sum) else { return Ok(None) };
        if node.kind != "Add" {
            return Ok(None);
        }
        let (a, b) = (node.input(0)?, node.input(1)?);
        Ok(match (self.activation(a)?, self.activation(b)?) {
            (_, Some(_)) => Some((b, a)),
            (Some(_), None) => Some((a, b)),
            (None, None) => None,
        })
    }

    /// The convolutions of the inputs whose sum is `name`, perhaps behind a batch norm.
    fn stem(&mut self, name: &'a str) -> Result<(Vec<Stem>, usize), NetError> {
        let node = self.node(name, "Conv")?;
        let (norm, sum) = match node.kind {
            "BatchNormalization" => (Some(self.norm(node)?), node.input(0)?),
            _ => (None, name),
        };
        let (mut open, mut layers) = (vec![sum], Vec::new());
        while let Some(name) = open.pop() {
            let node = self.node(name, "Conv")?;
            if node.kind == "Add" && open.len() < STEMS_MAX {
                open.extend([node.input(1)?, node.input(0)?]);
                // A graph in a circle never comes to its leaves.
                if open.len() + layers.len() > STEMS_MAX {
                    return odd(format!("more than {STEMS_MAX} convolutions before the first block"));
                }
                continue;
            }
            layers.push(self.plain_layer(node, "Conv")?);
        }
        let source = |layer: &Layer<'a>| match self.graph.maker(layer.input) {
            Err(name) => self.graph.inputs.iter().position(|(input, _)| *input == name),
            Ok(_) => None,
        };
        let mut planes = vec![0; self.graph.inputs.len()];
        for layer in &layers {
            let Some(input) = source(layer) else { return odd(format!("{} does not read an input", layer.title)) };
            planes[input] = layer.weight.shape[1];
        }
        let (mut stems, mut bias) = (Vec::new(), None::<Vec<f32>>);
        let channels = layers.first().map_or(0, |layer| layer.weight.shape[0]);
        for (index, layer) in layers.iter().enumerate() {
            let input = source(layer).unwrap_or(0);
            let shape = &layer.weight.shape;
            stems.push(Stem { first: planes[..input].iter().sum(), planes: shape[1], kernel: shape[2] });
            if let Some(own) = &layer.bias {
                let sum = bias.get_or_insert_with(|| vec![0.0; own.data.len()]);
                sum.iter_mut().zip(&own.data).for_each(|(sum, own)| *sum += own);
            }
            self.tensors.insert(format!("stem.{index}.weight"), layer.weight.clone());
        }
        let bias = bias.map(|data| Tensor { shape: vec![data.len()], data });
        self.put_norm("stem.norm", channels, bias, norm, "the stem")?;
        Ok((stems, channels))
    }

    /// Keeps a convolution and its norm.
    fn put(&mut self, conv: &str, name: &str, layer: Layer<'a>) -> Result<(), NetError> {
        let channels = layer.weight.shape[0];
        self.put_norm(name, channels, layer.bias, layer.norm, &layer.title)?;
        self.tensors.insert(conv.to_owned(), layer.weight);
        Ok(())
    }

    /// Keeps a norm. One that was folded away comes back as one that only adds the bias.
    fn put_norm(
        &mut self,
        name: &str,
        channels: usize,
        bias: Option<Tensor>,
        norm: Option<Norm>,
        title: &str,
    ) -> Result<(), NetError> {
        let bias = bias.map_or_else(|| vec![0.0; channels], |bias| bias.data);
        let norm = norm.unwrap_or_else(|| {
            let fill = |number: f32| Tensor::filled(&[channels], number);
            Norm { parts: [fill(1.0), fill(0.0), fill(0.0), fill(1.0 - self.epsilon)], epsilon: self.epsilon }
        });
        let fits = |numbers: &[f32]| numbers.len() == channels;
        if !fits(&bias) || !norm.parts.iter().all(|part| fits(&part.data)) {
            return odd(format!("{title} has {channels} channels, its bias or batch norm has others"));
        }
        let [gamma, beta, mut mean, mut variance] = norm.parts;
        mean.data.iter_mut().zip(&bias).for_each(|(mean, bias)| *mean -= bias);
        variance.data.iter_mut().for_each(|variance| *variance += norm.epsilon - self.epsilon);
        for (part, tensor) in [("gamma", gamma), ("beta", beta), ("mean", mean), ("variance", variance)] {
            self.tensors.insert(format!("{name}.{part}"), Tensor { shape: vec![channels], data: tensor.data });
        }
        Ok(())
    }
}

/// A name that fits a message.
fn short(name: &str) -> String {
    name.chars().take(60).collect()
}
