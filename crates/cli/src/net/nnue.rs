//! `tesuji net` for efficiently updatable networks: shown, made, exchanged, averaged and timed.

use crate::games;
use anyhow::{Context, bail};
use std::path::Path;
use tesuji_jobs::AtomicFile;
use tesuji_kit::{
    Kit,
    nnue::{ForeignNnue, NnueNetworks, random_nnue, read_nnue},
};
use tesuji_nn::{
    kernels::Isa,
    nnue::{Architecture, Network},
};
use tesuji_report::nets;

/// The name of the raw quantised layout.
pub(super) const RAW: &str = "raw";

/// All games that have such networks.
fn all() -> Vec<&'static dyn NnueNetworks> {
    games::kits().iter().filter_map(|kit| kit.nnue()).collect()
}

/// Reads a file if it is such a network, ours or another program's.
pub(super) fn read(path: &Path) -> anyhow::Result<Option<Network>> {
    if !path.exists() {
        return Ok(None);
    }
    read_nnue(path, &all())
}

/// Reads a file that must be an efficiently updatable network.
fn read_one(path: &Path) -> anyhow::Result<Network> {
    read(path)?.with_context(|| format!("{}: no efficiently updatable network, as the first net is", path.display()))
}

/// The shape of that name, of any game.
pub(super) fn shape(name: &str) -> Option<Architecture> {
    all().into_iter().find_map(|game| game.shape(name))
}

/// The names of all shapes.
pub(super) fn shapes() -> String {
    let names: Vec<&str> = all().into_iter().flat_map(|game| game.shapes().iter().copied()).collect();
    names.join(", ")
}

/// A network of random numbers, to be trained.
pub(super) fn random(architecture: &Architecture, seed: u64) -> anyhow::Result<Network> {
    Ok(random_nnue(game_of(architecture)?, architecture, seed)?)
}

/// Writes a file and says so.
pub(super) fn save(path: &Path, bytes: &[u8], architecture: &Architecture) -> anyhow::Result<()> {
    AtomicFile::write(path, bytes)?;
    println!(
        "wrote {}: {}, {}, {} parameters, {} bytes",
        path.display(),
        architecture.name,
        nets::layers(architecture),
        architecture.parameters(),
        bytes.len()
    );
    Ok(())
}

/// Says what a network is.
pub(super) fn show(network: &Network, tensors: bool, json: bool) -> anyhow::Result<()> {
    let net = &network.architecture;
    if json {
        let text = serde_json::json!({ "architecture": net, "origin": network.origin, "parameters": net.parameters() });
        println!("{}", serde_json::to_string_pretty(&text)?);
        return Ok(());
    }
    print!("{}", nets::nnue(network, tensors));
    Ok(())
}

/// The bytes of a network in `format`.
pub(super) fn export(network: &Network, format: Option<&str>) -> anyhow::Result<Vec<u8>> {
    match format {
        None | Some(RAW) => Ok(network.to_raw()?),
        Some(name) => {
            let formats: Vec<&ForeignNnue> = all().into_iter().flat_map(NnueNetworks::formats).collect();
            let Some(format) = formats.iter().find(|format| format.name == name) else {
                let known: Vec<&str> = formats.iter().map(|format| format.name).collect();
                bail!("--format {name:?}: expected {RAW} or {}", known.join(" or "))
            };
            Ok((format.write)(network)?)
        }
    }
}

/// A network of `file`, in another program's format, or raw with the shape that is named.
pub(super) fn import(file: &Path, net: Option<&str>) -> anyhow::Result<Option<Network>> {
    let mut network = match net {
        None => match read(file)? {
            Some(network) => network,
            None => return Ok(None),
        },
        Some(name) => {
            let architecture = architecture(name)?;
            let bytes = games::read_packed(file)?;
            Network::from_raw(&architecture, &bytes).with_context(|| file.display().to_string())?
        }
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    network.origin.entry("imported from".into()).and_modify(|from| *from += &format!(" ({name})")).or_insert(name);
    Ok(Some(network))
}

/// A shape by its name, or of a TOML file.
pub(super) fn architecture(name: &str) -> anyhow::Result<Architecture> {
    if let Some(shape) = shape(name) {
        return Ok(shape);
    }
    if !Path::new(name).exists() {
        bail!("{name:?} is neither a file nor one of the shapes {}", shapes());
    }
    let text = tesuji_jobs::read_text_bounded(name.as_ref(), 64 << 10)?;
    let architecture = Architecture::parse(&text).with_context(|| name.to_owned())?;
    game_of(&architecture)?.expect(&architecture).with_context(|| name.to_owned())?;
    Ok(architecture)
}

/// The game of a network, which must be able to play it.
fn game_of(architecture: &Architecture) -> anyhow::Result<&'static dyn NnueNetworks> {
    let kit: &dyn Kit = games::kit(&architecture.game)?;
    let game = kit.nnue().with_context(|| format!("{} has no networks of this kind", kit.name()))?;
    Ok(game)
}

/// The mean of networks, each with its share; `first` is the first of them.
pub(super) fn average(first: Network, others: &[(&Path, f64)], share: f64) -> anyhow::Result<Network> {
    let mut all = vec![(first, share)];
    for (path, share) in others {
        all.push((read_one(path)?, *share));
    }
    let parts: Vec<(&Network, f64)> =
        all.iter().map(|(network, share)| (network, *share)).filter(|(_, share)| *share > 0.0).collect();
    Ok(Network::average(&parts)?)
}

/// Measures a network.
pub(super) fn bench(network: &Network, kernels: Option<&str>, seconds: f64) -> anyhow::Result<()> {
    let isa = match kernels {
        None => None,
        Some("plain") => Some(Isa::Scalar),
        Some("avx2") => Some(Isa::Avx2),
        Some("avx512") => Some(Isa::Avx512),
        Some(other) => bail!("--kernels {other:?}: expected plain, avx2 or avx512"),
    };
    let speed = game_of(&network.architecture)?.speed(network, isa, seconds)?;
    println!("{}", nets::nnue_speed(&network.architecture, &speed));
    Ok(())
}
