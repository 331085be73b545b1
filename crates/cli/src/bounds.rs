//! Bounds of the numbers on the command line, all in one place: an option has the same bounds wherever it stands, and no option
//! is without them. Within them a number may ask for more work than anybody waits for, but never for a panic or an abort.

use crate::{
    games,
    headings::{with_headings, with_whole_examples},
    request::check_beside,
};
use Bounds::{Real, Whole};
use clap::{
    Arg, ArgAction, ArgMatches, Command, CommandFactory, FromArgMatches,
    builder::{PossibleValuesParser, TypedValueParser, ValueParser},
    error::{ContextKind, ContextValue, ErrorKind::UnknownArgument},
    parser::ValueSource,
};
use std::{any::TypeId, ffi::OsString};
use tesuji_jobs::parse_count;

/// The range of a numeric argument, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Bounds {
    /// A whole number.
    Whole(i128, i128),
    /// A number with a fraction; neither infinite nor undefined.
    Real(f64, f64),
}

/// Things that are counted: games, positions, moves, lines.
const COUNT: Bounds = Whole(0, 1_000_000_000_000);
/// Things of which memory or a thread is needed for each.
const FEW: Bounds = Whole(0, 100_000_000);
/// Threads or processes; 0: one for each core.
const THREADS: Bounds = Whole(0, 1024);
/// Nodes, visits, playouts: years of search.
const NODES: Bounds = Whole(0, 1_000_000_000_000_000);
/// Plies of games.
const PLIES: Bounds = Whole(0, 1_000_000);
/// Plies of searches.
const DEPTH: Bounds = Whole(0, 1000);
/// Memory in MiB; 131,072 is what engines take.
const HASH_MIB: Bounds = Whole(1, 131_072);
/// Milliseconds, up to a day.
const MILLISECONDS: Bounds = Whole(0, 86_400_000);
/// Seconds, up to thirty years.
const SECONDS: Bounds = Real(0.0, 1e9);
/// Every seed is as good as any other.
const SEED: Bounds = Whole(0, u64::MAX as i128);
/// A part of a whole.
const SHARE: Bounds = Real(0.0, 1.0);
/// Centipawns, either way.
const CENTIPAWNS: Bounds = Whole(-1_000_000, 1_000_000);
/// A measure that is above 0.
const POSITIVE: Bounds = Real(1e-9, 1e9);
/// A measure that may be 0.
const MEASURE: Bounds = Real(0.0, 1e9);
/// Any sensible number.
const NUMBER: Bounds = Real(-1e9, 1e9);

