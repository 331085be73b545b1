//! Descriptions of networks, tensor by tensor where that is asked for, and their speed, as text.

use std::fmt::Write as _;
use tesuji_kit::nnue::NnueSpeed;
use tesuji_nn::nnue::{Activation as NnueActivation, Architecture as NnueArchitecture, FloatWeights, Network};
use tesuji_nn::{Activation, Architecture, ForeignNet, Pooling, Squash, Weights};

/// Blocks, channels and features in a few words.
pub fn title(net: &Architecture) -> String {
    format!("{} blocks of {} channels over {} ({} planes)", net.blocks, net.channels, net.features, net.planes)
}

/// Lines that say what a residual net is and where it came from; with a line for each tensor where `tensors` is set.
pub fn residual(weights: &Weights, tensors: bool) -> String {
    let net = &weights.architecture;
    let mut out = String::new();
    for (name, text) in facts(net) {
        let _ = writeln!(out, "{name:11} {text}");
    }
    for (name, text) in &weights.origin {
        let _ = writeln!(out, "origin      {name}: {text}");
    }
    if tensors {
        for (name, shape) in net.tensors() {
            let numbers = weights.numbers(&name);
            let count = numbers.len().max(1) as f64;
            let mean = numbers.iter().map(|&number| f64::from(number)).sum::<f64>() / count;
            let square = numbers.iter().map(|&number| (f64::from(number) - mean).powi(2)).sum::<f64>() / count;
            let sides = shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
            let _ = writeln!(out, "tensor      {name:24} {sides:16} mean {mean:.4}, deviation {:.4}", square.sqrt());
        }
    }
    out
}

/// Lines that say what a network of KataGo is, or JSON.
pub fn foreign(net: &ForeignNet, as_json: bool) -> String {
    let shape = net.architecture();
    let operations = net.operations(shape.height, shape.width);
    if as_json {
        let text = serde_json::json!({
            "format": net.program(), "name": net.name(), "version": net.version(), "features": shape.features,
            "channels": shape.channels, "blocks": net.blocks(), "parameters": net.parameters(), "operations": operations,
        });
        return format!("{text:#}\n");
    }
    let facts = [
        ("format", format!("{}, version {}", net.program(), net.version())),
        ("name", net.name().to_owned()),
        ("features", format!("{}, {} planes, of which 19 are the same everywhere", shape.features, shape.planes)),
        ("board", "any size".to_owned()),
        ("tower", format!("{} channels: {}", shape.channels, net.blocks())),
        ("heads", "policy, result, score, ownership".to_owned()),
        ("parameters", net.parameters().to_string()),
        ("work", format!("{:.1} million operations for a position of 19x19", operations as f64 * 1e-6)),
    ];
    facts.iter().map(|(name, text)| format!("{name:11} {text}\n")).collect()
}

/// The facts of an architecture, as names and values.
fn facts(net: &Architecture) -> Vec<(&'static str, String)> {
    let stem = net.stem.iter().map(|stem| {
        let last = stem.first + stem.planes - 1;
        format!("{0}x{0} over planes {1} to {last}", stem.kernel, stem.first)
    });
    let activation = if net.activation == Activation::Relu { "ReLU" } else { "Swish" };
    let bias = if net.policy.bias_per_action { "a bias per action" } else { "a bias per plane" };
    let pass = if net.policy.pass { ", a pass" } else { "" };
    let pool = if net.value.pool == Pooling::Flat { "all points" } else { "means and maxima" };
    let squash = if net.value.squash == Squash::Tanh { "tanh" } else { "sigmoid" };
    let size = if net.any_size() { "runs on any size" } else { "this size only" };
    let mut heads = vec!["policy", "value"];
    heads.extend([(net.ownership, "ownership"), (net.score, "score")].iter().filter(|head| head.0).map(|head| head.1));
    let (height, width) = (net.height, net.width);
    vec![
        ("features", format!("{}, {} planes", net.features, net.planes)),
        ("board", format!("{height}x{width}, {size}")),
        ("stem", stem.collect::<Vec<_>>().join(" + ")),
        ("tower", format!("{} blocks of {} channels, {activation}", net.blocks, net.channels)),
        ("heads", heads.join(", ")),
        ("policy", format!("{} actions: {} planes{pass}, {bias}", net.actions(height, width), net.policy.planes)),
        ("value", format!("{} planes, {pool}, {} hidden units, {squash}", net.value.planes, net.value.hidden)),
        ("parameters", net.parameters().to_string()),
        ("work", format!("{:.1} million operations for a position", net.operations(height, width) as f64 * 1e-6)),
    ]
}

