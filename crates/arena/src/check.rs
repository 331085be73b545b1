//! Whether an engine keeps to its protocol, one named check after the other.

mod gtp;
mod probe;
mod search;

use crate::process::quota::{self, Quota};
use crate::request_error::Context as _;
use crate::{Dialect, Engine, EngineSpec};
use probe::{Probe, Silence};
use std::time::Duration;
use tesuji_jobs::Interrupt;
use tesuji_kit::RequestError;
use tesuji_protocol::{Command, Offer, OfferKind, Reply};
use tesuji_record::{AnyGame, RulesTable};

/// The result of a check.
///
/// # Examples
///
/// ```
/// use tesuji_arena::CheckVerdict;
/// let verdict = CheckVerdict::Warning("it does not say its name".to_string());
/// assert_eq!(verdict.words(), ("warning", "it does not say its name"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckVerdict {
    /// As it should be.
    Ok(String),
    /// Runners can live with it.
    Warning(String),
    /// Runners cannot.
    Error(String),
    /// It does not apply.
    Skipped(String),
}

/// A check: its name, and the examination.
type Check = (&'static str, fn(&mut Subject<'_>) -> CheckVerdict);

/// Checks of all protocols, of the first part of a dialogue.
const GREETING: [Check; 5] = [
    ("greeting", greeting),
    ("name", name),
    ("options", options),
    ("ready", ready),
    ("unknown command", unknown_command),
];
/// Checks of all protocols, at the end.
const END: [Check; 3] = [("no unknown replies", no_unknown_replies), ("quit", quit), ("end of input", end_of_input)];

/// The engine with what is known about it so far.
struct Subject<'a> {
    spec: &'a EngineSpec,
    dialect: Dialect,
    game: &'a dyn AnyGame,
    probe: Probe,
    patience: Duration,
    name: Option<String>,
    author: Option<String>,
    offers: Vec<Offer>,
    /// Whether its moves can be judged by the rules of `game`.
    knows_rules: bool,
}

/// The result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The name of the check.
    pub name: &'static str,
    /// The result.
    pub verdict: CheckVerdict,
}

/// The number of failed checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckCounts {
    /// Those with which no runner can live.
    pub errors: u32,
    /// Those with which runners can live.
    pub warnings: u32,
}

/// The protocol of an engine: the one that it was started with, or the one that it answers in.
///
/// # Errors
/// When it cannot be started, or answers in no protocol.
///
/// # Examples
///
/// An engine in a line of shell, which answers in UCI:
///
/// ```
/// use tesuji_arena::{Dialect, EngineSpec, dialect_of};
/// let script = "while read -r word; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;; esac; done";
/// let mut engine = EngineSpec::new("sh");
/// engine.args = vec!["-c".to_string(), script.to_string()];
/// assert_eq!(dialect_of(&engine), Ok(Dialect::Uci));
/// ```
pub fn dialect_of(spec: &EngineSpec) -> Result<Dialect, RequestError> {
    if let Some(dialect) = spec.dialect {
        return Ok(dialect);
    }
    Engine::open(spec, &Interrupt::new()).map_err(|fault| fault.detail).context(spec.command.display())?;
    Ok(spec.detected.get().copied().unwrap_or(Dialect::Uci))
}

