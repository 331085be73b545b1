//! A net of ours as an ONNX model.

use super::wire::Message;
use crate::{Activation, Architecture, Pooling, Squash, Stem, Weights};

/// IR 8 and opset 17: what ONNX 1.12 (2022) and everything since reads.
const IR: i64 = 8;
const OPSET: i64 = 17;
const FLOAT: i64 = 1;

/// A graph being written.
struct Graph<'a> {
    weights: &'a Weights,
    nodes: Vec<Message>,
    constants: Vec<Message>,
}

/// The bytes of the model.
pub fn model(weights: &Weights) -> Vec<u8> {
    let architecture = &weights.architecture;
    let mut graph = Graph { weights, nodes: Vec::new(), constants: Vec::new() };
    let ranges = ranges(architecture);
    let tower = graph.tower(&ranges);
    let mut outputs = vec![graph.policy(&tower)];
    let hidden = graph.value(&tower, &mut outputs);
    if architecture.ownership {
        let logits = graph.convolve("ownership", &tower, Some("ownership.bias"));
        let own = graph.node("Tanh", "ownership.tanh", &[&logits], &[]);
        graph.named("Flatten", "output_ownership", &[&own], &[]);
        outputs.push(("output_ownership", own_points(architecture)));
    }
    if architecture.score {
        graph.gemm("score", &hidden, Some("output_score"));
        outputs.push(("output_score", Some(1)));
    }
    let (height, width) = (architecture.height, architecture.width);
    let board = |number: usize, name: &str| {
        let dimension = Message::default();
        if architecture.any_size() { dimension.text(2, name) } else { dimension.number(1, number as i64) }
    };
    let input = |(name, stem): &(String, Stem)| {
        let channels = Message::default().number(1, stem.planes as i64);
        value_info(name, &[batch(), channels, board(height, "height"), board(width, "width")])
    };
    let output = |(name, length): &(&str, Option<usize>)| {
        let length = match length {
            Some(length) => Message::default().number(1, *length as i64),
            None => Message::default().text(2, &format!("{name}_length")),
        };
        value_info(name, &[batch(), length])
    };
    let message = Message::default()
        .messages(1, &graph.nodes)
        .text(2, "tesuji")
        .messages(5, &graph.constants)
        .messages(11, &ranges.iter().map(input).collect::<Vec<_>>())
        .messages(12, &outputs.iter().map(output).collect::<Vec<_>>());
    let property = |(key, text): (&String, &String)| Message::default().text(1, key).text(2, text);
    let mut origin = weights.origin.clone();
    origin.insert("features".into(), architecture.features.clone());
    Message::default()
        .number(1, IR)
        .text(2, "tesuji")
        .message(7, &message)
        .message(8, &Message::default().text(1, "").number(2, OPSET))
        .messages(14, &origin.iter().map(property).collect::<Vec<_>>())
        .0
}

/// The ranges of planes that the stem reads, each an input of its own.
fn ranges(architecture: &Architecture) -> Vec<(String, Stem)> {
    let mut ranges: Vec<Stem> = Vec::new();
    for stem in &architecture.stem {
        if !ranges.iter().any(|other| (other.first, other.planes) == (stem.first, stem.planes)) {
            ranges.push(*stem);
        }
    }
    ranges.sort_by_key(|stem| stem.first);
    let one = ranges.len() == 1;
    let name = |index: usize| if one { "input".to_owned() } else { format!("input{}", index + 1) };
    ranges.into_iter().enumerate().map(|(index, stem)| (name(index), stem)).collect()
}

fn own_points(architecture: &Architecture) -> Option<usize> {
    (!architecture.any_size()).then_some(architecture.height * architecture.width)
}

fn batch() -> Message {
    Message::default().text(2, "batch_size")
}

fn value_info(name: &str, dimensions: &[Message]) -> Message {
    let shape = Message::default().messages(1, dimensions);
    let kind = Message::default().message(1, &Message::default().number(1, FLOAT).message(2, &shape));
    Message::default().text(1, name).message(2, &kind)
}

/// Attributes of nodes, with their kinds.
fn float(name: &str, number: f32) -> Message {
    Message::default().text(1, name).float(2, number).number(20, 1)
}

fn number(name: &str, number: i64) -> Message {
    Message::default().text(1, name).number(3, number).number(20, 2)
}

fn numbers(name: &str, numbers: &[i64]) -> Message {
    numbers.iter().fold(Message::default().text(1, name), |all, &number| all.number(8, number)).number(20, 7)
}

