//! The specification of an option: its names, kind, bounds and default, and the object-safe trait of a set of options.

use std::fmt;

/// The kind of an option: the values that it takes, and its default.
///
/// # Examples
///
/// ```
/// use tesuji_options::Kind;
/// let kind = Kind::Int { default: 16, min: 1, max: 64 };
/// assert_eq!(kind.default_text(), "16");
/// assert_eq!(kind.expected(), "a whole number from 1 to 64");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A whole number.
    Int {
        /// At first.
        default: i64,
        /// Smallest.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A number.
    Float {
        /// At first.
        default: f64,
        /// Smallest.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// Yes or no.
    Flag {
        /// At first.
        default: bool,
    },
    /// Any text.
    Text {
        /// At first.
        default: &'static str,
    },
    /// The path of a file or folder, or a name for what is built in. Anyone who sets options for somebody else, as the web server does,
    /// decides by this kind which files may be reached.
    File {
        /// At first.
        default: &'static str,
        /// Names that are no files.
        names: &'static [&'static str],
        /// Whether there may be several, separated as in `PATH`.
        is_list: bool,
    },
    /// One of some words.
    Choice {
        /// At first.
        default: &'static str,
        /// The words.
        among: &'static [&'static str],
    },
    /// Something to press; it has no value.
    Button,
}

impl Kind {
    /// The default as text; empty for buttons.
    pub fn default_text(&self) -> String {
        match self {
            Kind::Int { default, .. } => default.to_string(),
            Kind::Float { default, .. } => default.to_string(),
            Kind::Flag { default } => default.to_string(),
            Kind::Text { default } | Kind::File { default, .. } | Kind::Choice { default, .. } => {
                (*default).to_string()
            }
            Kind::Button => String::new(),
        }
    }

    /// The accepted values, in words.
    pub fn expected(&self) -> String {
        match self {
            Kind::Int { min, max, .. } => format!("a whole number from {min} to {max}"),
            Kind::Float { min, max, .. } => format!("a number from {min} to {max}"),
            Kind::Flag { .. } => "true or false".to_string(),
            Kind::Text { .. } => "a text".to_string(),
            Kind::File { is_list: false, .. } => "a file".to_string(),
            Kind::File { is_list: true, .. } => "folders".to_string(),
            Kind::Choice { among, .. } => format!("one of {}", among.join(", ")),
            Kind::Button => "no value".to_string(),
        }
    }
}

/// One declared option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spec {
    /// Its name in UCI, USI and GTP; may hold spaces.
    pub name: &'static str,
    /// Its name in TOML, on the command line and in the code.
    pub key: &'static str,
    /// Its effect, in a sentence.
    pub doc: &'static str,
    /// Its values.
    pub kind: Kind,
    /// For engine authors: accepted everywhere, listed in the manual, but not shown to GUIs unless asked.
    pub expert: bool,
    /// Its value where the steps that may change a result are off, as text; `None` for options that are no such step.
    pub plain: Option<&'static str>,
}

/// The reason why an option was not set.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// No option has this name.
    Unknown {
        /// The name given.
        name: String,
        /// The declared name nearest to it, if one is near.
        near: Option<&'static str>,
    },
    /// The option does not take this value.
    Invalid {
        /// The option's name.
        name: &'static str,
        /// The value given.
        value: String,
        /// The accepted values, in words.
        expected: String,
    },
    /// The value is of the right kind, but it did not work (a file that cannot be read, say).
    Failed {
        /// The option's name.
        name: &'static str,
        /// The error in words.
        reason: String,
    },
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown { name, near: None } => write!(f, "no option is called {name:?}"),
            OptionError::Unknown { name, near: Some(near) } => {
                write!(f, "no option is called {name:?}; did you mean {near:?}?")
            }
            OptionError::Invalid { name, value, expected } => {
                write!(f, "option {name} takes {expected}, not {value:?}")
            }
            OptionError::Failed { name, reason } => write!(f, "option {name}: {reason}"),
        }
    }
}

impl std::error::Error for OptionError {}

/// A set of options behind `dyn`: what protocols, command line and forms see.
///
/// # Examples
///
/// ```
/// use tesuji_options::{Kind, OptionError, Options, options};
///
/// options! {
///     /// Options of an engine.
///     pub struct EngineOptions {
///         /// Size of the transposition table, in MiB.
///         hash_mib: i64 = 16 in 1..=4096, "Hash";
///     }
/// }
///
/// let mut engine = EngineOptions::default();
/// let options: &mut dyn Options = &mut engine;
/// options.set("hash", "64")?;
/// assert_eq!(options.get("Hash").as_deref(), Some("64"));
/// assert!(matches!(options.set("hash", "5000"), Err(OptionError::Invalid { name: "Hash", .. })));
/// assert!(matches!(options.specs()[0].kind, Kind::Int { default: 16, min: 1, max: 4096 }));
/// # Ok::<(), OptionError>(())
/// ```
pub trait Options: Send {
    /// All options, in the order of declaration.
    fn specs(&self) -> Vec<Spec>;

