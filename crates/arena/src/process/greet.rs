//! Engines being started: which protocol they speak, what they offer, what is set.

use super::{Dialect, Engine, EngineSpec, quota::Quota};
use crate::{Fault, FaultKind};
use std::time::Duration;
use tesuji_jobs::Interrupt;
use tesuji_protocol::{Command, NO_ANALYSIS, Offer, OfferKind, Reply};

/// Time limit for a greeting in each protocol that is tried.
const TRIAL: Duration = Duration::from_secs(2);
/// XBoard engines of the first version announce nothing: after this time they are taken to be ready.
const SILENT_XBOARD: Duration = Duration::from_secs(2);

impl Engine {
    /// Starts an engine in the protocol that its description names, or else in the first that it answers.
    ///
    /// # Errors
    /// [`FaultKind::Start`], with its last lines.
    pub fn open(spec: &EngineSpec, stop: &Interrupt) -> Result<Engine, Fault> {
        if let Some(dialect) = spec.dialect.or_else(|| spec.detected.get().copied()) {
            return Engine::start(spec, dialect.runner(), stop);
        }
        let trial = EngineSpec { start_patience: spec.start_patience.min(TRIAL), ..spec.clone() };
        let mut first_fault = None;
        for dialect in Dialect::ALL {
            match Engine::prepare(&trial, dialect.runner(), stop).and_then(|mut e| e.greet(true).map(|()| e)) {
                Ok(mut engine) => {
                    let _ = spec.detected.set(dialect);
                    engine.spec.start_patience = spec.start_patience;
                    engine.set_up()?;
                    return Ok(engine);
                }
                Err(fault) if fault.kind == FaultKind::Stopped || fault.kind == FaultKind::Start => return Err(fault),
                Err(fault) => drop(first_fault.get_or_insert(fault)),
            }
        }
        // Perhaps it only needs more time than a trial has; then it is one of the usual ones.
        if spec.start_patience > TRIAL && first_fault.as_ref().is_some_and(|f| f.kind == FaultKind::Hang) {
            return Engine::start(spec, Dialect::Uci.runner(), stop).map_err(|fault| Fault {
                detail: format!("it answers neither uci, usi, xboard nor GTP's protocol_version: {}", fault.detail),
                ..fault
            });
        }
        Err(first_fault.map_or_else(|| Fault::new(FaultKind::Start, "no protocol"), as_start))
    }

    /// Says hello, and takes the offers. `probing`: whether a word of not understanding ends it.
    pub(super) fn greet(&mut self, probing: bool) -> Result<(), Fault> {
        self.send(&[Command::Hello])?;
        let may_be_silent = !probing && self.spec.dialect == Some(Dialect::Xboard);
        let patience = self.spec.start_patience;
        let patience = if may_be_silent { patience.min(SILENT_XBOARD) } else { patience };
        let (mut offers, mut own_name, mut refused) = (Vec::new(), None, None);
        let greeted = self.read_within(Quota::GREETING, patience, "greet", FaultKind::Hang, |reply| {
            match reply {
                Reply::Name(name) => own_name = Some(name),
                Reply::Option(offer) => offers.push(offer),
                Reply::Welcome => return true,
                Reply::Text(text) if probing && is_puzzled(&text) => {
                    refused = Some(format!("it says {text:?}"));
                    return true;
                }
                Reply::Fault(text) if text.starts_with(NO_ANALYSIS) => {
                    refused = Some(text);
                    return true;
                }
                _ => {}
            }
            false
        });
        match greeted {
            Err(fault) if may_be_silent && fault.kind == FaultKind::Hang => {}
            greeted => greeted?,
        }
        if let Some(text) = refused {
            return Err(self.fault(FaultKind::Garbage, text));
        }
        self.offers = offers;
        if let (None, Some(name)) = (&self.spec.name, own_name) {
            self.name = name;
        }
        Ok(())
    }

    /// Sets the options, and waits until it is ready.
    pub(super) fn set_up(&mut self) -> Result<(), Fault> {
        let mut commands = Vec::new();
        let mut settings = self.spec.options.clone();
        tesuji_options::presets_first(&mut settings, |(name, _)| name);
        for (name, value) in &settings {
            if !self.protocol.tells_options() {
                commands.push(Command::Set { name: name.clone(), value: value.clone() });
                continue;
            }
            let same = |offer: &&Offer| tesuji_options::same_name(&offer.name, name);
            let offer = self.offers.iter().find(same).ok_or_else(|| {
                let known: Vec<&str> = self.offers.iter().map(|o| o.name.as_str()).collect();
                Fault::new(FaultKind::Start, format!("it has no option {name:?}, but {}", known.join(", ")))
            })?;
            check_value(offer, value).map_err(|detail| Fault::new(FaultKind::Start, detail))?;
            commands.push(Command::Set { name: offer.name.clone(), value: value.clone() });
        }
        if self.spec.ponder {
            let is_ponder = |offer: &&Offer| matches!(offer.name.as_str(), "Ponder" | "USI_Ponder");
            let names = self.offers.iter().filter(is_ponder).map(|offer| offer.name.clone());
            commands.extend(names.map(|name| Command::Set { name, value: "true".to_string() }));
            commands.push(Command::Ponder(true));
        }
        commands.push(Command::Sync);
        self.send(&commands).map_err(as_start)?;
        self.read_until(self.spec.start_patience, "get ready", FaultKind::Ping, |reply| reply == Reply::Ready)
            .map_err(as_start)
    }
}

/// A fault before the first game.
pub(super) fn as_start(fault: Fault) -> Fault {
    match fault.kind {
        FaultKind::Stopped => fault,
        _ => Fault { kind: FaultKind::Start, ..fault },
    }
}

/// Whether an engine says that it does not understand the greeting of a protocol which is not its own.
fn is_puzzled(text: &str) -> bool {
    let text = text.trim_start().to_ascii_lowercase();
    text.starts_with('?')
        || ["unknown command", "unrecognized", "illegal move", "invalid"].iter().any(|w| text.contains(w))
}

/// Whether an option takes a value: engines die of numbers out of their bounds, or use others without a word.
fn check_value(offer: &Offer, value: &str) -> Result<(), String> {
    let name = &offer.name;
    match &offer.kind {
        OfferKind::Spin { min, max, .. } if !value.parse().is_ok_and(|v: i64| (*min..=*max).contains(&v)) => {
            Err(format!("its option {name} takes a number from {min} to {max}, not {value:?}"))
        }
        OfferKind::Combo { among, .. } if !among.iter().any(|word| word.eq_ignore_ascii_case(value)) => {
            Err(format!("its option {name} takes one of {}, not {value:?}", among.join(", ")))
        }
        _ => Ok(()),
    }
}
