//! Several settings at once, in any order: presets first, so that what is set by name holds whatever stands before it.

use crate::{OptionError, Options, same_name};

/// The option that sets many others at once.
const PRESET: &str = "Preset";

/// Whether this option sets many others at once.
///
/// # Examples
/// ```
/// assert!(tesuji_options::is_preset("preset") && !tesuji_options::is_preset("Hash"));
/// ```
pub fn is_preset(name: &str) -> bool {
    same_name(name, PRESET)
}

/// Puts settings into the order in which they are carried out: presets, then all others, each in the order given. Every door
/// that takes several settings (command line, TOML, HTTP, engines of a match) goes through here: maps have an order of their own.
///
/// # Examples
/// ```
/// let mut settings = [("Playouts", "3"), ("preset", "bakago")];
/// tesuji_options::presets_first(&mut settings, |(name, _)| name);
/// assert_eq!(settings, [("preset", "bakago"), ("Playouts", "3")]);
/// ```
pub fn presets_first<T>(settings: &mut [T], name: impl Fn(&T) -> &str) {
    settings.sort_by_key(|setting| !is_preset(name(setting)));
}

/// Switches off every step that declares a `plain` value; all other options stay as they are.
///
/// # Examples
/// ```
/// use tesuji_options::{make_plain, options};
/// options! {
///     /// Options of a search.
///     pub struct Parameters {
///         /// Null-move pruning.
///         null_move: bool = true, "NullMove", plain = false;
///         /// Killer moves: they change the order, never the value.
///         killers: bool = true, "Killers";
///     }
/// }
/// let mut parameters = Parameters::default();
/// make_plain(&mut parameters);
/// assert!(!parameters.null_move && parameters.killers);
/// ```
///
/// # Panics
/// When a declared plain value is not one that its option takes.
pub fn make_plain(options: &mut dyn Options) {
    for spec in options.specs() {
        if let Some(value) = spec.plain {
            options.set(spec.key, value).expect("a declared value is valid");
        }
    }
}

/// Sets options by name and value, presets before all others.
///
/// # Errors
/// The first that is refused; those before it are set.
///
/// # Examples
/// ```
/// use tesuji_options::{options, set_all};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// Whether to pass and see.
///         null_move: bool = true, "NullMove";
///         /// Centipawns.
///         margin_cp: i32 = 25 in 5..=200, "Margin";
///     }
/// }
/// let mut parameters = Parameters::default();
/// set_all(&mut parameters, [("NullMove", "false"), ("margin_cp", "30")]).unwrap();
/// assert_eq!((parameters.null_move, parameters.margin_cp), (false, 30));
/// assert!(set_all(&mut parameters, [("Margin", "4")]).is_err());
/// ```
pub fn set_all<'s>(
    options: &mut dyn Options,
    settings: impl IntoIterator<Item = (&'s str, &'s str)>,
) -> Result<(), OptionError> {
    let mut settings: Vec<_> = settings.into_iter().collect();
    presets_first(&mut settings, |(name, _)| name);
    settings.into_iter().try_for_each(|(name, value)| options.set(name, value))
}