    /// The value of an option, by key or name.
    fn get(&self, name: &str) -> Option<String>;

    /// Sets an option, by key or name; case and `-`, `_`, space do not matter.
    ///
    /// # Errors
    /// When there is no such option or it does not take `value`; nothing has changed then.
    fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError>;
}

/// The number of times a button was pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Presses(pub u32);

/// A type that an option may have.
///
/// # Examples
///
/// ```
/// use tesuji_options::{Kind, Setting};
///
/// let percent = Kind::Int { default: 50, min: 0, max: 100 };
/// assert_eq!(0u8.read("75", &percent), Some(75));
/// assert_eq!(0u8.read("101", &percent), None);
/// assert_eq!(75u8.show(), "75");
/// assert_eq!(false.read("on", &Kind::Flag { default: false }), Some(true));
/// ```
pub trait Setting: Sized {
    /// Reads a value of `kind`; `None` when it does not fit.
    fn read(&self, text: &str, kind: &Kind) -> Option<Self>;
    /// The value as text.
    fn show(&self) -> String;
}

macro_rules! int_setting {
    ($($t:ty),*) => { $(
        impl Setting for $t {
            fn read(&self, text: &str, kind: &Kind) -> Option<Self> {
                let v: i64 = text.trim().parse().ok()?;
                match *kind {
                    Kind::Int { min, max, .. } if (min..=max).contains(&v) => <$t>::try_from(v).ok(),
                    _ => None,
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )* };
}
int_setting!(i16, i32, i64, u8, u16, u32, u64, usize);

macro_rules! float_setting {
    ($($t:ty),*) => { $(
        impl Setting for $t {
            fn read(&self, text: &str, kind: &Kind) -> Option<Self> {
                let v: $t = text.trim().parse().ok()?;
                match *kind {
                    Kind::Float { min, max, .. } if (min..=max).contains(&f64::from(v)) => Some(v),
                    _ => None,
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )* };
}
float_setting!(f32, f64);

impl Setting for bool {
    fn read(&self, text: &str, _: &Kind) -> Option<bool> {
        match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" => Some(true),
            "false" | "no" | "off" | "0" => Some(false),
            _ => None,
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

impl Setting for String {
    /// `<empty>`, as UCI writes it, is the empty text.
    fn read(&self, text: &str, kind: &Kind) -> Option<String> {
        match kind {
            Kind::Choice { among, .. } => {
                among.iter().find(|w| w.eq_ignore_ascii_case(text.trim())).map(|w| (*w).to_string())
            }
            _ if text == "<empty>" => Some(String::new()),
            _ => Some(text.to_string()),
        }
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl Setting for Presses {
    fn read(&self, _: &str, _: &Kind) -> Option<Presses> {
        Some(Presses(self.0.wrapping_add(1)))
    }
    fn show(&self) -> String {
        String::new()
    }
}

/// Whether two option names mean the same: case and `-`, `_`, space do not matter.
///
/// # Examples
/// ```
/// assert!(tesuji_options::same_name("clear-hash", "Clear Hash"));
/// ```
pub fn same_name(a: &str, b: &str) -> bool {
    fn plain(s: &str) -> impl Iterator<Item = u8> + '_ {
        s.trim().bytes().filter(|b| !matches!(b, b'-' | b'_' | b' ')).map(|b| b.to_ascii_lowercase())
    }
    plain(a).eq(plain(b))
}

/// The spec that `name` (key or name) means.
///
/// # Errors
/// [`OptionError::Unknown`], with the nearest name.
///
/// # Examples
/// ```
/// use tesuji_options::{OptionError, find, options};
/// options! {
///     /// Options of a search.
///     struct Parameters {
///         /// Whether to pass and see.
///         null_move: bool = true, "NullMove";
///         /// Centipawns.
///         margin_cp: i32 = 25 in 5..=200, "Margin";
///     }
/// }
/// assert_eq!(find(Parameters::SPECS, "null_move").unwrap().name, "NullMove");
/// let near = find(Parameters::SPECS, "Margim").unwrap_err();
/// assert_eq!(near, OptionError::Unknown { name: "Margim".into(), near: Some("Margin") });
/// ```
pub fn find(specs: &[Spec], name: &str) -> Result<Spec, OptionError> {
    specs.iter().find(|s| same_name(s.name, name) || same_name(s.key, name)).copied().ok_or_else(|| {
        let near = specs.iter().map(|s| (distance(s.name, name).min(distance(s.key, name)), s.name)).min();
        let near = near.filter(|&(d, _)| d <= 1 + name.chars().count() / 4).map(|(_, n)| n);
        OptionError::Unknown { name: name.to_string(), near }
    })
}

/// Edits between two words (Levenshtein, 1965), case aside.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let change = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
