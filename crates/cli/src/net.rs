//! `tesuji net`: files of networks shown, converted from and to ONNX, averaged, made, and timed.

mod nnue;
mod speed;

use crate::games::{self, net_from_onnx, read_foreign_net, read_net, read_packed};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tesuji_jobs::AtomicFile;
use tesuji_kit::check_new_output;
use tesuji_nn::{Architecture, Weights};
use tesuji_report::nets;

/// Show, convert, average and time networks
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji net new go-4x32 --features go-1 --size 9 --out empty.safetensors\n  \
    tesuji net show net.safetensors\n  \
    tesuji net export net.safetensors --out net.onnx\n  \
    tesuji net import model.onnx --out shogi.safetensors\n  \
    tesuji net average 10.safetensors 11.safetensors 12.safetensors --out mean.safetensors\n  \
    tesuji net blend old.safetensors new.safetensors --ratio 0.25 --out mixed.safetensors\n  \
    tesuji net bench go-6x64 --batch 8\n  \
    tesuji net new chess-768x256 --out empty.nnue\n  \
    tesuji net bench empty.nnue\n  \
    tesuji net export empty.nnue --format raw --out empty.bin\n  \
    tesuji net import empty.bin --net chess-768x256 --out again.nnue\n\n\
    A net is a safetensors file of ours, an efficiently updatable network (NNUE) or, to read, ONNX of dlshogi's shape; models of KataGo\n\
    (.bin.gz, .txt.gz) are shown and timed.")]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Say what a net is and where it came from
    Show(Show),
    /// Write a net for other programs: as ONNX, efficiently updatable networks in raw integers or another program's format
    Export(Export),
    /// Make a net of ours from ONNX of dlshogi's shape (residual nets), or an efficiently updatable network of another program
    Import(Import),
    /// The mean of several nets of one shape
    Average(Average),
    /// Mix two nets of one shape
    Blend(Blend),
    /// Make a net that knows nothing, to be trained
    New(New),
    /// Measure positions per second, after a comparison with the plain kernels
    Bench(speed::Bench),
}

#[derive(clap::Args)]
struct Show {
    /// The net
    file: PathBuf,
    /// List all tensors too: name, shape, mean and deviation
    #[arg(long)]
    tensors: bool,
    /// Print JSON
    #[arg(long, conflicts_with = "tensors")]
    json: bool,
}

#[derive(clap::Args)]
struct Export {
    /// The net
    file: PathBuf,
    /// The file for the ONNX model, or the other file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// For efficiently updatable networks: raw (integers as bullet writes them) or the name of a program [default: raw]
    #[arg(long, value_name = "NAME")]
    format: Option<String>,
}

#[derive(clap::Args)]
struct Import {
    /// The ONNX model, or the file of another program
    file: PathBuf,
    /// The file for the net
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// The features that it was trained on [default: those of dlshogi with this many planes]
    #[arg(long, value_name = "NAME")]
    features: Option<String>,
    /// The file holds the raw integers of an efficiently updatable network of this shape: a name, or a TOML file
    #[arg(long, value_name = "SHAPE", conflicts_with = "features")]
    net: Option<String>,
}