/// The bounds of the number that the option `id` of a subcommand takes. `None`: nothing is known of it, or it has bounds of its
/// own where it is declared.
fn bounds(path: &str, id: &str) -> Option<Bounds> {
    Some(match (path, id) {
        // Declared where they stand, with narrower bounds.
        ("perft", "depth" | "threads") | ("solve", "jobs" | "threads") | ("bench" | "selftest", "depth") => {
            return None;
        }
        ("net bench", "threads") | ("builds", "last") => return None,
        // What differs from the same option elsewhere.
        ("selfplay", "nodes" | "soft_nodes" | "balance_nodes") | ("data rescore", "nodes") => {
            Whole(1, 1_000_000_000_000_000)
        }
        ("match", "start") => Whole(1, 1_000_000_000_000),
        // It says itself what share it wants.
        ("selfplay", "share" | "shuffled_share") => NUMBER,
        ("analysis" | "regress", "jobs") | ("policy-server", "threads") => Whole(1, 1024),
        ("match", "rounds") => COUNT,
        ("data split", "parts") => Whole(1, 1_000_000),
        ("explain", "number") | ("improve", "rounds") => FEW,
        ("tune" | "tune rows" | "train" | "train nnue", "batch") => Whole(1, 100_000_000),
        ("train nnue", "epochs" | "power" | "score_scale") => POSITIVE,
        ("train nnue", "rate" | "rate_last") => MEASURE,
        ("train nnue", "first_plies") => PLIES,
        ("train nnue", "score_max") => Whole(0, 32_000),
        ("train nnue", "run_length") => Whole(1, 256),
        ("train nnue", "rounded_share") => SHARE,
        ("train", "size") | ("net new" | "net bench", "size") => Whole(1, 32),
        ("spsa" | "tune" | "tune rows" | "train", "rate") => MEASURE,
        ("features" | "data features", "skip") => PLIES,
        // What is the same everywhere.
        ("fleet logs", "last") => FEW,
        ("fleet up" | "fleet worker", "sandbox_memory") => Whole(16, 1 << 24),
        (_, "priority") => Whole(1, 1000),
        (_, "jobs" | "threads") | ("fleet up", "workers") => THREADS,
        (_, "seed") => SEED,
        (_, "nodes" | "visits" | "mate_nodes" | "judge_nodes") => NODES,
        (_, "depth") => DEPTH,
        (_, "plies" | "random_plies" | "max_plies" | "temperature_plies") => PLIES,
        (_, "hash" | "mate_hash") => HASH_MIB,
        (_, "memory") => Whole(0, 1 << 24),
        (_, "margin") => MILLISECONDS,
        (_, "time" | "st" | "patience" | "seconds") if !path.starts_with("tune") => SECONDS,
        (_, "games" | "pairs" | "prove" | "skip" | "positions" | "max" | "effort" | "stats" | "tiebreaks") => COUNT,
        (_, "count" | "show" | "best" | "validation" | "validate_every" | "warm_up") => COUNT,
        (_, "room" | "times" | "epochs" | "patience" | "restarts" | "bootstrap" | "iterations" | "pattern_min") => FEW,
        (_, "retries") => FEW,
        (_, "timeout" | "save_every") => Whole(0, 1_000_000_000),
        (_, "dubious" | "mistake" | "blunder" | "balance" | "quiet_cp") => CENTIPAWNS,
        (_, "result_share" | "held_out" | "false_rate" | "audit" | "search_share" | "alpha" | "beta" | "draws") => {
            SHARE
        }
        (_, "steps_at" | "average") => SHARE,
        (_, "k") | ("tune rows", "step" | "divide") => POSITIVE,
        ("tune rows", "decimals") => Whole(0, 17),
        (
            _,
            "lambda" | "quality" | "shake" | "l2" | "pattern_prior" | "temperature" | "decay" | "clip" | "stop_width",
        ) => MEASURE,
        (_, "value_weight" | "score_weight") => MEASURE,
        (_, "elo" | "sprt" | "ratio" | "shares" | "resign_below") => NUMBER,
        _ => return None,
    })
}

/// The program's arguments with their bounds, for what lists or checks them: completions, manual pages, tests.
pub fn command() -> Command {
    let columns = tesuji_jobs::terminal::text_columns();
    with_whole_examples(with_headings(bounded(crate::Cli::command(), "")), columns).term_width(columns)
}

/// Reads the words of a command line. What is wrong with it ends the program, as clap does.
pub(crate) fn parse(words: &[OsString]) -> crate::Cli {
    let mut command = command();
    let matches: ArgMatches =
        command.try_get_matches_from_mut(words).unwrap_or_else(|error| end_with(&with_tip(error, words)));
    check_beside(&mut command, &matches).unwrap_or_else(|error| end_with(&error));
    crate::Cli::from_arg_matches(&matches).unwrap_or_else(|error| end_with(&error))
}

/// The values of an enumeration of requests, by their words there.
pub(crate) fn words<T: serde::de::DeserializeOwned + Clone + Send + Sync + 'static>(
    words: impl Into<PossibleValuesParser>,
) -> impl TypedValueParser<Value = T> {
    words.into().try_map(|word| serde_json::from_value(word.into()))
}