/// Checks whether an engine keeps to a protocol; `tell` hears of each check as it is done.
///
/// # Errors
/// When the engine cannot be started.
///
/// # Examples
///
/// A program that ends at once does not greet, and no other check is made:
///
/// ```
/// use tesuji_arena::{CheckVerdict, Dialect, EngineSpec, check_engine};
/// use tesuji_four::FOUR;
/// let mut engine = EngineSpec::new("sh");
/// engine.args = vec!["-c".to_string(), "exit 1".to_string()];
/// let mut checks = Vec::new();
/// let counts = check_engine(&engine, Dialect::Uci, &FOUR, &mut |checked| checks.push(checked.clone()))?;
/// assert_eq!((counts.errors, checks.len(), checks[0].name), (1, 1, "greeting"));
/// assert!(matches!(checks[0].verdict, CheckVerdict::Error(_)));
/// # Ok::<(), tesuji_kit::RequestError>(())
/// ```
pub fn check_engine(
    spec: &EngineSpec,
    dialect: Dialect,
    game: &dyn AnyGame,
    tell: &mut dyn FnMut(&Checked),
) -> Result<CheckCounts, RequestError> {
    let probe = Probe::start(spec, dialect).context(format_args!("cannot start {}", spec.command.display()))?;
    let patience = spec.start_patience;
    let knows_rules = matches!(dialect, Dialect::Uci | Dialect::Xboard);
    let (name, author, offers) = (None, None, Vec::new());
    let mut subject = Subject { spec, dialect, game, probe, patience, name, author, offers, knows_rules };
    let mut counts = CheckCounts::default();
    let own: &[Check] = match dialect {
        Dialect::Uci | Dialect::Usi => &search::CHECKS,
        Dialect::Gtp => &gtp::CHECKS,
        Dialect::Xboard => &search::XBOARD_CHECKS,
        // Queries stand for themselves: there is no game to play through.
        Dialect::Kata => &[],
    };
    for (name, check) in GREETING.iter().chain(own).chain(&END) {
        let verdict = check(&mut subject);
        counts.errors += u32::from(matches!(verdict, CheckVerdict::Error(_)));
        counts.warnings += u32::from(matches!(verdict, CheckVerdict::Warning(_)));
        let checked = Checked { name, verdict };
        tell(&checked);
        if *name == "greeting" && matches!(checked.verdict, CheckVerdict::Error(_)) {
            break;
        }
    }
    Ok(counts)
}

impl CheckVerdict {
    /// Its kind in a word, and the details.
    pub fn words(&self) -> (&'static str, &str) {
        match self {
            CheckVerdict::Ok(detail) => ("ok", detail),
            CheckVerdict::Warning(detail) => ("warning", detail),
            CheckVerdict::Error(detail) => ("error", detail),
            CheckVerdict::Skipped(detail) => ("skipped", detail),
        }
    }
}

impl Subject<'_> {
    /// The start position of the game.
    fn table(&self) -> Option<Box<dyn RulesTable>> {
        self.game.table("", None).ok()
    }

    /// Waits for one reply; in words, what came instead.
    fn expect(
        &mut self,
        what: &str,
        patience: Duration,
        mut is: impl FnMut(&Reply) -> bool,
    ) -> Result<Duration, String> {
        self.probe.hear(patience, |reply, _| is(reply)).map_err(|silence| in_words(what, patience, silence))
    }

    /// Whether it is alive and has done all that was asked.
    fn sync(&mut self) -> Result<Duration, String> {
        self.probe.send(&[Command::Sync]);
        self.expect("sign of being ready", self.patience, |reply| *reply == Reply::Ready)
    }
}

fn in_words(what: &str, patience: Duration, silence: Silence) -> String {
    match silence {
        Silence::Late => format!("no {what} within {} s", patience.as_secs_f64()),
        Silence::Ended => format!("it ended, and gave no {what}"),
        Silence::Flood => quota::flooded(),
    }
}

/// Milliseconds for people.
fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn greeting(subject: &mut Subject<'_>) -> CheckVerdict {
    subject.probe.send(&[Command::Hello]);
    let (mut name, mut author, mut offers) = (None, None, Vec::new());
    let greeted = subject.probe.hear_within(Quota::GREETING, subject.patience, |reply, _| {
        match reply {
            Reply::Name(text) => name = Some(text.clone()),
            Reply::Author(text) => author = Some(text.clone()),
            Reply::Option(offer) => offers.push(offer.clone()),
            _ => {}
        }
        *reply == Reply::Welcome
    });
    (subject.name, subject.author, subject.offers) = (name, author, offers);
    match greeted {
        Ok(time) => CheckVerdict::Ok(format!("after {}", ms(time))),
        Err(silence) => CheckVerdict::Error(in_words("greeting", subject.patience, silence)),
    }
}

fn name(subject: &mut Subject<'_>) -> CheckVerdict {
    let needs_author = matches!(subject.dialect, Dialect::Uci | Dialect::Usi);
    match (&subject.name, &subject.author) {
        (None, _) => CheckVerdict::Warning("it does not say its name".to_string()),
        (Some(name), None) if needs_author => CheckVerdict::Warning(format!("{name} does not say its author")),
        (Some(name), _) => CheckVerdict::Ok(name.clone()),
    }
}

