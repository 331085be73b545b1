//! Options declared once: [`options!`] makes the struct, its defaults and bounds, and every other form — UCI, USI, TOML, command line, manual — is printed from the same declaration.
//!
//! ```
//! use tesuji_options::{Options, options};
//! options! {
//!     /// Options of a search.
//!     pub struct Parameters {
//!         /// Aspiration window half-width, in centipawns.
//!         aspiration_cp: i32 = 25 in 5..=200, "Aspiration";
//!         /// Whether to pass and see.
//!         null_move: bool = true, "NullMove";
//!         /// File of weights; empty: those built in.
//!         eval_file: File = "", "EvalFile";
//!         /// Growth of the tree.
//!         style: Choice = "calm" of ["calm", "wild"], "Style";
//!         /// Forget everything.
//!         clear_hash: Button, "Clear Hash";
//!     }
//! }
//! let mut options = Parameters::default();
//! options.set("aspiration", "40").unwrap();
//! assert_eq!(options.aspiration_cp, 40);
//! assert!(options.set("Aspiration", "4").is_err());
//! assert!(options.set("clear hash", "").is_ok());
//! ```

mod declare;
mod joined;
mod order;
mod print;
mod spec;

pub use joined::Joined;
pub use order::{is_preset, make_plain, presets_first, set_all};
pub use print::{write_markdown, write_toml, write_uci, write_usi};
pub use spec::{Kind, OptionError, Options, Presses, Setting, Spec, find, same_name};