/// The error with a tip where a word stands by itself that this subcommand takes as an option, unlike others.
fn with_tip(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    let word = [ContextKind::InvalidArg, ContextKind::InvalidSubcommand].into_iter().find_map(|kind| error.get(kind));
    let Some(ContextValue::String(word)) = word.cloned() else { return error };
    let command = words.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let tip = match command {
        "match" | "train" if games::names().contains(&&*word) => format!("the game is an option: --game {word}"),
        "match" if word.contains('=') => format!("an engine is one word, in quotes: --engine 'cmd=PROGRAM {word}'"),
        "match" if word.contains('/') => format!("engines are options: --engine 'cmd={word}'"),
        "match" if words.iter().any(|word| word == "-engine") => {
            "--from-command 'COMMAND' translates command lines of other runners".to_string()
        }
        "tune" if !word.starts_with('-') && word.contains(['.', '/']) => format!("games are an option: --games {word}"),
        _ if error.kind() == UnknownArgument
            && words.iter().any(|word| ["--fen", "--sfen", "--position"].iter().any(|flag| word == flag)) =>
        {
            "a position is one word, in quotes".to_string()
        }
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    error
}

/// Ends the program with a help text, the version, or what is wrong with the command line.
fn end_with(error: &clap::Error) -> ! {
    if error.print().is_err() && !error.use_stderr() {
        // It fails in the same way, and ends the program as all that cannot be printed does.
        println!();
    }
    std::process::exit(error.exit_code())
}

/// Reads words that stand for the arguments of the subcommand `path`, as in a file of settings; the first is its name.
///
/// # Errors
/// If the words are invalid, as an error of clap.
pub(crate) fn parse_words<P, W>(path: &str, words: W) -> Result<P, clap::Error>
where
    P: CommandFactory + FromArgMatches,
    W: IntoIterator<Item: Into<OsString> + Clone>,
{
    let matches = bounded(P::command(), path).try_get_matches_from(words)?;
    P::from_arg_matches(&matches)
}

/// The long names of the options that words for the subcommand `path` give themselves, in no order.
///
/// # Errors
/// If the words are invalid, as an error of clap.
pub(crate) fn given_options<P: CommandFactory>(path: &str, words: &[String]) -> Result<Vec<String>, clap::Error> {
    let command = bounded(P::command(), path);
    let matches = command.clone().try_get_matches_from(words)?;
    let is_given = |arg: &&Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    Ok(command.get_arguments().filter(is_given).filter_map(|arg| arg.get_long().map(str::to_string)).collect())
}

/// A command and all below it with bounds for their numbers. `path`: the names of the subcommands up to it.
fn bounded(command: Command, path: &str) -> Command {
    command.mut_args(|arg| with_bounds(arg, path)).mut_subcommands(|sub| {
        let path = format!("{path} {}", sub.get_name());
        bounded(sub, path.trim_start())
    })
}

fn with_bounds(arg: Arg, path: &str) -> Arg {
    let known = bounds(path, arg.get_id().as_str()).and_then(|bounds| parser(&arg, bounds));
    match known {
        Some(parser) => arg.value_parser(parser),
        None => arg,
    }
}

/// A parser of the option's type within bounds; `None` where it takes no number, or one of the other kind.
fn parser(arg: &Arg, bounds: Bounds) -> Option<ValueParser> {
    if matches!(arg.get_action(), ArgAction::Count) {
        return None;
    }
    let found = arg.get_value_parser().type_id();
    macro_rules! among {
        ($($number:ty => $make:expr),* $(,)?) => { $(
            if found == TypeId::of::<$number>() {
                return $make;
            }
        )* };
    }
    macro_rules! whole {
        ($number:ty) => {
            match bounds {
                Whole(low, high) => Some(ValueParser::from(move |text: &str| whole::<$number>(text, low, high))),
                Real(..) => None,
            }
        };
    }
    macro_rules! real {
        ($convert:expr) => {
            match bounds {
                Real(low, high) => Some(ValueParser::from(move |text: &str| real(text, low, high).map($convert))),
                Whole(..) => None,
            }
        };
    }
    among! {
        u8 => whole!(u8), u16 => whole!(u16), u32 => whole!(u32), u64 => whole!(u64), usize => whole!(usize),
        i16 => whole!(i16), i32 => whole!(i32), i64 => whole!(i64), f32 => real!(|number| number as f32), f64 => real!(std::convert::identity),
    }
    None
}

/// A whole number within bounds, also as `5k` and `2M`, of a type that may hold less than they allow.
fn whole<T: TryFrom<i128>>(text: &str, low: i128, high: i128) -> Result<T, String> {
    let number = parse_count(text).filter(|number| (low..=high).contains(number));
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or_else(|| format!("expected a whole number from {low} to {high}"))
}

/// A number with a fraction within bounds.
fn real(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("expected a number from {low} to {high}"))
}
