//! Orders to think: the search itself, what it is told and what it tells.

use super::{control::Control, output::Output, print, worker::Worker};
use std::time::{Duration, Instant};
use tesuji_game::{CacheCounts, Choice, Limits, Report, Signal, Wants, Watch};
use tesuji_protocol::{Go, Info, MateAnswer, NO_MOVE, Reply, Stream};

use super::place::{LinePosition, SKIP};

impl<'w> Worker<'w> {
    /// Thinks and answers.
    pub(super) fn go(&mut self, id: u64, go: &Go, since: Instant) {
        if let Some(fault) = &go.fault {
            self.output.fault(fault);
        }
        if go.solve {
            return self.solve(id, go, since);
        }
        let before = self.place.clone();
        if let Err(fault) = self.turn_to(go) {
            return self.output.fault(fault);
        }
        let only = self.wanted(go);
        let mut limits = go.limits.clone();
        limits.clock = limits.clock.or(self.clocks);
        let mut live = self.live(id, go, &limits, since);
        let mut report = self.player.go(&limits, &only, &mut live);
        if go.cleanup && matches!(&report.choice, Some(Choice::Play(mv)) if mv == SKIP) && self.has_dead() {
            let moves: Vec<String> = self.player.moves().into_iter().filter(|mv| mv != SKIP).collect();
            if !moves.is_empty() {
                report = self.player.go(&limits, &moves, &mut live);
            }
        }
        if live.stream.is_some() && !live.is_told {
            live.report(&report);
        }
        if self.debug {
            self.tell_counts();
        }
        if (limits.infinite || limits.ponder) && !self.output.is_broken() {
            self.control.hold(id, limits.infinite, is_cut_short(go));
        }
        // Done before it is said: what the runner sends after the answer is not taken for a word during the search.
        self.control.finish(id);
        self.answer_with(&report);
        match report.choice {
            Some(Choice::Play(mv)) if go.commit => {
                self.place = LinePosition { moves: before.moves, skips: before.skips, ..self.place.clone() };
                if let Some(side) = go.side {
                    self.place.skip_to(side, self.turn_before);
                }
                self.place.moves.push(mv);
            }
            _ => self.place = before,
        }
        self.sit();
    }

    /// Answers an order to think about a position that was refused; returns whether the answer is given. A move would be one of
    /// the position before.
    pub(super) fn go_nowhere(&mut self, id: u64, go: &Go) -> bool {
        let why = self.refused.clone().unwrap_or_default();
        self.output.fault(format_args!("no search: the last position was refused ({why}); send another"));
        if go.solve {
            self.output.say(&[Reply::Mate(MateAnswer::Limit)]);
            return true;
        }
        if (go.limits.infinite || go.limits.ponder) && !self.output.is_broken() {
            self.control.hold(id, go.limits.infinite, is_cut_short(go));
        }
        false
    }

    /// Says what the search chose. A fault of its evaluator is told once, and where nothing was chosen each time.
    fn answer_with(&mut self, report: &Report<String>) {
        let best = Reply::Best { choice: report.choice.clone(), ponder: report.ponder.clone() };
        match &report.fault {
            Some(fault) if report.choice.is_none() => {
                let fault = Reply::Fault(format!("{NO_MOVE}{fault}"));
                // Where a fault is an answer (GTP), it is the only one.
                let both = [fault, best];
                self.output.say(if self.output.is_orderly() { &both[..1] } else { &both });
            }
            Some(fault) if self.fault_told.as_ref() != Some(fault) => {
                tracing::error!("{fault}; going on without it");
                self.output.say(&[Reply::Info(Info::remark(format!("{fault}; going on without it"))), best]);
            }
            _ => self.output.say(&[best]),
        }
        self.fault_told.clone_from(&report.fault);
    }

    /// Looks for a mate. There is an answer as soon as one is known, with `infinite`, too.
    fn solve(&mut self, id: u64, go: &Go, since: Instant) {
        let mut watch = self.live(id, go, &go.limits, since);
        let answer = self.player.solve(&go.limits, &mut watch);
        self.control.finish(id);
        self.output.say(&[Reply::Mate(answer)]);
    }

