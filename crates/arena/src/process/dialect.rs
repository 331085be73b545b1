//! The protocols that engines speak, and which one an engine speaks that nobody told us about.

use std::fmt;
use std::str::FromStr;
use tesuji_kit::Kit;
use tesuji_protocol::{
    RunnerEnd, analysis::AnalysisRunner, gtp::GtpRunner, uci::UciRunner, usi::UsiRunner, xboard::XboardRunner,
};

/// A protocol.
///
/// # Examples
///
/// ```
/// use tesuji_arena::Dialect;
/// use tesuji_four::FOUR;
/// assert_eq!("gtp".parse(), Ok(Dialect::Gtp));
/// assert_eq!(Dialect::of(&FOUR).name(), "uci");
/// assert!(!Dialect::Gtp.runner().tells_options());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// UCI, of most chess engines.
    Uci,
    /// USI, of shogi engines.
    Usi,
    /// XBoard's, of old chess engines.
    Xboard,
    /// GTP, of go engines.
    Gtp,
    /// KataGo's protocol for analyses. It is not tried: an engine that speaks it waits for whole queries.
    Kata,
}

impl Dialect {
    /// Those that can be found out, in the order in which they are tried.
    pub const ALL: [Dialect; 4] = [Dialect::Uci, Dialect::Usi, Dialect::Xboard, Dialect::Gtp];

    /// The one that engines of a game speak.
    pub fn of(kit: &dyn Kit) -> Dialect {
        let name = kit.protocol().name();
        Dialect::ALL.into_iter().find(|dialect| dialect.name() == name).unwrap_or(Dialect::Uci)
    }

    /// The runner's end of it.
    pub fn runner(self) -> Box<dyn RunnerEnd> {
        match self {
            Dialect::Uci => Box::new(UciRunner::default()),
            Dialect::Usi => Box::new(UsiRunner::default()),
            Dialect::Xboard => Box::new(XboardRunner::default()),
            Dialect::Gtp => Box::new(GtpRunner::default()),
            Dialect::Kata => Box::new(AnalysisRunner::default()),
        }
    }

    /// As options name it.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Uci => "uci",
            Dialect::Usi => "usi",
            Dialect::Xboard => "xboard",
            Dialect::Gtp => "gtp",
            Dialect::Kata => "kata",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = String;

    fn from_str(text: &str) -> Result<Dialect, String> {
        let dialect = Dialect::ALL.into_iter().chain([Dialect::Kata]).find(|d| d.name() == text);
        dialect.ok_or_else(|| format!("{text:?} is no protocol; there are uci, usi, gtp, xboard and kata"))
    }
}
