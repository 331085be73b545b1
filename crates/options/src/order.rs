//! Several settings at once, in any order: presets first, so that what is set by name holds whatever stands before it.

use crate::{OptionError, Options, same_name};

/// The option that sets many others at once.
const PRESET: &str = "Preset";

/// Whether this option sets many others at once.
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

/// Sets options by name and value, presets before all others.
///
/// # Errors
/// The first that is refused; those before it are set.
pub fn set_all<'s>(
    options: &mut dyn Options,
    settings: impl IntoIterator<Item = (&'s str, &'s str)>,
) -> Result<(), OptionError> {
    let mut settings: Vec<_> = settings.into_iter().collect();
    presets_first(&mut settings, |(name, _)| name);
    settings.into_iter().try_for_each(|(name, value)| options.set(name, value))
}
