//! Options in the words of each place where they appear.

use crate::{Kind, Options, Spec};
use std::fmt::{self, Write};

/// Writes `option name …` lines as UCI asks for them; experts' options only with `expert`.
///
/// # Errors
/// Only those of `out`.
///
/// # Examples
/// ```
/// use tesuji_options::{options, write_uci};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// Whether to pass and see.
///         null_move: bool = true, "NullMove";
///         /// Centipawns.
///         margin_cp: i32 = 25 in 5..=200, "Margin";
///     }
/// }
/// let mut text = String::new();
/// write_uci(Parameters::SPECS, false, &mut text).unwrap();
/// assert!(text.contains("option name Margin type spin default 25 min 5 max 200\n"), "{text}");
/// ```
pub fn write_uci(specs: &[Spec], expert: bool, out: &mut dyn Write) -> fmt::Result {
    write_lines(specs, expert, "<empty>", out)
}

/// Writes `option name …` lines as USI asks for them: the same words; an empty text is `<empty>`, too.
///
/// # Errors
/// Only those of `out`.
///
/// # Examples
///
/// ```
/// use tesuji_options::{options, write_usi};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// File of weights; empty: those built in.
///         eval_file: File = "", "EvalFile";
///     }
/// }
/// let mut text = String::new();
/// write_usi(Parameters::SPECS, false, &mut text).unwrap();
/// assert_eq!(text, "option name EvalFile type string default <empty>\n");
/// ```
pub fn write_usi(specs: &[Spec], expert: bool, out: &mut dyn Write) -> fmt::Result {
    write_lines(specs, expert, "<empty>", out)
}

fn write_lines(specs: &[Spec], expert: bool, empty: &str, out: &mut dyn Write) -> fmt::Result {
    for s in specs.iter().filter(|s| expert || !s.expert) {
        write!(out, "option name {} type ", s.name)?;
        match s.kind {
            Kind::Int { default, min, max } => writeln!(out, "spin default {default} min {min} max {max}")?,
            Kind::Float { default, .. } => writeln!(out, "string default {default}")?,
            Kind::Flag { default } => writeln!(out, "check default {default}")?,
            Kind::Text { default } | Kind::File { default, .. } => {
                writeln!(out, "string default {}", if default.is_empty() { empty } else { default })?;
            }
            Kind::Choice { default, among } => {
                write!(out, "combo default {default}")?;
                for word in among {
                    write!(out, " var {word}")?;
                }
                writeln!(out)?;
            }
            Kind::Button => writeln!(out, "button")?,
        }
    }
    Ok(())
}

/// Writes the present values as TOML, each under its explanation. Buttons have no value and are left out.
///
/// # Errors
/// Only those of `out`.
///
/// # Examples
/// ```
/// use tesuji_options::{options, write_toml};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// Whether to pass and see.
///         null_move: bool = true, "NullMove";
///         /// Centipawns.
///         margin_cp: i32 = 25 in 5..=200, "Margin";
///     }
/// }
/// let mut text = String::new();
/// write_toml(&Parameters::default(), &mut text).unwrap();
/// assert!(text.contains("null_move = true\n"), "{text}");
/// ```
pub fn write_toml(options: &dyn Options, out: &mut dyn Write) -> fmt::Result {
    for s in options.specs() {
        if s.kind == Kind::Button {
            continue;
        }
        let value = options.get(s.key).unwrap_or_default();
        writeln!(out, "# {} ({})", s.doc, s.kind.expected())?;
        match s.kind {
            Kind::Text { .. } | Kind::File { .. } | Kind::Choice { .. } => writeln!(out, "{} = {value:?}", s.key)?,
            Kind::Float { .. } if !value.contains(['.', 'e']) => writeln!(out, "{} = {value}.0", s.key)?,
            _ => writeln!(out, "{} = {value}", s.key)?,
        }
    }
    Ok(())
}

