//! Several sets of options as one.

use crate::{OptionError, Options, Spec, find, same_name};

impl<T: Options + ?Sized> Options for &mut T {
    fn specs(&self) -> Vec<Spec> {
        (**self).specs()
    }

    fn get(&self, name: &str) -> Option<String> {
        (**self).get(name)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        (**self).set(name, value)
    }
}

/// Several sets of options as one, in order. Of two options with the same name the first counts and the other is hidden.
///
/// # Examples
///
/// ```
/// use tesuji_options::{Joined, Options, options};
/// options! {
///     /// Options of a search.
///     struct Search {
///         /// Table size, in MiB.
///         hash_mib: u32 = 16 in 1..=64, "Hash";
///     }
/// }
/// options! {
///     /// Options of an evaluation.
///     struct Evaluation {
///         /// Manner.
///         style: Choice = "calm" of ["calm", "wild"], "Style";
///     }
/// }
/// let (mut search, mut evaluation) = (Search::default(), Evaluation::default());
/// let mut both = Joined::new(vec![Box::new(&mut search), Box::new(&mut evaluation)]);
/// both.set("Hash", "32").unwrap();
/// both.set("Style", "wild").unwrap();
/// assert!(both.set("Threads", "2").is_err());
/// drop(both);
/// assert_eq!((search.hash_mib, evaluation.style.as_str()), (32, "wild"));
/// ```
pub struct Joined<'a> {
    parts: Vec<Box<dyn Options + 'a>>,
}

impl<'a> Joined<'a> {
    /// The options of all `parts`.
    pub fn new(parts: Vec<Box<dyn Options + 'a>>) -> Joined<'a> {
        Joined { parts }
    }
}

impl Options for Joined<'_> {
    fn specs(&self) -> Vec<Spec> {
        let mut all: Vec<Spec> = Vec::new();
        for spec in self.parts.iter().flat_map(|part| part.specs()) {
            if !all.iter().any(|known| same_name(known.name, spec.name)) {
                all.push(spec);
            }
        }
        all
    }

    fn get(&self, name: &str) -> Option<String> {
        self.parts.iter().find_map(|part| part.get(name))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let spec = find(&self.specs(), name)?;
        let owner = self.parts.iter_mut().find(|part| part.specs().iter().any(|s| same_name(s.name, spec.name)));
        owner.map_or_else(
            || Err(OptionError::Unknown { name: name.to_string(), near: None }),
            |part| part.set(spec.name, value),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options;

    options! {
        /// For tests.
        struct One {
            /// Size.
            hash_mib: u32 = 16 in 1..=64, "Hash";
        }
    }
    options! {
        /// For tests.
        struct Two {
            /// Hidden by the other.
            hash_mib: u32 = 1 in 1..=2, "Hash";
            /// Manner.
            style: Choice = "calm" of ["calm", "wild"], "Style";
        }
    }

    #[test]
    fn the_first_of_two_counts() {
        let (mut one, mut two) = (One::default(), Two::default());
        let mut both = Joined::new(vec![Box::new(&mut one), Box::new(&mut two)]);
        assert_eq!(both.specs().iter().map(|s| s.name).collect::<Vec<_>>(), ["Hash", "Style"]);
        both.set("hash", "32").unwrap();
        both.set("style", "wild").unwrap();
        assert_eq!(both.get("hash"), Some("32".into()));
        let error = both.set("Stile", "wild").unwrap_err();
        assert_eq!(error, OptionError::Unknown { name: "Stile".into(), near: Some("Style") });
        drop(both);
        assert_eq!((one.hash_mib, two.style.as_str()), (32, "wild"));
    }
}