/// Inputs, widths and outputs of an efficiently updatable network in a few words.
pub fn layers(net: &NnueArchitecture) -> String {
    let hidden: String = net.hidden.iter().map(|outputs| format!(" -> {outputs}")).collect();
    format!("{} ({}) -> {} x 2{hidden} -> {}", net.features.inputs, net.features.set, net.width, net.output_buckets)
}

/// Lines that say what an efficiently updatable network is and where it came from; with a line for each tensor where `tensors`
/// is set.
pub fn nnue(network: &Network, tensors: bool) -> String {
    let net = &network.architecture;
    let activation = match net.activation {
        NnueActivation::Crelu => "clipped ReLU",
        NnueActivation::Screlu => "squared clipped ReLU",
        NnueActivation::Pairwise => "products of pairs of clipped ReLU",
    };
    let factors = net.quantisation;
    let buckets = match net.output_buckets {
        1 => "1".to_owned(),
        count => format!("{count}, by the number of pieces"),
    };
    let mut facts = vec![
        ("name", net.name.clone()),
        ("game", net.game.clone()),
        (
            "inputs",
            format!("{}, {}, at most {} at once", net.features.inputs, net.features.set, net.features.active_max),
        ),
        ("layers", layers(net)),
        ("activation", activation.to_owned()),
        ("buckets", buckets),
        ("scale", format!("{} centipawns", net.scale)),
        (
            "integers",
            format!("1.0 is {} in accumulators, {} in weights of the last layer", factors.input, factors.output),
        ),
        ("parameters", net.parameters().to_string()),
    ];
    if !net.hidden.is_empty() {
        facts.insert(8, ("", format!("and {} in weights of hidden layers", factors.hidden)));
    }
    if !net.base.is_none() {
        facts.push(("base", format!("the hand-made evaluation, {} bytes of weights", network.base.len())));
    }
    let mut out = String::new();
    for (name, text) in facts {
        let _ = writeln!(out, "{name:11} {text}");
    }
    for (name, text) in &network.origin {
        let _ = writeln!(out, "origin      {name}: {text}");
    }
    if tensors {
        write_tensors(&mut out, network);
    }
    out
}

fn write_tensors(out: &mut String, network: &Network) {
    let mut narrow = |name: &str, shape: &[usize], numbers: &mut dyn Iterator<Item = i32>| {
        let (mut count, mut sum, mut square, mut least, mut most) = (0f64, 0f64, 0f64, i32::MAX, i32::MIN);
        for number in numbers {
            count += 1.0;
            sum += f64::from(number);
            square += f64::from(number).powi(2);
            (least, most) = (least.min(number), most.max(number));
        }
        let (mean, sides) = (sum / count, shape.iter().map(usize::to_string).collect::<Vec<_>>().join("x"));
        let deviation = (square / count - mean * mean).max(0.0).sqrt();
        let _ = writeln!(
            out,
            "tensor      {name:24} {sides:16} {least} to {most}, mean {mean:.2}, deviation {deviation:.2}"
        );
    };
    let shapes = FloatWeights::tensor_shapes(&network.architecture);
    let mut all: Vec<Box<dyn Iterator<Item = i32> + '_>> = vec![
        Box::new(network.features.iter().map(|&number| i32::from(number))),
        Box::new(network.bias.iter().map(|&number| i32::from(number))),
    ];
    for layer in network.buckets.iter().flatten() {
        all.push(Box::new(layer.weights.iter().map(|&number| i32::from(number))));
        all.push(Box::new(layer.bias.iter().copied()));
    }
    for ((name, shape), mut numbers) in shapes.into_iter().zip(all) {
        narrow(&name, &shape, &mut numbers);
    }
}

/// The speed of an efficiently updatable network, without the end of the line.
pub fn nnue_speed(net: &NnueArchitecture, speed: &NnueSpeed) -> String {
    let base = if net.base.is_none() { "" } else { "; the hand-made evaluation that it corrects is not timed" };
    format!(
        "{}, {:?}: {:.1} ns an evaluation with its update, {:.1} ns afresh (refresh table), {:.1} ns the output alone; \
         {:.1} % of accumulators updated, equal to plain kernels at {} positions of random games{base}",
        layers(net),
        speed.isa(),
        speed.update_ns,
        speed.refresh_ns,
        speed.output_ns,
        100.0 * speed.forward,
        speed.positions
    )
}