#[derive(clap::Args)]
struct Average {
    /// The nets
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A share for each net, in their order; all the same if there is none
    #[arg(long, value_delimiter = ',', value_name = "N,N,…")]
    shares: Vec<f64>,
    /// The file for the mean
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(clap::Args)]
struct Blend {
    /// A net
    a: PathBuf,
    /// Another net
    b: PathBuf,
    /// Share of B, from 0 to 1
    #[arg(long, value_name = "R")]
    ratio: f64,
    /// The file for the mixture
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(clap::Args)]
struct New {
    /// Family, blocks and channels: go-BxC or dlshogi-BxC; or the shape of an efficiently updatable network, such as chess-768x256,
    /// or its TOML file
    preset: String,
    #[command(flatten)]
    input: Input,
    /// The seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file for the net
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// The input of a preset's net.
#[derive(clap::Args)]
struct Input {
    /// How positions are shown to it [default: go-1 or dlshogi-1]
    #[arg(long, value_name = "NAME")]
    features: Option<String>,
    /// The side of the board [default: 19, shogi 9]
    #[arg(long, value_name = "N")]
    size: Option<usize>,
}

impl Input {
    /// The net that `preset` stands for.
    fn architecture(&self, preset: &str) -> anyhow::Result<Architecture> {
        Ok(games::preset(preset, self.features.as_deref(), self.size)?)
    }
}

impl What {
    /// The file to write, if there is one, and those that are read, as far as what names them is a file.
    fn output(&self) -> Option<(&Path, Vec<&Path>)> {
        Some(match self {
            What::Export(args) => (&args.out, vec![&args.file]),
            What::Import(args) => {
                (&args.out, [&*args.file].into_iter().chain(args.net.as_ref().map(Path::new)).collect())
            }
            What::Average(args) => (&args.out, args.files.iter().map(PathBuf::as_path).collect()),
            What::Blend(args) => (&args.out, vec![&args.a, &args.b]),
            What::New(args) => (&args.out, vec![Path::new(&args.preset)]),
            What::Show(_) | What::Bench(_) => return None,
        })
    }
}

/// Does what was asked for.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let Some((out, read)) = args.what.output() {
        check_new_output(out, read)?;
    }
    match args.what {
        What::Show(args) => show(&args)?,
        What::Export(args) => export(&args)?,
        What::Import(args) => import(&args)?,
        What::Average(args) => average(&args)?,
        What::Blend(args) => blend(&args)?,
        What::New(args) if nnue::shape(&args.preset).is_some() || args.preset.ends_with(".toml") => {
            let network = nnue::random(&nnue::architecture(&args.preset)?, args.seed)?;
            nnue::save(&args.out, &network.write(), &network.architecture)?;
        }
        What::New(args) => {
            let mut weights = Weights::random(args.input.architecture(&args.preset)?, args.seed);
            weights.origin.insert("made".into(), format!("random numbers, seed {}", args.seed));
            save(&args.out, &weights.write(), &weights)?;
        }
        What::Bench(args) => speed::run(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file and says so.
fn save(path: &Path, bytes: &[u8], weights: &Weights) -> anyhow::Result<()> {
    AtomicFile::write(path, bytes)?;
    println!(
        "wrote {}: {}, {} parameters, {} bytes",
        path.display(),
        nets::title(&weights.architecture),
        weights.architecture.parameters(),
        bytes.len()
    );
    Ok(())
}

fn export(args: &Export) -> anyhow::Result<()> {
    if let Some(network) = nnue::read(&args.file)? {
        let bytes = nnue::export(&network, args.format.as_deref())?;
        return nnue::save(&args.out, &bytes, &network.architecture);
    }
    if let Some(format) = &args.format {
        bail!("--format {format}: {} is no efficiently updatable network; it is written as ONNX", args.file.display());
    }
    let weights = read_net(&args.file)?;
    save(&args.out, &weights.to_onnx(), &weights)
}

fn import(args: &Import) -> anyhow::Result<()> {
    if let Some(network) = nnue::import(&args.file, args.net.as_deref())? {
        return nnue::save(&args.out, &network.write(), &network.architecture);
    }
    let bytes = read_packed(&args.file)?;
    let mut weights =
        net_from_onnx(&bytes, args.features.as_deref()).with_context(|| args.file.display().to_string())?;
    let name = args.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    weights.origin.insert("imported from".into(), name);
    save(&args.out, &weights.write(), &weights)
}

fn average(args: &Average) -> anyhow::Result<()> {
    let (files, shares) = (&args.files, &args.shares);
    if !shares.is_empty() && shares.len() != files.len() {
        bail!("--shares: {} numbers for {} nets", shares.len(), files.len());
    }
    let share = |index: usize| shares.get(index).copied().unwrap_or(1.0);
    let names = || files.iter().enumerate().map(|(index, file)| format!("{} of {}", share(index), file.display()));
    let names = || names().collect::<Vec<_>>().join(", ");
    if let Some(first) = nnue::read(&files[0])? {
        let others: Vec<(&Path, f64)> =
            files.iter().enumerate().skip(1).map(|(index, file)| (&**file, share(index))).collect();
        let mut mean = nnue::average(first, &others, share(0))?;
        mean.origin.insert("average".into(), names());
        return nnue::save(&args.out, &mean.write(), &mean.architecture);
    }
    let nets = files.iter().map(|file| read_net(file)).collect::<anyhow::Result<Vec<_>>>()?;
    let parts: Vec<(&Weights, f64)> = nets.iter().enumerate().map(|(index, net)| (net, share(index))).collect();
    let mut mean = Weights::average(&parts)?;
    mean.origin.insert("average".into(), names());
    save(&args.out, &mean.write(), &mean)
}

fn blend(args: &Blend) -> anyhow::Result<()> {
    let Blend { a, b, ratio, out } = args;
    if !(0.0..=1.0).contains(ratio) {
        bail!("--ratio {ratio}: expected a number from 0 (all of {}) to 1 (all of {})", a.display(), b.display());
    }
    let from = format!("{ratio} of {}, the rest of {}", b.display(), a.display());
    if let Some(first) = nnue::read(a)? {
        let mut mixed = nnue::average(first, &[(b, *ratio)], 1.0 - ratio)?;
        mixed.origin.insert("blend".into(), from);
        return nnue::save(out, &mixed.write(), &mixed.architecture);
    }
    let (first, second) = (read_net(a)?, read_net(b)?);
    let both = [(&first, 1.0 - ratio), (&second, *ratio)];
    let parts: Vec<(&Weights, f64)> = both.into_iter().filter(|(_, share)| *share > 0.0).collect();
    if first.architecture != second.architecture {
        bail!("{} and {} are nets of different shapes", a.display(), b.display());
    }
    let mut mixed = Weights::average(&parts)?;
    mixed.origin.insert("blend".into(), from);
    save(out, &mixed.write(), &mixed)
}

fn show(args: &Show) -> anyhow::Result<()> {
    if let Some(network) = nnue::read(&args.file)? {
        return nnue::show(&network, args.tensors, args.json);
    }
    if let Some(net) = read_foreign_net(&args.file)? {
        print!("{}", nets::foreign(&net, args.json));
        return Ok(());
    }
    let weights = read_net(&args.file)?;
    let net = &weights.architecture;
    if args.json {
        let text = serde_json::json!({
            "architecture": net, "origin": weights.origin, "parameters": net.parameters(),
            "operations": net.operations(net.height, net.width),
        });
        println!("{}", serde_json::to_string_pretty(&text)?);
        return Ok(());
    }
    print!("{}", nets::residual(&weights, args.tensors));
    Ok(())
}
