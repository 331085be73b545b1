//! `tesuji book`: opening books of weighted moves: made from games, shown, edited, converted to and from Polyglot's, YaneuraOu's and Apery's.

use crate::games::{self, OpeningBook, convert_book, import_games};
use crate::request::refused;
use crate::skip::SkipArgs;
use anyhow::{Context, bail};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};
use tesuji_book::Book;
use tesuji_jobs::{AtomicFile, Existing, check_output, read_text_bounded};
use tesuji_kit::{Kit, Pasted, check_plain_output};
use tesuji_record::RulesTable;

/// The largest book in text, in bytes.
const BOOK_BYTES_MAX: u64 = 1 << 30;

/// Arguments of `tesuji book`.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
    tesuji book import chess games.pgn --plies 16 --out book.tsv\n  \
    tesuji book show chess book.tsv --moves e2e4 e7e5\n  \
    tesuji book add chess book.tsv --moves e2e4 -- c7c5 20\n  \
    tesuji book show chess komodo.bin --position 'rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1'\n  \
    tesuji book convert shogi book.tsv book.db\n\n\
    A book is text: a position, a move and its weight a line, parted by tabs. Names that end in .bin are Polyglot's in \
    chess and Apery's in shogi; .db is YaneuraOu's. Engines play from all of them: option BookFile.")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

/// A book and a position in it.
#[derive(clap::Args)]
struct BookPosition {
    /// The game
    #[arg(value_name = "GAME")]
    game: String,
    /// The book
    #[arg(value_name = "BOOK")]
    book: PathBuf,
    /// The position [default: the usual start]
    #[arg(long, visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
    position: Option<Pasted>,
    /// Moves to play from there first
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a book from games: a move weighs 2 for each game that its side won, 1 for each drawn or unfinished one
    Import {
        /// The game
        #[arg(value_name = "GAME")]
        game: String,
        /// Games, in a format of the game
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Plies of each game that are taken
        #[arg(long, value_name = "N", default_value_t = 16)]
        plies: usize,
        #[command(flatten)]
        skip: SkipArgs,
        /// The book to write; one that is there is added to, but not by games that it has (--force: by these, too)
        #[arg(long, value_name = "BOOK")]
        out: PathBuf,
    },
    /// Show the moves of a position
    Show {
        #[command(flatten)]
        place: BookPosition,
    },
    /// Write a book in another format, which the name to write tells
    Convert {
        /// The game
        #[arg(value_name = "GAME")]
        game: String,
        /// The book to read
        #[arg(value_name = "FROM")]
        from: PathBuf,
        /// The book to write
        #[arg(value_name = "TO")]
        to: PathBuf,
        /// The first position, in a book that knows positions by keys alone [default: the usual start]
        #[arg(long, visible_aliases = ["fen", "sfen"], value_name = "TEXT")]
        position: Option<Pasted>,
    },
    /// Add weight to a move
    Add {
        #[command(flatten)]
        place: BookPosition,
        /// The move
        #[arg(value_name = "MOVE", last = true, num_args = 2, value_names = ["MOVE", "WEIGHT"])]
        mv: Vec<String>,
    },
    /// Take a move out
    Remove {
        #[command(flatten)]
        place: BookPosition,
        /// The move
        #[arg(value_name = "MOVE", last = true)]
        mv: String,
    },
}

/// Makes, shows or changes a book.
pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.action {
        Action::Import { game, files, plies, skip, out } => {
            let kit = games::kit(&game)?;
            check_plain_output(&out, &files)?;
            check_output(&out, Existing::Replace)?;
            let mut book = read(kit, &out)?;
            let count = import_games(kit, &files, plies, *skip, &mut book)?;
            write(&out, &book)?;
            println!("{count} games, {} positions in {}", book.len(), out.display());
        }
        Action::Convert { game, from, to, position } => {
            let start = position.map(|given| given.table(games::kit(&game)?, "")).transpose()?;
            let start = start.map(|table| table.position());
            let book = convert_book(games::kit(&game)?, &from, &to, start.as_deref())?;
            let (moves, positions) = (book.moves, book.positions);
            println!("{moves} moves in {positions} positions written to {} ({} read)", to.display(), book.read);
            for lost in book.lost {
                eprintln!("not kept: {lost}");
            }
        }
        Action::Show { place } => print!("{}", shown(&place)?),
        Action::Add { place, mv } => {
            let (mut book, table) = open(&place)?;
            let [mv, weight] = mv.as_slice() else { bail!("expected a move and its weight") };
            if !table.moves().contains(mv) {
                bail!("{mv} is no move in {}", table.position());
            }
            let weight = weight.parse().with_context(|| format!("weight {weight:?}"))?;
            book.add(&kit_of(&place)?.books().name_of(&table.position()), mv, weight);
            write(&place.book, &book)?;
        }
        Action::Remove { place, mv } => {
            let (mut book, table) = open(&place)?;
            if !book.remove(&kit_of(&place)?.books().name_of(&table.position()), &mv) {
                bail!("{mv} is not in {} for {}", place.book.display(), table.position());
            }
            write(&place.book, &book)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn kit_of(place: &BookPosition) -> anyhow::Result<&'static dyn Kit> {
    games::kit(&place.game)
}

/// Reads a book in our own text, which alone is changed here; one that is not there is empty.
fn read(kit: &dyn Kit, path: &Path) -> anyhow::Result<Book> {
    if kit.books().format(path)?.is_some() {
        bail!("{}: only books in text are changed; tesuji book convert writes one", path.display());
    }
    if !path.exists() {
        return Ok(Book::default());
    }
    let text = read_text_bounded(path, BOOK_BYTES_MAX)?;
    Book::parse(&text).with_context(|| format!("{} is no book", path.display()))
}

fn write(path: &Path, book: &Book) -> anyhow::Result<()> {
    Ok(AtomicFile::write(path, book.to_string().as_bytes())?)
}

/// The table at the place.
fn table_at(place: &BookPosition) -> anyhow::Result<Box<dyn RulesTable>> {
    let table = place.position.clone().unwrap_or_default().and(&place.moves).table(kit_of(place)?, "");
    table.map_err(|error| refused(error.into(), &[]))
}

/// A book to be changed, and the table at the place.
fn open(place: &BookPosition) -> anyhow::Result<(Book, Box<dyn RulesTable>)> {
    Ok((read(kit_of(place)?, &place.book)?, table_at(place)?))
}

/// The moves of a position with their weights.
fn shown(place: &BookPosition) -> anyhow::Result<String> {
    let table = table_at(place)?;
    OpeningBook::read(kit_of(place)?.books(), &place.book)?.listing(table.as_ref())
}