/// The grammar of options: defaults within their bounds, names that are unique and can be sent.
fn options(subject: &mut Subject<'_>) -> CheckVerdict {
    if subject.dialect == Dialect::Gtp {
        return CheckVerdict::Skipped("GTP has none".to_string());
    }
    let mut faults = Vec::new();
    for (index, offer) in subject.offers.iter().enumerate() {
        let name = &offer.name;
        match &offer.kind {
            OfferKind::Spin { default, min, max } if !(min..=max).contains(&default) => {
                faults.push(format!("{name}: {default} is not from {min} to {max}"));
            }
            OfferKind::Combo { default, among } if !among.contains(default) => {
                faults.push(format!("{name}: {default:?} is none of {}", among.join(", ")));
            }
            _ if name.is_empty() => faults.push("an option without a name".to_string()),
            _ if name.split(' ').any(|w| w.eq_ignore_ascii_case("value")) => {
                faults.push(format!("{name}: the word value ends a name"));
            }
            _ => {}
        }
        if subject.offers[..index].iter().any(|other| other.name.eq_ignore_ascii_case(name)) {
            faults.push(format!("{name} is offered twice"));
        }
    }
    match faults.is_empty() {
        true => CheckVerdict::Ok(format!("{} of them", subject.offers.len())),
        false => CheckVerdict::Error(faults.join("; ")),
    }
}

fn ready(subject: &mut Subject<'_>) -> CheckVerdict {
    let begun = subject.sync();
    subject.probe.send(&[Command::NewGame]);
    match begun.and_then(|_| subject.sync()) {
        Ok(time) => CheckVerdict::Ok(format!("for a new game after {}", ms(time))),
        Err(words) => CheckVerdict::Error(words),
    }
}

/// A word of no protocol is ignored or refused, and does no harm.
fn unknown_command(subject: &mut Subject<'_>) -> CheckVerdict {
    if subject.dialect == Dialect::Gtp {
        return CheckVerdict::Skipped("see refusal".to_string());
    }
    subject.probe.send_text("xyzzy\n");
    let strange = subject.probe.strange.len();
    let alive = subject.sync();
    // What it says to that is no fault: every protocol lets it complain in its own words.
    subject.probe.strange.truncate(strange);
    match alive {
        Ok(_) => CheckVerdict::Ok("ignored or refused".to_string()),
        Err(words) => CheckVerdict::Error(words),
    }
}

fn no_unknown_replies(subject: &mut Subject<'_>) -> CheckVerdict {
    match subject.probe.strange.as_slice() {
        [] => CheckVerdict::Ok(String::new()),
        [first, rest @ ..] => CheckVerdict::Warning(format!("{first:?} and {} more lines", rest.len())),
    }
}

fn quit(subject: &mut Subject<'_>) -> CheckVerdict {
    subject.probe.send(&[Command::Quit]);
    let patience = subject.spec.quit_patience;
    match subject.probe.ends_within(patience) {
        Some(status) if status.success() => CheckVerdict::Ok(String::new()),
        Some(status) => CheckVerdict::Warning(format!("it ends with {status}")),
        None => CheckVerdict::Error(format!("it did not end within {} s", patience.as_secs_f64())),
    }
}

/// An engine whose runner died must not live on.
fn end_of_input(subject: &mut Subject<'_>) -> CheckVerdict {
    let Ok(mut probe) = Probe::start(subject.spec, subject.dialect) else {
        return CheckVerdict::Error("it does not start a second time".to_string());
    };
    probe.send(&[Command::Hello]);
    if probe.hear_within(Quota::GREETING, subject.patience, |reply, _| *reply == Reply::Welcome).is_err() {
        return CheckVerdict::Error("it does not greet a second time".to_string());
    }
    probe.close();
    match probe.ends_within(subject.spec.quit_patience) {
        Some(_) => CheckVerdict::Ok(String::new()),
        None => CheckVerdict::Warning("it lives on when nobody can speak to it any more".to_string()),
    }
}
