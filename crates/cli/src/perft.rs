//! `tesuji perft`: counts the leaves of the move tree, on one thread or many, with a count per root move.

use crate::{games, request::refused, variant::VariantArgs};
use anyhow::bail;
use std::process::ExitCode;
use tesuji_kit::{Kit, Pasted, PerftRequest};
use tesuji_report::perfts;

/// Arguments of `tesuji perft`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji perft chess --depth 6\n  \
    tesuji perft chess --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -' --depth 4 --divide\n  \
    tesuji perft chess --moves e2e4 e7e5 --depth 5 --threads 2 --json\n  \
    tesuji perft shogi --depth 5\n  \
    tesuji perft go --rules '3x3 tromp-taylor' --depth 5\n  \
    tesuji perft go --rules 4x4 --legal")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser())]
    game: String,
    /// The position, as FEN, X-FEN or Shredder-FEN, as SFEN, or as docs/go.md says [default: the start position]
    #[arg(long = "position", visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
    fen: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// Plies
    #[arg(long, short, default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=20), value_name = "N")]
    depth: u32,
    /// The rules: of go size, name, flags [default: 9x9]; of chess chess960 or standard
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Count the boards of go of this size on which every chain has a liberty (up to 16 points)
    #[arg(long)]
    legal: bool,
    /// Show the count below each root move
    #[arg(long)]
    divide: bool,
    #[command(flatten)]
    variant: VariantArgs,
    /// Threads
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=512), value_name = "T")]
    threads: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The request that these are.
    fn request(&self, kit: &dyn Kit) -> anyhow::Result<PerftRequest> {
        // The usual rules of a game whose boards have sizes are of a board too large to count on.
        let usual = if kit.full_rules("")?.is_empty() { "" } else { "9x9" };
        let rules = self.variant.rules(kit)?.or(self.rules.as_deref()).unwrap_or(usual);
        Ok(PerftRequest {
            game: kit.name().to_string(),
            rules: rules.to_string(),
            position: self.fen.clone().unwrap_or_default().and(&self.moves),
            depth: self.depth,
            threads: self.threads,
            ..PerftRequest::default()
        })
    }
}

/// Counts, and prints what was counted.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let tests = kit.rules_test();
    if args.legal && !tests.abilities().legal_positions {
        let counts = games::with(|kit| kit.rules_test().abilities().legal_positions);
        bail!("--legal is for {}", counts.join(" and "));
    }
    let request = args.request(kit)?;
    let wrong = |error| refused(error, &[]);
    if args.legal {
        let legal = tests.legal_positions(&request).map_err(wrong)?;
        println!("size      {}\nlegal     {}", legal.size, legal.count);
        println!("time      {:.3} s", legal.elapsed.as_secs_f64());
        return Ok(ExitCode::SUCCESS);
    }
    let perft = tests.perft(&request).map_err(wrong)?;
    let counted = perfts::Counted { perft: &perft, depth: args.depth, threads: args.threads, divide: args.divide };
    match args.json {
        true => println!("{}", serde_json::to_string_pretty(&counted.json())?),
        false => print!("{}", counted.text()),
    }
    Ok(ExitCode::SUCCESS)
}
