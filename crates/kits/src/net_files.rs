//! Files of networks, ours and those of other programs in ONNX.

use crate::{encodings, foreign_encoding, net_file};
use anyhow::{Context, bail};
use std::{io::Read, path::Path};
use tesuji_jobs::open_limited;
use tesuji_nn::{ForeignNet, Weights};

/// The longest file of a network, in bytes, unpacked: it is held in memory.
const NET_BYTES_MAX: u64 = 4 << 30;

/// Whether bytes are a safetensors file rather than something else: its header begins at byte 8.
fn is_safetensors(bytes: &[u8]) -> bool {
    bytes.get(8) == Some(&b'{')
}

/// The bytes of a file, unpacked if it is packed.
///
/// # Errors
/// Those of the file system.
pub fn read_packed(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_limited(path, NET_BYTES_MAX)?.read_to_end(&mut bytes).with_context(|| path.display().to_string())?;
    Ok(bytes)
}

/// Reads a net of either form, or one that comes with the program.
///
/// # Errors
/// When the file cannot be read or is no net.
pub fn read_net(path: &Path) -> anyhow::Result<Weights> {
    let bytes = match path.exists() {
        true => read_packed(path)?.into(),
        false => net_file(&path.display().to_string())?,
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let weights = if name.contains(".onnx") && !is_safetensors(&bytes) {
        net_from_onnx(&bytes, None)
    } else {
        Weights::read(&bytes).map_err(Into::into)
    };
    weights.with_context(|| path.display().to_string())
}

/// Reads a model of KataGo; `None` where the file is none.
///
/// # Errors
/// When the file cannot be read, or the model is wrong.
pub fn read_foreign_net(path: &Path) -> anyhow::Result<Option<ForeignNet>> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = read_packed(path)?;
    let read = ForeignNet::is_model(&bytes).then(|| ForeignNet::read(&bytes));
    read.transpose().with_context(|| path.display().to_string())
}

/// A net out of ONNX, with features by name or by the number of its planes.
///
/// # Errors
/// When it has another shape, or planes that no features have.
pub fn net_from_onnx(bytes: &[u8], features: Option<&str>) -> anyhow::Result<Weights> {
    let mut weights = Weights::from_onnx(bytes, features.unwrap_or_default())?;
    let planes = weights.architecture.planes;
    // Our own exports say it.
    let said = weights.origin.remove("features");
    if let Some(name) = features.map(str::to_owned).or(said) {
        weights.architecture.features = name;
    } else {
        let Some(known) = foreign_encoding(planes) else {
            bail!("no features of dlshogi have {planes} planes: name them with --features")
        };
        weights.architecture.features = known.to_owned();
    }
    let features = &weights.architecture.features;
    if let Some(known) = encodings().into_iter().find(|known| known.name == *features && known.planes != planes) {
        bail!("the net reads {planes} planes, the features {} have {}", known.name, known.planes);
    }
    Ok(weights)
}
