//! `tesuji tree`: the search tree of a position, of any family: printed, as JSON or for Graphviz, saved and opened again.

use crate::{games, request::refused};
use std::{path::PathBuf, process::ExitCode};
use tesuji_jobs::Interrupt;
use tesuji_kit::{
    Pasted, PlayerRequest, check_new_output,
    tree::{TreeRequest, cut_tree, grow_tree, open_tree, save_tree},
};
use tesuji_report::trees;

/// Arguments of `tesuji tree`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji tree chess --moves e2e4 e7e5 --search best-first --nodes 50000\n  \
    tesuji tree chess --position '4k3/8/8/8/8/8/4P3/4K3 w - - 0 1' --plies 3 --dot > tree.dot\n  \
    tesuji tree shogi --search mcts --save tree.json\n  \
    tesuji tree shogi --open tree.json --effort 100\n  \
    tesuji tree chess --search mate --fen '7k/8/5K2/6Q1/8/8/8/8 w - - 0 1'\n\n\
    Values are expected results for the side that moved, -1 to 1; effort counts nodes or visits. Of alpha-beta the last\n\
    iteration is shown, each visit with its depth, window and why it was left; moves left out stand there, too. To look\n\
    further below a node, give the moves that lead to it with --moves: they are searched again with a whole trace.")]
pub(crate) struct Args {
    /// The game
    #[arg(value_name = "GAME", value_parser = games::name_of_opened)]
    game: String,
    /// The position [default: the usual start]
    #[arg(long, visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
    position: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
    /// The rules, in the game's words
    #[arg(long, value_name = "TEXT", default_value = "")]
    rules: String,
    /// Search with this family: alpha-beta, mcts, best-first, mate [default: the best one]
    #[arg(long, value_name = "FAMILY", default_value = "")]
    search: String,
    /// Set all options of the family at once
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// Set an option of the search; NAME as in `tesuji options GAME`
    #[arg(long = "option", alias = "set", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Nodes (playouts) to search [default: 20000 where nothing else limits the search]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Plies to search
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
    /// Seconds to search
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Plies to show
    #[arg(long, value_name = "N", default_value_t = 3)]
    plies: u32,
    /// The most nodes to show or save, those with the most effort first
    #[arg(long, value_name = "N", default_value_t = 1000)]
    show: usize,
    /// The least effort of a node to show or save; moves that were left out have none
    #[arg(long, value_name = "N", default_value_t = 0)]
    effort: u64,
    /// Print JSON
    #[arg(long, conflicts_with = "dot")]
    json: bool,
    /// Print a Graphviz graph
    #[arg(long)]
    dot: bool,
    /// Write the tree to a file that --open reads
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Show a tree that was saved, instead of searching
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "moves", "search", "nodes", "depth", "time", "save"])]
    open: Option<PathBuf>,
}

/// Flags that are not called as the fields of a request.
const FLAGS: [(&str, &str); 2] = [("options", "option"), ("seconds", "time")];

impl Args {
    /// The request that these are.
    fn request(&self) -> TreeRequest {
        TreeRequest {
            version: TreeRequest::VERSION,
            game: self.game.clone(),
            position: self.position.clone().unwrap_or_default().and(&self.moves),
            rules: self.rules.clone(),
            player: PlayerRequest { search: self.search.clone(), oracle: None, options: self.options.clone() },
            preset: self.preset.clone(),
            nodes: self.nodes,
            depth: self.depth,
            seconds: self.time,
            plies: self.plies,
            nodes_kept: self.show,
            effort: self.effort,
        }
    }
}

/// Searches or opens a tree, and shows it.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let kit = games::kit(&args.game)?;
    if let Some(path) = &args.save {
        check_new_output(path, &args.open)?;
    }
    let request = args.request();
    let saved = match &args.open {
        Some(path) => {
            let mut saved = open_tree(kit, path)?;
            saved.tree = cut_tree(&saved.tree, &request.bounds());
            saved
        }
        None => {
            let grown = grow_tree(games::games(), &request, &Interrupt::of_process());
            grown.map_err(|error| refused(error, &FLAGS))?
        }
    };
    if let Some(path) = &args.save {
        save_tree(&saved, path)?;
    }
    let text = match (args.json, args.dot) {
        (true, _) => saved.to_json()? + "\n",
        (_, true) => trees::graphviz(&saved.tree),
        _ => trees::text(&saved),
    };
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}