/// Writes a table for the manual.
///
/// # Errors
/// Only those of `out`.
///
/// # Examples
/// ```
/// use tesuji_options::{options, write_markdown};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// Whether to pass and see.
///         null_move: bool = true, "NullMove";
///         /// Centipawns.
///         margin_cp: i32 = 25 in 5..=200, "Margin";
///     }
/// }
/// let mut text = String::new();
/// write_markdown(Parameters::SPECS, &mut text).unwrap();
/// assert!(text.contains("| `Margin` | `margin_cp` | `25` |"), "{text}");
/// ```
pub fn write_markdown(specs: &[Spec], out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "| option | `--option` | default | takes | what it does |")?;
    writeln!(out, "|---|---|---|---|---|")?;
    for s in specs {
        let default = match s.kind {
            Kind::Button => "(button)".to_string(),
            Kind::Text { default: "" } | Kind::File { default: "", .. } => "(empty)".to_string(),
            kind => format!("`{}`", kind.default_text()),
        };
        writeln!(out, "| `{}` | `{}` | {default} | {} | {} |", s.name, s.key, s.kind.expected(), s.doc)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OptionError, options};

    options! {
        /// For tests.
        pub struct Demo {
            /// Table size, in MiB.
            hash_mib: u32 = 16 in 1..=65536, "Hash";
            /// Castling as king takes rook.
            chess960: bool = false, "UCI_Chess960";
            /// Weights.
            eval_file: File = "", "EvalFile";
            /// Tables.
            table_path: Folders = "", "TablePath";
            /// Exploration.
            cpuct: f32 = 1.5 in 0.1..=8.0, "Cpuct";
            /// Offset, in centipawns.
            offset_cp: i32 = -5 in -10..=10, "Offset";
            /// Manner.
            style: Choice = "calm" of ["calm", "wild"], "Style";
            /// Forget.
            clear_hash: Button, "Clear Hash";
        }
    }

    options! {
        /// For tests.
        struct Hidden(expert) {
            /// A margin.
            margin_cp: i32 = 1 in 0..=9, "Margin";
        }
    }

    #[test]
    fn uci_lines_say_all() {
        let mut out = String::new();
        write_uci(Demo::SPECS, false, &mut out).unwrap();
        assert_eq!(
            out,
            "option name Hash type spin default 16 min 1 max 65536\n\
             option name UCI_Chess960 type check default false\n\
             option name EvalFile type string default <empty>\n\
             option name TablePath type string default <empty>\n\
             option name Cpuct type string default 1.5\n\
             option name Offset type spin default -5 min -10 max 10\n\
             option name Style type combo default calm var calm var wild\n\
             option name Clear Hash type button\n"
        );
        out.clear();
        write_uci(Hidden::SPECS, false, &mut out).unwrap();
        assert_eq!(out, "");
        write_uci(Hidden::SPECS, true, &mut out).unwrap();
        assert_eq!(out, "option name Margin type spin default 1 min 0 max 9\n");
    }

    #[test]
    fn toml_reads_back() {
        let mut demo = Demo::default();
        demo.set("cpuct", "2").unwrap();
        let mut out = String::new();
        write_toml(&demo, &mut out).unwrap();
        assert!(out.contains("cpuct = 2.0\n") && out.contains("style = \"calm\"\n"), "{out}");
    }

    #[test]
    fn bad_values_change_nothing_and_say_why() {
        let mut demo = Demo::default();
        let e = demo.set("Hash", "0").unwrap_err();
        assert_eq!(e.to_string(), "option Hash takes a whole number from 1 to 65536, not \"0\"");
        let e = demo.set("Hsh", "1").unwrap_err();
        assert_eq!(e, OptionError::Unknown { name: "Hsh".into(), near: Some("Hash") });
        assert!(demo.set("style", "loud").is_err() && demo.set("uci_chess960", "maybe").is_err());
        assert_eq!(demo, Demo::default());
        demo.set("clear-hash", "").unwrap();
        assert_eq!(demo.clear_hash.0, 1);
        assert_eq!(demo.get("UCI chess960"), Some("false".into()));
    }
}
