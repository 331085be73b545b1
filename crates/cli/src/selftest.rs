//! `tesuji selftest`: the transcript of what our rules say, compared with others', and the invariants that every position keeps.

use crate::{
    games,
    request::refused,
    variant::{FLAG as VARIANT_FLAG, VariantArgs},
};
use anyhow::bail;
use std::{io::Write, path::PathBuf, process::ExitCode};
use tesuji_jobs::terminal::Stdout;
use tesuji_kit::{Kit, SelftestRequest, rules_test::SelftestNews};

/// Arguments of `tesuji selftest`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji selftest chess crates/chess/data/selftest.fen > transcript.txt\n  \
    tesuji selftest chess boards.fen.zst --expect expected.txt.zst\n  \
    tesuji selftest chess --games 20 --seed 1 --engine stockfish\n  \
    tesuji selftest shogi --games 20 --seed 1 --engine fairy-stockfish\n  \
    tesuji selftest go\n  \
    tesuji selftest go --games 8 --engine 'gnugo --mode gtp --chinese-rules'\n\n\
    The guide for authors of other engines is docs/selftest.md.\n\
    Exit codes: 0 all alike, 1 a difference or a broken invariant, 2 wrong usage or input.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_parser = games::parser())]
    game: String,
    /// Positions, one FEN or SFEN a line; blank lines and # comments are left out (.zst and .gz are read; - is stdin)
    file: Option<PathBuf>,
    /// Take the positions of this many random games instead of a file
    #[arg(long, value_name = "N", conflicts_with = "file")]
    games: Option<u64>,
    /// Seed of the random games
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Compare with this transcript instead of printing ours
    #[arg(long, value_name = "FILE")]
    expect: Option<PathBuf>,
    /// Compare moves and perft counts with a UCI or USI engine that knows `go perft N`; in go, legal moves and prisoners with one
    /// that knows GNU Go's `all_legal`
    #[arg(long, value_name = "CMD", conflicts_with = "expect")]
    engine: Option<String>,
    /// Print our own set of positions: edge cases by name and random games
    #[arg(long, conflicts_with_all = ["file", "games", "expect", "engine"])]
    make: bool,
    /// The number of positions that --make makes
    #[arg(long, default_value_t = 3000, value_name = "N", requires = "make")]
    positions: usize,
    /// Deepest dump (perft with --engine), in plies
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=6), value_name = "D")]
    depth: u32,
    /// Chess: show and hash the squares that each side attacks
    #[arg(long)]
    heatmaps: bool,
    #[command(flatten)]
    variant: VariantArgs,
    /// Leave out the invariants that every position and its children are checked against
    #[arg(long, alias = "no-laws")]
    no_invariants: bool,
    /// Threads (0: one for each core)
    #[arg(long, short, default_value_t = 0, value_name = "N")]
    jobs: usize,
}

/// The flags of fields that are called otherwise.
const FLAGS: [(&str, &str); 2] = [("attacks", "heatmaps"), ("rules", VARIANT_FLAG)];

impl Args {
    /// The request that these are.
    ///
    /// # Errors
    /// When something is asked for that the game does not have.
    fn request(self, kit: &dyn Kit) -> anyhow::Result<SelftestRequest> {
        let can = kit.rules_test().abilities();
        let is_of_file = self.file.is_some() || self.expect.is_some() || self.make;
        if !can.transcripts && (is_of_file || self.heatmaps || self.variant.is_given()) {
            bail!("the selftest of {} takes --games, --seed and --engine", kit.name());
        }
        let rules = self.variant.rules(kit)?.unwrap_or_default();
        if self.heatmaps && !can.attacks {
            bail!("--heatmaps is for {}", games::with(|kit| kit.rules_test().abilities().attacks).join(" and "));
        }
        if can.transcripts && self.file.is_none() && self.games.is_none() && !self.make {
            bail!("give a file of positions, --games N or --make");
        }
        Ok(SelftestRequest {
            game: kit.name().to_string(),
            file: self.file,
            games: self.games,
            seed: self.seed,
            expect: self.expect,
            engine: self.engine,
            make: self.make.then_some(self.positions),
            depth: self.depth,
            attacks: self.heatmaps,
            rules: rules.to_string(),
            invariants: !self.no_invariants,
            jobs: self.jobs,
            ..SelftestRequest::default()
        })
    }
}

/// Runs the selftest.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    let request = args.request(kit)?;
    let mut news = |news: SelftestNews<'_>| {
        match news {
            SelftestNews::Text(text) => Stdout.write_all(text.as_bytes())?,
            SelftestNews::Legal { size, found, .. } => println!("legal boards {size}: {found}"),
        }
        Ok(())
    };
    let tested = kit.rules_test().selftest(&request, &mut news).map_err(|error| refused(error, &FLAGS))?;
    Stdout.flush()?;
    let told = tested.told(&request);
    print!("{}", told.found);
    eprint!("{}", told.beside);
    Ok(ExitCode::from(u8::from(told.is_fault)))
}
