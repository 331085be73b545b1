//! Bounds of the numbers that all options of all subcommands take.

use clap::{Arg, Command, error::ErrorKind};
use std::any::TypeId;
use tesuji_cli::command;

/// Absurd values: too large for 32, 53 and 64 bits, and no numbers.
const ABSURD: [&str; 6] =
    ["100000000000000000000", "18446744073709551615", "9223372036854775808", "1e20", "inf", "NaN"];

/// Options that take a number, with the path of their subcommand.
fn numbers(command: &Command, path: &str, found: &mut Vec<(String, Arg)>) {
    const TYPES: [fn() -> TypeId; 11] = [
        TypeId::of::<u8>,
        TypeId::of::<u16>,
        TypeId::of::<u32>,
        TypeId::of::<u64>,
        TypeId::of::<usize>,
        TypeId::of::<i16>,
        TypeId::of::<i32>,
        TypeId::of::<i64>,
        TypeId::of::<f32>,
        TypeId::of::<f64>,
        TypeId::of::<(u32, u32)>,
    ];
    let is_number = |arg: &&Arg| TYPES.iter().any(|number| arg.get_value_parser().type_id() == number());
    let takes = |arg: &&Arg| arg.get_action().takes_values();
    found.extend(command.get_arguments().filter(takes).filter(is_number).map(|arg| (path.to_string(), arg.clone())));
    for sub in command.get_subcommands().filter(|sub| sub.get_name() != "help") {
        numbers(sub, &format!("{path} {}", sub.get_name()), found);
    }
}

/// Whether clap refuses an option's value for itself.
fn is_refused(command: &Command, path: &str, arg: &Arg, value: &str) -> bool {
    let values = arg.get_num_args().map_or(1, |range| range.min_values().max(1));
    let mut line: Vec<String> = ["tesuji"].into_iter().chain(path.split_whitespace()).map(str::to_string).collect();
    match arg.get_long() {
        Some(name) if values == 1 => line.push(format!("--{name}={value}")),
        Some(name) => line.extend([format!("--{name}")].into_iter().chain(vec![value.to_string(); values])),
        None => line.push(value.to_string()),
    }
    match command.clone().try_get_matches_from(line) {
        Err(error) => matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue),
        Ok(_) => false,
    }
}

/// `--games 18446744073709551615`, `-j 4294967296` and others panicked, aborted or overflowed a stack.
#[test]
fn no_option_takes_an_absurd_number() {
    let (command, mut found, mut wrong) = (command(), Vec::new(), Vec::new());
    numbers(&command, "", &mut found);
    assert!(found.len() > 150, "{}", found.len());
    for (path, arg) in &found {
        // Every number of 64 bits is a seed.
        let is_meant = |value: &&str| arg.get_id() == "seed" && value.parse::<u64>().is_ok();
        let absurd = ABSURD.into_iter().filter(|value| !is_meant(value));
        let taken: Vec<&str> = absurd.filter(|value| !is_refused(&command, path, arg, value)).collect();
        if !taken.is_empty() {
            wrong.push(format!("{path} --{}: takes {taken:?}", arg.get_id()));
        }
    }
    assert!(wrong.is_empty(), "these want a line in bounds.rs: {wrong:#?}");
}

#[test]
fn bounds_hold_and_are_named() {
    let said = |line: &[&str]| match command().try_get_matches_from(line) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    let message = said(&["tesuji", "perft", "chess", "--threads", "4294967296"]);
    assert!(message.contains("--threads") && message.contains("4294967296"), "{message}");
    assert_eq!(said(&["tesuji", "selfplay", "chess", "--games", "100", "--out", "x", "-j", "0"]), "");
    for number in ["-1", "1e20", "4294967296", "18446744073709551615", "nan"] {
        assert!(!said(&["tesuji", "selfplay", "chess", "--games", "1", "--out", "x", "-j", number]).is_empty());
        assert!(!said(&["tesuji", "tree", "chess", "--depth", number]).is_empty(), "{number}");
    }
    assert!(!said(&["tesuji", "tree", "chess", "--time", "1e20"]).is_empty());
    // `--nodes 5k` was refused.
    for count in ["5k", "1.5M", "2G"] {
        assert_eq!(said(&["tesuji", "selfplay", "chess", "--games", count, "--nodes", count, "--out", "x"]), "");
    }
    assert!(said(&["tesuji", "tree", "chess", "--nodes", "5m"]).contains("expected a whole number from 0 to"));
    // Bounds that are declared with an option stay.
    assert!(!said(&["tesuji", "perft", "chess", "--depth", "21"]).is_empty());
    assert!(!said(&["tesuji", "bench", "--depth", "0"]).is_empty());
    assert!(!said(&["tesuji", "selfplay", "chess", "--games", "1", "--nodes", "0", "--out", "x"]).is_empty());
    assert!(said(&["tesuji", "tree", "chess", "--time", "NaN"]).contains("expected a number from 0"));
}