impl Graph<'_> {
    /// Adds an operation that makes `name`, from values and constants.
    fn named(&mut self, kind: &str, name: &str, inputs: &[&str], attributes: &[Message]) {
        let node = inputs.iter().fold(Message::default(), |node, input| node.text(1, input));
        self.nodes.push(node.text(2, name).text(3, &format!("node.{name}")).text(4, kind).messages(5, attributes));
    }

    fn node(&mut self, kind: &str, name: &str, inputs: &[&str], attributes: &[Message]) -> String {
        self.named(kind, name, inputs, attributes);
        name.to_owned()
    }

    /// Makes a tensor of the net a constant.
    fn constant<'n>(&mut self, name: &'n str) -> &'n str {
        let tensor = &self.weights.tensors[name];
        let bytes: Vec<u8> = tensor.data.iter().flat_map(|number| number.to_le_bytes()).collect();
        let sides = tensor.shape.iter().fold(Message::default(), |all, &side| all.number(1, side as i64));
        self.constants.push(sides.number(2, FLOAT).text(8, name).bytes(9, &bytes));
        name
    }

    fn convolve(&mut self, name: &str, input: &str, bias: Option<&str>) -> String {
        let weight = format!("{name}.weight");
        let side = self.weights.tensors[&weight].shape[2] as i64;
        let mut inputs = vec![input, self.constant(&weight)];
        if let Some(bias) = bias {
            inputs.push(self.constant(bias));
        }
        let attributes = [numbers("kernel_shape", &[side; 2]), numbers("pads", &[side / 2; 4])];
        self.node("Conv", name, &inputs, &attributes)
    }

    fn norm(&mut self, name: &str, input: &str) -> String {
        let parts = ["gamma", "beta", "mean", "variance"].map(|part| format!("{name}.{part}"));
        let mut inputs = vec![input];
        for part in &parts {
            inputs.push(self.constant(part));
        }
        self.node("BatchNormalization", name, &inputs, &[float("epsilon", self.weights.architecture.epsilon)])
    }

    fn activate(&mut self, input: &str) -> String {
        match self.weights.architecture.activation {
            Activation::Relu => self.node("Relu", &format!("{input}.relu"), &[input], &[]),
            Activation::Swish => {
                let gate = self.node("Sigmoid", &format!("{input}.sigmoid"), &[input], &[]);
                self.node("Mul", &format!("{input}.swish"), &[input, &gate], &[])
            }
        }
    }

    /// A linear layer, whose output has its name or another.
    fn gemm(&mut self, name: &str, input: &str, output: Option<&str>) -> String {
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let inputs = [input, self.constant(&weight), self.constant(&bias)];
        self.node("Gemm", output.unwrap_or(name), &inputs, &[number("transB", 1)])
    }

    fn tower(&mut self, ranges: &[(String, Stem)]) -> String {
        let architecture = self.weights.architecture.clone();
        let mut sum: Option<String> = None;
        for (index, stem) in architecture.stem.iter().enumerate() {
            let same = |(_, range): &&(String, Stem)| (range.first, range.planes) == (stem.first, stem.planes);
            let input = ranges.iter().find(same).map_or("input", |(name, _)| name);
            let part = self.convolve(&format!("stem.{index}"), input, None);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.node("Add", &format!("stem.sum{index}"), &[&sum, &part], &[]),
            });
        }
        let norm = self.norm("stem.norm", &sum.unwrap_or_default());
        let mut tower = self.activate(&norm);
        for block in 0..architecture.blocks {
            let name = |part: &str| format!("block.{block}.{part}");
            let half = self.convolve(&name("conv1"), &tower, None);
            let half = self.norm(&name("norm1"), &half);
            let half = self.activate(&half);
            let half = self.convolve(&name("conv2"), &half, None);
            let half = self.norm(&name("norm2"), &half);
            let sum = self.node("Add", &name("sum"), &[&half, &tower], &[]);
            tower = self.activate(&sum);
        }
        tower
    }

    fn policy(&mut self, tower: &str) -> (&'static str, Option<usize>) {
        const NAME: &str = "output_policy";
        let (architecture, policy) = (&self.weights.architecture, self.weights.architecture.policy);
        let length = (!architecture.any_size()).then(|| architecture.actions(architecture.height, architecture.width));
        let bias = (!policy.bias_per_action).then_some("policy.bias");
        let planes = self.convolve("policy.conv", tower, bias);
        let last = if policy.bias_per_action || policy.pass { "policy.flat" } else { NAME };
        self.named("Flatten", last, &[&planes], &[]);
        let mut flat = last.to_owned();
        if policy.bias_per_action {
            self.constant("policy.bias");
            let name = if policy.pass { "policy.sum" } else { NAME };
            flat = self.node("Add", name, &[&flat, "policy.bias"], &[]);
        }
        if policy.pass {
            let pooled = self.pool("policy.pass", tower);
            let pass = self.gemm("policy.pass", &pooled, None);
            self.named("Concat", NAME, &[&flat, &pass], &[number("axis", 1)]);
        }
        (NAME, length)
    }

    /// Means, then maxima, as a vector.
    fn pool(&mut self, name: &str, input: &str) -> String {
        let mean = self.node("GlobalAveragePool", &format!("{name}.mean"), &[input], &[]);
        let most = self.node("GlobalMaxPool", &format!("{name}.maximum"), &[input], &[]);
        let both = self.node("Concat", &format!("{name}.pooled"), &[&mean, &most], &[number("axis", 1)]);
        self.node("Flatten", &format!("{name}.flat"), &[&both], &[])
    }

    /// Adds the value; the hidden layer.
    fn value(&mut self, tower: &str, outputs: &mut Vec<(&'static str, Option<usize>)>) -> String {
        let head = self.weights.architecture.value;
        let planes = self.convolve("value.conv", tower, None);
        let planes = self.norm("value.norm", &planes);
        let planes = self.activate(&planes);
        let vector = match head.pool {
            Pooling::Flat => self.node("Flatten", "value.flat", &[&planes], &[]),
            Pooling::Global => self.pool("value", &planes),
        };
        let hidden = self.gemm("value.hidden", &vector, None);
        let hidden = self.activate(&hidden);
        let logit = self.gemm("value.output", &hidden, None);
        let squash = if head.squash == Squash::Tanh { "Tanh" } else { "Sigmoid" };
        self.named(squash, "output_value", &[&logit], &[]);
        outputs.push(("output_value", Some(1)));
        hidden
    }
}