    /// Puts the player where the mover of `go` is to move in a game that has not ended.
    fn turn_to(&mut self, go: &Go) -> Result<(), crate::PlayerError> {
        self.turn_before = self.player.side_to_move();
        let mut next = self.place.clone();
        if let Some(side) = go.side {
            next.skip_to(side, self.turn_before);
            // Both have passed and the runner wants to go on: for the search, they have not.
            while next.moves.len() >= 2 && next.moves.iter().rev().take(2).all(|mv| mv.eq_ignore_ascii_case(SKIP)) {
                next.moves.truncate(next.moves.len() - 2);
            }
        }
        if next.moves != self.place.moves {
            self.player.set_position(&next.rules, next.start.as_deref(), &next.moves)?;
            self.place = next;
        }
        Ok(())
    }

    /// The moves to consider, all if empty. Says which of those asked for are none.
    fn wanted(&self, go: &Go) -> Vec<String> {
        let is_silent = go.stream.is_some();
        for text in go.only.iter().filter(|text| !is_silent && !self.player.is_move(text)) {
            self.output.fault(format_args!("{text} is no legal move here and is left out"));
        }
        if go.avoid.is_empty() {
            return go.only.clone();
        }
        let among = if go.only.is_empty() { self.player.moves() } else { go.only.clone() };
        let is_avoided = |mv: &String| go.avoid.iter().any(|avoided| avoided.eq_ignore_ascii_case(mv));
        among.into_iter().filter(|mv| !is_avoided(mv)).collect()
    }

    fn has_dead(&self) -> bool {
        self.player.final_status("dead").is_some_and(|chains| !chains.is_empty())
    }

    fn live(&self, id: u64, go: &Go, limits: &Limits, since: Instant) -> Live<'w> {
        Live {
            output: self.output,
            control: self.control,
            id,
            since,
            show_wdl: self.options.show_wdl,
            // Where a protocol names the mover (GTP) no search is endless but an analysis: the player has limits of its own. One by
            // the runner's clock is for a runner, and after the end of input there is none.
            is_limited: if go.side.is_some() { !limits.infinite && !is_timed(limits) } else { is_limited(limits) },
            stream: go.stream,
            is_cut_short: is_cut_short(go),
            is_told: false,
        }
    }

    fn tell_counts(&self) {
        let counts = self.player.counts();
        let remarks = counts.iter().map(|CacheCounts { name, probes, hits }| {
            let share = 100.0 * *hits as f64 / (*probes).max(1) as f64;
            Reply::Info(Info::remark(format!("{name}: {hits} of {probes} probes hit ({share:.1} %)")))
        });
        self.output.say(&remarks.collect::<Vec<_>>());
    }
}

/// Whether the next line of the runner ends the search.
pub(super) fn is_cut_short(go: &Go) -> bool {
    go.stream.is_some() && !go.commit
}

/// Whether a search ends by itself.
fn is_limited(limits: &Limits) -> bool {
    let any = limits.depth.is_some() || limits.nodes.is_some() || limits.move_time.is_some() || limits.clock.is_some();
    any && !limits.infinite && !limits.ponder
}

/// Whether the runner's clock limits a search.
fn is_timed(limits: &Limits) -> bool {
    limits.move_time.is_some() || limits.clock.is_some()
}

/// A running search as the player sees the host.
struct Live<'a> {
    output: &'a Output<'a>,
    control: &'a Control,
    id: u64,
    since: Instant,
    show_wdl: bool,
    is_limited: bool,
    stream: Option<Stream>,
    /// Whether the next line of the runner ends the search.
    is_cut_short: bool,
    /// Whether anything was told in the stream.
    is_told: bool,
}

impl Watch<String> for Live<'_> {
    fn signal(&mut self) -> Signal {
        let alone = self.output.is_broken() || self.control.is_ended() && !self.is_limited;
        let cut = self.is_cut_short && self.control.is_cut(self.id);
        if alone || cut { Signal::Stop } else { self.control.signal(self.id) }
    }

    fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    fn report(&mut self, report: &Report<String>) {
        if self.stream.is_some() {
            self.is_told |= !report.lines.is_empty();
            self.output.say(&[Reply::Analysis(report.clone())]);
        } else {
            self.output.say(&print::infos(report, self.show_wdl));
        }
    }

    fn wants(&self) -> Wants {
        Wants { lines: self.stream.map(|s| s.lines), every: self.stream.map(|s| s.every) }
    }
}
